"""Tests of scripts/rival.py: how it cuts and counts words, and, where torch is installed, a small run."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts" / "rival.py"
PYTHON = "/usr/bin/python3"


def load_script():
    spec = importlib.util.spec_from_file_location("rival", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def has_torch():
    try:
        return subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0
    except OSError:
        return False


class RivalTest(unittest.TestCase):
    def test_words_are_lower_case_and_punctuation_stands_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "text"
            path.write_text("A dog, und Änne!\n\n", encoding="utf-8")
            self.assertEqual(load_script().read_side(path), [["a", "dog", ",", "und", "änne", "!"], []])

    def test_frequent_words_come_first_and_every_sentence_ends(self):
        ids = load_script().to_ids([["b", "a"], ["a"]])
        self.assertEqual(ids, [[5, 4, 2], [4, 2]])

    @unittest.skipUnless(has_torch() and (ROOT / "build/release/heed").exists(), "needs torch and a build")
    def test_a_small_run_prints_both_sides_and_their_ratio(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [f"{folder}/source", f"{folder}/target"]
            for name, word in zip(files, "st"):
                with open(name, "w", encoding="utf-8") as file:
                    file.writelines(f"{word}{i} and {word}{i // 7} more .\n" for i in range(640))
            done = subprocess.run(
                [sys.executable, str(SCRIPT), *files, "--size", "8", "--rounds", "1", "--updates", "2",
                 "--heed", str(ROOT / "build/release/heed")], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"(?m)^train 8, 1 thread +[0-9.e+]+ +[0-9.e+]+ +[0-9.]+$")
            self.assertRegex(done.stdout, r"(?m)^translate 8, beam 5, 64 at once +[0-9.e+]+ +[0-9.e+]+ +[0-9.]+$")


if __name__ == "__main__":
    unittest.main()
