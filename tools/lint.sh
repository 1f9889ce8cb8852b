#!/bin/sh
# tools/lint.sh [--format] -- the house rules that a script can check. Prints each offence as
# file:line and their number; fails if there is any. With --format it lays the C sources out
# instead.
#
# CLANG_FORMAT names the formatter (version 14); otherwise it is looked for in the tests' virtual
# environment and on PATH. Without it the layout is not checked, which is an offence only where CI
# is set.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

c_files=$(find src rt include tools test examples demo -name '*.[ch]' -type f 2>/dev/null | sort)
def_files=$(find src rt -name '*.def' -type f | sort)
scripts=$(find tools test demo python examples .ci \( -name '*.sh' -o -name '*.py' -o -path '.ci/run' \) \
    -type f 2>/dev/null | sort)
texts="Makefile tools/layers.txt $(find . -maxdepth 1 -name '*.md' -type f)
    $(find doc -name '*.md' -type f 2>/dev/null)"

find_formatter() {
    for candidate in "${CLANG_FORMAT:-}" "${VENV:-build/venv}/bin/clang-format" \
        clang-format-14 clang-format; do
        [ -n "$candidate" ] && "$candidate" --version 2>/dev/null | grep -q ' 14\.' || continue
        echo "$candidate"
        return
    done
}

if [ "${1:-}" = --format ]; then
    formatter=$(find_formatter)
    [ -n "$formatter" ] || { echo "no clang-format 14: set CLANG_FORMAT, or run make test once" >&2; exit 1; }
    # shellcheck disable=SC2086
    exec "$formatter" -i $c_files
fi

report=$(mktemp)
trap 'rm -f "$report"' EXIT

# Includes against tools/layers.txt.
# shellcheck disable=SC2086
awk '
function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
FILENAME == "tools/layers.txt" {
    if ($0 !~ /^#/ && $2 == ":") { known[$1] = 1; for (i = 3; i <= NF; i++) allowed[$1, $i] = 1 }
    next
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\""); header = quoted[2]
    sub(/^(\.\.\/)+/, "", header)
    split(FILENAME, dirs, "/")
    slash = index(header, "/"); from = slash ? substr(header, 1, slash - 1) : ""
    if (header ~ /^ferrite_(abi|graph|ops|passes)\.h$/) next
    if (dirs[1] == "rt") {
        if (slash && header != "plan/replan.h") print FILENAME ":" FNR ": rt/ may not include " header
    } else if (dirs[1] == "src") {
        own = dirs[2]; room = folder(substr(FILENAME, 5)); target = folder(header)
        closed = (from == own && room != own && room in known) || (target != from && target in known)
        if (closed && room != target && !((room, target) in allowed))
            print FILENAME ":" FNR ": " room "/ may not include " header
        if (!(own in known)) print FILENAME ":" FNR ": folder " own " is not in tools/layers.txt"
        else if (header == "ferrite.h" || from == own || (own, from) in allowed) next
        else print FILENAME ":" FNR ": " own "/ may not include " header
    }
}' tools/layers.txt $(printf '%s\n' $c_files $def_files | grep -E '^(src|rt)/') >>"$report"

banned='(malloc|calloc|realloc|free|exit|abort|strcpy|strcat|sprintf|atoi|getenv)'
# Shape of C: how a file opens, its length, the length of functions, calls that only base/, rt/ and
# driver/ and cli/ make. shellcheck disable=SC2086
awk -v banned="(^|[^A-Za-z0-9_])$banned *[(]" '
function close_file() { if (last ~ /[ch]$/ && lines > 1000) print last ":" lines ": over 1000 lines" }
FNR == 1 {
    close_file(); last = FILENAME; in_comment = 0; start = 0
    checked = FILENAME ~ /^src\// && FILENAME !~ /^src\/(base|driver|cli)\//
    if ($0 !~ /^\/\*/) print FILENAME ":1: no comment that says what the file is for"
}
{ lines = FNR }
/^\{$/ { start = FNR }
/^\}/ && start {
    if (FNR - start - 1 > 100) print FILENAME ":" start ": function of " FNR - start - 1 " lines"
    start = 0
}
checked {
    code = $0
    gsub(/\\\\/, "", code); gsub(/\\"/, "", code); gsub(/"[^"]*"/, "\"\"", code)
    if (in_comment) { if (!sub(/^.*\*\//, "", code)) next; in_comment = 0 }
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", code); sub(/\/\/.*/, "", code)
    if (sub(/\/\*.*/, "", code)) in_comment = 1
    if (match(code, banned))
        print FILENAME ":" FNR ": not a call for this folder: " substr(code, RSTART, RLENGTH)
}
END { close_file() }' $c_files $def_files >>"$report"

# Any text: width (of .def files not: a row is a line), blanks, paths of one machine.
# shellcheck disable=SC2086
awk '
FILENAME !~ /\.(md|def|py)$/ && length > 110 { print FILENAME ":" FNR ": " length " columns (110 at most)" }
/[ \t]$/ { print FILENAME ":" FNR ": blanks at the end of the line" }
/\t/ && FILENAME != "Makefile" { print FILENAME ":" FNR ": a tab" }
/(^|[^A-Za-z0-9_.])\/(work|root|home|Users)\// && FILENAME != "tools/lint.sh" {
    print FILENAME ":" FNR ": a path of one machine"
}' $c_files $def_files $scripts $texts >>"$report"

# The table of the history of PyTorch's wrapper: a test in it is there, and what is named after a change
# says so in its first line; each of test/history is in it.
awk -F '|' '
/^\| [0-9]/ {
    rest = $4
    while (match(rest, /`test\/[^`]*`/)) {
        test = substr(rest, RSTART + 1, RLENGTH - 2); rest = substr(rest, RSTART + RLENGTH)
        named[test] = 1
        if ((getline first < test) < 0) print FILENAME ":" FNR ": there is no " test
        else if (test ~ /^test\/history\// && !holds($2, first))
            print test ":1: does not begin with its change"
        close(test)
    }
}
function holds(numbers, line, number) {
    return match(line, /^# [0-9]+: /) && (number = substr(line, 3, RLENGTH - 4)) != "" &&
        index(test, "/" number "_") && index(" " numbers, " " number)
}
END {
    while (("ls test/history/*.t" | getline test) > 0)
        if (!(test in named)) print test ":1: is not in the table"
}' doc/history.md >>"$report"

# State belongs to a session: no object of the compiler holds writable data.
if [ -d build/obj/src ]; then
    find build/obj/src -name '*.o' | sort | while read -r object; do
        source=${object#build/obj/}
        [ ! -f "${source%.o}.c" ] || echo "$object"
    done | xargs objdump -t | awk '
        / file format / { file = $1; sub(/^build\/obj\//, "", file); sub(/\.o:$/, ".c", file) }
        / O \.(data|bss)[.\t]/ && !/\.rel\.ro/ {
            print file ":1: writable global " $NF
        }' >>"$report"
fi

formatter=$(find_formatter)
if [ -n "$formatter" ]; then
    # shellcheck disable=SC2086
    { "$formatter" --dry-run $c_files 2>&1 || echo "tools/lint.sh:1: $formatter fails"; } | awk -F: '
        /^[^ ].* fails$/ { print }
        /\[-Wclang-format-violations\]$/ && !said[$1]++ {
            print $1 ":" $2 ": not laid out by clang-format (make format)"
        }' >>"$report"
elif [ -n "${CI:-}" ]; then
    echo "tools/lint.sh:1: formatting not checked, no clang-format 14" >>"$report"
else
    echo "formatting not checked: no clang-format 14"
fi

cat "$report"
count=$(wc -l <"$report")
echo "lint: $((count)) offences in $(echo "$c_files" | wc -l) C files"
[ "$count" -eq 0 ]
