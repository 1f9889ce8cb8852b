/* custom.c -- operators of the caller's: declared by fe_add_op(), called in this process or by hosts of
 * artifacts; which out overload is taken, and what is said of rows that do not go together. */
#include "ferrite.h"
#include "ferrite_ops.h"
#include "unit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char PROGRAM[] =
    "operators {\n  \"shop::scale(Tensor x, float by, Tensor(a!)? log=None) -> (Tensor, "
    "SymInt)\"\n}\n"
    "graph main {\n  placeholder %x user \"x\" : f32[3]\n  placeholder %log user \"log\" : i64[]\n"
    "  %p = shop.scale.default(%x, 2.5, %log)\n"
    "  %y = _operator.getitem(%p, 0)\n  %n = _operator.getitem(%p, 1)\n  output (user %y, user "
    "%n)\n}\n";

/* y = x * by, and how many elements there are. */
static int scale(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    const float *from = x->data;
    float *to = call->results[0].data;
    if (call->args[1].number < 0) {
        snprintf(call->error, call->error_bytes, "by is negative");
        return 1;
    }
    for (int64_t i = 0; i < x->sizes[0]; i++)
        to[i] = from[i * x->strides[0]] * (float)call->args[1].number;
    if (call->args[2].kind == FE_ARG_TENSOR) ++*(int64_t *)call->args[2].tensor->data;
    *(int64_t *)call->results[1].data = x->sizes[0];
    return 0;
}

static const fe_op_row SCALE = {
    .schema = "shop::scale(Tensor x, float by, Tensor(a!)? log=None) -> (Tensor, SymInt)",
    .function = scale,
    .shapes = "x[n] -> x[n], int"};

static fe_session *new_session(const fe_op_row *rows, size_t count)
{
    fe_session *session = fe_session_new();
    fe_set(session, "from", "fx");
    for (size_t i = 0; i < count; i++) EXPECT_INT(fe_add_op(session, &rows[i]), FE_OK);
    return session;
}

/* Two calls: 2.5 times the input, its size, and the log counts them. */
static void expect_runs(const fe_artifact *a, fe_model *model)
{
    fe_context *context;
    float x[3] = {1, 2, 4};
    int64_t log = 40, sizes[] = {3};
    fe_tensor inputs[] = {{x, FE_F32, 1, sizes, NULL}, {&log, FE_I64, 0, NULL, NULL}};
    if (!EXPECT(a->context_new(model, 1, &context) == 0)) return;
    for (int turn = 1; turn <= 2; turn++) {
        fe_tensor outputs[2] = {{0}};
        if (!EXPECT(a->run(context, inputs, 2, outputs, 2) == 0)) break;
        const float *y = outputs[0].data;
        EXPECT(y[0] == 2.5f && y[1] == 5 && y[2] == 10);
        EXPECT_INT(*(int64_t *)outputs[1].data, 3);
        EXPECT_INT(log, 40 + turn);
    }
    a->context_free(context);
}

TEST(an_operator_of_the_callers_runs_in_this_process)
{
    static const struct {
        const char *option, *value;
    } ways[] = {{"target", "c"}, {"target", "process"}, {"no-cc", "on"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        fe_session *session = new_session(&SCALE, 1);
        fe_program *program;
        const fe_artifact *artifact;
        fe_model *model;
        fe_set(session, ways[i].option, ways[i].value);
        EXPECT_INT(fe_compile_memory(session, "p.fx", PROGRAM, sizeof PROGRAM - 1, &program),
                   FE_OK);
        if (program && EXPECT(fe_load(program, &artifact, &model) == FE_OK))
            expect_runs(artifact, model);
        fe_program_free(program);
        fe_session_free(session);
    }
}

/* The last part of a run that fails. */
static void expect_failure(const fe_artifact *a, fe_model *model, const char *why)
{
    fe_context *context;
    float x[3] = {1, 2, 4};
    int64_t log = 0, sizes[] = {3};
    fe_tensor inputs[] = {{x, FE_F32, 1, sizes, NULL}, {&log, FE_I64, 0, NULL, NULL}};
    fe_tensor outputs[2] = {{0}};
    if (!EXPECT(a->context_new(model, 1, &context) == 0)) return;
    EXPECT_INT(a->run(context, inputs, 2, outputs, 2), FE_RUN_ASSERTION);
    EXPECT_TEXT(a->error(context), why);
    a->context_free(context);
}

TEST(hosts_of_an_artifact_give_its_functions)
{
    char path[] = "/tmp/ferrite-unit-XXXXXX.so", header[] = "/tmp/ferrite-unit-XXXXXX.h";
    fe_session *session = new_session(&SCALE, 1);
    fe_program *program;
    fe_model *model;
    close(mkstemps(path, 3));
    memcpy(header, path, strlen(path) - 3);
    EXPECT_INT(fe_compile_memory(session, "p.fx", PROGRAM, sizeof PROGRAM - 1, &program), FE_OK);
    EXPECT_INT(fe_write_library(program, path), FE_OK);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    union {
        void *object;
        const fe_artifact *(*function)(void);
    } entry = {.object = handle ? dlsym(handle, "ferrite_artifact") : NULL};
    if (EXPECT(entry.object != NULL)) {
        const fe_artifact *a = entry.function();
        EXPECT_INT(a->op_count, 1);
        EXPECT_TEXT(a->ops[0], "shop_scale");
        EXPECT_INT(a->open(NULL, &model), 0);
        expect_failure(a, model,
                       "shop_scale: nobody has given the function of this operator "
                       "(fe_artifact.set_op)");
        EXPECT_INT(a->set_op(model, "shop_sale", scale), FE_RUN_BAD_INPUT);
        EXPECT_INT(a->set_op(model, "shop_scale", scale), 0);
        expect_runs(a, model);
        a->close(model);
        dlclose(handle);
    }
    unlink(path);
    unlink(header);
    fe_program_free(program);
    fe_session_free(session);
}

/* ---- which out overload, and what does not go together ---- */

static int nothing(const fe_op_call *call)
{
    (void)call;
    return 0;
}

#define FUNCTIONAL "a::f(Tensor x, int n=1) -> (Tensor, Tensor)"
#define CALL                                                                                 \
    "operators { \"" FUNCTIONAL "\" }\ngraph main {\n  placeholder %x user \"x\" : f32[3]\n" \
    "  %p = a.f.default(%x, 2) : (f32[3], f32[3])\n  %y = _operator.getitem(%p, 0)\n"        \
    "  output (user %y)\n}\n"

static const char *wrapper_of(fe_session *session)
{
    const char *shown = NULL;
    fe_inspect_memory(session, "p.fx", CALL, sizeof CALL - 1, "wrap", &shown, NULL);
    return shown ? shown : fe_error(session);
}

TEST(an_out_overload_is_named_or_tagged_or_fits)
{
    fe_op_row rows[] = {
        {.schema = FUNCTIONAL, .function = nothing},
        {.schema = "a::f.into(Tensor x, int n=1, *, Tensor(a!) u, Tensor(b!) v) -> (Tensor(a!), "
                   "Tensor(b!))",
         .function = nothing},
        {.schema = "a::f.to(Tensor x, int n=1, *, Tensor(a!) u, Tensor(b!) v) -> ()",
         .function = nothing}};
    fe_session *session = new_session(rows, 1);
    EXPECT(strstr(wrapper_of(session), "calls \"a_f\" \"Ti\""));
    fe_session_free(session);
    session = new_session(rows, 3);
    EXPECT(strstr(wrapper_of(session), "calls \"a_f_into\" \"TiOO\"")); /* the first that fits */
    fe_session_free(session);
    rows[2].tags = FE_OP_TAG_OUT;
    session = new_session(rows, 3);
    EXPECT(strstr(wrapper_of(session), "calls \"a_f_to\" \"TiOO\""));
    fe_session_free(session);
    rows[0].out = "into";
    session = new_session(rows, 3);
    EXPECT(strstr(wrapper_of(session), "calls \"a_f_into\" \"TiOO\""));
    fe_session_free(session);
}

TEST(an_out_overload_that_does_not_fit_is_told_with_both_schemas)
{
    static const struct {
        const char *schema, *why;
    } rows[] = {
        {"a::f.out(Tensor x, *, Tensor(a!) u, Tensor(b!) v) -> ()", "it has fewer parameters"},
        {"a::f.out(Tensor x, int n=1, int m=1, *, Tensor(a!) u, Tensor(b!) v) -> ()",
         "it has more parameters"},
        {"a::f.out(Tensor x, float n=1, *, Tensor(a!) u, Tensor(b!) v) -> ()",
         "its parameters have other types"},
        {"a::f.out(Tensor x, int n=2, *, Tensor(a!) u, Tensor(b!) v) -> ()",
         "its parameters have other defaults"},
        {"a::f.out(Tensor y, int n=1, *, Tensor(a!) u, Tensor(b!) v) -> ()",
         "its parameters have other names"},
        {"a::f.out(Tensor x, int n=1, Tensor(a!) u, Tensor(b!) v) -> ()",
         "its outputs are not keyword-only"},
        {"a::f.out(Tensor x, int n=1, *, Tensor(a!) u) -> Tensor(a!)",
         "it has not one output for each return"},
        {"a::f.out(Tensor x, int n=1, *, Tensor(a!)[] u, Tensor(b!) v) -> ()",
         "its outputs are of other kinds than the returns"},
        {"a::f.out(Tensor x, int n=1, *, Tensor(a!) u, Tensor(b!) v) -> (Tensor(b!), Tensor(a!))",
         "it does not return its outputs in their order"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int tagged = 0; tagged < 2; tagged++) {
            fe_op_row both[] = {
                {.schema = FUNCTIONAL, .function = nothing, .out = tagged ? NULL : "out"},
                {.schema = rows[i].schema,
                 .function = nothing,
                 .tags = tagged ? FE_OP_TAG_OUT : 0}};
            char wanted[400];
            fe_session *session = new_session(both, 2);
            snprintf(wanted, sizeof wanted, "\"%s\" cannot stand for \"%s\": %s", rows[i].schema,
                     FUNCTIONAL, rows[i].why);
            fe_diagnostic said = {0};
            wrapper_of(session);
            EXPECT(fe_diagnostic_at(session, 0, &said));
            EXPECT_TEXT(said.message, wanted);
            EXPECT(!fe_diagnostic_at(session, 1, &said)); /* once */
            fe_session_free(session);
        }
}
