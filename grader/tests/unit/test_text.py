"""The border for text from outside: what passes it, and that nothing is stored or shown that has not passed it."""

import ast
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import nbproctor
from nbproctor.classroom.pages.page import sentence, template
from nbproctor.values.text import clean, displayable, formula_safe, joined, line, many, name_of

PACKAGE = Path(nbproctor.__file__).parent
TURNED = "\u202eabc\u2066"

# Each of these lines below `raw` hands a raw string to something that is stored or shown, so mypy has to refuse it.
BYPASSES = """
from nbproctor.cli.terminal import on_terminal
from nbproctor.values.result import CheckResult, ExerciseResult, Note, OwnCell, Result, ungradable
from nbproctor.values.submission import HandedIn, Submission
from nbproctor.values.text import clean, line, displayable, student_folder
from pathlib import Path
raw = str(object())
Note("look", raw)
Note("look", clean(raw) + "!")
CheckResult("check", False, 1.0, "failed", raw)
ExerciseResult("name", raw, clean(raw), (), ())
ExerciseResult("name", clean(raw), raw, (), ())
OwnCell("", raw)
Result(raw, "unit", "graded", 1.0)
ungradable(clean(raw), "unit", 1.0, raw)
Submission(raw, "unit", Path())
HandedIn(b"", (), (raw,))
student_folder(Path(), raw, "unit")
on_terminal(raw)
on_terminal(clean(raw))
"""
# Each of these goes through the border. They are checked together with the others, since mypy takes a minute to start.
PASSES = """
Note("look", clean(raw))
Note("look", line(f"{raw}!"))
Note("look", displayable(raw))
on_terminal(displayable(raw))
"""


def type_errors(program: str, folder: Path) -> list[int]:
    """The numbers of the lines that mypy refuses."""
    path = folder / "program.py"
    path.write_text(program)
    command = [sys.executable, "-m", "mypy", "--config-file", str(PACKAGE.parent / "pyproject.toml"), str(path)]
    done = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True, timeout=600, check=False)  # noqa: S603
    errors = [told for told in done.stdout.splitlines() if ": error: " in told]
    assert (done.returncode == 0) == (errors == []), done.stdout + done.stderr
    places = [told.split(":")[:2] for told in errors]
    # Only the file's name is compared: for a cached file, mypy may name the folder of an earlier run.
    assert {Path(file).name for file, _ in places} <= {path.name}, done.stdout
    return [int(number) for _, number in places]


def test_a_raw_string_on_its_way_to_a_file_or_a_page_is_a_type_error(tmp_path: Path) -> None:
    """mypy refuses each line that would slip past the border, and no line that goes through it."""
    lines = BYPASSES.splitlines()
    first = lines.index("raw = str(object())") + 2
    assert type_errors(BYPASSES + PASSES, tmp_path) == list(range(first, len(lines) + 1))


def test_only_the_border_says_that_a_text_has_passed_it() -> None:
    """No module but `text` calls `Clean` or `Shown`, or casts to them."""
    for path in PACKAGE.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        made = {ast.unparse(call.func).split(".")[-1] for call in calls}
        made |= {ast.unparse(word) for call in calls if ast.unparse(call.func) == "cast" for word in call.args[:1]}
        assert path.name == "text.py" or not made & {"Clean", "Shown", "'Clean'", "'Shown'"}, path


@pytest.mark.parametrize("text", ["a\x00b\x1b[31mc", "a\ud800b", "\x7f\x9f\ufffe", "tab\tline\nend\r\nx\r"])
def test_clean_text_can_be_written_anywhere(text: str) -> None:
    """Clean text has no control or half characters, so any file can hold it, and cleaning it again changes nothing."""
    cleaned = clean(text)
    cleaned.encode()
    assert all(letter.isprintable() or letter in "\n\t\ufffd" for letter in cleaned)
    assert clean(cleaned) == cleaned


def test_each_border_function_has_its_cap() -> None:
    assert len(clean("x" * 2_000_000)) == 1_000_000
    assert len(displayable("x" * 2_000_000)) == 1_000_000
    assert len(line("x" * 2_000_000)) == 300
    assert (clean("xyz", 2), line("x y z", 4), displayable("xyz", 2)) == ("xy", "x y…", "xy")
    assert len(name_of(Path("x" * 400))) == 255


def test_a_line_is_cut_between_two_words() -> None:
    """A line that is too long ends in "…" behind a whole word, and behind a part of one where that is all there is."""
    assert line("one two three", 13) == "one two three"
    assert [line("one two three four", most) for most in (17, 14, 13, 9)] == [
        "one two three…", "one two three…", "one two…", "one two…",
    ]  # fmt: skip
    assert line("unbroken_name", 6) == "unbro…" and line("a unbroken_name", 8) == "a unbro…"


def test_shown_text_reads_in_one_direction_and_a_line_is_one() -> None:
    """Displayable text spells out characters that would change the reading direction, and a line holds no newline."""
    assert displayable(TURNED) == "⟦U+202E⟧abc⟦U+2066⟧"
    assert clean(TURNED) == TURNED
    assert line(" a\n b\tc ") == "a b c"
    assert name_of(Path("a\nb\tc")) == "a�b�c"


def test_whatever_a_page_is_filled_with_is_shown_text() -> None:
    """Whatever a template prints is shown text: in text, in an attribute, through a filter or a macro."""
    environment = template("page.html").environment
    source = """{% macro say(x) %}<i>{{ x }}</i>{% endmacro %}
{{ x }} <b title="{{ x }}">{{ x | upper }}</b> {{ say(x) }} {% for one in [x] %}{{ one }}{% endfor %}"""
    page = environment.from_string(source).render(x=f"{TURNED}\x1b\ud800<")
    word = "⟦U+202E⟧abc⟦U+2066⟧��&lt;"
    assert page.strip() == f'{word} <b title="{word}">{word.replace("abc", "ABC")}</b> ' + (f"<i>{word}</i> {word}")


@pytest.mark.parametrize("text", ["=1+1", " =1", "+1", "-1", "@x", "＝1"])
def test_a_spreadsheet_runs_no_formula(text: str) -> None:
    """Text that would begin a formula gets a quote in front, and no other text does."""
    assert formula_safe(text) == f"'{text}"
    assert formula_safe(f"a{text}") == f"a{text}"


@pytest.mark.parametrize("between", [";", "\t", "; ", ';"', ';""'])
@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "＝1"])
def test_a_spreadsheet_that_splits_at_another_sign_runs_no_formula_either(text: str, between: str) -> None:
    """Text that would begin a formula after a semicolon or tab gets a quote in front, too.

    In Germany, Excel splits a row at semicolons, and quotation marks in the middle of a row do not prevent that.
    """
    assert formula_safe(f"a, b{between}{text}") == f"a, b{between[0]}'{between[1:]}{text}"
    assert formula_safe(f"a{between}b{text}") == f"a{between}b{text}"


NOUNS = "students|notebooks|files|cells|lines|units|answers|submissions|points|assignments|things|times|folders|pages"
PLURAL = re.compile(rf" (?:more |other |whole )?(?:{NOUNS}|people|bytes|threads|workers|exercises|rows|columns)\b")


@pytest.mark.parametrize("room", ["anycourse", "intake", "classroom", "cli", "values", "run", "authoring", "course"])
def test_no_sentence_puts_a_number_before_a_plural_by_itself(room: str) -> None:
    """`many` does: "1 notebooks" is wrong in every sentence. A limit, in capitals, is never 1."""
    found = []
    for path in sorted((PACKAGE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            parts = node.values if isinstance(node, ast.JoinedStr) else []
            for value, after in pairwise(parts):
                text = after.value if isinstance(after, ast.Constant) else ""
                if isinstance(value, ast.FormattedValue) and PLURAL.match(str(text)):
                    name = ast.unparse(value.value)
                    found += [] if name.isupper() else [f"{path.name}:{value.lineno}: {name}{text}"]
    assert found == []


def test_sentences_are_joined_without_a_full_stop_before_a_semicolon() -> None:
    assert joined(["See for yourself.", "It is odd"]) == "See for yourself; It is odd" and joined([]) == ""


def test_a_line_of_a_page_begins_with_a_capital_but_where_it_begins_with_a_name() -> None:
    for text, wanted in {
        "it is a link": "It is a link", "softmax: odd": "softmax: odd", "two_words was": "two_words was",
        "hw.ipynb counts": "hw.ipynb counts", "": "",
    }.items():  # fmt: skip
        assert sentence(text) == wanted


def test_a_number_and_its_noun_agree() -> None:
    said = [many(0, "file"), many(1, "file"), many(1.0, "point"), many(2.5, "point"), many(2, "person", "people")]
    assert said == ["0 files", "1 file", "1 point", "2.5 points", "2 people"]
