"""Writes the instructor's page about a class, with its CSV and JSON files.

The page shows the scores, the most common misconceptions, each unit, and what somebody should look at.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from markupsafe import Markup

from nbproctor import export, items, look, misconceptions, plots, tables
from nbproctor.course import Unit
from nbproctor.grades import Grade, Grades
from nbproctor.pages import script, template, unit_sign, unit_title
from nbproctor.result import Result
from nbproctor.submission import Remark
from nbproctor.text import clean, line, write_whole

COMMON = 10  # how many misconceptions are shown in full at the top
LEFT_OUT = "it was graded, but is not counted among the misconceptions, since its text could not be read for that"
LINES_MOST = 20  # lines about accidents in one submission; where there are more, the first ones say enough


@dataclass(frozen=True)
class Mended:
    """What went wrong by accident in one submission and was put right, and what else is worth knowing about it."""

    student: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """What the page says about one unit.

    graded: how many submissions have a score. shares: the share of the unit's points that each of these has. seconds:
    how long each submission took to grade.
    """

    unit: Unit
    rows: tuple[tables.Row, ...]
    graded: int
    shares: tuple[float, ...]
    items: tuple[items.Item, ...]
    misconceptions: tuple[misconceptions.Misconception, ...]
    mended: tuple[Mended, ...]
    seconds: tuple[float, ...]

    @property
    def title(self) -> str:
        return unit_title(self.unit.name)

    @property
    def median(self) -> float | None:
        return statistics.median(self.shares) if self.shares else None

    @property
    def histogram(self) -> Markup:
        return plots.histogram(self.shares, "share of the unit's points, %")

    @property
    def mean(self) -> float | None:
        return statistics.fmean(self.shares) if self.shares else None


@dataclass(frozen=True)
class Overview:
    """What the page says about the class as a whole.

    common: the most frequent misconceptions. others: how many more there are.
    """

    rows: tuple[tables.Row, ...]
    max_score: float
    median: float | None
    common: tuple[misconceptions.Misconception, ...]
    others: int
    looks: tuple[look.Look, ...]
    layers: tuple[str, ...]
    plots: tuple[tuple[str, str, Markup], ...]  # title, how to read it, the picture

    @cached_property
    def look_numbers(self) -> dict[str, int]:
        """For each student listed under "Needs a look", their number in the order of that list."""
        return {student: number for number, student in enumerate(dict.fromkeys(line.student for line in self.looks))}


def write_class_report(
    results: Sequence[Result], grades: Grades, units: Iterable[Unit], folder: Path, remarks: Sequence[Remark] = ()
) -> Path:
    """Write index.html, scores.csv, grades.csv and results.json into folder/report/; return the path of index.html.

    Points come from `grades`, which has an entry for each result (see `grades.beside`); everything else comes from the
    results. A remark that needs a look is listed and counted with the submissions that need one. Raises ValueError for
    a result of a unit that is not among `units`.
    """
    known = {unit.name: unit for unit in units}
    by_unit: dict[str, list[Result]] = defaultdict(list)
    for result in sorted(results, key=lambda result: (result.student.casefold(), result.student)):
        if result.unit not in known:
            raise ValueError(f"{result.student}: a result of {result.unit}, expected one of {', '.join(known)}")
        by_unit[result.unit].append(result)
    report = folder / "report"
    report.mkdir(parents=True, exist_ok=True)
    write_whole(report / "results.json", export.results_json(results))
    write_whole(report / "scores.csv", export.scores_csv(results, grades, known))
    write_whole(report / "grades.csv", export.grades_csv(grades))
    told = [unit for name, unit in known.items() if by_unit[name]]
    looks = [one for unit in told for result in by_unit[unit.name]
             for one in look.needs_a_look(result, grades[result.student, result.unit])]  # fmt: skip
    of_results = {(result.student, result.unit) for result in results}
    looks += [look.of_remark(remark, of_results) for remark in remarks if remark.look]
    findings = misconceptions.gather(results, told)
    places = {(one.student, one.unit) for one in looks}
    sections = [_section(unit, by_unit[unit.name], grades, places, findings) for unit in told]
    overview = _overview(results, grades, sections, looks, findings)
    left_out = [Remark(clean(f"{student}/{unit}"), line(f"{LEFT_OUT} ({why})"), look=False)
                for student, unit, why in findings.unread]  # fmt: skip
    files = [*(remark for remark in remarks if not remark.look), *left_out]
    page = template("class.html").render(overview=overview, sections=sections, files=files, script=script("class.js"))
    write_whole(report / "index.html", page)
    return report / "index.html"


def _section(
    unit: Unit,
    results: Sequence[Result],
    grades: Grades,
    looks: set[tuple[str, str]],
    findings: misconceptions.Findings,
) -> Section:
    mine = [(result, grades[result.student, result.unit]) for result in results]
    scored = [(result, grade) for result, grade in mine if grade.score is not None]
    mended = [Mended(result.student, tuple(look.mended(result)[:LINES_MOST])) for result in results]
    return Section(
        unit,
        tuple(tables.by_exercise(unit, mine, looks)),
        len(scored),
        tuple(_share(grade, unit) for _, grade in scored),
        tuple(items.analyse(unit, scored)),
        tuple(misconceptions.find(findings, {unit.name: unit})),
        tuple(one for one in mended if one.lines),
        tuple(result.seconds for result in results),
    )


def _share(grade: Grade, unit: Unit) -> float:
    return (grade.score or 0.0) / unit.max_points if unit.max_points else 0.0


def _overview(
    results: Sequence[Result],
    grades: Grades,
    sections: Sequence[Section],
    looks: Sequence[look.Look],
    findings: misconceptions.Findings,
) -> Overview:
    units = [section.unit for section in sections]
    places = {(one.student, one.unit) for one in looks}
    rows = tables.by_unit({(result.student, result.unit): result for result in results}, grades, units, places)
    totals = [row.share for row in rows if row.score is not None]
    found = misconceptions.find(findings, {unit.name: unit for unit in units})
    order = {unit.name: number for number, unit in enumerate(units)}
    return Overview(
        tuple(rows),
        sum(unit.max_points for unit in units),
        statistics.median(totals) if totals else None,
        tuple(found[:COMMON]),
        len(found[COMMON:]),
        tuple(sorted(looks, key=lambda line: (line.student.casefold(), line.student, order.get(line.unit, -1)))),
        tuple(sorted({", ".join(result.layers) for result in results if result.status == "graded"})),
        tuple(_plots(totals, sections)),
    )


def _plots(totals: Sequence[float], sections: Sequence[Section]) -> Iterable[tuple[str, str, Markup]]:
    """Yield (title, how to read it, picture) of each plot for which there is anything to show."""
    if len(totals) > 1:
        yield (
            "Totals",
            "How many students reached which share of all points.",
            plots.histogram(totals, "share of all points, %"),
        )
    spreads = [
        plots.Spread(unit_sign(section.unit.name), section.title, f"#{section.unit.name}", section.shares)
        for section in sections
        if section.shares
    ]
    if len(spreads) > 1:
        yield "Units", "The median, and the middle half of those who handed in.", plots.progress(spreads)
    dots = [
        plots.Dot(
            item.name, unit_sign(section.unit.name), f"#{section.unit.name}", item.difficulty, item.discrimination
        )
        for section in sections
        for item in section.items
        if item.difficulty is not None and item.discrimination is not None
    ]
    if dots:
        told = (
            "Each dot is an exercise, with its unit's number. An exercise below the dashed line says little "
            "about how a student does in the others."
        )
        yield "Exercises", told, plots.scatter(dots)
