"""What the probe notes of a run: digests that tell values apart but for rounding, and calls as others see them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nbproctor.inside.watch import Watch, digest, words


class Point:
    def __init__(self, x: float) -> None:
        self.x = x


class Odd:
    def __repr__(self) -> str:
        raise ValueError

    def __getattr__(self, name: str) -> Any:
        raise KeyError


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (2.0, 2, 3), (0.1 + 0.2, 0.3, 0.3001), (-0.0, 0.0, 1.0), (True, True, 1), ("2", "2", 2), (None, None, 0),
        ([1, [2.0]], [1, [2 + 1e-12]], [1, 2.0]), ({"a": 1}, {"a": 1.0}, {"a": 2}), ({1, 2}, {2, 1}, {1, 3}),
        (np.arange(3) / 3, np.arange(3) / 3 + 1e-12, np.arange(3) / 2),
        (np.zeros((2, 1)), np.zeros((2, 1)), np.zeros(2)),
        (Point(1), Point(1.0), Point(2)), (float("nan"), float("nan"), float("inf")),
        (1 + 2j, 1 + 2j, 2 + 1j), (len, len, max), (range(10**9), range(10**9), range(9)),
    ],
)  # fmt: skip
def test_values_have_one_digest_where_they_are_the_same(one: object, same: object, other: object) -> None:
    assert digest(one) == digest(same) != digest(other)


def test_a_value_in_short() -> None:
    long = words(list(range(1000)))
    assert digest(Odd()) == digest(Odd())
    assert words([1, "a"]) == "[1, 'a']" and words(Odd()) == "a Odd" and len(long) == 80 and long.endswith("…")


def traced(source: str, calls: Callable[[dict[str, Any]], Any]) -> Watch:
    names: dict[str, Any] = {}
    exec(compile(source, "<cell>", "exec"), names)  # noqa: S102
    watch = Watch("<cell>")
    watch.begin()
    try:
        calls(names)
    finally:
        watch.end()
    return watch


def test_calls_from_elsewhere_are_noted_and_those_among_its_own_functions_are_not() -> None:
    source = (
        "def f(n):\n    return 1 if n < 1 else n * f(n - 1)\ndef g(x):\n    x.append(1)\n"
        "def h():\n    raise KeyError\nclass C:\n    def m(self):\n        self.y = 2\n        return 3\n"
        "def never():\n    pass\n"
    )

    def calls(names: dict[str, Any]) -> None:
        names["f"](4)
        names["g"]([0])
        with pytest.raises(KeyError):
            names["h"]()
        names["C"]().m()
        sorted([1])

    watch = traced(source, calls)
    assert [(name, told) for name, _, told in watch.values] == [
        ("f", "24"), ("g", "None"), ("h", "raised KeyError"), ("C.m", "3"),
    ]  # fmt: skip
    assert watch.lines == {2, 4, 6, 9, 10}
    assert watch.values[1][1] == digest([[0, 1]])
