/* bound.c -- the lines that keep indices inside, as C: one unsigned comparison, and a way out of the
 * kernel for what should not be.
 */
#include "kern/c/c.h"

/* Which lanes count: those that are there, and where the guard holds. */
static const char *mask_of(kern_c_printer *pr, const kern_bound *bound)
{
    kern_ref guard = bound->guard;
    kern_c_scope scope = {TY_I32, pr->k->lanes, {NULL, NULL, NULL}};
    const char *among =
        bound->among ? kern_c_name(pr, bound->among) : kern_c_text(pr, "@tail($W)", &scope);
    if (!guard || !pr->k->values.at[guard].vector) return among;
    return kern_c_format(pr, "(%s & %s)", kern_c_operand(pr, guard), among);
}

/* "guard && " of a scalar */
static const char *condition_of(kern_c_printer *pr, kern_ref guard)
{
    if (!guard || pr->k->values.at[guard].vector) return "";
    return kern_c_format(pr, "%s && ", kern_c_operand(pr, guard), NULL);
}

static void print_vector(kern_c_printer *pr, const kern_bound *bound, const char *size)
{
    kern_c_scope scope = {
        TY_I64, pr->k->lanes, {kern_c_operand(pr, bound->value), size, mask_of(pr, bound)}};
    text_line(pr->out, "if (%s%s) {", condition_of(pr, bound->guard),
              kern_c_text(pr, "@outside($0, $1, $2)", &scope));
    text_line(pr->out, "  %s(args, %u, %s, %s, %s);", kern_c_text(pr, "@report", &scope),
              bound->number, scope.args[0], size, scope.args[2]);
    text_line(pr->out, "  return;");
    text_line(pr->out, "}");
}

static void print_scalar(kern_c_printer *pr, const kern_bound *bound, const char *size)
{
    const char *value = kern_c_operand(pr, bound->value), *some = "";
    if (bound->guard && pr->k->values.at[bound->guard].vector) {
        kern_c_scope scope = {TY_I32, pr->k->lanes, {mask_of(pr, bound), NULL, NULL}};
        some = kern_c_text(pr, " && @any($0)", &scope);
    }
    kern_need(pr->needs, "rt_outside");
    text_line(pr->out, "if (%s(u64)%s >= (u64)%s%s) {", condition_of(pr, bound->guard), value, size,
              some);
    if (pr->needs->dialect)
        text_line(pr->out, "  rt_outside(fault, first + %u, %s, %s);", bound->number, value, size);
    else
        text_line(pr->out, "  rt_outside(args->fault, %u, %s, %s);", bound->number, value, size);
    text_line(pr->out, "  return;");
    text_line(pr->out, "}");
}

bool kern_c_bound_is_copied(const kern_c_printer *pr, const kern_bound *bound)
{
    const kern_value *v = &pr->k->values.at[bound->value], *g = &pr->k->values.at[bound->guard];
    return (v->vector && v->level >= pr->copied) ||
           (bound->guard && g->vector && g->level >= pr->copied);
}

void kern_c_print_bound(kern_c_printer *pr, const kern_bound *bound)
{
    if (bound->is_known) return;
    const char *size = kern_c_index(pr, bound->size);
    if (pr->k->values.at[bound->value].vector)
        print_vector(pr, bound, size);
    else
        print_scalar(pr, bound, size);
}
