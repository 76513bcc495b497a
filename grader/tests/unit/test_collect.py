"""Downloads from learning systems, as each documents its own, become submissions, and hostile ones do no harm."""

import io
import json
import os
import re
import stat
import tarfile
import unicodedata
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from test_intake import ATTENTION, EMPTY, NB, ONE, OTHER, OTHER_NB, TENSORS, TWO, notebook

from nbproctor.intake import archive
from nbproctor.intake import find as intake
from nbproctor.intake.archive import Item
from nbproctor.intake.collect import collect
from nbproctor.intake.roster import Roster, read_roster
from nbproctor.intake.systems import claims
from nbproctor.values.submission import handed_in

Members = Mapping[str, str | bytes]

NAMELESS = "LOOK not collected: neither its name nor its folder tells whose it is"
STRANGER = "LOOK this person is not in the roster; what they handed in is kept under the name on the file"
UNCLEAR = "LOOK the roster does not make clear who this is; what they handed in is kept under the name on the file"
NO_NOTEBOOK = "LOOK this student handed in no notebook, only {}; expected a file whose name ends in .ipynb"


def packed(members: Members) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return raw.getvalue()


def unpacked(folder: Path, members: Members) -> Path:
    for name, content in members.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def by_hand(*rows: str) -> str:
    """A roster of students with an id, a first name and a last name."""
    return "\n".join(["id,first_name,last_name", *rows, ""])


def read(folder: Path, text: str) -> Roster:
    path = folder / "roster.csv"
    path.write_text(text, encoding="utf-8-sig")
    return read_roster(path)


class Collected(NamedTuple):
    """What a test reads of a collection.

    files: the text of each file in `submitted/`, by `short` name, without our own notes. remarks: by place, without the
    lines on who handed in nothing, which have a test of their own. new, known: how many notebooks.
    """

    files: dict[str, str]
    remarks: dict[str, str]
    new: int
    known: int


class Classroom:
    """A classroom in a folder of its own, into which downloads are collected."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.submitted = folder / "submitted"

    def collect(self, download: Members | Path, roster: str = "", requested: Sequence[str] = ()) -> Collected:
        """Collect a folder or archive, or a zip of these files, with the roster of this text if there is one."""
        self.folder.mkdir(exist_ok=True)
        if not isinstance(download, Path):
            raw, download = packed(download), self.folder / "download.zip"
            download.write_bytes(raw)
        taken = collect(download, self.folder, read(self.folder, roster) if roster else None, requested)
        paths = [path for path in self.submitted.rglob("*") if path.is_file() and path.name != intake.RECEIVED]
        remarks: dict[str, list[str]] = {}
        for one in taken.remarks:
            if not one.text.startswith("no notebook of"):
                remarks.setdefault(one.where, []).append(f"LOOK {one.text}" if one.needs_look else one.text)
        return Collected(
            {short(path.relative_to(self.submitted)): path.read_text() for path in paths},
            {where: " | ".join(texts) for where, texts in remarks.items()},
            taken.new,
            taken.known,
        )


@pytest.fixture
def classroom(tmp_path: Path) -> Classroom:
    return Classroom(tmp_path / "class")


@pytest.fixture
def other(tmp_path: Path) -> Classroom:
    return Classroom(tmp_path / "other")


def short(path: Path) -> str:
    """A place in `submitted/`, without the unit of almost all tests: `ana`, `ana/data.csv`, `ana/older/1`."""
    student, unit, *rest = path.parts
    below = "/".join(rest).replace(f"older/{unit}.", "older/").removesuffix(".ipynb")
    parts = [student, unit if unit != TENSORS else "", below if below != unit else ""]
    return "/".join(part for part in parts if part)


def says(remarks: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """These places and no others have a remark, and each has this text in it."""
    assert remarks.keys() == expected.keys()
    assert {where: text for where, text in remarks.items() if expected[where] not in text} == {}


CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Tensors (4711)\n"
    "    Points Possible,,,,,15\n"
    '"Doe, Jane",1234,S1,jdoe,A,\n'
    '"Müller-Lüdenscheidt, Zoë",77,S2,zoe,A,\n'
)


def test_canvas(classroom: Classroom, other: Classroom) -> None:
    """Canvas's late, repeated, anonymous and text submissions are collected; the gradebook says whose each is.

    Canvas calls a file NAME_USER_FILE_ORIGINAL, with LATE after a late student's name and -1 behind a resubmission.
    Without a roster, the id holds both the name and Canvas's number, since two students may have one name.
    """
    members = {
        f"doejane_LATE_1234_9001_{TENSORS}-1.ipynb": ONE, "doejane_LATE_1234_9002_data.csv": "1,2",
        f"müllerlüdenscheidtzoë_77_9003_{NB}": TWO, f"anon_x7Qz9_9004_{NB}": ONE,
        "roealex_88_text.html": "<p>I did it</p>",
    }  # fmt: skip
    files, remarks, *numbers = classroom.collect(members, CANVAS)
    assert files == {"jdoe": ONE, "jdoe/data.csv": "1,2", "zoe": TWO, "anon_x7Qz9": ONE}
    assert numbers == [3, 0]
    no_notebook = NO_NOTEBOOK.format("text.html")
    assert remarks == {"roealex_88": f"{STRANGER} | {no_notebook}", "anon_x7Qz9": STRANGER}
    assert json.loads((classroom.submitted / "jdoe" / TENSORS / intake.RECEIVED).read_text()) == {
        "late": "marked late by Canvas", "name": f"doejane_LATE_1234_9001_{TENSORS}-1.ipynb", "system": "canvas",
        "number": "1234", "turn": [9001, 1],
    }  # fmt: skip
    found = {one.where: one.text for one in intake.find(classroom.folder, None).remarks}
    assert found[f"jdoe/{TENSORS}"] == "marked late by Canvas"
    files, remarks, *_ = other.collect({f"doejane_{user}_{user}9_{NB}": ONE for user in (1, 2)})
    assert (set(files), remarks) == ({"doejane_1", "doejane_2"}, {})


@pytest.mark.parametrize(
    "name",
    ["Zoë Doe_123_assignsubmission_file/{}", "Zoë Doe_123_assignsubmission_file_/sub/{}",
     "Zoë Doe_123_assignsubmission_file_{}"],
    ids=["folders", "older folders", "flat"],
)  # fmt: skip
def test_moodle(classroom: Classroom, other: Classroom, name: str) -> None:
    members = {
        name.format(NB): ONE,
        "Zoë Doe_124_assignsubmission_file_/hw.ipynb": TWO,
        "Max Roe_125_assignsubmission_onlinetext/onlinetext.html": "<p>",
    }
    worksheet = "Identifier,Full name,ID number,Email address\nParticipant 123,Zoë Doe,,zd@x.edu\n"
    worksheet += "Participant 124,Zoë Doe,777,z2@x.edu\nParticipant 125,Max Roe,,m@x.edu\n"
    files, remarks, *_ = classroom.collect(members, worksheet)
    assert files == {"zd@x.edu": ONE, "777": TWO}
    assert list(remarks) == ["m@x.edu"]
    assert set(other.collect(members).files) == {"Zoë Doe 123", "Zoë Doe 124"}


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
    classroom: Classroom, titles: str, row: str, student: str
) -> None:
    people = {"71": "ann", "72": "bea"}
    rows = [row.format(number, name, name) for number, name in people.items()]
    prefix = row.partition(" ")[0].replace("/", "") if "@" not in row else "{} Ash"
    names = [f"{prefix.format(name)}_{number}_assignsubmission_file/{NB}" for number, name in people.items()]
    files, remarks, *_ = classroom.collect(dict(zip(names, (ONE, TWO), strict=True)), "\n".join([titles, *rows, ""]))
    wanted = [student.format(name if "@" in row else number) for number, name in people.items()]
    assert files == {wanted[0]: ONE, wanted[1]: TWO} and remarks == {}


def test_the_inbound_folder_of_nbgraders_exchange(classroom: Classroom) -> None:
    """A folder of nbgrader's exchange is named by student, unit and time; of a student's several the latest counts."""
    members = {}
    for student, day, text in (("jane", 20, TWO), ("jane", 19, ONE), ("bo", 21, ONE)):
        home = f"inbound/{student}+{TENSORS}+2026-11-{day} 10:00:00 UTC+{day}ab"
        members |= {f"{home}/{NB}": text, f"{home}/timestamp.txt": f"2026-11-{day} 10:00:00 UTC"}
    files, remarks, *_ = classroom.collect(members)
    assert files == {
        "jane": TWO, "jane/older/1": ONE, "jane/timestamp.txt": "2026-11-20T10:00:00\n",
        "bo": ONE, "bo/timestamp.txt": "2026-11-21T10:00:00\n",
    }  # fmt: skip
    (line,) = remarks.values()
    assert " counts, since it is the latest; the rest" in line


@pytest.mark.parametrize("form", ["12-34 - {} - {}/{}", "12-34 - {}- {} - {}"], ids=["folders", "files"])
def test_brightspace(classroom: Classroom, other: Classroom, form: str) -> None:
    days = ("Nov 9, 2026 905 PM", "Nov 20, 2026 1011 AM")
    first, last = (form.format("Jane Doe", day, "hw.ipynb") for day in days)
    members = {last: TWO, first: ONE, form.format("Bo Roe", "Nov 3, 2026 1201 AM", NB): ONE, "index.html": "<html>"}
    roster = by_hand("jd,Jane,Doe", "12,Bo,Roe")
    files, remarks, *_ = classroom.collect(members, roster)
    assert files == {"jd": TWO, "jd/older/1": ONE, "12": ONE}
    assert remarks[f"jd/{TENSORS}"] == f"{last} counts, since it is the latest; the rest is kept in older/: {first}"
    members = {first: ONE, form.format("Jane Doe", days[1], "b.ipynb").replace("12-34", "13-35"): TWO}
    text = "LOOK notebooks of several people were taken as this student's: Jane Doe, Jane Doe | "
    assert other.collect(members, roster).remarks[f"jd/{TENSORS}"].startswith(text)


def receipt(user: str, name: str = "Jane Doe") -> str:
    return f"Name: {name} ({user})\nAssignment: Tensors\nComments:\nName: Bo Roe (broe)\n"


def attempt(user: str, file: str = f"_{NB}", second: int = 0) -> str:
    return f"Week_1 Tensors_{user}_attempt_2026-11-20-10-11-{second:02}{file}"


def test_blackboard(classroom: Classroom, other: Classroom, tmp_path: Path) -> None:
    """Of a Blackboard user's attempts the latest counts, and the receipt of each attempt says whose it is.

    A file is called ASSIGNMENT_USERNAME_attempt_TIME_ORIGINAL. A receipt is nobody's work: it is not collected, and is
    mentioned only where somebody has handed in nothing else.
    """
    first, latest = attempt("jdoe", second=1), attempt("jdoe", second=2)
    members: dict[str, str | bytes] = {
        first: ONE, latest: TWO, attempt("jdoe", "_data.csv", 2): "1,2",
        attempt("jdoe", ".txt", 1): receipt("jdoe"), attempt("jdoe", ".txt", 2): receipt("jdoe"),
        attempt("j_doe", "_hw.zip"): packed({f"hw/{NB}": TWO, attempt("jdoe", second=9): ONE}),
        attempt("j_doe", ".txt"): receipt("j_doe"), attempt("broe", ".txt"): receipt("broe", "Bo Roe"),
    }  # fmt: skip
    files, remarks, *_ = classroom.collect(members)
    assert files["jdoe"] == TWO and files["jdoe/data.csv"] == "1,2"
    assert {name.partition("/")[0] for name in files} == {"jdoe", "j_doe"}
    assert not any(name.endswith(".txt") for name in files)
    assert remarks["broe"].startswith("LOOK this student handed in no notebook, only Week_1 Tensors_broe_attempt_")
    text = f"{latest} counts, since it is the latest; the rest is kept in older/: {first}"
    assert remarks[f"jdoe/{TENSORS}"] == text
    weeks = {f"gradebook_2026-ML_{week}.zip": packed(members) for week in ("Tensors", "Tensors again")}
    assert set(other.collect(unpacked(tmp_path / "weeks", weeks)).files) == set(files)


def test_blackboards_people_stay_apart_and_whom_nothing_tells_is_named(classroom: Classroom, other: Classroom) -> None:
    members = {attempt(user): TWO for user in ("jd1", "jd2")}
    members |= {attempt(user, ".txt"): receipt(user) for user in ("jd1", "jd2")}
    rows = '"Last Name","First Name","Username","Student ID"\nDoe,Jane,JD1,71\nDoe,Jane,jd2,72\n'
    assert set(classroom.collect(members, rows).files) == {"JD1", "jd2"}
    unclear = {attempt(user): ONE for user in ("x_doe", "y_doe", "z_jd1")}
    files, remarks, *_ = other.collect(unclear | {attempt("roe"): ONE} | members)
    assert set(files) == {"jd1", "jd2", "roe"}
    says(remarks, dict.fromkeys(unclear, NAMELESS))


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


def test_gradescope(classroom: Classroom) -> None:
    """Gradescope's metadata file says whose a submission is, and when it came; a group's file is each member's."""
    texts = {1: ONE, 2: TWO, 3: ONE, 4: ONE}
    members: dict[str, str | bytes] = {f"e/submission_{number}/{NB}": text for number, text in texts.items()}
    members |= {
        "e/submission_1/lib/helper.py": "x = 1",
        "e/submission_1/submission_metadata.yml": GRADESCOPE.replace("submission_1", "lib").replace("S1", "victim"),
        "e/submission_metadata.yml": GRADESCOPE,
        "__MACOSX/e/._submission_metadata.yml": b"\0",
    }
    files, remarks, *_ = classroom.collect(members, "First Name,Last Name,SID,Email\nA,B,one,one@x.edu\n")
    assert files.pop("S1/submission_metadata.yml")
    assert files == {
        "S1": ONE, "S1/lib/helper.py": "x = 1", "S1/timestamp.txt": "2026-03-02T10:11:12.345678+00:00\n",
        "one": TWO, "one/timestamp.txt": "2026-03-03T22:00:00+00:00\n",
        "22": TWO, "22/timestamp.txt": "2026-03-03T22:00:00+00:00\n",
    }  # fmt: skip
    nameless = {f"e/submission_{number}/{NB}": NAMELESS for number in (3, 4)}
    says(remarks, {"S1": STRANGER, "22": STRANGER, **nameless})
    (found,) = (one for one in intake.find(classroom.folder, None).submissions if one.student == "S1")
    assert found.submitted == "2026-03-02T10:11:12.345678"


@pytest.mark.parametrize("text", ["- a list", "{", "a: *nowhere"])
def test_a_metadata_file_that_is_none_is_one_line(classroom: Classroom, text: str) -> None:
    with pytest.raises(archive.Unreadable, match="submission_metadata.yml cannot be read"):
        classroom.collect({"e/submission_metadata.yml": text, f"e/submission_1/{NB}": ONE})


@pytest.mark.parametrize("text", ["s:\n  :submitters:\n  - :sid: jdoe\n  :created_at: 2099-01-01 10:00:00 Z\n", "["])
@pytest.mark.parametrize(
    ("jane", "theirs"),
    [
        (f"doejane_1234_1_{NB}", "mal_66_2_work.zip"),
        (f"Jane Doe_1_assignsubmission_file/{NB}", "Mal_2_assignsubmission_file"),
        (f"jdoe/{TENSORS}/{NB}", f"mal/{TENSORS}"),
    ],
)
def test_a_metadata_file_that_a_student_hands_in_is_not_believed(
    classroom: Classroom, text: str, jane: str, theirs: str
) -> None:
    inner = {"submission_metadata.yml": text, f"s/{NB}": TWO}
    is_zip = theirs.endswith(".zip")
    members: Members = {theirs: packed(inner)} if is_zip else {f"{theirs}/{name}": one for name, one in inner.items()}
    files = classroom.collect({jane: ONE, **members}, CANVAS).files
    assert files.pop("jdoe") == ONE
    assert not any(name.startswith("jdoe") for name in files) and TWO in files.values()


def test_a_metadata_file_makes_no_object(classroom: Classroom, tmp_path: Path) -> None:
    """A tag by which other readers of YAML would call a function is read as text: collecting runs nothing."""
    text = f"submission_1:\n  :submitters: !!python/object/apply:os.system ['touch {tmp_path}/made']\n"
    with suppress(archive.Unreadable):
        classroom.collect({"submission_metadata.yml": text, f"submission_1/{NB}": ONE})
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("top", ["", "class/", "class/submitted/"])
@pytest.mark.parametrize("kind", ["zip", "tar", "folder"])
def test_folders_of_students_however_they_are_wrapped(
    classroom: Classroom, tmp_path: Path, top: str, kind: str
) -> None:
    members = {f"{top}ana/{TENSORS}/{NB}": ONE, f"{top}bo/{NB}": TWO}
    members |= {f"{top}cy/hw.zip": packed({f"hw/{NB}": ONE, "hw/data/x.csv": "1"})}
    given: Members | Path = members if kind == "zip" else unpacked(tmp_path / "given", members)
    if kind == "tar":
        given = tmp_path / "class.tar.gz"
        with tarfile.open(given, "w:gz") as made:
            made.add(tmp_path / "given", "")
    assert classroom.collect(given).files == {"ana": ONE, "bo": TWO, "cy": ONE, "cy/data/x.csv": "1"}


def test_of_several_the_latest_with_answers_counts_and_the_others_are_kept(classroom: Classroom) -> None:
    """Canvas's number of a file says which is the latest, whatever a browser has added to the name."""
    members = {
        f"a_1_10_{NB}": ONE, f"a_1_11_{TENSORS}-1.ipynb": TWO, f"a_1_12_{TENSORS}-2.ipynb": EMPTY,
        f"a_1_9_{TENSORS} (3).ipynb": ONE,
    }  # fmt: skip
    files, remarks, *_ = classroom.collect(members)
    assert files == {"a_1": TWO, "a_1/older/1": ONE, "a_1/older/2": EMPTY}
    says(remarks, {f"a_1/{TENSORS}": f"a_1_11_{TENSORS}-1.ipynb counts, since it is the latest"})


def test_collecting_again_overwrites_nothing_without_saying_so(classroom: Classroom) -> None:
    classroom.collect({f"ana/{NB}": ONE})
    assert classroom.collect({f"ana/{NB}": ONE}) == ({"ana": ONE}, {}, 0, 1)
    files, remarks, *_ = classroom.collect({f"ana/{NB}": TWO})
    assert files == {"ana": TWO, "ana/older/1": ONE}
    text = f"it was replaced by ana/{NB}; the notebook that lay there is kept as older/{TENSORS}.1.ipynb"
    assert remarks == {f"ana/{TENSORS}": text}


def graded_on(day: int) -> str:
    return f"s:\n  :submitters:\n  - ':sid': ana\n  :created_at: 2026-03-0{day} 10:00:00 Z\n"


@pytest.mark.parametrize(
    ("student", "older", "later"),
    [
        ("doejane_1", {f"doejane_1_100_{NB}": ONE}, {f"doejane_LATE_1_110_{TENSORS}-1.ipynb": TWO}),
        ("jdoe", {attempt("jdoe", second=1): ONE}, {attempt("jdoe", second=2): TWO}),
        ("Jane Doe", {f"1-2 - Jane Doe - Nov 9, 2026 905 PM/{NB}": ONE},
         {f"1-2 - Jane Doe - Nov 20, 2026 1011 AM/{NB}": TWO}),
        ("ana", {f"s/{NB}": ONE, "submission_metadata.yml": graded_on(2)},
         {f"s/{NB}": TWO, "submission_metadata.yml": graded_on(3)}),
    ],
    ids=["canvas", "blackboard", "brightspace", "gradescope"],
)  # fmt: skip
def test_an_older_download_does_not_replace_a_later_notebook(
    classroom: Classroom, student: str, older: Members, later: Members
) -> None:
    for members in (older, later, older):
        files, remarks, new, _ = classroom.collect(members)
    assert (files[student], files[f"{student}/older/1"], new) == (TWO, ONE, 0)
    text = f"the notebook there is later; {next(iter(older))} is kept as older/{TENSORS}.1.ipynb"
    assert remarks == {f"{student}/{TENSORS}": text}


def test_the_unit_is_what_the_cells_say_then_the_name_then_what_was_asked_for(
    classroom: Classroom, other: Classroom
) -> None:
    members = {f"ana/{NB}": OTHER, f"bo/final {TENSORS} (3).ipynb": "{}", "cy/hw.ipynb": "{}"}
    files, remarks, *_ = classroom.collect(members)
    assert set(files) == {f"ana/{ATTENTION}", "bo"}
    says(remarks, {
        f"ana/{NB}": f"its cells belong to {ATTENTION}; it is taken as {ATTENTION}",
        "cy/hw.ipynb": "LOOK not collected: its name does not contain a unit, and the file is JSON but not",
    })  # fmt: skip
    assert set(other.collect(members, requested=[TENSORS]).files) == {f"ana/{ATTENTION}", "bo", "cy"}


def test_another_units_notebook_than_was_asked_for_is_told(classroom: Classroom) -> None:
    members = {f"ada_1_10_{NB}": ONE, f"ada_1_11_{OTHER_NB}": OTHER, f"bo_2_12_{OTHER_NB}": OTHER}
    files, remarks, *_ = classroom.collect(members, requested=[TENSORS])
    assert set(files) == {"ada_1", f"ada_1/{ATTENTION}", f"bo_2/{ATTENTION}"}
    text = f"this is not {TENSORS}, so it is kept, and not graded now"
    assert remarks == {f"ada_1/{ATTENTION}": text, f"bo_2/{ATTENTION}": f"LOOK {text}"}


def test_a_notebook_without_answers_does_not_replace_one_that_has_some(classroom: Classroom, other: Classroom) -> None:
    for room, texts, said in (
        (classroom, (ONE, EMPTY), "LOOK the notebook there holds answers"), (other, (EMPTY, ONE), "it was replaced by")
    ):  # fmt: skip
        for number, text in enumerate(texts):
            files, remarks, *_ = room.collect({f"bo_2_1{number}_{NB}": text})
        assert files == {"bo_2": ONE, "bo_2/older/1": EMPTY}
        assert remarks[f"bo_2/{TENSORS}"].startswith(said)


def test_where_nothing_says_which_is_later_the_one_with_the_units_name_counts(classroom: Classroom) -> None:
    """Where nothing tells which notebook is later, the unit's name or else the first decides, and somebody should look.

    The `._` files that macOS leaves beside a notebook are not counted as one.
    """
    jane, bo = "Jane Doe_5_assignsubmission_file", "Bo Roe_6_assignsubmission_file"
    members = {
        f"{jane}/._{NB}": b"\0\5\x16\7", f"{jane}/{TENSORS} (old).ipynb": ONE, f"{jane}/{NB}": TWO,
        f"{bo}/draft.ipynb": ONE, f"{bo}/final.ipynb": TWO,
    }  # fmt: skip
    files, remarks, *_ = classroom.collect(members)
    assert files == {"Jane Doe": TWO, "Jane Doe/older/1": ONE, "Bo Roe": ONE, "Bo Roe/older/1": TWO}
    text = "LOOK {} counts, though nothing says which one is later; the rest is kept in older/: {}"
    assert remarks == {
        f"Jane Doe/{TENSORS}": text.format(f"{jane}/{NB}", f"{jane}/{TENSORS} (old).ipynb"),
        f"Bo Roe/{TENSORS}": text.format(f"{bo}/draft.ipynb", f"{bo}/final.ipynb"),
    }


def test_files_go_with_the_notebook_whose_folder_they_lie_in(classroom: Classroom) -> None:
    members = {
        f"ada/{TENSORS}/{NB}": ONE, f"ada/{TENSORS}/lib/helper.py": "x = 1",
        f"ada/{ATTENTION}/{OTHER_NB}": OTHER, f"ada/{ATTENTION}/data.csv": "1", "ada/notes/todo.txt": "2",
        "bo/one.ipynb": ONE, "bo/two.ipynb": OTHER, "bo/helper.py": "y = 1", f"bo/{ATTENTION}/data.csv": "2",
        f"cy/{NB}": ONE, "cy/data/x.csv": "3",
    }  # fmt: skip
    files, remarks, *_ = classroom.collect(members)
    assert {name: text for name, text in files.items() if text not in (ONE, OTHER)} == {
        "ada/lib/helper.py": "x = 1", f"ada/{ATTENTION}/data.csv": "1",
        "ada/todo.txt": "2", f"ada/{ATTENTION}/todo.txt": "2",
        "bo/helper.py": "y = 1", f"bo/{ATTENTION}/helper.py": "y = 1", f"bo/{ATTENTION}/{ATTENTION}/data.csv": "2",
        "cy/data/x.csv": "3",
    }  # fmt: skip
    assert remarks == {}


def test_files_are_handed_in_again_with_the_notebook(classroom: Classroom, other: Classroom) -> None:
    again = {f"a_1_20_{TENSORS}-1.ipynb": TWO, "a_1_21_helper-1.py": "v = 2", "a_1_22_data-1-1.csv": "1"}
    classroom.collect({f"a_1_10_{NB}": ONE, "a_1_11_helper.py": "v = 1", "a_1_12_data-1.csv": "1"})
    for number in range(2):
        files, remarks, *_ = classroom.collect(again)
        assert files == {
            "a_1": TWO, "a_1/older/1": ONE, "a_1/helper.py": "v = 2", "a_1/older/.helper.1.py": "v = 1",
            "a_1/data-1.csv": "1",
        }  # fmt: skip
        texts = [text for where, text in remarks.items() if where == "a_1_21_helper-1.py"]
        assert texts == ["it takes the place of another helper.py, kept as older/.helper.1.py"][number:]
    (one,) = intake.find(classroom.folder, None).submissions
    assert [file.name for file in handed_in(one).files] == ["data-1.csv", "helper.py"], "what is older is not handed in"
    own: dict[str, str | bytes] = {f"b_1_20_{TENSORS}-1.ipynb": TWO, "b_1_21_x-1.py": "1", "b_1_22_x.py": "2"}
    files = other.collect(own | {"b_1_23_w-1.zip": packed({"y-1.py": "3"})}).files
    assert set(files) == {"b_1", "b_1/x-1.py", "b_1/x.py", "b_1/y-1.py"}


def test_of_two_files_for_one_place_the_later_is_there_and_both_are_told(
    classroom: Classroom, other: Classroom
) -> None:
    text = "it takes the place of another x.py, kept as older/.x.1.py"
    for _ in range(2):
        files, remarks, *_ = classroom.collect(
            {f"a_1_10_{NB}": ONE, "a_1_12_x.py": "late", "a_1_11_w.zip": packed({"x.py": "early"})}
        )
        assert files == {"a_1": ONE, "a_1/x.py": "late", "a_1/older/.x.1.py": "early"}
        assert remarks == {"a_1_12_x.py": text}
    members = {f"bo/w/{NB}": ONE, "bo/p/x.py": "1", "bo/q/x.py": "2", f"cy/{NB}": ONE}
    files, remarks, *_ = other.collect(members)
    assert (files["bo/x.py"], files["bo/older/.x.1.py"]) == ("1", "2")
    assert remarks == {"bo/p/x.py": f"LOOK {text}; nothing says which one is later"}


def test_files_of_a_notebook_that_does_not_count_are_named(classroom: Classroom) -> None:
    classroom.collect({f"ana/{NB}": ONE, "ana/x.py": "1"})
    files, remarks, *_ = classroom.collect({f"ana/{NB}": EMPTY, "ana/x.py": "2"})
    assert files["ana/x.py"] == "1"
    text = "LOOK this notebook does not count, so the files beside it are not collected: x.py"
    assert remarks[f"ana/{NB}"] == text


def test_a_time_is_read_from_the_folder_and_never_lost(classroom: Classroom, other: Classroom) -> None:
    """nbgrader's `timestamp.txt` beside a notebook is its time; collecting the same notebook again leaves it there."""
    when, noted = "2026-01-01 10:00:00 UTC", "2026-01-01T10:00:00\n"
    members: dict[str, str | bytes] = {
        f"class/ada/{TENSORS}/{NB}": ONE, f"class/ada/{TENSORS}/timestamp.txt": when,
        "class/bo/one.ipynb": ONE, "class/bo/timestamp.txt": "2026-01-01 09:00:00 UTC",
        "class/bo/last/two.ipynb": TWO, "class/bo/last/timestamp.txt": when,
        "class/cy/hw.zip": packed({NB: ONE, "timestamp.txt": when}),
    }  # fmt: skip
    files, remarks, *_ = classroom.collect(members)
    assert files == {
        "ada": ONE, "ada/timestamp.txt": noted, "bo": TWO, "bo/timestamp.txt": noted, "bo/older/1": ONE, "cy": ONE
    }  # fmt: skip
    assert remarks[f"bo/{TENSORS}"].startswith("class/bo/last/two.ipynb counts, since it is the latest")
    home = "Di Doe_5_assignsubmission_file"
    assert set(other.collect({f"{home}/{NB}": ONE, f"{home}/timestamp.txt": when}).files) == {"Di Doe"}
    assert classroom.collect({f"ada/{NB}": ONE}).files["ada/timestamp.txt"] == noted
    files = classroom.collect({f"ada/{NB}": TWO}).files
    assert "ada/timestamp.txt" not in files, "it was the time of the notebook before"


def test_who_handed_in_no_notebook_needs_a_look(classroom: Classroom) -> None:
    form = "{}_assignsubmission_file/{}"
    members = {form.format("Ada L_1", NB): ONE, form.format("Bo Roe_2", f"{TENSORS}.py"): TWO}
    files, remarks, *_ = classroom.collect(members | {form.format("Cy Coe_3", "answers.rar"): "Rar!"})
    assert set(files) == {"Ada L"}
    assert remarks == {"Bo Roe": NO_NOTEBOOK.format(f"{TENSORS}.py"), "Cy Coe": NO_NOTEBOOK.format("answers.rar")}


def absentees(classroom: Classroom, members: Members, roster: str, *requested: str) -> dict[str, str]:
    """The units with a line on who has handed in nothing, and these lines."""
    given = classroom.folder.with_suffix(".zip")
    given.write_bytes(packed(members))
    classroom.folder.mkdir(exist_ok=True)
    taken = collect(given, classroom.folder, read(classroom.folder, roster), requested)
    return {
        one.where: one.text for one in taken.remarks if one.text.startswith("no notebook of") and not one.needs_look
    }


def test_whom_the_roster_has_and_who_handed_in_nothing_is_told(classroom: Classroom) -> None:
    roster = by_hand("zd,Zoë,Doe", "mr,Max,Roe", "bp,Bo,Poe")
    for section, lines in (
        ("Zoë Doe_123", {TENSORS: "no notebook of 2 of the 3 in the roster: bp (Poe, Bo), mr (Roe, Max)"}),
        ("Max Roe_124", {TENSORS: "no notebook of 1 of the 3 in the roster: bp (Poe, Bo)"}),
        ("Bo Poe_125", {}),
    ):
        assert absentees(classroom, {f"{section}_assignsubmission_file/{NB}": ONE}, roster) == lines


def test_in_a_unit_that_nobody_set_nobody_is_missing(classroom: Classroom) -> None:
    names = [f"s{number}" for number in range(6)]
    members = {f"{name}/{NB}": notebook(TENSORS, 1, name) for name in names} | {f"bo/{NB}": OTHER}
    roster = by_hand(*(f"{name},," for name in (*names, "bo")))
    assert set(absentees(classroom, members, roster)) == {TENSORS}
    assert set(absentees(classroom, members, roster, ATTENTION)) == {TENSORS, ATTENTION}


# Hostile and odd files


def linked(path: str, kind: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path)
    info.external_attr = (kind | 0o777) << 16
    return info


def test_hostile_members_are_named_and_the_others_collected(classroom: Classroom, tmp_path: Path) -> None:
    made = tmp_path / "s.zip"
    with zipfile.ZipFile(made, "w") as opened, pytest.warns(UserWarning, match="Duplicate name"):
        for name, text in ((f"ana/{NB}", ONE), (f"ana/{NB}", TWO), ("\x1b[31mflo\n/hw.docx", "")):
            opened.writestr(name, text)
        for name in ("../../escaped.ipynb", "/etc/escaped.ipynb", "C:\\escaped.ipynb", "di/secret.ipynb"):
            opened.writestr(name, ONE)
        opened.writestr(linked(f"bo/{NB}", stat.S_IFLNK), "/etc/passwd")
        opened.writestr(linked(f"cy/{NB}", stat.S_IFCHR), "")
    raw = made.read_bytes()
    at = raw.rindex(b"di/secret.ipynb") - 46  # the central directory's entry: its flags stand at 8
    made.write_bytes(raw[: at + 8] + bytes([raw[at + 8] | 1]) + raw[at + 9 :])
    files, remarks, *_ = classroom.collect(made)
    assert files == {"ana": ONE}
    outside = "LOOK not collected: its name leads outside the archive"
    (flo,) = (where for where in remarks if "flo" in where)
    assert "\x1b" not in flo and "\n" not in flo
    says(remarks, {
        f"ana/{NB}": "LOOK not collected: this is a second file of the same name; the first one counts",
        "../../escaped.ipynb": outside, "/etc/escaped.ipynb": outside, "C:\\escaped.ipynb": outside,
        "di/secret.ipynb": "encrypted", f"bo/{NB}": "LOOK not collected: it is a link; links are not followed",
        f"cy/{NB}": "not an ordinary file", flo: NO_NOTEBOOK.format("hw.docx"),
    })  # fmt: skip
    assert not list(tmp_path.rglob("escaped*"))


def test_a_bomb_costs_itself_alone(classroom: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "STUDENTS", archive.ArchiveLimits(files=20, bytes=1 << 20, seconds=30.0))
    bomb = packed({"x.bin": b"\0" * (2 << 20), NB: TWO})
    deep = packed({NB: TWO})
    for _ in range(3):
        deep = packed({"inner.zip": deep})
    members: dict[str, str | bytes] = {
        f"ana/{NB}": ONE, "bo/hw.zip": bomb, "cy/hw.zip": packed({f"{n}.txt": "" for n in range(21)}),
        "di/hw.zip": b"PK\x03\x04 cut off", "eva/hw.zip": deep,
        "flo/hw.zip": bomb.replace((2 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little")),
    }  # fmt: skip
    files, remarks, *_ = classroom.collect(members)
    assert files == {"ana": ONE, "flo": TWO}
    says(remarks, {
        "bo/hw.zip": "LOOK not collected: this archive has more than 1 MB unpacked, so it was not read",
        "cy/hw.zip": "LOOK not collected: this archive has more than 20 files, so it was not read",
        "di/hw.zip": "LOOK not collected: this archive cannot be read",
        "eva/hw.zip/inner.zip/inner.zip": "archives are opened 2 deep, and this one lies deeper",
        "flo/hw.zip/x.bin": "LOOK not collected: it cannot be read (Bad CRC-32",
    })  # fmt: skip


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_costs_itself_alone(classroom: Classroom, tmp_path: Path, method: int) -> None:
    made = tmp_path / "s.zip"
    with zipfile.ZipFile(made, "w", method) as opened:
        opened.writestr(f"ana/{NB}", ONE)
        opened.writestr(f"bo/{NB}", TWO)
    broken = bytearray(made.read_bytes())
    at = broken.index(f"bo/{NB}".encode()) + len(f"bo/{NB}")
    broken[at + 12 : at + 60] = b"\xff" * 48
    made.write_bytes(broken)
    files, remarks, *_ = classroom.collect(made)
    assert set(files) == {"ana"}
    says(remarks, {f"bo/{NB}": "LOOK not collected: it cannot be read ("})


@pytest.mark.parametrize(
    ("members", "expected", "reasons"),
    [
        ({"a/" * depth + "x.py": "1" for depth in (32, 33, 1700, 20_000)}, "a/" * 32 + "x.py",
         [archive.TOO_DEEP] * 3),
        ({"д" * 126 + ".py": "x = 1"}, "д" * 126 + ".py", []),
        ({"lib\\": "", "lib\\helper.py": "x = 1"}, "lib/helper.py", []),
        ({"ä" * 140 + ".txt": "x", "zhelper.py": "a = 1"}, "zhelper.py",
         ["it cannot be copied to its place (File name too long)"]),
    ],
    ids=["too deep", "as long as the disk takes", "a folder from Windows", "too long for the disk"],
)  # fmt: skip
def test_a_file_with_an_odd_path_costs_at_most_itself(
    classroom: Classroom, members: Members, expected: str, reasons: list[str]
) -> None:
    files, remarks, *_ = classroom.collect({"ana_1_2_w.zip": packed({NB: ONE, **members}), f"bo_2_3_{NB}": TWO})
    assert set(files) == {"ana_1", f"ana_1/{expected}", "bo_2"}
    assert " | ".join(remarks.values()) == " | ".join(f"LOOK not collected: {reason}" for reason in reasons)


def test_names_that_are_no_utf8_are_read_as_an_older_system_wrote_them(classroom: Classroom, tmp_path: Path) -> None:
    for name, text in ((b"M\xfcller", ONE), (b"M\xf6ller", TWO)):
        unpacked(tmp_path / "from" / os.fsdecode(name), {NB: text})
    assert classroom.collect(tmp_path / "from").files == {"Müller": ONE, "Möller": TWO}


def test_a_folder_in_a_notebooks_place_is_told(classroom: Classroom) -> None:
    (classroom.submitted / "ana" / TENSORS / NB).mkdir(parents=True)
    why = "LOOK not collected: its place in submitted/ cannot be used (Is a directory)"
    assert classroom.collect({f"ana/{NB}": ONE, f"bo/{NB}": ONE}) == ({"bo": ONE}, {f"ana/{TENSORS}": why}, 1, 0)


def test_links_in_a_given_folder_and_in_the_place_are_not_followed(classroom: Classroom, tmp_path: Path) -> None:
    given, secret = unpacked(tmp_path / "given", {f"ana/{NB}": ONE}), unpacked(tmp_path / "secret", {NB: TWO})
    (given / "bo").symlink_to(secret)
    (given / "ana" / "more.ipynb").symlink_to(secret / NB)
    os.mkfifo(given / "ana" / "pipe.ipynb")
    files, remarks, *_ = classroom.collect(given)
    assert (files, set(remarks)) == ({"ana": ONE}, {"bo", "ana/more.ipynb", "ana/pipe.ipynb"})
    (classroom.submitted / "ana").rename(tmp_path / "moved")
    (classroom.submitted / "ana").symlink_to(secret)
    assert "its place in submitted/ is a link" in classroom.collect(given).remarks[f"ana/{TENSORS}"]
    assert [path.name for path in secret.iterdir()] == [NB]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "cannot be read .No such file"),
        ("x.pdf", "expected a folder, or a file"),
        ("x.zip", "x.zip: this archive cannot be read .*; download it again, or unpack it and give the folder"),
    ],
)
def test_what_is_no_archive_is_one_line(classroom: Classroom, tmp_path: Path, name: str, words: str) -> None:
    unpacked(tmp_path, {"x.pdf": "%PDF", "x.zip": "no zip"})
    with pytest.raises(archive.Unreadable, match=words):
        classroom.collect(tmp_path / name)


@pytest.mark.parametrize("place", [".", "class", "class/../class"])
def test_what_holds_the_classroom_itself_is_not_collected(place: str, classroom: Classroom, tmp_path: Path) -> None:
    """A folder with the classroom in it is refused: the notebooks in `autograded/` would replace those handed in."""
    unpacked(classroom.folder, {f"{name}/ana/{TENSORS}/{NB}": ONE for name in ("submitted", "autograded")})
    text = "the classroom lies inside it; expected the learning system's download"
    with pytest.raises(intake.IntakeError, match=text):
        classroom.collect(tmp_path / place)
    assert classroom.collect(classroom.submitted) == ({"ana": ONE}, {}, 0, 1)


@pytest.mark.parametrize("ending", [".ipynb.txt", ".ipynb.json", ".IPYNB"])
def test_a_notebook_whose_name_a_browser_has_changed_is_one(classroom: Classroom, ending: str) -> None:
    assert classroom.collect({f"ada/{TENSORS}{ending}": ONE}).files == {"ada": ONE}
    unpacked(classroom.submitted, {f"bo/{TENSORS}/{TENSORS}{ending}": ONE})
    found = {one.student: one for one in intake.find(classroom.folder, [TENSORS]).submissions}
    assert found["bo"].path.name == f"{TENSORS}{ending}" and not found["bo"].refused


# Whose a file is


def whose(*names: str) -> dict[str, str]:
    """File name -> the student to whom `claims` gives the file, or "" where it gives it to nobody."""
    items = [Item(name, Path("/nowhere")) for name in names]
    claimed, nobodys = claims(items, [TENSORS, ATTENTION])
    assert len(claimed) + len(nobodys) == len(items)
    return {one.item.name: one.person.own for one in claimed} | {item.name: "" for item in nobodys}


@pytest.mark.parametrize(
    "files",
    [
        {f"ada/{NB}": "ada", "bo/attention_2026_01_15.ipynb": "bo", "cy/attention_2026_11_15.ipynb": "cy"},
        {"ada/ex_1_2_tensors.ipynb": "ada", "bo/ex_1_2_tensors.ipynb": "bo"},
        {"ada/hw_1_2_last.zip/hw.ipynb": "ada", "bo/hw.zip/run_1_2_x.ipynb": "bo"},
        {f"ada/{TENSORS} - Copy.ipynb": "ada", f"bo/{TENSORS} - Kopie.ipynb": "bo", f"cy/{NB}": "cy"},
        {f"w3/{TENSORS}/ada/{NB}": "ada", f"w3/{TENSORS}/bo/hw.ipynb": "bo", f"w3/{TENSORS}/x.ipynb": ""},
        {f"{who}/{TENSORS}/part{n}/hw.ipynb": who for who in ("ada", "bo") for n in (1, 2)},
        {f"{n}.zip/course/{TENSORS}/{NB}": n for n in ("ada", "bo", "cy")},
        {f"ada/{TENSORS}/work/{NB}": "ada", f"ada/{ATTENTION}/work/{OTHER_NB}": "ada"},
        {"class/ada/hw.ipynb": "ada", "class/bo/hw.ipynb": "bo", "class/hw.ipynb": "", "class/list.csv": ""},
        {f"{TENSORS}/{NB}": "", f"{TENSORS}.zip/ada/hw.ipynb": "ada"},
        {"3.zip/doejane_1_2_a.ipynb": "doejane_1", "3.zip/roebob_3_4_a.ipynb": "roebob_3",
         "4.zip/doejane_1_5_b.ipynb": "doejane_1"},
        {f"bo/{TENSORS}/{attempt('ada')}": "bo", f"ada/{TENSORS}/{NB}": "ada"},
    ],
    ids=lambda files: next(iter(files)),
)  # fmt: skip
def test_whose_a_file_is_is_told_by_the_whole_download(files: dict[str, str]) -> None:
    assert whose(*files) == files


OTHERS = {f"ada/{TENSORS}/{NB}": "ada", f"bo/{TENSORS}/{NB}": "bo"}
EXCHANGED = {f"{who}+{TENSORS}+2026-11-20 10:11:12.0 UTC/{NB}": who for who in ("ada", "bo")}
BRIGHT = "1-4 - ada - Nov 4, 2026 1011 AM - a.ipynb"


@pytest.mark.parametrize(
    "files",
    [
        OTHERS | {f"eve/{TENSORS}/ada_7_assignsubmission_file_/a.ipynb": "eve"},
        OTHERS | {f"eve/{TENSORS}/x.zip/{BRIGHT}": "eve"},
        OTHERS | {f"eve/x.zip/{who}_7_8_a.ipynb": "eve" for who in ("ada", "bo")},
        OTHERS | {f"eve.zip/{who}/{TENSORS}/a.ipynb": "eve" for who in ("ada", "cy", "di", "fay")},
        {f"{who}/a.ipynb": who for who in ("ada", "bo")}
        | {f"eve/{who}/{TENSORS}/a.ipynb": "eve" for who in ("ada", "cy", "di", "fay")},
        {f"{TENSORS}/ada/a.ipynb": "ada", f"{TENSORS}/eve/x.zip/ada_7_assignsubmission_file_/a.ipynb": "eve"},
        EXCHANGED | {f"eve+{TENSORS}+2026-11-20 10:11:12.0 UTC/{BRIGHT}": "eve"},
        {"lovelaceada_1_2_a.ipynb": "lovelaceada_1"}
        | {f"eve_3_4_x.zip/{who}_7_assignsubmission_file_/a.ipynb": "eve_3" for who in ("ada", "bo")},
        {f"ada/{TENSORS}/a.ipynb": "ada", "eve_3_4_x.ipynb": ""},
        {"Ada L_1_assignsubmission_file_a.ipynb": "Ada L",
         "Eve M_2_assignsubmission_file_Ada L_1_assignsubmission_file_a.ipynb": "Eve M"},
    ],
    ids=range(10),
)  # fmt: skip
def test_what_a_student_packs_is_not_taken_as_anybody_elses(files: dict[str, str]) -> None:
    assert whose(*files) == files


@pytest.mark.parametrize(
    ("jane", "ada"),
    [
        ("doejane_123_456_hw.zip", f"lovelaceada_124_457_{NB}"),
        ("Jane Doe_123_assignsubmission_file/hw.zip", f"Ada Lovelace_124_assignsubmission_file/{NB}"),
        ("123-4 - Jane Doe - Nov 3, 2026 1011 AM - hw.zip", f"124-4 - Ada Lovelace - Nov 3, 2026 1012 AM - {NB}"),
    ],
    ids=["canvas", "moodle", "brightspace"],
)
def test_the_roster_gives_a_student_no_other_name_for_a_folder_in_their_archive(
    classroom: Classroom, jane: str, ada: str
) -> None:
    members: Members = {jane: packed({f"Ada Lovelace_124_assignsubmission_file/{NB}": TWO}), ada: ONE}
    assert classroom.collect(members, by_hand("71,Jane,Doe", "72,Ada,Lovelace")).files == {"71": TWO, "72": ONE}


IDS = "id,first_name,last_name,email\naash,Ann,Ash,a.ash@x.org\nbbirch,Bea,Birch,bea@x.org\n10,Cy,Coe,cy@x.org\n"


@pytest.mark.parametrize(
    ("ann", "bea"),
    [
        (f"homework/{TENSORS}_aash.ipynb", f"homework/bbirch {NB}"),  # one folder, the ids in the names
        ("aash.ipynb", f"{TENSORS}_bbirch.ipynb"),  # the same at the top
        (f"{TENSORS} - Ann Ash.ipynb", f"Upload (File responses)/{TENSORS} - BIRCH Béa.ipynb"),  # Google Forms
        (f"Week 1/Ann Ash - {NB}", f"Week 1/Bea Birch - Copy of {NB}"),  # Google Classroom
        (f"Monday/{TENSORS}/aash/{NB}", f"Friday/bbirch/{TENSORS}/{NB}"),  # sections
        (f"Submitted files/Ash, Ann/{TENSORS}/Version 1/{NB}", f"Submitted files/Bea Birch/{TENSORS}/a.ipynb"),
        (f"Ash_Ann_aash_501/{NB}", f"Birch_Bea_bbirch_502/{NB}"),  # ILIAS
        (f"mail/a.ash@x.org/{NB}", f"mail/from bea@x.org/{NB}"),
    ],
)
def test_the_rosters_ids_addresses_and_names_are_looked_for_in_the_whole_path(
    classroom: Classroom, ann: str, bea: str
) -> None:
    assert classroom.collect({ann: ONE, bea: TWO}, IDS) == ({"aash": ONE, "bbirch": TWO}, {}, 2, 0)


def test_a_file_in_a_shared_folder_that_names_nobody_is_nobodys(classroom: Classroom) -> None:
    nobodys = f"Week 1/{TENSORS}(1).ipynb"
    members = {f"Week 1/{TENSORS} - Ann Ash.ipynb": ONE, f"Week 1/{TENSORS} - Bea Birch.ipynb": TWO}
    files, remarks, *_ = classroom.collect({**members, nobodys: notebook(TENSORS, 3)}, IDS)
    assert set(files) == {"aash", "bbirch"}
    assert remarks == {nobodys: f"{NAMELESS}; put it into a folder named after the student's id, and collect again"}


@pytest.mark.parametrize("roster", ["", IDS])
def test_several_peoples_notebooks_are_not_taken_for_one_students(
    classroom: Classroom, other: Classroom, roster: str
) -> None:
    """Drafts of a student whom the roster knows, or of one student among others, are still collected."""
    members = {f"homework/{TENSORS}_{n}.ipynb": notebook(TENSORS, n) for n in (1, 2, 3)}
    with pytest.raises(intake.IntakeError, match=r"^homework holds 3 notebooks of 00_tensors that seem to be several"):
        classroom.collect(members, roster)
    assert not classroom.submitted.exists()
    drafts = {f"aash/draft{n}.ipynb": notebook(TENSORS, n) for n in (1, 2, 3)}
    assert len(other.collect(drafts | {f"{who}/{NB}": ONE for who in "abcd"}, roster).files) == 4 + 3


def test_a_roster_of_another_class_is_refused_before_anything_is_collected(classroom: Classroom) -> None:
    """A roster that has nobody of the download is refused.

    Otherwise all files would be collected under the names that they bear, and again, as those of a second student each,
    once the right list is given.
    """
    people = ("Zoë Doe_123", "Max Roe_124", "Bo Poe_125")
    members = {f"{one}_assignsubmission_file/{NB}": ONE for one in people}
    text = "the roster has none of the 3 people who handed these files in (Zoë Doe, Max Roe, Bo Poe, …), so nothing is"
    with pytest.raises(intake.IntakeError, match=re.escape(text)):
        classroom.collect(members, by_hand("x1,Ada,Lovelace"))
    assert not classroom.submitted.exists()
    assert set(classroom.collect(members, by_hand("x1,Max,Roe")).files) == {"Zoë Doe", "x1", "Bo Poe"}


# One person or two


MOODLE = f"{{}}_assignsubmission_file/{NB}"
JANE = by_hand("jd,Jane,Doe")


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        (f"doejane_101_9001_{NB}", f"doejane_102_9002_{NB}", ("doejane_101", "doejane_102")),
        (f"s1/{NB}", f"s2/{NB}", ("1@x", "2@x")),
        (attempt("jd1"), attempt("jd2"), ("jd1", "jd2")),
    ],
    ids=["canvas", "gradescope", "blackboard"],
)
def test_two_whom_a_roster_takes_for_one_both_keep_their_notebook(
    classroom: Classroom, first: str, second: str, names: tuple[str, str]
) -> None:
    beside = {attempt(user, ".txt"): receipt(user) for user in names if user in second or user in first}
    if first.startswith("s1"):
        people = (f"s{n}:\n  :submitters:\n  - :name: Jane Doe\n    :email: {n}@x\n" for n in (1, 2))
        beside = {"submission_metadata.yml": "".join(people)}
    files, remarks, *_ = classroom.collect({first: ONE, second: TWO, **beside}, JANE)
    assert files == {names[0]: ONE, names[1]: TWO}
    assert remarks[names[1]].startswith(f"LOOK jd would be two people, this one and {names[0]}; ")


def test_the_one_whose_number_the_roster_has_keeps_the_id(classroom: Classroom) -> None:
    members = {f"doejane_101_9001_{NB}": ONE, f"doejane_102_9002_{NB}": TWO}
    assert classroom.collect(members, 'Student,ID,SIS Login ID\n"Doe, Jane",101,jd\n').files == {
        "jd": ONE, "doejane_102": TWO,
    }  # fmt: skip


@pytest.mark.parametrize("each", ["/", "_"], ids=["folders", "flat"])
def test_two_of_one_name_in_moodle_stay_two_where_the_roster_has_one(
    classroom: Classroom, other: Classroom, each: str
) -> None:
    worksheet = "Identifier,Full name,Email address\nParticipant 11,Jane Doe,j@x\n"
    one, two = (f"Jane Doe_{number}_assignsubmission_file{each}" for number in (11, 12))
    members = {f"{one}{NB}": ONE, f"{two}{NB}": TWO, f"{two}data.py": "x = 1"}
    for _ in range(2):
        files, remarks, *_ = classroom.collect(members, JANE)
        assert files == {"Jane Doe 11": ONE, "Jane Doe 12": TWO, "Jane Doe 12/data.py": "x = 1"}
        assert remarks["Jane Doe 12"] == (
            "LOOK jd would be two people, this one and Jane Doe 11; this one is kept as Jane Doe 12, so that neither "
            "gets the other's points. Give each a row in the roster, with an id or an address of their own, and "
            "collect again; Moodle's grading worksheet of this assignment is such a roster"
        )
    files, remarks, *_ = classroom.collect({f"{two}{NB}": notebook(TENSORS, 3)}, JANE)
    assert files["Jane Doe 12"] == notebook(TENSORS, 3) and "jd" not in files
    assert remarks["Jane Doe 12"].startswith("LOOK jd would be two people, this one and somebody collected before")
    files, remarks, *_ = classroom.collect(members, f"{worksheet}Participant 12,Jane Doe,k@x\n")
    assert (files["j@x"], files["k@x"]) == (ONE, TWO)
    assert remarks["Jane Doe 11"].startswith("LOOK the roster has nobody of this id. ")
    files = other.collect(members, worksheet).files
    assert (files["j@x"], files["Jane Doe 12"]) == (ONE, TWO)


def test_a_namesakes_files_go_with_nobody_elses_notebook(classroom: Classroom, other: Classroom) -> None:
    """Of two students with one name in Moodle, one may hand in no notebook: their files do not go with the other's."""
    form = "Wei Li_{}_assignsubmission_file/{}"
    members = {form.format(123, NB): ONE, form.format(123, "own.py"): "1"}
    members |= {form.format(124, "report.pdf"): "%PDF", form.format(124, "own.py"): "2"}
    text = NO_NOTEBOOK.format("report.pdf, own.py")
    assert classroom.collect(members) == ({"Wei Li": ONE, "Wei Li/own.py": "1"}, {"Wei Li 124": text}, 1, 0)
    remarks = other.collect(members, by_hand("w1,Wei,Li", "w2,Wei,Li")).remarks
    assert remarks == {"Wei Li": UNCLEAR, "Wei Li 124": text}, "said once, of both"


@pytest.mark.parametrize(
    ("roster", "jane", "bo"), [("", "Jane Doe", "Bo Roe"), (by_hand("7,Jane,Doe", "8,Bo,Roe"), "7", "8")]
)
def test_one_person_has_another_number_of_moodles_in_each_assignment(
    classroom: Classroom, roster: str, jane: str, bo: str
) -> None:
    members = {"3.zip": packed({MOODLE.format("Jane Doe_11"): ONE, MOODLE.format("Bo Roe_12"): ONE})}
    members["4.zip"] = packed({f"Jane Doe_77_assignsubmission_file/{OTHER_NB}": OTHER})
    files, remarks, *_ = classroom.collect(members, roster)
    assert (set(files), remarks) == ({jane, f"{jane}/{ATTENTION}", bo}, {})


def test_a_namesake_in_a_later_download_is_told(classroom: Classroom, other: Classroom) -> None:
    """Canvas's number belongs to a person, so that namesakes in two downloads stay apart."""
    for number, text in ((101, ONE), (102, TWO)):
        files, remarks, *_ = classroom.collect({f"doejane_{number}_{number}9_{NB}": text}, JANE)
    assert files == {"jd": ONE, "doejane_102": TWO}
    assert remarks["doejane_102"].startswith("LOOK jd would be two people, this one and somebody collected before")
    for number, text in ((11, ONE), (12, TWO)):
        files, remarks, *_ = other.collect({MOODLE.format(f"Jane Doe_{number}"): text}, JANE)
    assert files == {"jd": TWO, "jd/older/1": ONE}
    said = "Moodle's number was 11 and now is 12: if both are of one assignment, these are two people"
    assert remarks[f"jd/{TENSORS}"].startswith("LOOK it was replaced by ") and said in remarks[f"jd/{TENSORS}"]


@pytest.mark.parametrize(
    ("before", "after", "was", "is_now"),
    [
        ("", CANVAS, "doejane_1234", "jdoe"),
        (CANVAS, CANVAS.replace("jdoe", "jsmith"), "jdoe", "jsmith"),
        (CANVAS, CANVAS.replace('"Doe, Jane",1234,S1,jdoe,A,\n', ""), "jdoe", "doejane_1234"),
    ],
    ids=["no roster before", "another login", "left the roster"],
)
def test_who_was_collected_under_another_id_is_told_with_what_to_move_first(
    classroom: Classroom, before: str, after: str, was: str, is_now: str
) -> None:
    """A student with a new id is reported: their earlier work would be a second student's."""
    name = f"doejane_1234_9001_{NB}"
    classroom.collect({name: ONE}, before)
    files, remarks, *_ = classroom.collect({name: ONE}, after)
    assert files == {was: ONE, is_now: ONE}
    assert remarks[was] == (
        "LOOK the roster has nobody of this id. If it is somebody's earlier one, first move the units that lie only in "
        f"submitted/{was}/ to the folder of the new id, and give in formgrader what you have given {was} by hand. "
        f"After that, or if they have left the class, remove {was}, as grader/docs/class.md says"
    )


def test_two_ways_to_write_an_umlaut_are_one_student(classroom: Classroom) -> None:
    """macOS writes an umlaut as a letter and its dots; a student whose name comes in both ways is one."""
    nfc, nfd = (unicodedata.normalize(form, "müller") for form in ("NFC", "NFD"))
    files, remarks, *_ = classroom.collect({f"{nfc}/{NB}": ONE, f"{nfd}/{OTHER_NB}": OTHER})
    assert (set(files), remarks) == ({nfc, f"{nfc}/{ATTENTION}"}, {})


@pytest.mark.parametrize("roster", ["", by_hand("jane,A,B", "Jane,C,D")])
def test_folders_that_differ_by_case_are_two_students(classroom: Classroom, roster: str) -> None:
    members = {f"jane/{NB}": ONE, f"Jane/{NB}": TWO, "Jane/x.py": "1", "Jane/X.py": "2"}
    files = classroom.collect(members, roster).files
    assert files == {"jane": ONE, "Jane": TWO, "Jane/x.py": "1", "Jane/X.py": "2"}
    assert [one.student for one in intake.find(classroom.folder, None).submissions] == ["Jane", "jane"]


def test_a_number_counts_only_in_the_column_of_its_system(classroom: Classroom, other: Classroom) -> None:
    """A participant's number in Moodle or a user's in Canvas may be another student's number in another column."""
    worksheet = "Identifier,Full name,ID number,Email address\nParticipant 1043,Bob Roe,1042,br@x.edu\n"
    worksheet += "Participant 1042,Jane Doe,1001,jd@x.edu\n"
    assert classroom.collect({MOODLE.format("Jane Doe_1042"): ONE}, worksheet) == ({"1001": ONE}, {}, 1, 0)
    gradebook = 'Student,ID,SIS User ID,SIS Login ID\n"Roe, Bob",501,502,broe\n"Doe, Jane",502,777,jdoe\n'
    assert other.collect({f"doejane_502_9001_{NB}": ONE}, gradebook).files == {"jdoe": ONE}
