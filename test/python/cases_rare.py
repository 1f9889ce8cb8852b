"""Operator cases of what programs seldom ask for: bytes seen as other types, odd windows and packed lists. See make_cases.py."""

import torch
from torch.func import vmap
from torch.nn.utils.rnn import pad_sequence

from cases_ops import SINGLE, f64, i64, op, real, values, whole

SINGLE.update({"complex_halves_and_sums", "products_of_groups", "bags_forward_only", "bytes_as_other_types", "written_as_other_types"})


@op(real(3, 4, 6), whole(2, 8, dtype=torch.uint8, low=0, high=63), real(4, 8, dtype=torch.bfloat16), real(5, 4, dtype=f64))
def bytes_as_other_types(x, bytes, half, wide):
    """Smaller and larger elements, of slices and of what is computed, and complex numbers both ways."""
    smaller = x.view(torch.int16), x[:, 1:].view(torch.uint8), wide.view(torch.int32), (wide * 2).view(torch.int8)
    larger = bytes.view(torch.int32), bytes[:, 4:].view(torch.int16), half.view(torch.int64), (half + 1).view(torch.int32)
    pairs = x.view(torch.complex64), torch.complex(wide, wide).view(torch.int64), (bytes + 1).view(torch.complex64)
    return *smaller, *larger, *pairs, torch.complex(x[0, 0, 0], x[1, 0, 0]).view(i64), wide.view(torch.complex128).imag * 2


@op(real(4, 8), real(4, 8))
def written_as_other_types(x, y):
    bits, low = x.view(torch.int32), y[:, 2:6].view(torch.int16)[:, ::2]
    bits.bitwise_and_(0x7FFFFFFF)
    low.zero_()
    y.view(torch.complex64)[2].mul_(2j)
    return x + 1, bits, y * 1, low


@op(whole(3, low=0, high=6), real(4, 5))
def batches_within_batches(p, x):
    """Masks as attention makes them: a level for each of batch, head, query and key, not all of which are asked for."""

    def of_all(rule):
        for dims in ((None, None, None, 0), (None, None, 0, None), (None, 0, None, None), (0, None, None, None)):
            rule = vmap(rule, in_dims=dims)
        return rule(torch.arange(2), torch.arange(1), p, torch.arange(7))

    causal = of_all(lambda b, h, q, k: k <= q)
    near = of_all(lambda b, h, q, k: q.new_ones((), dtype=torch.bool) & (k > q - 3) & (k <= q + b))
    same = of_all(lambda b, h, q, k: q.new_zeros((), dtype=torch.bool))
    sums = vmap(lambda a: vmap(lambda b: a.sum())(x))(x), vmap(lambda a: vmap(lambda b: b.softmax(0))(x) + a[0])(x)
    written = vmap(lambda a: a.new_zeros(5).add_(a).mul_(2))(x)
    return causal, near, same, *sums, written


@op(real(2, 9), real(3, 4, 2))
def rows_by_formula(x, y):
    frequencies = torch.fft.fftfreq(9) + x, torch.fft.fftfreq(6, 0.3) + y[0, 0, 0], torch.fft.rfftfreq(9, 2.0) - x[0, 0]
    windows = torch.kaiser_window(9) * x, torch.kaiser_window(8, False, 5.0) * x[0, :8], torch.kaiser_window(1) + x[0, 0]
    return *frequencies, *windows, y.sum() / torch.tensor([y.shape[0], y.shape[1]])


@op(real(3, 4), real(5, 4), real(7, 2, 3), real(3, 3, 6), real(6), real(2, 3, 4), real(2, 3, 4), real(2, 1, 1), real(2, 1, 1, low=1, high=2))
def layers_in_other_forms(a, b, x, w, bias, grad, v, g, norms):
    padded = pad_sequence([a, b], True, -1.5), pad_sequence([a, b, b[1:]], padding_side="left")
    backward = torch.ops.aten._weight_norm_interface_backward(grad, v, g, norms, 0)
    return *padded, torch.conv_tbc(x, w, bias, 1), torch.norm_except_dim(v, 2, 1), torch.norm_except_dim(v, 1, -1), *backward


@op(real(3, 4, 5), real(1, 4, 1, dtype=f64), real(1, 1, 1), real(5, 1, 1), real(2, 3, 4, dtype=torch.complex64))
def weights_of_other_dtypes(v, g, one, first, c):
    """The lengths may have a wider dtype where no kernel of its own does it: along dimensions between others, and of all at once."""
    scaled = torch.ops.aten._weight_norm
    turned = v.permute(2, 0, 1)
    wide = scaled(v, g, 1), scaled(v.half().double(), g.float(), 1), scaled(v, one.to(torch.complex64), -1)
    return *wide, scaled(turned, one, -1), scaled(turned, first, 0), scaled(c, g[:, :3].float(), 1)


@op(real(10, 4), values(1, 2, 3, 4, 4, 2, 1, dtype=i64), values(0, 2, 2, 7, dtype=i64))
def bags_with_their_places(w, i, o):
    """All results of bags of embeddings: the bag of each index, how many count, and which is greatest."""
    bags = torch.ops.aten._embedding_bag
    whole, mean = bags(w, i, o, False, 0, False, None, False, 2), bags(w, i, o, False, 1, False, None, True)
    return *whole[:3], *mean, *bags(w, i, o, False, 2), *bags(w, i, o, False, 2, False, None, False, 1)


@op(real(10, 3), whole(7, low=0, high=10), values(0, 2, 2, 5, dtype=i64), values(0, 2, 2, 5, 7, dtype=i64))
def bags_forward_only(table, indices, offsets, ends):
    bags = torch.ops.aten._embedding_bag_forward_only
    summed, means = bags(table, indices, offsets), bags(table, indices, ends, False, 1, False, None, True, 3)
    return summed[0], summed[2], means[0], means[1], *bags(table, indices, offsets, False, 2, False, None, False, 3)


@op(real(4, low=0, high=1))
def draws_of_a_generator(x):
    """Whose numbers are not PyTorch's: what is the same whatever they are."""
    own = torch.Generator()
    uniform, bernoulli = torch.rand(3, generator=own), torch.bernoulli(x, generator=own)
    return (uniform >= 0) & (uniform < 1), bernoulli * (1 - bernoulli), torch.randint(2, 3, (2,), generator=own)
@op(real(16, 8, dtype=torch.bfloat16), real(3, 8, 24, dtype=torch.bfloat16), real(8, 16, dtype=torch.bfloat16), values(3, 3, 16, dtype=torch.int32))
def products_of_groups(x, w, y, ends):
    """Rows, columns and depths in three groups, of which one is empty, and matrices one by one."""
    mm = torch._grouped_mm
    return mm(x, w, offs=ends), mm(w.mT, y, offs=ends), mm(y, x, offs=ends), mm(w.mT, w)


@op(real(3, 4, 2), real(3, 4, 2, dtype=torch.float16))
def complex_halves_and_sums(x, h):
    z, halves = torch.view_as_complex(x), torch.view_as_complex(h)
    return z.logsumexp(1), z.logsumexp((0, 1), True), halves.abs(), halves.mH.imag, torch.view_as_real(halves), h.view(torch.complex32).real


@op(real(3, 4), real(3, 4), real(3, 2))
def under_other_names(x, y, half):
    """Operators of which PyTorch has another one that computes the same."""
    aten, prims = torch.ops.aten, torch.ops.prims
    ranges = torch.range(1, 4) + x[0], torch.range(0.5, 2.0, 0.25) - y[0, 0], torch.range(5, -4, -3, dtype=i64)
    extremes = *aten._aminmax(x), *aten._aminmax.dim(y, 1, True)
    elementwise = prims.add(x, y), prims.exp(x), prims.maximum(x, y), prims.lt(x, y), prims.erf_inv(x.tanh()), prims.cat([x, y], 1)
    truth = aten._is_all_true(x < 9), aten._is_any_true(x > 9)
    rows = aten._stack([x, y], 1), aten._logcumsumexp(x, 1), aten._chunk_cat([x, y[:2]], 0, 2), aten.squeeze_copy.dims(x[None, :, None], [0, 2])
    return *ranges, *extremes, *elementwise, *truth, *rows, aten.glu_jvp(half, x, y, 1)


@op(real(7, 12, 9), real(300))
def places_in_one_row_of_edges(x, e):
    """Values that lie one behind another, by columns, apart, and more than are searched at once."""
    e = e.sort().values
    found = [torch.bucketize(v, e[:n]) for v in (x, x.permute(2, 0, 1), x[:, 3:4, ::2]) for n in (300, 7)]
    return *found, torch.searchsorted(e, x.double().float().mT, right=True).mT, torch.bucketize((x * 9).to(torch.int16), (e * 9).to(torch.int16))
