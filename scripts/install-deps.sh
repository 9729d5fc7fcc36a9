#!/bin/sh
# Installs what heed needs to build (and with --tests to test). With --if-missing it first looks and
# does nothing, silently, when everything is there.
set -u
if_missing=0
tests=0
for option in "$@"; do
    case $option in
    --if-missing) if_missing=1 ;;
    --tests) tests=1 ;;
    *)
        echo "install-deps.sh: $option: must be --if-missing or --tests" >&2
        exit 2
        ;;
    esac
done

# Prints the names of what is missing.
missing() {
    for tool in cc make pkg-config; do
        command -v "$tool" >/dev/null 2>&1 || echo "$tool"
    done
    for library in openblas libutf8proc jansson zlib libmicrohttpd; do
        pkg-config --exists "$library" 2>/dev/null || echo "$library"
    done
    if [ "$tests" = 1 ]; then
        pkg-config --exists check 2>/dev/null || echo check
        command -v python3 >/dev/null 2>&1 || echo python3
    fi
}

found_missing=$(missing | tr '\n' ' ')
if [ "$if_missing" = 1 ] && [ -z "$found_missing" ]; then
    exit 0
fi

if command -v apt-get >/dev/null 2>&1; then
    packages="gcc libc6-dev make pkg-config libopenblas-dev libutf8proc-dev libjansson-dev zlib1g-dev libmicrohttpd-dev"
    [ "$tests" = 1 ] && packages="$packages check python3"
    install="apt-get install -y --no-install-recommends"
    refresh="apt-get update"
elif command -v dnf >/dev/null 2>&1; then
    packages="gcc make pkgconf-pkg-config openblas-devel utf8proc-devel jansson-devel zlib-devel libmicrohttpd-devel"
    [ "$tests" = 1 ] && packages="$packages check-devel python3"
    install="dnf install -y"
    refresh=true
elif command -v pacman >/dev/null 2>&1; then
    packages="gcc make pkgconf openblas libutf8proc jansson zlib libmicrohttpd"
    [ "$tests" = 1 ] && packages="$packages check python"
    install="pacman -S --needed --noconfirm"
    refresh="pacman -Sy"
elif command -v brew >/dev/null 2>&1; then
    packages="pkg-config openblas utf8proc jansson zlib libmicrohttpd"
    [ "$tests" = 1 ] && packages="$packages check python3"
    install="brew install"
    refresh=true
else
    echo "install-deps.sh: no apt-get, dnf, pacman or brew here; needed: $found_missing" >&2
    exit 1
fi

sudo=""
if [ "$(id -u)" != 0 ] && ! command -v brew >/dev/null 2>&1; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        sudo=sudo
    else
        echo "install-deps.sh: missing: $found_missing; installing needs root: $install $packages" >&2
        exit 1
    fi
fi

echo "Missing: ${found_missing:-nothing}. Running: $sudo $install $packages"
$sudo $refresh >/dev/null || echo "install-deps.sh: the package lists could not be refreshed" >&2
if ! DEBIAN_FRONTEND=noninteractive $sudo $install $packages >/dev/null; then
    echo "install-deps.sh: could not install: $packages" >&2
    exit 1
fi
