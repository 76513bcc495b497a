"""Downloads from learning systems, as each documents its own, become submissions, and hostile ones do no harm."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import stat
import tarfile
import tomllib
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from test_intake import ATTENTION, TENSORS, notebook

from nbproctor.intake import archive, collect
from nbproctor.intake import find as intake
from nbproctor.intake.archive import Item
from nbproctor.intake.collect import Collected
from nbproctor.intake.roster import Person, Roster, RosterError, columns_of, known_titles, name_key, read_roster
from nbproctor.intake.scores import read_class_list
from nbproctor.intake.systems import all_systems, claims
from nbproctor.paths import PACKAGE, ROOT
from nbproctor.values.grades import Student
from nbproctor.values.submission import handed_in

ONE, TWO = notebook(TENSORS, 1), notebook(TENSORS, 2)
Content = str | bytes


def zipped(path: Path, members: Mapping[str, Content]) -> Path:
    path.write_bytes(packed(members))
    return path


def packed(members: Mapping[str, Content]) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return raw.getvalue()


def brought(folder: Path, source: Path, roster: Roster | None = None, *asked: str) -> tuple[dict[str, str], Collected]:
    """Collect; return the text of each file in `submitted/`, except for our own notes, and what was reported."""
    taken = collect.collect(source, folder, roster, asked)
    root = folder / "submitted"
    paths = [path for path in root.rglob("*") if path.is_file() and path.name != intake.RECEIVED]
    files = {str(path.relative_to(root)): path.read_text() for path in paths}
    assert not list(folder.glob(".collecting-*")), "the scratch folder is gone"
    return files, taken


def told(taken: Collected) -> dict[str, str]:
    """What was reported, by place, without the lines on who handed in nothing, which have a test of their own."""
    found: dict[str, list[str]] = {}
    for one in taken.remarks:
        if not one.text.startswith("no notebook of"):
            found.setdefault(one.where, []).append(f"LOOK {one.text}" if one.needs_look else one.text)
    return {where: " | ".join(texts) for where, texts in found.items()}


def place(student: str, unit: str = TENSORS, name: str = "") -> str:
    return f"{student}/{unit}/{name or f'{unit}.ipynb'}"


def roster(folder: Path, text: str) -> Roster:
    path = folder / "roster.csv"
    path.write_text(text, encoding="utf-8-sig")
    return read_roster(path)


CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Tensors (4711)\n"
    "    Points Possible,,,,,15\n"
    '"Doe, Jane",1234,S1,jdoe,A,\n'
    '"Müller-Lüdenscheidt, Zoë",77,S2,zoe,A,\n'
)


def test_canvas(tmp_path: Path) -> None:
    """Canvas's late, repeated, anonymous and text submissions are collected; the gradebook says whose each is.

    Canvas calls a file NAME_USER_FILE_ORIGINAL, with LATE after a late student's name and -1 behind a resubmission.
    """
    made = zipped(
        tmp_path / "submissions.zip",
        {
            f"doejane_LATE_1234_9001_{TENSORS}-1.ipynb": ONE,
            "doejane_LATE_1234_9002_data.csv": "1,2",
            f"müllerlüdenscheidtzoë_77_9003_{TENSORS}.ipynb": TWO,
            f"anon_x7Qz9_9004_{TENSORS}.ipynb": ONE,
            "roealex_88_text.html": "<p>I did it</p>",
        },
    )
    files, taken = brought(tmp_path, made, roster(tmp_path, CANVAS))
    received = json.loads((tmp_path / "submitted" / place("jdoe", name=intake.RECEIVED)).read_text())
    assert received == {
        "late": "marked late by Canvas", "name": f"doejane_LATE_1234_9001_{TENSORS}-1.ipynb", "system": "canvas",
        "number": "1234", "turn": [9001, 1],
    }  # fmt: skip
    assert files == {
        place("jdoe"): ONE, place("jdoe", TENSORS, "data.csv"): "1,2", place("zoe"): TWO, place("anon_x7Qz9"): ONE,
    }  # fmt: skip
    assert (taken.new, taken.known) == (3, 0)
    assert told(taken) == {
        "roealex_88": "LOOK this person is not in the roster; what they handed in is kept under the name on the file | "
        "LOOK this student handed in no notebook, only text.html; expected a file whose name ends in .ipynb",
        "anon_x7Qz9": "LOOK this person is not in the roster; what they handed in is kept under the name on the file",
    }
    assert told_of_find(tmp_path)[f"jdoe/{TENSORS}"] == "marked late by Canvas"


def told_of_find(folder: Path) -> dict[str, str]:
    return {one.where: one.text for one in intake.find(folder, None).remarks}


def test_canvas_without_a_roster_keeps_name_and_number(tmp_path: Path) -> None:
    """Without a roster, the id holds both the name and Canvas's number, since two students may have one name."""
    made = zipped(tmp_path / "s.zip", {f"doejane_{user}_{user}9_{TENSORS}.ipynb": ONE for user in (1, 2)})
    files, taken = brought(tmp_path, made)
    assert (set(files), told(taken)) == ({place("doejane_1"), place("doejane_2")}, {})


@pytest.mark.parametrize(
    "name",
    ["Zoë Doe_123_assignsubmission_file/{}", "Zoë Doe_123_assignsubmission_file_/sub/{}",
     "Zoë Doe_123_assignsubmission_file_{}"],
    ids=["folders", "older folders", "flat"],
)  # fmt: skip
def test_moodle(tmp_path: Path, name: str) -> None:
    """Each layout of Moodle's "Download all submissions" is read; the worksheet says whose each number is."""
    made = zipped(
        tmp_path / "C-Tensors-42.zip",
        {
            name.format(f"{TENSORS}.ipynb"): ONE,
            "Zoë Doe_124_assignsubmission_file_/hw.ipynb": TWO,
            "Max Roe_125_assignsubmission_onlinetext/onlinetext.html": "<p>",
        },
    )
    worksheet = "Identifier,Full name,ID number,Email address\nParticipant 123,Zoë Doe,,zd@x.edu\n"
    worksheet += "Participant 124,Zoë Doe,777,z2@x.edu\nParticipant 125,Max Roe,,m@x.edu\n"
    files, taken = brought(tmp_path, made, roster(tmp_path, worksheet))
    assert files == {place("zd@x.edu"): ONE, place("777"): TWO}
    assert list(told(taken)) == ["m@x.edu"]
    alone = tmp_path / "alone"
    files, taken = brought(alone, made)
    assert set(files) == {place("Zoë Doe 123"), place("Zoë Doe 124")}
    said = told(taken)["Zoë Doe 124"]
    assert said.startswith(
        "LOOK Zoë Doe would be two people, this one and Zoë Doe 123; this one is kept as Zoë Doe 124,"
    )
    assert said.endswith("Moodle's grading worksheet of this assignment is such a roster")


def test_a_roster_of_another_class_is_refused_before_anything_is_collected(tmp_path: Path) -> None:
    """A roster that has nobody of the download is refused.

    Otherwise all files would be collected under the names that they bear, and again, as those of a second student each,
    once the right list is given.
    """
    people = ["Zoë Doe_123", "Max Roe_124", "Bo Poe_125"]
    members: dict[str, Content] = {f"{one}_assignsubmission_file/{TENSORS}.ipynb": ONE for one in people}
    made, other = zipped(tmp_path / "s.zip", members), roster(tmp_path, "id,first_name,last_name\nx1,Ada,Lovelace\n")
    text = "the roster has none of the 3 people who handed these files in (Zoë Doe, Max Roe, Bo Poe, …), so nothing is"
    with pytest.raises(intake.IntakeError, match=re.escape(text)):
        collect.collect(made, tmp_path / "class", other)
    assert not (tmp_path / "class" / "submitted").exists()
    one_of_them = roster(tmp_path, "id,first_name,last_name\nx1,Max,Roe\n")
    assert set(brought(tmp_path / "class", made, one_of_them)[0]) == {place("Zoë Doe"), place("x1"), place("Bo Poe")}


def test_whom_the_roster_has_and_who_handed_in_nothing_is_told(tmp_path: Path) -> None:
    """For each unit, the students are named who are in the roster and have handed in no notebook.

    A student whose notebook came with an earlier download, of another section, is not missing.
    """
    who = roster(tmp_path, "id,first_name,last_name\nzd,Zoë,Doe\nmr,Max,Roe\nbp,Bo,Poe\n")
    missing = {"Zoë Doe_123": "2 of the 3 in the roster: bp (Poe, Bo), mr (Roe, Max)"}
    missing |= {"Max Roe_124": "1 of the 3 in the roster: bp (Poe, Bo)"}
    for section in ("Zoë Doe_123", "Max Roe_124", "Bo Poe_125"):
        made = zipped(tmp_path / "s.zip", {f"{section}_assignsubmission_file/{TENSORS}.ipynb": ONE})
        _, taken = brought(tmp_path / "class", made, who)
        lines = [(one.where, one.text, one.needs_look) for one in taken.remarks]
        assert lines == ([(TENSORS, f"no notebook of {missing[section]}", False)] if section in missing else [])


def test_a_namesakes_files_go_with_nobody_elses_notebook(tmp_path: Path) -> None:
    """Of two students with one name in Moodle, one may hand in no notebook: their files do not go with the other's."""
    form = "Wei Li_{}_assignsubmission_file/{}"
    members = {form.format(123, f"{TENSORS}.ipynb"): ONE, form.format(123, "own.py"): "1"}
    members |= {form.format(124, "report.pdf"): "%PDF", form.format(124, "own.py"): "2"}
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", members))
    assert files == {place("Wei Li"): ONE, place("Wei Li", name="own.py"): "1"}
    text = "LOOK this student handed in no notebook, only report.pdf, own.py; expected a file whose name ends in .ipynb"
    assert told(taken) == {"Wei Li 124": text}
    two = roster(tmp_path, "id,first_name,last_name\nw1,Wei,Li\nw2,Wei,Li\n")
    _, taken = brought(tmp_path / "two", tmp_path / "s.zip", two)
    unsettled = "the roster does not make clear who this is; what they handed in is kept under the name on the file"
    assert [one.text for one in taken.remarks if one.where == "Wei Li"] == [unsettled], "said once, of both"


def test_in_a_unit_that_nobody_set_nobody_is_missing(tmp_path: Path) -> None:
    """One wrong notebook in a download of another unit makes no line of absentees, unless its unit was asked for."""
    names = [f"s{number}" for number in range(6)]
    members = {f"{name}/{TENSORS}.ipynb": notebook(TENSORS, 1, name) for name in names}
    made = zipped(tmp_path / "s.zip", members | {f"bo/{TENSORS}.ipynb": notebook(ATTENTION, 1)})
    text = "id,first_name,last_name\n" + "".join(f"{name},,\n" for name in (*names, "bo"))
    for asked, units in (((), [TENSORS]), ((ATTENTION,), [ATTENTION, TENSORS])):
        _, taken = brought(tmp_path, made, roster(tmp_path, text), *asked)
        assert sorted({one.where for one in taken.remarks if one.text.startswith("no notebook of")}) == sorted(units)


def test_the_inbound_folder_of_nbgraders_exchange(tmp_path: Path) -> None:
    """A folder of nbgrader's exchange is named by student, unit and time; of a student's several the latest counts."""
    members = {}
    for student, day, text in (("jane", 20, TWO), ("jane", 19, ONE), ("bo", 21, ONE)):
        home = f"inbound/{student}+{TENSORS}+2026-11-{day} 10:00:00 UTC+{day}ab"
        members |= {f"{home}/{TENSORS}.ipynb": text, f"{home}/timestamp.txt": f"2026-11-{day} 10:00:00 UTC"}
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", members))
    older = place("jane", name=f"older/{TENSORS}.1.ipynb")
    notebooks = {name: text for name, text in files.items() if not name.endswith("timestamp.txt")}
    assert notebooks == {place("jane"): TWO, older: ONE, place("bo"): ONE}
    assert files[place("jane", name="timestamp.txt")] == "2026-11-20T10:00:00\n"
    (line,) = told(taken).values()
    assert " counts, since it is the latest; the rest" in line


def test_brightspace(tmp_path: Path) -> None:
    """Of one person's submissions in Brightspace the latest counts; one name with two numbers needs a look."""
    for form in ("12-34 - {} - {}/{}", "12-34 - {}- {} - {}"):
        jane = [
            form.format("Jane Doe", f"Nov {day}, 2026 {time}", "hw.ipynb")
            for day, time in ((9, "905 PM"), (20, "1011 AM"))
        ]
        members = {jane[1]: TWO, jane[0]: ONE, form.format("Bo Roe", "Nov 3, 2026 1201 AM", f"{TENSORS}.ipynb"): ONE}
        made = zipped(tmp_path / "b.zip", {**members, "index.html": "<html>"})
        who = roster(tmp_path, "id,first_name,last_name\njd,Jane,Doe\n12,Bo,Roe\n")
        files, taken = brought(tmp_path / form[10:14].strip(), made, who)
        assert files == {place("jd"): TWO, place("jd", name=f"older/{TENSORS}.1.ipynb"): ONE, place("12"): ONE}
        assert (
            told(taken)[f"jd/{TENSORS}"]
            == f"{jane[1]} counts, since it is the latest; the rest is kept in older/: {jane[0]}"
        )
    _, again = brought(tmp_path / form[10:14].strip(), zipped(tmp_path / "first.zip", {jane[0]: ONE}), who)
    assert f"the notebook there is later; {jane[0]} is kept" in told(again)[f"jd/{TENSORS}"]
    members = {form.format("Jane Doe", "Nov 9, 2026 905 PM", "a.ipynb"): ONE}
    members[form.format("Jane Doe", "Nov 9, 2026 906 PM", "b.ipynb").replace("12-34", "13-35")] = TWO
    _, taken = brought(tmp_path / "namesakes", zipped(tmp_path / "n.zip", members), who)
    text = "LOOK notebooks of several people were taken as this student's: Jane Doe, Jane Doe"
    assert told(taken)[f"jd/{TENSORS}"].startswith(f"{text} | ")


def receipt(user: str, name: str = "Jane Doe") -> str:
    return f"Name: {name} ({user})\nAssignment: Tensors\nComments:\nName: Bo Roe (broe)\n"


def attempt(user: str, file: str, second: int = 0) -> str:
    return f"Week_1 Tensors_{user}_attempt_2026-11-20-10-11-{second:02}{file}"


def test_blackboard(tmp_path: Path) -> None:
    """Of a Blackboard user's attempts the latest counts, and the receipt of each attempt says whose it is.

    A file is called ASSIGNMENT_USERNAME_attempt_TIME_ORIGINAL. A receipt is nobody's work: it is not collected, and is
    mentioned only where somebody has handed in nothing else.
    """
    notebook_, first = f"_{TENSORS}.ipynb", attempt("jdoe", f"_{TENSORS}.ipynb", 1)
    members: dict[str, Content] = {
        first: ONE, attempt("jdoe", notebook_, 2): TWO, attempt("jdoe", "_data.csv", 2): "1,2",
        attempt("jdoe", ".txt", 1): receipt("jdoe"), attempt("jdoe", ".txt", 2): receipt("jdoe"),
        attempt("j_doe", "_hw.zip"): packed({f"hw/{TENSORS}.ipynb": TWO, attempt("jdoe", notebook_, 9): ONE}),
        attempt("j_doe", ".txt"): receipt("j_doe"), attempt("broe", ".txt"): receipt("broe", "Bo Roe"),
    }  # fmt: skip
    made = zipped(tmp_path / "gradebook_2026-ML_Tensors.zip", members)
    files, taken = brought(tmp_path / "zip", made)
    assert files[place("jdoe")] == TWO and files[place("jdoe", name="data.csv")] == "1,2"
    assert {name.partition("/")[0] for name in files} == {"jdoe", "j_doe"}
    assert not any(name.endswith(".txt") for name in files)
    said = told(taken)
    assert said["broe"].startswith("LOOK this student handed in no notebook, only Week_1 Tensors_broe_attempt_")
    latest = attempt("jdoe", notebook_, 2)
    text = f"{latest} counts, since it is the latest; the rest is kept in older/: {first}"
    assert said[f"jdoe/{TENSORS}"] == text
    weeks = tmp_path / "weeks"
    weeks.mkdir()
    for week in ("Tensors", "Tensors again"):
        zipped(weeks / f"gradebook_2026-ML_{week}.zip", members)
    assert set(brought(tmp_path / "folder of zips", weeks)[0]) == set(files)


def test_blackboards_people_stay_apart_and_whom_nothing_tells_is_named(tmp_path: Path) -> None:
    """Blackboard's students stay apart by their user names, even where a roster has one row with the name of both.

    Without a receipt, `j_doe` in a file's name might be the user `doe`: the file is named, and nobody is guessed.
    """
    members = {attempt(user, end): text for user in ("jd1", "jd2") for end, text in
               ((f"_{TENSORS}.ipynb", TWO), (".txt", receipt(user)))}  # fmt: skip
    made = zipped(tmp_path / "b.zip", members)
    assert set(brought(tmp_path / "alone", made)[0]) == {place("jd1"), place("jd2")}
    one_row = roster(tmp_path, "id,first_name,last_name\n7,Jane,Doe\n")
    assert set(brought(tmp_path / "one", made, one_row)[0]) == {place("jd1"), place("jd2")}
    rows = roster(tmp_path, '"Last Name","First Name","Username","Student ID"\nDoe,Jane,JD1,71\nDoe,Jane,jd2,72\n')
    assert set(brought(tmp_path / "rows", made, rows)[0]) == {place("JD1"), place("jd2")}
    unclear: dict[str, Content] = {attempt(user, f"_{TENSORS}.ipynb"): ONE for user in ("x_doe", "y_doe", "z_jd1")}
    bare = {attempt("roe", f"_{TENSORS}.ipynb"): ONE}
    files, taken = brought(tmp_path / "bare", zipped(tmp_path / "n.zip", unclear | bare | members))
    assert set(files) == {place("jd1"), place("jd2"), place("roe")}
    assert set(told(taken)) == set(unclear)
    assert all(text.startswith("LOOK not collected: neither its name") for text in told(taken).values())


def test_a_file_that_a_student_called_as_blackboard_does_is_theirs(tmp_path: Path) -> None:
    """A file that a student names as Blackboard would is the student's own.

    In a folder or an archive of theirs it names nobody else, and the later time in its name does not count.
    """
    forged = attempt("ada", f"_{TENSORS}.ipynb")
    for home in (f"bo/{TENSORS}/{forged}", f"Bo Roe_12_assignsubmission_file/{forged}"):
        other = home.replace("Bo Roe", "Ada").replace("bo", "ada").replace(forged, f"{TENSORS}.ipynb")
        folder = tmp_path / home[:2]
        files, _ = brought(folder, zipped(tmp_path / f"{home[:2]}.zip", {other: TWO, home: ONE}))
        assert {path.partition("/")[0]: text for path, text in files.items()} in (
            {"ada": TWO, "bo": ONE}, {"Ada": TWO, "Bo Roe": ONE}
        )  # fmt: skip


def test_an_older_download_of_blackboard_does_not_replace_a_later_notebook(tmp_path: Path) -> None:
    """Blackboard's names hold the time, so that an older attempt is recognised in the download of another day, too."""
    names = [attempt("jdoe", f"_{TENSORS}.ipynb", second) for second in (1, 2)]
    first, last = (zipped(tmp_path / f"{one[-2]}{n}.zip", {one: (ONE, TWO)[n]}) for n, one in enumerate(names))
    for made in (first, last, first):
        files, taken = brought(tmp_path, made)
    assert files[place("jdoe")] == TWO and taken.new == 0
    assert f"is later; {names[0]} is kept" in told(taken)[f"jdoe/{TENSORS}"]


GRADESCOPE = """---
submission_1:
  :submitters:
  - :name: Jane Doe
    :sid: 'S1'
    :email: jd@x.edu
  :created_at: 2026-03-02 10:11:12.345678000 Z
  :score: 3.0
submission_2:
  :submitters:
  - :name: Pair One
    :sid:
    :email: one@x.edu
  - :name: Pair Two
    :sid: 22
    :email: two@x.edu
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: &1 2026-03-03 22:00:00.000000000 Z
    zone: &2 !ruby/object:ActiveSupport::TimeZone
      name: Etc/UTC
    time: *1
submission_3:
  :submitters: []
submission_4:
  :submitters:
  - :name:
    :sid:
"""


def test_gradescope(tmp_path: Path) -> None:
    """Gradescope's metadata file says whose a submission is, and when it came; a group's file is each member's.

    The kinds of value that Ruby writes into this file are read as plain values, and make no objects.
    """
    root = "assignment_8_export"
    made = zipped(
        tmp_path / "submissions.zip",
        {
            f"{root}/submission_metadata.yml": GRADESCOPE,
            f"{root}/submission_1/{TENSORS}.ipynb": ONE,
            f"{root}/submission_1/lib/helper.py": "x = 1",
            f"{root}/submission_2/{TENSORS}.ipynb": TWO,
            f"{root}/submission_3/{TENSORS}.ipynb": ONE,
            f"{root}/submission_4/{TENSORS}.ipynb": ONE,
            f"__MACOSX/{root}/._submission_metadata.yml": b"\0",
        },
    )
    files, taken = brought(tmp_path, made, roster(tmp_path, "First Name,Last Name,SID,Email\nA,B,one,one@x.edu\n"))
    when = "2026-03-02T10:11:12.345678+00:00\n"
    assert files == {
        place("S1"): ONE, place("S1", TENSORS, "lib/helper.py"): "x = 1", place("S1", TENSORS, "timestamp.txt"): when,
        place("one"): TWO, place("one", TENSORS, "timestamp.txt"): "2026-03-03T22:00:00+00:00\n",
        place("22"): TWO, place("22", TENSORS, "timestamp.txt"): "2026-03-03T22:00:00+00:00\n",
    }  # fmt: skip
    said = told(taken)
    for number in (3, 4):
        assert said.pop(f"{root}/submission_{number}/{TENSORS}.ipynb").startswith(
            "LOOK not collected: neither its name nor its folder tells whose it is"
        )
    assert set(said) == {"S1", "22"}  # not in the roster
    (found,) = (one for one in intake.find(tmp_path, None).submissions if one.student == "S1")
    assert found.submitted == when.strip().replace("+00:00", "")


@pytest.mark.parametrize("text", ["- a list", "{", "a: *nowhere"])
def test_a_metadata_file_that_is_none_is_one_line(tmp_path: Path, text: str) -> None:
    """A metadata file that cannot be read ends the collection in one line: without it nobody knows whose a file is."""
    made = zipped(tmp_path / "s.zip", {"e/submission_metadata.yml": text, f"e/submission_1/{TENSORS}.ipynb": ONE})
    with pytest.raises(archive.Unreadable, match="submission_metadata.yml cannot be read"):
        brought(tmp_path, made)


@pytest.mark.parametrize("text", ["s:\n  :submitters:\n  - :sid: jdoe\n  :created_at: 2099-01-01 10:00:00 Z\n", "["])
@pytest.mark.parametrize("theirs", ["mal_66_2_work.zip", "Mal_2_assignsubmission_file", f"mal/{TENSORS}"])
def test_a_metadata_file_that_a_student_hands_in_is_not_believed(tmp_path: Path, text: str, theirs: str) -> None:
    """A student's metadata file neither puts their notebook in another's place nor, if broken, stops the class."""
    inner: dict[str, Content] = {"submission_metadata.yml": text, f"s/{TENSORS}.ipynb": TWO}
    if theirs.endswith(".zip"):
        jane, members = f"doejane_1234_1_{TENSORS}.ipynb", {theirs: packed(inner)}
    else:
        home = f"jdoe/{TENSORS}" if "/" in theirs else "Jane Doe_1_assignsubmission_file"
        jane = f"{home}/{TENSORS}.ipynb"
        members = {f"{theirs}/{name}": content for name, content in inner.items()}
    files, _ = brought(tmp_path, zipped(tmp_path / "s.zip", {jane: ONE, **members}), roster(tmp_path, CANVAS))
    assert files.pop(place("jdoe")) == ONE
    assert not any(name.startswith("jdoe") for name in files) and TWO in files.values()


def test_a_metadata_file_within_an_export_is_a_students(tmp_path: Path) -> None:
    """Within Gradescope's own export, too, a metadata file that a student handed in says nothing of whose a file is."""
    evil = GRADESCOPE.replace("submission_1", "s").replace("S1", "victim")
    made = zipped(
        tmp_path / "s.zip",
        {
            f"e/submission_1/s/{TENSORS}.ipynb": ONE,
            "e/submission_1/submission_metadata.yml": evil,
            "e/submission_metadata.yml": GRADESCOPE,
        },
    )
    files, _ = brought(tmp_path, made)
    assert files[place("S1")] == ONE and not any(name.startswith("victim") for name in files)


def test_a_metadata_file_makes_no_object(tmp_path: Path) -> None:
    """A tag by which other readers of YAML would call a function is read as text: collecting runs nothing."""
    text = f"submission_1:\n  :submitters: !!python/object/apply:os.system ['touch {tmp_path}/made']\n"
    made = zipped(tmp_path / "s.zip", {"submission_metadata.yml": text, f"submission_1/{TENSORS}.ipynb": ONE})
    with suppress(archive.Unreadable):
        brought(tmp_path, made)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("top", ["", "class/", "class/submitted/"])
def test_folders_of_students_however_they_are_wrapped(tmp_path: Path, top: str) -> None:
    """STUDENT/UNIT/, STUDENT/ and a student's own zip give the same submissions from a zip, a tar and a folder."""
    members = {
        f"{top}ana/{TENSORS}/{TENSORS}.ipynb": ONE,
        f"{top}bo/{TENSORS}.ipynb": TWO,
        f"{top}cy/hw.zip": packed({f"hw/{TENSORS}.ipynb": ONE, "hw/data/x.csv": "1"}),
    }
    expected = {place("ana"): ONE, place("bo"): TWO, place("cy"): ONE, place("cy", TENSORS, "data/x.csv"): "1"}
    assert brought(tmp_path / "a", zipped(tmp_path / "class.zip", members))[0] == expected
    with tarfile.open(tmp_path / "class.tar.gz", "w:gz") as made:
        for name, content in members.items():
            raw = content if isinstance(content, bytes) else content.encode()
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            made.addfile(info, io.BytesIO(raw))
    assert brought(tmp_path / "b", tmp_path / "class.tar.gz")[0] == expected
    for name, content in members.items():
        path = tmp_path / "given" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert brought(tmp_path / "c", tmp_path / "given")[0] == expected


@pytest.mark.parametrize("top", ["", "week3/", "class/week3/"])
def test_folders_of_units_however_they_are_wrapped(tmp_path: Path, top: str) -> None:
    """In UNIT/STUDENT/ the folder around the units is no student, and what lies beside the students' is nobody's."""
    members = {f"{top}{TENSORS}/ana/{TENSORS}.ipynb": ONE, f"{top}{TENSORS}/bo/hw/x.ipynb": TWO}
    made = zipped(tmp_path / "class.zip", {**members, f"{top}{TENSORS}/{TENSORS}.ipynb": notebook(TENSORS)})
    files, taken = brought(tmp_path, made)
    assert files == {place("ana"): ONE, place("bo"): TWO}
    (line,) = told(taken).items()
    assert line[0] == f"{top}{TENSORS}/{TENSORS}.ipynb" and line[1].startswith(
        "LOOK not collected: neither its name nor its folder tells whose it is"
    )


def test_of_several_the_latest_with_answers_counts_and_the_others_are_kept(tmp_path: Path) -> None:
    """Canvas's number of a file says which is the latest, whatever a browser has added to the name.

    An untouched notebook never counts before one with answers.
    """
    made = zipped(
        tmp_path / "s.zip",
        {
            f"a_1_10_{TENSORS}.ipynb": ONE,
            f"a_1_11_{TENSORS}-1.ipynb": TWO,
            f"a_1_12_{TENSORS}-2.ipynb": notebook(TENSORS),
            f"a_1_9_{TENSORS} (3).ipynb": ONE,
        },
    )
    files, taken = brought(tmp_path, made)
    assert files == {
        place("a_1"): TWO,
        place("a_1", TENSORS, f"older/{TENSORS}.1.ipynb"): ONE,
        place("a_1", TENSORS, f"older/{TENSORS}.2.ipynb"): notebook(TENSORS),
    }
    ((where, text),) = told(taken).items()
    assert where == f"a_1/{TENSORS}"
    assert text.startswith(f"a_1_11_{TENSORS}-1.ipynb counts, since it is the latest")
    (one,) = intake.find(tmp_path, None).submissions
    assert one.path.read_text() == TWO


def test_collecting_again_overwrites_nothing_without_saying_so(tmp_path: Path) -> None:
    """Collecting an archive again changes nothing; a new notebook takes the place, and the old one is kept beside."""
    first = zipped(tmp_path / "1.zip", {f"ana/{TENSORS}/{TENSORS}.ipynb": ONE})
    brought(tmp_path, first)
    _, again = brought(tmp_path, first)
    assert (again.new, again.known, again.remarks) == (0, 1, [])
    files, taken = brought(tmp_path, zipped(tmp_path / "2.zip", {f"ana/{TENSORS}/{TENSORS}.ipynb": TWO}))
    assert files == {place("ana"): TWO, place("ana", TENSORS, f"older/{TENSORS}.1.ipynb"): ONE}
    assert told(taken) == {
        f"ana/{TENSORS}": f"it was replaced by ana/{TENSORS}/{TENSORS}.ipynb; the notebook that lay there is kept as "
        f"older/{TENSORS}.1.ipynb"
    }


def test_an_older_download_does_not_replace_a_later_notebook(tmp_path: Path) -> None:
    """Where the times of both notebooks are known, the later one counts, in whatever order they are collected."""
    for number, day, text in ((1, 3, TWO), (2, 2, ONE)):
        meta = f"s:\n  :submitters:\n  - ':sid': ana\n  :created_at: 2026-03-0{day} 10:00:00 Z\n"
        made = zipped(tmp_path / f"{number}.zip", {"submission_metadata.yml": meta, f"s/{TENSORS}.ipynb": text})
        files, taken = brought(tmp_path, made)
    assert files[place("ana")] == TWO and files[place("ana", TENSORS, f"older/{TENSORS}.1.ipynb")] == ONE
    assert told(taken)[f"ana/{TENSORS}"].startswith(f"the notebook there is later; s/{TENSORS}.ipynb is kept as")


def test_the_unit_is_what_the_cells_say_then_the_name_then_what_was_asked_for(tmp_path: Path) -> None:
    """The cells of a notebook say which unit it is of, and only where they do not, its name.

    A name that contradicts the cells is reported. A notebook where neither says a unit is named, or taken as the one
    unit that was asked for.
    """
    made = zipped(
        tmp_path / "s.zip",
        {f"ana/{TENSORS}.ipynb": notebook(ATTENTION, 1), f"bo/final {TENSORS} (3).ipynb": "{}", "cy/hw.ipynb": "{}"},
    )
    files, taken = brought(tmp_path / "a", made)
    assert set(files) == {place("ana", ATTENTION), place("bo")}
    said = told(taken)
    assert said[f"ana/{TENSORS}.ipynb"].endswith(f"its cells belong to {ATTENTION}; it is taken as {ATTENTION}")
    assert said["cy/hw.ipynb"].startswith(
        "LOOK not collected: its name does not contain a unit, and the file is JSON but not"
    )
    files, _ = brought(tmp_path / "b", made, None, TENSORS)
    assert set(files) == {place("ana", ATTENTION), place("bo"), place("cy")}


def test_names_that_are_no_utf8_are_read_as_an_older_system_wrote_them(tmp_path: Path) -> None:
    """Two people stay two whose names differ in an umlaut that an older system wrote as one byte."""
    for name, text in ((b"M\xfcller", ONE), (b"M\xf6ller", TWO)):
        home = Path(os.fsdecode(os.fsencode(tmp_path / "from") + b"/" + name))
        home.mkdir(parents=True)
        (home / f"{TENSORS}.ipynb").write_text(text)
    files, _ = brought(tmp_path, tmp_path / "from")
    assert files == {place("Müller"): ONE, place("Möller"): TWO}


def test_folders_that_are_too_deep_cost_their_file_alone(tmp_path: Path) -> None:
    """A file too deep in an archive is left out and reported, as it would be in a folder.

    Making all the folders around it would end the run, or take minutes.
    """
    inner: dict[str, Content] = {f"{TENSORS}.ipynb": ONE, "a/" * 32 + "x.py": "1"}
    inner |= {"a/" * depth + "x.py": "1" for depth in (33, 1700, 20_000)}
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", {"ana.zip": packed(inner), f"bo/{TENSORS}.ipynb": TWO}))
    assert set(files) == {place("ana"), place("ana", TENSORS, "a/" * 32 + "x.py"), place("bo")}
    assert [one.text for one in taken.remarks] == [f"not collected: {archive.TOO_DEEP}"] * 3


def test_a_folder_in_a_notebooks_place_is_told(tmp_path: Path) -> None:
    """A folder in a notebook's place is reported, since nobody would look into it; the other students are collected."""
    (tmp_path / "submitted" / "ana" / TENSORS / f"{TENSORS}.ipynb").mkdir(parents=True)
    made = zipped(tmp_path / "s.zip", {f"{who}/{TENSORS}/{TENSORS}.ipynb": ONE for who in ("ana", "bo")})
    files, taken = brought(tmp_path, made)
    why = "LOOK not collected: its place in submitted/ cannot be used (Is a directory)"
    assert (files, told(taken)) == ({place("bo"): ONE}, {f"ana/{TENSORS}": why})
    assert taken.new == 1


def test_a_name_as_long_as_the_disk_takes_is_collected(tmp_path: Path) -> None:
    """The disk takes names of 255 bytes; each letter of this one is two of them."""
    name = "д" * 126 + ".py"
    made = packed({f"{TENSORS}.ipynb": ONE, name: "x = 1"})
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", {"ana_1_2_w.zip": made}))
    assert (set(files), told(taken)) == ({place("ana_1"), place("ana_1", TENSORS, name)}, {})


def test_a_folder_that_windows_wrote_is_no_file(tmp_path: Path) -> None:
    """A name that ends in a backslash is a folder from Windows; as a file it would leave no place for those in it."""
    made = packed({f"{TENSORS}.ipynb": ONE, "lib\\": "", "lib\\helper.py": "x = 1"})
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", {"ana_1_2_w.zip": made}))
    assert (set(files), told(taken)) == ({place("ana_1"), place("ana_1", TENSORS, "lib/helper.py")}, {})


def test_a_damaged_member_costs_itself_alone(tmp_path: Path) -> None:
    """A damaged member is reported and the others are collected, in each compression: each has errors of its own."""
    for number, method in enumerate((zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)):
        raw = io.BytesIO()
        with zipfile.ZipFile(raw, "w", method) as opened:
            opened.writestr(f"ana/{TENSORS}.ipynb", ONE)
            opened.writestr(f"bo/{TENSORS}.ipynb", TWO)
        broken = bytearray(raw.getvalue())
        at = broken.index(f"bo/{TENSORS}.ipynb".encode()) + len(f"bo/{TENSORS}.ipynb")
        broken[at + 12 : at + 60] = b"\xff" * 48
        made = tmp_path / f"{number}.zip"
        made.write_bytes(broken)
        files, taken = brought(tmp_path / str(number), made)
        assert set(files) == {place("ana")}
        assert told(taken)[f"bo/{TENSORS}.ipynb"].startswith("LOOK not collected: it cannot be read (")


def linked(path: str, kind: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path)
    info.external_attr = (kind | 0o777) << 16
    return info


def test_hostile_members_are_named_and_the_others_collected(tmp_path: Path) -> None:
    """Each hostile member of an archive gets one line, and the others are collected.

    Hostile are `..`, absolute names, links, devices, encrypted members, and two that claim one place.
    """
    made = tmp_path / "s.zip"
    with zipfile.ZipFile(made, "w") as opened, pytest.warns(UserWarning, match="Duplicate name"):
        opened.writestr(f"ana/{TENSORS}/{TENSORS}.ipynb", ONE)
        opened.writestr(f"ana/{TENSORS}/{TENSORS}.ipynb", TWO)
        opened.writestr("../../escaped.ipynb", ONE)
        opened.writestr("/etc/escaped.ipynb", ONE)
        opened.writestr("C:\\escaped.ipynb", ONE)
        opened.writestr(linked(f"bo/{TENSORS}/{TENSORS}.ipynb", stat.S_IFLNK), "/etc/passwd")
        opened.writestr(linked(f"cy/{TENSORS}/{TENSORS}.ipynb", stat.S_IFCHR), "")
        opened.writestr("di/secret.ipynb", ONE)
        opened.writestr("\x1b[31mflo\n/hw.docx", "")
    raw = made.read_bytes()
    at = raw.rindex(b"di/secret.ipynb") - 46  # the central directory's entry: its flags stand at 8
    made.write_bytes(raw[: at + 8] + bytes([raw[at + 8] | 1]) + raw[at + 9 :])
    files, taken = brought(tmp_path, made)
    assert files == {place("ana"): ONE}
    said = told(taken)
    outside, link, odd = "its name leads outside the archive", archive_link(), "not an ordinary file"
    twice = "LOOK not collected: this is a second file of the same name; the first one counts"
    assert said[f"ana/{TENSORS}/{TENSORS}.ipynb"] == twice
    for name in ("../../escaped.ipynb", "/etc/escaped.ipynb", "C:\\escaped.ipynb"):
        assert said[name] == f"LOOK not collected: {outside}", name
    assert said[f"bo/{TENSORS}/{TENSORS}.ipynb"] == f"LOOK not collected: {link}"
    assert odd in said[f"cy/{TENSORS}/{TENSORS}.ipynb"]
    assert "encrypted" in said["di/secret.ipynb"]
    assert all("\x1b" not in where and "\n" not in where for where in said)
    assert not list(tmp_path.rglob("escaped*"))


def archive_link() -> str:
    return "it is a link; links are not followed"


def test_a_bomb_costs_itself_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive that holds too many bytes or files, or lies in too many others, costs its own student alone.

    What its headers claim does not matter.
    """
    monkeypatch.setattr(archive, "STUDENTS", archive.ArchiveLimits(files=20, bytes=1 << 20, seconds=30.0))
    bomb = packed({"x.bin": b"\0" * (2 << 20), f"{TENSORS}.ipynb": TWO})
    lying = bomb.replace((2 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    deep = packed({f"{TENSORS}.ipynb": TWO})
    for _ in range(3):
        deep = packed({"inner.zip": deep})
    made = zipped(
        tmp_path / "s.zip",
        {
            f"ana/{TENSORS}.ipynb": ONE,
            "bo/hw.zip": bomb,
            "cy/hw.zip": packed({f"{n}.txt": "" for n in range(21)}),
            "di/hw.zip": b"PK\x03\x04 cut off",
            "eva/hw.zip": deep,
            "flo/hw.zip": lying,
        },
    )
    files, taken = brought(tmp_path, made)
    assert files == {place("ana"): ONE, place("flo"): TWO}
    said = told(taken)
    assert said["bo/hw.zip"] == "LOOK not collected: this archive has more than 1 MB unpacked, so it was not read"
    assert said["cy/hw.zip"] == "LOOK not collected: this archive has more than 20 files, so it was not read"
    assert said["di/hw.zip"].startswith("LOOK not collected: this archive cannot be read")
    assert said["eva/hw.zip/inner.zip/inner.zip"].endswith("archives are opened 2 deep, and this one lies deeper")
    assert said["flo/hw.zip/x.bin"].startswith("LOOK not collected: it cannot be read (Bad CRC-32")


def test_links_in_a_given_folder_and_in_the_place_are_not_followed(tmp_path: Path) -> None:
    """Nothing is read through a link in the given folder, and nothing is written through one in `submitted/`."""
    given, secret = tmp_path / "given", tmp_path / "secret"
    (given / "ana").mkdir(parents=True)
    secret.mkdir()
    (secret / f"{TENSORS}.ipynb").write_text(TWO)
    (given / "ana" / f"{TENSORS}.ipynb").write_text(ONE)
    (given / "bo").symlink_to(secret)
    (given / "ana" / "more.ipynb").symlink_to(secret / f"{TENSORS}.ipynb")
    os.mkfifo(given / "ana" / "pipe.ipynb")
    files, taken = brought(tmp_path, given)
    assert files == {place("ana"): ONE}
    assert set(told(taken)) == {"bo", "ana/more.ipynb", "ana/pipe.ipynb"}
    (tmp_path / "b" / "submitted").mkdir(parents=True)
    (tmp_path / "b" / "submitted" / "ana").symlink_to(secret)
    taken = collect.collect(given, tmp_path / "b", None)
    assert "its place in submitted/ is a link" in told(taken)[f"ana/{TENSORS}"]
    assert [path.name for path in secret.iterdir()] == [f"{TENSORS}.ipynb"]


def test_what_is_no_archive_is_one_line(tmp_path: Path) -> None:
    """A path where nothing is, a file of another kind and a broken archive are each refused in one line."""
    (tmp_path / "x.pdf").write_text("%PDF")
    (tmp_path / "x.zip").write_text("no zip")
    for name, words in (
        ("nothing", "cannot be read .No such file"),
        ("x.pdf", "expected a folder, or a file"),
        ("x.zip", "x.zip: this archive cannot be read .*; download it again, or unpack it and give the folder"),
    ):
        with pytest.raises(archive.Unreadable, match=words):
            collect.collect(tmp_path / name, tmp_path / "class", None)


def test_a_roster_that_is_none_says_what_was_expected(tmp_path: Path) -> None:
    """A roster without a column of ids is refused in a line that says which columns were found, and which expected."""
    with pytest.raises(RosterError, match="no column holds a student's id. Found: Colour, Size. Expected the gradeb"):
        roster(tmp_path, "Colour,Size\nred,4\n")
    with pytest.raises(RosterError, match="cannot be read"):
        read_roster(tmp_path / "nowhere.csv")


@pytest.mark.parametrize(
    ("titles", "row", "student"),
    [
        ("Matrikelnr.;Nachname;Vorname;E-Mail", "4711;{last};{first};{mail}", "4711"),
        ("Name;Vorname;Matrikelnummer;Mail", "{last};{first};4711;{mail}", "4711"),
        ("Vorname;Name;Matr.-Nr.;E-Mail", "{first};{last};4711;{mail}", "4711"),
        ("Anmeldename;Vorname;Nachname;E-Mail-Adresse;Gruppen", "jmu;{first};{last};{mail};A", "jmu"),
        ("Name,Matrikelnummer,Mail", '"{last}, {first}",4711,{mail}', "4711"),
        ("Nom,Prénom,Adresse de courriel", "{last},{first},{mail}", "{mail}"),
        ("NOM,PRENOM,numéro étudiant,courriel", "{last},{first},4711,{mail}", "4711"),
        ("N° étudiant,Prénom,Nom de famille,Mail", "4711,{first},{last},{mail}", "4711"),
        ("Nombre,Apellido(s),Número de ID,Dirección de correo", "{first},{last},A-1,{mail}", "A-1"),
        ("Apellidos,Nombre,Matrícula,Correo electrónico", "{last},{first},4711,{mail}", "4711"),
        ("Họ,Tên,Mã số sinh viên,Email", "{last},{first},4711,{mail}", "4711"),
        ("MSSV,Họ và tên đệm,Tên,Thư điện tử", "4711,{last},{first},{mail}", "4711"),
        ("Matricola,Cognome,Nome,Indirizzo email", "4711,{last},{first},{mail}", "4711"),
        ("Nr albumu;Nazwisko;Imię;Adres e-mail", "4711;{last};{first};{mail}", "4711"),
        ("Studentnummer,Achternaam,Voornaam,E-mailadres", "4711,{last},{first},{mail}", "4711"),
        ("Neptun kód;Vezetéknév;Keresztnév;E-mail", "4711;{last};{first};{mail}", "4711"),
        ("student_id,surname,given name,mail", "4711,{last},{first},{mail}", "4711"),
        ("Фамилия,Имя,Логин,Почта", "{last},{first},jmu,{mail}", "jmu"),
    ],
)
def test_a_list_is_read_by_its_titles_in_many_languages(tmp_path: Path, titles: str, row: str, student: str) -> None:
    """Which column holds the first name is what its title says, in whatever order the columns stand."""
    jo = {"first": "Jörg", "last": "Müller", "mail": "j@x"}
    who = roster(tmp_path, f"{titles}\n{row.format(**jo)}\n")
    assert [*who.people.values()] == [Student(student.format(**jo), "Jörg", "Müller", "j@x")]


def test_a_name_of_two_columns_is_one_name(tmp_path: Path) -> None:
    who = roster(tmp_path, "Nombre,Primer apellido,Segundo apellido,Matrícula\nAna,García,Ruiz,7\n")
    assert [*who.people.values()] == [Student("7", "Ana", "García Ruiz")]


def test_names_under_unknown_titles_are_refused_with_the_titles(tmp_path: Path) -> None:
    """Which of two unknown columns holds the first name is not guessed; columns that hold no names do no harm."""
    for known in ("E-Mail", "Elupaik"):  # an address is known by its "@", too
        with pytest.raises(RosterError, match="stand under titles that are not known: Perenimi, Eesnimi. Expected"):
            roster(tmp_path, f"Perenimi;Eesnimi;{known};Id\nMüller;Jörg;j@x;7\nRoe;Bo;b@x;8\n")
    assert set(roster(tmp_path, "id,group\n7,A\n8,A\n9,B\n10,B\n").words) == {"7", "8", "9", "10"}


def test_each_title_is_known_once_and_those_that_the_docs_name_are_known() -> None:
    table = tomllib.loads((PACKAGE / "intake" / "titles.toml").read_text(encoding="utf-8"))
    assert len(known_titles()) == sum(1 + len(others) for others in table.values())
    docs = (ROOT / "grader" / "docs" / "class.md").read_text(encoding="utf-8")
    rows = docs.partition("| column | English")[2].partition("\n\n")[0].splitlines()[2:]
    told = [title.strip() for row in rows for cell in row.split("|")[2:-1] for title in cell.split(",")]
    assert len(told) > 40
    for title in told:
        assert columns_of([title], []) != [""], title


def test_a_roster_of_any_length_is_read_whole(tmp_path: Path) -> None:
    """A gradebook of 700 students and 260 assignments has more than a million characters."""
    rows = [f"s{number:03},First,Last{number}," + "x," * 900 for number in range(700)]
    text = "id,first_name,last_name," + "a," * 900 + "\n" + "\n".join(rows)
    assert len(text) > 1_000_000 and len(roster(tmp_path, text).people) == 700


def test_a_login_of_letters_and_digits_is_no_number_of_moodles(tmp_path: Path) -> None:
    """`user0001` in a column `id` is the student's id, although `Participant 1` in such a column is none."""
    who = roster(tmp_path, "id,first_name,last_name,email\nuser0001,Jane,Doe,j@x\nuser0002,Bo,Roe,b@x\n")
    assert set(who.words) == {"user0001", "user0002"}
    assert who.named_in_path(("homework", "user0001.ipynb")) == "user0001"


@pytest.mark.parametrize("read", [read_roster, read_class_list])
def test_a_list_whose_columns_say_nothing_says_what_to_do(tmp_path: Path, read: Callable[[Path], object]) -> None:
    (tmp_path / "list.csv").write_text("Vorname,Nachname\nJane,Doe\n")
    with pytest.raises(RosterError, match="lists the titles that are understood"):
        read(tmp_path / "list.csv")


def test_a_name_that_two_students_share_identifies_nobody(tmp_path: Path) -> None:
    """Namesakes are told apart by number or address; the order, case and accents of a name do not matter."""
    who = roster(tmp_path, "id,first_name,last_name,email\na,Jane,Doe,x@y\nb,JANE,Doe,z@y\nc,Zoë,Roe,\n")
    assert name_key("Doe, Jane") == name_key("jane  doe")
    assert (student(who, "Jane Doe"), student(who, "Roe, Zoe"), student(who, "z@y")) == (None, "c", "b")
    assert student(who, "Jane Doe", "z@y") == "b"


def student(who: Roster, name: str, *ids: str, system: str = "") -> str | None:
    """The id of the student with this name; where no id is given the name counts as one, too, as a folder's does."""
    return who.student(Person(name, ids or (name,), name, all_systems().get(system)))


def test_a_number_counts_only_in_the_column_of_its_system(tmp_path: Path) -> None:
    """A participant's number in Moodle or a user's in Canvas may be another student's number in another column."""
    worksheet = "Identifier,Full name,ID number,Email address\nParticipant 1043,Bob Roe,1042,br@x.edu\n"
    worksheet += "Participant 1042,Jane Doe,1001,jd@x.edu\n"
    name = "Jane Doe_1042_assignsubmission_file/" + f"{TENSORS}.ipynb"
    files, taken = brought(tmp_path, zipped(tmp_path / "m.zip", {name: ONE}), roster(tmp_path, worksheet))
    assert (set(files), told(taken)) == ({place("1001")}, {})
    participants = roster(tmp_path, "First name,Last name,ID number\nJane,Doe,1001\nBob,Roe,1042\n")
    assert student(participants, "Jane Doe", "1042", system="moodle") == "1001"
    assert student(participants, "Bob Roe", "1043", system="moodle") == "1042"
    gradebook = 'Student,ID,SIS User ID,SIS Login ID\n"Roe, Bob",501,502,broe\n"Doe, Jane",502,777,jdoe\n'
    name = f"doejane_502_9001_{TENSORS}.ipynb"
    files, _ = brought(tmp_path / "c", zipped(tmp_path / "c.zip", {name: ONE}), roster(tmp_path, gradebook))
    assert set(files) == {place("jdoe")}


def test_where_number_and_name_say_different_things_the_name_is_believed_or_nobody_is(tmp_path: Path) -> None:
    """A contradiction between number and name is reported, and where the name settles nothing, nobody is guessed.

    An id or address that stands in two rows identifies nobody; an address of one row alone needs no name.
    """
    text = "id,first_name,last_name,email,lms_user_id\nbr,Bob,Roe,b@x,501\njd,Jane,Doe,j@x,502\n"
    text += "a1,Ada,L,ada@x,7\na2,Ada,M,ada@x,8\n"
    who = roster(tmp_path, text)
    assert student(who, "doejane", "501", system="canvas") == "jd"
    assert student(who, "xuli", "501", system="canvas") is None
    assert student(who, "roerobertbob", "501", system="canvas") == "br"
    assert student(who, "ada@x") is None
    assert student(who, "Ada M", "ada@x") == "a2"
    assert student(who, "J. Smith", "j@x") == "jd"
    assert student(who, "501") == "br"
    kept = "; what they handed in is kept under the name on the file"
    for name, own in (("ada@x/{}.ipynb", "ada@x"), ("xuli_501_9_{}.ipynb", "xuli_501")):
        made = zipped(tmp_path / "s.zip", {name.format(TENSORS): ONE})
        files, taken = brought(tmp_path / own, made, who)
        assert set(files) == {place(own)}
        assert told(taken) == {own: f"LOOK the roster does not make clear who this is{kept}"}


def test_a_folder_that_is_called_what_a_student_is_called_is_theirs(tmp_path: Path) -> None:
    """A folder with a student's id as its name is this student's, even if it is somebody else's number, too."""
    who = roster(tmp_path, "id,first_name,last_name,lms_user_id\n7,Bob,Roe,8\n8,Jane,Doe,9\n")
    assert (student(who, "7"), student(who, "8"), student(who, "9")) == ("7", "8", "8")
    who = roster(tmp_path, "id,first_name,last_name\nroe,Bob,Roe\nRoe,Rob,Roe\n")
    assert (student(who, "roe"), student(who, "Rob Roe", "roe")) == (None, "Roe"), "two that differ only by case"


@pytest.mark.parametrize(
    ("row", "bears"),
    [
        ("x,Sean,O'Neil", "Sean ONeil"),
        ("x,Ann & Bo,Roe", "Ann  Bo Roe"),
        ("x,Jörg,Müller", "müllerjörg"),
        ("x,Jörg,Müller", unicodedata.normalize("NFD", "Jörg Müller")),
        ("x,Zoë,Müller-Lüdenscheidt", "müllerlüdenscheidtzoë"),
        ("x,Wei,Zhang", "Zhang Wei"),
        ("x,Işıl,IŞIK", "Işıl Işık"),
        ("x,İlkay,GÜNDOĞAN", "ilkay gündoğan"),
        ("x,प्रिया,शर्मा", "प्रिया शर्मा"),
        ("x,مُحَمَّد,علي", "محمد علي"),
    ],
)
def test_a_name_is_found_however_a_system_writes_it(tmp_path: Path, row: str, bears: str) -> None:
    """A student is found in the roster although Moodle leaves out ' and &, and Canvas the blanks.

    Neither need write an umlaut as the roster does.
    """
    assert student(roster(tmp_path, f"id,first_name,last_name\n{row}\n"), bears, "0", system="canvas") == "x"


@pytest.mark.parametrize(
    ("known", "other"), [("किम,राव", "कुम राव"), ("สมชาย,ใจดี", "สมชาย ใจดู"), ("たか,子", "たが 子")]
)
def test_names_that_differ_in_a_vowel_are_two(tmp_path: Path, known: str, other: str) -> None:
    """In many scripts a vowel is a mark at a letter; unlike an accent, no system may leave it out."""
    who = roster(tmp_path, f"id,first_name,last_name\nx,{known}\n")
    assert (student(who, known.replace(",", " ")), student(who, other)) == ("x", None)


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"])
def test_a_spreadsheet_as_a_roster_is_told_as_that(tmp_path: Path, start: bytes) -> None:
    (tmp_path / "roster.xlsx").write_bytes(start + b"\0" * 99)
    with pytest.raises(RosterError, match="roster.xlsx: a spreadsheet, and no CSV; open it, save it as CSV, and give"):
        read_roster(tmp_path / "roster.xlsx")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_roster_is_read_as_a_spreadsheet_saves_it(tmp_path: Path, delimiter: str, encoding: str) -> None:
    """A roster is read with each delimiter and in each encoding that spreadsheets use.

    German Excel writes semicolons and Windows' letters, others write tabs and UTF-16, and a title may hold any of
    these.
    """
    rows = [["Username", "First name", "Last name", "Quiz 1; 2, 3"], ["jmüller", "Jörg", "Müller", ""]]
    with (tmp_path / "roster.csv").open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    assert student(read_roster(tmp_path / "roster.csv"), "Jörg Müller") == "jmüller"


def test_a_roster_in_letters_that_nobody_knows_is_one_line(tmp_path: Path) -> None:
    """A roster in an unknown encoding is refused: a replacement mark for each letter would become part of an id."""
    (tmp_path / "roster.csv").write_bytes(b"id,first_name\nj\x81,J\xc3\n")
    with pytest.raises(RosterError, match=r"neither UTF-8 nor UTF-16 nor Windows' letters \(byte 15: .+save the list"):
        read_roster(tmp_path / "roster.csv")


def test_two_ways_to_write_an_umlaut_are_one_student(tmp_path: Path) -> None:
    """macOS writes an umlaut as a letter and its dots; a student whose name comes in both ways is one."""
    names = [unicodedata.normalize(form, "müller") for form in ("NFC", "NFD")]
    made = {f"{names[0]}/{TENSORS}.ipynb": ONE, f"{names[1]}/{ATTENTION}.ipynb": notebook(ATTENTION, 1)}
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", made))
    assert (set(files), told(taken)) == ({place(names[0]), place(names[0], ATTENTION)}, {})


def whose(*names: str) -> dict[str, str]:
    """File name -> the student to whom `claims` gives the file, or "" where it gives it to nobody."""
    items = [Item(name, Path("/nowhere")) for name in names]
    claimed, nobodys = claims(items, [TENSORS, ATTENTION])
    assert len(claimed) + len(nobodys) == len(items)
    return {one.item.name: one.person.own for one in claimed} | {item.name: "" for item in nobodys}


@pytest.mark.parametrize(
    "files",
    [
        {f"ada/{TENSORS}.ipynb": "ada", "bo/attention_2026_01_15.ipynb": "bo", "cy/attention_2026_11_15.ipynb": "cy"},
        {"ada/attention_2026_11_15.ipynb": "ada"},
        {"ada/ex_1_2_tensors.ipynb": "ada", "bo/ex_1_2_tensors.ipynb": "bo"},
        {"ada/ex_1_2_a.ipynb": "ada", "ada/ex_3_4_b.ipynb": "ada", f"bo/{TENSORS}.ipynb": "bo"},
        {f"ada/{TENSORS}/{TENSORS}.ipynb": "ada", f"ada/{TENSORS}/run_1_2_data.csv": "ada"},
        {"ada/hw_1_2_last.zip/hw.ipynb": "ada", "bo/hw.zip/run_1_2_x.ipynb": "bo"},
        {f"ada/{TENSORS} - Copy.ipynb": "ada", f"bo/{TENSORS} - Kopie.ipynb": "bo", f"cy/{TENSORS}.ipynb": "cy"},
        {f"w3/{TENSORS}/ada/{TENSORS}.ipynb": "ada", f"w3/{TENSORS}/bo/hw.ipynb": "bo", f"w3/{TENSORS}/x.ipynb": ""},
        {f"w3/{TENSORS}/ada/1.ipynb": "ada", f"w3/{ATTENTION}/bo/2.ipynb": "bo", f"w3/{ATTENTION}/bo/x.csv": "bo"},
        {f"{who}/{TENSORS}/part{n}/hw.ipynb": who for who in ("ada", "bo") for n in (1, 2)},
        {f"{n}.zip/course/{TENSORS}/{TENSORS}.ipynb": n for n in ("ada", "bo", "cy")},
        {f"ada/course/{TENSORS}/{TENSORS}.ipynb": "ada", f"bo/{TENSORS}/{TENSORS}.ipynb": "bo"},
        {f"ada/{TENSORS}/work/{TENSORS}.ipynb": "ada", f"ada/{ATTENTION}/work/{ATTENTION}.ipynb": "ada"},
        {f"class/ada/{TENSORS}/1/a.ipynb": "ada", f"class/ada/{TENSORS}/2/b.ipynb": "ada", "class/bo/c.ipynb": "bo"},
        {"class/ada/hw.ipynb": "ada", "class/bo/hw.ipynb": "bo", "class/hw.ipynb": "", "class/list.csv": ""},
        {f"{TENSORS}/{TENSORS}.ipynb": "", f"{TENSORS}.zip/ada/hw.ipynb": "ada"},
        {f"{TENSORS}/ada/work/hw.ipynb": "ada", f"{TENSORS}/ada/data.csv": "ada"},
        {"w3/doejane_1_2_a.ipynb": "doejane_1", "w3/roebob_3_4_a.ipynb": "roebob_3", "w3/x.ipynb": ""},
        {"3.zip/doejane_1_2_a.ipynb": "doejane_1", "3.zip/roebob_3_4_a.ipynb": "roebob_3",
         "4.zip/doejane_1_5_b.ipynb": "doejane_1"},
        {f"jane/{ATTENTION}/a - b.ipynb": "jane", f"bo/{ATTENTION}/c.ipynb": "bo"},
    ],
    ids=lambda files: next(iter(files)),
)  # fmt: skip
def test_whose_a_file_is_is_told_by_the_whole_download(files: dict[str, str]) -> None:
    """The whole download tells whose a file is, so that no two students become one.

    Students give names like Canvas's, too, and their folders lie in folders around folders.
    """
    assert whose(*files) == files


OTHERS = {f"ada/{TENSORS}/{TENSORS}.ipynb": "ada", f"bo/{TENSORS}/{TENSORS}.ipynb": "bo"}
EXCHANGED = {f"{who}+{TENSORS}+2026-11-20 10:11:12.0 UTC/{TENSORS}.ipynb": who for who in ("ada", "bo")}
BRIGHT = "1-4 - ada - Nov 4, 2026 1011 AM - a.ipynb"


@pytest.mark.parametrize(
    "files",
    [
        OTHERS | {f"eve/{TENSORS}/ada_7_assignsubmission_file_/a.ipynb": "eve"},
        OTHERS | {f"eve/{TENSORS}/x.zip/ada_7_assignsubmission_file_/torch.py": "eve", f"eve/{TENSORS}/b.ipynb": "eve"},
        OTHERS | {f"eve/{TENSORS}/x.zip/{BRIGHT}": "eve"},
        OTHERS | {f"eve/x.zip/{who}_7_assignsubmission_file_/a.ipynb": "eve" for who in ("ada", "bo")},
        OTHERS | {f"eve/x.zip/{who}_7_8_a.ipynb": "eve" for who in ("ada", "bo")},
        OTHERS | {f"eve/x.zip/{who} - a.ipynb": "eve" for who in ("ada", "bo")},
        OTHERS | {f"eve.zip/{who}/{TENSORS}/a.ipynb": "eve" for who in ("ada", "cy", "di", "fay")},
        {f"{who}/work/{TENSORS}/a.ipynb": who for who in ("ada", "bo")}
        | {f"eve/{who}/{TENSORS}/a.ipynb": "eve" for who in ("ada", "cy", "di", "fay")},
        {f"{who}/a.ipynb": who for who in ("ada", "bo")}
        | {f"eve/{who}/{TENSORS}/a.ipynb": "eve" for who in ("ada", "cy", "di", "fay")},
        {f"{TENSORS}/ada/a.ipynb": "ada", f"{TENSORS}/eve/x.zip/ada_7_assignsubmission_file_/a.ipynb": "eve"},
        EXCHANGED | {f"eve+{TENSORS}+2026-11-20 10:11:12.0 UTC/{BRIGHT}": "eve"},
        EXCHANGED | {f"eve+{TENSORS}+2026-11-20 10:11:12.0 UTC/{who}/{TENSORS}/a.ipynb": "eve" for who in "abcd"},
        {"lovelaceada_1_2_a.ipynb": "lovelaceada_1"}
        | {f"eve_3_4_x.zip/{who}_7_assignsubmission_file_/a.ipynb": "eve_3" for who in ("ada", "bo")},
        {"eve_3_4_x.zip/ada_7_assignsubmission_file_/a.ipynb": "eve_3"},
        {f"ada/{TENSORS}/a.ipynb": "ada", "eve_3_4_x.ipynb": ""},
        {"Ada L_1_assignsubmission_file_a.ipynb": "Ada L",
         "Eve M_2_assignsubmission_file_Ada L_1_assignsubmission_file_a.ipynb": "Eve M"},
    ],
    ids=range(16),
)  # fmt: skip
def test_what_a_student_packs_is_not_taken_as_anybody_elses(files: dict[str, str]) -> None:
    """Whatever names a student gives to packed files, they are this student's and none of anybody else's."""
    assert whose(*files) == files


def test_students_whose_files_are_named_alike_stay_apart(tmp_path: Path) -> None:
    """Dates, and what Windows' Explorer adds to a copy's name, are no student's name; no file is lost."""
    made = {
        "ada/attention_2026_01_15.ipynb": ONE,
        "bo/attention_2026_01_15.ipynb": TWO,
        f"cy/{TENSORS} - Copy.ipynb": ONE,
        f"di/{TENSORS} - Kopie.ipynb": TWO,
        f"eva/{TENSORS}/{TENSORS}.ipynb": ONE,
        f"eva/{TENSORS}/run_1_2_data.csv": "1",
    }
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", made))
    assert files == {
        place("ada"): ONE, place("bo"): TWO, place("cy"): ONE, place("di"): TWO, place("eva"): ONE,
        place("eva", TENSORS, "run_1_2_data.csv"): "1",
    }  # fmt: skip
    assert told(taken) == {}


def test_where_nothing_says_which_is_later_the_one_with_the_units_name_counts(tmp_path: Path) -> None:
    """Where nothing tells which notebook is later, the unit's name or else the first decides, and somebody should look.

    The `._` files that macOS leaves beside a notebook are not counted as one.
    """
    folder = "Jane Doe_5_assignsubmission_file"
    made = {
        f"{folder}/._{TENSORS}.ipynb": b"\0\5\x16\7",
        f"{folder}/{TENSORS} (old).ipynb": ONE,
        f"{folder}/{TENSORS}.ipynb": TWO,
        "Bo Roe_6_assignsubmission_file/draft.ipynb": ONE,
        "Bo Roe_6_assignsubmission_file/final.ipynb": TWO,
        "Cy Coe_7_assignsubmission_file/._hw.ipynb": b"\0\5\x16\7",
        f"Cy Coe_7_assignsubmission_file/{TENSORS}.ipynb": notebook(TENSORS),
    }
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", made))
    assert (files[place("Jane Doe")], files[place("Jane Doe", TENSORS, f"older/{TENSORS}.1.ipynb")]) == (TWO, ONE)
    assert len(files) == 5
    said, unclear = told(taken), "though nothing says which one is later"
    assert said[f"Jane Doe/{TENSORS}"] == (
        f"LOOK {folder}/{TENSORS}.ipynb counts, {unclear}; the rest is kept in older/: {folder}/{TENSORS} (old).ipynb"
    )
    (bo,) = (text for where, text in said.items() if where.startswith("Bo"))
    assert f"draft.ipynb counts, {unclear}" in bo and bo.startswith("LOOK Bo Roe_6")
    assert len(said) == 2


def test_another_units_notebook_than_was_asked_for_is_told(tmp_path: Path) -> None:
    """A notebook of another unit than was asked for is kept, and not graded now.

    A student who has also handed in what was asked for need not be looked at.
    """
    other = notebook(ATTENTION, 1)
    made = {f"ada_1_10_{TENSORS}.ipynb": ONE, f"ada_1_11_{ATTENTION}.ipynb": other, f"bo_2_12_{ATTENTION}.ipynb": other}
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", made), None, TENSORS)
    assert set(files) == {place("ada_1"), place("ada_1", ATTENTION), place("bo_2", ATTENTION)}
    text = f"this is not {TENSORS}, so it is kept, and not graded now"
    assert told(taken) == {f"ada_1/{ATTENTION}": text, f"bo_2/{ATTENTION}": f"LOOK {text}"}


def test_a_notebook_without_answers_does_not_replace_one_that_has_some(tmp_path: Path) -> None:
    """The notebook with answers counts whichever of the two is later, as it does within one collection."""
    for folder, first, second in (("a", ONE, notebook(TENSORS)), ("b", notebook(TENSORS), ONE)):
        for number, text in enumerate((first, second)):
            made = zipped(tmp_path / f"{number}.zip", {f"bo_2_1{number}_{TENSORS}.ipynb": text})
            files, taken = brought(tmp_path / folder, made)
        assert files == {place("bo_2"): ONE, place("bo_2", TENSORS, f"older/{TENSORS}.1.ipynb"): notebook(TENSORS)}
        said = told(taken)[f"bo_2/{TENSORS}"]
        assert said.startswith("LOOK the notebook there holds answers" if folder == "a" else "it was replaced by")


def test_who_handed_in_no_notebook_needs_a_look(tmp_path: Path) -> None:
    """A student who handed in no notebook is named, and the line says what came instead."""
    made = {
        f"Ada L_1_assignsubmission_file/{TENSORS}.ipynb": ONE,
        f"Bo Roe_2_assignsubmission_file/{TENSORS}.py": TWO,
        "Cy Coe_3_assignsubmission_file/answers.rar": "Rar!",
    }
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", made))
    assert set(files) == {place("Ada L")}
    expected = "LOOK this student handed in no notebook, only {}; expected a file whose name ends in .ipynb"
    assert told(taken) == {
        "Bo Roe": expected.format(f"{TENSORS}.py"),
        "Cy Coe": expected.format("answers.rar"),
    }


def test_files_go_with_the_notebook_whose_folder_they_lie_in(tmp_path: Path) -> None:
    """A file goes with the notebook in whose folder it lies, also where a student has notebooks of several units.

    A file that lies beside two notebooks goes with both, and so does one that lies with none.
    """
    other = notebook(ATTENTION, 1)
    made = {
        f"ada/{TENSORS}/{TENSORS}.ipynb": ONE,
        f"ada/{TENSORS}/lib/helper.py": "x = 1",
        f"ada/{ATTENTION}/{ATTENTION}.ipynb": other,
        f"ada/{ATTENTION}/data.csv": "1",
        "ada/notes/todo.txt": "2",
        "bo/one.ipynb": ONE,
        "bo/two.ipynb": other,
        "bo/helper.py": "y = 1",
        f"bo/{ATTENTION}/data.csv": "2",
        f"cy/{TENSORS}.ipynb": ONE,
        "cy/data/x.csv": "3",
    }
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", made))
    beside = {name: text for name, text in files.items() if not name.endswith(".ipynb")}
    assert beside == {
        place("ada", TENSORS, "lib/helper.py"): "x = 1",
        place("ada", ATTENTION, "data.csv"): "1",
        place("ada", TENSORS, "todo.txt"): "2",
        place("ada", ATTENTION, "todo.txt"): "2",
        place("bo", TENSORS, "helper.py"): "y = 1",
        place("bo", ATTENTION, "helper.py"): "y = 1",
        place("bo", ATTENTION, f"{ATTENTION}/data.csv"): "2",
        place("cy", TENSORS, "data/x.csv"): "3",
    }
    assert told(taken) == {}


def test_files_are_handed_in_again_with_the_notebook(tmp_path: Path) -> None:
    """The later file takes the place, under its name without Canvas's number, and the one before is kept.

    A file that is handed in again unchanged is not a second one.
    """
    first = {f"a_1_10_{TENSORS}.ipynb": ONE, "a_1_11_helper.py": "v = 1", "a_1_12_data-1.csv": "1"}
    again = {f"a_1_20_{TENSORS}-1.ipynb": TWO, "a_1_21_helper-1.py": "v = 2", "a_1_22_data-1-1.csv": "1"}
    brought(tmp_path, zipped(tmp_path / "1.zip", first))
    for number in range(2):
        files, taken = brought(tmp_path, zipped(tmp_path / "2.zip", again))
        assert files == {
            place("a_1"): TWO, place("a_1", TENSORS, f"older/{TENSORS}.1.ipynb"): ONE,
            place("a_1", TENSORS, "helper.py"): "v = 2", place("a_1", TENSORS, "older/.helper.1.py"): "v = 1",
            place("a_1", TENSORS, "data-1.csv"): "1",
        }  # fmt: skip
        texts = [one.text for one in taken.remarks if one.where == "a_1_21_helper-1.py"]
        assert texts == ["it takes the place of another helper.py, kept as older/.helper.1.py"][number:]
    (one,) = intake.find(tmp_path, None).submissions
    assert [file.name for file in handed_in(one).files] == ["data-1.csv", "helper.py"], "what is older is not handed in"
    own = {f"b_1_20_{TENSORS}-1.ipynb": TWO, "b_1_21_x-1.py": "1", "b_1_22_x.py": "2"}
    own["b_1_23_w-1.zip"] = packed({"y-1.py": "3"})
    files, _ = brought(tmp_path / "b", zipped(tmp_path / "3.zip", own))
    assert set(files) == {place("b_1"), *(place("b_1", TENSORS, name) for name in ("x-1.py", "x.py", "y-1.py"))}


def test_of_two_files_for_one_place_the_later_is_there_and_both_are_told(tmp_path: Path) -> None:
    """The later of two files has the place, the other is kept, and the line names both.

    Where nothing says which is later, the first has it, and somebody should look.
    """
    made = {f"a_1_10_{TENSORS}.ipynb": ONE, "a_1_12_x.py": "late", "a_1_11_w.zip": packed({"x.py": "early"})}
    for _ in range(2):
        files, taken = brought(tmp_path, zipped(tmp_path / "1.zip", made))
        expected = {place("a_1"), place("a_1", TENSORS, "x.py"), place("a_1", TENSORS, "older/.x.1.py")}
        assert set(files) == expected and files[place("a_1", TENSORS, "x.py")] == "late"
        assert told(taken) == {"a_1_12_x.py": "it takes the place of another x.py, kept as older/.x.1.py"}
    made = {f"bo/w/{TENSORS}.ipynb": ONE, "bo/p/x.py": "1", "bo/q/x.py": "2", f"cy/{TENSORS}.ipynb": ONE}
    files, taken = brought(tmp_path, zipped(tmp_path / "2.zip", made))
    assert (files[place("bo", TENSORS, "x.py")], files[place("bo", TENSORS, "older/.x.1.py")]) == ("1", "2")
    text = "LOOK it takes the place of another x.py, kept as older/.x.1.py; nothing says which one is later"
    assert told(taken) == {"bo/p/x.py": text}


def test_files_of_a_notebook_that_does_not_count_are_named(tmp_path: Path) -> None:
    """Files beside a notebook that does not count are reported, and do not replace those of the one that does."""
    brought(tmp_path, zipped(tmp_path / "1.zip", {f"ana/{TENSORS}.ipynb": ONE, "ana/x.py": "1"}))
    made = zipped(tmp_path / "2.zip", {f"ana/{TENSORS}.ipynb": notebook(TENSORS), "ana/x.py": "2"})
    files, taken = brought(tmp_path, made)
    assert files[place("ana", TENSORS, "x.py")] == "1"
    assert [one.text for one in taken.remarks][1:] == [
        "this notebook does not count, so the files beside it are not collected: x.py"
    ]


def test_a_time_is_read_from_the_folder_and_never_lost(tmp_path: Path) -> None:
    """nbgrader's `timestamp.txt` beside a notebook is its time; collecting the same notebook again leaves it there."""
    when = "2026-01-01 10:00:00 UTC"
    made = {
        f"class/ada/{TENSORS}/{TENSORS}.ipynb": ONE,
        f"class/ada/{TENSORS}/timestamp.txt": when,
        "class/bo/one.ipynb": ONE,
        "class/bo/timestamp.txt": "2026-01-01 09:00:00 UTC",
        "class/bo/last/two.ipynb": TWO,
        "class/bo/last/timestamp.txt": when,
        "class/cy/hw.zip": packed({f"{TENSORS}.ipynb": ONE, "timestamp.txt": when}),
    }
    files, taken = brought(tmp_path, zipped(tmp_path / "1.zip", made))
    times = {name: text for name, text in files.items() if name.endswith("timestamp.txt")}
    assert times == {place(name, TENSORS, "timestamp.txt"): "2026-01-01T10:00:00\n" for name in ("ada", "bo")}
    assert files[place("bo")] == TWO
    said = told(taken)
    home = "Di Doe_5_assignsubmission_file"
    moodles = zipped(tmp_path / "m.zip", {f"{home}/{TENSORS}.ipynb": ONE, f"{home}/timestamp.txt": when})
    assert set(brought(tmp_path / "moodle", moodles)[0]) == {place("Di Doe")}
    assert said[f"bo/{TENSORS}"].startswith("class/bo/last/two.ipynb counts, since it is the latest")
    files, taken = brought(tmp_path, zipped(tmp_path / "2.zip", {f"ada/{TENSORS}.ipynb": ONE}))
    assert files[place("ada", TENSORS, "timestamp.txt")] == "2026-01-01T10:00:00\n" and taken.known == 1
    files, _ = brought(tmp_path, zipped(tmp_path / "3.zip", {f"ada/{TENSORS}.ipynb": TWO}))
    assert place("ada", TENSORS, "timestamp.txt") not in files, "it was the time of the notebook before"


def test_two_whom_a_roster_takes_for_one_both_keep_their_notebook(tmp_path: Path) -> None:
    """Canvas's numbers tell two people apart where the roster lacks a namesake, or has two rows with one id."""
    made = zipped(
        tmp_path / "canvas.zip",
        {f"doejane_101_9001_{TENSORS}.ipynb": ONE, f"doejane_102_9002_{TENSORS}.ipynb": TWO},
    )
    by_hand = roster(tmp_path, "id,first_name,last_name\njd,Jane,Doe\n")
    files, taken = brought(tmp_path / "a", made, by_hand)
    assert files == {place("doejane_101"): ONE, place("doejane_102"): TWO}
    assert told(taken)["doejane_102"].startswith("LOOK jd would be two people, this one and doejane_101; ")
    sure = roster(tmp_path, 'Student,ID,SIS Login ID\n"Doe, Jane",101,jd\n')
    files, taken = brought(tmp_path / "b", made, sure)
    assert files == {place("jd"): ONE, place("doejane_102"): TWO}


MOODLE = f"{{}}_assignsubmission_file/{TENSORS}.ipynb"
WORKSHEET = "Identifier,Full name,Email address\nParticipant 11,Jane Doe,j@x\nParticipant 12,Jane Doe,k@x\n"


def test_notebooks_of_several_people_who_become_one_student_need_a_look(tmp_path: Path) -> None:
    """Folders of two names for which the roster has one id need a look: no system's number tells the people apart."""
    made = zipped(tmp_path / "s.zip", {f"Jane Doe/{TENSORS}.ipynb": ONE, f"Bob Poe/{TENSORS}.ipynb": TWO})
    _, taken = brought(tmp_path, made, roster(tmp_path, "id,first_name,last_name\n7,Jane,Doe\n7,Bob,Poe\n"))
    expected = "LOOK notebooks of several people were taken as this student's: Jane Doe, Bob Poe"
    assert told(taken)[f"7/{TENSORS}"].startswith(f"{expected} | ")


@pytest.mark.parametrize("in_folders", [True, False])
def test_two_of_one_name_in_moodle_stay_two_where_the_roster_has_one(tmp_path: Path, in_folders: bool) -> None:
    """Neither of two namesakes loses a notebook or a file to the other, although the roster has one row for both.

    The line says that the grading worksheet tells them apart; with the worksheet, each has an id of their own.
    """
    each = "/" if in_folders else "_"
    jane = [f"Jane Doe_{number}_assignsubmission_file{each}" for number in (11, 12)]
    members = {f"{jane[0]}{TENSORS}.ipynb": ONE, f"{jane[1]}{TENSORS}.ipynb": TWO, f"{jane[1]}data.py": "x = 1"}
    made = zipped(tmp_path / "moodle.zip", members)
    by_hand = roster(tmp_path, "id,first_name,last_name\njd,Jane,Doe\n")
    apart = {place("Jane Doe 11"): ONE, place("Jane Doe 12"): TWO, place("Jane Doe 12", name="data.py"): "x = 1"}
    for _ in range(2):
        files, taken = brought(tmp_path, made, by_hand)
        assert files == apart
        assert told(taken)["Jane Doe 12"] == (
            "LOOK jd would be two people, this one and Jane Doe 11; this one is kept as Jane Doe 12, so that neither "
            "gets the other's points. Give each a row in the roster, with an id or an address of their own, and "
            "collect again; Moodle's grading worksheet of this assignment is such a roster"
        )
    only = zipped(tmp_path / "selected.zip", {f"{jane[1]}{TENSORS}.ipynb": notebook(TENSORS, 3)})
    files, taken = brought(tmp_path, only, by_hand)
    assert files[place("Jane Doe 12")] == notebook(TENSORS, 3) and place("jd") not in files
    assert told(taken)["Jane Doe 12"].startswith("LOOK jd would be two people, this one and somebody collected before")
    files, taken = brought(tmp_path, made, roster(tmp_path, WORKSHEET))
    assert (files[place("j@x")], files[place("k@x")]) == (ONE, TWO)
    assert told(taken)["Jane Doe 11"].startswith("LOOK this seems to be j@x under an earlier name. ")
    sure = roster(tmp_path, WORKSHEET.replace("Participant 12,Jane Doe,k@x\n", ""))
    files, taken = brought(tmp_path / "b", made, sure)
    assert (files[place("j@x")], files[place("Jane Doe 12")]) == (ONE, TWO)


def test_one_person_has_another_number_of_moodles_in_each_assignment(tmp_path: Path) -> None:
    """A person in the downloads of two units, collected at once, is one student, with a roster or without one."""
    units = {"3.zip": packed({MOODLE.format("Jane Doe_11"): ONE, MOODLE.format("Bo Roe_12"): ONE})}
    units["4.zip"] = packed({f"Jane Doe_77_assignsubmission_file/{ATTENTION}.ipynb": notebook(ATTENTION, 1)})
    made = zipped(tmp_path / "all.zip", units)
    files, taken = brought(tmp_path / "a", made)
    assert (set(files), told(taken)) == ({place("Jane Doe"), place("Jane Doe", ATTENTION), place("Bo Roe")}, {})
    files, taken = brought(tmp_path / "b", made, roster(tmp_path, "id,first_name,last_name\njd,Jane,Doe\nbo,Bo,Roe\n"))
    assert (set(files), told(taken)) == ({place("jd"), place("jd", ATTENTION), place("bo")}, {})


def test_a_namesake_in_a_later_download_is_told(tmp_path: Path) -> None:
    """Canvas's number belongs to a person, so that namesakes in two downloads stay apart.

    Moodle's number may be that of a second assignment: the later notebook counts, and somebody should look.
    """
    by_hand = roster(tmp_path, "id,first_name,last_name\njd,Jane,Doe\n")
    for number, text in ((101, ONE), (102, TWO)):
        made = zipped(tmp_path / "s.zip", {f"doejane_{number}_{number}9_{TENSORS}.ipynb": text})
        files, taken = brought(tmp_path / "canvas", made, by_hand)
    assert files == {place("jd"): ONE, place("doejane_102"): TWO}
    assert told(taken)["doejane_102"].startswith("LOOK jd would be two people, this one and somebody collected before")
    for number, text in ((11, ONE), (12, TWO)):
        made = zipped(tmp_path / "s.zip", {MOODLE.format(f"Jane Doe_{number}"): text})
        files, taken = brought(tmp_path / "moodle", made, by_hand)
    assert files == {place("jd"): TWO, place("jd", name=f"older/{TENSORS}.1.ipynb"): ONE}
    said = told(taken)[f"jd/{TENSORS}"]
    assert said.startswith("LOOK it was replaced by ")
    assert "Moodle's number was 11 and now is 12: if both are of one assignment, these are two people" in said


def test_two_of_one_name_in_gradescope_stay_two_where_the_roster_has_one(tmp_path: Path) -> None:
    """Two namesakes in Gradescope stay two students, since their addresses tell them apart."""
    people = {f"s{n}": f"s{n}:\n  :submitters:\n  - :name: Jane Doe\n    :email: {n}@x\n" for n in (1, 2)}
    members = {"submission_metadata.yml": "".join(people.values())}
    members |= {f"s1/{TENSORS}.ipynb": ONE, f"s2/{TENSORS}.ipynb": TWO}
    who = roster(tmp_path, "id,first_name,last_name\njd,Jane,Doe\n")
    files, taken = brought(tmp_path, zipped(tmp_path / "s.zip", members), who)
    assert files == {place("1@x"): ONE, place("2@x"): TWO}
    assert told(taken)["1@x"].startswith("LOOK jd would be two people, this one and 2@x; this one is kept as 1@x, ")


def test_an_older_download_of_canvas_does_not_replace_a_later_notebook(tmp_path: Path) -> None:
    """Canvas's number of a file says which is the later one, in the download of another day, too."""
    first = zipped(tmp_path / "1.zip", {f"doejane_1_100_{TENSORS}.ipynb": ONE})
    last = zipped(tmp_path / "2.zip", {f"doejane_LATE_1_110_{TENSORS}-1.ipynb": TWO})
    for made in (first, last, first):
        files, taken = brought(tmp_path, made)
    assert files[place("doejane_1")] == TWO and taken.new == 0
    said = told(taken)[f"doejane_1/{TENSORS}"]
    assert said == f"the notebook there is later; doejane_1_100_{TENSORS}.ipynb is kept as older/{TENSORS}.1.ipynb"
    assert told_of_find(tmp_path)[f"doejane_1/{TENSORS}"] == "marked late by Canvas"


def test_who_has_another_login_or_left_the_roster_is_told(tmp_path: Path) -> None:
    """A student with a new login, or who left the roster, is reported: their earlier work would be a second student's.

    They are recognised by Canvas's number, which is that of somebody who was collected before.
    """
    made = zipped(tmp_path / "s.zip", {f"doejane_1234_9001_{TENSORS}.ipynb": ONE})
    brought(tmp_path, made, roster(tmp_path, CANVAS))
    _, taken = brought(tmp_path, made, roster(tmp_path, CANVAS.replace("jdoe", "jsmith")))
    text = (
        "LOOK this seems to be jsmith under an earlier name. If the two are one person, first decide which notebook of "
    )
    text += f"{TENSORS} counts, and keep the other one there in older/; give jsmith in formgrader what you have given "
    text += "jdoe by hand. "
    assert told(taken) == {"jdoe": f"{text}After that, remove jdoe, as grader/docs/class.md says"}
    left = roster(tmp_path, CANVAS.replace('"Doe, Jane",1234,S1,jdoe,A,\n', ""))
    _, taken = brought(tmp_path, made, left)
    assert told(taken)["jdoe"].startswith("LOOK this seems to be doejane_1234 under an earlier name. ")


@pytest.mark.parametrize(
    "name", ["Jane Doe_12_assignsubmission_file", "123-4 - Jane Doe - Nov 3, 2026 1011 AM", "Jane Doe"]
)
def test_who_has_another_id_in_the_roster_is_told_with_what_to_move_first(tmp_path: Path, name: str) -> None:
    """Whatever the system, the same notebook under an id that the roster lacks now is somebody's under another id.

    The units that only the earlier folder has are to be moved before it is removed.
    """
    made = zipped(tmp_path / "s.zip", {f"{name}/{TENSORS}.ipynb": ONE})
    brought(tmp_path, made, roster(tmp_path, "id,first_name,last_name\n4711,Jane,Doe\n"))
    other = tmp_path / "submitted" / "4711" / ATTENTION
    other.mkdir()
    (other / f"{ATTENTION}.ipynb").write_text(notebook(ATTENTION, 1))
    files, taken = brought(tmp_path, made, roster(tmp_path, "id,first_name,last_name\n4712,Jane,Doe\n"))
    assert files[place("4712")] == files[place("4711")] == ONE
    said = told(taken)["4711"]
    assert said.startswith("LOOK this seems to be 4712 under an earlier name. If the two are one person, first move ")
    assert f"first move {ATTENTION} from submitted/4711/ to submitted/4712/; decide which notebook of {TENSORS}" in said


def test_whom_the_gradebook_has_under_another_id_is_told_by_address_or_name(tmp_path: Path) -> None:
    """A namesake who is in the roster, too, is not the same person."""
    made = zipped(tmp_path / "s.zip", {f"4712/{TENSORS}.ipynb": ONE})
    who = roster(tmp_path, "id,first_name,last_name,email\n4712,Jane,Doe,J@x\n4713,Bo,Roe,\n4714,Al,Poe,\n")
    before = [
        Student("4711", "J.", "Doe", "j@X"),
        Student("x", "Bo", "Roe"),
        Student("4714", "Al", "Poe"),
        Student("y"),
    ]
    taken = collect.collect(made, tmp_path, who, (), before)
    assert {where: text.split(".")[0] for where, text in told(taken).items()} == {
        "4711": "LOOK this seems to be 4712 under an earlier name",
        "x": "LOOK this seems to be 4713 under an earlier name",
    }


def test_a_file_in_a_shared_folder_that_names_nobody_is_nobodys(tmp_path: Path) -> None:
    """The folder of a Google Drive is no student, where the names on the other files in it are students'."""
    names = {
        f"Uebung 01/{TENSORS} - {name}.ipynb": notebook(TENSORS, n) for n, name in enumerate(("Jane Doe", "Bo Roe"))
    }
    made = zipped(tmp_path / "drive.zip", {**names, f"Uebung 01/{TENSORS}(1).ipynb": notebook(TENSORS, 9)})
    files, taken = brought(tmp_path, made, roster(tmp_path, "id,first_name,last_name\njd,Jane,Doe\nbr,Bo,Roe\n"))
    assert set(files) == {place("jd"), place("br")}
    assert told(taken) == {
        f"Uebung 01/{TENSORS}(1).ipynb": "LOOK not collected: neither its name nor its folder tells whose it is; put "
        "it into a folder named after the student's id, and collect again"
    }


def test_folders_that_differ_by_case_are_two_students(tmp_path: Path) -> None:
    """Folders that differ only by case are two students, from an archive as from a folder.

    The folders keep their names, and so do the files in them.
    """
    members = {f"jane/{TENSORS}/{TENSORS}.ipynb": ONE, f"Jane/{TENSORS}/{TENSORS}.ipynb": TWO}
    members |= {f"Jane/{TENSORS}/x.py": "1", f"Jane/{TENSORS}/X.py": "2"}
    expected = {
        place("jane"): ONE,
        place("Jane"): TWO,
        place("Jane", name="x.py"): "1",
        place("Jane", name="X.py"): "2",
    }
    for who in (None, roster(tmp_path, "id,first_name,last_name\njane,A,B\nJane,C,D\n")):
        assert brought(tmp_path, zipped(tmp_path / "s.zip", members), who)[0] == expected
    assert [one.student for one in intake.find(tmp_path, None).submissions] == ["Jane", "jane"]
    made = zipped(tmp_path / "m.zip", {MOODLE.format("Ann Roe_11"): ONE, MOODLE.format("Bo Poe_12"): TWO})
    who = roster(tmp_path, "id,first_name,last_name\nab1,Ann,Roe\nAB1,Bo,Poe\n")
    assert brought(tmp_path / "moodle", made, who)[0] == {place("ab1"): ONE, place("AB1"): TWO}


def test_a_file_that_cannot_be_written_costs_itself_alone(tmp_path: Path) -> None:
    """A file that cannot be written is reported, and the notebook beside it is collected.

    Here the name of the file is too long for the disk, which counts bytes.
    """
    home, long = "Ada_11_assignsubmission_file", f"{'ä' * 140}.txt"
    members = {f"{home}/{TENSORS}.ipynb": ONE, f"{home}/{long}": "x", f"{home}/zhelper.py": "a = 1"}
    files, taken = brought(tmp_path, zipped(tmp_path / "moodle.zip", members))
    assert files == {place("Ada"): ONE, place("Ada", name="zhelper.py"): "a = 1"}
    why = "LOOK not collected: it cannot be copied to its place (File name too long)"
    assert told(taken) == {f"{home}/{long}": why}


def test_who_was_collected_before_without_the_roster_is_told(tmp_path: Path) -> None:
    """A student who was collected without the roster before is reported: that work would be a second student's."""
    made = zipped(tmp_path / "canvas.zip", {f"doejane_1234_9001_{TENSORS}.ipynb": ONE})
    brought(tmp_path, made)
    files, taken = brought(tmp_path, made, roster(tmp_path, CANVAS))
    assert files == {place("doejane_1234"): ONE, place("jdoe"): ONE}
    assert told(taken)["doejane_1234"].startswith("LOOK this seems to be jdoe under an earlier name. ")


@pytest.mark.parametrize(
    ("jane", "ada"),
    [
        ("doejane_123_456_hw.zip", f"lovelaceada_124_457_{TENSORS}.ipynb"),
        ("Jane Doe_123_assignsubmission_file/hw.zip", f"Ada Lovelace_124_assignsubmission_file/{TENSORS}.ipynb"),
        (
            "123-4 - Jane Doe - Nov 3, 2026 1011 AM - hw.zip",
            f"124-4 - Ada Lovelace - Nov 3, 2026 1012 AM - {TENSORS}.ipynb",
        ),
    ],
    ids=["canvas", "moodle", "brightspace"],
)
@pytest.mark.parametrize(
    "forged",
    ["Ada Lovelace_124_assignsubmission_file/{}.ipynb", "124-4 - Ada Lovelace - Nov 4, 2026 1011 AM - {}.ipynb"],
    ids=["moodles", "brightspaces"],
)
def test_a_folder_in_an_archive_of_a_students_gives_them_no_other_name(
    tmp_path: Path, jane: str, ada: str, forged: str
) -> None:
    """The system's name around an archive says whose it is; a student's name for a folder in it names nobody else."""
    members: dict[str, Content] = {jane: packed({forged.format(TENSORS): TWO}), ada: ONE}
    who = roster(tmp_path, "id,first_name,last_name\n71,Jane,Doe\n72,Ada,Lovelace\n")
    for folder, given in ((tmp_path / "alone", None), (tmp_path / "rows", who)):
        files, _ = brought(folder, zipped(tmp_path / "c.zip", members), given)
        theirs = {path.partition("/")[0].lower(): text for path, text in files.items()}
        assert len(theirs) == 2
        assert all(("lovelace" in name or name == "72") == (text == ONE) for name, text in theirs.items()), theirs


@pytest.mark.parametrize("place", [".", "class", "class/../class"])
def test_what_holds_the_classroom_itself_is_not_collected(place: str, tmp_path: Path) -> None:
    """A folder with the classroom in it is refused: the notebooks in `autograded/` would replace those handed in."""
    folder = tmp_path / "class"
    for name in ("submitted", "autograded"):
        (folder / name / "ana" / TENSORS).mkdir(parents=True)
        (folder / name / "ana" / TENSORS / f"{TENSORS}.ipynb").write_text(TWO if name == "submitted" else ONE)
    with pytest.raises(
        intake.IntakeError, match="the classroom lies inside it; expected the learning system's download"
    ):
        brought(folder, tmp_path / place)
    files, taken = brought(folder, folder / "submitted")
    assert (files, taken.new, taken.known, told(taken)) == ({f"ana/{TENSORS}/{TENSORS}.ipynb": TWO}, 0, 1, {})


IDS = "id,first_name,last_name,email\naash,Ann,Ash,a.ash@x.org\nbbirch,Bea,Birch,bea@x.org\n10,Cy,Coe,cy@x.org\n"


@pytest.mark.parametrize(
    "members",
    [
        (f"homework/{TENSORS}_aash.ipynb", f"homework/bbirch {TENSORS}.ipynb"),  # one folder, the ids in the names
        ("aash.ipynb", f"{TENSORS}_bbirch.ipynb"),  # the same at the top
        (f"{TENSORS} - Ann Ash.ipynb", f"Upload (File responses)/{TENSORS} - BIRCH Béa.ipynb"),  # Google Forms
        (f"Week 1/Ann Ash - {TENSORS}.ipynb", f"Week 1/Bea Birch - Copy of {TENSORS}.ipynb"),  # Google Classroom
        (f"Monday/{TENSORS}/aash/{TENSORS}.ipynb", f"Friday/bbirch/{TENSORS}/{TENSORS}.ipynb"),  # sections
        (
            f"Submitted files/Ash, Ann/{TENSORS}/Version 1/{TENSORS}.ipynb",
            f"Submitted files/Bea Birch/{TENSORS}/a.ipynb",
        ),
        (f"Ash_Ann_aash_501/{TENSORS}.ipynb", f"Birch_Bea_bbirch_502/{TENSORS}.ipynb"),  # ILIAS
        (f"mail/a.ash@x.org/{TENSORS}.ipynb", f"mail/from bea@x.org/{TENSORS}.ipynb"),
    ],
)
def test_the_rosters_ids_addresses_and_names_are_looked_for_in_the_whole_path(
    tmp_path: Path, members: tuple[str, str]
) -> None:
    """Whatever the layout, a notebook is the student's whose id, address or whole name its path has, and no other's."""
    made = zipped(tmp_path / "s.zip", dict(zip(members, (ONE, TWO), strict=True)))
    files, taken = brought(tmp_path, made, roster(tmp_path, IDS))
    assert files == {place("aash"): ONE, place("bbirch"): TWO} and told(taken) == {}


def test_a_path_that_names_two_students_or_a_short_number_names_nobody(tmp_path: Path) -> None:
    """What is not clear is not believed: two ids, an id and another's name, a number that may stand there by chance."""
    who = roster(tmp_path, IDS)
    for parts in (
        ("aash and bbirch", "a.ipynb"),
        ("Bea Birch", "aash.ipynb"),
        ("week 10", "a.ipynb"),
        ("aashby", "Ann.ipynb"),
    ):
        assert who.named_in_path(parts) is None


def test_several_peoples_notebooks_are_not_taken_for_one_students(tmp_path: Path) -> None:
    """Where they would end under one name that nobody knows, nothing is collected, and one line says what is expected.

    A student whom the roster knows, and who left two, is still collected.
    """
    three = [notebook(TENSORS, number) for number in (1, 2, 3)]
    names = [f"homework/{TENSORS}_{name}.ipynb" for name in ("dd", "ee", "ff")]
    made = zipped(tmp_path / "s.zip", dict(zip(names, three, strict=True)))
    for who in (None, roster(tmp_path, IDS)):
        with pytest.raises(
            intake.IntakeError, match=r"^homework holds 3 notebooks of 00_tensors that seem to be several"
        ):
            collect.collect(made, tmp_path, who)
        assert not (tmp_path / "submitted").exists()
    made = zipped(tmp_path / "t.zip", {f"aash/{TENSORS}.ipynb": ONE, "aash/draft.ipynb": TWO})
    assert brought(tmp_path, made, roster(tmp_path, IDS))[0][place("aash")] == ONE


def test_sections_of_a_class_are_not_taken_for_students(tmp_path: Path) -> None:
    """Folders of sections around those of students are as good as none: without a roster, nothing is collected."""
    members = {f"{n // 3}/{who}/{TENSORS}.ipynb": notebook(TENSORS, 1, who) for n, who in enumerate("abcdefghi")}
    with pytest.raises(intake.IntakeError, match=r"^0 holds 3 notebooks of 00_tensors that seem to be several"):
        collect.collect(zipped(tmp_path / "s.zip", members), tmp_path, None)
    draft = {f"0/draft{n}.ipynb": notebook(TENSORS, 1, str(n)) for n in range(3)}
    other = {f"{who}/{TENSORS}.ipynb": ONE for who in "abcd"}
    assert len(brought(tmp_path, zipped(tmp_path / "d.zip", draft | other))[0]) == 4 + 3, "drafts of one student"


def test_brightspaces_marks_are_no_part_of_an_id(tmp_path: Path) -> None:
    """The `#` that its export writes in front of each id is left out."""
    export = "OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator\n#17,#aash,Ash,Ann,a@x.org,#\n"
    assert set(roster(tmp_path, export).words) == {"aash"}
    assert set(roster(tmp_path, "OrgDefinedId,Username,End-of-Line Indicator\n#17,#,#\n#,#,#\n").words) == {"17"}


@pytest.mark.parametrize("ending", [".ipynb.txt", ".ipynb.json", ".IPYNB"])
def test_a_notebook_whose_name_a_browser_has_changed_is_one(tmp_path: Path, ending: str) -> None:
    """What a browser adds to the name of a notebook that it saves does not make it another kind of file."""
    made = zipped(tmp_path / "s.zip", {f"ada/{TENSORS}{ending}": ONE})
    assert brought(tmp_path, made)[0] == {place("ada"): ONE}
    (tmp_path / "submitted" / "bo" / TENSORS).mkdir(parents=True)
    (tmp_path / "submitted" / "bo" / TENSORS / f"{TENSORS}{ending}").write_text(ONE)
    found = {one.student: one for one in intake.find(tmp_path, [TENSORS]).submissions}
    assert found["bo"].path.name == f"{TENSORS}{ending}" and not found["bo"].refused


def test_what_lies_in_the_place_of_a_notebook_is_named(tmp_path: Path) -> None:
    """Where a student has handed in something else, the line says what it is."""
    (tmp_path / "submitted" / "bo" / TENSORS).mkdir(parents=True)
    (tmp_path / "submitted" / "bo" / TENSORS / f"{TENSORS}.html").write_text("<html>")
    (found,) = intake.find(tmp_path, [TENSORS]).submissions
    assert found.refused == f"{TENSORS}.ipynb is missing; only {TENSORS}.html lies there"


@pytest.mark.parametrize(
    ("titles", "row", "student"),
    [
        ("ID;Vollständiger Name;E-Mail-Adresse;Status", "Teilnehmer/in {};{} Ash;{}@x.org;Keine Abgabe", "{}@x.org"),
        ("Identifiant,Nom complet,Adresse de courriel", "Participant {},{} Ash,{}@x.org", "{}@x.org"),
        ("Identifier,Status,Grade", "Participant {},Submitted {} {},", "Participant {}"),  # blind marking
        ("ID;Status;Bewertung", "Teilnehmer/in {};Keine {} {};", "Teilnehmer_in {}"),
    ],
)
def test_moodles_worksheet_is_read_in_any_language_and_where_it_is_blind(
    tmp_path: Path, titles: str, row: str, student: str
) -> None:
    """Its columns are known by what is in them; without names and addresses the number is the id."""
    people = {"71": "ann", "72": "bea"}
    rows = [row.format(number, name, name) for number, name in people.items()]
    who = roster(tmp_path, "\n".join([titles, *rows, ""]))
    prefix = row.partition(" ")[0].replace("/", "") if "@" not in row else "{} Ash"
    names = [f"{prefix.format(name)}_{number}_assignsubmission_file/{TENSORS}.ipynb" for number, name in people.items()]
    made = zipped(tmp_path / "s.zip", dict(zip(names, (ONE, TWO), strict=True)))
    files, taken = brought(tmp_path, made, who)
    wanted = [student.format(name if "@" in row else number) for number, name in people.items()]
    assert files == {place(wanted[0]): ONE, place(wanted[1]): TWO} and told(taken) == {}
