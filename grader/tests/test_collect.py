"""Downloads of Canvas, Moodle, Gradescope and Google, as each documents them, become submissions; hostile ones too."""

from __future__ import annotations

import io
import json
import os
import stat
import tarfile
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from test_intake import ATTENTION, TENSORS, notebook

from nbproctor import archive, collect, intake
from nbproctor.collect import Taken
from nbproctor.roster import Roster, RosterError, name_key, read_roster

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


def brought(folder: Path, source: Path, roster: Roster | None = None, *asked: str) -> tuple[dict[str, str], Taken]:
    """Every file that lies in `submitted/` afterwards, with its text, and what was said."""
    taken = collect.collect(source, folder, roster, asked)
    root = folder / "submitted"
    files = {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}
    assert not list(folder.glob(".collecting-*")), "the scratch folder is gone"
    return files, taken


def told(taken: Taken) -> dict[str, str]:
    return {one.where: f"LOOK {one.text}" if one.look else one.text for one in taken.named}


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
    """NAME_USER_FILE_ORIGINAL, LATE, a resubmission's -1, text entries, an anonymous one; the gradebook says who."""
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
    received = json.loads(files.pop(place("jdoe", TENSORS, ".received.json")))
    assert received == {"late": "late, says Canvas", "name": f"doejane_LATE_1234_9001_{TENSORS}-1.ipynb"}
    assert files == {
        place("jdoe"): ONE, place("jdoe", TENSORS, "data.csv"): "1,2", place("zoe"): TWO, place("anon_x7Qz9"): ONE,
    }  # fmt: skip
    assert (taken.new, taken.known) == (3, 0)
    assert told(taken) == {
        "roealex_88_text.html": "not collected: no notebook, and nobody's",
        "anon_x7Qz9": "LOOK not in the roster; kept under the name that the file bears",
    }
    assert told_of_find(tmp_path)[f"jdoe/{TENSORS}"] == "late, says Canvas"


def told_of_find(folder: Path) -> dict[str, str]:
    return {one.where: one.text for one in intake.find(folder, None).named}


def test_canvas_without_a_roster_keeps_name_and_number(tmp_path: Path) -> None:
    """Both stand in the id, since two students may have one name."""
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
    """Both layouts of "Download all submissions"; the number is the participant's, the worksheet says whose it is."""
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
    assert told(taken)["Zoë Doe"] == "LOOK two students have this name; one is kept as Zoë Doe 124"


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
"""


def test_gradescope(tmp_path: Path) -> None:
    """The metadata file says who and when, a group's file is each member's, Ruby's kinds of value make nothing."""
    root = "assignment_8_export"
    made = zipped(
        tmp_path / "submissions.zip",
        {
            f"{root}/submission_metadata.yml": GRADESCOPE,
            f"{root}/submission_1/{TENSORS}.ipynb": ONE,
            f"{root}/submission_1/lib/helper.py": "x = 1",
            f"{root}/submission_2/{TENSORS}.ipynb": TWO,
            f"{root}/submission_3/{TENSORS}.ipynb": ONE,
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
    assert said.pop(f"{root}/submission_3/{TENSORS}.ipynb").startswith("LOOK not collected: whose it is")
    assert said.pop("passed over") == "what systems leave behind: __MACOSX"
    assert set(said) == {"S1", "22"}  # not in the roster
    (found,) = (one for one in intake.find(tmp_path, None).submissions if one.student == "S1")
    assert found.submitted == when.strip().replace("+00:00", "")


@pytest.mark.parametrize("text", ["- a list", "{", "a: *nowhere"])
def test_a_metadata_file_that_is_none_is_one_line(tmp_path: Path, text: str) -> None:
    """Nothing is taken for somebody's where nobody knows whose it is."""
    made = zipped(tmp_path / "s.zip", {"e/submission_metadata.yml": text, f"e/submission_1/{TENSORS}.ipynb": ONE})
    with pytest.raises(intake.IntakeError, match="submission_metadata.yml cannot be read"):
        brought(tmp_path, made)


def test_a_metadata_file_makes_no_object(tmp_path: Path) -> None:
    """What other readers of YAML would call is read as the text that it is."""
    text = f"submission_1:\n  :submitters: !!python/object/apply:os.system ['touch {tmp_path}/made']\n"
    made = zipped(tmp_path / "s.zip", {"submission_metadata.yml": text, f"submission_1/{TENSORS}.ipynb": ONE})
    with suppress(intake.IntakeError):
        brought(tmp_path, made)
    assert not (tmp_path / "made").exists()


NAMES = "id,first_name,last_name\njd,Jane,Doe\nzoe,Zoe,O'Neil-Roe\n"


def test_google_classroom(tmp_path: Path) -> None:
    """Drive's zip of an assignment's folder: NAME - ORIGINAL; a file that bears no name is named, not guessed."""
    made = zipped(
        tmp_path / "Tensors-20260302T101112Z-001.zip",
        {
            f"Tensors/Jane Doe - {TENSORS}.ipynb": ONE,
            f"Tensors/Zoë O'Neil-Roe - Copy of {TENSORS}.ipynb": TWO,
            f"Tensors/{TENSORS}(1).ipynb": ONE,
        },
    )
    files, taken = brought(
        tmp_path, made, roster(tmp_path, "id,first_name,last_name\njd,Jane,Doe\nzoe,Zoe,O'Neil-Roe\n")
    )
    assert files == {place("jd"): ONE, place("zoe"): TWO}
    assert told(taken)[f"Tensors/{TENSORS}(1).ipynb"].startswith("LOOK not collected: whose it is")


@pytest.mark.parametrize("top", ["", "class/", "class/submitted/"])
def test_folders_of_students_however_they_are_wrapped(tmp_path: Path, top: str) -> None:
    """STUDENT/UNIT/, UNIT/STUDENT/, STUDENT/, a zip of each student's own; as zip, tar and folder."""
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


def test_of_several_the_latest_with_answers_counts_and_the_others_are_kept(tmp_path: Path) -> None:
    """By the resubmission's number, then the file's; an untouched one never counts before one with answers."""
    made = zipped(
        tmp_path / "s.zip",
        {
            f"a_1_10_{TENSORS}.ipynb": ONE,
            f"a_1_11_{TENSORS}-1.ipynb": TWO,
            f"a_1_12_{TENSORS}-2.ipynb": notebook(TENSORS),
        },
    )
    files, taken = brought(tmp_path, made)
    assert files == {
        place("a_1"): TWO,
        place("a_1", TENSORS, f"older/{TENSORS}.1.ipynb"): ONE,
        place("a_1", TENSORS, f"older/{TENSORS}.2.ipynb"): notebook(TENSORS),
    }
    ((where, text),) = told(taken).items()
    assert where == f"a_1_11_{TENSORS}-1.ipynb" and text.startswith(
        f"it counts for a_1/{TENSORS}, since it is the latest"
    )
    (one,) = intake.find(tmp_path, None).submissions
    assert one.path.read_text() == TWO


def test_collecting_again_overwrites_nothing_without_saying_so(tmp_path: Path) -> None:
    """The same archive changes nothing; another one's notebook takes the place, and what lay there is kept beside."""
    first = zipped(tmp_path / "1.zip", {f"ana/{TENSORS}/{TENSORS}.ipynb": ONE})
    brought(tmp_path, first)
    _, again = brought(tmp_path, first)
    assert (again.new, again.known, again.named) == (0, 1, [])
    files, taken = brought(tmp_path, zipped(tmp_path / "2.zip", {f"ana/{TENSORS}/{TENSORS}.ipynb": TWO}))
    assert files == {place("ana"): TWO, place("ana", TENSORS, f"older/{TENSORS}.1.ipynb"): ONE}
    assert told(taken) == {
        f"ana/{TENSORS}": f"replaced by ana/{TENSORS}/{TENSORS}.ipynb; what lay there is kept as "
        f"older/{TENSORS}.1.ipynb"
    }


def test_an_older_download_does_not_replace_a_later_notebook(tmp_path: Path) -> None:
    """Where both times are known."""
    for number, day, text in ((1, 3, TWO), (2, 2, ONE)):
        meta = f"s:\n  :submitters:\n  - ':sid': ana\n  :created_at: 2026-03-0{day} 10:00:00 Z\n"
        made = zipped(tmp_path / f"{number}.zip", {"submission_metadata.yml": meta, f"s/{TENSORS}.ipynb": text})
        files, taken = brought(tmp_path, made)
    assert files[place("ana")] == TWO and files[place("ana", TENSORS, f"older/{TENSORS}.1.ipynb")] == ONE
    assert told(taken)[f"s/{TENSORS}.ipynb"].startswith(f"the notebook in ana/{TENSORS} is later")


def test_the_unit_is_what_the_cells_say_then_the_name_then_what_was_asked_for(tmp_path: Path) -> None:
    """A name that says otherwise is told; a notebook that says nothing is named, or taken as the one unit asked for."""
    made = zipped(
        tmp_path / "s.zip",
        {f"ana/{TENSORS}.ipynb": notebook(ATTENTION, 1), f"bo/final {TENSORS} (3).ipynb": "{}", "cy/hw.ipynb": "{}"},
    )
    files, taken = brought(tmp_path / "a", made)
    assert set(files) == {place("ana", ATTENTION), place("bo")}
    said = told(taken)
    assert said[f"ana/{TENSORS}.ipynb"].endswith(f"its cells are those of {ATTENTION}; taken as {ATTENTION}")
    assert said["cy/hw.ipynb"].startswith("LOOK not collected: its name says no unit, and the file is JSON but no")
    files, _ = brought(tmp_path / "b", made, None, TENSORS)
    assert set(files) == {place("ana", ATTENTION), place("bo"), place("cy")}


def linked(path: str, kind: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path)
    info.external_attr = (kind | 0o777) << 16
    return info


def test_hostile_members_are_named_and_the_others_collected(tmp_path: Path) -> None:
    """`..`, absolute names, links, devices, encrypted members, two that claim one place: each is one line."""
    made = tmp_path / "s.zip"
    with zipfile.ZipFile(made, "w") as opened, pytest.warns(UserWarning, match="Duplicate name"):
        opened.writestr(f"ana/{TENSORS}/{TENSORS}.ipynb", ONE)
        opened.writestr(f"ana/{TENSORS}/{TENSORS}.ipynb", TWO)
        opened.writestr(f"ANA/{TENSORS}/{TENSORS}.ipynb", TWO)
        opened.writestr("../../escaped.ipynb", ONE)
        opened.writestr("/etc/escaped.ipynb", ONE)
        opened.writestr("C:\\escaped.ipynb", ONE)
        opened.writestr(linked(f"bo/{TENSORS}/{TENSORS}.ipynb", stat.S_IFLNK), "/etc/passwd")
        opened.writestr(linked(f"cy/{TENSORS}/{TENSORS}.ipynb", stat.S_IFCHR), "")
        opened.writestr("di/secret.ipynb", ONE)
        opened.writestr("eva/x.rar", "Rar!")
        opened.writestr("\x1b[31mflo\n/hw.docx", "")
    raw = made.read_bytes()
    at = raw.rindex(b"di/secret.ipynb") - 46  # the central directory's entry: its flags stand at 8
    made.write_bytes(raw[: at + 8] + bytes([raw[at + 8] | 1]) + raw[at + 9 :])
    files, taken = brought(tmp_path, made)
    assert files == {place("ana"): ONE}
    said = told(taken)
    outside, link, odd = "its name leads outside the archive", archive_link(), "not an ordinary file"
    twice = "LOOK not collected: a second file with the same name; the first one counts"
    assert said[f"ana/{TENSORS}/{TENSORS}.ipynb"] == twice
    assert (
        "differs from" in said[f"ANA/{TENSORS}/{TENSORS}.ipynb"]
        and "only by case" in said[f"ANA/{TENSORS}/{TENSORS}.ipynb"]
    )
    for name in ("../../escaped.ipynb", "/etc/escaped.ipynb", "C:\\escaped.ipynb"):
        assert said[name] == f"LOOK not collected: {outside}", name
    assert said[f"bo/{TENSORS}/{TENSORS}.ipynb"] == f"LOOK not collected: {link}"
    assert odd in said[f"cy/{TENSORS}/{TENSORS}.ipynb"]
    assert "encrypted" in said["di/secret.ipynb"]
    assert "not opened here" in said["eva/x.rar"]
    assert all("\x1b" not in where and "\n" not in where for where in said)
    assert not list(tmp_path.rglob("escaped*"))


def archive_link() -> str:
    return "a link; links are not followed"


def test_a_bomb_costs_itself_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many bytes or files, whatever the headers say; an archive in an archive in an archive in an archive."""
    monkeypatch.setattr(archive, "STUDENTS", archive.Bounds(files=20, bytes=1 << 20, seconds=30.0))
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
    assert said["bo/hw.zip"] == "LOOK not collected: an archive of more than 1 MB unpacked; it was not read"
    assert said["cy/hw.zip"] == "LOOK not collected: an archive of more than 20 files; it was not read"
    assert said["di/hw.zip"].startswith("LOOK not collected: an archive that cannot be read")
    assert said["eva/hw.zip/inner.zip/inner.zip"].endswith("archives are opened 2 deep, and this one lies deeper")
    assert said["flo/hw.zip/x.bin"].startswith("LOOK not collected: it cannot be read (Bad CRC-32")


def test_links_in_a_given_folder_and_in_the_place_are_not_followed(tmp_path: Path) -> None:
    """Neither is anything read through one, nor written."""
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
    """Nothing there, a file of another kind, an archive that is none."""
    (tmp_path / "x.pdf").write_text("%PDF")
    (tmp_path / "x.zip").write_text("no zip")
    for name, words in (
        ("nothing", "no such file"),
        ("x.pdf", "expected a folder, or a file"),
        ("x.zip", "cannot be read"),
    ):
        with pytest.raises(intake.IntakeError, match=words):
            collect.collect(tmp_path / name, tmp_path / "class", None)


def test_a_roster_that_is_none_says_what_was_expected(tmp_path: Path) -> None:
    """The columns that were found stand in the line."""
    with pytest.raises(
        RosterError, match="no column of it names a student's id. Found: Colour, Size. Expected the gradeb"
    ):
        roster(tmp_path, "Colour,Size\nred,4\n")
    with pytest.raises(RosterError, match="cannot be read"):
        read_roster(tmp_path / "nowhere.csv")


def test_a_name_that_two_students_share_identifies_nobody(tmp_path: Path) -> None:
    """Their number does, and their address; a name's spelling does not matter."""
    who = roster(tmp_path, "id,first_name,last_name,email\na,Jane,Doe,x@y\nb,JANE,Doe,z@y\nc,Zoë,Roe,\n")
    assert name_key("Doe, Jane") == name_key("jane  doe")
    assert (who.by_name.get(name_key("Jane Doe")), who.by_name[name_key("Roe, Zoe")]) == (None, "c")
    assert who.by_id["z@y"] == "b"
