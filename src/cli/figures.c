/* figures.c -- what a compile came to: for people, and as JSON. */
#include "cli/cli.h"

#include <math.h>

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

/* What all the weights that became integers come to. */
typedef struct narrowed {
    uint32_t weights[9]; /* by bits */
    double before, bytes, squares, elements, most;
} narrowed;

static void add_weight(narrowed *all, const fe_quantised *q)
{
    all->weights[q->bits] += q->bytes_before > 0;
    all->before += (double)q->bytes_before;
    all->bytes += (double)q->bytes;
    if (!q->bytes_before) return; /* its errors are those of the form that products read */
    double elements = (double)q->rows * (double)q->depth;
    all->squares += q->error * q->error * elements;
    all->elements += elements;
    if (q->most > all->most) all->most = q->most;
}

static const char *size_text(double bytes, char *room, size_t size)
{
    snprintf(room, size, bytes < 1e6 ? "%.1f kB" : "%.1f MB", bytes / (bytes < 1e6 ? 1e3 : 1e6));
    return room;
}

void cli_print_quantised(const fe_program *program, FILE *to)
{
    char before[32], after[32];
    narrowed all = {0};
    fe_quantised q;
    for (uint32_t i = 0; fe_quantised_at(program, i, &q); i++) add_weight(&all, &q);
    uint32_t int8 = all.weights[8], int4 = all.weights[4];
    if (int8 + int4 == 0) {
        fprintf(to, "quantised no weights: none is that of a linear layer, and large enough\n");
        return;
    }
    fputs("quantised ", to);
    if (int4) fprintf(to, "%u weights to int4", int4);
    if (int8) fprintf(to, int4 ? " and %u to int8" : "%u weights to int8", int8);
    fprintf(to, ", %s -> %s, weights' error %.2f %%, the largest %.2f %%\n",
            size_text(all.before, before, sizeof before), size_text(all.bytes, after, sizeof after),
            100 * sqrt(all.squares / all.elements), 100 * all.most);
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
