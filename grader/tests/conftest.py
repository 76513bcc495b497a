"""The tests' helpers lie beside this file, where pytest finds them; each tier has fixtures of its own."""

import pytest
from weekly import WEEKLY


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked `weekly`, unless this is the weekly run. pytest says how many were left out."""
    left_out = [] if WEEKLY else [item for item in items if item.get_closest_marker("weekly")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
