"""What a probe has found: changes that earn full points, tests that test nothing, and what else is to be looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from nbproctor.border.messages import Tried
from nbproctor.probe.changes import Change
from nbproctor.probe.plan import Exercise, mentions
from nbproctor.values.text import many


class Rank(IntEnum):
    """How certain it is that a test is wrong about a change, the most certain first."""

    SEEN = 0  # it passed, though a value differed on the tests' own calls
    REFUSED = 1  # a submitted answer was refused, though no value differed on the tests' own calls
    UNREAD = 2  # it passed, and no test runs the line, or reads the variable
    SAME = 3  # it passed, and the tests saw no difference: another input would show it, or it means the same


@dataclass(frozen=True)
class Survivor:
    """A change that earned full points, or a submitted answer that was refused. saw: what the tests saw of it."""

    notebook: str
    exercise: str
    points: float
    key: str
    words: str
    line: int
    old: str
    new: str
    rank: Rank
    saw: str

    @classmethod
    def of(cls, where: tuple[str, str, float], change: Change, rank: Rank, saw: str) -> Survivor:
        """where: the notebook or unit, the exercise, and its points."""
        return cls(*where, change.key, change.words, change.line, change.old, change.new, rank, saw)


@dataclass
class Found:
    """What came of an assignment.

    findings: sentences about tests and the reference. remarks: sentences that need no action. tried, possible: how
    many changes were tried, of how many. marked: survivors that somebody has marked as right all the same. is_wild:
    whether submitted answers were tried, and no changes of ours.
    """

    assignment: str
    survivors: list[Survivor] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    marked: int = 0
    tried: int = 0
    possible: int = 0
    seconds: float = 0.0
    is_wild: bool = False

    @property
    def summary(self) -> str:
        """How many were tried, and with what result."""
        noun, result = ("answer", "to be looked at") if self.is_wild else ("change", "would earn full points")
        nouns = noun if self.possible == 1 else f"{noun}s"
        exercises = len({(one.notebook, one.exercise) for one in self.survivors})
        where = f", in {many(exercises, 'exercise')}" if exercises else ""
        marked = f" {many(self.marked, 'more is', 'more are')} marked as right." if self.marked else ""
        tried = f"{self.tried:,} of {self.possible:,} {nouns} tried in {self.seconds:.0f} s"
        return f"{tried}; {len(self.survivors)} {result}{where}.{marked}"

    @property
    def is_well(self) -> bool:
        return not (self.survivors or self.findings)


def judged(
    exercise: Exercise, change: Change, values: tuple[Tried, Tried, Tried], later: list[str]
) -> tuple[Rank, str]:
    """Return how certain it is that a test should have refused a change that passed, and what the tests saw.

    values: what two watched runs of the reference noted, and one of the change. later: the sources of the cells below.
    """
    one = values[0]
    read = {name for name in exercise.names if any(mentions(source, name) for source in later)}
    if saw := difference(exercise, values, read):
        return Rank.SEEN, f"{saw}, and every test passed"
    if change.is_called and not set(range(change.span[0], change.span[1] + 1)) & set(one.lines):
        return Rank.UNREAD, "no test runs this line" if change.span[0] <= change.line else "no test runs what is in it"
    unread = [name for name in exercise.names if name not in read]
    if not change.is_called and unread and not read and not one.lines:
        return Rank.UNREAD, f"no test reads `{unread[0]}`"
    return Rank.SAME, "what the tests saw was the same"


def difference(exercise: Exercise, values: tuple[Tried, Tried, Tried], read: set[str]) -> str:
    """Say in which value a change differed from the reference; "" if there was no difference.

    read: the variables that later cells read. A value in which two runs of the reference differ is not compared.
    """
    pairs = list(zip(*(each.values for each in values), strict=False))
    seen = [
        (ours, theirs)
        for ours, again, theirs in pairs
        if ours[0] == theirs[0]
        and ours[1] == again[1] != theirs[1]
        and (ours[0] in read or ours[0] not in exercise.names)
    ]
    if not seen:
        return ""
    (name, _, expected), (_, _, value) = seen[0]
    if name in exercise.names:
        return f"`{name}` was `{value}` instead of `{expected}`"
    often = f", in {len(seen)} of {len(pairs)} calls" if len(pairs) > 1 else ""
    if value == expected == "None":
        return f"what `{name}` left in its arguments was different{often}"
    if value == expected:  # in short, as it is told here
        return f"`{name}` returned another value than in the reference{often}"
    theirs, ours = (text if text.startswith("raised ") else f"returned `{text}`" for text in (value, expected))
    return f"`{name}` {theirs} where the reference {ours}{often}"
