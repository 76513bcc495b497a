# %% right: lists
predicted_shapes = {"linear": [5, 1, 2, 3, 4, 30], "matmul": [1, 2, 6, 3], "broadcast": [2, 3, 5], "heads": [2, 3, 5, 4]}
# %% right: torch.Size, in another order
predicted_shapes = dict(heads=torch.Size([2, 3, 5, 4]), broadcast=torch.Size([2, 3, 5]), matmul=torch.Size([1, 2, 6, 3]), linear=torch.Size([5, 1, 2, 3, 4, 30]))
# %% right: computed
predicted_shapes = {"linear": (*(5, 1, 2, 3, 4), 30), "matmul": (1, 2, 6, 3), "broadcast": tuple(torch.broadcast_shapes((2, 1, 5), (3, 1))), "heads": (2, 3, 5, 4)}
# %% wrong: shapes as strings -> "without quotes"
predicted_shapes = {"linear": "(5, 1, 2, 3, 4, 30)", "matmul": "(1, 2, 6, 3)", "broadcast": "(2, 3, 5)", "heads": "(2, 3, 5, 4)"}
# %% wrong: one key forgotten -> "Is one forgotten"
predicted_shapes = {"linear": (5, 1, 2, 3, 4, 30), "matmul": (1, 2, 6, 3), "broadcast": (2, 3, 5)}
# %% wrong: a key spelled otherwise -> "got linear, matmul, broadcast, Heads"
predicted_shapes = {"linear": (5, 1, 2, 3, 4, 30), "matmul": (1, 2, 6, 3), "broadcast": (2, 3, 5), "Heads": (2, 3, 5, 4)}
# %% wrong: a bare list -> "in braces"
predicted_shapes = [(5, 1, 2, 3, 4, 30), (1, 2, 6, 3), (2, 3, 5), (2, 3, 5, 4)]
# %% wrong: the number of entries -> "tuple of whole numbers"
predicted_shapes = {"linear": 3600, "matmul": 36, "broadcast": 30, "heads": 120}
# %% wrong: letters inside -> "whole numbers above 0"
predicted_shapes = {"linear": (5, 1, 2, 3, 4, 30), "matmul": (1, 2, 6, 3), "broadcast": (2, 3, 5), "heads": ("batch", 3, 5, 4)}
# %% wrong: linear flattens -> hidden: "replaces the last axis"
predicted_shapes = {"linear": (5, 30), "matmul": (1, 2, 6, 3), "broadcast": (2, 3, 5), "heads": (2, 3, 5, 4)}
# %% wrong: matmul multiplies the leading axes too -> hidden: "those before stay"
predicted_shapes = {"linear": (5, 1, 2, 3, 4, 30), "matmul": (1, 2, 2, 6, 3), "broadcast": (2, 3, 5), "heads": (2, 3, 5, 4)}
# %% wrong: broadcast from the left -> hidden: "flush right"
predicted_shapes = {"linear": (5, 1, 2, 3, 4, 30), "matmul": (1, 2, 6, 3), "broadcast": (3, 1, 5), "heads": (2, 3, 5, 4)}
# %% wrong: the swap forgotten -> hidden: "the swap"
predicted_shapes = {"linear": (5, 1, 2, 3, 4, 30), "matmul": (1, 2, 6, 3), "broadcast": (2, 3, 5), "heads": (2, 5, 3, 4)}
# %% wrong: a division -> "`12 // 3` gives 4"
predicted_shapes = {"linear": (5, 1, 2, 3, 4, 30), "matmul": (1, 2, 6, 3), "broadcast": (2, 3, 5), "heads": (2, 3, 5, 12 / 3)}
# %% wrong: numbers of numpy's -> "Numpy has numbers of its own"
import numpy as np
predicted_shapes = {
    "linear": tuple(np.array([5, 1, 2, 3, 4, 30])), "matmul": (1, 2, 6, 3), "broadcast": (2, 3, 5), "heads": (2, 3, 5, 4),
}
# %% wrong: a set, which has no order -> "tuple of whole numbers"
predicted_shapes = {"linear": {5, 1, 2, 3, 4, 30}, "matmul": (1, 2, 6, 3), "broadcast": (2, 3, 5), "heads": (2, 3, 5, 4)}
# %% right: PyTorch's own shapes
predicted_shapes = {
    "linear": nn.Linear(10, 30)(torch.zeros(5, 1, 2, 3, 4, 10)).shape,
    "matmul": (torch.zeros(1, 2, 6, 4) @ torch.zeros(1, 2, 4, 3)).shape,
    "broadcast": [2, 3, 5], "heads": (2, 3, 5, 4),
}
# %% wrong: its name misspelt -> "is not defined"
predicted_shape = {"linear": (5, 1, 2, 3, 4, 30), "matmul": (1, 2, 6, 3), "broadcast": (2, 3, 5), "heads": (2, 3, 5, 4)}
