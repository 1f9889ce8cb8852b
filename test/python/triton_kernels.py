"""Operators that call Triton kernels, and arguments for them: what test_triton.py compiles and triton_interpreted.py runs."""

import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton
from triton.language.extra import libdevice

CASES = {}  # name -> function, tuples of arguments


def case(*arguments):
    def note(function):
        CASES[function.__name__] = function, arguments
        return function
    return note


def floats(*sizes, dtype=torch.float32):
    generator = torch.Generator().manual_seed(sum(sizes))
    return torch.randn(sizes, generator=generator).to(dtype)


def places(size, limit):
    return torch.randint(0, limit, (size,), generator=torch.Generator().manual_seed(size))


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, alpha, BLOCK: tl.constexpr):
    '''Its docstring has "quotes" of every kind: it's \\"""\\" and ünïcode.'''
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(out_ptr + offsets, x + alpha * y, mask=mask)


@triton_op("ferrite_triton::add", mutates_args={})
def add(x: torch.Tensor, y: torch.Tensor, alpha: float) -> torch.Tensor:
    out = torch.empty_like(x)
    n = x.numel()
    wrap_triton(add_kernel)[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n, alpha, BLOCK=64)
    return out


@case((floats(1000), floats(1000)), (floats(64), floats(64)), (floats(3, 50), floats(3, 50)))
def added(x, y):
    return add(x, y, 0.5) * 2


@case((floats(500, dtype=torch.float16), floats(500, dtype=torch.float16)))
def added_halves(x, y):
    return add(x, y, 2.0)


@triton.jit
def functions_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    y = tl.where(x > 0, tl.sigmoid(x), tl.maximum(x, -1.0)) + tl.sqrt(tl.abs(x)) + tl.log(x * x + 1) + tl.erf(x) + tl.floor(x)
    y += tl.minimum(x, 2.0) + tl.clamp(x, -1.0, 1.0) + tl.exp2(x) + tl.rsqrt(x * x + 1) + tl.sin(x) + tl.cos(x) + tl.ceil(x)
    y += tl.fma(x, y, x) + tl.exp(-x) + (x != x) + (x <= 0.5) + ((x > 1) | (x < -1))
    tl.store(out_ptr + offsets, y, mask=offsets < n)


@triton_op("ferrite_triton::functions", mutates_args={})
def functions_of(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(functions_kernel)[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out


@case((floats(777),))
def functions(x):
    return functions_of(x)


@triton.jit
def integers_kernel(i_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    i = tl.load(i_ptr + offsets, mask=mask, other=1)
    j = (i % 7) * (i // 3) + (i << 2) - (i >> 1) + (i & 5) + (i | 8) + (i ^ 3) + tl.minimum(i, 4) + tl.abs(i)
    j += (offsets // 5 + offsets % 3).to(tl.int64) + i.to(tl.int8).to(tl.int64) + (i > 3).to(tl.int64)
    tl.store(out_ptr + offsets, j, mask=mask)


@triton_op("ferrite_triton::integers", mutates_args={})
def integers_of(i: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(i)
    wrap_triton(integers_kernel)[(triton.cdiv(i.numel(), 32),)](i, out, i.numel(), BLOCK=32)
    return out


@case((places(100, 1000) - 500,))
def integers(i):
    return integers_of(i)


@triton.jit
def random_kernel(out_ptr, n, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.rand(seed, offsets), mask=offsets < n)


@triton_op("ferrite_triton::random", mutates_args={})
def random_of(x: torch.Tensor, seed: int) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(random_kernel)[(triton.cdiv(x.numel(), 64),)](out, x.numel(), seed, BLOCK=64)
    return out


@case((floats(200),))
def drawn(x):
    return random_of(x, 42) + x


@triton.jit
def softmax_kernel(out_ptr, in_ptr, in_stride, out_stride, columns, BLOCK: tl.constexpr):
    row, place = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(in_ptr + row * in_stride + place, mask=place < columns, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + place, e / tl.sum(e, axis=0), mask=place < columns)


@triton_op("ferrite_triton::softmax", mutates_args={})
def softmax_of(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    rows, columns = x.shape
    wrap_triton(softmax_kernel)[(rows,)](out, x, x.stride(0), out.stride(0), columns, BLOCK=128)
    return out


@case((floats(7, 100),), (floats(12, 128),))
def softmax(x):
    return softmax_of(x * 3)


@triton.jit
def transpose_kernel(x_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    x = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns), other=0)
    tl.store(out_ptr + c[:, None] * rows + r[None, :], tl.trans(x) * 2, mask=(c[:, None] < columns) & (r[None, :] < rows))


@triton_op("ferrite_triton::transpose", mutates_args={})
def transpose_of(x: torch.Tensor) -> torch.Tensor:
    out = x.new_empty(x.shape[1], x.shape[0])
    rows, columns = x.shape
    wrap_triton(transpose_kernel)[(triton.cdiv(rows, 16), triton.cdiv(columns, 32))](x, out, rows, columns, BLOCK_R=16, BLOCK_C=32)
    return out


@case((floats(37, 70),), (floats(32, 64),))
def transposed(x):
    return transpose_of(x)


@triton.jit
def norm_kernel(x_ptr, w_ptr, b_ptr, out_ptr, mean_ptr, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    out_ptr += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        place = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + place, mask=place < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        place = start + tl.arange(0, BLOCK)
        x = tl.where(place < columns, tl.load(x_ptr + place, mask=place < columns, other=0.0).to(tl.float32) - mean, 0.0)
        total += x * x
    scale = 1 / tl.sqrt(tl.sum(total, axis=0) / columns + eps)
    tl.store(mean_ptr + row, mean)
    for start in range(0, columns, BLOCK):
        place = start + tl.arange(0, BLOCK)
        mask = place < columns
        w = tl.load(w_ptr + place, mask=mask)
        b = tl.load(b_ptr + place, mask=mask)
        x = tl.load(x_ptr + place, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_ptr + place, (x - mean) * scale * w + b, mask=mask)


@triton_op("ferrite_triton::norm", mutates_args={})
def norm_of(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out, mean = torch.empty_like(x), x.new_empty(x.shape[0])
    wrap_triton(norm_kernel)[(x.shape[0],)](x, w, b, out, mean, x.stride(0), x.shape[1], 1e-5, BLOCK=64)
    return out, mean


@case((floats(9, 200), floats(200), floats(200)))
def normed(x, w, b):
    return norm_of(x, w, b)


@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    blocks = tl.cdiv(N, BN)
    pm, pn = tl.program_id(0) // blocks, tl.program_id(0) % blocks
    m, n, k = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
    a = a_ptr + (m % M)[:, None] * am + k[None, :] * ak
    b = b_ptr + k[:, None] * bk + (n % N)[None, :] * bn
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=k[None, :] < K - step * BK, other=0.0)
        y = tl.load(b, mask=k[:, None] < K - step * BK, other=0.0)
        total = tl.dot(x, y, total, input_precision="ieee")
        a += BK * ak
        b += BK * bk
    tl.store(c_ptr + m[:, None] * cm + n[None, :] * cn, total, mask=(m[:, None] < M) & (n[None, :] < N))


@triton_op("ferrite_triton::product", mutates_args={})
def product_of(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    c = a.new_empty(a.shape[0], b.shape[1])
    M, N, K = a.shape[0], b.shape[1], a.shape[1]
    wrap_triton(product_kernel)[(triton.cdiv(M, 32) * triton.cdiv(N, 16),)](
        a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1), BM=32, BN=16, BK=16)
    return c


@case((floats(70, 50), floats(50, 40)), (floats(64, 32), floats(32, 32)))
def product(a, b):
    return product_of(a, b)


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, scale, N: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr):
    m, d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :]) * scale
    high = tl.zeros([BLOCK], dtype=tl.float32) - float("inf")
    total = tl.zeros([BLOCK], dtype=tl.float32)
    out = tl.zeros([BLOCK, D], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        n = start + tl.arange(0, BLOCK)
        k = tl.load(k_ptr + n[:, None] * D + d[None, :])
        scores = tl.dot(q, tl.trans(k), input_precision="ieee")
        new = tl.maximum(high, tl.max(scores, 1))
        p, old = tl.exp(scores - new[:, None]), tl.exp(high - new)
        total = total * old + tl.sum(p, 1)
        out = tl.dot(p, tl.load(v_ptr + n[:, None] * D + d[None, :]), out * old[:, None], input_precision="ieee")
        high = new
    tl.store(out_ptr + m[:, None] * D + d[None, :], out / total[:, None])


@triton_op("ferrite_triton::attention", mutates_args={})
def attention_of(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(q)
    wrap_triton(attention_kernel)[(q.shape[0] // 16,)](q, k, v, out, 0.25, N=k.shape[0], D=q.shape[1], BLOCK=16)
    return out


@case((floats(32, 16), floats(64, 16), floats(64, 16) + 1))
def attention(q, k, v):
    return attention_of(q, k, v)


@triton.jit
def causal_kernel(q_ptr, k_ptr, v_ptr, out_ptr, sums_ptr, D: tl.constexpr, BLOCK: tl.constexpr):
    m, d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    high = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    out = tl.zeros([BLOCK, D], dtype=tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BLOCK, BLOCK):
        n = start + tl.arange(0, BLOCK)
        scores = tl.dot(q, tl.trans(tl.load(k_ptr + n[:, None] * D + d[None, :])), input_precision="ieee")
        scores = tl.where(m[:, None] >= n[None, :], scores, -float("inf"))
        new = tl.maximum(high, tl.max(scores, 1))
        p, old = tl.exp(scores - new[:, None]), tl.exp(high - new)
        total = total * old + tl.sum(p, 1)
        out = tl.dot(p, tl.load(v_ptr + n[:, None] * D + d[None, :]), out * old[:, None], input_precision="ieee")
        high = new
    tl.store(out_ptr + m[:, None] * D + d[None, :], out / total[:, None])
    columns = tl.zeros([D], dtype=tl.float32)
    low = tl.full([D], float("inf"), tl.float32)
    product = tl.zeros([BLOCK, BLOCK], dtype=tl.float32)
    for row in range(tl.program_id(0), 7 - tl.program_id(0) * 2, 2):
        columns += tl.load(k_ptr + row * D + d)
        low = tl.minimum(low, tl.load(v_ptr + row * D + d))
        product = tl.dot(q, tl.trans(q) * row, product, input_precision="ieee")
    tl.store(sums_ptr + tl.program_id(0) * D + d, columns + low + tl.sum(tl.sum(product, 0), 0))


@triton_op("ferrite_triton::causal", mutates_args={})
def causal_of(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out, sums = torch.empty_like(q), q.new_empty(q.shape[0] // 16, q.shape[1])
    wrap_triton(causal_kernel)[(q.shape[0] // 16,)](q, k, v, out, sums, D=q.shape[1], BLOCK=16)
    return out, sums


@case((floats(48, 16) / 4, floats(48, 16), floats(48, 16) + 1))
def causal(q, k, v):
    return causal_of(q, k, v)


@triton.jit
def lookup_kernel(table_ptr, i_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row, place = tl.program_id(0), tl.arange(0, BLOCK)
    which = tl.load(i_ptr + row)
    x = tl.load(table_ptr + which * columns + place, mask=place < columns)
    tl.store(out_ptr + row * columns + place, x, mask=place < columns)


@triton_op("ferrite_triton::lookup", mutates_args={})
def lookup_of(table: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    out = table.new_empty(i.shape[0], table.shape[1])
    wrap_triton(lookup_kernel)[(i.shape[0],)](table, i, out, table.shape[1], BLOCK=32)
    return out


@case((floats(10, 20), places(6, 10)))
def looked_up(table, i):
    return lookup_of(table, i)


@triton.jit
def count_kernel(i_ptr, x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    which = tl.load(i_ptr + offsets, mask=mask, other=0)
    tl.atomic_add(out_ptr + which, tl.load(x_ptr + offsets, mask=mask), mask=mask)


@triton_op("ferrite_triton::count", mutates_args={})
def count_of(i: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    out = x.new_zeros(10)
    wrap_triton(count_kernel)[(triton.cdiv(x.numel(), 32),)](i, x, out, x.numel(), BLOCK=32)
    return out


@case((places(100, 10), floats(100)))
def counted(i, x):
    return count_of(i, x)


@triton.jit
def change_kernel(x_ptr, n, limit, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    if tl.program_id(0) % 2 == 0:
        x = x * 2
    else:
        x = x - 1
    tl.store(x_ptr + offsets, x, mask=(offsets < n) & (x > limit))


@triton_op("ferrite_triton::change", mutates_args={"x"})
def change(x: torch.Tensor, limit: float) -> None:
    wrap_triton(change_kernel)[(triton.cdiv(x.numel(), 16),)](x, x.numel(), limit, BLOCK=16)


@case((floats(75),))
def changed(x):
    y = x + 0
    change(y, -0.5)
    return y * 3


@case((floats(75),))
def argument_changed(x):
    change(x, 0.25)
    return x + 1


@triton.jit
def library_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, libdevice.tanh(x) + libdevice.pow(tl.abs(x), 1.5), mask=offsets < n)


@triton_op("ferrite_triton::library", mutates_args={})
def library_of(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(library_kernel)[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


def library(x):  # of a device, which the interpreter has not
    return library_of(x)


@triton.jit
def places_kernel(x_ptr, high_ptr, low_ptr, sums_ptr, back_ptr, columns, BLOCK: tl.constexpr):
    row, place = tl.program_id(0), tl.arange(0, BLOCK)
    mask = place < columns
    x = tl.load(x_ptr + row * columns + place, mask=mask, other=0)
    tl.store(high_ptr + row, tl.argmax(tl.where(mask, x, -float("inf")), 0))
    tl.store(low_ptr + row, tl.argmin(tl.where(mask, x, float("inf")), 0, tie_break_left=False))
    tl.store(sums_ptr + row * columns + place, tl.cumsum(x, 0), mask=mask)
    tl.store(back_ptr + row * columns + place, tl.cumprod(x, 0, reverse=True), mask=mask)


@triton_op("ferrite_triton::places", mutates_args={})
def places_of(x: torch.Tensor) -> list[torch.Tensor]:
    high, low = (x.new_empty(x.shape[0], dtype=torch.int32) for _ in range(2))
    sums, back = torch.empty_like(x), torch.empty_like(x)
    wrap_triton(places_kernel)[(x.shape[0],)](x, high, low, sums, back, x.shape[1], BLOCK=16)
    return [high, low, sums, back]


@case((floats(5, 13),))
def placed(x):
    return tuple(places_of(torch.cat([x, x[:, :2]], 1)))


@triton.jit
def bytes_kernel(flag_ptr, byte_ptr, out_ptr, flags_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    flag = tl.load(flag_ptr + offsets, mask=mask)
    byte = tl.load(byte_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.where(flag, byte.to(tl.float32) / 2, -1.0) + (byte // 3).to(tl.float32), mask=mask)
    tl.store(flags_ptr + offsets, byte > 127, mask=mask)


@triton_op("ferrite_triton::bytes", mutates_args={})
def bytes_of(flag: torch.Tensor, byte: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out, flags = byte.new_empty(byte.shape, dtype=torch.float32), torch.empty_like(flag)
    wrap_triton(bytes_kernel)[(triton.cdiv(byte.numel(), 32),)](flag, byte, out, flags, byte.numel(), BLOCK=32)
    return out, flags


@case((places(77, 2).bool(), places(77, 256).to(torch.uint8)))
def bytes_and_bools(flag, byte):
    return bytes_of(flag, byte)


@triton.jit
def window_kernel(x_ptr, out_ptr, rows, columns, R: tl.constexpr, C: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (rows, columns), (columns, 1), (tl.program_id(0) * R, 0), (R, C), (1, 0))
    out = tl.make_block_ptr(out_ptr, (rows, columns), (columns, 1), (tl.program_id(0) * R, 0), (R, C), (1, 0))
    tl.store(out, tl.load(x, boundary_check=(0, 1)) + 1, boundary_check=(0, 1))


@triton_op("ferrite_triton::window", mutates_args={})
def window_of(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(window_kernel)[(triton.cdiv(x.shape[0], 8),)](x, out, x.shape[0], x.shape[1], R=8, C=32)
    return out


@case((floats(21, 30),))
def windows(x):
    return window_of(x)


@triton.autotune(configs=[triton.Config({"BLOCK": 32})], key=["n"])  # the interpreter cannot measure several
@triton.jit
def tuned_kernel(x_ptr, bias_ptr, out_ptr, n, row_step, step, BLOCK: tl.constexpr, SQUARES: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(1)
    x = tl.load(x_ptr + row * row_step + offsets * step, mask=offsets < n)
    if bias_ptr is not None:
        x += tl.load(bias_ptr + offsets, mask=offsets < n)
    if SQUARES:
        x = x * x
    tl.store(out_ptr + row * n + offsets, x, mask=offsets < n)


@triton_op("ferrite_triton::tuned", mutates_args={})
def tuned(x: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    out = x.new_empty(x.shape)
    grid = lambda meta: (triton.cdiv(x.shape[1], meta["BLOCK"]), x.shape[0])  # noqa: E731
    wrap_triton(tuned_kernel)[grid](x, bias, out, x.shape[1], x.stride(0), x.stride(1), SQUARES=True)
    return out


@case((floats(70, 10), floats(70)), (floats(33, 4), floats(33)))
def strided(x, bias):
    part = x[:, 1:]
    return tuned(part.t(), bias), tuned(part, None)


@triton.jit
def part_kernel(x_ptr, y_ptr, out_ptr, step, BLOCK: tl.constexpr):
    place = tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + place * step), tl.load(y_ptr + place * step)
    tl.store(out_ptr + place * step + 1, x + y)
    tl.store(x_ptr + place * step, y - x)


@triton_op("ferrite_triton::part", mutates_args={"x", "out"})
def part(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
    wrap_triton(part_kernel)[(1,)](x, y, out, x.stride(0), BLOCK=16)


@case((floats(32), floats(32), floats(33)))
def parts_written(x, y, out):
    z = y * 1
    part(z[::2], x[::2], out)
    part(x[1::2], x[::2], z[:32])
    return z


@triton.jit
def larger(x, n):
    if n > 8:
        return x * 2
    return x + 1


@triton.jit
def early_kernel(x_ptr, out_ptr, n, last, BLOCK: tl.constexpr):
    if tl.program_id(0) >= last:
        return
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = larger(tl.load(x_ptr + place, mask=place < n), n)
    low, high = tl.split(tl.reshape(x, (BLOCK // 2, 2)))
    tl.store(out_ptr + place, tl.interleave(high, low), mask=place < n)


@triton_op("ferrite_triton::early", mutates_args={})
def early(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(x)
    wrap_triton(early_kernel)[(triton.cdiv(x.numel(), 8),)](x, out, x.numel(), 3, BLOCK=8)
    return out


@case((floats(30),), (floats(18),))
def returned_early(x):
    return early(x)


@triton.jit
def assembly_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    place = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + place)
    y = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out_ptr + place, y)


@triton_op("ferrite_triton::refused", mutates_args={})
def refused(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(assembly_kernel)[(1,)](x, out, BLOCK=64)
    return out
