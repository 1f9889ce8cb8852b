/* split.c -- where a program is cut into parts: the option's words, as classes of nodes. */
#include "driver/driver.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NO_CLASS = UINT32_MAX; /* of a rule: the node goes with others */

typedef struct splitter splitter;
typedef struct split_rule {
    const char *word;
    bool has_value;
    fe_status (*read)(splitter *s);
    uint32_t (*class_of)(splitter *s, const fx_node *n);
    const char *(*name_of)(splitter *s, uint32_t class_);
} split_rule;

struct splitter {
    driver_program *d;
    const split_rule *rule;
    const char *value;
    uint64_t each;         /* nodes in a part */
    uint64_t count;        /* calls that stand before the one at hand */
    VEC(uint32_t) classes; /* by fx_class, from 1 on: what the rule calls it */
    map class_index;
};

/* ---- after every N nodes ---- */

static fe_status read_each(splitter *s)
{
    char *end;
    s->each = strtoull(s->value, &end, 10);
    if (*end || s->each == 0)
        return diag_fail(s->d->session, (diag){.status = FE_USAGE, .stage = "sched"},
                         "split: nodes=%s is no number of nodes", s->value);
    return FE_OK;
}

static uint32_t class_by_place(splitter *s, const fx_node *n)
{
    return n->kind == FX_CALL ? (uint32_t)(s->count / s->each) : NO_CLASS;
}

static const char *name_by_place(splitter *s, uint32_t class_)
{
    return arena_printf(s->d->memory, "nodes %llu", (unsigned long long)(class_ * s->each));
}

/* ---- by patterns ---- */

static bool matches_any(splitter *s, const char *name)
{
    char *list = arena_strdup(s->d->memory, s->value), *rest = list;
    for (char *one; (one = strsep(&rest, ","));)
        if (fnmatch(one, name, 0) == 0) return true;
    return false;
}

static uint32_t class_by_op(splitter *s, const fx_node *n)
{
    if (n->kind != FX_CALL) return NO_CLASS;
    return matches_any(s, n->op->name) || matches_any(s, n->op->base);
}

static uint32_t class_by_module(splitter *s, const fx_node *n)
{
    if (n->kind != FX_CALL) return NO_CLASS;
    return n->origin && n->origin->module_path && matches_any(s, n->origin->module_path);
}

/* A tag by its key, or with what it is: stage, or stage:late. */
static uint32_t class_by_tag(splitter *s, const fx_node *n)
{
    if (n->kind != FX_CALL) return NO_CLASS;
    char *list = arena_strdup(s->d->memory, n->origin && n->origin->tags ? n->origin->tags : "");
    for (char *one; (one = strsep(&list, "\n"));) {
        if (*one && matches_any(s, one)) return 1;
        if (strchr(one, ':')) *strchr(one, ':') = 0;
        if (*one && matches_any(s, one)) return 1;
    }
    return 0;
}

static const char *name_by_match(splitter *s, uint32_t class_)
{
    return class_ ? s->value : "rest";
}

/* ---- by device ---- */

static const ty_tensor *first_tensor(const fx_node *n)
{
    const fx_value *v = &n->value;
    while (v->kind == FX_TUPLE && v->count) v = &v->items[0];
    return v->kind == FX_TENSOR ? v->tensor : NULL;
}

static uint32_t class_by_device(splitter *s, const fx_node *n)
{
    const ty_tensor *t = first_tensor(n);
    (void)s;
    return t ? (uint32_t)t->device.kind << 16 | (uint16_t)t->device.index : NO_CLASS;
}

static const char *name_by_device(splitter *s, uint32_t class_)
{
    ty_device device = {(ty_device_kind)(class_ >> 16), (int16_t)class_};
    return ty_device_name(s->d->memory, device);
}

/* ---- by the observer ---- */

static fe_status need_observer(splitter *s)
{
    if (s->d->options.observer.split) return FE_OK;
    return diag_fail(s->d->session, (diag){.status = FE_USAGE, .stage = "sched"},
                     "split: there is no observer that splits");
}

static uint32_t class_by_observer(splitter *s, const fx_node *n)
{
    const fe_observer *o = &s->d->options.observer;
    const ty_tensor *t = first_tensor(n);
    if (n->kind != FX_CALL) return NO_CLASS;
    fe_node_info info = {.name = n->name,
                         .op = n->op->name,
                         .module_path =
                             n->origin && n->origin->module_path ? n->origin->module_path : "",
                         .device = t ? ty_device_name(s->d->memory, t->device) : "cpu",
                         .tags = n->origin && n->origin->tags ? n->origin->tags : ""};
    return o->split(o->data, &info);
}

static const char *name_by_number(splitter *s, uint32_t class_)
{
    return arena_printf(s->d->memory, "class %u", class_);
}

static const split_rule rules[] = {
    {"nodes", true, read_each, class_by_place, name_by_place},
    {"op", true, NULL, class_by_op, name_by_match},
    {"module", true, NULL, class_by_module, name_by_match},
    {"tag", true, NULL, class_by_tag, name_by_match},
    {"device", false, NULL, class_by_device, name_by_device},
    {"observer", false, need_observer, class_by_observer, name_by_number},
};

/* ---- the split ---- */

/* Classes are asked of the nodes that the user knows: those of the graph as it was given. */
static void set_class(splitter *s, fx_graph *g, fx_node *n)
{
    uint32_t class_ = s->rule->class_of(s, n);
    if (class_ == NO_CLASS) return;
    uint32_t index = map_get(&s->class_index, class_);
    if (index == MAP_NONE) {
        index = s->classes.count;
        map_set(s->d->memory, &s->class_index, class_, index);
        vec_push(s->d->memory, &s->classes, class_);
    }
    fx_set_class(g, n, index);
}

/* Calls that are taken as a whole, with all that runs in them. */
static void set_classes(splitter *s, fx_graph *g)
{
    for (fx_node *n = g->first; n; n = n->next) {
        bool goes = pass_runs_once(n);
        if (n->kind != FX_OUTPUT && !goes && (n->kind == FX_CALL || !g->parent)) set_class(s, g, n);
        s->count += n->kind == FX_CALL && !goes;
        for (uint32_t i = 0; goes && i < n->arg_count; i++)
            if (n->args[i].kind == FX_ARG_GRAPH) set_classes(s, n->args[i].graph);
    }
}

static const char *name_of(void *data, uint32_t class_)
{
    splitter *s = data;
    return class_ == FX_ANY_CLASS ? "rest" : s->rule->name_of(s, s->classes.at[class_]);
}

static fe_status read_rule(splitter *s, const char *where)
{
    size_t length = strcspn(where, "=");
    for (size_t k = 0; k < COUNT_OF(rules); k++)
        if (strlen(rules[k].word) == length && strncmp(rules[k].word, where, length) == 0 &&
            rules[k].has_value == (where[length] == '='))
            s->rule = &rules[k];
    if (!s->rule)
        return diag_fail(
            s->d->session,
            (diag){.status = FE_USAGE,
                   .stage = "sched",
                   .help =
                       "nodes=N, op=PATTERN,..., module=PATTERN,..., tag=PATTERN,..., device or "
                       "observer"},
            "split: '%s' is no place to cut at", where);
    s->value = s->rule->has_value ? where + length + 1 : "";
    return s->rule->read ? s->rule->read(s) : FE_OK;
}

fe_status split_classify(driver_program *d)
{
    splitter *s = NEW(d->memory, splitter);
    if (!d->options.split) return FE_OK;
    s->d = d;
    FE_TRY(read_rule(s, d->options.split));
    vec_push(d->memory, &s->classes, NO_CLASS); /* FX_ANY_CLASS */
    set_classes(s, d->graph);
    d->split = NEW(d->memory, lower_split);
    *d->split = (lower_split){.name_of = name_of, .data = s};
    return FE_OK;
}

static fe_status extract(driver_program *d, const sched_options *options)
{
    char *end;
    unsigned long part = strtoul(d->options.part, &end, 10);
    if (*end || !*d->options.part || !d->options.split)
        return diag_fail(
            d->session,
            (diag){.status = FE_USAGE, .stage = "sched", .help = "say also where: split"},
            "part: '%s' is the number of no part", d->options.part);
    FE_TRY(sched_extract(d->loops, (uint32_t)part));
    return sched_build(d->loops, options, d->memory, &d->schedule);
}

/* Parts gather their nodes where the program then needs no more memory. */
static fe_status gather(driver_program *d, const sched_options *options)
{
    loop_program *own = d->loops;
    sched_schedule *gathered;
    lower_split split = *d->split;
    uint32_t when;
    if (!lower_gathers(d->graph)) return FE_OK;
    split.gathers = true;
    FE_TRY(split_lower(d, &split));
    FE_TRY(sched_build(d->loops, options, d->memory, &gathered));
    if (sched_peak(gathered, d->memory, &when) > sched_peak(d->schedule, d->memory, &when))
        d->loops = own;
    else
        d->schedule = gathered;
    return FE_OK;
}

fe_status split_lower(driver_program *d, const lower_split *split)
{
    lower_choices choices = {.results = driver_looks_at_results(&d->options) ? LOWER_RESULTS_ALL
                                                                             : LOWER_RESULTS_OF_USE,
                             .direct_convolution = d->options.direct_convolution,
                             .for_host = d->for_host,
                             .holds = place_holds};
    FE_TRY(lower_graph(d->graph, d->memory, split, &choices, &d->loops));
    d->loops->name = d->name;
    return donate_inputs(d);
}

fe_status split_build(driver_program *d, const sched_options *options)
{
    if (d->options.split && !d->split)
        return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "sched"},
                         "split: the text of this stage knows no nodes");
    FE_TRY(sched_build(d->loops, options, d->memory, &d->schedule));
    if (d->split) FE_TRY(gather(d, options));
    return d->options.part ? extract(d, options) : FE_OK;
}
