/* ty.h -- what a tensor is without its data: dtype, device, layout algebra, type promotion, the
 * fake tensor.
 *
 *     f32[1,64,s0,56]                       contiguous, fresh storage
 *     f32[2,3]{1,2}                         strides 1,2
 *     f32[2,3]{3,1}+6@4                     offset 6 (elements) in storage 4
 *     f32[2,3]{3,1}@4:cuda0
 */
#ifndef FERRITE_TY_H
#define FERRITE_TY_H

#include "sym/sym.h"

typedef enum ty_kind {
    TY_KIND_BOOL,
    TY_KIND_UNSIGNED,
    TY_KIND_SIGNED,
    TY_KIND_FLOAT,
    TY_KIND_COMPLEX
} ty_kind;

typedef enum ty_dtype {
    TY_NO_DTYPE,
#define DTYPE(id, text, torch, bytes, kind, number, c_type) TY_##id,
#include "ty/dtype.def"
#undef DTYPE
    TY_DTYPE_COUNT
} ty_dtype;

/* dtype.c */
const char *ty_dtype_name(ty_dtype d);       /* "f32" */
const char *ty_dtype_torch_name(ty_dtype d); /* "torch.float32" */
const char *ty_dtype_c_name(ty_dtype d);
bool ty_dtype_parse(const char *text_or_torch_name, ty_dtype *out); /* also "float32" */
ty_dtype ty_dtype_from_number(int64_t number);                      /* TY_NO_DTYPE when unknown */
int ty_dtype_number(ty_dtype d);
uint32_t ty_dtype_size(ty_dtype d);      /* bytes */
uint32_t ty_dtype_alignment(ty_dtype d); /* of an element; a complex one has that of its parts */
ty_kind ty_dtype_kind(ty_dtype d);
/* The largest finite number, as a double; 0: of bools, complex and 8-bit floats. */
double ty_dtype_most(ty_dtype d);
bool ty_is_half(ty_dtype d);     /* f16 bf16 */
bool ty_is_floating(ty_dtype d); /* f16 bf16 f32 f64 and those of 8 bits */
bool ty_is_complex(ty_dtype d);
bool ty_is_integral(ty_dtype d, bool include_bool);
ty_dtype ty_complex_to_real(ty_dtype d); /* c64 -> f32; others unchanged */
ty_dtype ty_real_to_complex(ty_dtype d);

/* half.c: f16 and bf16; bits of a number: half to even, of a bf16 through float */
double ty_half_value(ty_dtype d, uint16_t bits);
uint16_t ty_half_bits(ty_dtype d, double number);

/* float8.c: floats of 8 bits, which PyTorch stores, moves and casts, and hardly computes in. */
typedef struct ty_float8_form {
    int mantissa, bias; /* bits of the one, and what the exponent is shifted by */
    uint32_t nan;       /* without a sign: NaN, and from here on what is no number */
    uint32_t most;      /* what is too large becomes this */
    bool has_sign;      /* e8m0: powers of 2 alone */
    bool has_infinity;
    bool is_unsigned_zero; /* fnuz: 0 has no sign; what would be -0 is NaN */
} ty_float8_form;
bool ty_is_float8(ty_dtype d);
const ty_float8_form *ty_float8_form_of(ty_dtype d);
double ty_float8_value(ty_dtype d, uint8_t bits);
uint8_t ty_float8_bits(ty_dtype d, double value); /* through float, half to even */

/* promo.c: PyTorch's promotion. Each operand falls in one of three classes: tensors with
 * dimensions, zero-dimensional tensors, Python numbers; a later class matters only when it is of a
 * higher kind. */
typedef struct ty_operand {
    ty_dtype dtype;   /* of a number: BOOL, I64, F32 (the default dtype stands for "float"), C64 */
    bool is_number;   /* a Python scalar */
    bool is_zero_dim; /* a tensor without dimensions */
} ty_operand;
ty_dtype ty_promote_types(ty_dtype a, ty_dtype b); /* torch.promote_types */
ty_dtype ty_result_type(const ty_operand *operands, uint32_t count);

typedef enum ty_device_kind {
#define DEVICE(kind, name) TY_##kind,
#include "ty/device.def"
#undef DEVICE
    TY_DEVICE_KINDS
} ty_device_kind;
typedef struct ty_device {
    ty_device_kind kind;
    int32_t index; /* -1: none given */
} ty_device;
#define TY_HOST ((ty_device){.kind = TY_CPU, .index = -1})
static inline bool ty_is_host(ty_device d)
{
    return d.kind == TY_CPU;
}

static inline bool ty_same_device(ty_device a, ty_device b)
{
    return a.kind == b.kind && a.index == b.index;
}

/* The host is one, whatever number a program gives it. */
static inline bool ty_same_place(ty_device a, ty_device b)
{
    return a.kind == b.kind && (ty_is_host(a) || a.index == b.index);
}

extern const char *const ty_device_words[TY_DEVICE_KINDS]; /* the name of each kind */
/* The kind of this name; false: there is none. */
bool ty_device_kind_of(const char *name, size_t length, ty_device_kind *out);
/* "cpu", "cuda1"; in `a` where there is a number. */
const char *ty_device_name(arena *a, ty_device d);
/* "cpu", "cuda:1": as PyTorch has it. */
void ty_print_device(ty_device d, text *out);
/* " cuda 1", nothing for the host: where a buffer lies, in loop and wrapper IR. */
void ty_print_place(ty_device d, text *out);
fe_status ty_parse_place(lexer *lx, ty_device *out);

typedef enum ty_memory_format {
    TY_CONTIGUOUS,
    TY_PRESERVE,
    TY_CHANNELS_LAST,
    TY_CHANNELS_LAST_3D
} ty_memory_format;

/* A fake tensor: everything but the data. Immutable once attached to a node; arrays live in an
 * arena. */
typedef struct ty_tensor {
    ty_dtype dtype;
    ty_device device;
    uint32_t rank;
    sym_expr *sizes;   /* elements */
    sym_expr *strides; /* elements */
    sym_expr offset;   /* elements from the start of the storage */
    uint32_t storage;  /* alias class: tensors that share memory share this; 0: not yet numbered */
    bool requires_grad;
} ty_tensor;

/* layout.c: all over symbolic sizes; "known" answers are proofs. */
ty_tensor *ty_tensor_new(arena *a, sym_table *t, ty_dtype dtype, ty_device device, uint32_t rank,
                         const sym_expr *sizes); /* contiguous, offset 0, storage 0 */
ty_tensor *ty_tensor_copy(arena *a, const ty_tensor *src);
/* False where the constant sizes, strides and offset reach further than 2^58 elements: then no sum over them
 * is safe, and there is no such memory; and where a size is negative. */
bool ty_fits_memory(const sym_table *symbols, const ty_tensor *t);
/* Does one element stand in several places along dimension d, by a stride of 0; or along any? */
bool ty_is_repeated_along(const sym_table *t, const ty_tensor *x, uint32_t d);
bool ty_is_repeated(const sym_table *t, const ty_tensor *x);
sym_expr ty_numel(sym_table *t, const ty_tensor *x);
/* A dimension of this size, 1 or else 0, has one place at most: its stride does not matter. */
bool ty_at_most_one(const sym_table *t, sym_expr size);
/* As in torch a size counts as max(size, 1): [2,s0,8] has strides (8*max(s0, 1), 8, 1). */
void ty_contiguous_strides(sym_table *t, uint32_t rank, const sym_expr *sizes, sym_expr *strides);
/* A format that does not fit the rank counts as contiguous. */
void ty_format_strides(sym_table *t, ty_memory_format f, uint32_t rank, const sym_expr *sizes,
                       sym_expr *strides);
/* is_contiguous(), is_contiguous(memory_format=channels_last or channels_last_3d) and so on, unless
 * the tensor has no elements: then symbolic strides are not looked at closely. */
bool ty_is_contiguous(sym_table *t, const ty_tensor *x);
bool ty_is_channels_last(sym_table *t, const ty_tensor *x); /* rank 4 or 5 */
/* suggest_memory_format(): what the strides look like, gaps or not. */
ty_memory_format ty_suggested_format(sym_table *t, const ty_tensor *x);
bool ty_is_non_overlapping_and_dense(sym_table *t, const ty_tensor *x);
/* dtype, device, sizes, strides, offset */
bool ty_known_same_layout(sym_table *t, const ty_tensor *a, const ty_tensor *b);
/* e where numel is not 0: without max(v, 1) for v that divide numel. */
sym_expr ty_when_filled(sym_table *t, sym_expr e, sym_expr numel);
/* Is some size known to be 0? */
bool ty_known_empty(const sym_table *t, uint32_t rank, const sym_expr *sizes);
/* Elements from the first to behind the last of a tensor that has some: 1 + sum of (size - 1) * stride. */
sym_expr ty_reach(sym_table *t, uint32_t rank, const sym_expr *sizes, const sym_expr *strides);
/* Bytes from the storage's start that x reaches: element size * (offset + 1 + sum of
 * (size - 1) * stride); 0 when x is known to be empty. */
sym_expr ty_storage_bytes(sym_table *t, const ty_tensor *x);

/* strides.c: the layouts of results. */
/* What torch.empty_like(x, memory_format=preserve) gives. */
void ty_preserved_strides(sym_table *t, const ty_tensor *x, sym_expr *strides);
/* Strides that TensorIterator (pointwise ops) gives an output for these operands, broadcast to
 * `sizes`: the permutation comes from the operands' strides as in PyTorch's compute_strides /
 * reorder_dimensions. A number that eager mode wraps into a tensor counts as an operand of rank 0
 * (x + 1 takes another path than x + x there, seen in the strides of dimensions of size 1). */
void ty_pointwise_strides(sym_table *t, const ty_tensor *const *operands, uint32_t count,
                          uint32_t rank, const sym_expr *sizes, sym_expr *strides);
/* Broadcasts shapes as PyTorch does; the result's rank and sizes (room for TY_MAX_RANK; may be one
 * of the operands). False when they are known not to match; sizes that are neither known to be
 * equal nor to be 1 count as equal, which is what torch.export guards on. */
#define TY_MAX_RANK 25
bool ty_broadcast(sym_table *t, uint32_t rank_a, const sym_expr *a, uint32_t rank_b,
                  const sym_expr *b, uint32_t *rank, sym_expr *sizes);
/* Strides of x viewed as new sizes without a copy; false when no such view exists (torch's
 * computeStride). */
bool ty_view_strides(sym_table *t, const ty_tensor *x, uint32_t rank, const sym_expr *sizes,
                     sym_expr *strides);
/* Replaces one -1 in sizes by what numel leaves. False when the sizes are known not to fit; symbolic
 * ones count as fitting unless that is disproved. */
bool ty_infer_view_size(sym_table *t, sym_expr numel, uint32_t rank, sym_expr *sizes);

/* text.c */
void ty_print(const sym_table *t, const ty_tensor *x, text *out);
fe_status ty_parse_dtype(lexer *lx, ty_dtype *out); /* f32 */
fe_status ty_parse(arena *a, sym_table *t, lexer *lx, ty_tensor **out);

#endif
