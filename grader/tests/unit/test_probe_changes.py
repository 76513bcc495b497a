"""The probe's operators: each makes the mistake that it names, once, and leaves out what means the same."""

import ast

import pytest

from nbproctor.probe.changes import Unreadable, changes
from nbproctor.probe.edits import Source
from nbproctor.probe.findings import Found
from nbproctor.probe.operators import ALL

MADE = [  # a line, what it becomes, the words for it
    ("y = a < b", "y = a <= b", "`a < b` compares with `<=`"),
    ("y = 0 <= a < b", "y = 0 < a < b", "`0 <= a` compares with `<`"),
    ("y = a in b", "y = a not in b", "`a in b` compares with `not in`"),
    ("y = a + b", "y = a - b", "`+` becomes `-` in `a + b`"),
    ("y = a + b", "y = a", "`+ b` is left out"),
    ("y = -(a + b)", "y = -(a - b)", "`+` becomes `-` in `a + b`"),
    ("y = a @ b", "y = b @ a", "the factors of `a @ b` are exchanged"),
    ("y += x", "y = x", "`y` is overwritten, not added to"),
    ("y = f(3)", "y = f(4)", "`3` becomes `4`"),
    ("y = True", "y = False", "`True` becomes `False`"),
    ("y = x[-1]", "y = x[-2]", "`-1` becomes `-2`"),
    ("y = not a", "y = a", "`not` is left out before `a`"),
    ("y = a and b", "y = a or b", "`and` becomes `or` in `a and b`"),
    ("y = a and b", "y = b", "the condition `a` is left out"),
    ("y = 'é' if a else b", "y = 'é' if not (a) else b", "`if a` is negated"),
    ("y = [x for x in z if x]", "y = [x for x in z if True]", "the filter `if x` is left out"),
    ("x[0] = y", "pass", "the line `x[0] = y` is left out"),
    ("x.remove(y)", "pass", "the line `x.remove(y)` is left out"),
    ("for x in range(n): f(x)", "for x in range(n - 1): f(x)", "`range(n)` ends one too early"),
    ("for x in range(n): f(x)", "for x in range(1, n): f(x)", "`range(n)` begins at 1"),
    ("y = x[a:b]", "y = x[:b]", "the slice `x[a:b]` has no start"),
    ("y = x[:b]", "y = x[:b - 1]", "the last element of `x[:b]` is left out"),
    ("y = [x[i] for i in range(n)]", "y = [x[i - 1] for i in range(n)]", "the element before `x[i]` is taken"),
    ("y = f(a, b)", "y = f(b, a)", "the arguments of `f(a, b)` are exchanged"),
    ("y = f(a, k=2)", "y = f(a)", "`k=2` is left out of `f(…)`"),
    ("y = x.sum(axis=0)", "y = x.sum(axis=1)", "`axis=0` becomes `axis=1`"),
    ("y = x.sum(dim=-1, keepdim=True)", "y = x.sum(dim=-1)", "`keepdim=True` is left out of `x.sum(…)`"),
    ("y = x.T", "y = x", "`x.T` is not transposed"),
    ("y = np.mean(x)", "y = np.sum(x)", "`mean` becomes `sum`"),
    ("y = max(x)", "y = min(x)", "`max` becomes `min`"),
    ("y = x.copy()", "y = x", "`.copy(…)` is left out"),
    ("y = list(x)", "y = x", "`list(x)` is no copy"),
    ("y = math.sqrt(a + b)", "y = a + b", "`math.sqrt(…)` is left out"),
    ("y = sorted(x)", "y = sorted(x, reverse=True)", "sorted in the opposite order"),
    ("y = d.sort_values('a')", "y = d.sort_values('a', ascending=False)", "sorted in the opposite order"),
    ("y = a.merge(b, how='left')", 'y = a.merge(b, how="inner")', 'the join keeps other rows: `how="inner"`'),
    ("y = d.groupby(['a', 'b'])", "y = d.groupby(['b'])", "grouped without the key `'a'`"),
    ("d.drop(c, inplace=True)", "d.drop(c)", "`inplace=True` is left out of `d.drop(…)`"),
    ("y = np.std(x)", "y = np.std(x, ddof=1)", "`std` divides by n - 1"),
    ("y = 'yes'", "y = 'yes?'", "the text `'yes'` is changed"),
]
IN_A_FUNCTION = [
    ("return a, b", "return b, a", "the two results are returned swapped"),
    ("return a", "return None", "nothing is returned"),
    ("if a: y = 1", "pass", "`if a` is left out, with what is in it"),
    ("raise ValueError(a)", "pass", "the line `raise ValueError(a)` is left out"),
    ("for x in y:\n        f(x)\n        break", "pass", "`break` is left out"),
    ("while a:\n        f(x)", "break", "the loop `while a` ends after its first iteration"),
]
SAME = [  # nothing is to be changed there, or not in this way
    ("y = np.maximum(a, b)", "np.maximum(b, a)"),
    ("y = a if a > b else b", "a if a >= b else b"),
    ("if a > b:\n    b = a", "if a >= b"),
    ("y = d.sort_values(c, ascending=True)", "sort_values(c)"),
    ("y = a.merge(b, how='left')", "a.merge(b)"),
    ("y = np.allclose(a, b, atol=1e-5)", "allclose"),
    ("y = x.sum(axis=1)", "axis=-1"),
    ("y = x.sum(axis=-1)", "axis=1)"),
    ("y = x.transpose(1, 2)", "transpose(2, 1)"),
    ("print(a, 3)", ""),
    ("plt.plot(x, y, lw=2)", ""),
    ("assert a, 'the message'", "the message?"),
    ("y = x[0:n]", "y = x[:n]"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "words"), MADE)
def test_an_operator_makes_the_mistake_that_it_names(old: str, new: str, words: str) -> None:
    assert (new, words) in [(one.new, one.words) for one in changes("e", old)]


@pytest.mark.parametrize(("old", "new", "words"), IN_A_FUNCTION)
def test_and_so_it_does_in_a_function(old: str, new: str, words: str) -> None:
    found = changes("e", f"def f(a, b):\n    {old}")
    assert (new, words) in [(one.new, one.words) for one in found]
    assert all(one.is_called for one in found)


@pytest.mark.parametrize(("source", "never"), SAME)
def test_what_means_the_same_is_left_out(source: str, never: str) -> None:
    made = [one.new for one in changes("e", source) if one.new != "pass"]
    assert not [one for one in made if never in one], made


def test_only_what_stands_between_the_marks_is_changed_and_each_change_once() -> None:
    source = (
        "import os  # ü\ndef f(x, n=2):\n    '''Returns 3.'''\n    ### BEGIN SOLUTION\n    k = n + 1\n"
        "    ### END SOLUTION\n    return k - 1\n"
    )
    found = changes("e", source)
    assert found and {one.line for one in found} == {5}
    assert len({one.key for one in found}) == len({one.source for one in found}) == len(found)
    for one in found:
        compile(one.source, "<change>", "exec")
        assert one.source.splitlines()[0] == "import os  # ü" and "Returns 3" in one.source
    other = changes("e", source.replace("k - 1", "k - 2"))
    assert not {one.key for one in found} & {one.key for one in other}, "a mark is for one edition of the solution"
    assert changes("e", source.replace("###", "#"), ("BEGIN SOLUTION", "END SOLUTION"))


def test_the_last_line_says_how_much_was_tried() -> None:
    found = Found("hw", tried=312, possible=1040, seconds=61.4, marked=1)
    assert found.summary == ("312 of 1,040 changes tried in 61 s; 0 would earn full points. 1 more is marked as right.")


def test_a_cell_with_a_magic_is_not_changed() -> None:
    with pytest.raises(Unreadable, match="not plain Python"):
        changes("e", "%time f(3)")


def test_each_operator_is_tried_here() -> None:
    lines = "\n".join(f"def f{at}(a, b):\n    {old}" for at, (old, *_) in enumerate(MADE + IN_A_FUNCTION))
    source = Source(lines)
    for operator in ALL:
        assert operator.__doc__
        assert any(edit for node in ast.walk(source.tree) for edit in operator(source, node)), operator.__name__
