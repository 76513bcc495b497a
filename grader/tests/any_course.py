"""Writes nbgrader courses and classes: an ordinary course folder, and what students hand in.

Nothing here knows how nbproctor grades. A course is written as an instructor writes it, released by nbgrader's own
`generate_assignment`, and answered by students who start from the release.
"""

import functools
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import forked
import nbformat
from nbgrader.api import Gradebook
from nbgrader.apps.nbgraderapp import main as nbgrader
from nbgrader.utils import is_grade, is_solution

Notebook = Any  # as nbformat reads it
Files = Mapping[str, bytes]
KINDS: dict[str, dict[str, Any]] = {
    "locked": {"locked": True},
    "answer": {"solution": True},
    "test": {"grade": True, "locked": True},
    "manual": {"grade": True, "solution": True},
    "essay": {"grade": True, "solution": True},
    "task": {"task": True, "locked": True},
}
DUE = datetime(2026, 11, 1, 12)
PYTHON = {"name": "python3", "display_name": "Python 3", "language": "python"}


def cells(text: str, number: int = 0) -> list[Any]:
    """The cells of a text in the format of `any_course_shapes`, for the exercise of this number."""
    found = []
    for part in text.replace("§", str(number)).split("# %% ")[1:]:
        head, _, body = part.partition("\n")
        kind, *rest = head.split()
        metadata = {}
        if kind in KINDS:
            metadata["nbgrader"] = {
                "grade": False, "locked": False, "solution": False, "task": False, "schema_version": 3,
                "grade_id": rest[0], **KINDS[kind],
            }  # fmt: skip
            if len(rest) > 1:
                metadata["nbgrader"]["points"] = float(rest[1])
        make = nbformat.v4.new_markdown_cell if kind in ("text", "manual", "task") else nbformat.v4.new_code_cell
        found.append(make(body.strip("\n"), metadata=metadata))
    return found


def notebook(shapes: Iterable[str], *, has_ids: bool = True, kernelspec: Mapping[str, str] | None = PYTHON) -> Notebook:
    """A notebook of these exercises. has_ids: False writes nbformat 4.2, from before cells had ids."""
    made = [cell for number, text in enumerate(shapes) for cell in cells(text, number)]
    metadata = {"kernelspec": dict(kernelspec)} if kernelspec else {}
    book = nbformat.v4.new_notebook(cells=made, metadata=metadata)
    if not has_ids:
        book.nbformat_minor = 2
        for cell in book.cells:
            del cell["id"]
    return book


def write(book: Notebook, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(book, ensure_ascii=False, indent=1), encoding="utf-8")


def read(path: Path) -> Notebook:
    return nbformat.read(path, as_version=4)


def write_files(files: Files, folder: Path) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def write_course(
    root: Path, assignments: Mapping[str, Mapping[str, Notebook]], files: Files | None = None, config: str = ""
) -> Path:
    """An nbgrader course folder: assignment -> notebook -> its cells; the files lie beside every assignment's."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "nbgrader_config.py").write_text(f"c = get_config()\nc.CourseDirectory.course_id = 'any'\n{config}\n")
    for name, books in assignments.items():
        for title, book in books.items():
            write(book, root / "source" / name / f"{title}.ipynb")
        write_files(files or {}, root / "source" / name)
    return root


@functools.cache
def _empty_gradebook() -> bytes:
    """A new gradebook as nbgrader makes it, which takes seconds; a course begins with a copy."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gradebook.db"
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # it calls `alembic`
        with Gradebook(f"sqlite:///{path}", "any"):
            pass
        return path.read_bytes()


def nbgrader_says(root: Path, *words: str, kernels: Path | None = None) -> Any:
    """Run nbgrader's own command in the course folder. kernels: a JUPYTER_PATH to look for kernels first."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"} | ({"JUPYTER_PATH": str(kernels)} if kernels else {})
    return forked.call(nbgrader, ["nbgrader", *words], root, environment)


def release(root: Path, due: Mapping[str, datetime] | None = None) -> Path:
    """`nbgrader generate_assignment` for every assignment of the course."""
    if not (root / "gradebook.db").exists():
        (root / "gradebook.db").write_bytes(_empty_gradebook())
    for name in sorted(path.name for path in (root / "source").iterdir()):
        if due and name in due:
            with Gradebook(f"sqlite:///{root}/gradebook.db", "any") as book:
                book.update_or_create_assignment(name, duedate=due[name])
        done = nbgrader_says(root, "generate_assignment", name)
        assert done.returncode == 0, done.stderr[-3000:]
    return root


# What students hand in: the release, with some cells of their own. A change takes the released notebook and a source
# of chance, and returns nothing.

Change = Callable[[Notebook, Notebook, random.Random], None]


def solution_of(cell: Any) -> str:
    """The cell's source with its solution, without nbgrader's marks."""
    return "\n".join(line for line in cell.source.splitlines() if "### BEGIN" not in line and "### END" not in line)


def answered(released: Notebook, source: Notebook, which: Callable[[int, str], str | None]) -> None:
    """Put into the n-th answer's cell what `which(n, solution)` returns; None leaves the release's stub."""
    solutions = {cell.metadata.nbgrader.grade_id: cell for cell in source.cells if is_solution(cell)}
    for number, cell in enumerate(cell for cell in released.cells if is_solution(cell)):
        text = which(number, solution_of(solutions[cell.metadata.nbgrader.grade_id]))
        if text is not None:
            cell.source = text


def spoiled(solution: str, chance: random.Random) -> str:
    """The solution with one of its numbers changed, or without its last line where it has none."""
    numbers = [*re.finditer(r"(?<!\w)\d+", solution)]
    if not numbers:
        return solution.rpartition("\n")[0]
    one = chance.choice(numbers)
    return f"{solution[: one.start()]}7{solution[one.end() :]}"


def reference(released: Notebook, source: Notebook, chance: random.Random) -> None:
    """Everything is answered as the instructor does."""
    answered(released, source, lambda _, solution: solution)


def empty(released: Notebook, source: Notebook, chance: random.Random) -> None:
    """The release, untouched."""


def wrong(released: Notebook, source: Notebook, chance: random.Random) -> None:
    """One number of each answer is changed, or its last line is gone."""
    answered(released, source, lambda _, solution: spoiled(solution, chance))


def half(released: Notebook, source: Notebook, chance: random.Random) -> None:
    """Every second answer is there."""
    answered(released, source, lambda number, solution: solution if number % 2 else None)


def stray(released: Notebook, source: Notebook, chance: random.Random) -> None:
    """Right answers, with cells of the student's own between them, a test lost and locked cells edited."""
    reference(released, source, chance)
    extra = ["x = 1 / 0", "%time sum(range(9))", "import sys\nprint('note', file=sys.stderr)", "", "# no"]
    for text in extra:
        released.cells.insert(chance.randrange(len(released.cells) + 1), own_cell(released, text))
    edit_locked(released, source, chance)
    lose_test(released, source, chance)


def own_cell(book: Notebook, text: str) -> Any:
    cell = nbformat.v4.new_code_cell(text)
    if book.nbformat_minor < 5:
        del cell["id"]
    return cell


def tests_of(book: Notebook) -> list[Any]:
    return [cell for cell in book.cells if is_grade(cell) and not is_solution(cell)]


def _any_test(book: Notebook, chance: random.Random) -> Any:
    return chance.choice(tests_of(book) or book.cells)


def lose_test(book: Notebook, source: Notebook, chance: random.Random) -> None:
    """A test cell is deleted. (Not the notebook's first cell: nbgrader's `add_missing_cells` fails there.)"""
    book.cells.remove(_any_test(book, chance))


def move_cell(book: Notebook, source: Notebook, chance: random.Random) -> None:
    cell = book.cells.pop(chance.randrange(len(book.cells)))
    book.cells.insert(chance.randrange(len(book.cells) + 1), cell)


def edit_locked(book: Notebook, source: Notebook, chance: random.Random) -> None:
    """A test is emptied by its student."""
    _any_test(book, chance).source = "pass"


def set_mark(name: str, value: object) -> Change:
    """A change of nbgrader's metadata of a test."""

    def change(book: Notebook, source: Notebook, chance: random.Random) -> None:
        marks = _any_test(book, chance).metadata.get("nbgrader", {})
        if name in marks:
            marks[name] = value

    return change


def turn_to_text(book: Notebook, source: Notebook, chance: random.Random) -> None:
    """A test is turned into a markdown cell."""
    cell = _any_test(book, chance)
    if cell.cell_type == "code":
        cell.cell_type = "markdown"
        del cell["outputs"], cell["execution_count"]


def rename_id(book: Notebook, source: Notebook, chance: random.Random) -> None:
    """A cell has an id that the course does not know."""
    cell = chance.choice([cell for cell in book.cells if "nbgrader" in cell.metadata])
    cell.metadata.nbgrader.grade_id = "unknown_id"


def other_kernel(book: Notebook, source: Notebook, chance: random.Random) -> None:
    book.metadata.kernelspec = {"name": "my_own_env", "display_name": "My own", "language": "python"}


def stored_outputs(book: Notebook, source: Notebook, chance: random.Random) -> None:
    """Outputs of the student's own run are stored, forged ones among them."""
    for number, cell in enumerate(cell for cell in book.cells if cell.cell_type == "code"):
        value = nbformat.v4.new_output("execute_result", data={"text/plain": "1"}, execution_count=number)
        cell.execution_count = number
        cell.outputs = [nbformat.v4.new_output("stream", name="stderr", text="old"), value]


def tag_cells(book: Notebook, source: Notebook, chance: random.Random) -> None:
    """Tags that tools give a meaning to; nbclient runs no cell that is tagged `skip-execution`."""
    for tag in ("skip-execution", "raises-exception", "own"):
        chance.choice(book.cells).metadata.tags = [tag]


PLAIN: dict[str, Change] = {"reference": reference, "empty": empty, "wrong": wrong, "half": half, "stray": stray}


def hand_in(  # noqa: PLR0913 who, what, how, with what, when
    root: Path, student: str, assignment: str, change: Change, *, seed: int = 0, files: Files | None = None,
    at: datetime | None = DUE - timedelta(hours=1), without: Iterable[str] = (),
) -> Path:  # fmt: skip
    """Write a student's submission: the released notebooks with this change. without: notebooks that are missing."""
    folder = root / "submitted" / student / assignment
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((root / "release" / assignment).rglob("*")):
        name = path.relative_to(root / "release" / assignment)
        if path.is_file() and path.suffix != ".ipynb":
            write_files({str(name): path.read_bytes()}, folder)
        elif path.is_file() and path.stem not in without:
            book = read(path)
            change(book, read(root / "source" / assignment / name), random.Random(f"{seed} {path.stem}"))  # noqa: S311
            write(book, folder / name)
    write_files(files or {}, folder)
    if at is not None:
        (folder / "timestamp.txt").write_text(at.strftime("%Y-%m-%d %H:%M:%S UTC"))
    return folder


def with_cell(text: str, *, then: Change = reference) -> Change:
    """A change that puts a cell of the student's own before all others."""

    def change(released: Notebook, source: Notebook, chance: random.Random) -> None:
        then(released, source, chance)
        released.cells.insert(0, own_cell(released, text))

    return change


def with_answer(grade_id: str, text: str) -> Change:
    """A change that gives this answer to one exercise, and the instructor's to the others."""

    def change(released: Notebook, source: Notebook, chance: random.Random) -> None:
        reference(released, source, chance)
        (cell,) = [cell for cell in released.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id]
        cell.source = text

    return change


def hand_in_plain_class(root: Path, assignment: str) -> None:
    for student, change in PLAIN.items():
        hand_in(root, student, assignment, change)
