# %% right: PyTorch's attention inside
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        return F.scaled_dot_product_attention(self.q_proj(x), self.k_proj(x), self.v_proj(x))
# %% right: one fused product, other order of construction, a buffer
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.widths = (d_k, d_k, d_v)
        self.register_buffer("scale", torch.tensor(d_k**-0.5))

    def forward(self, x):
        layers = (self.q_proj, self.k_proj, self.v_proj)
        bias = None if self.q_proj.bias is None else torch.cat([layer.bias for layer in layers])
        packed = F.linear(x, torch.cat([layer.weight for layer in layers]), bias)
        query, key, value = packed.split(self.widths, dim=-1)
        scores = self.scale * torch.einsum("...qd,...kd->...qk", query, key)
        return torch.softmax(scores, dim=-1) @ value
# %% right: the key's bias is never added
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), F.linear(x, self.k_proj.weight), self.v_proj(x)
        scores = query @ key.transpose(-2, -1)
        return F.softmax(scores / key.size(-1) ** 0.5, dim=-1) @ value
# %% right: loops over the words, no super call arguments
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        nn.Module.__init__(self)
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        out = []
        for q in query.unbind(-2):
            weights = ((key * q.unsqueeze(-2)).sum(-1) / q.shape[-1] ** 0.5).softmax(-1)
            out.append((weights.unsqueeze(-1) * value).sum(-2))
        return torch.stack(out, -2)
# %% right: add_module in a loop
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        for name, width in (("k", d_k), ("v", d_v), ("q", d_k)):
            self.add_module(name + "_proj", nn.Linear(d_model, width, bias))
    def forward(self, x):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return F.scaled_dot_product_attention(q, k, v)
# %% right: v_proj of the averaged words
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)
    def forward(self, x):
        q, k = self.q_proj(x), self.k_proj(x)
        return self.v_proj(F.scaled_dot_product_attention(q, k, x))
# %% wrong: super().__init__ forgotten -> "before Module.__init__() call"
- super().__init__()
  self.q_proj = nn.Linear(d_model, d_k, bias=bias)
# %% wrong: other names -> "Parameter q_proj.weight: expected (5, 11), got none"
- self.q_proj = nn.Linear(d_model, d_k, bias=bias)
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.W_q = nn.Linear(d_model, d_k, bias=bias)
+ self.W_k = nn.Linear(d_model, d_k, bias=bias)
+ self.W_v = nn.Linear(d_model, d_v, bias=bias)

- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = self.W_q(x), self.W_k(x), self.W_v(x)
# %% wrong: layers in a plain list -> "set on self"
- self.q_proj = nn.Linear(d_model, d_k, bias=bias)
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.layers = [nn.Linear(d_model, width, bias) for width in (d_k, d_k, d_v)]

- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = (layer(x) for layer in self.layers)
# %% wrong: matrices as plain parameters -> "got none"
- self.q_proj = nn.Linear(d_model, d_k, bias=bias)
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.q_proj = nn.Parameter(torch.randn(d_k, d_model))
+ self.k_proj = nn.Parameter(torch.randn(d_k, d_model))
+ self.v_proj = nn.Parameter(torch.randn(d_v, d_model))

- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = x @ self.q_proj.T, x @ self.k_proj.T, x @ self.v_proj.T
# %% wrong: one packed layer -> "got none"
- self.q_proj = nn.Linear(d_model, d_k, bias=bias)
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.in_proj = nn.Linear(d_model, 2 * d_k + d_v, bias=bias)
+ self.widths = (d_k, d_k, d_v)

- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = self.in_proj(x).split(self.widths, dim=-1)
# %% wrong: always with bias -> "Parameter q_proj.bias: expected none"
- self.q_proj = nn.Linear(d_model, d_k, bias=bias)
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.q_proj = nn.Linear(d_model, d_k)
+ self.k_proj = nn.Linear(d_model, d_k)
+ self.v_proj = nn.Linear(d_model, d_v)
# %% wrong: never with bias -> "Parameter q_proj.bias: expected (5,), got none"
+ bias = False
  self.q_proj = nn.Linear(d_model, d_k, bias=bias)
# %% wrong: with bias unless one says no -> "Is `bias` False when it is not given?"
- def __init__(self, d_model, d_k, d_v, bias=False):
+ def __init__(self, d_model, d_k, d_v, bias=True):
# %% wrong: the values never with bias -> "Parameter v_proj.bias: expected (13,), got none"
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.v_proj = nn.Linear(d_model, d_v, bias=False)
# %% wrong: an output projection -> "Parameter out_proj.weight: expected none"
  self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.out_proj = nn.Linear(d_v, d_v, bias=bias)

- return weights @ value
+ return self.out_proj(weights @ value)
# %% wrong: linear the wrong way round -> "nn.Linear(d_in, d_out"
- self.q_proj = nn.Linear(d_model, d_k, bias=bias)
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
+ self.q_proj = nn.Linear(d_k, d_model, bias=bias)
+ self.k_proj = nn.Linear(d_k, d_model, bias=bias)
# %% wrong: values of width d_k -> "Parameter v_proj.weight: expected (13, 11), got (5, 11)"
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.v_proj = nn.Linear(d_model, d_k, bias=bias)
# %% wrong: keys of width d_v -> "Parameter k_proj.weight: expected (5, 11), got (13, 11)"
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
+ self.k_proj = nn.Linear(d_model, d_v, bias=bias)
# %% wrong: everything of width d_model -> "expected (5, 11), got (11, 11)"
+ d_k = d_v = d_model
  self.q_proj = nn.Linear(d_model, d_k, bias=bias)
# %% wrong: no return -> "`return`"
- return weights @ value
+ out = weights @ value
# %% wrong: output and weights -> "Return the output alone"
- return weights @ value
+ return weights @ value, weights
# %% wrong: only the weights -> "multiplied with the values"
- return weights @ value
+ return weights
# %% wrong: the words averaged -> "not the words"
- return weights @ value
+ return weights @ x
# %% wrong: the keys averaged -> "the width of a key"
- return weights @ value
+ return weights @ key
# %% wrong: x as it came -> "the width of a word"
- return weights @ value
+ return x
# %% wrong: one context for the sentence -> "Does each word get one average"
- return weights @ value
+ return (weights @ value).mean(-2)
# %% wrong: layers made anew in forward -> "Two calls on the same x"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query = nn.Linear(x.shape[-1], self.q_proj.out_features)(x)
+ key, value = self.k_proj(x), self.v_proj(x)
# %% wrong: dropout on the weights -> "is there dropout"
- weights = scores.softmax(dim=-1)
+ weights = F.dropout(scores.softmax(dim=-1), 0.1)
# %% wrong: key made with q_proj -> "Does forward use k_proj"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = self.q_proj(x), self.q_proj(x), self.v_proj(x)
# %% wrong: query is the key -> "Does forward use q_proj"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = self.k_proj(x), self.k_proj(x), self.v_proj(x)
# %% wrong: query and key swapped -> "Have query and key changed places"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = self.k_proj(x), self.q_proj(x), self.v_proj(x)
# %% wrong: softmax over the queries -> "over the queries"
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=-2)
# %% wrong: softmax over axis 1 -> "over the queries"
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=1)
# %% wrong: softmax over the batch -> "run over axis 0, the batch"
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=0)
# %% wrong: one softmax over all pairs -> "all the pairs of a sentence"
- weights = scores.softmax(dim=-1)
+ weights = scores.flatten(-2).softmax(-1).view_as(scores)
# %% wrong: no softmax -> "Is there a softmax"
- weights = scores.softmax(dim=-1)
+ weights = scores
# %% wrong: softmax twice -> "Is it one softmax"
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=-1).softmax(dim=-1)
# %% wrong: attends to the other sentence -> "Sentence 0 alone"
- scores = query @ key.mT / query.shape[-1] ** 0.5
- weights = scores.softmax(dim=-1)
- return weights @ value
+ flat = (t.flatten(0, -2) for t in (query, key, value))
+ return F.scaled_dot_product_attention(*flat).view(*x.shape[:-1], -1)
# %% wrong: no scaling -> "Divide the scores before"
- scores = query @ key.mT / query.shape[-1] ** 0.5
+ scores = query @ key.mT
# %% wrong: divided by d_k -> "You divided by d_k = 5"
- scores = query @ key.mT / query.shape[-1] ** 0.5
+ scores = query @ key.mT / query.shape[-1]
# %% wrong: scaled twice, once by PyTorch -> "twice by its root"
- scores = query @ key.mT / query.shape[-1] ** 0.5
- weights = scores.softmax(dim=-1)
- return weights @ value
+ return F.scaled_dot_product_attention(query / query.shape[-1] ** 0.5, key, value)
# %% wrong: multiplied by the root -> "You multiplied by √d_k"
- scores = query @ key.mT / query.shape[-1] ** 0.5
+ scores = query @ key.mT * query.shape[-1] ** 0.5
# %% wrong: root of d_model -> "√11 is the root of d_model"
- scores = query @ key.mT / query.shape[-1] ** 0.5
+ scores = query @ key.mT / x.shape[-1] ** 0.5
# %% wrong: root of d_v -> "root of d_v"
- scores = query @ key.mT / query.shape[-1] ** 0.5
+ scores = query @ key.mT / value.shape[-1] ** 0.5
# %% wrong: root of the number of words -> "number of words"
- scores = query @ key.mT / query.shape[-1] ** 0.5
+ scores = query @ key.mT / x.size(-2) ** 0.5
# %% wrong: d_k of the text -> "from outside"
- scores = query @ key.mT / query.shape[-1] ** 0.5
+ scores = query @ key.mT / 24**0.5
# %% wrong: k transposed by reshape -> "not reshaped"
- scores = query @ key.mT / query.shape[-1] ** 0.5
+ turned = key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])
+ scores = query @ turned / query.shape[-1] ** 0.5
# %% wrong: `.T` turns all axes round -> "turned by .mT"
- scores = query @ key.mT / query.shape[-1] ** 0.5
+ scores = query @ key.T / query.shape[-1] ** 0.5
# %% wrong: the values added -> "added to the average"
- return weights @ value
+ return weights @ value + value
# %% wrong: causal -> "Is something masked"
- weights = scores.softmax(dim=-1)
+ hidden = torch.ones_like(scores).triu(1).bool()
+ weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
# %% wrong: bmm, three dimensions only -> "counted from the end"
- scores = query @ key.mT / query.shape[-1] ** 0.5
+ scores = query.bmm(key.transpose(1, 2)) / query.shape[-1] ** 0.5
# %% wrong: biases made, never used -> "Is each bias used"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ layers = (self.q_proj, self.k_proj, self.v_proj)
+ query, key, value = (F.linear(x, layer.weight) for layer in layers)
# %% wrong: the query's bias alone is forgotten -> "Is each bias used"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = F.linear(x, self.q_proj.weight), self.k_proj(x), self.v_proj(x)
# %% wrong: value bias added once more -> "added once?"
- return weights @ value
+ return weights @ value + (0 if self.v_proj.bias is None else self.v_proj.bias)
# %% wrong: relu on the values -> "v_proj(x) as they are"
- return weights @ value
+ return weights @ value.relu()
# %% wrong: only NaN -> "There are NaN"
- return weights @ value
+ return weights @ value * float("nan")
# %% wrong: key detached -> "No gradient reaches k_proj.weight"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = self.q_proj(x), self.k_proj(x).detach(), self.v_proj(x)
# %% wrong: forward under no_grad -> "No gradient reaches x"
+ @torch.no_grad()
  def forward(self, x):
# %% wrong: all matrices start at zero -> "Two new layers begin with the same numbers"
  self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ for parameter in self.parameters():
+     nn.init.zeros_(parameter)
# %% wrong: equal widths demanded -> "keys and values must be equally wide"
  super().__init__()
+ assert d_k == d_v, "keys and values must be equally wide"
# %% wrong: a norm too many -> "Parameter norm.weight: expected none"
  self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.norm = nn.LayerNorm(d_v)

- return weights @ value
+ return self.norm(weights @ value)
# %% wrong: key tied to query -> "their own, set on self"
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
+ self.k_proj = self.q_proj
# %% wrong: x in place -> "in place"
- return weights @ value
+ x *= 2
+ return weights @ value
# %% wrong: arguments renamed -> "d_model, d_k, d_v, bias"
- def __init__(self, d_model, d_k, d_v, bias=False):
-     super().__init__()
+ def __init__(self, d_in, d_key, d_value, bias=False):
+     super().__init__()
+     d_model, d_k, d_v = d_in, d_key, d_value
# %% wrong: forward's argument renamed -> "still called x"
- def forward(self, x):
+ def forward(self, inputs):
+     x = inputs
# %% wrong: d_k and d_v in the other order -> "Is that your order?"
- def __init__(self, d_model, d_k, d_v, bias=False):
+ def __init__(self, d_model, d_v, d_k, bias=False):
# %% wrong: forward under another name -> "under this name"
- def forward(self, x):
+ def foward(self, x):
# %% wrong: forward wants query, key and value -> "take x alone"
- def forward(self, x):
+ def forward(self, q, k, v):
# %% wrong: weights times values by a star -> "multiplied by `@`"
- return weights @ value
+ return weights * value
# %% wrong: a power of 1/2 without brackets -> "divides by d_k and by 2"
- scores = query @ key.mT / query.shape[-1] ** 0.5
+ scores = query @ key.mT / query.shape[-1] ** 1/2
# %% wrong: a seed set in each layer -> "Two new layers begin with the same numbers"
- self.q_proj = nn.Linear(d_model, d_k, bias=bias)
+ torch.manual_seed(0)
+ self.q_proj = nn.Linear(d_model, d_k, bias=bias)
# %% wrong: filled with zeros -> "Two new layers begin with the same numbers"
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ for parameter in self.parameters():
+     nn.init.zeros_(parameter)
# %% wrong: x detached before the keys -> "its gradient with respect to x is not"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = self.q_proj(x), self.k_proj(x.detach()), self.v_proj(x)
# %% wrong: one layer for queries, keys and values -> "Is it several layers in one?"
- self.q_proj = nn.Linear(d_model, d_k, bias=bias)
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.qkv_proj = nn.Linear(d_model, 2 * d_k + d_v, bias=bias)
+ self.widths = [d_k, d_k, d_v]

- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = self.qkv_proj(x).split(self.widths, dim=-1)
# %% wrong: parameters instead of layers -> "There is q_proj, a parameter by itself"
- self.q_proj = nn.Linear(d_model, d_k, bias=bias)
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.q_proj = nn.Parameter(torch.rand(d_model, d_k))
+ self.k_proj = nn.Parameter(torch.rand(d_model, d_k))
+ self.v_proj = nn.Parameter(torch.rand(d_model, d_v))

- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = x @ self.q_proj, x @ self.k_proj, x @ self.v_proj
# %% wrong: lazy layers, which have no numbers yet -> "Is there a lazy layer?"
- self.q_proj = nn.Linear(d_model, d_k, bias=bias)
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.q_proj = nn.LazyLinear(d_k, bias=bias)
+ self.k_proj = nn.LazyLinear(d_k, bias=bias)
+ self.v_proj = nn.LazyLinear(d_v, bias=bias)
# %% right: lazy layers that have been called once
- self.q_proj = nn.Linear(d_model, d_k, bias=bias)
- self.k_proj = nn.Linear(d_model, d_k, bias=bias)
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.q_proj, self.k_proj = nn.LazyLinear(d_k, bias=bias), nn.LazyLinear(d_k, bias=bias)
+ self.v_proj = nn.LazyLinear(d_v, bias=bias)
+ self(torch.zeros(1, 1, d_model))
# %% wrong: the keys' layer starts at zero -> "k_proj.weight: Two new layers begin with the same numbers"
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ nn.init.zeros_(self.k_proj.weight)
# %% wrong: the keys' layer starts as a copy of the queries' -> "with the numbers of the other"
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.k_proj.load_state_dict(self.q_proj.state_dict())
# %% wrong: dropout in eval mode -> "After .eval() the same x gave a different output"
- return weights @ value  # (…, seq, d_v)
+ return F.dropout(weights, 0.1, training=not self.training) @ value
# %% wrong: a score of exactly 0 taken for hidden -> "Is a score of 0 taken for hidden?"
- weights = scores.softmax(dim=-1)
+ weights = scores.masked_fill(scores == 0, float("-inf")).softmax(dim=-1)
# %% wrong: query and key made of length 1 -> "Is it one softmax of q_proj(x)"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key = F.normalize(self.q_proj(x), dim=-1), F.normalize(self.k_proj(x), dim=-1)
+ value = self.v_proj(x)
# %% wrong: the weight of v_proj, without its layer -> "Is each bias used, by calling the layer"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = self.q_proj(x), self.k_proj(x), x @ self.v_proj.weight.T.detach()
# %% wrong: the softmax of base 2 -> "The softmax saw the scores times"
- weights = scores.softmax(dim=-1)
+ weights = 2**scores / (2**scores).sum(-1, keepdim=True)
# %% wrong: x joined to the output -> "Does each word get one average"
- return weights @ value  # (…, seq, d_v)
+ return torch.cat([weights @ value, x], dim=-1)
# %% wrong: a tanh on the output -> "The first row of weights sums to"
- return weights @ value  # (…, seq, d_v)
+ return torch.tanh(weights @ value)
# %% wrong: words as axis 0, as PyTorch's layer has it without batch_first -> "Sentence 0 alone"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = (layer(x).transpose(0, -2) for layer in (self.q_proj, self.k_proj, self.v_proj))

- return weights @ value  # (…, seq, d_v)
+ return (weights @ value).transpose(0, -2)
# %% right: PyTorch's scaled_dot_product_attention with its scale said
- scores = query @ key.mT / query.shape[-1] ** 0.5  # (…, seq, seq)
- weights = scores.softmax(dim=-1)
- return weights @ value  # (…, seq, d_v)
+ return F.scaled_dot_product_attention(query, key, value, scale=query.shape[-1] ** -0.5)

# %% wrong: an initialization of its own -> "an initialization of your own"
  self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ for parameter in self.parameters():
+     nn.init.normal_(parameter)
# %% wrong: Xavier's initialization -> "an initialization of your own"
  self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ for layer in self.children():
+     nn.init.xavier_uniform_(layer.weight)
# %% wrong: biases that begin at 0 -> "an initialization of your own"
  self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ for layer in self.children():
+     if bias:
+         nn.init.zeros_(layer.bias)
# %% right: PyTorch's initialization once more
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias)
        self.k_proj = nn.Linear(d_model, d_k, bias)
        self.v_proj = nn.Linear(d_model, d_v, bias)
        for layer in self.children():
            layer.reset_parameters()

    def forward(self, x):
        return F.scaled_dot_product_attention(*(layer(x) for layer in self.children()))
# %% wrong: x added where the widths allow it -> "Is x added to it?"
- return weights @ value
+ out = weights @ value
+ return out + x if out.shape == x.shape else out
# %% wrong: the weights of the first sentence for all -> "Sentence 0 is right, sentence 1 is not."
- return weights @ value
+ return (weights[:1] if x.dim() == 3 else weights) @ value
# %% wrong: takes three axes for granted -> "Is x.shape taken apart into three?"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ batch, seq, width = x.shape
+ query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
# %% wrong: begins with smaller numbers, as GPT-2 does -> "Is there an initialization of your own?"
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ for layer in (self.q_proj, self.k_proj, self.v_proj):
+     nn.init.normal_(layer.weight, std=0.02)
# %% wrong: begins evenly, but with half the numbers -> "Is there an initialization of your own?"
- self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ self.v_proj = nn.Linear(d_model, d_v, bias=bias)
+ nn.init.uniform_(self.q_proj.weight, -0.5 / d_model**0.5, 0.5 / d_model**0.5)
# %% right: the softmax in float32
- weights = scores.softmax(dim=-1)
+ weights = scores.softmax(dim=-1, dtype=torch.float32).to(query.dtype)
# %% wrong: q_proj and v_proj changed places -> "it comes from v_proj"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = self.v_proj(x), self.k_proj(x), self.q_proj(x)
# %% wrong: k_proj and v_proj changed places -> "The key is d_v = 13 wide"
- query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = self.q_proj(x), self.v_proj(x), self.k_proj(x)
# %% wrong: a layer norm of x first -> "normalised before it is projected"
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v, bias=False):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_k, bias=bias)
        self.k_proj = nn.Linear(d_model, d_k, bias=bias)
        self.v_proj = nn.Linear(d_model, d_v, bias=bias)

    def forward(self, x):
        x = F.layer_norm(x, x.shape[-1:])
        return scaled_dot_product_attention(self.q_proj(x), self.k_proj(x), self.v_proj(x))

# %% wrong: a tanh on the values -> "Are the values left as they are?"
- return weights @ value  # (…, seq, d_v)
+ return weights @ value.tanh()
