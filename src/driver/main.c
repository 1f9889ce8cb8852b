/* main.c -- the command line: ferrite COMMAND ... */
#include "driver/driver.h"

#include <stdio.h>
#include <string.h>

typedef struct command_row {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} command_row;

static const command_row commands[] = {
    {"run", command_run, "compile a program, run it, show or write its outputs"},
    {"compile", command_compile, "make a shared library, or C sources"},
    {"inspect", command_inspect, "show a stage of the compiler as text"},
    {"check", command_check, "compare with recorded metadata and outputs"},
    {"plan", command_plan, "plan memory for a file of buffers"},
};

static int usage(FILE *to)
{
    fprintf(to, "ferrite " FERRITE_VERSION ": compiles PyTorch programs to C\n\n");
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        fprintf(to, "  ferrite %-8s %s\n", commands[i].name, commands[i].what);
    fprintf(to, "\nferrite COMMAND --help says more.\n");
    return to == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
    if (argc < 2) return usage(stderr);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return usage(stdout);
    if (strcmp(argv[1], "--version") == 0) return printf("ferrite " FERRITE_VERSION "\n") < 0;
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 2, argv + 2);
    fprintf(stderr, "ferrite: unknown command '%s'\n\n", argv[1]);
    return usage(stderr);
}
