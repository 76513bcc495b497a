"""A doctor for attention layers: `examine(layer)` asks any PyTorch layer some questions, each answered by a number.

    from checking.examine import examine
    report = examine(layer)        # str(report) is the text; a notebook shows it in colour
    report.findings                # what is wrong, causes first

The layer is a module or function from (batch, seq, d) to the same, or to a tuple that begins with it; `layer(x,
context)` and functions of query, key and value work, too. What you know can be said: `n_heads=`, `causal=`,
`mask_true="attend"` or `"hidden"`, `context=` (an example), `batch_first=`, and `call=lambda layer, x, **masks: …` for
a signature of its own. The layer comes back as it was.
"""

from __future__ import annotations

from checking.examine import inside, outside
from checking.examine.attention import Attention, sites_of
from checking.examine.patient import Patient, Unclear, title_of
from checking.examine.report import INSIDE, OUTSIDE, Report, Result, answered

__all__ = ["Report", "Result", "Unclear", "examine", "inside", "outside", "strongest_finding"]


def examine(layer, x=None, **facts):
    """Examine an attention layer; the report says what was found, with numbers."""
    report = Report(title_of(layer))
    try:
        patient = Patient(layer, x, **facts)
        with patient as p:
            p.plan_call()
            report.results += look_at(p)
    except TypeError:
        raise
    except Exception as error:  # noqa: BLE001 the layer is anybody's
        told = str(error) if isinstance(error, (ValueError, Unclear)) else f"{type(error).__name__}: {str(error)[:160]}"
        report.results.append(
            Result(
                "call",
                "Can it be called?",
                "unclear",
                f"{told}. Say how with x=, an example, or call=lambda layer, x: …",
            )
        )
    report.settle()
    return report


def look_at(p):
    """The results of all examinations, outside first."""
    results = []
    try:
        p.sites = sites_of(p.follow(p.words()))
        p.levels = max(1, len({s.level for s in p.sites}) - bool(p.cross))
    except Exception:  # noqa: BLE001 the layer is anybody's
        p.sites, p.levels = [], 1
    for it in OUTSIDE:
        results.append(answered(*it, p))
        if it[0] == "lengths" and "NaN" in results[-1].evidence:
            return results
    att, why = None, ""
    try:
        att = open_up(p)
    except Unclear as unclear:
        why = str(unclear)
    except Exception as error:  # noqa: BLE001 the layer is anybody's
        why = f"its operations cannot be followed: {type(error).__name__}: {str(error)[:120]}"
    for it in INSIDE:
        results.append(answered(*it, p, att) if att else Result(it[0], it[1], "unclear", why, unit=it[2]))
    return results


def open_up(p):
    """The first attention of the layer whose products are of words by words."""
    p(p.words())  # what a layer keeps may have another dtype from before, and is converted once
    att = Attention(p, p.words(), 0)
    att.look()
    att.find_words()
    return att


def strongest_finding(layer, x=None, **facts):
    """The first cause that `examine` finds in a layer, as a sentence; "" where it finds nothing."""
    found = examine(layer, x, **facts).findings
    return f"{found[0].evidence}." if found else ""
