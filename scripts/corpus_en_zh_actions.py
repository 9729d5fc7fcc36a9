"""What people do: verb phrases with fitting objects, places and times."""

import corpus_en_zh_lexicon as lex
from corpus_en_zh_core import Phrase, en, join, key, unit, zh
from corpus_en_zh_grammar import (PRONOUN_BY_SUBJECT, Grammar, Verb,
                                  VerbPhrase)

VERBS = lex.rows(lex.VERB_TABLE)
PERSON_VERBS = lex.rows(lex.PERSON_VERB_TABLE)
ACTIVITIES = lex.rows(lex.ACTIVITY_TABLE)
TIMES = lex.rows(lex.TIME_TABLE)
DAYS = lex.rows(lex.DAY_TABLE)
MONTHS = lex.rows(lex.MONTH_TABLE)
FIELDS = lex.rows(lex.FIELD_TABLE)
LANGUAGES = lex.rows(lex.LANGUAGE_TABLE)
REGIONS = lex.rows(lex.REGION_TABLE)
CITIES = REGIONS[15:]
SPORTS = lex.rows(lex.SPORT_NOUNS)

# The letter of the uses column that a tense asks for.
USE_OF_TENSE = {"present": "h", "progressive": "p", "past": "t",
                "already": "t", "just": "t", "yet": "t", "perfect": "e",
                "never": "e"}

# Where things are done; places after "at", areas and rooms after "in".
PLACES_FOR = {
    "eat": "restaurant kitchen park office", "drink": "restaurant garden",
    "buy": "supermarket market", "read": "library bedroom park garden",
    "watch": "living_room bedroom", "cook": "kitchen", "cut": "kitchen",
    "write": "office library classroom",
    "listen to": "bedroom living_room garden", "order": "restaurant",
    "draw": "park garden classroom", "discuss": "office classroom",
    "play football": "park school", "play basketball": "park school gym",
    "play tennis": "park school", "play badminton": "park gym",
    "play volleyball": "park school", "swim": "swimming_pool lake river",
    "run": "park forest", "dance": "park theater",
    "exercise": "gym park", "chat": "office living_room garden",
    "shop": "shopping_mall supermarket", "fish": "lake",
    "do yoga": "gym park living_room", "play chess": "park living_room",
    "take a walk": "park forest garden", "camp": "forest mountain",
    "work": "office factory bank hospital hotel restaurant",
    "take photos": "zoo park garden museum", "sing": "bathroom theater",
    "play the piano": "living_room theater", "rest": "bedroom hotel",
    "ski": "mountain",
    "surf the internet": "coffee_shop library", "write code": "office",
}

# What people like to do together.
SHARED = set("eat drink buy watch cook prepare discuss organize attend visit "
             "repair move clean draw read".split()) | {"listen to",
                                                       "look for"}
# What one does alone.
ALONE = {"take a shower", "rest", "work", "exercise"}

# Areas that serve as the goal of "go to".
GOALS = "place place place garden town island forest village"

# Nouns of the place class that stand after "in" all the same.
INSIDE = {"park", "zoo", "swimming pool"}


FEMALE = ({row[0] for row in lex.rows(lex.NAME_TABLE) if row[2] == "f"}
          | {"mother", "grandmother", "older sister", "younger sister",
             "wife", "daughter", "aunt", "girl", "woman", "nurse"})

def female(tag):
    """Whether a pronoun for the tag is "she"."""
    return tag in FEMALE


def words(row):
    """A table row as a phrase."""
    return unit(row[0], row[1])


class Actions(Grammar):
    """Verb phrases."""

    # ---- place, company, time -------------------------------------------

    def located(self, noun):
        """"at the bank" or "in the kitchen"."""
        k = key()
        place = self.definite(noun)
        if noun.group == "place" and noun.en not in INSIDE:
            return join([en("at", k), place], [zh("在", k), place])
        if noun.en in ("mountain", "island", "bridge", "street"):
            return join([en("on", k), place],
                        [zh("在", k), place, zh("上", k)])
        return join([en("in", k), place],
                    [zh("在", k), place, zh("里", k)])

    def place_for(self, verb):
        """A place where the verb is usually done, or None."""
        names = PLACES_FOR.get(verb)
        if not names:
            return None
        noun = lex.nouns_named(self.pick(names.split()).replace("_", " "))
        return self.located(noun)

    def company(self, subject):
        """"with my friend": 和 ... 一起 before the verb."""
        k = key()
        other = self.other(subject)
        return (join([en("with", k), other]),
                join([zh("和", k), Phrase([], other.zh), zh("一起", k)]))

    def adjuncts(self, phrase, subject, place=0.3, company=0.12):
        """Add a place or a companion to a verb phrase."""
        base = phrase.verb.base
        where = self.place_for(base) if self.pick.chance(place) else None
        if where:
            phrase.english.append(where)
            phrase.before.insert(0, where)
        elif base in SHARED and self.pick.chance(company):
            english, han = self.company(subject)
            phrase.english.append(english)
            phrase.before.insert(0, han)
        return phrase

    def clock(self, hours=tuple(range(1, 13))):
        """"at seven o'clock", "at half past seven" or "at 7:30"."""
        hour = self.pick.rng.choice(hours)
        word = lex.english_number(hour)
        han = "两" if hour == 2 else lex.chinese_number(hour)
        kind = self.pick.weighted([(4, "full"), (2, "half"), (3, "digits"),
                                   (1, "quarter")])
        if kind == "full":
            return join([en("at"), unit(word + " o'clock", han + " 点")])
        if kind == "digits":
            minute = self.pick(["00", "15", "30", "45", "10", "20"])
            text = "%d:%s" % (hour, minute)
            return join([en("at"), unit(text, text)])
        part = {"half": ("half past", "半"),
                "quarter": ("a quarter past", "一刻")}[kind]
        number = unit(word, han + "点")
        rest = unit(part[0], part[1])
        return join([en("at"), rest, number], [number, rest])

    def clock_with_day(self, day, hours=tuple(range(1, 13))):
        """"at seven o'clock tomorrow": the day comes first in Chinese."""
        clock = self.clock(hours)
        return join([clock, day], [day, clock])

    def date(self):
        """"on May 3" or "on May 3, 2015", in digits."""
        month = self.pick(MONTHS, lambda row: row[0])
        day = str(1 + self.pick.rng.randrange(28))
        k, d = key(), key()
        if self.pick.chance(0.5):
            return join([en("on"), Phrase([(month[0], k), (day, d)],
                                          [(month[2], k), ("月", k),
                                           (day, d), ("日", d)])])
        y = key()
        year = self.year()
        english = [(month[0], k), (day + ",", d), (year, y)]
        return join([en("on"), Phrase(english, [
            (year, y), ("年", y), (month[2], k), ("月", k), (day, d),
            ("日", d)])])

    def year(self):
        """A year of the recent past."""
        return str(self.pick(list(range(1990, 2026))))

    def in_year(self):
        """"in 2015"."""
        k, year = key(), self.year()
        return Phrase([("in", frozenset()), (year, k)], [(year, k), ("年", k)])

    def ago(self):
        """"three days ago"."""
        n = 2 + self.pick.rng.randrange(9)
        unit_en, unit_zh = self.pick([("days", "天"), ("weeks", "个星期"),
                                      ("months", "个月"), ("years", "年"),
                                      ("hours", "个小时")])
        count = unit(lex.english_number(n),
                     "两" if n == 2 else lex.chinese_number(n))
        return join([count, unit(unit_en, unit_zh), unit("ago", "前")])

    def from_now(self):
        """"in three days"."""
        n = 2 + self.pick.rng.randrange(9)
        unit_en, unit_zh = self.pick([("days", "天"), ("weeks", "个星期"),
                                      ("months", "个月"), ("years", "年"),
                                      ("hours", "个小时")])
        k = key()
        count = unit(lex.english_number(n),
                     "两" if n == 2 else lex.chinese_number(n))
        span = unit(unit_en, unit_zh)
        return join([en("in", k), count, span], [count, span, zh("后", k)])

    def listed_time(self, kind):
        """A time phrase of the table."""
        return words(self.pick([row for row in TIMES if row[2] == kind],
                               lambda row: row[0]))

    def weekday(self, every=False):
        """"on Monday" or "on Mondays"."""
        row = self.pick(DAYS, lambda fields: fields[0])
        if every:
            return join([en("on"), unit(row[0] + "s", "每个" + row[1])])
        return join([en("on"), words(row)])

    def in_month(self):
        """"in May" or "in spring"."""
        table = self.pick.weighted([(3, MONTHS),
                                    (1, lex.rows(lex.SEASON_TABLE))])
        return join([en("in"), words(self.pick(table, lambda r: r[0])[:2])])

    def day_part(self):
        """"in the morning"."""
        return join([en("in the"), unit(*self.pick(
            [("morning", "早上"), ("afternoon", "下午"),
             ("evening", "晚上")], str))])

    def near_past(self):
        """A time of the last few days."""
        return self.pick.weighted([
            (4, lambda: unit(*self.pick(
                [("yesterday", "昨天"), ("last night", "昨天晚上"),
                 ("this morning", "今天 早上"),
                 ("yesterday afternoon", "昨天 下午")], str))),
            (2, self.weekday)])()

    def time_for(self, tense):
        """A time phrase that fits the tense."""
        pick = self.pick.weighted
        if tense in ("present", "like to"):
            return pick([(7, lambda: self.listed_time("h")),
                         (2, self.clock), (3, lambda: self.weekday(True)),
                         (5, self.in_month), (2, self.day_part)])()
        if tense == "past":
            return pick([(6, lambda: self.listed_time("t")),
                         (1, self.in_year), (1, self.date), (2, self.ago),
                         (2, self.weekday), (4, self.in_month),
                         (1, lambda: self.clock_with_day(
                             unit("yesterday", "昨天")))])()
        if tense == "progressive":
            return self.listed_time("n")
        return pick([(6, lambda: self.listed_time("f")),
                     (1, self.from_now), (2, self.weekday), (1, self.clock),
                     (3, self.in_month),
                     (1, lambda: self.clock_with_day(
                         unit("tomorrow", "明天")))])()

    # ---- verb phrases ---------------------------------------------------

    def thing_action(self, tense, subject, neg=False, question=False):
        """A verb with a thing as object."""
        letter = USE_OF_TENSE.get(tense, "f")
        moved = tense in ("past", "already", "just") and not neg
        fitting = [row for row in VERBS
                   if letter in row[3] or (moved and "b" in row[3])]
        if tense in ("already", "just", "yet"):
            fitting = [row for row in fitting if row[0] not in (
                "look for", "see", "find", "wear")]
        row = self.pick(fitting, lambda r: r[0] + r[1] + "v")
        noun = self.noun(row[2])
        if noun.en in ("dress", "skirt", "necklace") and row[0] == "wear":
            taker = self.owner_of(subject)
            if taker[0] == "he":
                noun = self.noun("shirt coat" if row[1] == "穿" else "hat")
        if moved and "b" in row[3]:
            return self.moved_object(row, noun, subject)
        verb = Verb(row[0], row[1])
        thing = self.object_for(row, noun, letter, subject,
                                neg or question)
        return VerbPhrase(verb, [thing], after=[thing])

    def moved_object(self, row, noun, subject):
        """The 把 construction for a known object."""
        verb = Verb(row[0], row[4])
        thing = self.known_object(noun, subject)
        ba = zh("把", verb.key)
        phrase = VerbPhrase(verb, [thing], before=[ba, thing])
        phrase.final_le = True
        return phrase

    def known_object(self, noun, subject):
        """"the door", "my car", "this window"."""
        if noun.group in ("opening", "room", "dish", "fruit") and (
                self.pick.chance(0.6)):
            return self.definite(noun)
        if noun.mass:
            return self.definite(noun)
        owner = self.owner_of(subject)
        return self.specific(noun, owner)

    def owner_of(self, subject):
        """The pronoun row that takes up the subject."""
        row = PRONOUN_BY_SUBJECT.get(subject.tag)
        if row:
            return row
        if subject.plural:
            return PRONOUN_BY_SUBJECT["they"]
        return PRONOUN_BY_SUBJECT["she" if female(subject.tag) else "he"]

    def object_for(self, row, noun, letter, subject, plain):
        """An object whose form suits tense and polarity."""
        verb = row[0]
        if letter == "h":
            if "b" in row[3] or verb in ("feed", "drive", "ride"):
                return (self.bare(noun) if self.pick.chance(0.4)
                        and verb not in ("clean", "move")
                        else self.specific(noun, self.owner_of(subject)))
            return self.bare(noun)
        if letter == "e":
            return self.experienced(noun)
        if "b" in row[3] or verb in ("use", "look for", "explain", "drive",
                                     "answer", "find", "ride", "visit",
                                     "discuss", "attend", "feed"):
            return self.specific(noun, self.owner_of(subject))
        if plain:
            return (self.bare(noun) if noun.mass or self.pick.chance(0.4)
                    else self.counted(noun, self.pick(["this", "that"])))
        if verb == "wear":
            if self.pick.chance(0.4):
                return self.pair({"穿": "穿", "戴": "戴"}[row[1]])
            return self.counted(noun, "a", self.attribute(noun))
        if verb == "buy" and self.pick.chance(0.2):
            return self.pair()
        return self.indefinite(noun, 0.3)

    def experienced(self, noun):
        """An object of 过: a kind, or this one."""
        if noun.group in ("read", "show", "event", "sound", "text",
                          "place") and not noun.mass:
            return self.counted(noun, self.pick(["this", "that"]))
        return self.bare(noun)

    def person_action(self, tense, subject, neg=False):
        """A verb with a person as object."""
        letter = USE_OF_TENSE.get(tense, "f")
        fitting = [row for row in PERSON_VERBS if letter in row[2]]
        row = self.pick(fitting, lambda r: r[0] + "person")
        who = self.other(subject)
        return VerbPhrase(Verb(row[0], row[1]), [who], after=[who])

    def activity(self, tense="present", rows=None):
        """An activity such as swimming or playing the piano."""
        row = self.pick(rows or ACTIVITIES, lambda r: r[0] + r[1] + "act")
        return self.activity_phrase(row)

    def activity_phrase(self, row):
        """The verb phrase of an activity row."""
        verb, rest, head, tail, kind = row
        skill = "s" in kind
        if not rest or rest in ("a walk", "a shower"):
            base = (verb + " " + rest).strip()
            return VerbPhrase(Verb(base, head, tail, skill))
        stripped = rest.replace("the ", "~the ")
        noun = unit(stripped, tail)
        return VerbPhrase(Verb(verb, head, "", skill), [noun], after=[noun])

    def activity_name(self, row):
        """English name of an activity, for the choice of a place."""
        return (row[0] + " " + row[1]).strip()

    def placed_activity(self, subject):
        """An activity with a place that suits it."""
        row = self.pick(ACTIVITIES, lambda r: r[0] + r[1] + "act")
        phrase = self.activity_phrase(row)
        where = self.place_for(self.activity_name(row))
        if where and self.pick.chance(0.4):
            phrase.english.append(where)
            phrase.before.insert(0, where)
        elif (self.pick.chance(0.2)
              and self.activity_name(row) not in ALONE):
            english, han = self.company(subject)
            phrase.english.append(english)
            phrase.before.insert(0, han)
        return phrase

    def destination(self, anywhere=True):
        """"the park" or "Paris", and whether it is far away."""
        if anywhere and self.pick.chance(0.4):
            return words(self.pick(REGIONS, lambda row: row[0])), True
        return self.definite(self.noun(GOALS)), False

    def going(self, tense, subject):
        """Going somewhere, by some transport, with somebody or to do
        something."""
        # Nobody goes abroad every day.
        goal, far = self.destination(tense != "present")
        verb = Verb("go", "去")
        phrase = VerbPhrase(verb, [en("to"), goal], after=[goal])
        extra = self.pick.weighted([(4, None), (3, "by"), (3, "with")])
        if extra == "by":
            rows = [r for r in lex.rows(lex.TRANSPORT_TABLE)
                    if (r[0] in ("by train", "by plane", "by ship")) == far]
            means = words(self.pick(rows, lambda r: r[0]))
            phrase.english.append(means)
            phrase.before.append(means)
        elif extra == "with":
            english, han = self.company(subject)
            phrase.english.append(english)
            phrase.before.append(han)
        return phrase

    def going_to_do(self):
        """"go to the park to play football"."""
        row = self.pick([r for r in ACTIVITIES
                         if self.activity_name(r) in PLACES_FOR],
                        lambda r: r[0] + r[1] + "act")
        names = [name for name in PLACES_FOR[self.activity_name(row)].split()
                 if name not in ("lake", "river", "mountain", "bedroom",
                                 "bathroom", "living_room", "hotel")]
        if not names:
            return self.going_to_do()
        noun = lex.nouns_named(self.pick(names).replace("_", " "))
        goal = self.definite(noun)
        deed = self.activity_phrase(row)
        k = key()
        english = [en("to"), goal, en("to"), en(deed.verb.base, k)]
        after = [goal, zh(deed.verb.head + deed.verb.tail, k)] + deed.after
        phrase = VerbPhrase(Verb("go", "去"), english + deed.english,
                            after=after)
        phrase.final_le = True
        return phrase

    def giving(self, tense, subject):
        """"give her a book": 给 stands after or before the verb."""
        who = self.other(subject)
        kind = self.pick.weighted([(4, "give"), (3, "send"), (3, "buy"),
                                   (2, "cook"), (2, "call"), (2, "tell"),
                                   (2, "write"), (1, "sing")])
        if kind == "give":
            thing = self.indefinite(self.noun("small read clothes"), 0.2)
            return VerbPhrase(Verb("give", "给"), [who, thing],
                              after=[who, thing])
        if kind == "call":
            # The Chinese verb carries an object of its own: 打电话.
            verb = Verb("call", "打", "电话")
            return VerbPhrase(verb, [who],
                              before=[zh("给", verb.key), who])
        return self.benefit(kind, who)

    def benefit(self, kind, who):
        """Verbs whose receiver goes before the verb with 给."""
        g = key()
        give = zh("给", g)
        if kind in ("buy", "cook", "write", "sing"):
            noun, han = {
                "buy": ("small clothes read", "买"), "cook": ("meal", "做"),
                "write": ("letter poem email", "写"), "sing": ("song", "唱"),
            }[kind]
            found = self.noun(noun)
            thing = (self.bare(found) if found.mass
                     else self.indefinite(found))
            to = "to" if kind == "write" and found.en != "poem" else "for"
            return VerbPhrase(Verb(kind, han), [thing, en(to, g), who],
                              before=[give, who], after=[thing])
        noun, han = {"send": ("letter gift photo book", "寄"),
                     "tell": ("story", "讲")}[kind]
        thing = self.counted(self.noun(noun), "a")
        verb = Verb(kind, han)
        return VerbPhrase(verb, [who, thing],
                          before=[zh("给", verb.key), who], after=[thing])

    def study(self, tense, subject):
        """Studying a field, learning or speaking a language."""
        kind = self.pick.weighted([(5, "study"), (3, "learn"),
                                   (2, "speak"), (2, "teach")])
        if kind == "speak":
            what = words(self.pick(LANGUAGES, lambda row: row[0]))
            return VerbPhrase(Verb("speak", "说", skill=True), [what],
                              after=[what])
        if kind == "teach":
            who = self.other(subject)
            what = words(self.field())
            return VerbPhrase(Verb("teach", "教"), [who, what],
                              after=[who, what])
        table = LANGUAGES if kind == "learn" else FIELDS
        what = words(self.field() if table is FIELDS
                     else self.pick(table, lambda row: row[0]))
        phrase = VerbPhrase(Verb(kind, "学习"), [what], after=[what])
        if self.pick.chance(0.3):
            where = self.pick(["university", "library", "school"])
            spot = self.located(lex.nouns_named(where))
            phrase.english.append(spot)
            phrase.before.append(spot)
        return phrase

    def field(self):
        """A field of study; the field of the demonstration is frequent."""
        if self.pick.chance(0.1):
            return FIELDS[0]
        return self.pick(FIELDS, lambda row: row[0])

    def field_list(self):
        """One field, or two or three joined."""
        count = self.pick.weighted([(6, 1), (3, 2), (1, 3)])
        seen, items = set(), []
        while len(items) < count:
            row = self.field()
            if row[0] not in seen:
                seen.add(row[0])
                items.append(words(row))
        return items[0] if count == 1 else self.listing(items)

    def lasting(self):
        """"worked for two hours"."""
        row = self.pick(lex.rows(lex.DURATION_TABLE), lambda r: r[0])
        n = 2 + self.pick.rng.randrange(9)
        span = self.pick([("hours", "个小时"), ("minutes", "分钟")])
        if row[0] in ("laugh", "cry"):
            span = ("minutes", "分钟")
        if span[0] == "minutes":
            n = self.pick([5, 10, 15, 20, 30, 40, 45])
        digits = self.pick.chance(0.25)
        count = unit(str(n), str(n)) if digits else unit(
            lex.english_number(n), "两" if n == 2 else lex.chinese_number(n))
        length = join([count, unit(*span)])
        return VerbPhrase(Verb(row[0], row[1]), [en("for"), length],
                          after=[length])

    def action(self, tense, subject, neg=False, question=False):
        """Any verb phrase that the tense allows."""
        kind = self.pick.weighted([
            (44, "thing"), (16, "person"), (15, "activity"), (9, "going"),
            (5, "purpose"), (9, "giving"), (7, "study")])
        if tense in ("perfect", "never") and kind in (
                "giving", "going", "purpose"):
            kind = "thing"
        if tense in ("already", "just", "yet") and kind in (
                "study", "giving", "person"):
            kind = "thing"
        if tense == "progressive" and kind in ("going", "purpose", "giving"):
            kind = "activity"
        if tense == "going" and kind in ("going", "purpose"):
            kind = "study"
        if neg and kind == "giving":
            kind = "thing"
        if tense == "past" and kind == "study":
            kind = "thing"
        if kind == "thing":
            phrase = self.thing_action(tense, subject, neg, question)
            return self.adjuncts(phrase, subject)
        if kind == "activity":
            return self.placed_activity(subject)
        if kind == "purpose":
            return self.going_to_do()
        return {"person": self.person_action, "going": self.going,
                "giving": self.giving, "study": self.study}[kind](
                    tense, subject)
