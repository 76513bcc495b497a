"""The visible checks of unit 08: one function for each exercise, named after it. It takes the
answer as the notebook has it, and returns what the reader is told when the answer passes."""

import itertools

import torch
import torch.nn.functional as F
from checking.layers import check
from checking.notebook import without
from checking.words import compare
from torch import nn


def check_next_token_pairs(next_token_pairs):
    # Eleven different ids, windows of four: each pair can be recognised by its numbers.
    numbers = torch.arange(20, 31)
    stuck = {
        "equal size": "Does a loop run one step too far? 11 ids hold 11 − 4 = 7 windows of 4 "
        "ids that each have an id after them.",
        "": "11 ids are enough for windows of 4.",
    }
    pairs = check.call(next_token_pairs, numbers, 4, stuck=stuck)
    several = isinstance(pairs, (tuple, list))
    got = f"a {type(pairs).__name__} of {len(pairs)}" if several else type(pairs).__name__
    told = f"Expected two tensors, `inputs, targets`, got {got}. Are both returned, and alone?"
    assert several and len(pairs) == 2, told
    inputs, targets = pairs
    rows = {
        (8, 4): "That is one row too many: the last window has no id after it. There are n − 4.",
        (
            6,
            4,
        ): "That is one row too few. Is there a window at the first id, and one whose last target "
        "is the last id? Or is the shift two ids long?",
        (4, 7): "Is the result transposed? A row is one window.",
        (7, 5): "A window has block_size ids. Is the longer one that holds both still to be cut?",
        (7, 3): "A row is one id too short. The windows that hold both have block_size + 1 ids.",
        (8, 3): "A row is one id too short. The windows that hold both have block_size + 1 ids.",
        (2, 4): "Do the windows overlap? One begins at every position.",
        (7,): "Each position of a window has its target, not the last one alone.",
        (7, 1): "Each position of a window has its target, not the last one alone.",
        (
            7,
            4,
            31,
        ): "Is each id turned into a row of zeros and a one? The ids themselves are wanted.",
    }
    for name, part in (("the inputs", inputs), ("the targets", targets)):
        every = "A row is a window of block_size = 4 ids. One begins at every id that allows it."
        check.tensor(part, (7, 4), name, rows, every)
        cause = "Ids are whole numbers; a table of vectors is indexed with them."
        assert part.dtype == torch.int64, f"Expected {name} as int64, got {part.dtype}. {cause}"

    # Row i starts at id i, and the target of a position is the id after it.
    first, row = inputs[:, 0].tolist(), inputs[0].tolist()
    told = f"The rows of the inputs start with the ids {first}, expected 20, 21, 22, …"
    cause = check.first({
        "Those are the targets. Have inputs and targets changed places?":
            first == list(range(21, 28)),
        "Those are the positions. Are the ids looked up there?": first == list(range(7)),
    }, "Does row i start at position i of the text?")  # fmt: skip
    assert first == list(range(20, 27)), f"{told} {cause}"
    told = f"Row 0 of the inputs is {row}, expected [20, 21, 22, 23]."
    assert (inputs.diff(dim=-1) == 1).all(), f"{told} Are the ids of a window neighbours?"
    steps = targets - inputs
    shift = steps[0].unique().tolist()
    cause = check.first({
        "The targets are the inputs themselves: nothing would have to be learned.": shift == [0],
        "The targets are what comes before. Is the shift made the wrong way?": shift == [-1],
        "Is only the id after the whole window the target?": (targets == targets[:, :1]).all(),
        "That is two positions later. Is the shift made twice?": shift == [2],
        "Is the last target the id after the window? A roll brings the first one back.":
            (targets[:, -1] == inputs[:, 0]).all(),
    }, "Is each target the id right after its input?")  # fmt: skip
    wrong = (steps != 1).any(-1).int().argmax().item()
    told = f"Row {wrong}: the inputs {inputs[wrong].tolist()} have the targets"
    told = f"{told} {targets[wrong].tolist()}, expected {(inputs[wrong] + 1).tolist()}."
    assert (steps == 1).all(), f"{told} {cause}"

    # Other sizes, ids that do not count up, the shortest text, and the arguments' names.
    text_ids = torch.tensor([3, 8, 1, 6, 4, 0, 7, 2, 5])
    enough = "block_size + 1 ids are enough for one window with its targets."
    names = "Are the arguments called ids and block_size?"
    windows = {  # (ids, block_size): the first window and the last, each with its targets
        (9, 3): ([3, 8, 1], [8, 1, 6], [0, 7, 2], [7, 2, 5]),
        (4, 3): ([3, 8, 1], [8, 1, 6], [3, 8, 1], [8, 1, 6]),
        (9, 1): ([3], [8], [2], [5]),
    }
    for (n, size), rows in windows.items():
        causes = {"argument": names, "": enough}
        parts = check.call(next_token_pairs, ids=text_ids[:n], block_size=size, stuck=causes)
        cause = "Are windows cut by position, not by the value of an id?"
        for name, part, (first, last) in zip(("inputs", "targets"), parts, (rows[::2], rows[1::2])):
            told = f"{name} of {n} ids with block_size={size}: expected {n - size} rows"
            told = f"{told} from {first} to {last}, got {part.tolist()}. {cause}"
            assert len(part) == n - size and part[[0, -1]].tolist() == [first, last], told
    short = "Without block_size + 1 ids there is no window with a target for each position."
    check.refuses(next_token_pairs, torch.arange(4), 4, names=(4,), otherwise=short)
    check.refuses(next_token_pairs, torch.arange(2), 6, names=(2,), otherwise=short)
    short = "A text without any id has no window, either."
    check.refuses(next_token_pairs, torch.arange(0), 3, names=(0,), otherwise=short)
    return "next_token_pairs passes: a window at every position, each id with the one that follows."


def by_slopes(cross_entropy, logits, targets):
    """What the gradient of a loss of six targets tells: it should be a softmax, less 1 at each target."""
    leaf = logits.clone().requires_grad_()
    loss = cross_entropy(leaf, targets)
    if not loss.requires_grad:
        return ""
    slopes = 6 * torch.autograd.grad(loss, leaf)[0]
    idle = (slopes == 0).all(-1).nonzero().tolist()
    if idle:
        return f"\nThe logits at {idle} (sentence, position) do not matter. Each of them counts."
    one_hot, right = F.one_hot(targets, 7), logits.softmax(-1)
    sums = slopes + one_hot
    for axis, name in ((-2, "positions"), (0, "sentences")):
        total = sums.sum(axis)
        if total.mean() > 1e-3 and check.same(total, total.mean().expand_as(total)):
            return f"\nThe logsumexp runs over the {name}, axis {axis}. The vocabulary is the last axis."
    times = check.times(slopes, right - one_hot)
    if times is not None:
        return f"\nThe loss grows {times:g} times as fast as it should. Is it the mean, with no other factor?"
    if check.same(slopes, slopes * one_hot):
        return "\nThe targets' own logits alone matter. The logsumexp takes those of all ids."
    if check.same(slopes * one_hot, -1.0 * one_hot):
        return "\nThe logsumexp is taken without the target's own logit. It takes those of all ids."
    picked = slopes.argmin(-1)
    if not torch.equal(picked, targets):
        told = f"\nThe cost sinks where the logits of the ids {picked.tolist()} grow, and the targets"
        return f"{told} are {targets.tolist()}."
    return ""


@without("F.cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss")
def check_cross_entropy(cross_entropy):
    # One number, which PyTorch finds as well.
    targets, logits = torch.tensor([[3, 0, 6], [2, 2, 5]]), 2 * torch.randn(2, 3, 7)
    kept = "gather and keepdim keep an axis of size 1. Is it dropped before you subtract?"
    stuck = {"size of tensor": kept, "": "logits come first, then targets, which are ids."}
    last = "Each target picks a logit along the last axis, that of the vocabulary."
    over = f"The logsumexp, or the logarithm, goes over another axis than the last. {last}"
    stuck = {"tensor a (7)": over, "tensor b (7)": over} | stuck
    stuck |= {"out of bounds": f"{last} Is it gather(-1, …)?"}
    stuck |= {"indexing tensors": f"{last} An index needs numbers for all axes before it, too."}
    yours = check.call(cross_entropy, logits, targets, stuck=stuck)
    mean = "Is the mean over both axes of the targets taken?"
    check.tensor(yours, (), "the loss", {
        (1,): "One number has no axes: reduce without keepdim."} | dict.fromkeys(
        ((2, 3), (2, 3, 1), (2,), (3,)), mean), "One number for all targets together.")  # fmt: skip
    assert yours.dtype == torch.float32, f"float32 logits give {yours.dtype}, expected float32."
    expected = F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    # Where yours differs, what does each known mistake give?
    def costs(logs, ids=targets):
        """The cost of each target, (2, 3)."""
        return -logs.gather(-1, ids[..., None])[..., 0]

    logs = logits.log_softmax(-1)
    each, p = costs(logs), logs.exp()
    mistakes = {
        "That is the sum of all costs. Is it a mean?": each.sum(),
        "Is it a mean over the sentences, but a sum over their positions?": each.mean(0).sum(),
        "Is it a mean over the positions, but a sum over the sentences?": each.mean(1).sum(),
        "Is the mean over all positions, not over the last of each sentence?": each[:, -1].mean(),
        "That is the median of the costs. Is it their mean?": each.median(),
        "Is the logarithm the natural one? This is the cost in bits.": each.mean() / 0.693147,
        "Is it divided by the size of the vocabulary, too?": each.mean() / 7,
        "Does the target alone count? Here a tenth of the cost is that of all ids, smoothed.":
            0.9 * each.mean() - 0.1 * logs.mean(),
        "Is one id of seven right? This is a cost of seven answers, each yes or no.":
            F.binary_cross_entropy_with_logits(logits, F.one_hot(targets, 7).float()),
        "Does the id 0 count like any other?": each[targets != 0].mean(),
        "Is the cost of the id 0 set to 0? It counts like any other.": each[targets != 0].sum() / 6,
        "Is the sign right? A cost is positive.": -each.mean(),
        "That is e to the power of the loss, the perplexity.": each.mean().exp(),
        "That is the mean of all logarithms. Is the target's own picked?": -logs.mean(),
        "Is one logarithm picked for each position? Here every position pays for all targets.":
            -logs[..., targets].mean(),
        "Are the targets used? That is what the guesses expect to pay, their entropy.":
            -(p * logs).sum(-1).mean(),
        "Is the softmax over the last axis? This one runs over the positions.":
            costs(logits.log_softmax(-2)).mean(),
        "Is the softmax over the last axis? This one runs over the sentences.":
            costs(logits.log_softmax(0)).mean(),
        "Is the logsumexp over the last axis? This one is over all logits together.":
            logits.flatten().logsumexp(0) + costs(logits).mean(),
        "Is the logsumexp over the last axis? This one runs over all targets.":
            logits.flatten(0, 1).logsumexp(0).mean() + costs(logits).mean(),
        "Is the mean of the exponentials taken, before the logarithm? It is their sum.":
            each.mean() - 1.945910,
        "Is the logarithm missing? This is the mean of −p.": costs(p).mean(),
        "Is the logarithm missing? This is the mean of 1 − p.": 1 + costs(p).mean(),
        "Is the softmax missing? This is the target's logit, negative.": costs(logits).mean(),
        "Is the largest logit taken, instead of the logsumexp of all?":
            costs(logits - logits.amax(-1, keepdim=True)).mean(),
        "The largest logit is subtracted in the logsumexp, and not from the target's logit.":
            (each - logits.amax(-1)).mean(),
        "Is the cost of the likeliest id taken, instead of the target's?": -logs.amax(-1).mean(),
        "Is the softmax taken twice?": costs(p.log_softmax(-1)).mean(),
        "Is the logarithm of the mean probability taken? It is the mean of the logarithms.":
            -(-costs(p)).mean().log(),
        "Are the targets shifted once more? The pairs come shifted already.":
            costs(logs[:, :-1], targets[:, 1:]).mean(),
        "Is the target shifted? The pairs come shifted already.":
            costs(logs, targets.roll(-1, 1)).mean(),
        "Is the logit of the id before the target's picked?":
            costs(logs, (targets - 1).clamp(min=0)).mean(),
    }  # fmt: skip
    cause = check.like(yours, mistakes)
    if not cause and not check.same(yours, expected, 1e-5):
        cause = f"Is it −ln softmax(logits)[target], for each target?{by_slopes(cross_entropy, logits, targets)}"
    compare(yours, expected, f"The loss of 6 targets differs from PyTorch's. {cause}")

    # By hand: with equal logits each of seven ids costs ln 7 = 1.9459, whatever the target.
    equal = check.call(cross_entropy, torch.full((2, 3, 7), 0.5), targets).item()
    told = f"Seven equal logits: expected a loss of 1.9459 = ln 7, got {equal:.4f}."
    assert abs(equal - 1.9459) < 1e-3, told

    # Large logits: certain and right, certain and wrong, and beside a row of small ones.
    sure, far = [1e4, -1e4, 0.0], "Is there a softmax or an exp before the logarithm?"

    def axes():
        try:
            cross_entropy(torch.zeros(1, 1, 3), torch.tensor([[0]]))
        except check.MISTAKES:
            return "Here the logits are (1, 3) and the targets (1,). Is -1 the vocabulary's axis?"
        told = "Logits (1, 1, 3) work. Are two leading axes built in, as by flatten(0, 1)?"
        return f"{told} There may be any number."

    for target, want in ((0, 0.0), (1, 2e4), (2, 1e4)):
        cost = check.call(cross_entropy, torch.tensor([sure]), torch.tensor([target]), stuck=axes)
        told = f"Logits of ±10,000, target {target}: expected {want:.0f}, got {cost.item():.4g}."
        rounds = "It rounds to 0 or inf."
        if cost.isfinite():
            rounds = "Or does a clamp, or a small number that is added, bound the cost?"
        assert abs(cost - want) < 1e-2, f"{told} {far} {rounds}"
    cost = check.call(cross_entropy, torch.tensor([sure, [0.0, 0, 0]]), torch.tensor([0, 0])).item()
    told = f"A row of ±10,000 above a row of zeros: expected ln 3 / 2 = 0.5493, got {cost:.4g}."
    cause = "Is the largest of all logits subtracted? Each row needs its own largest."
    assert abs(cost - 0.5493) < 1e-3, f"{told} {cause}"

    # Any number of leading axes, also in another order in memory, and a gradient.
    stuck = {"view": "Use reshape or flatten: no view can be made of rows that lie apart."}
    stuck[""] = "Any number of axes may stand before the vocabulary, also none, as for one guess"
    stuck[""] += " alone. Is -1 its axis?"
    cases = [(torch.randn(*lead, 6), torch.randint(0, 6, lead)) for lead in ((), (5,), (2, 3, 4))]
    cases += [tuple(t.transpose(0, 2) for t in cases[-1])]
    for logits, targets in cases:
        expected = F.cross_entropy(logits.reshape(-1, 6), targets.reshape(-1))
        yours = check.call(cross_entropy, logits, targets, stuck=stuck)
        told = f"Logits {tuple(logits.shape)}, targets {tuple(targets.shape)}: the loss differs."
        compare(yours, expected, f"{told} Is the vocabulary always the last axis?")
    logits, targets = torch.randn(4, 7), torch.tensor([1, 2, 3, 6])
    check.trainable(cross_entropy, logits=logits, targets=targets)
    logits.requires_grad_()
    slopes = (torch.autograd.grad(loss(logits, targets), logits)[0]
              for loss in (cross_entropy, F.cross_entropy))  # fmt: skip
    compare(*slopes, "The loss is right, and its gradient is not. Is one part of it detached?")
    return "cross_entropy passes: PyTorch's numbers, up to logits of ±10,000 and any leading axes."


def check_predicted_training(predicted_training):
    # The form alone: five keys, three numbers, two words.
    keys = ["loss", "bits", "perplexity", "unmasked_loss", "unmasked_text"]
    told = f"Expected a dict, got {type(predicted_training).__name__}."
    assert isinstance(predicted_training, dict), told
    given = sorted(map(str, predicted_training))
    assert given == sorted(keys), f"Expected the keys {', '.join(keys)}, got {', '.join(given)}."
    for key in keys[:3]:
        value = predicted_training[key]
        try:  # a number of numpy's or torch's is one as well
            number = not isinstance(value, (bool, str)) and float(value) == float(value)
        except (TypeError, ValueError, RuntimeError):
            number = False
        cause = "Leave the quotes out." if isinstance(value, str) else "Is it a float?"
        assert number, f"{key}: expected a number, got {value!r}. {cause}"
        told = f"{key}: expected a number of 0 or more, got {value!r}. A guess costs −ln p: is the minus lost?"
        assert float(value) >= 0, told
    for key, words in zip(keys[3:], ("smaller same larger", "better same worse")):
        value, one = predicted_training[key], ", ".join(words.split())
        assert value in words.split(), f"{key}: expected one of {one}, got {value!r}."
    return "predicted_training passes the check of its form. Whether it holds, training will show."


def check_GPT(GPT):
    # PyTorch's own parts, and the logits that they give, with steps that can be done otherwise.
    tables = {"token": nn.Embedding(50, 12), "position": nn.Embedding(9, 12)}
    blocks = check.layers(nn.TransformerEncoderLayer, 12, 3, 2)
    right = check.noisy(**tables, layers=blocks, norm=nn.LayerNorm(12))
    table, places, last = right["token"].weight, right["position"].weight, right["norm"]

    def logits_of(scale=1, rows=places, own=1, layers=(0, 1), norm=last, head=table,
                  end=lambda t: t, enter=lambda x: x, each=lambda x: x, heads=3, skip=-1,
                  reach=9, **ways):  # fmt: skip
        """enter is done before the blocks, each after every block, norm after all of them."""
        hidden = torch.ones(9, 9, dtype=torch.bool).triu(own) | (torch.arange(9) == skip)
        hidden |= torch.ones(9, 9, dtype=torch.bool).tril(-reach)
        x = enter(scale * table[ids] + rows)
        for i in layers:
            x = each(check.through([blocks[i]], x, heads=heads, src_mask=hidden, **ways))
        return end(norm(x) @ head.T)

    # A fresh model knows nothing, and should say so.
    torch.manual_seed(1)
    order = "It is called as GPT(vocab_size, d_model, n_heads, n_layers, max_len), five numbers."
    made = {"forward() missing": "`stack` wants a function that makes a block, not a block.",
            "__init__() takes": f"{order} Does yours want one `config`, or others?",
            "missing": f"{order} Is each part made with all that it needs?",
            "": f"{order} Are the parts made with what they need?"}  # fmt: skip
    model, ids = check.call(GPT, 50, 12, 3, 2, 9, stuck=made), torch.randint(0, 50, (4, 9))
    ids[:, 2] = 0  # a character like any other
    assert isinstance(model, nn.Module), "Expected an nn.Module. Does the class say so?"
    stuck = {"mat1": "Is the head x @ token.weight.T, with the table transposed?",
             "is_causal": "is_causal is a hint alone. Is the mask itself given, as src_mask?",
             "mask": "Is batch_first=True set, and is the mask (seq, seq)?",
             "match the size": "Are seq rows of positions added, and is the mask (seq, seq), both "
                               "for the ids that came?"}  # fmt: skip
    stuck |= {"out of range": "Are the rows of `position` those of 0, 1, 2, …, and not of the ids? "
                              "Has it max_len rows, and `token` vocab_size?",
              "max_len": "Here max_len, the fifth argument, is 9: 9 ids are allowed here.",
              "": "Is seq = ids.shape[1]?"}  # fmt: skip
    logits = check.call(model, ids, stuck=stuck)
    check.tensor(
        logits,
        (4, 9, 50),
        "the logits",
        {
            (4, 9, 12): "Is the head missing? It scores x against each row of token.weight.",
            (4, 50): "Is there a row of logits for every position, not for the last alone?",
            (36, 50): "Is it flattened? The axes batch and seq stay.",
        },
        "The head is x @ token.weight.T.",
    )
    first = F.cross_entropy(logits.flatten(0, 1), ids.roll(-1, 1).flatten()).item()
    told = f"A fresh model of 50 characters has a loss of {first:.2f}, expected ln 50 = 3.91, ± 1."
    assert abs(first - 3.91) < 1, f"{told} Do both tables start with a standard deviation of 0.02?"
    assert logits.std() > 0, "A fresh model scores all ids alike. Do the tables start with zeros?"

    # The parameters: those of token, position, the blocks and norm; a head.weight must be tied.
    wanted = check.renamed(model, dict(right.named_parameters()))
    wanted = {name: tuple(tensor.shape) for name, tensor in wanted.items()}
    got = {name: tuple(p.shape) for name, p in model.named_parameters(remove_duplicate=False)}
    others = {"token", "position", "norm", "head"}
    made = len({n.partition("layers.")[2].partition(".")[0] for n in got if "layers." in n})
    lost = check.first({
        "The blocks have no parameters here. Are they in a plain list? It takes an nn.ModuleList, "
        "as `stack` makes it.": {name.partition(".")[0] for name in got} <= others,
        "What `stack` returns is looked for in self.blocks, an nn.ModuleList of your own in "
        "self.layers. Is it there?":
            not any(name.startswith(("blocks.layers.", "layers.")) for name in got),
        f"There are {made} blocks, expected n_layers = 2. {'That is n_heads.' * (made == 3)}":
            made > 2,
    })  # fmt: skip
    cause = "Are there token, position, and in blocks n_layers blocks, d_ff = 4 · d_model, and a norm?"
    known = {"head.bias": "The head has no bias. With nn.Linear, pass bias=False."}
    known |= dict.fromkeys(("norm.weight", "blocks.norm.weight"), "Is there a norm at the end?")
    known["position.weight"] = "There is a row for each position, so max_len = 9 of them."
    for name in wanted | got:
        want, have = (wanted | {"head.weight": (50, 12)}).get(name, "none"), got.get(name, "none")
        tied = have == (50, 12) and "Is it the head? It is token.weight, or else called head."
        why = lost or known.get(name) or tied or cause
        told = f"Parameter {name}: expected {want}, got {have}. {why}"
        assert want == have, told
    began = model.state_dict()["token.weight"].clone()
    places_began = model.state_dict()["position.weight"].clone()
    model.load_state_dict(check.renamed(model, right.state_dict()), strict=False)
    told = "head.weight is a table of its own. Tie it: `self.head.weight = self.token.weight`."
    assert torch.equal(model.state_dict().get("head.weight", table), table), told

    # Both tables begin small. (What the head scores has one of them in it, and the stream has both.)
    for name, start in (("token", began), ("position", places_began)):
        size = start.std().item()
        told = f"A fresh {name}.weight has a standard deviation of {size:.2g}, expected 0.02, in both tables."
        cause = check.first({
            "That is one number everywhere. Draw them.": size == 0,
            "That is 0.02 times 0.02. Is it scaled twice?": size < 0.001,
            "That is the spread of even numbers from −0.02 to 0.02. Are they drawn by normal_?":
                size < 0.014,
            "That is the root of 0.02. Is 0.02 the standard deviation, and not the variance?":
                0.11 < size < 0.18,
        }, "nn.Embedding begins with 1. Does nn.init.normal_(…, std=0.02) reach this one, too?")  # fmt: skip
        assert 0.014 < size < 0.027, f"{told}\n{cause}"

    # No guess may see what comes later, and the same ids give the same logits in training mode.
    yours, later = check.call(model.train(), ids), ids.clone()
    told = "The same ids twice give different logits in training. Is dropout 0?"
    assert check.same(model(ids), yours, 1e-6), told
    later[:, 5] = (ids[:, 5] + 1) % 50
    earlier, seen = ids.clone(), model(later)
    earlier[:, 0] = (ids[:, 0] + 1) % 50
    cause = check.first({
        "Only the guesses right before it do.\n"
        "Is the diagonal the main one, `tril()`, and is no id shifted?":
            check.same(seen[:, :3], yours[:, :3]),
        "And the last guess does not depend on the first id.\nIs the mask upside down? For your "
        "blocks True may be seen; for PyTorch's src_mask True is hidden.":
            check.same(model(earlier)[:, 8], yours[:, 8]),
    }, "Does the mask reach every block, and is it right in each?")  # fmt: skip
    told = "A guess depends on a later id."
    assert check.same(seen[:, :5], yours[:, :5]), f"{told} {cause}"

    # With the same numbers the same logits; where not, which known mistakes give yours?
    mistakes = {
        "Is it pre-norm, with norm_first=True?": {"norm_first": False},
        "Is the ε of the norms 1e-5? Here it is 0.001.": {"eps": 1e-3},
        "Is the activation relu?": {"act": F.gelu},
        "Is the id 0 taken for padding, and hidden? It is a character like any other.": {"skip": 2},
        "Is the embedding scaled by √d_model? Here nothing is.": {"scale": 12**0.5},
        "Are the positions added?": {"rows": 0}, "Do they run backwards?": {"rows": places.flip(0)},
        "Does the first character get row 0 of the positions?": {"rows": places.roll(-1, 0)},
        "Does each character get a position, not each sentence?": {"rows": places[:4, None]},
        "Has each position a row of its own? Here row 0 serves all.": {"rows": places[:1]},
        "Are the positions added once, before the blocks?": {"each": lambda x: x + places},
        "Is the last norm applied, after all blocks?": {"norm": lambda x: x},
        "The last norm is applied twice.": {"norm": lambda x: last(last(x))},
        "The last norm is for the end. Here one stands before the blocks.": {"enter": last},
        "The last norm is for the end. Here one stands after each block.": {"each": last},
        "May each position see itself? Its own column is hidden.": {"own": 0},
        "A block adds to x already. Is x added once more?": {"after": lambda x, read: x + read},
        "Are the logits divided by √d_model?": {"end": lambda t: t / 12**0.5},
        "Is there a softmax at the end? Logits are asked for.": {"end": lambda t: t.softmax(-1)},
        "Is there a log_softmax at the end?": {"end": lambda t: t.log_softmax(-1)},
        "Does x pass through every layer?": {"layers": (0,)},
        "Does each layer get what the one before returned?": {"layers": (1,)},
        "Do the layers run in order, layer 0 first?": {"layers": (1, 0)},
        "Are the layers one and the same block, n_layers times?": {"layers": (1, 1)},
        "Each layer is applied twice.": {"layers": (0, 0, 1, 1)},
    } | {f"Do the blocks have n_heads = 3 heads? These have {n}.": {"heads": n}
         for n in (1, 2, 4, 6, 12)} | {
        f"Does each position see all earlier ones? Here it sees {n}, itself included.": {"reach": n}
        for n in (2, 3, 4)}  # fmt: skip
    at = torch.arange(1, 10).clamp(max=8)
    alone = {
        "Does the head read token.weight itself? Here it reads a copy from the beginning.":
            {"head": began},
        "Do the positions begin with row 0? Here they begin with row 1.": {"rows": places[at]},
        "Are the positions added? Here they are multiplied.": {"rows": table[ids] * (places - 1)},
        "The sum of both tables goes into the blocks as it is. Here a norm comes first.":
            {"enter": lambda x: F.layer_norm(x, (12,))},
    }  # fmt: skip

    def otherwise():
        nine = model(torch.full((1, 9), 7))  # one character, nine times
        if check.same(nine, nine[:, :1].expand_as(nine)):
            told = "Nine equal characters get nine equal guesses: nothing tells their places apart."
            return f"{told}\nAre the positions looked up by the ids? They are counted: 0, 1, 2 …"
        if not check.same(model.eval()(ids), yours, 1e-4):
            told = "In eval mode they are others. Is dropout 0? It is the fourth argument of"
            return f"{told} TransformerBlock, and norm_first the fifth."
        times = (yours / logits_of()).median()
        if check.same(yours, times * logits_of(), 1e-3):
            told = f"They are PyTorch's, times {times:.4g}. Is the product with token.weight"
            return f"{told} returned as it is?"
        stages: dict[str, tuple[str | tuple[str, ...], str | None]] = {
            ", and each block passes on what it reads. Look at embedding, norms and head": (
                (),
                None,
            )
        }
        for n, (part, table) in itertools.product((0, 1), (("self_attn", "position"), ("linear2", None))):
            stages[f" but {part} of block {n}"] = (f"layers.{n}.{part}", table)
        fault = check.first_fault(model, right, lambda: model(ids), logits_of, stages)
        return f"Is it token + position, blocks, norm, head? {fault}"

    told = "The logits differ from PyTorch's."
    check.agrees(yours, logits_of(), told, logits_of, mistakes, otherwise, 1e-4, alone)

    # One id, .eval(), gradients, also through the head, the names, and too many ids.
    compare(model.eval()(ids), yours, "9 ids in eval mode: wrong logits.", atol=1e-4)
    told = "One id alone: wrong logits. Does it get row 0 of the positions?"
    stuck = "One id alone has to work, too. Is the mask made for the ids that came, (seq, seq)?"
    compare(check.call(model, ids[:, :1], stuck=stuck), yours[:, :1], told, atol=1e-4)
    told = "Five ids after a call with one: wrong logits. Is something kept from call to call?"
    compare(check.call(model, ids[:, :5], stuck=told), yours[:, :5], told, atol=1e-4)
    check.reaches(model.train()(ids), **dict(model.named_parameters()))
    names, cause = (10, 9), "Is the length compared with max_len before anything else?"
    check.refuses(model, torch.randint(0, 50, (2, 10)), names=names, otherwise=cause)
    named, told = {"vocab_size": 5, "d_model": 4}, "Are the arguments called as in the exercise?"
    small = check.call(GPT, **named, n_heads=2, n_layers=1, max_len=3, stuck=told)
    few = check.call(small, ids=ids[:, :2] % 5, stuck=told)
    told = "Three ids, and before them two: is something kept from the first call, like its mask?"
    compare(check.call(small, ids[:, :3] % 5, stuck=told)[:, :2], few, told)

    # The table learns from every id that is read, 0 too, and from every guess.
    rows = dict(model.named_parameters(remove_duplicate=False))["token.weight"]
    guesses = model(torch.arange(9)[None])[..., 40:]
    slopes = torch.autograd.grad(guesses.square().sum(), rows)[0].abs().sum(-1)
    told = "No gradient reaches the rows of token.weight that"
    cause = "Is there a padding_idx, or a detach?"
    assert (slopes[:9] > 0).all(), f"{told} were looked up. {cause}"
    assert (slopes[40:] > 0).all(), f"{told} the head reads. Is there a detach, or .data?"
    return "GPT passes: PyTorch's logits with the same numbers, and no guess sees what comes later."


def check_train(train):
    class Bigram(nn.Module):
        """Nine numbers: row i scores what follows i. In eval mode it answers otherwise."""

        def __init__(self, start, times=1):
            super().__init__()
            self.table, self.times = nn.Parameter(start.clone()), times

        def forward(self, ids):
            return self.times * self.table[ids] if self.training else 3 * self.table[ids]

        def __deepcopy__(self, memo):  # a copy answers otherwise, and so its losses tell
            return type(self)(self.table.detach(), times=5)

    def walk(scored=lambda t, i, y: (t[i], y), lr=0.1, decay=0.01, sign=1, times=1, **wrong):
        """AdamW's losses by hand, one for each batch; scored(table, inputs, targets) enters the cross-entropy."""
        table, m, v, piled, n, losses = wrong.get("begin", start), 0.0, 0.0, 0.0, 0, []
        most, second = 0 * table, wrong.get("second", 0.999)
        for batch in batches:
            leaf = table.clone().requires_grad_()
            logits, targets = scored(leaf, *batch)
            way = {"reduction": wrong.get("how", "mean"), "ignore_index": wrong.get("skip", -1)}
            way["label_smoothing"] = wrong.get("smooth", 0.0)
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), **way)
            slope = sign * torch.autograd.grad(loss, leaf)[0] + wrong.get("forget", 0) * piled
            piled = slope
            slope = slope / max(1, slope.norm() / wrong.get("clip", 1e9))
            if wrong.get("renew"):  # a new optimizer has no averages yet
                m, v, n = 0.0, 0.0, 0
            for _ in range(0 if wrong.get("once") and losses else times):
                n += 1
                m, v = 0.9 * m + 0.1 * slope, second * v + (1 - second) * slope**2
                most = torch.maximum(most, v) if wrong.get("amsgrad") else v
                step = (m / (1 - 0.9**n)) / ((most / (1 - second**n)).sqrt() + 1e-8)
                rate = lr if isinstance(lr, float) else lr[len(losses)]
                table = table * (1 - rate * decay) - rate * (slope if wrong.get("plain") else step)
            late = F.cross_entropy(scored(table, *batch)[0].flatten(0, 1), targets.flatten())
            losses.append((late if wrong.get("late") else loss).item())
        return torch.tensor(losses, dtype=torch.float64)

    def losses_of(make, **settings):
        """The losses under another optimizer, or with other settings."""
        table, losses = nn.Parameter(start.clone()), []
        optimizer = make([table], lr=0.1, **settings)
        for inputs, targets in batches:
            loss = F.cross_entropy(table[inputs].flatten(0, 1), targets.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return torch.tensor(losses, dtype=torch.float64)

    def other_lr(yours):
        """The learning rates of AdamW's first three steps that give these losses, where they follow a rule."""
        rates = []
        for n in (1, 2, 3):

            def off(rate, n=n):
                return (walk(lr=[*rates, rate, 0.0, 0.0, 0.0])[n] - yours[n]).item()

            grid = [0.0, *torch.logspace(-4, 0.5, 28).tolist()]
            low, high = next(((a, b) for a, b in zip(grid, grid[1:]) if off(a) * off(b) <= 1e-18), (0, 0))
            for _ in range(40 * (high > 0)):
                middle = (low + high) / 2
                low, high = (low, middle) if off(low) * off(middle) <= 0 else (middle, high)
            rates.append(low)
        share = torch.tensor(rates, dtype=torch.float64) / 0.1
        rules = (share, share.clamp(min=1e-9).log(), (2 * share - 1).acos())  # NaN above lr
        if share.max() > 0 and any(rule.diff().diff().abs() < 1e-4 for rule in rules):
            shown = ", ".join(f"{rate:.3g}" for rate in rates)
            told = f"These are AdamW's losses for a lr of {shown} in the first steps."
            return f"{told} Is lr = 0.1 used as it is in each?"
        return ""

    # Four batches on a model of nine numbers. Every mistake leaves its own four losses.
    torch.manual_seed(0)
    start, ids = torch.randn(3, 3).double(), torch.randint(0, 3, (5, 2, 4))
    batches = [(ids[n], ids[n + 1]) for n in range(4)]
    flat = {
        "xpected": "F.cross_entropy wants (N, vocab) and (N,): flatten the first two axes.",
        "does not require grad": "No gradient leads from the loss to the model. Is it called "
        "under no_grad, or is the loss made anew, as by item() or torch.tensor(…)?",
    }
    losses = check.call(train, Bigram(start).eval(), batches, 0.1, stuck=flat)
    told = f"Expected a list with a loss for each batch, got {type(losses).__name__}."
    cause = "Is there a `return`?" if losses is None else "Append each loss to a list of Python's."
    assert isinstance(losses, (list, tuple)), f"{told} {cause}"
    told = f"Expected four losses, one for each batch, got {len(losses)}."
    cause = "Is one appended for every batch, and does `return` stand behind the loop?"
    cause = "Is each batch used once?" if len(losses) > 4 else cause
    assert len(losses) == 4, f"{told} {cause}"
    told = f"Expected Python floats, got {type(losses[0]).__name__}. Does `.item()` make one?"
    assert all(isinstance(loss, float) for loss in losses), told
    yours, right = torch.tensor(losses, dtype=torch.float64), walk()
    shown = ", ".join(f"{loss:.4f}" for loss in losses)
    told = f"The four losses are {shown}, expected {', '.join(f'{loss:.4f}' for loss in right)}."
    if not check.same(yours, right, 1e-5):
        mistakes = {
            "The model answers as in eval mode. Is model.train() called first?":
                walk(lambda t, i, y: (3 * t[i], y)),
            "From the second batch on gradients pile up. Is there a zero_grad?": walk(forget=1),
            "From the second batch on: is a new optimizer made for every batch?": walk(renew=True),
            "Is it AdamW? Adam leaves the weight decay out.": walk(decay=0.0),
            "Is it AdamW? These are the steps of plain gradient descent.":
                walk(plain=True, decay=0.0),
            "Is AdamW's weight decay left at its default? This one is 0.1.": walk(decay=0.1),
            "Are AdamW's betas left at their defaults? The second is 0.95 here.": walk(second=0.95),
            "Is the cross-entropy taken without label smoothing? Here it is 0.1.": walk(smooth=0.1),
            "Is it the model itself that is trained? After `train` it has to have moved, and this "
            "looks like a copy of it.": walk(lambda t, i, y: (5 * t[i], y)),
            "Is there one step for each batch? Here there are two.": walk(times=2),
            "Does the loss go down? These steps go up. backward belongs to the loss.":
                walk(sign=-1),
            "Is each loss measured before its step?": walk(late=True),
            "Is the loss a mean over all positions, not their sum?": walk(how="sum"),
            "Does the target 0 count like any other?": walk(skip=0),
            "Is the loss over all positions, not the last one alone?":
                walk(lambda t, i, y: (t[i[:, -1:]], y[:, -1:])),
            "Have inputs and targets changed places?": walk(lambda t, i, y: (t[y], i)),
            "Are the inputs taken for the targets?": walk(lambda t, i, y: (t[i], i)),
            "Are the targets given to the model? It reads the inputs.":
                walk(lambda t, i, y: (t[y], y)),
            "Are the targets shifted once more? They come shifted.":
                walk(lambda t, i, y: (t[i[:, :-1]], y[:, 1:])),
            "Is there a softmax? Give logits.": walk(lambda t, i, y: (t[i].softmax(-1), y)),
            "Are both flattened in the same order?": walk(lambda t, i, y: (t[i.T], y)),
            "Is the vocabulary moved to axis 1 by a transpose? A reshape mixes it with positions.":
                walk(lambda t, i, y: (t[i].reshape(2, 3, 4).mT, y)),
            "Is each loss the mean as it is? These are multiplied by the size of the batch.":
                2 * right,
            "Is lr handed to the optimizer? These are the steps of its default, 0.001.":
                walk(lr=0.001),
            "Is lr handed to the optimizer? These are the steps of 0.003.": walk(lr=0.003),
            "Are AdamW's betas and its weight decay left at their defaults? Here they are 0.9 and "
            "0.95, and 0.1.": walk(second=0.95, decay=0.1),
            "The model does not move at all. Is there a step after backward, and zero_grad "
            "before it?":
                walk(lr=0.0),
            "The model does not move at all. Does a copy of it answer, and another take the steps?":
                walk(lambda t, i, y: (5 * t[i], y), lr=0.0),
            "Is there a step for every batch? After the first one nothing moved.": walk(once=True),
            "Is it the loss, and not the perplexity, which is e to its power?": right.exp(),
            "Are the losses rounded? It is enough to round what you print.":
                yours.round(decimals=4) if check.same(yours, right, 6e-3) else 0 * right,
            "Is each the loss of its own batch, not the sum so far?": right.cumsum(0),
            "Is each that of its own batch, not the mean so far?":
                right.cumsum(0) / torch.arange(1, 5),
        } | {f"Are the gradients taken as they are? Here their norm is cut to {size}.":
             walk(clip=most) for size, most in (("0.1 or less", 0.1), (0.25, 0.25), (0.5, 0.5))}  # fmt: skip
        for name in ("Adagrad", "RMSprop", "Adamax", "NAdam", "RAdam", "Adadelta", "Rprop"):
            mistakes[f"Is it AdamW? These are the steps of {name}."] = losses_of(getattr(torch.optim, name))
        momentum = "Is it AdamW? These are the steps of gradient descent with a momentum of 0.9."
        mistakes[momentum] = losses_of(torch.optim.SGD, momentum=0.9)
        for name, value in (("betas", (0.9, 0.98)), ("betas", (0.9, 0.99)), ("betas", (0.8, 0.999)), ("eps", 1e-3),
                            ("eps", 1e-4), ("weight_decay", 0.05), ("weight_decay", 0.001)):  # fmt: skip
            other = f"Is AdamW's argument {name} left at its default? Here it is {value}."
            mistakes[other] = losses_of(torch.optim.AdamW, **{name: value})
        for keep in (0.5, 0.9, 0.95, 0.98, 0.99):
            for sofar in (right[0], 0 * right[0]):  # where the average begins
                running = []
                for loss in right:
                    sofar = keep * sofar + (1 - keep) * loss
                    running.append(sofar)
                which = f"Is each that of its own batch? This is a running average, {keep} of it old"
                mistakes[f"{which}{' from 0 on' * (running[0] != right[0]).item()}."] = torch.stack(running)
        off = [check.same(a, b, 1e-5) for a, b in zip(yours, right)].index(False)
        step = f"The first {off} losses are right, and so is the first step. Is every later one"
        step += " made alike, with this lr, this optimizer, and the gradients as they are?"
        if off == 1:
            step = "The first loss is right, and the step after it is not. Is it zero_grad,"
            step += " backward, step, for each batch, with AdamW as it comes?"
        if off == 0:
            step = "The first loss, before any step, is a different one. Is it the mean cross-entropy of"
            step += " model(inputs), where each row of logits meets its own target?"
        cause, times = check.like(yours, mistakes, atol=1e-5), check.times(yours, right, 1e-5)
        if times is not None:
            step = f"Each is {times:g} times as large as it should be."
        raise AssertionError(f"{told} {cause or (off > 0 and other_lr(yours)) or step}")

    # An iterator, which can be gone through only once, another lr, and the arguments' names.
    once = "batches may be an iterator: it has no length and no index. Is it gone through once?"
    causes = {"argument": "Are the arguments called model, batches and lr?", "": once}
    given = {"model": Bigram(start), "batches": iter(batches), "lr": 0.02}
    losses = check.call(train, **given, stuck=causes)
    assert len(losses) == 4, f"Four batches from an iterator, {len(losses)} losses. {once}"
    told = "With lr = 0.02 the losses of four batches differ. Is lr handed to the optimizer?"
    assert check.same(torch.tensor(losses, dtype=torch.float64), walk(lr=0.02), 1e-5), told

    # A table that is trained on four batches, and then once more: it has to have stayed trained.
    class Later:
        """One batch. Before it gives it, it trains the model on other batches."""

        def __init__(self, batch, train, *before):
            self.batch, self.train, self.before = batch, train, before

        def __iter__(self):
            self.train(*self.before)
            yield self.batch

    model = nn.Embedding.from_pretrained(start.clone(), freeze=False)  # alike in both modes
    later = Later(batches[0], lambda *before: train(*before), model, batches, 0.1)
    loss = torch.tensor(check.call(train, model, later, 0.1, stuck=once)[-1]).double()
    batches = [*batches, batches[0]]
    wanted = walk()[-1]
    told = "A model trained on four batches is handed to train again, with the first of them. Its "
    told += f"loss should be {wanted:.4f} by now, and it is {loss:.4f}."
    if not check.same(loss, wanted, 1e-5):
        raise AssertionError(
            f"{told} "
            + check.like(
                loss,
                {
                    "It was that before any training. Are the old parameters put back at the end? "
                    "When train returns, the model has to stay as the last step left it.": right[0],
                },
                "Is anything done to the parameters after the last step?",
                1e-5,
            )
        )

    # Two surprises, ten batches that hold others, then surprises again: what do the steps do then?
    start = torch.tensor([[6.0, 0, 0], [0, 1, -1], [0.5, 0, 1]]).double()
    ones, mixed = torch.ones(2, 4).long(), torch.tensor([[0, 1, 2, 0], [1, 2, 0, 1]])
    rare, common = (0 * ones, ones), (ones, mixed)
    batches = [rare] * 2 + [common] * 10 + [rare, common] * 3
    yours = torch.tensor(check.call(train, Bigram(start), batches, 0.1), dtype=torch.float64)
    right = walk()
    assert len(yours) == 18, f"18 batches, {len(yours)} losses. Is one appended for every batch?"
    last = f"The 17th of 18 losses is {yours[-2]:.4f}, expected {right[-2]:.4f}."
    if not check.same(yours, right, 1e-5):
        raise AssertionError(
            f"{last} "
            + check.like(
                yours,
                {
                    "Is AdamW's amsgrad left at its default, False?": walk(amsgrad=True),
                    "Are the gradients taken as they are? Here their norm is cut to 1.": walk(clip=1),
                },
                "Are the steps AdamW's own, of one size, with nothing done to the gradients?",
                1e-5,
            )
        )

    # A bias is a parameter like any other. AdamW takes each number by itself, so that by hand the
    # bias can be one more row of the table.
    class Biased(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.bias = nn.Parameter(start.clone()), nn.Parameter(bias.clone())

        def forward(self, ids):
            return self.table[ids] + self.bias

    def with_bias(t, i, y):
        return t[i] + t[3], y

    bias = torch.tensor([3.0, -1, 0]).double()
    both = torch.cat([start, bias[None]])
    losses = check.call(train, Biased(), batches, 0.1)
    yours, right = torch.tensor(losses, dtype=torch.float64), walk(with_bias, begin=both)
    mistakes = {
        "Does the optimizer get all parameters? The bias stays as it was.":
            walk(lambda t, i, y: (t[i] + bias, y)),
        "Has every parameter AdamW's weight decay? Here the bias has none.":
            walk(with_bias, begin=both, decay=torch.tensor([[0.01]] * 3 + [[0.0]])),
    }  # fmt: skip
    told = "A table and a bias: the losses differ."
    cause = check.like(yours, mistakes, "Are all parameters trained alike?", 1e-5)
    assert check.same(yours, right, 1e-5), f"{told} {cause}"

    return "train passes: AdamW's losses for each batch, and the next batch sees what was learned."


def check_generate(generate):
    class Rule(nn.Module):
        """A model whose largest logit is known: it stands at rule(model, ids), the others are 0."""

        def __init__(self, rule):
            super().__init__()
            self.rule, self.weight = rule, nn.Parameter(torch.ones(()))

        def forward(self, ids):
            best = self.rule(self, ids).expand(ids.shape)
            return 5 * self.weight * F.one_hot(best.long(), 12)

    chosen = []

    def greedy(logits):
        chosen.append(logits)
        return logits.argmax(dim=-1)

    # The likeliest next id is the last one plus 1; at every earlier position it is another.
    widths = []

    def counting(model, ids):
        widths.append(ids.shape[1])
        return (ids + 1 + 3 * torch.arange(ids.shape[1] - 1, -1, -1)) % 12

    prompt = torch.tensor([[4, 7, 2], [1, 0, 8]])
    per_row = "choose gets the logits (batch, vocab) and returns the ids (batch,): one per row."
    stuck = {"except in dimension 0": "New ids go behind the others, so join along dim=1."}
    stuck[""] = per_row
    yours = check.call(generate, Rule(counting), prompt, 5, 20, greedy, stuck=stuck)
    first = "Do the ids that were given come first in the result?"
    if torch.is_tensor(yours) and check.same(yours[:, :3], prompt):
        first = "n ids are to be written besides those that were given."
    check.tensor(yours, (2, 8), "the ids", {
        (2, 5): first,
        (2, 4): "Does the loop go on after the first id, and does `return` stand behind it?",
        (2, 3): "Is the loop's result returned, not the ids that came?",
        (2, 9): "That is one id too many. Does the loop run n times?",
        (2, 7): "That is one id too few. Does the loop run n times?",
        (2, 23): "Is it n ids that are written? These are max_len.",
    }, "Does the loop run n times, and does each round add a column, by dim=1?")  # fmt: skip
    assert yours.dtype == torch.int64, f"Expected int64, got {yours.dtype}."
    told = f"The given ids were {prompt.tolist()}, in the result they are {yours[:, :3].tolist()}."
    assert torch.equal(yours[:, :3], prompt), f"{told} New ids go behind them."
    told = "choose was never called. It decides, in place of an argmax or a draw of your own."
    assert chosen, told
    told = f"For 5 new ids choose was called {len(chosen)} times. Each call may draw a different id."
    assert len(chosen) == 5, f"{told} Is choose called once per round, with (batch, vocab)?"
    written, right = yours[:, 3:].tolist(), [[3, 4, 5, 6, 7], [9, 10, 11, 0, 1]]
    told = f"Each id is the last one plus 1: after 4 7 2 and 1 0 8 expected {right}, got {written}."
    cause = check.first({
        f"In the first round the model was given {widths[0]} ids, and there were 3. Is what has still "
        "to be written given, too?": widths[0] > 3,
        "Is the guess of the last position taken?": written[0][0] != 3,
        "Is the new id given to the model in the next round?": written[0][1] == 3,
        "Does each row of the batch go on by itself?": written[0] == right[0],
    }, "Is each new id appended before the model runs again?")  # fmt: skip
    assert written == right, f"{told} {cause}"

    # What the model is given: at most the last max_len ids. Here it writes how many it saw.
    def seen(model, ids):
        return torch.tensor(ids.shape[1])

    window = "The model gets at most max_len = 5 ids. Is its last guess at [:, -1]?"
    yours = check.call(generate, Rule(seen), prompt, 5, 5, greedy, stuck=window)
    cut = "Only what the model is given is cut to max_len; the text keeps all its ids, and grows on."
    check.tensor(yours, (2, 8), "the ids", otherwise=cut)
    counts = yours[0, 3:].tolist()
    told = f"With max_len=5 and 3 given ids, the model saw {counts} ids, expected [3, 4, 5, 5, 5]."
    cause = check.first({
        "Are the ids cut to the last max_len? They are the columns, axis 1.": max(counts) > 5,
        "Is the model given all that fits, not the last id alone?": counts[0] < 3,
        "Is that one id too few? max_len ids are still allowed.": max(counts) == 4,
    }, "Is it the last max_len ids in every round?")  # fmt: skip
    assert counts == [3, 4, 5, 5, 5], f"{told} {cause}"
    oldest = Rule(lambda model, ids: ids[:, :1])  # writes the first id that it is given
    yours = check.call(generate, oldest, prompt, 1, 2, greedy)
    check.tensor(yours, (2, 4), "the ids", otherwise=cut)
    first = yours[0, 3].item()
    told = f"With max_len=2 the first id that the model is given of 4 7 2 is {first}, expected 7."
    assert first == 7, f"{told} Are they the last max_len ids, not the first?"

    # In eval mode, without gradients, and choose decides.
    early = "Does writing stop at an id? There is no end here but n."

    def asked(choose, rule=counting, n=1):
        yours = check.call(generate, Rule(rule), prompt, n, 9, choose, stuck=per_row)
        check.tensor(yours, (2, 3 + n), "the ids", otherwise=early)
        return yours[0, 3] if n == 1 else yours[0, 3:].tolist()

    modes = asked(greedy, lambda model, ids: torch.tensor(int(model.training)), 3)
    assert modes[0] == 0, "The model ran in training mode. Is model.eval() called first?"
    told = "The first id was written in eval mode, a later one in training mode."
    assert modes == [0] * 3, f"{told} Is model.train() called inside the loop?"
    modes = asked(greedy, lambda model, ids: torch.tensor(int(torch.is_grad_enabled())), 3)
    assert modes == [0] * 3, "The model ran with gradients. Is torch.no_grad() around the loop?"

    last = asked(lambda logits: torch.full((2,), logits.shape[-1] - 1))
    told = f"choose returned the last id of the vocabulary, 11, and {last} was written."
    assert last == 11, f"{told} Is choose used, instead of argmax?"
    axes = asked(lambda logits: torch.full((2,), logits.ndim))
    told = f"choose was given a tensor of {axes} axes, expected 2: the logits (batch, vocab)."
    assert axes == 2, f"{told} Is it the last position alone?"
    rows = asked(lambda logits: torch.full((len(logits),), len(logits)))
    told = f"choose was given the logits of {rows} row, expected those of both rows at once."
    assert rows == 2, f"{told} Is choose called once per round, with (batch, vocab)?"
    total = asked(lambda logits: logits.sum(-1).round().abs().long())
    told = f"The logits sum to 5, what choose was given to {total}."
    assert total == 5, f"{told} Is there a softmax or a log_softmax before choose?"

    # No ids to write, one row, and the arguments' names.
    nothing = "With n=0 no round of the loop runs. Is what is returned made before the loop?"
    none = check.call(generate, Rule(counting), prompt, 0, 9, greedy, stuck=nothing)
    told = "n=0: expected the ids that came"
    assert isinstance(none, torch.Tensor), f"{told}, got {type(none).__name__}."
    assert torch.equal(none, prompt), f"{told}, got {none.tolist()}."
    given = {"model": Rule(counting), "ids": prompt[:1], "n": 2, "max_len": 3, "choose": greedy}
    names = "Are the arguments called model, ids, n, max_len and choose?"
    causes = {"argument": names, "": "Does one row alone work? A squeeze drops its axis."}
    yours = check.call(generate, **given, stuck=causes).tolist()
    assert yours == [[4, 7, 2, 3, 4]], f"4 7 2 alone, two more: expected 3 and 4, got {yours}."
    return "generate passes: the last max_len ids go in, what choose returns is appended."


def check_next_distribution(next_distribution):
    # Probabilities worked by hand. The logits are their logarithms, each row shifted by a number.
    start = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.55, 0.05, 0.25, 0.15]])
    logits = start.log() + torch.tensor([[3.0], [-1.0]])

    stuck = {"range": "A top_k above the size of the vocabulary drops nothing. Is k limited?",
             "argument": "Are the arguments called logits, temperature, top_k and top_p?",
             "emperature": "A temperature of 0 is allowed. What does it stand for?",
             "": "Does it work row by row, for any axes before the last?"}  # fmt: skip

    def gives(right, mistakes, otherwise, nan="Is something divided by 0?", **dials):
        """With these dials the result is right; otherwise, which mistake gives yours?"""
        yours = check.call(next_distribution, logits, **dials, stuck=stuck)
        shown = ", ".join(f"{name}={value}" for name, value in dials.items()) or "no dials"
        empty = torch.is_tensor(yours) and yours.isnan().any()
        assert not empty, f"With {shown} there are NaN. {nan}"
        check.tensor(yours, (2, 4), f"what {shown} gives", otherwise="Expected all probabilities.")
        told = f"With {shown}, float32 logits give {yours.dtype}, expected float32."
        cause = "Is a one-hot or a mask returned as it is?"
        cause = "Is a new tensor like them?" if yours.is_floating_point() else cause
        assert yours.dtype == torch.float32, f"{told} {cause}"
        left = yours[(right == 0) & (yours != 0) & (yours.abs() < 5e-3)].tolist()
        told = f"With {shown}, what is dropped must be exactly 0, not nearly. Is it −inf before the"
        assert not left, f"{told} softmax? Is temperature=0 a case of its own?"
        rows = [", ".join(f"{p:.3f}" for p in row) for row in [*start.tolist(), *yours.tolist()]]
        told = f"{rows[0]} and {rows[1]} with {shown} became {rows[2]} and {rows[3]}."
        if one_row := check.some_right(yours, right, part="row"):
            otherwise = f"{otherwise} {one_row}"  # it comes last: a row may be right by chance
        compare(yours, right, f"{told} {check.like(yours, mistakes, otherwise)}")

    # The temperature divides the logits: 0.5 squares each probability, before they are rescaled.
    power = {p: start**p / (start**p).sum(-1, keepdim=True) for p in (0.5, 10 / 7, 1.25, 2, 4, 10)}
    given, rows = "is the temperature where none is given. Its default is 1.", logits.softmax(0)
    gives(start, {f"{1 / p:.1f} {given}": wrong for p, wrong in power.items()} | {
        "Is the softmax over the last axis?": rows,
        "Is the softmax over the last axis, too?": rows / rows.sum(-1, keepdim=True),
        "Is the softmax taken twice?": start.softmax(-1),
        "Is it a softmax?": logits / logits.sum(-1, keepdim=True), "Is softmax missing?": logits,
        "They come out sorted. Does each probability stay in its own place?":
            start.sort(descending=True).values,
        "They come out sorted, the smallest first. Does each stay in its own place?":
            start.sort().values,
        "All probability is on the largest. Return the probabilities.": F.one_hot(start.argmax(-1), 4),
    }, "Expected the probabilities as they are. Is it softmax(logits / 1), and nothing added?")  # fmt: skip
    gives(power[2], {
        "The logits were multiplied by the temperature; divide.": power[0.5],
        "Is the temperature used, and on the logits, before the softmax?": start,
        "Are the probabilities divided? The temperature divides the logits.": 2 * start,
        "Are the logits divided by the temperature once, and not twice?": power[4],
    }, "Expected each of them squared, then rescaled.", temperature=0.5)  # fmt: skip
    greedy, apart = torch.tensor([[0.0, 1, 0, 0], [1, 0, 0, 0]]), "Treat 0 as a case of its own."
    each = "Is it an argmax, of each row by itself?"
    gives(greedy, {
        "Is temperature 0 ignored?": start,
        "Is what is left rescaled? The largest gets all probability, so 1.": start * greedy,
    }, each, apart, temperature=0)  # fmt: skip
    close = torch.tensor([[0.0, 1e-12, -0.3]], dtype=torch.float64)
    yours = check.call(next_distribution, close, 0)
    told = f"With temperature=0, float64 logits give {yours.dtype}, expected float64."
    assert yours.dtype == torch.float64, f"{told} Is a new tensor like them?"
    told = "Logits 0, 1e-12, and −0.3 with temperature=0: expected 0, 1, 0. Is 0 replaced by"
    compare(yours, torch.tensor([[0, 1.0, 0]]).double(), f"{told} a small number? {apart}")

    # top_k: what stays when two are kept, and what the usual mistakes would keep.
    two = torch.tensor([[0, 4 / 7, 0, 3 / 7], [11 / 16, 0, 5 / 16, 0]])
    three = torch.tensor([[0, 4 / 9, 2 / 9, 3 / 9], [11 / 19, 0, 5 / 19, 3 / 19]])
    ordered, order = two.sort(descending=True).values, start.argsort(descending=True)
    own = "Has each probability stayed in its own place? Scatter what was sorted back"
    mistakes = {
        "Is what was kept rescaled to sum to 1?": start * (two > 0),
        f"{own}.": ordered, f"{own}, do not gather it.": ordered.gather(-1, order),
        "Is what was kept divided by its sum? A second softmax gives other numbers.":
            start.where(two > 0, torch.tensor(-torch.inf)).softmax(-1),
        "A 0 before a softmax drops nothing. Use −inf there.": (start * (two > 0)).softmax(-1),
        "A logit of 0 drops nothing. Use −inf there.": (logits * (two > 0)).softmax(-1),
        "Is each row divided by its own sum? Here it is that of all rows together.":
            start * (two > 0) / (start * (two > 0)).sum(),
    }  # fmt: skip
    lowest = torch.tensor([[1 / 3, 0, 2 / 3, 0], [0, 0.25, 0, 0.75]])
    fewer = "Is one too few kept? The last that stays is not smaller than itself."
    if check.same(check.call(next_distribution, logits[:1], top_k=2, stuck=stuck), two[:1]):
        fewer = "Is the last that stays sought in each row by itself? Alone, the first row is right."
    gives(two, mistakes | {
        "Is top_k used?": start, "Are the smallest kept?": lowest, "Is one too many kept?": three,
        fewer: greedy,
        "Is the comparison the wrong way round? What is larger than the k-th is dropped here.":
            torch.stack([torch.tensor([1, 0, 2, 3]) / 6, torch.tensor([0, 1, 5, 3]) / 9]),
        "Is the same set kept in every row?": torch.stack([two[0], lowest[1]]),
    }, "Expected 0, 4/7, 0, 3/7 and 11/16, 0, 5/16, 0.", top_k=2)  # fmt: skip
    gives(greedy, {}, "Of each row, the largest alone stays.", top_k=1)
    gives(start, {}, "Of four, nothing is dropped. Is k limited?", top_k=9)

    # top_p: the fewest of the largest whose sum reaches it, in each row by itself.
    upwards = torch.stack([torch.tensor([1, 0, 2, 3]) / 6, start[1]])
    few, rest = torch.stack([two[0], greedy[1]]), "Is it kept up to 1 − top_p, not up to top_p?"
    if check.same(check.call(next_distribution, logits, top_p=0.65, stuck=stuck), few):
        rest = "Is each compared with top_p times the largest? Their sum has to reach top_p."
    gives(two, mistakes | {
        "Is the one that reaches top_p dropped? Or is each compared with top_p, not their sum?": greedy,
        "Is top_p used at all, and does its sum run along each row?": start,
        "Is one too many kept? Stop as soon as the sum reaches top_p.": three,
        rest: few,
        "Are the probabilities summed from the smallest on? Sort in descending order.": upwards,
    }, "Is each row sorted by itself, and each probability put back?",
        "Is each compared with top_p? Their sum must reach it.", top_p=0.58)  # fmt: skip
    gives(greedy, {}, "The largest alone reaches 0.29, so it stays, and no other.", top_p=0.29)

    # Two dials together: temperature, then top_k, and top_p of what top_k has left.
    gives(two, {"Is top_k used beside top_p?": start}, "Expected two.", top_k=2, top_p=0.97)
    gives(two, {
        "Is top_p used beside top_k?": three,
        "Is top_k first, and is what it keeps rescaled to sum to 1 before top_p?":
            torch.stack([three[0], two[1]]),
    }, "Expected two in each row.", top_k=3, top_p=0.75)  # fmt: skip
    right = torch.tensor([[0, 16 / 25, 0, 9 / 25], [1.0, 0, 0, 0]])
    late, as_first = (power[2] * (kept > 0) for kept in (torch.stack([three[0], two[1]]), two))
    gives(right, {
        "Does the temperature come before top_p?": late / late.sum(-1, keepdim=True),
        "Does top_p ask in each row how many stay? Row 1 keeps as many as row 0.":
            as_first / as_first.sum(-1, keepdim=True),
    }, "Expected two in row 0, and one in row 1.", temperature=0.5, top_p=0.75)  # fmt: skip
    gives(greedy, {}, "The largest has it all.", apart, temperature=0, top_k=3, top_p=0.9)

    # Rows that need different thresholds, and float64, in which nothing is rounded away.
    uneven = [[0.1, 0.4, 0.2, 0.3], [0.86, 0.01, 0.08, 0.05]]
    uneven = torch.tensor(uneven, dtype=torch.float64)
    first = [[0, 4 / 7, 0, 3 / 7], [43 / 47, 0, 4 / 47, 0]]
    second = [[0, 4 / 9, 2 / 9, 3 / 9], first[1]]
    turned = "Called by name it is right. Is the order logits, temperature, top_k, top_p?"
    for right, k, p in ((first, 2, None), (second, None, 0.88)):
        cause = "Has each row a smallest that stays of its own, not one for all rows together?"
        named = {"temperature": 1.0, "top_k": k, "top_p": p}
        named = check.call(next_distribution, uneven.log(), **named, stuck=stuck)
        cause = turned if check.same(named, torch.tensor(right)) else cause
        yours = check.call(next_distribution, uneven.log(), 1.0, k, p, stuck=cause)
        told = f"float64 logits give {yours.dtype}, expected float64. Is a new tensor like them?"
        assert yours.dtype == torch.float64, told
        told = f"{uneven.tolist()} with top_k={k}, top_p={p}. {cause}"
        compare(yours, torch.tensor(right).double(), told)
    yours = check.call(next_distribution, uneven.log(), 0.125, 2)
    right = uneven**8 * (torch.tensor(first) > 0)
    told = "float64, temperature=0.125, top_k=2: your numbers are a little off."
    cause = "Is something added to the temperature or to a sum? Here neither can be 0."
    compare(yours, right / right.sum(-1, keepdim=True), f"{told} {cause}", atol=5e-7)

    # A sum that equals top_p reaches it: here 1/2, where this machine's exp of −ln 2 is exact.
    halves = torch.tensor([[0.25, 0.5, 0.25], [0.5, 0.25, 0.25]], dtype=torch.float64)
    ways = (halves.log().softmax(-1), halves.log().log_softmax(-1).exp())
    if all(torch.equal(way, halves) for way in ways):
        yours = check.call(next_distribution, (4 * halves).log(), 1.0, None, 0.5, stuck=stuck)
        told = "Probabilities 1/4, 1/2, 1/4 with top_p=0.5: the 1/2 alone reaches it."
        cause = "Does a sum that equals top_p count as reaching it? Compare with `>=`."
        compare(yours, (halves == 0.5).double(), f"{told} {cause}")

    # More axes, no dials, and large logits.
    for k, p in ((2, None), (None, 0.58)):
        yours = check.call(next_distribution, logits[None, :, None], 1.0, k, p, stuck=stuck)
        told = f"Logits (1, 2, 1, 4), top_k={k}, top_p={p}: expected the rows of (2, 4) once more."
        compare(yours, two[None, :, None], f"{told} Is the axis −1 each time, and each row alone?")
    wide, told = torch.randn(3, 60), "Without dials, nothing of 60 ids is dropped."
    check.tensor(next_distribution(300 * wide), (3, 60), "what logits of ±300 give")
    compare(next_distribution(wide), wide.softmax(-1), f"{told} Are top_k and top_p None?")
    return "next_distribution passes: temperature, top_k, top_p, each probability in its own place."
