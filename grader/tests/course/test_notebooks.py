"""Every notebook, run whole in a real kernel: the instructor's gives its stored outputs, the student's runs alone."""

import base64
import io
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import forked
import kernels
import nbformat
import pytest
from cut_short import CUT, cut_short
from kernels import CELL_S, isolated_options, run
from PIL import Image, ImageOps
from small_class import setup_of
from weekly import weekly_but

from nbproctor.course.units import load_unit, unit_names
from nbproctor.paths import ROOT
from nbproctor.values.notebook import grade_id_of, tags_of

UNITS = unit_names()
PRINTED_COLUMNS = 95
per_unit = pytest.mark.parametrize("unit", UNITS)
DRAWN_ALREADY = """
from matplotlib.backend_bases import FigureCanvasBase
from PIL import Image
FigureCanvasBase.print_figure = lambda canvas, file, **_: Image.new("RGB", (1, 1)).save(file, "png")
"""


@pytest.fixture(scope="module")
def drawing() -> Iterator[Path]:
    """Kernels that have imported torch and matplotlib already, and draw their figures."""
    with kernels.warm_kernels(printed=True) as path:
        yield path


def nbval(notebook: Path, folder: Path, drawing: Path) -> subprocess.CompletedProcess[str]:
    """Run `pytest --nbval`, which compares all outputs, on this notebook in this folder."""
    environment = {**os.environ, "JUPYTER_PATH": str(drawing), "OMP_NUM_THREADS": "1"}
    environment.pop("PYTEST_ADDOPTS", None)
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    plugins = [word for name in ("figures_plugin", "nbval.plugin", "no:cacheprovider") for word in ("-p", name)]
    command = ["pytest", *plugins, "--nbval", f"--nbval-cell-timeout={CELL_S}", "-q"]
    return forked.call(pytest.main, [*command, "--rootdir", str(folder), str(notebook)], folder, environment)


@per_unit
def test_a_solution_notebook_gives_the_outputs_that_it_stores(unit: str, drawing: Path, tmp_path: Path) -> None:
    path = ROOT / "solutions" / unit / f"{unit}.ipynb"
    done = nbval(path, tmp_path, drawing)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    cells = sum(cell["cell_type"] == "code" for cell in load_unit(unit).instructor["cells"])
    assert re.search(rf"^{cells} passed", done.stdout, re.M), done.stdout[-500:]


@pytest.mark.parametrize("path", sorted(ROOT.glob("solutions/book/pages/*.ipynb")), ids=lambda path: path.stem)
def test_a_page_of_the_book_gives_the_outputs_that_it_stores(path: Path, drawing: Path, tmp_path: Path) -> None:
    done = nbval(path, tmp_path, drawing)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_nbval_notices_a_changed_number_and_a_changed_figure(drawing: Path, tmp_path: Path) -> None:
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
    assert (kernels.COLAB / "IPython").is_dir(), "run `NBPROCTOR_WEEKLY=1 bash grader/setup.sh --test`"
    with kernels.isolated_kernels(kernels.COLAB, bare_site) as path:
        yield path


def errors_of_an_untouched(unit: str, folder: Path, isolated: Path, *, drawn: bool) -> set[str | None]:
    """Run the student's notebook as it is. Returns the grade ids of the cells that stopped.

    drawn: whether figures are drawn, too, which takes half of the time.

    Fails where a cell stopped for any other reason than a missing answer. Answers, their checks and the demos that use
    them say "not implemented yet"; the name of a prediction, or of what a cell above would have made, is not defined.
    """
    (folder / "empty").mkdir()
    notebook = nbformat.read(ROOT / "course" / unit / f"{unit}.ipynb", as_version=4)
    if not drawn:
        notebook.cells.insert(0, nbformat.v4.new_code_cell(DRAWN_ALREADY))
    nbformat.write(notebook, folder / "empty" / f"{unit}.ipynb")
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
            kind, _, exercise = (grade_id_of(cell) or "").partition("_")
            wanted = f"name '{exercise}' is not defined. Run its cell", f"The cell that defines `{exercise}` stopped"
            unnamed = output.ename == "NameError" and "demo" in tags_of(cell)
            unnamed |= kind == "check" and output.evalue.startswith(wanted)
            if not unnamed and not (unwritten and (grade_id_of(cell) or "demo" in tags_of(cell))):
                odd.append((cell.id, f"{output.ename}: {output.evalue}"))
            told = "\n".join(output.traceback).splitlines()
            if len(told) > 2 or max(map(len, told)) > PRINTED_COLUMNS:
                odd.append((cell.id, "says it in more than one sentence"))
    assert odd == []
    return stopped


@pytest.mark.parametrize("kernel", ["alone", *weekly_but(["colab"])])
@pytest.mark.parametrize("unit", weekly_but(UNITS, "05_cross_attention"))
def test_a_course_notebook_runs_alone_and_stops_only_where_something_is_to_be_done(
    kernel: str, unit: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """In an empty folder, offline, with torch and matplotlib alone, cells stop only for want of an answer.

    They run so with Colab's IPython 7.34 and matplotlib, which draws the figures of all solutions below, and with the
    lock's, which draws the figures.
    """
    stopped = errors_of_an_untouched(unit, tmp_path, request.getfixturevalue(kernel), drawn=kernel == "alone")
    assert {f"check_{exercise.name}" for exercise in load_unit(unit).exercises} <= stopped


@pytest.mark.weekly
@per_unit
def test_in_colabs_kernel_every_teaching_cell_runs_again_after_all_checks(
    unit: str, colab: Path, tmp_path: Path
) -> None:
    """In Colab's kernel a solution runs without an error, and then the text's cells run a second time.

    They run from the last to the first, as for a reader who goes back, so a cell that needs a name which a later cell
    has bound anew would stop here. Figures are made again, but not drawn again. The cells tagged `training` do not run
    again: they take many seconds, and their models are still there. The longest trainings have but a few steps.
    """
    (tmp_path / "empty").mkdir()
    notebook = nbformat.read(ROOT / "solutions" / unit / f"{unit}.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in code:
        if "setup" in tags_of(cell):
            cell.source = load_unit(unit).setup  # the packed one: the kernel sees no folder beside the notebook
    shorter = {cell.id: cut_short(cell.source) for cell in code}
    assert any(shorter[cell.id] != cell.source for cell in code) == (unit in CUT)
    for cell in code:
        cell.source = shorter[cell.id]
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


@pytest.mark.weekly
def test_colabs_kernel_is_what_it_is_called(colab: Path, tmp_path: Path) -> None:
    cells = [
        "import IPython, ipykernel, matplotlib as mpl",
        "print(IPython.__version__, ipykernel.__version__, mpl.__version__)",
        load_unit("03_self_attention").setup,
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


CHECKS = """
def check_it(it):
    # its number
    assert check.call(it, 3) == 4, "expected 4\\ngot another"
    return "it passes: one more."


def check_other(other):
    # nothing
    other()
    return "other passes."


def check_predicted_size(predicted_size):
    # its form
    assert isinstance(predicted_size, int), "Expected a number."
    return "predicted_size is a number."


def check_loud(loud):
    # a warning, a flood and random numbers
    import sys, warnings
    warnings.warn("careful")
    print("1 of 3", file=sys.stderr)
    torch.manual_seed(5)
    assert loud(), "no"
    return "loud passes."
"""
CHECK_IT = "check.it()"


def said_by(cells: list[str], folder: Path, kernel: Path) -> list[str]:
    """What each of these cells shows, one after the other, in a notebook whose setup cell brings CHECKS."""
    sources = [setup_of(CHECKS, folder), *cells]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    nbformat.write(notebook, folder / "x.ipynb")
    ran = run(folder / "x.ipynb", kernel)
    told = [
        "\n".join(
            o.get("text") or o.get("data", {}).get("text/plain") or "\n".join(o.get("traceback", [])) for o in c.outputs
        )
        for c in ran.cells
    ]
    assert told[0] == ""
    return [re.sub(r"\x1b\[[0-9;]*m", "", text) for text in told[1:]]


def test_a_cell_says_what_it_found_or_needs_and_any_other_error_keeps_its_lines(
    warm_kernels: Path, tmp_path: Path
) -> None:
    """Any other error keeps its lines: those of the reader's, or those of the check where it has none of theirs."""
    stub = "raise NotImplementedError('not implemented yet')"
    (
        _, said, _, unwritten, _, layer, unnamed, untitled, _, own, deep, module, word, _, crash, _, calls, _, taken,
    ) = said_by([
        "def it(x):\n    return 0", CHECK_IT,
        f"def other():\n    {stub}", "check.other()",
        f"class Layer:\n    def __init__(self):\n        {stub}", "Layer()",
        "# @title draws\nno_such_name", "one = 1\nno_such_name",
        "def mine():\n    assert 1 > 2, 'own words'", "mine()",
        "def deep():\n    return no_such_name\ndeep()", "root = cmath.sqrt(4)",
        "predicted_size = {'variance': smaller}",
        "def other():\n    return [][3]", "check.other()", "def it(x):\n    return helper(x)", CHECK_IT,
        "def check(answer):\n    return answer", CHECK_IT,
    ], tmp_path, warm_kernels)  # fmt: skip
    assert said == "AssertionError: expected 4\ngot another"
    write = "is not implemented yet. Write it, run its cell, then this one."
    assert (unwritten, layer) == (f"NotImplementedError: `other` {write}", f"NotImplementedError: `Layer` {write}")
    first = "Run its cell; after a restart, all above."
    assert unnamed.replace("\n", " ") == f"NameError: name 'no_such_name' is not defined. {first}"
    assert untitled.replace("\n", " ") == f"NameError: name 'no_such_name' is not defined in line 2. {first}"
    assert module.replace("\n", " ").endswith("It comes with Python: begin your cell with `import cmath`.")
    assert word.replace("\n", " ").endswith('If it is meant as a word, put it in quotes: "smaller".')
    assert calls.startswith(f"The check of `it` came upon this error. {first}\n") and "helper(x)" in calls
    assert taken.startswith(("AttributeError: Every check needs `check`", "TypeError: Every check needs `check`"))
    for text, words, line in (
        (own, "own words", "line 2"),
        (deep, "no_such_name", "line 2"),
        (crash, "IndexError", "2"),
    ):
        assert words in text and line in text, text
    assert "The check of `other` came upon this error" in crash and "notebook.py" not in crash


def test_a_misspelt_answer_is_named_by_its_check(warm_kernels: Path, tmp_path: Path) -> None:
    _, said = said_by(["def othr():\n    return 1", "check.other()"], tmp_path, warm_kernels)
    assert said.replace("\n", " ") == (
        "NameError: name 'other' is not defined. There is `othr`. Is one of them misspelt?"
    )


def test_a_stubs_last_line_that_stands_beside_an_answer_is_told_as_that(warm_kernels: Path, tmp_path: Path) -> None:
    stub = 'raise NotImplementedError("not implemented yet")'
    mark, answer = "# YOUR CODE HERE", "y = x + 1"
    bodies = {
        "below": [mark, stub, answer, "return y"],
        "below, without the comment": ['"""Doc."""', stub, "", answer],
        "above": [mark, answer, stub],
        "untouched": ['"""Doc."""', "if x < 0:", "    raise ValueError", mark, "# one day", stub, "# here"],
        "a given line, without the comment": ["if x < 0:", "    raise ValueError", stub],
    }
    cells = [
        cell
        for body in bodies.values()
        for cell in ("def it(x):\n" + "\n".join(f"    {line}" for line in body), CHECK_IT, "it(3)")
    ]
    cells.append(f"{mark}\n{stub}\npredicted_size = 5")
    cells.append(f"class It:\n    def __init__(self):\n        {mark}\n        {stub}\n        self.x = 1")
    cells.append("It()")
    said = [text.replace("\n", " ") for text in said_by(cells, tmp_path, warm_kernels)]
    above = f"NotImplementedError: The line `{stub}` stands above your code, which never runs. Delete that line."
    below = f"NotImplementedError: The line `{stub}` still stands below your code. Delete it, and return your result."
    open_ = "NotImplementedError: `it` is not implemented yet. Write it, run its cell, then this one."
    assert dict(zip(bodies, said[1::3], strict=False)) == dict(
        zip(bodies, [above, above, below, open_, open_], strict=True)
    )
    assert said[2:15:3] == said[1:15:3], "a cell that calls the answer says the same as its check"
    assert [said[15], said[17]] == [above, above]


def test_no_check_passes_an_answer_whose_cell_stopped_and_the_last_cell_counts_them(
    warm_kernels: Path, tmp_path: Path
) -> None:
    """A pass counts only for the answer as it was when the check passed. Of a prediction only the form was seen."""
    right, stand = "def it(x):\n    return x + 1", "check.where_you_stand()"
    cells = [
        right,
        CHECK_IT,
        stand,
        "def it(x):\n    return x +",
        CHECK_IT,
        stand,
        "it = 1 / 0",
        CHECK_IT,
        right,
        stand,
    ]
    cells += [CHECK_IT, "predicted_size = 3", "check.predicted_size()", stand, "re = 1\n%reset -f", right]
    said = said_by(cells, tmp_path, warm_kernels)
    stopped = "AssertionError: The cell that defines `it` stopped with an error. Fix that cell and run it"
    assert [said[number] for number in (1, 10)] == ["it passes: one more.\n"] * 2
    assert [said[number].startswith(stopped) for number in (4, 7)] == [True, True]
    assert [said[number].split(" of 4 checks pass.")[0] for number in (2, 5, 9, 13)] == ["1", "0", "0", "2"]
    assert "predicted_size the check has seen the form only" in said[13].replace("\n", " ")
    assert said[14:] == ["", ""], "what a student resets or reuses does not break the notes of the check"


def test_what_a_check_writes_to_stderr_is_ordinary_output_and_costs_no_point(
    warm_kernels: Path, tmp_path: Path
) -> None:
    """After the check, passed or not, stderr and the random state are as before, and no name is new."""
    after = "print('mine', file=sys.stderr)"
    cells = [
        "import sys\ndef loud():\n    return 3\nnames = {*globals()}\nstate = torch.get_rng_state()",
        "check.loud()",
        after,
    ]
    cells += ["print(torch.equal(torch.get_rng_state(), state), {n for n in {*globals()} - names if n[0] != '_'})"]
    cells += ["def loud():\n    return 0", "check.loud()", after]
    sources = [setup_of(CHECKS, tmp_path), *cells]
    nbformat.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources]), tmp_path / "x.ipynb"
    )
    ran = run(tmp_path / "x.ipynb", warm_kernels)
    streams = [[one.name for one in cell.outputs if one.output_type == "stream"] for cell in ran.cells]
    assert [{*streams[number]} for number in (2, 3, 6, 7)] == [{"stdout"}, {"stderr"}, {"stdout"}, {"stderr"}]
    written = "".join(output.text for output in ran.cells[2].outputs)
    assert all(text in written for text in ("careful", "1 of 3", "loud passes."))
    assert ran.cells[4].outputs[0].text in ("True {'names', 'state'}\n", "True {'state', 'names'}\n")


def test_a_flood_is_cut_with_the_verdict_in_sight(warm_kernels: Path, tmp_path: Path) -> None:
    """Of what an answer prints while its check runs 50 lines are shown, then how many more came, and the verdict."""
    flood = "def it(x):\n    for n in range(10_000):\n        print(n)\n    return x + 1"
    said = list(filter(None, said_by([flood, CHECK_IT], tmp_path, warm_kernels)[1].splitlines()))
    assert said[:50] == [str(n) for n in range(50)]
    assert said[50:] == ["… and 9,950 more lines. Is there a print in a loop?", "it passes: one more."]
