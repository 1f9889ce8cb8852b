#!/bin/sh
# sources.sh [-O0] FOLDER [ARGUMENT of make]... -- builds the C sources that ferrite put in FOLDER, with
# nothing in the environment but a PATH to the compiler. -O0: the runtime is not optimized, the program is.
#
# The runtime is the same text for all programs and all builds of ferrite. Its objects are kept, in
# build/test/runtime, by what they are made of: that text, the rules, the arguments and the compilers.
# Only the first one who asks for them waits.
quick=
if [ "$1" = -O0 ]; then quick=CFLAGS=-O0; shift; fi
folder=$1
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
name=$(sed -n 's/^\(.*\)\.so: .*/\1/p' "$folder/Makefile")

build() { env -i PATH=/usr/bin:/bin make -C "$folder" -j2 "$@"; }

key_of() {
    # of the Makefile, all but what is the program's own
    grep -vF -e "$name." -e "runtime/" -e "KERNELS" -e "KERNEL_FLAGS =" -e "MODEL =" -e "OPS =" \
        "$folder/Makefile"
    (cd "$folder" && find runtime -name '*.[ch]' | LC_ALL=C sort | xargs sha256sum)
    echo "$quick" "$@"
    for compiler in cc gcc clang clang-14; do env -i PATH=/usr/bin:/bin "$compiler" --version 2>&1; done
}

# what one puts there another does not see before it is whole
keep() {
    new=$(mktemp -d "$root/build/test/runtime/new.XXXXXX") || return
    (cd "$folder" && find runtime -name '*.o' | xargs cp -t "$new" --parents) &&
        mv -T "$new" "$kept" 2>/dev/null || rm -rf "$new"
}

mkdir -p "$root/build/test/runtime"
kept=$root/build/test/runtime/$(key_of "$@" | sha256sum | cut -c1-16)
exec 9>"$kept.lock"
if command -v flock >/dev/null; then flock 9; fi
if [ ! -d "$kept" ]; then
    build "$@" $quick || exit
    keep
    find "$folder" -name '*.o' -not -path '*/runtime/*' -delete
    rm "$folder/$name.so"
    find "$root/build/test/runtime" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -r {} +
fi
exec 9>&-
touch "$kept" "$kept.lock"
cp -r "$kept/runtime" "$folder/"
build "$@"
