# %% right: chunks, names in a loop, copies
def from_torch(state):
    W = state["in_proj_weight"].clone()
    d = W.size(1)
    bias = state["in_proj_bias"].clone() if "in_proj_bias" in state else W.new_zeros(3 * d)
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = W.view(3, d, d)[i]
        ours[name + ".bias"] = bias.view(3, d)[i]
    ours["out_proj.weight"] = state["out_proj.weight"]
    ours["out_proj.bias"] = state.get("out_proj.bias", torch.zeros(d, dtype=W.dtype))
    return ours
# %% right: slices and if
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    if "in_proj_bias" in state:
        bias, out_bias = state["in_proj_bias"], state["out_proj.bias"]
    else:
        bias, out_bias = weight[:, 0] * 0, weight[0] * 0
    return {
        "q_proj.weight": weight[:d], "q_proj.bias": bias[:d],
        "k_proj.weight": weight[d : 2 * d], "k_proj.bias": bias[d : 2 * d],
        "v_proj.weight": weight[2 * d :], "v_proj.bias": bias[2 * d :],
        "out_proj.weight": state["out_proj.weight"], "out_proj.bias": out_bias,
    }
# %% right: the state_dict of four layers
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    names = ("q_proj", "k_proj", "v_proj")
    layers = nn.ModuleDict({n: nn.Linear(d, d, dtype=weight.dtype) for n in (*names, "out_proj")})
    ours = {name: torch.zeros_like(tensor) for name, tensor in layers.state_dict().items()}
    for i, name in enumerate(names):
        ours[f"{name}.weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[f"{name}.bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
    ours |= {name: tensor for name, tensor in state.items() if name.startswith("out_proj")}
    layers.load_state_dict(ours)
    return dict(layers.state_dict())
# %% wrong: keys first -> "Did two blocks change places?"
- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
+ for name, rows, entries in zip("kqv", weight.chunk(3), in_bias.chunk(3)):
# %% wrong: values before keys -> "Did two blocks change places?"
- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
+ for name, rows, entries in zip("qvk", weight.chunk(3), in_bias.chunk(3)):
# %% wrong: queries for all three -> "k_proj.weight holds PyTorch's block for q_proj.weight"
- ours[f"{name}_proj.weight"] = rows
+ ours[f"{name}_proj.weight"] = weight[:d_model]
# %% wrong: transposed -> "It is transposed."
- ours[f"{name}_proj.weight"] = rows
+ ours[f"{name}_proj.weight"] = rows.T
# %% wrong: out_proj transposed -> "It is transposed."
- ours = {"out_proj.weight": state["out_proj.weight"], "out_proj.bias": out_bias}
+ ours = {"out_proj.weight": state["out_proj.weight"].T, "out_proj.bias": out_bias}
# %% wrong: every third row -> "These are every third row."
- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
+ thirds = weight[0::3], weight[1::3], weight[2::3]
+ for name, rows, entries in zip("qkv", thirds, in_bias.chunk(3)):
# %% wrong: biases interleaved -> "These are every third row."
- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
+ for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.view(-1, 3).T):
# %% wrong: cut along the columns -> "Cut in_proj into three along its rows"
- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
+ for name, rows, entries in zip("qkv", weight.chunk(3, dim=1), in_bias.chunk(3)):
# %% wrong: not cut -> "Cut in_proj into three along its rows"
- ours[f"{name}_proj.weight"] = rows
+ ours[f"{name}_proj.weight"] = weight
# %% wrong: bias not cut -> "q_proj.bias: expected shape (12,), got (36,)"
- ours[f"{name}_proj.bias"] = entries
+ ours[f"{name}_proj.bias"] = in_bias
# %% wrong: bias with an axis too many -> "There is an axis too many or too few."
- ours[f"{name}_proj.bias"] = entries
+ ours[f"{name}_proj.bias"] = entries[None]
# %% wrong: one row too far -> "It begins with row 1 of in_proj."
- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
+ for name, rows, entries in zip("qkv", weight.roll(-1, 0).chunk(3), in_bias.chunk(3)):
# %% wrong: a width of 12 everywhere -> "expected shape (15, 15), got (12, 15)"
- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
+ for name, rows, entries in zip("qkv", weight.split(12), in_bias.chunk(3)):
# %% wrong: queries scaled in advance -> "Copy them as they are."
- ours[f"{name}_proj.weight"] = rows
+ ours[f"{name}_proj.weight"] = rows / 2 if name == "q" else rows
# %% wrong: NaN -> "Copy them as they are."
- ours[f"{name}_proj.weight"] = rows
+ ours[f"{name}_proj.weight"] = rows * float("nan")
# %% wrong: bias must be there -> "KeyError"
- in_bias = state.get("in_proj_bias", weight.new_zeros(3 * d_model))
+ in_bias = state["in_proj_bias"]
# %% wrong: missing bias cut all the same -> "Is all there before it is cut?"
- in_bias = state.get("in_proj_bias", weight.new_zeros(3 * d_model))
+ in_bias = state.get("in_proj_bias")
# %% wrong: missing biases left out -> "Are there zeros where it has no bias?"
- ours[f"{name}_proj.bias"] = entries
+ if "in_proj_bias" in state:
+     ours[f"{name}_proj.bias"] = entries
# %% wrong: missing biases are None -> "got NoneType"
- ours[f"{name}_proj.bias"] = entries
+ ours[f"{name}_proj.bias"] = entries if "in_proj_bias" in state else None
# %% wrong: missing biases are ones -> "Are there zeros where it has no bias?"
- in_bias = state.get("in_proj_bias", weight.new_zeros(3 * d_model))
+ in_bias = state.get("in_proj_bias", weight.new_ones(3 * d_model))
# %% wrong: missing biases of the packed width -> "expected shape (15,), got (45,)"
- ours[f"{name}_proj.bias"] = entries
+ ours[f"{name}_proj.bias"] = entries if "in_proj_bias" in state else in_bias
# %% wrong: zeros always float32 -> "Weights of torch.float64 give torch.float32 as well."
- in_bias = state.get("in_proj_bias", weight.new_zeros(3 * d_model))
+ in_bias = state.get("in_proj_bias", torch.zeros(3 * d_model))
# %% wrong: biases always zero -> "It is zero, although the layer has one."
- in_bias = state.get("in_proj_bias", weight.new_zeros(3 * d_model))
+ in_bias = weight.new_zeros(3 * d_model)
# %% wrong: output bias always zero -> "It is zero, although the layer has one."
- out_bias = state.get("out_proj.bias", weight.new_zeros(d_model))
+ out_bias = state.get("out_proj_bias", weight.new_zeros(d_model))
# %% wrong: output bias forgotten -> "Pass out_proj on, weight and bias."
- ours = {"out_proj.weight": state["out_proj.weight"], "out_proj.bias": out_bias}
+ ours = {"out_proj.weight": state["out_proj.weight"]}
# %% wrong: out_proj forgotten -> "Pass out_proj on, weight and bias."
- ours = {"out_proj.weight": state["out_proj.weight"], "out_proj.bias": out_bias}
+ ours = {}
# %% wrong: PyTorch's names kept as well -> "There is a name too many, 'in_proj_weight'."
- return ours
+ return state | ours
# %% wrong: named with underscores -> "Are the names spelled as in the contract"
- ours[f"{name}_proj.weight"] = rows
+ ours[f"{name}_proj_weight"] = rows
# %% wrong: named W_q, W_k, W_v -> "Are the names spelled as in the contract"
- ours[f"{name}_proj.weight"] = rows
- ours[f"{name}_proj.bias"] = entries
+ ours[f"W_{name}.weight"] = rows
+ ours[f"W_{name}.bias"] = entries
# %% wrong: out_proj with an underscore -> "or misspelled?"
- ours = {"out_proj.weight": state["out_proj.weight"], "out_proj.bias": out_bias}
+ ours = {"out_proj.weight": state["out_proj_weight"], "out_proj.bias": out_bias}
# %% wrong: state read like a module -> "Read it with [ ] or with .get()."
- weight = state["in_proj_weight"]
+ weight = state.in_proj_weight
# %% wrong: no return -> "`return`"
- return ours
# %% wrong: returns the state -> "is missing"
- return ours
+ return state
# %% wrong: takes the names out of state -> "Was one taken out by pop"
- weight = state["in_proj_weight"]
+ weight = state.pop("in_proj_weight")
# %% wrong: names added to state -> "Was one taken out by pop, or added?"
- return ours
+ state.update(ours)
+ return ours
# %% wrong: weights changed in place -> "in place"
- d_model = weight.shape[1]
+ d_model = weight.mul_(2).shape[1]
# %% wrong: another name for the argument -> "The argument is called state."
- def from_torch(state):
+ def from_torch(theirs):
+     state = theirs
# %% wrong: the first rows for all three -> "q_proj.weight holds it as well."
- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
+ for name, rows, entries in zip("qkv", [weight[:d_model]] * 3, [in_bias[:d_model]] * 3):
# %% wrong: lists instead of tensors -> "Pass on the tensors themselves."
- return ours
+ return {name: tensor.tolist() for name, tensor in ours.items()}
# %% wrong: the scale of the scores multiplied in -> "Its numbers are PyTorch's times 0.289."
- return ours
+ ours["q_proj.weight"] = ours["q_proj.weight"] / d_model**0.5
+ return ours
# %% wrong: pairs in a list -> "Return the eight tensors by name."
- return ours
+ return list(ours.items())
# %% wrong: `or` asks a tensor whether it is true -> "Is a tensor asked whether it is true"
- in_bias = state.get("in_proj_bias", weight.new_zeros(3 * d_model))
+ in_bias = state.get("in_proj_bias") or weight.new_zeros(3 * d_model)

# %% wrong: cut at the sizes of the example -> "Do all sizes come from in_proj_weight"
def from_torch(state):
    q, k, v = state["in_proj_weight"].split(12)
    ours = {"q_proj.weight": q, "k_proj.weight": k, "v_proj.weight": v, "out_proj.weight": state["out_proj.weight"]}
    if "in_proj_bias" in state:
        for name, bias in zip("qkv", state["in_proj_bias"].chunk(3)):
            ours[f"{name}_proj.bias"] = bias
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        for name in ("q", "k", "v", "out"):
            ours[f"{name}_proj.bias"] = torch.zeros_like(q[0])
    return ours
# %% wrong: a width of 12, whatever the layer -> "Is the 12 of the layer above fixed?"
- d_model = weight.shape[1]
+ d_model = 12

- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
+ for name, rows, entries in zip("qkv", weight.split(12), in_bias.split(12)):
# %% wrong: q, k and v of each head in turn -> "Each third of in_proj is one block"
- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
+ by_head = weight.reshape(2, 3, -1, d_model).transpose(0, 1).reshape(3, -1, d_model)
+ for name, rows, entries in zip("qkv", by_head, in_bias.chunk(3)):
# %% wrong: split(3) for chunk(3) -> "split(3) makes blocks of 3 rows each"
- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
+ for name, rows, entries in zip("qkv", weight.split(3), in_bias.split(3)):
# %% wrong: d_model from the number of rows -> "d_model is its width"
def from_torch(state):
    W = state["in_proj_weight"]
    d = W.shape[0]
    b = state.get("in_proj_bias", W.new_zeros(3 * d))
    out = {}
    for n, (w, c) in zip("qkv", zip(W.chunk(3), b.chunk(3))):
        out[f"{n}_proj.weight"], out[f"{n}_proj.bias"] = w, c
    out["out_proj.weight"] = state["out_proj.weight"]
    out["out_proj.bias"] = state.get("out_proj.bias", W.new_zeros(d))
    return out
# %% wrong: d_model counted in rows -> "36 is the number of rows of in_proj_weight"
- d_model = weight.shape[1]
+ d_model = weight.shape[0]

- for name, rows, entries in zip("qkv", weight.chunk(3), in_bias.chunk(3)):
-     ours[f"{name}_proj.weight"] = rows
-     ours[f"{name}_proj.bias"] = entries
+ for i, name in enumerate("qkv"):
+     ours[f"{name}_proj.weight"] = weight[i * d_model : (i + 1) * d_model]
+     ours[f"{name}_proj.bias"] = in_bias[i * d_model : (i + 1) * d_model]
