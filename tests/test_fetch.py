"""Tests of the fetch scripts against local files and a server on 127.0.0.1."""
import gzip
import hashlib
import http.server
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPTS = os.path.join(ROOT, "scripts")
sys.path.insert(0, SCRIPTS)
import fetch_common
import fetch_tatoeba

SPLITS = {"train": ("train", 30), "valid": ("val", 5), "test": ("test_2016_flickr", 4)}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; names with "cut" promise more bytes than they send."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        if "/cut/" not in self.path:
            return super().do_GET()
        data = pathlib.Path(self.directory, self.path.replace("/cut/", "/").lstrip("/")).read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[:len(data) // 2])
        self.close_connection = True


class FetchCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.served = os.path.join(self.folder.name, "served")
        self.output = os.path.join(self.folder.name, "output")
        os.mkdir(self.served)
        self.start_server()

    def start_server(self):
        def handler(*args):
            return Handler(*args, directory=self.served)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.http = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.file = pathlib.Path(self.served).as_uri()

    def serve(self, name, data):
        pathlib.Path(self.served, name).write_bytes(data)

    def run_script(self, script, *options):
        environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        return subprocess.run([sys.executable, os.path.join(SCRIPTS, script), *options],
                              capture_output=True, text=True, timeout=300, env=environment)

    def refused(self, result, word):
        """Expect exit code 1, one sentence, and no file left behind."""
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(word, result.stderr)
        self.assertEqual(os.listdir(self.output) if os.path.exists(self.output) else [], [])

    def written(self, name):
        return pathlib.Path(self.output, name).read_text(encoding="utf-8")


class TatoebaTest(FetchCase):
    def table(self, count=200):
        lines = [f"Sentence {k}.\tPhrase {k}.\tCC-BY 2.0 (France) #{k % 7}" for k in range(count)]
        return "\n".join(lines) + "\nSentence 1.\tAutre phrase.\tnote\n"

    def zip_of(self, members):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in members.items():
                archive.writestr(name, text)
        return buffer.getvalue()

    def fetch(self, base=None, *options):
        return self.run_script("fetch_tatoeba.py", "--language", "fra", "--output", self.output,
                               "--base-url", base or self.http, *options)

    def serve_table(self, text=None):
        data = self.zip_of({"fra.txt": text or self.table(), "_about.txt": "about"})
        self.serve("fra-eng.zip", data)
        return data

    def test_success_over_http_and_from_a_file(self):
        data = self.serve_table()
        digest = hashlib.sha256(data).hexdigest()
        first = self.fetch(self.http, "--sha256", digest)
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        self.assertIn(digest, first.stdout)
        self.assertIn("CC BY 2.0 FR", first.stdout)
        files = {name: self.written(name) for name in os.listdir(self.output)}
        self.assertEqual(sorted(files), ["attribution.txt", "test.tsv", "train.tsv", "valid.tsv"])
        second = self.fetch(self.file)
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertEqual(files, {name: self.written(name) for name in files})

    def test_split_shares_no_sentence(self):
        self.serve_table()
        self.assertEqual(self.fetch(None, "--valid", "0.1", "--test", "0.1").returncode, 0)
        seen = [set(), set()]
        total = 0
        for split in ("train", "valid", "test"):
            rows = [line.split("\t") for line in self.written(split + ".tsv").splitlines()]
            self.assertTrue(rows)
            total += len(rows)
            for side in (0, 1):
                sentences = {row[side] for row in rows}
                self.assertFalse(sentences & seen[side])
                seen[side] |= sentences
        self.assertEqual(total, 201)

    def test_reverse(self):
        self.serve_table()
        self.assertEqual(self.fetch(None, "--reverse").returncode, 0)
        self.assertTrue(all("hrase" in line.split("\t")[0]
                            for line in self.written("train.tsv").splitlines()))

    def test_linked_pairs_stay_together(self):
        rows = [("a", "x", ""), ("b", "x", ""), ("b", "y", ""), ("c", "z", "")]
        self.assertEqual(sorted(map(len, fetch_tatoeba.group_rows(rows))), [1, 3])

    def test_missing_file(self):
        self.refused(self.fetch(), "404")
        self.refused(self.fetch(self.file), "cannot reach")

    def test_wrong_checksum(self):
        self.serve_table()
        self.refused(self.fetch(None, "--sha256", "0" * 64), "SHA-256")

    def test_transfer_cut_short(self):
        self.serve_table()
        self.refused(self.fetch(self.http + "/cut"), "cut short")

    def test_truncated_zip(self):
        data = self.serve_table()
        self.serve("fra-eng.zip", data[:-40])
        self.refused(self.fetch(), "not a whole zip")

    def test_damaged_zip(self):
        data = bytearray(self.serve_table())
        data[200] ^= 0xFF
        self.serve("fra-eng.zip", bytes(data))
        self.refused(self.fetch(), "zip")

    def test_path_in_the_zip(self):
        for name in ("../fra.txt", "/fra.txt", "a/fra.txt", "..\\fra.txt"):
            self.serve("fra-eng.zip", self.zip_of({name: self.table()}))
            self.refused(self.fetch(), "path")

    def test_empty_file_and_empty_table(self):
        self.serve("fra-eng.zip", b"")
        self.refused(self.fetch(), "empty")
        self.serve_table("\n\n")
        self.refused(self.fetch(), "no sentence pairs")

    def test_wrong_encoding(self):
        self.serve("fra-eng.zip", self.zip_of({"fra.txt": "Yes.\tÇa va.\n".encode("latin-1")}))
        self.refused(self.fetch(), "UTF-8")

    def test_line_without_a_tab(self):
        self.serve_table(self.table() + "lonely\n")
        self.refused(self.fetch(), "line 202")

    def test_too_large(self):
        self.serve_table()
        with self.assertRaisesRegex(fetch_common.FetchError, "limit"):
            fetch_common.download(self.file + "/fra-eng.zip", max_bytes=10)

    def test_old_files_survive_a_failure(self):
        self.serve_table()
        self.assertEqual(self.fetch().returncode, 0)
        before = self.written("train.tsv")
        os.unlink(os.path.join(self.served, "fra-eng.zip"))
        self.assertEqual(self.fetch().returncode, 1)
        self.assertEqual(self.written("train.tsv"), before)
        self.assertEqual(len(os.listdir(self.output)), 4)

    def test_bad_options(self):
        for options in ([], ["--language", "../x", "--output", "d"],
                        ["--language", "fra", "--output", "d", "--sha256", "12"],
                        ["--language", "fra", "--output", "d", "--valid", "2"]):
            self.assertEqual(self.run_script("fetch_tatoeba.py", *options).returncode, 2)


class Multi30kTest(FetchCase):
    def serve_all(self, language="de"):
        for remote, count in SPLITS.values():
            for side in ("en", language):
                text = "".join(f"{side} caption {k} é\n" for k in range(count))
                self.serve(f"{remote}.{side}.gz", gzip.compress(text.encode("utf-8")))

    def fetch(self, base=None, *options, language="de"):
        return self.run_script("fetch_multi30k.py", "--language", language, "--output", self.output,
                               "--base-url", base or self.http, *options)

    def test_success_over_http_and_from_a_file(self):
        self.serve_all()
        for base in (self.http, self.file):
            result = self.fetch(base)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("non-commercial", result.stdout)
            self.assertEqual(result.stdout.count("sha256 "), 6)
            for split, (_, count) in SPLITS.items():
                for side in ("en", "de"):
                    self.assertEqual(self.written(f"{split}.{side}").count("\n"), count)

    def test_other_languages(self):
        for language in ("fr", "cs"):
            self.serve_all(language)
            self.assertEqual(self.fetch(language=language).returncode, 0)

    def test_checksum(self):
        self.serve_all()
        data = pathlib.Path(self.served, "val.de.gz").read_bytes()
        self.refused(self.fetch(None, "--sha256", "val.de.gz=" + "f" * 64), "SHA-256")
        good = "val.de.gz=" + hashlib.sha256(data).hexdigest()
        self.assertEqual(self.fetch(None, "--sha256", good).returncode, 0)

    def test_unequal_sides(self):
        self.serve_all()
        self.serve("val.de.gz", gzip.compress(b"one\ntwo\n"))
        self.refused(self.fetch(), "5 lines in en but 2 in de")

    def test_missing_file(self):
        self.serve_all()
        os.unlink(os.path.join(self.served, "test_2016_flickr.de.gz"))
        self.refused(self.fetch(), "404")

    def test_truncated_gzip(self):
        self.serve_all()
        data = pathlib.Path(self.served, "train.en.gz").read_bytes()
        self.serve("train.en.gz", data[:-6])
        self.refused(self.fetch(), "not a whole gzip")

    def test_not_gzip(self):
        self.serve_all()
        self.serve("train.en.gz", b"<html>no</html>")
        self.refused(self.fetch(), "not a whole gzip")

    def test_transfer_cut_short(self):
        self.serve_all()
        self.refused(self.fetch(self.http + "/cut"), "cut short")

    def test_wrong_encoding(self):
        self.serve_all()
        self.serve("train.de.gz", gzip.compress(b"\xff\xfe\n" * 30))
        self.refused(self.fetch(), "UTF-8")

    def test_gzip_bomb(self):
        with self.assertRaisesRegex(fetch_common.FetchError, "limit"):
            fetch_common.gunzip(gzip.compress(b"a" * 10000), "a.gz", max_bytes=100)

    def test_output_cannot_be_written(self):
        self.serve_all()
        pathlib.Path(self.output).write_text("a file, not a folder")
        result = self.fetch()
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write", result.stderr)

    def test_bad_options(self):
        for options in ([], ["--language", "xx", "--output", "d"],
                        ["--language", "de", "--output", "d", "--sha256", "nonsense"]):
            self.assertEqual(self.run_script("fetch_multi30k.py", *options).returncode, 2)


if __name__ == "__main__":
    unittest.main()
