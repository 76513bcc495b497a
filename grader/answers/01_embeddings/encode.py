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
# %% wrong: no return -> "`return`"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ ids = torch.tensor([vocab[word] for word in found], dtype=torch.int64)
# %% wrong: a list -> "Return the ids alone, as a tensor"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return [vocab[word] for word in found]
# %% wrong: float32 for an empty sentence -> "made from an empty list"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([vocab[word] for word in found])
# %% wrong: floating ids -> "Which dtype was asked for?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.Tensor([vocab[word] for word in found])
# %% wrong: int32 -> "got torch.int32"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([vocab[word] for word in found], dtype=torch.int32)
# %% wrong: int32 on the way -> "Is it int32 or a float on the way"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.IntTensor([vocab[word] for word in found]).long()
# %% wrong: commas kept -> "Are commas removed"
- found = sentence.replace(",", "").split()
+ found = sentence.split()
# %% wrong: only the first comma removed -> "Is every comma removed, not only the first?"
- found = sentence.replace(",", "").split()
+ found = sentence.replace(",", "", 1).split()
# %% wrong: small letters -> "capital letters changed"
- found = sentence.replace(",", "").split()
+ found = sentence.lower().replace(",", "").split()
# %% wrong: letters looked up -> "cut into words"
- found = sentence.replace(",", "").split()
+ found = sentence.replace(",", "")
# %% wrong: the whole sentence looked up -> "cut into words with `split`"
- found = sentence.replace(",", "").split()
+ found = [sentence.replace(",", "")]
# %% wrong: split at single spaces -> "any run of white space"
- found = sentence.replace(",", "").split()
+ found = sentence.replace(",", "").split(" ")
# %% wrong: commas become spaces -> "and nothing put in its place?"
- found = sentence.replace(",", "").split()
+ found = sentence.replace(",", " ").split()
# %% wrong: commas stripped at the ends only -> "and nothing put in its place?"
- found = sentence.replace(",", "").split()
+ found = [word.strip(",") for word in sentence.split()]
# %% wrong: backwards -> "words or ids sorted"
- found = sentence.replace(",", "").split()
+ found = sentence.replace(",", "").split()[::-1]
# %% wrong: repetitions dropped -> "Are repetitions dropped?"
- found = sentence.replace(",", "").split()
+ found = list(dict.fromkeys(sentence.replace(",", "").split()))
# %% wrong: all ids of the vocabulary -> "not over `vocab`"
- found = sentence.replace(",", "").split()
+ found = list(vocab)
# %% wrong: words of the vocabulary that occur -> "Are repetitions dropped?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([vocab[word] for word in vocab if word in found], dtype=torch.int64)
# %% wrong: a default id for unknown words -> "Is the word skipped, or given some id?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([vocab.get(word, 0) for word in found], dtype=torch.int64)
# %% wrong: unknown words added to the vocabulary -> "Is the word skipped, or given some id?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([vocab.setdefault(word, len(vocab)) for word in found], dtype=torch.int64)
# %% wrong: unknown words left out -> "Is the word skipped, or given some id?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([vocab[word] for word in found if word in vocab], dtype=torch.int64)
# %% wrong: a key for the unknown -> "Its message should also name dinner"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([vocab[word if word in vocab else "<unk>"] for word in found], dtype=torch.int64)
# %% wrong: None among the ids -> "Is the word skipped, or given some id?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([vocab.get(word) for word in found], dtype=torch.int64)
# %% wrong: another kind of error -> "got ValueError"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ if not vocab.keys() >= {*found}:
+     raise ValueError(f"unknown word in {found}")
+ return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
# %% wrong: the error does not name the word -> "Its message should also name dinner"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ if not vocab.keys() >= {*found}:
+     raise KeyError("unknown word")
+ return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
# %% wrong: the error returned -> "Is the word skipped, or given some id?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ for word in found:
+     if word not in vocab:
+         return KeyError(word)
+ return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
# %% wrong: an unknown word gives None -> "Is the word skipped, or given some id?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ try:
+     return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ except KeyError:
+     return None
# %% wrong: the id 0 taken for nothing -> "Is the id 0 mistaken for a missing word"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ for word in found:
+     if not vocab.get(word):
+         raise KeyError(word)
+ return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
# %% wrong: a vocabulary of its own -> "Is the argument `vocab` used?"
- found = sentence.replace(",", "").split()
+ found = sentence.replace(",", "").split()
+ vocab = {word: number for number, word in enumerate(sorted({*found}))}
# %% wrong: places in the vocabulary -> "Is the id read from it, as `vocab[word]`?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([list(vocab).index(word) for word in found], dtype=torch.int64)
# %% wrong: places in the sentence -> "Is each word looked up?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.arange(len(found))
# %% wrong: sorted ids -> "words or ids sorted"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor(sorted(vocab[word] for word in found), dtype=torch.int64)
# %% wrong: a batch axis -> "an axis too many"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([[vocab[word] for word in found]], dtype=torch.int64)
# %% wrong: a column of ids -> "an axis too many"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([[vocab[word]] for word in found], dtype=torch.int64)
# %% wrong: one-hot vectors -> "Is there exactly one id per word, and not a one-hot vector?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return F.one_hot(torch.tensor([vocab[word] for word in found], dtype=torch.int64))
# %% wrong: the last word returned -> "Are all the words collected before the `return`?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ for word in found:
+     ids = torch.tensor(vocab[word], dtype=torch.int64)
+ return ids
# %% wrong: ids stacked, which needs at least one -> "Does every step of yours also work when there are no words?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.stack([torch.tensor(vocab[word]) for word in found])
# %% wrong: an empty sentence gives None -> "Does every step of yours also work when there are no words?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ if found:
+     return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
# %% wrong: a tensor of words -> "Is each word replaced by its id first?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor(found)
# %% wrong: vocab called -> "`vocab[word]`"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([vocab(word) for word in found], dtype=torch.int64)
# %% wrong: one too many -> "Is the id of each word exactly `vocab[word]`?"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([vocab[word] + 1 for word in found], dtype=torch.int64)
# %% wrong: arguments under other names -> "called sentence and vocab"
- def encode(sentence, vocab):
+ def encode(text, table):
+     sentence, vocab = text, table
# %% wrong: all punctuation is removed -> "Is anything removed besides commas?"
import string


def encode(sentence, vocab):
    for mark in string.punctuation:
        sentence = sentence.replace(mark, "")
    return torch.tensor([vocab[word] for word in sentence.split()], dtype=torch.int64)

# %% wrong: semicolons are removed, too -> hidden: "KeyError"
def encode(sentence, vocab):
    words = sentence.replace(",", "").replace(";", "").split()
    return torch.tensor([vocab[word] for word in words], dtype=torch.int64)

# %% wrong: only blanks, tabs and line ends are white space -> hidden: "KeyError"
def encode(sentence, vocab):
    import re

    words = [word for word in re.split(r"[ \t\n]+", sentence.replace(",", "")) if word]
    return torch.tensor([vocab[word] for word in words], dtype=torch.int64)
# %% wrong: torch.Tensor, which is float32, then long -> "Is it int32 or a float on the way"
def encode(sentence, vocab):
    return torch.Tensor([vocab[word] for word in sentence.replace(",", "").split()]).long()
# %% wrong: cut at commas -> "Two words were looked up as one"
- found = sentence.replace(",", "").split()
+ found = sentence.split(", ")
# %% wrong: capital letters made small, in the vocabulary as well -> "TEA is not the word tea"
def encode(sentence, vocab):
    small = {word.lower(): id for word, id in vocab.items()}
    return torch.tensor([small[word.lower()] for word in sentence.replace(",", "").split()], dtype=torch.int64)
# %% wrong: words of letters and digits alone -> "and nothing put in its place"
import re


def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in re.findall(r"\w+", sentence)], dtype=torch.int64)
# %% wrong: an error that does not say which word -> "Its message should also name dinner"
def encode(sentence, vocab):
    found = sentence.replace(",", "").split()
    if not all(word in vocab for word in found):
        raise KeyError("unknown word")
    return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
# %% wrong: a second try with small letters, then None -> "expected a KeyError, got TypeError"
def encode(sentence, vocab):
    found = sentence.replace(",", "").split()
    return torch.tensor([vocab.get(word, vocab.get(word.lower())) for word in found], dtype=torch.int64)
# %% right: numpy on the way
import numpy as np


def encode(sentence, vocab):
    found = sentence.replace(",", "").split()
    return torch.from_numpy(np.fromiter((vocab[word] for word in found), dtype=np.int64))
# %% right: filled into an empty tensor
def encode(sentence, vocab):
    found = "".join(letter for letter in sentence if letter != ",").split()
    out = torch.empty(len(found), dtype=torch.int64)
    for place, word in enumerate(found):
        out[place] = vocab[word]
    return out
# %% wrong: the sentence of the notebook, whatever is given -> "use its own argument"
words = "Life is short eat dessert first".split()
def encode(sentence, vocab):
    return torch.tensor([vocab[word] for word in words], dtype=torch.int64)
# %% wrong: the vocabulary of the notebook -> "ids of the notebook's vocabulary"
table = {"Life": 0, "dessert": 1, "eat": 2, "first": 3, "is": 4, "short": 5}
def encode(sentence, vocab):
    return torch.tensor([table[word] for word in sentence.replace(",", "").split()])
# %% wrong: filled up to six -> "or are zeros added"
def encode(sentence, vocab):
    ids = torch.zeros(6, dtype=torch.int64)
    for n, word in enumerate(sentence.replace(",", "").split()):
        ids[n] = vocab[word]
    return ids
# %% wrong: squeezed -> "Is there a squeeze?"
def encode(sentence, vocab):
    ids = [[vocab[word] for word in sentence.replace(",", "").split()]]
    return torch.tensor(ids, dtype=torch.int64).squeeze()
# %% wrong: capitals made -> "Are capital letters made?"
def encode(sentence, vocab):
    return torch.tensor([vocab[word.capitalize()] for word in sentence.replace(",", "").split()])
# %% wrong: the words instead of their ids -> "These are the words."
def encode(sentence, vocab):
    return sentence.replace(",", "").split()
# %% wrong: commas removed after the split, so that one alone leaves an empty word -> "A comma by itself is no word"
- found = sentence.replace(",", "").split()
+ found = [word.replace(",", "") for word in sentence.split()]
# %% wrong: get, whose None no tensor holds -> "`vocab.get` gives None"
- return torch.tensor([vocab[word] for word in found], dtype=torch.int64)
+ return torch.tensor([vocab.get(word) for word in found], dtype=torch.int64)
# %% wrong: a plain list where there are no words -> "expected torch.int64 here too, got a list"
- found = sentence.replace(",", "").split()
+ found = sentence.replace(",", "").split()
+ if not found:
+     return []
