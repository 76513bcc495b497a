"""In any nbgrader course, `nbproctor grade` leaves the gradebook that `nbgrader autograde` leaves, row by row.

Courses and classes come from `any_course`, and stock nbgrader grades a copy of each with its own kernels. Where the two
differ on purpose, a test says so, and that the difference favours the student. Of each kind of hostile submission a
test says what is caught and what is not: here the checks run beside the student's code, as in nbgrader.
"""

import json
import shutil
from collections.abc import Iterator
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any

import any_course as make
import any_course_judge as judge
import any_course_shapes as shapes
import kernels
import pytest
from nbgrader.api import Gradebook
from weekly import WEEKLY


@pytest.fixture(scope="module", autouse=True)
def quick_stock() -> Iterator[None]:
    """For a change stock's kernels are forks of one; weekly each is started by itself, as by an instructor."""
    with kernels.plain_kernels() as path, pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "kernels_of_stock", None if WEEKLY else path)
        yield


ALL = [*shapes.HONEST.values(), *shapes.NEEDS_FILES.values()]
SMALL = [
    shapes.HONEST[name]
    for name in (
        "a function and its value", "hidden tests alone, and a test worth nothing", "partial credit",
        "a warning on stderr costs the test", "an answer for a person",
    )
]  # fmt: skip


def points(root: Path, student: str, assignment: str = "ps") -> dict[str, float | None]:
    """What a student has for each cell, in the order of the notebook's cells."""
    rows = judge.rows_of(root, student)
    return {key[-1]: facts["auto"] for key, facts in rows.items() if key[:3] == ("grade", assignment, student)}


def printed(root: Path, student: str, assignment: str = "ps") -> str:
    """All that a student's notebook printed, and its errors, as autograded/ has it."""
    book = make.read(root / "autograded" / student / assignment / "one.ipynb")
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    return "\n".join("".join(output.get(part, "") for part in ("text", "ename", "evalue")) for output in outputs)


def said(root: Path) -> str:
    return (root / "said.txt").read_text(encoding="utf-8")


# The same gradebook


def test_the_judge_finds_no_difference_between_stock_and_stock_and_every_spoiled_fact(tmp_path: Path) -> None:
    root = make.write_course(tmp_path / "course", {"ps": {"one": make.notebook(SMALL)}})
    make.release(root, {"ps": make.DUE})
    make.hand_in(root, "half", "ps", make.half, files={"own.txt": b"mine"})
    one, other = judge.copies(root)
    for copy in (one, other):
        done = judge.stock(copy, "ps")
        assert done.returncode == 0, done.stderr
    assert judge.differences(one, other) == []
    with Gradebook(f"sqlite:///{other}/gradebook.db") as book:
        book.find_grade("mean0_t", "one", "ps", "half").auto_score = 1.5
        book.find_comment("mean0", "one", "ps", "half").auto_comment = "other"
        book.find_submission_notebook("one", "ps", "half").late_submission_penalty = 1
        book.db.commit()
    folder = other / "autograded" / "half" / "ps"
    (folder / "own.txt").chmod(0o644)
    (folder / "one.ipynb").chmod(0o644)
    text = (folder / "one.ipynb").read_text()
    (folder / "one.ipynb").write_text(text.replace("r is a radius", "r is a diameter"))
    (folder / "one.ipynb").chmod(0o444)
    told = "\n".join(judge.differences(one, other))
    for fact in ("mean0_t: auto 0.0 != 1.5", "mean0: auto", "penalty None != 1.0", "own.txt, mode", "diameter"):
        assert fact in told, f"{fact} not in {told}"


def test_every_way_of_reaching_an_answer_gives_the_points_of_stock(tmp_path: Path) -> None:
    books = {"one": make.notebook(ALL[::2]), "two": make.notebook(ALL[1::2])}
    root = make.release(make.write_course(tmp_path / "course", {"ps": books}, shapes.FILES))
    make.hand_in(root, "reference", "ps", make.reference)
    make.hand_in(root, "wrong", "ps", make.wrong, seed=3)
    theirs, mine = judge.both(root, ["ps"])
    assert judge.differences(theirs, mine) == [], said(mine)
    rows = judge.rows_of(theirs)
    scores = [facts["auto"] for key, facts in rows.items() if key[0] == "grade"]
    assert len(rows) > 200 and scores.count(0.0) > 20 and len(scores) - scores.count(0.0) > 70


DAMAGED = {
    "moved": make.move_cell, "lost": make.lose_test, "text": make.turn_to_text, "edited": make.edit_locked,
    "unknown": make.rename_id,
}  # fmt: skip
if WEEKLY:
    DAMAGED |= {
        "points": make.set_mark("points", 100), "kernel": make.other_kernel, "outputs": make.stored_outputs,
        "tags": make.tag_cells, "locked": make.set_mark("locked", False),
    }  # fmt: skip


def damaged(damage: make.Change) -> make.Change:
    def change(released: Any, source: Any, chance: Any) -> None:
        make.reference(released, source, chance)
        damage(released, source, chance)

    return change


def write_link(root: Path) -> None:
    """Let a file of the source be a link to one that the course's assignments share."""
    (root / "shared").mkdir()
    (root / "source" / "ps" / "data.csv").rename(root / "shared" / "data.csv")
    (root / "source" / "ps" / "data.csv").symlink_to("../../shared/data.csv")


@pytest.mark.weekly
def test_several_notebooks_files_lateness_and_damaged_notebooks(tmp_path: Path) -> None:
    """What one notebook writes the next one reads; files, helpers and late submissions count as in stock.

    The notebooks are of nbformat 4.2, without cell ids. Cells that students moved, lost, edited or turned into text,
    files that cannot be read, and notebooks that are missing or that nobody knows, cost what they cost in stock.
    """
    text = [shapes.WRITES, *SMALL, *shapes.NEEDS_FILES.values()]
    books = {"one": make.notebook(text, has_ids=False), "two": make.notebook([shapes.READS], has_ids=False)}
    config = "c.LateSubmissionPlugin.penalty_method = 'zero'"
    root = make.write_course(tmp_path / "course", {"ps": books}, shapes.FILES, config)
    write_link(root)
    make.release(root, {"ps": make.DUE})
    make.hand_in_plain_class(root, "ps")
    for name, damage in DAMAGED.items():
        make.hand_in(root, name, "ps", damaged(damage), seed=1)
    make.hand_in(root, "late", "ps", make.reference, at=make.DUE + timedelta(hours=3))
    make.hand_in(root, "no time", "ps", make.half, at=None)
    make.hand_in(root, "no first", "ps", make.reference, without=["one"])
    make.hand_in(
        root, "Zoë née Ø", "ps", make.wrong, files={"helper.py": b"def double(x): return 0", "a b/c.txt": b"c"}
    )
    (root / "submitted" / "half" / "ps" / "unknown.ipynb").write_text(json.dumps(make.notebook(SMALL)))
    for name, content in {"cut": '{"cells": [', "nothing": "", "html": "<!DOCTYPE html>"}.items():
        (make.hand_in(root, name, "ps", make.reference) / "two.ipynb").write_text(content)
    theirs, mine = judge.both(root, ["ps"])
    assert judge.differences(theirs, mine) == [], said(mine)
    penalties = [
        facts["penalty"] for key, facts in judge.rows_of(mine).items() if key[:3] == ("notebook", "ps", "late")
    ]
    assert len(penalties) == 2 and all(penalties)
    assert points(mine, "reference")["reads_t"] == 2


CONFIG = """
from nbgrader.preprocessors import *
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.plugins import LateSubmissionPlugin
from nbconvert.preprocessors import ClearMetadataPreprocessor

class Given(NbGraderPreprocessor):
    "Puts a value before every answer named twice, before the notebook is run."
    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type == "code" and "twice" in cell.metadata.get("nbgrader", {}).get("grade_id", ""):
            cell.source = "GIVEN = 5\\n" + cell.source
        return cell, resources

class Merciful(NbGraderPreprocessor):
    "Takes warnings from the outputs, after the notebook was run."
    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if "radius" not in one.get("text", "")]
        return cell, resources

class PerHour(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 0.25 * (total_seconds_late // 3600)

def hook(**named):
    import json
    with open("hook.log", "a") as file:
        file.write(json.dumps(named, default=str).split("submitted")[-1] + "\\n")

c.Autograde.sanitize_preprocessors = [ClearOutput, DeduplicateIds, OverwriteKernelspec, OverwriteCells, Given]
c.Autograde.autograde_preprocessors = [
    Execute, IgnorePattern, ClearMetadataPreprocessor, Merciful, LimitOutput, SaveAutoGrades,
    AssignLatePenalties, CheckCellMetadata]
c.AssignLatePenalties.plugin_class = PerHour
c.Autograde.exclude_overwriting = {"ps": ["helper.py"]}
c.Autograde.pre_convert_hook = c.Autograde.post_convert_hook = hook
c.Autograde.permissions = 640
c.CourseDirectory.ignore = ["*.log", "secret*", ".ipynb_checkpoints", "__pycache__"]
c.CourseDirectory.student_id_exclude = "excluded,nobody"
c.CourseDirectory.submitted_directory = "handed_in"
c.CourseDirectory.directory_structure = "{nbgrader_step}/{student_id}/{assignment_id}"
c.Execute.timeout = 2
c.LimitOutput.max_lines = 4
c.LimitOutput.max_traceback = 3
c.IgnorePattern.enabled = True
c.IgnorePattern.pattern = "harmless"
c.OverwriteCells.add_missing_cells = True
c.ClearSolutions.code_stub = {"python": "..."}
"""
CONFIGURED = """
# %% answer given§
seen§ = GIVEN
# %% test given§_t 1
assert seen§ == 5
# %% test lines§_t 1
for n in range(9): print(n)
# %% test harmless§_t 1
import sys; _ = sys.stderr.write("harmless\\n")  # print writes twice, and stock may make two outputs of that
# %% answer slow§
def slow§(): return 1
# %% test slow§_t 1
assert slow§() == 1
# %% test slow§_after 1
assert callable(slow§)
# %% test helper§_t 1
import helper
assert helper.double(2) == 4
"""


@pytest.mark.weekly
def test_the_courses_own_settings_preprocessors_plugins_and_hooks_are_used(tmp_path: Path) -> None:
    texts = [*SMALL, CONFIGURED]
    root = make.write_course(tmp_path / "course", {"ps": {"one": make.notebook(texts)}}, shapes.FILES, CONFIG)
    make.release(root, {"ps": make.DUE})
    make.hand_in_plain_class(root, "ps")
    loop = make.with_answer("slow5", "def slow5():\n    while True: pass")
    make.hand_in(root, "loop", "ps", loop, at=make.DUE + timedelta(hours=5), files={"secret.txt": b"s"})
    make.hand_in(root, "asleep", "ps", make.with_answer("slow5", "import time\ntime.sleep(60)"))
    make.hand_in(root, "helper", "ps", make.reference, files={"helper.py": b"def double(x): return 0"})
    make.hand_in(root, "excluded", "ps", make.reference)
    (root / "submitted").rename(root / "handed_in")
    theirs, mine = judge.both(root, ["ps"])
    assert judge.differences(theirs, mine) == [], said(mine)
    lines = [sorted((copy / "hook.log").read_text().replace(str(copy), "").splitlines()) for copy in (theirs, mine)]
    assert lines[0] == lines[1] and lines[0]
    assert points(mine, "loop")["slow5_t"] == 0 and points(mine, "loop")["slow5_after"] == 1
    assert points(mine, "helper")["helper5_t"] == 0 and points(mine, "reference")["helper5_t"] == 1
    assert points(mine, "excluded") == {} and points(mine, "reference")["given5_t"] == 1


def grade_by_hand(root: Path, student: str) -> None:
    """What a person does in formgrader: points for a text, over a test's points, extra credit, comments, a flag."""
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        text = book.find_grade("why4", "one", "ps", student)
        text.manual_score, text.extra_credit, text.needs_manual_grade = 2.0, 0.5, False
        book.find_grade("mean0_t", "one", "ps", student).manual_score = 0.75
        book.find_grade("build4", "one", "ps", student).extra_credit = 1.0
        book.find_comment("why4", "one", "ps", student).manual_comment = "A good start."
        book.find_comment("mean0", "one", "ps", student).manual_comment = "See page 3."
        book.find_submission_notebook("one", "ps", student).flagged = True
        book.db.commit()


@pytest.mark.weekly
def test_what_a_person_gave_stays_when_a_student_hands_in_again(tmp_path: Path) -> None:
    """A newer timestamp is graded again, an equal one is not, and --force grades everything; --student grades one."""
    root = make.write_course(tmp_path / "course", {"ps": {"one": make.notebook(SMALL)}})
    make.release(root, {"ps": make.DUE})
    for student in ("again", "forced", "same", "untouched"):
        make.hand_in(root, student, "ps", make.half)
    pair = judge.both(root, ["ps"])
    assert judge.differences(*pair) == [], said(pair[1])
    for copy in pair:
        for student in ("again", "forced", "same"):
            grade_by_hand(copy, student)
        make.hand_in(copy, "again", "ps", make.reference, at=make.DUE + timedelta(hours=1))
        make.hand_in(copy, "same", "ps", make.reference)
        make.hand_in(copy, "new", "ps", make.reference)
    judge.grade_both(*pair, ["ps"])
    assert judge.differences(*pair) == [], said(pair[1])
    assert points(pair[1], "again")["twice1_hidden"] == 3 and points(pair[1], "same")["mean0_t"] == 0
    judge.grade_both(*pair, ["ps"], "--student=forced", "--force")
    judge.grade_both(*pair, ["ps"], "--student=untouched")
    assert judge.differences(*pair) == [], said(pair[1])
    judge.grade_both(*pair, ["ps"], "--force")
    assert judge.differences(*pair) == [], said(pair[1])
    row = judge.rows_of(pair[1])["grade", "ps", "again", "one", "why4"]
    assert (row["manual"], row["extra"], row["needs_manual"]) == (2.0, 0.5, True)


# The differences, all in the student's favour


FULL = {
    "mean0_t": 2, "twice1_zero": 0, "twice1_hidden": 3, "credit2_t": 4, "credit2_float": 1,
    "warn3_t": 0, "warn3_again": 0, "warn3_quiet": 1,
}  # fmt: skip


def without(*lost: str) -> dict[str, float]:
    return {name: 0 if name.startswith(lost) else most for name, most in FULL.items()}


def points_of_the_tests(root: Path, student: str) -> dict[str, float | None]:
    return {name: auto for name, auto in points(root, student).items() if name in FULL}


def doubled(released: Any, source: Any, chance: Any) -> None:
    make.reference(released, source, chance)
    at = next(
        n for n, cell in enumerate(released.cells) if "mean0" == cell.metadata.get("nbgrader", {}).get("grade_id")
    )
    released.cells.insert(at, deepcopy(released.cells[at]))


SUBMODULE = """
# %% answer tree§
import xml.etree.ElementTree
parse§ = xml.etree.ElementTree.fromstring
# %% test tree§_t 2
assert parse§("<a/>").tag == "a"
"""
STUBBORN = "import time\nwhile True:\n    try: time.sleep(9)\n    except KeyboardInterrupt: pass"
ODD: dict[str, make.Change] = {
    "dead": make.with_answer("mean0", "import os\nos._exit(0)"),
    "leaving": make.with_cell("exit()"),
    "short": make.with_answer("tree5", "import xml\ndef parse5(text): return xml.etree.ElementTree.fromstring(text)"),
    "stubborn": make.with_answer("mean0", STUBBORN),
    "zz copied": doubled,  # the last one, since stock's run ends there
}


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two honest students and those of ODD, with three seconds for a cell: the copy graded by stock, and ours."""
    config = "c.Execute.timeout = 3\nc.Execute.iopub_timeout = 3"
    folder = tmp_path_factory.mktemp("apart")
    root = make.write_course(folder / "course", {"ps": {"one": make.notebook([*SMALL, SUBMODULE])}}, None, config)
    make.release(root)
    make.hand_in(root, "ana", "ps", make.reference)
    make.hand_in(root, "zoe", "ps", make.half)
    for student, change in ODD.items():
        make.hand_in(root, student, "ps", change)
    return judge.both(root, ["ps"])


@pytest.mark.weekly
def test_differences_change_no_other_row(apart: tuple[Path, Path]) -> None:
    theirs, mine = (
        {key: row for key, row in judge.rows_of(root).items() if not ODD.keys() & set(key)} for root in apart
    )
    assert judge.differing_rows(theirs, mine) == [], said(apart[1])
    assert len([key for key in theirs if key[0] == "submission"]) == 2


def test_difference_what_is_written_to_handle_2_itself_always_counts(tmp_path: Path) -> None:
    """C code's and other programs' words on stderr cost a test here; in stock by chance, as they come late or in time.

    This is the one difference that can cost a student a point which a run of stock gives. Two runs of stock differ.
    """
    root = make.release(make.write_course(tmp_path / "course", {"ps": {"one": make.notebook([shapes.BY_CHANCE])}}))
    make.hand_in(root, "ana", "ps", make.reference)
    done = judge.ours(root, "ps")
    assert points(root, "ana") == {"doors0_os": 0, "doors0_child": 0, "doors0_system": 1}, done.stderr
    assert "from a shell" in printed(root, "ana")


def test_difference_a_submodule_that_the_sources_import_is_there_already(apart: tuple[Path, Path]) -> None:
    """A student who imports `xml` and uses `xml.etree.ElementTree` fails in stock; here the source has imported it."""
    scores = [points(one, "short")["tree5_t"] for one in apart]
    assert scores in ([0, 2], [0, 0]), "the difference favours the student, or there is none"


# Hostile submissions. Nothing here does harm where a guard fails.

STUBBORN_PRINT = "while True: print('x' * 100)"
FORGED = """
import os, json
for handle in range(0, 64):
    for text in (b'{"outputs": [], "count": 1}\\n', b'[]', (64).to_bytes(4, "little") + b'{' * 64):
        try: os.write(handle, text)
        except OSError: pass
"""
# So that each later answer would be taken for the one of the next cell.
ANSWERS = """
def mean0(values): return values
import json, os, struct
said = json.dumps([{"answer": {"outputs": [], "count": 1}, "nonce": ""}, []]).encode()
for handle in range(3, 40):
    try: os.write(handle, struct.pack(">IQ", len(said), 0) + said)
    except OSError: pass
"""
BOMB = "import os\nfor _ in range(10):\n    try: os.fork()\n    except OSError: pass"
SEARCH = """
import os
SKIPPED = ("proc", "sys", "usr", "lib", "lib64", "bin", "site-packages")
found = []
for folder in ("/", os.path.expanduser("~"), "..", "../..", "../../..", "{ROOT}", "{ROOT}/submitted", "/work", "/root"):
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in SKIPPED]
        wanted = {"gradebook.db", "secret of ana.txt"} & set(files)
        found += [os.path.join(path, name) for name in wanted]
print("FOUND", found)
"""
WRITE = """
import os
for folder in ("{ROOT}", "{ROOT}/source/ps", "{ROOT}/submitted/ana/ps", "../..", "/", "/usr", "/etc"):
    try:
        open(os.path.join(folder, "planted.txt"), "w").write("x")
        print("PLANTED", folder)
    except OSError as error: print(error)
"""
LINKS = """
import os
os.symlink("/etc/passwd", "link.txt")
os.symlink("{ROOT}/gradebook.db", "book.txt")
os.symlink("..", "folder")
os.mkfifo("pipe")
"""
GARBAGE = """
import gc, sys
wanted = "".join(["twice1", "(4)"])
def inside(one): return one.values() if isinstance(one, dict) else one
held = [text for one in gc.get_objects() if isinstance(one, (list, dict, tuple)) for text in list(inside(one))]
frame = sys._getframe()
while frame:
    held += frame.f_locals.values()
    frame = frame.f_back
print("HITS", [text[:80] for text in held if type(text) is str and wanted in text and text != wanted])
"""
HOOK = "get_ipython().events.register('pre_run_cell', lambda info: print('SEEN', info.raw_cell))"
ASSERTS = """
import ast
class Drop(ast.NodeTransformer):
    def visit_Assert(self, node): return ast.Pass()
get_ipython().ast_transformers.append(Drop())
"""
YES = """
class Yes(int):
    def __eq__(self, other): return True
    __hash__ = None
def mean0(values): return Yes()
"""
SILENT = "get_ipython().showtraceback = lambda *a, **k: None\nget_ipython()._showtraceback = lambda *a, **k: None"
HOSTILE: dict[str, make.Change] = {
    "loop": make.with_answer("mean0", "while True: pass"),
    "memory": make.with_answer("mean0", "x = [bytearray(10**12)]"),
    "bomb": make.with_answer("mean0", BOMB),
    "printing": make.with_answer("mean0", STUBBORN_PRINT),
    "search": make.with_cell(SEARCH),
    "write": make.with_cell(WRITE),
    "links": make.with_cell(LINKS),
    "forged": make.with_answer("mean0", FORGED),
    "answers": make.with_answer("mean0", ANSWERS),
    "garbage": make.with_cell(GARBAGE),
    "hook": make.with_cell(HOOK),
    "silent": make.with_cell(SILENT, then=make.wrong),
    "asserts": make.with_cell(ASSERTS, then=make.empty),
    "yes": make.with_answer("mean0", YES),
}
AS_IN_STOCK = ("ana", "zoe", "asserts", "yes", "silent", "hook")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two honest students and all hostile ones, graded by us; those that do no harm by stock as well, beside it."""
    folder = tmp_path_factory.mktemp("hostile")
    config = "c.Execute.timeout = 4\nc.Proctor.memory_mb = 1024"
    root = make.release(make.write_course(folder / "course", {"ps": {"one": make.notebook(SMALL)}}, None, config))
    make.hand_in(root, "ana", "ps", make.reference, files={"secret of ana.txt": b"s"})
    make.hand_in(root, "zoe", "ps", make.half)
    for student, change in HOSTILE.items():
        path = make.hand_in(root, student, "ps", change) / "one.ipynb"
        path.write_text(path.read_text().replace("{ROOT}", str(folder / "course-ours")))
    stock, mine = judge.copies(root)
    for path in (stock / "submitted").iterdir():
        if path.name not in AS_IN_STOCK:
            shutil.rmtree(path)
    done = judge.ours(mine, "ps")
    (mine / "said.txt").write_text(done.stdout + done.stderr)
    judge.stock(stock, "ps")
    return mine


def test_hostile_nobody_else_pays(hostile: Path) -> None:
    stock = judge.rows_of(hostile.parent / "course-stock")
    ours = judge.rows_of(hostile)
    for student in ("ana", "zoe"):
        mine, theirs = ({key: row for key, row in rows.items() if student in key} for rows in (ours, stock))
        assert judge.differing_rows(theirs, mine) == [] and len(mine) > 15


# What is caught: the points that are left, what the student has printed, and what not.
CAUGHT: dict[str, tuple[dict[str, float], str, tuple[str, ...]]] = {
    "loop": (without("mean0"), "KeyboardInterrupt", ()),  # interrupted at its timeout, as in stock
    "memory": (without("mean0"), "", ()),  # the cell that asks for more is the one that pays
    "bomb": (without("mean0"), "", ()),  # no copy of the process answers for it
    "printing": (without("mean0"), "", ()),
    "answers": (without("mean0"), "", ()),
    "search": (FULL, "FOUND []", ()),  # neither the gradebook nor other submissions
    "write": (FULL, "", ("PLANTED {ROOT}", "PLANTED /usr")),
    "links": (FULL, "", ()),
    "garbage": (FULL, "HITS []", ()),  # before its cell is reached, a hidden test is nowhere in the process
}


@pytest.mark.parametrize("student", CAUGHT)
def test_hostile_what_is_caught_costs_its_author_alone(hostile: Path, student: str) -> None:
    left, seen, unseen = CAUGHT[student]
    text = printed(hostile, student)
    assert points_of_the_tests(hostile, student) == left and seen in text
    assert [word for word in unseen if word.replace("{ROOT}", str(hostile)) in text] == []


def test_hostile_nothing_is_left_outside(hostile: Path) -> None:
    assert list(hostile.rglob("planted.txt")) == []
    assert not any((folder / "planted.txt").exists() for folder in map(Path, ("/", "/usr", "/etc")))
    folder = hostile / "autograded" / "links" / "ps"
    assert [path.name for path in folder.rglob("*") if path.is_symlink() or path.is_fifo()] == []
    assert not (folder / "book.txt").exists()
    assert sum(path.stat().st_size for path in (hostile / "autograded" / "printing").rglob("*")) < 20_000_000


def test_hostile_a_forged_result_on_every_handle(hostile: Path) -> None:
    """Caught: what is written to handles that were left open earns nothing; at most the author's own cells are lost."""
    assert all((auto or 0) <= FULL[name] for name, auto in points_of_the_tests(hostile, "forged").items())
    assert points_of_the_tests(hostile, "forged")["mean0_t"] == 0


def test_hostile_a_hook_that_reads_the_hidden_test_is_not_caught(hostile: Path) -> None:
    """NOT caught: code of the student's that waits in the process reads a hidden test when it is run.

    It can print it nowhere but into the student's own outputs, which `nbproctor feedback` leaves out.
    """
    assert "SEEN" in printed(hostile, "hook") and "twice1(4) == 8" in printed(hostile, "hook")


def test_hostile_silenced_tracebacks(hostile: Path) -> None:
    """Caught: a cell that raised has failed, whatever is shown of it, as in stock."""
    stock = hostile.parent / "course-stock"
    assert points_of_the_tests(hostile, "silent") == points_of_the_tests(stock, "silent")
    assert points_of_the_tests(hostile, "silent")["mean0_t"] == 0


@pytest.mark.parametrize("student", ["asserts", "yes"])
def test_hostile_patched_asserts_and_objects_that_equal_everything_are_not_caught(hostile: Path, student: str) -> None:
    """NOT caught: checks run beside the student's code, which can make them pass; the points are stock's.

    Against a student who does this on purpose, only a person who reads the notebook protects.
    """
    assert points_of_the_tests(hostile, student) == points_of_the_tests(hostile.parent / "course-stock", student)
    assert points_of_the_tests(hostile, student)["mean0_t"] == 2


def test_a_broken_submission_in_any_shape_costs_no_other_student(tmp_path: Path) -> None:
    root = make.release(make.write_course(tmp_path / "course", {"ps": {"one": make.notebook(SMALL)}}))
    make.hand_in(root, "ana", "ps", make.reference)
    broken = {"a": b"\xff\xfe\x00", "b": b"[]", "c": b'{"cells": null, "nbformat": 4}', "d": b'{"nbformat": 9}'}
    for name, content in broken.items():
        (make.hand_in(root, name, "ps", make.empty) / "one.ipynb").write_bytes(content)
    path = make.hand_in(root, "f", "ps", make.empty) / "one.ipynb"
    path.unlink()
    path.mkdir()
    path = make.hand_in(root, "g", "ps", make.empty) / "one.ipynb"
    path.unlink()
    path.symlink_to("/nowhere/one.ipynb")
    (make.hand_in(root, "h", "ps", make.reference) / "timestamp.txt").write_text("")
    (root / "submitted" / "i" / "ps").mkdir(parents=True)
    make.hand_in(root, "k", "ps", make.with_answer("credit2", "guesses2 = [1, 4, 9, 16, 25]"))
    make.hand_in(root, "zoe", "ps", make.half)
    theirs, mine = judge.both(root, ["ps"])
    told = judge.differing_rows(judge.rows_of(theirs), judge.rows_of(mine))
    assert told == [], said(mine)
    assert points_of_the_tests(mine, "ana") == FULL and points(mine, "zoe")["twice1_hidden"] == 3
    assert {*"abcdfgk"} <= {path.stem for path in (mine / "report" / "notes" / "ps").iterdir()}, "each is named"
