/* einsum.c -- sums of products over named dimensions: einsum, tensordot, bilinear and trilinear
 * forms.
 *
 * Operands are contracted from left to right, two at a time. A pair becomes one batched product:
 * labels in both and still wanted are the batch, labels in both and wanted no more are summed
 * over, the others are rows and columns.
 */
#include "lower/compose.h"

#include <string.h>

enum { MOST_LABELS = 128, ELLIPSIS = 64 };

/* A tensor with a label for each dim: 0..51 a letter, ELLIPSIS + k the k-th dim from the right
 * under "...". */
typedef struct labelled {
    tensor t;
    uint8_t labels[LOWER_MAX_RANK];
} labelled;

static int find(const labelled *x, uint8_t label)
{
    for (uint32_t k = 0; k < x->t.rank; k++)
        if (x->labels[k] == label) return (int)k;
    return -1;
}

/* Dims in the order of `order` (labels that x lacks become size 1). */
static labelled arranged(lowering *l, const labelled *x, const uint8_t *order, uint32_t count)
{
    labelled out = {.t = {0}};
    sym_expr sizes[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < x->t.rank; k++) exprs[k] = l->zero;
    for (uint32_t k = 0; k < count; k++) {
        int at = find(x, order[k]);
        sizes[k] = at < 0 ? l->one : x->t.sizes[at];
        if (at >= 0) exprs[at] = l->axes[k];
        out.labels[k] = order[k];
    }
    out.t = lower_remap(l, x->t, count, sizes, exprs);
    return out;
}

/* A label that stands twice in one operand means its diagonal. */
static labelled without_repeats(lowering *l, labelled x)
{
    uint8_t order[LOWER_MAX_RANK];
    uint32_t count = 0;
    sym_expr sizes[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < x.t.rank; k++) {
        uint32_t at = 0;
        while (at < count && order[at] != x.labels[k]) at++;
        exprs[k] = l->axes[at];
        if (at < count) continue;
        order[count] = x.labels[k];
        sizes[count++] = x.t.sizes[k];
    }
    if (count == x.t.rank) return x;
    labelled out = {.t = lower_remap(l, x.t, count, sizes, exprs)};
    memcpy(out.labels, order, count);
    return out;
}

/* Sums over the labels that nobody wants any more. */
static labelled summed(lowering *l, labelled x, const bool *wanted)
{
    bool reduced[LOWER_MAX_RANK], any = false;
    labelled out = x;
    uint32_t count = 0;
    for (uint32_t k = 0; k < x.t.rank; k++) {
        reduced[k] = !wanted[x.labels[k]];
        any |= reduced[k];
        if (!reduced[k]) out.labels[count++] = x.labels[k];
    }
    if (any) out.t = lower_reduced(l, LOOP_SUM, x.t, reduced, false, NULL);
    return out;
}

static bool is_wide(lowering *l, const labelled *x, uint8_t label)
{
    int at = find(x, label);
    return at >= 0 && !lower_is_one(l, x->t.sizes[at]);
}

typedef struct label_list {
    uint8_t at[LOWER_MAX_RANK];
    sym_expr sizes[LOWER_MAX_RANK];
    uint32_t count;
} label_list;

static void add_label(label_list *list, uint8_t label, sym_expr size)
{
    list->at[list->count] = label;
    list->sizes[list->count++] = size;
}

static void join(uint8_t *out, uint32_t *count, const label_list *list)
{
    memcpy(out + *count, list->at, list->count);
    *count += list->count;
}

/* x as [batch, first, second], each a product of the sizes of its labels. */
static tensor as_matrix(lowering *l, const labelled *x, const label_list *batch,
                        const label_list *first, const label_list *second)
{
    uint8_t order[3 * LOWER_MAX_RANK];
    uint32_t count = 0;
    sym_expr sizes[3] = {sym_product(l->symbols, batch->sizes, batch->count),
                         sym_product(l->symbols, first->sizes, first->count),
                         sym_product(l->symbols, second->sizes, second->count)};
    join(order, &count, batch);
    join(order, &count, first);
    join(order, &count, second);
    return lower_reshape(l, arranged(l, x, order, count).t, 3, sizes);
}

/* The product of two operands, keeping the wanted labels. */
static labelled contracted(lowering *l, labelled a, labelled b, const bool *wanted)
{
    label_list batch = {.count = 0}, rows = {.count = 0}, columns = {.count = 0},
               inner = {.count = 0};
    bool only_a[MOST_LABELS], only_b[MOST_LABELS];
    for (uint32_t k = 0; k < MOST_LABELS; k++) {
        only_a[k] = wanted[k] || is_wide(l, &b, (uint8_t)k);
        only_b[k] = wanted[k] || is_wide(l, &a, (uint8_t)k);
    }
    a = summed(l, a, only_a);
    b = summed(l, b, only_b);
    for (uint32_t k = 0; k < a.t.rank; k++) {
        bool in_a = is_wide(l, &a, a.labels[k]), in_b = is_wide(l, &b, a.labels[k]);
        if (in_a && in_b)
            add_label(wanted[a.labels[k]] ? &batch : &inner, a.labels[k], a.t.sizes[k]);
        else if (in_a || !in_b)
            add_label(&rows, a.labels[k], a.t.sizes[k]);
    }
    for (uint32_t k = 0; k < b.t.rank; k++) {
        bool in_a = is_wide(l, &a, b.labels[k]), in_b = is_wide(l, &b, b.labels[k]);
        if (!in_a && (in_b || find(&a, b.labels[k]) < 0))
            add_label(&columns, b.labels[k], b.t.sizes[k]);
    }
    labelled out = {.t = {0}};
    uint32_t count = 0;
    join(out.labels, &count, &batch);
    join(out.labels, &count, &rows);
    join(out.labels, &count, &columns);
    sym_expr sizes[3 * LOWER_MAX_RANK];
    memcpy(sizes, batch.sizes, sizeof batch.sizes);
    memcpy(sizes + batch.count, rows.sizes, sizeof rows.sizes);
    memcpy(sizes + batch.count + rows.count, columns.sizes, sizeof columns.sizes);
    if (!inner.count) {
        uint8_t all[3 * LOWER_MAX_RANK];
        memcpy(all, out.labels, count);
        out.t = T_MUL(arranged(l, &a, all, count).t, arranged(l, &b, all, count).t);
        return out;
    }
    tensor left = as_matrix(l, &a, &batch, &rows, &inner),
           right = as_matrix(l, &b, &batch, &inner, &columns), none = {0};
    bool flat = batch.count == 0;
    if (flat) {
        left = lower_squeeze(l, left, 0);
        right = lower_squeeze(l, right, 0);
    }
    out.t = lower_reshape(l, lower_matmul(l, left, right, none, NULL), count, sizes);
    return out;
}

/* ---- einsum ---- */

static int label_of(char c)
{
    if (c >= 'a' && c <= 'z') return c - 'a';
    return c >= 'A' && c <= 'Z' ? 26 + c - 'A' : -1;
}

/* Labels of one term into out[]; "..." stands for `hidden` dims. Returns their number, or -1. */
static int parse_term(const char **at, uint32_t hidden, uint8_t *out)
{
    int count = 0;
    for (; **at && **at != ',' && **at != '-'; (*at)++) {
        if (**at == ' ') continue;
        if (**at == '.') {
            *at += 2;
            for (uint32_t k = hidden; k-- > 0;) out[count++] = (uint8_t)(ELLIPSIS + k);
            continue;
        }
        int label = label_of(**at);
        if (label < 0 || count >= LOWER_MAX_RANK) return -1;
        out[count++] = (uint8_t)label;
    }
    return count;
}

static uint32_t plain_labels(const char *at)
{
    uint32_t count = 0;
    for (; *at && *at != ',' && *at != '-'; at++) count += label_of(*at) >= 0;
    return count;
}

/* Without "->": the labels that stand once, in alphabetical order, after those of "...". */
static uint32_t implied_output(const labelled *terms, uint32_t count, uint32_t hidden, uint8_t *out)
{
    uint32_t seen[MOST_LABELS] = {0}, n = 0;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t d = 0; d < terms[k].t.rank; d++) seen[terms[k].labels[d]]++;
    for (uint32_t k = hidden; k-- > 0;) out[n++] = (uint8_t)(ELLIPSIS + k);
    for (uint32_t k = 26; k < 52; k++)
        if (seen[k] == 1) out[n++] = (uint8_t)k;
    for (uint32_t k = 0; k < 26; k++)
        if (seen[k] == 1) out[n++] = (uint8_t)k;
    return n;
}

fe_status lower_op_einsum(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const fx_arg *list = fx_get(l->graph, n, "tensors");
    const char *at = fx_get(l->graph, n, "equation")->string;
    ty_dtype d = lower_compute_dtype(fx_tensor(n)->dtype);
    labelled *terms = NEW_ARRAY(l->memory, labelled, list->list.count);
    uint32_t count = list->list.count, hidden = 0;
    uint8_t out[LOWER_MAX_RANK * 2];
    for (uint32_t k = 0; k < count; k++) {
        terms[k].t = lower_cast(l, lower_item(l, list, k), d);
        const char *term = at;
        bool dots = false;
        for (; *term && *term != ',' && *term != '-'; term++) dots |= *term == '.';
        uint32_t under = dots ? terms[k].t.rank - plain_labels(at) : 0;
        if (parse_term(&at, under, terms[k].labels) != (int)terms[k].t.rank)
            return lower_fail(l, "an equation that does not fit its operands");
        hidden = under > hidden ? under : hidden;
        terms[k] = without_repeats(l, terms[k]);
        if (*at == ',') at++;
    }
    uint32_t out_count;
    if (*at == '-') {
        at += 2;
        int parsed = parse_term(&at, hidden, out);
        if (parsed < 0) return lower_fail(l, "an equation that does not fit its operands");
        out_count = (uint32_t)parsed;
    } else {
        out_count = implied_output(terms, count, hidden, out);
    }
    labelled result = terms[0];
    for (uint32_t k = 1; k <= count; k++) {
        bool wanted[MOST_LABELS] = {false};
        for (uint32_t j = 0; j < out_count; j++) wanted[out[j]] = true;
        for (uint32_t j = k + 1; j < count; j++)
            for (uint32_t i = 0; i < terms[j].t.rank; i++) wanted[terms[j].labels[i]] = true;
        result = k < count ? contracted(l, result, terms[k], wanted) : summed(l, result, wanted);
    }
    return lower_give_as_recorded(l, arranged(l, &result, out, out_count).t);
}

/* ---- tensordot, bilinear, trilinear ---- */

fe_status lower_op_tensordot(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    ty_dtype d = lower_compute_dtype(fx_tensor(n)->dtype);
    labelled a = {.t = lower_cast(l, lower_arg(l, "self"), d)},
             b = {.t = lower_cast(l, lower_arg(l, "other"), d)};
    int64_t dims_a[LOWER_MAX_RANK], dims_b[LOWER_MAX_RANK];
    int count = lower_constants(l, "dims_self", dims_a, LOWER_MAX_RANK);
    if (count < 0 || lower_constants(l, "dims_other", dims_b, LOWER_MAX_RANK) != count)
        return lower_fail(l, "tensordot over other dims");
    uint8_t out[2 * LOWER_MAX_RANK];
    uint32_t out_count = 0;
    bool wanted[MOST_LABELS] = {false};
    for (uint32_t k = 0; k < a.t.rank; k++) a.labels[k] = (uint8_t)k;
    for (uint32_t k = 0; k < b.t.rank; k++) b.labels[k] = (uint8_t)(LOWER_MAX_RANK + k);
    for (int k = 0; k < count; k++)
        b.labels[lower_dim(l, dims_b[k], b.t.rank)] = (uint8_t)lower_dim(l, dims_a[k], a.t.rank);
    for (uint32_t k = 0; k < a.t.rank; k++)
        if (find(&b, a.labels[k]) < 0) out[out_count++] = a.labels[k];
    for (uint32_t k = 0; k < b.t.rank; k++)
        if (b.labels[k] >= LOWER_MAX_RANK) out[out_count++] = b.labels[k];
    for (uint32_t k = 0; k < out_count; k++) wanted[out[k]] = true;
    labelled result = summed(l, contracted(l, a, b, wanted), wanted);
    return lower_give_as_recorded(l, arranged(l, &result, out, out_count).t);
}

/* out[.., o] = sum over i, j of x1[.., i] weight[o, i, j] x2[.., j] + bias[o] */
fe_status lower_op_bilinear(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    enum { ROWS_LABEL, I, J, O };
    tensor bias = lower_computed_arg(l, "bias");
    labelled a = {.t = lower_computed_arg(l, "input1"), .labels = {ROWS_LABEL, I}};
    labelled b = {.t = lower_computed_arg(l, "input2"), .labels = {ROWS_LABEL, J}};
    labelled w = {.t = lower_computed_arg(l, "weight"), .labels = {O, I, J}};
    labelled *const inputs[2] = {&a, &b};
    for (uint32_t k = 0; k < 2; k++) {
        tensor t = inputs[k]->t;
        sym_expr sizes[2] = {sym_product(l->symbols, t.sizes, t.rank - 1), t.sizes[t.rank - 1]};
        inputs[k]->t = lower_reshape(l, t, 2, sizes);
    }
    bool first[MOST_LABELS] = {[ROWS_LABEL] = true, [J] = true, [O] = true};
    bool last[MOST_LABELS] = {[ROWS_LABEL] = true, [O] = true};
    const uint8_t order[2] = {ROWS_LABEL, O};
    labelled result = contracted(l, contracted(l, a, w, first), b, last);
    result = summed(l, result, last);
    tensor y = arranged(l, &result, order, 2).t;
    return lower_give_as_recorded(l, lower_absent(bias) ? y : T_ADD(y, bias));
}

static tensor widened(lowering *l, const char *param, const char *dims_param)
{
    tensor t = lower_computed_arg(l, param);
    int64_t dims[LOWER_MAX_RANK];
    int count = lower_constants(l, dims_param, dims, LOWER_MAX_RANK);
    uint32_t rank = t.rank + (uint32_t)(count > 0 ? count : 0);
    bool is_new[LOWER_MAX_RANK] = {false};
    for (int k = 0; k < count; k++) is_new[lower_dim(l, dims[k], rank)] = true;
    for (uint32_t d = 0; d < rank; d++)
        if (is_new[d]) t = lower_unsqueeze(l, t, d);
    return t;
}

fe_status lower_op_trilinear(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor product = T_MUL(T_MUL(widened(l, "i1", "expand1"), widened(l, "i2", "expand2")),
                           widened(l, "i3", "expand3"));
    bool reduced[LOWER_MAX_RANK];
    int64_t dims[LOWER_MAX_RANK];
    int count = lower_constants(l, "sumdim", dims, LOWER_MAX_RANK);
    memset(reduced, 0, sizeof reduced);
    for (int k = 0; k < count; k++) reduced[lower_dim(l, dims[k], product.rank)] = true;
    return lower_give_as_recorded(l, lower_reduced(l, LOOP_SUM, product, reduced, false, NULL));
}
