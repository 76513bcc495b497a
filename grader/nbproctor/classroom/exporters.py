"""Plugins for `nbgrader export` that write scores as other programs read them.

For example, `nbgrader export --exporter nbproctor.classroom.exporters.Canvas` writes the file that Canvas imports. The
plugins take nbgrader's own options (`--to FILE`, `--student`, `--assignment`) and a class list as the learning system
exports it: `--Canvas.class_list=FILE`. The command `nbproctor export` does the same in fewer words.
"""

from __future__ import annotations

from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.plugins import ExportPlugin
from traitlets import Unicode

from nbproctor.classroom import export, gradebook, lms_files
from nbproctor.values.grades import Grades, Student
from nbproctor.values.text import write_whole


class _LmsExport(ExportPlugin):  # type: ignore[misc]
    """Writes the file of one learning system."""

    system = ""
    class_list = Unicode("", help="The class as the learning system exports it, a CSV file.").tag(config=True)

    def export(self, book: Gradebook) -> None:
        """Write the file. Raises roster.RosterError where the class list cannot be used."""
        grades, students = _chosen(self, book)
        known = lms_files.read_class_list(Path(self.class_list)) if self.class_list else None
        made = lms_files.SYSTEMS[self.system](grades, students, known)
        for student in made.left_out:
            self.log.warning("%s is not in %s, and not in the file", student, self.class_list)
        for todo in made.todo:
            self.log.warning(todo)
        write_whole(Path(self.to or f"{self.system}.csv"), made.text)


class Canvas(_LmsExport):
    """For "Import" in Canvas's gradebook."""

    system = "canvas"


class Moodle(_LmsExport):
    """For "Import: CSV file" in Moodle's gradebook."""

    system = "moodle"


class Gradescope(_LmsExport):
    """A file with the columns of Gradescope's own export of scores."""

    system = "gradescope"


class Table(ExportPlugin):  # type: ignore[misc]
    """A row per student, with a column per unit and one for their sum: the same as `report/grades.csv`."""

    def export(self, book: Gradebook) -> None:
        grades, _ = _chosen(self, book)
        write_whole(Path(self.to or "grades.csv"), export.grades_csv(grades))


def _chosen(plugin: ExportPlugin, book: Gradebook) -> tuple[Grades, dict[str, Student]]:
    """Return the grades and the students that were asked for by name; all of them where no name was given."""
    with book.engine.connect() as connection:
        grades, students = gradebook.read_from(connection), gradebook.read_students(connection)
    wanted, units = {str(one) for one in plugin.student}, {str(one) for one in plugin.assignment}
    chosen = {
        (student, unit): grade
        for (student, unit), grade in grades.items()
        if (not wanted or student in wanted) and (not units or unit in units)
    }
    return chosen, {name: student for name, student in students.items() if not wanted or name in wanted}
