"""More Triton kernels in the style of common libraries, for test_triton.py: see triton_kernels.py."""

import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton

from triton_kernels import case, floats, places


# -- attention: backward, and of one query over pages --

@triton.jit
def flash_backward_kernel(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dq_ptr, dk_ptr, dv_ptr, scale, N, D: tl.constexpr, B: tl.constexpr):
    """Keys and values first, a block of them a program; then queries."""
    block, head = tl.program_id(0), tl.program_id(1)
    at = head * N * D
    d, step = tl.arange(0, D), tl.arange(0, B)
    n = block * B + step
    inside = n[:, None] < N
    k = tl.load(k_ptr + at + n[:, None] * D + d[None, :], mask=inside, other=0.0)
    v = tl.load(v_ptr + at + n[:, None] * D + d[None, :], mask=inside, other=0.0)
    dk = tl.zeros([B, D], dtype=tl.float32)
    dv = tl.zeros([B, D], dtype=tl.float32)
    m = block * B + step
    q_ptrs = q_ptr + at + m[None, :] * D + d[:, None]
    do_ptrs = do_ptr + at + m[:, None] * D + d[None, :]
    for _ in range(block * B, N, B):
        qt = tl.load(q_ptrs, mask=m[None, :] < N, other=0.0)
        lse = tl.load(lse_ptr + head * N + m, mask=m < N, other=0.0)
        p = tl.math.exp2((tl.dot(k, qt, input_precision="ieee") * scale - lse[None, :]) * 1.44269504)
        p = tl.where((m[None, :] >= n[:, None]) & (m[None, :] < N), p, 0.0)
        do = tl.load(do_ptrs, mask=m[:, None] < N, other=0.0)
        dv += tl.dot(p, do, input_precision="ieee")
        delta = tl.load(delta_ptr + head * N + m, mask=m < N, other=0.0)
        ds = p * (tl.dot(v, tl.trans(do), input_precision="ieee") - delta[None, :])
        dk += tl.dot(ds, tl.trans(qt), input_precision="ieee")
        m += B
        q_ptrs += B * D
        do_ptrs += B * D
    tl.store(dv_ptr + at + n[:, None] * D + d[None, :], dv, mask=inside)
    tl.store(dk_ptr + at + n[:, None] * D + d[None, :], dk * scale, mask=inside)
    m = block * B + step
    q = tl.load(q_ptr + at + m[:, None] * D + d[None, :], mask=inside, other=0.0)
    do = tl.load(do_ptr + at + m[:, None] * D + d[None, :], mask=inside, other=0.0)
    lse = tl.load(lse_ptr + head * N + m, mask=m < N, other=0.0)
    delta = tl.load(delta_ptr + head * N + m, mask=m < N, other=0.0)
    dq = tl.zeros([B, D], dtype=tl.float32)
    for start in range(0, (block + 1) * B, B):
        n = start + step
        kt = tl.load(k_ptr + at + n[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        vt = tl.load(v_ptr + at + n[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        p = tl.exp(tl.dot(q, kt, input_precision="ieee") * scale - lse[:, None])
        p = tl.where((m[:, None] >= n[None, :]) & (n[None, :] < N), p, 0.0)
        ds = p * (tl.dot(do, vt, input_precision="ieee") - delta[:, None])
        dq = tl.dot(ds, tl.trans(kt), dq, input_precision="ieee")
    tl.store(dq_ptr + at + m[:, None] * D + d[None, :], dq * scale, mask=inside)


@triton_op("ferrite_triton::flash_backward", mutates_args={})
def flash_backward_of(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, do: torch.Tensor, lse: torch.Tensor,
                      delta: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    heads, N, D = q.shape
    dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    wrap_triton(flash_backward_kernel)[(triton.cdiv(N, 16), heads)](q, k, v, do, lse, delta, dq, dk, dv, D ** -0.5, N, D=D, B=16)
    return dq, dk, dv


@case((floats(2, 60, 16), floats(2, 60, 16), floats(2, 60, 16) + 1, floats(2, 60, 16), floats(2, 60) + 3, floats(2, 60)))
def flash_backward(q, k, v, do, lse, delta):
    return flash_backward_of(q, k, v, do, lse, delta)


@triton.jit
def paged_kernel(q_ptr, k_ptr, v_ptr, table_ptr, lengths_ptr, out_ptr, scale, pages, heads, D: tl.constexpr, PAGE: tl.constexpr):
    sequence, head = tl.program_id(0), tl.program_id(1)
    d, place = tl.arange(0, D), tl.arange(0, PAGE)
    length = tl.load(lengths_ptr + sequence)
    q = tl.load(q_ptr + (sequence * heads + head) * D + d)
    high, total = float("-inf"), 0.0
    out = tl.zeros([D], dtype=tl.float32)
    for page in range(0, tl.cdiv(length, PAGE)):
        block = tl.load(table_ptr + sequence * pages + page)
        mask = page * PAGE + place < length
        at = ((block * PAGE + place[:, None]) * heads + head) * D + d[None, :]
        k = tl.load(k_ptr + at, mask=mask[:, None], other=0.0)
        scores = tl.where(mask, tl.sum(q[None, :] * k, 1) * scale, float("-inf"))
        new = tl.maximum(high, tl.max(scores, 0))
        p, old = tl.exp(scores - new), tl.exp(high - new)
        v = tl.load(v_ptr + at, mask=mask[:, None], other=0.0)
        out = out * old + tl.sum(p[:, None] * v, 0)
        total = total * old + tl.sum(p, 0)
        high = new
    tl.store(out_ptr + (sequence * heads + head) * D + d, out / total)


@triton_op("ferrite_triton::paged", mutates_args={})
def paged_of(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, table: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(q)
    sequences, heads, D = q.shape
    wrap_triton(paged_kernel)[(sequences, heads)](q, k, v, table, lengths, out, D ** -0.5, table.shape[1], heads, D=D, PAGE=4)
    return out


@case((floats(3, 2, 8), floats(10, 4, 2, 8), floats(10, 4, 2, 8), torch.tensor([[3, 1, 0], [9, 0, 0], [2, 5, 7]], dtype=torch.int32),
       torch.tensor([9, 4, 12], dtype=torch.int32)))
def paged(q, k, v, table, lengths):
    return paged_of(q, k, v, table, lengths)


# -- linear attention with a state, chunk by chunk --

@triton.jit
def linear_attention_kernel(q_ptr, k_ptr, v_ptr, g_ptr, out_ptr, state_ptr, T, D: tl.constexpr, C: tl.constexpr):
    head = tl.program_id(0)
    d, c = tl.arange(0, D), tl.arange(0, C)
    state = tl.zeros([D, D], dtype=tl.float32)
    for start in range(0, T, C):
        t = start + c
        at = head * T * D + t[:, None] * D + d[None, :]
        mask = t[:, None] < T
        q, k = tl.load(q_ptr + at, mask=mask, other=0.0), tl.load(k_ptr + at, mask=mask, other=0.0)
        v = tl.load(v_ptr + at, mask=mask, other=0.0)
        g = tl.cumsum(tl.load(g_ptr + head * T + t, mask=t < T, other=0.0), 0)
        decay = tl.where(c[:, None] >= c[None, :], tl.exp(g[:, None] - g[None, :]), 0.0)
        within = tl.dot(tl.dot(q, tl.trans(k), input_precision="ieee") * decay, v, input_precision="ieee")
        out = within + tl.dot(q, state, input_precision="ieee") * tl.exp(g)[:, None]
        last = tl.sum(tl.where(c == C - 1, g, 0.0), 0)
        state = state * tl.exp(last) + tl.dot(tl.trans(k * tl.exp(last - g)[:, None]), v, input_precision="ieee")
        tl.store(out_ptr + at, out, mask=mask)
    tl.store(state_ptr + head * D * D + d[:, None] * D + d[None, :], state)


@triton_op("ferrite_triton::linear_attention", mutates_args={})
def linear_attention_of(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    heads, T, D = q.shape
    out, state = torch.empty_like(q), q.new_empty(heads, D, D)
    wrap_triton(linear_attention_kernel)[(heads,)](q, k, v, g, out, state, T, D=D, C=16)
    return out, state


@case((floats(2, 1200, 16) / 4, floats(2, 1200, 16) / 4, floats(2, 1200, 16), -floats(2, 1200).abs() / 9),
      (floats(2, 30, 16) / 4, floats(2, 30, 16) / 4, floats(2, 30, 16), -floats(2, 30).abs()))
def linear_attention(q, k, v, g):
    return linear_attention_of(q, k, v, g)


# -- sparse rows; optimisers; numbers of eight bits --

@triton.jit
def sparse_kernel(ends_ptr, columns_ptr, values_ptr, x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row, n = tl.program_id(0), tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    at, end = tl.load(ends_ptr + row), tl.load(ends_ptr + row + 1)
    while at < end:
        column = tl.load(columns_ptr + at)
        total += tl.load(values_ptr + at) * tl.load(x_ptr + column * N + n, mask=n < N, other=0.0)
        at += 1
    tl.store(out_ptr + row * N + n, total, mask=n < N)


@triton_op("ferrite_triton::sparse", mutates_args={})
def sparse_of(ends: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    out = x.new_empty(ends.shape[0] - 1, x.shape[1])
    wrap_triton(sparse_kernel)[(ends.shape[0] - 1,)](ends, columns, values, x, out, x.shape[1], BLOCK=16)
    return out


@case((torch.tensor([0, 3, 3, 70, 90]), places(90, 20), floats(90), floats(20, 10)))
def sparse(ends, columns, values, x):
    return sparse_of(ends, columns, values, x)


@triton.jit
def adam_kernel(p_ptr, g_ptr, m_ptr, v_ptr, n, lr, beta1, beta2, eps, decay, turn, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = place < n
    p, g = tl.load(p_ptr + place, mask=mask), tl.load(g_ptr + place, mask=mask)
    m = beta1 * tl.load(m_ptr + place, mask=mask) + (1 - beta1) * g
    v = beta2 * tl.load(v_ptr + place, mask=mask) + (1 - beta2) * g * g
    p *= 1 - lr * decay
    p -= lr * (m / (1 - libpow(beta1, turn))) / (tl.sqrt(v / (1 - libpow(beta2, turn))) + eps)
    tl.store(p_ptr + place, p, mask=mask)
    tl.store(m_ptr + place, m, mask=mask)
    tl.store(v_ptr + place, v, mask=mask)


@triton.jit
def libpow(x, y):
    return tl.exp(tl.log(x) * y)


@triton_op("ferrite_triton::adam", mutates_args={"p", "m", "v"})
def adam_of(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor) -> None:
    wrap_triton(adam_kernel)[(triton.cdiv(p.numel(), 32),)](p, g, m, v, p.numel(), 1e-2, 0.9, 0.99, 1e-8, 0.1, 3, BLOCK=32)


@case((floats(100), floats(100), floats(100), floats(100).abs()))
def adam(p, g, m, v):
    p, m, v = p + 0, m + 0, v + 0
    adam_of(p, g, m, v)
    return p, m, v


@triton.jit
def quantise_kernel(x_ptr, out_ptr, scale_ptr, n, BLOCK: tl.constexpr):
    row, place = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + place, mask=place < n, other=0.0)
    scale = tl.max(tl.abs(x)) / 127.0
    q = x / scale
    q = (q + tl.where(q >= 0, 0.5, -0.5)).to(tl.int8)
    tl.store(out_ptr + row * n + place, q, mask=place < n)
    tl.store(scale_ptr + row, scale)


@triton_op("ferrite_triton::quantise", mutates_args={})
def quantise_of(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out, scale = x.new_empty(x.shape, dtype=torch.int8), x.new_empty(x.shape[0])
    wrap_triton(quantise_kernel)[(x.shape[0],)](x, out, scale, x.shape[1], BLOCK=64)
    return out, scale


@case((floats(6, 50),))
def quantised(x):
    return quantise_of(x)


# -- what the language has besides --

@triton.jit
def apart(x, n):
    y = x * 2
    if n > 3:
        y += 1
    return y


@triton.jit
def language_kernel(x_ptr, i_ptr, out_ptr, ints_ptr, BLOCK: tl.constexpr):
    place = tl.arange(0, BLOCK)
    x, i = tl.load(x_ptr + place), tl.load(i_ptr + place)
    tl.assume(BLOCK > 0)
    tl.static_assert(BLOCK >= 16)
    y = tl.flip(x, 0) + tl.sort(x, descending=True) + tl.sum(x, keep_dims=True) + tl.softmax(x) + tl.swizzle2d(0, 1, 4, 4, 2)[0]
    z = tl.reshape(x, (4, BLOCK // 4))
    y += tl.ravel(tl.broadcast_to(tl.max(z, 1, keep_dims=True) - tl.min(z, 1)[:, None], (4, BLOCK // 4)))
    y += tl.ravel(tl.permute(z, 1, 0)) + tl.sum(tl.sum(tl.dot(tl.zeros((16, 16), tl.float32) + 1, tl.zeros((16, 16), tl.float32) + 2), 0), 0)
    y += apart(x, BLOCK) + tl.math.fma(x, x, x) + tl.fdiv(x, 3.0) + tl.div_rn(x, 7.0) + tl.sqrt_rn(tl.abs(x)) + tl.cdiv(7, 2)
    y += tl.sum(tl.cat(x, x, can_reorder=True)) + tl.xor_sum(i.to(tl.int32)).to(tl.float32)
    tl.device_assert(x == x)
    j = tl.umulhi(i.to(tl.uint32), 0x9E3779B9).to(tl.int64) + tl.umulhi(i.to(tl.uint64), 0x9E3779B97F4A7C15).to(tl.int64) + (i // -3) + (i % 5)
    j += tl.cumsum((i > 40).to(tl.int32), 0) + tl.where((i > 10) & (i < 20), 1, 0) + tl.maximum(i, 7) + (~i) + (-i) + (i.to(tl.uint8) >> 1).to(tl.int64)
    tl.store(out_ptr + place, y)
    tl.store(ints_ptr + place, j)


@triton_op("ferrite_triton::language", mutates_args={})
def language_of(x: torch.Tensor, i: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out, ints = torch.empty_like(x), torch.empty_like(i)
    wrap_triton(language_kernel)[(1,)](x, i, out, ints, BLOCK=x.numel())
    return out, ints


@case((floats(32), places(32, 100)))
def language(x, i):
    return language_of(x, i)
