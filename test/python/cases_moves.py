"""Operator cases on where elements lie: transposed, turned round, repeated, in small rows. See make_cases.py."""

import torch

from cases_ops import op, real, whole
from torch.nn.functional import pad


@op(real(19, 37), real(3, 18, 35), whole(20, 33), whole(17, 34, dtype=torch.uint8, low=0))
def transposed(x, y, k, bytes):
    """Whole squares of vectors and what is left of them; the axis of neighbours in each place among the rows."""
    turned = y.permute(2, 1, 0).contiguous(), y.permute(1, 2, 0).contiguous(), y.permute(0, 2, 1).contiguous()
    return x.t().contiguous(), *turned, k.t() * 2, bytes.t().contiguous(), x.t()[1:] + x.half().t()[1:], (x > 0).t().clone()


@op(real(1, 3, 41), real(1, 1, 3, 40), whole(3, 50))
def moved_in_runs(x, y, k):
    ends = x.roll(5, -1), x.flip(-1), k.flip(0, 1), k.roll(-7, 1), (k > 0).flip(1), x.double().flip(-1)
    borders = pad(y, (3, 4, 1, 2), "reflect"), pad(y, (20, 17, 0, 1), "replicate"), pad(y, (39, 1, 1, 0), "circular")
    return *ends, *borders, torch.kron(x[0], y[0, 0, :1]), x.repeat_interleave(20, 2)[..., ::5], x.repeat(1, 1, 3)


@op(real(1, 40, 40), whole(30, 300, dtype=torch.uint8, low=0), whole(40, 40), real(1, 1, 10, 32))
def split(x, y, k, image):
    """Rows whose loops are cut where an index bends: ends and middles, in vectors and one by one, backwards too."""
    ends = pad(x, (3, 4), "reflect"), pad(x, (9, 20), "replicate"), pad(x, (17, 2), "circular"), pad(k[None], (20, 1), "reflect")
    turned = x.roll(-7, -1), x.roll((3, 5), (1, 2)), x.roll(1000), x.double().roll(30, 2), x.half().roll(9, 2), x.flip(2) + x.roll(1, 2)
    masks = pad(y, (2, 5)), pad(y, (-9, 17), value=3) + 1, torch.where(torch.arange(300) == 133, y, y * 2)
    joined = torch.slice_scatter(x, x[:, :, :20] + 1, 2, 10, 30), torch.cat((-x[:, :, 15:], x[:, :, :15]), 2).sin(), pad(x, (30, 10)).exp()
    windows = torch.nn.functional.unfold(image, 3, padding=1).tril(70), torch.nn.functional.adaptive_avg_pool2d(image, (7, 13))
    return *ends, *turned, *masks, *joined, *windows, torch.nn.functional.one_hot(k[0] % 40, 40), (k == k.roll(1, 1)).sum(1)


@op(real(1, 2, 11, 21), whole(3, 50), real(5, 19))
def each_several_times(x, k, w):
    """Each element in 2, 4, 8 neighbouring lanes: from even places on, and where a slice begins at an odd one."""
    larger = torch.nn.functional.interpolate(x, scale_factor=2), torch.nn.functional.interpolate(x, scale_factor=4)
    times = k.repeat_interleave(2, 1), k.repeat_interleave(8, 1), (k > 0).repeat_interleave(4, 1), w.half().repeat_interleave(2, 1)
    spread = w.unsqueeze(-1).expand(5, 19, 4).reshape(5, 76)
    return *larger, *times, spread + 1, spread[:, 3:70] * 2, pad(larger[0], (3, 2, 1, 0)), larger[0].double().flip(-1)


@op(real(32, 16), real(1, 4, 12, 10), real(16), real(64), whole(64, 12))
def values_that_few_loops_change(x, image, position, frequency, row):
    """Broadcast values that cost more to compute than to load; behind masks; that say where something is loaded."""
    angle = position[:, None] * frequency
    turned = (x[:, :, None] * angle.sin() + x[:, :, None].exp() * angle.cos()).sum(0)
    larger = torch.nn.functional.interpolate(image, scale_factor=10, mode="bilinear")
    rows = torch.nn.functional.pad((x.exp()[:, :, None] + frequency.tanh()), (3, 2)).amax(0)
    near = torch.nn.functional.interpolate(image, size=(77, 130)).amin((1, 2))
    picked = (x[:, row] * frequency.sigmoid()[:, None].erf()).sum(0)
    return turned, larger.amax(3), rows, near, picked


@op(real(70, 3), real(70, 3), real(3), real(40, 5))
def rows_of_three(x, y, z, w):
    whole = x / x.norm(dim=-1, keepdim=True), x * z, torch.linalg.cross(x, y), torch.stack([x, y], -1)
    return *whole, w.sum(-1), w.norm(dim=1), w.logsumexp(-1), w.t().norm(dim=-1), w.half().sum(-1), w.argmax(-1)


@op(real(20, 17), real(17, 18), real(20, 17), real(17, 18), real(2, 3, 17))
def products_by_parts_and_columns(a, b, c, d, e):
    """Complex products large enough to go by their parts; one column, which is a plain reduction."""
    x, y = torch.complex(a, c), torch.complex(b, d)
    return x @ y, x.conj() @ y, torch.stack([x, x]) @ y, a @ b[:, 0], e @ b[:, 1], e @ b[:, 2:3], a.t() @ c[:, 0]


@op(real(2, 12, 1, 16), real(2, 20, 3, 4))
def views_with_dimensions_of_one(x, y):
    """One head of queries, turned, and one window: strides of their dimension are anew, and what is recorded does not say so."""
    turned, window = x.transpose(1, 2), y.view(2, 1, 20, 3, 4).permute(3, 0, 1, 2, 4)[1]
    view = window.view(2, 1, 4, -1, 4)
    heads = turned.reshape(2, 1, 12, 16)[..., :8], turned.view(2, 1, 12, 16) * 2, turned + 1
    return *heads, view.amax(2), view.transpose(1, 3), x[:1].permute(0, 3, 1, 2).flatten(2) * 2


@op(whole(5, 67, dtype=torch.uint8, low=0), whole(5, 67, dtype=torch.int8), whole(5, 67, dtype=torch.int16), real(5, 67))
def rows_of_bytes(x, y, k, w):
    """Between bytes, 16 bits and all else, in whole vectors and what is left of them."""
    others = torch.float32, torch.float64, torch.float16, torch.int32, torch.int64, torch.bool
    wider = [t.to(d) for t in (x, y, k) for d in others]
    narrower = [(t * 3).to(d) for t in (w, w.double(), k.long(), k.int(), k > 0) for d in (torch.int8, torch.int16)]
    return *wider, *narrower, (x > 3).int(), y > 0, (x > 4) | (x < 2), y.float().sum(0)


@op(real(4, 700), real(6, 9), real(2, 3, 40, 37), real(3, 70))
def rows_chosen(x, d, image, w):
    """The few largest of rows; what masks choose of elements that all lanes share; tables of weights."""
    best = *x.topk(3), *x.topk(70, largest=False), *x.topk(1)
    smaller = [torch.nn.functional.interpolate(image, (17, 19), mode=m, antialias=True) for m in ("bilinear", "bicubic")]
    found = (x > 0.7).nonzero_static(size=900), (w > 5).nonzero_static(size=4), (x[:, ::3] > 0).nonzero_static(size=30, fill_value=7)
    return *best, *found, torch.diag_embed(d), torch.diag_embed(d, 2), *smaller, (w / 10).clamp(-1, 1).atanh(), (w / 1e4).atanh()


@op(real(2, 18, 42), real(1, 24, 25), real(1, 144, 21), real(2, 400, 6), real(12, 16))
def joined_windows(x, y, w, large, single):
    """Sums of what windows hold of each pixel: strides that divide the image and not, gaps, windows of many positions."""
    fold = torch.nn.functional.fold
    small = fold(x, (12, 14), 3, padding=1, stride=2), fold(y[..., :24], (9, 13), (2, 3), stride=2), fold(y, (12, 10), (4, 3), padding=(0, 1), stride=2)
    gaps = fold(y[..., :15], (11, 7), 2, dilation=3, padding=1, stride=2), fold(w, (29, 61), 12, dilation=2, stride=(4, 6), padding=(1, 1))
    many = fold(w, (21, 41), 12, stride=5, padding=1), fold(large, (40, 60), 20, stride=20), fold(large[..., :4], (29, 26), 20, stride=(9, 6))
    return *small, *gaps, *many, fold(single, (6, 5), (3, 2))
