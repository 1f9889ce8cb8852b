/* json.c -- a JSON record and places in it.
 *
 * A document is scanned once for its structure: brackets, strings, commas and colons must fit. The scan notes
 * where the containers near the root end, so that a walk steps over them; the small ones further inside are
 * skipped character by character. Numbers, words and strings are looked at when they are read.
 */
#include "pt2/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- documents ---- */

fe_status json_open(json_owner *owner, const char *stage, const char *record, const uint8_t *data,
                    size_t size, json_at *root)
{
    json_document *d = NEW(owner->memory, json_document);
    d->session = owner->session;
    d->memory = owner->memory;
    d->stage = stage;
    d->record = record;
    d->start = size ? (const char *)data : ""; /* an empty record has no address */
    d->end = d->start + size;
    d->strings = arena_new(d->session);
    d->next = owner->first;
    owner->first = d;

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

arena_mark_t json_mark(const json_document *document)
{
    return arena_mark(document->strings);
}

void json_drop(json_document *document, arena_mark_t mark)
{
    arena_release(document->strings, mark);
}

void json_close_all(json_owner *owner)
{
    for (json_document *d = owner->first; d; d = d->next) {
        arena_free(d->strings);
        d->strings = NULL;
    }
    owner->first = NULL;
}

/* ---- containers ---- */

/* The end of the value at `at`, in a text that was scanned, inside `depth` containers. */
static const char *value_end(const json_document *d, const char *at, uint32_t depth)
{
    if (*at == '"') return json_skip_string(at + 1, d->end);
    if (*at != '{' && *at != '[') return json_skip_word(at, d->end);
    if (depth >= JSON_INDEXED) return json_skip_container(at, d->end);
    uint32_t low = 0, high = d->spans.count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->spans.at[middle].start <= at)
            low = middle;
        else
            high = middle;
    }
    CHECK(d->session, d->spans.at[low].start == at);
    return d->spans.at[low].end;
}

static fe_status begin_walk(const json_at *container, json_walk *walk, char opening,
                            const char *what)
{
    if (*container->start != opening)
        return json_expected((json_at *)(uintptr_t)container, what); /* which changes nothing */
    *walk = (json_walk){.container = container};
    walk->next = json_skip_space(container->start + 1, container->end);
    return FE_OK;
}

fe_status json_walk_object(const json_at *object, json_walk *walk)
{
    return begin_walk(object, walk, '{', "an object");
}

fe_status json_walk_array(const json_at *array, json_walk *walk)
{
    return begin_walk(array, walk, '[', "an array");
}

bool json_next(json_walk *walk, json_at *child)
{
    const json_at *container = walk->container;
    const json_document *d = container->document;
    if (*walk->next == '}' || *walk->next == ']') return false;
    *child = (json_at){.document = container->document,
                       .parent = container,
                       .index = walk->index++,
                       .depth = container->depth + 1};
    if (*container->start == '{') {
        const char *after = json_skip_string(walk->next + 1, d->end);
        child->key = walk->next + 1;
        child->key_length = (uint32_t)(after - 1 - child->key);
        walk->next = json_skip_space(json_skip_space(after, d->end) + 1, d->end);
    }
    child->start = walk->next;
    child->end = value_end(d, walk->next, child->depth);
    walk->next = json_skip_space(child->end, d->end);
    if (*walk->next == ',') walk->next = json_skip_space(walk->next + 1, d->end);
    return true;
}

fe_status json_count(json_at *array, uint32_t *count)
{
    json_walk walk;
    json_at item;
    *count = 0;
    FE_TRY(json_walk_array(array, &walk));
    while (json_next(&walk, &item)) ++*count;
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
    arena_mark_t mark = json_mark(d);
    json_at quoted = *member;
    quoted.start = member->key - 1;
    quoted.end = member->key + member->key_length + 1;
    FE_TRY(json_name(&quoted, out));
    json_drop(d, mark);
    return FE_OK;
}

/* The member, null or not. The last one counts. */
static bool find_member(json_at *object, const char *key, json_at *out)
{
    json_walk walk;
    json_at child;
    bool found = false;
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

static json_kind kind_at(const json_at *at)
{
    return json_kind_of(at->start, at->end);
}

static fe_status fail_malformed(const json_at *at, const char *wrong_at, const char *wrong)
{
    return json_fail(at, FE_CORRUPT, NULL, "malformed JSON at byte %zu: %s",
                     (size_t)(wrong_at - at->document->start), wrong);
}

bool json_is_null(json_at *at)
{
    return kind_at(at) == JSON_NULL;
}

/* What strtod and strtoll need: a text that ends. */
static const char *terminated(json_at *at)
{
    size_t length = (size_t)(at->end - at->start);
    char *copy = arena_alloc(at->document->strings, length + 1);
    return memcpy(copy, at->start, length);
}

fe_status json_int(json_at *at, int64_t *out)
{
    if (kind_at(at) != JSON_INTEGER) return json_expected(at, "an integer");
    bool negative = *at->start == '-', fits = true;
    int64_t value = 0;
    for (const char *c = at->start + negative; c < at->end; c++) {
        int64_t digit = negative ? '0' - *c : *c - '0';
        fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, digit, &value);
    }
    if (!fits) return json_fail(at, FE_CORRUPT, NULL, "the integer does not fit in 64 bits");
    *out = value;
    return FE_OK;
}

fe_status json_boolean(json_at *at, bool *out)
{
    if (kind_at(at) != JSON_BOOLEAN) return json_expected(at, "true or false");
    *out = *at->start == 't';
    return FE_OK;
}

fe_status json_number(json_at *at, double *out)
{
    static const struct {
        const char *text;
        double value;
    } SPECIAL[] = {
        {"Infinity", __builtin_inf()}, {"-Infinity", -__builtin_inf()}, {"NaN", __builtin_nan("")}};
    json_kind kind = kind_at(at);
    const char *word;
    if (kind == JSON_STRING)
        FE_TRY(json_text(at, &word));
    else if (kind == JSON_INTEGER || kind == JSON_REAL)
        word = terminated(at);
    else
        return json_expected(at, "a number");
    for (size_t i = 0; i < COUNT_OF(SPECIAL); i++)
        if (strcmp(word, SPECIAL[i].text) == 0) {
            *out = SPECIAL[i].value;
            return FE_OK;
        }
    if (kind == JSON_STRING) return json_expected(at, "a number");
    *out = strtod(word, NULL);
    return FE_OK;
}

fe_status json_text(json_at *at, const char **out)
{
    if (kind_at(at) != JSON_STRING) return json_expected(at, "a string");
    size_t length;
    const char *wrong_at = at->start;
    *out = json_unescape(at->document->strings, at->start, at->end, &length, &wrong_at);
    if (!*out) return fail_malformed(at, wrong_at, "this is no text in UTF-8");
    if (strlen(*out) != length)
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
    size_t length = (size_t)(at->end - at->start);
    switch (kind_at(at)) {
    case JSON_OBJECT: return json_fail(at, FE_CORRUPT, NULL, "expected %s, found an object", what);
    case JSON_ARRAY: return json_fail(at, FE_CORRUPT, NULL, "expected %s, found an array", what);
    case JSON_MALFORMED: return fail_malformed(at, at->start, "expected a value");
    default:
        return json_fail(at, FE_CORRUPT, NULL, "expected %s, found %.*s", what,
                         length > 60 ? 60 : (int)length, at->start);
    }
}
