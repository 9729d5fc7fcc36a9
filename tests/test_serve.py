"""The server: routes, limits, deadlines, many clients. A tiny model is trained first."""
import concurrent.futures
import http.client
import json
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import unittest

HEED = pathlib.Path(__file__).resolve().parent.parent / "build/release/heed"
LINES = ["the dog sees a cat", "a cat sees the dog", "", "the tree", "  ", "x" * 50, "\u6811 sees \U0001f333",
         "a big dog and a small cat and a tree and a dog", "the the the the", "caf\u00e9 </s> <unk> ||| @@"]
WORDS = {"the": "le", "a": "un", "dog": "chien", "cat": "chat", "tree": "arbre", "sees": "voit", "likes": "aime"}


def pairs():
    for subject in ("dog", "cat", "tree"):
        for thing in ("dog", "cat", "tree"):
            for verb in ("sees", "likes"):
                for first in ("the", "a"):
                    for second in ("the", "a"):
                        words = (first, subject, verb, second, thing)
                        yield " ".join(words) + "\t" + " ".join(WORDS[w] for w in words) + "\n"


def receive(connection):
    """All bytes until the server closes."""
    data = b""
    while True:
        try:
            part = connection.recv(65536)
        except ConnectionResetError:
            return data
        if not part:
            return data
        data += part


@unittest.skipUnless(HEED.exists(), "build/release/heed is not built")
class Serve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        here = pathlib.Path(cls.folder.name)
        (here / "pairs.tsv").write_text("".join(pairs()))
        cls.model = str(here / "m.safetensors")
        subprocess.run([HEED, "train", "--train", here / "pairs.tsv", "--model", cls.model, "--preset", "tiny",
                        "--embedding", "16", "--hidden", "24", "--attention-size", "16", "--vocab-size", "300",
                        "--after", "40e", "--valid-freq", "100000", "--threads", "1", "--quiet"], check=True)
        cls.server, cls.port = cls.start("--model", f"one={cls.model},two={cls.model}")

    @classmethod
    def tearDownClass(cls):
        cls.server.send_signal(signal.SIGTERM)
        code = cls.server.wait(40)
        cls.server.stderr.close()
        cls.folder.cleanup()
        assert code == 0, f"the server ended with {code}"

    @staticmethod
    def start(*options):
        server = subprocess.Popen([HEED, "serve", "--port", "0", "--threads", "1", *options],
                                  stderr=subprocess.PIPE, text=True)
        line = server.stderr.readline()
        return server, int(line.rsplit(":", 1)[1].rstrip("/\n"))

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, body, headers or {},
                               encode_chunked="Transfer-Encoding" in (headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()

    def translate(self, **request):
        status, body, _ = self.ask("POST", "/translate", json.dumps(request))
        self.assertEqual(status, 200, body)
        return json.loads(body)

    def refused(self, body, status, sentence):
        code, answer, _ = self.ask("POST", "/translate", body)
        self.assertEqual((code, json.loads(answer)["error"]), (status, sentence))

    def by_command(self, lines, *options):
        done = subprocess.run([HEED, "translate", "--model", self.model, "--threads", "1", *options],
                              input="".join(line + "\n" for line in lines), capture_output=True, text=True,
                              encoding="utf-8", check=True)
        return done.stdout.split("\n")[:-1]

    def test_routes(self):
        status, body, headers = self.ask("GET", "/")
        self.assertEqual(status, 200)
        self.assertIn(b"<!doctype html>", body)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        for path in ("/page.js", "/page.css", "/icon.svg"):
            self.assertEqual(self.ask("GET", path)[0], 200)
            self.assertIn(path.encode(), body + b"/page.js")
        status, body, _ = self.ask("GET", "/health")
        self.assertEqual((status, json.loads(body)["models"]), (200, ["one", "two"]))
        status, body, _ = self.ask("HEAD", "/")
        self.assertEqual((status, body), (200, b""))
        status, _, headers = self.ask("GET", "/translate")
        self.assertEqual((status, headers["Allow"]), (405, "POST"))
        self.assertEqual(self.ask("POST", "/health", "{}")[0], 405)
        self.assertEqual(self.ask("DELETE", "/")[0], 405)

    def test_the_page_asks_nobody_else(self):
        for path in ("/", "/page.js", "/page.css"):
            body = self.ask("GET", path)[1].replace(b"http://www.w3.org/2000/svg", b"")
            self.assertNotRegex(body, rb"(?i)https?://|src=[\"']?//|@import|url\(")

    def test_paths_reach_no_file(self):
        for path in ("/../etc/passwd", "/..%2f..%2fetc/passwd", "//", "/./", "/%2e%2e/", "/page.js/", "/page.js%00",
                     "/%00", "/index.html", "/translate/", "/TRANSLATE", "/page.css/../page.js", "/\\", "/" + "a" * 4000,
                     "/%70age.js", "*"):
            self.assertIn(self.ask("GET", path)[0], (400, 404), path)

    def test_answers_are_those_of_the_command_line(self):
        found = self.translate(text=LINES)
        self.assertEqual(found["model"], "one")
        self.assertEqual([t["text"] for t in found["translations"]], self.by_command(LINES))
        self.assertEqual(self.translate(text=LINES[0])["translations"][0]["text"], self.by_command(LINES[:1])[0])
        self.assertEqual([t["text"] for t in self.translate(text=LINES, beam_size=1, model="two")["translations"]],
                         self.by_command(LINES, "--beam-size", "1"))

    def test_attention_is_that_of_the_command_line(self):
        for pieces in (False, True):
            dump = pathlib.Path(self.folder.name) / "dump.jsonl"
            self.by_command(LINES, "--n-best", "3", "--attention", dump, *(["--pieces"] if pieces else []))
            expected = [json.loads(line) for line in dump.read_text(encoding="utf-8").split("\n")[:-1]]
            found = self.translate(text=LINES, n_best=3, attention=True, pieces=pieces)
            hypotheses = [h for t in found["translations"] for h in t["hypotheses"]]
            self.assertEqual(hypotheses, expected)

    def test_prefix(self):
        found = self.translate(text=["the dog sees a cat"] * 3, prefix=["un arbre", None, ""], n_best=2)["translations"]
        self.assertTrue(all(h["target"].startswith("un arbre") for h in found[0]["hypotheses"]), found[0])
        self.assertEqual(found[1]["text"], self.by_command(LINES[:1])[0])
        self.assertEqual(found[2]["text"], found[1]["text"])
        found = self.translate(text="the dog sees a cat", prefix="un arbre aime un arbre aime un arbre")
        self.assertTrue(found["translations"][0]["text"].startswith("un arbre aime un arbre aime un arbre"))

    def test_no_line(self):
        self.assertEqual(self.translate(text=[])["translations"], [])

    def test_broken_requests(self):
        self.refused("", 400, "body: not JSON at byte 0: '[' or '{' expected near end of file")
        self.refused("[" * 60000, 400, "body: nested more than 4 deep at byte 4")
        self.refused('{"text":"a","beam_size":1e9}', 400, "beam_size: must be an integer between 1 and 32")
        self.refused('{"text":"a","n_best":-1}', 400, "n_best -1: must be an integer between 1 and 32")
        self.refused('{"text":"a","x":"<script>"}', 400,
                     "x: unknown; a request has text, model, beam_size, n_best, attention, pieces, prefix")
        for body in (b"\xff\xfe", b'{"text":"\xed\xa0\x80"}', b'{"text":"\\ud800"}', b'{"text":"a"', b"null"):
            self.assertEqual(self.ask("POST", "/translate", body)[0], 400, body)

    def test_bodies_are_bounded(self):
        fits = json.dumps({"text": "a " * ((65536 - 12) // 2)})
        self.assertEqual(len(fits), 65536)
        self.assertEqual(self.ask("POST", "/translate", json.dumps({"text": "a"}) + " " * 65000)[0], 200)
        self.assertEqual(self.ask("POST", "/translate", fits + " ")[0], 413)
        status, body, _ = self.ask("POST", "/translate", iter([b"x" * 50000, b"y" * 50000]),
                                   {"Transfer-Encoding": "chunked"})
        self.assertEqual((status, json.loads(body)), (413, {"error": "body: more than 65536 bytes"}))

    def test_headers_are_bounded(self):
        self.assertEqual(self.ask("GET", "/health", headers={"X": "a" * 7000})[0], 200)
        self.assertEqual(self.ask("GET", "/health", headers={"X": "a" * 8200})[0], 431)
        self.assertIn(self.ask("GET", "/health", headers={"X": "a" * 40000})[0], (413, 431))

    def test_slow_clients_are_cut_off(self):
        begun = time.monotonic()
        slow_header = socket.create_connection(("127.0.0.1", self.port))
        slow_body = socket.create_connection(("127.0.0.1", self.port))
        silent = socket.create_connection(("127.0.0.1", self.port))
        slow_body.sendall(b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
        ends = {}
        while len(ends) < 3 and time.monotonic() - begun < 20:
            for name, connection, drip in (("header", slow_header, b"G"), ("body", slow_body, b"{"),
                                           ("silent", silent, b"")):
                if name in ends:
                    continue
                connection.settimeout(0.05)
                try:
                    connection.sendall(drip)
                    if connection.recv(100) == b"":
                        ends[name] = time.monotonic() - begun
                except TimeoutError:
                    pass
                except OSError:
                    ends[name] = time.monotonic() - begun
            self.assertEqual(self.ask("GET", "/health")[0], 200)
        for connection in (slow_header, slow_body, silent):
            connection.close()
        self.assertEqual(set(ends), {"header", "body", "silent"})
        self.assertTrue(4.5 < ends["header"] < 8, ends)
        self.assertTrue(4.5 < ends["silent"] < 8, ends)
        self.assertTrue(9.5 < ends["body"] < 13, ends)

    def test_clients_that_leave_do_no_harm(self):
        request = json.dumps({"text": ["the dog sees a cat and a tree " * 20] * 50, "beam_size": 32}).encode()
        head = b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(request)
        for _ in range(8):
            connection = socket.create_connection(("127.0.0.1", self.port))
            connection.sendall(head + request)
            connection.close()
        self.assertEqual(self.translate(text=LINES[0])["translations"][0]["text"], self.by_command(LINES[:1])[0])

    def test_requests_in_one_packet(self):
        request = b'{"text":"the dog"}'
        head = b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n" % len(request)
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.sendall((head + b"\r\n" + request) * 2 + head + b"Connection: close\r\n\r\n" + request)
        self.assertEqual(receive(connection).count(b"HTTP/1.1 200 OK"), 3)
        connection.close()

    def test_many_clients(self):
        lines = [line for line in LINES if line.strip()] + [f"the dog sees {i} cats" for i in range(40)]
        expected = dict(zip(lines, self.by_command(lines)))

        def client(number):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
            wrong = []
            for i in range(25):
                mine = [lines[(number * 7 + i * k) % len(lines)] for k in range(1, 1 + i % 4)] or lines[:1]
                request = {"text": mine, "n_best": 1 + number % 2, "attention": number % 3 == 0}
                connection.request("POST", "/translate", json.dumps(request))
                answer = json.loads(connection.getresponse().read())
                wrong += [(t["text"], line) for t, line in zip(answer["translations"], mine)
                          if t["text"] != expected[line]]
            connection.close()
            return wrong

        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            self.assertEqual(sum(pool.map(client, range(32)), []), [])
        metrics = dict(line.rsplit(" ", 1) for line in self.ask("GET", "/metrics")[1].decode().split("\n")
                       if line and not line.startswith("#"))
        self.assertGreater(int(metrics["heed_lines_total"]), 1000)
        self.assertLess(int(metrics["heed_batches_total"]), int(metrics["heed_lines_total"]))
        self.assertGreater(int(metrics['heed_requests_total{route="translate",code="200"}']), 700)

    def test_sigterm_drains(self):
        server, port = self.start("--model", self.model)
        request = json.dumps({"text": ["the dog sees a cat and " * 20] * 50, "beam_size": 8}).encode()
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(b"POST /translate HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                           % len(request) + request)
        time.sleep(0.3)
        server.send_signal(signal.SIGTERM)
        answer = receive(connection)
        connection.close()
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK"), answer[:200])
        self.assertEqual(len(json.loads(answer.split(b"\r\n\r\n", 1)[1])["translations"]), 50)
        self.assertEqual(server.wait(10), 0)
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", port))
        server.stderr.close()

    def test_faults_at_the_start(self):
        def fails(code, pattern, *options):
            done = subprocess.run([HEED, "serve", *options], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertRegex(done.stderr.strip().split("\n")[-1], pattern)
        fails(1, r"^heed: 127.0.0.1 port \d+: cannot listen: ", "--model", self.model, "--port", str(self.port))
        fails(2, "--bind localhost: must be a numeric address", "--model", self.model, "--bind", "localhost")
        fails(2, "--model: needed", "--port", "0")
        fails(2, "the name one is given twice", "--model", f"one={self.model},one={self.model}")
        fails(2, 'the name "a b" must be', "--model", f"a b={self.model}")
        fails(1, "missing: cannot open", "--model", "missing")
        fails(2, "--port 65536", "--model", self.model, "--port", "65536")


if __name__ == "__main__":
    unittest.main()
