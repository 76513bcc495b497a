"""`nbproctor release`: the student notebooks."""

from __future__ import annotations

from nbproctor.commands.terminal import console, one_line_errors


def release() -> None:
    """Make course/ from solutions/: nbgrader's own preprocessors, badges in, solutions and hidden tests out."""
    from nbproctor.release import release as make  # nbgrader takes a second to import

    with one_line_errors():
        changed = make()
        console.print(f"course/: {', '.join(changed) if changed else 'nothing to change'}")
