#!/bin/sh
# isa.sh HEED TEST_PROGRAM...: the unit tests and the command-line cases with each instruction set that
# this processor has, by HEED_ISA.
set -u
heed=$1
shift
failed=0
for isa in plain sse2 avx2 avx512 avx512bf16; do
    export HEED_ISA=$isa
    if ! "$heed" eval --hypothesis README.md --reference README.md >/dev/null 2>&1; then
        echo "$isa: not on this processor"
        continue
    fi
    tests/run_units.sh "$isa" "$@" || failed=1
    python3 tests/run_cases.py "$heed" || failed=1
done
exit $failed
