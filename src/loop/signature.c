/* signature.c -- reading the signatures of extern.def: see there for what they say. */
#include "loop/signature.h"

#include <string.h>

/* ---- dtypes ---- */

#define BIT(d) (UINT64_C(1) << TY_##d)

static const uint64_t INTEGERS =
    BIT(BOOL) | BIT(U8) | BIT(U16) | BIT(U32) | BIT(U64) | BIT(I8) | BIT(I16) | BIT(I32) | BIT(I64);
static const uint64_t FLOATS = BIT(F16) | BIT(BF16) | BIT(F32) | BIT(F64);
static const uint64_t COMPLEX = BIT(C64) | BIT(C128);

typedef struct dtype_class {
    const char *name;
    uint64_t dtypes;
    bool is_same;
} dtype_class;

/* `real` and `complex` go by what `linear` is: check_extern.c. */
static bool find_class(sig_text type, dtype_class *out)
{
    const dtype_class CLASSES[] = {
        {"any", ~UINT64_C(0), true},
        {"ordered", INTEGERS | FLOATS, true},
        {"float", FLOATS, true},
        {"dense", BIT(F32) | BIT(F64), true},
        {"half", BIT(F16) | BIT(BF16), true},
        {"query", BIT(F16) | BIT(BF16) | BIT(F32), true},
        {"key_value", BIT(F16) | BIT(BF16) | BIT(F32), true},
        {"linear", BIT(F32) | BIT(F64) | COMPLEX, true},
        {"real", BIT(F32) | BIT(F64), false},
        {"complex", COMPLEX, false},
        {"wave", BIT(F32) | BIT(F64) | COMPLEX, false},
        {"byte", BIT(I8) | BIT(U8), false},
        {"key", BIT(I32) | BIT(I64), false},
        {"mask", BIT(BOOL) | BIT(F32), false},
    };
    for (size_t k = 0; k < COUNT_OF(CLASSES); k++) {
        *out = CLASSES[k];
        if (sig_is(type, out->name)) return true;
    }
    return false;
}

bool sig_has_dtype(sig_text type, ty_dtype d, bool *is_same)
{
    dtype_class class;
    *is_same = false;
    if (!find_class(type, &class)) return sig_is(type, ty_dtype_name(d));
    *is_same = class.is_same;
    return class.dtypes >> d & 1;
}

/* ---- text ---- */

bool sig_is(sig_text word, const char *name)
{
    return strlen(name) == word.length && memcmp(word.at, name, word.length) == 0;
}

/* The index of the first `c` outside of brackets; the length where there is none. */
static uint32_t find(sig_text part, char c)
{
    int depth = 0;
    for (uint32_t k = 0; k < part.length; k++) {
        if (part.at[k] == c && depth == 0) return k;
        depth += part.at[k] == '(' || part.at[k] == '[';
        depth -= part.at[k] == ')' || part.at[k] == ']';
    }
    return part.length;
}

static sig_text from(sig_text part, uint32_t begin)
{
    return (sig_text){part.at + begin, part.length - begin};
}

bool sig_next(sig_text *list, char separator, sig_text *word)
{
    while (list->length && *list->at == ' ') *list = from(*list, 1);
    if (!list->length) return false;
    *word = (sig_text){list->at, find(*list, separator)};
    *list = from(*list, word->length < list->length ? word->length + 1 : word->length);
    return true;
}

static int64_t number(sig_text part, int64_t fallback)
{
    int64_t value = 0;
    for (uint32_t k = 0; k < part.length; k++) value = 10 * value + (part.at[k] - '0');
    return part.length ? value : fallback;
}

static bool begins(sig_text part, const char *word)
{
    size_t length = strlen(word);
    return part.length >= length && memcmp(part.at, word, length) == 0;
}

/* ---- parts ---- */

/* a:f32[m,k]unit? */
static sig_operand read_operand(sig_text word)
{
    uint32_t colon = find(word, ':'), open = 0, close = 0;
    while (word.at[open] != '[') open++;
    while (word.at[close] != ']') close++;
    sig_operand o = {.name = {word.at, colon},
                     .type = {word.at + colon + 1, open - colon - 1},
                     .sizes = {word.at + open + 1, close - open - 1}};
    sig_text rest = from(word, close + 1);
    o.layout = begins(rest, "unit")      ? SIG_UNIT
               : begins(rest, "columns") ? SIG_COLUMNS
                                         : SIG_ANY_STRIDES;
    uint32_t mark = find(rest, '?');
    o.may_be_absent = mark < rest.length;
    if (mark + 1 < rest.length) o.together = rest.at[mark + 1];
    o.may_be_left_out = find(rest, '*') < rest.length;
    return o;
}

static uint32_t read_operands(sig_text list, sig_operand *out)
{
    uint32_t count = 0;
    for (sig_text word; count < SIG_MOST_OPERANDS && sig_next(&list, ' ', &word);)
        out[count++] = read_operand(word);
    return count;
}

/* groups=1.. */
static sig_int read_int(sig_text word)
{
    uint32_t equals = find(word, '=');
    sig_int i = {.name = {word.at, equals}, .low = INT64_MIN, .high = INT64_MAX};
    if (equals == word.length) return i;
    sig_text range = from(word, equals + 1);
    i.is_axis = sig_is(range, "axis");
    if (i.is_axis) return i;
    uint32_t dots = find(range, '.');
    i.low = number((sig_text){range.at, dots}, INT64_MIN);
    i.high = number(from(range, dots + 2), INT64_MAX);
    return i;
}

/* The list; empty where there is none. */
static sig_text list_of(const char *row, sig_numbers which)
{
    const char *begin = strchr(row, ';');
    if (begin && which == SIG_FLOATS) begin = strchr(begin + 1, ';');
    if (!begin) return (sig_text){row, 0};
    return (sig_text){begin + 1, (uint32_t)strcspn(begin + 1, ";")};
}

int32_t sig_place(const char *row, sig_numbers which, const char *name)
{
    sig_text list = list_of(row, which), word;
    for (int32_t k = 0; sig_next(&list, ' ', &word); k++)
        if (sig_is((sig_text){word.at, find(word, '=')}, name)) return k;
    return -1;
}

uint32_t sig_count(const char *row, sig_numbers which)
{
    sig_text list = list_of(row, which), word;
    uint32_t count = 0;
    while (sig_next(&list, ' ', &word)) count += !sig_is(word, "..");
    return count;
}

bool sig_read_input(const char *row, uint32_t input, sig_operand *out)
{
    const char *arrow = strstr(row, "->");
    if (!arrow) return false;
    sig_text list = {row, (uint32_t)(arrow - row)}, word;
    for (uint32_t k = 0; sig_next(&list, ' ', &word); k++)
        if (k == input) {
            *out = read_operand(word);
            return true;
        }
    return false;
}

signature sig_read(const char *row)
{
    signature s = {.takes_anything = strcmp(row, "..") == 0};
    sig_text all = {row, (uint32_t)strlen(row)}, part, word;
    if (s.takes_anything || !sig_next(&all, ';', &part)) return s;
    const char *arrow = strstr(row, "->");
    s.in_count = read_operands((sig_text){row, (uint32_t)(arrow - row)}, s.in);
    s.out_count = read_operands(from(part, (uint32_t)(arrow + 2 - row)), s.out);
    if (sig_next(&all, ';', &part))
        while (s.int_count < SIG_MOST_NUMBERS && sig_next(&part, ' ', &word)) {
            s.more_ints |= sig_is(word, "..");
            if (!sig_is(word, "..")) s.ints[s.int_count++] = read_int(word);
        }
    if (sig_next(&all, ';', &part))
        while (sig_next(&part, ' ', &word)) s.float_count++;
    if (sig_next(&all, ';', &part)) s.relations = part;
    return s;
}
