/* op.h -- what an operator is: one row of ops.def (or a declaration by the user), parsed into a
 * schema.
 *
 *     OP(aten_lerp_Scalar, "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
 *        IS(POINTWISE) ...)
 *     OP(operator_add, "_operator::add(Scalar a, Scalar b) -> Scalar", IS(SYMBOLIC) ...)
 *
 * Aliasing and mutation follow from the schema's annotations: (a) view, (a!) mutated. A target as
 * archives write it is "torch.ops.aten.add.Tensor" or "_operator.add"; our name for it is
 * "aten.add.Tensor" / "_operator.add"; overload "default" is written out, as in torch.
 */
#ifndef FERRITE_OP_H
#define FERRITE_OP_H

#include "ty/ty.h"

typedef enum op_id {
    OP_NONE,
#define OP(id, schema, columns) OP_##id,
#include "op/ops.def"
    OP_BUILTIN_COUNT /* custom ops are numbered from here on, per op_registry */
} op_id;

enum op_flags {
    OPF_POINTWISE = 1 << 0, /* elementwise after broadcasting; output by TensorIterator's rules */
    OPF_RANDOM = 1 << 1,    /* draws from a generator: not to be merged or duplicated */
    OPF_EFFECT = 1 << 2,    /* must stay although nobody uses the result (assertions, prints) */
    OPF_SYMBOLIC = 1 << 3,  /* works on Python numbers, not tensors */
    OPF_COMPOSITE = 1 << 4, /* PyTorch defines it by other operators (CompositeImplicit) */
    OPF_HIGHER_ORDER = 1 << 5,   /* arguments hold subgraphs; schema is open */
    OPF_DATA_DEPENDENT = 1 << 6, /* the output's size depends on values */
    /* PyTorch's kernel lays its result out otherwise than its fake tensors, and so archives, say */
    OPF_OWN_LAYOUT = 1 << 7,
    /* numbers may stand for tensors that are not written to, as torch.ops takes them: x + n; those of prims
     * all do */
    OPF_NUMBERS = 1 << 8,
    /* PyTorch's kernel gives some result another dtype than its fake tensors, and so archives, say */
    OPF_OWN_DTYPE = 1 << 9,
    /* gives its first argument on a device that other arguments say: a copy between devices */
    OPF_MOVES = 1 << 10
};

typedef enum op_base_type {
    OP_TENSOR,
    OP_INT,
    OP_FLOAT,
    OP_BOOL,
    OP_SCALAR,
    OP_COMPLEX,
    OP_STRING,
    OP_DTYPE,
    OP_DEVICE,
    OP_LAYOUT,
    OP_MEMORY_FORMAT,
    OP_GENERATOR,
    OP_STREAM,
    OP_DIMNAME,
    OP_OBJECT,
    OP_ANY
} op_base_type;

typedef struct op_type {
    op_base_type base;
    bool symbolic;          /* SymInt, SymBool, SymFloat */
    bool optional;          /* T? */
    bool list;              /* T[] */
    bool optional_elements; /* T?[] */
    bool takes_number;      /* of a tensor: a number may stand for it (OPF_NUMBERS) */
    int32_t list_size;      /* of T[2]: a single number stands for all; -1 when open */
} op_type;

/* A constant default. A list default has `count` integers or bools in `list`, or of float[] `numbers`. */
typedef enum op_default_kind {
    OP_DEFAULT_ABSENT,
    OP_DEFAULT_NONE,
    OP_DEFAULT_INT,
    OP_DEFAULT_FLOAT,
    OP_DEFAULT_BOOL,
    OP_DEFAULT_STRING,
    OP_DEFAULT_LIST,
    OP_DEFAULT_MEMORY_FORMAT,
    OP_DEFAULT_DTYPE,
    OP_DEFAULT_LAYOUT,
    OP_DEFAULT_DEVICE
} op_default_kind;
typedef struct op_default {
    op_default_kind kind;
    int64_t
        integer; /* also a bool, a ty_dtype, a ty_memory_format, the archive's number of a layout */
    double number;
    const char *string;
    const int64_t *list;
    const double *numbers;
    uint32_t count;
} op_default;

typedef struct op_param {
    const char *name; /* of a return: NULL or its name */
    op_type type;
    uint32_t alias;  /* bit set of alias sets, numbered as they come; 0 = none */
    bool is_written; /* (a!) */
    bool keyword_only;
    op_default default_value;
} op_param;

typedef struct op_info {
    uint32_t id;          /* an op_id, or from OP_BUILTIN_COUNT on */
    const char *name;     /* interned: "aten.add.Tensor" */
    const char *space;    /* "aten" */
    const char *base;     /* "add" */
    const char *overload; /* "Tensor" or "default" */
    const char *schema;
    uint32_t flags;
    op_param *params;
    uint32_t param_count;
    op_param *returns;
    uint32_t return_count;
    bool is_mutating;               /* some parameter is written */
    bool is_view;                   /* some return aliases a parameter that is not written */
    const struct op_custom *custom; /* declared by the user; NULL: a row of ops.def */
} op_info;

/* What a user's declaration says beside the schema; strings may be NULL. */
typedef struct op_custom {
    const char *library; /* path of the shared library that has the function */
    const char *symbol;  /* the function's name; NULL: none of its own */
    const char *shapes;  /* what is returned from what is given (ferrite_ops.h) */
    const char *out;     /* name of the overload to call instead */
    bool is_out;         /* it is tagged as an out overload */
    /* Of the functional form of an operator that writes to its arguments or returns views of them:
     * that operator. It returns what that returns, but for what aliases an argument, then the new
     * value of each written argument. */
    const struct op_info *mutating;
    const struct op_info *functional; /* of such an operator: its functional form */
} op_custom;

typedef struct op_registry op_registry;

/* op.c: rows are parsed when first looked up. */
op_registry *op_registry_new(arena *memory);
/* By "aten.add.Tensor", "torch.ops.aten.add.Tensor" or "aten::add.Tensor"; a missing overload is
 * "default". NULL when unknown. */
const op_info *op_find(op_registry *r, const char *name);
const op_info *op_get(op_registry *r, op_id id);
/* Does it do what the operator of its name behind OP_FOREACH does, to each element of lists? */
#define OP_FOREACH "_foreach_"
bool op_is_foreach(const op_info *op);
/* Index of the parameter, or -1. */
int op_param_index(const op_info *op, const char *name);
/* Does return k share memory with a parameter, by the schema? */
bool op_returns_alias(const op_info *op, uint32_t k);
/* Does it do nothing but return views of its arguments? */
bool op_is_plain_view(const op_info *op);
/* The functional operator of an in-place or out one (add_.Tensor -> add.Tensor), or NULL. */
const op_info *op_functional_of(op_registry *r, const op_info *op);

/* schema.c */
fe_status op_schema_parse(fe_session *s, arena *a, const char *schema, op_info *out);
/* custom.c: declares an operator by schema, "mylib::foo(Tensor x, Tensor(a!) y) -> Tensor". Again,
 * the same gives the operator that there is. */
fe_status op_declare(op_registry *r, const char *schema, uint32_t flags, const op_info **out);
/* Flags that a declaration has by its schema: what writes to arguments or returns nothing is called for
 * what it does. */
uint32_t op_implied_flags(const op_info *op);
/* The same as op_declare with what stands behind the schema (copied). An operator that writes to its
 * arguments or returns views of them gets a functional form, "mylib.foo.functional". */
fe_status op_declare_custom(op_registry *r, const char *schema, uint32_t flags,
                            const op_custom *custom, const op_info **out);
/* The overload that does the work of a functional custom operator into outputs that it is given: the
 * one that is named, else one that is tagged, else one that matches: the same parameters, then for
 * each return one written keyword-only argument, returned in their order. *out: NULL when there is
 * none. A named one that does not match is a mistake. */
fe_status op_out_variant(op_registry *r, const op_info *op, const op_info **out);
/* Of an operator that is tagged as an out overload: FE_USAGE when there is none that it can stand for. */
fe_status op_check_out(op_registry *r, const op_info *out);

#endif
