"""Fixtures of the tests of the course: warm kernels, and a zygote for students."""

from collections.abc import Iterator
from pathlib import Path

import kernels
import pytest
import torch
from kept_zygote import one_zygote

from nbproctor.run import session
from nbproctor.runner.zygote import Control, zygote_started

torch.set_num_threads(1)  # a pool of threads would not survive the forks of `batch.run`


@pytest.fixture(scope="session", autouse=True)
def batches_share_a_zygote() -> Iterator[None]:
    with one_zygote():
        yield


@pytest.fixture(scope="session")
def warm_kernels() -> Iterator[Path]:
    """The path at which Jupyter finds a kernel that has already imported torch and matplotlib, and prints no figure."""
    with kernels.warm_kernels(printed=False) as path:
        yield path


@pytest.fixture(scope="session")
def control() -> Iterator[Control]:
    with zygote_started(1, True) as zygote:
        session.get_ready([])
        zygote.wait_until_ready()
        yield zygote.controls[0]
