/* cli.c -- options that several commands take, and how failures are shown. */
#include "driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int want_value(int argc, char **argv, int i)
{
    if (i + 1 < argc) return 2;
    fprintf(stderr, "ferrite: %s needs a value\n", argv[i]);
    return -1;
}

int cli_common_option(driver_options *o, int argc, char **argv, int i)
{
    struct {
        const char *name;
        const char **to;
    } texts[] = {{"--cc", &o->cc},
                 {"--isa", &o->isa},
                 {"--model", &o->model},
                 {"--cache", &o->cache},
                 {"--dump-after", &o->dump_after}};
    for (size_t k = 0; k < COUNT_OF(texts); k++)
        if (strcmp(argv[i], texts[k].name) == 0) {
            int eaten = want_value(argc, argv, i);
            if (eaten > 0) *texts[k].to = argv[i + 1];
            return eaten;
        }
    if (strcmp(argv[i], "--ops") == 0) {
        int eaten = want_value(argc, argv, i);
        if (eaten < 0) return eaten;
        if (o->op_library_count == DRIVER_MAX_OP_LIBRARIES) {
            fprintf(stderr, "ferrite: at most %d times --ops\n", DRIVER_MAX_OP_LIBRARIES);
            return -1;
        }
        o->op_libraries[o->op_library_count++] = argv[i + 1];
        return eaten;
    }
    if (strcmp(argv[i], "--jobs") == 0) {
        int eaten = want_value(argc, argv, i);
        if (eaten > 0) o->jobs = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        return eaten;
    }
    if (strcmp(argv[i], "--verify") == 0) {
        o->check = true;
        return 1;
    }
    if (argv[i][0] != '-' || strcmp(argv[i], "-") == 0) {
        if (o->input) {
            fprintf(stderr, "ferrite: one program at a time: '%s' and '%s'\n", o->input, argv[i]);
            return -1;
        }
        o->input = argv[i];
        return 1;
    }
    return 0;
}

int cli_failed(fe_session *s)
{
    arena *memory = arena_new(s);
    text out;
    text_init(&out, memory);
    diag_print(s, &out);
    fputs(out.at, stderr);
    arena_free(memory);
    return 1;
}
