"""Whatever file lies where results are kept, it is a result that every page can show, or is graded again."""

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from fake_class import everyone, result, typed, unit
from fuzzing import VALUES, damaged, examples, mutated
from hypothesis import example, given
from hypothesis import strategies as st

from nbproctor.classroom import records as classroom
from nbproctor.run.store import Store
from nbproctor.values.grades import of_result
from nbproctor.values.result import Result

UNIT = unit()
KEY = "a" * 64
CLASS = [one | {"key": KEY} for one in everyone(UNIT)]
HONEST = result("zoe", UNIT) | {"key": KEY}


def changed(value: Any, *way: Any) -> tuple[str, Any]:
    """Bo's result with another value at one place, as it would lie in Bo's file."""
    one = copy.deepcopy(CLASS[1])
    place: Any = one
    for step in way[:-1]:
        place = place[step]
    place[way[-1]] = value
    return "bo", one


CHECK = ("exercises", 0, "checks", 0)


@pytest.fixture(scope="module")
def alone() -> Any:
    """Hide all units of the course but ours: reading the others takes longer than writing the pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classroom, "unit_names", list)
        yield


def published(raw: bytes, student: str) -> None:
    """Put the bytes where the result of `student` is kept, beside an honest one, and write all files of the class."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = Store(folder / "results")
        store.put(typed(HONEST))
        store.path(student, UNIT.name).write_bytes(raw)
        found = store.get(student, UNIT.name, KEY)
        assert found is None or Result.from_json(json.loads(json.dumps(found.to_json(), allow_nan=False))) == found
        grades = {(who, UNIT.name): of_result(typed(HONEST)) for who in ("zoe", student)}
        notes = classroom.publish([] if found is None else [found], grades, {UNIT.name: UNIT}, folder)
        assert notes == []
        told = json.loads((folder / "report" / "results.json").read_text(encoding="utf-8"), parse_constant=refused)
        kept = [one for one in told if one["student"] == HONEST["student"]]
        assert [one["exercises"] for one in kept] == [HONEST["exercises"]]


def refused(constant: str) -> None:
    raise ValueError(f"{constant} in a file that other programs read")


def dumped(one: Any) -> bytes:
    return json.dumps(one).encode()


@given(st.sampled_from(CLASS).flatmap(lambda one: st.tuples(st.just(one["student"]), mutated(one))))
@example(changed(10**400, *CHECK, "max_points"))  # a number that no float can hold
@example(changed(float("nan"), *CHECK, "max_points"))  # a score that is no number, and a report that is no JSON
@example(changed([1.0], *CHECK, "picture", "yours", 1))  # a matrix with rows of two lengths
@example(changed(HONEST["student"], "student"))  # a student's result in another's file, instead of their own
@example(changed("renamed_since", "exercises", 0, "name"))  # a kept result of an exercise that the unit had once
@examples(60)
def test_a_changed_result_is_shown_or_graded_again(alone: None, one: tuple[str, Any]) -> None:
    """A kept result whose values are others, of other kinds or missing is shown on every page, or graded again."""
    published(dumped(one[1]), one[0])


@given(st.sampled_from(CLASS).flatmap(lambda one: st.tuples(st.just(one["student"]), damaged(dumped(one)))))
@examples(40)
def test_a_damaged_file_is_shown_or_graded_again(alone: None, one: tuple[str, bytes]) -> None:
    """A kept file that was cut off or overwritten is shown on every page, or graded again."""
    published(one[1], one[0])


@given(st.binary(max_size=100) | VALUES.map(dumped))
@examples(20)
def test_a_file_that_is_no_result_is_graded_again(alone: None, raw: bytes) -> None:
    """Any bytes and any JSON may lie in the place of a kept result, and harm no honest one beside it."""
    assert Store(Path("nowhere")).get("ana", UNIT.name, KEY) is None
    published(raw, "ana")
