/* read.c -- a kernel from its text. Every operation has the same parts, operands, words, attributes and
 * types, in an order that its form tells; what they mean is for who lowers it.
 */
#include "ttir/ttir.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TYPES = TTIR_MOST_TYPES };

typedef enum op_form { PLAIN, REGION, FOR, IF, WHILE, BRANCH } op_form;
typedef enum op_result { NONE, LAST, FIRST, BOOL, POINTS } op_result;

typedef struct op_row {
    const char *name;
    op_form form;
    op_result result;
    uint32_t operands;
} op_row;

static const op_row ROWS[TTIR_CODE_COUNT] = {
#define TTIR(id, name, form, operands, result, rule, parameter) \
    [TTIR_##id] = {name, form, result, operands},
#include "ttir/ttir.def"
};

const char *ttir_name(ttir_code code)
{
    return ROWS[code].name;
}

const ttir_attribute *ttir_find(const ttir_op *op, const char *name)
{
    for (uint32_t k = 0; k < op->attribute_count; k++)
        if (strcmp(op->attributes[k].name, name) == 0) return &op->attributes[k];
    return NULL;
}

int64_t ttir_integer(const ttir_op *op, const char *name, int64_t fallback)
{
    const ttir_attribute *a = ttir_find(op, name);
    return a && a->count ? a->integers[0] : fallback;
}

/* ---- values ---- */

static ttir_value new_value(ttir_reader *in, ttir_type type)
{
    vec_push(in->memory, &in->kernel->types, type);
    vec_push(in->memory, &in->kernel->uses, 0);
    return in->kernel->types.count - 1;
}

static void name_value(ttir_reader *in, const char *name, ttir_value v)
{
    map_set(in->memory, &in->values, MAP_KEY(name), v);
}

/* %name or %name#2 */
ttir_value ttir_used_value(ttir_reader *in)
{
    ttir_expect(in, "%");
    const char *name = ttir_word(in);
    uint32_t v = map_get(&in->values, MAP_KEY(name));
    if (*in->at == '#') {
        char *end;
        v += v == MAP_NONE ? 0 : (uint32_t)strtoul(in->at + 1, &end, 10);
        in->at++;
        ttir_word(in);
    }
    if (v < in->kernel->types.count) return in->kernel->uses.at[v]++, v;
    ttir_fail(in, "its text: %%%s has not been defined", name);
    return 0;
}

/* ---- attributes ---- */

void ttir_add_integer(ttir_reader *in, ttir_attribute *a, const char *word)
{
    int64_t *integers = NEW_ARRAY(in->memory, int64_t, a->count + 1);
    if (a->count) memcpy(integers, a->integers, a->count * sizeof *integers);
    integers[a->count++] = strtoll(word, NULL, 10);
    a->integers = integers;
}

/* array<i32: 1, 0> */
static void read_array(ttir_reader *in, ttir_attribute *a)
{
    ttir_word(in);
    ttir_take(in, ":");
    while (!in->fault && !ttir_take(in, ">")) {
        const char *word = ttir_word(in);
        if (!*word) ttir_fail(in, "its text: a number expected before '%.20s'", in->at);
        ttir_add_integer(in, a, word);
        ttir_take(in, ",");
    }
}

static void read_attribute_value(ttir_reader *in, ttir_attribute *a)
{
    if (ttir_sees(in, "\"")) {
        a->text = ttir_string(in);
    } else if (ttir_take(in, "array<")) {
        read_array(in, a);
    } else if (ttir_sees(in, "[") || ttir_sees(in, "#") || ttir_sees(in, "dense<")) {
        in->at += strcspn(in->at, "[<,}");
        if (*in->at == '[' || *in->at == '<') ttir_skip_brackets(in);
    } else {
        a->text = ttir_word(in);
        if ((*a->text >= '0' && *a->text <= '9') || *a->text == '-')
            ttir_add_integer(in, a, a->text);
    }
    if (ttir_take(in, ":")) ttir_read_type(in);
}

/* { name = value : type, ... } */
void ttir_read_attributes(ttir_reader *in, ttir_parts *parts)
{
    ttir_expect(in, "{");
    while (!in->fault && !ttir_take(in, "}")) {
        ttir_attribute a = {.name = ttir_sees(in, "\"") ? ttir_string(in) : ttir_word(in)};
        if (!*a.name) ttir_fail(in, "its text: an attribute expected before '%.20s'", in->at);
        if (ttir_take(in, "=")) read_attribute_value(in, &a);
        vec_push(in->memory, &parts->attributes, a);
        ttir_take(in, ",");
    }
    ttir_take(in, ">");
}

/* ---- operations ---- */

ttir_value ttir_named_argument(ttir_reader *in, ttir_block *block, const char *name, ttir_type type)
{
    ttir_value v = new_value(in, type);
    name_value(in, name, v);
    ttir_value *arguments = NEW_ARRAY(in->memory, ttir_value, block->argument_count + 1);
    if (block->argument_count)
        memcpy(arguments, block->arguments, block->argument_count * sizeof *arguments);
    arguments[block->argument_count++] = v;
    block->arguments = arguments;
    return v;
}

/* (%a: type {attributes} loc(...), ...) */
void ttir_read_arguments(ttir_reader *in, ttir_block *block)
{
    ttir_parts ignored = {0};
    ttir_expect(in, "(");
    while (!in->fault && !ttir_take(in, ")")) {
        ttir_expect(in, "%");
        const char *name = ttir_word(in);
        ttir_expect(in, ":");
        ttir_named_argument(in, block, name, ttir_read_type(in));
        if (ttir_sees(in, "{")) ttir_read_attributes(in, &ignored);
        ttir_place(in);
        ttir_take(in, ",");
    }
}

static bool is_at_line_end(const ttir_reader *in)
{
    return in->at[strspn(in->at, " \t\r")] == '\n';
}

/* Operands, words and attributes, up to the types or the end of the line. */
static void read_plain(ttir_reader *in, ttir_parts *parts)
{
    while (!in->fault && !is_at_line_end(in) && !ttir_sees(in, ":") && !ttir_sees(in, "loc(") &&
           *in->at) {
        if (*in->at == '%') {
            vec_push(in->memory, &parts->operands, ttir_used_value(in));
        } else if (*in->at == '{' || ttir_take(in, "<{")) {
            in->at -= *in->at != '{';
            ttir_read_attributes(in, parts);
        } else if (strchr(",=<>()[]", *in->at)) {
            in->at++;
        } else if (*in->at == '}') { /* the region ends */
            return;
        } else {
            const char *word = ttir_word(in);
            if (!*word) ttir_fail(in, "its text: '%.20s' is not understood", in->at);
            vec_push(in->memory, &parts->words, word);
        }
    }
}

static uint32_t read_parts(ttir_reader *in, ttir_parts *parts, op_form form, ttir_type *types,
                           uint32_t *first_result)
{
    *first_result = 0;
    if (form == FOR) return ttir_read_for(in, parts, types);
    if (form == IF) return ttir_read_if(in, parts, types);
    if (form == WHILE) return ttir_read_while(in, parts, types);
    if (form == BRANCH) return ttir_read_branch(in, parts), 0;
    if (form == REGION) {
        ttir_expect(in, "(");
        while (!in->fault && !ttir_take(in, ")")) {
            vec_push(in->memory, &parts->operands, ttir_used_value(in));
            ttir_take(in, ",");
        }
        if (ttir_take(in, "<")) ttir_read_attributes(in, parts);
        ttir_read_region(in, parts);
    } else {
        read_plain(in, parts);
    }
    return ttir_take(in, ":") ? ttir_read_types(in, types, MOST_TYPES, first_result) : 0;
}

/* Where the text names none: by what the row says of the types that stand there. */
static ttir_type result_type(op_result rule, const ttir_type *types, uint32_t count)
{
    ttir_type t = types[rule == FIRST || rule == BOOL || rule == POINTS ? 0 : count - 1];
    if (rule == BOOL) t.dtype = TY_BOOL;
    if (rule == POINTS || rule == BOOL) t.is_pointer = false;
    return t;
}

/* The names in front of `=`: a result each, `%a:3` for three. */
static uint32_t read_results(ttir_reader *in, ttir_parts *parts)
{
    while (!in->fault && ttir_take(in, "%")) {
        vec_push(in->memory, &parts->results, ttir_word(in));
        uint32_t more = ttir_take(in, ":") ? (uint32_t)strtoul(ttir_word(in), NULL, 10) : 1;
        if (more > MOST_TYPES) ttir_fail(in, "its text: %u results", more);
        while (more-- > 1) vec_push(in->memory, &parts->results, "");
        ttir_take(in, ",");
    }
    if (parts->results.count) ttir_expect(in, "=");
    return parts->results.count;
}

static ttir_code read_name(ttir_reader *in)
{
    const char *begin = in->at, *name = ttir_sees(in, "\"") ? ttir_string(in) : ttir_word(in);
    for (uint32_t k = 1; k < TTIR_CODE_COUNT; k++)
        if (strcmp(ROWS[k].name, name) == 0) return (ttir_code)k;
    in->at = begin;
    const char *place = ttir_place_ahead(in);
    ttir_fail(in, "%s%s%s", *name ? name : "its text", *place ? " at " : "", place);
    return TTIR_NOTHING;
}

static void give_results(ttir_reader *in, ttir_op *op, const ttir_parts *parts,
                         const ttir_type *types, uint32_t count, uint32_t first)
{
    static const ttir_type BOOLEAN = {.dtype = TY_BOOL};
    op_result rule = ROWS[op->code].result;
    op->result_count = parts->results.count;
    if (!count && op->code == TTIR_CONSTANT) /* `true` stands without a type */
        types = &BOOLEAN, count = 1, first = 0;
    bool is_told = count - first == op->result_count, is_one = count - first == 1; /* of all */
    if (!count || (!is_told && !is_one && op->result_count != 1)) {
        ttir_fail(in, "its text: %s at %s has %u results and %u types", ROWS[op->code].name,
                  op->place, op->result_count, count - first);
        return;
    }
    for (uint32_t k = 0; k < op->result_count; k++) {
        bool is_there = is_told || is_one;
        ttir_type type =
            is_there ? types[is_one ? first : first + k] : result_type(rule, types, count);
        ttir_value v = new_value(in, type);
        if (!k) op->result = v;
        if (*parts->results.at[k]) name_value(in, parts->results.at[k], v);
    }
}

/* What every rule counts on. */
static void check_op(ttir_reader *in, const ttir_op *op)
{
    const op_row *row = &ROWS[op->code];
    bool is_short = op->operand_count < row->operands || (row->result != NONE && !op->result_count);
    if (is_short)
        ttir_fail(in, "its text: %s at %s lacks operands or results", row->name, op->place);
    for (uint32_t k = 0; k < op->result_count; k++)
        if (in->kernel->types.at[op->result + k].dtype == TY_NO_DTYPE)
            ttir_fail(in, "%s at %s: a type that is not supported", row->name, op->place);
}

/* ^name(%a: type, ...): */
static void read_label(ttir_reader *in, ttir_block *block)
{
    ttir_op op = {.code = TTIR_LABEL, .word_count = 1, .region_count = 1, .place = ""};
    op.words = NEW(in->memory, const char *);
    op.regions = NEW(in->memory, ttir_block);
    op.words[0] = ttir_word(in);
    if (ttir_sees(in, "(")) ttir_read_arguments(in, op.regions);
    ttir_expect(in, ":");
    vec_push(in->memory, &block->ops, op);
}

static void read_op(ttir_reader *in, ttir_block *block)
{
    if (ttir_take(in, "^")) {
        read_label(in, block);
        return;
    }
    ttir_parts parts = {0};
    ttir_type types[MOST_TYPES];
    uint32_t first = 0;
    read_results(in, &parts);
    ttir_op op = {.code = read_name(in)};
    if (in->fault) return;
    uint32_t count = read_parts(in, &parts, ROWS[op.code].form, types, &first);
    if (ttir_sees(in, "{")) ttir_read_attributes(in, &parts);
    op.place = ttir_place(in);
    op.operands = parts.operands.at;
    op.operand_count = parts.operands.count;
    op.words = parts.words.at;
    op.word_count = parts.words.count;
    op.attributes = parts.attributes.at;
    op.attribute_count = parts.attributes.count;
    op.regions = parts.regions.at;
    op.region_count = parts.regions.count;
    if (parts.results.count) give_results(in, &op, &parts, types, count, first);
    check_op(in, &op);
    vec_push(in->memory, &block->ops, op);
}

void ttir_read_ops(ttir_reader *in, ttir_block *block)
{
    while (!in->fault && !ttir_sees(in, "}") && *in->at) read_op(in, block);
}

/* tt.func public @name(...) attributes {...} { ... } */
static void read_function(ttir_reader *in)
{
    ttir_parts ignored = {0};
    in->kernel = NEW(in->memory, ttir_kernel);
    new_value(in, (ttir_type){0});
    ttir_expect(in, "@");
    in->kernel->name = ttir_sees(in, "\"") ? ttir_string(in) : ttir_word(in);
    ttir_read_arguments(in, &in->kernel->body);
    if (ttir_take(in, "attributes")) ttir_read_attributes(in, &ignored);
    ttir_expect(in, "{");
    ttir_read_ops(in, &in->kernel->body);
    ttir_expect(in, "}");
}

static void note_makers(ttir_kernel *kernel, const ttir_block *block)
{
    for (uint32_t k = 0; k < block->ops.count; k++) {
        const ttir_op *op = &block->ops.at[k];
        for (uint32_t r = 0; r < op->result_count; r++) kernel->makers[op->result + r] = op;
        for (uint32_t r = 0; r < op->region_count; r++) note_makers(kernel, &op->regions[r]);
    }
}

ttir_kernel *ttir_read(fe_session *s, arena *memory, const char *source, const char **fault)
{
    static const char HEAD[] = "tt.func public ";
    ttir_reader in = {.session = s, .memory = memory, .at = source};
    ttir_list_places(&in);
    in.at = strstr(source, HEAD);
    if (!in.at) {
        *fault = "its text: it has no public function";
        return NULL;
    }
    in.at += strlen(HEAD);
    read_function(&in);
    *fault = in.fault;
    if (in.fault) return NULL;
    in.kernel->makers = NEW_ARRAY(memory, const ttir_op *, in.kernel->types.count);
    note_makers(in.kernel, &in.kernel->body);
    return in.kernel;
}
