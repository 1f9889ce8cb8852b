/* check_priv.h -- what the files of the loop IR's verifier share. */
#ifndef FERRITE_LOOP_CHECK_PRIV_H
#define FERRITE_LOOP_CHECK_PRIV_H

#include "loop/loop_priv.h"

typedef VEC(sym_expr) loop_exprs;
typedef VEC(loop_value) loop_values;
typedef struct loop_guards loop_guards;

/* A region that has begun and not ended. */
typedef struct loop_region {
    const loop_op *begin;
    bool is_second_arm;
    uint32_t journal, defined, given, choices; /* how long these lists were when it began */
    VEC(loop_buffer_id) first;                 /* what the first arm wrote */
} loop_region;

typedef struct loop_checking {
    loop_program *p;
    const char *after;
    const loop_op *op;
    uint32_t place;        /* without an op: in front of how many ops are behind it */
    uint8_t *written;      /* by buffer */
    bool *loose;           /* by buffer: its layout may reach further than its elements */
    VEC(sym_bound) bounds; /* of the axes in sight */
    VEC(sym_bound) ranges; /* check_access.c: these, and of indirect symbols */
    loop_exprs given;      /* each is at least 0, by assertions before the op */
    loop_exprs choices;    /* one side of each holds, by the same */
    loop_exprs here;       /* given where the axes in sight take steps */
    VEC(sym_expr) defined; /* unbacked symbols so far */
    map known;             /* the same */
    const char *bad_symbol;
    bool allow_reduce_axes;
    VEC(loop_region) regions;
    VEC(loop_buffer_id) journal; /* buffers in the order in which they were first written */
    loop_guards *guards;         /* what is not proven is checked by the run; NULL: it breaks L1 */
} loop_checking;

/* check.c */
fe_status loop_check_with(loop_program *p, const char *after, loop_guards *guards);
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
fe_status loop_check_store(loop_checking *c, loop_buffer_id buffer, sym_expr index);
/* Of all loads under the store, which are those in w. */
fe_status loop_check_loads(loop_checking *c, loop_workspace *w, const loop_store *st);
fe_status loop_check_reach(loop_checking *c, const loop_view *v);
/* Of a buffer: is what its sizes and strides reach inside? Where only the run knows, each access is held
 * against its elements alone. */
fe_status loop_check_layout(loop_checking *c, loop_buffer_id b);
fe_status loop_check_part(loop_checking *c, loop_buffer_id b);
void loop_note_storages(loop_checking *c); /* what calls keep of inputs that are storages */
/* It holds from here on. */
void loop_note_relation(loop_checking *c, const sym_relation *r);
/* Around c->bounds: what is said of loops that take steps holds there. */
void loop_enter_axes(loop_checking *c);
void loop_leave_axes(loop_checking *c);
/* ends.c: of an index; false: they are not known */
bool loop_ends_of(sym_table *t, sym_expr index, const sym_env *env, sym_expr *least,
                  sym_expr *greatest);
/* guard.c: the run checks it. False: there are no guards, or it never holds. */
bool loop_guard_order(loop_checking *c, sym_expr a, sym_expr b); /* a <= b */
/* UNGUARDED: there are no guards, or no expression of sizes says it. */
typedef enum loop_guarding { LOOP_UNGUARDED, LOOP_GUARDED, LOOP_NEVER_HOLDS } loop_guarding;
loop_guarding loop_guard_inside(loop_checking *c, sym_expr index, sym_expr elements,
                                const sym_env *env);
bool loop_guard_load(loop_checking *c, uint32_t node);
bool loop_guard_store(loop_checking *c);
bool loop_guard_apply(loop_checking *c, loop_store *st); /* has the store changed? */
/* check_region.c */
fe_status loop_check_control(loop_checking *c, const loop_op *op);

#endif
