/* guarded.c -- guarded FOLDER PROGRAM.pt2...: makes a library of each program in the folder and runs it with
 * inputs, outputs, arena, weights and all else that it allocates in memory that ends at a page which cannot
 * be touched, then in memory that begins behind one. Prints the programs that touch what is not theirs.
 * option=VALUE before them is an option of the compiler.
 *
 * Linked with libferrite and -rdynamic, so that the artifact's calls are those of guard.h.
 */
#define _GNU_SOURCE
#include "guard.h"

#include "ferrite.h"
#include "recorded.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <ucontext.h>

enum { THREADS = 2 };

typedef struct subject {
    const char *path;
    fe_program *program;
    const fe_artifact *artifact;
    fe_tensor *inputs, *outputs;
} subject;

static const char *const SIDES[] = {"", "after", "before"};
static int side;

/* ---- where it was ---- */

static uintptr_t pc_of(const ucontext_t *machine)
{
#if defined(__x86_64__)
    return (uintptr_t)machine->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)machine->uc_mcontext.pc;
#else
    (void)machine;
    return 0;
#endif
}

static void on_fault(int signal_number, siginfo_t *info, void *machine)
{
    Dl_info where = {0};
    uintptr_t pc = pc_of(machine);
    dladdr((void *)pc, &where);
    char line[500];
    int length = snprintf(line, sizeof line, "    signal %d at %p, in %s at %#lx of the library\n",
                          signal_number, info->si_addr, where.dli_sname ? where.dli_sname : "?",
                          (unsigned long)(pc - (uintptr_t)where.dli_fbase));
    if (write(1, line, (size_t)length) < 0) _exit(2);
    _exit(1);
}

/* ---- runs ---- */

static uint32_t element_bytes(uint32_t dtype)
{
    static const unsigned char BYTES[] = {
        [FE_U8] = 1,   [FE_I8] = 1,  [FE_I16] = 2, [FE_I32] = 4, [FE_I64] = 8,   [FE_F16] = 2,
        [FE_F32] = 4,  [FE_F64] = 8, [FE_C32] = 4, [FE_C64] = 8, [FE_C128] = 16, [FE_BOOL] = 1,
        [FE_BF16] = 2, [FE_U16] = 2, [FE_U32] = 4, [FE_U64] = 8,
    };
    return dtype < sizeof BYTES && BYTES[dtype] ? BYTES[dtype] : 1;
}

static void *guarded_input(size_t bytes)
{
    return guard_new(bytes, 1, side);
}

/* What the archive has as an example goes into such memory too. */
static int sample_inputs(const subject *s)
{
    if (fe_sample_inputs(s->program, s->inputs) != FE_OK) return 0;
    for (uint32_t k = 0; k < s->artifact->input_count; k++) {
        fe_tensor *t = &s->inputs[k];
        if (!t->data) continue;
        int64_t *strides = calloc((size_t)t->rank + 1, sizeof *strides), next = 1;
        for (uint32_t d = t->rank; d-- > 0; next *= t->sizes[d])
            strides[d] = t->strides ? t->strides[d] : next;
        size_t bytes = (size_t)extent_of(t->rank, t->sizes, strides) * element_bytes(t->dtype);
        t->data = memcpy(guarded_input(bytes), t->data, bytes);
        free(strides);
    }
    return 1;
}

static int run(const subject *s, fe_context *context)
{
    int status = s->artifact->run(context, s->inputs, s->artifact->input_count, s->outputs,
                                  s->artifact->output_count);
    if (status) printf("    %s\n", s->artifact->error(context));
    return status;
}

/* Outputs in memory of the context, then in memory of the caller's, of the layout declared and contiguous. */
static int run_all(const subject *s, fe_context *context)
{
    int status = run(s, context);
    for (int contiguous = 0; contiguous < 2 && !status; contiguous++) {
        for (uint32_t k = 0; k < s->artifact->output_count; k++) {
            fe_tensor *t = &s->outputs[k];
            int64_t elements = extent_of(t->rank, t->sizes, t->strides), count = 1;
            for (uint32_t d = 0; d < t->rank; d++) count *= t->sizes[d];
            t->data = guard_new((size_t)(contiguous ? count : elements) * element_bytes(t->dtype),
                                1, side);
            if (contiguous) t->strides = NULL;
        }
        status = run(s, context);
    }
    return status;
}

static int run_guarded(const subject *s)
{
    fe_model *model = NULL;
    fe_context *context = NULL;
    if (!read_inputs(s->path, s->artifact, guarded_input, s->inputs) && !sample_inputs(s)) return 2;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    guarding = side;
    int status = s->artifact->open(NULL, &model);
    if (!status) status = s->artifact->context_new(model, THREADS, &context);
    if (!status) status = run_all(s, context);
    if (context) s->artifact->context_free(context);
    if (model) s->artifact->close(model);
    guarding = GUARD_NONE;
    return status != 0;
}

/* In a process of its own, for each side. 2: not measured. */
static int try_sides(const subject *s)
{
    int result = 0;
    for (side = GUARD_AFTER; side <= GUARD_BEFORE && result != 2; side++) {
        int status = 0;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            int code = run_guarded(s);
            fflush(stdout);
            _exit(code);
        }
        waitpid(pid, &status, 0);
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        if (code == 1) printf("%s: a guard page %s its memory\n", s->path, SIDES[side]);
        if (code) result = code;
    }
    return result;
}

static int try_library(subject *s, const char *folder)
{
    char file[4096];
    static int number;
    snprintf(file, sizeof file, "%s/g%d.so", folder, number++);
    if (fe_write_library(s->program, file)) return 2;
    void *library = dlopen(file, RTLD_NOW);
    const fe_artifact *(*entry)(void);
    *(void **)&entry = library ? dlsym(library, "ferrite_artifact") : NULL;
    if (!entry) return 2;
    s->artifact = entry();
    s->inputs = calloc(s->artifact->input_count + 1, sizeof *s->inputs);
    s->outputs = calloc(s->artifact->output_count + 1, sizeof *s->outputs);
    int result = try_sides(s);
    free(s->inputs);
    free(s->outputs);
    dlclose(library);
    unlink(file);
    return result;
}

static int try_program(const char *path, char **arguments)
{
    fe_session *session = fe_session_new();
    subject s = {.path = path};
    for (int k = 2; strchr(arguments[k], '='); k++) {
        char option[64];
        snprintf(option, sizeof option, "%s", arguments[k]);
        char *value = strchr(option, '=');
        *value++ = 0;
        if (fe_set(session, option, value)) printf("%s", fe_error(session));
    }
    int result =
        fe_compile_file(session, path, &s.program) == FE_OK ? try_library(&s, arguments[1]) : 2;
    if (result == 2) printf("%s: not run: %s\n", path, fe_error(session));
    fe_program_free(s.program);
    fe_session_free(session);
    return result;
}

int main(int count, char **arguments)
{
    int tally[3] = {0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int k = 2; k < count; k++)
        if (!strchr(arguments[k], '=')) tally[try_program(arguments[k], arguments)]++;
    printf("%d passed, %d failed, %d skipped\n", tally[0], tally[1], tally[2]);
    return tally[1] != 0;
}
