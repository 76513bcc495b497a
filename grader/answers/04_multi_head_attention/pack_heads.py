# %% right: stack and flatten
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.stack(Ws).flatten(0, 1) for Ws in (W_qs, W_ks, W_vs))
# %% right: row by row, as a list
def pack_heads(W_qs, W_ks, W_vs):
    return [torch.stack([row for W in Ws for row in W]) for Ws in (W_qs, W_ks, W_vs)]
# %% right: vstack
def pack_heads(W_qs, W_ks, W_vs):
    return torch.vstack(W_qs), torch.vstack(W_ks), torch.vstack(W_vs)
# %% right: filled in
def pack_heads(W_qs, W_ks, W_vs):
    packed = []
    for Ws in (W_qs, W_ks, W_vs):
        rows, d_model = Ws[0].shape
        W = Ws[0].new_zeros(len(Ws) * rows, d_model)
        for h, own in enumerate(Ws):
            W[h * rows : (h + 1) * rows] = own
        packed.append(W)
    return tuple(packed)
# %% wrong: side by side -> "The heads stand side by side"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.cat(Ws, dim=1) for Ws in (W_qs, W_ks, W_vs))
# %% wrong: stacked -> "Joined instead of stacked?"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.stack(Ws) for Ws in (W_qs, W_ks, W_vs))
# %% wrong: interleaved -> "Heads interleaved, or in another order?"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.stack(Ws, dim=1).flatten(0, 1) for Ws in (W_qs, W_ks, W_vs))
# %% wrong: heads reversed -> "Heads interleaved, or in another order?"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.cat(Ws[::-1]) for Ws in (W_qs, W_ks, W_vs))
# %% wrong: turned -> "The matrix is turned"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.cat(Ws).T for Ws in (W_qs, W_ks, W_vs))
# %% wrong: heads added -> "Were the heads added"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(sum(Ws) for Ws in (W_qs, W_ks, W_vs))
# %% wrong: first head only -> "only one kept"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(Ws[0] for Ws in (W_qs, W_ks, W_vs))
# %% wrong: all in one matrix -> "Were queries, keys and values packed together?"
def pack_heads(W_qs, W_ks, W_vs):
    return torch.cat([*W_qs, *W_ks, *W_vs])
# %% wrong: one matrix a head -> "Is the list joined into one matrix?"
def pack_heads(W_qs, W_ks, W_vs):
    return W_qs, W_ks, W_vs
# %% wrong: packed by head instead of by kind -> "q, k and v of one head put together"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.cat([q, k, v]) for q, k, v in zip(W_qs, W_ks, W_vs))
# %% wrong: query and key change places -> "holds the rows of W_ks"
def pack_heads(W_qs, W_ks, W_vs):
    return torch.cat(W_ks), torch.cat(W_qs), torch.cat(W_vs)
# %% wrong: values from the keys -> "Is the wrong list packed here?"
def pack_heads(W_qs, W_ks, W_vs):
    return torch.cat(W_qs), torch.cat(W_ks), torch.cat(W_ks)
# %% wrong: key and value change places -> "Is the wrong list packed here?"
def pack_heads(W_qs, W_ks, W_vs):
    return torch.cat(W_qs), torch.cat(W_vs), torch.cat(W_ks)
# %% wrong: query packed twice -> "holds the rows of W_qs"
def pack_heads(W_qs, W_ks, W_vs):
    return torch.cat(W_qs), torch.cat(W_qs), torch.cat(W_vs)
# %% wrong: no return -> "`return`"
def pack_heads(W_qs, W_ks, W_vs):
    packed = torch.cat(W_qs), torch.cat(W_ks), torch.cat(W_vs)
# %% wrong: scaled by the number of heads -> "holds the rows of no list at all"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.cat(Ws) / len(Ws) for Ws in (W_qs, W_ks, W_vs))
# %% wrong: two matrices -> "got 2"
def pack_heads(W_qs, W_ks, W_vs):
    return torch.cat(W_qs + W_ks), torch.cat(W_vs)
# %% wrong: a dict -> "got a dict"
def pack_heads(W_qs, W_ks, W_vs):
    return {"W_q": torch.cat(W_qs), "W_k": torch.cat(W_ks), "W_v": torch.cat(W_vs)}
# %% wrong: NaN -> "no list at all"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.cat(Ws) * float("nan") for Ws in (W_qs, W_ks, W_vs))
# %% wrong: block diagonal -> "stand on a diagonal"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.block_diag(*Ws) for Ws in (W_qs, W_ks, W_vs))
# %% wrong: mean of the heads -> "Were the heads added"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.stack(Ws).mean(0) for Ws in (W_qs, W_ks, W_vs))
# %% wrong: leaves the graph -> hidden: "does not require grad"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.cat(Ws).detach() for Ws in (W_qs, W_ks, W_vs))
# %% wrong: always float32 -> hidden: "torch.float64"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.cat(Ws).float() for Ws in (W_qs, W_ks, W_vs))
# %% wrong: at most three heads -> hidden: "heads differs"
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.cat([Ws[0], Ws[min(1, len(Ws) - 1)], Ws[-1]]) for Ws in (W_qs, W_ks, W_vs))
# %% wrong: all in one, cut in three equal parts -> "cut into equal parts"
def pack_heads(W_qs, W_ks, W_vs):
    return torch.cat(W_qs + W_ks + W_vs).chunk(3)
# %% wrong: takes the matrices out of the lists -> "changed, by pop"
def pack_heads(W_qs, W_ks, W_vs):
    out=[]
    for W in (W_qs,W_ks,W_vs):
        m=W.pop(0)
        while W: m=torch.cat([m,W.pop(0)])
        out.append(m)
    return tuple(out)
# %% wrong: first head skipped -> "two heads of three"
def pack_heads(W_qs, W_ks, W_vs):
    return torch.cat(W_qs[1:]), torch.cat(W_ks[1:]), torch.cat(W_vs[1:])
# %% wrong: torch.tensor of a list -> "only one element tensors"
def pack_heads(W_qs, W_ks, W_vs):
    return torch.tensor(W_qs), torch.tensor(W_ks), torch.tensor(W_vs)
# %% right: grown head by head
def pack_heads(W_qs, W_ks, W_vs):
    out=[]
    for Ws in (W_qs,W_ks,W_vs):
        m=Ws[0]
        for W in Ws[1:]: m=torch.cat([m,W])
        out.append(m)
    return out
# %% right: turned, joined, turned back
def pack_heads(W_qs, W_ks, W_vs):
    return tuple(torch.cat([w.T for w in W],dim=1).T for W in (W_qs,W_ks,W_vs))
