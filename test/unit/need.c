/* need.c -- runtime operators work in no more memory than loop/need.c says: random shapes, layouts, numbers
 * of threads, on every instruction set. What an operator asks for beyond it would come from the blocks of
 * the process, and these stay as they are. */
#include "unit.h"

#include "../../rt/rt_entry.h"
#include "../../rt/rt_fourier_need.h"
#include "../../rt/rt_kernels.h"
#include "../../rt/rt_library.h"
#include "loop/loop.h"

#include <stdio.h>
#include <string.h>

enum { RANK = 5, OPERANDS = 6, INTS = 16 };

typedef struct dice {
    uint32_t state;
} dice;

static int64_t roll(dice *d, int64_t from, int64_t to)
{
    d->state = d->state * 1664525u + 1013904223u;
    return from + (int64_t)(d->state >> 8) % (to - from + 1);
}

/* ---- a call, as text and for the runtime ---- */

typedef struct operand {
    uint32_t rank;
    ty_dtype dtype; /* none: absent */
    int64_t sizes[RANK], strides[RANK], elements;
} operand;

typedef struct trial {
    const char *kernel;
    operand at[OPERANDS];
    uint32_t inputs, outputs, ints;
    int64_t numbers[INTS];
    double floats[2];
} trial;

/* Dimensions in memory in an order of the dice. */
static operand some(dice *d, ty_dtype dtype, uint32_t rank, const int64_t *sizes, bool any_order)
{
    operand o = {.rank = rank, .dtype = dtype, .elements = 1};
    uint32_t order[RANK] = {0, 1, 2, 3, 4};
    memcpy(o.sizes, sizes, rank * sizeof *sizes);
    for (uint32_t k = rank; any_order && k > 1; k--) {
        uint32_t other = (uint32_t)roll(d, 0, k - 1), swap = order[other];
        order[other] = order[k - 1];
        order[k - 1] = swap;
    }
    for (uint32_t k = rank; k-- > 0; o.elements *= sizes[order[k]])
        o.strides[order[k]] = o.elements;
    return o;
}

#define SOME(any, dtype, ...)                                                                    \
    some(d, dtype, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__}, \
         any)

static void print_list(text *out, const char *braces, const int64_t *list, uint32_t count)
{
    text_char(out, braces[0]);
    for (uint32_t k = 0; k < count; k++)
        text_printf(out, "%s%lld", k ? "," : "", (long long)list[k]);
    text_char(out, braces[1]);
}

static void print_view(text *out, const operand *o, uint32_t k)
{
    if (o->dtype == TY_NO_DTYPE) {
        text_add(out, "none");
        return;
    }
    text_printf(out, "@b%u", k);
    print_list(out, "[]", o->sizes, o->rank);
    print_list(out, "{}", o->strides, o->rank);
}

static const char *text_of(const trial *t, arena *memory)
{
    text out;
    text_init(&out, memory);
    text_add(&out, "program p\n");
    for (uint32_t k = 0; k < t->inputs + t->outputs; k++) {
        const operand *o = &t->at[k];
        if (o->dtype == TY_NO_DTYPE) continue;
        text_printf(&out, "%s @b%u : %s", k < t->inputs ? "input" : "temp", k,
                    ty_dtype_name(o->dtype));
        print_list(&out, "[]", o->sizes, o->rank);
        text_add(&out, " strides ");
        print_list(&out, "[]", o->strides, o->rank);
        text_char(&out, '\n');
    }
    text_printf(&out, "extern %s (", t->kernel);
    for (uint32_t k = 0; k < t->inputs + t->outputs; k++) {
        if (k) text_add(&out, k == t->inputs ? ") -> (" : ", ");
        print_view(&out, &t->at[k], k);
    }
    text_add(&out, ") ints ");
    print_list(&out, "[]", t->numbers, t->ints);
    text_add(&out, " floats []\n");
    return out.at;
}

static fe_tensor tensor_of(dice *d, const operand *o, arena *memory)
{
    fe_tensor t = {NULL, (uint32_t)ty_dtype_number(o->dtype), o->rank, o->sizes, o->strides};
    if (o->dtype == TY_NO_DTYPE) return t;
    size_t bytes = (size_t)o->elements * ty_dtype_size(o->dtype);
    t.data = memset(arena_alloc(memory, bytes + 64), 0, bytes + 64);
    for (int64_t k = 0; o->dtype == TY_F32 && k < o->elements; k++)
        ((float *)t.data)[k] = (float)roll(d, -99, 99);
    for (int64_t k = 0; o->dtype == TY_I64 && k < o->elements; k++)
        ((int64_t *)t.data)[k] = roll(d, -99, 99);
    return t;
}

typedef int operator_fn(rt_frame *frame, const rt_call *call);

static operator_fn *function_of(const char *kernel)
{
    static const struct {
        const char *name;
        operator_fn *function;
    } rows[] = {{"gemm", rt_op_gemm},
                {"quantised_gemm", rt_op_quantised_gemm},
                {"integer_gemm", rt_op_integer_gemm},
                {"half_gemm", rt_op_half_gemm},
                {"half_bmm", rt_op_half_bmm},
                {"bmm", rt_op_bmm},
                {"conv", rt_op_conv},
                {"half_conv", rt_op_half_conv},
                {"winograd", rt_op_winograd},
                {"sdpa", rt_op_sdpa},
                {"sort", rt_op_sort},
                {"topk", rt_op_topk},
                {"select", rt_op_select},
                {"mode", rt_op_mode},
                {"unique", rt_op_unique},
                {"triangular_solve", rt_op_triangular_solve},
                {"matrix_exp", rt_op_matrix_exp},
                {"fourier", rt_op_fourier}};
    for (size_t k = 0; k < COUNT_OF(rows); k++)
        if (strcmp(rows[k].name, kernel) == 0) return rows[k].function;
    return NULL;
}

static fe_status keeps_to_it(fe_session *session, dice *d, const trial *t, uint32_t threads)
{
    arena *memory = arena_new(session);
    const char *source = text_of(t, memory);
    loop_program *p;
    fe_tensor tensors[OPERANDS];
    int64_t shared = 0, each = 0;
    FE_TRY(loop_parse(session, memory, source, strlen(source), &p));
    loop_need need = loop_need_of(p, &p->ops.at[0]);
    EXPECT(sym_is_int(p->symbols, need.shared, &shared) &&
           sym_is_int(p->symbols, need.each, &each));
    for (uint32_t k = 0; k < t->inputs + t->outputs; k++)
        tensors[k] = tensor_of(d, &t->at[k], memory);
    char *work = arena_alloc(memory, (size_t)shared + 64);
    work += -(uintptr_t)work % 64;
    rt_frame *frame = rt_services_here.frame_new(threads);
    rt_area *area = &frame->context->area;
    EXPECT(rt_area_grow(area, frame->pool, (size_t)each) == 0);
    area->is_whole = 1;
    size_t before = rt_scratch_bytes();
    rt_call call = {.in = tensors,
                    .out = tensors + t->inputs,
                    .in_count = t->inputs,
                    .out_count = t->outputs,
                    .ints = t->numbers,
                    .floats = t->floats,
                    .work = work,
                    .work_bytes = shared};
    int failed = function_of(t->kernel)(frame, &call);
    if (!EXPECT(failed == 0) || !EXPECT(rt_scratch_bytes() == before))
        printf("  %u threads, %s: %s%s", threads, rt_isa(), frame->context->error, source);
    rt_services_here.frame_free(frame);
    rt_scratch_release();
    arena_free(memory);
    return FE_OK;
}

/* ---- shapes ---- */

static trial quantised(dice *d)
{
    int64_t m = roll(d, 1, 40), n = roll(d, 1, 100), groups = roll(d, 1, 3),
            k = groups * 8 * roll(d, 1, 20);
    trial t = {.kernel = "quantised_gemm", .inputs = 5, .outputs = 1, .ints = 1};
    t.numbers[0] = roll(d, 0, 1) ? 4 : 8;
    t.at[0] = SOME(false, TY_F32, m, k);
    t.at[1] = SOME(roll(d, 0, 1), TY_I8, k, n);
    t.at[2] = SOME(false, TY_F32, groups, n);
    t.at[3] = SOME(false, TY_F32, groups, n);
    t.at[4] = SOME(false, TY_F32, n);
    t.at[5] = SOME(false, TY_F32, m, n);
    return t;
}

static trial integers(dice *d)
{
    int64_t m = roll(d, 1, 40), n = roll(d, 1, 100), k = roll(d, 1, 300);
    trial t = {.kernel = "integer_gemm", .inputs = 2, .outputs = 1};
    t.at[0] = SOME(false, roll(d, 0, 1) ? TY_I8 : TY_U8, m, k);
    t.at[1] = SOME(roll(d, 0, 1), TY_I8, k, n);
    t.at[2] = SOME(false, TY_I32, m, n);
    return t;
}

static trial halves(dice *d)
{
    int64_t m = roll(d, 1, 40), n = roll(d, 1, 100), k = roll(d, 1, 900);
    ty_dtype dtype = roll(d, 0, 1) ? TY_BF16 : TY_F16;
    trial t = {.kernel = "half_gemm", .inputs = 3, .outputs = 1};
    t.at[0] = SOME(roll(d, 0, 1), dtype, m, k);
    t.at[1] = SOME(roll(d, 0, 1), dtype, k, n);
    t.at[2] = SOME(false, TY_F32, n);
    t.at[3] = SOME(false, TY_F32, m, n);
    return t;
}

static trial batch_of_halves(dice *d)
{
    int64_t batch = roll(d, 1, 3), m = roll(d, 1, 250), n = roll(d, 1, 200), k = roll(d, 1, 300);
    ty_dtype dtype = roll(d, 0, 1) ? TY_BF16 : TY_F16;
    trial t = {.kernel = "half_bmm", .inputs = 2, .outputs = 1};
    if (roll(d, 0, 3) == 0) m = roll(d, 1, 5);
    if (roll(d, 0, 3) == 0) k = roll(d, 1, 40);
    t.at[0] = SOME(roll(d, 0, 1), dtype, batch, m, k);
    t.at[1] = SOME(roll(d, 0, 1), dtype, batch, k, n);
    t.at[2] = SOME(false, TY_F32, batch, m, n);
    return t;
}

static trial product(dice *d)
{
    int64_t m = roll(d, 1, 90), n = roll(d, 1, 200), k = roll(d, 1, 300), batch = roll(d, 1, 3);
    bool any = roll(d, 0, 1);
    trial t = {.kernel = "bmm", .inputs = 3, .outputs = 1, .floats = {1, 0}};
    if (roll(d, 0, 1)) {
        t.kernel = "gemm";
        t.ints = 1;
        t.at[0] = SOME(any, TY_F32, m, k);
        t.at[1] = SOME(any, TY_F32, k, n);
        t.at[3] = SOME(false, TY_F32, m, n);
    } else {
        t.at[0] = SOME(any, TY_F32, batch, m, k);
        t.at[1] = SOME(any, TY_F32, batch, k, n);
        t.at[3] = SOME(any, TY_F32, batch, m, n);
    }
    return t;
}

static trial convolution(dice *d)
{
    uint32_t spatial = (uint32_t)roll(d, 1, 3);
    int64_t groups = roll(d, 0, 3) ? 1 : roll(d, 2, 12), each = roll(d, 0, 2) ? roll(d, 1, 20) : 1,
            out_each = roll(d, 0, 2) ? roll(d, 1, 40) : 1, sizes[3][RANK];
    bool transposed = roll(d, 0, 3) == 0, any = roll(d, 0, 1);
    trial t = {.kernel = "conv", .inputs = 3, .outputs = 1, .ints = 4 + 4 * spatial};
    t.numbers[0] = spatial;
    t.numbers[1] = groups;
    t.numbers[2] = transposed;
    sizes[0][0] = sizes[2][0] = roll(d, 1, 2);
    sizes[0][1] = groups * each;
    sizes[2][1] = groups * out_each;
    sizes[1][0] = groups * (transposed ? each : out_each);
    sizes[1][1] = transposed ? out_each : each;
    for (uint32_t k = 0; k < spatial; k++) {
        int64_t kernel = roll(d, 1, 5), stride = roll(d, 1, 3), pad = roll(d, 0, kernel - 1),
                dilation = roll(d, 1, 2), window = dilation * (kernel - 1) + 1,
                size = roll(d, 1,
                            spatial == 1   ? 900
                            : spatial == 2 ? 50
                                           : 9) +
                       window;
        t.numbers[4 + k] = stride;
        t.numbers[4 + spatial + k] = pad;
        t.numbers[4 + 2 * spatial + k] = dilation;
        sizes[0][2 + k] = size;
        sizes[1][2 + k] = kernel;
        sizes[2][2 + k] = transposed ? (size - 1) * stride - 2 * pad + window
                                     : (size + 2 * pad - window) / stride + 1;
    }
    t.at[0] = some(d, TY_F32, 2 + spatial, sizes[0], any);
    t.at[1] = some(d, TY_F32, 2 + spatial, sizes[1], any);
    t.at[3] = some(d, TY_F32, 2 + spatial, sizes[2], roll(d, 0, 1));
    return t;
}

static trial tiles(dice *d)
{
    int64_t batch = roll(d, 1, 3), in = roll(d, 1, 80), out = roll(d, 1, 70),
            height = roll(d, 2, 40), width = roll(d, 2, 40), above = roll(d, 1, 2),
            left = roll(d, 1, 2);
    bool any = roll(d, 0, 1);
    trial t = {.kernel = "winograd", .inputs = 3, .outputs = 1, .ints = 4};
    t.numbers[0] = 2 * roll(d, 1, 2);
    t.numbers[1] = above;
    t.numbers[2] = left;
    t.at[0] = SOME(any, TY_F32, batch, in, height, width);
    t.at[1] = SOME(any, TY_F32, out, in, 3, 3);
    t.at[3] = SOME(roll(d, 0, 1), TY_F32, batch, out, height + 2 * above - 2, width + 2 * left - 2);
    return t;
}

/* Of bf16, also with the tiles that floats go by. */
static trial half_convolution(dice *d)
{
    bool has_tile = roll(d, 0, 4) == 0;
    trial from = has_tile ? tiles(d) : convolution(d), t = from;
    t.kernel = "half_conv";
    t.at[0].dtype = t.at[1].dtype = TY_BF16;
    if (!has_tile) return t;
    t.ints = 12;
    memcpy(
        t.numbers,
        (int64_t[]){2, 1, 0, from.numbers[0], 1, 1, from.numbers[1], from.numbers[2], 1, 1, 0, 0},
        12 * sizeof *t.numbers);
    return t;
}

static trial attention(dice *d)
{
    int64_t batch = roll(d, 1, 2), kv = roll(d, 1, 2), heads = kv * roll(d, 1, 2),
            queries = roll(d, 1, 70), keys = roll(d, 1, 700), width = roll(d, 1, 70),
            values = roll(d, 1, 70);
    bool any = roll(d, 0, 1);
    trial t = {.kernel = "sdpa", .inputs = 4, .outputs = 1, .ints = 4, .floats = {0.5}};
    t.numbers[0] = roll(d, 0, 1);
    t.numbers[1] = heads / kv;
    static const ty_dtype stored[] = {TY_F32, TY_BF16, TY_F16};
    ty_dtype dtype = stored[roll(d, 0, 2)], asked = roll(d, 0, 1) ? dtype : TY_F32;
    t.at[0] = SOME(any, asked, batch, heads, queries, width);
    t.at[1] = SOME(any, dtype, batch, kv, keys, width);
    t.at[2] = SOME(any, dtype, batch, kv, keys, values);
    t.at[4] = SOME(any, asked, batch, heads, queries, values);
    return t;
}

static trial ordering(dice *d)
{
    static const char *const kernels[] = {"sort", "topk", "select", "mode"};
    int64_t n = roll(d, 0, 3) ? roll(d, 1, 700) : roll(d, 16000, 40000), rows = roll(d, 1, 4);
    ty_dtype dtype = roll(d, 0, 1) ? TY_F32 : TY_I64;
    trial t = {.kernel = kernels[roll(d, 0, 3)], .inputs = 1, .outputs = 2, .ints = 3};
    bool any = roll(d, 0, 1), is_top = strcmp(t.kernel, "topk") == 0;
    int64_t many = is_top ? roll(d, 0, 1) ? roll(d, 1, n) : roll(d, 1, n < 30 ? n : 30)
                   : strcmp(t.kernel, "sort") == 0 ? n
                                                   : 1;
    t.numbers[0] = 1;
    t.numbers[2] = is_top ? many : roll(d, 0, n - 1);
    t.at[0] = SOME(any, dtype, rows, n);
    t.at[1] = SOME(any, dtype, rows, many);
    t.at[2] = SOME(any, TY_I64, rows, many);
    if (strcmp(t.kernel, "select") == 0) t.numbers[1] = roll(d, 0, 2);
    if (strcmp(t.kernel, "sort") == 0 || is_top) t.numbers[1] = roll(d, 0, 1);
    return t;
}

static trial matrices(dice *d)
{
    int64_t n = roll(d, 1, 20), r = roll(d, 1, 9), rows = roll(d, 0, 400), one = 1;
    trial t = {.kernel = "unique", .inputs = 1, .outputs = 4, .ints = 1};
    switch (roll(d, 0, 2)) {
    case 0:
        t.numbers[0] = roll(d, 0, 1);
        t.at[0] = SOME(false, TY_I64, rows, roll(d, 1, 2));
        for (uint32_t k = 1; k < 4; k++) t.at[k] = SOME(false, TY_I64, rows);
        t.at[4] = SOME(false, TY_I64, one);
        return t;
    case 1:
        t = (trial){.kernel = "triangular_solve", .inputs = 2, .outputs = 1, .ints = 2};
        t.at[0] = SOME(true, TY_F32, n, n);
        t.at[1] = SOME(true, TY_F32, n, r);
        t.at[2] = (operand){2, TY_F32, {n, r}, {1, n}, n * r};
        return t;
    default:
        t = (trial){.kernel = "matrix_exp", .inputs = 1, .outputs = 1};
        t.at[0] = SOME(true, TY_F64, r, n, n);
        t.at[1] = SOME(false, TY_F64, r, n, n);
        return t;
    }
}

static trial spectrum(dice *d)
{
    bool is_double = roll(d, 0, 1), forward = roll(d, 0, 1), whole = roll(d, 0, 1);
    ty_dtype real = is_double ? TY_F64 : TY_F32, complex = is_double ? TY_C128 : TY_C64;
    int64_t n = roll(d, 0, 4) ? roll(d, 1, 90) : roll(d, 1, 9000), rows = roll(d, 1, 40),
            more = n < 90 ? roll(d, 1, 3) : 1, kind = roll(d, 0, 2), half = n / 2 + 1;
    int64_t in = kind == 2 ? half : n, out = kind == 1 && !whole ? half : n;
    trial t = {.kernel = "fourier", .inputs = 2, .outputs = 1, .ints = 5};
    t.at[0] = SOME(roll(d, 0, 1), kind == 1 ? real : complex, rows, in, more);
    t.at[2] = SOME(roll(d, 0, 1), kind == 2 ? real : complex, rows, out, more);
    if (kind != 2 && roll(d, 0, 2) == 0) t.at[1] = SOME(false, real, n);
    t.numbers[0] = 1;
    t.numbers[1] = !forward;
    t.numbers[2] = t.numbers[4] = n;
    return t;
}

SESSION_TEST(operators_work_in_what_they_state)
{
    static trial (*const kinds[])(dice *) = {
        product,  quantised, convolution, tiles,  attention,        ordering,
        matrices, spectrum,  integers,    halves, half_convolution, batch_of_halves};
    static const char *const isas[] = {"native", "x86-64-v4", "x86-64-v3", "baseline"};
    dice d = {7};
    for (uint32_t round = 0; round < 1100; round++) {
        if (rt_isa_force(isas[round % 4]) != 0) continue;
        trial t = kinds[round / 4 % COUNT_OF(kinds)](&d);
        FE_TRY(keeps_to_it(session, &d, &t, (uint32_t)roll(&d, 1, 5)));
    }
    rt_isa_force("native");
    return FE_OK;
}

/* ---- lengths that are symbols ---- */

static bool value_of(void *data, sym_expr symbol, int64_t *value)
{
    (void)symbol;
    *value = *(const int64_t *)data;
    return true;
}

static int64_t most_of(const rt_fft_shape *shape)
{
    int64_t most = 0;
    for (int64_t vector = rt_fft_real_bytes(shape); vector <= RT_FFT_WIDEST_VECTOR; vector *= 2) {
        int64_t bytes = rt_fft_work_bytes(shape, rt_fft_lanes(shape, vector));
        if (bytes > most) most = bytes;
    }
    return most;
}

/* Of rows of any length: what is stated is enough, and not much more than a long row takes. */
static fe_status bounds_rows(fe_session *session, dice *d, bool is_double, bool is_real,
                             int64_t rows)
{
    arena *memory = arena_new(session);
    const char *complex = is_double ? "c128" : "c64", *real = is_double ? "f64" : "f32";
    const char *source = arena_printf(
        memory,
        "program p\nsymbol s0 in [1, ]\ninput @x : %s[%lld,s0] strides [s0,1]\n"
        "temp @y : %s[%lld,s0] strides [s0,1]\nextern fourier (@x[%lld,s0]{s0,1}, none) -> "
        "(@y[%lld,s0]{s0,1}) ints [1, 0, s0, 0, s0] floats []\n",
        is_real ? real : complex, (long long)rows, complex, (long long)rows, (long long)rows,
        (long long)rows);
    loop_program *p;
    FE_TRY(loop_parse(session, memory, source, strlen(source), &p));
    loop_need need = loop_need_of(p, &p->ops.at[0]);
    for (int k = 0; k < 400; k++) {
        int64_t length = roll(d, 1, k % 2 ? 300 : 300000), stated = 0;
        bool is_half = is_real && length % 2 == 0;
        EXPECT(sym_eval(p->symbols, need.each, value_of, &length, &stated));
        rt_fft_shape shape = {is_half ? length / 2 : length, rows, length, is_half, is_double, 1};
        if (!EXPECT(most_of(&shape) <= stated))
            printf("  %lld of %lld rows: %lld\n%s", (long long)length, (long long)rows,
                   (long long)stated, source);
        EXPECT(stated <= 16 * length * (is_double ? 8 : 4) * 16 + (1 << 18));
    }
    arena_free(memory);
    return FE_OK;
}

SESSION_TEST(transforms_of_any_length_work_in_what_they_state)
{
    dice d = {3};
    for (uint32_t k = 0; k < 16; k++)
        FE_TRY(bounds_rows(session, &d, k & 1, k & 2, k & 4 ? 1 + k % 3 : 40));
    return FE_OK;
}
