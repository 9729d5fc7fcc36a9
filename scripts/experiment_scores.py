#!/usr/bin/env python3
"""Three ways to compare a decoder state with the source: additive, dot, scaled dot.

1. Trains one model each and prints BLEU, the error rate of the hard word links (AER), and how
   spread the weights are: their entropy in nats, and that as a share of the entropy of equal
   weights on all pieces of the source.
2. Shows by exact sums why a dot product of long vectors wants a scale (Vaswani et al. 2017,
   section 3.2.1): its variance is its size d, so the softmax comes near to choosing one position,
   and its gradient p(1 - p) goes to nothing. Needs no training; --numbers-only prints it alone.

    python3 scripts/experiment_scores.py --after 15m
"""
import json
import math

import lab
import line_chart

KINDS = ("additive", "dot", "scaled-dot")
SIZES = (1, 4, 16, 64, 256, 1024)


# ---- The variance of a dot product ----

def dot_distribution(d):
    """[(value, probability), ...] of q . k when all 2d components are +1 or -1 by chance, which have
    the mean 0 and the variance 1. Each product is +1 or -1 by chance too: n of them are +1 in
    C(d, n) of 2^d cases, and the dot product is n - (d - n)."""
    return [(2 * n - d, math.comb(d, n) / 2 ** d) for n in range(d + 1)]


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def two_keys(d, scale):
    """Softmax over the scores of two keys, averaged exactly: (larger weight, entropy in nats,
    gradient p(1 - p) of a weight with regard to its own score). The difference of two independent
    dot products of size d is distributed as one of size 2d, and p is its sigmoid."""
    larger = entropy = gradient = 0.0
    for difference, probability in dot_distribution(2 * d):
        p, rest = sigmoid(scale * difference), sigmoid(-scale * difference)
        larger += probability * max(p, rest)
        gradient += probability * p * rest
        entropy -= probability * sum(w * math.log(w) for w in (p, rest) if w > 0)
    return larger, entropy, gradient


def numbers():
    """(table, picture) of the sizes."""
    rows, plain, scaled = [], [], []
    for d in SIZES:
        variance = sum(value * value * p for value, p in dot_distribution(d))
        of_plain, of_scaled = two_keys(d, 1), two_keys(d, 1 / math.sqrt(d))
        plain.append((d, of_plain[2]))
        scaled.append((d, of_scaled[2]))
        rows.append([d, f"{variance:.4g}", f"{variance / d:.4g}",
                     *(f"{value:.4f}" for pair in zip(of_plain, of_scaled) for value in pair)])
    header = ["size d", "variance of q·k", "of q·k/√d", "larger weight, dot", "scaled",
              "entropy, dot", "scaled", "gradient, dot", "scaled"]
    picture = line_chart.chart(
        [line_chart.Series("scaled: q·k / √d", scaled), line_chart.Series("dot: q·k", plain)],
        "Mean gradient of a softmax over two keys", "size d of query and key", "p (1 - p)",
        is_log=True, y_from=0)
    return lab.table(header, rows), picture


# ---- The weights of trained models ----

def entropy_of_rows(path):
    """(mean entropy in nats, mean share of that of equal weights) over all rows of a dump in which
    there is a choice, that is more than one position."""
    total = share = 0.0
    n = 0
    for line in lab.read_lines(path):
        for row in json.loads(line)["attention"]:
            if len(row) < 2:
                continue
            sum_of_row = sum(row)
            weights = [w / sum_of_row for w in row if w > 0]
            entropy = -sum(w * math.log(w) for w in weights)
            total += entropy
            share += entropy / math.log(len(row))
            n += 1
    if n == 0:
        raise lab.LabError(f"{path}: there are no rows of attention")
    return total / n, share / n


def align_test_set(experiment, model, name):
    """Links and attention of the test pairs: (file of links, file of the dump)."""
    links, dump = experiment.folder / f"{name}.links", experiment.folder / f"{name}.jsonl"
    experiment.heed.run("align", "--model", model, "--source", experiment.data.test_source,
                        "--target", experiment.data.test_target, "--threads",
                        experiment.arguments.threads, "--alignment", "hard", output=links)
    experiment.heed.run("align", "--model", model, "--source", experiment.data.test_source,
                        "--target", experiment.data.test_target, "--threads",
                        experiment.arguments.threads, "--pieces", "--attention", dump,
                        output=experiment.folder / f"{name}.pieces")
    return links, dump


def measure(experiment, kind):
    """A row of the table."""
    name = f"scores-{kind}"
    model, result = experiment.train(name, "--attention-type", kind)
    output, _ = experiment.translate(model, name)
    links, dump = align_test_set(experiment, model, name)
    error_rate = "–"
    if experiment.data.test_links:
        error_rate = "%.3f" % json.loads(experiment.heed.run(
            "eval", "--links", links, "--gold", experiment.data.test_links, "--json"))["aer"]
    entropy, share = entropy_of_rows(dump)
    bleu = experiment.bleu(output, experiment.data.test_target)["bleu"]
    return [kind, result["updates"], f"{bleu:.2f}", error_rate, f"{entropy:.3f}",
            f"{100 * share:.1f} %"]


def run(experiment, arguments):
    text, picture = numbers()
    pictures = {"scores-gradient": picture}
    if not arguments.numbers_only:
        rows = [measure(experiment, kind) for kind in KINDS]
        text = lab.table(["attention", "updates", "BLEU", "AER", "entropy (nats)",
                          "share of the most"], rows) + "\n" + text
        curves = [line_chart.Series(row[0], history(experiment, row[0])) for row in rows]
        pictures["scores"] = line_chart.chart(curves, "Validation BLEU while training", "update",
                                              "BLEU", y_from=0)
    experiment.write("scores", text, pictures)


def history(experiment, kind):
    """[(update, validation BLEU), ...] of a training."""
    log = (experiment.folder / f"scores-{kind}.log").read_text(encoding="utf-8", errors="replace")
    return sorted({int(found["update"]): float(found["bleu"])
                   for found in lab.VALIDATION.finditer(log)}.items())


def parser():
    found = lab.experiment_parser(__doc__, "15m")
    found.add_argument("--numbers-only", action="store_true",
                       help="only the part that needs no training")
    return found


if __name__ == "__main__":
    lab.run_script(lab.experiment_main(run, parser()))
