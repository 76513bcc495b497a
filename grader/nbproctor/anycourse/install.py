"""Two lines in nbgrader_config.py, which put nbgrader's own commands and formgrader's buttons into the sandbox."""

from pathlib import Path
from typing import Any

from nbgrader.converters import GenerateFeedback
from nbgrader.preprocessors import Execute

from nbproctor.anycourse.execute import ExecuteInSandbox
from nbproctor.anycourse.feedback import WithoutHiddenTests
from nbproctor.anycourse.settings import Course
from nbproctor.anycourse.steps import resolved

MARK = "  # nbproctor: `nbproctor install --remove` takes this line out"


def install(course: Course) -> list[str]:
    """Write the lines, with the steps that the course has now. Returns them."""
    remove(course.root)
    course = Course(course.root)
    steps = [
        _path(ExecuteInSandbox if resolved(one) is Execute else one) for one in course.converter.autograde_preprocessors
    ]
    pages = GenerateFeedback(coursedir=course.directory, parent=course.app)
    lines = [
        f"c.Autograde.autograde_preprocessors = {steps}{MARK}",
        f"c.GenerateFeedback.preprocessors = {[_path(WithoutHiddenTests), *map(_path, pages.preprocessors)]}{MARK}",
    ]
    path = _config(course.root)
    before = path.read_text() if path.exists() else "c = get_config()\n"
    path.write_text(before + ("" if before.endswith("\n") else "\n") + "\n".join(lines) + "\n")
    return lines


def remove(root: Path) -> int:
    """Take the lines out again, and leave all else as it is. Returns how many there were."""
    path = _config(root)
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    kept = [line for line in lines if not line.rstrip("\n").endswith(MARK)]
    if len(kept) < len(lines):
        path.write_text("".join(kept))
    return len(lines) - len(kept)


def _config(root: Path) -> Path:
    return root / "nbgrader_config.py"


def _path(step: Any) -> str:
    return step if isinstance(step, str) else f"{step.__module__}.{step.__qualname__}"
