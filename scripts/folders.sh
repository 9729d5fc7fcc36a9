#!/bin/sh
# Folders of an installation: made by `make install`, removed by `make uninstall` when they are empty
# and were not there before. The list of those made is kept in MANIFEST; paths are without DESTDIR.
#     folders.sh make DESTDIR MANIFEST FOLDER...
#     folders.sh remove DESTDIR MANIFEST
set -eu
what=$1
destdir=$2
manifest=$3
shift 3

if [ "$what" = make ]; then
    made=$(
        for folder in "$@"; do
            while [ ! -d "$destdir$folder" ] && [ "$folder" != . ]; do
                echo "$folder"
                [ "$folder" = / ] && break
                folder=$(dirname "$folder")
            done
        done | sort -u
    )
    for folder in "$@"; do
        mkdir -p "$destdir$folder"
    done
    if [ -n "$made" ]; then # added to, when this is not the first installation here
        echo "$made" >>"$destdir$manifest"
    fi
elif [ -f "$destdir$manifest" ]; then
    # Longer paths first: what is inside goes before what holds it.
    list=$(sort -ru "$destdir$manifest")
    rm -f "$destdir$manifest"
    echo "$list" | while read -r folder; do
        rmdir "$destdir$folder" 2>/dev/null || true
    done
fi
