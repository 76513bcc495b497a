# %% right: a class for one head
class Head(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.v_proj = nn.Linear(d_model, d_v, bias=False)
        self.k_proj = nn.Linear(d_model, d_k, bias=False)
        self.q_proj = nn.Linear(d_model, d_k, bias=False)

    def forward(self, x):
        return F.scaled_dot_product_attention(self.q_proj(x), self.k_proj(x), self.v_proj(x))


class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.out_proj = nn.Linear(n_heads * d_v, d_model)
        self.heads = nn.ModuleList([Head(d_model, d_k, d_v) for _ in range(n_heads)])

    def forward(self, x):
        return self.out_proj(torch.cat([head(x) for head in self.heads], dim=2))
# %% right: einsum, both sides scaled, written into a buffer
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = x.new_empty(*x.shape[:2], 0)
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = torch.einsum("bqd,bkd->bqk", q / q.shape[-1] ** 0.25, k / k.shape[-1] ** 0.25)
            weights = scores.softmax(dim=-1)
            contexts = torch.cat([contexts, torch.einsum("bqk,bkd->bqd", weights, v)], dim=-1)
        return self.out_proj(contexts)
# %% right: all heads stacked at once, no loop in forward
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        q, k, v = (torch.stack([head[name].weight for head in self.heads]) for name in ("q_proj", "k_proj", "v_proj"))
        q, k, v = (x[:, None] @ w.mT for w in (q, k, v))
        weights = torch.exp(torch.log_softmax(q @ k.mT * q.shape[-1] ** -0.5, dim=-1))
        return self.out_proj((weights @ v).permute(0, 2, 1, 3).flatten(2))
# %% right: each head projected out by its own columns, then added
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        total, d_v = self.out_proj.bias, self.out_proj.in_features // len(self.heads)
        for h, head in enumerate(self.heads):
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            total = total + weights @ v @ self.out_proj.weight[:, h * d_v : (h + 1) * d_v].T
        return total
# %% wrong: scaled by the width of the words -> "Is it √d_model?"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / x.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: not scaled -> "Is it not divided at all?"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2)
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: scaled by d_k, no root -> "Is it d_k?"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1]
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: scaled by the value's width -> "Is it √d_v?"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / v.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: scaled by the width of all heads -> "Is it √(n_heads · d_k)?"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / (len(self.heads) * q.shape[-1]) ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: d_k read from outside the class -> "a number from outside the class"
d_k = 24


class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / d_k ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: global width read in __init__ -> "Does __init__ use its own arguments"
embed_dim = 16


class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(embed_dim, d_k, bias=False),
                "k_proj": nn.Linear(embed_dim, d_k, bias=False),
                "v_proj": nn.Linear(embed_dim, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: plain Python list of heads -> "heads.0.q_proj.weight is missing"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = list(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: heads with bias -> "Heads have no bias"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k),
                "k_proj": nn.Linear(d_model, d_k),
                "v_proj": nn.Linear(d_model, d_v),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: out_proj without bias -> "out_proj.bias is missing"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model, bias=False)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: layers named query, key, value -> "are the names right"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "query": nn.Linear(d_model, d_k, bias=False),
                "key": nn.Linear(d_model, d_k, bias=False),
                "value": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["query"](x), head["key"](x), head["value"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: heads added instead of joined -> "added rather than joined"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(sum(contexts))
# %% wrong: stacked behind the columns and flattened -> "Stacked and flattened"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.stack(contexts, dim=-1).flatten(-2))
# %% wrong: stacked in front and reshaped -> "along another axis"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.stack(contexts).reshape(x.shape[0], x.shape[1], -1))
# %% wrong: heads in reverse order -> "In another order"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts[::-1], dim=-1))
# %% wrong: always the first head -> "use each head's own layers"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            head = self.heads[0]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: one head repeated -> "share one weight"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            [nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            })] * n_heads
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: softmax over the queries -> "over the queries"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: no softmax -> "Is the softmax left out"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: query from k_proj, key from q_proj -> "Did queries and keys change places?"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["k_proj"](x), head["q_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: input added to the output -> "added or done after out_proj"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return x + self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: no return -> "`return` in forward"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        out = self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: joined heads never projected -> "Does out_proj come last?"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return torch.cat(contexts, dim=-1)
# %% wrong: softmax over the whole score matrix -> "left out, or over another axis"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.flatten(1).softmax(dim=-1).view_as(scores)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: every head's weights from the last head's query -> "Is another head's used"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = self.heads[-1]["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: returns the input -> "more than its bias is left"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return x
# %% wrong: returns NaN -> "more than its bias is left"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return x * float("nan")
# %% wrong: joined along the words -> "joined along the last axis, to 21 columns"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=1))
# %% wrong: joined along the batch -> "joined along the last axis, to 21 columns"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts))
# %% wrong: query from v_proj -> "Do q_proj and k_proj make query and key"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["v_proj"](x), head["k_proj"](x), head["q_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: key not turned -> "is the key turned"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: divided after the softmax -> "followed by another step"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2)
            weights = scores.softmax(dim=-1) / q.shape[-1] ** 0.5
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: relu on the contexts -> "nothing done to the contexts"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(torch.relu(weights @ v))
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: the words themselves as values -> "joined along the last axis, to 21 columns"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ x)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: causal -> "Is there a mask?"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.heads = nn.ModuleList(
            nn.ModuleDict({
                "q_proj": nn.Linear(d_model, d_k, bias=False),
                "k_proj": nn.Linear(d_model, d_k, bias=False),
                "v_proj": nn.Linear(d_model, d_v, bias=False),
            }) for _ in range(n_heads)
        )
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        contexts = []
        for head in self.heads:
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -1e9)
            weights = scores.softmax(dim=-1)
            contexts.append(weights @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))
# %% wrong: the first head skipped -> "Are all three heads joined"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in range(1, self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1))
# %% wrong: multiplied by the root -> "multiplied, not divided"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) * self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1))
# %% wrong: scaled by the sentence's length -> "Is it √seq?"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / k.shape[1] ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1))
# %% wrong: sentences and words change places -> "run across sentences"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []; x = x.transpose(0, 1)
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1)).transpose(0,1)
# %% wrong: all sentences made one -> "run across sentences"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []; b, s, d = x.shape; x = x.reshape(1, b*s, d)
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1)).reshape(b,s,-1)
# %% wrong: dropout that was not asked for -> "Is something random"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
            w = F.dropout(F.softmax(scores, dim=-1), 0.1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1))
# %% wrong: the list goes to out_proj -> "Are all three heads joined"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v)
        return self.out_proj(outs)
# %% wrong: only the first sentence -> "Is the batch kept?"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []; x = x[0]
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1))
# %% wrong: weights returned too -> "of the output alone"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1)), w
# %% wrong: d_k and d_v change places -> "heads.0.k_proj.weight has shape (7, 23)"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_v, bias=False), "v_proj": nn.Linear(d_model, d_k, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1))
# %% wrong: each head reads the one before -> "Is another head's used"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v); x = w @ x
        return self.out_proj(torch.cat(outs, dim=-1))
# %% wrong: weights detached -> hidden: "to not have been used"
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w.detach() @ v)
        return self.out_proj(torch.cat(outs, dim=-1))
# %% right: written into its columns
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []; joined = x.new_empty(*x.shape[:2], self.out_proj.in_features); n = self.out_proj.in_features // self.n_heads
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            joined[..., h*n:(h+1)*n] = w @ v
        return self.out_proj(joined)
# %% right: einsum for the scores
class MultiHeadLoop(nn.Module):
    def __init__(self, d_model, n_heads, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.n_heads = n_heads
        self.heads = nn.ModuleList()
        for _ in range(n_heads):
            self.heads.append(nn.ModuleDict({"q_proj": nn.Linear(d_model, d_k, bias=False), "k_proj": nn.Linear(d_model, d_k, bias=False), "v_proj": nn.Linear(d_model, d_v, bias=False)}))
        self.out_proj = nn.Linear(n_heads * d_v, d_model)

    def forward(self, x):
        outs = []
        for h in range(self.n_heads):
            head = self.heads[h]
            q, k, v = head["q_proj"](x), head["k_proj"](x), head["v_proj"](x)
            scores = torch.einsum("bqd,bkd->bqk", q, k) / self.d_k ** 0.5
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v)
        return self.out_proj(torch.cat(outs, dim=-1))
