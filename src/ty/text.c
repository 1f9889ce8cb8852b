/* text.c -- fake tensors as text: `f32[2,3]{3,1}+6@4:cuda0`.
 *
 * Strides stand there unless they are those of a contiguous tensor in fresh storage at offset 0;
 * the storage number unless it is 0; the device unless it is the CPU.
 */
#include "ty/ty_priv.h"

#include <string.h>

/* ---- printing ---- */

static void print_list(const sym_table *t, const sym_expr *items, uint32_t count, text *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) text_char(out, ',');
        sym_print(t, items[i], out);
    }
}

static bool has_plain_strides(const sym_table *t, const ty_tensor *x)
{
    sym_expr plain[TY_MAX_RANK];
    CHECK(sym_session(t), x->rank <= TY_MAX_RANK);
    /* Makes expressions, which changes nothing that a const table shows. */
    ty_contiguous_strides((sym_table *)t, x->rank, x->sizes, plain);
    for (uint32_t i = 0; i < x->rank; i++)
        if (!sym_same(plain[i], x->strides[i])) return false;
    return true;
}

void ty_print(const sym_table *t, const ty_tensor *x, text *out)
{
    bool at_start = ty_is_int(t, x->offset, 0);
    text_add(out, ty_dtype_name(x->dtype));
    text_char(out, '[');
    print_list(t, x->sizes, x->rank, out);
    text_char(out, ']');
    if (!at_start || x->storage != 0 || !has_plain_strides(t, x)) {
        text_char(out, '{');
        print_list(t, x->strides, x->rank, out);
        text_char(out, '}');
    }
    if (!at_start) {
        bool guard = sym_op_of(t, x->offset) == SYM_ADD;
        text_add(out, guard ? "+(" : "+");
        sym_print(t, x->offset, out);
        if (guard) text_char(out, ')');
    }
    if (x->storage != 0) text_printf(out, "@%u", x->storage);
    if (!ty_is_host(x->device) || x->device.index >= 0) {
        text_printf(out, ":%s", ty_device_words[x->device.kind]);
        if (x->device.index >= 0) text_printf(out, "%d", x->device.index);
    }
}

/* ---- parsing ---- */

/* A number at the start of `digits` that nothing follows. */
static bool parse_number(const char *digits, uint32_t most, uint32_t *out)
{
    uint64_t value = 0;
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 10 || digits[length]) return false;
    for (size_t i = 0; i < length; i++) value = value * 10 + (uint64_t)(digits[i] - '0');
    *out = (uint32_t)value;
    return value <= most;
}

static fe_status parse_list(sym_table *t, lexer *lx, const char *close, sym_expr *items,
                            uint32_t *count)
{
    *count = 0;
    if (lex_take(lx, close)) return FE_OK;
    do {
        if (*count == TY_MAX_RANK)
            return lex_fail(lx, "a tensor has at most %d dimensions", TY_MAX_RANK);
        FE_TRY(sym_parse(t, lx, &items[*count]));
        ++*count;
    } while (lex_take(lx, ","));
    return lex_expect(lx, close);
}

static fe_status parse_device(lexer *lx, ty_device *out)
{
    const char *name = lx->token.text;
    if (lx->token.kind != LEX_NAME) return lex_fail(lx, "expected a device");
    size_t length = strcspn(name, "0123456789");
    ty_device_kind kind;
    uint32_t index = 0;
    bool is_known = ty_device_kind_of(name, length, &kind);
    if (!is_known || (name[length] && !parse_number(name + length, INT32_MAX, &index)))
        return lex_fail(lx, "unknown device");
    *out = (ty_device){kind, name[length] ? (int32_t)index : -1};
    lex_next(lx);
    return FE_OK;
}

fe_status ty_parse_dtype(lexer *lx, ty_dtype *out)
{
    if (lx->token.kind != LEX_NAME || !ty_dtype_parse(lx->token.text, out))
        return lex_fail(lx, "expected a dtype");
    lex_next(lx);
    return FE_OK;
}

fe_status ty_parse(arena *a, sym_table *t, lexer *lx, ty_tensor **out)
{
    ty_dtype dtype;
    uint32_t rank;
    sym_expr sizes[TY_MAX_RANK];
    FE_TRY(ty_parse_dtype(lx, &dtype));
    FE_TRY(lex_expect(lx, "["));
    FE_TRY(parse_list(t, lx, "]", sizes, &rank));
    ty_tensor *x = ty_tensor_new(a, t, dtype, TY_HOST, rank, sizes);
    if (lex_take(lx, "{")) {
        uint32_t count;
        FE_TRY(parse_list(t, lx, "}", sizes, &count));
        if (count != rank) return lex_fail(lx, "%u strides for %u dimensions", count, rank);
        memcpy(x->strides, sizes, rank * sizeof *sizes);
    }
    if (lex_take(lx, "+")) FE_TRY(sym_parse(t, lx, &x->offset));
    if (lx->token.kind == LEX_BUFFER) {
        if (!parse_number(lx->token.text, UINT32_MAX, &x->storage))
            return lex_fail(lx, "expected a storage number");
        lex_next(lx);
    }
    if (lex_take(lx, ":")) FE_TRY(parse_device(lx, &x->device));
    *out = x;
    return FE_OK;
}
