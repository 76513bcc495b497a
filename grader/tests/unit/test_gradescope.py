"""The grader as a Gradescope autograder, with the layout of `/autograder` and the results.json that it documents.

https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_class import SECRET, everyone, result, typed, ungradable, unit

from nbproctor.classroom import gradescope
from nbproctor.cli import gradescope as command
from nbproctor.cli.app import app
from nbproctor.course import answers
from nbproctor.course.units import load_unit
from nbproctor.paths import ROOT
from nbproctor.run import batch

UNIT = "00_tensors"
VISIBILITY = ("hidden", "after_due_date", "after_published", "visible")
FORMATS = ("text", "html", "simple_format", "md", "ansi")
METADATA = {
    "id": 123456,
    "created_at": "2018-07-01T14:22:32.365935-07:00",
    "assignment": {"due_date": None, "title": "Unit 0", "total_points": "20.0"},
    "submission_method": "upload",
    "users": [{"email": "ana@example.com", "id": 1234, "name": "Ana"}],
    "previous_submissions": [],
}


def as_gradescope_reads(text: str) -> dict[str, Any]:
    """Parse results.json."""
    told: dict[str, Any] = json.loads(text)
    kinds: dict[str, Any] = {
        "score": float, "execution_time": (int, float), "output": str, "output_format": str, "visibility": str,
        "stdout_visibility": str, "extra_data": dict, "tests": list, "leaderboard": list,
    }  # fmt: skip
    test_kinds = {
        "score": float, "max_score": float, "status": str, "name": str, "number": str, "output": str,
        "output_format": str, "tags": list, "visibility": str, "extra_data": dict,
    }  # fmt: skip
    for one, known in ((told, kinds), *((test, test_kinds) for test in told["tests"])):
        assert [key for key, value in one.items() if not isinstance(value, known[key])] == []
        assert one.get("output_format", "text") in FORMATS
        assert one.get("visibility", "visible") in VISIBILITY and one.get("stdout_visibility", "hidden") in VISIBILITY
    assert "score" in told or (told["tests"] and all("score" in test for test in told["tests"]))
    assert {test.get("status", "passed") for test in told["tests"]} <= {"passed", "failed"}
    return told


@pytest.mark.parametrize("number", range(10))
def test_every_result_is_told_as_gradescope_documents_it(number: int) -> None:
    one = everyone(unit())[number]
    told = as_gradescope_reads(gradescope.results_json(typed(one)))
    assert told.get("score", sum(test["score"] for test in told["tests"])) == one["score"]
    assert SECRET not in json.dumps(told, ensure_ascii=False)
    hidden = [test for test in told["tests"] if "hidden" in test["name"]]
    assert {test["visibility"] for test in hidden} <= {"after_due_date"}
    assert {test["output"] for test in hidden} <= {"passed", "not passed"}
    assert "/etc/shadow" not in json.dumps(told)


def test_the_time_that_hidden_checks_took_is_not_told() -> None:
    one = result("ana", unit())
    told = [gradescope.results_json(typed(one | {"seconds": seconds})) for seconds in (0.08, 9.0)]
    assert told[0] == told[1]


def test_what_could_not_be_graded_says_why_and_claims_no_verdict() -> None:
    told = as_gradescope_reads(gradescope.results_json(typed(ungradable("jo", unit()))))
    assert (told["score"], told["tests"]) == (0.0, [])
    assert told["output"].endswith("no points yet: the file is cut off in the middle (not valid JSON)")


def test_a_message_is_shown_with_its_cause() -> None:
    told = as_gradescope_reads(gradescope.results_json(typed(result("bo", unit(), ("failed", "failed")))))
    assert told["tests"][0]["output"].startswith("Rows sum to 0.83 along the keys, expected 1.\nSoftmax over")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps(METADATA), ("ana@example.com", "2018-07-01T14:22:32.365935-07:00")),
        *((text, ("student", "")) for text in ("", "[]", '{"users": []}', "[" * 100_000)),
        ('{"users": [{"email": null}], "created_at": null}', ("student", "")),
    ],
    ids=range(6),
)
def test_whose_it_is_and_when_comes_from_gradescopes_metadata(
    tmp_path: Path, text: str, expected: tuple[str, str]
) -> None:
    """Without metadata a submission is graded all the same, since Gradescope knows whose it is."""
    (tmp_path / "metadata.json").write_text(text)
    assert gradescope.who_and_when(tmp_path / "metadata.json") == expected


def autograder(place: Path, path: str) -> dict[str, Any]:
    """Run `nbproctor gradescope` on this `/autograder`, with this PATH; returns what Gradescope would read."""
    program = [sys.executable, "-c", "from nbproctor.cli.app import app; app()", "gradescope", UNIT]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader"), "PATH": path}
    done = subprocess.run(  # noqa: S603, PLW1510
        [*program, "--autograder", str(place)], env=environment, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return as_gradescope_reads((place / "results" / "results.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("in_the_way", ["results", "results/results.json/x"])
def test_where_results_cannot_be_written_one_line_says_so(
    in_the_way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / in_the_way).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / in_the_way).touch()
    monkeypatch.setattr(command, "load_gradable_unit", lambda name: unit())
    monkeypatch.setattr(batch, "run", lambda *_: [typed(ungradable("student", unit()))])
    monkeypatch.setattr(sys, "argv", ["nbproctor", "gradescope", UNIT, "--autograder", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        app()
    assert end.value.code == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"nbproctor: {tmp_path}/results/results.json: cannot write there (")
    assert said.endswith("); allow writing there, or name Gradescope's folder with --autograder")


def test_a_submission_is_graded_where_gradescope_lays_it_and_refused_where_there_is_no_sandbox(tmp_path: Path) -> None:
    of, place, trace = load_unit(UNIT), tmp_path / "autograder", tmp_path / "was here"
    sources = {exercise.name: exercise.solution for exercise in of.exercises}
    first = of.exercises[0]
    sources[first.name] = f"try:\n    open({str(trace)!r}, 'w')\nexcept OSError:\n    pass\n{first.stub}"
    (place / "submission").mkdir(parents=True)
    notebook = json.dumps(answers.notebook_of(of, sources))
    (place / "submission" / f"{UNIT} (1).ipynb").write_text(notebook, encoding="utf-8")
    (place / "submission" / f"{UNIT}.ipynb").write_text(json.dumps(of.notebook), encoding="utf-8")
    (place / "submission_metadata.json").write_text(json.dumps(METADATA))
    told = autograder(place, os.environ["PATH"])
    assert f"{UNIT} (1).ipynb: this notebook counts, and not " in told["output"]
    assert sum(test["score"] for test in told["tests"]) == of.max_points - first.max_points
    assert {test["name"] for test in told["tests"] if test["status"] == "failed"} == {
        first.name, f"{first.name}: hidden check",
    }  # fmt: skip
    told = autograder(place, "/nowhere")
    assert (told["score"], told["tests"]) == (0.0, []) and "sandbox is not available" in told["output"]
    assert not trace.exists()
