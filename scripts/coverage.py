"""Prints the table of `make coverage` from gcov's JSON: for each source file its lines and branches."""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile


def collect(folder):
    lines, branches = {}, {}
    objects = sorted(str(path.resolve()) for path in pathlib.Path(folder).rglob("*.gcda"))
    with tempfile.TemporaryDirectory() as scratch:
        for at in range(0, len(objects), 50):
            subprocess.run(["gcov", "-b", "-j", *objects[at:at + 50]], cwd=scratch, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in pathlib.Path(scratch).glob("*.gcov.json.gz"):
            for file in json.loads(gzip.open(path).read())["files"]:
                if file["file"].startswith("src/"):
                    for line in file["lines"]:
                        place = (file["file"], line["line_number"])
                        lines[place] = lines.get(place, 0) + line["count"]
                        for i, branch in enumerate(line["branches"]):
                            key = (*place, i)
                            branches[key] = branches.get(key, 0) + branch["count"]
    return lines, branches


def share(counts):
    return f"{100 * sum(c > 0 for c in counts) / len(counts):5.1f} %" if counts else "     -"


def main():
    lines, branches = collect(sys.argv[1])
    print(f"{'file':40} {'lines':>14} {'branches':>14}")
    for name in sorted({place[0] for place in lines}) + ["all"]:
        of_lines = [c for place, c in lines.items() if name in ("all", place[0])]
        of_branches = [c for place, c in branches.items() if name in ("all", place[0])]
        print(f"{name:40} {len(of_lines):6} {share(of_lines)} {len(of_branches):6} {share(of_branches)}")


if __name__ == "__main__":
    main()
