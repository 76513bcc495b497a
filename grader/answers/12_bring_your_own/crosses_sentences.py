# %% right: the largest difference of all
def crosses_sentences(layer, x):
    whole, worst = layer(x), 0.0
    for b in range(x.shape[0]):
        mixed = torch.where((torch.arange(len(x)) == b)[:, None, None], x, torch.randn_like(x))
        worst = max(worst, (layer(mixed)[b] - whole[b]).abs().max().item())
        worst = max(worst, (layer(x[[b]])[0] - whole[b]).abs().max().item())
    return worst > 1e-5

# %% right: one other sentence at a time
def crosses_sentences(layer, x):
    before = layer(x)
    alone = torch.cat([layer(one[None]) for one in x])
    if not torch.allclose(alone, before, rtol=0, atol=1e-5):
        return True
    for other in range(len(x)):
        y = x.clone()
        y[other] = torch.randn_like(x[other])
        moved = (layer(y) - before).abs().flatten(1).amax(1) > 1e-5
        moved[other] = False
        if moved.any():
            return True
    return False

# %% right: any, over a list
def crosses_sentences(layer, x):
    before = layer(x)

    def differs(out, b):
        return bool(((out - before[b]).abs() > 1e-5).any())

    def company(b):
        y = 2 * torch.rand_like(x) - 1
        y[b] = x[b]
        return layer(y)[b]

    return any(differs(company(b), b) or differs(layer(x[b : b + 1])[0], b) for b in range(len(x)))

# %% wrong: inverted -> "Is the answer inverted?"
-             return True
- return False
+             return False
+ return True
# %% wrong: only alone -> "Replace other sentences, too."
- for out in (layer(x[b : b + 1])[0], layer(others)[b]):
+ for out in (layer(x[b : b + 1])[0],):
# %% wrong: never alone -> "Is each sentence tried alone"
- for out in (layer(x[b : b + 1])[0], layer(others)[b]):
+ for out in (layer(others)[b],):
# %% wrong: only the first sentence is looked at -> "Sentences [1, 2] never stand in their place"
- for b in range(len(x)):
+ for b in range(1):
# %% wrong: the last sentence is never looked at -> "expected True, got False"
- for b in range(len(x)):
+ for b in range(len(x) - 1):
# %% wrong: the sentence itself is replaced, too -> "Keep sentence b"
- others[b] = x[b]
+ pass
# %% wrong: a tensor comes out -> "Use bool(…)"
- before = layer(x)
+ before, found = layer(x), torch.tensor(False)

- if (out - before[b]).abs().max() > 1e-5:
-     return True
- return False
+ found = found | ((out - before[b]).abs().max() > 1e-5)
+ return found
# %% wrong: any difference counts -> "Is the limit lower than 1e-5"
- if (out - before[b]).abs().max() > 1e-5:
+ if (out - before[b]).abs().max() > 1e-8:
# %% wrong: a limit of 0.01 -> "Is the limit higher than 1e-5"
- if (out - before[b]).abs().max() > 1e-5:
+ if (out - before[b]).abs().max() > 0.01:
# %% wrong: a mean of the differences -> "expected True, got False"
- if (out - before[b]).abs().max() > 1e-5:
+ if (out - before[b]).max() > 1e-5:
# %% wrong: the sentence alone loses its axis -> "keeps its axis"
- for out in (layer(x[b : b + 1])[0], layer(others)[b]):
+ for out in (layer(x[b]), layer(others)[b]):
# %% wrong: returns too early -> "expected True, got False"
-             return True
- return False
+             return True
+     return False
# %% wrong: the others become zeros -> "The new sentences are zeros, too"
- others = torch.randn_like(x)
+ others = torch.zeros_like(x)
# %% wrong: the mean difference -> "Is a mean compared?"
- if (out - before[b]).abs().max() > 1e-5:
+ if (out - before[b]).abs().mean() > 1e-5:
# %% wrong: the others in the reverse order -> "Sentence 1 is never replaced"
- others = torch.randn_like(x)
+ others = x.flip(0)

# %% wrong: signed maximum with a tolerance of 0.5 -> "without its sign"
- if (out - before[b]).abs().max() > 1e-5:
+ if (out - before[b]).max() > 0.5:

# %% wrong: the changes are summed first -> "Are the changes summed"
- if (out - before[b]).abs().max() > 1e-5:
+ if (out - before[b]).sum().abs() > 1e-5:

# %% wrong: the sentences only change places -> "The sentences only change places"
- others = torch.randn_like(x)
- others[b] = x[b]
- for out in (layer(x[b : b + 1])[0], layer(others)[b]):
+ for out in (layer(x.flip(0)).flip(0)[b],):
# %% wrong: norms are compared -> "Are sizes or sums of outputs compared?"
- if (out - before[b]).abs().max() > 1e-5:
+ if (out.norm() - before[b].norm()).abs() > 1e-5:
