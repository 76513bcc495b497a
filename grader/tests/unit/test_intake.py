"""Every file in `submitted/` is graded or named in one line: which notebook counts, and what is said of the others."""

from __future__ import annotations

import json
import os
import shutil
import threading
import unicodedata
from collections.abc import Callable
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
from nbproctor.values.submission import NOTEBOOK_MOST_BYTES, Submission, handed_in
from nbproctor.values.text import clean

TENSORS, ATTENTION, MASKING = "00_tensors", "03_self_attention", "06_masking"
Put = Callable[[str, str], Path]


def notebook(unit: str, answers: int = 0, note: str = "") -> str:
    """A unit's notebook with its first exercises answered, and with `note` in a last cell, to tell it from others."""
    of = load_unit(unit)
    made: dict[str, Any] = notebook_of(of, {exercise.name: exercise.solution for exercise in of.exercises[:answers]})
    return json.dumps({**made, "cells": [*made["cells"], {"cell_type": "markdown", "metadata": {}, "source": note}]})


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def write(place: str, text: str) -> Path:
        path = tmp_path / "submitted" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def told(found: intake.FoundSubmissions) -> dict[str, str]:
    """Place -> what is said of it; a text that somebody should look at begins with LOOK."""
    return {one.where: f"LOOK {one.text}" if one.needs_look else one.text for one in found.remarks}


def graded(found: intake.FoundSubmissions, folder: Path) -> dict[tuple[str, str], str]:
    """The file that is graded for each student and unit, or why none is."""
    return {
        (one.student, one.unit): one.refused or str(one.path.relative_to(folder / "submitted"))
        for one in found.submissions
    }


def test_the_ordinary_place_needs_no_word(tmp_path: Path, put: Put) -> None:
    """STUDENT/UNIT/UNIT.ipynb is graded without a remark, and so is the only notebook there under another name.

    The files beside it are handed in with it.
    """
    put(f"ana/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    put(f"ana/{TENSORS}/data.csv", "1")
    put(f"bo/{TENSORS}/Copy of {TENSORS}.ipynb", notebook(TENSORS, 1))
    put(f"cy/{TENSORS}/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    found = intake.find(tmp_path, None)
    assert told(found) == {}
    assert graded(found, tmp_path) == {
        ("ana", TENSORS): f"ana/{TENSORS}/{TENSORS}.ipynb",
        ("bo", TENSORS): f"bo/{TENSORS}/Copy of {TENSORS}.ipynb",
        ("cy", TENSORS): f"cy/{TENSORS}/{TENSORS}/{TENSORS}.ipynb",
    }
    assert all(one.has_files and one.fits == TENSORS for one in found.submissions)


@pytest.mark.parametrize("name", [f"{TENSORS} (1).ipynb", f"{TENSORS}-1.ipynb", "my answers.ipynb"])
def test_the_answered_one_counts_beside_an_untouched_one(tmp_path: Path, put: Put, name: str) -> None:
    """Of an untouched and an answered notebook the answered one counts; a remark, which needs no look, names both."""
    put(f"ana/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS))
    put(f"ana/{TENSORS}/{name}", notebook(TENSORS, 1))
    found = intake.find(tmp_path, None)
    assert graded(found, tmp_path) == {("ana", TENSORS): f"ana/{TENSORS}/{name}"}
    assert told(found) == {f"ana/{TENSORS}/{name}": f"this notebook counts, and not ana/{TENSORS}/{TENSORS}.ipynb"}


def test_of_two_with_answers_the_one_with_the_units_name_counts(tmp_path: Path, put: Put) -> None:
    """Of two answered notebooks, the one with the unit's name counts; the instructor is asked to look at the other.

    A copy of the one that counts is nothing to look at.
    """
    put(f"ana/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    put(f"ana/{TENSORS}/{TENSORS} (1).ipynb", notebook(TENSORS, 2))
    put(f"bo/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    put(f"bo/{TENSORS}/{TENSORS} (1).ipynb", notebook(TENSORS, 1))
    found = intake.find(tmp_path, None)
    assert graded(found, tmp_path)["ana", TENSORS] == f"ana/{TENSORS}/{TENSORS}.ipynb"
    where = f"ana/{TENSORS}/{TENSORS}.ipynb"
    other = f"ana/{TENSORS}/{TENSORS} (1).ipynb"
    assert told(found) == {where: f"LOOK this notebook counts, and not {other}, where there are answers, too"}


def test_several_that_nothing_tells_apart_are_named_and_not_guessed_between(tmp_path: Path, put: Put) -> None:
    """Where two answered notebooks could both be meant, none is graded, and the reason names them.

    That is so where neither is called UNIT.ipynb, or where UNIT.ipynb is the only one without answers.
    """
    put(f"ana/{TENSORS}/a.ipynb", notebook(TENSORS, 1))
    put(f"ana/{TENSORS}/b.ipynb", notebook(TENSORS, 2))
    put(f"bo/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS))
    put(f"bo/{TENSORS}/a.ipynb", notebook(TENSORS, 1))
    put(f"bo/{TENSORS}/b.ipynb", notebook(TENSORS, 2))
    reasons = graded(intake.find(tmp_path, None), tmp_path)
    for student in ("ana", "bo"):
        names = f"{student}/{TENSORS}/a.ipynb, {student}/{TENSORS}/b.ipynb"
        why = f"there are 2 notebooks, and nothing says which of them counts: {names}"
        assert reasons[student, TENSORS] == why


def test_another_units_notebook_is_recognised_by_its_cells(tmp_path: Path, put: Put) -> None:
    """Another unit's notebook is not graded as this unit's; beside the right notebook, a remark names it."""
    put(f"ana/{MASKING}/{MASKING}.ipynb", notebook(ATTENTION, 1))
    put(f"bo/{MASKING}/{MASKING}.ipynb", notebook(MASKING, 1))
    put(f"bo/{MASKING}/x.ipynb", notebook(ATTENTION, 1))
    found = intake.find(tmp_path, None)
    assert graded(found, tmp_path) == {
        ("ana", MASKING): f"its cells belong to {ATTENTION}, not to {MASKING}; if that is what was handed in, "
        f"move it to ana/{ATTENTION}/, unless a notebook lies there already",
        ("bo", MASKING): f"bo/{MASKING}/{MASKING}.ipynb",
    }
    assert told(found) == {f"bo/{MASKING}/x.ipynb": f"LOOK not graded: its cells belong to {ATTENTION}"}


def test_a_notebook_that_lost_its_ids_is_known_by_what_it_defines(tmp_path: Path, put: Put) -> None:
    """A student's own notebook that defines an exercise's function is graded as the unit's, though it has no ids."""
    name = load_unit(TENSORS).exercises[0].name
    own = {"cells": [{"cell_type": "code", "metadata": {}, "source": f"def {name}(*args):\n    pass"}]}
    put(f"ana/{TENSORS}/{TENSORS}.ipynb", json.dumps({**own, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))
    put(f"bo/{TENSORS}/{TENSORS}.ipynb", "not a notebook")
    texts = [one["source"] for one in load_unit(TENSORS).notebook["cells"] if one["cell_type"] == "markdown"]
    lost = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": max(texts, key=len)}]}
    put(f"cy/{TENSORS}/{TENSORS}.ipynb", json.dumps(lost))
    found = intake.find(tmp_path, None)
    assert [(one.refused, one.fits) for one in found.submissions] == [("", ""), ("", ""), ("", TENSORS)]
    put("di/hw.ipynb", json.dumps(own))
    assert [one.unit for one in intake.find(tmp_path, None).submissions] == [TENSORS] * 4


def test_how_far_the_reading_has_come_is_told_from_the_first_large_file_on(
    tmp_path: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 76: large files are read one by one, and the bar moves with each of them."""
    monkeypatch.setattr("nbproctor.intake.fit.AT_ONCE_BYTES", 1)
    for student in ("ana", "bo", "cy"):
        put(f"{student}/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    told: list[tuple[int, int]] = []
    intake.find(tmp_path, None, lambda done, total: told.append((done, total)))
    assert told[:3] == [(1, 3), (2, 3), (3, 3)]


def test_a_foreign_notebook_that_defines_a_name_of_ours_is_none_of_ours(tmp_path: Path, put: Put) -> None:
    """Row 69: a name alone does not make it another unit's notebook; it is graded, and told as another course's.

    A notebook of a student's own that earned points is not.
    """
    name = load_unit(MASKING).exercises[0].name
    own = {"cells": [{"cell_type": "code", "metadata": {}, "source": f"def {name}(*args):\n    pass"}]}
    put(f"ana/{TENSORS}/{TENSORS}.ipynb", json.dumps(own))
    (one,) = intake.find(tmp_path, None).submissions
    assert (one.refused, one.fits) == ("", "")
    made = tmp_path / "download" / "ana" / f"{TENSORS}.ipynb"
    made.parent.mkdir(parents=True)
    made.write_text(json.dumps(own))
    collect(tmp_path / "download", tmp_path / "class", None)
    assert (tmp_path / "class" / "submitted" / "ana" / TENSORS / f"{TENSORS}.ipynb").exists()
    wrong, right = (typed(a_result("ana", load_unit(TENSORS), (status, status))) for status in ("failed", "passed"))
    assert [str(one) for one in intake.foreign_cells([wrong], [one])] == [
        f"ana/{TENSORS}: none of its cells belongs to this course"
    ]
    assert intake.foreign_cells([right], [one]) == []


def test_flat_folders_and_misspelt_ones_are_graded_where_the_notebook_says_its_unit(tmp_path: Path, put: Put) -> None:
    """A notebook outside a unit's folder is graded as the unit that its cells name, or else its file name.

    The one in the unit's folder counts before it. A notebook whose unit is unknown is named, and not graded.
    """
    put(f"ana/{TENSORS}.ipynb", notebook(TENSORS, 1))
    put("bo/03_selfattention/hw.ipynb", notebook(ATTENTION, 1))
    put(f"cy/Copy of {TENSORS} (2).ipynb", "{}")
    put("di/hw.ipynb", "{}")
    put("eva/nothing/essay.docx", "")
    put(f"{TENSORS}/flo/{TENSORS}.ipynb", notebook(TENSORS, 1))
    put(f"gus/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    put(f"gus/{TENSORS}.ipynb", notebook(TENSORS, 2))
    found = intake.find(tmp_path, None)
    assert graded(found, tmp_path) == {
        ("ana", TENSORS): f"ana/{TENSORS}.ipynb",
        ("bo", ATTENTION): "bo/03_selfattention/hw.ipynb",
        ("cy", TENSORS): f"cy/Copy of {TENSORS} (2).ipynb",
        ("flo", TENSORS): f"{TENSORS}/flo/{TENSORS}.ipynb",
        ("gus", TENSORS): f"gus/{TENSORS}/{TENSORS}.ipynb",
    }
    assert told(found) == {
        "di/hw.ipynb": "LOOK not graded: it lies outside every unit's folder, and the file is JSON but not a notebook: "
        "it has no list of cells",
        "eva/nothing": "LOOK not graded: it is not named after a unit of the course, and there is no notebook in it",
        f"gus/{TENSORS}/{TENSORS}.ipynb": f"LOOK this notebook counts, and not gus/{TENSORS}.ipynb, where there are "
        "answers, too",
    }


def test_what_is_nobodys_is_named_with_the_way_out(tmp_path: Path, put: Put) -> None:
    """Files that belong to no student or unit are named, with what the instructor can do about them."""
    put(f"{TENSORS}.ipynb", notebook(TENSORS, 1))
    put("submissions.zip", "")
    put("class.csv", "")
    put(f"{TENSORS}/hw.ipynb", notebook(TENSORS, 1))
    put("ana/all.zip", "")
    found = intake.find(tmp_path, None)
    assert found.submissions == ()
    said = told(found)
    assert {where for where in said if said[where].startswith("LOOK")} == set(said) == {
        f"{TENSORS}.ipynb", "submissions.zip", "class.csv", f"{TENSORS}/hw.ipynb", "ana/all.zip",
    }  # fmt: skip
    assert "make grade FROM=" in said["submissions.zip"] and "STUDENT/UNIT/" in said[f"{TENSORS}.ipynb"]


def test_what_was_kept_beside_a_notebook_does_not_count_in_a_folder_of_no_unit(tmp_path: Path, put: Put) -> None:
    """Earlier versions, in the folder `older` beside a notebook, do not count, even where the folder names no unit.

    Its unit may have been renamed. A folder `older` of the student's own, without a notebook beside it, does count.
    """
    put("ana/00_numbers/00_numbers.ipynb", notebook(TENSORS, 1))
    put("ana/00_numbers/older/00_numbers.1.ipynb", notebook(TENSORS, 2))
    put("bo/mine/older/hw.ipynb", notebook(TENSORS, 1))
    assert graded(intake.find(tmp_path, [TENSORS]), tmp_path) == {
        ("ana", TENSORS): "ana/00_numbers/00_numbers.ipynb",
        ("bo", TENSORS): "bo/mine/older/hw.ipynb",
    }


def test_an_archive_in_a_students_folder_is_to_be_unpacked_there(tmp_path: Path, put: Put) -> None:
    """The advice for an archive in a student's folder is to unpack it there: collected, it would lose its student."""
    for name in (f"ana/{TENSORS}/work.zip", "bo/work.zip", "cy/homework/work.zip"):
        put(name, "")
    said = told(intake.find(tmp_path, None))
    advice = "LOOK this is an archive, which is not opened here; unpack it where it lies, in {}/, and grade again"
    assert said[f"ana/{TENSORS}/work.zip"] == advice.format(TENSORS)
    assert (said["bo/work.zip"], said["cy/homework/work.zip"]) == (advice.format("bo"), advice.format("homework"))


def test_two_ways_to_write_an_umlaut_are_one_student(tmp_path: Path, put: Put) -> None:
    """Two folders whose names are one text in other bytes are one student's, and what lies in both is graded."""
    for form, unit in (("NFD", TENSORS), ("NFC", ATTENTION)):
        put(f"{unicodedata.normalize(form, 'müller')}/{unit}/{unit}.ipynb", notebook(unit, 1))
    found = intake.find(tmp_path, None)
    name = unicodedata.normalize("NFC", "müller")
    assert [(one.student, one.unit) for one in found.submissions] == [(name, TENSORS), (name, ATTENTION)]
    assert told(found) == {}


def test_links_devices_and_leftovers_have_a_rule_each(tmp_path: Path, put: Put) -> None:
    """Links are named and not followed, and pipes are named; files that systems leave behind are passed over."""
    path = put(f"ana/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    put(f"ana/{TENSORS}/.ipynb_checkpoints/{TENSORS}-checkpoint.ipynb", notebook(TENSORS))
    put("ana/__MACOSX/._x", "")
    put(".DS_Store", "")
    (tmp_path / "submitted" / "eve").symlink_to(path.parent.parent)
    (tmp_path / "submitted" / "mal" / TENSORS).mkdir(parents=True)
    (tmp_path / "submitted" / "mal" / TENSORS / f"{TENSORS}.ipynb").symlink_to(path)
    (tmp_path / "submitted" / "mal" / ATTENTION).symlink_to(path.parent)
    os.mkfifo(tmp_path / "submitted" / "mal" / "pipe.ipynb")
    found = intake.find(tmp_path, None)
    assert told(found) == {
        "eve": "LOOK it is a link; links are not followed",
        f"mal/{TENSORS}/{TENSORS}.ipynb": "LOOK it is a link; links are not followed",
        f"mal/{ATTENTION}": "LOOK it is a link; links are not followed",
        "mal/pipe.ipynb": "LOOK it is not an ordinary file (a device, a pipe or a socket)",
    }
    assert sorted(graded(found, tmp_path)) == [("ana", TENSORS), ("mal", TENSORS)]  # reading mal's refuses it


def test_a_unit_that_nobody_handed_in_is_not_an_empty_class(tmp_path: Path, put: Put) -> None:
    """Where nobody handed in this unit, the submissions to others are counted, so that the message can say so."""
    put(f"ana/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    put(f"bo/{TENSORS}.ipynb", notebook(TENSORS, 1))
    found = intake.find(tmp_path, [MASKING])
    assert (found.submissions, found.others) == ((), ((TENSORS, 2),))
    assert intake.find(tmp_path / "nowhere", None) == intake.FoundSubmissions(())


def test_a_unit_is_called_by_its_name_or_its_number() -> None:
    """The report calls a unit 3, and its folder 03_self_attention."""
    assert units_called(["3", "03", "0", ATTENTION]) == [ATTENTION, ATTENTION, TENSORS, ATTENTION]
    for unknown in ("99_nothing", "99", "", "self_attention"):
        with pytest.raises(
            CourseError, match=f"unknown unit '{unknown}': expected one of 00_tensors, .*, or its number"
        ):
            units_called([unknown])


def test_a_wrong_notebook_is_no_unit_of_the_class(tmp_path: Path, put: Put) -> None:
    """Of a unit that hardly anybody handed in, nothing is graded unless it is asked for, or was graded before.

    The notebook is named, with what to do. Where no unit has a fifth of the class, all of them are graded.
    """
    for number in range(6):
        put(f"s{number}/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    put(f"ana/{TENSORS}/{TENSORS}.ipynb", notebook(ATTENTION, 1))  # which lies in another unit's folder
    put(f"bo/{ATTENTION}.ipynb", notebook(ATTENTION, 1))
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


def test_for_one_student_nobody_elses_folder_is_opened(tmp_path: Path, put: Put) -> None:
    put(f"ana/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    put(f"{ATTENTION}/ana/hw.ipynb", notebook(ATTENTION, 1))
    for place in (f"bo/{TENSORS}/{TENSORS}.ipynb", f"{ATTENTION}/bo/hw.ipynb", "loose.ipynb"):
        put(place, "no notebook")
    read: list[tuple[int, int]] = []
    found = intake.find(tmp_path, None, lambda done, total: read.append((done, total)), "ana")
    assert [(one.student, one.unit) for one in found.submissions] == [("ana", TENSORS), ("ana", ATTENTION)]
    assert read == [(2, 2)] and found.remarks == ()


def test_one_that_breaks_its_reader_costs_itself_alone(tmp_path: Path, put: Put) -> None:
    """A notebook that is too large, or nested beyond reading, leaves the others in the same bundle recognised."""
    put(f"ana/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    put(f"bo/{TENSORS}/{TENSORS}.ipynb", "[" * 3_000_000)
    huge = put(f"cy/{TENSORS}/{TENSORS}.ipynb", "")
    os.truncate(huge, NOTEBOOK_MOST_BYTES + 1)
    found = intake.find(tmp_path, None)
    assert [(one.student, one.fits) for one in found.submissions] == [("ana", TENSORS), ("bo", ""), ("cy", "")]


def test_an_exercise_that_no_notebook_of_a_class_has_is_told_once() -> None:
    """Where no notebook of a class has an exercise, one line says so: perhaps it was renamed after the release.

    Where only one student lacks it, or the class has one notebook, there is no such line.
    """
    of = load_unit(TENSORS)
    first, second = (exercise.name for exercise in of.exercises[:2])

    def class_of(*missing: str) -> list[Result]:
        found = []
        for student, gone in zip(("ana", "bo"), missing, strict=True):
            has, lacks = (typed(a_result(student, of, (status, status))) for status in ("passed", "missing"))
            both = zip(has.exercises, lacks.exercises, strict=True)
            found.append(structs.replace(has, exercises=tuple(two if one.name == gone else one for one, two in both)))
        return found

    (told,) = intake.absent_exercises(class_of(first, first))
    assert (told.where, told.needs_look) == (TENSORS, True) and told.text.startswith(
        f"none of the 2 notebooks has {first}. If you renamed it"
    )
    assert intake.absent_exercises(class_of(first, second)) == []
    assert intake.absent_exercises(class_of(first, first)[:1]) == []


def test_no_answer_in_any_exercise_needs_a_look() -> None:
    """A submission without any answer needs a look; one that earned nothing, too, if its cells are not the unit's."""
    of = load_unit(TENSORS)
    nothing = typed(a_result("ana", of, ("not implemented", "not implemented")))
    absent = typed(a_result("bo", of, ("missing", "missing")))
    wrong = typed(a_result("cy", of, ("failed", "failed")))
    places = {"ana": TENSORS, "bo": "", "cy": ATTENTION}
    submissions = [Submission(name, TENSORS, ROOT, fits=fits) for name, fits in places.items()]
    results = [nothing, absent, wrong]
    assert [str(one) for one in intake.unanswered(results)] == [
        f"{name}/{TENSORS}: no answer in any exercise" for name in ("ana", "bo")
    ]
    assert [str(one) for one in intake.foreign_cells(results, submissions)] == [
        f"bo/{TENSORS}: none of its cells belongs to this course", f"cy/{TENSORS}: its cells belong to {ATTENTION}",
    ]  # fmt: skip


def test_a_unit_that_cannot_be_loaded_does_not_stop_the_others(
    tmp_path: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other units are recognised without it; an instructor hears of the broken one on grading it."""
    course = tmp_path / "course"
    for name in ("solutions", "course"):
        for unit in (TENSORS, ATTENTION):
            shutil.copytree(ROOT / name / unit, course / name / unit)
    (course / "course" / ATTENTION / f"{ATTENTION}.ipynb").write_text("{")
    put(f"ana/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS, 1))
    monkeypatch.setattr("nbproctor.intake.fit.unit_names", lambda: [TENSORS, ATTENTION])
    monkeypatch.setattr("nbproctor.intake.fit.load_unit", lambda name: load_unit(name, course))
    (one,) = intake.find(tmp_path, None).submissions
    assert one.fits == TENSORS


def test_a_folder_that_is_called_like_an_archive_is_none(tmp_path: Path) -> None:
    """A folder called like an archive is handed in like any other.

    `collect` makes such folders: it unpacks an archive beside a notebook into a folder with the archive's name.
    """
    home = tmp_path / "submitted" / "bo" / TENSORS
    (home / "data.zip").mkdir(parents=True)
    (home / f"{TENSORS}.ipynb").write_text(notebook(TENSORS, 1))
    (home / "data.zip" / "a.py").write_text("a = 1")
    found = intake.find(tmp_path, None)
    assert not found.remarks
    assert [file.name for file in handed_in(found.submissions[0]).files] == ["data.zip/a.py"]


def test_an_ending_in_capitals_is_a_notebooks_too_and_an_empty_folder_is_named(tmp_path: Path) -> None:
    """A notebook whose name ends in .IPYNB, as some old systems write it, is graded; an empty folder is named."""
    home = tmp_path / "submitted" / "bo" / TENSORS
    home.mkdir(parents=True)
    (home / f"{TENSORS}.IPYNB").write_text(notebook(TENSORS, 1))
    (tmp_path / "submitted" / "cy").mkdir()
    found = intake.find(tmp_path, None)
    assert [one.path.name for one in found.submissions] == [f"{TENSORS}.IPYNB"] and not found.submissions[0].refused
    assert [str(one) for one in found.remarks if one.needs_look] == [
        "cy: this student's folder is empty, so there is nothing to grade"
    ]


@pytest.mark.parametrize(
    ("files", "graded", "refused"),
    [
        ({f"{TENSORS}.ipynb": (TENSORS, 0), f"{TENSORS} (1).ipynb": (TENSORS, 1)}, f"{TENSORS} (1).ipynb", ""),
        ({"zip/my work.ipynb": (TENSORS, 1)}, "my work.ipynb", ""),
        ({"a.ipynb": (TENSORS, 1), "b.ipynb": (TENSORS, 2)}, f"{TENSORS}.ipynb", "there are 2 notebooks, and nothing"),
        ({f"{TENSORS}.ipynb": (ATTENTION, 1)}, f"{TENSORS}.ipynb", f"its cells belong to {ATTENTION}, not to"),
        ({"a.txt": (TENSORS, 0)}, f"{TENSORS}.ipynb", f"{TENSORS}.ipynb is missing; only a.txt lies there"),
        ({}, f"{TENSORS}.ipynb", ""),
    ],
)
def test_one_folder_of_one_student_goes_by_the_same_rules(
    tmp_path: Path, files: dict[str, tuple[str, int]], graded: str, refused: str
) -> None:
    """One student's files in one folder, as Gradescope lays them out, follow the same rules."""
    for name, (unit, answers) in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(notebook(unit, answers))
    one, _ = intake.in_folder(clean("ana"), TENSORS, tmp_path)
    assert (one.path.name, one.refused.startswith(refused), bool(one.refused)) == (graded, True, bool(refused))


def test_a_notebook_elsewhere_counts_where_the_one_in_place_is_another_units(tmp_path: Path) -> None:
    """Where the notebook in the unit's folder is another unit's, the right one in the folder above counts."""
    home = tmp_path / "submitted" / "bo"
    (home / TENSORS).mkdir(parents=True)
    (home / TENSORS / f"{TENSORS}.ipynb").write_text(notebook(ATTENTION, 1))
    (home / "mine.ipynb").write_text(notebook(TENSORS, 2))
    found = intake.find(tmp_path, [TENSORS])
    assert [(one.path.name, one.refused) for one in found.submissions] == [("mine.ipynb", "")]
    assert any(str(one).endswith(f"not graded: its cells belong to {ATTENTION}") for one in found.remarks)


def test_a_notebook_with_answers_counts_wherever_it_lies(tmp_path: Path, put: Put) -> None:
    """A student who left the untouched notebook in the unit's folder, and the answers above it, has their points."""
    put(f"bo/{TENSORS}/{TENSORS}.ipynb", notebook(TENSORS))
    put(f"bo/{TENSORS} (1).ipynb", notebook(TENSORS, 1))
    found = intake.find(tmp_path, None)
    assert graded(found, tmp_path) == {("bo", TENSORS): f"bo/{TENSORS} (1).ipynb"}
    assert told(found) == {f"bo/{TENSORS} (1).ipynb": f"this notebook counts, and not bo/{TENSORS}/{TENSORS}.ipynb"}


def test_a_pipe_in_the_place_of_a_note_is_not_waited_for(tmp_path: Path) -> None:
    """A named pipe in place of a file of the grader's is not read: nobody would ever write to it.

    A student's folder may hold one, out of an archive that somebody has unpacked.
    """
    pipe = tmp_path / intake.RECEIVED
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=('{"late": "LATE"}',), daemon=True)
    writer.start()
    assert intake.received(tmp_path) == intake.Received()
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # lets the writer go
    writer.join(10)
    os.close(end)
