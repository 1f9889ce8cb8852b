/* mutate.c -- changes to a text, as a list of tokens that are slices of it, of its donor or of constants. */
#include "mutate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGES = 4, WINDOW = 60, MOST_TOKENS = 400000 };

uint64_t random_next(random_state *r)
{
    uint64_t x = r->state += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

size_t random_below(random_state *r, size_t n)
{
    return n ? (size_t)(random_next(r) % n) : 0;
}

int random_one_in(random_state *r, size_t n)
{
    return random_below(r, n) == 0;
}

void bytes_add(bytes *to, const void *data, size_t size)
{
    to->at = realloc(to->at, to->size + size + 1);
    if (!to->at) abort();
    if (size) memcpy(to->at + to->size, data, size);
    to->size += size;
    to->at[to->size] = 0;
}

bytes bytes_copy(const void *data, size_t size)
{
    bytes copy = {0};
    bytes_add(&copy, data, size);
    return copy;
}

/* ---- tokens ---- */

typedef struct token {
    const char *at;
    size_t length;
} token;

typedef struct tokens {
    token *at;
    size_t count, capacity;
} tokens;

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The text to the end of the word, number, string, run of blanks or single character at `at`. */
static size_t token_length(const char *at, size_t left)
{
    size_t n = 1;
    if (*at == '"') {
        while (n < left && at[n] != '"' && at[n] != '\n')
            n += at[n] == '\\' && n + 1 < left ? 2 : 1;
        return n < left ? n + 1 : left;
    }
    if (is_word(*at) || (*at == '-' && left > 1 && isdigit((unsigned char)at[1])))
        while (n < left && is_word(at[n])) n++;
    else if (isspace((unsigned char)*at))
        while (n < left && isspace((unsigned char)at[n])) n++;
    return n;
}

static void insert(tokens *t, size_t where, const token *items, size_t count)
{
    if (t->count + count > MOST_TOKENS) return;
    token *own = malloc(count * sizeof *own + 1); /* `items` may lie in t */
    if (!own) abort();
    memcpy(own, items, count * sizeof *own);
    if (t->count + count > t->capacity) {
        t->capacity = 2 * (t->count + count);
        t->at = realloc(t->at, t->capacity * sizeof *t->at);
        if (!t->at) abort();
    }
    memmove(t->at + where + count, t->at + where, (t->count - where) * sizeof *t->at);
    memcpy(t->at + where, own, count * sizeof *own);
    t->count += count;
    free(own);
}

static void drop(tokens *t, size_t where, size_t count)
{
    memmove(t->at + where, t->at + where + count, (t->count - where - count) * sizeof *t->at);
    t->count -= count;
}

static tokens tokens_of(bytes text)
{
    tokens t = {0};
    for (size_t at = 0; at < text.size && t.count < MOST_TOKENS;) {
        token one = {text.at + at, token_length(text.at + at, text.size - at)};
        insert(&t, t.count, &one, 1);
        at += one.length;
    }
    return t;
}

static bytes text_of(const tokens *t)
{
    bytes text = {0};
    bytes_add(&text, "", 0);
    for (size_t i = 0; i < t->count; i++) bytes_add(&text, t->at[i].at, t->at[i].length);
    return text;
}

static int is_blank(token t)
{
    return isspace((unsigned char)*t.at) != 0;
}

static int is_number(token t)
{
    return isdigit((unsigned char)*t.at) || (*t.at == '-' && t.length > 1);
}

static int is_name(token t)
{
    return isalpha((unsigned char)*t.at) || *t.at == '_' || *t.at == '"';
}

static int is_same(token a, token b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

/* The tokens of what begins at `from`: up to the bracket that closes, or one token. */
static size_t value_length(const tokens *t, size_t from)
{
    size_t depth = 0;
    for (size_t i = from; i < t->count; i++) {
        depth += strchr("{[(", *t->at[i].at) != NULL;
        if (depth && strchr("}])", *t->at[i].at) && --depth == 0) return i - from + 1;
        if (!depth) return 1;
    }
    return t->count - from;
}

/* ---- changes ---- */

static const char *const NUMBERS[] = {
    "0",
    "1",
    "-1",
    "2",
    "3",
    "-2",
    "4",
    "5",
    "7",
    "8",
    "-7",
    "16",
    "64",
    "65",
    "255",
    "256",
    "1e9",
    "1000",
    "1e30",
    "65536",
    "16777216",
    "2147483647",
    "2147483648",
    "-2147483648",
    "nan",
    "inf",
    "-inf",
    "1.5",
    "-0.0",
    "4294967296",
    "4294967297",
    "4611686018427387904",
    "s0",
    "u0",
    "null",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999999",
    "9223372036854775806",
    "1e308",
    "0x10",
};

static const char *const STRANGE[] = {
    "\"\"",
    "\"Mod(s0, 0)\"",
    "\"Mul(Integer(9223372036854775807), Symbol('s0', integer=True))\"",
    "\"Pow(Symbol('s0', integer=True), Integer(64))\"",
    "\"FloorDiv(Integer(1), Integer(0))\"",
    "\"Add(Integer(9223372036854775807), Integer(1))\"",
    "\"Integer(-9223372036854775808)\"",
    "\"s0*9223372036854775807\"",
    "\"oo\"",
    "\"Max()\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"*/ #error\"",
    "\"%s%n\"",
    "\"../../x\"",
    "\\",
    "\"",
    "((((((((((((((((((((((((((((((((",
    "[[[[[[[[[[[[[[[[[[[[[[[",
    "{{{{{{{{{{{{{{{{{{{{{{{{",
    "true",
    "false",
    "null",
    "None",
    "{}",
    "[]",
    "()",
    "-",
    "=",
    ":",
    "->",
    "%x",
    "@b0",
    "f32",
    "i64",
    "b8",
    "c64",
    "f16",
    "bf16",
    "s0 // 0",
    "s0 % 0",
    "mod",
    "floordiv",
    "\xff",
    "\x01",
    "self",
    "\"s0\"",
    "\"as_int\"",
    "\"as_ints\"",
    "\"as_tensor\"",
    "\"as_tensors\"",
    "\"as_none\"",
    "\"as_expr\"",
    "\"as_sym_int\"",
    "\"as_sym_ints\"",
    "\"as_float\"",
    "\"as_bool\"",
    "\"as_string\"",
    "\"as_optional_tensors\"",
    "\"as_scalar_type\"",
    "\"as_graph\"",
    "\"as_device\"",
};

#define PICK(r, table) constant((table)[random_below((r), sizeof(table) / sizeof *(table))])

static token constant(const char *text)
{
    return (token){text, strlen(text)};
}

/* The place of a token that is no blank, near `about`. */
static size_t place_near(random_state *r, const tokens *t, size_t about)
{
    size_t from = about > WINDOW / 2 ? about - WINDOW / 2 : 0;
    size_t at = from + random_below(r, WINDOW);
    if (at >= t->count) at = random_below(r, t->count);
    while (at + 1 < t->count && is_blank(t->at[at])) at++;
    return at;
}

static size_t place(random_state *r, const tokens *t)
{
    return place_near(r, t, random_below(r, t->count));
}

/* One that is like this: of the same kind. */
static token another(random_state *r, const tokens *t, token like)
{
    for (int tries = 0; tries < 60; tries++) {
        token one = t->at[place(r, t)];
        if (is_name(one) == is_name(like) && is_number(one) == is_number(like) &&
            !is_same(one, like))
            return one;
    }
    return like;
}

static void change_token(random_state *r, tokens *t, const tokens *donor, size_t at)
{
    const tokens *of = donor->count && random_one_in(r, 3) ? donor : t;
    if (is_number(t->at[at]) && !random_one_in(r, 4))
        t->at[at] = PICK(r, NUMBERS);
    else if (random_one_in(r, 8))
        t->at[at] = PICK(r, STRANGE);
    else
        t->at[at] = another(r, of, t->at[at]);
}

static void swap(random_state *r, tokens *t, const tokens *donor, size_t at)
{
    (void)donor;
    size_t other = place_near(r, t, at);
    token kept = t->at[at];
    t->at[at] = t->at[other];
    t->at[other] = kept;
}

static void drop_one(random_state *r, tokens *t, const tokens *donor, size_t at)
{
    (void)r;
    (void)donor;
    drop(t, at, 1);
}

static void repeat_one(random_state *r, tokens *t, const tokens *donor, size_t at)
{
    (void)donor;
    token one = t->at[random_one_in(r, 2) ? at : place_near(r, t, at)];
    insert(t, at, &one, 1);
}

/* [first, end) of the line with the token at `at`. */
static size_t line_of(const tokens *t, size_t at, size_t *end)
{
    size_t first = at;
    while (first > 0 && !memchr(t->at[first - 1].at, '\n', t->at[first - 1].length)) first--;
    for (*end = at; *end < t->count && !memchr(t->at[*end].at, '\n', t->at[*end].length);) ++*end;
    if (*end < t->count) ++*end;
    return first;
}

static void change_line(random_state *r, tokens *t, const tokens *donor, size_t at)
{
    const tokens *from = donor->count && random_one_in(r, 3) ? donor : t;
    size_t end, other_end, first = line_of(t, at, &end);
    size_t other = line_of(from, place(r, from), &other_end);
    size_t count = other_end - other, how = random_below(r, 3);
    if (end - first > MOST_TOKENS / 100) return; /* no text of lines */
    if (how != 1) insert(t, end, from->at + other, count);
    if (how != 0) drop(t, first, end - first);
}

/* What is in brackets, or one token, is dropped, repeated or put in another's place. */
static void change_value(random_state *r, tokens *t, const tokens *donor, size_t at)
{
    const tokens *from = donor->count && random_one_in(r, 3) ? donor : t;
    size_t length = value_length(t, at), other = place(r, from);
    switch (random_below(r, 4)) {
    case 0: drop(t, at, length); break;
    case 1:
        insert(t, at, t->at + at, length);
        if (at + length < t->count) t->at[at + length - 1] = constant(",");
        break;
    default:
        insert(t, at + length, from->at + other, value_length(from, other));
        drop(t, at, length);
    }
}

/* In JSON: the value of a member becomes that of another member of this name. */
static void change_member(random_state *r, tokens *t, const tokens *donor, size_t at)
{
    const tokens *from = donor->count && random_one_in(r, 3) ? donor : t;
    size_t key = at, other = place(r, from), tries = from->count;
    while (key + 3 < t->count && *t->at[key + 1].at != ':') key++;
    if (key + 3 >= t->count) return;
    for (; tries && !(is_same(from->at[other], t->at[key]) && (from != t || other != key)); tries--)
        other = other + 1 < from->count ? other + 1 : 0;
    if (!tries || other + 3 >= from->count) return;
    size_t value = key + 2, source = other + 2;
    value += is_blank(t->at[value]);
    source += is_blank(from->at[source]);
    size_t length = value_length(t, value);
    insert(t, value + length, from->at + source, value_length(from, source));
    drop(t, value, length);
}

static void cut(random_state *r, tokens *t, const tokens *donor, size_t at)
{
    (void)donor;
    if (random_one_in(r, 3)) t->count = at;
}

typedef void change(random_state *, tokens *, const tokens *, size_t at);

/* Half of the time one change, so that most of the program is as it was. Most keep brackets in pairs. */
bytes mutate_text(random_state *r, bytes text, bytes donor)
{
    static change *const CHANGES[] = {
        change_token, change_token,  change_token,  change_token,  change_token,
        change_token, change_member, change_member, change_member, change_value,
        drop_one,     repeat_one,    change_line,   swap,          cut,
    };
    enum { TEXT_CHANGES = sizeof CHANGES / sizeof *CHANGES, JSON_CHANGES = TEXT_CHANGES - 5 };
    size_t choice =
        text.size && *text.at == '{' && !random_one_in(r, 8) ? JSON_CHANGES : TEXT_CHANGES;
    tokens t = tokens_of(text), d = tokens_of(donor);
    size_t left = random_one_in(r, 2) ? 1 : 1 + random_below(r, MOST_CHANGES);
    for (; left && t.count; left--) CHANGES[random_below(r, choice)](r, &t, &d, place(r, &t));
    bytes result = text_of(&t);
    free(t.at);
    free(d.at);
    return result;
}
