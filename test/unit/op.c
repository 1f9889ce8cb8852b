/* op.c -- src/op: every row of ops.def, what schemas say, what bad ones are told, look-ups,
 * functional siblings. */
#include "op/op.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static const op_info *found(op_registry *r, const char *name)
{
    const op_info *op = op_find(r, name);
    if (!EXPECT(op != NULL)) EXPECT_TEXT(name, "known");
    return op;
}

/* The first diagnostic of a schema that must not parse. */
static const char *said_about(fe_session *session, const char *schema)
{
    op_info op;
    session->first_diag = session->last_diag = NULL;
    session->diag_count = 0;
    EXPECT_INT(op_schema_parse(session, session->memory, schema, &op), FE_CORRUPT);
    EXPECT_INT(session->diag_count, 1);
    return session->first_diag ? session->first_diag->message : "nothing";
}

/* ---- the rows ---- */

SESSION_TEST(op_rows_parse_and_are_named_as_their_schema)
{
    static const char *const NAMES[] = {
        "",
#define OP(id, schema, columns) #id,
#include "op/ops.def"
    };
    op_registry *r = op_registry_new(session->memory);
    for (uint32_t id = OP_NONE + 1; id < OP_BUILTIN_COUNT; id++) {
        const op_info *op = op_get(r, (op_id)id);
        EXPECT_INT(op->id, id);
        EXPECT(op_find(r, op->name) == op);
        if ((op->flags & OPF_HIGHER_ORDER) == 0)
            EXPECT(op->return_count > 0 || op->is_mutating || op->flags);
        if (op->flags & OPF_POINTWISE) EXPECT(op->param_count > 0 && op->return_count == 1);
        char *expected = arena_strdup(session->memory, op->name);
        for (char *c = expected; *c; c++)
            if (*c == '.') *c = '_';
        const char *skipped = strncmp(expected, "_operator", 9) == 0 ? expected + 1 : expected;
        if (strncmp(expected, "torch__functorch_", 17) == 0) continue;
        size_t length = strlen(NAMES[id]);
        EXPECT(strncmp(NAMES[id], skipped, length) == 0 && strlen(skipped) - length <= 1);
    }
    return FE_OK;
}

SESSION_TEST(op_in_place_rows_have_a_functional_sibling)
{
    static const char *const WITHOUT[] = {
        "aten.rrelu_with_noise_.default", "aten.requires_grad_.default",
        "aten.polygamma_.default",        "aten._cummax_helper.default",
        "aten._cummin_helper.default",    "aten.sort.Tensor",
        "prims.as_strided.default",       "aten.native_batch_norm",
        "aten.fill_diagonal_.default",
    };
    op_registry *r = op_registry_new(session->memory);
    for (uint32_t id = OP_NONE + 1; id < OP_BUILTIN_COUNT; id++) {
        const op_info *op = op_get(r, (op_id)id);
        const op_info *functional = op_functional_of(r, op);
        if (functional) EXPECT(!functional->is_mutating && op->is_mutating);
        if (functional || !op->is_mutating) continue;
        bool known = false;
        for (size_t i = 0; i < COUNT_OF(WITHOUT); i++) known |= strcmp(op->name, WITHOUT[i]) == 0;
        if (!known) EXPECT_TEXT(op->name, "an operator with a functional sibling");
    }
    return FE_OK;
}

SESSION_TEST(op_functional_siblings_are_the_right_ones)
{
    static const char *const PAIRS[][2] = {
        {"aten.add_.Tensor", "aten.add.Tensor"},
        {"aten.copy_.default", "aten.copy.default"},
        {"aten.transpose_.default", "aten.transpose.int"},
        {"aten.__iand__.Tensor", "aten.__and__.Tensor"},
        {"aten.zero_.default", "aten.zero.default"},
        {"aten.normal_.default", "aten.normal_functional.default"},
        {"aten.index_put_.default", "aten.index_put.default"},
        {"aten._native_batch_norm_legit.default",
         "aten._native_batch_norm_legit_functional.default"},
    };
    op_registry *r = op_registry_new(session->memory);
    for (size_t i = 0; i < COUNT_OF(PAIRS); i++) {
        const op_info *functional = op_functional_of(r, found(r, PAIRS[i][0]));
        EXPECT_TEXT(functional ? functional->name : "none", PAIRS[i][1]);
    }
    EXPECT(op_functional_of(r, found(r, "aten.add.Tensor")) == NULL);
    return FE_OK;
}

/* ---- what a schema says ---- */

SESSION_TEST(op_add_is_pointwise_with_a_keyword_alpha)
{
    op_registry *r = op_registry_new(session->memory);
    const op_info *op = op_get(r, OP_aten_add_Tensor);
    EXPECT_TEXT(op->name, "aten.add.Tensor");
    EXPECT_TEXT(op->space, "aten");
    EXPECT_TEXT(op->base, "add");
    EXPECT_TEXT(op->overload, "Tensor");
    EXPECT_INT(op->flags, OPF_POINTWISE | OPF_NUMBERS);
    EXPECT_INT(op->param_count, 3);
    EXPECT(!op->params[1].keyword_only && op->params[2].keyword_only);
    EXPECT_INT(op->params[2].type.base, OP_SCALAR);
    EXPECT_INT(op->params[2].default_value.kind, OP_DEFAULT_INT);
    EXPECT_INT(op->params[2].default_value.integer, 1);
    EXPECT_INT(op->params[1].default_value.kind, OP_DEFAULT_ABSENT);
    EXPECT(!op->is_mutating && !op->is_view);
    EXPECT_INT(op_param_index(op, "other"), 1);
    EXPECT_INT(op_param_index(op, "another"), -1);
    return FE_OK;
}

SESSION_TEST(op_aliases_tell_views_from_mutation)
{
    op_registry *r = op_registry_new(session->memory);
    const op_info *view = op_get(r, OP_aten_view_default);
    EXPECT(view->is_view && !view->is_mutating && view->params[0].alias == 1 &&
           view->returns[0].alias == 1);
    const op_info *split = op_get(r, OP_aten_split_Tensor);
    EXPECT(split->is_view && split->returns[0].type.list && split->returns[0].alias == 1);
    const op_info *add = op_get(r, OP_aten_add__Tensor);
    EXPECT(!add->is_view && add->is_mutating && add->params[0].is_written &&
           add->returns[0].is_written);
    const op_info *norm = op_get(r, OP_aten__native_batch_norm_legit_default);
    EXPECT(norm->is_mutating && norm->params[3].alias == 1 && norm->params[4].alias == 2);
    return FE_OK;
}

SESSION_TEST(op_types_keep_options_and_lists_apart)
{
    op_info op;
    FE_TRY(op_schema_parse(
        session, session->memory,
        "my.lib::f(Tensor?[] a, SymInt[2]? b, Tensor(a!)[] c, float[3] d, Dict(str, t) e, "
        "__torch__.torch.classes.x.Y f, Scalar?[] g) -> (Tensor(a|b) first, SymInt)",
        &op));
    EXPECT_TEXT(op.name, "my.lib.f.default");
    EXPECT(op.params[0].type.list && op.params[0].type.optional_elements &&
           !op.params[0].type.optional);
    EXPECT(op.params[1].type.list && op.params[1].type.optional && op.params[1].type.symbolic);
    EXPECT_INT(op.params[1].type.list_size, 2);
    EXPECT(op.params[2].type.list && op.params[2].is_written);
    EXPECT_INT(op.params[2].type.list_size, -1);
    EXPECT_INT(op.params[3].type.base, OP_FLOAT);
    EXPECT_INT(op.params[4].type.base, OP_ANY);
    EXPECT_INT(op.params[5].type.base, OP_OBJECT);
    EXPECT_INT(op.return_count, 2);
    EXPECT_TEXT(op.returns[0].name, "first");
    EXPECT(op.returns[0].alias == 3 && op.returns[1].name == NULL && op.returns[1].type.symbolic);
    return FE_OK;
}

SESSION_TEST(op_defaults_of_all_kinds)
{
    op_info op;
    FE_TRY(op_schema_parse(
        session, session->memory,
        "t::f(int a=-100, float b=1, float c=1e-05, Scalar d=0.5, bool e=True, str f=\"none\", str "
        "g='x', Tensor? h=None, "
        "int[2] i=0, int[] j=[], int[3] k=[0, -1, 2], ScalarType l=float32, ScalarType m=6, int "
        "n=Mean, "
        "MemoryFormat o=channels_last, Layout p=strided, Device q=\"cpu\", Scalar r=2, float "
        "s=-inf, "
        "bool[2] u=[True, False], SymInt v=9223372036854775807, float w=0., Device x=cpu) -> ()",
        &op));
    const op_param *p = op.params;
#define DEFAULT(i) p[i].default_value
    EXPECT_INT(DEFAULT(0).integer, -100);
    EXPECT(DEFAULT(1).kind == OP_DEFAULT_FLOAT && DEFAULT(1).number == 1.0);
    EXPECT(DEFAULT(2).kind == OP_DEFAULT_FLOAT && DEFAULT(2).number == 1e-05);
    EXPECT(DEFAULT(3).kind == OP_DEFAULT_FLOAT && DEFAULT(3).number == 0.5);
    EXPECT(DEFAULT(4).kind == OP_DEFAULT_BOOL && DEFAULT(4).integer == 1);
    EXPECT_TEXT(DEFAULT(5).string, "none");
    EXPECT_TEXT(DEFAULT(6).string, "x");
    EXPECT_INT(DEFAULT(7).kind, OP_DEFAULT_NONE);
    EXPECT(DEFAULT(8).kind == OP_DEFAULT_LIST && DEFAULT(8).count == 2 && DEFAULT(8).list[1] == 0);
    EXPECT(DEFAULT(9).kind == OP_DEFAULT_LIST && DEFAULT(9).count == 0);
    EXPECT(DEFAULT(10).count == 3 && DEFAULT(10).list[1] == -1);
    EXPECT(DEFAULT(11).kind == OP_DEFAULT_DTYPE && DEFAULT(11).integer == TY_F32);
    EXPECT(DEFAULT(12).kind == OP_DEFAULT_DTYPE && DEFAULT(12).integer == TY_F32);
    EXPECT(DEFAULT(13).kind == OP_DEFAULT_INT && DEFAULT(13).integer == 1);
    EXPECT(DEFAULT(14).kind == OP_DEFAULT_MEMORY_FORMAT && DEFAULT(14).integer == TY_CHANNELS_LAST);
    EXPECT(DEFAULT(15).kind == OP_DEFAULT_LAYOUT && DEFAULT(15).integer == 7);
    EXPECT(DEFAULT(16).kind == OP_DEFAULT_DEVICE && strcmp(DEFAULT(16).string, "cpu") == 0);
    EXPECT(DEFAULT(17).kind == OP_DEFAULT_INT && DEFAULT(17).integer == 2);
    EXPECT(DEFAULT(18).kind == OP_DEFAULT_FLOAT && DEFAULT(18).number < -1e308);
    EXPECT(DEFAULT(19).kind == OP_DEFAULT_LIST && DEFAULT(19).list[0] == 1 &&
           DEFAULT(19).list[1] == 0);
    EXPECT(DEFAULT(20).integer == INT64_MAX);
    EXPECT(DEFAULT(21).kind == OP_DEFAULT_FLOAT && DEFAULT(21).number == 0);
    EXPECT(DEFAULT(22).kind == OP_DEFAULT_DEVICE && strcmp(DEFAULT(22).string, "cpu") == 0);
    EXPECT_INT(op.return_count, 0);
#undef DEFAULT
    return FE_OK;
}

SESSION_TEST(op_bad_schemas_are_told_the_place)
{
    EXPECT_TEXT(said_about(session, ""), "schema: expected \"space::name\", found the end");
    EXPECT_TEXT(said_about(session, "foo(Tensor x) -> Tensor"),
                "schema: expected \"space::name\", found 'foo(Tensor x)'");
    EXPECT_TEXT(said_about(session, "a::b(Tensr x) -> Tensor"),
                "schema: expected a type, found 'Tensr x)'");
    EXPECT_TEXT(session->first_diag->place, "column 6 of \"a::b(Tensr x) -> Tensor\"");
    EXPECT_TEXT(said_about(session, "a::b(Tensor) -> Tensor"),
                "schema: expected a parameter name, found ')'");
    EXPECT_TEXT(said_about(session, "a::b(Tensor x"), "schema: expected ',', found the end");
    EXPECT_TEXT(said_about(session, "a::b(Tensor x) Tensor"),
                "schema: expected '->', found 'Tensor'");
    EXPECT_TEXT(said_about(session, "a::b(Tensor(A) x) -> Tensor"),
                "schema: expected an alias letter, found 'A)'");
    EXPECT_TEXT(said_about(session, "a::b(int x=y) -> Tensor"),
                "schema: expected a default of the parameter's type, found 'y)'");
    EXPECT_TEXT(said_about(session, "a::b(int x=1.5) -> Tensor"),
                "schema: expected a whole number, found '1.5)'");
    static const char *const UNFIT[] = {"int x=\"s\"",     "Tensor x=1",    "int[] x=None",
                                        "float[2] x=True", "str x=1",       "Device x=1.5",
                                        "bool x=[True]",   "Scalar x=\"s\""};
    for (size_t i = 0; i < COUNT_OF(UNFIT); i++) {
        char schema[80];
        snprintf(schema, sizeof schema, "a::b(%s) -> Tensor", UNFIT[i]);
        EXPECT(strncmp(said_about(session, schema), "schema: expected a default", 26) == 0);
    }
    EXPECT_TEXT(said_about(session, "a::b(int x=) -> Tensor"),
                "schema: expected a default, found ')'");
    EXPECT_TEXT(said_about(session, "a::b(str x=\"abc) -> Tensor"),
                "schema: expected the end of the string, found the end");
    EXPECT_TEXT(said_about(session, "a::b(int x, int x) -> Tensor"),
                "schema: expected a parameter name that is not used before, found 'x)'");
    EXPECT_TEXT(said_about(session, "a::b(int x) -> Tensor and more"),
                "schema: expected the end, found 'more'");
    EXPECT_TEXT(said_about(session, "a::b(int[ x) -> Tensor"), "schema: expected ']', found 'x)'");
    EXPECT_TEXT(said_about(session, "a::b(Dict(str, t x -> Tensor"),
                "schema: expected ')', found the end");
    return FE_OK;
}

SESSION_TEST(op_lists_of_floats_have_defaults)
{
    op_info op;
    FE_TRY(op_schema_parse(
        session, session->memory,
        "a::b(float[] x=[1., -2.5, inf], float[2] y=0.5, float[] z=[3]) -> Tensor", &op));
    const op_default *x = &op.params[0].default_value, *y = &op.params[1].default_value;
    EXPECT(x->kind == OP_DEFAULT_LIST && x->count == 3 && x->numbers[1] == -2.5 &&
           x->numbers[2] > 1e300);
    EXPECT(y->kind == OP_DEFAULT_LIST && y->count == 2 && y->numbers[1] == 0.5);
    EXPECT(op.params[2].default_value.numbers[0] == 3);
    return FE_OK;
}

/* ---- look-ups and declarations ---- */

SESSION_TEST(op_names_are_found_as_archives_and_schemas_write_them)
{
    op_registry *r = op_registry_new(session->memory);
    const op_info *relu = op_get(r, OP_aten_relu_default);
    EXPECT(found(r, "torch.ops.aten.relu.default") == relu);
    EXPECT(found(r, "aten.relu.default") == relu);
    EXPECT(found(r, "aten::relu") == relu);
    EXPECT(found(r, "aten.relu") == relu);
    EXPECT(found(r, "aten::add.Tensor") == op_get(r, OP_aten_add_Tensor));
    EXPECT(found(r, "_operator.getitem") == op_get(r, OP_operator_getitem));
    EXPECT(found(r, "torch.ops.higher_order.cond") == op_get(r, OP_higher_order_cond));
    EXPECT(found(r, "torch.sym_max") == op_get(r, OP_torch_sym_max));
    EXPECT(op_find(r, "aten.relu.Tensor") == NULL);
    EXPECT(op_find(r, "") == NULL);
    char *longest = arena_alloc(session->memory, 5000);
    memset(longest, 'a', 4999);
    EXPECT(op_find(r, longest) == NULL);
    return FE_OK;
}

SESSION_TEST(op_custom_operators_join_the_others)
{
    op_registry *r = op_registry_new(session->memory);
    const op_info *op, *again;
    FE_TRY(op_declare(r, "mylib::foo(Tensor x, Tensor(a!) y) -> Tensor", OPF_EFFECT, &op));
    EXPECT(op->id >= OP_BUILTIN_COUNT && op->is_mutating && op->flags == OPF_EFFECT);
    EXPECT(found(r, "mylib.foo.default") == op && op_get(r, (op_id)op->id) == op);
    FE_TRY(op_declare(r, "mylib::foo(Tensor x, Tensor(a!) y) -> Tensor", OPF_EFFECT, &again));
    EXPECT(again == op);
    EXPECT_INT(op_declare(r, "mylib::foo(Tensor x) -> Tensor", 0, &again), FE_USAGE);

    const op_info *plain, *out;
    FE_TRY(op_declare(r, "mylib::bar(Tensor x, int n=1) -> (Tensor, Tensor)", 0, &plain));
    FE_TRY(op_declare(r,
                      "mylib::bar.out(Tensor x, int n=1, *, Tensor(a!) out0, Tensor(b!) out1) -> "
                      "(Tensor(a!), Tensor(b!))",
                      0, &out));
    EXPECT(op_functional_of(r, out) == plain);

    const op_info *none;
    FE_TRY(op_declare(r, "mylib::log(Tensor x, Tensor(a!) y) -> NoneType", 0, &none));
    EXPECT(none->return_count == 0);
    FE_TRY(op_declare(r, "mylib::tell(Tensor x) -> None", 0, &none));
    EXPECT(none->return_count == 0);
    EXPECT(none->flags == OPF_EFFECT && out->flags == OPF_EFFECT && !plain->flags);
    return FE_OK;
}
