/* integers.c -- products with a weight of integers whose activation is made of integers too, (q - zero) *
 * scale by rows or as a whole, become products of the integers: what programs of PT2E have between
 * dequantize and linear.
 *
 * Their sums are exact in 32 bits, and scales come behind them: that is what the program computes, with
 * fewer roundings. The activation's floats stay where something else reads them.
 */
#include "pass/integers.h"

enum { MOST_STEPS = 8, MOST_ZERO = 255 };

/* ---- what is made ---- */

static fx_node *cast(rewriting *r, fx_node *n, ty_dtype d)
{
    if (fx_tensor(n)->dtype == d) return n;
    return REWRITE(r, prims_convert_element_type_default, fx_of(n), fx_dtype(d));
}

/* A number stays one. */
static fx_arg cast_arg(rewriting *r, fx_arg a, ty_dtype d)
{
    return a.kind == FX_ARG_NODE ? fx_of(cast(r, a.node, d)) : a;
}

/* What each row of the weight adds for a zero of 1: its sum. */
static fx_node *sums_of(rewriting *r, fx_node *weight)
{
    sym_expr last = sym_int(r->g->symbols, 1);
    return REWRITE(r, aten_sum_dim_IntList, fx_of(weight), fx_int_list(r->g, &last, 1),
                   fx_bool(false), fx_dtype(TY_I32));
}

static fx_node *without_zero(rewriting *r, fx_node *p, fx_arg zero, fx_node *weight)
{
    if (zero.kind == FX_ARG_NONE) return p;
    fx_node *sums = sums_of(r, weight);
    fx_arg by = cast_arg(r, zero, TY_I32);
    if (!sums || (by.kind == FX_ARG_NODE && !by.node)) return NULL;
    fx_node *off = REWRITE(r, aten_mul_Tensor, fx_of(sums), by);
    return off ? REWRITE(r, aten_sub_Tensor, fx_of(p), fx_of(off)) : NULL;
}

fx_node *integers_product(rewriting *r, const integer_rows *x, fx_node *weight, fx_node *scales,
                          fx_arg bias)
{
    const sym_expr *n = &fx_tensor(scales)->sizes[1];
    fx_node *p = REWRITE(r, ferrite_integer_linear_default, fx_of(x->q), fx_of(weight)),
            *columns = REWRITE(r, aten_reshape_default, fx_of(scales), fx_int_list(r->g, n, 1));
    if (p) p = without_zero(r, p, x->zero, weight);
    if (p) p = cast(r, p, TY_F32);
    fx_arg scale = cast_arg(r, x->scale, TY_F32);
    if (!p || !columns || (scale.kind == FX_ARG_NODE && !scale.node)) return NULL;
    p = REWRITE(r, aten_mul_Tensor, fx_of(p), scale);
    if (p) p = REWRITE(r, aten_mul_Tensor, fx_of(p), fx_of(columns));
    if (p && bias.kind != FX_ARG_NONE) p = REWRITE(r, aten_add_Tensor, fx_of(p), bias);
    return p;
}

/* ---- from the activation back to its integers ---- */

typedef enum step_kind { STEP_CAST, STEP_TIMES, STEP_LESS } step_kind;

static const struct {
    const char *pattern;
    step_kind kind;
} STEPS[] = {
    {"to.dtype|_to_copy(%s, ...)", STEP_CAST},
    {"prims.convert_element_type(%s, _)", STEP_CAST},
    {"mul.Tensor|mul.Scalar(%s, %c)", STEP_TIMES},
    {"sub.Tensor|sub.Scalar(%s, %c)", STEP_LESS},
};
enum { STEP_KINDS = sizeof STEPS / sizeof *STEPS };

typedef struct walking {
    rewriting *r;
    match_pattern *const *steps;
    const ty_tensor *x;
    integer_rows rows;
    bool has_scale;
} walking;

static bool same_sizes(const fx_graph *g, const ty_tensor *a, const ty_tensor *b, uint32_t count)
{
    for (uint32_t d = 0; d < count; d++)
        if (!sym_known_equal(g->symbols, a->sizes[d], b->sizes[d])) return false;
    return true;
}

static bool is_whole(const walking *w, const ty_tensor *t)
{
    return t && t->rank == w->x->rank && same_sizes(w->r->g, t, w->x, t->rank);
}

/* One element, or one for each row of x. */
static bool is_by_rows(const walking *w, const ty_tensor *t)
{
    sym_table *symbols = w->r->g->symbols;
    sym_expr one = sym_int(symbols, 1);
    if (!t || t->rank > w->x->rank) return false;
    if (sym_same(ty_numel(symbols, t), one)) return true;
    return t->rank == w->x->rank && sym_same(t->sizes[t->rank - 1], one) &&
           same_sizes(w->r->g, t, w->x, t->rank - 1);
}

static bool take_scale(walking *w, const fx_arg *c)
{
    const ty_tensor *t = fx_arg_tensor(c);
    double number;
    if (w->has_scale || w->rows.zero.kind != FX_ARG_NONE) return false;
    bool fits =
        t ? is_by_rows(w, t) && ty_is_floating(t->dtype) : fx_arg_number(w->r->g, c, &number);
    w->rows.scale = *c;
    w->has_scale = fits;
    return fits;
}

/* The integers that a tensor is a cast of. */
static fx_node *uncast(const walking *w, fx_node *n)
{
    match m;
    for (int i = 0; i < MOST_STEPS && !ty_is_integral(fx_tensor(n)->dtype, false); i++) {
        bool is_cast =
            match_node(w->r->g, w->steps[0], n, &m) || match_node(w->r->g, w->steps[1], n, &m);
        fx_node *s = is_cast ? match_named(&m, "s") : NULL;
        if (!s || !fx_tensor(s)) return NULL;
        n = s;
    }
    return ty_is_integral(fx_tensor(n)->dtype, false) ? n : NULL;
}

static bool take_zero(walking *w, const fx_arg *c, ty_dtype here)
{
    const ty_tensor *t = fx_arg_tensor(c);
    double number;
    if (!w->has_scale || w->rows.zero.kind != FX_ARG_NONE || ty_dtype_size(here) == 1) return false;
    if (t) {
        fx_node *integers = is_by_rows(w, t) ? uncast(w, c->node) : NULL;
        if (integers) w->rows.zero = fx_of(integers);
        return integers != NULL;
    }
    if (!fx_arg_number(w->r->g, c, &number) || number != (double)(int)number ||
        number < -MOST_ZERO || number > MOST_ZERO)
        return false;
    w->rows.zero = fx_int(w->r->g, (int64_t)number);
    return true;
}

/* Nothing is lost on the way from the integers, but what floats round. */
static bool keeps_numbers(ty_dtype from, ty_dtype to)
{
    if (ty_is_floating(to))
        return !ty_is_half(to) && (ty_is_integral(from, false) || !ty_is_half(from));
    return ty_is_integral(from, false) && ty_is_integral(to, false) &&
           ty_dtype_size(to) > ty_dtype_size(from);
}

static fx_node *step_back(walking *w, fx_node *n)
{
    match m;
    for (uint32_t i = 0; i < STEP_KINDS; i++) {
        if (!match_node(w->r->g, w->steps[i], n, &m)) continue;
        const fx_arg *s = match_arg(&m, "s"),
                     *c = STEPS[i].kind == STEP_CAST ? NULL : match_arg(&m, "c");
        if (STEPS[i].kind == STEP_TIMES && !is_whole(w, fx_arg_tensor(s))) {
            const fx_arg *other = s;
            s = c, c = other;
        }
        const ty_tensor *from = fx_arg_tensor(s);
        if (!is_whole(w, from)) return NULL;
        bool fits = STEPS[i].kind == STEP_CAST    ? keeps_numbers(from->dtype, fx_tensor(n)->dtype)
                    : STEPS[i].kind == STEP_TIMES ? take_scale(w, c)
                                                  : take_zero(w, c, fx_tensor(n)->dtype);
        return fits ? s->node : NULL;
    }
    return NULL;
}

static bool find_integers(walking *w, fx_node *n)
{
    for (int left = MOST_STEPS; n && left-- > 0; n = step_back(w, n)) {
        const ty_tensor *t = fx_tensor(n);
        if (!t || !fx_may_join(n, w->r->root)) return false;
        w->rows.q = n;
        if (t->dtype == TY_I8 || t->dtype == TY_U8) return w->has_scale;
    }
    return false;
}

bool integers_behind(rewriting *r, fx_node *x, integer_rows *out)
{
    arena *memory = arena_new(r->g->session);
    match_pattern *steps[STEP_KINDS];
    walking w = {.r = r, .steps = steps, .x = fx_tensor(x), .rows = {.zero = fx_none()}};
    for (uint32_t i = 0; i < STEP_KINDS; i++)
        steps[i] = match_compile(r->g, memory, STEPS[i].pattern);
    bool found = w.x && w.x->rank && w.x->dtype == TY_F32 && find_integers(&w, x);
    arena_free(memory);
    *out = w.rows;
    return found;
}

/* ---- the product ---- */

static bool is_product(const rewriting *r)
{
    const fx_graph *g = r->g;
    const ty_tensor *x = rewrite_tensor(r, "x"), *w = rewrite_tensor(r, "w"),
                    *scales = rewrite_tensor(r, "scales"), *out = fx_tensor(r->root);
    int64_t groups, depth;
    return x && w && scales && out && out->dtype == TY_F32 && ty_is_host(w->device) &&
           pass_is_constant(g, rewrite_node(r, "w")) &&
           sym_is_int(g->symbols, scales->sizes[0], &groups) && groups == 1 &&
           sym_is_int(g->symbols, w->sizes[1], &depth) && depth > 1 && depth <= INTEGERS_MOST_DEPTH;
}

static fx_node *of_integers(rewriting *r)
{
    integer_rows x;
    if (!is_product(r) || !integers_behind(r, rewrite_node(r, "x"), &x)) return NULL;
    return integers_product(r, &x, rewrite_node(r, "w"), rewrite_node(r, "scales"),
                            *match_arg(r->m, "bias"));
}

static const rewrite_rule RULES[] = {
    {"ferrite.quantised_linear(%x, %w, %scales, None, %bias, %bits)", of_integers},
};

fe_status pass_integers(fx_graph *g, bool *changed)
{
    return rewrite_run(g, RULES, COUNT_OF(RULES), NULL, changed);
}
