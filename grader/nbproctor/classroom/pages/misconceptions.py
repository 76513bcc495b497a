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

from nbproctor.course.units import Unit
from nbproctor.values.result import WORDS, ExerciseResult, Result
from nbproctor.values.text import shown

SEARCHED = 4_000  # characters of a message
CAUSE_LENGTH = 200  # characters of a cause, and of a line of code
MESSAGE_LENGTH = 600  # characters of the real message below the cause
LINES_READ = 200  # lines of one answer; no example is taken from those below
LINES_SHOWN = 3
SAYS_ENOUGH = 20  # characters that a sentence needs to be understood alone; "There is none." has too few
_NUMBER = re.compile(r"(?<![A-Za-z_\d.])[-−+]?(?:\d+(?:\.\d+|\.(?=[,\])]))?|\.\d+)(?:[eE][-+]?\d+)?")
_SENTENCE = re.compile(
    r"(?<=\?)\s+|(?<=[.!])\s+(?=[A-Z`'\"0-9_(]|[a-z]+[_\d])"
)  # between two sentences; not in "0.83" or "e.g. this"
_GOES_ON = re.compile(r"\n(?=[a-zα-ω√,;)])")  # a line break within a sentence
_HAPPENED = re.compile(r"It happened in the line `(.+?)`\.(?:\n|$)")
_PLACE = re.compile(r"(It happened in the line |At \[|Expected shape |Expected a tensor, got )")  # says no cause
_WORD = re.compile(r"[A-Za-z_]{3,}")


@dataclass(frozen=True)
class Place:
    """An exercise in which students showed a misconception, how many did, and which section to teach again.

    section: the heading in the unit's notebook under which the exercise stands. anchor: a link to that heading in
    JupyterLab, `UNIT.ipynb#…`.
    """

    unit: str
    exercise: str
    section: str
    anchor: str
    students: int


@dataclass(frozen=True)
class Holder:
    """A student who has a misconception, and the exercise on their page that shows it."""

    student: str
    unit: str
    exercise: str


@dataclass(frozen=True)
class Example:
    """At most LINES_SHOWN lines of code by one of the holders, `student`, which show the misconception."""

    student: str
    unit: str
    exercise: str
    lines: str


@dataclass(frozen=True)
class Misconception:
    """A group of failed visible checks that have the same cause.

    cause: in the check's words. message: one real message. places: those with the most students first. holders: by
    name.
    """

    cause: str
    message: str
    example: Example | None
    places: tuple[Place, ...]
    holders: tuple[Holder, ...]


@dataclass(frozen=True)
class _Code:
    """The lines of an answer, and the same lines as `bare` returns them, for comparison."""

    lines: tuple[str, ...]
    bares: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """One failed visible check of one student.

    asks: whether its message asks about a cause; a message that asks nothing is grouped within its exercise only. key:
    the cause without its numbers. message: as it is shown. named: the index of the line of code that the message names,
    or -1. speaks: for each line of code, how many words of the cause are in it.
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
    """All failed visible checks of a class, and the lines of code in right answers, by (unit, exercise)."""

    failed: tuple[Finding, ...]
    right: Mapping[tuple[str, str], frozenset[str]]


def gather(results: Sequence[Result], units: Iterable[Unit]) -> Findings:
    """Gather the failed visible checks to be grouped, and the lines of right answers.

    Answers that were not written, were refused or ran away show no misconception, and are left out.
    """
    right: dict[tuple[str, str], set[str]] = defaultdict(set)
    for unit in units:
        for one in unit.exercises:
            right[unit.name, one.name] |= set(_code(one.solution).bares)
    failed: list[Finding] = []
    for result in results:
        for exercise in result.exercises:
            messages = [
                check.message.strip() or WORDS[check.status].capitalize()
                for check in exercise.checks
                if not check.hidden and check.status in ("failed", "error")
            ]
            if messages:
                failed += _failed(result, exercise, messages)
            elif exercise.status == "passed":
                right[result.unit, exercise.name].update(_code(exercise.source).bares)
    return Findings(tuple(failed), {place: frozenset(lines) for place, lines in right.items()})


def _failed(result: Result, exercise: ExerciseResult, messages: Iterable[str]) -> Iterator[Finding]:
    code = _code(exercise.source)
    stems = [_stems(line) for line in code.lines]
    for whole in messages:
        message = whole[:SEARCHED]
        asked = question(message)
        cause = asked or statement(message)
        named = _HAPPENED.search(message)
        at = code.bares.index(bare(named[1])) if named and bare(named[1]) in code.bares else -1
        yield Finding(
            result.student, result.unit, exercise.name, bool(asked), masked(cause), cause,
            shown(message).strip()[:MESSAGE_LENGTH], code, at, tuple(len(_stems(cause) & one) for one in stems),
        )  # fmt: skip


def find(findings: Findings, units: Mapping[str, Unit]) -> list[Misconception]:
    """Return the misconceptions of these units; those that most students have come first.

    A cause that checks of several exercises ask about is one misconception. Messages that ask nothing are grouped
    within their exercise, where they differ in nothing but numbers.
    """
    groups: dict[tuple[str, ...], list[Finding]] = defaultdict(list)
    for one in findings.failed:
        if one.unit in units:
            groups[(one.key,) if one.asks else (one.unit, one.exercise, one.key)].append(one)
    found = [_misconception(group, findings.right, units) for group in groups.values()]
    return sorted(found, key=lambda one: (-len(one.holders), one.places[0].unit, one.places[0].exercise, one.cause))


def question(message: str) -> str:
    """Return the cause that a message asks about: the first question in its last line that has one; "" for none."""
    for line in reversed(_told(message)):
        for sentence in _SENTENCE.split(line):
            if sentence.endswith("?"):
                return sentence[:CAUSE_LENGTH]
    return ""


def statement(message: str) -> str:
    """Return the main point of a message that asks nothing: its last line.

    Of a message with a single line it is what follows the first sentence. Lines that only say where the error happened
    are passed over.
    """
    lines = [line for line in _told(message) if not _PLACE.match(line)] or _told(message)
    after = _SENTENCE.split(lines[-1], maxsplit=1)[-1] if len(lines) == 1 else lines[-1]
    return (after if len(after) >= SAYS_ENOUGH else lines[-1])[:CAUSE_LENGTH]


def _told(message: str) -> list[str]:
    """Return the lines of a message, joined where a sentence was broken over two."""
    lines = _GOES_ON.sub(" ", shown(message).strip()).split("\n")
    return [line.strip() for line in lines if line.strip()] or [""]


def masked(line: str) -> str:
    """Replace the numbers in a line by #, but not those in names. Groups are told apart by it; it is never shown."""
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
    known = right.get(places[0], frozenset())  # empty for an exercise that the unit does not have any more
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
    """Count the lines of an answer that no right answer has. An answer with few of them shows one mistake alone."""
    return sum(line not in right for line in one.code.bares) or LINES_READ


def example_lines(one: Finding, right: Container[str], shared: Mapping[str, int]) -> str:
    """Return the consecutive lines of an answer that show its mistake best, at most LINES_SHOWN; "" for no code.

    Where the message names a line, it is that line. Otherwise it is a line that no right answer has: preferably one
    that shares words with the cause, then one that many students with the same mistake wrote (`shared`: bare line ->
    how many wrote it). Where right answers have every line, so that only something is missing, it is the last `return`.
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
    """Return a line of code without its spaces and its comment."""
    return "".join(line.partition(" # ")[0].split())


def _code(source: str) -> _Code:
    """Return the lines of code of an answer, without blank lines, comments, decorators and docstrings."""
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
    """Return the first letters of each word, so that `transposed` in a message matches `.transpose` in code."""
    return {word[:5].lower() for word in _WORD.findall(text)}
