"""Every notebook, run whole in a real kernel: the instructor's gives its stored outputs, the student's runs alone."""

from __future__ import annotations

import base64
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import figures_plugin
import kernels
import nbformat
import pytest
from cut_short import cut_short
from kernels import CELL_S, isolated_options, run
from PIL import Image, ImageOps

from nbproctor.batch import Submission, grade
from nbproctor.course import ROOT, load_unit, unit_names
from nbproctor.notebook import grade_id_of, tags_of
from nbproctor.sit import Limits

UNITS = unit_names()
PRINTED_COLUMNS = 95
per_unit = pytest.mark.parametrize("unit", UNITS)
DRAWN_ALREADY = """
from matplotlib.backend_bases import FigureCanvasBase
FigureCanvasBase.print_figure = lambda canvas, file, **_: file.write(b"")
"""


@pytest.fixture(scope="module")
def drawing() -> Iterator[Path]:
    """Kernels that have imported torch and matplotlib already, and draw their figures."""
    with kernels.warm_kernels(printed=True) as path:
        yield path


def nbval(notebook: Path, folder: Path, drawing: Path) -> subprocess.CompletedProcess[str]:
    """Run `pytest --nbval`, which compares all outputs, on this notebook in this folder."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "OMP_NUM_THREADS": "1"}
    environment["JUPYTER_PATH"] = str(drawing)
    environment.pop("PYTEST_ADDOPTS", None)
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # hypothesis alone would import for a second
    plugins = [word for name in ("figures_plugin", "nbval.plugin", "no:cacheprovider") for word in ("-p", name)]
    command = [sys.executable, "-m", "pytest", *plugins, "--nbval", f"--nbval-cell-timeout={CELL_S}", "-q"]
    return subprocess.run(  # noqa: S603 our own
        [*command, "--rootdir", str(folder), str(notebook)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=1200,
    )  # fmt: skip


@per_unit
def test_a_solution_notebook_gives_the_outputs_that_it_stores(unit: str, drawing: Path, tmp_path: Path) -> None:
    """Run again, a solution notebook gives the same text outputs, and figures that look the same."""
    path = ROOT / "solutions" / unit / f"{unit}.ipynb"
    done = nbval(path, tmp_path, drawing)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    cells = sum(cell["cell_type"] == "code" for cell in load_unit(unit).instructor["cells"])
    assert re.search(rf"^{cells} passed", done.stdout, re.M), done.stdout[-500:]


def test_nbval_notices_a_changed_number_and_a_changed_figure(drawing: Path, tmp_path: Path) -> None:
    """The comparison above can fail: it reports a digit and a picture that are not what the code gives."""
    notebook = nbformat.v4.new_notebook()
    draw = "import matplotlib.pyplot as plt\n_ = plt.plot([1, 2, 4])"
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in ("print(6 * 7)", draw, draw)]
    nbformat.write(notebook, tmp_path / "changed.ipynb")
    notebook = run(tmp_path / "changed.ipynb", tmp_path)
    notebook.cells[0].outputs[0].text = "43\n"
    data = notebook.cells[1].outputs[0].data
    picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).convert("RGB")
    mirrored = io.BytesIO()
    ImageOps.mirror(picture).save(mirrored, "PNG")
    data["image/png"] = base64.b64encode(mirrored.getvalue()).decode()
    nbformat.write(notebook, tmp_path / "changed.ipynb")
    done = nbval(tmp_path / "changed.ipynb", tmp_path, drawing)
    assert done.returncode == 1
    assert "Cell outputs differ" in done.stdout
    assert re.search(r"Figures differ: figure 0: the pixels differ by \d+\.\d\d of 255", done.stdout)
    assert "2 failed, 1 passed" in done.stdout


def test_figures_are_compared_by_number_size_and_content() -> None:
    """A missing figure, another size or other pixels are told in one line each; the same picture gives no line."""

    def outputs(*pictures: Image.Image) -> list[dict[str, Any]]:
        found = []
        for picture in pictures:
            raw = io.BytesIO()
            picture.save(raw, "PNG")
            found.append({"data": {"image/png": base64.b64encode(raw.getvalue()).decode()}})
        return found

    white, black, wide = (Image.new("RGB", size, colour) for size, colour in
                          (((8, 4), "white"), ((8, 4), "black"), ((9, 4), "white")))  # fmt: skip
    tell = figures_plugin.difference
    assert tell(outputs(white, black), outputs(white, black)) == ""
    assert tell(outputs(white), [{"text": "x"}]) == "expected 1 figures, got 0"
    assert tell(outputs(white), outputs(wide)) == "figure 0: expected 8 × 4, got 9 × 4"
    assert tell(outputs(white), outputs(black)) == "figure 0: the pixels differ by 255.00 of 255 on average"


@pytest.fixture(scope="module")
def bare_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with torch, matplotlib, ipykernel and what those need, and nothing of the grader's."""
    site = tmp_path_factory.mktemp("site")
    kernels.fill_bare_site(site)
    for absent in ("nbproctor", "nbgrader", "nbval", "jupyterlab", "pandas", "sklearn"):
        assert not (site / absent).exists()
    return site


@pytest.fixture(scope="module")
def alone(bare_site: Path) -> Iterator[Path]:
    """Kernels with the packages of the lock that a notebook may use."""
    with kernels.isolated_kernels(bare_site) as path:
        yield path


@pytest.fixture(scope="module")
def colab(bare_site: Path) -> Iterator[Path]:
    """Kernels with the versions that Colab has; only torch comes from the course's lock."""
    assert (kernels.COLAB / "IPython").is_dir(), "run `bash grader/setup.sh --test`"
    with kernels.isolated_kernels(kernels.COLAB, bare_site) as path:
        yield path


def errors_of_an_untouched(unit: str, folder: Path, isolated: Path) -> set[str | None]:
    """Run the student's notebook as it is. Returns the grade ids of the cells that stopped.

    Fails where a cell stopped for any other reason than a missing answer. Answers, their checks and the demos that use
    them say "not implemented yet"; the name of a prediction, or of what a cell above would have made, is not defined.
    """
    (folder / "empty").mkdir()
    shutil.copy(ROOT / "course" / unit / f"{unit}.ipynb", folder / "empty")
    ran = run(folder / "empty" / f"{unit}.ipynb", isolated, *isolated_options(folder))
    odd, stopped = [], set()
    for cell in ran.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                odd.append((cell.id, output.text))
            if output.output_type != "error":
                continue
            stopped.add(grade_id_of(cell))
            unwritten = (output.ename, output.evalue) == ("NotImplementedError", "not implemented yet")
            prediction = re.fullmatch(r"(check|hidden)_(predicted_\w+)", grade_id_of(cell) or "")
            wanted = f"name '{prediction[2]}' is not defined" if prediction else None
            unnamed = output.ename == "NameError" and ("demo" in tags_of(cell) or output.evalue == wanted)
            if not unnamed and not (unwritten and (grade_id_of(cell) or "demo" in tags_of(cell))):
                odd.append((cell.id, f"{output.ename}: {output.evalue}"))
            told = "\n".join(output.traceback).splitlines()
            if len(told) > 2 or max(map(len, told)) > PRINTED_COLUMNS:
                odd.append((cell.id, "says it in more than one sentence"))
    assert odd == []
    return stopped


@per_unit
def test_a_course_notebook_runs_alone_and_stops_only_where_something_is_to_be_done(
    unit: str, alone: Path, tmp_path: Path
) -> None:
    """In an empty folder, offline, with torch and matplotlib alone, cells stop only for want of an answer."""
    stopped = errors_of_an_untouched(unit, tmp_path, alone)
    assert {f"check_{exercise.name}" for exercise in load_unit(unit).exercises} <= stopped


@per_unit
def test_a_course_notebook_runs_in_colabs_kernel_too(unit: str, colab: Path, tmp_path: Path) -> None:
    """In Colab's IPython 7.34 the same cells stop, with the same sentence about an unwritten answer."""
    stopped = errors_of_an_untouched(unit, tmp_path, colab)
    assert {f"check_{exercise.name}" for exercise in load_unit(unit).exercises} <= stopped


@per_unit
def test_in_colabs_kernel_every_teaching_cell_runs_again_after_all_checks(
    unit: str, colab: Path, tmp_path: Path
) -> None:
    """In Colab's kernel a solution runs without an error, and then the text's cells run a second time.

    They run from the last to the first, as for a reader who goes back, so a cell that needs a name which a later cell
    has bound anew would stop here. Figures are made again, but not drawn again. The cells tagged `training` do not run
    again: they take many seconds, and their models are still there. The longest trainings, of units 07 to 09, end after
    a few steps, as they do for a reader who interrupts them.
    """
    (tmp_path / "empty").mkdir()
    notebook = nbformat.read(ROOT / "solutions" / unit / f"{unit}.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.source = cut_short(cell.source) if cell.cell_type == "code" else cell.source
    again = [
        nbformat.v4.new_code_cell(cell.source, id=f"again-{cell.id}"[:64])
        for cell in notebook.cells
        if cell.cell_type == "code" and grade_id_of(cell) is None and "training" not in tags_of(cell)
    ]
    notebook.cells += [nbformat.v4.new_code_cell(DRAWN_ALREADY), *again[::-1]]
    nbformat.write(notebook, tmp_path / "empty" / f"{unit}.ipynb")
    ran = run(tmp_path / "empty" / f"{unit}.ipynb", colab, *isolated_options(tmp_path))
    errors = [
        (cell.id, output.evalue)
        for cell in ran.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    ]
    assert errors == []


def test_colabs_kernel_is_what_it_is_called(colab: Path, tmp_path: Path) -> None:
    """The kernel that stands for Colab's has the versions that Colab runs, and shows the attention view and figures."""
    cells = [
        "import IPython, ipykernel, matplotlib as mpl",
        "print(IPython.__version__, ipykernel.__version__, mpl.__version__)",
        *((ROOT / "solutions" / "shared" / name).read_text() for name in ("setup.py", "attention_view.py")),
        "attention_view(torch.eye(2), ['a', 'b'])",
        "_ = plt.plot([1, 2, 4])",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    (tmp_path / "empty").mkdir()
    nbformat.write(notebook, tmp_path / "empty" / "x.ipynb")
    ran = run(tmp_path / "empty" / "x.ipynb", colab, *isolated_options(tmp_path))
    assert ran.cells[1].outputs[0].text == "7.34.0 6.17.1 3.10.0\n"
    assert {"text/html", "image/png", "text/plain"} <= set(ran.cells[-2].outputs[0].data)
    assert "image/png" in ran.cells[-1].outputs[0].data, "figures are drawn there"


def test_the_kernel_that_is_alone_has_neither_packages_nor_network(alone: Path, tmp_path: Path) -> None:
    """The isolated kernel really reaches neither the grader, nbgrader and the solutions nor the network."""
    cells = [
        "import nbproctor",
        "import nbgrader",
        f"open({str(ROOT / 'solutions' / UNITS[0] / (UNITS[0] + '.ipynb'))!r})",
        "import socket; socket.create_connection(('192.0.2.1', 80), timeout=5)",
        "import torch, matplotlib; print('here')",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    (tmp_path / "empty").mkdir()
    nbformat.write(notebook, tmp_path / "empty" / "x.ipynb")
    ran = run(tmp_path / "empty" / "x.ipynb", alone, *isolated_options(tmp_path))
    told = [cell.outputs[0].get("ename") or cell.outputs[0].text for cell in ran.cells]
    assert told == ["ModuleNotFoundError", "ModuleNotFoundError", "FileNotFoundError", "OSError", "here\n"]


def test_a_cell_says_what_it_found_or_needs_and_any_other_error_keeps_its_lines(
    warm_kernels: Path, tmp_path: Path
) -> None:
    """A failed check, an unwritten answer and an unknown name are told in one sentence, without a traceback.

    The words of the checks see to that in the kernel. Any other error keeps its traceback, in a check too.
    """
    check = "# @title Check: it\n"
    cells = [
        load_unit(UNITS[0]).setup,
        "def it():\n    raise NotImplementedError('not implemented yet')",
        "class Layer:\n    def __init__(self):\n        raise NotImplementedError('not implemented yet')",
        "def other():\n    assert 1 > 2, 'own words'",
        check + "with check:\n    assert 1 > 2, 'expected 1\\ngot 2'",
        check + "it()",
        "Layer()",
        check + "no_such_name",
        "one = 1\nno_such_name",
        check + "it(1)",
        "other()",
        "def mine():\n    return no_such_name\nmine()",
        "root = math.sqrt(4)",
        "predicted_size = {\n    'variance': smaller,\n}",
        "def check(answer):\n    return answer",
        check + "with check:\n    pass",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    nbformat.write(notebook, tmp_path / "x.ipynb")
    ran = run(tmp_path / "x.ipynb", warm_kernels)
    told = ["\n".join(cell.outputs[0].traceback) for cell in ran.cells[4:] if cell.outputs]
    said, stub, layer, unnamed, untitled, mistake, own, deep, module, word, taken = told
    assert said == "AssertionError: expected 1\ngot 2"
    write = "is not implemented yet. Write it, run its cell, then this one."
    assert (stub, layer) == (f"NotImplementedError: `it` {write}", f"NotImplementedError: `Layer` {write}")
    first = "Run the cell that defines it first; after a restart, all above."
    assert unnamed.replace("\n", " ") == f"NameError: name 'no_such_name' is not defined. {first}"
    assert untitled.replace("\n", " ") == f"NameError: name 'no_such_name' is not defined in line 2. {first}"
    assert module.replace("\n", " ") == (
        "NameError: name 'math' is not defined in line 1. It comes with Python: begin your cell with `import math`."
    )
    assert word.replace("\n", " ") == (
        "NameError: name 'smaller' is not defined in line 2. If it is meant as a word, put it in quotes: \"smaller\"."
    )
    assert taken.startswith("TypeError: Every check needs `check`, but in your notebook that is something else.")
    for text, words, line in (
        (mistake, "takes 0 positional arguments", "line 2"),
        (own, "own words", "line 1"),
        (deep, "no_such_name", "line 2"),
    ):
        assert all(part in re.sub(r"\x1b\[[0-9;]*m", "", text) for part in ("Traceback", words, line))


def test_no_check_passes_an_answer_whose_cell_stopped_and_the_last_cell_counts_them(
    warm_kernels: Path, tmp_path: Path
) -> None:
    """After an error in an answer's cell its check says so and runs nothing; the last cell counts the passed checks.

    A pass counts only for the answer as it was when the check passed.
    """
    check = "# @title Check: it\nwith check:\n    assert check.call(it, 3) == 4, 'expected 4'\n    print('it passes')"
    right, broken, stand = "def it(x):\n    return x + 1", "def it(x):\n    return x +", "check.stand('it', 'other')"
    cells = [load_unit(UNITS[0]).setup, right, check, stand, broken, check, stand]
    cells += ["it = 1 / 0", check, right, stand, check, stand, "re = 1\n%reset -f", right]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    nbformat.write(notebook, tmp_path / "x.ipynb")
    ran = run(tmp_path / "x.ipynb", warm_kernels)
    said = [[output.get("text") or "\n".join(output.traceback) for output in cell.outputs] for cell in ran.cells]
    stopped = "AssertionError: The cell that defines `it` stopped with an error. Fix that cell and run it"
    assert [said[number] for number in (2, 11)] == [["it passes\n"]] * 2
    assert [said[number][0].startswith(stopped) for number in (5, 8)] == [True, True]
    counts = [said[number][0].split(" checks pass.")[0] for number in (3, 6, 10, 12)]
    assert counts == ["1 of 2", "0 of 2", "0 of 2", "1 of 2"]
    assert "Still open: other." in said[3][0] and "Still open: it, other." in said[6][0]
    assert said[13:] == [[], []], "what a student resets or reuses does not break the notes of the check"


def test_what_a_check_writes_to_stderr_is_ordinary_output_and_costs_no_point(
    warm_kernels: Path, tmp_path: Path
) -> None:
    """What a check writes to stderr goes to stdout, since nbgrader gives no point to a check with stderr in its output.

    After the check, passed or not, stderr is restored.
    """
    writes = "import warnings\nwith check:\n    warnings.warn('careful')\n    print('1 of 3', file=sys.stderr)\n"
    after = "print('mine', file=sys.stderr)"
    cells = [load_unit(UNITS[0]).setup, writes, after, writes + "    assert 1 > 2, 'no'", after]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    nbformat.write(notebook, tmp_path / "x.ipynb")
    ran = run(tmp_path / "x.ipynb", warm_kernels)
    streams = [[one.name for one in cell.outputs if one.output_type == "stream"] for cell in ran.cells[1:]]
    assert streams == [["stdout"], ["stderr"], ["stdout"], ["stderr"]]
    assert all(text in ran.cells[1].outputs[0].text for text in ("careful", "1 of 3"))


def test_a_check_gives_back_the_names_and_the_random_state_that_it_used(warm_kernels: Path, tmp_path: Path) -> None:
    """After a check, even one that fails, the student's names and random state are as before, and no name is new."""
    cells = [
        load_unit(UNITS[0]).setup,
        "x = 'mine'\nbefore = set(globals()), torch.get_rng_state()",
        "with check:\n    x = torch.randn(3)\n    y = 5\n    assert not y, 'no'",
        "print(x, set(globals()) - before[0] - {'before'}, torch.equal(torch.get_rng_state(), before[1]))",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    nbformat.write(notebook, tmp_path / "x.ipynb")
    ran = run(tmp_path / "x.ipynb", warm_kernels)
    left = re.sub(r"'_i+\d*',? ?|'_\d+',? ?", "", ran.cells[-1].outputs[0].text)
    assert left in ("mine set() True\n", "mine {} True\n")


def test_an_untouched_course_notebook_scores_nothing_and_is_told_why(tmp_path: Path) -> None:
    """In an untouched notebook of any unit, nbproctor finds every exercise "not implemented yet" and gives no point."""
    units = {name: load_unit(name) for name in UNITS}
    paths = {name: ROOT / "course" / name / f"{name}.ipynb" for name in UNITS}
    submissions = [Submission("nobody", name, path) for name, path in paths.items()]
    results = [one.to_json() for one in grade(units, submissions, 2, Limits(), True, lambda result: None)]
    odd = [
        f"{result['unit']}/{check['grade_id']}: {check['status']} {check['message']!r}"
        for result in results
        for report in result["exercises"]
        for check in report["checks"]
        if check["points"] or check["status"] != "not implemented" or "not implemented yet" not in check["message"]
    ]
    assert odd == []
    assert [len(result["exercises"]) for result in results] == [len(unit.exercises) for unit in units.values()]
