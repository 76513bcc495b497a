# %% right: x times sigmoid
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)

    def forward(self, x):
        gate = self.gate_proj(x)
        return self.down_proj(gate * torch.sigmoid(gate) * self.up_proj(x))

# %% right: nn.SiLU, and members by a loop
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        for name, size in (("gate", (d_model, d_ff)), ("up", (d_model, d_ff)), ("down", (d_ff, d_model))):
            self.add_module(f"{name}_proj", nn.Linear(*size, bias=False))
        self.silu = nn.SiLU()

    def forward(self, x):
        return self.down_proj(self.up_proj(x) * self.silu(self.gate_proj(x)))

# %% right: both projections in one product
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        both = torch.cat([self.gate_proj.weight, self.up_proj.weight])
        gate, up = (x @ both.mT).chunk(2, dim=-1)
        return (gate / (1 + torch.exp(-gate)) * up) @ self.down_proj.weight.mT

# %% right: silu in place
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate_proj, self.up_proj = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)
        self.drop = nn.Dropout(0.0)

    def forward(self, x):
        return self.drop(self.down_proj(nn.functional.silu(self.gate_proj(x), inplace=True) * self.up_proj(x)))

# %% wrong: silu on up -> "silu is on the up branch"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(self.gate_proj(x) * F.silu(self.up_proj(x)))

# %% wrong: a sigmoid -> "That is a sigmoid on the gate, as in GLU"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(self.gate_proj(x).sigmoid() * self.up_proj(x))

# %% wrong: gelu -> "That is gelu on the gate"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.gelu(self.gate_proj(x)) * self.up_proj(x))

# %% wrong: gelu by tanh -> "That is gelu on the gate"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.gelu(self.gate_proj(x), approximate="tanh") * self.up_proj(x))

# %% wrong: relu -> "That is relu on the gate"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.relu(self.gate_proj(x)) * self.up_proj(x))

# %% wrong: tanh -> "That is tanh on the gate"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(torch.tanh(self.gate_proj(x)) * self.up_proj(x))

# %% wrong: no activation -> "There is no activation on the gate"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(self.gate_proj(x) * self.up_proj(x))

# %% wrong: added -> "Gate and up are added"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.silu(self.gate_proj(x)) + self.up_proj(x))

# %% wrong: silu after the product -> "silu comes after the product"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.silu(self.gate_proj(x) * self.up_proj(x)))

# %% wrong: silu on both -> "silu is on both branches"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.silu(self.gate_proj(x)) * F.silu(self.up_proj(x)))

# %% wrong: silu of the sum -> "silu is on both, after a sum"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.silu(self.gate_proj(x) + self.up_proj(x)))

# %% wrong: the gate twice -> "up_proj is not used: the gate is multiplied by itself"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ gate = self.gate_proj(x)
+ return self.down_proj(F.silu(gate) * gate)

# %% wrong: up twice -> "gate_proj is not used: up is multiplied by itself"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ up = self.up_proj(x)
+ return self.down_proj(F.silu(up) * up)

# %% wrong: without up -> "up_proj is not used."
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.silu(self.gate_proj(x)))

# %% wrong: without the gate -> "gate_proj is not used."
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(self.up_proj(x))

# %% wrong: elu -> "That is elu on the gate"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.elu(self.gate_proj(x)) * self.up_proj(x))

# %% wrong: softplus -> "That is softplus on the gate"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.softplus(self.gate_proj(x)) * self.up_proj(x))

# %% wrong: mish -> "down(silu(gate) · up)"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.mish(self.gate_proj(x)) * self.up_proj(x))

# %% wrong: a relu at the end -> "There is a relu at the end"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x)).relu()

# %% wrong: silu at the end -> "There is an activation at the end"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return F.silu(self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x)))

# %% wrong: with the residual -> "x is added. The residual belongs around the layer"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return x + self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))

# %% wrong: a dropout -> "Is there a dropout?"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ hidden = F.dropout(F.silu(self.gate_proj(x)) * self.up_proj(x), 0.5, self.training)
+ return self.down_proj(hidden)

# %% wrong: with biases -> "Expected three nn.Linear with bias=False"
- self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
- self.up_proj = nn.Linear(d_model, d_ff, bias=False)
- self.down_proj = nn.Linear(d_ff, d_model, bias=False)
+ self.gate_proj = nn.Linear(d_model, d_ff)
+ self.up_proj = nn.Linear(d_model, d_ff)
+ self.down_proj = nn.Linear(d_ff, d_model)

# %% wrong: one bias left -> "down_proj.bias: expected none"
- self.down_proj = nn.Linear(d_ff, d_model, bias=False)
+ self.down_proj = nn.Linear(d_ff, d_model)

# %% wrong: other names -> "Is that it, under another name?"
- self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
+ self.w1 = nn.Linear(d_model, d_ff, bias=False)

- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.silu(self.w1(x)) * self.up_proj(x))

# %% wrong: one layer for both -> "Is one layer used in two places?"
- self.up_proj = nn.Linear(d_model, d_ff, bias=False)
+ self.up_proj = self.gate_proj

# %% wrong: down the wrong way round -> "expected (3, 5), got (5, 3)"
- self.down_proj = nn.Linear(d_ff, d_model, bias=False)
+ self.down_proj = nn.Linear(d_model, d_ff, bias=False)

# %% wrong: super forgotten -> "Is `super().__init__()` the first line"
- super().__init__()

# %% wrong: a norm inside -> "down(silu(gate) · up)"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ x = x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()
+ return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))

# %% wrong: the gate detached -> "No gradient reaches gate_proj.weight"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.silu(self.gate_proj(x)).detach() * self.up_proj(x))

# %% wrong: a gate that words share -> "gate 2, up 3"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ gate = F.silu(self.gate_proj(x)).mean(max(-2, -x.ndim), keepdim=True)
+ return self.down_proj(gate * self.up_proj(x))

# %% wrong: the hidden vector -> "the output in shape"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return F.silu(self.gate_proj(x)) * self.up_proj(x)

# %% wrong: another name of forward's argument -> "Is forward's argument called x?"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, words):
        return self.down_proj(F.silu(self.gate_proj(words)) * self.up_proj(words))
# %% right: a fused product by hand
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)

    def forward(self, x):
        both = torch.cat([self.gate_proj.weight, self.up_proj.weight])
        gate, up = F.linear(x, both).chunk(2, dim=-1)
        return F.linear(gate * torch.sigmoid(gate) * up, self.down_proj.weight)
# %% wrong of "a fused product by hand": the sigmoid of the negative -> "The sigmoid of −z is taken."
- return F.linear(gate * torch.sigmoid(gate) * up, self.down_proj.weight)
+ return F.linear(gate / (1 + gate.exp()) * up, self.down_proj.weight)

# %% wrong: no gate: silu(up) -> "gate_proj.weight plays no part"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(F.silu(self.up_proj(x)))

# %% wrong: silu of 1.702 z (quick gelu) as gate -> "another curve"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ g = self.gate_proj(x)
+ return self.down_proj(g * torch.sigmoid(1.702 * g) * self.up_proj(x))

# %% wrong: softmax as the gate -> "That is a softmax on the gate"
- return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
+ return self.down_proj(self.gate_proj(x).softmax(-1) * self.up_proj(x))
