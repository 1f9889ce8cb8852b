/* pt2.c -- src/pt2: archives that are made here, whole and damaged in every way, and the recorded
 * cases; symbols, weights, sample inputs; files of plain tensors.
 *
 * JSON is written with ' for a double quote and ` for a single one.
 */
#define _GNU_SOURCE
#include "pt2/pt2.h"
#include "pt2/tensor_file.h"
#include "unit.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* ---- archives ---- */

typedef struct record {
    const char *name; /* without the root folder */
    const char *text;
    size_t size;
    int method; /* of compression, as claimed */
} record;

#define TENSOR(dtype, sizes, strides, offset)                                              \
    "{'dtype': " dtype ", 'sizes': " sizes ", 'strides': " strides ", 'storage_offset': {" \
    "'as_int': " offset "}, 'device': {'type': 'cpu', 'index': null}, 'layout': 7, "       \
    "'requires_grad': false}"
#define S0                                                                                      \
    "{'as_expr': {'expr_str': 'Symbol(`s0`, positive=True, integer=True)', 'hint': {'as_int': " \
    "3}}}"
#define FOUR "{'as_int': 4}"
#define TWO "{'as_int': 2}"
#define ONE "{'as_int': 1}"

static const char MODEL[] =
    "{'graph_module': {'graph': {"
    "'inputs': [{'as_tensor': {'name': 'p_w'}}, {'as_tensor': {'name': 'x'}}, {'as_int': 7}],"
    "'outputs': [{'as_tensor': {'name': 'getitem'}}, {'as_none': true}],"
    "'nodes': ["
    "{'target': 'torch.ops.aten.add.Tensor', 'name': 'add', 'inputs': ["
    "{'name': 'self', 'arg': {'as_tensor': {'name': 'x'}}, 'kind': 1},"
    "{'name': 'other', 'arg': {'as_tensor': {'name': 'p_w'}}, 'kind': 1}],"
    "'outputs': [{'as_tensor': {'name': 'add'}}], 'metadata': {"
    "'stack_trace': '  File \\'net.py\\', line 12, in forward\\n    return x + w',"
    "'nn_module_stack': 'L__self__,,net.Net;L__self___fc,body.fc,torch.nn.Linear',"
    "'custom': '{\\'stage\\': \\'late, 2\\', \\'rank\\': 1, \\'deep\\': {\\'a\\': [1, 2]}}'}},"
    "{'target': 'torch.ops.aten.topk.default', 'name': 'topk', 'inputs': ["
    "{'name': 'self', 'arg': {'as_tensor': {'name': 'add'}}, 'kind': 1},"
    "{'name': 'k', 'arg': {'as_int': 2}, 'kind': 1}], 'outputs': ["
    "{'as_tensor': {'name': 'getitem'}}, {'as_tensor': {'name': 'topk_unused_1'}}],"
    "'metadata': {}}],"
    "'tensor_values': {"
    "'p_w': " TENSOR(
        "7", "[" FOUR "]", "[" ONE "]",
        "0") ","
             "'x': " TENSOR(
                 "7", "[" S0 ", " FOUR "]", "[" FOUR ", " ONE "]",
                 "0") ","
                      "'add': " TENSOR(
                          "7", "[" S0 ", " FOUR "]", "[" FOUR ", " ONE "]",
                          "0") ","
                               "'getitem': " TENSOR(
                                   "7", "[" S0 ", " TWO "]", "[" TWO ", " ONE "]",
                                   "0") ","
                                        "'topk_unused_1': " TENSOR(
                                            "5", "[" S0 ", " TWO "]", "[" TWO ", " ONE "]",
                                            "0") "},"
                                                 "'sym_int_values': {}, 'sym_bool_values': {}, "
                                                 "'is_single_tensor_return': false},"
                                                 "'signature': {'input_specs': ["
                                                 "{'parameter': {'arg': {'name': 'p_w'}, "
                                                 "'parameter_name': 'fc.w'}},"
                                                 "{'user_input': {'arg': {'as_tensor': {'name': "
                                                 "'x'}}}},"
                                                 "{'constant_input': {'name': 'n', 'value': "
                                                 "{'as_int': 7}}}], 'output_specs': ["
                                                 "{'user_output': {'arg': {'as_tensor': {'name': "
                                                 "'getitem'}}}},"
                                                 "{'user_output': {'arg': {'as_none': true}}}]},"
                                                 "'module_call_graph': [{'fqn': '', 'signature': "
                                                 "{'inputs': [], 'outputs': [], 'in_spec': "
                                                 "'[1]', 'out_spec': '[2]', 'forward_arg_names': "
                                                 "['x', 'n']}}]},"
                                                 "'opset_version': {'aten': 10}, "
                                                 "'range_constraints': {'s0': {'min_val': 2, "
                                                 "'max_val': 9}},"
                                                 "'schema_version': {'major': 8, 'minor': 20}, "
                                                 "'guards_code': ['s0 != 5']}";

static const char WEIGHTS[] =
    "{'config': {'fc.w': {'path_name': 'weight_0', 'is_param': true, 'use_pickle': false, "
    "'tensor_meta': " TENSOR("7", "[" FOUR "]", "[" ONE "]", "0") "}}}";

static const char *const READ_BACK =
    "symbols {\n"
    "  s0 in [0, 9] hint 3\n"
    "}\n"
    "graph main {\n"
    "  range s0 in [0, 9]\n"
    "  guard \"s0 != 5\"\n"
    "  inputs \"x\", \"n\"\n"
    "  in_spec \"[1]\"\n"
    "  out_spec \"[2]\"\n"
    "  placeholder %p_w param \"fc.w\" : f32[4]\n"
    "  placeholder %x user \"x\" : f32[s0,4]\n"
    "  placeholder %n constant_input \"n\" : int 7\n"
    "  %add = aten.add.Tensor(%x, %p_w, 1) : f32[s0,4]\n"
    "  %topk = aten.topk.default(%add, 2, -1, True, True) : (f32[s0,2], i64[s0,2])\n"
    "  %getitem = _operator.getitem(%topk, 0) : f32[s0,2]\n"
    "  output (user %getitem, user None)\n"
    "}\n";

/* The text with the first `from` in it replaced by `to`. NULL when there is none. */
static char *replace(arena *a, const char *source, const char *from, const char *to)
{
    const char *at = strstr(source, from);
    if (!at) return NULL;
    return arena_printf(a, "%.*s%s%s", (int)(at - source), source, to, at + strlen(from));
}

/* The same with its quotes; no replacement where from is NULL. */
static const char *edit(arena *a, const char *source, const char *from, const char *to)
{
    char *copy = from ? replace(a, source, from, to) : arena_strdup(a, source);
    for (char *c = copy; c && *c; c++) *c = *c == '\'' ? '"' : *c == '`' ? '\'' : *c;
    return copy;
}

static void put(text *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) text_char(out, (char)(value >> (8 * i)));
}

/* The 22 bytes that a local and a central header share: flags to the length of extra fields. In the
 * 64-bit form the sizes are all ones here and stand in an extra field. */
static void put_common(text *out, const record *r, size_t name_length, size_t extra, bool is_64)
{
    put(out, 0x0800, 2);
    put(out, (uint64_t)r->method, 2);
    put(out, 0, 4);
    put(out, crc32(0, (const Bytef *)r->text, (uInt)r->size), 4);
    put(out, is_64 ? UINT32_MAX : r->size, 4);
    put(out, is_64 ? UINT32_MAX : r->size, 4);
    put(out, name_length, 2);
    put(out, extra, 2);
}

static void put_central(text *out, const record *r, const char *name, size_t at, bool is_64)
{
    put(out, 0x02014b50, 4);
    put(out, 20, 2);
    put(out, 20, 2);
    put_common(out, r, strlen(name), is_64 ? 28 : 0, is_64);
    put(out, 0, 6); /* comment length, disk, attributes */
    put(out, 0, 4);
    put(out, is_64 ? UINT32_MAX : at, 4);
    text_add(out, name);
    if (!is_64) return;
    put(out, 1, 2);
    put(out, 24, 2);
    put(out, r->size, 8);
    put(out, r->size, 8);
    put(out, at, 8);
}

/* The ends of a directory of `size` bytes at `at`: 64-bit record and locator, then the plain one. */
static void put_end(text *out, uint32_t count, size_t size, size_t at, bool is_64)
{
    size_t end = out->length;
    if (is_64) {
        put(out, 0x06064b50, 4);
        put(out, 44, 8);
        put(out, 45, 2);
        put(out, 45, 2);
        put(out, 0, 8);
        put(out, count, 8);
        put(out, count, 8);
        put(out, size, 8);
        put(out, at, 8);
        put(out, 0x07064b50, 4);
        put(out, 0, 4);
        put(out, end, 8);
        put(out, 1, 4);
    }
    put(out, 0x06054b50, 4);
    put(out, 0, 4);
    put(out, is_64 ? UINT16_MAX : count, 2);
    put(out, is_64 ? UINT16_MAX : count, 2);
    put(out, is_64 ? UINT32_MAX : size, 4);
    put(out, is_64 ? UINT32_MAX : at, 4);
    put(out, 0, 2);
}

/* A zip of stored records, data aligned to 64 bytes as torch has it. */
static void write_zip(arena *a, const record *records, uint32_t count, bool is_64, text *out)
{
    text central;
    text_init(&central, a);
    text_init(out, a);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = arena_printf(a, "net/%s", records[i].name);
        size_t at = out->length, length = strlen(name);
        size_t fixed = 30 + length + (is_64 ? 20 : 0) + 4;
        size_t padding = (64 - (at + fixed) % 64) % 64;
        put(out, 0x04034b50, 4);
        put(out, 20, 2);
        put_common(out, &records[i], length, fixed - 30 - length + padding, is_64);
        text_add_n(out, name, length);
        if (is_64) {
            put(out, 1, 2);
            put(out, 16, 2);
            put(out, records[i].size, 8);
            put(out, records[i].size, 8);
        }
        put(out, 0x4246, 2);
        put(out, padding, 2);
        for (size_t k = 0; k < padding; k++) text_char(out, 'Z');
        text_add_n(out, records[i].text, records[i].size);
        put_central(&central, &records[i], name, at, is_64);
    }
    size_t directory = out->length;
    text_add_n(out, central.at, central.length);
    put_end(out, count, central.length, directory, is_64);
}

enum { FORMAT, VERSION, ORDER, JSON, CONFIG, WEIGHT, RECORDS };

static void sample_records(arena *a, record *r)
{
    static const float W[4] = {1, 2, 3, 4};
    const char *model = edit(a, MODEL, NULL, NULL), *config = edit(a, WEIGHTS, NULL, NULL);
    r[FORMAT] = (record){"archive_format", "pt2", 3, 0};
    r[VERSION] = (record){"archive_version", "0", 1, 0};
    r[ORDER] = (record){"byteorder", "little", 6, 0};
    r[JSON] = (record){"models/model.json", model, strlen(model), 0};
    r[CONFIG] = (record){"data/weights/model_weights_config.json", config, strlen(config), 0};
    r[WEIGHT] = (record){"data/weights/weight_0", (const char *)W, sizeof W, 0};
}

/* ---- reading them ---- */

/* What one reading gave. */
typedef struct result {
    fe_status status;
    pt2_archive *archive;
    fx_graph *graph;
    const char *said; /* the diagnostics */
} result;

static result read_file(fe_session *session, arena *memory, const char *path, op_registry *ops)
{
    result r = {0};
    text said;
    session->first_diag = session->last_diag = NULL;
    session->diag_count = 0;
    r.status = pt2_open(session, path, &r.archive);
    if (r.status == FE_OK && ops) pt2_use_ops(r.archive, ops);
    if (r.status == FE_OK) r.status = pt2_read(session, r.archive, NULL, memory, &r.graph);
    text_init(&said, memory);
    diag_print(session, &said);
    r.said = said.at;
    return r;
}

static result read_bytes(fe_session *session, arena *memory, const char *data, size_t size,
                         op_registry *ops)
{
    char path[] = "/tmp/ferrite-unit-XXXXXX";
    int fd = mkstemp(path);
    result r = {.status = FE_IO};
    if (!EXPECT(fd >= 0)) return r;
    EXPECT(write(fd, data, size) == (ssize_t)size);
    close(fd);
    r = read_file(session, memory, path, ops);
    unlink(path); /* the mapping stays */
    return r;
}

static result read_records(fe_session *session, arena *memory, const record *records,
                           op_registry *ops)
{
    text zip;
    write_zip(memory, records, RECORDS, false, &zip);
    return read_bytes(session, memory, zip.at, zip.length, ops);
}

/* The sample with one thing in its program, or in its weights' configuration, replaced. */
static result read_edited(fe_session *session, arena *memory, int which, const char *from,
                          const char *to)
{
    record records[RECORDS];
    sample_records(memory, records);
    const char *edited = edit(memory, which == JSON ? MODEL : WEIGHTS, from, to);
    if (!EXPECT(edited != NULL)) EXPECT_TEXT(from, "a part of the sample");
    if (!edited) return (result){0};
    records[which].text = edited;
    records[which].size = strlen(edited);
    return read_records(session, memory, records, NULL);
}

static const char *print(arena *memory, const fx_graph *g)
{
    text out;
    text_init(&out, memory);
    fx_print(g, &out);
    return out.at;
}

/* ---- whole archives ---- */

SESSION_TEST(pt2_reads_a_program)
{
    record records[RECORDS];
    arena *memory = arena_new(session);
    sample_records(memory, records);
    result r = read_records(session, memory, records, NULL);
    EXPECT_TEXT(r.said, "");
    if (EXPECT(r.status == FE_OK)) {
        EXPECT_TEXT(print(memory, r.graph), READ_BACK);
        EXPECT(fx_check(r.graph, "pt2") == FE_OK);
        const fx_origin *o = fx_find(r.graph, "add")->origin;
        EXPECT_TEXT(o->module_path, "body.fc");
        EXPECT_TEXT(o->module_type, "Linear");
        EXPECT_TEXT(o->tags, "stage:late, 2\nrank:1\ndeep:{\"a\": [1, 2]}");
        EXPECT_TEXT(fx_origin_line(r.graph, o), "net.py:12 in forward");
        EXPECT_TEXT(fx_find(r.graph, "getitem")->origin->node, "getitem");
        const fx_data *bytes = fx_find(r.graph, "p_w")->data;
        const pt2_record *weight = pt2_find(r.archive, "data/weights/weight_0");
        EXPECT(weight && bytes->bytes == weight->data && bytes->size == 16); /* not copied */
        EXPECT(((const float *)(const void *)bytes->bytes)[3] == 4);
        EXPECT_INT(pt2_model_count(r.archive), 1);
        EXPECT_TEXT(pt2_model_name(r.archive, 0), "model");
    }
    pt2_close(r.archive);
    arena_free(memory);
    return FE_OK;
}

SESSION_TEST(pt2_reads_a_64_bit_directory)
{
    record records[RECORDS];
    text zip;
    arena *memory = arena_new(session);
    sample_records(memory, records);
    write_zip(memory, records, RECORDS, true, &zip);
    result r = read_bytes(session, memory, zip.at, zip.length, NULL);
    EXPECT_TEXT(r.said, "");
    if (EXPECT(r.status == FE_OK)) EXPECT_TEXT(print(memory, r.graph), READ_BACK);
    pt2_close(r.archive);
    arena_free(memory);
    return FE_OK;
}

/* Two programs in one archive: each is read by its name. */
SESSION_TEST(pt2_chooses_a_model)
{
    record records[RECORDS + 2];
    text zip;
    arena *memory = arena_new(session);
    fx_graph *g;
    sample_records(memory, records);
    records[RECORDS] = records[JSON];
    records[RECORDS].name = "models/other.json";
    records[RECORDS + 1] = records[CONFIG];
    records[RECORDS + 1].name = "data/weights/other_weights_config.json";
    write_zip(memory, records, RECORDS + 2, false, &zip);
    result r = read_bytes(session, memory, zip.at, zip.length, NULL);
    EXPECT_INT(r.status, FE_USAGE);
    EXPECT(strstr(r.said, "the archive holds several models: model, other\n"));
    EXPECT(pt2_read(session, r.archive, "other", memory, &g) == FE_OK);
    EXPECT(pt2_read(session, r.archive, "third", memory, &g) == FE_USAGE);
    EXPECT_TEXT(session->last_diag->message,
                "there is no model 'third'; the archive holds model, other");
    pt2_close(r.archive);
    arena_free(memory);
    return FE_OK;
}

SESSION_TEST(pt2_keeps_what_was_recorded)
{
    record records[RECORDS];
    arena *memory = arena_new(session);
    sample_records(memory, records);
    result r = read_records(session, memory, records, NULL);
    if (EXPECT(r.status == FE_OK)) {
        fx_node *topk = fx_find(r.graph, "topk");
        topk->value.items[1].tensor->dtype = TY_BOOL; /* as a mistaken inference would */
        topk->value = (fx_value){0};
        const fx_value *recorded = pt2_recorded_value(r.archive, topk);
        EXPECT(recorded && recorded->kind == FX_TUPLE && recorded->count == 2);
        EXPECT(recorded && recorded->items[1].tensor->dtype == TY_I64);
        fx_node *made = fx_emit(r.graph, topk, OP_aten_relu_default, topk, 1, &topk->args[0]);
        EXPECT(pt2_recorded_value(r.archive, made) == NULL);
    }
    pt2_close(r.archive);
    arena_free(memory);
    return FE_OK;
}

SESSION_TEST(pt2_knows_declared_operators)
{
    arena *memory = arena_new(session);
    op_registry *ops = op_registry_new(memory);
    const op_info *op;
    EXPECT(op_declare(ops, "mine::add(Tensor self, Tensor other, float s=2) -> Tensor", 0, &op) ==
           FE_OK);
    record records[RECORDS];
    sample_records(memory, records);
    records[JSON].text = edit(memory, MODEL, "aten.add.Tensor", "mine.add.default");
    records[JSON].size = strlen(records[JSON].text);
    result r = read_records(session, memory, records, ops);
    EXPECT_TEXT(r.said, "");
    if (r.status == FE_OK) EXPECT(fx_find(r.graph, "add")->op == op);
    pt2_close(r.archive);
    arena_free(memory);
    return FE_OK;
}

/* ---- damage ---- */

/* One thing wrong, and what is said about it (the beginning). */
static const struct damage {
    int record;
    const char *from, *to;
    const char *said;
} DAMAGES[] = {
    {JSON, "'as_int': 2}, 'kind'", "'as_whole': 2}, 'kind'",
     "error: pt2: expected one of as_tensor, as_int, as_ints, ..., found 'as_whole'\n"
     "  at models/model.json: graph_module.graph.nodes[1].inputs[1].arg\n"},
    {JSON, "'as_int': 2}, 'kind'", "'as_int': 'two'}, 'kind'",
     "error: pt2: expected an integer, found \"two\"\n"
     "  at models/model.json: graph_module.graph.nodes[1].inputs[1].arg.as_int\n"},
    {JSON, "'as_int': 2}, 'kind'", "'as_int': 99999999999999999999}, 'kind'", "error: pt2: "},
    {JSON, "'as_int': 2}, 'kind'", "'as_string': 'two'}, 'kind'",
     "error: pt2: this is no value for 'k' of aten::topk("},
    {JSON, "'as_int': 2}, 'kind'", "'as_int': 2, 'as_float': 2.0}, 'kind'",
     "error: pt2: expected an object of one member, found 'as_int' and 'as_float'\n"},
    {JSON, "{'name': 'add'}}, 'kind'", "{'name': 'getitem'}}, 'kind'",
     "error: pt2: the value 'getitem' is used before it is defined\n"
     "  at models/model.json: graph_module.graph.nodes[1].inputs[0].arg.as_tensor\n"},
    {JSON, "{'name': 'add'}}], 'metadata'", "{'name': 'x'}}], 'metadata'",
     "error: pt2: the value 'x' is defined twice\n"},
    {JSON, "{'name': 'add'}}], 'metadata'", "{'name': 'sum'}}], 'metadata'",
     "error: pt2: nothing is recorded for the value 'sum'\n"},
    {JSON, "'name': 'k'", "'name': 'q'", "error: pt2: aten::topk("},
    {JSON, "'name': 'k'", "'name': 'self'", "error: pt2: 'self' of aten::topk("},
    {JSON, ",{'name': 'k', 'arg': {'as_int': 2}, 'kind': 1}", "", "error: pt2: 'k' of aten::topk("},
    {JSON, ", {'as_tensor': {'name': 'topk_unused_1'}}", "",
     "error: pt2: these are not the outputs of aten::topk("},
    {JSON, "'outputs': [{'as_tensor': {'name': 'add'}}],", "", "error: pt2: the member 'outputs'"},
    {JSON, ", {'as_int': 7}],", "],",
     "error: pt2: the graph has 2 of these, its signature 3\n"
     "  at models/model.json: graph_module.graph.inputs\n"},
    {JSON, ", {'as_none': true}],", "],",
     "error: pt2: the graph has 1 of these, its signature 2\n"},
    {JSON, "{'arg': {'name': 'p_w'}", "{'arg': {'name': 'q_w'}", "error: pt2: the graph's input"},
    {JSON, "'parameter':", "'parametre':", "error: pt2: 'parametre' is no kind of input\n"},
    {JSON, "'fc.w'", "'fc.v'", "error: pt2: neither data/weights/model_weights_config.json nor"},
    {JSON, "'dtype': 7", "'dtype': 8",
     "error: pt2: weight 'fc.w' is f32[4], the program takes f64[4]\n"},
    {JSON, "'dtype': 7", "'dtype': 99", "error: pt2: there is no dtype 99\n"},
    {JSON, "'dtype': 7", "'dtype': 30",
     "error: pt2: weight 'fc.w' is f32[4], the program takes f8e5m2[4]\n"},
    {JSON, "'layout': 7", "'layout': 2", "error: pt2: tensors of layout 2 are not supported"},
    {JSON, "'type': 'cpu'", "'type': 'hpu'", "error: pt2: device type 'hpu' is not supported\n"},
    {JSON, "'strides': [" ONE "]", "'strides': []",
     "error: pt2: the tensor has 1 sizes and 0 strides\n"
     "  at models/model.json: graph_module.graph.tensor_values.p_w\n"},
    {JSON, "'sizes': [" FOUR "]", "'sizes': [{'as_int': -4}]", "error: pt2: -4 is negative\n"},
    {JSON, "'sizes': [" FOUR "]", "'sizes': [{'as_int': 9223372036854775807}]",
     "error: pt2: the tensor does not fit in any memory\n"},
    {JSON, "Symbol(`s0`,", "Symbol(s0,", "error: pt2: 'Symbol(s0, positive=True, integer=True)'"},
    {JSON, "'min_val': 2", "'min_val': 10", "error: pt2: no number is at least 10 and at most 9\n"},
    {JSON, "'major': 8", "'major': 9",
     "error: pt2: schema version 9.20 is not known; this ferrite reads 8.x\n"},
    {JSON, "'aten': 10", "'aten': 11", "error: pt2: operator set aten 11 is not known"},
    {JSON, "'graph_module': {", "'graph_module': [{", "error: pt2: malformed JSON at byte "},
    {JSON, "'guards_code'", "guards_code", "error: pt2: malformed JSON at byte "},
    {JSON, "'as_int': 2}, 'kind'", "'as_int': 2x}, 'kind'", "error: pt2: malformed JSON at byte "},
    {JSON, "'s0 != 5'", "'s0 \\u0000'", "error: pt2: the string holds a zero character\n"},
    {JSON, "'topk_unused_1': {'dtype': 5, 'sizes': [" S0,
     "'topk_unused_1': {'dtype': 5, 'sizes': [{'as_expr': {'expr_str': 'Symbol(`s7`, "
     "integer=True)', 'hint': null}}",
     "error: fx: aten.topk.default: its size s7 is one that no input has\n"},
    {JSON, "'nodes': [", "'nodes': 3, 'knots': [", "error: pt2: expected an array, found 3\n"},
    {JSON, "'tensor_values': {", "'tensor_values': [], 'x': {",
     "error: pt2: expected an object, found an array\n"},
    {CONFIG, "'sizes': [" FOUR "]", "'sizes': [{'as_int': 5}]",
     "error: pt2: weight 'fc.w' needs 20 bytes, record data/weights/weight_0 holds 16\n"
     "  at data/weights/model_weights_config.json: config[\"fc.w\"]\n"},
    {CONFIG, "'storage_offset': {'as_int': 0}", "'storage_offset': {'as_int': 1}",
     "error: pt2: weight 'fc.w' needs 20 bytes, record data/weights/weight_0 holds 16\n"},
    {CONFIG, "weight_0", "weight_9",
     "error: pt2: weight 'fc.w' is in the record data/weights/weight_9, which is missing\n"},
    {CONFIG, "'use_pickle': false", "'use_pickle': true",
     "error: pt2: weight 'fc.w' is pickled: a tensor subclass cannot be read without Python\n"},
    {CONFIG, "'fc.w'", "'fc.v'", "error: pt2: neither data/weights/model_weights_config.json nor"},
};

SESSION_TEST(pt2_says_what_is_wrong_and_where)
{
    for (size_t i = 0; i < COUNT_OF(DAMAGES); i++) {
        const struct damage *d = &DAMAGES[i];
        arena *memory = arena_new(session);
        result r = read_edited(session, memory, d->record, d->from, d->to);
        EXPECT(r.status == FE_CORRUPT || r.status == FE_UNSUPPORTED);
        EXPECT_INT(session->diag_count, 1);
        if (r.said && strncmp(r.said, d->said, strlen(d->said)) != 0) EXPECT_TEXT(r.said, d->said);
        pt2_close(r.archive);
        arena_free(memory);
    }
    return FE_OK;
}

#define DECLARE_IT \
    "  help: declare it in a library of your own (ferrite_ops.h), and give that with --ops\n"
SESSION_TEST(pt2_reports_all_unknown_operators)
{
    arena *memory = arena_new(session);
    record records[RECORDS];
    sample_records(memory, records);
    const char *one = replace(memory, MODEL, "aten.add.Tensor", "lib.first.default");
    records[JSON].text = edit(memory, one, "aten.topk.default", "lib.second.default");
    records[JSON].size = strlen(records[JSON].text);
    result r = read_records(session, memory, records, NULL);
    EXPECT_INT(r.status, FE_UNSUPPORTED);
    EXPECT_TEXT(r.said,
                "error: pt2: cannot read torch.ops.lib.first.default: this operator is not known\n"
                "  at models/model.json: graph_module.graph.nodes[0]\n"
                "  source net.py:12 in forward\n" DECLARE_IT
                "error: pt2: cannot read torch.ops.lib.second.default: this operator is not known\n"
                "  at models/model.json: graph_module.graph.nodes[1]\n" DECLARE_IT);
    pt2_close(r.archive);
    arena_free(memory);
    return FE_OK;
}

/* Whole records replaced. */
static const struct {
    int record;
    const char *text; /* NULL: the record is renamed */
    int method;
    const char *said;
} OTHERS[] = {
    {FORMAT, NULL, 0, "error: pt2: this zip is no .pt2 archive: it has no record archive_format\n"},
    {FORMAT, "pt3", 0, "error: pt2: archive format 'pt3' is not known\n"},
    {VERSION, "1", 0, "error: pt2: archive version 1 is not known; this ferrite reads 0\n"},
    {ORDER, "big", 0, "error: pt2: byte order 'big' is not supported\n"},
    {JSON, NULL, 0, "error: pt2: the archive holds no exported program (no models/*.json)\n"},
    {JSON, "", 0, "error: pt2: malformed JSON at byte 0: the text ends too early\n"},
    {JSON, "[1, 2]", 0, "error: pt2: expected an object, found an array\n"},
    {JSON, "null", 0, "error: pt2: expected an object, found null\n"},
    {JSON, "{\"a\": \"", 0, "error: pt2: malformed JSON at byte 6: a string does not end\n"},
    {CONFIG, NULL, 0, "error: pt2: neither data/weights/model_weights_config.json nor"},
    {CONFIG, "{}", 0, "error: pt2: the member 'config' is missing\n"},
    {WEIGHT, "1234", 0, "error: pt2: weight 'fc.w' needs 16 bytes, record"},
    {WEIGHT, "1234", 8,
     "error: pt2: cannot read the archive: record net/data/weights/weight_0: it is "
     "compressed; the records of a .pt2 are stored\n"},
};

SESSION_TEST(pt2_refuses_other_formats_by_name)
{
    for (size_t i = 0; i < COUNT_OF(OTHERS); i++) {
        arena *memory = arena_new(session);
        record records[RECORDS];
        sample_records(memory, records);
        record *changed = &records[OTHERS[i].record];
        if (OTHERS[i].text) {
            changed->text = OTHERS[i].text;
            changed->size = strlen(OTHERS[i].text);
        } else {
            changed->name = "other";
        }
        changed->method = OTHERS[i].method;
        result r = read_records(session, memory, records, NULL);
        EXPECT(r.status != FE_OK);
        EXPECT_INT(session->diag_count, 1);
        if (strncmp(r.said, OTHERS[i].said, strlen(OTHERS[i].said)) != 0)
            EXPECT_TEXT(r.said, OTHERS[i].said);
        pt2_close(r.archive);
        arena_free(memory);
    }
    return FE_OK;
}

/* The nesting that a reader could recurse over. */
SESSION_TEST(pt2_stops_at_deep_nesting)
{
    arena *memory = arena_new(session);
    text deep;
    text_init(&deep, memory);
    for (int i = 0; i < 100000; i++) text_char(&deep, '[');
    record records[RECORDS];
    sample_records(memory, records);
    records[JSON].text = deep.at;
    records[JSON].size = deep.length;
    result r = read_records(session, memory, records, NULL);
    EXPECT_TEXT(r.said, "error: pt2: malformed JSON at byte 400: too many containers inside each "
                        "other\n  at models/model.json\n");
    pt2_close(r.archive);

    text_init(&deep, memory);
    text_add(&deep, "Symbol(`s0`");
    for (int i = 0; i < 5000; i++) text_add(&deep, ", a=Add(Integer(");
    r = read_edited(session, memory, JSON, "Symbol(`s0`", deep.at);
    EXPECT_INT(r.status, FE_CORRUPT);
    pt2_close(r.archive);

    text_init(&deep, memory);
    for (int i = 0; i < 5000; i++) text_add(&deep, "Add(");
    text_add(&deep, "Symbol(`s0`");
    r = read_edited(session, memory, JSON, "Symbol(`s0`", deep.at);
    EXPECT(strstr(r.said, "the expression is nested too deeply"));
    pt2_close(r.archive);
    arena_free(memory);
    return FE_OK;
}

SESSION_TEST(pt2_survives_truncation_and_flipped_bytes)
{
    arena *outer = arena_new(session);
    record records[RECORDS];
    text zip;
    sample_records(outer, records);
    write_zip(outer, records, RECORDS, false, &zip);
    for (size_t i = 0; i < zip.length; i += 7) {
        arena *memory = arena_new(session);
        result r = read_bytes(session, memory, zip.at, i, NULL);
        if (i + 2 < zip.length) { /* the last two say that there is no comment */
            EXPECT(r.status == FE_CORRUPT);
            EXPECT_INT(session->diag_count, 1);
        }
        pt2_close(r.archive);

        zip.at[i] = (char)(zip.at[i] ^ (1 << i % 8));
        r = read_bytes(session, memory, zip.at, zip.length, NULL);
        zip.at[i] = (char)(zip.at[i] ^ (1 << i % 8));
        EXPECT((r.status == FE_OK) == (session->diag_count == 0)); /* padding may flip */
        EXPECT(r.status != FE_INTERNAL);
        pt2_close(r.archive);
        arena_free(memory);
    }
    arena_free(outer);
    return FE_OK;
}

/* Memory runs out at every step: the call unwinds, and closing leaves nothing behind. */
typedef struct hungry {
    const char *path;
    pt2_archive *archive;
} hungry;

static fe_status read_hungry(fe_session *session, void *data)
{
    hungry *h = data;
    fx_graph *g;
    FE_TRY(pt2_open(session, h->path, &h->archive));
    return pt2_read(session, h->archive, NULL, session->memory, &g);
}

TEST(pt2_leaves_nothing_behind_without_memory)
{
    const char *path = "test/cases/programs/tiny_bert.pt2";
    if (!file_exists(path)) return;
    int worked = 0, failed = 0;
    for (size_t limit = 200000; limit < 100u << 20; limit += limit / 3) {
        fe_session *session = session_new();
        hungry h = {.path = path};
        session->memory_limit = limit;
        fe_status status = session_guard(session, read_hungry, &h);
        EXPECT(status == FE_OK || status == FE_NO_MEMORY);
        worked += status == FE_OK;
        failed += status != FE_OK;
        pt2_close(h.archive);
        session_free(session);
    }
    EXPECT(worked > 0 && failed > 3);
}

/* ---- symbols ---- */

/* A size as SymPy writes it, and as we do. u<N> is an unknown integer. */
static const struct {
    const char *recorded, *ours;
} SIZES[] = {
    {"Integer(5)", "5"},
    {"Add(Symbol(`s0`, positive=True, integer=True), Integer(1))", "s0 + 1"},
    {"Mul(Integer(2), Symbol(`s0`, integer=True), Symbol(`u3`, integer=True))", "2*s0*u3"},
    {"Pow(Symbol(`s0`, integer=True), Integer(2))", "s0*s0"},
    {"FloorDiv(Symbol(`s0`, integer=True), Integer(2))", "s0 // 2"},
    {"Mul(Rational(1, 2), Symbol(`s0`, integer=True))", "u0"},
    {"FloorToInt(Mul(Rational(1, 2), Symbol(`s0`, integer=True)))", "s0 // 2"},
    {"PythonMod(Symbol(`s0`, integer=True), Integer(3))", "s0 % 3"},
    {"ModularIndexing(Symbol(`s0`, integer=True), Integer(2), Integer(4))", "(s0 // 2) % 4"},
    {"Max(Integer(1), Symbol(`u0`, integer=True))", "max(u0, 1)"},
    {"Min(Integer(1), Symbol(`u0`, integer=True))", "min(u0, 1)"},
    {"CeilToInt(IntTrueDiv(Symbol(`u3`, integer=True), Integer(2)))", "-((-u3) // 2)"},
    {"TruncToInt(IntTrueDiv(Symbol(`s0`, integer=True), Integer(2)))", "s0 // 2"},
    {"FloorToInt(Mul(Float(`1.5`, precision=53), ToFloat(Symbol(`s0`, integer=True))))",
     "s0 + s0 // 2"},
    {"TruncToInt(Mul(Float(`0.3`, precision=53), ToFloat(Symbol(`s0`, integer=True))))", "u0"},
    {"Mul(Integer(3), TruncToInt(Float(`0.3`, precision=53)))", "3*u0"},
    {"Piecewise(ExprCondPair(Integer(1), Equality(Symbol(`u0`, integer=True), Integer(1))), "
     "ExprCondPair(Integer(0), true))",
     "u1"},
    {"Symbol(`zuf0`, real=True)", "u0"},
    {"PowByNatural(Add(Symbol(`s0`, integer=True), Symbol(`u3`, integer=True)), Integer(60))",
     "u4"},
};

SESSION_TEST(pt2_reads_symbolic_sizes)
{
    for (size_t i = 0; i < COUNT_OF(SIZES); i++) {
        arena *memory = arena_new(session);
        text out;
        /* the size of the output that nobody uses */
        const char *to = arena_printf(memory,
                                      "'topk_unused_1': {'dtype': 5, 'sizes': [{'as_expr': "
                                      "{'expr_str': '%s', 'hint': null}}, ",
                                      SIZES[i].recorded);
        result r = read_edited(session, memory, JSON,
                               "'topk_unused_1': {'dtype': 5, 'sizes': [" S0 ", ", to);
        EXPECT_TEXT(r.said, "");
        if (r.status == FE_OK) {
            text_init(&out, memory);
            const ty_tensor *t = fx_find(r.graph, "topk")->value.items[1].tensor;
            sym_print(r.graph->symbols, t->sizes[0], &out);
            EXPECT_TEXT(out.at, SIZES[i].ours);
        }
        pt2_close(r.archive);
        arena_free(memory);
    }
    return FE_OK;
}

/* ---- recorded cases ---- */

static void each_case(fe_session *session, const char *pattern,
                      void (*visit)(arena *memory, const char *path, result *r))
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            arena *memory = arena_new(session);
            result r = read_file(session, memory, found.gl_pathv[i], NULL);
            EXPECT_TEXT(r.said, "");
            if (EXPECT(r.status == FE_OK)) visit(memory, found.gl_pathv[i], &r);
            pt2_close(r.archive);
            arena_free(memory);
        }
    globfree(&found);
}

/* The laws hold, every node that was exported has its record, and the printed text parses back to the
 * same. */
static void visit_case(arena *memory, const char *path, result *r)
{
    fx_graph *again;
    const char *printed = print(memory, r->graph);
    fe_session *session = r->graph->session;
    EXPECT(fx_check(r->graph, "pt2") == FE_OK);
    for (const fx_node *n = r->graph->first; n && n->kind != FX_OUTPUT; n = n->next)
        EXPECT(!n->origin || n->origin->node != n->name || pt2_recorded_value(r->archive, n));
    if (!EXPECT(fx_parse(session, memory, printed, strlen(printed), &again) == FE_OK))
        EXPECT_TEXT(session->last_diag->message, path);
    else
        EXPECT_TEXT(print(memory, again), printed);
}

SESSION_TEST(pt2_reads_the_recorded_cases)
{
    each_case(session, "test/cases/*/*.pt2", visit_case);
    each_case(session, "demo/*.pt2", visit_case);
    return FE_OK;
}

SESSION_TEST(pt2_ties_weights_that_share_a_record)
{
    const char *path = "test/cases/programs/tied_weights.pt2";
    arena *memory = arena_new(session);
    if (file_exists(path)) {
        result r = read_file(session, memory, path, NULL);
        uint32_t tied = 0;
        for (uint32_t i = 0; r.graph && i < r.graph->inputs.count; i++)
            for (uint32_t k = 0; k < i; k++)
                tied += r.graph->inputs.at[i]->data &&
                        r.graph->inputs.at[i]->data == r.graph->inputs.at[k]->data;
        EXPECT(r.status == FE_OK && tied > 0);
        pt2_close(r.archive);
    }
    arena_free(memory);
    return FE_OK;
}

static void visit_samples(arena *memory, const char *path, result *r)
{
    const pt2_sample *samples;
    const fx_graph *g = r->graph;
    uint32_t count, next = 0;
    const pt2_record *inputs = pt2_find(r->archive, "data/sample_inputs/model.pt");
    if (!inputs || inputs->size == 0) return;
    if (!EXPECT(pt2_sample_inputs(r->archive, NULL, g, memory, &samples, &count)))
        EXPECT_TEXT(path, "an archive whose sample inputs we read");
    else
        for (uint32_t i = 0; i < g->inputs.count; i++) {
            const fx_node *n = g->inputs.at[i];
            if (n->input_kind != FX_USER_INPUT && n->input_kind != FX_CONSTANT_INPUT) continue;
            const pt2_sample *s = &samples[next++];
            if (n->value.kind != FX_TENSOR) continue;
            EXPECT(s->kind == PT2_TENSOR && s->dtype == n->value.tensor->dtype &&
                   s->rank == n->value.tensor->rank);
        }
}

SESSION_TEST(pt2_reads_sample_inputs)
{
    each_case(session, "test/cases/programs/*.pt2", visit_samples);
    return FE_OK;
}

/* ---- files of tensors ---- */

static fe_status write_bytes(fe_session *session, const char *path, const char *data, size_t size)
{
    return file_write(session, path, data, size);
}

static const char *scratch_path(char path[32], const char *ending)
{
    strcpy(path, "/tmp/ferrite-unit-XXXXXX");
    int fd = mkstemp(path);
    if (fd >= 0) close(fd);
    unlink(path);
    return strcat(path, ending);
}

SESSION_TEST(tensor_files_come_back)
{
    static const float F[6] = {1, 2, 3, 4, 5, 6};
    static const int64_t I[1] = {7}, SHAPE[2] = {2, 3};
    static const uint8_t B[3] = {1, 0, 1};
    const tensor_entry tensors[] = {
        {"in.0", TY_BOOL, 1, (int64_t[]){3}, B, 3},
        {"in.1", TY_F32, 2, SHAPE, F, sizeof F},
        {"a \"name\"", TY_I64, 0, NULL, I, sizeof I},
        {"empty", TY_F64, 2, (int64_t[]){0, 3}, F, 0},
    };
    tensor_file file;
    char path[32];
    scratch_path(path, ".st");
    FE_TRY(safetensors_write(session, path, tensors, COUNT_OF(tensors)));
    FE_TRY(tensor_file_open(session, session->memory, path, &file));
    EXPECT_INT(file.count, COUNT_OF(tensors));
    for (size_t i = 0; i < COUNT_OF(tensors); i++) {
        const tensor_entry *t = tensor_file_find(&file, tensors[i].name);
        if (!EXPECT(t != NULL)) continue;
        EXPECT(t->dtype == tensors[i].dtype && t->rank == tensors[i].rank);
        EXPECT(t->bytes == tensors[i].bytes && memcmp(t->data, tensors[i].data, t->bytes) == 0);
        EXPECT(t->rank < 2 || t->shape[1] == 3);
        EXPECT((uintptr_t)t->data % ty_dtype_size(t->dtype) == 0);
    }
    EXPECT(tensor_file_find(&file, "in.9") == NULL);
    tensor_file_close(&file);
    unlink(path);

    scratch_path(path, ".npy");
    for (size_t i = 0; i < COUNT_OF(tensors); i++) {
        FE_TRY(npy_write(session, path, &tensors[i]));
        FE_TRY(tensor_file_open(session, session->memory, path, &file));
        const tensor_entry *t = &file.tensors[0];
        EXPECT(t->dtype == tensors[i].dtype && t->rank == tensors[i].rank);
        EXPECT(t->bytes == tensors[i].bytes && memcmp(t->data, tensors[i].data, t->bytes) == 0);
        tensor_file_close(&file);
    }
    unlink(path);
    return FE_OK;
}

#define NPY(header) "\x93NUMPY\x01\x00\x46\x00" header
static const struct {
    const char *data;
    size_t size;
    const char *said; /* "" when it reads */
} FILES[] = {
#define FILE_OF(text, said)          \
    {                                \
        text, sizeof(text) - 1, said \
    }
    FILE_OF("", "error: safetensors: the file is no .safetensors, or ends inside its header\n"),
    FILE_OF("\xff\0\0\0\0\0\0\0{}", "error: safetensors: the file is no .safetensors, or ends"),
    FILE_OF("\2\0\0\0\0\0\0\0{}", ""),
    FILE_OF("\2\0\0\0\0\0\0\0{]", "error: safetensors: malformed JSON at byte 1"),
    FILE_OF("\x38\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}     "
            "1234",
            ""),
    FILE_OF(
        "\x38\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}   123",
        "error: safetensors: the tensor's data are not inside the file\n"),
    FILE_OF("\x38\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"U8\",\"shape\":[5],\"data_offsets\":[0,4]}}     "
            "1234",
            "error: safetensors: the tensor's shape and its 4 bytes of data do not fit\n"),
    FILE_OF("\x38\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"Q8\",\"shape\":[4],\"data_offsets\":[0,4]}}     "
            "1234",
            "error: safetensors: data type 'Q8' is not supported\n"),
    FILE_OF(
        NPY("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }          \n") "aabbccdd",
        ""),
    FILE_OF(
        NPY("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }          \n") "aabbccd",
        "error: npy: the file is shorter than its shape says\n"),
    FILE_OF(
        NPY("{'descr': '>i2', 'fortran_order': False, 'shape': (2, 2), }          \n") "aabbccdd",
        "error: npy: its data type is not supported\n"),
    FILE_OF(
        NPY("{'descr': '<i2', 'fortran_order': False, 'shape': (2, -2), }         \n") "aabbccdd",
        "error: npy: its shape cannot be read\n"),
    FILE_OF("\x93NUMPY\x01\x00\xff\xff", "error: npy: the file ends inside its header\n"),
    FILE_OF("\x93NUMPY\x07\x00\xff\xff", "error: npy: its .npy version is not known\n"),
};

SESSION_TEST(tensor_files_that_are_damaged)
{
    char path[32];
    scratch_path(path, ".bin");
    for (size_t i = 0; i < COUNT_OF(FILES); i++) {
        tensor_file file;
        text said;
        session->first_diag = session->last_diag = NULL;
        session->diag_count = 0;
        FE_TRY(write_bytes(session, path, FILES[i].data, FILES[i].size));
        fe_status status = tensor_file_open(session, session->memory, path, &file);
        text_init(&said, session->memory);
        diag_print(session, &said);
        EXPECT((status == FE_OK) == (*FILES[i].said == '\0'));
        if (strncmp(said.at, FILES[i].said, strlen(FILES[i].said)) != 0 ||
            (!*FILES[i].said && *said.at))
            EXPECT_TEXT(said.at, FILES[i].said);
        tensor_file_close(&file);
    }
    unlink(path);
    session->first_diag = session->last_diag = NULL;
    return FE_OK;
}

/* Column-major: the file has 1 3 / 2 4 for rows (1 2) (3 4). */
SESSION_TEST(npy_in_fortran_order)
{
    static const char DATA[] = NPY(
        "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }           \n") "\1\4\2\5\3\6";
    char path[32];
    tensor_file file;
    scratch_path(path, ".npy");
    FE_TRY(write_bytes(session, path, DATA, sizeof DATA - 1));
    FE_TRY(tensor_file_open(session, session->memory, path, &file));
    EXPECT(memcmp(file.tensors[0].data, "\1\2\3\4\5\6", 6) == 0);
    tensor_file_close(&file);
    unlink(path);
    return FE_OK;
}
