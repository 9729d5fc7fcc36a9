"""Lines of random bytes through the commands: as many lines out as in, an exit code that is documented, no other end.

HEED_LINES is the number of lines, 1,000 by default.
"""
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

HEED = pathlib.Path(__file__).resolve().parent.parent / "build" / "release" / "heed"
N_LINES = int(os.environ.get("HEED_LINES", "1000"))
# What text is taken apart by: line ends that are none here, marks, control tokens, halves of characters.
NASTY = [b"\r", b"\r\r", b"\0", b"\xc2\x85", b"\xe2\x80\xa8", b"\xc2\xa0", b"\xe3\x80\x80", b"\xef\xbb\xbf", b"\xff\xfe",
         b"\xe2\x80\x8d", b"\xd7\x90", b"\xcc\x81" * 40, b"<s>", b"</s>", b"<unk>", b"<pad>", b"@@ ", b"\xe2\x96\x81", b" ||| ",
         b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\xe2\x96", b"\xf0\x9f\x8c", b"\x1b[2J", b"\\", b"\"", b"{}"]


def random_line(rng, has_tab):
    parts = []
    for _ in range(rng.randint(0, 8)):
        choice = rng.random()
        if choice < 0.4:
            parts.append(rng.randbytes(rng.randint(1, 12)))
        elif choice < 0.7:
            parts.append(rng.choice(NASTY))
        else:
            parts.append(rng.choice([b"a1", b"b2", b"c3", b" ", b"  "]))
    line = b"".join(parts).replace(b"\n", b"").replace(b"\t", b"")
    return line + b"\t" + line[::-1] if has_tab else line


class HostileBytesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        rng = random.Random(11)
        for name, has_tab in (("lines", False), ("pairs", True)):
            with open(cls.folder / name, "wb") as out:
                for _ in range(N_LINES):
                    out.write(random_line(rng, has_tab) + b"\n")
        cls.run_heed("train", "--train", "pairs", "--model", "m.safetensors", "--preset", "tiny", "--embedding", "8",
                     "--hidden", "8", "--attention-size", "8", "--vocab-size", "300", "--after", "20u", "--quiet",
                     "--valid-freq", "10", "--valid-sentences", "20", "--threads", "2")

    @classmethod
    def run_heed(cls, *arguments):
        done = subprocess.run([HEED, *arguments], cwd=cls.folder, capture_output=True, timeout=3600)
        assert done.returncode == 0, (arguments, done.returncode, done.stderr[-2000:])
        return done.stdout

    def expect_lines(self, out):
        self.assertEqual(out.count(b"\n"), N_LINES)
        self.assertTrue(out.endswith(b"\n"))

    def test_translate(self):
        out = self.run_heed("translate", "--model", "m.safetensors", "--input", "lines", "--beam-size", "2",
                            "--max-output-factor", "1", "--alignment", "hard")
        self.expect_lines(out)
        out.decode("utf-8")  # well-formed, whatever came in

    def test_align_and_score(self):
        self.expect_lines(self.run_heed("align", "--model", "m.safetensors", "pairs"))
        self.expect_lines(self.run_heed("score", "--model", "m.safetensors", "pairs"))

    def test_tokenize(self):
        for kind in ("bpe", "word", "char", "space"):
            self.run_heed("tokenize", "learn", "--tokenizer", kind, "--vocab-size", "400", "--file", f"{kind}.tok", "lines")
            pieces = self.run_heed("tokenize", "encode", "--file", f"{kind}.tok", "--input", "lines", "--output", "pieces.txt",
                                   "--format", "ids")
            self.assertEqual(pieces, b"")
            self.expect_lines((self.folder / "pieces.txt").read_bytes())
            self.expect_lines(self.run_heed("tokenize", "decode", "--file", f"{kind}.tok", "--input", "pieces.txt",
                                            "--format", "ids"))

    def test_eval(self):
        self.run_heed("eval", "--hypothesis", "lines", "--reference", "lines", "--json")


if __name__ == "__main__":
    unittest.main()
