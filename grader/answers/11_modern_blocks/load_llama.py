# %% right: rows as published, halves turned inside, by names
class _Published(nn.Module):
    def __init__(self, state, n_heads, base, eps):
        super().__init__()
        self.w = nn.ParameterDict({n.replace(".", "/"): w.clone() for n, w in state.items()})
        self.n_heads, self.base, self.eps = n_heads, base, eps
        d = state["model.embed_tokens.weight"].shape[1]
        self.d_head = d // n_heads
        self.n_layers = sum(n.endswith("q_proj.weight") for n in state)

    def get(self, name):
        return self.w[f"{name}.weight".replace(".", "/")]

    def norm(self, x, name):
        return x * (x.square().mean(-1, keepdim=True) + self.eps).rsqrt() * self.get(name)

    def turn(self, x):
        a, b = x.chunk(2, dim=-1)
        angle = torch.arange(x.shape[2])[:, None] * self.base ** (-torch.arange(0, self.d_head, 2) / self.d_head)
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], dim=-1)

    def forward(self, ids):
        x = self.get("model.embed_tokens")[ids]
        for i in range(self.n_layers):
            at = f"model.layers.{i}"
            n = self.norm(x, f"{at}.input_layernorm")
            q, k, v = (F.linear(n, self.get(f"{at}.self_attn.{p}_proj")).unflatten(-1, (-1, self.d_head)).transpose(1, 2)
                       for p in "qkv")
            out = F.scaled_dot_product_attention(self.turn(q), self.turn(k), v, is_causal=True, enable_gqa=True)
            x = x + F.linear(out.transpose(1, 2).flatten(2), self.get(f"{at}.self_attn.o_proj"))
            n = self.norm(x, f"{at}.post_attention_layernorm")
            gate, up = (F.linear(n, self.get(f"{at}.mlp.{p}_proj")) for p in ("gate", "up"))
            x = x + F.linear(F.silu(gate) * up, self.get(f"{at}.mlp.down_proj"))
        head = "lm_head" if "lm_head/weight" in self.w else "model.embed_tokens"
        return self.norm(x, "model.norm") @ self.get(head).T


def load_llama(state, n_heads, base=10_000.0, eps=1e-6):
    own = {n: w for n, w in state.items() if not n.endswith("rotary_emb.inv_freq")}
    d = own["model.embed_tokens.weight"].shape[1]
    if d % n_heads:
        raise ValueError(f"{d} is no multiple of {n_heads}")
    parts = "self_attn.q_proj self_attn.k_proj self_attn.v_proj self_attn.o_proj mlp.gate_proj mlp.up_proj"
    parts = [*parts.split(), "mlp.down_proj", "input_layernorm", "post_attention_layernorm"]
    layers = sum(n.endswith("q_proj.weight") for n in own)
    known = {f"model.layers.{i}.{p}.weight" for i in range(layers) for p in parts}
    known |= {"model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"}
    for name in own:
        if name not in known:
            raise ValueError(f"what is {name}?")
    return _Published(own, n_heads, base, eps).eval()

# %% right: blocks in a list, the rest as tensors
class _Model(nn.Module):
    def __init__(self, table, blocks, norm, head, eps):
        super().__init__()
        self.table, self.gain = nn.Parameter(table.clone()), nn.Parameter(norm.clone())
        self.blocks, self.eps = nn.ModuleList(blocks), eps
        self.out = None if head is None else nn.Parameter(head.clone())

    def forward(self, ids):
        x, at = self.table[ids], torch.arange(1, ids.shape[1] + 1)  # only distances count
        for block in self.blocks:
            x = block(x, at)
        return rms_norm(x, self.gain, self.eps) @ (self.table if self.out is None else self.out).T


def load_llama(state, n_heads, base=10_000.0, eps=1e-6):
    left = {n: w for n, w in state.items() if "rotary_emb" not in n}
    table, norm, head = left.pop("model.embed_tokens.weight"), left.pop("model.norm.weight"), left.pop("lm_head.weight", None)
    blocks, i = [], 0
    while f"model.layers.{i}.input_layernorm.weight" in left:
        start = f"model.layers.{i}."
        own = {n[len(start):]: left.pop(n) for n in [*left] if n.startswith(start)}
        d, kv = own["self_attn.q_proj.weight"].shape[1], own["self_attn.k_proj.weight"].shape[0]
        block = LlamaBlock(d, n_heads, kv * n_heads // d, own["mlp.down_proj.weight"].shape[1], base, eps)
        for p, heads in (("q", n_heads), ("k", kv * n_heads // d)):
            own[f"self_attn.{p}_proj.weight"] = halves_to_pairs(own[f"self_attn.{p}_proj.weight"], heads)
        if further := own.keys() - block.state_dict().keys():
            raise ValueError(", ".join(start + n for n in further))
        block.load_state_dict(own)
        blocks.append(block)
        i += 1
    if left:
        raise ValueError(f"not used: {[*left]}")
    return _Model(table, blocks, norm, head, eps).eval()

# %% right: a head that is the embedding, and dropout asleep
class _Llama(nn.Module):
    def __init__(self, vocab, d, layers, eps, tied):
        super().__init__()
        self.embed_tokens, self.layers = nn.Embedding(vocab, d), nn.ModuleDict(layers)
        self.norm, self.drop = nn.RMSNorm(d, eps=eps), nn.Dropout(0.0)
        if not tied:
            self.lm_head = nn.Linear(d, vocab, bias=False)

    def forward(self, ids):
        x = self.drop(self.embed_tokens(ids))
        for number in range(len(self.layers)):
            x = self.layers[str(number)](x)
        head = self.lm_head.weight if hasattr(self, "lm_head") else self.embed_tokens.weight
        return F.linear(self.norm(x), head)


def load_llama(state, n_heads, base=10_000.0, eps=1e-6):
    vocab, d = state["model.embed_tokens.weight"].shape
    if d % n_heads:
        raise ValueError(f"{d} {n_heads}")
    n_kv = state["model.layers.0.self_attn.v_proj.weight"].shape[0] // (d // n_heads)
    d_ff = state["model.layers.0.mlp.gate_proj.weight"].shape[0]
    numbers = {n.split(".")[2] for n in state if n.startswith("model.layers.")}
    layers = {number: LlamaBlock(d, n_heads, n_kv, d_ff, base, eps) for number in numbers}
    model = _Llama(vocab, d, layers, eps, "lm_head.weight" not in state)
    own = {}
    for name, weight in state.items():
        if name.endswith("inv_freq"):
            continue
        short = name[6:] if name.startswith("model.") else name
        if short not in model.state_dict():
            raise ValueError(f"{short} has no place")
        heads = n_heads if ".q_proj." in name else n_kv if ".k_proj." in name else 0
        own[short] = halves_to_pairs(weight, heads) if heads else weight
    model.load_state_dict(own)
    return model.eval()

# %% wrong: rows as published -> "are as they were published, in halves"
- for name, weight in own.items():
-     if name.endswith(("q_proj.weight", "k_proj.weight")):
-         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)

# %% wrong: only q sorted -> "Only the rows of q_proj are sorted"
- for name, weight in own.items():
-     if name.endswith(("q_proj.weight", "k_proj.weight")):
-         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)
+ for name, weight in own.items():
+     if name.endswith("q_proj.weight"):
+         own[name] = halves_to_pairs(weight, n_heads)

# %% wrong: only k sorted -> "Only the rows of k_proj are sorted"
- for name, weight in own.items():
-     if name.endswith(("q_proj.weight", "k_proj.weight")):
-         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)
+ for name, weight in own.items():
+     if name.endswith("k_proj.weight"):
+         own[name] = halves_to_pairs(weight, n_kv_heads)

# %% wrong: k sorted with n_heads -> "n_kv_heads = its rows / d_head"
- for name, weight in own.items():
-     if name.endswith(("q_proj.weight", "k_proj.weight")):
-         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)
+ for name, weight in own.items():
+     if name.endswith(("q_proj.weight", "k_proj.weight")):
+         own[name] = halves_to_pairs(weight, n_heads)

# %% wrong: all heads as one -> "All rows are sorted as one head"
- for name, weight in own.items():
-     if name.endswith(("q_proj.weight", "k_proj.weight")):
-         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)
+ for name, weight in own.items():
+     if name.endswith(("q_proj.weight", "k_proj.weight")):
+         own[name] = halves_to_pairs(weight, 1)

# %% wrong: k as one head -> "The rows of k_proj are sorted as one head"
- for name, weight in own.items():
-     if name.endswith(("q_proj.weight", "k_proj.weight")):
-         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)
+ for name, weight in own.items():
+     if name.endswith(("q_proj.weight", "k_proj.weight")):
+         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else 1)

# %% wrong: pairs into halves -> "The rows are moved from pairs to halves"
- for name, weight in own.items():
-     if name.endswith(("q_proj.weight", "k_proj.weight")):
-         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)
+ for name, weight in own.items():
+     if name.endswith(("q_proj.weight", "k_proj.weight")):
+         heads = n_heads if "q_proj" in name else n_kv_heads
+         own[name] = weight.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)

# %% wrong: v sorted, too -> "The rows of v_proj are sorted, too"
- for name, weight in own.items():
-     if name.endswith(("q_proj.weight", "k_proj.weight")):
-         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)
+ for name, weight in own.items():
+     if name.endswith(("q_proj.weight", "k_proj.weight", "v_proj.weight")):
+         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)

# %% wrong: the columns sorted -> "The columns of q_proj and k_proj are sorted"
- for name, weight in own.items():
-     if name.endswith(("q_proj.weight", "k_proj.weight")):
-         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)
+ for name, weight in own.items():
+     if name.endswith(("q_proj.weight", "k_proj.weight")):
+         own[name] = halves_to_pairs(weight.T, n_heads).T

# %% wrong: sorted twice -> "sorted once too often: twice"
- for name, weight in own.items():
-     if name.endswith(("q_proj.weight", "k_proj.weight")):
-         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)
+ for name, weight in own.items():
+     if name.endswith(("q_proj.weight", "k_proj.weight")):
+         heads = n_heads if "q_proj" in name else n_kv_heads
+         own[name] = halves_to_pairs(halves_to_pairs(weight, heads), heads)

# %% wrong: base ignored -> "Is the argument base used?"
- model = Llama(vocab, d_model, n_layers, n_heads, n_kv_heads, d_ff, base, eps)
+ model = Llama(vocab, d_model, n_layers, n_heads, n_kv_heads, d_ff, 10_000.0, eps)

# %% wrong: eps ignored -> "Is the argument eps used, in the final norm, too?"
- model = Llama(vocab, d_model, n_layers, n_heads, n_kv_heads, d_ff, base, eps)
+ model = Llama(vocab, d_model, n_layers, n_heads, n_kv_heads, d_ff, base, 1e-6)

# %% wrong: base and eps ignored -> "Is the argument eps used, in the final norm, too?"
- model = Llama(vocab, d_model, n_layers, n_heads, n_kv_heads, d_ff, base, eps)
+ model = Llama(vocab, d_model, n_layers, n_heads, n_kv_heads, d_ff, 10_000.0, 1e-6)

# %% wrong: base and eps exchanged -> "not"
- model = Llama(vocab, d_model, n_layers, n_heads, n_kv_heads, d_ff, base, eps)
+ model = Llama(vocab, d_model, n_layers, n_heads, n_kv_heads, d_ff, eps, base)

# %% wrong: eps ignored in the final norm -> "Is the argument eps used, in the final norm, too?"
- return self.lm_head(rms_norm(x, self.norm["weight"], self.eps))
+ return self.lm_head(rms_norm(x, self.norm["weight"]))

# %% wrong: eps ignored in the blocks -> "Is the argument eps used in the blocks?"
- self.layers = nn.ModuleList(LlamaBlock(d_model, *sizes) for _ in range(n_layers))
+ self.layers = nn.ModuleList(LlamaBlock(d_model, *sizes[:-1]) for _ in range(n_layers))

# %% wrong: no final norm -> "There is no final norm"
- return self.lm_head(rms_norm(x, self.norm["weight"], self.eps))
+ return self.lm_head(x)

# %% wrong: the final norm's weight not loaded -> "The weight of the final norm is not loaded"
- model.load_state_dict(own)
+ del own["norm.weight"]
+ model.load_state_dict(own, strict=False)

# %% wrong: the final norm's weight unused -> "The weight of the final norm is not loaded"
- return self.lm_head(rms_norm(x, self.norm["weight"], self.eps))
+ return self.lm_head(rms_norm(x, torch.ones(x.shape[-1]), self.eps))

# %% wrong: 1 + weight at the end -> "The final norm multiplies by 1 + weight"
- return self.lm_head(rms_norm(x, self.norm["weight"], self.eps))
+ return self.lm_head(rms_norm(x, 1 + self.norm["weight"], self.eps))

# %% wrong: a layer norm at the end -> "The final norm is a layer norm"
- return self.lm_head(rms_norm(x, self.norm["weight"], self.eps))
+ return self.lm_head(F.layer_norm(x, x.shape[-1:], self.norm["weight"], None, self.eps))

# %% wrong: words times √d -> "multiplied by √d_model"
- x = self.embed_tokens(ids)  # (batch, seq, d_model)
+ x = self.embed_tokens(ids) * self.embed_tokens.weight.shape[1] ** 0.5

# %% wrong: lm_head demanded -> "Where there is no lm_head.weight, the head is the embedding"
- if "lm_head.weight" not in own:  # tied
-     own["lm_head.weight"] = own["embed_tokens.weight"]
-     model.lm_head.weight = model.embed_tokens.weight

# %% wrong: a random head -> "some weight is not from the state"
- if "lm_head.weight" not in own:  # tied
-     own["lm_head.weight"] = own["embed_tokens.weight"]
-     model.lm_head.weight = model.embed_tokens.weight

- model.load_state_dict(own)
+ model.load_state_dict(own, strict=False)

# %% wrong: lm_head ignored -> "There is an lm_head.weight in the state, and the embedding was used"
- if "lm_head.weight" not in own:  # tied
-     own["lm_head.weight"] = own["embed_tokens.weight"]
-     model.lm_head.weight = model.embed_tokens.weight
+ own["lm_head.weight"] = own["embed_tokens.weight"]
+ model.lm_head.weight = model.embed_tokens.weight

# %% wrong: lm_head ignored, tied before loading -> "The words were looked up in lm_head.weight"
- if "lm_head.weight" not in own:  # tied
-     own["lm_head.weight"] = own["embed_tokens.weight"]
-     model.lm_head.weight = model.embed_tokens.weight
+ if "lm_head.weight" not in own:
+     own["lm_head.weight"] = own["embed_tokens.weight"]
+ model.lm_head.weight = model.embed_tokens.weight

# %% wrong: lm_head refused -> "stopped with ValueError"
- if "lm_head.weight" not in own:  # tied
-     own["lm_head.weight"] = own["embed_tokens.weight"]
-     model.lm_head.weight = model.embed_tokens.weight
+ if "lm_head.weight" in own:
+     raise ValueError("lm_head.weight is not expected")
+ own["lm_head.weight"] = own["embed_tokens.weight"]

# %% wrong: the last layer lost -> "stopped with ValueError"
- n_layers = 1 + max(int(name.split(".")[1]) for name in own if name.startswith("layers."))
+ n_layers = max(int(name.split(".")[1]) for name in own if name.startswith("layers."))

# %% wrong: the last layer dropped silently -> "The last layer is missing"
- n_layers = 1 + max(int(name.split(".")[1]) for name in own if name.startswith("layers."))
+ n_layers = max(int(name.split(".")[1]) for name in own if name.startswith("layers."))
+ own = {n: w for n, w in own.items() if not n.startswith(f"layers.{max(n_layers, 1)}.")}
+ n_layers = max(n_layers, 1)

# %% wrong: numbers as text -> "Were the numbers compared as text?"
- n_layers = 1 + max(int(name.split(".")[1]) for name in own if name.startswith("layers."))
+ n_layers = 1 + int(max(name.split(".")[1] for name in own if name.startswith("layers.")))

# %% wrong: one digit -> "stopped with"
- n_layers = 1 + max(int(name.split(".")[1]) for name in own if name.startswith("layers."))
+ n_layers = 1 + max(int(name[7]) for name in own if name.startswith("layers."))

# %% wrong: thirty layers -> "Count them: the largest i, and one more"
- n_layers = 1 + max(int(name.split(".")[1]) for name in own if name.startswith("layers."))
+ n_layers = 30

# %% wrong: the first layer only -> "There is one layer only"
- for layer in self.layers:
-     x = layer(x)
+ x = self.layers[0](x)

# %% wrong: one layer again and again -> "Only the first layer is used, again and again"
- for layer in self.layers:
-     x = layer(x)
+ for _ in self.layers:
+     x = self.layers[0](x)

# %% wrong: layers reversed -> "The layers come in reversed order"
- for layer in self.layers:
-     x = layer(x)
+ for layer in reversed(self.layers):
+     x = layer(x)

# %% wrong: one block for all -> "Only the last layer is used, again and again"
- self.layers = nn.ModuleList(LlamaBlock(d_model, *sizes) for _ in range(n_layers))
+ self.layers = nn.ModuleList([LlamaBlock(d_model, *sizes)] * n_layers)

# %% wrong: layers in the order of text -> "10 comes before 2"
- for layer in self.layers:
-     x = layer(x)
+ for number in sorted(map(str, range(len(self.layers)))):
+     x = self.layers[int(number)](x)

# %% wrong: n_kv_heads = n_heads -> "stopped with"
- n_kv_heads = len(own["layers.0.self_attn.k_proj.weight"]) * n_heads // d_model
+ n_kv_heads = n_heads

# %% wrong: n_kv_heads = 2 -> "stopped with"
- n_kv_heads = len(own["layers.0.self_attn.k_proj.weight"]) * n_heads // d_model
+ n_kv_heads = 2

# %% wrong: n_kv_heads the rows of k -> "stopped with"
- n_kv_heads = len(own["layers.0.self_attn.k_proj.weight"]) * n_heads // d_model
+ n_kv_heads = len(own["layers.0.self_attn.k_proj.weight"])

# %% wrong: d_ff = 4 d_model -> "Which key and shape does each size come from?"
- d_ff = len(own["layers.0.mlp.up_proj.weight"])
+ d_ff = 4 * d_model

# %% wrong: d_ff of down_proj -> "Which key and shape does each size come from?"
- d_ff = len(own["layers.0.mlp.up_proj.weight"])
+ d_ff = len(own["layers.0.mlp.down_proj.weight"])

# %% wrong: nothing loaded -> "some weight is not from the state"
- model.load_state_dict(own)

# %% wrong: strict=False under published names -> "some weight is not from the state"
- model.load_state_dict(own)
+ model.load_state_dict(state, strict=False)

# %% wrong: gate and up exchanged -> "gate_proj and up_proj have changed places"
- model.load_state_dict(own)
+ for name in [name for name in own if "gate_proj" in name]:
+     other = name.replace("gate", "up")
+     own[name], own[other] = own[other], own[name]
+ model.load_state_dict(own)

# %% wrong: k and v exchanged -> "Have k_proj and v_proj changed places?"
- for name, weight in own.items():
+ for i in range(n_layers):
+     k, v = f"layers.{i}.self_attn.k_proj.weight", f"layers.{i}.self_attn.v_proj.weight"
+     own[k], own[v] = own[v], own[k]
+ for name, weight in own.items():

# %% wrong: the norms of a block exchanged -> "The norms have changed places"
- model.load_state_dict(own)
+ for i in range(n_layers):
+     a, b = f"layers.{i}.input_layernorm.weight", f"layers.{i}.post_attention_layernorm.weight"
+     own[a], own[b] = own[b], own[a]
+ model.load_state_dict(own)

# %% wrong: o_proj transposed, as GPT-2 needs it -> "not what comes of it"
- model.load_state_dict(own)
+ for i in range(n_layers):
+     own[f"layers.{i}.self_attn.o_proj.weight"] = own[f"layers.{i}.self_attn.o_proj.weight"].T
+ model.load_state_dict(own)

# %% wrong: a longest text of 64 -> "Is a longest text set"
- x = self.embed_tokens(ids)  # (batch, seq, d_model)
+ x = self.embed_tokens(ids) + 0 * torch.arange(64)[: ids.shape[1], None]

# %% wrong: positions stop at 63 -> "Is a longest text set"
- for layer in self.layers:
-     x = layer(x)
+ at = torch.arange(ids.shape[1]).clamp(max=63)
+ for layer in self.layers:
+     x = layer(x, at)

# %% wrong: positions run backwards -> "The positions run backwards"
- for layer in self.layers:
-     x = layer(x)
+ at = torch.arange(ids.shape[1]).flip(0)
+ for layer in self.layers:
+     x = layer(x, at)

# %% wrong: no positions -> "Queries and keys are not turned"
- for layer in self.layers:
-     x = layer(x)
+ at = torch.zeros(ids.shape[1], dtype=torch.int64)
+ for layer in self.layers:
+     x = layer(x, at)

# %% wrong: probabilities -> "Logits are wanted. Is there a softmax?"
- return self.lm_head(rms_norm(x, self.norm["weight"], self.eps))
+ return self.lm_head(rms_norm(x, self.norm["weight"], self.eps)).softmax(-1)

# %% wrong: log-probabilities -> "Is there a log_softmax?"
- return self.lm_head(rms_norm(x, self.norm["weight"], self.eps))
+ return self.lm_head(rms_norm(x, self.norm["weight"], self.eps)).log_softmax(-1)

# %% wrong: the vectors -> "These are the vectors"
- return self.lm_head(rms_norm(x, self.norm["weight"], self.eps))
+ return rms_norm(x, self.norm["weight"], self.eps)

# %% wrong: the last word alone -> "Each word has logits"
- return self.lm_head(rms_norm(x, self.norm["weight"], self.eps))
+ return self.lm_head(rms_norm(x[:, -1], self.norm["weight"], self.eps))

# %% wrong: the likeliest word -> "Is there an argmax?"
- return self.lm_head(rms_norm(x, self.norm["weight"], self.eps))
+ return self.lm_head(rms_norm(x, self.norm["weight"], self.eps)).argmax(-1)

# %% wrong: float64 -> "Is there a .double() or .half()?"
- return model.eval()
+ return model.double().eval()

# %% wrong: a state is returned -> "Expected an nn.Module"
- return model.eval()
+ return model.state_dict()

# %% wrong: nothing returned -> "Expected an nn.Module"
- return model.eval()
+ model.eval()

# %% wrong: the function instead of the module -> "Expected an nn.Module"
- return model.eval()
+ return model.eval().forward

# %% wrong: frozen -> "takes no gradient"
- return model.eval()
+ return model.requires_grad_(False).eval()

# %% wrong: under no_grad -> "No gradient reaches"
- def forward(self, ids):
+ @torch.no_grad()
+ def forward(self, ids):

# %% wrong: the state is emptied -> "The state that was handed in has changed"
- own = {name.removeprefix("model."): w for name, w in state.items() if "inv_freq" not in name}
+ own = {name.removeprefix("model."): state.pop(name) for name in [*state] if "inv_freq" not in name}

# %% wrong: the state gets a head -> "The state that was handed in has changed"
- if "lm_head.weight" not in own:  # tied
-     own["lm_head.weight"] = own["embed_tokens.weight"]
-     model.lm_head.weight = model.embed_tokens.weight
+ if "lm_head.weight" not in own:
+     state["lm_head.weight"] = own["lm_head.weight"] = own["embed_tokens.weight"]
+     model.lm_head.weight = model.embed_tokens.weight

# %% wrong: the state is sorted in place -> "changed"
- for name, weight in own.items():
-     if name.endswith(("q_proj.weight", "k_proj.weight")):
-         own[name] = halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads)
+ for name, weight in own.items():
+     if name.endswith(("q_proj.weight", "k_proj.weight")):
+         weight.copy_(halves_to_pairs(weight, n_heads if "q_proj" in name else n_kv_heads))

# %% wrong: unknown keys dropped -> "expected a ValueError"
- if left := sorted(own.keys() - model.state_dict().keys()):
-     raise ValueError(f"a Llama has no {', '.join(left)}")

- model.load_state_dict(own)
+ model.load_state_dict(own, strict=False)

# %% wrong: unknown keys: RuntimeError -> "expected a ValueError"
- if left := sorted(own.keys() - model.state_dict().keys()):
-     raise ValueError(f"a Llama has no {', '.join(left)}")

# %% wrong: unknown keys not named -> "Its message should also name"
- if left := sorted(own.keys() - model.state_dict().keys()):
-     raise ValueError(f"a Llama has no {', '.join(left)}")
+ if own.keys() - model.state_dict().keys():
+     raise ValueError('this is no Llama')

# %% wrong: inv_freq refused -> "`rotary_emb.inv_freq` is not needed"
- own = {name.removeprefix("model."): w for name, w in state.items() if "inv_freq" not in name}
+ own = {name.removeprefix("model."): w for name, w in state.items()}

# %% wrong: every bias ignored -> "expected a ValueError"
- own = {name.removeprefix("model."): w for name, w in state.items() if "inv_freq" not in name}
+ own = {name.removeprefix("model."): w for name, w in state.items() if name.endswith(".weight")}

# %% wrong: other argument names -> "Are its arguments state, n_heads, base and eps?"
- def load_llama(state, n_heads, base=10_000.0, eps=1e-6):
+ def load_llama(weights, n_heads, base=10_000.0, eps=1e-6):
+     state = weights

# %% wrong: another default base -> "not the logits"
- def load_llama(state, n_heads, base=10_000.0, eps=1e-6):
+ def load_llama(state, n_heads, base=500_000.0, eps=1e-6):

# %% wrong: another default eps -> "in the final norm, too? It seems to be 1e-5"
- def load_llama(state, n_heads, base=10_000.0, eps=1e-6):
+ def load_llama(state, n_heads, base=10_000.0, eps=1e-5):

# %% wrong: left in training mode -> "The model is in training mode"
- return model.eval()
+ return model

# %% wrong: n_kv_heads by a width of 64 -> "Did n_kv_heads come out as 0?"
- n_kv_heads = len(own["layers.0.self_attn.k_proj.weight"]) * n_heads // d_model
+ n_kv_heads = len(own["layers.0.self_attn.k_proj.weight"]) // 64

# %% wrong: inv_freq refused by load_state_dict -> "`rotary_emb.inv_freq` is not needed"
- own = {name.removeprefix("model."): w for name, w in state.items() if "inv_freq" not in name}
+ own = {name.removeprefix("model."): w for name, w in state.items()}

- if left := sorted(own.keys() - model.state_dict().keys()):
-     raise ValueError(f"a Llama has no {', '.join(left)}")
# %% wrong: the tied head is left as it was drawn -> "is the embedding the head?"
- own["lm_head.weight"] = own["embed_tokens.weight"]
- model.lm_head.weight = model.embed_tokens.weight
+ own["lm_head.weight"] = model.lm_head.weight.detach().clone()
# %% right: plain dictionaries
class Llama(nn.Module):
    def __init__(self, table, blocks, norm, head, eps):
        super().__init__()
        self.table, self.blocks = nn.Parameter(table), nn.ModuleList(blocks)
        self.norm, self.eps = nn.Parameter(norm), eps
        self.head = self.table if head is None else nn.Parameter(head)

    def forward(self, ids):
        x = self.table[ids]
        for block in self.blocks:
            x = block(x)
        return rms_norm(x, self.norm, self.eps) @ self.head.T


def load_llama(state, n_heads, base=10_000.0, eps=1e-6):
    rest = {name: value.detach().clone() for name, value in state.items() if "inv_freq" not in name}
    table, norm = rest.pop("model.embed_tokens.weight"), rest.pop("model.norm.weight")
    head = rest.pop("lm_head.weight", None)
    d_model = table.shape[1]
    blocks = []
    while f"model.layers.{len(blocks)}.self_attn.q_proj.weight" in rest:
        start = f"model.layers.{len(blocks)}."
        own = {name.removeprefix(start): rest.pop(name) for name in list(rest) if name.startswith(start)}
        d_head = d_model // n_heads
        n_kv = own["self_attn.k_proj.weight"].shape[0] // d_head
        block = LlamaBlock(d_model, n_heads, n_kv, own["mlp.up_proj.weight"].shape[0], base, eps)
        if strange := own.keys() - block.state_dict().keys():
            raise ValueError(f"left over: {', '.join(start + name for name in strange)}")
        for name, heads in (("q", n_heads), ("k", n_kv)):
            own[f"self_attn.{name}_proj.weight"] = halves_to_pairs(own[f"self_attn.{name}_proj.weight"], heads)
        block.load_state_dict(own)
        blocks.append(block)
    if rest:
        raise ValueError(f"left over: {', '.join(rest)}")
    return Llama(table, blocks, norm, head, eps).eval()
# %% wrong of "plain dictionaries": a key outside the layers is overlooked -> "A Llama has no such weight"
- if rest:
-     raise ValueError(f"left over: {', '.join(rest)}")
- return Llama(table, blocks, norm, head, eps).eval()
+ return Llama(table, blocks, norm, head, eps).eval()

# %% wrong: the largest number is taken for the number of layers -> "Is the last of the three layers left over?"
- n_layers = 1 + max(int(name.split(".")[1]) for name in own if name.startswith("layers."))
+ n_layers = max(int(name.split(".")[1]) for name in own if name.startswith("layers."))
