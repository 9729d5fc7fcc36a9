#!/usr/bin/env python3
"""Measures `heed bench` beside the same kind of network in PyTorch, in turns, and prints ratios.

    scripts/rival.py SOURCE TARGET [--size 256] [--threads 1] [--rounds 5] [--heed build/heed]

SOURCE and TARGET are files with a line each. Both programs take lower-cased words, the 8,000 most
frequent of a side, batches of 64, one bidirectional GRU layer, additive attention and one decoder GRU
that reads the previous word and the context, all of SIZE units; label smoothing, dropout, clipping and
Adam when they train; translations stop at the length of the reference. The PyTorch side is written for
speed: sentences of one batch have about the same length, the words' part of the gates and of the readout
is one product for all steps, keys are computed once, the beam is searched for 64 sentences at once and
finished ones leave. Needs python3-torch; figures are medians over the rounds.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import time

VOCABULARY, BATCH, DROPOUT, SMOOTHING, DECODED = 8000, 64, 0.3, 0.1, 64
PAD, BEGIN, END, UNKNOWN = 0, 1, 2, 3


def read_side(path):
    with open(path, encoding="utf-8") as file:
        return [re.findall(r"\w+|[^\w\s]", line.lower()) for line in file]


def to_ids(sentences):
    counts = collections.Counter(word for sentence in sentences for word in sentence)
    ids = {word: i for i, (word, _) in enumerate(counts.most_common(VOCABULARY - 4), 4)}
    return [[ids.get(word, UNKNOWN) for word in sentence] + [END] for sentence in sentences]


def load(options):
    pairs = [p for p in zip(read_side(options.source), read_side(options.target)) if p[0] and p[1]]
    return list(zip(to_ids([p[0] for p in pairs]), to_ids([p[1] for p in pairs])))


def make_network(torch, size):
    nn, functional = torch.nn, torch.nn.functional

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.source = nn.Embedding(VOCABULARY, size)
            self.target = nn.Embedding(VOCABULARY, size)
            self.encoder = nn.GRU(size, size, bidirectional=True)
            self.start = nn.Linear(2 * size, size)
            self.key, self.query = nn.Linear(2 * size, size), nn.Linear(size, size, bias=False)
            self.score = nn.Linear(size, 1, bias=False)
            self.gates_word = nn.Linear(size, 3 * size)
            self.gates_context = nn.Linear(2 * size, 3 * size, bias=False)
            self.gates_state = nn.Linear(size, 3 * size)
            self.read_word = nn.Linear(size, size)
            self.read = nn.Linear(3 * size, size, bias=False)
            self.output = nn.Linear(size, VOCABULARY)
            self.dropout = nn.Dropout(DROPOUT)

        def encode(self, source):
            """source (S, B), 0 is padding: states, keys (B, S, .), the mask (B, S) and the first state."""
            states, _ = self.encoder(self.dropout(self.source(source)))
            mask = (source != PAD).t()
            weight = mask.t().unsqueeze(2).to(states.dtype)
            start = torch.tanh(self.start((states * weight).sum(0) / weight.sum(0)))
            states = states.transpose(0, 1).contiguous()
            return states, self.key(states), mask, start

        def attend(self, state, states, keys, mask):
            hidden = torch.tanh(keys + self.query(state).unsqueeze(1))
            scores = self.score(hidden).squeeze(2).masked_fill(~mask, -1e30)
            return torch.bmm(torch.softmax(scores, 1).unsqueeze(1), states).squeeze(1)

        def step(self, word_gates, state, context):
            a = word_gates + self.gates_context(context)
            b = self.gates_state(state)
            ar, az, an = a.chunk(3, 1)
            br, bz, bn = b.chunk(3, 1)
            reset, update = torch.sigmoid(ar + br), torch.sigmoid(az + bz)
            new = torch.tanh(an + reset * bn)
            return new + update * (state - new)

        def forward(self, source, words, labels):
            states, keys, mask, state = self.encode(source)
            embedded = self.dropout(self.target(words))
            word_gates = self.gates_word(embedded)
            after, contexts = [], []
            for t in range(words.shape[0]):
                context = self.attend(state, states, keys, mask)
                state = self.step(word_gates[t], state, context)
                after.append(state)
                contexts.append(context)
            both = torch.cat([torch.stack(after), torch.stack(contexts)], 2)
            kept = labels.reshape(-1) != PAD
            hidden = self.read_word(embedded) + self.read(both)
            hidden = self.dropout(torch.tanh(hidden)).reshape(kept.shape[0], -1)[kept]
            return functional.cross_entropy(self.output(hidden), labels.reshape(-1)[kept],
                                            label_smoothing=SMOOTHING)

        def search_step(self, memory, state, word):
            embedded = self.target(word)
            context = self.attend(state, *memory)
            state = self.step(self.gates_word(embedded), state, context)
            hidden = torch.tanh(self.read_word(embedded) + self.read(torch.cat([state, context], 1)))
            return torch.log_softmax(self.output(hidden), 1), state

    return Network()


def pad(torch, sentences):
    longest = max(map(len, sentences))
    return torch.tensor([s + [PAD] * (longest - len(s)) for s in sentences]).t().contiguous()


def train(torch, network, pairs, n_updates):
    """Source and target words a second, and a second of processor time: medians of the updates."""
    pairs = sorted(pairs, key=lambda p: (len(p[0]), len(p[1])))
    batches = [pairs[i:i + BATCH] for i in range(0, len(pairs) - BATCH + 1, BATCH)]
    chosen = batches[::max(1, len(batches) // (n_updates + 3))][:n_updates + 3]
    optimizer = torch.optim.Adam(network.parameters(), foreach=True)
    network.train()
    rates, busy_rates = [], []
    for batch in chosen:
        source, labels = pad(torch, [p[0] for p in batch]), pad(torch, [p[1] for p in batch])
        words = torch.cat([torch.full((1, len(batch)), BEGIN), labels[:-1]])
        begin, begin_busy = time.perf_counter(), time.process_time()
        optimizer.zero_grad(set_to_none=True)
        network(source, words, labels).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1)
        optimizer.step()
        n_words = sum(len(p[0]) + len(p[1]) for p in batch)
        rates.append(n_words / (time.perf_counter() - begin))
        busy_rates.append(n_words / (time.process_time() - begin_busy))
    return statistics.median(rates[3:]), statistics.median(busy_rates[3:])


def translate(torch, network, pairs, beam):
    """Searches one batch; every sentence goes on to the length of its reference. Returns the words."""
    memory = network.encode(pad(torch, [p[0] for p in pairs]))
    state = memory[3].repeat_interleave(beam, 0)
    memory = [m.repeat_interleave(beam, 0) for m in memory[:3]]
    limit = torch.tensor([len(p[1]) for p in pairs])
    scores = torch.full((len(pairs), beam), -1e30)
    scores[:, 0] = 0
    word = torch.full((len(pairs) * beam,), BEGIN)
    n_words = 0
    for t in range(1, int(limit.max()) + 1):
        log_p, state = network.search_step(memory, state, word)
        log_p[:, END] = -1e30
        n_words += len(limit)
        total = (scores.reshape(-1, 1) + log_p).reshape(len(limit), -1)
        scores, best = total.topk(beam, 1)
        parent = best // VOCABULARY + torch.arange(len(limit)).unsqueeze(1) * beam
        word, state = (best % VOCABULARY).reshape(-1), state[parent.reshape(-1)]
        open_ones = limit > t
        if not bool(open_ones.all()):
            rows = open_ones.repeat_interleave(beam)
            limit, scores = limit[open_ones], scores[open_ones]
            word, state, memory = word[rows], state[rows], [m[rows] for m in memory]
    return n_words


def decode(torch, network, pairs, beam, at_once):
    """Sentences a second of processor time, the median of five runs after one."""
    network.eval()
    pairs = pairs[:DECODED if at_once > 1 else 16]
    rates = []
    with torch.no_grad():
        for _ in range(6):
            begin = time.process_time()
            for i in range(0, len(pairs), at_once):
                translate(torch, network, pairs[i:i + at_once], beam)
            rates.append(len(pairs) / (time.process_time() - begin))
    return statistics.median(rates[1:])


def run_torch(options):
    import torch
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    pairs = load(options)
    network = make_network(torch, options.size)
    figures = {}
    key = f"train {options.size}, {options.threads} thread{'' if options.threads == 1 else 's'}"
    rates = train(torch, network, pairs, options.updates)
    figures[key], figures[key + ", by processor time"] = rates
    torch.set_num_threads(1)
    for at_once in (BATCH, 1):
        for beam in (1, 5):
            name = f"translate {options.size}, beam {beam}, {at_once} at once"
            figures[name] = decode(torch, network, pairs, beam, at_once)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures[f"peak of the whole process after train {options.size}"] = peak
    print(json.dumps(figures))


def environment(options):
    """Nobody's kernels are held back, and memory that is freed stays with the process."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
    return dict(env, OMP_NUM_THREADS=str(options.threads), GOMP_SPINCOUNT="0",
                MALLOC_MMAP_THRESHOLD_="2000000000", MALLOC_TRIM_THRESHOLD_="4000000000",
                MALLOC_TOP_PAD_="268435456")


def run(command, options):
    done = subprocess.run(command, env=environment(options), stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def compare(options):
    common = ["--size", str(options.size), "--threads", str(options.threads),
              "--updates", str(options.updates)]
    heed = [options.heed, "bench", "--rival", "--json", *common, "--train-source", options.source,
            "--train-target", options.target]
    torch = [options.python, str(pathlib.Path(__file__).resolve()), options.source, options.target,
             "--torch", *common]
    rounds = []
    for number in range(options.rounds):
        rounds.append((run(heed, options), run(torch, options)))
        print(f"round {number + 1} of {options.rounds} done", file=sys.stderr)
    print(f"{'':44} {'heed':>10} {'torch':>10} {'ratio':>7}")
    for key in rounds[0][1]:
        ours, theirs = (statistics.median(r[side][key] for r in rounds) for side in (0, 1))
        ratio = statistics.median(r[0][key] / r[1][key] for r in rounds)
        print(f"{key:44} {ours:10.4g} {theirs:10.4g} {ratio:7.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--heed", default="build/heed")
    parser.add_argument("--python", default="/usr/bin/python3", help="one that has torch")
    parser.add_argument("--torch", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.torch:
        run_torch(options)
    else:
        compare(options)


if __name__ == "__main__":
    main()
