/* help.c -- the tables of cli.h as text. */
#include "cli/cli.h"

#include <string.h>

enum { WIDTH = 100, COLUMN = 24 };

/* "  --option VALUE       what it is", wrapped in its column. */
static void print_row(const char *left, const char *what, FILE *to)
{
    int at = fprintf(to, "  %-*s", COLUMN - 2, left);
    if (at > COLUMN) at = fprintf(to, "\n%*s", COLUMN, "") - 1;
    for (const char *space = ""; *what; space = " ") {
        int word = (int)strcspn(what, " ");
        if (at + 1 + word > WIDTH) at = fprintf(to, "\n%*s", COLUMN, space = "") - 1;
        at += fprintf(to, "%s%.*s", space, word, what);
        what += word + (what[word] == ' ');
    }
    fputc('\n', to);
}

static void print_own(const cli_command *command, FILE *to)
{
    for (uint32_t i = 0; i < command->option_count; i++) {
        const cli_option *o = &command->options[i];
        char left[100];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->placeholder ? " " : "",
                 o->placeholder ? o->placeholder : "");
        print_row(left, o->what, to);
    }
}

static void print_of_session(const cli_command *command, FILE *to)
{
    for (uint32_t i = 0; i < option_count; i++) {
        const option_row *row = &option_table[i];
        char left[100];
        if (!cli_takes(command, row->name)) continue;
        if (row->kind == OPTION_SWITCH)
            snprintf(left, sizeof left, "--%s%s", strcmp(row->values, "on off") ? "" : "no-",
                     row->name);
        else
            snprintf(left, sizeof left, "--%s %s", row->name, row->placeholder);
        print_row(left, row->what, to);
    }
}

static void print_usage(const char *usage, FILE *to)
{
    for (const char *head = "usage: "; *usage; head = "       ") {
        int length = (int)strcspn(usage, "\n");
        bool goes_on = *usage == ' '; /* a line that continues the one before */
        fprintf(to, "%s%s%.*s\n", head, goes_on ? "       " : "ferrite ", length, usage);
        usage += length + (usage[length] == '\n');
    }
}

static void print_all(FILE *to)
{
    fprintf(to, "ferrite " FE_VERSION ": compiles PyTorch programs to C\n\n");
    for (uint32_t i = 0; i < cli_command_count; i++)
        fprintf(to, "  ferrite %-8s %s\n", cli_commands[i]->name, cli_commands[i]->what);
    fprintf(to, "\n'ferrite help COMMAND' says more.\n");
}

void cli_print_help(const cli_command *command, FILE *to)
{
    if (!command) {
        print_all(to);
        return;
    }
    print_usage(command->usage, to);
    fprintf(to, "\n%s\n\n", command->what);
    print_own(command, to);
    print_of_session(command, to);
}
