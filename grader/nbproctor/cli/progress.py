"""A progress bar for grading, with the estimated time left, in one line of 80 columns."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from nbproctor.cli.terminal import console, on_terminal
from nbproctor.values.text import Displayable


@contextmanager
def reading_bar() -> Iterator[Callable[[int, int], None]]:
    """Show a bar while files are read. Yields a function to call with the number of files read so far and of all."""
    columns = (TextColumn("reading"), BarColumn(bar_width=20), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


@contextmanager
def progress_bar(total: int, doing: str = "grading") -> Iterator[Callable[[Displayable], None]]:
    """Show a bar; yield a function to call with the name of each submission when it is done."""
    columns = (
        TextColumn(doing),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("left; the last one:", style="dim"),
        TextColumn("{task.fields[now]}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
    )
    with Progress(*columns, console=console, expand=True) as progress:
        bar = progress.add_task("", total=total, now="")
        try:
            yield lambda now: progress.update(bar, advance=1, now=on_terminal(now))
        except BaseException:
            progress.live.transient = True
            raise
