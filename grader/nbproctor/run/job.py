"""A class to be graded: reads each submission, decides what must be graded, and stores and writes the results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from nbproctor.course.units import Unit
from nbproctor.run.session import lost
from nbproctor.run.store import Store, key_of
from nbproctor.values.copies import Copies, Copy
from nbproctor.values.limits import Limits
from nbproctor.values.notebook import Ungradable
from nbproctor.values.result import Result, ungradable
from nbproctor.values.submission import CopiedSubmission, HandedIn, Submission, copied, handed_in
from nbproctor.values.text import line

Write = Callable[[Result, Submission], object]


@dataclass(frozen=True)
class Job:
    """A class to be graded. A task is the number of a submission in `submissions`.

    `to_grade` reads each file that was handed in, once; after that `handed_in` returns what was read, and `keys` holds
    the key of each task's result.

    `store` keeps each result as soon as there is one; a submission whose result it holds is not graded again. `write`
    is called with each result; an error in it becomes a note of that result. `check` is called before the first
    submission is graded, and ends the run where it raises.
    """

    units: Mapping[str, Unit]
    submissions: Sequence[Submission]
    limits: Limits
    sandboxed: bool
    store: Store | None = None
    write: Write | None = None
    check: Callable[[], None] = lambda: None
    _kept: dict[int, CopiedSubmission] = field(default_factory=dict, init=False, repr=False, compare=False)
    keys: dict[int, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def new(self) -> int:
        """How many submissions had to be graded; the others' results were stored, or could not be."""
        return len(self._kept)

    def lost(self, task: int, reason: str) -> Result:
        one = self.submissions[task]
        return lost(self.units[one.unit], one.student, reason)

    def to_grade(self, done: Callable[[int, Result], None]) -> list[int]:
        """Return the tasks that have to be graded, and pass the result of every other task to `done`.

        Raises UserError if there is no room for copies of the files.
        """
        copies = Copies()
        self._kept.clear()
        for task, one in enumerate(self.submissions):
            handed = self.read(task)
            if isinstance(handed, Result):
                done(task, self._written(one, handed))
                continue
            self.keys[task] = key_of(one.student, handed, self.units[one.unit], self.limits, self.sandboxed)
            known = self._known(task)
            if known is None:
                self._kept[task] = copied(one, handed, copies)
            else:
                done(task, self._written(one, known))
        return list(self._kept)

    def read(self, task: int) -> HandedIn | Result:
        """Read a submission. Returns its bytes, or the result that says why it cannot be read."""
        one = self.submissions[task]
        try:
            return handed_in(one)
        except Ungradable as error:
            reason = line(str(error))
        except OSError as error:
            reason = line(f"what was handed in cannot be read ({error.strerror})")
        return ungradable(one.student, one.unit, self.units[one.unit].max_points, reason)

    def handed_in(self, task: int) -> HandedIn:
        """Return the bytes of a submission that has to be graded, as `to_grade` read them."""
        return self._kept[task].handed_in()

    def notebook(self, task: int) -> Copy:
        """Return the copy of a notebook that has to be graded."""
        return self._kept[task].notebook

    def _known(self, task: int) -> Result | None:
        """Return the stored result of a submission, if there is one."""
        one = self.submissions[task]
        found = self.store.get(one.student, one.unit, self.keys[task]) if self.store else None
        if found is not None and found.submitted != one.submitted:  # the same notebook, handed in at another time
            found = self._stored(replace(found, submitted=one.submitted))
        return found

    def finished(self, task: int, result: Result) -> Result:
        """Store a new result and write its files. Returns it, with a note where either has failed."""
        one = self.submissions[task]
        return self._written(one, self._stored(replace(result, submitted=one.submitted)))

    def _stored(self, result: Result) -> Result:
        if self.store is not None and result.key:
            try:
                self.store.put(result)
            except OSError as error:
                return result.with_note(
                    "trouble", line(f"its result could not be kept ({error.strerror}); grade it again")
                )
        return result

    def _written(self, one: Submission, result: Result) -> Result:
        result = replace(result, submitted=one.submitted)
        if self.write is not None:
            try:
                self.write(result, one)
            except Exception as error:  # noqa: BLE001 any error costs these pages alone, and is reported
                where = line(f"its pages could not be written ({type(error).__name__}: {line(str(error), 200)})")
                result = result.with_note("trouble", where)
        return result
