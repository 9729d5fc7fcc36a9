"""Checks of the bundled English-Chinese corpus and of its generator."""

import pathlib
import re
import sys
import tempfile
import unittest
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "corpora" / "en-zh"
sys.path.insert(0, str(ROOT / "scripts"))

import corpus_en_zh_lexicon as lexicon  # noqa: E402
import make_corpus_en_zh as maker  # noqa: E402

SPLITS = {"train": 20000, "valid": 1000, "test": 1000}
HAN = re.compile("[\u4e00-\u9fff]|[^\u4e00-\u9fff\\s]+")


def lines(name):
    """Lines of a corpus file, which must end with a line feed."""
    text = (CORPUS / name).read_bytes().decode("utf-8")
    assert text.endswith("\n") and "\r" not in text
    return text.split("\n")[:-1]


def normal(sentence):
    """Lower case without final punctuation."""
    return sentence.lower().strip().rstrip(".?!。？！")


def words(sentence):
    """English words without marks, in lower case."""
    return [word.strip(",.?!") for word in sentence.lower().split()]


class CorpusTest(unittest.TestCase):
    """Properties of the files."""

    @classmethod
    def setUpClass(cls):
        cls.en = {name: lines(name + ".en") for name in SPLITS}
        cls.zh = {name: lines(name + ".zh") for name in SPLITS}

    def test_counts(self):
        for name, count in SPLITS.items():
            self.assertEqual(len(self.en[name]), count)
            self.assertEqual(len(self.zh[name]), count)

    def test_lines_are_clean(self):
        for side in (self.en, self.zh):
            for sentences in side.values():
                for sentence in sentences:
                    self.assertTrue(sentence)
                    self.assertEqual(sentence, " ".join(sentence.split()))
        for sentences in self.zh.values():
            for sentence in sentences:
                self.assertNotIn(" ", sentence)

    def test_splits_are_disjoint(self):
        for side in (self.en, self.zh):
            sets = [set(map(normal, side[name])) for name in SPLITS]
            self.assertFalse(sets[0] & sets[1])
            self.assertFalse(sets[0] & sets[2])
            self.assertFalse(sets[1] & sets[2])

    def test_no_pair_occurs_twice(self):
        pairs = [pair for name in SPLITS
                 for pair in zip(self.en[name], self.zh[name])]
        self.assertEqual(len(pairs), len(set(pairs)))

    def test_source_determines_target(self):
        target = {}
        for name in SPLITS:
            for source, chinese in zip(self.en[name], self.zh[name]):
                self.assertEqual(target.setdefault(source, chinese), chinese)
        loose = {}
        for source, chinese in target.items():
            self.assertEqual(loose.setdefault(normal(source),
                                              normal(chinese)),
                             normal(chinese))

    def test_final_marks_agree(self):
        marks = {".": "。", "?": "？", "!": "！"}
        for name in SPLITS:
            for source, chinese in zip(self.en[name], self.zh[name]):
                mark = marks.get(source[-1])
                if mark:
                    self.assertEqual(chinese[-1], mark)
                else:
                    self.assertNotIn(chinese[-1], "。？！")

    def test_share_of_bare_lower_case(self):
        for sentences in self.en.values():
            bare = sum(s == s.lower() and s[-1] not in ".?!"
                       for s in sentences)
            self.assertTrue(0.15 <= bare / len(sentences) <= 0.25)

    def test_lengths(self):
        lengths = [len(s.split()) for s in self.en["train"]]
        self.assertEqual(min(lengths), 1)
        self.assertLessEqual(max(lengths), 50)
        self.assertGreater(sum(n >= 35 for n in lengths), 50)
        self.assertTrue(9 <= sum(lengths) / len(lengths) <= 11)

    def test_demonstration_sentence_is_held_out(self):
        for name in SPLITS:
            for source, chinese in zip(self.en[name], self.zh[name]):
                self.assertNotIn("i love deep learning", source.lower())
                self.assertNotIn("我喜欢深度学习", chinese)
        train = self.en["train"]
        self.assertIn("i love machine learning", train)
        self.assertIn("i study deep learning", map(normal, train))
        self.assertGreater(sum("deep learning" in s.lower() for s in train),
                           100)

    def test_known_words_and_characters(self):
        known_words = Counter(w for s in self.en["train"] for w in words(s))
        known_chars = Counter("".join(self.zh["train"]))
        for name in ("valid", "test"):
            for sentence in self.en[name]:
                for word in words(sentence):
                    self.assertGreaterEqual(known_words[word], 3, word)
            for char in "".join(self.zh[name]):
                self.assertGreaterEqual(known_chars[char], 3, char)

    def test_links(self):
        links = lines("test.links")
        self.assertEqual(len(links), SPLITS["test"])
        for line, source, chinese in zip(links, self.en["test"],
                                         self.zh["test"]):
            pairs = [tuple(map(int, link.split("-")))
                     for link in line.split(" ")]
            self.assertEqual(pairs, sorted(set(pairs)))
            self.assertLess(max(i for i, _ in pairs), len(source.split()))
            target = HAN.findall(chinese)
            self.assertLess(max(j for _, j in pairs), len(target))
            linked = {j for _, j in pairs}
            self.assertEqual(linked, set(range(len(target))), chinese)


class GeneratorTest(unittest.TestCase):
    """Properties of the lexicon and of the program."""

    def test_lemmas(self):
        english, chinese = lexicon.lemmas()
        self.assertGreaterEqual(len(english), 500)
        self.assertGreaterEqual(len(chinese), 500)
        text = "\n".join(lines("train.zh"))
        rare = [lemma for lemma in chinese if text.count(lemma) < 15]
        self.assertEqual(rare, [])

    def test_numbers(self):
        for n, english, chinese in [
                (2, "two", "二"), (12, "twelve", "十二"),
                (20, "twenty", "二十"), (25, "twenty-five", "二十五"),
                (110, "one hundred and ten", "一百一十"),
                (200, "two hundred", "两百")]:
            self.assertEqual(lexicon.english_number(n), english)
            self.assertEqual(lexicon.chinese_number(n), chinese)

    def test_verb_forms(self):
        self.assertEqual(lexicon.third("study"), "studies")
        self.assertEqual(lexicon.past("drink", True), "drunk")
        self.assertEqual(lexicon.gerund("swim"), "swimming")
        self.assertEqual(lexicon.past("look for"), "looked for")

    def test_same_bytes_again(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            maker.write_corpus(maker.build(), folder)
            for path in sorted(folder.iterdir()):
                self.assertEqual(path.read_bytes(),
                                 (CORPUS / path.name).read_bytes(),
                                 path.name)


if __name__ == "__main__":
    unittest.main()
