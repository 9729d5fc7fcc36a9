#!/bin/sh
# Functions that the style bans, and the places that alone may use some others.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
# refuse PATTERN WHY FILES... : no line of code of the files may match.
refuse() {
    pattern=$1
    why=$2
    shift 2
    [ "$#" -gt 0 ] || return
    if hits=$(grep -nE "$pattern" "$@" /dev/null | grep -vE '^[^:]*:[0-9]+: *(\*|/\*|//)'); then
        echo "$hits" >&2
        echo "  refused: $why" >&2
        bad=1
    fi
}
all=$(ls src/*/*.[ch] src/*/*.inc 2>/dev/null)
except() { echo "$all" | grep -v -E "$1"; }
w='(^|[^A-Za-z0-9_.>])'
refuse "$w(atoi|atof|strcpy|strcat|sprintf|strtok|gets|rand|setlocale|alloca)\(" "banned function" $all
refuse "$w(malloc|calloc|realloc|free|posix_memalign|strdup)\(" "allocation belongs to base/mem.c" $(except 'base/mem\.c')
refuse "$w(exit|_exit|abort)\(" "only cli/main.c ends the program" $(except 'cli/main\.c')
refuse "$w(cblas_[a-z]*|openblas_[a-z_]*)\(" "only math/ calls BLAS" $(except 'src/math/')
refuse "${w}utf8proc_[a-z_]*\(" "only text/unicode.c calls utf8proc" $(except 'text/unicode\.c')
refuse "$w(fopen|open|rename|fsync|unlink|mkstemp)\(" "files belong to base/io.c" $(except 'base/io_system\.c')
refuse "$w(printf|puts|putchar)\(" "nothing below cli prints" $(except 'src/cli/')
refuse "TODO|FIXME|XXX" "left open" $all
# Mutable globals: only the kernel table, the signal flag and test hooks may be static and not const.
if hits=$(grep -nE '^(static )?(_Thread_local |atomic_[a-z]+ |volatile |int |char |long |double |real |size_t |[A-Z][A-Za-z]+ \*?)[a-z_]+( =.*)?;' \
    $(ls src/*/*.c) | grep -vE 'const|base/(mem|io_system|json)\.c|math/vec\.c|cli/signals\.c|train/hooks\.c'); then
    echo "$hits" >&2
    echo "  refused: a mutable global" >&2
    bad=1
fi
exit $bad
