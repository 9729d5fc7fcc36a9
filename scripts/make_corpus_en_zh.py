#!/usr/bin/env python3
"""Write the bundled English-Chinese corpus.

The sentences come from a hand-written grammar and lexicon (the modules
corpus_en_zh_*.py).  The seed is fixed, so every run writes the same bytes.

    python3 scripts/make_corpus_en_zh.py [--out FOLDER] [--all-links]
"""

import argparse
import math
import pathlib
import random
from collections import Counter

import corpus_en_zh_lexicon as lex
from corpus_en_zh_core import (Phrase, Picker, chinese_words, english_words,
                               join, key, links_between, unit)
from corpus_en_zh_grammar import PRONOUNS
from corpus_en_zh_sentences import Sentences

SEED = 20
SIZES = {"train": 20000, "valid": 1000, "test": 1000}
LONGEST = 50
CHINESE_MARKS = {".": "。", "?": "？", "!": "！"}
FINAL_MARKS = ".?!。？！"

# The demonstration sentence stays out of every split in every form.
HELD_OUT_SOURCE = "i love deep learning"
HELD_OUT_TARGET = "我喜欢深度学习"

# Share of surface styles: usual spelling, lower case without final mark,
# capital without mark, lower case with mark.
STYLES = [(76, "usual"), (20, "bare"), (2, "unmarked"), (2, "lower")]


def normal(sentence):
    """The form in which sentences of different splits must differ."""
    return sentence.lower().strip().rstrip(FINAL_MARKS)


class Pair:
    """A finished sentence pair with its words and links."""

    def __init__(self, phrase, mark, style):
        if style in ("usual", "lower"):
            k = key()
            phrase = Phrase(phrase.en + [(mark, k)],
                            phrase.zh + [(CHINESE_MARKS[mark], k)])
        source = english_words(phrase)
        text = " ".join(word for word, _ in source)
        self.en = (text.lower() if style in ("bare", "lower")
                   else text[0].upper() + text[1:])
        self.zh, target = chinese_words(phrase)
        self.links = links_between(source, target)
        self.length = len(source)

    def keys(self):
        """The normal forms of both sides."""
        return normal(self.en), normal(self.zh)

    def types(self):
        """English words without marks and Chinese characters."""
        return ([word.strip(",.?!") for word in self.en.split()]
                + list(self.zh))


def wanted_share(length):
    """Weight of an English length: a gamma curve with a longer tail."""
    tail = 0.05 * min(1, (LONGEST + 1 - length) / 12)
    return length ** 1.6 * math.exp(-length / 3.3) + (
        tail if length > 20 else 0.0)


def quotas(total):
    """How many sentences of every length the corpus should hold."""
    weights = [wanted_share(n) for n in range(1, LONGEST + 1)]
    # A little more room than sentences, so that no single length that the
    # grammar rarely yields holds up the rest.
    scale = 1.02 * total / sum(weights)
    return [0] + [int(round(weight * scale)) for weight in weights]


def held_out(pair):
    """Whether a pair would give away the demonstration sentence."""
    source, target = pair.keys()
    return HELD_OUT_SOURCE in source or HELD_OUT_TARGET in target


class Collector:
    """Keeps pairs that are new, allowed and of a wanted length."""

    def __init__(self, total):
        self.pairs = []
        self.seen = set()
        self.room = quotas(total)
        self.total = total

    def add(self, pair, forced=False):
        """Accept or refuse a pair."""
        source, target = pair.keys()
        if (pair.length > LONGEST or held_out(pair) or source in self.seen
                or target in self.seen):
            return False
        if self.room[pair.length] <= 0 and not forced:
            return False
        self.room[pair.length] -= 1
        self.seen.update((source, target))
        self.pairs.append(pair)
        return True

    def sizes(self):
        """Weights of the kinds of sentence by the room that is left."""
        left = [max(0, room) for room in self.room]
        return [(sum(left[2:4]), "short"), (sum(left[4:10]) + 1, "simple"),
                (sum(left[10:21]), "compound"), (sum(left[21:]), "long")]

    def full(self):
        """Whether the corpus is complete."""
        return len(self.pairs) >= self.total


def phrase_pairs():
    """The fixed expressions in three spellings, for training only."""
    pairs = []
    for source, target in lex.rows(lex.PHRASE_TABLE):
        phrase = unit(source[:-1], target[:-1])
        for style in ("usual", "bare", "unmarked"):
            pairs.append(Pair(phrase, source[-1], style))
    return pairs


def topics():
    """Fields, sports and languages, as (English, Chinese)."""
    return [(row[0], row[1]) for table in
            (lex.FIELD_TABLE, lex.SPORT_NOUNS, lex.LANGUAGE_TABLE)
            for row in lex.rows(table)]


def love_pairs():
    """"I love <topic>" in three spellings, for training only: the pattern
    of the demonstration sentence, which itself is left out."""
    pairs = []
    for topic in topics():
        phrase = join([unit("I", "我"), unit("love", "喜欢"), unit(*topic)])
        for style in ("usual", "bare", "unmarked"):
            pair = Pair(phrase, ".", style)
            if not held_out(pair):
                pairs.append(pair)
    return pairs


def core_pairs(pick):
    """Short sentences about every field, sport, language and activity, so
    that the commonest patterns are seen with every word."""
    fields = {row[0] for row in lex.rows(lex.FIELD_TABLE)}
    verbs = [("love", "喜欢"), ("like", "喜欢"), ("study", "学习")]
    for thing in topics():
        for row in PRONOUNS:
            for verb, han in verbs:
                if row[0] == "I" and verb != "study":
                    continue
                if verb == "study" and thing[0] not in fields:
                    continue
                # "love" and "like" share their Chinese; one is enough.
                if verb == "like" and pick.chance(0.6):
                    continue
                form = lex.third(verb) if row[0] in ("he", "she") else verb
                phrase = join([unit(row[0], row[3]), unit(form, han),
                               unit(*thing)])
                style = "bare" if row[0] == "I" or pick.chance(0.5) else (
                    "usual")
                yield Pair(phrase, ".", style)


def word_count(phrase):
    """Number of English words; marks and clitics are no words."""
    return sum(word[0] not in ",.?!'" for word, _ in phrase.en)


def generate(total):
    """All pairs of the corpus before the split."""
    pick = Picker(random.Random(SEED))
    grammar = Sentences(pick)
    collector = Collector(total)
    for pair in core_pairs(pick):
        collector.add(pair, forced=True)
    while not collector.full():
        phrase, mark = grammar.any(pick.weighted(collector.sizes()))
        # The length is known before the costly links are drawn.
        if collector.room[min(LONGEST, word_count(phrase))] > 0:
            collector.add(Pair(phrase, mark, pick.weighted(STYLES)))
    return collector.pairs


def split(pairs, fixed):
    """Deal the pairs out so that held-out words are known from training."""
    rng = random.Random(SEED + 1)
    rng.shuffle(pairs)
    known = Counter(t for pair in pairs for t in pair.types())
    parts = {"train": [], "valid": [], "test": []}
    for pair in pairs:
        name = next((n for n in ("test", "valid")
                     if len(parts[n]) < SIZES[n]), "train")
        counts = Counter(pair.types())
        if name != "train" and any(known[t] - n < 8
                                   for t, n in counts.items()):
            name = "train"
        if name != "train":
            known.subtract(counts)
        parts[name].append(pair)
    parts["train"] = (fixed + parts["train"])[:SIZES["train"]]
    rng.shuffle(parts["train"])
    return parts


def build():
    """The three splits."""
    fixed = phrase_pairs() + love_pairs()
    taken = {k for pair in fixed for k in pair.keys()}
    pairs = generate(sum(SIZES.values()) + 100)
    pairs = [p for p in pairs if not taken & set(p.keys())]
    return split(pairs, fixed)


def write_lines(path, lines):
    """Write UTF-8 lines with LF on every platform."""
    path.write_bytes("".join(line + "\n" for line in lines).encode("utf-8"))


def write_corpus(parts, folder, all_links=False):
    """Write texts and links into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, pairs in parts.items():
        write_lines(folder / (name + ".en"), [pair.en for pair in pairs])
        write_lines(folder / (name + ".zh"), [pair.zh for pair in pairs])
        if name == "test" or all_links:
            write_lines(folder / (name + ".links"), [
                " ".join("%d-%d" % link for link in pair.links)
                for pair in pairs])


def main():
    """Command line."""
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path,
                        default=root / "corpora" / "en-zh")
    parser.add_argument("--all-links", action="store_true",
                        help="write links for train and valid as well")
    options = parser.parse_args()
    write_corpus(build(), options.out, options.all_links)


if __name__ == "__main__":
    main()
