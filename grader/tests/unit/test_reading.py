"""Notebooks are read in any encoding, and files that are no notebooks are named in one line each."""

import json
import os
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from nbproctor.border.bounded import READING_S
from nbproctor.source import reading
from nbproctor.source.reading import read_each
from nbproctor.values.notebook import CELLS_MOST, CODE_MOST_BYTES, LEFT_OUT, Ungradable, parsed
from nbproctor.values.submission import FILES_MOST, FILES_MOST_BYTES, PATHS_MOST, HandedIn, Submission, handed_in


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b" \n", "the file is empty"),
        (b"{\"cells\": [", "the file is not a notebook: it breaks off, as an upload does that was cut short"),
        (b"<!DOCTYPE html>", "the file is not a notebook: a web page"),
        (b"PK\x03\x04", "the file is not a notebook: a zip archive"),
        (
            b'{"cells": [\n<<<<<<< HEAD\n{}\n=======\n[]\n>>>>>>> theirs\n]}',
            "the file is not a notebook: it holds the marks of a git conflict (<<<<<<<), which have to be resolved",
        ),
        (b"\x1f\x8b\x08", "the file is not a notebook: a gzip archive"),
        (b"version https://git-lfs.github.com/spec/v1\n", "the file is not a notebook: a pointer of Git LFS, without "
         "the file that it stands for"),
        (b"# %%\nimport torch", "the file is not a notebook: a program's text, as an export makes one"),
        (b"{'cells': []}", "the file is not a notebook: not JSON (Expecting property name enclosed in double quotes: "
         "line 1 column 2 (char 1))"),
        (b'{"worksheets": []}', "the file is JSON but not a notebook: it has no list of cells"),
        (b'{"cells": [5]}', "the file is JSON but not a notebook: it has no list of cells"),
        (json.dumps({"cells": [{}] * (CELLS_MOST + 1)}).encode(), "the file has 2001 cells, more than 2000"),
    ],
    ids=lambda part: part[:20].decode(errors="replace") if isinstance(part, bytes) else "",
)  # fmt: skip
def test_what_is_no_notebook_is_named(content: bytes, reason: str) -> None:
    with pytest.raises(Ungradable) as raised:
        parsed(content)
    assert str(raised.value) == reason


def test_the_largest_cells_are_left_out_where_there_is_too_much_code() -> None:
    for large in (["#" * (CODE_MOST_BYTES + 1)], ["#" * (3 << 20), "#" * (4 << 20), "#" * (2 << 20)]):
        sources = [large[0], "x = 1", *large[1:], "y = 2"]
        cells = [{"cell_type": "code", "source": source, "metadata": {}} for source in sources]
        text = {"cell_type": "markdown", "source": "t" * (9 << 20), "metadata": {}}
        found = parsed(json.dumps({"cells": [*cells, text]}).encode())
        kept = ["" if source == max(large, key=len) else source for source in sources]
        assert [cell["source"] for cell in found["cells"]] == [*kept, text["source"]]
        assert found[LEFT_OUT] == [max(map(len, large))]
    assert parsed(json.dumps({"cells": [], LEFT_OUT: [7]}).encode())[LEFT_OUT] == []


def test_a_cell_that_takes_long_to_read_costs_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reading.CELL_S < reading.CELLS_S < READING_S
    monkeypatch.setattr(reading, "CELL_S", 0.2)
    monkeypatch.setattr(reading, "CELLS_S", 0.6)
    slow = "x?\n" * 20_000  # IPython reads all of them anew for each one
    assert [one.binds for one in read_each([slow, "x = 1"])] == [(), ("x",)]
    began = time.process_time()
    found = read_each(f"x{n}{slow}" for n in range(8))
    assert time.process_time() - began < 1.5
    assert [one.binds for one in found] == [()] * 8


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "real.ipynb").write_text('{"cells": []}')
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "real.ipynb")
    for name, reason in (
        ("none", "is missing"),
        ("folder", "is not an ordinary file"),
        ("link", "is a link; links are not followed"),
    ):
        with pytest.raises(Ungradable) as raised:
            handed_in(Submission("ana", "small", tmp_path / f"{name}.ipynb"))
        assert str(raised.value) == f"{name}.ipynb {reason}"


def test_a_huge_file_is_named_and_not_read(tmp_path: Path) -> None:
    """A file of 200 MB is named with its size, and none of it is read into memory."""
    path = tmp_path / "huge.ipynb"
    with path.open("wb") as file:
        file.truncate(200 << 20)
    tracemalloc.start()
    with pytest.raises(Ungradable) as raised:
        handed_in(Submission("ana", "small", path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert str(raised.value) == "huge.ipynb has 200 MB, more than the 128 MB allowed"
    assert peak < 1 << 20


def test_deep_json_is_no_notebook() -> None:
    """A file of nothing but brackets is told as no JSON, and does not end the reader."""
    with pytest.raises(Ungradable, match=r"^the file is not a notebook: not JSON \(maximum recursion depth exceeded"):
        parsed(b"[" * 200_000)


def test_half_a_character_in_a_source_is_replaced() -> None:
    raw = json.dumps({"cells": [{"cell_type": "code", "source": "x = 'a\udc80🙂'", "metadata": {}}]}).encode()
    assert parsed(raw)["cells"][0]["source"] == "x = 'a?🙂'"
    assert parsed(raw.replace(b"udc80", b"uDC80"))["cells"][0]["source"] == "x = 'a?🙂'"
    raw = b'{"cells": [{"source": "# \xed\xa0\x80 M\xfcller"}]}'
    assert parsed(raw)["cells"][0]["source"] == "# \ufffd\ufffd\ufffd M\ufffdller"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_encodings_of_json_are_read(encoding: str) -> None:
    assert parsed('{"cells": [{"source": "ü"}]}'.encode(encoding))["cells"][0]["source"] == "ü"


@pytest.mark.parametrize(
    "odd", [None, 5, "x", ["a"], {"nbgrader": [1], "tags": "x"}, {"tags": [None, 1], "nbgrader": 0}]
)
def test_metadata_of_odd_kinds_is_no_obstacle(odd: object) -> None:
    """Malformed metadata count as empty, so that the cell is graded all the same."""
    (cell,) = parsed(json.dumps({"cells": [{"cell_type": "code", "source": "x", "metadata": odd}]}).encode())["cells"]
    assert (cell["source"], cell["metadata"]["nbgrader"], cell["metadata"]["tags"]) == ("x", {}, [])


def test_format_3_is_brought_up_to_date() -> None:
    sheets = [{"cells": [{"cell_type": "code", "input": ["x = 1\n", "y = 2"], "language": "python"}]}]
    (cell,) = parsed(json.dumps({"worksheets": sheets, "nbformat": 3}).encode())["cells"]
    assert (cell["cell_type"], cell["source"]) == ("code", "x = 1\ny = 2")


def beside(folder: Path, **more: bytes) -> HandedIn:
    """Put a notebook and these files into the folder. Returns what is handed in of them."""
    for name, content in {"work.ipynb": b"{}", **more}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return handed_in(Submission("ana", "small", folder / "work.ipynb", has_files=True))


def test_files_beside_the_notebook_are_handed_in_with_it(tmp_path: Path) -> None:
    names = ("a.py", "parts/b.py", "other.ipynb", ".hidden", ".git/x", "__pycache__/a.pyc", "timestamp.txt")
    found = beside(tmp_path / "in", **{name: name.encode() for name in names})
    assert [(file.name, file.content) for file in found.files] == [("a.py", b"a.py"), ("parts/b.py", b"parts/b.py")]
    assert (found.notebook, found.left_out) == (b"{}", ())
    assert handed_in(Submission("ana", "small", tmp_path / "in" / "work.ipynb")) == HandedIn(b"{}")


def test_files_that_are_none_or_too_much_are_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the host")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "link.py").symlink_to(tmp_path / "secret")
    (tmp_path / "odd" / "folder").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "odd" / "pipe")
    found = beside(tmp_path / "odd", **{"z.bin": bytes(FILES_MOST_BYTES + (1 << 20)), os.fsdecode(b"M\x81"): b""})
    assert found.files == ()
    assert sorted(found.left_out) == [
        "M\ufffd: its name cannot be read",
        "folder: it is a link; links are not followed",
        "link.py: it is a link; links are not followed",
        "pipe: it is not an ordinary file",
        "z.bin: it has 17 MB, more than the 16 MB allowed",
    ]
    old = beside(tmp_path / "old", **{os.fsdecode(b"M\xfc"): b"1", "Mü": b"2"})  # one name in Latin-1, and in UTF-8
    assert [(file.name, file.content) for file in old.files] == [("Mü", b"2")]
    assert old.left_out == ("Mü: another file has the same name, written in other bytes",)
    many = beside(tmp_path / "many", **{f"{n:04}.txt": b"x" for n in range(FILES_MOST + 5)})
    assert len(many.files) == FILES_MOST
    assert many.left_out == ("0050.txt and what comes after it: there are more than 50 files beside the notebook",)
    (tmp_path / "links").mkdir()
    for n in range(PATHS_MOST + 5):
        (tmp_path / "links" / f"{n:04}").symlink_to("nowhere")
    assert len(beside(tmp_path / "links").left_out) == PATHS_MOST + 1


@pytest.mark.parametrize(
    "odd", [{"cell_type": "markdown", "source": None}, {"cell_type": "code", "source": 5}, 7, None]
)
def test_a_damaged_cell_costs_itself(odd: Any) -> None:
    sound = {"cell_type": "code", "source": "x = 1", "metadata": {}}
    found = parsed(json.dumps({"cells": [sound, odd, sound], "nbformat": 4}).encode())
    assert [cell["source"] for cell in found["cells"]] == ["x = 1", "x = 1"]
    with pytest.raises(Ungradable, match="it has no list of cells"):
        parsed(json.dumps({"cells": [odd], "nbformat": 4}).encode())
