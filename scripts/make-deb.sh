#!/bin/sh
# Builds Debian packages from an installation below build/deb: heed (the program), libheed0 (the
# shared library) and libheed-dev (header, archive, pkg-config). make-deb.sh VERSION
set -eu
cd "$(dirname "$0")/.."
version=$1
for tool in dpkg-deb dpkg-shlibdeps dpkg-architecture; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "make-deb.sh: $tool is not here; install dpkg and dpkg-dev" >&2
        exit 1
    fi
done
architecture=$(dpkg-architecture -qDEB_HOST_ARCH)
libdir=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
top=build/deb
maintainer="heed maintainers <heed@localhost.localdomain>"
umask 022

rm -rf "$top"
make --no-print-directory install DESTDIR="$PWD/$top/all" PREFIX=/usr LIBDIR="$libdir" >/dev/null

# take PACKAGE PATH... : moves files of the installation into a package.
take() {
    package=$1
    shift
    for path in "$@"; do
        mkdir -p "$top/$package$(dirname "$path")"
        mv "$top/all$path" "$top/$package$path"
    done
}
take heed /usr/bin/heed /usr/share/man/man1/heed.1 /usr/share/bash-completion/completions/heed
take heed /usr/share/zsh/site-functions/_heed
mkdir -p "$top/heed/usr/share/zsh/vendor-completions"
mv "$top/heed/usr/share/zsh/site-functions/_heed" "$top/heed/usr/share/zsh/vendor-completions/_heed"
rmdir "$top/heed/usr/share/zsh/site-functions"
take libheed0 "$libdir/libheed.so.$version" "$libdir/libheed.so.0"
take libheed-dev "$libdir/libheed.so" "$libdir/libheed.a" "$libdir/pkgconfig/heed.pc" /usr/include/heed.h
for path in "$top"/all/usr/share/doc/heed/*; do
    case $path in
    */LICENSE | */CHANGELOG.md) ;; # become copyright and changelog below
    */example.c) mkdir -p "$top/libheed-dev/usr/share/doc/libheed-dev/examples" &&
        mv "$path" "$top/libheed-dev/usr/share/doc/libheed-dev/examples/" ;;
    *) mkdir -p "$top/heed/usr/share/doc/heed" && mv "$path" "$top/heed/usr/share/doc/heed/" ;;
    esac
done
strip --strip-unneeded "$top/heed/usr/bin/heed" "$top/libheed0$libdir/libheed.so.$version"
strip --strip-debug "$top/libheed-dev$libdir/libheed.a"
gzip -9n "$top/heed/usr/share/man/man1/heed.1"

# depends FILE: the packages whose libraries it needs, as Debian's own tool works them out.
depends() {
    mkdir -p "$top/work/debian"
    printf 'Source: heed\nMaintainer: %s\n\nPackage: heed\nArchitecture: any\n' "$maintainer" >"$top/work/debian/control"
    (cd "$top/work" && dpkg-shlibdeps -O "$1" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
}
depends_heed=$(depends "$PWD/$top/heed/usr/bin/heed")
depends_library=$(depends "$PWD/$top/libheed0$libdir/libheed.so.$version")

# finish PACKAGE SECTION DEPENDS SUMMARY DESCRIPTION
finish() {
    root=$top/$1
    documents=$root/usr/share/doc/$1
    mkdir -p "$root/DEBIAN" "$documents"
    {
        echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
        echo "Upstream-Name: heed"
        echo
        echo "Files: *"
        sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
        echo "License: Expat"
        sed -e '1,/^Copyright/d' LICENSE | sed -e 1d -e 's/^$/./' -e 's/^/ /'
    } >"$documents/copyright"
    {
        echo "heed ($version) unstable; urgency=medium"
        echo
        echo "  * Release $version; CHANGELOG.md of the source has what is new."
        echo
        echo " -- $maintainer  $(LC_ALL=C date -u -R -d "@$when")"
    } | gzip -9n >"$documents/changelog.gz"
    {
        echo "Package: $1"
        echo "Source: heed"
        echo "Version: $version"
        echo "Architecture: $architecture"
        echo "Maintainer: $maintainer"
        echo "Installed-Size: $(du -k -s --exclude=DEBIAN "$root" | cut -f1)"
        echo "Depends: $3"
        echo "Section: $2"
        echo "Priority: optional"
        echo "Description: $4"
        echo "$5"
    } >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k 2 >DEBIAN/md5sums)
    package=build/$1_${version}_$architecture.deb
    SOURCE_DATE_EPOCH=$when dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
    echo "$package"
}
about=" heed trains a recurrent encoder-decoder with attention on a small parallel
 corpus, on a CPU, translates with it, and shows at every word of the
 translation where in the source it looked."
printf 'activate-noawait ldconfig\n' >"$top/triggers"
mkdir -p "$top/libheed0/DEBIAN"
mv "$top/triggers" "$top/libheed0/DEBIAN/triggers"
printf 'libheed 0 libheed0 (>= %s)\n' "$version" >"$top/libheed0/DEBIAN/shlibs"
finish heed text "$depends_heed" "small neural translator with attention" "$about"
finish libheed0 libs "$depends_library" "small neural translator with attention - shared library" "$about
 .
 This package holds the shared library."
finish libheed-dev libdevel "libheed0 (= $version), libopenblas-dev, libutf8proc-dev, libjansson-dev, zlib1g-dev" \
    "small neural translator with attention - development files" "$about
 .
 This package holds the header, the archive and the description for pkg-config."
rm -rf "$top"
