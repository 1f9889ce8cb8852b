/* kernel.c -- kernel IR as a C function.
 *
 * Variables are named as in the IR: v7 a value (v7_1 its second copy), b2 a buffer, t0 a tile, p3 a
 * parameter.
 */
#include "kern/c/c.h"

#include <string.h>

/* ---- rows ---- */

/* The outer axes of row m0. */
static void print_decode(kern_c_printer *pr)
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

/* So many rows on: the last axis counts up, with carries. */
static void print_carry(kern_c_printer *pr, const char *rows)
{
    const kern_ir *k = pr->k;
    uint32_t last = k->outer - 1;
    text_line(pr->out, "%s += %s;", sym_name(pr->t, k->axes[last]), rows);
    for (uint32_t i = last; i > 0; i--)
        text_line(pr->out, "if (%s == %s) %s = 0, %s++;", sym_name(pr->t, k->axes[i]),
                  kern_c_index(pr, k->extents[i]), sym_name(pr->t, k->axes[i]),
                  sym_name(pr->t, k->axes[i - 1]));
}

/* n rows, one a lane. */
static void print_rows_at_once(kern_c_printer *pr, const kern_loop *loop)
{
    bool twice = kern_c_is_short(pr->k, loop);
    uint32_t all = pr->k->lanes * loop->unroll;
    if (twice) {
        text_line(pr->out, "if (n == %u) {", all);
        text_line(pr->out, "  const i64 n = %u;", all);
        pr->out->indent++;
        kern_c_print_tail(pr, loop);
        kern_c_print_items(pr, loop);
        pr->out->indent--;
        text_line(pr->out, "} else {");
        pr->out->indent++;
    }
    kern_c_print_tail(pr, loop);
    kern_c_print_items(pr, loop);
    if (!twice) return;
    pr->out->indent--;
    text_line(pr->out, "}");
}

static void print_rows(kern_c_printer *pr, const kern_loop *loop)
{
    const kern_ir *k = pr->k;
    const char *last = k->outer ? sym_name(pr->t, k->axes[k->outer - 1]) : NULL;
    bool counted = k->outer > 1 || k->outer_vector;
    if (counted) print_decode(pr);
    if (!k->outer) {
        text_line(pr->out, "if (m0 < m1) {");
    } else if (k->outer_vector) {
        kern_need(pr->needs, "fe_min");
        text_line(pr->out, "for (i64 m = m0, n; m < m1; m += n) {");
        text_line(pr->out, "  n = fe_min(%u, fe_min(m1 - m, %s - %s));", k->lanes * loop->unroll,
                  kern_c_index(pr, k->extents[k->outer - 1]), last);
        pr->vector_axis = k->axes[k->outer - 1];
        pr->copies = loop->unroll;
        pr->copied = loop->level;
    } else if (counted) {
        text_line(pr->out, "for (i64 m = m0; m < m1; m++) {");
    } else {
        text_line(pr->out, "for (i64 %s = m0; %s < m1; %s++) {", last, last, last);
    }
    pr->out->indent++;
    if (k->outer_vector)
        print_rows_at_once(pr, loop);
    else
        kern_c_print_items(pr, loop);
    if (counted) print_carry(pr, k->outer_vector ? "n" : "1");
    pr->out->indent--;
    text_line(pr->out, "}");
}

static void print_squares(kern_c_printer *pr, const kern_loop *loop)
{
    const kern_ir *k = pr->k;
    const char *row = sym_name(pr->t, k->axes[k->outer - 1]);
    const char *column = sym_name(pr->t, loop->symbol), *rows = "m1 - m";
    kern_need(pr->needs, "fe_min");
    if (k->outer > 1)
        rows = arena_printf(pr->needs->memory, "fe_min(m1 - m, %s - %s)",
                            kern_c_index(pr, k->extents[k->outer - 1]), row);
    print_decode(pr);
    text_line(pr->out, "for (i64 m = m0, n; m < m1; m += n) {");
    pr->out->indent++;
    text_line(pr->out, "n = fe_min(%u, %s);", k->lanes, rows);
    text_line(pr->out, "const i64 %s_from = %s, %s_to = %s + n;", row, row, row, row);
    text_line(pr->out, "for (i64 %s_from = n0; %s_from < n1; %s_from += %u) {", column, column,
              column, k->lanes);
    text_line(pr->out, "  const i64 %s_to = fe_min(%s_from + %u, n1);", column, column, k->lanes);
    kern_c_print_body(pr, loop);
    text_line(pr->out, "}");
    print_carry(pr, "n");
    pr->out->indent--;
    text_line(pr->out, "}");
}

static void print_transpose(kern_c_printer *pr, uint32_t memory)
{
    const kern_memory *m = &pr->k->memories.at[memory];
    kern_c_scope scope = {m->dtype, pr->k->lanes, {NULL, NULL, NULL}};
    scope.args[0] = arena_printf(pr->needs->memory, "t%u", m->number);
    text_line(pr->out, "%s", kern_c_text(pr, "@transpose($0);", &scope));
}

/* Is there one of this for each copy of the vectors? */
static bool is_copied(const kern_c_printer *pr, const kern_item *item)
{
    switch (item->kind) {
    case KERN_DEFINE: return kern_c_is_copied(pr, item->value);
    case KERN_SET: return kern_c_is_copied(pr, item->variable);
    case KERN_LOOP: return item->loop->kind == KERN_EACH_LANE || item->loop->kind == KERN_WHEN;
    case KERN_STORE: return item->store.access != KERN_ONE;
    case KERN_BOUND: return kern_c_bound_is_copied(pr, &item->bound);
    default: return false;
    }
}

/* What all work-items of a group have is the first one's to store. */
static void print_store(kern_c_printer *pr, const kern_store *st)
{
    bool is_common = pr->k->by_groups && !pr->in_shared;
    if (is_common) text_line(pr->out, "if (FE_MEMBER == 0) {");
    pr->out->indent += is_common;
    kern_c_print_store(pr, st);
    pr->out->indent -= is_common;
    if (is_common) text_line(pr->out, "}");
}

/* Of the copy of the step at hand. */
static void print_in_copy(kern_c_printer *pr, const kern_loop *loop)
{
    bool before = pr->in_copy;
    pr->in_copy = pr->copies > 1;
    kern_c_print_body(pr, loop);
    pr->in_copy = before;
}

static void print_lanes(kern_c_printer *pr, const kern_loop *loop)
{
    const char *name = sym_name(pr->t, loop->symbol), *count = kern_c_count(pr, loop->count);
    if (loop->unroll > 1)
        text_line(pr->out, "fe_lanes(%s, %s, %u, {", name, count, pr->k->lanes);
    else
        text_line(pr->out, "for (int %s = 0; %s < %s; %s++) {", name, name, count, name);
    if (loop->unroll > 1) kern_need(pr->needs, "fe_lanes");
    print_in_copy(pr, loop);
    text_line(pr->out, loop->unroll > 1 ? "})" : "}");
}

static void print_case(kern_c_printer *pr, const kern_loop *loop)
{
    if (loop->kind == KERN_WHEN)
        text_line(pr->out, "if (%s) {", kern_c_operand(pr, loop->condition));
    else
        text_line(pr->out, "else {");
    print_in_copy(pr, loop);
    text_line(pr->out, "}");
}

static void print_lines(kern_c_printer *pr, const kern_loop *loop)
{
    switch (loop->kind) {
    case KERN_ROWS:
        if (pr->k->tiles.rows)
            kern_c_print_tiles(pr);
        else
            print_rows(pr, loop);
        break;
    case KERN_SQUARES: print_squares(pr, loop); break;
    case KERN_BLOCKS: kern_c_print_blocks(pr, loop); break;
    case KERN_EACH_LANE: print_lanes(pr, loop); break;
    case KERN_WHEN:
    case KERN_OTHERWISE: print_case(pr, loop); break;
    default: kern_c_print_loop(pr, loop); break;
    }
}

static void print_item(kern_c_printer *pr, const kern_item *item)
{
    switch (item->kind) {
    case KERN_DEFINE: kern_c_print_define(pr, item->value); break;
    case KERN_STORE: print_store(pr, &item->store); break;
    case KERN_BARRIER: text_line(pr->out, "FE_BARRIER;"); break;
    case KERN_BOUND: kern_c_print_bound(pr, &item->bound); break;
    case KERN_SET: kern_c_print_set(pr, item); break;
    case KERN_LOOP: print_lines(pr, item->loop); break;
    case KERN_TRANSPOSE: print_transpose(pr, item->store.memory); break;
    default: break; /* of functions, or lowered */
    }
}

/* The line of each copy, and what is done otherwise. */
static void print_copies(kern_c_printer *pr, const kern_item *item, const kern_item *otherwise)
{
    uint32_t copies = pr->copies > 1 && is_copied(pr, item) ? pr->copies : 1;
    for (pr->copy = 0; pr->copy < copies; pr->copy++) {
        print_item(pr, item);
        if (otherwise) print_item(pr, otherwise);
    }
    pr->copy = 0;
}

static bool is_otherwise(const kern_item *item)
{
    return item->kind == KERN_LOOP && item->loop->kind == KERN_OTHERWISE;
}

void kern_c_print_items(kern_c_printer *pr, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        bool has_other = i + 1 < loop->items.count && is_otherwise(item + 1);
        if (pr->in_copy)
            print_item(pr, item);
        else if (!is_otherwise(item))
            print_copies(pr, item, has_other ? item + 1 : NULL);
    }
}

/* ---- the function ---- */

static bool continues_name(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Is the variable needed? In plain C, which compilers may be asked to warn about, it is left out
 * where the text does not mention it. */
static bool wanted(const kern_c_printer *pr, const char *source, const char *name)
{
    size_t length = strlen(name);
    if (!pr->needs->plain) return true;
    for (const char *at = source; (at = strstr(at, name)); at += length)
        if ((at == source || !continues_name(at[-1])) && !continues_name(at[length])) return true;
    return false;
}

static void print_memories(kern_c_printer *pr, const char *source)
{
    const kern_ir *k = pr->k;
    for (uint32_t i = 0; i < k->memories.count; i++) {
        const kern_memory *m = &k->memories.at[i];
        const char *type = kern_c_memory_type(m->dtype), *constant = m->is_written ? "" : "const ";
        const char *name =
            arena_printf(pr->needs->memory, "%c%u", m->is_tile ? 't' : 'b', m->number);
        if (!wanted(pr, source, name)) continue;
        if (pr->needs->dialect && !m->is_tile)
            kern_c_device_buffer(pr, m, name);
        else if (!m->is_tile)
            text_line(pr->out, "%s%s *const %s = args->buffers[%u];", constant, type, name,
                      m->number);
        else if (pr->needs->plain)
            text_line(pr->out, "%s %s[%s];", type, name, kern_c_index(pr, m->elements));
        else
            text_line(pr->out, "%s *const %s = __builtin_alloca_with_align(%s * sizeof(%s), 512);",
                      type, name, kern_c_index(pr, m->elements), type);
    }
}

static void print_ints(const kern_c_printer *pr, const char *source)
{
    if (pr->needs->dialect) return; /* they are parameters */
    for (uint32_t i = 0; i < pr->k->params.count; i++) {
        const char *name = arena_printf(pr->needs->memory, "p%u", i);
        if (wanted(pr, source, name)) text_line(pr->out, "const i64 %s = args->ints[%u];", name, i);
    }
}

static void print_work(kern_c_printer *pr)
{
    if (pr->k->serial) {
        text_line(pr->out, "if (m0 >= m1) return;");
        text_line(pr->out, "m0 = 0;");
        text_line(pr->out, "m1 = %s;", kern_c_index(pr, pr->k->total));
    }
    kern_c_print_items(pr, pr->k->body);
}

void kern_print_c(const kern_ir *k, const char *name, text *out, kern_needs *needs)
{
    text work, memories, ints;
    kern_c_printer pr = {.k = k, .t = k->symbols, .needs = needs, .copies = 1};
    text *const parts[] = {&work, &memories, &ints};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        text_init(parts[i], needs->memory);
        text_add(parts[i], "");
        parts[i]->indent = 1;
    }
    pr.out = &work;
    print_work(&pr);
    pr.out = &memories;
    kern_c_print_joins(&pr);
    if (k->tiles.rows) kern_c_print_tile_memory(&pr);
    print_memories(&pr, work.at);
    text_add(&memories, work.at);
    pr.out = &ints;
    print_ints(&pr, memories.at);
    if (needs->dialect) {
        kern_c_device_head(k, name, out);
        text_printf(out, "%s}\n", memories.at);
        return;
    }
    text_printf(out,
                "void %s(const fe_kernel_args *args, i64 m0, i64 m1, i64 n0, i64 n1)\n{\n%s%s%s}\n",
                name, ints.at, k->columns ? "" : "  (void)n0, (void)n1;\n", memories.at);
}
