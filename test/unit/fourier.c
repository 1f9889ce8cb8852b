/* fourier.c -- the runtime's Fourier transforms against the definition, which the interpreter has:
 * lengths of every kind, forms, layouts, paddings and scales, on every instruction set. */
#include "unit.h"

#include "../../rt/rt_entry.h"
#include "../../rt/rt_kernels.h"
#include "loop/loop.h"

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

/* ---- a call ---- */

enum { X, WINDOW, Y, OPERANDS, RANK = 3 };

typedef struct operand {
    fe_tensor t;
    ty_dtype dtype;
    int64_t sizes[RANK], strides[RANK];
    size_t bytes;
} operand;

typedef struct transform {
    operand at[OPERANDS];
    int64_t ints[5]; /* dimension, backward, length, what scales, elements */
} transform;

/* Lays the dimensions out in an order of the dice, the first one with a gap now and then. */
static void lay_out(fe_session *s, dice *d, operand *o, ty_dtype dtype, uint32_t rank)
{
    uint32_t order[RANK] = {0, 1, 2};
    int64_t step = roll(d, 3) ? 1 : 1 + roll(d, 2);
    for (uint32_t k = rank; k > 1 && roll(d, 2); k--) {
        uint32_t other = roll(d, k), swap = order[other];
        order[other] = order[k - 1];
        order[k - 1] = swap;
    }
    for (uint32_t k = rank; k-- > 0; step *= o->sizes[order[k]]) o->strides[order[k]] = step;
    o->dtype = dtype;
    o->bytes = (size_t)step * ty_dtype_size(dtype);
    o->t = (fe_tensor){arena_alloc(s->memory, o->bytes + 8), (uint32_t)ty_dtype_number(dtype), rank,
                       o->sizes, o->strides};
    memset(o->t.data, 0, o->bytes);
}

static void fill(dice *d, operand *o)
{
    ty_dtype real = ty_complex_to_real(o->dtype);
    for (size_t at = 0; at < o->bytes; at += ty_dtype_size(real)) {
        double x = (double)roll(d, 2001) / 1000 - 1;
        loop_convert(real, (char *)o->t.data + at, TY_F64, &x);
    }
}

static transform *any_transform(fe_session *s, dice *d, int64_t length, int64_t most_rows)
{
    enum { COMPLEX, REAL, REAL_WHOLE, TO_REAL, FORMS };
    transform *f = NEW(s->memory, transform);
    *f = (transform){.ints = {0, roll(d, 2), length, roll(d, 3), 1 + roll(d, 9)}};
    uint32_t form = roll(d, FORMS), rank = 1 + roll(d, RANK), dim = roll(d, rank);
    ty_dtype real = roll(d, 2) ? TY_F32 : TY_F64, complex = ty_real_to_complex(real);
    int64_t whole = form == TO_REAL ? length / 2 + 1 : length, rows = most_rows;
    f->ints[0] = dim;
    for (uint32_t k = 0; k < rank; k++) {
        int64_t size = 1 + roll(d, (uint32_t)rows);
        f->at[X].sizes[k] = f->at[Y].sizes[k] = size;
        if (k != dim) rows = rows / size + 1;
    }
    f->at[X].sizes[dim] = roll(d, 3) ? whole : 1 + roll(d, (uint32_t)whole + 3);
    f->at[Y].sizes[dim] = form == REAL ? length / 2 + 1 : length;
    f->at[WINDOW].sizes[0] = length;
    lay_out(s, d, &f->at[X], form == COMPLEX || form == TO_REAL ? complex : real, rank);
    lay_out(s, d, &f->at[Y], form == TO_REAL ? real : complex, rank);
    lay_out(s, d, &f->at[WINDOW], real, 1);
    for (uint32_t k = 0; k < Y; k++) fill(d, &f->at[k]);
    if (form == TO_REAL || roll(d, 3)) f->at[WINDOW].t.data = NULL;
    return f;
}

/* ---- both ways ---- */

static void add_view(text *t, const transform *f, uint32_t k)
{
    const operand *o = &f->at[k];
    if (!o->t.data) {
        text_add(t, "none");
        return;
    }
    text_printf(t, "@b%u[", k);
    for (uint32_t i = 0; i < o->t.rank; i++)
        text_printf(t, "%s%lld", i ? "," : "", (long long)o->sizes[i]);
    text_add(t, "]{");
    for (uint32_t i = 0; i < o->t.rank; i++)
        text_printf(t, "%s%lld", i ? "," : "", (long long)o->strides[i]);
    text_add(t, "}");
}

static const char *text_of(fe_session *s, const transform *f)
{
    text t;
    text_init(&t, s->memory);
    text_add(&t, "program reference\n");
    for (uint32_t k = 0; k < OPERANDS; k++)
        text_printf(&t, "%s @b%u : %s[%lld] strides [1]\n", k == Y ? "temp" : "input", k,
                    ty_dtype_name(f->at[k].dtype),
                    (long long)(f->at[k].bytes / ty_dtype_size(f->at[k].dtype)));
    text_add(&t, "extern fourier (");
    add_view(&t, f, X);
    text_add(&t, ", ");
    add_view(&t, f, WINDOW);
    text_add(&t, ") -> (");
    add_view(&t, f, Y);
    text_add(&t, ") ints [");
    for (uint32_t k = 0; k < COUNT_OF(f->ints); k++)
        text_printf(&t, "%s%lld", k ? "," : "", (long long)f->ints[k]);
    text_add(&t, "] floats []\n");
    return t.at;
}

static void run(const transform *f, rt_pool *pool)
{
    fe_context context = {0};
    rt_frame frame = {.pool = pool, .context = &context};
    fe_tensor in[2] = {f->at[X].t, f->at[WINDOW].t};
    rt_call call = {.in = in,
                    .out = &f->at[Y].t,
                    .in_count = 2,
                    .out_count = 1,
                    .ints = f->ints,
                    .states_nothing = 1};
    EXPECT_INT(rt_op_fourier(&frame, &call), 0);
    rt_area_free(&context.area);
}

/* Of the whole result, as the norm of a vector; gaps are 0 in both. */
static double relative_error(const transform *f, const void *wanted)
{
    ty_dtype real = ty_complex_to_real(f->at[Y].dtype);
    double error = 0, size = 0;
    for (size_t at = 0; at < f->at[Y].bytes; at += ty_dtype_size(real)) {
        double a, b;
        loop_convert(TY_F64, &a, real, (const char *)f->at[Y].t.data + at);
        loop_convert(TY_F64, &b, real, (const char *)wanted + at);
        error += (a - b) * (a - b);
        size += b * b;
    }
    return sqrt(error / (size + 1e-30));
}

static fe_status is_right(fe_session *session, const transform *f)
{
    loop_program *p;
    const char *source = text_of(session, f);
    void *buffers[OPERANDS] = {f->at[X].t.data, f->at[WINDOW].t.data, NULL};
    FE_TRY(loop_parse(session, session->memory, source, strlen(source), &p));
    if (!buffers[WINDOW]) buffers[WINDOW] = buffers[X];
    buffers[Y] = arena_alloc(session->memory, f->at[Y].bytes);
    memset(buffers[Y], 0, f->at[Y].bytes);
    loop_machine machine = {.buffers = buffers, .memory = session->memory};
    FE_TRY(loop_interpret(p, &machine));
    double most = ty_dtype_size(ty_complex_to_real(f->at[Y].dtype)) == 4 ? 1e-6 : 1e-13;
    static const char *const ISAS[] = {"baseline", "x86-64-v3", "x86-64-v4"};
    for (uint32_t k = 0; k < COUNT_OF(ISAS); k++) {
        if (rt_isa_force(ISAS[k])) continue;
        memset(f->at[Y].t.data, 0, f->at[Y].bytes);
        run(f, NULL);
        double error = relative_error(f, buffers[Y]);
        if (!EXPECT(error <= most)) printf("%s: off by %g\n%s", ISAS[k], error, source);
        void *alone = arena_copy(session->memory, f->at[Y].t.data, f->at[Y].bytes);
        run(f, rt_pool_get(2));
        EXPECT(memcmp(alone, f->at[Y].t.data, f->at[Y].bytes) == 0);
    }
    return FE_OK;
}

static fe_status all_right(fe_session *session, uint32_t rounds, const int64_t *lengths,
                           uint32_t count, int64_t most_rows)
{
    dice d = {rounds};
    for (uint32_t round = 0; round < rounds; round++) {
        int64_t length = count ? lengths[round % count] : 1 + round % 80;
        FE_TRY(is_right(session, any_transform(session, &d, length, most_rows)));
    }
    rt_isa_force("native");
    return FE_OK;
}

SESSION_TEST(short_transforms_are_what_their_definition_says)
{
    return all_right(session, 800, NULL, 0, 70);
}

SESSION_TEST(transforms_of_every_kind_of_length_are_what_their_definition_says)
{
    static const int64_t LENGTHS[] = {
        81,  90,  96,  97,  100, 105, 121, 124, 125, 127, 128, 143, 144, 169, 180,  192,  200,
        202, 225, 240, 243, 250, 256, 257, 289, 320, 330, 343, 360, 361, 384, 400,  420,  441,
        480, 512, 514, 529, 576, 600, 625, 640, 729, 768, 800, 841, 900, 961, 1000, 1009, 1024};
    return all_right(session, 2 * COUNT_OF(LENGTHS), LENGTHS, COUNT_OF(LENGTHS), 3);
}

SESSION_TEST(many_rows_are_transformed_side_by_side)
{
    static const int64_t LENGTHS[] = {4, 16, 30, 37, 64, 74, 100, 128};
    return all_right(session, 3 * COUNT_OF(LENGTHS), LENGTHS, COUNT_OF(LENGTHS), 150);
}

SESSION_TEST(a_transform_of_no_points_is_refused)
{
    dice d = {1};
    transform *f = any_transform(session, &d, 1, 3);
    fe_context context = {0};
    rt_frame frame = {.context = &context};
    rt_call call = {
        .in = &f->at[X].t, .out = &f->at[Y].t, .in_count = 1, .out_count = 1, .ints = f->ints};
    f->ints[2] = 0;
    EXPECT(rt_op_fourier(&frame, &call) != 0);
    EXPECT(strstr(context.error, "0 points"));
    return FE_OK;
}
