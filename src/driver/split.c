/* split.c -- where a program is cut into parts: the option's words, as classes of nodes. */
#include "driver/driver.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

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
    uint64_t each;     /* nodes in a part */
    uint32_t *ordinal; /* by node id: how many calls stand before it */
};

/* ---- after every N nodes ---- */

static fe_status read_each(splitter *s)
{
    char *end;
    s->each = strtoull(s->value, &end, 10);
    if (*end || s->each == 0)
        return diag_fail(s->d->session, (diag){.status = FE_USAGE, .stage = "sched"},
                         "split: nodes=%s is no number of nodes", s->value);
    uint32_t count = 0;
    s->ordinal = NEW_ARRAY(s->d->memory, uint32_t, s->d->graph->by_id.count + 1);
    for (const fx_node *n = s->d->graph->first; n; n = n->next) {
        s->ordinal[n->id] = count;
        count += n->kind == FX_CALL;
    }
    return FE_OK;
}

static uint32_t class_by_place(splitter *s, const fx_node *n)
{
    return (uint32_t)(s->ordinal[n->id] / s->each);
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
    return matches_any(s, n->op->name) || matches_any(s, n->op->base);
}

static uint32_t class_by_module(splitter *s, const fx_node *n)
{
    return n->origin && n->origin->module_path && matches_any(s, n->origin->module_path);
}

/* A tag by its key, or with what it is: stage, or stage:late. */
static uint32_t class_by_tag(splitter *s, const fx_node *n)
{
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
    return t ? (uint32_t)t->device.kind << 16 | (uint16_t)t->device.index : SCHED_ANY_CLASS;
}

static const char *name_by_device(splitter *s, uint32_t class_)
{
    ty_device device = {(ty_device_kind)(class_ >> 16), (int16_t)class_};
    return class_ == SCHED_ANY_CLASS ? "any" : ty_device_name(s->d->memory, device);
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

static uint32_t class_of(void *data, uint32_t origin)
{
    splitter *s = data;
    const fx_graph *g = s->d->graph;
    const fx_node *n = origin < g->by_id.count ? g->by_id.at[origin] : NULL;
    return n && n->kind == FX_CALL ? s->rule->class_of(s, n) : SCHED_ANY_CLASS;
}

static const char *name_of(void *data, uint32_t class_)
{
    splitter *s = data;
    return class_ == SCHED_ANY_CLASS ? "rest" : s->rule->name_of(s, class_);
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

static fe_status extract(driver_program *d, const sched_target *target)
{
    char *end;
    unsigned long part = strtoul(d->options.part, &end, 10);
    if (*end || !*d->options.part || !d->options.split)
        return diag_fail(
            d->session,
            (diag){.status = FE_USAGE, .stage = "sched", .help = "say also where: split"},
            "part: '%s' is the number of no part", d->options.part);
    FE_TRY(sched_extract(d->loops, (uint32_t)part));
    return sched_build(d->loops, target, NULL, d->memory, &d->schedule);
}

fe_status split_build(driver_program *d, const sched_target *target)
{
    splitter s = {.d = d};
    sched_split split = {class_of, name_of, &s};
    if (d->options.split) {
        if (!d->graph)
            return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "sched"},
                             "split: the text of this stage knows no nodes");
        FE_TRY(read_rule(&s, d->options.split));
    }
    FE_TRY(sched_build(d->loops, target, s.rule ? &split : NULL, d->memory, &d->schedule));
    return d->options.part ? extract(d, target) : FE_OK;
}
