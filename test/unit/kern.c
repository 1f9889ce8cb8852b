/* kern.c -- generated kernels against the reference interpreter.
 *
 * A case is a loop program with sizes left open ($N, $M). Every case and size is scheduled and made
 * into kernels for one instruction set; all kernels go into one C file, which the machine's compiler
 * turns into a library; the groups are run over random pieces of their rows and columns, and every
 * buffer is compared with what loop_interpret computed. Buffers end where a page without access
 * begins, so that a load or store past the end is a crash.
 */
#include "driver/driver.h"
#include "kern/legal/legal.h"
#include "kern_trial.h"
#include "loop/loop_priv.h"

#include "../rt/rt_kernels.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- programs ---- */

#define ROWS2(dtype, name) name " : " dtype "[$M,$N] strides [$N,1]\n"

static const char *const CASES[] = {
    /* a chain with broadcasting, and a second output */
    "input " ROWS2("f32", "@x") "input @b : f32[$N] strides [1]\n"
                                "temp " ROWS2("f32", "@o") "temp " ROWS2(
                                    "bool",
                                    "@p") "nest [i0 < $M, i1 < $N] {\n"
                                          "  %0 = load f32 @x[$N*i0 + i1]\n  %1 = load f32 "
                                          "@b[i1]\n  %2 = add %0, %1 : f32\n"
                                          "  %3 = const 0.5 : f32\n  %4 = max %2, %3 : f32\n  %5 = "
                                          "rsqrt %4 : f32\n  @o[$N*i0 + i1] = %5\n"
                                          "  %6 = lt %0, %1 : bool\n  @p[$N*i0 + i1] = "
                                          "%6\n}\noutput @o[$M,$N]{$N,1}\n",
    /* transposed and strided operands, f64 */
    "input @x : f64[$N,$M] strides [$M,1]\ninput @y : f64[$M,$N] strides [3*$N,3]\n"
    "temp " ROWS2("f64",
                  "@o") "nest [i0 < $M, i1 < $N] {\n"
                        "  %0 = load f64 @x[$M*i1 + i0]\n  %1 = load f64 @y[3*$N*i0 + 3*i1]\n"
                        "  %2 = fmod %0, %1 : f64\n  %3 = sin %2 : f64\n  @o[$N*i0 + i1] = %3\n}\n"
                        "output @o[$M,$N]{$N,1}\n",
    /* integers of several widths: floor division, remainder, shifts, select, conversions */
    "input " ROWS2("i64", "@x") "input " ROWS2("i64", "@y") "input " ROWS2(
        "u8",
        "@z") "temp " ROWS2("i64",
                            "@o") "temp " ROWS2("i32",
                                                "@q") "temp " ROWS2("u8",
                                                                    "@r") "nest [i0 < $M, i1 < $N] "
                                                                          "{\n"
                                                                          "  %0 = load i64 "
                                                                          "@x[$N*i0 + i1]\n  %1 = "
                                                                          "load i64 @y[$N*i0 + "
                                                                          "i1]\n"
                                                                          "  %2 = floordiv %0, %1 "
                                                                          ": i64\n  %3 = rem %0, "
                                                                          "%1 : i64\n  %4 = shl "
                                                                          "%2, %3 : i64\n"
                                                                          "  %5 = le %2, %3 : "
                                                                          "bool\n  %6 = where %5, "
                                                                          "%4, %0 : i64\n  "
                                                                          "@o[$N*i0 + i1] = %6\n"
                                                                          "  %7 = cast %3 : i32\n  "
                                                                          "%8 = abs %7 : i32\n  "
                                                                          "@q[$N*i0 + i1] = %8\n"
                                                                          "  %9 = load u8 @z[$N*i0 "
                                                                          "+ i1]\n  %10 = mul %9, "
                                                                          "%9 : u8\n  @r[$N*i0 + "
                                                                          "i1] = %10\n}\n"
                                                                          "output "
                                                                          "@o[$M,$N]{$N,1}\n",
    /* halves */
    "input " ROWS2("f16", "@x") "input " ROWS2("bf16", "@y") "temp " ROWS2(
        "f16", "@o") "temp " ROWS2("bf16", "@q") "nest [i0 < $M, i1 < $N] {\n"
                                                 "  %0 = load f16 @x[$N*i0 + i1]\n  %1 = cast %0 : "
                                                 "f32\n  %2 = load bf16 @y[$N*i0 + i1]\n"
                                                 "  %3 = cast %2 : f32\n  %4 = mul %1, %3 : f32\n  "
                                                 "%5 = cast %4 : f16\n  @o[$N*i0 + i1] = %5\n"
                                                 "  %6 = cast %4 : bf16\n  @q[$N*i0 + i1] = "
                                                 "%6\n}\noutput @o[$M,$N]{$N,1}\n",
    /* softmax */
    "input " ROWS2(
        "f32",
        "@x") "temp @m : f32[$M] strides [1]\ntemp @s : f32[$M] strides [1]\n"
              "temp " ROWS2("f32", "@e") "temp " ROWS2(
                  "f32",
                  "@o") "nest [i0 < $M] reduce [r0 < $N] {\n  %0 = load f32 @x[$N*i0 + r0]\n  "
                        "@m[i0] = max_of %0\n}\n"
                        "nest [i0 < $M, i1 < $N] {\n  %0 = load f32 @x[$N*i0 + i1]\n  %1 = load "
                        "f32 @m[i0]\n"
                        "  %2 = sub %0, %1 : f32\n  %3 = exp %2 : f32\n  @e[$N*i0 + i1] = %3\n}\n"
                        "nest [i0 < $M] reduce [r0 < $N] {\n  %0 = load f32 @e[$N*i0 + r0]\n  "
                        "@s[i0] = sum %0\n}\n"
                        "nest [i0 < $M, i1 < $N] {\n  %0 = load f32 @e[$N*i0 + i1]\n  %1 = load "
                        "f32 @s[i0]\n"
                        "  %2 = div %0, %1 : f32\n  @o[$N*i0 + i1] = %2\n}\noutput "
                        "@o[$M,$N]{$N,1}\n",
    /* sums of squares along rows and along columns, of f32 and of i32 */
    "input " ROWS2("f32", "@x") "input " ROWS2(
        "i32", "@k") "temp @a : f32[$M] strides [1]\n"
                     "temp @b : f32[$N] strides [1]\ntemp @c : i32[$N] strides [1]\n"
                     "nest [i0 < $M] reduce [r0 < $N] {\n  %0 = load f32 @x[$N*i0 + r0]\n  %1 = "
                     "mul %0, %0 : f32\n"
                     "  @a[i0] = sum %1\n}\n"
                     "nest [i0 < $N] reduce [r0 < $M] {\n  %0 = load f32 @x[$N*r0 + i0]\n  %1 = "
                     "mul %0, %0 : f32\n"
                     "  @b[i0] = sum %1\n}\n"
                     "nest [i0 < $N] reduce [r0 < $M] {\n  %0 = load i32 @k[$N*r0 + i0]\n  @c[i0] "
                     "= prod %0\n}\n"
                     "output @a[$M]{1}\noutput @b[$N]{1}\noutput @c[$N]{1}\n",
    /* extremes and their places; truth of all and any */
    "input " ROWS2("f32", "@x") "input " ROWS2(
        "bool", "@t") "temp @a : f32[$M] strides [1]\n"
                      "temp @w : i64[$M] strides [1]\ntemp @v : i64[$N] strides [1]\ntemp @p : "
                      "bool[$M] strides [1]\n"
                      "temp @q : bool[$M] strides [1]\n"
                      "nest [i0 < $M] reduce [r0 < $N] {\n  %0 = load f32 @x[$N*i0 + r0]\n  @a[i0] "
                      "= min_of %0\n"
                      "  @w[i0] = argmax %0\n}\n"
                      "nest [i0 < $N] reduce [r0 < $M] {\n  %0 = load f32 @x[$N*r0 + i0]\n  @v[i0] "
                      "= argmin %0\n}\n"
                      "nest [i0 < $M] reduce [r0 < $N] {\n  %0 = load bool @t[$N*i0 + r0]\n  "
                      "@p[i0] = any %0\n"
                      "  @q[i0] = all %0\n}\n"
                      "output @a[$M]{1}\noutput @w[$M]{1}\noutput @v[$N]{1}\noutput "
                      "@p[$M]{1}\noutput @q[$M]{1}\n",
    /* rows looked up, and added up again where they came from */
    "input @e : f32[9,$N] strides [$N,1]\ninput @index9 : i64[$M] strides [1]\n"
    "temp " ROWS2(
        "f32",
        "@o") "temp @g : f32[9,$N] strides [$N,1]\n"
              "nest [i0 < $M, i1 < $N] {\n  %0 = load i64 @index9[i0]\n  j0 = indirect %0 < 9\n"
              "  %1 = load f32 @e[$N*j0 + i1]\n  @o[$N*i0 + i1] = %1\n}\n"
              "nest [i0 < 9*$N] {\n  %0 = const 0.0 : f32\n  @g[i0] = %0\n}\n"
              "nest [i0 < $M, i1 < $N] {\n  %0 = load i64 @index9[i0]\n  j0 = indirect %0 < 9\n"
              "  %1 = load f32 @o[$N*i0 + i1]\n  @g[$N*j0 + i1] add= %1\n}\n"
              "output @g[9,$N]{$N,1}\noutput @o[$M,$N]{$N,1}\n",
    /* padding: loads only where the condition holds */
    "input " ROWS2(
        "f32",
        "@x") "temp @o : f32[$M,$N + 4] strides [$N + 4,1]\n"
              "nest [i0 < $M, i1 < $N + 4] {\n  %0 = const 0 : i64\n  %1 = index i1 - 2 : i64\n"
              "  %2 = le %0, %1 : bool\n  %3 = const $N : i64\n  %4 = lt %1, %3 : bool\n"
              "  %5 = and %2, %4 : bool\n  %6 = load f32 @x[$N*i0 + i1 - 2]\n  %7 = const -1.0 : "
              "f32\n"
              "  %8 = masked %5, %6, %7 : f32\n  @o[($N + 4)*i0 + i1] = %8\n}\n"
              "output @o[$M,$N + 4]{$N + 4,1}\n",
    /* the bits of a bool, which is a byte in memory and a mask in lanes */
    "input " ROWS2("bool", "@x") "temp " ROWS2("u8", "@o") "temp " ROWS2(
        "bool", "@p") "nest [i0 < $M, i1 < $N] {\n"
                      "  %0 = load bool @x[$N*i0 + i1]\n  %1 = bitcast %0 : u8\n  %2 = const 1 : "
                      "u8\n  %3 = add %1, %2 : u8\n  @o[$N*i0 + i1] = %3\n"
                      "  %4 = xor %1, %2 : u8\n  %5 = bitcast %4 : bool\n  @p[$N*i0 + i1] = "
                      "%5\n}\noutput @o[$M,$N]{$N,1}\noutput @p[$M,$N]{$N,1}\n",
    /* complex */
    "input " ROWS2("c64", "@x") "temp " ROWS2(
        "c64",
        "@o") "temp @s : c64[$M] strides [1]\n"
              "nest [i0 < $M, i1 < $N] {\n  %0 = load c64 @x[$N*i0 + i1]\n  %1 = exp %0 : c64\n"
              "  %2 = mul %1, %0 : c64\n  @o[$N*i0 + i1] = %2\n}\n"
              "nest [i0 < $M] reduce [r0 < $N] {\n  %0 = load c64 @o[$N*i0 + r0]\n  @s[i0] = sum "
              "%0\n}\n"
              "output @s[$M]{1}\noutput @o[$M,$N]{$N,1}\n",
    /* scans along rows: kept in f64, read by the same loop, by a reduction and by a later phase, which
       divides by nothing that may be near 0, where last bits of a sum would become first ones */
    "input " ROWS2("f32", "@x") "temp " ROWS2("f32", "@c") "temp " ROWS2(
        "f32",
        "@o") "temp @s : f32[$M] strides [1]\n"
              "nest [i0 < $M] reduce [r0 < $N] {\n  %0 = load f32 @x[$N*i0 + r0]\n"
              "  %1 = tanh %0 : f32\n  %2 = cast %1 : f64\n  @c[$N*i0 + r0] = scan sum %2\n}\n"
              "nest [i0 < $M] reduce [r0 < $N] {\n  %0 = load f32 @c[$N*i0 + r0]\n"
              "  @s[i0] = max_of %0\n}\n"
              "nest [i0 < $M, i1 < $N] {\n  %0 = load f32 @c[$N*i0 + i1]\n"
              "  %1 = load f32 @s[i0]\n  %2 = abs %1 : f32\n  %3 = const 1.0 : f32\n"
              "  %4 = add %2, %3 : f32\n  %5 = div %0, %4 : f32\n  @o[$N*i0 + i1] = %5\n}\n"
              "output @c[$M,$N]{$N,1}\noutput @o[$M,$N]{$N,1}\n",
    /* scans down columns; the place of the greatest so far */
    "input " ROWS2("f32", "@x") "temp " ROWS2("f32", "@c") "temp " ROWS2("i64", "@p") "temp " ROWS2(
        "f32", "@q") "nest [i0 < $N] reduce [r0 < $M] {\n"
                     "  %0 = load f32 @x[i0 + $N*r0]\n"
                     "  @c[i0 + $N*r0] = scan max_of %0\n}\n"
                     "nest [i0 < $N] reduce [r0 < $M] {\n"
                     "  %0 = load f32 @x[i0 + $N*r0]\n"
                     "  %1 = load f32 @c[i0 + $N*r0]\n"
                     "  %2 = eq %0, %1 : bool\n  %3 = index r0 : i64\n"
                     "  %4 = const 0 : i64\n  %5 = where %2, %3, %4 : i64\n"
                     "  @p[i0 + $N*r0] = scan max_of %5\n}\n"
                     "nest [i0 < $N] reduce [r0 < $M] {\n"
                     "  %0 = load f32 @x[i0 + $N*r0]\n"
                     "  @q[i0 + $N*r0] = scan prod %0\n}\n"
                     "output @c[$M,$N]{$N,1}\noutput @p[$M,$N]{$N,1}\n"
                     "output @q[$M,$N]{$N,1}\n",
    /* scans of integers and truth values, and one that goes element by element */
    "input " ROWS2("i64", "@x") "input " ROWS2("bool", "@t") "input " ROWS2(
        "f64",
        "@y") "temp " ROWS2("i64",
                            "@a") "temp " ROWS2("bool",
                                                "@b") "temp " ROWS2("f64",
                                                                    "@l") "nest [i0 < $M] reduce "
                                                                          "[r0 < $N] {\n  %0 = "
                                                                          "load i64 @x[$N*i0 + "
                                                                          "r0]\n"
                                                                          "  @a[$N*i0 + r0] = scan "
                                                                          "sum %0\n}\n"
                                                                          "nest [i0 < $M] reduce "
                                                                          "[r0 < $N] {\n  %0 = "
                                                                          "load bool @t[$N*i0 + "
                                                                          "r0]\n"
                                                                          "  @b[$N*i0 + r0] = scan "
                                                                          "any %0\n}\n"
                                                                          "nest [i0 < $M] reduce "
                                                                          "[r0 < $N] {\n  %0 = "
                                                                          "load f64 @y[$N*i0 + "
                                                                          "r0]\n"
                                                                          "  @l[$N*i0 + r0] = scan "
                                                                          "log_sum_exp %0\n}\n"
                                                                          "output "
                                                                          "@a[$M,$N]{$N,1}\noutput "
                                                                          "@b[$M,$N]{$N,1}\noutput "
                                                                          "@l[$M,$N]{$N,1}\n",
};

typedef struct size {
    int rows, columns;
} size;
static const size SIZES[] = {{3, 1}, {5, 7}, {17, 16}, {2, 33}, {4, 64}, {2, 200}};

static const char *with_sizes(arena *memory, const char *pattern, size s)
{
    text out;
    text_init(&out, memory);
    text_add(&out, "program main\n");
    for (const char *at = pattern; *at; at++) {
        if (*at == '$')
            text_printf(&out, "%d", *++at == 'M' ? s.rows : s.columns);
        else
            text_char(&out, *at);
    }
    return out.at;
}

/* ---- one program, built ---- */

static uint64_t random_state;

static uint64_t random_bits(void)
{
    uint64_t state = random_state += 0x9E3779B97F4A7C15u;
    uint64_t z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9u;
    return (z ^ z >> 27) * 0x94D049BB133111EBu >> 11;
}

/* Memory that ends where a page without access begins. */
static void *guarded(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    char *at = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return NULL;
    mprotect(at + whole, page, PROT_NONE);
    return at + whole - bytes;
}

static loop_scalar random_scalar(ty_dtype d, int64_t limit)
{
    static const double SPECIAL[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 1e-42};
    loop_scalar v = {0};
    int64_t bits = (int64_t)random_bits();
    if (limit)
        v.i = bits % limit;
    else if (ty_is_integral(d, true))
        v.i = d == TY_BOOL ? bits & 1 : bits % 21 - (ty_dtype_kind(d) == TY_KIND_SIGNED ? 10 : 0);
    else
        for (int k = 0; k < 2; k++) {
            v.c[k] = (double)(random_bits() % 4096) / 1024 - 2;
            bool wild = d == TY_F32 && random_bits() % 64 == 0;
            if (wild) v.c[k] = SPECIAL[random_bits() % COUNT_OF(SPECIAL)];
        }
    return v;
}

static void make_buffers(trial *t)
{
    uint32_t count = t->p->buffers.count;
    t->elements = NEW_ARRAY(t->memory, int64_t, count);
    t->wanted = NEW_ARRAY(t->memory, void *, count);
    t->got = NEW_ARRAY(t->memory, void *, count);
    for (uint32_t i = 0; i < count; i++) {
        const loop_buffer *b = &t->p->buffers.at[i];
        CHECK(t->session, sym_is_int(t->p->symbols, b->elements, &t->elements[i]));
        size_t width = ty_dtype_size(b->dtype), bytes = (size_t)t->elements[i] * width;
        t->wanted[i] = guarded(bytes);
        t->got[i] = guarded(bytes);
        int64_t limit = strncmp(b->name, "index9", 6) == 0 ? 9 : 0;
        for (int64_t e = 0; b->kind != LOOP_TEMP && e < t->elements[i]; e++)
            loop_scalar_store(b->dtype, (char *)t->wanted[i] + (size_t)e * width,
                              random_scalar(b->dtype, limit));
        memcpy(t->got[i], t->wanted[i], bytes);
    }
}

fe_status trial_build(trial *t, const target_machine *target, const char *source)
{
    sched_options options = {.target = target};
    FE_TRY(loop_parse(t->session, t->memory, source, strlen(source), &t->p));
    FE_TRY(sched_build(t->p, &options, t->memory, &t->schedule));
    FE_TRY(kern_build(t->schedule, target, t->memory, &t->set));
    return FE_OK;
}

/* ---- all kernels of some trials as one library ---- */

const char *const TRIAL_FLAGS[] = {"-w -march=x86-64-v4 -mprefer-vector-width=512",
                                   "-w -march=x86-64-v3", "-w",
                                   "-std=c11 -pedantic-errors -Wall -Werror"};

bool trial_runs_here(size_t number)
{
    return target_runs(target_at((uint32_t)number), target_named(rt_isa_here()));
}

const char *trial_source(trial *trials, size_t count, const target_machine *target, arena *memory)
{
    VEC(const kern_kernel *) all = {0};
    map seen = {0};
    fe_session *session = trials[0].session;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < trials[i].set->kernels.count; k++) {
            const kern_kernel *one = &trials[i].set->kernels.at[k];
            uint64_t key = MAP_KEY(intern(session, one->name));
            if (map_get(&seen, key) != MAP_NONE) continue;
            map_set(memory, &seen, key, 1);
            vec_push(memory, &all, one);
        }
    text out;
    text_init(&out, memory);
    kern_prelude(target, all.at, all.count, &out);
    for (uint32_t k = 0; k < all.count; k++) text_add(&out, all.at[k]->source);
    /* in the runtime's place */
    text_add(&out, "void rt_outside(struct rt_fault *fault, i64 check, i64 index, i64 size)\n"
                   "{\n  i64 *seen = (void *)fault;\n"
                   "  seen[0] = 1, seen[1] = check, seen[2] = index, seen[3] = size;\n}\n");
    return out.at;
}

void *trial_compile(fe_session *session, const char *source, const char *flags)
{
    arena *memory = session->memory;
    driver_options o;
    driver_default_options(memory, &o);
    const char *cc = arena_printf(memory,
                                  "%s -O2 -fPIC -shared -ffp-contract=fast -fno-math-errno "
                                  "-fno-trapping-math %s",
                                  o.cc, flags);
    uint64_t key = hash_bytes(source, strlen(source), hash_bytes(cc, strlen(cc), 0));
    const char *folder,
        *kept = arena_printf(memory, "%s/%016llx.so", o.cache, (unsigned long long)key);
    if (!cache_has(session, kept, key)) {
        const char *prefix = arena_printf(memory, "%s/work-", o.cache);
        if (file_make_dirs(session, o.cache) != FE_OK ||
            file_make_unique_dir(session, memory, prefix, &folder) != FE_OK)
            return NULL;
        const char *c = arena_printf(memory, "%s/k.c", folder);
        const char *so = arena_printf(memory, "%s/k.so", folder);
        const char *command = arena_printf(memory, "%s %s -o %s -lm", cc, c, so);
        bool good = file_write(session, c, source, strlen(source)) == FE_OK &&
                    system(command) == 0 && cache_put(session, so, kept, key) == FE_OK;
        file_remove_tree(folder);
        if (!good) return NULL;
        cache_count(session, o.cache, o.cache_size, kept, 0);
    }
    cache_use(kept);
    return dlopen(kept, RTLD_NOW | RTLD_LOCAL);
}

/* ---- running and comparing ---- */

static int64_t value_of(trial *t, sym_expr e)
{
    int64_t value = 0;
    CHECK(t->session, sym_is_int(t->p->symbols, e, &value));
    return value;
}

/* By the machine, or as it is, without a compiler. */
static bool run_piece(trial *t, const kern_call *call, kernel run, const kernel_args *args,
                      const int64_t *piece)
{
    const kern_piece same = {args->buffers, args->ints, piece[0], piece[1], piece[2], piece[3]};
    if (run)
        run(args, piece[0], piece[1], piece[2], piece[3]);
    else
        return kern_run(t->set->kernels.at[call->kernel].legal, &same, t->memory);
    return !args->fault[0];
}

/* Rows and columns in random pieces. */
static void run_group(trial *t, const kern_call *call, kernel run)
{
    void **buffers = NEW_ARRAY(t->memory, void *, call->buffer_count + 1);
    int64_t *ints = NEW_ARRAY(t->memory, int64_t, call->int_count + 1);
    for (uint32_t i = 0; i < call->buffer_count; i++) buffers[i] = t->got[call->buffers[i]];
    for (uint32_t i = 0; i < call->int_count; i++) ints[i] = value_of(t, call->ints[i]);
    int64_t fault[4] = {0};
    kernel_args args = {buffers, ints, fault};
    int64_t rows = value_of(t, call->outer), columns = value_of(t, call->inner);
    for (int64_t m = 0, m1; m < rows; m = m1) {
        m1 = m + 1 + (int64_t)(random_bits() % (uint64_t)rows);
        if (m1 > rows) m1 = rows;
        for (int64_t n = 0, n1; n < columns; n = n1) {
            n1 = n + 1 + (int64_t)(random_bits() % (uint64_t)columns);
            if (n1 > columns || !call->split_inner) n1 = columns;
            EXPECT(run_piece(t, call, run, &args, (int64_t[]){m, m1, n, n1}));
        }
    }
}

static bool is_close(ty_dtype d, loop_scalar wanted, loop_scalar got)
{
    if (ty_is_integral(d, true)) return wanted.i == got.i;
    double eps = d == TY_F16 ? 2e-3 : d == TY_BF16 ? 1.6e-2 : d == TY_F64 ? 1e-13 : 3e-6;
    for (int k = 0; k < (ty_is_complex(d) ? 2 : 1); k++) {
        double a = wanted.c[k], b = got.c[k];
        bool same = a == b || (isnan(a) && isnan(b));
        if (!same && !(fabs(a - b) <= eps * (1 + fabs(a)))) return false;
    }
    return true;
}

static bool is_local(const trial *t, uint32_t buffer)
{
    for (uint32_t g = 0; g < t->schedule->groups.count; g++)
        for (uint32_t l = 0; l < t->schedule->groups.at[g].local_count; l++)
            if (t->schedule->groups.at[g].locals[l] == buffer) return true;
    return false;
}

static void compare(const trial *t)
{
    for (uint32_t i = 0; i < t->p->buffers.count; i++) {
        const loop_buffer *b = &t->p->buffers.at[i];
        size_t width = ty_dtype_size(b->dtype);
        for (int64_t e = 0; b->kind == LOOP_TEMP && !is_local(t, i) && e < t->elements[i]; e++) {
            loop_scalar wanted =
                loop_scalar_load(b->dtype, (char *)t->wanted[i] + (size_t)e * width);
            loop_scalar got = loop_scalar_load(b->dtype, (char *)t->got[i] + (size_t)e * width);
            if (EXPECT(is_close(b->dtype, wanted, got))) continue;
            text shown;
            text_init(&shown, t->memory);
            loop_print(t->p, &shown);
            printf("  @%s[%lld]: wanted %g or %lld, got %g or %lld, in\n%s", b->name, (long long)e,
                   wanted.f, (long long)wanted.i, got.f, (long long)got.i, shown.at);
            return;
        }
    }
}

static void run_groups(trial *t, void *library)
{
    for (uint32_t g = 0; g < t->schedule->groups.count; g++) {
        const kern_call *call = &t->set->calls[g];
        kernel run = NULL;
        if (!EXPECT(call->kernel != UINT32_MAX)) continue;
        if (library) *(void **)&run = dlsym(library, t->set->kernels.at[call->kernel].name);
        if (EXPECT(run || !library)) run_group(t, call, run);
    }
}

/* What plain C was compiled to has the bits that the kernel has by itself. */
static void compare_bits(trial *t)
{
    void **compiled = t->got, **alone = NEW_ARRAY(t->memory, void *, t->p->buffers.count);
    for (uint32_t i = 0; i < t->p->buffers.count; i++) {
        const loop_buffer *b = &t->p->buffers.at[i];
        size_t bytes = (size_t)t->elements[i] * ty_dtype_size(b->dtype);
        alone[i] = guarded(bytes);
        if (b->kind != LOOP_TEMP) memcpy(alone[i], compiled[i], bytes);
    }
    t->got = alone;
    run_groups(t, NULL);
    for (uint32_t i = 0; i < t->p->buffers.count; i++) {
        size_t bytes = (size_t)t->elements[i] * ty_dtype_size(t->p->buffers.at[i].dtype);
        EXPECT(memcmp(alone[i], compiled[i], bytes) == 0);
    }
}

static fe_status check_trial(trial *t, void *library)
{
    make_buffers(t);
    loop_machine machine = {.buffers = t->wanted, .memory = t->memory};
    FE_TRY(loop_interpret(t->p, &machine));
    run_groups(t, library);
    compare(t);
    if (library && t->set->kernels.at[0].target->plain) compare_bits(t);
    return FE_OK;
}

static fe_status check_target(fe_session *session, size_t number, bool outer)
{
    const target_machine *target = target_at((uint32_t)number);
    enum { COUNT = COUNT_OF(CASES) * COUNT_OF(SIZES) };
    arena *memory = session->memory;
    trial *trials = NEW_ARRAY(memory, trial, COUNT);
    if (!trial_runs_here(number)) return FE_OK;
    random_state = number; /* the same numbers on every machine */
    for (size_t i = 0; i < COUNT; i++) {
        trial *t = &trials[i];
        t->session = session;
        t->memory = memory;
        const char *pattern = CASES[i / COUNT_OF(SIZES)];
        FE_TRY(trial_build(t, target, with_sizes(memory, pattern, SIZES[i % COUNT_OF(SIZES)])));
        for (uint32_t g = 0; outer && g < t->schedule->groups.count; g++)
            if (t->schedule->groups.at[g].outer)
                t->schedule->groups.at[g].variant.vector = SCHED_VECTOR_OUTER;
        if (outer) FE_TRY(kern_build(t->schedule, target, memory, &t->set));
    }
    const char *source = trial_source(trials, COUNT, target, memory);
    void *library = trial_compile(session, source, TRIAL_FLAGS[number]);
    if (!EXPECT(library != NULL)) return FE_OK;
    for (size_t i = 0; i < COUNT; i++) FE_TRY(check_trial(&trials[i], library));
    dlclose(library);
    return FE_OK;
}

SESSION_TEST(kernels_for_avx512_compute_what_the_interpreter_does)
{
    return check_target(session, 0, false);
}

SESSION_TEST(kernels_for_avx2_compute_what_the_interpreter_does)
{
    return check_target(session, 1, false);
}

SESSION_TEST(kernels_for_any_machine_compute_what_the_interpreter_does)
{
    return check_target(session, 2, false);
}

SESSION_TEST(kernels_in_plain_c_compute_what_the_interpreter_does)
{
    return check_target(session, 3, false);
}

/* At one lane, of functions where an operation has one: what a language without a library would do. */
SESSION_TEST(legal_kernels_compute_the_same_without_a_compiler)
{
    arena *memory = session->memory;
    random_state = TRIAL_TARGET_COUNT;
    for (size_t i = 0; i < COUNT_OF(CASES) * COUNT_OF(SIZES); i++) {
        trial t = {.session = session, .memory = memory};
        const char *pattern = CASES[i / COUNT_OF(SIZES)];
        FE_TRY(trial_build(&t, target_at(TRIAL_SCALAR),
                           with_sizes(memory, pattern, SIZES[i % COUNT_OF(SIZES)])));
        for (uint32_t k = 0; i % 2 && k < t.set->kernels.count; k++) {
            t.set->library->scalars = true;
            t.set->kernels.at[k].legal =
                kern_legal(t.set->kernels.at[k].ir, t.set->library, t.set->kernels.at[k].target);
        }
        FE_TRY(check_trial(&t, NULL));
    }
    return FE_OK;
}

SESSION_TEST(vectors_along_rows_compute_the_same)
{
    for (size_t target = 0; target_at((uint32_t)target); target++)
        FE_TRY(check_target(session, target, true));
    return FE_OK;
}

/* ---- kernels are shared ---- */

SESSION_TEST(layers_of_other_sizes_share_a_kernel)
{
    arena *memory = session->memory;
    trial a = {.session = session, .memory = memory}, b = a;
    FE_TRY(trial_build(&a, target_at(0), with_sizes(memory, CASES[4], (size){20, 768})));
    FE_TRY(trial_build(&b, target_at(0), with_sizes(memory, CASES[4], (size){48, 1024})));
    EXPECT_INT(a.set->kernels.count, 1);
    EXPECT_TEXT(a.set->kernels.at[0].source, b.set->kernels.at[0].source);
    EXPECT_TEXT(a.set->kernels.at[0].name, b.set->kernels.at[0].name);
    return FE_OK;
}

/* ---- operations ---- */

/* These the interpreter does itself, with what it knows of dtypes and of the call. */
static bool is_of_the_interpreter(loop_opcode op)
{
    return op == LOOP_CAST || op == LOOP_BITCAST || op == LOOP_RANDBITS || op == LOOP_MASKED;
}

/* Is it computed as dtype d by a kernel, and does the reference know it then? */
static bool is_computed(loop_opcode op, ty_dtype d)
{
    loop_scalar ones[3], out;
    for (int i = 0; i < 3; i++)
        ones[i] = ty_is_integral(d, true) ? (loop_scalar){.i = 1} : (loop_scalar){.f = 1};
    if (!kern_can(target_at(0), op, d)) return false;
    if (!is_of_the_interpreter(op) && !loop_scalar_apply(op, d, ones, &out))
        unit_expect(false, __FILE__, __LINE__, loop_opcode_name(op));
    return true;
}

SESSION_TEST(every_operation_has_c_and_a_reference)
{
    const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I64, TY_U8, TY_BOOL, TY_C64};
    (void)session;
    for (int op = 0; op < LOOP_OPCODE_COUNT; op++) {
        bool any = loop_operand_count((loop_opcode)op) == 0 || op == LOOP_MASKED;
        for (size_t i = 0; i < COUNT_OF(dtypes); i++)
            any |= is_computed((loop_opcode)op, dtypes[i]);
        unit_expect(any, __FILE__, __LINE__, loop_opcode_name((loop_opcode)op));
    }
    return FE_OK;
}
