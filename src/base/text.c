/* text.c -- text that grows in an arena: what all printers write to. */
#include "base/base.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `more` bytes and the NUL. */
static void reserve(text *t, size_t more)
{
    size_t needed = t->length + more + 1;
    if (needed <= t->capacity) return;
    size_t grown = t->capacity * 2 > needed ? t->capacity * 2 : needed;
    char *fresh = arena_alloc(t->memory, grown);
    if (t->length) memcpy(fresh, t->at, t->length);
    t->at = fresh;
    t->capacity = grown;
}

void text_init(text *t, arena *memory)
{
    *t = (text){.memory = memory};
    reserve(t, 63);
}

void text_add_n(text *t, const char *string, size_t length)
{
    reserve(t, length);
    if (length) memcpy(t->at + t->length, string, length);
    t->length += length;
    t->at[t->length] = '\0';
}

void text_add(text *t, const char *string)
{
    text_add_n(t, string, strlen(string));
}

void text_char(text *t, char c)
{
    text_add_n(t, &c, 1);
}

static FE_PRINTF(2, 0) void add_format(text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t room = t->capacity - t->length;
    int length = vsnprintf(t->at + t->length, room, format, args);
    CHECK(arena_session(t->memory), length >= 0);
    if ((size_t)length >= room) {
        reserve(t, (size_t)length);
        vsnprintf(t->at + t->length, (size_t)length + 1, format, again);
    }
    t->length += (size_t)length;
    va_end(again);
}

void text_printf(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_format(t, format, args);
    va_end(args);
}

void text_line(text *t, const char *format, ...)
{
    for (int i = 0; i < t->indent; i++) text_add_n(t, "  ", 2);
    va_list args;
    va_start(args, format);
    add_format(t, format, args);
    va_end(args);
    text_char(t, '\n');
}

void text_quoted(text *t, const char *string)
{
    text_char(t, '"');
    for (const char *at = string; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\')
            text_printf(t, "\\%c", c);
        else if (c == '\n')
            text_add(t, "\\n");
        else if (c == '\t')
            text_add(t, "\\t");
        else if (c < 0x20 || c == 0x7f)
            text_printf(t, "\\x%02x", c);
        else
            text_char(t, *at); /* UTF-8 passes through */
    }
    text_char(t, '"');
}

/* Bytes of the UTF-8 character that begins here; 0: none does. */
static size_t character_bytes(const char *at)
{
    const unsigned char *c = (const unsigned char *)at;
    size_t more = c[0] < 0x80 ? 0 : c[0] < 0xc2 ? 4 : c[0] < 0xe0 ? 1 : c[0] < 0xf0 ? 2 : 3;
    if (more == 4 || c[0] > 0xf4) return 0;
    for (size_t i = 1; i <= more; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    bool is_long = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool is_surrogate = c[0] == 0xed && c[1] >= 0xa0, is_large = c[0] == 0xf4 && c[1] >= 0x90;
    return is_long || is_surrogate || is_large ? 0 : more + 1;
}

void text_json(text *t, const char *string)
{
    text_char(t, '"');
    for (const char *at = string; *at;) {
        size_t bytes = character_bytes(at);
        unsigned char c = (unsigned char)*at;
        if (bytes == 0)
            text_add(t, "\\ufffd");
        else if (c == '"' || c == '\\')
            text_printf(t, "\\%c", c);
        else if (c == '\n')
            text_add(t, "\\n");
        else if (c < 0x20 || c == 0x7f)
            text_printf(t, "\\u%04x", c);
        else
            text_add_n(t, at, bytes);
        at += bytes ? bytes : 1;
    }
    text_char(t, '"');
}

void text_plain(text *t, const char *string)
{
    for (const char *at = string; *at;) {
        size_t bytes = character_bytes(at);
        unsigned char c = (unsigned char)*at;
        if (bytes == 0)
            text_char(t, '?');
        else if (c < 0x20 || c == 0x7f)
            text_char(t, ' ');
        else
            text_add_n(t, at, bytes);
        at += bytes ? bytes : 1;
    }
}

/* Makes the last digit of the mantissa one larger, unless that carries. */
static void bump_last_digit(char *digits)
{
    char *last = digits + strcspn(digits, "e") - 1;
    if (*last < '9') ++*last;
}

void text_double(text *t, double value)
{
    if (isnan(value)) {
        text_add(t, "nan");
        return;
    }
    if (isinf(value)) {
        text_add(t, value < 0 ? "-inf" : "inf");
        return;
    }
    /* 15 digits always come back the same, so for a normal number the search can start there. */
    char digits[40];
    for (int precision = isnormal(value) ? 15 : 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;
        if (precision != 16) continue;
        /* Above a power of two doubles lie further apart than below: the second nearest decimal may
         * do. */
        snprintf(digits, sizeof digits, "%#.16g", value);
        bump_last_digit(digits);
        if (strtod(digits, NULL) == value) break;
    }
    text_add(t, digits);
    if (!strpbrk(digits, ".e")) text_add(t, ".0");
}

static bool is_of_word(char c)
{
    return c == '_' || isalnum((unsigned char)c);
}

uint32_t text_count_word(const char *source, const char *word)
{
    size_t length = strlen(word);
    uint32_t count = 0;
    for (const char *at = source; (at = strstr(at, word)) != NULL; at += length)
        count += (at == source || !is_of_word(at[-1])) && !is_of_word(at[length]);
    return count;
}
