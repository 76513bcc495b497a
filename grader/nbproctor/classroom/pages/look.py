"""Lists what an instructor should look at: one short line for each submission and kind of finding."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from nbproctor.values.grades import Grade, Grades, label, lacking, names
from nbproctor.values.result import WORDS, Kind, Result, is_empty
from nbproctor.values.submission import Remark
from nbproctor.values.text import displayable, joined, line

NAMES_MOST = 5  # students who are named in a line about many
LENGTH = 160  # characters of one finding


@dataclass(frozen=True)
class Look:
    """One thing to look at.

    student, unit: whose page has more; unit is "" if no page has, and student may be a file or folder. kind: a few
    words, or "". places: each (student, unit) that the text is about.
    """

    student: str
    unit: str
    kind: str
    text: str
    places: tuple[tuple[str, str], ...] = ()


def needs_a_look(result: Result, grade: Grade) -> list[Look]:
    """Return what an instructor should look at in one submission, one entry for each kind."""
    reasons: list[tuple[str, str, str]] = []  # kind, exercise or "", text
    if result.status != "graded":
        reasons.append(("not graded", "", result.reason))
    if is_empty(result):
        reasons.append(("empty", "", "no answer in any exercise"))
    stopped = [one for one in result.exercises if one.status == "refused" or one.hit_limit]
    of_stopped = {(one.name, one.message) for one in stopped}  # a refusal is also among the notes; it is listed once
    reasons += [("", *note) for note in _notes(result, "look") if note not in of_stopped]
    reasons += [("the grader's trouble", where, text) for where, text in _notes(result, "trouble")]
    reasons += [(WORDS[one.status], one.name, one.message) for one in stopped]
    if result.status == "graded" and any(one.needs_manual_grade and one.auto is not None for one in grade.checks):
        reasons.append(("waits for you", "", "its automatic score has changed since you graded it by hand"))
    kinds: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for kind, where, text in reasons:
        kinds[kind][_short(text)] += [where] if where else []
    place = (result.student, result.unit)
    found = []
    for kind, texts in kinds.items():  # each text follows the exercises in which it was found
        all_of_it = joined(f"{', '.join(places)}: {text}" if places else text for text, places in texts.items())
        found.append(Look(*place, kind, all_of_it, (place,)))
    return found


def of_lacks(results: Iterable[Result], grades: Grades) -> list[Look]:
    """Return one line for each thing that this machine lacks, however many students need it."""
    found = []
    for lack, waiting in lacking(results, grades).items():
        places = dict.fromkeys((result.student, result.unit) for result, _ in waiting)
        named = names(grades)
        students = list(dict.fromkeys(label(student, named.get(student, "")) for student, _ in places))
        more = f" and {len(students) - NAMES_MOST} more" if len(students) > NAMES_MOST else ""
        exercises = ", ".join(dict.fromkeys(exercise for _, exercise in waiting))
        who = f"{', '.join(students[:NAMES_MOST])}{more}"
        found.append(Look(who, "", WORDS["unavailable"], f"{exercises}: {lack}", tuple(places)))
    return found


def of_remark(remark: Remark, places: Collection[tuple[str, str]]) -> Look:
    """Return the line for a remark, under its student if the report has one. places: (student, unit) of all results."""
    student, _, rest = remark.where.partition("/")
    if not any(student == one for one, _ in places):
        return Look(remark.where, "", "", remark.text)
    unit, _, inside = rest.partition("/")
    if (student, unit) not in places:
        unit, inside = "", rest
    return Look(student, unit, "", f"{inside}: {remark.text}" if inside else remark.text, ((student, unit),))


def fixed(result: Result) -> list[str]:
    """Return one line for each accident that the grader fixed."""
    notes = _notes(result, "accident")
    return list(dict.fromkeys(_short(f"{where}: {text}" if where else text) for where, text in notes))


def _short(text: str) -> str:
    """Return the first line of a text, cut between two words if it is long."""
    return displayable(line(text.strip().partition("\n")[0], LENGTH))


def _notes(result: Result, kind: Kind) -> Iterator[tuple[str, str]]:
    """Yield (exercise or "", text) of the notes of a kind; the exercise's name at the start of a text is removed."""
    yield from (("", note.text) for note in result.notes if note.kind == kind)
    for one in result.exercises:
        yield from ((one.name, note.text.removeprefix(f"{one.name}: ")) for note in one.notes if note.kind == kind)
