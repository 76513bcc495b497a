"""A small class for the tests of recording and reporting: one unit of two exercises, and results with every status."""

import copy
from typing import Any

from nbproctor.course.units import Check, Exercise, Unit
from nbproctor.values.result import Result

SECRET = "hidden test 4711: float64 with 17 heads"  # noqa: S105 - a message that no student may read
LACKS = "einops is imported and is not here: install it"  # what an instructor reads
_HEAD = 'def {name}(query, key):\n    """Average."""\n    '
STUB = _HEAD + '# YOUR CODE HERE\n    raise NotImplementedError("not implemented yet")'
SOLUTION = _HEAD + "### BEGIN SOLUTION\n    return query @ key.mT\n    ### END SOLUTION"
ANSWER = "def {name}(query, key):\n    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-2)\n"
SHAPE = "Rows sum to {value} along the keys, expected 1.\nSoftmax over the last axis?"


def cell(kind: str, source: str, cell_id: str, **metadata: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": kind, "id": cell_id, "metadata": metadata, "source": source}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def nbgrader(grade_id: str, points: float | None = None) -> dict[str, Any]:
    graded = points is not None
    flags = {"grade": graded, "locked": graded, "solution": not graded, "task": False}
    meta = {"grade_id": grade_id, "schema_version": 3, **flags}
    return {"nbgrader": meta | ({"points": points} if graded else {})}


def unit(*names: str, points: tuple[float, float] = (1.0, 2.0), name: str = "03_self_attention") -> Unit:
    """A unit with the named exercises (two where none are named), each with a visible and a hidden check."""
    names = names or ("attention_weights", "attention_output")
    setup = "import torch"
    instructor = [cell("markdown", "# Self-attention", "title"), cell("code", setup, "setup", tags=["setup"])]
    released = copy.deepcopy(instructor)
    exercises = []
    for exercise in names:
        stub, solution = STUB.format(name=exercise), SOLUTION.format(name=exercise)
        visible = f"weights = {exercise}(torch.eye(2), torch.eye(2))\nassert abs(weights.sum() - 2) < 1e-5, 'rows sum'"
        hidden = f"### BEGIN HIDDEN TESTS\nassert {exercise} is not None, {SECRET!r}\n### END HIDDEN TESTS"
        heading = cell("markdown", f"### Exercise: `{exercise}`", f"text-{exercise}".replace("_", "-"))
        checks = {"check": (visible, visible, points[0]), "hidden": (hidden, "# tried after you submit", points[1])}
        for cells, text, which in ((instructor, solution, 0), (released, stub, 1)):
            cells.append(heading)
            cells.append(cell("code", text, exercise.replace("_", "-"), **nbgrader(exercise)))
            for kind, sources in checks.items():
                grade_id = f"{kind}_{exercise}"
                cells.append(cell("code", sources[which], grade_id.replace("_", "-"), **nbgrader(grade_id, sources[2])))
        two = (
            Check(f"check_{exercise}", points[0], visible, False),
            Check(f"hidden_{exercise}", points[1], hidden, True),
        )
        exercises.append(Exercise(exercise, stub, solution, *two))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebooks = [{"cells": c, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5} for c in (released, instructor)]
    return Unit(name=name, notebook=notebooks[0], instructor=notebooks[1], setup=setup, exercises=tuple(exercises))


def typed(one: dict[str, Any]) -> Result:
    """The result that a test has written as JSON, as a `Result`."""
    return Result.from_json(one)


def result(
    student: str, of: Unit, *verdicts: tuple[str, str], message: str = "", source: str = ANSWER
) -> dict[str, Any]:
    """A result as JSON. Each verdict is an exercise's (visible, hidden) status; the last one holds for the rest."""
    exercises = []
    for number, exercise in enumerate(of.exercises):
        statuses = (verdicts or (("passed", "passed"),))[min(number, max(len(verdicts) - 1, 0))]
        checks = []
        for check, status in zip((exercise.check, exercise.hidden), statuses, strict=True):
            failed = "" if status == "passed" else SECRET if check.hidden else message or SHAPE.format(value="0.83")
            points = None if status == "unavailable" else check.points if status == "passed" else 0.0
            checks.append({
                "grade_id": check.grade_id, "hidden": check.hidden, "points": points, "max_points": check.points,
                "status": status, "message": failed, "picture": None, "met_limit": False, "unknown_name": "",
                "lacks": LACKS if status == "unavailable" else "",
            })  # fmt: skip
        worst = next((status for status in statuses if status != "passed"), "passed")
        exercises.append({
            "name": exercise.name, "source": source.replace("{name}", exercise.name), "printed": "", "status": worst,
            "notes": [], "checks": checks,
        })  # fmt: skip
    return {
        "student": student, "unit": of.name, "status": "graded", "reason": "", "key": "0" * 64, "digest": "",
        "own_cells": [], "grader_version": "0.1.0", "layers": ["bubblewrap", "seccomp"], "notes": [], "seconds": 0.08,
        "score": sum(check["points"] or 0.0 for exercise in exercises for check in exercise["checks"]),
        "max_score": of.max_points,
        "submitted": "2026-11-21T10:00:00",
        "exercises": exercises,
    }  # fmt: skip


def ungradable(
    student: str, of: Unit, reason: str = "the file is cut off in the middle (not valid JSON)"
) -> dict[str, Any]:
    nothing = {"status": "ungradable", "reason": reason, "score": 0.0, "exercises": [], "seconds": 0.0}
    return result(student, of) | nothing


def picture(rows: int, columns: int, nan: bool = False) -> dict[str, Any]:
    """The picture of two softmax-like matrices, as if they had been normalised over different axes.

    nan: the first entry of the student's matrix is NaN, which is None in JSON.
    """
    expected = [[round(0.05 + 0.9 * ((i * 7 + j * 3) % 11) / 11, 4) for j in range(columns)] for i in range(rows)]
    yours: list[list[float | None]] = [
        [round(0.05 + 0.9 * ((i * 3 + j * 7) % 11) / 11, 4) for j in range(columns)] for i in range(rows)
    ]
    if nan:
        yours[0][0] = None
    return {"expected": expected, "yours": yours}


def everyone(of: Unit) -> list[dict[str, Any]]:
    """A class in which everything happens that can happen to a submission."""
    ana = result("ana", of)
    bo = result("bo", of, ("failed", "failed"), ("passed", "passed"))
    bo["exercises"][0]["checks"][0]["picture"] = picture(5, 7)
    bo["exercises"][0]["printed"] = "shape torch.Size([2, 5, 7])\n"
    bo["exercises"][0]["notes"] = [
        {"kind": "accident", "text": "The cell had lost its id; it was found by the name it defines."}
    ]
    cem = result("cem", of, ("failed", "failed"), message=SHAPE.format(value="1.27"))
    cem["exercises"][1]["checks"][0]["picture"] = picture(12, 20, nan=True)
    dee = result("dee", of, ("passed", "failed"))
    eli = result("eli", of, ("not implemented", "not implemented"), message="not implemented yet")
    fay = result("fay", of, ("timeout", "timeout"), message="No answer after 10 s.")
    gus = result(
        "gus", of, ("passed", "passed"), ("died", "died"), message="The process ended (killed: more than 2 GB)."
    )
    hal = result("hal", of, ("refused", "refused"), message="The exercise asks to do without softmax.")
    ida = result(
        "ida", of, ("error", "error"), ("missing", "missing"), message="TypeError: expected 2 arguments, got 3"
    )
    ida["notes"] = [{"kind": "look", "text": "tried to open /etc/shadow"}]
    jo = ungradable("jo", of)
    return [ana, bo, cem, dee, eli, fay, gus, hal, ida, jo]
