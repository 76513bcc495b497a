"""Every notebook, run whole in a real kernel: the instructor's against its stored outputs, the student's alone."""

from __future__ import annotations

import base64
import importlib.metadata
import io
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import figures_plugin
import nbformat
import pytest
from PIL import Image, ImageOps

from nbproctor.batch import Submission, grade
from nbproctor.course import ROOT, grade_id_of, load_unit, tags_of, unit_names
from nbproctor.sit import Limits

UNITS = unit_names()
CELL_S = 300
per_unit = pytest.mark.parametrize("unit", UNITS)


def nbval(notebook: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """`pytest --nbval`, strict, in a folder of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "OMP_NUM_THREADS": "1"}
    environment.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-m", "pytest", "--nbval", f"--nbval-cell-timeout={CELL_S}", "-p", "figures_plugin"]
    return subprocess.run(  # noqa: S603 our own
        [*command, "-p", "no:cacheprovider", "-p", "no:xdist", "-q", "--rootdir", str(folder), str(notebook)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=1200,
    )  # fmt: skip


@per_unit
def test_a_solution_notebook_gives_the_outputs_that_it_stores(unit: str, tmp_path: Path) -> None:
    """nbval, strict: every text output is the same again, and every figure looks the same."""
    path = ROOT / "solutions" / unit / f"{unit}.ipynb"
    done = nbval(path, tmp_path)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    cells = sum(cell["cell_type"] == "code" for cell in load_unit(unit).instructor["cells"])
    assert re.search(rf"^{cells} passed", done.stdout, re.M), done.stdout[-500:]


def test_nbval_notices_a_changed_number_and_a_changed_figure(tmp_path: Path) -> None:
    """The comparison above can fail: a digit and a picture that are not what the code gives are both reported."""
    notebook = nbformat.v4.new_notebook()
    draw = "import matplotlib.pyplot as plt\n_ = plt.plot([1, 2, 4])"
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in ("print(6 * 7)", draw, draw)]
    nbformat.write(notebook, tmp_path / "changed.ipynb")
    notebook = run(tmp_path / "changed.ipynb")
    notebook.cells[0].outputs[0].text = "43\n"
    data = notebook.cells[1].outputs[0].data
    picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).convert("RGB")
    mirrored = io.BytesIO()
    ImageOps.mirror(picture).save(mirrored, "PNG")
    data["image/png"] = base64.b64encode(mirrored.getvalue()).decode()
    nbformat.write(notebook, tmp_path / "changed.ipynb")
    done = nbval(tmp_path / "changed.ipynb", tmp_path)
    assert done.returncode == 1
    assert "Cell outputs differ" in done.stdout
    assert re.search(r"Figures differ: figure 0: the pixels differ by \d+\.\d\d of 255", done.stdout)
    assert "2 failed, 1 passed" in done.stdout


def test_figures_are_compared_by_number_size_and_content() -> None:
    """A figure less, another size, other pixels: each is told in one line; the same picture is silence."""

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


def needed_by(*names: str) -> set[str]:
    """The distributions that these need, and what those need in turn."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in found:
            continue
        try:
            requirements = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # for another platform
        found.add(name)
        todo += [match[0] for r in requirements if "extra ==" not in r and (match := re.match(r"[\w.-]+", r))]
    return found


@pytest.fixture(scope="module")
def bare_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages that holds torch, matplotlib, ipykernel and what those need; nothing of ours."""
    site = tmp_path_factory.mktemp("site")
    packages = Path(sysconfig.get_path("purelib"))
    for name in needed_by("torch", "matplotlib", "ipykernel"):
        for file in importlib.metadata.files(name) or []:
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (site / top).exists():
                (site / top).symlink_to(packages / top)
    for absent in ("nbproctor", "nbgrader", "nbval", "jupyterlab", "pandas", "sklearn"):
        assert not (site / absent).exists()
    return site


@pytest.fixture
def alone(bare_site: Path, tmp_path: Path) -> list[str]:
    """nbconvert's options for a kernel that has those packages only, no network, and sees no file of the course."""
    start = (
        f"import sys; sys.path.append({str(bare_site)!r}); "
        "from ipykernel.kernelapp import launch_new_instance; launch_new_instance()"
    )
    hidden = [word for name in ("solutions", "grader", "course") for word in ("--tmpfs", str(ROOT / name))]
    python = [sys.executable, "-I", "-S", "-c", start, "-f", "{connection_file}"]
    spec = {
        "argv": ["bwrap", "--dev-bind", "/", "/", *hidden, "--unshare-net", "--die-with-parent", "--", *python],
        "display_name": "alone",
        "language": "python",
        "env": {"HOME": str(tmp_path / "home"), "OMP_NUM_THREADS": "1"},
    }
    (tmp_path / "home").mkdir()
    (tmp_path / "jupyter" / "kernels" / "alone").mkdir(parents=True)
    (tmp_path / "jupyter" / "kernels" / "alone" / "kernel.json").write_text(json.dumps(spec))
    # Without a network, kernel and client talk through files.
    return [
        "--ExecutePreprocessor.kernel_name=alone", "--KernelManager.transport=ipc", f"--KernelManager.ip={tmp_path}/k",
    ]  # fmt: skip


def run(notebook: Path, *options: str) -> Any:
    """Run every cell in the notebook's folder, whatever the cells before it raised, and read it again."""
    command = [sys.executable, "-m", "nbconvert", "--to=notebook", "--inplace", "--execute", "--allow-errors"]
    environment = {**os.environ, "JUPYTER_PATH": str(notebook.parent.parent / "jupyter")}
    done = subprocess.run(  # noqa: S603 our own
        [*command, f"--ExecutePreprocessor.timeout={CELL_S}", *options, notebook.name],
        cwd=notebook.parent, env=environment, capture_output=True, text=True, timeout=1200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return nbformat.read(notebook, as_version=4)


@per_unit
def test_a_course_notebook_runs_alone_and_stops_only_where_something_is_to_be_done(
    unit: str, alone: list[str], tmp_path: Path
) -> None:
    """In an empty folder, offline, with torch and matplotlib: only answers, their checks and pictures of them fail.

    They say "not implemented yet"; the check of a prediction, which is a value and not a function, that it has no name.
    """
    (tmp_path / "empty").mkdir()
    shutil.copy(ROOT / "course" / unit / f"{unit}.ipynb", tmp_path / "empty")
    ran = run(tmp_path / "empty" / f"{unit}.ipynb", *alone)
    names = {exercise.name for exercise in load_unit(unit).exercises}
    odd = []
    for cell in ran.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                odd.append((cell.id, output.text))
            if output.output_type != "error":
                continue
            told = (output.ename, output.evalue)
            prediction = (grade_id_of(cell) or "").partition("_")[2]
            mine = grade_id_of(cell) is not None or "demo" in tags_of(cell)
            undefined = ("NameError", f"name '{prediction}' is not defined")
            if not mine or (told != ("NotImplementedError", "not implemented yet") and told != undefined):
                odd.append((cell.id, told))
            if told == undefined and not prediction.startswith("predicted_"):
                odd.append((cell.id, told))
    assert odd == []
    stopped = {grade_id_of(c) for c in ran.cells if any(o.output_type == "error" for o in c.get("outputs", []))}
    assert {f"check_{name}" for name in names} <= stopped


def test_the_kernel_that_is_alone_has_neither_packages_nor_network(alone: list[str], tmp_path: Path) -> None:
    """The isolation above is real: the grader, nbgrader, the solutions and the network are out of reach."""
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
    ran = run(tmp_path / "empty" / "x.ipynb", *alone)
    told = [cell.outputs[0].get("ename") or cell.outputs[0].text for cell in ran.cells]
    assert told == ["ModuleNotFoundError", "ModuleNotFoundError", "FileNotFoundError", "OSError", "here\n"]


def test_a_check_that_fails_shows_what_it_says_and_any_other_cell_its_lines_too(tmp_path: Path) -> None:
    """The setup cell sees to that in a kernel; a mistake of any other kind keeps its lines in a check as well."""
    check = "# @title Check: it\n"
    cells = [
        load_unit(UNITS[0]).setup,
        "def it():\n    raise NotImplementedError('not implemented yet')",
        "def other():\n    assert 1 > 2, 'own words'",
        check + "assert 1 > 2, 'expected 1\\ngot 2'",
        check + "it()",
        check + "it(1)",
        "other()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    nbformat.write(notebook, tmp_path / "x.ipynb")
    ran = run(tmp_path / "x.ipynb")
    said, stub, mistake, own = ("\n".join(cell.outputs[0].traceback) for cell in ran.cells[3:])
    assert said == "AssertionError: expected 1\ngot 2"
    assert stub == "NotImplementedError: not implemented yet"
    for text, words, line in ((mistake, "takes 0 positional arguments", "line 2"), (own, "own words", "line 1")):
        assert all(part in re.sub(r"\x1b\[[0-9;]*m", "", text) for part in ("Traceback", words, line))


def test_an_untouched_course_notebook_scores_nothing_and_is_told_why(tmp_path: Path) -> None:
    """Every exercise of every unit says "not implemented yet" in our grader."""
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
