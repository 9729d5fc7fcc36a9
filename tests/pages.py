"""The pages in headless Chromium: the server's, an attention dump's, a training report's. Run by `make check-pages`.

With HEED_PICTURES=FOLDER every page leaves a picture of its desktop and phone form there."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import browser

HEED = pathlib.Path(__file__).resolve().parent.parent / "build/heed"
WORDS = {"the": "le", "a": "un", "dog": "chien", "cat": "chat", "tree": "arbre", "sees": "voit", "likes": "aime"}
SOURCE = "document.querySelectorAll('#source button.word')"
TARGET = "document.querySelectorAll('#target button.word')"
LOOKS = [(size, scheme) for size in (browser.DESKTOP, browser.PHONE) for scheme in ("light", "dark")]
SHADES = "[...%s].map(w => Number(w.style.getPropertyValue('--weight')) / 0.85)"


def pairs():
    for subject in ("dog", "cat", "tree"):
        for thing in ("dog", "cat", "tree"):
            for verb in ("sees", "likes"):
                for first in ("the", "a"):
                    for second in ("the", "a"):
                        words = (first, subject, verb, second, thing)
                        yield " ".join(words) + "\t" + " ".join(WORDS[w] for w in words) + "\n"


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = pathlib.Path(cls.folder.name)
        (cls.here / "pairs.tsv").write_text("".join(pairs()))
        cls.model = cls.here / "m.safetensors"
        cls.report = cls.here / "report.html"
        cls.heed("train", "--train", cls.here / "pairs.tsv", "--model", cls.model, "--preset", "tiny", "--embedding", "16",
                 "--hidden", "24", "--attention-size", "16", "--vocab-size", "300", "--after", "60e", "--valid-freq", "100", "--mini-batch", "8",
                 "--threads", "1", "--quiet", "--report", cls.report)
        cls.server = subprocess.Popen([HEED, "serve", "--port", "0", "--threads", "1", "--model",
                                       f"one={cls.model},two={cls.model}"], stderr=subprocess.PIPE, text=True)
        cls.address = cls.server.stderr.readline().split()[-1]
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.server.send_signal(signal.SIGTERM)
        cls.server.wait(40)
        cls.server.stderr.close()
        cls.folder.cleanup()

    @staticmethod
    def heed(*words, **options):
        return subprocess.run([HEED, *words], check=True, capture_output=True, text=True, encoding="utf-8", **options).stdout

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])

    def quiet_page(self, size, name, scheme):
        """What holds for every page: nothing said, nothing asked elsewhere, nothing wider than the window."""
        b = self.browser
        self.assertEqual(b.errors, [])
        for url in b.requests:
            self.assertTrue(url.startswith((self.address, "file://", "data:")), url)
        self.assertLessEqual(b.run("document.documentElement.scrollWidth"), size[0])
        where = os.environ.get("HEED_PICTURES")
        if where:
            b.picture(pathlib.Path(where) / f"{name}-{'phone' if size == browser.PHONE else 'desktop'}-{scheme}.png")

    def contrast(self, expression):
        """Of the text of an element against the nearest opaque ground."""
        found = self.browser.run(
            f"(() => {{ const e = {expression}; const parse = c => c.match(/[\\d.]+/g).map(Number);"
            "let g = e; while (g && (parse(getComputedStyle(g).backgroundColor)[3] ?? 1) === 0) g = g.parentElement;"
            "return [parse(getComputedStyle(e).color), parse(getComputedStyle(g || document.body).backgroundColor)]; })()")

        def light(color):
            parts = [c / 255 for c in color[:3]]
            parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        a, b = sorted((light(found[0]), light(found[1])))
        return (b + 0.05) / (a + 0.05)

    def open_server(self, text, size=browser.DESKTOP, scheme="light"):
        b = self.browser
        b.look(size, scheme)
        b.open(self.address)
        b.wait("document.getElementById('model').options.length === 2")
        b.run("document.getElementById('text').focus()")
        b.type(text)
        b.wait(f"{TARGET}.length > 0 && {SOURCE}.length > 0")

    def shown(self):
        return self.browser.run("[...document.querySelectorAll('#target p')].map(p => p.textContent)")

    def translated(self, *lines, **options):
        return self.heed("translate", "--model", self.model, "--threads", "1", "--",
                         *lines, **options).split("\n")[:-1]

    # ---- the server

    def test_typing_translates(self):
        lines = ["the dog sees a cat", "a tree likes the dog"]
        self.open_server("\n".join(lines))
        self.assertEqual(self.shown(), self.translated(*lines))
        self.browser.type(" and a tree")
        self.browser.wait("document.getElementById('source').textContent.includes('and a tree')")
        self.assertEqual(self.shown(), self.translated(lines[0], lines[1] + " and a tree"))
        self.browser.click("document.getElementById('clear')")
        self.browser.wait(f"{TARGET}.length === 0")

    def test_it_looks_well_on_every_window(self):
        text = ("the dog sees a cat\n" + "the dog sees a cat and a tree likes the dog " * 6 + "\n" + "x" * 120 +
                "\n\u0627\u0644\u0643\u062a\u0627\u0628 \u0639\u0644\u0649\n\u6211\u559c\u6b22\u6df1\u5ea6\u5b66\u4e60")
        for size, scheme in LOOKS:
            self.open_server(text, size, scheme)
            self.browser.wait("document.querySelectorAll('#target p').length === 5")
            self.quiet_page(size, "serve", scheme)
            for what in ("document.querySelector('#target p')", "document.querySelector('footer p')",
                         "document.getElementById('clear')", "document.getElementById('status')"):
                self.assertGreater(self.contrast(what), 4.5, (what, scheme))
            self.assertEqual(self.browser.run("getComputedStyle(document.querySelectorAll('#source p')[3]).direction"), "rtl")

    def test_pointing_lights_up_where_it_looked(self):
        line = "the dog sees a cat"
        dump = self.here / "dump.jsonl"
        self.translated(line)
        self.heed("translate", "--model", self.model, "--attention", dump, "--", line)
        weights = json.loads(dump.read_text())["attention"]
        self.open_server(line)
        b = self.browser
        for t in (0, 3):
            b.point(f"{TARGET}[{t}]")
            found = b.wait(f"{SHADES % SOURCE}.some(w => w > 0) && {SHADES % SOURCE}")
            for s, weight in enumerate(found):
                self.assertAlmostEqual(weight, weights[t][s], delta=0.001)
            self.assertNotEqual(b.run(f"getComputedStyle({SOURCE}[{found.index(max(found))}]).backgroundColor"),
                                b.run("getComputedStyle(document.body).backgroundColor"))
        b.point(f"{SOURCE}[1]")
        b.wait(f"{TARGET}[0].style.getPropertyValue('--weight') !== ''")
        for t, weight in enumerate(b.run(SHADES % TARGET)):
            self.assertAlmostEqual(weight, weights[t][1], delta=0.001)
        b.point("document.querySelector('h1')")
        b.wait(f"{SHADES % TARGET}.every(w => w === 0)")

    def test_another_continuation(self):
        line = "the dog sees a cat"
        self.open_server(line)
        b = self.browser
        before = self.shown()[0].split(" ")
        b.click(f"{TARGET}[1]")
        names = b.wait("(l => l.length > 1 && l)([...document.querySelectorAll('#choices-list button')]"
                       ".map(e => e.textContent))")
        self.assertGreater(max(b.run(SHADES % SOURCE)), 0.1, "the chosen word's source stays lit")
        other = next(i for i, name in enumerate(names) if name not in (before[1], "(end)"))
        b.click(f"document.querySelectorAll('#choices-list button')[{other}]")
        b.wait("document.getElementById('choices').hidden")
        after = self.shown()[0].split(" ")
        self.assertEqual(after[:2], [before[0], names[other]])
        self.assertEqual([" ".join(after)], self.heed("translate", "--model", self.model, "--prefix", "--threads", "1",
                                                      "--beam-size", "16", "--",
                                                      f"{line}\t{' '.join(after[:2])}").split("\n")[:-1])
        self.assertTrue(b.run(f"{TARGET}[1].classList.contains('forced')"))
        b.click(f"{TARGET}[0]")
        b.wait("document.querySelector('#choices-list button') !== null")
        b.click("[...document.querySelectorAll('#choices-list button')].find(e => e.textContent === 'Let it choose')")
        b.wait(f"document.querySelector('#target p').textContent === {json.dumps(' '.join(before))}")

    def test_alternatives_take_the_place_of_the_best(self):
        self.open_server("the dog sees a cat")
        b = self.browser
        wanted = b.wait("(e => e && e.firstChild.textContent)(document.querySelector('#alternatives-list button'))")
        b.click("document.querySelector('#alternatives-list button')")
        self.assertEqual(self.shown(), [wanted])

    def test_by_keyboard(self):
        self.open_server("the dog sees a cat")
        b = self.browser
        b.run(f"{TARGET}[0].focus()")
        b.key("ArrowRight")
        self.assertEqual(b.run("document.activeElement.dataset.token"), "1")
        self.assertGreater(max(b.run(SHADES % SOURCE)), 0.1)
        self.assertRegex(b.run("document.activeElement.getAttribute('aria-label')"), r"; looked at .*\d+ %")
        b.key("End")
        self.assertEqual(b.run(f"document.activeElement === {TARGET}[{TARGET}.length - 1]"), True)
        b.key("Home")
        b.key("Enter")
        b.wait("document.activeElement.closest('#choices-list') !== null")
        b.key("Escape")
        self.assertTrue(b.run("document.getElementById('choices').hidden"))
        self.assertEqual(b.run("document.activeElement.dataset.token"), "0")

    def test_copying(self):
        self.open_server("the dog sees a cat\na cat sees the dog")
        b = self.browser
        b.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        b.click("document.getElementById('copy')")
        b.wait("document.getElementById('status').textContent === 'Copied.'")
        self.assertEqual(b.run("navigator.clipboard.readText()"), "\n".join(self.shown()))

    def test_the_table(self):
        self.open_server("the dog sees a cat")
        b = self.browser
        b.click("document.querySelector('#matrix summary')")
        rows = b.run("[...document.querySelectorAll('#table tr')].map(r => [...r.cells].map(c => c.textContent))")
        self.assertEqual(rows[0], ["", "the", "dog", "sees", "a", "cat", "</s>"])
        for row in rows[1:]:
            self.assertAlmostEqual(sum(map(float, row[1:])), 1, delta=0.04)

    # ---- files

    def dump(self):
        lines = ["the dog sees a cat", "the dog sees a cat and a tree likes the dog " * 6, "", "x" * 120,
                 "\u0627\u0644\u0643\u062a\u0627\u0628 \u0639\u0644\u0649 cat", "\u6211\u559c\u6b22\u5b66\u4e60",
                 "<script>alert(1)</script> & <b> </s>"]
        dump, page = self.here / "view.jsonl", self.here / "view.html"
        self.heed("translate", "--model", self.model, "--pieces", "--attention", dump, input="\n".join(lines) + "\n")
        self.heed("view", dump, "--html", page)
        return lines, page.as_uri()

    def test_the_page_of_a_dump(self):
        lines, address = self.dump()
        b = self.browser
        for size, scheme in LOOKS:
            b.look(size, scheme)
            b.open(address)
            for i, line in enumerate(lines):
                self.quiet_page(size, f"view-{i}", scheme)
                if line:
                    words = b.run("[...document.querySelectorAll('#source .token')].map(e => e.textContent)")
                    self.assertEqual(words[-1], "</s>")
                    self.assertEqual("".join(words[:-1]), line.replace(" ", ""))
                    self.assertGreater(self.contrast("document.querySelector('#source .token')"), 4.5)
                    self.assertGreater(self.contrast("document.getElementById('facts')"), 4.5)
                    n = b.run("document.querySelectorAll('#matrix tbody tr').length")
                    self.assertEqual(n, b.run("document.querySelectorAll('#target .token').length"))
                else:
                    self.assertIn("blank", b.run("document.getElementById('said').textContent"))
                self.assertEqual(b.run("getComputedStyle(document.getElementById('source')).direction"),
                                 "rtl" if i == 4 else "ltr")
                if i + 1 < len(lines):
                    b.click("document.getElementById('after')")
            self.assertTrue(b.run("document.getElementById('after').disabled"))

    def test_choosing_words_of_a_dump(self):
        _, address = self.dump()
        b = self.browser
        b.look()
        b.open(address)
        b.point("document.querySelectorAll('#target .token')[1]")
        said = b.wait("document.getElementById('said').textContent").replace("\u2068", "").replace("\u2069", "")
        self.assertRegex(said, r"^\w+ looks at \S+ \d+")
        painted = "[...document.querySelectorAll('#source .token')].map(e => e.style.backgroundImage !== '')"
        self.assertIn(True, b.run(painted))
        self.assertTrue(b.run("document.querySelector('#matrix tr:nth-child(2) th').classList.contains('lit')"))
        b.run("document.querySelector('#target .token').focus()")
        b.key("ArrowRight")
        self.assertEqual(b.run("tokens.target.indexOf(document.activeElement)"), 1)
        b.key("ArrowUp")
        self.assertIn("is looked at by", b.run("document.getElementById('said').textContent"))
        b.key("Escape")
        self.assertNotIn(True, b.run(painted))
        self.assertEqual(b.run("[...document.querySelectorAll('#matrix th[scope=col]')].map(e => e.textContent)"),
                         ["the", "dog", "sees", "a", "cat", "</s>"])
        before = b.run("document.querySelectorAll('#source .token').length")
        b.click("document.querySelector('input[value=pieces]')")
        self.assertGreaterEqual(b.run("document.querySelectorAll('#source .token').length"), before)
        b.click("document.querySelector('input[value=log]')")
        for order in ("score", "entropy", "coverage"):
            b.run(f"(e => {{ e.value = '{order}'; e.dispatchEvent(new Event('change')); }})(document.getElementById('order'))")
            key = {"score": "d.normalized", "entropy": "-d.entropy", "coverage": "d.coverage"}[order]
            values = b.run(f"state.order.map(i => data[i]).map(d => {key})")
            self.assertEqual(values, sorted(values), order)

    def test_the_report(self):
        b = self.browser
        for size, scheme in LOOKS:
            b.look(size, scheme)
            b.open(self.report.as_uri())
            self.quiet_page(size, "report", scheme)
            self.assertEqual(b.run("document.querySelectorAll('#charts svg').length"), 5)
            for what in ("document.querySelector('figcaption')", "document.querySelector('.reading')",
                         "document.querySelector('#status')"):
                self.assertGreater(self.contrast(what), 4.5, (what, scheme))
        n = b.run("points.length")
        self.assertGreater(n, 2)
        self.assertEqual(b.run("document.querySelectorAll('#numbers tbody tr').length"), n)
        self.assertIn(f"validation {n} of {n}", b.run("document.getElementById('when-text').textContent"))
        b.run("document.getElementById('when').focus()")
        b.key("Home")
        self.assertIn(f"validation 1 of {n}", b.run("document.getElementById('when-text').textContent"))
        b.point("document.querySelector('#charts svg')")
        b.click("document.querySelector('input[value=minutes]')")
        b.click("document.querySelector('#options-part summary')")
        self.assertIn("hidden", b.run("[...document.querySelectorAll('#options tbody tr')].map(r => r.cells[0].textContent)"))


if __name__ == "__main__":
    if browser.find() is None:
        print("check-pages: skipped: no Chromium here (Debian: apt-get install chromium)", file=sys.stderr)
    else:
        unittest.main()
