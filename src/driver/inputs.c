/* inputs.c -- values for a program's inputs: from files, from the samples that the archive records;
 * and its outputs as contiguous copies.
 *
 * A program may write into its inputs, and may have been made for inputs that are not contiguous. So
 * every input is a copy in memory of its own, laid out as the program expects it.
 */
#define _GNU_SOURCE
#include "driver/run.h"

#include <string.h>

enum { ALIGNMENT = 64 };

static void *aligned_memory(arena *memory, size_t bytes)
{
    uintptr_t at = (uintptr_t)arena_alloc(memory, bytes + ALIGNMENT);
    return (void *)((at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* Elements from the first to behind the last. */
static size_t reach_of(const int64_t *sizes, const int64_t *strides, uint32_t rank)
{
    size_t reach = 1;
    for (uint32_t k = 0; k < rank; k++) {
        if (sizes[k] == 0) return 0;
        reach += (size_t)(sizes[k] - 1) * (size_t)strides[k];
    }
    return reach;
}

static void scatter(char *to, const int64_t *strides, const char **from, const int64_t *sizes,
                    uint32_t rank, size_t element)
{
    if (rank == 0 || (rank == 1 && strides[0] == 1)) {
        size_t bytes = element * (rank ? (size_t)sizes[0] : 1);
        memcpy(to, *from, bytes);
        *from += bytes;
        return;
    }
    for (int64_t i = 0; i < sizes[0]; i++)
        scatter(to + i * strides[0] * (int64_t)element, strides + 1, from, sizes + 1, rank - 1,
                element);
}

/* ---- how the program wants an input to lie ---- */

typedef struct given {
    const driver_program *d;
    const tensor_entry *const *entries; /* of each input; NULL: a number that the program fixed */
    uint32_t count;
} given;

static bool value_of_symbol(void *data, sym_expr symbol, int64_t *value);

static bool evaluate(const given *g, sym_expr e, int64_t absent, int64_t *value)
{
    *value = absent;
    return sym_is_none(e) ||
           sym_eval(g->d->loops->symbols, e, value_of_symbol, (void *)(uintptr_t)g, value);
}

/* As the program itself computes it: see the symbol lines of its wrapper. */
static bool value_of_symbol(void *data, sym_expr symbol, int64_t *value)
{
    const given *g = data;
    const wrap_program *w = g->d->wrapper;
    int64_t scale, shift;
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        if (line->kind != WRAP_SYMBOL || !sym_same(line->symbol, symbol)) continue;
        if (line->input < 0) return !sym_is_none(line->expr) && evaluate(g, line->expr, 0, value);
        const tensor_entry *entry = g->entries[line->input];
        if (!entry || line->dimension < 0 || (uint32_t)line->dimension >= entry->rank ||
            !evaluate(g, line->scale, 1, &scale) || !evaluate(g, line->shift, 0, &shift) || !scale)
            return false;
        *value = (entry->shape[line->dimension] - shift) / scale;
        return true;
    }
    return false;
}

/* The strides of input k; contiguous ones where the program's cannot be told, which is then the
 * artifact's to refuse. */
static const int64_t *strides_of(const given *g, uint32_t k, const fe_port *port)
{
    const tensor_entry *entry = g->entries[k];
    const loop_input *input = &g->d->loops->inputs.at[k];
    int64_t *strides = NEW_ARRAY(g->d->memory, int64_t, entry->rank + 1), step = 1;
    bool known = input->is_tensor && port->rank == entry->rank;
    for (uint32_t d = 0; known && d < entry->rank; d++) {
        strides[d] = port->strides[d];
        if (strides[d] < 0)
            known =
                evaluate(g, g->d->loops->buffers.at[input->buffer].strides[d], 0, &strides[d]) &&
                strides[d] >= 0;
    }
    for (uint32_t d = entry->rank; !known && d-- > 0; step *= entry->shape[d] ? entry->shape[d] : 1)
        strides[d] = step;
    return strides;
}

static fe_tensor place(const given *g, uint32_t k, const fe_port *port)
{
    const tensor_entry *entry = g->entries[k];
    size_t element = ty_dtype_size(entry->dtype);
    const int64_t *strides = strides_of(g, k, port);
    size_t bytes = reach_of(entry->shape, strides, entry->rank) * element;
    char *data = aligned_memory(g->d->memory, bytes);
    const char *from = entry->data;
    if (bytes) scatter(data, strides, &from, entry->shape, entry->rank, element);
    return (fe_tensor){data, (uint32_t)ty_dtype_number(entry->dtype), entry->rank, entry->shape,
                       strides};
}

/* The value that the program fixed for a number input. */
static fe_tensor number_input(const driver_program *d, uint32_t k, const fe_port *port)
{
    const loop_input *input = &d->loops->inputs.at[k];
    int64_t *integer = NEW(d->memory, int64_t);
    double *number = NEW(d->memory, double);
    *number = input->number;
    if (!sym_is_none(input->expr)) *integer = sym_hint(d->loops->symbols, input->expr, 0);
    return (fe_tensor){port->dtype == FE_F64 ? (void *)number : (void *)integer, port->dtype, 0,
                       NULL, NULL};
}

static void place_all(driver_program *d, const fe_artifact *a, const tensor_entry *const *entries,
                      fe_tensor *inputs)
{
    given g = {d, entries, a->input_count};
    for (uint32_t k = 0; k < a->input_count; k++)
        inputs[k] = entries[k] ? place(&g, k, &a->inputs[k]) : number_input(d, k, &a->inputs[k]);
}

/* ---- where they come from ---- */

fe_status inputs_from_file(driver_program *d, const fe_artifact *a, const tensor_file *file,
                           const char *prefix, fe_tensor *inputs)
{
    const tensor_entry **entries = NEW_ARRAY(d->memory, const tensor_entry *, a->input_count + 1);
    for (uint32_t k = 0; k < a->input_count; k++) {
        const char *name = arena_printf(d->memory, "%sin.%u", prefix, k);
        entries[k] = tensor_file_find(file, name);
        if (!entries[k] && d->loops->inputs.at[k].is_tensor)
            return diag_fail(d->session,
                             (diag){.status = FE_USAGE, .stage = "run", .place = file->file.path},
                             "it holds no tensor '%s' for input '%s'", name, a->inputs[k].name);
    }
    place_all(d, a, entries, inputs);
    return FE_OK;
}

static fe_status read_single(driver_program *d, const char *path, const tensor_entry **out)
{
    tensor_file file;
    tensor_entry *entry = NEW(d->memory, tensor_entry);
    fe_status status = tensor_file_open(d->session, d->memory, path, &file);
    if (status == FE_OK && file.count != 1)
        status = diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "run", .place = path},
                           "it holds %u tensors, one is needed", file.count);
    if (status == FE_OK) {
        *entry = file.tensors[0];
        entry->data = arena_copy(d->memory, entry->data, entry->bytes);
    }
    tensor_file_close(&file);
    *out = entry;
    return status;
}

fe_status inputs_from_files(driver_program *d, const fe_artifact *a, const char *const *paths,
                            uint32_t count, fe_tensor *inputs)
{
    const tensor_entry **entries = NEW_ARRAY(d->memory, const tensor_entry *, a->input_count + 1);
    if (count != a->input_count)
        return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "run"},
                         "%u --input files given, the program takes %u", count, a->input_count);
    for (uint32_t k = 0; k < count; k++) FE_TRY(read_single(d, paths[k], &entries[k]));
    place_all(d, a, entries, inputs);
    return FE_OK;
}

static fe_tensor copy_of_sample(arena *memory, const pt2_sample *s)
{
    size_t element = ty_dtype_size(s->dtype),
           bytes = reach_of(s->sizes, s->strides, s->rank) * element;
    char *data = aligned_memory(memory, bytes);
    if (bytes) memcpy(data, s->storage + (size_t)s->offset * element, bytes);
    return (fe_tensor){data, (uint32_t)ty_dtype_number(s->dtype), s->rank, s->sizes, s->strides};
}

fe_status inputs_from_samples(driver_program *d, const fe_artifact *a, fe_tensor *inputs)
{
    const pt2_sample *samples;
    uint32_t count;
    if (!d->archive ||
        !pt2_sample_inputs(d->archive, d->options.model, d->graph, d->memory, &samples, &count) ||
        count != a->input_count)
        return diag_fail(d->session,
                         (diag){.status = FE_USAGE,
                                .stage = "run",
                                .help = "give them with --inputs or --input"},
                         "the program takes %u inputs and the archive records no sample of them",
                         a->input_count);
    for (uint32_t k = 0; k < count; k++)
        inputs[k] = samples[k].kind == PT2_TENSOR ? copy_of_sample(d->memory, &samples[k])
                                                  : number_input(d, k, &a->inputs[k]);
    return FE_OK;
}

/* ---- outputs ---- */

static void gather(char **to, const char *from, const int64_t *strides, const int64_t *sizes,
                   uint32_t rank, size_t element)
{
    if (rank == 0 || (rank == 1 && strides[0] == 1)) {
        size_t bytes = element * (rank ? (size_t)sizes[0] : 1);
        memcpy(*to, from, bytes);
        *to += bytes;
        return;
    }
    for (int64_t i = 0; i < sizes[0]; i++)
        gather(to, from + i * strides[0] * (int64_t)element, strides + 1, sizes + 1, rank - 1,
               element);
}

tensor_entry output_entry(arena *memory, const fe_tensor *t, const char *name)
{
    tensor_entry entry = {.name = name, .dtype = ty_dtype_from_number(t->dtype), .rank = t->rank};
    int64_t *shape = NEW_ARRAY(memory, int64_t, t->rank + 1);
    size_t element = ty_dtype_size(entry.dtype), elements = 1;
    for (uint32_t k = 0; k < t->rank; k++) elements *= (size_t)(shape[k] = t->sizes[k]);
    entry.shape = shape;
    entry.bytes = elements * element;
    char *to = arena_alloc(memory, entry.bytes + 1);
    entry.data = to;
    if (elements) gather(&to, t->data, t->strides, t->sizes, t->rank, element);
    return entry;
}
