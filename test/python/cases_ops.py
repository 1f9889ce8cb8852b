"""The operator cases: one function an operator or a family of them, on inputs of awkward sizes. See make_cases.py."""

import functools

import torch
import torch.nn.functional as F
from torch import nn

OPS = {}  # name -> (what makes the function or module, what makes its inputs)
AMBIGUOUS = set()  # names of those whose results are defined up to sign, order or basis
SINGLE = set()  # names of those that PyTorch does not run in float64
f64, f32, f16, bf16 = torch.float64, torch.float32, torch.float16, torch.bfloat16
i64, i32 = torch.int64, torch.int32


def real(*shape, dtype=f32, low=None, high=None):
    """Normal values, or uniform ones in [low, high)."""
    return lambda: (torch.randn(shape) if low is None else torch.empty(shape).uniform_(low, high)).to(dtype)


def whole(*shape, dtype=i64, low=-9, high=10):
    return lambda: torch.randint(low, high, shape).to(dtype)


def truth(*shape):
    return lambda: torch.rand(shape) < 0.5


def shuffled(*shape, dtype=f32):
    """Values without ties, for what depends on an order."""
    count = torch.Size(shape).numel()
    return lambda: (torch.randperm(count).reshape(shape) - count // 2).to(dtype) / 7


def values(*numbers, dtype=f32):
    return lambda: torch.tensor(numbers, dtype=dtype)


def op(*inputs):
    def keep(function):
        assert function.__name__ not in OPS
        OPS[function.__name__] = (lambda: function, inputs)
        return function

    return keep


def layer(name, make, *inputs):
    assert name not in OPS
    OPS[name] = (make, inputs)


NAN, INF = float("nan"), float("inf")

# ---- elementwise ----


@op(real(4, 1, 17), real(3, 1))
def add_sub_mul(a, b):
    return torch.add(a, b, alpha=2.5), torch.sub(a, b, alpha=0.5), a * b, torch.rsub(a, b), 1.5 - a, a * 3, -a


@op(real(5, 13), real(13, low=0.5, high=4))
def div_modes(a, b):
    floor, trunc = torch.div(a, b, rounding_mode="floor"), torch.div(a, b, rounding_mode="trunc")
    return a / b, a / 3, floor, trunc, torch.remainder(a, b), torch.fmod(a, b), a // 0.7, 1 / b


@op(whole(6, 7), whole(6, 7, low=1, high=9))
def integer_arithmetic(a, b):
    floor, trunc = torch.div(a, b, rounding_mode="floor"), torch.div(a, b, rounding_mode="trunc")
    return a + b, a - 3, a * b, floor, trunc, a % b, torch.fmod(a, b), a / b, a**2, a.abs(), a.sign(), -a


@op(whole(31, low=0, high=99), whole(31, low=0, high=7), truth(31))
def bitwise(a, b, t):
    return a & b, a | 12, a ^ b, ~a, a << b, a >> b, ~t, t & (a > b), t | (a > b), t ^ True


@op(real(3, 19, low=0.05, high=3), real(3, 19, low=-1.5, high=2))
def powers(a, b):
    return a**b, a**2, b**3, a**0.5, a**-1, 2.0**b, a.sqrt(), a.rsqrt(), a.reciprocal(), b.square()


@op(real(35, low=-4, high=4), real(35, low=0.01, high=20))
def exponentials(a, b):
    return a.exp(), a.exp2(), a.expm1(), b.log(), b.log2(), b.log10(), b.log1p(), torch.logaddexp(a, b)


@op(real(35, low=-3, high=3))
def trigonometry(a):
    return a.sin(), a.cos(), a.tanh(), a.sigmoid()


@op(real(35, low=-3, high=3), real(35, low=-0.95, high=0.95))
def more_trigonometry(a, b):
    return a.tan(), a.atan(), torch.atan2(a, b), b.asin(), b.acos(), a.sinh(), a.cosh(), b.atanh(), a.asinh()


@op(values(-1e30, -300.0, -88.0, -20.0, -1e-3, -1e-30, -0.0, 0.0, 1e-30, 1e-3, 20.0, 88.0, 300.0, 1e30, INF, -INF, NAN))
def extreme_values(x):
    return x.tanh(), x.sigmoid(), x.exp(), x.erf(), F.gelu(x[:14]), F.silu(x), x.abs(), x.relu(), x.sign()


@op(real(4, 33))
def gelu_variants(x):
    return F.gelu(x), F.gelu(x, approximate="tanh"), x.erf()


@op(real(2, 33, low=-5, high=5))
def activations(x):
    soft = F.silu(x), F.elu(x, alpha=0.7), F.softplus(x), F.mish(x)
    return F.relu(x), F.relu6(x), F.leaky_relu(x, 0.1), F.hardtanh(x, -2, 1.5), F.hardswish(x), F.hardsigmoid(x), *soft


@op(real(4, 23, low=-5, high=5), real(4, low=0.1, high=0.4))
def more_activations(x, slope):
    soft = F.celu(x), F.selu(x), F.logsigmoid(x), F.softsign(x), F.glu(x[:, 1:], dim=-1), F.tanhshrink(x), x.erfc()
    return *soft, F.prelu(x.t(), slope), F.threshold(x, 0.5, -3), F.hardshrink(x), F.softshrink(x)


@op(truth(5, 1), real(5, 9), real(9), values(-0.5), values(0.75))
def where_clamp(c, a, b, low, high):
    one_sided = torch.clamp_min(a, 0.1), torch.clamp_max(a, 0.1), a.clamp(min=low)
    return torch.where(c, a, b), torch.where(c, a, 0.0), a.clamp(-0.5, 0.5), torch.clamp(a, low, high), *one_sided


@op(values(1.0, NAN, -INF, INF, 0.0, -0.0, 2.0), values(NAN, NAN, 1.0, INF, -0.0, 0.0, -2.0))
def nan_rules(a, b):
    pairs = torch.maximum(a, b), torch.minimum(a, b), torch.fmax(a, b), torch.fmin(a, b)
    tests = a.isnan(), a.isinf(), a.isfinite(), a == b, a != b, a < b
    return *pairs, *tests, a.nan_to_num(5.0, 6.0, -7.0), a.clamp(-1, 1), a.max(), a.sum()


@op(real(23), real(23), whole(23))
def comparisons(a, b, k):
    return a < b, a <= 0.5, a > b, a >= b, k == 3, k != 2, (a < b).logical_and(k > 0), k.logical_not(), k.bool() ^ True


@op(real(29, low=-4, high=4), values(0.5, 1.5, 2.5, -0.5, -1.5))
def rounding(a, half):
    return a.round(), a.floor(), a.ceil(), a.trunc(), a.frac(), half.round(), a.round(decimals=2), a.sign()


@op(real(3, 8), truth(8), real(3, 8), real(3, 8))
def fills_and_lerps(a, m, b, c):
    lerps = torch.lerp(a, b, 0.3), torch.lerp(a, b, c), torch.addcmul(a, b, c, value=0.5)
    return a.masked_fill(m, -1e4), torch.full_like(a, 2), torch.ones_like(m), *lerps, torch.addcdiv(a, b, c.abs() + 1)


@op(real(41, low=-100, high=100), whole(41), truth(41))
def casts(x, k, t):
    floats = x.double(), x.half(), x.bfloat16(), k.float(), t.float(), k.to(bf16)
    return *floats, x.long(), x.int(), x.bool(), k.bool(), t.long(), k.to(i32), x.bfloat16().float()


@op(real(11), whole(11), truth(11), real(11, dtype=bf16), real(11, dtype=f64))
def promotion(x, k, t, h, d):
    return x + k, k * 2.5, k + t, t + t, h + x, h * 3, h + k, d + x, x * torch.tensor(2, dtype=f64), t * 1.5, k / 2


@op(values(2.5), values(4, dtype=i64), real(7))
def zero_dimensional(s, k, x):
    s, k = s[0], k[0]
    return s * 2, s + k, x * s, x + k, s.reshape(1), k.float(), torch.stack([s, s + 1]), x.sum() / k


@op(real(2, 21, dtype=f64), real(21, dtype=f64))
def double_precision(a, b):
    return a * b + 1, a.exp(), a.tanh(), F.gelu(a), a.sum(1), a.softmax(-1), a.mean(), a @ b, a.pow(3)


@op(real(3, 40, dtype=bf16), real(40, dtype=bf16), real(9, 40, dtype=bf16))
def bfloat16_arithmetic(a, b, w):
    return a + b, a * b, F.gelu(a), a.softmax(-1), a.sum(0), a.mean(1), F.linear(a, w), F.layer_norm(a, (40,), b)


@op(real(5, 40, dtype=f16), real(40, dtype=f16))
def float16_arithmetic(a, b):
    return a + b, a * b, a.exp(), a.sigmoid(), a.sum(0), a.softmax(-1), a.max(1).values, a.float() * 2


def rounded_on_the_way(images, grid, rows, filters, near):
    """Eager rounds to the half type between the steps of these."""
    filtered = F.conv_transpose2d(images, filters, stride=2, padding=1)
    sampled = F.grid_sample(images, grid, align_corners=False)
    larger = F.interpolate(images[:, :, None], scale_factor=(2, 1.5, 2), mode="trilinear", align_corners=False)
    normal = F.batch_norm(images, None, None, rows[0, 0], rows[0, 1], training=True)
    crossed, cross = torch.linalg.cross(rows, rows.roll(1, 0)), torch.addbmm(rows[0], rows, rows.mT @ rows)
    return filtered, sampled, larger, normal, F.instance_norm(images), crossed, cross, near.logit(), rows.log_softmax(-1)


@op(real(2, 3, 5, 4, dtype=bf16), real(2, 4, 3, 2, dtype=bf16), real(4, 3, 3, dtype=bf16),
    real(3, 2, 3, 3, dtype=bf16), real(37, dtype=bf16, low=0.4, high=0.6))
def bfloat16_rounded_on_the_way(images, grid, rows, filters, near):
    return rounded_on_the_way(images, grid, rows, filters, near)


@op(real(2, 3, 5, 4, dtype=f16), real(2, 4, 3, 2, dtype=f16), real(4, 3, 3, dtype=f16),
    real(3, 2, 3, 3, dtype=f16), real(37, dtype=f16, low=0.4, high=0.6))
def float16_rounded_on_the_way(images, grid, rows, filters, near):
    return rounded_on_the_way(images, grid, rows, filters, near)


# ---- reductions ----


@op(real(3, 5, 37))
def sums(x):
    return x.sum(), x.sum(0), x.sum(-1), x.sum((0, 2)), x.sum(1, keepdim=True), x.sum(-1, dtype=f64), x.sum((0, 1, 2))


@op(whole(6, 19), truth(6, 19))
def integer_reductions(k, t):
    reduced = k.sum(1), k.sum(), k.prod(0), k.amax(1), k.amin(), k.min(1).values, k.max(1).indices
    return *reduced, t.sum(), t.any(), t.all(1), t.any(0, keepdim=True), k.cumsum(1), t.cumsum(0)


@op(real(3, 130))
def means_and_variances(x):
    biased = x.var(1, correction=0), x.std((0, 1), correction=0)
    return x.mean(), x.mean(0, keepdim=True), x.var(1), *biased, x.std(0), *torch.var_mean(x, 1)


@op(real(1003, low=99.5, high=100.5))
def long_sum(x):
    return x.sum(), x.mean(), x.var()


@op(shuffled(3, 700), real(3, 700), whole(2, 300), real(2, 3, 400))
def long_rows(x, y, whole, z):
    places = x.argmax(1), x.argmin(), torch.full_like(x, -INF).argmax(1), whole.argmax(1), *x.max(1)
    hole = torch.where(x == x[:, 401:402], NAN, x)
    sums = y.sum(1), y.half().sum(1), y.mean(), whole.sum(1), y.norm(dim=1), y.logsumexp(1), z.sum((0, 2)), z.var((0, 2))
    rows = y.softmax(1), F.layer_norm(y, (700,)), (y - y.mean(1, keepdim=True)).abs().amax(1)
    return *places, hole.argmax(1), hole.amax(1), (x > 99).any(1), (x < 99).all(1), *sums, *rows


@op(shuffled(6, 5, 11))
def extrema(x):
    low, high = x.min(1), x.max(-1, keepdim=True)
    return x.amax(0), x.amin((1, 2)), x.max(), x.min(), *low, *high, *torch.aminmax(x, dim=2)


@op(shuffled(8, 23))
def arg_extrema(x):
    return x.argmax(), x.argmin(), x.argmax(0), x.argmin(1, keepdim=True), x.argmax(-1)


@op(real(4, 27))
def norms(x):
    ranks = x.norm(), x.norm(1, dim=1), torch.linalg.vector_norm(x, INF, dim=0), F.normalize(x, dim=1)
    return *ranks, x.logsumexp(1), x.logsumexp((0, 1)), x.prod(1), x.abs().prod()


@op(real(5, 33), real(5, 33, low=0.5, high=1.5))
def scans(x, y):
    return x.cumsum(1), x.cumsum(0), y.cumprod(1), x[:, :0].cumsum(1)


# ---- views and movement ----


@op(real(2, 3, 2, 5))
def shapes(x):
    moved = x.permute(3, 1, 0, 2), x.transpose(1, -1), x.movedim(0, 2), x.swapaxes(0, 1).contiguous(), x[0, 0].t()
    return x.reshape(6, 10), x.view(2, -1, 5), x.flatten(1, 2), x.unflatten(3, (5, 1)), *moved


@op(real(7, 10, 4))
def slices(x):
    return x[1:6:2], x[:, -3:], x[..., 1], x.narrow(1, 2, 5), x.select(0, -1), x[2:2], x[1:, ::3, :2], x[-4:-1, None]


@op(real(3, 1, 4))
def expands(x):
    joined = x.repeat(2, 3, 1), x.tile(2), x.repeat_interleave(2, dim=0), torch.broadcast_to(x, (2, 3, 2, 4))
    return x.expand(3, 5, 4), x.expand(-1, 2, -1), *joined, x.squeeze(1), x.unsqueeze(0).squeeze((0, 2))


@op(real(9, 6))
def splits(x):
    return *x.chunk(4), *x.split(2, 1), *x.split([1, 5, 3]), *x[:2].unbind(1)


@op(real(3, 4), real(2, 4), real(3, 4, dtype=f64), real(0, 4))
def joins(a, b, c, none):
    stacked = torch.stack([a, a + 1], 1), torch.hstack([a, a]), torch.vstack([a, b])
    return torch.cat([a, b, none]), torch.cat([a, c], 1), *stacked


@op(real(4, 5, 6))
def flips_and_rolls(x):
    return x.flip(0, 2), x.roll(2, 1), x.roll((1, -2), (0, 2)), x.roll(3)


@op(real(5, 7), real(6))
def diagonals(x, v):
    return x.tril(), x.triu(1), x.tril(-2), x.diagonal(1), v.diag(), v.diag_embed(), x.trace()


@op(real(2, 40))
def windows(x):
    return x.unfold(1, 8, 4), x.as_strided((3, 4), (5, 2), 3), F.unfold(x.reshape(1, 2, 5, 8), 3, padding=1, stride=2)


@op(real(2, 3, 5, 6))
def pads(x):
    return F.pad(x, (1, 2)), F.pad(x, (0, 0, 2, 1), value=-1.5), F.pad(x, (-1, 0, 1, -2))


@op(real(2, 3, 4, 5))
def pads_from_edges(x):
    edges = F.pad(x, (2, 1, 1, 2), mode="reflect"), F.pad(x, (1, 3, 0, 2), mode="replicate")
    return *edges, F.pad(x, (1, 1, 1, 1), mode="circular")


@op(real(3))
def creation(x):
    counted = torch.arange(5), torch.arange(2, 11, 3), torch.arange(0, 1, 0.25), torch.linspace(-1, 1, 7)
    filled = torch.zeros(2, 3), torch.ones(4, dtype=i64), torch.full((2, 2), 7.5), torch.eye(3, 4), torch.tensor([1])
    return *counted, *filled, *torch.meshgrid(x, x[:2], indexing="ij"), x.new_zeros(2), torch.tril(torch.ones(4, 4))


# ---- normalisation ----


@op(real(2, 3, 37, low=-8, high=8))
def softmaxes(x):
    return x.softmax(-1), x.softmax(1), x.log_softmax(-1), x.log_softmax(0), F.softmin(x, 2), (x * 30).softmax(-1)


@op(real(2, 3, 50), real(50), real(50), real(3, 50))
def layer_norms(x, w, b, w2):
    rms = F.rms_norm(x, (50,), w), F.rms_norm(x, (50,), eps=1e-3)
    return F.layer_norm(x, (50,)), F.layer_norm(x, (50,), w, b, 1e-3), F.layer_norm(x + 100, (3, 50), w2), *rms


layer("batch_norm_2d", lambda: nn.BatchNorm2d(6, eps=1e-3), real(3, 6, 5, 7))
layer("group_norm", lambda: nn.GroupNorm(3, 12), real(2, 12, 3, 3))
layer("instance_norm", lambda: nn.InstanceNorm2d(5, affine=True), real(2, 5, 6, 7))

# ---- convolution, pooling, resampling ----

layer("conv2d_same", lambda: nn.Conv2d(3, 8, 3, padding=1), real(1, 3, 8, 11))
layer("conv2d_stride", lambda: nn.Conv2d(5, 7, (3, 5), stride=(2, 3), padding=(1, 2), bias=False), real(1, 5, 12, 17))
layer("conv2d_dilated", lambda: nn.Conv2d(4, 6, 3, dilation=(2, 1), padding="same"), real(1, 4, 9, 10))
layer("conv2d_1x1", lambda: nn.Conv2d(19, 21, 1), real(1, 19, 3, 5))
layer("conv2d_groups", lambda: nn.Conv2d(6, 12, 3, groups=3), real(2, 6, 7, 6))
layer("conv2d_depthwise", lambda: nn.Conv2d(11, 11, 5, stride=2, padding=2, groups=11), real(1, 11, 9, 10))
layer("conv2d_patches", lambda: nn.Conv2d(3, 18, 4, stride=4), real(1, 3, 8, 12))
layer("conv1d", lambda: nn.Conv1d(4, 6, 5, stride=2, padding=2), real(3, 4, 29))
layer("conv3d", lambda: nn.Conv3d(2, 4, 3, padding=1), real(1, 2, 4, 6, 5))
layer("conv_transpose2d", lambda: nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1), real(2, 4, 5, 6))


@op(real(1, 64, 5, 9), real(5, 64, 3, 3), real(1, 24, 2, 5, 4), real(18, 24, 3, 3, 3), real(5))
def conv_windows_outside(x, w, y, v, b):
    """Taps that lie outside of the image for all pixels of a row, of a depth, or for a corner."""
    w, v = w / 8, v / 8
    planes = [F.conv2d(x, w, b, padding=d, dilation=d) for d in (1, 3, 4)] + [F.conv2d(x, w, padding=(4, 1), stride=(1, 2))]
    return *planes, F.conv3d(y, v, padding=1).relu(), F.conv3d(y, v, padding=2, stride=2), F.conv_transpose3d(y, v.transpose(0, 1))


@op(real(2, 3, 5, 7), real(4, 3, 3, 3), real(4))
def conv2d_weight_as_input(x, w, b):
    return F.conv2d(x, w, b, padding=1), F.conv2d(x[0], w)


@op(shuffled(1, 3, 9, 11))
def max_pools(x):
    plain = F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, (2, 3), ceil_mode=True), F.max_pool2d(x, 2, 1, dilation=2)
    return *plain, F.max_pool1d(x[0], 4, 2)


@op(shuffled(1, 2, 7, 9))
def max_pools_with_indices(x):
    return *F.max_pool2d(x, 3, 2, 1, return_indices=True), *F.adaptive_max_pool2d(x, (2, 3), return_indices=True)


@op(whole(2, 2, 9, 31, low=-2, high=3), whole(2, 2, 9, 31, low=0, high=12))
def places_of_equals_and_nan(x, which):
    """The first of equals, the last NaN; in the padding never."""
    x = x.float().masked_fill(which < 3, -float("inf")).masked_fill(which == 0, float("nan"))
    windows = F.max_pool2d(x, 3, 2, 1, return_indices=True), F.max_pool2d(x, (2, 29), 1, return_indices=True)
    line, cube = x.flatten(2), x[:, None]
    more = F.max_pool1d(line, 40, 3, 20, return_indices=True), F.max_pool3d(cube, (1, 2, 3), (1, 2, 1), (0, 1, 1), return_indices=True)
    adaptive = F.adaptive_max_pool2d(x, (4, 5), return_indices=True), F.adaptive_max_pool1d(line, 7, return_indices=True)
    return *(part for pair in (*windows, *more, *adaptive) for part in pair), F.max_pool3d(cube, 2, 1, 1)


@op(real(2, 8, 5, 6), real(8, 3, 4, 3), real(8, 2, 2, 3), real(3), real(1, 8, 3, 4, 5), real(8, 1, 3, 2, 3))
def transposed_to_few_channels(x, w, apart, b, volume, cube):
    line = F.conv_transpose1d(x[:, :, 0], w[..., 0], b, 3, 1, 2), F.conv_transpose1d(x[:, :, 0], w[:, :, 0], None, 1, 0, 0, 1, 3)
    image = F.conv_transpose2d(x, w, b, (2, 1), (1, 2), (1, 0), 1, (1, 2)).relu(), F.conv_transpose2d(x, apart, None, (2, 3))
    return *line, *image, F.conv_transpose3d(volume, cube, b[:1], (2, 1, 2), (1, 0, 1), (1, 0, 0))


@op(real(2, 8, 5, 6), real(8, 2, 3, 2), real(8, 3, 2, 3), real(16), real(1, 8, 3, 4, 5), real(8, 4, 3, 2, 3))
def transposed_in_groups(x, w, few, b, volume, cube):
    """Of several channels and of one, with gaps, of one tap, which may lie outside."""
    channels = F.conv_transpose2d(x, w, b, 2, 1, 1, 8), F.conv_transpose1d(x[:, :, 0], w[..., 0], None, 3, 2, 0, 8, 3).relu()
    groups = F.conv_transpose2d(x, few, b[:12], (2, 3), 0, (1, 2), 4), F.conv_transpose2d(x, few, b[:12], 1, 0, 0, 4, (2, 1))
    solid = F.conv_transpose3d(volume, cube, b[:8], (2, 1, 2), (1, 0, 1), (1, 0, 0), 2), F.conv_transpose3d(volume, cube[:, :1], None, 1, 1, 0, 8)
    tap = F.conv_transpose2d(x, w[..., :1, :1], b, (3, 1), (4, 1), (1, 0), 8), F.conv_transpose1d(x[:, :, 0], few[..., 0, :1], b[:3], 2)
    return *channels, *groups, *solid, *tap, F.conv_transpose3d(volume, cube[..., :1, :1, :1], b[:8], (1, 2, 3), (0, 1, 0), (0, 1, 2), 2)


@op(real(2, 5, 6, 7), real(2, 4, 9, 2), real(1, 4, 3, 4, 5), real(1, 2, 3, 4, 3))
def channels_sampled_at_the_same_places(x, grid, volume, places):
    """Inside, outside and far outside, at NaN, with a pixel that is infinite; of strides, too."""
    far = torch.where(grid.abs() > 1.5, grid * 37, grid).masked_fill(grid > 2, float("nan"))
    x = x.masked_fill(x > 2, float("inf"))
    each = [F.grid_sample(x, g, mode, padding, corners) for g in (grid, far) for mode in ("bilinear", "nearest")
            for padding, corners in (("zeros", False), ("border", True), ("reflection", False))]
    turned = F.grid_sample(x.mT, grid), F.grid_sample(x[..., ::2], grid), F.grid_sample(x.double().relu(), grid.double())
    return *each, *turned, F.grid_sample(volume, places), F.grid_sample(volume, places, "nearest", "border", True)


@op(real(1, 3, 9, 11))
def average_pools(x):
    plain = F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)
    return *plain, F.avg_pool2d(x, 2, divisor_override=3), F.avg_pool1d(x[0], 3), F.avg_pool2d(x[0], (1, 4))


@op(real(2, 3, 9, 11))
def adaptive_average_pools(x):
    return F.adaptive_avg_pool2d(x, 1), F.adaptive_avg_pool2d(x, (4, 3)), F.adaptive_avg_pool1d(x[0], 5)


@op(real(1, 3, 5, 6))
def resample_nearest(x):
    return F.interpolate(x, scale_factor=2), F.interpolate(x, size=(7, 4)), F.interpolate(x[0], scale_factor=1.5)


@op(real(1, 3, 5, 6))
def resample_bilinear(x):
    def scaled(**how):
        return F.interpolate(x, mode="bilinear", **how)

    aligned = scaled(size=(9, 11), align_corners=True)
    return scaled(scale_factor=2), scaled(size=(9, 4)), aligned, scaled(scale_factor=0.7)


@op(real(1, 8, 3, 4))
def pixel_shuffles(x):
    return F.pixel_shuffle(x, 2), F.pixel_unshuffle(x.reshape(1, 4, 6, 4), 2), F.channel_shuffle(x, 4)


# ---- matrix products ----


@op(real(7, 21), real(21, 18), real(18))
def matrix_products(a, b, c):
    return a @ b, torch.addmm(c, a, b), torch.addmm(c, a, b, beta=0.5, alpha=2), a.t() @ a, torch.mm(a, b).relu()


@op(real(5, 4, 17), real(5, 17, 6), real(5, 4, 6))
def batched_products(a, b, c):
    summed = torch.baddbmm(c, a, b, beta=2, alpha=0.1)
    return torch.bmm(a, b), summed, a @ a.transpose(1, 2), torch.einsum("bik,bkj->bji", a, b)


@op(real(3, 1, 4, 6), real(2, 6, 5), real(6), real(4, 6))
def broadcast_products(a, b, v, m):
    return a @ b, a @ v, m @ v, v @ b, v @ v, m.mv(v), torch.outer(v, v), a @ m.t(), torch.einsum("abij,kj->abki", a, m)


@op(real(33, 35), real(21, 35), real(21), real(2, 3, 35))
def linears(x, w, b, y):
    return F.linear(x, w, b), F.linear(x, w), F.linear(y, w, b), F.linear(y[0, 0], w), F.linear(x[:1], w, b)


@op(whole(4, 5), whole(5, 3), real(4, 5, dtype=f64), real(5, 3, dtype=f64))
def products_of_other_types(k, l, a, b):
    return k @ l, a @ b, a.float() @ b.float()


# ---- indexing ----

layer("embedding", lambda: nn.Embedding(23, 9, padding_idx=3), whole(4, 6, low=0, high=23))


@op(real(6, 7, 5), whole(4, low=-6, high=6), whole(4, low=0, high=5))
def index_with_tensors(x, i, j):
    return x[i], x[:, :, j], x[i, :, j], x[i[:, None], j], x[2, i.abs() % 7], x[None, i, 1:4]


@op(real(6, 7), whole(4, low=0, high=6), whole(6, 3, low=0, high=7))
def gathers(x, i, j):
    return x.index_select(0, i), x.gather(1, j), torch.take_along_dim(x, j, 1), x.take(j), F.one_hot(i, 8)


@op(real(6, 7), real(6, 3), whole(2, low=0, high=6), real(2, 7))
def scatters(x, y, i, z):
    j = torch.arange(18).reshape(6, 3) * 2 % 7
    written = x.scatter(1, j, y), x.scatter(1, j, 0.5), x.scatter_add(1, j % 4, y)
    return *written, x.index_add(0, i, z), x.index_fill(1, i, 1.0), x.index_copy(0, torch.tensor([4, 1]), z)


@op(real(6, 7), whole(9, low=0, high=6), whole(9, low=0, high=7), real(9), truth(6, 7))
def index_puts(x, i, j, v, m):
    added = x.index_put((i, j), v, accumulate=True)
    return added, x.index_put((torch.tensor([0, 5]),), torch.tensor(2.0)), x.index_put((m,), torch.tensor(-1.0))


@op(real(6, 7), real(2, 7), real(6))
def partial_writes(x, rows, column):
    return x.slice_scatter(rows, 0, 1, 5, 2), x.select_scatter(column, 1, -1), x.diagonal_scatter(column)


@op(shuffled(5, 17))
def topk_and_sort(x):
    largest, smallest = x.topk(4), x.topk(3, 0, largest=False)
    return *largest, *smallest, *x.sort(1), *x.sort(stable=True, dim=0, descending=True), x.argsort(1)


@op(shuffled(5, 17))
def order_statistics(x):
    return *x.kthvalue(3), *x.median(1), x.median()


@op(values(-1.0, 0.5, 2.0, 9.0), real(3, 8, low=-3, high=11))
def buckets(edges, x):
    right = torch.searchsorted(edges, x, right=True)
    return torch.bucketize(x, edges), right, torch.bucketize(x, edges, out_int32=True)


@op(whole(4, 9, low=-2, high=3), shuffled(3, 17), values(3.0, NAN, -INF, 0.0, NAN, INF, -1.0, 2.0))
def orders(k, x, odd):
    places = k.sort(stable=True, descending=True).indices, torch.argsort(k.t(), dim=0, stable=True)
    best = *odd.topk(3), *odd.topk(3, largest=False), x.topk(0).values
    return *places, *best, torch.msort(x), k.mode().values, k.mode(0, True).values, odd.nanmedian(), odd.median()


@op(shuffled(3, 17), values(0.1, 0.5, 0.9), values(3.0, NAN, -1.0, 0.25, NAN, 2.0))
def quantiles(x, q, odd):
    modes = [x.quantile(q, 1, interpolation=mode) for mode in ("linear", "lower", "higher", "nearest", "midpoint")]
    return *modes, x.quantile(0.3), x.quantile(q, 0, keepdim=True), odd.nanquantile(q), odd.quantile(0.5)


@op(real(3, 37), whole(5, 19), values(1.0, NAN, -INF, 3.0, 3.0, -2.0, NAN, 9.0))
def running(x, k, odd):
    long = torch.arange(70000) % 31
    extremes = *x.cummax(1), *k.cummin(0), *odd.cummax(0), k.cumprod(1), k.cumsum(0, dtype=torch.float32)
    integrals = torch.cumulative_trapezoid(x, dx=0.5), torch.cumulative_trapezoid(x, x.exp(), dim=0)
    fused = torch.softmax(x, 1).cumsum(1) < 0.5, (x * 2 + 1).cumsum(0).diff(dim=0), long.cumsum(0)[::997]
    return *extremes, x.logcumsumexp(1), x.logcumsumexp(0), x.half().cumsum(1), *integrals, *fused


@op(shuffled(4, 13), real(4, 6), whole(7, low=0, high=5))
def searches(edges, x, k):
    places = edges.argsort(1)
    found = torch.searchsorted(edges, x, sorter=places), torch.searchsorted(edges.sort(1).values, x, side="right")
    return *found, torch.bucketize(0.5, edges[0].sort().values), torch.isin(k, k[:3], invert=True), torch.isin(k, 2)


@op(real(6, 5), whole(11, low=0, high=6), values(0, 3, 3, 8, dtype=i64), real(11), real(11, 2))
def segments(table, index, offsets, weight, rows):
    bag = functools.partial(F.embedding_bag, index, table, offsets)
    bags = bag(mode="sum", per_sample_weights=weight), bag(mode="mean", padding_idx=-2), bag(mode="max")
    lengths = torch.tensor([4, 0, 7])
    reduce = torch.segment_reduce
    return *bags, *(reduce(rows, kind, lengths=lengths, initial=1) for kind in ("sum", "mean", "max", "min", "prod"))


@op(real(6, 37), whole(4, 5, low=0, high=6), real(4, 5))
def bags_alike(table, index, weight):
    """Bags of as many rows each: rows of a matrix of indices; one bag."""
    bag, one = functools.partial(F.embedding_bag, index), F.embedding_bag(index[:1], table, mode="sum")
    sums = bag(table, mode="sum", per_sample_weights=weight), bag(table, mode="sum", padding_idx=2)
    means = bag(table, mode="mean"), bag(table, mode="mean", padding_idx=-2), F.embedding_bag(index[:2] * 0, table, padding_idx=0)
    halves = bag(table.to(f16), mode="sum")
    return *sums, *means, halves, bag(table, mode="max"), one.relu()


@op(real(6, 2, 3), values(0, 2, 2, 6, dtype=i64), real(3, 4))
def jagged_rows(rows, offsets, dense):
    """Rows of nested tensors, padded to one length (longer ones are cut), and back."""
    pad, unpad = torch.ops.aten._jagged_to_padded_dense_forward, torch.ops.aten._padded_dense_to_jagged_forward
    padded = pad(rows, [offsets], [4], -1.5), pad(rows[:, 0], [offsets.int()], [3]), pad(rows[:, 0, 0] > 0, [offsets], [2], 1.0)
    return *padded, unpad(padded[0] * 2, [offsets], 6), unpad(dense, [offsets]).cumsum(0)


@op(real(6, 3), whole(6, low=1, high=6), values(0, 2, 2, 4, 6, dtype=i64))
def segments_of_halves(table, index, offsets):
    """Zeros, least numbers and infinities among what bags give in 16 bits."""
    table = torch.cat([table[:1] * 0, table[1:2] * 6e-8, -table[1:2] * 0, table[3:] * 7e4])
    kinds = [(table.to(dtype), mode) for dtype in (f16, bf16) for mode in ("sum", "mean", "max")]
    return [F.embedding_bag(index, t, offsets, mode=mode) for t, mode in kinds]


@op(real(60), real(20, 2))
def histograms(x, points):
    together, edges = torch.histogramdd(points, [3, 4], density=True)
    return x.histc(7), *x.histogram(5), *x.histogram(x[:9].sort().values), together, *edges


# ---- attention ----


@op(real(1, 2, 9, 12), real(1, 2, 9, 12), real(1, 2, 9, 12))
def attention(q, k, v):
    sdpa = F.scaled_dot_product_attention
    return sdpa(q, k, v), sdpa(q, k, v, is_causal=True), sdpa(q, k, v, scale=0.3), sdpa(q[:, :, :4], k, v)


@op(real(2, 2, 5, 8), real(2, 2, 7, 8), real(2, 2, 7, 12), real(1, 1, 5, 7), truth(2, 1, 1, 7))
def attention_masks(q, k, v, bias, seen):
    sdpa = F.scaled_dot_product_attention
    return sdpa(q, k, v, bias), sdpa(q, k, v, seen), sdpa(q, k, v, seen.logical_and(bias > 0))


@op(real(1, 6, 5, 8), real(1, 2, 5, 8), real(1, 2, 5, 8))
def attention_shared_heads(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)


# ---- sizes that values decide ----


@op(real(9, 3), whole(3, 3, 3), real(2, 5))
def diagonals_filled(x, cube, wide):
    tall, part, turned = x.clone(), torch.stack([x, x]), wide.clone()
    part[1, ::2].fill_diagonal_(0.5)
    turned.t().fill_diagonal_(-1)
    return tall.fill_diagonal_(2.5, wrap=True), cube.clone().fill_diagonal_(7), part, turned


@op(truth(4, 5), whole(3, 2, 2, low=0, high=2), values(3.0, 0.0, float("nan"), -0.0))
def places_of_nonzero(mask, x, y):
    both = torch.nonzero_static(x, size=3), torch.nonzero_static(y, size=6, fill_value=-9)
    return mask.nonzero(), *torch.where(x), torch.argwhere(y), *y.nonzero(as_tuple=True), *both


@op(real(4, 5), truth(4, 5), truth(5), real(4, 5, 3), truth(4))
def masks_as_indices(x, m, row, volume, rows):
    y = x.clone()
    y[m] = y[m] * 2
    y[rows, 1] = 0.5
    picked = x[m], x[:, row], x[1, row], volume[m], volume[rows, :, 1], volume[:, row, 2]
    return *picked, x.masked_select(row), y, x.masked_scatter(m, volume), x.index_put((m,), x[0, :1], True)


@op(whole(17, low=-2, high=3), values(2.0, NAN, -0.0, 0.0, NAN, 2.0, INF), whole(6, 2, 2, low=0, high=2), truth(9))
def unique_values(x, y, rows, flags):
    torch_unique = torch.unique(x, return_inverse=True, return_counts=True), torch.unique(y, return_counts=True)
    whole_rows = torch.unique(rows, dim=0, return_inverse=True), torch.unique(rows, dim=1, return_counts=True)
    return *torch_unique, *whole_rows, torch.unique(flags), torch.unique(rows, sorted=False, return_inverse=True)


@op(whole(17, low=0, high=2), whole(6, 2, low=0, high=2), values(1.0, 1.0, NAN, NAN, 0.0, -0.0))
def unique_runs(x, rows, y):
    runs = torch.unique_consecutive
    whole_rows = runs(rows, dim=0, return_inverse=True, return_counts=True)
    return *runs(x, return_inverse=True, return_counts=True), *whole_rows, runs(y, return_counts=True), runs(rows)


@op(whole(5, low=0, high=4), real(5, 3), real(3, 5), whole(11, low=0, high=7), real(11))
def counts_and_repeats(times, x, y, numbers, weights):
    repeated = x.repeat_interleave(times, 0), y.repeat_interleave(times, 1), torch.repeat_interleave(times)
    counted = numbers.bincount(), numbers.bincount(minlength=20), numbers.bincount(weights), numbers.int().bincount()
    return *repeated, y.repeat_interleave(times[0]), *counted


@op(real(7, 3), whole(3, low=-9, high=9), real(4, 0), truth(5), real(2, 40))
def ramps_and_parts(x, places, nothing, flags, signal):
    ramps = [torch.linspace(0.9, 10.9, 5, dtype=torch.int64), torch.linspace(1 + 2j, 3 - 1j, 4)]
    ramps += [torch.logspace(4.9, 3, 5, 3, dtype=torch.int32), torch.logspace(2, 1.2, 2, dtype=torch.int64)]
    norms = [torch.linalg.matrix_norm(nothing, order) for order in ("nuc", 2, 1, float("inf"))]
    pairs = torch.stft(signal, 8, 4, window=torch.hann_window(8), return_complex=False)
    return *ramps, *x.tensor_split(places), *norms, flags.square(), x.abs().polygamma_(1), pairs


@op(real(3, 4), real(3, 4))
def variances_of_complex(x, y):
    a, b = torch.complex(x, y), torch.complex(y, x)
    near = torch.isclose(a, a * (1 + 1e-6)), torch.isclose(a, b, equal_nan=True)
    return *torch.var_mean(a, 1), a.std(0), a.var((0, 1), correction=0), *near, torch.logaddexp(a, b)


@op(whole(3, 4), truth(3, 4))
def means_of_integers(x, mask):
    widths = mask.mean(dtype=torch.float32), x.mean(1, dtype=torch.float64), x.to(torch.int8).mean((0, 1), True, dtype=torch.float32)
    return *widths, x.mean(dtype=torch.complex64), torch.ldexp(x, mask)
