#!/usr/bin/env python3
"""Generate the bundled English -> French corpus from a hand-written grammar.

Usage: make_corpus_en_fr.py [--output DIR] [--all-links]

The output depends on nothing but the fixed seed: two runs write the same
bytes.  The grammar knows which words correspond, so the word links of the
test set are exact.
"""
import argparse
import os
import random
import re
import sys
import unicodedata
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus_en_fr_lexicon as lex
from corpus_en_fr_grammar import (
    ADJECTIVES, ANIMAL_PHRASES, CONTROL_PHRASES, NOUNS, PAIRS, STATE_PHRASES,
    VERB_PHRASES, WEATHER_PHRASES, adjective_form, english_verb,
    french_participle, french_verb)
from corpus_en_fr_sentences import CAUSES, COMPARATIVES, PLANS, STORIES, Maker

SEED = 4711
SIZES = {"train": 20000, "valid": 1000, "test": 1000}
# A held-out word must be this frequent in the pool for the training set to
# keep at least three uses of it.
POOL_MINIMUM = 6
MAX_WORDS = 50

# Combinations that the semantic classes let through but that sound odd.
ODD = [re.compile(p, re.IGNORECASE) for p in (
    r"\b(child|boy|girl|son|daughter|children|boys|girls|sons|daughters)\b.*\b(wine|beer|husband|wife)\b",
    r"\b(wine|beer|tea|coffee)\b.*\bat school\b",
    r"\b(\w+),? .*\b(and|with|to) my \1\b",
    r"\b(on (Saturday|Sunday)s?|holidays|weekend)\b.*\b(school|office|university)\b",
    r"\b(school|office|university)\b.*\b(on (Saturday|Sunday)s?|holidays|weekend)\b",
    r"\bhimself\b",
    r"\b(summer|July|August)\b.*\bsnow",
    r"snow.*\b(summer|June|July|August)\b",
    r"\bin winter\b.*\b(swim|beach)|\b(swim|beach).*\bin winter\b",
    r"\b(early|late)\b.*\bthe afternoon\b",
    r"\b(like|love|hate|prefer)\w* to \w+ (two|three|four|five|six|seven|eight|nine|ten)\b",
    r"\bhot\b.*\bin winter\b",
    r"\bcold\b.*\bcold (tea|coffee|milk)\b|\bcold (tea|coffee|milk)\b.*\bcold\b",
    r"\bhot\b.*\bhot (tea|coffee|milk)\b|\bhot (tea|coffee|milk)\b.*\bhot\b",
    r"\bused to (get up|wake up|get dressed|go to bed|smile|hurry|worry)(?! early| late)",
    r"\bwho lives? in a (house|flat)\b",
    r"\btravel\w* .*\bevery (day|morning|evening)|\bevery (day|morning|evening)\b.*\btravel",
    r"\b(won't|not|isn't|aren't)\b.*\bsoon\b",
    r"\bused to\b.*\b(two|three|four|five|six|seven|eight|nine)\b",
    r"^(why|when|where) (do|does)\b.*\b(two|three|four|five|six|seven|eight|nine)\b(?! o'clock)",
    r"\b(rarely|often|usually|always|sometimes)\b.*\ba lot of\b",
)]


# --- lemmas --------------------------------------------------------------

def lexicon():
    """Return the lemmas of each side with all their forms, for the tests."""
    en, fr = {}, {}
    for noun in NOUNS:
        en.setdefault(noun.en + " (n)", set()).update({noun.en, noun.en_pl})
        fr.setdefault(noun.fr + " (n)", set()).update({noun.fr, noun.fr_pl})
    for adj in [a for adjs in ADJECTIVES.values() for a in adjs]:
        en[adj.en + " (adj)"] = {adj.en, COMPARATIVES.get(adj.en, adj.en)}
        fr[adj.m + " (adj)"] = {adjective_form(adj, g, n, "ami") for g in "mf" for n in "sp"} | {adj.m}
    for verb_en, verb_fr in sorted(verbs()):
        en[verb_en + " (v)"] = {english_verb(verb_en, f) for f in ("base", "s", "past", "pp", "ing")}
        fr[verb_fr + " (v)"] = french_forms(verb_fr)
    add_words(en, fr)
    return {"en": en, "fr": fr}


def verbs():
    """Return all pairs of verbs that the patterns use."""
    patterns = list(VERB_PHRASES + ANIMAL_PHRASES + STATE_PHRASES + WEATHER_PHRASES + CONTROL_PHRASES)
    for effects, causes in CAUSES + PLANS:
        patterns += effects + causes
    for _, first, second in STORIES:
        patterns += first + second
    return {(p.en.split()[0].lstrip("+-"), re.sub("^(se|si|y)_", "", p.fr.split()[0])) for p in patterns}


def french_forms(verb):
    forms = {french_verb(verb, t, k) for t in ("present", "imperfect", "future") for k in range(6)}
    participle = french_participle(verb)
    return forms | {verb, participle, participle + "e", participle + "s", participle + "es"}


def add_words(en, fr):
    """Add names, numbers, dates and function words."""
    for name in (lex.NAMES_M + " " + lex.NAMES_F).split():
        en[name], fr[name] = {name}, {name}
    for key in ("DAYS", "MONTHS", "CITIES", "COUNTRIES", "NUMBERS"):
        for a, b, *_ in PAIRS[key]:
            en[a], fr[b] = {a, a + "s"} if key == "DAYS" else {a}, {b}
    for a, m, f in PAIRS["PROFESSIONS"]:
        en.setdefault(a + " (n)", {a})
        fr.setdefault(m + " (n)", set()).update({m, f})
    for word in lex.FUNCTION_EN.split():
        en.setdefault(word, {word})
    for word in lex.FUNCTION_FR.split():
        fr.setdefault(word, {word})


# --- corpus --------------------------------------------------------------

def normalise(text):
    """Return what two sentences must not share: case and final marks go."""
    return text.casefold().rstrip(" .?!")


def words(text):
    """Return the words of a sentence without case and punctuation marks."""
    return [w for w in (x.strip(".,?!:") for x in text.casefold().split()) if w]


def acceptable(en, fr):
    return len(en.split()) <= MAX_WORDS and not any(p.search(en) for p in ODD)


def make_pool(size, rng):
    """Return distinct sentence pairs; no source or target occurs twice."""
    maker, pool, sources, targets = Maker(rng), [], set(), set()
    while len(pool) < size:
        en, fr, links, name = maker.sentence()
        a, b = normalise(en), normalise(fr)
        if a in sources or b in targets or not acceptable(en, fr):
            continue
        sources.add(a)
        targets.add(b)
        pool.append((unicodedata.normalize("NFC", en), unicodedata.normalize("NFC", fr), links, name))
    return pool


def split_pool(pool, rng):
    """Split at random; sentences with rare words stay in the training set."""
    rng.shuffle(pool)
    counts = (Counter(w for p in pool for w in words(p[0])),
              Counter(w for p in pool for w in words(p[1])))
    held, train = [], []
    wanted = SIZES["valid"] + SIZES["test"]
    for pair in pool:
        common = all(counts[side][w] >= POOL_MINIMUM for side in (0, 1) for w in words(pair[side]))
        if common and len(held) < wanted:
            held.append(pair)
            for side in (0, 1):
                counts[side].subtract(words(pair[side]))
        else:
            train.append(pair)
    return {"train": train, "valid": held[:SIZES["valid"]], "test": held[SIZES["valid"]:]}


def build():
    rng = random.Random(SEED)
    return split_pool(make_pool(sum(SIZES.values()), rng), rng)


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.write("".join(line + "\n" for line in lines))


def write_corpus(splits, folder, all_links=False):
    os.makedirs(folder, exist_ok=True)
    for name, pairs in splits.items():
        write_lines(os.path.join(folder, name + ".en"), [p[0] for p in pairs])
        write_lines(os.path.join(folder, name + ".fr"), [p[1] for p in pairs])
        if name == "test" or all_links:
            write_lines(os.path.join(folder, name + ".links"),
                        [" ".join(f"{i}-{j}" for i, j in p[2]) for p in pairs])


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="Generate the English -> French corpus.")
    parser.add_argument("--output", default=os.path.join(here, "..", "corpora", "en-fr"),
                        help="folder to write to (default: corpora/en-fr)")
    parser.add_argument("--all-links", action="store_true",
                        help="write the word links of all three splits")
    args = parser.parse_args()
    write_corpus(build(), args.output, args.all_links)


if __name__ == "__main__":
    main()
