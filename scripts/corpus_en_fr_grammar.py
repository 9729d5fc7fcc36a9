"""Parallel grammar of the English -> French corpus generator.

A phrase is a pair of token lists.  A token is (text, ids); an English and a
French token that share an id are linked, which is how the gold word links are
known.  Elision, contraction and spelling of the sentence come last, so the
grammar works on whole words ("de", "le", "ami") throughout.
"""
import re
from collections import Counter, namedtuple

import corpus_en_fr_lexicon as lex

Noun = namedtuple("Noun", "en en_pl fr fr_pl g mass plural classes")
Adj = namedtuple("Adj", "en m f pre")
Pattern = namedtuple("Pattern", "en fr kind tags")

VOWELS = "aâàeéèêëiîïoôuùûœh"
# Words that begin with a vowel or h and yet refuse elision.
NO_ELISION = {"haricot", "haricots", "hamster", "hamsters", "huit", "onze",
              "haut", "haute", "hauts", "hautes"}
ELIDING = {"je", "me", "te", "se", "le", "la", "de", "ne", "que", "le_",
           "la_", "ce"}


# --- spelling rules ------------------------------------------------------

def starts_with_vowel(word):
    """Say whether a French word lets the word before it elide."""
    word = word.lower()
    if word in NO_ELISION:
        return False
    return word == "y" or word[0] in VOWELS


def english_plural(word):
    head, _, last = word.rpartition(" ")
    if re.search(r"(s|x|ch|sh)$", last) or last in ("tomato", "potato"):
        last += "es"
    elif re.search(r"[^aeiou]y$", last):
        last = last[:-1] + "ies"
    else:
        last += "s"
    return f"{head} {last}".strip()


def french_plural(word):
    if word[-1] in "sxz":
        return word
    if word.endswith("al"):
        return word[:-2] + "aux"
    if word.endswith("eau"):
        return word + "x"
    return word + "s"


def french_feminine(word):
    """Return the regular feminine of an adjective."""
    for ending, feminine in (("eux", "euse"), ("er", "ère"), ("f", "ve"),
                             ("on", "onne"), ("el", "elle"), ("en", "enne")):
        if word.endswith(ending):
            return word[:-len(ending)] + feminine
    return word if word.endswith("e") or word == "marron" else word + "e"


def adjective_form(adj, g, n, before=None):
    """Agree an adjective; before is the next word when it precedes a noun."""
    if adj.m == "marron":
        return adj.m
    if g == "f":
        return adj.f + ("s" if n == "p" else "")
    if n == "p":
        return french_plural(adj.m)
    if before and starts_with_vowel(before):
        return {"beau": "bel", "nouveau": "nouvel",
                "vieux": "vieil"}.get(adj.m, adj.m)
    return adj.m


def indefinite_article(word):
    if word in ("honest", "hour"):
        return "an"
    if word in ("university", "useful"):
        return "a"
    return "an" if word[0] in "aeiou" else "a"


# --- English verbs -------------------------------------------------------

def load_english_verbs():
    table = {}
    for entry in re.split(r"[;\n]", lex.EN_VERBS):
        words = entry.split()
        if words:
            table[words[0]] = words[1:]
    return table


EN_IRREGULAR = load_english_verbs()


def english_verb(base, form):
    """Inflect a verb: form is base, s, past, pp or ing."""
    if form == "base":
        return base
    if form == "s":
        if base in ("have", "be"):
            return {"have": "has", "be": "is"}[base]
        if re.search(r"(s|x|ch|sh|o)$", base):
            return base + "es"
        if re.search(r"[^aeiou]y$", base):
            return base[:-1] + "ies"
        return base + "s"
    odd = EN_IRREGULAR.get(base, [])
    if form == "ing":
        if len(odd) == 3:
            return odd[2]
        return (base[:-1] if re.search(r"[^eo]e$", base) else base) + "ing"
    if odd:
        return odd[0 if form == "past" else 1]
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if re.search(r"[^aeiou]y$", base) else base + "ed"


def english_be(person, past=False):
    if past:
        return "was" if person in ("I", "he") else "were"
    return {"I": "am", "he": "is"}.get(person, "are")


# --- French verbs --------------------------------------------------------

def load_french_verbs():
    table = {}
    for line in lex.FR_VERBS.strip().splitlines():
        infinitive, rest = line.split(":")
        present, participle, future = (x.strip() for x in rest.split(";"))
        table[infinitive] = (present.split(), participle, future)
    return table


FR_IRREGULAR = load_french_verbs()
PRESENT_ER = ["e", "es", "e", "ons", "ez", "ent"]
IMPERFECT = ["ais", "ais", "ait", "ions", "iez", "aient"]
FUTURE = ["ai", "as", "a", "ons", "ez", "ont"]


def strong_stem(stem):
    """Return the stem of an -er verb before a mute e."""
    if stem == "appel":
        return "appell"
    if re.search(r"(oy|uy|ay)$", stem):
        return stem[:-1] + "i"
    match = re.search(r"[eé]([a-z])$", stem)
    if match:
        return stem[:match.start()] + "è" + match.group(1)
    return stem


def soften(stem, ending):
    """Keep the sound of -ger and -cer verbs before a and o."""
    if ending[0] in "ao":
        if stem.endswith("g"):
            return stem + "e"
        if stem.endswith("c"):
            return stem[:-1] + "ç"
    return stem


def present_er(stem, index):
    ending = PRESENT_ER[index]
    return (soften(stem, ending) if index in (3, 4) else strong_stem(stem)) + ending


def french_present(verb, index):
    if verb in FR_IRREGULAR:
        return FR_IRREGULAR[verb][0][index]
    stem = verb[:-2]
    if verb.endswith("er"):
        return present_er(stem, index)
    if verb.endswith("ir"):
        return stem + ["is", "is", "it", "issons", "issez", "issent"][index]
    return stem + ["s", "s", "", "ons", "ez", "ent"][index]


def french_participle(verb):
    if verb in FR_IRREGULAR:
        return FR_IRREGULAR[verb][1]
    return verb[:-2] + {"er": "é", "ir": "i", "re": "u"}[verb[-2:]]


def future_stem(verb):
    if verb in FR_IRREGULAR:
        return FR_IRREGULAR[verb][2]
    if verb == "envoyer":
        return "enverr"
    if verb.endswith("er"):
        # The e of préférer keeps its accent in the future.
        stem = verb[:-2]
        return (stem if "é" in stem[-2:] else strong_stem(stem)) + "er"
    return verb[:-1] if verb.endswith("re") else verb


def french_verb(verb, tense, index):
    """Conjugate a simple tense for person index 0 (je) to 5 (ils)."""
    if tense == "present":
        return french_present(verb, index)
    if tense == "imperfect":
        stem = "ét" if verb == "être" else french_present(verb, 3)[:-3]
        if index in (3, 4) and verb.endswith("ger"):
            stem = verb[:-2]
        elif verb.endswith("er"):
            stem = soften(verb[:-2], IMPERFECT[index]) if verb != "aller" else stem
        return stem + IMPERFECT[index]
    stem = future_stem(verb)
    return stem + (FUTURE if tense == "future" else IMPERFECT)[index]


def french_imperative(verb, index):
    form = french_present(verb, index)
    if index == 1 and (verb.endswith("er") or verb == "ouvrir"):
        return "va" if verb == "aller" else form[:-1]
    return form


def agree_participle(participle, g, n):
    if g == "f":
        participle += "e"
    if n == "p" and not participle.endswith("s"):
        participle += "s"
    return participle


# --- lexicon loading -----------------------------------------------------

def parse_noun(text, classes):
    en, fr, g = text.split()
    en, _, en_pl = en.replace("_", " ").partition("/")
    fr, _, fr_pl = fr.replace("_", " ").partition("/")
    return Noun(en, en_pl or english_plural(en), fr, fr_pl or french_plural(fr),
                g[0], g[1:] == "0", g[1:] == "p", classes)


def load_nouns():
    nouns = []
    for line in lex.NOUNS.strip().splitlines():
        classes, words = line.split(": ")
        nouns += [parse_noun(w, tuple(classes.split())) for w in words.split(", ")]
    return nouns


def load_adjectives():
    """Return the adjectives of each noun class."""
    table = {}
    for line in lex.ADJECTIVES.strip().splitlines():
        cls, words = line.split(": ")
        table[cls] = []
        for word in words.split(", "):
            en, fr, *pre = word.split()
            m, _, f = fr.partition("/")
            table[cls].append(Adj(en, m, f or french_feminine(m), bool(pre)))
    return table


def load_patterns(text):
    patterns = []
    for line in text.strip().splitlines():
        en, fr, kind, *tags = (x.strip() for x in line.split("|"))
        patterns.append(Pattern(en, fr, kind, tuple(" ".join(tags).split())))
    return patterns


def load_phrases(text):
    """Read "tag: english | french; ..." lines."""
    table = {}
    for line in text.strip().splitlines():
        tag, phrases = line.split(": ", 1)
        table[tag] = [tuple(x.strip() for x in p.split("|"))
                      for p in phrases.split("; ")]
    return table


NOUNS = load_nouns()
BY_CLASS = {}
for _noun in NOUNS:
    for _class in _noun.classes:
        BY_CLASS.setdefault(_class, []).append(_noun)
ADJECTIVES = load_adjectives()
VERB_PHRASES = load_patterns(lex.VERB_PHRASES)
ANIMAL_PHRASES = load_patterns(lex.ANIMAL_PHRASES)
PLACES = load_phrases(lex.PLACES)
TIMES = load_phrases(lex.TIMES)
PAIRS = {name: [tuple(w.replace("_", " ") for w in item.split())
                for item in getattr(lex, name).split(", ")]
         for name in ("DAYS", "MONTHS", "CITIES", "COUNTRIES", "NUMBERS",
                      "PROFESSIONS")}
STATE_PHRASES = load_patterns(lex.STATE_PHRASES)
WEATHER_PHRASES = load_patterns(lex.WEATHER_PHRASES)
CONTROL_PHRASES = load_patterns(lex.CONTROL_PHRASES)
PART_OF_DAY = re.compile("morning|evening|afternoon|night|hour|now|work")


class Ambiguous(Exception):
    """Raised when a sentence could also be read in another tense."""


# Slots whose noun stays in the singular: one goes to one bank, wears one coat.
SINGLE_SLOTS = ("town", "transport", "room", "house", "instrument", "furniture",
                "luggage", "nature", "portable=umbrella", "cloth=coat,jacket",
                "baby", "event=birthday")
# The present of these verbs looks like their past except in the third person.
SAME_PAST = {"read", "cut", "put", "set", "hurt", "cost"}


class NP:
    """A noun phrase with what agreement needs to know about it."""

    def __init__(self, en, fr, g="m", n="s", person="he", index=None,
                 noun=None, fr_neg=None, poss=None, pron=False):
        self.en, self.fr, self.fr_neg = en, fr, fr_neg or fr
        self.g, self.n, self.person, self.noun = g, n, person, noun
        self.index = index if index is not None else (2 if n == "s" else 5)
        self.poss, self.pron = poss or person, pron
        # A thing is "it", a person is "he" or "she".
        self.human = noun is None or "human" in noun.classes


class VP:
    """A verb phrase whose slots have been filled for one subject."""

    def __init__(self):
        self.en_verb = self.fr_verb = None
        self.en_rest, self.fr_rest, self.fr_rest_neg = [], [], []
        self.clitics, self.agree = [], None
        self.reflexive = self.indirect = False
        self.kind, self.tags = "o", ()


# --- the grammar ---------------------------------------------------------

POSS_EN = {"I": "my", "you": "your", "he": "his", "she": "her", "we": "our",
           "they": "their", "vous": "your"}
POSS_FR = {"I": ("mon", "ma", "mes"), "you": ("ton", "ta", "tes"),
           "he": ("son", "sa", "ses"), "she": ("son", "sa", "ses"),
           "we": ("notre", "notre", "nos"), "they": ("leur", "leur", "leurs"),
           "vous": ("votre", "votre", "vos")}
SUBJECT_PRONOUNS = {"I": ("I", "je", 0, "m", "s"), "you": ("you", "tu", 1, "m", "s"),
                    "he": ("he", "il", 2, "m", "s"), "she": ("she", "elle", 2, "f", "s"),
                    "we": ("we", "nous", 3, "m", "p"), "they": ("they", "ils", 5, "m", "p")}
OBJECT_PRONOUNS = {"I": ("me", "me", "me"), "you": ("you", "te", "te"),
                   "he": ("him", "le_", "lui"), "she": ("her", "la_", "lui"),
                   "we": ("us", "nous", "nous"), "they": ("them", "les_", "leur"),
                   "vous": ("you", "vous", "vous")}
REFLEXIVE = ["me", "te", "se", "nous", "vous", "se"]
NEGATED = {"do": "don't", "does": "doesn't", "did": "didn't", "is": "isn't",
           "are": "aren't", "was": "wasn't", "were": "weren't",
           "have": "haven't", "has": "hasn't", "will": "won't",
           "can": "can't", "could": "couldn't", "must": "mustn't",
           "would": "wouldn't"}


class Grammar:
    """Builds random parallel phrases; every choice comes from one generator."""

    def __init__(self, rng):
        self.rng = rng
        self.uses = Counter()
        self.next_id = 0
        self.polite = None

    # choices

    def new(self):
        self.next_id += 1
        return self.next_id

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        """Choose at random, leaning to what has been used less so far."""
        a, b = self.rng.choice(items), self.rng.choice(items)
        best = a if self.uses[a] <= self.uses[b] else b
        self.uses[best] += 1
        return best

    def weighted(self, items):
        names, weights = zip(*items)
        return self.rng.choices(names, weights)[0]

    # fixed phrases

    def phrase(self, en, fr, known=None):
        """Read a fixed phrase; words are linked by marks or by position."""
        ids = dict(known or {})
        en_words, fr_words = en.split(), fr.split()
        marked = "/" in en or "/" in fr
        if not marked and len(en_words) == len(fr_words):
            en_words = [f"{w}/{chr(0x100 + i)}" for i, w in enumerate(en_words)]
            fr_words = [f"{w}/{chr(0x100 + i)}" for i, w in enumerate(fr_words)]
        return [self.read_token(w, ids) for w in en_words], \
               [self.read_token(w, ids) for w in fr_words]

    def read_token(self, word, ids):
        text, _, marks = word.partition("/")
        for mark in marks:
            if mark not in ids:
                ids[mark] = self.new()
        return text, tuple(ids[m] for m in marks)

    def place(self, tag):
        return self.phrase(*self.pick(PLACES[tag]))

    def time(self, group, neutral=False):
        """Return a time expression; a neutral one names no part of the day."""
        phrases = TIMES[group]
        if neutral:
            phrases = [p for p in phrases if not PART_OF_DAY.search(p[0])]
        en, fr = self.pick(phrases)
        day, month = self.pick(PAIRS["DAYS"]), self.pick(PAIRS["MONTHS"])
        dom, year = self.rng.randint(1, 28), str(self.rng.randint(2005, 2024))
        for key, a, b in (("day", *day), ("daypl", day[0] + "s", ""),
                          ("month", *month), ("year", year, year),
                          ("dom", str(dom), "1er" if dom == 1 else str(dom))):
            en, fr = en.replace("{%s}" % key, a), fr.replace("{%s}" % key, b)
        return self.phrase(en, fr)

    def clock(self, hours=range(6, 23)):
        """Return "at half past seven" and its like, within the given hours."""
        kind = self.rng.randrange(5)
        if kind == 3:
            hour, minute = self.rng.choice(hours), self.rng.choice(["10", "15", "20", "30", "45"])
            return self.phrase(f"at/1 {hour}:{minute}/2", f"à/1 {hour}/2 h/2 {minute}/2")
        if kind == 4 and 12 in hours:
            en, fr = self.rng.choice([("noon", "midi"), ("midnight", "minuit")])
            return self.phrase(f"at/1 {en}/2", f"à/1 {fr}/2")
        spoken = sorted({h % 12 for h in hours} - {0, 1})
        number, french = self.pick([PAIRS["NUMBERS"][h - 2] for h in spoken])
        if kind == 1:
            return self.phrase(f"at/1 half/4 past/3 {number}/2",
                               f"à/1 {french}/2 heures/3 et/4 demie/4")
        if kind == 2:
            return self.phrase(f"at/1 a/4 quarter/4 past/3 {number}/2",
                               f"à/1 {french}/2 heures/3 et/4 quart/4")
        return self.phrase(f"at/1 {number}/2 o'clock/3", f"à/1 {french}/2 heures/3")

    # noun phrases

    def pronoun(self, person):
        """Return a subject pronoun; a polite "you" is "vous"."""
        i = self.new()
        if person == "you" and self.polite:
            g, n = self.polite
            return NP([("you", (i,))], [("vous", (i,))], g, n, "you", 4,
                      poss="vous", pron=True)
        en, fr, index, g, n = SUBJECT_PRONOUNS[person]
        agreement = "he" if person == "she" else person
        return NP([(en, (i,))], [(fr, (i,))], g, n, agreement, index,
                  poss=person, pron=True)

    def again(self, np):
        """Return the subject pronoun that takes up a noun phrase."""
        if np.pron:
            return self.pronoun("you" if np.poss == "vous" else np.poss)
        i = self.new()
        fr = {"ms": "il", "fs": "elle", "mp": "ils", "fp": "elles"}[np.g + np.n]
        if np.n == "p":
            return NP([("they", (i,))], [(fr, (i,))], np.g, "p", "they", poss="they", pron=False, noun=np.noun)
        en = ("she" if np.g == "f" else "he") if np.human else "it"
        return NP([(en, (i,))], [(fr, (i,))], np.g, "s", "he", noun=np.noun,
                  poss="she" if en == "she" else "he")

    def name(self):
        female = self.chance(0.5)
        name = self.pick((lex.NAMES_F if female else lex.NAMES_M).split())
        i = self.new()
        return NP([(name, (i,))], [(name, (i,))], "f" if female else "m",
                  poss="she" if female else "he")

    def subject(self):
        """Return a human subject."""
        kind = self.weighted([("pronoun", 50), ("name", 14), ("kin", 20),
                              ("folk", 12), ("both", 4)])
        if kind == "pronoun":
            return self.pronoun(self.weighted([("I", 26), ("you", 10), ("he", 18),
                                               ("she", 18), ("we", 15), ("they", 13)]))
        if kind == "name":
            return self.name()
        if kind == "kin":
            return self.human("p", plural=0.15)
        if kind == "folk":
            return self.noun_phrase(self.pick(BY_CLASS["folk"]), "t", plural=0.2)
        other = self.human("p")
        while "spouse" in other.noun.classes:
            other = self.human("p")
        return self.join([self.name(), other], "and", "et")

    def join(self, nps, en_word, fr_word):
        """Join noun phrases: a, b and c."""
        i = self.new()
        en, fr = list(nps[0].en), list(nps[0].fr)
        for k, np in enumerate(nps[1:], 2):
            if k < len(nps):
                en.append((",", ()))
                fr.append((",", ()))
            else:
                en.append((en_word, (i,)))
                fr.append((fr_word, (i,)))
            en += np.en
            fr += np.fr
        g = "f" if all(np.g == "f" for np in nps) else "m"
        return NP(en, fr, g, "p", "they", noun=nps[0].noun)

    def human(self, det, poss=None, plural=0.1):
        """Return a person who is related to someone."""
        noun = self.pick(BY_CLASS["kin"] + BY_CLASS["known"] + BY_CLASS["spouse"])
        if det == "t":
            noun = self.pick(BY_CLASS["folk"])
        wed = {"mother", "father", "husband", "wife", "boss"}
        if noun.en in wed:
            plural = 0
        poss = poss or self.weighted([("I", 40), ("he", 12), ("she", 12), ("we", 18), ("you", 18)])
        # Two people have no single spouse, and the sentence needs one sex.
        if "spouse" in noun.classes and poss not in ("I", "he" if noun.en == "wife" else "she"):
            poss = "I"
        return self.noun_phrase(noun, det, poss=poss, plural=plural)

    def possessive(self, person, g, n, before):
        """Return the two possessive determiners."""
        if person == "you" and self.polite:
            person = "vous"
        m, f, p = POSS_FR[person]
        if n == "p":
            return POSS_EN[person], p
        fr = m if g == "m" or starts_with_vowel(before) else f
        return POSS_EN[person], fr

    def adjectives_for(self, noun):
        if noun.en in ("sugar", "water"):
            return []
        return [a for c in noun.classes for a in ADJECTIVES.get(c, [])]

    def noun_phrase(self, noun, det, poss="I", plural=0.2, adj=0.0, neg=False):
        """Build determiner, adjective and noun on both sides."""
        n = "s"
        if noun.plural or (not noun.mass and (det in "nzl" or self.chance(plural))):
            n = "p"
        if det in "g" and not noun.mass and noun.g and not self.is_singular_generic(noun):
            n = "p"
        if det == "a" and n == "p":
            det = "z"
        adjective = None
        if self.chance(adj):
            # "Cher" before or after a noun changes its meaning, and a full bus
            # is not a kind of bus: these only follow "be".
            choices = [a for a in self.adjectives_for(noun) if a.en not in ("expensive", "full")]
            adjective = self.pick(choices) if choices else None
        return self.assemble(noun, det, n, adjective, poss, neg)

    @staticmethod
    def is_singular_generic(noun):
        return noun.mass or "sport" in noun.classes or "language" in noun.classes

    def assemble(self, noun, det, n, adjective, poss, neg):
        """Order the words of a noun phrase and choose the articles."""
        i = self.new()
        en_noun = noun.en_pl if n == "p" else noun.en
        fr_noun = noun.fr_pl if n == "p" else noun.fr
        en = [(w, (i,)) for w in en_noun.split()]
        fr = [(w, (i,)) for w in fr_noun.split()]
        if adjective:
            j = self.new()
            en.insert(0, (adjective.en, (j,)))
            if adjective.pre:
                fr.insert(0, (adjective_form(adjective, noun.g, n, fr[0][0]), (j,)))
            else:
                fr.append((adjective_form(adjective, noun.g, n), (j,)))
        prenominal = bool(adjective and adjective.pre)
        en_det, fr_det, fr_neg = self.determiner(
            det, noun.g, n, noun.mass, poss, en[0][0], fr[0][0], prenominal, neg, i)
        return NP(en_det + en, fr_det + fr, noun.g, n,
                  "he" if n == "s" else "they", noun=noun, fr_neg=fr_neg + fr,
                  poss="they" if n == "p" else "she" if noun.g == "f" else "he")

    def determiner(self, det, g, n, mass, poss, en_next, fr_next, prenominal, neg, noun_id):
        """Return the determiner of each side and the French one after a negation."""
        i = self.new()
        article = "les" if n == "p" else "le" if g == "m" else "la"
        if det == "t":
            return [("the", (i,))], [(article, (i,))], [(article, (i,))]
        if det == "g":
            return [], [(article, (noun_id,))], [(article, (noun_id,))]
        if det == "p":
            en, fr = self.possessive(poss, g, n, fr_next)
            return [(en, (i,))], [(fr, (i,))], [(fr, (i,))]
        if det == "d":
            en = "these" if n == "p" else "this"
            fr = "ces" if n == "p" else "cette" if g == "f" else \
                "cet" if starts_with_vowel(fr_next) else "ce"
            return [(en, (i,))], [(fr, (i,))], [(fr, (i,))]
        if det == "n":
            en, fr = self.pick(PAIRS["NUMBERS"] if self.chance(0.2) else PAIRS["NUMBERS"][:8])
            return [(en, (i,))], [(fr, (i,))], [(fr, (i,))]
        if det == "l":
            j = self.new()
            fr = [("beaucoup", (i,)), ("de", (j,))]
            return [("a", (i,)), ("lot", (i,)), ("of", (j,))], fr, fr
        if det == "b":
            return [], [], []
        return self.indefinite(det, g, n, mass, en_next, prenominal, neg, i, noun_id)

    def indefinite(self, det, g, n, mass, en_next, prenominal, neg, i, noun_id):
        """Articles that turn into "de" after a negation."""
        link = (noun_id,) if det == "z" else (i,)
        if det == "a":
            en, fr = indefinite_article(en_next), [("une" if g == "f" else "un", link)]
        elif mass:
            fr = [("de", link), ("le" if g == "m" else "la", link)]
        else:
            fr = [("de" if prenominal else "des", link)]
        if det == "s":
            en = "any" if neg else "some"
        return ([] if det == "z" else [(en, link)]), fr, [("de", link)]

    # slots

    def slot_nouns(self, spec):
        cls, _, only = spec.partition("=")
        nouns = BY_CLASS[cls]
        if only:
            nouns = [x for x in nouns if x.en in only.replace("_", " ").split(",")]
        return nouns

    def fill(self, spec, dets, subj, neg):
        """Choose a noun phrase for a slot."""
        if spec in ("city", "country"):
            return self.place_name(spec)
        if spec == "human":
            return self.someone(dets, subj)
        noun = self.pick(self.slot_nouns(spec))
        while subj is not None and noun is subj.noun:
            noun = self.pick(self.slot_nouns(spec))
        usable = dets or "t"
        if noun.mass:
            usable = "".join(d for d in usable if d in "tdzslgbp") or "t"
        elif "s" in usable:
            usable = usable.replace("s", "") + ("s" if neg else "")
        if neg:
            # "He does not have four dogs" hardly ever makes sense.
            usable = usable.replace("n", "") or "t"
        if noun.plural:
            usable = usable.replace("a", "z").replace("n", "") or "t"
        det = self.rng.choice(usable)
        adj = 0.3 if det in "atpdzn" and "human" not in noun.classes else 0.0
        if det == "a" and "human" in noun.classes:
            adj = 0.3
        if spec.startswith(("body", "kin", "room", "town", "opening")):
            adj = 0.0
        single = det == "a" or spec.startswith(SINGLE_SLOTS)
        many = 0.0 if single else 0.25
        return self.noun_phrase(noun, det, self.owner(subj), many, adj, neg)

    def owner(self, subj):
        """Return whose thing it is: that of the subject."""
        if subj is None:
            return "I"
        if subj.person == "they":
            return "they"
        return subj.poss if subj.poss in POSS_EN else ("she" if subj.g == "f" else "he")

    def someone(self, dets, subj):
        if dets and "t" in dets and self.chance(0.4):
            return self.noun_phrase(self.pick(BY_CLASS["folk"]), "t", plural=0.15)
        if self.chance(0.2):
            name = self.name()
            while subj is not None and name.en[0][0] in [w for w, _ in subj.en]:
                name = self.name()
            return name
        owner = self.owner(subj)
        noun = self.pick(BY_CLASS["kin"] + BY_CLASS["known"])
        if subj is not None and subj.noun is noun:
            noun = self.pick(BY_CLASS["known"])
        single = noun.en in ("mother", "father", "boss")
        return self.noun_phrase(noun, "p", owner, 0 if single else 0.2)

    def place_name(self, kind):
        if kind == "city":
            en, fr = self.pick(PAIRS["CITIES"])
            g = "x"
        else:
            en, fr, g = self.pick(PAIRS["COUNTRIES"])
        i, j = self.new(), self.new()
        words = en.split()
        tokens = [(w, (j,) if w == "the" else (i,)) for w in words]
        np = NP(tokens, [(fr, (i,))], "m", "s")
        np.country, np.article = g, j
        return np

    def country_preposition(self, word, np, ids):
        """Return "en", "au", "aux", "de", "du" or "des" as separate words."""
        if np.country == "f":
            return [("en" if word == "@in" else "de", ids)]
        head = ("à" if word == "@in" else "de", ids)
        return [head, ("le", ()) if np.country == "m" else ("les", (np.article,))]

    def fill_pattern(self, pattern, subj, neg=False, obj=None, dative=None):
        """Fill a verb phrase pattern.

        obj may be "gap" (relative clauses and questions) or a noun phrase
        that is taken up by a pronoun; dative may be a person key.
        """
        vp = VP()
        vp.kind, vp.tags = pattern.kind, pattern.tags
        vp.id = self.new()
        en_words, fr_words = pattern.en.split(), pattern.fr.split()
        vp.en_verb = en_words[0]
        vp.fr_verb = fr_words[0]
        if vp.fr_verb[:3] in ("se_", "si_"):
            vp.reflexive, vp.indirect = True, vp.fr_verb[1] == "i"
            vp.fr_verb = vp.fr_verb[3:]
        if vp.fr_verb.startswith("y_"):
            # "il y a": the pronoun y stands where object pronouns do.
            vp.fr_verb = vp.fr_verb[2:]
            vp.clitics.append(("y", (vp.id,)))
        ids, mine = {"V": vp.id}, self.new()
        en_words, fr_words = self.number_words(en_words[1:], fr_words[1:])
        slots = self.fill_slots([w for w in en_words if re.match(r"\{[opda]", w)],
                                subj, neg, obj, dative, vp)
        self.write_english(vp, en_words, slots, ids, mine, subj)
        self.write_french(vp, fr_words, slots, ids, mine, subj)
        return vp

    @staticmethod
    def number_words(en_words, fr_words):
        """Link unmarked words by position when their numbers agree."""
        def plain(words):
            return [k for k, w in enumerate(words) if not w.startswith("{")]
        marked = any("/" in w for w in en_words + fr_words)
        a, b = plain(en_words), plain(fr_words)
        if not marked and len(a) == len(b):
            for number, (i, j) in enumerate(zip(a, b)):
                en_words[i] += "/" + chr(0x100 + number)
                fr_words[j] += "/" + chr(0x100 + number)
        return en_words, fr_words

    def fill_slots(self, words, subj, neg, obj, dative, vp):
        slots = []
        for word in words:
            kind, spec, dets = (word.strip("{}").split(":") + ["", ""])[:3]
            if kind == "a":
                slots.append((kind, self.agreeing_adjective(spec, subj)))
            elif kind == "o" and obj is not None:
                slots.append(("gap" if obj == "gap" else "clitic", obj))
            elif kind == "d" and dative:
                slots.append(("dclitic", dative))
            elif kind == "d":
                slots.append(("d", self.someone("pt", subj)))
            else:
                slots.append((kind, self.fill(spec, dets, subj, neg)))
        return slots

    def agreeing_adjective(self, spec, subj):
        cls, _, only = spec.partition("=")
        choices = [a for a in ADJECTIVES[cls] if not only or a.en in only.split(",")]
        adj, i = self.pick(choices), self.new()
        return NP([(adj.en, (i,))], [(adjective_form(adj, subj.g, subj.n), (i,))])

    def write_english(self, vp, words, slots, ids, mine, subj):
        queue = list(slots)
        for word in words:
            if re.match(r"\{[opda]", word):
                self.write_english_slot(vp, *queue.pop(0))
            elif word.startswith("{my"):
                vp.en_rest.append((POSS_EN[self.owner(subj)], (mine,)))
            else:
                vp.en_rest.append(self.read_token(word, ids))

    def write_english_slot(self, vp, kind, np):
        if kind == "clitic":
            i = self.new()
            en, fr, agree = self.object_pronoun(np)
            vp.en_rest.append((en, (i,)))
            vp.clitics.append((fr, (i,)))
            vp.agree = agree
        elif kind == "dclitic":
            i = self.new()
            vp.en_rest.insert(0, (OBJECT_PRONOUNS[np][0], (i,)))
            vp.clitics.append((OBJECT_PRONOUNS[np][2], (i,)))
        elif kind == "d":
            np.to = self.new()
            vp.en_rest += [("to", (np.to,))] + np.en
        elif kind != "gap":
            vp.en_rest += np.en

    def object_pronoun(self, np):
        """Return English pronoun, French clitic and what the participle agrees with."""
        if isinstance(np, str):
            en, fr, _ = OBJECT_PRONOUNS[np]
            g = "f" if np == "she" else "m"
            n = "p" if np in ("we", "they") else "s"
            return en, fr, (g, n)
        fr = "les_" if np.n == "p" else "le_" if np.g == "m" else "la_"
        en = "them" if np.n == "p" else "it" if not np.human else \
            "her" if np.g == "f" else "him"
        return en, fr, (np.g, np.n)

    def write_french(self, vp, words, slots, ids, mine, subj):
        queue = list(slots)
        for k, word in enumerate(words):
            if re.match(r"\{[opda]", word):
                kind, np = queue.pop(0)
                self.write_french_slot(vp, kind, np)
                continue
            if word.startswith("{my"):
                tokens = [(self.french_my(word, subj), (mine,))]
            elif word.startswith("@"):
                text, marks = self.read_token(word, ids)
                tokens = self.country_preposition(text, queue[0][1], marks)
            elif word.startswith("~"):
                # An indefinite or partitive article turns into "de" after a
                # negation.
                text, marks = self.read_token(word[1:], ids)
                vp.fr_rest += [(w, marks) for w in text.split("+")]
                vp.fr_rest_neg.append(("de", marks))
                continue
            elif word.endswith("/{my}"):
                tokens = [(word.split("/")[0], (mine,))]
            else:
                tokens = [self.read_token(word, ids)]
            vp.fr_rest += tokens
            vp.fr_rest_neg += tokens

    def write_french_slot(self, vp, kind, np):
        if kind == "d":
            vp.fr_rest += [("à", (np.to,))] + np.fr
            vp.fr_rest_neg += [("à", (np.to,))] + np.fr
        elif kind in ("o", "p", "a"):
            vp.fr_rest += np.fr
            vp.fr_rest_neg += np.fr_neg if kind == "o" else np.fr

    def french_my(self, word, subj):
        mark = word.strip("{}").partition(":")[2]
        g, n = ("m", "p") if mark == "p" else (mark, "s")
        return self.possessive(self.owner(subj), g, n, "x")[1]

    def control(self, pattern, inner, subj):
        """Put a verb phrase under a verb that takes an infinitive."""
        outer = self.fill_pattern(pattern, subj)
        outer.kind, outer.tags = pattern.kind, inner.tags
        outer.en_rest += [(inner.en_verb, (inner.id,))] + inner.en_rest
        clitics = list(inner.clitics)
        if inner.reflexive:
            clitics.insert(0, (REFLEXIVE[subj.index], (inner.id,)))
        head = outer.fr_rest + clitics + [(inner.fr_verb, (inner.id,))]
        outer.fr_rest, outer.fr_rest_neg = head + inner.fr_rest, head + inner.fr_rest_neg
        return outer

    # clauses

    def clause(self, subj, vp, tense, neg=None, adv=None, question=False, wh=None):
        """Return the two token lists of a clause.

        neg is None, "not", "never" or "anymore"; adv is a pair of adverbs
        that stand next to the verb.
        """
        ids = {"v": vp.id, "a": self.new(), "n": self.new(), "p": self.new(),
               "q": self.new()}
        en = self.english_clause(subj, vp, tense, neg, adv, question, ids)
        fr = self.french_clause(subj, vp, tense, neg, adv, ids)
        if question:
            link = (ids["q"],)
            fr = [("est-ce", link), ("que", link)] + fr
            if wh:
                i = self.new()
                en = [(w, (i,)) for w in wh[0].split()] + en
                if wh[1] == "que":
                    fr[0] = ("qu'est-ce", (i,))
                else:
                    fr = [(w, (i,)) for w in wh[1].split()] + fr
        return en, fr

    def english_group(self, subj, vp, tense, need_do):
        """Return auxiliaries, each with its link letters, and the main verb."""
        verb, person = vp.en_verb, subj.person
        third = person == "he"
        if verb == "be" and tense in ("pres", "past"):
            return [(english_be(person, tense == "past"), "v")], None
        if tense == "pres" and need_do:
            return [("does" if third else "do", "a")], "base"
        if tense == "past" and need_do:
            return [("did", "a")], "base"
        if tense == "pres" and not third and verb in SAME_PAST:
            raise Ambiguous(verb)
        simple = {"pres": ([], "s" if third else "base"), "past": ([], "past"),
                  "perf": ([("has" if third else "have", "a")], "pp"),
                  "prog": ([(english_be(person), "a")], "ing"),
                  "pastprog": ([(english_be(person, True), "a")], "ing"),
                  "going": ([(english_be(person), "a"), ("going", "a"), ("to", "")], "base"),
                  "will": ([("will", "a")], "base"),
                  "wouldlike": ([("would", "a"), ("like", "a"), ("to", "")], "base"),
                  "usedto": ([("used", "a"), ("to", "")], "base")}
        return simple.get(tense) or ([(tense, "a")], "base")

    def english_clause(self, subj, vp, tense, neg, adv, question, ids):
        inverted = question and not getattr(subj, "wh", False)
        need_do = inverted or neg in ("not", "anymore")
        aux, form = self.english_group(subj, vp, tense, need_do)
        aux = [(w, tuple(ids[c] for c in marks)) for w, marks in aux]
        if inverted:
            aux[0] = (aux[0][0], aux[0][1] + (ids["q"],))
        aux = self.negate_english(aux, neg, ids, subj)
        mid = []
        if neg == "never":
            mid = [("never", (ids["n"], ids["p"]))]
        if adv:
            adv_id = ids["adv"] = self.new()
            mid.append((adv[0], (adv_id,)))
        main = [] if form is None else [(english_verb(vp.en_verb, form), (ids["v"],))]
        rest = vp.en_rest + ([("anymore", (ids["p"],))] if neg == "anymore" else [])
        if not aux or tense == "usedto":
            return subj.en + mid + aux + main + rest
        if inverted:
            return aux[:1] + subj.en + mid + aux[1:] + main + rest
        # The adverb follows the first auxiliary, or "not" after it.
        split = 2 if len(aux) > 1 and aux[1][0] == "not" else 1
        return subj.en + aux[:split] + mid + aux[split:] + main + rest

    def negate_english(self, aux, neg, ids, subj):
        if neg not in ("not", "anymore"):
            return aux
        word, marks = aux[0]
        links = (ids["n"],) if neg == "anymore" else (ids["n"], ids["p"])
        if word in NEGATED and (word == "can" or self.chance(0.75)):
            return [(NEGATED[word], marks + links)] + aux[1:]
        if word == "can":
            return [("cannot", marks + links)] + aux[1:]
        return [(word, marks), ("not", links)] + aux[1:]

    def french_clause(self, subj, vp, tense, neg, adv, ids):
        """Return subject, negation, clitics, verb group and the rest."""
        v, a = ids["v"], ids["a"]
        clitics = list(vp.clitics)
        if vp.reflexive:
            clitics.insert(0, (REFLEXIVE[subj.index], (v,)))
        finite, tail = self.french_group(subj, vp, tense, v, a)
        late = tense in ("going", "can", "could", "must", "wouldlike")
        before = [] if late else clitics
        after = clitics if late else []
        ne = [("ne", (ids["n"],))] if neg else []
        mid = []
        if neg:
            mid = [({"not": "pas", "never": "jamais", "anymore": "plus"}[neg], (ids["p"],))]
        if adv:
            mid += [(w, (ids["adv"],)) for w in adv[1].split()]
        rest = vp.fr_rest_neg if neg else vp.fr_rest
        return subj.fr + ne + before + [finite] + mid + after + tail + rest

    def french_group(self, subj, vp, tense, v, a):
        """Return the finite verb and the participle or infinitive after it."""
        verb, index = vp.fr_verb, subj.index
        if tense in ("pres", "prog"):
            return (french_verb(verb, "present", index), (v, a)), []
        if tense in ("usedto", "pastprog") or (tense == "past" and vp.kind == "s"):
            return (french_verb(verb, "imperfect", index), (v, a)), []
        if tense == "will":
            return (french_verb(verb, "future", index), (v, a)), []
        if tense in ("past", "perf"):
            return self.french_perfect(subj, vp, tense, v, a)
        helper, form = {"going": ("aller", "present"), "can": ("pouvoir", "present"),
                        "could": ("pouvoir", "imperfect"), "must": ("devoir", "present"),
                        "wouldlike": ("vouloir", "conditional")}[tense]
        return (french_verb(helper, form, index), (a,)), [(verb, (v,))]

    def french_perfect(self, subj, vp, tense, v, a):
        etre = vp.reflexive or vp.fr_verb in ETRE
        helper = french_verb("être" if etre else "avoir", "present", subj.index)
        participle = french_participle(vp.fr_verb)
        if etre and not vp.indirect:
            participle = agree_participle(participle, subj.g, subj.n)
        elif vp.agree and not etre:
            participle = agree_participle(participle, *vp.agree)
        marks = (v, a) if tense == "past" else (a,)
        return (helper, marks), [(participle, (v,))]


ETRE = lex.ETRE_VERBS


# --- spelling out --------------------------------------------------------

def contract(tokens):
    """Fuse "à le" and "de le" and their plurals, unless the article elides."""
    fused = {("à", "le"): "au", ("à", "les"): "aux",
             ("de", "le"): "du", ("de", "les"): "des"}
    out, k = [], 0
    while k < len(tokens):
        pair = tuple(t[0] for t in tokens[k:k + 2])
        elides = k + 2 < len(tokens) and starts_with_vowel(tokens[k + 2][0])
        if pair in fused and not (pair[1] == "le" and elides):
            out.append((fused[pair], tokens[k][1] + tokens[k + 1][1]))
            k += 2
        else:
            out.append(tokens[k])
            k += 1
    return out


def elide(tokens):
    """Join je, le, de, ... to a following vowel; "si" only before il, ils."""
    out = []
    for text, ids in reversed(tokens):
        if out and text.lower() in ELIDING | {"si"}:
            following = out[-1][0]
            joins = starts_with_vowel(following)
            if text.lower() == "si":
                joins = following in ("il", "ils")
            if joins and following != ",":
                out[-1] = (text.rstrip("_")[:-1] + "'" + following, ids + out[-1][1])
                continue
        out.append((text.rstrip("_"), ids))
    return out[::-1]


def attach(tokens):
    """Attach commas and full stops to the word before them."""
    out = []
    for text, ids in tokens:
        if text in (",", ".", ":") and out:
            out[-1] = (out[-1][0] + text, out[-1][1] + ids)
        else:
            out.append((text, ids))
    return out


def capitalise(tokens):
    first = tokens[0]
    return [(first[0][0].upper() + first[0][1:], first[1])] + tokens[1:]


def spell(en, fr, mark, bare, mark_id):
    """Return English words, French words and links of a sentence.

    A bare sentence has neither a capital at the start nor a final mark.
    French puts a blank before "?" and "!", which makes them words.
    """
    en, fr = list(en), elide(contract(fr))
    if not bare:
        en[-1] = (en[-1][0] + mark, en[-1][1] + (mark_id,))
        fr.append((mark, (mark_id,) if mark != "." else ()))
        en, fr = capitalise(en), capitalise(fr)
    en, fr = attach(en), attach(fr)
    links = [(i, j) for i, (_, a) in enumerate(en) for j, (_, b) in enumerate(fr)
             if set(a) & set(b)]
    return " ".join(w for w, _ in en), " ".join(w for w, _ in fr), links
