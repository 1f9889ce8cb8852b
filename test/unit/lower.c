/* lower.c -- tests of lowering that go through the interpreter, and of what it refuses. */
#include "unit.h"

#include "lower/lower.h"

#include <math.h>
#include <string.h>

static fe_status lowered(fe_session *session, const char *source, loop_program **out)
{
    fx_graph *g;
    FE_TRY(fx_parse(session, session->memory, source, strlen(source), &g));
    return lower_graph(g, session->memory, NULL, &(lower_choices){0}, out);
}

/* Lowers, runs on one input, and gives the first output's memory (from its view's offset on). */
static const void *run(fe_session *session, const char *source, void *input, loop_program **out)
{
    loop_program *p;
    fe_status status = lowered(session, source, &p);
    EXPECT_INT(status, FE_OK);
    if (status != FE_OK) return NULL;
    void **buffers = NEW_ARRAY(session->memory, void *, p->buffers.count);
    loop_machine machine = {.buffers = buffers, .memory = session->memory};
    for (uint32_t k = 0; k < p->buffers.count; k++)
        if (p->buffers.at[k].kind == LOOP_INPUT) buffers[k] = input;
    status = loop_interpret(p, &machine);
    EXPECT_INT(status, FE_OK);
    if (out) *out = p;
    int64_t offset = 0;
    const loop_view *v = &p->outputs.at[0].view;
    sym_is_int(p->symbols, v->offset, &offset);
    return status == FE_OK ? (const char *)buffers[v->buffer] + offset * ty_dtype_size(v->dtype)
                           : NULL;
}

static uint32_t ops_of_kind(const loop_program *p, loop_op_kind kind)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->ops.count; k++) count += p->ops.at[k].kind == kind;
    return count;
}

SESSION_TEST(lower_reports_every_operator_that_it_lacks)
{
    loop_program *p;
    fe_status status =
        lowered(session,
                "graph main {\n  placeholder %x user \"x\" : f32[3,3]\n"
                "  %a = _c10d_functional.all_reduce.default(%x, \"sum\", \"0\") : f32[3,3]\n"
                "  %b = aten.relu.default(%a) : f32[3,3]\n"
                "  %c = _c10d_functional.wait_tensor.default(%x) : f32[3,3]\n"
                "  %d = aten.add.Tensor(%b, %c) : f32[3,3]\n  output (user %d)\n}\n",
                &p);
    EXPECT_INT(status, FE_UNSUPPORTED);
    EXPECT_INT(session->diag_count, 2); /* not for what hangs on them */
    EXPECT_TEXT(session->first_diag->message, "there is no lowering for this operator yet");
    EXPECT_TEXT(session->first_diag->op, "_c10d_functional.all_reduce.default");
    EXPECT_TEXT(session->last_diag->op, "_c10d_functional.wait_tensor.default");
    EXPECT(session->first_diag->help != NULL);
    return FE_OK;
}

SESSION_TEST(lower_inlines_what_is_cheap_and_stores_what_is_not)
{
    loop_program *p;
    FE_TRY(lowered(session,
                   "graph main {\n  placeholder %x user \"x\" : f32[4,8]\n"
                   "  %a = aten.relu.default(%x) : f32[4,8]\n"
                   "  %b = aten.mul.Tensor(%a, 2.0) : f32[4,8]\n"
                   "  %c = aten.sub.Tensor(%a, %b) : f32[4,8]\n  output (user %c)\n}\n",
                   &p));
    EXPECT_INT(p->ops.count, 1);
    FE_TRY(
        lowered(session,
                "graph main {\n  placeholder %x user \"x\" : f32[4,8]\n"
                "  %a = aten.exp.default(%x) : f32[4,8]\n"
                "  %t = aten.permute.default(%a, [1, 0]) : f32[8,4]{1,8}\n"
                "  %b = aten.sum.dim_IntList(%t, [0]) : f32[4]\n"
                "  %c = aten.sum.dim_IntList(%a, [0]) : f32[8]\n  output (user %b, user %c)\n}\n",
                &p));
    EXPECT_INT(p->ops.count, 3); /* exp has two readers, one of them behind a view */
    return FE_OK;
}

SESSION_TEST(lower_reshapes_memory_without_copies)
{
    loop_program *p;
    FE_TRY(lowered(session,
                   "graph main {\n  placeholder %x user \"x\" : f32[2,3,8]\n  placeholder %w param "
                   "\"w\" : f32[5,8]\n"
                   "  %l = aten.linear.default(%x, %w) : f32[2,3,5]\n"
                   "  %v = aten.view.default(%l, [6, 5]) : f32[6,5]\n"
                   "  %t = aten.t.default(%v) : f32[5,6]{1,5}\n  output (user %t)\n}\n",
                   &p));
    EXPECT_INT(p->ops.count, 1);
    EXPECT_INT(ops_of_kind(p, LOOP_EXTERN), 1);
    int64_t stride;
    EXPECT(sym_is_int(p->symbols, p->outputs.at[0].view.strides[1], &stride) && stride == 5);
    return FE_OK;
}

SESSION_TEST(lower_gives_outputs_the_recorded_strides)
{
    loop_program *p;
    FE_TRY(lowered(session,
                   "graph main {\n  placeholder %x user \"x\" : f32[2,3,4,4]{48,1,12,3}\n"
                   "  %r = aten.relu.default(%x) : f32[2,3,4,4]{48,1,12,3}\n"
                   "  %c = aten.clone.default(%x, torch.contiguous_format) : f32[2,3,4,4]\n"
                   "  output (user %r, user %c, user %x)\n}\n",
                   &p));
    static const int64_t WANTED[2] = {1, 16};
    for (uint32_t k = 0; k < 2; k++) {
        int64_t stride;
        EXPECT(sym_is_int(p->symbols, p->outputs.at[k].view.strides[1], &stride) &&
               stride == WANTED[k]);
        EXPECT(p->buffers.at[p->outputs.at[k].view.buffer].kind == LOOP_TEMP);
    }
    EXPECT(p->buffers.at[p->outputs.at[2].view.buffer].kind == LOOP_INPUT);
    return FE_OK;
}

SESSION_TEST(lower_writes_mutated_inputs_last)
{
    loop_program *p;
    fe_status status = lowered(
        session,
        "graph main {\n  placeholder %a user \"a\" : f32[4]\n  placeholder %b user \"b\" : f32[4]\n"
        "  %s = aten.add.Tensor(%a, %b) : f32[4]\n"
        "  output (user_input_mutation \"a\" %b, user_input_mutation \"b\" %a, user %s)\n}\n",
        &p);
    EXPECT_INT(status, FE_OK);
    if (status != FE_OK) return FE_OK;
    float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40};
    void **buffers = NEW_ARRAY(session->memory, void *, p->buffers.count);
    buffers[0] = a;
    buffers[1] = b;
    loop_machine machine = {.buffers = buffers, .memory = session->memory};
    FE_TRY(loop_interpret(p, &machine));
    EXPECT(a[0] == 10 && b[0] == 1); /* swapped */
    EXPECT(((float *)buffers[p->outputs.at[0].view.buffer])[0] == 11);
    return FE_OK;
}

SESSION_TEST(lower_softmax_is_stable)
{
    float x[3] = {1000, 1001, -INFINITY};
    const float *y =
        run(session,
            "graph main {\n  placeholder %x user \"x\" : f32[1,3]\n"
            "  %s = aten._softmax.default(%x, -1, False) : f32[1,3]\n  output (user %s)\n}\n",
            x, NULL);
    if (!y) return FE_OK;
    EXPECT(fabsf(y[0] - 0.26894142f) < 1e-6f && fabsf(y[1] - 0.73105858f) < 1e-6f && y[2] == 0);
    return FE_OK;
}

SESSION_TEST(lower_half_computes_in_float_and_rounds_after_each_operator)
{
    uint16_t x[2] = {0x3c01, 0x7bff}; /* 1 + 2^-10, 65504 */
    loop_program *p;
    const uint16_t *y = run(session,
                            "graph main {\n  placeholder %x user \"x\" : f16[2]\n"
                            "  %m = aten.mul.Tensor(%x, %x) : f16[2]\n"
                            "  %s = aten.sub.Tensor(%m, %x) : f16[2]\n  output (user %s)\n}\n",
                            x, &p);
    if (!y) return FE_OK;
    EXPECT_INT(y[0], 0x1400); /* (1 + 2^-9) - (1 + 2^-10) */
    EXPECT_INT(y[1], 0x7c00); /* the product overflows */
    return FE_OK;
}

SESSION_TEST(lower_integer_division_rounds_as_asked)
{
    int64_t x[2] = {-7, 7};
    const int64_t *y = run(session,
                           "graph main {\n  placeholder %x user \"x\" : i64[2]\n"
                           "  %f = aten.div.Tensor_mode(%x, 2, \"floor\") : i64[2]\n"
                           "  %t = aten.div.Tensor_mode(%x, 2, \"trunc\") : i64[2]\n"
                           "  %m = aten.mul.Tensor(%f, 100) : i64[2]\n"
                           "  %s = aten.add.Tensor(%m, %t) : i64[2]\n  output (user %s)\n}\n",
                           x, NULL);
    if (!y) return FE_OK;
    EXPECT_INT(y[0], -403);
    EXPECT_INT(y[1], 303);
    return FE_OK;
}

SESSION_TEST(lower_indexing_counts_negative_positions_from_the_end)
{
    int64_t x[4] = {10, 11, 12, 13};
    const int64_t *y =
        run(session,
            "graph main {\n  placeholder %i constant \"i\" : i64[3] data [-1, 0, 2]\n"
            "  placeholder %x user \"x\" : i64[4]\n"
            "  %g = aten.index.Tensor(%x, [%i]) : i64[3]\n  output (user %g)\n}\n",
            x, NULL);
    if (!y) return FE_OK;
    EXPECT(y[0] == 13 && y[1] == 10 && y[2] == 12);
    return FE_OK;
}
