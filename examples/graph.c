/* graph.c -- builds a small network call by call, with weights of its own and a batch of any size, and runs
 * it: cc graph.c $(pkg-config --cflags --libs ferrite); ./a.out
 * `./a.out print` prints it as FX text, which `ferrite run net.fx` reads. */
#include "ferrite_graph.h"

#include <stdio.h>

static float weight[] = {1, -1, 2, 0, 0.5f, 1}, bias[] = {0.25f, -1}, rows[] = {1, 2, 3, -1, 0, 1};

/* relu(x @ weight.T + bias), x of n rows. */
static fe_graph *build(fe_session *session)
{
    fe_graph *g = fe_graph_new(session, "net");
    int64_t n = fe_graph_symbol(g, "n", 1, 4096, 2), x_sizes[] = {n, 3}, sizes[] = {2, 3};
    fe_tensor w = {weight, FE_F32, 2, sizes, NULL}, b = {bias, FE_F32, 1, sizes, NULL};
    fe_operand linear[] = {
        fe_operand_node(fe_graph_input(g, "x", fe_meta_tensor(FE_F32, 2, x_sizes))),
        fe_operand_node(fe_graph_weight(g, FE_WEIGHT_PARAMETER, "fc.weight", &w)),
        fe_operand_node(fe_graph_weight(g, FE_WEIGHT_PARAMETER, "fc.bias", &b))};
    fe_operand y = fe_operand_node(fe_graph_call(g, "y", "aten.linear.default", linear, 3));
    fe_graph_output(g, fe_operand_node(fe_graph_call(g, "z", "aten.relu.default", &y, 1)));
    return g; /* mistakes, if any, are told when it is compiled */
}

static int run(const fe_artifact *a, fe_model *model)
{
    int64_t sizes[] = {2, 3};
    fe_tensor x = {rows, FE_F32, 2, sizes, NULL}, z = {0};
    fe_context *context;
    if (a->context_new(model, 0, &context)) return 1;
    int failed = a->run(context, &x, 1, &z, 1);
    const float *at = z.data;
    if (failed)
        fprintf(stderr, "%s\n", a->error(context));
    else
        printf("%s: [%g %g] [%g %g]\n", a->name, at[0], at[1], at[2], at[3]);
    a->context_free(context);
    return failed;
}

int main(int argc, char **argv)
{
    fe_session *session = fe_session_new();
    fe_graph *g = build(session);
    fe_program *program = NULL;
    const fe_artifact *a;
    fe_model *model;
    const char *text;
    int failed = 1;
    (void)argv;
    if (argc > 1)
        failed = fe_graph_print(g, &text, NULL) || fputs(text, stdout) < 0;
    else if (!fe_compile_graph(g, &program) && !fe_load(program, &a, &model))
        failed = run(a, model);
    fputs(fe_error(session), stderr);
    fe_program_free(program);
    fe_graph_free(g);
    fe_session_free(session);
    return failed;
}
