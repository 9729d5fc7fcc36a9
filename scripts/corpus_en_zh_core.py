"""Phrases that carry their own word links.

A phrase holds an English and a Chinese side.  Each side is a list of pieces
(text, keys); an English word and a Chinese word are linked when they share
a key.  A builder puts the same phrases in English order on one side and in
Chinese order on the other, so the links follow from the construction.
"""

import itertools
import re
from collections import Counter

_numbers = itertools.count()

# A word of the target: one Han character, or a stretch without any.
HAN_OR_REST = re.compile("[\u4e00-\u9fff]|[^\u4e00-\u9fff\\s]+")

NO_KEYS = frozenset()


def key():
    """A fresh link key."""
    return frozenset([next(_numbers)])


class Phrase:
    """A pair of piece lists."""

    def __init__(self, en=(), zh=()):
        self.en = list(en)
        self.zh = list(zh)


def en(text, keys=NO_KEYS):
    """A phrase with an English side only."""
    return Phrase([(word, keys) for word in text.split()], [])


def zh(text, keys=NO_KEYS):
    """A phrase with a Chinese side only."""
    return Phrase([], [(text, keys)] if text else [])


def unit(english, chinese):
    """A lexical phrase; words that start with ~ have no counterpart."""
    words, parts = english.split(), chinese.split()
    linked = [word for word in words if not word.startswith("~")]
    if len(linked) == len(parts):
        keys = [key() for _ in parts]
    else:
        keys = [key()] * max(len(linked), len(parts))
    left, pieces = iter(keys), []
    for word in words:
        pieces.append((word[1:], NO_KEYS) if word.startswith("~")
                      else (word, next(left)))
    return Phrase(pieces, list(zip(parts, keys)))


def join(english, chinese=None):
    """Gather English sides in one order and Chinese sides in another."""
    chinese = english if chinese is None else chinese
    return Phrase([piece for part in english if part for piece in part.en],
                  [piece for part in chinese if part for piece in part.zh])


def glue(phrase, mark, chinese_mark):
    """Attach a mark such as a comma to the end of both sides."""
    keys = key()
    return Phrase(phrase.en + [(mark, keys)],
                  phrase.zh + [(chinese_mark, keys)])


def english_words(phrase):
    """English words with keys; marks and clitics join the word before."""
    words = []
    for text, keys in phrase.en:
        if words and text[0] in ",.?!'":
            words[-1] = (words[-1][0] + text, words[-1][1] | keys)
        else:
            words.append((text, keys))
    return words


def chinese_words(phrase):
    """Chinese words with keys, cut as the links define words."""
    text = "".join(piece for piece, _ in phrase.zh)
    keys = [k for piece, k in phrase.zh for _ in piece]
    return text, [(m.group(), frozenset().union(*keys[m.start():m.end()]))
                  for m in HAN_OR_REST.finditer(text)]


def links_between(source, target):
    """Sorted pairs of positions of words that share a key."""
    return [(i, j) for i, (_, a) in enumerate(source)
            for j, (_, b) in enumerate(target) if a & b]


class Picker:
    """Random choice that favours what has been used least so far."""

    def __init__(self, rng):
        self.rng = rng
        self.used = Counter()

    def __call__(self, options, name=lambda option: str(option)):
        """The less used one of three random options."""
        if callable(options[0]):
            # A function has no name that is the same in every run.
            return options[self.rng.randrange(len(options))]
        drawn = [options[self.rng.randrange(len(options))] for _ in range(3)]
        best = min(drawn, key=lambda option: self.used[name(option)])
        self.used[name(best)] += 1
        return best

    def chance(self, probability):
        """True with the given probability."""
        return self.rng.random() < probability

    def weighted(self, table):
        """A value of a list of (weight, value) pairs."""
        point = self.rng.random() * sum(weight for weight, _ in table)
        for weight, value in table:
            point -= weight
            if point < 0:
                break
        return value
