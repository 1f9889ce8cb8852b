/* rt_integers.h - what the sources of products of integers share. */
#ifndef RT_INTEGERS_H
#define RT_INTEGERS_H

#include "rt_isa.h"

/* Rows [m0, m1) and columns [n0, n1) of C, from the start of a panel, by AMX: where rt_amx() says so. */
void RT_FN(rt_integers_amx)(const rt_integers *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1);

#endif
