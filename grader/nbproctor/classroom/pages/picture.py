"""Shows a failed check's matrices as tables of coloured cells: expected, yours, yours − expected.

The colours are classes of the style sheet, `v0` to `v9` for numbers and `d0` to `d6` for differences. So 32 × 32
numbers take few bytes.
"""

from collections.abc import Sequence

from markupsafe import Markup

from nbproctor.values.result import Picture

Matrix = Sequence[Sequence[float | None]]

VALUES, DIFFERENCES = 10, 7  # colours; odd for differences, so that zero has the middle one
WIDTH = 190  # px of a matrix at most; a small matrix has CELL_MOST px per number
CELL_MOST, CELL_WITH_NUMBER = 30, 22


def draw(picture: Picture) -> Markup:
    """Draw two panels with one scale, and their difference with its own. None stands for no finite number."""
    expected, yours = picture.expected, picture.yours
    if not (expected and expected[0] and yours and yours[0]):
        return Markup()
    low, high = _range([*expected, *yours])
    panels = [_panel(title, matrix, low, high, "v") for title, matrix in (("expected", expected), ("yours", yours))]
    caption = f"Shapes differ: expected {_shape(expected)}, yours {_shape(yours)}."
    if _shape(expected) == _shape(yours):
        difference = [
            [None if a is None or b is None else b - a for a, b in zip(*rows, strict=True)]
            for rows in zip(expected, yours, strict=True)
        ]
        size = max(map(abs, _range(difference)))
        panels.append(_panel("yours − expected", difference, -size, size, "d"))
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
    text = f"Largest difference {_number(size)} at row {row}, column {column}, counted from 0." if size else ""
    return f"{text} Not finite, crossed out: {lacking}.".strip() if lacking else text


def _number(value: float) -> str:
    """Format a number, in at most five characters if its size allows."""
    if value == 0 or 0.005 <= abs(value) < 10:
        return f"{value:.2f}".replace("-", "−")
    return f"{value:.2g}".replace("e+0", "e").replace("e-0", "e−").replace("-", "−")


def _panel(title: str, matrix: Matrix, low: float, high: float, scale: str) -> Markup:
    """Draw one labelled matrix; `low` and `high` have the first and the last colour of the scale."""
    colours = VALUES if scale == "v" else DIFFERENCES
    cell = max(4, min(CELL_MOST, WIDTH // max(len(matrix), len(matrix[0]))))
    rows = []
    for row in matrix:
        cells = []
        for value in row:
            if value is None:
                cells.append("<td class=x>×")
                continue
            share = (value - low) / (high - low) if high > low else 0.5
            number = _number(value) if cell >= CELL_WITH_NUMBER else ""
            cells.append(f"<td class={scale}{round(share * (colours - 1))}>{number}")
        rows.append(f"<tr>{''.join(cells)}")
    smallest, largest = map(_number, _range(matrix))
    caption = f"<strong>{title}</strong> {_shape(matrix)}, {smallest} to {largest}"
    return Markup(  # noqa: S704 - numbers and literals only
        f'<table class="matrix" style="--cell: {cell}px"><caption>{caption}</caption>{"".join(rows)}</table>'
    )
