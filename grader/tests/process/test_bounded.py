"""Students' text is read in a process with limited time and memory: slow or huge text costs only its author."""

import json
import os
import resource
import time
from functools import partial
from pathlib import Path

import pytest
from fake_class import cell
from small_class import PATIENT, answered, grade

from nbproctor.border.bounded import OutOfBounds, bounded
from nbproctor.course.units import Unit
from nbproctor.run.session import Session
from nbproctor.runner.zygote import Control
from nbproctor.source import match
from nbproctor.values.result import Result
from nbproctor.values.submission import HandedIn
from nbproctor.values.text import clean


def test_what_comes_back_is_plain_json() -> None:
    assert bounded(lambda: {"a": (1, None, "ü")}) == {"a": [1, None, "ü"]}


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (lambda: time.sleep(600), "reading it takes too long"),
        (lambda: len(bytes(8 << 30)), "reading it takes more memory or depth than is allowed (MemoryError)"),
        (lambda: os.kill(os.getpid(), 11), "the process that read it died"),
        (lambda: json.loads("[" * 100_000), "reading it takes more memory or depth than is allowed (RecursionError)"),
        (lambda: "x" * (80 << 20), "the result is too large"),
        (lambda: {}["missing"], "reading it failed (KeyError: 'missing')"),
    ],
)
def test_work_out_of_bounds_is_told_in_a_line(work: object, told: str) -> None:
    with pytest.raises(OutOfBounds) as raised:
        bounded(work, seconds=0.5 if "too long" in told else 60.0)  # type: ignore[arg-type]
    assert str(raised.value) == told


@pytest.mark.parametrize(
    ("reading", "reason", "is_kept"),
    [
        (lambda *_: os.kill(os.getpid(), 9), "the process that read it died; grade it again, or by hand", False),
        (lambda *_: time.sleep(600), "reading it takes too long; grade it again, or by hand", False),
        (lambda *_: [None for _ in iter(int, 1)], "reading it takes too long", True),
        (lambda *_: os._exit(3), "the process that read it died", True),
    ],
    ids=["killed", "waits for its turn", "takes all its processor time", "ends itself"],
)
def test_who_could_not_be_read_by_chance_is_read_again_in_the_next_run(
    unit: Unit, control: Control, monkeypatch: pytest.MonkeyPatch, reading: object, reason: str, is_kept: bool
) -> None:
    monkeypatch.setattr(match, "bounded", partial(bounded, seconds=0.5))
    monkeypatch.setattr(match, "plan_json", reading)
    if is_kept:  # then it is not the clock that ends it, even where other tests keep the machine busy
        monkeypatch.setattr("nbproctor.border.bounded.PATIENCE", 60)
    worker = Session({unit.name: unit}, control, PATIENT, ())
    result = worker.grade(clean("ana"), unit.name, HandedIn(b"{}"), "key")
    assert (result.status, result.reason) == ("ungradable", f"its source cannot be read: {reason}")
    assert bool(result.key) == is_kept


def memory_mb() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() >> 20


@pytest.mark.weekly
def test_nothing_of_an_earlier_student_is_kept(unit: Unit, control: Control) -> None:
    worker = Session({unit.name: unit}, control, PATIENT, ())

    def graded(number: int) -> Result:
        notebook = answered(unit, double="def double(x):\n    return 2 * x")
        large = [cell("code", f"x{number} = [" + "0," * 90_000 + "]", "own")]
        raw = json.dumps({"cells": notebook["cells"] + large}).encode()
        return worker.grade(clean(f"s{number}"), unit.name, HandedIn(raw), "key")

    assert graded(0).score == 3.0
    before = memory_mb()
    assert [graded(number).score for number in range(1, 4)] == [3.0] * 3
    assert memory_mb() - before < 20


def test_several_are_read_in_one_process(unit: Unit, monkeypatch: pytest.MonkeyPatch) -> None:
    told = match.read_together((unit, raw) for raw in (b"{", json.dumps(answered(unit)).encode()))
    assert told is not None
    assert [json.loads(one)["type"] for one in told] == ["Unplanned", "Plan"]
    monkeypatch.setattr(match, "plan_json", lambda *_: str(os.getpid()))
    told = match.read_together((unit, raw) for raw in (b"", b""))
    assert told is not None and told[0] == told[1] != str(os.getpid())


def test_who_leaves_too_much_in_memory_is_read_alone(unit: Unit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the next one's source might count as one that cannot be parsed."""
    left: list[bytes] = []

    def leaves(_: Unit, megabytes: bytes) -> str:
        left.append(bytes(int(megabytes) << 20))
        return "read"

    monkeypatch.setattr(match, "plan_json", leaves)
    assert match.read_together((unit, raw) for raw in (b"100", b"100", b"0")) == ["read"] * 3
    assert match.read_together((unit, raw) for raw in (b"100", b"200", b"0")) is None


def test_who_breaks_the_reading_of_several_is_alone_to_pay(
    unit: Unit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = match.plan_json
    monkeypatch.setattr(match, "plan_json", lambda of, raw: os._exit(3) if b"breaks" in raw else read(of, raw))
    right = answered(unit, double="def double(x):\n    return 2 * x")
    results = grade(unit, tmp_path, workers=1, ana=right, bo=answered(unit, double="# breaks"), cy=right)
    assert [results[name]["score"] for name in ("ana", "bo", "cy")] == [3.0, 0.0, 3.0]
    assert results["bo"]["reason"] == "its source cannot be read: the process that read it died"


def test_monstrous_sources_cost_their_own_submission_at_most(
    unit: Unit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # half a million statements use up all of these 2 s
    monkeypatch.setattr(match, "bounded", partial(bounded, seconds=2.0))
    right = answered(unit, double="def double(x):\n    return 2 * x")

    def with_own(*sources: str) -> dict[str, object]:
        return {**right, "cells": [*right["cells"], *(cell("code", s, f"own-{n}") for n, s in enumerate(sources))]}

    monsters = {
        "a_deep": with_own("if False:\n    torch" + ".a" * 900 + ".a = 1"),
        "b_statements": with_own(*["0\n" * 90_000] * 8),
        "d_cells": with_own(*["def helper(x):\n    return x\n"] * 1_500),
        "e_brackets": with_own("(" * 150_000),
        "g_honest": right,
    }
    results = grade(unit, tmp_path, workers=1, **monsters)
    assert {one["score"] for one in results.values() if one["status"] == "graded"} == {3.0}
    assert results["g_honest"]["score"] == 3.0
    assert all(len(result["notes"]) < 60 for result in results.values())
    reasons = [result["reason"] for result in results.values() if result["status"] != "graded"]
    told = tuple(f"its source cannot be read: {why}" for why in ("reading it takes", "the process that read it died"))
    assert all(reason.startswith(told) for reason in reasons), reasons
