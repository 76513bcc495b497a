"""Tries the answers of the bank in two ways: with the grader, several in one submission, and natively.

The native trial runs an answer and its checks in one process, as a student's notebook does. It is quick enough to
repeat every check under several random draws, and so to find the verdicts that depend on the draw.
"""

import ast
import builtins
import io
import json
import signal
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from nbproctor.authoring.pack import OWN_PART
from nbproctor.course.answers import Answer
from nbproctor.course.units import Check, Exercise, Unit
from nbproctor.run.batch import run
from nbproctor.run.job import Job
from nbproctor.values.limits import Limits
from nbproctor.values.notebook import grade_id_of, source_of, tags_of
from nbproctor.values.result import Result
from nbproctor.values.submission import Submission
from nbproctor.values.text import line

NATIVE_S = 60  # for an answer and all its draws, before it is given up as endless


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check. status: "passed", "refused", or the grader's word for any other end."""

    status: str
    message: str


Pairs = list[tuple[Verdict, Verdict]]  # for each draw, the verdicts of the visible and the hidden check
Tried = dict[Answer, Pairs]


def examine(units: dict[str, Unit], answers: list[Answer], folder: Path, workers: int, sandboxed: bool) -> list[str]:
    """Grade every answer. Returns one line for each that did not get what its header promises.

    A submission holds one answer to each exercise of a unit, like a student's, so a quarter as many are needed. An
    answer that fails in such company is graded again, alone, and only that counts.
    """
    found = _graded(units, _companies(answers), folder / "in company", workers, sandboxed)
    again = [[answer] for answer in answers if found[answer]]
    found |= _graded(units, again, folder / "alone", workers, sandboxed)
    return [found[answer] for answer in answers if found[answer]]


def _companies(answers: list[Answer]) -> list[list[Answer]]:
    """Return groups with at most one answer to each exercise; shortcuts, which may spoil others, are apart."""
    groups: dict[tuple[str, bool, int], list[Answer]] = {}
    count: Counter[tuple[str, str, bool]] = Counter()
    for answer in answers:
        is_shortcut = answer.kind == "shortcut"
        of = answer.unit, answer.exercise, is_shortcut
        groups.setdefault((answer.unit, is_shortcut, count[of]), []).append(answer)
        count[of] += 1
    return list(groups.values())


def _graded(
    units: dict[str, Unit], groups: list[list[Answer]], folder: Path, workers: int, sandboxed: bool
) -> dict[Answer, str]:
    """Grade each group as one submission. Returns for each answer what is wrong, in one line, or ""."""
    folder.mkdir()
    submissions = []
    for number, group in enumerate(groups):
        path = folder / f"{number}.ipynb"
        path.write_text(json.dumps(_submission(units[group[0].unit], group)), encoding="utf-8")
        submissions.append(Submission(line(str(number)), group[0].unit, path))
    results = run(Job(units, submissions, Limits(cell_s=20.0), sandboxed), workers, lambda result: None)
    return {answer: _trouble(answer, result) for group, result in zip(groups, results, strict=True) for answer in group}


def _trouble(answer: Answer, result: Result) -> str:
    """What is wrong with this answer's part of a result, in one line; "" if nothing is."""
    report = next((e for e in result.exercises if e.name == answer.exercise), None)
    if report is None:
        return f"{_where(answer)}: not graded ({result.reason})"
    visible, hidden = (Verdict(check.status, check.message) for check in report.checks)
    if answer.kind == "shortcut":
        return "" if report.status == "refused" else f"{_where(answer)}: not found; {_said(visible, hidden)}"
    return judge(answer, visible, hidden)


def _submission(unit: Unit, answers: list[Answer]) -> dict[str, Any]:
    """A notebook of these answers and the text's ready-made cells. It is quick, since nothing else runs."""
    ready, cells = _ready_made(unit), []
    sources = {answer.exercise: answer.source for answer in answers}
    for answer in answers:
        sources = references_called_by(unit, answer.exercise, answer.source) | sources
    for cell in unit.notebook["cells"]:
        if source := sources.get(grade_id_of(cell) or ""):
            cells.append({**cell, "source": source})
        elif cell["cell_type"] == "code" and source_of(cell) in ready:
            cells.append(cell)
    return {**unit.notebook, "cells": cells}


def _ready_made(unit: Unit) -> list[str]:
    """The cells that answers use: parts of earlier units, and those of the text that define one class for them."""
    found = []
    for cell in unit.notebook["cells"]:
        if cell["cell_type"] == "code" and not grade_id_of(cell) and not {"setup", "demo"} & set(tags_of(cell)):
            body = ast.parse(source_of(cell)).body
            if OWN_PART in tags_of(cell) or (len(body) == 1 and isinstance(body[0], ast.ClassDef)):
                found.append(source_of(cell))
    return found


def references_called_by(unit: Unit, exercise: str, source: str) -> dict[str, str]:
    """The references of those earlier exercises whose answers this one calls, in the notebook's order."""
    earlier = {e.name: e.solution for e in takewhile(lambda e: e.name != exercise, unit.exercises)}
    wanted = _names(source) & earlier.keys()
    while further := set().union(*(_names(earlier[name]) for name in wanted)) & earlier.keys() - wanted:
        wanted |= further
    return {name: reference for name, reference in earlier.items() if name in wanted}


@lru_cache(maxsize=1000)  # the references of a unit are asked for with each of its answers
def _names(source: str) -> frozenset[str]:
    """The names that a source reads. What cannot be read has none."""
    try:
        return frozenset(node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name))
    except SyntaxError:
        return frozenset()


def natively(units: dict[str, Unit], answers: list[Answer], draws: int, workers: int) -> Tried:
    """Try every answer but shortcuts natively, under `draws` random draws; those that fail in company again, alone."""
    tried = [answer for answer in answers if answer.kind != "shortcut"]
    found = dict(zip(tried, verdicts(units, tried, draws, workers), strict=True))
    for answer in tried:
        if troubles({answer: found[answer]}):
            (found[answer],) = verdicts(units, [answer], draws, 1)
    return found


def troubles(tried: Tried) -> list[str]:
    """One line for each answer whose verdict is not its header's, in the first such draw, or depends on the draw."""
    found = []
    for answer, pairs in tried.items():
        judged = ((draw, judge(answer, *pair)) for draw, pair in enumerate(pairs, 1))
        found += [f"{trouble} (draw {draw})" for draw, trouble in judged if trouble][:1] or chance(answer, pairs)
    return found


def chance(answer: Answer, pairs: Pairs) -> list[str]:
    """One line for each of the two checks that an answer passes under some draws but not under others."""
    found = []
    for kind, verdicts_ in zip(("visible", "hidden"), zip(*pairs, strict=True), strict=True):
        passes = [verdict.status == "passed" for verdict in verdicts_]
        if any(passes) and not all(passes):
            draws = ", ".join(str(draw) for draw, passed in enumerate(passes, 1) if passed)
            found.append(f"{_where(answer)}: passes its {kind} check by chance, under draw {draws} of {len(passes)}")
    return found


def verdicts(
    units: dict[str, Unit], answers: list[Answer], draws: int, workers: int, seconds: int = NATIVE_S
) -> list[Pairs]:
    """Return, for each answer and each draw, the verdicts of the visible and the hidden check.

    Answers share processes, since a fork's first steps take longer than most answers. One that takes more than
    `seconds`, or ends its process, takes its company with it; what is lost that way is tried again alone.
    """
    torch.set_num_threads(1)  # a pool of threads does not survive a fork
    for name in {answer.unit for answer in answers}:
        _PREPARED[name] = _prepared(units[name])  # for the forks, which cannot be sent it
    exercises = {(unit.name, exercise.name): exercise for unit in units.values() for exercise in unit.exercises}
    tasks = []
    for one in answers:
        below = references_called_by(units[one.unit], one.exercise, one.source).values()
        source = "\n\n\n".join([*below, one.source])
        compared = "" if not one.words else "hidden" if one.by_hidden else "visible"
        tasks.append((one.unit, exercises[one.unit, one.exercise], source, draws, seconds, compared))
    found = _in_company(tasks, workers)
    died = Verdict("died", "the process died")
    return [pairs or _in_company([task], 1)[0] or [(died, died)] for task, pairs in zip(tasks, found, strict=True)]


_PREPARED: dict[str, dict[str, Any]] = {}  # unit -> the names that its setup and its ready-made cells define


def _in_company(tasks: list[tuple[str, Exercise, str, int, int, str]], workers: int) -> list[Pairs]:
    """The verdicts on answers that run in a few processes; [] for those that are lost since a process has died."""
    found: list[Pairs] = [[] for _ in tasks]
    with ProcessPoolExecutor(workers, get_context("fork")) as pool, suppress(BrokenProcessPool):
        for number, future in enumerate([pool.submit(_verdicts, *task) for task in tasks]):
            found[number] = future.result()
    return found


def _prepared(unit: Unit) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
    exec(compile(unit.setup, "<setup>", "exec", dont_inherit=True), names)  # noqa: S102 the course's own cell
    for source in _ready_made(unit):
        exec(compile(source, "<text>", "exec", dont_inherit=True), names)  # noqa: S102 the course's own cell
    # A figure takes ten times as long as the check.
    vars(sys.modules["checking.pictures"])["draw_difference"] = lambda yours, expected: None
    return names


def _verdicts(  # noqa: PLR0913 what a process is sent
    unit: str, exercise: Exercise, source: str, draws: int, seconds: int, compared: str
) -> Pairs:
    """Run an answer under each draw, in a forked process. Returns the verdicts of its two checks.

    compared: of which check the message is compared. The other one looks for no cause: to try every two of the known
    mistakes together takes longer than all the rest.
    """
    warnings.simplefilter("ignore")  # torch's warnings about an answer do not matter here
    # The examiner does the same. PyTorch's own `manual_seed` seeds every device, and formats a traceback for each that
    # is missing: in quick checks that was two thirds of the time.
    torch.manual_seed = torch.default_generator.manual_seed
    signal.alarm(seconds)
    found = []
    for draw in range(1, draws + 1):
        names = dict(_PREPARED[unit])
        torch.default_generator.manual_seed(draw)
        try:
            exec(compile(source, "<answer>", "exec", dont_inherit=True), names)  # noqa: S102 an answer of the bank
        except Exception as error:  # noqa: BLE001 an answer that stops is an answer with that message
            verdict = Verdict("error", f"{type(error).__name__}: {error}")
            found.append((verdict, verdict))
            continue
        words = vars(_PREPARED[unit]["check"].module)["check"]
        with nullcontext() if compared == "visible" else _no_cause_looked_for(words):
            visible = _verdict(names, exercise.check, draw)
        with nullcontext() if compared == "hidden" else _no_cause_looked_for(words):
            hidden = _verdict(names, exercise.hidden, draw)
        found.append((visible, hidden))
    signal.alarm(0)
    return found


@contextmanager
def _no_cause_looked_for(words: Any) -> Iterator[None]:
    """Within this `agrees` of these words of a check compares, and asks no further."""

    def compared(yours: Any, expected: Any, told: str, *_: Any, atol: float = 1e-5, **__: Any) -> None:
        sys.modules["checking.words"].compare(yours, expected, told, atol)

    words.agrees = compared
    try:
        yield
    finally:
        del words.agrees


def _verdict(names: dict[str, Any], check: Check, draw: int) -> Verdict:
    torch.default_generator.manual_seed(zlib.crc32(check.grade_id.encode()) + draw)
    try:
        with redirect_stdout(io.StringIO()):
            code = compile(check.source, f"<{check.grade_id}>", "exec", dont_inherit=True)
            exec(code, names)  # noqa: S102 the course's own cell
    except NotImplementedError as error:
        return Verdict("not implemented", str(error))
    except AssertionError as error:
        return Verdict("failed", str(error))
    except Exception as error:  # noqa: BLE001 what a check stops with on an odd answer is its message
        return Verdict("error", f"{type(error).__name__}: {error}")
    return Verdict("passed", "")


def _where(answer: Answer) -> str:
    return f"{answer.unit}/{answer.exercise}, {answer.kind}: {answer.label}"


def _said(visible: Verdict, hidden: Verdict) -> str:
    return f"visible {visible.status} {visible.message!r}, hidden {hidden.status} {hidden.message!r}"


def judge(answer: Answer, visible: Verdict, hidden: Verdict) -> str:
    """What is wrong with these verdicts on an answer, in one line; "" if they are what its header promises."""
    where, said = _where(answer), _said(visible, hidden)
    passed = visible.status == hidden.status == "passed"
    if answer.kind == "right":
        return "" if passed else f"{where}: refused; {said}"
    if passed:
        return f"{where}: accepted"
    failing = hidden if answer.by_hidden else visible
    if answer.kind == "stub" and "passed" in (visible.status, hidden.status):
        return f"{where}: {said}"
    if hidden.status == "passed" and not answer.by_visible_only:
        return f"{where}: refused, but the hidden check passes it and gives its points"
    return "" if answer.words in failing.message else f"{where}: expected {answer.words!r}; {said}"
