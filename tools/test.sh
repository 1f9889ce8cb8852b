#!/bin/sh
# tools/test.sh test|check -- runs the parts of the test suite, goes on after failures, and ends with the
# sum of what they counted. `check` is the quick part: lint, unit tests and text tests of the plain build.
#
# Parts that use all processors run one after another (part); then those of one process, as many at once
# as there are processors (beside). Each prints "N passed, N failed[, N skipped|unsupported]" as its last
# line; one that prints no such line counts as one test, by its exit status. What a part said is kept in
# build/test/.
#
# What can differ from one instruction set to another is run for each that the machine has: FERRITE_ISA
# forces it in what is generated and in the runtime. Parts end by themselves or by their time limit, and
# what is left when the whole has taken too long is not begun: either counts as one failure.
#
#     VENV=DIR        the tests' Python environment (default build/venv)
#     CASES=DIR       recorded cases from outside the repository (default ../shared/cases)
#     JOBS=N          processes at once (default: one a processor)
#     LIMIT=N         seconds that one part may take (default 1800)
#     TOTAL=N         seconds after which no part begins, and the one at work ends (default 4500)
cd "$(dirname "$0")/.." || exit 1
mode=${1:-test} # or one, a part by itself: one BEGUN NAME COMMAND
VENV=${VENV:-build/venv}
CASES=${CASES:-../shared/cases}
JOBS=${JOBS:-$(nproc 2>/dev/null || echo 2)}
LIMIT=${LIMIT:-1800}
TOTAL=${TOTAL:-4500}
begun=$(date +%s)
export VENV JOBS
passed=0 failed=0 skipped=0
failures=
logs=build/test
mkdir -p "$logs"
export TORCHINDUCTOR_CACHE_DIR="$PWD/$logs/pytorch"

count() { # count PASSED FAILED SKIPPED NAME
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
    [ "$2" -eq 0 ] || failures="$failures
  $4: $2 failed"
}

# limited SECONDS COMMAND...: a function of this file stands for itself.
limited() {
    seconds=$1
    shift
    case $1 in
        unpack_cases) "$@" ;;
        *) timeout -k 10 "$seconds" "$@" ;;
    esac
}

log_of() { # log_of NAME: its file, without a suffix
    printf '%s/%s' "$logs" "$(printf %s "$1" | tr -c 'A-Za-z0-9\n' _)"
}

# run_part NAME COMMAND...: what it says is in its .log, how it ended in .status, its time in .seconds.
run_part() {
    kept=$(log_of "$1")
    shift
    from=$(date +%s)
    most=$((begun + TOTAL - from))
    [ "$most" -lt "$LIMIT" ] || most=$LIMIT
    if [ "$most" -le 0 ]; then
        echo "not begun: all in all $TOTAL seconds are over" | tee "$kept.log"
        echo 124 >"$kept.status"
    else
        { limited "$most" "$@" </dev/null 2>&1; echo $? >"$kept.status"; } | tee "$kept.log"
    fi
    echo $(($(date +%s) - from)) >"$kept.seconds"
}

# sum_part LENIENT NAME: adds up what it counted. What is unsupported counts as failed, or if lenient, for
# cases from outside the project, as skipped.
sum_part() {
    lenient=$1 name=$2
    kept=$(log_of "$name")
    status=$(cat "$kept.status") seconds=$(cat "$kept.seconds")
    printf '(%s: %d s)\n' "$name" "$seconds"
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        echo "$name: ended after $seconds seconds"
        count 0 1 0 "$name (ended after $seconds s)"
        return
    fi
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$kept.log" | tail -n 1)
    if [ -z "$line" ]; then
        if [ "$status" -eq 0 ]; then count 1 0 0; else count 0 1 0 "$name"; fi
        return
    fi
    p=${line%% passed*}
    f=${line#* passed, } f=${f%% *}
    s=$(echo "$line" | sed -nE 's/.* ([0-9]+) skipped.*/\1/p')
    u=$(echo "$line" | sed -nE 's/.* ([0-9]+) unsupported.*/\1/p')
    s=${s:-0} u=${u:-0}
    if [ -n "$lenient" ]; then s=$((s + u)); else f=$((f + u)); fi
    # It ended badly and counted nothing as failed: a crash, say.
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ] && [ "$u" -eq 0 ]; then f=1; fi
    count "$p" "$f" "$s" "$name"
}

# part [--lenient] NAME COMMAND...: runs it and adds up what it counted.
part() {
    outside=
    if [ "$1" = --lenient ]; then outside=1; shift; fi
    printf '\n== %s\n' "$1"
    run_part "$@"
    sum_part "$outside" "$1"
}

# beside NAME COMMAND: a part of one process, a line of the shell; it is run by all_beside.
beside() { printf '%s\n%s\n' "$1" "$2" >>"$logs/beside"; }

# The longest first, by what each took the last time, so that no processor waits for the last one; first of
# all what is not known.
longest_first() {
    while read -r name && read -r command; do
        printf '%s\t%s\t%s\n' "$(cat "$(log_of "$name").seconds" 2>/dev/null || echo 9999)" "$name" "$command"
    done <"$logs/beside" | sort -s -k1,1nr | cut -f2- | tr '\t' '\n'
}

all_beside() {
    [ -s "$logs/beside" ] || return
    longest_first >"$logs/sorted" && mv "$logs/sorted" "$logs/beside"
    printf '\n== parts of one process, %s at once\n' "$JOBS"
    tr '\n' '\0' <"$logs/beside" | xargs -0 -n 2 -P "$JOBS" sh tools/test.sh one "$begun" >"$logs/beside.log"
    while read -r name && read -r _; do
        printf '\n== %s\n' "$name"
        cat "$(log_of "$name").log"
        sum_part "" "$name"
    done <"$logs/beside"
    rm "$logs/beside"
}

skip() { # skip NAME WHY
    printf '\n== %s\nskipped: %s\n' "$1" "$2"
    count 0 0 1
}

# kernel_parts BUILD SUFFIX: kernel tests. Sanitizers make them ten times slower: they look at each
# instruction set with two threads, as the plain build compares the numbers of one, two and three.
kernel_parts() {
    [ -x "$1/test_kernels" ] || return
    if [ -z "$2" ]; then
        beside "kernel tests" "$1/test_kernels"
        return
    fi
    for isa in $("$1/test_kernels" --isas); do
        beside "kernel tests$2, $isa" "$1/test_kernels $isa 2"
    done
}

# parts_of BUILD SUFFIX: what is run on both the plain and the sanitized build.
parts_of() {
    beside "unit tests$2" "$1/unit"
    [ "$mode" = test ] && kernel_parts "$1" "$2"
    if [ ! -x "$1/ferrite" ]; then
        skip "text tests$2" "no $1/ferrite"
        return
    fi
    part "text tests$2" build/runtest -j "$JOBS" --slowest 5 --binary "$1/ferrite" test
    [ "$mode" = test ] || return
    if [ -d test/cases ]; then
        part "cases$2" "$1/ferrite" check test/cases --jobs "$JOBS"
    else
        skip "cases$2" "no test/cases"
    fi
}

# The instruction sets that the machine has beside the best, by which everything else goes. (Of one that has
# more than any, native, x86-64-v4 differs in kernels alone.)
other_isas() {
    [ -x build/test_kernels ] || return
    build/test_kernels --isas | tail -n +2 | grep -v x86-64-v4
}

# Unit tests, text tests and cases once more for each of those. Kernel tests go through all by themselves.
isa_parts() {
    for isa in $(other_isas); do
        beside "unit tests, $isa" "FERRITE_ISA=$isa build/unit"
        export FERRITE_ISA="$isa"
        part "text tests, $isa" build/runtest -j "$JOBS" --slowest 5 --binary build/ferrite --again test
        [ ! -d test/cases ] || part "cases, $isa" build/ferrite check test/cases --jobs "$JOBS"
        unset FERRITE_ISA
    done
}

# Where clang is the compiler: it builds everything, and makes of programs what they should compute.
clang_parts() {
    clang=$(command -v clang || command -v clang-14)
    if [ -z "$clang" ]; then
        skip "clang" "there is none"
        return
    fi
    part "build with clang" make CC="$clang" B=build/clang CFLAGS="-O0 -g0" build/clang/ferrite \
        build/clang/unit build/clang/test_kernels
    part "cases with clang" build/clang/ferrite check --cc "$clang" --jobs "$JOBS" \
        test/cases/ops/[acf]*.pt2 test/cases/programs/[ds]*.pt2
}

# The same numbers when inputs are overwritten behind their last readers.
donated_parts() {
    [ -d test/cases ] || return
    part "cases, inputs donated" build/ferrite check test/cases --jobs "$JOBS" --donate all
}

# On devices: OpenCL's on the CPU, and one whose memory the host cannot touch and that does everything late.
device_parts() {
    [ -d test/cases ] || return
    if sh tools/setup.sh opencl; then
        part "cases on OpenCL" build/ferrite check test/cases --jobs "$JOBS" --device opencl
        part "cases on OpenCL, and all that they take and give" build/ferrite check --jobs "$JOBS" \
            --device opencl --device-ports test/cases/programs/*.pt2
    else
        skip "cases on OpenCL" "there is no OpenCL"
    fi
    cc -shared -fPIC -Iinclude examples/device/delayed.c -o build/delayed.so || return
    part "cases on a device of one's own" build/ferrite check test/cases --jobs "$JOBS" \
        --device privateuseone --devices build/delayed.so --target process
    part "cases on a device, and all that they take and give" build/ferrite check test/cases \
        --jobs "$JOBS" --device privateuseone --device-ports --devices build/delayed.so --target process
    part "cases on a device of one's own, whose queues run ahead" env DELAYED_ORDER=ahead \
        build/ferrite check test/cases --jobs "$JOBS" --device privateuseone \
        --devices build/delayed.so --target process
    part "cases on two devices, whose queues go on by chance" env DELAYED_ORDER=7 build/ferrite check \
        --jobs "$JOBS" --device privateuseone:0 --place '*.default=privateuseone:1' \
        --devices build/delayed.so --target process \
        $(ls test/cases/programs/*.pt2 | grep -v -e constant_arguments -e dynamic_transposed)
    part "cases on two devices" build/ferrite check --jobs "$JOBS" --device privateuseone:0 \
        --place '*.default=privateuseone:1' --devices build/delayed.so --target process \
        $(ls test/cases/programs/*.pt2 | grep -v -e constant_arguments -e dynamic_transposed)
}

# Kernels of GPUs, compiled and run by the host's C++ compiler (test/device/shim.c). What was made of a text
# is kept for the next run.
shim_parts() {
    [ -d test/cases ] || return
    mkdir -p build/test/shim
    find build/test/shim -name '*.so' -mtime +7 -delete
    for kind in cuda mps; do
        if ! c++ --version >/dev/null 2>&1; then
            skip "cases of $kind on the host" "there is no C++ compiler"
            continue
        fi
        metal=
        [ $kind = cuda ] || metal=-DSHIM_METAL
        cc -shared -fPIC -Iinclude $metal -DSHIM_FOLDER="\"$PWD/test/device\"" test/device/shim*.c \
            -o build/shim_$kind.so -lpthread || return
        part "cases of $kind on the host" env SHIM_CACHE=build/test/shim build/ferrite check test/cases \
            --jobs "$JOBS" --device $kind --devices build/shim_$kind.so --target process
    done
}

# Libraries of CUDA and Metal are stand-ins (test/device/stand_in_*.c), by which ferrite's own drivers run.
stand_in_parts() {
    [ -d test/cases ] && c++ --version >/dev/null 2>&1 || return
    mkdir -p build/test/cuda build/test/mps
    for name in cuda:cuda/libcuda.so.1 metal:mps/Metal; do
        cc -shared -fPIC -Iinclude -DSHIM_FOLDER="\"$PWD/test/device\"" test/device/stand_in_${name%%:*}.c \
            test/device/shim_[blm]*.c -o "build/test/${name#*:}" -lpthread || return
    done
    ln -sf Metal build/test/mps/libobjc.A.dylib
    for kind in cuda mps; do
        part "programs on a stand-in of $kind" env SHIM_CACHE=build/test/shim \
            LD_LIBRARY_PATH=build/test/$kind CUDA_NVRTC="$PWD/build/test/cuda/libcuda.so.1" \
            build/ferrite check --jobs "$JOBS" --device $kind --device-ports \
            --target process test/cases/programs/*.pt2
    done
    part "what make test-gpu does, on a stand-in" env QUICK=1 OUT=build/test/gpu SHIM_CACHE=build/test/shim \
        LD_LIBRARY_PATH=build/test/cuda CUDA_NVRTC="$PWD/build/test/cuda/libcuda.so.1" sh tools/test_gpu.sh
}

# No run of a program of fixed sizes allocates, nor with one arena for all sizes; but tables of a Fourier
# transform are made when the run finds its length.
first_run_parts() {
    [ -d test/cases ] || return
    cc -O1 -rdynamic -Iinclude test/artifact/first_run.c build/libferrite.a \
        $(sed -n 's/^Libs.private: //p' build/ferrite.pc) -o build/first_run || return
    beside "first runs" "build/first_run build test/cases/*/*.pt2"
    beside "first runs, one arena" "build/first_run build max-arena=on \
$(ls test/cases/*/*.pt2 | grep -v dynamic_spectrum | tr '\n' ' ')"
}

# Hosts of test/artifact: no run touches memory outside of what it is given; where an allocation fails while
# compiling, a call says so.
hostile_parts() {
    [ -d test/cases ] || return
    for host in guarded compile_no_memory; do
        cc -O1 -rdynamic -Iinclude test/artifact/$host.c build/libferrite.a \
            $(sed -n 's/^Libs.private: //p' build/ferrite.pc) -o build/$host || return
    done
    beside "memory that ends at a guard page" "build/guarded build test/cases/*/*.pt2"
    mkdir -p build/test/no-memory
    beside "compiling without memory" "build/compile_no_memory build/test/no-memory \
test/cases/programs/dynamic_mlp.pt2 test/cases/programs/branches.pt2 test/cases/programs/n*.pt2"
}

# Changed archives and texts of all stages, the same ones each time, against the sanitized library.
fuzz_part() {
    [ -d test/cases ] && [ -f build/san/libferrite.a ] || return
    cc -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -Iinclude test/fuzz/*.c \
        build/san/libferrite.a $(sed -n 's/^Libs.private: //p' build/ferrite.pc) -o build/san/fuzz || return
    beside "changed programs" "build/san/fuzz --count 1500 test/cases/*/*.pt2"
}

# The same numbers when the program is cut after each node, after every third, and by kinds of operator, and
# each part in turn is run by a program of its own.
split_parts() {
    [ -d test/cases ] || return
    for where in nodes=1 nodes=3 'op=add*,mul*,*mm*,linear*,conv*'; do
        part "cases, split by $where" build/ferrite check test/cases --jobs "$JOBS" --split "$where" \
            --replace-parts
    done
}

# The environment is unpacked by one process, some minutes long where it is new, while others are at work.
# Packages of the system come first: who installs them has to be alone.
begin_python() {
    [ "$mode" = test ] && [ -f test/python/setup_venv.sh ] || return
    part "system packages" sh -c 'sh tools/setup.sh build && sh tools/setup.sh test'
    run_part "python environment" sh test/python/setup_venv.sh "$VENV" >/dev/null &
    environment=$!
}

end_python() {
    [ -n "${environment:-}" ] || return
    wait "$environment"
    printf '\n== python environment\n'
    cat "$(log_of "python environment").log"
    sum_part "" "python environment"
    [ "$(cat "$(log_of "python environment").status")" = 0 ] && python_ready=1
}

python_parts() {
    if [ ! -f test/python/setup_venv.sh ]; then
        skip "python tests" "no test/python"
        return
    fi
    [ -n "$python_ready" ] || return
    for file in test/python/test_*.py; do
        [ -f "$file" ] && beside "$(basename "$file")" "$VENV/bin/python $file"
    done
    # values are eager's on this machine: of instruction sets that have a fused multiply-add as it does
    case " $(other_isas | tr '\n' ' ') " in
    *" x86-64-v3 "*)
        beside "test_values.py, x86-64-v3" \
            "FERRITE_ISA=x86-64-v3 $VENV/bin/python test/python/test_values.py"
        ;;
    esac
}

# Unpacks the recorded cases once, leaving out those that torch itself cannot run, or answers otherwise.
unpack_cases() {
    stamp=build/shared-cases/unpacked
    [ -e "$stamp" ] && return
    rm -rf build/shared-cases
    for archive in "$CASES"/*.tar.xz; do
        mkdir -p "build/shared-cases/$(basename "$archive" .tar.xz)"
        python3 -m tarfile -e "$archive" "build/shared-cases/$(basename "$archive" .tar.xz)" || return 1
    done
    cat "$CASES/exclude.txt" test/unsound-records.txt 2>/dev/null | while read -r stem _; do
        [ -n "$stem" ] && rm -f build/shared-cases/*/"$stem".*
    done
    touch "$stamp"
}

shared_parts() {
    if [ ! -d "$CASES" ] || [ ! -x build/ferrite ]; then
        skip "recorded cases" "no $CASES"
        return
    fi
    part "unpack recorded cases" unpack_cases
    for folder in build/shared-cases/*/; do
        part --lenient "recorded cases: $(basename "$folder")" build/ferrite check "$folder" --jobs "$JOBS"
    done
}

if [ "$mode" = one ]; then
    begun=$2
    run_part "$3" sh -c "$4"
    echo "$3: $(cat "$(log_of "$3").seconds") s" >&2
    exit 0
fi
rm -f "$logs/beside"
# what PyTorch caches of one run is not there in the next
rm -rf "$logs/pytorch"
python_ready=
begin_python
part "build" make tests
beside "lint" "sh tools/lint.sh"
parts_of build ""
end_python
if [ "$mode" = test ]; then
    isa_parts
    clang_parts
    split_parts
    donated_parts
    device_parts
    shim_parts
    stand_in_parts
    first_run_parts
    hostile_parts
    part "build in plain C" make B=build/plain ISAS=base CFLAGS=-DFERRITE_SCALAR build/plain/test_kernels
    beside "kernel tests, plain C" build/plain/test_kernels
    part "build with sanitizers" make SAN=1 tests
    # what tests compile to load an artifact, whose runtime is sanitized here too
    export FERRITE_TEST_CC="cc -fsanitize=address,undefined"
    parts_of build/san ", sanitized"
    unset FERRITE_TEST_CC
    fuzz_part
    python_parts
    shared_parts
fi
all_beside

[ -z "$failures" ] || printf '\nfailures:%s\n' "$failures"
printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
