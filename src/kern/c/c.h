/* c.h -- what the files that print C share: templates, operations, the pieces of the prelude,
 * the printer of one kernel. */
#ifndef FERRITE_KERN_C_C_H
#define FERRITE_KERN_C_C_H

#include "kern/kern_priv.h"

/* ---- text.c: C text from templates ---- */
void kern_need(kern_needs *needs, const char *name);

/* What a template is about: a dtype, scalar or in lanes. */
typedef struct kern_c_scope {
    ty_dtype dtype;
    uint32_t lanes; /* 1: scalar */
    const char *args[3];
} kern_c_scope;
/* Appends the template with these replaced:
 *   $0 $1 $2  the arguments             $T  type of a value            $E  type of one lane
 *   $A  type in memory                  $U  unsigned type for wrapping arithmetic
 *   $I  signed type of the same width   $M  type of a mask             $W  number of lanes
 *   $S  suffix of function names        $f  suffix of libm's functions $P  all bits but the sign
 *   $X  the bits of infinity            $p  ps or pd, as in names of SSE and AVX
 *   $R  type of a complex number's parts
 *   @f  function f of the prelude: f_$S
 *   @u8:f  the same for another dtype: f_u8x16
 *   @!f  function f of the prelude, without a suffix
 *   __builtin_  of functions that <math.h> has too: left out in plain C */
void kern_c_expand(text *out, kern_needs *needs, const char *template, const kern_c_scope *scope);
const char *kern_c_type(kern_needs *needs, ty_dtype dtype, uint32_t lanes, arena *memory);
const char *kern_c_memory_type(ty_dtype dtype);
/* The bits of a number that the dtype (f16, bf16) can hold. */
uint32_t kern_c_half_bits(ty_dtype dtype, double value);
void kern_c_constant(text *out, kern_needs *needs, const kern_value *v, uint32_t lanes);

/* ---- apply.c: operations as templates ---- */
/* The expression of op on scope->args; `result` is its dtype, scope->dtype that of the operands.
 * False: it has none. */
bool kern_c_apply(text *out, kern_needs *needs, loop_opcode op, ty_dtype result,
                  const kern_c_scope *scope);
/* Is there C for this operation on operands of this dtype? */
bool kern_has_c(loop_opcode op, ty_dtype operand);
/* The scalar template of the operation of that name, or NULL. */
const char *kern_c_scalar_template(const char *name, ty_dtype dtype, uint32_t *operands);

/* ---- cast.c ---- */
void kern_c_cast(text *out, kern_needs *needs, ty_dtype from, ty_dtype to,
                 const kern_c_scope *scope);
void kern_c_bitcast(text *out, kern_needs *needs, ty_dtype to, const kern_c_scope *scope);

/* ---- memory.c, integer.c, math.c ...: the prelude's pieces ---- */
typedef struct kern_c_piece {
    const char *name;
    uint32_t dtypes; /* bit set; 0: any */
    /* 's': of scalars; 'p': the same in plain C, where it differs; 'v': of vectors; '4': of whole
     * AVX-512 registers; '3': AVX; 'h': F16C, beside it; '2': SSE */
    char form;
    const char *text;
} kern_c_piece;
#define KERN_DTYPE(d) (1u << (d))
const kern_c_piece *kern_c_memory_pieces(uint32_t *count);
const kern_c_piece *kern_c_narrow_pieces(uint32_t *count);
const kern_c_piece *kern_c_integer_pieces(uint32_t *count);
const kern_c_piece *kern_c_math_pieces(uint32_t *count);
/* function.c: a function of kernel IR. */
const char *kern_c_function(kern_needs *needs, const kern_function *f);

/* ---- lanes.c: functions made for a number of lanes ---- */
uint32_t kern_c_vector_bytes(const kern_c_scope *scope);
/* load, loadif or store of the first n lanes by mask registers, types of its own appended to
 * `types`; NULL: there is none. */
const char *kern_c_masked_move(kern_needs *needs, const char *base, const kern_c_scope *scope,
                               text *types);
/* iota, transpose, or the operation of that name lane by lane; NULL: there is none. */
const char *kern_c_lanes(kern_needs *needs, const char *base, const kern_c_scope *scope);

/* ---- value.c, loop.c, kernel.c: one kernel ---- */
typedef struct kern_c_printer {
    const kern_ir *k;
    const sym_table *t;
    text *out;
    kern_needs *needs;
    sym_expr vector_axis; /* of the loop at hand */
    uint32_t copies;      /* of vectors defined in loop level `copied` and deeper */
    uint32_t copied;
    uint32_t copy;      /* the one being printed */
    bool in_copy;       /* lines at hand are those of one copy alone */
    uint32_t in_shared; /* loops of a work-group, around */
} kern_c_printer;
/* Is there one of it for each copy of the vectors? */
bool kern_c_is_copied(const kern_c_printer *pr, kern_ref ref);
const char *kern_c_name(kern_c_printer *pr, kern_ref ref); /* "v7", or "v7_1" of a copy */
const char *kern_c_operand(kern_c_printer *pr, kern_ref ref);
const char *kern_c_count(kern_c_printer *pr, kern_ref count); /* "v8", "v8_1", "16" */
const char *kern_c_type_of(kern_c_printer *pr, ty_dtype dtype, uint32_t lanes);
const char *kern_c_index(kern_c_printer *pr, sym_expr e);
/* kern_c_expand and kern_c_apply into a text of their own. */
const char *kern_c_text(kern_c_printer *pr, const char *template, const kern_c_scope *scope);
const char *kern_c_applied(kern_c_printer *pr, loop_opcode op, ty_dtype result,
                           const kern_c_scope *scope);
/* Text made of one or two others. */
const char *kern_c_format(kern_c_printer *pr, const char *format, const char *a, const char *b);
void kern_c_print_define(kern_c_printer *pr, kern_ref ref);
void kern_c_print_set(kern_c_printer *pr, const kern_item *item);
void kern_c_print_store(kern_c_printer *pr, const kern_store *st);
/* What joins a value with what is there. */
loop_opcode kern_c_combine(loop_store_mode mode);
/* The two joined. */
const char *kern_c_combined(kern_c_printer *pr, const kern_store *st, const char *old,
                            const char *value, uint32_t lanes);
/* kernel.c: the lines of a loop's body. */
void kern_c_print_items(kern_c_printer *pr, const kern_loop *loop);
/* loop.c */
void kern_c_print_body(kern_c_printer *pr, const kern_loop *loop);
void kern_c_print_loop(kern_c_printer *pr, const kern_loop *loop);
void kern_c_print_blocks(kern_c_printer *pr, const kern_loop *loop);
/* What a pass works out ahead: lanes of each copy, and their masks. */
void kern_c_print_tail(kern_c_printer *pr, const kern_loop *loop);
/* Does its body stand there twice, for whole vectors and for what is left? */
bool kern_c_is_short(const kern_ir *k, const kern_loop *loop);
/* bound.c */
void kern_c_print_bound(kern_c_printer *pr, const kern_bound *bound);
bool kern_c_bound_is_copied(const kern_c_printer *pr, const kern_bound *bound);
/* device.c: kernels in the dialect of a device. */
/* The function's parameters, its brackets and what stands behind them up to the work. */
void kern_c_device_head(const kern_ir *k, const char *name, text *out);
/* A buffer as a variable. */
void kern_c_device_buffer(kern_c_printer *pr, const kern_memory *m, const char *name);
/* The head of a loop whose steps a work-group deals out. */
void kern_c_print_shared(kern_c_printer *pr, const char *name, const char *from, const char *to);
/* Local memory for what is joined; and the lines that join the value, whose result is returned as text. */
void kern_c_print_joins(kern_c_printer *pr);
const char *kern_c_join(kern_c_printer *pr, kern_ref ref);
/* A store to an element that others may be at. */
void kern_c_print_atomic(kern_c_printer *pr, const kern_store *st, const char *place);
/* product.c: the rows of a product in tiles; and the local memory of these. */
void kern_c_print_tiles(kern_c_printer *pr);
void kern_c_print_tile_memory(kern_c_printer *pr);
/* dialect.c: what stands in front of the kernels of a dialect, some of which may check indices; `own`: names
 * of the prelude that it defines itself; `lacking`: functions, as templates have them, that it is without. */
typedef struct kern_c_dialect {
    const char *name, *head, *extension; /* of files */
    const char *const *own, *const *lacking;
    uint32_t group;   /* work-items of a group; 0: there are none */
    uint32_t swaps;   /* bytes of words that can be compared and swapped: 4, 8 or both, added up */
    bool adds_floats; /* FE_ADD_f32 is one instruction */
    bool is_generic;  /* a function of <math.h> has one name for all types: no f behind it */
} kern_c_dialect;
void kern_c_write_dialect(const kern_c_dialect *dialect, bool checks, text *out);
const kern_c_dialect *kern_c_dialect_named(const char *name);
/* prelude.c: does the text call a function of the runtime on the host? */
bool kern_c_calls_runtime(const char *written);

#endif
