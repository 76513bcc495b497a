"""Results: what is computed from their checks, how they go to JSON and back, and under which key they are stored."""

import json
import sys
from pathlib import Path

import pytest
from fake_class import everyone, result, typed, unit

from nbproctor.course.units import Unit
from nbproctor.run import store
from nbproctor.run.store import Store, key_of
from nbproctor.values.limits import Limits
from nbproctor.values.result import Result
from nbproctor.values.submission import File, HandedIn

ALONGSIDE = (("a.py", b"1"), ("a.py", b"2"), ("b.py", b"1"))


@pytest.mark.parametrize("number", range(10))
def test_a_result_comes_back_from_json_as_it_was(number: int) -> None:
    one = everyone(unit())[number] | {"own_cells": [{"before": "attention_output", "source": "x = 1"}]}
    back = Result.from_json(json.loads(json.dumps(typed(one).to_json())))
    assert back == typed(one)
    assert back.to_json() == one


def test_points_and_statuses_are_computed_and_not_believed() -> None:
    one = result("ana", unit(), ("failed", "failed"))
    one["score"] = 99.0
    one["exercises"][0]["status"] = "passed"
    one["exercises"][0]["checks"][0]["points"] = 99.0
    read = typed(one)
    assert (read.score, read.exercises[0].status, read.exercises[0].checks[0].points) == (0.0, "failed", 0.0)


def test_reasons_are_what_an_instructor_should_look_at() -> None:
    told = {one["student"]: typed(one).reasons for one in everyone(unit())}
    assert [student for student, reasons in told.items() if reasons] == ["fay", "gus", "ida", "jo"]
    sounds = result("kim", unit(), ("error", "error"), message="ValueError: file cannot be read, MemoryError")
    assert typed(sounds).reasons == []
    sounds["exercises"][0]["checks"][0]["met_limit"] = True
    assert len(typed(sounds).reasons) == 1
    assert typed(result("lea", unit())).with_note("trouble", "disk full").reasons == ["disk full"]


def test_a_stored_result_is_found_under_its_key_only(tmp_path: Path) -> None:
    store = Store(tmp_path / "results")
    one = typed(result("ana", unit()) | {"key": "a" * 64})
    store.put(one)
    assert store.get("ana", one.unit, "a" * 64) == one
    assert Store(tmp_path / "results", fresh=True).get("ana", one.unit, "a" * 64) is None
    assert store.get("ana", one.unit, "b" * 64) is None
    store.path("bo", one.unit).write_bytes(store.path("ana", one.unit).read_bytes())
    assert store.get("bo", one.unit, "a" * 64) is None
    for damage in (b"", b"{", b"\xff", b"[" * 100_000, b"{}"):
        store.path("ana", one.unit).write_bytes(damage)
        assert store.get("ana", one.unit, "a" * 64) is None


def test_the_store_has_the_last_result_of_each_submission_whatever_the_name(tmp_path: Path) -> None:
    store = Store(tmp_path / "results")
    names = ["ana", "..", ".", "", "a/b", "a%2Fb", "x" * 300, "x" * 301, "\N{GRADUATION CAP}" * 80, "two\nlines"]
    for key in "ab":
        for name in names:
            store.put(typed(result(name, unit()) | {"key": key * 64}))
    found = store.all_but(())
    assert sorted(one.student for one in found) == sorted(names)
    assert {one.key for one in found} == {"b" * 64}
    assert {path.parent for path in tmp_path.rglob("*.json")} == {tmp_path / "results" / unit().name}


def test_the_key_names_all_that_a_result_rests_on() -> None:
    base = unit()

    def with_cell(which: str, number: int) -> Unit:
        notebooks = {name: json.loads(json.dumps(getattr(base, name))) for name in ("notebook", "instructor")}
        notebooks[which]["cells"][number]["source"] += " "
        return Unit(base.name, notebooks["notebook"], notebooks["instructor"], base.setup, base.exercises)

    keys = [
        key_of("ana", HandedIn(b"x"), base, Limits(), True),
        key_of("bo", HandedIn(b"x"), base, Limits(), True),
        key_of("ana", HandedIn(b"y"), base, Limits(), True),
        *(key_of("ana", HandedIn(b"x", (File(*file),)), base, Limits(), True) for file in ALONGSIDE),
        key_of("ana", HandedIn(b"x"), base, Limits(cell_s=9.0), True),
        key_of("ana", HandedIn(b"x"), base, Limits(submission_s=9.0), True),
        key_of("ana", HandedIn(b"x"), base, Limits(), False),
        *(key_of("ana", HandedIn(b"x"), with_cell("notebook", n), Limits(), True) for n in (1, 3, 4)),
        *(key_of("ana", HandedIn(b"x"), with_cell("instructor", n), Limits(), True) for n in (1, 3, 4)),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)
    assert keys[0] == key_of("ana", HandedIn(b"x"), unit(), Limits(), True)


def test_the_key_changes_with_a_line_of_the_grader_its_libraries_and_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So an answer that lacked a package is graded again. The command line and a cache decide no verdict."""
    packages, versions, keys = tmp_path / "site-packages", {"torch": "1", "numpy": "1"}, list[str]()
    monkeypatch.setattr(store, "PACKAGE", tmp_path)
    monkeypatch.setattr(store, "version", versions.__getitem__)
    monkeypatch.setattr(sys, "path", [*sys.path, str(packages), str(tmp_path / "missing/site-packages")])
    for folder in ("exam", "inside", "cli", "site-packages"):
        (tmp_path / folder).mkdir()

    def is_new() -> bool:
        store.grader_fingerprint.cache_clear()
        store.installed_packages.cache_clear()
        keys.append(key_of("ana", HandedIn(b"x"), unit(), Limits(), True))
        return keys[-1] not in keys[:-1]

    assert is_new()
    for name, changes in ({"exam/sit.py": True, "inside/zygote.py": True, "cli/app.py": False}).items():
        (tmp_path / name).write_text("x = 1")
        assert is_new() == changes, name
    for name in versions:
        versions[name] = "2"
        assert is_new(), name
    for name, changes in {"einops-0.8.0.dist-info": True, "einops-0.8.1.dist-info": True, "einops": False}.items():
        (packages / name).mkdir()
        assert is_new() == changes, name
    monkeypatch.setattr(store.platform, "python_version", lambda: "3.99")
    assert is_new()
    store.grader_fingerprint.cache_clear()
    store.installed_packages.cache_clear()
