/* Nodes behind lines: none is lost in any recorded program, names are escaped, compiles do not mix. */
#include "archives.h"

#include <json-c/json.h>
#include <string.h>

static json_object *provenance_of(driver_program *d)
{
    text out;
    text_init(&out, d->memory);
    provenance_print(d, &out);
    return json_tokener_parse(out.at);
}

static json_object *member(json_object *o, const char *name)
{
    json_object *found = NULL;
    json_object_object_get_ex(o, name, &found);
    return found;
}

static fe_status names_nodes(fe_session *session, driver_program *d)
{
    json_object *all = provenance_of(d), *lines = member(all, "lines");
    (void)session;
    EXPECT(all != NULL);
    for (size_t i = 0; lines && i < json_object_array_length(lines); i++) {
        json_object *line = json_object_array_get_idx(lines, i), *nodes = member(line, "nodes");
        bool is_named = json_object_array_length(nodes) > 0;
        if (!is_named) EXPECT_TEXT(json_object_to_json_string(line), d->options.input);
        for (size_t k = 0; k < json_object_array_length(nodes); k++) {
            json_object *node = member(member(all, "nodes"),
                                       json_object_get_string(json_object_array_get_idx(nodes, k)));
            const char *op = json_object_get_string(member(node, "op"));
            EXPECT(op != NULL);
            EXPECT(member(node, "exported") != NULL || (op && strcmp(op, "output") == 0));
        }
    }
    json_object_put(all);
    return FE_OK;
}

TEST(every_call_of_every_program_comes_from_nodes_that_were_exported)
{
    unit_each_archive(STAGE_WRAP, names_nodes);
}

static const char SOURCE[] = "graph main {\n"
                             "  placeholder %x user \"x\" : f32[4]\n"
                             "  %relu = aten.relu.default(%x) : f32[4]\n"
                             "  output (user %relu)\n"
                             "}\n";

static fe_status compile(fe_session *session, const char *module, driver_program **out)
{
    driver_options options = {.input = "p.fx", .bytes = SOURCE, .size = sizeof SOURCE - 1};
    arena *memory = arena_new(session);
    FE_TRY(driver_compile(session, &options, STAGE_PASS, memory, out));
    for (fx_node *n = (*out)->graph->first; n; n = n->next) {
        fx_origin *origin = NEW(memory, fx_origin);
        *origin = (fx_origin){.node = module, .module_path = module};
        n->origin = origin;
    }
    return driver_advance(*out, STAGE_LOWER, STAGE_EMIT);
}

static const char *module_of(json_object *all)
{
    return json_object_get_string(member(member(member(all, "nodes"), "relu"), "module"));
}

SESSION_TEST(names_of_any_bytes_stay_inside_json_and_comments)
{
    driver_program *d, *other;
    FE_TRY(compile(session, "a\"b\\ */ x(); /* \n\r\x01 caf\xc3\xa9 \xff\xc3", &d));
    FE_TRY(compile(session, "other", &other));
    json_object *all = provenance_of(d), *second = provenance_of(other);
    EXPECT_TEXT(module_of(all), "a\"b\\ */ x(); /* \n\r\x01 caf\xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_TEXT(module_of(second), "other");
    const char *note = strstr(d->whole.files[0].text, "/* relu (a\"b\\");
    const char *wanted = "/* relu (a\"b\\ * / x(); /*     caf\xc3\xa9 ?\?) */\n";
    EXPECT_TEXT(note ? arena_printf(d->memory, "%.*s", (int)strlen(wanted), note) : "none", wanted);
    json_object_put(all);
    json_object_put(second);
    driver_close(d);
    driver_close(other);
    return FE_OK;
}
