"""JupyterLab and formgrader in a real browser: what a student and an instructor see."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from nbproctor.cli import sample
from nbproctor.course.units import load_unit, source_of, unit_names
from nbproctor.paths import ROOT

UNIT = "03_self_attention"
SHORT_UNIT = "05_cross_attention"
EXERCISE = "scaled_dot_product_attention"
PATIENCE_S = 180
PRESSES = 4  # of Shift+Enter: on a busy machine a page that has just been opened may miss one
expect.set_options(timeout=PATIENCE_S * 1000)
# Without these, cells outside the window would not be in the page, and announcements would ask the net.
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"checkForUpdates": False, "fetchNews": "false", "doNotDisturbMode": True},
}
PICTURES = os.environ.get("PICTURES")  # a folder for new pictures for README.md: `PICTURES=../.github`
pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is missing: grader/setup.sh --test")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_S * 1000)
    yield page
    context.close()


@contextmanager
def server(folder: Path, home: Path, *options: str) -> Iterator[str]:
    """Run `jupyter lab` in `folder`, with settings of its own; yields its address. The token is x."""
    for name, values in SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    scripts = Path(sys.executable).parent
    environment = {
        **os.environ,
        "HOME": str(home),
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", str(Path.home() / ".cache" / "matplotlib")),
        "OMP_NUM_THREADS": "1",
    }
    log = home / "lab.log"
    with log.open("w") as stream:
        process = subprocess.Popen(  # noqa: S603 our own
            [scripts / "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0",
             "--IdentityProvider.token=x", *options],
            cwd=folder, env=environment, stdout=stream, stderr=stream,
        )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                with urllib.request.urlopen(f"{address}/api/status?token=x", timeout=10):  # noqa: S310 our own
                    break
            except (urllib.error.URLError, OSError) as error:
                assert process.poll() is None and time.monotonic() < end, f"{error}\n{log.read_text()[-3000:]}"
                time.sleep(0.5)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=60)


def picture(part: Page | Locator, name: str) -> None:
    """Where PICTURES names a folder: save the window, or a part of the page, there as a small PNG for the README."""
    if PICTURES:
        path = Path(PICTURES) / f"{name}.png"
        part.screenshot(path=path)
        Image.open(path).convert("RGB").quantize(96, dither=Image.Dither.NONE).save(path, optimize=True)


class Lab:
    """A notebook that is open in a page."""

    def __init__(self, page: Page, address: str, unit: str) -> None:
        self.page = page
        self.cells = json.loads((ROOT / "course" / unit / f"{unit}.ipynb").read_text(encoding="utf-8"))["cells"]
        page.goto(f"{address}/lab/tree/{unit}/{unit}.ipynb?token=x")
        expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(len(self.cells))
        expect(page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")).to_be_visible()

    def cell(self, cell_id: str) -> Locator:
        """A cell of the page by its id in the file."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth([c["id"] for c in self.cells].index(cell_id))

    def run(self, cell_id: str) -> Locator:
        """Select and unfold a cell, press Shift+Enter, and wait until it has run; returns its output."""
        cell = self.cell(cell_id)
        prompt = cell.locator(".jp-InputPrompt:not(.jp-Placeholder-prompt)")
        if cell.locator(".jp-Placeholder").count():
            cell.locator(".jp-Placeholder-content").click()  # a folded cell has no number to wait for
        before = prompt.text_content() or ""
        for _ in range(PRESSES):
            prompt.click(position={"x": 5, "y": 5})
            self.page.keyboard.press("Escape")
            self.page.keyboard.press("Shift+Enter")
            with suppress(AssertionError):
                expect(prompt).not_to_have_text(before, timeout=15_000)  # at once it is [*]
                break
        expect(prompt).to_have_text(re.compile(r"\[\d+\]:"))
        expect(prompt).not_to_have_text(before)
        return cell.locator(".jp-OutputArea-output")

    def answer(self, cell_id: str, source: str) -> None:
        """Replace what stands in a cell by typing, as a student does."""
        self.cell(cell_id).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(source)


def test_a_student_answers_an_exercise_in_jupyterlab(page: Page, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    shutil.copytree(ROOT / "course" / UNIT, tmp_path / "course" / UNIT)
    unit = load_unit(UNIT)
    exercise = next(e for e in unit.exercises if e.name == EXERCISE)
    answer_id, check_id = EXERCISE.replace("_", "-"), f"check_{EXERCISE}".replace("_", "-")
    with server(tmp_path / "course", tmp_path / "home") as address:
        lab = Lab(page, address, UNIT)
        code = [cell for cell in lab.cells if cell["cell_type"] == "code"]
        shown = next(i for i, cell in enumerate(code) if source_of(cell).count("\nattention_view("))
        for cell in code[: shown + 1]:  # the exercise above it is not written yet, which the view does not need
            output = lab.run(cell["id"])
        table = output.locator(".attention.live table").first
        table.locator("tbody th").nth(1).hover()
        expect(table.locator("th.lit").first).to_have_text("is")
        page.keyboard.press("Escape")
        table.locator("tbody th").nth(1).focus()
        page.keyboard.press("ArrowDown")
        expect(table.locator("th.lit").first).to_have_text("short")
        picture(output.locator(".attention.live").first, "view")

        lab.run(answer_id)
        expect(lab.run(check_id)).to_contain_text("NotImplementedError")
        lab.answer(answer_id, exercise.solution)
        expect(lab.run(answer_id)).to_have_count(0)
        expect(lab.run(check_id)).to_contain_text(f"{EXERCISE} passes: ")
        lab.cell(answer_id).scroll_into_view_if_needed()

        lab.answer(answer_id, OVERFLOWING)
        lab.run(answer_id)
        output = lab.run(check_id)
        expect(output.last).to_contain_text("AssertionError: Scores of ±10,000")
        expect(output.last).to_contain_text("float32 cannot hold exp(89).")
        expect(output.last).not_to_contain_text("Traceback")
        expect(output.locator("img")).to_be_visible()
        output.last.scroll_into_view_if_needed()
        picture(lab.cell(check_id).locator(".jp-OutputArea"), "check")


@pytest.mark.weekly
def test_saving_changes_nothing_and_run_all_goes_through_an_unanswered_notebook(page: Page, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    unit = load_unit(SHORT_UNIT)
    shutil.copytree(ROOT / "course" / SHORT_UNIT, tmp_path / "course" / SHORT_UNIT)
    path = tmp_path / "course" / SHORT_UNIT / f"{SHORT_UNIT}.ipynb"
    released, written = path.read_bytes(), path.stat().st_mtime_ns
    with server(tmp_path / "course", tmp_path / "home") as address:
        lab = Lab(page, address, SHORT_UNIT)
        saved_after(page, path, written)
        assert path.read_bytes() == released
        written = path.stat().st_mtime_ns
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        stand = lab.cell("where-you-stand").locator(".jp-OutputArea-output")
        expect(stand).to_contain_text(f"0 of {len(unit.exercises)} checks pass.")
        expect(stand).to_contain_text(f"Still open: {unit.exercises[0].name}")
        saved_after(page, path, written)
    ran = json.loads(path.read_text(encoding="utf-8"))
    stopped = [o for cell in ran["cells"] for o in cell.get("outputs", []) if o["output_type"] == "error"]
    assert len(stopped) >= len(unit.exercises)
    assert without_runs(ran) == without_runs(json.loads(released))


def saved_after(page: Page, path: Path, written: int) -> None:
    """Save with the keyboard, and wait until the file has been written again, and as a whole."""
    page.locator(".jp-Notebook").focus()
    page.keyboard.press("Control+s")
    end = time.monotonic() + PATIENCE_S
    while path.stat().st_mtime_ns == written or not path.read_bytes().endswith(b"}\n"):
        assert time.monotonic() < end, "not saved"
        page.wait_for_timeout(200)


def without_runs(notebook: dict[str, Any]) -> dict[str, Any]:
    """A notebook without what running changes: outputs, counts, and the version of Python in its metadata."""
    notebook["metadata"]["language_info"].pop("version", None)
    for cell in notebook["cells"]:
        cell.pop("outputs", None), cell.pop("execution_count", None)
        cell["metadata"].pop("execution", None)
    return notebook


OVERFLOWING = """def scaled_dot_product_attention(query, key, value):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"widths {query.shape[-1]} and {key.shape[-1]}")
    powers = (query @ key.mT / query.shape[-1] ** 0.5).exp()
    return powers / powers.sum(-1, keepdim=True) @ value
"""


if PICTURES:

    def test_picture_of_the_sample_class(page: Page, tmp_path: Path) -> None:
        """Make the picture of the report that `make grade` shows on a machine without a class."""
        sample.write_sample({name: load_unit(name) for name in unit_names()}, tmp_path / "submitted")
        command = [str(Path(sys.executable).with_name("nbproctor")), "grade", "--classroom", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)  # noqa: S603 our own
        assert done.returncode in (0, 3), done.stderr  # 3: somebody needs a look
        page.goto((tmp_path / "report" / "index.html").as_uri())
        picture(page, "class")
