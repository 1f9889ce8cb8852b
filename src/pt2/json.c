/* json.c -- a JSON record and places in it, over json-c.
 *
 * A document is scanned once for its structure: brackets, strings, commas and colons must fit.
 * The scan notes where the containers near the root end, so that they can be walked as text; a
 * piece that is read is parsed by json-c on its own and dropped after use. A 100,000 node
 * program costs its text and one node's tree, not gigabytes of small objects.
 */
#include "pt2/json.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

/* ---- documents ---- */

json_document *json_scratch(json_owner *owner)
{
    json_document *d = NEW(owner->memory, json_document);
    d->session = owner->session;
    d->memory = owner->memory;
    d->next = owner->first;
    owner->first = d; /* from here on, closing the owner's closes it */
    d->tokener = json_tokener_new_ex(JSON_DEEPEST + 2);
    if (!d->tokener) session_no_memory(d->session);
    json_tokener_set_flags(d->tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    return d;
}

struct json_object *json_hold(json_document *document, const char *source)
{
    vec_reserve(document->memory, &document->held,
                document->held.count + 1); /* before json-c holds anything */
    json_tokener_reset(document->tokener);
    size_t length = strlen(source);
    if (length >= INT32_MAX) return NULL;
    struct json_object *value = json_tokener_parse_ex(document->tokener, source, (int)length + 1);
    if (value) document->held.at[document->held.count++] = value;
    return value;
}

fe_status json_open(json_owner *owner, const char *stage, const char *record, const uint8_t *data,
                    size_t size, json_at *root)
{
    json_document *d = json_scratch(owner);
    d->stage = stage;
    d->record = record;
    d->start = (const char *)data;
    d->end = d->start + size;

    const char *wrong_at = d->start;
    const char *wrong = json_scan(d, &wrong_at);
    if (wrong) {
        diag at = {.status = FE_CORRUPT, .stage = stage, .place = record};
        return diag_fail(d->session, at, "malformed JSON at byte %zu: %s",
                         (size_t)(wrong_at - d->start), wrong);
    }
    const char *start = json_skip_space(d->start, d->end);
    const char *end = d->end;
    while (end > start && json_is_space(end[-1])) end--;
    *root = (json_at){.document = d, .start = start, .end = end};
    return FE_OK;
}

uint32_t json_mark(const json_document *document)
{
    return document->held.count;
}

void json_drop(json_document *document, uint32_t mark)
{
    while (document->held.count > mark) json_object_put(document->held.at[--document->held.count]);
}

void json_close_all(json_owner *owner)
{
    for (json_document *d = owner->first; d; d = d->next) {
        json_drop(d, 0);
        if (d->tokener) json_tokener_free(d->tokener);
        d->tokener = NULL;
    }
    owner->first = NULL;
}

fe_status json_load(json_at *at)
{
    if (at->is_parsed) return FE_OK;
    json_document *d = at->document;
    vec_reserve(d->memory, &d->held, d->held.count + 1); /* before json-c holds anything */
    if (at->end - at->start > INT32_MAX)
        return json_fail(at, FE_UNSUPPORTED, NULL, "more than 2 GiB of JSON in one piece");

    json_tokener_reset(d->tokener);
    struct json_object *value =
        json_tokener_parse_ex(d->tokener, at->start, (int)(at->end - at->start));
    enum json_tokener_error error = json_tokener_get_error(d->tokener);
    size_t used = json_tokener_get_parse_end(d->tokener);
    if (error == json_tokener_continue) { /* a number ends with the text */
        value = json_tokener_parse_ex(d->tokener, "", 1);
        error = json_tokener_get_error(d->tokener);
    }
    if (error != json_tokener_success) {
        if (value) json_object_put(value);
        return json_fail(at, FE_CORRUPT, NULL, "malformed JSON at byte %zu: %s",
                         (size_t)(at->start - d->start) + used, json_tokener_error_desc(error));
    }
    if (value) d->held.at[d->held.count++] = value;
    at->value = value;
    at->is_parsed = true;
    return FE_OK;
}

/* ---- containers ---- */

/* The end of the value at `at`, in a text that was scanned. */
static const char *value_end(const json_document *d, const char *at)
{
    if (*at == '"') return json_skip_string(at + 1, d->end);
    if (*at != '{' && *at != '[') return json_skip_word(at, d->end);
    uint32_t low = 0, high = d->spans.count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->spans.at[middle].start <= at)
            low = middle;
        else
            high = middle;
    }
    CHECK(d->session, d->spans.at[low].start == at); /* else walked as text below JSON_INDEXED */
    return d->spans.at[low].end;
}

/* Containers at the edge of the index are parsed rather than walked. */
static bool is_walked_as_text(const json_at *at)
{
    uint32_t depth = 0;
    for (const json_at *up = at->parent; up; up = up->parent) depth++;
    return !at->is_parsed && depth + 1 < JSON_INDEXED;
}

static fe_status begin_walk(const json_at *container, json_walk *walk, enum json_type type,
                            const char *what)
{
    json_at *at = (json_at *)(uintptr_t)container; /* parsing it does not change what it is */
    *walk = (json_walk){.container = container};
    if (is_walked_as_text(container)) {
        if (*container->start != (type == json_type_object ? '{' : '['))
            return json_expected(at, what);
        walk->next = json_skip_space(container->start + 1, container->end);
        return FE_OK;
    }
    FE_TRY(json_load(at));
    if (json_object_get_type(at->value) != type) return json_expected(at, what);
    if (type == json_type_object)
        walk->entry = json_object_get_object(at->value)->head;
    else
        walk->count = (uint32_t)json_object_array_length(at->value);
    return FE_OK;
}

fe_status json_walk_object(const json_at *object, json_walk *walk)
{
    return begin_walk(object, walk, json_type_object, "an object");
}

fe_status json_walk_array(const json_at *array, json_walk *walk)
{
    return begin_walk(array, walk, json_type_array, "an array");
}

static bool next_in_text(json_walk *walk, json_at *child)
{
    const json_document *d = walk->container->document;
    if (*walk->next == '}' || *walk->next == ']') return false;
    *child = (json_at){
        .document = walk->container->document, .parent = walk->container, .index = walk->index++};
    if (*walk->container->start == '{') {
        const char *after = json_skip_string(walk->next + 1, d->end);
        child->key = walk->next + 1; /* with its escapes: json_key() */
        child->key_length = (uint32_t)(after - 1 - child->key);
        walk->next = json_skip_space(json_skip_space(after, d->end) + 1, d->end);
    }
    child->start = walk->next;
    child->end = value_end(d, walk->next);
    walk->next = json_skip_space(child->end, d->end);
    if (*walk->next == ',') walk->next = json_skip_space(walk->next + 1, d->end);
    return true;
}

bool json_next(json_walk *walk, json_at *child)
{
    if (walk->next) return next_in_text(walk, child);
    if (walk->entry) {
        *child = (json_at){
            .document = walk->container->document,
            .parent = walk->container,
            .key = lh_entry_k(walk->entry),
            .key_length = (uint32_t)strlen(lh_entry_k(walk->entry)),
            .index = walk->index++,
            .value = (struct json_object *)lh_entry_v(walk->entry),
            .is_parsed = true,
        };
        walk->entry = walk->entry->next;
        return true;
    }
    if (walk->index >= walk->count) return false;
    *child = (json_at){
        .document = walk->container->document,
        .parent = walk->container,
        .index = walk->index,
        .value = json_object_array_get_idx(walk->container->value, walk->index),
        .is_parsed = true,
    };
    walk->index++;
    return true;
}

fe_status json_count(json_at *array, uint32_t *count)
{
    FE_TRY(json_load(array));
    if (!json_object_is_type(array->value, json_type_array))
        return json_expected(array, "an array");
    *count = (uint32_t)json_object_array_length(array->value);
    return FE_OK;
}

bool json_key_is(const json_at *at, const char *key)
{
    size_t length = strlen(key);
    return at->key && at->key_length == length && memcmp(at->key, key, length) == 0;
}

fe_status json_key(json_at *member, const char **out)
{
    json_document *d = member->document;
    *out = intern_n(d->session, member->key, member->key_length);
    if (member->is_parsed || !memchr(member->key, '\\', member->key_length)) return FE_OK;
    uint32_t mark = json_mark(d); /* in a text, escapes are still there */
    json_at quoted = *member;
    quoted.start = member->key - 1;
    quoted.end = member->key + member->key_length + 1;
    FE_TRY(json_name(&quoted, out));
    json_drop(d, mark);
    return FE_OK;
}

/* The member, null or not. The last one counts, as json-c has it. */
static bool find_member(json_at *object, const char *key, json_at *out)
{
    json_walk walk;
    json_at child;
    bool found = false;
    if (!is_walked_as_text(object)) {
        struct json_object *value;
        if (json_load(object) != FE_OK || !json_object_is_type(object->value, json_type_object))
            return false;
        if (!json_object_object_get_ex(object->value, key, &value)) return false;
        *out = (json_at){.document = object->document,
                         .parent = object,
                         .key = key,
                         .key_length = (uint32_t)strlen(key),
                         .value = value,
                         .is_parsed = true};
        return true;
    }
    if (*object->start != '{' || json_walk_object(object, &walk) != FE_OK) return false;
    while (json_next(&walk, &child))
        if (json_key_is(&child, key)) {
            *out = child;
            found = true;
        }
    return found;
}

fe_status json_member(json_at *object, const char *key, json_at *out)
{
    json_walk walk;
    FE_TRY(json_walk_object(object, &walk)); /* says so when it is none */
    if (find_member(object, key, out)) return FE_OK;
    return json_fail(object, FE_CORRUPT, NULL, "the member '%s' is missing", key);
}

bool json_find(json_at *object, const char *key, json_at *out)
{
    return find_member(object, key, out) && !json_is_null(out);
}

fe_status json_only_member(json_at *object, json_at *out)
{
    json_walk walk;
    json_at second;
    FE_TRY(json_walk_object(object, &walk));
    if (!json_next(&walk, out))
        return json_fail(object, FE_CORRUPT, NULL,
                         "expected an object of one member, found an empty one");
    if (json_next(&walk, &second))
        return json_fail(object, FE_CORRUPT, NULL,
                         "expected an object of one member, found '%.*s' and '%.*s'",
                         (int)out->key_length, out->key, (int)second.key_length, second.key);
    return FE_OK;
}

/* ---- scalars ---- */

bool json_is_null(json_at *at)
{
    if (!at->is_parsed) return at->end - at->start == 4 && memcmp(at->start, "null", 4) == 0;
    return at->value == NULL;
}

fe_status json_int(json_at *at, int64_t *out)
{
    FE_TRY(json_load(at));
    if (!json_object_is_type(at->value, json_type_int)) return json_expected(at, "an integer");
    if (json_object_get_uint64(at->value) > INT64_MAX)
        return json_fail(at, FE_CORRUPT, NULL, "the integer does not fit in 64 bits");
    *out = json_object_get_int64(at->value);
    return FE_OK;
}

fe_status json_boolean(json_at *at, bool *out)
{
    FE_TRY(json_load(at));
    if (!json_object_is_type(at->value, json_type_boolean))
        return json_expected(at, "true or false");
    *out = json_object_get_boolean(at->value);
    return FE_OK;
}

fe_status json_number(json_at *at, double *out)
{
    static const struct {
        const char *text;
        double value;
    } SPECIAL[] = {
        {"Infinity", __builtin_inf()}, {"-Infinity", -__builtin_inf()}, {"NaN", __builtin_nan("")}};
    FE_TRY(json_load(at));
    enum json_type type = json_object_get_type(at->value);
    if (type == json_type_double || type == json_type_int) {
        *out = json_object_get_double(at->value);
        return FE_OK;
    }
    for (size_t i = 0; type == json_type_string && i < COUNT_OF(SPECIAL); i++)
        if (strcmp(json_object_get_string(at->value), SPECIAL[i].text) == 0) {
            *out = SPECIAL[i].value;
            return FE_OK;
        }
    return json_expected(at, "a number");
}

fe_status json_text(json_at *at, const char **out)
{
    FE_TRY(json_load(at));
    if (!json_object_is_type(at->value, json_type_string)) return json_expected(at, "a string");
    *out = json_object_get_string(at->value);
    if (strlen(*out) != (size_t)json_object_get_string_len(at->value))
        return json_fail(at, FE_CORRUPT, NULL, "the string holds a zero character");
    return FE_OK;
}

fe_status json_name(json_at *at, const char **out)
{
    FE_TRY(json_text(at, out));
    *out = intern(at->document->session, *out);
    return FE_OK;
}

fe_status json_text_of(json_at *object, const char *key, const char **out)
{
    json_at member;
    FE_TRY(json_member(object, key, &member));
    return json_text(&member, out);
}

fe_status json_name_of(json_at *object, const char *key, const char **out)
{
    FE_TRY(json_text_of(object, key, out));
    *out = intern(object->document->session, *out);
    return FE_OK;
}

fe_status json_int_of(json_at *object, const char *key, int64_t *out)
{
    json_at member;
    FE_TRY(json_member(object, key, &member));
    return json_int(&member, out);
}

/* ---- diagnostics ---- */

static bool is_plain_key(const char *key, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        char c = key[i];
        if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (i && c >= '0' && c <= '9')))
            return false;
    }
    return length > 0;
}

static void print_path(const json_at *at, text *out)
{
    if (!at->parent) return;
    print_path(at->parent, out);
    if (!at->key)
        text_printf(out, "[%u]", at->index);
    else if (!is_plain_key(at->key, at->key_length))
        text_printf(out, "[\"%.*s\"]", (int)at->key_length, at->key);
    else
        text_printf(out, "%s%.*s", at->parent->parent ? "." : "", (int)at->key_length, at->key);
}

const char *json_place(const json_at *at)
{
    text out;
    text_init(&out, at->document->session->memory);
    text_add(&out, at->document->record);
    if (at->parent) text_add(&out, ": ");
    print_path(at, &out);
    return out.at;
}

fe_status json_fail(const json_at *at, fe_status status, const char *help, const char *format, ...)
{
    fe_session *session = at->document->session;
    diag d = {
        .status = status, .stage = at->document->stage, .place = json_place(at), .help = help};
    char said[1000]; /* names from the archive may be long: cut off */
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    return diag_fail(session, d, "%s", said);
}

fe_status json_expected(json_at *at, const char *what)
{
    if (!at->is_parsed && *at->start != '{' && *at->start != '[') FE_TRY(json_load(at));
    if (!at->is_parsed)
        return json_fail(at, FE_CORRUPT, NULL, "expected %s, found an %s", what,
                         *at->start == '{' ? "object" : "array");
    switch (json_object_get_type(at->value)) {
    case json_type_null: return json_fail(at, FE_CORRUPT, NULL, "expected %s, found null", what);
    case json_type_object:
        return json_fail(at, FE_CORRUPT, NULL, "expected %s, found an object", what);
    case json_type_array:
        return json_fail(at, FE_CORRUPT, NULL, "expected %s, found an array", what);
    default: break;
    }
    const char *found = json_object_to_json_string_ext(at->value, JSON_C_TO_STRING_PLAIN);
    return json_fail(at, FE_CORRUPT, NULL, "expected %s, found %.60s", what,
                     found ? found : "something else");
}
