"""Tests of the bundled English -> French corpus and of its generator."""
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
import unittest
from collections import Counter

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORPUS = os.path.join(ROOT, "corpora", "en-fr")
SCRIPT = os.path.join(ROOT, "scripts", "make_corpus_en_fr.py")
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import make_corpus_en_fr as generator

SIZES = {"train": 20000, "valid": 1000, "test": 1000}
FILES = [f"{split}.{side}" for split in SIZES for side in ("en", "fr")] + ["test.links"]


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def read_lines(name):
    return read_bytes(os.path.join(CORPUS, name)).decode("utf-8").split("\n")[:-1]


def without_case_and_mark(sentence):
    return sentence.casefold().rstrip(" .?!")


def plain_words(sentence):
    words = (w.strip(".,?!:") for w in sentence.casefold().split())
    return [w for w in words if w]


class CorpusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sides = {name: read_lines(name) for name in FILES}

    def pairs(self, split):
        return list(zip(self.sides[split + ".en"], self.sides[split + ".fr"]))

    def test_counts(self):
        for name in FILES:
            self.assertEqual(len(self.sides[name]), SIZES[name.split(".")[0]], name)

    def test_bytes_are_clean(self):
        for name in FILES:
            text = read_bytes(os.path.join(CORPUS, name)).decode("utf-8")
            self.assertEqual(text, unicodedata.normalize("NFC", text), name)
            self.assertTrue(text.endswith("\n") and "\r" not in text, name)
            for line in self.sides[name]:
                self.assertEqual(line, " ".join(line.split()), name)
                self.assertTrue(line, name)

    def test_no_template_marks_are_left(self):
        for name in FILES[:-1]:
            for line in self.sides[name]:
                self.assertIsNone(re.search(r"[/{}@~_|=+<>\x00-\x1f]", line), line)

    def test_no_sentence_is_repeated(self):
        for side in ("en", "fr"):
            lines = [without_case_and_mark(s) for split in SIZES
                     for s in self.sides[f"{split}.{side}"]]
            self.assertEqual(len(lines), len(set(lines)), side)

    def test_one_target_for_each_source(self):
        targets = {}
        for split in SIZES:
            for source, target in self.pairs(split):
                key = without_case_and_mark(source)
                self.assertEqual(targets.setdefault(key, target), target)

    def test_held_out_words_are_known(self):
        for side in ("en", "fr"):
            counts = Counter(w for s in self.sides["train." + side] for w in plain_words(s))
            for split in ("valid", "test"):
                for sentence in self.sides[f"{split}.{side}"]:
                    for word in plain_words(sentence):
                        self.assertGreaterEqual(counts[word], 3, (word, sentence))

    def test_lengths(self):
        means = []
        for split in SIZES:
            lengths = [len(s.split()) for s in self.sides[split + ".en"]]
            means.append(sum(lengths) / len(lengths))
            self.assertGreaterEqual(min(lengths), 1)
            self.assertLessEqual(max(lengths), 50)
            self.assertGreater(max(lengths), 30)
        self.assertTrue(all(9 <= m <= 11 for m in means), means)
        self.assertLess(max(means) - min(means), 1)

    def test_bare_sentences(self):
        for split in SIZES:
            bare = 0
            for source, target in self.pairs(split):
                marks = source[-1] in ".?!", target[-1] in ".?!"
                self.assertEqual(marks[0], marks[1], source)
                bare += not marks[0]
            self.assertTrue(0.1 < bare / SIZES[split] < 0.2)

    def test_french_marks_stand_alone(self):
        for split in SIZES:
            for sentence in self.sides[split + ".fr"]:
                self.assertIsNone(re.search(r"\S[?!]", sentence), sentence)

    def test_links(self):
        for (source, target), line in zip(self.pairs("test"), self.sides["test.links"]):
            self.assertRegex(line, r"^\d+-\d+( \d+-\d+)*$")
            links = [tuple(map(int, link.split("-"))) for link in line.split()]
            self.assertEqual(links, sorted(set(links)))
            self.assertLess(max(i for i, _ in links), len(source.split()))
            self.assertLess(max(j for _, j in links), len(target.split()))

    def test_most_words_are_linked(self):
        linked = total = 0
        for (_, target), line in zip(self.pairs("test"), self.sides["test.links"]):
            linked += len({link.split("-")[1] for link in line.split()})
            total += len(target.split())
        self.assertGreater(linked / total, 0.95)

    def test_size_on_disk(self):
        size = sum(os.path.getsize(os.path.join(CORPUS, f)) for f in os.listdir(CORPUS))
        self.assertLess(size, 4_000_000)


class FrenchSpellingTest(unittest.TestCase):
    """Spelling rules that every French sentence of the corpus must keep."""

    @classmethod
    def setUpClass(cls):
        cls.lines = [s for split in SIZES for s in read_lines(split + ".fr")]

    def refuse(self, pattern):
        regex = re.compile(pattern, re.IGNORECASE)
        for line in self.lines:
            self.assertIsNone(regex.search(line), line)

    def test_elision(self):
        self.refuse(r"\b(je|me|te|se|de|ne|que|le|la) (?!onze|huit|yaourt)[aeiouyàâéèêîôûœ]")
        self.refuse(r"\b(la|le|de) h(?!amster|aricot|uit)")
        self.refuse(r"\b(ce) [aeiouéèêîôœ]")
        self.refuse(r"\b(ma|ta|sa) [aeiouéèêîôœ]")
        self.refuse(r"\b(un|ce|le|mon|ton|son) (beau|nouveau|vieux) [aeiouéèêîôœ]")
        self.refuse(r"[dl]'h(amster|aricot)")

    def test_contraction(self):
        self.refuse(r"\b(à|de) les\b(?! \w+(er|ir|re)\b)")
        self.refuse(r"\b(à|de) le (?!\w+(er|ir|re)\b)")

    def test_negation_takes_de(self):
        self.refuse(r"\bn'(ai|as|a|avons|avez|ont) (pas|jamais|plus) (un|une|des|du)\b")


class GeneratorTest(unittest.TestCase):
    def test_lemmas_are_many_and_frequent(self):
        for side, lemmas in generator.lexicon().items():
            self.assertGreaterEqual(len(lemmas), 500, side)
            sentences = [" ".join(plain_words(s)).replace("'", "' ")
                         for s in read_lines("train." + side)]
            counts = Counter(w for s in sentences for w in s.split())
            text = " " + " \n ".join(sentences) + " "
            for lemma, forms in lemmas.items():
                keys = {f.casefold().replace("'", "' ") for f in forms}
                uses = sum(text.count(f" {k} ") if " " in k else counts[k] for k in keys)
                self.assertGreaterEqual(uses, 15, (side, lemma))

    def test_same_bytes_again(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, SCRIPT, "--output", folder, "--all-links"],
                           check=True, timeout=300)
            for name in FILES:
                self.assertEqual(read_bytes(os.path.join(folder, name)),
                                 read_bytes(os.path.join(CORPUS, name)), name)
            for split, size in SIZES.items():
                links = read_bytes(os.path.join(folder, split + ".links"))
                self.assertEqual(links.count(b"\n"), size)

    def test_unknown_option_is_refused(self):
        run = subprocess.run([sys.executable, SCRIPT, "--nonsense"], capture_output=True)
        self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main()
