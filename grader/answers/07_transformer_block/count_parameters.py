# %% right: part by part
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% right: one product
def count_parameters(d_model, n_heads, d_ff, bias=True):
    return d_model * (4 * d_model + 2 * d_ff + 2) + int(bias) * (7 * d_model + d_ff)
# %% right: a list of shapes
def count_parameters(d_model, n_heads, d_ff, bias=True):
    shapes = [(3 * d_model, d_model), (d_model, d_model), (d_ff, d_model), (d_model, d_ff), (d_model,), (d_model,)]
    if bias:
        shapes += [(3 * d_model,), (d_model,), (d_ff,), (d_model,), (d_model,), (d_model,)]
    total = 0
    for shape in shapes:
        size = 1
        for width in shape:
            size *= width
        total += size
    return total
# %% right: head by head, a width that divides
def count_parameters(d_model, n_heads, d_ff, bias=True):
    heads = [3 * d_model * (d_model * (h + 1) // n_heads - d_model * h // n_heads) for h in range(n_heads)]
    count = sum(heads) + d_model**2 + 2 * d_model * d_ff + 2 * d_model
    return count + (7 * d_model + d_ff if bias else 0)
# %% wrong: out_proj forgotten -> "what comes after the heads"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: one projection only -> "what comes after the heads"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: one square too many -> "square counted that is not"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 4 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: every head as wide as the word -> "Do the heads share"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * n_heads * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: heads divide the projections -> "Do the heads share"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * (d_model // n_heads) + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: one linear layer -> "How many linear layers"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: d_ff taken for four times the width -> "too many"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 8 * d_model * d_model
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: linear1's bias forgotten -> "Has linear1 a bias"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: both linear biases of width d_ff -> "Has linear1 a bias"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + 2 * d_ff + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: linear biases of width d_model both -> "Has linear1 a bias"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + 2 * d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: attention's biases forgotten -> "four parts of attention"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: out_proj's bias forgotten -> "Count the lines that end in bias"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: norms forgotten -> "Are both norms counted"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 0
    biases = 3 * d_model + d_model + d_ff + d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: one norm -> "Are both norms counted"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = d_model
    biases = 3 * d_model + d_model + d_ff + d_model + d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: norms keep their bias without bias -> "only their weight"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 4 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: bias ignored -> "biases counted though there are none"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + biases
# %% wrong: no bias ever -> "bias=True: d_ff by itself"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    return attention + feed + norms
# %% wrong: bias off by default -> "Is bias=True the default"
def count_parameters(d_model, n_heads, d_ff, bias=False):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: a float -> "got float"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * n_heads * (d_model / n_heads) + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return attention + feed + norms + (biases if bias else 0)
# %% wrong: a tensor -> "or a tensor"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    return torch.tensor(attention + feed + norms + (biases if bias else 0))
# %% wrong: no return -> "`return`"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 3 * d_model * d_model + d_model * d_model
    feed = 2 * d_model * d_ff
    norms = 2 * d_model
    biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
    count = attention + feed + norms + (biases if bias else 0)
# %% wrong: only for the sizes of the text -> "occurs 0 times"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    return 3280
# %% wrong: a NaN -> "got float"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    return float('nan')
# %% shortcut: a layer built and counted
def count_parameters(d_model, n_heads, d_ff, bias=True):
    return sum(p.numel() for p in nn.TransformerEncoderLayer(d_model, n_heads, d_ff, bias=bias).parameters())
# %% shortcut: the parts built and counted
def count_parameters(d_model, n_heads, d_ff, bias=True):
    layers = [nn.Linear(d_model, 4 * d_model, bias), nn.Linear(d_model, d_ff, bias), nn.Linear(d_ff, d_model, bias), nn.LayerNorm(d_model, bias=bias), nn.LayerNorm(d_model, bias=bias)]
    return sum(p.numel() for layer in layers for p in layer.parameters())
