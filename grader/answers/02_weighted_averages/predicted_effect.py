# %% right: built step by step
predicted_effect = {}
predicted_effect["score_variance"] = "smaller"
predicted_effect["largest_weight"] = "smaller"
predicted_effect["responsive"] = "larger"
# %% right: keyword arguments, another order
predicted_effect = dict(
    responsive="larger", largest_weight="smaller", score_variance="smaller"
)
# %% wrong: one answer missing -> "Is one forgotten"
- "responsive": "larger",
# %% wrong: a key misspelt -> "misspelt"
- "largest_weight": "smaller",
+ "largest_weights": "smaller",
# %% wrong: one key too many -> "or one too many?"
  "responsive": "larger",
+ "score_mean": "same",
# %% wrong: a capital letter -> "Is it one of these three words, in lower case?"
- "responsive": "larger",
+ "responsive": "Larger",
# %% wrong: bigger -> "got 'bigger'"
- "responsive": "larger",
+ "responsive": "bigger",
# %% wrong: a number -> "got 0.39"
- "responsive": "larger",
+ "responsive": 0.39,
# %% wrong: two answers for one question -> "Is it one of these three words"
- "responsive": "larger",
+ "responsive": ["same", "larger"],
# %% wrong: left open -> "got None"
- "responsive": "larger",
+ "responsive": None,
# %% wrong: a list -> "Expected a dictionary"
predicted_effect = ["smaller", "smaller", "larger"]
# %% wrong: a set of names -> "Expected a dictionary, got set"
predicted_effect = {"score_variance", "largest_weight", "responsive"}
# %% wrong: believes that the largest weight stays -> hidden: "largest_weight"
- "largest_weight": "smaller",
+ "largest_weight": "same",
# %% wrong: believes that the variance stays -> hidden: "score_variance"
- "score_variance": "smaller",
+ "score_variance": "same",
# %% wrong: believes that small scores respond less -> hidden: "responsive"
- "responsive": "larger",
+ "responsive": "smaller",
# %% wrong: believes that as many respond -> hidden: "responsive"
- "responsive": "larger",
+ "responsive": "same",
# %% right: a dictionary of another class
from collections import OrderedDict
predicted_effect = OrderedDict(score_variance="smaller", largest_weight="smaller", responsive="larger")
# %% right: members of an enumeration that are words
from enum import Enum
class Effect(str, Enum):
    SMALLER = "smaller"
    LARGER = "larger"
predicted_effect = {
    "score_variance": Effect.SMALLER, "largest_weight": Effect.SMALLER, "responsive": Effect.LARGER,
}
# %% right: zip
predicted_effect = dict(zip(("score_variance", "largest_weight", "responsive"), ("smaller", "smaller", "larger")))
# %% right: merged dictionaries
predicted_effect = {"score_variance": "smaller"} | {"largest_weight": "smaller"}
predicted_effect |= {"responsive": "larger"}
# %% right: a names variable
s, l = "smaller", "larger"
predicted_effect = {"score_variance": s, "largest_weight": s, "responsive": l}
# %% right: mapping proxy
from types import MappingProxyType
predicted_effect = MappingProxyType({"score_variance": "smaller", "largest_weight": "smaller", "responsive": "larger"})
# %% right: defaultdict
from collections import defaultdict
predicted_effect = defaultdict(lambda: "same", score_variance="smaller", largest_weight="smaller", responsive="larger")
# %% right: a user dict
from collections import UserDict
predicted_effect = UserDict(score_variance="smaller", largest_weight="smaller", responsive="larger")
# %% wrong: list of pairs -> "got list"
predicted_effect = [("score_variance", "smaller"), ("largest_weight", "smaller"), ("responsive", "larger")]
# %% wrong: the old name -> "misspelt"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "softmax_gradient": "larger"}
# %% wrong: trailing blank -> "got 'smaller '"
predicted_effect = {"score_variance": "smaller ", "largest_weight": "smaller", "responsive": "larger"}
# %% wrong: a string -> "got str"
predicted_effect = "smaller, smaller, larger"
# %% wrong: booleans -> "got False"
predicted_effect = {"score_variance": False, "largest_weight": False, "responsive": True}
# %% wrong: an arrow -> "got '<'"
predicted_effect = {"score_variance": "<", "largest_weight": "<", "responsive": ">"}
# %% wrong: percentages -> "got '48% -> 100%'"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "responsive": "48% -> 100%"}
# %% wrong: ellipsis left -> "largest_weight: expected 'smaller'"
predicted_effect = {"score_variance": "smaller", "largest_weight": ..., "responsive": "larger"}
# %% wrong: a function -> "Expected a dictionary"
def predicted_effect():
    return {"score_variance": "smaller", "largest_weight": "smaller", "responsive": "larger"}
# %% wrong: three variables and a tuple -> "got tuple"
predicted_effect = ("smaller", "smaller", "larger")
# %% wrong: nested -> "got ('predicted_effect',)"
predicted_effect = {"predicted_effect": {"score_variance": "smaller", "largest_weight": "smaller", "responsive": "larger"}}
# %% wrong: capital names -> "got ('Score_Variance'"
predicted_effect = {"Score_Variance": "smaller", "Largest_Weight": "smaller", "Responsive": "larger"}
# %% wrong: keys with the values swapped round -> "got ('smaller', 'larger')"
predicted_effect = {"smaller": "score_variance", "larger": "responsive"}
# %% wrong: an unhashable answer -> "got {'larger'}"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "responsive": {"larger"}}
# %% wrong: largest larger -> hidden: "largest_weight"
predicted_effect = {"score_variance": "smaller", "largest_weight": "larger", "responsive": "larger"}
