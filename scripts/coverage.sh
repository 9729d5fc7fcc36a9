#!/bin/sh
# coverage.sh FOLDER TEST...: runs the unit tests, the fuzz corpora and the command-line cases of the
# coverage build and prints for each source file the share of lines and branches that were reached.
set -u
folder=$1
shift
find "$folder" -name '*.gcda' -exec rm -f {} +
for program in "$@"; do
    "$program" >"$program.log" 2>&1 || echo "$program failed, see $program.log" >&2
done
for program in "$folder"/fuzz/replay_*; do
    case $program in
    *.d | *.o | *.log) continue ;;
    esac
    "$program" tests/fuzz/corpus/"${program##*replay_}"/* >"$program.log" 2>&1
done
python3 tests/run_cases.py "$folder/heed" >"$folder/cases.log" 2>&1
python3 scripts/coverage.py "$folder"
