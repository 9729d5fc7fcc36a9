"""scripts/align_experiment.py: text in the manner of a gold set, links turned around, a tiny run."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEED = ROOT / "build" / "release" / "heed"
sys.path.insert(0, str(ROOT / "scripts"))

import align_experiment
import lab


class StyleTest(unittest.TestCase):
    def check(self, gold, raw, expected):
        self.assertEqual(align_experiment.GoldStyle([gold])(raw), expected)

    def test_punctuation_and_case(self):
        self.check("a b .", "A man, (aged 40) runs 3.5 km...", "a man , ( aged 40 ) runs 3.5 km . . .")
        self.check("", "  Été\u00a0!", "été !")

    def test_apostrophes_as_in_the_gold_set(self):
        self.check("l ' ordre", "C'est l'ordre.", "c ' est l ' ordre .")
        self.check("l' ordre", "C'est l'ordre.", "c' est l' ordre .")
        self.check("bob 's dog", "Bob's 'dog'", "bob 's ' dog '")
        self.check("aujourd'hui", "Aujourd'hui, 'oui'", "aujourd'hui , ' oui '")

    def test_hyphens_as_in_the_gold_set(self):
        self.check("a well-known man", "State-of-the-art - yes -no", "state-of-the-art - yes - no")
        self.check("a well - known man", "State-of-the-art", "state - of - the - art")

    def test_its_own_style_is_left_alone(self):
        for line in ("a well-known co-author , 1.5 km - so .", "j ' ai bu - un peu - d ' eau ."):
            self.assertEqual(align_experiment.GoldStyle([line])(line), line)


class PiecesTest(unittest.TestCase):
    def test_held_out_pairs_are_not_trained_on(self):
        for n in (1, 15, 100, 60000):
            pairs = [(str(i), str(i)) for i in range(n)]
            train, valid = align_experiment.hold_out(pairs)
            self.assertTrue(train and valid)
            self.assertLessEqual(len(valid), 1000)
            if n > 1:
                self.assertEqual(sorted(train + valid), sorted(pairs))

    def test_links_are_turned_around(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "links"
            lab.write_lines(path, ["0-2 1-0 10-1", ""])
            align_experiment.flip(path)
            self.assertEqual(lab.read_lines(path), ["0-1 1-10 2-0", ""])


@unittest.skipUnless(HEED.exists(), "build/release/heed is not built: run make first")
class RunTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_script(self, *more):
        return subprocess.run(
            [sys.executable, str(ROOT / "scripts" / "align_experiment.py"), "--train-source",
             str(self.folder / "t.en"), "--train-target", str(self.folder / "t.fr"),
             "--gold-source", str(self.folder / "g.en"), "--gold-target", str(self.folder / "g.fr"),
             "--gold-links", str(self.folder / "g.links"), "--after", "20u", "--threads", "1",
             "--heed", str(HEED), "--folder", str(self.folder / "out"), "--options",
             "--embedding 8 --hidden 8 --attention-size 8 --tokenizer word --beam-size 1", *more],
            capture_output=True, text=True, timeout=120)

    def test_a_table_of_error_rates(self):
        corpus = ROOT / "corpora" / "en-fr"
        for name, source in (("t.en", "train.en"), ("t.fr", "train.fr"), ("g.en", "test.en"),
                             ("g.fr", "test.fr"), ("g.links", "test.links")):
            lab.write_lines(self.folder / name, lab.read_lines(corpus / source)[:20])
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [[cell.strip() for cell in line.strip("|").split("|")]
                for line in done.stdout.splitlines()[2:]]
        self.assertEqual([row[0] for row in rows[:6]], [row[0] for row in rows[6:12]])
        self.assertEqual([row[1] for row in rows[::6]], list(align_experiment.WAYS))
        numbers = {(row[0], row[1]): int(row[5]) for row in rows}
        for way in align_experiment.WAYS:
            self.assertLessEqual(numbers["intersection", way], numbers["grow-diag", way])
            self.assertLessEqual(numbers["grow-diag", way], numbers["union", way])
            both = sum(numbers[side, way] for side in ("source to target", "target to source"))
            self.assertEqual(both, sum(numbers[side, way] for side in ("intersection", "union")))

    def test_a_model_without_counts_has_rows_of_its_attention(self):
        for name, line in (("t.en", "a b"), ("t.fr", "c d"), ("g.en", "a"), ("g.fr", "c"), ("g.links", "0-0")):
            lab.write_lines(self.folder / name, [line] * 4)
        done = self.run_script("--options", "--embedding 8 --hidden 8 --attention-size 8 --tokenizer word "
                               "--beam-size 1 --no-estimate-alignment")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({line.split("|")[2].strip() for line in done.stdout.splitlines()[2:]},
                         {"attention", "attention-shifted"})

    def test_unequal_sides_are_refused(self):
        for name, n in (("t.en", 2), ("t.fr", 3), ("g.en", 1), ("g.fr", 1), ("g.links", 1)):
            lab.write_lines(self.folder / name, ["a"] * n)
        done = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 and 3 lines", done.stderr)


if __name__ == "__main__":
    unittest.main()
