#!/bin/sh
# Runs unit test programs and fails when one does: run_units.sh VARIANT PROGRAM...
variant=$1
shift
failed=0
for program in "$@"; do
    if ! "$program"; then
        echo "FAILED: $program ($variant)" >&2
        failed=$((failed + 1))
    fi
done
if [ "$failed" -gt 0 ]; then
    echo "$variant: $failed test programs failed" >&2
    exit 1
fi
echo "$variant: all $# test programs passed"
