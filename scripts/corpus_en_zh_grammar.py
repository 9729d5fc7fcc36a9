"""Grammar of the English-Chinese corpus: noun phrases, verbs and clauses.

Every construction has exactly one Chinese rendering.  In Chinese the order
is subject, time, adverb, modal, adjuncts, verb, aspect, object.
"""

import corpus_en_zh_lexicon as lex
from corpus_en_zh_core import Phrase, en, glue, join, key, unit, zh

PRONOUNS = [  # subject, object, possessive, Chinese, person, plural
    ("I", "me", "my", "我", 1, False),
    ("you", "you", "your", "你", 2, True),
    ("he", "him", "his", "他", 3, False),
    ("she", "her", "her", "她", 3, False),
    ("we", "us", "our", "我们", 1, True),
    ("they", "them", "their", "他们", 3, True),
]

PRONOUN_BY_SUBJECT = {row[0]: row for row in PRONOUNS}

VOWEL_SOUND_EXCEPTIONS = {"uniform": "a", "university": "a", "useful": "a",
                          "honest": "an"}


def article(word):
    """The indefinite article before a word."""
    first = word.split()[0]
    return VOWEL_SOUND_EXCEPTIONS.get(
        first, "an" if first[0] in "aeiou" else "a")


class NounPhrase(Phrase):
    """A phrase with what agreement needs; tag tells persons apart, and
    alias is the tag of the person whom a pronoun takes up."""

    def __init__(self, phrase, person=3, plural=False, tag="", alias=""):
        super().__init__(phrase.en, phrase.zh)
        self.person = person
        self.plural = plural
        self.tag = tag
        self.alias = alias

    def be(self, past=False):
        """The form of "be" that agrees."""
        if past:
            return "were" if self.plural else "was"
        if self.person == 1 and not self.plural:
            return "am"
        return "are" if self.plural else "is"

    def third(self):
        """Whether the verb takes -s."""
        return self.person == 3 and not self.plural

    def do(self, past=False):
        """The form of "do" that agrees."""
        return "did" if past else "does" if self.third() else "do"

    def have(self):
        """The form of "have" that agrees."""
        return "has" if self.third() else "have"


class Verb:
    """English base form with the Chinese head and what follows it."""

    def __init__(self, base, head, tail="", skill=False):
        self.base = base
        self.head = head
        self.tail = tail
        self.skill = skill
        self.key = key()


class VerbPhrase:
    """A verb with its complements on both sides."""

    def __init__(self, verb, english=(), before=(), after=()):
        self.verb = verb
        self.english = list(english)  # after the verb
        self.before = list(before)    # Chinese, before the verb
        self.after = list(after)      # Chinese, after verb and aspect
        self.final_le = False         # the aspect 了 closes the clause


# Tenses.  Every modal verb of the lexicon is a tense of its own.
MODALS = {row[0]: row for row in lex.rows(lex.MODAL_TABLE)}
CONTRACTIONS = {"do": "don't", "does": "doesn't", "did": "didn't",
                "is": "isn't", "are": "aren't", "can": "can't",
                "will": "won't", "should": "shouldn't"}


class Group:
    """A conjugated verb: auxiliary, rest, and the Chinese around it."""

    def __init__(self):
        self.aux = None      # first English auxiliary
        self.rest = []       # English words after the auxiliary
        self.tail = []       # English words that close the clause
        self.pre = []        # Chinese before adjuncts and verb
        self.aspect = None   # Chinese aspect mark
        self.particle = None  # Chinese question particle
        self.head = None     # Chinese verb
        self.tail_zh = []    # Chinese rest of a verb such as 游泳


def english_form(verb, form, subject):
    """The inflected English verb."""
    if form == "present":
        return lex.third(verb) if subject.third() else verb
    return {"base": verb, "past": lex.past(verb),
            "participle": lex.past(verb, True),
            "gerund": lex.gerund(verb)}[form]


class Grammar:
    """Builders that share a source of random choices."""

    def __init__(self, pick):
        self.pick = pick

    # ---- noun phrases ---------------------------------------------------

    def noun(self, classes):
        """A noun of one of the classes, the rarely used first."""
        return self.pick(lex.nouns(classes), lambda noun: "noun " + noun.en)

    def adjective(self, group, kinds=None):
        """An adjective row that fits a noun class, or None."""
        kinds = lex.NOUN_ADJECTIVES.get(group, "") if kinds is None else kinds
        fitting = [row for row in ADJECTIVES if set(row[4]) & set(kinds)]
        return self.pick(fitting, lambda row: row[2]) if fitting else None

    def attribute(self, noun, colored=True):
        """An adjective before a noun."""
        if (colored and noun.group in COLORED and self.pick.chance(0.5)):
            color = self.pick(COLORS, lambda row: row[0])
            return unit(color[0], color[1] + "的")
        row = self.adjective(noun.group)
        if row is None:
            return None
        if self.pick.chance(0.12):
            return join([unit("very", "非常"), unit(row[0], row[2] + "的")])
        return unit(row[0], row[3])

    def name_of(self, noun, plural):
        """The noun itself."""
        return unit(noun.plural if plural else noun.en, noun.zh)

    def counted(self, noun, how, attribute=None):
        """Determiner, measure word, attribute and noun."""
        plural = how not in ("a", "this", "that", "every", "one")
        det = self.determiner(noun, how, attribute)
        body = [det, attribute, self.name_of(noun, plural)]
        return NounPhrase(join(body), 3, plural and how != "every", noun.en)

    def determiner(self, noun, how, attribute):
        """A determiner with the measure word that it calls for."""
        k = key()
        if how in ("some", "many", "these", "those", "all the"):
            return unit({"all the": "all ~the"}.get(how, how),
                        {"some": "一些", "many": "很多", "these": "这些",
                         "those": "那些", "all the": "所有的"}[how])
        if how == "a":
            first = attribute.en[0][0] if attribute else noun.en
            return Phrase([(article(first), k)],
                          [("一", k), (noun.measure, k)])
        if how == "a few":
            return Phrase([("a", k), ("few", k)],
                          [("几", k), (noun.measure, k)])
        if isinstance(how, int):
            return Phrase([(lex.english_number(how), k)],
                          [("两" if how == 2 else lex.chinese_number(how), k),
                           (noun.measure, k)])
        han = {"this": "这", "that": "那", "every": "每"}.get(how, how)
        return Phrase([(how, k)], [(han, k), (noun.measure, k)])

    def bare(self, noun):
        """A noun that stands for its kind."""
        return NounPhrase(self.name_of(noun, not noun.mass), 3,
                          not noun.mass, noun.en)

    def definite(self, noun, plural=False, attribute=None):
        """"The" has no counterpart in Chinese."""
        return NounPhrase(join([en("the"), attribute,
                                self.name_of(noun, plural)]),
                          3, plural, noun.en)

    def possessive(self, owner, noun, plural=False, attribute=None):
        """A possessor is a pronoun row or a noun phrase."""
        k = key()
        if isinstance(owner, tuple):
            head = Phrase([(owner[2], k)], [(owner[3], k), ("的", k)])
        else:
            head = join([owner, Phrase([("'s", k)], [("的", k)])])
        return NounPhrase(join([head, attribute,
                                self.name_of(noun, plural)]),
                          3, plural, noun.en)

    def number(self, top=12):
        """A small number, as a word or in digits."""
        n = 2 + int(self.pick.rng.random() * self.pick.rng.random()
                    * (top - 1))
        return str(n) if self.pick.chance(0.25) else n

    def portion(self, noun):
        """A quantity of a mass noun: "two cups of tea"."""
        container, measure = self.pick(PORTIONS[noun.en])
        k = key()
        if self.pick.chance(0.5):
            det, plural = Phrase([(article(container), k)], [("一", k)]), False
        else:
            n = 2 + int(self.pick.rng.random() * 4)
            det = unit(lex.english_number(n),
                       "两" if n == 2 else lex.chinese_number(n))
            plural = True
        word = lex.plural(container) if plural else container
        return NounPhrase(join([det, unit(word + " ~of", measure),
                                self.name_of(noun, False)]),
                          3, plural, noun.en)

    def pair(self, wear=None):
        """Shoes, socks and the like: "a pair of shoes"."""
        rows = [row for row in PAIRS if wear in (None, row[3])]
        plural, han, measure, _ = self.pick(rows, lambda row: row[0])
        k = key()
        if self.pick.chance(0.6):
            det, word = Phrase([("a", k)], [("一", k)]), "pair"
        else:
            n = self.pick([2, 3, 4])
            det = unit(lex.english_number(n), "两三四"[n - 2])
            word = "pairs"
        return NounPhrase(join([det, unit(word + " ~of", measure),
                                unit(plural, han)]), 3, True, plural)

    def indefinite(self, noun, decorated=0.2):
        """A new thing: with article, number or portion."""
        if noun.mass:
            if noun.en in PORTIONS and self.pick.chance(0.6):
                return self.portion(noun)
            return self.bare(noun)
        attribute = (self.attribute(noun)
                     if self.pick.chance(decorated) else None)
        how = self.pick.weighted([(6, "a"), (2, "some"), (1, "a few"),
                                  (3, self.number(9))])
        return self.counted(noun, how, attribute)

    def specific(self, noun, owner=None):
        """A known thing: demonstrative or possessive."""
        if noun.mass and noun.group != "task":
            return self.bare(noun)
        if noun.mass or noun.group in OWNABLE and self.pick.chance(0.6):
            owner = owner or self.pick(PRONOUNS, lambda row: row[0])
            return self.possessive(owner, noun)
        how = self.pick.weighted([(5, "this"), (5, "that"), (2, "these"),
                                  (1, "those")])
        return self.counted(noun, how)

    # ---- persons --------------------------------------------------------

    def pronoun(self, which=None):
        """A subject pronoun."""
        row = which or self.pick.weighted(
            [(8, PRONOUNS[0]), (3, PRONOUNS[1]), (4, PRONOUNS[2]),
             (4, PRONOUNS[3]), (3, PRONOUNS[4]), (3, PRONOUNS[5])])
        return NounPhrase(unit(row[0], row[3]), row[4], row[5], row[0])

    def name(self):
        """A person's name."""
        row = self.pick(NAMES, lambda fields: fields[0])
        return NounPhrase(unit(row[0], row[1]), 3, False, row[0])

    def relative(self, owner=None):
        """Somebody's relative or friend."""
        noun = self.noun(self.pick.weighted([(3, "kin"), (1, "mate")]))
        if owner is None:
            owner = self.pick.weighted(
                [(5, PRONOUNS[0]), (1, PRONOUNS[1]), (1, PRONOUNS[2]),
                 (1, PRONOUNS[3]), (1, PRONOUNS[4]), (1, None)])
        if noun.en in ("wife", "husband"):
            owner = self.spouse_owner(noun.en, owner)
        return self.possessive(owner or self.name(), noun)

    def spouse_owner(self, noun, owner):
        """An owner who may have a wife or a husband."""
        if owner and owner[0] in ("I", "you"):
            return owner
        sex = "m" if noun == "wife" else "f"
        if owner:
            return PRONOUNS[2 if sex == "m" else 3]
        row = self.pick([n for n in NAMES if n[2] == sex], lambda f: f[0])
        return NounPhrase(unit(row[0], row[1]), 3, False, row[0])

    def person(self):
        """A person known from the situation."""
        noun = self.noun("person human")
        kind = self.pick.weighted([(4, "the"), (2, "this"), (2, "that"),
                                   (1, "these")])
        if kind == "the" and noun.en in ("man", "woman", "boy", "girl"):
            kind = "that"
        if kind == "the":
            return self.definite(noun)
        return self.counted(noun, kind)

    def this_person(self):
        """A person pointed at."""
        return self.counted(self.noun("person human"), self.pick.weighted(
            [(4, "this"), (4, "that"), (1, "these")]))

    def two_people(self):
        """"Tom and Mary" or "Tom and my mother"."""
        first = self.name()
        second = self.relative(PRONOUNS[0]) if self.pick.chance(0.4) else (
            self.name())
        if first.tag == second.tag:
            return self.name()
        return NounPhrase(join([first, unit("and", "和"), second]),
                          3, True, first.tag + second.tag)

    def subject(self):
        """Somebody who acts."""
        return self.pick.weighted(
            [(48, self.pronoun), (20, self.relative), (16, self.name),
             (12, self.person), (4, self.two_people)])()

    def other(self, subject):
        """Somebody else than the subject, in the object form."""
        while True:
            kind = self.pick.weighted([(5, "pronoun"), (5, "relative"),
                                       (3, "name"), (2, "person")])
            if kind != "pronoun":
                found = {"relative": self.relative, "name": self.name,
                         "person": self.this_person}[kind]()
                if self.distinct(found, subject):
                    return found
                continue
            row = self.pick(PRONOUNS, lambda fields: fields[0])
            first = row[4] == 1 and subject.person == 1
            if first or row[0] == subject.tag:
                continue
            if row[4] == 3 and subject.person == 3 and row[0] != "them":
                if subject.tag in ("he", "she", "they"):
                    continue
            return NounPhrase(unit(row[1], row[3]), row[4], row[5], row[0])

    def distinct(self, found, subject):
        """Nobody meets himself, nor does Tom meet Tom's friend."""
        text = [word for word, _ in found.en]
        return not any(found.tag in name or name in text for name in
                       (subject.tag, subject.alias) if name)

    # ---- verbs ----------------------------------------------------------

    def conjugate(self, verb, tense, subject, neg=False, question=False):
        """Auxiliaries, adverbs of tense and aspect around a verb."""
        group = Group()
        a, n = key(), key()
        if tense in MODALS:
            return self.modal(group, verb, tense, subject, neg, question)
        if tense in ("present", "past"):
            self.simple(group, tense, subject, neg, question, a, n)
        elif tense == "progressive":
            group.aux = (subject.be(), a)
            group.pre = [zh("没", n), zh("在", a)] if neg else [zh("正在", a)]
        elif tense == "future":
            group.aux = ("will", a)
            group.pre = [zh("不", n) if neg else None, zh("会", a)]
        elif tense == "going":
            g = key()
            group.aux = (subject.be(), a)
            group.rest = [en("going", g), en("to")]
            group.pre = [zh("不", n) if neg else None, zh("打算", g)]
        elif tense == "can":
            group.aux = ("can", a)
            group.pre = [zh("不", n) if neg else None,
                         zh("会" if verb.skill else "能", a)]
        else:
            self.perfect(group, tense, subject, a)
        self.finish(group, verb, tense, subject, neg, question, a, n)
        return group

    def simple(self, group, tense, subject, neg, question, a, n):
        """Present and past, with do-support where English needs it."""
        if neg or question:
            group.aux = (subject.do(tense == "past"), a)
        if neg:
            group.pre = [zh("没" if tense == "past" else "不", n)]

    def perfect(self, group, tense, subject, a):
        """"Have" with an adverb that decides the Chinese aspect."""
        group.aux = (subject.have(), a)
        adverb = {"already": "已经", "just": "刚", "never": "从来没",
                  "yet": "还没"}.get(tense)
        if tense == "yet":
            n, y = key(), key()
            group.rest = [en("not", n)]
            group.tail = [en("yet", y)]
            group.pre = [zh("还", y), zh("没", n)]
        elif adverb:
            word = unit(tense, adverb)
            group.rest, group.pre = [word], [word]

    def modal(self, group, verb, tense, subject, neg, question):
        """Modal verbs; those with "to" inflect like full verbs."""
        _, han, negated, inflects = MODALS[tense]
        a, k, n = key(), key(), key()
        words = tense.split()
        if inflects == "y":
            form = ("base" if neg or question else "present")
            if neg or question:
                group.aux = (subject.do(), a)
            group.rest = [en(english_form(words[0], form, subject), k),
                          en("to")]
        else:
            group.aux, k = (words[0], a), a
        if neg and negated.startswith("不") and negated[1:] == han:
            group.pre = [zh("不", n), zh(han, k)]
        elif neg:
            group.pre = [zh(negated, n | k)]
        else:
            group.pre = [zh(han, k)]
        self.finish(group, verb, tense, subject, neg, question, a, n)
        return group

    def finish(self, group, verb, tense, subject, neg, question, a, n):
        """Negation word, main verb, aspect and question particle."""
        v = verb.key
        if neg and tense != "yet" and group.aux:
            self.negate(group, n, a)
        form = {"present": "present", "past": "past",
                "progressive": "gerund", "already": "participle",
                "just": "participle", "never": "participle",
                "yet": "participle", "perfect": "participle"}.get(
                    tense, "base")
        if tense in ("present", "past") and (neg or question):
            form = "base"
        text = english_form(verb.base, form, subject)
        group.rest.append(verb_words(verb, text, v))
        group.head = verb_head(verb, v)
        group.tail_zh = [zh(verb.tail, v)]
        if tense in ("past", "already", "just") and not neg:
            group.aspect = zh("了", v)
        if tense in ("perfect", "never"):
            group.aspect = zh("过", a)
        if question:
            group.particle = zh("吗", a)

    def negate(self, group, n, a):
        """Insert "not", or contract it with the auxiliary."""
        word = group.aux[0]
        if word in CONTRACTIONS and self.pick.chance(0.4):
            group.aux = (CONTRACTIONS[word], a | n)
        elif word == "can":
            group.aux = ("cannot", a | n)
        else:
            group.rest.insert(0, en("not", n))

    def clause(self, subject, phrase, tense, neg=False, time=None,
               front=False, adverb=None, then=None):
        """A statement."""
        group = self.conjugate(phrase.verb, tense, subject, neg)
        aux = en(*group.aux) if group.aux else None
        order = [subject, aux, adverb] + group.rest + phrase.english
        order += group.tail + [None if front else time]
        order = [time if front else None] + order
        han = [time if front else None, subject, None if front else time,
               then, adverb] + self.predicate(group, phrase)
        return join(order, han)

    def predicate(self, group, phrase):
        """The Chinese predicate from the modal to the object."""
        self.merge_zai(group, phrase)
        middle = [group.aspect] + group.tail_zh + phrase.after
        if phrase.final_le:
            middle = group.tail_zh + phrase.after + [group.aspect]
        return group.pre + phrase.before + [group.head] + middle

    def merge_zai(self, group, phrase):
        """正在 before a place in 在 keeps only one 在."""
        place = next((p.zh for p in phrase.before if p and p.zh), None)
        pre = next((p for p in reversed(group.pre) if p), None)
        if (place and pre and place[0][0] == "在"
                and pre.zh[-1][0] in ("正在", "在")):
            text, keys = pre.zh[-1]
            pre.zh = [(text[:-1], keys)] if text[:-1] else []

    def question(self, subject, phrase, tense, time=None):
        """A yes-no question."""
        group = self.conjugate(phrase.verb, tense, subject, question=True)
        order = ([en(*group.aux), subject] + group.rest + phrase.english
                 + group.tail + [time])
        body = self.predicate(group, phrase)
        if tense == "past":
            aspect, group.aspect = group.aspect, None
            body = self.predicate(group, phrase) + [aspect]
        return join(order, [subject, time] + body + [group.particle])

    def asked(self, word, han, subject, phrase, tense, time=None):
        """A question with why, when, where or how before the verb."""
        mark = unit(word, han)
        group = self.conjugate(phrase.verb, tense, subject, question=True)
        order = ([mark, en(*group.aux), subject] + group.rest
                 + phrase.english + [time])
        if tense == "past" and not phrase.final_le:
            group.aspect = None
        if word == "when" and tense == "future":
            group.pre = []
        # A past event is asked for with a final 的 (你什么时候买的).
        close = (zh("的", group.aux[1]) if tense == "past" and word in
                 ("when", "where", "how") else None)
        return join(order, [subject, time, mark]
                    + self.predicate(group, phrase) + [close])

    def imperative(self, phrase, polite=True, neg=False):
        """A request."""
        v = phrase.verb.key
        words = verb_words(phrase.verb, phrase.verb.base, v)
        lead = unit("please", "请") if polite else None
        if neg:
            lead = join([lead, unit("~do not", "不要")])
        return join([lead, words] + phrase.english,
                    [lead] + phrase.before + [verb_head(phrase.verb, v),
                                              zh(phrase.verb.tail, v)]
                    + phrase.after)

    def who_clause(self, head, phrase, tense, neg=False, time=None):
        """A noun phrase with a relative clause about its subject."""
        who = key()
        group = self.conjugate(phrase.verb, tense, head, neg)
        group.aspect = None if tense == "past" else group.aspect
        order = [en("who", who), en(*group.aux) if group.aux else None]
        order += group.rest + phrase.english + group.tail + [time]
        return join(order, [time] + self.predicate(group, phrase)
                    + [zh("的", who)])

    def that_clause(self, subject, phrase, tense, time=None):
        """A relative clause about the object: "that I bought"."""
        that = key()
        group = self.conjugate(phrase.verb, tense, subject)
        order = [en("that", that), subject,
                 en(*group.aux) if group.aux else None]
        order += group.rest + phrase.english + [time]
        group.aspect = None if tense == "past" else group.aspect
        return join(order, [subject, time] + self.predicate(group, phrase)
                    + [zh("的", that)])

    def with_relative(self, noun, relative, how="the"):
        """Noun with a relative clause, which goes before it in Chinese."""
        name = self.name_of(noun, False)
        if how == "the":
            return NounPhrase(join([en("the"), name, relative],
                                   [relative, name]), 3, False, noun.en)
        det = self.determiner(noun, how, None)
        return NounPhrase(join([det, name, relative],
                               [det, relative, name]), 3, False, noun.en)

    # ---- lists ----------------------------------------------------------

    def listing(self, items, word="and", han="和"):
        """"a, b and c" with 、 between the first ones."""
        body = []
        for item in items[:-2]:
            body.append(glue(item, ",", "、"))
        return join(body + [items[-2], unit(word, han), items[-1]])


def verb_words(verb, text, v):
    """English words of a verb; a particle shares the key."""
    return en(text, v)


def verb_head(verb, v):
    """The Chinese head of a verb."""
    return zh(verb.head, v)


ADJECTIVES = lex.rows(lex.ADJECTIVE_TABLE)
COLORS = lex.rows(lex.COLOR_TABLE)
NAMES = lex.rows(lex.NAME_TABLE)
PAIRS = lex.rows(lex.PAIR_TABLE)
COLORED = {"clothes", "car", "bike", "furniture", "container", "headwear"}
OWNABLE = {"read", "clothes", "headwear", "car", "bike", "furniture",
           "container", "small", "dish", "device", "text", "room", "task"}

CUP, GLASS, BOTTLE = ("cup", "杯"), ("glass", "杯"), ("bottle", "瓶")
BOWL, PIECE, KILO = ("bowl", "碗"), ("piece", "块"), ("kilo", "公斤")
BAG, BOX, PLATE = ("bag", "袋"), ("box", "盒"), ("plate", "盘")

PORTIONS = {
    "water": [GLASS, BOTTLE, CUP], "tea": [CUP], "coffee": [CUP],
    "green tea": [CUP], "milk": [GLASS, BOTTLE, CUP],
    "juice": [GLASS, BOTTLE], "beer": [GLASS, BOTTLE],
    "wine": [GLASS, BOTTLE], "cola": [GLASS, BOTTLE],
    "soy milk": [GLASS, CUP], "lemonade": [GLASS, BOTTLE],
    "rice": [BOWL], "bread": [PIECE], "meat": [PIECE, KILO],
    "fish": [PIECE, KILO], "chicken": [PIECE, KILO], "beef": [PIECE, KILO],
    "cheese": [PIECE], "tofu": [PIECE], "chocolate": [PIECE, BOX],
    "ice cream": [BOX], "salad": [PLATE], "fruit": [BAG, KILO, PLATE],
}
