"""PyTorch without its compiler: what students use works as ever, and does not import the compiler."""

from __future__ import annotations

import subprocess
import sys

from conftest import Hire, run

from nbproctor import zygote_process

COUNT = "print(sum(name.partition('.')[0] == 'sympy' or name.startswith('torch._dynamo.') for name in sys.modules))"

TRAINING = """
def trained(name):
    torch.manual_seed(5)
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    optimizer = getattr(torch.optim, name)(layer.parameters(), lr=0.1)
    later = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step)
    for _ in range(3):
        optimizer.zero_grad()
        out = layer(torch.ones(2, 3, 4), src_key_padding_mask=torch.tensor([[False, False, True]] * 2))
        out.backward(torch.ones_like(out))
        optimizer.step()
        later.step()
    return [weight.tolist() for weight in layer.parameters()]

def all_trained():
    return [trained(name) for name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad")]

"""


def test_an_optimizer_learns_the_same_numbers_without_the_compiler(hire: Hire) -> None:
    """Each optimizer learns the same numbers without the compiler as with it.

    The training has padded words, a gradient that is handed on, and several steps.
    """
    student = hire()
    without = run(student, f"import sys\n{TRAINING}\nwithout = all_trained()\n{COUNT}")
    assert without.strip() == "0"
    run(student, "import torch._dynamo.config, torch.fx.experimental.symbolic_shapes")
    assert int(run(student, COUNT)) > 400
    assert run(student, "print(all_trained() == without)").strip() == "True"


EVERY_DAY = """
import copy, inspect, io, pickle, sys
x = torch.ones(2, requires_grad=True)
torch.testing.assert_close(x * 2, 2 * x)
torch.autograd.grad(x * 2, x, torch.ones(2))
for call in (lambda: (x * 2).backward(torch.ones(3)), lambda: torch.testing.assert_close(x, x + 1)):
    try:
        call()
    except (RuntimeError, AssertionError) as error:
        print(str(error).splitlines()[0])
torch.save(x, file := io.BytesIO())
file.seek(0)
torch.load(file)
copy.deepcopy(torch.optim.AdamW([x]))
pickle.loads(pickle.dumps(nn.Linear(2, 2)))
inspect.getsource(nn.Linear)
assert torch.nn.functional in [module for module in sys.modules.values() if hasattr(module, "softmax")]
torch.vmap(torch.sin)(x)
torch.jit.script(nn.ReLU())
"""


def test_what_every_day_needs_does_not_import_it(hire: Hire) -> None:
    """What students use every day does not import the compiler, not even code that looks through all modules.

    Errors have PyTorch's own words.
    """
    told = run(hire(), EVERY_DAY + COUNT).splitlines()
    shapes = "grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([2])."
    assert told == [f"Mismatch in shape: {shapes}", "Tensor-likes are not close!", "0"]


ASKED_FOR = """
import sys
from nbproctor import uncompiled
uncompiled.install()
import torch
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.5)
def step():
    optimizer.zero_grad()
    (weight * 2).sum().backward()
    optimizer.step()
step()
kept = torch._dynamo
import torch.distributed.tensor
assert not isinstance(weight, torch.distributed.tensor.DTensor)
assert isinstance(sys.modules[uncompiled.DISTRIBUTED], uncompiled._StandIn)
import torch._dynamo.config
import torch.distributed.tensor.placement_types
from torch.fx.experimental.symbolic_shapes import statically_known_true
assert statically_known_true(True)
for name in (uncompiled.COMPILER, uncompiled.SHAPES, uncompiled.DISTRIBUTED):
    assert sys.modules[name].__spec__.origin.endswith(".py"), name
assert torch._dynamo is sys.modules["torch._dynamo"] is not kept
assert torch._dynamo.config is sys.modules["torch._dynamo.config"] is kept.config is torch._dynamo.eval_frame.config
step()
seen = []
torch.compile(lambda x: x * 2 + 1, backend=lambda graph, inputs: seen.append(graph) or graph.forward)(torch.ones(2))
assert seen
real = torch._dynamo
uncompiled.install()
assert torch._dynamo is real
print(weight.tolist())
"""


def test_who_asks_for_the_compiler_gets_it() -> None:
    """Code that asks for the compiler gets it, and it compiles; each module is there once, however it is asked for.

    An optimizer that was made before still works.
    """
    command = [sys.executable, "-W", "ignore", "-c", ASKED_FOR]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": zygote_process.import_path()}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)  # noqa: S603
    assert (done.returncode, done.stdout.strip()) == (0, "[-1.0, -1.0]"), done.stderr[-2000:]


NOTHING_DRAWN = """
import sys
from nbproctor import session
session.get_ready([])
import matplotlib.pyplot as plt
plt.rcParams.update({"font.size": 7})
print("matplotlib.figure" in sys.modules)
figure, axes = plt.subplots()
from matplotlib import pyplot
print(axes.title.get_fontsize(), pyplot.get_fignums(), type(sys.modules["matplotlib.pyplot"]).__name__)
"""


def test_an_examiner_has_no_pyplot_until_somebody_draws() -> None:
    """An examiner imports pyplot only when a check draws, and then with the settings that the setup cell has made."""
    done = subprocess.run([sys.executable, "-c", NOTHING_DRAWN], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "False\n8.4 [1] module\n"


AS_IMPORTED = """
words = nn.Embedding(50_000, 512, device="me" + "ta")
layer = nn.TransformerEncoderLayer(512, 8, batch_first=True, device="me" + "ta")
print(tuple(layer(words(torch.zeros(2, 7, dtype=torch.long, device="me" + "ta"))).shape))
print(torch.randint(9, (1,), generator=torch.Generator().manual_seed(0)).tolist())
data = torch.utils.data.TensorDataset(torch.arange(4))
print(len([*torch.utils.data.DataLoader(data, batch_size=2, shuffle=True)]))
print(tuple(torch.broadcast_shapes((2, 1), (3,))), tuple(torch.distributions.Dirichlet(torch.ones(2)).sample().shape))
print(all(hasattr(torch, name) for name in ("_decomp", "_prims", "_refs")))
"""


def test_what_importing_torch_brings_is_all_there(hire: Hire) -> None:
    """All that importing torch brings is there, even what a cell uses without naming it.

    That is the device `meta`, which this cell never spells out, generators, distributions and torch's private modules.
    """
    assert run(hire(), AS_IMPORTED).splitlines() == ["(2, 7, 512)", "[8]", "2", "(2, 3) (2,)", "True"]
