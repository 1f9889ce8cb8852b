/* region.c -- operations with regions, whose text has a form of its own, and branches to labels.
 */
#include "ttir/ttir.h"

#include <string.h>

enum { MOST_DEPTH = 32 };

static void add_region(ttir_reader *in, ttir_parts *parts, ttir_block block)
{
    if (++in->depth > MOST_DEPTH)
        ttir_fail(in, "its text: more than %d regions within each other", MOST_DEPTH);
    ttir_read_ops(in, &block);
    in->depth--;
    ttir_expect(in, "}");
    vec_push(in->memory, &parts->regions, block);
}

/* ^bb0(%a: f32, %b: f32): ... } */
static void add_region_with_head(ttir_reader *in, ttir_parts *parts)
{
    ttir_block block = {0};
    if (ttir_take(in, "^")) {
        ttir_word(in);
        ttir_read_arguments(in, &block);
        ttir_expect(in, ":");
    }
    add_region(in, parts, block);
}

/* ({ ^bb0(%a: f32, %b: f32): ... }) */
void ttir_read_region(ttir_reader *in, ttir_parts *parts)
{
    ttir_expect(in, "({");
    add_region_with_head(in, parts);
    ttir_expect(in, ")");
}

/* (%a = %b, ...): names of arguments, and what they are at first. Returns how many. */
static uint32_t read_initial(ttir_reader *in, ttir_parts *parts, const char **names)
{
    uint32_t count = 0;
    ttir_expect(in, "(");
    while (!in->fault && !ttir_take(in, ")")) {
        if (count == TTIR_MOST_TYPES) ttir_fail(in, "its text: more than %u values", count);
        if (in->fault) break;
        ttir_expect(in, "%");
        names[count++] = ttir_word(in);
        ttir_expect(in, "=");
        vec_push(in->memory, &parts->operands, ttir_used_value(in));
        ttir_take(in, ",");
    }
    return count;
}

/* %k = %low to %high step %step iter_args(%a = %b, ...) -> (types) : i32 { ... } */
uint32_t ttir_read_for(ttir_reader *in, ttir_parts *parts, ttir_type *types)
{
    const char *names[TTIR_MOST_TYPES];
    ttir_block block = {0};
    uint32_t count = 0, carried = 0, first;
    ttir_expect(in, "%");
    const char *counter = ttir_word(in);
    ttir_expect(in, "=");
    vec_push(in->memory, &parts->operands, ttir_used_value(in));
    ttir_expect(in, "to");
    vec_push(in->memory, &parts->operands, ttir_used_value(in));
    ttir_expect(in, "step");
    vec_push(in->memory, &parts->operands, ttir_used_value(in));
    if (ttir_take(in, "iter_args")) carried = read_initial(in, parts, names);
    if (ttir_take(in, "->")) count = ttir_read_types(in, types, TTIR_MOST_TYPES, &first);
    if (count != carried)
        ttir_fail(in, "its text: a loop of %u values and %u types", carried, count);
    ttir_expect(in, ":");
    ttir_named_argument(in, &block, counter, ttir_read_type(in));
    for (uint32_t k = 0; k < count; k++) ttir_named_argument(in, &block, names[k], types[k]);
    ttir_expect(in, "{");
    add_region(in, parts, block);
    return count;
}

/* (%a = %b, ...) : (types) -> (types) { ... } do { ^bb0(...): ... } */
uint32_t ttir_read_while(ttir_reader *in, ttir_parts *parts, ttir_type *types)
{
    const char *names[TTIR_MOST_TYPES];
    ttir_block block = {0};
    uint32_t count = 0, carried = 0, first = 0;
    if (ttir_sees(in, "(")) carried = read_initial(in, parts, names);
    ttir_expect(in, ":");
    count = ttir_read_types(in, types, TTIR_MOST_TYPES, &first);
    if (first != carried)
        ttir_fail(in, "its text: a loop of %u values and %u types", carried, first);
    for (uint32_t k = 0; k < carried && !in->fault; k++)
        ttir_named_argument(in, &block, names[k], types[k]);
    ttir_expect(in, "{");
    add_region(in, parts, block);
    ttir_expect(in, "do");
    ttir_expect(in, "{");
    add_region_with_head(in, parts);
    memmove(types, types + first, (count - first) * sizeof *types);
    return count - first;
}

/* %condition -> (types) { ... } else { ... } */
uint32_t ttir_read_if(ttir_reader *in, ttir_parts *parts, ttir_type *types)
{
    uint32_t count = 0, first;
    vec_push(in->memory, &parts->operands, ttir_used_value(in));
    if (ttir_take(in, "->")) count = ttir_read_types(in, types, TTIR_MOST_TYPES, &first);
    ttir_expect(in, "{");
    add_region(in, parts, (ttir_block){0});
    if (!ttir_take(in, "else")) return count;
    ttir_expect(in, "{");
    add_region(in, parts, (ttir_block){0});
    return count;
}

/* ---- branches ---- */

/* ^name(%a, %b : types) */
static void read_target(ttir_reader *in, ttir_parts *parts, ttir_attribute *counts)
{
    ttir_type types[TTIR_MOST_TYPES];
    uint32_t begin = parts->operands.count, first;
    ttir_expect(in, "^");
    vec_push(in->memory, &parts->words, ttir_word(in));
    if (ttir_take(in, "(")) {
        while (!in->fault && !ttir_take(in, ":")) {
            vec_push(in->memory, &parts->operands, ttir_used_value(in));
            ttir_take(in, ",");
        }
        ttir_read_types(in, types, TTIR_MOST_TYPES, &first);
    }
    ttir_add_integer(in, counts, arena_printf(in->memory, "%u", parts->operands.count - begin));
}

/* [%condition,] ^there(...) [, ^elsewhere(...)] */
void ttir_read_branch(ttir_reader *in, ttir_parts *parts)
{
    ttir_attribute counts = {.name = "counts"};
    if (ttir_sees(in, "%")) {
        vec_push(in->memory, &parts->operands, ttir_used_value(in));
        ttir_expect(in, ",");
        read_target(in, parts, &counts);
        ttir_expect(in, ",");
    }
    read_target(in, parts, &counts);
    vec_push(in->memory, &parts->attributes, counts);
}
