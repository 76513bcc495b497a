"""Brings an assignment in nbgrader's gradebook up to date: its notebook, cells and points.

Everything is written through nbgrader's own `Gradebook`, with the values that `generate_assignment` would write, so
both can work on the same database. One thing differs: `generate_assignment` refuses to change cells once there are
submissions; here, a removed cell loses its grades.
"""

import json
from collections.abc import Iterator
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.api import Base, BaseCell, Comment, Grade, Gradebook, SourceCell
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import create_engine, delete, inspect

from nbproctor.course.units import Unit
from nbproctor.values.notebook import grade_id_of, source_of


def make_database(db_url: str) -> None:
    """Create the gradebook's tables if there are none, without `alembic` on PATH, which `Gradebook` calls."""
    engine = create_engine(db_url)
    try:
        with engine.begin() as connection:
            if inspect(connection).get_table_names():
                return
            # Without this transaction SQLite commits each table by itself, and a killed run would leave only some.
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            if not inspect(connection).get_table_names():  # another run may have created them in the meantime
                # The import takes a tenth of a second, and only a new gradebook needs it.
                from alembic.runtime.migration import MigrationContext
                from alembic.script import ScriptDirectory

                Base.metadata.create_all(connection)
                MigrationContext.configure(connection).stamp(ScriptDirectory(ALEMBIC_DIR), "head")
    finally:
        engine.dispose()


def _cells(unit: Unit) -> Iterator[tuple[str, str, Any]]:
    """Yield grade id, kind and cell as `generate_assignment` would store them: with hidden tests, not solutions.

    kind: "GradeCell", "SolutionCell", or "" for a cell that is only locked.
    """
    stubs = {exercise.name: exercise.stub for exercise in unit.exercises}
    for raw in unit.instructor["cells"]:
        name = grade_id_of(raw) or ""
        cell = nbformat.from_dict({**raw, "source": stubs.get(name, source_of(raw))})
        kind = "GradeCell" if utils.is_grade(cell) else "SolutionCell" if utils.is_solution(cell) else ""
        if name and (kind or utils.is_locked(cell)):
            yield name, kind, cell


def update_assignment(gradebook: Gradebook, unit: Unit) -> list[str]:
    """Bring the assignment up to date; return a line for each manual grade or comment on a removed cell."""
    where = (unit.name, unit.name)
    gradebook.update_or_create_assignment(unit.name)
    kernelspec = json.dumps(unit.instructor.get("metadata", {}).get("kernelspec", {}))
    notebook = gradebook.update_or_create_notebook(*where, kernelspec=kernelspec)
    graded = {(cell.name, cell.type): cell for cell in notebook.grade_cells + notebook.solution_cells}
    sources = {cell.name: cell for cell in notebook.source_cells}
    wanted = list(_cells(unit))
    for name, kind, cell in wanted:
        if kind == "GradeCell":
            points = float(cell.metadata.nbgrader["points"])
            gradebook.update_or_create_grade_cell(name, *where, max_score=points, cell_type=cell.cell_type)
        elif kind:
            gradebook.update_or_create_solution_cell(name, *where)
        text = {"cell_type": cell.cell_type, "locked": utils.is_locked(cell), "source": cell.source}
        gradebook.update_or_create_source_cell(name, *where, **text, checksum=utils.compute_checksum(cell))
    gone = [graded[key] for key in graded.keys() - {(name, kind) for name, kind, _ in wanted}]
    stale = [sources[name] for name in sources.keys() - {name for name, _, _ in wanted}]
    return _remove(gradebook, gone, stale)


def _remove(gradebook: Gradebook, gone: list[BaseCell], stale: list[SourceCell]) -> list[str]:
    """Delete cells with their grades and comments. Returns a line for each manual grade or comment."""
    notes = []
    for cell in gone:
        for model, keys in ((Grade, ("manual_score", "extra_credit")), (Comment, ("manual_comment",))):
            for row in gradebook.db.query(model).filter(model.cell_id == cell.id):
                by_hand = {key: getattr(row, key) for key in keys if getattr(row, key) is not None}
                notes += [
                    f"{row.student.id}: {key} {value!r} went with cell {cell.name}" for key, value in by_hand.items()
                ]
            gradebook.db.execute(delete(model).where(model.cell_id == cell.id))
        gradebook.db.delete(cell)
    for source in stale:
        gradebook.db.delete(source)
    gradebook.db.commit()
    return notes
