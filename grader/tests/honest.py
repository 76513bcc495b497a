"""Honest notebooks in the shapes that students hand in: right answers of the current course, arranged in other ways.

A shape takes a `Notebook` of right answers and changes it as a student would have. `BOTH` holds the shapes that stock
nbgrader grades as well, to the same points. `OURS` holds those that are graded here only, where they lose no point:
stock nbgrader would take points from them through no fault of the student's, or stop with an error, or do something to
the machine that runs the tests, such as install a package.
"""

import ast
import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from checks_of import forbidden
from fake_class import cell

from nbproctor.course.units import Exercise, Unit
from nbproctor.values.notebook import tags_of

Cells = list[dict[str, Any]]


def released(unit: Unit) -> dict[str, Any]:
    """The notebook that students get, with the text's training cells emptied, as a student in a hurry would do.

    Each of them takes seconds, which nbgrader would spend again on every shape, and decides no point.
    """
    notebook: dict[str, Any] = copy.deepcopy(unit.notebook)
    for each in notebook["cells"]:
        if "training" in tags_of(each):
            each["source"] = ""
    return notebook


class Notebook:
    """A released notebook with the reference solutions in it.

    first, last: the first and the last exercise that asks for a function.
    """

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.files: dict[str, str] = {}  # handed in beside the notebook: path -> text
        self.data = released(unit)
        for exercise in unit.exercises:
            lines = exercise.solution.split("\n")
            kept = [line for line in lines if "### BEGIN SOL" not in line and "### END SOL" not in line]
            self.of(exercise.name)["source"] = "\n".join(kept)
        self.first = next(e for e in unit.exercises if f"def {e.name}(" in e.solution)
        self.last = [e for e in unit.exercises if f"def {e.name}(" in e.solution][-1]

    @property
    def cells(self) -> Cells:
        return self.data["cells"]  # type: ignore[no-any-return]

    def of(self, grade_id: str) -> dict[str, Any]:
        return next(c for c in self.cells if c["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)

    def source(self, exercise: Exercise) -> str:
        return str(self.of(exercise.name)["source"])

    def own(self, source: str, before: str = "") -> None:
        """Add a cell of the student's, before the cell with this grade_id or at the end."""
        place = self.cells.index(self.of(before)) if before else len(self.cells)
        self.cells.insert(place, cell("code", source, f"own-{len(self.cells)}"))

    def helped(self, source: str) -> None:
        """Add a cell that has to leave `helper_scale` at 1, and let the first answer fail where it is not."""
        self.own(source, before=self.first.name)
        self.prepend(self.first, "assert helper_scale == 1\n")

    def prepend(self, exercise: Exercise, text: str) -> None:
        self.of(exercise.name)["source"] = text + self.source(exercise)

    def append(self, exercise: Exercise, text: str) -> None:
        self.of(exercise.name)["source"] = self.source(exercise) + text


Shape = Callable[[Notebook], None]


def helped(source: str) -> Shape:
    return lambda n: n.helped(source)


def ends_with(source: str) -> Shape:
    return lambda n: n.own(source.replace("NAME", n.first.name))


def answer_then(text: str) -> Shape:
    return lambda n: n.append(n.first, text.replace("NAME", n.first.name))


def untouched(n: Notebook) -> None:
    n.data = released(n.unit)


def one_wrong(n: Notebook) -> None:
    n.of(n.first.name)["source"] = f"def {n.first.name}(*args, **kwargs):\n    return None"


def wrapped_before_its_check(n: Notebook) -> None:
    name = n.first.name
    timed = "def timed(f):\n    return lambda *args, **kwargs: f(*args, **kwargs)"
    n.own(f"{timed}\n\n{name} = timed({name})", before=f"check_{name}")


def forbidden_beside(n: Notebook) -> None:
    for exercise in n.unit.exercises:
        for name in forbidden(n.unit.name).get(exercise.name, ()):
            if name.isidentifier():
                n.append(exercise, f'\n"not with {name}"\n# F.{name}(x)\n_compared = getattr(F, "{name}", None)')


def split_in_two(n: Notebook) -> None:
    """Half of the answer stands in a cell of its own, above the other half."""
    name = n.first.name
    n.own(n.source(n.first).replace(f"def {name}(", f"def half_of_{name}("), before=name)
    n.of(name)["source"] = f"def {name}(*args, **kwargs):\n    return half_of_{name}(*args, **kwargs)"


def class_in_two_pieces(n: Notebook) -> None:
    """The last method of each class is written in a cell below, and put into the class there."""
    for exercise in n.unit.exercises:
        tree = ast.parse(n.source(exercise))
        one = next((s for s in tree.body if isinstance(s, ast.ClassDef) and s.name == exercise.name), None)
        if one is not None:
            method = one.body.pop()
            n.of(exercise.name)["source"] = ast.unparse(tree)
            assert isinstance(method, ast.FunctionDef)
            below = f"{ast.unparse(method)}\n\n{exercise.name}.{method.name} = {method.name}"
            n.own(below, before=exercise.check.grade_id)


def two_in_one_cell(n: Notebook) -> None:
    first, second = n.unit.exercises[:2]
    n.append(first, "\n\n\n" + n.source(second))
    n.cells.remove(n.of(second.name))


def all_in_one_cell(n: Notebook) -> None:
    sources = [n.source(exercise) for exercise in n.unit.exercises]
    n.own("\n\n\n".join(sources), before=n.unit.exercises[0].name)  # above the first check
    for exercise in n.unit.exercises:
        n.cells.remove(n.of(exercise.name))


def built_elsewhere(n: Notebook) -> None:
    n.own(n.source(n.first) + f"\nbuilt = {n.first.name}", before=n.first.name)
    n.of(n.first.name)["source"] = f"{n.first.name} = built"


def copied_to_the_end(n: Notebook) -> None:
    n.cells.append(copy.deepcopy(n.of(n.last.name)) | {"id": "copied"})


def checks_edited(n: Notebook) -> None:
    for exercise in n.unit.exercises:
        n.of(exercise.check.grade_id)["source"] = "assert True"


def as_text(made: dict[str, Any]) -> None:
    made["cell_type"] = "markdown"
    made.pop("outputs", None), made.pop("execution_count", None)


def points_changed(n: Notebook) -> None:
    for exercise in n.unit.exercises:
        n.of(exercise.check.grade_id)["metadata"]["nbgrader"]["points"] = 99


def by_colab(n: Notebook) -> None:
    for one in n.cells:
        one["metadata"] |= {"id": one.pop("id"), "outputId": "abc", "colab": {"base_uri": "x"}}
    n.data["nbformat_minor"] = 0
    n.data["metadata"] = {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "colab": {"provenance": []}}


def setup_of(n: Notebook) -> Cells:
    return [one for one in n.cells if "setup" in one["metadata"].get("tags", [])]


def taught_cells(n: Notebook) -> Cells:
    """The code of the text, which is neither the setup nor an exercise's."""
    code = [one for one in n.cells if one["cell_type"] == "code" and "nbgrader" not in one["metadata"]]
    return [one for one in code if "setup" not in one["metadata"].get("tags", [])]


def line_ends(n: Notebook) -> None:
    for one in n.cells:
        one["source"] = "".join(one["source"]).replace("\n", "\r\n")


def import_in_a_cell_of_the_course(n: Notebook) -> None:
    taught = taught_cells(n)[0]
    taught["source"] = "import math\nhelper_scale = int(math.cos(0))\n" + "".join(taught["source"])
    n.prepend(n.last, "assert helper_scale == 1\n")


def older_edition(n: Notebook) -> None:
    """The student has an older edition, in which each function and class of the course's cells has one more line."""
    for one in n.cells:
        if one["cell_type"] == "code" and "nbgrader" not in one["metadata"]:
            text = re.sub(r"^( *)((?:def|class) .*:)$", r"\1\2\n\1    edition = 1", "".join(one["source"]), flags=re.M)
            ast.parse(text)
            one["source"] = text


def with_files(n: Notebook) -> None:
    """A module, a folder of modules and a file of data, handed in beside the notebook."""
    n.files = {"my_scale.py": "from parts.one import one\nscale = one", "parts/one.py": "one = 1", "data.csv": "1,2"}
    n.helped("from my_scale import scale\nhelper_scale = scale * int(open('data.csv').read()[0])")


def between_the_checks(n: Notebook) -> None:
    """A wrong scratch variant stands between the visible and the hidden check, so that the hidden check meets it."""
    n.own(f"def {n.first.name}(*args, **kwargs):\n    return None", before=n.first.hidden.grade_id)


def at_the_top(source: str) -> Shape:
    """The student has added a cell above the setup cell."""
    return lambda n: n.cells.insert(0, cell("code", source, "own-top"))


BOTH: dict[str, Shape] = {
    "reset_at_the_top": at_the_top("%reset -f\nimport numpy as np"),
    "name_of_setup_at_the_top": at_the_top("F = 9 / 5\nos = 'Linux'"),
    "right": lambda n: None,
    "untouched": untouched,
    "one_wrong": one_wrong,
    "shell_line": helped("!pip --version\nimport math\nhelper_scale = 1"),
    "pip_magic": helped("%pip --version\nhelper_scale = 1"),
    "no_such_command": helped("!nvidia-smi\nhelper_scale = 1"),
    "matplotlib_inline": helped("%matplotlib inline\nhelper_scale = 1"),
    "config_retina": helped(
        "import matplotlib.pyplot\n%config InlineBackend.figure_format = 'retina'\nhelper_scale = 1"
    ),
    "written_module": lambda n: (n.own("%%writefile my_helpers.py\nscale = 1", before=n.first.name),
                                 n.helped("from my_helpers import scale as helper_scale"))[0],
    "files_beside_it": with_files,
    "cd_to_nowhere": helped("%cd /content\nhelper_scale = 1"),
    "stops_after_the_answer": answer_then("\nprint(a_name_of_the_check_cell)"),
    "package_missing": answer_then("\nimport surely_not_installed_here"),
    "raise_left_standing": answer_then('\nraise NotImplementedError("not implemented yet")'),
    "own_assert_fails": answer_then("\nassert NAME is None"),
    "builtins_shadowed": ends_with("sum = 0\nlen = 0\nmax = min = abs = range = None"),
    "torch_shadowed": ends_with("F = 9 / 5\ntorch = nn = None"),
    "all_deleted": ends_with("del torch, nn, F, NAME"),
    "ends_in_an_error": ends_with("1 / 0"),
    "variable_of_that_name": ends_with("NAME = 3"),
    "scratch_variant_below": ends_with("def NAME(*args, **kwargs):\n    return None"),
    "name_in_a_subscript": ends_with("timings = {}\ntimings[NAME] = 0.3"),
    "wrapped_before_its_check": wrapped_before_its_check,
    "forbidden_beside": forbidden_beside,
    "split_in_two": split_in_two,
    "class_in_two_pieces": class_in_two_pieces,
    "two_in_one_cell": two_in_one_cell,
    "all_in_one_cell": all_in_one_cell,
    "built_elsewhere": built_elsewhere,
    "checks_edited": checks_edited,
    "check_as_text": lambda n: as_text(n.of(n.first.check.grade_id)),
    "answer_as_text": lambda n: as_text(n.of(n.first.name)),
    "points_changed": points_changed,
    "by_colab": by_colab,
    "line_ends": line_ends,
    "import_in_a_cell_of_the_course": import_in_a_cell_of_the_course,
    "older_edition": older_edition,
    "between_the_checks": between_the_checks,
    "torchscript": helped(
        "import torch\n\n@torch.jit.script\ndef plus(x: torch.Tensor):\n    return x + 1\n\n"
        "helper_scale = int(plus(torch.zeros(1)))"
    ),
    "torch_compile": helped(
        "import torch\n\n@torch.compile\ndef plus(x):\n    return x + 1\n\nhelper_scale = int(plus(torch.zeros(1)))"
    ),
    "getsource": helped(
        "import inspect\n\ndef helper(x):\n    return x\n\nhelper_scale = inspect.getsource(helper).count('return')"
    ),
    "stdout_encoding": helped("import sys\nprint(sys.stdout.encoding.upper(), sys.stdout.isatty())\nhelper_scale = 1"),
    "threads_64": helped(
        "import torch\ntorch.set_num_threads(64)\n"
        "helper_scale = int((torch.ones(300, 300) @ torch.ones(300, 300))[0, 0] / 300)"
    ),
    "reproducible": helped(
        "import gc, os, pickle, random, socket\nimport numpy as np\nimport torch\nos.environ['PYTHONHASHSEED'] = '0'\n"
        "random.seed(0)\nnp.random.seed(0)\ntorch.backends.cudnn.deterministic = True\n"
        "torch.backends.cudnn.benchmark = False\nhelper_scale = 1"
    ),
    "tensor_subclass": helped(
        "import torch\n\nclass Named(torch.Tensor):\n    @classmethod\n"
        "    def __torch_function__(cls, func, types, args=(), kwargs=None):\n"
        "        return super().__torch_function__(func, types, args, kwargs or {})\n\n"
        "helper_scale = int(torch.ones(1).as_subclass(Named).sum())"
    ),
    "warnings_and_prints": helped(
        "import sys, warnings\nwarnings.warn('careful')\nprint('to err', file=sys.stderr)\n"
        "print('x' * 1000)\nhelper_scale = 1"
    ),
    "figures_left_open": helped(
        "import matplotlib.pyplot as plt\nfor _ in range(3):\n    plt.plot([1, 2])\nhelper_scale = 1"
    ),
    "asks_for_input": helped("helper_scale = 1\ninput('name? ')"),
    "stops_to_debug": helped("helper_scale = 1\nbreakpoint()"),
    "debugs_an_error": lambda n: (n.own("1 / 0", before=n.first.name), n.helped("helper_scale = 1\n%debug"))[0],
    "magics_in_magics": helped("%%capture\n%%time\nhelper_scale = 1"),
    "package_in_try": helped(
        "try:\n    import tqdm_of_mine\nexcept ImportError:\n    tqdm_of_mine = None\nhelper_scale = 1"
    ),
}  # fmt: skip


def checks_deleted(n: Notebook) -> None:
    n.data["cells"] = [c for c in n.cells if not c["metadata"].get("nbgrader", {}).get("grade")]


def metadata_stripped(n: Notebook) -> None:
    for one in n.cells:
        one["metadata"] = {}


def ids_and_metadata_stripped(n: Notebook) -> None:
    for number, one in enumerate(n.cells):
        one["metadata"], one["id"] = {}, f"lost-{number}"


def swapped_cells(n: Notebook) -> None:
    first, last = n.of(n.first.name), n.of(n.last.name)
    first["source"], last["source"] = last["source"], first["source"]


def merged_with_its_check(n: Notebook) -> None:
    check = n.of(n.first.check.grade_id)
    n.append(n.first, "\n\n" + "".join(check["source"]))
    n.cells.remove(check)


def answers_in_a_cell_at_the_end(n: Notebook) -> None:
    sources = [n.source(exercise) for exercise in n.unit.exercises]
    for exercise in n.unit.exercises:
        n.of(exercise.name)["source"] = exercise.stub
    n.own("\n\n\n".join(sources))


def answer_above_the_stub(n: Notebook) -> None:
    n.own(n.source(n.first), before=n.first.name)
    n.of(n.first.name)["source"] = n.first.stub


def upside_down(n: Notebook) -> None:
    n.cells.reverse()


def format_3(n: Notebook) -> None:
    cells = [{**c, "input": c["source"], "language": "python"} for c in n.cells]
    for one in cells:
        del one["source"]
    n.data = {"worksheets": [{"cells": cells}], "nbformat": 3, "nbformat_minor": 0, "metadata": {}}


def odd_metadata(n: Notebook) -> None:
    for one, odd in zip(n.cells, [None, 5, "x", [1], {"tags": 5}, {"nbgrader": [1]}] * 100, strict=False):
        if "nbgrader" not in one["metadata"]:
            one["metadata"] = odd


def huge_output(n: Notebook) -> None:
    n.of(n.first.name)["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * (34 << 20)}]


def warns_when_called(n: Notebook) -> None:
    """The answer warns, as PyTorch may when a tensor becomes a number, and writes to stderr, as a progress bar does."""
    says = "    warnings.warn('careful')\n    print('1 of 3', file=sys.stderr)\n"
    n.append(n.first, f"\n\nimport sys\nimport warnings\n\nhelper_of_mine = {n.first.name}\n\n")
    n.append(n.first, f"def {n.first.name}(*a, **k):\n{says}    return helper_of_mine(*a, **k)\n")


BOTH |= {"huge_output": huge_output, "warns_when_called": warns_when_called}


# The comment beside a shape says how many of the 15 points of unit 00 stock nbgrader gives it; here each gets all 15.
OURS: dict[str, Shape] = {
    "copied_to_the_end": copied_to_the_end,  # two cells with one id end its whole batch
    "checks_deleted": checks_deleted,  # 0
    "metadata_stripped": metadata_stripped,  # 0: nbgrader's ids stood in the metadata
    "ids_and_metadata_stripped": ids_and_metadata_stripped,  # 0
    "swapped_cells": swapped_cells,  # 12: the first check is reached before its answer
    "merged_with_its_check": merged_with_its_check,  # 14: the check that went into the answer's cell is not counted
    "answers_in_a_cell_at_the_end": answers_in_a_cell_at_the_end,  # 0: every check is reached before its answer
    "answer_above_the_stub": answer_above_the_stub,  # 12: the stub comes after the answer
    "upside_down": upside_down,  # 0
    "format_3": format_3,  # nbgrader stops with an error
    "odd_metadata": odd_metadata,  # nbgrader stops with an error
    "colab_drive": helped("from google.colab import drive\ndrive.mount('/content/drive')\nhelper_scale = 1"),  # 12
    # nbgrader would install the package on the machine that runs the tests.
    "pip_install": helped("!pip install -q einops\n%pip install -q einops\nhelper_scale = 1"),
    # nbgrader would store the value on the machine that runs the tests.
    "stored": helped("size = 3\n%store size\n%store\nhelper_scale = 1"),
    # nbgrader stops at the magic, which comes with a package that is not installed.
    "magic_missing": helped("%tensorboard --logdir runs\nhelper_scale = 1"),
    # nbgrader stops with an error when the time for the cell is up.
    "endless_below_the_answer": answer_then("\nwhile True:\n    pass"),
}


def hand_in(unit: Unit, shape: Shape, folder: Path) -> Path:
    """Write what a student with this shape hands in into the folder. Returns the notebook's path."""
    notebook = Notebook(unit)
    shape(notebook)
    path = folder / f"{unit.name}.ipynb"
    for name, text in (notebook.files | {path.name: json.dumps(notebook.data)}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return path
