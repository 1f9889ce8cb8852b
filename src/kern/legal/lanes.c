/* lanes.c -- functions that move lanes: joining those of a vector, running results, the order of lanes. */
#include "kern/legal/legal.h"

#include <stdlib.h>
#include <string.h>

typedef struct maker {
    kern_library *library;
    kern_function *f;
    uint32_t lanes;
} maker;

static kern_ref shuffled(maker *m, kern_ref a, kern_ref b, const uint8_t *pattern)
{
    kern_value v = {.kind = KERN_SHUFFLE, .dtype = m->f->dtype, .args = {a, b}};
    v.pattern = arena_copy(m->library->memory, pattern, m->lanes);
    return kern_function_define(m->library, m->f, v);
}

static kern_ref combined(maker *m, loop_opcode op, kern_ref a, kern_ref b)
{
    kern_value v = {.kind = KERN_APPLY, .op = op, .dtype = m->f->dtype, .args = {a, b}};
    if (op == LOOP_LOGADDEXP) {
        v.kind = KERN_CALL;
        v.callee = kern_library_find(m->library, "logaddexp", m->f->dtype, m->lanes);
    }
    return kern_function_define(m->library, m->f, v);
}

/* The lanes of x joined by the operation: halves onto halves. */
static kern_ref joined(maker *m, loop_opcode op)
{
    kern_ref x = 1;
    for (uint32_t half = m->lanes / 2; half; half /= 2) {
        uint8_t pattern[KERN_MOST_LANES];
        for (uint32_t l = 0; l < m->lanes; l++) pattern[l] = (uint8_t)((l + half) % m->lanes);
        x = combined(m, op, x, shuffled(m, x, x, pattern));
    }
    m->f->scalar = true;
    return kern_function_define(
        m->library, m->f, (kern_value){.kind = KERN_FIRST, .dtype = m->f->dtype, .args = {x}});
}

/* Each lane joined with all before it: lanes move up by 1, 2, 4, ... and `rest` moves in. */
static kern_ref scanned(maker *m, loop_opcode op)
{
    kern_ref x = 1, rest = 2;
    for (uint32_t step = 1; step < m->lanes; step *= 2) {
        uint8_t pattern[KERN_MOST_LANES];
        for (uint32_t l = 0; l < m->lanes; l++)
            pattern[l] = (uint8_t)(l < step ? m->lanes : l - step);
        x = combined(m, op, shuffled(m, x, rest, pattern), x);
    }
    return x;
}

/* The operation behind joinadd and scanadd. */
static loop_opcode combining(const char *name)
{
    static const struct {
        const char *name;
        loop_opcode op;
    } OPS[] = {
        {"add", LOOP_ADD}, {"mul", LOOP_MUL}, {"min", LOOP_MIN}, {"max", LOOP_MAX},
        {"or", LOOP_OR},   {"and", LOOP_AND}, {"xor", LOOP_XOR}, {"logaddexp", LOOP_LOGADDEXP}};
    for (size_t i = 0; i < COUNT_OF(OPS); i++)
        if (strcmp(OPS[i].name, name) == 0) return OPS[i].op;
    return LOOP_NOTHING;
}

typedef enum order { NO_ORDER, LAST, TURNED, REPEAT, EVENS, FIRSTS, SECONDS, LOWS, HIGHS } order;

static uint32_t times_of(const char *base)
{
    bool repeats = strncmp(base, "repeat", 6) == 0;
    return repeats ? (uint32_t)strtoul(base + 6, NULL, 10) : 0;
}

/* last: the last lane in all. turned: the last lane first. repeat2: the first lanes, each twice. evens:
 * elements 0, 2, 4, ... of memory that a and, from its last element on, b are from. firsts, seconds: those
 * elements, or 1, 3, 5, ..., of a and b one behind the other. lows and highs, the way back: a and b by turns,
 * the first half and the second. */
static order order_of(const char *base)
{
    static const struct {
        const char *name;
        order how;
    } ORDERS[] = {{"last", LAST},       {"turned", TURNED}, {"evens", EVENS}, {"firsts", FIRSTS},
                  {"seconds", SECONDS}, {"lows", LOWS},     {"highs", HIGHS}};
    for (size_t i = 0; i < COUNT_OF(ORDERS); i++)
        if (strcmp(ORDERS[i].name, base) == 0) return ORDERS[i].how;
    return times_of(base) ? REPEAT : NO_ORDER;
}

static uint32_t lane_in(const maker *m, order how, uint32_t l)
{
    uint32_t lanes = m->lanes;
    switch (how) {
    case TURNED: return lanes - 1 - l;
    case REPEAT: return l / times_of(m->f->base);
    case EVENS: return 2 * l < lanes ? 2 * l : 2 * l + 1;
    case FIRSTS: return 2 * l;
    case SECONDS: return 2 * l + 1;
    case LOWS: return l / 2 + l % 2 * lanes;
    case HIGHS: return (lanes + l) / 2 + l % 2 * lanes;
    default: return lanes - 1;
    }
}

static kern_ref ordered(maker *m, order how)
{
    uint8_t pattern[KERN_MOST_LANES];
    for (uint32_t l = 0; l < m->lanes; l++) pattern[l] = (uint8_t)lane_in(m, how, l);
    return shuffled(m, 1, how >= EVENS ? 2 : 1, pattern);
}

const kern_function *kern_lanes(kern_library *library, const char *base, ty_dtype dtype,
                                uint32_t lanes)
{
    bool joins = strncmp(base, "join", 4) == 0, scans = strncmp(base, "scan", 4) == 0;
    loop_opcode op = joins || scans ? combining(base + 4) : LOOP_NOTHING;
    order how = op ? NO_ORDER : order_of(base);
    if ((!op && !how) || lanes == 1) return NULL;
    maker m = {library, NULL, lanes};
    m.f = kern_function_new(library, base, dtype, lanes, scans || how >= EVENS ? 2 : 1);
    kern_ref result = joins ? joined(&m, op) : scans ? scanned(&m, op) : ordered(&m, how);
    kern_function_return(library, m.f, result);
    return m.f;
}
