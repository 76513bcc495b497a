# %% right: as a call of dict
predicted_shuffle = dict(keys_only="different", x="shuffled", context="same")
# %% right: built step by step
predicted_shuffle = {}
for name in ("context", "x", "keys_only"):
    predicted_shuffle[name] = {"context": "same", "x": "shuffled"}.get(name, "different")
# %% wrong: a bare tuple -> "in braces"
predicted_shuffle = ("same", "shuffled", "different")
# %% wrong: a key forgotten -> "missing: ['keys_only']"
predicted_shuffle = {"context": "same", "x": "shuffled"}
# %% wrong: a key spelled otherwise -> "not asked for: ['keys']"
predicted_shuffle = {"context": "same", "x": "shuffled", "keys": "different"}
# %% wrong: another word -> "expected one of"
predicted_shuffle = {"context": "unchanged", "x": "shuffled", "keys_only": "different"}
# %% wrong: capital letters -> "expected one of"
predicted_shuffle = {"context": "Same", "x": "Shuffled", "keys_only": "Different"}
# %% wrong: true and false -> "got True. Is it one of these words, in quotes?"
predicted_shuffle = {"context": True, "x": False, "keys_only": False}
# %% wrong: a list as an answer -> "got ['same']"
predicted_shuffle = {"context": ["same"], "x": "shuffled", "keys_only": "different"}
# %% wrong: the output follows the context -> hidden: "a sum has no order"
predicted_shuffle = {"context": "shuffled", "x": "shuffled", "keys_only": "different"}
# %% wrong: queries have no order either -> hidden: "rows move with the queries"
predicted_shuffle = {"context": "same", "x": "same", "keys_only": "different"}
# %% wrong: keys alone do not matter -> hidden: "meets another value"
predicted_shuffle = {"context": "same", "x": "shuffled", "keys_only": "same"}
# %% wrong: shuffled keys shuffle the output -> hidden: "meets another value"
predicted_shuffle = {"context": "same", "x": "shuffled", "keys_only": "shuffled"}
# %% wrong: everything changes -> hidden: "a sum has no order"
predicted_shuffle = {"context": "different", "x": "different", "keys_only": "different"}
# %% right: members of an Enum that are words
from enum import Enum


class Effect(str, Enum):
    SAME = "same"
    SHUFFLED = "shuffled"
    DIFFERENT = "different"


predicted_shuffle = {
    "context": Effect.SAME, "x": Effect.SHUFFLED, "keys_only": Effect.DIFFERENT,
}
# %% wrong: a fourth answer -> "not asked for: ['values_only']"
predicted_shuffle = {"context": "same", "x": "shuffled", "keys_only": "different", "values_only": "different"}
