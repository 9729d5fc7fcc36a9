#!/bin/sh
# fuzz.sh FOLDER SECONDS NAME...: runs each fuzz target over a copy of its corpus; an input that
# breaks something is kept in tests/fuzz/corpus/NAME as crash-*, to be replayed by `make test`.
set -u
folder=$1
seconds=$2
shift 2
failed=0
for name in "$@"; do
    kept=tests/fuzz/corpus/$name
    grown=$folder/corpus/$name
    log=$folder/$name.log
    mkdir -p "$grown"
    ASAN_OPTIONS=allocator_may_return_null=1 nice "$folder/run_$name" -max_total_time="$seconds" \
        -max_len=16384 -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=512 -print_final_stats=1 \
        -artifact_prefix="$kept/crash-" "$grown" "$kept" >"$log" 2>&1
    code=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
    echo "$name: ${runs:-?} runs, ${speed:-?} a second"
    if [ "$code" != 0 ]; then
        grep -E '^(SUMMARY|==|not so:|.*runtime error)' "$log" | head -5 >&2
        echo "$name: broken, see $log and $kept/crash-*" >&2
        failed=1
    fi
done
exit $failed
