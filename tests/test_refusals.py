"""The system refuses the N-th call of a kind, after the program has begun: a preloaded library
(preload/refuse.c) refuses it to the program as it is built for use, and to the libraries it uses.

Each time the program ends as it always does with the same results, or with exit code 1 and its
sentence; the files that stood there still load, and nothing half-written stays.

HEED_SWEEP=all tries every call; otherwise the steps grow.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import preloaded
import safetensors_reader

TESTS = pathlib.Path(__file__).parent
HEED = TESTS.parent / "build" / "release" / "heed"
IS_FULL = os.environ.get("HEED_SWEEP") == "all"
KINDS = ("malloc", "open", "read", "write", "fsync", "rename", "link", "close", "thread")

TRAIN = ["train", "--train", "pairs.tsv", "--valid", "pairs.tsv", "--preset", "tiny", "--embedding",
         "6", "--hidden", "8", "--attention-size", "4", "--tokenizer", "word", "--vocab-size", "50",
         "--mini-batch", "16", "--valid-freq", "2", "--valid-sentences", "2", "--threads", "2"]
SCENARIOS = {
    "train": [*TRAIN, "--model", "new.safetensors", "--after", "2u", "--log", "log.tsv"],
    "resume": [*TRAIN, "--model", "m.safetensors", "--after", "4u", "--resume", "--report", "r.html"],
    "translate": ["translate", "--model", "m.safetensors", "--input", "lines", "--output", "out",
                  "--n-best", "3", "--attention", "out.jsonl", "--threads", "2"],
    "align": ["align", "--model", "m.safetensors", "pairs.tsv", "--threads", "2"],
    "score": ["score", "--model", "m.safetensors", "pairs.tsv", "--threads", "2"],
    "tokenize": ["tokenize", "learn", "--vocab-size", "300", "--file", "out.tok", "lines"],
    "encode": ["tokenize", "encode", "--model", "m.safetensors", "--input", "lines", "--output", "out"],
    "info": ["info", "--check", "m.safetensors"],
    "average": ["average", "--model", "out.safetensors", "m.safetensors", "m.last.safetensors"],
    "eval": ["eval", "--hypothesis", "lines", "--reference", "lines"],
    "view": ["view", "dump.jsonl", "--html", "out.html"],
}


def steps(n_calls):
    """Which call is refused, and whether all later ones are too."""
    n = 1
    while n <= n_calls:
        for later in (False, True) if IS_FULL or n in (1, n_calls) else (n % 2 == 0,):
            yield n, later
        n = n_calls if not IS_FULL and n < n_calls < 2 * n else n + (1 if IS_FULL else 1 + n // 2)


@unittest.skipUnless(preloaded.IS_POSSIBLE, preloaded.WHY_NOT)
class RefusalTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.root = pathlib.Path(scratch.name)
        cls.library = preloaded.build(cls.root)
        cls.start = cls.root / "start"
        cls.start.mkdir()
        pairs = [(f"a{i % 5} b{i % 3} c{i % 4}", f"c{i % 4} b{i % 3} a{i % 5}") for i in range(60)]
        (cls.start / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
        (cls.start / "lines").write_text("".join(f"{a}\n" for a, _ in pairs[:5]))
        cls.run_quietly(cls.start, [*TRAIN, "--model", "m.safetensors", "--after", "2u"])
        cls.run_quietly(cls.start, ["translate", "--model", "m.safetensors", "--input", "lines",
                                    "--output", "text", "--attention", "dump.jsonl"])
        cls.undisturbed = {name: cls.attempt(name) for name in SCENARIOS}

    @classmethod
    def run_quietly(cls, folder, arguments, **more):
        environment = dict(os.environ, **more)
        return subprocess.run([str(HEED), *arguments], cwd=folder, env=environment, timeout=300,
                              stdin=subprocess.DEVNULL, capture_output=True, check=not more)

    @classmethod
    def attempt(cls, scenario, **more):
        """Runs a scenario in a fresh folder: exit code, both outputs, and the files."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=cls.root))
        for path in cls.start.iterdir():
            shutil.copy(path, folder)
        done = cls.run_quietly(folder, SCENARIOS[scenario], **more)
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        for path in folder.glob("*.safetensors"):
            metadata, _ = safetensors_reader.read(path)
            assert metadata["checksum"] == safetensors_reader.checksum(path), path.name
        shutil.rmtree(folder)
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"), files

    @classmethod
    def count(cls, scenario, kind):
        path = cls.root / f"count-{scenario}-{kind}"
        cls.attempt(scenario, LD_PRELOAD=cls.library, REFUSE=kind, REFUSE_COUNT=str(path))
        return int(path.read_text())

    def judge(self, scenario, kind, code, out, errors, files):
        _, out_before, _, files_before = self.undisturbed[scenario]
        start = {path.name: path.read_bytes() for path in self.start.iterdir()}
        self.assertEqual([n for n in files if n.endswith((".tmp", ".lock"))], [])
        # the second name of a file must go before it is given to another: it alone may be missing
        self.assertLessEqual(set(start) - set(files), {"m.prev.safetensors"} if kind == "link" else set())
        if code == 0:
            self.assertEqual(out, out_before)
            self.assertEqual(set(files), set(files_before))
        else:
            self.assertEqual(code, 1, errors)
            self.assertRegex(errors.splitlines()[-1], "^heed: .*" +
                             ("memory" if kind == "malloc" else "cannot [a-z ]+: "))
        for name in set(files) - {"log.tsv", "r.html"}:
            if name.endswith((".last.safetensors", ".prev.safetensors")):
                continue  # they hold times; that they are whole has been seen
            self.assertIn(files[name], (start.get(name), files_before.get(name)), name)

    def sweep(self, scenario):
        tried = []
        for kind in KINDS:
            tried += [(kind, *step) for step in steps(self.count(scenario, kind))]

        def one(case):
            kind, n, later = case
            more = {"REFUSE_LATER": "1"} if later else {}
            return self.attempt(scenario, LD_PRELOAD=self.library, REFUSE=kind,
                                REFUSE_AT=str(n), **more)

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for case, found in zip(tried, pool.map(one, tried)):
                with self.subTest(scenario=scenario, kind=case[0], call=case[1], later=case[2]):
                    self.judge(scenario, case[0], *found)
        self.assertGreater(len(tried), 10)


def add_tests():
    for scenario in SCENARIOS:
        def test(self, scenario=scenario):
            self.sweep(scenario)
        setattr(RefusalTest, f"test_{scenario}_survives_every_refusal", test)


add_tests()

if __name__ == "__main__":
    unittest.main()
