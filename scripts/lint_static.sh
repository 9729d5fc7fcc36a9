#!/bin/sh
# cppcheck over the sources; fails on any finding of its error, warning and portability classes.
set -u
cd "$(dirname "$0")/.." || exit 1
if ! command -v cppcheck >/dev/null 2>&1; then
    echo "lint_static.sh: cppcheck is not installed; install it to run this check" >&2
    exit 1
fi
cppcheck --quiet --std=c11 --language=c -Isrc --enable=warning,portability --inline-suppr \
    --suppress=missingIncludeSystem --error-exitcode=1 -j 2 src/*/
