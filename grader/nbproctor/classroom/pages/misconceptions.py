"""Finds a class's misconceptions: groups the failed visible checks by the cause that their messages ask about.

A check's message says what was expected and what came instead, and asks about the likely cause: "Is the softmax over
the queries?" Students who share a misconception get the same question, whatever their numbers are. So the question
names the group; below it stand one real message, and the lines of one student's code that show the mistake best.

Students' text is searched line by line, as far as it is short enough; none of it is run or parsed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import dedent

from nbproctor.border.protocol import NO_INPUT
from nbproctor.course.units import Unit
from nbproctor.values.result import WORDS, ExerciseResult, Result
from nbproctor.values.text import displayable

SEARCHED = 4_000  # characters of a message
CAUSE_LENGTH = 200  # characters of a cause, and of a line of code
MESSAGE_LENGTH = 600  # characters of the real message below the cause
LINES_READ = 200  # lines of one answer; no example is taken from those below
LINES_SHOWN = 3
_NUMBER = re.compile(r"(?<![A-Za-z_\d.])[-−+]?(?:\d+(?:\.\d+|\.(?=[,\])]))?|\.\d+)(?:[eE][-+]?\d+)?")
_SENTENCE = re.compile(
    r"(?<=\?)\s+|(?<=[.!])\s+(?=[A-Z`'\"0-9_(]|[a-z]+[_\d])"
)  # between two sentences; not in "0.83" or "e.g. this"
_GOES_ON = re.compile(r"\n(?=[a-zα-ω√,;)])")  # a line break within a sentence
_HAPPENED = re.compile(r"It happened in the line `(.+?)`\.(?:\n|$)")
_PLACE = re.compile(r"(It happened in the line |At \[|Expected shape |Expected a tensor, got )")  # says no cause
_WORD = re.compile(r"[A-Za-z_]{3,}")


@dataclass(frozen=True)
class AffectedExercise:
    """Where students showed a misconception, how many did, and the heading of what to teach again."""

    unit: str
    exercise: str
    section: str
    students: int


@dataclass(frozen=True)
class Misconception:
    """A group of failed visible checks that have the same cause.

    cause: in the check's words. message: one real message. lines: at most LINES_SHOWN lines of code, by `author`, which
    show the misconception; "" for none. places: those with the most students first. holders: a finding of each student
    who has it, by name.
    """

    cause: str
    message: str
    lines: str
    author: Finding
    places: tuple[AffectedExercise, ...]
    holders: tuple[Finding, ...]


@dataclass(frozen=True)
class Finding:
    """One failed visible check of one student.

    asks: whether its message asks about a cause; a message that asks nothing is grouped within its exercise only.
    message: as it is shown. lines: of the answer's code.
    """

    student: str
    unit: str
    exercise: str
    asks: bool
    cause: str
    message: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Findings:
    """All failed visible checks of a class, and the lines of code in right answers, by (unit, exercise)."""

    failed: tuple[Finding, ...]
    right: Mapping[tuple[str, str], frozenset[str]]


def gather(results: Sequence[Result], units: Iterable[Unit]) -> Findings:
    """Gather the failed visible checks and the lines of right answers. Loops and refusals show no misconception."""
    right: dict[tuple[str, str], set[str]] = defaultdict(set)
    for unit in units:
        for one in unit.exercises:
            right[unit.name, one.name].update(map(bare, _code(one.solution)))
    failed: list[Finding] = []
    for result in results:
        for exercise in result.exercises:
            messages = [
                check.message.strip() or WORDS[check.status].capitalize()
                for check in exercise.checks
                if not check.hidden and check.status in ("failed", "error") and NO_INPUT not in check.message
            ]
            if messages:
                failed += _failed(result, exercise, messages)
            elif exercise.status == "passed":
                right[result.unit, exercise.name].update(map(bare, _code(exercise.source)))
    return Findings(tuple(failed), {place: frozenset(lines) for place, lines in right.items()})


def _failed(result: Result, exercise: ExerciseResult, messages: Iterable[str]) -> Iterator[Finding]:
    lines = _code(exercise.source)
    for whole in messages:
        message = whole[:SEARCHED]
        asked_about = question(message)
        cause = asked_about or statement(message)
        yield Finding(
            result.student, result.unit, exercise.name, bool(asked_about), cause,
            displayable(message).strip()[:MESSAGE_LENGTH], lines,
        )  # fmt: skip


def find(findings: Findings, units: Mapping[str, Unit]) -> list[Misconception]:
    """Return the misconceptions of these units, those that most students have first.

    A cause that checks of several exercises ask about is one. Messages that ask nothing are grouped within their
    exercise, if they differ in nothing but numbers.
    """
    groups: dict[tuple[str, ...], list[Finding]] = defaultdict(list)
    for one in findings.failed:
        if one.unit in units:
            key = masked(one.cause)
            groups[(key,) if one.asks else (one.unit, one.exercise, key)].append(one)
    found = [_misconception(group, findings.right, units) for group in groups.values()]
    return sorted(found, key=lambda one: (-len(one.holders), one.places[0].unit, one.places[0].exercise, one.cause))


def question(message: str) -> str:
    """Return the cause that a message asks about: the first question in the last line that has one; "" for none."""
    for line in reversed(_lines(message)):
        for sentence in _SENTENCE.split(line):
            if sentence.endswith("?"):
                return sentence[:CAUSE_LENGTH]
    return ""


def statement(message: str) -> str:
    """Return the last line of a message that asks nothing, apart from lines that only say where the error happened."""
    lines = [line for line in _lines(message) if not _PLACE.match(line)] or _lines(message)
    return lines[-1][:CAUSE_LENGTH]


def _lines(message: str) -> list[str]:
    """Return the lines of a message, joined if a sentence was broken over two."""
    lines = _GOES_ON.sub(" ", displayable(message).strip()).split("\n")
    return [line.strip() for line in lines if line.strip()] or [""]


def masked(line: str) -> str:
    """Replace the numbers in a line by #, but not those in names. The result is a group's key and is never shown."""
    return _NUMBER.sub("#", line)


def _misconception(
    group: Sequence[Finding], right: Mapping[tuple[str, str], frozenset[str]], units: Mapping[str, Unit]
) -> Misconception:
    counted = Counter((one.unit, one.exercise) for one in group)
    places = sorted(counted, key=lambda place: (-counted[place], place))
    rank = {place: number for number, place in enumerate(places)}
    holders: dict[str, Finding] = {}
    for one in sorted(group, key=lambda one: (one.student.casefold(), rank[one.unit, one.exercise])):
        holders.setdefault(one.student, one)
    there = [one for one in group if (one.unit, one.exercise) == places[0]]
    known = right.get(places[0], frozenset())  # empty for an exercise that the unit does not have any more
    # An answer with few lines that no right answer has shows one mistake alone.
    chosen = min(there, key=lambda one: (sum(bare(line) not in known for line in one.lines) or LINES_READ,
                                         one.student.casefold()))  # fmt: skip
    return Misconception(
        chosen.cause,
        chosen.message,
        example_lines(chosen, known),
        chosen,
        tuple(AffectedExercise(*place, units[place[0]].heading_above(place[1]), counted[place]) for place in places),
        tuple(holders.values()),
    )


def example_lines(one: Finding, right: Container[str]) -> str:
    """Return the consecutive lines of an answer that show its mistake best, at most LINES_SHOWN; "" for no code.

    If the message names a line, it is that line. Otherwise it is a line that no right answer has, preferably one
    that shares words with the cause. If right answers have every line, so that only something is missing, it is the
    last `return`.
    """
    lines, bares = one.lines, [bare(line) for line in one.lines]
    if not lines:
        return ""
    named = _HAPPENED.search(one.message)
    if named and bare(named[1]) in bares:
        return lines[bares.index(bare(named[1]))].strip()[:CAUSE_LENGTH]
    odd = [n for n, line in enumerate(bares) if line not in right]
    inner = [n for n in odd if not lines[n].lstrip().startswith(("def ", "class ", "import ", "from "))]
    if not odd:
        returned = [n for n, line in enumerate(bares) if line.startswith("return")] or [len(lines) - 1]
        return lines[returned[-1]].strip()[:CAUSE_LENGTH]
    words = _stems(one.cause)
    first = last = max(inner or odd, key=lambda n: (len(words & _stems(lines[n])), n))
    while last + 1 in odd and last + 1 - first < LINES_SHOWN:
        last += 1
    while first - 1 in inner and last - first + 1 < LINES_SHOWN:
        first -= 1
    return dedent("\n".join(line[:CAUSE_LENGTH] for line in lines[first : last + 1]))


def bare(line: str) -> str:
    """Return a line of code without its spaces and its comment."""
    return "".join(line.partition(" # ")[0].split())


def _code(source: str) -> tuple[str, ...]:
    """Return the lines of code of an answer, without blank lines, comments, decorators and docstrings."""
    found: list[str] = []
    quoted = False
    for line in displayable(source[: LINES_READ * 200]).split("\n")[:LINES_READ]:
        marks = line.count('"""') + line.count("'''")
        text = line.strip()
        if not quoted and not marks and text and not text.startswith(("#", "@")):
            found.append(line.rstrip())
        quoted ^= marks % 2 == 1
    return tuple(found)


def _stems(text: str) -> set[str]:
    """Return the first letters of each word, so that `transposed` in a message matches `.transpose` in code."""
    return {word[:5].lower() for word in _WORD.findall(text)}
