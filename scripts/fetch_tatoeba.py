#!/usr/bin/env python3
"""Fetch English sentence pairs of the Tatoeba collection from ManyThings.

    fetch_tatoeba.py --language cmn --output data/cmn
    heed train --train data/cmn/train.tsv --valid data/cmn/valid.tsv --model M.safetensors

Writes train.tsv, valid.tsv and test.tsv: English, tab, the other language.
The split is the same in every run, and no sentence of either language is in
two of the files.
"""
import argparse
import io
import os
import random
import re
import sys
import zipfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fetch_common import (MAX_BYTES, FetchError, check_sha256, decode, download,
                          run, sha256_argument, write_files)

BASE_URL = "https://www.manythings.org/anki"
SEED = 1
LICENCE = """\
The sentences come from Tatoeba (https://tatoeba.org) by way of
https://www.manythings.org/anki and are released under CC BY 2.0 FR.
Name Tatoeba and the authors of the sentences when you pass them on;
the authors are listed in attribution.txt.
"""


def main():
    parser = argparse.ArgumentParser(description="Fetch English sentence pairs of Tatoeba.")
    parser.add_argument("--language", required=True, type=language_code,
                        help="three-letter code of the other language: cmn, fra, deu, ...")
    parser.add_argument("--output", required=True, metavar="DIR", help="folder to write to")
    parser.add_argument("--base-url", default=BASE_URL, metavar="URL",
                        help="where the zip file lies (default: %(default)s)")
    parser.add_argument("--sha256", type=sha256_argument, metavar="HEX",
                        help="refuse a zip file with another SHA-256")
    parser.add_argument("--valid", type=fraction, default=0.02, metavar="SHARE",
                        help="share of the validation set (default: %(default)s)")
    parser.add_argument("--test", type=fraction, default=0.02, metavar="SHARE",
                        help="share of the test set (default: %(default)s)")
    parser.add_argument("--reverse", action="store_true",
                        help="write the other language first and English second")
    return run(fetch, parser.parse_args())


def language_code(text):
    if not re.fullmatch(r"[a-z]{3}", text):
        raise argparse.ArgumentTypeError("a language code has three small letters")
    return text


def fraction(text):
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 0.4:
        raise argparse.ArgumentTypeError("a share lies between 0 and 0.4")
    return value


def fetch(args):
    name = f"{args.language}-eng.zip"
    data = download(f"{args.base_url.rstrip('/')}/{name}")
    check_sha256(data, name, args.sha256)
    member, text = unpack(data, name)
    rows = read_rows(text, member)
    splits = split_rows(rows, args.valid, args.test)
    files = {f"{split}.tsv": as_tsv(part, args.reverse) for split, part in splits.items()}
    files["attribution.txt"] = attribution_text(rows)
    write_files(args.output, files)
    for split, part in splits.items():
        print(f"{split}: {len(part)} pairs")
    print(LICENCE, end="")


def unpack(data, name):
    """Return name and text of the one table inside the zip file."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            member = choose_member(archive, name)
            return member.filename, decode(archive.read(member), member.filename)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise FetchError(f"{name} is not a whole zip file: {error}") from error


def choose_member(archive, name):
    """Refuse an archive whose members have paths; find the table in it."""
    tables = []
    for member in archive.infolist():
        if re.search(r"[/\\:]", member.filename) or member.filename.startswith("."):
            raise FetchError(f"{name} holds a member with a path: {member.filename!r}")
        if member.filename.endswith(".txt") and not member.filename.startswith("_"):
            tables.append(member)
    if len(tables) != 1:
        raise FetchError(f"{name} holds {len(tables)} tables where one was expected")
    if tables[0].file_size > MAX_BYTES:
        raise FetchError(f"{name} unpacks to more than the limit of {MAX_BYTES} bytes")
    return tables[0]


def read_rows(text, member):
    """Return (english, other, attribution) rows without repeated pairs."""
    rows, seen = [], set()
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) < 2 or not fields[0].strip() or not fields[1].strip():
            raise FetchError(f"line {number} of {member} is not english, tab, other")
        english, other = clean(fields[0]), clean(fields[1])
        if (english, other) not in seen:
            seen.add((english, other))
            rows.append((english, other, clean(fields[2]) if len(fields) > 2 else ""))
    if not rows:
        raise FetchError(f"{member} holds no sentence pairs")
    return rows


def clean(sentence):
    """Collapse blanks; other control characters would break the table."""
    return " ".join(sentence.split())


def split_rows(rows, valid_share, test_share):
    """Split so that no sentence of either side is in two parts.

    Pairs that share a sentence hang together, directly or through others; a
    whole such group goes to one part.
    """
    groups = group_rows(rows)
    random.Random(SEED).shuffle(groups)
    wanted = {"test": round(test_share * len(rows)), "valid": round(valid_share * len(rows))}
    parts = {"train": [], "valid": [], "test": []}
    for group in groups:
        for split, size in wanted.items():
            if len(parts[split]) + len(group) <= size:
                parts[split] += group
                break
        else:
            parts["train"] += group
    if not parts["train"]:
        raise FetchError("too few sentence pairs to split")
    return parts


def group_rows(rows):
    """Return the rows in groups that share no sentence with each other."""
    parent = list(range(len(rows)))

    def find(k):
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    owner = {}
    for k, (english, other, _) in enumerate(rows):
        for key in ((0, english.casefold()), (1, other.casefold())):
            parent[find(k)] = find(owner.setdefault(key, k))
    groups = {}
    for k, row in enumerate(rows):
        groups.setdefault(find(k), []).append(row)
    return list(groups.values())


def as_tsv(rows, reverse):
    pairs = ((b, a) if reverse else (a, b) for a, b, _ in rows)
    return "".join(f"{a}\t{b}\n" for a, b in pairs)


def attribution_text(rows):
    notes = sorted({note for _, _, note in rows if note})
    return LICENCE + "\n" + "".join(note + "\n" for note in notes)


if __name__ == "__main__":
    sys.exit(main())
