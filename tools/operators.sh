#!/bin/sh
# operators.sh EXTERN.def -- the header of what the rows of runtime operators say to the runtime: a
# prototype of each, and the places of its numbers by their names, RT_SDPA_CAUSAL of ints and RT_GEMM_LOW
# of floats. `..` in a signature is where a list begins: RT_CONV_LIST.
set -eu
cat <<END
/* rt_operators.h -- made from the rows of runtime operators by tools/operators.sh. */
#ifndef FERRITE_RT_OPERATORS_H
#define FERRITE_RT_OPERATORS_H

/* Each returns a fe_result; on failure the context has the message. */
END
awk '
function places(operator, list, count, words, i, name, made) {
    count = split(list, words, " ")
    for (i = 1; i <= count; i++) {
        name = words[i]
        sub(/=.*/, "", name)
        if (name == "..") name = "list"
        made = made (made ? ", " : "") "RT_" toupper(operator) "_" toupper(name)
        if (i == 1) made = made " = 0"
    }
    return made ? "enum { " made " };\n" : ""
}
/^EXTERN(_LAPACK)?\(/ {
    operator = $0
    sub(/^[A-Z_]*\(/, "", operator)
    sub(/,.*/, "", operator)
    split($0, quoted, "\"")
    split(quoted[2], parts, ";")
    print "int rt_op_" operator "(rt_frame *frame, const rt_call *call);"
    numbers = numbers places(operator, parts[2]) places(operator, parts[3])
}
END { printf "\n/* Where numbers stand, by the names in the signature. */\n%s\n#endif\n", numbers }
' "$1"
