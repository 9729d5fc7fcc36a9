"""Stopping a training: by signals at random moments, by a kill, by a second trainer, by a full disk.

HEED_STOPS is the number of random moments, 4 by default.
"""
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

import preloaded
import safetensors_reader

TESTS = pathlib.Path(__file__).parent
HEED = TESTS.parent / "build" / "release" / "heed"


def write_corpus(path, n=400):
    """Numbers, and the same backwards."""
    rng = random.Random(1)
    with open(path, "w", encoding="utf-8") as out:
        for _ in range(n):
            digits = [rng.choice("abcdefgh") for _ in range(rng.randint(2, 6))]
            out.write(" ".join(digits) + "\t" + " ".join(reversed(digits)) + "\n")


class StoppingTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.corpus = self.folder / "pairs.tsv"
        write_corpus(self.corpus)

    def command(self, model, *more, after="240u"):
        return [str(HEED), "train", "--train", str(self.corpus), "--valid", str(self.corpus),
                "--model", str(model), "--after", after, "--embedding", "8", "--hidden", "16",
                "--attention-size", "8", "--tokenizer", "word", "--mini-batch", "32",
                "--valid-freq", "40", "--valid-sentences", "20", "--beam-size", "1",
                "--threads", "1", "--log", str(model.with_suffix(".tsv")), *more]

    def start(self, *arguments, **options):
        return subprocess.Popen(self.command(*arguments, **options), stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def finish(self, process):
        _, text = process.communicate(timeout=120)
        return process.returncode, text

    def tensors(self, model):
        path = model.with_name(model.stem + ".last.safetensors")
        metadata, tensors = safetensors_reader.read(path)
        self.assertEqual(metadata["checksum"], safetensors_reader.checksum(path))
        return tensors

    def curve(self, model):
        """The log without what time decides: minutes and speed."""
        rows = [line.split("\t") for line in model.with_suffix(".tsv").read_text().splitlines()]
        kept = [i for i, name in enumerate(rows[0]) if name not in ("minutes", "tokens_per_second")]
        return [[row[i] for i in kept] for row in rows]

    def await_file(self, path, process):
        while not path.exists():
            self.assertIsNone(process.poll())
            time.sleep(0.005)

    def await_start(self, process):
        """Reads the lines up to the last one before the first update."""
        for line in process.stderr:
            if line.startswith("memory"):
                return
        self.fail("training did not begin")

    def test_a_run_stopped_at_random_moments_equals_the_unbroken_one(self):
        whole, broken = self.folder / "whole.safetensors", self.folder / "broken.safetensors"
        process = self.start(whole)
        self.await_start(process)
        began = time.monotonic()
        code, text = self.finish(process)
        self.assertEqual(code, 0, text)
        seconds = time.monotonic() - began
        rng = random.Random(2)
        n_stopped = 0
        for i in range(int(os.environ.get("HEED_STOPS", "4"))):
            number, expected = [(signal.SIGINT, 130), (signal.SIGTERM, 143)][i % 2]
            process = self.start(broken, *(["--resume"] if i > 0 else []))
            self.await_start(process)
            time.sleep(seconds * rng.uniform(0, 0.3))
            process.send_signal(number)
            code, text = self.finish(process)
            self.assertIn(code, (0, expected), text)
            n_stopped += code == expected
            self.tensors(broken)
        code, text = self.finish(self.start(broken, "--resume"))
        self.assertEqual(code, 0, text)
        self.assertGreater(n_stopped, 0)
        self.assertEqual(self.tensors(whole), self.tensors(broken))
        self.assertEqual(self.curve(whole), self.curve(broken))

    def test_two_signals_at_once_are_one(self):
        model = self.folder / "m.safetensors"
        process = self.start(model, after="100000u")
        self.await_file(self.folder / "m.last.safetensors", process)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        code, text = self.finish(process)
        self.assertIn(code, (130, 143), text)
        self.assertFalse((self.folder / "m.safetensors.lock").exists())

    @unittest.skipUnless(preloaded.IS_POSSIBLE, preloaded.WHY_NOT)
    def test_a_second_signal_ends_at_once(self):
        model = self.folder / "m.safetensors"
        # the first save never ends, so nothing but the second signal can end the program
        library = preloaded.build(self.folder)
        process = subprocess.Popen(
            self.command(model), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=dict(os.environ, LD_PRELOAD=library, REFUSE="fsync", REFUSE_AT="1", REFUSE_WAIT="1"))
        while not any(path.stat().st_size > 0 for path in self.folder.glob("*.tmp")):
            self.assertIsNone(process.poll())
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(signal.SIGINT)
        code, text = self.finish(process)
        self.assertEqual(code, -signal.SIGINT, text)

    def test_a_second_trainer_is_refused_and_a_killed_one_is_no_obstacle(self):
        model = self.folder / "m.safetensors"
        first = self.start(model, after="100000u")
        self.await_file(self.folder / "m.last.safetensors", first)
        code, text = self.finish(self.start(model, "--resume"))
        self.assertEqual(code, 1, text)
        self.assertRegex(text.splitlines()[-1], "another program is using it")
        first.kill()
        self.finish(first)
        metadata, _ = safetensors_reader.read(self.folder / "m.last.safetensors")
        update = int(re.search(r"^update = (\d+)", metadata["state"], re.MULTILINE)[1])
        self.assertGreater(update, 0)
        code, text = self.finish(self.start(model, "--resume", after=f"{update + 1}u"))
        self.assertEqual(code, 0, text)
        self.assertEqual(list(self.folder.glob("*.tmp")) + list(self.folder.glob("*.lock")), [])

    def test_a_file_size_limit_ends_training_and_the_files_before_stay(self):
        model = self.folder / "m.safetensors"
        code, text = self.finish(self.start(model, after="40u"))
        self.assertEqual(code, 0, text)
        before = self.tensors(model)
        limited = subprocess.run(
            self.command(model, "--resume", after="80u"), capture_output=True, text=True,
            timeout=120,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))
        self.assertEqual(limited.returncode, 1, limited.stderr)
        self.assertRegex(limited.stderr.splitlines()[-1], "cannot write: File too large")
        self.assertEqual(self.tensors(model), before)
        self.assertEqual(list(self.folder.glob("*.tmp")), [])

    def test_what_cannot_be_written_is_refused_before_training(self):
        missing = self.folder / "missing" / "m.safetensors"
        for model, code in ((missing, 1), (self.folder, 2), (self.corpus, 2)):
            found, text = self.finish(self.start(model, "--overwrite"))
            self.assertIn(found, (1, 2), text)
            self.assertEqual(len(text.strip().splitlines()), 1, text)
        self.assertIn("e", self.corpus.read_text())


if __name__ == "__main__":
    unittest.main()
