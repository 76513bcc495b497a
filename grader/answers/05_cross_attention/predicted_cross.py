# %% right: a list
predicted_cross = {"scores_shape": [2, 3, 5, 7], "context_doubles": 2, "both_double": 4}
# %% right: computed, in another order
predicted_cross = {"both_double": (2 * 5) * (2 * 7) // (5 * 7), "context_doubles": 14 // 7, "scores_shape": torch.Size((2, 3, 5, 7))}
# %% wrong: shape as text -> "without quotes"
predicted_cross = {"scores_shape": "(2, 3, 5, 7)", "context_doubles": 2, "both_double": 4}
# %% wrong: heads forgotten -> "four numbers"
predicted_cross = {"scores_shape": (2, 5, 7), "context_doubles": 2, "both_double": 4}
# %% wrong: factors as text -> "how many times"
predicted_cross = {"scores_shape": (2, 3, 5, 7), "context_doubles": "2x", "both_double": "4x"}
# %% wrong: counts instead of factors -> "how many times"
predicted_cross = {"scores_shape": (2, 3, 5, 7), "context_doubles": 420, "both_double": 840}
# %% wrong: one key missing -> "missing: ['both_double']"
predicted_cross = {"scores_shape": (2, 3, 5, 7), "context_doubles": 2}
# %% wrong: a tuple for all -> "in braces"
predicted_cross = ((2, 3, 5, 7), 2, 4)
# %% wrong: a float in the shape -> "whole numbers above 0"
predicted_cross = {"scores_shape": (2, 3, 5, 7.0), "context_doubles": 2, "both_double": 4}
# %% wrong: queries and keys exchanged -> hidden: "where q counts"
predicted_cross = {"scores_shape": (2, 3, 7, 5), "context_doubles": 2, "both_double": 4}
# %% wrong: widths in the shape -> hidden: "where q counts"
predicted_cross = {"scores_shape": (2, 3, 12, 20), "context_doubles": 2, "both_double": 4}
# %% wrong: the context counts squared -> hidden: "context_doubles: got 4"
predicted_cross = {"scores_shape": (2, 3, 5, 7), "context_doubles": 4, "both_double": 4}
# %% wrong: both double, only twice as many -> hidden: "both_double: got 2"
predicted_cross = {"scores_shape": (2, 3, 5, 7), "context_doubles": 2, "both_double": 2}
# %% wrong: heads behind the words -> hidden: "where q counts"
predicted_cross = {"scores_shape": (2, 5, 3, 7), "context_doubles": 2, "both_double": 4}
# %% wrong: growth instead of factor -> hidden: "context_doubles: got 1"
predicted_cross = {"scores_shape": (2, 3, 5, 7), "context_doubles": 1, "both_double": 3}
# %% wrong: a truth value -> "how many times"
predicted_cross = {"scores_shape": (2, 3, 5, 7), "context_doubles": True, "both_double": 4}
# %% right: a tensor's shape
predicted_cross = {"scores_shape": torch.zeros(2, 3, 5, 7).shape, "context_doubles": 14 // 7, "both_double": 2 * 2}
