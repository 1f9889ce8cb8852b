/* sample.c -- the inputs that a program was exported with, as one flat list.
 *
 * They are recorded as the tree (args, kwargs), which is flattened along the program's recorded
 * input structure: dictionaries in that structure's order of keys.
 */
#include "pt2/pickle.h"
#include "pt2/pt2_priv.h"

#include <string.h>

enum { DEEPEST = 100 };

typedef struct flat {
    arena *memory;
    json_owner documents; /* that are opened here */
    VEC(pt2_sample) values;
    bool bad;
} flat;

static void flatten(flat *f, json_at *spec, const pickle_object *o, uint32_t depth);

static const pickle_object *entry_of(const pickle_object *dict, const char *key)
{
    for (uint32_t i = 0; i + 1 < dict->items.count; i += 2) {
        const pt2_sample *name = &dict->items.at[i]->value;
        if (name->kind == PT2_STRING && strcmp(name->string, key) == 0)
            return dict->items.at[i + 1];
    }
    return NULL;
}

/* A text inside the record, which is JSON itself. */
static bool open_text(flat *f, const char *source, json_at *root)
{
    return json_open(&f->documents, "pt2", "input structure", (const uint8_t *)source,
                     strlen(source), root) == FE_OK;
}

/* The context of a dictionary is the JSON text of its keys. */
static bool open_keys(flat *f, json_at *spec, const pickle_object *o, uint32_t wanted,
                      json_at *keys)
{
    json_at context;
    const char *source;
    uint32_t count;
    return o->kind == PICKLE_DICT && json_find(spec, "context", &context) &&
           json_text(&context, &source) == FE_OK && open_text(f, source, keys) &&
           json_count(keys, &count) == FE_OK && count == wanted;
}

static void flatten_dict(flat *f, json_at *spec, json_at *children, uint32_t count,
                         const pickle_object *o, uint32_t depth)
{
    json_at keys, key, child;
    json_walk names, specs;
    f->bad |= !open_keys(f, spec, o, count, &keys) || json_walk_array(&keys, &names) != FE_OK ||
              json_walk_array(children, &specs) != FE_OK;
    while (!f->bad && json_next(&names, &key) && json_next(&specs, &child)) {
        const char *name;
        const pickle_object *item = json_text(&key, &name) == FE_OK ? entry_of(o, name) : NULL;
        if (item)
            flatten(f, &child, item, depth);
        else
            f->bad = true;
    }
}

static void flatten_sequence(flat *f, json_at *children, uint32_t count, const pickle_object *o,
                             uint32_t depth)
{
    json_at child;
    json_walk walk;
    f->bad |= (o->kind != PICKLE_TUPLE && o->kind != PICKLE_LIST) || o->items.count != count ||
              json_walk_array(children, &walk) != FE_OK;
    for (uint32_t i = 0; !f->bad && json_next(&walk, &child); i++)
        flatten(f, &child, o->items.at[i], depth);
}

static void flatten(flat *f, json_at *spec, const pickle_object *o, uint32_t depth)
{
    json_at children, type;
    const char *name;
    uint32_t count;
    f->bad |= depth > DEEPEST || json_member(spec, "children_spec", &children) != FE_OK ||
              json_count(&children, &count) != FE_OK || json_member(spec, "type", &type) != FE_OK;
    if (f->bad) return;
    if (json_is_null(&type)) { /* a leaf */
        f->bad = o->kind != PICKLE_VALUE;
        if (!f->bad) vec_push(f->memory, &f->values, o->value);
    } else if (json_text(&type, &name) != FE_OK) {
        f->bad = true;
    } else if (strcmp(name, "builtins.dict") == 0 || strcmp(name, "collections.OrderedDict") == 0) {
        flatten_dict(f, spec, &children, count, o, depth + 1);
    } else if (strcmp(name, "builtins.tuple") == 0 || strcmp(name, "builtins.list") == 0) {
        flatten_sequence(f, &children, count, o, depth + 1);
    } else {
        f->bad = true;
    }
}

/* The input structure is `[1, {...}]`: the treespec's version and its root. */
static bool flatten_inputs(flat *f, const fx_graph *g, const pickle_object *inputs)
{
    json_at all, spec;
    json_walk walk;
    uint32_t count, wanted = 0;
    if (!g->in_spec || !open_text(f, g->in_spec, &all) || json_count(&all, &count) != FE_OK ||
        count != 2 || json_walk_array(&all, &walk) != FE_OK)
        return false;
    while (json_next(&walk, &spec)) /* the second */
        ;
    flatten(f, &spec, inputs, 0);
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        fx_input_kind kind = g->inputs.at[i]->input_kind;
        wanted += kind == FX_USER_INPUT || kind == FX_CONSTANT_INPUT;
    }
    return !f->bad && f->values.count == wanted;
}

bool pt2_sample_inputs(pt2_archive *archive, const char *model, const fx_graph *g, arena *memory,
                       const pt2_sample **samples, uint32_t *count)
{
    if (!model && archive->models.count != 1) return false;
    if (!model) model = archive->models.at[0];
    const pt2_record *record =
        pt2_find(archive, arena_printf(memory, "data/sample_inputs/%s.pt", model));
    const pickle_object *inputs = record ? pickle_read(archive->session, memory, record) : NULL;
    if (!inputs) return false;
    flat f = {.memory = memory, .documents = {archive->session, memory, NULL}};
    diag_mark_t mark = diag_mark(archive->session); /* that there is none is no mistake */
    bool good = flatten_inputs(&f, g, inputs);
    if (!good) diag_forget_since(archive->session, mark);
    json_close_all(&f.documents);
    if (!good) return false;
    *samples = f.values.at;
    *count = f.values.count;
    return true;
}
