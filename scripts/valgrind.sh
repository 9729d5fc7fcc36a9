#!/bin/sh
# valgrind.sh PROGRAM...: runs unit test programs under valgrind, in one process each, so that leaks
# are seen; tests that fork by themselves are part of it. HEED_EMULATED tells tests that neither time
# nor memory are those of the machine.
set -u
failed=0
for program in "$@"; do
    log=$program.valgrind
    if CK_FORK=no CK_TIMEOUT_MULTIPLIER=50 HEED_ISA=avx2 HEED_KILLS=5 HEED_EMULATED=1 OPENBLAS_CORETYPE=Haswell \
        valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite \
        --errors-for-leak-kinds=definite "$program" >"$log" 2>&1; then
        echo "$program: clean"
    else
        grep -vE '^[0-9]+%|^Running' "$log" | head -40 >&2
        echo "$program: see $log" >&2
        failed=1
    fi
done
exit $failed
