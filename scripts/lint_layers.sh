#!/bin/sh
# A source file may include its own layer and those that the table lets it know (transitively).
# This is the table of the layers; the manual of the source tree points here.
set -u
cd "$(dirname "$0")/.." || exit 1
allowed() {
    case $1 in
    base) echo base ;;
    math) echo base math ;;
    nn) echo base math nn ;;
    model) echo base math nn model ;;
    text) echo base text ;;
    decode) echo base math nn model text decode ;;
    metric) echo base text metric ;;
    train) echo base math nn model text decode metric train ;;
    view) echo base text view ;;
    serve) echo base math nn model text decode view serve ;;
    api) echo base math nn model text decode metric train api ;;
    cli) echo base math nn model text decode metric train view serve api cli ;;
    esac
}
bad=0
for file in src/*/*.[ch] src/*/*.inc; do
    [ -e "$file" ] || continue
    layer=$(echo "$file" | cut -d/ -f2)
    known=" $(allowed "$layer") "
    for include in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file"); do
        case $include in
        heed.h) case $layer in api | cli) continue ;; esac ;;
        esac
        target=${include%%/*}
        case $known in
        *" $target "*) ;;
        *)
            echo "$file: includes $include, but layer $layer may know only:$known" >&2
            bad=1
            ;;
        esac
    done
done
names=$(ls src/*/*.[ch] tests/*.[ch] 2>/dev/null | sed 's,.*/,,' | sort | uniq -d)
if [ -n "$names" ]; then
    echo "file names that occur twice: $names" >&2
    bad=1
fi
exit $bad
