# %% right: built step by step
predicted_effect = {}
predicted_effect["score_variance"] = "smaller"
predicted_effect["largest_weight"] = "smaller"
predicted_effect["wider_undivided"] = "larger"
predicted_effect["wider_divided"] = "same"
# %% right: keyword arguments, in a different order
predicted_effect = dict(
    wider_divided="same", wider_undivided="larger", largest_weight="smaller", score_variance="smaller"
)
# %% right: a dictionary of another class
from collections import OrderedDict
predicted_effect = OrderedDict(
    score_variance="smaller", largest_weight="smaller", wider_undivided="larger", wider_divided="same"
)
# %% right: members of an enumeration that are words
from enum import Enum
class Effect(str, Enum):
    SMALLER = "smaller"
    SAME = "same"
    LARGER = "larger"
predicted_effect = {
    "score_variance": Effect.SMALLER, "largest_weight": Effect.SMALLER,
    "wider_undivided": Effect.LARGER, "wider_divided": Effect.SAME,
}
# %% right: zip
predicted_effect = dict(zip(
    ("score_variance", "largest_weight", "wider_undivided", "wider_divided"), ("smaller", "smaller", "larger", "same")
))
# %% right: merged dictionaries
predicted_effect = {"score_variance": "smaller"} | {"largest_weight": "smaller"}
predicted_effect |= {"wider_undivided": "larger", "wider_divided": "same"}
# %% right: a name for each word
s, m, l = "smaller", "same", "larger"
predicted_effect = {"score_variance": s, "largest_weight": s, "wider_undivided": l, "wider_divided": m}
# %% right: mapping proxy
from types import MappingProxyType
predicted_effect = MappingProxyType(
    {"score_variance": "smaller", "largest_weight": "smaller", "wider_undivided": "larger", "wider_divided": "same"}
)
# %% right: defaultdict
from collections import defaultdict
predicted_effect = defaultdict(
    lambda: "same", score_variance="smaller", largest_weight="smaller", wider_undivided="larger", wider_divided="same"
)
# %% right: a user dict
from collections import UserDict
predicted_effect = UserDict(
    score_variance="smaller", largest_weight="smaller", wider_undivided="larger", wider_divided="same"
)
# %% wrong: one answer missing -> "Is one forgotten"
- "wider_divided": "same",
# %% wrong: a key misspelt -> "misspelt"
- "largest_weight": "smaller",
+ "largest_weights": "smaller",
# %% wrong: one key too many -> "or one too many?"
  "wider_divided": "same",
+ "score_mean": "same",
# %% wrong: one answer for both widths -> "misspelt"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "wider": "larger"}
# %% wrong: a capital letter -> "Is it one of these three words, in lower case?"
- "wider_undivided": "larger",
+ "wider_undivided": "Larger",
# %% wrong: bigger -> "got 'bigger'"
- "wider_undivided": "larger",
+ "wider_undivided": "bigger",
# %% wrong: equal -> "got 'equal'"
- "wider_divided": "same",
+ "wider_divided": "equal",
# %% wrong: a number -> "got 1.2"
- "wider_undivided": "larger",
+ "wider_undivided": 1.2,
# %% wrong: two answers for one question -> "Is it one of these three words"
- "wider_divided": "same",
+ "wider_divided": ["same", "larger"],
# %% wrong: left open -> "got None"
- "wider_divided": "same",
+ "wider_divided": None,
# %% wrong: ellipsis left -> "largest_weight: expected 'smaller'"
- "largest_weight": "smaller",
+ "largest_weight": ...,
# %% wrong: trailing blank -> "got 'smaller '"
- "score_variance": "smaller",
+ "score_variance": "smaller ",
# %% wrong: an unhashable answer -> "got {'larger'}"
- "wider_undivided": "larger",
+ "wider_undivided": {"larger"},
# %% wrong: percentages -> "got '57% -> 70%'"
- "wider_undivided": "larger",
+ "wider_undivided": "57% -> 70%",
# %% wrong: a list -> "Expected a dictionary"
predicted_effect = ["smaller", "smaller", "larger", "same"]
# %% wrong: a tuple -> "got tuple"
predicted_effect = ("smaller", "smaller", "larger", "same")
# %% wrong: a list of pairs -> "got list"
predicted_effect = [("score_variance", "smaller"), ("largest_weight", "smaller"), ("wider_undivided", "larger")]
# %% wrong: a set of names -> "Expected a dictionary, got set"
predicted_effect = {"score_variance", "largest_weight", "wider_undivided", "wider_divided"}
# %% wrong: a string -> "got str"
predicted_effect = "smaller, smaller, larger, same"
# %% wrong: booleans -> "got False"
predicted_effect = {
    "score_variance": False, "largest_weight": False, "wider_undivided": True, "wider_divided": False,
}
# %% wrong: signs -> "got '<'"
predicted_effect = {"score_variance": "<", "largest_weight": "<", "wider_undivided": ">", "wider_divided": "="}
# %% wrong: a function -> "Expected a dictionary"
def predicted_effect():
    return {"score_variance": "smaller", "largest_weight": "smaller"}
# %% wrong: nested -> "got ('predicted_effect',)"
predicted_effect = {"predicted_effect": {"score_variance": "smaller", "largest_weight": "smaller"}}
# %% wrong: capital names -> "got ('Score_Variance'"
predicted_effect = {
    "Score_Variance": "smaller", "Largest_Weight": "smaller", "Wider_Undivided": "larger", "Wider_Divided": "same",
}
# %% wrong: keys and values swapped -> "got ('smaller', 'larger', 'same')"
predicted_effect = {"smaller": "score_variance", "larger": "wider_undivided", "same": "wider_divided"}
# %% wrong: believes that the variance stays -> hidden: "score_variance"
- "score_variance": "smaller",
+ "score_variance": "same",
# %% wrong: believes that the largest weight stays -> hidden: "largest_weight"
- "largest_weight": "smaller",
+ "largest_weight": "same",
# %% wrong: believes that the largest weight grows -> hidden: "largest_weight"
- "largest_weight": "smaller",
+ "largest_weight": "larger",
# %% wrong: believes that the width counts for nothing -> hidden: "wider_undivided"
- "wider_undivided": "larger",
+ "wider_undivided": "same",
# %% wrong: believes that wider vectors even the weights out -> hidden: "wider_undivided"
- "wider_undivided": "larger",
+ "wider_undivided": "smaller",
# %% wrong: believes that the division does not undo the width -> hidden: "wider_divided"
- "wider_divided": "same",
+ "wider_divided": "larger",
# %% wrong: believes that the division overdoes it -> hidden: "wider_divided"
- "wider_divided": "same",
+ "wider_divided": "smaller",
