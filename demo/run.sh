#!/bin/sh
# The demo: compiles the trained network, builds a small C program that loads it, and reads the
# held-out digits.
set -eu
cd "$(dirname "$0")/.."
out=build/demo
mkdir -p "$out"
right=$(sed -n 's/.*"right": *\([0-9]*\).*/\1/p' demo/digits.json)
count=$(sed -n 's/.*"count": *\([0-9]*\).*/\1/p' demo/digits.json)
echo "compiling demo/digits.pt2"
FERRITE_CACHE_DIR=$out/cache build/ferrite compile demo/digits.pt2 -o "$out/digits.so"
${CC:-cc} -O2 -Iinclude demo/demo.c -ldl -o "$out/demo"
echo
"$out/demo" "$out/digits.so" demo/digits.safetensors "$right" "$count"
