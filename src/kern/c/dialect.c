/* dialect.c -- the languages that kernels of devices are in, and what each has.
 *
 * Text of kernels is the same in all dialects. A dialect is a head of macros that stands in front of it: what
 * a kernel is (FE_KERNEL), where buffers are (FE_GLOBAL), how one is a parameter (FE_BUFFER) and a pointer
 * (FE_AT), integers (FE_INT; the number counts parameters), what each kernel is given besides (FE_CALL:
 * `fault`, `rows`, `columns`), the number of a work-item (FE_ITEM), and mathematics by the names of <math.h>.
 *
 * Where there are work-groups a head says what a kernel is whose rows they take (FE_GROUP_KERNEL), how
 * many work-items they have (FE_GROUP, which is in the table), the number of a work-item in its group
 * (FE_MEMBER), where memory of the group is (FE_LOCAL), and what all wait at (FE_BARRIER). Groups are as
 * large as the driver starts them.
 *
 * Where work-items may meet at an element it has a comparison with a swap of words (FE_SWAP32(p, seen, new)
 * is what was there, FE_SWAP64), and additions to some types (FE_ADD_i32(p, x)).
 */
#include "kern/c/c.h"

#include <string.h>

/* A check reports itself in memory of four numbers, the first to come alone. */
static const char OPENCL_HEAD[] =
    "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "typedef double f64;\n#endif\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#undef __GNUC__\n"
    "typedef char i8;\ntypedef short i16;\ntypedef int i32;\ntypedef long i64;\n"
    "typedef uchar u8;\ntypedef ushort u16;\ntypedef uint u32;\ntypedef ulong u64;\n"
    "typedef float f32;\n"
    "#define FE static inline\n"
    "#define FE_KERNEL __kernel\n"
    "#define FE_GROUP_KERNEL __kernel __attribute__((reqd_work_group_size(FE_GROUP, 1, 1)))\n"
    "#define FE_MEMBER ((i64)get_local_id(0))\n"
    "#define FE_LOCAL __local\n"
    "#define FE_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)\n"
    "#define FE_SWAP32(p, seen, x) atomic_cmpxchg((volatile __global u32 *)(p), seen, x)\n"
    "#define FE_ADD_i32(p, x) atomic_add((volatile __global i32 *)(p), x)\n"
    "#define FE_ADD_u32(p, x) atomic_add((volatile __global u32 *)(p), x)\n"
    "#define FE_GLOBAL __global\n"
    "#define FE_CALL __global i64 *fault, const i64 rows, const i64 columns\n"
    "#define FE_BUFFER(n) __global char *g##n, const i64 o##n\n"
    "#define FE_AT(type, n) ((__global type *)(g##n + o##n))\n"
    "#define FE_INT(p, n) const i64 p\n"
    "#define FE_ITEM ((i64)get_global_id(0))\n"
    "#define FE_BITS(from, to, x) (((union { from a; to b; }){x}).b)\n"
    "#define nearbyint rint\n"
    "#define nearbyintf rint\n"
    "FE void rt_outside(__global i64 *fault, i64 check, i64 index, i64 size)\n{\n"
    "  if (atomic_xchg((__global int *)fault, 1)) return;\n"
    "  fault[1] = check;\n  fault[2] = index;\n  fault[3] = size;\n}\n";

static const char CUDA_HEAD[] =
    "typedef signed char i8;\ntypedef short i16;\ntypedef int i32;\ntypedef long long i64;\n"
    "typedef unsigned char u8;\ntypedef unsigned short u16;\ntypedef unsigned int u32;\n"
    "typedef unsigned long long u64;\ntypedef float f32;\ntypedef double f64;\n"
    "#define FE static __device__ __forceinline__\n"
    "#define FE_KERNEL extern \"C\" __global__\n"
    "#define FE_GROUP_KERNEL FE_KERNEL __launch_bounds__(FE_GROUP)\n"
    "#define FE_MEMBER ((i64)threadIdx.x)\n"
    "#define FE_LOCAL __shared__\n"
    "#define FE_BARRIER __syncthreads()\n"
    "#define FE_SWAP32(p, seen, x) atomicCAS((u32 *)(p), seen, x)\n"
    "#define FE_SWAP64(p, seen, x) atomicCAS((u64 *)(p), seen, x)\n"
    "#define FE_ADD_i32(p, x) atomicAdd(p, x)\n"
    "#define FE_ADD_u32(p, x) atomicAdd(p, x)\n"
    "#define FE_ADD_i64(p, x) atomicAdd((u64 *)(p), (u64)(x))\n"
    "#define FE_ADD_u64(p, x) atomicAdd(p, x)\n"
    "#define FE_ADD_f32(p, x) atomicAdd(p, x)\n"
    "#define FE_ADD_f64(p, x) atomicAdd(p, x)\n"
    "#define FE_GLOBAL\n"
    "#define FE_CALL i64 *fault, const i64 rows, const i64 columns\n"
    "#define FE_BUFFER(n) char *g##n\n"
    "#define FE_AT(type, n) ((type *)g##n)\n"
    "#define FE_INT(p, n) const i64 p\n"
    "#define FE_ITEM ((i64)blockIdx.x * blockDim.x + threadIdx.x)\n"
    "template <typename from, typename to> FE to fe_bits(from x)\n{\n"
    "  union { from a; to b; } u;\n  u.a = x;\n  return u.b;\n}\n"
    "#define FE_BITS(from, to, x) (fe_bits<from, to>(x))\n"
    "#define INFINITY __int_as_float(0x7f800000)\n"
    "#define NAN __int_as_float(0x7fc00000)\n"
    "FE void rt_outside(i64 *fault, i64 check, i64 index, i64 size)\n{\n"
    "  if (atomicExch((int *)fault, 1)) return;\n"
    "  fault[1] = check;\n  fault[2] = index;\n  fault[3] = size;\n}\n";

/* MSL 2.4, as C++14: no double, no long long, and literals are float. What GPUs flush to zero halves that are
 * not normal would be made of: there is an instruction for those. Its atomic comparison may fail without a
 * reason. What <metal_math> lacks is made of what it has, as W. Kahan does. */
static const char METAL_HEAD[] =
    "#include <metal_stdlib>\nusing namespace metal;\n"
    "#pragma METAL fp contract(off)\n"
    "typedef char i8;\ntypedef short i16;\ntypedef int i32;\ntypedef long i64;\n"
    "typedef uchar u8;\ntypedef ushort u16;\ntypedef uint u32;\ntypedef ulong u64;\n"
    "typedef float f32;\n"
    "#define FE static inline\n"
    "#define FE_KERNEL kernel\n"
    "#define FE_GROUP_KERNEL [[max_total_threads_per_threadgroup(FE_GROUP)]] kernel\n"
    "#define FE_MEMBER ((i64)fe_member)\n"
    "#define FE_LOCAL threadgroup\n"
    "#define FE_BARRIER threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device)\n"
    "#define FE_SWAP32(p, seen, x) fe_swap32((device u32 *)(p), seen, x)\n"
    "#define FE_ADD_i32(p, x) \\\n"
    "  atomic_fetch_add_explicit((device atomic_int *)(p), x, memory_order_relaxed)\n"
    "#define FE_ADD_u32(p, x) \\\n"
    "  atomic_fetch_add_explicit((device atomic_uint *)(p), x, memory_order_relaxed)\n"
    "#define FE_GLOBAL device\n"
    "#define FE_CALL device i64 *fault [[buffer(0)]], constant i64 &rows [[buffer(1)]], \\\n"
    "  constant i64 &columns [[buffer(2)]], const uint fe_item [[thread_position_in_grid]], \\\n"
    "  const uint fe_member [[thread_position_in_threadgroup]]\n"
    "#define FE_BUFFER(n) device char *g##n [[buffer(n + 3)]]\n"
    "#define FE_AT(type, n) ((device type *)g##n)\n"
    "#define FE_INT(p, n) constant i64 &p [[buffer(n + 3)]]\n"
    "#define FE_ITEM ((i64)fe_item)\n"
    "#define FE_BITS(from, to, x) (as_type<to>((from)(x)))\n"
    "#define nearbyintf rint\n"
    "FE u32 fe_swap32(device u32 *p, u32 seen, u32 x)\n{\n"
    "  u32 old = seen;\n"
    "  while (!atomic_compare_exchange_weak_explicit((device atomic_uint *)p, &old, x,\n"
    "                                                memory_order_relaxed, memory_order_relaxed))\n"
    "    if (old != seen) return old;\n"
    "  return seen;\n}\n"
    "FE f32 fromhalf_f32(u16 x) { return (f32)as_type<half>(x); }\n"
    "FE u16 tohalf_f32(f32 x) { return as_type<u16>((half)x); }\n"
    "FE i32 fe_toi32(f32 x)\n{\n"
    "  return x >= -2147483648.0f && x < 2147483648.0f ? (i32)x : -2147483647 - 1;\n}\n"
    "FE i64 fe_toi64(f32 x)\n{\n"
    "  return x >= -9223372036854775808.0f && x < 9223372036854775808.0f\n"
    "           ? (i64)x : -9223372036854775807 - 1;\n}\n"
    "FE u64 fe_tou64(f32 x)\n{\n"
    "  return x >= 9223372036854775808.0f && x < 18446744073709551616.0f ? (u64)x : "
    "(u64)fe_toi64(x);\n}\n"
    "FE f32 expm1(f32 x)\n{\n"
    "  const f32 u = exp(x);\n"
    "  if (u == 1.0f) return x;\n"
    "  if (u - 1.0f == -1.0f || isinf(u)) return u - 1.0f;\n"
    "  return (u - 1.0f) * (x / log(u));\n}\n"
    "FE f32 log1p(f32 x)\n{\n"
    "  const f32 u = 1.0f + x;\n"
    "  return u == 1.0f ? x : isinf(u) ? u : log(u) * (x / (u - 1.0f));\n}\n"
    "FE f32 hypot(f32 x, f32 y)\n{\n"
    "  const f32 a = fabs(x), b = fabs(y), most = a > b ? a : b;\n"
    "  if (isinf(a) || isinf(b)) return INFINITY;\n"
    "  if (!(most > 0.0f)) return a + b;\n"
    "  const f32 s = a / most, t = b / most;\n"
    "  return most * sqrt(s * s + t * t);\n}\n"
    /* N. Juffa, stackoverflow.com/questions/35148198 */
    "FE f32 erf(f32 x)\n{\n"
    "  const f32 a = x != x ? x : fmin(fabs(x), 4.0f), z = a * a;\n"
    "  f32 p = z * -5.96761703e-4f + 4.99119423e-3f;\n"
    "  p = p * z - 2.67681349e-2f;\n  p = p * z + 1.12819925e-1f;\n"
    "  p = p * z - 3.76125336e-1f;\n  p = p * z + 1.28379166e-1f;\n  p = p * a + a;\n"
    "  f32 q = a * -1.72853470e-5f + 3.83197126e-4f;\n"
    "  q = q * z + (a * -3.88396438e-3f + 2.42546219e-2f);\n"
    "  q = q * a - 1.06777877e-1f;\n  q = q * a - 6.34846687e-1f;\n"
    "  q = q * a - 1.28717512e-1f;\n"
    "  return copysign(a > 0.927734375f ? 1.0f - exp(q * a - a) : p, x);\n}\n"
    "FE void rt_outside(device i64 *fault, i64 check, i64 index, i64 size)\n{\n"
    "  if (atomic_exchange_explicit((device atomic_int *)fault, 1, memory_order_relaxed)) return;\n"
    "  fault[1] = check;\n  fault[2] = index;\n  fault[3] = size;\n}\n";

/* A driver of the user's puts its own in front: ferrite_device.h. */
static const char OWN_HEAD[] = "";

static const char *const IN_HEADS[] = {"rt_outside", NULL};
static const char *const IN_METAL_HEAD[] = {"rt_outside",   "fe_toi32",   "fe_toi64", "fe_tou64",
                                            "fromhalf_f32", "tohalf_f32", NULL};
static const char *const NOTHING[] = {NULL};
static const char *const NOT_IN_METAL[] = {"__builtin_erfc$f", "__builtin_lgamma$f",
                                           "__builtin_nextafter$f", NULL};

static const kern_c_dialect DIALECTS[] = {
    {"opencl", OPENCL_HEAD, "cl", IN_HEADS, NOTHING, 64, 4, false, true},
    {"cuda", CUDA_HEAD, "cu", IN_HEADS, NOTHING, 256, 4 + 8, true, false},
    {"metal", METAL_HEAD, "metal", IN_METAL_HEAD, NOT_IN_METAL, 256, 4, false, true},
    {"own", OWN_HEAD, "inc", IN_HEADS, NOTHING, 0, 0, false, false}};

static const char *const MATHEMATICS[] = {
    "acos", "acosh", "asin",  "asinh",  "atan", "atan2", "atanh", "ceil",  "copysign",  "cos",
    "cosh", "erf",   "erfc",  "exp",    "exp2", "expm1", "fabs",  "floor", "fma",       "fmax",
    "fmin", "fmod",  "hypot", "lgamma", "log",  "log10", "log1p", "log2",  "nextafter", "pow",
    "rint", "sin",   "sinh",  "sqrt",   "tan",  "tanh",  "trunc"};

/* What runs behind a check that failed would compute with what was not written: it does nothing. Another
 * group may fail meanwhile: all of one see the same. */
static const char SKIPS[] =
    "#define FE_BEGIN if (((FE_GLOBAL const i64 *)fault)[0]) return\n"
    "#define FE_GROUP_BEGIN FE_LOCAL i64 skips; if (FE_MEMBER == 0) skips = fault[0]; \\\n"
    "  FE_BARRIER; if (skips) return\n";
static const char GOES_ON[] = "#define FE_BEGIN\n#define FE_GROUP_BEGIN\n";

void kern_c_write_dialect(const kern_c_dialect *dialect, bool checks, text *out)
{
    if (dialect->group) text_printf(out, "#define FE_GROUP %u\n", dialect->group);
    text_add(out, dialect->head);
    text_add(out, checks ? SKIPS : GOES_ON);
    for (size_t i = 0; dialect->is_generic && i < COUNT_OF(MATHEMATICS); i++)
        text_printf(out, "#define %sf %s\n", MATHEMATICS[i], MATHEMATICS[i]);
}

const kern_c_dialect *kern_c_dialect_named(const char *name)
{
    for (size_t i = 0; name && i < COUNT_OF(DIALECTS); i++)
        if (strcmp(DIALECTS[i].name, name) == 0) return &DIALECTS[i];
    return NULL;
}

const char *kern_extension(const target_machine *target)
{
    return kern_c_dialect_named(target->dialect)->extension;
}

uint32_t kern_group_size(const target_machine *target)
{
    const kern_c_dialect *dialect = kern_c_dialect_named(target->dialect);
    return dialect ? dialect->group : 0;
}

bool kern_has_atomics(const target_machine *target, ty_dtype dtype)
{
    const kern_c_dialect *dialect = kern_c_dialect_named(target->dialect);
    bool is_number = ty_is_integral(dtype, false) || ty_is_floating(dtype);
    return dialect && is_number && (dialect->swaps & ty_dtype_size(dtype) & (4 + 8));
}

/* Dialects have complex numbers in parts, */
bool kern_holds(const target_machine *target, ty_dtype dtype)
{
    return !target->dialect || !target->no_f64 || ty_complex_to_real(dtype) != TY_F64;
}

static bool is_lacking(const kern_c_dialect *dialect, const char *written)
{
    for (size_t i = 0; dialect->lacking[i]; i++)
        if (strstr(written, dialect->lacking[i])) return true;
    return false;
}

/* what the runtime computes is on the host, */
bool kern_can(const target_machine *target, loop_opcode op, ty_dtype operand)
{
    uint32_t operands;
    if (!kern_has_c(op, operand)) return false;
    if (!target->dialect) return true;
    if (ty_is_complex(operand) || op == LOOP_COMPLEX) {
        ty_dtype part = ty_complex_to_real(operand);
        bool by_size = op == LOOP_ABS || op == LOOP_SIGN;
        return kern_holds(target, part) && kern_has_parts(op) &&
               (!by_size || kern_can(target, LOOP_HYPOT, part));
    }
    const char *written = kern_c_scalar_template(loop_opcode_name(op), operand, &operands);
    return kern_holds(target, operand) &&
           !(written && (kern_c_calls_runtime(written) ||
                         is_lacking(kern_c_dialect_named(target->dialect), written)));
}

/* and so are products of complex numbers over an axis. */
bool kern_can_store(const target_machine *target, ty_dtype value, loop_reduce reduce,
                    loop_store_mode mode)
{
    return !target->dialect || !ty_is_complex(value) || kern_stores_parts(reduce, mode);
}
