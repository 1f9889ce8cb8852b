#!/usr/bin/env python3
"""Times operators alone, at sizes that models use, beside eager PyTorch in the same process: where ferrite is behind.

  sweep_ops.py [--varied SEED] [--only REGEX] [--isa NAME] [--threads N] [--seconds S] [--json OUT]
  sweep_ops.py [--varied SEED] --list

Each is exported, compiled and called from Python, in turns with eager, and the best time of each is taken. With an instruction set named
eager is kept to it too. Results that are far from eager's are told: times of wrong numbers mean nothing.
With --varied the operators' parameters and sizes are drawn by chance (sweep_varied.py).
"""

import argparse
import json
import math
import os
import re
import sys
import time

import sweep_varied

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

EAGER_TO = {"x86-64-v3": {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"},
            "baseline": {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41", "MKL_ENABLE_INSTRUCTIONS": "SSE4_2"}}


def table(torch):
    """Name -> (function, inputs)."""
    F, linalg, special, fft = torch.nn.functional, torch.linalg, torch.special, torch.fft
    torch.manual_seed(0)
    half, bf = torch.float16, torch.bfloat16

    def r(*sizes, dtype=None):
        return torch.randn(*sizes).to(dtype or torch.float32)

    def u(*sizes, dtype=None):
        return torch.rand(*sizes).to(dtype or torch.float32)

    def i(high, *sizes, dtype=torch.int64):
        return torch.randint(0, high, sizes, dtype=dtype)

    def positive(n, count=()):
        a = r(*count, n, n)
        return a @ a.mT + n * torch.eye(n)

    wide, row, image, maps = r(1024, 1024), r(1024), r(1, 3, 224, 224), r(8, 64, 56, 56)
    ops = {}
    for name in ("abs neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh atanh erf erfc erfinv "
                 "sigmoid floor ceil round trunc frac sign square reciprocal lgamma digamma isnan signbit logical_not deg2rad i0 sinc").split():
        data = u(1024, 1024) if name in ("log log2 log10 log1p sqrt rsqrt asin acos atanh erfinv lgamma digamma").split() else wide
        ops[name] = (getattr(torch, name), data)
    for name in ("relu gelu silu mish hardswish hardsigmoid hardtanh elu selu celu softplus softsign tanhshrink logsigmoid leaky_relu relu6").split():
        ops["act_" + name] = (getattr(F, name), wide)
    ops["acosh"] = (torch.acosh, wide.abs() + 1)
    ops["gelu_tanh"] = (lambda x: F.gelu(x, approximate="tanh"), wide)
    for name in ("add sub mul div pow atan2 fmod remainder maximum fmax hypot copysign nextafter logaddexp floor_divide xlogy heaviside eq lt "
                 "logical_and float_power").split():
        ops[name] = (getattr(torch, name), u(1024, 1024) + 0.1, u(1024, 1024) + 0.1)
        if name in ("add", "mul", "div", "remainder", "eq", "floor_divide", "maximum"):
            ops[name + "_i64"] = (getattr(torch, name), i(100, 1024, 1024) + 1, i(100, 1024, 1024) + 1)
            ops[name + "_half"] = (getattr(torch, name), u(1024, 1024, dtype=half) + 1, u(1024, 1024, dtype=half) + 1)
    for name, dtype in (("half", half), ("bf16", bf), ("f64", torch.float64), ("u8", torch.uint8)):
        data = (wide * 20).to(dtype)
        ops["to_" + name] = (lambda x, d=dtype: x.to(d), wide.abs())
        ops["from_" + name] = (lambda x: x.float(), data)
        if dtype.is_floating_point:
            ops["exp_" + name] = (torch.exp, wide.to(dtype))
            ops["gelu_" + name] = (F.gelu, wide.to(dtype))
            ops["softmax_" + name] = (lambda x: F.softmax(x, -1), wide.to(dtype))
            ops["layer_norm_" + name] = (lambda x: F.layer_norm(x, (1024,)), wide.to(dtype))
            ops["sum_rows_" + name] = (lambda x: x.sum(-1), wide.to(dtype))
            ops["matmul_512_" + name] = (torch.matmul, r(512, 512, dtype=dtype), r(512, 512, dtype=dtype))
            ops["linear_row_" + name] = (F.linear, r(1, 1024, dtype=dtype), r(1024, 1024, dtype=dtype))
            ops["conv3x3_" + name] = (lambda x, w: F.conv2d(x, w, padding=1), r(1, 64, 28, 28, dtype=dtype), r(64, 64, 3, 3, dtype=dtype))
    complex_ = torch.randn(512, 1024, dtype=torch.complex64)
    for name in ("abs", "angle", "exp", "conj_physical", "sqrt"):
        ops["complex_" + name] = (getattr(torch, name), complex_)
    ops["complex_mul"] = (torch.mul, complex_, complex_)
    ops["complex_matmul"] = (torch.matmul, torch.randn(128, 128, dtype=torch.complex64), torch.randn(128, 128, dtype=torch.complex64))
    # rows and columns
    for name in ("sum mean amax amin prod std var argmax argmin logsumexp norm any all cumsum cumprod cummax logcumsumexp median softmax log_softmax "
                 "count_nonzero nansum").split():
        function = getattr(torch, name)
        data = (wide > 2) if name in ("any", "all") else wide
        dims = {"rows": -1, "columns": 0, "all": None}
        for where, dim in dims.items():
            if name == "norm":
                ops[f"norm_{where}"] = (lambda x, d=dim: linalg.vector_norm(x, dim=d), data)
            elif dim is not None:
                ops[f"{name}_{where}"] = (lambda x, f=function, d=dim: f(x, dim=d), data)
            elif name in ("sum", "mean", "amax", "argmax", "std", "median"):
                ops[f"{name}_all"] = (function, data)
    ops["sum_i64"] = (lambda x: x.sum(-1), i(100, 1024, 1024))
    ops["mean_middle"] = (lambda x: x.mean((2, 3)), maps)
    ops["layer_norm"] = (lambda x, w, b: F.layer_norm(x, (1024,), w, b), wide, row, row)
    ops["layer_norm_96"] = (lambda x, w, b: F.layer_norm(x, (96,), w, b), r(3136, 96), r(96), r(96))
    ops["rms_norm"] = (lambda x, w: F.rms_norm(x, (1024,), w), wide, row)
    ops["group_norm"] = (lambda x, w, b: F.group_norm(x, 8, w, b), maps, r(64), r(64))
    ops["instance_norm"] = (F.instance_norm, maps)
    ops["batch_norm"] = (lambda x, m, v: F.batch_norm(x, m, v), maps, r(64), u(64))
    ops["batch_norm_training"] = (lambda x: F.batch_norm(x, None, None, training=True), maps)
    ops["normalize"] = (lambda x: F.normalize(x, dim=-1), wide)
    ops["cosine_similarity"] = (lambda x, y: F.cosine_similarity(x, y, dim=-1), wide, r(1024, 1024))
    ops["local_response_norm"] = (lambda x: F.local_response_norm(x, 5), maps)
    # order
    ops["sort_rows"] = (lambda x: x.sort(-1), r(128, 1000))
    ops["sort_long"] = (lambda x: x.sort(-1), r(100000))
    ops["sort_columns"] = (lambda x: x.sort(0), r(1000, 128))
    ops["argsort_i64"] = (lambda x: x.argsort(-1), i(1000, 128, 1000))
    ops["topk_5"] = (lambda x: x.topk(5), r(64, 1000))
    ops["topk_50_of_32000"] = (lambda x: x.topk(50), r(4, 32000))
    ops["kthvalue"] = (lambda x: x.kthvalue(10), r(128, 1000))
    ops["unique"] = (torch.unique, i(1000, 20000))
    ops["searchsorted"] = (torch.searchsorted, row.sort()[0], r(10000))
    ops["bucketize"] = (torch.bucketize, r(10000), row.sort()[0])
    ops["histc"] = (lambda x: torch.histc(x, 100, -3, 3), r(100000))
    ops["bincount"] = (lambda x: torch.bincount(x, minlength=1000), i(1000, 100000))
    ops["quantile"] = (lambda x: x.quantile(0.3, dim=-1), r(128, 1000))
    # indices
    ops["gather"] = (lambda x, k: x.gather(1, k), wide, i(1024, 1024, 256))
    ops["gather_rows"] = (lambda x, k: x.gather(0, k), wide, i(1024, 256, 1024))
    ops["index_select"] = (lambda x, k: x.index_select(0, k), wide, i(1024, 512))
    ops["index_select_columns"] = (lambda x, k: x.index_select(1, k), wide, i(1024, 512))
    ops["index_two"] = (lambda x, a, b: x[a, b], wide, i(1024, 20000), i(1024, 20000))
    ops["index_mask"] = (lambda x, m: x[m], wide, wide > 1)
    ops["embedding"] = (lambda k, w: F.embedding(k, w), i(30000, 8, 128), r(30000, 256))
    ops["embedding_bag_sum"] = (lambda k, w: F.embedding_bag(k, w, mode="sum"), i(30000, 256, 20), r(30000, 64))
    ops["embedding_bag_mean"] = (lambda k, w: F.embedding_bag(k, w, mode="mean"), i(30000, 256, 20), r(30000, 64))
    ops["scatter_add"] = (lambda x, k, s: x.scatter_add(0, k, s), r(1000, 64), i(1000, 5000, 64), r(5000, 64))
    ops["index_add"] = (lambda x, k, s: x.index_add(0, k, s), r(1000, 64), i(1000, 5000), r(5000, 64))
    ops["scatter_reduce_amax"] = (lambda x, k, s: x.scatter_reduce(0, k, s, "amax"), r(1000, 64), i(1000, 5000, 64), r(5000, 64))
    ops["index_put"] = (lambda x, k, s: x.index_put((k,), s), wide, i(1024, 256), r(256, 1024))
    ops["index_put_accumulate"] = (lambda x, k, s: x.index_put((k,), s, accumulate=True), wide, i(1024, 256), r(256, 1024))
    ops["scatter"] = (lambda x, k, s: x.scatter(1, k, s), wide, i(1024, 1024, 64), r(1024, 64))
    ops["masked_fill"] = (lambda x, m: x.masked_fill(m, 0.0), wide, wide > 1)
    ops["masked_scatter"] = (lambda x, m, s: x.masked_scatter(m, s), wide, wide > 1, r(1024, 1024))
    ops["where"] = (lambda m, x, y: torch.where(m, x, y), wide > 0, wide, r(1024, 1024))
    ops["nonzero"] = (torch.nonzero, wide > 1)
    ops["take_along_dim"] = (lambda x, k: x.take_along_dim(k, 1), wide, i(1024, 1024, 100))
    ops["one_hot"] = (lambda k: F.one_hot(k, 1000), i(1000, 256))
    ops["repeat_interleave"] = (lambda x: x.repeat_interleave(4, 0), r(512, 256))
    ops["tril"] = (torch.tril, wide)
    ops["isin"] = (torch.isin, i(1000, 10000), i(1000, 100))
    # moves
    ops["transpose"] = (lambda x: x.t().contiguous(), wide)
    ops["transpose_half"] = (lambda x: x.t().contiguous(), wide.half())
    ops["permute_heads"] = (lambda x: x.view(8, 128, 12, 64).transpose(1, 2).contiguous(), r(8, 128, 768))
    ops["to_channels_last"] = (lambda x: x.permute(0, 2, 3, 1).contiguous(), maps)
    ops["from_channels_last"] = (lambda x: x.permute(0, 3, 1, 2).contiguous(), r(8, 56, 56, 64))
    ops["cat_columns"] = (lambda x, y: torch.cat([x, y], 1), wide, r(1024, 300))
    ops["cat_rows"] = (lambda x, y: torch.cat([x, y]), wide, r(300, 1024))
    ops["stack_last"] = (lambda x, y: torch.stack([x, y], -1), wide, r(1024, 1024))
    ops["chunk_cat"] = (lambda x: torch.cat([-x[..., 32:], x[..., :32]], -1), r(8, 12, 128, 64))
    ops["roll"] = (lambda x: x.roll((3, 3), (1, 2)), r(8, 56, 56, 96))
    ops["flip"] = (lambda x: x.flip(-1), wide)
    ops["pad_zero"] = (lambda x: F.pad(x, (1, 1, 1, 1)), maps)
    ops["pad_reflect"] = (lambda x: F.pad(x, (3, 3, 3, 3), mode="reflect"), maps)
    ops["unfold"] = (lambda x: F.unfold(x, 3, padding=1), r(1, 32, 56, 56))
    ops["fold"] = (lambda x: F.fold(x, (56, 56), 3, padding=1), r(1, 288, 3136))
    ops["unfold_stride"] = (lambda x: F.unfold(x, 3, padding=1, stride=2), r(1, 64, 56, 56))
    ops["unfold_patches"] = (lambda x: F.unfold(x, 16, stride=16), r(1, 3, 224, 224))
    ops["fold_stride"] = (lambda x: F.fold(x, (28, 28), 3, padding=1, stride=2), r(1, 1728, 196))
    ops["fold_patches"] = (lambda x: F.fold(x, (224, 224), 16, stride=16), r(1, 768, 196))
    ops["fold_overlapping"] = (lambda x: F.fold(x, (128, 128), 16, stride=8), r(1, 768, 225))
    ops["pixel_shuffle"] = (lambda x: F.pixel_shuffle(x, 2), r(1, 64, 56, 56))
    ops["pixel_unshuffle"] = (lambda x: F.pixel_unshuffle(x, 2), r(1, 16, 112, 112))
    ops["channel_shuffle"] = (lambda x: F.channel_shuffle(x, 4), maps)
    ops["expand_copy"] = (lambda x: x.expand(64, 1024, 64).contiguous(), r(64, 1, 64))
    ops["tile"] = (lambda x: x.repeat(2, 3), r(512, 256))
    ops["diag_embed"] = (torch.diag_embed, r(64, 64))
    ops["window_partition"] = (lambda x: x.view(1, 8, 7, 8, 7, 96).permute(0, 1, 3, 2, 4, 5).reshape(-1, 49, 96), r(1, 56, 56, 96))
    ops["clone_strided"] = (lambda x: x[:, ::2].contiguous(), wide)
    ops["meshgrid"] = (lambda x, y: torch.stack(torch.meshgrid(x, y, indexing="ij"), -1), r(256), r(256))
    # pools, resampling
    ops["max_pool"] = (lambda x: F.max_pool2d(x, 3, 2, 1), maps)
    ops["avg_pool"] = (lambda x: F.avg_pool2d(x, 2), maps)
    ops["adaptive_avg_pool"] = (lambda x: F.adaptive_avg_pool2d(x, 7), maps)
    ops["max_pool1d"] = (lambda x: F.max_pool1d(x, 3), r(8, 64, 1000))
    ops["avg_pool3d"] = (lambda x: F.avg_pool3d(x, 2), r(1, 16, 32, 32, 32))
    for mode in ("nearest", "bilinear", "bicubic"):
        ops["upsample_" + mode] = (lambda x, m=mode: F.interpolate(x, scale_factor=2, mode=m), r(1, 64, 56, 56))
    ops["downsample_antialias"] = (lambda x: F.interpolate(x, (112, 112), mode="bilinear", antialias=True), image)
    grid = u(1, 64, 64, 2) * 2 - 1
    for mode in ("nearest", "bilinear", "bicubic"):
        ops["grid_sample_" + mode] = (lambda x, g, m=mode: F.grid_sample(x, g, mode=m, align_corners=False), r(1, 32, 64, 64), grid)
    ops["affine_grid"] = (lambda t: F.affine_grid(t, (8, 3, 64, 64), align_corners=False), r(8, 2, 3))
    # products
    for n in (64, 256, 1024):
        ops[f"matmul_{n}"] = (torch.matmul, r(n, n), r(n, n))
    ops["matmul_tall"] = (torch.matmul, r(4096, 64), r(64, 64))
    ops["matmul_inner"] = (torch.matmul, r(16, 8192), r(8192, 16))
    ops["matmul_i64"] = (torch.matmul, i(10, 128, 128), i(10, 128, 128))
    ops["matmul_transposed"] = (lambda a, b: a @ b.t(), r(256, 512), r(256, 512))
    ops["gram"] = (lambda a: a.t() @ a, r(1024, 128))
    ops["mv"] = (torch.mv, wide, row)
    ops["dot"] = (torch.dot, r(100000), r(100000))
    ops["outer"] = (torch.outer, row, row)
    ops["bmm_heads"] = (torch.matmul, r(12, 128, 64), r(12, 64, 128))
    ops["bmm_small"] = (torch.bmm, r(4096, 4, 4), r(4096, 4, 4))
    ops["bmm_3x3"] = (torch.bmm, r(10000, 3, 3), r(10000, 3, 1))
    ops["einsum_bnc_bnk"] = (lambda a, b: torch.einsum("bnc,bnk->bck", a, b), r(8, 196, 64), r(8, 196, 64))
    ops["einsum_bhqd_bhkd"] = (lambda a, b: torch.einsum("bhqd,bhkd->bhqk", a, b), r(2, 8, 128, 64), r(2, 8, 128, 64))
    ops["einsum_pairs"] = (lambda a, b: torch.einsum("bi,bj->bij", a, b), r(64, 128), r(64, 128))
    ops["einsum_trace"] = (lambda a: torch.einsum("bii->b", a), r(64, 128, 128))
    ops["bilinear"] = (F.bilinear, r(64, 32), r(64, 32), r(16, 32, 32))
    ops["kron"] = (torch.kron, r(32, 32), r(32, 32))
    ops["cdist"] = (torch.cdist, r(500, 64), r(500, 64))
    ops["cdist_1"] = (lambda x, y: torch.cdist(x, y, p=1), r(300, 32), r(300, 32))
    ops["cdist_3d"] = (torch.cdist, r(4, 1000, 3), r(4, 1000, 3))
    ops["pdist"] = (F.pdist, r(300, 32))
    ops["cov"] = (torch.cov, r(64, 1000))
    ops["cross"] = (linalg.cross, r(100000, 3), r(100000, 3))
    ops["sdpa"] = (F.scaled_dot_product_attention, r(1, 12, 256, 64), r(1, 12, 256, 64), r(1, 12, 256, 64))
    ops["sdpa_causal"] = (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), r(1, 12, 256, 64), r(1, 12, 256, 64), r(1, 12, 256, 64))
    ops["sdpa_decode"] = (F.scaled_dot_product_attention, r(1, 12, 1, 64), r(1, 12, 512, 64), r(1, 12, 512, 64))
    ops["sdpa_heads_of_8"] = (F.scaled_dot_product_attention, r(1, 4, 1024, 8), r(1, 4, 1024, 8), r(1, 4, 1024, 8))
    # convolutions: x, weight, rest
    for name, x, w, more in (("1x1", (1, 64, 56, 56), (128, 64, 1, 1), {}), ("3x3", (1, 64, 56, 56), (64, 64, 3, 3), {"padding": 1}),
                             ("stem_7x7", (1, 3, 224, 224), (64, 3, 7, 7), {"padding": 3, "stride": 2}),
                             ("patch_16", (1, 3, 224, 224), (192, 3, 16, 16), {"stride": 16}),
                             ("depthwise_3x3", (1, 64, 56, 56), (64, 1, 3, 3), {"padding": 1, "groups": 64}),
                             ("depthwise_7x7", (1, 96, 56, 56), (96, 1, 7, 7), {"padding": 3, "groups": 96}),
                             ("depthwise_twice", (1, 64, 56, 56), (128, 1, 3, 3), {"padding": 1, "groups": 64}),
                             ("grouped_32", (1, 128, 28, 28), (128, 4, 3, 3), {"padding": 1, "groups": 32}),
                             ("grouped_8", (1, 128, 28, 28), (128, 16, 3, 3), {"padding": 1, "groups": 8}),
                             ("dilated", (1, 64, 56, 56), (64, 64, 3, 3), {"padding": 2, "dilation": 2}),
                             ("16_channels", (1, 16, 112, 112), (16, 16, 3, 3), {"padding": 1}), ("5x5", (1, 32, 56, 56), (32, 32, 5, 5), {"padding": 2}),
                             ("one_channel", (8, 1, 28, 28), (32, 1, 3, 3), {})):
        ops["conv_" + name] = (lambda x, w, m=more: F.conv2d(x, w, **m), r(*x), r(*w))
    ops["conv1d"] = (lambda x, w: F.conv1d(x, w, padding=1), r(1, 80, 3000), r(384, 80, 3))
    ops["conv1d_32"] = (lambda x, w: F.conv1d(x, w, padding=4, dilation=4), r(1, 32, 16000), r(32, 32, 3))
    ops["conv3d"] = (lambda x, w: F.conv3d(x, w, padding=1), r(1, 16, 16, 32, 32), r(32, 16, 3, 3, 3))
    ops["conv_transpose"] = (lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1), r(1, 128, 16, 16), r(128, 64, 4, 4))
    ops["conv_transpose1d"] = (lambda x, w: F.conv_transpose1d(x, w, stride=4), r(1, 64, 500), r(64, 32, 8))
    # recurrent
    for kind in ("LSTM", "GRU", "RNN"):
        ops[kind.lower()] = (getattr(torch.nn, kind)(128, 128, batch_first=True).eval(), r(4, 50, 128))
    # linear algebra
    for name, n, count in (("inv", 64, ()), ("inv", 4, (1000,)), ("cholesky", 128, ()), ("cholesky", 4, (1000,)), ("det", 4, (1000,)), ("slogdet", 64, ()),
                           ("eigh", 64, ()), ("svdvals", 64, ()), ("pinv", 32, ()), ("qr", 64, ()), ("matrix_exp", 16, (64,)), ("lu_factor", 128, ())):
        ops[f"{name}_{n}{'_many' if count else ''}"] = (getattr(linalg, name), positive(n, count))
    ops["solve"] = (linalg.solve, positive(128), r(128, 16))
    ops["solve_many"] = (linalg.solve, positive(4, (1000,)), r(1000, 4, 1))
    ops["solve_triangular"] = (lambda a, b: linalg.solve_triangular(a, b, upper=False), positive(128).tril(), r(128, 64))
    ops["svd"] = (lambda a: linalg.svd(a, full_matrices=False), r(64, 32))
    ops["lstsq"] = (lambda a, b: linalg.lstsq(a, b).solution, r(128, 16), r(128, 4))
    # spectra
    ops["rfft"] = (fft.rfft, r(64, 1024))
    ops["fft_1000"] = (fft.fft, torch.randn(64, 1000, dtype=torch.complex64))
    ops["fft2"] = (fft.fft2, r(8, 64, 64))
    ops["irfft"] = (fft.irfft, torch.randn(64, 513, dtype=torch.complex64))
    ops["fft_prime"] = (fft.fft, torch.randn(16, 1009, dtype=torch.complex64))
    ops["stft"] = (lambda x, w: torch.stft(x, 400, 160, window=w, return_complex=True), r(16000), torch.hann_window(400))
    # losses
    ops["cross_entropy"] = (F.cross_entropy, r(256, 1000), i(1000, 256))
    ops["nll_loss_2d"] = (lambda x, t: F.nll_loss(F.log_softmax(x, 1), t), r(2, 21, 64, 64), i(21, 2, 64, 64))
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits", "kl_div"):
        ops[name] = (getattr(F, name), wide, u(1024, 1024))
    ops["ctc_loss"] = (lambda x, t, n, m: F.ctc_loss(x, t, n, m), F.log_softmax(r(100, 8, 30), -1), i(29, 8, 20) + 1,
                       torch.full((8,), 100), torch.full((8,), 20))
    # little ones
    ops["add_8"] = (torch.add, r(8), r(8))
    ops["linear_64"] = (F.linear, r(1, 64), r(64, 64), r(64))
    ops["softmax_10"] = (lambda x: F.softmax(x, -1), r(1, 10))
    ops["arange"] = (lambda x: torch.arange(100000, dtype=torch.float32) + x, r(1))
    ops["bernoulli"] = (lambda x: torch.bernoulli(x), u(256, 256))
    ops["rand"] = (lambda x: torch.rand_like(x), r(256, 256))
    ops["randn"] = (lambda x: torch.randn_like(x), r(256, 256))
    ops["dropout"] = (lambda x: F.dropout(x, 0.1, True), r(256, 256))
    ops["special_entr"] = (special.entr, u(256, 256))
    ops["special_ndtri"] = (special.ndtri, u(256, 256))
    ops["special_zeta"] = (special.zeta, u(64, 64) + 2, u(64, 64) + 1)
    ops["polygamma"] = (lambda x: torch.polygamma(1, x), u(64, 64) + 1)
    return ops


def distance(torch, got, want):
    """The largest difference in units of the largest result; of draws and of what has no numbers none."""
    flat = torch.utils._pytree.tree_leaves
    worst = 0.0
    for a, b in zip(flat(got), flat(want)):
        if isinstance(b, torch.Tensor) and b.numel() and (a.shape != b.shape or a.dtype != b.dtype):
            return math.inf
        if isinstance(b, torch.Tensor) and b.numel() and (b.is_floating_point() or b.is_complex()):
            kind = torch.complex128 if b.is_complex() else torch.float64
            a, b = a.to(kind), b.to(kind)
            there = torch.isfinite(b)
            if there.any():
                worst = max(worst, float((a - b).abs()[there].max() / (b.abs()[there].max() + 1e-30)))
    return worst


def measure(torch, ferrite, entry, isa, seconds):
    function, *inputs = entry

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            if isinstance(function, torch.nn.Module):
                self.function = function

        def forward(self, *args):
            return function(*args)
    module = Module().eval()
    begun = time.perf_counter()
    options = {"isa": isa} if isa else {}
    program = ferrite.compile(torch.export.export(module, tuple(inputs), strict=False), **options)
    compiled = time.perf_counter() - begun
    with torch.no_grad():
        far = distance(torch, program(*inputs), module(*inputs))
        best = {"eager": math.inf, "ferrite": math.inf}
        for _ in range(5):
            for name, call in (("eager", module), ("ferrite", program)):
                until = time.perf_counter() + seconds / 5
                while True:
                    begun = time.perf_counter()
                    call(*inputs)
                    now = time.perf_counter()
                    best[name] = min(best[name], now - begun)
                    if now > until:
                        break
    return {"eager": best["eager"] * 1e6, "ferrite": best["ferrite"] * 1e6, "compile": compiled, "far": far}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="REGEX", default="")
    parser.add_argument("--varied", type=int, metavar="SEED")
    parser.add_argument("--isa", default="", metavar="NAME")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.5, help="for one of the two")
    parser.add_argument("--json", metavar="OUT")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    os.environ.update(EAGER_TO.get(args.isa, {}))
    import torch
    sys.path.insert(0, os.path.join(ROOT, "python"))
    import ferrite
    torch.set_num_threads(args.threads)
    entries = table(torch) if args.varied is None else sweep_varied.table(torch, args.varied)
    ops = {name: entry for name, entry in entries.items() if re.search(args.only, name)}
    if args.list:
        print(*ops, sep="\n")
        return
    results = {}
    for name, entry in ops.items():
        try:
            results[name] = found = measure(torch, ferrite, entry, args.isa, args.seconds)
        except Exception as error:  # a refusal, or an export that fails, is a row too
            print(f"{name:28} {type(error).__name__}: {str(error).splitlines()[0][:120]}", flush=True)
            continue
        print(f"{name:28} {found['eager']:10.1f} {found['ferrite']:10.1f} us  {found['ferrite'] / found['eager']:6.2f}"
              f"{'' if found['far'] < 1e-2 else '   FAR ' + format(found['far'], '.2g')}", flush=True)
        if args.json:
            with open(args.json, "w") as out:
                json.dump(results, out)
    ratios = sorted(((found["ferrite"] / found["eager"], name) for name, found in results.items()), reverse=True)
    print("\nferrite's time to eager's, the worst first")
    for ratio, name in ratios[:40]:
        print(f"  {ratio:5.2f}  {name:28} {sweep_varied.describe(ops[name])[:160]}")
    if ratios:
        print(f"  geometric mean: {math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios)):.2f} of {len(ratios)}, "
              f"{sum(ratio > 1 for ratio, _ in ratios)} above 1")


if __name__ == "__main__":
    sys.exit(main())
