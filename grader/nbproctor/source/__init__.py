"""From the bytes of a notebook to a plan: which cells run, in which order, and where checks are reached.

match: `planned()` makes a `Plan` in a bounded process; `read_together()` reads several in one.
"""
