# %% right: an exact root in float32, multiplied by its reciprocal
def rms_norm(x, weight, eps=1e-6):
    wide = x.to(torch.float32)
    scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    return weight * (wide * scale).to(x.dtype)

# %% right: in float64, whatever comes
def rms_norm(x, weight, eps=1e-6):
    wide = x.double()
    size = torch.sqrt(torch.sum(wide * wide, dim=-1, keepdim=True) / x.size(-1) + eps)
    return (wide / size * weight.double()).to(x.dtype)

# %% right: by the vector's norm
def rms_norm(x, weight, eps=1e-6):
    d = x.shape[-1]
    length = torch.linalg.vector_norm(x.float(), dim=-1, keepdim=True)
    return ((x.float() / (length.square() / d + eps) ** 0.5) * weight.float()).type(x.dtype)

# %% right: einsum for the squares
def rms_norm(x, weight, eps=1e-6):
    y = x.float()
    mean = torch.einsum("...d,...d->...", y, y) / y.shape[-1]
    return (y * (mean + eps)[..., None].rsqrt()).to(x) * weight

# %% right: scaled down before squaring
def rms_norm(x, weight, eps=1e-6):
    largest = x.detach().abs().amax(-1, keepdim=True).float().clamp(min=1e-12)
    small = x.float() / largest
    size = (small.square().mean(-1, keepdim=True) + eps / largest.square()).sqrt()
    return (small / size).to(x.dtype) * weight

# %% shortcut: PyTorch's function
def rms_norm(x, weight, eps=1e-6):
    return F.rms_norm(x, x.shape[-1:], weight, eps)

# %% shortcut: PyTorch's layer
def rms_norm(x, weight, eps=1e-6):
    layer = nn.RMSNorm(x.shape[-1], eps=eps, elementwise_affine=False)
    return layer(x) * weight

# %% shortcut: the operator under its other name
def rms_norm(x, weight, eps=1e-6):
    return torch.rms_norm(x, [x.shape[-1]], weight, eps)

# %% wrong: layer normalisation -> "The mean is subtracted first, as in layer normalisation"
- wide = x.float()  # a square of 300 is too large for float16
+ wide = x.float()
+ wide = wide - wide.mean(-1, keepdim=True)

# %% wrong: the mean subtracted above alone -> "The mean is subtracted above, though not in the root"
- return (wide / size).to(x.dtype) * weight
+ return ((wide - wide.mean(-1, keepdim=True)) / size).to(x.dtype) * weight

# %% wrong: divided by the standard deviation -> "(d − 1). The squares are of x itself"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = wide.std(-1, keepdim=True)

# %% wrong: divided by the variance's root -> "x is divided by its standard deviation. The squares"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = (wide.var(-1, keepdim=True, correction=0) + eps).sqrt()

# %% wrong: the sum of squares -> "The squares are summed"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = (wide.square().sum(-1, keepdim=True) + eps).sqrt()

# %% wrong: unit length by F.normalize -> "The squares are summed"
- return (wide / size).to(x.dtype) * weight
+ return F.normalize(wide, dim=-1).to(x.dtype) * weight

# %% wrong: d - 1 -> "divided by d − 1, expected d"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = (wide.square().sum(-1, keepdim=True) / (x.shape[-1] - 1) + eps).sqrt()

# %% wrong: no root -> "Is the root missing"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = wide.square().mean(-1, keepdim=True) + eps

# %% wrong: two roots -> "It is divided by the root of the root"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = (wide.square().mean(-1, keepdim=True) + eps).sqrt().sqrt()

# %% wrong: the mean of absolute numbers -> "divided by the mean of the absolute numbers"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = wide.abs().mean(-1, keepdim=True) + eps

# %% wrong: the largest number -> "divided by the largest number"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = wide.abs().amax(-1, keepdim=True) + eps

# %% wrong: multiplied -> "It is multiplied by the root"
- return (wide / size).to(x.dtype) * weight
+ return (wide * size).to(x.dtype) * weight

# %% wrong: x itself -> "That is x itself"
- return (wide / size).to(x.dtype) * weight
+ return x * weight

# %% wrong: one size for all -> "All words share one size"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = (wide.square().mean() + eps).sqrt()

# %% wrong: over the words -> "The mean is taken over the words"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = (wide.square().mean(max(-2, -x.ndim), keepdim=True) + eps).sqrt()

# %% wrong: over the sentences -> "The mean is taken over the sentences"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = (wide.square().mean(0, keepdim=True) + eps).sqrt()

# %% wrong: a sentence shares its size -> "The words of a sentence share one size"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ axes = (-2, -1) if x.ndim > 1 else -1
+ size = (wide.square().mean(axes, keepdim=True) + eps).sqrt()

# %% wrong: the axis is lost -> "and that axis kept, by keepdim=True"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = (wide.square().mean(-1) + eps).sqrt()

# %% wrong: the weight unused -> "Is the weight used?"
- return (wide / size).to(x.dtype) * weight
+ return (wide / size).to(x.dtype)

# %% wrong: 1 + weight, as in Gemma -> "Is it 1 + weight, as in Gemma?"
- return (wide / size).to(x.dtype) * weight
+ return (wide / size).to(x.dtype) * (1 + weight)

# %% wrong: the weight added -> "The weight is added"
- return (wide / size).to(x.dtype) * weight
+ return (wide / size).to(x.dtype) + weight

# %% wrong: divided by the weight -> "That is divided by the weight"
- return (wide / size).to(x.dtype) * weight
+ return (wide / size).to(x.dtype) / weight

# %% wrong: the weight before the norm -> "x is multiplied by the weight before the norm"
- wide = x.float()  # a square of 300 is too large for float16
+ wide = (x * weight).float()

- return (wide / size).to(x.dtype) * weight
+ return (wide / size).to(x.dtype)

# %% wrong: ε outside the root -> "ε is added outside the root"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = wide.square().mean(-1, keepdim=True).sqrt() + eps

# %% wrong: ε fixed -> "Is the argument eps used?"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = (wide.square().mean(-1, keepdim=True) + 1e-6).sqrt()

# %% wrong: ε as the least size -> "ε is the least that the mean may be"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = wide.square().mean(-1, keepdim=True).clamp(min=eps).sqrt()

# %% wrong: ε squared -> "ε is squared"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = (wide.square().mean(-1, keepdim=True) + eps**2).sqrt()

# %% wrong: another default of ε -> "It seems to be 1e-5"
- def rms_norm(x, weight, eps=1e-6):
+ def rms_norm(x, weight, eps=1e-5):

# %% wrong: the default that PyTorch has -> "It seems to be 0, or far below 1e-6"
- def rms_norm(x, weight, eps=1e-6):
+ def rms_norm(x, weight, eps=1e-12):

# %% wrong: overflow in float16 -> "Squares above 65,504 are inf in float16"
- wide = x.float()  # a square of 300 is too large for float16
+ wide = x

# %% wrong: widened after the squares -> "Squares above 65,504 are inf in float16"
- size = (wide.square().mean(-1, keepdim=True) + eps).sqrt()  # (…, 1)
+ size = (x.square().float().mean(-1, keepdim=True) + eps).sqrt()

# %% wrong: float32 out -> "float16 in, float16 out"
- return (wide / size).to(x.dtype) * weight
+ return wide / size * weight.float()

# %% wrong: bfloat16 comes out as float16 -> "bfloat16 in, bfloat16 out"
- return (wide / size).to(x.dtype) * weight
+ return wide / size * weight if x.dtype in (torch.float32, torch.float64) else (wide / size * weight).half()

# %% wrong: the size detached -> "Is the size detached"
- return (wide / size).to(x.dtype) * weight
+ return (wide / size.detach()).to(x.dtype) * weight

# %% wrong: everything detached -> "No gradient reaches"
- return (wide / size).to(x.dtype) * weight
+ return ((wide / size).to(x.dtype) * weight).detach()

# %% wrong: x changed in place -> "changed one of its arguments in place"
- return (wide / size).to(x.dtype) * weight
+ return x.div_(size).mul_(weight) if not x.requires_grad else x / size * weight

# %% wrong: other argument names -> "Are its arguments called x, weight and eps?"
- def rms_norm(x, weight, eps=1e-6):
+ def rms_norm(x, gain, eps=1e-6):

- return (wide / size).to(x.dtype) * weight
+ return (wide / size).to(x.dtype) * gain

# %% wrong: nothing returned -> "Is there a `return`?"
- return (wide / size).to(x.dtype) * weight
+ (wide / size).to(x.dtype) * weight
