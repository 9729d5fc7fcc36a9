"""Sentence types of the corpus, from one word to long narratives.

A builder returns (phrase, mark), where the mark is the final punctuation.
"""

import corpus_en_zh_lexicon as lex
from corpus_en_zh_core import Phrase, en, glue, join, key, unit, zh
from corpus_en_zh_actions import (ACTIVITIES, CITIES, DAYS,
                                  LANGUAGES, REGIONS, SPORTS, Actions,
                                  words)
from corpus_en_zh_grammar import (ADJECTIVES, COLORED, COLORS, OWNABLE,
                                  PORTIONS, PRONOUNS, NounPhrase, Verb,
                                  VerbPhrase, article)

WEATHER = lex.rows(lex.WEATHER_TABLE)
WEATHER_VERBS = lex.rows(lex.WEATHER_VERBS)
GREETINGS = lex.rows(lex.GREETING_TABLE)
ROUTINES = lex.rows(lex.ROUTINE_TABLE)
GERUNDS = [row for row in ACTIVITIES if "g" in row[4]]
INDOORS = [row for row in ACTIVITIES if row[1] in (
    "the piano", "the guitar", "the violin", "chess", "cards", "video games",
    "housework", "yoga", "code") or row[0] in ("rest", "cook")]
OUTDOORS = [row for row in ACTIVITIES if row[0] in ("run", "camp", "hike")
            or row[1] in ("a walk", "football", "tennis", "mountains")]
PREPOSITIONS = dict(lex.rows(lex.PREPOSITION_TABLE))

# Feelings that "a little" suits.
UNPLEASANT = {"tired", "busy", "hungry", "thirsty", "sad", "angry",
              "nervous", "worried", "lonely", "surprised", "noisy",
              "boring", "difficult", "expensive", "heavy", "dirty", "shy",
              "old", "fat"}

AILMENTS = [("a headache", "头疼"), ("a cold", "感冒了"),
            ("a fever", "发烧了"), ("a toothache", "牙疼"),
            ("a stomachache", "肚子疼")]

CURRENCIES = [("yuan", "元"), ("dollars", "美元"), ("euros", "欧元"),
              ("pounds", "英镑")]

SURFACES = "table desk bed sofa chair"


class Sentences(Actions):
    """Everything from greetings to narratives."""

    # ---- copula ---------------------------------------------------------

    def be(self, subject, complement, kind, neg=False, question=False,
           time=None, degree=None, past=False, adverb=None, tail=None):
        """"Be" with a noun (是), an adjective (很) or a place (在)."""
        b, n = key(), key()
        word = subject.be(past)
        aux, negation = en(word, b), en("not", n)
        if not neg:
            negation = None
        elif word in ("is", "are") and self.pick.chance(0.4):
            aux, negation = en(word + "n't", b | n), None
        han = {"noun": "是", "place": "在", "adjective": "很"}[kind]
        mark = zh(han, b)
        if kind == "adjective" and (neg or question or degree):
            mark = None
        # Adjectives that begin with 有 are negated with 没.
        first = complement.zh[0][0] if kind == "adjective" else ""
        no = zh("没" if first.startswith("有") else "不", n) if neg else None
        order = [aux, subject] if question else [subject, aux]
        order += [negation, adverb, degree, complement, tail, time]
        close = zh("吗", b) if question else None
        after = (Phrase([], degree.close) if degree is not None
                 and hasattr(degree, "close") else None)
        return join(order, [subject, time, adverb, no, tail, mark, degree,
                            complement, after, close])

    def degree(self, row):
        """"very", "too" and so on before an adjective, or None."""
        kind = self.pick.weighted([(10, None), (4, "very"), (2, "too"),
                                   (2, "really"), (2, "a little")])
        if kind in ("a little", "too") and row[0] not in UNPLEASANT:
            kind = "very"
        if kind is None:
            return None
        if kind == "too":
            k = key()
            degree = Phrase([("too", k)], [("太", k)])
            degree.close = [("了", k)]
            return degree
        return unit(*{"very": ("very", "非常"),
                      "really": ("really", "真的很"),
                      "a little": ("a little", "有点儿")}[kind])

    def feeling(self, subject=None, **options):
        """"My mother is tired.\""""
        subject = subject or self.subject()
        # Only a passing mood goes with a time.
        traits = not options.get("time") and self.pick.chance(0.4)
        row = self.adjective("person", "FP" if traits else "F")
        if options.get("neg") or options.get("question"):
            degree = None
        else:
            degree = self.degree(row)
        return self.be(subject, unit(row[0], row[2]), "adjective",
                       degree=degree, **options)

    def described_thing(self):
        """A subject and the adjective classes that suit it."""
        group = self.pick("read show clothes car furniture furniture device "
                          "animal place area room task idea event bike headwear "
                          "text container fruit staple drink snack opening "
                          "field gerund kin person".split())
        if group == "field":
            row = self.field()
            return NounPhrase(words(row), tag=row[0]), "Q"
        if group == "gerund":
            return self.gerund(), "G"
        kinds = lex.NOUN_ADJECTIVES[group]
        noun = self.noun(group)
        if group == "kin":
            return self.relative(), kinds
        if noun.mass:
            if self.pick.chance(0.5):
                return self.definite(noun), kinds
            return self.counted(noun, self.pick(["this", "that"]))\
                if group == "drink" else self.definite(noun), kinds
        how = self.pick.weighted([(4, "the"), (3, "this"), (3, "that"),
                                  (2, "these"), (1, "those"), (3, "my"),
                                  (1, "all")])
        if how == "my" and group in ("read clothes car device bike room "
                                     "furniture container headwear".split()):
            owner = self.pick([0, 1, 2, 3, 4, 5, 6])
            if owner == 6:
                return self.possessive(self.name(), noun), kinds
            return self.possessive(PRONOUNS[owner], noun), kinds
        if how in ("the", "my", "all"):
            return self.definite(noun, self.pick.chance(0.2)), kinds
        return self.counted(noun, how), kinds

    def gerund(self):
        """"Swimming" as a noun."""
        row = self.pick(GERUNDS, lambda r: r[0])
        return NounPhrase(unit(lex.gerund(row[0]), row[2] + row[3]),
                          tag=row[0])

    def description(self):
        """"The book is interesting." in its variants."""
        subject, kinds = self.described_thing()
        row = self.adjective("", kinds)
        options = self.pick.weighted([(10, {}), (2, {"neg": True}),
                                      (2, {"question": True})])
        degree = None if options else self.degree(row)
        mark = "?" if "question" in options else "."
        return self.be(subject, unit(row[0], row[2]), "adjective",
                       degree=degree, **options), mark

    def color(self):
        """"My car is red.\""""
        noun = self.noun(" ".join(sorted(COLORED)))
        row = self.pick(COLORS, lambda r: r[0])
        subject = self.pick.weighted([
            (2, lambda: self.definite(noun)),
            (3, lambda: self.possessive(self.pick(PRONOUNS,
                                                  lambda r: r[0]), noun)),
            (2, lambda: self.possessive(self.name(), noun)),
            (2, lambda: self.counted(noun, "this"))])()
        complement = unit(row[0], row[1] + "的")
        neg = self.pick.chance(0.15)
        return self.be(subject, complement, "noun", neg=neg), "."

    def profession(self):
        """"My uncle is a doctor.\""""
        noun = self.noun("person")
        subject = self.pick.weighted([(3, self.relative), (3, self.name),
                                      (3, self.single_pronoun)])()
        attribute = self.attribute(noun) if self.pick.chance(0.25) else None
        options = self.pick.weighted([(8, {}), (2, {"neg": True}),
                                      (2, {"question": True})])
        what = (self.counted(noun, "a", attribute) if not options
                else self.plain_kind(noun, attribute))
        mark = "?" if "question" in options else "."
        return self.be(subject, what, "noun", **options), mark

    def plain_kind(self, noun, attribute):
        """"a doctor" as a kind, without a number in Chinese."""
        first = attribute.en[0][0] if attribute else noun.en
        return join([en(article(first)), attribute,
                     unit(noun.en, noun.zh)])

    def single_pronoun(self):
        """I, you, he or she."""
        return self.pronoun(PRONOUNS[self.pick([0, 1, 2, 3])])

    def identity(self):
        """"This is my key.", "Those are my friends.\""""
        k = key()
        noun = self.noun("kin mate small read clothes device car bike "
                         "container room dish")
        owner = self.pick(PRONOUNS + [None], str) or self.name()
        what = self.possessive(owner, noun)
        if noun.group in ("kin", "mate"):
            shape = "this"
        else:
            shape = self.pick(["this", "that"])
        subject = NounPhrase(Phrase([(shape, k)],
                                    [({"this": "这", "that": "那"}[shape],
                                      k)]))
        options = self.pick.weighted([(5, {}), (1, {"neg": True}),
                                      (2, {"question": True})])
        mark = "?" if "question" in options else "."
        return self.be(subject, what, "noun", **options), mark

    # ---- likes ----------------------------------------------------------

    def liked_kind(self):
        """A kind of thing that people like."""
        return self.pick.weighted([(34, "field"), (12, "sport"),
                                   (12, "gerund"), (14, "food"),
                                   (8, "animal"), (6, "language"),
                                   (6, "show"), (8, "two"), (4, "place")])

    def liked(self, kind):
        """Something that one likes, in general."""
        if kind == "field":
            return self.field_list()
        if kind in ("sport", "language"):
            table = SPORTS if kind == "sport" else LANGUAGES
            return words(self.pick(table, lambda r: r[0]))
        if kind == "gerund":
            return self.gerund()
        if kind == "two":
            return self.two_kinds()
        if kind == "place":
            return words(self.pick(CITIES, lambda r: r[0]))
        group = {"food": "fruit snack staple drink", "animal": "animal",
                 "show": "show read jazz music"}[kind]
        return self.bare(self.noun(group))

    def two_kinds(self, conjunction=("and", "和")):
        """"apples and bananas"."""
        group = self.pick(["fruit", "snack", "staple", "drink", "animal",
                           "show"])
        first, second = self.noun(group), self.noun(group)
        if first is second:
            return self.bare(first)
        return join([self.bare(first), unit(*conjunction),
                     self.bare(second)])

    def liking(self):
        """"I love deep learning.", "She does not like dogs.\""""
        subject = self.subject()
        verb = self.pick(["love", "like", "love", "like", "hate"])
        form = self.pick.weighted([(12, "plain"), (2, "neg"), (3, "ask"),
                                   (2, "much"), (1, "really"), (1, "also")])
        what = self.liked(self.liked_kind())
        phrase = VerbPhrase(Verb(verb, "讨厌" if verb == "hate" else "喜欢"),
                            [what], after=[what])
        if form == "ask" and subject.person != 1:
            return self.question(subject, phrase, "present"), "?"
        if form == "neg" and verb == "like":
            return self.clause(subject, phrase, "present", neg=True), "."
        if form == "much" and verb != "hate":
            much = unit("very much", "非常")
            phrase.english.append(much)
            phrase.before.append(much)
        adverb = {"really": ("really", "真的"),
                  "also": ("also", "也")}.get(form)
        return self.clause(subject, phrase, "present",
                           adverb=unit(*adverb) if adverb else None), "."

    def loving_a_person(self):
        """"I love my mother.\""""
        subject = self.subject()
        rows = [row for row in lex.rows(lex.PERSON_VERB_TABLE)
                if "s" in row[2]]
        row = self.pick(rows, lambda r: r[0] + "person")
        who = self.other(subject)
        phrase = VerbPhrase(Verb(row[0], row[1]), [who], after=[who])
        form = self.pick.weighted([(8, "plain"), (2, "neg"), (2, "ask")])
        if form == "ask" and subject.person != 1:
            return self.question(subject, phrase, "present"), "?"
        return self.clause(subject, phrase, "present",
                           neg=form == "neg"), "."

    def studying(self):
        """Fields and languages in many tenses."""
        tense = self.pick.weighted([
            (8, "present"), (4, "progressive"), (3, "future"),
            (3, "want to"), (2, "going"), (2, "should"), (2, "like to"),
            (1, "can"), (1, "hope to"), (1, "plan to")])
        subject = self.subject()
        kind = self.pick(["study", "learn", "list"])
        if kind == "list":
            what = self.field_list()
            phrase = VerbPhrase(Verb("study", "学习"), [what], after=[what])
        else:
            phrase = self.study(tense, subject)
        if (tense == "present" and subject.person != 1
                and self.pick.chance(0.35)):
            return self.question(subject, phrase, tense), "?"
        time = (self.time_for(tense) if self.pick.chance(0.35)
                and tense in ("present", "progressive", "future") else None)
        return self.clause(subject, phrase, tense,
                           neg=self.pick.chance(0.08)
                           and tense in ("present", "future"),
                           time=time), "."

    # ---- actions --------------------------------------------------------

    def tense(self):
        """A tense for a statement."""
        return self.pick.weighted([
            (26, "present"), (26, "past"), (14, "progressive"),
            (12, "future"), (5, "going"), (5, "perfect"), (3, "never"),
            (4, "already"), (2, "just"), (3, "yet"), (5, "can"),
            (4, "should"), (3, "must"), (6, "want to"), (3, "need to"),
            (3, "have to"), (2, "plan to"), (2, "hope to"), (3, "like to"),
            (2, "intend to")])

    def statement(self, subject=None, tense=None, timed=None):
        """A statement about what somebody does."""
        subject = subject or self.subject()
        tense = tense or self.tense()
        neg = self.pick.chance(0.13) and self.may_negate(tense)
        phrase = self.action(tense, subject, neg)
        time, front, adverb = None, False, None
        chance = {"past": 0.7, "future": 0.7, "present": 0.6,
                  "progressive": 0.3, "going": 0.5, "want to": 0.25,
                  "have to": 0.4, "plan to": 0.5, "must": 0.2}.get(tense, 0)
        if self.pick.chance(chance) if timed is None else timed:
            time = (self.near_past() if tense == "past" and phrase.final_le
                    else self.time_for(tense))
            front = self.pick.chance(0.15)
        elif tense == "present" and not neg and self.pick.chance(0.85):
            adverb = words(self.pick(lex.rows(lex.FREQUENCY_TABLE),
                                     lambda r: r[0]))
        elif not neg and self.pick.chance(0.06) and tense in (
                "present", "want to", "like to"):
            adverb = unit("also", "也")
        return self.clause(subject, phrase, tense, neg, time, front, adverb)

    def may_negate(self, tense):
        """Whether a tense has a negation of its own."""
        return tense in ("present", "past", "progressive", "future", "going",
                         "can", "should", "want to", "need to", "have to",
                         "plan to", "like to")

    def action_statement(self):
        """A statement with its full stop."""
        return self.statement(), "."

    def asked_person(self):
        """A subject of questions: anybody but the speaker."""
        subject = self.subject()
        return (self.pronoun(PRONOUNS[1]) if subject.person == 1
                else subject)

    def yes_no(self):
        """A yes-no question."""
        tense = self.pick.weighted([
            (6, "present"), (6, "past"), (4, "progressive"), (4, "future"),
            (3, "can"), (4, "want to"), (2, "need to"), (2, "going"),
            (2, "like to"), (2, "should"), (3, "perfect")])
        subject = self.asked_person()
        if self.pick.chance(0.5):
            subject = self.pronoun(PRONOUNS[1])
        phrase = self.action(tense, subject, question=True)
        time = (self.time_for(tense) if tense in ("past", "future")
                and self.pick.chance(0.4) else None)
        return self.question(subject, phrase, tense, time), "?"

    def wh_question(self):
        """Questions with a question word."""
        return self.pick.weighted([
            (4, self.why), (4, self.when), (4, self.where_is),
            (4, self.what_do), (4, self.who_does), (3, self.who_is),
            (3, self.how_go), (3, self.how_many), (2, self.how_old),
            (3, self.which), (3, self.whose), (2, self.where_live),
            (2, self.how_much), (2, self.what_color)])(), "?"

    def why(self):
        """"Why did you sell your car?", "Why is she sad?\""""
        subject = self.asked_person()
        if self.pick.chance(0.4):
            return self.why_be(subject, self.adjective("person", "F"))
        tense = self.pick(["past", "present", "want to"])
        phrase = self.action(tense, subject, question=True)
        return self.asked("why", "为什么", subject, phrase, tense)

    def why_be(self, subject, row):
        """"Why are you so tired?\""""
        mark, so = unit("why", "为什么"), unit("so", "这么")
        adjective = unit(row[0], row[2])
        return join([mark, en(subject.be()), subject, so, adjective],
                    [subject, mark, so, adjective])

    def when(self):
        """"When will you go to Paris?\""""
        subject = self.asked_person()
        if self.pick.chance(0.3):
            row = self.pick(ROUTINES, lambda r: r[0])
            phrase = VerbPhrase(Verb(row[0], row[1].replace(" ", "")))
            return self.asked("when", "什么时候", subject, phrase, "present")
        tense = self.pick(["past", "future", "want to", "going"])
        phrase = self.action(tense, subject, question=True)
        if phrase.final_le:
            tense, phrase = "want to", self.going("want to", subject)
        return self.asked("when", "什么时候", subject, phrase, tense)

    def where_is(self):
        """"Where is the bank?\""""
        noun = self.noun("place small cat dog bird rabbit horse device kin")
        if noun.group == "kin":
            thing = self.relative()
        elif noun.group == "place":
            thing = self.definite(noun)
        else:
            thing = self.possessive(self.pick(PRONOUNS, lambda r: r[0]),
                                    noun)
        where, b = unit("where", "哪里"), key()
        return join([where, en(thing.be(), b), thing],
                    [thing, zh("在", b), where])

    def where_live(self):
        """"Where does your aunt live?\""""
        subject = self.asked_person()
        verb, han = self.pick([("live", "住在"), ("work", "在"),
                               ("come from", "来自"), ("want to go", "想去")],
                              str)
        where, v = unit("where", "哪里"), key()
        order = [where, en(subject.do()), subject]
        if verb == "work":
            return join(order + [en(verb, v)],
                        [subject, zh("在"), where, zh("工作", v)])
        if verb == "want to go":
            w = key()
            return join(order + [en("want", w), en("to"), en("go", v)],
                        [subject, zh("想", w), zh("去", v), where])
        return join(order + [en(verb, v)], [subject, zh(han, v), where])

    def what_do(self):
        """"What are you reading?\""""
        subject = self.asked_person()
        rows = [("eat", "吃"), ("drink", "喝"), ("read", "读"),
                ("watch", "看"), ("buy", "买"), ("cook", "做"),
                ("draw", "画"), ("write", "写"), ("look for", "找"),
                ("study", "学习"), ("do", "做"), ("need", "需要")]
        base, han = self.pick(rows, lambda r: r[0] + "what")
        what = unit("what", "什么")
        if base == "need":
            tense = "present"
        else:
            tense = self.pick(["progressive", "want to", "like to",
                               "future", "past"])
        phrase = VerbPhrase(Verb(base, han), after=[what])
        group = self.conjugate(phrase.verb, tense, subject, question=True)
        time = (self.time_for(tense) if tense in ("past", "future")
                and self.pick.chance(0.6) else None)
        return join([what, en(*group.aux), subject] + group.rest + [time],
                    [subject, time] + self.predicate(group, phrase))

    def who_does(self):
        """"Who wants to drink tea?\""""
        who = NounPhrase(unit("who", "谁"), tag="who")
        tense = self.pick(["past", "present", "want to", "can",
                           "progressive", "future"])
        phrase = self.action(tense, who)
        time = (self.time_for(tense) if tense in ("past", "future")
                and self.pick.chance(0.3) else None)
        return self.clause(who, phrase, tense, time=time)

    def who_is(self):
        """"Who is that man?\""""
        thing = self.pick.weighted([
            (3, lambda: self.counted(self.noun("human person"),
                                     self.pick(["this", "that"]))),
            (2, lambda: self.possessive(
                self.pick(PRONOUNS, lambda r: r[0]), self.noun("mate"))),
            (1, lambda: self.single_pronoun())])()
        who, b = unit("who", "谁"), key()
        return join([who, en(thing.be(), b), thing],
                    [thing, zh("是", b), who])

    def how_go(self):
        """"How do you go to the airport?\""""
        subject = self.asked_person()
        goal, _ = self.destination()
        phrase = VerbPhrase(Verb("go", "去"), [en("to"), goal], after=[goal])
        tense = self.pick(["present", "past", "want to", "plan to"])
        return self.asked("how", "怎么", subject, phrase, tense)

    def how_many(self):
        """"How many books do you have?\""""
        noun = self.noun("read small animal clothes device mate person fruit")
        many = unit("how many", "多少")
        name = self.name_of(noun, True)
        if noun.group in ("person", "animal") or self.pick.chance(0.3):
            spot = self.spot_for(noun.group)
            there = key()
            return join([many, name, en("are there", there), spot],
                        [spot, zh("有", there), many, name])
        subject = self.asked_person()
        verb = self.pick([("have", "有"), ("need", "需要"),
                          ("want to buy", "想买")], str)
        if noun.group in ("mate", "person"):
            verb = ("have", "有")
        v = key()
        if verb[0] == "want to buy":
            w = key()
            tail = ([en("want", w), en("to"), en("buy", v)],
                    [zh("想", w), zh("买", v)])
        else:
            tail = ([en(verb[0], v)], [zh(verb[1], v)])
        return join([many, name, en(subject.do()), subject] + tail[0],
                    [subject] + tail[1] + [many, name])

    def spot_for(self, group):
        """A spot where persons, animals or things may be."""
        if group in ("person", "human", "mate"):
            return self.spot("in", self.noun("room park library school "
                                             "hospital restaurant"))
        if group == "animal":
            return self.spot("in", self.noun("zoo park garden village "
                                             "forest"))
        if group in ("fruit", "dish"):
            return self.spot(*self.pick([
                ("on", lex.nouns_named("table")),
                ("in", lex.nouns_named("basket")),
                ("in", lex.nouns_named("refrigerator"))], lambda r: r[0]))
        # Only the noun that is used may count as used.
        preposition, classes = self.pick.weighted([
            (4, ("on", SURFACES)), (3, ("in", "container")),
            (1, ("under", SURFACES))])
        return self.spot(preposition, self.noun(classes))

    def spot(self, preposition, noun, place=None):
        """"on the table": the noun comes first in Chinese."""
        place = place or self.definite(noun)
        relation = unit(preposition, PREPOSITIONS[preposition])
        return join([relation, place], [place, relation])

    def how_old(self):
        """"How old is your son?\""""
        who = self.pick([self.relative, self.name, self.single_pronoun],
                        str)()
        old = unit("how old", "多大")
        return join([old, en(who.be()), who], [who, old])

    def which(self):
        """"Which book do you like?\""""
        noun = self.noun("read show clothes sound fruit snack animal place "
                         "area device car")
        if noun.mass:
            noun = self.noun("read show")
        subject = self.asked_person()
        verb = self.pick([("like", "喜欢"), ("prefer", "更喜欢"),
                          ("want", "想要")] if noun.group in
                         ("fruit", "snack", "read", "clothes", "device")
                         else [("like", "喜欢"), ("prefer", "更喜欢")], str)
        k, v = key(), key()
        which = Phrase([("which", k)], [("哪", k), (noun.measure, k)])
        name = self.name_of(noun, False)
        return join([which, name, en(subject.do()), subject,
                     en(verb[0], v)],
                    [subject, zh(verb[1], v), which, name])

    def whose(self):
        """"Whose umbrella is this?\""""
        noun = self.noun("small clothes headwear device bike car container "
                         "read")
        whose, b, t = unit("whose", "谁的"), key(), key()
        name = self.name_of(noun, False)
        word, han = self.pick([("this", "这"), ("that", "那")], str)
        return join([whose, name, en("is", b), en(word, t)],
                    [zh(han, t), zh("是", b), whose, name])

    def priced(self):
        """A thing with a price."""
        noun = self.noun("clothes read furniture furniture device "
                         "container bike headwear small")
        return self.counted(noun, self.pick(["this", "that"]))

    def how_much(self):
        """"How much is this shirt?\""""
        thing, much = self.priced(), unit("how much", "多少钱")
        return join([much, en("is"), thing], [thing, much])

    def what_color(self):
        """"What color is your car?\""""
        noun = self.noun(" ".join(sorted(COLORED)))
        thing = self.possessive(self.pick(PRONOUNS, lambda r: r[0]), noun)
        what, color, b = unit("what", "什么"), unit("color", "颜色"), key()
        return join([what, color, en("is", b), thing],
                    [thing, zh("是", b), what, color, zh("的", b)])

    # ---- numbers, prices, ages, dates -----------------------------------

    def price(self):
        """"This shirt costs 20 dollars.\""""
        thing = self.priced()
        n = self.pick([5, 8, 10, 12, 15, 20, 25, 30, 35, 40, 50, 60, 80, 90,
                       99, 100, 120, 150, 200, 250, 300, 500, 800])
        count = (unit(str(n), str(n)) if self.pick.chance(0.5) else
                 Phrase([(w, k) for k in [key()] for w in
                         lex.english_number(n).split()] , []))
        if not count.zh:
            count.zh = [(lex.chinese_number(n), count.en[0][1])]
        money = unit(*self.pick(CURRENCIES, lambda c: c[0]))
        return join([thing, unit("costs", "要"), count, money]), "."

    def age(self):
        """"My son is ten years old.\""""
        who = self.pick([self.relative, self.name, self.single_pronoun],
                        str)()
        low, high = AGES.get(who.tag, (8, 60))
        n = low + self.pick.rng.randrange(high - low)
        count = (unit(str(n), str(n)) if self.pick.chance(0.5) else
                 unit(lex.english_number(n), lex.chinese_number(n)))
        return join([who, en(who.be()), count, unit("years old", "岁")]), "."

    def today_is(self):
        """"Today is Monday.", "Today is May 3.\""""
        b = key()
        day = unit(*self.pick([("today", "今天"), ("tomorrow", "明天")], str))
        if self.pick.chance(0.4):
            date = words(self.pick(DAYS, lambda r: r[0]))
        else:
            date = self.date()
            date.en = date.en[1:]
        return join([day, en("is", b), date],
                    [day, zh("是", b), date]), "."

    def birthday(self):
        """"My birthday is on May 3.\""""
        owner = self.pick(PRONOUNS[:4] + [None], str)
        noun = unit("birthday", "生日")
        k = key()
        if owner:
            head = Phrase([(owner[2], k)], [(owner[3] + "的", k)])
        else:
            head = join([self.pick([self.name, self.relative], str)(),
                         Phrase([("'s", k)], [("的", k)])])
        if self.pick.chance(0.4):
            month = self.in_month()
            return join([head, noun, unit("is", "在"), month]), "."
        return join([head, noun, unit("is", "是"), self.date()]), "."

    def routine(self):
        """"I get up at seven o'clock every day.\""""
        subject = self.subject()
        row = self.pick([r for r in ROUTINES if r[0] != "go to school"
                         or AGES.get(subject.tag, (0, 0))[0] < 20],
                        lambda r: r[0])
        hours, part = ROUTINE_HOURS[row[0]]
        phrase = VerbPhrase(Verb(row[0], row[1].replace(" ", "")))
        day = self.pick.weighted([(3, None), (3, "part"), (2, "every"),
                                  (1, "weekday")])
        if day is None:
            time = self.clock(hours)
        elif day == "part":
            time = self.clock_with_day(join([en("in the"), unit(*part)]),
                                       hours)
        elif day == "every":
            time = self.clock_with_day(unit("every day", "每 天"), hours)
        else:
            time = self.clock_with_day(self.weekday(True), hours)
        tense, adverb = "present", None
        if self.pick.chance(0.25):
            tense = self.pick(["must", "want to", "have to", "should"])
        elif self.pick.chance(0.2):
            # 通常 stands before the time, "usually" before the verb.
            usually = unit("usually", "通常")
            adverb = Phrase(usually.en, [])
            time = Phrase(time.en, usually.zh + time.zh)
        return self.clause(subject, phrase, tense, time=time,
                           adverb=adverb), "."

    def lasted(self):
        """"She worked for ten hours yesterday.\""""
        time = self.pick.weighted([
            (4, lambda: None), (2, lambda: unit("yesterday", "昨天")),
            (2, lambda: unit("last night", "昨天晚上")),
            (2, self.weekday)])()
        return self.clause(self.subject(), self.lasting(), "past",
                           time=time), "."

    # ---- there is, have -------------------------------------------------

    def existence(self):
        """"There is a cat on the table.\""""
        group = self.pick.weighted([(3, "person human"), (3, "animal"),
                                    (5, "small read dish fruit"),
                                    (3, "place"), (3, "stored"),
                                    (4, "furniture device")])
        if group == "place":
            return self.place_exists()
        if group == "stored":
            return self.stored()
        noun = self.noun(group)
        if group == "furniture device":
            spot = self.spot("in", self.noun("room"))
        else:
            spot = self.spot_for(noun.group)
        return self.there_is(noun, spot)

    def there_is(self, noun, spot):
        """Existence of a countable thing at a spot."""
        how = self.pick.weighted([(5, "a"), (3, self.number(20)),
                                  (2, "some"), (2, "many"), (1, "a few"),
                                  (2, "ask"), (1, "no")])
        b = key()
        if how == "ask":
            thing = self.plain_kind(noun, None)
            return join([en("is there", b), thing, spot],
                        [spot, zh("有", b), thing, zh("吗", b)]), "?"
        if how == "no":
            name = self.name_of(noun, True)
            n = key()
            return join([en("there are", b), en("no", n), name, spot],
                        [spot, zh("没", n), zh("有", b), name]), "."
        attribute = (self.attribute(noun) if self.pick.chance(0.25)
                     else None)
        thing = self.counted(noun, how, attribute)
        return join([en("there " + thing.be(), b), thing, spot],
                    [spot, zh("有", b), thing]), "."

    def place_exists(self):
        """"There is a bank near the hotel.\""""
        first, second = self.noun("place"), self.noun("place")
        if first is second:
            return self.place_exists()
        spot = self.spot(self.pick(["near", "next to", "behind",
                                    "in front of"]), second)
        if self.pick.chance(0.2):
            area = self.pick(["city", "town", "village"])
            spot = self.spot("in", None, self.counted(
                lex.nouns_named(area), "this"))
        return self.there_is(first, spot)

    def stored(self):
        """"There is some milk in the refrigerator.\""""
        noun = self.noun("drink staple")
        spot = self.spot("in", lex.nouns_named("refrigerator"))
        if self.pick.chance(0.4):
            spot = self.spot("on", lex.nouns_named("table"))
        b, n = key(), key()
        name = self.name_of(noun, False)
        how = self.pick.weighted([(4, "some"), (2, "no"), (2, "ask"),
                                  (3, "portion")])
        if how == "ask":
            return join([en("is there any", b), name, spot],
                        [spot, zh("有", b), name, zh("吗", b)]), "?"
        if how == "no":
            return join([en("there is", b), en("no", n), name, spot],
                        [spot, zh("没", n), zh("有", b), name]), "."
        thing = (self.portion(noun) if how == "portion" else
                 NounPhrase(join([unit("some", "一些"), name])))
        return join([en("there " + thing.be(), b), thing, spot],
                    [spot, zh("有", b), thing]), "."

    def location(self):
        """"My keys are on the table.\""""
        noun = self.noun("small read animal device dish")
        group = noun.group
        owner = self.pick(PRONOUNS, lambda r: r[0])
        plural = group == "small" and self.pick.chance(0.3)
        wild = group == "animal" and noun.en not in (
            "cat", "dog", "bird", "rabbit", "horse")
        thing = (self.definite(noun) if wild or self.pick.chance(0.4)
                 else self.possessive(owner, noun, plural))
        spot = self.spot_for("dish" if group == "dish" else "small")
        if group == "device":
            spot = self.spot("in", self.noun("room"))
        if group == "animal":
            spot = self.spot(self.pick(["in", "behind", "in front of"]),
                             lex.nouns_named("garden")) if (
                noun.en not in ("cat", "dog", "bird", "rabbit")) else (
                    self.spot(self.pick(["under", "on", "next to",
                                         "behind"]),
                              self.noun("sofa table bed")))
        options = self.pick.weighted([(6, {}), (1, {"neg": True}),
                                      (2, {"question": True})])
        mark = "?" if "question" in options else "."
        return self.be(thing, spot, "place", **options), mark

    def place_location(self):
        """"The bank is next to the hotel.\""""
        first, second = self.noun("place"), self.noun("place")
        if first is second:
            return self.place_location()
        spot = self.spot(self.pick(["near", "next to", "behind",
                                    "in front of"]), second)
        return self.be(self.definite(first), spot, "place"), "."

    def distance(self):
        """"The hotel is far from the airport.\""""
        first, second = self.noun("place"), self.noun("place area")
        if first is second:
            return self.distance()
        row = self.pick([("far from", "远"), ("close to", "近")], str)
        word, prep = row[0].split()
        b, f = key(), key()
        start, goal = self.definite(first), self.definite(second)
        degree = unit("very", "非常") if self.pick.chance(0.3) else None
        mark = None if degree else zh("很", b)
        adj = key()
        return join([start, en("is", b), degree, en(word, adj),
                     en(prep, f), goal],
                    [start, zh("离", f), goal, mark, degree,
                     zh(row[1], adj)]), "."

    def having(self):
        """"I have two cats.", "Do you have a car?\""""
        subject = self.subject()
        noun = self.noun("small clothes animal device car bike read mate "
                         "headwear")
        if noun.group == "animal":
            noun = self.noun("cat dog bird rabbit horse")
        if noun.en in ("boss", "teacher"):
            noun = lex.nouns_named("friend")
        if noun.group == "mate" and self.pick.chance(0.4):
            noun = self.noun("son daughter")
        k = key()
        form = self.pick.weighted([(7, "plain"), (2, "neg"), (3, "ask")])
        if form == "plain":
            thing = self.indefinite(noun, 0.4)
            return join([subject, en(subject.have(), k), thing],
                        [subject, zh("有", k), thing]), "."
        thing = self.plain_kind(noun, None)
        a = key()
        if form == "ask" and subject.person != 1:
            return join([en(subject.do(), a), subject, en("have", k), thing],
                        [subject, zh("有", k), thing, zh("吗", a)]), "?"
        do = subject.do()
        if self.pick.chance(0.4):
            helper = en(do + "n't", a)
        else:
            helper = join([en(do), en("not", a)])
        return join([subject, helper, en("have", k), thing],
                    [subject, zh("没", a), zh("有", k), thing]), "."

    def wanting(self):
        """"I want a cup of tea.\""""
        subject = self.subject()
        noun = self.noun("drink snack fruit staple small clothes device "
                         "furniture")
        ask = subject.person != 1 and self.pick.chance(0.4)
        if ask and self.pick.chance(0.5):
            return self.choice(subject)
        thing = self.indefinite(noun, 0.3)
        verb = self.pick([("want", "想要"), ("need", "需要")], str)
        phrase = VerbPhrase(Verb(*verb), [thing], after=[thing])
        if ask:
            return self.question(subject, phrase, "present"), "?"
        return self.clause(subject, phrase, "present"), "."

    def choice(self, subject):
        """"Do you want tea or coffee?\""""
        w = key()
        drinks = self.pick(["drink", "staple", "fruit", "snack"])
        first, second = self.noun(drinks), self.noun(drinks)
        if first is second:
            second = lex.nouns_named("bread")
        if first is second:
            return self.choice(subject)
        what = join([self.bare(first), unit("or", "还是"),
                     self.bare(second)])
        return join([en(subject.do()), subject, en("want", w), what],
                    [subject, zh("想要", w), what]), "?"

    # ---- weather, health, origin ----------------------------------------

    def weather(self):
        """The weather as a phrase, for use in larger sentences too."""
        kind = self.pick.weighted([(4, "adjective"), (3, "verb"),
                                   (2, "place"), (2, "future")])
        if kind == "verb":
            row = self.pick(WEATHER_VERBS, lambda r: r[0])
            v, b = key(), key()
            return join([en("it"), en("is", b), en(lex.gerund(row[0]), v)],
                        [zh("正在", b), zh(row[1], v)])
        if kind == "future":
            row = self.pick(WEATHER_VERBS, lambda r: r[0])
            time = self.listed_or_day()
            return self.it_will(unit(row[0], row[1]), time)
        row = self.pick(WEATHER, lambda r: r[0])
        degree = unit("very", "非常") if self.pick.chance(0.35) else None
        b = key()
        mark = None if degree else zh("很", b)
        adjective = words(row)
        if kind == "place":
            city = words(self.pick(REGIONS, lambda r: r[0]))
            season = self.in_month()
            return join([en("it"), en("is", b), degree, adjective, en("in"),
                         city, season],
                        [city, season, mark, degree, adjective])
        past = self.pick.chance(0.4)
        day = (self.listed_time("t") if past else unit("today", "今天"))
        return join([en("it"), en("was" if past else "is", b), degree,
                     adjective, day],
                    [day, mark, degree, adjective])

    def listed_or_day(self):
        """A day to come."""
        return unit(*self.pick([("tomorrow", "明天"), ("tonight", "今天晚上"),
                                ("this afternoon", "今天下午"),
                                ("tomorrow morning", "明天早上"),
                                ("next week", "下个星期")], str))

    def it_will(self, verb, time):
        """"It will rain tomorrow.\""""
        will = unit("will", "会")
        if self.pick.chance(0.2):
            n = unit("not", "不")
            return join([en("it"), will, n, verb, time],
                        [time, n, will, verb])
        return join([en("it"), will, verb, time], [time, will, verb])

    def weather_sentence(self):
        """Weather with a full stop."""
        return self.weather(), "."

    def health(self):
        """"I have a headache.", "He feels tired.\""""
        subject = self.subject()
        if self.pick.chance(0.4):
            row = self.adjective("person", "F")
            return self.clause(subject, self.feel(row), "present"), "."
        return self.ailment(subject), "."

    def feel(self, row):
        """"feel tired"."""
        a = key()
        return VerbPhrase(Verb("feel", "觉得"), [en(row[0], a)],
                          after=[zh("很" + row[2], a)])

    def ailment(self, subject):
        """"She has a cold.\""""
        kind, han = self.pick(AILMENTS, lambda r: r[0])
        k = key()
        art, noun = kind.split()
        return join([subject, en(subject.have(), k), en(art, k),
                     en(noun, k)], [subject, zh(han, k)])

    def living(self):
        """"My uncle lives in Paris.", "They come from Japan.\""""
        subject = self.subject()
        region = words(self.pick(REGIONS, lambda r: r[0]))
        kind = self.pick(["live", "from", "work", "been", "capital"])
        if kind == "live":
            phrase = VerbPhrase(Verb("live", "住在"), [en("in"), region],
                                after=[region])
        elif kind == "from":
            phrase = VerbPhrase(Verb("come from", "来自"), [region],
                                after=[region])
        elif kind == "been":
            return self.been(subject, region), "."
        else:
            k = key()
            verb = ("work", "工作") if kind == "work" else ("study", "学习")
            spot = join([en("in", k), region], [zh("在", k), region])
            phrase = VerbPhrase(Verb(*verb), [spot], before=[spot])
        if subject.person != 1 and self.pick.chance(0.3):
            return self.question(subject, phrase, "present"), "?"
        return self.clause(subject, phrase, "present"), "."

    def been(self, subject, region):
        """"I have been to China.\""""
        v, h = key(), key()
        never = unit("never", "从来没") if self.pick.chance(0.35) else None
        return join([subject, en(subject.have(), h), never, en("been", v),
                     en("to"), region],
                    [subject, never, zh("去", v), zh("过", h), region])

    # ---- comparison -----------------------------------------------------

    def comparison(self):
        """"Tom is taller than his brother.\""""
        kind = self.pick.weighted([(5, "people"), (5, "things"),
                                   (3, "fields"), (2, "regions")])
        if kind == "people":
            first = self.pick([self.relative, self.name, self.pronoun],
                              str)()
            second = self.other(first)
            row = self.adjective("person")
            while row[0] in ("old", "young"):
                # Ages are compared with other words than these.
                row = self.adjective("person")
        elif kind == "fields":
            rows = [self.field() for _ in range(2)]
            if rows[0] == rows[1]:
                return self.comparison()
            first, second = [NounPhrase(words(r)) for r in rows]
            row = self.adjective("", "Q")
        elif kind == "regions":
            rows = [self.pick(CITIES, lambda r: r[0]) for _ in range(2)]
            if rows[0] == rows[1]:
                return self.comparison()
            first, second = [NounPhrase(words(r)) for r in rows]
            row = self.adjective("", "NL")
        else:
            noun = self.noun("read show clothes car furniture device animal "
                             "place room bike area")
            first, second = (self.counted(noun, "this"),
                             self.counted(noun, "that"))
            row = self.adjective(noun.group)
        return self.compared(first, second, row), "."

    def compared(self, first, second, row):
        """Comparative, equal or not-as degrees."""
        form = self.pick.weighted([(7, "more"), (2, "much"), (3, "as"),
                                   (2, "not")])
        be = first.be()
        adjective = key()
        if form in ("as", "not"):
            a, b, n = key(), key(), key()
            no = en("not", n) if form == "not" else None
            han = ([first, zh("没有", n), second] if form == "not" else
                   [first, zh("和", b), second, zh("一样", a)])
            return join([first, en(be), no, en("as", a),
                         en(row[0], adjective), en("as", b), second],
                        han + [zh(row[2], adjective)])
        much = key()
        than = key()
        return join([first, en(be),
                     en("much", much) if form == "much" else None,
                     en(row[1], adjective), en("than", than), second],
                    [first, zh("比", than), second, zh(row[2], adjective),
                     zh("得多", much) if form == "much" else None])

    def superlative(self):
        """"Anna is the smartest student in our class.\""""
        row = self.adjective("person", "P")
        form = (row[1].replace("more ", "most ") if "more " in row[1]
                else row[1][:-1] + "st")
        group, han, members = self.pick([
            ("class", "班", "student"), ("family", "家", "person"),
            ("school", "学校", "student teacher"),
            ("village", "村子", "person"),
            ("company", "公司", "engineer programmer manager secretary")],
            str)
        who = (self.possessive(PRONOUNS[0], self.noun("kin")) if group in ("family", "village")
               else self.pick([self.name, self.single_pronoun], str)())
        name = (unit("person", "人") if members == "person" else
                self.name_of(self.noun(members), False))
        owner, k, b = PRONOUNS[4], key(), key()
        team = join([unit(owner[2], owner[3]), unit(group, han)])
        best = Phrase([(w, k) for w in form.split()],
                      [("最" + row[2] + "的", k)])
        return join([who, en(who.be(), b), en("the"), best, name, en("in"),
                     team], [who, zh("是", b), team, best, name]), "."

    def what_a(self):
        """"What a beautiful city!\""""
        noun = self.noun("animal area place show clothes car furniture "
                         "human room event")
        row = self.adjective(noun.group)
        what = unit("what", "多么")
        return join([what, en(article(row[0])), unit(row[0], row[2] + "的"),
                     self.name_of(noun, False)]), "!"

    # ---- requests -------------------------------------------------------

    def request(self):
        """"Please close the door.", "Do not open the window.\""""
        subject = self.pronoun(PRONOUNS[1])
        kind = self.pick.weighted([(4, "ba"), (3, "give"), (3, "thing"),
                                   (2, "neg"), (2, "lets"), (1, "activity")])
        polite = self.pick.chance(0.75)
        if kind == "ba":
            phrase = self.request_ba(subject)
            return self.imperative(phrase, polite), "."
        if kind == "give":
            return self.give_me(polite), "."
        if kind == "lets":
            return self.lets(), "."
        if kind == "neg":
            phrase = self.thing_action("future", subject)
            return self.imperative(phrase, False, True), "."
        if kind == "activity":
            phrase = self.activity()
            return self.imperative(phrase, False, self.pick.chance(0.4)), "."
        phrase = self.pick.weighted([
            (2, lambda: self.person_action("future", subject)),
            (2, lambda: self.thing_action("future", subject))])()
        return self.imperative(phrase, True), "."

    def request_ba(self, subject):
        """A request in the 把 construction."""
        rows = [row for row in lex.rows(lex.VERB_TABLE)
                if "b" in row[3] and "f" in row[3]]
        row = self.pick(rows, lambda r: r[0] + "ba")
        return self.moved_object(row, self.noun(row[2]), subject)

    def give_me(self, polite):
        """"Please give me a cup of tea.\""""
        noun = self.noun("drink small dish read fruit snack")
        thing = self.indefinite(noun, 0.2)
        who = unit(*self.pick([("me", "我"), ("us", "我们"), ("him", "他"),
                               ("her", "她"), ("them", "他们")], str))
        phrase = VerbPhrase(Verb("give", "给"), [who, thing],
                            after=[who, thing])
        return self.imperative(phrase, polite)

    def lets(self):
        """"Let us go to the park.\""""
        subject = self.pronoun(PRONOUNS[4])
        phrase = self.pick.weighted([
            (2, lambda: self.going("future", subject)),
            (3, lambda: self.placed_activity(subject)),
            (2, lambda: self.going_to_do()),
            (2, lambda: self.thing_action("future", subject))])()
        k = key()
        lead = Phrase([("let", k), ("us", k)], [("让我们", k)])
        return join([lead, self.imperative(phrase, False)])

    # ---- short ----------------------------------------------------------

    def fragment(self):
        """Answers and greetings of a few words."""
        kind = self.pick.weighted([(3, "greet"), (4, "thing"), (3, "time"),
                                   (2, "yes"), (2, "place")])
        if kind == "greet":
            greeting = words(self.pick(GREETINGS, lambda r: r[0]))
            greeting.en[0] = (greeting.en[0][0].lower(), greeting.en[0][1])
            who = self.pick([self.name, self.job_title], str)()
            return join([glue(greeting, ",", "，"), who]), "."
        if kind == "thing":
            noun = self.noun(" ".join(sorted(set(lex.NOUNS) - {"kin"})))
            if noun.group in OWNABLE and self.pick.chance(0.4):
                return self.possessive(
                    self.pick(PRONOUNS, lambda r: r[0]), noun), "."
            return self.pick.weighted([
                (3, lambda: self.indefinite(noun, 0.6)),
                (1, lambda: self.relative()),
                (1, lambda: self.bare(noun))])(), "."
        if kind == "time":
            return self.time_for(self.pick(["past", "future",
                                            "present"])), "."
        if kind == "place":
            return self.spot_for(self.pick(["small", "animal"])), "."
        answer = self.pick([("yes", "是的"), ("no", "不")], str)
        short = self.be_short(answer[0] == "yes")
        return join([glue(unit(*answer), ",", "，"), short]), "."

    def job_title(self):
        """A person addressed by the profession."""
        noun = lex.nouns_named(self.pick(["doctor", "professor", "coach",
                                          "driver", "teacher", "boss"]))
        return self.name_of(noun, False)

    def be_short(self, positive):
        """The statement after "yes" or "no"."""
        subject = self.pick([self.single_pronoun, self.name,
                             self.relative], str)()
        return self.feeling(subject, neg=not positive)

    # ---- relative clauses -----------------------------------------------

    def relative_sentence(self):
        """"The man who lives in Paris is a doctor.\""""
        kind = self.pick.weighted([(5, "who"), (5, "that"), (3, "know")])
        if kind == "who":
            return self.who_sentence()
        if kind == "know":
            return self.know_somebody()
        return self.that_sentence()

    def who_relative(self, noun):
        """A relative clause about a person."""
        head = NounPhrase(unit("x", "y"), tag="he")
        tense = self.pick.weighted([(3, "past"), (3, "present"), (2, "can"),
                                    (3, "progressive"), (1, "want to")])
        phrase = self.action(tense, head)
        if phrase.final_le and not phrase.before:
            tense, phrase = "progressive", self.placed_activity(head)
        time = (self.listed_time("t") if tense == "past"
                and self.pick.chance(0.5) else None)
        return self.who_clause(head, phrase, tense, time=time)

    def who_sentence(self):
        """A person with a relative clause as subject."""
        noun = self.noun("human")
        subject = self.with_relative(noun, self.who_relative(noun))
        kind = self.pick(["job", "feeling", "kin", "adjective"])
        if kind == "job" and noun.en not in ("child", "boy", "girl"):
            job = self.counted(self.noun("person"), "a")
            return self.be(subject, job, "noun"), "."
        if kind == "kin":
            relative = lex.nouns_named(self.pick(KIN_OF[noun.en].split("/")))
            return self.be(subject, self.possessive(
                PRONOUNS[self.pick([0, 1])], relative), "noun"), "."
        row = self.adjective("person", "F" if kind == "feeling" else "P")
        return self.be(subject, unit(row[0], row[2]), "adjective",
                       degree=self.degree(row)), "."

    def know_somebody(self):
        """"I know a girl who can speak French.\""""
        noun = self.noun("human person")
        subject = self.pick([self.pronoun, self.name, self.relative], str)()
        person = self.with_relative(noun, self.who_relative(noun), "a")
        phrase = VerbPhrase(Verb("know", "认识"), [person], after=[person])
        if self.pick.chance(0.35):
            phrase = VerbPhrase(Verb("meet", "遇见"), [person],
                                after=[person])
            return self.clause(subject, phrase, "past",
                               time=None), "."
        return self.clause(subject, phrase, "present"), "."

    def that_sentence(self):
        """"The book that I bought yesterday is interesting.\""""
        rows = [("buy", "买", "read clothes car bike device furniture"),
                ("read", "读", "read text"), ("watch", "看", "show"),
                ("write", "写", "text"), ("eat", "吃", "fruit snack staple"),
                ("use", "用", "device"), ("drink", "喝", "drink"),
                ("visit", "参观", "museum school university zoo"),
                ("attend", "参加", "event"), ("borrow", "借", "read bike"),
                ("order", "点", "snack drink")]
        base, han, classes = self.pick(rows, lambda r: r[0] + "that")
        noun = self.noun(classes)
        subject = self.pronoun() if self.pick.chance(0.6) else (
            self.relative())
        time = self.listed_time("t") if self.pick.chance(0.55) else None
        relative = self.that_clause(subject, VerbPhrase(Verb(base, han)),
                                    "past", time)
        thing = self.with_relative(noun, relative)
        row = self.adjective(noun.group)
        if row is None:
            return self.that_sentence()
        return self.be(thing, unit(row[0], row[2]), "adjective",
                       degree=self.degree(row),
                       past=noun.group in ("show", "event", "fruit", "snack",
                                           "staple", "drink")), "."

    # ---- embedded clauses -----------------------------------------------

    def embedded(self, clause=None):
        """"She says that it will rain tomorrow.\""""
        subject = self.subject()
        verb, han, tense = ("think", "觉得", "present") if (
            subject.person == 1 and self.pick.chance(0.5)) else self.pick([
            ("say", "说", "present"), ("think", "觉得", "present"),
            ("know", "知道", "present"), ("hope", "希望", "present"),
            ("believe", "相信", "present"), ("say", "说", "past"),
            ("tell me", "告诉我", "past")], str)
        if verb == "say" and tense == "present" and subject.person == 1:
            verb, han = "know", "知道"
        if clause and verb == "hope":
            verb, han = "say", "说"
            if subject.person == 1:
                verb, han = "think", "觉得"
        inner = clause or self.inner_clause(verb)
        v = key()
        words_en = lex.past(verb) if tense == "past" else (
            lex.third(verb) if subject.third() else verb)
        if verb == "tell me":
            m = key()
            lead = ([subject, en("told", v), en("me", m)],
                    [subject, zh("告诉", v), zh("我", m)])
            if subject.tag in ("I", "we"):
                return self.embedded(clause)
        else:
            lead = ([subject, en(words_en, v)], [subject, zh(han, v)])
        return join(lead[0] + [en("that"), inner], lead[1] + [inner])

    def inner_clause(self, verb):
        """A clause that may be said, known or hoped."""
        subject = self.subject()
        if verb == "hope":
            phrase = self.action("can", subject)
            phrase = (phrase if not phrase.verb.skill else
                      self.going("can", subject))
            return self.clause(subject, phrase, "can")
        kind = self.pick.weighted([(5, "action"), (3, "field"),
                                   (2, "weather"), (3, "describe"),
                                   (2, "feeling")])
        if kind == "action":
            return self.statement(subject, self.pick(
                ["present", "future", "past", "can", "should", "going"]))
        if kind == "weather":
            return self.weather()
        if kind == "feeling":
            return self.feeling(subject)
        if kind == "field":
            row = self.adjective("", "Q")
            what = NounPhrase(words(self.field()))
            return self.be(what, unit(row[0], row[2]), "adjective",
                           degree=self.degree(row))
        return self.plain(self.description)

    def plain(self, builder):
        """The phrase of a builder that yields a statement."""
        while True:
            phrase, mark = builder()
            if mark == ".":
                return phrase

    # ---- compound sentences ---------------------------------------------

    def tied(self, first, word, han, second):
        """"A, but B": the comma belongs to the first clause."""
        return join([glue(first, ",", "，"),
                     unit(word, han) if han else en(word), second])

    def compound(self):
        """Two clauses that belong together."""
        return self.pick.weighted([
            (4, self.and_sentence), (5, self.but_sentence),
            (6, self.because_sentence), (5, self.so_sentence),
            (4, self.if_sentence), (3, self.when_sentence),
            (3, self.after_sentence), (3, self.before_sentence),
            (2, self.although_sentence), (2, self.contrast),
            (3, self.two_descriptions)])(), "."

    def and_sentence(self):
        """Two parallel statements."""
        tense = self.pick(["present", "past", "progressive", "future",
                           "want to"])
        first, second = self.subject(), self.subject()
        if first.tag == second.tag:
            return self.and_sentence()
        time = (None if tense == "present" else
                tense == "past" and self.pick.chance(0.3))
        return self.tied(self.statement(first, tense, time), "and", "",
                         self.statement(second, tense, False))

    def but_sentence(self):
        """Likes and dislikes, or wish and obstacle."""
        kind = self.pick(["like", "wish", "thing"])
        subject = self.pronoun() if self.pick.chance(0.5) else (
            self.subject())
        if kind == "like":
            kind = self.liked_kind()
            good = self.pick([("like", "喜欢"), ("love", "喜欢")], str)
            verbs = [good, ("hate", "讨厌")]
            if self.pick.chance(0.5):
                verbs.reverse()
            other = self.other_subject(subject)
            return self.tied(self.likes(subject, kind, verbs[0]), "but",
                             "但是", self.likes(other, kind, verbs[1]))
        if kind == "wish":
            return self.wish(subject)
        thing, kinds = self.described_thing()
        good = [row for row in ADJECTIVES if set(row[4]) & set(kinds)]
        if len(good) < 2:
            return self.but_sentence()
        a, b = self.pick(good, lambda r: r[2]), self.pick(
            good, lambda r: r[2])
        if (a[0], b[0]) not in CONTRASTS:
            return self.but_sentence()
        it = NounPhrase(thing, 3, thing.plural)
        return self.tied(self.be(it, unit(a[0], a[2]), "adjective"), "but",
                         "但是", self.be(
                             self.it_for(thing), unit(b[0], b[2]),
                             "adjective", degree=unit("very", "非常")))

    def it_for(self, thing):
        """"it" or "they" for a thing."""
        if thing.plural:
            return NounPhrase(unit("they", "它们"), 3, True)
        return NounPhrase(unit("it", "它"))

    def other_subject(self, subject):
        """A subject with another tag."""
        while True:
            found = self.subject()
            if found.tag != subject.tag:
                return found

    def likes(self, subject, kind, verb):
        """A plain statement of what somebody likes or hates."""
        what = self.liked(kind)
        phrase = VerbPhrase(Verb(*verb), [what], after=[what])
        return self.clause(subject, phrase, "present")

    def again(self, subject):
        """The pronoun that takes up a subject again."""
        found = self.pronoun(self.owner_of(subject))
        found.alias = subject.tag
        return found

    def wish(self, subject):
        """"I want to swim, but it is raining.\""""
        who = self.again(subject)
        kind = self.pick(["busy", "weather", "time", "money", "must"])
        if kind == "weather":
            phrase = self.pick([lambda: self.going("want to", subject),
                                self.going_to_do, lambda: self.activity(
                                    rows=OUTDOORS)], str)()
            obstacle = self.bad_weather()
        elif kind == "money":
            phrase = self.pick([lambda: self.buying(subject),
                                lambda: self.travel()], str)()
            obstacle = self.lacking(who, "money", "钱")
        else:
            phrase = self.action("want to", subject)
            obstacle = {"busy": lambda: self.be(
                who, unit(*self.pick([("tired", "累"), ("busy", "忙")], str)),
                "adjective", degree=unit(*self.pick(
                    [("very", "非常"), ("really", "真的很")], str))),
                "time": lambda: self.lacking(who, "time", "时间"),
                "must": lambda: self.clause(
                    who, self.chore(who), "have to")}[kind]()
        return self.tied(self.clause(subject, phrase, "want to"), "but",
                         "但是", obstacle)

    def lacking(self, who, what, han):
        """"I do not have time.\""""
        k, a = key(), key()
        what = unit(what, han)
        return join([who, en(who.do()), en("not", a), en("have", k), what],
                    [who, zh("没", a), zh("有", k), what])

    def bad_weather(self):
        """Weather that keeps one at home."""
        kind = self.pick(["now", "cold"])
        row = self.pick(WEATHER_VERBS, lambda r: r[0])
        b, v = key(), key()
        if kind == "now":
            return join([en("it"), en("is", b), en(lex.gerund(row[0]), v)],
                        [zh("正在", b), zh(row[1], v)])
        degree, day = unit("very", "非常"), unit("today", "今天")
        adjective = words(self.pick(WEATHER[:2], lambda r: r[0]))
        return join([en("it"), en("is", b), degree, adjective, day],
                    [day, degree, adjective])

    def buying(self, subject):
        """"buy a camera"."""
        noun = self.noun("device bike furniture furniture clothes headwear "
                         "small")
        thing = self.counted(noun, "a", self.attribute(noun))
        return VerbPhrase(Verb("buy", "买"), [thing], after=[thing])

    def travel(self):
        """"go to Japan"."""
        region = words(self.pick(REGIONS, lambda r: r[0]))
        return VerbPhrase(Verb("go", "去"), [en("to"), region],
                          after=[region])

    def chore(self, who):
        """Something that one has to do."""
        rows = [r for r in lex.rows(lex.VERB_TABLE) if r[0] in
                ("clean", "wash", "finish", "repair", "prepare", "write")
                and "f" in r[3]]
        row = self.pick(rows, lambda r: r[0] + "chore")
        noun = self.noun(row[2])
        thing = (self.indefinite(noun, 0) if row[0] == "write"
                 else self.specific(noun, self.owner_of(who)))
        return VerbPhrase(Verb(row[0], row[1]), [thing], after=[thing])

    def cause(self, subject):
        """A state and something that explains it."""
        state = self.pick(["tired", "happy", "sad", "hungry", "nervous",
                           "busy", "worried", "excited", "angry"])
        who = self.again(subject)
        row = next(r for r in ADJECTIVES if r[0] == state)
        reason = {
            "tired": lambda: self.clause(who, self.lasting_hard(), "past"),
            "happy": lambda: self.got(who),
            "sad": lambda: self.lost(who),
            "hungry": lambda: self.skipped(who),
            "nervous": lambda: self.duty(who, "exam"),
            "busy": lambda: self.clause(who, self.chore(who), "have to"),
            "worried": lambda: self.ailment(self.relative(
                self.owner_of(who))),
            "excited": lambda: self.trip(who),
            "angry": lambda: self.broke(who),
        }[state]()
        return self.be(subject, unit(row[0], row[2]), "adjective",
                       degree=self.degree_light(row)), reason

    def degree_light(self, row):
        """No degree or "very"."""
        return unit("very", "非常") if self.pick.chance(0.4) else None

    def lasting_hard(self):
        """Hours of effort."""
        verb = self.pick([("work", "工作"), ("study", "学习"),
                          ("exercise", "锻炼"), ("walk", "走"),
                          ("run", "跑")], str)
        n = 3 + self.pick.rng.randrange(8)
        length = join([unit(lex.english_number(n), lex.chinese_number(n)),
                       unit("hours", "个小时")])
        return VerbPhrase(Verb(*verb), [en("for"), length], after=[length])

    def got(self, who):
        """A piece of luck."""
        noun = self.noun("small bike device")
        if noun.group == "small" and self.pick.chance(0.7):
            thing = self.specific(noun, self.owner_of(who))
            phrase = VerbPhrase(Verb("find", "找到"), [thing], after=[thing])
            return self.clause(who, phrase, "past")
        thing = self.counted(noun, "a", self.attribute(noun))
        phrase = VerbPhrase(Verb("buy", "买"), [thing], after=[thing])
        return self.clause(who, phrase, "past",
                           time=self.listed_time("t") if
                           self.pick.chance(0.5) else None)

    def lost(self, who):
        """A loss."""
        row = ["lose", "弄丢", "small", "b", "弄丢"]
        return self.clause(who, self.moved_object(
            row, self.noun("small"), who), "past")

    def broke(self, subject):
        """Somebody's clumsiness."""
        culprit = self.other_subject(subject)
        verb = self.pick([["break", "", "plate bowl bottle cup", "b", "打破"],
                          ["lose", "", "small", "b", "弄丢"]], str)
        return self.clause(culprit, self.moved_object(
            verb, self.noun(verb[2]), subject), "past")

    def skipped(self, who):
        """A meal that was not eaten."""
        meal = self.bare(self.noun("meal"))
        phrase = VerbPhrase(Verb("eat", "吃"), [meal], after=[meal])
        return self.clause(who, phrase, self.pick(["past", "past"]),
                           neg=True)

    def duty(self, who, name):
        """"has an exam tomorrow"."""
        k, time = key(), self.listed_or_day()
        noun = lex.nouns_named(name)
        thing = self.counted(noun, "a")
        return join([who, en(who.have(), k), thing, time],
                    [who, time, zh("有", k), thing])

    def trip(self, who):
        """A journey to come."""
        return self.clause(who, self.travel(), "future",
                           time=self.listed_time("f"))

    def because_sentence(self):
        """"He is tired, because he worked for ten hours.\""""
        if self.pick.chance(0.25):
            return self.field_because()
        state, reason = self.cause(self.subject())
        return self.because(state, reason)

    def because(self, state, reason):
        """"State because reason" keeps its order in Chinese."""
        k = key()
        return join([state, en("because", k), reason],
                    [state, zh("，", k), zh("因为", k), reason])

    def field_because(self):
        """"I like physics because it is interesting.\""""
        subject = self.subject()
        field = words(self.field())
        verb = self.pick([("like", "喜欢"), ("love", "喜欢"),
                          ("study", "学习")], str)
        phrase = VerbPhrase(Verb(*verb), [field], after=[field])
        row = self.field_praise()
        it = NounPhrase(unit("it", "它"))
        return self.because(
            self.clause(subject, phrase, "present"),
            self.be(it, unit(row[0], row[2]), "adjective",
                    degree=self.degree_light(row)))

    def field_praise(self):
        """A reason to like a field."""
        name = self.pick(["interesting", "important", "useful"])
        return next(r for r in ADJECTIVES if r[0] == name and "Q" in r[4])

    def so_sentence(self):
        """"It rained, so we stayed at home.\""""
        if self.pick.chance(0.6):
            state, reason = self.cause(self.subject())
            return self.tied(reason, "so", "所以", state)
        subject = self.subject()
        state = self.pick(["hungry", "thirsty", "tired", "lonely", "sad"])
        row = next(r for r in ADJECTIVES if r[0] == state)
        who = self.again(subject)
        return self.tied(
            self.be(subject, unit(row[0], row[2]), "adjective",
                    degree=self.degree_light(row)),
            "so", "所以",
            self.clause(who, self.remedy(state, who), "want to"))

    def if_sentence(self):
        """"If it rains tomorrow, I will watch a movie.\""""
        i = key()
        subject = self.subject()
        who = self.again(subject)
        kind = self.pick(["weather", "time", "money", "feeling"])
        condition, phrase = {
            "weather": lambda: self.weather_plan(who),
            "time": lambda: (self.owning(subject, "time", "时间"),
                             self.action("future", who)),
            "money": lambda: (self.owning(subject, "money", "钱"),
                              self.pick([self.travel, lambda:
                                         self.buying(who)], str)()),
            "feeling": lambda: self.feeling_plan(subject, who)}[kind]()
        tense = self.pick(["future", "future", "can", "should"])
        if kind == "feeling" and tense == "can":
            tense = "future"
        then = zh("就", i) if tense == "future" else None
        main = self.clause(who, phrase, tense, then=then)
        condition = glue(condition, ",", "，")
        return join([en("if", i), condition, main],
                    [zh("如果", i), condition, main])

    def owning(self, subject, what, han):
        """"has time"."""
        k = key()
        what = unit(what, han)
        return join([subject, en(subject.have(), k), what],
                    [subject, zh("有", k), what])

    def weather_plan(self, who):
        """Weather to come and something to do indoors or outdoors."""
        day = self.listed_or_day()
        if self.pick.chance(0.5):
            row = self.pick(WEATHER_VERBS, lambda r: r[0])
            v = key()
            return (join([en("it"), en(lex.third(row[0]), v), day],
                         [day, zh(row[1], v)]), self.indoors(who))
        row = self.pick(WEATHER, lambda r: r[0])
        b, adjective = key(), words(row)
        condition = join([en("it"), en("is", b), adjective, day],
                         [day, zh("很", b), adjective])
        if row[0] in ("warm", "cool"):
            return condition, self.pick(
                [self.going_out, lambda: self.activity(rows=OUTDOORS)],
                str)()
        return condition, self.indoors(who)

    def going_out(self):
        """"go to the park"."""
        goal = self.definite(self.noun("park zoo garden forest"))
        return VerbPhrase(Verb("go", "去"), [en("to"), goal], after=[goal])

    def indoors(self, who):
        """Something to do in bad weather."""
        kind = self.pick(["read", "watch", "listen to", "activity", "clean",
                          "write"])
        if kind == "activity":
            return self.activity(rows=INDOORS)
        verb, han, classes = {
            "read": ("read", "读", "read"), "watch": ("watch", "看", "show"),
            "listen to": ("listen to", "听", "sound"),
            "clean": ("clean", "打扫", "room"),
            "write": ("write", "写", "text")}[kind]
        noun = self.noun(classes)
        thing = (self.specific(noun, self.owner_of(who)) if kind == "clean"
                 else self.indefinite(noun, 0.2))
        return VerbPhrase(Verb(verb, han), [thing], after=[thing])

    def feeling_plan(self, subject, who):
        """A feeling and what helps."""
        state = self.pick(["tired", "hungry", "thirsty", "sad", "lonely"])
        row = next(r for r in ADJECTIVES if r[0] == state)
        condition = self.be(subject, unit(row[0], row[2]), "adjective")
        return condition, self.remedy(state, who)

    def remedy(self, state, who, habit=False):
        """What helps against a feeling."""
        if state == "tired":
            return VerbPhrase(Verb(*self.pick(
                [("rest", "休息"), ("go home", "回家"),
                 ("go to bed", "睡觉")], str)))
        if state in ("hungry", "thirsty"):
            base, han, classes = (
                ("eat", "吃", "fruit snack staple") if state == "hungry"
                else ("drink", "喝", "drink"))
            noun = self.noun(classes)
            if habit:
                thing = self.bare(noun)
            elif noun.mass:
                thing = self.indefinite(noun)
            else:
                thing = self.counted(noun, self.pick(["a", "some"]))
            return VerbPhrase(Verb(base, han), [thing], after=[thing])
        if state == "sad" and self.pick.chance(0.5):
            noun = self.noun("sound show")
            base, han = (("watch", "看") if noun.group == "show" else
                         ("listen to", "听"))
            thing = self.indefinite(noun, 0)
            return VerbPhrase(Verb(base, han), [thing], after=[thing])
        other = self.other(who)
        verb = Verb("call", "打", "电话")
        return VerbPhrase(verb, [other],
                          before=[zh("给", verb.key), other])

    def when_sentence(self):
        """"When I am tired, I listen to music.\""""
        subject = self.subject()
        who = self.again(subject)
        if self.pick.chance(0.5):
            state = self.pick(["tired", "hungry", "thirsty", "sad",
                               "lonely", "happy", "nervous"])
            row = next(r for r in ADJECTIVES if r[0] == state)
            a = key()
            first = join([subject, en(subject.be()), en(row[0], a)],
                         [subject, zh(row[2], a)])
            phrase = (self.remedy(state, who, True) if state in (
                "tired", "hungry", "thirsty") else self.relaxing(who))
            second = self.clause(who, phrase, "present",
                                 adverb=words(self.pick(
                                     lex.rows(lex.FREQUENCY_TABLE)[:4],
                                     lambda r: r[0])))
        else:
            v = key()
            goal = self.located_goal()
            first = join([subject, en("arrived", v), goal],
                         [subject, zh("到", v), goal])
            other = self.other_subject(subject)
            second = self.past_progressive(other)
        return self.timed("when", "的时候", first, second)

    def relaxing(self, who):
        """A pastime: an activity, music, books or a talk."""
        if self.pick.chance(0.5):
            return self.activity(rows=OUTDOORS + INDOORS)
        base, han, classes = self.pick([
            ("listen to", "听", "sound"), ("read", "读", "read"),
            ("watch", "看", "show"), ("drink", "喝", "drink"),
            ("eat", "吃", "snack")], str)
        thing = self.bare(self.noun(classes))
        return VerbPhrase(Verb(base, han), [thing], after=[thing])

    def located_goal(self):
        """"at the station" after "arrived"."""
        goal = self.definite(self.noun("place"))
        return join([en("at"), goal], [goal])

    def past_progressive(self, subject):
        """"my mother was cooking"."""
        phrase = self.pick.weighted([
            (3, lambda: self.thing_action("progressive", subject)),
            (2, lambda: self.person_action("progressive", subject)),
            (2, self.activity)])()
        b = key()
        verb = phrase.verb
        return join([subject, en(subject.be(True), b),
                     en(lex.gerund(verb.base), verb.key)] + phrase.english,
                    [subject, zh("正在", b)] + phrase.before
                    + [zh(verb.head, verb.key), zh(verb.tail, verb.key)]
                    + phrase.after)

    def timed(self, word, han, first, second):
        """A clause of time goes before the main clause; its conjunction
        closes it in Chinese."""
        k, c = key(), key()
        return join([en(word, k), first, Phrase([(",", c)]), second],
                    [first, zh(han, k), zh("，", c), second])

    def deed(self, subject):
        """A finished deed for "after" and "before", as a gerund."""
        rows = [("finish", "做完", "homework job project exercise", "known"),
                ("eat", "吃", "meal", "bare"),
                ("watch", "看", "show", "this"),
                ("read", "读", "read", "this"),
                ("wash", "洗", "dish clothes", "known"),
                ("clean", "打扫", "room", "known"),
                ("visit", "参观", "museum zoo school", "the")]
        base, han, classes, how = self.pick(rows, lambda r: r[0] + "deed")
        noun = self.noun(classes)
        if how == "bare":
            thing = self.bare(noun)
        elif how == "this":
            thing = self.counted(noun, self.pick(["this", "that"]))
        elif how == "the":
            thing = self.definite(noun)
        else:
            thing = self.specific(noun, self.owner_of(subject))
        v = key()
        return join([en(lex.gerund(base), v), thing], [zh(han, v), thing])

    def after_sentence(self):
        """"After eating dinner, I watched a movie.\""""
        subject = self.subject()
        tense = self.pick(["past", "future", "want to"])
        phrase = self.action(tense, subject)
        if phrase.final_le:
            tense = "future"
            phrase = self.placed_activity(subject)
        return self.timed("after", "以后", self.deed(subject),
                          self.clause(subject, phrase, tense))

    def before_sentence(self):
        """"Before going to bed, she reads a book.\""""
        subject = self.subject()
        tense = self.pick(["present", "have to", "must", "should", "past"])
        if self.pick.chance(0.4):
            v = key()
            row = self.pick([("going to bed", "睡觉"), ("going home", "回家"),
                             ("going to work", "上班"),
                             ("going to school", "上学")], str)
            first = join([en(row[0], v)], [zh(row[1], v)])
        else:
            first = self.deed(subject)
        phrase = self.action(tense, subject)
        if phrase.final_le:
            tense = "must"
            phrase = self.chore(subject)
        return self.timed("before", "以前", first,
                          self.clause(subject, phrase, tense))

    def although_sentence(self):
        """"Although he is tired, he is still working.\""""
        subject = self.subject()
        row = self.adjective("person", "F")
        while row[0] in ("happy", "excited", "surprised", "thirsty"):
            row = self.adjective("person", "F")
        who = self.again(subject)
        phrase = self.pick([
            lambda: self.chore(who), lambda: self.chore(who),
            lambda: self.person_action("future", who),
            lambda: self.activity(rows=[r for r in ACTIVITIES if r[0] in (
                "work", "cook", "exercise", "do", "write")])], str)()
        k = key()
        first = glue(self.be(subject, unit(row[0], row[2]), "adjective",
                             degree=self.degree_light(row)), ",", "，")
        still = unit("still", "还是")
        group = self.clause(who, phrase, "have to", adverb=still)
        return join([en("although", k), first, group],
                    [zh("虽然", k), first, group])

    def two_descriptions(self):
        """"The kitchen is clean, and the bedroom is bright.\""""
        first, kinds = self.described_thing()
        second, others = self.described_thing()
        if first.tag == second.tag:
            return self.two_descriptions()
        a, b = self.adjective("", kinds), self.adjective("", others)
        return self.tied(
            self.be(first, unit(a[0], a[2]), "adjective",
                    degree=self.degree_light(a)), "and", "",
            self.be(second, unit(b[0], b[2]), "adjective",
                    degree=self.degree_light(b)))

    def contrast(self):
        """"My father is a doctor, and my mother is a teacher.\""""
        first, second = self.subject_single(), self.subject_single()
        if first.tag == second.tag:
            return self.contrast()
        jobs = [self.counted(self.noun("person"), "a") for _ in range(2)]
        return self.tied(self.be(first, jobs[0], "noun"), "and", "",
                         self.be(second, jobs[1], "noun"))

    def subject_single(self):
        """One person."""
        return self.pick([self.name, self.relative, self.relative,
                          lambda: self.pronoun(PRONOUNS[0])], str)()

    # ---- long sentences -------------------------------------------------

    def shopping(self):
        """"I bought two apples, three pears and a bottle of milk.\""""
        subject = self.subject()
        if self.pick.chance(0.3):
            return self.things_owned(subject), "."
        count = 2 + self.pick.rng.randrange(8)
        items, seen = [], set()
        while len(items) < count:
            noun = self.noun("fruit snack staple drink dish")
            if noun.en in seen:
                continue
            seen.add(noun.en)
            if self.pick.chance(0.12) and "pair" not in seen:
                seen.add("pair")
                items.append(self.pair())
            items.append(self.portion(noun) if noun.en in PORTIONS else
                         self.indefinite(noun, 0.1))
        things = self.listing(items)
        tense = self.pick(["past", "past", "want to", "need to", "future",
                           "have to"])
        where = self.located(lex.nouns_named(self.pick(
            ["supermarket", "market"])))
        verb = Verb("buy", "买")
        phrase = VerbPhrase(verb, [things], after=[things])
        if self.pick.chance(0.6):
            phrase.english.append(where)
            phrase.before.append(where)
        time = None
        if self.pick.chance(0.6) and tense in ("past", "future", "have to"):
            time = unit(*self.pick(
                [("yesterday", "昨天"), ("this morning", "今天 早上"),
                 ("yesterday afternoon", "昨天 下午")] if tense == "past"
                else [("tomorrow", "明天"), ("this afternoon", "今天 下午"),
                      ("tonight", "今天晚上")], str))
        return self.clause(subject, phrase, tense, time=time), "."

    def things_owned(self, subject):
        """"I need two shirts, a red coat and a pair of shoes.\""""
        count = 2 + self.pick.rng.randrange(4)
        items, seen = [self.pair()], set()
        while len(items) < count:
            noun = self.noun("clothes small read headwear container device "
                             "furniture")
            if noun.en not in seen:
                seen.add(noun.en)
                items.append(self.counted(noun, self.pick.weighted(
                    [(4, "a"), (2, self.number(6))]), self.attribute(noun)))
        items.append(items.pop(0))
        things = self.listing(items)
        verb = self.pick([("need", "需要"), ("want", "想要"),
                          ("have", "有")], str)
        return self.clause(subject, VerbPhrase(
            Verb(*verb), [things], after=[things]), "present")

    def several_people(self):
        """"Tom is reading a book, Anna is singing, and I am cooking.\""""
        tense = self.pick(["progressive", "past", "future", "want to",
                           "present"])
        count = 3 + self.pick.rng.randrange(4)
        clauses, seen = [], set()
        while len(clauses) < count:
            subject = self.subject()
            if subject.tag in seen:
                continue
            seen.add(subject.tag)
            clauses.append(self.statement(
                subject, tense, None if tense == "present" else False))
        body = [glue(c, ",", "，") for c in clauses[:-1]]
        return join(body + [en("and"), clauses[-1]]), "."

    def narrative(self):
        """"First we ..., then we ..., and finally we ....\""""
        subject = self.subject()
        who = subject
        tense = self.pick(["past", "future", "want to", "have to"])
        steps = [("first", "首先"), ("then", "然后"), ("after that", "接着"),
                 ("finally", "最后")]
        if self.pick.chance(0.5):
            steps.pop(2)
        clauses = []
        for word, han in steps:
            phrase = self.action(tense, who)
            clauses.append(join([unit(word, han),
                                 self.clause(who, phrase, tense)]))
            who = self.again(subject)
        body = [glue(c, ",", "，") for c in clauses[:-1]]
        return join(body + [en("and"), clauses[-1]]), "."

    def long_said(self):
        """A reported compound."""
        return self.embedded(self.compound()[0]), "."

    def long_compound(self):
        """Two compounds joined by "but" or "and"."""
        first = self.pick([self.because_sentence, self.so_sentence,
                           self.and_sentence], str)()
        second = self.pick([self.because_sentence, self.contrast,
                            self.embedded, self.two_descriptions], str)()
        if second is None:
            return self.long_compound()
        return self.tied(first, "and", "", second), "."

    def one_clause(self):
        """A sentence with one main clause."""
        return self.pick.weighted([
            (24, self.action_statement), (7, self.yes_no),
            (9, self.wh_question), (9, self.description), (3, self.color),
            (3, self.profession), (2, self.identity), (9, self.liking),
            (3, self.loving_a_person), (6, self.studying),
            (5, self.existence), (3, self.location),
            (1, self.place_location), (1, self.distance), (3, self.having),
            (3, self.wanting), (3, self.weather_sentence), (2, self.health),
            (3, self.living), (4, self.comparison), (1.5, self.superlative),
            (1, self.what_a), (5, self.request), (4, self.fragment),
            (2.5, self.price), (1.5, self.age), (1, self.today_is),
            (1.5, self.birthday), (3.5, self.routine), (3, self.lasted),
            (4, self.feeling_sentence), (5, self.relative_sentence),
            (5, lambda: (self.embedded(), "."))])()

    def short(self):
        """A sentence of a few words."""
        return self.pick.weighted([
            (5, self.fragment), (3, self.liking), (2, self.description),
            (2, self.feeling_sentence), (1, self.loving_a_person),
            (1, self.studying), (1, self.health), (1, self.what_a),
            (1, lambda: (self.who_is(), "?")), (1, self.weather_sentence)])()

    def feeling_sentence(self):
        """Feelings as statement, question or negation."""
        options = self.pick.weighted([(6, {}), (1, {"neg": True}),
                                      (2, {"question": True})])
        if not options and self.pick.chance(0.25):
            options = {"time": unit("today", "今天")}
        mark = "?" if "question" in options else "."
        subject = self.asked_person() if mark == "?" else self.subject()
        return self.feeling(subject, **options), mark

    def long(self):
        """A sentence with several clauses or a long list."""
        return self.pick.weighted([
            (4, self.shopping), (4, self.several_people),
            (5, self.narrative), (3, self.long_said),
            (4, self.long_compound)])()

    def any(self, size):
        """A sentence of the wanted kind, short to long."""
        return {"short": self.short, "simple": self.one_clause, "compound": self.compound,
                "long": self.long}[size]()


MORNING, AFTERNOON, EVENING = (("morning", "早上"), ("afternoon", "下午"),
                               ("evening", "晚上"))

# Hours and part of the day of every routine.
ROUTINE_HOURS = {
    "get up": ((5, 6, 7, 8, 9), MORNING),
    "go to bed": ((8, 9, 10, 11), EVENING),
    "go to work": ((6, 7, 8, 9), MORNING),
    "go home": ((3, 4, 5, 6), AFTERNOON),
    "go to school": ((6, 7, 8, 9), MORNING),
    "start work": ((7, 8, 9, 10), MORNING),
    "leave home": ((6, 7, 8, 9), MORNING),
    "have a rest": ((1, 2, 3, 4), AFTERNOON)}

# Plausible ages by relation; 8 to 60 for everybody else.
AGES = {"grandmother": (60, 95), "grandfather": (60, 95),
        "mother": (35, 70), "father": (35, 70), "uncle": (25, 70),
        "aunt": (25, 70), "wife": (23, 70), "husband": (23, 70),
        "boss": (28, 65), "teacher": (25, 65), "colleague": (22, 65),
        "son": (2, 35), "daughter": (2, 35), "classmate": (8, 23)}

# Whom a person seen from afar may turn out to be.
KIN_OF = {"man": "father/grandfather/older brother/husband/uncle/boss",
          "woman": "mother/grandmother/older sister/wife/aunt/teacher",
          "boy": "son/younger brother/classmate",
          "girl": "daughter/younger sister/classmate",
          "child": "son/daughter", "tourist": "friend/colleague/neighbor"}

# Pairs of adjectives that make sense around "but".
CONTRASTS = {(a, b) for pair in (
    ("expensive", "beautiful"), ("expensive", "comfortable"),
    ("expensive", "useful"), ("expensive", "fast"), ("cheap", "old"),
    ("cheap", "beautiful"), ("old", "beautiful"), ("old", "clean"),
    ("old", "useful"), ("small", "beautiful"), ("small", "clean"),
    ("small", "comfortable"), ("difficult", "interesting"),
    ("difficult", "important"), ("difficult", "useful"),
    ("boring", "important"), ("boring", "useful"), ("small", "smart"),
    ("fat", "cute"), ("lazy", "smart"), ("lazy", "cute"),
    ("small", "fast"), ("old", "fast"), ("small", "strong"),
    ("strong", "lazy"), ("young", "brave"), ("young", "smart"),
    ("shy", "friendly"), ("small", "famous"), ("quiet", "small"),
    ("old", "healthy"), ("rich", "lazy"), ("small", "quiet"))
    for a, b in (pair, pair[::-1])}
