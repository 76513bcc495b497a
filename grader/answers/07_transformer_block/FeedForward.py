# %% right: modules in a dictionary
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
        super().__init__()
        known = {"relu": nn.ReLU, "gelu": nn.GELU}
        if activation not in known:
            raise ValueError(f"activation: expected one of {sorted(known)}, got {activation}")
        self.activation = known[activation]()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))
# %% right: F.dropout with training=self.training
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"unknown activation {activation!r}")
        self.activation = F.relu if activation == "relu" else F.gelu
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.rate = dropout

    def forward(self, x):
        hidden = self.activation(self.linear1(x))
        return self.linear2(F.dropout(hidden, self.rate, self.training))
# %% right: matrices by hand, second layer first
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
        super().__init__()
        self.linear2, self.linear1 = nn.Linear(d_ff, d_model), nn.Linear(d_model, d_ff)
        self.p, self.name = dropout, activation

    def forward(self, x):
        hidden = x @ self.linear1.weight.T + self.linear1.bias
        if self.name == "relu":
            hidden = hidden.clamp(min=0)
        elif self.name == "gelu":
            hidden = hidden * 0.5 * (1 + torch.erf(hidden / 2**0.5))
        else:
            raise ValueError("no activation " + self.name)
        if self.training and self.p == 1:
            hidden = hidden * 0
        elif self.training:
            hidden = hidden * (torch.rand_like(hidden) >= self.p) / (1 - self.p)
        return hidden @ self.linear2.weight.T + self.linear2.bias
# %% right: dropout before the relu, which is the same, after the gelu
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"unknown activation {activation!r}")
        self.activation = F.relu if activation == "relu" else F.gelu
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        hidden = self.linear1(x)
        if self.activation is F.relu:
            return self.linear2(self.activation(self.dropout(hidden)))
        return self.linear2(self.dropout(self.activation(hidden)))
# %% wrong of "dropout before the relu, which is the same, after the gelu": no activation -> "There is no activation between the layers"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return self.linear2(self.dropout(self.linear1(x)))
# %% wrong of "dropout before the relu, which is the same, after the gelu": activation after linear2 only -> "an activation after linear2"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return self.activation(self.linear2(self.dropout(self.linear1(x))))
# %% wrong of "dropout before the relu, which is the same, after the gelu": activation after both -> "an activation after linear2"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return self.activation(self.linear2(self.dropout(self.activation(self.linear1(x)))))
# %% wrong of "modules in a dictionary": always gelu -> "The default is"
-         known = {"relu": nn.ReLU, "gelu": nn.GELU}
-         if activation not in known:
-             raise ValueError(f"activation: expected one of {sorted(known)}, got {activation}")
-         self.activation = known[activation]()
+         if activation not in ("relu", "gelu"):
+             raise ValueError(f"unknown activation {activation!r}")
+         self.activation = F.gelu
# %% wrong of "modules in a dictionary": always relu -> "used?"
-         known = {"relu": nn.ReLU, "gelu": nn.GELU}
-         if activation not in known:
-             raise ValueError(f"activation: expected one of {sorted(known)}, got {activation}")
-         self.activation = known[activation]()
+         if activation not in ("relu", "gelu"):
+             raise ValueError(f"unknown activation {activation!r}")
+         self.activation = F.relu
# %% wrong of "modules in a dictionary": leaky relu -> "That is leaky_relu"
-         known = {"relu": nn.ReLU, "gelu": nn.GELU}
-         if activation not in known:
-             raise ValueError(f"activation: expected one of {sorted(known)}, got {activation}")
-         self.activation = known[activation]()
+         if activation not in ("relu", "gelu"):
+             raise ValueError(f"unknown activation {activation!r}")
+         self.activation = F.leaky_relu if activation == "relu" else F.gelu
# %% wrong of "dropout before the relu, which is the same, after the gelu": activation on x before linear1 -> "Apply it to linear1's result"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return self.linear2(self.dropout(self.linear1(self.activation(x))))
# %% wrong of "modules in a dictionary": tanh approximation -> "tanh approximation"
-         known = {"relu": nn.ReLU, "gelu": nn.GELU}
-         if activation not in known:
-             raise ValueError(f"activation: expected one of {sorted(known)}, got {activation}")
-         self.activation = known[activation]()
+         if activation not in ("relu", "gelu"):
+             raise ValueError(f"unknown activation {activation!r}")
+         self.activation = F.relu if activation == "relu" else nn.GELU(approximate='tanh')
# %% wrong of "modules in a dictionary": silu for gelu -> "Use F.gelu as it is"
-         known = {"relu": nn.ReLU, "gelu": nn.GELU}
-         if activation not in known:
-             raise ValueError(f"activation: expected one of {sorted(known)}, got {activation}")
-         self.activation = known[activation]()
+         if activation not in ("relu", "gelu"):
+             raise ValueError(f"unknown activation {activation!r}")
+         self.activation = F.relu if activation == "relu" else F.silu
# %% wrong of "dropout before the relu, which is the same, after the gelu": default gelu -> "The default is"
-     def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
+     def __init__(self, d_model, d_ff, dropout=0.0, activation="gelu"):

-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return self.linear2(self.dropout(self.activation(self.linear1(x))))
# %% wrong of "dropout before the relu, which is the same, after the gelu": no dropout -> "There is no dropout"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return self.linear2((self.activation(self.linear1(x))))
# %% wrong of "dropout before the relu, which is the same, after the gelu": dropout after linear2 -> "after linear2"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return self.dropout(self.linear2(self.activation(self.linear1(x))))
# %% wrong of "dropout before the relu, which is the same, after the gelu": dropout twice -> "It fell twice, on the hidden layer and after linear2"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return self.dropout(self.linear2(self.dropout(self.activation(self.linear1(x)))))
# %% wrong of "dropout before the relu, which is the same, after the gelu": dropout before the activation -> "before the activation"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return self.linear2(self.activation(self.dropout(self.linear1(x))))
# %% wrong of "dropout before the relu, which is the same, after the gelu": dropout on x -> "before the activation"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return self.linear2(self.activation(self.linear1(self.dropout(x))))
# %% wrong of "F.dropout with training=self.training": F.dropout without training -> "Does the dropout know that the module is not in training"
-         hidden = self.activation(self.linear1(x))
-         return self.linear2(F.dropout(hidden, self.rate, self.training))
+         return self.linear2(F.dropout(p=self.rate, input=self.activation(self.linear1(x))))
# %% wrong of "F.dropout with training=self.training": rate of keeping for rate of dropping, fixed at 0.1 -> "Drop from the activated hidden layer, with the rate that"
-         self.rate = dropout
+         self.dropout = nn.Dropout(0.1)

-         hidden = self.activation(self.linear1(x))
-         return self.linear2(F.dropout(hidden, self.rate, self.training))
+         return self.linear2(self.dropout(self.activation(self.linear1(x))))
# %% wrong of "modules in a dictionary": any other name is gelu -> "yourself, and raise a ValueError for any other."
-         known = {"relu": nn.ReLU, "gelu": nn.GELU}
-         if activation not in known:
-             raise ValueError(f"activation: expected one of {sorted(known)}, got {activation}")
-         self.activation = known[activation]()
+         self.activation = F.relu if activation == "relu" else F.gelu
# %% wrong of "modules in a dictionary": KeyError from a dictionary -> "got KeyError"
-         known = {"relu": nn.ReLU, "gelu": nn.GELU}
-         if activation not in known:
-             raise ValueError(f"activation: expected one of {sorted(known)}, got {activation}")
-         self.activation = known[activation]()
+         self.activation = {'relu': F.relu, 'gelu': F.gelu}[activation]
# %% wrong of "modules in a dictionary": getattr takes whatever F has -> "yourself, and raise a ValueError for any other."
-         known = {"relu": nn.ReLU, "gelu": nn.GELU}
-         if activation not in known:
-             raise ValueError(f"activation: expected one of {sorted(known)}, got {activation}")
-         self.activation = known[activation]()
+         self.activation = getattr(F, activation)
# %% wrong of "modules in a dictionary": ValueError without the name -> "Its message should also name tanh"
-         known = {"relu": nn.ReLU, "gelu": nn.GELU}
-         if activation not in known:
-             raise ValueError(f"activation: expected one of {sorted(known)}, got {activation}")
-         self.activation = known[activation]()
+         if activation not in ("relu", "gelu"):
+             raise ValueError("unknown activation")
+         self.activation = F.relu if activation == "relu" else F.gelu
# %% wrong: no biases -> "with bias"
- self.linear1 = nn.Linear(d_model, d_ff)
- self.linear2 = nn.Linear(d_ff, d_model)
+ self.linear1 = nn.Linear(d_model, d_ff, bias=False)
+ self.linear2 = nn.Linear(d_ff, d_model, bias=False)
# %% wrong: other names -> "Are linear1 and linear2 the only layers, both nn.Linear"
- self.linear1 = nn.Linear(d_model, d_ff)
- self.linear2 = nn.Linear(d_ff, d_model)
+ self.fc1 = nn.Linear(d_model, d_ff)
+ self.fc2 = nn.Linear(d_ff, d_model)

- hidden = self.activation(self.linear1(x))
- return self.linear2(self.dropout(hidden))
+ return self.fc2(self.dropout(self.activation(self.fc1(x))))
# %% wrong: widths turned round -> "Are linear1 and linear2 the only layers, both nn.Linear"
- self.linear1 = nn.Linear(d_model, d_ff)
- self.linear2 = nn.Linear(d_ff, d_model)
+ self.linear1 = nn.Linear(d_ff, d_model)
+ self.linear2 = nn.Linear(d_model, d_ff)
# %% wrong: four times the width whatever d_ff -> "Are linear1 and linear2 the only layers, both nn.Linear"
- self.linear1 = nn.Linear(d_model, d_ff)
- self.linear2 = nn.Linear(d_ff, d_model)
+ self.linear1 = nn.Linear(d_model, 4 * d_model)
+ self.linear2 = nn.Linear(4 * d_model, d_model)
# %% wrong of "F.dropout with training=self.training": a norm inside -> "Are linear1 and linear2 the only layers, both nn.Linear"
-         self.rate = dropout
+         self.norm = nn.LayerNorm(d_model)
+         self.dropout = nn.Dropout(dropout)

-         hidden = self.activation(self.linear1(x))
-         return self.linear2(F.dropout(hidden, self.rate, self.training))
+         return self.linear2(self.dropout(self.activation(self.linear1(self.norm(x)))))
# %% wrong of "dropout before the relu, which is the same, after the gelu": residual inside -> "The residual belongs to the block"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return x + self.linear2(self.dropout(self.activation(self.linear1(x))))
# %% wrong of "dropout before the relu, which is the same, after the gelu": linear2 forgotten -> "Apply linear2 at the end"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return self.dropout(self.activation(self.linear1(x)))
# %% wrong of "dropout before the relu, which is the same, after the gelu": no return -> "`return`"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         out = self.linear2(self.dropout(self.activation(self.linear1(x))))
# %% wrong of "F.dropout with training=self.training": one word's hidden layer for all -> "every word pass alone"
-         self.rate = dropout
+         self.dropout = nn.Dropout(dropout)

-         return self.linear2(F.dropout(hidden, self.rate, self.training))
+         return self.linear2(self.dropout(hidden.mean(-2, keepdim=True).expand_as(hidden)))
# %% wrong of "dropout before the relu, which is the same, after the gelu": NaN everywhere -> "Is something divided by 0, or is a number too large for exp"
-         hidden = self.linear1(x)
-         if self.activation is F.relu:
-             return self.linear2(self.activation(self.dropout(hidden)))
-         return self.linear2(self.dropout(self.activation(hidden)))
+         return x * float('nan')
# %% wrong: rate of keeping for rate of dropping -> "It is what is dropped"
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(1 - dropout)
# %% wrong: a bare Exception -> "got Exception"
- raise ValueError(f"activation: expected 'relu' or 'gelu', got {activation!r}")
+ raise Exception(f"activation: expected 'relu' or 'gelu', got {activation!r}")
# %% wrong: a class for a function -> "Any axes may stand before the last one"
- self.activation = getattr(F, activation)
+ self.activation = nn.ReLU if activation == "relu" else nn.GELU
# %% wrong: three axes only -> "Any axes may stand before"
- hidden = self.activation(self.linear1(x))
+ b, t, d = x.shape
+ hidden = self.activation(self.linear1(x))
# %% wrong: whole words dropped -> "or whole words, are dropped"
- return self.linear2(self.dropout(hidden))
+ return self.linear2(hidden * self.dropout(torch.ones_like(hidden[..., :1])))
# %% right: refused in forward
- if activation not in ("relu", "gelu"):
-     raise ValueError(f"activation: expected 'relu' or 'gelu', got {activation!r}")
- self.activation = getattr(F, activation)
+ self.name = activation
+ self.activation = {"relu": F.relu, "gelu": F.gelu}.get(activation)

- hidden = self.activation(self.linear1(x))
+ if self.activation is None:
+     raise ValueError(f"what is {self.name}?")
+ hidden = self.activation(self.linear1(x))
# %% wrong: whole words dropped by Dropout2d -> "dropout=0.25"
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout2d(dropout)

# %% wrong: activation before dropout in the arguments -> "in this order"
- def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
+ def __init__(self, d_model, d_ff, activation="relu", dropout=0.0):

# %% wrong: linear2 first -> "linear1 comes first"
- hidden = self.activation(self.linear1(x))
- return self.linear2(self.dropout(hidden))
+ hidden = self.activation(self.linear2(x))
+ return self.linear1(self.dropout(hidden))

# %% wrong: names in capitals are taken, too -> "yourself, and raise a ValueError for any other."
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
        super().__init__()
        if activation.lower() not in ("relu", "gelu"):
            raise ValueError(f"activation must be relu or gelu, got {activation!r}")
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout, self.curve = nn.Dropout(dropout), getattr(F, activation.lower())

    def forward(self, x):
        return self.linear2(self.dropout(self.curve(self.linear1(x))))
# %% wrong: what is kept is not divided -> "as nn.Dropout does"
- return self.linear2(self.dropout(hidden))
+ if self.training:
+     hidden = hidden * (torch.rand_like(hidden) >= self.dropout.p)
+ return self.linear2(hidden)
# %% wrong: relu's result dropped in place -> "or an inplace=True"
- self.dropout = nn.Dropout(dropout)
+ self.dropout = nn.Dropout(dropout, inplace=True)
# %% right: recomputed in the backward pass
- hidden = self.activation(self.linear1(x))
- return self.linear2(self.dropout(hidden))
+ def inner(x):
+     return self.linear2(self.dropout(self.activation(self.linear1(x))))
+ from torch.utils.checkpoint import checkpoint
+ return checkpoint(inner, x, use_reentrant=False)
# %% wrong: silu is taken, too -> "yourself, and raise a ValueError for any other."
- if activation not in ("relu", "gelu"):
+ if activation not in ("relu", "gelu", "silu"):
# %% wrong: relu6 -> "leave large numbers as they are"
- self.activation = getattr(F, activation)
+ self.activation = {"relu": F.relu6, "gelu": F.gelu}[activation]
# %% wrong: in one text instead of a tuple, where elu is found, too -> "Does `in` look into one text?"
- if activation not in ("relu", "gelu"):
+ if activation not in "relu, gelu":
# %% wrong: unequal to one or to the other -> "joined by `or`, one of them always holds"
- if activation not in ("relu", "gelu"):
+ if activation != "relu" or activation != "gelu":
# %% wrong: elu for relu -> "That is elu"
- self.activation = getattr(F, activation)
+ self.activation = {"relu": F.elu, "gelu": F.gelu}[activation]
# %% wrong: sigmoid for relu -> "That is sigmoid"
- self.activation = getattr(F, activation)
+ self.activation = {"relu": torch.sigmoid, "gelu": F.gelu}[activation]
# %% wrong: tanh for relu -> "That is tanh"
- self.activation = getattr(F, activation)
+ self.activation = {"relu": torch.tanh, "gelu": F.gelu}[activation]
# %% wrong: abs for relu -> "That is abs"
- self.activation = getattr(F, activation)
+ self.activation = {"relu": torch.abs, "gelu": F.gelu}[activation]
# %% wrong: linear1's weight once more for the way back -> "linear1's weight is used in both steps"
- return self.linear2(self.dropout(hidden))
+ return self.dropout(hidden) @ self.linear1.weight + self.linear2.bias
# %% wrong: dropout on what linear1 reads, too -> "It also fell before the activation"
- hidden = self.activation(self.linear1(x))
+ hidden = self.activation(self.linear1(self.dropout(x)))
# %% wrong: a config for the arguments -> "The arguments are d_model, d_ff, dropout and activation, in this order"
- def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
+ def __init__(self, config):
+     d_model, d_ff, dropout, activation = config
# %% right: gelu by the error function, relu by where
- self.activation = getattr(F, activation)
+ curves = {"relu": lambda t: torch.where(t > 0, t, torch.zeros_like(t))}
+ curves["gelu"] = lambda t: 0.5 * t * (1 + torch.erf(t / 2**0.5))
+ self.activation = curves[activation]

# %% wrong: all words in one row -> "Does every axis stay?"
- hidden = self.activation(self.linear1(x))
+ hidden = self.activation(self.linear1(x.flatten(0, -2)))
# %% wrong: one toss for all words -> "a toss of its own"
- return self.linear2(self.dropout(hidden))
+ return self.linear2(hidden * self.dropout(torch.ones(hidden.shape[-1])))
# %% wrong: both layers share one weight -> "linear1's weight is used in both steps"
- self.dropout = nn.Dropout(dropout)
+ self.linear2.weight = nn.Parameter(self.linear1.weight.T)
+ self.dropout = nn.Dropout(dropout)

- return self.linear2(self.dropout(hidden))
+ return self.dropout(hidden) @ self.linear1.weight + self.linear2.bias
# %% wrong: the mean of the words taken off -> "Is a mean taken off x"
- hidden = self.activation(self.linear1(x))
+ hidden = self.activation(self.linear1(x - x.mean(-2, keepdim=True)))
# %% wrong: words and columns swapped before linear1 -> "Are words and columns swapped"
- hidden = self.activation(self.linear1(x))
+ hidden = self.activation(self.linear1(x.transpose(1, 2)))
# %% right: a sequence that is no part of the state
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation: expected 'relu' or 'gelu', got {activation!r}")
        self.linear1 = nn.Linear(in_features=d_model, out_features=d_ff)
        self.middle = nn.Sequential(getattr(nn, "ReLU" if activation == "relu" else "GELU")(), nn.Dropout(dropout))
        self.linear2 = nn.Linear(in_features=d_ff, out_features=d_model)

    def forward(self, x):
        for part in (self.linear1, self.middle, self.linear2):
            x = part(x)
        return x
# %% wrong of "a sequence that is no part of the state": dropped twice -> "It fell twice on the hidden layer. Drop once."
- for part in (self.linear1, self.middle, self.linear2):
+ for part in (self.linear1, self.middle, self.middle[1], self.linear2):
# %% wrong of "a sequence that is no part of the state": dropout at the input -> "on x or on linear1's result. Drop after it."
- for part in (self.linear1, self.middle, self.linear2):
+ for part in (self.middle[1], self.linear1, self.middle[0], self.linear2):
# %% right: the activation is kept as a function
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation: expected 'relu' or 'gelu', got {activation!r}")
        self.act = {"relu": torch.relu, "gelu": F.gelu}[activation]
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.p = dropout

    def forward(self, x):
        hidden = F.dropout(self.act(self.linear1(x)), p=self.p, training=self.training)
        return hidden @ self.linear2.weight.mT + self.linear2.bias
# %% wrong of "the activation is kept as a function": a reshape for a transpose -> "A reshape reads the numbers in rows and mixes them. Use .T."
- return hidden @ self.linear2.weight.mT + self.linear2.bias
+ return hidden @ self.linear2.weight.reshape(self.linear2.weight.shape[::-1]) + self.linear2.bias
# %% wrong of "the activation is kept as a function": the bias is forgotten -> "leaves it out, and linear2(hidden) adds it"
- return hidden @ self.linear2.weight.mT + self.linear2.bias
+ return hidden @ self.linear2.weight.mT
# %% wrong of "a sequence that is no part of the state": the result is added to itself -> "The result is doubled."
- return x
+ return x + x
