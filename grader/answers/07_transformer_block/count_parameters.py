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
    shapes = [(3 * d_model, d_model), (d_model, d_model), (d_ff, d_model), (d_model, d_ff)]
    shapes += [(d_model,), (d_model,)]
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
    edges = [d_model * h // n_heads for h in range(n_heads + 1)]
    heads = [3 * d_model * (end - start) for start, end in zip(edges, edges[1:])]
    count = sum(heads) + d_model**2 + 2 * d_model * d_ff + 2 * d_model
    return count + (7 * d_model + d_ff if bias else 0)
# %% wrong of "part by part": out_proj forgotten -> "Query, key, value and output have one projection each"
-     attention = 3 * d_model * d_model + d_model * d_model
+     attention = 3 * d_model * d_model
# %% wrong of "part by part": one projection only -> "Query, key, value and output have one projection each"
-     attention = 3 * d_model * d_model + d_model * d_model
+     attention = d_model * d_model
# %% wrong of "part by part": one square too many -> "square counted that is not"
-     attention = 3 * d_model * d_model + d_model * d_model
+     attention = 4 * d_model * d_model + d_model * d_model
# %% wrong of "part by part": every head as wide as the word -> "The heads share the width d_model, so it should stay the"
-     attention = 3 * d_model * d_model + d_model * d_model
+     attention = 3 * n_heads * d_model * d_model + d_model * d_model
# %% wrong of "part by part": heads divide the projections -> "The heads share the width d_model, so it should stay the"
-     attention = 3 * d_model * d_model + d_model * d_model
+     attention = 3 * d_model * (d_model // n_heads) + d_model * d_model
# %% wrong of "part by part": one linear layer -> "linear1 and linear2 both have that many numbers"
-     feed = 2 * d_model * d_ff
+     feed = d_model * d_ff
# %% wrong of "part by part": d_ff taken for four times the width -> "Nothing depends on d_ff"
-     feed = 2 * d_model * d_ff
+     feed = 8 * d_model * d_model
# %% wrong of "part by part": linear1's bias forgotten -> "linear1 has a bias, of width d_ff"
-     biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
+     biases = 3 * d_model + d_model + d_model + 2 * d_model
# %% wrong of "part by part": both linear biases of width d_ff -> "linear1 has a bias, of width d_ff"
-     biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
+     biases = 3 * d_model + d_model + 2 * d_ff + 2 * d_model
# %% wrong of "part by part": linear biases of width d_model both -> "linear1 has a bias, of width d_ff"
-     biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
+     biases = 3 * d_model + d_model + 2 * d_model + 2 * d_model
# %% wrong of "part by part": attention's biases forgotten -> "Four biases in attention, linear2's"
-     biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
+     biases = d_ff + d_model + 2 * d_model
# %% wrong of "part by part": out_proj's bias forgotten -> "Four biases in attention, linear2's"
-     biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
+     biases = 3 * d_model + d_ff + d_model + 2 * d_model
# %% wrong of "part by part": norms forgotten -> "Each of the two norms keeps its weight, d_model numbers,"
-     norms = 2 * d_model
-     biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
+     norms = 0
+     biases = 3 * d_model + d_model + d_ff + d_model
# %% wrong of "part by part": one norm -> "Each of the two norms keeps its weight, d_model numbers,"
-     norms = 2 * d_model
-     biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
+     norms = d_model
+     biases = 3 * d_model + d_model + d_ff + d_model + d_model
# %% wrong of "part by part": norms keep their bias without bias -> "Each of the two norms keeps its weight, d_model numbers,"
-     norms = 2 * d_model
-     biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
+     norms = 4 * d_model
+     biases = 3 * d_model + d_model + d_ff + d_model
# %% wrong of "part by part": bias ignored -> "Without bias there is none"
-     return attention + feed + norms + (biases if bias else 0)
+     return attention + feed + norms + biases
# %% wrong of "part by part": no bias ever -> "bias=True: d_ff by itself"
-     biases = 3 * d_model + d_model + d_ff + d_model + 2 * d_model
-     return attention + feed + norms + (biases if bias else 0)
+     return attention + feed + norms
# %% wrong of "part by part": bias off by default -> "Is bias=True the default"
- def count_parameters(d_model, n_heads, d_ff, bias=True):
+ def count_parameters(d_model, n_heads, d_ff, bias=False):
# %% wrong of "part by part": a float -> "got float"
-     attention = 3 * d_model * d_model + d_model * d_model
+     attention = 3 * d_model * n_heads * (d_model / n_heads) + d_model * d_model
# %% wrong of "part by part": a tensor -> "a tensor or numpy in it"
-     return attention + feed + norms + (biases if bias else 0)
+     return torch.tensor(attention + feed + norms + (biases if bias else 0))
# %% wrong of "part by part": no return -> "`return`"
-     return attention + feed + norms + (biases if bias else 0)
+     count = attention + feed + norms + (biases if bias else 0)
# %% wrong: only for the sizes of the text -> "is counted 0×"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    return 3280
# %% wrong: a NaN -> "got float"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    return float('nan')
# %% shortcut: a layer built and counted
def count_parameters(d_model, n_heads, d_ff, bias=True):
    layer = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, bias=bias)
    return sum(p.numel() for p in layer.parameters())
# %% shortcut: the parts built and counted
def count_parameters(d_model, n_heads, d_ff, bias=True):
    layers = [nn.Linear(d_model, 4 * d_model, bias), nn.Linear(d_model, d_ff, bias)]
    layers += [nn.Linear(d_ff, d_model, bias), nn.LayerNorm(d_model, bias=bias)]
    layers += [nn.LayerNorm(d_model, bias=bias)]
    return sum(p.numel() for layer in layers for p in layer.parameters())
# %% wrong: a number of numpy's -> "a tensor or numpy in it"
- return attention + feed_forward + norms + (biases if bias else 0)
+ import numpy as np
+
+ return np.sum([attention, feed_forward, norms, biases if bias else 0])
# %% shortcut: the encoder of nn.Transformer built and counted
def count_parameters(d_model, n_heads, d_ff, bias=True):
    whole = nn.Transformer(d_model, n_heads, 1, 0, d_ff, bias=bias)
    return sum(p.numel() for p in whole.encoder.layers[0].parameters())
# %% shortcut: parts of other kinds, of the same sizes
def count_parameters(d_model, n_heads, d_ff, bias=True):
    parts = [nn.Bilinear(d_model, 1, 4 * d_model, bias), nn.Bilinear(d_model, 1, d_ff, bias)]
    parts += [nn.Bilinear(d_ff, 1, d_model, bias), nn.GroupNorm(1, d_model), nn.GroupNorm(1, d_model)]
    return sum(p.numel() for part in parts for n, p in part.named_parameters() if bias or n == "weight")
# %% shortcut: a decoder's layer, less its cross-attention
def count_parameters(d_model, n_heads, d_ff, bias=True):
    layer = nn.TransformerDecoderLayer(d_model, n_heads, d_ff, bias=bias)
    return sum(p.numel() for n, p in layer.named_parameters() if "multihead" not in n and "norm3" not in n)
# %% shortcut: on the meta device, where nothing is filled
def count_parameters(d_model, n_heads, d_ff, bias=True):
    with torch.device("meta"):
        layer = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, bias=bias)
    return sum(map(torch.numel, layer.parameters()))
# %% right: a class of one's own, and sums over a dictionary
class Part:
    def __init__(self, *shape, is_bias=False):
        self.shape, self.is_bias = shape, is_bias

    def numel(self):
        return self.shape[0] * (self.shape[1] if len(self.shape) > 1 else 1)


def count_parameters(d_model, n_heads, d_ff, bias=True):
    parts = {"q": Part(d_model, d_model), "k": Part(d_model, d_model), "v": Part(d_model, d_model)}
    parts |= {"o": Part(d_model, d_model), "up": Part(d_ff, d_model), "down": Part(d_model, d_ff)}
    parts |= {"n1": Part(d_model), "n2": Part(d_model)}
    widths = {"q": d_model, "k": d_model, "v": d_model, "o": d_model, "up": d_ff, "down": d_model}
    parts |= {n + " bias": Part(w, is_bias=True) for n, w in (widths | {"n1": d_model, "n2": d_model}).items()}
    return sum(part.numel() for part in parts.values() if bias or not part.is_bias)

# %% wrong: the four dropouts counted, too -> "grows with no size"
def count_parameters(d_model, n_heads, d_ff, bias=True):
    attention = 4 * d_model * d_model
    feed_forward = 2 * d_model * d_ff
    norms = 2 * d_model
    total = attention + feed_forward + norms
    if bias:
        total += 4 * d_model + d_ff + d_model + 2 * d_model
    return total + 4
# %% wrong: cross-attention counted, too -> "Is cross-attention counted, too?"
- attention = 4 * d_model * d_model
+ attention = 8 * d_model * d_model
