"""Operator cases of losses, distances, and gradients that a program may call itself. See make_cases.py."""

import torch
import torch.nn.functional as F

from cases_ops import INF, bf16, f16, i64, op, real, truth, values, whole

aten = torch.ops.aten
signs = values(1.0, -1.0, 1.0, -1.0, -1.0)


@op(real(3, 5), real(3, 5), whole(3, 5), real(3, 5, dtype=f16), real(2, 3, dtype=torch.complex64))
def losses_of_pairs(a, b, k, h, c):
    plain = F.l1_loss(a, b), F.l1_loss(k.double(), a, reduction="sum"), F.l1_loss(h, h * 3, reduction="none")
    entropies = F.kl_div(a, b.abs(), reduction="batchmean"), F.kl_div(a, b, log_target=True, reduction="sum")
    zeros = F.kl_div(h, (h > 0).to(h.dtype), reduction="none"), F.l1_loss(c, c[:1] * 2, reduction="none")
    signs = F.soft_margin_loss(a, b.sign()), F.hinge_embedding_loss(a, b.sign(), margin=0.5, reduction="none")
    return *plain, *entropies, *zeros, *signs, F.hinge_embedding_loss(h, h.sign()), F.soft_margin_loss(a, k.sign())


@op(real(3, 4), real(3, 4, dtype=torch.complex64), real(4))
def losses_of_complex_targets(x, c, w):
    return [F.binary_cross_entropy_with_logits(x, c, weight, reduction=kind) for weight in (None, w) for kind in ("none", "mean", "sum")]


@op(real(4, 3), whole(4, 3, low=0, high=6), real(4, 3, low=0.1, high=3))
def poisson_losses(x, k, y):
    full = F.poisson_nll_loss(x, k.float(), full=True), F.poisson_nll_loss(y, k, log_input=False, full=True)
    return *full, F.poisson_nll_loss(x, y, reduction="none"), F.poisson_nll_loss(y, x, log_input=False, eps=0.5)


@op(real(5, 4), real(5, 4), real(5, 4), signs)
def losses_of_vectors(a, b, c, sign):
    cosine = F.cosine_embedding_loss(a, b, sign), F.cosine_embedding_loss(a[0], b[0], sign[0], margin=0.2)
    ranks = F.margin_ranking_loss(a, b, sign[:, None], margin=0.3), F.margin_ranking_loss(a, b, a, reduction="none")
    triple = F.triplet_margin_loss(a, b, c, reduction="none"), F.triplet_margin_loss(a, b, c, p=1.0, swap=True)
    return *cosine, *ranks, *triple, F.triplet_margin_loss(a[:1], b, c[:, :1], margin=2.0, reduction="sum")


@op(real(3, 4), real(3, 4), real(1, 4, dtype=f16), whole(3, 4), real(2, 3, dtype=torch.complex64))
def distances(a, b, h, k, c):
    pairs = F.pairwise_distance(a, b, keepdim=True), F.pairwise_distance(a[0], b, p=INF), F.pairwise_distance(h, h + 1)
    alike = F.cosine_similarity(a, b), F.cosine_similarity(a, b[:1], dim=-1), F.cosine_similarity(h, h, eps=0.1)
    apart = torch.dist(a, b), torch.dist(a, b[0], 1), torch.dist(a, b, INF), torch.dist(c, c[:1]), torch.dist(a, b, 0)
    scaled = torch.renorm(a, 2, 0, 1.5), torch.renorm(a, 1, -1, 0.5), torch.renorm(c, 2, 0, 1.0), torch.renorm(h, 3, 0, 1)
    return *pairs, *alike, *apart, *scaled, F.cosine_similarity(k.float() * 0, a, dim=0)


@op(real(3, 4), real(3, 4), real(3, 4, low=0.1, high=0.9), truth(3, 4), real(4, low=0.1, high=2))
def gradients_of_losses(g, a, p, t, w):
    t, one, b = t.to(p.dtype), g[0, 0], a.flip(0)
    square = aten.mse_loss_backward(g, a, b, 0), aten.mse_loss_backward(one, a, b, 1), aten.mse_loss_backward(one, a, b, 2)
    smooth = aten.smooth_l1_loss_backward(one, a, b, 1, 0.5), aten.smooth_l1_loss_backward(g, a, b, 0, 0.0)
    huber = aten.huber_loss_backward(one, a, b, 1, 0.7), aten.huber_loss_backward(g, a, b, 0, 2.0)
    entropy = aten.binary_cross_entropy_backward(g, p, t, w, 0), aten.binary_cross_entropy_backward(one, p, t, None, 1)
    return *square, *smooth, *huber, *entropy, aten.soft_margin_loss_backward(one, a, t * 2 - 1, 1)


@op(real(4), values(2, dtype=i64), real(4, low=0.5, high=2), real(1, 4))
def losses_of_one_sample(x, t, w, rows):
    """The weight of one sample is given without a reduction too, that of rows is not."""
    forward = aten.nll_loss_forward
    plain = *forward(x, t[0], None, 0, -100), *forward(x, t[0], w, 0, -100), *forward(x, t[0], w, 0, 2)
    return *plain, *forward(rows, t, w, 0, -100), *forward(x, t[0], w, 1, -100)


@op(real(2, 3, 4), whole(2, 3, low=0, high=6), real(2, 3, 4, dtype=f16), whole(4, low=0, high=2, dtype=torch.int32))
def gradients_of_tables(g, index, h, few):
    plain = aten.embedding_dense_backward(g, index, 6, -1, False), aten.embedding_backward(g, index, 7, 2, False, False)
    means = aten.embedding_dense_backward(g, index, 6, 1, True), aten.embedding_dense_backward(h[0], few[:3], 2, -1, True)
    return *plain, *means, aten.embedding_dense_backward(g[:, :0], index[:, :0], 3, -1, False)


@op(whole(3, 4), real(3, 4), real(3, 4, dtype=f16), truth(3, 4), whole(0, 4))
def hashes(k, x, h, t, none):
    kinds = torch.hash_tensor(k), torch.hash_tensor(x, 0), torch.hash_tensor(h, 1, keepdim=True), torch.hash_tensor(t)
    return *kinds, torch.hash_tensor(k.byte(), (0, 1)), torch.hash_tensor(k, -1), torch.hash_tensor(none, 1)


@op(whole(3, 4), truth(3, 4), real(2, 3, dtype=f16))
def integer_products_and_ramps(k, t, h):
    sums = torch.einsum("ij->i", k.int()), torch.einsum("ij,ik->i", k.short(), k.short()), torch.einsum("ij->", t)
    ramps = torch.linspace(0.7, 9.9, 5, dtype=torch.int64), torch.linspace(1 - 2j, 3 + 1j, 4)
    put = torch.ops.aten._unsafe_masked_index_put_accumulate(h, h > 0, [None, torch.arange(3)], h * 2)
    return *sums, *ramps, put, t.square(), torch.add(t, t, alpha=False), torch.add(t, t, alpha=True)


@op(real(2, 3))
def overlapping_memory(x):
    over = torch.ones(3, 4).new_empty_strided((3, 4), (2, 1)).zero_(), x.new_empty_strided((2, 3), (0, 0)).fill_(0)
    apart = x.new_empty_strided((2, 3), (8, 2)).zero_()
    return *over, apart, x.new_empty_strided((0, 3), (1, 1))


@op(real(3, 4, 6), real(3, 4, 6), real(4, 6), real(3, 1, 1), real(3, 1, 1, low=0.5, high=2), real(4))
def gradients_of_norms(g, x, w, mean, rstd, scale):
    layer = aten.native_layer_norm_backward(g, x, [4, 6], mean, rstd, w, w, [True, True, True])
    alone = aten.native_layer_norm_backward(g, x, [4, 6], mean, rstd, None, None, [True, False, False])[0]
    group = aten.native_group_norm_backward(g, x, mean[:, 0] * g[0, :1, :2], rstd[:, 0] * w[:1, :2], scale, 3, 4, 6, 2, [True] * 3)
    batch = aten.native_batch_norm_backward(g, x, scale, scale, scale.abs(), scale * 2, scale.abs(), True, 1e-5, [True] * 3)
    fixed = aten.native_batch_norm_backward(g, x, None, scale, scale.abs(), None, None, False, 1e-5, [True, False, True])
    return *layer, alone, *group, *batch, fixed[0], fixed[2]


@op(real(2, 6, 4, 4), real(2, 4, 7, 8), real(6, 2, 3, 3), real(2, 4, 5), real(4, 3, 2), real(2, 3, 9))
def gradients_of_convolutions(g, x, w, narrow, taps, wide):
    plain = aten.convolution_backward(g, x, w, [6], [2, 1], [1, 0], [1, 2], False, [0, 0], 2, [True, True, True])
    back = aten.convolution_backward(wide, narrow, taps, [3], [2], [1], [1], True, [1], 1, [True, True, False])
    only = aten.convolution_backward(g, x, w, None, [2, 1], [1, 0], [1, 2], False, [0, 0], 2, [False, True, False])
    return *plain, *back[:2], only[1]


@op(real(2, 16, 4, 5), real(2, 6, 7, 9), real(1, 8, 2, 2, 70), real(1, 10, 4, 3, 35), real(1, 9, 300), real(1, 20, 602))
def gradients_of_weights(g, x, cube, deep, narrow, wide):
    """Channels enough in each group for a product; strips of several images, of rows, and of columns."""
    only = [False, True, False]
    plain = aten.convolution_backward(g, x, x.new_zeros(16, 6, 3, 3), None, [2, 2], [1, 1], [1, 1], False, [0, 0], 1, only)
    halves = aten.convolution_backward(g, x[:, :, :4].relu(), x.new_zeros(16, 3, 1, 5), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 2, only)
    deep = aten.convolution_backward(cube, deep, x.new_zeros(8, 10, 3, 2, 2), None, [2, 1, 1], [1, 0, 18], [1, 1, 1], False, [0, 0, 0], 1, only)
    back = aten.convolution_backward(wide[:, :, :600], narrow, x.new_zeros(9, 20, 3), None, [2], [1], [1], True, [1], 1, only)
    half = aten.convolution_backward(wide.bfloat16(), narrow.bfloat16(), x.new_zeros(9, 20, 6).bfloat16(), None, [2], [1], [1], True, [0], 1, only)
    return plain[1], halves[1], deep[1], back[1], half[1].float()


@op(real(2, 20, 4, 5), real(2, 20, 7, 9), real(1, 3, 37, 41), real(1, 2, 4, 2, 3), real(1, 4, 1300), real(1, 2, 1303))
def gradients_of_few_channels(g, x, large, cube, row, wide):
    """Groups of one to three output channels: depthwise in both layouts, heads, strips of rows and of columns."""
    only, last = [False, True, False], torch.channels_last
    each = aten.convolution_backward(g, x, x.new_zeros(20, 1, 3, 3), None, [2, 2], [1, 1], [1, 1], False, [0, 0], 20, only)
    turned = aten.convolution_backward(g.contiguous(memory_format=last), x.contiguous(memory_format=last), x.new_zeros(20, 1, 5, 4), None,
                                       [2, 2], [2, 2], [1, 1], False, [0, 0], 20, only)
    head = aten.convolution_backward(g[:, :3, :, :4], x[:, :11, :4, :4], x.new_zeros(3, 11, 1, 1), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, only)
    strips = aten.convolution_backward(large / 8, large.cos(), x.new_zeros(3, 3, 3, 3), None, [1, 1], [2, 1], [2, 1], False, [0, 0], 1, only)
    deep = aten.convolution_backward(cube, x[:1, :2, :6, :6].unsqueeze(2).expand(1, 2, 5, 6, 6), x.new_zeros(2, 1, 2, 3, 4), None,
                                     [1, 2, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 2, only)
    long = aten.convolution_backward(row / 8, wide, x.new_zeros(4, 1, 4), None, [1], [0], [1], False, [0], 2, only)
    back = aten.convolution_backward(wide[:, :, :1302], row[:, :2, :650], x.new_zeros(2, 1, 4), None, [2], [0], [1], True, [0], 2, only)
    return each[1], turned[1], head[1], strips[1], deep[1], long[1], back[1]


@op(real(2, 3, 7, 8), real(2, 3, 4, 5), whole(2, 3, 4, 5, low=0, high=56), real(2, 3, 9, 9), real(1, 2, 4, 3, 5))
def gradients_of_images(x, g, places, padded, cube):
    pools = (
        aten.adaptive_max_pool2d_backward(g, x, places),
        aten.avg_pool2d_backward(g, x, [2], [2], [1], False, False, None),
        aten.avg_pool2d_backward(g, x, [3, 2], [2], [1], True, True, 5),
        aten._adaptive_avg_pool2d_backward(g, x),
        aten._adaptive_avg_pool3d_backward(cube, cube.new_zeros(1, 2, 5, 6, 7)),
    )
    pads = aten.reflection_pad2d_backward(padded, x, [1, 0, 2, 0]), aten.replication_pad2d_backward(padded, x, [3, -2, 0, 2])
    near = aten.upsample_nearest2d_backward(x, [7, 8], [2, 3, 4, 11]), aten._upsample_nearest_exact3d_backward(cube, [4, 3, 5], [1, 2, 3, 2, 8])
    line = aten.upsample_linear1d_backward(x[0], [8], [3, 7, 5], False), aten.upsample_bilinear2d_backward(x, [7, 8], [2, 3, 4, 3], True)
    cubic = aten.upsample_bicubic2d_backward(x, [7, 8], [2, 3, 4, 3], False), aten._upsample_bilinear2d_aa_backward(x, [7, 8], [2, 3, 11, 3], False)
    return *pools, *pads, *near, *line, *cubic


@op(real(3, 5), real(3, 2, 5), real(4, 3), real(2, 2, 5, 3), real(3, 8), real(1, 5))
def gradients_of_views(g, part, line, windows, gates, slope):
    views = aten.select_backward(g, [3, 4, 5], 1, -1), aten.slice_backward(part, [3, 4, 5], 1, 1, 9, 2)
    more = aten.diagonal_backward(line, [4, 3, 5], 1, 1, 2), aten.unfold_backward(windows, [2, 5, 5], 1, 3, 2)
    units = aten.glu_backward(g[:, :4], gates, 1), *aten._prelu_kernel_backward(g, g.flip(0), slope)
    return *views, *more, *units, aten.rrelu_with_noise_backward(g, g, g * 2, 0.1, 0.3, False, False)


@op(real(2, 2, 3, 4), real(2, 2, 3, 4), real(2, 2, 5, 4), real(2, 2, 5, 4), real(3, 5))
def gradients_of_attention(g, q, k, v, mask):
    forward, backward = aten._scaled_dot_product_flash_attention_for_cpu, aten._scaled_dot_product_flash_attention_for_cpu_backward
    out, sums = forward(q, k, v, 0.0, False, attn_mask=mask, scale=0.3)
    first = backward(g, q, k, v, out, sums, 0.0, False, attn_mask=mask, scale=0.3)
    out, sums = forward(q, k, v, 0.0, True)
    return *first, *backward(g, q, k, v, out, sums, 0.0, True)


@op(real(2, 2, 3, 4), real(2, 2, 3, 4), real(2, 2, 5, 4), real(2, 2, 5, 4), values([0.5, -0.25, -INF, -INF, 1.0], [-INF] * 5, [0.0, -INF, 0.0, 2.0, -1.0]))
def attention_of_rows_that_see_nothing(g, q, k, v, mask):
    """They have no part in the gradients; what a forward operator keeps of them is 0."""
    forward, backward = aten._scaled_dot_product_flash_attention_for_cpu, aten._scaled_dot_product_flash_attention_for_cpu_backward
    out, sums = forward(q, k, v, 0.0, False, attn_mask=mask, scale=0.3)
    return out, sums, *backward(g, q, k, v, out, sums, 0.0, False, attn_mask=mask, scale=0.3)


@op(real(2, 6, 3, 4), real(2, 6, 3, 4), real(2, 2, 5, 4), real(2, 2, 5, 4), real(3, 5))
def gradients_of_grouped_heads(g, q, k, v, mask):
    forward, backward = aten._scaled_dot_product_flash_attention_for_cpu, aten._scaled_dot_product_flash_attention_for_cpu_backward
    out, sums = forward(q, k, v, 0.0, False, attn_mask=mask, scale=0.3)
    return out, sums, *backward(g, q, k, v, out, sums, 0.0, False, attn_mask=mask, scale=0.3)


@op(real(2, 6, 3, 4), real(2, 2, 5, 4), real(2, 3, 5, 4), real(2, 1, 5, 4))
def attention_of_groups_of_heads(q, k, v, one):
    """Keys and values may have heads of their own number."""
    attend = [F.scaled_dot_product_attention(q, a, b, enable_gqa=True) for a, b in ((k, v), (v, k), (one, v), (k, one))]
    return *attend, F.scaled_dot_product_attention(q.double(), k.double(), v.double(), enable_gqa=True)


@op(real(2, 4, 5, dtype=bf16), real(2, 4, 5, dtype=bf16), real(4), real(4), real(4, low=1, high=2), real(5), real(2, 4, 1), real(2, 4, 1, low=1, high=2))
def gradients_of_half_norms(g, x, w, mean, variance, rows, m, r):
    """Weights of single precision, as under autocast, have gradients of single precision."""
    every, stats = [True, True, True], (mean, variance)
    batch = aten.native_batch_norm_backward(g, x, w, *stats, mean, variance, False, 1e-5, every)
    layer = aten.native_layer_norm_backward(g, x, [5], m, r, rows, rows, every)
    return *(t.float() for t in batch), *(t.float() for t in layer), batch[1], layer[2]


@op(real(2, 4, 5, dtype=bf16), real(2, 4, 5, dtype=bf16, low=30, high=31), real(4), real(4), real(5))
def statistics_of_half_norms(g, x, w, b, rows):
    """Those beside weights of single precision are of single precision, though fake tensors are not: of rows far from 0 a gradient
    tells the difference."""
    every, wide = [True, True, True], torch.ones(1)
    out, mean, rstd = aten.native_layer_norm(x, [5], rows, None, 1e-5)
    layer = out, mean * wide, aten.native_layer_norm_backward(g, x, [5], mean, rstd, rows, None, [True, True, False])[0]
    out, mean, rstd = aten.native_group_norm(x, w, b, 2, 4, 5, 2, 1e-5)
    by_input, *rest = aten.native_group_norm_backward(g, x, mean, rstd, w, 2, 4, 5, 2, every)
    group = out, rstd * wide, by_input * wide, *rest
    out, mean, rstd = aten.native_batch_norm(x, w, b, None, None, True, 0.1, 1e-5)
    return *layer, *group, out, mean * wide, *aten.native_batch_norm_backward(g, x, w, None, None, mean, rstd, True, 1e-5, every)


@op(real(2, 2, 3, 4), real(2, 2, 5, 4), real(2, 2, 5, 4), real(3, 5))
def attention_with_second_results(q, k, v, mask):
    forward = aten._scaled_dot_product_flash_attention_for_cpu
    causal = forward(q, k, v, 0.0, True, scale=0.3)
    return *causal, *forward(q, k, v, attn_mask=mask), *aten._scaled_dot_product_attention_math(q, k, v, mask)


@op(real(2, 4, 3), real(2, 4, 5), real(2, 3, 5), real(6))
def gradients_of_distances(g, x, y, pairs):
    apart = [aten._cdist_forward(x, y, p, None) for p in (0.5, 2.0, INF)]
    crossed = [aten._cdist_backward(g, x, y, p, d) for p, d in zip((0.5, 2.0, INF), apart)]
    return *crossed, aten._pdist_backward(pairs, x[0], 3.0, aten._pdist_forward(x[0], 3.0))


@op(real(4, 3), real(4, 2), real(3, 2), real(4, 3, low=0.2, high=2))
def gradients_of_powers_below_zero(g, x, y, apart):
    """Of no distances, but kernels take them: the greatest difference is for the infinite power alone, not for minus infinity."""
    return [aten._cdist_backward(g, x, y, p, d) for p in (-1.0, -2.5, -INF) for d in (apart, torch.ones_like(apart))]


@op(real(4), whole(4, low=0, high=5), real(4, 5))
def gradients_of_margins(rows, target, scores):
    single = aten.multi_margin_loss_backward(rows, scores, target, 1, 1.5, None, 0)
    squared = aten.multi_margin_loss_backward(rows[0], scores, target, 2, 1.0, rows.abs().repeat(2)[:5], 1)
    several = (target[:, None] - torch.arange(5)).clamp_min(-1)
    marks = aten.multilabel_margin_loss_forward(scores, several, 1)[1]
    return single, squared, aten.multilabel_margin_loss_backward(rows[0], scores, several, 1, marks)


@op(real(2, 3, 2, 3), real(2, 3, 4, 5), real(2, 2, 3, 2))
def gradients_of_grids(g, x, grid):
    reflected = aten.grid_sampler_2d_backward(g, x, grid, 0, 2, False, [True, True])
    return *reflected, *aten.grid_sampler_2d_backward(g, x, grid, 1, 1, True, [True, True])


@op(real(3, 4), real(7, 4), whole(6, low=0, high=7), values(0, 2, 2, dtype=i64), real(6), real(2, 5), truth(2, 5))
def gradients_of_bags(g, weight, indices, offsets, each, written, mask):
    bag = aten._embedding_bag(weight, indices, offsets, False, 1)[1:]
    mean = aten._embedding_bag_backward(g, indices, offsets, *bag, 7, True, 1, False, None, 3)
    bag = aten._embedding_bag(weight, indices, offsets, False, 0, False, each)[1:]
    total = aten._embedding_bag_backward(g, indices, offsets, *bag, 7, False, 0, False, each)
    shares = aten._embedding_bag_per_sample_weights_backward(g, weight, indices, offsets, bag[0], 0)
    return mean, total, shares, aten.masked_scatter_backward(written, mask, [4, 3]), aten._euclidean_dist(g, weight)
