/* contract.c -- what operators ask of their arguments, the column TAKES of ops.def: which shapes they
 * have, given each other's, which dtypes, as PyTorch's kernels do, and in which range its numbers are.
 * Half precision counts as float where its CPU kernels alone lack it. An in-place operator without the
 * column keeps that of its functional one.
 *
 *     mat1[n,k] mat2[k,m] self~[n,m] mat2:mat1          stride>0 weight[_,c/groups,...]
 *
 * A clause stands for nothing where its argument is None. The first dimension of a name gives it its size,
 * the others have to be equal to that; a name that is none yet may be a number among the arguments.
 *
 *     x[n,k]      these dimensions; x[c,l|n,c,l]: one of these forms      n k     sizes
 *     x[..b,n]    any number in front, or at the end; named, they recur   _       any size
 *     x~[n,m]     broadcasts to these                                     3       this one
 *     x~y  x=y    broadcast with each other; of equal sizes               4*h c/g products, quotients
 *     x*[n]       each of a list; x.1[n]: its second                      @size   those of a list of sizes
 *     x:int       a kind of dtype (KINDS), or the dtype of another        n+1     one more
 *     x:y+        the dtype of y, or float32 where that is of half precision; x*:x.0 that of the first
 *     *:float     what all operands promote to is of this kind
 *     x:y^        the dtype in which y is summed: float32 where that is of half precision
 *     k>0 k>=n    numbers, also each of a list; a tensor's elements; k^2: at most 2; k^<2: less; k!0: not
 *     l#3  l#>0   a list of so many, if it is one, or not empty; x#c: a tensor of so many elements
 *     s?a|b       one of these words
 *     d<x         dimensions of x; d<<x: each once
 *     !scatter    a check of its own (check.c)
 */
#include "infer/infer_priv.h"

#include <stdlib.h>
#include <string.h>

typedef struct contract_row {
    op_id op;
    const char *clauses; /* NULL: asks nothing but what its rule does */
} contract_row;

static const contract_row ROWS[OP_BUILTIN_COUNT] = {
#define OP(id, schema, columns) [OP_##id] = {.op = OP_##id, columns},
#define TAKES(its_clauses) .clauses = its_clauses
#include "op/ops.def"
};

enum { MOST_NAMES = 16 };

typedef struct word {
    const char *at;
    size_t length;
} word;

/* What a name stands for: a size, or of a ..name several. */
typedef struct binding {
    word name;
    sym_expr sizes[TY_MAX_RANK];
    uint32_t count;
} binding;

typedef struct contract {
    infer_call *c;
    binding names[MOST_NAMES];
    uint32_t count;
    word form;         /* at hand: n,k */
    bool is_inherited; /* the row is another operator's, which may have more arguments */
    const char *what;  /* the argument at hand */
    const ty_tensor *x;
} contract;

static bool is_word(word w, const char *said)
{
    return strlen(said) == w.length && strncmp(w.at, said, w.length) == 0;
}

static const char *text_of(contract *k, word w)
{
    return arena_printf(k->c->memory, "%.*s", (int)w.length, w.at);
}

static binding *find_name(contract *k, word name)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (k->names[i].name.length == name.length &&
            strncmp(k->names[i].name.at, name.at, name.length) == 0)
            return &k->names[i];
    return NULL;
}

static void bind(contract *k, word name, const sym_expr *sizes, uint32_t count)
{
    CHECK(k->c->graph->session, k->count < MOST_NAMES);
    binding *b = &k->names[k->count++];
    b->name = name;
    b->count = count;
    if (count) memcpy(b->sizes, sizes, count * sizeof *sizes);
}

/* The part of `from` before the separator; *rest: what stands behind it. */
static word part(word from, char separator, word *rest)
{
    const char *end = memchr(from.at, separator, from.length);
    word first = {from.at, end ? (size_t)(end - from.at) : from.length};
    *rest =
        end ? (word){end + 1, from.length - first.length - 1} : (word){from.at + from.length, 0};
    return first;
}

/* ---- sizes ---- */

/* A number, a bound name or an argument; none: a name that has no size yet. */
static sym_expr value_of(contract *k, word w)
{
    if (w.at[0] >= '0' && w.at[0] <= '9') return infer_number(k->c, strtol(w.at, NULL, 10));
    const binding *b = find_name(k, w);
    if (b) return b->sizes[0];
    const char *name = text_of(k, w);
    const fx_arg *a = infer_arg(k->c, name);
    sym_expr e = {0};
    if (a) fx_arg_expr(k->c->graph, a, &e);
    return e;
}

static bool must_equal(contract *k, uint32_t dim, sym_expr size, sym_expr wanted)
{
    return INFER_REQUIRE_EQUAL(
        k->c, size, wanted, "%s is %s where [%s] is wanted: its size in dimension %u is not %s",
        k->what, infer_shape(k->c, k->x), text_of(k, k->form), dim, infer_written(k->c, wanted));
}

/* `by` goes into `size` without remainder. */
static bool must_divide(contract *k, uint32_t dim, sym_expr size, sym_expr by)
{
    infer_call *c = k->c;
    if (!INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), by,
                       "%s is divided by a number that is not positive", k->what))
        return false;
    return INFER_REQUIRE_EQUAL(c, sym_mod(c->symbols, size, by), infer_number(c, 0),
                               "%s is %s where [%s] is wanted: dimension %u does not divide",
                               k->what, infer_shape(c, k->x), text_of(k, k->form), dim);
}

/* A size of the argument at hand against what the form says of it. */
static void take_size(contract *k, uint32_t dim, word w, sym_expr size)
{
    infer_call *c = k->c;
    sym_table *t = c->symbols;
    word right;
    if (is_word(w, "_")) return;
    if (memchr(w.at, '*', w.length)) { /* 4*h */
        sym_expr by = value_of(k, part(w, '*', &right)), of = value_of(k, right);
        if (sym_is_none(by)) return;
        if (!sym_is_none(of))
            must_equal(k, dim, size, sym_mul(t, by, of));
        else if (must_divide(k, dim, size, by))
            bind(k, right, (sym_expr[]){sym_floordiv(t, size, by)}, 1);
        return;
    }
    if (memchr(w.at, '/', w.length)) { /* c/groups */
        sym_expr of = value_of(k, part(w, '/', &right)), by = value_of(k, right);
        if (!sym_is_none(of) && !sym_is_none(by) && must_divide(k, dim, of, by))
            must_equal(k, dim, size, sym_floordiv(t, of, by));
        return;
    }
    word name = part(w, '+', &right);
    int64_t more = right.length ? strtol(right.at, NULL, 10) : 0;
    sym_expr wanted = value_of(k, name);
    if (sym_is_none(wanted))
        bind(k, name, (sym_expr[]){sym_add_int(t, size, -more)}, 1);
    else
        must_equal(k, dim, size, sym_add_int(t, wanted, more));
}

static bool is_open(word w)
{
    return w.length >= 2 && w.at[0] == '.' && w.at[1] == '.';
}

/* Sizes of an argument that is a list, @normalized_shape, or of one of them, @size.1. */
static uint32_t listed_sizes(contract *k, word w, sym_expr *out)
{
    word rest, name = part((word){w.at + 1, w.length - 1}, '.', &rest);
    const fx_arg *a = infer_arg(k->c, text_of(k, name));
    int count = a ? fx_arg_ints(k->c->graph, a, out, TY_MAX_RANK) : 0;
    if (count < 0) return 0;
    if (!rest.length) return (uint32_t)count;
    long at = strtol(rest.at, NULL, 10);
    if (at >= count) infer_fail(k->c, "%s has %d sizes", text_of(k, name), count);
    if (at < count) out[0] = out[at];
    return 1;
}

/* How many dimensions the form has; *open: that and any more. */
static uint32_t rank_of(contract *k, word form, bool *open)
{
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank = 0;
    *open = false;
    for (word rest = form; rest.length;) {
        word w = part(rest, ',', &rest);
        binding *b = is_open(w) ? find_name(k, w) : NULL;
        if (b)
            rank += b->count;
        else if (is_open(w))
            *open = true;
        else
            rank += w.at[0] == '@' ? listed_sizes(k, w, sizes) : 1;
    }
    return rank;
}

static bool choose_form(contract *k, word forms, uint32_t rank)
{
    for (word rest = forms;;) {
        bool open;
        k->form = part(rest, '|', &rest);
        uint32_t wanted = rank_of(k, k->form, &open);
        if (rank == wanted || (open && rank > wanted)) return true;
        if (!rest.length) break;
    }
    k->form = forms;
    return false;
}

static void take_shape(contract *k, word forms, const ty_tensor *x)
{
    sym_expr listed[TY_MAX_RANK];
    uint32_t dim = 0;
    bool open;
    k->x = x;
    if (!choose_form(k, forms, x->rank)) {
        infer_fail(k->c, "%s is %s where [%s] is wanted", k->what, infer_shape(k->c, x),
                   text_of(k, forms));
        return;
    }
    uint32_t more = x->rank - rank_of(k, k->form, &open);
    for (word rest = k->form; rest.length && k->c->status == FE_OK;) {
        word w = part(rest, ',', &rest);
        binding *b = is_open(w) ? find_name(k, w) : NULL;
        if (b) {
            for (uint32_t i = 0; i < b->count; i++, dim++)
                must_equal(k, dim, x->sizes[dim], b->sizes[i]);
        } else if (is_open(w)) {
            if (w.at[2] != '.') bind(k, w, x->sizes + dim, more);
            dim += more;
        } else if (w.at[0] == '@') {
            uint32_t count = listed_sizes(k, w, listed);
            for (uint32_t i = 0; i < count; i++, dim++)
                must_equal(k, dim, x->sizes[dim], listed[i]);
        } else {
            take_size(k, dim, w, x->sizes[dim]);
            dim++;
        }
    }
}

/* The sizes that a form of bound names stands for. */
static uint32_t known_sizes(contract *k, word form, sym_expr *out)
{
    uint32_t count = 0;
    for (word rest = form; rest.length;) {
        word w = part(rest, ',', &rest);
        const binding *b = is_open(w) ? find_name(k, w) : NULL;
        CHECK(k->c->graph->session, count + (b ? b->count : 1) <= TY_MAX_RANK);
        if (b) memcpy(out + count, b->sizes, b->count * sizeof *out);
        if (!b) out[count] = value_of(k, w);
        if (!b && sym_is_none(out[count])) return UINT32_MAX;
        count += b ? b->count : 1;
    }
    return count;
}

/* ---- dtypes ---- */

static bool is_index(ty_dtype d)
{
    return d == TY_I64 || d == TY_I32;
}
static bool is_i64(ty_dtype d)
{
    return d == TY_I64;
}
static bool is_i32(ty_dtype d)
{
    return d == TY_I32;
}
static bool is_int(ty_dtype d)
{
    return ty_is_integral(d, false);
}
static bool is_inexact(ty_dtype d)
{
    return ty_is_floating(d) || ty_is_complex(d);
}
static bool is_real(ty_dtype d)
{
    return !ty_is_complex(d);
}
static bool is_number(ty_dtype d)
{
    return d != TY_BOOL;
}
static bool is_ordered(ty_dtype d)
{
    return d != TY_BOOL && !ty_is_complex(d);
}
static bool is_bool(ty_dtype d)
{
    return d == TY_BOOL;
}
static bool is_mask(ty_dtype d)
{
    return d == TY_BOOL || d == TY_U8;
}
static bool is_place(ty_dtype d)
{
    return is_index(d) || is_mask(d);
}
static bool is_byte(ty_dtype d)
{
    return d == TY_I8 || d == TY_U8;
}
static bool is_i8(ty_dtype d)
{
    return d == TY_I8;
}
static bool is_u8(ty_dtype d)
{
    return d == TY_U8;
}
static bool is_f32(ty_dtype d)
{
    return d == TY_F32;
}
static bool is_quantum(ty_dtype d)
{
    return d == TY_F32 || d == TY_BF16;
}
static bool is_bits(ty_dtype d)
{
    return ty_is_integral(d, true);
}
static bool is_image(ty_dtype d)
{
    return ty_is_floating(d) || d == TY_U8;
}
static bool is_pooled(ty_dtype d)
{
    return ty_is_floating(d) || d == TY_I64;
}
static bool is_single(ty_dtype d)
{
    return d == TY_F32 || d == TY_F64;
}
static bool is_double(ty_dtype d)
{
    return d == TY_F64 || d == TY_C128;
}
static bool is_signed(ty_dtype d)
{
    return d != TY_U8;
}
static bool is_factored(ty_dtype d)
{
    return is_single(d) || d == TY_C64 || d == TY_C128;
}

static bool is_powered(ty_dtype d)
{
    return is_factored(d) || is_int(d);
}
static bool is_part(ty_dtype d)
{
    return is_single(d) || d == TY_F16;
}
static bool is_narrow(ty_dtype d)
{
    return ty_is_floating(d) && d != TY_F64;
}
static bool is_zero_point(ty_dtype d)
{
    return d == TY_I32 || d == TY_F32 || d == TY_F16;
}
static bool is_column(ty_dtype d)
{
    return is_inexact(d) || d == TY_BOOL;
}

static const struct {
    const char *name, *says;
    bool (*holds)(ty_dtype d);
} KINDS[] = {
    {"index", "int32 or int64", is_index},
    {"i64", "int64", is_i64},
    {"i32", "int32", is_i32},
    {"i8", "int8", is_i8},
    {"u8", "uint8", is_u8},
    {"f32", "float32", is_f32},
    {"float8", "floats of 8 bits", ty_is_float8},
    {"byte", "int8 or uint8", is_byte},
    {"quantum", "float32 or bfloat16", is_quantum},
    {"int", "integers", is_int},
    {"float", "floating point numbers", ty_is_floating},
    {"double", "float64 or complex128", is_double},
    {"single", "float32 or float64", is_single},
    {"inexact", "floating point or complex numbers", is_inexact},
    {"factored", "float32, float64 or complex", is_factored},
    {"powered", "float32, float64, complex numbers or integers", is_powered},
    {"column", "floating point or complex numbers or bools", is_column},
    {"zero", "int32, float32 or float16", is_zero_point},
    {"part", "float16, float32 or float64", is_part},
    {"narrow", "float16, bfloat16 or float32", is_narrow},
    {"real", "no complex numbers", is_real},
    {"number", "no bools", is_number},
    {"ordered", "neither bools nor complex numbers", is_ordered},
    {"bool", "bools", is_bool},
    {"complex", "complex numbers", ty_is_complex},
    {"mask", "bools or bytes", is_mask},
    {"place", "int32, int64, bools or bytes", is_place},
    {"bits", "integers or bools", is_bits},
    {"image", "floating point numbers or bytes", is_image},
    {"signed", "no bytes without sign", is_signed},
    {"pooled", "floating point numbers or int64", is_pooled},
};

/* x, or x.1 of a list */
static const ty_tensor *named_tensor(contract *k, word name)
{
    ty_tensor *items[INFER_MAX_OPERANDS];
    word rest, list = part(name, '.', &rest);
    CHECK(k->c->graph->session, k->is_inherited || op_param_index(k->c->op, text_of(k, list)) >= 0);
    if (!rest.length) return infer_tensor(k->c, text_of(k, name));
    uint32_t at = (uint32_t)strtol(rest.at, NULL, 10);
    return at < infer_list(k->c, text_of(k, list), items, INFER_MAX_OPERANDS) ? items[at] : NULL;
}

/* -> a row of KINDS, or as many as there are */
static size_t find_kind(word kind)
{
    size_t i = 0;
    while (i < COUNT_OF(KINDS) && !is_word(kind, KINDS[i].name)) i++;
    return i;
}

/* Kernels of several operands convert these to one dtype first. */
static void take_common_dtype(contract *k, word kind)
{
    size_t i = find_kind(kind);
    CHECK(k->c->graph->session, i < COUNT_OF(KINDS));
    ty_dtype common = infer_promoted(k->c);
    if (common != TY_NO_DTYPE && !KINDS[i].holds(common))
        infer_fail(k->c, "the operands promote to %s: they have to promote to %s",
                   ty_dtype_name(common), KINDS[i].says);
}

static void take_dtype(contract *k, word kind, const ty_tensor *x)
{
    size_t i = find_kind(kind);
    if (i < COUNT_OF(KINDS)) {
        if (!KINDS[i].holds(x->dtype))
            infer_fail(k->c, "%s is %s: it has to hold %s", k->what, infer_shape(k->c, x),
                       KINDS[i].says);
        return;
    }
    char widens = kind.at[kind.length - 1];
    kind.length -= widens == '+' || widens == '^';
    const ty_tensor *other = named_tensor(k, kind);
    if (!other) return;
    bool is_half = ty_is_half(other->dtype);
    ty_dtype wanted = widens == '^' && is_half ? TY_F32 : other->dtype;
    if (x->dtype == wanted || (widens == '+' && is_half && x->dtype == TY_F32)) return;
    infer_fail(k->c, "%s is %s and %s is %s: expected %s", k->what, infer_shape(k->c, x),
               text_of(k, kind), infer_shape(k->c, other),
               wanted == other->dtype ? "them to have the same dtype" : "float32");
}

/* ---- clauses ---- */

static void take_tensor(contract *k, char sign, word said, const ty_tensor *x)
{
    sym_expr sizes[TY_MAX_RANK];
    bool is_form = said.at[0] == '[';
    const ty_tensor *other = is_form || sign == ':' ? NULL : infer_tensor(k->c, text_of(k, said));
    if (is_form) said = (word){said.at + 1, said.length - 2};
    k->x = x;
    if (sign == ':') {
        take_dtype(k, said, x);
    } else if (sign == '[') {
        take_shape(k, said, x);
    } else if (sign == '~' && is_form) {
        uint32_t rank = known_sizes(k, said, sizes);
        if (rank != UINT32_MAX) infer_require_fits(k->c, x, rank, sizes, k->what);
    } else if (other && sign == '~') {
        infer_require_broadcast(k->c, x, other);
    } else if (other && x->rank != other->rank) {
        infer_fail(k->c, "%s is %s and %s is %s: they have to be of the same size", k->what,
                   infer_shape(k->c, x), text_of(k, said), infer_shape(k->c, other));
    } else if (other) {
        k->form = said;
        for (uint32_t i = 0; i < x->rank; i++) must_equal(k, i, x->sizes[i], other->sizes[i]);
    }
}

/* Numbers of an argument, a bound name's size, or how many elements a tensor has. */
static uint32_t numbers_of(contract *k, word name, sym_expr *out)
{
    k->what = text_of(k, name);
    const binding *b = find_name(k, name);
    const fx_arg *a = b ? NULL : infer_arg(k->c, k->what);
    const ty_tensor *x = a ? fx_arg_tensor(a) : NULL;
    int count = a && !x ? fx_arg_ints(k->c->graph, a, out, 2 * TY_MAX_RANK) : 0;
    if (b) out[0] = b->sizes[0];
    if (x) out[0] = ty_numel(k->c->symbols, x);
    if (x) k->what = arena_printf(k->c->memory, "the number of elements of %s", k->what);
    return b || x ? 1 : count > 0 ? (uint32_t)count : 0;
}

/* A number of the program's, or an argument's. */
static sym_expr bound_of(contract *k, word bound)
{
    bool is_negative = bound.at[0] == '-';
    return is_negative ? infer_number(k->c, strtol(bound.at, NULL, 10)) : value_of(k, bound);
}

/* The same as a fraction; is it one number that is known? */
static bool fraction_of(contract *k, word w, double *out)
{
    char *end;
    const char *said = text_of(k, w);
    *out = strtod(said, &end);
    if (end != said) return true;
    const fx_arg *a = infer_arg(k->c, said);
    return a && fx_arg_number(k->c->graph, a, out);
}

static bool is_fraction(contract *k, word name)
{
    const fx_arg *a = infer_arg(k->c, text_of(k, name));
    return a && a->kind == FX_ARG_FLOAT;
}

/* k>0, k>=0, k^2, k^<2; of what is no number, or a size, each element. */
static void take_bound(contract *k, word name, word bound, bool is_most)
{
    sym_expr numbers[2 * TY_MAX_RANK];
    infer_call *c = k->c;
    bool marked = bound.at[0] == '=' || bound.at[0] == '<', closed = is_most != marked;
    word to = {bound.at + marked, bound.length - marked};
    const char *says = is_most  ? closed ? "at most" : "less than"
                       : closed ? "at least"
                                : "greater than";
    if (is_fraction(k, name) || is_fraction(k, to)) {
        double number, limit;
        if (!fraction_of(k, name, &number) || !fraction_of(k, to, &limit)) return;
        double above = is_most ? limit - number : number - limit;
        if (!(closed ? above >= 0 : above > 0))
            infer_fail(c, "%s is %g, but has to be %s %s", text_of(k, name), number, says,
                       text_of(k, to));
        return;
    }
    sym_expr limit = bound_of(k, to);
    uint32_t count = numbers_of(k, name, numbers);
    if (sym_is_none(limit)) return;
    for (uint32_t i = 0; i < count; i++)
        (void)INFER_REQUIRE(c, closed ? SYM_LE : SYM_LT, is_most ? numbers[i] : limit,
                            is_most ? limit : numbers[i], "%s has to be %s %s", k->what, says,
                            text_of(k, to));
}

/* k!0 */
static void take_other(contract *k, word name, word value)
{
    double number, other;
    if (fraction_of(k, name, &number) && fraction_of(k, value, &other) && number == other)
        infer_fail(k->c, "%s has to be other than %s", text_of(k, name), text_of(k, value));
}

static bool is_one_of(const char *said, word words)
{
    for (word rest = words; rest.length;)
        if (is_word(part(rest, '|', &rest), said)) return true;
    return false;
}

/* mode?reduced|complete */
static void take_choice(contract *k, word name, word words)
{
    const char *said = infer_string(k->c, text_of(k, name), NULL);
    if (said && !is_one_of(said, words))
        infer_fail(k->c, "%s is \"%s\", which is none of %s", text_of(k, name), said,
                   text_of(k, words));
}

/* d<x, d<<x */
static void take_dims(contract *k, word name, word of)
{
    uint32_t dims[2 * TY_MAX_RANK];
    uint64_t seen = 0;
    bool once = of.at[0] == '<';
    const ty_tensor *x = infer_tensor(k->c, text_of(k, (word){of.at + once, of.length - once}));
    if (!x || !infer_arg(k->c, text_of(k, name))) return;
    uint32_t count = infer_dims(k->c, text_of(k, name), x->rank, false, dims);
    for (uint32_t i = 0; once && i < count && k->c->status == FE_OK; i++) {
        if (seen >> dims[i] & 1)
            infer_fail(k->c, "dim %u appears multiple times in the list of dims", dims[i]);
        seen |= (uint64_t)1 << dims[i];
    }
}

/* l#3, l#>0 */
static void take_length(contract *k, word name, word wanted)
{
    infer_call *c = k->c;
    k->what = text_of(k, name);
    const fx_arg *a = infer_arg(c, k->what);
    const ty_tensor *x = a ? fx_arg_tensor(a) : NULL;
    if (x) {
        sym_expr elements = ty_numel(c->symbols, x), count = value_of(k, wanted);
        if (!sym_is_none(count))
            (void)INFER_REQUIRE_EQUAL(c, elements, count,
                                      "%s is %s, but should contain %s elements", k->what,
                                      infer_shape(c, x), infer_written(c, count));
    }
    if (!a || a->kind != FX_ARG_LIST) return;
    if (wanted.at[0] == '>') {
        if (a->list.count == 0) infer_fail(c, "%s is an empty list", k->what);
        return;
    }
    sym_expr count = value_of(k, wanted);
    if (sym_is_none(count)) return;
    (void)INFER_REQUIRE_EQUAL(c, infer_number(c, a->list.count), count,
                              "%s has %u elements where %s are wanted", k->what, a->list.count,
                              text_of(k, wanted));
}

/* x, x* or x.1 */
static uint32_t tensors_of(contract *k, word name, ty_tensor **out)
{
    word rest;
    bool each = name.length && name.at[name.length - 1] == '*';
    if (each) name.length--;
    word list = part(name, '.', &rest);
    k->what = text_of(k, list);
    CHECK(k->c->graph->session, k->is_inherited || op_param_index(k->c->op, k->what) >= 0);
    if (!each && !rest.length) {
        out[0] = infer_tensor(k->c, k->what);
        return 1;
    }
    uint32_t count = infer_list(k->c, k->what, out, INFER_MAX_OPERANDS);
    if (each) return count;
    uint32_t at = (uint32_t)strtol(rest.at, NULL, 10);
    out[0] = at < count ? out[at] : NULL;
    return 1;
}

static void take_clause(contract *k, word clause)
{
    ty_tensor *tensors[INFER_MAX_OPERANDS];
    size_t end = 0;
    while (end < clause.length && !strchr("[~=:><#^!?", clause.at[end])) end++;
    if (clause.at[0] == '!') {
        infer_check(k->c, text_of(k, (word){clause.at + 1, clause.length - 1}));
        return;
    }
    CHECK(k->c->graph->session, end < clause.length);
    char sign = clause.at[end];
    size_t behind = end + (sign != '[');
    word name = {clause.at, end}, said = {clause.at + behind, clause.length - behind};
    switch (sign) {
    case '>': take_bound(k, name, said, false); return;
    case '^': take_bound(k, name, said, true); return;
    case '<': take_dims(k, name, said); return;
    case '#': take_length(k, name, said); return;
    case '!': take_other(k, name, said); return;
    case '?': take_choice(k, name, said); return;
    }
    if (is_word(name, "*")) {
        take_common_dtype(k, said);
        return;
    }
    uint32_t count = tensors_of(k, name, tensors);
    for (uint32_t i = 0; i < count && k->c->status == FE_OK; i++)
        if (tensors[i]) take_tensor(k, sign, said, tensors[i]);
}

/* What an optional result lacks is None. */
static bool is_none(const fx_arg *a)
{
    return a->kind == FX_ARG_NONE || (a->kind == FX_ARG_NODE && a->node->value.kind == FX_NO_VALUE);
}

/* Each is of the kind that the schema says; what is not optional is there. */
static void need_arguments(infer_call *c)
{
    for (uint32_t i = 0; i < c->node->arg_count && i < c->op->param_count; i++) {
        const op_param *p = &c->op->params[i];
        const fx_arg *a = &c->node->args[i];
        bool may_lack = p->type.optional || p->type.base == OP_ANY || p->type.base == OP_OBJECT ||
                        p->type.base == OP_GENERATOR;
        if (is_none(a) && may_lack) continue;
        if (is_none(a))
            infer_fail(c, "expected a value for argument '%s', but it is None", p->name);
        else if (!fx_arg_fits(a, &p->type) && p->type.base == OP_TENSOR)
            infer_fail(c, "expected %s for argument '%s'", p->type.list ? "tensors" : "a tensor",
                       p->name);
        else if (!fx_arg_fits(a, &p->type))
            infer_fail(c, "argument '%s' is not of the kind that is wanted: %s", p->name,
                       c->op->schema);
    }
}

/* Words that choose among a few ways, by the names that they have in all schemas. */
static void check_words(contract *k)
{
    static const char *const CHOICES[][2] = {
        {"interpolation", "linear|lower|higher|midpoint|nearest"},
        {"approximate", "none|tanh"},
        {"padding_side", "left|right"},
        {"indexing", "ij|xy"},
        {"rounding_mode", "trunc|floor"},
        {"UPLO", "L|U|l|u"}};
    for (size_t i = 0; i < COUNT_OF(CHOICES); i++)
        take_choice(k, (word){CHOICES[i][0], strlen(CHOICES[i][0])},
                    (word){CHOICES[i][1], strlen(CHOICES[i][1])});
}

/* Numbers that choose among a few ways. */
static void check_choices(contract *k)
{
    static const struct {
        const char *name;
        int64_t count;
    } CHOICES[] = {
        {"reduction", 3}, {"interpolation_mode", 3}, {"padding_mode", 3}, {"normalization", 3}};
    infer_call *c = k->c;
    for (size_t i = 0; i < COUNT_OF(CHOICES); i++) {
        int at = op_param_index(c->op, CHOICES[i].name);
        if (at < 0 || c->op->params[at].type.base != OP_INT) continue;
        int64_t chosen = infer_int(c, CHOICES[i].name, 0);
        if (chosen < 0 || chosen >= CHOICES[i].count)
            infer_fail(c, "%s is %lld, which is none that there is", CHOICES[i].name,
                       (long long)chosen);
    }
}

/* An operator on each of a list takes lists of one length, and at least one element. */
static void check_lists(infer_call *c)
{
    uint32_t count = 0;
    bool is_first = true;
    for (uint32_t i = 0; i < c->node->arg_count && i < c->op->param_count; i++) {
        const fx_arg *a = &c->node->args[i];
        const op_type *type = &c->op->params[i].type;
        if (!type->list || a->kind != FX_ARG_LIST) continue;
        if (a->list.count == 0)
            infer_fail(c, "Tensor list must have at least one tensor.");
        else if (!is_first && a->list.count != count)
            infer_fail(c, "Tensor lists must have the same number of tensors, got %u and %u", count,
                       a->list.count);
        count = a->list.count;
        is_first = false;
    }
}

static void take_row(contract *k, const char *said)
{
    for (word rest = {said, said ? strlen(said) : 0}; rest.length && k->c->status == FE_OK;) {
        word clause = part(rest, ' ', &rest);
        if (clause.length) take_clause(k, clause);
    }
}

bool infer_keeps_contract(infer_call *c)
{
    contract k = {.c = c};
    uint32_t row = c->op->id;
    need_arguments(c);
    if (c->status == FE_OK) check_choices(&k);
    if (c->status == FE_OK) check_words(&k);
    if (op_is_foreach(c->op)) check_lists(c);
    if (row >= OP_BUILTIN_COUNT) return c->status == FE_OK;
    if (c->op->is_mutating && !ROWS[row].clauses) {
        const op_info *functional = op_functional_of(c->graph->ops, c->op);
        k.is_inherited = functional && functional->id < OP_BUILTIN_COUNT;
        if (k.is_inherited) row = functional->id;
    }
    take_row(&k, ROWS[row].clauses);
    return c->status == FE_OK;
}
