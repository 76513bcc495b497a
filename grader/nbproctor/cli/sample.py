"""Writes a sample class to try the grader on: 24 students with answers from the bank, some of them hostile."""

import json
import random
from pathlib import Path

from nbproctor.course.answers import Answer, bank, notebook_of
from nbproctor.course.units import Unit
from nbproctor.values.text import write_whole

NAMES = (
    "ada alan barbara claude donald edsger emmy frances grace hedy joan john karen katherine kurt linus margaret "
    "niklaus radia rosalind shafi sophie srinivasa tim"
).split()
LOOPING, ATTACKING, UNTOUCHED = "linus", "kurt", ("joan", "tim")

LOOP = "while True:  # waits for a convergence that never comes\n    pass\n"
ATTACK = '''import builtins, torch

class Yes:
    """Equal to everything, and everything at once."""
    def __eq__(self, other): return True
    def __getattr__(self, name): return Yes()
    def __call__(self, *args, **kwargs): return Yes()

torch.allclose = torch.equal = torch.isclose = lambda *args, **kwargs: Yes()
builtins.AssertionError = type("Never", (Exception,), {{}})
{name} = Yes()
'''


def write_sample(units: dict[str, Unit], folder: Path) -> None:
    """Fill `folder` (`submitted/`) with the class, with the same bytes each time."""
    endless = "03_self_attention" if "03_self_attention" in units else next(iter(units), "")
    banks = {name: bank(unit) for name, unit in units.items()}
    for number, student in enumerate(NAMES):
        for name, unit in units.items():
            path = folder / student / name / f"{name}.ipynb"
            sources = answers_of(student, number, unit, banks[name], loops=name == endless)
            write_whole(path, json.dumps(notebook_of(unit, sources), indent=1))


def answers_of(student: str, number: int, unit: Unit, answers: list[Answer], loops: bool = True) -> dict[str, str]:
    """This student's answer to each exercise. A third of the class is right throughout; most make a mistake or two."""
    dice = random.Random(f"{student} {unit.name}")  # noqa: S311 it draws a class, not a secret
    sources = {}
    for position, exercise in enumerate(unit.exercises):
        is_wrong = number % 3 and position == (number * 7) % len(unit.exercises)
        if number % 8 == 5 and dice.random() < 0.5:
            is_wrong = True
        kind = "wrong" if is_wrong else "right"
        choices = [a.source for a in answers if a.exercise == exercise.name and a.kind == kind]
        # Students of a class share their mistakes: only the first few wrong answers occur, and the first most often.
        source = choices[min(dice.randrange(4), dice.randrange(4)) % len(choices)]
        sources[exercise.name] = "\n".join(
            line for line in source.split("\n") if "# BEGIN SOL" not in line and "# END SOL" not in line
        )
    first, last = unit.exercises[0].name, unit.exercises[-1].name
    if student in UNTOUCHED:
        return {}
    if student == LOOPING and loops:
        sources[first] = f"{LOOP}\n{sources[first]}"
    if student == ATTACKING:
        sources[last] = ATTACK.format(name=last)
    return sources
