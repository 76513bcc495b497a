"""Answers that are alike but for their names: a note for the instructor, never a penalty, and never on short answers.

Compared are the statements that an answer stands on, without docstrings and comments, their own names numbered. A form
tells only where exactly two of a class have it, where it is long, and where it is not the reference's; and two students
are told of only where they share at least `SHARED_LEAST` such answers of one unit. One answer that came out alike is no
news: the course has taught both how to write it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

from nbproctor.bounded import OutOfBounds, bounded
from nbproctor.course import Unit
from nbproctor.reading import parse, reached
from nbproctor.result import Result
from nbproctor.text import line

NODES_LEAST = 50  # of syntax, without names of contexts; `return x @ W_q.T` has eight
SHARED_LEAST = 2
READING_S = 60.0


def with_likeness(results: Sequence[Result], units: Mapping[str, Unit]) -> list[Result]:
    """The results, with a note for the instructor on those whose answers are alike. Reading them is bounded."""
    answers = {
        name: [(n, e.name, e.source) for n, r in enumerate(results) if r.unit == name for e in r.exercises if e.source]
        for name in units
    }
    told = list(results)
    for name, unit in units.items():
        references = {exercise.name: exercise.solution for exercise in unit.exercises}
        try:
            pairs = bounded(partial(alike, answers[name], references), READING_S)
        except OutOfBounds:
            continue  # whose source takes so long is told where it is graded
        for one, other, exercises in pairs:
            for this, that in ((one, other), (other, one)):
                words = f"{', '.join(exercises)}: as {results[that].student}'s but for names, and as nobody else's"
                told[this] = told[this].with_note("info", line(words))
    return told


def alike(answers: Sequence[tuple[int, str, str]], references: Mapping[str, str]) -> list[list[object]]:
    """[one, other, exercises] for two who share forms that nobody else has; answers are (who, exercise, source)."""
    owners: dict[tuple[str, str], list[int]] = defaultdict(list)
    known = {exercise: form_of(source, exercise) for exercise, source in references.items()}
    for who, exercise, source in answers:
        form = form_of(source, exercise)
        if form and form != known[exercise]:
            owners[exercise, form].append(who)
    shared: dict[tuple[int, int], list[str]] = defaultdict(list)
    for (exercise, _), them in owners.items():
        if len(them) == 2:
            shared[them[0], them[1]].append(exercise)
    return [[*pair, exercises] for pair, exercises in shared.items() if len(exercises) >= SHARED_LEAST]


def form_of(source: str, name: str) -> str:
    """What is left of an answer without its names; "" where it is short, or does not parse."""
    tree = parse(source)
    statements = sorted(reached([tree], name), key=lambda statement: statement.lineno)
    if sum(not isinstance(node, ast.expr_context) for one in statements for node in ast.walk(one)) < NODES_LEAST:
        return ""
    numbered = _Numbered(statements)
    return "\n".join(ast.dump(numbered.visit(statement)) for statement in statements)


class _Numbered(ast.NodeTransformer):
    """Gives the names that the statements bind themselves numbers, in the order in which they appear."""

    def __init__(self, statements: Sequence[ast.stmt]) -> None:
        nodes = [node for statement in statements for node in ast.walk(statement)]
        self.own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self.own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        self.own |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.numbers: dict[str, str] = {}

    def _numbered(self, name: str) -> str:
        return self.numbers.setdefault(name, f"_{len(self.numbers)}") if name in self.own else name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._numbered(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._numbered(node.arg))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name, node.returns = self._numbered(node.name), None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)
