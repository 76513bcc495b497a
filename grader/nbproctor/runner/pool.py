"""Work in threads, each of which waits for a process here or for a worker of dask."""

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

Job = TypeVar("Job")
Done = TypeVar("Done")


def run(  # noqa: PLR0913 what is to be done, and how much of it at once
    work: Callable[[Job], Done],
    jobs: Iterable[Job],
    on_result: Callable[[Done], object],
    *,
    threads: int,
    width: Callable[[], int],
    stop: Callable[[], object],
) -> None:
    """Do the work for each job, and hand over what comes of it, in this thread, in the order in which the jobs end.

    jobs: each is asked for only when it may begin, so that few are in memory. threads: how many jobs run at once, at
    most. width: how many may have begun, or wait to be handed over. stop: is called where an exception ends the run,
    Ctrl-C above all; it has to end what runs.
    """
    begun = set[Future[Done]]()

    def hand_over(most: int) -> None:
        nonlocal begun
        while len(begun) > most:
            done, begun = wait(begun, return_when=FIRST_COMPLETED)
            for one in done:
                on_result(one.result())

    with ThreadPoolExecutor(threads) as pool:
        try:
            for job in jobs:
                begun.add(pool.submit(work, job))
                hand_over(width() - 1)
            hand_over(0)
        except BaseException:
            stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
