"""The report: what was asked, what was found, and what follows from what."""

from __future__ import annotations

import html
import textwrap
from dataclasses import dataclass, field

from checking.examine.patient import Unclear

UNITS = {
    "03": "03 Self-attention", "04": "04 Multi-head attention", "05": "05 Cross-attention", "06": "06 Masking",
    "07": "07 The transformer block", "08": "08 Decoder-only models", "09": "09 Encoders and translation",
    "10": "10 Fast attention", "11": "11 Modern blocks",
}  # fmt: skip
FOLLOWS = {  # a finding of the first explains findings and notes of the others
    "lengths": {"join", "masks", "batch"},
    "input": {"batch", "eval mode", "reads", "prefix", "masks", "gradients", "residuals", "norms", "order"},
    "eval mode": {"batch", "reads", "prefix", "masks", "empty row", "order"},
    "heads": {"split", "join", "reads", "prefix", "softmax", "divisor", "masks", "batch", "roles", "order"},
    "split": {"join", "reads", "prefix", "softmax", "hidden scores", "masks", "batch", "roles", "order", "empty row",
              "positions"},
    "join": {"reads", "prefix", "masks", "batch", "order", "output", "empty row"},
    "softmax": {"reads", "prefix", "divisor", "masks", "batch", "dropout", "hidden scores", "empty row", "gradients",
                "order", "precision"},
    "hidden scores": {"reads", "prefix", "softmax", "masks"},
    "batch": {"reads", "prefix", "masks", "lengths", "split", "heads", "join", "order"},
    "reads": {"prefix", "hidden scores", "masks"},
    "masks": {"empty row"},
    "roles": {"gradients"},
    "output": {"gradients", "residuals"},
    "residuals": {"norms", "gradients"},
    "norms": {"residuals", "precision", "gradients"},
    "divisor": {"precision", "reads", "prefix"},
    "activation": {"gradients"},
}  # fmt: skip


@dataclass
class Result:
    """One answer: the question, the verdict, and the number that shows it."""

    name: str
    question: str
    verdict: str  # fine, finding, note, unclear, does not apply
    evidence: str = ""
    line: str = ""  # of the source, where to look
    unit: str = ""  # of the course, which explains it
    follows_from: str = ""


@dataclass
class Report:
    """All answers. `str` gives the text; a notebook shows it in colour."""

    title: str
    results: list[Result] = field(default_factory=list)

    def some(self, *verdicts):
        return [r for r in self.results if r.verdict in verdicts]

    @property
    def findings(self):
        """The findings, causes before consequences."""
        return sorted(self.some("finding"), key=lambda r: bool(r.follows_from))

    def __getitem__(self, name):
        return next(r for r in self.results if r.name == name)

    def settle(self):
        """Tell each finding or note under its cause, where another finding explains it."""
        odd = {r.name: r for r in self.some("finding", "note", "unclear")}
        order = list(FOLLOWS.items())
        if "batch" in odd and "changed places" in odd["batch"].evidence:
            order.sort(key=lambda it: it[0] != "batch")
        for cause, others in order:
            if cause in odd and odd[cause].verdict == "finding" and not odd[cause].follows_from:
                for name in others & odd.keys():
                    odd[name].follows_from = odd[name].follows_from or cause

    def _causes(self):
        return [r for r in self.findings if not r.follows_from] + [r for r in self.some("note") if not r.follows_from]

    def lines(self):
        """(kind, text) of each line of the report."""
        if self.findings:
            n = len([r for r in self.findings if not r.follows_from])
            yield "title", f"{self.title}: {n} finding{'s' * (n != 1)}"
        else:
            yield "title", f"{self.title}: nothing wrong was found"
        for r in self._causes():
            yield r.verdict, f"{'Finding' if r.verdict == 'finding' else 'Note'}, {r.name}: {r.evidence}"
            if r.line:
                yield "look", f"  Look at {r.line}."
            if r.unit in UNITS and r.verdict == "finding":
                yield "look", f"  Unit {UNITS[r.unit]} explains it."
            for other in self.results:
                if other.follows_from == r.name:
                    yield "follows", f"  It explains this as well ({other.name}): {other.evidence}"
        for r in self.some("fine"):
            yield "fine", f"Fine, {r.name}: {r.evidence}"
        why = {}
        for r in self.some("unclear"):
            if not r.follows_from:
                why.setdefault(r.evidence, []).append(r.name)
        for evidence, names in why.items():
            yield "unclear", f"Unclear, {', '.join(names)}: {evidence}"
        rest = [r.name for r in self.some("does not apply")]
        if rest:
            yield "rest", f"Does not apply: {', '.join(rest)}."

    def __str__(self):
        return "\n".join(
            textwrap.fill(
                text,
                95,
                subsequent_indent=" " * (len(text) - len(text.lstrip()) + 2),
                break_long_words=False,
                break_on_hyphens=False,
            )
            for _, text in self.lines()
        )

    __repr__ = __str__

    def _repr_html_(self):
        style = {
            "title": "font-weight:bold",
            "finding": "color:#b00020",
            "note": "color:#7a5c00",
            "fine": "color:#1b6e2c",
            "unclear": "color:#555",
            "look": "margin-left:2em",
            "follows": "margin-left:2em;color:#555",
            "rest": "color:#555",
        }
        rows = [f"<div style='{style[kind]}'>{html.escape(text.strip())}</div>" for kind, text in self.lines()]
        return f"<div style='text-align:left;line-height:1.5'>{''.join(rows)}</div>"


def _verdict(name):
    """A function that makes an answer of this kind: (verdict, evidence, line of the source)."""
    return lambda text="", line="": (name, text, line)


fine, finding, note, nothing = map(_verdict, ("fine", "finding", "note", "does not apply"))

OUTSIDE, INSIDE = [], []


def examination(name, question, unit, at=""):
    """Register an examination: a function of the patient that returns a verdict.

    at: for one of the patient and its attention, the place in the attention that a finding is about.
    """

    def register(function):
        (INSIDE if at else OUTSIDE).append((name, question, unit, at, function))
        return function

    return register


def answered(name, question, unit, at, function, p, att=None):
    """The result of one examination. One that breaks says so, and the others go on."""
    try:
        verdict, evidence, line = function(p, att) if at else function(p)
        if att and verdict == "finding":
            line = line or att.where(at)
    except Unclear as unclear:
        verdict, evidence, line = "unclear", str(unclear), ""
    except Exception as error:  # noqa: BLE001 the layer is anybody's
        verdict, evidence, line = "unclear", f"it stops with {type(error).__name__}: {str(error)[:120]}", ""
    return Result(name, question, verdict, evidence, line, unit)
