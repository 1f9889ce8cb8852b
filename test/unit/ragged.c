/* ragged.c -- runtime operators whose results decide sizes, against the interpreter's references; and
 * programs with symbols that the run defines, interpreted. */
#include "unit.h"

#include "../../rt/rt_entry.h"
#include "lower/lower.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct dice {
    uint32_t state;
} dice;

static uint32_t roll(dice *d, uint32_t sides)
{
    d->state = d->state * 1664525u + 1013904223u;
    return (d->state >> 8) % sides;
}

/* ---- runtime against reference ---- */

typedef int runtime_operator(rt_frame *frame, const rt_call *call);

/* One extern call: views of rank at most 3 on memory of its own. */
typedef struct extern_call {
    const char *kernel;
    runtime_operator *run;
    fe_tensor in, out[4];
    ty_dtype dtype[5]; /* of in, out[] */
    int64_t sizes[5][3], strides[5][3];
    size_t bytes[5];
    uint32_t out_count;
    int64_t ints[1];
    uint32_t int_count;
} extern_call;

static void describe(extern_call *c, uint32_t k, ty_dtype d, uint32_t rank, const int64_t *sizes,
                     const int64_t *strides)
{
    int64_t reach = 1, step = 1;
    for (uint32_t i = rank; i-- > 0; step *= sizes[i]) {
        c->sizes[k][i] = sizes[i];
        c->strides[k][i] = strides ? strides[i] : step;
        if (sizes[i] > 0) reach += (sizes[i] - 1) * c->strides[k][i];
    }
    fe_tensor *t = k ? &c->out[k - 1] : &c->in;
    *t = (fe_tensor){NULL, (uint32_t)ty_dtype_number(d), rank, c->sizes[k], c->strides[k]};
    c->dtype[k] = d;
    c->bytes[k] = (size_t)reach * ty_dtype_size(d);
}

static void add_view_text(text *t, const extern_call *c, uint32_t k)
{
    const fe_tensor *x = k ? &c->out[k - 1] : &c->in;
    text_printf(t, "@b%u[", k);
    for (uint32_t i = 0; i < x->rank; i++)
        text_printf(t, "%s%lld", i ? "," : "", (long long)x->sizes[i]);
    text_add(t, "]{");
    for (uint32_t i = 0; i < x->rank; i++)
        text_printf(t, "%s%lld", i ? "," : "", (long long)x->strides[i]);
    text_add(t, "}");
}

static const char *text_of(fe_session *session, const extern_call *c)
{
    text t;
    text_init(&t, session->memory);
    text_add(&t, "program reference\n");
    for (uint32_t k = 0; k <= c->out_count; k++) {
        long long elements = (long long)(c->bytes[k] / ty_dtype_size(c->dtype[k]));
        text_printf(&t, "%s @b%u : %s[%lld] strides [1]\n", k ? "temp" : "input", k,
                    ty_dtype_name(c->dtype[k]), elements);
    }
    text_printf(&t, "extern %s (", c->kernel);
    add_view_text(&t, c, 0);
    text_add(&t, ") -> (");
    for (uint32_t k = 1; k <= c->out_count; k++) {
        if (k > 1) text_add(&t, ", ");
        add_view_text(&t, c, k);
    }
    text_add(&t, ") ints [");
    if (c->int_count) text_printf(&t, "%lld", (long long)c->ints[0]);
    text_add(&t, "] floats []\n");
    return t.at;
}

/* The same call by the runtime and by the interpreter gives the same bytes. */
static fe_status same_results(fe_session *session, extern_call *c, void *input, rt_pool *pool)
{
    loop_program *p;
    void *ours[5], *theirs[5];
    const char *source = text_of(session, c);
    FE_TRY(loop_parse(session, session->memory, source, strlen(source), &p));
    for (uint32_t k = 0; k <= c->out_count; k++) {
        ours[k] = k ? arena_alloc(session->memory, c->bytes[k]) : input;
        theirs[k] = k ? arena_alloc(session->memory, c->bytes[k]) : input;
        *(k ? &c->out[k - 1].data : &c->in.data) = ours[k];
    }
    fe_context context = {0};
    rt_frame frame = {.pool = pool, .context = &context};
    rt_call call = {.in = &c->in,
                    .out = c->out,
                    .in_count = 1,
                    .out_count = c->out_count,
                    .ints = c->ints,
                    .states_nothing = 1};
    EXPECT_INT(c->run(&frame, &call), 0);
    rt_area_free(&context.area);
    loop_machine machine = {.buffers = theirs, .memory = session->memory};
    FE_TRY(loop_interpret(p, &machine));
    for (uint32_t k = 1; k <= c->out_count; k++)
        if (!EXPECT(memcmp(ours[k], theirs[k], c->bytes[k]) == 0)) printf("%s", source);
    return FE_OK;
}

SESSION_TEST(nonzero_finds_what_the_reference_finds)
{
    dice d = {1};
    for (int round = 0; round < 120; round++) {
        int64_t sizes[3], strides[3], set = 0, elements = 1;
        uint32_t rank = roll(&d, 4), sparse = 1 + roll(&d, 20);
        for (uint32_t i = 0; i < rank; i++) {
            sizes[i] = roll(&d, round % 10 == 0 ? 80 : 7);
            elements *= sizes[i];
        }
        bool transposed = rank > 1 && roll(&d, 2);
        for (uint32_t i = 0, step = 1; i < rank; i++) {
            uint32_t at = transposed ? i : rank - 1 - i;
            strides[at] = step;
            step *= sizes[at] > 0 ? (uint32_t)sizes[at] : 1;
        }
        extern_call c = {.kernel = "nonzero", .run = rt_op_nonzero, .out_count = 1, .int_count = 1};
        describe(&c, 0, TY_BOOL, rank, sizes, strides);
        uint8_t *mask = arena_alloc(session->memory, c.bytes[0] + 1);
        for (int64_t i = 0; i < elements; i++) set += mask[i] = roll(&d, sparse) == 0;
        int64_t rows = set + (int64_t)roll(&d, 3) - 1;
        int64_t out_sizes[2] = {rows < 0 ? 0 : rows, rank};
        int64_t out_strides[2] = {1, out_sizes[0] ? out_sizes[0] : 1};
        describe(&c, 1, TY_I64, 2, out_sizes, roll(&d, 2) ? out_strides : NULL);
        c.ints[0] = -7;
        FE_TRY(same_results(session, &c, mask, round % 2 ? rt_pool_get(2) : NULL));
    }
    return FE_OK;
}

SESSION_TEST(repeat_repeats_as_the_reference_does)
{
    dice d = {2};
    for (int round = 0; round < 40; round++) {
        int64_t count = roll(&d, 9), total = 0, step = 1 + roll(&d, 2);
        extern_call c = {.kernel = "repeat", .run = rt_op_repeat, .out_count = 1};
        describe(&c, 0, TY_I64, 1, &count, &step);
        int64_t *times = arena_alloc(session->memory, c.bytes[0] + 8);
        for (int64_t i = 0; i < count; i++) total += times[i * step] = roll(&d, 4);
        describe(&c, 1, TY_I64, 1, &total, NULL);
        FE_TRY(same_results(session, &c, times, NULL));
    }
    return FE_OK;
}

/* Few distinct values, with NaN, both zeros and extremes among those of floats. */
static void put_value(dice *d, ty_dtype dtype, void *at)
{
    static const double FLOATS[] = {0, -0.0, 1, -1, 2.5, INFINITY, -INFINITY, NAN};
    double x = FLOATS[roll(d, 8)];
    int64_t i = (int64_t)roll(d, 5) - 2;
    if (ty_is_floating(dtype))
        loop_convert(dtype, at, TY_F64, &x);
    else
        loop_convert(dtype, at, TY_I64, &i);
}

SESSION_TEST(unique_groups_what_the_reference_groups)
{
    static const ty_dtype TYPES[] = {TY_BOOL, TY_U8,  TY_I8,  TY_I16, TY_I32, TY_I64, TY_U16,
                                     TY_U32,  TY_U64, TY_F16, TY_F32, TY_F64, TY_BF16};
    dice d = {3};
    for (int round = 0; round < 260; round++) {
        ty_dtype dtype = TYPES[round % COUNT_OF(TYPES)];
        int64_t one = 1, in_sizes[2] = {roll(&d, 40), roll(&d, 3) ? 1 : 1 + roll(&d, 3)};
        int64_t in_strides[2] = {1, in_sizes[0] + 1};
        extern_call c = {.kernel = "unique", .run = rt_op_unique, .out_count = 4, .int_count = 1};
        describe(&c, 0, dtype, 2, in_sizes, roll(&d, 2) ? in_strides : NULL);
        for (uint32_t k = 1; k < 4; k++) describe(&c, k, TY_I64, 1, in_sizes, NULL);
        describe(&c, 4, TY_I64, 1, &one, NULL);
        c.ints[0] = roll(&d, 2);
        char *rows = arena_alloc(session->memory, c.bytes[0] + 1);
        for (size_t i = 0; i < c.bytes[0]; i += ty_dtype_size(dtype))
            put_value(&d, dtype, rows + i);
        FE_TRY(same_results(session, &c, rows, NULL));
    }
    return FE_OK;
}

/* ---- programs ---- */

/* Lowers and interprets the graph on one input; *out is the first output, its sizes in sizes[]. */
static fe_status interpret(fe_session *session, const char *source, void *input, loop_program **p,
                           void ***buffers)
{
    fx_graph *g;
    FE_TRY(fx_parse(session, session->memory, source, strlen(source), &g));
    FE_TRY(lower_graph(g, session->memory, NULL, &(lower_choices){0}, p));
    *buffers = NEW_ARRAY(session->memory, void *, (*p)->buffers.count);
    loop_machine machine = {.buffers = *buffers, .memory = session->memory};
    for (uint32_t k = 0; k < (*p)->buffers.count; k++)
        if ((*p)->buffers.at[k].kind == LOOP_INPUT) (*buffers)[k] = input;
    return loop_interpret(*p, &machine);
}

static const void *output(const loop_program *p, void **buffers, uint32_t k)
{
    return buffers[p->outputs.at[k].view.buffer];
}

SESSION_TEST(interpreted_counts_decide_sizes)
{
    static const char SOURCE[] = "graph main {\n  placeholder %x user \"x\" : f32[2,3]\n"
                                 "  %n = aten.nonzero.default(%x) : i64[u0,2]{1,u0}\n"
                                 "  %m = aten.gt.Scalar(%x, 1) : bool[2,3]\n"
                                 "  %s = aten.masked_select.default(%x, %m) : f32[u1]\n"
                                 "  %t = aten.sum.default(%s) : f32[]\n"
                                 "  output (user %n, user %t)\n}\n";
    float x[2][6] = {{0, 2, 0, 3, 0.5f, 0}, {0}};
    loop_program *p;
    void **buffers;
    for (int round = 0; round < 2; round++) {
        FE_TRY(interpret(session, SOURCE, x[round], &p, &buffers));
        const int64_t *places = output(p, buffers, 0);
        const float *sum = output(p, buffers, 1);
        EXPECT(*sum == (round == 0 ? 5 : 0));
        if (round == 1) continue;
        static const int64_t WANTED[] = {0, 1, 1, 1, 0, 1};
        EXPECT(memcmp(places, WANTED, sizeof WANTED) == 0);
    }
    return FE_OK;
}

SESSION_TEST(interpreted_assertions_fail_with_their_message)
{
    static const char SOURCE[] =
        "symbols {\n  u0 unbacked in [0, 4]\n}\n"
        "graph main {\n  placeholder %x user \"x\" : i64[]\n"
        "  %n = aten.item.default(%x) : int u0\n"
        "  %c = _operator.le(%n, 4) : bool 1\n"
        "  %a = aten._assert_scalar.default(%c, \"at most four\")\n"
        "  %z = aten.arange.default(%n) : i64[u0]\n  output (user %z)\n}\n";
    int64_t good = 3, bad = 5, negative = -1;
    loop_program *p;
    void **buffers;
    FE_TRY(interpret(session, SOURCE, &good, &p, &buffers));
    EXPECT_INT(((const int64_t *)output(p, buffers, 0))[2], 2);
    EXPECT(interpret(session, SOURCE, &bad, &p, &buffers) != FE_OK);
    EXPECT(strstr(session->last_diag->message, "at most four"));
    EXPECT(interpret(session, SOURCE, &negative, &p, &buffers) != FE_OK);
    EXPECT(strstr(session->last_diag->message, "0 <= u0"));
    return FE_OK;
}

/* Each step makes a vector of a size known before, and one of a size of its own. */
static const char STEPS[] = "program m\n"
                            "input  @x : f32[8] strides [1]\n"
                            "input  @n : i64[] strides []\n"
                            "temp   @a : i64[u0] strides [1]\n"
                            "temp   @k : i64[] strides []\n"
                            "temp   @b : i64[u1] strides [1]\n"
                            "temp   @y : i64[3] strides [1]\n"
                            "define u0 = @n[]{}\n"
                            "assert 0 <= u0 \"a length\"\n"
                            "repeat u2 < 3 -> (@y[3]{1})\n"
                            "nest [i0 < u0] {\n"
                            "  %0 = index u2 + i0 : i64\n"
                            "  @a[i0] = %0\n"
                            "}\n"
                            "nest [] reduce [r0 < u0] {\n"
                            "  %0 = load i64 @a[r0]\n"
                            "  @k[0] = sum %0\n"
                            "}\n"
                            "define u1 = @k[]{}\n"
                            "assert 0 <= u1 \"a sum\"\n"
                            "extern repeat (@a[u0]{1}) -> (@b[u1]{1}) ints [] floats []\n"
                            "nest [] reduce [r0 < u1] {\n"
                            "  %0 = load i64 @b[r0]\n"
                            "  @y[u2] = sum %0\n"
                            "}\n"
                            "end\n"
                            "output @y[3]{1}\n";

SESSION_TEST(interpreted_steps_have_sizes_of_their_own)
{
    loop_program *p;
    float x[8] = {0};
    int64_t n = 3;
    void *buffers[6] = {x, &n};
    FE_TRY(loop_parse(session, session->memory, STEPS, strlen(STEPS), &p));
    FE_TRY(loop_check(p, "test"));
    loop_machine machine = {.buffers = buffers, .memory = session->memory};
    FE_TRY(loop_interpret(p, &machine));
    const int64_t *y = buffers[5];
    EXPECT(y[0] == 5 && y[1] == 8 && y[2] == 11);
    return FE_OK;
}
