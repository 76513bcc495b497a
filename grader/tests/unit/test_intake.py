"""Every file in `submitted/` is graded or named in one line: which notebook counts, and what is said of the others."""

import json
import os
import shutil
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fake_class import result as a_result
from fake_class import typed
from msgspec import structs

from nbproctor.course.answers import notebook_of
from nbproctor.course.units import CourseError, load_unit, units_called
from nbproctor.intake import find as intake
from nbproctor.intake.collect import collect
from nbproctor.paths import ROOT
from nbproctor.values.result import Result
from nbproctor.values.submission import NOTEBOOK_MOST_BYTES, handed_in
from nbproctor.values.text import clean

TENSORS, ATTENTION, MASKING = "00_tensors", "03_self_attention", "06_masking"


def notebook(unit: str, answers: int = 0, note: str = "") -> str:
    """A unit's notebook with its first exercises answered, and with `note` in a last cell, to tell it from others."""
    of = load_unit(unit)
    made: dict[str, Any] = notebook_of(of, {exercise.name: exercise.solution for exercise in of.exercises[:answers]})
    return json.dumps({**made, "cells": [*made["cells"], {"cell_type": "markdown", "metadata": {}, "source": note}]})


NB, OTHER_NB = f"{TENSORS}.ipynb", f"{ATTENTION}.ipynb"
EMPTY, ONE, TWO, OTHER = notebook(TENSORS), notebook(TENSORS, 1), notebook(TENSORS, 2), notebook(ATTENTION, 1)


def own(name: str) -> str:
    """A notebook of a student's own, without ids, that defines the first exercise of the unit with this name."""
    source = f"def {load_unit(name).exercises[0].name}(*args):\n    pass"
    cells = [{"cell_type": "code", "metadata": {}, "source": source}]
    return json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}})


def put(folder: Path, files: Mapping[str, str]) -> Path:
    """Write these files into `submitted/` of a classroom, and return that."""
    for place, text in files.items():
        path = folder / "submitted" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "submitted"


def told(found: intake.FoundSubmissions) -> dict[str, str]:
    """Place -> what is said of it; a text that somebody should look at begins with LOOK."""
    return {one.where: f"LOOK {one.text}" if one.needs_look else one.text for one in found.remarks}


def graded(found: intake.FoundSubmissions, folder: Path) -> dict[str, str]:
    """The file that is graded for each student and unit, or why none is; TENSORS goes without saying."""
    return {
        one.student if one.unit == TENSORS else f"{one.student}/{one.unit}": one.refused
        or str(one.path.relative_to(folder / "submitted"))
        for one in found.submissions
    }


ARCHIVED = "LOOK this is an archive, which is not opened here; unpack it where it lies, in {}/, and grade again"
STRAY = "LOOK not graded: it is not named after a unit of the course, and there is no notebook in it"
SEVERAL = "there are 2 notebooks, and nothing says which of them counts: {0}/00_tensors/a.ipynb, {0}/00_tensors/b.ipynb"


@pytest.mark.parametrize(
    ("files", "expected", "remarks"),
    [
        pytest.param(
            {f"ana/{TENSORS}/{NB}": ONE, f"ana/{TENSORS}/data.csv": "1", f"bo/{TENSORS}/Copy of {NB}": ONE,
             f"cy/{TENSORS}/{TENSORS}/{NB}": ONE, f"di/{TENSORS}/{TENSORS}.IPYNB": ONE},
            {"ana": f"ana/{TENSORS}/{NB}", "bo": f"bo/{TENSORS}/Copy of {NB}", "cy": f"cy/{TENSORS}/{TENSORS}/{NB}",
             "di": f"di/{TENSORS}/{TENSORS}.IPYNB"},
            {}, id="UNIT.ipynb, or the only notebook, is graded without a word",
        ),
        pytest.param(
            {f"ana/{TENSORS}/{NB}": EMPTY, f"ana/{TENSORS}/{TENSORS} (1).ipynb": ONE,
             f"bo/{TENSORS}/{NB}": EMPTY, "bo/mine.ipynb": ONE},
            {"ana": f"ana/{TENSORS}/{TENSORS} (1).ipynb", "bo": "bo/mine.ipynb"},
            {f"ana/{TENSORS}/{TENSORS} (1).ipynb": f"this notebook counts, and not ana/{TENSORS}/{NB}",
             "bo/mine.ipynb": f"this notebook counts, and not bo/{TENSORS}/{NB}"},
            id="the answered one counts beside an untouched one, wherever it lies",
        ),
        pytest.param(
            {f"ana/{TENSORS}/{NB}": ONE, f"ana/{TENSORS}/x.ipynb": TWO,
             f"bo/{TENSORS}/{NB}": ONE, f"bo/{TENSORS}/x.ipynb": ONE, f"cy/{TENSORS}/{NB}": ONE, f"cy/{NB}": TWO},
            {one: f"{one}/{TENSORS}/{NB}" for one in ("ana", "bo", "cy")},
            {f"ana/{TENSORS}/{NB}": f"LOOK this notebook counts, and not ana/{TENSORS}/x.ipynb, where there are "
             "answers, too",
             f"cy/{TENSORS}/{NB}": f"LOOK this notebook counts, and not cy/{NB}, where there are answers, too"},
            id="of two with answers the one in the unit's folder with its name counts, and a copy is no other",
        ),
        pytest.param(
            {f"{one}/{TENSORS}/{name}.ipynb": text for one in ("ana", "bo") for name, text in (("a", ONE), ("b", TWO))}
            | {f"bo/{TENSORS}/{NB}": EMPTY},
            {one: SEVERAL.format(one) for one in ("ana", "bo")},
            {}, id="of several that nothing tells apart none is graded",
        ),
        pytest.param(
            {f"ana/{TENSORS}/{NB}": OTHER, f"bo/{TENSORS}/{NB}": ONE, f"bo/{TENSORS}/x.ipynb": OTHER,
             f"cy/{TENSORS}/{NB}": OTHER, "cy/mine.ipynb": ONE},
            {"ana": f"its cells belong to {ATTENTION}, not to {TENSORS}; if that is what was handed in, move it to "
             f"ana/{ATTENTION}/, unless a notebook lies there already",
             "bo": f"bo/{TENSORS}/{NB}", "cy": "cy/mine.ipynb"},
            {f"bo/{TENSORS}/x.ipynb": f"LOOK not graded: its cells belong to {ATTENTION}",
             f"cy/{TENSORS}/{NB}": f"LOOK not graded: its cells belong to {ATTENTION}"},
            id="another unit's notebook is recognised by its cells",
        ),
        pytest.param(
            {f"ana/{NB}": ONE, "bo/03_selfattention/hw.ipynb": OTHER, f"cy/Copy of {TENSORS} (2).ipynb": "{}",
             "di/hw.ipynb": "{}", "eva/nothing/essay.docx": "", f"{TENSORS}/flo/{NB}": ONE,
             "gus/hw.ipynb": own(TENSORS)},
            {"ana": f"ana/{NB}", f"bo/{ATTENTION}": "bo/03_selfattention/hw.ipynb",
             "cy": f"cy/Copy of {TENSORS} (2).ipynb", "flo": f"{TENSORS}/flo/{NB}", "gus": "gus/hw.ipynb"},
            {"di/hw.ipynb": "LOOK not graded: it lies outside every unit's folder, and the file is JSON but not a "
             "notebook: it has no list of cells", "eva/nothing": STRAY},
            id="a notebook outside a unit's folder is of the unit of its cells, or else of its name",
        ),
        pytest.param(
            {"ana/00_numbers/00_numbers.ipynb": ONE, "ana/00_numbers/older/00_numbers.1.ipynb": TWO,
             "bo/mine/older/hw.ipynb": ONE},
            {"ana": "ana/00_numbers/00_numbers.ipynb", "bo": "bo/mine/older/hw.ipynb"},
            {}, id="what was kept in older/ beside a notebook does not count, also in a folder of no unit",
        ),
        pytest.param(
            {f"ana/{TENSORS}/work.zip": "", "bo/work.zip": "", "cy/homework/work.zip": ""},
            {"ana": f"{NB} is missing; only work.zip lies there"},
            {f"ana/{TENSORS}/work.zip": ARCHIVED.format(TENSORS), "bo/work.zip": ARCHIVED.format("bo"),
             "cy/homework/work.zip": ARCHIVED.format("homework"), "cy/homework": STRAY},
            id="an archive is to be unpacked where it lies: collected, it would lose its student",
        ),
        pytest.param(
            {f"{unicodedata.normalize('NFD', 'müller')}/{TENSORS}/{NB}": ONE, f"müller/{ATTENTION}/{OTHER_NB}": OTHER},
            {"müller": f"{unicodedata.normalize('NFD', 'müller')}/{TENSORS}/{NB}",
             f"müller/{ATTENTION}": f"müller/{ATTENTION}/{OTHER_NB}"},
            {}, id="two ways to write an umlaut are one student",
        ),
    ],
)  # fmt: skip
def test_which_notebook_counts_and_what_is_said_of_the_others(
    tmp_path: Path, files: dict[str, str], expected: dict[str, str], remarks: dict[str, str]
) -> None:
    put(tmp_path, files)
    found = intake.find(tmp_path, None)
    assert (graded(found, tmp_path), told(found)) == (expected, remarks)


def test_another_units_notebook_is_recognised_by_its_cells(tmp_path: Path) -> None:
    texts = [one["source"] for one in load_unit(TENSORS).notebook["cells"] if one["cell_type"] == "markdown"]
    lost = json.dumps({"cells": [{"cell_type": "markdown", "metadata": {}, "source": max(texts, key=len)}]})
    notebooks = {"ana": own(TENSORS), "bo": "no notebook", "cy": lost, "di": ONE, "eva": OTHER}
    put(tmp_path, {f"{student}/{TENSORS}/{NB}": text for student, text in notebooks.items()})
    found = intake.find(tmp_path, None).submissions
    assert [one.fits for one in found] == ["", "", TENSORS, TENSORS, ATTENTION]
    assert [one.student for one in found if one.refused] == ["eva"]


def test_how_far_the_reading_has_come_is_told_from_the_first_large_file_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 76: large files are read one by one, and the bar moves with each of them."""
    monkeypatch.setattr("nbproctor.intake.fit.AT_ONCE_BYTES", 1)
    put(tmp_path, {f"{student}/{TENSORS}/{NB}": ONE for student in ("ana", "bo", "cy")})
    progress: list[tuple[int, int]] = []
    intake.find(tmp_path, None, lambda done, total: progress.append((done, total)))
    assert progress[:3] == [(1, 3), (2, 3), (3, 3)]


def test_a_foreign_notebook_that_defines_a_name_of_ours_is_none_of_ours(tmp_path: Path) -> None:
    """Row 69: a name alone does not make it another unit's notebook; it is graded, and told as another course's."""
    given = put(tmp_path, {f"ana/{TENSORS}/{NB}": own(MASKING)})
    (one,) = intake.find(tmp_path, None).submissions
    assert (one.refused, one.fits) == ("", "")
    collect(given, tmp_path / "class", None)
    assert (tmp_path / "class" / "submitted" / "ana" / TENSORS / NB).exists()
    wrong, right = (typed(a_result("ana", load_unit(TENSORS), (status, status))) for status in ("failed", "passed"))
    foreign = [f"ana/{TENSORS}: none of its cells belongs to this course"]
    assert [str(one) for one in intake.foreign_cells([wrong], [one])] == foreign
    assert intake.foreign_cells([right], [one]) == [], "a student's own that earned points"


def test_what_is_nobodys_is_named_with_the_way_out(tmp_path: Path) -> None:
    (put(tmp_path, {NB: ONE, "submissions.zip": "", "class.csv": "", f"{TENSORS}/hw.ipynb": ONE}) / "cy").mkdir()
    found = intake.find(tmp_path, None)
    assert found.submissions == ()
    remarks = told(found)
    assert remarks.pop("cy") == "LOOK this student's folder is empty, so there is nothing to grade"
    assert remarks.keys() == {NB, "submissions.zip", "class.csv", f"{TENSORS}/hw.ipynb"}
    for text in remarks.values():
        assert text.startswith("LOOK ") and "STUDENT/UNIT/" in text and "make grade FROM=" in text


def test_links_devices_and_leftovers_have_a_rule_each(tmp_path: Path) -> None:
    leftovers = {f"ana/{TENSORS}/.ipynb_checkpoints/x.ipynb": EMPTY, "ana/__MACOSX/._x": "", ".DS_Store": ""}
    submitted = put(tmp_path, {f"ana/{TENSORS}/{NB}": ONE, f".cache/{TENSORS}/{NB}": ONE, **leftovers})
    ana, mal = submitted / "ana" / TENSORS, submitted / "mal"
    (mal / TENSORS).mkdir(parents=True)
    (submitted / "eve").symlink_to(submitted / "ana")
    (mal / TENSORS / NB).symlink_to(ana / NB)
    (mal / ATTENTION).symlink_to(ana)
    os.mkfifo(mal / "pipe.ipynb")
    found, link = intake.find(tmp_path, None), "LOOK it is a link; links are not followed"
    assert told(found) == {
        "eve": link, f"mal/{TENSORS}/{NB}": link, f"mal/{ATTENTION}": link,
        "mal/pipe.ipynb": "LOOK it is not an ordinary file (a device, a pipe or a socket)",
    }  # fmt: skip
    assert sorted(graded(found, tmp_path)) == ["ana", "mal"]  # reading mal's refuses it


def test_a_unit_that_nobody_handed_in_is_not_an_empty_class(tmp_path: Path) -> None:
    """Where nobody handed in this unit, the submissions to others are counted, so that the message can say so."""
    put(tmp_path, {f"ana/{TENSORS}/{NB}": ONE, f"bo/{NB}": ONE})
    found = intake.find(tmp_path, [MASKING])
    assert (found.submissions, found.others) == ((), ((TENSORS, 2),))
    assert intake.find(tmp_path / "nowhere", None) == intake.FoundSubmissions(())


def test_a_unit_is_called_by_its_name_or_its_number() -> None:
    assert units_called(["3", "03", "0", ATTENTION]) == [ATTENTION, ATTENTION, TENSORS, ATTENTION]
    for unknown in ("99_nothing", "99", "", "self_attention"):
        text = f"unknown unit '{unknown}': expected one of 00_tensors, .*, or its number"
        with pytest.raises(CourseError, match=text):
            units_called([unknown])


def test_a_wrong_notebook_is_no_unit_of_the_class(tmp_path: Path) -> None:
    wrong = {f"ana/{TENSORS}/{NB}": OTHER, f"bo/{OTHER_NB}": OTHER}  # the first lies in another unit's folder
    put(tmp_path, {f"s{number}/{TENSORS}/{NB}": ONE for number in range(6)} | wrong)
    found = intake.find(tmp_path, None)
    assert {one.unit for one in found.submissions} == {TENSORS}
    assert told(found)[f"bo/{ATTENTION}"] == (
        f"LOOK not graded: only 1 of 8 students handed in {ATTENTION}, so it does not seem to be set. If this is "
        f"the wrong notebook, ask for the right one; if {ATTENTION} is set, grade it by its name: "
        f"make grade ARGS={ATTENTION}"
    )
    assert [one.student for one in intake.find(tmp_path, [ATTENTION]).submissions] == ["bo"]
    (tmp_path / "results" / ATTENTION).mkdir(parents=True)
    assert {one.unit for one in intake.find(tmp_path, None).submissions} == {TENSORS, ATTENTION}


def test_for_one_student_nobody_elses_folder_is_opened(tmp_path: Path) -> None:
    others = (f"bo/{TENSORS}/{NB}", f"{ATTENTION}/bo/hw.ipynb", "loose.ipynb")
    put(tmp_path, {f"ana/{TENSORS}/{NB}": ONE, f"{ATTENTION}/ana/hw.ipynb": OTHER, **dict.fromkeys(others, "nothing")})
    progress: list[tuple[int, int]] = []
    found = intake.find(tmp_path, None, lambda done, total: progress.append((done, total)), "ana")
    assert [(one.student, one.unit) for one in found.submissions] == [("ana", TENSORS), ("ana", ATTENTION)]
    assert progress == [(2, 2)] and found.remarks == ()


def test_one_that_breaks_its_reader_costs_itself_alone(tmp_path: Path) -> None:
    texts = {"ana": ONE, "bo": "[" * 3_000_000, "cy": ""}
    submitted = put(tmp_path, {f"{student}/{TENSORS}/{NB}": text for student, text in texts.items()})
    os.truncate(submitted / "cy" / TENSORS / NB, NOTEBOOK_MOST_BYTES + 1)
    found = intake.find(tmp_path, None)
    assert [(one.student, one.fits) for one in found.submissions] == [("ana", TENSORS), ("bo", ""), ("cy", "")]


def test_an_exercise_that_no_notebook_of_a_class_has_is_told_once() -> None:
    of = load_unit(TENSORS)
    first, second = (exercise.name for exercise in of.exercises[:2])

    def class_of(*missing: str) -> list[Result]:
        found = []
        for student, gone in zip(("ana", "bo"), missing, strict=True):
            has, lacks = (typed(a_result(student, of, (status, status))) for status in ("passed", "missing"))
            both = zip(has.exercises, lacks.exercises, strict=True)
            found.append(structs.replace(has, exercises=tuple(two if one.name == gone else one for one, two in both)))
        return found

    (remark,) = intake.absent_exercises(class_of(first, first))
    assert (remark.where, remark.needs_look) == (TENSORS, True)
    assert remark.text.startswith(f"none of the 2 notebooks has {first}. If you renamed it")
    assert intake.absent_exercises(class_of(first, second)) == []
    assert intake.absent_exercises(class_of(first, first)[:1]) == []


def test_a_unit_that_cannot_be_loaded_does_not_stop_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course = tmp_path / "course"
    for name in ("solutions", "course"):
        for unit in (TENSORS, ATTENTION):
            shutil.copytree(ROOT / name / unit, course / name / unit)
    (course / "course" / ATTENTION / OTHER_NB).write_text("{")
    put(tmp_path, {f"ana/{TENSORS}/{NB}": ONE})
    monkeypatch.setattr("nbproctor.intake.fit.unit_names", lambda: [TENSORS, ATTENTION])
    monkeypatch.setattr("nbproctor.intake.fit.load_unit", lambda name: load_unit(name, course))
    (one,) = intake.find(tmp_path, None).submissions
    assert one.fits == TENSORS


def test_a_folder_that_is_called_like_an_archive_is_none(tmp_path: Path) -> None:
    put(tmp_path, {f"bo/{TENSORS}/{NB}": ONE, f"bo/{TENSORS}/data.zip/a.py": "a = 1"})
    found = intake.find(tmp_path, None)
    assert not found.remarks
    assert [file.name for file in handed_in(found.submissions[0]).files] == ["data.zip/a.py"]


@pytest.mark.parametrize(
    ("files", "graded", "refused"),
    [
        ({NB: EMPTY, f"{TENSORS} (1).ipynb": ONE}, f"{TENSORS} (1).ipynb", ""),
        ({NB: OTHER}, NB, f"its cells belong to {ATTENTION}, not to"),
        ({}, NB, ""),
    ],
)
def test_one_folder_of_one_student_goes_by_the_same_rules(
    tmp_path: Path, files: dict[str, str], graded: str, refused: str
) -> None:
    """One student's files in one folder, as Gradescope lays them out, follow the same rules."""
    one, _ = intake.in_folder(clean("ana"), TENSORS, put(tmp_path, files))
    assert (one.path.name, one.refused.startswith(refused), bool(one.refused)) == (graded, True, bool(refused))
