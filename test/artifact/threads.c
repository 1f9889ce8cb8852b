/* threads.c -- threads MODEL.so [ROUNDS]: several threads of the caller's, a context each whose pool has two
 * or three threads, run one model at once. Outputs lie where the run leaves them: in donated inputs, in the
 * context, or in memory of the caller, and those that lie in an input go on from there. All numbers are what
 * one thread gives. Inputs are floats of fixed sizes, contiguous.
 */
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLERS = 4, STEPS = 3, MOST = 16, KINDS = 3 };

static const fe_artifact *artifact;
static fe_model *model;
static int rounds = 100;
static atomic_int wrong;

/* What a context is called with, and, after each step, its outputs in a row. */
typedef struct host {
    fe_context *context;
    fe_tensor inputs[MOST];
    float *given[MOST]; /* memory for outputs */
    float *seen[STEPS];
} host;

static size_t count_of(const fe_port *port)
{
    size_t count = 1;
    for (uint32_t d = 0; d < port->rank; d++) count *= (size_t)port->sizes[d];
    return count;
}

static size_t all_outputs(void)
{
    size_t count = 0;
    for (uint32_t k = 0; k < artifact->output_count; k++) count += count_of(&artifact->outputs[k]);
    return count;
}

static int host_new(host *h, uint32_t threads)
{
    for (uint32_t k = 0; k < artifact->input_count; k++) {
        const fe_port *port = &artifact->inputs[k];
        h->inputs[k] = (fe_tensor){calloc(count_of(port), sizeof(float)), FE_F32, port->rank,
                                   port->sizes, NULL};
    }
    for (uint32_t k = 0; k < artifact->output_count; k++)
        h->given[k] = calloc(count_of(&artifact->outputs[k]), sizeof(float));
    for (int k = 0; k < STEPS; k++) h->seen[k] = calloc(all_outputs(), sizeof(float));
    return artifact->context_new(model, threads, &h->context);
}

static void host_free(host *h)
{
    if (h->context) artifact->context_free(h->context);
    for (uint32_t k = 0; k < artifact->input_count; k++) free(h->inputs[k].data);
    for (uint32_t k = 0; k < artifact->output_count; k++) free(h->given[k]);
    for (int k = 0; k < STEPS; k++) free(h->seen[k]);
}

static void fill(host *h)
{
    for (uint32_t k = 0; k < artifact->input_count; k++) {
        float *data = h->inputs[k].data;
        for (size_t i = 0; i < count_of(&artifact->inputs[k]); i++)
            data[i] = (float)((i * (2 * k + 3)) % 17) / 16 - 0.5f;
    }
}

/* Does the caller give output k memory, in this kind of round? */
static int is_given(uint32_t k, int kind)
{
    return kind == 2 || (kind == 1 && k % 2 == 0);
}

/* An output that is made over an input is that input in the next step, wherever it lies. */
static void go_on(host *h, uint32_t k, const float *data)
{
    int32_t input = artifact->output_inputs ? artifact->output_inputs[k] : -1;
    size_t bytes = count_of(&artifact->outputs[k]) * sizeof(float);
    if (input >= 0 && h->inputs[input].data != data) memcpy(h->inputs[input].data, data, bytes);
}

static int step(host *h, int kind, float *seen)
{
    fe_tensor outputs[MOST] = {{0}};
    for (uint32_t k = 0; k < artifact->output_count; k++)
        if (is_given(k, kind))
            outputs[k] = (fe_tensor){h->given[k], FE_F32, artifact->outputs[k].rank,
                                     artifact->outputs[k].sizes, NULL};
    if (artifact->run(h->context, h->inputs, artifact->input_count, outputs,
                      artifact->output_count))
        return 1;
    for (uint32_t k = 0; k < artifact->output_count; k++) {
        size_t count = count_of(&artifact->outputs[k]);
        memcpy(seen, outputs[k].data, count * sizeof(float));
        seen += count;
    }
    for (uint32_t k = 0; k < artifact->output_count; k++) go_on(h, k, outputs[k].data);
    return 0;
}

/* Inputs that were donated for nothing but room hold anything by then. */
static void refill_lost(host *h)
{
    for (uint32_t i = 0; i < artifact->donated_count; i++) {
        uint32_t input = artifact->donated[i];
        int is_kept = 0;
        for (uint32_t k = 0; artifact->output_inputs && k < artifact->output_count; k++)
            is_kept |= artifact->output_inputs[k] == (int32_t)input;
        for (size_t k = 0; !is_kept && k < count_of(&artifact->inputs[input]); k++)
            ((float *)h->inputs[input].data)[k] = (float)(k % 5);
    }
}

static int run_all(host *h, int kind)
{
    fill(h);
    for (int k = 0; k < STEPS; k++) {
        if (step(h, kind, h->seen[k])) return 1;
        refill_lost(h);
    }
    return 0;
}

static host expected;

static void *caller(void *number)
{
    host h = {0};
    int failed = host_new(&h, 2 + (uint32_t)(uintptr_t)number % 2);
    for (int i = 0; i < rounds && !failed; i++) {
        failed = run_all(&h, (i + (int)(uintptr_t)number) % KINDS);
        for (int k = 0; k < STEPS; k++)
            failed |= memcmp(h.seen[k], expected.seen[k], all_outputs() * sizeof(float)) != 0;
    }
    if (failed) atomic_fetch_add(&wrong, 1);
    host_free(&h);
    return NULL;
}

int main(int count, char **arguments)
{
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    const fe_artifact *(*entry)(void);
    *(void **)&entry = library ? dlsym(library, "ferrite_artifact") : NULL;
    if (!entry) return printf("cannot load\n"), 1;
    artifact = entry();
    if (count > 2) rounds = atoi(arguments[2]);
    if (artifact->open(NULL, &model) || host_new(&expected, 1) || run_all(&expected, 0))
        return printf("cannot run\n"), 1;
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        pthread_create(&threads[i], NULL, caller, (void *)(uintptr_t)i);
    for (int i = 0; i < CALLERS; i++) pthread_join(threads[i], NULL);
    printf("callers with other numbers than one thread: %d of %d\n", atomic_load(&wrong), CALLERS);
    host_free(&expected);
    artifact->close(model);
    return 0;
}
