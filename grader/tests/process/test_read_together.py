"""Submissions are read together, and only what was read first is graded, whatever becomes of the file afterwards."""

import json
from collections import deque
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from small_class import PATIENT, answered, submitted

from nbproctor.course.units import Unit
from nbproctor.run import batch
from nbproctor.run.job import Job
from nbproctor.values.result import Result


def test_only_so_many_bytes_are_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many notebooks are read together as have AT_ONCE_BYTES, AT_ONCE at most, and one at least."""
    sizes = [3, 4, 5, 100, 1]
    one = SimpleNamespace(unit="small")
    job: Any = SimpleNamespace(
        units={"small": None}, submissions=[one] * len(sizes), size=lambda task: sizes[task], notebook=lambda task: b""
    )
    monkeypatch.setattr("nbproctor.source.match.read_together", lambda several: ["" for _ in several])
    for at_once, most, todo, wanted in (
        (32, 8, [0, 1, 2], [0, 1]), (32, 8, [3, 4], [3]), (32, 200, [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]),
        (2, 200, [1, 2, 3], [1, 2]),
    ):  # fmt: skip
        monkeypatch.setattr(batch, "AT_ONCE", at_once)
        monkeypatch.setattr(batch, "AT_ONCE_BYTES", most)
        assert [*batch._read_ahead(job, deque(todo))] == wanted


def test_what_has_changed_since_it_was_read_is_not_graded(unit: Unit, tmp_path: Path) -> None:
    """A file that changes, or goes, during the run gets no points of another file's, and is graded by the next run.

    Here bo's file gets a wrong answer while it waits for the worker, and cy's is removed.
    """
    right, wrong = (answered(unit, double=f"def double(x):\n    return {n} * x") for n in (2, 3))
    submissions = submitted(unit, tmp_path, ana=right, bo=right, cy=right)

    def change(result: Result) -> None:
        submissions[1].path.write_text(json.dumps(wrong))
        submissions[2].path.unlink(missing_ok=True)

    results = batch.run(Job({unit.name: unit}, submissions, PATIENT, True), 1, change)
    assert [(result.status, result.score, bool(result.key)) for result in results] == [
        ("graded", 3.0, True), ("ungradable", 0.0, False), ("ungradable", 0.0, False)
    ]  # fmt: skip
    assert results[1].reason == "a file was changed while the class was graded; grade it again, or by hand"
    assert results[2].reason.endswith("is missing")
