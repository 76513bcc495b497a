"""Makes `course/` from `solutions/`: packs each unit's checks into its setup cell, and runs nbgrader's preprocessors.

Two cells of a notebook are not its own: the setup cell, which `pack` makes of a template in `solutions/checking/`, and
the last one, which says where the reader stands.
"""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbgrader import preprocessors as stock
from nbgrader.nbgraderformat import ValidationError
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode
from traitlets.config import Config

from nbproctor.authoring import one_file
from nbproctor.authoring.pack import setup_beside, setup_packed
from nbproctor.authoring.readme import book_page, with_parts
from nbproctor.authoring.uncommitted import notebooks_with_work, remember
from nbproctor.course.units import CourseError, raise_on_faults, unit_names, units_called
from nbproctor.paths import ROOT
from nbproctor.values.notebook import grade_id_of, source_of, tags_of
from nbproctor.values.text import line, write_whole

STUB = '# YOUR CODE HERE\nraise NotImplementedError("not implemented yet")'

STAND = ("where-you-stand", "check.where_you_stand()")  # the id and the source of every notebook's last cell
PICTURES = {"image/png", "text/html"}
SOLUTIONS = "SOLUTIONS.md"
BEGIN_HIDDEN = "BEGIN HIDDEN TESTS"
BRING_YOUR_OWN = "12_bring_your_own"  # beside it lies what examines a layer without the unit
OPENING = "opening.png"  # the picture attached to a notebook's first cell: the output of the cell tagged `opening`


class PackChecks(NbGraderPreprocessor):  # type: ignore[misc]
    """Packs the unit's checks into the setup cell, so that the student's notebook needs no file beside it."""

    root = Unicode(str(ROOT)).tag(config=True)

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        unit, root = resources.get("nbgrader", {}).get("assignment") or resources["unique_key"], Path(self.root)
        for cell in nb.cells:
            if cell.id == "setup":
                before = _setup_in(root / "course" / unit / f"{unit}.ipynb")
                cell.source = setup_packed(unit, f"github.com/{repository(root)}", nb.cells, root, before)
        return nb, resources


def _setup_in(path: Path) -> str:
    """The setup cell of a notebook; "" if there is none that can be read."""
    try:
        cells = _read(path).cells
    except CourseError:  # it is about to be written anew
        return ""
    return next((source_of(cell) for cell in cells if cell.get("id") == "setup"), "")


class Badges(NbGraderPreprocessor):  # type: ignore[misc]
    """Puts a first cell with the unit's badges, and the book's address for each link to `book:PAGE`."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        name = resources.get("nbgrader", {}).get("assignment") or resources["unique_key"]
        for cell in nb.cells:
            cell.source = re.sub(r"\(book:(\w+)\)", lambda found: f"({book_page(repository(), found[1])})", cell.source)
        nb.cells.insert(0, nbformat.v4.new_markdown_cell(badges(name), id="badges"))
        return nb, resources


class Stuck(NbGraderPreprocessor):  # type: ignore[misc]
    """Puts a folded line behind each exercise, which leads to its solution, where pyproject.toml has them linked."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        unit = resources.get("nbgrader", {}).get("assignment") or resources["unique_key"]
        cells = list(nb.cells) if _setting("solutions_linked") else []
        for cell in cells:
            name = (grade_id_of(cell) or "").partition("hidden_")[2]
            if name:
                text = nbformat.v4.new_markdown_cell(stuck(unit, name), id=f"stuck-{name}".replace("_", "-"))
                nb.cells.insert(nb.cells.index(cell) + 1, text)
        return nb, resources


class KeepPictures(NbGraderPreprocessor):  # type: ignore[misc]
    """Removes all outputs but the pictures of demonstrations; those tagged `reveal` show an answer, and go, too."""

    def preprocess_cell(self, cell: Any, resources: dict[str, Any], index: int) -> tuple[Any, dict[str, Any]]:
        if cell.cell_type == "code":
            shows = "demo" in tags_of(cell) and "reveal" not in tags_of(cell)
            cell.outputs = [one for one in cell.outputs if shows and PICTURES & {*one.get("data", {})}]
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = None
            cell.execution_count = None
        return cell, resources


class RunOn(NbGraderPreprocessor):  # type: ignore[misc]
    """Lets "Run all" reach the end of a notebook that is not answered yet, with a message at each open place.

    Jupyter goes on after an error in a cell tagged `raises-exception`, which is stored, so that it earns no points.
    """

    def preprocess_cell(self, cell: Any, resources: dict[str, Any], index: int) -> tuple[Any, dict[str, Any]]:
        graded = cell.metadata.get("nbgrader", {}).get("grade")
        prediction = any(line.startswith("raise NotImplementedError") for line in cell.source.splitlines())
        if cell.cell_type == "code" and (graded or prediction or "demo" in tags_of(cell)):
            cell.metadata["tags"] = [*tags_of(cell), "raises-exception"]
        return cell, resources


PREPROCESSORS = [
    stock.ClearSolutions, stock.LockCells, stock.ComputeChecksums, stock.SaveCells, stock.CheckCellMetadata,
    KeepPictures, stock.ClearHiddenTests, stock.ClearMarkScheme, stock.ComputeChecksums, stock.CheckCellMetadata,
    PackChecks, Stuck, Badges, RunOn,
]  # fmt: skip


def repository(root: Path = ROOT) -> str:
    """The repository's OWNER/NAME, from `[tool.nbproctor] repository` in grader/pyproject.toml."""
    return str(_setting("repository", root))


def _setting(name: str, root: Path = ROOT) -> Any:
    """A value of `[tool.nbproctor]` in grader/pyproject.toml."""
    table = tomllib.loads((root / "grader" / "pyproject.toml").read_text(encoding="utf-8"))
    return table["tool"]["nbproctor"][name]


def stuck(unit: str, exercise: str) -> str:
    """The folded line behind an exercise. The anchor is the one that GitHub makes of the exercise's heading."""
    page = f"https://github.com/{repository()}/blob/main/solutions/{unit}/{SOLUTIONS}#{exercise.lower()}"
    return (
        "<details><summary>Stuck?</summary>\n\n"
        f"Here is [a solution of `{exercise}`]({page}). Read it until you could explain it, paste it into the cell\n"
        "above and go on. Write it once more tomorrow, from an empty cell.\n</details>"
    )


def solutions(unit: str, root: Path = ROOT) -> str:
    """The page with a unit's solutions, one heading for each exercise, to which the notebook's folded lines lead."""
    cells = _read(root / "solutions" / unit / f"{unit}.ipynb").cells
    parts = [f"# Solutions of {unit}\n\nOne way among others. `make release` makes this page of the unit's notebook.\n"]
    for cell in cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            lines = [one for one in source_of(cell).splitlines() if not one.strip().startswith("### ")]
            parts.append(f"## `{grade_id_of(cell)}`\n\n```python\n" + "\n".join(lines) + "\n```\n")
    return "\n".join(parts)


def badges(unit: str) -> str:
    where, path = repository(), f"course/{unit}/{unit}.ipynb"
    colab = f"https://colab.research.google.com/github/{where}/blob/main/{path}"
    binder = f"https://mybinder.org/v2/gh/{where}/main?urlpath=lab/tree/{path}"
    return (
        f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({colab}) "
        f"[![Open in Binder](https://mybinder.org/badge_logo.svg)]({binder})\n\n"
        f"To read this unit on a phone, or without running anything: [its page in the book]({book_page(where, unit)})."
    )


def _read(path: Path) -> Any:
    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, nbformat.ValidationError) as error:
        raise CourseError(f"{path}: not a readable notebook ({type(error).__name__}); restore it from git") from error
    return notebook


def synced(unit: str, root: Path = ROOT) -> str:
    """The instructor's notebook as JupyterLab would write it, with shared cells, opening picture and alt texts."""
    notebook = _read(root / "solutions" / unit / f"{unit}.ipynb")
    notebook.metadata.get("language_info", {}).pop("version", None)  # of the Python that last ran the notebook
    if all(cell.id != STAND[0] for cell in notebook.cells):
        notebook.cells.append(nbformat.v4.new_code_cell(STAND[1], id=STAND[0]))
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the times of its last run
        if grade_id := grade_id_of(cell):
            cell.id = grade_id.replace("_", "-")  # no editor shows the id, and old submissions are matched by it
        if cell.id == "setup":
            cell.source = setup_beside(unit, notebook.cells, root)
            cell.metadata["deletable"] = False
        if cell.cell_type == "code":
            CoalesceStreamsPreprocessor().preprocess_cell(cell, {}, 0)  # one output, in however many messages it came
            for output in cell.outputs if "alt" in cell.metadata else ():
                if "image/png" in output.get("data", {}):
                    output.metadata = {"image/png": {"alt": cell.metadata["alt"]}}
    for cell in notebook.cells:
        if f"attachment:{OPENING}" in cell.source:
            cell.attachments = {OPENING: {"image/png": _opening(unit, notebook)}}
    return str(nbformat.writes(notebook, ensure_ascii=False)) + "\n"


def _opening(unit: str, notebook: Any) -> str:
    for cell in notebook.cells:
        for output in cell.get("outputs", []) if "opening" in tags_of(cell) else []:
            if "image/png" in output.get("data", {}):
                return str(output.data["image/png"]).strip()
    raise CourseError(f"solutions/{unit}: the first cell shows {OPENING}, but no cell tagged `opening` draws it")


def released(unit: str, root: Path = ROOT) -> str:
    """Return the text of the student's notebook. Raises CourseError if a cell has a fault, or shows a solution."""
    notebook = _read(root / "solutions" / unit / f"{unit}.ipynb")
    raise_on_faults(unit, notebook.cells)
    for cell in notebook.cells:
        name = grade_id_of(cell) or ""
        if name.startswith("hidden_") and BEGIN_HIDDEN not in source_of(cell):
            markers = f"a line `### {BEGIN_HIDDEN}` and, below it, `### END HIDDEN TESTS`"
            raise CourseError(f"solutions/{unit}: all of {name} would be released; expected {markers} around its test")
    notebook = _preprocessed(unit, notebook, root)
    for cell in notebook.cells:
        for marker in ("BEGIN SOLUTION", "BEGIN HIDDEN", "END SOLUTION", "END HIDDEN"):
            if marker in source_of(cell):
                raise CourseError(f"solutions/{unit}: a cell with `{marker}` would be released; fix its markers")
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook, ensure_ascii=False)) + "\n"


def _preprocessed(unit: str, notebook: Any, root: Path) -> Any:
    """What nbgrader's preprocessors and ours make of the instructor's notebook."""
    config = Config()
    config.ClearSolutions.code_stub = {"python": STUB}
    config.PackChecks.root = str(root)
    resources = {"unique_key": unit, "nbgrader": {"assignment": unit, "notebook": unit}}
    for kind in PREPROCESSORS:
        if kind is stock.SaveCells:  # the gradebook is no part of a release
            continue
        try:
            notebook, resources = kind(config=config).preprocess(notebook, resources)
        except (RuntimeError, ValidationError) as error:  # a marker without its partner, metadata that it refuses
            raise CourseError(f"solutions/{unit}: nbgrader cannot release it: {line(str(error), 300)}") from error
        except (OSError, UnicodeError, SyntaxError) as error:
            raise CourseError(f"solutions/{unit}: its checks cannot be packed: {line(str(error), 300)}") from error
    return notebook


def release(root: Path = ROOT, overwrite: bool = False, units: Sequence[str] = ()) -> list[str]:
    """Bring `solutions/` up to date, then write `course/` and README.md's table. Return the changed units.

    Raises CourseError, before anything is written, if a notebook of `course/` holds work that is in no commit.
    """
    texts = {root / "course" / unit / f"{unit}.ipynb": unit for unit in units_called(units, root) or unit_names(root)}
    work = [] if overwrite else notebooks_with_work(root, list(texts))
    if work:
        names = ", ".join(str(path.relative_to(root)) for path in work)
        way_on = "Commit it, or copy it to work/; after that, `make release ARGS=--overwrite` writes it anew"
        raise CourseError(f"a release would overwrite {names}, with changes that are in no commit. {way_on}")
    changed = []
    for path, unit in texts.items():
        source, text = root / "solutions" / unit / f"{unit}.ipynb", synced(unit, root)
        if source.read_text(encoding="utf-8") != text:
            source.write_text(text, encoding="utf-8")
        (source.parent / SOLUTIONS).write_text(solutions(unit, root), encoding="utf-8")
        text = released(unit, root)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write_whole(path, text)
            changed.append(unit)
        if unit == BRING_YOUR_OWN:
            write_whole(path.with_name("examine.py"), one_file.joined(root))
            page = book_page(repository(root), "examinations")
            write_whole(path.with_name("examine.ipynb"), one_file.notebook(repository(root), page, root))
    remember(root, list(texts))
    readme = root / "README.md"
    if readme.exists():
        text = readme.read_text(encoding="utf-8")
        if (made := with_parts(text, root, repository(root))) != text:
            readme.write_text(made, encoding="utf-8")
    return changed
