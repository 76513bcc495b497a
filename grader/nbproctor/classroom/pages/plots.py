"""Draws three plots of a class as inline SVG: a histogram of totals, a scatter of exercises, the progress by unit.

The shapes have classes that the page's style sheet colours, so a dark page and a printed one use the same plot. Every
mark has a title that a pointer shows, and every plot has a label that says in words what it shows.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

WIDTH, HEIGHT = 360, 210
LEFT, RIGHT, TOP, BOTTOM = 34, 10, 14, 36  # px around the area with the data
TELLS_LITTLE = 0.2  # an exercise with a discrimination below this has little to do with the others
LABELS_MOST = 6
LETTER = 5.6  # px, the width of a letter in a label


@dataclass(frozen=True)
class Dot:
    """One exercise. `sign`, its unit's number, is written in its dot; `href` is a link to its unit.

    difficulty: mean share of the points, 0 to 1. discrimination: correlation with the rest of the unit, −1 to 1.
    """

    name: str
    sign: str
    href: str
    difficulty: float
    discrimination: float


@dataclass(frozen=True)
class Spread:
    """The scores of one unit. shares: at least one, each the share of the unit's points, 0 to 1."""

    sign: str
    title: str
    href: str
    shares: tuple[float, ...]


def histogram(shares: Sequence[float], of_what: str) -> Markup:
    """Draw how many students reached each tenth of the points; `shares` are from 0 to 1, larger ones count as 1."""
    bins = [sum(max(0, min(int(share * 10 + 1e-9), 9)) == b for share in shares) for b in range(10)]
    highest = max(*bins, 1)
    step = (WIDTH - LEFT - RIGHT) / 10
    parts = []
    for b, count in enumerate(bins):
        x, y = LEFT + b * step, _y(count / highest)
        title = f"{count} students with {10 * b} to {10 * b + 10} % of the points"
        parts.append(
            f'<g><title>{title}</title><rect class="column" x="{x + 1:.1f}" y="{y:.1f}" width="{step - 2:.1f}"'
            f' height="{_y(0) - y:.1f}"/>' + (_text(x + step / 2, y - 4, str(count)) if count else "") + "</g>"
        )
    label = f"Students by {of_what} in tenths from 0 to 100: {', '.join(map(str, bins))}"
    return _svg(label, [*parts, _x_axis(of_what)])


def scatter(dots: Sequence[Dot]) -> Markup:
    """Draw each exercise at its difficulty (right: easy) and its discrimination (top: it separates students well)."""
    low = -1.0 if any(dot.discrimination < -0.5 for dot in dots) else -0.5
    low = low if any(dot.discrimination < 0 for dot in dots) else 0.0

    def y(value: float) -> float:
        return _y((value - low) / (1 - low))

    ticks = [tick for tick in (-1.0, -0.5, 0.0, 0.5, 1.0) if tick >= low]
    parts = [_line(y(tick), "grid") + _text(LEFT - 5, y(tick) + 3, _signed(tick), "end") for tick in ticks]
    parts.append(_line(y(TELLS_LITTLE), "limit"))
    placed: list[tuple[float, float]] = []
    for dot in dots:
        at = _x(dot.difficulty), y(dot.discrimination)
        placed.append(at)
        parts.append(
            f'<a href="{escape(dot.href)}"><title>{escape(dot.name)}: {100 * dot.difficulty:.0f} % of the points,'
            f' discrimination {_signed(round(dot.discrimination, 2))}</title><circle class="dot" cx="{at[0]:.1f}"'
            f' cy="{at[1]:.1f}" r="7"/>{_text(at[0], at[1] + 3.5, dot.sign, "middle", "sign")}</a>'
        )
    parts += _labels([dot for dot in dots if dot.discrimination < TELLS_LITTLE], y, placed)
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(
        f'<text class="axis" transform="translate(9 {middle:g}) rotate(-90)" text-anchor="middle">discrimination</text>'
    )
    label = f"{len(dots)} exercises by difficulty and discrimination; the tables of the units have the numbers"
    return _svg(label, [*parts, _x_axis("mean share of the points, % (right: easy)")])


def progress(units: Iterable[Spread]) -> Markup:
    """Draw for each unit the middle half of the class as a box and its median as a line; the medians are joined."""
    units = list(units)
    step = (WIDTH - LEFT - RIGHT) / max(len(units), 1)
    parts = [_line(_y(tick / 100), "grid") + _text(LEFT - 5, _y(tick / 100) + 3, str(tick), "end") for tick in
             (0, 25, 50, 75, 100)]  # fmt: skip
    medians = []
    for n, unit in enumerate(units):
        lower, median, upper = _quartiles(unit.shares)
        x, half = LEFT + (n + 0.5) * step, min(step * 0.36, 16)
        medians.append(f"{x:.1f},{_y(median):.1f}")
        title = f"{escape(unit.title)}: median {100 * median:.0f} %, half of {len(unit.shares)} students "
        title += f"between {100 * lower:.0f} and {100 * upper:.0f} %"
        parts.append(
            f'<a href="{escape(unit.href)}"><title>{title}</title><rect class="box" x="{x - half:.1f}"'
            f' y="{_y(upper):.1f}" width="{2 * half:.1f}" height="{max(_y(lower) - _y(upper), 1):.1f}"/>'
            f'<path class="median" d="M{x - half:.1f} {_y(median):.1f}h{2 * half:.1f}"/>'
            f"{_text(x, HEIGHT - BOTTOM + 14, unit.sign)}</a>"
        )
    joined = f'<polyline class="joined" points="{" ".join(medians)}"/>'
    label = "Share of the points by unit, median and middle half of the class: "
    label += ", ".join(f"unit {unit.sign} {100 * _quartiles(unit.shares)[1]:.0f} %" for unit in units)
    return _svg(label, [*parts, joined, _text(LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 4, "unit", "middle", "axis")])


def _quartiles(shares: Sequence[float]) -> tuple[float, float, float]:
    if len(shares) < 2:
        return (shares[0],) * 3
    lower, median, upper = statistics.quantiles((min(max(share, 0.0), 1.0) for share in shares), method="inclusive")
    return lower, median, upper


def _labels(dots: Sequence[Dot], y: Callable[[float], float], taken: list[tuple[float, float]]) -> list[str]:
    """Write names beside the dots with the lowest discrimination, where there is room; the others have their titles."""
    parts, boxes = [], [(x - 8, v - 8, x + 8, v + 8) for x, v in taken]
    for dot in sorted(dots, key=lambda dot: dot.discrimination)[:LABELS_MOST]:
        x, v, length = _x(dot.difficulty), y(dot.discrimination), LETTER * len(dot.name)
        for start, anchor in ((x + 10, "start"), (x - 10 - length, "end")):
            box = start, v - 6, start + length, v + 6
            if start >= LEFT - 20 and box[2] <= WIDTH and not any(_overlap(box, other) for other in boxes):
                boxes.append(box)
                edge = start if anchor == "start" else start + length
                parts.append(_text(edge, v + 3.5, dot.name, anchor))
                break
    return parts


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _svg(label: str, parts: Iterable[str]) -> Markup:
    return Markup(  # noqa: S704 numbers, literals of this module, and names that are escaped
        f'<svg class="plot" role="group" aria-label="{escape(label)}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f"{''.join(parts)}</svg>"
    )


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _x_axis(label: str) -> str:
    ticks = "".join(_text(_x(tick / 100), HEIGHT - BOTTOM + 14, str(tick)) for tick in range(0, 101, 20))
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    return _line(_y(0), "base") + ticks + _text(middle, HEIGHT - 4, label, "middle", "axis")


def _line(y: float, kind: str) -> str:
    return f'<path class="{kind}" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'


def _text(x: float, y: float, text: str, anchor: str = "middle", kind: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text{style} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _signed(value: float) -> str:
    return f"{value:g}".replace("-", "−")
