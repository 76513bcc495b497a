"""A submission's grade as the gradebook holds it: automatic scores, scores by hand, and the points that count.

The gradebook alone decides scores. A `Grade` is read from it (`gradebook.read`) and passed with the `Result` to every
page and file, so they all show the same points; `of_result` makes the grade of a result without manual changes. The
rules are nbgrader's: a manual score replaces the automatic one, extra credit is added to it, and the penalty for
lateness is subtracted from the total.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nbproctor.values.result import Result
from nbproctor.values.text import EMPTY, Clean, clean


@dataclass(frozen=True)
class CheckGrade:
    """One check of one submission. auto, manual: points of the grader and a person; None if they gave none."""

    grade_id: str
    max_points: float
    auto: float | None = None
    manual: float | None = None
    extra: float = 0.0
    needs_manual_grade: bool = False

    @property
    def points(self) -> float | None:
        """The points that count; None, which is not zero, if neither the grader nor a person gave any."""
        given = self.auto if self.manual is None else self.manual
        return None if given is None else given + self.extra

    @property
    def by_hand(self) -> bool:
        return self.manual is not None or self.extra != 0.0


@dataclass(frozen=True)
class Grade:
    """The grade of one submission.

    comments: what a person wrote in formgrader, by exercise. late_penalty: points that nbgrader takes off for lateness.
    submitted: when it was handed in, such as "2026-11-21 10:00:00 +0000", or "" if that is not known. name: the
    student's, such as "Lovelace, Ada", or "" if the gradebook has none.
    """

    student: str
    unit: str
    checks: tuple[CheckGrade, ...] = ()
    comments: Mapping[str, Clean] = field(default_factory=dict)
    late_penalty: float = 0.0
    submitted: str = ""
    name: Clean = EMPTY

    @property
    def score(self) -> float | None:
        """The total that counts, as `nbgrader export` gives it; None if no check has been scored."""
        points = [check.points for check in self.checks if check.points is not None]
        return max(0.0, sum(points) - self.late_penalty) if points else None

    @property
    def max_score(self) -> float:
        return sum(check.max_points for check in self.checks)

    @property
    def needs_manual_grade(self) -> bool:
        return any(check.needs_manual_grade for check in self.checks)

    @property
    def by_hand(self) -> bool:
        """Whether a person changed a score or wrote a comment."""
        return bool(self.comments) or any(check.by_hand for check in self.checks)

    def of(self, grade_ids: Iterable[str]) -> tuple[CheckGrade, ...]:
        """Return the checks with these ids; for an exercise `grade.of(check.grade_id for check in exercise.checks)`."""
        wanted = set(grade_ids)
        return tuple(check for check in self.checks if check.grade_id in wanted)

    @property
    def all_comments(self) -> Clean:
        """The comments by hand, one line for each exercise."""
        return clean("\n".join(f"{exercise}: {text}" for exercise, text in self.comments.items()))


@dataclass(frozen=True)
class Student:
    """A student as the gradebook knows them; lms_user_id is their id in the learning system."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_user_id: str = ""

    @property
    def name(self) -> str:
        """The name, as in "Lovelace, Ada"; "" if the gradebook has none."""
        return ", ".join(name for name in (self.last_name, self.first_name) if name)


Grades = Mapping[tuple[str, str], Grade]  # by (student, unit)


def names(grades: Grades) -> dict[str, Clean]:
    """Return the names of the students whose names the gradebook has, by id."""
    return {student: grade.name for (student, _), grade in grades.items() if grade.name and grade.name != student}


def label(student: str, name: str) -> str:
    """Return a student's id, followed by the name in parentheses if there is one."""
    return f"{student} ({name})" if name else student


COUNTS_FROM = 0.2  # a unit counts in the sums if this share of the class has handed it in


def maxima(grades: Grades) -> dict[str, float]:
    """Return each graded unit -> its maximum points, sorted by unit."""
    found: dict[str, float] = {}
    for (_, unit), grade in sorted(grades.items()):
        found[unit] = max(grade.max_score, found.get(unit, 0.0))
    return dict(sorted(found.items()))


def counting_units(grades: Grades) -> dict[str, float]:
    """Return those units of `maxima` that a fifth of the class has handed in; if there are none, all."""
    units = maxima(grades)
    handed_in = Counter(unit for _, unit in grades)
    students = len({student for student, _ in grades})
    return {unit: most for unit, most in units.items() if handed_in[unit] >= COUNTS_FROM * students} or units


def points_of(checks: Iterable[CheckGrade]) -> float | None:
    """Return the sum of the points that count in these checks; None if none of them has been scored."""
    points = [check.points for check in checks if check.points is not None]
    return sum(points) if points else None


def lacking(results: Iterable[Result], grades: Grades) -> dict[Clean, list[tuple[Result, str]]]:
    """Return each thing that this machine lacks -> the results and exercises that have no score because of it."""
    found: dict[Clean, list[tuple[Result, str]]] = {}
    for result in results:
        unscored = {one.grade_id for one in grades[result.student, result.unit].checks if one.points is None}
        for exercise in result.exercises:
            waiting = [one.lacks for one in exercise.checks if one.lacks and one.grade_id in unscored]
            for lack in dict.fromkeys(waiting):
                found.setdefault(lack, []).append((result, exercise.name))
    return found


def rounded(points: float) -> float:
    """Return points as they are written to a file, so that 0.1 + 0.2 is 0.3."""
    return round(points, 4)


def of_result(result: Result) -> Grade:
    """Return the grade of a result without manual changes."""
    checks = tuple(
        CheckGrade(one.grade_id, one.max_points, one.points, needs_manual_grade=one.points is None)
        for exercise in result.exercises
        for one in exercise.checks
    )
    return Grade(result.student, result.unit, checks)


def all_grades(results: Iterable[Result], grades: Grades) -> Grades:
    """Return the gradebook's grades, and for each result without one the grade that follows from the result."""
    return {**{(result.student, result.unit): of_result(result) for result in results}, **grades}
