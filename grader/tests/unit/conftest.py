"""Fixtures of the quick tests: the unit to grade."""

import pytest

from nbproctor.course.units import Unit, load_unit


@pytest.fixture(scope="session")
def attention() -> Unit:
    return load_unit("03_self_attention")
