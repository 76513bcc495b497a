"""Writes the instructor's page about a class, with its CSV and JSON files.

The page shows the scores, the most common misconceptions, each unit, and what somebody should look at.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbproctor.classroom import export
from nbproctor.classroom.pages import items, look, misconceptions, similar, tables
from nbproctor.classroom.pages.page import script, template
from nbproctor.course.units import Unit
from nbproctor.values.grades import Grades, counting_units, names
from nbproctor.values.result import Result
from nbproctor.values.submission import Remark
from nbproctor.values.text import write_whole

COMMON = 10  # how many misconceptions are shown in full at the top


@dataclass(frozen=True)
class Section:
    """The part of the page about one unit. shares: each score's share of the points. fixed: accidents by student."""

    unit: Unit
    rows: tuple[tables.Row, ...]
    shares: tuple[float, ...]
    items: tuple[items.Item, ...]
    misconceptions: tuple[misconceptions.Misconception, ...]
    fixed: tuple[tuple[str, list[str]], ...]

    @property
    def middle(self) -> tuple[float, float]:
        """The shares between which the middle half of the class lies; there is at least one share."""
        if len(self.shares) < 2:
            return self.shares[0], self.shares[0]
        lower, _, upper = statistics.quantiles(self.shares, method="inclusive")
        return lower, upper


def write_class_report(
    results: Sequence[Result], grades: Grades, units: Iterable[Unit], folder: Path, remarks: Sequence[Remark] = ()
) -> Path:
    """Write index.html, scores.csv, grades.csv and results.json into folder/report/; return index.html's path.

    Points come from `grades`, which has an entry for each result (`grades.all_grades`); all else comes from the
    results.
    """
    known = {unit.name: unit for unit in units}
    by_unit: dict[str, list[Result]] = defaultdict(list)
    for result in sorted(results, key=lambda result: (result.student.casefold(), result.student)):
        by_unit[result.unit].append(result)
    report = folder / "report"
    write_whole(report / "results.json", export.results_json(results))
    write_whole(report / "scores.csv", export.scores_csv(results, grades, known))
    write_whole(report / "grades.csv", export.grades_csv(grades))
    reported = [unit for name, unit in known.items() if by_unit[name]]
    looks = [one for unit in reported for result in by_unit[unit.name]
             for one in look.needs_a_look(result, grades[result.student, result.unit])]  # fmt: skip
    of_results = {(result.student, result.unit) for result in results}
    looks += look.of_lacks(results, grades)
    looks += [look.of_remark(remark, of_results) for remark in remarks if remark.needs_look]
    findings = misconceptions.gather(results, reported)
    places = {place for one in looks for place in one.places}
    sections = [_section(unit, by_unit[unit.name], grades, places, findings) for unit in reported]
    overview = _overview(results, grades, sections, looks, findings)
    files = [remark for remark in remarks if not remark.needs_look]
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
    fixed = [(result.student, look.fixed(result)) for result in results]
    return Section(
        unit,
        tuple(rows),
        tuple(row.share for row in rows if row.score is not None),
        tuple(items.analyse(unit, scored)),
        tuple(misconceptions.find(findings, {unit.name: unit})),
        tuple(one for one in fixed if one[1]),
    )


def _overview(
    results: Sequence[Result],
    grades: Grades,
    sections: Sequence[Section],
    looks: Sequence[look.Look],
    findings: misconceptions.Findings,
) -> dict[str, object]:
    """Return the templates' variables for the part of the page about the whole class."""
    units = {section.unit.name: section.unit for section in sections}
    of_results = {(str(result.student), result.unit): result for result in results}
    counting = counting_units({place: grades[place] for place in of_results})
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
        # units that too few have handed in to be in the sums, and how many have
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
