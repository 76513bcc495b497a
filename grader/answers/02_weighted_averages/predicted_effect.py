# %% right: built step by step
predicted_effect = {}
predicted_effect["score_variance"] = "smaller"
predicted_effect["largest_weight"] = "smaller"
predicted_effect["softmax_gradient"] = "larger"
# %% right: keyword arguments, another order
predicted_effect = dict(softmax_gradient="larger", largest_weight="smaller", score_variance="smaller")
# %% wrong: one answer missing -> "Is one forgotten"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller"}
# %% wrong: a key misspelt -> "misspelt"
predicted_effect = {"score_variance": "smaller", "largest_weights": "smaller", "softmax_gradient": "larger"}
# %% wrong: one key too many -> "or one too many?"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "softmax_gradient": "larger", "score_mean": "same"}
# %% wrong: capital letters -> "Is it one of these three words, in lower case?"
predicted_effect = {"score_variance": "Smaller", "largest_weight": "Smaller", "softmax_gradient": "Larger"}
# %% wrong: bigger -> "got 'bigger'"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "softmax_gradient": "bigger"}
# %% wrong: numbers -> "got 1.0"
predicted_effect = {"score_variance": 1.0, "largest_weight": 0.39, "softmax_gradient": 0.39}
# %% wrong: two answers for one question -> "Is it one of these three words"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "softmax_gradient": ["same", "larger"]}
# %% wrong: left open -> "got None"
predicted_effect = {"score_variance": None, "largest_weight": None, "softmax_gradient": None}
# %% wrong: a list -> "Expected a dictionary"
predicted_effect = ["smaller", "smaller", "larger"]
# %% wrong: a set of names -> "Expected a dictionary, got set"
predicted_effect = {"score_variance", "largest_weight", "softmax_gradient"}
# %% wrong: believes that the largest weight stays -> hidden: "largest_weight"
predicted_effect = {"score_variance": "smaller", "largest_weight": "same", "softmax_gradient": "larger"}
# %% wrong: believes that smaller scores have smaller gradients -> hidden: "softmax_gradient"
predicted_effect = {"score_variance": "smaller", "largest_weight": "smaller", "softmax_gradient": "smaller"}
