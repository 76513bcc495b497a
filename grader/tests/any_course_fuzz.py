"""Random courses, graded by stock nbgrader and by us, for a night: `python any_course_fuzz.py [SECONDS] [SEED]`.

Each round writes a course with exercises of `any_course_shapes` and of a small grammar, in one or two notebooks, with
settings and a class drawn by chance, and compares every row of the gradebooks and every file of autograded/. A line
says how much was compared; a round that differs is told with its seed, and its folders stay. Stock's kernels are forks
of one, as in `make test`, so that a night has thousands of notebooks.
"""

import json
import random
import re
import resource
import shutil
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import any_course as make
import any_course_judge as judge
import any_course_shapes as shapes
import kernels

STUDENTS = 12
SETTINGS = [
    "c.OverwriteCells.add_missing_cells = True",
    "c.LateSubmissionPlugin.penalty_method = 'zero'",
    "c.IgnorePattern.enabled = True\nc.IgnorePattern.pattern = 'UserWarning'",
    "c.LimitOutput.max_lines = 3",
    "c.Execute.timeout = 20",
    "c.BaseConverter.permissions = 640",
    "c.ClearSolutions.code_stub = {'python': '...'}",
    "c.CourseDirectory.groupshared = True",
]
VALUES = ["x", "y", "2", "3", "10", "x", "y", "len(str(x))", "abs(y)"]
OPERATORS = ["+", "-", "*", "//", "%"]


def expression(chance: random.Random, depth: int = 0) -> str:
    if depth > 2 or chance.random() < 0.3:
        return chance.choice(VALUES)
    left, right = expression(chance, depth + 1), expression(chance, depth + 1)
    operator = chance.choice(OPERATORS)
    return f"({left} {operator} {f'(abs({right}) + 1)' if operator in ('//', '%') else right})"


def random_exercise(chance: random.Random) -> str:
    """An exercise with a random function, tested in one to four cells of random kinds."""
    body = expression(chance)
    lines = [
        "# %% answer f§",
        "def f§(x, y=1):",
        "    ### BEGIN SOLUTION",
        f"    return {body}",
        "    ### END SOLUTION",
    ]
    for number in range(chance.randint(1, 4)):
        test = random_test(chance, body)
        most = chance.choice([0, 1, 2, 0.5])
        if test[-1].startswith(("int", "float", "r")) and chance.random() < 0.9:
            most = 1  # more than the points there are: nbgrader loses the submission
        lines += [f"# %% test f§_{number} {most}", *test]
        if chance.random() < 0.2:
            lines += ["# %% plain", chance.choice(["print(f§(1))", "f§(2, 3)", "f§", "x, y = 4, 5", "r = f§(1)"])]
    return "\n".join(lines)


def random_test(chance: random.Random, body: str) -> list[str]:
    x, y = chance.randint(-9, 9), chance.randint(-9, 9)
    value = eval(body, {"x": x, "y": y})  # noqa: S307 our own expression
    hidden = ["### BEGIN HIDDEN TESTS", f"assert f§({x}, {y}) == {value}", "### END HIDDEN TESTS"]
    return chance.choice([
        [f"assert f§({x}, {y}) == {value}"],
        [f"assert f§({x}, {y}) == {value}, 'not {value}'", *hidden],
        hidden,
        [f"r = f§({x}, {y})", f"for x in range(3): y = f§(x, {y})", f"assert r == {value}"],
        [f"int(f§({x}, {y}) == {value}) / 2"],
        [f"r = f§({x}, {y}) == {value}", "float(r)"],
        ["try:", f"    assert f§({x}, {y}) == {value}", "except TypeError:", "    print('type')"],
        [f"print(f§({x}, {y}))", f"assert f§({x}, {y}) == {value}"],
        [f"assert all(f§(k, {y}) is not None for k in range(5))", "None"],
        ["import sys", f"print('checked', file=sys.stderr if f§({x}, {y}) != {value} else sys.stdout)"],
        ["%%capture said", f"print(f§({x}, {y}))"],
        [f"assert eval('f§({x}, {y})') == {value}", "assert 'f§' in In[-1]"],
        ["import inspect", "assert 'return' in inspect.getsource(f§)"],
        [f"got = !echo {value}", f"assert int(got[0]) == f§({x}, {y})"],
        ["f§"],
    ])  # fmt: skip


def random_course(root: Path, seed: int) -> list[str]:
    """Write a released course with a class. Returns its assignments."""
    chance = random.Random(seed)  # noqa: S311
    everything = [*shapes.HONEST.values(), *shapes.NEEDS_FILES.values()]
    config = "\n".join(chance.sample(SETTINGS, chance.randrange(4)))
    books = {}
    for title in ["one", "two"][: chance.choice([1, 1, 2])]:
        texts = [random_exercise(chance) for _ in range(chance.randint(1, 4))]
        texts += chance.sample(everything, chance.randint(1, 4))
        texts += [{"one": shapes.WRITES, "two": shapes.READS}[title]]
        chance.shuffle(texts)
        books[title] = make.notebook(texts, has_ids=chance.random() < 0.7, kernelspec=make.PYTHON)
    make.write_course(root, {"ps": books}, shapes.FILES, config)
    make.release(root, {"ps": make.DUE} if chance.random() < 0.6 else None)
    for number in range(STUDENTS):
        late = timedelta(hours=chance.choice([-30, -1, 1, 50]))
        files = chance.choice([None, None, {"helper.py": b"def double(x): return 5", "own/extra.txt": b"mine"}])
        without = ["two"] if chance.random() < 0.1 else []
        change = chance.choice([make.reference, *make.PLAIN.values(), *([make.mixed] * 7)])
        at = make.DUE + late if chance.random() < 0.8 else None
        make.hand_in(
            root, f"s{number}", "ps", change, seed=seed * STUDENTS + number, files=files, at=at, without=without
        )
    return ["ps"]


def differences(root: Path, seed: int) -> tuple[int, list[str]]:
    """How many rows a random course has, and a line for each row and each file that differs."""
    assignments = random_course(root, seed)
    theirs, mine = judge.both(root, assignments)
    notes = (mine / "report" / "notes").glob("*/*.json")
    excused = {path.stem for path in notes if json.loads(path.read_text(encoding="utf-8"))["differences"]}
    told = judge.differences(theirs, mine)
    # What the report itself names as a difference, such as a dead kernel or exit(), is told by tests of its own.
    return len(judge.rows_of(theirs)), [line for line in told if not excused & set(re.split(r"[ /:]", line))]


def main(seconds: float = 8 * 3600, seed: int = 1) -> int:
    with kernels.plain_kernels() as judge.kernels_of_stock:
        return _rounds(time.monotonic() + seconds, seed)


def _rounds(end: float, seed: int) -> int:
    books = compared = found = 0
    folder = Path(tempfile.mkdtemp(prefix="any-course-"))
    while time.monotonic() < end:
        rows, told = differences(folder / str(seed), seed)
        compared += rows
        books += len([*(folder / f"{seed}-stock" / "submitted").rglob("*.ipynb")])
        if told:
            found += 1
            print(f"seed {seed}: {len(told)} differ, folders {folder}/{seed}*", *told[:40], sep="\n  ", flush=True)
        else:
            for path in folder.glob(f"{seed}*"):
                shutil.rmtree(path)
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = spent.ru_utime + spent.ru_stime
        print(f"seed {seed}: {books} notebooks, {compared} rows, {found} courses differ, {cpu_s:.0f} CPU s", flush=True)
        seed += 1
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(*(float(word) if number == 0 else int(word) for number, word in enumerate(sys.argv[1:]))))
