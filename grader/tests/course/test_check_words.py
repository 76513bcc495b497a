"""The words that the checks share: what they accept as right, and which causes they name in wrong results."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from checks_of import checking_of_solutions
from torch import nn


@pytest.fixture(scope="module")
def words() -> dict[str, Any]:
    """The words of the checks, with all the words about layers, but without drawing."""
    with checking_of_solutions():
        from checking import layers, pictures, words

    vars(pictures)["draw_difference"] = lambda yours, expected: None
    return {"check": layers.check, "compare": words.compare}


@pytest.fixture(autouse=True)
def seed() -> Iterator[None]:
    torch.manual_seed(0)
    yield


def told(call: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        call(*args, **kwargs)
    return str(caught.value)


def test_agrees_names_one_mistake_or_two_together(words: dict[str, Any]) -> None:
    check, x = words["check"], torch.randn(2, 3)

    def output(scale: float = 1.0, shift: float = 0.0) -> torch.Tensor:
        return scale * x + shift

    mistakes = {"Doubled.": {"scale": 2.0}, "Moved.": {"shift": 5.0}, "Halved.": {"scale": 0.5}}
    check.agrees(x, x, "It differs.", output, mistakes)
    assert "It differs.\nDoubled.\n" in told(check.agrees, 2 * x, x, "It differs.", output, mistakes)
    both = told(check.agrees, 0.5 * x + 5, x, "It differs.", output, mistakes)
    assert "Moved." in both and "Halved." in both and "Doubled." not in both
    assert "\nWhy?" in told(check.agrees, x - 9, x, "It differs.", output, mistakes, "Why?")


@pytest.mark.parametrize(
    ("yours", "expected", "are_same"),
    [
        ([1.0, 2.0], [1.0, 2.00005], True),
        ([1.0, 2.0], [1.0, 2.0002], False),
        ([1.0, -2.0], [1.0, 2.0], False),
        ([1.0, torch.inf], [1.0, torch.inf], True),
        ([1.0, torch.inf], [1.0, -torch.inf], False),
        ([1.0, torch.nan], [1.0, torch.nan], False),
        ([1, 3], [1, 2], False),
        ([True, True], [True, False], False),
        ([], [], True),
        ([1.0], [1.0, 1.0], False),
        ([1, 2], [1.0, 2.0], True),
    ],
)
def test_same_and_compare_hold_two_tensors_to_every_number(
    words: dict[str, Any], yours: list[Any], expected: list[Any], are_same: bool
) -> None:
    given, right = torch.tensor(yours), torch.tensor(expected)
    assert words["check"].same(given, right) is are_same
    if are_same:
        words["compare"](given, right, "It differs.", 1e-4)
    else:
        assert told(words["compare"], given, right, "It differs.", 1e-4).startswith("It differs.")


def test_compare_says_where_the_right_numbers_are_rounded(words: dict[str, Any]) -> None:
    right = torch.randn(3, 5)
    for yours in (right.round(decimals=1), right.round(decimals=3)):
        assert "the right numbers, rounded" in told(words["compare"], yours, right, "It differs.")
    hard = F.one_hot(right.argmax(-1), 5).float()  # an answer of its own kind, though 0.98 is 1.0 with one decimal
    for yours, expected in ((hard, hard * 0.98), (right + 0.01, right), (right.round(), right)):
        assert "rounded" not in told(words["compare"], yours, expected, "It differs.")


def test_through_takes_each_call_as_it_is_asked_for(words: dict[str, Any]) -> None:
    check = words["check"]
    layers, x = check.layers(nn.TransformerEncoderLayer, 12, 3, 2), 0.01 * torch.randn(2, 5, 12)
    right = nn.Sequential(*layers)(x)
    for other in ({"heads": 4}, {"norm_first": False}, {"act": F.gelu}, {"eps": 1e-3}):
        assert not check.same(check.through(layers, x, **{"heads": 3} | other), right, 1e-5), other
        assert check.same(check.through(layers, x, heads=3), right, 1e-6), other
    assert check.through(layers.eval(), x, heads=3).requires_grad and all(layer.training for layer in layers)


def test_stepwise_tells_layers_and_what_they_read_apart(words: dict[str, Any]) -> None:
    check = words["check"]
    four, x, context = check.projections(12, 12), torch.randn(2, 5, 12), torch.randn(2, 5, 12)
    for of in ((x, x, x), (x, context, context), (context, x, x), (x, x, x)):
        assert check.same(check.stepwise(four, of, n_heads=3, root=2), check.attended(four, 3, of[0], of[1]), 1e-5)
    turned = check.stepwise(four, (x, x, x), by="kqv", n_heads=3, root=2)
    four["q_proj"], four["k_proj"] = four["k_proj"], four["q_proj"]
    four.__dict__.pop("made")
    assert check.same(turned, check.attended(four, 3, x), 1e-5)


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("kind", [nn.TransformerEncoderLayer, nn.TransformerDecoderLayer])
def test_block_is_pytorchs_and_each_mistake_differs_from_it(words: dict[str, Any], kind: Any, norm_first: bool) -> None:
    check, x, context = words["check"], torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    layer = kind(12, 3, 20, 0.0, batch_first=True, norm_first=norm_first).requires_grad_(False)
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.5)
    decoder = kind is nn.TransformerDecoderLayer
    sentences = [x, context] if decoder else [x]
    parts = {"s": "attention", "c": "reading", "f": "computing"} if decoder else {"s": "attention", "f": "computing"}
    keep, see = torch.ones(5, 5).tril().bool().expand(2, 3, 5, 5), (torch.arange(7) < 4).expand(2, 3, 5, 7)
    hidden = [~keep.flatten(0, 1), ~see.flatten(0, 1)] if decoder else [~keep.flatten(0, 1)]
    right = layer(*sentences, *hidden)
    assert torch.allclose(check.block(layer, sentences, parts, norm_first, keep, see), right, atol=1e-5)
    ways = check.block_mistakes(x, parts, norm_first) | check.number_mistakes(layer)
    assert len(ways) > 80
    for cause, steps in ways.items():
        if " of attention starts from x" in cause or "x is read in attention" in cause or "eps" in steps:
            continue  # the stream is x there, and an ε shows only where words are tiny
        if not norm_first and ("Only the query" in cause or "is halved" in cause):
            continue  # nothing is normed before attention there, and the norm behind it takes any factor off
        wrong = check.block(layer, sentences, parts, norm_first, keep, see, **steps)
        assert not torch.allclose(wrong, right, atol=1e-3), cause


def test_a_module_without_parameters_is_tried_in_float64(words: dict[str, Any]) -> None:
    """Where there are parameters, they are float32, and so is the result."""
    check, x = words["check"], torch.randn(2, 3)
    assert check.trainable(nn.Softmax(-1), input=x).dtype == torch.float64
    assert check.trainable(nn.Linear(3, 4), input=x).dtype == torch.float32


def test_gradients_that_an_answer_leaves_switched_off_are_told_and_switched_on(words: dict[str, Any]) -> None:
    """The cells below would train nothing, and say so far from the cause."""

    def switches_off(x: torch.Tensor) -> torch.Tensor:
        torch.set_grad_enabled(False)
        return x

    assert "left PyTorch's gradients switched off" in told(words["check"].call, switches_off, torch.ones(2))
    assert torch.is_grad_enabled()
    with torch.no_grad():
        words["check"].call(switches_off, torch.ones(2))
        words["check"].call(lambda x: (torch.set_grad_enabled(True), x)[1], torch.ones(2))


def _without_super(x: torch.Tensor) -> torch.Tensor:
    class Layer(nn.Module):
        def __init__(self) -> None:
            self.linear = nn.Linear(2, 2)

    return x if Layer() else x


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (_without_super, "Is `super().__init__()` the first line"),
        (lambda x: torch.softmax(x), "`dim=` says it"),
        (lambda x: torch.cat(x, x), "take one list"),
        (lambda x: torch.exp([x, x]), "torch.stack or torch.cat joins"),
        (lambda x: x / torch.sqrt(4), "write `number ** 0.5`"),
        (lambda x: nn.Linear(4 / 2, 2)(x), "Is it `//`?"),
        (lambda x: x.shape(0), "by `x.size(0)`"),
    ],
)
def test_an_error_of_one_cause_is_told_by_it_and_not_by_what_the_check_expected(
    words: dict[str, Any], answer: Any, cause: str
) -> None:
    """A check knows the cause better only where it names a word of the error; otherwise its guess would lead astray."""
    check, x = words["check"], torch.randn(4, requires_grad=True)
    for stuck in ("Which axis?", {"": "Which axis?", "another error": "No."}, lambda: "Which axis?"):
        message = told(check.call, answer, x, stuck=stuck)
        assert cause in message and "Which axis?" not in message
    assert told(check.call, answer, x, stuck={"o": "Known here.", "": "Which axis?"}).endswith("Known here.")


def test_some_right_says_which_parts_are_right_and_which_are_not(words: dict[str, Any]) -> None:
    some_right, right = words["check"].some_right, torch.arange(8.0).view(4, 2)
    off = right + 1
    told = some_right(torch.cat([right[:1], off[1:]]), right, "Why?")
    assert told == (
        "Sentence 0 is right, sentences 1 and 2 and 3 are not. Is every sentence worked on, with its own numbers?"
    )
    told = some_right(torch.cat([right[:2], off[2:3], right[3:]]), right, "Why?", "row")
    assert told == "Rows 0 and 1 and 3 are right, row 2 is not. Is every row worked on, with its own numbers?"
    too_few = torch.cat([right[:1], off[1:2]])
    for yours in (right, off, None, too_few):  # all right, none right, and what has no such parts
        assert some_right(yours, right, "Why?") == "Why?"
    assert some_right(off, right) == ""
