#!/usr/bin/env python3
"""Fetch the Multi30k image captions (task 1, raw text).

    fetch_multi30k.py --language de --output data/en-de
    heed train --train-source data/en-de/train.en --train-target data/en-de/train.de \\
               --valid-source data/en-de/valid.en --valid-target data/en-de/valid.de \\
               --model M.safetensors

Writes train, valid and test in English and in the other language.  The test
set is the one of Flickr images of the first shared task.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fetch_common import (FetchError, check_sha256, decode, download, gunzip,
                          run, sha256_argument, write_files)

BASE_URL = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw"
# The name of each split here and in the collection.
SPLITS = {"train": "train", "valid": "val", "test": "test_2016_flickr"}
LICENCE = """\
The captions come from Multi30k (https://github.com/multi30k/dataset; Elliott,
Frank, Sima'an and Specia; Czech and French by the shared tasks on multimodal
translation).  Its maintainers state that it is under the terms of Flickr30k:
for non-commercial research and education only.  Read the terms there before
you use the captions or a model trained on them, and cite the papers.
"""


def main():
    parser = argparse.ArgumentParser(description="Fetch the Multi30k captions.")
    parser.add_argument("--language", required=True, choices=("de", "fr", "cs"),
                        help="the language beside English")
    parser.add_argument("--output", required=True, metavar="DIR", help="folder to write to")
    parser.add_argument("--base-url", default=BASE_URL, metavar="URL",
                        help="where the .gz files lie (default: %(default)s)")
    parser.add_argument("--sha256", action="append", default=[], type=named_sha256,
                        metavar="FILE=HEX",
                        help="refuse a file with another SHA-256, e.g. train.en.gz=...; may be repeated")
    return run(fetch, parser.parse_args())


def named_sha256(text):
    name, mark, digest = text.partition("=")
    known = [f"{split}.{side}.gz" for split in SPLITS.values() for side in ("en", "de", "fr", "cs")]
    if not mark or name not in known:
        raise argparse.ArgumentTypeError("give FILE=HEX, where FILE is e.g. train.en.gz")
    return name, sha256_argument(digest)


def fetch(args):
    expected, files, counts = dict(args.sha256), {}, {}
    for split, remote in SPLITS.items():
        sides = {side: fetch_side(args.base_url, f"{remote}.{side}.gz", expected)
                 for side in ("en", args.language)}
        counts[split] = check_sides(split, sides)
        for side, lines in sides.items():
            files[f"{split}.{side}"] = "".join(line + "\n" for line in lines)
    write_files(args.output, files)
    for split, count in counts.items():
        print(f"{split}: {count} pairs")
    print(LICENCE, end="")


def fetch_side(base_url, name, expected):
    """Return the lines of one file of the collection."""
    data = download(f"{base_url.rstrip('/')}/{name}")
    check_sha256(data, name, expected.get(name))
    text = decode(gunzip(data, name), name)
    lines = [" ".join(line.split()) for line in text.rstrip("\n").split("\n")]
    if not any(lines):
        raise FetchError(f"{name} holds no text")
    return lines


def check_sides(split, sides):
    """Refuse sides of different length; return their number of lines."""
    (a, first), (b, second) = sides.items()
    if len(first) != len(second):
        raise FetchError(f"{split} has {len(first)} lines in {a} but {len(second)} in {b}")
    return len(first)


if __name__ == "__main__":
    sys.exit(main())
