/* inputs.c -- values for a program's inputs: from files, from the samples that the archive records,
 * at random; and its outputs as contiguous copies.
 */
#include "driver/inputs.h"

#include "../rt/rt_program.h"

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
    driver_program *d;
    const tensor_entry **entries; /* of each input; NULL: a number that the program fixed */
} given;

static given given_new(driver_program *d)
{
    return (given){d, NEW_ARRAY(d->memory, const tensor_entry *, d->loops->inputs.count + 1)};
}

static bool value_of_symbol(void *data, sym_expr symbol, int64_t *value);

static bool evaluate(given *g, sym_expr e, int64_t absent, int64_t *value)
{
    *value = absent;
    return sym_is_none(e) || sym_eval(g->d->loops->symbols, e, value_of_symbol, g, value);
}

/* A stride that no size tells is as in the example, or wider where elements would meet. */
static int64_t own_stride(given *g, const wrap_line *line, const tensor_entry *entry, int64_t scale,
                          int64_t shift)
{
    int64_t least = 1;
    for (uint32_t d = (uint32_t)line->dimension + 1; d < entry->rank; d++) least *= entry->shape[d];
    int64_t hint = scale * sym_hint(g->d->loops->symbols, line->symbol, least) + shift;
    return scale > 0 && hint < least ? hint + (least - hint + scale - 1) / scale * scale : hint;
}

/* As the program itself computes it: see the symbol lines of its wrapper. */
static bool value_of_symbol(void *data, sym_expr symbol, int64_t *value)
{
    given *g = data;
    const wrap_program *w = g->d->wrapper;
    int64_t scale, shift;
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        if (line->kind != WRAP_SYMBOL || !sym_same(line->symbol, symbol)) continue;
        if (line->input < 0) return !sym_is_none(line->expr) && evaluate(g, line->expr, 0, value);
        const tensor_entry *entry = g->entries[line->input];
        if (!entry || (line->dimension >= 0 && (uint32_t)line->dimension >= entry->rank) ||
            !evaluate(g, line->scale, 1, &scale) || !evaluate(g, line->shift, 0, &shift) || !scale)
            return false;
        int64_t number = 0;
        if (line->is_stride)
            number = own_stride(g, line, entry, scale, shift);
        else if (line->dimension >= 0)
            number = entry->shape[line->dimension];
        else
            loop_convert(TY_I64, &number, entry->dtype, entry->data);
        *value = fe_solve(number, shift, scale, line->power);
        return true;
    }
    return false;
}

/* The strides of input k; contiguous ones where the program's cannot be told, which is then the
 * artifact's to refuse. */
static const int64_t *strides_of(given *g, uint32_t k)
{
    const tensor_entry *entry = g->entries[k];
    const loop_input *input = &g->d->loops->inputs.at[k];
    const loop_buffer *b = input->is_tensor ? &g->d->loops->buffers.at[input->buffer] : NULL;
    int64_t *strides = NEW_ARRAY(g->d->memory, int64_t, entry->rank + 1), step = 1;
    bool known = b && b->rank == entry->rank;
    for (uint32_t d = 0; known && d < entry->rank; d++)
        known = evaluate(g, b->strides[d], 0, &strides[d]) && strides[d] >= 0;
    for (uint32_t d = entry->rank; !known && d-- > 0; step *= entry->shape[d] ? entry->shape[d] : 1)
        strides[d] = step;
    return strides;
}

static fe_tensor place(given *g, uint32_t k)
{
    const tensor_entry *entry = g->entries[k];
    size_t element = ty_dtype_size(entry->dtype);
    const int64_t *strides = strides_of(g, k);
    size_t bytes = reach_of(entry->shape, strides, entry->rank) * element;
    char *data = aligned_memory(g->d->memory, bytes);
    const char *from = entry->data;
    if (bytes) scatter(data, strides, &from, entry->shape, entry->rank, element);
    return (fe_tensor){data, (uint32_t)ty_dtype_number(entry->dtype), entry->rank, entry->shape,
                       strides};
}

fe_tensor input_number(driver_program *d, uint32_t k, double number, int64_t integer)
{
    ty_dtype dtype = d->loops->inputs.at[k].dtype;
    union {
        double number;
        int64_t integer;
        uint8_t truth;
    } *value = aligned_memory(d->memory, sizeof *value);
    if (dtype == TY_F64)
        value->number = number;
    else if (dtype == TY_BOOL)
        value->truth = integer != 0;
    else
        value->integer = integer;
    uint32_t number_of = dtype == TY_NO_DTYPE ? 0 : (uint32_t)ty_dtype_number(dtype);
    return (fe_tensor){value, number_of, 0, NULL, NULL};
}

/* The value that the program was exported with. */
static fe_tensor number_input(driver_program *d, uint32_t k)
{
    const loop_input *input = &d->loops->inputs.at[k];
    return input_number(d, k, input->number,
                        sym_is_none(input->expr) ? 0 : sym_hint(d->loops->symbols, input->expr, 0));
}

static fe_status place_all(given *g, fe_tensor *inputs)
{
    for (uint32_t k = 0; k < loop_given_count(g->d->loops); k++)
        inputs[k] = g->entries[k] ? place(g, k) : number_input(g->d, k);
    return FE_OK;
}

/* ---- from files ---- */

fe_status inputs_from_file(driver_program *d, const tensor_file *file, const char *prefix,
                           fe_tensor *inputs)
{
    given g = given_new(d);
    for (uint32_t k = 0; k < loop_given_count(d->loops); k++) {
        const loop_input *input = &d->loops->inputs.at[k];
        const char *name = arena_printf(d->memory, "%sin.%u", prefix, k);
        g.entries[k] = tensor_file_find(file, name);
        if (!g.entries[k] && input->is_tensor)
            return diag_fail(d->session,
                             (diag){.status = FE_USAGE, .stage = "run", .place = file->file.path},
                             "it holds no tensor '%s' for input '%s'", name, input->name);
    }
    return place_all(&g, inputs);
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

fe_status inputs_from_files(driver_program *d, const char *const *paths, uint32_t count,
                            fe_tensor *inputs)
{
    given g = given_new(d);
    if (count != loop_given_count(d->loops))
        return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "run"},
                         "%u --input files given, the program takes %u", count,
                         loop_given_count(d->loops));
    for (uint32_t k = 0; k < count; k++) FE_TRY(read_single(d, paths[k], &g.entries[k]));
    return place_all(&g, inputs);
}

/* ---- samples ---- */

static bool find_samples(driver_program *d, const pt2_sample **samples)
{
    uint32_t count;
    return d->archive &&
           pt2_sample_inputs(d->archive, d->options.model, d->graph, d->memory, samples, &count) &&
           count == loop_given_count(d->loops);
}

static fe_tensor copy_of_sample(arena *memory, const pt2_sample *s)
{
    size_t element = ty_dtype_size(s->dtype),
           bytes = reach_of(s->sizes, s->strides, s->rank) * element;
    char *data = aligned_memory(memory, bytes);
    if (bytes) memcpy(data, s->storage + (size_t)s->offset * element, bytes);
    return (fe_tensor){data, (uint32_t)ty_dtype_number(s->dtype), s->rank, s->sizes, s->strides};
}

bool inputs_have_samples(driver_program *d)
{
    const pt2_sample *samples;
    return find_samples(d, &samples);
}

fe_status inputs_from_samples(driver_program *d, fe_tensor *inputs)
{
    const pt2_sample *samples = NULL;
    uint32_t count = loop_given_count(d->loops);
    if (count && !find_samples(d, &samples))
        return diag_fail(
            d->session,
            (diag){
                .status = FE_USAGE, .stage = "run", .help = "give them with --inputs or --input"},
            "the program takes %u inputs and the archive records no sample of them", count);
    for (uint32_t k = 0; k < count; k++)
        inputs[k] = samples[k].kind == PT2_TENSOR ? copy_of_sample(d->memory, &samples[k])
                                                  : number_input(d, k);
    return FE_OK;
}

/* ---- at random ---- */

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u;
    return HASH_MIX(HASH_MIX(*state, 0xBF58476D1CE4E5B9u), 0x94D049BB133111EBu);
}

/* In the dtype's own bits: the constants of loop IR know how every dtype lies in memory. */
static void fill_random(ty_dtype dtype, uint64_t *state, char *to, size_t elements)
{
    bool is_complex = ty_is_complex(dtype);
    ty_dtype part = is_complex ? ty_complex_to_real(dtype) : dtype;
    size_t size = ty_dtype_size(part);
    for (size_t i = 0; i < elements * (is_complex ? 2 : 1); i++) {
        uint64_t bits = next_random(state) >> 32;
        double number = ty_is_floating(part) ? (double)bits / 0x80000000u - 1 : (double)(bits & 1);
        loop_convert(part, to + i * size, TY_F64, &number);
    }
}

fe_status inputs_at_random(driver_program *d, fe_tensor *inputs)
{
    given g = given_new(d);
    uint64_t state = 1;
    for (uint32_t k = 0; k < loop_given_count(d->loops); k++) {
        if (!d->loops->inputs.at[k].is_tensor) continue;
        const loop_buffer *b = &d->loops->buffers.at[d->loops->inputs.at[k].buffer];
        tensor_entry *entry = NEW(d->memory, tensor_entry);
        int64_t *shape = NEW_ARRAY(d->memory, int64_t, b->rank + 1);
        for (uint32_t i = 0; i < b->rank; i++) {
            int64_t min, max;
            sym_range(d->loops->symbols, b->sizes[i], NULL, &min, &max);
            shape[i] = sym_hint(d->loops->symbols, b->sizes[i], min > 2 ? min : 2);
        }
        *entry = (tensor_entry){.dtype = b->dtype, .rank = b->rank, .shape = shape};
        if (!tensor_bytes(b->dtype, b->rank, shape, &entry->bytes))
            return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "run"},
                             "input '%s' is too large", d->loops->inputs.at[k].name);
        char *data = arena_alloc(d->memory, entry->bytes);
        fill_random(b->dtype, &state, data, entry->bytes / ty_dtype_size(b->dtype));
        entry->data = data;
        g.entries[k] = entry;
    }
    return place_all(&g, inputs);
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

/* ---- inputs that a call overwrites ---- */

static size_t bytes_of(const fe_tensor *t)
{
    size_t bytes = ty_dtype_size(ty_dtype_from_number(t->dtype));
    for (uint32_t d = 0; d < t->rank; d++) bytes *= (size_t)t->sizes[d];
    return bytes;
}

inputs_kept inputs_keep(driver_program *d, const fe_artifact *artifact, fe_tensor *inputs)
{
    inputs_kept kept = {artifact, inputs, NULL};
    kept.donated = NEW_ARRAY(d->memory, void *, artifact->donated_count + 1);
    for (uint32_t i = 0; i < artifact->donated_count; i++) {
        const fe_tensor *t = &inputs[artifact->donated[i]];
        kept.donated[i] = arena_copy(d->memory, t->data, bytes_of(t));
    }
    return kept;
}

void inputs_refill(const inputs_kept *kept)
{
    for (uint32_t i = 0; i < kept->artifact->donated_count; i++) {
        const fe_tensor *t = &kept->tensors[kept->artifact->donated[i]];
        memcpy(t->data, kept->donated[i], bytes_of(t));
    }
}
