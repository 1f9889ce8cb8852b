/* provenance.c -- which nodes of the graph each line of the wrapper comes from, and which lines come of
 * each node, as JSON.
 *
 *     "lines": [{"line": 4, "does": "kernel", "kernel": "k_add_1b", "nodes": ["add"], "inlined": []}],
 *     "kernels": {"k_add_1b": {"lines": [4], "nodes": ["add"], "inlined": []}},
 *     "nodes": {"add": {"op": "aten.add.Tensor", "exported": "add_3", "module": "head",
 *                       "source": "model.py:12 in forward", "lines": [4], "kernels": ["k_add_1b"]}},
 *     "exported": {"add_3": {"lines": [4], "nodes": ["add"]}}
 *
 * Lines are numbered from 1, as they stand behind the tables of the wrapper. A node that has no nest and
 * no operator of its own was made part of those that read it, or is a view: it is inlined in their
 * lines. All is found anew from the program at hand.
 */
#include "driver/driver.h"

#include <string.h>

typedef VEC(uint32_t) number_list;

typedef struct provenance {
    driver_program *d;
    arena *memory;
    number_list *own;     /* by line: ids of the nodes that it was lowered from */
    number_list *inlined; /* by line */
    number_list *lines;   /* by node id */
    text *out;
} provenance;

static void add(provenance *p, number_list *to, uint32_t number)
{
    for (uint32_t i = 0; i < to->count; i++)
        if (to->at[i] == number) return;
    vec_push(p->memory, to, number);
}

static const fx_node *node_of(const provenance *p, uint32_t id)
{
    const fx_graph *g = p->d->graph;
    return g && id < g->by_id.count ? g->by_id.at[id] : NULL;
}

/* ---- lines to nodes ---- */

static void add_own(provenance *p, uint32_t line, uint32_t origin)
{
    if (!node_of(p, origin)) return;
    add(p, &p->own[line], origin);
    add(p, &p->lines[origin], line);
}

static void collect_line(provenance *p, uint32_t i)
{
    const wrap_line *line = &p->d->wrapper->lines.at[i];
    const sched_group *group = driver_group(p->d, line);
    if (line->op) add_own(p, i, line->op->origin);
    for (uint32_t ph = 0; group && ph < group->phase_count; ph++)
        for (uint32_t k = 0; k < group->phases[ph].nest_count; k++)
            add_own(p, i, group->phases[ph].nests[k].nest.origin);
}

bool provenance_has(const driver_program *d, uint32_t i, uint32_t origin)
{
    const wrap_line *line = &d->wrapper->lines.at[i];
    if (line->op && line->op->origin == origin) return true;
    const sched_group *group = driver_group(d, line);
    for (uint32_t ph = 0; group && ph < group->phase_count; ph++)
        for (uint32_t k = 0; k < group->phases[ph].nest_count; k++)
            if (group->phases[ph].nests[k].nest.origin == origin) return true;
    return false;
}

/* Nodes behind others first, so that what reads a node knows its lines. */
static void collect_inlined(provenance *p)
{
    for (const fx_node *n = p->d->graph ? p->d->graph->last : NULL; n; n = n->prev) {
        if (n->kind != FX_CALL || p->lines[n->id].count) continue;
        for (uint32_t u = 0; u < n->users.count; u++) {
            const number_list *from = &p->lines[n->users.at[u]->id];
            for (uint32_t i = 0; i < from->count; i++) {
                add(p, &p->lines[n->id], from->at[i]);
                add(p, &p->inlined[from->at[i]], n->id);
            }
        }
    }
}

static void collect(provenance *p)
{
    uint32_t lines = p->d->wrapper->lines.count, nodes = p->d->graph ? p->d->graph->by_id.count : 0;
    p->own = NEW_ARRAY(p->memory, number_list, lines + 1);
    p->inlined = NEW_ARRAY(p->memory, number_list, lines + 1);
    p->lines = NEW_ARRAY(p->memory, number_list, nodes + 1);
    for (uint32_t i = 0; i < lines; i++) collect_line(p, i);
    collect_inlined(p);
}

/* ---- as JSON ---- */

static void print_nodes(provenance *p, const char *key, const number_list *ids)
{
    text_printf(p->out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < ids->count; i++) {
        if (i) text_add(p->out, ", ");
        text_json(p->out, node_of(p, ids->at[i])->name);
    }
    text_char(p->out, ']');
}

static void print_numbers(provenance *p, const number_list *lines)
{
    text_add(p->out, "\"lines\": [");
    for (uint32_t i = 0; i < lines->count; i++)
        text_printf(p->out, "%s%u", i ? ", " : "", lines->at[i] + 1);
    text_char(p->out, ']');
}

const char *provenance_called(const wrap_line *line)
{
    if (line->call.kernel) return line->call.kernel;
    return line->kind == WRAP_EXTERN ? line->op->kernel : NULL;
}

static void print_lines(provenance *p)
{
    const wrap_program *w = p->d->wrapper;
    const char *between = "";
    text_add(p->out, "  \"lines\": [");
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        if (!provenance_called(line) && !p->own[i].count) continue;
        text_printf(p->out, "%s\n    {\"line\": %u, \"does\": \"%s\"", between, i + 1,
                    wrap_kind_name(line->kind));
        if (line->kind == WRAP_EXTERN) {
            text_add(p->out, ", \"operator\": ");
            text_json(p->out, line->op->callee ? line->op->callee->symbol : line->op->kernel);
        }
        if (line->call.kernel) text_printf(p->out, ", \"kernel\": \"%s\"", line->call.kernel);
        print_nodes(p, "nodes", &p->own[i]);
        print_nodes(p, "inlined", &p->inlined[i]);
        text_char(p->out, '}');
        between = ",";
    }
    text_add(p->out, "\n  ],\n");
}

static void join(provenance *p, number_list *to, const number_list *from)
{
    for (uint32_t i = 0; i < from->count; i++) add(p, to, from->at[i]);
}

/* Each once, where it is called first. */
static void print_kernels(provenance *p)
{
    const wrap_program *w = p->d->wrapper;
    map seen = {0};
    const char *between = "";
    text_add(p->out, "  \"kernels\": {");
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const char *name = w->lines.at[i].call.kernel;
        number_list lines = {0}, nodes = {0}, inlined = {0};
        uint64_t key = name ? hash_bytes(name, strlen(name), 0) : 0;
        if (!name || map_get(&seen, key) != MAP_NONE) continue;
        map_set(p->memory, &seen, key, 1);
        for (uint32_t k = i; k < w->lines.count; k++) {
            const char *other = w->lines.at[k].call.kernel;
            if (!other || strcmp(other, name) != 0) continue;
            add(p, &lines, k);
            join(p, &nodes, &p->own[k]);
            join(p, &inlined, &p->inlined[k]);
        }
        text_printf(p->out, "%s\n    \"%s\": {", between, name);
        print_numbers(p, &lines);
        print_nodes(p, "nodes", &nodes);
        print_nodes(p, "inlined", &inlined);
        text_char(p->out, '}');
        between = ",";
    }
    text_add(p->out, "\n  },\n");
}

static void print_fact(provenance *p, const char *key, const char *value)
{
    if (!value || !*value) return;
    text_printf(p->out, "\"%s\": ", key);
    text_json(p->out, value);
    text_add(p->out, ", ");
}

static void print_origin(provenance *p, const fx_node *n)
{
    const fx_origin *o = n->origin;
    print_fact(p, "op", n->op ? n->op->name : "output"); /* a copy into what is returned */
    if (!o) return;
    print_fact(p, "exported", o->node);
    print_fact(p, "exported_op", o->target);
    print_fact(p, "module", o->module_path);
    print_fact(p, "module_type", o->module_type);
    print_fact(p, "source", fx_origin_line(p->d->graph, o));
}

static void print_kernel_names(provenance *p, const number_list *lines)
{
    const wrap_program *w = p->d->wrapper;
    const char *between = "";
    text_add(p->out, ", \"kernels\": [");
    for (uint32_t i = 0; i < lines->count; i++) {
        const char *name = w->lines.at[lines->at[i]].call.kernel;
        bool is_new = name != NULL;
        for (uint32_t k = 0; k < i && is_new; k++) {
            const char *before = w->lines.at[lines->at[k]].call.kernel;
            is_new = !before || strcmp(before, name) != 0;
        }
        if (!is_new) continue;
        text_printf(p->out, "%s\"%s\"", between, name);
        between = ", ";
    }
    text_char(p->out, ']');
}

static void print_all_nodes(provenance *p)
{
    const char *between = "";
    text_add(p->out, "  \"nodes\": {");
    for (const fx_node *n = p->d->graph ? p->d->graph->first : NULL; n; n = n->next) {
        if (n->kind == FX_PLACEHOLDER) continue;
        text_printf(p->out, "%s\n    ", between);
        text_json(p->out, n->name);
        text_add(p->out, ": {");
        print_origin(p, n);
        print_numbers(p, &p->lines[n->id]);
        print_kernel_names(p, &p->lines[n->id]);
        text_char(p->out, '}');
        between = ",";
    }
    text_add(p->out, "\n  },\n");
}

/* ---- from what was exported ---- */

typedef struct exported {
    const char *name;
    number_list nodes, lines;
} exported;

static void print_exported(provenance *p)
{
    VEC(exported) all = {0};
    map places = {0};
    for (const fx_node *n = p->d->graph ? p->d->graph->first : NULL; n; n = n->next) {
        const char *name = n->kind == FX_CALL && n->origin ? n->origin->node : NULL;
        if (!name) continue;
        uint64_t key = hash_bytes(name, strlen(name), 0);
        uint32_t k = map_get(&places, key);
        if (k == MAP_NONE) {
            map_set(p->memory, &places, key, k = all.count);
            vec_push(p->memory, &all, (exported){.name = name});
        }
        add(p, &all.at[k].nodes, n->id);
        join(p, &all.at[k].lines, &p->lines[n->id]);
    }
    text_add(p->out, "  \"exported\": {");
    for (uint32_t k = 0; k < all.count; k++) {
        text_printf(p->out, "%s\n    ", k ? "," : "");
        text_json(p->out, all.at[k].name);
        text_add(p->out, ": {");
        print_numbers(p, &all.at[k].lines);
        print_nodes(p, "nodes", &all.at[k].nodes);
        text_char(p->out, '}');
    }
    text_add(p->out, "\n  }\n}\n");
}

void provenance_print(driver_program *d, text *out)
{
    provenance p = {.d = d, .memory = arena_new(d->session), .out = out};
    collect(&p);
    text_add(out, "{\n  \"program\": ");
    text_json(out, d->name);
    text_add(out, ",\n");
    print_lines(&p);
    print_kernels(&p);
    print_all_nodes(&p);
    print_exported(&p);
    arena_free(p.memory);
}

fe_status provenance_write(driver_program *d, const char *path)
{
    text out;
    text_init(&out, d->memory);
    provenance_print(d, &out);
    return file_write(d->session, path, out.at, out.length);
}
