#!/usr/bin/env python3
"""Alignment error rates (AER) of a pair of models on gold sentences.

Makes a training text of the given pairs and the gold set's own sentences, lower-cased and with
punctuation apart in the way the gold set has it; trains both directions; aligns the gold sentences;
and prints the AER of each direction and of both made one: by attention and counts together as `heed
align` does it, by the counts, by the attention, and by the attention one step later (--shift).

    python3 scripts/align_experiment.py --train-source t.en --train-target t.de \\
        --gold-source g.en --gold-target g.de --gold-links g.sure --after 30m

Every 50th training pair is held out for validation (at most 1,000). Gold links play no part in
training; the sentences of the gold set do, as is usual for aligners. Should a training be tuned, tune
it on another gold set.
"""
import argparse
import json
import pathlib
import re
import shlex

import lab

METHODS = ("intersection", "grow-diag", "grow-diag-final-and", "union")
# What links follow, by the options of heed align.
WAYS = {"both": [],
        "counts": ["--align-by", "counts"],
        "attention": ["--align-by", "attention"],
        "attention-shifted": ["--align-by", "attention", "--shift"]}


# ---- Text like the gold set's ----

APOSTROPHES = "'’"
# A number with its points and commas is one word.
WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+|[^\w\s]|_")


def apostrophe_style(lines):
    """How these lines write an apostrophe between letters: 'inner' (j'ai), 'left' (j' ai), 'right'
    (mr x 's) or 'apart' (j ' ai); the one that is met most often, apart when there is none."""
    counts = {"apart": 0, "inner": 0, "left": 0, "right": 0}
    for token in (token for line in lines for token in line.split()):
        token = token.replace("’", "'")
        if token == "'":
            counts["apart"] += 1
        elif re.fullmatch(r"\w+'", token):
            counts["left"] += 1
        elif re.fullmatch(r"'\w+", token):
            counts["right"] += 1
        elif re.search(r"\w'\w", token):
            counts["inner"] += 1
    return max(counts, key=counts.get)


def keeps_hyphens(lines):
    """Whether these lines write hyphens inside words."""
    tokens = [token for line in lines for token in line.split()]
    inner = sum(1 for token in tokens if re.search(r"\w-\w", token))
    return inner > sum(1 for token in tokens if token == "-")


def join(tokens, style, has_hyphens):
    """Puts together again what the gold set writes together. tokens: [(text, has blank before)]."""
    out, glue = [], False
    for i, (token, is_apart) in enumerate(tokens):
        follows = i + 1 < len(tokens) and not tokens[i + 1][1] and tokens[i + 1][0].isalnum()
        is_inner = not is_apart and follows and tokens[i - 1][0].isalnum() if i > 0 else False
        joins_left = joins_right = False
        if token in APOSTROPHES and is_inner:
            joins_left, joins_right = style in ("inner", "left"), style in ("inner", "right")
        elif token == "-" and is_inner and has_hyphens:
            joins_left = joins_right = True
        if out and (glue or joins_left):
            out[-1] += token
        else:
            out.append(token)
        glue = joins_right
    return " ".join(out)


class GoldStyle:
    """Lower-cases and splits raw sentences as a side of the gold set is written."""

    def __init__(self, gold_lines):
        self.apostrophes = apostrophe_style(gold_lines)
        self.has_hyphens = keeps_hyphens(gold_lines)

    def __call__(self, line):
        tokens = [(found[0], found.start() == 0 or line[found.start() - 1].isspace())
                  for found in WORD.finditer(line.lower())]
        return join(tokens, self.apostrophes, self.has_hyphens)

    def __str__(self):
        return f"apostrophes {self.apostrophes}, hyphens {'inside' if self.has_hyphens else 'apart'}"


# ---- The experiment ----

def parse(words):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("train-source", "train-target", "gold-source", "gold-target", "gold-links"):
        parser.add_argument(f"--{name}", required=True, metavar="FILE")
    parser.add_argument("--one-based", action="store_true", help="gold links count from 1")
    parser.add_argument("--as-is", action="store_true",
                        help="the training text is lower-cased and split already")
    parser.add_argument("--after", default="30m", metavar="30m",
                        help="budget of each direction (default: %(default)s)")
    parser.add_argument("--options", default="", metavar="'--hidden 256 ...'",
                        help="further options of heed train for both directions")
    lab.add_common_options(parser, lab.ROOT / "build" / "align")
    return parser.parse_args(words)


def read_pairs(source, target):
    left, right = lab.read_lines(source), lab.read_lines(target)
    if len(left) != len(right) or not left:
        raise lab.LabError(f"{source} and {target}: {len(left)} and {len(right)} lines; both sides "
                           "must have the same number, at least one")
    return list(zip(left, right))


def hold_out(pairs):
    """(training pairs, validation pairs)"""
    step = max(50, -(-len(pairs) // 1000)) if len(pairs) >= 100 else 10
    return ([pair for i, pair in enumerate(pairs) if i % step != step - 1],
            [pair for i, pair in enumerate(pairs) if i % step == step - 1] or pairs[-1:])


def write_text(folder, arguments):
    """Writes train, valid and gold files, FOLDER/NAME.source and .target."""
    gold = read_pairs(arguments.gold_source, arguments.gold_target)
    pairs = read_pairs(arguments.train_source, arguments.train_target)
    if not arguments.as_is:
        sides = [GoldStyle([pair[side] for pair in gold]) for side in (0, 1)]
        lab.say(f"source: {sides[0]}; target: {sides[1]}")
        pairs = [(sides[0](source), sides[1](target)) for source, target in pairs]
    train, valid = hold_out([pair for pair in pairs if all(pair)])
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (("train", train + gold), ("valid", valid), ("gold", gold)):
        for side, ending in enumerate(("source", "target")):
            lab.write_lines(folder / f"{name}.{ending}", [pair[side] for pair in lines])
    lab.say(f"{len(train)} training pairs and {len(gold)} gold pairs; {len(valid)} for validation")


def train_direction(heed, arguments, name, source, target):
    """source and target are the endings of the files."""
    folder = arguments.folder
    options = shlex.split(arguments.options)
    lab.check_options(options, "--options")
    lab.say(f"training {name}")
    model, result = lab.train(
        heed, folder, name,
        ["--train-source", folder / f"train.{source}", "--train-target", folder / f"train.{target}",
         "--valid-source", folder / f"valid.{source}", "--valid-target", folder / f"valid.{target}"],
        options, arguments.after, arguments.threads)
    lab.say(f"{name}: {result['updates']} updates, BLEU {result['bleu']:.2f}")
    return model


def flip(path):
    """Turns the links of a file around: target-source becomes source-target."""
    lines = []
    for line in lab.read_lines(path):
        links = sorted(tuple(map(int, link.split("-")))[::-1] for link in line.split())
        lines.append(" ".join(f"{i}-{j}" for i, j in links))
    lab.write_lines(path, lines)


def align(heed, arguments, name, model, source, target, *options):
    """Aligns the gold sentences; returns the file of links."""
    folder = arguments.folder
    output = folder / f"{name}.links"
    heed.run("align", "--model", model, "--source", folder / f"gold.{source}", "--target",
             folder / f"gold.{target}", "--alignment", "hard", "--threads", arguments.threads,
             *options, output=output)
    return output


def evaluate(heed, arguments, links):
    folder = arguments.folder
    more = ["--gold-one-based"] if arguments.one_based else []
    return json.loads(heed.run("eval", "--links", links, "--gold", arguments.gold_links, "--source",
                               folder / "gold.source", "--target", folder / "gold.target",
                               "--json", *more))


def ways_of(heed, model):
    """A model whose training counted nothing has the attention alone."""
    has_counts = "text.links" in heed.run("info", "--tensors", model)
    return [way for way in WAYS if has_counts or way.startswith("attention")]


def measure(heed, arguments, forward, backward):
    """[(method, way, object of heed eval), ...]"""
    results = []
    for way in ways_of(heed, forward):
        by = WAYS[way]
        links = align(heed, arguments, f"forward-{way}", forward, "source", "target", *by)
        results.append(("source to target", way, evaluate(heed, arguments, links)))
        links = align(heed, arguments, f"backward-{way}", backward, "target", "source", *by)
        flip(links)
        results.append(("target to source", way, evaluate(heed, arguments, links)))
        for method in METHODS:
            links = align(heed, arguments, f"{method}-{way}", forward, "source", "target", *by,
                          "--reverse-model", backward, "--symmetrize", method)
            results.append((method, way, evaluate(heed, arguments, links)))
    return results


def report(results):
    rows = [[method, way, f"{r['aer']:.3f}", f"{r['precision']:.3f}", f"{r['recall']:.3f}",
             r["links"]] for method, way, r in results]
    return lab.table(["links", "by", "AER", "precision", "recall", "number"], rows)


def main(words):
    arguments = parse(words)
    heed = lab.Heed(arguments.heed)
    try:
        write_text(arguments.folder, arguments)
        forward = train_direction(heed, arguments, "forward", "source", "target")
        backward = train_direction(heed, arguments, "backward", "target", "source")
        text = report(measure(heed, arguments, forward, backward))
    except KeyboardInterrupt:
        heed.stop()
        raise
    (arguments.folder / "align.md").write_text(text, encoding="utf-8")
    print(text, end="")
    return 0


if __name__ == "__main__":
    lab.run_script(main)
