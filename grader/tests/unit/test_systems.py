"""One file in `intake/systems` is all that a new learning system takes."""

import ast
import sys
from pathlib import Path

import pytest
from fake_class import result, typed, unit

from nbproctor.intake import scores, systems
from nbproctor.intake.archive import items_in
from nbproctor.paths import PACKAGE
from nbproctor.values.grades import Student, of_result

NEW_SYSTEM = """
import re
from functools import partial

from nbproctor.intake.claim import claim_below, with_rest
from nbproctor.intake.names import depth_of_names, names_at
from nbproctor.intake.roster import Person
from nbproctor.intake.scores import ScoresFile, scores_of
from nbproctor.intake.system import System
from nbproctor.values.text import csv_text

_match = re.compile(r"\\[(?P<user>\\w+)\\]").fullmatch


def _read(items, depth):
    claimed = [claim_below(item, depth, Person(it["user"], (it["user"],), "", SYSTEM))
               for item, it in names_at(items, depth, _match)]
    return with_rest(items, claimed)


def _write_scores(grades, students, class_list, assignments):
    return ScoresFile(csv_text([[one.id, *scores_of(grades, one, ["03_self_attention"])] for one in students.values()]))


SYSTEM = System("ilias", "ILIAS", partial(depth_of_names, match=_match), _read, write_scores=_write_scores)
"""


def test_a_new_file_in_the_folder_is_a_new_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ilias.py").write_text(NEW_SYSTEM)
    monkeypatch.setattr(systems, "__path__", [*systems.__path__, str(tmp_path)])
    monkeypatch.setitem(sys.modules, "nbproctor.intake.systems.ilias", None)
    del sys.modules["nbproctor.intake.systems.ilias"]  # monkeypatch forgets the module when the test ends
    assert {"canvas", "ilias", "moodle"} <= systems.all_systems().keys()
    file = tmp_path / "download" / "[ada]" / "hw.ipynb"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    claimed, rest = systems.claims(items_in(tmp_path / "download", tmp_path), ["03_self_attention"])
    assert ([(one.person.own, one.name) for one in claimed], rest) == ([("ada", "hw.ipynb")], [])
    grade = of_result(typed(result("ada", unit())))
    made = scores.scores_file(
        systems.all_systems()["ilias"], {("ada", grade.unit): grade}, {"ada": Student("ada")}, scores.NO_LIST
    )
    assert made.text == f"ada,{grade.score}\r\n"


def test_no_system_is_named_in_code_outside_its_file() -> None:
    names, found = systems.all_systems().keys(), []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in names and path.parent.name != "systems":
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.value}")
    assert found == []
