"""Strict checks in other instructors' courses: their verdicts are computed where no line of a student's ever runs.

Each hostile notebook gets the points of a check that runs beside it, and none of the same check where it is strict.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from small_course import (
    Edit,
    answer,
    cell,
    check,
    command,
    grade,
    hand_in,
    nbgraders,
    notebook,
    say,
    scores,
    write_course,
)  # fmt: skip

from nbproctor.anycourse import doctor, examiner, kernels
from nbproctor.anycourse.grading import Graded, Outcome
from nbproctor.anycourse.settings import Course
from nbproctor.anycourse.strict import CannotBeStrict
from nbproctor.exam import apart

TWICE = (
    "expected = np.array([0.0, 2.0, 4.0])\n"
    "np.testing.assert_allclose(twice(np.arange(3.0)), expected, err_msg='twice the numbers')\n"
    "### BEGIN HIDDEN TESTS\nassert twice(12345) == 24690\n### END HIDDEN TESTS"
)
RIGHT = "def twice(x):\n    return 2 * x"
WRONG = "def twice(x):\n    return x"
WRITES_AT_1 = f"import os\n{RIGHT[:14]}    if type(x) is int and x == 1: os.write(2, b'one')\n    return 2 * x"


def tagged(tag: str, made: Any) -> Any:
    made.metadata["tags"] = [tag]
    return made


def strict(grade_id: str, source: str, points: int = 1) -> Any:
    return tagged("strict", check(grade_id, source, points))


def setup(source: str = "%matplotlib inline\nimport numpy as np") -> Any:
    return tagged("setup", cell(source, "setup", locked=True))


ONE = (
    setup("%matplotlib inline\nimport numpy as np\nfrom helper import FACTOR\nkept = []"),
    answer("twice", RIGHT),
    strict("strict", TWICE, 3),
    check("beside", TWICE, 2),
    strict("in_part", "print('half of it')\n0.5 if twice(2) == 4 else 0", 2),
    strict("on_stderr", "import sys\ntwice(3) == 6 or print('wrong', file=sys.stderr);"),
    strict("once", "kept.append(twice(1))\nassert kept == [FACTOR], 'nothing is left of another check'"),
    check("after", "assert twice(5) == 10 and (path, out) == (sys.path, sys.stdout) and np.random.rand() == drawn"),
)
BETWEEN = cell(
    "import sys\npath, out = [*sys.path], sys.stdout\nnp.random.seed(3)\ndrawn = np.random.rand()\nnp.random.seed(3)",
    "x",
)
ALL = {"strict": 3.0, "beside": 2.0, "in_part": 0.5, "on_stderr": 1.0, "once": 1.0, "after": 1.0}
NOTHING = dict.fromkeys(ALL, 0.0)
HOSTILE = {
    "patches what compares": f"{WRONG}\nnp.testing.assert_allclose = lambda *a, **k: None\n"
    "class Same(int):\n    __eq__ = lambda a, b: True\n"
    "twice = lambda x: Same(1) if isinstance(x, int) else x",
    "equals everything": "class Same:\n    __eq__ = lambda one, other: True\n"
    "twice = lambda x: Same() if isinstance(x, int) else np.array([0, 2, 4.0])",
    "silences errors": f"{WRONG}\nshell = get_ipython()\nshell.showtraceback = lambda *a, **k: None\n"
    "def silent(result):\n    result.error_in_exec = None\nshell.events.register('post_run_cell', silent)",
    "takes asserts out": f"{WRONG}\nimport ast\nclass Out(ast.NodeTransformer):\n"
    "    visit_Assert = visit_Expr = lambda self, node: ast.Pass()\n"
    "get_ipython().ast_transformers.append(Out())",
    "looks what is expected": "import sys\ndef twice(x):\n"
    "    return 24690 if isinstance(x, int) else sys._getframe(1).f_globals['expected']",
}


def marks_for_skipping(nb: Any) -> Any:
    """An edit: a wrong answer, in a notebook whose checks are tagged as cells that are not to be run."""
    for one in nb.cells:
        if one.metadata.nbgrader.grade:
            one.metadata["tags"] = ["skip-execution"]
    return say("twice", WRONG)(nb)


def takes_the_tag_away(nb: Any) -> Any:
    for one in nb.cells:
        one.metadata.pop("tags", None)
    return say("twice", HOSTILE["patches what compares"])(nb)


EDITS: dict[str, Edit] = {name: say("twice", source) for name, source in HOSTILE.items()}
EDITS |= {"marks for skipping": marks_for_skipping, "takes the tag away": takes_the_tag_away}
WRITES = "import os\ndef twice(x):\n    for n in range(3, 40):\n        try: os.write(n, b'x' * 99)\n"
STEALS = """import gc
def twice(x):
    from nbproctor.border import wire
    line = next(one for one in gc.get_objects() if type(one).__name__ == "Line")
    told = {"value": 24690, "changed": False, "refilled": [], "state": {}, "printed": "", "nonce": line.nonces[-1]}
    line.channel.sendall(wire.frame(told, []))
    return 2 * x"""
RUNAWAYS = {
    "loops": "import time\ndef twice(x):\n    while True: time.sleep(.01)",
    "catches the interrupt": "import time\ndef twice(x):\n    while 1:\n        try: time.sleep(.1)\n"
    "        except BaseException: pass",
    "ends its process": "import os\ndef twice(x):\n    os._exit(0)",
    "writes into the channel": f"{WRITES}        except OSError: pass",
    "answers twice": STEALS,
}


CAN_GO_ON = ("loops", "answers twice")  # as after an interrupt in nbgrader


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Graded]:
    """A class of honest and hostile students, graded."""
    root = tmp_path_factory.mktemp("course")
    cells = [*ONE[:2], BETWEEN, *ONE[2:]]
    write_course(root, {"one": notebook(*cells)}, "c.Execute.timeout = 3\n")
    (root / "source" / "hw" / "helper.py").write_text("FACTOR = 2\n")
    hand_in(root, "right")
    hand_in(root, "wrong", say("twice", WRONG))
    hand_in(root, "by heart", say("twice", "def twice(x):\n    return np.array([0, 2, 4.0]) if np.ndim(x) else 2"))
    hand_in(root, "missing", say("twice", "pass"))
    hand_in(root, "writes to handle 2", say("twice", WRITES_AT_1))
    for name, edit in EDITS.items():
        hand_in(root, name, edit)
    for name, source in RUNAWAYS.items():
        hand_in(root, name, say("twice", source))
    return root, grade(root)


def outcome(graded: tuple[Path, Graded], student: str) -> Outcome:
    return next(one for one in graded[1].outcomes if one.student == student)


def outputs(root: Path, student: str, grade_id: str, name: str = "one") -> Any:
    cells = json.loads((root / "autograded" / student / "hw" / f"{name}.ipynb").read_text())["cells"]
    return next(one["outputs"] for one in cells if one["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)


def test_a_right_answer_keeps_its_points_and_a_wrong_one_loses_them(graded: tuple[Path, Graded]) -> None:
    """Partial credit is given, too, and what a check prints is shown. A strict check leaves the notebook as it was."""
    assert not graded[1].refused
    found = scores(graded[0])
    assert (found["right"], found["wrong"], found["missing"]) == (ALL, NOTHING, NOTHING)
    assert found["by heart"] == NOTHING | {"once": 1.0}
    assert found["writes to handle 2"] == ALL
    assert not any(outcome(graded, who).differences for who in ("right", "wrong", "by heart", "missing"))
    assert outputs(graded[0], "right", "in_part")[0]["text"] == ["half of it\n"]


@pytest.mark.parametrize("student", EDITS)
def test_who_cheats_a_check_beside_them_gets_nothing_of_a_strict_one(graded: tuple[Path, Graded], student: str) -> None:
    found = scores(graded[0])[student]
    assert (found["beside"], found["strict"]) == (2.0, 0.0)


@pytest.mark.parametrize("student", RUNAWAYS)
def test_an_answer_that_runs_away_costs_its_checks_alone(graded: tuple[Path, Graded], student: str) -> None:
    assert scores(graded[0])[student] == NOTHING
    assert not outcome(graded, student).failed and not outcome(graded, "right").failed
    assert bool(outcome(graded, student).differences) == (student not in CAN_GO_ON)


def test_feedback_has_the_message_of_a_strict_check_and_no_hidden_line(graded: tuple[Path, Graded]) -> None:
    """A visible line that failed is told with its message; of a hidden one, that it failed."""
    done = command(graded[0], "feedback")
    assert (done.returncode, done.stderr) == (0, "")
    pages = {who: (graded[0] / "feedback" / who / "hw" / "one.html").read_text() for who in ("wrong", "by heart")}
    assert "twice the numbers" in pages["wrong"]
    assert "Not all of them passed" in pages["by heart"]
    assert not any("12345" in page or "24690" in page.split("Same")[0] for page in pages.values())


def test_the_report_names_the_strict_checks_and_what_they_protect_against(graded: tuple[Path, Graded]) -> None:
    page = (graded[0] / "report" / "index.html").read_text()
    assert "Strict checks: one, strict; one, in_part; one, on_stderr; one, once. All others ran beside" in page
    assert "never runs a line of the student" in page


CROSSES = """
assert greet("Zoë") == "Hello Zoë" and greet.__name__ == "greet"
assert table == {"a": [1, 2.5, None], (1, 2): {"x"}}
assert list(count(3)) == [0, 1, 2] and [*map(str, count(2))] == ["0", "1"]
assert apply(lambda x: x + 1, 4) == 5
numbers = [3, 1]
assert sort(numbers) is None and numbers == [1, 3]
for wrong in ("x", None):
    try:
        root(wrong)
    except TypeError as error:
        assert "number" in str(error)
    else:
        raise AssertionError("a text has no root")
assert isinstance(matrix, np.ndarray) and matrix.dtype == np.float32 and matrix.sum() == 6
assert len(half) == 2
"""
ANSWERS = """
def greet(name): return f"Hello {name}"
table = {"a": [1, 2.5, None], (1, 2): {"x"}}
def count(n): yield from range(n)
def apply(f, x): return f(x)
def sort(numbers): numbers.sort()
def root(x):
    if not isinstance(x, (int, float)): raise TypeError("not a number")
    return x ** 0.5
matrix = np.arange(4, dtype=np.float32).reshape(2, 2)
half = np.array([0.5, 1])
"""


BARE = "try:\n    fails()\nexcept:\n    pass\nelse:\n    raise AssertionError('no error')"
SEVERAL = {"crosses": 1.0, "one": 1.0, "two": 1.0, "three": 1.0}
BUSY = {"loops": 1.0, "fills": 1.0, "bare": 1.0}
OWN = {"strict": 1.0, "beside": 1.0}
SECONDS = "c.Execute.timeout_func = lambda cell: 1 if cell.metadata.nbgrader.grade_id == 'loops' else 30\n"
KEEPS_THEIR_TEXT = "c.Autograde.sanitize_preprocessors = ['nbgrader.preprocessors.ClearOutput']\n"


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graded class with a notebook or more for each of three tests, since an examiner takes seconds to start.

    Two students are honest, one holds the examiner up, and one hands in checks of their own. It is a configuration
    that leaves a student's text in the cells.
    """
    root = tmp_path_factory.mktemp("several")
    more = tagged("setup", cell("seen = []", "more", locked=True))
    own = answer("own", "def answer(): return 42\ndef call(function): return function()")
    writes = "try:\n    open('kept', 'w').write(str(answer()))\nexcept OSError:\n    pass\n"
    finds = "import os\nassert not os.path.exists('kept') or not open('kept').read()\n"
    changes = "seen.append(answer())\nassert seen == [42] and call(answer) == call(lambda: 42) == 42"
    wide = setup("import torch\ntorch.set_default_dtype(torch.float64)")
    halves = "torch.testing.assert_close(halves(2), torch.tensor([0.5, 0.5]))"
    notebooks = {
        "crosses": notebook(setup(), answer("answers", ANSWERS.strip()), strict("crosses", CROSSES.strip())),
        "two": notebook(more, own, strict("one", finds + writes + changes), strict("two", finds + changes)),
        "three": notebook(
            wide, answer("halves", "def halves(n): return torch.full((n,), 0.5)"), strict("three", halves)
        ),
        "busy": notebook(
            answer("n", "n = 3"),
            strict("loops", "assert sum(range(n)) == 3"),
            strict("fills", "assert len([0] * n) == 3"),
            answer("fails", "def fails(): raise ValueError"),
            strict("bare", BARE),
        ),
        "own": notebook(
            answer("a", "a = 1"),
            cell("import os\nos.mkdir('down')\n%cd -q down", "down", locked=True),
            strict("strict", "assert a == 1"),
            check("beside", "%cd -q -\nassert a == 1 and os.path.isdir('down')"),
        ),
    }
    write_course(root, notebooks, SECONDS + KEEPS_THEIR_TEXT)
    hand_in(root, "ana")
    hand_in(root, "ben")
    hand_in(root, "busy", lambda nb: say("n", "n = 10**15")(say("fails", "import os\ndef fails(): os._exit(0)")(nb)))
    made = f"import os\nos.mkdir({str(root / 'made')!r})"
    hand_in(root, "eve", lambda nb: say("strict", made)(say("beside", "pass")(say("a", "a = 2")(nb))))
    assert not grade(root).refused
    return root


def test_values_cross_and_setups_and_answers_of_every_cell_are_seen(several: Path) -> None:
    """Several setup cells and answers; texts, containers, generators, functions, errors, arrays, in-place changes.

    What a check has changed of the setup, or written into a file, no other check finds.
    """
    found = scores(several)
    assert found["ana"] == found["ben"] == SEVERAL | BUSY | OWN


CANNOT = {
    "another cell's name": (
        [answer("a", "a = 1"), cell("b = 1", "b"), strict("check", "assert a == 1\nassert b == 1")],
        "check check: it reads `b` in line 2, and a strict check sees only what answers and cells tagged `setup` ",
    ),
    "no module": (
        [setup("import nosuchmodule"), answer("a", "a = 1"), strict("check", "assert a == 1")],
        "its cells tagged `setup` stop in the examiner (ModuleNotFoundError: No module named 'nosuchmodule')",
    ),
    "a setup that needs an answer": (
        [answer("a", "a = 1"), setup("b = a"), strict("check", "assert a == 1")],
        "stop in the examiner (NameError: name 'a' is not defined); such a cell needs nothing of others",
    ),
    "no test": ([tagged("strict", answer("a", "a = 1"))], "cell a: it is tagged `strict`, and is no test cell"),
    "a magic": (
        [answer("a", "a = 1"), strict("check", "%time assert a == 1")],
        "check check: a strict check is plain Python without magics",
    ),
    "an object": (
        [answer("a", "class Own:\n    size = 3\na = Own()"), strict("check", "assert a.size == 3")],
        "the course's own solution gets no point of it as a strict check (AttributeError: 'Own' object has no ",
    ),
    "a value that it does not name": (
        [answer("a", "a = 1"), strict("check", "0.5 * globals().get('a', 0)", 2)],
        "gets no point of it as a strict check (its last line has that value)",
    ),
    "a file of the notebook": (
        [answer("a", "a = open('x', 'w').write('1')"), strict("check", "assert a == 1 and open('x').read() == '1'")],
        "gets no point of it as a strict check (FileNotFoundError: ",
    ),
}


GRADED_TOO = ("a magic", "no module", "an object")  # found in the text, by the examiner, and in the source's run


@pytest.fixture
def forked_examiner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the examiner be a fork of this process, which has torch already; one of its own takes seconds to start."""

    def started(folder: Path, workers: int, stack: ExitStack) -> list[socket.socket]:
        pairs = [socket.socketpair() for _ in range(workers)]
        pid = os.fork()
        if pid == 0:
            try:
                for ours, _ in pairs:
                    ours.close()
                os.chdir(folder)
                apart.main([theirs for _, theirs in pairs])
            finally:
                os._exit(0)
        stack.callback(os.waitpid, pid, 0)
        for ours, theirs in pairs:
            theirs.close()
            stack.callback(ours.close)
        return [ours for ours, _ in pairs]

    monkeypatch.setattr(examiner, "_started", started)


@pytest.mark.usefixtures("forked_examiner")
@pytest.mark.parametrize("why", CANNOT)
def test_a_check_that_cannot_be_strict_is_named_before_the_first_student(tmp_path: Path, why: str) -> None:
    """By `doctor`, and by `grade`, which grades nothing then. A sentence says which check, why, and what to do."""
    cells, words = CANNOT[why]
    root = write_course(tmp_path, {"one": notebook(*cells)})
    (told,) = [one.text for one in doctor.look(Course(root)) if not one.is_well]
    assert words in told and told.startswith("hw: source/hw/one.ipynb") and "the tag" in told
    if why in GRADED_TOO:
        hand_in(root, "ana")
        found = grade(root)
        assert told == f"hw: {found.refused['hw']}"
        assert found.outcomes == [] and not (root / "autograded").exists()


def test_the_commands_say_it_and_end_with_3(tmp_path: Path) -> None:
    root = write_course(tmp_path, {"one": notebook(*CANNOT["a magic"][0])})
    hand_in(root, "ana")
    for word in ("doctor", "grade"):
        done = command(root, word)
        assert done.returncode == 3 and "without magics" in " ".join(done.stdout.split()), (word, done)
    assert (root / "report" / "index.html").exists()


def test_without_torch_strict_checks_are_refused_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_course(tmp_path, {"one": notebook(answer("a", "a = 1"), strict("check", "assert a == 1"))})
    hand_in(root, "ana")
    monkeypatch.setattr(examiner, "find_spec", lambda name: None)
    found = grade(root)
    assert found.outcomes == [] and "strict checks need PyTorch" in found.refused["hw"]


def test_a_notebook_for_another_kernel_has_no_strict_checks(tmp_path: Path) -> None:
    """The examiner is this Python. Where another kernel runs the answers, one sentence says so and what to do."""
    elsewhere = kernels.Kernel("elsewhere", "a warm process of it", python="/usr/bin/elsewhere")
    root = write_course(tmp_path, {"p1": notebook(*ONE)})
    with ExitStack() as stack, pytest.raises(CannotBeStrict, match="p1.ipynb: it asks for the kernel elsewhere"):
        examiner.examiner_of(Course(root), "hw", {"p1": elsewhere}, 1, stack)


def test_an_examiner_that_has_ended_costs_no_points_and_gives_none(tmp_path: Path) -> None:
    """The submission is not graded, the reason is told, and the next run tries it again."""
    ends = "import os\nif a == 2:\n    os.kill(os.getppid(), 9)\n    os._exit(1)\nassert a == 1"
    root = write_course(tmp_path, {"one": notebook(answer("a", "a = 1"), strict("check", ends))})
    hand_in(root, "ana", say("a", "a = 2"))
    (one,) = grade(root).outcomes
    assert "ExaminerGone: the process that computes strict verdicts ended" in one.failed
    assert scores(root) == {"ana": {"check": None}} and not (root / "autograded" / "ana" / "hw").exists()


def test_a_check_that_is_kept_busy_is_ended_and_none_passes_for_want_of_an_answer(several: Path) -> None:
    """An examiner is held up neither by a number of loops nor by an amount of memory that an answer names.

    Nor does a check pass that catches everything, where the student's process has ended instead of raising an error.
    """
    assert scores(several)["busy"] == SEVERAL | OWN | dict.fromkeys(BUSY, 0.0)
    words = [outputs(several, "busy", check, "busy")[0]["evalue"] for check in ("loops", "bare")]
    busy = "the check took too long, or too much memory, with what the answer gave it"
    assert words == [busy, "Kernel died: it ended its process"]
    assert outputs(several, "busy", "fills", "busy")[0]["ename"] == "MemoryError"


def test_no_line_of_a_students_own_comes_to_the_examiner(several: Path) -> None:
    """The text of a strict check is that of source/, even where a configuration leaves a student's in the cells."""
    assert scores(several)["eve"] == SEVERAL | BUSY | {"strict": 0.0, "beside": 1.0}
    assert not (several / "made").exists()
    assert "assert a == 1" in (several / "autograded" / "eve" / "hw" / "own.ipynb").read_text()


def test_strict_checks_are_strict_in_nbgraders_own_command(tmp_path: Path) -> None:
    """After `nbproctor install`, `nbgrader autograde` and formgrader's button ask the examiner, too."""
    same = "class Same:\n    __eq__ = lambda one, other: True\na = Same()"
    cells = (answer("a", "a = 1"), strict("strict", "assert a == 1"), check("beside", "assert a == 1"))
    root = write_course(tmp_path, {"one": notebook(*cells)})
    hand_in(root, "ana")
    hand_in(root, "eve", say("a", same))
    assert command(root, "install").returncode == 0
    assert nbgraders(root, "generate_assignment", "hw").returncode == 0
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    autograde = [sys.executable, "-m", "nbgrader", "autograde", "hw"]
    done = subprocess.run(autograde, cwd=root, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    assert scores(root) == {"ana": {"strict": 1.0, "beside": 1.0}, "eve": {"strict": 0.0, "beside": 1.0}}
