# %% right: log_softmax, then a row index
def cross_entropy(logits, targets):
    logs = logits.log_softmax(dim=-1).reshape(-1, logits.shape[-1])
    return -logs[torch.arange(len(logs)), targets.reshape(-1)].mean()
# %% right: one-hot
- chosen = logits.gather(-1, targets[..., None])[..., 0]
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ right = F.one_hot(targets, logits.shape[-1]).to(logits.dtype)
+ return -(right * F.log_softmax(logits, dim=-1)).sum(-1).mean()
# %% right: the largest is subtracted by hand
- chosen = logits.gather(-1, targets[..., None])[..., 0]
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ shifted = logits - logits.amax(-1, keepdim=True).detach()
+ chosen = shifted.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
+ costs = shifted.exp().sum(-1).log() - chosen
+ return costs.sum() / costs.numel()
# %% right: a loop over the targets
- chosen = logits.gather(-1, targets[..., None])[..., 0]
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ rows = logits.reshape(-1, logits.shape[-1])
+ costs = [row.logsumexp(0) - row[t] for row, t in zip(rows, targets.flatten().tolist())]
+ return torch.stack(costs).mean()
# %% right: take_along_dim
- chosen = logits.gather(-1, targets[..., None])[..., 0]
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ logs = torch.log_softmax(logits, -1)
+ return torch.take_along_dim(logs, targets[..., None], -1).mean().neg()
# %% shortcut: PyTorch's own function
- chosen = logits.gather(-1, targets[..., None])[..., 0]
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))
# %% shortcut: PyTorch's own module
- chosen = logits.gather(-1, targets[..., None])[..., 0]
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return nn.CrossEntropyLoss()(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))
# %% shortcut: the second half of PyTorch's own
- chosen = logits.gather(-1, targets[..., None])[..., 0]
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return F.nll_loss(logits.log_softmax(-1).reshape(-1, logits.shape[-1]), targets.reshape(-1))
# %% wrong: the sum -> "That is the sum of all costs"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.logsumexp(dim=-1) - chosen).sum()
# %% wrong: a cost for each target -> "Is the mean over both axes of the targets taken?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return logits.logsumexp(dim=-1) - chosen
# %% wrong: the mean over one axis -> "Is the mean over both axes of the targets taken?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.logsumexp(dim=-1) - chosen).mean(dim=-1)
# %% wrong: a sum over positions, a mean over sentences -> "a sum over their positions"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ costs = logits.logsumexp(dim=-1) - chosen
+ return costs.sum() / len(costs) if costs.ndim else costs
# %% wrong: in bits -> "the cost in bits"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.logsumexp(dim=-1) - chosen).mean() / torch.tensor(2.0).log()
# %% wrong: the sign -> "Is the sign right?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (chosen - logits.logsumexp(dim=-1)).mean()
# %% wrong: softmax, then its logarithm -> "Is there a softmax or an exp before the logarithm?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return -logits.softmax(-1).gather(-1, targets[..., None]).log().mean()
# %% wrong: a small number inside the logarithm -> "Is there a softmax or an exp before the logarithm?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return -(logits.softmax(-1).gather(-1, targets[..., None]) + 1e-9).log().mean()
# %% wrong: exp, sum, log -> "Is there a softmax or an exp before the logarithm?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.exp().sum(-1).log() - chosen).mean()
# %% wrong: no logarithm -> "Is the logarithm missing?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return 1 - logits.softmax(-1).gather(-1, targets[..., None]).mean()
# %% wrong: the mean of -p -> "Is the logarithm missing?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return -logits.softmax(-1).gather(-1, targets[..., None]).mean()
# %% wrong: the logit of the target alone -> "Is the softmax missing?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return -chosen.mean()
# %% wrong: softmax over the positions -> "This one runs over the positions"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ dim = -2 if logits.ndim > 1 else -1
+ return -logits.log_softmax(dim).gather(-1, targets[..., None]).mean()
# %% wrong: softmax twice -> "Is the softmax taken twice?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return -logits.softmax(-1).log_softmax(-1).gather(-1, targets[..., None]).mean()
# %% wrong: all logarithms averaged -> "Is the target's own picked?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return -logits.log_softmax(-1).mean()
# %% wrong: the cost of the likeliest -> "the likeliest id"
- chosen = logits.gather(-1, targets[..., None])[..., 0]
+ chosen = logits.amax(-1)
# %% wrong: the logarithm of the mean probability -> "the mean of the logarithms"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return -(chosen - logits.logsumexp(dim=-1)).exp().mean().log()
# %% wrong: divided by the vocabulary as well -> "size of the vocabulary"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.logsumexp(dim=-1) - chosen).mean() / logits.shape[-1]
# %% wrong of "one-hot": the mean over the vocabulary, too -> "size of the vocabulary"
- return -(right * F.log_softmax(logits, dim=-1)).sum(-1).mean()
+ return -(right * F.log_softmax(logits, dim=-1)).mean()
# %% wrong: id 0 taken for padding -> "Is the cost of the id 0 set to 0?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ costs = (logits.logsumexp(dim=-1) - chosen) * (targets != 0)
+ return costs.mean()
# %% wrong: id 0 left out, the mean over the others -> "Does the id 0 count like any other?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ costs = logits.logsumexp(dim=-1) - chosen
+ return costs[targets != 0].mean()
# %% wrong: three axes only -> "Are two leading axes built in"
- chosen = logits.gather(-1, targets[..., None])[..., 0]
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ batch, seq, vocab = logits.shape
+ logs = logits.log_softmax(-1).reshape(batch * seq, vocab)
+ return -logs[torch.arange(batch * seq), targets.reshape(-1)].mean()
# %% wrong: a Python float -> "got float"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.logsumexp(dim=-1) - chosen).mean().item()
# %% wrong: no gradient -> "No gradient reaches logits"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.logsumexp(dim=-1) - chosen).mean().detach()
# %% wrong: float32 inside -> "give a result of torch.float32"
- chosen = logits.gather(-1, targets[..., None])[..., 0]
+ logits = logits.float()
+ chosen = logits.gather(-1, targets[..., None])[..., 0]
# %% wrong: nothing returned -> "Is there a `return`?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ loss = (logits.logsumexp(dim=-1) - chosen).mean()
# %% wrong of "the largest is subtracted by hand": subtracted in place -> "changed one of its arguments in place"
- shifted = logits - logits.amax(-1, keepdim=True).detach()
+ shifted = logits
+ shifted -= logits.amax(-1, keepdim=True)
# %% wrong: float64, whatever came -> "float32 logits give torch.float64"
- chosen = logits.gather(-1, targets[..., None])[..., 0]
+ logits = logits.double()
+ chosen = logits.gather(-1, targets[..., None])[..., 0]
# %% wrong: the logits cut at 100 -> "Logits of ±10,000"
- chosen = logits.gather(-1, targets[..., None])[..., 0]
+ logits = logits.clamp(-100, 100)
+ chosen = logits.gather(-1, targets[..., None])[..., 0]
# %% wrong: the logarithm to base 10 -> "Is it −ln softmax(logits)[target], for each target?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return -logits.softmax(-1).gather(-1, targets[..., None]).log10().mean()
# %% wrong: the axis of gather is kept -> "Is it dropped before you subtract?"
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
+ chosen = logits.gather(-1, targets[..., None])
# %% wrong: keepdim -> "Is it dropped before you subtract?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.logsumexp(dim=-1, keepdim=True) - chosen).mean()
# %% wrong: every position pays for all targets -> "Is one logarithm picked for each position?"
def cross_entropy(logits, targets):
    return -logits.log_softmax(dim=-1)[..., targets].mean()
# %% wrong: the entropy of the guesses -> "Are the targets used?"
def cross_entropy(logits, targets):
    logs = logits.log_softmax(dim=-1)
    return -(logs.exp() * logs).sum(dim=-1).mean()
# %% right: a function of autograd's own
class Costs(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets):
        logs = logits.log_softmax(-1)
        ctx.save_for_backward(logs, targets)
        return -logs.gather(-1, targets[..., None]).mean()

    @staticmethod
    def backward(ctx, slope):
        logs, targets = ctx.saved_tensors
        right = F.one_hot(targets, logs.shape[-1]).to(logs.dtype)
        return slope * (logs.exp() - right) / targets.numel(), None


def cross_entropy(logits, targets):
    return Costs.apply(logits, targets)
# %% right: as a distribution of categories
def cross_entropy(logits, targets):
    return -torch.distributions.Categorical(logits=logits).log_prob(targets).mean()
# %% wrong: logits cut off at ±100 -> "Or does a clamp, or a small number that is added, bound the cost?"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.clamp(-100, 100).logsumexp(dim=-1) - chosen.clamp(-100, 100)).mean()
# %% wrong: gather along the positions -> "Is it gather(-1, …)?"
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
+ chosen = logits.gather(1, targets[..., None])[..., 0]
# %% wrong: the targets index the first axis -> "along the last axis, that of the vocabulary"
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
+ chosen = logits[targets]
# %% wrong: an index for the rows alone -> "An index needs numbers for all axes before it, too"
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
+ chosen = logits[torch.arange(len(targets)), targets]
# %% wrong: label smoothing -> "Here a tenth of the cost is that of all ids, smoothed"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ costs = logits.logsumexp(dim=-1, keepdim=True) - logits
+ return 0.9 * (logits.logsumexp(dim=-1) - chosen).mean() + 0.1 * costs.mean()
# %% wrong: a yes or no for each id -> "a cost of seven answers"
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ picked = torch.zeros_like(logits).scatter(-1, targets[..., None], 1)
+ return (F.softplus(logits) - picked * logits).mean()
# %% right: the divergence from a one-hot
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ right = F.one_hot(targets, logits.shape[-1]).to(logits.dtype)
+ return F.kl_div(logits.log_softmax(-1), right, reduction="sum") / targets.numel()
# %% right: differences of logits
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ behind = logits - logits.gather(-1, targets.unsqueeze(-1))
+ return torch.logsumexp(behind, -1).sum() / targets.numel()
# %% shortcut: PyTorch's old module
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return nn.NLLLoss2d()(logits.log_softmax(-1).reshape(-1, logits.shape[-1]), targets.reshape(-1))
# %% wrong: differences of logits through exp -> "Is there a softmax or an exp before the logarithm?"
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ behind = logits - logits.gather(-1, targets.unsqueeze(-1))
+ return behind.exp().sum(-1).log().mean()
# %% wrong: a margin loss -> "Is it −ln softmax(logits)[target], for each target?"
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return F.multi_margin_loss(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))
# %% wrong: the logsumexp of all logits together -> "This one is over all logits together"
def cross_entropy(logits, targets):
    chosen = logits.gather(-1, targets[..., None])[..., 0]
    return (logits.flatten().logsumexp(0) - chosen).mean()
# %% wrong: shifted once more -> "Are the targets shifted once more?"
def cross_entropy(logits, targets):
    logs = logits.log_softmax(-1)
    return -logs[..., :-1, :].gather(-1, targets[..., 1:, None]).mean()
# %% wrong: one axis at least before the vocabulary -> "also none, as for one guess alone"
def cross_entropy(logits, targets):
    logs = logits.flatten(0, -2).log_softmax(-1)
    return -logs[torch.arange(len(logs)), targets.flatten()].mean()

# %% wrong: the logsumexp over the sentences -> "goes over another axis than the last"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.logsumexp(dim=0) - chosen).mean()

# %% wrong: the logsumexp over the positions -> "goes over another axis than the last"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.logsumexp(dim=1) - chosen).mean()

# %% right: float32 on the way
- chosen = logits.gather(-1, targets[..., None])[..., 0]
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ logs = logits.float().log_softmax(-1)
+ return -logs.gather(-1, targets[..., None]).mean().to(logits.dtype)
# %% right: shifted by the largest
def cross_entropy(logits, targets):
    flat, wanted = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    flat = flat - flat.max(dim=-1, keepdim=True).values.detach()
    picked = flat[range(len(wanted)), wanted]
    return (flat.exp().sum(-1).log() - picked).mean()
# %% wrong of "shifted by the largest": the mean of the exponentials -> "Is the mean of the exponentials taken"
- return (flat.exp().sum(-1).log() - picked).mean()
+ return (flat.exp().mean(-1).log() - picked).mean()
# %% wrong: the logsumexp runs over the targets -> "This one runs over all targets."
def cross_entropy(logits, targets):
    flat, wanted = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    return flat.logsumexp(0).mean() - flat[range(len(wanted)), wanted].mean()

# %% wrong: the target's logit is detached -> "its gradient is not"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return (logits.logsumexp(dim=-1) - chosen.detach()).mean()

# %% wrong: the logsumexp over the positions, averaged by itself -> "The logsumexp runs over the positions, axis -2"
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ return logits.logsumexp(dim=-2).mean() - chosen.mean()

# %% wrong: the targets in reversed order -> "The cost sinks where the logits of the ids"
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
+ chosen = logits.gather(-1, targets.flip(-1)[..., None])[..., 0]
# %% wrong: two leading axes, no other number -> "Are two leading axes built in"
- chosen = logits.gather(-1, targets[..., None])[..., 0]  # (...)
- return (logits.logsumexp(dim=-1) - chosen).mean()
+ logits, targets = logits.flatten(0, 1), targets.flatten()
+ return -logits.log_softmax(-1)[torch.arange(len(targets)), targets].mean()
