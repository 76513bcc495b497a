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
        variance = x.pow(2).sum(-1, keepdim=True) / self.d_model
        return torch.addcmul(self.bias, x * torch.rsqrt(variance + self.eps), self.weight)
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
- variance = centred.square().mean(-1, keepdim=True)
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ variance = x.var(-1, keepdim=True, correction=0)
+ centred /= torch.sqrt(variance + self.eps)
+ return centred * self.weight + self.bias
# %% wrong of "var with correction=0": divided by d - 1 -> "`std` and `var` divide by d − 1 = 5 unless you pass"
-         variance = x.var(-1, keepdim=True, correction=0)
+         variance = x.var(-1, keepdim=True, correction=1)
# %% wrong of "var with correction=0": std + eps, as in many tutorials -> "Add it to the variance, then take the root"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return self.weight * (x - mean) / (variance.sqrt() + self.eps) + self.bias
# %% wrong of "var with correction=0": std + eps, and d - 1 -> "`std` and `var` divide by d − 1 = 5 unless you pass"
-         variance = x.var(-1, keepdim=True, correction=0)
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return self.weight * (x - mean) / (x.std(-1, keepdim=True) + self.eps) + self.bias
# %% wrong of "var_mean": over the words -> "averaged over the words"
-         variance, mean = torch.var_mean(x, dim=-1, keepdim=True, unbiased=False)
+         mean = x.mean(1, keepdim=True)
+         variance = x.var(1, keepdim=True, correction=0)
# %% wrong of "var_mean": over the whole tensor -> "All words shared one mean"
-         variance, mean = torch.var_mean(x, dim=-1, keepdim=True, unbiased=False)
+         mean = x.mean()
+         variance = x.var(correction=0)
# %% wrong of "var_mean": over each sentence -> "The words of a sentence shared one mean"
-         variance, mean = torch.var_mean(x, dim=-1, keepdim=True, unbiased=False)
+         mean = x.mean((-2, -1), keepdim=True)
+         variance = x.var((-2, -1), keepdim=True, correction=0)
# %% wrong of "var with correction=0": own mean, shared variance -> "own variance"
-         variance = x.var(-1, keepdim=True, correction=0)
+         variance = x.var(correction=0)
# %% wrong of "var with correction=0": no root -> "Take the square root of the variance before you divide by"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return self.weight * (x - mean) / (variance + self.eps) + self.bias
# %% wrong of "var with correction=0": mean not subtracted (RMS) -> "Nothing was subtracted. Subtract the mean of the word"
-         mean = x.mean(-1, keepdim=True)
+         mean = 0
# %% wrong of "var with correction=0": only centred -> "Divide by the root of the variance"
-         variance = x.var(-1, keepdim=True, correction=0)
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return self.weight * (x - mean) + self.bias
# %% wrong of "var with correction=0": eps hard-coded -> "Keep it in self"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return self.weight * (x - mean) / (variance + 1e-5).sqrt() + self.bias
# %% wrong of "var with correction=0": default eps of 1e-12 -> "Is 1e-5 used where no ε is given"
-     def __init__(self, d_model, eps=1e-5):
+     def __init__(self, d_model, eps=1e-12):
# %% wrong of "var with correction=0": eps forgotten -> "Keep it in self"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return self.weight * (x - mean) / (variance).sqrt() + self.bias
# %% wrong of "var with correction=0": eps squared -> "ε was squared"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return self.weight * (x - mean) / (variance + self.eps**2).sqrt() + self.bias
# %% wrong of "var with correction=0": divided by the length of the centred word -> "Divide by the root of the mean of the squares, not of their"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         variance = (x - mean).square().sum(-1, keepdim=True)
+         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong of "var with correction=0": weight forgotten -> "Multiply the normalised word by weight, once"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong of "var with correction=0": bias forgotten -> "Add the bias after the weight"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return self.weight * (x - mean) / (variance + self.eps).sqrt()
# %% wrong of "var with correction=0": bias before weight -> "multiplied by weight too"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return self.weight * ((x - mean) / (variance + self.eps).sqrt() + self.bias)
# %% wrong of "var with correction=0": weight a plain tensor -> "Is each an nn.Parameter"
-         self.weight = nn.Parameter(torch.ones(d_model))
-         self.bias = nn.Parameter(torch.zeros(d_model))
+         self.weight = torch.ones(d_model)
+         self.bias = torch.zeros(d_model)
# %% wrong of "var with correction=0": gamma and beta -> "Is each an nn.Parameter"
-         self.weight = nn.Parameter(torch.ones(d_model))
-         self.bias = nn.Parameter(torch.zeros(d_model))
+         self.gamma = nn.Parameter(torch.ones(d_model))
+         self.beta = nn.Parameter(torch.zeros(d_model))

-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return self.gamma * (x - mean) / (variance + self.eps).sqrt() + self.beta
# %% wrong of "var with correction=0": weight starts random -> "Use torch.ones or torch.zeros"
-         self.weight = nn.Parameter(torch.ones(d_model))
+         self.weight = nn.Parameter(torch.randn(d_model))
# %% wrong of "var with correction=0": both start at zero -> "Use torch.ones or torch.zeros"
-         self.weight = nn.Parameter(torch.ones(d_model))
+         self.weight = nn.Parameter(torch.zeros(d_model))
# %% wrong of "var with correction=0": one number for all columns -> "(6,)"
-         self.weight = nn.Parameter(torch.ones(d_model))
-         self.bias = nn.Parameter(torch.zeros(d_model))
+         self.weight = nn.Parameter(torch.ones(1))
+         self.bias = nn.Parameter(torch.zeros(1))
# %% wrong of "var with correction=0": mean of squares less square of mean -> "around 1,000"
-         variance = x.var(-1, keepdim=True, correction=0)
+         variance = (x.square().mean(-1, keepdim=True) - mean.square()).clamp(min=0)
# %% wrong of "var with correction=0": x changed in place -> "Make a tensor of your own"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         x -= mean
+         return self.weight * x / (variance + self.eps).sqrt() + self.bias
# %% wrong of "var with correction=0": no return -> "`return`"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         out = self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong of "var with correction=0": statistics detached -> "Were mean or variance detached"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         mean, variance = mean.detach(), variance.detach()
+         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
# %% wrong of "var with correction=0": NaN everywhere -> "Is something divided by 0, or is a number too large for exp"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return x * float('nan')
# %% wrong of "var with correction=0": x as it came -> "Nothing was subtracted. Subtract the mean of the word"
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return x
# %% shortcut: nn.LayerNorm held
class LayerNorm(nn.LayerNorm):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
# %% shortcut of "var_mean": F.layer_norm
-         variance, mean = torch.var_mean(x, dim=-1, keepdim=True, unbiased=False)
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)
# %% shortcut of "var_mean": native_layer_norm
-         variance, mean = torch.var_mean(x, dim=-1, keepdim=True, unbiased=False)
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         return torch.native_layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)[0]
# %% wrong: the averaged axis lost -> "keepdim=True"
- centred = x - x.mean(-1, keepdim=True)
- variance = centred.square().mean(-1, keepdim=True)
+ centred = x - x.mean(-1)
+ variance = centred.square().mean(-1)
# %% wrong: axis 2 for the last -> "whatever stands before it"
- centred = x - x.mean(-1, keepdim=True)
- variance = centred.square().mean(-1, keepdim=True)
+ centred = x - x.mean(2, keepdim=True)
+ variance = centred.square().mean(2, keepdim=True)
# %% right: by the length of the centred word
- variance = centred.square().mean(-1, keepdim=True)
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ length = centred.norm(dim=-1, keepdim=True)
+ root = (length**2 + x.shape[-1] * self.eps) ** 0.5
+ return self.bias + self.weight * centred * x.shape[-1] ** 0.5 / root
# %% wrong: squares of x itself -> "after the mean is subtracted, not x itself"
- variance = centred.square().mean(-1, keepdim=True)
+ variance = x.square().mean(-1, keepdim=True)

# %% wrong: bias frozen -> "bias takes no gradient. Is requires_grad off"
- self.bias = nn.Parameter(torch.zeros(d_model))
+ self.bias = nn.Parameter(torch.zeros(d_model), requires_grad=False)

# %% wrong: another name of the argument -> "Keep the arguments' names"
- def __init__(self, d_model, eps=1e-5):
+ def __init__(self, width, eps=1e-5):
+     d_model = width

# %% shortcut of "var_mean": F.group_norm with one group
-         variance, mean = torch.var_mean(x, dim=-1, keepdim=True, unbiased=False)
-         return self.weight * (x - mean) / (variance + self.eps).sqrt() + self.bias
+         flat = x.reshape(-1, x.shape[-1])
+         return F.group_norm(flat, 1, self.weight, self.bias, self.eps).reshape(x.shape)
# %% wrong: the root written as ** 1 / 2 -> "That is (** 1) / 2."
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return centred / (variance + self.eps) ** 1 / 2 * self.weight + self.bias
# %% wrong: the root written as ** 1 / 2, in parentheses -> "That is (… ** 1) / 2."
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return centred / ((variance + self.eps) ** 1 / 2) * self.weight + self.bias
# %% wrong: axes of size 1 squeezed away -> "also one of size 1"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return (centred / (variance + self.eps).sqrt() * self.weight + self.bias).squeeze()
# %% wrong: divided in place what the variance's gradient needs -> "written over later"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ centred /= (variance + self.eps).sqrt()
+ return centred * self.weight + self.bias
# %% right: ε in a buffer
- self.eps = eps
+ self.register_buffer("eps", torch.tensor(eps))
# %% shortcut: torch.layer_norm
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return torch.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)
# %% right: a function of autograd's own, its gradient by hand
class Normed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        centred = x - x.mean(-1, keepdim=True)
        scale = (centred.pow(2).mean(-1, keepdim=True) + eps).rsqrt()
        ctx.save_for_backward(centred * scale, scale, weight)
        return centred * scale * weight + bias

    @staticmethod
    def backward(ctx, slope):
        normed, scale, weight = ctx.saved_tensors
        rows, words = slope.flatten(0, -2), normed.flatten(0, -2)
        inner = slope * weight
        inner = inner - inner.mean(-1, keepdim=True) - normed * (inner * normed).mean(-1, keepdim=True)
        return inner * scale, (rows * words).sum(0), rows.sum(0), None


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        return Normed.apply(rows, self.weight, self.bias, self.eps).view(x.shape)
# %% right: var_mean, rsqrt and addcmul
- centred = x - x.mean(-1, keepdim=True)
- variance = centred.square().mean(-1, keepdim=True)
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
+ return torch.addcmul(self.bias, self.weight, (x - mean) * torch.rsqrt(variance + self.eps))
# %% wrong: normalised in training mode alone -> "After .eval() it gives other numbers"
- centred = x - x.mean(-1, keepdim=True)
+ if not self.training:
+     return x * self.weight + self.bias
+ centred = x - x.mean(-1, keepdim=True)
# %% wrong: in eval mode the averages of training, as in batch norm -> "After .eval() it gives other numbers"
- self.eps = eps
+ self.eps = eps
+ self.register_buffer("seen", torch.ones(1))

- variance = centred.square().mean(-1, keepdim=True)
+ variance = centred.square().mean(-1, keepdim=True)
+ if self.training:
+     self.seen = 0.9 * self.seen + 0.1 * variance.mean().detach()
+ else:
+     variance = self.seen
# %% wrong: axis 2, whatever stands before it -> "Does every axis stay"
- centred = x - x.mean(-1, keepdim=True)
+ centred = x - x.mean(min(2, x.ndim - 1), keepdim=True)
# %% wrong: divided by the root's reciprocal -> "Here it is multiplied by it"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return centred / (variance + self.eps).rsqrt() * self.weight + self.bias
# %% wrong: squared for the root, as in a public model -> "Is it `** 2` where `** 0.5` is meant?"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return centred / (variance + self.eps) ** 2 * self.weight + self.bias
# %% wrong: the root of a standard deviation -> "Was the root taken twice?"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return centred / (variance.sqrt() + self.eps).sqrt() * self.weight + self.bias
# %% wrong: the root of std, which divides by d - 1 as well -> "Was the root taken twice?"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return centred / torch.sqrt(x.std(-1, keepdim=True) + self.eps) * self.weight + self.bias
# %% wrong: the power of 1.5 -> "to the power of 1.5; its root is the power of 0.5"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return centred / (variance + self.eps) ** 1.5 * self.weight + self.bias
# %% wrong: no gradient -> "No gradient"
- centred = x - x.mean(-1, keepdim=True)
+ with torch.no_grad():
+     centred = x - x.mean(-1, keepdim=True)
# %% shortcut: F.instance_norm of one channel per word
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ rows = F.instance_norm(x.reshape(1, -1, x.shape[-1]), eps=self.eps)
+ return rows.reshape(x.shape) * self.weight + self.bias
# %% shortcut: F.batch_norm of the turned words
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ rows = F.batch_norm(x.reshape(-1, x.shape[-1]).T, None, None, training=True, eps=self.eps)
+ return rows.T.reshape(x.shape) * self.weight + self.bias
# %% right: einsum, and a power of minus one half
- centred = x - x.mean(-1, keepdim=True)
- variance = centred.square().mean(-1, keepdim=True)
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ ones = torch.full_like(x[(0,) * (x.ndim - 1)], 1 / x.shape[-1])
+ centred = x - torch.einsum("...d,d->...", x, ones)[..., None]
+ variance = torch.einsum("...d,...d,d->...", centred, centred, ones)
+ return torch.einsum("...d,...,d->...d", centred, (variance + self.eps) ** -0.5, self.weight) + self.bias
# %% wrong: weight and bias have changed places -> "Have weight and bias changed places?"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return self.weight + centred / (variance + self.eps).sqrt() * self.bias
# %% wrong: the median for the mean -> "The median was subtracted"
- centred = x - x.mean(-1, keepdim=True)
+ centred = x - x.median(-1, keepdim=True).values
# %% wrong: scaled to lie between 0 and 1 -> "The smallest number was subtracted"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ low, high = x.amin(-1, keepdim=True), x.amax(-1, keepdim=True)
+ return (x - low) / (high - low + self.eps) * self.weight + self.bias
# %% wrong: the cube root -> "to the power of 0.333"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return centred / (variance + self.eps) ** (1 / 3) * self.weight + self.bias

# %% wrong: divided by the range -> "You divided by the range"
- variance = centred.square().mean(-1, keepdim=True)
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ span = x.amax(-1, keepdim=True) - x.amin(-1, keepdim=True)
+ return centred / (span + self.eps) * self.weight + self.bias
# %% wrong: weight and bias added up first -> "That is weight + bias"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return centred / (variance + self.eps).sqrt() * (self.weight + self.bias)
# %% right: the length of the centred word
- variance = centred.square().mean(-1, keepdim=True)
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ d = x.shape[-1]
+ length = (centred.square().sum(-1, keepdim=True) + d * self.eps).sqrt()
+ return d**0.5 * centred / length * self.weight + self.bias
# %% wrong of "a function of autograd's own, its gradient by hand": gradients of weight and bias summed over too much for a word alone -> "one of its parts has the wrong shape"
- rows, words = slope.flatten(0, -2), normed.flatten(0, -2)
+ lead = tuple(range(slope.ndim - 1))

- return inner * scale, (rows * words).sum(0), rows.sum(0), None
+ return inner * scale, (slope * normed).sum(lead), slope.sum(lead), None

- rows = x.reshape(-1, x.shape[-1])
- return Normed.apply(rows, self.weight, self.bias, self.eps).view(x.shape)
+ return Normed.apply(x, self.weight, self.bias, self.eps)
# %% right: var_mean (2)
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.full((d_model,), 1.0))
        self.bias = nn.Parameter(torch.full((d_model,), 0.0))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        scale = self.weight / torch.sqrt(var + self.eps)
        return (x - mean) * scale + self.bias
# %% wrong of "var_mean (2)": the mean is added -> "The mean was added. Subtract it."
- return (x - mean) * scale + self.bias
+ return (x + mean) * scale + self.bias
# %% wrong of "var_mean (2)": the mean is subtracted after dividing -> "The mean was subtracted after the division."
- return (x - mean) * scale + self.bias
+ return x * scale - mean + self.bias

# %% wrong: running statistics kept between calls, as in batch norm -> "as in batch norm"
- self.bias = nn.Parameter(torch.zeros(d_model))
+ self.bias = nn.Parameter(torch.zeros(d_model))
+ self.register_buffer("running_mean", torch.zeros(d_model))
+ self.register_buffer("running_var", torch.ones(d_model))

- centred = x - x.mean(-1, keepdim=True)
- variance = centred.square().mean(-1, keepdim=True)
+ if self.training:
+     flat = x.detach().flatten(0, -2)
+     self.running_mean.mul_(0.9).add_(0.1 * flat.mean(0))
+     self.running_var.mul_(0.9).add_(0.1 * flat.var(0, correction=0))
+     centred = x - x.flatten(0, -2).mean(0)
+     variance = x.flatten(0, -2).var(0, correction=0)
+ else:
+     centred, variance = x - self.running_mean, self.running_var

# %% wrong: batch statistics (axis 0) -> "over the sentences"
- centred = x - x.mean(-1, keepdim=True)
- variance = centred.square().mean(-1, keepdim=True)
+ centred = x - x.mean(0, keepdim=True)
+ variance = centred.square().mean(0, keepdim=True)

# %% wrong: weight is added -> "Is weight added?"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return centred / (variance + self.eps).sqrt() + self.weight + self.bias

# %% wrong: bent by a tanh -> "not all numbers are moved and scaled alike"
- return centred / (variance + self.eps).sqrt() * self.weight + self.bias
+ return (centred / (variance + self.eps).sqrt()).tanh() * self.weight + self.bias
