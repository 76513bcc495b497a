"""The probe, on a course whose tests have known holes, beside sound ones and hostile code."""

import json
import socket
from pathlib import Path

import pytest
import small_course as small
from small_course import answer, cell, check, command, essay, notebook, write_course

from nbproctor.anycourse.settings import Course
from nbproctor.probe import marks
from nbproctor.probe.findings import Found, Rank
from nbproctor.probe.probing import Wanted, probe

SOUND = {  # the solution, and tests that refuse each change of it
    "mean": ("def mean(x):\n    return sum(x) / len(x)", "assert mean([1, 2, 6]) == 3"),
    "price": ("price = 3 * 7 - 1", "assert price == 20"),
    "root": (
        "def root(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x ** 0.5",
        "assert root(4) == 2 and root(0) == 0 and root(0.25) == 0.5\n"
        "try:\n    root(-0.5)\nexcept ValueError:\n    pass\nelse:\n    assert False",
    ),
    "kept": ("with open('kept.txt', 'w') as file:\n    file.write('kept')", "assert open('kept.txt').read() == 'kept'"),
    "scaled": (
        "import numpy as np\ndef scaled(x):\n    return x / x.sum(axis=1, keepdims=True)",
        "assert np.allclose(scaled(np.array([[1.0, 3], [2, 8]])), [[0.25, 0.75], [0.2, 0.8]])",
    ),
    "drawn": (
        "import random\ndef drawn(n):\n    return [random.random() for _ in range(n)]",
        "assert len(drawn(3)) == 3 and drawn(9) != drawn(9)",
    ),
}
SOUND_COURSE = [
    made for name, (solution, test) in SOUND.items() for made in (answer(name, solution), check(f"{name}_test", test))
]
HOLES = (
    answer("area", "def area(a, b):\n    return a * b"),
    check("area_test", "assert area(5, 1) == 5"),
    answer("kind", "def kind(x):\n    return x * 2.5"),
    check("kind_test", "assert isinstance(kind(2), float)", 3),
    answer("sign", "def sign(x):\n    if x < 0:\n        return 'minus'\n    return 'plus'"),
    check("sign_test", "assert sign(5) == 'plus'"),
    answer("grade", "def grade(x):\n    return x > 50"),
    check("grade_test", "assert grade(90) and not grade(10)"),
    answer("unread", "unread = 7"),
    check("unread_test", "assert 1 + 1 == 2"),
    check("given", "0.5"),
    answer("again", "def again(x):\n    return x + x"),
    check("again_test", "assert again(2) == 4\n### BEGIN HIDDEN TESTS\nassert again(2) == 4\n### END HIDDEN TESTS"),
    answer("wide", "def wide(x):\n    return x > 5"),
    check(
        "wide_test",
        "assert wide(9) and not wide(1)\n### BEGIN HIDDEN TESTS\nassert wide(6) and not wide(5)\n### END HIDDEN TESTS",
    ),
    essay("words"),
)
FLAKY = (
    answer("three", "three = 3"),
    check("never", "assert three == 4"),
    *(check(f"sometimes_{n}", "import os\nassert three == 3 and os.urandom(1)[0] < 128") for n in range(8)),
    check("always", "assert three == 3"),
)
HOSTILE = {  # what the answer does when it is asked for 4, or for 2
    "loops": "while True: pass",
    "exits": "sys.exit()",
    "ends": "os._exit(0)",
    "kills": "os.kill(1, 9)",
    "leaves": "__import__('subprocess').Popen(['sleep', '600'])",
    "writes": "open(OUTSIDE, 'w').write('x')",
    "links": "os.symlink('/', 'left')",
    "connects": "__import__('socket').create_connection(('127.0.0.1', PORT), 1)",
    "reads": "n = 3 if os.path.exists(SECRET) else n",
    "answers": "[os.write(n, b'{}' * 99) for n in range(3, 60) if not os.fstat(n).st_size]",
}


def found(root: Path, cells: list[object], **how: int) -> Found:
    write_course(root, {"one": notebook(*cells)})
    wanted = Wanted(most=how.pop("most", 10_000), workers=2, **how)  # type: ignore[arg-type]
    return probe(Course(root), "hw", wanted, lambda _: None, lambda _: None)


def test_sound_tests_let_no_change_through(tmp_path: Path) -> None:
    first = found(tmp_path, SOUND_COURSE)
    assert [(one.exercise, one.words, one.new) for one in first.survivors] == []
    assert (first.findings, first.remarks, first.left_out) == ([], [], [])
    assert first.tried == first.possible > 30


def test_each_hole_is_found(tmp_path: Path) -> None:
    one = found(tmp_path, [*HOLES])
    by = {name: [s for s in one.survivors if s.exercise == name] for name in {s.exercise for s in one.survivors}}
    assert set(by) == {"area", "kind", "sign", "grade", "unread"}
    kinds = {s.new: s for s in by["kind"]}
    assert all(s.rank == Rank.SEEN and s.points == 3 for s in kinds.values())
    saw = "`kind` returned `0.8` where the reference returned `5.0`, and every test passed"
    assert kinds["return x / 2.5"].saw == saw
    assert {s.rank for s in by["sign"] if s.line == 4} == {Rank.UNREAD}
    saw = {s.saw for s in by["sign"] if s.rank == Rank.UNREAD}
    assert saw == {"no test runs this line", "no test runs what is in it"}
    assert {s.rank for s in by["grade"]} == {Rank.SAME}
    assert by["unread"][0].rank == Rank.UNREAD and by["unread"][0].saw == "no test reads `unread`"
    assert one.findings == [
        "one, given: the reference gets 0.5 of 1",
        "one, unread_test: the untouched release gets 1 of 1",
        "one, given: the untouched release gets 0.5 of 1",
        "one, unread_test: no change of the solution fails this test",
    ]
    assert one.remarks == ["one, again: its hidden tests refuse no change that the visible ones let through"]
    assert one.left_out == ["one: a person grades words"]
    ranks = [s.rank for s in one.survivors]
    assert ranks == sorted(ranks)


def test_a_reference_that_fails_or_sometimes_fails_is_found_and_judges_no_change(tmp_path: Path) -> None:
    one = found(tmp_path, [*FLAKY])
    assert (one.survivors, one.tried, one.left_out) == ([], 2, [])  # `always` refuses both
    assert one.findings[0] == "one, never: the reference gets 0 of 1"
    told = [text for text in one.findings if "the reference fails sometimes" in text]
    assert told and all("_" in text for text in told)


def test_a_notebook_in_another_kernel_is_left_out_and_named(tmp_path: Path) -> None:
    other = notebook(*HOLES[:2])
    other.metadata["kernelspec"] = {"name": "java", "display_name": "Java", "language": "java"}
    write_course(tmp_path, {"one": notebook(*HOLES[6:8]), "two": other})
    told = probe(Course(tmp_path), "hw", Wanted(most=3), lambda _: None, lambda _: None)
    assert (told.tried, told.left_out) == (3, ["two: it runs in another kernel, and is not changed"])


def test_hostile_code_costs_its_own_change_and_reaches_nothing(tmp_path: Path) -> None:
    outside, secret = tmp_path / "outside.txt", tmp_path / "secret.txt"
    secret.write_text("secret")
    server = socket.create_server(("127.0.0.1", 0))
    server.setblocking(False)
    names = {"OUTSIDE": str(outside), "SECRET": str(secret), "PORT": server.getsockname()[1]}
    given = "\n".join(f"{name} = {value!r}" for name, value in names.items())
    cells = [cell(f"import os, sys\n{given}", "setup", locked=True)]
    for name, what in HOSTILE.items():
        cells += [
            cell(f"def act_{name}(n):\n    if n != 3:\n        {what}\n    return n", f"given_{name}", locked=True),
            answer(name, f"{name} = act_{name}(3)"),
            check(f"{name}_test", f"assert {name} == 3 and not os.path.exists('left')"),
        ]
    one = found(tmp_path / "course", cells)
    assert (one.survivors, one.findings, one.left_out) == ([], [], [])
    assert one.tried == one.possible == 2 * len(HOSTILE)
    assert not outside.exists()
    with server, pytest.raises(BlockingIOError):  # nobody has connected
        server.accept()


@pytest.mark.weekly
def test_the_command_shows_marks_and_ends_with_3(tmp_path: Path) -> None:
    root = write_course(tmp_path, {"one": notebook(*HOLES[6:8])})
    done = command(root, "probe", "hw", "--most", "50", "--json")
    assert done.returncode == 3, done.stderr
    (told,) = json.loads(done.stdout)["assignments"]
    keys = [one["key"] for one in told["survivors"]]
    assert keys and (told["tried"], told["marked"]) == (told["possible"], 0)
    page = (root / "report" / "probe.html").read_text()
    assert all(key in page for key in keys) and "<script" not in page
    assert command(root, "probe", *(word for key in keys for word in ("--same", key))).returncode == 0
    assert len((root / "source" / "hw.same").read_text().splitlines()) == 1 + len(keys)
    done = command(root, "probe", "hw", "--most", "50")
    assert done.returncode == 0 and f"{len(keys)} more are marked as right" in done.stdout
    changed = notebook(answer("grade", "def grade(x):\n    return x > 60"), HOLES[7])
    small.save(changed, root / "source" / "hw" / "one.ipynb")
    done = command(root, "probe", "hw", "--most", "50")
    assert done.returncode == 3 and f"{len(keys)} marks are for solutions that have changed" in done.stdout
    assert command(root, "probe", "--same", "nothing").returncode == 2


@pytest.mark.weekly
def test_a_sample_is_the_same_under_a_seed(tmp_path: Path) -> None:
    first, again, other = (found(tmp_path, [*HOLES], most=9, seed=seed) for seed in (1, 1, 2))
    assert first.tried == 9 and [one.key for one in first.survivors] == [one.key for one in again.survivors]
    assert [one.key for one in first.survivors] != [one.key for one in other.survivors]


def test_submitted_answers_are_tried_against_the_present_tests(tmp_path: Path) -> None:
    """One that differs on the tests' calls and passes is told, and one that agrees and is refused; no other."""
    cells = (
        answer("half", "def half(x):\n    return x / 2"),
        check("half_test", "import inspect\nassert half(4) > 1\nassert 'while' not in inspect.getsource(half)"),
    )
    root = write_course(tmp_path, {"one": notebook(*cells)})
    said = {"ana": "    return x * 0.5", "ben": "    return x - 1", "eva": "    return x - 1", "dan": "    return 0",
            "kim": "    while True:\n        return x / 2", "tom": "    return x /"}  # fmt: skip
    for student, body in said.items():
        small.hand_in(root, student, small.say("half", f"def half(x):\n{body}"))
    wanted = Wanted(workers=1, submitted=root / "submitted")
    one = probe(Course(root), "hw", wanted, lambda _: None, lambda _: None)
    assert [(s.words, s.rank) for s in one.survivors] == [
        ("the answer of ben and 1 other", Rank.SEEN), ("the answer of kim", Rank.REFUSED),
    ]  # fmt: skip
    assert one.survivors[0].saw == "`half` returned `3` where the reference returned `2.0`, and every test passed"
    assert one.survivors[1].saw == "every value that the tests got was the reference's, and `half_test` refused it"
    marks.mark(marks.path(Course(root), "hw"), one.survivors)
    plain = probe(Course(root), "hw", Wanted(most=1), lambda _: None, lambda _: None)
    assert plain.remarks == []  # a mark of an answer lasts, whatever the solution is
    assert one.summary.partition(" in ")[0] == "5 of 5 answers tried" and "; 2 to be looked at, in 1" in one.summary
