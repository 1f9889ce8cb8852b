/* value.c -- numbers, element by element. Halves are computed in f32 and rounded after each operation.
 */
#include "lower/triton/triton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values of the kernel ---- */

const ttir_type *triton_type(const triton *t, ttir_value v)
{
    return &t->kernel->types.at[v];
}

uint32_t triton_sizes(triton *t, const ttir_type *type, sym_expr *sizes)
{
    CHECK(t->l->session, t->lead_count + type->rank <= LOWER_MAX_RANK);
    memcpy(sizes, t->lead, t->lead_count * sizeof *sizes);
    for (uint32_t k = 0; k < type->rank; k++)
        sizes[t->lead_count + k] = lower_const(t->l, type->sizes[k]);
    return t->lead_count + type->rank;
}

/* What a loop has added up is wanted as it is. */
static void sum_up(triton *t, ttir_value v)
{
    triton_value *value = &t->values[v];
    uint32_t lead = t->lead_count - (t->loops - value->loops);
    lower_tensor sum = triton_reduced(t, value->code, value->steps, TRITON_NO_AXIS, lead);
    value->t = lower_cast(t->l, sum, triton_type(t, v)->dtype);
}

lower_tensor triton_tensor(triton *t, ttir_value v)
{
    triton_value *value = &t->values[v];
    sym_expr sizes[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK];
    if (!value->t.box && value->steps.box) sum_up(t, v);
    uint32_t more = t->loops - value->loops, lead = t->lead_count - more;
    CHECK(t->l->session, value->t.box);
    if (!more) return value->t;
    uint32_t rank = triton_sizes(t, triton_type(t, v), sizes);
    for (uint32_t k = 0; k < value->t.rank; k++) exprs[k] = t->l->axes[k < lead ? k : k + more];
    return lower_remap(t->l, value->t, rank, sizes, exprs);
}

lower_tensor triton_operand(triton *t, const ttir_op *op, uint32_t k)
{
    return triton_tensor(t, op->operands[k]);
}

loop_value triton_here(triton *t, const ttir_op *op, uint32_t k)
{
    return lower_here(t->l, triton_operand(t, op, k));
}

void triton_set(triton *t, const ttir_op *op, uint32_t k, triton_value v)
{
    v.loops = t->loops;
    if (v.t.box && !v.t.map && !v.argument)
        lower_settle(t->l, v.t.box, t->kernel->uses.at[op->result + k]);
    t->values[op->result + k] = v;
}

void triton_give_tensor(triton *t, const ttir_op *op, lower_tensor v)
{
    triton_set(t, op, 0, (triton_value){.t = v});
}

void triton_give(triton *t, const ttir_op *op, loop_value v)
{
    sym_expr sizes[LOWER_MAX_RANK];
    const ttir_type *type = triton_type(t, op->result);
    uint32_t rank = triton_sizes(t, type, sizes);
    triton_give_tensor(
        t, op, lower_value(t->l, type->dtype, rank, sizes, loop_cast(t->p, type->dtype, v)));
}

static ty_dtype dtype_of(const triton *t, loop_value v)
{
    return loop_at(t->p, v)->dtype;
}

sym_expr triton_expr(triton *t, loop_value v)
{
    const loop_node *n = loop_at(t->p, v);
    if (n->op == LOOP_CAST && (n->dtype == TY_I32 || n->dtype == TY_I64))
        n = loop_at(t->p, n->args[0]);
    if (n->op == LOOP_INDEX) return n->index;
    bool is_integer = n->op == LOOP_CONST && (n->dtype == TY_I32 || n->dtype == TY_I64);
    return is_integer ? lower_const(t->l, n->integer) : (sym_expr){0};
}

loop_value triton_index(triton *t, ty_dtype d, sym_expr e)
{
    return loop_cast(t->p, d, loop_index(t->p, e));
}

bool triton_is_zero(triton *t, ttir_value v)
{
    const lower_box *box = triton_tensor(t, v).box;
    const loop_node *n = box->realised ? NULL : loop_at(t->p, box->value);
    return n && n->op == LOOP_CONST && ty_is_floating(n->dtype) && n->number[0] == 0;
}

/* ---- arithmetic ---- */

loop_value triton_widened(triton *t, loop_value v)
{
    return loop_cast(t->p, lower_compute_dtype(dtype_of(t, v)), v);
}

/* A divisor that is 0 gives nothing that is used, and must not stop the program. */
static loop_value divisor(triton *t, loop_opcode op, loop_value v)
{
    ty_dtype d = dtype_of(t, v);
    if ((op != LOOP_TRUNCDIV && op != LOOP_FMOD) || !ty_is_integral(d, true)) return v;
    loop_value zero = loop_const_int(t->p, d, 0), one = loop_const_int(t->p, d, 1);
    return loop_where(t->p, loop_binary(t->p, LOOP_EQ, v, zero), one, v);
}

loop_value triton_applied(triton *t, loop_opcode op, loop_value a, loop_value b)
{
    return loop_binary(t->p, op, a, divisor(t, op, b));
}

fe_status triton_number(triton *t, const ttir_op *op, int opcode)
{
    loop_value a = triton_widened(t, triton_here(t, op, 0));
    if (op->operand_count != loop_operand_count((loop_opcode)opcode))
        return triton_fail(t, "its operands");
    if (op->operand_count == 1)
        triton_give(t, op, loop_unary(t->p, (loop_opcode)opcode, a));
    else
        triton_give(
            t, op,
            triton_applied(t, (loop_opcode)opcode, a, triton_widened(t, triton_here(t, op, 1))));
    return FE_OK;
}

fe_status triton_fused(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    loop_node n = {.op = LOOP_FMA};
    for (uint32_t k = 0; k < 3; k++) n.args[k] = triton_widened(t, triton_here(t, op, k));
    n.dtype = dtype_of(t, n.args[0]);
    triton_give(t, op, loop_make(t->p, n));
    return FE_OK;
}

fe_status triton_clamp(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    bool keeps_nan = op->word_count > 1 && strcmp(op->words[1], "all") == 0;
    loop_value x = triton_widened(t, triton_here(t, op, 0)),
               low = triton_widened(t, triton_here(t, op, 1));
    x = loop_binary(t->p, keeps_nan ? LOOP_MAX : LOOP_FMAX, x, low);
    triton_give(t, op,
                loop_binary(t->p, keeps_nan ? LOOP_MIN : LOOP_FMIN, x,
                            triton_widened(t, triton_here(t, op, 2))));
    return FE_OK;
}

/* ---- comparisons ---- */

static loop_value either_nan(triton *t, loop_value a, loop_value b)
{
    return loop_binary(t->p, LOOP_OR, loop_unary(t->p, LOOP_ISNAN, a),
                       loop_unary(t->p, LOOP_ISNAN, b));
}

/* By "lt" and so on. */
static bool compared(triton *t, const char *relation, loop_value a, loop_value b, loop_value *out)
{
    static const struct {
        const char *name;
        loop_opcode op;
        bool swaps;
    } RELATIONS[] = {{"eq", LOOP_EQ, false}, {"ne", LOOP_NE, false}, {"lt", LOOP_LT, false},
                     {"le", LOOP_LE, false}, {"gt", LOOP_LT, true},  {"ge", LOOP_LE, true}};
    for (size_t k = 0; k < COUNT_OF(RELATIONS); k++)
        if (strcmp(RELATIONS[k].name, relation) == 0) {
            bool swaps = RELATIONS[k].swaps;
            *out = loop_binary(t->p, RELATIONS[k].op, swaps ? b : a, swaps ? a : b);
            return true;
        }
    return false;
}

/* olt, ult and so on: what is ordered is false of NaN, what is not is true. */
static bool compared_floats(triton *t, const char *predicate, loop_value a, loop_value b,
                            loop_value *out)
{
    bool is_ordered = predicate[0] == 'o';
    loop_value nan = either_nan(t, a, b), ordered = loop_unary(t->p, LOOP_NOT, nan);
    if (strcmp(predicate, "ord") == 0) return *out = ordered, true;
    if (strcmp(predicate, "uno") == 0) return *out = nan, true;
    if ((!is_ordered && predicate[0] != 'u') || !compared(t, predicate + 1, a, b, out))
        return false;
    bool is_ne = strcmp(predicate + 1, "ne") == 0; /* true of NaN, where others are false */
    if (is_ordered == is_ne)
        *out = loop_binary(t->p, is_ne ? LOOP_AND : LOOP_OR, *out, is_ne ? ordered : nan);
    return true;
}

/* slt, ult, eq; expressions are compared as such, so that masks can be understood. */
static bool compared_integers(triton *t, const ttir_op *op, const char *predicate, loop_value *out)
{
    loop_value a = triton_here(t, op, 0), b = triton_here(t, op, 1);
    sym_expr x = triton_expr(t, a), y = triton_expr(t, b);
    bool has_sign = predicate[0] == 's' || predicate[0] == 'u';
    if (predicate[0] == 'u') {
        a = triton_unsigned_here(t, op, 0);
        b = triton_unsigned_here(t, op, 1);
    } else if (!sym_is_none(x) && !sym_is_none(y)) {
        a = loop_index(t->p, x);
        b = loop_index(t->p, y);
    }
    return compared(t, predicate + has_sign, a, b, out);
}

fe_status triton_compare(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    loop_value v;
    const char *predicate = op->word_count ? op->words[0] : "";
    bool is_known = op->code == TTIR_CMPI
                        ? compared_integers(t, op, predicate, &v)
                        : compared_floats(t, predicate, triton_widened(t, triton_here(t, op, 0)),
                                          triton_widened(t, triton_here(t, op, 1)), &v);
    if (!is_known) return triton_fail(t, "the comparison '%s'", predicate);
    triton_give(t, op, v);
    return FE_OK;
}

/* One condition for all of a block, or one for each element. */
static loop_value condition_here(triton *t, const ttir_op *op, const ttir_type *type)
{
    sym_expr sizes[LOWER_MAX_RANK], index[LOWER_MAX_RANK];
    triton_sizes(t, type, sizes);
    for (uint32_t k = 0; k < LOWER_MAX_RANK; k++) index[k] = t->l->axes[k];
    return lower_at(t->l, triton_operand(t, op, 0), index);
}

fe_status triton_select(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    const ttir_type *type = triton_type(t, op->result);
    sym_expr sizes[LOWER_MAX_RANK];
    uint32_t rank = triton_sizes(t, type, sizes), argument = t->values[op->operands[1]].argument;
    if (argument != t->values[op->operands[2]].argument)
        return triton_fail(t, "of pointers to different tensors");
    loop_value a = triton_here(t, op, 1), b = triton_here(t, op, 2);
    if (argument) a = loop_cast(t->p, TY_I64, a), b = loop_cast(t->p, TY_I64, b);
    loop_value v = loop_where(t->p, condition_here(t, op, type), a, b);
    lower_tensor result = lower_value(t->l, dtype_of(t, v), rank, sizes, v);
    triton_set(t, op, 0, (triton_value){.t = result, .argument = argument});
    return FE_OK;
}

/* ---- constants ---- */

/* 1.5, or the bits of a float, 0xFF800000 */
static double float_of(ty_dtype d, const char *word)
{
    if (strncmp(word, "0x", 2) != 0) return strtod(word, NULL);
    uint64_t bits = strtoull(word + 2, NULL, 16);
    uint32_t low = (uint32_t)bits;
    uint16_t half = (uint16_t)bits;
    const void *data = d == TY_F64 ? (const void *)&bits : d == TY_F32 ? (const void *)&low : &half;
    double value = 0;
    loop_convert(TY_F64, &value, d, data);
    return value;
}

fe_status triton_constant(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    const ttir_type *type = triton_type(t, op->result);
    const char *word = op->word_count ? op->words[op->word_count - 1] : "";
    if (op->word_count > 2 || !*word || type->dtype == TY_NO_DTYPE)
        return triton_fail(t, "of this form");
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        triton_give(t, op, loop_const_int(t->p, type->dtype, *word == 't'));
    else if (ty_is_integral(type->dtype, true))
        triton_give(t, op, loop_const_int(t->p, type->dtype, strtoll(word, NULL, 0)));
    else
        triton_give(t, op, loop_const_float(t->p, type->dtype, float_of(type->dtype, word)));
    return FE_OK;
}
