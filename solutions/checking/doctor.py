"""What a check says where it knows no cause: what `examine` finds first in the layer."""

from __future__ import annotations

import textwrap

from torch import nn

from checking.examine import strongest_finding


def no_known_cause(otherwise, *layers, **facts):
    """For agrees: a function that returns otherwise, and under it what `examine` finds first in these layers.

    It looks in the notebook alone. The grader's check sees the layers from another process, where their
    operations cannot be followed, and says no more than otherwise.
    """

    def told():
        own = [it for it in layers if isinstance(it, nn.Module) and type(it).forward.__module__ == "__main__"]
        found = next(filter(None, (strongest_finding(it, **facts) for it in own)), "")
        return f"{otherwise}\n{textwrap.fill(f'`examine` of unit 12 finds: {found}', 95)}" if found else otherwise

    return told


def first_blocks(model):
    """The first block of each stack of a model."""
    return [module for name, module in model.named_modules() if name.endswith("layers.0")]
