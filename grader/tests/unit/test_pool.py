"""Jobs in threads: few begin at a time, results are handed over as they come, and an exception ends what runs."""

import threading
from collections.abc import Iterator

import pytest

from nbproctor.runner import pool


def test_results_come_as_they_end_and_few_jobs_are_begun_ahead() -> None:
    """Job 0 waits for the others, whose results come first; no more jobs are asked for than there is room for."""
    last = threading.Event()
    asked, found = list[int](), list[int]()

    def jobs() -> Iterator[int]:
        for number in range(6):
            assert len(asked) - len(found) < 3
            asked.append(number)
            yield number

    def work(number: int) -> int:
        if number == 0:
            assert last.wait(60)
        if number == 5:
            last.set()
        return number

    pool.run(work, jobs(), found.append, threads=2, width=lambda: 3, stop=lambda: None)
    assert sorted(found) == asked == [*range(6)] and found[0] != 0


def test_an_exception_ends_what_runs_and_begins_nothing_more() -> None:
    over = threading.Event()
    begun = list[int]()

    def work(number: int) -> int:
        begun.append(number)
        assert number == 0 or over.wait(60)
        return number

    def hand_over(number: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool.run(work, range(100), hand_over, threads=2, width=lambda: 4, stop=over.set)
    assert len(begun) <= 4
