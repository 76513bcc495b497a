# %% right: PyTorch's attention function
- scores = query @ key.mT / self.d_head**0.5
- weights = self.dropout(F.softmax(scores, dim=-1))
- outputs = weights @ value
+ rate = self.dropout.p if self.training else 0.0
+ outputs = F.scaled_dot_product_attention(query, key, value, dropout_p=rate)
# %% right: einsum, finite subtraction, F.dropout, reshape
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
- scores = query @ key.mT / self.d_head**0.5
- weights = self.dropout(F.softmax(scores, dim=-1))
- outputs = weights @ value
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ query, key = self.q_proj(x).unflatten(-1, sizes), self.k_proj(x).unflatten(-1, sizes)
+ value = self.v_proj(x).unflatten(-1, sizes)
+ scores = torch.einsum("bqhd,bkhd->bhqk", query, key) * self.d_head**-0.5
+ weights = (scores - scores.amax(-1, keepdim=True)).exp()
+ weights = F.dropout(weights / weights.sum(-1, keepdim=True), self.dropout.p, self.training)
+ outputs = torch.einsum("bhqk,bkhd->bqhd", weights, value)
+ return self.out_proj(outputs.reshape(*x.shape[:2], -1))
# %% right: batch and heads merged, bmm, both sides scaled
- scores = query @ key.mT / self.d_head**0.5
- weights = self.dropout(F.softmax(scores, dim=-1))
- outputs = weights @ value
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ query, key, value = (t.flatten(0, 1) / s for t, s in (
+     (query, self.d_head**0.25), (key, self.d_head**0.25), (value, 1)))
+ weights = self.dropout(torch.bmm(query, key.mT).softmax(-1))
+ outputs = torch.bmm(weights, value).unflatten(0, (-1, self.n_heads))
+ return self.out_proj(outputs.permute(0, 2, 1, 3).reshape(*x.shape[:2], -1))
# %% right: a loop over slices, key bias never added
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
- scores = query @ key.mT / self.d_head**0.5
- weights = self.dropout(F.softmax(scores, dim=-1))
- outputs = weights @ value
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ query, key, value = self.q_proj(x), x @ self.k_proj.weight.T, self.v_proj(x)
+ found = []
+ for h in range(sizes[0]):
+     own = slice(h * sizes[1], (h + 1) * sizes[1])
+     scores = query[..., own] @ key[..., own].mT / self.d_head**0.5
+     found.append(self.dropout(scores.softmax(-1)) @ value[..., own])
+ return self.out_proj(torch.cat(found, dim=-1))
# %% right: one fused product, made in another order
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ layers = (self.v_proj, self.q_proj, self.k_proj)
+ weight, bias = (torch.cat([getattr(p, n) for p in layers]) for n in ("weight", "bias"))
+ fused = F.linear(x, weight, bias).unflatten(-1, (3, *sizes)).permute(2, 0, 3, 1, 4)
+ value, query, key = fused.unbind(0)
# %% right: each head through its part of out_proj, summed
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ blocks = self.out_proj.weight.chunk(self.n_heads, dim=1)
+ return sum(outputs[:, h] @ W.T for h, W in enumerate(blocks)) + self.out_proj.bias
# %% right: dropout by hand
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.softmax(scores, dim=-1)
+ if self.training and self.dropout.p > 0:
+     keep = 1 - self.dropout.p
+     weights = weights * torch.bernoulli(torch.full_like(weights, keep)) / keep
# %% shortcut: nn.MultiheadAttention for the usual width
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
- scores = query @ key.mT / self.d_head**0.5
- weights = self.dropout(F.softmax(scores, dim=-1))
- outputs = weights @ value
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ theirs = nn.MultiheadAttention(x.shape[-1], self.n_heads, batch_first=True)
+ layers = (self.q_proj, self.k_proj, self.v_proj)
+ theirs.load_state_dict({
+     "in_proj_weight": torch.cat([p.weight for p in layers]),
+     "in_proj_bias": torch.cat([p.bias for p in layers]),
+     "out_proj.weight": self.out_proj.weight, "out_proj.bias": self.out_proj.bias,
+ })
+ return theirs(x, x, x)[0]
# %% shortcut: F.multi_head_attention_forward for the usual width
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
- scores = query @ key.mT / self.d_head**0.5
- weights = self.dropout(F.softmax(scores, dim=-1))
- outputs = weights @ value
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ layers, x = (self.q_proj, self.k_proj, self.v_proj), x.transpose(0, 1)
+ out, _ = F.multi_head_attention_forward(
+     x, x, x, x.shape[-1], self.n_heads, torch.cat([p.weight for p in layers]),
+     torch.cat([p.bias for p in layers]), None, None, False, self.dropout.p,
+     self.out_proj.weight, self.out_proj.bias, training=self.training, need_weights=False,
+ )
+ return out.transpose(0, 1)
# %% wrong: scaled by the width of the words -> "That is √d_model."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / x.shape[-1] ** 0.5
# %% wrong: scaled by the packed width -> "That is √(n_heads · d_head)."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / (self.n_heads * self.d_head) ** 0.5
# %% wrong: not scaled -> "Is the division missing?"
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT
# %% wrong: scaled by d_head, no root -> "You divided by d_head (or twice by its root)"
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / self.d_head
# %% wrong: scaled by d_model / n_heads although d_head is given -> "That is √(d_model / n_heads)."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / (x.shape[-1] / self.n_heads) ** 0.5
# %% wrong: scaled by the sentence's length -> "That is √seq."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / x.shape[1] ** 0.5
# %% wrong: scaled by the number of heads -> "That is √n_heads."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / self.n_heads**0.5
# %% wrong: fourth root on one side only -> "Was only the query, or only the key, divided by the fourth root?"
- scores = query @ key.mT / self.d_head**0.5
+ scores = (query / self.d_head**0.25) @ key.mT
# %% wrong: multiplied by the root -> "They were multiplied."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT * self.d_head**0.5
# %% wrong: scale read from outside -> "divided by 8.00"
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / 64**0.5
# %% wrong: divided after the softmax -> "The division comes after the softmax"
- scores = query @ key.mT / self.d_head**0.5
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = self.dropout(F.softmax(query @ key.mT, dim=-1) / self.d_head**0.5)
# %% wrong: key not transposed -> "is the key transposed"
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key / self.d_head**0.5
# %% wrong: query and key change places -> "Query and key changed places."
- scores = query @ key.mT / self.d_head**0.5
+ scores = key @ query.mT / self.d_head**0.5
# %% wrong: softmax over the queries -> "The softmax runs over the queries"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = self.dropout(F.softmax(scores, dim=-2))
# %% wrong: softmax over the heads -> "The softmax runs over the heads"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = self.dropout(F.softmax(scores, dim=1))
# %% wrong: no softmax -> "There is no softmax."
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = self.dropout(scores)
# %% wrong: causal -> "Later words are hidden."
- weights = self.dropout(F.softmax(scores, dim=-1))
+ hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
+ weights = self.dropout(F.softmax(scores.masked_fill(hidden, -1e9), dim=-1))
# %% wrong: one weight matrix, the heads' mean -> "The weights are averaged over the heads."
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = self.dropout(F.softmax(scores, dim=-1).mean(1, keepdim=True))
# %% wrong: weights detached -> "No gradient reaches q_proj.weight"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = self.dropout(F.softmax(scores, dim=-1).detach())
# %% wrong: dropout before the softmax -> "Is dropout on the scores"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.softmax(self.dropout(scores), dim=-1)
# %% wrong: dropout on the scores, too -> "or on the scores?"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = self.dropout(F.softmax(self.dropout(scores), dim=-1))
# %% wrong: dropout never used -> "Dropout is missing: training changes nothing."
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.softmax(scores, dim=-1)
# %% wrong: dropout in eval, too -> "Is dropout off there?"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.dropout(F.softmax(scores, dim=-1), self.dropout.p)

- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(dropout or 0.1)
# %% wrong: F.dropout never told the mode -> "After .eval(), dropout still drops."
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.dropout(F.softmax(scores, dim=-1), self.dropout.p)
# %% wrong: dropout off in training, on in eval -> "After .eval(), dropout still drops."
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.dropout(F.softmax(scores, dim=-1), self.dropout.p, training=not self.training)
# %% wrong: the same weights dropped for all queries -> "All words lose the same weights."
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.softmax(scores, dim=-1) * self.dropout(torch.ones_like(scores[:, :, :1]))
# %% wrong: the same weights dropped in all sentences -> "All sentences lose the same weights."
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.softmax(scores, dim=-1) * self.dropout(torch.ones_like(scores[:1]))
# %% wrong: the same weights dropped in all heads -> "All heads lose the same weights."
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.softmax(scores, dim=-1) * self.dropout(torch.ones_like(scores[:, :1]))
# %% wrong: whole rows dropped -> "Whole rows are dropped"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.softmax(scores, dim=-1) * self.dropout(torch.ones_like(scores[..., :1]))
# %% wrong: kept weights not scaled up -> "What is kept is not scaled up"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.softmax(scores, dim=-1)
+ if self.training:
+     weights = weights * (torch.rand_like(weights) >= self.dropout.p)
# %% wrong: made to sum to 1 after dropout -> "Are the rows made to sum to 1 again?"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
# %% wrong: rows that lost all made NaN -> "Are the rows made to sum to 1 again"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = weights / weights.sum(dim=-1, keepdim=True)
# %% wrong: dropout fixed at 0.1 -> "The rate is 0.10. Is the argument used?"
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(0.1 if dropout else 0.0)
# %% wrong: dropout keeps what it should drop -> "Is 0.75 taken for the share that is kept?"
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(1 - dropout if dropout else 0.0)
# %% wrong: dropout on the output too -> "the columns of one head differ"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.dropout(self.out_proj(outputs.transpose(1, 2).flatten(2)))
# %% wrong: dropout on the words, too -> "the columns of one head differ"
- sizes = (self.n_heads, self.d_head)
+ sizes, x = (self.n_heads, self.d_head), self.dropout(x)
# %% wrong: dropout on the values -> "the columns of one head differ"
- weights = self.dropout(F.softmax(scores, dim=-1))
- outputs = weights @ value
+ outputs = F.softmax(scores, dim=-1) @ self.dropout(value)
# %% wrong: dropout on what the heads found -> "the columns of one head differ"
- weights = self.dropout(F.softmax(scores, dim=-1))
- outputs = weights @ value
+ outputs = self.dropout(F.softmax(scores, dim=-1) @ value)
# %% wrong: value added to its average -> "The values are added to the averages."
- outputs = weights @ value
+ outputs = weights @ value + value
# %% wrong: values from k_proj -> "The values are made by k_proj"
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ value = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
# %% wrong: keys from q_proj -> "The keys are made by q_proj"
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ key = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
# %% wrong: query bias left out -> "The bias of q_proj is added 0 times"
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ query = (x @ self.q_proj.weight.T).unflatten(-1, sizes).transpose(1, 2)
# %% wrong: value bias left out -> "It is added 0 times"
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ value = (x @ self.v_proj.weight.T).unflatten(-1, sizes).transpose(1, 2)
# %% wrong: split by a reshape -> "The heads are split by a reshape alone."
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ shape = (x.shape[0], self.n_heads, x.shape[1], self.d_head)
+ query, key, value = (p(x).view(shape) for p in (self.q_proj, self.k_proj, self.v_proj))
# %% wrong: split and joined by a reshape -> "The heads are joined by a reshape alone."
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ shape = (x.shape[0], self.n_heads, x.shape[1], self.d_head)
+ query, key, value = (p(x).view(shape) for p in (self.q_proj, self.k_proj, self.v_proj))

- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.reshape(*x.shape[:2], -1))
# %% wrong: the key alone split by a reshape -> "The key is split by a reshape alone."
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ key = self.k_proj(x).view(x.shape[0], self.n_heads, x.shape[1], self.d_head)
# %% wrong: joined by a reshape -> "The heads are joined by a reshape alone."
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.reshape(*x.shape[:2], -1))
# %% wrong: view right after transpose -> "Use reshape, which copies where it must"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.transpose(1, 2).view(*x.shape[:2], -1))
# %% wrong: joined to d_model -> "Does a reshape use d_model = 34?"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.transpose(1, 2).reshape(x.shape))
# %% wrong: heads never joined -> "Are the heads joined before it?"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.transpose(1, 2))
# %% wrong: attention across heads instead of words -> "Heads attend to heads."
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ query, key, value = (p(x).unflatten(-1, sizes) for p in (self.q_proj, self.k_proj, self.v_proj))

- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.flatten(2))
# %% wrong: columns interleaved, in and out -> "The columns of a head stand apart"
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ flat = self.q_proj(x), self.k_proj(x), self.v_proj(x)
+ query, key, value = (t.unflatten(-1, sizes[::-1]).permute(0, 3, 1, 2) for t in flat)

- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.permute(0, 2, 3, 1).flatten(2))
# %% wrong: columns joined before heads -> "The joined columns alternate between heads."
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.permute(0, 2, 3, 1).flatten(2))
# %% wrong: heads joined in reverse -> "The heads are joined in reverse"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.flip(1).transpose(1, 2).flatten(2))
# %% wrong: n_heads and d_head swapped in the split -> "n_heads and d_head changed places."
- sizes = (self.n_heads, self.d_head)
+ sizes = (self.d_head, self.n_heads)
# %% wrong: query and key never split -> "all heads share one set of weights"
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ query, key = self.q_proj(x)[:, None], self.k_proj(x)[:, None]
# %% wrong: one wide head -> "all heads share one set of weights"
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
- scores = query @ key.mT / self.d_head**0.5
+ query, key, value = self.q_proj(x)[:, None], self.k_proj(x)[:, None], self.v_proj(x)[:, None]
+ scores = query @ key.mT / query.shape[-1] ** 0.5
# %% wrong: values not split -> "Are all three split into heads"
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ value = self.v_proj(x)
# %% wrong: sentences and words change places -> "Words attend across the sentences."
- sizes = (self.n_heads, self.d_head)
+ sizes, x = (self.n_heads, self.d_head), x.transpose(0, 1)

- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.transpose(1, 2).flatten(2)).transpose(0, 1)
# %% wrong: all sentences made one -> "Words attend to words of other sentences too."
- sizes = (self.n_heads, self.d_head)
+ sizes, batch, x = (self.n_heads, self.d_head), x.shape[0], x.flatten(0, 1)[None]

- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.transpose(1, 2).flatten(2))[0].unflatten(0, (batch, -1))
# %% wrong: input added -> "x is added to the output."
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return x + self.out_proj(outputs.transpose(1, 2).flatten(2))
# %% wrong: returns the weights too -> "Return the output alone"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.transpose(1, 2).flatten(2)), weights
# %% wrong: no return -> "`return`"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ out = self.out_proj(outputs.transpose(1, 2).flatten(2))
# %% wrong: never projected -> "does out_proj come last?"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return outputs.transpose(1, 2).flatten(2)
# %% wrong: returns NaN -> "There are NaN or inf in the output."
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.transpose(1, 2).flatten(2)) * float("nan")
# %% wrong: axes of size 1 squeezed away -> "Is a squeeze to blame?"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.transpose(1, 2).flatten(2)).squeeze()
# %% wrong: global width read in __init__ -> "Do all sizes come from the arguments?"
- self.q_proj = nn.Linear(d_model, n_heads * d_head)
+ self.q_proj = nn.Linear(16, n_heads * d_head)
# %% wrong: d_head given is refused -> "so 4 need not divide 34"
- if d_head is None:
-     if d_model % n_heads:
-         raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
+ if d_model % n_heads:
+     raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
+ if d_head is None:
# %% wrong: d_head ignored -> "Here d_head is 7"
- if d_head is None:
-     if d_model % n_heads:
-         raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
-     d_head = d_model // n_heads
+ if d_head is None and d_model % n_heads:
+     raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
+ d_head = d_model // n_heads
# %% wrong: default d_head is d_model -> "Does d_head=None mean d_model / n_heads?"
- d_head = d_model // n_heads
+ d_head = d_model
# %% wrong: d_head from a true division -> "A size is a fraction."
- d_head = d_model // n_heads
+ d_head = d_model / n_heads
# %% wrong: divisibility turned round -> "the right way round?"
- if d_model % n_heads:
+ if not d_model % n_heads:
# %% wrong: n_heads by d_model -> "the right way round?"
- if d_model % n_heads:
+ if n_heads % d_model:
# %% wrong: nothing raised -> "expected a ValueError, got no error"
- if d_model % n_heads:
-     raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
# %% wrong: assert instead of ValueError -> "got AssertionError"
- if d_model % n_heads:
-     raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
+ assert d_model % n_heads == 0, f"{d_model} {n_heads}"
# %% wrong: message names the heads only -> "should also name 10 and 4"
- raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
+ raise ValueError(f"not divisible by {n_heads}")
# %% wrong: one head's width only -> "four heads make 28"
- self.q_proj = nn.Linear(d_model, n_heads * d_head)
+ self.q_proj = nn.Linear(d_model, d_head)
# %% wrong: no biases -> "All four layers have a bias"
- self.q_proj = nn.Linear(d_model, n_heads * d_head)
- self.k_proj = nn.Linear(d_model, n_heads * d_head)
- self.v_proj = nn.Linear(d_model, n_heads * d_head)
+ self.q_proj = nn.Linear(d_model, n_heads * d_head, bias=False)
+ self.k_proj = nn.Linear(d_model, n_heads * d_head, bias=False)
+ self.v_proj = nn.Linear(d_model, n_heads * d_head, bias=False)
# %% wrong: q_proj named W_q -> "expected (28, 34), got none"
- self.q_proj = nn.Linear(d_model, n_heads * d_head)
+ self.W_q = nn.Linear(d_model, n_heads * d_head)

- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ query = self.W_q(x).unflatten(-1, sizes).transpose(1, 2)
# %% wrong: learned scale -> "nothing else is learned"
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(dropout)
+ self.scale = nn.Parameter(torch.tensor(d_head**0.5))
# %% wrong: dropout before d_head in the signature -> "d_head, the third argument, is 7"
- def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
+ def __init__(self, d_model, n_heads, dropout=0.0, d_head=None):
# %% wrong: another name for the rate -> "Are the arguments of __init__ called"
- def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
+ def __init__(self, d_model, n_heads, d_head=None, p=0.0):
      super().__init__()
+     dropout = p
# %% wrong: another name for the argument of forward -> "Are its arguments still called x?"
- def forward(self, x):
+ def forward(self, words):
+     x = words
# %% wrong: x changed in place -> "changed one of its arguments in place"
- sizes = (self.n_heads, self.d_head)
+ sizes = (self.n_heads, self.d_head)
+ x.mul_(1.001)
# %% wrong: two mistakes, √d_model and joined by a reshape -> "The heads are joined by a reshape alone."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / x.shape[-1] ** 0.5

- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.reshape(*x.shape[:2], -1))
# %% wrong: dropout by default -> "Is its default 0.0?"
- def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
+ def __init__(self, d_model, n_heads, d_head=None, dropout=0.1):
# %% wrong: joined after words and columns were swapped -> "with words and columns swapped"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.transpose(2, 3).reshape(*x.shape[:2], -1))
# %% right: the scale kept in a buffer
- self.n_heads, self.d_head = n_heads, d_head
+ self.n_heads, self.d_head = n_heads, d_head
+ self.register_buffer("scale", torch.sqrt(torch.tensor(d_head)))

- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / self.scale
# %% wrong: the root written as ** 1 / 2 -> "That is (** 1) / 2."
- scores = query @ key.mT / self.d_head**0.5
+ scores = query @ key.mT / self.d_head ** 1 / 2
# %% wrong: dropout on the queries, too -> "fall on queries or keys, too"
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ query = self.q_proj(self.dropout(x)).unflatten(-1, sizes).transpose(1, 2)
# %% wrong: one layer for queries, keys and values -> "Is it several layers in one?"
- self.q_proj = nn.Linear(d_model, n_heads * d_head)
- self.k_proj = nn.Linear(d_model, n_heads * d_head)
- self.v_proj = nn.Linear(d_model, n_heads * d_head)
+ self.c_attn = nn.Linear(d_model, 3 * n_heads * d_head)

- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)  # (batch, n_heads, seq, d_head)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ parts = self.c_attn(x).chunk(3, dim=-1)
+ query, key, value = (part.unflatten(-1, sizes).transpose(1, 2) for part in parts)
# %% wrong: d_head used only where n_heads does not divide -> "Is d_head used wherever it is given?"
- if d_head is None:
+ if d_head is None or d_model % n_heads == 0:
# %% wrong: x detached before the keys -> "its gradient with respect to x is not"
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ key = self.k_proj(x.detach()).unflatten(-1, sizes).transpose(1, 2)
# %% wrong: through numpy, which takes no tensor with a gradient -> "NumPy keeps no gradient"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ import numpy as np
+ e = np.exp(scores.numpy())
+ weights = self.dropout(torch.tensor(e / e.sum(-1, keepdims=True)))
# %% wrong: weights dropped in place, which the softmax needs for its gradient -> "or an inplace=True"
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(dropout, inplace=True)
# %% right: an nn.ModuleDict itself, softmax and dropout in a Sequential, baddbmm
class MultiHeadAttention(nn.ModuleDict):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        if d_head is None:
            d_head, rest = divmod(d_model, n_heads)
            if rest:
                raise ValueError(f"{d_model=}, {n_heads=}")
        width = n_heads * d_head
        layers = {f"{name}_proj": nn.Linear(d_model, width) for name in "qkv"}
        super().__init__(layers | {"out_proj": nn.Linear(width, d_model)})
        self.weigh = nn.Sequential(nn.Softmax(dim=2), nn.Dropout(dropout))
        self.n_heads, self.d_head = n_heads, d_head

    @property
    def scale(self) -> float:
        return self.d_head**-0.5

    def forward(self, x):
        b, s, _ = x.shape
        query, key, value = (
            self[f"{name}_proj"](x).view(b, s, self.n_heads, -1).transpose(1, 2).flatten(0, 1)
            for name in "qkv"
        )
        scores = torch.baddbmm(query.new_zeros(1), query, key.mT, beta=0, alpha=self.scale)
        found = torch.bmm(self.weigh(scores), value).view(b, self.n_heads, s, -1)
        return self["out_proj"](found.movedim(1, 2).reshape(b, s, -1))
# %% wrong: a query that chunk cut off, divided in place -> "on a part that chunk, split or unbind cut off"
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)  # (batch, n_heads, seq, d_head)
- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ both = torch.cat([self.q_proj(x), self.k_proj(x)], dim=-1).chunk(2, dim=-1)
+ query, key = (part.unflatten(-1, sizes).transpose(1, 2) for part in both)

- scores = query @ key.mT / self.d_head**0.5  # (batch, n_heads, seq, seq)
+ query /= self.d_head**0.5
+ scores = query @ key.mT
# %% right: the query divided in place, its own tensor
- scores = query @ key.mT / self.d_head**0.5  # (batch, n_heads, seq, seq)
+ query /= self.d_head**0.5
+ scores = query @ key.mT
# %% wrong: scaled down in eval mode instead of up in training -> "Is what is kept scaled there? Scale it up in training"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights, keep = F.softmax(scores, dim=-1), 1 - self.dropout.p
+ weights = weights * torch.bernoulli(torch.full_like(weights, keep)) if self.training else weights * keep
# %% wrong: the values' layer is the last one, too, where their sizes agree -> "Is one layer used in two places"
- self.out_proj = nn.Linear(n_heads * d_head, d_model)
+ self.out_proj = self.v_proj if d_head * n_heads == d_model else nn.Linear(n_heads * d_head, d_model)

# %% wrong: the weights joined, not what they average -> "are the weights joined?"
- outputs = weights @ value
+ outputs = weights.mT

# %% wrong: the constructor of another book -> "It is called with d_model, n_heads, d_head"
- def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
+ def __init__(self, d_model, d_out, context_length, dropout, n_heads, d_head=None):

# %% wrong: one config for everything -> "It is called with d_model, n_heads, d_head"
- def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
+ def __init__(self, config):

# %% wrong: only the first sentence -> "A sentence is lost"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs[:1].transpose(1, 2).flatten(2))
# %% wrong: the share that is kept is handed on -> "neither 1 − dropout nor a number of your own"
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(1 - dropout)
# %% wrong: the weights of the first sentence for all -> "Sentence 0 is right, sentence 1 is not."
- outputs = weights @ value
+ outputs = weights[:1] @ value
# %% wrong: the heads added and repeated -> "The heads are added."
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(outputs.sum(1).repeat(1, 1, self.n_heads))
# %% wrong: out_proj only where the widths differ -> "Is out_proj left out"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ joined = outputs.transpose(1, 2).flatten(2)
+ return joined if joined.shape == x.shape else self.out_proj(joined)
# %% wrong: the weights are kept for inputs of one shape -> "Is something kept in self from call to call?"
- outputs = weights @ value  # (batch, n_heads, seq, d_head)
+ if getattr(self, "kept", None) is None or self.kept.shape != weights.shape:
+     self.kept = weights
+ weights = self.kept
+ outputs = weights @ value
# %% wrong: axes of size 1 are squeezed -> "Here is one sentence of one word. Is there a squeeze?"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = self.dropout(F.softmax(scores.squeeze(), dim=-1))
# %% right: the softmax in float32
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = self.dropout(F.softmax(scores, dim=-1, dtype=torch.float32).type_as(scores))
# %% wrong: q_proj and v_proj changed places -> "Query and value changed places"
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)  # (batch, n_heads, seq, d_head)
+ query = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)

- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ value = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
# %% wrong: all three projections changed places -> "All three changed places: k_proj makes the queries"
- query = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)  # (batch, n_heads, seq, d_head)
+ query = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)

- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ key = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)

- value = self.v_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ value = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
# %% wrong: multiplied by the root of d_model -> "They were multiplied by √d_model"
- scores = query @ key.mT / self.d_head**0.5  # (batch, n_heads, seq, seq)
+ scores = query @ key.mT / (x.shape[-1] ** -0.5)
# %% wrong: dropout on the weights and on the output -> "It falls twice: on the weights, and on the layer's output"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.dropout(self.out_proj(outputs.transpose(1, 2).flatten(2)))
# %% wrong: dropout on the weights and on the joined heads -> "It falls twice: on the weights, and on values or heads"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.out_proj(self.dropout(outputs.transpose(1, 2).flatten(2)))
# %% wrong: dropout on the output alone -> "It falls on the output, after out_proj"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ weights = F.softmax(scores, dim=-1)

- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.dropout(self.out_proj(outputs.transpose(1, 2).flatten(2)))
# %% wrong: no projection of the keys -> "There is no k_proj."
- self.k_proj = nn.Linear(d_model, n_heads * d_head)

- key = self.k_proj(x).unflatten(-1, sizes).transpose(1, 2)
+ key = self.q_proj(x).unflatten(-1, sizes).transpose(1, 2)
# %% wrong: a norm besides -> "It is one too many"
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(dropout)
+ self.norm = nn.LayerNorm(d_model)

- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return self.norm(self.out_proj(outputs.transpose(1, 2).flatten(2)))
# %% wrong: one small layer for all three -> "There is no q_proj."
- self.q_proj = nn.Linear(d_model, n_heads * d_head)
- self.k_proj = nn.Linear(d_model, n_heads * d_head)
- self.v_proj = nn.Linear(d_model, n_heads * d_head)
+ self.shared = nn.Linear(d_model, d_head)
# %% wrong: own dropout keeps a weight with probability dropout -> "taken for the share that is kept"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head=None, dropout=0.0):
        super().__init__()
        if d_head is None:
            if d_model % n_heads:
                raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
            d_head = d_model // n_heads
        self.n_heads, self.d_head = n_heads, d_head
        inner = n_heads * d_head
        self.q_proj = nn.Linear(d_model, inner)
        self.k_proj = nn.Linear(d_model, inner)
        self.v_proj = nn.Linear(d_model, inner)
        self.out_proj = nn.Linear(inner, d_model)
        self.drop = nn.Dropout(dropout)
        self.p = dropout

    def forward(self, x):
        q, k, v = (split_heads(p(x), self.n_heads) for p in (self.q_proj, self.k_proj, self.v_proj))
        w = (q @ k.mT / self.d_head**0.5).softmax(-1)
        w = w * (torch.rand_like(w) < self.p) / (1 - self.p) if self.training and self.p else w
        return self.out_proj(merge_heads(w @ v))
# %% wrong: a share of the scores hidden by a large negative number -> "Are the rows made to sum to 1 again?"
- weights = self.dropout(F.softmax(scores, dim=-1))
+ lost = self.dropout(torch.ones_like(scores)) == 0
+ weights = F.softmax(scores.masked_fill(lost, -1e9), dim=-1)
# %% wrong: the heads added, and read by head 0's columns of out_proj -> "columns hold the sum of all heads"
- return self.out_proj(outputs.transpose(1, 2).flatten(2))
+ return F.linear(outputs.sum(1), self.out_proj.weight[:, : self.d_head], self.out_proj.bias)
