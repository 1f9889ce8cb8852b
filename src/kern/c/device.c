/* device.c -- kernels of devices: a kernel at one lane as a function of the device's C.
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

/* A driver of the user's puts its own in front: ferrite_device.h. */
static const char OWN_HEAD[] = "";

static const char *const IN_HEADS[] = {"rt_outside", NULL};

static const kern_c_dialect DIALECTS[] = {{"opencl", OPENCL_HEAD, IN_HEADS, 64, 4, false, true},
                                          {"cuda", CUDA_HEAD, IN_HEADS, 256, 4 + 8, true, false},
                                          {"own", OWN_HEAD, IN_HEADS, 0, 0, false, false}};

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

/* Dialects have no complex numbers, and what the runtime computes is on the host. */
bool kern_can(const target_machine *target, loop_opcode op, ty_dtype operand)
{
    uint32_t operands;
    if (!kern_has_c(op, operand)) return false;
    if (!target->dialect) return true;
    const char *written = kern_c_scalar_template(loop_opcode_name(op), operand, &operands);
    return !ty_is_complex(operand) && op != LOOP_COMPLEX &&
           !(written && kern_c_calls_runtime(written));
}

static const char CELL[] = "  const i64 item = FE_ITEM;\n"
                           "  if (item >= rows * columns) return;\n"
                           "  const i64 m0 = item / columns, m1 = m0 + 1;\n"
                           "  const i64 n0 = item - m0 * columns, n1 = n0 + 1;\n";
static const char ROW[] = "  const i64 item = FE_ITEM;\n"
                          "  if (item >= rows) return;\n  const i64 m0 = item, m1 = m0 + 1;\n";
static const char GROUP[] = "  const i64 m0 = FE_ITEM / FE_GROUP, m1 = m0 + 1;\n";
static const char ALL[] = "  const i64 item = FE_ITEM;\n"
                          "  if (item >= rows) return;\n  i64 m0 = item, m1 = m0 + 1;\n";

void kern_c_device_head(const kern_ir *k, const char *name, text *out)
{
    text_printf(out, "FE_KERNEL void %s(FE_CALL", name);
    for (uint32_t i = 0; i < k->buffer_count; i++) text_printf(out, ", FE_BUFFER(%u)", i);
    for (uint32_t i = 0; i < k->params.count; i++)
        text_printf(out, ", FE_INT(p%u, %u)", i, k->buffer_count + i);
    if (kern_reports(k)) text_printf(out, ", FE_INT(first, %u)", k->buffer_count + k->params.count);
    text_printf(out, ")\n{\n  %s;\n%s", k->by_groups ? "FE_GROUP_BEGIN" : "FE_BEGIN",
                k->by_groups ? GROUP
                : k->columns ? CELL
                : k->serial  ? ALL
                             : ROW);
}

/* ---- atomic stores ---- */

static bool is_added_at_once(const kern_c_printer *pr, const kern_store *st, ty_dtype dtype)
{
    const kern_c_dialect *dialect = kern_c_dialect_named(pr->needs->dialect);
    return st->mode == LOOP_ADD_INTO && (ty_is_integral(dtype, false) || dialect->adds_floats);
}

/* Until nobody has come between what was read and what is written. */
void kern_c_print_atomic(kern_c_printer *pr, const kern_store *st, const char *place)
{
    ty_dtype dtype = pr->k->memories.at[st->memory].dtype;
    const char *type = ty_dtype_name(dtype), *value = kern_c_operand(pr, st->value);
    unsigned bits = 8 * ty_dtype_size(dtype);
    if (is_added_at_once(pr, st, dtype)) {
        text_line(pr->out, "FE_ADD_%s(&%s, %s);", type, place, value);
        return;
    }
    text_line(pr->out, "for (u%u old, seen = FE_BITS(%s, u%u, %s);; seen = old) {", bits, type,
              bits, place);
    text_line(pr->out, "  const %s there = FE_BITS(u%u, %s, seen);", type, bits, type);
    text_line(pr->out, "  old = FE_SWAP%u(&%s, seen, FE_BITS(%s, u%u, %s));", bits, place, type,
              bits, kern_c_combined(pr, st, "there", value, 1));
    text_line(pr->out, "  if (old == seen) break;");
    text_line(pr->out, "}");
}

/* ---- work-groups ---- */

/* All make as many steps: compilers for CPUs can take the work-items of a group side by side then. */
void kern_c_print_shared(kern_c_printer *pr, const char *name, const char *from, const char *to)
{
    text_line(pr->out, "for (i64 %s_all = %s; %s_all < %s; %s_all += FE_GROUP) {", name, from, name,
              to, name);
    text_line(pr->out, "  const i64 %s = %s_all + FE_MEMBER;", name, name);
    text_line(pr->out, "  if (%s < %s) {", name, to);
}

void kern_c_print_joins(kern_c_printer *pr)
{
    for (uint32_t i = 1; i < pr->k->values.count; i++)
        if (pr->k->values.at[i].kind == KERN_JOIN)
            text_line(pr->out, "FE_LOCAL %s s%u[FE_GROUP];",
                      kern_c_type_of(pr, pr->k->values.at[i].dtype, 1), i);
}

/* Halves are joined until one is left. */
const char *kern_c_join(kern_c_printer *pr, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    const char *all = arena_printf(pr->needs->memory, "s%u", ref);
    kern_c_scope scope = {v->dtype, 1, {"a", "b", NULL}};
    const char *type = kern_c_type_of(pr, v->dtype, 1);
    text_line(pr->out, "%s[FE_MEMBER] = %s;", all, kern_c_operand(pr, v->args[0]));
    text_line(pr->out, "FE_BARRIER;");
    text_line(pr->out, "for (i64 width = FE_GROUP / 2; width > 0; width /= 2) {");
    text_line(pr->out, "  if (FE_MEMBER < width) {");
    text_line(pr->out, "    const %s a = %s[FE_MEMBER], b = %s[FE_MEMBER + width];", type, all,
              all);
    text_line(pr->out, "    %s[FE_MEMBER] = %s;", all, kern_c_applied(pr, v->op, v->dtype, &scope));
    text_line(pr->out, "  }");
    text_line(pr->out, "  FE_BARRIER;");
    text_line(pr->out, "}");
    return kern_c_format(pr, "%s[0]", all, NULL);
}

void kern_c_device_buffer(kern_c_printer *pr, const kern_memory *m, const char *name)
{
    const char *type =
        kern_c_format(pr, m->is_written ? "%s" : "const %s", kern_c_memory_type(m->dtype), NULL);
    text_line(pr->out, "FE_GLOBAL %s *const %s = FE_AT(%s, %u);", type, name, type, m->number);
}
