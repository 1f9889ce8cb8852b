/* What the tracker says of wrapper lines that are wrong, and of calls that write where they may not. The
 * verifier of the lines is not asked: it would refuse most of them. */
#include "exec/exec.h"
#include "unit.h"

#include <string.h>

/* float out[16] = x + 1, and a stray one at out[offset]. */
static int stray(const fe_op_call *call)
{
    const float *x = call->args[0].tensor->data;
    float *out = call->args[1].tensor->data;
    for (int i = 0; i < 16; i++) out[i] = x[i] + 1;
    out[call->args[2].integer] = 3;
    return 0;
}

static fe_op_function *find_stray(void *data, const char *symbol)
{
    (void)data, (void)symbol;
    return stray;
}

static const char PROGRAM[] =
    "program track\n"
    "input  @x : f32[16] strides [1]\n"
    "temp   @a : f32[16] strides [1]\n"
    "temp   @b : f32[16] strides [1]\n"
    "temp   @c : f32[16] strides [1]\n"
    "temp   @y : f32[16] strides [1]\n"
    "wrapper arena 192 bound 128 weights 0 kernels 0 calls 4\n"
    "memory @y output 0\n"
    "alloc @a live [0, 2) at 0 bytes 64\n"
    "note \"first\"\n"
    "extern copy (@x[16]{1}) -> (@a[16]{1}) ints [0] floats []\n"
    "alloc @b live [1, 3) at 64 bytes 64\n"
    "note \"second\"\n"
    "extern custom (@a[16]{1}) -> (@b[16]{1}) ints [0] floats [] calls \"stray\" \"TOi\"\n"
    "free @a\n"
    "alloc @c live [2, 4) at 128 bytes 64\n"
    "extern custom (@b[16]{1}) -> (@c[16]{1}) ints [1] floats [] calls \"stray\" \"TOi\"\n"
    "free @b\n"
    "extern copy (@c[16]{1}) -> (@y[16]{1}) ints [0] floats []\n"
    "free @c\n"
    "output 0 @y[16]{1}\n";

/* `from` replaced by `to`. */
static const char *changed_in(arena *memory, const char *program, const char *from, const char *to)
{
    const char *at = from ? strstr(program, from) : NULL;
    if (!from) return program;
    EXPECT(at != NULL);
    return arena_printf(memory, "%.*s%s%s", (int)(at - program), program, to, at + strlen(from));
}

static const char *run(fe_session *session, arena *memory, const char *source)
{
    wrap_program *w;
    exec_program *x;
    fe_context *context = NULL;
    float in[32] = {0};

    if (wrap_parse(session, memory, source, strlen(source), &w) != FE_OK)
        return session->first_diag->message;
    int64_t size = strstr(source, "@x : f32[32]") ? 32 : 16;
    fe_tensor input = {in, FE_F32, 1, &size, NULL}, output = {0};
    for (int i = 0; i < 32; i++) in[i] = (float)i;
    exec_observer tracker = exec_tracker(w, memory);
    exec_facts facts = {.library = &exec_own_library,
                        .custom = find_stray,
                        .observers = &tracker,
                        .observer_count = 1};
    if (exec_new(w, &facts, memory, &x) != FE_OK) return session->first_diag->message;
    const fe_artifact *a = exec_artifact(x);
    EXPECT_INT(a->context_new(exec_model(x), 1, &context), FE_RUN_OK);
    int code = a->run(context, &input, 1, &output, 1);
    const char *said = code ? arena_strdup(memory, a->error(context)) : "no fault";
    a->context_free(context);
    exec_free(x);
    return said;
}

static const struct {
    const char *from, *to, *said;
} PLANTED[] = {
    {NULL, NULL, "no fault"},
    {"note \"second\"", "free @a\nnote \"second\"",
     "lifecycle: line 7, extern custom (second): 64 bytes of segment 0 are in use where the plan "
     "has "
     "128"},
    {"live [0, 2) at 0 bytes 64\nnote \"first\"",
     "live [0, 1) at 0 bytes 64\nfree @a\nnote \"first\"",
     "lifecycle: line 4, extern copy (first): 0 bytes of segment 0 are in use where the plan has "
     "64"},
    {"live [1, 3) at 64", "live [1, 3) at 0",
     "lifecycle: line 4, alloc: @b lies in the memory of @a, which is alive"},
    {"live [1, 3) at 64", "live [1, 3) at 32",
     "lifecycle: line 4, alloc: @b lies at 32, which is not aligned"},
    {"live [2, 4) at 128", "live [2, 4) at 192",
     "lifecycle: line 8, alloc: @c lies at [192, 256) of 192 bytes"},
    {"free @c\n", "", "lifecycle: at the end: @c is alive since line 8, and nothing returns it"},
    {"free @b\n", "free @b\nfree @b\n", "lifecycle: line 11, free: frees @b, which is not alive"},
    {"-> (@a[16]{1})", "-> (@y[16]{1})",
     "lifecycle: line 6, extern custom (second): reads @a, which nothing has been written to"},
    {"arena 192", "arena 256",
     "lifecycle: at the end: 192 bytes of the arena were reached, the plan has 256"},
    {"bound 128", "bound 64",
     "lifecycle: at the end: 128 bytes were in use at once, the plan has 64"},
    {"alloc @b live [1, 3)", "alloc @b live [1, 4)",
     "lifecycle: line 11, extern copy: 64 bytes of segment 0 are in use where the plan has 128"},
    {"alloc @c", "alloc @b live [1, 3) at 64 bytes 64\nalloc @c",
     "lifecycle: line 8, alloc: @b is alive since line 4"},
    {"free @a\nalloc @c", "reuse @a -> @c",
     "lifecycle: line 7, reuse: @c does not lie where @a lies, whose memory it takes"},
    {"[0] floats [] calls", "[-16] floats [] calls",
     "lifecycle: line 6, extern custom (second): changes @a, which it is not given"},
    {"[0] floats [] calls", "[16] floats [] calls",
     "lifecycle: line 6, extern custom (second): changes byte 128 of the arena, which no buffer "
     "has"},
    {"ints [1]", "ints [-31]",
     "lifecycle: line 9, extern custom: changes byte 4 of the arena, where @a lay until line 7"},
};

SESSION_TEST(the_tracker_names_each_planted_fault)
{
    arena *memory = arena_new(session);
    for (size_t i = 0; i < COUNT_OF(PLANTED); i++)
        EXPECT_TEXT(
            run(session, memory, changed_in(memory, PROGRAM, PLANTED[i].from, PLANTED[i].to)),
            PLANTED[i].said);
    arena_free(memory);
    return FE_OK;
}

/* Buffers in the memory of a donated input and of an output. */
static const char LENT[] =
    "program lent\n"
    "input  @x : f32[32] strides [1] donated\n"
    "temp   @a : f32[16] strides [1]\n"
    "temp   @b : f32[16] strides [1]\n"
    "temp   @c : f32[16] strides [1]\n"
    "temp   @y : f32[32] strides [1]\n"
    "wrapper arena 0 bound 0 weights 0 kernels 0 calls 5\n"
    "memory @a in @y\n"
    "memory @b in @x at 16\n"
    "memory @c in @x\n"
    "memory @y output 0\n"
    "extern copy (@x[16]{1} + 16) -> (@a[16]{1}) ints [0] floats []\n"
    "note \"second\"\n"
    "extern custom (@a[16]{1}) -> (@b[16]{1}) ints [0] floats [] calls \"stray\" \"TOi\"\n"
    "note \"third\"\n"
    "extern custom (@b[16]{1}) -> (@c[16]{1}) ints [1] floats [] calls \"stray\" \"TOi\"\n"
    "extern copy (@b[16]{1}) -> (@y[16]{1}) ints [0] floats []\n"
    "extern copy (@c[16]{1}) -> (@y[16]{1} + 16) ints [0] floats []\n"
    "output 0 @y[32]{1}\n";

static const struct {
    const char *from, *to, *said;
} PLANTED_IN_LENT[] = {
    {NULL, NULL, "no fault"},
    {"@b in @x at 16", "@b in @x at 8",
     "lifecycle: line 6, extern copy: reads @b, which is not what line 3 has written any more"},
    {"@c in @x", "@c in @y",
     "lifecycle: line 7, extern copy: reads @c, which is not what line 5 has written any more"},
    {"(@b[16]{1}) -> (@y[16]{1})", "(@x[16]{1}) -> (@y[16]{1})",
     "lifecycle: line 6, extern copy: reads @x, which is not what the caller gave any more"},
    {"(@a[16]{1}) -> (@b", "(@c[16]{1}) -> (@b",
     "lifecycle: line 3, extern custom (second): reads @c, which nothing has been written to"},
    {"ints [1]", "ints [17]",
     "lifecycle: line 6, extern copy: reads @b, which is not what line 3 has written any more"},
    {"memory @y output 0", "memory @y output 0 else in @x",
     "lifecycle: line 7, extern copy: reads @c, which is not what line 5 has written any more"},
};

SESSION_TEST(the_tracker_follows_memory_of_the_callers)
{
    arena *memory = arena_new(session);
    for (size_t i = 0; i < COUNT_OF(PLANTED_IN_LENT); i++)
        EXPECT_TEXT(run(session, memory,
                        changed_in(memory, LENT, PLANTED_IN_LENT[i].from, PLANTED_IN_LENT[i].to)),
                    PLANTED_IN_LENT[i].said);
    arena_free(memory);
    return FE_OK;
}
