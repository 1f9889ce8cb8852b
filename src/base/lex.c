/* lex.c -- the one tokenizer under all text IRs.
 *
 * The lexer stands on one token; lex_next() moves it. A text with an error yields LEX_END from
 * there on and reports only that first error: what a parser would say next is noise.
 */
#include "base/base.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_part(char c)
{
    return is_name_start(c) || is_digit(c) || c == '.';
}

/* The character `ahead` of the current one; NUL past the end. */
static char peek(const lexer *lx, size_t ahead)
{
    return (size_t)(lx->end - lx->at) > ahead ? lx->at[ahead] : '\0';
}

static void skip_blanks(lexer *lx)
{
    for (; lx->at < lx->end; lx->at++) {
        char c = *lx->at;
        if (c == '\n') {
            lx->line++;
            lx->line_start = lx->at + 1;
            lx->token.first_on_line = true;
        } else if (c == '#') {
            const char *newline = memchr(lx->at, '\n', (size_t)(lx->end - lx->at));
            lx->at = (newline ? newline : lx->end) - 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            break;
        }
    }
}

/* Steps over `length` characters, which are the token; its text leaves out the first `prefix` of
 * them. */
static void take(lexer *lx, lex_kind kind, size_t prefix, size_t length)
{
    lx->token.kind = kind;
    lx->token.text = intern_n(lx->session, lx->at + prefix, length - prefix);
    lx->at += length;
}

static size_t name_length(const lexer *lx, size_t from)
{
    size_t n = from;
    while (is_name_part(peek(lx, n))) n++;
    return n - from;
}

static void read_name(lexer *lx)
{
    take(lx, LEX_NAME, 0, name_length(lx, 0));
    const char *name = lx->token.text;
    if (strcmp(name, "inf") != 0 && strcmp(name, "nan") != 0) return;
    lx->token.kind = LEX_FLOAT;
    lx->token.number = *name == 'i' ? (double)INFINITY : (double)NAN;
}

static void set_integer(lexer *lx)
{
    const char *at = lx->token.text;
    bool minus = *at == '-';
    uint64_t limit = (uint64_t)INT64_MAX + minus;
    uint64_t value = 0;
    for (at += minus; *at; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (limit - digit) / 10) {
            lex_fail(lx, "the integer does not fit in 64 bits");
            return;
        }
        value = value * 10 + digit;
    }
    lx->token.integer = minus ? (int64_t)(0 - value) : (int64_t)value;
    lx->token.number = (double)lx->token.integer;
}

static void read_number(lexer *lx)
{
    size_t n = *lx->at == '-';
    bool is_float = false;
    while (is_digit(peek(lx, n))) n++;
    if (peek(lx, n) == '.' && is_digit(peek(lx, n + 1))) {
        is_float = true;
        for (n++; is_digit(peek(lx, n));) n++;
    }
    if (peek(lx, n) == 'e' || peek(lx, n) == 'E') {
        size_t sign = peek(lx, n + 1) == '-' || peek(lx, n + 1) == '+';
        if (is_digit(peek(lx, n + 1 + sign))) {
            is_float = true;
            for (n += 1 + sign; is_digit(peek(lx, n));) n++;
        }
    }
    take(lx, is_float ? LEX_FLOAT : LEX_INT, 0, n);
    if (is_float)
        lx->token.number = strtod(lx->token.text, NULL);
    else
        set_integer(lx);
}

/* The value of "\x.." at `at`, or -1. */
static int hex_pair(const lexer *lx, size_t ahead)
{
    static const char DIGITS[] = "0123456789abcdef0123456789ABCDEF";
    int value = 0;
    for (size_t i = ahead; i < ahead + 2; i++) {
        char c = peek(lx, i);
        const char *digit = c ? strchr(DIGITS, c) : NULL;
        if (!digit) return -1;
        value = value * 16 + (int)((digit - DIGITS) % 16);
    }
    return value;
}

/* One character of a string, from its escape at lx->at on; steps over it. Returns -1 after a
 * diagnostic. */
static int unescape(lexer *lx)
{
    int value = -1;
    size_t length = 2;
    switch (peek(lx, 1)) {
    case '"': value = '"'; break;
    case '\\': value = '\\'; break;
    case 'n': value = '\n'; break;
    case 't': value = '\t'; break;
    case 'r': value = '\r'; break;
    case 'x':
        value = hex_pair(lx, 2);
        length = 4;
        break;
    default: break;
    }
    if (value > 0) {
        lx->at += length;
    } else {
        lex_fail(lx, value == 0 ? "a string cannot hold a NUL" : "unknown escape in a string");
        value = -1;
    }
    return value;
}

static void read_string(lexer *lx)
{
    const char *start = lx->at;
    text content;
    text_init(&content, lx->session->memory);
    for (lx->at++; peek(lx, 0) != '"';) {
        if (lx->at >= lx->end || *lx->at == '\n') {
            lx->at = start;
            lex_fail(lx, "the string is not closed on its line");
            return;
        }
        int c = (unsigned char)*lx->at;
        if (c == '\\') {
            c = unescape(lx);
            if (c < 0) return;
        } else {
            lx->at++;
        }
        text_char(&content, (char)c);
    }
    lx->at++;
    lx->token.kind = LEX_STRING;
    lx->token.text = intern_n(lx->session, content.at, content.length);
}

static void read_punct(lexer *lx)
{
    static const char PAIRS[][3] = {"->", "==", "<=", ">=", "!=", "//", "&&", "||", "<<", ">>"};
    for (size_t i = 0; i < COUNT_OF(PAIRS); i++) {
        if (peek(lx, 0) == PAIRS[i][0] && peek(lx, 1) == PAIRS[i][1]) {
            take(lx, LEX_PUNCT, 0, 2);
            return;
        }
    }
    if (isgraph((unsigned char)*lx->at))
        take(lx, LEX_PUNCT, 0, 1);
    else
        lex_fail(lx, "character 0x%02x has no meaning here", (unsigned char)*lx->at);
}

static bool is_minus_infinity(const lexer *lx)
{
    return lx->end - lx->at >= 4 && memcmp(lx->at, "-inf", 4) == 0 && !is_name_part(peek(lx, 4));
}

static void read_token(lexer *lx)
{
    char c = peek(lx, 0);
    char next = peek(lx, 1);
    bool prefixed = c == '%' || c == '@';
    if (lx->at >= lx->end)
        take(lx, LEX_END, 0, 0);
    else if (is_name_start(c))
        read_name(lx);
    else if (prefixed && is_name_part(next))
        take(lx, c == '%' ? LEX_VALUE : LEX_BUFFER, 1, 1 + name_length(lx, 1));
    else if (is_digit(c) || (c == '-' && is_digit(next)))
        read_number(lx);
    else if (is_minus_infinity(lx)) {
        take(lx, LEX_FLOAT, 0, 4);
        lx->token.number = -(double)INFINITY;
    } else if (c == '"')
        read_string(lx);
    else
        read_punct(lx);
}

/* Nothing comes after an error. */
static void stop(lexer *lx)
{
    lx->at = lx->end;
    lx->token.kind = LEX_END;
    lx->token.text = "";
}

void lex_next(lexer *lx)
{
    bool at_start = lx->token.line == 0;
    lx->token = (lex_token){.first_on_line = at_start, .text = ""};
    if (lx->bad) {
        stop(lx);
        return;
    }
    skip_blanks(lx);
    lx->token.line = lx->line;
    lx->token.column = (uint32_t)(lx->at - lx->line_start) + 1;
    read_token(lx);
    if (lx->bad) stop(lx);
}

void lex_init(lexer *lx, fe_session *session, const char *stage, const char *source, size_t length)
{
    *lx = (lexer){.session = session,
                  .stage = stage,
                  .at = source,
                  .end = source + length,
                  .line = 1,
                  .line_start = source};
    lex_next(lx);
}

bool lex_is(const lexer *lx, const char *punct_or_name)
{
    bool right_kind = lx->token.kind == LEX_PUNCT || lx->token.kind == LEX_NAME;
    return right_kind && strcmp(lx->token.text, punct_or_name) == 0;
}

bool lex_take(lexer *lx, const char *punct_or_name)
{
    if (!lex_is(lx, punct_or_name)) return false;
    lex_next(lx);
    return true;
}

fe_status lex_expect(lexer *lx, const char *punct_or_name)
{
    if (lex_take(lx, punct_or_name)) return FE_OK;
    return lex_fail(lx, "expected '%s'", punct_or_name);
}

/* Steps over a token of this kind and gives its text. */
static fe_status take_kind(lexer *lx, lex_kind kind, const char *what, const char **out)
{
    if (lx->token.kind != kind) return lex_fail(lx, "expected %s", what);
    *out = lx->token.text;
    lex_next(lx);
    return FE_OK;
}

fe_status lex_name(lexer *lx, const char **out)
{
    return take_kind(lx, LEX_NAME, "a name", out);
}

fe_status lex_value(lexer *lx, const char **out)
{
    return take_kind(lx, LEX_VALUE, "a %value", out);
}

fe_status lex_buffer(lexer *lx, const char **out)
{
    return take_kind(lx, LEX_BUFFER, "a @buffer", out);
}

fe_status lex_string(lexer *lx, const char **out)
{
    return take_kind(lx, LEX_STRING, "a \"string\"", out);
}

fe_status lex_int(lexer *lx, int64_t *out)
{
    int64_t value = lx->token.integer;
    const char *spelling;
    FE_TRY(take_kind(lx, LEX_INT, "an integer", &spelling));
    *out = value;
    return FE_OK;
}

fe_status lex_double(lexer *lx, double *out)
{
    if (lx->token.kind != LEX_FLOAT && lx->token.kind != LEX_INT)
        return lex_fail(lx, "expected a number");
    *out = lx->token.number;
    lex_next(lx);
    return FE_OK;
}

fe_status lex_finish(lexer *lx)
{
    if (lx->bad) return FE_CORRUPT;
    return lx->token.kind == LEX_END ? FE_OK : lex_fail(lx, "expected the end of the text");
}

/* The token as it stood in the text, cut to a readable length. */
static const char *spell_token(const lexer *lx, arena *memory)
{
    static const char *const SIGILS[] = {[LEX_VALUE] = "%", [LEX_BUFFER] = "@", [LEX_PUNCT] = ""};
    enum { LONGEST = 40 };
    const lex_token *token = &lx->token;
    if (token->kind == LEX_END) return "the end";
    const char *sigil = SIGILS[token->kind] ? SIGILS[token->kind] : "";
    const char *dots = strlen(token->text) > LONGEST ? "..." : "";
    return arena_printf(memory, "'%s%.*s%s'", sigil, LONGEST, token->text, dots);
}

fe_status lex_fail(lexer *lx, const char *format, ...)
{
    if (lx->bad) return FE_CORRUPT;
    lx->bad = true;

    arena *memory = lx->session->memory;
    va_list args;
    va_start(args, format);
    char said[500];
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    const char *place =
        arena_printf(memory, "line %u, column %u", lx->token.line, lx->token.column);
    diag d = {.status = FE_CORRUPT, .stage = lx->stage, .place = place};
    return diag_fail(lx->session, d, "%s (found %s)", said, spell_token(lx, memory));
}
