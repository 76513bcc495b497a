"""A course in R gets the gradebook that `nbgrader autograde` gives it, and its students' R cannot leave the sandbox.

Debian's IRkernel runs in both. Hostile students hand in to our copy of the course alone: stock would let them.
"""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import any_course as make
import any_course_judge as judge
import pytest
from jupyter_client.kernelspec import KernelSpecManager

pytestmark = pytest.mark.weekly

R = {"name": "ir", "display_name": "R", "language": "R"}
PYTHON = """
# %% answer number§
### BEGIN SOLUTION
number = 3
### END SOLUTION
# %% test number§_t 1
assert number == 3 and open("kept.txt").read() == "kept\\n"
"""
EXERCISES = """
# %% locked setup§
x <- c(3, 1, 2)
# %% answer mean§
mean_of <- function(v) {
  ### BEGIN SOLUTION
  sum(v) / length(v)
  ### END SOLUTION
}
# %% test mean§_t 2
stopifnot(mean_of(c(1, 2, 3)) == 2)
### BEGIN HIDDEN TESTS
stopifnot(mean_of(c(4)) == 4)
### END HIDDEN TESTS
# %% test part§_t 4
if (mean_of(x) == 2) 2.5 else 0
# %% test shown§_t 1
print(mean_of(x)); cat("done\\n"); invisible(3)
# %% test warned§_t 1
message("a word on stderr")
# %% answer frame§
### BEGIN SOLUTION
d <- data.frame(a = 1:3, b = c("x", "y", "z"))
### END SOLUTION
# %% test frame§_t 2
stopifnot(nrow(d) == 3, order(c("b", "A", "a")) == order(c("b", "A", "a")))
d
# %% answer file§
### BEGIN SOLUTION
writeLines("kept", "kept.txt")
### END SOLUTION
# %% test file§_t 1
stopifnot(readLines("kept.txt") == "kept")
# %% manual why§ 3
### BEGIN SOLUTION
Because.
### END SOLUTION
"""
# Partial credit is no matter of R: IRkernel displays a value and returns none, and nbgrader gives all points for it.
FULL = {"mean0_t": 2, "part0_t": 4, "shown0_t": 1, "warned0_t": 0, "frame0_t": 2, "file0_t": 1}
NO_MEAN = FULL | {"mean0_t": 0, "part0_t": 0, "shown0_t": 0}
HONEST = {
    "right": make.reference,
    "empty": make.empty,
    "wrong": make.with_answer("mean0", "mean_of <- function(v) 3"),
    "error": make.with_answer("mean0", "stop('no idea')"),
    "loop": make.with_answer("mean0", "while (TRUE) {}"),
}
FOLDERS = 'c("{ROOT}", "{ROOT}/submitted/right/ps", "../..", "/", "/usr", "/etc", "/root", "/home", "/etc/R")'
HOSTILE = {
    "reads": 'for (folder in {FOLDERS}) {\n  found <- list.files(folder, "gradebook|nbgrader_config|secret of right")\n'
    '  cat(length(found), "FOUND in", folder, "\\n")\n}\n'
    "cat(length(system(\"cat {ROOT}/gradebook.db '{ROOT}/submitted/right/ps/secret of right.txt' /etc/passwd "
    '/proc/1/environ /proc/1/fd/3", intern = TRUE)), "LINES READ\\n")',
    "writes": 'for (folder in {FOLDERS}) {\n  try(writeLines("x", file.path(folder, "planted.txt")), silent = TRUE)\n'
    '  system(paste0("echo x > ", folder, "/planted2.txt"))\n}',
    "calls": 'try(socketConnection("127.0.0.1", {PORT}, timeout = 3), silent = TRUE)\n'
    'try(download.file("http://127.0.0.1:{PORT}/", "got.html"), silent = TRUE)\n'
    "system(\"bash -c 'echo hello > /dev/tcp/127.0.0.1/{PORT}'\")",
    "stays": 'system("setsid nohup sleep 98765.5 >/dev/null 2>&1 &")',
    "kills": 'system("kill -9 1"); system("kill -9 -1")',
    "mounts": 'did <- system("unshare -Ur echo DID; mount -t tmpfs none /tmp && echo DID; '
    '/sbin/chroot / echo DID; true", intern = TRUE)\ncat(length(did), "DONE")',
    "fills": "y <- numeric(1e12)",
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A class in R, graded by stock and by us, with hostile students in our copy. Nobody calls the port of the test."""
    assert "ir" in KernelSpecManager().find_kernel_specs(), "run `bash grader/setup.sh --test`"
    root = tmp_path_factory.mktemp("r") / "course"
    books = {"one": make.notebook([EXERCISES], kernelspec=R), "two": make.notebook([PYTHON])}
    make.release(make.write_course(root, {"ps": books}, None, "c.Execute.timeout = 5\n"))
    for student, change in HONEST.items():
        make.hand_in(root, student, "ps", one_alone(change), files={f"secret of {student}.txt": b"mine"})
    theirs, mine = judge.copies(root)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        for student, text in HOSTILE.items():
            text = text.replace("{FOLDERS}", FOLDERS).replace("{PORT}", str(server.getsockname()[1]))
            make.hand_in(mine, student, "ps", one_alone(make.with_cell(text.replace("{ROOT}", str(mine)))))
        dead = "tools::pskill(Sys.getpid(), 9)"
        for copy in (theirs, mine):
            make.hand_in(copy, "zz dead", "ps", one_alone(make.with_answer("mean0", dead)))
        judge.grade_both(theirs, mine, ["ps"])
        with pytest.raises(BlockingIOError):
            server.accept()
    yield theirs, mine


def one_alone(change: make.Change) -> make.Change:
    """A change to the notebook in R; the one in Python is answered rightly."""

    def both(released: Any, source: Any, chance: Any) -> None:
        is_r = released.metadata.kernelspec["name"] == "ir"
        (change if is_r else make.reference)(released, source, chance)

    return both


def points(root: Path, student: str) -> dict[str, float | None]:
    rows = judge.rows_of(root, student)
    return {key[-1]: facts["auto"] for key, facts in rows.items() if key[0] == "grade" and key[-1] in FULL}


def said(root: Path) -> str:
    return (root / "said.txt").read_text(encoding="utf-8")


def printed(root: Path, student: str) -> str:
    book = make.read(root / "autograded" / student / "ps" / "one.ipynb")
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    return "\n".join(output.get("text", "") + output.get("evalue", "") for output in outputs)


def test_a_course_in_r_has_the_gradebook_of_stock(graded: tuple[Path, Path]) -> None:
    """The assignment has a notebook in Python, too, which reads what the one in R wrote."""
    theirs, mine = graded
    ours = {key: row for key, row in judge.rows_of(mine).items() if set(key) & {*HONEST}}
    stock = {key: row for key, row in judge.rows_of(theirs).items() if set(key) & {*HONEST}}
    assert judge.differing_rows(stock, ours) == [], said(mine)
    files = [{k: v for k, v in judge.files_of(one).items() if k.split("/")[1] in HONEST} for one in graded]
    assert judge.differing_files(*files) == [] and len(files[0]) > 20, said(mine)
    assert len(stock) > 100
    assert points(mine, "right") == FULL and points(mine, "loop") == NO_MEAN == points(mine, "error")
    assert points(mine, "wrong") == FULL | {"mean0_t": 0}
    assert judge.rows_of(mine)["grade", "ps", "right", "two", "number0_t"]["auto"] == 1


def test_difference_a_dead_kernel_costs_its_cell_and_not_the_submission(graded: tuple[Path, Path]) -> None:
    theirs, mine = graded
    assert not (theirs / "autograded" / "zz dead" / "ps").exists()
    assert points(mine, "zz dead") == NO_MEAN
    notes = json.loads((mine / "report" / "notes" / "ps" / "zz dead.json").read_text(encoding="utf-8"))
    assert notes["differences"][0].startswith("one, cell mean0: it ended its process;")


@pytest.mark.parametrize("student", HOSTILE)
def test_hostile_r_costs_its_author_nothing_but_the_cell(graded: tuple[Path, Path], student: str) -> None:
    assert points(graded[1], student) == FULL, said(graded[1])


def test_hostile_r_reads_writes_mounts_and_leaves_nothing(graded: tuple[Path, Path]) -> None:
    text = printed(graded[1], "reads")
    assert re.findall(r"(\d+) FOUND", text) == ["0"] * 9 and "0 LINES READ" in text, text
    places = [graded[1], graded[1] / "submitted" / "right" / "ps", *map(Path, ("/", "/usr", "/etc", "/root", "/etc/R"))]
    assert [path for place in places for path in place.glob("planted*.txt")] == []
    assert "0 DONE" in printed(graded[1], "mounts")
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(b"98765.5" in line for line in running)
