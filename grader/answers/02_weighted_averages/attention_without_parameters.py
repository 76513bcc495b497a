# %% right: a loop over sentences and words
def attention_without_parameters(x):
    out = []
    for sentence in x:
        for word in sentence:
            weights = torch.softmax(sentence @ word / len(word) ** 0.5, 0)
            out.append((weights[:, None] * sentence).sum(0))
    return torch.stack(out).reshape(x.shape)
# %% right: einsum
def attention_without_parameters(x):
    weights = torch.einsum("bid,bjd->bij", x, x).div(x.size(-1) ** 0.5).softmax(-1)
    return torch.einsum("bij,bjd->bid", weights, x)
# %% right: bmm, both sides divided by the fourth root
def attention_without_parameters(x):
    y = x / x.shape[-1] ** 0.25
    return torch.bmm(F.softmax(torch.bmm(y, y.transpose(1, 2)), dim=2), x)
# %% right: PyTorch's own
def attention_without_parameters(x):
    return F.scaled_dot_product_attention(x, x, x)
# %% right: scores symmetric, softmax down the columns, then transposed
def attention_without_parameters(x):
    columns = (x @ x.mT / x.shape[-1] ** 0.5).softmax(1)
    return columns.mT @ x
# %% wrong: not divided -> "Is the division by √d there?"
def attention_without_parameters(x):
    return (x @ x.mT).softmax(-1) @ x
# %% wrong: divided by d -> "Is the root there, once?"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1]).softmax(-1) @ x
# %% wrong: divided by the root of seq -> "number of words"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[1] ** 0.5).softmax(-1) @ x
# %% wrong: divided by the root of batch -> "batch size"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[0] ** 0.5).softmax(-1) @ x
# %% wrong: multiplied by the root -> "not multiplied"
def attention_without_parameters(x):
    return (x @ x.mT * x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: both sides divided by the root -> "Is the root there, once?"
def attention_without_parameters(x):
    y = x / x.shape[-1] ** 0.5
    return (y @ y.mT).softmax(-1) @ x
# %% wrong: divided after softmax -> "Are the scores divided, not the weights"
def attention_without_parameters(x):
    return (x @ x.mT).softmax(-1) / x.shape[-1] ** 0.5 @ x
# %% wrong: softmax over the queries -> "Those that it receives do."
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(1) @ x
# %% wrong: weights transposed -> "Those that it receives do."
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1).mT @ x
# %% wrong: softmax over the batch -> "Does softmax run along the batch?"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(0) @ x
# %% wrong: one softmax for all pairs of a sentence -> "All 25 of a sentence"
def attention_without_parameters(x):
    scores = x @ x.mT / x.shape[-1] ** 0.5
    return scores.flatten(1).softmax(-1).view_as(scores) @ x
# %% wrong: no softmax -> "Is there a softmax over the keys?"
def attention_without_parameters(x):
    return x @ x.mT / x.shape[-1] ** 0.5 @ x
# %% wrong: scores divided by their sum -> "Is it softmax that makes weights"
def attention_without_parameters(x):
    scores = x @ x.mT / x.shape[-1] ** 0.5
    return scores / scores.sum(-1, keepdim=True) @ x
# %% wrong: words of all sentences mixed -> "Another second sentence"
def attention_without_parameters(x):
    words = x.reshape(-1, x.shape[-1])
    return ((words @ words.T / x.shape[-1] ** 0.5).softmax(-1) @ words).view_as(x)
# %% wrong: columns attend to columns -> "or columns (11 × 11)"
def attention_without_parameters(x):
    return x @ (x.mT @ x / x.shape[-1] ** 0.5).softmax(-1)
# %% wrong: the weights returned -> "Are the weights multiplied with x?"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1)
# %% wrong: weights of columns returned -> "not xᵀ x"
def attention_without_parameters(x):
    return (x.mT @ x / x.shape[-1] ** 0.5).softmax(-1)
# %% wrong: .T on three axes -> "only the last two axes"
def attention_without_parameters(x):
    return (x @ x.permute(2, 1, 0) / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: no transpose -> "only the last two axes"
def attention_without_parameters(x):
    return (x @ x / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: x added, as in a block -> "Is x added to the average?"
def attention_without_parameters(x):
    return x + (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: a word may not look at itself -> "Was the diagonal taken out?"
def attention_without_parameters(x):
    scores = x @ x.mT / x.shape[-1] ** 0.5
    return scores.masked_fill(torch.eye(x.shape[1]).bool(), -1e9).softmax(-1) @ x
# %% wrong: cosines instead of dot products -> "neither normalised nor centred"
def attention_without_parameters(x):
    y = F.normalize(x, dim=-1)
    return (y @ y.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: distances instead of dot products -> "plain dot products"
def attention_without_parameters(x):
    return (-torch.cdist(x, x).pow(2) / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: causal -> "later words"
def attention_without_parameters(x):
    return F.scaled_dot_product_attention(x, x, x, is_causal=True)
# %% wrong: only the first sentence -> "(2, 5, 11), got (5, 11)"
def attention_without_parameters(x):
    return (x[0] @ x[0].T / x.shape[-1] ** 0.5).softmax(-1) @ x[0]
# %% wrong: in place -> "x itself was changed"
def attention_without_parameters(x):
    scores = x @ x.mT / x.shape[-1] ** 0.5
    x.copy_(scores.softmax(-1) @ x)
    return x
# %% wrong: values of length one -> "Are the values x itself"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ F.normalize(x, dim=-1)
# %% wrong: x divided by the fourth root, values too -> "Are the values x itself"
def attention_without_parameters(x):
    y = x / x.shape[-1] ** 0.25
    return (y @ y.mT).softmax(-1) @ y
# %% wrong: x divided by the root, values too -> "not the weights, nor the values"
def attention_without_parameters(x):
    y = x / x.shape[-1] ** 0.5
    return (y @ y.mT).softmax(-1) @ y
# %% wrong: nothing returned -> "`return`"
def attention_without_parameters(x):
    (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: the input returned -> "x came back as it was"
def attention_without_parameters(x):
    return x
# %% wrong: NaN -> "NaN or infinity"
def attention_without_parameters(x):
    return x * torch.nan
# %% wrong: weights detached -> hidden: "gradient"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1).detach() @ x
# %% wrong: only the best other word -> "Was the diagonal taken out?"
def attention_without_parameters(x):
    scores = x @ x.mT / x.shape[-1] ** 0.5
    return F.one_hot((scores - 9 * torch.eye(x.shape[1])).argmax(-1), x.shape[1]).to(x) @ x
# %% wrong: the sentence's mean taken out first -> "plain dot products"
def attention_without_parameters(x):
    y = x - x.mean(1, keepdim=True)
    return (y @ y.mT / x.shape[-1] ** 0.5).softmax(-1) @ y + x.mean(1, keepdim=True)
# %% wrong: one vector for the sentence -> "Is it one average per word?"
def attention_without_parameters(x):
    return F.scaled_dot_product_attention(x, x, x).mean(1)
# %% wrong: result transposed -> "Is it one average per word?"
def attention_without_parameters(x):
    return F.scaled_dot_product_attention(x, x, x).mT
# %% wrong: a minus too many -> "Is there a minus too many?"
def attention_without_parameters(x):
    return (-x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x
# %% wrong: divided by the norm of everything -> "Another second sentence"
def attention_without_parameters(x):
    return (x @ x.mT / x.norm()).softmax(-1) @ x
# %% right: outer products by broadcasting
def attention_without_parameters(x):
    s = (x[:, :, None] * x[:, None]).sum(-1).div(x.shape[2] ** 0.5)
    return (s.softmax(2)[..., None] * x[:, None]).sum(2)
# %% wrong: hard-coded 16 -> "Is d read from x"
def attention_without_parameters(x):
    return (x @ x.mT / 16**0.5).softmax(-1) @ x
# %% wrong: hard-coded 128 -> "divided by 11.31"
def attention_without_parameters(x):
    return (x @ x.mT / 128**0.5).softmax(-1) @ x
# %% wrong: out and weights -> "of the result alone"
def attention_without_parameters(x):
    w = (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1)
    return w @ x, w
# %% wrong: for i in range(2) -> "Three sentences went in, 2"
def attention_without_parameters(x):
    return torch.stack([(x[i] @ x[i].T / x.shape[-1] ** 0.5).softmax(-1) @ x[i] for i in range(2)])
# %% wrong: outputs scaled -> "once more"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1) @ x / x.shape[1]
# %% wrong: double softmax -> "one softmax"
def attention_without_parameters(x):
    return (x @ x.mT / x.shape[-1] ** 0.5).softmax(-1).softmax(-1) @ x
# %% wrong: view -> "nor reshaped"
def attention_without_parameters(x):
    return (x @ x.view(x.shape[0], x.shape[2], x.shape[1]) / x.shape[-1] ** 0.5).softmax(-1) @ x
