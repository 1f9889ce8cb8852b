/* c_donated.c -- what a generated C program says of the memory that it uses and its caller owns. */
#include "emit/c.h"

typedef uint32_t next_input(const wrap_program *w, uint32_t k);

static void print_inputs(emit_state *s, const char *what, const char *name, next_input *next)
{
    const loop_program *p = s->w->loops;
    uint32_t first = next(s->w, 0);
    if (first == p->inputs.count) return;
    text_printf(&s->out, "/* Inputs %s:", what);
    for (uint32_t k = first; k < p->inputs.count; k = next(s->w, k + 1))
        text_printf(&s->out, " %s", p->inputs.at[k].name);
    text_printf(&s->out, " */\nstatic const uint32_t %s[] = {", name);
    for (uint32_t k = first; k < p->inputs.count; k = next(s->w, k + 1))
        text_printf(&s->out, "%u, ", k);
    text_add(&s->out, "};\n\n");
}

void emit_c_donated(emit_state *s)
{
    print_inputs(s, "that a run overwrites", "donated", wrap_next_overwritten);
    print_inputs(s, "that get new values", "mutated", wrap_next_mutated);
}

void emit_c_taken(emit_state *s)
{
    const loop_program *p = s->w->loops;
    uint32_t given = loop_given_count(p);
    if (given == p->inputs.count) return;
    text_add(&s->out,
             "/* What is taken of inputs, behind those that are given: of which, is it where it "
             "begins. */\nstatic const rt_taken taken[] = {");
    for (uint32_t k = given; k < p->inputs.count; k++)
        text_printf(&s->out, "{%u, %d}, ", p->inputs.at[k].of,
                    p->inputs.at[k].taken == LOOP_START_OF);
    text_add(&s->out, "};\n\n");
}

void emit_c_returned(emit_state *s)
{
    uint32_t outputs = s->w->loops->outputs.count;
    if (!wrap_returns_inputs(s->w)) return;
    text_add(
        &s->out,
        "/* The inputs that outputs lie in where the caller gives them no memory, and which of "
        "these\n * outputs are made elsewhere where he does. */\n"
        "static const int32_t output_inputs[] = {");
    for (uint32_t k = 0; k < outputs; k++)
        text_printf(&s->out, "%d, ", wrap_input_of_output(s->w, k));
    text_add(&s->out, "};\nstatic const uint8_t output_moves[] = {");
    for (uint32_t k = 0; k < outputs; k++) text_printf(&s->out, "%d, ", wrap_output_moves(s->w, k));
    text_add(&s->out, "};\n\n");
}

static void print_field(emit_state *s, const char *name, next_input *next)
{
    uint32_t count = 0, inputs = s->w->loops->inputs.count;
    for (uint32_t k = next(s->w, 0); k < inputs; k = next(s->w, k + 1)) count++;
    if (count)
        text_printf(&s->out, "    .%s = %s,\n    .%s_count = %u,\n", name, name, name, count);
}

void emit_c_donated_fields(emit_state *s)
{
    print_field(s, "donated", wrap_next_overwritten);
    print_field(s, "mutated", wrap_next_mutated);
    uint32_t given = loop_given_count(s->w->loops), all = s->w->loops->inputs.count;
    if (given < all)
        text_printf(&s->out, "    .taken = taken,\n    .taken_count = %u,\n", all - given);
    if (wrap_returns_inputs(s->w))
        text_add(&s->out,
                 "    .output_inputs = output_inputs,\n    .output_moves = output_moves,\n");
}
