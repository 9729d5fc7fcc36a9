#!/usr/bin/env python3
"""BLEU against the length of the source sentence, with attention and with a fixed context.

After figure 2 of Bahdanau, Cho and Bengio (2015): a decoder that gets one fixed vector of the
source loses long sentences; one that attends does not. Both models have the same sizes, data and
budget and differ in --attention-type alone.

    python3 scripts/experiment_length.py --after 15m
"""
import lab
import line_chart

MODELS = (("additive", "attention"), ("none", "fixed context"))


def make_bins(lengths, width, least):
    """[(first, last, [index, ...]), ...]: sentences by length in steps of width words. A bin of
    fewer than `least` sentences is joined with the next longer ones, the longest with those
    before."""
    bins, first = [], 1
    members = []
    for last in range(width, max(lengths, default=0) + width, width):
        members += [i for i, n in enumerate(lengths) if last - width < n <= last]
        if len(members) >= least:
            bins.append((first, last, members))
            first, members = last + 1, []
    if members and bins:
        start, _, before = bins.pop()
        bins.append((start, max(lengths), before + members))
    elif members:
        bins.append((first, max(lengths), members))
    return bins


def bleu_of_bins(experiment, name, hypothesis, reference, bins):
    """BLEU of each bin's sentences, as a small corpus of its own."""
    scores = []
    ours, theirs = experiment.folder / f"{name}.bin", experiment.folder / "reference.bin"
    for _, _, members in bins:
        lab.write_lines(ours, [hypothesis[i] for i in members])
        lab.write_lines(theirs, [reference[i] for i in members])
        scores.append(experiment.bleu(ours, theirs)["bleu"])
    ours.unlink(missing_ok=True)
    theirs.unlink(missing_ok=True)
    return scores


def measure(experiment, arguments):
    """(bins, mean length of each bin, {attention type: (scores of the bins, BLEU of all)})."""
    reference = lab.read_lines(experiment.data.test_target)
    lengths = [lab.count_words(line) for line in lab.read_lines(experiment.data.test_source)]
    bins = make_bins(lengths, arguments.width, arguments.least)
    if not bins:
        raise lab.LabError(f"{experiment.data.test_source}: there are no sentences")
    means = [sum(lengths[i] for i in members) / len(members) for _, _, members in bins]
    scores = {}
    for kind, _ in MODELS:
        name = f"length-{kind}"
        model, _ = experiment.train(name, "--attention-type", kind)
        output, _ = experiment.translate(model, name)
        scores[kind] = (bleu_of_bins(experiment, name, lab.read_lines(output), reference, bins),
                        experiment.bleu(output, experiment.data.test_target)["bleu"])
    return bins, means, scores


def report(bins, scores):
    (attending, attending_all), (fixed, fixed_all) = (scores[kind] for kind, _ in MODELS)
    rows = [[f"{first} to {last}", len(members), f"{a:.2f}", f"{f:.2f}", f"{a - f:+.2f}"]
            for (first, last, members), a, f in zip(bins, attending, fixed)]
    rows.append(["all", sum(len(members) for _, _, members in bins), f"{attending_all:.2f}",
                 f"{fixed_all:.2f}", f"{attending_all - fixed_all:+.2f}"])
    header = ["source words", "sentences", "BLEU, attention", "BLEU, fixed context", "difference"]
    return lab.table(header, rows)


def run(experiment, arguments):
    bins, means, scores = measure(experiment, arguments)
    series = [line_chart.Series(name, list(zip(means, scores[kind][0]))) for kind, name in MODELS]
    picture = line_chart.chart(series, "BLEU by the length of the source", "source words",
                               "BLEU", y_from=0)
    experiment.write("length", report(bins, scores), {"length": picture})


def parser():
    found = lab.experiment_parser(__doc__, "15m")
    found.add_argument("--width", type=int, default=5, metavar="N",
                       help="words from one bin to the next (default: %(default)s)")
    found.add_argument("--least", type=int, default=20, metavar="N",
                       help="sentences that a bin has at least (default: %(default)s)")
    return found


if __name__ == "__main__":
    lab.run_script(lab.experiment_main(run, parser()))
