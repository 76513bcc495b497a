"""The pictures on feedback pages: colours, crosses and captions."""

import re
from typing import Any

import pytest
from fake_class import picture

from nbproctor.classroom.pages.page import TEMPLATES
from nbproctor.classroom.pages.picture import draw
from nbproctor.values.result import Picture


def of(matrices: dict[str, Any]) -> Picture:
    return Picture(*(tuple(map(tuple, matrices[side])) for side in ("expected", "yours")))


def test_a_picture_crosses_out_what_is_not_a_number() -> None:
    drawn = draw(of(picture(12, 20, nan=True)))
    assert drawn.count("<td class=x>×") == 2 and "Not finite, crossed out: 1." in drawn
    assert "class=x" not in draw(of(picture(12, 20)))


def test_a_picture_of_other_shapes_has_no_difference() -> None:
    drawn = draw(of({"expected": [[1.0, 2.0]], "yours": [[1.0], [2.0]]}))
    assert drawn.count("<table") == 2 and "Shapes differ: expected 1 × 2, yours 2 × 1." in drawn


def test_equal_colours_are_equal_numbers() -> None:
    drawn = draw(of({"expected": [[0.0, 1.0, 1.0]], "yours": [[2.0, 0.0, 1.0]]}))
    expected, yours, difference = (re.findall(r"<td class=(\w+)>([^<]*)", table) for table in drawn.split("<table")[1:])
    assert expected == [("v0", "0.00"), ("v4", "1.00"), ("v4", "1.00")]
    assert yours == [("v9", "2.00"), ("v0", "0.00"), ("v4", "1.00")]
    assert difference == [("d6", "2.00"), ("d2", "−1.00"), ("d3", "0.00")]
    colours = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    assert all(f".{name} {{ background: #" in colours for name, _ in (*expected, *yours, *difference))


@pytest.mark.parametrize("values", [[[]], [], [[None]], [[1e300]], [[0.0, 0.0]], [[-1e-9]]])
def test_a_picture_survives_degenerate_matrices(values: list[list[float | None]]) -> None:
    drawn = draw(of({"expected": values, "yours": values}))
    assert bool(drawn) == bool(values and values[0])
