/* c_tables.c -- what a generated C program says of the tables that its operators go by. */
#include "emit/c.h"

void emit_c_transforms(emit_state *s)
{
    uint32_t count;
    const loop_transform *all = wrap_transforms(s->w, s->memory, &count);
    if (!count) return;
    text_add(&s->out, "/* Fourier transforms whose tables a context has from its beginning. */\n"
                      "static const rt_fft_shape transforms[] = {\n");
    for (uint32_t k = 0; k < count; k++)
        text_printf(
            &s->out,
            "    {.length = %lld, .rows = %lld, .most = %lld, .is_half = %d, .is_double = %d, "
            ".dense = %d},\n",
            (long long)all[k].length, (long long)all[k].rows, (long long)all[k].most,
            (int)all[k].is_half, (int)all[k].is_double, (int)all[k].dense);
    text_add(&s->out, "};\n\n");
}

static bool has_tables(const wrap_program *w)
{
    for (uint32_t i = 0; i < w->lines.count; i++)
        if (w->lines.at[i].kind == WRAP_EXTERN && loop_can(w->lines.at[i].op, LOOP_TABLES))
            return true;
    return false;
}

void emit_c_table_fields(emit_state *s)
{
    uint32_t count;
    wrap_transforms(s->w, s->memory, &count);
    if (has_tables(s->w)) text_add(&s->out, "    .tables = &rt_fourier_tables,\n");
    if (count)
        text_printf(&s->out, "    .transforms = transforms,\n    .transform_count = %u,\n", count);
}
