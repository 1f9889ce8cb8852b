#!/bin/sh
# scalar.sh CC PROGRAM.pt2... -- builds the C sources of each program in plain C11 with this compiler.
# `ferrite check` compares what they compute with what is recorded; their libraries show one name alone.
cc=$1
shift
unset MAKEFLAGS MAKELEVEL MFLAGS
runtime=

build() { # build PROGRAM NAME
    ferrite compile "$1" --emit c -o "$2" --quiet || return 1
    [ -z "$runtime" ] || cp "$runtime"/*.o "$2/runtime/" # it is the same for all
    runtime=$2/runtime
    make -C "$2" SCALAR=1 CC="$cc" CFLAGS=-O0 || return 1
    # beside what belongs to the compiler
    names=$(nm -D --defined-only "$2/$2.so" | sed 's/.* //' | grep -v -e '^_' -e '^atexit$')
    echo "seen from outside: $names"
    [ "$names" = ferrite_artifact ]
}

for program; do
    name=$(basename "$program" .pt2)
    if build "$program" "$name" >log 2>&1 &&
        ferrite check "$program" --artifact "$name/$name.so" >log 2>&1; then
        echo "$name: as recorded"
    else
        echo "$name: fails"
        tail -n 20 log
    fi
done
