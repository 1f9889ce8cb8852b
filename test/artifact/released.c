/* released.c -- released PROGRAM...: compiles, loads and runs each program in this process, in every way
 * that there is, with inputs that fit and that do not; some may be no programs. Prints what the third
 * round holds that the second did not (link with -rdynamic).
 */
#include "counting.h"
#include "ferrite.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 16, ROUNDS = 3 };

static const char *const WAYS[][2] = {
    {"target", "c"}, {"target", "process"}, {"no-cc", "on"}, {"lifecycle-check", "on"}};

static int run(const fe_artifact *a, const fe_model *model, fe_tensor *inputs)
{
    fe_context *context;
    fe_tensor outputs[MOST] = {{0}};
    if (a->context_new(model, 2, &context)) return -1;
    int code = a->run(context, inputs, a->input_count, outputs, a->output_count);
    fe_tensor wrong[MOST];
    memcpy(wrong, inputs, sizeof wrong);
    wrong[0].rank++;
    for (int i = 0; i < 2; i++) a->run(context, wrong, a->input_count, outputs, a->output_count);
    a->run(context, inputs, 0, outputs, a->output_count);
    a->context_free(context);
    return code;
}

static int once(const char *path, const char *const *way)
{
    fe_session *session = fe_session_new();
    fe_program *program = NULL;
    const fe_artifact *a;
    fe_model *model;
    fe_tensor inputs[MOST] = {{0}};
    int code = -1;
    fe_set(session, way[0], way[1]);
    fe_set(session, "jobs", "1");
    if (!fe_compile_file(session, path, &program) && !fe_load(program, &a, &model) &&
        !fe_sample_inputs(program, inputs))
        code = run(a, model, inputs);
    fe_program_free(program);
    fe_session_free(session);
    return code;
}

int main(int argc, char **argv)
{
    long blocks = 0, files = 0;
    int codes[ROUNDS] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        blocks = atomic_load(&blocks_held);
        files = files_held();
        for (int i = 1; i < argc; i++)
            for (size_t k = 0; k < sizeof WAYS / sizeof *WAYS; k++)
                codes[round] += once(argv[i], WAYS[k]) == 0;
    }
    printf("%d runs went well; %ld blocks and %ld files are left\n", codes[ROUNDS - 1],
           atomic_load(&blocks_held) - blocks, files_held() - files);
    return 0;
}
