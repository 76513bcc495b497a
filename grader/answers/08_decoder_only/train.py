# %% right: the reader's own loss, gradients set to zero after the step
- logits = model(inputs)
- loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
- optimizer.zero_grad()
- loss.backward()
- optimizer.step()
- losses.append(loss.item())
+ logs = model(inputs).log_softmax(-1)
+ loss = -logs.gather(-1, targets.unsqueeze(-1)).mean()
+ loss.backward()
+ optimizer.step()
+ optimizer.zero_grad()
+ losses.append(float(loss))
# %% right: classes on axis 1, the mode set for each batch, put back afterwards
- model.train()
- losses = []
- for inputs, targets in batches:
-     logits = model(inputs)
-     loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
+ before, losses = model.training, []
+ for inputs, targets in batches:
+     model.train()
+     loss = nn.CrossEntropyLoss()(model(inputs).transpose(1, 2), targets)

- return losses
+ model.train(before)
+ return losses
# %% right: a closure
- logits = model(inputs)
- loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
- optimizer.zero_grad()
- loss.backward()
- optimizer.step()
- losses.append(loss.item())
+ def closure():
+     optimizer.zero_grad()
+     logits = model(inputs)
+     loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))
+     loss.backward()
+     return loss
+
+ losses.append(optimizer.step(closure).item())
# %% right: AdamW written out with autograd.grad
def train(model, batches, lr):
    model.train()
    weights = list(model.parameters())
    state = [[0.0, 0.0] for _ in weights]
    losses = []
    for n, (inputs, targets) in enumerate(batches, start=1):
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        slopes = torch.autograd.grad(loss, weights)
        losses.append(loss.item())
        with torch.no_grad():
            for weight, slope, moments in zip(weights, slopes, state):
                moments[0] = 0.9 * moments[0] + 0.1 * slope
                moments[1] = 0.999 * moments[1] + 0.001 * slope**2
                size = (moments[1] / (1 - 0.999**n)).sqrt() + 1e-8
                weight.mul_(1 - 0.01 * lr).sub_(lr * moments[0] / (1 - 0.9**n) / size)
    return losses
# %% right: all batches listed first
- for inputs, targets in batches:
+ for inputs, targets in list(batches):
# %% wrong: no zero_grad -> "gradients pile up"
- optimizer.zero_grad()
- loss.backward()
+ loss.backward()
# %% wrong: zero_grad once, before the loop -> "gradients pile up"
- losses = []
+ losses = []
+ optimizer.zero_grad()

- optimizer.zero_grad()
- loss.backward()
+ loss.backward()
# %% wrong: zero_grad between backward and step -> "does not move at all"
- optimizer.zero_grad()
- loss.backward()
+ loss.backward()
+ optimizer.zero_grad()
# %% wrong: no step -> "does not move at all"
- optimizer.step()
# %% wrong: no backward -> "does not move at all"
- loss.backward()
# %% wrong: one step after the loop -> "does not move at all"
-     optimizer.step()
-     losses.append(loss.item())
- return losses
+     losses.append(loss.item())
+ optimizer.step()
+ return losses
# %% wrong: a new optimizer for every batch -> "is a new optimizer made for every batch?"
- logits = model(inputs)
+ optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ logits = model(inputs)
# %% wrong: Adam -> "Adam leaves the weight decay out"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.Adam(model.parameters(), lr=lr)
# %% wrong: weight decay switched off -> "Adam leaves the weight decay out"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.0)
# %% wrong: plain gradient descent -> "plain gradient descent"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.SGD(model.parameters(), lr=lr)
# %% wrong: other betas -> "Are AdamW's betas left at their defaults?"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.95))
# %% wrong: the lr is not handed over -> "Is lr handed to the optimizer?"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.AdamW(model.parameters())
# %% wrong: a learning rate of one's own -> "These are the steps of 0.003"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
# %% wrong: the mode is left as it came -> "as in eval mode"
- model.train()
# %% wrong: eval mode -> "as in eval mode"
- model.train()
+ model.eval()
# %% wrong: the sum of the costs -> "not their sum"
- loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
+ loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum")
# %% wrong: the last position alone -> "not the last one alone"
- loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
+ loss = F.cross_entropy(logits[:, -1], targets[:, -1])
# %% wrong: id 0 ignored -> "Does the target 0 count like any other?"
- loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
+ loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)
# %% wrong: inputs and targets exchanged -> "Have inputs and targets changed places?"
- for inputs, targets in batches:
+ for targets, inputs in batches:
# %% wrong: the losses after the steps -> "Is each loss measured before its step?"
- losses.append(loss.item())
+ with torch.no_grad():
+     logits = model(inputs)
+ losses.append(F.cross_entropy(logits.flatten(0, 1), targets.flatten()).item())
# %% wrong: the sum of the losses so far -> "the sum so far"
- losses.append(loss.item())
+ losses.append(loss.item() + (losses[-1] if losses else 0.0))
# %% wrong: the mean of the losses so far -> "the mean so far"
-     losses.append(loss.item())
- return losses
+     losses.append(loss.item())
+ return [sum(losses[:n]) / n for n in range(1, len(losses) + 1)]
# %% wrong: the step for the first batch alone -> "After the first one nothing moved"
- optimizer.step()
+ if not losses:
+     optimizer.step()
# %% wrong: tensors instead of floats -> "got Tensor"
- losses.append(loss.item())
+ losses.append(loss.detach())
# %% wrong: the loss of the last batch alone -> "Expected a list with a loss for each batch, got float"
- return losses
+ return loss.item()
# %% wrong: nothing returned -> "Is there a `return`?"
- return losses
# %% wrong: returned inside the loop -> "does `return` stand behind the loop?"
-     losses.append(loss.item())
- return losses
+     losses.append(loss.item())
+     return losses
# %% wrong: two epochs -> "got 8. Is each batch used once?"
- for inputs, targets in batches:
+ for inputs, targets in list(batches) * 2:
# %% wrong: a loss only every second batch -> "Is one appended for every batch, and"
- losses.append(loss.item())
+ if len(losses) % 2 == 0:
+     losses.append(loss.item())
# %% wrong: logits not flattened -> "flatten the first two axes"
- loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
+ loss = F.cross_entropy(logits, targets)
# %% wrong: targets not flattened -> "train(Bigram, a list of 4, 0.1) stopped with"
- loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
+ loss = F.cross_entropy(logits.flatten(0, 1), targets)
# %% wrong: the batches are counted first -> "it has no length and no index"
- for inputs, targets in batches:
+ for i in range(len(batches)):
+     inputs, targets = batches[i]
# %% wrong: the batches are gone through twice -> "Is it gone through once?"
- model.train()
+ model.train()
+ for inputs, targets in batches:
+     model(inputs)
# %% wrong: the model is copied, and the copy in training mode is not the one that is moved -> "does not move at all"
- model.train()
+ import copy
+
+ model = copy.deepcopy(model).train()
# %% wrong: another name for the rate -> "called model, batches and lr"
- def train(model, batches, lr):
+ def train(model, batches, rate):

- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
# %% wrong: rounded losses -> "Are the losses rounded?"
- losses.append(loss.item())
+ losses.append(round(loss.item(), 3))
# %% wrong: clipped gradients -> "their norm is cut"
- loss.backward()
+ loss.backward()
+ nn.utils.clip_grad_norm_(model.parameters(), 0.1)
# %% wrong: a step of the optimizer before backward -> "does not move at all"
- loss.backward()
- optimizer.step()
+ optimizer.step()
+ loss.backward()
# %% wrong: a tensor of losses -> "Append each loss to a list of Python's"
- return losses
+ return torch.tensor(losses)
# %% wrong: the vocabulary moved by a reshape -> "A reshape mixes it with positions"
- loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
+ batch, seq, vocab = logits.shape
+ loss = F.cross_entropy(logits.reshape(batch, vocab, seq), targets)
# %% wrong: each loss times the size of its batch -> "multiplied by the size of the batch"
- losses.append(loss.item())
+ losses.append(loss.item() * inputs.size(0))
# %% right: the closure of an optimizer's step, one loss at a time from a generator
def train(model, batches, lr):
    optimizer = torch.optim.AdamW(list(model.parameters()), lr=lr)

    def losses():
        for inputs, targets in batches:
            model.train()

            def closure(inputs=inputs, targets=targets):
                optimizer.zero_grad()
                loss = F.cross_entropy(model(inputs).permute(0, 2, 1), targets)
                loss.backward()
                return loss

            yield optimizer.step(closure).item()

    return list(losses())
# %% right: all batches gathered first, and a copy of the model kept for comparison
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ import copy
+ before = copy.deepcopy(model)
+ batches = list(batches)
+ optimizer = torch.optim.AdamW([{"params": list(model.parameters()), "lr": lr}])
# %% wrong: a copy of the model is trained -> "Is it the model itself that is trained?"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ import copy
+ model = copy.deepcopy(model)
+ optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
# %% wrong: amsgrad -> "Is AdamW's amsgrad left at its default, False?"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.AdamW(model.parameters(), lr=lr, amsgrad=True)
# %% wrong: gradients clipped to a norm of 1 -> "Are the gradients taken as they are?"
- optimizer.step()
+ nn.utils.clip_grad_norm_(model.parameters(), 1.0)
+ optimizer.step()
# %% wrong: label smoothing -> "Is the cross-entropy taken without label smoothing?"
- loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
+ loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), label_smoothing=0.1)
# %% wrong: betas and steps of another size after three batches -> "a lr of 0.1, 0.09, 0.081"
- losses.append(loss.item())
+ losses.append(loss.item())
+ for group in optimizer.param_groups:
+     group["lr"] = 0.9 * group["lr"]
# %% wrong: the parameters put back at the end -> "Are the old parameters put back at the end?"
- losses = []
+ losses = []
+ before = {name: value.clone() for name, value in model.state_dict().items()}

- return losses
+ model.load_state_dict(before)
+ return losses
# %% wrong: the parameters averaged with the old ones -> "Is anything done to the parameters after the last step?"
- losses = []
+ losses = []
+ before = [parameter.detach().clone() for parameter in model.parameters()]

- return losses
+ with torch.no_grad():
+     for parameter, old in zip(model.parameters(), before):
+         parameter.lerp_(old, 0.5)
+ return losses
# %% right: next on an iterator, and in eval mode when it is done
- for inputs, targets in batches:
-     logits = model(inputs)
+ stream = iter(batches)
+ while (pair := next(stream, None)) is not None:
+     inputs, targets = pair
+     logits = model(inputs)

- return losses
+ model.eval()
+ return losses
# %% wrong: the model called without gradients -> "No gradient leads from the loss to the model"
- logits = model(inputs)  # (batch, seq, vocab)
+ with torch.no_grad():
+     logits = model(inputs)
# %% wrong: the targets go into the model -> "Are the targets given to the model?"
- logits = model(inputs)  # (batch, seq, vocab)
+ logits = model(targets)
# %% right: gradients set to zeros instead of None, and the loop over classes on axis 1
- loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
- optimizer.zero_grad()
+ loss = F.cross_entropy(logits.movedim(-1, 1), targets)
+ optimizer.zero_grad(set_to_none=False)
# %% right: two groups of parameters, both as AdamW comes
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ wide = [p for p in model.parameters() if p.ndim > 1]
+ rest = [p for p in model.parameters() if p.ndim < 2]
+ groups = [{"params": part} for part in (wide, rest) if part]
+ optimizer = torch.optim.AdamW(groups, lr=lr)
# %% wrong: the optimizer that nanoGPT configures -> "0.9 and 0.95, and 0.1"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ wide = [p for p in model.parameters() if p.ndim > 1]
+ rest = [p for p in model.parameters() if p.ndim < 2]
+ groups = [{"params": wide, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
+ optimizer = torch.optim.AdamW([g for g in groups if g["params"]], lr=lr, betas=(0.9, 0.95))
# %% wrong: another relative of Adam's -> "These are the steps of RAdam."
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.RAdam(model.parameters(), lr=lr)
# %% wrong: a warm-up -> "a lr of 0.01, 0.02, 0.03"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / 10))

- losses.append(loss.item())
+ warm.step()
+ losses.append(loss.item())
# %% wrong: each value of a gradient cut to half -> "and the gradients as they are?"
- optimizer.step()
+ nn.utils.clip_grad_value_(model.parameters(), 0.05)
+ optimizer.step()
# %% right: zero_grad comes last, once before the loop
def train(model, batches, lr):
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    optimizer.zero_grad()
    losses = []
    model.train()
    for pair in batches:
        loss = nn.functional.cross_entropy(model(pair[0]).transpose(1, 2), pair[1])
        losses.append(loss.item())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return losses
# %% wrong: perplexities -> "and not the perplexity"
- losses.append(loss.item())
+ losses.append(loss.exp().item())
# %% wrong: weight decay for matrices alone -> "Has every parameter AdamW's weight decay?"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ wide = [p for p in model.parameters() if p.ndim > 1]
+ flat = [p for p in model.parameters() if p.ndim < 2]
+ groups = [{"params": wide}, {"params": flat, "weight_decay": 0.0}]
+ optimizer = torch.optim.AdamW([g for g in groups if g["params"]], lr=lr)
# %% wrong: matrices alone are trained -> "The bias stays as it was."
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.AdamW([p for p in model.parameters() if p.ndim > 1], lr=lr)
# %% wrong: losses rounded to four digits -> "Are the losses rounded?"
- losses.append(loss.item())
+ losses.append(round(loss.item(), 4))
# %% wrong: the lr decays -> "a lr of 0.1, 0.099, 0.098"
- losses.append(loss.item())
+ losses.append(loss.item())
+ optimizer.param_groups[0]["lr"] *= 0.99
# %% wrong: a step for every second batch -> "the step after it is not"
- optimizer.step()
+ if len(losses) % 2:
+     optimizer.step()
# %% wrong: the targets in another order -> "The first loss, before any step, is a different one."
- loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
+ loss = F.cross_entropy(logits.flatten(0, 1), targets.T.flatten())

# %% wrong: a running average -> "This is a running average"
- losses.append(loss.item())
+ losses.append(0.9 * losses[-1] + 0.1 * loss.item() if losses else loss.item())

# %% wrong: a running average from 0 on -> "This is a running average"
- losses.append(loss.item())
+ losses.append(0.95 * (losses[-1] if losses else 0.0) + 0.05 * loss.item())

# %% wrong: gradients clipped to a norm of 0.01 -> "norm is cut"
- optimizer.step()
+ torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01)
+ optimizer.step()

# %% wrong: RMSprop -> "These are the steps of RMSprop"
- optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
+ optimizer = torch.optim.RMSprop(model.parameters(), lr=lr)
