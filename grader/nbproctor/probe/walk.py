"""Goes through a notebook in one process, and tries each exercise's changes where its solution stands."""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nbproctor.anycourse.checkpoint import LOST, Checkpoint, opened
from nbproctor.anycourse.settings import Course
from nbproctor.anycourse.warm import CellToRun, Notebook, Warm
from nbproctor.border.messages import Tried, TryCell
from nbproctor.probe.changes import Change
from nbproctor.probe.findings import Rank, Survivor, judged
from nbproctor.probe.plan import Book, Exercise, is_test, visible

LONGEST_S = 600.0  # for a cell without a limit of its own
TIMES, LEAST_S = 10.0, 1.0  # how long a change may take, in terms of the reference
WATCHED = 10.0  # what runs under a trace is slower
LOSSES_MOST = 20  # processes that may end before a notebook is given up


@dataclass
class Tally:
    """What came of an exercise's changes so far. failed: for each, the tests that failed. lost: those that ended it."""

    tried: int = 0
    passed: list[Survivor] = field(default_factory=list)
    failed: list[tuple[Change, frozenset[int]]] = field(default_factory=list)
    ran: set[int] = field(default_factory=set)  # the tests that have run to their end under some change
    lock: threading.Lock = field(default_factory=threading.Lock)
    adds: bool | None = None  # whether a hidden test refused what the visible ones had passed; None: there is none


@dataclass
class Walk:
    """One process's way through a notebook. todo: the changes that it tries, by the exercise's place.

    until: when to stop, on the monotonic clock; None: not before all are tried. done: is called after each, with its
    exercise.
    """

    course: Course
    book: Book
    warm: Warm
    todo: dict[int, deque[Change]]
    tallies: dict[int, Tally]
    until: float | None
    done: Callable[[str], None]
    seconds: dict[int, float] = field(default_factory=dict)
    flaky: set[int] = field(default_factory=set)  # tests that the reference has failed here
    trouble: str = ""

    def go(self) -> None:
        """Try all changes, in a new process after one has ended."""
        course, book = self.course, self.book
        folder = os.path.relpath(book.path.parent, course.root)
        cells = [CellToRun(cell.source, LONGEST_S, is_test(cell)) for cell in book.cells]
        given = Notebook(cells, folder, book.files, {})
        for _ in range(LOSSES_MOST):
            deadline = time.monotonic() + course.proctor.submission_s
            try:
                with opened(self.warm, given, deadline) as here:
                    self._through(here)
                return
            except LOST as error:
                self.trouble = f"{book.name}: its process ended ({type(error).__name__})"

    def _through(self, here: Checkpoint) -> None:
        exercises = {one.at: one for one in self.book.exercises}
        last = max((at for at, left in self.todo.items() if left), default=-1)
        for number in range(last + 1):
            if self.todo.get(number):
                self._exercise(here, exercises[number])
            if number < last:
                here.run(number)

    def _exercise(self, here: Checkpoint, exercise: Exercise) -> None:
        rest = range(exercise.at, self.book.tests[-1] + 1)
        if not self.seconds.keys() >= {*rest}:
            tried = here.attempt(self._cells(rest, lambda _: LONGEST_S), len(rest))
            if len(tried.runs) < len(rest):
                self.trouble = f"{self.book.name}, {exercise.name}: its own solution ends a fork of its process"
                self.todo[exercise.at].clear()
                return
            self.seconds |= dict(zip(rest, tried.seconds, strict=False))
            for number in self._failed(rest, tried):  # no change is judged by such a test
                self.flaky.add(number)
                self.book.least.pop(number, None)
        left, tally = self.todo[exercise.at], self.tallies[exercise.at]
        until = self._share(exercise.at)
        watched: list[Tried] = []
        while left and (until is None or time.monotonic() < until):
            self._try(here, exercise, left.popleft(), rest, watched)
        self._look_for_hidden(here, exercise, tally, until)
        left.clear()

    def _share(self, at: int) -> float | None:
        """Until when this exercise may take: its part of the time that is left."""
        if self.until is None:
            return None
        more = sum(1 for one, left in self.todo.items() if one >= at and left)
        now = time.monotonic()
        return now + max(0.0, self.until - now) / more

    def _try(self, here: Checkpoint, exercise: Exercise, change: Change, rest: range, watched: list[Tried]) -> None:
        tally, own = self.tallies[exercise.at], exercise.own[-1] - exercise.at + 1
        try:
            tried = here.attempt(self._cells(rest, self._limit, change.source), own)
        finally:  # one that ends the process is refused, too
            with tally.lock:
                tally.tried += 1
            self.done(f"{exercise.notebook}, {exercise.name}")
        failed = self._failed(rest, tried)
        with tally.lock:
            tally.ran |= {number for number, _ in zip(rest, tried.runs, strict=False) if number in self.book.least}
        is_refused = bool(failed) or len(tried.runs) < len(rest)
        if is_refused:
            with tally.lock:
                tally.failed.append((change, failed))
        if is_refused and not (change.is_wild and failed):
            return
        limit = lambda number: WATCHED * self._limit(number)  # noqa: E731
        if not watched:
            watched += [here.attempt(self._cells(rest, limit), len(rest), exercise.names) for _ in range(2)]
        third = here.attempt(self._cells(rest, limit, change.source), len(rest), exercise.names)
        later = [self.book.cells[number].source for number in rest[1:]]
        rank, saw = judged(exercise, change, (watched[0], watched[1], third), later)
        if is_refused and third.values and rank != Rank.SEEN:
            names = ", ".join(f"`{self.book.id_of(number)}`" for number in sorted(failed))
            rank, saw = Rank.REFUSED, f"every value that the tests got was the reference's, and {names} refused it"
        elif change.is_wild and (is_refused or rank != Rank.SEEN):
            return  # it was refused, or accepted, as it should be
        with tally.lock:
            where = exercise.notebook, exercise.name, exercise.points
            tally.passed.append(Survivor.of(where, change, rank, saw))

    def _look_for_hidden(self, here: Checkpoint, exercise: Exercise, tally: Tally, until: float | None) -> None:
        """Find out whether a hidden test refuses a change that the visible ones of the exercise let through."""
        shown = {one: visible(self.course, self.book.cells[one]) for one in exercise.own}
        if all(shown[one] == self.book.cells[one].source for one in exercise.own) or not any(shown.values()):
            return
        whole = [one for one in exercise.own if shown[one] == self.book.cells[one].source]
        rest = range(exercise.at, exercise.own[-1] + 1)
        for change, failed in [*tally.failed]:
            if tally.adds or not failed or failed.intersection(whole):
                continue
            if until is not None and time.monotonic() > until + 1:
                return  # nothing is said
            tried = here.attempt(self._cells(rest, self._limit, change.source, shown), len(rest))
            passes = len(tried.runs) == len(rest) and not self._failed(rest, tried)
            tally.adds = passes or bool(tally.adds)
        tally.adds = bool(tally.adds)

    def _cells(
        self, rest: range, limit: Callable[[int], float], changed: str = "", others: Mapping[int, str] | None = None
    ) -> list[TryCell]:
        """The cells to try. changed: the first one's source, if it is another; others: those of others."""
        sources = {number: self.book.cells[number].source for number in rest} | {**(others or {})}
        sources[rest[0]] = changed or sources[rest[0]]
        return [TryCell(sources[number], number in self.book.tests, limit(number)) for number in rest]

    def _limit(self, number: int) -> float:
        return max(LEAST_S, TIMES * self.seconds[number])

    def _failed(self, rest: range, tried: Tried) -> frozenset[int]:
        """The tests that gave fewer points than to the reference."""
        least = {**self.book.least}
        return frozenset(
            number
            for number, ran in zip(rest, tried.runs, strict=False)
            if number in least and self.book.points(number, ran.outputs) < least[number]
        )
