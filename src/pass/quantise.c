/* quantise.c -- weights of linear maps become integers, where the user asks for it: of 8 bits with a scale
 * for each output, or of 4 bits with a scale and a zero for each group of 32 along the depth. Products with
 * them are calls of ferrite.quantised_linear, and nothing reads the floats any more. Where activations are
 * to be integers too, each of their rows gets a scale when the program runs.
 *
 * A weight is taken as a whole: where something else than products and embeddings reads it, it stays. The
 * rows of a table that is a weight too (tied embeddings) are integers of 8 bits, each with a scale.
 */
#include "pass/integers.h"
#include "pass/rounding.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_DEPTH = 32,      /* with less, scales are a good part of what is gained */
    LEAST_ELEMENTS = 1024, /* of a weight */
};

/* What a reader does with the weight. */
typedef enum use_kind {
    USE_OTHER,
    USE_ROWS,    /* a product: its rows are the results' columns */
    USE_COLUMNS, /* its columns are */
    USE_TABLE    /* rows are looked up */
} use_kind;

/* A weight and what stands for it. */
typedef struct taken {
    fx_node *weight;
    use_kind kind;         /* of its products, or USE_TABLE: there are none */
    fx_node *table_reader; /* the last embedding that reads it; NULL: none does */
    int bits;              /* of its products */
    bool is_dynamic;       /* so are the activations of these */
    int64_t n, k;
    fx_node *integers, *scales, *zeros; /* zeros: NULL, there are none */
    fx_node *table, *row_scales;        /* [n, k] and [n, 1] */
} taken;

typedef struct quantiser {
    fx_graph *g;
    const pass_services *services;
    arena *memory;
    match_pattern **uses;
    VEC(taken) taken;
    map index; /* node id of a weight -> taken */
} quantiser;

static fx_node *product(rewriting *r);
static fx_node *look_up(rewriting *r);

#define TURNED "%turned=&t|numpy_T|mT|transpose.int|permute(%w, ...)"
static const rewrite_rule RULES[] = {
    {"linear(%x, %w, %bias)", product},        {"mm|matmul(%x, " TURNED ")", product},
    {"addmm(%bias, %x, " TURNED ")", product}, {"mm|matmul(%x, %w)", product},
    {"addmm(%bias, %x, %w)", product},         {"embedding(%w, %indices, ...)", look_up},
};
static const use_kind KINDS[COUNT_OF(RULES)] = {USE_ROWS,    USE_ROWS,    USE_ROWS,
                                                USE_COLUMNS, USE_COLUMNS, USE_TABLE};

/* ---- what reads a weight ---- */

static bool is_weight_dtype(ty_dtype d)
{
    return d == TY_F32 || ty_is_half(d);
}

static bool is_bias(const fx_graph *g, const fx_arg *bias, const ty_tensor *out)
{
    const ty_tensor *t = bias ? fx_arg_tensor(bias) : NULL;
    if (!bias || bias->kind == FX_ARG_NONE) return true;
    return t && t->rank == 1 && t->dtype == out->dtype && out->rank &&
           sym_known_equal(g->symbols, t->sizes[0], out->sizes[out->rank - 1]);
}

static bool is_product(const fx_graph *g, const match *m, const fx_node *weight)
{
    const fx_node *x = match_named(m, "x");
    const ty_tensor *t = x ? fx_tensor(x) : NULL, *out = fx_tensor(m->root);
    return t && out && x != weight && t->rank && t->dtype == fx_tensor(weight)->dtype &&
           out->dtype == t->dtype && is_bias(g, match_arg(m, "bias"), out);
}

static use_kind use_of(const quantiser *q, fx_node *reader, const fx_node *weight)
{
    for (size_t i = 0; i < COUNT_OF(RULES); i++) {
        match m;
        rewriting r = {.g = q->g, .m = &m};
        if (!match_node(q->g, q->uses[i], reader, &m) || match_named(&m, "w") != weight) continue;
        if (KINDS[i] != USE_TABLE && !is_product(q->g, &m, weight)) return USE_OTHER;
        const fx_node *turned = match_named(&m, "turned");
        return !turned || rewrite_turns(&r, turned) ? KINDS[i] : USE_OTHER;
    }
    return USE_OTHER;
}

/* One more use of it; false: the weight stays as it is. */
static bool add_use(const quantiser *q, taken *t, fx_node *reader)
{
    use_kind kind = use_of(q, reader, t->weight);
    if (kind == USE_TABLE) {
        t->table_reader = reader;
        return true;
    }
    if (kind == USE_OTHER || (t->kind != USE_OTHER && t->kind != kind)) return false;
    if (t->kind == USE_OTHER) {
        int bits = q->services->weight_bits(q->services->data, t->weight, reader);
        t->is_dynamic = bits == PASS_DYNAMIC_BITS;
        t->bits = t->is_dynamic ? 8 : bits;
    }
    t->kind = kind;
    return true;
}

/* By products and as a table alone. */
static bool read_uses(const quantiser *q, taken *t)
{
    for (uint32_t i = 0; i < t->weight->users.count; i++) {
        fx_node *user = t->weight->users.at[i];
        rewriting r = {.g = q->g};
        bool turns = user->kind == FX_CALL && op_is_plain_view(user->op) && fx_tensor(user) &&
                     fx_tensor(user)->rank == 2 && rewrite_turns(&r, user);
        bool is_dead = user->kind == FX_CALL && !user->users.count && !pass_has_effect(user);
        if (!turns && !is_dead && !add_use(q, t, user)) return false;
        for (uint32_t k = 0; turns && k < user->users.count; k++)
            if (!add_use(q, t, user->users.at[k])) return false;
    }
    if (t->kind != USE_OTHER || !t->table_reader) return t->kind != USE_COLUMNS || !t->table_reader;
    t->kind = USE_TABLE;
    t->bits = q->services->weight_bits(q->services->data, t->weight, t->table_reader) ? 8 : 0;
    return true;
}

static bool is_candidate(const quantiser *q, taken *t)
{
    const fx_graph *g = q->g;
    const ty_tensor *w = fx_tensor(t->weight);
    int64_t rows, columns;
    if (!w || w->rank != 2 || !is_weight_dtype(w->dtype) || !ty_is_host(w->device) ||
        !pass_is_constant(g, t->weight) || !sym_is_int(g->symbols, w->sizes[0], &rows) ||
        !sym_is_int(g->symbols, w->sizes[1], &columns) || !read_uses(q, t) || !t->bits)
        return false;
    t->n = t->kind == USE_COLUMNS ? columns : rows;
    t->k = t->kind == USE_COLUMNS ? rows : columns;
    if (t->k % ROUNDING_GROUP) t->bits = 8;
    t->is_dynamic &= t->k <= INTEGERS_MOST_DEPTH;
    return t->k >= LEAST_DEPTH && t->n * t->k >= LEAST_ELEMENTS;
}

/* ---- the integers ---- */

/* Where the elements of a weight lie. */
typedef struct source {
    const uint8_t *bytes;
    ty_dtype dtype;
    int64_t offset, row, step; /* elements: from row to row, along the depth */
} source;

static bool find_source(const quantiser *q, const taken *t, source *s)
{
    const sym_table *symbols = q->g->symbols;
    const ty_tensor *w = fx_tensor(t->weight);
    int64_t strides[2];
    if (!sym_is_int(symbols, w->offset, &s->offset) ||
        !sym_is_int(symbols, w->strides[0], &strides[0]) ||
        !sym_is_int(symbols, w->strides[1], &strides[1]) || strides[0] < 0 || strides[1] < 0)
        return false;
    bool by_rows = t->kind != USE_COLUMNS;
    s->bytes = t->weight->data->bytes;
    s->dtype = w->dtype;
    s->row = strides[!by_rows];
    s->step = strides[by_rows];
    int64_t last = s->offset + (t->n - 1) * s->row + (t->k - 1) * s->step;
    return s->offset >= 0 && (size_t)last < t->weight->data->size / ty_dtype_size(w->dtype);
}

/* False: an element is no finite number. */
static bool read_row(const source *s, int64_t row, int64_t count, float *out)
{
    size_t size = ty_dtype_size(s->dtype);
    const uint8_t *at = s->bytes + (size_t)(s->offset + row * s->row) * size;
    float sum = 0;
    for (int64_t i = 0; i < count; i++, at += (size_t)s->step * size) {
        uint16_t half;
        if (s->dtype == TY_F32) {
            memcpy(&out[i], at, sizeof out[i]);
        } else {
            memcpy(&half, at, sizeof half);
            out[i] = (float)ty_half_value(s->dtype, half);
        }
        sum += out[i] * 0;
    }
    return sum == 0;
}

static fx_node *constant(const quantiser *q, const taken *t, const char *what, ty_dtype d,
                         int64_t rows, int64_t columns, const void *data)
{
    fx_graph *g = q->g;
    sym_expr sizes[] = {sym_int(g->symbols, rows), sym_int(g->symbols, columns)};
    ty_tensor *meta =
        ty_tensor_new(g->memory, g->symbols, d, fx_tensor(t->weight)->device, 2, sizes);
    return fx_add_constant(g, arena_printf(g->memory, "%s_%s", t->weight->name, what), meta, data,
                           (size_t)(rows * columns) * ty_dtype_size(d));
}

/* One form of a weight: q [n, k], the others [groups, n]. */
typedef struct form {
    int8_t *q;
    float *scales, *zeros; /* zeros: NULL, there are none */
    int64_t groups;
    rounding_error error;
} form;

/* Rows on their way, side by side. */
typedef struct rounding {
    const taken *t;
    const form *f;
    source from;
    float *values;          /* a row for each worker */
    rounding_error *errors; /* of each row, so that their sum does not depend on who did what */
    bool *is_finite;
} rounding;

static void round_row(const rounding *r, int64_t row, const float *values)
{
    const taken *t = r->t;
    const form *f = r->f;
    int64_t depth = t->k / f->groups;
    for (int64_t group = 0; group < f->groups; group++) {
        const float *from = values + group * depth;
        int8_t *to = f->q + row * t->k + group * depth;
        float *scale = f->scales + group * t->n + row, none = 0, *zero = &none;
        if (f->zeros) zero = f->zeros + group * t->n + row;
        if (f->zeros)
            rounding_group(from, to, scale, zero);
        else
            *scale = rounding_row(from, depth, to);
        rounding_measure(&r->errors[row], from, to, depth, *scale, *zero);
    }
}

static void round_rows(void *context, int64_t begin, int64_t end, int worker)
{
    const rounding *r = context;
    float *values = r->values + worker * r->t->k;
    for (int64_t row = begin; row < end; row++) {
        r->is_finite[row] = read_row(&r->from, row, r->t->k, values);
        if (r->is_finite[row]) round_row(r, row, values);
    }
}

static void add_error(rounding_error *sum, const rounding_error *e)
{
    sum->squares += e->squares;
    sum->of += e->of;
    sum->most = fmax(sum->most, e->most);
    sum->largest = fmax(sum->largest, e->largest);
}

static void round_all(const quantiser *q, rounding *r)
{
    const pass_services *services = q->services;
    int64_t n = r->t->n;
    uint32_t workers = services->parallel ? services->workers : 1;
    r->values = NEW_ARRAY(q->memory, float, (size_t)(workers * r->t->k));
    r->errors = NEW_ARRAY(q->memory, rounding_error, (size_t)n);
    r->is_finite = NEW_ARRAY(q->memory, bool, (size_t)n);
    if (services->parallel)
        services->parallel(services->data, n, round_rows, r);
    else
        round_rows(r, 0, n, 0);
}

/* In this many bits; false: an element is no finite number. */
static bool round_weight(const quantiser *q, const taken *t, int bits, form *f)
{
    rounding r = {.t = t, .f = f};
    bool is_finite = true;
    if (!find_source(q, t, &r.from)) return false;
    f->groups = bits == 4 ? t->k / ROUNDING_GROUP : 1;
    f->q = arena_alloc(q->g->memory, (size_t)(t->n * t->k));
    f->scales = NEW_ARRAY(q->g->memory, float, (size_t)(f->groups * t->n));
    if (bits == 4) f->zeros = NEW_ARRAY(q->g->memory, float, (size_t)(f->groups * t->n));
    arena_mark_t mark = arena_mark(q->memory);
    round_all(q, &r);
    for (int64_t row = 0; row < t->n; row++) {
        is_finite &= r.is_finite[row];
        add_error(&f->error, &r.errors[row]);
    }
    arena_release(q->memory, mark);
    return is_finite;
}

/* For the report. `copies`: how often its integers are stored. */
static void tell(const quantiser *q, const taken *t, int bits, const form *f, int copies,
                 bool is_new)
{
    const ty_tensor *w = fx_tensor(t->weight);
    int64_t scales = f->groups * t->n * (int64_t)sizeof(float) * (f->zeros ? 2 : 1);
    fe_quantised told = {
        .name = t->weight->target ? t->weight->target : t->weight->name,
        .bits = bits,
        .rows = t->n,
        .depth = t->k,
        .bytes_before = is_new ? t->n * t->k * ty_dtype_size(w->dtype) : 0,
        .bytes = t->n * t->k * bits / 8 * copies + scales * copies,
        .error = f->error.of > 0 ? sqrt(f->error.squares / f->error.of) : 0,
        .most = f->error.largest > 0 ? f->error.most / f->error.largest : 0,
    };
    q->services->keep_weight(q->services->data, &told);
}

static void keep_products(const quantiser *q, taken *t, const form *f)
{
    t->integers = constant(q, t, "integers", TY_I8, t->n, t->k, f->q);
    t->scales = constant(q, t, "scales", TY_F32, f->groups, t->n, f->scales);
    if (f->zeros) t->zeros = constant(q, t, "zeros", TY_F32, f->groups, t->n, f->zeros);
}

/* Integers of 8 bits are those of the products. */
static void keep_table(const quantiser *q, taken *t, const form *f)
{
    t->table =
        t->integers && t->bits == 8 ? t->integers : constant(q, t, "rows", TY_I8, t->n, t->k, f->q);
    t->row_scales = constant(q, t, "row_scales", TY_F32, t->n, 1, f->scales);
}

static void take(quantiser *q, taken *t)
{
    form f = {0}, rows = {0};
    bool has_products = t->kind != USE_TABLE;
    if (!round_weight(q, t, t->bits, &f)) return;
    if (has_products) keep_products(q, t, &f);
    tell(q, t, t->bits, &f, has_products && t->table_reader && t->bits == 8 ? 2 : 1, true);
    if (t->table_reader && t->bits == 8) {
        keep_table(q, t, &f);
    } else if (t->table_reader && round_weight(q, t, 8, &rows)) {
        keep_table(q, t, &rows);
        tell(q, t, 8, &rows, 1, false);
    }
    map_set(q->memory, &q->index, t->weight->id, q->taken.count);
    vec_push(q->memory, &q->taken, *t);
}

/* ---- what reads them ---- */

static const taken *taken_of(const rewriting *r)
{
    const quantiser *q = r->data;
    const fx_node *w = rewrite_node(r, "w");
    uint32_t at = w ? map_get(&q->index, w->id) : MAP_NONE;
    return at == MAP_NONE ? NULL : &q->taken.at[at];
}

static fx_node *convert(rewriting *r, fx_node *n, ty_dtype d)
{
    if (!n || fx_tensor(n)->dtype == d) return n;
    return REWRITE(r, prims_convert_element_type_default, fx_of(n), fx_dtype(d));
}

/* Each row by what makes its largest magnitude 127; a row that is as good as zero becomes zeros. */
static bool round_activation(rewriting *r, fx_node *x, integer_rows *out)
{
    const double least = 0x1p-100;
    sym_expr last = sym_int(r->g->symbols, fx_tensor(x)->rank - 1);
    x = convert(r, x, TY_F32);
    fx_node *size = x ? REWRITE(r, aten_abs_default, fx_of(x)) : NULL, *scale = NULL, *by = NULL;
    if (size)
        size =
            REWRITE(r, aten_amax_default, fx_of(size), fx_int_list(r->g, &last, 1), fx_bool(true));
    if (size) scale = REWRITE(r, aten_mul_Tensor, fx_of(size), fx_float(1.0 / 127));
    if (scale) scale = REWRITE(r, aten_clamp_min_default, fx_of(scale), fx_float(least));
    if (scale) by = REWRITE(r, aten_reciprocal_default, fx_of(scale));
    fx_node *q = by ? REWRITE(r, aten_mul_Tensor, fx_of(x), fx_of(by)) : NULL;
    if (q) q = REWRITE(r, aten_round_default, fx_of(q));
    if (q) q = convert(r, q, TY_I8);
    if (q) *out = (integer_rows){q, fx_of(scale), fx_none()};
    return q != NULL;
}

static fx_node *dynamic_product(rewriting *r, const taken *t)
{
    const fx_arg *bias = match_arg(r->m, "bias");
    integer_rows x;
    if (!round_activation(r, rewrite_node(r, "x"), &x)) return NULL;
    fx_node *p = integers_product(r, &x, t->integers, t->scales, bias ? *bias : fx_none());
    return convert(r, p, fx_tensor(r->root)->dtype);
}

static fx_node *product(rewriting *r)
{
    const taken *t = taken_of(r);
    const fx_arg *bias = match_arg(r->m, "bias");
    if (!t || !t->integers) return NULL;
    if (t->is_dynamic) return dynamic_product(r, t);
    return REWRITE(r, ferrite_quantised_linear_default, *match_arg(r->m, "x"), fx_of(t->integers),
                   fx_of(t->scales), t->zeros ? fx_of(t->zeros) : fx_none(),
                   bias ? *bias : fx_none(), fx_int(r->g, t->bits));
}

/* Its rows, and their scales, as floats of the table's dtype. */
static fx_node *look_up(rewriting *r)
{
    const taken *t = taken_of(r);
    if (!t || !t->table) return NULL;
    ty_dtype d = fx_tensor(t->weight)->dtype;
    const fx_arg *indices = match_arg(r->m, "indices");
    fx_node *q = REWRITE(r, aten_embedding_default, fx_of(t->table), *indices),
            *scales = REWRITE(r, aten_embedding_default, fx_of(t->row_scales), *indices),
            *floats = REWRITE(r, prims_convert_element_type_default, fx_of(q), fx_dtype(TY_F32)),
            *rows = REWRITE(r, aten_mul_Tensor, fx_of(floats), fx_of(scales));
    if (d == TY_F32) return rows;
    return REWRITE(r, prims_convert_element_type_default, fx_of(rows), fx_dtype(d));
}

fe_status pass_quantise(fx_graph *g, const pass_services *services, void *data, bool *changed)
{
    (void)data;
    if (!services->weight_bits) return FE_OK;
    quantiser q = {.g = g, .services = services, .memory = arena_new(g->session)};
    q.uses = NEW_ARRAY(q.memory, match_pattern *, COUNT_OF(RULES));
    for (size_t i = 0; i < COUNT_OF(RULES); i++)
        q.uses[i] = match_compile(g, q.memory, RULES[i].pattern);
    for (uint32_t i = 0, count = g->inputs.count; i < count; i++) {
        taken t = {.weight = g->inputs.at[i]};
        if (is_candidate(&q, &t)) take(&q, &t);
    }
    fe_status status = rewrite_run(g, RULES, COUNT_OF(RULES), &q, changed);
    arena_free(q.memory);
    return status;
}
