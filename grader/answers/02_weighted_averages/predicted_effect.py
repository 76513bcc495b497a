# %% right: built step by step
predicted_effect = {}
predicted_effect["score_variance"] = "smaller"
predicted_effect["largest_weight"] = "smaller"
predicted_effect["softmax_gradient"] = "larger"
# %% right: keyword arguments, another order
predicted_effect = dict(softmax_gradient="larger", largest_weight="smaller", score_variance="smaller")
# %% wrong: one answer missing -> "Missing: softmax_gradient. Forgotten?"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller"}
# %% wrong: a key misspelt -> "A slip of the pen?"
predicted_effect = {"score_variance": "smaller", "largest_weights": "smaller", "softmax_gradient": "larger"}
# %% wrong: one key too many -> "Can it go?"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "softmax_gradient": "larger", "score_mean": "same"}
# %% wrong: capital letters -> "lower case"
predicted_effect = {"score_variance": "Smaller", "largest_weight": "Smaller", "softmax_gradient": "Larger"}
# %% wrong: bigger -> "Which of the three do you mean?"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "softmax_gradient": "bigger"}
# %% wrong: numbers -> "got the number"
predicted_effect = {"score_variance": 1.0, "largest_weight": 0.39, "softmax_gradient": 0.39}
# %% wrong: two answers for one question -> "Which one is it?"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "softmax_gradient": ["same", "larger"]}
# %% wrong: left open -> "Is it answered?"
predicted_effect = {"score_variance": None, "largest_weight": None, "softmax_gradient": None}
# %% wrong: a list -> "Expected a dictionary"
predicted_effect = ["smaller", "smaller", "larger"]
# %% wrong: a set of names -> "Expected a dictionary, got set"
predicted_effect = {"score_variance", "largest_weight", "softmax_gradient"}
# %% wrong: believes that the largest weight stays -> hidden: "largest_weight"
predicted_effect = {"score_variance": "smaller", "largest_weight": "same", "softmax_gradient": "larger"}
# %% wrong: believes that smaller scores have smaller gradients -> hidden: "softmax_gradient"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "softmax_gradient": "smaller"}
