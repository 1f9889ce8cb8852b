/* callee.c -- the arguments of a call of the user's function, read off the letters of its callee. */
#include "loop/loop.h"

#include <string.h>

/* Arguments up to the end of the list, or of all. */
static uint32_t count_up_to_end(const char *at)
{
    uint32_t count = 0;
    for (uint32_t depth = 0; *at && !(*at == ']' && depth == 0); at++) {
        if (*at == ']') depth--;
        count += depth == 0 && *at != ']';
        if (*at == '[') depth++;
    }
    return count;
}

loop_arguments loop_arguments_of(const loop_callee *callee)
{
    return (loop_arguments){.begin = callee->arguments,
                            .at = callee->arguments,
                            .count = count_up_to_end(callee->arguments)};
}

bool loop_next_argument(loop_arguments *a, loop_argument *out)
{
    if (!*a->at) return false;
    *out = (loop_argument){.letter = *a->at, .is_first = a->at == a->begin || a->at[-1] == '['};
    switch (*a->at++) {
    case 'T': out->number = a->inputs++; break;
    case 'M': a->inputs++; /* fall through */
    case 'O': out->number = a->outputs++; break;
    case 'i':
    case 'b': out->number = a->ints++; break;
    case 'f': out->number = a->floats++; break;
    case 's': out->number = a->strings++; break;
    case '[': out->number = count_up_to_end(a->at); break;
    default: break;
    }
    return true;
}
