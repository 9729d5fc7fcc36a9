#!/usr/bin/env python3
"""Trains one model for each row of a file and prints a table of the validation scores.

    python3 scripts/grid.py rows.txt --train-source t.en --train-target t.de \\
        --valid-source v.en --valid-target v.de --after 30m --folder build/grid

A line of rows.txt is a name and options of heed train:

    # what changes against the preset
    preset
    narrow    --hidden 128 --embedding 128
    dropout3  --dropout-embedding 0.3 --dropout-input 0.3

Rows that are done are kept, an interrupted one goes on from its checkpoint. Only validation pairs
are looked at: no test set has a place here.
"""
import argparse
import concurrent.futures
import pathlib
import re
import shlex

import lab

HEADER = ["name", "options", "updates", "best at", "minutes", "BLEU", "chrF", "loss"]


def read_rows(path):
    """[(name, [option, ...]), ...] of the file."""
    rows = []
    for number, line in enumerate(lab.read_lines(path), 1):
        where = f"{path}:{number}"
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise lab.LabError(f"{where}: {error}") from None
        if not words:
            continue
        name, options = words[0], words[1:]
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_+-]*", name):
            raise lab.LabError(f"{where}: the name {name!r} may have letters, digits, _, + and -")
        if name in (row[0] for row in rows):
            raise lab.LabError(f"{where}: the name {name} is taken by a row above")
        lab.check_options(options, where)
        rows.append((name, options))
    if not rows:
        raise lab.LabError(f"{path}: there are no rows")
    return rows


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", metavar="ROWS.txt", help="names and options, a line each")
    for side in ("train", "valid"):
        parser.add_argument(f"--{side}", metavar="PAIRS.tsv")
        parser.add_argument(f"--{side}-source", metavar="FILE")
        parser.add_argument(f"--{side}-target", metavar="FILE")
    parser.add_argument("--after", required=True, metavar="10e|5000u|30m",
                        help="budget of each row, as in heed train")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="rows trained at a time, each with --threads (default: 1)")
    lab.add_common_options(parser, lab.ROOT / "build" / "grid")
    return parser.parse_args(words)


def name_pairs(arguments):
    """The options of heed train that name the corpora."""
    pairs = []
    for name in ("train", "train_source", "train_target", "valid", "valid_source", "valid_target"):
        value = getattr(arguments, name)
        if value is not None:
            if not pathlib.Path(value).is_file():
                raise lab.LabError(f"--{name.replace('_', '-')} {value}: there is no such file")
            pairs += [f"--{name.replace('_', '-')}", value]
    if not any(name.startswith("--train") for name in pairs):
        raise lab.LabError("--train, or --train-source and --train-target: the pairs are needed")
    return pairs


def check_seeds(rows, pairs):
    """Held-out pairs depend on the seed: rows of several seeds need validation pairs of their own."""
    has_seed = any(word.split("=")[0] == "--seed" for _, options in rows for word in options)
    if has_seed and not any(name.startswith("--valid") for name in pairs):
        raise lab.LabError("--seed in a row: give validation pairs too, since the seed decides which "
                           "training pairs are held out")


def train_row(heed, arguments, pairs, row):
    """The result of lab.train, or a LabError as a value: other rows go on."""
    name, options = row
    try:
        _, result = lab.train(heed, arguments.folder, name, pairs, options, arguments.after,
                              arguments.threads)
        lab.say(f"{name}: BLEU {result['bleu']:.2f}, {result['reason']}")
        return result
    except lab.LabError as error:
        lab.say(f"{name}: {error}")
        return error


def train_rows(heed, arguments, pairs, rows):
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        futures = [pool.submit(train_row, heed, arguments, pairs, row) for row in rows]
        try:
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            for future in futures:
                future.cancel()
            heed.stop()
            raise


def cells(row, result):
    name, options = row
    shown = f"`{shlex.join(options)}`" if options else ""
    if isinstance(result, lab.LabError):
        return [f"{name} (failed)", shown] + ["–"] * 6
    return [name, shown, result["updates"], result["best_update"], f"{result['minutes']:.1f}",
            f"{result['bleu']:.2f}", f"{result['chrf']:.2f}", f"{result['loss']:.4f}"]


def main(words):
    arguments = parse(words)
    if arguments.jobs < 1:
        raise lab.LabError(f"--jobs {arguments.jobs}: must be at least 1")
    rows = read_rows(arguments.rows)
    pairs = name_pairs(arguments)
    check_seeds(rows, pairs)
    results = train_rows(lab.Heed(arguments.heed), arguments, pairs, rows)
    text = lab.table(HEADER, [cells(row, result) for row, result in zip(rows, results)])
    (arguments.folder / "grid.md").write_text(text, encoding="utf-8")
    print(text, end="")
    return 1 if any(isinstance(result, lab.LabError) for result in results) else 0


if __name__ == "__main__":
    lab.run_script(main)
