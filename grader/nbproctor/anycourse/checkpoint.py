"""A student's process that goes through a notebook, and can try other cells wherever it stands."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from nbproctor.anycourse.warm import ENDS_S, Attempt, Notebook, Ran, Warm
from nbproctor.border import frames
from nbproctor.border.messages import Tried, Try, TryCell

LOST = (OSError, EOFError, frames.WireError)  # the process has ended; TimeoutError is an OSError


class Checkpoint(Attempt):
    """A process that runs the cells of a notebook one by one. Each method raises one of LOST where it has ended."""

    ran: Ran

    def begin(self) -> None:
        cells = self._notebook.cells
        self.ran = Ran([[] for _ in cells], [None] * len(cells), [[] for _ in cells])
        self._begin(self.ran)

    def run(self, number: int) -> None:
        """Run a cell of the notebook."""
        self._cell(number, self._notebook.cells[number], self.ran)

    def attempt(self, cells: Sequence[TryCell], own: int, watched: Sequence[str] | None = None) -> Tried:
        """Run cells in a fork. own: stop after so many if one has raised. watched: variables to note, with calls."""
        until = time.monotonic() + sum(cell.seconds for cell in cells) + ENDS_S
        request = Try([*cells], own, watched is not None, [*(watched or ())])
        return self._ask(request, Tried, until)[0]


@contextmanager
def opened(warm: Warm, notebook: Notebook, deadline: float) -> Iterator[Checkpoint]:
    """A fresh process that has the notebook's files, and has run nothing yet."""
    with closing(warm.fork(deadline)) as process:
        checkpoint = Checkpoint(notebook, process, deadline)
        checkpoint.begin()
        yield checkpoint
