/* artifact.c -- what is shipped: a shared library with its header, or a folder of C sources that
 * builds by itself. */
#include "driver/driver.h"
#include "driver/embed.h"

#include <string.h>

static bool ends_with(const char *name, const char *end)
{
    size_t a = strlen(name), b = strlen(end);
    return a >= b && strcmp(name + a - b, end) == 0;
}

static fe_status write_header(driver_program *d, const char *path)
{
    emit_input input;
    driver_emit_input(d, &input);
    emit_file header;
    FE_TRY(emit_header(&input, 1, d->wrapper->name, d->memory, &header));
    return file_write(d->session, path, header.text, header.length);
}

static const char *sibling(driver_program *d, const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    int stem = dot && (!slash || dot > slash) ? (int)(dot - path) : (int)strlen(path);
    return arena_printf(d->memory, "%.*s%s", stem, path, extension);
}

/* NAME.h and NAME.weights, which the program looks for under its name, in the folder of `path`. */
static const char *path_beside(driver_program *d, const char *path, const char *extension)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    return arena_printf(d->memory, "%.*s%s%s", folder, path, d->wrapper->name, extension);
}

static fe_status write_weights(driver_program *d, const char *library, const char *path)
{
    const wrap_program *programs = d->wrapper;
    double begin = clock_seconds();
    FE_TRY(driver_progress(d, STAGE_WEIGHTS, 0, 1));
    FE_TRY(weights_write(&programs, 1, d->weights_key, library, path, &d->artifact_bytes));
    d->ms[STAGE_WEIGHTS] = (clock_seconds() - begin) * 1e3;
    return FE_OK;
}

/* NAME.a to be linked into programs; the weights, which are mapped from a file, lie beside it. */
static fe_status write_archive(driver_program *d, const char *path)
{
    driver_build build = d->whole;
    mapped_file made;
    build.is_static = true;
    build.library = NULL;
    FE_TRY(toolchain_build(d, &build));
    FE_TRY(file_map(d->session, build.library, &made));
    size_t bytes = cache_code_bytes(made.data, made.size);
    fe_status status = file_write(d->session, path, made.data, bytes);
    file_unmap(&made);
    FE_TRY(status);
    FE_TRY(write_header(d, path_beside(d, path, ".h")));
    if (d->wrapper->weights_bytes) FE_TRY(write_weights(d, NULL, path_beside(d, path, ".weights")));
    d->artifact_bytes = (int64_t)bytes + d->wrapper->weights_bytes;
    return FE_OK;
}

fe_status artifact_write_library(driver_program *d, const char *path)
{
    FE_TRY(driver_need_host(d, true));
    FE_TRY(driver_need_kernels(d));
    if (ends_with(path, ".a")) return write_archive(d, path);
    FE_TRY(toolchain_build(d, &d->whole));
    FE_TRY(write_weights(d, d->whole.library, path));
    return write_header(d, sibling(d, path, ".h"));
}

/* ---- sources ---- */

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

/* What calls LAPACK comes with programs that need it alone. */
static bool belongs(const driver_program *d, const struct embedded_file *file)
{
    return d->lapack || !lapack_source(file->name);
}

/* Beside kernels with vector types; not where all are in plain C already. */
static bool has_scalar_kernels(const driver_program *d)
{
    return d->kernels && d->kernels->kernels.count && !d->target->plain;
}

static void list_runtime(driver_program *d, const char *variable, bool kernels, text *t)
{
    text_printf(t, "%s =", variable);
    for (size_t i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if (ends_with(file->name, ".c") && is_kernel_source(file) == kernels && belongs(d, file))
            text_printf(t, " runtime/%s", embedded_path(file));
    }
    text_char(t, '\n');
}

static void list_model(driver_program *d, text *t)
{
    text_add(t, "MODEL =");
    for (uint32_t i = 0; i < d->whole.file_count; i++)
        text_printf(t, " %s", d->whole.files[i].name);
    text_add(t, "\nSCALAR_MODEL =");
    for (uint32_t i = 0; i < d->whole.file_count; i++)
        if (!d->whole.files[i].is_kernels || !has_scalar_kernels(d))
            text_printf(t, " %s", d->whole.files[i].name);
    text_add(t, has_scalar_kernels(d) ? " scalar/kernels.c\n\n" : "\n\n");
}

static void list_libraries(driver_program *d, text *t)
{
    const char **libraries;
    uint32_t library_count = ops_libraries(d, &libraries);
    text_add(t, "# libraries with operators of your own\nOPS =");
    for (uint32_t i = 0; i < library_count; i++)
        text_printf(t, " -L%.*s -l:%s", (int)(last_part(libraries[i]) - libraries[i] - 1),
                    libraries[i], last_part(libraries[i]));
    text_add(t, library_count ? " -Wl,-rpath,'$$ORIGIN'\n" : "\n");
    if (d->lapack)
        text_printf(t, "# LAPACK, for linear algebra (Debian: liblapack-dev).\nLAPACK ?= %s\n\n",
                    d->lapack);
}

static const char *kernel_flags(const driver_program *d)
{
    text t;
    text_init(&t, d->memory);
    text_add(&t, "");
    for (uint32_t i = 0; i < COUNT_OF(d->target->flags) && d->target->flags[i]; i++)
        text_printf(&t, "%s%s", i ? " " : "", d->target->flags[i]);
    return t.at;
}

static const char *makefile_text(driver_program *d)
{
    const char *name = d->wrapper->name, *entry = d->whole.entries[0];
    const char *lapack = d->lapack ? " $(LAPACK)" : "";
    text t;
    text_init(&t, d->memory);
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
                kernel_flags(d));
    list_libraries(d, &t);
    list_runtime(d, "PLAIN", false, &t);
    list_runtime(d, "MANY", true, &t);
    list_model(d, &t);
    text_printf(&t,
                "ifeq ($(SCALAR),)\n"
                "OBJECTS = $(MODEL:.c=.o) $(PLAIN:.c=.o) $(foreach "
                "isa,$(ISAS),$(MANY:.c=.$(isa).o))\n"
                "else\nOBJECTS = $(patsubst %%.c,%%.scalar.o,$(SCALAR_MODEL) $(PLAIN) $(MANY))\n"
                "endif\n\n"
                "%s.so: %s.all.o\n\t$(CC) -shared -o $@ $<%s -lm $(OPS)\n\n"
                "# For programs that are linked with it: cc main.c lib%s.a%s -lm -lpthread\n"
                "lib%s.a: %s.all.o\n\trm -f $@ && $(AR) rcs $@ $<\n\n"
                "# All in one, of which only %s is seen from outside.\n"
                "OBJCOPY ?= objcopy\n"
                "%s.all.o: $(OBJECTS)\n\t$(CC) -r -nostdlib -o $@ $(OBJECTS)\n"
                "\tif command -v $(OBJCOPY) >/dev/null; then "
                "$(OBJCOPY) --keep-global-symbol=%s $@; fi\n\n"
                "kernels_%%.o: kernels_%%.c\n\t$(CC) -O2 $(KERNEL_FLAGS) $(FLAGS) -c $< -o $@\n"
                "%%.o: %%.c\n\t$(CC) -O2 $(FLAGS) -c $< -o $@\n"
                "%%.scalar.o: %%.c\n\t$(CC) -O2 $(SCALAR_FLAGS) -c $< -o $@\n"
                "%%.base.o: %%.c\n\t$(CC) -O3 $(FLAGS) $(FLAGS_base) -c $< -o $@\n"
                "%%.v3.o: %%.c\n\t$(CC) -O3 $(FLAGS) $(FLAGS_v3) -c $< -o $@\n"
                "%%.v4.o: %%.c\n\t$(CC) -O3 $(FLAGS) $(FLAGS_v4) -c $< -o $@\n\n"
                "clean:\n\trm -f *.o runtime/*.o runtime/plan/*.o scalar/*.o %s.so lib%s.a\n",
                name, name, lapack, name, lapack, name, name, entry, name, entry, name, name);
    return t.at;
}

static fe_status put(driver_program *d, const char *folder, const char *name, const void *data,
                     size_t size)
{
    return file_write(d->session, arena_printf(d->memory, "%s/%s", folder, name), data, size);
}

/* scalar/kernels.c: all kernels once more, for compilers without vector types. */
static fe_status write_scalar_kernels(driver_program *d, const char *folder)
{
    text t;
    kern_kernel *kernels;
    uint32_t count = 0;
    const kern_kernel **all = NEW_ARRAY(d->memory, const kern_kernel *, d->kernels->kernels.count);
    const target_machine *plain = target_named("scalar");
    FE_TRY(file_make_dirs(d->session, arena_printf(d->memory, "%s/scalar", folder)));
    FE_TRY(kern_scalar(d->kernels, d->memory, &kernels));
    for (uint32_t i = 0; i < d->kernels->kernels.count; i++)
        if (!kernels[i].target->dialect) all[count++] = &kernels[i];
    text_init(&t, d->memory);
    text_printf(&t, "/* Kernels of %s in plain C11. */\n", d->wrapper->name);
    kern_prelude(plain, all, count, &t);
    for (uint32_t i = 0; i < count; i++) text_printf(&t, "\n%s", all[i]->source);
    return put(d, folder, "scalar/kernels.c", t.at, t.length);
}

/* Kernels in as many files on every machine, so that sources are the same bytes whoever makes them. */
static fe_status emit_sources(driver_program *d)
{
    enum { FILES = 8 };
    emit_input input;
    driver_emit_input(d, &input);
    input.parts = FILES;
    return emit_program(&emit_target_c, &input, d->memory, &d->whole.files, &d->whole.file_count);
}

static fe_status write_sources(driver_program *d, const char *folder)
{
    const char *runtime = arena_printf(d->memory, "%s/runtime", folder);
    FE_TRY(driver_need_host(d, true));
    FE_TRY(driver_need_kernels(d));
    FE_TRY(lapack_choose(d));
    FE_TRY(emit_sources(d));
    FE_TRY(file_make_dirs(d->session, arena_printf(d->memory, "%s/plan", runtime)));
    for (uint32_t i = 0; i < d->whole.file_count; i++)
        FE_TRY(put(d, folder, d->whole.files[i].name, d->whole.files[i].text,
                   d->whole.files[i].length));
    for (size_t i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if ((ends_with(file->name, ".c") || ends_with(file->name, ".h")) && belongs(d, file))
            FE_TRY(put(d, runtime, embedded_path(file), file->data, file->size));
    }
    if (has_scalar_kernels(d)) FE_TRY(write_scalar_kernels(d, folder));
    const char *makefile = makefile_text(d);
    FE_TRY(put(d, folder, "Makefile", makefile, strlen(makefile)));
    FE_TRY(write_header(d, arena_printf(d->memory, "%s/%s.h", folder, d->wrapper->name)));
    if (d->wrapper->weights_bytes == 0) return FE_OK;
    return write_weights(d, NULL,
                         arena_printf(d->memory, "%s/%s.weights", folder, d->wrapper->name));
}

fe_status artifact_write_sources(driver_program *d, const char *folder)
{
    driver_build library = d->whole;
    fe_status status = write_sources(d, folder);
    d->whole = library;
    return status;
}
