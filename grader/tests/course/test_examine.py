"""The doctor: planted faults are named, healthy layers are left alone, and every layer comes back as it was."""

import linecache
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import planted_layers as planted
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from weekly import WEEKLY

from nbproctor.authoring import trial
from nbproctor.authoring.one_file import joined
from nbproctor.course import answers
from nbproctor.course.units import load_unit
from nbproctor.paths import ROOT

sys.path.insert(0, str(ROOT / "solutions"))
from checking.examine import examine, inside, patient, strongest_finding  # noqa: E402  solutions/ is no package

EVERY = [*planted.DEVELOPMENT, *planted.HELD_OUT]
HEALTHY = [patient for patient in EVERY if patient[3] is None]
BROKEN = [patient for patient in EVERY if patient[3] is not None]
NAMED = 0.85  # of all broken layers, those whose true cause has to be named


def one_of_each(patients: list[planted.Patient]) -> list[planted.Patient]:
    """The first layer with each fault."""
    return list({patient[0].partition(": ")[2]: patient for patient in reversed(patients)}.values())


def named(patient: planted.Patient) -> bool:
    """Does the report name the true cause, not as something that follows from another one?"""
    _, make, facts, label = patient
    torch.manual_seed(0)
    told = [r for r in examine(make(), **facts).some("finding", "note") if not r.follows_from]
    return label is not None and any(r.name == label[0] and re.search(label[1], r.evidence) for r in told)


@pytest.mark.parametrize("patient", one_of_each(BROKEN), ids=lambda patient: patient[0])
def test_a_planted_fault_is_named(patient: planted.Patient) -> None:
    assert named(patient)


@pytest.mark.weekly
def test_nearly_every_planted_fault_is_named_in_every_kind_of_layer() -> None:
    missed = [patient[0] for patient in BROKEN if not named(patient)]
    assert len(missed) <= (1 - NAMED) * len(BROKEN), missed


@pytest.mark.parametrize("patient", HEALTHY, ids=lambda patient: patient[0])
def test_nothing_is_found_in_a_healthy_layer(patient: planted.Patient) -> None:
    _, make, facts, _ = patient
    for seed in range(20 if WEEKLY else 1):
        torch.manual_seed(seed)
        assert examine(make(), **facts).findings == [], seed


PYTORCH: dict[str, Callable[[], nn.Module]] = {
    "attention": lambda: nn.MultiheadAttention(24, 3, batch_first=True),
    "attention, sequence first, dropout": lambda: nn.MultiheadAttention(24, 3, 0.1),
    "encoder layer, post-norm": lambda: nn.TransformerEncoderLayer(24, 3, 48, batch_first=True),
    "encoder layer, pre-norm": lambda: nn.TransformerEncoderLayer(24, 3, 48, batch_first=True, norm_first=True),
    "encoder layer, sequence first": lambda: nn.TransformerEncoderLayer(24, 3, 48),
    "decoder layer, post-norm": lambda: nn.TransformerDecoderLayer(24, 3, 48, batch_first=True),
    "decoder layer, pre-norm": lambda: nn.TransformerDecoderLayer(24, 3, 48, batch_first=True, norm_first=True),
    "two encoder layers": lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(24, 4, 48, batch_first=True), 2),
}


@pytest.mark.parametrize("make", PYTORCH.values(), ids=PYTORCH)
def test_nothing_is_found_in_pytorchs_own_layers(make: Callable[[], nn.Module]) -> None:
    assert examine(make()).findings == []


class Heads(planted.Attention):
    """With queries, keys and values of three heads, and what joins them."""

    def heads(self, x: Tensor) -> list[Tensor]:
        return [planted.split(t, 3, False) for t in self.projected(x)]

    def joined(self, weights: Tensor, v: Tensor) -> Tensor:
        return self.out_proj(planted.join(weights @ v, ""))


class Biased(Heads):
    """Adds a learned bias to the scores in place, or one that it is given; called position_bias, as in T5."""

    def __init__(self) -> None:
        super().__init__()
        self.relative_attention_bias = nn.Embedding(9, 3)

    def forward(self, x: Tensor, position_bias: Tensor | None = None) -> Tensor:
        q, k, v = self.heads(x)
        at = torch.arange(x.shape[1])
        if position_bias is None:
            position_bias = self.relative_attention_bias((at - at[:, None]).clamp(-4, 4) + 4).permute(2, 0, 1)
        scores = q @ k.mT
        scores += position_bias
        return self.joined(scores.softmax(-1), v)


class CausalWithoutAMask(planted.Attention):
    """Causal, but where a mask is given, which then says all."""

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return super().forward(x, torch.ones(x.shape[1], x.shape[1]).tril().bool()[None] if mask is None else mask)


class BesideAConvolution(planted.Attention):
    """Words are mixed by a convolution, too, which no mask hides, and which is no feed-forward layer."""

    def __init__(self) -> None:
        super().__init__()
        self.depth, self.point = nn.Conv1d(24, 24, 9, padding=4, groups=24), nn.Conv1d(24, 24, 1)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return super().forward(x, mask) + self.point(self.depth(x.mT)).mT


class TwoStreams(nn.Module):
    """Words and regions attend to each other, with weights of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.of_words, self.of_regions = planted.CrossAttention(24, 24), planted.CrossAttention(24, 24)

    def forward(self, x: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        return self.of_words(x, context), self.of_regions(context, x)


class WithAContextNow(planted.Attention):
    """Attends to a context as well, if there is one."""

    def __init__(self) -> None:
        super().__init__()
        self.cross = planted.CrossAttention(24, 24)

    def forward(self, x: Tensor, encoder_states: Tensor | None = None) -> Tensor:
        y = super().forward(x)
        return y if encoder_states is None else y + self.cross(y, encoder_states)


class Decoder(planted.Attention):
    """Attends to itself, then to a context; what it cuts lies in front of both."""

    def __init__(self, cut: bool = False, **more: Any) -> None:
        super().__init__(**more)
        self.cross, self.cut = planted.CrossAttention(24, 24), cut

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        y = super().forward(x.detach() if self.cut else x, mask)
        return y + self.cross(y, context) + x


def test_a_layer_with_both_attentions_is_asked_with_one_context() -> None:
    """Copies of a batch attend to the same words, or else each word would seem to read every other one."""
    report = examine(Decoder(causal=True))
    assert report["reads"].evidence.startswith("causal") and report.findings == []
    assert "mask: True means may attend" in examine(Decoder())["masks"].evidence
    assert "part of the way to x is cut" in examine(Decoder(cut=True))["gradients"].evidence
    ignored = examine(Decoder(fault="mask ignored"))["masks"]
    assert ignored.verdict == "finding" and "mask is ignored" in ignored.evidence


class Sunk(Heads):
    """One more score for each head takes weight; its parameter holds what torch.empty left."""

    def __init__(self) -> None:
        super().__init__()
        self.sinks = nn.Parameter(torch.full((3, 1, 1), 1e30))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        scores = torch.cat([q @ k.mT / 8**0.5, self.sinks.expand(len(x), -1, x.shape[1], 1)], -1)
        return self.joined(scores.softmax(-1)[..., :-1], v)


class Configured(Heads):
    """Rates and a scale stand in a configuration."""

    def __init__(self) -> None:
        super().__init__()
        self.config = SimpleNamespace(attention_dropout=0, query_scalar=16)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        weights = (q @ k.mT / self.config.query_scalar**0.5).softmax(-1)
        return self.joined(F.dropout(weights, self.config.attention_dropout, self.training), v)


class NothingDropped(Heads):
    """Its dropout has the whole number 0; the rate in its configuration is for another part of the model."""

    def __init__(self) -> None:
        super().__init__()
        self.config = SimpleNamespace(classifier_dropout=0.1)
        self.drop = nn.Dropout(0)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        return self.joined(self.drop((q @ k.mT / 8**0.5).softmax(-1)), v)


class RoomForFour(planted.Attention):
    """Keeps its keys in a buffer with room for four sentences."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(4, 16, 24))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        self.cache = self.cache.to(x).clone()
        self.cache[: len(x), : x.shape[1]] = x
        return super().forward(self.cache[: len(x), : x.shape[1]], mask)


ON_PURPOSE = [
    RoomForFour,
    Biased,
    CausalWithoutAMask,
    BesideAConvolution,
    TwoStreams,
    WithAContextNow,
    Sunk,
    Configured,
    NothingDropped,
]


@pytest.mark.parametrize("kind", ON_PURPOSE)
def test_nothing_is_found_where_something_odd_is_meant(kind: type[nn.Module]) -> None:
    report = examine(kind())
    assert report.findings == []
    assert report["heads"].verdict == report["reads"].verdict == "fine"


def test_a_part_without_attention_is_no_finding() -> None:
    assert "Note, reads: no word reads another one" in str(examine(nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 8))))


def by_tiles(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention to three words and to the two after them, merged by the logarithms of their sums."""
    scores = [query @ k.mT / query.shape[-1] ** 0.5 for k in key.split(3, -2)]
    shares = torch.stack([s.logsumexp(-1, keepdim=True) for s in scores]).softmax(0)
    found = [s.softmax(-1) @ v for s, v in zip(scores, value.split(3, -2), strict=True)]
    return (shares * torch.stack(found)).sum(0)


def test_nothing_is_found_in_attention_by_tiles() -> None:
    """A tile holds a part of a sentence, in order."""
    report = examine(by_tiles)
    assert report.findings == [] and "come in tiles" in report["split"].evidence


class Centred(planted.Attention):
    """Subtracts the mean over the sentences of a batch."""

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        out = super().forward(x, mask)
        return out - out.mean(0)


def test_what_is_shared_among_sentences_is_told_from_a_view() -> None:
    found = examine(Centred()).findings[0].evidence
    assert "what a head finds for word 0 stays there, and moves other sentences, too" in found


def test_rows_in_another_order_are_told_from_a_view() -> None:
    report = examine(lambda query, key, value: F.scaled_dot_product_attention(query, key.flip(-2), value))
    assert "in another order: the rows of the first head are of the words 4, 3, 2, 1, 0" in report["split"].evidence


DROPPED: dict[str, Callable[[Tensor, Tensor], Tensor]] = {  # from weights, and 0 or 1 for each: those in training
    "": lambda w, keep: w * keep / 0.6,
    "there are NaN": lambda w, keep: (w * keep) / (w * keep * 0),
    "whole rows are dropped": lambda w, keep: w * keep[..., :1] / 0.6,
    "every row still sums to 1": lambda w, keep: w * keep / (w * keep).sum(-1, keepdim=True).clamp(min=1e-9),
    "not by one number": lambda w, keep: w * keep * w,
    "not scaled up by 1 / (1 − 0.4)": lambda w, keep: w * keep,
    "all sentences lose the same weights": lambda w, keep: w * keep[:1] / 0.6,
    "all heads lose the same weights": lambda w, keep: w * keep[:, :1] / 0.6,
    "all words lose the same weights": lambda w, keep: w * keep[:, :, :1] / 0.6,
    "Does it fall twice": lambda w, keep: w * keep / 0.36,
    "The rate is 0.50": lambda w, keep: w * keep / 0.5,
    "Is 0.4 taken for the share that is kept?": lambda w, keep: w * keep / 0.4,
    "of the weights are kept, expected about 60%": lambda w, keep: w * keep * keep.roll(1, -1) / 0.6,
}


@pytest.mark.parametrize(("cause", "dropped"), DROPPED.items(), ids=DROPPED)
def test_what_dropout_does_to_weights_is_named(cause: str, dropped: Callable[[Tensor, Tensor], Tensor]) -> None:
    draws = torch.Generator().manual_seed(0)
    weights = torch.randn(8, 3, 5, 5, generator=draws).softmax(-1)
    wild = dropped(weights, (torch.rand(weights.shape, generator=draws) < 0.6).float())
    told = inside.wrongly_dropped(weights, wild, 0.4) or inside.wrong_rate(weights, wild, 0.4)
    assert cause in told and bool(cause) == bool(told)


class Restless(nn.Module):
    """Tied weights, a buffer that counts, a cache, a lambda, a scripted part, and hooks."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = planted.Attention(dropout=0.1)
        self.inner.k_proj.weight = self.inner.q_proj.weight
        self.register_buffer("calls", torch.zeros(()))
        self.table, self.cache, self.last = torch.ones(24), [torch.zeros(1)], None
        self.half = lambda t: self.inner(t) / 2
        self.scripted = torch.jit.script(nn.Linear(24, 24))
        self.frozen = nn.Parameter(torch.ones(3), requires_grad=False)

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        self.last = x
        self.cache[0] = x
        return self.half(self.scripted(x)) * self.table


def state_of(layer: nn.Module) -> dict[str, Any]:
    """All that has to be as it was; tensors by identity, address and numbers."""
    tensors = {n: t for n, t in layer.state_dict(keep_vars=True).items()}
    return {
        "same": {n: (id(t), t.data_ptr(), t.dtype, t.requires_grad, t.grad) for n, t in tensors.items()},
        "numbers": {n: t.detach().clone() for n, t in tensors.items()},
        "modes": [m.training for m in layer.modules()],
        "attributes": [{n: id(v) for n, v in vars(m).items()} for m in layer.modules()],
        "hooks": [list(m._forward_hooks) for m in layer.modules()],
        "random": (torch.get_rng_state().tolist(), random.getstate()),
        "gradients": torch.is_grad_enabled(),
    }


def assert_as_before(before: dict[str, Any], layer: nn.Module) -> None:
    after = state_of(layer)
    for name, number in before.pop("numbers").items():
        assert torch.equal(number, after["numbers"][name]), name
    after.pop("numbers")
    assert before == after


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_a_layer_comes_back_as_it_was() -> None:
    layer = Restless()
    layer.inner.out_proj.eval()
    layer.register_forward_hook(lambda module, args, out: out * 2)
    cache, held = layer.cache, layer.cache[0]
    before = state_of(layer)
    report = examine(layer)
    assert len(report.results) > 10
    assert_as_before(before, layer)
    assert layer.cache is cache and layer.cache[0] is held and layer.last is None
    assert layer.inner.k_proj.weight is layer.inner.q_proj.weight


@pytest.mark.filterwarnings("ignore:`torch.jit")
@pytest.mark.parametrize("how", ["compiled", "compiled inside", "scripted", "scripted inside", "traced"])
def test_compiled_and_scripted_layers_are_answered_and_come_back(how: str) -> None:
    torch.manual_seed(0)
    layer: Any = planted.Attention(fault="root of d_model")
    if how == "compiled":
        layer = torch.compile(layer)
    elif how == "compiled inside":
        layer.q_proj, layer.out_proj = torch.compile(layer.q_proj), torch.compile(layer.out_proj)
    elif how == "scripted":
        layer = torch.jit.script(Plain())
    elif how == "scripted inside":
        layer.q_proj = torch.jit.script(layer.q_proj)
    else:
        layer = torch.jit.trace(Plain(), torch.randn(2, 5, 24))
    before = state_of(layer)
    found = examine(layer).findings
    assert "√d_model" in found[0].evidence
    assert_as_before(before, layer)


class Plain(nn.Module):
    """Attention that TorchScript takes, divided by the root of d_model."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(24, 72), nn.Linear(24, 24)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, [9, 8]).transpose(1, 2).chunk(3, 1)
        scores = q @ k.transpose(-2, -1) / 24**0.5
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


class Stopped(planted.Attention):
    """Stops at its twentieth call."""

    def __init__(self, error: type[BaseException]) -> None:
        super().__init__()
        self.error, self.calls = error, 0

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        self.calls += 1
        if self.calls > 20:
            raise self.error("enough")
        return super().forward(x, mask)


def test_a_layer_that_stops_in_the_middle_comes_back_too() -> None:
    layer = Stopped(RuntimeError)
    before = state_of(layer)
    assert "enough" in str(examine(layer))
    assert_as_before(before, layer)
    assert layer.calls == 0


def test_an_interrupted_examination_gives_the_layer_back() -> None:
    layer = Stopped(KeyboardInterrupt)
    before = state_of(layer)
    with pytest.raises(KeyboardInterrupt):
        examine(layer)
    assert_as_before(before, layer)


class Chance(planted.Attention):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return super().forward(x, mask) + 0.1 * torch.randn(())


class OddLengths(planted.Attention):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if x.shape[1] % 2 == 0:
            raise ValueError("even lengths are not supported")
        return super().forward(x, mask)


class Keeps(planted.Attention):
    """Adds what it was given before."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Tensor | None = None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        out = super().forward(x, mask)
        both = out if self.before is None or self.before.shape != out.shape else out + self.before
        self.before = out
        return both


class Rewrites(planted.Attention):
    """Makes a weight larger with each call, where no version of it tells."""

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        self.q_proj.weight.data.mul_(1.01)
        return super().forward(x, mask)


class Prints(planted.Attention):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        print("here", x.shape)
        return super().forward(x, mask)


HOSTILE: dict[str, tuple[Callable[[], Any], str]] = {
    "draws random numbers": (Chance, "acts in eval mode"),
    "stops at even lengths": (OddLengths, "even lengths are not supported"),
    "keeps what it was given": (Keeps, "kept from call to call"),
    "changes its input": (lambda: planted.Attention(fault="x in place"), "x is changed in place"),
    "rewrites its weights": (Rewrites, "kept from call to call"),
    "prints": (Prints, "nothing wrong was found"),
    "takes ids": (lambda: nn.Embedding(10, 8), "it stops on x"),
    "returns nothing": (lambda: lambda x: None, "returned NoneType"),
    "is not called yet": (lambda: nn.Sequential(nn.LazyLinear(8)), "call it once"),
    "is no attention": (lambda: nn.Linear(8, 8), "the words are not mixed"),
}


@pytest.mark.parametrize(("make", "words"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_layer_gets_an_answer_in_a_sentence(make: Callable[[], Any], words: str) -> None:
    said = " ".join(str(examine(make())).split())
    assert words in said and "AttributeError" not in said


REMEMBERED: list[Callable[[], nn.Module]] = [
    planted.Attention,
    lambda: planted.Attention(fault="root of d_model"),
    lambda: planted.Block(fault="no activation"),
    planted.HeadsInALoop,
    planted.ConvBlock,
    PYTORCH["decoder layer, pre-norm"],
    Rewrites,
]


@pytest.mark.parametrize("make", REMEMBERED)
def test_remembered_products_change_no_verdict(make: Callable[[], nn.Module], monkeypatch: pytest.MonkeyPatch) -> None:
    """The products of large parameters are remembered, row by row: all are large here, then none is."""
    verdicts = []
    for large in (1, 1 << 30):
        monkeypatch.setattr(patient, "LARGE", large)
        torch.manual_seed(0)
        verdicts.append([(r.name, r.verdict, r.follows_from) for r in examine(make()).results])
    assert verdicts[0] == verdicts[1]


def test_a_row_meets_a_large_parameter_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient, "LARGE", 1)
    memory, weight, x = patient.Memory(), torch.randn(4, 3), torch.randn(5, 4)
    memory.learn(weight)
    with memory, torch.no_grad():
        first, second = x @ weight, torch.cat([x[2:], x[:1] + 1]) @ weight
        joined = torch.addmm(torch.ones(3), x, weight)
    assert torch.allclose(first, x @ weight) and torch.allclose(second[:3], first[2:])
    assert torch.allclose(joined, first + 1)
    assert [len(rows) for rows in memory.rows.values()] == [6]


def test_a_consequence_is_told_under_its_cause() -> None:
    report = examine(planted.Attention(fault="split and join by view"))
    assert [r.name for r in report.findings if not r.follows_from] == ["split"]
    assert "It explains this as well (reads)" in str(report)


class OneLength(Heads):
    """Its mask has one size, and is never applied."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", torch.ones(5, 5).triu(1).bool())

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        scores = q @ k.mT / 8**0.5
        scores.masked_fill(self.mask, -torch.inf)
        return self.joined(scores.softmax(-1), v)


def test_two_faults_are_both_told() -> None:
    causes = [r.name for r in examine(OneLength()).findings if not r.follows_from]
    assert causes == ["lengths", "reads"]


def test_a_finding_ends_with_the_line_and_the_unit_that_explains_it() -> None:
    text = str(examine(planted.Attention(fault="root of d_model")))
    assert re.search(r"Look at `scores = q @ k\.mT / divisor` \(planted_layers\.py, line \d+\)", text)
    assert "Unit 03 Self-attention explains it." in text
    assert "divided by √d_model = √24, not by √d_head: 4.899, expected √d_head" in " ".join(text.split())


@pytest.mark.parametrize("name", ["/work/ipykernel_41/3548553162.py", "<ipython-input-5-0f3c>"])  # Jupyter's, Colab's
def test_a_line_in_a_notebook_is_a_line_of_its_cell(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name that a kernel gives to the text of a cell stands nowhere in the notebook."""
    monkeypatch.setitem(linecache.cache, name, (0, None, ["x = 1\n", "scores = q @ k.mT\n"], name))
    assert patient.spoken_line((name, 2)) == "`scores = q @ k.mT` (line 2 of its cell)"


def test_a_layer_of_a_sequential_is_named_with_what_holds_it() -> None:
    names = ("block.mlp.2.weight", "attn.k_proj.weight", "2.bias")
    assert [inside.leaf(name) for name in names] == ["mlp.2", "k_proj", "2"]


def test_facts_are_believed() -> None:
    assert "later words" in strongest_finding(planted.Attention(), causal=True)
    assert "n_heads is 4" in strongest_finding(planted.Attention(), n_heads=4)
    assert strongest_finding(planted.Attention()) == ""


def test_the_modules_joined_to_one_file_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "examine.py").write_text(joined(), encoding="utf-8")
    (tmp_path / "layer.py").write_text(Path(planted.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    code = (
        "from examine import examine\nfrom layer import Attention\nprint(examine(Attention(fault='root of d_model')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603
    assert "divided by √d_model = √24" in done.stdout, done.stderr


UNKNOWN = {  # a wrong answer that no table of mistakes has: (unit, exercise, label) -> what the doctor finds
    ("07_transformer_block", "TransformerBlock", "scores over the root of the number of words"):
        "the scores are divided by √seq: 2.236 at 5 words",
    ("10_fast_attention", "CachedSelfAttention", "divided by the root of the number of words in all heads"):
        "a number that follows the length: 3.873 at 5 words, 4.583 at 7",
    ("10_fast_attention", "flash_attention", "the keys in reversed order, the values not"):
        "the keys stand in another order: the rows of the first head are of the words 4, 3, 2, 1, 0",
}  # fmt: skip


@pytest.mark.parametrize(("where", "finding"), UNKNOWN.items(), ids=[" ".join(key[:2]) for key in UNKNOWN])
def test_a_check_that_knows_no_cause_asks_the_doctor(where: tuple[str, str, str], finding: str) -> None:
    """In the notebook. In the grader the layer is in another process, and is examined from outside alone."""
    name, exercise, label = where
    unit = load_unit(name)
    (answer,) = [it for it in answers.bank(unit) if (it.exercise, it.label) == (exercise, label)]
    visible, _ = trial.verdicts({unit.name: unit}, [answer], 1, 1)[0][0]
    said = " ".join(visible.message.split())
    assert answer.words in said and finding in said.partition("`examine` of unit 12 finds:")[2]
