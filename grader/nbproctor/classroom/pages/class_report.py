"""Writes the instructor's page about a class, with its CSV and JSON files.

The page shows the scores, the most common misconceptions, each unit, and what somebody should look at.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbproctor.classroom import export
from nbproctor.classroom.pages import items, look, misconceptions, similar, tables
from nbproctor.classroom.pages.page import script, template
from nbproctor.course.units import Unit
from nbproctor.values.grades import Grades, counted, names
from nbproctor.values.result import Result
from nbproctor.values.submission import Remark
from nbproctor.values.text import write_whole

COMMON = 10  # how many misconceptions are shown in full at the top


@dataclass(frozen=True)
class Section:
    """What the page says about one unit.

    shares: the share of the unit's points that each submission has, of those that have a score. mended: (student, what
    went wrong by accident and was put right).
    """

    unit: Unit
    rows: tuple[tables.Row, ...]
    shares: tuple[float, ...]
    items: tuple[items.Item, ...]
    misconceptions: tuple[misconceptions.Misconception, ...]
    mended: tuple[tuple[str, list[str]], ...]

    @property
    def middle(self) -> tuple[float, float]:
        """Between which shares the middle half of the class lies; there is at least one share."""
        if len(self.shares) < 2:
            return self.shares[0], self.shares[0]
        lower, _, upper = statistics.quantiles(self.shares, method="inclusive")
        return lower, upper


def write_class_report(
    results: Sequence[Result], grades: Grades, units: Iterable[Unit], folder: Path, remarks: Sequence[Remark] = ()
) -> Path:
    """Write index.html, scores.csv, grades.csv and results.json into folder/report/; return the path of index.html.

    Points come from `grades`, which has an entry for each result (see `grades.beside`); everything else comes from the
    results. A remark that needs a look is listed and counted with the submissions that need one.
    """
    known = {unit.name: unit for unit in units}
    by_unit: dict[str, list[Result]] = defaultdict(list)
    for result in sorted(results, key=lambda result: (result.student.casefold(), result.student)):
        by_unit[result.unit].append(result)
    report = folder / "report"
    write_whole(report / "results.json", export.results_json(results))
    write_whole(report / "scores.csv", export.scores_csv(results, grades, known))
    write_whole(report / "grades.csv", export.grades_csv(grades))
    told = [unit for name, unit in known.items() if by_unit[name]]
    looks = [one for unit in told for result in by_unit[unit.name]
             for one in look.needs_a_look(result, grades[result.student, result.unit])]  # fmt: skip
    of_results = {(result.student, result.unit) for result in results}
    looks += look.of_lacks(results, grades)
    looks += [look.of_remark(remark, of_results) for remark in remarks if remark.look]
    findings = misconceptions.gather(results, told)
    places = {place for one in looks for place in one.places}
    sections = [_section(unit, by_unit[unit.name], grades, places, findings) for unit in told]
    overview = _overview(results, grades, sections, looks, findings)
    files = [remark for remark in remarks if not remark.look]
    text, digest = script("class.js")
    page = template("class.html").render(**overview, sections=sections, files=files, script=text, script_digest=digest)
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
    rows = tables.by_exercise(unit, mine, looks)
    scored = [(result, grade) for result, grade in mine if grade.score is not None]
    mended = [(result.student, look.mended(result)) for result in results]
    return Section(
        unit,
        tuple(rows),
        tuple(row.share for row in rows if row.score is not None),
        tuple(items.analyse(unit, scored)),
        tuple(misconceptions.find(findings, {unit.name: unit})),
        tuple(one for one in mended if one[1]),
    )


def _overview(
    results: Sequence[Result],
    grades: Grades,
    sections: Sequence[Section],
    looks: Sequence[look.Look],
    findings: misconceptions.Findings,
) -> dict[str, object]:
    """Return what the page says about the class as a whole, by the names that the templates have for it."""
    units = {section.unit.name: section.unit for section in sections}
    of_results = {(str(result.student), result.unit): result for result in results}
    counting = counted({place: grades[place] for place in of_results})
    places = {place for one in looks for place in one.places}
    rows = tables.by_unit(of_results, grades, list(units.values()), places, counting)
    found = misconceptions.find(findings, units)
    order = {unit: number for number, unit in enumerate(units)}
    looks = sorted(
        looks, key=lambda one: (len(one.places) < 2, one.student.casefold(), one.student, order.get(one.unit, -1))
    )
    return {
        "rows": rows,
        "named": names(grades),
        "max_score": sum(unit.max_points for name, unit in units.items() if name in counting),
        # units that are not in the sums, since hardly anybody has handed them in, and how many have
        "apart": [(one.unit.name, len(one.rows)) for one in sections if one.unit.name not in counting],
        "shares": [row.share for row in rows if row.score is not None],
        "common": found[:COMMON],
        "others": len(found[COMMON:]),
        "looks": looks,
        # for each student that a line is about, the number of the first such line
        "look_numbers": {place[0]: n for n, one in reversed([*enumerate(looks)]) for place in one.places},
        "alike": similar.find_alike(results, units),
        "layers": sorted({", ".join(result.layers) for result in results if result.status == "graded"}),
        "versions": sorted({result.grader_version for result in results if result.grader_version}),
    }
