"""scripts/grid.py: a tiny grid is trained, kept, continued, and refuses what it must."""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEED = ROOT / "build" / "release" / "heed"
SMALL = "--embedding 8 --hidden 8 --attention-size 8 --tokenizer word --valid-freq 4 --beam-size 1"


def write_pairs(path, n=20):
    words = "one two three four five six".split()
    with open(path, "w", encoding="utf-8") as out:
        for i in range(n):
            sentence = [words[(i + k * k) % 6] for k in range(2 + i % 4)]
            out.write(" ".join(sentence) + "\t" + " ".join(reversed(sentence)) + "\n")


@unittest.skipUnless(HEED.exists(), "build/release/heed is not built: run make first")
class GridTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.pairs = self.folder / "pairs.tsv"
        write_pairs(self.pairs)

    def command(self, rows, *more, after="8u"):
        path = self.folder / "rows.txt"
        path.write_text(rows, encoding="utf-8")
        return [sys.executable, str(ROOT / "scripts" / "grid.py"), str(path), "--train",
                str(self.pairs), "--valid", str(self.pairs), "--after", after, "--threads", "1",
                "--heed", str(HEED), "--folder", str(self.folder / "grid"), *more]

    def run_grid(self, *arguments, **options):
        return subprocess.run(self.command(*arguments, **options), capture_output=True, text=True,
                              timeout=120)

    def test_a_grid_is_trained_tabled_and_kept(self):
        rows = f"# two rows\nadditive {SMALL}\n\ndot {SMALL.replace('--attention-size 8', '')} " \
               "--attention-type dot  # scores\n"
        done = self.run_grid(rows, "--jobs", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 4)
        cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
        self.assertEqual(cells[0], "additive")
        self.assertEqual(cells[2], "8")
        self.assertIn(cells[3], ("4", "8"))
        self.assertGreater(float(cells[7]), 0)
        self.assertIn("--attention-type dot", lines[3])
        self.assertEqual((self.folder / "grid" / "grid.md").read_text(encoding="utf-8"), done.stdout)
        model = self.folder / "grid" / "dot.safetensors"
        before = model.stat().st_mtime_ns
        again = self.run_grid(rows)
        self.assertEqual(again.stdout, done.stdout)
        self.assertEqual(model.stat().st_mtime_ns, before)

    def test_an_interrupted_row_goes_on_from_its_checkpoint(self):
        rows = f"long {SMALL}\n"
        command = self.command(rows, after="3000u")
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        checkpoint = self.folder / "grid" / "long.last.safetensors"
        for _ in range(2000):
            if checkpoint.exists():
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, text = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, text)
        self.assertFalse((self.folder / "grid" / "long.json").exists())
        log = self.folder / "grid" / "long.log"
        self.assertIn("asked to stop by a signal", log.read_text(encoding="utf-8"))
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("resuming after update", log.read_text(encoding="utf-8"))

    def test_a_row_that_fails_does_not_end_the_others(self):
        done = self.run_grid(f"bad --hidden 0\ngood {SMALL}\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad: heed train: --hidden 0", done.stderr)
        self.assertRegex(done.stdout, r"\| bad \(failed\) .*\n\| good ")

    def test_changed_options_or_data_are_refused(self):
        self.assertEqual(self.run_grid(f"row {SMALL}\n").returncode, 0)
        for rows, n in ((f"row {SMALL} --seed 2\n", 20), (f"row {SMALL}\n", 21)):
            write_pairs(self.pairs, n)
            done = self.run_grid(rows)
            self.assertEqual(done.returncode, 1)
            self.assertIn("trained with other options or data", done.stderr)

    def test_rows_are_checked_before_any_training(self):
        for rows, expected in (
                ("", "there are no rows"),
                ("a --hidden 8\na --hidden 16\n", "rows.txt:2: the name a is taken"),
                ("../a --hidden 8\n", "rows.txt:1: the name '../a'"),
                ("a --model x\n", "rows.txt:1: --model is set by the script"),
                ("a --after=9m\n", "rows.txt:1: --after=9m is set by the script"),
                ("a -t other.tsv\n", "rows.txt:1: -t is set by the script"),
                ("a --hidden '8\n", "rows.txt:1: No closing quotation")):
            done = self.run_grid(rows)
            self.assertEqual(done.returncode, 1, rows)
            self.assertIn(expected, done.stderr)
        self.assertFalse((self.folder / "grid").exists())

    def test_seeds_need_validation_pairs_of_their_own(self):
        command = self.command("a --seed 2\n")
        at = command.index("--valid")
        del command[at:at + 2]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--seed in a row", done.stderr)


if __name__ == "__main__":
    unittest.main()
