"""Writes the student's page: their code, what it printed, and what each check said.

The template gets only the values picked here and never a whole result, so the page cannot show anything that a student
must not see. Of a hidden check it shows only whether it passed, and of the notes only those on accidents.
"""

from collections.abc import Iterable
from pathlib import Path

from markupsafe import Markup

from nbproctor.classroom.pages.page import template, unit_title
from nbproctor.classroom.pages.picture import draw
from nbproctor.course.units import Unit
from nbproctor.values.grades import Grade, points_of
from nbproctor.values.result import UNWRITTEN, WORDS, CheckResult, ExerciseResult, Note, Result
from nbproctor.values.text import student_folder, write_whole


def write_feedback(result: Result, grade: Grade, unit: Unit, folder: Path) -> Path:
    """Write folder/feedback/STUDENT/UNIT/UNIT.html, with `grade`'s points and comments, and return its path."""
    most = grade.max_score or result.max_score or unit.max_points
    score = grade.score
    page = template("feedback.html").render(
        student=result.student,
        name=grade.name,
        unit=unit.name,
        title=unit_title(unit.name),
        graded=result.status == "graded",
        reason=result.reason,
        score=score,
        max_score=most,
        percent=min(100.0, 100 * score / most) if most and score is not None else 0,
        late_penalty=grade.late_penalty,
        comments=[
            {"exercise": name, "text": text.strip()}
            for name, text in grade.comments.items()
            if name not in {exercise.name for exercise in result.exercises}
        ],
        submitted=result.submitted,
        version=result.grader_version,
        notes=_notes_for_student(result.notes),
        exercises=[_exercise(exercise, grade) for exercise in result.exercises],
    )
    path = student_folder(folder / "feedback", result.student, unit.name) / f"{unit.name}.html"
    write_whole(path, page)
    return path


def _notes_for_student(notes: Iterable[Note], about: str = "") -> tuple[str, ...]:
    """Return the texts of the notes on accidents, without the name of the exercise that they stand under."""
    return tuple(note.text.removeprefix(f"{about}: ") for note in notes if note.kind == "accident")


def _exercise(exercise: ExerciseResult, grade: Grade) -> dict[str, object]:
    """Pick the parts of a result that a student may see of one exercise."""
    checks, most = grade.of(check.grade_id for check in exercise.checks), exercise.max_points
    points, by_hand = points_of(checks) or 0.0, any(check.by_hand for check in checks)
    unwritten = exercise.status in UNWRITTEN and not points
    waiting = exercise.status == "unavailable" and points_of(checks) is None
    is_part = 0 < points < most and exercise.status != "unavailable"
    words = "right in part" if is_part else WORDS[exercise.status]
    return {
        "name": exercise.name,
        "grade": "waiting" if waiting else _grade(points, most, unwritten),
        "word": "points given by hand" if by_hand else words,
        "comment": grade.comments.get(exercise.name, "").strip(),
        "points": points,
        "max_points": most,
        "source": exercise.source.rstrip(),
        "printed": exercise.printed.rstrip(),
        "notes": _notes_for_student(exercise.notes, exercise.name),
        "visible": [_visible(check) for check in exercise.checks if not check.hidden],
        # of a hidden check only whether it passed; None if it could not be tried here
        "hidden": [
            None if check.points is None else check.status == "passed" for check in exercise.checks if check.hidden
        ],
    }


def _grade(points: float, most: float, unwritten: bool) -> str:
    return "full" if points >= most else "part" if points > 0 else "unwritten" if unwritten else "none"


def _visible(check: CheckResult) -> dict[str, object]:
    """Pick the parts of a visible check that a student may see: verdict, message and the picture of the comparison."""
    picture = draw(check.picture) if check.picture else Markup()
    passed = check.status == "passed"
    return {"passed": passed, "word": WORDS[check.status], "message": check.message, "picture": picture}
