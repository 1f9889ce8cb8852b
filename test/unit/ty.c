/* ty.c -- src/ty: rows that PyTorch 2.13 gave, and symbolic answers against those for numbers.
 *
 * The random test makes layouts over symbols, asks everything of them, puts numbers in place of the
 * symbols and asks again: what was known for all sizes must hold for these.
 */
#include "ty/ty.h"
#include "unit.h"

#include <math.h>
#include <string.h>

static ty_tensor *parse(sym_table *t, fe_session *session, const char *source)
{
    lexer lx;
    ty_tensor *x = NULL;
    lex_init(&lx, session, "test", source, strlen(source));
    bool good = ty_parse(session->memory, t, &lx, &x) == FE_OK && lex_finish(&lx) == FE_OK;
    return good ? x : NULL;
}

static const char *print(const sym_table *t, fe_session *session, const ty_tensor *x)
{
    text out;
    text_init(&out, session->memory);
    ty_print(t, x, &out);
    return out.at;
}

/* "2,s0,3" */
static uint32_t parse_list(sym_table *t, fe_session *session, const char *source, sym_expr *items)
{
    lexer lx;
    uint32_t count = 0;
    lex_init(&lx, session, "test", source, strlen(source));
    if (lx.token.kind == LEX_END) return 0;
    do EXPECT(sym_parse(t, &lx, &items[count++]) == FE_OK);
    while (lex_take(&lx, ","));
    EXPECT(lex_finish(&lx) == FE_OK);
    return count;
}

static const char *print_list(const sym_table *t, fe_session *session, const sym_expr *items,
                              uint32_t count)
{
    text out;
    text_init(&out, session->memory);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) text_char(&out, ',');
        sym_print(t, items[i], &out);
    }
    return out.at;
}

/* ---- dtypes ---- */

TEST(dtypes_have_names_numbers_and_kinds)
{
    ty_dtype d;
    EXPECT_TEXT(ty_dtype_name(TY_BF16), "bf16");
    EXPECT_TEXT(ty_dtype_torch_name(TY_BF16), "torch.bfloat16");
    EXPECT(ty_dtype_parse("f32", &d) && d == TY_F32);
    EXPECT(ty_dtype_parse("float32", &d) && d == TY_F32);
    EXPECT(ty_dtype_parse("torch.complex64", &d) && d == TY_C64);
    EXPECT(!ty_dtype_parse("torch.f32", &d) && !ty_dtype_parse("", &d) &&
           !ty_dtype_parse("none", &d));
    for (int i = TY_NO_DTYPE + 1; i < TY_DTYPE_COUNT; i++) {
        EXPECT(ty_dtype_from_number(ty_dtype_number((ty_dtype)i)) == (ty_dtype)i);
        EXPECT(ty_dtype_parse(ty_dtype_name((ty_dtype)i), &d) && d == (ty_dtype)i);
        EXPECT(ty_dtype_size((ty_dtype)i) > 0);
    }
    EXPECT(ty_dtype_from_number(99) == TY_NO_DTYPE);
    EXPECT(ty_is_floating(TY_F16) && !ty_is_floating(TY_C32) && !ty_is_floating(TY_I8));
    EXPECT(ty_is_integral(TY_BOOL, true) && !ty_is_integral(TY_BOOL, false) &&
           ty_is_integral(TY_U64, false));
    EXPECT(ty_complex_to_real(TY_C128) == TY_F64 && ty_real_to_complex(TY_F16) == TY_C32);
}

TEST(floats_of_8_bits_are_read_and_rounded)
{
    static const struct {
        ty_dtype dtype;
        double value;
        uint8_t bits;
    } KNOWN[] = {
        {TY_F8E4M3FN, 464, 0x7e},       {TY_F8E4M3FN, 1e9, 0x7e},   {TY_F8E4M3FN, -INFINITY, 0xfe},
        {TY_F8E4M3FN, 0.0009765625, 0}, {TY_F8E4M3FN, 0.001, 1},    {TY_F8E5M2, 61440, 0x7c},
        {TY_F8E5M2, 61439, 0x7b},       {TY_F8E5M2, -0.0, 0x80},    {TY_F8E4M3FNUZ, -0.0, 0},
        {TY_F8E4M3FNUZ, 248, 0x80},     {TY_F8E4M3FNUZ, 247, 0x7f}, {TY_F8E5M2FNUZ, INFINITY, 0x80},
        {TY_F8E8M0FNU, 1.5, 128},       {TY_F8E8M0FNU, -0.75, 127}, {TY_F8E8M0FNU, 0, 0},
        {TY_F8E8M0FNU, INFINITY, 255},
    };
    for (size_t i = 0; i < COUNT_OF(KNOWN); i++)
        EXPECT_INT(ty_float8_bits(KNOWN[i].dtype, KNOWN[i].value), KNOWN[i].bits);
    for (ty_dtype d = TY_F8E4M3FN; d <= TY_F8E8M0FNU; d++)
        for (int b = 0; b < 256; b++) {
            double value = ty_float8_value(d, (uint8_t)b);
            if (!isnan(value)) EXPECT_INT(ty_float8_bits(d, value), b);
        }
    EXPECT(ty_promote_types(TY_F8E5M2, TY_F32) == TY_NO_DTYPE);
    EXPECT(ty_promote_types(TY_F8E5M2, TY_F8E5M2) == TY_F8E5M2);
}

TEST(promotion_is_pytorch_s)
{
    /* torch.promote_types of all pairs: a row a dtype, a column a dtype, in the order of NAMES;
     * "-": an error. */
    static const ty_dtype NAMES[] = {TY_BOOL, TY_U8,  TY_I8,   TY_I16, TY_I32,
                                     TY_I64,  TY_F16, TY_BF16, TY_F32, TY_F64,
                                     TY_C32,  TY_C64, TY_C128, TY_U16, TY_U64};
    static const char *const ROWS[] = {
        "bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128 - -",
        "u8 u8 i16 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128 - -",
        "i8 i16 i8 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128 - -",
        "i16 i16 i16 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128 - -",
        "i32 i32 i32 i32 i32 i64 f16 bf16 f32 f64 c32 c64 c128 - -",
        "i64 i64 i64 i64 i64 i64 f16 bf16 f32 f64 c32 c64 c128 - -",
        "f16 f16 f16 f16 f16 f16 f16 f32 f32 f64 c32 c64 c128 f16 f16",
        "bf16 bf16 bf16 bf16 bf16 bf16 f32 bf16 f32 f64 c64 c64 c128 bf16 bf16",
        "f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 c64 c64 c128 f32 f32",
        "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128 c128 f64 f64",
        "c32 c32 c32 c32 c32 c32 c32 c64 c64 c128 c32 c64 c128 - -",
        "c64 c64 c64 c64 c64 c64 c64 c64 c64 c128 c64 c64 c128 - -",
        "c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 - -",
        "- - - - - - f16 bf16 f32 f64 - - - u16 -",
        "- - - - - - f16 bf16 f32 f64 - - - - u64",
    };
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        const char *at = ROWS[i];
        for (size_t k = 0; k < COUNT_OF(NAMES); k++) {
            char name[8] = {0};
            size_t length = strcspn(at, " ");
            memcpy(name, at, length);
            at += length + (at[length] != 0);
            ty_dtype d = ty_promote_types(NAMES[i], NAMES[k]);
            EXPECT_TEXT(d == TY_NO_DTYPE ? "-" : ty_dtype_name(d), name);
        }
    }
}

TEST(operands_of_lower_classes_lift_the_kind_alone)
{
    enum { TENSOR, SCALAR, NUMBER };
    static const struct {
        ty_dtype a;
        int a_class;
        ty_dtype b;
        int b_class;
        ty_dtype wanted;
    } ROWS[] = {
        {TY_F32, TENSOR, TY_F64, SCALAR, TY_F32},
        {TY_F32, TENSOR, TY_F64, TENSOR, TY_F64},
        {TY_I8, TENSOR, TY_I64, NUMBER, TY_I8},
        {TY_I8, TENSOR, TY_F32, NUMBER, TY_F32},
        {TY_F16, TENSOR, TY_F32, NUMBER, TY_F16},
        {TY_BOOL, TENSOR, TY_I64, NUMBER, TY_I64},
        {TY_BOOL, TENSOR, TY_BOOL, NUMBER, TY_BOOL},
        {TY_I64, SCALAR, TY_F32, NUMBER, TY_F32},
        {TY_F64, SCALAR, TY_F32, NUMBER, TY_F64},
        {TY_F64, SCALAR, TY_I64, TENSOR, TY_F64},
        {TY_F64, TENSOR, TY_C64, NUMBER, TY_C128},
        {TY_BF16, TENSOR, TY_C64, NUMBER, TY_C64},
        {TY_F16, TENSOR, TY_C128, SCALAR, TY_C32},
        {TY_I32, TENSOR, TY_C128, SCALAR, TY_C128},
        {TY_U16, TENSOR, TY_I64, NUMBER, TY_U16},
        {TY_U16, TENSOR, TY_C64, SCALAR, TY_C64},
        {TY_U16, TENSOR, TY_I64, TENSOR, TY_NO_DTYPE},
        {TY_BOOL, TENSOR, TY_U16, SCALAR, TY_NO_DTYPE},
        {TY_I64, TENSOR, TY_U16, SCALAR, TY_I64},
        {TY_I64, NUMBER, TY_F64, NUMBER, TY_F32},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        ty_operand a = {ROWS[i].a, ROWS[i].a_class == NUMBER, ROWS[i].a_class == SCALAR};
        ty_operand b = {ROWS[i].b, ROWS[i].b_class == NUMBER, ROWS[i].b_class == SCALAR};
        EXPECT_TEXT(ty_dtype_name(ty_result_type((ty_operand[]){a, b}, 2)),
                    ty_dtype_name(ROWS[i].wanted));
        EXPECT_TEXT(ty_dtype_name(ty_result_type((ty_operand[]){b, a}, 2)),
                    ty_dtype_name(ROWS[i].wanted));
    }
}

/* ---- text ---- */

SESSION_TEST(tensors_read_back_as_they_print)
{
    static const char *const SAME[] = {
        "f32[1,64,s0,56]",
        "f32[]",
        "f32[]{}@3",
        "bf16[2,3]{1,2}",
        "i64[2,3]{3,1}+6@4",
        "f32[2,3]{3,1}@4:cuda0",
        "bool[s0,4*s0 + 1]:cuda",
        "f32[s0,s1]{s1,1}+(s0 + 1)",
        "f32[2]{-1}+1",
        "c64[3]:cpu0",
        "u8[0,3]:meta",
        "f32[4,s0,3]{3*s0,3,1}", /* not the contiguous strides: these have max(s0, 1) */
        "f32[s0,s0,3]{9,3,1}+2*s0@1",
    };
    static const char *const BAD[] = {"",
                                      "f33[2]",
                                      "f32",
                                      "f32[2",
                                      "f32[2]{1,2}",
                                      "f32[2]@x",
                                      "f32[2]:tpu",
                                      "f32[2]:cudax",
                                      "f32[2]@99999999999",
                                      "f32[2]+",
                                      "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"};
    for (size_t i = 0; i < COUNT_OF(SAME); i++) {
        sym_table *t = sym_table_new(session->memory);
        ty_tensor *x = parse(t, session, SAME[i]);
        if (EXPECT(x != NULL)) EXPECT_TEXT(print(t, session, x), SAME[i]);
    }
    for (size_t i = 0; i < COUNT_OF(BAD); i++)
        EXPECT(parse(sym_table_new(session->memory), session, BAD[i]) == NULL);
    sym_table *t = sym_table_new(session->memory);
    EXPECT_TEXT(print(t, session, parse(t, session, "float32[2,3]{3,1}")), "f32[2,3]");
    EXPECT(ty_known_same_layout(t, parse(t, session, "f32[4,s0,3]"),
                                parse(t, session, "f32[4,s0,3]{3*s0,3,1}")));
    EXPECT(!ty_known_same_layout(t, parse(t, session, "f32[4,s0,3]"),
                                 parse(t, session, "f32[4,s0,3]{1,12,4}")));
    return FE_OK;
}

/* ---- layouts ---- */

SESSION_TEST(contiguity_is_seen_in_numbers_and_in_symbols)
{
    static const struct {
        const char *tensor;
        bool contiguous, channels_last, dense;
        ty_memory_format suggested;
    } ROWS[] = {
        {"f32[2,3,4,5]", true, false, true, TY_CONTIGUOUS},
        {"f32[2,3,4,5]{60,1,15,3}", false, true, true, TY_CHANNELS_LAST},
        {"f32[2,3,4,5,6]{360,1,90,18,3}", false, true, true, TY_CHANNELS_LAST_3D},
        {"f32[2,3,4,5]{120,1,30,6}", false, false, false, TY_CHANNELS_LAST},
        {"f32[2,3,1,1]{3,1,3,3}", true, true, true, TY_CHANNELS_LAST},
        {"f32[2,3,1,1]{3,1,1,1}", true, true, true, TY_CONTIGUOUS},
        {"f32[5,1,1,1]{1,1,1,1}", true, true, true, TY_CONTIGUOUS},
        {"f32[3,2]{1,3}", false, false, true, TY_CONTIGUOUS},
        {"f32[3,2]{1,0}", false, false, false, TY_CONTIGUOUS},
        {"f32[1,1]{9,9}", true, false, true, TY_CONTIGUOUS},
        {"f32[2,0]{7,7}", true, false, true, TY_CONTIGUOUS},
        {"f32[]", true, false, true, TY_CONTIGUOUS},
        {"f32[4]{2}", false, false, false, TY_CONTIGUOUS},
        {"f32[s1,s0,64]", true, false, true, TY_CONTIGUOUS},
        {"f32[s1,s0,64]{64*s0,64,1}", true, false, true, TY_CONTIGUOUS},
        {"f32[s0,s1,64]{64,64*s0,1}", false, false, true, TY_CONTIGUOUS},
        {"f32[s1,s0,64]{128*s0,64,1}", false, false, false, TY_CONTIGUOUS},
        {"f32[1,s0,64]{7,64,1}", true, false, true, TY_CONTIGUOUS},
        {"f32[s0,64]{1,1}", false, false, false, TY_CONTIGUOUS},
        {"f32[s0,3,s1,s2]{3*s1*s2,1,3*s2,3}", false, true, true, TY_CHANNELS_LAST},
        {"f32[s0 + 2,3*s1]{max(3*s1, 1),1}", true, false, true, TY_CONTIGUOUS},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        sym_table *t = sym_table_new(session->memory);
        ty_tensor *x = parse(t, session, ROWS[i].tensor);
        if (!EXPECT(x != NULL)) continue;
        bool good = ty_is_contiguous(t, x) == ROWS[i].contiguous &&
                    ty_is_channels_last(t, x) == ROWS[i].channels_last &&
                    ty_is_non_overlapping_and_dense(t, x) == ROWS[i].dense &&
                    ty_suggested_format(t, x) == ROWS[i].suggested;
        if (!good) EXPECT_TEXT(ROWS[i].tensor, "(answers)");
    }
    return FE_OK;
}

SESSION_TEST(formats_have_their_strides)
{
    static const struct {
        const char *sizes;
        ty_memory_format format;
        const char *strides;
    } ROWS[] = {
        {"2,3,4,5", TY_CONTIGUOUS, "60,20,5,1"},
        {"2,0,4,5", TY_CONTIGUOUS, "20,20,5,1"},
        {"2,3,4,5", TY_CHANNELS_LAST, "60,1,15,3"},
        {"2,0,4,5", TY_CHANNELS_LAST, "0,1,0,0"},
        {"2,3,4,5,6", TY_CHANNELS_LAST_3D, "360,1,90,18,3"},
        {"s0,3,s1,s2", TY_CHANNELS_LAST, "3*s1*s2,1,3*s2,3"},
        {"s0,s1,4", TY_CONTIGUOUS, "4*max(s1, 1),4,1"},
        {"s0,s1 + 1,4", TY_CONTIGUOUS, "4*s1 + 4,4,1"},
        {"", TY_CONTIGUOUS, ""},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        sym_table *t = sym_table_new(session->memory);
        sym_expr sizes[TY_MAX_RANK];
        sym_expr strides[TY_MAX_RANK];
        uint32_t rank = parse_list(t, session, ROWS[i].sizes, sizes);
        ty_format_strides(t, ROWS[i].format, rank, sizes, strides);
        EXPECT_TEXT(print_list(t, session, strides, rank), ROWS[i].strides);
    }
    return FE_OK;
}

SESSION_TEST(empty_like_preserves_the_order_of_dimensions)
{
    static const struct {
        const char *tensor, *strides;
    } ROWS[] = {
        {"f32[1,4,4,2]{2,2,8,0}", "2,2,8,1"},
        {"f32[2,2,1,3,2]{12,2,144,24,4}", "4,1,24,8,2"},
        {"f32[1,4,1,4]{16,1,32,4}", "16,1,32,4"},
        {"f32[4,3,2,3,3]{5,24,12,120,1}", "3,24,12,72,1"},
        {"f32[2,1,5,1,1]{24,24,2,2,1}", "5,5,1,1,1"},
        {"f32[1,2,4,1]{32,8,2,1}", "8,4,1,1"},
        {"f32[5,4,1,3,5]{144,36,18,6,1}", "60,15,15,5,1"},
        {"f32[1,4,2,3]{1,0,1,2}", "1,2,1,8"},
        {"f32[1,2,4,1]{16,2,4,64}", "8,1,2,8"},
        {"f32[4,3,5]{1,0,0}", "15,5,1"},
        {"f32[5,2,1,5,4]{0,1,2,8,2}", "40,1,2,8,2"},
        {"f32[5,1,2,4,2]{8,4,4,40,2}", "4,2,2,20,1"},
        {"f32[3,5,2,2,1]{5,4,8,1,8}", "10,2,30,1,30"},
        {"f32[1,4,2,1]{8,1,4,4}", "8,1,4,4"},
        {"f32[1,3,1,3,1]{3,0,3,1,1}", "9,3,3,1,1"},
        {"f32[4,5,1,1,1]{4,16,160,2,1}", "1,4,20,1,1"},
        {"f32[s0,s1]{1,s0}", "1,s0"},
        {"f32[s0,s1,8]{16*s1,16,2}", "8*max(s1, 1),8,1"},
        {"f32[s0,s1]{2,2*s0}", "1,max(s0, 1)"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        sym_table *t = sym_table_new(session->memory);
        ty_tensor *x = parse(t, session, ROWS[i].tensor);
        sym_expr strides[TY_MAX_RANK];
        ty_preserved_strides(t, x, strides);
        EXPECT_TEXT(print_list(t, session, strides, x->rank), ROWS[i].strides);
    }
    return FE_OK;
}

SESSION_TEST(pointwise_results_have_tensor_iterator_s_strides)
{
    static const struct {
        const char *a, *b, *sizes, *strides;
    } ROWS[] = {
        {"f32[3,4]{2,6}", "f32[3,4]{4,1}", "3,4", "1,3"},
        {"f32[1,2,3]{6,6,1}", "f32[2,2,3]{4,6,60}", "2,2,3", "1,6,2"},
        {"f32[1]{1}", "f32[3,4]{2,6}", "3,4", "1,3"},
        {"f32[3,4,1,2]{4,24,2,2}", "f32[3,4,1,2]{2,0,12,1}", "3,4,1,2", "2,6,1,1"},
        {"f32[2,4,3,2]{12,0,3,1}", "f32[2,4,3,2]{24,6,2,1}", "2,4,3,2", "24,6,2,1"},
        {"f32[3,2,2]{6,1,18}", "f32[2]{1}", "3,2,2", "2,1,6"},
        {"f32[3,3,1]{2,12,12}", "f32[3,3,1]{2,6,1}", "3,3,1", "1,3,3"},
        {"f32[3,4,3,3]{36,1,12,4}", "f32[3,4,3,3]{36,9,3,1}", "3,4,3,3", "36,1,12,4"},
        {"f32[2]{1}", "f32[3,3,2]{3,1,18}", "3,3,2", "3,1,9"},
        {"f32[1,3,3,3]{27,1,9,3}", "f32[1,3,3,3]{18,18,6,1}", "1,3,3,3", "27,1,9,3"},
        {"f32[3,3,4]{1,12,3}", "f32[3,3,4]{12,4,1}", "3,3,4", "1,12,3"},
        {"f32[1,4,4]{4,1,8}", "f32[1,4,4]{32,8,2}", "1,4,4", "4,1,4"},
        {"f32[1,1,2]{1,4,8}", "f32[2,1,2]{8,8,2}", "2,1,2", "2,1,1"},
        {"f32[1,1,3]{2,2,0}", "f32[2,1,1]{1,4,4}", "2,1,3", "3,6,1"},
        {"f32[4,1,4]{1,4,8}", "f32[4,1,4]{8,20,60}", "4,1,4", "1,4,4"},
        {"f32[4,4]{1,4}", "f32[4,4]{0,0}", "4,4", "1,4"},
        {"f32[2]{1}", "f32[3,2]{0,2}", "3,2", "2,1"},
        {"f32[4,1,4,4]{3,12,24,5}", "f32[4,1,4,4]{16,1,1,4}", "4,1,4,4", "1,16,16,4"},
        {"f32[1,1,3,4]{8,8,1,16}", "f32[1,1,3,4]{12,12,4,1}", "1,1,3,4", "3,3,1,3"},
        {"f32[4,4]{4,1}", "f32[4,4]{0,1}", "4,4", "4,1"},
        {"f32[2,1,2,1]{0,4,4,1}", "f32[2,2,1,4]{8,1,8,2}", "2,2,2,4", "16,1,2,4"},
        {"f32[4,3]{6,24}", "f32[1]{1}", "4,3", "1,4"},
        {"f32[1,4,4]{16,1,4}", "f32[1,4,4]{4,1,0}", "1,4,4", "16,1,4"},
        {"f32[4,4,4]{0,1,4}", "f32[4,4,4]{16,4,1}", "4,4,4", "16,1,4"},
        {"f32[s0,s1,64]{64*s1,64,1}", "f32[64]", "s0,s1,64", "64*max(s1, 1),64,1"},
        {"f32[s0,s1]{1,s0}", "f32[s0,s1]{1,s0}", "s0,s1", "1,s0"},
        {"f32[s0,s1]{1,s0}", "f32[]", "s0,s1", "1,s0"},
        {"f32[s0,3,s1,s2]{3*s1*s2,1,3*s2,3}", "f32[3,1,1]", "s0,3,s1,s2", "3*s1*s2,1,3*s2,3"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        sym_table *t = sym_table_new(session->memory);
        const ty_tensor *x[] = {parse(t, session, ROWS[i].a), parse(t, session, ROWS[i].b)};
        sym_expr sizes[TY_MAX_RANK];
        sym_expr strides[TY_MAX_RANK];
        uint32_t rank;
        EXPECT(ty_broadcast(t, x[0]->rank, x[0]->sizes, x[1]->rank, x[1]->sizes, &rank, sizes));
        EXPECT_TEXT(print_list(t, session, sizes, rank), ROWS[i].sizes);
        ty_pointwise_strides(t, x, 2, rank, sizes, strides);
        EXPECT_TEXT(print_list(t, session, strides, rank), ROWS[i].strides);
    }
    return FE_OK;
}

SESSION_TEST(views_share_memory_where_they_can)
{
    static const struct {
        const char *tensor, *sizes, *strides; /* NULL: no such view */
    } ROWS[] = {
        {"f32[1,1,0,4]{4,4,4,1}", "1,0", "1,1"},
        {"f32[4,2,1]{2,1,1}", "2,2,2,1", "4,2,1,1"},
        {"f32[3,1,1,1]{4,2,2,4}", "3,1,1", "4,4,4"},
        {"f32[1,3]{6,2}", "3", "2"},
        {"f32[1,1,4]{1,1,1}", "1,2,2,1", "4,2,1,1"},
        {"f32[2]{1}", "2,1", "1,1"},
        {"f32[3,1,4,4]{16,16,4,1}", "3,2,2,2,2", "16,8,4,2,1"},
        {"f32[3,1,5,5]{30,30,5,1}", "3,1,1,25", "30,25,25,1"},
        {"f32[3,1]{1,1}", "3", "1"},
        {"f32[4,1,5,1]{10,10,2,1}", "4,5", "10,2"},
        {"f32[1,3,2,4]{36,3,1,9}", "6,4", NULL},
        {"f32[4,1,1,3]{2,2,1,0}", "4,1,3", "2,0,0"},
        {"f32[5,4,1,3]{4,1,4,20}", "20,3", "1,20"},
        {"f32[1,1,2]{2,2,1}", "1,2", "2,1"},
        {"f32[4,1,1,1]{4,2,4,1}", "2,2,1,1,1", "8,4,1,1,1"},
        {"f32[2,1,1,3]{3,3,3,1}", "6", "1"},
        {"f32[1,2,4,2]{24,4,5,3}", "1,2,2,2,2", "8,4,10,5,3"},
        {"f32[2,4,4]{4,1,0}", "2,4,4,1", "4,1,0,0"},
        {"f32[4,4,5]{20,5,1}", "4,4,1,5", "20,5,5,1"},
        {"f32[2,1,5,1]{0,1,0,1}", "2,5,1", "0,0,1"},
        {"f32[2,2,1,1]{16,2,8,8}", "2,2,1", "16,2,8"},
        {"f32[2,1,4,5]{0,20,5,1}", "2,20", "0,1"},
        {"f32[2,1,5,1]{5,5,1,1}", "2,1,5", "5,5,1"},
        {"f32[4,1]{4,2}", "2,2,1", "8,4,2"},
        {"f32[2,1,3]{3,99,1}", "6", "1"},
        {"f32[]", "1,1", "1,1"},
        {"f32[2,3]", "-1", "1"},
        {"f32[2,3]", "4,-1", NULL},
        {"f32[2,3]", "-1,-1", NULL},
        {"f32[2,0]", "0,-1", NULL},
        {"f32[2,0]", "7,0", "1,1"},
        {"f32[s0,12,64]", "s0,12,4,16", "768,64,16,1"},
        {"f32[s0,12,64]", "-1,64", "64,1"},
        {"f32[s0,s1,64]{64*s1,64,1}", "s0*s1,64", "64,1"},
        {"f32[s0,s1,64]{64*s1,64,1}", "s0,s1,-1,16", "64*s1,64,16,1"},
        {"f32[s0*s1,64]", "s0,s1,64", "64*s1,64,1"},
        {"f32[s0,s1,64]{64,64*s0,1}", "s0*s1,64", NULL},
        {"f32[s0,s1,64]{64,64*s0,1}", "s0,s1,8,-1", "64,64*s0,8,1"},
        {"f32[8,s0]{1,8}", "2,4,s0", "4,1,8"},
        {"f32[s0,4,s1]{s1,0,1}", "s0,2,2,s1", "s1,0,0,1"},
        {"f32[s0 + 1,4]", "4*s0 + 4", "1"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        sym_table *t = sym_table_new(session->memory);
        ty_tensor *x = parse(t, session, ROWS[i].tensor);
        sym_expr sizes[TY_MAX_RANK];
        sym_expr strides[TY_MAX_RANK];
        uint32_t rank = parse_list(t, session, ROWS[i].sizes, sizes);
        bool good = ty_infer_view_size(t, ty_numel(t, x), rank, sizes) &&
                    ty_view_strides(t, x, rank, sizes, strides);
        EXPECT_TEXT(good ? print_list(t, session, strides, rank) : NULL, ROWS[i].strides);
    }
    return FE_OK;
}

SESSION_TEST(shapes_broadcast)
{
    static const struct {
        const char *a, *b, *both; /* NULL: they do not match */
    } ROWS[] = {
        {"2,1,4", "3,1", "2,3,4"}, {"", "5", "5"},
        {"2,3", "3,2", NULL},      {"0", "1", "0"},
        {"s0,1", "s1", "s0,s1"},   {"s0", "s0", "s0"},
        {"s0", "7", "7"},          {"s0 + 8", "7", NULL},
        {"u0", "s0", "u0"},        {"s0 + 2,4", "1,4", "s0 + 2,4"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        sym_table *t = sym_table_new(session->memory);
        sym_expr a[TY_MAX_RANK];
        sym_expr b[TY_MAX_RANK];
        uint32_t rank_a = parse_list(t, session, ROWS[i].a, a);
        uint32_t rank_b = parse_list(t, session, ROWS[i].b, b);
        uint32_t rank = 0;
        bool good = ty_broadcast(t, rank_a, a, rank_b, b, &rank, a); /* in place */
        EXPECT_TEXT(good ? print_list(t, session, a, rank) : NULL, ROWS[i].both);
    }
    return FE_OK;
}

SESSION_TEST(storage_reaches_to_the_last_element)
{
    static const struct {
        const char *tensor, *bytes;
    } ROWS[] = {
        {"f32[2,3]", "24"},          {"f32[2,3]{1,4}+5", "60"}, {"f16[]", "2"},
        {"f64[2,0,3]+9", "0"},       {"f32[s0]", "4*s0"},       {"f32[4,s0,64]", "1024*s0"},
        {"f32[4,s0]{1,4}", "16*s0"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        sym_table *t = sym_table_new(session->memory);
        sym_expr bytes = ty_storage_bytes(t, parse(t, session, ROWS[i].tensor));
        EXPECT_TEXT(print_list(t, session, &bytes, 1), ROWS[i].bytes);
    }
    return FE_OK;
}

/* ---- symbols against numbers ---- */

enum { SYMBOLS = 3, MOST_DIMENSIONS = 5 };

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

/* A dense or spread layout over products of symbols and numbers. */
static ty_tensor *random_tensor(sym_table *t, fe_session *session, const sym_expr *symbols,
                                uint64_t *state)
{
    uint32_t rank = 1 + draw(state, MOST_DIMENSIONS);
    sym_expr sizes[MOST_DIMENSIONS];
    uint32_t order[MOST_DIMENSIONS];
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t kind = draw(state, 6);
        sizes[i] = kind < SYMBOLS ? symbols[kind] : sym_int(t, 1 + draw(state, 4));
        if (draw(state, 4) == 0) sizes[i] = sym_mul_int(t, sizes[i], 2);
        uint32_t at = draw(state, 2) ? i : draw(state, i + 1);
        for (uint32_t k = i; k > at; k--) order[k] = order[k - 1];
        order[at] = i;
    }
    ty_tensor *x = ty_tensor_new(session->memory, t, TY_F32, (ty_device){TY_CPU, -1}, rank, sizes);
    sym_expr stride = sym_int(t, draw(state, 5) ? 1 : 2);
    for (uint32_t i = rank; i-- > 0;) {
        bool repeated = draw(state, 10) == 0;
        x->strides[order[i]] = repeated ? sym_int(t, 0) : stride;
        if (!repeated) stride = sym_mul(t, stride, sizes[order[i]]);
        if (draw(state, 8) == 0) stride = sym_mul_int(t, stride, 2);
    }
    return x;
}

/* x's sizes with neighbours joined, or split by 2. */
static uint32_t random_view(sym_table *t, const ty_tensor *x, sym_expr *sizes, uint64_t *state)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        sym_expr half = sym_floordiv(t, x->sizes[i], sym_int(t, 2));
        bool even = sym_known_divisible(t, x->sizes[i], sym_int(t, 2), NULL);
        if (rank > 0 && draw(state, 3) == 0) {
            sizes[rank - 1] = sym_mul(t, sizes[rank - 1], x->sizes[i]);
        } else if (even && draw(state, 2)) {
            sizes[rank++] = half;
            sizes[rank++] = sym_int(t, 2);
        } else {
            sizes[rank++] = x->sizes[i];
        }
    }
    return rank;
}

typedef struct numbers {
    sym_table *t;
    const sym_expr *symbols;
    sym_expr values[SYMBOLS];
} numbers;

static void put_numbers(const numbers *n, sym_expr *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        items[i] = sym_substitute(n->t, items[i], n->symbols, n->values, SYMBOLS);
}

/* Strides of dimensions with more than one element agree. */
static bool same_where_it_matters(sym_table *t, const sym_expr *a, const sym_expr *b,
                                  const sym_expr *sizes, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++) {
        int64_t size = 0;
        if (!sym_is_int(t, sizes[i], &size)) return false;
        if (size > 1 && !sym_same(a[i], b[i])) return false;
    }
    return true;
}

static void check_tensor(const numbers *n, fe_session *session, const ty_tensor *x, uint64_t *state)
{
    sym_table *t = n->t;
    ty_tensor *y = ty_tensor_copy(session->memory, x);
    put_numbers(n, y->sizes, y->rank);
    put_numbers(n, y->strides, y->rank);
    EXPECT(!ty_is_contiguous(t, x) || ty_is_contiguous(t, y));
    EXPECT(!ty_is_channels_last(t, x) || ty_is_channels_last(t, y));
    EXPECT(!ty_is_non_overlapping_and_dense(t, x) || ty_is_non_overlapping_and_dense(t, y));

    sym_expr sizes[2 * MOST_DIMENSIONS];
    sym_expr strides[2 * MOST_DIMENSIONS];
    sym_expr wanted[2 * MOST_DIMENSIONS];
    uint32_t rank = random_view(t, x, sizes, state);
    if (!ty_view_strides(t, x, rank, sizes, strides)) return;
    put_numbers(n, sizes, rank);
    put_numbers(n, strides, rank);
    bool good = ty_view_strides(t, y, rank, sizes, wanted) &&
                same_where_it_matters(t, strides, wanted, sizes, rank);
    if (!good) EXPECT_TEXT(print(t, session, x), print_list(t, session, sizes, rank));
}

SESSION_TEST(what_is_known_of_symbols_holds_for_numbers)
{
    uint64_t state = 7;
    for (int round = 0; round < 2000; round++) {
        sym_table *t = sym_table_new(session->memory);
        sym_expr symbols[SYMBOLS];
        for (int i = 0; i < SYMBOLS; i++)
            symbols[i] = sym_symbol(t, (char[]){'s', (char)('0' + i), 0}, SYM_SIZE, 0, SYM_NO_MAX);
        ty_tensor *x = random_tensor(t, session, symbols, &state);
        numbers n = {.t = t, .symbols = symbols};
        for (int i = 0; i < SYMBOLS; i++) n.values[i] = sym_int(t, 1 + draw(&state, 4));
        check_tensor(&n, session, x, &state);
    }
    return FE_OK;
}
