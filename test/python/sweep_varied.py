"""Operators with parameters drawn by chance: strides, gaps, windows, dimensions and sizes that no table of one case each has.

For sweep_ops.py --varied SEED. A seed gives the same cases everywhere.
"""

import random


class Draw:
    """What one case is made of: each method draws from its own random numbers."""

    def __init__(self, torch, seed):
        self.torch = torch
        self.random = random.Random(seed)
        torch.manual_seed(self.random.getrandbits(32))

    def one(self, *values):
        return self.random.choice(values)

    def shape(self, rank, elements):
        """Sizes whose product is within a factor of two of `elements`, odd ones and powers of two alike."""
        sizes = []
        for left in range(rank, 0, -1):
            size = max(1, round(elements ** (1 / left) * self.random.uniform(0.25, 2.5))) if left > 1 else max(1, round(elements))
            if self.random.random() < 0.5:
                size = 1 << max(0, size.bit_length() - 1)
            sizes.append(size)
            elements /= size
        self.random.shuffle(sizes)
        return sizes

    def data(self, *sizes, dtype=None):
        return self.torch.randn(*sizes).to(dtype or self.torch.float32)

    def any(self, elements=None, ranks=(1, 2, 3, 4)):
        """A tensor of some rank; every fifth is seen through a permutation, as views in models are."""
        shape = self.shape(self.one(*ranks), elements or self.one(3e3, 5e4, 8e5))
        x = self.data(*shape)
        if len(shape) > 1 and self.random.random() < 0.2:
            order = list(range(len(shape)))
            self.random.shuffle(order)
            return x.permute(order)
        return x

    def dims(self, x):
        count = self.random.randint(1, x.dim())
        return sorted(self.random.sample(range(x.dim()), count))

    def dim(self, x):
        return self.random.randrange(x.dim())

    def image(self, spatial=2):
        channels = self.one(1, 3, 4, 6, 8, 16, 20, 24, 32, 48, 64, 96)
        sizes = {1: (50, 128, 400, 1500), 2: (7, 14, 15, 28, 33, 56, 80), 3: (4, 7, 8, 16, 20)}[spatial]
        return self.data(self.one(1, 1, 2, 8), channels, *(self.one(*sizes) for _ in range(spatial)))


def cases(torch):
    F, nn = torch.nn.functional, torch.nn
    made = {}

    def case(make):
        made[make.__name__] = make
        return make

    def convolution(d, spatial, transposed=False):
        x = d.image(spatial)
        channels = x.shape[1]
        groups = d.one(1, 1, 1, channels, *(g for g in (2, 4, 8) if channels % g == 0))
        out = groups * d.one(1, 2, 4, 5, 8, 16, 24, 32) if groups < channels or channels == 1 else channels * d.one(1, 1, 2)
        out = min(out, groups * max(1, 256 // groups))
        kernel = [d.one(1, 2, 3, 3, 4, 5, 7) for _ in range(spatial)] if d.one(0, 0, 1) else d.one(1, 3, 3, 5, 7 if spatial < 3 else 2)
        stride, gap = d.one(1, 1, 2, 3), d.one(1, 1, 1, 2, 3)
        kind = getattr(nn, f"Conv{'Transpose' if transposed else ''}{spatial}d")
        largest = max(kernel) if isinstance(kernel, list) else kernel
        padding = d.one(0, largest // 2)
        while not transposed and min(x.shape[2:]) + 2 * padding <= gap * (largest - 1):
            gap, padding = 1, largest
        return kind(channels, out, kernel, stride, padding, dilation=gap, groups=groups), x

    for spatial in (1, 2, 3):
        made[f"conv{spatial}d"] = lambda d, n=spatial: convolution(d, n)
        made[f"conv_transpose{spatial}d"] = lambda d, n=spatial: convolution(d, n, True)

    def pool(d, kind, spatial):
        x = d.image(spatial)
        kernel = d.one(2, 3, 4) if spatial == 3 else d.one(2, 3, 3, 5, 7)
        return getattr(F, f"{kind}_pool{spatial}d"), x, kernel, d.one(1, 2, kernel), kernel // 2

    for spatial in (1, 2, 3):
        def averaged(d, n=spatial):
            f, x, kernel, stride, padding = pool(d, "avg", n)
            counts = d.one(True, False)
            return (lambda x: f(x, kernel, stride, padding, count_include_pad=counts)), x

        def largest(d, n=spatial):
            f, x, kernel, stride, padding = pool(d, "max", n)
            gap, places = d.one(1, 1, 2) if min(x.shape[2:]) > 13 else 1, d.one(True, False)
            return (lambda x: f(x, kernel, stride, padding, gap, return_indices=places)), x

        def adaptive(d, n=spatial):
            f = getattr(F, f"adaptive_{d.one('avg', 'max')}_pool{n}d")
            size = d.one(1, 2, 3, 5, 7)
            return (lambda x: f(x, size)), d.image(n)
        made[f"avg_pool{spatial}d"], made[f"max_pool{spatial}d"], made[f"adaptive_pool{spatial}d"] = averaged, largest, adaptive

    @case
    def unfold(d):
        k, s, p, g = d.one(2, 3, 3, 5), d.one(1, 2, 3), d.one(0, 1, 2), d.one(1, 1, 2)
        return (lambda x: F.unfold(x, k, g, p, s)), d.data(d.one(1, 4), d.one(3, 16, 48), d.one(14, 28, 40), d.one(14, 28, 40))

    @case
    def fold(d):
        size, k, s, p, g = d.one(14, 28, 40), d.one(2, 3, 3, 5), d.one(1, 2, 3), d.one(0, 1), d.one(1, 1, 2)
        count = (size + 2 * p - g * (k - 1) - 1) // s + 1
        return (lambda x: F.fold(x, size, k, g, p, s)), d.data(d.one(1, 4), d.one(3, 16, 48) * k * k, count * count)

    @case
    def pad(d):
        x = d.image(d.one(1, 2, 3))
        sides = [d.one(0, 1, 2, 3) for _ in range(2 * (x.dim() - 2))]
        mode = d.one("constant", "reflect", "replicate", "circular")
        return (lambda x: F.pad(x, sides, mode)), x

    @case
    def interpolate(d):
        n = d.one(1, 2, 2, 2, 3)
        mode = d.one("nearest", "nearest-exact", {1: "linear", 2: "bilinear", 3: "trilinear"}[n], "bicubic" if n == 2 else "area")
        corners = d.one(True, False) if mode[-6:] in ("linear", "cubic") else None
        scale, smooth = d.one(0.5, 0.7, 1.5, 2, 3), mode in ("bilinear", "bicubic") and d.one(True, False, False)
        return (lambda x: F.interpolate(x, scale_factor=scale, mode=mode, align_corners=corners, antialias=smooth)), d.image(n)

    @case
    def grid_sample(d):
        x = d.image(2)
        mode, edge, corners = d.one("bilinear", "nearest", "bicubic"), d.one("zeros", "border", "reflection"), d.one(True, False)
        return (lambda x, g: F.grid_sample(x, g, mode, edge, corners)), x, d.data(x.shape[0], d.one(14, 28), d.one(14, 28), 2)

    @case
    def pixel_shuffle(d):
        n = d.one(2, 3, 4)
        if d.one(True, False):
            return (lambda x: F.pixel_shuffle(x, n)), d.data(d.one(1, 4), n * n * d.one(1, 3, 16), d.one(14, 28), d.one(14, 28))
        return (lambda x: F.pixel_unshuffle(x, n)), d.data(d.one(1, 4), d.one(1, 3, 16), n * d.one(7, 14), n * d.one(7, 14))

    for name in ("sum", "mean", "amax", "var", "std", "logsumexp", "prod", "argmin", "all", "norm", "median", "nansum", "count_nonzero"):
        def reduced(d, name=name):
            x = d.any()
            if name in ("prod", "argmin", "all", "median"):
                dims = d.dim(x)
                if name == "all":
                    x = x > -9
            else:
                dims = d.dims(x)
            if name in ("var", "std") and all(x.shape[i] < 2 for i in dims):
                dims = list(range(x.dim()))
            if name == "norm":
                order = d.one(1, 2, 2, 3, float("inf"))
                return (lambda x: torch.linalg.vector_norm(x, order, dims)), x
            return (lambda x: getattr(torch, name)(x, dims)), x
        made["reduce_" + name] = reduced

    for name in ("softmax", "log_softmax", "softmin", "normalize", "glu"):
        def along(d, name=name):
            x = d.any(ranks=(2, 3, 4))
            dim = d.dim(x)
            if name == "glu":
                x = torch.cat([x, x], dim)
            return (lambda x: getattr(F, name)(x, dim=dim)), x
        made[name] = along

    for name in ("cumsum", "cumprod", "cummax", "logcumsumexp", "sort", "argsort", "flip", "diff", "kthvalue", "topk", "unbind", "mode"):
        def scanned(d, name=name):
            x = d.any(ranks=(1, 2, 3))
            dim = d.dim(x)
            size = x.shape[dim]
            if name == "topk":
                k, largest = d.random.randint(1, min(size, 64)), d.one(True, False)
                return (lambda x: torch.topk(x, k, dim, largest)), x
            if name == "kthvalue":
                k = d.random.randint(1, size)
                return (lambda x: torch.kthvalue(x, k, dim)), x
            if name == "unbind":
                return (lambda x: sum(torch.unbind(x, dim)[:8])), x if size < 100 else d.data(3, 5, 7)
            if name in ("sort", "argsort"):
                down, stable = d.one(True, False), d.one(True, False)
                return (lambda x: getattr(torch, name)(x, dim=dim, descending=down, stable=stable)), x
            if name == "mode":
                x = (x * 3).round()
            return (lambda x: getattr(torch, name)(x, dim=dim) if name != "flip" else torch.flip(x, [dim])), x
        made[name] = scanned

    @case
    def layer_norm(d):
        x = d.any(ranks=(2, 3, 4))
        over = list(x.shape[d.random.randint(1, x.dim() - 1):])
        return nn.LayerNorm(over), x

    @case
    def group_norm(d):
        x = d.image(d.one(1, 2, 3))
        return nn.GroupNorm(d.one(*(g for g in (1, 2, 4, 8, x.shape[1]) if x.shape[1] % g == 0)), x.shape[1]), x

    @case
    def batch_norm(d):
        n = d.one(1, 2, 3)
        x = d.image(n)
        return getattr(nn, f"{d.one('Batch', 'Instance')}Norm{n}d")(x.shape[1]), x

    @case
    def permute(d):
        x = d.data(*d.shape(d.one(2, 3, 4, 5), d.one(3e3, 5e4, 8e5)))
        order = list(range(x.dim()))
        d.random.shuffle(order)
        return (lambda x: x.permute(order).contiguous()), x

    @case
    def cat(d):
        x = d.any()
        dim, count = d.dim(x), d.one(2, 3, 5)
        return (lambda *xs: torch.cat(xs, dim)), *(d.data(*x.shape) for _ in range(count))

    @case
    def stack(d):
        x = d.any(5e4)
        dim, count = d.random.randint(0, x.dim()), d.one(2, 3, 5)
        return (lambda *xs: torch.stack(xs, dim)), *(d.data(*x.shape) for _ in range(count))

    @case
    def roll(d):
        x = d.any()
        dim = d.dim(x)
        step = d.random.randint(-x.shape[dim], x.shape[dim])
        return (lambda x: torch.roll(x, step, dim)), x

    @case
    def repeat(d):
        x = d.any(d.one(1e3, 5e4))
        times = [d.one(1, 1, 2, 3) for _ in x.shape]
        return (lambda x: x.repeat(times)), x

    @case
    def repeat_interleave(d):
        x = d.any(d.one(1e3, 5e4))
        dim, n = d.dim(x), d.one(2, 3, 4)
        return (lambda x: torch.repeat_interleave(x, n, dim)), x

    @case
    def slice_with_step(d):
        x = d.any()
        step = d.one(2, 3, 5)
        where = tuple(slice(None, None, step if d.one(True, False) else 1) for _ in x.shape)
        return (lambda x: x[where] * 2), x

    @case
    def add_broadcast(d):
        x = d.data(*d.shape(d.one(2, 3, 4), d.one(5e4, 8e5)))
        other = [n if d.one(True, False) else 1 for n in x.shape]
        return (lambda x, y: x + y), x, d.data(*other)

    @case
    def where(d):
        x = d.any()
        return (lambda x, y: torch.where(x > 0, x, y)), x, d.data(*[n if d.one(True, False) else 1 for n in x.shape])

    def positions(d, high, *sizes):
        return torch.randint(0, high, sizes)

    @case
    def gather(d):
        x = d.any()
        dim = d.dim(x)
        sizes = list(x.shape)
        sizes[dim] = d.one(1, 4, sizes[dim])
        return (lambda x, i: torch.gather(x, dim, i)), x, positions(d, x.shape[dim], *sizes)

    @case
    def scatter_add(d):
        x = d.any()
        dim = d.dim(x)
        return (lambda x, i, s: torch.scatter_add(x, dim, i, s)), x, positions(d, x.shape[dim], *x.shape), d.data(*x.shape)

    @case
    def scatter_reduce(d):
        x = d.any()
        dim, way = d.dim(x), d.one("sum", "amax", "mean", "prod")
        return (lambda x, i, s: torch.scatter_reduce(x, dim, i, s, way)), x, positions(d, x.shape[dim], *x.shape), d.data(*x.shape)

    @case
    def index_select(d):
        x = d.any()
        dim = d.dim(x)
        return (lambda x, i: torch.index_select(x, dim, i)), x, positions(d, x.shape[dim], d.one(1, 17, x.shape[dim]))

    @case
    def index_add(d):
        x = d.any()
        dim = d.dim(x)
        sizes = list(x.shape)
        sizes[dim] = d.one(3, 64, 500) if x.numel() < 1e5 else 16
        return (lambda x, i, s: torch.index_add(x, dim, i, s)), x, positions(d, x.shape[dim], sizes[dim]), d.data(*sizes)

    @case
    def index_pair(d):
        x = d.any(ranks=(2, 3))
        n = d.one(10, 200, 3000)
        return (lambda x, i, j: x[i, j]), x, positions(d, x.shape[0], n), positions(d, x.shape[1], n)

    @case
    def index_put(d):
        x = d.any(ranks=(2, 3))
        n, sums = d.one(10, 200, 1000), d.one(True, False)
        i = torch.randperm(x.shape[0])[:n]
        return (lambda x, i, v: torch.index_put(x, (i,), v, sums)), x, i, d.data(len(i), *x.shape[1:])

    @case
    def masked_fill(d):
        x = d.any()
        return (lambda x, m: x.masked_fill(m, 2.0)), x, d.data(*[n if d.one(True, False) else 1 for n in x.shape]) > 0

    @case
    def embedding(d):
        return (lambda i, w: F.embedding(i, w)), positions(d, 1000, *d.shape(d.one(1, 2), d.one(8, 300, 3000))), d.data(1000, d.one(1, 5, 32, 100, 512))

    @case
    def embedding_bag(d):
        width, bag, mode = d.one(8, 32, 100, 512), d.one(1, 5, 30), d.one("sum", "mean", "max")
        return (lambda i, w: F.embedding_bag(i, w, mode=mode)), positions(d, 1000, d.one(1, 20, 200), bag), d.data(1000, width)

    @case
    def matmul(d):
        m, k, n = (d.one(1, 2, 3, 5, 8, 17, 33, 64, 100, 256, 500) for _ in range(3))
        a = d.data(m, k) if d.one(True, True, False) else d.data(k, m).T
        return torch.matmul, a, d.data(k, n) if d.one(True, True, False) else d.data(n, k).T

    @case
    def linear(d):
        k, n = d.one(3, 10, 32, 100, 384, 1000), d.one(1, 7, 10, 64, 200, 1000)
        return nn.Linear(k, n), d.data(*d.one((1,), (4,), (1, 33), (8, 50), (300,)), k)

    @case
    def bmm(d):
        b = d.one(2, 12, 64, 500)
        m, k, n = (d.one(1, 3, 4, 8, 16, 31, 64) for _ in range(3))
        a = d.data(b, m, k) if d.one(True, False) else d.data(b, k, m).mT
        return torch.bmm, a, d.data(b, k, n) if d.one(True, False) else d.data(b, n, k).mT

    @case
    def einsum(d):
        rule, shapes = d.one(("bhid,bhjd->bhij", ("bhid", "bhjd")), ("bij,bjk->bik", ("bij", "bjk")), ("bi,bj->bij", ("bi", "bj")),
                             ("bijc,bkjc->bikc", ("bijc", "bkjc")), ("nd,md->nm", ("nd", "md")), ("bcij,c->bij", ("bcij", "c")),
                             ("bic,cd->bid", ("bic", "cd")), ("bhwc,hkc->bhwk", ("bhwc", "hkc")), ("ij,kj,lk->il", ("ij", "kj", "lk")))
        sizes = {letter: d.one(2, 5, 8, 16, 30) for letter in "bhijkcdnmwl"}
        return (lambda *xs: torch.einsum(rule, *xs)), *(d.data(*(sizes[letter] for letter in shape)) for shape in shapes)

    @case
    def attention(d):
        b, heads, width = d.one(1, 2, 8), d.one(1, 3, 8, 12), d.one(4, 16, 32, 64, 80, 128)
        q, k, causal = d.one(1, 7, 64, 197), d.one(7, 64, 197, 400), False
        if d.one(True, False):
            k, causal = q, True
        return ((lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal)),
                d.data(b, heads, q, width), d.data(b, heads, k, width), d.data(b, heads, k, width))

    @case
    def recurrent(d):
        kind = d.one(nn.LSTM, nn.GRU, nn.RNN)
        width = d.one(8, 20, 64, 128, 300)
        both, layers = d.one(True, False), d.one(1, 2)
        return kind(width, width, layers, batch_first=True, bidirectional=both), d.data(d.one(1, 3, 16), d.one(1, 5, 30), width)

    @case
    def cdist(d):
        k, p = d.one(2, 3, 16, 64), d.one(1.0, 2.0, 3.0)
        return (lambda x, y: torch.cdist(x, y, p)), d.data(d.one(20, 300), k), d.data(d.one(17, 256), k)

    @case
    def fourier(d):
        x = d.any(ranks=(1, 2, 3))
        dim, f = d.dim(x), d.one(torch.fft.rfft, torch.fft.fft, torch.fft.ihfft)
        return (lambda x: f(x, dim=dim)), x

    @case
    def losses(d):
        f = d.one(F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss, F.binary_cross_entropy_with_logits, F.kl_div)
        x = d.any()
        return (lambda x, y: f(x, y)), x, torch.rand(*x.shape)

    @case
    def cross_entropy(d):
        n, c, smooth = d.one(1, 30, 500), d.one(2, 10, 1000), d.one(0.0, 0.1)
        more = d.one((), (), (14, 14)) if n < 100 else ()
        return (lambda x, t: F.cross_entropy(x, t, label_smoothing=smooth)), d.data(n, c, *more), positions(d, c, n, *more)

    @case
    def triangle(d):
        x = d.any(ranks=(2, 3))
        f, k = d.one(torch.tril, torch.triu), d.one(-3, 0, 1)
        return (lambda x: f(x, k)), x

    @case
    def cumulative_counts(d):
        x = (d.any(ranks=(1, 2)) > 0).to(d.one(torch.int32, torch.int64, torch.bool))
        dim = d.dim(x)
        return (lambda x: torch.cumsum(x, dim)), x

    @case
    def bins(d):
        n = d.one(10, 1000)
        return (lambda x, edges: torch.bucketize(x, edges)), d.any(), torch.randn(n).sort().values

    @case
    def one_hot(d):
        n = d.one(3, 50, 1000)
        return (lambda i: F.one_hot(i, n)), positions(d, n, d.one(5, 300), d.one(1, 4))

    return made


def describe(entry):
    """The parameters and shapes of a case, for people."""
    function, *inputs = entry
    free = getattr(function, "__closure__", None) and dict(zip(function.__code__.co_freevars, (c.cell_contents for c in function.__closure__)))
    named = " ".join(f"{name}={getattr(value, '__name__', value)}" for name, value in (free or {}).items())
    shapes = " ".join("x".join(map(str, x.shape)) + ("" if x.is_contiguous() else "'") for x in inputs)
    return f"{shapes} {named or (repr(function) if hasattr(function, 'eval') else '')}".strip()


def table(torch, seed, rounds=4):
    """Name -> (function, inputs), as sweep_ops.table; each kind is drawn `rounds` times."""
    return {f"{kind}/{turn}": make(Draw(torch, f"{kind} {turn} {seed}")) for kind, make in cases(torch).items() for turn in range(rounds)}
