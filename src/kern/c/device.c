/* device.c -- kernels of devices: a kernel at one lane as a function of the device's C.
 *
 * Text of kernels is the same in all dialects: dialect.c has what they are written in.
 */
#include "kern/c/c.h"

static const char CELL[] = "  const i64 item = FE_ITEM;\n"
                           "  if (item >= rows * columns) return;\n"
                           "  const i64 m0 = item / columns, m1 = m0 + 1;\n"
                           "  const i64 n0 = item - m0 * columns, n1 = n0 + 1;\n";
static const char ROW[] = "  const i64 item = FE_ITEM;\n"
                          "  if (item >= rows) return;\n  const i64 m0 = item, m1 = m0 + 1;\n";
static const char GROUP[] = "  const i64 m0 = FE_ITEM / FE_GROUP, m1 = m0 + 1;\n";
static const char ALL[] = "  const i64 item = FE_ITEM;\n"
                          "  if (item >= rows) return;\n  i64 m0 = item, m1 = m0 + 1;\n";

void kern_c_device_head(const kern_ir *k, const char *name, text *out)
{
    text_printf(out, "FE_KERNEL void %s(FE_CALL", name);
    for (uint32_t i = 0; i < k->buffer_count; i++) text_printf(out, ", FE_BUFFER(%u)", i);
    for (uint32_t i = 0; i < k->params.count; i++)
        text_printf(out, ", FE_INT(p%u, %u)", i, k->buffer_count + i);
    if (kern_reports(k)) text_printf(out, ", FE_INT(first, %u)", k->buffer_count + k->params.count);
    bool by_groups = k->by_groups || k->tiles.rows;
    text_printf(out, ")\n{\n  %s;\n%s", by_groups ? "FE_GROUP_BEGIN" : "FE_BEGIN",
                k->tiles.rows  ? ""
                : k->by_groups ? GROUP
                : k->columns   ? CELL
                : k->serial    ? ALL
                               : ROW);
}

/* ---- atomic stores ---- */

static bool is_added_at_once(const kern_c_printer *pr, const kern_store *st, ty_dtype dtype)
{
    const kern_c_dialect *dialect = kern_c_dialect_named(pr->needs->dialect);
    return st->mode == LOOP_ADD_INTO && (ty_is_integral(dtype, false) || dialect->adds_floats);
}

/* Until nobody has come between what was read and what is written. */
void kern_c_print_atomic(kern_c_printer *pr, const kern_store *st, const char *place)
{
    ty_dtype dtype = pr->k->memories.at[st->memory].dtype;
    const char *type = ty_dtype_name(dtype), *value = kern_c_operand(pr, st->value);
    unsigned bits = 8 * ty_dtype_size(dtype);
    if (is_added_at_once(pr, st, dtype)) {
        text_line(pr->out, "FE_ADD_%s(&%s, %s);", type, place, value);
        return;
    }
    text_line(pr->out, "for (u%u old, seen = FE_BITS(%s, u%u, %s);; seen = old) {", bits, type,
              bits, place);
    text_line(pr->out, "  const %s there = FE_BITS(u%u, %s, seen);", type, bits, type);
    text_line(pr->out, "  old = FE_SWAP%u(&%s, seen, FE_BITS(%s, u%u, %s));", bits, place, type,
              bits, kern_c_combined(pr, st, "there", value, 1));
    text_line(pr->out, "  if (old == seen) break;");
    text_line(pr->out, "}");
}

/* ---- work-groups ---- */

/* All make as many steps: compilers for CPUs can take the work-items of a group side by side then. */
void kern_c_print_shared(kern_c_printer *pr, const char *name, const char *from, const char *to)
{
    text_line(pr->out, "for (i64 %s_all = %s; %s_all < %s; %s_all += FE_GROUP) {", name, from, name,
              to, name);
    text_line(pr->out, "  const i64 %s = %s_all + FE_MEMBER;", name, name);
    text_line(pr->out, "  if (%s < %s) {", name, to);
}

void kern_c_print_joins(kern_c_printer *pr)
{
    for (uint32_t i = 1; i < pr->k->values.count; i++)
        if (pr->k->values.at[i].kind == KERN_JOIN)
            text_line(pr->out, "FE_LOCAL %s s%u[FE_GROUP];",
                      kern_c_type_of(pr, pr->k->values.at[i].dtype, 1), i);
}

/* Halves are joined until one is left. */
const char *kern_c_join(kern_c_printer *pr, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    const char *all = arena_printf(pr->needs->memory, "s%u", ref);
    kern_c_scope scope = {v->dtype, 1, {"a", "b", NULL}};
    const char *type = kern_c_type_of(pr, v->dtype, 1);
    text_line(pr->out, "%s[FE_MEMBER] = %s;", all, kern_c_operand(pr, v->args[0]));
    text_line(pr->out, "FE_BARRIER;");
    text_line(pr->out, "for (i64 width = FE_GROUP / 2; width > 0; width /= 2) {");
    text_line(pr->out, "  if (FE_MEMBER < width) {");
    text_line(pr->out, "    const %s a = %s[FE_MEMBER], b = %s[FE_MEMBER + width];", type, all,
              all);
    text_line(pr->out, "    %s[FE_MEMBER] = %s;", all, kern_c_applied(pr, v->op, v->dtype, &scope));
    text_line(pr->out, "  }");
    text_line(pr->out, "  FE_BARRIER;");
    text_line(pr->out, "}");
    return kern_c_format(pr, "%s[0]", all, NULL);
}

void kern_c_device_buffer(kern_c_printer *pr, const kern_memory *m, const char *name)
{
    const char *type =
        kern_c_format(pr, m->is_written ? "%s" : "const %s", kern_c_memory_type(m->dtype), NULL);
    text_line(pr->out, "FE_GLOBAL %s *const %s = FE_AT(%s, %u);", type, name, type, m->number);
}
