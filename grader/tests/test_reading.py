"""Files that are notebooks, in any encoding, and files that are none, each named in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nbproctor.match import CELLS_MOST, NOTEBOOK_MOST_BYTES, Ungradable, read_notebook


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b" \n", "it.ipynb is empty"),
        (b"{\"cells\": [", "it.ipynb is no notebook: not JSON (Expecting value: line 1 column 12 (char 11))"),
        (b"<!DOCTYPE html>", "it.ipynb is no notebook: a web page (Expecting value: line 1 column 1 (char 0))"),
        (b"%PDF-1.7", "it.ipynb is no notebook: a PDF (Expecting value: line 1 column 1 (char 0))"),
        (b"[]", "it.ipynb is JSON but no notebook of format 4: it has no list of cells"),
        (b'{"worksheets": []}', "it.ipynb is JSON but no notebook of format 4: it has no list of cells"),
        (b'{"cells": [5]}', "it.ipynb is JSON but no notebook of format 4: it has no list of cells"),
        (b'{"cells": [{"source": 5}]}', "it.ipynb is JSON but no notebook of format 4: it has no list of cells"),
        (json.dumps({"cells": [{}] * (CELLS_MOST + 1)}).encode(), "it.ipynb has 2001 cells, more than 2000"),
        (b" " * (NOTEBOOK_MOST_BYTES + (1 << 20)), "it.ipynb has 33 MB, more than 32"),
    ],
    ids=lambda part: part[:20].decode() if isinstance(part, bytes) else "",
)  # fmt: skip
def test_what_is_no_notebook_is_named(tmp_path: Path, content: bytes, reason: str) -> None:
    """One line says what came instead."""
    path = tmp_path / "it.ipynb"
    path.write_bytes(content)
    with pytest.raises(Ungradable) as raised:
        read_notebook(path)
    assert str(raised.value) == reason


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    """Missing, a folder, and a link that leads elsewhere."""
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "real.ipynb").write_text('{"cells": []}')
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "real.ipynb")
    for name, reason in (("none", "is missing"), ("folder", "is not a file"), ("link", "is not a file")):
        with pytest.raises(Ungradable) as raised:
            read_notebook(tmp_path / f"{name}.ipynb")
        assert str(raised.value) == f"{name}.ipynb {reason}"


def test_deep_json_is_no_notebook(tmp_path: Path) -> None:
    """A file of brackets is refused as what it is."""
    path = tmp_path / "deep.ipynb"
    path.write_text("[" * 200_000)
    with pytest.raises(Ungradable, match=r"^deep\.ipynb is no notebook: not JSON \(maximum recursion depth exceeded"):
        read_notebook(path)


def test_half_a_character_in_a_source_is_replaced(tmp_path: Path) -> None:
    """A lone surrogate, which no file of ours could hold, is a question mark; the rest stays."""
    path = tmp_path / "it.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": "x = 'a\udc80🙂'", "metadata": {}}]}))
    assert read_notebook(path)["cells"][0]["source"] == "x = 'a?🙂'"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_encodings_of_json_are_read(tmp_path: Path, encoding: str) -> None:
    """With a byte order mark, and in two or four bytes a character."""
    path = tmp_path / "it.ipynb"
    path.write_text('{"cells": [{"source": "ü"}]}', encoding=encoding)
    assert read_notebook(path)["cells"][0]["source"] == "ü"
