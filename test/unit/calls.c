/* calls.c -- the signatures of the runtime's operators, broken one by one: for every row of extern.def a
 * good call, and each call that differs from it in one thing is refused. */
#include "unit.h"

#include "loop/loop.h"

#include <string.h>

/* Memory of every dtype that the calls take; large letters are written. */
static const char BUFFERS[] = "program calls\n"
                              "symbol s0 in [2, 64]\n"
                              "input @b : bool[99] strides [1]\n"
                              "input @f : f32[99] strides [1]\n"
                              "input @c : c64[99] strides [1]\n"
                              "input @n : i32[99] strides [1]\n"
                              "input @i : i64[99] strides [1]\n"
                              "input @q : i8[99] strides [1]\n"
                              "input @h : bf16[99] strides [1]\n"
                              "temp @F : f32[99] strides [1]\n"
                              "temp @C : c64[99] strides [1]\n"
                              "temp @N : i32[99] strides [1]\n"
                              "temp @I : i64[99] strides [1]\n"
                              "extern ";

/* What may change, operands numbered with inputs first: operands that may be absent; sizes (operand and
 * dimension) that nothing else depends on; ints that may be negative; operands of any dtype. */
typedef struct good_call {
    const char *call, *optional, *loose, *any_int, *any_dtype;
    const char *unit; /* operands whose last stride is 1, or next to last */
} good_call;

static const good_call CALLS[] = {
    {"gemm (@f[2,3]{3,1}, @f[3,4]{4,1}, @f[4]{1}) -> (@F[2,4]{4,1}) ints [1] floats [0.0,1.0]", "2",
     "", "", "", "23"},
    {"quantised_gemm (@f[2,16]{16,1}, @q[16,4]{1,16}, @f[2,4]{4,1}, @f[2,4]{4,1}, @f[4]{1}) -> "
     "(@F[2,4]{4,1}) ints [4] floats []",
     "34", "", "", "", "02345"},
    {"integer_gemm (@q[2,16]{16,1}, @q[16,4]{1,16}) -> (@N[2,4]{4,1}) ints [] floats []", "", "",
     "", "", "02"},
    {"half_gemm (@h[2,3]{3,1}, @h[3,4]{1,3}, @f[4]{1}) -> (@F[2,4]{4,1}) ints [] floats []", "2",
     "", "", "", "23"},
    {"half_bmm (@h[5,2,3]{6,3,1}, @h[5,3,4]{0,4,1}) -> (@F[5,2,4]{8,4,1}) ints [] floats []", "",
     "", "", "", "2"},
    {"bmm (@f[5,2,3]{6,3,1}, @f[5,3,4]{0,4,1}, @f[5,2,4]{0,0,0}) -> (@F[5,2,4]{8,4,1}) ints [] "
     "floats [1.0,0.5]",
     "2", "", "", "", ""},
    {"conv (@f[1,4,5,6]{0,5,1,4}, @f[6,2,3,2]{12,6,2,1}, @f[6]{1}) -> (@F[1,6,3,3]{0,9,3,1}) ints "
     "[2,2,0,0,1,2,0,1,1,2,0,0] floats [0.0,0.0]",
     "2", "", "", "", "2"},
    {"conv (@f[1,4,5]{0,5,1}, @f[4,3,2]{6,2,1}, none) -> (@F[1,6,10]{0,10,1}) ints "
     "[1,2,1,0,2,0,1,0] floats [0.0,0.0]",
     "", "", "", "", ""},
    {"half_conv (@h[1,4,5,6]{0,5,1,4}, @h[6,2,3,2]{12,6,2,1}, @f[6]{1}) -> (@F[1,6,3,3]{0,9,3,1}) "
     "ints [2,2,0,0,1,2,0,1,1,2,0,0] floats []",
     "2", "", "", "", "2"},
    {"half_conv (@h[1,4,5,6]{0,5,1,4}, @h[6,4,3,3]{9,3,2,1}, none) -> (@F[1,6,5,6]{0,9,3,1}) ints "
     "[2,1,0,4,1,1,1,1,1,1,0,0] floats []",
     "", "", "", "", ""},
    {"winograd (@f[1,4,5,6]{0,5,1,4}, @f[6,4,3,3]{9,3,2,1}, @f[6]{1}) -> (@F[1,6,3,6]{0,9,3,1}) "
     "ints [4,0,1,2] floats [0.0,0.0]",
     "2", "", "", "", "2"},
    {"conv_weight (@f[1,4,5,6]{0,5,1,4}, @f[1,6,3,3]{0,9,3,1}) -> (@F[6,2,3,2]{12,6,2,1}) ints "
     "[2,2,1,2,0,1,1,2] floats []",
     "", "", "", "", ""},
    {"sdpa (@f[1,4,3,2]{0,6,2,1}, @f[1,2,5,2]{0,9,2,1}, @f[1,2,5,2]{0,9,2,1}, "
     "@b[1,4,3,5]{0,0,5,1}) "
     "-> (@F[1,4,3,2]{0,6,2,1}) ints [1,2,0,1] floats [0.5]",
     "3", "", "", "", ""},
    {"copy (@f[2,3]{1,2}) -> (@F[2,3]{3,1}) ints [0] floats []", "", "", "", "", ""},
    {"take (@i[2]{1}) -> (@F[3,4]{4,1}) ints [0] floats []", "", "1011", "", "1", ""},
    {"sort (@f[2,3]{3,1}) -> (@F[2,3]{1,2}, @I[2,3]{3,1}) ints [1,0] floats []", "12", "", "", "",
     ""},
    {"topk (@f[2,3]{3,1}) -> (@F[2,2]{2,1}, @I[2,2]{2,1}) ints [1,0,2] floats []", "12", "01", "",
     "", ""},
    {"select (@f[2,3]{3,1}) -> (@F[2,1]{1,1}, @I[2,1]{1,1}) ints [1,0,2] floats []", "12", "01", "",
     "", ""},
    {"mode (@f[2,3]{3,1}) -> (@F[2,1]{1,1}, @I[2,1]{1,1}) ints [1] floats []", "12", "01", "", "",
     ""},
    {"search (@f[2,3]{3,1}, @f[2,4]{4,1}, @i[2,3]{3,1}) -> (@I[2,4]{4,1}) ints [1] floats []", "2",
     "", "", "", ""},
    {"segment (@f[2,5,3]{15,3,1}, @i[2,5]{5,1}, @n[7]{1}, @f[7]{2}) -> (@F[2,4,3]{12,3,1}) ints "
     "[0,2] floats [0.0,0.0]",
     "23", "01", "1", "", ""},
    {"triangular_solve (@f[2,3,3]{9,3,1}, @f[2,3,4]{12,4,1}) -> (@F[2,3,4]{12,1,3}) ints [0,1] "
     "floats []",
     "", "", "", "", "2"},
    {"matrix_exp (@f[2,3,3]{9,3,1}) -> (@F[2,3,3]{9,3,1}) ints [] floats []", "", "", "", "", "1"},
    {"unpack_pivots (@n[2,3]{3,1}) -> (@I[2,4]{4,1}) ints [] floats []", "", "0111", "", "", ""},
    {"check_info (@n[2]{1}) -> () ints [2] floats [] text \"solve\"", "", "00", "", "", ""},
    {"lu_factor (@f[2,3,4]{12,4,1}) -> (@F[2,3,4]{12,1,3}, @N[2,3]{3,1}, @N[2]{1}) ints [] floats "
     "[]",
     "", "", "", "", "123"},
    {"lu_solve (@f[2,3,3]{9,3,1}, @n[2,3]{3,1}, @f[2,3,4]{12,4,1}) -> (@F[2,3,4]{12,1,3}) ints [2] "
     "floats []",
     "", "", "", "", "3"},
    {"cholesky (@f[2,3,3]{9,3,1}) -> (@F[2,3,3]{9,1,3}, @N[2]{1}) ints [1] floats []", "", "", "",
     "", "12"},
    {"ldl_factor (@f[2,3,3]{9,3,1}) -> (@F[2,3,3]{9,1,3}, @N[2,3]{3,1}, @N[2]{1}) ints [1] floats "
     "[]",
     "", "", "", "", "123"},
    {"ldl_solve (@f[2,3,3]{9,3,1}, @n[2,3]{3,1}, @f[2,3,4]{12,4,1}) -> (@F[2,3,4]{12,1,3}) ints "
     "[1] floats []",
     "", "", "", "", "3"},
    {"qr_factor (@f[2,3,4]{12,4,1}) -> (@F[2,3,4]{12,1,3}, @F[2,3]{3,1}) ints [] floats []", "", "",
     "", "", "12"},
    {"householder_product (@f[2,4,3]{12,3,1}, @f[2,2]{2,1}) -> (@F[2,4,3]{12,1,4}) ints [] floats "
     "[]",
     "", "021122", "", "", "2"},
    {"householder_apply (@f[2,3,3]{9,3,1}, @f[2,2]{2,1}, @f[2,3,4]{12,4,1}) -> (@F[2,3,4]{12,1,3}) "
     "ints [1,0] floats []",
     "", "0211", "", "", "3"},
    {"eigh (@f[2,3,3]{9,3,1}) -> (@F[2,3,3]{9,1,3}, @F[2,3]{3,1}, @N[2]{1}) ints [0] floats []",
     "1", "", "", "", "123"},
    {"eig (@f[2,3,3]{9,3,1}) -> (@C[2,3,3]{9,1,3}, @C[2,3]{3,1}, @N[2]{1}) ints [] floats []", "1",
     "", "", "", "123"},
    {"svd (@f[2,4,3]{12,3,1}) -> (@F[2,4,3]{12,1,4}, @F[2,3,3]{9,1,3}, @F[2,3]{3,1}, @N[2]{1}) "
     "ints "
     "[] floats []",
     "", "12", "", "", "1234"},
    {"nonzero (@b[2,3]{3,1}) -> (@I[4,2]{2,1}) ints [0] floats []", "", "000110", "0", "", ""},
    {"repeat (@i[3]{1}) -> (@I[7]{1}) ints [] floats []", "", "0010", "", "", ""},
    {"unique (@f[4,3]{3,1}) -> (@I[4]{1}, @I[4]{1}, @I[4]{1}, @I[1]{1}) ints [0] floats []", "13",
     "01", "", "", ""},
    {"fourier (@f[2,5]{5,1}, @f[6]{1}) -> (@C[2,4]{4,1}) ints [1,0,6,0,1] floats []", "1", "01", "",
     "", ""},
};

static const char *const NAMES[] = {
#define EXTERN(name, ...) #name,
#define EXTERN_LAPACK EXTERN
#define EXTERN_USERS EXTERN
#include "loop/extern.def"
#undef EXTERN
#undef EXTERN_LAPACK
#undef EXTERN_USERS
};

/* ---- help ---- */

typedef struct trial {
    loop_program *p;
    const good_call *good;
    loop_op *op;
} trial;

static loop_op *read_call(fe_session *session, const good_call *good, loop_program **p)
{
    const char *source = arena_printf(session->memory, "%s%s\n", BUFFERS, good->call);
    if (loop_parse(session, session->memory, source, strlen(source), p) != FE_OK) return NULL;
    return &(*p)->ops.at[0];
}

static uint32_t operand_count(const loop_op *op)
{
    return op->input_count + op->output_count;
}

static loop_view *operand(loop_op *op, uint32_t k)
{
    return k < op->input_count ? &op->inputs[k] : &op->outputs[k - op->input_count];
}

static bool has(const char *list, uint32_t k)
{
    return strchr(list, (int)('0' + k)) != NULL;
}

static bool has_pair(const char *list, uint32_t k, uint32_t d)
{
    for (; *list; list += 2)
        if (list[0] == (char)('0' + k) && list[1] == (char)('0' + d)) return true;
    return false;
}

static void expect_refused(const trial *t, const char *what, uint32_t k, bool is_refused)
{
    const char *fault = loop_call_fault(t->p, t->op);
    if (!EXPECT((fault != NULL) == is_refused))
        EXPECT_TEXT(t->good->call,
                    arena_printf(t->p->memory, "%s %u: %s", what, k, fault ? fault : "taken"));
}

/* ---- what is broken ---- */

static void break_operand(const trial *t, uint32_t k)
{
    loop_view *v = operand(t->op, k), kept = *v;
    sym_expr *sizes = arena_copy(t->p->memory, kept.sizes, kept.rank * sizeof *sizes);
    v->buffer = LOOP_NO_BUFFER;
    expect_refused(t, "without operand", k, !has(t->good->optional, k));
    *v = kept;
    v->dtype = TY_C32;
    expect_refused(t, "dtype of operand", k, !has(t->good->any_dtype, k));
    *v = kept;
    v->rank--;
    bool may_lose = strncmp(t->good->call, "check_info", 10) == 0;
    expect_refused(t, "rank of operand", k, !may_lose);
    *v = kept;
    v->sizes = sizes;
    for (uint32_t d = 0; d < kept.rank; d++) {
        sizes[d] = sym_add_int(t->p->symbols, kept.sizes[d], 1);
        expect_refused(t, "size of operand", 10 * k + d, !has_pair(t->good->loose, k, d));
        sizes[d] = kept.sizes[d];
    }
    *v = kept;
}

static void break_strides(const trial *t, uint32_t k)
{
    loop_view *v = operand(t->op, k), kept = *v;
    sym_expr *strides = arena_copy(t->p->memory, kept.strides, kept.rank * sizeof *strides);
    v->strides = strides;
    for (uint32_t d = 0; d < kept.rank; d++) {
        int64_t size, stride;
        sym_is_int(t->p->symbols, kept.sizes[d], &size);
        sym_is_int(t->p->symbols, kept.strides[d], &stride);
        strides[d] = sym_int(t->p->symbols, 0);
        if (k >= t->op->input_count && size > 1) expect_refused(t, "stride 0 of operand", k, true);
        strides[d] = sym_int(t->p->symbols, 2);
        if (has(t->good->unit, k) && stride == 1) expect_refused(t, "stride of operand", k, true);
        strides[d] = kept.strides[d];
    }
    *v = kept;
}

static void break_numbers(const trial *t)
{
    loop_op *op = t->op;
    sym_expr ints[16], *kept = op->ints;
    if (kept) memcpy(ints, kept, op->int_count * sizeof *ints);
    op->ints = ints;
    for (uint32_t k = 0; k < op->int_count; k++) {
        ints[k] = sym_int(t->p->symbols, -1);
        expect_refused(t, "int", k, !has(t->good->any_int, k));
        ints[k] = kept[k];
    }
    ints[op->int_count++] = sym_int(t->p->symbols, 0);
    expect_refused(t, "ints", op->int_count, true);
    op->int_count--;
    if (op->int_count) {
        op->int_count--;
        expect_refused(t, "ints", op->int_count, true);
        op->int_count++;
    }
    op->ints = kept;
    op->float_count++;
    expect_refused(t, "floats", op->float_count, true);
    op->float_count--;
    if (op->float_count) {
        op->float_count--;
        expect_refused(t, "floats", op->float_count, true);
        op->float_count++;
    }
}

static void break_counts(const trial *t)
{
    loop_op *op = t->op;
    if (op->output_count) {
        op->output_count--;
        expect_refused(t, "outputs", op->output_count, true);
        op->output_count++;
    }
    op->input_count--;
    expect_refused(t, "inputs", op->input_count, true);
    op->input_count++;
}

SESSION_TEST(every_operator_of_the_runtime_is_given_what_its_row_says)
{
    for (size_t i = 0; i < COUNT_OF(CALLS); i++) {
        trial t = {.good = &CALLS[i]};
        t.op = read_call(session, t.good, &t.p);
        if (!EXPECT(t.op != NULL)) continue;
        expect_refused(&t, "as it is", 0, false);
        for (uint32_t k = 0; k < operand_count(t.op); k++) {
            if (operand(t.op, k)->buffer == LOOP_NO_BUFFER) continue;
            break_operand(&t, k);
            break_strides(&t, k);
        }
        break_numbers(&t);
        break_counts(&t);
    }
    return FE_OK;
}

TEST(every_row_has_a_call_to_break)
{
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        bool found = strcmp(NAMES[i], "custom") == 0; /* takes what its callee says: law L7 */
        for (size_t k = 0; k < COUNT_OF(CALLS); k++) {
            size_t length = strcspn(CALLS[k].call, " ");
            found |= strlen(NAMES[i]) == length && memcmp(CALLS[k].call, NAMES[i], length) == 0;
        }
        if (!EXPECT(found)) EXPECT_TEXT(NAMES[i], "");
    }
}

/* What only the run knows counts as fitting, and what no sizes make right does not. */
SESSION_TEST(calls_with_symbols_are_held_to_what_is_known)
{
    static const struct {
        const char *call;
        bool is_refused;
    } SYMBOLIC[] = {
        {"gemm (@f[2,s0]{s0,1}, @f[3,4]{4,1}, none) -> (@F[2,4]{4,1}) ints [0] floats [0.0,0.0]",
         false},
        {"gemm (@f[2,s0]{s0,1}, @f[1,4]{4,1}, none) -> (@F[2,4]{4,1}) ints [0] floats [0.0,0.0]",
         true},
        {"gemm (@f[2,s0]{s0,1}, @f[s0 + 1,4]{4,1}, none) -> (@F[2,4]{4,1}) ints [0] floats "
         "[0.0,0.0]",
         true},
        {"gemm (@f[2,3]{3,1}, @f[3,4]{4,1}, @f[4]{s0}) -> (@F[2,4]{4,1}) ints [0] floats [0.0,0.0]",
         true},
        {"topk (@f[s0]{1}) -> (none, @I[3]{1}) ints [0,0,3] floats []", false},
        {"topk (@f[s0]{1}) -> (none, @I[65]{1}) ints [0,0,65] floats []", true},
        {"conv (@f[1,1,s0]{0,0,1}, @f[1,1,99]{0,0,1}, none) -> (@F[1,1,1]{0,0,1}) ints "
         "[1,1,0,0,1,0,1,0] floats [0.0,0.0]",
         true},
        {"conv (@f[1,1,5]{0,0,1}, @f[1,1,3]{0,0,1}, none) -> (@F[1,1,3]{0,0,1}) ints "
         "[1,1,0,0,0,0,1,0] floats [0.0,0.0]",
         true},
        {"conv (@f[1,1,5]{0,0,1}, @f[1,1,3]{0,0,1}, none) -> (@F[1,1,1]{0,0,1}) ints "
         "[1,1,0,0,1,-1,1,0] floats [0.0,0.0]",
         true},
        {"sort (@c[4]{1}) -> (@C[4]{1}, none) ints [0,0] floats []", true},
    };
    for (size_t i = 0; i < COUNT_OF(SYMBOLIC); i++) {
        good_call good = {SYMBOLIC[i].call, "", "", "", "", ""};
        trial t = {.good = &good};
        t.op = read_call(session, &good, &t.p);
        if (EXPECT(t.op != NULL)) expect_refused(&t, "with symbols", 0, SYMBOLIC[i].is_refused);
    }
    return FE_OK;
}
