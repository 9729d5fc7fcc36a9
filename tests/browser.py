"""A headless Chromium, driven over a pipe with its DevTools protocol. Python's standard library alone."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40, "Home": 36, "End": 35, "Tab": 9,
        "Escape": 27, "Enter": 13}
DESKTOP = (1280, 800)
PHONE = (390, 844)


def find():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser with one tab. Keeps what the console said and what was asked from the network."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        into, self.out = os.pipe()
        self.answers, back = os.pipe()
        # The protocol reads from descriptor 3 and writes to 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{into} 4>&{back}', "sh", find(), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", "--disable-background-networking",
             "--disable-component-update", "--disable-extensions", f"--user-data-dir={self.folder.name}",
             "--remote-debugging-pipe", "about:blank"],
            pass_fds=(into, back), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(into)
        os.close(back)
        self.buffer = b""
        self.number = 0
        self.errors, self.requests = [], []
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except OSError:
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.answers)
        self.folder.cleanup()

    # ---- the protocol

    def receive(self, seconds):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], seconds)[0]:
                raise TimeoutError(f"no answer of the browser in {seconds} seconds")
            block = os.read(self.answers, 1 << 20)
            if not block:
                raise OSError("the browser has ended")
            self.buffer += block
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(60)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def note(self, event):
        name, p = event.get("method"), event.get("params", {})
        if name == "Runtime.exceptionThrown":
            self.errors.append(p["exceptionDetails"].get("exception", {}).get("description", str(p)))
        elif name == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.errors.append(str([a.get("value", a.get("description")) for a in p["args"]]))
        elif name == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(p["entry"]["text"])
        elif name == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])

    # ---- what a person does

    def look(self, size=DESKTOP, scheme="light"):
        """Window size and colour scheme of the next pages; the phone has a touch screen."""
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                  deviceScaleFactor=1, mobile=size == PHONE)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, url):
        self.errors.clear()
        self.requests.clear()
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True,
                           userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, seconds=20):
        """Until the expression is true; returns its value."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(expression)
            if value:
                return value
            if time.monotonic() > end:
                raise TimeoutError(f"still not true: {expression}; errors: {self.errors}")
            time.sleep(0.05)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=KEYS[name],
                      **({"text": "\r"} if name == "Enter" and kind == "keyDown" else {}))

    def place(self, expression):
        """The middle of an element, after it was scrolled into view."""
        return self.run(f"(() => {{ const e = {expression}; e.scrollIntoView({{block: 'center', inline: 'center'}}); "
                        "const r = e.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2]; })()")

    def point(self, expression):
        x, y = self.place(expression)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, expression):
        x, y = self.place(expression)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left",
                      clickCount=0 if kind == "mouseMoved" else 1)

    def picture(self, path, whole=True):
        """A PNG of the page."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))
