"""The border for text from outside: what passes it, and that nothing is stored or shown that has not passed it."""

import ast
from pathlib import Path

import pytest

import nbproctor
from nbproctor.classroom.pages.page import template
from nbproctor.values.text import clean, displayable, formula_safe, line, many, name_of

PACKAGE = Path(nbproctor.__file__).parent
TURNED = "\u202eabc\u2066"


# Each of these lines below `raw` hands a raw string to something that is stored or shown, so mypy has to refuse it.
# Each of these goes through the border. They are checked together with the others, since mypy takes a minute to start.
def test_only_the_border_says_that_a_text_has_passed_it() -> None:
    for path in PACKAGE.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        made = {ast.unparse(call.func).split(".")[-1] for call in calls}
        made |= {ast.unparse(word) for call in calls if ast.unparse(call.func) == "cast" for word in call.args[:1]}
        assert path.name == "text.py" or not made & {"Clean", "Shown", "'Clean'", "'Shown'"}, path


@pytest.mark.parametrize("text", ["a\x00b\x1b[31mc", "a\ud800b", "\x7f\x9f\ufffe", "tab\tline\nend\r\nx\r"])
def test_clean_text_can_be_written_anywhere(text: str) -> None:
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
    assert line("one two three", 13) == "one two three"
    assert [line("one two three four", most) for most in (17, 14, 13, 9)] == [
        "one two three…", "one two three…", "one two…", "one two…",
    ]  # fmt: skip
    assert line("unbroken_name", 6) == "unbro…" and line("a unbroken_name", 8) == "a unbro…"


def test_shown_text_reads_in_one_direction_and_a_line_is_one() -> None:
    assert displayable(TURNED) == "⟦U+202E⟧abc⟦U+2066⟧"
    assert clean(TURNED) == TURNED
    assert line(" a\n b\tc ") == "a b c"
    assert name_of(Path("a\nb\tc")) == "a�b�c"


def test_whatever_a_page_is_filled_with_is_shown_text() -> None:
    environment = template("page.html").environment
    source = """{% macro say(x) %}<i>{{ x }}</i>{% endmacro %}
{{ x }} <b title="{{ x }}">{{ x | upper }}</b> {{ say(x) }} {% for one in [x] %}{{ one }}{% endfor %}"""
    page = environment.from_string(source).render(x=f"{TURNED}\x1b\ud800<")
    word = "⟦U+202E⟧abc⟦U+2066⟧��&lt;"
    assert page.strip() == f'{word} <b title="{word}">{word.replace("abc", "ABC")}</b> ' + (f"<i>{word}</i> {word}")


@pytest.mark.parametrize("between", [";", "\t", "; ", ';"', ';""'])
@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "＝1"])
def test_a_spreadsheet_that_splits_at_another_sign_runs_no_formula_either(text: str, between: str) -> None:
    """In Germany, Excel splits a row at semicolons, and quotation marks in the middle of a row do not prevent that."""
    assert formula_safe(f"a, b{between}{text}") == f"a, b{between[0]}'{between[1:]}{text}"
    assert formula_safe(f"a{between}b{text}") == f"a{between}b{text}"


def test_a_number_and_its_noun_agree() -> None:
    said = [many(0, "file"), many(1, "file"), many(1.0, "point"), many(2.5, "point"), many(2, "person", "people")]
    assert said == ["0 files", "1 file", "1 point", "2.5 points", "2 people"]
