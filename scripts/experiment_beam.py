#!/usr/bin/env python3
"""BLEU, length and time of one model for beams of 1 to 20.

Scores are compared as the sum of log-probabilities over length^alpha: once with alpha 1 (the
default of heed translate) and once with alpha 0, where a wider beam finds shorter translations.

    python3 scripts/experiment_beam.py --after 15m
    python3 scripts/experiment_beam.py --model models/en-fr.safetensors
"""
import pathlib

import lab
import line_chart

ALPHAS = (("1", "divided by the length"), ("0", "plain sum"))
SIZES = "1,2,3,4,5,6,8,10,12,16,20"


def parse_sizes(text):
    sizes = []
    for word in text.split(","):
        if not word.isdigit() or not 1 <= int(word) <= 1024:
            raise lab.LabError(f"--sizes {text}: {word!r} is no number from 1 to 1024")
        sizes.append(int(word))
    return sorted(set(sizes))


def measure(experiment, model, sizes, alpha):
    """[(beam size, object of heed eval, seconds), ...]"""
    found = []
    for size in sizes:
        output, seconds = experiment.translate(model, f"beam-{size}-alpha-{alpha}", "--beam-size",
                                               size, "--normalize", alpha)
        found.append((size, experiment.bleu(output, experiment.data.test_target), seconds))
    return found


def length_ratio(scores):
    return scores["hyp_len"] / scores["ref_len"] if scores["ref_len"] else 0.0


def report(results):
    header = ["beam size"]
    for alpha, _ in ALPHAS:
        header += [f"BLEU, alpha {alpha}", f"length ratio, alpha {alpha}"]
    header.append("seconds, alpha 1")
    rows = []
    for i, (size, _, seconds) in enumerate(results["1"]):
        row = [size]
        for alpha, _ in ALPHAS:
            scores = results[alpha][i][1]
            row += [f"{scores['bleu']:.2f}", f"{length_ratio(scores):.3f}"]
        rows.append(row + [f"{seconds:.2f}"])
    return lab.table(header, rows) + "\nSeconds are for the whole test set, loading included.\n"


def run(experiment, arguments):
    sizes = parse_sizes(arguments.sizes)
    model = arguments.model
    if model is None:
        model, _ = experiment.train("beam")
    experiment.folder.mkdir(parents=True, exist_ok=True)
    results = {alpha: measure(experiment, model, sizes, alpha) for alpha, _ in ALPHAS}

    def series(value):
        return [line_chart.Series(name, [(size, value(scores)) for size, scores, _ in results[alpha]])
                for alpha, name in ALPHAS]

    experiment.write("beam", report(results), {
        "beam": line_chart.chart(series(lambda scores: scores["bleu"]), "BLEU by the size of the beam",
                                 "beam size", "BLEU"),
        "beam-length": line_chart.chart(series(length_ratio), "Length by the size of the beam",
                                        "beam size", "words of the translation per reference word"),
        "beam-time": line_chart.chart(
            [line_chart.Series("time", [(size, seconds) for size, _, seconds in results["1"]])],
            "Time by the size of the beam", "beam size", "seconds for the test set", y_from=0)})


def parser():
    found = lab.experiment_parser(__doc__, "15m")
    found.add_argument("--model", type=pathlib.Path, metavar="M.safetensors",
                       help="a model that is there already, in place of a training")
    found.add_argument("--sizes", default=SIZES, metavar="N,N,...",
                       help="beam sizes (default: %(default)s)")
    return found


if __name__ == "__main__":
    lab.run_script(lab.experiment_main(run, parser()))
