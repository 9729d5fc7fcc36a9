"""The experiments under scripts/: bins, exact sums, and a run of each on a tiny corpus."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEED = ROOT / "build" / "release" / "heed"
sys.path.insert(0, str(ROOT / "scripts"))

import experiment_beam
import experiment_length
import experiment_scores
import lab

SMALL = "--embedding 8 --hidden 8 --tokenizer word --beam-size 1 --valid-freq 10"


class LengthTest(unittest.TestCase):
    def test_every_sentence_is_in_the_bin_of_its_length(self):
        lengths = [1, 2, 5, 6, 6, 10, 11, 30, 31]
        bins = experiment_length.make_bins(lengths, 5, 1)
        self.assertEqual([(first, last) for first, last, _ in bins],
                         [(1, 5), (6, 10), (11, 15), (16, 30), (31, 35)])
        for first, last, members in bins:
            self.assertEqual(members, [i for i, n in enumerate(lengths) if first <= n <= last])

    def test_small_bins_are_joined(self):
        lengths = [1] * 4 + [7] + [12] * 4 + [40]
        bins = experiment_length.make_bins(lengths, 5, 3)
        self.assertEqual([(first, last, len(members)) for first, last, members in bins],
                         [(1, 5, 4), (6, 40, 6)])
        self.assertEqual(experiment_length.make_bins([3], 5, 10), [(1, 3, [0])])
        self.assertEqual(experiment_length.make_bins([], 5, 10), [])


class BeamTest(unittest.TestCase):
    def test_sizes_are_checked(self):
        self.assertEqual(experiment_beam.parse_sizes("4,1,4"), [1, 4])
        for text in ("", "0", "1,x", "1025", "-1"):
            with self.assertRaises(lab.LabError):
                experiment_beam.parse_sizes(text)


class ScoresTest(unittest.TestCase):
    def test_the_variance_of_a_dot_product_is_its_size(self):
        for d in (1, 3, 64, 2048):
            cases = experiment_scores.dot_distribution(d)
            self.assertAlmostEqual(sum(p for _, p in cases), 1, places=12)
            self.assertAlmostEqual(sum(value * p for value, p in cases), 0, places=9)
            self.assertAlmostEqual(sum(value ** 2 * p for value, p in cases) / d, 1, places=9)

    def test_two_keys_agree_with_enumeration(self):
        """Size 2: all 64 settings of the six components, softmax by its definition."""
        signs = [[1 - 2 * (case >> bit & 1) for bit in range(6)] for case in range(64)]
        for scale in (1, 1 / math.sqrt(2)):
            gradient = larger = 0.0
            for a, b, c, d, e, f in signs:
                scores = [scale * (a * c + b * d), scale * (a * e + b * f)]
                p = math.exp(scores[0]) / sum(map(math.exp, scores))
                gradient += p * (1 - p) / 64
                larger += max(p, 1 - p) / 64
            found = experiment_scores.two_keys(2, scale)
            self.assertAlmostEqual(found[0], larger, places=12)
            self.assertAlmostEqual(found[2], gradient, places=12)

    def test_entropy_of_equal_weights_is_the_most(self):
        with tempfile.TemporaryDirectory() as folder:
            dump = pathlib.Path(folder) / "dump.jsonl"
            rows = [[[0.25] * 4, [1, 0, 0, 0]], [[1]], []]
            lab.write_lines(dump, [json.dumps({"attention": matrix}) for matrix in rows])
            entropy, share = experiment_scores.entropy_of_rows(dump)
        self.assertAlmostEqual(entropy, math.log(4) / 2)
        self.assertAlmostEqual(share, 0.5)


@unittest.skipUnless(HEED.exists(), "build/release/heed is not built: run make first")
class RunTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.source, self.target = self.folder / "text.en", self.folder / "text.fr"
        for path, corpus in ((self.source, "train.en"), (self.target, "train.fr")):
            lab.write_lines(path, lab.read_lines(ROOT / "corpora" / "en-fr" / corpus)[:20])

    def run_experiment(self, name, *more):
        data = []
        for split in ("train", "valid", "test"):
            data += [f"--{split}-source", str(self.source), f"--{split}-target", str(self.target)]
        done = subprocess.run(
            [sys.executable, str(ROOT / "scripts" / f"experiment_{name}.py"), *data, "--after",
             "10u", "--options", SMALL, "--threads", "1", "--heed", str(HEED), "--folder",
             str(self.folder / "out"), *more], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out" / f"{name}.md").read_text(encoding="utf-8"),
                         done.stdout)
        for picture in (self.folder / "out").glob("*.svg"):
            xml.parse(picture)
        return done.stdout.splitlines()

    def test_length(self):
        lines = self.run_experiment("length", "--least", "5")
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
        self.assertEqual(sum(int(row[1]) for row in cells[:-1]), 20)
        self.assertEqual(cells[-1][:2], ["all", "20"])
        self.assertTrue((self.folder / "out" / "length.svg").exists())

    def test_beam(self):
        lines = self.run_experiment("beam", "--sizes", "1,3")
        self.assertEqual([line.split("|")[1].strip() for line in lines[2:4]], ["1", "3"])
        for picture in ("beam", "beam-length", "beam-time"):
            self.assertTrue((self.folder / "out" / f"{picture}.svg").exists())

    def test_scores(self):
        links = self.folder / "links"
        lab.write_lines(links, ["0-0"] * 20)
        lines = self.run_experiment("scores", "--test-links", str(links))
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:5]]
        self.assertEqual([row[0] for row in cells], ["additive", "dot", "scaled-dot"])
        for row in cells:
            self.assertTrue(0 < float(row[3]) <= 1, row)
            self.assertTrue(0 < float(row[4]), row)
            self.assertTrue(0 < float(row[5].rstrip(" %")) <= 100, row)
        for picture in ("scores", "scores-gradient"):
            self.assertTrue((self.folder / "out" / f"{picture}.svg").exists())


if __name__ == "__main__":
    unittest.main()
