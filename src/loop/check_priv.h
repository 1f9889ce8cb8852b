/* check_priv.h -- what the files of the loop IR's verifier share. */
#ifndef FERRITE_LOOP_CHECK_PRIV_H
#define FERRITE_LOOP_CHECK_PRIV_H

#include "loop/loop_priv.h"

typedef VEC(sym_expr) loop_exprs;

/* A region that has begun and not ended. */
typedef struct loop_region {
    const loop_op *begin;
    bool is_second_arm;
    uint32_t journal, defined, given; /* how long these lists were when it began */
    VEC(loop_buffer_id) first;        /* what the first arm wrote */
} loop_region;

typedef struct loop_checking {
    loop_program *p;
    const char *after;
    const loop_op *op;
    uint8_t *written;      /* by buffer */
    VEC(sym_bound) bounds; /* of the axes in sight */
    VEC(sym_bound) ranges; /* check_access.c: these, and of indirect symbols */
    loop_exprs given;      /* each is at least 0, by assertions before the op */
    VEC(sym_expr) defined; /* unbacked symbols so far */
    map known;             /* the same */
    const char *bad_symbol;
    bool allow_reduce_axes;
    VEC(loop_region) regions;
    VEC(loop_buffer_id) journal; /* buffers in the order in which they were first written */
} loop_checking;

/* check.c */
fe_status loop_broken(loop_checking *c, const char *law, const char *format, ...) FE_PRINTF(3, 4);
fe_status loop_check_expr(loop_checking *c, sym_expr e);
fe_status loop_check_exprs(loop_checking *c, const sym_expr *list, uint32_t count);
fe_status loop_check_view(loop_checking *c, const loop_view *v);
fe_status loop_check_read(loop_checking *c, loop_buffer_id buffer);
/* With a part its whole is written. */
void loop_note_written(loop_checking *c, loop_buffer_id b);
void loop_note_defined(loop_checking *c, sym_expr symbol);
void loop_forget_defined(loop_checking *c, uint32_t kept); /* but for the first ones */
bool loop_is_empty_nest(const loop_checking *c);           /* an axis in sight takes no step */
/* check_access.c */
fe_status loop_check_inside(loop_checking *c, loop_buffer_id buffer, sym_expr index,
                            const char *what);
/* Of all loads under the store, which are those in w. */
fe_status loop_check_loads(loop_checking *c, loop_work *w, const loop_store *st);
fe_status loop_check_reach(loop_checking *c, const loop_view *v);
fe_status loop_check_part(loop_checking *c, loop_buffer_id b);
void loop_note_storages(loop_checking *c); /* what calls keep of inputs that are storages */
/* It holds from here on. */
void loop_note_relation(loop_checking *c, const sym_relation *r);
/* check_region.c */
fe_status loop_check_control(loop_checking *c, const loop_op *op);

#endif
