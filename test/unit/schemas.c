/* schemas.c -- schemas and shape rows with something wrong in them: each is read, or told once; none
 * of them harms. */
#include "ferrite.h"
#include "ferrite_ops.h"
#include "op/op.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 400, TURNS = 3000 };

static const char *const SCHEMAS[] = {
    "a::f(Tensor x) -> Tensor",
    "a.b::f.out(Tensor x, int[2] size=0, *, Tensor(a!) out, Tensor(b!)? more=None) -> (Tensor(a!), "
    "Tensor(b!)?)",
    "a::f(Tensor(a|b) x, Tensor(c!)[] ys, Tensor?[] zs, Scalar s=1.5, complex c=2) -> Tensor(a)[]",
    "a::f(float x=inf, float y=-1e30, bool[3] m=[True, False, True], str s=\"a,b)\", SymInt[2] "
    "n=[1, 2]) -> ()",
    "a::f(ScalarType? d=float32, Layout l=strided, Device v=\"cpu\", MemoryFormat? "
    "m=contiguous_format) -> "
    "(int n, SymInt m, float, bool)",
    "a::f(Dict(str, Tensor) d, Tensor(a -> *) x, int? k=None) -> Tensor(*)",
    "a::f(...) -> ...",
};
static const char *const PIECES[] = {"(",  ")",      "[",    "]",    "!",  "?",
                                     ",",  "*",      "=",    "->",   "::", ".",
                                     "|",  "Tensor", "int",  "a!",   "\"", "\\",
                                     "-9", "1e999",  "None", " ",    "0x", "99999999999999999999",
                                     "[]", "()",     "...",  "\x80", "a"};

/* Any number that has not been drawn before. */
static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* One to three places of `from` changed: cut, doubled, or something put in. */
static void spoil(const char *from, uint32_t *state, char *out)
{
    snprintf(out, LONGEST, "%s", from);
    for (uint32_t k = 1 + draw(state, 3); k-- > 0;) {
        char rest[LONGEST];
        size_t length = strlen(out), at = draw(state, (uint32_t)length + 1);
        size_t gone = draw(state, 3) ? 0 : draw(state, 6);
        if (at + gone > length) gone = length - at;
        snprintf(rest, sizeof rest, "%s", out + (draw(state, 8) ? at + gone : at / 2));
        const char *piece = draw(state, 4) ? PIECES[draw(state, COUNT_OF(PIECES))] : "";
        snprintf(out + at, LONGEST - at, "%s%.*s", piece, LONGEST / 2, rest);
    }
}

static void forget_diagnostics(fe_session *session)
{
    session->first_diag = session->last_diag = NULL;
    session->diag_count = 0;
}

SESSION_TEST(spoilt_schemas_are_read_or_told_once)
{
    uint32_t state = 1, read = 0, told = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        op_registry *r = op_registry_new(session->memory);
        char schema[LONGEST];
        const op_info *op;
        spoil(SCHEMAS[draw(&state, COUNT_OF(SCHEMAS))], &state, schema);
        forget_diagnostics(session);
        fe_status status = op_declare(r, schema, 0, &op);
        if (status == FE_OK) {
            read++;
            EXPECT(op->name != NULL && session->diag_count == 0);
        } else {
            told++;
            EXPECT(status == FE_CORRUPT || status == FE_USAGE);
            if (!EXPECT(session->diag_count == 1)) puts(schema);
        }
    }
    EXPECT(read > 100);
    EXPECT(told > 100);
    return FE_OK;
}

static int nothing(const fe_op_call *call)
{
    (void)call;
    return 0;
}

TEST(spoilt_shape_rows_are_read_or_told)
{
    static const char *const ROWS[] = {"x[n, d]{s, t}, ys[n], k -> x[n - 1, d + k]{d, 1} + s, "
                                       "i64[?, 2], (x[n], x[min(n, 3)]), int(n // 2)",
                                       "x[4, 3] -> x[3, 4]{1, 3}, i64[max(1, 2) % 3], (x[4]), int"};
    static const char PROGRAM[] =
        "graph main {\n  placeholder %x user \"x\" : f32[4,3]\n  placeholder %y user \"y\" : "
        "f32[4]\n"
        "  %p = a.f.default(%x, %y, 2)\n  %v = _operator.getitem(%p, 1)\n  output (user %v)\n}\n";
    uint32_t state = 2;
    for (int turn = 0; turn < TURNS / 10; turn++) {
        char shapes[LONGEST];
        const char *shown = NULL;
        fe_session *session = fe_session_new();
        spoil(ROWS[draw(&state, COUNT_OF(ROWS))], &state, shapes);
        fe_op_row row = {
            .schema =
                "a::f(Tensor(a) x, Tensor ys, int k) -> (Tensor(a), Tensor, Tensor[], SymInt)",
            .function = nothing,
            .shapes = shapes};
        fe_set(session, "from", "fx");
        EXPECT_INT(fe_add_op(session, &row), FE_OK);
        fe_status status =
            fe_inspect_memory(session, "p.fx", PROGRAM, sizeof PROGRAM - 1, "loop", &shown, NULL);
        fe_diagnostic said;
        if (!EXPECT((status == FE_OK) != fe_diagnostic_at(session, 0, &said))) puts(shapes);
        if (!EXPECT(status != FE_INTERNAL)) puts(shapes);
        fe_session_free(session);
    }
}
