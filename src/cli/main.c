/* main.c -- the command line: ferrite COMMAND ... */
#include "cli/cli.h"

#include <string.h>

const cli_command *const cli_commands[] = {&cli_run,   &cli_compile, &cli_inspect, &cli_check,
                                           &cli_bench, &cli_plan,    &cli_report,  &cli_cache};
const uint32_t cli_command_count = COUNT_OF(cli_commands);

/* The command of this name; NULL, and a word about it, when there is none. */
static const cli_command *find(const char *name)
{
    const char *names[COUNT_OF(cli_commands)];
    for (uint32_t i = 0; i < cli_command_count; i++) {
        names[i] = cli_commands[i]->name;
        if (strcmp(names[i], name) == 0) return cli_commands[i];
    }
    const char *meant = nearest_name(name, names, cli_command_count);
    fprintf(stderr, "ferrite: there is no command '%s'", name);
    if (meant) fprintf(stderr, "; did you mean '%s'?", meant);
    fprintf(stderr, "\n'ferrite help' lists them.\n");
    return NULL;
}

static int help(const char *name)
{
    const cli_command *command = name ? find(name) : NULL;
    if (name && !command) return 2;
    cli_print_help(command, stdout);
    return 0;
}

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    if (strcmp(first, "--version") == 0) return printf("ferrite %s\n", fe_version()) < 0;
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    if (argc < 2) {
        cli_print_help(NULL, stderr);
        return 2;
    }
    const cli_command *command = find(first);
    return command ? cli_main(command, argc - 2, argv + 2) : 2;
}
