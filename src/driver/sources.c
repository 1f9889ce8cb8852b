/* sources.c -- what is shipped as C: a folder of sources that builds by itself, of one program or several. */
#include "driver/embed.h"
#include "driver/several.h"

#include <string.h>

static bool ends_with(const char *name, const char *end)
{
    size_t a = strlen(name), b = strlen(end);
    return a >= b && strcmp(name + a - b, end) == 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Does this runtime source come once for each instruction set? (It sees rt_isa.h.) */
static bool is_kernel_source(const struct embedded_file *file)
{
    return strstr((const char *)file->data, "#include \"rt_isa.h\"") != NULL;
}

/* How LAPACK is linked; NULL: none of the programs needs it. */
static const char *lapack_of(const several *s)
{
    for (uint32_t k = 0; k < s->count; k++)
        if (s->programs[k]->lapack) return s->programs[k]->lapack;
    return NULL;
}

/* What calls LAPACK comes with programs that need it alone. */
static bool belongs(const several *s, const struct embedded_file *file)
{
    return lapack_of(s) || !lapack_source(file->name);
}

/* Beside kernels with vector types; not where all are in plain C already. */
static bool has_scalar_kernels(const driver_program *d)
{
    return d->kernels && d->kernels->kernels.count && !d->target->plain;
}

/* "scalar/kernels.c", "scalar/decode_kernels.c" */
static const char *scalar_file(const several *s, uint32_t program)
{
    const char *stem = s->inputs[program].stem;
    return arena_printf(s->memory, "scalar/%s%skernels.c", stem ? stem : "", stem ? "_" : "");
}

/* ---- the Makefile ---- */

static void list_runtime(const several *s, const char *variable, bool kernels, text *t)
{
    text_printf(t, "%s =", variable);
    for (size_t i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if (ends_with(file->name, ".c") && is_kernel_source(file) == kernels && belongs(s, file))
            text_printf(t, " runtime/%s", embedded_path(file));
    }
    text_char(t, '\n');
}

static void list_files(const driver_build *build, bool kernels, text *t)
{
    for (uint32_t i = 0; i < build->file_count; i++)
        if (build->files[i].is_kernels == kernels) text_printf(t, " %s", build->files[i].name);
}

static void list_model(const several *s, const driver_build *build, text *t)
{
    text_add(t, "MODEL =");
    list_files(build, false, t);
    text_add(t, "\nKERNELS =");
    list_files(build, true, t);
    text_add(t, "\nSCALAR_MODEL = $(MODEL)");
    for (uint32_t k = 0; k < s->count; k++)
        if (has_scalar_kernels(s->programs[k])) text_printf(t, " %s", scalar_file(s, k));
    text_add(t, s->programs[0]->target->plain ? " $(KERNELS)\n\n" : "\n\n");
}

static void list_libraries(const several *s, const driver_build *build, text *t)
{
    const char **libraries;
    uint32_t library_count = ops_libraries_of(build, s->memory, &libraries);
    text_add(t, "# libraries with operators of your own\nOPS =");
    for (uint32_t i = 0; i < library_count; i++)
        text_printf(t, " -L%.*s -l:%s", (int)(last_part(libraries[i]) - libraries[i] - 1),
                    libraries[i], last_part(libraries[i]));
    text_add(t, library_count ? " -Wl,-rpath,'$$ORIGIN'\n" : "\n");
    if (lapack_of(s))
        text_printf(t, "# LAPACK, for linear algebra (Debian: liblapack-dev).\nLAPACK ?= %s\n\n",
                    lapack_of(s));
}

static const char *kernel_flags(const several *s)
{
    const target_machine *target = s->programs[0]->target;
    text t;
    text_init(&t, s->memory);
    text_add(&t, "");
    for (uint32_t i = 0; i < COUNT_OF(target->flags) && target->flags[i]; i++)
        text_printf(&t, "%s%s", i ? " " : "", target->flags[i]);
    return t.at;
}

static const char *kept_symbols(const several *s, const driver_build *build)
{
    text t;
    text_init(&t, s->memory);
    for (uint32_t i = 0; i < build->entry_count; i++)
        text_printf(&t, " --keep-global-symbol=%s", build->entries[i]);
    return t.at;
}

static const char *makefile_text(const several *s, const driver_build *build)
{
    const char *name = s->name, *lapack = lapack_of(s) ? " $(LAPACK)" : "";
    const char *more = s->count > 1 ? " programs.o" : "";
    text t;
    text_init(&t, s->memory);
    text_printf(
        &t,
        "# Builds %s.so from these sources alone; %s.weights lies beside it.\n"
        "CC ?= cc\n\n"
        "# With the vector types of GNU C or, SCALAR=1, in what any C11 compiler takes (`make "
        "clean` in between).\n"
        "VECTORS = typedef float v __attribute__((vector_size(16))); "
        "float f(v a) { return __builtin_shufflevector(a, a, 1, 0, 3, 2)[0]; }\n"
        "ifeq ($(origin SCALAR),undefined)\n"
        "SCALAR := $(if $(shell echo '$(VECTORS)' >probe.c; "
        "$(CC) -c probe.c -o probe.o 2>/dev/null && echo yes; rm -f probe.c probe.o),,1)\n"
        "endif\n\n",
        name, name);
    text_printf(&t,
                "FLAGS = -std=c11 -w -fPIC -fvisibility=hidden -fno-math-errno "
                "-fno-trapping-math "
                "-ffp-contract=fast -I. -Iruntime $(CFLAGS)\n"
                "SCALAR_FLAGS = -std=c11 -fPIC -DFERRITE_SCALAR -I. -Iruntime $(CFLAGS)\n"
                "ifneq ($(filter x86_64 amd64,$(shell uname -m)),)\n"
                "ISAS = base v3 v4\nKERNEL_FLAGS = %s\nendif\nISAS ?= base\n"
                "ifeq ($(ISAS),base)\nFLAGS += -DRT_ONLY_BASE\nendif\n"
                "FLAGS_base = -DRT_ISA_BASE\nFLAGS_v3 = -DRT_ISA_V3 -march=x86-64-v3\n"
                "FLAGS_v4 = -DRT_ISA_V4 -march=x86-64-v4 -mprefer-vector-width=512\n\n",
                kernel_flags(s));
    list_libraries(s, build, &t);
    list_runtime(s, "PLAIN", false, &t);
    list_runtime(s, "MANY", true, &t);
    list_model(s, build, &t);
    text_printf(&t,
                "ifeq ($(SCALAR),)\n"
                "OBJECTS = $(MODEL:.c=.o) $(KERNELS:.c=.o) $(PLAIN:.c=.o) $(foreach "
                "isa,$(ISAS),$(MANY:.c=.$(isa).o))\n"
                "else\nOBJECTS = $(patsubst %%.c,%%.scalar.o,$(SCALAR_MODEL) $(PLAIN) $(MANY))\n"
                "endif\n\n"
                "%s.so: %s.all.o%s\n\t$(CC) -shared -o $@ $^%s -lm $(OPS)\n\n"
                "# For programs that are linked with it: cc main.c lib%s.a%s -lm -lpthread\n"
                "lib%s.a: %s.all.o\n\trm -f $@ && $(AR) rcs $@ $<\n\n"
                "# All in one, of which only the function of each program is seen from outside.\n"
                "OBJCOPY ?= objcopy\n"
                "%s.all.o: $(OBJECTS)\n\t$(CC) -r -nostdlib -o $@ $(OBJECTS)\n"
                "\tif command -v $(OBJCOPY) >/dev/null; then "
                "$(OBJCOPY)%s $@; fi\n\n"
                "$(KERNELS:.c=.o): %%.o: %%.c\n\t$(CC) -O2 $(KERNEL_FLAGS) $(FLAGS) -c $< -o $@\n"
                "%%.o: %%.c\n\t$(CC) -O2 $(FLAGS) -c $< -o $@\n"
                "%%.scalar.o: %%.c\n\t$(CC) -O2 $(SCALAR_FLAGS) -c $< -o $@\n"
                "%%.base.o: %%.c\n\t$(CC) -O3 $(FLAGS) $(FLAGS_base) -c $< -o $@\n"
                "%%.v3.o: %%.c\n\t$(CC) -O3 $(FLAGS) $(FLAGS_v3) -c $< -o $@\n"
                "%%.v4.o: %%.c\n\t$(CC) -O3 $(FLAGS) $(FLAGS_v4) -c $< -o $@\n\n"
                "clean:\n\trm -f *.o runtime/*.o runtime/plan/*.o scalar/*.o %s.so lib%s.a\n",
                name, name, more, lapack, name, lapack, name, name, name, kept_symbols(s, build),
                name, name);
    return t.at;
}

/* ---- files ---- */

static fe_status put(const several *s, const char *folder, const char *name, const void *data,
                     size_t size)
{
    return file_write(s->session, arena_printf(s->memory, "%s/%s", folder, name), data, size);
}

/* All kernels of a program once more, for compilers without vector types. */
static fe_status write_scalar_kernels(const several *s, uint32_t program, const char *folder)
{
    driver_program *d = s->programs[program];
    const emit_input *input = &s->inputs[program];
    const target_machine *plain = target_named("scalar");
    const kern_kernel **all = NEW_ARRAY(s->memory, const kern_kernel *, input->kernel_count + 1);
    kern_kernel *kernels;
    uint32_t count = 0;
    text t;
    if (!has_scalar_kernels(d)) return FE_OK;
    FE_TRY(file_make_dirs(s->session, arena_printf(s->memory, "%s/scalar", folder)));
    FE_TRY(kern_scalar(d->kernels, s->memory, &kernels));
    for (uint32_t i = 0; i < input->kernel_count; i++)
        if (!input->kernels[i].is_shared) all[count++] = &kernels[input->kernels[i].number];
    text_init(&t, s->memory);
    text_printf(&t, "/* Kernels of %s in plain C11. */\n", d->wrapper->name);
    emit_c_rename_kernels(input, &t);
    kern_prelude(plain, all, count, &t);
    for (uint32_t i = 0; i < count; i++) text_printf(&t, "\n%s", all[i]->source);
    return put(s, folder, scalar_file(s, program), t.at, t.length);
}

/* What devices compile, as their own tools take it; the program holds it too. */
static fe_status write_device_kernels(const several *s, uint32_t program, const char *folder)
{
    const emit_input *input = &s->inputs[program];
    for (uint32_t k = 0; k < input->module_count; k++) {
        const emit_module *m = &input->modules[k];
        const char *name =
            arena_printf(s->memory, "%s%skernels.%s", input->stem ? input->stem : "",
                         input->stem ? "_" : "", kern_extension(target_of_device(m->kind)));
        FE_TRY(put(s, folder, name, m->source, strlen(m->source)));
    }
    return FE_OK;
}

static fe_status write_runtime(const several *s, const char *folder)
{
    const char *runtime = arena_printf(s->memory, "%s/runtime", folder);
    FE_TRY(file_make_dirs(s->session, arena_printf(s->memory, "%s/plan", runtime)));
    for (size_t i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if ((ends_with(file->name, ".c") || ends_with(file->name, ".h")) && belongs(s, file))
            FE_TRY(put(s, runtime, embedded_path(file), file->data, file->size));
    }
    return FE_OK;
}

/* Kernels in as many files on every machine, so that sources are the same bytes whoever makes them. */
fe_status sources_write(driver_program *const *programs, uint32_t count, const char *folder)
{
    enum { FILES = 8 };
    driver_build build = {.is_static = true};
    emit_file list, header;
    several s;
    int64_t bytes = 0;
    FE_TRY(several_begin(programs, count, folder, true, &s));
    for (uint32_t k = 0; k < count; k++) FE_TRY(lapack_choose(programs[k]));
    FE_TRY(several_emit(&s, FILES, &build));
    FE_TRY(write_runtime(&s, folder));
    for (uint32_t i = 0; i < build.file_count; i++)
        FE_TRY(put(&s, folder, build.files[i].name, build.files[i].text, build.files[i].length));
    several_list(&s, &list);
    if (count > 1) FE_TRY(put(&s, folder, list.name, list.text, list.length));
    for (uint32_t k = 0; k < count; k++) FE_TRY(write_scalar_kernels(&s, k, folder));
    for (uint32_t k = 0; k < count; k++) FE_TRY(write_device_kernels(&s, k, folder));
    const char *makefile = makefile_text(&s, &build);
    FE_TRY(put(&s, folder, "Makefile", makefile, strlen(makefile)));
    FE_TRY(emit_header(s.inputs, count, s.name, s.memory, &header));
    FE_TRY(put(&s, folder, header.name, header.text, header.length));
    if (!s.wrappers[0].weights_bytes) return FE_OK;
    return several_weights(&s, NULL, arena_printf(s.memory, "%s/%s.weights", folder, s.name),
                           &bytes);
}
