"""Grades more notebooks than `make test` has time for, with stock nbgrader and with us, and compares the points.

`python tests/before_both.py right|wrong|shapes|styles [UNIT …]`, by default for all units, grades every right answer of
the bank, every wrong one, every honest shape of a notebook, or the reference answers in every style of `wraps`, and
prints a line where the two give different points. The right answers fill eighty notebooks, the shapes and the styles
seven hundred each, the wrong answers eleven hundred, and nbgrader takes seconds for each of them. `make test` compares
some of each (`test_stock`, `test_honest`).
"""

import itertools
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import kernels
from honest import BOTH, Shape, hand_in
from stock import Points, points_of, right_answers, stock, students_with, wrong_answers
from wraps import in_every_style

from nbproctor.course.units import Unit, load_unit, unit_names
from nbproctor.run.batch import run
from nbproctor.run.job import Job
from nbproctor.values.limits import Limits
from nbproctor.values.submission import Submission

CANNOT_BE_TRIED = 2
AT_ONCE = 40  # notebooks in one run of nbgrader's: on a busy machine more of them would take longer than it may


def main(arguments: Sequence[str]) -> int:
    """Returns 0 where the graders agree on all points, 1 where they do not, and 2 where the arguments are wrong."""
    kind, *names = arguments or [""]
    if kind not in KINDS or set(names) - set(unit_names()):
        print(f"before_both: expected one of {', '.join(KINDS)}, then units; got {' '.join(arguments) or 'nothing'}")
        return CANNOT_BE_TRIED
    differing = 0
    with kernels.warm_kernels(printed=False) as warm:
        for name in names or unit_names():
            unit = load_unit(name)
            with tempfile.TemporaryDirectory(prefix="before-both-") as folder:
                submissions = KINDS[kind](unit, Path(folder) / "handed in")
                told = compared(unit, submissions, Path(folder), warm)
            differing += len(told)
            print(f"{name}: {len(submissions)} notebooks, {len(told)} checks differ", *told, sep="\n  ", flush=True)
    return 1 if differing else 0


def compared(unit: Unit, submissions: Sequence[Submission], folder: Path, warm: Path) -> list[str]:
    """A line for each check to which the two graders give different points."""
    results = run(Job({unit.name: unit}, submissions, Limits(), True), 2, lambda result: None)
    ours = {key: points for result in results for key, points in points_of(result).items()}
    theirs: Points = {}
    for start in range(0, len(submissions), AT_ONCE):
        course = folder / f"from {start}"
        course.mkdir()
        theirs |= stock(unit, submissions[start : start + AT_ONCE], course, warm)
    said = {
        (result.student, check.grade_id): f"{check.status}, {check.message}"
        for result in results
        for exercise in result.exercises
        for check in exercise.checks
    }
    return [
        f"{student} {check}: ours {ours.get((student, check))} ({said.get((student, check), 'ungradable')}), "
        f"nbgrader's {theirs.get((student, check))}"
        for student, check in sorted(ours.keys() | theirs.keys())
        if ours.get((student, check)) != theirs.get((student, check))
    ]


def with_right_answers(unit: Unit, folder: Path) -> list[Submission]:
    return students_with(unit, right_answers(unit), folder)


def with_wrong_answers(unit: Unit, folder: Path) -> list[Submission]:
    return students_with(unit, list(itertools.chain(*wrong_answers(unit))), folder)


def in_all_shapes(unit: Unit, folder: Path) -> list[Submission]:
    return in_all(BOTH, unit, folder)


def in_all_styles(unit: Unit, folder: Path) -> list[Submission]:
    return in_all(in_every_style(unit), unit, folder)


def in_all(shapes: Mapping[str, Shape], unit: Unit, folder: Path) -> list[Submission]:
    """A notebook of right answers in each of these shapes."""
    return [
        Submission(name, unit.name, hand_in(unit, shape, folder / name / unit.name), has_files=True)
        for name, shape in shapes.items()
    ]


KINDS = {
    "right": with_right_answers,
    "wrong": with_wrong_answers,
    "shapes": in_all_shapes,
    "styles": in_all_styles,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
