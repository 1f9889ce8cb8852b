/* op.c -- the registry: finds operators by name or id, and the functional sibling of a mutating
 * one.
 *
 * The rows of ops.def are constant data. A registry reads their names when it is made and parses a
 * row's schema when the operator is first asked for: a program uses some fifty of the fourteen
 * hundred.
 */
#define _GNU_SOURCE
#include "op/op_priv.h"

#include <stdio.h>
#include <string.h>

enum {
    POINTWISE = OPF_POINTWISE,
    RANDOM = OPF_RANDOM,
    EFFECT = OPF_EFFECT,
    SYMBOLIC = OPF_SYMBOLIC,
    COMPOSITE = OPF_COMPOSITE,
    HIGHER_ORDER = OPF_HIGHER_ORDER,
    DATA_DEPENDENT = OPF_DATA_DEPENDENT,
    OWN_LAYOUT = OPF_OWN_LAYOUT,
    NUMBERS = OPF_NUMBERS,
    OWN_DTYPE = OPF_OWN_DTYPE,
    MOVES = OPF_MOVES
};

const op_row op_rows[OP_BUILTIN_COUNT] = {
#define OP(id, its_schema, columns) [OP_##id] = {.schema = its_schema, columns},
#define IS(its_flags) .flags = its_flags,
#define ALIAS(...) .aliases = (const char *const[]){__VA_ARGS__, NULL},
#define OUT(...) .outs = (const char *const[]){__VA_ARGS__, NULL},
#include "op/ops.def"
};

bool op_space_has_overloads(const char *space, size_t length)
{
    static const char *const WITHOUT[] = {
        "_operator", "math", "builtins", "torch", "higher_order", "torch._functorch.predispatch",
    };
    for (size_t i = 0; i < COUNT_OF(WITHOUT); i++)
        if (strlen(WITHOUT[i]) == length && memcmp(WITHOUT[i], space, length) == 0) return false;
    return true;
}

op_registry *op_registry_new(arena *memory)
{
    op_registry *r = NEW(memory, op_registry);
    r->session = arena_session(memory);
    r->memory = memory;
    r->builtin = NEW_ARRAY(memory, op_info *, OP_BUILTIN_COUNT);
    for (uint32_t id = OP_NONE + 1; id < OP_BUILTIN_COUNT; id++) {
        const char *name = op_schema_name(r->session, op_rows[id].schema);
        CHECK(r->session, name && map_get(&r->by_name, MAP_KEY(name)) == MAP_NONE);
        map_set(memory, &r->by_name, MAP_KEY(name), id);
    }
    return r;
}

const op_info *op_get(op_registry *r, op_id id)
{
    uint32_t index = (uint32_t)id;
    if (index >= OP_BUILTIN_COUNT) {
        CHECK(r->session, index - OP_BUILTIN_COUNT < r->custom.count);
        return r->custom.at[index - OP_BUILTIN_COUNT];
    }
    CHECK(r->session, index != OP_NONE);
    if (r->builtin[index]) return r->builtin[index];
    op_info *op = NEW(r->memory, op_info);
    if (op_schema_parse(r->session, r->memory, op_rows[index].schema, op) != FE_OK)
        BUG(r->session, "ops.def: bad schema %s", op_rows[index].schema);
    op->id = index;
    op->flags = op_rows[index].flags;
    bool takes_numbers = op->flags & OPF_NUMBERS || strcmp(op->space, "prims") == 0;
    for (uint32_t i = 0; takes_numbers && i < op->param_count; i++)
        op->params[i].type.takes_number = !op->params[i].is_written;
    r->builtin[index] = op;
    return op;
}

/* ---- look-ups ---- */

/* Is `name` one of the alias, and how much of it: all, or up to an overload, behind an in-place mark? */
static bool is_alias(const char *alias, const char *name, size_t length, size_t *known)
{
    const char *overload = memrchr(name, '.', length);
    size_t base = overload ? (size_t)(overload - name) : length;
    size_t plain = base > 1 && name[base - 1] == '_' && name[base - 2] != '_' ? base - 1 : base;
    *known = strlen(alias);
    return (*known == length || *known == plain) && memcmp(alias, name, *known) == 0;
}

/* Writes the name of the operator that another name, "space.base.overload", stands for. */
static bool resolve_alias(op_registry *r, const char *name, size_t length, char *out, size_t size)
{
    size_t known;
    for (uint32_t id = OP_NONE + 1; id < OP_BUILTIN_COUNT; id++)
        for (const char *const *alias = op_rows[id].aliases; alias && *alias; alias++) {
            if (!is_alias(*alias, name, length, &known)) continue;
            const char *of = op_schema_name(r->session, op_rows[id].schema);
            bool is_whole = strchr(*alias, '.') != strrchr(*alias, '.');
            size_t kept = is_whole ? strlen(of) : (size_t)(strrchr(of, '.') - of);
            int made =
                snprintf(out, size, "%.*s%.*s", (int)kept, of, (int)(length - known), name + known);
            return made > 0 && (size_t)made < size;
        }
    return false;
}

static const op_info *find_exact(op_registry *r, const char *name, size_t length)
{
    char other[256];
    uint32_t id = map_get(&r->by_name, MAP_KEY(intern_n(r->session, name, length)));
    if (id == MAP_NONE && resolve_alias(r, name, length, other, sizeof other))
        id = map_get(&r->by_name, MAP_KEY(intern(r->session, other)));
    return id == MAP_NONE ? op_find_out(r, name, length) : op_get(r, (op_id)id);
}

const op_info *op_find(op_registry *r, const char *name)
{
    static const char PREFIX[] = "torch.ops.";
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) == 0) name += sizeof PREFIX - 1;

    char buffer[256];
    const char *colons = strstr(name, "::");
    if (colons) {
        int length =
            snprintf(buffer, sizeof buffer, "%.*s.%s", (int)(colons - name), name, colons + 2);
        if (length < 0 || (size_t)length >= sizeof buffer) return NULL;
        name = buffer;
    }
    size_t length = strlen(name);
    const op_info *op = find_exact(r, name, length);
    if (op) return op;

    static const char SUFFIX[] = ".default";
    char longer[sizeof buffer + sizeof SUFFIX];
    if (length >= sizeof buffer) return NULL;
    memcpy(longer, name, length);
    memcpy(longer + length, SUFFIX, sizeof SUFFIX);
    return find_exact(r, longer, length + sizeof SUFFIX - 1);
}

bool op_is_foreach(const op_info *op)
{
    return strcmp(op->space, "aten") == 0 &&
           strncmp(op->base, OP_FOREACH, sizeof OP_FOREACH - 1) == 0;
}

int op_param_index(const op_info *op, const char *name)
{
    for (uint32_t i = 0; i < op->param_count; i++)
        if (strcmp(op->params[i].name, name) == 0) return (int)i;
    return -1;
}

/* ---- functional siblings ---- */

/* Pairs whose names or parameters do not follow from each other. */
static const char *const IRREGULAR[][2] = {
    {"aten.normal_.default", "aten.normal_functional.default"},
    {"aten.bernoulli_.float", "aten.bernoulli.p"},
    {"aten._native_batch_norm_legit.default", "aten._native_batch_norm_legit_functional.default"},
    {"aten._batch_norm_with_update.default", "aten._batch_norm_with_update_functional.default"},
    {"aten.polygamma_.default", "aten.polygamma.default"},
    {"aten.rrelu_with_noise.default", "aten.rrelu_with_noise_functional.default"},
};

static bool same_type(const op_type *a, const op_type *b)
{
    return a->base == b->base && a->list == b->list && a->optional == b->optional &&
           a->optional_elements == b->optional_elements;
}

/* Does `plain` have the parameters of `writing`, in order, but for the written ones that must be
 * left out? */
static bool matches(const op_info *writing, const op_info *plain, bool drop_written)
{
    if (plain->is_mutating) return false;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < writing->param_count; i++) {
        const op_param *p = &writing->params[i];
        if (drop_written && p->is_written) continue;
        if (taken == plain->param_count) return false;
        const op_param *q = &plain->params[taken++];
        bool same_name =
            p->name == q->name || p->is_written; /* dropout_(self) stands for dropout(input) */
        if (!same_name || !same_type(&p->type, &q->type)) return false;
    }
    return taken == plain->param_count;
}

/* Writes the base of the functional operator: add_ -> add, __iand__ -> __and__; the same for an out
 * operator. */
static bool functional_base(const op_info *op, char *out, size_t room)
{
    size_t length = strlen(op->base);
    if (length + 1 > room) return false;
    memcpy(out, op->base, length + 1);
    if (length > 5 && strncmp(out, "__i", 3) == 0 && strcmp(out + length - 2, "__") == 0)
        memmove(out + 2, out + 3, length - 2);
    else if (length > 1 && out[length - 1] == '_' && out[length - 2] != '_')
        out[length - 1] = '\0';
    else
        return false;
    return true;
}

static const op_info *search_overloads(op_registry *r, const op_info *op, const char *base,
                                       bool drop_written)
{
    char prefix[160];
    int length = snprintf(prefix, sizeof prefix, "%s::%s", op->space, base);
    if (length < 0 || (size_t)length >= sizeof prefix) return NULL;
    uint32_t end = OP_BUILTIN_COUNT + r->custom.count;
    for (uint32_t id = OP_NONE + 1; id < end; id++) {
        const char *schema = id < OP_BUILTIN_COUNT ? op_rows[id].schema
                                                   : r->custom.at[id - OP_BUILTIN_COUNT]->schema;
        if (strncmp(schema, prefix, (size_t)length) != 0) continue;
        if (schema[length] != '.' && schema[length] != '(') continue;
        const op_info *candidate = op_get(r, (op_id)id);
        if (matches(op, candidate, drop_written)) return candidate;
    }
    return NULL;
}

static const op_info *search_functional(op_registry *r, const op_info *op)
{
    for (size_t i = 0; i < COUNT_OF(IRREGULAR); i++)
        if (strcmp(IRREGULAR[i][0], op->name) == 0) return op_find(r, IRREGULAR[i][1]);

    char base[128];
    if (!functional_base(op, base, sizeof base)) return search_overloads(r, op, op->base, true);
    char name[256];
    int length = snprintf(name, sizeof name, "%s.%s.%s", op->space, base, op->overload);
    if (length > 0 && (size_t)length < sizeof name) {
        const op_info *same = find_exact(r, name, (size_t)length);
        if (same && matches(op, same, false)) return same;
    }
    return search_overloads(r, op, base, false);
}

const op_info *op_functional_of(op_registry *r, const op_info *op)
{
    if (!op->is_mutating) return NULL;
    uint32_t known = map_get(&r->functional, op->id);
    if (known == MAP_NONE) {
        const op_info *found = search_functional(r, op);
        known = found ? found->id : OP_NONE;
        map_set(r->memory, &r->functional, op->id, known);
    }
    return known == OP_NONE ? NULL : op_get(r, (op_id)known);
}
