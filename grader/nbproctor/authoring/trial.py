"""Tries the answers of the bank in two ways: with the grader, several in one submission, and natively.

The native trial runs an answer and its checks in one process, as a student's notebook does. It is quick enough to
repeat every check under several random draws, and so to find the verdicts that depend on the draw.
"""

from __future__ import annotations

import ast
import builtins
import gc
import io
import json
import os
import signal
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import takewhile
from pathlib import Path
from types import CodeType
from typing import Any

import torch

from nbproctor.authoring.pack import OWN_PART
from nbproctor.course.answers import Answer
from nbproctor.course.units import Check, Exercise, Unit
from nbproctor.run.batch import Submission, grade
from nbproctor.values.limits import Limits
from nbproctor.values.notebook import grade_id_of, source_of, tags_of
from nbproctor.values.result import Result
from nbproctor.values.text import line

NATIVE_S = 60  # for an answer and all its draws, before it is given up as endless
TOGETHER = 40  # answers that run in one fork, natively
Pair = list[list[str]]  # under one draw, as JSON: status and message of the visible check, then of the hidden one


@dataclass(frozen=True)
class Verdict:
    """What one check said. status: "passed", "refused", or the grader's word for any other end."""

    status: str
    message: str


Tried = dict[Answer, list[tuple[Verdict, Verdict]]]  # for each draw, what the visible and the hidden check said


def examine(  # noqa: PLR0913 what is graded, how, and what native trials said of it
    units: dict[str, Unit],
    answers: list[Answer],
    folder: Path,
    workers: int,
    sandboxed: bool,
    natively: Tried | None = None,
) -> list[str]:
    """Grade every answer. Returns one line for each that did not get what its header promises.

    A submission holds one answer to each exercise of a unit, like a student's, so that a quarter as many are needed. An
    answer that fails in this company is graded once more, alone, and only that counts.
    natively: what native trials said under other draws. Where it is given, an answer whose points depend on the draw
    gets a line, too.
    """
    examined = partial(_graded, units, workers=workers, sandboxed=sandboxed, natively=natively or {})
    found = examined(_companies(answers), folder / "in company")
    again = [answer for answer in answers if found[answer]]
    found |= examined([[answer] for answer in again], folder / "alone")
    return [found[answer] for answer in answers if found[answer]]


def _companies(answers: list[Answer]) -> list[list[Answer]]:
    """The answers in groups, each with at most one answer to each exercise of a unit.

    Shortcuts have groups of their own, since one may spoil the answers that follow it.
    """
    groups: dict[tuple[str, bool, int], list[Answer]] = {}
    count: Counter[tuple[str, str, bool]] = Counter()
    for answer in answers:
        is_shortcut = answer.kind == "shortcut"
        of = answer.unit, answer.exercise, is_shortcut
        groups.setdefault((answer.unit, is_shortcut, count[of]), []).append(answer)
        count[of] += 1
    return list(groups.values())


def _graded(  # noqa: PLR0913 as `examine`
    units: dict[str, Unit],
    groups: list[list[Answer]],
    folder: Path,
    workers: int,
    sandboxed: bool,
    natively: Tried,
) -> dict[Answer, str]:
    """Grade each group as one submission. Returns for each answer what is wrong, in one line, or ""."""
    folder.mkdir()
    submissions = []
    for number, group in enumerate(groups):
        path = folder / f"{number}.ipynb"
        path.write_text(json.dumps(_submission(units[group[0].unit], group)), encoding="utf-8")
        submissions.append(Submission(line(str(number)), group[0].unit, path))
    results = grade(units, submissions, workers, Limits(cell_s=20.0), sandboxed, lambda result: None)
    return {
        answer: _trouble(answer, result, natively.get(answer, []))
        for group, result in zip(groups, results, strict=True)
        for answer in group
    }


def _trouble(answer: Answer, result: Result, natively: list[tuple[Verdict, Verdict]]) -> str:
    """What is wrong with this answer's part of a result, in one line; "" where nothing is."""
    report = next((e for e in result.exercises if e.name == answer.exercise), None)
    if report is None:
        return f"{_where(answer)}: not graded ({result.reason})"
    visible, hidden = (Verdict(check.status, check.message) for check in report.checks)
    if answer.kind == "shortcut" and report.status != "refused":
        return f"{_where(answer)}: not found; {_said(visible, hidden)}"
    by_chance = chance(answer, [(visible, hidden), *natively]) if natively else []
    return judge(answer, visible, hidden) or "; ".join(by_chance)


def _submission(unit: Unit, answers: list[Answer]) -> dict[str, Any]:
    """A notebook of these answers and the text's ready-made cells. It is quick, since nothing else runs."""
    ready, cells = _ready_made(unit), []
    sources = {answer.exercise: answer.source for answer in answers}
    for answer in answers:
        sources = called(unit, answer.exercise, answer.source) | sources
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


def called(unit: Unit, exercise: str, source: str) -> dict[str, str]:
    """The references of those earlier exercises whose answers this one calls, in the notebook's order."""
    earlier = {e.name: e.solution for e in takewhile(lambda e: e.name != exercise, unit.exercises)}
    wanted = _names(source) & earlier.keys()
    while further := set().union(*(_names(earlier[name]) for name in wanted)) & earlier.keys() - wanted:
        wanted |= further
    return {name: reference for name, reference in earlier.items() if name in wanted}


def _names(source: str) -> set[str]:
    """The names that a source reads. What cannot be read has none."""
    try:
        return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    except SyntaxError:
        return set()


def natively(units: dict[str, Unit], answers: list[Answer], draws: int, workers: int) -> Tried:
    """Try every answer natively, under `draws` random draws, none of which is the grader's own.

    As in `examine`, an answer that fails in company is tried once more, alone. Shortcuts are left out, since only the
    grader looks for them.
    """
    tried = [answer for answer in answers if answer.kind != "shortcut"]
    found = dict(zip(tried, verdicts(units, tried, draws, workers), strict=True))
    again = [answer for answer in tried if _troubles(answer, found[answer])]
    found |= zip(again, verdicts(units, again, draws, workers, together=1), strict=True)
    return found


def troubles(tried: Tried) -> list[str]:
    """One line for each answer that did not get what its header promises, or whose points depend on the draw."""
    return [trouble for answer, pairs in tried.items() for trouble in _troubles(answer, pairs)]


def _troubles(answer: Answer, pairs: list[tuple[Verdict, Verdict]]) -> list[str]:
    """What is wrong with an answer's verdicts: the first draw's that is wrong, or else that they depend on the draw."""
    told = ((draw, judge(answer, *pair)) for draw, pair in enumerate(pairs, 1))
    return [f"{trouble} (draw {draw})" for draw, trouble in told if trouble][:1] or chance(answer, pairs)


def chance(answer: Answer, pairs: list[tuple[Verdict, Verdict]]) -> list[str]:
    """One line for each of the two checks that an answer passes under some draws but not under others."""
    found = []
    for told, verdicts_ in zip(("visible", "hidden"), zip(*pairs, strict=True), strict=True):
        passes = [verdict.status == "passed" for verdict in verdicts_]
        if any(passes) and not all(passes):
            draws = ", ".join(str(draw) for draw, passed in enumerate(passes, 1) if passed)
            found.append(f"{_where(answer)}: passes its {told} check by chance, under draw {draws} of {len(passes)}")
    return found


def verdicts(
    units: dict[str, Unit], answers: list[Answer], draws: int, workers: int, together: int = TOGETHER
) -> list[list[tuple[Verdict, Verdict]]]:
    """For each answer and each draw, what the visible check and the hidden check said.

    together: how many answers to an exercise run in one fork. A fork copies the memory that it writes to, so that its
    first steps take longer than most answers and their checks. An answer that dies or takes too long has fewer draws,
    but at least one.
    """
    torch.set_num_threads(1)  # a pool of threads does not survive a fork
    names = {unit.name: _prepared(unit) for unit in units.values()}
    _warm_up(units, names, {(answer.unit, answer.exercise) for answer in answers})
    of_exercise: dict[tuple[str, str], list[int]] = {}
    for place, answer in enumerate(answers):
        of_exercise.setdefault((answer.unit, answer.exercise), []).append(place)
    companies = [places[n : n + together] for places in of_exercise.values() for n in range(0, len(places), together)]

    def work_on(share: list[list[int]]) -> Iterator[list[list[Pair]]]:
        for places in share:
            unit, name = answers[places[0]].unit, answers[places[0]].exercise
            exercise = next(e for e in units[unit].exercises if e.name == name)
            for check in (exercise.check, exercise.hidden):
                _code(check)  # compiled before the fork, so that no fork has to
            sources = [_whole(units[unit], answers[place]) for place in places]
            yield _in_company(names[unit], exercise, sources, draws)

    shares = [_start(partial(work_on, companies[n::workers])) for n in range(workers)]
    found: list[list[tuple[Verdict, Verdict]]] = [[] for _ in answers]
    with ThreadPoolExecutor(workers) as readers:  # reads all pipes at once, since each is full at 64 kB
        for n, values in enumerate(readers.map(_values, shares)):
            for places, of_company in zip(companies[n::workers], values, strict=True):
                for place, pairs in zip(places, of_company, strict=True):
                    found[place] = [(Verdict(*visible), Verdict(*hidden)) for visible, hidden in pairs]
    return found


def _whole(unit: Unit, answer: Answer) -> str:
    """An answer, below the references that it calls."""
    return "\n\n\n".join([*called(unit, answer.exercise, answer.source).values(), answer.source])


def _in_company(prepared: dict[str, Any], exercise: Exercise, sources: list[str], draws: int) -> list[list[Pair]]:
    """The verdicts on answers that run one after the other in a fork. Where the fork ends early, each answer that has
    not had all draws gets a fork of its own."""
    found: list[list[Pair]] = [[] for _ in sources]
    for number, pair in _values(_start(partial(_in_a_fork, prepared, exercise, sources, draws))):
        found[number].append(pair)
    for number, pairs in enumerate(found):
        if len(pairs) < draws and len(sources) > 1:
            (found[number],) = _in_company(prepared, exercise, [sources[number]], draws)
    return [pairs or [[["died", "the process died"]] * 2] for pairs in found]


def _prepared(unit: Unit) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
    exec(compile(unit.setup, "<setup>", "exec", dont_inherit=True), names)  # noqa: S102 the course's own cell
    for source in _ready_made(unit):
        exec(compile(source, "<text>", "exec", dont_inherit=True), names)  # noqa: S102 the course's own cell
    vars(sys.modules["checking.pictures"])["draw_difference"] = lambda yours, expected: (
        None
    )  # a figure takes ten times as long
    return names


def _in_a_fork(
    prepared: dict[str, Any], exercise: Exercise, sources: list[str], draws: int
) -> Iterator[tuple[int, Pair]]:
    """Run each source under each draw. Yields the source's number and what its two checks said."""
    warnings.simplefilter("ignore")  # torch's warnings about an answer do not matter here
    # The examiner does the same. PyTorch's own `manual_seed` seeds every device, and formats a traceback for each that
    # is missing: in quick checks that was two thirds of the time.
    torch.manual_seed = torch.default_generator.manual_seed
    for number, source in enumerate(sources):
        signal.alarm(NATIVE_S)
        for pair in _verdicts(prepared, exercise, source, draws):
            yield number, pair


def _verdicts(prepared: dict[str, Any], exercise: Exercise, source: str, draws: int) -> Iterator[Pair]:
    for draw in range(1, draws + 1):
        names = dict(prepared)
        torch.default_generator.manual_seed(draw)
        try:
            exec(compile(source, "<answer>", "exec", dont_inherit=True), names)  # noqa: S102 an answer of the bank
        except Exception as error:  # noqa: BLE001 an answer that stops is an answer with that message
            yield [["error", f"{type(error).__name__}: {error}"]] * 2
            continue
        yield [_verdict(names, check, draw) for check in (exercise.check, exercise.hidden)]


def _warm_up(units: dict[str, Unit], names: dict[str, dict[str, Any]], tried: set[tuple[str, str]]) -> None:
    """Run the reference of each exercise once before the forks: the first optimizer alone takes 1.5 s."""
    for unit, name in tried:
        exercise = next(e for e in units[unit].exercises if e.name == name)
        list(_verdicts(names[unit], exercise, exercise.solution, draws=1))  # its verdicts count later, with the others
    gc.collect()
    gc.freeze()


@lru_cache(maxsize=512)
def _code(check: Check) -> CodeType:
    return compile(check.source, f"<{check.grade_id}>", "exec", dont_inherit=True)


def _verdict(names: dict[str, Any], check: Check, draw: int) -> list[str]:
    torch.default_generator.manual_seed(zlib.crc32(check.grade_id.encode()) + draw)
    try:
        with redirect_stdout(io.StringIO()):
            exec(_code(check), names)  # noqa: S102 the course's own cell
    except NotImplementedError as error:
        return ["not implemented", str(error)]
    except AssertionError as error:
        return ["failed", str(error)]
    except Exception as error:  # noqa: BLE001 what a check stops with on an odd answer is its message
        return ["error", f"{type(error).__name__}: {error}"]
    return ["passed", ""]


def _start(work: Callable[[], Iterator[Any]]) -> tuple[int, int]:
    """Start `work` in a forked process. Returns its pid, and a pipe's handle to read the values that `work` yields."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as stream:
            for value in work():
                stream.write(json.dumps(value) + "\n")
                stream.flush()
        os._exit(0)
    os.close(writing)
    return pid, reading


def _values(process: tuple[int, int]) -> list[Any]:
    """Wait until a process ends, in whatever way. Returns the values that it has sent."""
    pid, reading = process
    with os.fdopen(reading) as stream:
        lines = stream.readlines()
    os.waitpid(pid, 0)
    return [json.loads(one) for one in lines]


def _where(answer: Answer) -> str:
    return f"{answer.unit}/{answer.exercise}, {answer.kind}: {answer.label}"


def _said(visible: Verdict, hidden: Verdict) -> str:
    return f"visible {visible.status} {visible.message!r}, hidden {hidden.status} {hidden.message!r}"


def judge(answer: Answer, visible: Verdict, hidden: Verdict) -> str | None:
    """What is wrong with these verdicts on an answer, in one line; None where they are what its header promises."""
    where, said = _where(answer), _said(visible, hidden)
    passed = visible.status == hidden.status == "passed"
    if answer.kind == "right":
        return None if passed else f"{where}: refused; {said}"
    if answer.kind == "shortcut":
        return None
    if passed:
        return f"{where}: accepted"
    told = hidden if answer.by_hidden else visible
    if answer.kind == "stub" and "passed" in (visible.status, hidden.status):
        return f"{where}: {said}"
    return None if answer.words in told.message else f"{where}: expected {answer.words!r}; {said}"
