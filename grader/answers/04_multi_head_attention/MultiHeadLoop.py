# %% right: a class for one head
- class MultiHeadLoop(nn.Module):
+ class Head(nn.Module):
+     def __init__(self, d_model, d_k, d_v):
+         super().__init__()
+         self.q_proj = nn.Linear(d_model, d_k, bias=False)
+         self.k_proj = nn.Linear(d_model, d_k, bias=False)
+         self.v_proj = nn.Linear(d_model, d_v, bias=False)
+     def forward(self, x):
+         return F.scaled_dot_product_attention(self.q_proj(x), self.k_proj(x), self.v_proj(x))
+ class MultiHeadLoop(nn.Module):

- self.heads = nn.ModuleList()
- for _ in range(n_heads):
-     head = nn.ModuleDict()
-     head["q_proj"] = nn.Linear(d_model, d_k, bias=False)
-     head["k_proj"] = nn.Linear(d_model, d_k, bias=False)
-     head["v_proj"] = nn.Linear(d_model, d_v, bias=False)
-     self.heads.append(head)
+ self.heads = nn.ModuleList([Head(d_model, d_k, d_v) for _ in range(n_heads)])

- outputs = []
- for head in self.heads:
-     query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
-     scores = query @ key.mT / key.shape[-1] ** 0.5
-     weights = F.softmax(scores, dim=-1)
-     outputs.append(weights @ value)
+ outputs = [head(x) for head in self.heads]
# %% right: einsum, both sides scaled, written into a buffer
- outputs = []
- for head in self.heads:
+ joined = x.new_empty(*x.shape[:2], self.out_proj.in_features)
+ d_v = self.out_proj.in_features // len(self.heads)
+ for h, head in enumerate(self.heads):
- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
- scores = query @ key.mT / key.shape[-1] ** 0.5
- weights = F.softmax(scores, dim=-1)
- outputs.append(weights @ value)
- return self.out_proj(torch.cat(outputs, dim=-1))
+     query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+     query, key = query / query.shape[-1] ** 0.25, key / key.shape[-1] ** 0.25
+     weights = torch.einsum("bqd,bkd->bqk", query, key).softmax(-1)
+     joined[..., h * d_v : (h + 1) * d_v] = torch.einsum("bqk,bkd->bqd", weights, value)
+ return self.out_proj(joined)
# %% right: all heads stacked at once, no loop in forward
- outputs = []
- for head in self.heads:
-     query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
-     scores = query @ key.mT / key.shape[-1] ** 0.5
-     weights = F.softmax(scores, dim=-1)
-     outputs.append(weights @ value)
- return self.out_proj(torch.cat(outputs, dim=-1))
+ names = ("q_proj", "k_proj", "v_proj")
+ W_q, W_k, W_v = (torch.stack([head[n].weight for head in self.heads]) for n in names)
+ query, key, value = (x[:, None] @ W.mT for W in (W_q, W_k, W_v))
+ outputs = F.scaled_dot_product_attention(query, key, value)
+ return self.out_proj(outputs.transpose(1, 2).flatten(2))
# %% right: each head projected out by its own columns, then added
- return self.out_proj(torch.cat(outputs, dim=-1))
+ blocks = self.out_proj.weight.chunk(len(self.heads), dim=1)
+ return sum(c @ W.T for c, W in zip(outputs, blocks)) + self.out_proj.bias
# %% wrong: scaled by the width of the words -> "That is √d_model."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / x.shape[-1] ** 0.5
# %% wrong: not scaled -> "Is the division missing?"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT
# %% wrong: scaled by d_k, no root -> "You divided by d_k (or twice by its root)"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / key.shape[-1]
# %% wrong: scaled by the value's width -> "That is √(d_v or d_model"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / value.shape[-1] ** 0.5
# %% wrong: scaled by the width of all heads -> "That is √(n_heads · d_k)."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / (len(self.heads) * key.shape[-1]) ** 0.5
# %% wrong: scaled by the number of heads -> "That is √n_heads."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / len(self.heads) ** 0.5
# %% wrong: scaled by the sentence's length -> "That is √seq."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / key.shape[1] ** 0.5
# %% wrong: multiplied by the root -> "They were multiplied."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT * key.shape[-1] ** 0.5
# %% wrong: d_k read from outside the class -> "Is this number read from outside the class?"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / 24**0.5
# %% wrong: divided after the softmax -> "The division comes after the softmax"
- scores = query @ key.mT / key.shape[-1] ** 0.5
- weights = F.softmax(scores, dim=-1)
+ weights = F.softmax(query @ key.mT, dim=-1) / key.shape[-1] ** 0.5
# %% wrong: softmax over the queries -> "The softmax runs over the queries"
- weights = F.softmax(scores, dim=-1)
+ weights = F.softmax(scores, dim=1)
# %% wrong: softmax over the sentences -> "The softmax runs over the sentences"
- weights = F.softmax(scores, dim=-1)
+ weights = F.softmax(scores, dim=0)
# %% wrong: no softmax -> "There is no softmax."
- weights = F.softmax(scores, dim=-1)
+ weights = scores
# %% wrong: softmax over the whole score matrix -> "The softmax runs over the whole matrix"
- weights = F.softmax(scores, dim=-1)
+ weights = F.softmax(scores.flatten(1), dim=-1).view_as(scores)
# %% wrong: causal -> "Later words are hidden."
- weights = F.softmax(scores, dim=-1)
+ hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
+ weights = F.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)
# %% wrong: dropout that was not asked for -> "Is something random in it"
- weights = F.softmax(scores, dim=-1)
+ weights = F.dropout(F.softmax(scores, dim=-1), 0.1)
# %% wrong: weights detached -> "No gradient reaches heads.0.q_proj.weight"
- weights = F.softmax(scores, dim=-1)
+ weights = F.softmax(scores, dim=-1).detach()
# %% wrong: no gradients kept -> "No gradient reaches x"
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs, dim=-1)).detach()
# %% wrong: global width read in __init__ -> "a number from outside the class read"
- head["q_proj"] = nn.Linear(d_model, d_k, bias=False)
- head["k_proj"] = nn.Linear(d_model, d_k, bias=False)
- head["v_proj"] = nn.Linear(d_model, d_v, bias=False)
+ head["q_proj"] = nn.Linear(16, d_k, bias=False)
+ head["k_proj"] = nn.Linear(16, d_k, bias=False)
+ head["v_proj"] = nn.Linear(16, d_v, bias=False)
# %% wrong: d_k and d_v change places -> "The widths d_k and d_v changed places."
- head["q_proj"] = nn.Linear(d_model, d_k, bias=False)
- head["k_proj"] = nn.Linear(d_model, d_k, bias=False)
- head["v_proj"] = nn.Linear(d_model, d_v, bias=False)
+ head["q_proj"] = nn.Linear(d_model, d_v, bias=False)
+ head["k_proj"] = nn.Linear(d_model, d_v, bias=False)
+ head["v_proj"] = nn.Linear(d_model, d_k, bias=False)
# %% wrong: heads with bias -> "The layers of a head have no bias"
- head["q_proj"] = nn.Linear(d_model, d_k, bias=False)
- head["k_proj"] = nn.Linear(d_model, d_k, bias=False)
- head["v_proj"] = nn.Linear(d_model, d_v, bias=False)
+ head["q_proj"] = nn.Linear(d_model, d_k)
+ head["k_proj"] = nn.Linear(d_model, d_k)
+ head["v_proj"] = nn.Linear(d_model, d_v)
# %% wrong: layers named query, key, value -> "Are the names heads, q_proj, k_proj"
- head["q_proj"] = nn.Linear(d_model, d_k, bias=False)
- head["k_proj"] = nn.Linear(d_model, d_k, bias=False)
- head["v_proj"] = nn.Linear(d_model, d_v, bias=False)
+ head["query"] = nn.Linear(d_model, d_k, bias=False)
+ head["key"] = nn.Linear(d_model, d_k, bias=False)
+ head["value"] = nn.Linear(d_model, d_v, bias=False)

- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+ query, key, value = head["query"](x), head["key"](x), head["value"](x)
# %% wrong: plain Python list of heads -> "not a plain list?"
- self.heads = nn.ModuleList()
+ self.heads = []
# %% wrong: one head repeated -> "share one set of weights"
- self.heads = nn.ModuleList()
- for _ in range(n_heads):
-     head = nn.ModuleDict()
-     head["q_proj"] = nn.Linear(d_model, d_k, bias=False)
-     head["k_proj"] = nn.Linear(d_model, d_k, bias=False)
-     head["v_proj"] = nn.Linear(d_model, d_v, bias=False)
-     self.heads.append(head)
+ head = nn.ModuleDict()
+ head["q_proj"] = nn.Linear(d_model, d_k, bias=False)
+ head["k_proj"] = nn.Linear(d_model, d_k, bias=False)
+ head["v_proj"] = nn.Linear(d_model, d_v, bias=False)
+ self.heads = nn.ModuleList([head] * n_heads)
# %% wrong: one head too many -> "There is one head too many or too few."
- for _ in range(n_heads):
+ for _ in range(n_heads + 1):
# %% wrong: always three heads -> hidden: "expected {"
- for _ in range(n_heads):
+ for _ in range(2 if n_heads < 3 else 3):
# %% wrong: out_proj without bias -> "out_proj has a bias, unlike the layers of a head."
- self.out_proj = nn.Linear(n_heads * d_v, d_model)
+ self.out_proj = nn.Linear(n_heads * d_v, d_model, bias=False)
# %% wrong: out_proj of the keys' width -> "n_heads · d_v = 21 numbers, not 33"
- self.out_proj = nn.Linear(n_heads * d_v, d_model)
+ self.out_proj = nn.Linear(n_heads * d_k, d_model)
# %% wrong: heads added instead of joined -> "Are the heads added?"
- self.out_proj = nn.Linear(n_heads * d_v, d_model)
+ self.out_proj = nn.Linear(d_v, d_model)

- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(sum(outputs))
# %% wrong: stacked behind the columns and flattened -> "The joined columns alternate between heads."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.stack(outputs, dim=-1).flatten(-2))
# %% wrong: stacked in front and reshaped -> "The heads of all sentences are joined by a reshape alone."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.stack(outputs).reshape(*x.shape[:2], -1))
# %% wrong: stacked behind the batch and reshaped -> "The heads are joined by a reshape alone."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.stack(outputs, dim=1).reshape(*x.shape[:2], -1))
# %% wrong: heads in reverse order -> "The heads are joined in reverse."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs[::-1], dim=-1))
# %% wrong: joined along the words -> "joined along the last axis before it?"
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs, dim=1))
# %% wrong: the list goes to out_proj -> "The heads are still a list."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(outputs)
# %% wrong: the first head skipped -> "joined along the last axis before it?"
- for head in self.heads:
+ for head in self.heads[1:]:
# %% wrong: joined heads never projected -> "does out_proj come last?"
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return torch.cat(outputs, dim=-1)
# %% wrong: input added to the output -> "x is added to the output."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return x + self.out_proj(torch.cat(outputs, dim=-1))
# %% wrong: bias of out_proj left out -> "The bias of out_proj is missing."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return torch.cat(outputs, dim=-1) @ self.out_proj.weight.T
# %% wrong: no return -> "`return`"
- return self.out_proj(torch.cat(outputs, dim=-1))
+ out = self.out_proj(torch.cat(outputs, dim=-1))
# %% wrong: only the first sentence -> "Is the batch kept"
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs, dim=-1))[0]
# %% wrong: weights returned too -> "Return the output alone"
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs, dim=-1)), weights
# %% wrong: returns the input -> "The output is x itself."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return x
# %% wrong: axes of size 1 squeezed away -> "got (3, 6)"
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs, dim=-1)).squeeze()
# %% wrong: returns NaN -> "There are NaN or inf in the output."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs, dim=-1)) * float("nan")
# %% wrong: always the first head -> "Every head is head 0."
- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+ first = self.heads[0]
+ query, key, value = first["q_proj"](x), first["k_proj"](x), first["v_proj"](x)
# %% wrong: every head's query is the last head's -> "Every head uses the query of the last head."
- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+ query, key, value = self.heads[-1]["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
# %% wrong: query from k_proj, key from q_proj -> "Query and key changed places."
- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+ query, key, value = head["k_proj"](x), head["q_proj"](x), head["v_proj"](x)
# %% wrong: query from v_proj -> "A query is d_v = 7 wide"
- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+ query, key, value = head["v_proj"](x), head["k_proj"](x), head["q_proj"](x)
# %% wrong: the words themselves as values -> "joined along the last axis before it?"
- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+ query, key, value = head["q_proj"](x), head["k_proj"](x), x
# %% wrong: key not transposed -> "is the key transposed?"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key / key.shape[-1] ** 0.5
# %% wrong: relu on what the heads found -> "The heads went through a relu."
- outputs.append(weights @ value)
+ outputs.append(F.relu(weights @ value))
# %% wrong: value added to the average -> "The values are added to the averages."
- outputs.append(weights @ value)
+ outputs.append(weights @ value + value)
# %% wrong: each head reads what the one before returned -> "all on the same x"
- outputs.append(weights @ value)
+ outputs.append(weights @ value)
+ x = weights @ x
# %% wrong: sentences and words change places -> "Words attend across the sentences."
  outputs = []
+ x = x.transpose(0, 1)

- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs, dim=-1)).transpose(0, 1)
# %% wrong: all sentences made one -> "Words attend to words of other sentences too."
  outputs = []
+ batch, x = x.shape[0], x.flatten(0, 1)[None]

- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs, dim=-1))[0].unflatten(0, (batch, -1))
# %% wrong: x scaled in place -> "changed one of its arguments in place"
  outputs = []
+ x.mul_(1.0).add_(1.0).sub_(0.999)
# %% wrong: another name for the argument -> "Are its arguments still called x?"
- def forward(self, x):
+ def forward(self, words):
+     x = words
# %% wrong: other names in __init__ -> "Are the arguments of __init__ called"
- def __init__(self, d_model, n_heads, d_k, d_v):
+ def __init__(self, width, n, d_k, d_v):
      super().__init__()
+     d_model, n_heads = width, n
# %% wrong: two mistakes, not scaled and softmax over the queries -> "Is the division missing?"
- scores = query @ key.mT / key.shape[-1] ** 0.5
- weights = F.softmax(scores, dim=-1)
+ weights = F.softmax(query @ key.mT, dim=1)
# %% right: the scale kept in a buffer
- self.heads = nn.ModuleList()
+ self.register_buffer("scale", torch.sqrt(torch.tensor(d_k)))
+ self.heads = nn.ModuleList()

- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / self.scale
# %% wrong: the root written as ** 1 / 2 -> "That is (** 1) / 2."
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / key.shape[-1] ** 1 / 2
# %% wrong: divided by the number of heads -> "Yours is 0.333 times that."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs, dim=-1)) / len(self.heads)
# %% wrong: x detached before the keys -> "its gradient with respect to x is not"
- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+ query, key, value = head["q_proj"](x), head["k_proj"](x.detach()), head["v_proj"](x)
# %% wrong: one layer for the values of all heads -> "Is one layer used in two places?"
- self.heads = nn.ModuleList()
+ self.heads, values = nn.ModuleList(), nn.Linear(d_model, d_v, bias=False)

- head["v_proj"] = nn.Linear(d_model, d_v, bias=False)
+ head["v_proj"] = values
# %% wrong: queries and keys made by one layer -> "It is heads.0.q_proj.weight once more."
- head["k_proj"] = nn.Linear(d_model, d_k, bias=False)
+ head["k_proj"] = head["q_proj"]
# %% right: heads mapped over with vmap, their weights stacked
- outputs = []
- for head in self.heads:
-     query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
-     scores = query @ key.mT / key.shape[-1] ** 0.5
-     weights = F.softmax(scores, dim=-1)
-     outputs.append(weights @ value)
- return self.out_proj(torch.cat(outputs, dim=-1))
+ names = ("q_proj", "k_proj", "v_proj")
+ stacked = [torch.stack([head[name].weight for head in self.heads]) for name in names]
+
+ def attend(W_q, W_k, W_v):
+     return F.scaled_dot_product_attention(x @ W_q.T, x @ W_k.T, x @ W_v.T)
+
+ return self.out_proj(torch.vmap(attend, out_dims=2)(*stacked).flatten(2))
# %% wrong: a query that split cut off, divided in place -> "on a part that chunk, split or unbind cut off"
- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
- scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, seq, seq)
+ joined = torch.cat([head[f"{n}_proj"](x) for n in "qkv"], dim=-1)
+ query, key, value = joined.split([head[f"{n}_proj"].out_features for n in "qkv"], dim=-1)
+ query /= key.shape[-1] ** 0.5
+ scores = query @ key.mT
# %% wrong: super forgotten -> "Is `super().__init__()` the first line"
- super().__init__()
+ pass

# %% wrong: heads added to the input, no output layer at work -> "Heads are joined, never added to x."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ for output in outputs:
+     x = x + output
+ return x

# %% wrong: one config for everything -> "Does __init__ take these four?"
- def __init__(self, d_model, n_heads, d_k, d_v):
+ def __init__(self, config):

# %% right: the heads of unit 03, each with a method of its own
class SelfAttentionHead(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.q_proj, self.k_proj = (nn.Linear(d_model, d_k, bias=False) for _ in range(2))
        self.v_proj = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x):
        scores = torch.einsum("bqd,bkd->bqk", self.q_proj(x), self.k_proj(x))
        powers = (scores / scores.new_tensor(self.q_proj.out_features).sqrt()).exp()
        return powers / powers.sum(-1, keepdim=True) @ self.v_proj(x)

class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList([SelfAttentionHead(d_model, d_k, d_v) for _ in range(n_heads)])
        self.out_proj = nn.Linear(d_v * n_heads, d_model)

    def forward(self, x):
        return self.out_proj(torch.cat([head(x) for head in self.heads], -1))

# %% wrong: divided by the root of d_model / n_heads -> "or d_model // n_heads"
- scores = query @ key.mT / key.shape[-1] ** 0.5
+ scores = query @ key.mT / (x.shape[-1] // len(self.heads)) ** 0.5
# %% wrong: out_proj the wrong way round -> "the width that the layer reads comes first"
- self.out_proj = nn.Linear(n_heads * d_v, d_model)
+ self.out_proj = nn.Linear(d_model, n_heads * d_v)
# %% wrong: out_proj reads d_model numbers -> "out_proj reads the joined values, n_heads · d_v = 21 numbers, not 23"
- self.out_proj = nn.Linear(n_heads * d_v, d_model)
+ self.out_proj = nn.Linear(d_model, d_model)
# %% wrong: each head reads its part of x -> "Each head reads the whole of x"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        d = d_model // n_heads
        self.heads = nn.ModuleList(nn.ModuleDict({"q_proj": nn.Linear(d, d_k, bias=False), "k_proj": nn.Linear(d, d_k, bias=False), "v_proj": nn.Linear(d, d_v, bias=False)}) for _ in range(n_heads))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h, part in zip(self.heads, x.chunk(len(self.heads), -1)):
            s = h["q_proj"](part) @ h["k_proj"](part).mT / h["k_proj"].out_features ** 0.5
            outs.append(s.softmax(-1) @ h["v_proj"](part))
        return self.out_proj(torch.cat(outs, -1))

# %% wrong: lists of layers in place of heads -> "Each member of `heads` is one head"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleDict({
            "q_proj": nn.ModuleList(nn.Linear(d_model, d_k, bias=False) for _ in range(n_heads)),
            "k_proj": nn.ModuleList(nn.Linear(d_model, d_k, bias=False) for _ in range(n_heads)),
            "v_proj": nn.ModuleList(nn.Linear(d_model, d_v, bias=False) for _ in range(n_heads)),
        })
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for q, k, v in zip(*self.heads.values()):
            s = q(x) @ k(x).mT / k.out_features ** 0.5
            outs.append(s.softmax(-1) @ v(x))
        return self.out_proj(torch.cat(outs, -1))

# %% wrong: out_proj under another name -> "Are the names heads, q_proj"
- self.out_proj = nn.Linear(n_heads * d_v, d_model)
+ self.out = nn.Linear(n_heads * d_v, d_model)

- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out(torch.cat(outputs, dim=-1))
# %% wrong: each head reads what the one before it returned, where the widths allow it -> "Is x added where the widths agree"
- outputs.append(weights @ value)
+ x = value if value.shape == x.shape else x
+ outputs.append(weights @ value)
# %% right: each head is projected by itself, and the results are added
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        lin = lambda n: nn.Linear(d_model, n, bias=False)
        self.heads = nn.ModuleList([nn.ModuleDict(dict(q_proj=lin(d_k), k_proj=lin(d_k), v_proj=lin(d_v))) for _ in range(n_heads)])
        self.out_proj = nn.Linear(n_heads * d_v, d_model, bias=True)
        self.d_v, self.scale = d_v, d_k ** -0.5

    def forward(self, x):
        total = self.out_proj.bias
        for h, head in enumerate(self.heads):
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            a = torch.einsum("bqd,bkd->bqk", q * self.scale, k).softmax(-1)
            W = self.out_proj.weight[:, h * self.d_v:(h + 1) * self.d_v]
            total = total + torch.einsum("bqk,bkv,mv->bqm", a, v, W)
        return total
# %% wrong: d_k divided among the heads -> "Are they divided among the heads?"
- head["q_proj"] = nn.Linear(d_model, d_k, bias=False)
- head["k_proj"] = nn.Linear(d_model, d_k, bias=False)
+ head["q_proj"] = nn.Linear(d_model, d_k // n_heads, bias=False)
+ head["k_proj"] = nn.Linear(d_model, d_k // n_heads, bias=False)
# %% wrong: an out_proj in every head -> "Is anything else learned?"
- self.heads.append(head)
+ head["out_proj"] = nn.Linear(d_v, d_v, bias=False)
+ self.heads.append(head)

- outputs.append(weights @ value)
+ outputs.append(head["out_proj"](weights @ value))
# %% wrong: v_proj as wide as a key -> "Is v_proj given d_k?"
- head["v_proj"] = nn.Linear(d_model, d_v, bias=False)
+ head["v_proj"] = nn.Linear(d_model, d_k, bias=False)

- self.out_proj = nn.Linear(n_heads * d_v, d_model)
+ self.out_proj = nn.Linear(n_heads * d_k, d_model)
# %% wrong: three heads, whatever is asked for -> "Is a number of heads or a width fixed?"
- for _ in range(n_heads):
+ for _ in range(3):
# %% wrong: the weights of the first sentence for all -> "Sentence 0 is right, sentence 1 is not."
- outputs.append(weights @ value)
+ outputs.append((weights[:1] @ value).expand_as(value))
# %% wrong: the heads added and repeated -> "The heads are added. They should stand side by side."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(sum(outputs).repeat(1, 1, len(outputs)))
# %% wrong: the outputs of all calls are kept in one list -> "Is something kept in self from call to call?"
- self.out_proj = nn.Linear(n_heads * d_v, d_model)
+ self.out_proj = nn.Linear(n_heads * d_v, d_model)
+ self.outputs = []

- outputs = []
+ outputs = self.outputs
# %% wrong: the values are kept for inputs of one shape -> "Is something kept in self from call to call?"
- outputs.append(weights @ value)  # (batch, seq, d_v)
+ outputs.append(weights @ self.__dict__.setdefault((id(head), value.shape), value))
# %% wrong: the word added where the widths agree -> "Is x added where the widths agree"
- outputs.append(weights @ value)  # (batch, seq, d_v)
+ outputs.append(weights @ value + (x if value.shape == x.shape else 0))
# %% wrong: the keys are turned only where the sizes ask for it -> "is an axis told by its size?"
- scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, seq, seq)
+ scores = query @ (key if key.shape[1] == key.shape[2] else key.mT) / key.shape[-1] ** 0.5
# %% right: the softmax in float32
- weights = F.softmax(scores, dim=-1)
+ weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(x.dtype)
# %% wrong: the root of the notebook's n_heads times its d_k -> "divided by 8.49, expected √d_k"
- scores = query @ key.mT / key.shape[-1] ** 0.5  # (batch, seq, seq)
+ scores = query @ key.mT / (3 * 24) ** 0.5
# %% wrong: q_proj and v_proj changed places -> "A query is d_v = 7 wide"
- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+ query, key, value = head["v_proj"](x), head["k_proj"](x), head["q_proj"](x)
# %% wrong: k_proj and v_proj changed places -> "A key is d_v = 7 wide"
- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+ query, key, value = head["q_proj"](x), head["v_proj"](x), head["k_proj"](x)
# %% wrong: out_proj twice where its widths agree -> "applied twice"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in self.heads:
            q, k, v = h["q_proj"](x), h["k_proj"](x), h["v_proj"](x)
            w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
            outs.append(w @ v)
        out = self.out_proj(torch.cat(outs, dim=-1))
        return self.out_proj(out) if out.shape[-1] == self.out_proj.in_features else out
# %% wrong: plain dicts in an nn.ModuleList -> "hold layers alone"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            dict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in self.heads:
            q, k, v = h["q_proj"](x), h["k_proj"](x), h["v_proj"](x)
            w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1))
# %% wrong: d_model // n_heads instead of d_k and d_v -> "d_model // n_heads, that they are given"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        d_k = d_v = d_model // n_heads
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in self.heads:
            q, k, v = h["q_proj"](x), h["k_proj"](x), h["v_proj"](x)
            w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1))
# %% wrong: the loop leaves out the last head -> "The last head counts for nothing"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in self.heads[:-1]:
            q, k, v = h["q_proj"](x), h["k_proj"](x), h["v_proj"](x)
            outs.append((q @ k.mT / k.shape[-1] ** 0.5).softmax(-1) @ v)
        outs.append(torch.zeros_like(outs[0]))
        return self.out_proj(torch.cat(outs, -1))
# %% wrong: one softmax of the summed scores -> "share one softmax"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        s = sum(h["q_proj"](x) @ h["k_proj"](x).mT / h["k_proj"].out_features ** 0.5 for h in self.heads)
        w = s.softmax(-1)
        return self.out_proj(torch.cat([w @ h["v_proj"](x) for h in self.heads], -1))
# %% wrong: a softmax of what each head returns -> "and no more?"
- outputs.append(weights @ value)
+ outputs.append((weights @ value).softmax(dim=-1))
# %% wrong: out_proj with its bias for each head -> "added once for each head"
- return self.out_proj(torch.cat(outputs, dim=-1))
+ blocks = self.out_proj.weight.chunk(len(outputs), dim=1)
+ return sum(F.linear(out, block, self.out_proj.bias) for out, block in zip(outputs, blocks))
# %% wrong: a relu after out_proj -> "There is a relu at the end."
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs, dim=-1)).relu()

# %% wrong: heads under another name -> "called heads, not a plain list"
- self.heads = nn.ModuleList()
+ self.head = nn.ModuleList()

- self.heads.append(head)
+ self.head.append(head)

- for head in self.heads:
+ for head in self.head:

# %% wrong: the joined heads are divided by their number -> "heads projected as they are"
- return self.out_proj(torch.cat(outputs, dim=-1))
+ return self.out_proj(torch.cat(outputs, dim=-1) / len(outputs))
# %% wrong: every head's value is head 0's -> "Every head uses the value of head 0."
- query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+ query, key, value = head["q_proj"](x), head["k_proj"](x), self.heads[0]["v_proj"](x)
# %% wrong: heads 0 and 1 share a query -> "heads.1.q_proj.weight has no effect on the output."
- for head in self.heads:
-     query, key, value = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
+ for n, head in enumerate(self.heads):
+     query = self.heads[0 if n == 1 else n]["q_proj"](x)
+     key, value = head["k_proj"](x), head["v_proj"](x)
# %% wrong: each head is made for what the one before it returns -> "Does each head read x itself"
- for _ in range(n_heads):
+ for n in range(n_heads):
+     d_model = 23 if n == 0 else d_v
