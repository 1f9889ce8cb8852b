/* quantised.c -- products with a weight of integers that a program makes floats of first become products
 * with the integers: (q - zero) * scale of a constant q, scale and zero by rows of the weight or by groups
 * of a row, or a scale on the columns of the product. This is before constants are folded, so that those
 * integers never are.
 *
 * From the product back to the integers each call is one of the steps below, with a single reader. All
 * but the turn of a matrix keep the row-major order of the elements, in which a scale of one number for
 * each row of its operand is one for each group of the weight's rows; turned, it is one for a column.
 * Floats are made in float32, whatever the program rounds them to on the way.
 *
 * A convolution of one tap is a product too, where its activation is made of integers.
 */
#include "pass/integers.h"

#include <string.h>

enum {
    MOST_STEPS = 16,
    HIGH_NIBBLE = 4,
    GROUP_STEP = 8 /* what the depth of several groups is a multiple of */
};

typedef enum step_kind {
    STEP_CAST,
    STEP_SHAPE, /* the same elements in the same order */
    STEP_TURN,  /* a matrix transposed */
    STEP_TIMES, /* times %c */
    STEP_LESS,  /* minus %c */
    STEP_PLUS,  /* plus %c */
} step_kind;

static const struct {
    const char *pattern;
    step_kind kind;
} STEPS[] = {
    {"to.dtype|_to_copy|type_as|contiguous|clone(%s, ...)", STEP_CAST},
    {"prims.convert_element_type(%s, _)", STEP_CAST},
    {"view|reshape|_unsafe_view|flatten.using_ints|unflatten.int(%s, ...)", STEP_SHAPE},
    {"unsqueeze|squeeze.dim|squeeze.dims(%s, _)", STEP_SHAPE},
    {"t|numpy_T|mT|transpose.int|permute(%s, ...)", STEP_TURN},
    {"mul.Tensor|mul.Scalar|multiply.Tensor|multiply.Scalar(%s, %c)", STEP_TIMES},
    {"sub.Tensor|sub.Scalar(%s, %c)", STEP_LESS},
    {"add.Tensor|add.Scalar(%s, %c)", STEP_PLUS},
};
enum { STEP_KINDS = sizeof STEPS / sizeof *STEPS };

/* Two integers of 4 bits a byte, the low one first. */
static const char NIBBLES[] = "stack([__and__.Scalar|bitwise_and.Scalar(%p, 15), "
                              "__rshift__.Scalar|bitwise_right_shift.Tensor_Scalar(%p, 4)], -1)";

typedef struct forms {
    match_pattern *steps[STEP_KINDS], *nibbles;
    uint32_t lanes; /* pass_services */
    arena *memory;
    VEC(fx_node *) made; /* constants */
} forms;

/* A number for each group of each row, row by row; at NULL: none. */
typedef struct part {
    double *at;
    int64_t groups;
} part;

typedef struct reading {
    rewriting *r;
    arena *memory; /* until the product is made, or is not */
    forms *f;
    int64_t n, k;
    bool is_turned; /* what is read lies as [k, n], else as [n, k] */
    part scale, zero;
    ty_dtype integers, differences; /* what these fit in, unless TY_NO_DTYPE */
    const fx_node *leaf;
    int16_t *q;
    int low, high; /* of q */
} reading;

static int64_t count_of(const fx_graph *g, const ty_tensor *t)
{
    int64_t count;
    return t && sym_is_int(g->symbols, ty_numel(g->symbols, t), &count) ? count : -1;
}

static void *room_for(const reading *w, int64_t count, size_t each)
{
    return arena_alloc(w->memory, (size_t)count * each + 1);
}

/* The elements of a contiguous constant, so many, or NULL. */
static const uint8_t *constant_of(const fx_graph *g, const fx_node *n, int64_t count)
{
    const ty_tensor *t = fx_tensor(n);
    int64_t offset;
    if (!t || !pass_is_constant(g, n) || count_of(g, t) != count ||
        !sym_is_int(g->symbols, t->offset, &offset) || offset < 0 ||
        !ty_is_contiguous(g->symbols, t))
        return NULL;
    size_t size = ty_dtype_size(t->dtype);
    if ((size_t)(offset + count) > n->data->size / size) return NULL;
    return n->data->bytes + (size_t)offset * size;
}

static const fx_node *step_back(const reading *w, const fx_node *n, match *m, step_kind *kind)
{
    for (uint32_t i = 0; i < STEP_KINDS; i++) {
        if (!match_node(w->r->g, w->f->steps[i], (fx_node *)(uintptr_t)n, m)) continue;
        *kind = STEPS[i].kind;
        return match_named(m, "s");
    }
    return NULL;
}

/* ---- scales and zeros ---- */

static double rounded(ty_dtype d, double x)
{
    uint8_t bytes[8];
    fx_element e = {.is_float = ty_is_floating(d), .integer = (int64_t)x, .number = {x, 0}};
    fx_element_write(d, bytes, &e);
    e = fx_element_read(d, bytes);
    return e.is_float ? e.number[0] : (double)e.integer;
}

static bool is_real(ty_dtype d)
{
    return ty_is_floating(d) || ty_is_integral(d, false);
}

/* What a constant holds, through casts and other shapes. */
static bool read_numbers(const reading *w, const fx_node *n, int64_t count, double *out, int left)
{
    const ty_tensor *t = fx_tensor(n);
    match m;
    step_kind kind;
    if (!t || !is_real(t->dtype) || count_of(w->r->g, t) != count) return false;
    const uint8_t *from = constant_of(w->r->g, n, count);
    if (from) {
        for (int64_t i = 0; i < count; i++) {
            fx_element e = fx_element_read(t->dtype, from + i * ty_dtype_size(t->dtype));
            out[i] = e.is_float ? e.number[0] : (double)e.integer;
        }
        return true;
    }
    const fx_node *before = step_back(w, n, &m, &kind);
    if (!before || kind > STEP_SHAPE || !left || !read_numbers(w, before, count, out, left - 1))
        return false;
    if (fx_tensor(before)->dtype != t->dtype)
        for (int64_t i = 0; i < count; i++) out[i] = rounded(t->dtype, out[i]);
    return true;
}

static void fill_part(const reading *w, part *out, double number)
{
    *out = (part){room_for(w, w->n, sizeof *out->at), 1};
    for (int64_t i = 0; i < w->n; i++) out->at[i] = number;
}

/* Is it one number for each row of x, along its last dimension? */
static bool is_by_rows(const fx_graph *g, const ty_tensor *c, const ty_tensor *x, int64_t *length)
{
    if (c->rank != x->rank || x->rank < 2 ||
        !sym_is_int(g->symbols, x->sizes[x->rank - 1], length) ||
        !sym_same(c->sizes[c->rank - 1], sym_int(g->symbols, 1)))
        return false;
    for (uint32_t d = 0; d + 1 < x->rank; d++)
        if (!sym_known_equal(g->symbols, c->sizes[d], x->sizes[d])) return false;
    return true;
}

/* Or one for each index of its first one? */
static bool is_by_first(const fx_graph *g, const ty_tensor *c, const ty_tensor *x)
{
    if (c->rank != x->rank || x->rank < 2 || !sym_known_equal(g->symbols, c->sizes[0], x->sizes[0]))
        return false;
    for (uint32_t d = 1; d < c->rank; d++)
        if (!sym_same(c->sizes[d], sym_int(g->symbols, 1))) return false;
    return true;
}

static bool has_size(const fx_graph *g, const ty_tensor *t, uint32_t from_last, int64_t size)
{
    int64_t known;
    return t->rank > from_last &&
           sym_is_int(g->symbols, t->sizes[t->rank - 1 - from_last], &known) && known == size;
}

/* An operand of x, which lies as [k, n] or [groups, k / groups, n]: a number for each n, or of each group. */
static bool read_columns(const reading *w, const fx_node *c, const ty_tensor *x, part *out)
{
    const fx_graph *g = w->r->g;
    const ty_tensor *t = fx_tensor(c);
    int64_t count = count_of(g, t), groups = 1;
    if (!has_size(g, t, 0, w->n) || !has_size(g, x, 0, w->n) || t->rank > x->rank) return false;
    if (count != w->n) {
        groups = count / w->n;
        if (x->rank != 3 || !has_size(g, t, 2, groups) || !has_size(g, t, 1, 1) ||
            !has_size(g, x, 2, groups))
            return false;
    }
    double *from = room_for(w, groups * w->n, sizeof *from);
    *out = (part){room_for(w, groups * w->n, sizeof *from), groups};
    if (!read_numbers(w, c, groups * w->n, from, MOST_STEPS)) return false;
    for (int64_t i = 0; i < groups * w->n; i++) out->at[i % w->n * groups + i / w->n] = from[i];
    return true;
}

/* An operand of what has the weight's elements in rows, like x. */
static bool read_part(const reading *w, const fx_arg *c, const ty_tensor *x, part *out)
{
    const fx_graph *g = w->r->g;
    const ty_tensor *t = fx_arg_tensor(c);
    double number;
    int64_t length;
    if (fx_arg_number(g, c, &number)) {
        fill_part(w, out, number);
        return true;
    }
    if (!t) return false;
    if (count_of(g, t) == 1 && read_numbers(w, c->node, 1, &number, MOST_STEPS)) {
        fill_part(w, out, number);
        return true;
    }
    if (w->is_turned) return read_columns(w, c->node, x, out);
    if (is_by_first(g, t, x) && count_of(g, t) == w->n) {
        *out = (part){room_for(w, w->n, sizeof *out->at), 1};
        return read_numbers(w, c->node, w->n, out->at, MOST_STEPS);
    }
    if (!is_by_rows(g, t, x, &length) || length < 1 || w->k % length) return false;
    *out = (part){room_for(w, w->n * w->k / length, sizeof *out->at), w->k / length};
    return read_numbers(w, c->node, w->n * out->groups, out->at, MOST_STEPS);
}

/* ---- the integers ---- */

static bool take_integers(reading *w, const fx_node *leaf, const uint8_t *from, bool is_nibbles)
{
    int64_t count = w->n * w->k;
    w->leaf = leaf;
    w->q = room_for(w, count, sizeof *w->q);
    w->low = INT16_MAX, w->high = INT16_MIN;
    for (int64_t i = 0; i < count; i++) {
        int q = is_nibbles                        ? from[i / 2] >> (i % 2 ? HIGH_NIBBLE : 0) & 15
                : fx_tensor(leaf)->dtype == TY_I8 ? (int8_t)from[i]
                                                  : from[i];
        w->q[w->is_turned ? i % w->n * w->k + i / w->n : i] = (int16_t)q;
        if (q < w->low) w->low = q;
        if (q > w->high) w->high = q;
    }
    return true;
}

static bool is_leaf(reading *w, const fx_node *n)
{
    const fx_graph *g = w->r->g;
    const ty_tensor *t = fx_tensor(n);
    int64_t count = w->n * w->k;
    match m;
    if (t->dtype != TY_I8 && t->dtype != TY_U8) return false;
    const uint8_t *from = constant_of(g, n, count);
    if (from) return take_integers(w, n, from, false);
    if (!match_node(w->r->g, w->f->nibbles, (fx_node *)(uintptr_t)n, &m) || count % 2) return false;
    const fx_node *packed = match_named(&m, "p");
    if (!packed || !fx_tensor(packed) || fx_tensor(packed)->dtype != TY_U8) return false;
    from = constant_of(g, packed, count / 2);
    return from && take_integers(w, n, from, true);
}

/* ---- from the product to the integers ---- */

static bool take_cast(reading *w, const ty_tensor *from, const ty_tensor *to)
{
    if (from->dtype == to->dtype) return true;
    if (ty_is_floating(to->dtype)) return ty_dtype_size(to->dtype) > 1 && is_real(from->dtype);
    if (!ty_is_integral(to->dtype, false) || !ty_is_integral(from->dtype, false)) return false;
    ty_dtype *fits = w->zero.at ? &w->integers : &w->differences;
    if (*fits != TY_NO_DTYPE && *fits != to->dtype) return false;
    *fits = to->dtype;
    return true;
}

static bool take_zero(reading *w, const fx_arg *c, const ty_tensor *from, const ty_tensor *here,
                      bool is_added)
{
    if (w->zero.at || !read_part(w, c, from, &w->zero)) return false;
    for (int64_t i = 0; is_added && i < w->n * w->zero.groups; i++) w->zero.at[i] *= -1;
    if (ty_is_floating(here->dtype)) return true;
    if (w->differences != TY_NO_DTYPE && w->differences != here->dtype) return false;
    w->differences = here->dtype;
    return ty_is_integral(here->dtype, false);
}

static bool take_step(reading *w, step_kind kind, const fx_arg *c, const ty_tensor *from,
                      const ty_tensor *here)
{
    switch (kind) {
    case STEP_CAST: return take_cast(w, from, here);
    case STEP_SHAPE:
        return from->dtype == here->dtype && (!w->is_turned || (has_size(w->r->g, from, 0, w->n) &&
                                                                has_size(w->r->g, here, 0, w->n)));
    case STEP_TURN:
        if (!has_size(w->r->g, here, 0, w->is_turned ? w->n : w->k)) return false;
        w->is_turned = !w->is_turned;
        return true;
    case STEP_TIMES:
        return ty_is_floating(here->dtype) && !w->scale.at && !w->zero.at &&
               read_part(w, c, from, &w->scale);
    case STEP_LESS: return take_zero(w, c, from, here, false);
    case STEP_PLUS: return take_zero(w, c, from, here, true);
    }
    return false;
}

/* Of two operands the one that has as many elements as the weight, the integers' one, becomes *s. */
static void order_operands(const reading *w, const fx_node **s, const fx_arg **c,
                           const fx_arg *first)
{
    const fx_graph *g = w->r->g;
    int64_t whole = w->n * w->k;
    if (count_of(g, fx_tensor(*s)) == whole || count_of(g, fx_arg_tensor(*c)) != whole) return;
    *s = (*c)->node;
    *c = first;
}

static bool find_integers(reading *w, const fx_node *n)
{
    const fx_graph *g = w->r->g;
    for (int left = MOST_STEPS; left-- > 0;) {
        match m;
        step_kind kind;
        if (!n || !fx_tensor(n) || count_of(g, fx_tensor(n)) != w->n * w->k) return false;
        if (is_leaf(w, n)) return true;
        if (n->users.count != 1 || !fx_may_join(n, w->r->root)) return false;
        const fx_node *s = step_back(w, n, &m, &kind);
        if (!s) return false;
        const fx_arg *c = kind >= STEP_TIMES ? match_arg(&m, "c") : NULL;
        if (kind == STEP_TURN && !rewrite_turns(w->r, n)) return false;
        if (c && kind != STEP_LESS) order_operands(w, &s, &c, match_arg(&m, "s"));
        if (!take_step(w, kind, c, fx_tensor(s), fx_tensor(n))) return false;
        n = s;
    }
    return false;
}

/* ---- what is made of them ---- */

static bool are_between(ty_dtype d, double low, double high)
{
    if (d == TY_NO_DTYPE || d == TY_I16 || d == TY_I32 || d == TY_I64) return true;
    return d == TY_I8 ? low >= -128 && high <= 127 : d == TY_U8 && low >= 0 && high <= 255;
}

/* Does the program compute with the integers without a wrap? */
static bool are_exact(const reading *w)
{
    double least = 0, most = 0;
    if (w->zero.at) least = most = w->zero.at[0];
    for (int64_t i = 0; w->zero.at && i < w->n * w->zero.groups; i++) {
        if (w->zero.at[i] < least) least = w->zero.at[i];
        if (w->zero.at[i] > most) most = w->zero.at[i];
    }
    return are_between(w->integers, w->low, w->high) &&
           are_between(w->differences, w->low - most, w->high - least);
}

/* The integers are moved by what brings them to 4 bits, or 8. */
static int shift_of(const reading *w, int *bits)
{
    *bits = w->high - w->low < 16 ? 4 : 8;
    int half = 1 << (*bits - 1);
    if (w->low >= -half && w->high < half) return 0;
    return w->low >= 0 && w->high < 2 * half ? half : w->low + half;
}

static bool holds(const fx_node *n, const ty_tensor *t, const void *data, size_t bytes)
{
    const ty_tensor *have = fx_tensor(n);
    return have->dtype == t->dtype && sym_same(have->sizes[0], t->sizes[0]) &&
           sym_same(have->sizes[1], t->sizes[1]) && memcmp(n->data->bytes, data, bytes) == 0;
}

/* One that was made before, where it holds the same: a weight may be read several times. */
static fx_node *constant_with(const reading *w, const char *name, ty_dtype d, int64_t rows,
                              int64_t columns, const void *data)
{
    fx_graph *g = w->r->g;
    forms *f = w->f;
    size_t bytes = (size_t)(rows * columns) * ty_dtype_size(d);
    sym_expr sizes[] = {sym_int(g->symbols, rows), sym_int(g->symbols, columns)};
    ty_tensor *t = ty_tensor_new(g->memory, g->symbols, d, fx_tensor(w->r->root)->device, 2, sizes);
    for (uint32_t i = 0; i < f->made.count; i++)
        if (holds(f->made.at[i], t, data, bytes)) return f->made.at[i];
    fx_node *made = fx_add_constant(g, name, t, arena_copy(g->memory, data, bytes), bytes);
    vec_push(f->memory, &f->made, made);
    return made;
}

static fx_node *weight_of(const reading *w, int shift)
{
    const ty_tensor *t = fx_tensor(w->leaf);
    int64_t rows;
    if (!shift && !w->is_turned && t->dtype == TY_I8 && t->rank == 2 &&
        w->leaf->kind == FX_PLACEHOLDER && sym_is_int(w->r->g->symbols, t->sizes[0], &rows) &&
        rows == w->n)
        return (fx_node *)(uintptr_t)w->leaf;
    int8_t *made = room_for(w, w->n * w->k, sizeof *made);
    for (int64_t i = 0; i < w->n * w->k; i++) made[i] = (int8_t)(w->q[i] - shift);
    return constant_with(w, "integers", TY_I8, w->n, w->k, made);
}

/* [groups, n], as products take it; NULL: there is none, and `otherwise` is 0. */
static fx_node *part_of(const reading *w, const char *name, const part *p, int64_t groups,
                        double otherwise, int shift)
{
    float *made = room_for(w, groups * w->n, sizeof *made);
    bool is_none = otherwise == 0;
    for (int64_t i = 0; i < groups * w->n; i++) {
        int64_t row = i % w->n, group = i / w->n * p->groups / groups;
        made[i] = (float)((p->at ? p->at[row * p->groups + group] : otherwise) - shift);
        is_none &= made[i] == 0;
    }
    return is_none ? NULL : constant_with(w, name, TY_F32, groups, w->n, made);
}

/* Groups that both parts are cut by; 0: what the runtime has no products for. */
static int64_t groups_of(const reading *w)
{
    int64_t a = w->scale.at ? w->scale.groups : 1, b = w->zero.at ? w->zero.groups : 1,
            groups = a > b ? a : b;
    if (groups % a || groups % b) return 0;
    return groups == 1 || w->k / groups % GROUP_STEP == 0 ? groups : 0;
}

static fx_node *emit_product(reading *w, fx_arg x, fx_arg bias)
{
    int bits, shift = shift_of(w, &bits);
    int64_t groups = groups_of(w);
    if (!groups || !are_exact(w)) return NULL;
    fx_node *zeros = part_of(w, "zeros", &w->zero, groups, 0, shift);
    return REWRITE(w->r, ferrite_quantised_linear_default, x, fx_of(weight_of(w, shift)),
                   fx_of(part_of(w, "scales", &w->scale, groups, 1, 0)),
                   zeros ? fx_of(zeros) : fx_none(), bias, fx_int(w->r->g, bits));
}

/* One number for each column, in the product's dtype. */
static bool is_bias(const rewriting *r, const ty_tensor *bias, int64_t n)
{
    int64_t size;
    return bias && bias->dtype == fx_tensor(r->root)->dtype && bias->rank == 1 &&
           sym_is_int(r->g->symbols, bias->sizes[0], &size) && size == n;
}

static bool is_product(reading *w)
{
    const rewriting *r = w->r;
    const ty_tensor *x = rewrite_tensor(r, "x"), *t = rewrite_tensor(r, "w");
    return x && t && t->rank == 2 && x->rank >= 1 && ty_is_host(t->device) &&
           (x->dtype == TY_F32 || ty_is_half(x->dtype)) &&
           sym_is_int(r->g->symbols, t->sizes[w->is_turned], &w->n) &&
           sym_is_int(r->g->symbols, t->sizes[!w->is_turned], &w->k) && w->n > 0 && w->k > 0;
}

static fx_node *product(rewriting *r, bool is_turned)
{
    fx_node *made = NULL;
    fx_arg bias = match_arg(r->m, "bias") ? *match_arg(r->m, "bias") : fx_none();
    reading w = {.r = r,
                 .memory = arena_new(r->g->session),
                 .f = r->data,
                 .is_turned = is_turned,
                 .integers = TY_NO_DTYPE,
                 .differences = TY_NO_DTYPE};
    bool fits =
        is_product(&w) && (bias.kind == FX_ARG_NONE || is_bias(r, fx_arg_tensor(&bias), w.n));
    if (fits && find_integers(&w, rewrite_node(r, "w")))
        made = emit_product(&w, *match_arg(r->m, "x"), bias);
    arena_free(w.memory);
    return made;
}

static fx_node *of_linear(rewriting *r)
{
    return product(r, false);
}

static fx_node *of_matrices(rewriting *r)
{
    return product(r, true);
}

/* ---- convolutions of one tap ---- */

static fx_node *permuted(rewriting *r, fx_node *n, const int64_t order[4])
{
    sym_expr dims[4];
    for (int i = 0; i < 4; i++) dims[i] = sym_int(r->g->symbols, order[i]);
    return n ? REWRITE(r, aten_permute_default, fx_of(n), fx_int_list(r->g, dims, 4)) : NULL;
}

/* Channels are last for the product, and back at their place behind it. */
static fx_node *emit_convolution(reading *w, const integer_rows *x, fx_arg bias)
{
    static const int64_t LAST[] = {0, 2, 3, 1}, BACK[] = {0, 3, 1, 2};
    rewriting *r = w->r;
    int bits, shift = shift_of(w, &bits);
    if (groups_of(w) != 1 || !are_exact(w) || part_of(w, "zeros", &w->zero, 1, 0, shift))
        return NULL;
    integer_rows rows = {permuted(r, x->q, LAST), x->scale, x->zero};
    fx_node *scales = part_of(w, "scales", &w->scale, 1, 1, 0);
    if (!rows.q || !scales) return NULL;
    fx_node *y = integers_product(r, &rows, weight_of(w, shift), scales, bias);
    y = permuted(r, y, BACK);
    if (!y || !ty_is_contiguous(r->g->symbols, fx_tensor(r->root))) return y;
    return REWRITE(r, aten_contiguous_default, fx_of(y));
}

static bool is_one(const fx_graph *g, const fx_arg *a)
{
    const ty_tensor *t = fx_arg_tensor(a);
    return a->kind != FX_ARG_NODE ||
           (t && sym_same(ty_numel(g->symbols, t), sym_int(g->symbols, 1)));
}

static bool is_one_tap(reading *w)
{
    const rewriting *r = w->r;
    const ty_tensor *x = rewrite_tensor(r, "x"), *t = rewrite_tensor(r, "w"),
                    *out = fx_tensor(r->root);
    return x && t && out && t->rank == 4 && x->rank == 4 && ty_is_host(t->device) &&
           out->dtype == TY_F32 && sym_is_int(r->g->symbols, t->sizes[0], &w->n) &&
           sym_is_int(r->g->symbols, t->sizes[1], &w->k) && w->n > 0 && w->k > 1 &&
           w->k <= INTEGERS_MOST_DEPTH && has_size(r->g, t, 0, 1) && has_size(r->g, t, 1, 1);
}

static fx_node *of_convolution(rewriting *r)
{
    fx_node *made = NULL;
    fx_arg bias = *match_arg(r->m, "bias");
    integer_rows x;
    reading w = {.r = r, .memory = arena_new(r->g->session), .f = r->data};
    w.integers = w.differences = TY_NO_DTYPE;
    bool fits = is_one_tap(&w) &&
                (bias.kind == FX_ARG_NONE || is_bias(r, fx_arg_tensor(&bias), w.n)) &&
                integers_behind(r, rewrite_node(r, "x"), &x) && is_one(r->g, &x.scale) &&
                is_one(r->g, &x.zero);
    if (fits && find_integers(&w, rewrite_node(r, "w"))) made = emit_convolution(&w, &x, bias);
    arena_free(w.memory);
    return made;
}

/* ---- weights that PyTorch has packed ---- */

/* Integers of 4 bits: blocks of columns, four vectors wide, of which each byte has two, one of either
 * half; in a last block that is narrower, and where there are no vectors, neighbours. */
static int nibble_at(const reading *w, const uint8_t *bytes, int64_t n, int64_t k)
{
    int64_t block = w->f->lanes ? 4 * w->f->lanes : w->n, first = n / block * block, at = n - first,
            size = w->n - first < block ? w->n - first : block;
    bool by_halves = w->f->lanes && size == block;
    int64_t byte = by_halves ? at % (size / 2) : at / 2;
    bool is_high = by_halves ? at >= size / 2 : at % 2;
    return bytes[first * w->k / 2 + k * size / 2 + byte] >> (is_high ? HIGH_NIBBLE : 0) & 15;
}

static void take_packed(reading *w, const uint8_t *bytes)
{
    w->q = room_for(w, w->n * w->k, sizeof *w->q);
    for (int64_t n = 0; n < w->n; n++)
        for (int64_t k = 0; k < w->k; k++) w->q[n * w->k + k] = (int16_t)nibble_at(w, bytes, n, k);
    w->low = 0;
    w->high = 15;
}

/* [groups, n, 2]: what is (q - 8) * scale + offset in PyTorch. */
static bool take_offsets(reading *w, const fx_node *pairs, int64_t groups)
{
    int64_t count = groups * w->n;
    double *from = room_for(w, 2 * count, sizeof *from);
    if (!pairs || !read_numbers(w, pairs, 2 * count, from, MOST_STEPS)) return false;
    w->scale = (part){room_for(w, count, sizeof *from), groups};
    w->zero = (part){room_for(w, count, sizeof *from), groups};
    for (int64_t i = 0; i < count; i++) {
        int64_t at = i % groups * w->n + i / groups;
        double scale = from[2 * at], offset = from[2 * at + 1];
        if (scale == 0 && offset != 0) return false;
        w->scale.at[i] = scale;
        w->zero.at[i] = 8 - (offset != 0 ? offset / scale : 0);
    }
    return true;
}

static bool is_packed_product(reading *w, int64_t *groups)
{
    const rewriting *r = w->r;
    const ty_tensor *x = rewrite_tensor(r, "x"), *t = rewrite_tensor(r, "w");
    int64_t each;
    if (!x || !t || t->rank != 2 || x->rank != 2 || t->dtype != TY_U8 || !ty_is_host(t->device) ||
        (x->dtype != TY_F32 && !ty_is_half(x->dtype)) || !rewrite_int(r, "g", &each) ||
        !sym_is_int(r->g->symbols, t->sizes[0], &w->n) ||
        !sym_is_int(r->g->symbols, x->sizes[1], &w->k) || each < 1 || w->n < 2 || w->n % 2)
        return false;
    *groups = w->k / each;
    return w->k > 0 && w->k % each == 0;
}

static fx_node *of_packed(rewriting *r)
{
    fx_node *made = NULL;
    reading w = {.r = r, .memory = arena_new(r->g->session), .f = r->data};
    w.integers = w.differences = TY_NO_DTYPE;
    int64_t groups;
    const uint8_t *bytes = is_packed_product(&w, &groups)
                               ? constant_of(r->g, rewrite_node(r, "w"), w.n * w.k / 2)
                               : NULL;
    if (bytes && take_offsets(&w, rewrite_node(r, "pairs"), groups)) {
        w.leaf = rewrite_node(r, "w");
        take_packed(&w, bytes);
        made = emit_product(&w, *match_arg(r->m, "x"), fx_none());
    }
    arena_free(w.memory);
    return made;
}

/* ---- scales behind a product ---- */

/* What multiplies the columns of a product: a number, or one for each. */
static bool read_factors(const reading *w, const fx_arg *c, double *out)
{
    const ty_tensor *t = fx_arg_tensor(c);
    int64_t last;
    double number;
    if (fx_arg_number(w->r->g, c, &number)) {
        for (int64_t i = 0; i < w->n; i++) out[i] = number;
        return true;
    }
    return t && t->rank && sym_is_int(w->r->g->symbols, t->sizes[t->rank - 1], &last) &&
           last == w->n && read_numbers(w, c->node, w->n, out, MOST_STEPS);
}

static fx_node *scaled(reading *w, const fx_node *scales)
{
    fx_graph *g = w->r->g;
    int64_t groups;
    if (!scales || !sym_is_int(g->symbols, fx_tensor(scales)->sizes[0], &groups) ||
        !sym_is_int(g->symbols, fx_tensor(scales)->sizes[1], &w->n))
        return NULL;
    double *by = room_for(w, w->n, sizeof *by);
    const uint8_t *before = constant_of(g, scales, groups * w->n);
    if (!before || !read_factors(w, match_arg(w->r->m, "c"), by)) return NULL;
    float *made = room_for(w, groups * w->n, sizeof *made);
    memcpy(made, before, (size_t)(groups * w->n) * sizeof *made);
    for (int64_t i = 0; i < groups * w->n; i++) made[i] = (float)(made[i] * by[i % w->n]);
    return constant_with(w, "scales", TY_F32, groups, w->n, made);
}

/* A scale on the columns of a product without bias is one on the rows of its weight. */
static fx_node *of_scaled(rewriting *r)
{
    reading w = {.r = r, .memory = arena_new(r->g->session), .f = r->data};
    fx_node *scales = scaled(&w, rewrite_node(r, "scales"));
    arena_free(w.memory);
    return REWRITE(r, ferrite_quantised_linear_default, *match_arg(r->m, "x"),
                   *match_arg(r->m, "w"), fx_of(scales), *match_arg(r->m, "zeros"), fx_none(),
                   *match_arg(r->m, "bits"));
}

static fx_node *of_biased(rewriting *r)
{
    int64_t n;
    const ty_tensor *out = fx_tensor(r->root), *bias = rewrite_tensor(r, "bias");
    if (!out || !out->rank || !sym_is_int(r->g->symbols, out->sizes[out->rank - 1], &n) ||
        !is_bias(r, bias, n))
        return NULL;
    return REWRITE(r, ferrite_quantised_linear_default, *match_arg(r->m, "x"),
                   *match_arg(r->m, "w"), *match_arg(r->m, "scales"), *match_arg(r->m, "zeros"),
                   *match_arg(r->m, "bias"), *match_arg(r->m, "bits"));
}

#define PRODUCT "ferrite.quantised_linear(%x, %w, %scales, %zeros, None, %bits)"
static const rewrite_rule RULES[] = {
    {"linear(%x, %w, %bias)", of_linear},
    {"mm|matmul(%x, %w)", of_matrices},
    {"addmm(%bias, %x, %w)", of_matrices},
    {"conv2d(%x, %w, %bias, [1, 1], [0, 0], [1, 1], 1)", of_convolution},
    {"convolution(%x, %w, %bias, [1, 1], [0, 0], [1, 1], false, _, 1)", of_convolution},
    {"_weight_int4pack_mm_for_cpu(%x, %w, %g, %pairs)", of_packed},
    {"mul.Tensor|mul.Scalar(" PRODUCT ", %c)", of_scaled},
    {"add.Tensor(" PRODUCT ", %bias)", of_biased},
};

fe_status pass_quantised(fx_graph *g, const pass_services *services, void *data, bool *changed)
{
    (void)data;
    arena *memory = arena_new(g->session);
    forms f = {
        .nibbles = match_compile(g, memory, NIBBLES), .lanes = services->lanes, .memory = memory};
    for (uint32_t i = 0; i < STEP_KINDS; i++)
        f.steps[i] = match_compile(g, memory, STEPS[i].pattern);
    fe_status status = rewrite_run(g, RULES, COUNT_OF(RULES), &f, changed);
    arena_free(memory);
    return status;
}
