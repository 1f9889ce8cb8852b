"""Triton kernels in the style of its tutorials and of common libraries, for test_triton.py: see triton_kernels.py."""

import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton

from triton_kernels import case, floats, places


# -- layer norm, backward: partial sums behind locks --

@triton.jit
def norm_backward_kernel(dx_ptr, dy_ptr, dw_ptr, db_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, lock_ptr, stride, N, GROUPS: tl.constexpr,
                         BLOCK: tl.constexpr):
    row = tl.program_id(0)
    place = tl.arange(0, BLOCK)
    mask = place < N
    x = tl.load(x_ptr + row * stride + place, mask=mask, other=0).to(tl.float32)
    dy = tl.load(dy_ptr + row * stride + place, mask=mask, other=0).to(tl.float32)
    w = tl.load(w_ptr + place, mask=mask).to(tl.float32)
    mean, rstd = tl.load(mean_ptr + row), tl.load(rstd_ptr + row)
    xhat = tl.where(mask, (x - mean) * rstd, 0.0)
    wdy = tl.where(mask, w * dy, 0.0)
    c1, c2 = tl.sum(xhat * wdy, axis=0) / N, tl.sum(wdy, axis=0) / N
    tl.store(dx_ptr + row * stride + place, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
    group = row % GROUPS
    dw_ptr += group * N + place
    db_ptr += group * N + place
    dw, db = (dy * xhat).to(w.dtype), dy.to(w.dtype)
    lock = lock_ptr + group
    count_ptr = lock_ptr + GROUPS + group
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    count = tl.load(count_ptr)
    if count == 0:
        tl.atomic_xchg(count_ptr, 1)
    else:
        dw += tl.load(dw_ptr, mask=mask)
        db += tl.load(db_ptr, mask=mask)
    tl.store(dw_ptr, dw, mask=mask)
    tl.store(db_ptr, db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def norm_sums_kernel(dw_ptr, db_ptr, final_dw_ptr, final_db_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    dw = tl.zeros((BM, BN), dtype=tl.float32)
    db = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, M, BM):
        rows = i + tl.arange(0, BM)
        mask = (rows[:, None] < M) & (columns[None, :] < N)
        at = rows[:, None] * N + columns[None, :]
        dw += tl.load(dw_ptr + at, mask=mask, other=0.0)
        db += tl.load(db_ptr + at, mask=mask, other=0.0)
    tl.store(final_dw_ptr + columns, tl.sum(dw, axis=0), mask=columns < N)
    tl.store(final_db_ptr + columns, tl.sum(db, axis=0), mask=columns < N)


@triton_op("ferrite_triton::norm_backward", mutates_args={})
def norm_backward_of(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, mean: torch.Tensor,
                     rstd: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    M, N = x.shape
    groups = 4
    locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
    dw_parts, db_parts = x.new_zeros(groups, N), x.new_zeros(groups, N)
    dx, dw, db = torch.empty_like(x), torch.empty_like(w), torch.empty_like(w)
    wrap_triton(norm_backward_kernel)[(M,)](dx, dy, dw_parts, db_parts, x, w, mean, rstd, locks, x.stride(0), N, GROUPS=groups, BLOCK=64)
    wrap_triton(norm_sums_kernel)[(triton.cdiv(N, 32),)](dw_parts, db_parts, dw, db, min(groups, M), N, BM=4, BN=32)
    return dx, dw, db


@case((floats(11, 50), floats(11, 50) + 1, floats(50), floats(11), floats(11).abs()))
def norm_backward(dy, x, w, mean, rstd):
    return norm_backward_of(dy, x, w, mean, rstd)


# -- cross entropy, in a loop over the vocabulary; gradients in place --

@triton.jit
def cross_entropy_kernel(x_ptr, stride, target_ptr, loss_ptr, V, ignore, smoothing, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(target_ptr + row)
    x_ptr += row * stride
    if target == ignore:
        for i in range(0, V, BLOCK):
            place = i + tl.arange(0, BLOCK)
            tl.store(x_ptr + place, 0.0, mask=place < V)
        return
    at_target = tl.load(x_ptr + target).to(tl.float32)
    m, d, total = float("-inf"), 0.0, 0.0
    for i in range(0, V, BLOCK):
        place = i + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + place, mask=place < V, other=float("-inf")).to(tl.float32)
        total += tl.sum(tl.where(place < V, -x * smoothing / V, 0.0))
        new = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - new) + tl.sum(tl.exp(x - new))
        m = new
    lse = m + tl.log(d)
    for i in range(0, V, BLOCK):
        place = i + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + place, mask=place < V, other=float("-inf")).to(tl.float32)
        x = tl.where(place != target, tl.exp(x - m) / d - smoothing / V, tl.exp(x - m) / d - smoothing / V - (1 - smoothing))
        tl.store(x_ptr + place, x, mask=place < V)
    tl.debug_barrier()
    loss = (lse - at_target) * (1 - smoothing) + total + smoothing * lse
    tl.store(loss_ptr + row, loss)


@triton_op("ferrite_triton::cross_entropy", mutates_args={"x"})
def cross_entropy_of(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    loss = x.new_zeros(x.shape[0])
    wrap_triton(cross_entropy_kernel)[(x.shape[0],)](x, x.stride(0), target, loss, x.shape[1], -100, 0.1, BLOCK=128)
    return loss


@case((floats(6, 1000), torch.tensor([3, 999, -100, 0, 512, 77])), (floats(3, 20000), torch.tensor([19999, 5, 6])))
def cross_entropy(x, target):
    y = x * 2
    loss = cross_entropy_of(y, target)
    return loss, y


# -- rotary embedding, in place --

@triton.jit
def rotary_kernel(q_ptr, cos_ptr, sin_ptr, row_stride, head_stride, H: tl.constexpr, D: tl.constexpr, BACKWARD: tl.constexpr):
    row = tl.program_id(0)
    half, heads = tl.arange(0, D // 2), tl.arange(0, H)
    cos = tl.load(cos_ptr + row * (D // 2) + half)[None, :]
    sin = tl.load(sin_ptr + row * (D // 2) + half)[None, :]
    first = q_ptr + row * row_stride + heads[:, None] * head_stride + half[None, :]
    second = first + D // 2
    a, b = tl.load(first), tl.load(second)
    if BACKWARD:
        sin = -sin
    tl.store(first, a * cos - b * sin)
    tl.store(second, b * cos + a * sin)


@triton_op("ferrite_triton::rotary", mutates_args={"q"})
def rotary_of(q: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> None:
    wrap_triton(rotary_kernel)[(q.shape[0],)](q, cos, sin, q.stride(0), q.stride(1), H=q.shape[1], D=q.shape[2], BACKWARD=False)


@case((floats(7, 4, 16), floats(7, 8).cos(), floats(7, 8).sin()))
def rotary(q, cos, sin):
    y = q + 0
    rotary_of(y, cos, sin)
    return y


# -- swiglu --

@triton.jit
def swiglu_kernel(a_ptr, b_ptr, c_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + row * stride + place, mask=place < n, other=0).to(tl.float32)
    b = tl.load(b_ptr + row * stride + place, mask=place < n, other=0)
    tl.store(c_ptr + row * stride + place, (a * tl.sigmoid(a)).cast(b.dtype) * b, mask=place < n)


@triton_op("ferrite_triton::swiglu", mutates_args={})
def swiglu_of(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    c = torch.empty_like(a)
    wrap_triton(swiglu_kernel)[(a.shape[0],)](a, b, c, a.stride(0), a.shape[1], BLOCK=triton.next_power_of_2(a.shape[1]))
    return c


@case((floats(5, 100, dtype=torch.float16), floats(5, 100, dtype=torch.float16)))
def swiglu(a, b):
    return swiglu_of(a, b)


# -- products: persistent, of groups, cut along k --

@triton.jit
def tile_place(tile, blocks_m, blocks_n, GROUP: tl.constexpr):
    in_group = GROUP * blocks_n
    first = (tile // in_group) * GROUP
    size = min(blocks_m - first, GROUP)
    return first + (tile % in_group) % size, (tile % in_group) // size


@triton.jit
def persistent_kernel(a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                      GROUP: tl.constexpr, PROGRAMS: tl.constexpr):
    blocks_m, blocks_n, blocks_k = tl.cdiv(M, BM), tl.cdiv(N, BN), tl.cdiv(K, BK)
    for tile in tl.range(tl.program_id(0), blocks_m * blocks_n, PROGRAMS, flatten=True):
        pm, pn = tile_place(tile, blocks_m, blocks_n, GROUP)
        m, n = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN)
        m = tl.where(m < M, m, 0)
        n = tl.where(n < N, n, 0)
        m = tl.max_contiguous(tl.multiple_of(m, BM), BM)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for step in range(blocks_k):
            k = step * BK + tl.arange(0, BK)
            a = tl.load(a_ptr + m[:, None] * am + k[None, :] * ak, mask=k[None, :] < K, other=0.0)
            b = tl.load(b_ptr + k[:, None] * bk + n[None, :] * bn, mask=k[:, None] < K, other=0.0)
            total = tl.dot(a, b, total, input_precision="ieee")
        m, n = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN)
        tl.store(c_ptr + m[:, None] * cm + n[None, :] * cn, total, mask=(m[:, None] < M) & (n[None, :] < N))


@triton_op("ferrite_triton::persistent", mutates_args={})
def persistent_of(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    c = a.new_empty(a.shape[0], b.shape[1])
    M, N, K = a.shape[0], b.shape[1], a.shape[1]
    wrap_triton(persistent_kernel)[(3,)](a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
                                         BM=16, BN=16, BK=16, GROUP=2, PROGRAMS=3)
    return c


@case((floats(50, 40), floats(40, 70)))
def persistent(a, b):
    return persistent_of(a, b)


@triton.jit
def grouped_kernel(x_ptr, w_ptr, out_ptr, ends_ptr, K, N, GROUPS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Rows of a group by the matrix of the group: mixtures of experts."""
    group, n = tl.program_id(0), tl.program_id(1) * BN + tl.arange(0, BN)
    begin, end = tl.load(ends_ptr + group), tl.load(ends_ptr + group + 1)
    for start in range(begin, end, BM):
        m = start + tl.arange(0, BM)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for step in range(0, K, BK):
            k = step + tl.arange(0, BK)
            x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < end) & (k[None, :] < K), other=0.0)
            w = tl.load(w_ptr + (group * K + k[:, None]) * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
            total += tl.dot(x, w, input_precision="ieee")
        tl.store(out_ptr + m[:, None] * N + n[None, :], total, mask=(m[:, None] < end) & (n[None, :] < N))


@triton_op("ferrite_triton::grouped", mutates_args={})
def grouped_of(x: torch.Tensor, w: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    groups, K, N = w.shape
    out = x.new_empty(x.shape[0], N)
    wrap_triton(grouped_kernel)[(groups, triton.cdiv(N, 16))](x, w, out, ends, K, N, GROUPS=groups, BM=16, BN=16, BK=16)
    return out


@case((floats(70, 24), floats(4, 24, 20), torch.tensor([0, 33, 33, 40, 70], dtype=torch.int32)))
def grouped(x, w, ends):
    return grouped_of(x, w, ends)


@triton.jit
def stream_k_kernel(a_ptr, b_ptr, c_ptr, lock_ptr, M, N, K, full, rest, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Each program takes as many steps along k as any other, over the borders of tiles."""
    pid = tl.program_id(0)
    per_tile = tl.cdiv(K, BK)
    start = pid * full + tl.minimum(pid, rest)
    last = (pid + 1) * full + tl.minimum(pid + 1, rest)
    while start < last:
        end = tl.minimum(start + (per_tile - start % per_tile), last)
        tile = start // per_tile
        pm, pn = tile // tl.cdiv(N, BN), tile % tl.cdiv(N, BN)
        m, n, k = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for step in range(start, end):
            at = (step % per_tile) * BK + k
            a = tl.load(a_ptr + m[:, None] * K + at[None, :], mask=(m[:, None] < M) & (at[None, :] < K), other=0.0)
            b = tl.load(b_ptr + at[:, None] * N + n[None, :], mask=(at[:, None] < K) & (n[None, :] < N), other=0.0)
            total += tl.dot(a, b, input_precision="ieee")
        c = c_ptr + m[:, None] * N + n[None, :]
        mask = (m[:, None] < M) & (n[None, :] < N)
        if start % per_tile == 0:
            tl.store(c, total, mask=mask)
            tl.atomic_xchg(lock_ptr + tile, 1)
        else:
            while tl.atomic_cas(lock_ptr + tile, 1, 1) != 1:
                pass
            tl.atomic_add(c, total, mask=mask)
        start = end


@triton_op("ferrite_triton::stream_k", mutates_args={})
def stream_k_of(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    M, N, K = a.shape[0], b.shape[1], a.shape[1]
    c = a.new_empty(M, N)
    tiles = triton.cdiv(M, 16) * triton.cdiv(N, 16)
    steps = tiles * triton.cdiv(K, 16)
    locks = torch.zeros(tiles, dtype=torch.int32, device=a.device)
    wrap_triton(stream_k_kernel)[(5,)](a, b, c, locks, M, N, K, steps // 5, steps % 5, BM=16, BN=16, BK=16)
    return c


@case((floats(40, 90), floats(90, 20)))
def stream_k(a, b):
    return stream_k_of(a, b)


@triton.jit
def int4_kernel(x_ptr, w_ptr, scale_ptr, zero_ptr, out_ptr, M, N, K, GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Weights of four bits, eight to an i32 along k, with scales and zeros for groups of k."""
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    shifts = (k % 8) * 4
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        at = step * BK + k
        x = tl.load(x_ptr + m[:, None] * K + at[None, :], mask=(m[:, None] < M) & (at[None, :] < K), other=0.0)
        packed = tl.load(w_ptr + (at[:, None] // 8) * N + n[None, :], mask=(at[:, None] < K) & (n[None, :] < N), other=0)
        scale = tl.load(scale_ptr + (step * BK // GROUP) * N + n, mask=n < N, other=0.0)
        zero = tl.load(zero_ptr + (step * BK // GROUP) * N + n, mask=n < N, other=0.0)
        w = (((packed >> shifts[:, None]) & 0xF) - zero[None, :]) * scale[None, :]
        total += tl.dot(x, w.to(x.dtype), input_precision="ieee")
    tl.store(out_ptr + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@triton_op("ferrite_triton::int4", mutates_args={})
def int4_of(x: torch.Tensor, w: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor) -> torch.Tensor:
    M, K, N = x.shape[0], x.shape[1], w.shape[1]
    out = x.new_empty(M, N)
    wrap_triton(int4_kernel)[(triton.cdiv(M, 16), triton.cdiv(N, 16))](x, w, scale, zero, out, M, N, K, GROUP=32, BM=16, BN=16, BK=16)
    return out


@case((floats(20, 64), places(8 * 20, 2**31 - 1).view(8, 20).to(torch.int32), floats(2, 20), places(40, 16).view(2, 20).to(torch.int32)))
def int4(x, w, scale, zero):
    return int4_of(x, w, scale, zero)


# -- state space models --

@triton.jit
def selective_scan_kernel(u_ptr, delta_ptr, a_ptr, b_ptr, c_ptr, skip_ptr, out_ptr, L, D, N: tl.constexpr, BD: tl.constexpr):
    batch, d, n = tl.program_id(0), tl.program_id(1) * BD + tl.arange(0, BD), tl.arange(0, N)
    mask = d < D
    a = tl.load(a_ptr + d[:, None] * N + n[None, :], mask=mask[:, None], other=0.0)
    skip = tl.load(skip_ptr + d, mask=mask, other=0.0)
    h = tl.zeros((BD, N), dtype=tl.float32)
    for step in range(L):
        at = (batch * L + step) * D + d
        u, delta = tl.load(u_ptr + at, mask=mask, other=0.0), tl.load(delta_ptr + at, mask=mask, other=0.0)
        delta = tl.where(delta > 20.0, delta, tl.log(1 + tl.exp(delta)))
        b = tl.load(b_ptr + (batch * L + step) * N + n)
        c = tl.load(c_ptr + (batch * L + step) * N + n)
        h = h * tl.exp(delta[:, None] * a) + (delta * u)[:, None] * b[None, :]
        tl.store(out_ptr + at, tl.sum(h * c[None, :], 1) + skip * u, mask=mask)


@triton_op("ferrite_triton::selective_scan", mutates_args={})
def selective_scan_of(u: torch.Tensor, delta: torch.Tensor, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor,
                      skip: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(u)
    batch, L, D = u.shape
    wrap_triton(selective_scan_kernel)[(batch, triton.cdiv(D, 8))](u, delta, a, b, c, skip, out, L, D, N=a.shape[1], BD=8)
    return out


@case((floats(2, 150, 12), floats(2, 150, 12), -floats(12, 4).abs(), floats(2, 150, 4), floats(2, 150, 4), floats(12)))
def selective_scan(u, delta, a, b, c, skip):
    return selective_scan_of(u, delta, a, b, c, skip)


@triton.jit
def joined_steps(a, x, b, y):
    return a * b, b * x + y


@triton.jit
def associative_kernel(a_ptr, x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row, place = tl.program_id(0), tl.arange(0, BLOCK)
    a = tl.load(a_ptr + row * n + place, mask=place < n, other=1.0)
    x = tl.load(x_ptr + row * n + place, mask=place < n, other=0.0)
    _, h = tl.associative_scan((a, x), 0, joined_steps)
    tl.store(out_ptr + row * n + place, h, mask=place < n)


@triton_op("ferrite_triton::associative", mutates_args={})
def associative_of(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(associative_kernel)[(x.shape[0],)](a, x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out


@case((floats(3, 50).sigmoid(), floats(3, 50)))
def associative(a, x):
    return associative_of(a, x)


# -- rms norm, dropout, softmax in two passes --

@triton.jit
def rms_kernel(x_ptr, w_ptr, out_ptr, scale_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * n
    out_ptr += row * n
    total = 0.0
    for start in range(0, n, BLOCK):
        place = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + place, mask=place < n, other=0.0).to(tl.float32)
        total += tl.sum(x * x, 0)
    scale = tl.rsqrt(total / n + eps)
    tl.store(scale_ptr + row, scale)
    for start in range(0, n, BLOCK):
        place = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + place, mask=place < n, other=0.0)
        w = tl.load(w_ptr + place, mask=place < n)
        tl.store(out_ptr + place, (x.to(tl.float32) * scale).to(x.dtype) * w, mask=place < n)


@triton_op("ferrite_triton::rms", mutates_args={})
def rms_of(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out, scale = torch.empty_like(x), x.new_empty(x.shape[0], dtype=torch.float32)
    wrap_triton(rms_kernel)[(x.shape[0],)](x, w, out, scale, x.shape[1], 1e-6, BLOCK=64)
    return out, scale


@case((floats(6, 300), floats(300)), (floats(5, 64), floats(64)))
def rms(x, w):
    return rms_of(x, w)


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + place, mask=place < n)
    a, b, c, d = tl.rand4x(seed, place)
    kept = (tl.rand(seed, place) > p) & ((a + b + c + d) > 0.5) & (tl.randn(seed, place) < 3) & (tl.randint(seed, place) != 1)
    tl.store(out_ptr + place, tl.where(kept, x / (1 - p), 0.0), mask=place < n)


@triton_op("ferrite_triton::dropout", mutates_args={})
def dropout_of(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(dropout_kernel)[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), 0.3, 12345, BLOCK=64)
    return out


@case((floats(300),))
def dropout(x):
    return dropout_of(x)


@triton.jit
def softmax_loop_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = tl.full([BLOCK], float("-inf"), tl.float32)
    d = tl.zeros([BLOCK], tl.float32)
    for start in tl.range(0, n, BLOCK, num_stages=2):
        place = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + place, mask=place < n, other=float("-inf"))
        new = tl.maximum(m, x)
        d = tl.where(new == float("-inf"), 0.0, d * tl.exp(m - new) + tl.exp(x - new))
        m = new
    high = tl.max(m, 0)
    total = tl.sum(tl.where(m == float("-inf"), 0.0, d * tl.exp(m - high)), 0)
    for start in tl.range(0, n, BLOCK):
        place = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + place, mask=place < n, other=float("-inf"), eviction_policy="evict_first")
        tl.store(out_ptr + row * n + place, tl.exp(x - high) / total, mask=place < n)


@triton_op("ferrite_triton::softmax_loop", mutates_args={})
def softmax_loop_of(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(softmax_loop_kernel)[(x.shape[0],)](x, out, x.shape[1], BLOCK=32)
    return out


@case((floats(4, 3000),), (floats(3, 40),))
def softmax_loop(x):
    return softmax_loop_of(x)


# -- order, counts, places --

@triton.jit
def top_kernel(x_ptr, sorted_ptr, top_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr):
    row, place = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + place, mask=place < n, other=float("inf"))
    tl.store(sorted_ptr + row * n + place, tl.sort(x), mask=place < n)
    low = tl.where(place < n, x, float("-inf"))
    tl.store(top_ptr + row * K + tl.arange(0, K), tl.topk(low, K))


@triton_op("ferrite_triton::top", mutates_args={})
def top_of(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out, top = torch.empty_like(x), x.new_empty(x.shape[0], 4)
    wrap_triton(top_kernel)[(x.shape[0],)](x, out, top, x.shape[1], K=4, BLOCK=32)
    return out, top


@case((floats(5, 27),))
def top(x):
    return top_of(x)


@triton.jit
def histogram_kernel(i_ptr, out_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.load(i_ptr + place, mask=place < n, other=0).to(tl.int32)
    counts = tl.histogram(i, BINS, mask=place < n)
    tl.atomic_add(out_ptr + tl.arange(0, BINS), counts)


@triton_op("ferrite_triton::histogram", mutates_args={})
def histogram_of(i: torch.Tensor) -> torch.Tensor:
    out = torch.zeros(16, dtype=torch.int32, device=i.device)
    wrap_triton(histogram_kernel)[(triton.cdiv(i.numel(), 64),)](i, out, i.numel(), BINS=16, BLOCK=64)
    return out


@case((places(200, 16),))
def histogram(i):
    return histogram_of(i)


@triton.jit
def gather_kernel(x_ptr, i_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr, K: tl.constexpr):
    r, c, k = tl.arange(0, R), tl.arange(0, C), tl.arange(0, K)
    x = tl.load(x_ptr + r[:, None] * C + c[None, :])
    i = tl.load(i_ptr + r[:, None] * K + k[None, :])
    tl.store(out_ptr + r[:, None] * K + k[None, :], tl.gather(x, i, 1))


@triton_op("ferrite_triton::gather", mutates_args={})
def gather_of(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    out = x.new_empty(i.shape)
    wrap_triton(gather_kernel)[(1,)](x, i, out, R=x.shape[0], C=x.shape[1], K=i.shape[1])
    return out


@case((floats(8, 16), places(64, 16).view(8, 8)))
def gathered(x, i):
    return gather_of(x, i)


@triton.jit
def embedding_kernel(grad_ptr, i_ptr, out_ptr, n, D: tl.constexpr, BLOCK: tl.constexpr):
    rows, d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    which = tl.load(i_ptr + rows, mask=rows < n, other=0)
    grad = tl.load(grad_ptr + rows[:, None] * D + d[None, :], mask=rows[:, None] < n)
    tl.atomic_add(out_ptr + which[:, None] * D + d[None, :], grad, mask=rows[:, None] < n)


@triton_op("ferrite_triton::embedding", mutates_args={})
def embedding_of(grad: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    out = grad.new_zeros(10, grad.shape[1])
    wrap_triton(embedding_kernel)[(triton.cdiv(i.shape[0], 8),)](grad, i, out, i.shape[0], D=grad.shape[1], BLOCK=8)
    return out


@case((floats(30, 16), places(30, 10)))
def embedding_backward(grad, i):
    return embedding_of(grad, i)


@triton.jit
def running_kernel(x_ptr, out_ptr, where_ptr, n, BLOCK: tl.constexpr):
    """Sums along rows of any length, block by block; and where the greatest is."""
    row = tl.program_id(0)
    before, high, where = 0.0, -float("inf"), 0
    for start in range(0, n, BLOCK):
        place = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + place, mask=place < n, other=0.0)
        tl.store(out_ptr + row * n + place, before + tl.cumsum(x, 0), mask=place < n)
        before += tl.sum(x, 0)
        new, at = tl.max(tl.where(place < n, x, -float("inf")), 0, return_indices=True)
        where = tl.where(new > high, start + at, where)
        high = tl.maximum(new, high)
    tl.store(where_ptr + row, where)


@triton_op("ferrite_triton::running", mutates_args={})
def running_of(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out, where = torch.empty_like(x), x.new_empty(x.shape[0], dtype=torch.int32)
    wrap_triton(running_kernel)[(x.shape[0],)](x, out, where, x.shape[1], BLOCK=16)
    return out, where


@case((floats(3, 1500),), (floats(4, 33),))
def running(x):
    return running_of(x)


@triton.jit
def conv1d_kernel(x_ptr, w_ptr, b_ptr, out_ptr, L, D, WIDTH: tl.constexpr, BL: tl.constexpr, BD: tl.constexpr):
    """Causal, one filter a channel, and silu."""
    batch = tl.program_id(0)
    step, d = tl.program_id(1) * BL + tl.arange(0, BL), tl.program_id(2) * BD + tl.arange(0, BD)
    total = tl.zeros((BL, BD), dtype=tl.float32)
    for k in tl.static_range(WIDTH):
        at = step - (WIDTH - 1) + k
        x = tl.load(x_ptr + (batch * L + at[:, None]) * D + d[None, :], mask=(at[:, None] >= 0) & (at[:, None] < L) & (d[None, :] < D), other=0.0)
        total += x * tl.load(w_ptr + d * WIDTH + k, mask=d < D, other=0.0)[None, :]
    total += tl.load(b_ptr + d, mask=d < D, other=0.0)[None, :]
    total = total / (1 + tl.exp(-total))
    tl.store(out_ptr + (batch * L + step[:, None]) * D + d[None, :], total, mask=(step[:, None] < L) & (d[None, :] < D))


@triton_op("ferrite_triton::conv1d", mutates_args={})
def conv1d_of(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    batch, L, D = x.shape
    grid = batch, triton.cdiv(L, 16), triton.cdiv(D, 8)
    wrap_triton(conv1d_kernel)[grid](x, w, b, out, L, D, WIDTH=w.shape[1], BL=16, BD=8)
    return out


@case((floats(2, 37, 10), floats(10, 4), floats(10)))
def conv1d(x, w, b):
    return conv1d_of(x, w, b)


# -- reductions and scans by functions of their own; atomics whose old values are used, and of other kinds --

@triton.jit
def joined_moments(mean, square, count, mean_1, square_1, count_1):
    total = count + count_1
    way = mean_1 - mean
    return mean + way * (count_1 / tl.maximum(total, 1e-9)), square + square_1 + way * way * count * count_1 / tl.maximum(total, 1e-9), total


@triton.jit
def greater(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def second(a, b):
    return b


@triton.jit
def moments_kernel(x_ptr, mean_ptr, variance_ptr, high_ptr, last_ptr, bits_ptr, n, BLOCK: tl.constexpr):
    row, place = tl.program_id(0), tl.arange(0, BLOCK)
    mask = place < n
    x = tl.load(x_ptr + row * n + place, mask=mask, other=0.0)
    mean, square, count = tl.reduce((x, tl.zeros_like(x), mask.to(tl.float32)), 0, joined_moments)
    tl.store(mean_ptr + row, mean)
    tl.store(variance_ptr + row, square / count)
    tl.store(high_ptr + row * n + place, tl.associative_scan(tl.where(mask, x, float("-inf")), 0, greater, reverse=True), mask=mask)
    tl.store(last_ptr + row, tl.reduce(x, 0, second))
    tl.store(bits_ptr + row, tl.reduce((x * 10).to(tl.int32), 0, either))


@triton_op("ferrite_triton::moments", mutates_args={})
def moments_of(x: torch.Tensor) -> list[torch.Tensor]:
    mean, variance, last = (x.new_empty(x.shape[0]) for _ in range(3))
    high, bits = torch.empty_like(x), x.new_empty(x.shape[0], dtype=torch.int32)
    wrap_triton(moments_kernel)[(x.shape[0],)](x, mean, variance, high, last, bits, x.shape[1], BLOCK=32)
    return [mean, variance, high, last, bits]


@case((floats(4, 25),))
def moments(x):
    return tuple(moments_of(x))


@triton.jit
def tickets_kernel(x_ptr, parts_ptr, ticket_ptr, out_ptr, high_ptr, bits_ptr, n, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    """The last program adds up what all have left."""
    pid = tl.program_id(0)
    place = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + place, mask=place < n, other=0.0)
    tl.store(parts_ptr + pid, tl.sum(x, 0))
    tl.atomic_max(high_ptr, tl.max(x, 0))
    tl.atomic_or(bits_ptr, 1 << pid)
    if tl.atomic_add(ticket_ptr, 1) == PROGRAMS - 1:
        parts = tl.load(parts_ptr + tl.arange(0, PROGRAMS))
        tl.store(out_ptr, tl.sum(parts, 0))


@triton_op("ferrite_triton::tickets", mutates_args={})
def tickets_of(x: torch.Tensor) -> list[torch.Tensor]:
    parts, ticket, out = x.new_empty(4), torch.zeros(1, dtype=torch.int32, device=x.device), x.new_empty(1)
    high, bits = x.new_full((1,), -1e30), torch.zeros(1, dtype=torch.int32, device=x.device)
    wrap_triton(tickets_kernel)[(4,)](x, parts, ticket, out, high, bits, x.numel(), BLOCK=32, PROGRAMS=4)
    return [out, high, bits, ticket]


@case((floats(120),))
def tickets(x):
    return tuple(tickets_of(x))
