"""Training from the command line: resuming by the checkpoint's settings, the log and the report, links."""
import json
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import safetensors_reader

HEED = pathlib.Path(__file__).parent.parent / "build" / "release" / "heed"
SIZES = ["--embedding", "16", "--hidden", "16", "--attention-size", "16", "--tokenizer", "space",
         "--mini-batch", "32", "--valid-sentences", "20", "--beam-size", "1", "--threads", "1"]


class TrainingTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.write_corpus()

    def write_corpus(self, n=400):
        """Letters, and the same backwards; every link goes from one end to the other."""
        rng = random.Random(1)
        pairs = [[rng.choice("abcdefgh") for _ in range(rng.randint(2, 6))] for _ in range(n)]
        self.links = [{(i, len(p) - 1 - i) for i in range(len(p))} for p in pairs]
        (self.folder / "pairs.tsv").write_text(
            "".join(f"{' '.join(p)}\t{' '.join(reversed(p))}\n" for p in pairs))
        (self.folder / "links").write_text(
            "".join(" ".join(f"{i}-{j}" for i, j in sorted(row)) + "\n" for row in self.links))

    def heed(self, *arguments, code=0):
        done = subprocess.run([str(HEED), *arguments], cwd=self.folder, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def train(self, model, after, *more, **options):
        return self.heed("train", "--train", "pairs.tsv", "--valid", "pairs.tsv", "--model", model,
                         "--after", after, *SIZES, *more, **options)

    def tensors(self, name):
        return safetensors_reader.read(self.folder / name)[1]

    def report(self, name):
        page = (self.folder / name).read_text(encoding="utf-8")
        return json.loads(re.search(r"id='data'>\n?(.*?)</script>", page, re.DOTALL)[1])

    def table(self, name):
        rows = [line.split("\t") for line in (self.folder / name).read_text().splitlines()]
        return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]

    def test_a_run_resumed_without_options_equals_the_unbroken_one(self):
        options = ["--valid-freq", "40", "--seed", "7", "--dropout-input", "0.3",
                   "--guided-alignment", "links", "--learn-rate", "0.003"]
        self.train("whole.safetensors", "120u", *options)
        self.train("broken.safetensors", "50u", *options)
        self.heed("train", "--resume", "--model", "broken.safetensors", "--after", "90u",
                  "--threads", "2")
        self.heed("train", "--resume", "--model", "broken.safetensors", "--after", "120u")
        self.assertTrue(self.tensors("whole.last.safetensors") ==
                        self.tensors("broken.last.safetensors"), "the tensors differ")
        # What an end validates besides may be the best model, but moves nothing else.
        states = [re.sub(r"(elapsed|best.*) = .*\n", "", safetensors_reader.read(
            self.folder / f"{name}.last.safetensors")[0]["state"]) for name in ("whole", "broken")]
        self.assertEqual(states[0], states[1])

    def test_the_end_given_last_is_kept(self):
        self.train("m.safetensors", "10u")
        self.heed("train", "--resume", "--model", "m.safetensors", "--after", "12u")
        settings = safetensors_reader.read(self.folder / "m.last.safetensors")[0]["settings"]
        self.assertIn("after = 12u\n", settings)
        self.assertIn("resume = no\n", settings)
        done = self.heed("train", "--resume", "--model", "m.safetensors")
        self.assertIn("stopped: all updates done", done.stderr)

    def test_log_and_report_hold_every_validation(self):
        self.train("m.safetensors", "90u", "--valid-freq", "30", "--log", "m.tsv", "--report",
                   "m.html")
        rows, page = self.table("m.tsv"), self.report("m.html")
        self.assertEqual([row["update"] for row in rows], ["30", "60", "90"])
        self.assertEqual([p["update"] for p in page["points"]], [30, 60, 90])
        self.assertEqual(page["status"], "all updates done")
        for row, point in zip(rows, page["points"]):
            self.assertEqual(float(row["valid_loss"]), point["valid_loss"])
            self.assertGreater(point["train_loss"], 0)
            self.assertGreater(point["tokens_per_second"], 0)
        self.assertLess(float(rows[2]["valid_loss"]), float(rows[0]["valid_loss"]))
        self.assertEqual([len(samples) for samples in page["samples"]], [3, 3, 3])
        self.assertEqual(page["references"][0].split()[::-1], page["samples"][0][0]["source"].split())
        for fixed in page["fixed"]:
            self.assertEqual(fixed["source"].split(), fixed["target"].split()[::-1])
            for row in fixed["words"]["a"]:
                self.assertAlmostEqual(sum(row), 1, delta=0.01)
        self.assertIn(["training", "357", "kept"], page["corpus"])
        self.assertIn(["hidden", "16"], page["options"])

        # A resumed run goes on with the table; the page has its curves from the beginning.
        self.heed("train", "--resume", "--model", "m.safetensors", "--after", "120u")
        self.assertEqual([row["update"] for row in self.table("m.tsv")], ["30", "60", "90", "120"])
        page = self.report("m.html")
        self.assertEqual([p["update"] for p in page["points"]], [30, 60, 90, 120])
        self.assertEqual(page["points"][0]["bleu"], float(rows[0]["bleu"]))
        self.assertEqual(page["samples"][0][0]["words"]["source"], [])
        self.assertNotEqual(page["samples"][3][0]["words"]["source"], [])

    def test_a_log_that_cannot_be_written_is_told_and_the_model_stays(self):
        (self.folder / "logs").mkdir()
        command = [str(HEED), "train", "--train", "pairs.tsv", "--valid", "pairs.tsv", "--model",
                   "m.safetensors", "--after", "400u", "--valid-freq", "20", *SIZES,
                   "--log", "logs/m.tsv"]
        process = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while not (self.folder / "logs" / "m.tsv").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        shutil.rmtree(self.folder / "logs")
        _, text = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, text)
        self.assertEqual(len(re.findall(r"^warning: logs/m\.tsv", text, re.MULTILINE)), 1, text)
        self.assertRegex(text.splitlines()[-1], r"^heed: logs/m\.tsv.*: No such file or directory$")
        self.assertEqual(self.heed("info", "m.safetensors").returncode, 0)
        state = safetensors_reader.read(self.folder / "m.last.safetensors")[0]["state"]
        self.assertIn("update = 400\n", state)

    def test_validation_shows_samples(self):
        done = self.train("m.safetensors", "20u", "--valid-samples", "2")
        self.assertRegex(done.stderr, r"perplexity \d+\.\d\d, .*\d+% distinct, \d+% copied")
        found = re.findall(r"  source     (.*)\n  reference  (.*)\n  output     ", done.stderr)
        self.assertEqual(len(found) % 2, 0)
        self.assertGreater(len(found), 0)
        for source, reference in found:
            self.assertEqual(source.split(), reference.split()[::-1])

    def share_of_first_words(self, model):
        """The share of links that go to the first source word."""
        text = self.heed("align", "--model", model, "pairs.tsv").stdout
        return len(re.findall(r"\b0-", text)) / len(re.findall("-", text))

    def test_links_teach_the_attention(self):
        """The links given are wrong, so that none would come about without them."""
        (self.folder / "first").write_text(
            "".join(" ".join(f"0-{j}" for j in range(len(row))) + "\n" for row in self.links))
        more = ["--learn-rate", "0.01", "--lr-warmup", "20", "--exponential-smoothing", "0"]
        self.train("free.safetensors", "150u", *more)
        self.train("guided.safetensors", "150u", *more, "--guided-alignment", "first",
                   "--guided-alignment-weight", "1")
        self.assertLess(self.share_of_first_words("free.safetensors"), 0.5)
        self.assertGreater(self.share_of_first_words("guided.safetensors"), 0.9)


if __name__ == "__main__":
    unittest.main()
