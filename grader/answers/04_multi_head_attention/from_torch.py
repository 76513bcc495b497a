# %% right: chunk and get
def from_torch(state):
    q, k, v = state["in_proj_weight"].chunk(3, dim=0)
    zero = torch.zeros_like(q[:, 0])
    bq, bk, bv = state.get("in_proj_bias", torch.cat([zero] * 3)).chunk(3)
    return {
        "q_proj.weight": q, "q_proj.bias": bq, "k_proj.weight": k, "k_proj.bias": bk, "v_proj.weight": v, "v_proj.bias": bv,
        "out_proj.weight": state["out_proj.weight"], "out_proj.bias": state.get("out_proj.bias", zero),
    }
# %% right: copies, three-dimensional view
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.size(-1)
    weights = weight.clone().view(3, d, d)
    biases = state["in_proj_bias"].clone().view(3, d) if "in_proj_bias" in state else weight.new_zeros(3, d)
    ours = dict(state)
    ours.pop("in_proj_weight")
    ours.pop("in_proj_bias", None)
    ours.setdefault("out_proj.bias", weight.new_zeros(d))
    for name, w, b in zip("qkv", weights, biases):
        ours[f"{name}_proj.weight"], ours[f"{name}_proj.bias"] = w, b
    return ours
# %% right: slices and if
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: keys first -> "Did two blocks change places?"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["k_proj", "q_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: values before keys -> "Did two blocks change places?"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "v_proj", "k_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: transposed -> "It is transposed"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d].T
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: out_proj transposed -> "It is transposed"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"].T
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: every third row -> "three blocks, one below the other"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i::3]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: biases interleaved -> "It starts with rows [0, 3, 6]"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i::3]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: cut along the columns -> "Is in_proj cut into three along its rows?"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight.chunk(3, dim=1)[i]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: not cut -> "Is in_proj cut into three along its rows?"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: bias not cut -> "q_proj.bias: expected shape (12,), got (36,)"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: bias must be there -> "KeyError"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if True:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: missing biases left out -> "are there zeros in its place"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    return ours
# %% wrong: missing biases are None -> "are there zeros in its place"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = None
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = None
    return ours
# %% wrong: biases always zero -> "It is zero, although the layer has one"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj.bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: missing biases are ones -> "are there zeros in its place"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.ones(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.ones(d, dtype=weight.dtype)
    return ours
# %% wrong: missing biases of the packed width -> "expected shape (15,), got (45,)"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(3 * d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: PyTorch's names kept -> "Unexpected key 'in_proj_weight'"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = dict(state)
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: out_proj forgotten -> "The key out_proj.weight is missing"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: named with underscores -> "The key q_proj.weight is missing"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + "_weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: named W_q, W_k, W_v -> "The key q_proj.weight is missing"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["W_q", "W_k", "W_v"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: queries for all three -> "k_proj.weight holds PyTorch's block for q_proj.weight"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[:d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: queries scaled in advance -> "starts with rows [None"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d] / d**0.5
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: one row too far -> "starts with rows [1, 2, 3]"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight.roll(-1, 0)[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: no return -> "`return`"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    ours.update()
# %% wrong: output bias always zero -> "It is zero, although the layer has one"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj_bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: returns the state -> "is missing"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return state
# %% wrong: NaN -> "starts with rows [None"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d] * float("nan")
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: out_proj with an underscore -> "its name misspelled"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj_weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: zeros always float32 -> hidden: "torch.float64"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d)
    return ours
# %% wrong: takes the keys out of state -> "Does it lose one by pop"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = weight.shape[1]
    ours = {}
    state.pop("in_proj_weight")
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: a width of 12 everywhere -> "expected shape (15, 15), got (12, 15)"
def from_torch(state):
    weight = state["in_proj_weight"]
    d = 12
    ours = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        ours[name + ".weight"] = weight[i * d : (i + 1) * d]
        if "in_proj_bias" in state:
            ours[name + ".bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
        else:
            ours[name + ".bias"] = torch.zeros(d, dtype=weight.dtype)
    ours["out_proj.weight"] = state["out_proj.weight"]
    if "out_proj.bias" in state:
        ours["out_proj.bias"] = state["out_proj.bias"]
    else:
        ours["out_proj.bias"] = torch.zeros(d, dtype=weight.dtype)
    return ours
# %% wrong: state read like a module -> "Is the dict read with [ ]"
def from_torch(state):
    W=state.in_proj_weight; d=W.shape[1]
    b=state["in_proj_bias"] if "in_proj_bias" in state else torch.zeros(3*d, dtype=W.dtype)
    ob=state["out_proj.bias"] if "out_proj.bias" in state else torch.zeros(d, dtype=W.dtype)
    return {"q_proj.weight":W[:d],"k_proj.weight":W[d:2*d],"v_proj.weight":W[2*d:],"q_proj.bias":b[:d],"k_proj.bias":b[d:2*d],"v_proj.bias":b[2*d:],"out_proj.weight":state["out_proj.weight"],"out_proj.bias":ob}
# %% wrong: missing bias cut all the same -> "need not be there"
def from_torch(state):
    W=state["in_proj_weight"]; d=W.shape[1]
    b=state.get("in_proj_bias")
    ob=state["out_proj.bias"] if "out_proj.bias" in state else torch.zeros(d, dtype=W.dtype)
    return {"q_proj.weight":W[:d],"k_proj.weight":W[d:2*d],"v_proj.weight":W[2*d:],"q_proj.bias":b[:d],"k_proj.bias":b[d:2*d],"v_proj.bias":b[2*d:],"out_proj.weight":state["out_proj.weight"],"out_proj.bias":ob}
# %% wrong: output bias forgotten -> "Does out_proj pass"
def from_torch(state):
    W=state["in_proj_weight"]; d=W.shape[1]
    b=state["in_proj_bias"] if "in_proj_bias" in state else torch.zeros(3*d, dtype=W.dtype)
    ob=state["out_proj.bias"] if "out_proj.bias" in state else torch.zeros(d, dtype=W.dtype)
    return {"q_proj.weight":W[:d],"k_proj.weight":W[d:2*d],"v_proj.weight":W[2*d:],"q_proj.bias":b[:d],"k_proj.bias":b[d:2*d],"v_proj.bias":b[2*d:],"out_proj.weight":state["out_proj.weight"]}
# %% wrong: bias with an axis too many -> "Is an axis added"
def from_torch(state):
    W=state["in_proj_weight"]; d=W.shape[1]
    b=state["in_proj_bias"] if "in_proj_bias" in state else torch.zeros(3*d, dtype=W.dtype)
    ob=state["out_proj.bias"] if "out_proj.bias" in state else torch.zeros(d, dtype=W.dtype)
    return {"q_proj.weight":W[:d],"k_proj.weight":W[d:2*d],"v_proj.weight":W[2*d:],"q_proj.bias":b[:d][None],"k_proj.bias":b[d:2*d],"v_proj.bias":b[2*d:],"out_proj.weight":state["out_proj.weight"],"out_proj.bias":ob}
# %% wrong: keys added to state -> "gain a new one"
def from_torch(state):
    W=state["in_proj_weight"]; d=W.shape[1]
    b=state["in_proj_bias"] if "in_proj_bias" in state else torch.zeros(3*d, dtype=W.dtype)
    ob=state["out_proj.bias"] if "out_proj.bias" in state else torch.zeros(d, dtype=W.dtype)
    new = {"q_proj.weight":W[:d],"k_proj.weight":W[d:2*d],"v_proj.weight":W[2*d:],"q_proj.bias":b[:d],"k_proj.bias":b[d:2*d],"v_proj.bias":b[2*d:],"out_proj.weight":state["out_proj.weight"],"out_proj.bias":ob}
    state.update(new)
    return state
# %% wrong: weights changed in place -> hidden: "state was changed"
def from_torch(state):
    W=state["in_proj_weight"]; d=W.shape[1]
    b=state["in_proj_bias"] if "in_proj_bias" in state else torch.zeros(3*d, dtype=W.dtype)
    ob=state["out_proj.bias"] if "out_proj.bias" in state else torch.zeros(d, dtype=W.dtype)
    W.mul_(1.01)
    return {"q_proj.weight":W[:d],"k_proj.weight":W[d:2*d],"v_proj.weight":W[2*d:],"q_proj.bias":b[:d],"k_proj.bias":b[d:2*d],"v_proj.bias":b[2*d:],"out_proj.weight":state["out_proj.weight"],"out_proj.bias":ob}
# %% right: the state_dict of four layers
def from_torch(state):
    W=state["in_proj_weight"]; d=W.shape[1]
    b=state["in_proj_bias"] if "in_proj_bias" in state else torch.zeros(3*d, dtype=W.dtype)
    ob=state["out_proj.bias"] if "out_proj.bias" in state else torch.zeros(d, dtype=W.dtype)
    sd = {"q_proj.weight":W[:d],"k_proj.weight":W[d:2*d],"v_proj.weight":W[2*d:],"q_proj.bias":b[:d],"k_proj.bias":b[d:2*d],"v_proj.bias":b[2*d:],"out_proj.weight":state["out_proj.weight"],"out_proj.bias":ob}
    m=nn.ModuleDict({n: nn.Linear(d,d,dtype=W.dtype) for n in ("q_proj","k_proj","v_proj","out_proj")})
    m.load_state_dict(sd)
    return m.state_dict()
