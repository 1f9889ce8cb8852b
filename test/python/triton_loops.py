"""Triton kernels with loops whose steps depend on each other, for test_triton.py: see triton_kernels.py."""

import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton

from triton_kernels import case, floats, places


@triton.jit
def recurrence_kernel(a_ptr, x_ptr, out_ptr, last_ptr, steps, columns, BLOCK: tl.constexpr):
    place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row, mask = tl.program_id(0), place < columns
    h = tl.zeros([BLOCK], dtype=tl.float32)
    a = tl.load(a_ptr + place, mask=mask, other=0.0)
    for step in range(0, steps):
        at = (row * steps + step) * columns + place
        h = a * h + tl.load(x_ptr + at, mask=mask, other=0.0)
        tl.store(out_ptr + at, h, mask=mask)
    tl.store(last_ptr + row * columns + place, h, mask=mask)


@triton_op("ferrite_triton::recurrence", mutates_args={})
def recurrence_of(a: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out, last = torch.empty_like(x), x.new_empty(x.shape[0], x.shape[2])
    rows, steps, columns = x.shape
    wrap_triton(recurrence_kernel)[(rows, triton.cdiv(columns, 16))](a, x, out, last, steps, columns, BLOCK=16)
    return out, last


@case((floats(20).sigmoid(), floats(3, 200, 20)), (floats(16).sigmoid(), floats(2, 70, 16)))
def recurrence(a, x):
    return recurrence_of(a, x)


@triton.jit
def flash_kernel(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, scale, N, CAUSAL: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    block, head = tl.program_id(0), tl.program_id(1)
    q_ptr += head * N * D
    k_ptr += head * N * D
    v_ptr += head * N * D
    out_ptr += head * N * D
    m, d = block * BM + tl.arange(0, BM), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :], mask=m[:, None] < N, other=0.0)
    high = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    out = tl.zeros([BM, D], dtype=tl.float32)
    end = (block + 1) * BM if CAUSAL else N
    for start in range(0, end, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + n[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        scores = tl.dot(q, k, input_precision="ieee") * scale
        scores = tl.where((n[None, :] < N) & ((not CAUSAL) | (m[:, None] >= n[None, :])), scores, -float("inf"))
        new = tl.maximum(high, tl.max(scores, 1))
        p, old = tl.exp(scores - new[:, None]), tl.exp(high - new)
        total = total * old + tl.sum(p, 1)
        v = tl.load(v_ptr + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        out = tl.dot(p, v, out * old[:, None], input_precision="ieee")
        high = new
    tl.store(out_ptr + m[:, None] * D + d[None, :], out / total[:, None], mask=m[:, None] < N)
    tl.store(lse_ptr + head * N + m, high + tl.log(total), mask=m < N)


@triton_op("ferrite_triton::flash", mutates_args={})
def flash_of(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> tuple[torch.Tensor, torch.Tensor]:
    out, lse = torch.empty_like(q), q.new_empty(q.shape[0], q.shape[1])
    heads, N, D = q.shape
    wrap_triton(flash_kernel)[(triton.cdiv(N, 16), heads)](q, k, v, out, lse, D ** -0.5, N, CAUSAL=causal, D=D, BM=16, BN=16)
    return out, lse


@case((floats(2, 1100, 16), floats(2, 1100, 16), floats(2, 1100, 16) + 1))
def flash(q, k, v):
    return flash_of(q, k, v, False)


@case((floats(2, 1090, 16), floats(2, 1090, 16), floats(2, 1090, 16) + 1), (floats(2, 80, 16), floats(2, 80, 16), floats(2, 80, 16) + 1))
def flash_causal(q, k, v):
    return flash_of(q, k, v, True)


@triton.jit
def jagged_kernel(x_ptr, ends_ptr, out_ptr, high_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    begin, end = tl.load(ends_ptr + row), tl.load(ends_ptr + row + 1)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    high = -float("inf")
    for start in range(begin, end, BLOCK):
        place = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + place, mask=place < end, other=0.0)
        total += x
        high = tl.maximum(high * 0.5, tl.max(x, 0))
    tl.store(out_ptr + row, tl.sum(total, 0))
    tl.store(high_ptr + row, high)


@triton_op("ferrite_triton::jagged", mutates_args={})
def jagged_of(x: torch.Tensor, ends: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out, high = x.new_empty(ends.shape[0] - 1), x.new_empty(ends.shape[0] - 1)
    wrap_triton(jagged_kernel)[(ends.shape[0] - 1,)](x, ends, out, high, BLOCK=8)
    return out, high


@case((floats(1000), torch.tensor([0, 5, 5, 700, 731, 1000])))
def jagged(x, ends):
    return jagged_of(x, ends)


@triton.jit
def newton_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + place, mask=place < n, other=1.0)
    y = x
    for _ in range(300):
        y = 0.5 * (y + x / y)
    tl.store(out_ptr + place, y, mask=place < n)


@triton_op("ferrite_triton::newton", mutates_args={})
def newton_of(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(newton_kernel)[(triton.cdiv(x.numel(), 32),)](x, out, x.numel(), BLOCK=32)
    return out


@case((floats(100).abs() + 0.1,))
def newton(x):
    return newton_of(x)


@triton.jit
def growing_kernel(x_ptr, n, columns, BLOCK: tl.constexpr):
    """A step reads what the one before has stored."""
    place = tl.arange(0, BLOCK)
    for row in range(1, n):
        above = tl.load(x_ptr + (row - 1) * columns + place, mask=place < columns, other=0.0)
        left = tl.load(x_ptr + (row - 1) * columns + place - 1, mask=(place > 0) & (place < columns), other=0.0)
        here = tl.load(x_ptr + row * columns + place, mask=place < columns)
        tl.store(x_ptr + row * columns + place, here + 0.5 * above - 0.25 * left, mask=place < columns)


@triton_op("ferrite_triton::growing", mutates_args={"x"})
def growing_of(x: torch.Tensor) -> None:
    wrap_triton(growing_kernel)[(1,)](x, x.shape[0], x.shape[1], BLOCK=32)


@case((floats(150, 20),), (floats(10, 32),))
def growing(x):
    y = x * 1
    growing_of(y)
    return y


@triton.jit
def nested_kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    place = block * BLOCK + tl.arange(0, BLOCK)
    mask = place < columns
    state = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(0, rows):
        x = tl.load(x_ptr + row * columns + place, mask=mask, other=0.0)
        inner = x
        for k in range(0, (row + block) % 70 + 1):
            inner = inner * 0.9 + state * 0.1
            if k % 2 == 0:
                inner += 0.01
        if row % 3 == 1:
            state = state * 0.5 + inner
            tl.store(out_ptr + row * columns + place, inner, mask=mask)
        else:
            state = inner
            tl.store(out_ptr + row * columns + place, state + 1, mask=mask)


@triton_op("ferrite_triton::nested", mutates_args={})
def nested_of(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(nested_kernel)[(triton.cdiv(x.shape[1], 8),)](x, out, x.shape[0], x.shape[1], BLOCK=8)
    return out


@case((floats(90, 20),))
def nested(x):
    return nested_of(x)


@triton.jit
def chain_kernel(x_ptr, next_ptr, first_ptr, out_ptr, count_ptr):
    """A list that is linked by places."""
    at = tl.load(first_ptr + tl.program_id(0))
    total, count = 0.0, 0
    while at >= 0:
        total += tl.load(x_ptr + at)
        at = tl.load(next_ptr + at)
        count += 1
    tl.store(out_ptr + tl.program_id(0), total)
    tl.store(count_ptr + tl.program_id(0), count)


@triton_op("ferrite_triton::chain", mutates_args={})
def chain_of(x: torch.Tensor, following: torch.Tensor, first: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    out, count = x.new_empty(first.shape), first.new_empty(first.shape)
    wrap_triton(chain_kernel)[(first.shape[0],)](x, following, first, out, count)
    return out, count


@case((floats(10), torch.tensor([3, 2, -1, 4, 1, 9, -1, 6, 7, 8]), torch.tensor([0, 5, 2, -1])))
def chain(x, following, first):
    return chain_of(x, following, first)


@triton.jit
def solve_kernel(a_ptr, out_ptr, turns_ptr, n, tolerance, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + place, mask=place < n, other=1.0)
    x, turns = a, 0
    error = tl.max(tl.abs(x * x - a), 0)
    while (error > tolerance) & (turns < 100):
        x = 0.5 * (x + a / x)
        error = tl.max(tl.abs(x * x - a), 0)
        turns += 1
        if turns % 2 == 0:
            tl.store(turns_ptr + tl.program_id(0), turns)
    tl.store(out_ptr + place, x, mask=place < n)


@triton_op("ferrite_triton::solve", mutates_args={})
def solve_of(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    blocks = triton.cdiv(a.numel(), 8)
    out, turns = torch.empty_like(a), a.new_zeros(blocks, dtype=torch.int32)
    wrap_triton(solve_kernel)[(blocks,)](a, out, turns, a.numel(), 1e-3, BLOCK=8)
    return out, turns


@case((floats(60).abs() * torch.logspace(-2, 2, 60) + 1,))
def solve(a):
    return solve_of(a)


@triton.jit
def sift_kernel(x_ptr, n, BLOCK: tl.constexpr):
    """Each program sorts its row by insertion: loops within loops, on memory that both change."""
    row = x_ptr + tl.program_id(0) * n
    for i in range(1, n):
        key = tl.load(row + i)
        j = i - 1
        above = tl.load(row + j)
        while (j >= 0) & (above > key):
            tl.store(row + j + 1, above)
            j -= 1
            above = tl.load(row + j, mask=j >= 0, other=-float("inf"))
        tl.store(row + j + 1, key)


@triton_op("ferrite_triton::sift", mutates_args={"x"})
def sift_of(x: torch.Tensor) -> None:
    wrap_triton(sift_kernel)[(x.shape[0],)](x, x.shape[1], BLOCK=8)


@case((floats(3, 70),), (floats(2, 9),))
def sift(x):
    y = x + 0
    sift_of(y)
    return y


@triton.jit
def turning_kernel(x_ptr, out_ptr, last_ptr, n, steps, BLOCK: tl.constexpr):
    """Steps that write to the places of earlier ones; one program writes alone."""
    place = tl.arange(0, BLOCK)
    pid = tl.program_id(0)
    for step in range(0, steps):
        x = tl.load(x_ptr + (pid * steps + step) * n + place, mask=place < n)
        tl.store(out_ptr + (pid * 3 + step % 3) * n + place, x + step, mask=place < n)
        tl.store(last_ptr + pid * 2, step)
    if pid == 1:
        tl.store(last_ptr + 1, 5)
    if pid > 1:
        tl.store(last_ptr + 3, pid)


@triton_op("ferrite_triton::turning", mutates_args={})
def turning_of(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    programs, steps, n = x.shape
    out, last = x.new_empty(programs, 3, n), x.new_zeros(programs * 2, dtype=torch.int32)
    wrap_triton(turning_kernel)[(programs,)](x, out, last, n, steps, BLOCK=16)
    return out, last


@case((floats(3, 8, 10),), (floats(3, 100, 16),))
def turning(x):
    return turning_of(x)


@triton.jit
def mixed_kernel(x_ptr, ends_ptr, out_ptr, numbers_ptr, flags_ptr, n, rows, BLOCK: tl.constexpr):
    """Values of every kind, handed on in loops of every kind, within each other and in branches."""
    pid, place = tl.program_id(0), tl.arange(0, BLOCK)
    before = tl.load(out_ptr + pid * BLOCK + place)
    half = tl.zeros([BLOCK], tl.float16)
    found = tl.zeros([BLOCK], tl.int1)
    a, b = 0, 1
    at_ptr = x_ptr + pid * n
    total = 0.0
    if pid % 2 == 0:
        begin, end = tl.load(ends_ptr + pid), tl.load(ends_ptr + pid + 1)
        for i in range(begin, end):
            total = total * 0.5 + tl.load(x_ptr + i)
            j = i
            while (j > begin) & (j % 3 != 0):
                total += 1
                j -= 1
    else:
        count = 0
        while count < pid + 70:
            count += 1
            a, b = b, (a + b) % 1000
    for row in range(pid, rows, 3):
        state = tl.zeros([BLOCK], tl.float32)
        for step in range(0, 80):
            x = tl.load(x_ptr + (row + step) % n + place * 0)
            state = state * 0.9 + x
            half = (half * 0.5 + x.to(tl.float16)).to(tl.float16)
            found |= (state > 2) & (place > step % BLOCK)
        tl.store(out_ptr + (3 + row) * BLOCK + place, state)
    for step in range(0, 90):
        if tl.load(at_ptr) > 0.5:
            b += 1
        at_ptr += step % 2
    tl.store(out_ptr + pid * BLOCK + place, before + half.to(tl.float32) + total)
    tl.store(flags_ptr + pid * BLOCK + place, found)
    tl.store(numbers_ptr + pid * 2, a)
    tl.store(numbers_ptr + pid * 2 + 1, b)


@triton_op("ferrite_triton::mixed", mutates_args={"out"})
def mixed_of(x: torch.Tensor, ends: torch.Tensor, out: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    numbers, flags = ends.new_empty(6), torch.empty(3, 8, dtype=torch.bool, device=x.device)
    wrap_triton(mixed_kernel)[(3,)](x, ends, out, numbers, flags, x.shape[0] // 3, out.shape[0] - 3, BLOCK=8)
    return numbers, flags


@case((floats(150), torch.tensor([0, 90, 90, 93]), floats(10, 8)), (floats(150), torch.tensor([7, 7, 9, 9]), floats(4, 8)))
def mixed(x, ends, out):
    y = out + 0
    numbers, flags = mixed_of(x, ends, y)
    return y, numbers, flags
