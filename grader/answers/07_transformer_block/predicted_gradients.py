# %% right: a string
predicted_gradients = 'pre'
# %% right: measured first
torch.manual_seed(1)
ratio = {}
for order in ("pre", "post"):
    layers = [nn.TransformerEncoderLayer(64, 4, 256, 0.0, batch_first=True, norm_first=order == "pre") for _ in range(24)]
    (nn.Sequential(*layers)(torch.randn(4, 16, 64)) * torch.randn(4, 16, 64)).sum().backward()
    ratio[order] = (layers[0].linear1.weight.grad.norm() / layers[-1].linear1.weight.grad.norm()).item()
predicted_gradients = max(ratio, key=ratio.get)
# %% wrong: post -> hidden: "got 'post'"
predicted_gradients = "post"
# %% wrong: capitals -> "spelled"
predicted_gradients = "Pre"
# %% wrong: the whole name -> "spelled"
predicted_gradients = "pre-norm"
# %% wrong: both -> "got tuple"
predicted_gradients = ("pre", "post")
# %% wrong: norm_first instead of a word -> "got bool"
predicted_gradients = True
# %% wrong: nothing filled in -> "got NoneType"
predicted_gradients = None
# %% wrong: a ratio -> "got float"
predicted_gradients = 2.1
# %% wrong: neither -> "spelled"
predicted_gradients = "same"
