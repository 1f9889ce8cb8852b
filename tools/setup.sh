#!/bin/sh
# tools/setup.sh build|test|opencl|browser -- looks whether the system packages that this step needs are
# there. As root on a Debian-like system it installs the missing ones; otherwise it prints the command
# to type and fails.
set -u

has_header() {
    [ -e "/usr/include/$1" ] || printf '#include <stddef.h>\n#include <%s>\n' "$1" | cc -E - >/dev/null 2>&1
}

has_library() {
    echo | cc -shared -o /dev/null -x c - "-l$1" >/dev/null 2>&1
}

missing=
case "${1:-build}" in
build)
    has_header json-c/json.h || missing="$missing libjson-c-dev"
    has_header zlib.h || missing="$missing zlib1g-dev"
    ;;
test)
    command -v python3 >/dev/null || missing="$missing python3"
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
    has_library lapack || missing="$missing liblapack-dev"
    has_header pcre2.h || missing="$missing libpcre2-dev"
    ;;
opencl)
    ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 || missing="$missing ocl-icd-libopencl1 pocl-opencl-icd"
    ;;
browser)
    command -v chromium >/dev/null || missing="$missing chromium"
    ;;
*)
    echo "usage: tools/setup.sh build|test|opencl|browser" >&2
    exit 2
    ;;
esac
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "ferrite needs these packages first:$missing" >&2
    echo "    sudo $install" >&2
    exit 1
fi
echo "installing$missing ..."
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if { apt-get -q update && $install; } >"$log" 2>&1; then
    rm -f "$log"
else
    tail -n 20 "$log" >&2
    echo "could not install them; to try by hand: $install" >&2
    exit 1
fi
