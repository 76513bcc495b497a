# %% right: a class outside
class Blocks(nn.Module):
    def __init__(self, blocks, norm):
        super().__init__()
        self.layers = nn.ModuleList(blocks)
        self.last = norm

    def forward(self, x, mask=None):
        for i in range(len(self.layers)):
            x = self.layers[i](x, mask)
        if self.last is not None:
            x = self.last(x)
        return x


def stack(make_block, n_layers, norm=None):
    return Blocks([make_block() for _ in range(n_layers)], norm)

# %% right: an Identity for no norm, and functools.reduce
from functools import reduce


def stack(make_block, n_layers, norm=None):
    class Stack(nn.Module):
        def forward(self, x, mask=None):
            return self.end(reduce(lambda x, layer: layer(x, mask), self.layers, x))

    module = Stack()
    module.layers = nn.ModuleList()
    for _ in range(n_layers):
        module.layers.append(make_block())
    module.end = nn.Identity() if norm is None else norm
    return module

# %% right: the norm under another name
- self.norm = norm
+ self.final_norm = norm

- return x if self.norm is None else self.norm(x)
+ return self.final_norm(x) if self.final_norm is not None else x

# %% right: the mask by keyword, which all blocks call mask
- x = layer(x, mask)
+ x = layer(x, mask=mask)

# %% wrong: the same block n times -> "stands in the list several times"
- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ self.layers = nn.ModuleList([make_block()] * n_layers)

# %% wrong: one block, copied -> "Call it once per layer, and copy nothing"
- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ from copy import deepcopy
+ block = make_block()
+ self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))

# %% wrong: shallow copies -> "stands in the list several times"
- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ from copy import copy
+ block = make_block()
+ self.layers = nn.ModuleList(copy(block) for _ in range(n_layers))

# %% wrong: make_block taken for a block -> "call it as make_block()"
- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ self.layers = nn.ModuleList(make_block for _ in range(n_layers))

# %% wrong: make_block gets the number of the layer -> "call it as make_block()"
- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ self.layers = nn.ModuleList(make_block(i) for i in range(n_layers))

# %% wrong: a plain list -> "a plain list"
- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ self.layers = [make_block() for _ in range(n_layers)]

# %% wrong: another name -> "self.layers, an nn.ModuleList"
- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ self.blocks = nn.ModuleList(make_block() for _ in range(n_layers))

- for layer in self.layers:
+ for layer in self.blocks:

# %% wrong: one layer too many -> "one block too many"
- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ self.layers = nn.ModuleList(make_block() for _ in range(n_layers + 1))

# %% wrong: one layer too few -> "layers 0 to 2"
- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ self.layers = nn.ModuleList(make_block() for _ in range(1, n_layers))

# %% wrong: three layers whatever n_layers -> "Is n_layers used"
- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ self.layers = nn.ModuleList(make_block() for _ in range(3))

# %% wrong: a block kept beside the layers -> "kept elsewhere as well"
  self.norm = norm
+ self.block = make_block()

# %% wrong: a Sequential, which takes no mask -> "stopped with TypeError"
- for layer in self.layers:
-     x = layer(x, mask)
+ x = nn.Sequential(*self.layers)(x, mask)

# %% wrong: the layers themselves returned -> "self.layers, an nn.ModuleList"
- return Stack()
+ return Stack().layers

# %% wrong: new blocks at every call -> "should become 32.5"
- for layer in self.layers:
-     x = layer(x, mask)
+ for layer in self.layers:
+     x = make_block()(x, mask)

# %% wrong: every layer reads x -> "Every layer reads x"
- for layer in self.layers:
-     x = layer(x, mask)
- return x if self.norm is None else self.norm(x)
+ for layer in self.layers:
+     out = layer(x, mask)
+ return out if self.norm is None else self.norm(out)

# %% wrong: walked backwards -> "from last to first"
- for layer in self.layers:
+ for layer in reversed(self.layers):

# %% wrong: return inside the loop -> "Only the first layer ran"
- for layer in self.layers:
-     x = layer(x, mask)
- return x if self.norm is None else self.norm(x)
+ for layer in self.layers:
+     x = layer(x, mask)
+     return x if self.norm is None else self.norm(x)

# %% wrong: last layer skipped -> "The last layer is missing"
- for layer in self.layers:
+ for layer in self.layers[:-1]:

# %% wrong: first layer skipped -> "The first layer is missing"
- for layer in self.layers:
+ for layer in self.layers[1:]:

# %% wrong: a residual around the stack -> "once more at the end"
- for layer in self.layers:
-     x = layer(x, mask)
- return x if self.norm is None else self.norm(x)
+ out = x
+ for layer in self.layers:
+     out = layer(out, mask)
+ out = x + out
+ return out if self.norm is None else self.norm(out)

# %% wrong: a residual around each layer -> "The residual belongs to the block"
- x = layer(x, mask)
+ x = x + layer(x, mask)

# %% wrong: outputs added up -> "are added up"
- for layer in self.layers:
-     x = layer(x, mask)
+ x = sum(layer(x, mask) for layer in self.layers)

# %% wrong: the first layer every time -> "The first layer runs three times"
- x = layer(x, mask)
+ x = self.layers[0](x, mask)

# %% wrong: x as it came -> "Nothing ran"
- x = layer(x, mask)
+ layer(x, mask)

# %% wrong: norm forgotten in forward -> "norm is not applied"
- return x if self.norm is None else self.norm(x)
+ return x

# %% wrong: norm after each layer -> "after each layer"
-     x = layer(x, mask)
- return x if self.norm is None else self.norm(x)
+     x = layer(x, mask)
+     x = x if self.norm is None else self.norm(x)
+ return x

# %% wrong: norm first -> "before the layers"
- for layer in self.layers:
+ x = x if self.norm is None else self.norm(x)
+ for layer in self.layers:

- return x if self.norm is None else self.norm(x)
+ return x

# %% wrong: norm in a list, not registered -> "Keep norm in self"
- self.norm = norm
+ self.norms = [norm]

- return x if self.norm is None else self.norm(x)
+ return x if self.norms[0] is None else self.norms[0](x)

# %% wrong: norm as one more layer -> "is norm kept beside the layers"
- self.norm = norm
+ if norm is not None:
+     self.layers.append(norm)

- return x if self.norm is None else self.norm(x)
+ return x

# %% wrong: norm twice -> "norm is applied twice"
- return x if self.norm is None else self.norm(x)
+ return x if self.norm is None else self.norm(self.norm(x))

# %% wrong: norm gets the mask too -> "and norm(x) alone"
- return x if self.norm is None else self.norm(x)
+ return x if self.norm is None else self.norm(x, mask)

# %% wrong: norm is required -> "stopped with TypeError"
- def stack(make_block, n_layers, norm=None):
+ def stack(make_block, n_layers, norm):

# %% wrong: mask not passed on -> "The mask is not handed on"
- x = layer(x, mask)
+ x = layer(x)

# %% wrong: mask for the first layer only -> "Only the first layer got it"
- x = layer(x, mask)
+ x, mask = layer(x, mask), None

# %% wrong: mask turned round on the way -> "inverted on the way"
- x = layer(x, mask)
+ x = layer(x, mask if mask is None else ~mask)

# %% wrong: forward takes no mask -> "(x, mask=None)"
- def forward(self, x, mask=None):
+ def forward(self, x):

- x = layer(x, mask)
+ x = layer(x)

# %% wrong: other names of the arguments -> "Keep the arguments' names"
- def stack(make_block, n_layers, norm=None):
+ def stack(make, depth, norm=None):

- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ self.layers = nn.ModuleList(make() for _ in range(depth))

# %% wrong: a list returned -> "Expected an nn.Module, got list"
- return Stack()
+ return [make_block() for _ in range(n_layers)]

# %% wrong: the class returned -> "Return an object of your class"
- return Stack()
+ return Stack

# %% wrong: no return -> "`return`"
- return Stack()
+ Stack()

# %% wrong: forward without return -> "Is there a `return`"
- return x if self.norm is None else self.norm(x)
+ x = x if self.norm is None else self.norm(x)

# %% wrong: blocks frozen -> "takes no gradient"
  self.norm = norm
+ self.requires_grad_(False)

# %% wrong: each layer's input detached -> "No gradient reaches x"
- x = layer(x, mask)
+ x = layer(x.detach(), mask)

# %% wrong: without gradients -> "No gradient reaches"
+ @torch.no_grad()
  def forward(self, x, mask=None):

# %% wrong: NaN everywhere -> "NaN"
- return x if self.norm is None else self.norm(x)
+ return x * torch.nan

# %% shortcut: nn.TransformerEncoder subclassed
def stack(make_block, n_layers, norm=None):
    return nn.TransformerEncoder(make_block(), n_layers, norm)
# %% right: a class by this name
class stack(nn.Module):
    def __init__(self, make_block, n_layers, norm=None):
        super().__init__()
        self.layers = nn.ModuleList([make_block() for _ in range(n_layers)])
        self.norm = nn.Identity() if norm is None else norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)
# %% wrong: norm in training mode alone -> "norm is not applied in eval mode"
- return x if self.norm is None else self.norm(x)
+ return self.norm(x) if self.norm is not None and self.training else x
# %% wrong: always in eval mode -> "The layers ran in eval mode, although the module is in training"
- for layer in self.layers:
+ self.eval()
+ for layer in self.layers:
# %% wrong: a copy of norm -> "This is what a copy of norm gives"
- self.norm = norm
+ import copy
+ self.norm = copy.deepcopy(norm)
# %% right: each block and the names of the parts in an OrderedDict, norm as it came
from collections import OrderedDict


def stack(make_block, n_layers, norm=None):
    class Stack(nn.Module):
        def __init__(self, parts):
            super().__init__()
            for name, part in parts.items():
                self.add_module(name, part)

        def forward(self, x, mask=None):
            for layer in self.layers.children():
                x = layer(x, mask)
            return x if self._modules["norm"] is None else self.norm(x)

    blocks = nn.ModuleList()
    blocks.extend([make_block() for _ in range(n_layers)])
    return Stack(OrderedDict(layers=blocks, norm=norm))
# %% wrong: norm called to make one -> "norm is a module already"
- self.norm = norm
+ self.norm = norm() if norm else None
# %% shortcut: nn.TransformerEncoder held and told to use these blocks
- self.norm = norm
+ self.norm = norm
+ one = nn.TransformerEncoderLayer(4, 1, 4)
+ self.held = [nn.TransformerEncoder(one, 1, enable_nested_tensor=False)]

- for layer in self.layers:
+ self.held[0].layers = self.layers
+ for layer in self.layers:
# %% right: blocks named in order, found by their place
def stack(make_block, n_layers, norm=None):
    class Stack(nn.Module):
        def __init__(self, blocks, last):
            super().__init__()
            self.layers = nn.ModuleList()
            self.layers.extend(blocks)
            if last is not None:
                self.add_module("last", last)

        def forward(self, x, mask=None):
            for place in range(len(self.layers)):
                x = self.layers[place](x, mask)
            return self.last(x) if hasattr(self, "last") else x

    return Stack([make_block() for _ in range(n_layers)], norm)
# %% wrong: what norm reads is detached -> "No gradient reaches"
- return x if self.norm is None else self.norm(x)
+ return x if self.norm is None else self.norm(x.detach())
# %% wrong: the last layer once more -> "The last layer runs twice"
- return x if self.norm is None else self.norm(x)
+ x = layer(x, mask)
+ return x if self.norm is None else self.norm(x)
# %% wrong: the mean over the layers -> "The result is divided by 3"
- return x if self.norm is None else self.norm(x)
+ x = x / len(self.layers)
+ return x if self.norm is None else self.norm(x)

# %% wrong: new blocks at each call -> "Does forward make new blocks?"
- for layer in self.layers:
-     x = layer(x, mask)
+ for _ in range(n_layers):
+     x = make_block()(x, mask)
# %% wrong: the mask used in training only -> "Does each layer get the mask in both modes?"
- x = layer(x, mask)
+ x = layer(x, mask) if self.training else layer(x)
# %% wrong: norm is called though there is none -> "Without a norm there is nothing to call"
- return x if self.norm is None else self.norm(x)
+ return self.norm(x)
# %% wrong: a Sequential for the list -> "Expected an nn.ModuleList in layers"
- self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
+ self.layers = nn.Sequential(*(make_block() for _ in range(n_layers)))
# %% wrong: one list for all stacks -> "Is the list made in each call?"
LAYERS = nn.ModuleList()


def stack(make_block, n_layers, norm=None):
    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = LAYERS
            self.layers.extend(make_block() for _ in range(n_layers))
            self.norm = norm

        def forward(self, x, mask=None):
            for layer in self.layers:
                x = layer(x, mask)
            return x if self.norm is None else self.norm(x)

    return Stack()
# %% wrong: a causal mask where none is given -> "No mask is given, and a layer gets one"
  def forward(self, x, mask=None):
+     if mask is None:
+         mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
# %% wrong: in eval mode from the start -> "The stack comes in eval mode"
- return Stack()
+ return Stack().eval()
# %% wrong: a norm where none is given -> "Is a norm applied, though none is given?"
- return x if self.norm is None else self.norm(x)
+ return F.layer_norm(x, x.shape[-1:]) if self.norm is None else self.norm(x)

# %% wrong: the first call's mask is kept -> "Or is an earlier call's kept?"
  def forward(self, x, mask=None):
+     mask = self.first = getattr(self, "first", mask)
