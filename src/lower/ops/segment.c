/* segment.c -- reductions of segments of rows: embedding_bag and segment_reduce, by the extern
 * kernel `segment`; rows of a table kept to a norm.
 */
#include "lower/compose.h"
#include "lower/ops/index_priv.h"
#include "lower/ops/order.h"

#include <math.h>
#include <string.h>

typedef enum segment_kind { SUM, MEAN, MAX, MIN, PRODUCT, BAG_MAX } segment_kind;

typedef struct segmenting {
    tensor x, bounds, index, scale; /* the last two may be absent */
    segment_kind kind;
    int64_t padding;
    double start, nothing;
} segmenting;

static tensor segmented(lowering *l, const segmenting *s, const sym_expr *sizes)
{
    loop_view inputs[4] = {lower_strided(l, s->x), lower_strided(l, s->bounds), lower_no_view(l),
                           lower_no_view(l)};
    if (!lower_absent(s->index)) inputs[2] = lower_strided(l, s->index);
    if (!lower_absent(s->scale)) inputs[3] = lower_strided(l, s->scale);
    tensor out = lower_temp_tensor(l, lower_dtype(s->x), 3, sizes, NULL);
    const loop_int ints[] = {{"kind", lower_const(l, s->kind)},
                             {"padding", lower_const(l, s->padding)}};
    const loop_float floats[] = {{"start", s->start}, {"nothing", s->nothing}};
    lower_extern(l, "segment", 4, inputs, out.box->view, 2, ints, 2, floats);
    vec_last(&l->program->ops).message = fx_call_line(l->graph, l->node);
    return out;
}

/* ---- embedding_bag ---- */

/* How many rows each bag has where all have as many, as those of a matrix of indices have; none otherwise. */
static sym_expr rows_of_bags(lowering *l, tensor offsets, sym_expr bags, sym_expr total)
{
    const loop_node *at =
        loop_at(l->program, lower_at(l, lower_cast(l, offsets, TY_I64), &l->axes[0]));
    sym_expr rows, rest, none = {0};
    int64_t first;
    if (at->op != LOOP_INDEX || !sym_linear_in(l->symbols, at->index, l->axes[0], &rows, &rest) ||
        !sym_is_int(l->symbols, rest, &first) || first != 0)
        return none;
    return sym_same(sym_mul(l->symbols, rows, bags), total) ? rows : none;
}

/* Sums or means of bags of `rows` rows: loops like others, that may be fused. s->x: the table. */
static tensor bags_alike(lowering *l, const segmenting *s, sym_expr rows, const ty_tensor *out)
{
    loop_program *p = l->program;
    ty_dtype given = lower_dtype(s->x), d = lower_compute_dtype(given);
    sym_expr sizes[3] = {out->sizes[0], rows, out->sizes[1]}, at[2] = {{0}, l->axes[2]};
    const bool reduced[LOWER_MAX_RANK] = {false, true};
    tensor index = lower_reshape(l, s->index, 2, sizes);
    loop_value row = lower_at(l, index, l->axes);
    loop_value counts = lower_op2(l, LOOP_NE, row, loop_const_int(p, TY_I64, s->padding));
    at[0] = lower_position(l, index, l->axes, s->x, 0, LOWER_NATURAL, 3, sizes);
    loop_value v = loop_cast(p, d, lower_at(l, s->x, at));
    if (!lower_absent(s->scale)) {
        tensor scale = lower_cast(l, lower_reshape(l, s->scale, 2, sizes), d);
        v = lower_op2(l, LOOP_MUL, v, lower_at(l, scale, l->axes));
    }
    if (s->padding >= 0) v = loop_where(p, counts, v, loop_const_float(p, d, 0));
    const sym_expr *wanted = d == given && s->kind == SUM ? lower_wanted(l, 0) : NULL;
    tensor sum = lower_reduced(l, LOOP_SUM, lower_value(l, d, 3, sizes, v), reduced, false, wanted);
    if (s->kind == SUM) return lower_cast(l, sum, given);
    loop_value count = loop_index(p, rows);
    if (s->padding >= 0) {
        tensor counted = lower_value(l, TY_I64, 2, sizes, loop_cast(p, TY_I64, counts));
        counted = lower_reduced(l, LOOP_SUM, counted, reduced, false, NULL);
        count = lower_at(l, counted, l->axes);
    }
    count = lower_op2(l, LOOP_MAX, count, loop_const_int(p, TY_I64, 1));
    v = lower_op2(l, LOOP_DIV, lower_here(l, sum), loop_cast(p, d, count));
    return lower_value(l, given, 2, out->sizes, loop_cast(p, given, v));
}

/* Where bags begin, and where the last one ends. */
static tensor bag_bounds(lowering *l, tensor offsets, sym_expr total, bool include_last)
{
    loop_program *p = l->program;
    offsets = lower_cast(l, offsets, TY_I64);
    if (include_last) return lower_unsqueeze(l, offsets, 0);
    sym_expr sizes[2] = {l->one, sym_add_int(l->symbols, offsets.sizes[0], 1)};
    loop_value inside =
        lower_op2(l, LOOP_LT, loop_index(p, l->axes[1]), loop_index(p, offsets.sizes[0]));
    loop_value v = loop_masked(p, inside, lower_at(l, offsets, &l->axes[1]), loop_index(p, total));
    return lower_value(l, TY_I64, 2, sizes, v);
}

fe_status lower_op_embedding_bag(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    static const segment_kind KINDS[] = {SUM, MEAN, BAG_MAX};
    const ty_tensor *out = lower_meta(l, 0);
    segmenting s = {.padding = -1};
    s.x = lower_arg(l, "weight");
    s.index = lower_arg(l, "indices");
    s.scale = lower_arg(l, "per_sample_weights");
    tensor offsets = lower_arg(l, "offsets");
    int64_t mode = lower_int_or(l, "mode", 0);
    if (mode < 0 || mode > 2) return lower_fail(l, "mode %lld", (long long)mode);
    if (op_param_index(n->op, "padding_idx") >= 0 && !lower_is_none(l, "padding_idx")) {
        s.padding = lower_int_or(l, "padding_idx", -1);
        bool counts_back = fx_is(n, OP_aten_embedding_bag_padding_idx) && s.padding < 0;
        int64_t rows;
        if (counts_back && !sym_is_int(l->symbols, s.x.sizes[0], &rows))
            return lower_fail(l, "a padding index from the end of a table of unknown size");
        if (counts_back) s.padding += rows;
    }
    if (s.index.rank != 1) return lower_fail(l, "embedding_bag of a matrix of indices");
    if (!ty_is_floating(lower_dtype(s.x)))
        return lower_fail(l, "embedding_bag of %s", ty_dtype_name(lower_dtype(s.x)));
    s.kind = KINDS[mode];
    s.index = lower_cast(l, s.index, TY_I64);
    sym_expr alike = rows_of_bags(l, offsets, out->sizes[0], s.index.sizes[0]);
    tensor *items = NEW_ARRAY(l->memory, tensor, n->value.count);
    if (s.kind != BAG_MAX && !sym_is_none(alike)) {
        items[0] = bags_alike(l, &s, alike, out);
        return lower_give_items(l, items, n->value.count);
    }
    s.bounds = bag_bounds(l, offsets, s.index.sizes[0], lower_bool(l, "include_last_offset"));
    s.x = lower_unsqueeze(l, s.x, 0);
    sym_expr sizes[3] = {l->one, out->sizes[0], out->sizes[1]};
    items[0] = lower_squeeze(l, segmented(l, &s, sizes), 0);
    return lower_give_items(l, items, n->value.count);
}

/* embedding_renorm: rows that are looked up and longer than max_norm are cut to it. */
fe_status lower_op_embedding_renorm(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    loop_program *p = l->program;
    tensor weight = lower_arg(l, "self"), indices = lower_arg(l, "indices");
    ty_dtype given = lower_dtype(weight), d = lower_compute_dtype(given);
    sym_expr rows = weight.sizes[0], count = lower_numel(l, indices);
    bool reduced[LOWER_MAX_RANK] = {false, true};
    double most = lower_number_or(l, "max_norm", 0);
    lower_share(l, weight);
    weight = lower_cast(l, weight, d);
    tensor norm = lower_norm(l, weight, lower_number_or(l, "norm_type", 2), reduced, true);
    tensor used = lower_value(l, TY_BOOL, 1, &rows, loop_const_int(p, TY_BOOL, 0));
    lower_realise(l, used.box, NULL);
    indices = lower_reshape(l, indices, 1, &count);
    loop_op *op = lower_nest(l, 1, &count, 0, NULL);
    lower_store(l, op,
                (loop_store){.buffer = used.box->view.buffer,
                             .index = lower_lookup(l, lower_at(l, indices, l->axes), rows, 0),
                             .value = loop_const_int(p, TY_BOOL, 1)});
    ty_dtype real = ty_complex_to_real(d);
    loop_value size = lower_broadcast(l, norm, 2, weight.sizes), v = lower_here(l, weight);
    loop_value factor = lower_op2(l, LOOP_ADD, size, loop_const_float(p, real, 1e-7));
    factor = lower_op2(l, LOOP_DIV, loop_const_float(p, real, most), factor);
    loop_value cut = lower_op2(l, LOOP_LT, loop_const_float(p, real, most), size);
    cut = lower_op2(l, LOOP_AND, cut, lower_at(l, used, l->axes));
    v = loop_where(p, cut, lower_op2(l, LOOP_MUL, v, loop_cast(p, d, factor)), v);
    return lower_give(l, lower_value(l, given, 2, weight.sizes, loop_cast(p, given, v)));
}

/* ---- segment_reduce ---- */

/* From lengths along the last dimension: 0, and the sums of them. */
static tensor summed_lengths(lowering *l, tensor lengths)
{
    loop_program *p = l->program;
    sym_expr sizes[LOWER_MAX_RANK], at[LOWER_MAX_RANK];
    uint32_t last = lengths.rank - 1;
    tensor ends = lower_scan(l, lower_cast(l, lengths, TY_I64), last, LOOP_SUM, TY_I64, NULL);
    memcpy(sizes, ends.sizes, ends.rank * sizeof *sizes);
    memcpy(at, l->axes, ends.rank * sizeof *at);
    sizes[last] = sym_add_int(l->symbols, sizes[last], 1);
    at[last] = sym_add_int(l->symbols, at[last], -1);
    loop_value zero = loop_const_int(p, TY_I64, 0);
    loop_value follows = lower_op2(l, LOOP_LT, zero, loop_index(p, l->axes[last]));
    return lower_value(l, TY_I64, ends.rank, sizes,
                       loop_masked(p, follows, lower_at(l, ends, at), zero));
}

static bool kind_named(const char *name, segmenting *s)
{
    static const struct {
        const char *name;
        segment_kind kind;
        double start;
    } KINDS[] = {{"sum", SUM, 0},
                 {"mean", MEAN, 0},
                 {"max", MAX, -(double)INFINITY},
                 {"min", MIN, (double)INFINITY},
                 {"prod", PRODUCT, 1}};
    for (size_t k = 0; k < COUNT_OF(KINDS); k++)
        if (strcmp(KINDS[k].name, name) == 0) {
            s->kind = KINDS[k].kind;
            s->start = KINDS[k].start;
            return true;
        }
    return false;
}

/* t as a matrix or a box: its first `lead` dimensions are one, what is behind the next is one. */
static tensor as_box(lowering *l, tensor t, uint32_t lead, uint32_t rank)
{
    sym_expr sizes[3] = {sym_product(l->symbols, t.sizes, lead), t.sizes[lead], l->one};
    if (rank == 3) sizes[2] = sym_product(l->symbols, t.sizes + lead + 1, t.rank - lead - 1);
    return lower_reshape(l, t, rank, sizes);
}

fe_status lower_op_segment_reduce(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    segmenting s = {.padding = -1};
    tensor x = lower_arg(l, "data"), lengths = lower_arg(l, "lengths"),
           offsets = lower_arg(l, "offsets");
    const char *name = fx_get(l->graph, n, "reduce")->string;
    uint32_t axis = lower_dim(l, lower_int_or(l, "axis", 0), x.rank);
    bool has_initial = !lower_is_none(l, "initial");
    if (!kind_named(name, &s)) return lower_fail(l, "reduction \"%s\"", name);
    if (!ty_is_floating(lower_dtype(x)))
        return lower_fail(l, "segments of %s", ty_dtype_name(lower_dtype(x)));
    if (lower_absent(lengths) && lower_absent(offsets))
        return lower_fail(l, "segments that neither lengths nor offsets give");
    if (has_initial) s.start = lower_number_or(l, "initial", 0);
    s.nothing = s.kind == MEAN && !has_initial ? (double)NAN : s.start;
    tensor bounds =
        lower_absent(lengths) ? lower_cast(l, offsets, TY_I64) : summed_lengths(l, lengths);
    if (bounds.rank != axis + 1) return lower_fail(l, "segments of another rank than the axis has");
    s.x = as_box(l, x, axis, 3);
    s.bounds = as_box(l, bounds, axis, 2);
    sym_expr sizes[3] = {s.x.sizes[0], out->sizes[axis], s.x.sizes[2]};
    return lower_give_as_recorded(l, segmented(l, &s, sizes));
}
