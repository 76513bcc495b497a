# %% right: a list
predicted_heads = [12, 1]
# %% right: a tuple
predicted_heads = (1, 12)
# %% right: a frozen set, computed
predicted_heads = frozenset(n for n in (1, 2, 3, 4, 6, 12) if n < 2 or 12 // n < 2)
# %% wrong: a number alone -> "got int. Put the numbers in braces"
predicted_heads = 1
# %% wrong: a dictionary -> "got dict"
predicted_heads = {1: "cannot", 12: "cannot"}
# %% wrong: text -> "got str"
predicted_heads = "1, 12"
# %% wrong: numbers in quotes -> "Leave quotes out"
predicted_heads = {"1", "12"}
# %% wrong: a float -> "Write them as 2 or 12"
predicted_heads = {1.0, 12}
# %% wrong: a truth value -> "holds True"
predicted_heads = [True, 12]
# %% wrong: a number that is not trained -> "5 is none of the six"
predicted_heads = {1, 5}
# %% wrong: one head only -> hidden: "a head of width 1 aims only at two ends"
predicted_heads = {1}
# %% wrong: twelve heads only -> hidden: "one average cannot hold two cards"
predicted_heads = {12}
# %% wrong: none -> hidden: "one average cannot hold two cards"
predicted_heads = set()
# %% wrong: six heads as well -> hidden: "each is wide enough"
predicted_heads = {1, 6, 12}
# %% wrong: what divides unevenly between two sides -> hidden: "each is wide enough"
predicted_heads = {1, 3, 12}
# %% wrong: empty braces, which are a dictionary -> "got dict. Put the numbers in braces"
predicted_heads = {}
