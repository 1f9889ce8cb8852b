/* json_scalar.c -- what stands at a place of a JSON text: which kind of value, and the text of a string. */
#include "pt2/json.h"

#include <string.h>

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at;
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static json_kind number_kind(const char *at, const char *end)
{
    json_kind kind = JSON_INTEGER;
    at += at < end && *at == '-';
    const char *after = skip_digits(at, end);
    if (after == at || (*at == '0' && after - at > 1)) return JSON_MALFORMED;
    if (after < end && *after == '.') {
        kind = JSON_REAL;
        at = after + 1;
        after = skip_digits(at, end);
        if (after == at) return JSON_MALFORMED;
    }
    if (after < end && (*after == 'e' || *after == 'E')) {
        kind = JSON_REAL;
        at = after + 1;
        at += at < end && (*at == '+' || *at == '-');
        after = skip_digits(at, end);
        if (after == at) return JSON_MALFORMED;
    }
    return after == end ? kind : JSON_MALFORMED;
}

json_kind json_kind_of(const char *start, const char *end)
{
    static const struct {
        const char *word;
        json_kind kind;
    } WORDS[] = {
        {"null", JSON_NULL},     {"true", JSON_BOOLEAN},   {"false", JSON_BOOLEAN},
        {"Infinity", JSON_REAL}, {"-Infinity", JSON_REAL}, {"NaN", JSON_REAL},
    };
    if (*start == '"') return JSON_STRING;
    if (*start == '{') return JSON_OBJECT;
    if (*start == '[') return JSON_ARRAY;
    size_t length = (size_t)(end - start);
    for (size_t i = 0; i < COUNT_OF(WORDS); i++)
        if (strlen(WORDS[i].word) == length && memcmp(start, WORDS[i].word, length) == 0)
            return WORDS[i].kind;
    return number_kind(start, end);
}

/* ---- strings ---- */

/* The bytes of one character of UTF-8 at `at`; 0: it is none. */
static size_t character_bytes(const unsigned char *at, size_t left)
{
    size_t bytes = at[0] < 0x80   ? 1
                   : at[0] < 0xC2 ? 0
                   : at[0] < 0xE0 ? 2
                   : at[0] < 0xF0 ? 3
                   : at[0] < 0xF5 ? 4
                                  : 0;
    if (bytes > left) return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xC0) != 0x80) return 0;
    /* Forms that are too long, halves of pairs, beyond the last character. */
    bool bad = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) ||
               (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F);
    return bad ? 0 : bytes;
}

static char *put_character(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
    } else if (c < 0x10000) {
        *to++ = (char)(0xE0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
    } else {
        *to++ = (char)(0xF0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3F));
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
    }
    if (c >= 0x80) *to++ = (char)(0x80 | (c & 0x3F));
    return to;
}

/* Four hexadecimal digits, or -1. */
static int32_t hexadecimal(const char *at, const char *end)
{
    int32_t value = 0;
    if (end - at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* `*at` is behind "\u". Half a pair alone is U+FFFD. false: malformed. */
static bool unescape_hexadecimal(const char **at, const char *end, char **to)
{
    int32_t c = hexadecimal(*at, end), low;
    if (c < 0) return false;
    *at += 4;
    if (c >= 0xD800 && c < 0xDC00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' &&
        (low = hexadecimal(*at + 2, end)) >= 0xDC00 && low < 0xE000) {
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        *at += 6;
    } else if (c >= 0xD800 && c < 0xE000) {
        c = 0xFFFD;
    }
    *to = put_character(*to, (uint32_t)c);
    return true;
}

char *json_unescape(arena *memory, const char *start, const char *end, size_t *length,
                    const char **wrong_at)
{
    static const char NAMES[] = "\"\\/bfnrt", MEANT[] = "\"\\/\b\f\n\r\t";
    char *result =
        arena_alloc(memory, (size_t)(end - start)); /* no escape is shorter than its character */
    char *to = result;
    end--; /* the quote */
    for (const char *at = start + 1; at < end;) {
        *wrong_at = at;
        if (*at != '\\') {
            size_t bytes = character_bytes((const unsigned char *)at, (size_t)(end - at));
            if (!bytes || (unsigned char)*at < ' ') return NULL;
            memcpy(to, at, bytes);
            to += bytes;
            at += bytes;
            continue;
        }
        const char *name = at + 1 < end && at[1] ? strchr(NAMES, at[1]) : NULL;
        if (name) {
            *to++ = MEANT[name - NAMES];
            at += 2;
            continue;
        }
        at += 2;
        if (at > end || at[-1] != 'u' || !unescape_hexadecimal(&at, end, &to)) return NULL;
    }
    *length = (size_t)(to - result);
    return result;
}
