"""The server under load: no wrong answer, times and throughput beside one client, bad neighbours, memory.

    python3 tests/soak_serve.py [--model M --lines FILE] [--seconds 60] [--clients 64] [--requests 10000]

Without --model a small one is trained first. Run by `make check-serve MODEL=... LINES=...`."""
import argparse
import http.client
import json
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HEED = pathlib.Path(__file__).resolve().parent.parent / "build/heed"
HEADER_SECONDS, BODY_SECONDS = 5, 10  # after which the server gives a slow client up


def train(here):
    """A small model and lines for it."""
    pairs = [f"the {a} {v} {b}\tle {a} {v} {b}\n" for a in ("dog", "cat", "tree", "bird", "man")
             for b in ("dog", "cat", "tree", "bird", "man") for v in ("sees", "likes", "hears")]
    (here / "pairs.tsv").write_text("".join(pairs))
    subprocess.run([HEED, "train", "--train", here / "pairs.tsv", "--model", here / "m.safetensors", "--preset", "tiny",
                    "--embedding", "32", "--hidden", "32", "--attention-size", "32", "--vocab-size", "300", "--after",
                    "200u", "--mini-batch", "16", "--valid-freq", "100000", "--quiet"], check=True)
    return here / "m.safetensors", [p.split("\t")[0] for p in pairs]


class Load:
    """So many clients, each with a connection of its own, that ask one line after the other."""

    def __init__(self, port, lines, expected):
        self.port, self.lines, self.expected = port, lines, expected
        self.times, self.wrong, self.failed = [], [], []
        self.lock = threading.Lock()

    def client(self, number, goes_on):
        rng = random.Random(number)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        times, wrong, failed = [], [], []
        while goes_on(len(times)):
            line = rng.choice(self.lines)
            began = time.monotonic()
            try:
                connection.request("POST", "/translate", json.dumps({"text": line, "attention": rng.random() < 0.3}))
                answer = connection.getresponse()
                body = json.loads(answer.read())
            except (OSError, http.client.HTTPException, ValueError) as error:
                failed.append(repr(error))
                connection.close()
                continue
            times.append(time.monotonic() - began)
            if answer.status != 200:
                failed.append(f"{answer.status} {body}")
            elif body["translations"][0]["text"] != self.expected[line]:
                wrong.append((line, body["translations"][0]["text"]))
        connection.close()
        with self.lock:
            self.times += times
            self.wrong += wrong
            self.failed += failed

    def run(self, n_clients, seconds=None, n_requests=None):
        """Until the time is up, or each client has had its share of the requests."""
        end = time.monotonic() + (seconds or 1e9)
        share = -(-n_requests // n_clients) if n_requests else 10 ** 9
        began = time.monotonic()
        threads = [threading.Thread(target=self.client, args=(
            i, lambda n: n < share and time.monotonic() < end)) for i in range(n_clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.monotonic() - began

    def report(self, name, seconds):
        times = sorted(self.times)
        at = [1000 * times[min(len(times) - 1, int(len(times) * q))] for q in (0.5, 0.99)]
        print(f"{name}: {len(times)} requests, {len(times) / seconds:.0f} a second, p50 {at[0]:.0f} ms, p99 {at[1]:.0f} ms, "
              f"{len(self.wrong)} wrong, {len(self.failed)} failed", flush=True)
        return self.wrong[:3] + self.failed[:3]


class Neighbours:
    """What others do to a server: each call is one deed and returns what was wrong with the answer."""

    def __init__(self, port):
        self.port = port

    def send(self, data, seconds=20):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=seconds)
        try:
            connection.sendall(data)
            return connection.recv(4096)
        except OSError:
            return b""
        finally:
            connection.close()

    def status(self, data, *wanted):
        found = self.send(data)
        code = found[9:12].decode() if found.startswith(b"HTTP/1.1 ") else "none"
        return None if code in wanted else f"{data[:60]!r}: {code}, not {wanted}"

    def post(self, body, *wanted):
        head = b"POST /translate HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
        return self.status(head + body, *wanted)

    def oversized(self):
        return self.post(b'{"text":"' + b"a" * 70000 + b'"}', "413")

    def endless(self):  # more than is even read to its end: an answer or a closed door
        return self.post(b"a" * (3 << 20), "413", "none")

    def broken(self):
        return self.post(random.choice([b"", b"{", b"null", b'{"text":1}', b'{"text":"\xff"}', b"[" * 5000,
                                        b'{"text":"a","beam_size":-1}', b'{"text":"a","model":"../x"}']), "400", "404")

    def path(self):
        path = random.choice(["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/page.js/../../x",
                              "/page.js%00.html", "/\\..\\x", "/translate/", "/" + "a" * 7000])
        return self.status(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode(), "400", "404")

    def rubbish(self):
        return self.status(bytes(random.randrange(256) for _ in range(300)) + b"\r\n\r\n", "400", "404", "405", "505", "none")

    def leaves(self):
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.sendall(b'POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: 17\r\n\r\n{"text":"the dog"}')
        connection.close()

    def drips(self, head, limit):
        """Sends a byte now and then; the server must end it within the limit and a little."""
        began = time.monotonic()
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=0.3)
        try:
            connection.sendall(head)
            while time.monotonic() - began < limit + 5:
                connection.sendall(b"a")
                try:
                    if connection.recv(4096) == b"":
                        return None
                except TimeoutError:
                    pass
            return f"a slow client was still there after {limit + 5} seconds"
        except OSError:
            return None
        finally:
            connection.close()

    def slow_header(self):
        return self.drips(b"GET /health HTTP/1.1\r\nX-", HEADER_SECONDS)

    def slow_body(self):
        return self.drips(b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", BODY_SECONDS)

    def until(self, stop, found, n_done):
        quick = [self.oversized, self.endless, self.broken, self.path, self.rubbish, self.leaves]

        def work(deeds, pause):
            while not stop.is_set():
                wrong = random.choice(deeds)()
                n_done[0] += 1
                if wrong:
                    found.append(wrong)
                stop.wait(pause)
        threads = [threading.Thread(target=work, args=(deeds, pause))
                   for deeds, pause in [(quick, 0.05)] + [([self.slow_header, self.slow_body], 0)] * 16]
        for thread in threads:
            thread.start()
        return threads


def memory(server):
    for line in open(f"/proc/{server.pid}/status", encoding="ascii"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def soak(server, port, lines, expected, options):
    def load():
        return Load(port, lines, expected)
    faults = []
    one = load()
    faults += one.report("1 client", one.run(1, seconds=options.seconds / 4))
    many = load()
    faults += many.report(f"{options.clients} clients", many.run(options.clients, seconds=options.seconds))

    stop, found, n_done = threading.Event(), [], [0]
    threads = Neighbours(port).until(stop, found, n_done)
    among = load()
    seconds = among.run(options.clients, seconds=options.seconds / 2)
    stop.set()
    for thread in threads:
        thread.join()
    faults += among.report(f"{options.clients} clients among bad neighbours", seconds) + found[:3]
    print(f"bad neighbours: {n_done[0]} deeds (slow headers and bodies, oversized and broken requests, paths, rubbish), "
          f"{len(found)} not refused as they should be", flush=True)

    before = memory(server)
    growth = load()
    growth.run(8, n_requests=options.requests)
    after = memory(server)
    faults += growth.wrong[:3] + growth.failed[:3]
    print(f"memory: {before:.1f} MB, and {after:.1f} MB after {len(growth.times)} further requests", flush=True)
    if after > before * 1.05 + 2:
        faults.append(f"memory grew from {before:.1f} to {after:.1f} MB")
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model")
    parser.add_argument("--lines")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--requests", type=int, default=10000)
    options = parser.parse_args()
    if (options.model is None) != (options.lines is None):
        parser.error("--model and --lines: both or neither")
    with tempfile.TemporaryDirectory() as folder:
        if options.model is None:
            model, lines = train(pathlib.Path(folder))
        else:
            model, lines = options.model, pathlib.Path(options.lines).read_text(encoding="utf-8").split("\n")[:1000]
        lines = [line for line in lines if line.strip()]
        done = subprocess.run([HEED, "translate", "--model", model], input="\n".join(lines) + "\n", capture_output=True,
                              text=True, encoding="utf-8", check=True)
        expected = dict(zip(lines, done.stdout.split("\n")))
        server = subprocess.Popen([HEED, "serve", "--port", "0", "--model", f"m={model}"], stderr=subprocess.PIPE, text=True)
        try:
            port = int(server.stderr.readline().rsplit(":", 1)[1].rstrip("/\n"))
            faults = soak(server, port, lines, expected, options)
        finally:
            server.send_signal(signal.SIGTERM)
            code = server.wait(60)
            server.stderr.close()
        if code != 0:
            faults.append(f"the server ended with {code}")
    for fault in faults:
        print("soak_serve: " + str(fault), file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
