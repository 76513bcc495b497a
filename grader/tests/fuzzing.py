"""How the fuzz tests search: the same short search each time in `make test`, a long and new one when asked for.

NBPROCTOR_FUZZ=200 makes each test two hundred times as long, with other examples each time it runs. A failure that it
finds is fixed, and its input stays with the test as an `@example`.
"""

import copy
import os
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

TIMES = int(os.environ.get("NBPROCTOR_FUZZ", "1"))


def examples(number: int) -> settings:
    """Settings for a search of this many examples in `make test`; the search keeps nothing on disk."""
    return settings(
        max_examples=number * TIMES,
        derandomize=TIMES == 1,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )


NUMBERS = st.integers() | st.integers(-2, 5) | st.floats() | st.sampled_from([10**400, 1 << 40, -(2**63), 1e308, True])
SCALARS = st.none() | st.booleans() | NUMBERS | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=3,
)  # fmt: skip


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The keys and indices that lead to each value inside a JSON value, the value itself left out."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, one in inner for found in [(*way, key), *places(one, (*way, key))]]


@st.composite
def mutated(draw: st.DrawFn, value: Any, others: st.SearchStrategy[Any] = VALUES) -> Any:
    """The JSON value with one to three places replaced or removed."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        depth = draw(st.integers(1, 8))  # without it, half of all changes would be deep ones, as half of all places are
        ways = [way for way in places(value) if len(way) <= depth]
        if not ways:
            return value
        way = draw(st.sampled_from(ways))
        holder = value
        for key in way[:-1]:
            holder = holder[key]
        if draw(st.integers(0, 3)) == 0:
            del holder[way[-1]]
        else:
            holder[way[-1]] = copy.deepcopy(draw(others))  # a strategy may draw the same object twice
    return value


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes cut off, or with some changed."""
    bad = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(bad)))
        if draw(st.booleans()):
            del bad[start:]
        else:
            bad[start : start + draw(st.integers(0, 8))] = draw(st.binary(max_size=8))
    return bytes(bad)
