/* square.c -- rows and columns in squares, as C.
 *
 * What is loaded turned is read ahead, whole vectors along the rows, into a square array (q7 of value
 * 7), which is transposed; the rows of the square then find their lanes next to each other.
 */
#include "kern/c/c.h"

void kern_c_print_decode(kern_c_printer *pr)
{
    const kern_ir *k = pr->k;
    text_line(pr->out, "i64 left = m0;");
    for (uint32_t i = k->outer; i-- > 1;) {
        const char *name = sym_name(pr->t, k->axes[i]), *extent = kern_c_index(pr, k->extents[i]);
        text_line(pr->out, "i64 %s = left %% %s;", name, extent);
        text_line(pr->out, "left /= %s;", extent);
    }
    text_line(pr->out, "i64 %s = left;", sym_name(pr->t, k->axes[0]));
}

/* ---- reading ahead ---- */

/* The loop over [n0, n1). */
static const kern_loop *columns_of(const kern_loop *loop)
{
    const kern_loop *found = loop->columns ? loop : NULL;
    for (uint32_t i = 0; i < loop->items.count && !found; i++)
        if (loop->items.at[i].kind == KERN_LOOP) found = columns_of(loop->items.at[i].loop);
    return found;
}

static kern_c_scope scope_of(kern_c_printer *pr, kern_ref ref)
{
    const char *array = arena_printf(pr->needs->memory, "q%u", ref);
    return (kern_c_scope){pr->k->values.at[ref].dtype, pr->k->lanes, {array, NULL, NULL}};
}

static void print_array(kern_c_printer *pr, kern_ref ref)
{
    kern_c_scope scope = scope_of(pr, ref);
    text_line(pr->out, "%s",
              kern_c_text(pr, "$A $0[$W * $W] __attribute__((aligned(64)));", &scope));
}

static void print_fill(kern_c_printer *pr, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    kern_c_scope scope = scope_of(pr, ref);
    pr->lane = "l";
    scope.args[1] = arena_printf(pr->needs->memory, "b%u + %s",
                                 pr->k->memories.at[v->memory].number, kern_c_index(pr, v->index));
    pr->lane = NULL;
    text_line(pr->out, "for (i64 l = 0; l < n1 - n0; l++)");
    text_line(pr->out, "%s",
              kern_c_text(pr, "  @storeall($0 + l * $W, @load($1, m1 - m0));", &scope));
    text_line(pr->out, "%s", kern_c_text(pr, "@transpose($0);", &scope));
}

static void for_each_turned(kern_c_printer *pr, void (*print)(kern_c_printer *pr, kern_ref ref))
{
    for (kern_ref i = 1; i < pr->k->values.count; i++)
        if (pr->k->values.at[i].turned) print(pr, i);
}

static void print_ahead(kern_c_printer *pr)
{
    const kern_ir *k = pr->k;
    sym_expr axis = columns_of(k->body)->symbol;
    for_each_turned(pr, print_array);
    text_line(pr->out, "{");
    pr->out->indent++;
    if (k->outer > 1)
        kern_c_print_decode(pr);
    else
        text_line(pr->out, "const i64 %s = m0;", sym_name(pr->t, k->axes[0]));
    text_line(pr->out, "const i64 %s = n0;", sym_name(pr->t, axis));
    pr->vector_axis = axis;
    for_each_turned(pr, print_fill);
    pr->vector_axis = (sym_expr){0};
    pr->out->indent--;
    text_line(pr->out, "}");
}

const char *kern_c_turned(kern_c_printer *pr, kern_ref ref)
{
    const kern_ir *k = pr->k;
    kern_c_scope scope = scope_of(pr, ref);
    scope.args[1] = k->outer > 1 ? "m" : sym_name(pr->t, k->axes[0]);
    return kern_c_text(pr, "@loadall($0 + ($1 - m0) * $W)", &scope);
}

/* ---- squares ---- */

/* The same work in squares, whose bounds go by the names of the whole. None goes over the end of
 * the last outer axis. */
void kern_c_print_squares(kern_c_printer *pr,
                          void (*items)(kern_c_printer *pr, const kern_loop *loop))
{
    const kern_ir *k = pr->k;
    kern_need(pr->needs, "fe_min");
    text_line(pr->out, "const i64 m_to = m1, n_to = n1;");
    text_line(pr->out, "for (i64 m_from = m0, m_end; m_from < m_to; m_from = m_end) {");
    pr->out->indent++;
    text_line(pr->out, "m_end = fe_min(m_from + %u, m_to);", k->lanes);
    if (k->outer > 1) {
        const char *extent = kern_c_index(pr, k->extents[k->outer - 1]);
        text_line(pr->out, "m_end = fe_min(m_end, m_from + %s - m_from %% %s);", extent, extent);
    }
    text_line(pr->out, "for (i64 n_from = n0; n_from < n_to; n_from += %u) {", k->lanes);
    pr->out->indent++;
    text_line(pr->out, "const i64 m0 = m_from, m1 = m_end;");
    text_line(pr->out, "const i64 n0 = n_from, n1 = fe_min(n_from + %u, n_to);", k->lanes);
    print_ahead(pr);
    items(pr, k->body);
    for (int i = 0; i < 2; i++) {
        pr->out->indent--;
        text_line(pr->out, "}");
    }
}
