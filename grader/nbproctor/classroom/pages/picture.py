"""Draws a failed check's matrices as inline SVG: expected, yours, yours − expected.

Each colour is one path, instead of one rectangle per number: so 32 × 32 numbers take a tenth of the bytes and of the
time. The SVG has no ids, styles or scripts, so any number of pictures can be on one page with a strict
Content-Security-Policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from markupsafe import Markup

from nbproctor.values.result import Picture

Matrix = Sequence[Sequence[float | None]]

LEVELS = 33  # odd: a difference of zero has the middle colour
WIDTH = 190  # px of a panel's matrix at most; a small matrix has CELL_MOST px per number
CELL_MOST, CELL_WITH_NUMBER = 30, 22

_VIRIDIS = ("440154", "482878", "3e4a89", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725")
_DIVERGING = ("2166ac", "67a9cf", "d1e5f0", "f7f7f7", "fddbc7", "ef8a62", "b2182b")  # ColorBrewer RdBu, blue first


def _ramp(anchors: Sequence[str]) -> tuple[str, ...]:
    """Return LEVELS colours, interpolated between the anchors."""
    points = [[int(anchor[i : i + 2], 16) for i in (0, 2, 4)] for anchor in anchors]
    colours = []
    for level in range(LEVELS):
        place = level / (LEVELS - 1) * (len(points) - 1)
        left = min(int(place), len(points) - 2)
        mixed = (round(a + (b - a) * (place - left)) for a, b in zip(points[left], points[left + 1], strict=True))
        colours.append("#" + "".join(f"{value:02x}" for value in mixed))
    return tuple(colours)


_SCALES = {"value": _ramp(_VIRIDIS), "difference": _ramp(_DIVERGING)}


def draw(picture: Picture) -> Markup:
    """Draw a figure of two or three panels. None in a matrix stands for a number that is not finite.

    The first two panels share one scale, so equal colours mean equal numbers. The difference has its own scale, with
    zero in its middle; it is left out where the shapes differ. Returns empty Markup for an empty matrix.
    """
    expected, yours = picture.expected, picture.yours
    if not (expected and expected[0] and yours and yours[0]):
        return Markup()
    low, high = _range([*expected, *yours])
    panels = [_panel("expected", expected, low, high, "value"), _panel("yours", yours, low, high, "value")]
    caption = f"Shapes differ: expected {_shape(expected)}, yours {_shape(yours)}."
    if _shape(expected) == _shape(yours):
        difference = [
            [None if a is None or b is None else b - a for a, b in zip(*rows, strict=True)]
            for rows in zip(expected, yours, strict=True)
        ]
        size = max(map(abs, _range(difference)))
        panels.append(_panel("yours − expected", difference, -size, size, "difference"))
        caption = _largest(difference)
    return Markup('<figure class="picture"><div class="panels">{}</div><figcaption>{}</figcaption></figure>').format(
        Markup("").join(panels), caption
    )


def _shape(matrix: Matrix) -> str:
    return f"{len(matrix)} × {len(matrix[0])}"


def _range(matrix: Matrix) -> tuple[float, float]:
    finite = [value for row in matrix for value in row if value is not None]
    return (min(finite), max(finite)) if finite else (0.0, 0.0)


def _largest(difference: Matrix) -> str:
    lacking = sum(value is None for row in difference for value in row)
    cells = [(abs(value), i, j) for i, row in enumerate(difference) for j, value in enumerate(row) if value is not None]
    size, row, column = max(cells, key=lambda cell: cell[0], default=(0.0, 0, 0))
    text = f"Largest difference {_number(size)} at row {row}, column {column}." if size else ""
    return f"{text} Not finite, crossed out: {lacking}.".strip() if lacking else text


def _number(value: float) -> str:
    """Format a number, in at most five characters where its size allows."""
    if value == 0 or 0.005 <= abs(value) < 10:
        return f"{value:.2f}".replace("-", "−")
    return f"{value:.2g}".replace("e+0", "e").replace("e-0", "e−").replace("-", "−")


@cache
def _square(row: int, column: int) -> str:
    """Return the path of one unit square. Every picture uses the same few thousand, so they are cached."""
    return f"M{column} {row}h1v1h-1z"


@cache
def _bar(scale: str) -> str:
    """Return the colour bar, drawn in a box of LEVELS × 1."""
    return "".join(f'<path fill="{colour}" d="M{i} 0h1.1v1h-1.1z"/>' for i, colour in enumerate(_SCALES[scale]))


def _panel(title: str, matrix: Matrix, low: float, high: float, scale: str) -> Markup:
    """Draw one labelled matrix with its colour bar, from numbers and literals of this module only."""
    rows, columns = len(matrix), len(matrix[0])
    cell = max(4, min(CELL_MOST, WIDTH // max(rows, columns)))
    left, top, width, height = 16, 34, cell * columns, cell * rows
    colours = _SCALES[scale]
    step = (LEVELS - 1) / (high - low) if high > low else 0.0
    squares: list[list[str]] = [[] for _ in colours]
    crosses, numbers = [], []
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            if value is None:
                crosses.append(f"M{left + j * cell} {top + i * cell}l{cell} {cell}m0-{cell}l-{cell} {cell}")
                continue
            level = int((value - low) * step + 0.5) if step else LEVELS // 2
            squares[level].append(_square(i, j))
            if cell >= CELL_WITH_NUMBER:
                bright = 4 < level < LEVELS - 5 if scale == "difference" else level > LEVELS * 0.55
                place = f'x="{left + (j + 0.5) * cell:g}" y="{top + (i + 0.5) * cell + 3:g}"'
                style = "" if bright else ' class="light"'
                numbers.append(f'<text {place}{style} text-anchor="middle">{_number(value)}</text>')
    paths = "".join(
        f'<path fill="{colour}" d="{"".join(d)}"/>' for colour, d in zip(colours, squares, strict=True) if d
    )
    cross = f'<path stroke="#d55e00" fill="none" d="{"".join(crosses)}"/>' if crosses else ""
    bar_width, bar_top = max(width, 90), top + height + 10
    total_width, total_height = left + bar_width + 4, bar_top + 20
    smallest, largest = map(_number, _range(matrix))
    label = f"{title}: {rows} × {columns} numbers from {smallest} to {largest}"
    return Markup(  # noqa: S704 - numbers and literals only
        f'<svg role="img" aria-label="{label}" width="{total_width}" height="{total_height}"'
        f' viewBox="0 0 {total_width} {total_height}"><title>{label}</title>'
        f'<text class="panel-title" x="{left}" y="12">{title}</text>'
        f'<text class="axis" x="{left + width / 2:g}" y="28" text-anchor="middle">columns 0–{columns - 1}</text>'
        f'<text class="axis" transform="translate(10 {top + height / 2:g}) rotate(-90)" text-anchor="middle">'
        f'rows 0–{rows - 1}</text><g class="numbers" shape-rendering="crispEdges">'
        f'<g transform="translate({left} {top}) scale({cell})">{paths}</g>{cross}{"".join(numbers)}'
        f'<g transform="translate({left} {bar_top}) scale({bar_width / LEVELS:g} 6)">{_bar(scale)}</g></g>'
        f'<text class="axis" x="{left}" y="{bar_top + 16}">{_number(low)}</text>'
        f'<text class="axis" x="{left + bar_width}" y="{bar_top + 16}" text-anchor="end">{_number(high)}</text></svg>'
    )
