"""Honest idioms that look like tampering are told as habits, and what an attacker would make of each as an attack."""

from __future__ import annotations

import ast

import pytest

from nbproctor.suspicion import findings_in

# Kind of idiom -> first an honest piece of code, then hostile ones that resemble it.
TWINS = {
    "the name of a function": (
        "import sys\ndef here():\n    print(sys._getframe().f_code.co_name, sys._getframe(1).f_back.f_lineno)\n"
        "try:\n    1 / 0\nexcept Exception as error:\n    print(error.__traceback__.tb_frame.f_code.co_name)\n",
        "import sys\ndef f(x):\n    return sys._getframe(1).f_locals\n",
        "import sys\ndef f(x):\n    sys._getframe().f_back.f_code.co_consts\n",
        "import sys\nframe = sys._getframe(); name = frame.f_back.f_back.f_globals['expected']\n",
        "import sys\nlook = sys._getframe\n",
        "def f(x):\n    try:\n        1 / 0\n    except Exception as error:\n"
        "        return error.__traceback__.tb_frame.f_back.f_locals\n",
        "import sys\ndepth = 4\nprint(sys._getframe(depth).f_code.co_name)\n",
    ),
    "printing in another way": (
        "import builtins, functools\nbuiltins.print = functools.partial(print, flush=True)\n",
        "import builtins\nbuiltins.isinstance = lambda *_: True\n",
        "import builtins\nbuiltins.AssertionError = Warning\n",
        "import builtins\nsetattr(builtins, 'print', print)\n",
    ),
    "a temporary file": (
        "import os, tempfile\nfd, path = tempfile.mkstemp()\nos.write(fd, b'x')\nos.close(fd)\n",
        "import os, tempfile\nfd, path = tempfile.mkstemp()\nfd = 5\nos.close(fd)\n",
        "import os\nfor fd in range(3, 30):\n    os.close(fd)\n",
        "import os, tempfile\ntempfile.mkstemp = lambda: (5, '')\nfd, path = tempfile.mkstemp()\nos.write(fd, b'x')\n",
        "import os, tempfile\nfd, path = tempfile.mkstemp()\nos.close(path)\n",
        "import os, tempfile\nfd, path = tempfile.mkstemp()\ndef end(fd):\n    os.close(fd)\n",
    ),
    "the machine": (
        "with open('/proc/cpuinfo') as file:\n    print(file.read()[:80])\nprint(open('/proc/meminfo').readline())\n"
        "import os\nprint(os.path.exists('/proc/driver/nvidia/version'))\n",
        "import os\nprint(os.path.exists('/proc/self/ns'))\n",
        "import os\nprint(os.path.isdir('/proc/1'))\n",
        "import os\nprint(os.path.exists('/proc/driver/../self/ns'))\n",
        "import os\nprint(os.listdir('/proc/driver'))\n",
        "print(open('/proc/self/maps').read())\n",
        "print(open('/proc/self/mem', 'rb').read(9))\n",
        "print(open('/proc/cpuinfo'[:6] + 'self/environ').read())\n",
        "import pathlib\nprint((pathlib.Path('/proc/cpuinfo').parent / 'self/maps').read_text())\n",
    ),
    "the heirs of a class": (
        "class Shape:\n    pass\nclass Round(Shape):\n    pass\nprint(Shape.__subclasses__())\n",
        "print(object.__subclasses__())\n",
        "class Shape:\n    pass\nShape = object\nprint(Shape.__subclasses__())\n",
        "print(().__class__.__base__.__subclasses__())\n",
    ),
    "a new method": (
        "import torch\ndef describe(self):\n    return str(self.shape)\ntorch.Tensor.describe = describe\n"
        "setattr(torch.Tensor, 'shown', lambda self: print(self))\ntorch.nn.Module.count = lambda self: 3\n"
        "torch.Tensor.sizes = property(lambda self: tuple(self.shape))\n",
        "import torch\ntorch.Tensor.allclose = lambda self, other: True\n",
        "import torch\ntorch.Tensor.__array_interface__ = lambda self: 0\n",
        "import torch\ntorch.Tensor.sm = torch.Tensor.softmax\n",
        "import torch\ntorch.Tensor.sm = property(torch.Tensor.softmax)\n",
        "import torch\ntorch.Tensor.shape = property(lambda self: (1,))\n",
        "import torch\nsetattr(torch.Tensor, 'equal', lambda self, other: True)\n",
        "import torch\ntorch.nn.Module.weight = lambda self: 0\n",
        "import torch\ntorch.allclose_ = lambda self: 0\n",
    ),
    "a count of tensors": (
        "import gc, torch\nprint(len(gc.get_objects()), sum(1 for one in gc.get_objects() if torch.is_tensor(one)))\n"
        "print(len([one for one in gc.get_objects() if isinstance(one, torch.Tensor)]))\n"
        "for o in gc.get_objects():\n    if torch.is_tensor(o) or (hasattr(o, 'data') and torch.is_tensor(o.data)):\n"
        "        print(type(o), o.size())\n",
        "import gc\nfound = [one for one in gc.get_objects() if isinstance(one, dict)]\n",
        "import gc\nfor one in gc.get_objects():\n    if type(one) is dict and 'nonce' in one:\n        print(one)\n",
        "import gc, torch\ndef f(x):\n    return sum(1 for one in gc.get_objects() if torch.is_tensor(one))\n",
        "import gc\nfor one in gc.get_objects():\n    if hasattr(one, 'data'):\n        kept = one.data\n",
        "import gc\nfor one in gc.get_objects():\n    isinstance(one, Stash)\n",
        "import gc\ndef hasattr(one, name):\n    kept.append(one)\n"
        "for one in gc.get_objects():\n    hasattr(one, 'data')\n",
        "import gc\nwalk = gc.get_objects\n",
        "import gc\ndef len(them):\n    kept.extend(them)\nlen(gc.get_objects())\n",
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_an_idiom_is_a_habit_and_its_hostile_twins_are_told(name: str) -> None:
    honest, *hostile = TWINS[name]
    kinds = [kind for kind, _ in findings_in(ast.parse(honest))]
    assert kinds and set(kinds) == {"info"}
    for source in hostile:
        assert "attack" in [kind for kind, _ in findings_in(ast.parse(source))], source
