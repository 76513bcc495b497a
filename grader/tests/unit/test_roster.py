"""Class lists as learning systems, spreadsheets and universities write them, and who is found in them."""

import csv
import tomllib
import unicodedata
from pathlib import Path

import pytest
from test_collect import by_hand, read

from nbproctor.intake.roster import Person, Roster, RosterError, columns_of, known_titles, name_key, read_roster
from nbproctor.intake.system import NO_SYSTEM
from nbproctor.intake.systems import all_systems
from nbproctor.paths import PACKAGE, ROOT
from nbproctor.values.grades import Student


def student(who: Roster, name: str, *ids: str, system: str = "") -> str | None:
    """The id of the student with this name; where no id is given the name counts as one, too, as a folder's does."""
    return who.student(Person(name, ids or (name,), name, all_systems().get(system, NO_SYSTEM)))


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
        ("Nombre,Apellido(s),Número de ID,Dirección de correo", "{first},{last},A-1,{mail}", "A-1"),
        ("Họ,Tên,Mã số sinh viên,Email", "{last},{first},4711,{mail}", "4711"),
        ("MSSV,Họ và tên đệm,Tên,Thư điện tử", "4711,{last},{first},{mail}", "4711"),
        ("student_id,surname,given name,mail", "4711,{last},{first},{mail}", "4711"),
        ("Фамилия,Имя,Логин,Почта", "{last},{first},jmu,{mail}", "jmu"),
        ("Apellidos,Nombre,Primer apellido,Id,Correo", "{last},{first},,4711,{mail}", "4711"),
    ],
)
def test_a_list_is_read_by_its_titles_in_many_languages(tmp_path: Path, titles: str, row: str, student: str) -> None:
    jo = {"first": "Jörg", "last": "Müller", "mail": "j@x"}
    who = read(tmp_path, f"{titles}\n{row.format(**jo)}\n")
    assert [*who.people.values()] == [Student(student.format(**jo), "Jörg", "Müller", "j@x")]


def test_a_name_of_two_columns_is_one_name(tmp_path: Path) -> None:
    who = read(tmp_path, "Nombre,Primer apellido,Segundo apellido,Matrícula\nAna,García,Ruiz,7\n")
    assert [*who.people.values()] == [Student("7", "Ana", "García Ruiz")]


def test_each_title_is_known_once_and_those_that_the_docs_name_are_known() -> None:
    table = tomllib.loads((PACKAGE / "intake" / "titles.toml").read_text(encoding="utf-8"))
    assert len(known_titles()) == sum(1 + len(others) for others in table.values())
    docs = (ROOT / "grader" / "docs" / "class.md").read_text(encoding="utf-8")
    rows = docs.partition("| column | English")[2].partition("\n\n")[0].splitlines()[2:]
    titles = [title.strip() for row in rows for cell in row.split("|")[2:-1] for title in cell.split(",")]
    assert len(titles) > 40
    for title in titles:
        assert columns_of([title], []) != [""], title


@pytest.mark.parametrize("known", ["E-Mail", "Elupaik"])  # an address is known by its "@", too
def test_names_under_unknown_titles_are_refused_with_the_titles(tmp_path: Path, known: str) -> None:
    with pytest.raises(RosterError, match="stand under titles that are not known: Perenimi, Eesnimi. Expected"):
        read(tmp_path, f"Perenimi;Eesnimi;{known};Id\nMüller;Jörg;j@x;7\nRoe;Bo;b@x;8\n")


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("id,group\n7,A\n8,A\n9,B\n10,B\n", ["7", "8", "9", "10"]),  # unknown titles that hold no names
        ("id,email\nuser0001,j@x\nuser0002,b@x\n", ["user0001", "user0002"]),  # no number of Moodle's
        ("OrgDefinedId,Username,Email,End-of-Line Indicator\n#17,#aash,a@x.org,#\n", ["aash"]),  # Brightspace's marks
        ("OrgDefinedId,Username,End-of-Line Indicator\n#17,#,#\n#,#,#\n", ["17"]),
    ],
)
def test_the_first_column_of_ids_that_is_not_empty_gives_the_id(tmp_path: Path, text: str, ids: list[str]) -> None:
    assert list(read(tmp_path, text).words) == ids


def test_a_roster_of_any_length_is_read_whole(tmp_path: Path) -> None:
    """A gradebook of 700 students and 260 assignments has more than a million characters."""
    rows = (f"s{number:03},First,Last{number}," + "x," * 900 for number in range(700))
    assert len(read(tmp_path, by_hand(*rows)).people) == 700


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_roster_is_read_as_a_spreadsheet_saves_it(tmp_path: Path, delimiter: str, encoding: str) -> None:
    """German Excel writes semicolons and Windows' letters, others write tabs and UTF-16; a title may hold any."""
    rows = [["Username", "First name", "Last name", "Quiz 1; 2, 3"], ["jmüller", "Jörg", "Müller", ""]]
    with (tmp_path / "roster.csv").open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    assert student(read_roster(tmp_path / "roster.csv"), "Jörg Müller") == "jmüller"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"Colour,Size\nred,4\n", "no column holds a student's id. Found: Colour, Size. Expected the gradeb"),
        (b"PK\x03\x04\0\0", "roster.csv: a spreadsheet, and no CSV; open it, save it as CSV, and give"),
        (b"\xd0\xcf\x11\xe0\0\0", "roster.csv: a spreadsheet, and no CSV"),
        (b"id,first_name\nj\x81,J\xc3\n",
         r"neither UTF-8 nor UTF-16 nor Windows' letters \(byte 15: .+save the list"),
    ],
)  # fmt: skip
def test_a_roster_that_is_none_says_what_was_expected(tmp_path: Path, content: bytes, text: str) -> None:
    """In an unknown encoding, a replacement mark for each letter would become part of an id."""
    (tmp_path / "roster.csv").write_bytes(content)
    with pytest.raises(RosterError, match=text):
        read_roster(tmp_path / "roster.csv")
    with pytest.raises(RosterError, match="cannot be read"):
        read_roster(tmp_path / "nowhere.csv")


def test_a_name_that_two_students_share_identifies_nobody(tmp_path: Path) -> None:
    who = read(tmp_path, "id,first_name,last_name,email\na,Jane,Doe,x@y\nb,JANE,Doe,z@y\nc,Zoë,Roe,\n")
    assert name_key("Doe, Jane") == name_key("jane  doe")
    assert (student(who, "Jane Doe"), student(who, "Roe, Zoe"), student(who, "z@y")) == (None, "c", "b")
    assert student(who, "Jane Doe", "z@y") == "b"


def test_where_number_and_name_say_different_things_the_name_is_believed_or_nobody_is(tmp_path: Path) -> None:
    text = "id,first_name,last_name,email,lms_user_id\nbr,Bob,Roe,b@x,501\njd,Jane,Doe,j@x,502\n"
    who = read(tmp_path, f"{text}a1,Ada,L,ada@x,7\na2,Ada,M,ada@x,8\n")
    assert student(who, "doejane", "501", system="canvas") == "jd"
    assert student(who, "xuli", "501", system="canvas") is None
    assert student(who, "roerobertbob", "501", system="canvas") == "br"
    assert student(who, "ada@x") is None
    assert student(who, "Ada M", "ada@x") == "a2"
    assert student(who, "J. Smith", "j@x") == "jd"
    assert student(who, "501") == "br"
    participants = read(tmp_path, "First name,Last name,ID number\nJane,Doe,1001\nBob,Roe,1042\n")
    assert student(participants, "Jane Doe", "1042", system="moodle") == "1001"


def test_a_folder_that_is_called_what_a_student_is_called_is_theirs(tmp_path: Path) -> None:
    who = read(tmp_path, "id,first_name,last_name,lms_user_id\n7,Bob,Roe,8\n8,Jane,Doe,9\n")
    assert (student(who, "7"), student(who, "8"), student(who, "9")) == ("7", "8", "8")
    who = read(tmp_path, by_hand("roe,Bob,Roe", "Roe,Rob,Roe"))
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
    """A student is found in the roster although Moodle leaves out ' and &, and Canvas the blanks."""
    assert student(read(tmp_path, by_hand(row)), bears, "0", system="canvas") == "x"


@pytest.mark.parametrize(
    ("known", "other"), [("किम,राव", "कुम राव"), ("สมชาย,ใจดี", "สมชาย ใจดู"), ("たか,子", "たが 子")]
)
def test_names_that_differ_in_a_vowel_are_two(tmp_path: Path, known: str, other: str) -> None:
    who = read(tmp_path, by_hand(f"x,{known}"))
    assert (student(who, known.replace(",", " ")), student(who, other)) == ("x", None)


def test_an_id_in_a_path_is_a_students_where_it_names_one_alone(tmp_path: Path) -> None:
    who = read(tmp_path, by_hand("aash,Ann,Ash", "bbirch,Bea,Birch", "10,Cy,Coe"))
    assert who.named_in_path(("homework", "aash.ipynb")) == "aash"
    for parts in (("aash and bbirch", "a"), ("Bea Birch", "aash.ipynb"), ("week 10", "a"), ("aashby", "Ann.ipynb")):
        assert who.named_in_path(parts) is None
