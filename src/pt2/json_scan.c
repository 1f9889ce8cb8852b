/* json_scan.c -- one pass over a JSON text: brackets, strings, commas and colons must fit.
 *
 * It notes where the containers near the root begin and end, so that these can be walked as text.
 * What a number or word may look like is left to the parser that reads it.
 */
#include "pt2/json.h"

#include <string.h>

bool json_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

const char *json_skip_space(const char *at, const char *end)
{
    while (at < end && json_is_space(*at)) at++;
    return at;
}

/* `at` is behind the opening quote; gives the place behind the closing one, or NULL. */
const char *json_skip_string(const char *at, const char *end)
{
    for (;;) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        if (!quote) return NULL;
        const char *slash = quote;
        while (slash > at && slash[-1] == '\\') slash--;
        if ((quote - slash) % 2 == 0) return quote + 1;
        at = quote + 1; /* an escaped quote: no run of backslashes crosses it */
    }
}

const char *json_skip_word(const char *at, const char *end)
{
    while (at < end && !json_is_space(*at) && *at != ',' && *at != ']' && *at != '}' && *at != ':')
        at++;
    return at;
}

const char *json_skip_container(const char *at, const char *end)
{
    uint32_t depth = 0;
    do {
        if (*at == '"') {
            at = json_skip_string(at + 1, end);
            continue;
        }
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
    } while (depth);
    return at;
}

typedef struct scan {
    const char *at, *end;
    uint32_t depth;
    char closing[JSON_DEEPEST];
    uint32_t span[JSON_INDEXED]; /* the open spans */
} scan;

static const char *open_container(json_document *d, scan *s)
{
    if (s->depth == JSON_DEEPEST) return "too many containers inside each other";
    if (s->depth < JSON_INDEXED) {
        s->span[s->depth] = d->spans.count;
        vec_push(d->memory, &d->spans, (json_span){.start = s->at});
    }
    s->closing[s->depth++] = *s->at == '{' ? '}' : ']';
    s->at = json_skip_space(s->at + 1, s->end);
    return NULL;
}

static void close_container(json_document *d, scan *s)
{
    s->at++;
    s->depth--;
    if (s->depth < JSON_INDEXED) d->spans.at[s->span[s->depth]].end = s->at;
}

/* A member's key and colon, when inside an object. */
static const char *scan_key(scan *s)
{
    if (s->depth == 0 || s->closing[s->depth - 1] != '}') return NULL;
    if (s->at == s->end || *s->at != '"') return "expected a member's name in quotes";
    const char *after = json_skip_string(s->at + 1, s->end);
    if (!after) return "a string does not end";
    s->at = json_skip_space(after, s->end);
    if (s->at == s->end || *s->at != ':') return "expected ':' after a member's name";
    s->at = json_skip_space(s->at + 1, s->end);
    return NULL;
}

/* One value, up to its end or into the container that it opens. */
static const char *scan_value(json_document *d, scan *s, bool *opened)
{
    *opened = false;
    if (s->at == s->end) return "the text ends too early";
    if (*s->at == '{' || *s->at == '[') {
        *opened = true;
        return open_container(d, s);
    }
    const char *after =
        *s->at == '"' ? json_skip_string(s->at + 1, s->end) : json_skip_word(s->at, s->end);
    if (!after) return "a string does not end";
    if (after == s->at) return "expected a value";
    s->at = after;
    return NULL;
}

/* NULL, or what is wrong at s->at. */
static const char *scan_document(json_document *d, scan *s)
{
    bool opened;
    s->at = json_skip_space(s->at, s->end);
    do {
        const char *wrong = scan_key(s);
        if (!wrong) wrong = scan_value(d, s, &opened);
        if (wrong) return wrong;
        for (;;) { /* close what ends here */
            if (!opened) s->at = json_skip_space(s->at, s->end);
            if (s->depth == 0) break;
            if (s->at == s->end) return "the text ends too early";
            if (*s->at == s->closing[s->depth - 1]) {
                close_container(d, s);
                opened = false;
                continue;
            }
            if (opened) break;
            if (*s->at != ',') return "expected ',' or the end of a container";
            s->at = json_skip_space(s->at + 1, s->end);
            break;
        }
    } while (s->depth > 0);
    return s->at == s->end ? NULL : "there is text behind the end";
}

const char *json_scan(json_document *d, const char **wrong_at)
{
    scan *s = NEW(d->memory, scan); /* too large for the stack of a host's thread */
    s->at = d->start;
    s->end = d->end;
    const char *wrong = scan_document(d, s);
    *wrong_at = s->at;
    return wrong;
}
