# %% right: the same with a table of the different words, as unit 08 has it
from collections import Counter


def learn_merges(words, n_merges):
    """Unit 01: the n_merges pairs of symbols to join, in order, as tuples of str."""
    counts = Counter(words)  # each different word once, in the order in which they were met
    split, merges = {word: list(word) for word in counts}, []
    for _ in range(n_merges):
        pairs = Counter()
        for word, symbols in split.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += counts[word]
        if not pairs:
            break
        best = max(pairs, key=pairs.get)  # the first of the largest
        merges.append(best)
        for word, symbols in split.items():
            joined = []
            for symbol in symbols:
                if joined and (joined[-1], symbol) == best:
                    joined[-1] += symbol
                else:
                    joined.append(symbol)
            split[word] = joined
    return merges
# %% right: a helper that joins, a dictionary that counts
def joined(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == pair:
            out.append(pair[0] + pair[1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


def learn_merges(words, n_merges):
    split = [list(word) for word in words]
    merges = []
    while len(merges) < n_merges:
        counts = {}
        for symbols in split:
            for i in range(len(symbols) - 1):
                pair = (symbols[i], symbols[i + 1])
                counts[pair] = counts.get(pair, 0) + 1
        if len(counts) == 0:
            return merges
        best, most = None, 0
        for pair, count in counts.items():
            if count > most:
                best, most = pair, count
        merges.append(best)
        split = [joined(symbols, best) for symbols in split]
    return merges
# %% right: each different word once, with its count
from collections import Counter


def learn_merges(words, n_merges):
    often = Counter(words)
    split = {word: tuple(word) for word in often}
    merges = []
    for _ in range(n_merges):
        counts = Counter()
        for word, symbols in split.items():
            for pair in zip(symbols, symbols[1:]):
                counts[pair] += often[word]
        if not counts:
            break
        (pair, _count), = counts.most_common(1)
        merges.append(pair)
        for word, symbols in split.items():
            out = []
            for symbol in symbols:
                out.append(symbol)
                if tuple(out[-2:]) == pair:
                    out[-2:] = ["".join(pair)]
            split[word] = tuple(out)
    return merges
# %% right: text between spaces, joined by a regular expression
import re
from collections import Counter


def learn_merges(words, n_merges):
    texts, merges = [" ".join(word) for word in words], []
    for _ in range(n_merges):
        counts = Counter(p for t in texts for p in zip(t.split(" "), t.split(" ")[1:]))
        if not counts:
            break
        a, b = max(counts, key=lambda pair: counts[pair])
        merges.append((a, b))
        both = re.compile(rf"(?<!\S){re.escape(a)} {re.escape(b)}(?!\S)")
        texts = [both.sub(lambda _: a + b, t) for t in texts]
    return merges
# %% right: joined in place in its own lists, from left to right
def learn_merges(words, n_merges):
    split, merges = list(map(list, words)), []
    for _ in range(n_merges):
        pairs = [(a, b) for s in split for a, b in zip(s[:-1], s[1:])]
        if not pairs:
            break
        best = sorted(dict.fromkeys(pairs), key=pairs.count, reverse=True)[0]
        merges += [best]
        for s in split:
            i = 0
            while i + 1 < len(s):
                if (s[i], s[i + 1]) == best:
                    s[i : i + 2] = ["".join(best)]
                i += 1
    return merges
# %% wrong: no return -> "Is there a `return`"
- return merges

  joined.append(symbol)
  split[n] = joined
+ return None
# %% wrong: returns after the first round -> "Where do yours leave the path"
- split[n] = joined
- return merges
+ split[n] = joined
+ return merges
# %% wrong: joined strings noted -> "('s', 'o'), instead of what it joins to"
- merges.append(best)
+ merges.append("".join(best))
# %% wrong: lists instead of tuples -> "A pair is a tuple"
- merges.append(best)
+ merges.append(list(best))
# %% wrong: counts noted as well -> "without its count"
- merges.append(best)
+ merges.append((best, counts[best]))
# %% wrong: each different word counted once -> "repeated words counted each time"
- split, merges = [list(word) for word in words], []
+ split, merges = [list(word) for word in dict.fromkeys(words)], []
# %% wrong: the rarest pair -> "not the rarest"
- best = max(counts, key=counts.get)
+ best = min(counts, key=counts.get)
# %% wrong: a pair counted once per word -> "counted wherever it stands"
- counts = Counter(pair for word in split for pair in zip(word, word[1:]))
+ counts = Counter(pair for word in split for pair in dict.fromkeys(zip(word, word[1:])))
# %% wrong: the last of several that tie -> "the pair that was met first"
- best = max(counts, key=counts.get)
+ best = max(reversed(counts), key=counts.get)
# %% wrong: the first of the alphabet -> "the pair that was met first"
- best = max(counts, key=counts.get)
+ best = min(counts, key=lambda pair: (-counts[pair], pair))
# %% wrong: the last of the alphabet -> "the pair that was met first"
- best = max(counts, key=counts.get)
+ best = max(counts, key=lambda pair: (counts[pair], pair))
# %% wrong: the shortest first symbol of those that tie -> "is none of an earlier round preferred"
- best = max(counts, key=counts.get)
+ best = max(counts, key=lambda pair: (counts[pair], -len(pair[0])))
# %% wrong: all words as one string -> "end of one word"
- split, merges = [list(word) for word in words], []
+ split, merges = [list("".join(words))], []
# %% wrong: words joined by spaces -> "no symbol"
- split, merges = [list(word) for word in words], []
+ split, merges = [list(" ".join(words))], []
# %% wrong: nothing is joined -> "joined in the words before the next count"
- split[n] = joined
+ joined = word
# %% wrong: pairs of letters only, counted once -> "a new count after each join"
- split, merges = [list(word) for word in words], []
- for _ in range(n_merges):
- counts = Counter(pair for word in split for pair in zip(word, word[1:]))
- if not counts:
- break
- best = max(counts, key=counts.get)
- merges.append(best)
+ split, merges = [list(word) for word in words], []
+ counts = Counter(pair for word in split for pair in zip(word, word[1:]))
+ return [pair for pair, _ in counts.most_common(n_merges)]
+ for _ in range(n_merges):
+     best = None
# %% wrong: joined in the first word only -> "Is (h, a) joined in 'that' as well?"
- split[n] = joined
+ split[n] = joined
+ if joined != word:
+     break
# %% wrong: joined once per word -> "Is it joined at both"
- if joined and (joined[-1], symbol) == best:
+ if joined and (joined[-1], symbol) == best and "".join(best) not in joined:
# %% wrong: replaced in the text, symbols or not -> "Symbols may be longer"
- split, merges = [list(word) for word in words], []
+ split, merges = [" ".join(word) for word in words], []

- counts = Counter(pair for word in split for pair in zip(word, word[1:]))
+ counts = Counter(pair for word in split for pair in zip(word.split(), word.split()[1:]))

- joined = []
- for symbol in word:
- if joined and (joined[-1], symbol) == best:
- joined[-1] += symbol
- else:
- joined.append(symbol)
- split[n] = joined
+ split[n] = word.replace(" ".join(best), "".join(best))
# %% wrong: from right to left -> "from left to right"
- for symbol in word:
- if joined and (joined[-1], symbol) == best:
- joined[-1] += symbol
- else:
- joined.append(symbol)
- split[n] = joined
+ for symbol in reversed(word):
+     if joined and (symbol, joined[-1]) == best:
+         joined[-1] = symbol + joined[-1]
+     else:
+         joined.append(symbol)
+ split[n] = joined[::-1]
# %% wrong: a symbol joined twice -> "is used up"
- for symbol in word:
- if joined and (joined[-1], symbol) == best:
- joined[-1] += symbol
- else:
- joined.append(symbol)
- split[n] = joined
+ for i, symbol in enumerate(word):
+     if i and (word[i - 1], symbol) == best:
+         joined.append("".join(best))
+     elif (symbol, word[i + 1] if i + 1 < len(word) else "") != best:
+         joined.append(symbol)
+ split[n] = joined
# %% wrong: the second symbol stays -> "is the a used up"
- joined[-1] += symbol
+ joined[-1] += symbol
+ joined.append(symbol)
# %% wrong: no end when nothing is left -> "Does the loop stop there?"
- if not counts:
- break
# %% wrong: pairs that occur once are left -> "A pair that occurs once is joined as well"
- if not counts:
+ if not counts or max(counts.values()) < 2:
# %% wrong: one round too many -> "one pair for n_merges = 1"
- for _ in range(n_merges):
+ for _ in range(n_merges + 1):
# %% wrong: one round too few -> "Does the loop run one time too few?"
- for _ in range(n_merges):
+ for _ in range(n_merges - 1):
# %% wrong: the words themselves come back -> "of the merges alone"
- return merges
+ return split, merges
# %% wrong: the joined words come back -> "the pairs that were joined"
- return merges
+ return split
# %% wrong: words as text, cut at white space -> "Does the loop run one time too few?"
- split, merges = [list(word) for word in words], []
+ split, merges = [word.split() for word in words], []
# %% wrong: arguments under other names -> "Are its arguments called words and n_merges?"
- def learn_merges(words, n_merges):
+ def learn_merges(corpus, k):
+     words, n_merges = corpus, k
# %% wrong: ends after ten rounds -> hidden: "they part at number 10"
- for _ in range(n_merges):
+ for _ in range(min(n_merges, 10)):
# %% wrong: capital letters made small -> "No word has the symbol 't'"
- split, merges = [list(word) for word in words], []
+ split, merges = [list(word.lower()) for word in words], []
# %% wrong: what the pair joins to noted as well -> "without what it joins to"
- return merges
+ return [(left, right, left + right) for left, right in merges]
# %% wrong: bytes, as in minbpe -> "not a number or a byte"
- split, merges = [list(word) for word in words], []
- for _ in range(n_merges):
+ split, merges = [list(word.encode()) for word in words], []
+ for new in range(256, 256 + n_merges):

- joined[-1] += symbol
+ joined[-1] = new
# %% wrong: each pair as one text with a space, as in a file of merges -> "a tuple of its two symbols"
- merges.append(best)
+ merges.append(" ".join(best))
# %% wrong: the counts alone -> "a tuple of its two symbols"
- merges.append(best)
+ merges.append(counts[best])
# %% wrong: a list as a default argument, which is kept from call to call -> "not as a default argument"
- def learn_merges(words, n_merges):
+ def learn_merges(words, n_merges, merges=[]):

- split, merges = [list(word) for word in words], []
+ split = [list(word) for word in words]
# %% wrong: an error where no pair is left -> "the merges up to there are returned"
- break
+ raise ValueError("no pair is left")
# %% wrong: yields -> "not `yield`"
- merges.append(best)
+ yield best
# %% wrong: a tuple of pairs -> "and as a list"
- return merges
+ return tuple(merges)
# %% right: a regular expression with a function
from collections import Counter
import re


def learn_merges(words, n_merges):
    texts, merges = [" ".join(word) for word in words], []
    for _ in range(n_merges):
        counts = Counter(pair for text in texts for pair in zip(text.split(" "), text.split(" ")[1:]))
        if not counts:
            break
        a, b = max(counts, key=counts.get)
        merges.append((a, b))
        pair = rf"(?<!\S){re.escape(a)} {re.escape(b)}(?!\S)"
        texts = [re.sub(pair, lambda _: a + b, text) for text in texts]
    return merges
# %% wrong of "a regular expression with a function": a regular expression in which signs keep their meaning -> "Does a full stop stand for itself?"
- pair = rf"(?<!\S){re.escape(a)} {re.escape(b)}(?!\S)"
+ pair = rf"(?<!\S){a} {b}(?!\S)"
# %% wrong: arguments in the other order -> "in this order: words, n_merges"
- def learn_merges(words, n_merges):
+ def learn_merges(n_merges, words):
# %% wrong of "a regular expression with a function": a regular expression whose new text is no function -> "Here a backslash is a letter like any other"
- counts = Counter(pair for text in texts for pair in zip(text.split(" "), text.split(" ")[1:]))
+ counts = Counter(pair for text in texts for pair in zip(text.split(), text.split()[1:]))

- texts = [re.sub(pair, lambda _: a + b, text) for text in texts]
+ texts = [re.sub(pair, a + b, text) for text in texts]
# %% right: recursion over words and rounds
def learn_merges(words, n_merges, split=None):
    split = [tuple(word) for word in words] if split is None else split
    pairs = [pair for word in split for pair in zip(word, word[1:])]
    if not pairs or not n_merges:
        return []
    best = max(dict.fromkeys(pairs), key=pairs.count)

    def join(word):
        if len(word) < 2:
            return word
        return ("".join(best), *join(word[2:])) if word[:2] == best else (word[0], *join(word[1:]))

    return [best, *learn_merges(words, n_merges - 1, [join(word) for word in split])]
# %% wrong: pairs counted as joined text, and cut again after one letter -> "Are the two symbols of a pair kept apart"
- counts = Counter(pair for word in split for pair in zip(word, word[1:]))
+ counts = Counter(a + b for word in split for a, b in zip(word, word[1:]))

- merges.append(best)
+ merges.append((best[0], best[1:]))

- if joined and (joined[-1], symbol) == best:
+ if joined and joined[-1] + symbol == best:
# %% wrong of "the same with a table of the different words, as unit 08 has it": the most frequent words first -> "in the order in which they came"
- split, merges = {word: list(word) for word in counts}, []
+ split, merges = {word: list(word) for word, _ in counts.most_common()}, []
# %% wrong: a loop that ends one pair too early -> "Is the last pair of each word counted"
def learn_merges(words, n_merges):
    split, merges = [list(word) for word in words], []
    for _ in range(n_merges):
        pairs = {}
        for word in split:
            for i in range(len(word) - 2):
                pair = word[i], word[i + 1]
                pairs[pair] = pairs.get(pair, 0) + 1
        if not pairs:
            break
        best = max(pairs, key=pairs.get)
        merges.append(best)
        for word in split:
            i = 0
            while i < len(word) - 1:
                if (word[i], word[i + 1]) == best:
                    word[i : i + 2] = [word[i] + word[i + 1]]
                i += 1
    return merges
# %% wrong: stops where any word is one symbol -> "Does it stop where one word has no pair?"
from collections import Counter


def learn_merges(words, n_merges):
    splits = [list(word) for word in words]
    merges = []
    for _ in range(n_merges):
        counts = Counter()
        for symbols in splits:
            for pair in zip(symbols, symbols[1:]):
                counts[pair] += 1
        if not counts or any(len(s) < 2 for s in splits):
            break
        best = max(counts, key=counts.get)
        merges.append(best)
        joined = []
        for symbols in splits:
            new, i = [], 0
            while i < len(symbols):
                if i + 1 < len(symbols) and (symbols[i], symbols[i + 1]) == best:
                    new.append(symbols[i] + symbols[i + 1])
                    i += 2
                else:
                    new.append(symbols[i])
                    i += 1
            joined.append(new)
        splits = joined
    return merges
# %% wrong: of those that tie, the one that an earlier round has met -> "is none of an earlier round preferred"
from collections import Counter
def learn_merges(words, n_merges):
    split, merges, met = [list(word) for word in words], [], {}
    for _ in range(n_merges):
        counts = Counter(pair for word in split for pair in zip(word, word[1:]))
        if not counts:
            break
        for pair in counts:
            met.setdefault(pair, len(met))
        best = min(counts, key=lambda pair: (-counts[pair], met[pair]))
        merges.append(best)
        for n, word in enumerate(split):
            joined = []
            for symbol in word:
                if joined and (joined[-1], symbol) == best:
                    joined[-1] += symbol
                else:
                    joined.append(symbol)
            split[n] = joined
    return merges
# %% wrong: all pairs that tie are joined after one count -> "counted anew after every single join"
from collections import Counter
def learn_merges(words, n_merges):
    split, merges = [list(word) for word in words], []
    while len(merges) < n_merges:
        counts = Counter(pair for word in split for pair in zip(word, word[1:]))
        if not counts:
            break
        for best in [pair for pair in counts if counts[pair] == max(counts.values())]:
            new = []
            for word in split:
                joined = []
                for symbol in word:
                    if joined and (joined[-1], symbol) == best:
                        joined[-1] += symbol
                    else:
                        joined.append(symbol)
                new.append(joined)
            if new != split:
                merges.append(best)
                split = new
    return merges[:n_merges]
# %% wrong: joined in place, by indices that shift -> "Is it joined at both?"
from collections import Counter
def learn_merges(words, n_merges):
    split, merges = [list(word) for word in words], []
    for _ in range(n_merges):
        counts = Counter(pair for word in split for pair in zip(word, word[1:]))
        if not counts:
            break
        best = max(counts, key=counts.get)
        merges.append(best)
        for word in split:
            places = [i for i in range(len(word) - 1) if (word[i], word[i + 1]) == best]
            for i in places:
                if i + 1 < len(word):
                    word[i : i + 2] = [word[i] + word[i + 1]]
    return merges
# %% wrong: a pair counts as often as it is long -> "Does only the number of times count"
from collections import Counter


def learn_merges(words, n_merges):
    split = [list(w) for w in words]
    merges = []
    for _ in range(n_merges):
        counts = Counter(p for w in split for p in zip(w, w[1:]))
        if not counts:
            break
        best = max(counts, key=lambda p: counts[p] * len(p[0] + p[1]))
        merges.append(best)
        for n, w in enumerate(split):
            out = []
            for s in w:
                if out and (out[-1], s) == best:
                    out[-1] += s
                else:
                    out.append(s)
            split[n] = out
    return merges

# %% wrong: joined in either order -> "only in its own order"
- if joined and (joined[-1], symbol) == best:
+ if joined and {joined[-1], symbol} == set(best):

# %% wrong: the first symbol is not counted -> "from its first symbol on"
- counts = Counter(pair for word in split for pair in zip(word, word[1:]))
+ counts = Counter(pair for word in split for pair in zip(word[1:], word[2:]))
