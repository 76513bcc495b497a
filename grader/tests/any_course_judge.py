"""Compares what stock `nbgrader autograde` and `nbproctor grade` leave in two copies of a course folder.

Every fact of the gradebook is compared row by row, and every file of autograded/. What may differ is listed in FREE.
"""

import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import forked
from any_course import nbgrader_says
from nbgrader.api import Gradebook

from nbproctor.anycourse import feedback, grading  # noqa: F401 the commands need them; imported once, before the forks
from nbproctor.cli.app import app

FREE = {
    "execution": "when a cell began and ended",
    "id": "nbformat makes a new one in each conversion of a notebook that has none",
    "figures": "we draw a figure when somebody asks for it",
    "folders": "empty ones, and what a student writes beside the submission's own folder, are not kept",
    "memory addresses, temporary names and times in outputs": "no two runs have the same",
}
UNSTEADY = (".png", ".db", ".zip", ".pyc")  # files with a time in them
Row = tuple[str, ...]  # what kind of row, and whose
Facts = dict[str, Any]
ENVIRONMENT = {"OMP_NUM_THREADS": "1"}
kernels_of_stock: Path | None = None  # a JUPYTER_PATH where tests have kernels that start sooner; None: Jupyter's own


def rows_of(root: Path, student: str = "") -> dict[Row, Facts]:
    """Every fact that grading leaves in the gradebook of a course; student: of one student's submissions alone."""
    found: dict[Row, Facts] = {}
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        for who in book.students:
            found["student", who.id] = {"first": who.first_name, "last": who.last_name, "mail": who.email}
        for assignment in book.assignments:
            for one in assignment.submissions:
                if student in ("", one.student_id):
                    _add_submission(found, one, (assignment.name, one.student_id))
    return found


def _add_submission(found: dict[Row, Facts], one: Any, key: Row) -> None:
    found["submission", *key] = {
        "timestamp": one.timestamp, "extension": one.extension, "late_s": one.total_seconds_late,
        **_sums(one),
    }  # fmt: skip
    for notebook in one.notebooks:
        found["notebook", *key, notebook.name] = {
            "penalty": notebook.late_submission_penalty, "flagged": notebook.flagged,
            "failed": notebook.failed_tests, **_sums(notebook),
        }  # fmt: skip
        for grade in notebook.grades:
            found["grade", *key, notebook.name, grade.name] = {
                "auto": grade.auto_score, "manual": grade.manual_score, "extra": grade.extra_credit,
                "needs_manual": grade.needs_manual_grade, "score": grade.score, "failed": grade.failed_tests,
            }  # fmt: skip
        for comment in notebook.comments:
            facts = {"auto": comment.auto_comment, "manual": comment.manual_comment}
            found["comment", *key, notebook.name, comment.name] = facts


def _sums(one: Any) -> Facts:
    return {
        "score": one.score, "max": one.max_score, "written": one.written_score, "task": one.task_score,
        "needs_manual": one.needs_manual_grade,
    }  # fmt: skip


def differing_rows(stock: Mapping[Row, Facts], ours: Mapping[Row, Facts]) -> list[str]:
    """A line for each row that is not the same in both; empty where the gradebooks are equal."""
    told = []
    for key in sorted({*stock, *ours}):
        if key not in ours or key not in stock:
            told.append(f"{' '.join(key)}: only {'stock' if key in stock else 'ours'}")
        elif stock[key] != ours[key]:
            facts = [(name, value, ours[key][name]) for name, value in stock[key].items() if value != ours[key][name]]
            told.append(f"{' '.join(key)}: {', '.join(f'{name} {one!r} != {other!r}' for name, one, other in facts)}")
    return told


def files_of(root: Path, folder: str = "autograded") -> dict[str, Facts]:
    """Every file and folder below autograded/, with its permissions and its content as far as it has to be the same."""
    found = {}
    for path in sorted((root / folder).rglob("*")):
        name = str(path.relative_to(root))
        if {"__pycache__", ".ipynb_checkpoints"} & set(path.parts):
            continue
        if len(path.relative_to(root).parts) < 4 or path.is_dir() and not any(path.iterdir()):
            continue
        mode = oct(stat.S_IMODE(path.lstat().st_mode))
        if path.is_symlink():
            found[name] = {"mode": mode, "content": f"link to {os.readlink(path)}"}
        elif path.is_dir():
            found[name] = {"mode": mode, "content": "folder"}
        elif path.suffix == ".ipynb":
            found[name] = {"mode": mode, **notebook_facts(json.loads(path.read_text(encoding="utf-8")))}
        else:
            found[name] = {"mode": mode, "content": "some bytes" if path.suffix in UNSTEADY else path.read_bytes()}
    return found


def notebook_facts(book: Any) -> Facts:
    facts = {"format": (book["nbformat"], book["nbformat_minor"]), "metadata": book["metadata"]}
    for number, cell in enumerate(book["cells"]):
        said = [output for output in cell.get("outputs", []) if output["output_type"] != "stream"]
        facts[f"cell {number}"] = {
            "type": cell["cell_type"], "source": _joined(cell["source"]),
            "metadata": {name: value for name, value in cell["metadata"].items() if name != "execution"},
            "count": cell.get("execution_count"), "stdout": _stream(cell, "stdout"), "stderr": _stream(cell, "stderr"),
            "outputs": [fact for output in said for fact in _output_facts(output)],
        }  # fmt: skip
    return facts


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)


def _stream(cell: Any, name: str) -> str:
    outputs = [one for one in cell.get("outputs", []) if one["output_type"] == "stream" and one["name"] == name]
    return _steady("".join(_joined(one["text"]) for one in outputs))


def _output_facts(output: Any) -> list[Facts]:
    if output["output_type"] == "error":
        if output["ename"] == "StdinNotImplementedError":  # a kernel shows its own lines
            return [{"ename": output["ename"], "evalue": output["evalue"]}]
        if output["ename"] == "RecursionError":  # how deep it went, and where it ended, depends on what called it
            return [{"ename": output["ename"]}]
        told = {"ename": output["ename"], "evalue": output["evalue"], "traceback": "\n".join(output["traceback"])}
        return [{name: _steady(text) for name, text in told.items()}]
    data = {name: _steady(_joined(text)) if name.startswith("text/") else text for name, text in output["data"].items()}
    is_figure = any(name.startswith("image/") for name in data)
    if is_figure or re.match(r"<Figure size", data.get("text/plain", "")):
        return []
    told = {"type": output["output_type"], "count": output.get("execution_count"), "metadata": output["metadata"]}
    return [{**told, "data": data}]


def _steady(text: str) -> str:
    """Text without what differs in each run."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"\(\d+ times\)", "(… times)", text)  # how deep a recursion went
    text = re.sub(r"Thread-\d+", "Thread-…", text)
    text = re.sub(r"0x[0-9a-f]{6,}", "0x…", text)
    text = re.sub(r"[~/][\w./-]*(?=/lib/python3|/site-packages)", "…", text)
    text = re.sub(r"/tmp\b[\w./-]*", "/tmp…", text)  # noqa: S108 a pattern
    text = re.sub(r"\b\d[\d.e+]* (ns|[µμu]s|ms|s|min)\b", "… s", text)
    return re.sub(r"-+\n", "---\n", text).strip()


def differing_files(stock: Mapping[str, Facts], ours: Mapping[str, Facts]) -> list[str]:
    told = []
    for name in sorted({*stock, *ours}):
        if name not in stock or name not in ours:
            told.append(f"{name}: only {'stock' if name in stock else 'ours'}")
            continue
        for fact in sorted({*stock[name], *ours[name]}):
            one, other = stock[name].get(fact), ours[name].get(fact)
            if one != other:
                told.append(f"{name}, {fact}: {_difference(one, other)}")
    return told


def _difference(one: Any, other: Any) -> str:
    if isinstance(one, dict) and isinstance(other, dict):
        names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
        one, other = ({name: each.get(name) for name in names} for each in (one, other))
    return f"{one!r:.700} != {other!r:.700}"


def stock(root: Path, assignment: str, *options: str) -> CompletedProcess[str]:
    """`nbgrader autograde`, with the kernels of `kernels_of_stock`.

    `immediate` saves the second that a kernel takes to say good-bye. By TCP, two kernels that start at the same moment
    may choose the same port, and stock loses the submission.
    """
    with tempfile.TemporaryDirectory(prefix="k") as folder:  # short: a socket's path has 107 bytes
        calm = [
            "--Execute.shutdown_kernel=immediate",
            "--KernelManager.transport=ipc",
            f"--KernelManager.ip={folder}/k",
        ]
        return nbgrader_says(root, "autograde", assignment, *calm, *options, kernels=kernels_of_stock)


def ours(root: Path, *words: str) -> CompletedProcess[str]:
    """`nbproctor grade` in a course folder, as an instructor starts it."""
    return says(root, "grade", *words)()


def says(root: Path, *words: str) -> Callable[[], CompletedProcess[str]]:
    """Start an `nbproctor` command in a course folder. Returns what waits for its end."""
    return forked.started(app, ["nbproctor", *words], root, {**os.environ, **ENVIRONMENT})


def copies(root: Path) -> tuple[Path, Path]:
    """The course twice: a copy for stock and one for us."""
    pair = root.parent / f"{root.name}-stock", root.parent / f"{root.name}-ours"
    for copy in pair:
        if copy.exists():
            shutil.rmtree(copy)
        shutil.copytree(root, copy, symlinks=True)
    return pair


def both(root: Path, assignments: Iterable[str], *options: str) -> tuple[Path, Path]:
    """Grade a course by stock and by us, at the same time, in a copy each. Returns the two folders."""
    theirs, mine = copies(root)
    grade_both(theirs, mine, assignments, *options)
    return theirs, mine


def grade_both(theirs: Path, mine: Path, assignments: Iterable[str], *options: str) -> None:
    """Grade two copies of a course at the same time. What either side said lies in said.txt in its folder."""
    names = list(assignments)
    waiting = says(mine, "grade", *names, *options)
    said = [stock(theirs, name, *options) for name in names]
    for folder, those in ((theirs, said), (mine, [waiting()])):
        text = "\n".join(f"{done.args}: {done.returncode}\n{done.stdout}\n{done.stderr}" for done in those)
        (folder / "said.txt").write_text(text, encoding="utf-8")


def differences(theirs: Path, mine: Path) -> list[str]:
    """A line for each row of the gradebooks and each file of autograded/ that is not the same in both copies."""
    return differing_rows(rows_of(theirs), rows_of(mine)) + differing_files(files_of(theirs), files_of(mine))
