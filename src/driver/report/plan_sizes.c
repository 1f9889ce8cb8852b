/* plan_sizes.c -- option sizes: the plan of a program with symbolic sizes is shown for these in place of
 * the example's. What was decided at compile time stays as the example had it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/report/plan_view.h"

static fe_status refuse(const driver_program *d, const char *what, const char *help)
{
    return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "plan", .help = help},
                     "sizes: %s", what);
}

/* "s0 in [2, 64], u0" */
static const char *symbols_of(driver_program *d)
{
    const wrap_program *w = d->wrapper;
    sym_table *t = w->loops->symbols;
    text list;
    text_init(&list, d->memory);
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        int64_t min, max;
        if (line->kind != WRAP_SYMBOL) continue;
        sym_range(t, line->symbol, NULL, &min, &max);
        text_printf(&list, "%s%s", list.length ? ", " : "", sym_name(t, line->symbol));
        if (max != SYM_NO_MAX)
            text_printf(&list, " in [%lld, %lld]", (long long)min, (long long)max);
    }
    return list.length ? arena_printf(d->memory, "there are %s", list.at) : "it has none";
}

static bool read_number(const char *from, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(from, &end, 10);
    return end != from && !*end && !errno;
}

static fe_status set_size(driver_program *d, char *word)
{
    sym_table *t = d->wrapper->loops->symbols;
    char *equals = strchr(word, '=');
    int64_t min, max, value;
    if (!equals || !read_number(equals + 1, &value))
        return refuse(d, arena_printf(d->memory, "'%s' is not NAME=NUMBER", word),
                      "as s0=8,s1=128");
    *equals = '\0';
    sym_expr symbol = sym_find_symbol(t, word);
    if (sym_is_none(symbol))
        return refuse(d, arena_printf(d->memory, "the program has no symbol '%s'", word),
                      symbols_of(d));
    sym_range(t, symbol, NULL, &min, &max);
    if (value < min || value > max)
        return refuse(d, arena_printf(d->memory, "%s is never %lld", word, (long long)value),
                      symbols_of(d));
    sym_set_hint(t, symbol, value);
    return FE_OK;
}

fe_status plan_sizes_set(driver_program *d)
{
    if (!d->options.sizes) return FE_OK;
    char *rest = arena_strdup(d->memory, d->options.sizes);
    for (char *word; (word = strsep(&rest, ","));) FE_TRY(set_size(d, word));
    return FE_OK;
}
