"""What the experiment scripts share: running heed, reading what it prints, tables.

An experiment keeps everything in one folder: models, logs, translations, then NAME.md and NAME.svg.
A training that is done is not repeated; one that was interrupted goes on from its checkpoint.
"""
import argparse
import collections
import json
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "corpora" / "en-fr"

# Options of heed train that the scripts set themselves.
OWN_OPTIONS = ("train", "train-source", "train-target", "valid", "valid-source", "valid-target",
               "model", "after", "threads", "resume", "overwrite", "quiet", "config")
OWN_LETTERS = "tvmaq"


class LabError(Exception):
    """A sentence for the user."""


# ---- Running heed ----

class Heed:
    """The program. Children are ended when the script is."""

    def __init__(self, path=None):
        self.path = pathlib.Path(path) if path else ROOT / "build" / "heed"
        if not self.path.is_file():
            raise LabError(f"{self.path}: there is no such program; run `make` first")
        self.children = set()
        self.lock = threading.Lock()
        self.is_stopping = False

    def run(self, *arguments, output=None, log=None):
        """Runs one command and returns its standard output, or writes it to the file `output`.
        Standard error is appended to the file `log`; its last line is the error when it fails."""
        command = [str(self.path), *map(str, arguments)]
        out = open(output, "wb") if output else subprocess.PIPE
        errors = open(log, "ab") if log else subprocess.PIPE
        start = errors.tell() if log else 0
        try:
            with self.lock:
                if self.is_stopping:
                    raise KeyboardInterrupt
                # In a session of its own: Ctrl-C reaches it once, through stop().
                child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                                         stderr=errors, start_new_session=True)
                self.children.add(child)
            text, said = child.communicate()
        finally:
            for file in (out, errors):
                if file is not subprocess.PIPE:
                    file.close()
        with self.lock:
            self.children.discard(child)
        if child.returncode != 0:
            if log:
                said = pathlib.Path(log).read_bytes()[start:]
            lines = said.decode("utf-8", "replace").strip().splitlines()
            reason = lines[-1] if lines else f"ended with {child.returncode}"
            raise LabError(f"heed {arguments[0]}: {reason.removeprefix('heed: ')}")
        return text.decode("utf-8") if text is not None else None

    def stop(self):
        """Asks the children to end; a training saves its checkpoint first."""
        with self.lock:
            self.is_stopping = True
            children = list(self.children)
        for child in children:
            child.send_signal(signal.SIGINT)
        for child in children:
            child.wait()


def run_script(main):
    """Calls main(arguments) -> exit code as a script does: errors in one line, SIGTERM as Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = main(sys.argv[1:])
    except LabError as error:
        print(f"{pathlib.Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        code = 1
    except KeyboardInterrupt:
        print(f"{pathlib.Path(sys.argv[0]).name}: stopped; the same command goes on from here",
              file=sys.stderr)
        code = 130
    sys.exit(code)


# ---- Reading what heed train prints ----

VALIDATION = re.compile(
    r"validation: epoch (?P<epoch>\d+) update (?P<update>\d+) loss (?P<loss>\S+) "
    r"BLEU (?P<bleu>\S+) chrF (?P<chrf>[\d.]+)[^,]*, best \S+?(?P<now> \(now\))?, .* "
    r"(?P<elapsed>[\d:]+) elapsed")
STOP = re.compile(r"stopped: (?P<reason>.*); best (?P<best>\S+) at epoch (?P<epoch>\d+), "
                  r"update (?P<update>\d+); (?P<elapsed>[\d:]+) in all")
PROGRESS = re.compile(r"epoch \d+ .*update (\d+) sentences .* elapsed")


def seconds_of(clock):
    """1:02:03 or 2:03 in seconds."""
    seconds = 0
    for part in clock.split(":"):
        seconds = 60 * seconds + int(part)
    return seconds


def read_log(text):
    """What a training achieved: a dictionary with the figures of its best validation, or None when
    the log holds no end or no validation."""
    best, last, stop = None, 0, None
    for line in text.splitlines():
        found = VALIDATION.search(line)
        if found:
            last = int(found["update"])
            if found["now"]:
                best = found
            continue
        found = PROGRESS.search(line)
        if found:
            last = int(found[1])
        stop = STOP.search(line) or stop
    if best is None or stop is None:
        return None
    return {"updates": last, "best_update": int(best["update"]), "bleu": float(best["bleu"]),
            "chrf": float(best["chrf"]), "loss": float(best["loss"]),
            "minutes": seconds_of(stop["elapsed"]) / 60, "reason": stop["reason"]}


# ---- Training ----

def check_options(options, where):
    """Refuses what the scripts set themselves."""
    for word in options:
        name = word[2:].split("=")[0]
        if (word.startswith("--") and name in OWN_OPTIONS) or \
                (re.match(r"-[a-z]", word) and word[1] in OWN_LETTERS):
            raise LabError(f"{where}: {word} is set by the script")


def fingerprint(pairs):
    """A line for each corpus: its checksum and its size."""
    contents = [pathlib.Path(path).read_bytes() for path in pairs[1::2]]
    return "".join(f"{zlib.crc32(content):08x} {len(content)} bytes\n" for content in contents)


def train(heed, folder, name, pairs, options, after, threads):
    """Trains folder/NAME.safetensors unless that is done, and returns (model, result of read_log).
    pairs are the options of heed train that name the corpora."""
    folder.mkdir(parents=True, exist_ok=True)
    model, log = folder / f"{name}.safetensors", folder / f"{name}.log"
    record, begun = folder / f"{name}.json", folder / f"{name}.command"
    command = [*map(str, pairs), *options, "--after", after]
    identity = shlex.join(command) + "\n" + fingerprint(pairs)
    if begun.exists() and begun.read_text(encoding="utf-8") != identity:
        raise LabError(f"{begun}: {name} was trained with other options or data; take another folder, "
                       f"or remove {folder / name}.*")
    if record.exists():
        return model, json.loads(record.read_text(encoding="utf-8"))
    begun.write_text(identity, encoding="utf-8")
    can_resume = model.with_name(f"{name}.last.safetensors").exists()
    if not can_resume:
        log.unlink(missing_ok=True)
    heed.run("train", *command, "--threads", threads, "--model", model,
             "--resume" if can_resume else "--overwrite", log=log)
    result = read_log(log.read_text(encoding="utf-8", errors="replace"))
    if result is None:
        raise LabError(f"{log}: {name} ended without a validation; give it more time")
    record.write_text(json.dumps(result) + "\n", encoding="utf-8")
    return model, result


# ---- Data and options of the experiments ----

# The attention is to find its way by itself, as in the papers.
UNGUIDED = ["--no-estimate-alignment"]

Data = collections.namedtuple("Data", "train_source train_target valid_source valid_target "
                                      "test_source test_target test_links")
DATA_OPTIONS = [name.replace("_", "-") for name in Data._fields]
BUNDLED = Data(CORPUS / "train.en", CORPUS / "train.fr", CORPUS / "valid.en", CORPUS / "valid.fr",
               CORPUS / "test.en", CORPUS / "test.fr", CORPUS / "test.links")


def experiment_parser(description, after):
    """A parser with the options that all experiments have; after is the default budget."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in DATA_OPTIONS:
        parser.add_argument(f"--{name}", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--tokenize", default="13a", metavar="13a|zh|char|none",
                        help="words of BLEU, as in heed eval")
    parser.add_argument("--lowercase", action="store_true", help="BLEU of lower-cased text")
    parser.add_argument("--after", default=after, metavar="30m",
                        help="budget of each training, as in heed train (default: %(default)s)")
    parser.add_argument("--options", default="", metavar="'--hidden 256 ...'",
                        help="further options of heed train, the same for each training")
    add_common_options(parser, ROOT / "build" / "experiments")
    parser.epilog = "Without data options the experiment runs on corpora/en-fr."
    return parser


def add_common_options(parser, folder):
    parser.add_argument("--threads", type=int, default=0, metavar="N",
                        help="threads of each heed; 0 means the number of cores")
    parser.add_argument("--folder", type=pathlib.Path, default=folder, metavar="DIR",
                        help="where models, logs, tables and pictures go (default: %(default)s)")
    parser.add_argument("--heed", metavar="PROGRAM", help="the program (default: build/heed)")


class Experiment:
    """Trainings and measurements with the options of the command line."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.heed = Heed(arguments.heed)
        self.folder = arguments.folder
        self.data = self.choose_data()
        self.options = shlex.split(arguments.options)
        check_options(self.options, "--options")

    def choose_data(self):
        given = Data(*(getattr(self.arguments, field) for field in Data._fields))
        if not any(given):
            return BUNDLED
        for name, value in zip(DATA_OPTIONS, given):
            if value is None and name != "test-links":
                raise LabError(f"--{name}: is needed when other data than corpora/en-fr is given")
        for path in filter(None, given):
            if not path.is_file():
                raise LabError(f"{path}: there is no such file")
        return given

    def train(self, name, *options):
        d = self.data
        say(f"training {name}")
        return train(self.heed, self.folder, name,
                     ["--train-source", d.train_source, "--train-target", d.train_target,
                      "--valid-source", d.valid_source, "--valid-target", d.valid_target],
                     [*UNGUIDED, *self.options, *options], self.arguments.after,
                     self.arguments.threads)

    def translate(self, model, name, *options):
        """Translates the test set; returns the file and the seconds it took, loading included."""
        output = self.folder / f"{name}.translation"
        begin = time.monotonic()
        self.heed.run("translate", "--model", model, "--input", self.data.test_source, "--threads",
                      self.arguments.threads, *options, output=output)
        return output, time.monotonic() - begin

    def bleu(self, hypothesis, reference):
        """The object of heed eval --json."""
        lower = ["--lowercase"] if self.arguments.lowercase else []
        return json.loads(self.heed.run("eval", "--hypothesis", hypothesis, "--reference",
                                        reference, "--tokenize", self.arguments.tokenize, "--json",
                                        *lower))

    def write(self, name, text, pictures):
        """Writes NAME.md, and each picture as NAME.svg; prints the text."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{name}.md").write_text(text, encoding="utf-8")
        for picture, svg in pictures.items():
            (self.folder / f"{picture}.svg").write_text(svg, encoding="utf-8")
        print(text, end="")


def experiment_main(run, parser):
    """main for run_script: parses, runs run(experiment, arguments), ends heed when interrupted."""
    def main(words):
        arguments = parser.parse_args(words)
        experiment = Experiment(arguments)
        try:
            run(experiment, arguments)
        except KeyboardInterrupt:
            experiment.heed.stop()
            raise
        return 0
    return main


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- Text ----

# Inside a run without blanks, each character of these scripts is a word of its own.
WORD = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"
                  "|[^\\s\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")


def count_words(line):
    return len(WORD.findall(line))


def read_lines(path):
    """Lines as heed counts them: only LF ends one."""
    text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(line + "\n" for line in lines)


# ---- Tables ----

def table(header, rows):
    """A Markdown table; columns of numbers are set to the right."""
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    number = re.compile(r"[-–+]?[\d.,]*( %)?$|–$")
    is_right = [bool(cells) and all(number.match(row[i]) for row in cells)
                for i in range(len(header))]
    rule = ["---:" if right else "---" for right in is_right]
    return "".join("| " + " | ".join(row) + " |\n" for row in [list(header), rule, *cells])
