/* compile_no_memory.c -- compile_no_memory FOLDER PROGRAM...: compiles each program, makes its kernels ready
 * for the interpreter and runs it, of the first also writes the C sources, as often as that allocates, and
 * each time another allocation fails: a call says that memory is out, or all goes well; nothing is left
 * behind, and the same process then does it all without. Linked with libferrite.
 */
#define _GNU_SOURCE
#include "counting.h"
#include "ferrite.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_TOLD = 20 };

static const char *program_path, *folder;
static long failing, told;
static int writes_sources; /* for the first program: their files take long */

#ifndef IS_SANITIZED
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (is_to_fail()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}
#endif

static void on_crash(int signal_number)
{
    char line[4200];
    int length = snprintf(line, sizeof line, "%s: signal %d after allocation %ld failed\n",
                          program_path, signal_number, failing);
    if (write(1, line, (size_t)length) < 0) _exit(2);
    _exit(1);
}

/* FE_NO_MEMORY, FE_OK or what else went wrong. */
static fe_status run(fe_program *program)
{
    const fe_artifact *a;
    fe_model *model;
    fe_context *context = NULL;
    fe_status status = fe_load(program, &a, &model);
    fe_tensor inputs[16] = {{0}}, outputs[16] = {{0}};
    if (status || a->input_count > 16 || a->output_count > 16) return status;
    status = fe_sample_inputs(program, inputs);
    if (status) return status == FE_USAGE ? FE_OK : status; /* none are recorded */
    int result = a->context_new(model, 2, &context);
    if (!result) result = a->run(context, inputs, a->input_count, outputs, a->output_count);
    if (result && result != FE_RUN_NO_MEMORY && told++ < MOST_TOLD)
        printf("a run fails by %d: %s\n", result, a->error(context));
    if (context) a->context_free(context);
    return result == FE_RUN_NO_MEMORY ? FE_NO_MEMORY : result ? FE_INTERNAL : FE_OK;
}

static fe_status compile(fe_session *session)
{
    fe_program *program = NULL;
    fe_status status = fe_set(session, "no-cc", "on");
    if (!status) status = fe_set(session, "cache", "");
    if (!status) status = fe_compile_file(session, program_path, &program);
    if (!status && writes_sources) status = fe_write_sources(program, folder);
    if (!status) status = run(program);
    fe_program_free(program);
    return status;
}

/* The whole while allocation number `number` fails; 1 where that goes wrong. */
static int try_without(long number)
{
    failing = number;
    atomic_store(&until_failure, number);
    fe_session *session = fe_session_new();
    fe_status status = session ? compile(session) : FE_NO_MEMORY;
    atomic_store(&until_failure, LONG_MAX / 2);
    const char *error = session ? fe_error(session) : "";
    int is_wrong = status != FE_OK && status != FE_NO_MEMORY;
    if (is_wrong && told++ < MOST_TOLD)
        printf("%s: allocation %ld: %s: %s\n", program_path, number, fe_status_name(status), error);
    fe_session_free(session);
    return is_wrong;
}

/* 1 where something is wrong. */
static int try_program(void)
{
    if (try_without(LONG_MAX / 2)) return 1; /* what stays for the process is made */
    long first = allocations, before = blocks_held, wrong = try_without(LONG_MAX / 2);
    long each = allocations - first;
    for (long k = 0; k < each + 2; k++) {
        wrong += try_without(k);
        if (blocks_held != before && told++ < MOST_TOLD)
            printf("%s: allocation %ld: %ld blocks left\n", program_path, k, blocks_held - before);
        wrong += blocks_held != before;
        before = blocks_held;
    }
    return wrong != 0 || try_without(LONG_MAX / 2);
}

int main(int count, char **arguments)
{
    int failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGSEGV, on_crash);
    signal(SIGABRT, on_crash);
    folder = count > 1 ? arguments[1] : ".";
    for (int k = 2; k < count; k++) {
        program_path = arguments[k];
        writes_sources = k == 2;
        failed += try_program();
    }
    printf("%d passed, %d failed\n", count - 2 - failed, failed);
    return failed != 0;
}
