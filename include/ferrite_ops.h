/* ferrite_ops.h -- how a library declares operators of its own to ferrite, and what their functions
 * are called with.
 *
 *     #include "ferrite_ops.h"
 *
 *     int shop_scale(const fe_op_call *call)            // shop::scale(Tensor x, float by) -> Tensor
 *     {
 *         const fe_tensor *x = call->args[0].tensor;
 *         ...  writes call->results[0].data
 *         return 0;
 *     }
 *     static const fe_op_row rows[] = {
 *         FE_OP("shop::scale(Tensor x, float by) -> Tensor", shop_scale, "x[n] -> x[n]"),
 *     };
 *     FE_OP_LIBRARY("shop", rows)
 *
 *     cc -shared -fPIC shop.c -o libshop.so;  ferrite compile model.pt2 --ops ./libshop.so -o model.so
 *
 * The schema is PyTorch's, alias annotations included, and says all that ferrite wants to know: which
 * arguments are changed in place, what is returned. The compiler loads the library to read the rows;
 * an artifact that uses an operator links the library that has its function.
 *
 * A program that compiles by ferrite.h gives rows of its own by fe_add_op(), and needs no library: what
 * is loaded in that process calls its functions, other hosts give theirs by fe_artifact.set_op().
 */
#ifndef FERRITE_OPS_H
#define FERRITE_OPS_H

#include "ferrite_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by one whenever a structure below changes. A library of another number is refused. */
#define FE_OPS_VERSION 3u

typedef enum fe_arg_kind {
    FE_ARG_NONE, /* an optional argument that is not given */
    FE_ARG_TENSOR,
    FE_ARG_INT, /* SymInt, ScalarType (the number of an fe_dtype), Layout, MemoryFormat too */
    FE_ARG_FLOAT,
    FE_ARG_BOOL,
    FE_ARG_STRING,
    FE_ARG_LIST
} fe_arg_kind;

typedef struct fe_arg {
    uint32_t kind;  /* fe_arg_kind */
    uint32_t count; /* LIST */
    union {
        const fe_tensor *tensor; /* strides are never NULL; a written tensor's data is its memory */
        int64_t integer;         /* INT, BOOL */
        double number;
        const char *string;
        const struct fe_arg *items;
    };
} fe_arg;

/* One call. All of it is the caller's and lasts until the function returns. */
typedef struct fe_op_call {
    const fe_arg *args; /* one for each parameter of the schema, in its order, defaults filled in */
    uint32_t arg_count;
    /* Memory for each value that is returned, lists flattened, but for the returns that alias an
     * argument, which the program knows: tensors row-major, not initialised, aligned for their
     * elements, of the sizes that the row or the program says. A number (int, SymInt, bool, float) is
     * a tensor of rank 0 and dtype I64, BOOL or F64; an optional tensor that is None for the program
     * has data NULL. All of it is to be written, also what the program does not read. A tensor whose
     * size depends on data has sizes NULL too: memory for it is had by allocate(). */
    const fe_tensor *results;
    uint32_t result_count;
    char *error; /* where to say why, when the function fails: error_bytes of room */
    uint32_t error_bytes;
    /* Memory for result k, a tensor of so many sizes as its rank says: row-major, aligned to 64 bytes,
     * not initialised. To be called once for each such result; NULL: there is not so much, or the
     * result is none of these. */
    void *(*allocate)(const struct fe_op_call *call, uint32_t k, const int64_t *sizes);
    void *run; /* of allocate() */
} fe_op_call;

/* Returns 0, or anything else when it failed: the run of the program then fails with what stands in
 * `error`. May be called from several threads at once. */
typedef int fe_op_function(const fe_op_call *call);

typedef enum fe_op_tag {
    /* It is the out overload of the functional operator of its name, preferred to others whose
     * signature matches; a mistake when there is none that it can stand for. */
    FE_OP_TAG_OUT = 1,
    /* It does more than its results say: draws, prints, counts. Every call is made, and they keep their
     * order among each other. So are calls of what writes to arguments or returns nothing, untagged. */
    FE_OP_TAG_EFFECT = 2
} fe_op_tag;

typedef struct fe_op_row {
    const char *schema;
    /* The function's name in the library, and for hosts; NULL: an out overload does the work, or all
     * that is returned are views. */
    const char *symbol;
    fe_op_function *function; /* of a row of fe_add_op(): NULL when the host gives it later */
    /* What is returned, from what is given: "x[n, d], counts[e], k -> x[n, k], i64[n, k]". On the
     * left parameters of the schema by name, tensors with a name or number for each dimension; on
     * the right for each returned tensor a dtype, or the parameter whose dtype it has, and sizes as
     * expressions of these names and of integer parameters: + - * // % min(,) max(,); x[n, d]{s, t}
     * names the strides of a tensor, x[d, n - 1]{t, s} + s says how a view lies in the argument that
     * it shows, if not row-major from its first element on; (x[n], x[m]) for a list, none for an
     * optional tensor that is not there, int, bool, float for numbers, int(n + 1) for one that follows
     * from the sizes; ? for a size that depends on data. NULL: what the program records. Checked
     * against the program's record. */
    const char *shapes;
    /* Name of the overload that writes into given outputs ("out"); NULL: the one whose signature
     * matches, when there is one. */
    const char *out;
    uint32_t tags; /* fe_op_tag */
} fe_op_row;

typedef struct fe_op_library {
    uint32_t version; /* FE_OPS_VERSION */
    uint32_t row_count;
    const char *name;
    const fe_op_row *rows;
} fe_op_library;

/* The one function that the library exports for the compiler. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const fe_op_library *
ferrite_ops(void);

#define FE_OP(schema, function, shapes)              \
    {                                                \
        schema, #function, function, shapes, NULL, 0 \
    }
/* An out overload: PyTorch's torch.Tag.out. */
#define FE_OP_OUT(schema, function)                            \
    {                                                          \
        schema, #function, function, NULL, NULL, FE_OP_TAG_OUT \
    }
/* Functional, without a function of its own: its out overload is called. */
#define FE_OP_BY_OUT(schema, shapes, out)  \
    {                                      \
        schema, NULL, NULL, shapes, out, 0 \
    }
/* All that it returns are views of its arguments, so there is nothing to call. */
#define FE_OP_VIEW(schema, shapes)          \
    {                                       \
        schema, NULL, NULL, shapes, NULL, 0 \
    }
#define FE_OP_LIBRARY(name, rows)                                                             \
    const fe_op_library *ferrite_ops(void)                                                    \
    {                                                                                         \
        static const fe_op_library library = {FE_OPS_VERSION, sizeof(rows) / sizeof(rows)[0], \
                                              name, rows};                                    \
        return &library;                                                                      \
    }

#ifdef __cplusplus
}
#endif

#endif
