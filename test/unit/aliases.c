/* aliases.c -- whose memory the results of a run lie in: that of an input or of another result where
 * eager PyTorch has it so, else their own. The Python and the FX target: test/driver/aliases.t and
 * test/python/test_targets.py. */
#include "ferrite.h"
#include "unit.h"

#include <string.h>

enum { MOST = 3, OWN = -1, OF_INPUT = MOST };

static const struct {
    const char *source;
    uint32_t outputs;
    /* whose memory each is in: OWN, that of an earlier output, or OF_INPUT */
    int lies_in[MOST];
    float first[MOST]; /* first element; x is 1, 2, ... */
} programs[] = {
    {"graph g {\n  placeholder %x user \"x\" : f32[2,3]\n  %y = aten.clone.default(%x)\n"
     "  output (user %y)\n}\n",
     1,
     {OWN},
     {1}},
    {"graph g {\n  placeholder %x user \"x\" : f32[2,3]\n  %y = aten.clone.default(%x)\n"
     "  %c = aten.copy_.default(%x, %y)\n  output (user %y)\n}\n",
     1,
     {OWN},
     {1}},
    {"graph g {\n  placeholder %x user \"x\" : f32[2,3]\n  %a = aten.neg.default(%x)\n"
     "  %b = aten.clone.default(%a)\n  %c = aten.clone.default(%a)\n"
     "  output (user %b, user %c)\n}\n",
     2,
     {OWN, OWN},
     {-1, -1}},
    {"graph g {\n  placeholder %x user \"x\" : f32[2,3]\n  %b = aten.clone.default(%x)\n"
     "  %c = aten.clone.default(%x)\n  output (user %b, user %c)\n}\n",
     2,
     {OWN, OWN},
     {1, 1}},
    {"graph g {\n  placeholder %x user \"x\" : f32[2,3]\n  %y = aten.neg.default(%x)\n"
     "  %v = aten.view.default(%y, [-1])\n  %w = aten.select.int(%x, 0, 1)\n"
     "  output (user %y, user %v, user %w)\n}\n",
     3,
     {OWN, 0, OF_INPUT},
     {-1, -1, 4}},
    {"graph g {\n  placeholder %x user \"x\" : f32[2,3]\n  %m = aten.mul_.Tensor(%x, 2)\n"
     "  %r = aten.select.int(%x, 0, 1)\n  output (user %m, user %r)\n}\n",
     2,
     {OF_INPUT, OF_INPUT},
     {2, 8}},
};

static bool overlap(const fe_tensor *a, const fe_tensor *b)
{
    enum { BYTES = 6 * sizeof(float) }; /* of the largest */
    const char *p = a->data, *q = b->data;
    return p < q ? q - p < BYTES : p - q < BYTES;
}

static void expect_memory(size_t k, const fe_artifact *a, fe_model *model)
{
    fe_context *context;
    if (!EXPECT(a->context_new(model, 1, &context) == 0)) return;
    for (int turn = 0; turn < 2; turn++) {
        float numbers[] = {1, 2, 3, 4, 5, 6};
        fe_tensor x = {numbers, FE_F32, 2, (int64_t[]){2, 3}, NULL}, y[MOST] = {{0}};
        EXPECT_INT(a->run(context, &x, 1, y, a->output_count), 0);
        for (uint32_t i = 0; i < programs[k].outputs; i++) {
            int of = programs[k].lies_in[i];
            EXPECT(*(const float *)y[i].data == programs[k].first[i]);
            EXPECT(overlap(&y[i], &x) == (of == OF_INPUT));
            for (int j = 0; j < (int)i; j++)
                EXPECT(overlap(&y[i], &y[j]) ==
                       (of == j || (of == OF_INPUT && of == programs[k].lies_in[j])));
        }
        bool is_changed = programs[k].lies_in[0] == OF_INPUT; /* what is returned first */
        EXPECT(is_changed || (numbers[0] == 1 && numbers[5] == 6));
    }
    a->context_free(context);
}

TEST(results_share_memory_in_a_run_as_eager_has_it)
{
    static const char *const ways[][2] = {{"target", "c"}, {"target", "process"}, {"no-cc", "on"}};
    for (size_t i = 0; i < COUNT_OF(ways) * COUNT_OF(programs); i++) {
        size_t k = i / COUNT_OF(ways);
        const char *const *way = ways[i % COUNT_OF(ways)], *source = programs[k].source;
        fe_session *session = fe_session_new();
        fe_program *program;
        const fe_artifact *artifact;
        fe_model *model;
        EXPECT_INT(fe_set(session, way[0], way[1]), FE_OK);
        EXPECT_INT(fe_compile_memory(session, "p.fx", source, strlen(source), &program), FE_OK);
        if (program && EXPECT(fe_load(program, &artifact, &model) == FE_OK) &&
            EXPECT(artifact->output_count == programs[k].outputs))
            expect_memory(k, artifact, model);
        fe_program_free(program);
        fe_session_free(session);
    }
}
