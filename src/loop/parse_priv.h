/* parse_priv.h -- what parse.c (buffers, operations) and parse_nest.c (nests and their values) share while
 * a text is read. */
#ifndef FERRITE_LOOP_PARSE_PRIV_H
#define FERRITE_LOOP_PARSE_PRIV_H

#include "loop/loop_priv.h"

typedef struct loop_reader {
    loop_program *p;
    lexer *lx;
    map buffers; /* interned name -> loop_buffer_id */
    /* of the nest at hand */
    map values;                  /* interned number -> value id */
    VEC(sym_expr) named, symbol; /* indirect symbols as the text names them, and as they are */
} parsing;

/* ---- parse.c ---- */
fe_status loop_parse_buffer_name(parsing *in, loop_buffer_id *out);
fe_status loop_parse_origin(lexer *lx, uint32_t *out);
fe_status loop_parse_again(lexer *lx, uint32_t *out);

/* ---- parse_nest.c ---- */
/* What stands behind `nest`. */
fe_status loop_parse_nest(parsing *in, loop_op *out);

#endif
