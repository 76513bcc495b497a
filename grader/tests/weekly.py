"""Whether the tests run as they do weekly: on every instance, where for a change there is one of each kind."""

from __future__ import annotations

import os

WEEKLY = os.environ.get("NBPROCTOR_WEEKLY") == "1"
DRAWS = 8 if WEEKLY else 1  # of random numbers, for each answer of the bank, besides the grader's own draw
