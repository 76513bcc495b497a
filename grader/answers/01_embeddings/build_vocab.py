# %% right: dict and zip
def build_vocab(sentence):
    unique = sorted({*"".join(sign for sign in sentence if sign != ",").split()})
    return dict(zip(unique, range(len(unique)), strict=True))
# %% right: loop with a list
def build_vocab(sentence):
    unique = []
    for word in sentence.replace(",", "").split():
        if word not in unique:
            unique.append(word)
    unique.sort()
    vocab = {}
    for word in unique:
        vocab[word] = len(vocab)
    return vocab
# %% right: regular expression, and the rank counted
import re


def build_vocab(sentence):
    unique = set(re.findall(r"\S+", re.sub(",", "", sentence)))
    return {word: sum(other < word for other in unique) for word in unique}
# %% right: `dict` hidden inside the function, without harm
def build_vocab(sentence):
    dict = {}
    for word in sorted(sentence.replace(",", "").split()):
        dict.setdefault(word, len(dict))
    return dict
# %% wrong: no return -> "`return`"
def build_vocab(sentence):
    vocab = {word: number for number, word in enumerate(sorted(set(sentence.replace(",", "").split())))}
# %% wrong: `dict` made a local variable, then called -> "hides Python's own `dict`"
def build_vocab(sentence):
    unique = sorted(set(sentence.replace(",", "").split()))
    dict = dict(zip(unique, range(len(unique))))
    return dict
# %% wrong: `dict` hidden by a dictionary, then called -> "hides Python's own `dict`"
def build_vocab(sentence):
    dict = {}
    for number, word in enumerate(sorted(set(sentence.replace(",", "").split()))):
        dict[word] = number
    return dict(sorted(dict.items()))
# %% wrong: repetitions numbered, too -> "made unique"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(sorted(sentence.replace(",", "").split()))}
# %% wrong: commas kept -> "Are commas removed"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(sorted(set(sentence.split())))}
# %% wrong: commas become spaces -> "become a space"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(sorted(set(sentence.replace(",", " ").split())))}
# %% wrong: commas stripped at the ends only -> "at the end of a word"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(sorted({word.strip(",") for word in sentence.split()}))}
# %% wrong: all punctuation removed -> "other signs"
import string


def build_vocab(sentence):
    clean = sentence.translate(str.maketrans("", "", string.punctuation))
    return {word: number for number, word in enumerate(sorted(set(clean.split())))}
# %% wrong: split at single spaces -> "empty string became a word"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(sorted(set(sentence.replace(",", "").split(" "))))}
# %% wrong: split at spaces, empty ones dropped, line breaks kept -> "line break"
def build_vocab(sentence):
    unique = {word for word in sentence.replace(",", "").split(" ") if word}
    return {word: number for number, word in enumerate(sorted(unique))}
# %% wrong: order of the sentence -> "order of the sentence"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(dict.fromkeys(sentence.replace(",", "").split()))}
# %% wrong: order without case -> "ignore case"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(sorted(set(sentence.replace(",", "").split()), key=str.lower))}
# %% wrong: order backwards -> "in Python's own order before"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(sorted(set(sentence.replace(",", "").split()), reverse=True))}
# %% wrong: order by length -> "in Python's own order before"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(sorted(sorted(set(sentence.replace(",", "").split())), key=len))}
# %% wrong: a set's arbitrary order -> "order"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(set(sentence.replace(",", "").split()))}
# %% wrong: small letters -> "capital letters changed"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(sorted(set(sentence.lower().replace(",", "").split())))}
# %% wrong: counted from 1 -> "Where does the counter start?"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(sorted(set(sentence.replace(",", "").split())), start=1)}
# %% wrong: ids as keys -> "change places"
def build_vocab(sentence):
    return dict(enumerate(sorted(set(sentence.replace(",", "").split()))))
# %% wrong: letters -> "letters"
def build_vocab(sentence):
    return {letter: number for number, letter in enumerate(sorted(set(sentence.replace(",", ""))))}
# %% wrong: occurrences counted -> "counted"
from collections import Counter


def build_vocab(sentence):
    return Counter(sentence.replace(",", "").split())
# %% wrong: a list of words -> "paired with its id"
def build_vocab(sentence):
    return sorted(set(sentence.replace(",", "").split()))
# %% wrong: ids are tensors -> "type int"
def build_vocab(sentence):
    return {word: torch.tensor(number) for number, word in enumerate(sorted(set(sentence.replace(",", "").split())))}
# %% wrong: one vocabulary kept for all calls -> "made anew"
def build_vocab(sentence, vocab={}):
    for word in sorted(set(sentence.replace(",", "").split())):
        vocab.setdefault(word, len(vocab))
    return vocab
# %% wrong: the sentence above instead of the argument -> "made anew from the argument"
sentence = "Life is short, eat dessert first"


def build_vocab(text):
    return {word: number for number, word in enumerate(sorted(set(sentence.replace(",", "").split())))}
# %% wrong: commas removed and nothing split -> "Is a word lost, or two joined"
def build_vocab(sentence):
    return {sentence.replace(",", ""): 0}
# %% wrong: only the comma's own space lost -> "Is a word lost, or two joined"
def build_vocab(sentence):
    return {word: number for number, word in enumerate(sorted(set(sentence.replace(", ", "").split())))}
# %% wrong: loop that only keeps the last word -> "Is a word lost, or two joined"
def build_vocab(sentence):
    for number, word in enumerate(sorted(set(sentence.replace(",", "").split()))):
        vocab = {word: number}
    return vocab
# %% wrong: place of the first letter as the id -> "go up by one a word"
def build_vocab(sentence):
    clean = sentence.replace(",", "")
    return {word: clean.index(word) for word in sorted(set(clean.split()))}
# %% wrong: split at the commas -> "Is a word lost, or two joined"
def build_vocab(sentence):
    return {part: number for number, part in enumerate(sorted(set(sentence.split(","))))}
# %% right: insertion by bisect
import bisect


def build_vocab(sentence):
    ordered = []
    for word in "".join(sentence.split(",")).split():
        at = bisect.bisect_left(ordered, word)
        if at == len(ordered) or ordered[at] != word:
            ordered.insert(at, word)
    return {word: ordered.index(word) for word in ordered}
# %% right: a defaultdict that counts itself
from collections import defaultdict


def build_vocab(sentence):
    vocab = defaultdict(lambda: len(vocab))
    for word in sorted(sentence.replace(",", "").split()):
        vocab[word]
    return vocab
# %% wrong: only the first comma removed -> "every comma"
def build_vocab(sentence):
    return {w: i for i, w in enumerate(sorted(set(sentence.replace(",", "", 1).split())))}
# %% wrong: put in order with the commas on -> "Are the commas gone"
def build_vocab(sentence):
    return {w.replace(",", ""): i for i, w in enumerate(sorted(set(sentence.split())))}
# %% wrong: a word for the unknown -> "or one added"
def build_vocab(sentence):
    vocab = {w: i for i, w in enumerate(sorted(set(sentence.replace(",", "").split())))}
    vocab["<unk>"] = len(vocab)
    return vocab
# %% wrong: the result of list.sort() -> "It is None"
def build_vocab(sentence):
    words = list(set(sentence.replace(",", "").split())).sort()
    return {w: i for i, w in enumerate(words)}
# %% wrong: the result of replace dropped -> "Are commas removed"
def build_vocab(sentence):
    sentence.replace(",", "")
    return {w: i for i, w in enumerate(sorted(set(sentence.split())))}
# %% wrong: every word with a capital -> "capital letters changed"
def build_vocab(sentence):
    return {w: i for i, w in enumerate(sorted(set(sentence.replace(",", "").title().split())))}
# %% wrong: ids are strings -> "plain whole number"
def build_vocab(sentence):
    return {w: str(i) for i, w in enumerate(sorted(set(sentence.replace(",", "").split())))}
# %% wrong: the example written down -> "from the argument"
def build_vocab(sentence):
    return {"Life": 0, "dessert": 1, "eat": 2, "first": 3, "is": 4, "short": 5}
# %% wrong: place in the sorted list with repetitions -> "made unique"
def build_vocab(sentence):
    words = sorted(sentence.replace(",", "").split())
    return {w: words.index(w) for w in words}
# %% wrong: last word missing -> "Is a word lost"
def build_vocab(sentence):
    words = sorted(set(sentence.replace(",", "").split()))
    return {words[i]: i for i in range(len(words) - 1)}
