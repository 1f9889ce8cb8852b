/* scan.c -- the characters of a text of Triton's IR: words, strings, brackets, and the locations that
 * stand at its end. */
#include "ttir/ttir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 64 }; /* from one location to the next */

void ttir_fail(ttir_reader *in, const char *format, ...)
{
    text message;
    char line[512];
    va_list args;
    if (in->fault) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    text_init(&message, in->memory);
    text_plain(&message, line);
    in->fault = message.at;
    in->at += strlen(in->at);
}

static void skip_blanks(ttir_reader *in)
{
    for (;;) {
        in->at += strspn(in->at, " \t\r\n");
        if (in->at[0] != '/' || in->at[1] != '/') return;
        in->at += strcspn(in->at, "\n");
    }
}

bool ttir_sees(ttir_reader *in, const char *what)
{
    skip_blanks(in);
    return strncmp(in->at, what, strlen(what)) == 0;
}

bool ttir_take(ttir_reader *in, const char *what)
{
    if (!ttir_sees(in, what)) return false;
    in->at += strlen(what);
    return true;
}

void ttir_expect(ttir_reader *in, const char *what)
{
    if (!ttir_take(in, what)) ttir_fail(in, "its text: '%s' expected before '%.20s'", what, in->at);
}

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.$-+", c));
}

const char *ttir_word(ttir_reader *in)
{
    size_t length = 0;
    skip_blanks(in);
    while (is_of_word(in->at[length]) && strncmp(in->at + length, "->", 2) != 0) length++;
    in->at += length;
    return intern_n(in->session, in->at - length, length);
}

/* The length of a string with its quotes; 0: it does not end. */
static size_t string_length(const char *at)
{
    for (size_t k = 1; at[k]; k++) {
        if (at[k] == '"') return k + 1;
        if (at[k] == '\\' && at[k + 1]) k++;
    }
    return 0;
}

const char *ttir_string(ttir_reader *in)
{
    size_t length = string_length(in->at);
    if (!length) {
        ttir_fail(in, "its text: a string without an end");
        return "";
    }
    in->at += length;
    return intern_n(in->session, in->at - length + 1, length - 2);
}

void ttir_skip_brackets(ttir_reader *in)
{
    uint32_t depth = 0;
    do {
        if (*in->at == '"') {
            ttir_string(in);
            continue;
        }
        bool is_arrow = in->at[0] == '-' && in->at[1] == '>';
        if (*in->at && strchr("([{<", *in->at)) depth++;
        if (*in->at && strchr(")]}>", *in->at)) depth--;
        if (!*in->at) return;
        in->at += is_arrow ? 2 : 1;
    } while (depth);
}

/* ---- locations ---- */

void ttir_list_places(ttir_reader *in)
{
    const char *begin = in->at;
    for (const char *line = begin, *end; line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (strncmp(line, "#loc", 4) != 0) continue;
        in->at = line + 1;
        const char *name = ttir_word(in);
        map_set(in->memory, &in->places, MAP_KEY(name), in->bodies.count);
        vec_push(in->memory, &in->bodies, ttir_take(in, "= loc(") ? in->at : "");
    }
    in->at = begin;
}

/* The file's own name, without its folders. */
static const char *file_name(const char *path)
{
    const char *last = strrchr(path, '/');
    return last ? last + 1 : path;
}

/* What a `#loc3` leads to, or "". */
static const char *described(ttir_reader *in)
{
    in->at++;
    uint32_t k = map_get(&in->places, MAP_KEY(ttir_word(in)));
    return k == MAP_NONE ? "" : in->bodies.at[k];
}

/* One step of the way: to a place, or to the next description. "" is nowhere. */
static const char *follow(ttir_reader *in)
{
    if (ttir_take(in, "callsite(")) {
        const char *caller = strstr(in->at, " at #");
        if (!caller) return "";
        in->at = caller + 4;
        return described(in);
    }
    in->at += strcspn(in->at, "#)\n");
    return *in->at == '#' ? described(in) : "";
}

static const char *place_of(ttir_reader *in)
{
    for (uint32_t k = 0; k < MOST_STEPS && *in->at; k++) {
        if (*in->at == '"') {
            const char *file = ttir_string(in);
            if (ttir_take(in, ":"))
                return arena_printf(in->memory, "%s:%ld", file_name(file),
                                    strtol(in->at, NULL, 10));
        }
        in->at = follow(in);
    }
    return "";
}

const char *ttir_place(ttir_reader *in)
{
    if (!ttir_sees(in, "loc(")) return "";
    in->at += 3;
    const char *begin = in->at;
    ttir_skip_brackets(in);
    const char *end = in->at;
    in->at = begin + 1;
    const char *place = place_of(in);
    if (!in->fault) in->at = end;
    return place;
}

/* The last location of the line at `begin`, or the first one behind it: regions end further down. */
static const char *location_ahead(const char *begin)
{
    size_t length = strcspn(begin, "\n");
    const char *found = strstr(begin, "loc("), *next = found;
    while (next && next < begin + length) {
        found = next;
        next = strstr(next + 1, "loc(");
    }
    return found;
}

const char *ttir_place_ahead(ttir_reader *in)
{
    const char *begin = in->at, *found = location_ahead(begin);
    if (!found) return "";
    in->at = found;
    const char *place = ttir_place(in);
    in->at = begin;
    return place;
}
