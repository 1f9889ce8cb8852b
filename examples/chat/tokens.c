/* tokens.c -- tables that are read line by line, and pairs that are joined in the order in which they were
 * learned. Source: Sennrich, Haddow and Birch, Neural Machine Translation of Rare Words with Subword Units
 * (2016); the alphabet of bytes is that of GPT-2.
 */
#define _POSIX_C_SOURCE 200809L
#define PCRE2_CODE_UNIT_WIDTH 8
#include "tokens.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct word {
    char *bytes;
    size_t length;
    int is_special, is_end;
} word;

typedef struct pair {
    int64_t left, right, joined; /* joined -1: no pair is here */
    uint32_t rank;
} pair;

struct tokens {
    word *words;
    int64_t count;
    pair *pairs; /* by hash, open addressing */
    size_t room; /* a power of two */
    uint32_t pair_count;
    int64_t of_byte[256];
    int takes_whole; /* a piece that is a word is not joined of its bytes */
    pcre2_code *split;
    char *texts[3]; /* of the frame */
    tokens_frame frame;
};

static size_t hash(int64_t left, int64_t right)
{
    uint64_t h = (uint64_t)left * 0x9E3779B97F4A7C15u ^ (uint64_t)right * 0xC2B2AE3D27D4EB4Fu;
    return (size_t)(h ^ h >> 29);
}

static const pair *find(const tokens *t, int64_t left, int64_t right)
{
    for (size_t i = hash(left, right);; i++) {
        const pair *p = &t->pairs[i & (t->room - 1)];
        if (p->joined < 0) return NULL;
        if (p->left == left && p->right == right) return p;
    }
}

static void put(tokens *t, pair p)
{
    size_t i = hash(p.left, p.right);
    while (t->pairs[i & (t->room - 1)].joined >= 0) i++;
    t->pairs[i & (t->room - 1)] = p;
}

/* ---- reading ---- */

/* "48656c6c6f" */
static char *from_hex(const char *at, size_t *length)
{
    size_t digits = strspn(at, "0123456789abcdef");
    char *out = malloc(digits / 2 + 1);
    *length = 0;
    for (size_t i = 0; out && i + 1 < digits; i += 2) {
        unsigned value = 0;
        sscanf(at + i, "%2x", &value);
        out[(*length)++] = (char)value;
    }
    if (out) out[*length] = '\0';
    return out;
}

static int read_split(tokens *t, const char *hex)
{
    int code;
    size_t place, length;
    char *pattern = from_hex(hex, &length);
    if (!pattern) return 0;
    t->split = pcre2_compile((PCRE2_SPTR)pattern, length,
                             PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF, &code, &place, NULL);
    free(pattern);
    return t->split != NULL;
}

static int read_word(tokens *t, int64_t at, const char *rest)
{
    if (at < 0 || at >= t->count || t->words[at].bytes) return 0;
    word *w = &t->words[at];
    w->is_special = strchr(rest, 's') != NULL;
    w->is_end = strchr(rest, '.') != NULL;
    w->bytes = from_hex(rest + strspn(rest, " s."), &w->length);
    if (w->bytes && w->length == 1 && !w->is_special) t->of_byte[(unsigned char)*w->bytes] = at;
    return w->bytes != NULL;
}

static int read_pair(tokens *t, int64_t left, int64_t right, int64_t joined)
{
    if (left < 0 || right < 0 || joined < 0 || left >= t->count || right >= t->count ||
        joined >= t->count || 2 * (size_t)t->pair_count >= t->room)
        return 0;
    put(t, (pair){left, right, joined, t->pair_count++});
    return 1;
}

static int make_room(tokens *t, int64_t words, int64_t pairs)
{
    if (t->words || words < 256 || pairs < 0 || words > 1 << 24 || pairs > 1 << 24) return 0;
    for (t->room = 16; t->room < 2 * (size_t)pairs + 2;) t->room *= 2;
    t->words = calloc((size_t)words, sizeof *t->words);
    t->pairs = malloc(t->room * sizeof *t->pairs);
    if (!t->words || !t->pairs) return 0;
    t->count = words;
    for (size_t i = 0; i < t->room; i++) t->pairs[i].joined = -1;
    return 1;
}

static int read_text(tokens *t, int which, const char *hex)
{
    size_t length;
    free(t->texts[which]);
    t->texts[which] = from_hex(hex, &length);
    return t->texts[which] != NULL;
}

static int read_line(tokens *t, const char *line)
{
    static const char *const texts[] = {"first ", "next ", "reply "};
    long long a, b, c;
    int skip = 0;
    if (sscanf(line, "tables %lld %lld %d", &a, &b, &t->takes_whole) == 3)
        return make_room(t, a, b);
    if (strncmp(line, "split ", 6) == 0) return read_split(t, line + 6);
    for (int k = 0; k < 3; k++)
        if (strncmp(line, texts[k], strlen(texts[k])) == 0)
            return read_text(t, k, line + strlen(texts[k]));
    if (!t->words) return 0;
    if (sscanf(line, "pair %lld %lld %lld", &a, &b, &c) == 3) return read_pair(t, a, b, c);
    return sscanf(line, "word %lld%n", &a, &skip) == 1 && read_word(t, a, line + skip);
}

static int is_whole(const tokens *t)
{
    for (int k = 0; k < 3; k++)
        if (!t->texts[k]) return 0;
    for (int byte = 0; byte < 256; byte++)
        if (t->of_byte[byte] < 0) return 0;
    return t->split != NULL;
}

static tokens *failed(tokens *t, FILE *file, const char *path, const char *what, long line)
{
    if (line)
        fprintf(stderr, "%s:%ld: %s\n", path, line, what);
    else
        fprintf(stderr, "%s: %s\n", path, what);
    if (file) fclose(file);
    tokens_free(t);
    return NULL;
}

tokens *tokens_read(const char *path)
{
    FILE *file = fopen(path, "r");
    tokens *t = calloc(1, sizeof *t);
    char *line = NULL;
    size_t room = 0;
    long number = 0;
    if (!file || !t) return failed(t, file, path, "cannot be read", 0);
    for (int byte = 0; byte < 256; byte++) t->of_byte[byte] = -1;
    int good = 1;
    while (good && getline(&line, &room, file) > 0) {
        number++;
        good = read_line(t, line);
    }
    free(line);
    if (!good)
        return failed(t, file, path, "this is no line of a table that export.py writes", number);
    if (!is_whole(t)) return failed(t, file, path, "bytes or texts are missing: write it again", 0);
    fclose(file);
    t->frame = (tokens_frame){t->texts[0], t->texts[1], t->texts[2]};
    return t;
}

void tokens_free(tokens *t)
{
    if (!t) return;
    for (int64_t k = 0; k < t->count; k++) free(t->words[k].bytes);
    for (int k = 0; k < 3; k++) free(t->texts[k]);
    if (t->split) pcre2_code_free(t->split);
    free(t->words);
    free(t->pairs);
    free(t);
}

const tokens_frame *tokens_frame_of(const tokens *t)
{
    return &t->frame;
}

/* ---- encoding ---- */

typedef struct writing {
    const tokens *t;
    int64_t *out;
    size_t room, count;
} writing;

static void write_one(writing *w, int64_t token)
{
    if (w->count < w->room) w->out[w->count] = token;
    w->count++;
}

/* A word that is exactly this, or -1. */
static int64_t whole(const tokens *t, const char *text, size_t length)
{
    for (int64_t k = 0; k < t->count; k++)
        if (t->words[k].length == length && !t->words[k].is_special &&
            memcmp(t->words[k].bytes, text, length) == 0)
            return k;
    return -1;
}

/* Of the pairs that stand side by side the one that was learned first is joined, again and again. */
static void write_piece(writing *w, const char *text, size_t length)
{
    const tokens *t = w->t;
    int64_t *ids = malloc(length * sizeof *ids + 1), known;
    size_t count = length;
    if (!ids) return;
    for (size_t i = 0; i < length; i++) ids[i] = t->of_byte[(unsigned char)text[i]];
    if (t->takes_whole && (known = whole(t, text, length)) >= 0) ids[0] = known, count = 1;
    for (;;) {
        const pair *best = NULL;
        size_t place = 0;
        for (size_t i = 0; i + 1 < count; i++) {
            const pair *p = find(t, ids[i], ids[i + 1]);
            if (p && (!best || p->rank < best->rank)) best = p, place = i;
        }
        if (!best) break;
        ids[place] = best->joined;
        memmove(ids + place + 1, ids + place + 2, (--count - place - 1) * sizeof *ids);
    }
    for (size_t i = 0; i < count; i++) write_one(w, ids[i]);
    free(ids);
}

/* What the pattern does not match is a piece by itself. */
static void write_plain(writing *w, const char *text, size_t length)
{
    pcre2_match_data *found = pcre2_match_data_create_from_pattern(w->t->split, NULL);
    size_t at = 0;
    while (found && at < length &&
           pcre2_match(w->t->split, (PCRE2_SPTR)text, length, at, 0, found, NULL) > 0) {
        const PCRE2_SIZE *edges = pcre2_get_ovector_pointer(found);
        if (edges[1] == edges[0]) break;
        if (edges[0] > at) write_piece(w, text + at, edges[0] - at);
        write_piece(w, text + edges[0], edges[1] - edges[0]);
        at = edges[1];
    }
    if (at < length) write_piece(w, text + at, length - at);
    pcre2_match_data_free(found);
}

/* The longest special word that the text begins with, or -1. */
static int64_t special(const tokens *t, const char *text, size_t length)
{
    int64_t best = -1;
    for (int64_t k = 0; k < t->count; k++) {
        const word *w = &t->words[k];
        if (w->is_special && w->length && w->length <= length &&
            memcmp(w->bytes, text, w->length) == 0 &&
            (best < 0 || w->length > t->words[best].length))
            best = k;
    }
    return best;
}

size_t tokens_encode(const tokens *t, const char *text, size_t length, int64_t *out, size_t room)
{
    writing w = {t, out, room, 0};
    size_t from = 0;
    for (size_t at = 0; at < length;) {
        int64_t found =
            text[at] == '<' || text[at] == '[' ? special(t, text + at, length - at) : -1;
        if (found < 0) {
            at++;
            continue;
        }
        if (at > from) write_plain(&w, text + from, at - from);
        write_one(&w, found);
        at += t->words[found].length;
        from = at;
    }
    if (length > from) write_plain(&w, text + from, length - from);
    return w.count;
}

/* ---- back ---- */

const char *tokens_bytes(const tokens *t, int64_t token, size_t *length)
{
    int is_known = token >= 0 && token < t->count && t->words[token].bytes;
    *length = is_known ? t->words[token].length : 0;
    return is_known ? t->words[token].bytes : "";
}

int tokens_is_end(const tokens *t, int64_t token)
{
    return token >= 0 && token < t->count && t->words[token].is_end;
}
