"""What the fetch scripts share: download, checks and safe writing.

Python standard library only.  Everything that goes wrong is a FetchError with
one sentence for the user; nothing is left half-written.
"""
import argparse
import gzip
import hashlib
import io
import os
import re
import sys
import tempfile
import urllib.error
import urllib.request
import zlib

# No collection that these scripts know comes near this size.
MAX_BYTES = 200 * 1024 * 1024
CHUNK = 1 << 16
TIMEOUT_SECONDS = 60


class FetchError(Exception):
    """A failure that is told to the user in one sentence."""


def download(url, max_bytes=None):
    """Return the bytes behind an http, https or file address."""
    limit = MAX_BYTES if max_bytes is None else max_bytes
    request = urllib.request.Request(url, headers={"User-Agent": "heed-fetch/1"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            return read_answer(answer, url, limit)
    except urllib.error.HTTPError as error:
        raise FetchError(f"the server answered {error.code} for {url}") from error
    except urllib.error.URLError as error:
        raise FetchError(f"cannot reach {url}: {error.reason}") from error
    except (OSError, ValueError) as error:
        raise FetchError(f"cannot read {url}: {error}") from error


def read_answer(answer, url, limit):
    """Read a response, refusing what is empty, cut short or too large."""
    status = getattr(answer, "status", None)
    if status not in (None, 200):
        raise FetchError(f"the server answered {status} for {url}")
    declared = answer.headers.get("Content-Length")
    expected = int(declared) if declared and declared.isdigit() else None
    if expected is not None and expected > limit:
        raise FetchError(f"{url} has {expected} bytes, more than the limit of {limit}")
    chunks, size = [], 0
    while True:
        chunk = read_chunk(answer, url)
        if not chunk:
            break
        size += len(chunk)
        if size > limit:
            raise FetchError(f"{url} has more than the limit of {limit} bytes")
        chunks.append(chunk)
    if expected is not None and size != expected:
        raise FetchError(f"{url} was cut short: {size} of {expected} bytes arrived")
    if size == 0:
        raise FetchError(f"{url} is empty")
    return b"".join(chunks)


def read_chunk(answer, url):
    try:
        return answer.read(CHUNK)
    except Exception as error:
        # A broken connection shows as one of several exception classes.
        raise FetchError(f"the transfer of {url} broke off: {error}") from error


def check_sha256(data, name, expected):
    """Print the SHA-256 of a file and refuse one that was not expected."""
    digest = hashlib.sha256(data).hexdigest()
    print(f"sha256 {digest}  {name}")
    if expected is not None and digest != expected.lower():
        raise FetchError(f"the SHA-256 of {name} is {digest}, not {expected.lower()}")


def gunzip(data, name, max_bytes=None):
    """Unpack gzip data whole, or refuse it."""
    limit = MAX_BYTES if max_bytes is None else max_bytes
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FetchError(f"{name} is not a whole gzip file: {error}") from error
    if len(text) > limit:
        raise FetchError(f"{name} unpacks to more than the limit of {limit} bytes")
    return text


def decode(data, name):
    """Return the text of UTF-8 data; a byte order mark is dropped."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FetchError(f"{name} is not UTF-8: {error}") from error


def write_files(folder, files):
    """Write all files or none: {name: text}.

    Every file is first written whole under a temporary name; only when all
    are there do they get their names.
    """
    ready = []
    try:
        os.makedirs(folder, exist_ok=True)
        for name, text in files.items():
            ready.append((write_temporary(folder, text), os.path.join(folder, name)))
        while ready:
            os.replace(*ready[0])
            ready.pop(0)
    except OSError as error:
        raise FetchError(f"cannot write to {folder}: {error}") from error
    finally:
        for temporary, _ in ready:
            if os.path.exists(temporary):
                os.unlink(temporary)


def write_temporary(folder, text):
    handle, path = tempfile.mkstemp(prefix=".fetch-", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(path, 0o644)
    except BaseException:
        os.unlink(path)
        raise
    return path


def sha256_argument(text):
    """Check the form of a SHA-256 given as an option."""
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError("a SHA-256 has 64 hexadecimal digits")
    return text


def run(fetch, args):
    """Call fetch(args); tell a failure in one sentence and return the exit code."""
    try:
        fetch(args)
    except FetchError as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; nothing was written", file=sys.stderr)
        return 1
    return 0
