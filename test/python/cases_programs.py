"""The program cases: small whole models, and what else an archive can hold. See make_cases.py.

A program is a function that returns (module, sets of arguments) or (module, sets, keywords of case_files.write_case).
"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def block(width, count, activation=nn.GELU):
    return [part for _ in range(count) for part in (nn.Linear(width, width), activation(), nn.LayerNorm(width))]


# ---- small models ----


@program
def tiny_bert():
    from transformers import BertConfig, BertModel

    class TinyBert(nn.Module):
        def __init__(self):
            super().__init__()
            sizes = {"hidden_size": 20, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 28}
            self.model = BertModel(BertConfig(vocab_size=50, max_position_embeddings=16, **sizes))

        def forward(self, input_ids, attention_mask):
            result = self.model(input_ids, attention_mask=attention_mask)
            return result.last_hidden_state, result.pooler_output

    mask = torch.ones(2, 11, dtype=torch.int64)
    mask[1, 7:] = 0
    return TinyBert(), [(torch.randint(0, 50, (2, 11)), mask)]


@program
def tiny_gpt2():
    from transformers import GPT2Config

    from export_models import savable_gpt2

    config = GPT2Config(n_embd=20, n_layer=1, n_head=2, n_inner=28, vocab_size=40, n_positions=16)
    return savable_gpt2(config), [(torch.randint(0, 40, (2, 13)),)]


@program
def tiny_vit():
    from timm.models.vision_transformer import VisionTransformer

    sizes = {"img_size": 16, "patch_size": 8, "embed_dim": 20, "depth": 1, "num_heads": 2, "mlp_ratio": 1.5}
    return VisionTransformer(num_classes=5, **sizes), [(torch.randn(1, 3, 16, 16),)]


class Residual(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outside)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = nn.Identity()
        if stride > 1:
            self.shortcut = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x):
        y = self.norm2(self.conv2(self.relu(self.norm1(self.conv1(x)))))
        y += self.shortcut(x)
        return self.relu(y)


@program
def small_resnet():
    stem = [nn.Conv2d(3, 6, 5, 2, 2, bias=False), nn.BatchNorm2d(6), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    body = [Residual(6, 6, 1), Residual(6, 10, 2)]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(10, 5)]
    return nn.Sequential(*stem, *body, *head), [(torch.randn(1, 3, 15, 17),)]


@program
def inverted_residual():
    """The block of mobile networks: depthwise convolution, squeeze and excite, hard-swish."""

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.expand = nn.Sequential(nn.Conv2d(6, 14, 1, bias=False), nn.BatchNorm2d(14), nn.Hardswish(inplace=True))
            self.spread = nn.Sequential(nn.Conv2d(14, 14, 5, 1, 2, groups=14, bias=False), nn.BatchNorm2d(14))
            self.squeeze, self.excite = nn.Conv2d(14, 5, 1), nn.Conv2d(5, 14, 1)
            self.project = nn.Sequential(nn.Conv2d(14, 6, 1, bias=False), nn.BatchNorm2d(6))

        def forward(self, x):
            y = F.hardswish(self.spread(self.expand(x)))
            gate = F.hardsigmoid(self.excite(F.relu_(self.squeeze(y.mean((2, 3), keepdim=True)))))
            return x + self.project(y * gate)

    return Block(), [(torch.randn(1, 6, 9, 7),)]


@program
def channels_in_small_groups():
    """Groups of four, eight and sixteen channels, some strided; few channels, of which half are made of the other half."""

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.even = nn.Conv2d(12, 12, 3, padding=1, groups=3), nn.Conv2d(12, 12, 3, padding=1, groups=3, bias=False)
            self.wide, self.fours = nn.Conv2d(12, 40, 1), nn.Conv2d(40, 40, 3, 2, 1, groups=10)
            self.eights, self.more = nn.Conv2d(40, 40, (3, 5), padding=(1, 2), groups=5), nn.Conv2d(40, 48, 1)
            self.sixteens, self.few = nn.Conv2d(48, 48, 3, (2, 1), 1, groups=3), nn.Conv2d(48, 12, 1)
            self.cheap = nn.Conv2d(12, 12, 3, padding=1, groups=12)

        def forward(self, x):
            y = self.even(F.relu(self.first(x))) + x
            y = F.silu(self.fours(F.relu(self.wide(y))))
            y = self.sixteens(F.relu6(self.more(self.eights(y))))
            few = F.relu(self.few(y))
            return torch.cat([few, F.relu(self.cheap(few))], 1), y

    return Block(), [(torch.randn(2, 12, 9, 11),)]


@program
def small_unet():
    class Unet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down1 = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.GroupNorm(2, 6), nn.SiLU())
            self.down2 = nn.Sequential(nn.Conv2d(6, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.SiLU())
            self.up = nn.ConvTranspose2d(8, 6, 2, stride=2)
            self.last = nn.Conv2d(12, 2, 3, padding=1)

        def forward(self, x):
            a = self.down1(x)
            b = self.up(self.down2(F.max_pool2d(a, 2)))
            c = F.interpolate(F.avg_pool2d(a, 2), scale_factor=2, mode="bilinear")
            return self.last(torch.cat([a + c, b], 1)).softmax(1)

    return Unet(), [(torch.randn(1, 1, 8, 12),)]


@program
def gru_steps():
    """A recurrent cell unrolled by the export: many small equal steps."""

    class Steps(nn.Module):
        def __init__(self):
            super().__init__()
            self.from_input, self.from_state = nn.Linear(5, 36), nn.Linear(12, 36)
            self.last = nn.Linear(12, 3)

        def forward(self, x):
            h = x.new_zeros(x.shape[0], 12)
            outputs = []
            for step in x.unbind(1):
                r1, z1, n1 = self.from_input(step).chunk(3, 1)
                r2, z2, n2 = self.from_state(h).chunk(3, 1)
                keep = torch.sigmoid(z1 + z2)
                h = keep * h + (1 - keep) * torch.tanh(n1 + torch.sigmoid(r1 + r2) * n2)
                outputs.append(self.last(h))
            return torch.stack(outputs, 1), h

    return Steps(), [(torch.randn(2, 3, 5),)]


@program
def equal_layers():
    """Six equal layers: a compiler that knows makes each kernel once."""
    return nn.Sequential(*block(13, 6)), [(torch.randn(4, 13),)]


# ---- sizes that are known only at the call ----


@program
def dynamic_mlp():
    sets = [(torch.randn(count, 20),) for count in (3, 8)]
    return nn.Sequential(*block(20, 2), nn.Linear(20, 7)), sets, {"dynamic_shapes": ({0: Dim("batch", min=1, max=64)},)}


@program
def dynamic_attention():
    """Two symbols, sizes computed from them, and a mask built from one."""

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = nn.Linear(12, 36), nn.Linear(12, 12)

        def forward(self, x):
            b, s, _ = x.shape
            q, k, v = self.qkv(x).view(b, s, 3, 2, 6).permute(2, 0, 3, 1, 4).unbind(0)
            positions = torch.arange(s)
            near = (positions[:, None] - positions).abs() < 4
            y = F.scaled_dot_product_attention(q, k, v, near)
            return self.out(y.transpose(1, 2).reshape(b, s, 12)), x.mean(1) * s

    sets = [(torch.randn(2, 7, 12),), (torch.randn(3, 9, 12),)]
    return Attention(), sets, {"dynamic_shapes": ({0: Dim.DYNAMIC, 1: Dim.DYNAMIC},)}


@program
def dynamic_derived():
    """A size that must be a multiple of four, an equal size in two inputs, and a size that is the sum of two."""

    class Derived(nn.Module):
        def forward(self, x, y, z):
            folded = x.reshape(x.shape[0] // 4, 4, -1).sum(1)
            return folded, torch.cat([y, z]) * y.shape[0], x[: z.shape[0]] + 1

    quarter, rows = Dim("quarter", min=1, max=16), Dim("rows", min=2, max=4)
    sets = [(torch.randn(4 * q, 6), torch.randn(4 * q, 6), torch.randn(r, 6)) for q, r in ((2, 3), (3, 2))]
    return Derived(), sets, {"dynamic_shapes": ({0: 4 * quarter}, {0: 4 * quarter}, {0: rows})}


@program
def dynamic_transposed():
    """An input whose strides follow from its sizes."""

    class Transposed(nn.Module):
        def forward(self, x):
            return x + 1, x.to(torch.int16).sum(1)

    sets = [(torch.arange(h * w, dtype=torch.uint8).view(h, w).t(),) for h, w in ((3, 4), (5, 2))]
    return Transposed(), sets, {"dynamic_shapes": ({0: Dim("wide", min=2, max=16), 1: Dim("high", min=2, max=16)},)}


@program
def dynamic_factors():
    """Sizes that float arithmetic gives: by factors, which no node computes, and by what the program computes, of which
    a product that is not rounded before it is added to would give another size (41)."""

    class Factors(nn.Module):
        def forward(self, x):
            rows = torch.sym_int(x.shape[2] * 0.7 + 0.3)
            shrunk = F.interpolate(x, scale_factor=0.6)
            grown = F.interpolate(x, scale_factor=(1.3, 0.75), mode="bilinear")
            return shrunk, F.interpolate(x, scale_factor=(1.3, 0.75)), grown, x.new_ones(rows), rows * 0.1

    sets = [(torch.randn(1, 1, h, w),) for h, w in ((6, 7), (41, 4), (4, 31))]
    return Factors(), sets, {"dynamic_shapes": ({2: Dim.AUTO, 3: Dim.AUTO},)}


@program
def dynamic_broadcasts():
    """Values that the batch does not change, of what is only there where there is a batch."""

    class Broadcasts(nn.Module):
        def forward(self, x, y):
            angles = torch.arange(y.shape[0])[:, None] * y.exp()
            return (x[:, :, None] * angles.sin()).sum((0, 2)), (x[:, :, None] + y[:, 0].tanh()).amax(1)

    sets = [(torch.randn(b, n), torch.randn(n, 40)) for b, n in ((17, 24), (2, 9), (40, 33))]
    return Broadcasts(), sets, {"dynamic_shapes": ({0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.AUTO})}


@program
def dynamic_spectrum():
    """Fourier transforms of lengths that only the caller knows: smooth ones and a prime, even ones and odd."""

    class Spectrum(nn.Module):
        def forward(self, x):
            y = torch.fft.rfft2(x, norm="ortho")
            frames = torch.stft(x, 8, 2, window=torch.hann_window(8), return_complex=True)
            return torch.fft.irfft(y * 2, n=x.shape[1]), torch.fft.fft(x, dim=0), frames.abs()

    sets = [(torch.randn(6, 36),), (torch.randn(3, 53),)]
    return Spectrum(), sets, {"dynamic_shapes": ({0: Dim("rows", min=2, max=64), 1: Dim("time", min=9, max=999)},)}


# ---- state, aliases, constants: what a saved program says beyond its arithmetic ----


@program
def buffer_mutation():
    """A counter, a running mean and a cache that each call writes to; the outputs see what was written."""

    class Stateful(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.tensor(3))
            self.register_buffer("mean", torch.randn(6))
            self.register_buffer("cache", torch.randn(5, 6), persistent=False)

        def forward(self, x, position):
            self.count += 1
            self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
            self.cache.index_copy_(0, position, x)
            return (x - self.mean) / self.count, self.cache.sum(0), self.count * 2

    return Stateful(), [(torch.randn(2, 6), torch.tensor([4, 1]))]


@program
def input_mutation():
    class Writes(nn.Module):
        def forward(self, x, y):
            x.add_(1)
            x[:, 1:3].mul_(y)
            y.clamp_(min=0)
            return x * 2, y.sum(), x.t()

    return Writes(), [(torch.randn(3, 5), torch.randn(3, 2))]


@program
def inplace_chain():
    """In-place operators on fresh tensors and on views of them."""

    class Chain(nn.Module):
        def forward(self, x, mask, rows):
            a = x.clone()
            a[:, 2:] += 1
            a[0].relu_()
            a.t()[1].copy_(x[:, 0] * 3)
            b = torch.zeros_like(x)
            b[rows] = a[rows].exp_()
            b.masked_fill_(mask, -2.0).sub_(0.5).view(-1)[::4].zero_()
            c = a.view(2, -1)
            c.tanh_()
            return a, b, c + 1

    return Chain(), [(torch.randn(4, 6), torch.rand(4, 6) < 0.3, torch.tensor([2, 0]))]


@program
def aliasing_outputs():
    """Outputs that share memory with each other or with an input, and two equal clones that must not."""

    class Aliases(nn.Module):
        def forward(self, x):
            y = x.sin()
            return x, x.t(), x[1:, ::2], y, y, y.view(-1), y[:, 1], y.clone(), y.clone(), y.expand(2, 3, 4)

    return Aliases(), [(torch.randn(3, 4),)]


@program
def nested_inputs_outputs():
    """Dictionaries, lists and tuples go in and come out; one input is not used, one comes by keyword."""

    class Nested(nn.Module):
        def forward(self, batch, pair, unused, *, gain):
            a = batch["left"] @ batch["right"] * gain
            return {"sum": a + pair[0], "parts": [pair[1].exp(), (a.mean(), a)]}, (pair[0] - 1,)

    batch = {"left": torch.randn(3, 4), "right": torch.randn(4, 2)}
    args = (batch, (torch.randn(3, 2), torch.randn(5)), torch.randn(2))
    return Nested(), [(args, {"gain": torch.tensor([0.5, 2.0])})]


@program
def constant_arguments():
    """Numbers, a string, a flag and None among the inputs and outputs: the export keeps them as constants."""

    class Constants(nn.Module):
        def forward(self, x, power, scale, mode, flag, nothing):
            y = x**power * scale if mode == "power" and flag else x
            return y, power, None, 2.5, y if nothing is None else nothing

    return Constants(), [(torch.randn(2, 3), 3, 0.5, "power", True, None)]


@program
def tied_weights():
    """Weights that share storage: one used twice, one the transpose of another, two parts of one at an offset."""

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(17, 8)
            self.head = nn.Linear(8, 17, bias=False)
            self.head.weight = self.table.weight
            both = torch.randn(2, 8)
            self.register_buffer("first", both[0])
            self.register_buffer("second", both[1])
            self.register_buffer("turned", self.table.weight.detach().t())

        def forward(self, ids):
            x = self.table(ids) * self.first + self.second
            return self.head(x.tanh()), x @ self.turned

    return Tied(), [(torch.randint(0, 17, (2, 5)),)]


@program
def literal_tensors():
    """Tensors written in the code, of several types, one empty; a plain attribute; weights that nothing uses."""

    class Literals(nn.Module):
        def __init__(self):
            super().__init__()
            self.plain = torch.linspace(0, 1, 4)
            self.forgotten = nn.Linear(4, 4)

        def forward(self, x):
            order, flags = torch.tensor([3, 0, 2, 1]), torch.tensor([True, False, False, True])
            y = torch.where(flags, x[:, order], x + self.plain)
            wide = torch.tensor([1.5, 2], dtype=torch.float64)
            return y * torch.tensor(0.25), torch.cat([y, torch.empty(0, 4)]), wide

    return Literals(), [(torch.randn(3, 4),)]


@program
def strided_inputs():
    """Inputs that are not contiguous: a transpose, a slice with an offset, an expanded row, a channels-last image."""

    class Strided(nn.Module):
        def forward(self, a, b, c, image):
            return a + b * c, a.reshape(-1), image.relu(), image.mean(1)

    image = torch.randn(1, 3, 4, 5).to(memory_format=torch.channels_last)
    return Strided(), [(torch.randn(4, 3).t(), torch.randn(6, 9)[2:5, 1:8:2], torch.randn(1, 4).expand(3, 4), image)]


@program
def low_precision():
    """A bfloat16 network with float32 ends."""

    class Low(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(*block(17, 2)).bfloat16()

        def forward(self, x):
            return self.body(x.to(self.body[0].weight.dtype)).float().softmax(-1)

    return Low(), [(torch.randn(5, 17),)]


def function(forward):
    return type("Function", (nn.Module,), {"forward": staticmethod(forward)})()


@program
def ragged_rows():
    """Rows that a mask picks, as many as the run finds: products, norms, joins of them; a second mask on the result."""

    def forward(x, keep, weight):
        rows = x[keep]
        product = (rows @ weight).relu()
        norm = torch.nn.functional.layer_norm(rows, (6,))
        large = product[product.sum(1) > 1]
        return product, norm, torch.cat([rows, x]), rows.t() @ rows, large, large.shape[0] + rows.shape[0]

    sets = [(torch.randn(7, 6), torch.rand(7) < rate, torch.randn(6, 5)) for rate in (0.5, -1, 2)]
    return function(forward), sets


@program
def ragged_dynamic():
    """The same where the number of rows that there are is an input's size."""

    def forward(x, keep):
        rows, places = x[keep], keep.nonzero()
        back = torch.zeros_like(x).index_copy(0, places[:, 0], rows)
        return back, rows.sum(0), torch.cat([x, rows]).softmax(1)

    size = torch.export.Dim("size", min=1, max=64)
    sets = [(torch.randn(n, 4), torch.rand(n) < 0.5) for n in (6, 1, 33)]
    return function(forward), sets, {"dynamic_shapes": {"x": {0: size}, "keep": {0: size}}}


@program
def numbers_from_tensors():
    """Numbers read out of tensors: as sizes, in relation to each other, as indices of either sign, as factors."""

    def forward(x, n, m, at, scale):
        rows, half = n.item(), m.item()
        torch._check(rows == 2 * half)
        torch._check(half >= 0)
        torch._check(rows <= 40)
        k = at.item()
        grid = torch.arange(rows).view(half, 2) * scale.item()
        return grid, torch.ones(rows, 3).sum(), x[k], x[:k], x[k:, ::2], x.narrow(1, 1, 2) * k, rows - half, k

    def inputs(n, at, scale):
        return torch.randn(5, 4), torch.tensor(2 * n), torch.tensor(n), torch.tensor(at), torch.tensor(scale)

    return function(forward), [inputs(3, 2, 0.5), inputs(0, -5, 2.0), inputs(20, 4, -1.5)]


@program
def convolutions_into_tokens():
    """Images that become tokens behind others: their pixels lie apart, the images of a batch in between."""

    class Tokens(nn.Module):
        def __init__(self):
            super().__init__()
            self.pool, self.grow = nn.Conv2d(8, 16, 3, 2, 1, groups=8), nn.ConvTranspose2d(8, 16, 2, 2)
            self.head, self.norm = nn.Linear(8, 16), nn.LayerNorm(16)

        def forward(self, x, token):
            first = self.head(token)
            small, large = self.pool(x), F.relu6(self.grow(x))
            rows = [torch.cat([first, image.flatten(2).transpose(1, 2)], 1) for image in (small, large)]
            planes = torch.cat([large, -torch.ones_like(large)], 3)
            return *(self.norm(row) for row in rows), rows[1].sum(2), planes

    return Tokens().eval(), [(torch.randn(2, 8, 5, 5).to(memory_format=torch.channels_last), torch.randn(2, 1, 8))]


@program
def ramps_between_computed_numbers():
    """Integers between two floats that the program computes: how many there are only the run knows."""

    def forward(x):
        low, high = (x[0] - x[1] - 1).item(), (x[2] + 16).item()
        return torch.arange(high, low, -2, dtype=torch.long), torch.arange(low, high, dtype=torch.long)[:3] * 2

    return function(forward), [(torch.tensor([3.0, 5.5, a]),) for a in (0.5, -12.0, 7.75)]


@program
def parts_of_given_lengths():
    """Lengths as a list of numbers: a split, repeats, sums over segments."""

    def forward(x, lengths):
        parts = lengths.tolist()
        for part in parts:
            torch._check(part >= 0)
        torch._check(parts[0] + parts[1] + parts[2] == 9)
        first, second, third = x.split(parts)
        segment = torch.arange(3).repeat_interleave(lengths, output_size=9)
        return first.mean(0).nan_to_num(), second * 2, third.t(), torch.zeros(3, 2).index_add(0, segment, x)

    return function(forward), [(torch.randn(9, 2), torch.tensor(parts)) for parts in ([2, 3, 4], [0, 9, 0], [1, 0, 8])]


@program
def number_inputs():
    """Python numbers as inputs: one that is dynamic, others that the program is made for."""

    def forward(x, count, factor, flag):
        y = x * factor if flag else x
        return y + count, torch.zeros(count, 2), count * 2

    sets = [(torch.randn(3, 4), count, 0.5, True) for count in (5, 2, 31)]
    dynamic = {"x": None, "count": torch.export.Dim.DYNAMIC, "factor": None, "flag": None}
    return function(forward), sets, {"dynamic_shapes": dynamic}


@program
def autocast_regions():
    """Regions that cast to bfloat16, with one inside that does not, and one without gradients that writes in place."""

    class Regions(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.fc = nn.Conv1d(3, 4, 3, padding=1), nn.Linear(6, 5)

        def forward(self, x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = self.fc(self.conv(x))
                with torch.autocast("cpu", enabled=False):
                    z = self.fc(x) * 2
                both = torch.cat([y, z], 1)
                spread = F.softmax(y @ y.transpose(1, 2), -1)
                loss = F.mse_loss(y, y.flip(0))
            with torch.no_grad():
                w = spread + 1
                w += spread.mean()
            return both, spread, w, loss, y.sum() + z.sum()

    return Regions(), [(torch.randn(2, 3, 6),)]


@program
def branches():
    """cond by a value and by a size, one within the other, with a layer in one arm."""

    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self, x):
            def small(x):
                y = x.clone()
                y[:, 1] *= 2
                return y, y.sum(0)

            def large(x):
                return torch.cond(x[0, 0] > 0, lambda x: (self.fc(x).relu(), x.amax(0)), small, (x,))

            y, z = torch.cond(x.abs().sum() > 40, large, small, (x,))
            return y, torch.cond(x.shape[0] > 4, lambda z: z + 1, lambda z: z - 1, (z,))

    few, many = torch.randn(4, 4), torch.randn(6, 4) * 20
    many[0, 0] = 3
    other = -many
    return Branches(), [(few,), (many,), (other,)], {"dynamic_shapes": ({0: Dim.DYNAMIC},)}


@program
def loops():
    """while_loop with a cond and a loop inside, scan in both directions, map of a map."""
    from torch._higher_order_ops.map import map as map_rows
    from torch._higher_order_ops.scan import scan
    from torch._higher_order_ops.while_loop import while_loop

    class Loops(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self, x, h, n):
            zero = torch.zeros((), dtype=torch.int64)

            def body(i, a, b):
                c = torch.cond(i % 2 == 0, lambda a: self.fc(a).tanh(), lambda a: a * 0.5, (a,))
                _, d = while_loop(lambda j, d: j < i, lambda j, d: (j + 1, d + 1.5), (zero, b))
                return i + 1, d, c

            def step(h, row):
                h = torch.tanh(self.fc(h) + row.T.sum(1))
                return h, (h * 2, row.sum())

            _, a, b = while_loop(lambda i, a, b: (i < n) & (a.sum() < 100), body, (zero, h, h * 2))
            last, (all_h, sums) = scan(step, h, x, dim=1)
            back, _ = scan(step, h, x, dim=1, reverse=True)
            rows = map_rows(lambda m, h: map_rows(lambda r, h: (r * h).sum(-1), m, h), x, h)
            return a, b, last, all_h, sums, back, rows

    def inputs(n, steps):
        return torch.randn(3, n, 4), torch.randn(4), torch.tensor(steps)

    return Loops(), [inputs(5, 3), inputs(7, 0)], {"dynamic_shapes": ({1: Dim.DYNAMIC}, None, None)}


@program
def sizes_of_arms():
    """Results that are as large as the taken arm finds: masks, places, one size known, arms in arms and in a loop."""
    from torch._higher_order_ops.scan import scan

    def forward(x):
        at_most = torch.cond(x[0, 0] > 0, lambda x: x[x > 0], lambda x: x[x < 0] * 2, (x,))

        def places(x):
            return x[x > 0.5], (x > 0).nonzero()[:, 1], 3

        y, z, k = torch.cond(x.sum() > 0, places, lambda x: (x[0] * 2, x.nonzero()[:, 0] * 3, 7), (x,))

        def inner(x):
            return torch.cond(x[0, 0] > 1, lambda x: x[x > 0.5].sin(), lambda x: x[x > 1.0], (x,))

        nested = torch.cond(x.sum() > 0, inner, lambda x: x[x < 0], (x,)).cumsum(0)

        def step(h, row):
            part = torch.cond(row.sum() > 0, lambda r: r[r > 0], lambda r: r[r < 0] * 2, (row,))
            return h.cos() + part.sum(), part.sum() * 2 + part.shape[0]

        last, sums = scan(step, x[0] * 1, x, dim=0)
        return at_most + 1, at_most, y, z, z.sum(), k, z.shape[0] + y.shape[0], nested, last, sums

    def inputs(n, first, shift):
        x = torch.randn(n, 5) + shift
        x[0, 0] = first
        return (x,)

    sets = [inputs(4, 3.0, 1), inputs(4, -1.0, 1), inputs(4, 0.5, -1), inputs(4, -2.0, -5)]
    return function(forward), sets


@program
def regions_and_numbers():
    """Arms that give other sizes and numbers, an int that a loop carries, numbers and sizes that steps decide."""
    from torch._higher_order_ops.scan import scan
    from torch._higher_order_ops.while_loop import while_loop

    def forward(x, p):
        rows, k = torch.cond(p[0] > 0, lambda x: (x[2:].sin(), 3), lambda x: (torch.cat([x, x * 2]), 5), (x,))
        i, y = while_loop(lambda i, y: i < 6, lambda i, y: (i + 2, y * 0.5 + i), (x.shape[0], x))

        def step(h, row):
            large = row[row > h[0]]
            return h.cos() + large.sum(), large.sum() + (row > 0).nonzero().shape[0]

        last, sums = scan(step, x[0] * 1, x, dim=0)
        few = x[: p[1].item()]
        halves = torch.cond(x.shape[0] > 4, lambda few: few / 2, lambda few: few * 2, (few,))
        place = torch.cond(p[2] < 4, lambda x, at: x[at], lambda x, at: x.sum(0, True), (x, p[2:].abs()))
        return rows, rows.sum(0), k, i, y, last, sums, halves, place

    def inputs(n, *p):
        return torch.randn(n, 4), torch.tensor(p)

    return function(forward), [inputs(5, 1, 2, 3), inputs(4, -1, 0, 7), inputs(7, 0, 7, 0)], {"dynamic_shapes": ({0: Dim.DYNAMIC}, None)}


@program
def recurrent_layers():
    """Long sequences, both ways, with projections."""

    class Layers(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(3, 5, 2, bidirectional=True, proj_size=2, batch_first=True)
            self.gru = nn.GRU(4, 4, bias=False)
            self.rnn = nn.RNN(4, 3, nonlinearity="relu")

        def forward(self, x, h):
            y, (last, cells) = self.lstm(x)
            z, hidden = self.gru(y.transpose(0, 1), h)
            w, _ = self.rnn(z[:3])
            return y, last, cells, hidden, w

    return Layers(), [(torch.randn(2, 40, 3), torch.randn(1, 2, 4))]


@program
def pools_of_any_size():
    """Adaptive pools of images whose size only a run knows."""

    def forward(x, like):
        most, places = F.adaptive_max_pool2d(x, (3, 4), return_indices=True)
        return F.adaptive_avg_pool2d(x, (3, 5)), most, places, F.adaptive_avg_pool2d(x, like.shape)

    sets = [(torch.randn(2, 3, *image), torch.randn(like)) for image, like in (((8, 6), (2, 3)), ((7, 13), (5, 4)),
                                                                             ((2, 3), (3, 2)))]
    image = {2: Dim("height", min=2, max=32), 3: Dim("width", min=2, max=32)}
    return function(forward), sets, {"dynamic_shapes": (image, {0: Dim("a", min=2, max=9), 1: Dim("b", min=2, max=9)})}


@program
def mapped_over_a_batch():
    """vmap: element by element, of products and scans, one within another, with writes in place."""

    class Mapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 3)

        def forward(self, x, y):
            distance = torch.vmap(lambda a: torch.vmap(lambda b: (a - b).norm())(y))(x)
            both = torch.vmap(lambda a, b: (a * b).relu() / (1 + a.abs()), in_dims=(0, 1))(x, x.t())
            layers = torch.vmap(self.linear)(x.reshape(3, 2, 4))
            steps = torch.vmap(lambda a: a.clone().add_(1).mul_(a).cumsum(0)[1:])(x)
            most = torch.vmap(lambda a: tuple(a.topk(2)))(x)
            return distance, both, layers, steps, *most, torch.vmap(lambda a: y.sum(0))(x)

    sets = [(torch.randn(6, 4), torch.randn(5, 4))]
    return Mapped(), sets


@program
def bounded_products():
    """Products and convolutions whose results are kept within bounds, NaN and infinities among the inputs."""

    class Bounded(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.ModuleList(nn.Linear(7, n) for n in (37, 5, 16, 33))
            self.conv = nn.ModuleList((nn.Conv2d(3, 18, 3, padding=1), nn.Conv2d(18, 18, 3, groups=18, stride=2),
                                       nn.Conv2d(18, 20, 1), nn.ConvTranspose2d(20, 4, 2)))

        def forward(self, x, image):
            a, b, c, d = (linear(x) for linear in self.linear)
            y = F.relu(self.conv[0](image))
            y = self.conv[1](y).clamp(min=0.1)
            y = F.relu(self.conv[3](F.relu6(self.conv[2](y))))
            return a.relu(), F.relu6(b), c.clamp(0.5, -0.25), F.hardtanh(d, -0.1, 0.3).clamp(max=0.2), y

    x, image = torch.randn(13, 7), torch.randn(2, 3, 9, 11)
    x[3, 2], x[5, 1], x[6, 0] = float("nan"), float("inf"), -float("inf")
    image[0, 1, 2, 3], image[1, 0, 4, 4] = float("nan"), float("inf")
    return Bounded(), [(x, image)]


@program
def added_products():
    """Products and convolutions that are added to what is used for the last time, and to what is not."""

    class Added(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.down, self.one = nn.Linear(21, 130), nn.Linear(130, 21), nn.Linear(21, 37)
            self.conv = nn.ModuleList((nn.Conv2d(3, 18, 3, padding=1), nn.Conv2d(18, 18, 1),
                                       nn.Conv2d(18, 18, 3, padding=1, groups=18), nn.Conv2d(18, 18, 3, padding=1),
                                       nn.Conv2d(18, 20, 1)))

        def forward(self, x, image):
            x = torch.sigmoid(x)
            a = F.relu(x + self.down(torch.tanh(self.up(x)))) * 30
            b = (self.down(torch.sin(self.up(a))) + a).clamp(-1, 25)
            c = self.one(b[:1].tanh()) + self.one(b[1:2]).sigmoid()
            y = F.silu(self.conv[0](image))
            y = F.relu(y + self.conv[1](torch.tanh(self.conv[3](y))))
            y = y + self.conv[2](self.conv[3](y).cos())
            y = self.conv[1](self.conv[2](y)) + y
            y = y + self.conv[3](y)
            return b, c, self.conv[4](y)

    sets = [(torch.randn(n, 21), torch.randn(m, 3, 9, 11)) for n, m in ((13, 2), (2, 1), (30, 3))]
    return Added(), sets, {"dynamic_shapes": ({0: Dim("n", min=2, max=64)}, {0: Dim("m", min=1, max=8)})}


@program
def layers_of_doubles():
    """Products and convolutions of float64 by constant weights, with what surrounds them."""

    class Layers(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.ModuleList((nn.Linear(19, 40), nn.Linear(40, 19, bias=False), nn.Linear(19, 1)))
            self.conv = nn.ModuleList((nn.Conv2d(3, 12, 3, padding=1), nn.Conv2d(12, 12, 3, padding=1, groups=3),
                                       nn.Conv2d(12, 12, 3, stride=2, groups=12), nn.Conv2d(12, 20, 1),
                                       nn.ConvTranspose2d(20, 5, 3, stride=2), nn.Conv2d(5, 9, 3)))

        def forward(self, x, image):
            y = x + self.linear[1](F.relu6(self.linear[0](x)))
            z = F.relu(self.conv[0](image))
            z = z + F.silu(self.conv[1](z))
            z = F.gelu(self.conv[3](self.conv[2](z)))
            return y, self.linear[2](y), torch.tanh(self.conv[5](self.conv[4](z)))

    return Layers().double(), [(torch.randn(6, 19).double(), torch.randn(2, 3, 9, 8).double())]
