"""Operator cases on awkward values: NaN, repeats, numbers at the ends of their types. See make_cases.py."""

import torch

from cases_ops import INF, NAN, i32, op, real, truth, values, whole


@op(values(0.0, INF, NAN, 3.0, -INF, 3.0), real(40), whole(33, dtype=i32))
def memberships(x, y, k):
    holes = torch.cat([y, x, torch.full((25,), NAN)])
    found = torch.isin(x, holes), torch.isin(holes.half(), y.half(), invert=True), torch.isin(k, NAN)
    return *found, torch.isin(x[:0], y), torch.isin(y[0], y.double()), torch.isin(0.1, k)


@op(values(0.0, 1.0, NAN, 3.0, 1.0, 3.0), real(40), whole(33, dtype=i32), whole(5, high=2**40))
def memberships_of_repeats(x, y, k, large):
    """Out of contract, but of one answer: repeats, elements that are equal after conversion, numbers out of range."""
    twice = torch.isin(x, y, assume_unique=True), torch.isin(k, x, assume_unique=True, invert=True)
    return *twice, torch.isin(large, (large[:1] + 1).float().expand(20)), torch.isin(257, k.to(torch.uint8))


@op(whole(4, 5, dtype=torch.int8), real(3, 4))
def truths_of_bytes(k, x):
    return k.bool().long(), torch.count_nonzero(k, 1), torch.count_nonzero(k), k.bool().sum(0), (k.bool().byte() * 3)


@op(values(0.0, 1e-30, 1e-30, 10.0, -1e30, 1e30, 1e30, 2.0, 1.0, -3.0, 1e30, 1e30, 0.5, 1e-30, 4.0, 1e-30, 1.0, 2.0, 3.0), values(True, False, True))
def products_in_order_of_a_row(x, y):
    """Those of its parts alone would overflow, or be 0: behind 0, and far from 1 both ways. Counts in blocks of a row."""
    long = torch.where(torch.arange(70000) == 5, 0.0, 7.0).cumprod(0)
    rows = (x * x).double()[1:].repeat(3, 2)
    counts = y.repeat(30000).cumsum(0), y.repeat(30000).to(torch.int8).neg().cumsum(0), y.repeat(3, 9).cumsum(1)
    places = torch.where(torch.arange(70000) % 5000 == 7, torch.arange(70000), -1).cummax(0)
    some = long[:40], long[::997], *(t[::997] for t in (*counts[:2], *places)), counts[2]
    return *some, x.cumprod(0), rows.cumprod(1), (rows * rows).cumprod(1), x[1:].repeat(40).half().cumprod(0)


@op(real(3, 4), real(4, 3))
def overlapping_windows(x, y):
    """Results whose elements share memory, of an operand that ends there."""
    return x.exp().cumsum(0).reciprocal().unfold(0, 2, 1).unsqueeze(0), y.sin().neg().as_strided((3, 3), (3, 1))


@op(real(3, 4), real(2, 4), whole(2, 2, dtype=torch.uint8, low=0))
def writes_to_one_place(x, y, k):
    first = torch.zeros(2, 4, dtype=torch.int64)
    wide = k.clone().expand(3, 2, 2)
    wide.narrow(1, 0, 1).fill_(2)
    return x.scatter(0, first, 5.0), x[:, 0].scatter(0, first[0], -1.0), wide.to(torch.int16)


@op(real(5, 37, dtype=torch.complex64), real(5, 37, dtype=torch.complex64), real(37), real(4, 3, dtype=torch.complex64), whole(9, low=0, high=5))
def complex_numbers_in_parts(x, y, r, z, k):
    """Rows that are no whole vectors, transposed, masked, added up, written where elements meet and where they are read."""
    made = x * y + r, x / y, (x * 2).t() * y.t().conj(), torch.nn.functional.pad(x, (1, 2, 1, 0)) - 1j, torch.where(r > 0, x, -y)
    pairs = [torch.view_as_real(t.to(torch.complex128) * (2 - 1j)) for t in (z.cumsum(0), z.t(), z / 0.3)]
    sums = x.sum(1), (x * y.conj()).sum(), z.cumsum(0), z.mean(1), x.sum(0), torch.zeros(5, 37, dtype=x.dtype).index_add(0, k, y[k])
    w = x.clone()
    w.mul_(y).div_(w.conj() + 3)
    w[:, ::3] -= r[::3]
    reals = x.abs(), x.angle(), torch.sgn(y), (x == y), x.isnan() | y.isinf(), torch.view_as_real(x * 1j), w.real - w.imag, z.bool()
    return *made, *sums, w, *reals, *pairs, torch.cat([x[:, 5:], y.flip(1)], 1).roll(3, 1), (z / 0).isnan(), z.reciprocal(), torch.stack([x.real, y.imag], 2)


@op(real(3, 4), real(2, 3, 4, 5), whole(4))
def resized(x, images, k):
    """resize_ shows storage: of what was permuted, through views made before, longer than there was."""
    y, t, first = x + 1, x.t().clone(), x * 2
    row, part, k = y[1], first[1:], k * 1
    t.resize_(2, 3), y.resize_(4, 5), part.resize_(3, 4), k.resize_(6)
    y[:2].mul_(3), row.add_(1), part[:2].neg_(), k.fill_(7)
    format = {"memory_format": torch.channels_last}
    shown = images.exp().resize_(1, 2, 3, 4, **format), torch.ops.aten.resize(x.t()[1:], (2, 2))
    return t, y[:2], row, first, part[:2], k, *shown, torch.ops.aten.resize_as(x.sin(), k)


@op(whole(1, 3, 6, 7, dtype=torch.uint8, low=0, high=256), whole(1, 5, 1, 9, dtype=torch.uint8, low=0, high=256))
def bytes_resampled(u, v):
    """In fixed point, rounded after each dimension; without antialiasing what is beyond the border counts there."""
    size = torch.nn.functional.interpolate
    lines = size(u, (13, 5), mode="bilinear"), size(v, (4, 17), mode="bilinear", align_corners=True)
    cubic = size(u, scale_factor=1.7, mode="bicubic"), size(v, (1, 4), mode="bicubic", align_corners=True)
    return *lines, *cubic, size(u.to(memory_format=torch.channels_last), (3, 14), mode="bicubic")


@op(real(2, 5, 19, dtype=torch.float64), real(33, 19, dtype=torch.float64), real(2, 19, 7, dtype=torch.float64),
    real(33, dtype=torch.float64))
def products_of_doubles(x, w, y, b):
    """As precise as doubles are, in each layout, with what surrounds them: 1e-9 is lost in floats."""
    x = 1 + x * 1e-9
    z = torch.complex(x, -x).reshape(10, 19)
    biased = torch.nn.functional.linear(x, w, b).relu(), torch.addmm(b, x[0].t()[:5, :3], w[:, :3].t(), beta=2)
    rows = x[0] @ y[0, :, 0], (w @ w.t() - b).clamp(-1, 2), torch.view_as_real(z @ z.t())
    return *biased, x @ y, torch.bmm(x, y).transpose(1, 2) + 1, *rows


@op(real(5, 3, 19, dtype=torch.bfloat16), real(33, 19, dtype=torch.bfloat16), real(33, dtype=torch.bfloat16),
    real(40, 38, dtype=torch.float16), real(38, 7, dtype=torch.float16))
def products_of_halves(x, w, b, h, v):
    """Sums of float32 that are rounded once, in each layout, of one row, a few and many, with what surrounds them."""
    linear = torch.nn.functional.linear
    rows = linear(x, w, b).relu(), linear(x[0, :1], w), linear(x[0], w) * x[0, :, :1] + 1, x[0, 0] @ w.t()
    turned = x[0].t() @ w[:3, :8], torch.addmm(b[:8], w[:, :3], x[0, :, :8]), (h.t()[:, :9] @ v[:9]).t(), h[:2, 1:] @ v[1:]
    return *rows, *turned, h @ v, linear(h[:, ::2], v.t()[:, ::2]), torch.inner(w, x[1]), torch.chain_matmul(w, w.t(), w)


@op(real(2, 37, 45, dtype=torch.bfloat16), real(2, 45, 38, dtype=torch.bfloat16), real(2, 37, 38, dtype=torch.bfloat16),
    real(3, 9, 21, dtype=torch.float16), real(3, 21, 10, dtype=torch.float16))
def batches_of_halves(x, y, c, h, v):
    """Products of batches, with sums of float32 that are rounded once: in each layout, of few rows, shared by all, with what surrounds them."""
    plain = torch.bmm(x, y).relu(), (x.mT.contiguous().mT @ y.mT.contiguous().mT) * 0.5, torch.baddbmm(c, x, y, beta=0.5, alpha=2)
    few = x[:, :2] @ y, x[:, :1] @ y.mT.contiguous().mT, x[:, :1, ::2] @ y[:, ::2], x[:, :7] @ y[:1]
    return *plain, *few, torch.einsum("bmk,bkn->bnm", x, y), h @ v, h[:, :3] @ v, h[:, ::2].mT @ h[:, ::2], h @ v[1]


@op(real(2, 4, 9, 64, dtype=torch.bfloat16), real(2, 2, 70, 64, dtype=torch.bfloat16), real(2, 2, 70, 64, dtype=torch.bfloat16),
    real(1, 3, 45, 20, dtype=torch.float16), truth(9, 70))
def attention_of_halves(q, k, v, h, seen):
    """Queries and results of 16 bits as well: many and few, masked, causal, in each layout."""
    attend = torch.nn.functional.scaled_dot_product_attention
    seen = seen | (torch.arange(70) < 1)
    turned = q.mT.contiguous().mT, k.mT.contiguous().mT, v.mT.contiguous().mT
    many = attend(q, k, v, enable_gqa=True), attend(q, k, v, seen, enable_gqa=True), attend(q[:, :2], k, v, is_causal=True)
    adds = torch.where(seen, 0.5, float("-inf")).to(q.dtype)
    return *many, attend(*turned, enable_gqa=True), attend(q[:, :2], k, v, adds), attend(q[:, :2, :2], k, v), attend(h, h, h, is_causal=True)


@op(real(2, 4, 9, 24, dtype=torch.bfloat16), real(2, 2, 70, 24, dtype=torch.bfloat16), real(2, 2, 70, 40, dtype=torch.bfloat16),
    real(1, 3, 45, 20, dtype=torch.float16), truth(9, 70))
def attention_over_halves(q, k, v, h, seen):
    """Keys and values in 16 bits, of one query, a few and many, shared by heads, in each layout."""
    attend = torch.nn.functional.scaled_dot_product_attention
    seen = seen | (torch.arange(70) < 1)
    many = attend(q, k, v, enable_gqa=True), attend(q, k, v, seen, enable_gqa=True), attend(q[:, :2], k, v, is_causal=True)
    few = attend(q[:, :2, :1], k, v), attend(q[:, :2, :3], k[..., ::2, :], v[..., ::2, :], scale=0.3), attend(q[:, :2, :2, ::2], k[..., ::2], v)
    turned = attend(q[:, :2], k.mT.contiguous().mT, v.mT.contiguous().mT), attend(q[:, :2, :1], k.mT.contiguous().mT, v.mT.contiguous().mT)
    return *many, *few, *turned, attend(h, h, h), attend(h[:, :, 4:5], h, h)


@op(whole(9, 37, low=-2**31, high=2**31), whole(9, 37, low=0, high=2**15))
def bits_of_bf16(k, few):
    """Any bits of float32 to bf16 and back, among them what lies half way, what is subnormal, and NaN with each kind of payload."""
    special = torch.tensor([0x7F800001, 0x7FFFFFFF, -1, 0x7F7FFFFF, 0x3F808000, 0x3F818000, 0x00008000, 0x00018000, -0x80000000, 0x7F800000])
    words = torch.cat([k.flatten(), few.flatten() * 65536 + 32768, special]).to(torch.int32)
    narrow = words.view(torch.float32).bfloat16()
    no = narrow.isnan()
    back = torch.where(no, 0.0, narrow.float() * 0.5 + narrow.float())
    return torch.where(no, 0, narrow.view(torch.int16)), no, back.bfloat16().view(torch.int16), back.view(torch.int32)


@op(real(2, 16, 5, 6, dtype=torch.float64), real(9, 16, 3, 3, dtype=torch.float64),
    real(16, 4, 3, 3, dtype=torch.float64), real(16, dtype=torch.float64))
def convolutions_of_doubles(x, w, g, b):
    """Dense, by groups, by channels, of few channels, transposed."""
    conv, turned, x = torch.nn.functional.conv2d, torch.nn.functional.conv_transpose2d, 1 + x * 1e-9
    dense = conv(x, w, padding=1).relu(), conv(x, w[:, :, :1, :1]), conv(x[:, :3], w[:, :3], stride=2)
    apart = conv(x, g, b, groups=4), conv(x, g[:, :1], b, padding=1, groups=16), conv(x.permute(0, 1, 3, 2), w)
    return *dense, *apart, turned(x, g, stride=2), turned(x, g[:, :1], b, groups=16)
