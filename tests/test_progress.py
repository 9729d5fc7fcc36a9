"""The live line: on a terminal, for work of more than a second or two, and nowhere else."""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import tempfile
import termios
import threading
import time
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent
HEED = TOP / "build/heed"
CLEAR = "\r\x1b[K"


def on_terminal(words, columns=80, feed=None, expect=0, **environment):
    """What the command writes to a terminal on standard error. feed: lines for its standard input, one at a time."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    variables.update({"TERM": "xterm", **environment})
    process = subprocess.Popen([HEED, *words], stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=slave, env=variables)
    os.close(slave)

    def write():
        for line in feed:
            process.stdin.write(line.encode())
            process.stdin.flush()
            time.sleep(0.05)
        process.stdin.close()
    if feed:
        threading.Thread(target=write, daemon=True).start()
    found = b""
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:  # the terminal is closed when the program has ended
            break
        if not block:
            break
        found += block
    os.close(master)
    if process.wait() != expect:
        raise AssertionError(f"{words} ended with {process.returncode}: {found}")
    return found.decode()


class LiveLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = pathlib.Path(cls.folder.name)
        cls.pairs = cls.here / "pairs.tsv"
        cls.pairs.write_text("".join(f"a b {i} c d e\tc d {i} f g h\n" for i in range(4000)))
        cls.model = cls.here / "m.safetensors"
        cls.train("--quiet")

    @classmethod
    def train(cls, *options):
        subprocess.run([HEED, *cls.training(*options)], check=True, capture_output=True)

    @classmethod
    def training(cls, *options):
        return ["train", "--train", cls.pairs, "--model", cls.model, "--preset", "tiny", "--after", "40u", "--threads",
                "1", "--overwrite", "--embedding", "16", "--hidden", "16", "--attention-size", "16", "--vocab-size",
                "300", *options]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def lines(self, found):
        """The states of the live line, without colours; it must be gone at the end."""
        states = found.split(CLEAR)
        self.assertGreater(len(states), 2, found)
        self.assertNotIn("\u2588", states[-1])
        return [re.sub("\x1b\\[[0-9;]*m", "", state) for state in states[1:-1] if state]

    def slow(self, n=40):
        return [f"a b {i}\n" for i in range(n)]

    def translate(self, *options):
        return ["translate", "--model", self.model, "--mini-batch", "1", "--threads", "1", *options]

    def test_a_pipe_has_a_count_and_a_rate_but_no_bar(self):
        found = self.lines(on_terminal(self.translate(), feed=self.slow()))
        for line in found:
            self.assertRegex(line, r"^translating  \d+ lines  [\d.]+ lines/s$")

    def test_a_file_has_a_bar_and_the_time_left(self):
        words = ["align", "--model", self.model, "--threads", "1", "--max-length", "90"]
        long_pairs = self.here / "long.tsv"
        while True:  # until the work lasts long enough for a few states of the line
            text = "".join(f"{' a b' * 20} {i}\t{' c d' * 20} {i}\n" for i in range(3000))
            with long_pairs.open("a") as out:
                out.write(text)
            began = time.monotonic()
            found = on_terminal([*words, long_pairs])
            if time.monotonic() - began > 2:
                break
        shares = []
        for line in self.lines(found):
            self.assertRegex(line, "^aligning  [\u2588\u2591]{20} +\\d+ %  \\d+:\\d\\d left  \\d+ pairs")
            shares.append(int(re.search(r"(\d+) %", line)[1]))
        self.assertEqual(shares, sorted(shares))
        self.assertGreater(shares[-1], shares[0])

    def test_training_draws_one_line_that_fits(self):
        for columns in (40, 200):
            found = on_terminal(self.training("--after", "1000u", "--valid-freq", "100000"), columns)
            live = [line for line in self.lines(found) if line.startswith("epoch")]
            self.assertTrue(live, found)
            for line in live:
                last = line.split("\n")[0].split("\r")[0]
                self.assertLess(len(last), columns, last)
                self.assertIn("\u2591" if "100 %" not in last else "\u2588", last)
                self.assertIn(" left", last)
            self.assertEqual("norm" in live[0], columns == 200)

    def test_quiet_and_files_have_none(self):
        self.assertNotIn(CLEAR, on_terminal(self.translate("--quiet"), feed=self.slow(30)))
        done = subprocess.run([HEED, *self.training("--after", "300u")], capture_output=True, check=True)
        self.assertNotIn(b"\r", done.stderr)
        self.assertNotIn(b"\x1b", done.stderr)
        self.assertIn(b"epoch 1", done.stderr)

    def test_no_color_and_dumb_terminals(self):
        words = self.training("--after", "300u")
        self.assertIn("\x1b[32m", on_terminal(words))
        found = on_terminal(words, NO_COLOR="1")
        self.assertNotIn("\x1b[32m", found)
        self.assertIn("\u2588", found)
        self.assertNotIn("\x1b", on_terminal(words, TERM="dumb"))

    def test_learning_a_vocabulary(self):
        text = self.here / "text"
        n = 20000
        while True:
            text.write_text("".join(f"w{i * 7919 % 100003} x{i * 104729 % 99991} y{i}\n" for i in range(n)))
            began = time.monotonic()
            found = on_terminal(["tokenize", "learn", "--file", self.here / "t.tok", "--vocab-size", "20000", text])
            if time.monotonic() - began > 2:
                break
            n *= 2
        works = {line.split("  ")[0] for line in self.lines(found)}
        self.assertLessEqual(works, {"counting words", "learning pieces"})
        self.assertTrue(works)
        self.assertIn("learnt ", found)

    def test_a_failure_stands_on_a_line_of_its_own(self):
        found = on_terminal(["tokenize", "decode", "--model", self.model], expect=3,
                            feed=["a\n"] * 30 + ["nonsense\n"])
        self.assertIn("decoding", found)
        self.assertTrue(found.endswith(CLEAR + "heed: standard input:31: nonsense: no piece of this tokenizer\r\n"), found)


if __name__ == "__main__":
    unittest.main()
