/* extreme.c -- atomic extremes of floats, which Triton makes of their bits: floats without a sign are in the
 * order of these as integers, and those with one in the opposite order of these as integers without a sign.
 * So atomic_max is two operations, each masked by the sign of the new value:
 *
 *     %s = arith.cmpi ne, (arith.shrui %bits, 31), 0
 *     tt.atomic_rmw max, %p, %bits, (arith.andi %mask, (arith.xori %s, true))
 *     tt.atomic_rmw umin, %p, %bits, (arith.andi %mask, %s)
 *
 * Found as such they are one store of floats that leaves an extreme, whichever program instance is the first.
 */
#include "lower/triton/triton.h"

#include <stdlib.h>
#include <string.h>

static const ttir_op *maker(const ttir_kernel *kernel, ttir_value v, ttir_code code)
{
    const ttir_op *op = v ? kernel->makers[v] : NULL;
    return op && op->code == code ? op : NULL;
}

/* Is it this integer, in all of a block? */
static bool is_constant(const ttir_kernel *kernel, ttir_value v, int64_t number)
{
    const ttir_op *op = maker(kernel, v, TTIR_CONSTANT);
    const char *word = op && op->word_count ? op->words[op->word_count - 1] : NULL;
    if (!word) return false;
    if (strcmp(word, "true") == 0) return number == 1;
    return *word >= '0' && *word <= '9' && strtoll(word, NULL, 10) == number;
}

/* Does it tell whether the bits have a sign? */
static bool tells_sign(const ttir_kernel *kernel, ttir_value v, ttir_value bits, bool *of_negative)
{
    const ttir_op *opposite = maker(kernel, v, TTIR_XORI);
    if (opposite && is_constant(kernel, opposite->operands[1], 1)) {
        bool is_sign = tells_sign(kernel, opposite->operands[0], bits, of_negative);
        *of_negative = !*of_negative;
        return is_sign;
    }
    const ttir_op *compare = maker(kernel, v, TTIR_CMPI);
    if (!compare || !compare->word_count || !is_constant(kernel, compare->operands[1], 0))
        return false;
    const ttir_op *shift = maker(kernel, compare->operands[0], TTIR_SHRUI);
    int64_t most = 8 * (int64_t)ty_dtype_size(kernel->types.at[bits].dtype) - 1;
    if (!shift || shift->operands[0] != bits || !is_constant(kernel, shift->operands[1], most))
        return false;
    *of_negative = strcmp(compare->words[0], "ne") == 0;
    return *of_negative || strcmp(compare->words[0], "eq") == 0;
}

/* One of the two operations: of values with a sign or of the others, and the rest of its mask (0: none). */
static bool is_half(const ttir_kernel *kernel, const ttir_op *op, bool *of_negative,
                    ttir_value *rest)
{
    if (op->code != TTIR_ATOMIC || op->operand_count < 3 || triton_uses_old(kernel, op))
        return false;
    ttir_value bits = op->operands[1], mask = op->operands[2];
    const ttir_op *both = maker(kernel, mask, TTIR_ANDI);
    *rest = 0;
    if (tells_sign(kernel, mask, bits, of_negative)) return true;
    for (uint32_t k = 0; both && k < 2; k++) {
        *rest = both->operands[!k];
        if (tells_sign(kernel, both->operands[k], bits, of_negative)) return true;
    }
    return false;
}

/* The float whose bits it writes, to a place where such floats are; or 0. */
static ttir_value float_of(const ttir_kernel *kernel, const ttir_op *op)
{
    const ttir_op *bits = kernel->makers[op->operands[1]], *place = kernel->makers[op->operands[0]];
    bool are_casts = bits && place &&
                     (bits->code == TTIR_TT_BITCAST || bits->code == TTIR_BITCAST) &&
                     place->code == TTIR_TT_BITCAST;
    if (!are_casts) return 0;
    ty_dtype d = kernel->types.at[bits->operands[0]].dtype;
    bool fits = ty_is_floating(d) && kernel->types.at[place->operands[0]].dtype == d;
    return fits ? bits->operands[0] : 0;
}

static const ttir_block *block_of(const ttir_block *block, const ttir_op *op)
{
    const ttir_block *found = NULL;
    for (uint32_t k = 0; !found && k < block->ops.count; k++) {
        if (&block->ops.at[k] == op) return block;
        for (uint32_t r = 0; !found && r < block->ops.at[k].region_count; r++)
            found = block_of(&block->ops.at[k].regions[r], op);
    }
    return found;
}

/* The operation that stands next to it, among those that do more than compute; or NULL. */
static const ttir_op *next_to(const ttir_block *block, const ttir_op *op, int way)
{
    for (const ttir_op *at = op + way; at >= block->ops.at && at < block->ops.at + block->ops.count;
         at += way)
        if (at->code == TTIR_ATOMIC || at->code == TTIR_LOAD || at->code == TTIR_STORE ||
            at->code == TTIR_ATOMIC_CAS || at->code == TTIR_LABEL || at->region_count)
            return at;
    return NULL;
}

static bool is_pair(const ttir_kernel *kernel, const ttir_op *first, const ttir_op *second,
                    triton_extreme *out)
{
    bool is_max = strcmp(first->words[0], "max") == 0, of_negative[2];
    ttir_value rest[2];
    if (!is_max && strcmp(first->words[0], "min") != 0) return false;
    if (!second->word_count || strcmp(second->words[0], is_max ? "umin" : "umax") != 0)
        return false;
    if (first->operands[0] != second->operands[0] || first->operands[1] != second->operands[1])
        return false;
    if (!is_half(kernel, first, &of_negative[0], &rest[0]) ||
        !is_half(kernel, second, &of_negative[1], &rest[1]))
        return false;
    *out = (triton_extreme){.mode = is_max ? LOOP_MAX_INTO : LOOP_MIN_INTO,
                            .number = float_of(kernel, first),
                            .mask = rest[0]};
    return rest[0] == rest[1] && !of_negative[0] && of_negative[1] && out->number;
}

bool triton_is_extreme(const ttir_kernel *kernel, const ttir_op *op, triton_extreme *out)
{
    if (op->code != TTIR_ATOMIC || !op->word_count) return false;
    bool is_second = op->words[0][0] == 'u';
    const ttir_block *block = block_of(&kernel->body, op);
    const ttir_op *other = next_to(block, op, is_second ? -1 : 1);
    if (!other || other->code != TTIR_ATOMIC || !other->word_count) return false;
    if (!is_pair(kernel, is_second ? other : op, is_second ? op : other, out)) return false;
    out->is_done = is_second;
    return true;
}
