"""Triton kernels on numbers of few bits, bits, orders and scans: for test_triton.py, see triton_kernels.py."""

import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton

from triton_kernels import case, floats, places


def ints(dtype, lo, hi, *sizes):
    return torch.randint(lo, hi, sizes, generator=torch.Generator().manual_seed(sum(sizes))).to(dtype)


# -- numbers of a table nearest to floats, found by halving --

@triton.jit
def bnb_quant_kernel(A, code, absmax, out, n, CODE: tl.constexpr, BLOCK: tl.constexpr, SPLIT: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * SPLIT * BLOCK + tl.arange(0, SPLIT * BLOCK)
    mask = offs < n
    a = tl.load(A + offs, mask=mask, other=0.0)
    r = tl.reshape(a, (SPLIT, BLOCK))
    m = tl.max(tl.abs(r), axis=1)
    tl.store(absmax + pid * SPLIT + tl.arange(0, SPLIT), m, mask=(pid * SPLIT + tl.arange(0, SPLIT)) * BLOCK < n)
    norm = r / m[:, None]
    norm = tl.clamp(norm, -1.0, 1.0)
    lower = tl.zeros((SPLIT, BLOCK), dtype=tl.int32)
    upper = tl.full((SPLIT, BLOCK), CODE - 1, dtype=tl.int32)
    for _ in range(8):
        pivot = (lower + upper) // 2
        val = tl.load(code + pivot)
        hi = norm > val
        lower = tl.where(hi, pivot, lower)
        upper = tl.where(hi, upper, pivot)
    lv = tl.load(code + lower)
    uv = tl.load(code + upper)
    q = tl.where(tl.abs(norm - lv) < tl.abs(norm - uv), lower, upper).to(tl.uint8)
    tl.store(out + offs, tl.reshape(q, (SPLIT * BLOCK,)), mask=mask)


@triton_op("ferrite_triton::bnb_quant", mutates_args={})
def bnb_quant_of(a: torch.Tensor, code: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    n = a.numel()
    out = torch.empty(n, dtype=torch.uint8)
    m = torch.empty(triton.cdiv(n, 64))
    wrap_triton(bnb_quant_kernel)[(triton.cdiv(n, 256),)](a, code, m, out, n, 256, 64, 4)
    return out, m


CODE = torch.linspace(-1, 1, 256)


@case((CODE, floats(1000)))
def bnb_quant(code, a):
    return bnb_quant_of(a, code)


# -- 4-bit numbers of a table --

@triton.jit
def nf4_kernel(A, code, absmax, out, n, QB: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(A + offs, mask=mask, other=0)
    hi = tl.load(code + (a >> 4).to(tl.int32))
    lo = tl.load(code + (a & 0xF).to(tl.int32))
    s = tl.load(absmax + (offs * 2) // QB, mask=mask, other=0.0)
    o = tl.interleave(hi * s, lo * s)
    oo = pid * BLOCK * 2 + tl.arange(0, BLOCK * 2)
    tl.store(out + oo, o, mask=oo < n * 2)


@triton_op("ferrite_triton::nf4", mutates_args={})
def nf4_of(a: torch.Tensor, code: torch.Tensor, m: torch.Tensor) -> torch.Tensor:
    n = a.numel()
    out = torch.empty(2 * n)
    wrap_triton(nf4_kernel)[(triton.cdiv(n, 128),)](a, code, m, out, n, 64, 128)
    return out


@case((ints(torch.uint8, 0, 256, 500), floats(16), floats(16).abs()))
def nf4(a, code, m):
    return nf4_of(a, code, m)


# -- products of floats of 8 bits with scales --

@triton.jit
def fp8_mm_kernel(A, B, C, As, Bs, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    k = tl.cdiv(K, BK)
    offs_m = (pid_m * BM + tl.arange(0, BM)) % M
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    a_ptrs = A + offs_m[:, None] * K + offs_k[None, :]
    b_ptrs = B + offs_n[None, :] * K + offs_k[:, None]
    as_ptrs = As + offs_m * k
    bs_ptrs = Bs + (offs_n // BK) * k
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(k):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - i * BK, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - i * BK, other=0.0)
        a_s = tl.load(as_ptrs)
        b_s = tl.load(bs_ptrs)
        acc += tl.dot(a, b) * a_s[:, None] * b_s[None, :]
        a_ptrs += BK
        b_ptrs += BK
        as_ptrs += 1
        bs_ptrs += 1
    om = pid_m * BM + tl.arange(0, BM)
    on = pid_n * BN + tl.arange(0, BN)
    tl.store(C + om[:, None] * N + on[None, :], acc, mask=(om[:, None] < M) & (on[None, :] < N))


@triton_op("ferrite_triton::fp8_mm", mutates_args={})
def fp8_mm_of(a: torch.Tensor, b: torch.Tensor, sa: torch.Tensor, sb: torch.Tensor) -> torch.Tensor:
    M, K = a.shape
    N = b.shape[0]
    c = torch.empty(M, N)
    wrap_triton(fp8_mm_kernel)[(triton.cdiv(M, 16), triton.cdiv(N, 32))](a, b, c, sa, sb, M, N, K, 16, 32, 32)
    return c


def fp8_args(M, N, K):
    return floats(M, K).to(torch.float8_e4m3fn), floats(N, K).to(torch.float8_e4m3fn), floats(M, K // 32).abs(), floats(triton.cdiv(N, 32), K // 32).abs()


@case(fp8_args(20, 40, 64))
def fp8_mm(a, b, sa, sb):
    return fp8_mm_of(a, b, sa, sb)


# -- products of integers of 8 bits --

@triton.jit
def w8a8_kernel(a_ptr, b_ptr, c_ptr, sa_ptr, sb_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    om = pid_m * BM + tl.arange(0, BM)
    on = pid_n * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k in range(0, K, BK):
        a = tl.load(a_ptr + om[:, None] * K + (k + ok)[None, :], mask=(om[:, None] < M) & ((k + ok)[None, :] < K), other=0)
        b = tl.load(b_ptr + on[None, :] * K + (k + ok)[:, None], mask=(on[None, :] < N) & ((k + ok)[:, None] < K), other=0)
        acc = tl.dot(a, b, acc, out_dtype=tl.int32)
    sa = tl.load(sa_ptr + om, mask=om < M)
    sb = tl.load(sb_ptr + on, mask=on < N)
    c = acc.to(tl.float32) * sa[:, None] * sb[None, :]
    tl.store(c_ptr + om[:, None] * N + on[None, :], c, mask=(om[:, None] < M) & (on[None, :] < N))


@triton_op("ferrite_triton::w8a8", mutates_args={})
def w8a8_of(a: torch.Tensor, b: torch.Tensor, sa: torch.Tensor, sb: torch.Tensor) -> torch.Tensor:
    M, K = a.shape
    N = b.shape[0]
    c = torch.empty(M, N)
    wrap_triton(w8a8_kernel)[(triton.cdiv(M, 16), triton.cdiv(N, 32))](a, b, c, sa, sb, M, N, K, 16, 32, 32)
    return c


@case((ints(torch.int8, -128, 128, 20, 70), ints(torch.int8, -128, 128, 40, 70), floats(20), floats(40)))
def w8a8(a, b, sa, sb):
    return w8a8_of(a, b, sa, sb)


# -- products with packed 4-bit weights and zeros --

@triton.jit
def gptq_kernel(a_ptr, b_ptr, c_ptr, s_ptr, z_ptr, M, N, K, G, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    nn = tl.cdiv(N, BN)
    pid_m = pid // nn
    pid_n = pid % nn
    om = pid_m * BM + tl.arange(0, BM)
    on = pid_n * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    a_ptrs = a_ptr + om[:, None] * K + ok[None, :]
    b_ptrs = b_ptr + (ok[:, None] // 8) * N + on[None, :]
    shifter = (ok % 8) * 4
    zshift = (on % 8) * 4
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        g = (k * BK) // G
        s = tl.load(s_ptr + g * N + on, mask=on < N)
        z = tl.load(z_ptr + g * (N // 8) + on // 8, mask=on < N)
        z = (z >> zshift) & 0xF
        z = z + 1
        a = tl.load(a_ptrs, mask=om[:, None] < M, other=0.)
        b = tl.load(b_ptrs, mask=on[None, :] < N)
        b = (b >> shifter[:, None]) & 0xF
        b = (b - z[None, :]) * s[None, :]
        acc += tl.dot(a, b.to(a.dtype), input_precision="ieee")
        a_ptrs += BK
        b_ptrs += (BK // 8) * N
    tl.store(c_ptr + om[:, None] * N + on[None, :], acc, mask=(om[:, None] < M) & (on[None, :] < N))


@triton_op("ferrite_triton::gptq", mutates_args={})
def gptq_of(a: torch.Tensor, b: torch.Tensor, s: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty(M, N)
    wrap_triton(gptq_kernel)[(triton.cdiv(M, 16) * triton.cdiv(N, 32),)](a, b, c, s, z, M, N, K, 32, 16, 32, 32)
    return c


def gptq_args(M, N, K):
    return floats(M, K), ints(torch.int32, -2**31, 2**31, K // 8, N), floats(K // 32, N), ints(torch.int32, -2**31, 2**31, K // 32, N // 8)


@case(gptq_args(10, 48, 64))
def gptq(a, b, s, z):
    return gptq_of(a, b, s, z)


# -- packed weights in an order of their own --

@triton.jit
def awq_kernel(q_ptr, s_ptr, z_ptr, out_ptr, G, cols, rows, BX: tl.constexpr, BY: tl.constexpr):
    px = tl.program_id(0)
    py = tl.program_id(1)
    oy = py * BY + tl.arange(0, BY)
    ox = px * BX + tl.arange(0, BX)
    offs = cols * oy[:, None] + ox[None, :]
    mask = (oy < rows)[:, None] & (ox < cols)[None, :]
    w = tl.load(q_ptr + offs, mask, 0)
    w = tl.interleave(w, w)
    w = tl.interleave(w, w)
    w = tl.interleave(w, w)
    order = ((tl.arange(0, 2) * 4)[None, :] + tl.arange(0, 4)[:, None]).reshape(8)
    shifts = order * 4
    shifts = tl.broadcast_to(shifts[None, :], (BY * BX, 8))
    shifts = tl.reshape(shifts, (BY, BX * 8))
    w = (w >> shifts) & 0xF
    zy = py * BY // G + tl.arange(0, 1)
    z = tl.load(z_ptr + cols * zy[:, None] + ox[None, :], (ox < cols)[None, :], 0)
    z = tl.interleave(z, z)
    z = tl.interleave(z, z)
    z = tl.interleave(z, z)
    z = tl.broadcast_to(z, (BY, BX * 8))
    z = (z >> shifts) & 0xF
    sx = px * BX * 8 + tl.arange(0, BX * 8)
    s = tl.load(s_ptr + cols * 8 * zy[:, None] + sx[None, :], (sx < cols * 8)[None, :], 0.0)
    s = tl.broadcast_to(s, (BY, BX * 8))
    w = (w - z) * s
    w = w.to(out_ptr.type.element_ty)
    tl.store(out_ptr + cols * 8 * oy[:, None] + sx[None, :], w, (oy < rows)[:, None] & (sx < cols * 8)[None, :])


@triton_op("ferrite_triton::awq", mutates_args={})
def awq_of(q: torch.Tensor, s: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    R, C = q.shape
    out = torch.empty(R, C * 8)
    wrap_triton(awq_kernel)[(triton.cdiv(C, 4), triton.cdiv(R, 16))](q, s, z, out, 32, C, R, 4, 16)
    return out


def awq_args(R, C):
    return ints(torch.int32, -2**31, 2**31, R, C), floats(R // 32, C * 8), ints(torch.int32, -2**31, 2**31, R // 32, C)


@case(awq_args(64, 10))
def awq(q, s, z):
    return awq_of(q, s, z)


# -- rounding by chance --

@triton.jit
def sr_kernel(x_ptr, out_ptr, n, seed, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    r = tl.randint(seed, offs)
    bits = x.to(tl.uint32, bitcast=True)
    bits = (bits + (r.to(tl.uint32) & 0xFFFF)) & 0xFFFF0000
    tl.store(out_ptr + offs, bits.to(tl.float32, bitcast=True).to(tl.bfloat16), mask=offs < n)


@triton_op("ferrite_triton::sr", mutates_args={})
def sr_of(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x, dtype=torch.bfloat16)
    wrap_triton(sr_kernel)[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), 1234, BLOCK=128)
    return out


@case((floats(1000),))
def stochastic(x):
    return sr_of(x)


# -- random numbers --

@triton.jit
def rand_kernel(out, n, seed, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    o = pid * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.rand4x(seed, o)
    g = tl.randn(seed, o)
    i0, i1, i2, i3 = tl.randint4x(seed, o)
    tl.store(out + o, a + 2 * b + 4 * c + 8 * d + g + (i3 % 7).to(tl.float32), mask=o < n)


@triton_op("ferrite_triton::rand", mutates_args={})
def rand_of(x: torch.Tensor, seed: int) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(rand_kernel)[(triton.cdiv(x.numel(), 128),)](out, x.numel(), seed, BLOCK=128)
    return out


@case((floats(500),))
def rands(x):
    return rand_of(x, 2**40 + 5)


# -- bits, and divisions of negative numbers --

@triton.jit
def popc(v):
    v = v - ((v >> 1) & 0x55555555)
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
    return (((v + (v >> 4)) & 0x0F0F0F0F) * 0x01010101) >> 24


@triton.jit
def rotl(x, k: tl.constexpr):
    return (x << k) | (x >> (32 - k))


@triton.jit
def bits_kernel(i_ptr, out_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = o < n
    i = tl.load(i_ptr + o, mask=mask, other=-1)
    u = i.to(tl.uint32)
    r = popc(u).to(tl.int64)
    r += (rotl(u, 13) ^ 0x9E3779B9).to(tl.int64)
    r += (i // 7).to(tl.int64) * 3 + (i % 7).to(tl.int64) + (i // -3).to(tl.int64) + (i % -3).to(tl.int64)
    r += (i >> 3).to(tl.int64) + (u >> 3).to(tl.int64) - (i << 5).to(tl.int64)
    s = i.to(tl.int8)
    r += s.to(tl.int64) * 100 + s.to(tl.uint8).to(tl.int64) + (s * s).to(tl.int64) + (s // 5).to(tl.int64)
    h = i.to(tl.int16)
    r += (h * 3).to(tl.int64) + (~h).to(tl.int64) + tl.abs(h).to(tl.int64) + tl.minimum(h, 100).to(tl.int64)
    f = i.to(tl.float32)
    r += (f.to(tl.int32, bitcast=True) >> 23).to(tl.int64) + u.to(tl.float32).to(tl.int64)
    r += tl.where(u > 1000, 5, 7).to(tl.int64) + (u % 11).to(tl.int64) + (u // 11).to(tl.int64) + tl.maximum(u, 77).to(tl.int64)
    r += (i.to(tl.int64) * i.to(tl.int64)) >> 5
    tl.store(out_ptr + o, r, mask=mask)


@triton_op("ferrite_triton::bits", mutates_args={})
def bits_of(i: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(i, dtype=torch.int64)
    wrap_triton(bits_kernel)[(triton.cdiv(i.numel(), 64),)](i, out, i.numel(), BLOCK=64)
    return out


@case((torch.cat([ints(torch.int32, -2**31, 2**31, 300), torch.tensor([0, 1, -1, 2**31 - 1, -2**31, 127, 128, -128, -129], dtype=torch.int32)]),))
def bits(i):
    return bits_of(i)


# -- pairs --

@triton.jit
def pairs_kernel(x_ptr, c_ptr, s_ptr, out_ptr, D: tl.constexpr, R: tl.constexpr):
    row = tl.program_id(0) * R + tl.arange(0, R)
    d = tl.arange(0, D)
    x = tl.load(x_ptr + row[:, None] * D + d[None, :])
    even, odd = tl.split(tl.reshape(x, (R, D // 2, 2)))
    h = tl.arange(0, D // 2)
    c = tl.load(c_ptr + row[:, None] * (D // 2) + h[None, :])
    s = tl.load(s_ptr + row[:, None] * (D // 2) + h[None, :])
    y = tl.interleave(even * c - odd * s, odd * c + even * s)
    z = tl.reshape(tl.permute(tl.join(even, odd), (0, 2, 1)), (R, D))
    g = tl.gather(x, tl.broadcast_to((d ^ 1)[None, :], (R, D)), 1)
    tl.store(out_ptr + row[:, None] * D + d[None, :], y + tl.flip(z, 1) * 0.5 + g)


@triton_op("ferrite_triton::pairs", mutates_args={})
def pairs_of(x: torch.Tensor, c: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    M, D = x.shape
    out = torch.empty_like(x)
    wrap_triton(pairs_kernel)[(M // 4,)](x, c, s, out, D, 4)
    return out


@case((floats(12, 32), floats(12, 16), floats(12, 16)))
def pairs(x, c, s):
    return pairs_of(x, c, s)


# -- sorting --

@triton.jit
def sort_kernel(x_ptr, out_ptr, med_ptr, N: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, N)
    x = tl.sort(tl.load(x_ptr + row * N + o))
    tl.store(out_ptr + row * N + o, x)
    tl.store(med_ptr + row, tl.sum(tl.where(o == N // 2, x, 0.0)))


@triton_op("ferrite_triton::sort", mutates_args={})
def sort_of(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    M, N = x.shape
    out = torch.empty_like(x)
    med = torch.empty(M)
    wrap_triton(sort_kernel)[(M,)](x, out, med, N)
    return out, med


@case((floats(5, 1024),))
def sorts(x):
    return sort_of(x)


# -- extremes of floats by segments --

@triton.jit
def segmax_kernel(x_ptr, seg_ptr, out_ptr, lo_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = o < n
    x = tl.load(x_ptr + o, mask=mask)
    s = tl.load(seg_ptr + o, mask=mask)
    tl.atomic_max(out_ptr + s, x, mask=mask)
    tl.atomic_min(lo_ptr + s, x, mask=mask)


@triton_op("ferrite_triton::segmax", mutates_args={})
def segmax_of(x: torch.Tensor, seg: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out = torch.full((16,), -float("inf")); lo = torch.full((16,), float("inf"))
    wrap_triton(segmax_kernel)[(triton.cdiv(x.numel(), 256),)](x, seg, out, lo, x.numel(), 256)
    return out, lo


@case((places(1000, 16), floats(1000)))
def segmax(seg, x):
    return segmax_of(x, seg)


# -- windows, moments --

@triton.jit
def welford_combine(m1, s1, w1, m2, s2, w2):
    d = m2 - m1
    w = w1 + w2
    r = tl.where(w == 0, 0.0, w2 / w)
    return m1 + d * r, s1 + s2 + d * d * w1 * r, w


@triton.jit
def act(x, KIND: tl.constexpr):
    if KIND == "relu":
        return tl.maximum(x, 0)
    elif KIND == "silu":
        return x * tl.sigmoid(x)
    else:
        tl.static_assert(KIND == "none")
        return x


@triton.jit
def conv_kernel(x_ptr, w_ptr, out_ptr, mean_ptr, var_ptr, T, KIND: tl.constexpr, W: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    m = tl.zeros([BLOCK], tl.float32)
    s = tl.zeros([BLOCK], tl.float32)
    w = tl.zeros([BLOCK], tl.float32)
    for start in range(0, T, BLOCK):
        t = start + tl.arange(0, BLOCK)
        acc = tl.zeros([BLOCK], tl.float32)
        for j in tl.static_range(W):
            p = t - (W - 1) + j
            acc += tl.load(x_ptr + c * T + p, mask=(p >= 0) & (p < T), other=0.0) * tl.load(w_ptr + c * W + j)
        y = act(acc, KIND)
        tl.store(out_ptr + c * T + t, y, mask=t < T)
        one = (t < T).to(tl.float32)
        m, s, w = welford_combine(m, s, w, tl.where(t < T, y, 0.0), tl.zeros([BLOCK], tl.float32), one)
    mm, ss, ww = tl.reduce((m, s, w), 0, welford_combine)
    tl.store(mean_ptr + c, mm)
    tl.store(var_ptr + c, ss / ww)


@triton_op("ferrite_triton::conv", mutates_args={})
def conv_of(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    C, T = x.shape
    out = torch.empty_like(x)
    mean = torch.empty(C)
    var = torch.empty(C)
    wrap_triton(conv_kernel)[(C,)](x, w, out, mean, var, T, "silu", 4, 32 if T < 100 else 256)
    return out, mean, var


@case((floats(5, 90), floats(5, 4)))
def conv(x, w):
    return conv_of(x, w)


# -- a recurrence in both directions --

@triton.jit
def first_order(al, bl, ar, br):
    return al * ar, ar * bl + br


@triton.jit
def ssm_kernel(a_ptr, b_ptr, out_ptr, T, D, BT: tl.constexpr, BD: tl.constexpr, REV: tl.constexpr):
    d = tl.program_id(0) * BD + tl.arange(0, BD)
    b = tl.program_id(1)
    t = tl.arange(0, BT)
    base = b * T * D
    mask = (t[:, None] < T) & (d[None, :] < D)
    a = tl.load(a_ptr + base + t[:, None] * D + d[None, :], mask=mask, other=1.0)
    x = tl.load(b_ptr + base + t[:, None] * D + d[None, :], mask=mask, other=0.0)
    _, h = tl.associative_scan((a, x), 0, first_order, reverse=REV)
    tl.store(out_ptr + base + t[:, None] * D + d[None, :], h, mask=mask)


@triton_op("ferrite_triton::ssm", mutates_args={})
def ssm_of(a: torch.Tensor, x: torch.Tensor, rev: bool) -> torch.Tensor:
    B, T, D = a.shape
    out = torch.empty_like(x)
    wrap_triton(ssm_kernel)[(triton.cdiv(D, 8), B)](a, x, out, T, D, triton.next_power_of_2(T), 8, rev)
    return out


@case((floats(2, 50, 12).sigmoid(), floats(2, 50, 12)))
def ssm(a, x):
    return ssm_of(a, x, False) + ssm_of(a, x, True) * 0.5


# -- the delta rule, pointers that count on --

@triton.jit
def delta_kernel(q, k, v, beta, o, ht, T, K: tl.constexpr, V: tl.constexpr, BV: tl.constexpr, STORE: tl.constexpr):
    iv = tl.program_id(0)
    bh = tl.program_id(1)
    pq = q + bh * T * K + tl.arange(0, K)
    pk = k + bh * T * K + tl.arange(0, K)
    pv = v + bh * T * V + iv * BV + tl.arange(0, BV)
    pb = beta + bh * T
    po = o + bh * T * V + iv * BV + tl.arange(0, BV)
    h = tl.zeros([BV, K], dtype=tl.float32)
    for _ in range(0, T):
        bk = tl.load(pk)
        bv = tl.load(pv)
        bq = tl.load(pq)
        minus = tl.sum(h * bk[None, :], axis=1)
        bv -= minus
        b = tl.load(pb)
        bv *= b
        h += bk[None, :] * bv[:, None]
        bo = tl.sum(h * bq[None, :], axis=1)
        tl.store(po, bo)
        pq += K
        pk += K
        pv += V
        po += V
        pb += 1
    if STORE:
        pht = ht + bh * K * V + tl.arange(0, K)[None, :] * V + (iv * BV + tl.arange(0, BV))[:, None]
        tl.store(pht, h)


@triton_op("ferrite_triton::delta", mutates_args={})
def delta_of(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, beta: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    B, H, T, K = q.shape
    V = v.shape[-1]
    o = torch.empty_like(v)
    ht = torch.empty(B, H, K, V)
    wrap_triton(delta_kernel)[(V // 8, B * H)](q, k, v, beta, o, ht, T, K, V, 8, True)
    return o, ht


@case((floats(1, 2, 20, 8), floats(1, 2, 20, 8) * .3, floats(1, 2, 20, 16), floats(1, 2, 20).sigmoid()))
def delta(q, k, v, beta):
    return delta_of(q, k, v, beta)
