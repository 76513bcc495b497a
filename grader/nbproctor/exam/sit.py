"""Grades one submission, with a warm zygote and an examiner's desk.

The submission's text becomes a plan (`match`), the plan is run in two phases (`phases`), and the phases' findings make
the result.
"""

import time
from collections.abc import Iterable
from dataclasses import replace

from nbproctor import __version__
from nbproctor.border.bounded import CutShort, OutOfBounds
from nbproctor.border.protocol import PRINTED_MOST
from nbproctor.course.units import Exercise, Unit
from nbproctor.exam.agenda import Cell, agenda_of, answer_cell
from nbproctor.exam.examiner import Desk
from nbproctor.exam.phases import Phase, hidden_phase, visible_phase
from nbproctor.exam.sitting import STOPPED, SittingContext
from nbproctor.runner.zygote import Control
from nbproctor.source.match import Place, planned
from nbproctor.values.limits import Limits
from nbproctor.values.notebook import Ungradable
from nbproctor.values.result import ExerciseResult, Note, Result, ungradable
from nbproctor.values.submission import HandedIn
from nbproctor.values.text import EMPTY, Clean, clean, line


def sit(unit: Unit, desk: Desk, zygote: Control, student: Clean, handed: HandedIn, limits: Limits) -> Result:
    """Grade one submission. Where KILLED is among its notes, another attempt may find something else.

    Raises ZygoteGone where the zygote has ended, CutShort where reading was cut short, perhaps by chance.
    """
    start = time.monotonic()
    try:
        plan = planned(unit, handed)
    except CutShort:
        raise
    except OutOfBounds as error:
        return ungradable(student, unit.name, unit.max_points, line(f"its source cannot be read: {error}"))
    except Ungradable as error:
        return ungradable(student, unit.name, unit.max_points, line(str(error)))
    context = SittingContext(unit, desk, zygote, limits, start + limits.submission_s, handed.files)
    visible, agenda = visible_phase(context, agenda_of(plan))
    # The hidden phase runs the notebook's cells again. It gets the full time for that, so that a notebook whose own
    # cells are slow does not lose what it has passed.
    hidden = hidden_phase(replace(context, end=time.monotonic() + limits.submission_s), visible)
    unused = [Note("accident", line(f"A file beside the notebook was not used: {told}")) for told in handed.left_out]
    return Result(
        student, unit.name, "graded", unit.max_points, grader_version=__version__,
        notes=(*plan.notes, *unused[:20], *_cell_notes(agenda), *dict.fromkeys(context.notes)),
        own_cells=plan.own_cells,
        exercises=tuple(_report(exercise, visible, hidden) for exercise in unit.exercises),
        seconds=round(time.monotonic() - start, 4),
    )  # fmt: skip


def _cell_notes(agenda: Iterable[Cell | Place]) -> list[Note]:
    """Notes on what stopped the cells that the student added and that answer no exercise."""
    own = [item for item in agenda if isinstance(item, Cell) and item.step.own and not item.step.of]
    stopped = [cell.trouble for cell in own if cell.trouble and cell.trouble.status != "not implemented"]
    told = [
        one.message.removeprefix("the cell ")
        if one.lacks or one.message.startswith(STOPPED)
        else f"stopped: {one.message}"
        for one in stopped
    ]
    return [Note("accident", line(f"A cell that was added {words}", 600)) for words in dict.fromkeys(told)][:20]


def _report(exercise: Exercise, visible: Phase, hidden: Phase) -> ExerciseResult:
    """The result of one exercise, with its notes."""
    name = exercise.name
    findings = (visible.findings[name], hidden.findings[name])
    notes: list[Note] = []
    refused = next((found for found in findings if found.status == "refused"), None)
    if refused:  # where only the hidden check was refused, the student reads the visible one's finding, unchanged
        notes.append(Note("look", line(f"{name}: {refused.message}")))
    values = visible.values.get(name), hidden.values.get(name)
    if all(values) and values[0] != values[1]:
        told = f"{name}: its value changed when the notebook ran again. Does it depend on chance or on the time?"
        notes.append(Note("look", line(told)))
    cell = answer_cell(name, visible.ran[name])
    if cell is not None:
        if cell.step.of != name:
            notes.append(
                Note("accident", line(f"{name}: The answer stood in another cell, and was found by its name."))
            )
        if cell.trouble and findings[0].message != cell.trouble.message and findings[0].status != "missing":
            told = f"{name}: The cell stopped before its end ({cell.trouble.message[:300]}). The answer was graded."
            notes.append(Note("accident", line(told, 600)))
    printed = clean((cell.printed if cell else "") + visible.printed.get(name, ""), PRINTED_MOST)
    source = clean(cell.step.source) if cell else EMPTY
    return ExerciseResult(name, source, printed, tuple(notes), findings)
