/* origin.c -- provenance: where in the user's program a node comes from.
 *
 * Neighbouring nodes mostly share stack trace and module, so each is read only where it changes.
 */
#include "pt2/pt2_priv.h"

#include <string.h>

/* The next comma outside brackets, or the end. */
static const char *field_end(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        if (*at == '[' || *at == '(') depth++;
        if (*at == ']' || *at == ')') depth--;
        if (*at == ',' && depth == 0) break;
    }
    return at;
}

/* "key,path,type;key,path,type": path and type of the innermost module. */
static void read_modules(reader *r, const char *modules)
{
    const char *last = strrchr(modules, ';');
    const char *at = last ? last + 1 : modules;
    const char *end = at + strlen(at);
    const char *path = field_end(at, end);
    const char *type = path < end ? field_end(path + 1, end) : end;
    r->last_path = r->last_type = NULL;
    if (type == end) return;
    r->last_path = intern_n(r->session, path + 1, (size_t)(type - path - 1));
    for (const char *dot = ++type; dot < end; dot++)
        if (*dot == '.') type = dot + 1;
    r->last_type = intern_n(r->session, type, (size_t)(end - type));
}

/* ---- tags: the node's own metadata, an object of JSON ---- */

/* Behind the value, or the key, that begins at `at`. */
static const char *value_end(const char *at)
{
    int depth = 0;
    bool quoted = false;
    for (; *at; at++) {
        if (quoted) {
            if (*at == '\\' && at[1])
                at++;
            else if (*at == '"')
                quoted = false;
            continue;
        }
        quoted = *at == '"';
        if (depth == 0 && (*at == ',' || *at == ':' || *at == '}')) break;
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
    }
    return at;
}

/* Texts without their quotes. */
static void add_word(text *out, const char *at, const char *end)
{
    while (at < end && *at == ' ') at++;
    while (end > at && end[-1] == ' ') end--;
    if (end - at >= 2 && *at == '"' && end[-1] == '"') at++, end--;
    for (; at < end; at++) text_char(out, *at == '\n' ? ' ' : *at);
}

/* {"stage": "late", "rank": 1} -> "stage:late", "rank:1", a line each */
static const char *read_tags(reader *r, const char *object)
{
    text out;
    const char *at = strchr(object, '{');
    text_init(&out, r->memory);
    while (at && *at && at[1] != '}') {
        const char *key = at + 1, *end = value_end(key);
        if (*end != ':') break;
        if (out.length) text_char(&out, '\n');
        add_word(&out, key, end);
        text_char(&out, ':');
        at = value_end(end + 1);
        add_word(&out, end + 1, at);
        if (*at != ',') break;
    }
    return out.length ? intern(r->session, out.at) : NULL;
}

/* Reads a string that is mostly the one read before, which is then given again. */
static fe_status read_repeated(reader *r, json_at *at, repeated *last)
{
    size_t length = (size_t)(at->end - at->start);
    if (last->value && last->length == length && memcmp(last->start, at->start, length) == 0)
        return FE_OK;
    last->start = at->start;
    last->length = length;
    const char *recorded;
    FE_TRY(json_text(at, &recorded));
    if (!last->value || strcmp(last->value, recorded) != 0)
        last->value = intern(r->session, recorded);
    return FE_OK;
}

fe_status origin_read(reader *r, const char *node, const char *target, json_at *metadata,
                      const fx_origin **out)
{
    json_at member;
    fx_origin *o = NEW(r->memory, fx_origin);
    o->node = node;
    o->target = target;
    *out = o;
    if (!metadata) return FE_OK;
    if (json_find(metadata, "stack_trace", &member)) {
        FE_TRY(read_repeated(r, &member, &r->stack));
        o->stack_trace = r->stack.value;
    }
    if (json_find(metadata, "nn_module_stack", &member)) {
        const char *before = r->modules.value;
        FE_TRY(read_repeated(r, &member, &r->modules));
        if (r->modules.value != before) read_modules(r, r->modules.value);
        o->module_path = r->last_path;
        o->module_type = r->last_type;
    }
    if (json_find(metadata, "custom", &member)) {
        const char *recorded;
        FE_TRY(json_text(&member, &recorded));
        o->tags = read_tags(r, recorded);
    }
    return FE_OK;
}

const fx_origin *origin_like(reader *r, const fx_origin *like, const char *node, const char *target)
{
    fx_origin *o = arena_copy(r->memory, like, sizeof *like);
    o->node = node;
    o->target = target;
    return o;
}

const fx_origin *origin_of_input(reader *r, const char *name)
{
    fx_origin *o = NEW(r->memory, fx_origin);
    o->node = name;
    o->target = "placeholder";
    return o;
}
