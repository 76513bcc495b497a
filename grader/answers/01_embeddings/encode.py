# %% right: loop, cast at the end
def encode(sentence, vocab):
    ids = []
    for word in sentence.replace(",", "").split():
        if word not in vocab:
            raise KeyError(f"'{word}' is not in the vocabulary")
        ids.append(vocab[word])
    return torch.tensor(ids).long()
# %% right: filled in place
def encode(sentence, vocab):
    words = sentence.replace(",", "").split()
    ids = torch.empty(len(words), dtype=torch.long)
    for place, word in enumerate(words):
        ids[place] = vocab[word]
    return ids
# %% right: map and LongTensor
def encode(sentence, vocab):
    return torch.LongTensor(list(map(vocab.__getitem__, "".join(sentence.split(",")).split())))
# %% right: the unknown words collected
def encode(sentence, vocab):
    words = sentence.replace(",", "").split()
    unknown = [word for word in words if word not in vocab]
    if unknown:
        raise KeyError(*unknown)
    return torch.as_tensor([vocab[word] for word in words], dtype=torch.int64)
# %% wrong: no return -> "`return`"
def encode(sentence, vocab):
    ids = torch.tensor([vocab[word] for word in sentence.replace(",", "").split()], dtype=torch.int64)
# %% wrong: a list -> "become a tensor at the end"
def encode(sentence, vocab):
    return [vocab[word] for word in sentence.replace(",", "").split()]
# %% wrong: float32 for an empty sentence -> "made from an empty list"
def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in sentence.replace(",", "").split()])
# %% wrong: floating ids -> "Which dtype was asked for?"
def encode(sentence, vocab):
    return torch.Tensor([vocab[word] for word in sentence.replace(",", "").split()])
# %% wrong: int32 -> "got torch.int32"
def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in sentence.replace(",", "").split()], dtype=torch.int32)
# %% wrong: commas kept -> "Are commas removed"
def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in sentence.split()], dtype=torch.int64)
# %% wrong: small letters -> "capital letters changed"
def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in sentence.lower().replace(",", "").split()], dtype=torch.int64)
# %% wrong: letters looked up -> "cut into words"
def encode(sentence, vocab):
    return torch.tensor([vocab[letter] for letter in sentence.replace(",", "")], dtype=torch.int64)
# %% wrong: a default id for unknown words -> "Does a default stand in"
def encode(sentence, vocab):
    return torch.tensor([vocab.get(word, 0) for word in sentence.replace(",", "").split()], dtype=torch.int64)
# %% wrong: unknown words added to the vocabulary -> "Does a default stand in"
def encode(sentence, vocab):
    return torch.tensor([vocab.setdefault(word, len(vocab)) for word in sentence.replace(",", "").split()], dtype=torch.int64)
# %% wrong: unknown words left out -> "left out in silence"
def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in sentence.replace(",", "").split() if word in vocab], dtype=torch.int64)
# %% wrong: another kind of error -> "got ValueError"
def encode(sentence, vocab):
    words = sentence.replace(",", "").split()
    for word in words:
        if word not in vocab:
            raise ValueError(f"unknown word {word}")
    return torch.tensor([vocab[word] for word in words], dtype=torch.int64)
# %% wrong: None among the ids -> "wrong kind of error"
def encode(sentence, vocab):
    return torch.tensor([vocab.get(word) for word in sentence.replace(",", "").split()], dtype=torch.int64)
# %% wrong: the error does not name the word -> "names the unknown word"
def encode(sentence, vocab):
    words = sentence.replace(",", "").split()
    if any(word not in vocab for word in words):
        raise KeyError("unknown word")
    return torch.tensor([vocab[word] for word in words], dtype=torch.int64)
# %% wrong: the id 0 taken for nothing -> "id 0 taken for a missing one"
def encode(sentence, vocab):
    ids = []
    for word in sentence.replace(",", "").split():
        number = vocab.get(word)
        if not number:
            raise KeyError(word)
        ids.append(number)
    return torch.tensor(ids, dtype=torch.int64)
# %% wrong: split at single spaces -> "any run of white space"
def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in sentence.replace(",", "").split(" ")], dtype=torch.int64)
# %% wrong: a vocabulary of its own -> "Is the argument `vocab` used?"
def encode(sentence, vocab):
    words = sentence.replace(",", "").split()
    vocab = {word: number for number, word in enumerate(sorted(set(words)))}
    return torch.tensor([vocab[word] for word in words], dtype=torch.int64)
# %% wrong: places in the vocabulary -> "places of the words in it"
def encode(sentence, vocab):
    return torch.tensor([list(vocab).index(word) for word in sentence.replace(",", "").split()], dtype=torch.int64)
# %% wrong: places in the sentence -> "places in the sentence"
def encode(sentence, vocab):
    return torch.tensor([place for place, _ in enumerate(sentence.replace(",", "").split())], dtype=torch.int64)
# %% wrong: sorted ids -> "words or ids sorted"
def encode(sentence, vocab):
    return torch.tensor(sorted(vocab[word] for word in sentence.replace(",", "").split()), dtype=torch.int64)
# %% wrong: repetitions dropped -> "Are repetitions dropped?"
def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in dict.fromkeys(sentence.replace(",", "").split())], dtype=torch.int64)
# %% wrong: all ids of the vocabulary -> "loop run over the sentence"
def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in vocab], dtype=torch.int64)
# %% wrong: words of the vocabulary that occur -> "Are repetitions dropped?"
def encode(sentence, vocab):
    words = sentence.replace(",", "").split()
    return torch.tensor([number for word, number in vocab.items() if word in words], dtype=torch.int64)
# %% wrong: a batch axis -> "an axis too many"
def encode(sentence, vocab):
    return torch.tensor([[vocab[word] for word in sentence.replace(",", "").split()]], dtype=torch.int64)
# %% wrong: one-hot vectors -> "a one-hot vector already"
def encode(sentence, vocab):
    return F.one_hot(torch.tensor([vocab[word] for word in sentence.replace(",", "").split()], dtype=torch.int64))
# %% wrong: the last word returned -> "Is there an axis too many, or too few?"
def encode(sentence, vocab):
    for word in sentence.replace(",", "").split():
        ids = torch.tensor(vocab[word], dtype=torch.int64)
    return ids
# %% wrong: backwards -> "words or ids sorted"
def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in sentence.replace(",", "").split()[::-1]], dtype=torch.int64)
# %% wrong: commas become spaces -> "with nothing in its place"
def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in sentence.replace(",", " ").split()], dtype=torch.int64)
# %% wrong: commas stripped at the ends only -> "with nothing in its place"
def encode(sentence, vocab):
    return torch.tensor([vocab[word.strip(",")] for word in sentence.split()], dtype=torch.int64)
# %% wrong: ids stacked, which needs at least one -> "work on no words"
def encode(sentence, vocab):
    return torch.stack([torch.tensor(vocab[word]) for word in sentence.replace(",", "").split()])
# %% wrong: an empty sentence gives None -> "work on no words"
def encode(sentence, vocab):
    words = sentence.replace(",", "").split()
    if words:
        return torch.tensor([vocab[word] for word in words], dtype=torch.int64)
# %% wrong: an unknown word gives None -> "left out in silence"
def encode(sentence, vocab):
    try:
        return torch.tensor([vocab[word] for word in sentence.replace(",", "").split()], dtype=torch.int64)
    except KeyError as error:
        return None
# %% right: stacked, none apart
import operator


def encode(sentence, vocab):
    words = "".join(c for c in sentence if c != ",").split()
    return torch.stack([torch.tensor(operator.getitem(vocab, w)) for w in words]) if words else torch.zeros(0).long()
# %% right: grown one by one
def encode(sentence, vocab):
    ids = torch.empty(0, dtype=torch.int64)
    for word in sentence.replace(",", "").split():
        try:
            number = vocab[word]
        except KeyError:
            raise KeyError("unknown word: " + word) from None
        ids = torch.cat([ids, torch.tensor([number])])
    return ids
# %% wrong: a column of ids -> "an axis too many"
def encode(sentence, vocab):
    return torch.tensor([[vocab[w]] for w in sentence.replace(",", "").split()], dtype=torch.int64)
# %% wrong: only the first comma removed -> "every one"
def encode(sentence, vocab):
    return torch.tensor([vocab[w] for w in sentence.replace(",", "", 1).split()], dtype=torch.int64)
# %% wrong: the error returned -> "instead of raised"
def encode(sentence, vocab):
    ids = []
    for w in sentence.replace(",", "").split():
        if w not in vocab:
            return KeyError(w)
        ids.append(vocab[w])
    return torch.tensor(ids, dtype=torch.int64)
# %% wrong: a tensor of words -> "replaced by its number"
def encode(sentence, vocab):
    return torch.tensor(sentence.replace(",", "").split())
# %% wrong: vocab called -> "`vocab[word]`"
def encode(sentence, vocab):
    return torch.tensor([vocab(w) for w in sentence.replace(",", "").split()], dtype=torch.int64)
# %% wrong: a key for the unknown -> "names the unknown word"
def encode(sentence, vocab):
    return torch.tensor([vocab[w] if w in vocab else vocab["<unk>"] for w in sentence.replace(",", "").split()], dtype=torch.int64)
# %% wrong: one too many -> "give each id"
def encode(sentence, vocab):
    return torch.tensor([vocab[w] + 1 for w in sentence.replace(",", "").split()], dtype=torch.int64)
# %% wrong: int32 on the way -> hidden: "int32"
def encode(sentence, vocab):
    return torch.IntTensor([vocab[w] for w in sentence.replace(",", "").split()]).long()
