"""Runs the command-line cases of tests/cases/*.test with each program given.

A case is a block of lines, separated from the next by a blank line:

    # what is expected, in words
    $ heed eval --hypothesis data/a --reference data/b
    < a line of standard input (any number of them; \\t, \\r, \\0 and \\xHH are escapes)
    > a line of standard output, to the letter (any number, all of it)
    * a regular expression that a line of standard output must match (instead of >)
    ! a regular expression that the last line of standard error must match
    ? 3

`?` is the exit code, 0 when it is absent. The command runs by sh in an empty folder that the cases of one
file share, in which `data` is tests/data, and `corpora` and `models` are those folders; `heed` is the program under test.
Without `>` and `*` standard output is not looked at.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def read_blocks(path):
    block, blocks = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.strip():
            block.append((number, line))
        elif block:
            blocks.append(block)
            block = []
    if block:
        blocks.append(block)
    return [b for b in blocks if any(line.startswith("$ ") for _, line in b)]


def unescape(text):
    return re.sub(rb"\\(t|r|0|x[0-9a-fA-F]{2})",
                  lambda m: {b"t": b"\t", b"r": b"\r", b"0": b"\0"}.get(m[1]) or bytes([int(m[1][1:], 16)]),
                  text.encode("utf-8"))


def parse(block):
    case = {"command": [], "in": [], "out": [], "match": [], "err": [], "code": 0}
    keys = {"$": "command", "<": "in", ">": "out", "*": "match", "!": "err"}
    for number, line in block:
        mark, rest = line[0], line[2:]
        if mark == "#":
            continue
        if mark == "?":
            case["code"] = int(rest)
        elif mark in keys:
            case[keys[mark]].append(rest)
        else:
            sys.exit(f"line {number}: a line of a case begins with # $ < > * ! or ?")
    return case


def check(case, program, folder):
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}",
                       ASAN_OPTIONS="detect_leaks=1")
    stdin = b"".join(unescape(line) + b"\n" for line in case["in"])
    done = subprocess.run("\n".join(case["command"]), shell=True, cwd=folder, env=environment,
                          input=stdin, capture_output=True, timeout=300)
    faults = []
    if done.returncode != case["code"]:
        faults.append(f"exit code {done.returncode}, expected {case['code']}")
    if case["out"]:
        expected = b"".join(unescape(line) + b"\n" for line in case["out"])
        if done.stdout != expected:
            faults.append(f"stdout {done.stdout!r}, expected {expected!r}")
    stdout_lines = done.stdout.decode("utf-8", "replace").split("\n")
    for pattern in case["match"]:
        if not any(re.search(pattern, line) for line in stdout_lines):
            faults.append(f"no line of stdout matches {pattern!r}: {done.stdout[:2000]!r}")
    last = (done.stderr.decode("utf-8", "replace").rstrip("\n").split("\n") or [""])[-1]
    for pattern in case["err"]:
        if not re.search(pattern, last):
            faults.append(f"last line of stderr {last!r}, expected a match of {pattern!r}")
    if faults and not case["err"]:
        faults.append(f"stderr {done.stderr.decode('utf-8', 'replace')[-2000:]}")
    return faults


def main():
    failed = passed = 0
    for name in sys.argv[1:]:
        program = pathlib.Path(name).resolve()
        for path in sorted((HERE / "cases").glob("*.test")):
            with tempfile.TemporaryDirectory() as folder:
                os.symlink(HERE / "data", f"{folder}/data")
                for shared in ("corpora", "models"):
                    os.symlink(HERE.parent / shared, f"{folder}/{shared}")
                for block in read_blocks(path):
                    faults = check(parse(block), program, folder)
                    passed += not faults
                    failed += bool(faults)
                    for fault in faults:
                        print(f"{path.name}:{block[0][0]} ({name}): {fault}", file=sys.stderr)
    print(f"command line: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
