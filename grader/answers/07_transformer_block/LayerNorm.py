# %% right: var with correction=0
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% right: word by word
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.weight = nn.Parameter(torch.ones(d_model))
        self.epsilon = eps

    def forward(self, x):
        words = []
        for word in x.reshape(-1, x.shape[-1]):
            centred = word - word.sum() / len(word)
            words.append(centred / torch.sqrt((centred @ centred) / len(word) + self.epsilon))
        return torch.stack(words).view(x.shape) * self.weight + self.bias
# %% right: the centring matrix, and the norm of what is left
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps, self.d_model = eps, d_model
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.register_buffer("centre", torch.eye(d_model) - 1 / d_model)

    def forward(self, x):
        x = (x - x[..., :1].detach()) @ self.centre
        return torch.addcmul(self.bias, x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) / self.d_model + self.eps), self.weight)
# %% right: var_mean
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, keepdim=True, unbiased=False)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% right: an in-place step on its own tensors
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        out = x - mean
        out /= torch.sqrt(variance + self.eps)
        return out * self.weight + self.bias
# %% wrong: divided by d - 1 -> "Is it 5/6"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=1)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: std + eps, as in many tutorials -> "outside the root"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        return self.weight * (x - mean) / (x.std(-1, keepdim=True, correction=0) + self.eps) + self.bias
# %% wrong: std + eps, and d - 1 -> "Is it 5/6"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        return self.weight * (x - mean) / (x.std(-1, keepdim=True) + self.eps) + self.bias
# %% wrong: over the words -> "averaged over the words"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        variance = x.var(1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: over the whole tensor -> "share one mean"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean()
        variance = x.var(correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: over each sentence -> "share one mean"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean((-2, -1), keepdim=True)
        variance = x.var((-2, -1), keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: own mean, shared variance -> "own variance"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: no root -> "root missing"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps) + self.bias
# %% wrong: mean not subtracted (RMS) -> "Is the mean subtracted"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = 0
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: only centred -> "Was nothing divided"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        return self.weight * (x - mean) + self.bias
# %% wrong: eps hard-coded -> "given ε"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + 1e-5).sqrt() + self.bias
# %% wrong: default eps of 1e-12 -> "1e-5 where none is given"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-12):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: eps forgotten -> "given ε"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance).sqrt() + self.bias
# %% wrong: eps squared -> "added to the variance, once"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps**2).sqrt() + self.bias
# %% wrong: divided by the length of the centred word -> "Is a sum taken"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / ((x - mean).square().sum(-1, keepdim=True) + self.eps).sqrt() + self.bias
# %% wrong: weight forgotten -> "multiplied by weight"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: bias forgotten -> "Is bias added"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt()
# %% wrong: bias before weight -> "multiplied by weight too"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * ((x - mean) / (variance + self.eps).sqrt() + self.bias)
# %% wrong: weight a plain tensor -> "Is each an nn.Parameter"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = torch.ones(d_model)
        self.bias = torch.zeros(d_model)

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: gamma and beta -> "Is each an nn.Parameter"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.gamma * (x - mean) / (variance + self.eps).sqrt() + self.beta
# %% wrong: weight starts random -> "ones, zeros and randn"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.randn(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: both start at zero -> "ones, zeros and randn"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: one number for all columns -> "(6,)"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(1))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: mean of squares less square of mean -> "around 1,000"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = (x.square().mean(-1, keepdim=True) - mean.square()).clamp(min=0)
        return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: x changed in place -> "on the argument"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        x -= mean
        return self.weight * x / (variance + self.eps).sqrt() + self.bias
# %% wrong: no return -> "`return`"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        out = self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong: statistics detached -> hidden: "gradient of x"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean.detach()) / (variance.detach() + self.eps).sqrt() + self.bias
# %% wrong: NaN everywhere -> "got nan"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return x * float('nan')
# %% wrong: x as it came -> "Is the mean subtracted"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, correction=0)
        return x
# %% shortcut: nn.LayerNorm held
class LayerNorm(nn.LayerNorm):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
# %% shortcut: F.layer_norm
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)
# %% shortcut: native_layer_norm
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return torch.native_layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)[0]

# %% wrong: the averaged axis lost -> "keepdim=True"
class LayerNorm(nn.Module):
    """Give each word mean 0 and variance 1 along the width, then scale and shift each column: (…, d_model) -> (…, d_model)."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        ### BEGIN SOLUTION
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        centred = x - x.mean(-1)  # (…, d_model)
        variance = centred.square().mean(-1)  # (…, 1)
        return centred / (variance + self.eps).sqrt() * self.weight + self.bias
        ### END SOLUTION

# %% wrong: axis 2 for the last -> "whatever stands before it"
class LayerNorm(nn.Module):
    """Give each word mean 0 and variance 1 along the width, then scale and shift each column: (…, d_model) -> (…, d_model)."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        ### BEGIN SOLUTION
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        centred = x - x.mean(2, keepdim=True)  # (…, d_model)
        variance = centred.square().mean(2, keepdim=True)  # (…, 1)
        return centred / (variance + self.eps).sqrt() * self.weight + self.bias
        ### END SOLUTION

# %% right: by the length of the centred word
class LayerNorm(nn.Module):
    """Give each word mean 0 and variance 1 along the width, then scale and shift each column: (…, d_model) -> (…, d_model)."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        ### BEGIN SOLUTION
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        centred = x - x.mean(-1, keepdim=True)  # (…, d_model)
        variance = centred.square().mean(-1, keepdim=True)  # (…, 1)
        return self.bias + self.weight * centred * x.shape[-1] ** 0.5 / (centred.norm(dim=-1, keepdim=True) ** 2 + x.shape[-1] * self.eps) ** 0.5
        ### END SOLUTION
