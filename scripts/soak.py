#!/usr/bin/env python3
"""soak.py [HEED]: kill-and-resume for SOAK_MINUTES (default 20): one training is killed by SIGKILL at random moments
and resumed, again and again; the other runs through. Both must take the same road: every validation of the same update
has the same loss and scores, and the last checkpoints hold the same numbers.

Both go on in stretches of 400 updates and are compared after each, until the time is over.
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import safetensors_reader  # noqa: E402

HEED = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "heed").resolve()
MINUTES = float(os.environ.get("SOAK_MINUTES", "20"))
STRETCH = 400  # updates that both sides take before they are compared


def write_pairs(path):
    rng = random.Random(7)
    with open(path, "w", encoding="utf-8") as out:
        for _ in range(3000):
            words = [rng.choice("abcdefghijklmnop") for _ in range(rng.randint(2, 9))]
            out.write(" ".join(words) + "\t" + " ".join(reversed(words)) + "\n")


def command(pairs, model, updates, resumes):
    return [str(HEED), "train", "--train", str(pairs), "--model", str(model), "--after", f"{updates}u", "--embedding", "32",
            "--hidden", "48", "--attention-size", "32", "--tokenizer", "word", "--mini-batch", "32", "--valid-freq", "20",
            "--valid-sentences", "50", "--beam-size", "2", "--early-stopping", "1000000", "--dropout-input", "0.1",
            "--dropout-state", "0.1", "--threads", "2", "--log", str(model.with_suffix(".tsv")),
            *(["--resume"] if resumes else [])]


def finish(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"soak: code {done.returncode}: {done.stderr[-2000:]}")


def curve(model):
    """What was validated, by update: of one that was killed and done again, the last."""
    lines = [line.split("\t") for line in model.with_suffix(".tsv").read_text().splitlines()]
    header = lines[0]
    kept = [i for i, name in enumerate(header) if name not in ("minutes", "tokens_per_second")]
    at = header.index("update")
    return {line[at]: [line[i] for i in kept] for line in lines[1:] if len(line) == len(header)}


def tensors(model):
    path = model.with_name(model.stem + ".last.safetensors")
    metadata, found = safetensors_reader.read(path)
    if metadata["checksum"] != safetensors_reader.checksum(path):
        sys.exit(f"soak: {path.name} is damaged")
    return found


def main():
    rng = random.Random(os.environ.get("SOAK_SEED", "1"))
    end = time.monotonic() + 60 * MINUTES
    n_kills = n_stretches = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pairs, whole, broken = folder / "pairs.tsv", folder / "whole.safetensors", folder / "broken.safetensors"
        last = broken.with_name("broken.last.safetensors")
        write_pairs(pairs)
        while time.monotonic() < end:
            n_stretches += 1
            updates = STRETCH * n_stretches
            began = time.monotonic()
            finish(command(pairs, whole, updates, n_stretches > 1))
            seconds = time.monotonic() - began
            for _ in range(10):
                extra = ["--overwrite"] if broken.exists() and not last.exists() else []
                process = subprocess.Popen(command(pairs, broken, updates, last.exists()) + extra,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(rng.uniform(0, seconds / 4))
                n_kills += process.poll() is None
                process.send_signal(signal.SIGKILL)
                process.wait()
                temporary = list(folder.glob("broken*.tmp"))
                if len(temporary) > 1:
                    sys.exit(f"soak: {len(temporary)} temporary files")
            finish(command(pairs, broken, updates, last.exists())
                   + (["--overwrite"] if broken.exists() and not last.exists() else []))
            a, b = curve(whole), curve(broken)
            if a != b:
                sys.exit(f"soak: the curves differ at updates {sorted(k for k in {*a, *b} if a.get(k) != b.get(k))[:5]}")
            if tensors(whole) != tensors(broken):
                sys.exit(f"soak: the checkpoints differ at update {updates}")
        print(f"soak: {MINUTES:g} minutes, {n_kills} kills, {STRETCH * n_stretches} updates, {len(a)} validations: "
              "the same curve and the same numbers")


if __name__ == "__main__":
    main()
