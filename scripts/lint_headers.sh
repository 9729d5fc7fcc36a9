#!/bin/sh
# Each header compiles alone, and each source includes its own header first.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
mkdir -p build
flags="-std=c11 -D_POSIX_C_SOURCE=200809L -Isrc -fsyntax-only -Wall -Wextra -Wno-unused-function"
flags="$flags $(pkg-config --cflags openblas libutf8proc jansson zlib)"
for header in src/*.h src/*/*.h; do
    [ -e "$header" ] || continue
    if ! ${CC:-cc} $flags -x c "$header" 2>build/heed-lint.$$; then
        cat build/heed-lint.$$ >&2
        bad=1
    fi
done
rm -f build/heed-lint.$$
for source in src/*/*.c; do
    own=$(echo "${source%.c}.h" | sed 's,^src/,,')
    [ -e "src/$own" ] || continue
    first=$(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$source" | head -1)
    if [ "$first" != "$own" ]; then
        echo "$source: its first include must be its own header $own" >&2
        bad=1
    fi
done
exit $bad
