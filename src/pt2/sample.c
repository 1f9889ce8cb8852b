/* sample.c -- the inputs that a program was exported with, as one flat list.
 *
 * They are recorded as the tree (args, kwargs), which is flattened along the program's recorded
 * input structure: dictionaries in that structure's order of keys.
 */
#include "pt2/pickle.h"
#include "pt2/pt2_priv.h"

#include <json-c/json.h>
#include <string.h>

enum { DEEPEST = 100 };

typedef struct flat {
    arena *memory;
    json_document *trees; /* what is parsed here */
    VEC(pt2_sample) values;
    bool bad;
} flat;

static void flatten(flat *f, struct json_object *spec, const pickle_object *o, uint32_t depth);

static const pickle_object *entry_of(const pickle_object *dict, const char *key)
{
    for (uint32_t i = 0; i + 1 < dict->items.count; i += 2) {
        const pt2_sample *name = &dict->items.at[i]->value;
        if (name->kind == PT2_STRING && strcmp(name->string, key) == 0)
            return dict->items.at[i + 1];
    }
    return NULL;
}

/* The context of a dictionary is the JSON text of its keys. */
static void flatten_dict(flat *f, struct json_object *spec, struct json_object *children,
                         const pickle_object *o, uint32_t depth)
{
    struct json_object *context, *keys = NULL;
    size_t count = json_object_array_length(children);
    if (o->kind == PICKLE_DICT && json_object_object_get_ex(spec, "context", &context) &&
        json_object_is_type(context, json_type_string))
        keys = json_hold(f->trees, json_object_get_string(context));
    if (!json_object_is_type(keys, json_type_array) || json_object_array_length(keys) != count)
        f->bad = true;
    for (size_t i = 0; i < count && !f->bad; i++) {
        struct json_object *key = json_object_array_get_idx(keys, i);
        const pickle_object *item = json_object_is_type(key, json_type_string)
                                        ? entry_of(o, json_object_get_string(key))
                                        : NULL;
        if (item)
            flatten(f, json_object_array_get_idx(children, i), item, depth);
        else
            f->bad = true;
    }
}

static void flatten(flat *f, struct json_object *spec, const pickle_object *o, uint32_t depth)
{
    struct json_object *children, *type;
    if (depth > DEEPEST || !json_object_is_type(spec, json_type_object) ||
        !json_object_object_get_ex(spec, "children_spec", &children) ||
        !json_object_is_type(children, json_type_array) ||
        !json_object_object_get_ex(spec, "type", &type))
        f->bad = true;
    if (f->bad) return;
    if (!type) { /* a leaf */
        if (o->kind == PICKLE_VALUE)
            vec_push(f->memory, &f->values, o->value);
        else
            f->bad = true;
        return;
    }
    const char *name = json_object_get_string(type);
    if (strcmp(name, "builtins.dict") == 0 || strcmp(name, "collections.OrderedDict") == 0) {
        flatten_dict(f, spec, children, o, depth + 1);
        return;
    }
    bool is_sequence = strcmp(name, "builtins.tuple") == 0 || strcmp(name, "builtins.list") == 0;
    if (!is_sequence || (o->kind != PICKLE_TUPLE && o->kind != PICKLE_LIST) ||
        o->items.count != json_object_array_length(children)) {
        f->bad = true;
        return;
    }
    for (uint32_t i = 0; i < o->items.count && !f->bad; i++)
        flatten(f, json_object_array_get_idx(children, i), o->items.at[i], depth + 1);
}

/* The input structure is `[1, {...}]`: the treespec's version and its root. */
static bool flatten_inputs(flat *f, const fx_graph *g, const pickle_object *inputs)
{
    struct json_object *spec = g->in_spec ? json_hold(f->trees, g->in_spec) : NULL;
    if (!json_object_is_type(spec, json_type_array) || json_object_array_length(spec) != 2)
        return false;
    flatten(f, json_object_array_get_idx(spec, 1), inputs, 0);
    uint32_t wanted = 0;
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
    flat f = {.memory = memory, .trees = json_scratch(&archive->documents)};
    bool good = flatten_inputs(&f, g, inputs);
    json_close_all(&archive->documents);
    if (!good) return false;
    *samples = f.values.at;
    *count = f.values.count;
    return true;
}
