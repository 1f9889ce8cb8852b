#!/bin/sh
# tools/test_gpu.sh -- all that wants a GPU, within ten minutes, by one command: recorded cases and programs
# run and compared there, products, convolutions and programs timed, and held against PyTorch where that
# sees the GPU. What it found is left in a folder:
#
#     facts.txt    the machine, its driver, the commit
#     cases.log    recorded cases; models.log: those of CASES, where they are unpacked
#     bench.tsv    what was timed: name, median microseconds of a call, milliseconds to compile
#     ratios.tsv   the same programs by PyTorch, eager and compiled: microseconds, and theirs over ours
#     summary.txt  one line a part
#
# Where there is no GPU it says so, counts itself as skipped, and ends well.
#
#     KIND=cuda        the kind of device (opencl, mps)
#     OUT=DIR          the folder (default build/gpu)
#     CASES=DIR        unpacked cases of whole models (default build/shared-cases/models)
#     VENV=DIR         an environment with PyTorch (default build/venv)
#     QUICK=1          few programs, small ones: to try this very script by a stand-in of CUDA's libraries,
#                      which runs kernels on the host (tools/test.sh builds it), where times say nothing:
#                      QUICK=1 LD_LIBRARY_PATH=build/test/cuda CUDA_NVRTC=$PWD/build/test/cuda/libcuda.so.1
#     TOTAL=N          seconds for everything (default 570)
cd "$(dirname "$0")/.." || exit 1
KIND=${KIND:-cuda}
OUT=${OUT:-build/gpu}
CASES=${CASES:-build/shared-cases/models}
VENV=${VENV:-build/venv}
QUICK=${QUICK:-}
TOTAL=${TOTAL:-570}
JOBS=${JOBS:-$(nproc 2>/dev/null || echo 2)}
begun=$(date +%s)
passed=0 failed=0 skipped=0
mkdir -p "$OUT"
: >"$OUT/summary.txt"

say() { echo "$*" | tee -a "$OUT/summary.txt"; }

left() { echo $((begun + TOTAL - $(date +%s))); }

finish() {
    say "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}

# compared NAME SECONDS FILES...: recorded cases run on the device.
compared() {
    name=$1 most=$2
    shift 2
    [ "$(left)" -lt "$most" ] && most=$(left)
    if [ "$most" -lt 5 ]; then
        skipped=$((skipped + 1))
        say "$name: skipped, the time is over"
        return
    fi
    timeout -k 10 "$most" build/ferrite check --device "$KIND" --jobs "$JOBS" "$@" >"$OUT/$name.log" 2>&1
    status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$OUT/$name.log" | tail -n 1)
    if [ -z "$line" ]; then
        failed=$((failed + 1))
        say "$name: ended early (status $status, after $most s at most): $OUT/$name.log"
        return
    fi
    passed=$((passed + ${line%% passed*}))
    wrong=${line#* passed, }
    failed=$((failed + ${wrong%% failed*}))
    say "$name: $line"
}

number_of() { # number_of KEY: the first of them in what bench said
    sed -nE "s/.*\"$1\": ([0-9.]+).*/\1/p" "$OUT/bench.json" | head -n 1
}

# timed NAME PROGRAM: one row of bench.tsv.
timed() {
    if [ "$(left)" -lt 20 ]; then
        say "bench $1: skipped, the time is over"
        return
    fi
    if ! build/ferrite bench --device "$KIND" --threads 1 --seconds 0.5 --json "$2" \
        >"$OUT/bench.json" 2>"$OUT/bench.err"; then
        failed=$((failed + 1))
        say "bench $1: $(head -n 1 "$OUT/bench.err")"
        return
    fi
    printf '%s\t%s\t%s\n' "$1" "$(number_of median)" "$(number_of total)" >>"$OUT/bench.tsv"
    passed=$((passed + 1))
}

# A program of one product, or one convolution, as text.
product() { # product DTYPE SIZE
    printf 'graph main {\n  placeholder %%x user "x" : %s[%d,%d]\n' "$1" "$2" "$2"
    printf '  placeholder %%w user "w" : %s[%d,%d]\n' "$1" "$2" "$2"
    printf '  %%y = aten.mm.default(%%x, %%w) : %s[%d,%d]\n  output (user %%y)\n}\n' "$1" "$2" "$2"
}

convolution() { # convolution DTYPE IMAGES
    printf 'graph main {\n  placeholder %%x user "x" : %s[%d,64,56,56]\n' "$1" "$2"
    printf '  placeholder %%w user "w" : %s[64,64,3,3]\n' "$1"
    printf '  %%y = aten.convolution.default(%%x, %%w, None, [1,1], [1,1], [1,1], False, [0,0], 1) : '
    printf '%s[%d,64,56,56]\n  output (user %%y)\n}\n' "$1" "$2"
}

# ---- is there one? ----

product f32 64 >"$OUT/probe.fx"
if ! build/ferrite bench --device "$KIND" --threads 1 --seconds 0.01 "$OUT/probe.fx" \
    >"$OUT/probe.log" 2>&1; then
    say "no GPU: $(grep -m 1 error "$OUT/probe.log" || head -n 1 "$OUT/probe.log")"
    skipped=1
    finish
fi

{
    date
    git rev-parse HEAD 2>/dev/null
    echo "device $KIND${QUICK:+, quick}"
    command -v nvidia-smi >/dev/null && nvidia-smi
    build/ferrite --version
} >"$OUT/facts.txt" 2>&1

# ---- parts ----

printf 'name\tmedian_us\tcompile_ms\n' >"$OUT/bench.tsv"
sizes="512 1024 4096"
[ -z "$QUICK" ] || sizes=128
for size in $sizes; do
    for dtype in f32 f16; do
        product $dtype "$size" >"$OUT/mm_${dtype}_$size.fx"
        timed "mm $dtype $size" "$OUT/mm_${dtype}_$size.fx"
    done
done
if [ -z "$QUICK" ]; then
    for dtype in f32 f16; do
        convolution $dtype 16 >"$OUT/conv_$dtype.fx"
        timed "conv $dtype 16x64x56x56" "$OUT/conv_$dtype.fx"
    done
fi
for program in test/cases/programs/tiny_bert.pt2 test/cases/programs/small_resnet.pt2 \
    ${QUICK:+/dev/null} "$CASES"/*.pt2; do
    [ "$program" = /dev/null ] && break
    [ -f "$program" ] && timed "$(basename "$program" .pt2)" "$program"
done
if [ -n "$QUICK" ]; then
    compared cases 300 test/cases/programs/*_in_tiles.pt2 test/cases/programs/[bdt]*.pt2
else
    compared cases 300 test/cases
fi
[ -d "$CASES" ] && [ -z "$QUICK" ] && compared models 150 "$CASES"
if [ -x "$VENV/bin/python" ] &&
    "$VENV/bin/python" -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
    timeout "$(left)" "$VENV/bin/python" tools/gpu_ratios.py "$OUT" "$CASES" >"$OUT/ratios.log" 2>&1 ||
        say "ratios: $(tail -n 1 "$OUT/ratios.log")"
else
    skipped=$((skipped + 1))
    say "ratios: skipped, no PyTorch that sees a GPU in $VENV"
fi
say "$OUT has the rest; $(($(date +%s) - begun)) s"
finish
