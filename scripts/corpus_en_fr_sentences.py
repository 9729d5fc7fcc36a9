"""Sentence patterns of the English -> French corpus generator.

Each maker of the class Maker builds one kind of sentence on both sides and
keeps to what makes sense: causes go with effects, weather with plans, verbs
with the things that one finds, wears or breaks.
"""
import re

import corpus_en_fr_lexicon as lex
from corpus_en_fr_grammar import (
    ADJECTIVES, ANIMAL_PHRASES, BY_CLASS, CONTROL_PHRASES, NP, PAIRS, PLACES,
    STATE_PHRASES, VERB_PHRASES, WEATHER_PHRASES, Ambiguous, Grammar, Pattern,
    adjective_form, english_be, english_verb, french_imperative,
    french_participle, french_verb, load_patterns, spell)

# --- lexicon facts -------------------------------------------------------

def plan_table(text):
    """Read "effects <= causes" lines into pairs of pattern lists."""
    table = []
    for line in text.strip().splitlines():
        effects, causes = line.split(" <= ")
        table.append((load_patterns(effects.replace("; ", "\n")),
                      load_patterns(causes.replace("; ", "\n"))))
    return table


def story_table(text):
    table = []
    for line in text.strip().splitlines():
        cls, rest = line.split(": ", 1)
        first, second = rest.split(" => ")
        table.append((cls, story_patterns(first), story_patterns(second)))
    return table


def story_patterns(text):
    return tuple(Pattern(*(x.strip() for x in p.split("|")),
                         "s" if p.startswith(("like", "hate")) else "o", ())
                 for p in text.split("; "))


CAUSES = plan_table(lex.CAUSES)
PLANS = plan_table(lex.PLANS)
STORIES = story_table(lex.STORIES)
GREETINGS = [tuple(x.strip() for x in line.split("|"))
             for line in lex.GREETINGS.strip().splitlines()]
ADDRESS = [a.split() for a in lex.ADDRESS.split(", ")]
OPPOSITES = {frozenset(p.split()) for p in lex.OPPOSITES.split(", ")}
COLOURS = {"red", "blue", "green", "yellow", "black", "white", "grey", "pink", "brown"}
GOOD = {"comfortable", "beautiful", "pretty", "interesting", "good", "excellent",
        "delicious", "fast", "light", "easy", "clean", "modern", "quiet",
        "magnificent", "elegant", "warm", "practical", "famous", "fresh"}
BAD = {"expensive", "boring", "heavy", "slow", "difficult", "dirty", "noisy",
       "old", "full", "strange"}
# Only what one can have too much of goes with "too".
EXCESSIVE = {"expensive", "heavy", "long", "short", "big", "small", "old", "slow",
             "difficult", "hot", "cold", "shy", "lazy", "serious", "noisy",
             "dirty", "young", "sweet", "easy"}
# These already mean an extreme, or are true or not.
ABSOLUTE = {"excellent", "delicious", "magnificent", "full", "empty", "ripe",
            "modern", "round", "new", "alone", "ready", "surprised"}
# What happens to people is not wanted, planned or ordered.
UNWILLED = {"fall", "miss", "lose", "receive", "break", "forget", "arrive",
            "worry", "cry", "get angry", "wake", "hurry", "find"}
# The order of the day: everything else comes between breakfast and dinner.
DAY_ORDER = {"wake up": 0, "get up": 1, "wash {my": 2, "brush {my": 2,
             "get dressed": 3, "have breakfast": 4, "have lunch": 6,
             "have dinner": 8, "go to/V bed": 9}
COMPARATIVES = {"tall": "taller", "young": "younger", "old": "older",
                "strong": "stronger", "rich": "richer", "big": "bigger",
                "small": "smaller", "fast": "faster", "slow": "slower",
                "kind": "kinder", "heavy": "heavier", "light": "lighter",
                "long": "longer", "short": "shorter", "easy": "easier",
                "lazy": "lazier", "pretty": "prettier", "clean": "cleaner",
                "brave": "braver", "shy": "shyer", "quiet": "quieter",
                "noisy": "noisier", "dirty": "dirtier", "strange": "stranger"}


def compatible(a, b):
    """Say whether two adjectives may describe one thing."""
    if a.en == b.en or (a.en in COLOURS and b.en in COLOURS):
        return False
    return frozenset((a.en, b.en)) not in OPPOSITES


def contrast(a, b):
    """Say whether "but" fits between two adjectives."""
    return (a.en in GOOD and b.en in BAD) or (a.en in BAD and b.en in GOOD)


def unwilled(pattern):
    plain = re.sub(r"/\S", "", pattern.en)
    return plain.split()[0] in UNWILLED or plain in UNWILLED


def day_rank(pattern):
    """Return where in the day an action belongs; None for any time."""
    for start, rank in DAY_ORDER.items():
        if re.sub(r"/[^V]", "", pattern.en).startswith(start) or \
                re.sub(r"/\S", "", pattern.en).startswith(start):
            return rank
    return None


# --- sentence makers -----------------------------------------------------

class Maker(Grammar):
    """Makes whole sentences; each maker returns (english, french, mark)."""

    # parts

    def vp(self, subj, neg=None, kinds="hos", obj=None, tags=None, willed=False):
        """Return a random verb phrase that suits the subject."""
        while True:
            p = self.pick(VERB_PHRASES)
            if willed and unwilled(p):
                continue
            if p.kind not in kinds or (tags and not set(tags) & set(p.tags)):
                continue
            young = subj.noun is not None and subj.noun.en in (
                "child", "boy", "girl", "son", "daughter", "student")
            if "adult" in p.tags and young:
                continue
            return self.fill_any(p, subj, neg, obj)

    def fill_any(self, p, subj, neg, obj=None):
        """Fill a pattern, sometimes with pronouns for people."""
        dative = None
        if obj is None and "{o:human" in p.en and self.chance(0.45):
            obj = self.other_person(subj)
        if "{d:" in p.en and self.chance(0.5):
            dative = self.other_person(subj)
        return self.fill_pattern(p, subj, bool(neg), obj, dative)

    def other_person(self, subj):
        """Return a pronoun key that does not refer to the subject."""
        keys = ["I", "you", "he", "she", "we", "they"]
        banned = {"I": "I we", "we": "I we", "you": "you"}.get(subj.poss, subj.poss)
        if subj.poss == "vous":
            banned = "you"
        key = self.rng.choice([k for k in keys if k not in banned.split()])
        return "vous" if key == "you" and self.polite else key

    def tense(self, kind):
        return self.weighted({
            "h": [("pres", 26), ("prog", 16), ("past", 22), ("perf", 4), ("usedto", 4),
                  ("going", 10), ("will", 9), ("can", 4), ("must", 3), ("wouldlike", 3)],
            "o": [("past", 42), ("perf", 9), ("going", 16), ("will", 13), ("can", 5),
                  ("could", 2), ("must", 6), ("wouldlike", 7)],
            "e": [("past", 40), ("pres", 30), ("will", 15), ("going", 15)],
            "s": [("pres", 65), ("past", 35)]}[kind])

    TIME_GROUP = {"pres": "habit", "usedto": "habit", "prog": "now", "past": "past",
                  "going": "future", "will": "future", "must": "future",
                  "wouldlike": "future"}

    def negation(self, tense, p=0.22):
        if not self.chance(p):
            return None
        if tense == "pres":
            return self.weighted([("not", 55), ("never", 25), ("anymore", 20)])
        if tense == "perf":
            return "never"
        return None if tense == "usedto" else "not"

    def simple(self, subj=None, tense=None, extras=True, kinds="hos", neg_p=0.22, plain=False, tags=None):
        """Return a declarative clause with optional adverb, place and time."""
        subj = subj or self.subject()
        vp, tense, neg = self.predicate(subj, tense, kinds, neg_p, plain, tags)
        self.last_verb, adv = vp.en_verb, None
        if not neg and vp.kind == "h" and tense == "pres" and self.chance(0.25):
            adv = self.pick((("often", "souvent"), ("always", "toujours"), ("rarely", "rarement"),
                             ("sometimes", "parfois"), ("usually", "généralement")))
        elif not neg and tense == "perf":
            adv = ("already", "déjà")
        elif not neg and tense == "prog" and self.chance(0.1):
            adv = ("still", "encore")
        en, fr = self.clause(subj, vp, tense, neg, adv)
        if extras:
            fixed = bool(adv) or neg in ("never", "anymore") or (neg and tense == "pres")
            en, fr = self.extras(en, fr, vp, tense, fixed)
        return en, fr

    def predicate(self, subj, tense=None, kinds="hos", neg_p=0.22, plain=False, tags=None):
        """Return verb phrase, tense and negation; may use a control verb."""
        if not plain and tense in (None, "pres", "past") and self.chance(0.08):
            p = self.pick(STATE_PHRASES)
            tense = tense or self.tense("s")
            neg = "not" if self.chance(neg_p / 2) and not re.search("very|bit|really|too", p.en) else None
            return self.fill_any(p, subj, neg), tense, neg
        if not plain and tense in (None, "pres", "past") and self.chance(0.16):
            return self.controlled(subj, tense, neg_p)
        if tense is None:
            kind = self.weighted([("h", 50), ("o", 36), ("s", 14)])
            kind = kind if kind in kinds else kinds[0]
            tense = self.tense(kind)
        else:
            kind = self.weighted([("h", 1), ("o", 1)]) if tense in ("past", "perf", "going", "will") else "h"
        if tags and kind == "o":
            # Only habits are found under every tag.
            kind = "ho"
        neg = self.negation(tense, neg_p)
        if kind == "s" and neg == "never":
            neg = "not"
        willed = tense in ("can", "could", "must", "wouldlike", "will", "going")
        vp = self.vp(subj, neg, kind, tags=tags, willed=willed)
        return vp, tense, None if vp.en_verb in ("hate", "prefer") else neg

    def controlled(self, subj, tense, neg_p):
        while True:
            p = self.pick(CONTROL_PHRASES)
            tense_ok = p.kind != "o" or tense != "pres"
            if tense_ok and not (p.fr == "devoir" and tense == "pres"):
                break
        if tense is None:
            tense = {"s": self.weighted([("pres", 7), ("past", 3)]), "e": self.tense("e"),
                     "o": "past"}[p.kind]
        neg = "not" if self.chance(neg_p) and p.en.split()[0] in ("want", "need", "like", "know") else None
        inner = self.vp(subj, neg, "h" if "h" in p.tags else "ho", willed=True)
        while p.fr in ("savoir", "apprendre à/1") and inner.en_verb not in SKILLS:
            inner = self.vp(subj, neg, "h")
        while p.kind == "o" and "day" in inner.tags:
            inner = self.vp(subj, neg, "h", willed=True)
        return self.control(p, inner, subj), tense, neg

    def extras(self, en, fr, vp, tense, no_time=False, front=True):
        """Add a place and a time; the time may open the sentence."""
        places = [t for t in vp.tags if t in PLACES]
        if places and self.chance(0.4):
            a, b = self.place(places[0])
            en, fr = en + a, fr + b
        group = self.TIME_GROUP.get(tense)
        if vp.kind in "ho" and group and not no_time and self.chance(0.5):
            a, b = self.when(vp, tense, group)
            if front and self.chance(0.3):
                return a + [(",", ())] + en, b + [(",", ())] + fr
            if group == "past" and self.chance(0.15):
                c, d = self.clock()
                a, b = c, d
            en, fr = en + a, fr + b
        return en, fr

    def when(self, vp, tense, group):
        """Return a time at which such a thing may happen."""
        if "day" in vp.tags:
            return self.whole_day(tense)
        while True:
            a, b = self.time(group)
            yearly = a[-1][0] == "year" or re.fullmatch(r"\d{4}", a[-1][0])
            if not yearly or vp.en_verb in YEARLY:
                return a, b

    @staticmethod
    def link_phrases(*parts):
        """Concatenate (english, french) pairs."""
        en, fr = [], []
        for a, b in parts:
            en, fr = en + a, fr + b
        return en, fr

    def word(self, en, fr):
        """Return a linked pair of fixed words."""
        if len(en.split()) == len(fr.split()) or "/" in en:
            return self.phrase(en, fr)
        en = " ".join(w + "/1" for w in en.split())
        return self.phrase(en, " ".join(w + "/1" for w in fr.split()))

    COMMA = ([(",", ())], [(",", ())])

    # statements

    def statement(self):
        return *self.simple(), "."

    def state(self):
        subj = self.subject()
        p = self.pick(STATE_PHRASES)
        tense = self.tense("s")
        neg = "not" if self.chance(0.15) and not re.search("very|bit|really|too", p.en) else None
        return *self.clause(subj, self.fill_any(p, subj, neg), tense, neg), "."

    def animal(self):
        noun = self.pick([n for n in BY_CLASS["animal"] if n.en in ("dog", "cat")])
        subj = self.noun_phrase(noun, self.rng.choice("tp"),
                                self.rng.choice(["I", "we", "they", "you", "he", "she"]), 0.25)
        p = self.pick(ANIMAL_PHRASES)
        tense = self.weighted([("pres", 4), ("prog", 3), ("past", 3), ("going", 1)])
        neg = "not" if self.chance(0.15) else None
        vp = self.fill_any(p, subj, neg)
        en, fr = self.clause(subj, vp, tense, neg)
        return *self.extras(en, fr, vp, tense), "."

    def thing_subject(self, cls=None, adj=0.0):
        cls = cls or self.pick(("cloth", "thing", "vehicle", "house", "media", "food", "town",
                                "sight", "task", "luggage", "furniture", "event", "transport"))
        nouns = [n for n in BY_CLASS["text" if cls == "print" else cls] if self.predicates(n)]
        if cls == "print":
            nouns = [n for n in nouns if n.en in ("book", "newspaper", "magazine", "novel")]
        noun = self.pick(nouns)
        mine = cls in ("cloth", "thing", "vehicle", "house", "luggage", "furniture")
        det = self.rng.choice("tdp" if mine else "td")
        return self.noun_phrase(noun, det, self.rng.choice(list(("I", "you", "he", "she", "we", "they"))),
                                0.2, adj)

    def adjective_clause(self, subj, adj, tense="pres", degree=True, neg=False):
        """Return "subject is (very) adjective"."""
        v, i, d, n, p = (self.new() for _ in range(5))
        be = english_be(subj.person, tense == "past")
        en = subj.en + [(be, (v,))] + ([("not", (n, p))] if neg else [])
        fr = subj.fr + ([("ne", (n,))] if neg else []) + [
            (french_verb("être", "present" if tense == "pres" else "imperfect", subj.index), (v,))]
        fr += [("pas", (p,))] if neg else []
        if degree and not neg and adj.en not in COLOURS and self.chance(0.5):
            degrees = [("very", "très"), ("really", "vraiment"), ("quite", "assez")]
            if adj.en in EXCESSIVE:
                degrees.append(("too", "trop"))
            a, b = self.pick(degrees)
            if adj.en not in ABSOLUTE:
                en, fr = en + [(a, (d,))], fr + [(b, (d,))]
        return en + [(adj.en, (i,))], fr + [(adjective_form(adj, subj.g, subj.n), (i,))]

    def predicates(self, noun):
        """Return adjectives that can follow "be"; nouveau cannot."""
        return [a for a in self.adjectives_for(noun) if a.en not in ("new", "good")]

    def quality(self):
        """The shirt is very expensive(, but it is pretty)."""
        subj = self.thing_subject()
        adjs = self.predicates(subj.noun)
        a = self.pick(adjs)
        tense, neg = self.rng.choice(["pres", "pres", "past"]), self.chance(0.15)
        first = self.adjective_clause(subj, a, tense, neg=neg)
        rest = [b for b in adjs if compatible(a, b)]
        if neg or not rest or self.chance(0.4):
            return *first, "."
        b = self.pick(rest)
        conj = self.word(*(("but", "mais") if contrast(a, b) else ("and", "et")))
        second = self.adjective_clause(self.again(subj), b, tense)
        return *self.link_phrases(first, self.COMMA, conj, second), "."

    def comparison(self):
        """My brother is taller than Paul; as tall as; more expensive than."""
        if self.chance(0.5):
            a, b = self.human("p"), self.name() if self.chance(0.4) else self.human("p")
            adjs = ADJECTIVES["human"]
        else:
            cls = self.pick(("vehicle", "house", "town", "task", "luggage", "sight", "device", "media"))
            x, y = self.rng.sample(BY_CLASS[cls], 2) if len(BY_CLASS[cls]) > 1 else (None, None)
            a, b = self.noun_phrase(x, "t", plural=0), self.noun_phrase(y, "t", plural=0)
            adjs = [z for z in self.adjectives_for(x) if z in self.adjectives_for(y)]
        adjs = [z for z in adjs if z.en not in COLOURS and z.en not in
                ABSOLUTE | {"good", "big", "kind", "funny"}]
        if a.noun is b.noun:
            b = self.name()
        return *self.compare(a, b, self.pick(adjs)), "."

    def compare(self, a, b, adj):
        v, i, d, t = (self.new() for _ in range(4))
        french = adjective_form(adj, a.g, a.n)
        if self.chance(0.35):
            middle = [("as", (d,)), (adj.en, (i,)), ("as", (t,))]
            degree = "aussi"
        elif adj.en in COMPARATIVES:
            middle = [(COMPARATIVES[adj.en], (d, i)), ("than", (t,))]
            degree = "plus"
        else:
            middle = [("more", (d,)), (adj.en, (i,)), ("than", (t,))]
            degree = "plus"
        en = a.en + [(english_be(a.person), (v,))] + middle + b.en
        fr = a.fr + [(french_verb("être", "present", a.index), (v,)), (degree, (d,)),
                     (french, (i,)), ("que", (t,))] + b.fr
        return en, fr

    def profession(self):
        subj = self.subject()
        while subj.n == "p" or (subj.noun is not None and "folk" in subj.noun.classes):
            subj = self.subject()
        en, m, f = self.pick(PAIRS["PROFESSIONS"])
        i, v = self.new(), self.new()
        fr = f if subj.g == "f" else m
        article = "an" if en[0] in "aeiou" else "a"
        noun_en, noun_fr = [(article, ()), (en, (i,))], [(fr, (i,))]
        kind = self.rng.randrange(4)
        if kind == 3:
            en_v, fr_v = self.word("wants/1 to become/2" if subj.person == "he" else "want/1 to become/2",
                                   f"{french_verb('vouloir', 'present', subj.index)}/1 devenir/2")
        else:
            tense = ("present", "imperfect", "future")[kind]
            be = ("will be" if kind == 2 else english_be(subj.person, kind == 1)).split()
            en_v = [(w, (v,)) for w in be]
            fr_v = [(french_verb("être", tense, subj.index), (v,))]
        return subj.en + en_v + noun_en, subj.fr + fr_v + noun_fr, "."

    def location_vp(self, subj):
        small = subj.noun is not None and "small" in subj.noun.classes
        pool = [("on/1 {p:furniture=table,chair,bed,desk,sofa:t}", "sur/1 {p:furniture}"),
                ("under/1 {p:furniture=table,chair,bed,desk,sofa:t}", "sous/1 {p:furniture}"),
                ("in/1 {p:room:t}", "dans/1 {p:room}"),
                ("next/1 to/2 {p:furniture=lamp,table,mirror,sofa:t}", "à/1 côté/1 de/2 {p:furniture}")]
        if small:
            pool.append(("in/1 {p:luggage:t}", "dans/1 {p:luggage}"))
        en, fr = self.pick(pool)
        return en, fr

    def location(self):
        """The keys are on the table."""
        subj = self.thing_subject(self.pick(("portable", "gift", "dishware", "cloth")), 0.2)
        en, fr = self.location_vp(subj)
        tense = self.rng.choice(["pres", "pres", "past"])
        neg = self.rng.choice([None, None, None, "not", "anymore" if tense == "pres" else "not"])
        vp = self.fill_pattern(Pattern("be " + en, "être " + fr, "s", ()), subj)
        return *self.clause(subj, vp, tense, neg), "."

    def there_is(self, question=False):
        """There is a cat under the table; there are two churches in Lyon."""
        neg = None if question else self.rng.choice([None, None, None, "not", "anymore"])
        tense = self.rng.choice(["pres", "pres", "pres", "past", "going" if not neg else "past"])
        if neg == "anymore" and tense != "pres":
            neg = "not"
        np, en, fr = self.existing(neg)
        i = self.new()
        subj = NP([("there", (i,))], [("il", (i,))], "m", "s",
                  "they" if np.n == "p" else "he", 2)
        vp = self.fill_pattern(Pattern("be", "y_avoir", "s", ()), subj)
        a, b = self.place_of(en, fr)
        vp.en_rest = np.en + a
        vp.fr_rest, vp.fr_rest_neg = np.fr + b, np.fr_neg + b
        return *self.clause(subj, vp, tense, neg, question=question), "?" if question else "."

    def existing(self, neg):
        """Return something that exists and where it may be."""
        kind = self.rng.randrange(4)
        if kind == 0:
            cls = self.pick(("portable", "gift", "dishware"))
            np = self.fill(cls, "anz" if not neg else "as", None, neg)
            if neg and np.n == "s" and np.en[0][0] == "any":
                np = self.noun_phrase(np.noun, "a", plural=0, neg=neg)
            return np, *self.location_vp(np)
        if kind == 1:
            np = self.fill("town", "an" if not neg else "a", None, neg)
            return np, "in/1 {p:city}", "à/1 {p:city}"
        if kind == 2:
            noun, det = self.pick(BY_CLASS["food"]), self.rng.choice("zsl" if not neg else "s")
            np = self.noun_phrase(noun, det, plural=1, neg=neg)
            return np, "in the kitchen", "dans la cuisine"
        noun, det = self.pick(BY_CLASS["folk"]), self.rng.choice("anl" if not neg else "a")
        np = self.noun_phrase(noun, det, plural=0.0, neg=neg)
        if np.noun.en == "nurse":
            return np, "in the hospital", "dans le hôpital"
        return np, *self.pick((("in the street", "dans la rue"), ("in the station", "dans la gare"),
                               ("in the restaurant", "dans le restaurant"), ("in the park", "dans le parc"),
                               ("on the bus", "dans le bus")))

    def place_of(self, en, fr):
        vp = self.fill_pattern(Pattern("be " + en, "être " + fr, "s", ()), None)
        return vp.en_rest, vp.fr_rest

    # weather, numbers, dates

    def weather(self, tense=None, pattern=None):
        i = self.new()
        subj = NP([("it", (i,))], [("il", (i,))])
        p = pattern or self.pick(WEATHER_PHRASES)
        if tense is None:
            tense = self.weighted([("prog", 3), ("pres", 2), ("past", 3), ("will", 2), ("going", 2)])
        if p.kind == "s" and tense == "prog":
            tense = "pres"
        neg = "not" if self.chance(0.12) and "very" not in p.en and "too" not in p.en else None
        adv = None
        if p.kind == "h" and tense == "pres":
            adv = ("often", "souvent") if not neg else None
        vp = self.fill_pattern(p, subj)
        return self.clause(subj, vp, tense, neg, adv), tense

    def weather_sentence(self):
        (en, fr), tense = self.weather()
        where = self.rng.randrange(4)
        if where == 0:
            a, b = self.place_of("in/1 {p:city}", "à/1 {p:city}")
        elif where == 1:
            a, b = self.place_of("in/1 {p:country}", "@in/1 {p:country}")
        elif where == 2:
            a, b = self.phrase("in/1 the/2 mountains/3", "à/1 la/2 montagne/3")
        else:
            a, b = [], []
        en, fr = en + a, fr + b
        group = {"past": "past", "will": "future", "going": "future", "prog": "now",
                 "pres": None}[tense]
        if group and self.chance(0.6):
            a, b = self.time(group)
            en, fr = en + a, fr + b
        elif tense == "pres" and self.chance(0.5):
            a, b = self.phrase(*self.pick((("in summer", "en été"), ("in winter", "en hiver"),
                                           ("today/1", "aujourd'hui/1"), ("in autumn", "en automne"))))
            en, fr = en + a, fr + b
        return en, fr, "."

    def number(self, low, high):
        """Return a number as a word up to twelve, otherwise in digits."""
        k = self.rng.randint(low, high)
        if 2 <= k <= 12:
            return PAIRS["NUMBERS"][k - 2]
        return str(k), str(k)

    def price(self):
        subj = self.thing_subject(self.pick(("cloth", "portable", "gift", "device", "furniture", "food", "print")))
        en_n, fr_n = self.number(2, 60)
        if {"food", "text"} & set(subj.noun.classes):
            en_n, fr_n = self.number(2, 9 if "food" in subj.noun.classes else 15)
        if {"device", "furniture"} & set(subj.noun.classes):
            en_n, fr_n = self.number(20, 99)
        elif self.chance(0.25) and "food" not in subj.noun.classes:
            k, cents = self.rng.randint(2, 20), self.rng.choice(["50", "20", "90"])
            en_n, fr_n = f"{k}.{cents}", f"{k},{cents}"
        # The plural "cost" is always the present, otherwise it has two readings.
        tense = self.rng.choice(["pres", "pres", "past"]) if subj.person == "he" else "pres"
        verb_en = english_verb("cost", "past" if tense == "past" else
                               "s" if subj.person == "he" else "base")
        verb_fr = french_verb("coûter", "imperfect" if tense == "past" else "present", subj.index)
        a, b = self.phrase(f"{verb_en}/1 {en_n}/2 euros/3", f"{verb_fr}/1 {fr_n}/2 euros/3")
        return subj.en + a, subj.fr + b, "."

    def how_much(self):
        subj = self.thing_subject(self.pick(("cloth", "portable", "gift", "device", "furniture", "food", "print")))
        do = "does" if subj.person == "he" else "do"
        verb = french_verb("coûter", "present", subj.index)
        a, b = self.phrase("how/1 much/1 %s/2" % do, "combien/1 %s/23" % verb)
        c, _ = self.phrase("cost/3", "x/3")
        link = self.new()
        a[2], c[0] = (a[2][0], (link,)), ("cost", (link,))
        b[1] = (b[1][0], (link,))
        return a + subj.en + c, b + subj.fr, "?"

    def age(self):
        subj = self.subject()
        while subj.noun is not None and "folk" in subj.noun.classes or ("and" in [w for w, _ in subj.en]):
            subj = self.subject()
        years = self.rng.randint(13, 80)
        if subj.noun is not None and subj.noun.en in ("grandfather", "grandmother"):
            years = self.rng.randint(60, 90)
        if subj.noun is not None and subj.noun.en in ("son", "daughter"):
            years = self.rng.randint(13, 40)
        tense = self.rng.choice(["pres", "pres", "past", "will"])
        be = {"pres": english_be(subj.person), "past": english_be(subj.person, True),
              "will": "will/1 be"}[tense]
        have = french_verb("avoir", {"pres": "present", "past": "imperfect",
                                     "will": "future"}[tense], subj.index)
        a, b = self.phrase(f"{be}/1 {years}/2 years/3 old/3", f"{have}/1 {years}/2 ans/3")
        if tense == "will" :
            c, d = self.time("future")
            while not re.search(r"\b(soon|in|on|next)\b", c[0][0]):
                c, d = self.time("future")
            a, b = a + c, b + d
        return subj.en + a, subj.fr + b, "."

    def birth(self):
        subj = self.subject()
        i, y = self.new(), str(self.rng.randint(1950, 2015))
        participle = french_participle("naître") + ("e" if subj.g == "f" else "") + ("s" if subj.n == "p" else "")
        a, b = self.phrase(f"{english_be(subj.person, True)}/1 born/2",
                           f"{french_verb('être', 'present', subj.index)}/1 {participle}/2")
        if self.chance(0.5):
            c, d = self.phrase(f"in/1 {y}/2", f"en/1 {y}/2")
        elif self.chance(0.5):
            c, d = self.place_of("in/1 {p:city}", "à/1 {p:city}")
        else:
            c, d = self.place_of("in/1 {p:country}", "@in/1 {p:country}")
        return subj.en + a + c, subj.fr + b + d, "."

    def timetable(self):
        """The train leaves at 8:15; the shop opens at nine o'clock."""
        cls, verbs = self.pick((
            ("transport", (("leave", "partir"), ("arrive", "arriver"))),
            ("shops", (("open", "ouvrir"), ("close", "fermer"))),
            ("event=party,meeting,concert,match", (("start", "commencer"), ("end", "se_terminer"))),
            ("watchable=film,play,documentary", (("start", "commencer"), ("end", "se_terminer")))))
        if cls == "shops":
            cls = ("town=bakery,pharmacy,museum,library,bank,post office,"
                   "supermarket,restaurant,swimming pool,market")
        subj = self.noun_phrase(self.pick(self.slot_nouns(cls)), "t", plural=0)
        en_v, fr_v = self.pick(verbs)
        vp = self.fill_pattern(Pattern(en_v, fr_v, "h", ()), subj)
        tense = self.rng.choice(["pres", "pres", "will", "past"])
        en, fr = self.clause(subj, vp, tense)
        hours = {"open": range(7, 12), "close": range(17, 22)}.get(en_v, range(6, 23))
        a, b = self.clock(hours)
        return en + a, fr + b, "."

    def date(self):
        """Today is Monday, May 12; my birthday is on May 12."""
        day, month = self.pick(PAIRS["DAYS"]), self.pick(PAIRS["MONTHS"])
        short = month[0] in ("February", "April", "June", "September", "November")
        dom = self.rng.randint(1, 28 if short else 31)
        fr_dom = "1er" if dom == 1 else str(dom)
        if self.chance(0.4):
            return *self.phrase(f"today/1 is/2 {day[0]}/4 , {month[0]}/5 {dom}/6",
                                f"aujourd'hui/1 , nous sommes/2 le {day[1]}/4 {fr_dom}/6 {month[1]}/5"), "."
        noun = self.pick([n for n in BY_CLASS["event"] if n.en in
                          ("birthday", "party", "meeting", "concert", "match")])
        if noun.en == "birthday":
            subj = self.noun_phrase(noun, "p", self.rng.choice(["I", "he", "she", "you"]), 0)
        else:
            subj = self.noun_phrase(noun, "t", plural=0)
        be = self.rng.choice([("is", "est"), ("was", "était"), ("will/1 be", "sera")])
        a, b = self.phrase(f"{be[0]}/1 on/2 {month[0]}/3 {dom}/4", f"{be[1]}/1 le/2 {fr_dom}/4 {month[1]}/3")
        return subj.en + a, subj.fr + b, "."

    def clock_sentence(self):
        a, b = self.clock()
        i, v = self.new(), self.new()
        return [("it", (i,)), ("is", (v,))] + a[1:], [("il", (i,)), ("est", (v,))] + b[1:], "."

    # questions

    def yes_no(self):
        self.address_maybe()
        subj = self.question_subject()
        kind = self.weighted([("s", 3), ("h", 4), ("o", 4)])
        if self.chance(0.15):
            vp = self.fill_any(self.pick(STATE_PHRASES), subj, None)
            tense = self.rng.choice(["pres", "pres", "past"])
        else:
            vp, tense = self.vp(subj, None, kind), self.tense(kind)
            if vp.en_verb in UNWILLED:
                tense = self.rng.choice(["past", "perf"])
        while tense in ("usedto", "must"):
            tense = self.tense(kind)
        en, fr = self.clause(subj, vp, tense, question=True)
        group = {"past": "past", "will": "future", "going": "future", "prog": "now",
                 "pres": "habit"}.get(tense)
        if group and vp.kind in "ho" and self.chance(0.3):
            a, b = self.when(vp, tense, group)
            en, fr = en + a, fr + b
        return *self.addressed(en, fr), "?"

    def question_subject(self):
        if self.polite or self.chance(0.45):
            return self.pronoun("you")
        subj = self.subject()
        while subj.poss == "I":
            subj = self.subject()
        return subj

    def wh_question(self):
        self.address_maybe()
        subj = self.question_subject()
        wh = self.pick((("where", "où"), ("when", "quand"), ("why", "pourquoi"), ("what", "que"),
                        ("who", "qui")))
        if wh[0] == "who":
            return self.who_question()
        if wh[0] == "what":
            return self.what_question(subj)
        if wh[0] == "where":
            vp = self.vp(subj, None, "ho", tags=WHERE_TAGS, willed=True)
        else:
            vp = self.vp(subj, None, "ho", willed=True)
        tense = self.tense(vp.kind)
        while tense in ("usedto", "must", "perf", "can", "could") or (wh[0] == "when" and tense == "prog"):
            tense = self.tense(vp.kind)
        en, fr = self.clause(subj, vp, tense, question=True, wh=wh)
        return *self.addressed(en, fr), "?"

    def what_question(self, subj):
        p = self.pick([p for p in VERB_PHRASES if "{o:" in p.en and "human" not in p.en
                       and len(p.en.split()) <= 2 and p.en.split()[0] in WHAT_VERBS])
        vp = self.fill_pattern(p, subj, obj="gap")
        tense = self.tense(p.kind)
        while tense in ("usedto", "must", "perf"):
            tense = self.tense(p.kind)
        en, fr = self.clause(subj, vp, tense, question=True, wh=("what", "que"))
        places = [t for t in p.tags if t in PLACES]
        if places and self.chance(0.4):
            a, b = self.place(places[0])
            en, fr = en + a, fr + b
        group = self.TIME_GROUP.get(tense)
        if group and self.chance(0.5):
            a, b = self.time(group)
            en, fr = en + a, fr + b
        return *self.addressed(en, fr), "?"

    def who_question(self):
        self.polite, self.vocative = None, None
        i = self.new()
        subj = NP([("who", (i,))], [("qui", (i,))])
        subj.wh = True
        vp = self.vp(subj, None, "ho")
        tense = self.rng.choice(["past", "past", "will", "going"]) if vp.kind == "o" else \
            self.rng.choice(["past", "prog", "pres", "going"])
        en, fr = self.clause(subj, vp, tense)
        return *self.extras(en, fr, vp, tense, no_time=self.chance(0.5), front=False), "?"

    def where_is(self):
        if self.chance(0.3):
            subj = self.human("p")
        elif self.chance(0.4):
            subj = self.noun_phrase(self.pick(BY_CLASS["town"]), "t", plural=0)
        else:
            subj = self.thing_subject(self.pick(("portable", "cloth", "device", "gift")), 0.2)
        be = english_be(subj.person)
        a, b = self.phrase(f"where/1 {be}/2", f"où/1 {french_verb('être', 'present', subj.index)}/2")
        return a + subj.en, b + subj.fr, "?"

    def asked_about(self):
        """Return a person the speaker may know little of."""
        return self.human("p", self.rng.choice(["you", "he", "she"])) if self.chance(0.7) else self.name()

    def fixed_question(self):
        self.polite = None
        if self.chance(0.5):
            subj = self.asked_about()
            a, b = self.phrase("how/1 old/1 %s/2" % english_be(subj.person),
                               "quel/1 âge/1 %s/2" % french_verb("avoir", "present", subj.index))
        elif self.chance(0.5):
            subj = self.asked_about()
            a, b = self.phrase("how/1 %s/2" % english_be(subj.person),
                               "comment/1 %s/2" % french_verb("aller", "present", subj.index))
        else:
            noun = self.pick([n for n in BY_CLASS["town"] + BY_CLASS["event"] if n.en in (
                "bank", "pharmacy", "bakery", "museum", "library", "market", "post office", "hotel", "station",
                "restaurant", "supermarket", "cinema", "swimming pool", "hospital", "university", "airport")])
            subj = self.noun_phrase(noun, "t", plural=0)
            a, b = self.phrase("excuse/1 me/1 , where/2 is/3", "excusez-moi/1 , où/2 est/3")
        return a + subj.en, b + subj.fr, "?"

    # address

    def address_maybe(self):
        """Sometimes speak to someone who is called vous."""
        self.polite, self.vocative = None, None
        if self.chance(0.14):
            self.vocative = self.pick([tuple(a) for a in ADDRESS])
            self.polite = (self.vocative[2], self.vocative[3])

    def addressed(self, en, fr):
        """Append the form of address, if any."""
        if self.vocative is None:
            return en, fr
        a, b = self.phrase(self.vocative[0].replace("_", " "), self.vocative[1].replace("_", " "))
        return en + [(",", ())] + a, fr + [(",", ())] + b

    def greeting(self):
        phrase = self.pick(GREETINGS)
        en, fr = self.word(*phrase)
        mark = self.rng.choice([".", "!"])
        kind = self.rng.randrange(3)
        if kind == 0:
            name = self.name()
            en, fr = en + [(",", ())] + name.en, fr + [(",", ())] + name.fr
        elif kind == 1:
            self.vocative = self.pick([tuple(a) for a in ADDRESS])
            en, fr = self.addressed(en, fr)
            self.vocative = None
        return en, fr, mark

    @staticmethod
    def can_be_told(vp, neg):
        """Say whether one can tell someone to do that, or not to do it."""
        if vp.reflexive or (vp.clitics and not neg) or vp.en_verb in NEVER_TOLD:
            return False
        return neg or vp.en_verb not in ONLY_FORBIDDEN

    def imperative(self):
        self.address_maybe()
        subj = self.pronoun("you")
        neg = self.chance(0.25)
        vp = self.vp(subj, neg, "ho")
        while not self.can_be_told(vp, neg):
            vp = self.vp(subj, neg, "ho")
        v, n, p = vp.id, self.new(), self.new()
        verb = (french_imperative(vp.fr_verb, 4 if self.polite else 1), (v,))
        en = ([("don't", (n, p))] if neg else []) + [(vp.en_verb, (v,))] + vp.en_rest
        fr = [verb] + vp.fr_rest
        if neg:
            fr = [("ne", (n,))] + vp.clitics + [verb, ("pas", (p,))] + vp.fr_rest_neg
        if not neg and self.chance(0.3):
            a, b = self.phrase(*self.pick((("tomorrow", "demain"), ("tomorrow morning", "demain matin"),
                                           ("tonight/1", "ce/1 soir/1"), ("this weekend", "ce week-end"),
                                           ("now", "maintenant"))))
            en, fr = en + a, fr + b
        if self.chance(0.45):
            te = "vous" if self.polite else "te"
            a, b = self.phrase("please/1", f"s'il/1 {te}/1 plaît/1")
            en, fr = en + [(",", ())] + a, fr + [(",", ())] + b
        return *self.addressed(en, fr), self.rng.choice([".", ".", "!"])

    # relative clauses

    def human_relative(self, det="t"):
        """Return "the man who lives in Paris"."""
        noun = self.pick(BY_CLASS["folk"])
        np = self.noun_phrase(noun, det, plural=0.2)
        i = self.new()
        rel = NP([("who", (i,))], [("qui", (i,))], np.g, np.n, np.person, np.index, noun, poss=np.poss)
        if self.chance(0.3):
            p = self.pick([p for p in VERB_PHRASES if p.en.startswith("live")])
            vp, tense = self.fill_any(p, rel, None), "pres"
        else:
            tense = self.rng.choice(["past", "prog"])
            vp = self.vp(rel, None, "ho" if tense == "past" else "h")
        a, b = self.clause(rel, vp, tense)
        np.en, np.fr = np.en + a, np.fr + b
        np.fr_neg = np.fr
        return np

    def thing_relative(self, det="t", adj=0.0):
        """Return "the book that I bought yesterday"."""
        cls, first, _ = self.pick([s for s in STORIES if s[0] not in ("folk", "known")])
        noun = self.pick(BY_CLASS[cls])
        np = self.noun_phrase(noun, det, plural=0.2, adj=adj)
        subj = self.relative_subject()
        p = self.pick(first)
        vp = self.fill_pattern(p, subj, obj="gap")
        vp.agree = (np.g, np.n)
        a, b = self.clause(subj, vp, "past")
        if self.chance(0.45):
            c, d = self.time("past")
            a, b = a + c, b + d
        i = self.new()
        np.en, np.fr = np.en + [("that", (i,))] + a, np.fr + [("que", (i,))] + b
        np.cls = cls
        return np

    def relative_subject(self):
        subj = self.subject()
        while subj.noun is not None and "folk" in subj.noun.classes:
            subj = self.subject()
        return subj

    def place_relative(self):
        """Return "the restaurant where we had dinner"."""
        en, tag = self.pick((("restaurant", "eat"), ("library", "study"), ("supermarket", "shop"),
                             ("park", "outside"), ("lake", "water"), ("hotel", "sleep"), ("beach", "outside"),
                             ("swimming pool", "water"), ("university", "study"), ("market", "shop"),
                             ("office", "work"), ("hospital", "work"), ("forest", "outside"), ("bank", "work")))
        noun = next(n for n in BY_CLASS["town"] + BY_CLASS["nature"] if n.en == en)
        np = self.noun_phrase(noun, "t", plural=0)
        subj = self.relative_subject()
        vp = self.vp(subj, None, "h", tags=(tag,))
        a, b = self.clause(subj, vp, self.rng.choice(["past", "past", "pres"]))
        i = self.new()
        np.en, np.fr = np.en + [("where", (i,))] + a, np.fr + [("où", (i,))] + b
        return np

    def relative(self):
        kind = self.rng.randrange(6)
        if kind == 0:
            np = self.human_relative()
            adj = self.pick([a for a in ADJECTIVES["human"] + ADJECTIVES["feeling"] if a.en not in ABSOLUTE])
            return *self.adjective_clause(np, adj), "."
        if kind == 1:
            subj = self.relative_subject()
            p = self.pick((("know", "connaître", "s", "pres"), ("meet", "rencontrer", "o", "past"),
                           ("see", "voir", "o", "past"), ("help", "aider", "h", "past")))
            vp = self.fill_pattern(Pattern(p[0], p[1], p[2], ()), subj)
            np = self.human_relative()
            vp.en_rest, vp.fr_rest = np.en, np.fr
            return *self.clause(subj, vp, p[3]), "."
        if kind in (2, 3):
            np = self.thing_relative()
            adjs = self.predicates(np.noun) or self.adjectives_for(np.noun)
            return *self.adjective_clause(np, self.pick(adjs), self.rng.choice(["pres", "past"])), "."
        if kind == 4:
            return self.story_relative()
        np = self.place_relative()
        if self.chance(0.5):
            adj = self.pick(self.predicates(np.noun))
            return *self.adjective_clause(np, adj), "."
        i, v = self.new(), self.new()
        return [("this", (i,)), ("is", (v,))] + np.en, [("ce", (i,)), ("est", (v,))] + np.fr, "."

    def story_relative(self):
        """I lost the watch that my father bought."""
        np = self.thing_relative(adj=0.25)
        seconds = next(s[2] for s in STORIES if s[0] == np.cls)
        p = self.pick([q for q in seconds if "{d" not in q.en])
        subj = self.relative_subject()
        vp = self.fill_pattern(p, subj, obj="gap")
        vp.en_rest = np.en + vp.en_rest if vp.en_rest else np.en
        vp.fr_rest = np.fr + vp.fr_rest if vp.fr_rest else np.fr
        vp.fr_rest_neg = vp.fr_rest
        tense = self.rng.choice(["past", "past", "going", "will", "wouldlike"]) if p.kind == "o" else "pres"
        if "on/1" in p.en or "in/1" in p.en or unwilled(p):
            tense = "past"
        return *self.clause(subj, vp, tense), "."

    # several clauses

    def story(self):
        """She bought a dress and she wore it yesterday."""
        cls, first, second = self.pick(STORIES)
        subj = self.relative_subject()
        noun = self.pick(BY_CLASS[cls])
        det = self.rng.choice("aatdn" if cls not in ("folk", "known", "pairs") and not noun.plural else "aat")
        if cls == "known":
            det = "p"
        p, q = self.pick(first), self.pick(second)
        while q.en.split()[0] == p.en.split()[0]:
            q = self.pick(second)
        np = self.noun_phrase(noun, det, self.owner(subj), 0.2, 0.25)
        vp = self.fill_pattern(p, subj, obj="gap")
        vp.en_rest, vp.fr_rest = np.en, np.fr
        one = self.clause(subj, vp, "past")
        if self.chance(0.3):
            time = self.time("past")
            one = self.link_phrases(time, self.COMMA, one) if self.chance(0.4) else self.link_phrases(one, time)
        return *self.link_phrases(one, self.COMMA, self.sequel(self.again(subj), q, np)), "."

    def sequel(self, subj, q, np):
        vp = self.fill_pattern(q, subj, obj=np)
        if q.kind == "s":
            tense, neg = "pres", self.rng.choice([None, None, "not"])
            if q.en.startswith("hate"):
                neg = None
        else:
            tense = self.rng.choice(["past", "past", "going", "will", "wouldlike"])
            neg = "not" if self.chance(0.15) else None
            if q.en.split()[0] in ("lose", "break", "forget"):
                tense, neg = "past", None
            if q.en.startswith("understand"):
                tense = "past"
        if neg or q.en.split()[0] in ("lose", "break", "forget"):
            conj = self.word("but", "mais")
        else:
            then = ("then", "puis") if tense == "past" and self.chance(0.3) else ("and", "et")
            conj = self.word(*then)
        return self.link_phrases(conj, self.clause(subj, vp, tense, neg))

    def cause(self):
        """I am going to bed early because I am tired; also so, if and when."""
        effects, causes, row = self.pick_row(CAUSES)
        # The first rows are needs, the next two are moods, which show at once.
        bodily, mood = row < 6, 6 <= row < 8
        effect, cause = self.pick(effects), self.pick(causes)
        subj = self.cause_subject()
        neg = effect.en[0] == "-"
        effect = effect._replace(en=effect.en[1:])
        past = self.chance(0.45)
        again = self.again(subj)
        habit = effect.kind == "h" and not neg
        shape = self.weighted([("because", 5), ("so", 3), ("if", 3 if bodily and not neg else 0),
                               ("when", 2 if habit or not past else 0)])
        lead, follow = (subj, again)
        if shape == "because":
            tenses = ["going", "wouldlike", "can"] if neg else \
                ["going", "will", "must", "wouldlike"] if bodily else ["going", "will"]
            tense = "past" if past else "prog" if mood else self.rng.choice(tenses)
            main = self.clause(lead, self.fill_any(effect, lead, neg), tense, "not" if neg else None)
            why = self.clause(follow, self.fill_any(cause, follow, None), "past" if past else "pres")
            return *self.link_phrases(main, self.word("because/1", "parce/1 que/1"), why), "."
        if shape == "when":
            cl = self.clause(lead, self.fill_any(cause, lead, None), "past" if past else "pres")
            habit = effect.kind == "h"
            tense = ("usedto" if habit and not neg else "past") if past else "pres"
            main = self.clause(follow, self.fill_any(effect, follow, neg), tense, "not" if neg else None)
            return *self.link_phrases(self.word("when", "quand"), cl, self.COMMA, main), "."
        why = self.clause(lead, self.fill_any(cause, lead, None), "past" if past and shape == "so" else "pres")
        if shape == "so":
            tense = "past" if past else "prog" if mood else "going" if neg else \
                self.rng.choice(["going", "will", "must"] if bodily else ["going", "will"])
            main = self.clause(follow, self.fill_any(effect, follow, neg), tense, "not" if neg else None)
            return *self.link_phrases(why, self.COMMA, self.word("so", "donc"), main), "."
        main = self.clause(follow, self.fill_any(effect, follow, neg), self.rng.choice(["can", "must", "will"]))
        return *self.link_phrases(self.word("if", "si"), why, self.COMMA, main), "."

    def pick_row(self, table):
        _, row = self.pick([("row", k) for k in range(len(table))])
        return (*table[row], row)

    def cause_subject(self):
        subj = self.subject()
        while subj.noun is not None and subj.noun.en in ("doctor", "nurse"):
            subj = self.subject()
        return subj

    def plan(self):
        """If it rains tomorrow, we will stay at home."""
        plans, weathers, _ = self.pick_row(PLANS)
        p, w = self.pick(plans), self.pick(weathers)
        subj = self.subject()
        vp = self.fill_any(p, subj, None)
        if self.chance(0.5):
            i = self.new()
            it = NP([("it", (i,))], [("il", (i,))])
            cond = self.clause(it, self.fill_pattern(w, it), "pres")
            time = self.near_day() if self.chance(0.6) else ([], [])
            main = self.clause(subj, vp, self.rng.choice(["will", "will", "can"]))
            return *self.link_phrases(self.word("if", "si"), cond, time, self.COMMA, main), "."
        past = self.chance(0.5)
        main = self.clause(subj, vp, "past" if past else self.rng.choice(["prog", "going"]))
        i = self.new()
        it = NP([("it", (i,))], [("il", (i,))])
        wtense = ("pastprog" if w.kind == "h" else "past") if past else ("prog" if w.kind == "h" else "pres")
        why = self.clause(it, self.fill_pattern(w, it), wtense)
        return *self.link_phrases(main, self.word("because/1", "parce/1 que/1"), why), "."

    def near_day(self):
        """Return a day close enough for a weather forecast."""
        day = self.pick(PAIRS["DAYS"])
        return self.phrase(*self.pick((("tomorrow", "demain"), ("this weekend", "ce week-end"),
                                       ("tomorrow morning", "demain matin"),
                                       ("on/1 %s/2" % day[0], "%s/12" % day[1]),
                                       ("next/1 %s/2" % day[0], "%s/2 prochain/1" % day[1]))))

    def childhood(self):
        """When I was a child, I used to play the piano."""
        subj = self.relative_subject()
        while subj.n == "p" and subj.person != "we" and not subj.pron:
            subj = self.relative_subject()
        i = self.new()
        child = ("children", "enfants") if subj.n == "p" else ("a child", "enfant")
        en = subj.en + [(english_be(subj.person, True), (i,))]
        fr = subj.fr + [(french_verb("être", "imperfect", subj.index), (i,))]
        words = self.phrase(" ".join(w + ("/1" if w != "a" else "") for w in child[0].split()), child[1] + "/1")
        again = self.again(subj)
        vp = self.vp(again, None, "h")
        while {"adult", "work"} & set(vp.tags):
            vp = self.vp(again, None, "h")
        main = self.clause(again, vp, "usedto")
        if self.chance(0.3):
            main = self.link_phrases(main, self.whole_day("usedto"))
        return *self.link_phrases(self.word("when", "quand"), (en, fr), words, self.COMMA, main), "."

    def meanwhile(self):
        """I was sleeping when the phone rang."""
        subj = self.relative_subject()
        vp = self.vp(subj, None, "h")
        one = self.clause(subj, vp, "pastprog")
        kind = self.rng.randrange(3)
        if kind == 0:
            two = self.phrase("the/1 phone/2 rang/3", "le/1 téléphone/2 a/3 sonné/3")
        else:
            other = self.relative_subject()
            while other.poss == subj.poss:
                other = self.relative_subject()
            p = self.pick((Pattern("arrive", "arriver", "o", ()), Pattern("call", "appeler", "o", ()),
                           Pattern("come back/V", "revenir", "o", ()),
                           Pattern("go home/V", "rentrer à/V la/V maison/V", "o", ()),
                           Pattern("fall", "tomber", "o", ())))
            if p.en == "call":
                p = p._replace(en="call {o:human:p}", fr="appeler {o:human}")
            two = self.clause(other, self.fill_any(p, other, None), "past")
        return *self.link_phrases(one, self.word("when", "quand"), two), "."

    def opinion(self):
        """I think that ...; Marie says that ...; I hope that ..."""
        subj = self.relative_subject()
        en, fr, tenses = self.pick((("think", "penser", "any"), ("know", "savoir", "any"), ("say", "dire", "any"),
                                    ("hope", "espérer", "will"), ("think", "penser", "any")))
        vp = self.fill_pattern(Pattern(en, fr, "s", ()), subj)
        tense = "pres"
        head = self.clause(subj, vp, tense)
        other = self.other_than(subj)
        if en == "say":
            while subj.poss in ("I", "you"):
                subj = self.relative_subject()
            head = self.clause(subj, self.fill_pattern(Pattern(en, fr, "s", ()), subj), tense)
        if tenses == "any" and self.chance(0.25):
            thing = self.thing_subject()
            body = self.adjective_clause(thing, self.pick(self.predicates(thing.noun)))
        elif tenses == "will":
            body = self.simple(other, "will", neg_p=0.1)
        else:
            body = self.simple(other, self.rng.choice(["past", "pres", "going", "will"]), neg_p=0.15)
        if body[0][0][0] in TIME_STARTS:
            body = self.simple(other, "will" if tenses == "will" else "past", extras=False)
        return *self.link_phrases(head, self.word("that", "que"), body), "."

    def other_than(self, subj):
        """Return a subject that cannot be taken for the first one."""
        other = self.relative_subject()
        while other.poss == subj.poss or {w for w, _ in other.en} & {w for w, _ in subj.en}:
            other = self.relative_subject()
        return other

    # Things that people do at the same time are of one kind.
    TOPICS = (("eat", "bar", "cook", "shop", "rest"), ("home", "outside", "field", "water", "read", "sleep"),
              ("work", "study", "home", "read"), ("lost", "shop", "outside"))

    def coordination(self):
        """Two people do two things: ... and ..."""
        subj = self.subject()
        other, tags = self.other_than(subj), self.pick(self.TOPICS)
        tense = self.rng.choice(["past", "pres", "will", "going", "prog"])
        one = self.simple(subj, tense, neg_p=0.05, plain=True, tags=tags, extras=self.chance(0.6))
        verb = self.last_verb
        two = self.simple(other, tense, neg_p=0.05, plain=True, tags=tags, extras=self.chance(0.15))
        while two[0][0][0] in TIME_STARTS or self.last_verb == verb:
            two = self.simple(other, tense, neg_p=0.05, plain=True, tags=tags, extras=False)
        return *self.link_phrases(one, self.COMMA, self.word("and", "et"), two), "."

    def contrast(self):
        """I like tea, but my brother prefers coffee; but I do not like milk."""
        tastes = [p for p in VERB_PHRASES if p.kind == "s"
                  and p.en.split()[0] in ("like", "love", "hate", "prefer")
                  and re.search(r":(food|drink|subject|sport|animal):", p.en)]
        likes = [p for p in tastes if p.en.startswith(("like", "love"))]
        p = self.pick(likes)
        kind = re.search(r":(food|drink|subject|sport|animal):", p.en).group(1)
        subj = self.subject()
        other = self.again(subj) if self.chance(0.4) else self.other_than(subj)
        one = self.clause(subj, self.fill_pattern(p, subj), "pres")
        q = self.pick([q for q in tastes if f":{kind}:" in q.en and not q.en.startswith("love")] or [p])
        neg = None if q.en.startswith(("hate", "prefer")) else "not"
        two = self.clause(other, self.fill_pattern(q, other, neg), "pres", neg)
        while one[0][-1][0] == two[0][-1][0]:
            two = self.clause(other, self.fill_pattern(q, other, neg), "pres", neg)
        return *self.link_phrases(one, self.COMMA, self.word("but", "mais"), two), "."

    def shopping(self):
        """I bought apples, bread and two lemons."""
        subj = self.subject()
        p = self.pick((Pattern("buy", "acheter", "o", ()), Pattern("eat", "manger", "o", ()),
                       Pattern("order", "commander", "o", ()), Pattern("see", "voir", "o", ()),
                       Pattern("find", "trouver", "o", ())))
        if p.en == "see":
            nps = self.listed("animal", "an")
        elif p.en == "find":
            nps = self.listed("portable", "anp")
        elif p.en == "buy":
            nps = self.listed(self.rng.choice(["food", "cloth", "gift", "dishware"]), "anz")
        elif p.en == "order":
            nps = self.listed(self.rng.choice(["dish", "drink"]), "z")
        else:
            nps = self.listed("food", "azns")
        vp = self.fill_pattern(p, subj)
        both = self.join(nps, "and", "et")
        vp.en_rest, vp.fr_rest, vp.fr_rest_neg = both.en, both.fr, both.fr
        tense = "past" if p.en in ("find", "see") else \
            self.rng.choice(["past", "past", "going", "will", "wouldlike"])
        en, fr = self.clause(subj, vp, tense)
        if self.chance(0.3) and tense != "wouldlike":
            a, b = self.when(vp, tense, self.TIME_GROUP[tense])
            en, fr = self.link_phrases((a, b), self.COMMA, (en, fr))
        return en, fr, "."

    def listed(self, cls, dets):
        """Return two to five different things of one class."""
        nouns = []
        size = self.weighted([(2, 5), (3, 5), (4, 3), (5, 2)])
        while len(nouns) < size:
            noun = self.pick(BY_CLASS[cls])
            if noun not in nouns:
                nouns.append(noun)
        return [self.fill_noun(n, dets) for n in nouns]

    def fill_noun(self, noun, dets):
        if noun.mass:
            dets = "z"
        elif noun.plural:
            dets = "z"
        det = self.rng.choice(dets.replace("s", "a"))
        return self.noun_phrase(noun, det, "I", 0, 0.25)

    def chain(self):
        """Yesterday, I got up, I had breakfast, ... and I went home."""
        subj = self.subject()
        tense = self.rng.choice(["past", "past", "pres", "going", "will"])
        size = self.weighted([(3, 6), (4, 5), (5, 3), (6, 2)])
        patterns = self.day_plan(size, tense, subj)
        parts = [self.chain_part(subj if k == 0 else self.again(subj), p, tense)
                 for k, p in enumerate(patterns)]
        out = parts[0]
        for part in parts[1:-1]:
            out = self.link_phrases(out, self.COMMA, part)
        out = self.link_phrases(out, self.word("and", "et"), parts[-1])
        if tense == "pres" or self.chance(0.7):
            out = self.link_phrases(self.whole_day(tense), self.COMMA, out)
        if self.chance(0.2):
            out = self.link_phrases(out, self.COMMA, self.word("so", "donc"), self.mood(subj, tense))
        return *out, "."

    def day_plan(self, size, tense, subj):
        """Choose things one does in a day and put them in order."""
        chosen, verbs = [], set()
        young = subj.noun is not None and subj.noun.en in ("child", "boy", "girl", "son", "daughter", "student")
        while len(chosen) < size:
            p = self.pick(VERB_PHRASES)
            usual = p.kind == "h" or (p.kind == "o" and tense != "pres")
            if not usual or unwilled(p) and day_rank(p) is None or p.en.split()[0] in verbs:
                continue
            if young and "adult" in p.tags or p.en.split()[0] in ("hurry", "live", "smoke", "teach"):
                continue
            verbs.add(p.en.split()[0])
            chosen.append(p)
        # Sorting is stable, so free activities keep their random order.
        return sorted(chosen, key=lambda p: 5 if day_rank(p) is None else day_rank(p))

    def chain_part(self, subj, pattern, tense):
        vp = self.fill_any(pattern, subj, None)
        clause = self.clause(subj, vp, tense)
        places = [t for t in vp.tags if t in PLACES]
        if places and self.chance(0.35):
            clause = self.link_phrases(clause, self.place(places[0]))
        return clause

    def whole_day(self, tense):
        """Return a time expression that spans a day."""
        day = self.pick(PAIRS["DAYS"])
        weekly = {"pres": ("on/1 %ss/2" % day[0], "le/1 %s/2" % day[1]),
                  "prog": ("today/1", "aujourd'hui/1"), "usedto": ("on/1 %ss/2" % day[0], "le/1 %s/2" % day[1]),
                  "past": ("last/1 %s/2" % day[0], "%s/2 dernier/1" % day[1])}.get(
                      tense, ("next/1 %s/2" % day[0], "%s/2 prochain/1" % day[1]))
        other = {"pres": ("every/1 day/2", "tous/1 les/1 jours/2"),
                 "prog": ("today/1", "aujourd'hui/1"), "usedto": ("every/1 day/2", "tous/1 les/1 jours/2"),
                 "past": ("yesterday", "hier")}.get(tense, ("tomorrow", "demain"))
        return self.phrase(*(weekly if self.chance(0.6) else other))

    def mood(self, subj, tense):
        again = self.again(subj)
        p = Pattern("be {a:feeling=tired,happy}", "être {a:feeling}", "s", ())
        vp = self.fill_pattern(p, again)
        return self.clause(again, vp, tense if tense in ("past", "pres", "will") else "will")

    def pain(self):
        """My leg hurts: j'ai mal à la jambe."""
        person = self.rng.choice(["I", "he", "she", "you"])
        self.polite = None
        noun = self.pick(BY_CLASS["body"])
        n = "p" if noun.en in ("leg", "foot", "arm", "hand") and self.chance(0.4) else "s"
        subj = self.pronoun(person)
        i, v = self.new(), self.new()
        own = {"I": "my", "he": "his", "she": "her", "you": "your"}[person]
        tense = self.rng.choice(["pres", "past"])
        verb = "hurt" if n == "p" or tense == "past" else "hurts"
        have = french_verb("avoir", "present" if tense == "pres" else "imperfect", subj.index)
        art = "les" if n == "p" else "le" if noun.g == "m" else "la"
        en = [(own, subj.fr[0][1]), (noun.en_pl if n == "p" else noun.en, (i,)), (verb, (v,))]
        fr = subj.fr + [(have, (v,)), ("mal", (v,)), ("à", ()), (art, ()),
                        (noun.fr_pl if n == "p" else noun.fr, (i,))]
        if tense == "past":
            a, b = self.phrase(*self.pick((("yesterday", "hier"), ("yesterday morning", "hier matin"),
                                           ("last/1 night/2", "hier/1 soir/2"))))
            en, fr = en + a, fr + b
        elif self.chance(0.5):
            a, b = self.phrase(*self.pick((("today/1", "aujourd'hui/1"), ("now", "maintenant"),
                                           ("this morning", "ce matin"))))
            en, fr = en + a, fr + b
        return en, fr, "."

    MAKERS = [("statement", 205), ("state", 26), ("animal", 16), ("quality", 46), ("comparison", 28),
              ("profession", 26), ("location", 30), ("there_is", 34), ("weather_sentence", 20),
              ("price", 20), ("how_much", 8), ("age", 12), ("birth", 10), ("timetable", 20), ("date", 14),
              ("clock_sentence", 3), ("yes_no", 66), ("wh_question", 60), ("where_is", 9),
              ("fixed_question", 8), ("greeting", 15), ("imperative", 38), ("relative", 115), ("story", 92),
              ("cause", 92), ("plan", 30), ("childhood", 30), ("meanwhile", 22), ("opinion", 90),
              ("coordination", 80), ("contrast", 18), ("shopping", 46), ("chain", 115), ("pain", 19),
              ("ask_there", 8)]

    def ask_there(self):
        return self.there_is(question=True)

    def sentence(self):
        """Return one sentence: English, French, links and the maker's name."""
        self.next_id, self.polite, self.vocative = 0, None, None
        maker = self.weighted(self.MAKERS)
        try:
            en, fr, mark = getattr(self, maker)()
        except Ambiguous:
            return self.sentence()
        bare = self.chance(0.15)
        self.polite = None
        return (*spell(en, fr, mark, bare, self.new()), maker)


# Kinds of places that "where" asks for, and verbs that "what" goes with.
WHERE_TAGS = ("eat", "shop", "work", "study", "outside", "water", "sleep", "read", "lost")
WHAT_VERBS = ("eat", "drink", "buy", "read", "prepare", "order", "choose", "wear", "write",
              "study", "learn", "watch", "wash", "repair", "draw", "sing")
# Commands that make no sense, and those that only make sense with "don't".
NEVER_TOLD = ("win", "fall", "get", "hurry", "worry", "receive", "miss", "find", "meet",
              "see", "arrive")
ONLY_FORBIDDEN = ("smoke", "cry", "lose", "break", "forget", "hate")
# What one can learn to do.
SKILLS = {"swim", "dance", "sing", "cook", "drive", "play", "ride", "use", "make"}
# Events one dates by the year.
YEARLY = {"visit", "sell", "meet", "come", "travel", "win", "leave", "study", "teach", "organise"}
TIME_STARTS = {"yesterday", "last", "next", "tomorrow", "tonight", "soon", "every", "in", "on",
               "this", "two", "three", "an", "at", "after", "during", "once", "twice", "now",
               "right", "today"}
