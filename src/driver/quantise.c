/* quantise.c -- option quantize: which weights become integers of how many bits, and what became of them. */
#include "driver/driver.h"

#include "../rt/rt_pool.h"

#include <fnmatch.h>
#include <string.h>

typedef struct wish {
    const char *pattern; /* NULL: all */
    int bits;            /* of weight_bits() */
    bool matches;        /* a weight */
} wish;

typedef struct quantising {
    wish *wishes;
    uint32_t count;
} quantising;

static const struct {
    const char *name;
    int bits;
} FORMS[] = {{"int8", 8}, {"int8-dynamic", PASS_DYNAMIC_BITS}, {"int4", 4}, {"float", 0}};

static fe_status read_wish(driver_program *d, const char *option, wish *out)
{
    const char *equals = strrchr(option, '='), *form = equals ? equals + 1 : option;
    if (equals) out->pattern = arena_printf(d->memory, "%.*s", (int)(equals - option), option);
    for (size_t i = 0; i < COUNT_OF(FORMS); i++) {
        if (strcmp(FORMS[i].name, form) != 0) continue;
        out->bits = FORMS[i].bits;
        return FE_OK;
    }
    return diag_fail(d->session,
                     (diag){.status = FE_USAGE,
                            .stage = "quantise",
                            .help = "int8, or for some alone: lm_head=int8, layers.*=int4"},
                     "quantize: a weight is int8, int8-dynamic, int4 or float, not '%s'", form);
}

/* By the weight's name, or the module of what reads it. Embeddings are to be named. */
static bool is_meant(const wish *w, const fx_node *weight, const fx_node *reader)
{
    const char *module = reader->origin ? reader->origin->module_path : NULL;
    if (!w->pattern) return !fx_is(reader, OP_aten_embedding_default);
    return fnmatch(w->pattern, weight->name, 0) == 0 ||
           (weight->target && fnmatch(w->pattern, weight->target, 0) == 0) ||
           (module && *module && fnmatch(w->pattern, module, 0) == 0);
}

static int weight_bits(void *data, const fx_node *weight, const fx_node *reader)
{
    driver_program *d = data;
    quantising *q = d->quantising;
    int bits = 0;
    for (uint32_t i = 0; i < q->count; i++) {
        if (!is_meant(&q->wishes[i], weight, reader)) continue;
        q->wishes[i].matches = true;
        bits = q->wishes[i].bits;
    }
    return bits;
}

static void keep_weight(void *data, const fe_quantised *weight)
{
    driver_program *d = data;
    vec_push(d->memory, &d->quantised, *weight);
}

static void parallel(void *data, int64_t count, pass_task *task, void *context)
{
    const driver_program *d = data;
    rt_parallel(rt_pool_get((int)d->options.jobs), task, context, count, 8);
}

fe_status quantise_begin(driver_program *d, pass_services *services)
{
    const option_list *list = &d->options.quantize;
    if (!list->count) return FE_OK;
    quantising *q = d->quantising = NEW(d->memory, quantising);
    q->wishes = NEW_ARRAY(d->memory, wish, list->count);
    q->count = list->count;
    for (uint32_t i = 0; i < list->count; i++) FE_TRY(read_wish(d, list->at[i], &q->wishes[i]));
    if (d->options.passes.is_off)
        return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "quantise"},
                         "quantize: it is a pass, and there are none");
    services->weight_bits = weight_bits;
    services->keep_weight = keep_weight;
    services->parallel = parallel;
    services->workers = (uint32_t)rt_pool_threads(rt_pool_get((int)d->options.jobs));
    return FE_OK;
}

fe_status quantise_is_late(const driver_program *d)
{
    if (!d->options.quantize.count) return FE_OK;
    return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "quantise"},
                     "quantize: the text of this stage has weights that are laid out already");
}

fe_status quantise_check(const driver_program *d)
{
    const quantising *q = d->quantising;
    for (uint32_t i = 0; q && i < q->count; i++) {
        if (!q->wishes[i].pattern || q->wishes[i].matches) continue;
        return diag_fail(d->session,
                         (diag){.status = FE_USAGE,
                                .stage = "quantise",
                                .help = "names are those of parameters (layers.0.wq.weight, "
                                        "layers.*) or modules (lm_head)"},
                         "quantize: '%s' is the name of no weight that can be integers",
                         q->wishes[i].pattern);
    }
    return FE_OK;
}

int fe_quantised_at(const fe_program *program, uint32_t index, fe_quantised *weight)
{
    if (index >= program->quantised.count) return 0;
    *weight = program->quantised.at[index];
    return 1;
}
