"""Feedback without hidden tests: a step for `nbgrader generate_feedback`, and that command with the step in it."""

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from nbgrader import utils
from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, NbGraderPreprocessor

from nbproctor.anycourse.settings import Course, CourseError

LINE_LEAST = 6  # characters without blanks; a shorter line, such as `x = 1`, may stand anywhere
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_LINE = re.compile(r"(?:Cell In ?\[\d+\]|Input In \[\d+\]).*?line:? (\d+)")


class WithoutHiddenTests(NbGraderPreprocessor):  # type: ignore[misc]
    """Takes hidden tests and marking schemes out of a graded notebook, and all outputs that show a line of them.

    Of a check with hidden tests, a student learns whether it passed. If one of its visible lines failed, they also read
    the error's message. What the student's own code has written down in another form is not recognised.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        steps = (ClearHiddenTests(parent=self, enforce_metadata=False), ClearMarkScheme(parent=self))
        before = [cell.source for cell in nb.cells]
        for step in steps:
            nb, resources = step(nb, resources)
        removed = [_removed(old, cell.source) for old, cell in zip(before, nb.cells, strict=True)]
        shown = {_squeezed(line) for cell in nb.cells for line in cell.source.splitlines()}
        gone = {_squeezed(line) for lines in removed for line in lines.values()}
        hidden = {line for line in gone - shown if len(line) >= LINE_LEAST}
        for cell, lines in zip(nb.cells, removed, strict=True):
            if cell.cell_type != "code":
                continue
            if lines:
                cell.outputs = [_outcome(cell, lines, hidden)]
            else:
                cell.outputs = [_text("(left out)") if _shows(one, hidden) else one for one in cell.outputs]
        return nb, resources


def _removed(before: str, after: str) -> dict[int, str]:
    """The lines that were taken out of a source, by their numbers there."""
    rest, found = after.split("\n"), dict[int, str]()
    for number, line in enumerate(before.split("\n"), 1):
        if rest and line == rest[0]:
            rest.pop(0)
        else:
            found[number] = line.strip()
    return found


def _outcome(cell: Any, lines: dict[int, str], hidden: set[str]) -> Any:
    points, most = utils.determine_grade(cell) if utils.is_grade(cell) else (None, 0.0)
    if points is None or points >= most:
        return _text("This cell has hidden tests." + (" All of them passed." if points is not None else ""))
    for one in cell.outputs:
        if one.output_type == "error" and not _shows({"evalue": one.evalue}, hidden):
            failed = _LINE.search(_COLOUR.sub("", "\n".join(one.traceback)))
            if failed and int(failed[1]) not in lines:
                return _text(f"{one.ename}: {one.evalue}")
    return _text("This cell has hidden tests. Not all of them passed.")


def _shows(output: Any, hidden: set[str]) -> bool:
    """Whether an output shows a hidden line, as it is or with escapes, as `repr` and HTML write it."""
    text = html.unescape(_COLOUR.sub("", "\n".join(_strings(output))))
    once = _ESCAPE.sub(_unescaped, text)
    texts = [_squeezed(one) for one in (text, once, _ESCAPE.sub(_unescaped, once))]
    return any(line in text for line in hidden for text in texts)


def _strings(value: Any) -> Iterator[str]:
    """All strings in an output."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else {"n": "\n", "t": "\t"}.get(found[3], found[3])


def _squeezed(text: str) -> str:
    """A text without its blanks, among them no-break spaces, and without characters that nobody sees."""
    text = "".join(unicodedata.normalize("NFKC", text).split())
    return text if text.isascii() else "".join(one for one in text if unicodedata.category(one) != "Cf")


def _text(text: str) -> Any:
    from nbformat.v4 import new_output

    return new_output("stream", name="stdout", text=text)


class _Counting(GenerateFeedback):  # type: ignore[misc]
    """`nbgrader generate_feedback`, which also counts the submissions whose pages it writes, and not those it skips."""

    written = 0

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        writes: bool = super().init_destination(assignment_id, student_id)
        self.written += writes
        return writes


def write(course: Course, assignments: Sequence[str], student: str, force: bool) -> tuple[int, int]:
    """Write the pages that `nbgrader generate_feedback` writes, without hidden tests.

    Returns of how many submissions the pages were written, and of how many they were left as they were.
    Raises CourseError with nbgrader's reason where it cannot.
    """
    written = kept = 0
    for assignment in assignments or course.assignments():
        course.directory.assignment_id, course.directory.student_id = assignment, student or "*"
        converter = _Counting(coursedir=course.directory, parent=course.app)
        converter.force = converter.force or force
        if WithoutHiddenTests not in converter.preprocessors:
            converter.preprocessors = [WithoutHiddenTests, *converter.preprocessors]
        with course.log.kept() as said:
            try:
                converter.start()  # in the course's folder
            except NbGraderException as error:
                if "No notebooks were matched" in str(error) and not assignments:
                    continue
                raise CourseError(f"{assignment}: {said[-1] if said else error}") from error
        written += converter.written
        kept += len(converter.assignments) - converter.written
    return written, kept
