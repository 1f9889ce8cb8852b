/* compile.c -- compiles a program and runs it in this process, on the inputs it was exported with:
 *     cc compile.c $(pkg-config --cflags --libs ferrite); ./a.out model.pt2 */
#include "ferrite.h"

#include <stdio.h>
#include <stdlib.h>

static int run(const fe_artifact *a, fe_context *context, fe_tensor *inputs)
{
    fe_tensor *outputs = calloc(a->output_count, sizeof *outputs);
    int result = a->run(context, inputs, a->input_count, outputs, a->output_count);
    for (uint32_t k = 0; k < a->output_count && !result; k++)
        printf("%s: %s, first value at %p\n", a->outputs[k].name, a->outputs[k].shape_text,
               outputs[k].data);
    free(outputs);
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 2) return fprintf(stderr, "usage: compile MODEL.pt2\n"), 2;
    fe_session *session = fe_session_new();
    fe_program *program;
    const fe_artifact *a;
    fe_model *model;
    fe_context *context = NULL;
    fe_tensor *inputs = NULL;
    int failed = 1;
    if (!fe_compile_file(session, argv[1], &program) && !fe_load(program, &a, &model)) {
        inputs = calloc(a->input_count, sizeof *inputs);
        if (!fe_sample_inputs(program, inputs) && !a->context_new(model, 0, &context))
            failed = run(a, context, inputs);
        if (failed && context) fprintf(stderr, "%s\n", a->error(context));
        if (context) a->context_free(context);
    }
    fputs(fe_error(session), stderr); /* empty when all went well */
    free(inputs);
    fe_program_free(program);
    fe_session_free(session);
    return failed;
}
