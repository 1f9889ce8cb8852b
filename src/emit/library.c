/* library.c -- the kernels of a program, and the runtime operators that it calls, as C without the
 * program around them (rt_library.h): what targets call that are not C.
 */
#include "emit/c.h"

/* Names that some lines call, once each, in order of first appearance. */
typedef struct name_set {
    VEC(const char *) all;
    VEC(const char *) functions; /* of operators: what they are called in the runtime */
    map seen;
} name_set;

static void add_name(emit_state *s, name_set *set, const char *name)
{
    const char *known = intern(s->w->session, name);
    if (map_get(&set->seen, MAP_KEY(known)) != MAP_NONE) return;
    map_set(s->memory, &set->seen, MAP_KEY(known), set->all.count);
    vec_push(s->memory, &set->all, known);
}

/* By its name, as the function of that type where calls of it have one alone. */
static void add_operator(emit_state *s, name_set *set, const loop_op *op)
{
    const char *name = intern(s->w->session, op->kernel),
               *function = intern(s->w->session, emit_operator(s, op));
    uint32_t at = map_get(&set->seen, MAP_KEY(name));
    add_name(s, set, name);
    if (at == MAP_NONE)
        vec_push(s->memory, &set->functions, function);
    else if (set->functions.at[at] != function)
        set->functions.at[at] = name;
}

static void print_table(emit_state *s, const char *table, const char *prefix, const name_set *set)
{
    text_printf(&s->out, "\nstatic const rt_function %s[] = {\n", table);
    for (uint32_t i = 0; i < set->all.count; i++)
        text_printf(&s->out, "    {\"%s\", (void (*)(void))%s%s},\n", set->all.at[i], prefix,
                    i < set->functions.count ? set->functions.at[i] : set->all.at[i]);
    text_add(&s->out, "    {0, 0}};\n");
}

void emit_library(const emit_input *input, arena *memory, emit_file **files, uint32_t *file_count)
{
    emit_state state = {.input = input, .w = input->wrapper, .memory = memory}, *s = &state;
    name_set kernels = {0}, operators = {0}, customs = {0};
    text_init(&s->out, memory);
    text_printf(&s->out, "/* What %s calls, made by %s. */\n#include \"rt_library.h\"\n\n",
                s->w->name, input->producer);
    for (uint32_t k = 0; k < input->kernel_count; k++)
        add_name(s, &kernels, input->kernels[k].name);
    for (uint32_t i = 0; i < s->w->lines.count; i++) {
        const wrap_line *line = &s->w->lines.at[i];
        if (line->kind != WRAP_EXTERN) continue;
        if (line->op->callee && line->op->callee->library)
            add_name(s, &customs, line->op->callee->symbol);
        else if (line->op->callee) /* the host has it */
            continue;
        else
            add_operator(s, &operators, line->op);
    }
    emit_c_declare_kernels(s);
    emit_c_custom_head(s);
    print_table(s, "kernels", "", &kernels);
    print_table(s, "operators", "rt_op_", &operators);
    print_table(s, "customs", "", &customs);
    text_printf(&s->out,
                "\nstatic const rt_library library = {\n    .version = RT_LIBRARY_VERSION,\n"
                "    .struct_bytes = sizeof(rt_library),\n    .kernels = kernels,\n"
                "    .operators = operators,\n    .customs = customs,\n    .kernel_count = %u,\n"
                "    .operator_count = %u,\n    .custom_count = %u,\n"
                "    .weights_key = 0x%016llxull,\n    .services = &rt_services_here,\n    .isa = "
                "\"%s\",\n};\n\n"
                "const rt_library *ferrite_library(void)\n"
                "{\n    return rt_library_open(&library);\n}\n",
                kernels.all.count, operators.all.count, customs.all.count,
                (unsigned long long)input->weights_key, input->vectors);
    vec_push(memory, &s->files, (emit_file){"library.c", s->out.at, s->out.length, false});
    emit_c_kernel_files(s);
    *files = s->files.at;
    *file_count = s->files.count;
}
