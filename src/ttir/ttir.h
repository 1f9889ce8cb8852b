/* ttir.h -- kernels written in Triton: the text that Triton's compiler makes of one before it knows a
 * device, a dialect of MLIR, read into operations on numbered values.
 *
 *     tt.func public @scale(%x_ptr: !tt.ptr<f32>, %n: i32) {
 *       %c8_i32 = arith.constant 8 : i32 loc(#loc2)
 *       %pid = tt.get_program_id x : i32 loc(#loc3)
 *       %start = arith.muli %pid, %c8_i32 : i32 loc(#loc4)
 *       ...
 *
 * An operation is a row of ttir.def. One that is not there is refused by name, with the line of the kernel
 * that it comes from. Values have types; a block of values, tensor<64x32xf32>, has sizes that are numbers.
 * Integers have no sign.
 */
#ifndef FERRITE_TTIR_H
#define FERRITE_TTIR_H

#include "ty/ty.h"

enum { TTIR_MOST_SIZES = 20 }; /* a block has no more than 2^20 elements */

typedef enum ttir_code {
    TTIR_NOTHING,
#define TTIR(id, name, form, operands, result, rule, parameter) TTIR_##id,
#include "ttir/ttir.def"
    TTIR_CODE_COUNT
} ttir_code;

/* Of a number, a pointer, or a block of either. */
typedef struct ttir_type {
    ty_dtype dtype; /* of the number, or of what is pointed to; TY_NO_DTYPE: something else */
    bool is_pointer;
    uint32_t rank; /* 0: no block */
    int64_t sizes[TTIR_MOST_SIZES];
} ttir_type;

typedef uint32_t ttir_value; /* number in ttir_kernel.types; 0: none */

typedef struct ttir_attribute {
    const char *name;
    const char *text; /* of a string or a word; or NULL */
    int64_t *integers;
    uint32_t count;
} ttir_attribute;

typedef struct ttir_block ttir_block;

typedef struct ttir_op {
    ttir_code code;
    ttir_value *operands;
    uint32_t operand_count;
    ttir_value result; /* the first; others follow */
    uint32_t result_count;
    /* what stands among the operands: "slt", "x"; the number of a constant; labels, whose attribute
     * "counts" says how many of the operands, the last ones, each of them is given */
    const char **words;
    uint32_t word_count;
    ttir_attribute *attributes;
    uint32_t attribute_count;
    ttir_block *regions; /* of a label an empty one with its arguments */
    uint32_t region_count;
    const char *place; /* "file.py:12", the line of the kernel; "" where it is not known */
} ttir_op;

struct ttir_block {
    ttir_value *arguments;
    uint32_t argument_count;
    VEC(ttir_op) ops;
};

typedef struct ttir_kernel {
    const char *name;
    ttir_block body; /* its arguments are the kernel's */
    VEC(ttir_type) types;
    VEC(uint32_t) uses;     /* of each value, as an operand */
    const ttir_op **makers; /* of each value; NULL: an argument of a block */
} ttir_kernel;

/* The one public function of the text, in `memory`. NULL: it cannot be read, and *fault says why. */
ttir_kernel *ttir_read(fe_session *s, arena *memory, const char *source, const char **fault);
const char *ttir_name(ttir_code code); /* "arith.addf" */
/* The attribute of that name, or NULL. */
const ttir_attribute *ttir_find(const ttir_op *op, const char *name);
/* Its first integer, or the fallback. */
int64_t ttir_integer(const ttir_op *op, const char *name, int64_t fallback);

/* ---- within the folder ---- */

/* A text and the place in it. What is wrong is said once; from then on the place is the end. */
typedef struct ttir_reader {
    fe_session *session;
    arena *memory;
    const char *at;
    const char *fault; /* or NULL */
    ttir_kernel *kernel;
    uint32_t depth; /* of regions */
    map values;     /* name -> its first value */
    map places;     /* name of a location -> index in bodies */
    VEC(const char *) bodies;
} ttir_reader;

/* ---- scan.c: characters ---- */
void ttir_fail(ttir_reader *in, const char *format, ...) FE_PRINTF(2, 3);
/* Over blanks and comments; does the text go on with this? */
bool ttir_sees(ttir_reader *in, const char *what);
bool ttir_take(ttir_reader *in, const char *what); /* the same, and over it */
void ttir_expect(ttir_reader *in, const char *what);
/* Letters, digits and - + _ . $ in a row, interned; "" where none stand. */
const char *ttir_word(ttir_reader *in);
const char *ttir_string(ttir_reader *in); /* "...", interned; the place is at the quote */
/* Over what is in brackets, strings in it included; the place is at the opening one. */
void ttir_skip_brackets(ttir_reader *in);
/* Notes where each location is described: `#loc3 = loc(...)`. */
void ttir_list_places(ttir_reader *in);
/* `loc(...)`, if it stands there: "file.py:12", of a call that was inlined the caller's line; or "". */
const char *ttir_place(ttir_reader *in);
/* The place of the operation whose line this is. */
const char *ttir_place_ahead(ttir_reader *in);

/* ---- read.c ---- */
enum { TTIR_MOST_TYPES = 64 };
typedef struct ttir_parts {
    VEC(ttir_value) operands;
    VEC(const char *) words;
    VEC(ttir_attribute) attributes;
    VEC(ttir_block) regions;
    VEC(const char *) results; /* their names; an empty one belongs to the one before */
} ttir_parts;
ttir_value ttir_used_value(ttir_reader *in); /* %name or %name#2 */
ttir_value ttir_named_argument(ttir_reader *in, ttir_block *block, const char *name,
                               ttir_type type);
void ttir_read_arguments(ttir_reader *in, ttir_block *block);
void ttir_read_attributes(ttir_reader *in, ttir_parts *parts);
void ttir_add_integer(ttir_reader *in, ttir_attribute *a, const char *word);
void ttir_read_ops(ttir_reader *in, ttir_block *block); /* up to a brace */

/* ---- region.c; they return the number of results, whose types are in types ---- */
void ttir_read_region(ttir_reader *in, ttir_parts *parts);
uint32_t ttir_read_for(ttir_reader *in, ttir_parts *parts, ttir_type *types);
uint32_t ttir_read_if(ttir_reader *in, ttir_parts *parts, ttir_type *types);
uint32_t ttir_read_while(ttir_reader *in, ttir_parts *parts, ttir_type *types);
void ttir_read_branch(ttir_reader *in, ttir_parts *parts);

/* ---- type.c ---- */
/* Of a type that is not known the dtype is TY_NO_DTYPE. */
ttir_type ttir_read_type(ttir_reader *in);
/* How many types stand there, between commas and such; *first_result: the first behind an arrow, or the
 * count. */
uint32_t ttir_read_types(ttir_reader *in, ttir_type *out, uint32_t room, uint32_t *first_result);

#endif
