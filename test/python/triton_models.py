"""Triton kernels of language models, as their libraries have them: for test_triton.py, see triton_kernels.py."""

import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton

from triton_kernels import case, floats, places


# -- layer norm backward: each program has rows of its own --

@triton.jit
def ln_bwd_kernel(X, W, Mean, RSTD, DX, DW, DB, DY, stride_x, n_rows, n_cols, rows_per_program, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    row_start = block * rows_per_program
    row_end = min((block + 1) * rows_per_program, n_rows)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    dw_row = tl.zeros((BLOCK,), dtype=tl.float32)
    db_row = tl.zeros((BLOCK,), dtype=tl.float32)
    X += row_start * stride_x
    DX += row_start * stride_x
    DY += row_start * stride_x
    Mean += row_start
    RSTD += row_start
    w = tl.load(W + cols, mask=mask, other=0.0)
    for _ in range(row_start, row_end):
        x = tl.load(X + cols, mask=mask, other=0.0)
        dy = tl.load(DY + cols, mask=mask, other=0.0)
        mean = tl.load(Mean)
        rstd = tl.load(RSTD)
        x_hat = (x - mean) * rstd
        wdy = w * dy
        c1 = tl.sum(x_hat * wdy, axis=0) / n_cols
        c2 = tl.sum(wdy, axis=0) / n_cols
        dx = (wdy - (x_hat * c1 + c2)) * rstd
        tl.store(DX + cols, dx, mask=mask)
        dw_row += dy * x_hat
        db_row += dy
        X += stride_x
        DX += stride_x
        DY += stride_x
        Mean += 1
        RSTD += 1
    tl.store(DW + block * n_cols + cols, dw_row, mask=mask)
    tl.store(DB + block * n_cols + cols, db_row, mask=mask)

@triton_op("ferrite_triton::ln_bwd", mutates_args={})
def ln_bwd_of(x: torch.Tensor, w: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor, dy: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    M, N = x.shape
    P = 4
    dx = torch.empty_like(x)
    dw = torch.empty(P, N)
    db = torch.empty(P, N)
    wrap_triton(ln_bwd_kernel)[(P,)](x, w, mean, rstd, dx, dw, db, dy, x.stride(0), M, N, triton.cdiv(M, P), BLOCK=triton.next_power_of_2(N))
    return dx, dw.sum(0), db.sum(0)

@case((floats(14, 100), floats(100), floats(14), floats(14).abs() + .5, floats(14, 100) + 1))
def ln_bwd(x, w, mean, rstd, dy):
    return ln_bwd_of(x, w, mean, rstd, dy)


# -- cross entropy and its gradient in place, with a cap, smoothing and rows to ignore --

@triton.jit
def liger_ce_kernel(X_ptr, X_stride, Y_ptr, loss_ptr, z_loss_ptr, n_cols, n_non_ignore, ignore_index, label_smoothing: tl.constexpr,
                    lse_square_scale: tl.constexpr, softcap, HAS_SOFTCAP: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    Y_ptr += program_id
    y = tl.load(Y_ptr)
    X_ptr += program_id * X_stride
    if y == ignore_index:
        for i in range(0, n_cols, BLOCK_SIZE):
            X_offsets = i + tl.arange(0, BLOCK_SIZE)
            tl.store(X_ptr + X_offsets, 0.0, mask=X_offsets < n_cols)
        return
    loss_ptr += program_id
    z_loss_ptr += program_id
    m = float("-inf")
    d = 0.0
    ori_X_y = tl.load(X_ptr + y).to(tl.float32)
    if HAS_SOFTCAP:
        t1 = tl.math.exp(2.0 * ori_X_y / softcap)
        ori_X_y = softcap * (t1 - 1) / (t1 + 1)
    scaled_x_sum = 0.0
    eps = label_smoothing / n_cols
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).to(tl.float32)
        if HAS_SOFTCAP:
            t = tl.math.exp(2.0 * X_block / softcap)
            X_block = tl.where(X_offsets < n_cols, softcap * (t - 1) / (t + 1), float("-inf"))
        block_max = tl.max(X_block)
        if label_smoothing > 0:
            scaled_x_sum += tl.sum(tl.where(X_offsets < n_cols, -eps * X_block, 0.0))
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(X_block - m_new))
        m = m_new
    lse = m + tl.log(d)
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).to(tl.float32)
        if HAS_SOFTCAP:
            t = tl.math.exp(2.0 * X_block / softcap)
            intermediate = (t - 1) / (t + 1)
            X_block = tl.where(X_offsets < n_cols, softcap * intermediate, float("-inf"))
        X_block = tl.exp(X_block - m) / d
        X_block += 2 * lse_square_scale * lse * X_block
        X_block += -eps
        X_block = tl.where(X_offsets != y, X_block, X_block - (1 - label_smoothing))
        X_block = X_block / n_non_ignore
        if HAS_SOFTCAP:
            X_block = X_block * (1 - intermediate * intermediate)
        tl.store(X_ptr + X_offsets, X_block, mask=X_offsets < n_cols)
    tl.debug_barrier()
    loss = lse - ori_X_y
    if label_smoothing > 0:
        smooth_loss = scaled_x_sum + label_smoothing * lse
        loss = loss * (1 - label_smoothing) + smooth_loss
    z_loss = lse_square_scale * lse * lse
    loss += z_loss
    loss = loss / n_non_ignore
    tl.store(z_loss_ptr, z_loss / n_non_ignore)
    tl.store(loss_ptr, loss)

@triton_op("ferrite_triton::liger_ce", mutates_args={"x"})
def liger_ce_of(x: torch.Tensor, y: torch.Tensor, cap: bool) -> tuple[torch.Tensor, torch.Tensor]:
    M, N = x.shape
    loss = torch.zeros(M)
    z = torch.zeros(M)
    wrap_triton(liger_ce_kernel)[(M,)](x, x.stride(0), y, loss, z, N, M, -100, 0.1, 1e-4, 30.0, cap, BLOCK_SIZE=128 if N < 1000 else 4096)
    return loss, z

@case((torch.tensor([5, 299, -100, 0, 17]), floats(5, 300)))
def liger_ce(y, x):
    return liger_ce_of(x, y, False)


@case((torch.tensor([5, 299, -100, 0, 17]), floats(5, 300) * 3))
def liger_ce_cap(y, x):
    return liger_ce_of(x, y, True)


# -- RMS norm backward --

@triton.jit
def rms_bwd_kernel(dY, dY_row_stride, dX, X, X_dtype: tl.constexpr, W, RSTD, dW, dW_row_stride, n_rows, n_cols, offset, rows_per_program, casting: tl.constexpr, BLOCK: tl.constexpr):
    block = tl.program_id(0).to(tl.int64)
    row_start = block * rows_per_program
    row_end = min((block + 1) * rows_per_program, n_rows)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    dW_row = tl.zeros((BLOCK,), dtype=tl.float32)
    W_row = tl.load(W + cols, mask=mask, other=0.0)
    W_row = W_row + offset
    for row in range(row_start, row_end):
        dY_row = tl.load(dY + row * dY_row_stride + cols, mask=mask, other=0.0)
        X_row = tl.load(X + row * dY_row_stride + cols, mask=mask, other=0.0).to(tl.float32)
        rstd = tl.load(RSTD + row)
        m = (dY_row * W_row).to(tl.float32)
        dX_row = rstd * m
        dX_row += rstd * (-(1 / n_cols) * rstd * rstd * tl.sum(m * X_row, axis=0) * X_row)
        dW_row += dY_row * (X_row * rstd)
        tl.store(dX + row * dY_row_stride + cols, dX_row.to(X_dtype), mask=mask)
    tl.store(dW + block * dW_row_stride + cols, dW_row, mask=mask)

@triton_op("ferrite_triton::rms_bwd", mutates_args={})
def rms_bwd_of(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, rstd: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    M, N = x.shape
    P = 3
    dx = torch.empty_like(x)
    dw = torch.empty(P, N)
    wrap_triton(rms_bwd_kernel)[(P,)](dy, N, dx, x, tl.float32, w, rstd, dw, N, M, N, 1.0, triton.cdiv(M, P), 0, BLOCK=triton.next_power_of_2(N))
    return dx, dw.sum(0)


@case((floats(10, 70), floats(10, 70) + 1, floats(70), floats(10).abs() + .5))
def rms_bwd(dy, x, w, rstd):
    return rms_bwd_of(dy, x, w, rstd)


# -- group norm --

@triton.jit
def gn_kernel(X, Y, W, B, Mean, stride_n, HW, C, eps, G: tl.constexpr, CPG: tl.constexpr, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    g = tl.program_id(1)
    hidden = HW * CPG
    X += b * stride_n + g * hidden
    Y += b * stride_n + g * hidden
    s = 0.0
    ss = 0.0
    for i in tl.range(0, hidden, BLOCK):
        o = i + tl.arange(0, BLOCK)
        x = tl.load(X + o, mask=o < hidden, other=0.0)
        s += tl.sum(x)
        ss += tl.sum(x * x)
    m = s / hidden
    rstd = tl.rsqrt(ss / hidden - m * m + eps)
    for c in tl.range(g * CPG, (g + 1) * CPG):
        w = tl.load(W + c)
        bb = tl.load(B + c)
        for i in range(0, HW, BLOCK):
            o = i + tl.arange(0, BLOCK)
            x = tl.load(X + o, mask=o < HW, other=m)
            tl.store(Y + o, (x - m) * rstd * w + bb, mask=o < HW)
        X += HW
        Y += HW
    tl.store(Mean + b * G + g, m)

@triton_op("ferrite_triton::gn", mutates_args={})
def gn_of(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    N, C, HW = x.shape
    y = torch.empty_like(x)
    mean = torch.empty(N, 4)
    wrap_triton(gn_kernel)[(N, 4)](x, y, w, b, mean, C * HW, HW, C, 1e-5, 4, C // 4, BLOCK=64 if HW < 100 else 1024)
    return y, mean


@case((floats(3, 8, 50), floats(8), floats(8)))
def gn(x, w, b):
    return gn_of(x, w, b)


# -- causal attention with slopes, in two loops --

@triton.jit
def attn_inner(acc, l_i, m_i, q, K_ptrs, V_ptrs, lo, hi, slope, qk_scale, offs_m, offs_n, stride_k, N, MASK: tl.constexpr, BN: tl.constexpr):
    for start in range(lo, hi, BN):
        start = tl.multiple_of(start, BN)
        n = start + offs_n
        k = tl.load(K_ptrs + start * stride_k, mask=n[None, :] < N, other=0.0)
        qk = tl.dot(q, k, input_precision="ieee") * qk_scale
        qk += slope * (n[None, :] - offs_m[:, None]).to(tl.float32)
        if MASK:
            qk = tl.where((offs_m[:, None] >= n[None, :]) & (n[None, :] < N), qk, -1.0e6)
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_ij[:, None])
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(V_ptrs + start * stride_k, mask=n[:, None] < N, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
        m_i = m_ij
    return acc, l_i, m_i

@triton.jit
def alibi_kernel(Q, K, V, Out, Slopes, scale, H, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    start_m = tl.program_id(0)
    bh = tl.program_id(1)
    h = bh % H
    base = bh.to(tl.int64) * N * D
    offs_m = start_m * BM + tl.arange(0, BM)
    offs_n = tl.arange(0, BN)
    offs_d = tl.arange(0, D)
    qb = tl.make_tensor_descriptor(Q + base, shape=[N, D], strides=[D, 1], block_shape=[BM, D])
    ob = tl.make_tensor_descriptor(Out + base, shape=[N, D], strides=[D, 1], block_shape=[BM, D])
    K_ptrs = K + base + offs_n[None, :] * D + offs_d[:, None]
    V_ptrs = V + base + offs_n[:, None] * D + offs_d[None, :]
    q = qb.load([start_m * BM, 0])
    slope = tl.load(Slopes + h) * 1.44269504
    m_i = tl.full([BM], float("-inf"), tl.float32)
    l_i = tl.zeros([BM], tl.float32) + 1.0
    acc = tl.zeros([BM, D], tl.float32)
    acc, l_i, m_i = attn_inner(acc, l_i * 0, m_i, q, K_ptrs, V_ptrs, 0, start_m * BM, slope, scale * 1.44269504, offs_m, offs_n, D, N, False, BN)
    acc, l_i, m_i = attn_inner(acc, l_i, m_i, q, K_ptrs, V_ptrs, start_m * BM, (start_m + 1) * BM, slope, scale * 1.44269504, offs_m, offs_n, D, N, True, BN)
    acc = acc / l_i[:, None]
    ob.store([start_m * BM, 0], acc.to(Out.dtype.element_ty))

@triton_op("ferrite_triton::alibi", mutates_args={})
def alibi_of(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, slopes: torch.Tensor) -> torch.Tensor:
    B, H, N, D = q.shape
    out = torch.empty_like(q)
    BM = 32 if N < 300 else 64
    wrap_triton(alibi_kernel)[(triton.cdiv(N, BM), B * H)](q, k, v, out, slopes, D ** -0.5, H, N, D=D, BM=BM, BN=16 if N < 300 else 64)
    return out


@case((floats(1, 2, 75, 16), floats(1, 2, 75, 16) + .2, floats(1, 2, 75, 16), floats(2).abs()))
def alibi(q, k, v, slopes):
    return alibi_of(q, k, v, slopes)


# -- products with the matrices of experts --

@triton.jit
def moe_kernel(a_ptr, b_ptr, c_ptr, topk_weights_ptr, sorted_ids_ptr, expert_ids_ptr, num_post_ptr, N, K, EM, num_valid,
               sam, sak, sbe, sbk, sbn, scm, scn, top_k: tl.constexpr, MUL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr):
    pid = tl.program_id(0)
    num_pid_m = tl.cdiv(EM, BM)
    num_pid_n = tl.cdiv(N, BN)
    num_in_group = GROUP_M * num_pid_n
    group_id = pid // num_in_group
    first_m = group_id * GROUP_M
    group_size_m = min(num_pid_m - first_m, GROUP_M)
    pid_m = first_m + ((pid % num_in_group) % group_size_m)
    pid_n = (pid % num_in_group) // group_size_m
    num_post = tl.load(num_post_ptr)
    if pid_m * BM >= num_post:
        return
    offs_id = pid_m * BM + tl.arange(0, BM).to(tl.int64)
    offs_token = tl.load(sorted_ids_ptr + offs_id)
    token_mask = offs_token < num_valid
    off_e = tl.load(expert_ids_ptr + pid_m).to(tl.int64)
    offs_bn = (pid_n * BN + tl.arange(0, BN).to(tl.int64)) % N
    offs_k = tl.arange(0, BK)
    a_ptrs = a_ptr + (offs_token[:, None] // top_k * sam + offs_k[None, :] * sak)
    b_ptrs = b_ptr + off_e * sbe + (offs_k[:, None] * sbk + offs_bn[None, :] * sbn)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=token_mask[:, None] & (offs_k[None, :] < K - k * BK), other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BK, other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
    if MUL:
        w = tl.load(topk_weights_ptr + offs_token, mask=token_mask, other=0)
        acc = acc * w[:, None]
    offs_cn = pid_n * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + scm * offs_token[:, None] + scn * offs_cn[None, :]
    tl.store(c_ptrs, acc, mask=token_mask[:, None] & (offs_cn[None, :] < N))

@triton_op("ferrite_triton::moe", mutates_args={})
def moe_of(a: torch.Tensor, b: torch.Tensor, w: torch.Tensor, ids: torch.Tensor, experts: torch.Tensor, post: torch.Tensor, topk: int) -> torch.Tensor:
    M, K = a.shape
    E, N, _ = b.shape
    c = torch.zeros(M * topk, N)
    EM = ids.numel()
    wrap_triton(moe_kernel)[(triton.cdiv(EM, 16) * triton.cdiv(N, 32),)](a, b, c, w, ids, experts, post, N, K, EM, M * topk, a.stride(0), a.stride(1),
        b.stride(0), b.stride(2), b.stride(1), c.stride(0), c.stride(1), topk, True, 16, 32, 32, 4)
    return c


def moe_args(M, K, E, N, topk):
    g = torch.Generator().manual_seed(M)
    which = torch.stack([torch.randperm(E, generator=g)[:topk] for _ in range(M)]).flatten()
    ids, experts = [], []
    for e in range(E):
        mine = (which == e).nonzero().flatten().tolist()
        while len(mine) % 16:
            mine.append(M * topk)
        ids += mine
        experts += [e] * (len(mine) // 16)
    post = len(ids)
    ids += [M * topk] * 32
    experts += [0] * 2
    return floats(M, K), floats(E, N, K), floats(M * topk).abs(), torch.tensor(ids, dtype=torch.int32), torch.tensor(experts, dtype=torch.int32), torch.tensor([post], dtype=torch.int32), which


@case(moe_args(20, 40, 4, 48, 2)[:6])
def moe(a, b, w, ids, experts, post):
    return moe_of(a, b, w, ids, experts, post, 2)


# -- causal attention of sequences of several lengths, two heads of queries to one of keys --

@triton.jit
def varlen_kernel(Q, K, V, O, cu, scale, H, HK, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    im = tl.program_id(0)
    h = tl.program_id(1)
    b = tl.program_id(2)
    s = tl.load(cu + b)
    n = tl.load(cu + b + 1) - s
    if im * BM >= n:
        return
    hk = h // (H // HK)
    m = im * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(Q + ((s + m)[:, None] * H + h) * D + d[None, :], mask=m[:, None] < n, other=0.0)
    mi = tl.full([BM], float("-inf"), tl.float32)
    li = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, tl.minimum((im + 1) * BM, n), BN):
        j = start + tl.arange(0, BN)
        k = tl.load(K + ((s + j)[None, :] * HK + hk) * D + d[:, None], mask=j[None, :] < n, other=0.0)
        qk = tl.dot(q, k, input_precision="ieee") * scale
        qk = tl.where((m[:, None] >= j[None, :]) & (j[None, :] < n), qk, float("-inf"))
        mn = tl.maximum(mi, tl.max(qk, 1))
        p = tl.exp(qk - mn[:, None])
        a = tl.exp(mi - mn)
        v = tl.load(V + ((s + j)[:, None] * HK + hk) * D + d[None, :], mask=j[:, None] < n, other=0.0)
        acc = acc * a[:, None] + tl.dot(p, v, input_precision="ieee")
        li = li * a + tl.sum(p, 1)
        mi = mn
    tl.store(O + ((s + m)[:, None] * H + h) * D + d[None, :], acc / li[:, None], mask=m[:, None] < n)


@triton_op("ferrite_triton::varlen", mutates_args={})
def varlen_of(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, cu: torch.Tensor, most: int) -> torch.Tensor:
    T, H, D = q.shape
    o = torch.empty_like(q)
    t = 16 if T < 200 else 64
    wrap_triton(varlen_kernel)[(triton.cdiv(most, t), H, cu.numel() - 1)](q, k, v, o, cu, D ** -0.5, H, k.shape[1], D, t, t)
    return o


@case((torch.tensor([0, 7, 50, 51, 80], dtype=torch.int32), floats(80, 4, 16), floats(80, 2, 16), floats(80, 2, 16) + 1))
def varlen(cu, q, k, v):
    return varlen_of(q, k, v, cu, 43 if q.shape[0] == 80 else 512)


# -- attention of one query over pages, in parts --

@triton.jit
def decode1_kernel(Q, KC, VC, BT, L, Mid, scale, S: tl.constexpr, PAGE: tl.constexpr, D: tl.constexpr, BN: tl.constexpr, MAXP):
    b = tl.program_id(0)
    h = tl.program_id(1)
    sp = tl.program_id(2)
    H = tl.num_programs(1)
    n = tl.load(L + b)
    d = tl.arange(0, D)
    q = tl.load(Q + (b * H + h) * D + d)
    per = tl.cdiv(n, S)
    lo = per * sp
    hi = tl.minimum(lo + per, n)
    em = -float("inf")
    es = 0.0
    acc = tl.zeros([D], tl.float32)
    if hi > lo:
        for start in range(lo, hi, BN):
            o = start + tl.arange(0, BN)
            page = tl.load(BT + b * MAXP + o // PAGE, mask=o < hi, other=0)
            at = (page * PAGE + o % PAGE) * H + h
            k = tl.load(KC + at[:, None] * D + d[None, :], mask=o[:, None] < hi, other=0.0)
            qk = tl.sum(q[None, :] * k, 1) * scale
            qk = tl.where(o < hi, qk, float("-inf"))
            v = tl.load(VC + at[:, None] * D + d[None, :], mask=o[:, None] < hi, other=0.0)
            nm = tl.maximum(tl.max(qk, 0), em)
            r = tl.exp(em - nm)
            p = tl.exp(qk - nm)
            acc *= r
            acc += tl.sum(p[:, None] * v, 0)
            es = es * r + tl.sum(p, 0)
            em = nm
        base = ((b * H + h) * S + sp) * (D + 1)
        tl.store(Mid + base + d, acc / es)
        tl.store(Mid + base + D, em + tl.log(es))


@triton.jit
def decode2_kernel(Mid, O, L, S: tl.constexpr, D: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    H = tl.num_programs(1)
    n = tl.load(L + b)
    d = tl.arange(0, D)
    es = 0.0
    em = -float("inf")
    acc = tl.zeros([D], tl.float32)
    for sp in range(0, S):
        per = tl.cdiv(n, S)
        lo = per * sp
        hi = tl.minimum(lo + per, n)
        if hi > lo:
            base = ((b * H + h) * S + sp) * (D + 1)
            tv = tl.load(Mid + base + d)
            tlog = tl.load(Mid + base + D)
            nm = tl.maximum(tlog, em)
            r = tl.exp(em - nm)
            acc *= r
            e = tl.exp(tlog - nm)
            acc += e * tv
            es = es * r + e
            em = nm
    tl.store(O + (b * H + h) * D + d, acc / es)


@triton_op("ferrite_triton::decode", mutates_args={})
def decode_of(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, bt: torch.Tensor, L: torch.Tensor) -> torch.Tensor:
    B, H, D = q.shape
    mid = torch.empty(B, H, 4, D + 1)
    o = torch.empty_like(q)
    wrap_triton(decode1_kernel)[(B, H, 4)](q, k, v, bt, L, mid, D ** -0.5, 4, 16, D, 32, bt.shape[1])
    wrap_triton(decode2_kernel)[(B, H)](mid, o, L, 4, D)
    return o


def decode_args(B, H, D, P):
    n = B * P
    return places(n, n).to(torch.int32).view(B, P), (places(B, P * 16 - 8) + 5).to(torch.int32), floats(B, H, D), floats(n, 16, H, D), floats(n, 16, H, D) + .3


@case(decode_args(3, 2, 16, 6))
def decode(bt, L, q, k, v):
    return decode_of(q, k, v, bt, L)
