/* einsum.c -- sums of products over named dimensions, as PyTorch composes them.
 *
 * Every operand is brought to one order of dimensions, those of the result first; then pairs are
 * multiplied by bmm from left to right, which decides the strides of the result.
 */
#include "infer/infer_priv.h"

#include <ctype.h>
#include <string.h>

enum { LABELS = 52, ELLIPSIS = LABELS, LABEL_KINDS };

typedef struct term {
    uint8_t labels[TY_MAX_RANK]; /* ELLIPSIS stands for several dimensions */
    uint32_t count;
    bool has_ellipsis;
} term;

typedef struct equation {
    term inputs[INFER_MAX_OPERANDS], output;
    uint32_t input_count, ellipsis_rank;
    int place[LABEL_KINDS]; /* in the common order; -1: not used */
    uint32_t rank, out_rank;
} equation;

static int label_of(char c)
{
    return isupper((unsigned char)c) ? c - 'A' : c - 'a' + 26;
}

/* Reads a term up to , or - or the end. */
static const char *read_term(infer_call *c, const char *at, term *out)
{
    *out = (term){.count = 0};
    for (; *at && *at != ',' && *at != '-'; at++) {
        if (*at == ' ') continue;
        bool dots = strncmp(at, "...", 3) == 0;
        if ((!dots && !isalpha((unsigned char)*at)) || out->count == TY_MAX_RANK) {
            infer_fail(c, "an equation that cannot be read");
            return at;
        }
        out->labels[out->count++] = (uint8_t)(dots ? ELLIPSIS : label_of(*at));
        out->has_ellipsis = out->has_ellipsis || dots;
        if (dots) at += 2;
    }
    return at;
}

/* Without an arrow: the labels that stand once, in order, behind the ellipsis. */
static void implied_output(equation *e)
{
    uint32_t seen[LABEL_KINDS] = {0};
    for (uint32_t i = 0; i < e->input_count; i++)
        for (uint32_t k = 0; k < e->inputs[i].count; k++) seen[e->inputs[i].labels[k]]++;
    if (seen[ELLIPSIS]) e->output.labels[e->output.count++] = ELLIPSIS;
    for (uint32_t l = 0; l < LABELS; l++)
        if (seen[l] == 1) e->output.labels[e->output.count++] = (uint8_t)l;
}

static void read_equation(infer_call *c, const char *at, equation *e)
{
    for (;;) {
        if (e->input_count == INFER_MAX_OPERANDS) {
            infer_fail(c, "too many operands");
            return;
        }
        at = read_term(c, at, &e->inputs[e->input_count++]);
        if (c->status != FE_OK || *at != ',') break;
        at++;
    }
    if (c->status == FE_OK && strncmp(at, "->", 2) == 0)
        read_term(c, at + 2, &e->output);
    else
        implied_output(e);
}

static void place_label(equation *e, uint32_t label)
{
    if (e->place[label] >= 0) return;
    e->place[label] = (int)e->rank;
    e->rank += label == ELLIPSIS ? e->ellipsis_rank : 1;
}

static void place_labels(infer_call *c, equation *e, ty_tensor *const *operands)
{
    bool used[LABEL_KINDS] = {false};
    for (uint32_t i = 0; i < e->input_count; i++) {
        const term *in = &e->inputs[i];
        uint32_t named = in->count - in->has_ellipsis;
        if (named > operands[i]->rank || (!in->has_ellipsis && named != operands[i]->rank)) {
            infer_fail(c, "the equation gives %s %u dimensions", infer_shape(c, operands[i]),
                       named);
            return;
        }
        uint32_t dots = operands[i]->rank - named;
        if (in->has_ellipsis && dots > e->ellipsis_rank) e->ellipsis_rank = dots;
        for (uint32_t k = 0; k < in->count; k++) used[in->labels[k]] = true;
    }
    for (uint32_t l = 0; l < LABEL_KINDS; l++) e->place[l] = -1;
    for (uint32_t k = 0; k < e->output.count; k++) place_label(e, e->output.labels[k]);
    e->out_rank = e->rank;
    if (used[ELLIPSIS]) place_label(e, ELLIPSIS);
    for (uint32_t l = 0; l < LABELS; l++)
        if (used[l]) place_label(e, l);
    if (e->rank > TY_MAX_RANK) infer_fail(c, "an equation of %u dimensions", e->rank);
}

/* The operand with all dimensions of the equation, those that it lacks of size 1. */
static ty_tensor *aligned(infer_call *c, const equation *e, const term *in, const ty_tensor *x)
{
    sym_table *t = c->symbols;
    sym_expr sizes[TY_MAX_RANK];
    sym_expr strides[TY_MAX_RANK];
    uint32_t dim = 0;
    for (uint32_t i = 0; i < e->rank; i++) {
        sizes[i] = infer_number(c, 1);
        strides[i] = infer_number(c, 0);
    }
    for (uint32_t k = 0; k < in->count; k++) {
        uint32_t label = in->labels[k];
        uint32_t times = label == ELLIPSIS ? x->rank - (in->count - 1) : 1;
        uint32_t first = (uint32_t)e->place[label];
        if (label == ELLIPSIS) first += e->ellipsis_rank - times;
        for (uint32_t i = 0; i < times; i++, dim++) {
            sizes[first + i] = x->sizes[dim]; /* a label twice: the diagonal */
            strides[first + i] = sym_add(t, strides[first + i], x->strides[dim]);
        }
    }
    return infer_view_as(c, x, e->rank, sizes, strides, x->offset);
}

/* ---- one pair ---- */

typedef struct pair {
    uint32_t shared[TY_MAX_RANK], left[TY_MAX_RANK], summed[TY_MAX_RANK], right[TY_MAX_RANK];
    uint32_t shared_count, left_count, summed_count, right_count;
} pair;

static bool is_one(infer_call *c, const ty_tensor *x, uint32_t d)
{
    return infer_assumes(c, SYM_EQ, x->sizes[d], infer_number(c, 1));
}

/* The product by bmm: [shared, left, summed] by [shared, summed, right]; the operands change places
 * when that gives a result whose right dimensions all come before its left ones. */
static ty_tensor *multiply(infer_call *c, const ty_tensor *a, const ty_tensor *b, const pair *p)
{
    bool swap = p->left_count && p->right_count && p->right[p->right_count - 1] < p->left[0];
    const uint32_t *groups[] = {p->shared, swap ? p->right : p->left, p->summed,
                                swap ? p->left : p->right};
    const uint32_t counts[] = {p->shared_count, swap ? p->right_count : p->left_count,
                               p->summed_count, swap ? p->left_count : p->right_count};
    sym_expr sizes[TY_MAX_RANK];
    uint32_t order[TY_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t g = 0; g < 4; g++)
        for (uint32_t i = 0; i < counts[g]; i++) {
            uint32_t d = groups[g][i];
            bool from_b = g == (swap ? 1 : 3);
            sizes[rank] = g == 2 ? infer_number(c, 1) : from_b ? b->sizes[d] : a->sizes[d];
            order[d] = rank++;
        }
    return infer_permute(c, infer_fresh(c, a, a->dtype, rank, sizes), order);
}

/* Sums of integers are i64. */
static ty_dtype sum_dtype(ty_dtype d)
{
    return ty_is_integral(d, true) ? TY_I64 : d;
}

static ty_tensor *contract(infer_call *c, const equation *e, const ty_tensor *a, const ty_tensor *b,
                           uint32_t *uses)
{
    pair p = {.shared_count = 0};
    uint64_t sum_a = 0;
    uint64_t sum_b = 0;
    uint64_t summed = 0;
    if (!infer_require_broadcast(c, a, b)) return NULL;
    for (uint32_t d = e->out_rank; d < e->rank; d++) {
        bool in_a = !is_one(c, a, d);
        bool in_b = !is_one(c, b, d);
        if (in_a && in_b) {
            if (--uses[d] == 1) {
                summed |= (uint64_t)1 << d;
                uses[d] = 0;
            }
        } else if (uses[d] == 1 && (in_a || in_b)) {
            *(in_a ? &sum_a : &sum_b) |= (uint64_t)1 << d;
            uses[d] = 0;
        }
    }
    if (sum_a) a = infer_reduced(c, a, sum_dtype(a->dtype), sum_a, true);
    if (sum_b) b = infer_reduced(c, b, sum_dtype(b->dtype), sum_b, true);
    if (!summed) {
        const ty_tensor *operands[] = {a, b};
        return infer_elementwise(c, ty_promote_types(a->dtype, b->dtype), operands, 2);
    }
    if (a->dtype != b->dtype || a->dtype == TY_BOOL)
        infer_fail(c,
                   "expected operands of the same dtype that can be multiplied and summed, but got "
                   "%s and %s",
                   infer_shape(c, a), infer_shape(c, b));
    for (uint32_t d = 0; d < e->rank; d++) {
        bool in_a = !is_one(c, a, d);
        bool in_b = !is_one(c, b, d);
        if (summed >> d & 1)
            p.summed[p.summed_count++] = d;
        else if (in_a && in_b)
            p.shared[p.shared_count++] = d;
        else if (in_a)
            p.left[p.left_count++] = d;
        else
            p.right[p.right_count++] = d;
    }
    return multiply(c, a, b, &p);
}

/* Without the dimensions that the result does not have; of several operands these have size 1 by
 * now. */
static ty_tensor *finish(infer_call *c, const equation *e, const ty_tensor *x, bool alone)
{
    uint64_t rest = ((uint64_t)1 << e->rank) - ((uint64_t)1 << e->out_rank);
    if (!x || e->rank == e->out_rank) return x ? infer_alias(c, x) : NULL;
    return alone ? infer_reduced(c, x, sum_dtype(x->dtype), rest, false)
                 : infer_squeeze(c, x, rest);
}

void rule_einsum(infer_call *c)
{
    equation e = {.input_count = 0};
    uint32_t uses[TY_MAX_RANK] = {0};
    ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_list(c, "tensors", operands, INFER_MAX_OPERANDS);
    read_equation(c, infer_string(c, "equation", ""), &e);
    for (uint32_t i = 0; i < count; i++)
        if (!operands[i]) infer_fail(c, "an operand is not a tensor");
    if (count == 0 || count != e.input_count)
        infer_fail(c, "an equation for %u operands, of which there are %u", e.input_count, count);
    if (c->status == FE_OK) place_labels(c, &e, operands);
    if (c->status != FE_OK) return;
    for (uint32_t i = 0; i < count; i++) {
        operands[i] = aligned(c, &e, &e.inputs[i], operands[i]);
        for (uint32_t d = 0; d < e.rank; d++) uses[d] += !is_one(c, operands[i], d);
    }
    const ty_tensor *out = operands[0];
    for (uint32_t i = 1; i < count && out; i++) out = contract(c, &e, out, operands[i], uses);
    infer_give(c, finish(c, &e, out, count == 1));
}
