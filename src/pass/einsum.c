/* einsum.c -- einsum of two operands that is one batched product, as matmul of the operands with their
 * dims in its order: the form in which attention.c looks for products.
 */
#include "pass/match.h"

#include <string.h>

enum {
    UNDER_DOTS = 1
}; /* labels are letters; UNDER_DOTS + k: the k-th dim from the right under ... */

typedef struct labels {
    char at[TY_MAX_RANK];
    uint32_t count;
} labels;

/* The labels up to `end`; rank: of the operand, which says how many dims stand under dots; of the
 * result these are as many as `under`. */
static bool read_labels(const char **at, const char *end, int rank, uint32_t *under, labels *out)
{
    uint32_t letters = 0;
    bool has_dots = false;
    for (const char *c = *at; c < end; c++) {
        letters += *c != ' ' && *c != '.';
        has_dots |= *c == '.';
    }
    if (rank >= 0 && has_dots) {
        if ((uint32_t)rank < letters) return false;
        *under = (uint32_t)rank - letters;
    }
    out->count = 0;
    for (const char *c = *at; c < end; c++) {
        if (*c == ' ') continue;
        uint32_t many = *c == '.' ? *under : 1;
        if (*c == '.' && (end - c < 3 || c[1] != '.' || c[2] != '.')) return false;
        if (out->count + many > TY_MAX_RANK) return false;
        for (uint32_t k = 0; k < many; k++)
            out->at[out->count++] = *c == '.' ? (char)(UNDER_DOTS + many - 1 - k) : *c;
        if (*c == '.') c += 2;
    }
    *at = end;
    return rank < 0 || out->count == (uint32_t)rank;
}

static int place_of(const labels *l, char label)
{
    for (uint32_t k = 0; k < l->count; k++)
        if (l->at[k] == label) return (int)k;
    return -1;
}

static bool is_repeated(const labels *l)
{
    for (uint32_t k = 0; k < l->count; k++)
        if (place_of(l, l->at[k]) != (int)k) return true;
    return false;
}

typedef struct product {
    labels a, b, out;
    labels batch; /* in the result's order */
    char rows, columns, depth;
} product;

static bool read_equation(const char *equation, int rank_a, int rank_b, product *p)
{
    const char *comma = strchr(equation, ','), *arrow = strstr(equation, "->"), *at = equation;
    uint32_t under_a = 0, under_b = 0;
    if (!comma || !arrow || arrow < comma) return false;
    if (!read_labels(&at, comma, rank_a, &under_a, &p->a)) return false;
    at = comma + 1;
    if (!read_labels(&at, arrow, rank_b, &under_b, &p->b) || under_a != under_b) return false;
    at = arrow + 2;
    return read_labels(&at, at + strlen(at), -1, &under_a, &p->out) && !is_repeated(&p->a) &&
           !is_repeated(&p->b) && !is_repeated(&p->out);
}

static bool note_label(char *slot, char label)
{
    bool is_free = !*slot;
    *slot = label;
    return is_free;
}

/* Which label is which; one each of rows, columns and depth. */
static bool sort_labels(product *p)
{
    for (uint32_t k = 0; k < p->out.count; k++) {
        char label = p->out.at[k];
        bool in_a = place_of(&p->a, label) >= 0, in_b = place_of(&p->b, label) >= 0;
        if (in_a && in_b)
            p->batch.at[p->batch.count++] = label;
        else if (in_a == in_b || !note_label(in_a ? &p->rows : &p->columns, label))
            return false;
    }
    for (uint32_t k = 0; k < p->a.count; k++) {
        char label = p->a.at[k];
        if (place_of(&p->out, label) >= 0) continue;
        if (place_of(&p->b, label) < 0 || !note_label(&p->depth, label)) return false;
    }
    return p->rows && p->columns && p->depth && p->a.count == p->batch.count + 2 &&
           p->b.count == p->a.count;
}

/* x with its dims in the order batch, first, second */
static fx_node *arranged(rewriting *r, fx_node *x, const labels *from, const product *p, char first,
                         char second)
{
    sym_expr order[TY_MAX_RANK];
    uint32_t rank = p->batch.count + 2;
    bool same = true;
    for (uint32_t k = 0; k < rank; k++) {
        char label = k < p->batch.count ? p->batch.at[k] : k + 1 < rank ? first : second;
        int place = place_of(from, label);
        same &= place == (int)k;
        order[k] = sym_int(r->g->symbols, place);
    }
    return same ? x : REWRITE(r, aten_permute_default, fx_of(x), fx_int_list(r->g, order, rank));
}

/* Are the sizes of labels in both the same? einsum broadcasts ones. */
static bool sizes_agree(rewriting *r, const product *p, const ty_tensor *a, const ty_tensor *b)
{
    for (uint32_t k = 0; k < p->a.count; k++) {
        int other = place_of(&p->b, p->a.at[k]);
        if (other >= 0 && !sym_known_equal(r->g->symbols, a->sizes[k], b->sizes[other]))
            return false;
    }
    return true;
}

fx_node *pass_einsum_as_matmul(rewriting *r, const char *equation, fx_node *a, fx_node *b)
{
    product p = {0};
    const ty_tensor *x = a ? fx_tensor(a) : NULL, *y = b ? fx_tensor(b) : NULL;
    if (!x || !y || x->dtype != y->dtype || x->rank < 2 || y->rank != x->rank ||
        !read_equation(equation, (int)x->rank, (int)y->rank, &p) || !sort_labels(&p) ||
        !sizes_agree(r, &p, x, y))
        return NULL;
    if (place_of(&p.out, p.columns) < place_of(&p.out, p.rows)) { /* b times a */
        product swapped = {p.b, p.a, p.out, p.batch, p.columns, p.rows, p.depth};
        fx_node *first = a;
        p = swapped;
        a = b;
        b = first;
    }
    fx_node *left = arranged(r, a, &p.a, &p, p.rows, p.depth);
    fx_node *right = arranged(r, b, &p.b, &p, p.depth, p.columns);
    fx_node *made = REWRITE(r, aten_matmul_default, fx_of(left), fx_of(right));
    if (!made) return NULL;
    /* from batch, rows, columns to the result's order */
    labels natural = p.batch;
    natural.at[natural.count++] = p.rows;
    natural.at[natural.count++] = p.columns;
    product back = {.batch = p.out};
    back.batch.count -= 2;
    return arranged(r, made, &natural, &back, p.out.at[p.out.count - 2], p.out.at[p.out.count - 1]);
}
