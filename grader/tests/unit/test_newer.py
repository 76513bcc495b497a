"""A newer Python's syntax is told from a mistake, by what parses it and by the first Python that has it."""

import sys

import pytest

from nbproctor.source.newer import newer_python

HERE = sys.version_info[:2]
SINCE = {  # a source, and the first Python that can parse it
    "x = f'{d['a']}'": (3, 12),
    "x = f'{'\\n'.join(a)}'": (3, 12),
    "x = f'{\n    a  # a comment\n}'": (3, 12),
    "type Row = list[int]": (3, 12),
    "def first[T](x: list[T]) -> T:\n    return x[0]": (3, 12),
    "def first[T = int](x: T):\n    pass": (3, 13),
    "try:\n    pass\nexcept ValueError, KeyError:\n    pass": (3, 14),
    "x = t'{d['a']!r:>{w}}'": (3, 14),
    "lazy import json": (3, 15),
    "x = [*row for row in rows]": (3, 15),
}
MISTAKES = (
    "x = = 1", "x = 1 if else 2", "print 'a'", "f(1", "def f():\nreturn 1", "return 1", "def f(a, a):\n    pass", "*x",
    "x = b'\u00e9'", "x = '\\x'", "f'{'", "f'{}'", "f'{a b}'", "f'{a!x}'", "except A, B:",
    "try:\n  pass\nexcept A, B as e:\n  pass",
    "type = = 1", "class A[T(:\n    pass", "x = t'{'", "lazy = = 1", "%nothing here\nx = = 1", "(" * 100_000,
    "x = " + "-" * 50_000,
    "f(**a, *b)", "f(a=1, 2)", "'a' b'b'", "def f[T](T):", "break",
)  # fmt: skip


@pytest.mark.parametrize("source", SINCE)
def test_newer_syntax_is_told_with_its_python(source: str) -> None:
    since = SINCE[source]
    expected = f"{since[0]}.{since[1]}" if since > HERE else ""
    assert newer_python([source]) == expected
    assert newer_python(["y = 1", f"%%time\n%matplotlib inline\n{source}\n!ls"]) == expected
    assert newer_python([f"{source}\nx = = 1"]) == ""


def test_several_sources_need_the_newest_of_all() -> None:
    assert newer_python([*SINCE, "x = = 1"]) == ("3.15" if HERE < (3, 15) else "")


@pytest.mark.parametrize("source", MISTAKES, ids=lambda source: source[:20])
def test_a_mistake_needs_no_newer_python(source: str) -> None:
    assert newer_python([source]) == ""
