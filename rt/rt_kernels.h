/* rt_kernels.h - the kernels that generated code calls: GEMM, batched GEMM, convolution, attention, of
 * float32; GEMM, batched GEMM and convolution of float64 as well, by the same names with _f64 at the end
 * (rt_real.h), where RT_F64 is defined; GEMM of bf16 and f16, and attention over keys and values of these.
 *
 * Every kernel takes a team (rt_pool.h; its pool NULL = the calling thread alone), spreads its work over
 * it and returns 0, or -1 when there is no memory to work in; nothing else can fail. Sizes and strides
 * are in elements, never bytes. Kernels keep no state between calls and are re-entrant. NaN and
 * infinity propagate as IEEE says. Outputs must not overlap inputs. Each kernel is compiled for
 * several instruction sets; the best one the processor has is chosen at load.
 *
 * Weights are packed once, at compile time of the artifact, into a layout that is the same for all
 * instruction sets: columns in panels of RT_PANEL, [ceil(N / RT_PANEL)][K][RT_PANEL], zero padded.
 */
#ifndef RT_KERNELS_H
#define RT_KERNELS_H

#include "rt_need.h"
#include "rt_pool.h"
#include "rt_real.h"

/* ---- what is done to a result before it leaves the cache ---- */

/* Called once for each finished block of C, rows [m0, m1) x columns [n0, n1), by the thread that
 * made it, while it is hot. Blocks are disjoint and cover C. The callee may read and rewrite those
 * elements of C. */
typedef void (*rt_epilogue)(void *context, int64_t m0, int64_t m1, int64_t n0, int64_t n1);

/* C = clamp(A x B + bias), then the epilogue. All zero (or a NULL pointer to it) = plain product.
 */
typedef struct rt_post {
    const rt_real *bias; /* [N] added to every row, or NULL */
    int clamp; /* nonzero: then to [low, high]; NaN stays NaN. relu: 0, INFINITY; relu6: 0, 6 */
    rt_real low, high;
    int accumulate;       /* nonzero: what C held is added too (before the clamp) */
    rt_epilogue epilogue; /* or NULL */
    void *context;        /* first argument of epilogue */
} rt_post;

/* ---- GEMM with packed weights (rt_gemm.c) ---- */

/* Bytes of packed B for N columns and depth K. Align the memory to 64. */
size_t rt_gemm_packed_bytes_f32(int64_t n, int64_t k);
size_t rt_gemm_packed_bytes_f64(int64_t n, int64_t k);

/* Packs B[K,N], element (k, n) at b[k * stride_k + n * stride_n]. A torch linear weight [N,K] has
 * stride_n = K, stride_k = 1; a matrix [K,N] has stride_n = 1, stride_k = N. packed:
 * rt_gemm_packed_bytes, owned by the caller. */
void rt_gemm_pack_f32(rt_pool *pool, int64_t n, int64_t k, const float *b, int64_t stride_n,
                      int64_t stride_k, float *packed);
void rt_gemm_pack_f64(rt_pool *pool, int64_t n, int64_t k, const double *b, int64_t stride_n,
                      int64_t stride_k, double *packed);

/* C[M,N] (row stride ldc) = A[M,K] (row stride lda, k contiguous) x packed B. Goto's loops over an
 * in-place A; M = 1 streams B once. post may be NULL. */
int RT_TYPED(rt_gemm)(rt_team *team, int64_t m, int64_t n, int64_t k, const rt_real *a, int64_t lda,
                      const rt_real *packed, rt_real *c, int64_t ldc, const rt_post *post);

/* ---- GEMM with weights of 8 or 4 bits (rt_quantised.c) ---- */

/* C[M,N] = A[M,K] x B + bias, element (k, n) of B (q - zero) * scale of the integer q there, with scale and
 * zero those of its column and its group of k: `groups` of them, each as deep, a multiple of
 * RT_QUANTISED_STEP if there are several. */
typedef struct rt_quantised {
    int64_t m, n, k;
    const float *a; /* k contiguous */
    int64_t lda;
    int bits;               /* 8, or 4: each in [-8, 7] */
    const uint32_t *packed; /* the integers, see rt_quantised_pack */
    int64_t groups;
    const float *scales, *zeros; /* [groups][N], rows one `row` apart; zeros NULL: all 0 */
    int64_t scales_row, zeros_row;
    float *c; /* n contiguous */
    int64_t ldc;
} rt_quantised;

/* Bytes of packed integers. Align the memory to 64. */
size_t rt_quantised_packed_bytes(int bits, int64_t n, int64_t k);

/* Packs the integers of B, (k, n) at b[k * stride_k + n * stride_n], into panels of rows of RT_PANEL words of
 * 32 bits, zero padded: a word is 32 / bits steps of k of one column, from the low bits on. */
void rt_quantised_pack(rt_pool *pool, int bits, int64_t n, int64_t k, const int8_t *b,
                       int64_t stride_n, int64_t stride_k, uint32_t *packed);

/* Of post the bias and the epilogue. Few rows: the integers become floats in registers, and B is read once.
 * Many: a piece of a panel at a time becomes floats that the tiles of GEMM read. */
int rt_quantised_f32(rt_team *team, const rt_quantised *args, const rt_post *post);

/* ---- products of integers (rt_integers.c) ---- */

/* C[M,N] = A[M,K] x B of integers of 8 bits. Sums are of 32 bits, and wrap. */
typedef struct rt_integers {
    int64_t m, n, k;
    const void *a; /* int8, or uint8; k contiguous */
    int is_unsigned;
    int64_t lda;
    const uint32_t *packed; /* rt_quantised_pack, of 8 bits */
    int32_t *c;             /* n contiguous */
    int64_t ldc;
    int by_pairs; /* for tests: as on a processor without VNNI */
} rt_integers;

/* Of post the epilogue alone. */
int rt_integers_i32(rt_team *team, const rt_integers *args, const rt_post *post);

/* ---- products of numbers of 16 bits (rt_halves.c) ---- */

/* C[M,N] = A[M,K] x B of bf16 or f16, with sums of floats. On processors with AVX512-BF16 bf16 that is
 * subnormal counts as zero. */
typedef struct rt_halves {
    int64_t m, n, k;
    int is_bf16;
    const uint16_t *a; /* A[m,k] at a[m * a_row + k * a_col] */
    int64_t a_row, a_col;
    const uint32_t *packed; /* rt_halves_pack; NULL: for few rows B as it lies, */
    int64_t lines;          /* of a panel; 0: as many as depth takes */
    const uint16_t *b;      /* (k, n) at b[k * b_row + n * b_col], one of these 1 */
    int64_t b_row, b_col;
    float *c; /* n contiguous */
    int64_t ldc;
    int by_floats; /* as on a processor without AVX512-BF16 */
} rt_halves;

/* Bytes of packed B. Align the memory to 64. */
size_t rt_halves_packed_bytes(int64_t n, int64_t k);

/* Packs B, (k, n) at b[k * stride_k + n * stride_n], into panels of lines of two steps of depth, zero padded:
 * RT_PANEL words of both, the first in the low bits (bf16), or one step after the other (f16). */
void rt_halves_pack(rt_pool *pool, int is_bf16, int64_t n, int64_t k, const uint16_t *b,
                    int64_t stride_n, int64_t stride_k, uint32_t *packed);

/* Of post the bias and the epilogue. */
int rt_halves_f32(rt_team *team, const rt_halves *args, const rt_post *post);

/* ---- batched products of numbers of 16 bits (rt_half_bmm.c) ---- */

/* C[b] = A[b] x B[b] for b in [0, batch), of bf16 or f16, with sums of floats. Any strides (0 broadcasts). Of
 * what is subnormal as rt_halves. */
typedef struct rt_half_bmm {
    int64_t batch, m, n, k;
    int is_bf16;
    const uint16_t *a; /* A[b,m,k] at a[b * a_batch + m * a_row + k * a_col] */
    int64_t a_batch, a_row, a_col;
    const uint16_t *b; /* B[b,k,n] at b[b * b_batch + k * b_row + n * b_col] */
    int64_t b_batch, b_row, b_col;
    float *c; /* C[b,m,n] at c[b * c_batch + m * ldc + n] */
    int64_t c_batch, ldc;
    rt_epilogue epilogue; /* or NULL; per block of one batch, its rows numbered b * m + row */
    void *context;
    int by_floats; /* for tests: as on a processor that multiplies neither pairs nor tiles */
} rt_half_bmm;

int rt_half_bmm_f32(rt_team *team, const rt_half_bmm *args);

/* ---- batched GEMM of two activations (rt_bmm.c) ---- */

/* C[b] = alpha * A[b] x B[b] for b in [0, batch). Any strides (0 broadcasts a batch of A or B). No
 * bias or clamp. */
typedef struct rt_bmm {
    int64_t batch, m, n, k;
    const rt_real *a; /* A[b,m,k] at a[b * a_batch + m * a_row + k * a_col] */
    int64_t a_batch, a_row, a_col;
    const rt_real *b; /* B[b,k,n] at b[b * b_batch + k * b_row + n * b_col] */
    int64_t b_batch, b_row, b_col;
    rt_real *c; /* C[b,m,n] at c[b * c_batch + m * c_row + n * c_col] */
    int64_t c_batch, c_row, c_col;
    rt_real alpha;        /* 1 for a plain product */
    rt_epilogue epilogue; /* or NULL; per block of one batch, its rows numbered b * m + row */
    void *context;
} rt_bmm;

int RT_TYPED(rt_bmm)(rt_team *team, const rt_bmm *args);

/* ---- convolution, channels last (rt_conv.c, rt_depthwise.c) ---- */

/* Geometry of a 1-d, 2-d or 3-d convolution; index 0 = depth, 1 = height, 2 = width. Leading axes
 * that do not exist have size, kernel, stride, dilation, out = 1 and pad = 0. Padding is zeros and
 * symmetric in what is given; out may be any size for which the taps stay within [-pad, in +
 * anything): positions outside the input read as zero. */
typedef struct rt_conv {
    int64_t batch, in_channels, out_channels, groups;
    int64_t in[3], kernel[3], stride[3], pad[3], dilation[3], out[3];
    /* Strides of the input; x_channel = 1 is fast, anything is accepted (NCHW too). */
    int64_t x_batch, x[3], x_channel;
    /* Output pixel m = ((b*OD + od)*OH + oh)*OW + ow, channel n is at y[m * y_row + n]. */
    int64_t y_row;
    /* The operator that takes a convolution's output back to its input: stride, pad and dilation are the
     * convolution's. Its output has any strides, and no y_row; without an epilogue. */
    int transposed;
    int64_t y_batch, y[3], y_channel;
    /* 2 or 4: output pixels along a side of a tile, by Winograd's algorithm; of float32, of one image plane
     * with 3x3 taps, stride and dilation 1, one group. NaN and infinity reach all of a tile. */
    int tile;
} rt_conv;

/* Do groups share the panels of packed weights? Those do that have a few channels, as many out as in, of
 * which a panel holds whole groups; sums of groups of four are short (rt_group.c). */
static inline int rt_conv_shares_panels(const rt_conv *conv)
{
    int64_t each = conv->out_channels / conv->groups;
    int64_t taps = conv->kernel[0] * conv->kernel[1] * conv->kernel[2];
    if (conv->groups == 1 || conv->transposed || conv->in_channels != conv->out_channels) return 0;
    return (each == RT_CONV_SPREAD_GROUP && taps <= RT_CONV_SPREAD_TAPS) || each == 8 || each == 16;
}

/* Has each input channel a group of its own, and a few output channels? rt_depthwise.c is for these. */
static inline int rt_conv_is_depthwise(const rt_conv *conv)
{
    int64_t each = conv->out_channels / conv->groups;
    if (conv->groups == 1 || conv->groups != conv->in_channels) return 0;
    return each == 1 || (!conv->transposed && (each == 2 || each == 4));
}

/* Bytes of packed weights. Depends on channels, groups, kernel, tile and transposed only. Align the memory to
 * 64. */
size_t rt_conv_packed_bytes_f32(const rt_conv *conv);
size_t rt_conv_packed_bytes_f64(const rt_conv *conv);

/* Packs weight[O, I/groups, D, H, W], of a transposed one [I, O/groups, D, H, W]; strides (five, in that
 * order) or NULL for contiguous. For a transposed one stride and dilation matter too. */
void rt_conv_pack_f32(rt_pool *pool, const rt_conv *conv, const float *weight,
                      const int64_t *strides, float *packed);
void rt_conv_pack_f64(rt_pool *pool, const rt_conv *conv, const double *weight,
                      const int64_t *strides, double *packed);

/* y = convolution of x. bias[O], clamp and epilogue act as in GEMM with rows = output pixels and
 * columns = output channels. 1x1 with stride 1 is a GEMM; dense kernels run the GEMM tile over
 * pointers to input pixels (Dukhan's indirect convolution); few input channels or x_channel != 1 go
 * through a padded band of input rows; depthwise has a kernel of its own. A transposed one is several
 * dense ones (rt_conv_phase.c). With `tile`: rt_winograd.c. post may be NULL. */
int RT_TYPED(rt_conv)(rt_team *team, const rt_conv *conv, const rt_real *x, const rt_real *packed,
                      rt_real *y, const rt_post *post);

/* The gradient of its weight: out[o, i, tap] = the sum over images and output pixels of grad[.., o] times x
 * [.., i] under the tap. grad, of y's sizes, has the strides y_batch, y and y_channel, x its own; out
 * [O, I/groups, D, H, W] the five given. */
int rt_conv_weight_f32(rt_team *team, const rt_conv *conv, const float *x, const float *grad,
                       float *out, const int64_t *strides);

/* ---- convolution of bf16 (rt_half_conv.c) ---- */

/* Is there a kernel for it here? All have one for what is a product, those with AMX one for others. What has
 * none makes floats of them (rt_half_conv_floats). */
int rt_half_conv_here(const rt_conv *conv);

/* Bytes of packed weights. Align the memory to 64. */
size_t rt_half_conv_packed_bytes(const rt_conv *conv);

/* As rt_conv_pack_f32, into panels of lines of two steps of depth (rt_half_windows.h). */
void rt_half_conv_pack(rt_pool *pool, const rt_conv *conv, const uint16_t *weight,
                       const int64_t *strides, uint32_t *packed);

/* The weight as floats again, contiguous. */
void rt_half_conv_unpack(rt_pool *pool, const rt_conv *conv, const uint32_t *packed, float *weight);

/* y = convolution of x, with sums of floats; of post the bias and the epilogue, which a transposed one has
 * not. y has the strides that a transposed one has, also where it is none. What is subnormal counts as
 * zero. */
int rt_half_conv(rt_team *team, const rt_conv *conv, const uint16_t *x, const uint32_t *packed,
                 float *y, const rt_post *post);

/* x as floats with channels last, contiguous. */
void rt_half_conv_floats(rt_pool *pool, const rt_conv *conv, const uint16_t *x, float *floats);

/* ---- scaled dot-product attention (rt_sdpa.c) ---- */

enum { RT_MASK_NONE = 0, RT_MASK_BOOL = 1, RT_MASK_FLOAT = 2 };
enum { RT_KEYS_FLOAT = 0, RT_KEYS_BF16 = 1, RT_KEYS_F16 = 2 };

/* out[b,h,s,:] = softmax_t(scale * q[b,h,s,:] . k[b,h/g,t,:] + mask[b,h,s,t]) v[b,h/g,t,:], g =
 * heads / kv_heads. Head sizes: D for q and k, Dv for v and out. Online softmax over blocks of T
 * (Milakov and Gimelshein; Dao's FlashAttention order). Sums are floats. On processors with AMX, where all is
 * bf16, weights are rounded to bf16 before they meet the values, and what is subnormal counts as zero. */
typedef struct rt_sdpa {
    int64_t batch, heads, kv_heads; /* heads is a multiple of kv_heads */
    int64_t q_len, kv_len;          /* S, T */
    int64_t head_dim, value_dim;    /* D, Dv */
    const void *q;
    int queries_kind; /* of q and out */
    const void *k, *v;
    int keys_kind;       /* of k and v */
    int64_t q_stride[4]; /* b, h, s, d */
    int64_t k_stride[4]; /* b, h, t, d */
    int64_t v_stride[4]; /* b, h, t, d */
    void *out;
    int64_t out_stride[4]; /* b, h, s, d */
    const void *mask;      /* NULL, or unsigned char (nonzero = take part), or float (added) */
    int mask_kind;
    int64_t mask_stride[4]; /* b, h, s, t; 0 broadcasts */
    int causal;             /* nonzero: position s sees t <= s, as torch's is_causal (top left) */
    float scale;            /* usually 1 / sqrt(D); the caller always gives it */
    int replaces;           /* a bool mask has -inf in the place of scores; 0 = adds it to them */
    int masked_nan; /* rows that see nothing: 0 = zeros, as torch; 1 = NaN, a bare softmax */
} rt_sdpa;

int rt_sdpa_f32(rt_team *team, const rt_sdpa *args);

/* ---- instruction sets (rt_select.c) ---- */

/* "x86-64-v4" (AVX-512), "x86-64-v3" (AVX2 and FMA) or "baseline": what the kernels run on. */
const char *rt_isa(void);

/* Its place in that order, from 0 for the baseline on. */
int rt_isa_level(void);

/* The best that this processor and the archive have. */
const char *rt_isa_here(void);

/* For a program whose own kernels are made for `made_for` (or NULL), before it runs: the best from now
 * on that is neither above that nor above FERRITE_ISA. Returns NULL, or why the program cannot run here: a
 * sentence without its beginning, valid for good. */
const char *rt_isa_choose(const char *made_for);

/* For tests: use this one from now on; "native": as without a name. 0 = ok, -1 = not in the archive or not on
 * this processor. Not thread safe. */
int rt_isa_force(const char *name);

/* Does this processor multiply tiles (AMX), and may this process do so? Asks the system the first time. */
int rt_amx_here(void);

/* Likewise, and neither FERRITE_ISA nor rt_isa_force() has named an instruction set: AMX is in none. */
int rt_amx(void);

#endif
