"""Scores for other systems, read back by the rules that each system's own importer follows."""

import csv
import io
import json
import os
import re
import zipfile
from pathlib import Path
from typing import Any

import forked
import pytest
from fake_class import result, typed, ungradable, unit
from nbgrader.api import Gradebook

from nbproctor.classroom import gradebook as book
from nbproctor.classroom.export import grades_csv
from nbproctor.cli.app import app
from nbproctor.intake import scores
from nbproctor.intake.roster import Person, RosterError, read_roster
from nbproctor.intake.systems import all_systems
from nbproctor.values.grades import CheckGrade, Grade, Grades, Student
from nbproctor.values.text import clean

Class = tuple[Grades, dict[str, Student]]  # by (student, unit), and by id
FIRST, SECOND = "00_tensors", "03_self_attention"
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1"]
ODD = ['O\'Neil, "Zoë" 🎓', "two\nlines", "a;b", "Points Possible", "Muted"]


def grade(student: str, unit: str, points: float | None, most: float = 6.0, comment: str = "") -> Grade:
    told = {"attention_weights": clean(comment)} if comment else {}
    return Grade(student, unit, (CheckGrade("check_x", most, points),), told)


def class_of(*all_grades: Grade) -> Class:
    names = {one.student: Student(one.student) for one in all_grades}
    return {(one.student, one.unit): one for one in all_grades}, names


def made_for(system: str, *args: Any) -> scores.ScoresFile:
    return scores.scores_file(all_systems()[system], *args)


def listed(folder: Path, text: str) -> scores.ClassList:
    """The class list in a file of this text."""
    (folder / "list.csv").write_text(text, encoding="utf-8")
    return scores.read_class_list(folder / "list.csv")


@pytest.fixture
def small() -> Class:
    """ada has both units, bo one and no score in the other, cem one only, with a comment."""
    grades, students = class_of(
        grade("ada", FIRST, 0.1 + 0.2),
        grade("ada", SECOND, 5.25, 8.0),
        grade("bo", FIRST, 6.0),
        grade("bo", SECOND, None, 8.0),
        grade("cem", SECOND, 8.5, 8.0, '=Well done,\n"cem"!'),
    )
    return grades, students | {"ada": Student("ada", "Ada", "Lovelace", "ada@example.org")}


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def as_canvas_reads(text: str) -> tuple[list[str], dict[str, float], dict[str, dict[str, str]]]:
    """Titles, points possible, and scores by login, by the rules of Canvas's lib/gradebook_importer.rb.

    The first row needs Student, ID and, as the last column on the person, Section; a row with "Points Possible" in its
    first cell is no student; a row of nothing but `Muted` is passed over.
    """
    header, *rows = table(text)
    assert "Student" in header[0] and "ID" in header[1]
    assert re.search(r"SIS\s+User\s+ID", header[2]) and re.search(r"SIS\s+Login\s+ID", header[3])
    assert "Section" in header[4]
    titles = header[5:]
    possible: dict[str, float] = {}
    scores: dict[str, dict[str, str]] = {}
    for row in rows:
        if "Points Possible" in row[0]:
            possible = dict(zip(titles, map(float, row[5:]), strict=True))
        elif not all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", cell, re.I) for cell in row):
            scores[row[3]] = dict(zip(titles, row[5:], strict=True))
    return titles, possible, scores


def test_grades_csv_has_a_row_per_student(small: Class) -> None:
    assert table(grades_csv(small[0])) == [
        ["student", "name", FIRST, SECOND, "total", "max_total", "comments"],
        ["ada", "", "0.3", "5.25", "5.55", "14.0", ""],
        ["bo", "", "6.0", "", "6.0", "14.0", ""],
        ["cem", "", "", "8.5", "8.5", "14.0", f'{SECOND}: attention_weights: =Well done,\n"cem"!'],
    ]


def test_canvas_reads_every_score_and_what_is_possible(small: Class) -> None:
    """Without a class list, Canvas finds each student by the id, as the login."""
    made = made_for("canvas", *small, scores.NO_LIST)
    titles, possible, given = as_canvas_reads(made.text)
    assert (titles, possible, made.left_out) == ([FIRST, SECOND], {FIRST: 6.0, SECOND: 8.0}, ())
    assert given == {
        "ada": {FIRST: "0.3", SECOND: "5.25"},
        "bo": {FIRST: "6.0", SECOND: ""},
        "cem": {FIRST: "", SECOND: "8.5"},
    }
    assert table(made.text)[2][0] == "Lovelace, Ada"


def test_canvas_gets_its_own_numbers_back(small: Class, tmp_path: Path) -> None:
    """People and assignments keep the numbers of Canvas's own export; students who are not in it are named."""
    export = (
        "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,03_self_attention (4711),Final Score\r\n"
        "    Points Possible,,,,,8.0,(read only)\r\n"
        '"Lovelace, Ada",17,S1,ADA@example.org,L1,,\r\n"Bo, Bo",18,S2,bo,L2,,\r\n'
    )
    made = made_for("canvas", *small, listed(tmp_path, export))
    assert made.left_out == ("cem",)
    assert table(made.text) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", FIRST, f"{SECOND} (4711)"],
        ["    Points Possible", "", "", "", "", "6.0", "8.0"],
        ["Lovelace, Ada", "17", "S1", "ADA@example.org", "L1", "0.3", "5.25"],
        ["Bo, Bo", "18", "S2", "bo", "L2", "6.0", ""],
    ]


CANVAS_EXPORT = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Notes,Homework 0 (11),Homework 3 (13),Quiz (1) (14),"
    "Quiz (1) (15),Homework Current Score,Final Score\r\n"
    ",,,,,,,Manual Posting,,,,\r\n"
    '    Points Possible,,,,,,"6,00",100.00,5,5,(read only),(read only)\r\n'
    '"Lovelace, Ada",17,S1,ada,L1,,,,,,,\r\n"Bo, Bo",18,S2,bo,L2,,,,,,,\r\n'
)


@pytest.mark.parametrize("said", ["homework 3", "Homework 3 (13)", "13"])
def test_an_assignment_of_canvas_is_named_by_its_title_or_number(small: Class, tmp_path: Path, said: str) -> None:
    """`--column` names the assignment, since Canvas's titles are seldom the units' names."""
    known = listed(tmp_path, CANVAS_EXPORT)
    made = made_for("canvas", *small, known)
    assert as_canvas_reads(made.text)[0] == [FIRST, SECOND]
    assert made.todo == (
        f"the roster has no assignment called {FIRST}, {SECOND}, so Canvas will offer to create one. If it exists "
        f"under another title, name it and export again: --column '{FIRST}=TITLE'",
        "Assignments there: Homework 0 (11), Homework 3 (13), Quiz (1) (14), Quiz (1) (15)",
    )
    made = made_for("canvas", *small, known, [f"{SECOND} = {said}", f"{FIRST}=Homework 0"])
    titles, _, given = as_canvas_reads(made.text)
    assert titles == ["Homework 0 (11)", "Homework 3 (13)"]
    assert given["ada"] == {"Homework 0 (11)": "0.3", "Homework 3 (13)": "5.25"}
    assert made.todo == (
        f"Homework 3 (13) has 100 points in Canvas, {SECOND} has 8: the scores are written as they are, so give the "
        "assignment 8 points there",
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (f"{SECOND}=Homework 4", "the roster has no assignment 'Homework 4'. Assignments there: Homework 0 (11), "),
        (f"{SECOND}=Notes", "the roster has no assignment 'Notes'."),
        (f"{SECOND}=Quiz (1)", "(14), Quiz (1) (15); choose one by its number: --column 03_self_attention=14"),
        ("3=Homework 3", f"with a unit that has scores: {FIRST}, {SECOND}"),
        (SECOND, "expected UNIT=COLUMN"),
    ],
)  # fmt: skip
def test_a_column_that_is_none_is_one_clear_line(small: Class, tmp_path: Path, said: str, told: str) -> None:
    with pytest.raises(RosterError, match=re.escape(told)):
        made_for("canvas", *small, listed(tmp_path, CANVAS_EXPORT), [said])


@pytest.mark.parametrize("system", ["canvas", "moodle", "brightspace"])
def test_a_roster_of_another_class_is_refused(small: Class, tmp_path: Path, system: str) -> None:
    """A roster with none of our students is refused: a file with nobody in it would replace the last good one."""
    with pytest.raises(RosterError, match=r"a row for none of the 3 students in the gradebook \(ada, …\)"):
        made_for(system, *small, listed(tmp_path, "ID,Username,Email address\nx1,x1,x1@example.org\n"))


def test_nobody_can_set_the_points_of_a_class_by_their_name() -> None:
    """A student who calls themselves "Points Possible" is a student."""
    grades, students = class_of(*(grade(name, FIRST, 1.0) for name in (*ODD, "ana")))
    _, possible, given = as_canvas_reads(made_for("canvas", grades, students, scores.NO_LIST).text)
    assert possible == {FIRST: 6.0} and len(given) == len(ODD) + 1


def as_moodle_reads(text: str, by: str) -> dict[str, dict[str, str]]:
    """Rows by the column that identifies people.

    As in grade/import/csv/classes/load_data.php, what is no number is refused as a score.
    """
    header, *rows = table(text)
    found = {}
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        for name, value in cells.items():
            if name.startswith(("0", "1")) and not name.endswith("(feedback)"):
                assert value == "" or float(value) >= 0
        found[cells[by]] = cells
    return found


def test_moodle_gets_scores_and_comments(small: Class) -> None:
    rows = as_moodle_reads(made_for("moodle", *small, scores.NO_LIST).text, by="Username")
    assert rows.keys() == {"ada", "bo", "cem"}
    assert rows["ada"] == {
        "Username": "ada", "Email address": "ada@example.org", "First name": "Ada", "Last name": "Lovelace",
        FIRST: "0.3", SECOND: "5.25", f"{SECOND} (feedback)": "",
    }  # fmt: skip
    assert rows["cem"][f"{SECOND} (feedback)"] == 'attention_weights: =Well done,\n"cem"!'
    assert rows["bo"][SECOND] == rows["cem"][FIRST] == ""


@pytest.mark.parametrize(
    ("text", "left_out", "lines"),
    [
        ('"First name",Surname,"ID number","Email address"\nAda,L.,77,ada@example.org\nBo,B.,bo,\n', ("cem",),
         [f"First name,Surname,ID number,Email address,{FIRST},{SECOND},{SECOND} (feedback)",
          "Ada,L.,77,ada@example.org,0.3,5.25,", "Bo,B.,bo,,6.0,,"]),
        ("id,first_name,last_name,email\nada,Ada,L.,a@x.edu\nbo,Bo,B.,\n", ("bo", "cem"),  # made by hand
         [f"first_name,last_name,email,{FIRST},{SECOND},{SECOND} (feedback)", "Ada,L.,a@x.edu,0.3,5.25,"]),
        ("Vorname;Nachname;E-Mail-Adresse;Gruppen\nAda;L.;ADA@example.org;A\nBo;B.;bo@x.org;A\n", ("bo", "cem"),
         [f"Vorname;Nachname;E-Mail-Adresse;{FIRST};{SECOND};{SECOND} (feedback)",
          "Ada;L.;ADA@example.org;0.3;5.25;"]),
    ],
    ids=["participants", "by hand", "in German"],
)  # fmt: skip
def test_moodle_is_sent_those_whom_it_finds_in_the_columns_of_its_list(
    small: Class, tmp_path: Path, text: str, left_out: tuple[str, ...], lines: list[str]
) -> None:
    """Students whom Moodle does not know, by id or address, are left out, since it would refuse the whole file."""
    made = made_for("moodle", *small, listed(tmp_path, text))
    assert (made.left_out, made.text.splitlines()) == (left_out, lines)


def test_moodles_list_needs_a_column_by_which_moodle_finds_a_person(small: Class, tmp_path: Path) -> None:
    text = "no column by which Moodle finds a person. Found: id, first_name, last_name. Expected Username, ID number or"
    with pytest.raises(RosterError, match=re.escape(text)):
        made_for("moodle", *small, listed(tmp_path, "id,first_name,last_name\nada,Ada,L.\n"))


def test_an_id_that_no_folder_can_be_called_is_found_again(tmp_path: Path) -> None:
    export = tmp_path / "canvas.csv"
    export.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section\n"
        '"Doe, Jane",502,777,SCT221-0123/2019,S\n"Roe, Bob",503,778,UNI\\bob,S\n"Coe, Cy",504,,,S\n'
    )
    who = read_roster(export)
    ids = [who.student(Person("", (number,), "", all_systems()["canvas"])) for number in ("502", "503")]
    assert ids == ["SCT221-0123_2019", "UNI_bob"]
    graded = class_of(*(grade(str(one), FIRST, 1.0) for one in (*ids, "unknown")))
    made = made_for("canvas", *graded, scores.read_class_list(export))
    assert made.left_out == ("unknown",)
    assert [row[3] for row in table(made.text)[2:]] == ["SCT221-0123/2019", "UNI\\bob"]


BRIGHTSPACE = (
    "OrgDefinedId,Username,Last Name,First Name,Homework 3 Points Grade <Numeric MaxPoints:100 Weight:10>,"
    "Quiz Points Grade,End-of-Line Indicator\n#17,#ada,Lovelace,Ada,,,#\n#18,#BO,Bo,Bo,,,#\n"
)


def test_brightspace_gets_its_own_ids_and_items_back(small: Class, tmp_path: Path) -> None:
    """Ids keep the `#` of Brightspace's export, each line ends with one, and a grade item is named by its title."""
    made = made_for("brightspace", *small, listed(tmp_path, BRIGHTSPACE), [f"{SECOND}=homework 3"])
    assert table(made.text) == [
        ["OrgDefinedId", "Username", f"{FIRST} Points Grade", "Homework 3 Points Grade", "End-of-Line Indicator"],
        ["#17", "#ada", "0.3", "5.25", "#"],
        ["#18", "#BO", "6.0", "", "#"],
    ]
    assert made.left_out == ("cem",)
    assert made.todo[-1].startswith("Homework 3 Points Grade <Numeric MaxPoints:100 Weight:10> has 100 points in Bri")
    assert f"no assignment called {FIRST}, so Brightspace will offer to create one" in made.todo[0]
    alone = table(made_for("brightspace", *small, scores.NO_LIST).text)
    assert (alone[0][0], alone[1][0], alone[1][-1]) == ("Username", "#ada", "#")
    with pytest.raises(RosterError, match="no column OrgDefinedId or Username, by which Brightspace finds a person"):
        made_for("brightspace", *small, listed(tmp_path, "id,email\nada,a@x\n"))


@pytest.mark.parametrize("system", ["canvas", "moodle", "brightspace", "grades"])
def test_no_cell_of_any_file_is_a_formula(system: str) -> None:
    all_grades = [grade(name, FIRST, 1.0, 6.0, "=cmd|' /C calc'!A0") for name in (*FORMULAS, *ODD)]
    grades, students = class_of(*all_grades)
    students |= {name: Student(name, "=1", "@x", "-y") for name in FORMULAS}
    text = grades_csv(grades) if system == "grades" else made_for(system, grades, students, scores.NO_LIST).text
    rows = table(text)
    assert {len(row) for row in rows} == {len(rows[0])}
    cells = [cell for row in rows for cell in row if not re.fullmatch(r"\d+(\.\d+)?", cell)]
    assert [cell for cell in cells if cell.lstrip(" \n").startswith(("=", "+", "-", "@", "\t", "＝"))] == []
    marked = "#" if system == "brightspace" else ""  # which keeps a spreadsheet from running the cell, too
    assert any(cell.startswith(f"{marked or chr(39)}=1") for cell in cells)
    assert any(f'{marked}O\'Neil, "Zoë" 🎓' in row for row in rows)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no column says who is who. Found: nothing."),
        ("Vorname,Nachname\nAda,L.", "Found: Vorname, Nachname. Expected the list that the system itself exports"),
        ('Student,ID\n"' + "x" * 200_000, "not a CSV"),
    ],
)
def test_a_class_list_that_is_none_is_one_clear_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(RosterError, match=re.escape(told)):
        listed(tmp_path, text)


def test_the_command_writes_what_the_gradebook_has(tmp_path: Path) -> None:
    url, course_unit = book.sqlite_url(tmp_path / "gradebook.db"), unit()
    book.record([typed(result("ana", course_unit)), typed(ungradable("jo", course_unit))], course_unit, url)
    with Gradebook(url) as gradebook:
        gradebook.find_grade("check_attention_weights", SECOND, SECOND, "ana").manual_score = 0.5
        gradebook.update_or_create_student("ana", first_name="Ana", last_name="Ng", email="ana@example.org")
        gradebook.db.commit()
    for system in ("canvas", "moodle", "brightspace"):
        ours = ["nbproctor", "export", "--to", system, str(tmp_path / f"{system}.csv"), "--classroom", str(tmp_path)]
        done = forked.call(app, ours, tmp_path, os.environ)
        assert (done.returncode, done.stderr) == (0, "")
    _, possible, given = as_canvas_reads((tmp_path / "canvas.csv").read_text(encoding="utf-8"))
    assert (possible, given) == ({SECOND: 6.0}, {"ana": {SECOND: "5.5"}, "jo": {SECOND: ""}})
    export = tmp_path / "gradebook.csv"
    export.write_text(CANVAS_EXPORT.replace("ada", "ana").replace("bo", "jo").replace("100.00", "6"), encoding="utf-8")
    named = ["nbproctor", "export", "--to", "canvas", str(tmp_path / "named.csv"), "--classroom", str(tmp_path)]
    named += ["--roster", str(export), "--column", f"{SECOND}=Homework 3"]
    done = forked.call(app, named, tmp_path, os.environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert table((tmp_path / "named.csv").read_text(encoding="utf-8"))[0][5:] == ["Homework 3 (13)"]
    named[3] = "moodle"
    done = forked.call(app, named, tmp_path, os.environ)
    assert done.returncode == 2 and "Moodle asks for the assignment of each unit" in done.stderr


def test_one_row_of_a_class_list_is_not_given_to_two_students(tmp_path: Path) -> None:
    three = class_of(grade("ada", FIRST, 1.0), grade("ADA", FIRST, 2.0), grade("bo", FIRST, 3.0))
    known = listed(tmp_path, "Student,ID,SIS User ID,SIS Login ID,Section\nAda,5,,ada,x\nBo,6,,bo,x\n")
    made = made_for("canvas", *three, known)
    assert sorted(made.left_out) == ["ADA", "ada"]
    assert [row[0] for row in table(made.text)[2:]] == ["Bo"]


def as_moodle_takes_feedback(names: list[str]) -> dict[str, str]:
    """The file that each participant gets, by the rule of mod/assign/feedback/file/importziplib.php."""
    found = {}
    for name in names:
        parts = name.split("/")
        while parts:
            told = parts.pop(0).split("_", 4)
            if len(told) >= 4 and told[1].isdecimal() and told[2:4] == ["assignsubmission", "file"]:
                found[told[1]] = "/".join([*told[4:], *parts]).lstrip("/")
                break
    return found


def test_pages_go_back_to_moodle_by_its_own_numbers(tmp_path: Path) -> None:
    """Pages go by Moodle's numbers, whether the notebook came in a folder or an archive or not."""
    course_unit, names = unit(), {
        "ana": "week 3/moodle_1.zip/Ana Ng (B.)_17_assignsubmission_file/hw.ipynb",
        "bo": "Bo Roe_18_assignsubmission_file_hw.ipynb",
        "cy": "Cy Coe_19_assignsubmission_file_/a/hw.ipynb",
        "dee": "Dee D_20_assignsubmission_file/hw.ipynb",
        "eve": "Eve E_20_assignsubmission_file/a.zip/Ana Ng_17_assignsubmission_file/hw.ipynb",
    }  # fmt: skip
    everybody = [*names, "fay", "gus"]
    results = [typed(result(one, course_unit)) for one in everybody]
    book.record(results, course_unit, book.sqlite_url(tmp_path / "gradebook.db"))
    for one in everybody:
        place, page = (tmp_path / kind / one / SECOND for kind in ("submitted", "feedback"))
        place.mkdir(parents=True)
        page.mkdir(parents=True)
        (page / f"{SECOND}.html").write_text(f"page of {one}")
        system = "canvas" if one == "fay" else "moodle"
        if one != "gus":
            told = {"system": system, "name": names.get(one, "fay_5_6_a.zip/Fay_21_assignsubmission_file/hw.ipynb")}
            (place / ".received.json").write_text(json.dumps(told))
    command = ["nbproctor", "export", "--to", "moodle", "--pages", SECOND, "--classroom", str(tmp_path)]
    done = forked.call(app, command, tmp_path, os.environ)
    assert (done.returncode, done.stderr) == (3, "")
    assert "the pages of 3 students" in done.stdout
    assert re.findall(r"^(\w+) is not in the file", done.stdout, re.M) == ["dee", "eve", "fay", "gus"]
    with zipfile.ZipFile(tmp_path / "report" / f"moodle_pages_{SECOND}.zip") as made:
        assert as_moodle_takes_feedback(made.namelist()) == dict.fromkeys(("17", "18", "19"), f"{SECOND}.html")
        texts = [made.read(name).decode() for name in made.namelist()]
        assert texts == ["page of ana", "page of bo", "page of cy"]
    for more, told in (
        (["--to", "canvas"], "Canvas takes no feedback pages in a zip; --pages is for Moodle"),
        (["--pages", FIRST], f"no page of {FIRST}"),
    ):
        done = forked.call(app, [*command, *more], tmp_path, os.environ)
        assert done.returncode == 2 and told in done.stderr
