"""Lines far longer than a sentence: bounded in memory and time, one line out, links and scores kept."""
import pathlib
import subprocess
import tempfile
import unittest

HEED = pathlib.Path(__file__).resolve().parent.parent / "build" / "release" / "heed"
SENTENCE = "a b c d e f g ."
MAX_MEGABYTES = 256
MAX_SECONDS = 10  # of a processor; a fraction of one on a machine of its own


class LongLineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        pairs = (cls.folder / "pairs.tsv")
        pairs.write_text("".join(f"{SENTENCE}\tA B C D {i % 7}\n{SENTENCE[i % 7 * 2:]}\t{i % 7} .\n"
                                 for i in range(60)))
        subprocess.run([HEED, "train", "--train", pairs, "--model", cls.folder / "m.safetensors", "--preset",
                        "tiny", "--embedding", "6", "--hidden", "8", "--attention-size", "4", "--tokenizer",
                        "word", "--threads", "1", "--after", "30u", "--quiet", "--valid-freq", "1000",
                        "--no-layer-normalization", "--no-estimate-alignment"],
                       check=True, capture_output=True)

    def translate(self, text, *options):
        """The lines of output, their last line of warning, and the megabytes it took."""
        path = self.folder / "lines"
        path.write_text(text)
        program = ("import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; "
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr); "
                   "sys.exit(code)")
        done = subprocess.run(["python3", "-c", program, str(HEED), "translate", "--model",
                               str(self.folder / "m.safetensors"), "--input", str(path), "--beam-size", "2",
                               *options], capture_output=True, text=True, check=True, timeout=120)
        *warnings, megabytes = done.stderr.splitlines()
        return done.stdout.split("\n"), warnings, int(megabytes)

    def expect_equal(self, found, expected):
        """For long lists, whose difference is no use."""
        self.assertEqual(len(found), len(expected))
        for i, (a, b) in enumerate(zip(found, expected)):
            self.assertEqual(a, b, f"entry {i}")

    def test_links_and_scores_of_a_line_in_chunks_are_those_of_its_sentences(self):
        n = 2 * 2048 + 5  # two chunks of 32,768 bytes and a part of the third
        options = ("--alignment", "hard", "--word-scores", "--max-length", "8")
        (one, *_), _, _ = self.translate(SENTENCE + "\n", *options)
        lines, warnings, _ = self.translate(" ".join([SENTENCE] * n) + "\n" + SENTENCE + "\n", *options)
        self.assertEqual(len(lines), 3)
        self.assertEqual(lines[1:], [one, ""])
        self.assertIn("heed: warning: 1 line was longer than 32768 bytes and translated in chunks", warnings)
        text, links, scores = (field.split() for field in one.split(" ||| "))
        self.assertGreater(len(links), 0)
        found_text, found_links, found_scores = (field.split() for field in lines[0].split(" ||| "))
        self.expect_equal(found_text, text * n)
        pairs = [tuple(map(int, link.split("-"))) for link in links]
        self.expect_equal(found_links, [f"{s + k * len(SENTENCE.split())}-{t + k * len(text)}"
                                        for k in range(n) for s, t in pairs])
        self.expect_equal(found_scores, ["WordScores=", *(scores[1:] * n)])

    def test_a_line_of_many_megabytes_is_cut_with_one_warning(self):
        lines, warnings, megabytes = self.translate("x" * 5_000_000 + "\n" + SENTENCE + "\n")
        self.assertEqual(len(lines), 3)
        self.assertEqual([w for w in warnings if "cut" in w],
                         ["heed: warning: 1 line was longer than 1048576 bytes and cut there"])
        self.assertLess(megabytes, MAX_MEGABYTES)

    def test_a_megabyte_of_words_is_translated_whole(self):
        n = 1_000_000 // (len(SENTENCE) + 1)
        options = ("--max-length", "8", "--max-output-factor", "1", "--max-output-offset", "0")
        lines, warnings, megabytes = self.translate(" ".join([SENTENCE] * n), *options)
        self.expect_equal(lines[0].split(), self.translate(SENTENCE, *options)[0][0].split() * n)
        self.assertEqual([w for w in warnings if "cut" in w], [])
        self.assertLess(megabytes, MAX_MEGABYTES)

    # "-" is a stream without an end; the last entry is what the sentence says of it
    ENDLESS = [
        (["train", "--train", "-", "--model", "n.safetensors"], r"no end of the line within \d+ bytes"),
        (["train", "--train-source", "-", "--train-target", "pairs.tsv", "--model", "n.safetensors"],
         r"no end of the line within \d+ bytes"),
        (["translate", "--model", "m.safetensors", "--input", "-"], r"no end of the line within \d+ bytes"),
        (["align", "--model", "m.safetensors", "-"], r"no end of the line within \d+ bytes"),
        (["score", "--model", "m.safetensors", "--source", "pairs.tsv", "--target", "-"],
         r"no end of the line within \d+ bytes"),
        (["score", "--model", "m.safetensors", "--dump", "-"], r"a line of more than \d+ bytes"),
        (["eval", "--hypothesis", "-", "--reference", "pairs.tsv"], r"a line of more than \d+ bytes"),
        (["tokenize", "learn", "--file", "n.tok", "--vocab-size", "300", "-"],
         r"no end of the line within \d+ bytes"),
        (["tokenize", "encode", "--model", "m.safetensors"], r"no end of the line within \d+ bytes"),
        (["tokenize", "decode", "--model", "m.safetensors"], r"a line of more than \d+ bytes"),
        (["view", "-"], r"a line of more than \d+ bytes"),
    ]

    def refuse_endless(self, arguments, sentence, open_input, run):
        """The command reads the input as its standard input, and gives up soon and with little memory."""
        program = ("import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; "
                   "usage = resource.getrusage(resource.RUSAGE_CHILDREN); "
                   "print(usage.ru_maxrss // 1024, usage.ru_utime + usage.ru_stime, file=sys.stderr); "
                   "sys.exit(code)")
        with open_input() as source:
            done = subprocess.run(["python3", "-c", program, str(HEED), *arguments], cwd=self.folder, stdin=source,
                                  capture_output=True, text=True, timeout=120)
        *_, error, usage = done.stderr.splitlines()
        megabytes, seconds = map(float, usage.split())
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(error, "^heed: standard input:1: " + sentence)
        self.assertEqual(done.stdout, "")
        self.assertFalse(run.exists())
        self.assertLess(megabytes, MAX_MEGABYTES)
        self.assertLess(seconds, MAX_SECONDS)

    def test_a_line_without_an_end_is_refused(self):
        for arguments, sentence in self.ENDLESS:
            with self.subTest(arguments=arguments):
                self.refuse_endless(arguments, sentence, lambda: open("/dev/zero", "rb"),
                                    self.folder / "n.safetensors")

    def test_a_stream_of_words_without_a_line_end_is_refused(self):
        for arguments, sentence in self.ENDLESS:
            with self.subTest(arguments=arguments), subprocess.Popen(
                    ["sh", "-c", "yes a | tr '\\n' ' '"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as words:
                self.refuse_endless(arguments, sentence, lambda: words.stdout, self.folder / "n.safetensors")

    def test_pieces_of_a_long_line_are_put_together_again(self):
        for text, expected, warns in ((b"a b" * 1_000_000, b"a b" * 1_000_000, False),
                                      (b"\0" * 3_000_000, b"\0" * 3_000_000, False),
                                      (b"a" * 9_000_000, b"a" * 4_194_304, True)):
            options = ["--file", str(self.folder / "bytes.tok")]
            learnt = subprocess.run([HEED, "tokenize", "learn", *options, "--vocab-size", "262"],
                                    input=b"a b a b\n", capture_output=True)
            self.assertEqual(learnt.returncode, 0, learnt.stderr)
            pieces = subprocess.run([HEED, "tokenize", "encode", *options], input=text + b"\nb\n",
                                    capture_output=True, check=True)
            self.assertEqual(pieces.stderr, b"heed: warning: 1 line was longer than 4194304 bytes and cut there\n"
                             if warns else b"")
            again = subprocess.run([HEED, "tokenize", "decode", *options], input=pieces.stdout,
                                   capture_output=True, check=True)
            self.assertEqual(len(again.stdout), len(expected) + 3)
            self.assertTrue(again.stdout == expected + b"\nb\n", text[:3])

    def test_a_tokenizer_learns_from_the_beginning_of_a_long_line(self):
        for n, is_learnt in ((100, True), (1_500_000, False)):
            learnt = subprocess.run([HEED, "tokenize", "learn", "--file", "long.tok", "--vocab", "long.vocab",
                                     "--vocab-size", "300"], cwd=self.folder, capture_output=True, check=True,
                                    input=b"ab " * n + b"\xc3\xa9 " * 9 + b"\nab\n")
            self.assertRegex(learnt.stderr.decode(), r"learnt \d+ pieces \(of at most 300\) from 2 lines\n" +
                             ("$" if is_learnt else "heed: warning: 1 line was longer than 4194304 bytes and cut there\n"))
            vocabulary = (self.folder / "long.vocab").read_text().splitlines()
            self.assertEqual(any(line.startswith("\u00e9\t") for line in vocabulary), is_learnt)


if __name__ == "__main__":
    unittest.main()
