# %% right: built step by step
predicted_effect = {}
predicted_effect["score_variance"] = "smaller"
predicted_effect["largest_weight"] = "smaller"
predicted_effect["softmax_gradient"] = "larger"
# %% right: keyword arguments, another order
predicted_effect = dict(
    softmax_gradient="larger", largest_weight="smaller", score_variance="smaller"
)
# %% wrong: one answer missing -> "Is one forgotten"
- "softmax_gradient": "larger",
# %% wrong: a key misspelt -> "misspelt"
- "largest_weight": "smaller",
+ "largest_weights": "smaller",
# %% wrong: one key too many -> "or one too many?"
  "softmax_gradient": "larger",
+ "score_mean": "same",
# %% wrong: a capital letter -> "Is it one of these three words, in lower case?"
- "softmax_gradient": "larger",
+ "softmax_gradient": "Larger",
# %% wrong: bigger -> "got 'bigger'"
- "softmax_gradient": "larger",
+ "softmax_gradient": "bigger",
# %% wrong: a number -> "got 0.39"
- "softmax_gradient": "larger",
+ "softmax_gradient": 0.39,
# %% wrong: two answers for one question -> "Is it one of these three words"
- "softmax_gradient": "larger",
+ "softmax_gradient": ["same", "larger"],
# %% wrong: left open -> "got None"
- "softmax_gradient": "larger",
+ "softmax_gradient": None,
# %% wrong: a list -> "Expected a dictionary"
predicted_effect = ["smaller", "smaller", "larger"]
# %% wrong: a set of names -> "Expected a dictionary, got set"
predicted_effect = {"score_variance", "largest_weight", "softmax_gradient"}
# %% wrong: believes that the largest weight stays -> hidden: "largest_weight"
- "largest_weight": "smaller",
+ "largest_weight": "same",
# %% wrong: believes that the variance stays -> hidden: "score_variance"
- "score_variance": "smaller",
+ "score_variance": "same",
# %% wrong: believes that smaller scores have smaller gradients -> hidden: "softmax_gradient"
- "softmax_gradient": "larger",
+ "softmax_gradient": "smaller",
# %% wrong: believes that the gradient stays -> hidden: "softmax_gradient"
- "softmax_gradient": "larger",
+ "softmax_gradient": "same",
# %% right: a dictionary of another class
from collections import OrderedDict
predicted_effect = OrderedDict(score_variance="smaller", largest_weight="smaller", softmax_gradient="larger")
# %% right: members of an enumeration that are words
from enum import Enum
class Effect(str, Enum):
    SMALLER = "smaller"
    LARGER = "larger"
predicted_effect = {
    "score_variance": Effect.SMALLER, "largest_weight": Effect.SMALLER, "softmax_gradient": Effect.LARGER,
}
