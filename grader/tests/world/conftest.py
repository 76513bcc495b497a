"""Fixtures of the tests with the world around: a browser and a page."""

import shutil
from collections.abc import Iterator

import pytest
import torch
from playwright.sync_api import Browser, Page, sync_playwright

torch.set_num_threads(1)  # a pool of threads would not survive the forks of `batch.run`
CHROMIUM_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


@pytest.fixture(scope="module")  # its event loop runs as long as it is open, and tests of kernels need another
def browser() -> Iterator[Browser]:
    """A Chromium for the tests of a module; each test has a context of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page, none of whose scripts may raise an error."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    assert problems == []
    context.close()
