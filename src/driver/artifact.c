/* artifact.c -- what is shipped: a shared library with its header, or a folder of C sources that
 * builds by itself. */
#include "driver/driver.h"
#include "driver/embed.h"

#include <string.h>

static fe_status write_header(driver_program *d, const char *path)
{
    emit_input input = {.wrapper = d->wrapper, .producer = "ferrite " FE_VERSION};
    emit_file header;
    FE_TRY(emit_header(&input, d->wrapper->name, d->memory, &header));
    return file_write(d->session, path, header.text, header.length);
}

static const char *sibling(driver_program *d, const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    int stem = dot && (!slash || dot > slash) ? (int)(dot - path) : (int)strlen(path);
    return arena_printf(d->memory, "%.*s%s", stem, path, extension);
}

static fe_status write_weights(driver_program *d, const char *library, const char *path)
{
    double begin = clock_seconds();
    FE_TRY(driver_progress(d, STAGE_WEIGHTS, 0, 1));
    FE_TRY(weights_write(d->wrapper, d->weights_key, library, path, &d->artifact_bytes));
    d->ms[STAGE_WEIGHTS] = (clock_seconds() - begin) * 1e3;
    return FE_OK;
}

fe_status artifact_write_library(driver_program *d, const char *path)
{
    FE_TRY(toolchain_build(d));
    FE_TRY(write_weights(d, d->library, path));
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

static bool ends_with(const char *name, const char *end)
{
    size_t a = strlen(name), b = strlen(end);
    return a >= b && strcmp(name + a - b, end) == 0;
}

/* What calls LAPACK comes with programs that need it alone. */
static bool belongs(const driver_program *d, const struct embedded_file *file)
{
    return d->lapack || !lapack_source(file->name);
}

static const char *makefile_text(driver_program *d)
{
    text t;
    text_init(&t, d->memory);
    text_printf(&t,
                "# Builds %s.so from these sources alone; %s.weights lies beside it.\n"
                "CC ?= cc\nFLAGS = -std=c11 -w -fPIC -fvisibility=hidden -fno-math-errno "
                "-fno-trapping-math "
                "-ffp-contract=fast -I. -Iruntime $(CFLAGS)\n"
                "ifneq ($(filter x86_64 amd64,$(shell uname -m)),)\n"
                "ISAS = base v3 v4\nKERNEL_FLAGS = %s\nendif\nISAS ?= base\n"
                "ifeq ($(ISAS),base)\nFLAGS += -DRT_ONLY_BASE\nendif\n"
                "FLAGS_base = -DRT_ISA_BASE\nFLAGS_v3 = -DRT_ISA_V3 -march=x86-64-v3\n"
                "FLAGS_v4 = -DRT_ISA_V4 -march=x86-64-v4 -mprefer-vector-width=512\n\n",
                d->wrapper->name, d->wrapper->name,
                strcmp(d->target.name, "x86-64-v4") == 0
                    ? "-march=x86-64-v4 -mprefer-vector-width=512"
                : strcmp(d->target.name, "x86-64-v3") == 0 ? "-march=x86-64-v3"
                                                           : "");
    const char **libraries;
    uint32_t library_count = ops_libraries(d, &libraries);
    text_add(&t, "# libraries with operators of your own\nOPS =");
    for (uint32_t i = 0; i < library_count; i++)
        text_printf(&t, " -L%.*s -l:%s", (int)(last_part(libraries[i]) - libraries[i] - 1),
                    libraries[i], last_part(libraries[i]));
    text_add(&t, library_count ? " -Wl,-rpath,'$$ORIGIN'\n" : "\n");
    if (d->lapack)
        text_printf(&t, "# LAPACK, for linear algebra (Debian: liblapack-dev).\nLAPACK ?= %s\n\n",
                    d->lapack);
    text_add(&t, "PLAIN =");
    for (size_t i = 0; i < embedded_file_count; i++)
        if (ends_with(embedded_files[i].name, ".c") && !is_kernel_source(&embedded_files[i]) &&
            belongs(d, &embedded_files[i]))
            text_printf(&t, " runtime/%s", last_part(embedded_files[i].name));
    text_add(&t, "\nMANY =");
    for (size_t i = 0; i < embedded_file_count; i++)
        if (ends_with(embedded_files[i].name, ".c") && is_kernel_source(&embedded_files[i]))
            text_printf(&t, " runtime/%s", last_part(embedded_files[i].name));
    text_add(&t, "\nMODEL =");
    for (uint32_t i = 0; i < d->file_count; i++) text_printf(&t, " %s", d->files[i].name);
    text_printf(&t,
                "\n\nOBJECTS = $(MODEL:.c=.o) $(PLAIN:.c=.o) $(foreach "
                "isa,$(ISAS),$(MANY:.c=.$(isa).o))\n\n"
                "%s.so: $(OBJECTS)\n\t$(CC) -shared -o $@ $(OBJECTS)%s -lm $(OPS)\n\n"
                "kernels_%%.o: kernels_%%.c\n\t$(CC) -O2 $(KERNEL_FLAGS) $(FLAGS) -c $< -o $@\n"
                "%%.o: %%.c\n\t$(CC) -O2 $(FLAGS) -c $< -o $@\n"
                "%%.base.o: %%.c\n\t$(CC) -O3 $(FLAGS) $(FLAGS_base) -c $< -o $@\n"
                "%%.v3.o: %%.c\n\t$(CC) -O3 $(FLAGS) $(FLAGS_v3) -c $< -o $@\n"
                "%%.v4.o: %%.c\n\t$(CC) -O3 $(FLAGS) $(FLAGS_v4) -c $< -o $@\n\n"
                "clean:\n\trm -f $(OBJECTS) %s.so\n",
                d->wrapper->name, d->lapack ? " $(LAPACK)" : "", d->wrapper->name);
    return t.at;
}

static fe_status put(driver_program *d, const char *folder, const char *name, const void *data,
                     size_t size)
{
    return file_write(d->session, arena_printf(d->memory, "%s/%s", folder, name), data, size);
}

fe_status artifact_write_sources(driver_program *d, const char *folder)
{
    const char *runtime = arena_printf(d->memory, "%s/runtime", folder);
    FE_TRY(lapack_choose(d));
    FE_TRY(file_make_dirs(d->session, runtime));
    for (uint32_t i = 0; i < d->file_count; i++)
        FE_TRY(put(d, folder, d->files[i].name, d->files[i].text, d->files[i].length));
    for (size_t i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if (!ends_with(file->name, ".a") && belongs(d, file))
            FE_TRY(put(d, runtime, last_part(file->name), file->data, file->size));
    }
    const char *makefile = makefile_text(d);
    FE_TRY(put(d, folder, "Makefile", makefile, strlen(makefile)));
    FE_TRY(write_header(d, arena_printf(d->memory, "%s/%s.h", folder, d->wrapper->name)));
    if (d->wrapper->weights_bytes == 0) return FE_OK;
    return write_weights(d, NULL,
                         arena_printf(d->memory, "%s/%s.weights", folder, d->wrapper->name));
}
