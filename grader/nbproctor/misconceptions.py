"""Which misconceptions a class has: what the visible checks found, grouped by the cause that their messages ask about.

A check's message says what was expected, what came, and asks about the likely cause: "Is the softmax over the
queries?" That question is what students share, whatever numbers they got; so it names the group, and one real message
stands below it, with the line of one student's code that the others who have it wrote, too.
What students wrote is searched in a bounded process (`gather`), line by line; none of it is run or parsed. What comes
back is plain data, and is counted here (`find`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

from nbproctor.bounded import OutOfBounds, bounded
from nbproctor.course import Unit
from nbproctor.pages import WORDS
from nbproctor.result import ExerciseResult, Result
from nbproctor.text import shown

AT_ONCE = 40  # results that one process searches; where it breaks down, each is searched again by itself
SEARCH_S = 10.0  # of processor time, for one process
CAUSE_LENGTH = 200  # characters of a cause, of a line of code
MESSAGE_LENGTH = 600  # of the real message below it
LINES_READ = 200  # of one answer; what stands below is not an example of anything
LINES_SHOWN = 3
SAYS_ENOUGH = 20  # characters that a sentence needs to stand alone: "There is none." does not
_NUMBER = re.compile(r"(?<![A-Za-z_\d.])[-−+]?(?:\d+(?:\.\d+|\.(?=[,\])]))?|\.\d+)(?:[eE][-+]?\d+)?")
_SENTENCE = re.compile(
    r"(?<=\?)\s+|(?<=[.!])\s+(?=[A-Z`'\"0-9_(]|[a-z]+[_\d])"
)  # between two; not in "0.83" or "e.g. this"
_GOES_ON = re.compile(r"\n(?=[a-zα-ω√,;)])")  # a line that was broken within a sentence
_HAPPENED = re.compile(r"It happened in the line `(.+?)`\.(?:\n|$)")
_PLACE = re.compile(r"(It happened in the line |At \[|Expected shape |Expected a tensor, got )")  # tells no cause
_WORD = re.compile(r"[A-Za-z_]{3,}")


@dataclass(frozen=True)
class Place:
    """An exercise where a misconception showed: how many students have it there, and what to teach again.

    section: the heading in the unit's notebook under which the exercise stands. anchor: what leads to it in
    JupyterLab, `UNIT.ipynb#…`.
    """

    unit: str
    exercise: str
    section: str
    anchor: str
    students: int


@dataclass(frozen=True)
class Holder:
    """A student who has it, and the exercise whose place on their page shows it."""

    student: str
    unit: str
    exercise: str


@dataclass(frozen=True)
class Example:
    """What one of them wrote: at most LINES_SHOWN lines; `student` is among the holders."""

    student: str
    unit: str
    exercise: str
    lines: str


@dataclass(frozen=True)
class Misconception:
    """cause: in the check's words. message: one real message, whole. places, holders: most students first, by name."""

    cause: str
    message: str
    example: Example | None
    places: tuple[Place, ...]
    holders: tuple[Holder, ...]


@dataclass(frozen=True)
class _Code:
    """The lines of an answer, and the same as `bare` has them, for lines to be compared."""

    lines: tuple[str, ...]
    bares: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """One failed visible check of one student.

    asks: whether its message asks about a cause; one that asks nothing stands for itself, within its exercise. key: the
    cause, whatever its numbers. message: as it is shown. named: the number of the line of code that it names, or -1.
    speaks: for each line, how many words of the cause are in it.
    """

    student: str
    unit: str
    exercise: str
    asks: bool
    key: str
    cause: str
    message: str
    code: _Code
    named: int
    speaks: tuple[int, ...]


@dataclass(frozen=True)
class Findings:
    """All failed visible checks of a class, and the lines of code that right answers have, by (unit, exercise).

    unread: whose text could not be searched, as (student, unit, why).
    """

    failed: tuple[Finding, ...]
    right: Mapping[tuple[str, str], frozenset[str]]
    unread: tuple[tuple[str, str, str], ...] = ()


def gather(results: Sequence[Result], units: Iterable[Unit]) -> Findings:
    """What there is to group. Not written, refused, run away: that is no misconception, and left out."""
    right: dict[tuple[str, str], set[str]] = defaultdict(set)
    for unit in units:
        for one in unit.exercises:
            right[unit.name, one.name] |= set(_code(one.solution).bares)
    failed: list[Finding] = []
    unread: list[tuple[str, str, str]] = []
    for start in range(0, len(results), AT_ONCE):
        some = results[start : start + AT_ONCE]
        for result, said in zip(some, _searched(some), strict=True):
            if isinstance(said, OutOfBounds):
                unread.append((result.student, result.unit, str(said)))
                continue
            for exercise, lines, bares, found in said:
                code = _Code(tuple(lines), tuple(bares))
                if not found:
                    right[result.unit, exercise].update(bares)
                for asks, key, cause, message, named, speaks in found:
                    where = (result.student, result.unit, exercise)
                    failed.append(Finding(*where, asks, key, cause, message, code, named, tuple(speaks)))
    return Findings(tuple(failed), {place: frozenset(lines) for place, lines in right.items()}, tuple(unread))


def _searched(results: Sequence[Result]) -> list[Any]:
    """What `_search` says of each, or why it cannot."""
    try:
        return list(bounded(lambda: [_search(result) for result in results], SEARCH_S))
    except OutOfBounds as error:
        return [error] if len(results) == 1 else [said for one in results for said in _searched([one])]


def _search(result: Result) -> list[Any]:
    """In the bounded process: for each exercise with a verdict its name, its lines, the bare ones, and what failed."""
    told: list[Any] = []
    for exercise in result.exercises:
        messages = [
            check.message.strip() or WORDS[check.status].capitalize()
            for check in exercise.checks
            if not check.hidden and check.status in ("failed", "error")
        ]
        if messages or exercise.status == "passed":
            told.append(_of_exercise(exercise, messages))
    return told


def _of_exercise(exercise: ExerciseResult, messages: Sequence[str]) -> list[Any]:
    code = _code(exercise.source)
    stems = [_stems(line) for line in code.lines]
    found = []
    for message in messages:
        asked, told = question(message), statement(message)
        wanted = _stems(asked or told)
        named = _HAPPENED.search(message)
        at = code.bares.index(bare(named[1])) if named and bare(named[1]) in code.bares else -1
        cause, whole = asked or told, shown(message).strip()[:MESSAGE_LENGTH]
        found.append([bool(asked), masked(cause), cause, whole, at, [len(wanted & one) for one in stems]])
    return [exercise.name, code.lines, code.bares, found]


def find(findings: Findings, units: Mapping[str, Unit]) -> list[Misconception]:
    """The misconceptions of these units, those that most students have first.

    A cause that checks of several exercises name is one misconception. A message that asks nothing stands for itself,
    whatever its numbers, within its exercise.
    """
    groups: dict[tuple[str, ...], list[Finding]] = defaultdict(list)
    for one in findings.failed:
        if one.unit in units:
            groups[(one.key,) if one.asks else (one.unit, one.exercise, one.key)].append(one)
    found = [_misconception(group, findings.right, units) for group in groups.values()]
    return sorted(found, key=lambda one: (-len(one.holders), one.places[0].unit, one.places[0].exercise, one.cause))


def question(message: str) -> str:
    """The cause that a message asks about: the first question in the last of its lines that asks one, "" for none."""
    for line in reversed(_told(message)):
        for sentence in _SENTENCE.split(line):
            if sentence.endswith("?"):
                return sentence[:CAUSE_LENGTH]
    return ""


def statement(message: str) -> str:
    """What a message that asks nothing comes to: its last line, or, of a single line, what follows its first sentence.

    Lines that say only where it happened are passed over.
    """
    lines = [line for line in _told(message) if not _PLACE.match(line)] or _told(message)
    after = _SENTENCE.split(lines[-1], maxsplit=1)[-1] if len(lines) == 1 else lines[-1]
    return (after if len(after) >= SAYS_ENOUGH else lines[-1])[:CAUSE_LENGTH]


def _told(message: str) -> list[str]:
    """The lines of a message, each with whole sentences."""
    lines = _GOES_ON.sub(" ", shown(message).strip()).split("\n")
    return [line.strip() for line in lines if line.strip()] or [""]


def masked(line: str) -> str:
    """A line whatever its numbers, names left whole: what groups are told apart by, and nobody reads."""
    return _NUMBER.sub("#", line)


def _misconception(
    group: Sequence[Finding], right: Mapping[tuple[str, str], frozenset[str]], units: Mapping[str, Unit]
) -> Misconception:
    counted = Counter((one.unit, one.exercise) for one in group)
    places = sorted(counted, key=lambda place: (-counted[place], place))
    rank = {place: number for number, place in enumerate(places)}
    holders: dict[str, Holder] = {}
    for one in sorted(group, key=lambda one: (one.student.casefold(), rank[one.unit, one.exercise])):
        holders.setdefault(one.student, Holder(one.student, one.unit, one.exercise))
    there = [one for one in group if (one.unit, one.exercise) == places[0]]
    known = right.get(places[0], frozenset())  # none for an exercise that the unit had once
    chosen = min(there, key=lambda one: (_strange(one, known), one.student.casefold()))
    lines = example_lines(chosen, known, Counter(line for one in there for line in {*one.code.bares}))
    return Misconception(
        chosen.cause,
        chosen.message,
        Example(chosen.student, *places[0], lines) if lines else None,
        tuple(_place(units[unit], exercise, counted[unit, exercise]) for unit, exercise in places),
        tuple(holders.values()),
    )


def _place(unit: Unit, exercise: str, students: int) -> Place:
    heading = unit.heading_above(exercise)
    anchor = f"{unit.name}.ipynb" + (f"#{heading.replace(' ', '-')}" if heading else "")
    return Place(unit.name, exercise, heading, anchor, students)


def _strange(one: Finding, right: Container[str]) -> int:
    """How many lines of an answer no right answer has: the fewest show one mistake alone."""
    return sum(line not in right for line in one.code.bares) or LINES_READ


def example_lines(one: Finding, right: Container[str], shared: Mapping[str, int]) -> str:
    """The lines of an answer that show its mistake best, at most LINES_SHOWN that stand together; "" for no code.

    The line that the message names is the one, where it names one. Else it is a line that no right answer has: of
    those, one that speaks of what the message speaks of, then one that many wrote who have the same mistake (`shared`,
    how often each bare line was written). Where only something is missing, it is what the answer returns.
    """
    lines, bares = one.code.lines, one.code.bares
    if not lines:
        return ""
    if one.named >= 0:
        return lines[one.named].strip()[:CAUSE_LENGTH]
    odd = [n for n, line in enumerate(bares) if line not in right]
    inner = [n for n in odd if not lines[n].lstrip().startswith(("def ", "class ", "import ", "from "))]
    if not odd:
        returned = [n for n, line in enumerate(bares) if line.startswith("return")] or [len(lines) - 1]
        return lines[returned[-1]].strip()[:CAUSE_LENGTH]
    first = last = max(inner or odd, key=lambda n: (one.speaks[n], shared.get(bares[n], 0), n))
    while last + 1 in odd and last + 1 - first < LINES_SHOWN:
        last += 1
    while first - 1 in inner and last - first + 1 < LINES_SHOWN:
        first -= 1
    return dedent("\n".join(line[:CAUSE_LENGTH] for line in lines[first : last + 1]))


def bare(line: str) -> str:
    """A line of code without its indentation, its comment, and its spaces."""
    return "".join(line.partition(" # ")[0].split())


def _code(source: str) -> _Code:
    """The lines of code of an answer: no blank ones, no comments, no docstrings."""
    found: list[str] = []
    quoted = False
    for line in shown(source[: LINES_READ * 200]).split("\n")[:LINES_READ]:
        marks = line.count('"""') + line.count("'''")
        text = line.strip()
        if not quoted and not marks and text and not text.startswith(("#", "@")):
            found.append(line.rstrip())
        quoted ^= marks % 2 == 1
    return _Code(tuple(found), tuple(map(bare, found)))


def _stems(text: str) -> set[str]:
    """The beginnings of its words: `transposed` speaks of `.transpose`, `softmax` of `.softmax`."""
    return {word[:5].lower() for word in _WORD.findall(text)}
