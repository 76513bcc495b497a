# %% right: a class outside
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% right: copies appended one by one, norm copied, a recursion
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(n_layers):
            self.layers.append(deepcopy(block))
        self.norm = deepcopy(norm)

    def forward(self, x, mask=None):
        def walk(x, i):
            return x if i == len(self.layers) else walk(self.layers[i](x, mask=mask), i + 1)

        x = walk(x, 0)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% right: an Identity for no norm, functools.reduce
import copy
import functools


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(copy.deepcopy(block) for _ in range(n_layers))
        self.norm = nn.Identity() if norm is None else norm

    def forward(self, x, mask=None):
        return self.norm(functools.reduce(lambda h, layer: layer(h, mask), self.layers, x))


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% right: an empty module filled from outside
import copy
import types


def stack(block, n_layers, norm=None):
    class Layers(nn.Module):
        def forward(self, x, mask=None):
            for index in range(len(self.layers)):
                x = self.layers[index](x, mask)
            return self.norm(x) if norm is not None else x

    module = Layers()
    module.layers = nn.ModuleList([copy.deepcopy(block) for _ in range(n_layers)])
    module.norm = norm
    return module
# %% wrong: the same block n times -> "share one copy"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList([block] * n_layers)
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: one copy n times -> "share one copy"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList([deepcopy(block)] * n_layers)
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: block itself first, then copies -> "Is block itself the first layer"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList([block] + [deepcopy(block) for _ in range(n_layers - 1)])
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: shallow copies share their parameters -> "share one copy"
from copy import copy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(copy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: newly made instead of copied -> "not newly made"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(type(block)() for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: a plain list -> "plain list"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = [deepcopy(block) for _ in range(n_layers)]
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: another name -> "Missing"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.blocks = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.blocks:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: one layer too many -> "one copy too many"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers + 1))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: one layer too few -> "Missing"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(1, n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: block kept as well -> "hold block itself"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.block = block
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: every layer reads x -> "Does every layer read x"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            out = layer(x, mask)
        x = out
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: walked backwards -> "last to first"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in reversed(self.layers):
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: return inside the loop -> "stop after the first"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
            return x
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: last layer skipped -> "one layer missing"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers[:-1]:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: a residual around the stack -> "Is x added once more"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        start = x
        for layer in self.layers:
            x = layer(x, mask)
        x = x + start
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: a residual around each layer -> "applied once, to what the one before returned"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = x + layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: outputs added up -> "outputs added up"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        x = sum(layer(x, mask) for layer in self.layers)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: the first layer every time -> "the first layer asked three times"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = self.layers[0](x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: norm forgotten -> "norm left out"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: norm after each layer -> "after each layer"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
            if self.norm is not None:
                x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: norm first -> "before the layers"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        if self.norm is not None:
            x = self.norm(x)
        for layer in self.layers:
            x = layer(x, mask)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: norm in a list, not registered -> "Is norm kept in self"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = [norm]

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm[0] is not None:
            x = self.norm[0](x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: norm twice -> "once, after the last layer"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(self.norm(x))
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: copies frozen -> hidden: "require"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block).requires_grad_(False) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: mask not passed on -> "Is mask handed to the layers"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: mask for the first layer only -> "to one layer only"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
            mask = None
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: mask turned round on the way -> "Is it turned round on the way"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, None if mask is None else ~mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: a list returned -> "of an object and not of a list or a class"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return [deepcopy(block) for _ in range(n_layers)]
# %% wrong: the class returned -> "of an object and not of a list or a class"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack
# %% wrong: no return -> "`return`"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    Stack(block, n_layers, norm)
# %% wrong: forward without return -> "`return` in forward"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: NaN everywhere -> "got nan"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x * float('nan')


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% wrong: x as it came -> "got 1.00"
from copy import deepcopy


class Stack(nn.Module):
    def __init__(self, block, n_layers, norm):
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x, mask=None):
        if self.norm is not None:
            x = self.norm(x)
        return x


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm)
# %% shortcut: nn.TransformerEncoder subclassed
class Stack(nn.TransformerEncoder):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return x if self.norm is None else self.norm(x)


def stack(block, n_layers, norm=None):
    return Stack(block, n_layers, norm, enable_nested_tensor=False)

# %% wrong: three layers whatever n_layers -> "Is n_layers used"
from copy import deepcopy


def stack(block, n_layers, norm=None):
    """n_layers independent copies of block in a row, then norm: a module (x, mask=None) -> the shape of x."""
    ### BEGIN SOLUTION
    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(deepcopy(block) for _ in range(3))
            self.norm = norm

        def forward(self, x, mask=None):
            for layer in self.layers:
                x = layer(x, mask)
            return x if self.norm is None else self.norm(x)

    return Stack()
    ### END SOLUTION

# %% wrong: norm under another name -> "Is norm kept in self"
from copy import deepcopy


def stack(block, n_layers, norm=None):
    """n_layers independent copies of block in a row, then norm: a module (x, mask=None) -> the shape of x."""
    ### BEGIN SOLUTION
    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
            self.final_norm = norm

        def forward(self, x, mask=None):
            for layer in self.layers:
                x = layer(x, mask)
            return x if self.final_norm is None else self.final_norm(x)

    return Stack()
    ### END SOLUTION

# %% wrong: each layer's input detached -> hidden: "not have been used"
from copy import deepcopy


def stack(block, n_layers, norm=None):
    """n_layers independent copies of block in a row, then norm: a module (x, mask=None) -> the shape of x."""
    ### BEGIN SOLUTION
    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(deepcopy(block) for _ in range(n_layers))
            self.norm = norm

        def forward(self, x, mask=None):
            for layer in self.layers:
                x = layer(x.detach(), mask)
            return x if self.norm is None else self.norm(x)

    return Stack()
    ### END SOLUTION

# %% right: copies by map
from copy import deepcopy


def stack(block, n_layers, norm=None):
    """n_layers independent copies of block in a row, then norm: a module (x, mask=None) -> the shape of x."""
    ### BEGIN SOLUTION
    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(map(deepcopy, n_layers * [block]))
            self.norm = norm

        def forward(self, x, mask=None):
            for layer in self.layers:
                x = layer(x, mask)
            return x if self.norm is None else self.norm(x)

    return Stack()
    ### END SOLUTION
