"""Lists what an instructor should look at: one short line for each submission and kind of finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from nbproctor.grades import Grade
from nbproctor.items import is_empty
from nbproctor.pages import WORDS
from nbproctor.result import Kind, Result
from nbproctor.submission import Remark
from nbproctor.text import shown

LENGTH = 160  # characters of one finding
FINDINGS_MOST = 12  # of one kind about one submission; the rest of a flood would tell no more than the first ones


@dataclass(frozen=True)
class Look:
    """One thing to look at.

    student, unit: whose page tells more; unit is "" where no page does, and student is the file or folder where the
    line is about no student of the report. kind: a few words on what it is, or "". text: the line.
    """

    student: str
    unit: str
    kind: str
    text: str


def needs_a_look(result: Result, grade: Grade) -> list[Look]:
    """Return what an instructor should look at in one submission, one entry for each kind.

    The kinds are: not graded, no answer at all, tampering, answers that ran away or were not accepted, faults of the
    grader's own, and a grade by hand whose automatic score has changed since.
    """
    told: list[tuple[str, str, str]] = []  # kind, exercise or "", text
    if result.status != "graded":
        told.append(("not graded", "", result.reason))
    if is_empty(result):
        told.append(("empty", "", "no answer in any exercise"))
    stopped = [one for one in result.exercises if one.status == "refused" or one.ran_away]
    said = {(one.name, one.message) for one in stopped}  # a refusal is also among the notes; it is listed once
    told += [("tampering", *note) for note in _notes(result, "attack") if note not in said]
    told += [("the grader's trouble", where, text) for where, text in _notes(result, "trouble")]
    told += [(WORDS[one.status], one.name, one.message) for one in stopped]
    if result.status == "graded" and grade.needs_manual_grade:
        told.append(("waits for you", "", "its automatic score has changed since you graded it by hand"))
    kinds: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for kind, where, text in told:
        kinds[kind][shown(text).strip().partition("\n")[0][:LENGTH]] += [where] if where else []
    return [Look(result.student, result.unit, kind, _joined(texts.items())) for kind, texts in kinds.items()]


def of_remark(remark: Remark, places: Collection[tuple[str, str]]) -> Look:
    """Return the line for a remark, under the student whom it is about.

    places: (student, unit) of every result of the report.
    """
    student, _, rest = remark.where.partition("/")
    if not any(student == one for one, _ in places):
        return Look(remark.where, "", "", remark.text)
    unit, _, inside = rest.partition("/")
    if (student, unit) not in places:
        unit, inside = "", rest
    return Look(student, unit, "", f"{inside}: {remark.text}" if inside else remark.text)


def mended(result: Result) -> list[str]:
    """Return one line for each accident that the grader mended, and for each thing that is only worth knowing."""
    told = [*_notes(result, "accident"), *_notes(result, "info")]
    lines = [f"{where}: {text}" if where else text for where, text in told]
    return list(dict.fromkeys(shown(line).partition("\n")[0][:LENGTH] for line in lines))


def _notes(result: Result, kind: Kind) -> Iterator[tuple[str, str]]:
    """Yield (exercise or "", text) of the notes of a kind; the exercise's name at the start of a text is removed."""
    yield from (("", note.text) for note in result.notes if note.kind == kind)
    for one in result.exercises:
        yield from ((one.name, note.text.removeprefix(f"{one.name}: ")) for note in one.notes if note.kind == kind)


def _joined(texts: Collection[tuple[str, list[str]]]) -> str:
    """Join several findings into one line; a name with which consecutive findings begin is written once."""
    parts: list[str] = []
    last = ""
    for text, places in islice(texts, FINDINGS_MOST):
        subject, _, rest = f"{', '.join(places)}: {text}".partition(": ") if places else text.partition(" ")
        parts.append(rest if rest and subject == last else f"{subject}: {rest}" if places else text)
        last = subject
    more = len(texts) - len(parts)
    return "; ".join(parts) + (f"; and {more} more" if more else "")
