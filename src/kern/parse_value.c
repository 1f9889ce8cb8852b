/* parse_value.c -- operands, indices and values of the text form. */
#include "kern/legal/legal.h"
#include "kern/parse_priv.h"

#include <string.h>

enum { MOST_VALUES = 1 << 16 };

/* ---- pieces ---- */

fe_status kern_read_numbered(kern_reader *in, char letter, uint32_t limit, const char *what,
                             uint32_t *number)
{
    const char *name;
    if (in->lx->token.kind != LEX_NAME || !kern_is_numbered(in->lx->token.text, letter, number))
        return lex_fail(in->lx, "expected %s", what);
    if (*number >= limit) return lex_fail(in->lx, "there is no such %s", strchr(what, ' ') + 1);
    return lex_name(in->lx, &name);
}

fe_status kern_read_type(kern_reader *in, ty_dtype *dtype, bool *vector)
{
    const char *name = in->lx->token.text, *x = strchr(name, 'x');
    *vector = x != NULL;
    if (in->lx->token.kind != LEX_NAME || !x) return ty_parse_dtype(in->lx, dtype);
    const char *element = arena_printf(in->memory, "%.*s", (int)(x - name), name);
    const char *lanes = arena_printf(in->memory, "x%u", in->k->lanes);
    if (!ty_dtype_parse(element, dtype)) return lex_fail(in->lx, "expected a dtype");
    if (strcmp(x, lanes) != 0 || in->k->lanes == 1)
        return lex_fail(in->lx, "the kernel has %u lanes", in->k->lanes);
    return lex_name(in->lx, &name);
}

static bool is_defined(const kern_reader *in, kern_ref ref)
{
    return ref < in->k->values.count && in->k->values.at[ref].kind != KERN_NOTHING;
}

typedef struct symbol_search {
    const kern_reader *in;
    const char *unknown;
} symbol_search;

static void find_unknown(void *data, sym_expr symbol)
{
    symbol_search *search = data;
    const kern_ir *k = search->in->k;
    const char *name = sym_name(k->symbols, symbol);
    uint32_t number;
    bool known = sym_kind_of(k->symbols, symbol) == SYM_INDEX ||
                 (kern_is_numbered(name, 'p', &number) && number < k->params.count) ||
                 (kern_is_numbered(name, 'v', &number) && is_defined(search->in, number));
    if (!known) search->unknown = name;
}

fe_status kern_read_index(kern_reader *in, sym_expr *out)
{
    symbol_search search = {in, NULL};
    lex_token begin = in->lx->token;
    FE_TRY(sym_parse(in->k->symbols, in->lx, out));
    sym_each_symbol(in->k->symbols, *out, find_unknown, &search);
    if (!search.unknown) return FE_OK;
    in->lx->token = begin;
    return lex_fail(in->lx, "%s is neither an axis nor an int nor a value here", search.unknown);
}

uint32_t kern_read_memory(const kern_reader *in, bool is_tile, uint32_t number)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < in->k->memories.count; i++) {
        const kern_memory *m = &in->k->memories.at[i];
        if (m->is_tile == is_tile && m->number == number) found = i;
    }
    return found;
}

fe_status kern_read_place(kern_reader *in, uint32_t *memory, sym_expr *index)
{
    const kern_ir *k = in->k;
    uint32_t number;
    bool is_tile = in->lx->token.text[0] == 't';
    FE_TRY(is_tile ? kern_read_numbered(in, 't', k->tile_count, "a tile", &number)
                   : kern_read_numbered(in, 'b', k->buffer_count, "a buffer", &number));
    *memory = kern_read_memory(in, is_tile, number);
    FE_TRY(lex_expect(in->lx, "["));
    FE_TRY(kern_read_index(in, index));
    return lex_expect(in->lx, "]");
}

static fe_status parse_constant(kern_reader *in, kern_value *v)
{
    if (ty_is_integral(v->dtype, true)) return lex_int(in->lx, &v->integer);
    FE_TRY(lex_double(in->lx, &v->number[0]));
    if (!ty_is_complex(v->dtype)) return FE_OK;
    FE_TRY(lex_expect(in->lx, ":"));
    return lex_double(in->lx, &v->number[1]);
}

fe_status kern_read_operand(kern_reader *in, ty_dtype line, bool vector, kern_ref *out)
{
    kern_value v = {.kind = KERN_CONST, .dtype = line, .vector = vector};
    const lex_token *token = &in->lx->token;
    if (token->kind == LEX_NAME && kern_is_numbered(token->text, 'v', out)) {
        if (!is_defined(in, *out)) return lex_fail(in->lx, "the value is not defined");
        lex_next(in->lx);
        return FE_OK;
    }
    if (token->kind == LEX_NAME) FE_TRY(ty_parse_dtype(in->lx, &v.dtype));
    FE_TRY(parse_constant(in, &v));
    *out = KERN_CONSTANT + in->constants.count;
    vec_push(in->memory, &in->constants, v);
    return FE_OK;
}

fe_status kern_read_count(kern_reader *in, kern_ref *out)
{
    return lex_take(in->lx, "first") ? kern_read_operand(in, TY_I64, false, out) : FE_OK;
}

/* ---- values ---- */

/* 4 times */
static fe_status parse_times(kern_reader *in, uint32_t *times)
{
    int64_t number = 0;
    FE_TRY(lex_int(in->lx, &number));
    if (number < 1 || number > KERN_MOST_LANES) return lex_fail(in->lx, "there are fewer lanes");
    *times = (uint32_t)number;
    return lex_expect(in->lx, "times");
}

static fe_status parse_access(kern_reader *in, kern_value *v)
{
    v->access = v->vector ? KERN_UNIT : KERN_ONE;
    v->runs = lex_take(in->lx, "run");
    if (v->runs) return FE_OK;
    for (kern_pairs pairs = KERN_EVENS; v->kind == KERN_LOAD && pairs <= KERN_SECONDS; pairs++)
        if (!v->pairs && lex_take(in->lx, kern_pairs_names[pairs])) v->pairs = pairs;
    v->turned = v->kind == KERN_LOAD && lex_take(in->lx, "turned");
    v->gathers = v->kind == KERN_LOAD && lex_take(in->lx, "gather");
    v->runs = lex_take(in->lx, "runs");
    if (v->kind == KERN_LOAD && lex_take(in->lx, "each")) FE_TRY(parse_times(in, &v->repeats));
    if (!v->pairs && !v->turned && !v->gathers && !v->runs && !v->repeats &&
        !lex_take(in->lx, "lanes"))
        return FE_OK;
    if (!v->vector) return lex_fail(in->lx, "a scalar has no lanes");
    v->access = KERN_LANES;
    return FE_OK;
}

/* Behind "lane". */
static fe_status parse_lane(kern_reader *in, kern_value *v, kern_access access)
{
    v->kind = KERN_LANE;
    v->access = access;
    FE_TRY(kern_read_operand(in, v->dtype, true, &v->args[0]));
    return kern_read_lane(in, &v->index);
}

/* Behind "half": 0 of v5. */
static fe_status parse_half(kern_reader *in, kern_value *v)
{
    int64_t which;
    v->kind = KERN_HALF;
    FE_TRY(lex_int(in->lx, &which));
    if (which != 0 && which != 1) return lex_fail(in->lx, "there are two halves, 0 and 1");
    v->copy = (uint32_t)which;
    FE_TRY(lex_expect(in->lx, "of"));
    return kern_read_operand(in, TY_I64, false, &v->args[0]);
}

/* b0[v5], or b0[p1*i0][v5]: the latter is added to the former in all lanes. */
static fe_status parse_gather(kern_reader *in, kern_value *v)
{
    sym_expr lanes = v->index;
    bool has_base = lex_take(in->lx, "[");
    if (has_base) {
        FE_TRY(kern_read_index(in, &lanes));
        FE_TRY(lex_expect(in->lx, "]"));
    }
    v->args[0] = kern_symbol_value(in->k, lanes);
    if (!has_base) v->index = (sym_expr){0};
    return v->args[0] ? FE_OK : lex_fail(in->lx, "expected a value for an index");
}

static fe_status parse_load(kern_reader *in, kern_value *v)
{
    FE_TRY(parse_access(in, v));
    FE_TRY(kern_read_place(in, &v->memory, &v->index));
    if (v->gathers) FE_TRY(parse_gather(in, v));
    FE_TRY(kern_read_count(in, &v->count));
    if (!lex_take(in->lx, "if")) return FE_OK;
    return kern_read_operand(in, v->dtype, false, &v->guard);
}

static fe_status parse_apply(kern_reader *in, kern_value *v)
{
    for (uint32_t i = 0; i < loop_operand_count(v->op); i++) {
        bool is_condition = v->op == LOOP_WHERE && i == 0;
        if (i) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(kern_read_operand(in, v->dtype, v->vector && !is_condition, &v->args[i]));
    }
    return FE_OK;
}

static fe_status parse_operands(kern_reader *in, kern_value *v, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(kern_read_operand(in, v->dtype, v->vector, &v->args[i]));
    }
    return FE_OK;
}

/* v9 copy 2 */
static fe_status parse_read(kern_reader *in, kern_value *v)
{
    int64_t copy = 0;
    v->kind = KERN_READ;
    FE_TRY(kern_read_operand(in, v->dtype, v->vector, &v->args[0]));
    if (lex_take(in->lx, "copy")) FE_TRY(lex_int(in->lx, &copy));
    if (copy < 0 || copy >= KERN_MOST_COPIES) return lex_fail(in->lx, "there is no such copy");
    v->copy = (uint32_t)copy;
    return FE_OK;
}

static bool parse_operation(kern_reader *in, kern_value *v)
{
    bool known = in->lx->token.kind == LEX_NAME && loop_opcode_parse(in->lx->token.text, &v->op) &&
                 loop_operand_count(v->op) > 0 && v->op != LOOP_MASKED;
    if (known) lex_next(in->lx);
    return known;
}

/* add v4 */
static fe_status parse_join(kern_reader *in, kern_value *v)
{
    v->kind = KERN_JOIN;
    if (!parse_operation(in, v) || loop_operand_count(v->op) != 2)
        return lex_fail(in->lx, "expected an operation of two operands");
    return kern_read_operand(in, v->dtype, false, &v->args[0]);
}

/* wide erfc_f64x8 v1 */
static fe_status parse_call(kern_reader *in, kern_value *v)
{
    const char *name;
    v->kind = KERN_CALL;
    v->wide = lex_take(in->lx, "wide");
    if (in->lx->token.kind == LEX_NAME)
        v->callee = kern_library_named(in->library, in->lx->token.text);
    if (!v->callee) return lex_fail(in->lx, "expected a function that stands before");
    FE_TRY(lex_name(in->lx, &name));
    for (uint32_t i = 0; i < v->callee->parameter_count; i++) {
        if (i) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(kern_read_operand(in, v->dtype, v->vector || v->callee->scalar, &v->args[i]));
    }
    return FE_OK;
}

/* v1, v2 [0, 9, 2, 11] */
static fe_status parse_shuffle(kern_reader *in, kern_value *v)
{
    uint8_t *pattern = NEW_ARRAY(in->memory, uint8_t, in->k->lanes);
    v->kind = KERN_SHUFFLE;
    v->pattern = pattern;
    FE_TRY(parse_operands(in, v, 2));
    for (uint32_t l = 0; l < in->k->lanes; l++) {
        int64_t lane;
        FE_TRY(lex_expect(in->lx, l ? "," : "["));
        FE_TRY(lex_int(in->lx, &lane));
        if (lane < 0 || lane >= 2 * (int64_t)in->k->lanes)
            return lex_fail(in->lx, "there is no lane %lld", (long long)lane);
        pattern[l] = (uint8_t)lane;
    }
    return lex_expect(in->lx, "]");
}

/* v4 [0.0, 0.25, ...] */
static fe_status parse_table(kern_reader *in, kern_value *v)
{
    double *table = NEW_ARRAY(in->memory, double, KERN_TABLE_SIZE);
    v->kind = KERN_TABLE;
    v->table = table;
    FE_TRY(kern_read_operand(in, TY_I32, v->vector, &v->args[0]));
    for (uint32_t i = 0; i < KERN_TABLE_SIZE; i++) {
        FE_TRY(lex_expect(in->lx, i ? "," : "["));
        FE_TRY(lex_double(in->lx, &table[i]));
    }
    return lex_expect(in->lx, "]");
}

/* each sin v1; scale v1, v2; halves v1, v2 */
static fe_status parse_machine(kern_reader *in, kern_value *v, bool *known)
{
    *known = true;
    if (lex_take(in->lx, "each")) {
        v->kind = KERN_EACH;
        if (!parse_operation(in, v)) return lex_fail(in->lx, "expected an operation");
        return parse_operands(in, v, loop_operand_count(v->op));
    }
    if (lex_take(in->lx, "shuffle")) return parse_shuffle(in, v);
    if (lex_take(in->lx, "table")) return parse_table(in, v);
    if (lex_take(in->lx, "first")) {
        v->kind = KERN_FIRST;
        return kern_read_operand(in, v->dtype, true, &v->args[0]);
    }
    bool scales = lex_take(in->lx, "scale");
    *known = scales || lex_take(in->lx, "halves");
    if (*known) v->kind = scales ? KERN_SCALE : KERN_HALVES;
    return *known ? parse_operands(in, v, 2) : FE_OK;
}

fe_status kern_read_expression(kern_reader *in, kern_value *v)
{
    bool is_load = lex_take(in->lx, "load"), is_index = !is_load && lex_take(in->lx, "index");
    v->kind = is_load ? KERN_LOAD : is_index ? KERN_NUMBER : KERN_APPLY;
    if (is_load && lex_take(in->lx, "lane")) return parse_lane(in, v, KERN_UNIT);
    if (is_load) return parse_load(in, v);
    if (is_index) {
        FE_TRY(parse_access(in, v));
        FE_TRY(kern_read_index(in, &v->index));
        return kern_read_count(in, &v->count);
    }
    if (!in->function && lex_take(in->lx, "below")) {
        v->kind = KERN_BELOW;
        return kern_read_index(in, &v->index);
    }
    if (lex_take(in->lx, "splat")) {
        v->kind = KERN_SPLAT;
        return kern_read_operand(in, v->dtype, false, &v->args[0]);
    }
    if (lex_take(in->lx, "result")) {
        v->kind = KERN_RESULT;
        return kern_read_numbered(in, 'a', in->k->sums.count, "an accumulator", &v->sum);
    }
    if (lex_take(in->lx, "call")) return parse_call(in, v);
    if (!in->function && lex_take(in->lx, "read")) return parse_read(in, v);
    if (!in->function && lex_take(in->lx, "lane")) return parse_lane(in, v, KERN_ONE);
    if (!in->function && lex_take(in->lx, "join")) return parse_join(in, v);
    if (!in->function && lex_take(in->lx, "any")) {
        v->kind = KERN_ANY;
        return kern_read_operand(in, v->dtype, true, &v->args[0]);
    }
    if (!in->function && lex_take(in->lx, "half")) return parse_half(in, v);
    if (lex_take(in->lx, "fused")) {
        v->kind = KERN_FUSED;
        return parse_operands(in, v, 3);
    }
    bool known = false;
    if (in->function) FE_TRY(parse_machine(in, v, &known));
    if (known) return FE_OK;
    if (!parse_operation(in, v)) return lex_fail(in->lx, "expected an operation");
    return parse_apply(in, v);
}

/* A number that no value has. */
static fe_status parse_number(kern_reader *in, kern_ref *ref)
{
    bool is_value =
        in->lx->token.kind == LEX_NAME && kern_is_numbered(in->lx->token.text, 'v', ref);
    if (!is_value) return lex_fail(in->lx, "expected a value");
    if (is_defined(in, *ref)) return lex_fail(in->lx, "the value is defined twice");
    if (*ref == 0 || *ref >= MOST_VALUES)
        return lex_fail(in->lx, "values have numbers from 1 to %d", MOST_VALUES - 1);
    lex_next(in->lx);
    return FE_OK;
}

static void add_value(kern_reader *in, kern_ref ref, kern_value v)
{
    while (in->k->values.count <= ref) vec_push(in->memory, &in->k->values, (kern_value){0});
    in->k->values.at[ref] = v;
    (void)kern_value_symbol(in->k, ref); /* before an index names it */
}

fe_status kern_read_given(kern_reader *in, kern_value v, kern_ref *ref)
{
    FE_TRY(parse_number(in, ref));
    add_value(in, *ref, v);
    return FE_OK;
}

fe_status kern_read_variable(kern_reader *in)
{
    kern_value v = {.kind = KERN_VARIABLE, .level = in->depth, .copies = 1};
    int64_t copies = 1;
    kern_ref ref;
    FE_TRY(parse_number(in, &ref));
    FE_TRY(lex_expect(in->lx, ":"));
    FE_TRY(kern_read_type(in, &v.dtype, &v.vector));
    if (lex_take(in->lx, "copies")) FE_TRY(lex_int(in->lx, &copies));
    if (copies < 1 || copies > KERN_MOST_COPIES)
        return lex_fail(in->lx, "expected a number from 1 to %d", KERN_MOST_COPIES);
    v.copies = (uint32_t)copies;
    FE_TRY(lex_expect(in->lx, "="));
    FE_TRY(kern_read_operand(in, v.dtype, v.vector, &v.args[0]));
    add_value(in, ref, v);
    kern_read_into(in, (kern_item){.kind = KERN_DEFINE, .value = ref});
    return FE_OK;
}

fe_status kern_read_define(kern_reader *in)
{
    kern_value v = {.level = in->depth};
    kern_ref ref;
    FE_TRY(parse_number(in, &ref));
    FE_TRY(lex_expect(in->lx, ":"));
    FE_TRY(kern_read_type(in, &v.dtype, &v.vector));
    FE_TRY(lex_expect(in->lx, "="));
    FE_TRY(kern_read_expression(in, &v));
    add_value(in, ref, v);
    kern_read_into(in, (kern_item){.kind = KERN_DEFINE, .value = ref});
    return FE_OK;
}
