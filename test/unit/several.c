/* several.c -- src/driver/several.c: kernels of two programs that have one name and are not the same. */
#include "ferrite.h"

#include "driver/driver.h"
#include "unit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char TEXT[] = "graph main {\n"
                           "  placeholder %%x user \"x\" : f32[4]\n"
                           "  %%y = aten.%s.default(%%x) : f32[4]\n"
                           "  output (user %%y)\n"
                           "}\n";

/* As if their hashes were alike. */
static void rename_kernels(driver_program *d)
{
    kern_kernel *k = &d->kernels->kernels.at[0];
    const char *at = strstr(k->source, k->name), *name = "alike";
    EXPECT(at != NULL);
    k->source = arena_printf(d->memory, "%.*s%s%s", (int)(at - k->source), k->source, name,
                             at + strlen(k->name));
    for (uint32_t i = 0; i < d->wrapper->lines.count; i++)
        if (d->wrapper->lines.at[i].call.kernel) d->wrapper->lines.at[i].call.kernel = name;
    k->name = name;
}

static float first_of(void *library, const char *function)
{
    union {
        void *address;
        const fe_artifact *(*function)(void);
    } entry = {dlsym(library, function)};
    float in[4] = {0.25f, 1, 2, 3}, out[4] = {0};
    int64_t size = 4;
    fe_tensor x = {in, FE_F32, 1, &size, NULL}, y = {out, FE_F32, 1, &size, NULL};
    fe_model *model = NULL;
    fe_context *context = NULL;
    if (!EXPECT(entry.address != NULL)) return 0;
    const fe_artifact *a = entry.function();
    EXPECT_INT(a->open(NULL, &model), 0);
    EXPECT_INT(a->context_new(model, 1, &context), 0);
    EXPECT_INT(a->run(context, &x, 1, &y, 1), 0);
    a->context_free(context);
    a->close(model);
    return out[0];
}

TEST(kernels_of_one_name_in_two_programs_are_called_each_by_its_own)
{
    char folder[] = "/tmp/ferrite-several-XXXXXX", path[64];
    const char *names[] = {"one", "two"}, *ops[] = {"neg", "sqrt"};
    fe_session *session = fe_session_new();
    fe_program *programs[2] = {NULL, NULL};
    EXPECT(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/x.so", folder);
    fe_set(session, "cache", "");
    fe_set(session, "from", "fx");
    for (int k = 0; k < 2; k++) {
        char source[256];
        int length = snprintf(source, sizeof source, TEXT, ops[k]);
        fe_set(session, "name", names[k]);
        fe_compile_memory(session, "x.fx", source, (size_t)length, &programs[k]);
        EXPECT_TEXT(fe_error(session), "");
        if (programs[k]) rename_kernels(programs[k]);
    }
    EXPECT_INT(fe_write_programs(programs, 2, path), FE_OK);
    EXPECT_TEXT(fe_error(session), "");
    void *library = dlopen(path, RTLD_NOW);
    if (EXPECT(library != NULL)) {
        EXPECT(first_of(library, "ferrite_artifact_one") == -0.25f);
        EXPECT(first_of(library, "ferrite_artifact_two") == 0.5f);
        dlclose(library);
    }
    for (int k = 0; k < 2; k++) fe_program_free(programs[k]);
    fe_session_free(session);
    unlink(path);
    snprintf(path, sizeof path, "%s/x.h", folder);
    unlink(path);
    rmdir(folder);
}
