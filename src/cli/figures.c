/* figures.c -- what a compile came to: for people, and as JSON. */
#include "cli/cli.h"

void cli_print_figures(const fe_figures *f, FILE *to)
{
    fprintf(to, "compiled in %.0f ms:", f->compile_ms);
    for (uint32_t i = 0; i < f->stage_count; i++)
        fprintf(to, " %s %.1f", f->stage_names[i], f->stage_ms[i]);
    fprintf(to, "\nkernels: %u calls, %u distinct\n", f->kernels, f->unique_kernels);
    if (f->arena_bytes >= 0)
        fprintf(to, "arena: %lld bytes, lower bound %lld\n", (long long)f->arena_bytes,
                (long long)f->arena_lower_bound);
    else
        fprintf(to, "arena: by the sizes of the inputs\n");
    fprintf(to, "weights: %lld bytes\n", (long long)f->weights_bytes);
    if (f->artifact_bytes) fprintf(to, "artifact: %lld bytes\n", (long long)f->artifact_bytes);
    if (f->tuned_kernels || f->tuned_left)
        fprintf(to, "%u kernels tuned, %u changed, %.1f us -> %.1f us\n", f->tuned_kernels,
                f->tuned_changed, f->tuned_before_ms * 1e3, f->tuned_after_ms * 1e3);
    if (f->tuned_left) fprintf(to, "%u kernels not tuned: time was up\n", f->tuned_left);
    if (f->libraries) fprintf(to, "needs %s\n", f->libraries);
}

void cli_print_stages_json(const fe_figures *f, FILE *to)
{
    fputc('{', to);
    for (uint32_t i = 0; i < f->stage_count; i++)
        fprintf(to, "\"%s\": %.3f, ", f->stage_names[i], f->stage_ms[i]);
    fprintf(to, "\"total\": %.3f}", f->compile_ms);
}

void cli_print_sizes_json(const fe_figures *f, FILE *to)
{
    fprintf(to,
            "\"arena_bytes\": %lld, \"arena_lower_bound\": %lld, \"weights_bytes\": %lld, "
            "\"artifact_bytes\": %lld, \"kernels\": %u, \"unique_kernels\": %u",
            (long long)f->arena_bytes, (long long)f->arena_lower_bound, (long long)f->weights_bytes,
            (long long)f->artifact_bytes, f->kernels, f->unique_kernels);
}

void cli_print_json_text(const char *string, FILE *to)
{
    fputc('"', to);
    for (const unsigned char *c = (const unsigned char *)string; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(to, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", to);
        else if (*c < 32)
            fprintf(to, "\\u%04x", *c);
        else
            fputc(*c, to);
    }
    fputc('"', to);
}
