"""One submission, graded: the pure function `sit(submission) -> result`, from a warm zygote and an examiner's desk."""

from __future__ import annotations

import hashlib
import re
import signal
import socket
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbproctor import __version__, examiner
from nbproctor.course import Exercise, Unit, bound_names
from nbproctor.examiner import Desk, Finding
from nbproctor.match import Matched, Step, Ungradable, match, read_notebook
from nbproctor.proxies import Student, StudentError, StudentGone
from nbproctor.suspicion import shortcut_in, tampering_in
from nbproctor.wire import WireError

CELL_S = 10.0
SUBMISSION_S = 60.0


@dataclass(frozen=True)
class Limits:
    """Wall-clock bounds in seconds: for one cell of the student's or one check, and for a whole submission."""

    cell_s: float = CELL_S
    submission_s: float = SUBMISSION_S


class Sitting:
    """A submission being graded: its student process, and what has run in it, so that it can be run again."""

    def __init__(self, unit: Unit, control: socket.socket, limits: Limits) -> None:
        self.unit, self.control, self.limits = unit, control, limits
        self.end = time.monotonic() + limits.submission_s
        self.done: list[str] = []
        self.student = self._fresh()

    def _fresh(self) -> Student:
        """A new process in which the setup cell has run, and every earlier cell that did not kill the last one."""
        fresh = Student(self.control)
        self.student = fresh
        self._bound()
        fresh.ask({"op": "begin", "seed": 0})
        fresh.ask({"op": "run", "source": self.unit.setup})
        for source in self.done:
            try:
                self.run(source)
            except StudentGone:
                raise
            except Exception:  # noqa: BLE001, S110 reported when it ran first
                pass
        fresh.printed.clear()
        return fresh

    def _bound(self) -> None:
        now = time.monotonic()
        self.student.limit_s = self.limits.cell_s
        self.student.deadline = min(now + self.limits.cell_s, max(self.end, now + 0.05))

    def run(self, source: str) -> None:
        """Run one cell. Raises what it raises, or StudentGone."""
        self._bound()
        self.student.ask({"op": "run", "source": source})

    def check(self, desk: Desk, exercise: Exercise, hidden: bool) -> Finding:
        self._bound()
        check = exercise.hidden if hidden else exercise.check
        return examiner.run_check(desk, exercise, check, self.student, zlib.crc32(check.grade_id.encode()))

    def recover(self) -> int | None:
        """After StudentGone: kill what is left, start again. Returns how the process had ended, if it had."""
        ended = self.student.close()
        try:
            self._fresh()
        except StudentGone:  # a cell that ran before kills now: go on without any of theirs
            self.student.close()
            self.done.clear()
            self._fresh()
        return ended


def sit(unit: Unit, desk: Desk, control: socket.socket, student: str, path: Path, limits: Limits) -> dict[str, Any]:
    """Grade one submission; the result is pure JSON. Raises OSError only where the zygote itself is gone."""
    start = time.monotonic()
    result: dict[str, Any] = {
        "student": student, "unit": unit.name, "status": "graded", "reason": "", "submission_sha256": "",
        "checks_sha256": unit.checks_sha256, "grader_version": __version__, "layers": [], "notes": [],
        "score": 0.0, "max_score": unit.max_points, "submitted": None, "exercises": [], "seconds": 0.0,
    }  # fmt: skip
    try:
        notebook = read_notebook(path)
    except Ungradable as error:
        result.update(status="ungradable", reason=str(error), seconds=time.monotonic() - start)
        return result
    result["submission_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    matched = match(unit, notebook)
    result["notes"] = matched.notes
    sitting = Sitting(unit, control, limits)
    try:
        reports = _steps(unit, desk, sitting, matched)
    finally:
        sitting.student.close()
    result["exercises"] = [
        reports.get(e.name) or _report(e, matched, "missing", "no cell answers it") for e in unit.exercises
    ]
    result["score"] = sum(check["points"] for report in result["exercises"] for check in report["checks"])
    result["seconds"] = round(time.monotonic() - start, 4)
    return result


def _steps(unit: Unit, desk: Desk, sitting: Sitting, matched: Matched) -> dict[str, dict[str, Any]]:
    """Run the cells in order; after each answer, its checks."""
    exercises = {e.name: e for e in unit.exercises}
    reports: dict[str, dict[str, Any]] = {}
    spare: list[str] = []
    for step in matched.steps:
        if step.spare:
            spare.append(step.source)
            continue
        for told in tampering_in(step.source):
            matched.notes.append({"kind": "attack", "text": f"{step.exercise or 'a cell of their own'} {told}"})
        exercise = exercises.get(step.exercise or "")
        told, report = _attempt(desk, sitting, exercise, step, matched)
        if _unknown_name(told) in {name for source in spare for name in bound_names(source)}:
            while spare:  # it uses a name of the text: run the text as a notebook would, and try again
                _run(sitting, Step(spare.pop(0)))
            told, report = _attempt(desk, sitting, exercise, step, matched)
        if report is not None:
            reports[report["name"]] = report
        elif told:
            matched.notes.append({"kind": "accident", "text": f"a cell of their own: {told[:300]}"})
        sitting.student.printed.clear()
    return reports


def _attempt(
    desk: Desk, sitting: Sitting, exercise: Exercise | None, step: Step, matched: Matched
) -> tuple[str, dict[str, Any] | None]:
    """Run a cell and, where it answers an exercise, its checks. Returns what went wrong, and the exercise's report."""
    trouble = _run(sitting, step)
    if exercise is None:
        return (trouble[1] if trouble and trouble[0] != "not implemented" else ""), None
    if time.monotonic() > sitting.end:
        reason = f"the {sitting.limits.submission_s:g} s for the whole submission were used up before it"
        return reason, _report(exercise, matched, "timeout", reason)
    report = _report(exercise, matched, *trouble) if trouble else _examine(desk, sitting, exercise, step, matched)
    return " ".join(check["message"] for check in report["checks"]), report


def _unknown_name(told: str) -> str | None:
    found = re.search(r"NameError: name '(\w+)' is not defined", told)
    return found[1] if found else None


def _run(sitting: Sitting, step: Step) -> tuple[str, str] | None:
    """Run a cell. Returns what stopped it, as status and message."""
    try:
        sitting.run(step.source)
    except StudentGone as error:
        return error.status, _gone(error, sitting.recover())
    except NotImplementedError:
        sitting.done.append(step.source)
        return "not implemented", "not implemented yet"
    except (Exception, StudentError, WireError) as error:  # noqa: BLE001 the student's exception, by type and message
        sitting.done.append(step.source)
        where = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        text = str(error) if isinstance(error, StudentError) else f"{type(error).__name__}: {error}"
        return "error", f"the cell stopped with {text}{where}"
    sitting.done.append(step.source)
    return None


def _examine(desk: Desk, sitting: Sitting, exercise: Exercise, step: Step, matched: Matched) -> dict[str, Any]:
    found = shortcut_in(step.source, exercise.not_with)
    if found:
        return _refused(exercise, matched, f"the cell uses {found}, which this exercise asks you to build")
    findings: list[Finding] = []
    printed = ""
    for hidden in (False, True):
        try:
            findings.append(sitting.check(desk, exercise, hidden))
        except StudentGone as error:
            status, message = error.status, _gone(error, sitting.recover())
            findings += [_finding(exercise, h, status, message) for h in (False, True) if h >= hidden]
            break
        if not hidden:  # what is printed during the hidden check may hold its inputs
            printed = "".join(sitting.student.printed)
    refused = next((f for f in findings if f.status == "refused"), None)
    if refused:
        return _refused(exercise, matched, refused.message)
    failed = next((f for f in findings if f.status != "passed"), None)
    return _package(exercise, matched, failed.status if failed else "passed", findings, printed)


def _refused(exercise: Exercise, matched: Matched, message: str) -> dict[str, Any]:
    matched.about[exercise.name].append({"kind": "attack", "text": f"{exercise.name}: {message}"})
    return _report(exercise, matched, "refused", message)


def _gone(error: StudentGone, ended: int | None) -> str:
    if error.status == "timeout" or ended is None:
        return str(error)
    if ended >= 0:
        return f"the process ended itself with exit code {ended}. Does the code call exit?"
    try:
        return f"the process was ended by {signal.Signals(-ended).name}"
    except ValueError:
        return f"the process was ended by signal {-ended}"


def _report(exercise: Exercise, matched: Matched, status: str, message: str) -> dict[str, Any]:
    findings = [_finding(exercise, hidden, status, message) for hidden in (False, True)]
    return _package(exercise, matched, status, findings)


def _finding(exercise: Exercise, hidden: bool, status: str, message: str) -> Finding:
    check = exercise.hidden if hidden else exercise.check
    return Finding(check.grade_id, hidden, check.points, status, message)


def _package(
    exercise: Exercise, matched: Matched, status: str, findings: list[Finding], printed: str = ""
) -> dict[str, Any]:
    return {
        "name": exercise.name, "source": matched.answers.get(exercise.name, ""), "status": status,
        "printed": printed[:10_000], "notes": matched.about.get(exercise.name, []),
        "checks": [
            {"grade_id": f.grade_id, "hidden": f.hidden, "points": f.points, "max_points": f.max_points,
             "status": f.status, "message": f.message, "seconds": round(f.seconds, 4), "picture": f.picture}
            for f in findings
        ],
    }  # fmt: skip
