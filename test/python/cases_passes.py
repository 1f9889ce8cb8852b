"""The program cases of graph passes: what they rewrite must give what PyTorch gives. See make_cases.py."""

import math

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  declares operators
from cases_programs import program
from torch import nn
from torch.export import Dim


def heads(x, count):
    return x.view(x.shape[0], x.shape[1], count, -1).transpose(1, 2)


@program
def masks_of_keys_alone():
    """Over all keys of a cache, of which so many are there; over none; a mask of one number."""
    class Attention(nn.Module):
        def forward(self, q, k, v, last, low):
            later, sums = torch.arange(k.shape[-2]) > last, low + last
            hidden = (q @ k.mT / 3).masked_fill(later, float("-inf")).softmax(-1) @ v
            finite = (q @ k.mT).masked_fill(later, -1e9).softmax(-1) @ v
            whole = torch.softmax((q @ k.mT).masked_fill(last > 99, float("-inf")), -1) @ v
            added = torch.softmax(q[0, 0] @ k[0, 0].mT + low, -1) @ v[0, 0]
            return hidden, finite, whole, added, torch.softmax(q[:, 0] @ k[:, 0].mT + sums, -1) @ v[:, 0]

    return Attention(), [(torch.randn(2, 3, 2, 6), torch.randn(2, 3, 9, 6), torch.randn(2, 3, 9, 5), torch.tensor(4), torch.randn(9))]


@program
def spelled_out_attention():
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = nn.Linear(24, 72)
            self.register_buffer("bias", torch.randn(1, 4, 7, 7))
            self.register_buffer("later", torch.triu(torch.ones(7, 7, dtype=torch.bool), 1))

        def forward(self, x, mask, hidden):
            q, k, v = (heads(t, 4) for t in self.qkv(x).chunk(3, -1))
            plain = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(6), -1) @ v
            scores = torch.matmul(q * 0.5, (k * 0.7).permute(0, 1, 3, 2)) + self.bias
            both = torch.matmul(scores.masked_fill(self.later, float("-inf")).softmax(-1), v)
            added = torch.softmax((q @ k.mT + mask) * 0.3 - self.bias, -1) @ v
            rows = torch.softmax((q @ k.mT).masked_fill(hidden, float("-inf")), -1) @ v  # NaN where all is hidden
            finite = torch.where(hidden, torch.tensor(-1e30), q @ k.mT).softmax(-1) @ v
            flat_q, flat_k, flat_v = (t.reshape(8, 7, 6) for t in (q, k, v))
            low = torch.baddbmm(self.bias.expand(2, 4, 7, 7).reshape(8, 7, 7), flat_q, flat_k.mT, beta=2, alpha=0.5)
            flat = torch.bmm(low.softmax(2), flat_v)
            per_head = torch.softmax((q @ k.mT) * self.bias[:, :, :1, :1].exp() + self.bias, -1) @ v
            windows = (q @ k.mT).view(1, 2, 4, 7, 7) + mask.view(1, 2, 1, 1, 7) + self.bias
            windowed = windows.view(2, 4, 7, 7).softmax(-1) @ v
            return plain, both, added, rows, finite, flat, per_head, windowed.transpose(1, 2).reshape(2, 7, 24)

    hidden = torch.rand(2, 1, 7, 7) < 0.4
    hidden[0, 0, 3] = True
    return Attention().eval(), [(torch.randn(2, 7, 24), torch.randn(2, 1, 1, 7), hidden)]


@program
def heads_by_groups():
    class Groups(nn.Module):
        def forward(self, q, k, v):
            def repeat(t):
                return t[:, :, None].expand(2, 2, 3, 5, 8).reshape(2, 6, 5, 8)

            a = nn.functional.scaled_dot_product_attention(q, repeat(k), repeat(v), is_causal=True)
            b = torch.softmax(q @ repeat(k).mT * 0.2, -1) @ v.repeat_interleave(3, 1)
            return a, b

    return Groups(), [(torch.randn(2, 6, 5, 8), torch.randn(2, 2, 5, 8), torch.randn(2, 2, 5, 8))]


@program
def constants_and_norms():
    class Norms(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.rows = nn.Linear(6, 5), nn.BatchNorm1d(5)
            self.up, self.volume = nn.ConvTranspose2d(4, 6, 2, stride=2, groups=2, bias=False), nn.BatchNorm2d(6)
            self.line, self.spelled = nn.Conv1d(3, 4, 3), nn.BatchNorm1d(4)
            self.table = nn.Parameter(torch.randn(9, 6))
            self.register_buffer("places", torch.randint(0, 9, (4,)))
            for norm in (self.rows, self.volume, self.spelled):
                norm.running_mean.normal_()
                norm.running_var.uniform_(0.5, 2)
                nn.init.normal_(norm.weight)
                nn.init.normal_(norm.bias)

        def forward(self, x, y, z):
            a = self.rows(self.linear(x).flatten(0, 1)).view(x.shape[0], -1, 5)
            b = self.volume(self.up(y))
            s = self.spelled
            scale = (s.weight / torch.sqrt(s.running_var + 1e-5))[:, None]
            c = (self.line(z) - s.running_mean[:, None]) * scale + s.bias[:, None]
            d = x + torch.tanh(self.table[self.places] @ self.table.T)[:, :6].contiguous()
            return a, b, c, d, self.linear(x) * 0.5 + 1, x @ self.linear.weight.t() + self.linear.bias

    return Norms().eval(), [(torch.randn(2, 4, 6), torch.randn(1, 4, 3, 3), torch.randn(2, 3, 9))]


@program
def cut_and_put_together():
    class Pieces(nn.Module):
        def forward(self, x, y, v):
            whole = torch.cat(x.split(2, 1), 1)
            both = torch.cat([x, y], 1)
            more = torch.cat([x, y, v], 1)
            stacked = torch.stack([y, v])
            written = x.clone()
            written[1:3] = v[0, 0]
            written = written.index_put((torch.arange(1, 3),), v[:2, :1].expand(2, 6))
            turned = x.transpose(0, 1).permute(1, 0).reshape(8, 3).view(2, 12)
            half = y.half().float() + y.double().float()
            return whole.exp(), both[:, 6:8].neg(), more, both, stacked[1].abs(), written, turned + 1, half, both[:, :6]

    return Pieces(), [(torch.randn(4, 6), torch.randn(4, 2), torch.randn(4, 2))]


@program
def products_of_one_row():
    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = (nn.Linear(6, n) for n in (4, 4, 3))
            self.gates = nn.ModuleList(nn.Linear(6, 5, bias=False) for _ in range(3))
            self.register_buffer("left", torch.randn(6, 2))
            self.register_buffer("right", torch.randn(6, 3))

        def forward(self, x, y):
            q, k, v = self.q(x), self.k(x), self.v(x)
            a, b, c = (gate(x) for gate in self.gates)
            scores = torch.softmax(q.mT @ k, -1)
            pair = (y @ self.left).exp().sum() * (y @ self.right)
            return scores, v.relu() - 1, torch.sigmoid(a) * b.view(5) + c.transpose(0, 1).tanh(), c, pair

    return Cell().eval(), [(torch.randn(1, 1, 6), torch.randn(1, 6))]


@program
def copies_that_stay_copies():
    class Copies(nn.Module):
        def forward(self, x, y, z):
            one, other = x.exp().clone(), x.exp().clone()
            flat = x.exp().view(-1)
            back = y.clone()
            y.copy_(back)
            z[1].copy_(7)
            return x.clone(), one, other, flat, back, (z.t()[1:], z.clone())

    return Copies(), [(torch.randn(2, 3), torch.randn(4), torch.randn(3, 2))]


@program
def writes_where_elements_meet():
    """Through views of windows that overlap, of what is expanded, and of a buffer that is: what is written is seen in all."""

    class Meeting(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("rows", torch.arange(2.0).expand(3, 2))

        def forward(self, x):
            a, b, c = x.sin(), x.cos().reshape(-1), x.sum(0)
            windows, bands, whole = a.unfold(0, 3, 1), b.as_strided((4, 2, 2), (2, 1, 2)), c.expand(3, 2)
            windows[1, :, 2].zero_()
            windows.transpose(0, 2)[0, 1] = 4
            bands[2].mul_(3)
            whole[1].add_(1)
            self.rows[2, 1:].fill_(7)
            return a, windows * 2, b, bands + 1, c, whole - 1, self.rows + x[:3], self.rows[0]

    return Meeting(), [(torch.randn(6, 2),)]


@program
def attention_by_einsum():
    class Attention(nn.Module):
        def forward(self, q, k, v, x):
            hidden = torch.triu(torch.ones(5, 7, dtype=torch.bool), 3)
            scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * 8**-0.5
            a = torch.einsum("bhqk,bkhd->bqhd", scores.masked_fill(hidden, float("-inf")).softmax(-1), v)
            b = torch.einsum("...ij,...jd->...id", torch.einsum("...id,...jd->...ij", x, x * 0.5).softmax(-1), x)
            c = torch.einsum("bkhd,bhqk->bhqd", v, torch.einsum("bkhd,bqhd->bhqk", k, q).softmax(3))
            d = torch.einsum("bqd,bkd->bqk", x[0], x[1, :1].expand(3, 5, 8)).softmax(1)
            return a, b, c, d

    shapes = [(2, 5, 4, 8), (2, 7, 4, 8), (2, 7, 4, 8), (2, 3, 5, 8)]
    return Attention(), [tuple(torch.randn(shape) for shape in shapes)]


@program
def copies_stay_copies():
    """A returned clone, a clone that an input gets back, two clones of one value, views inside a tuple."""

    class Copies(nn.Module):
        def forward(self, x, y):
            back = y.clone()
            y.copy_(back)
            value = x @ x.mT
            return x.clone(), back, (value.clone(), value.clone()), (value, (value.view(-1), x[1:]))

    return Copies(), [(torch.randn(3, 4), torch.randn(5))]


@program
def writes_through_views():
    """What is a view by any operator is written, and all that looks at its memory is read: by itself and in lists, on one
    memory or on several, over elements that are shown several times, conjugated."""

    class Through(nn.Module):
        def forward(self, x, z):
            turned, diagonal, single = x + 1, x[0, :, :2] * 2, x[:, 0, 0] - 1
            torch.einsum("abc->cab", turned).mul_(2)
            torch.einsum("ii->i", diagonal)[torch.tensor([True, False])] = 7
            torch.cartesian_prod(single).add_(1)
            cut = x * 3
            torch.hsplit(cut, [1])[1].neg_(), torch.dsplit(cut, 2)[1].add_(1), torch.vsplit(cut, 2)[0].mul_(0.5)
            a, b = x[0, 0] * 2, x[:, 0, 0] * 3
            across, down = torch.meshgrid(a, b, indexing="xy")
            across[0].add_(10), down[:, :1].mul_(2)
            one, other = torch.broadcast_tensors(a + 1, x.mul_(1.5))
            other.sub_(one)
            torch.atleast_2d([a, b])[1].relu_()
            read = torch.einsum("abc->cab", x)
            x[0].add_(1)
            w = z * 2
            w.conj()[0] = 1 + 2j
            w.mH.mul_(1j)
            return turned, diagonal, single, cut, a, b, across, down, x, read, w

    return Through(), [(torch.randn(2, 2, 4), torch.randn(2, 2, dtype=torch.complex64))]


@program
def products_with_integers():
    """Weights of 8 and 4 bits as programs make floats of them: by rows, by groups of rows, two a byte."""

    class Integers(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("w", torch.randint(-128, 128, (40, 64), dtype=torch.int8))
            self.register_buffer("few", torch.randint(0, 16, (40, 64), dtype=torch.uint8))
            self.register_buffer("bytes", torch.randint(0, 256, (40, 32), dtype=torch.uint8))
            self.register_buffer("scale", torch.rand(40) / 64 + 0.01)
            self.register_buffer("scales", torch.rand(40, 2) / 64 + 0.01)
            self.register_buffer("zeros", torch.randint(0, 16, (40, 2)).float())
            self.bias = nn.Parameter(torch.randn(40))

        def forward(self, one, few, many, half):
            linear = nn.functional.linear
            rows = [linear(x, self.w.to(x.dtype) * self.scale[:, None], self.bias) for x in (one, few, many)]
            behind = [linear(x, self.w.to(x.dtype)) * self.scale.to(x.dtype) + 1 for x in (few, half)]
            columns = many @ (self.w.to(many.dtype) * self.scale[:, None]).t()
            groups = (self.few.to(one.dtype).reshape(40, 2, 32) - self.zeros[..., None]) * self.scales[..., None]
            flat = (self.few.reshape(-1, 32) - self.zeros.reshape(-1, 1)) * self.scales.reshape(-1, 1)
            nibbles = torch.stack([self.bytes & 15, self.bytes >> 4], -1).reshape(40, 64).to(torch.int8) - 8
            grouped = linear(one, groups.reshape(40, 64)), linear(many, flat.reshape(40, 64))
            return *rows, *behind, columns, *grouped, linear(few, nibbles.to(few.dtype) * 0.02)

    x = torch.randn(1, 64), torch.randn(2, 3, 64)[:, 1], torch.randn(20, 64), torch.randn(3, 64, dtype=torch.bfloat16)
    return Integers().eval(), [x]


@program
def products_with_packed_integers():
    """As PyTorch packs them (so few columns alike on all machines), and as quantised exports hold them."""

    class Packed(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("w", torch.randint(-128, 128, (40, 64), dtype=torch.int8))
            self.register_buffer("scale", torch.rand(40) / 64 + 0.01)
            self.register_buffer("zero", torch.randint(-9, 9, (40,)))
            packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(torch.randint(0, 16, (16, 64), dtype=torch.int32), 1)
            self.register_buffer("packed", packed)
            self.register_buffer("pairs", torch.rand(2, 16, 2) / 64 + 0.01)

        def forward(self, x):
            channels = torch.ops.quantized_decomposed.dequantize_per_channel(self.w, self.scale, self.zero, 0, -128, 127, torch.int8)
            bytes_ = torch._weight_int8pack_mm(x, self.w, self.scale)
            return nn.functional.linear(x, channels), bytes_, torch.ops.aten._weight_int4pack_mm_for_cpu(x, self.packed, 32, self.pairs)

    sets = [(torch.randn(rows, 64),) for rows in (5, 1, 20)]
    return Packed().eval(), sets, {"double": False, "dynamic_shapes": ({0: Dim("rows", min=1, max=64)},)}


@program
def products_of_integer_rows():
    """Activations as integers: scales chosen for the whole, for rows with zeros and without, or ahead; as torchao spells them out."""

    class Rows(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("w", torch.randint(-128, 128, (33, 67), dtype=torch.int8))
            self.register_buffer("scale", torch.rand(33) / 64 + 0.01)
            self.register_buffer("zero", torch.zeros(33, dtype=torch.int64))
            self.register_buffer("bias", torch.randn(33))

        def forward(self, x):
            quantised, i8, u8 = torch.ops.quantized_decomposed, torch.int8, torch.uint8
            weights = [quantised.dequantize_per_channel(self.w, self.scale, self.zero, 0, -128, 127, i8) for _ in range(4)]
            scale, zero = quantised.choose_qparams.tensor(x, 0, 255, 1e-5, u8)
            whole = quantised.quantize_per_tensor.tensor(x, scale, zero, 0, 255, u8)
            whole = quantised.dequantize_per_tensor.tensor(whole, scale, zero, 0, 255, u8)
            by_token = []
            for choose in (quantised.choose_qparams_per_token, quantised.choose_qparams_per_token_asymmetric):
                scale, zero = choose(x, i8)
                token = quantised.quantize_per_token(x, scale, zero, -128, 127, i8)
                by_token.append(quantised.dequantize_per_token(token, scale, zero, -128, 127, i8, torch.float32))
            static = quantised.quantize_per_tensor(x, 0.03, -9, -128, 127, i8)
            static = quantised.dequantize_per_tensor(static, 0.03, -9, -128, 127, i8)
            rows = [nn.functional.linear(y, weight, self.bias) for y, weight in zip((whole, *by_token), weights)]
            return *rows, static @ weights[3].t(), self.spelled_out(x)

        def spelled_out(self, x):
            scale = (x.abs().amax(-1, keepdim=True) / 127.5).clamp(min=1e-7)
            q = ((x * (1.0 / scale)).round() + 0).clamp(-128, 127).to(torch.int8).reshape(-1, 67)
            product = torch._int_mm((q.to(torch.int32) + 128).to(torch.uint8), self.w.t())
            product = product - self.w.t().sum(0, keepdim=True, dtype=torch.int32) * 128
            y = product.to(torch.float32) * scale.reshape(-1, 1) * self.scale
            return y.reshape(*x.shape[:-1], 33) + self.bias

    sets = [(torch.randn(2, rows, 67),) for rows in (3, 1, 9)]
    return Rows().eval(), sets, {"double": False, "dynamic_shapes": ({1: Dim("rows", min=1, max=64)},)}


@program
def convolutions_of_integers():
    """Static scales, as PT2E exports them: convolutions of one tap, one behind the other, and one of more taps, which stays."""

    class Images(nn.Module):
        def __init__(self):
            super().__init__()
            for name, sizes in (("first", (24, 7, 1, 1)), ("second", (5, 24, 1, 1)), ("third", (4, 7, 3, 3))):
                self.register_buffer(name, torch.randint(-128, 128, sizes, dtype=torch.int8))
                self.register_buffer(name + "_scale", torch.rand(sizes[0]) / 64 + 0.01)
                self.register_buffer(name + "_zero", torch.zeros(sizes[0], dtype=torch.int64))
                self.register_buffer(name + "_bias", torch.randn(sizes[0]))

        def convolved(self, x, name, **more):
            quantised, u8 = torch.ops.quantized_decomposed, torch.uint8
            scale, zero = (0.15, 3) if name == "second" else (0.03, 120)
            x = quantised.quantize_per_tensor(x, scale, zero, 0, 255, u8)
            x = quantised.dequantize_per_tensor(x, scale, zero, 0, 255, u8)
            parts = [getattr(self, name + part) for part in ("", "_scale", "_zero")]
            weight = quantised.dequantize_per_channel(*parts, 0, -128, 127, torch.int8)
            return nn.functional.conv2d(x, weight, getattr(self, name + "_bias"), **more)

        def forward(self, x):
            h = self.convolved(x, "first")
            return self.convolved(torch.relu(self.convolved(x, "first")), "second"), self.convolved(x, "third", padding=1)

    return Images().eval(), [(torch.randn(2, 7, 5, 6),)], {"double": False}


@program
def products_of_one_row_with_integers():
    """Of 8 bits with a scale a row, of 4 with scales and zeros of groups: one product each."""

    class Row(nn.Module):
        def __init__(self):
            super().__init__()
            for name, rows in (("q", 33), ("k", 31), ("v", 1)):
                self.register_buffer(name, torch.randint(-128, 128, (rows, 96), dtype=torch.int8))
                self.register_buffer(name + "_scale", torch.rand(rows, 1) / 64 + 0.01)
            for name, rows in (("gate", 40), ("up", 40)):
                self.register_buffer(name, torch.randint(0, 16, (rows, 96), dtype=torch.uint8))
                self.register_buffer(name + "_scale", torch.rand(rows, 3, 1) / 8 + 0.01)
                self.register_buffer(name + "_zero", torch.randint(-3, 12, (rows, 3, 1)).float() + 0.5)

        def whole(self, x, name):
            return nn.functional.linear(x, getattr(self, name).to(x.dtype) * getattr(self, name + "_scale"))

        def grouped(self, x, name):
            q = getattr(self, name).to(x.dtype).view(-1, 3, 32) - getattr(self, name + "_zero")
            return nn.functional.linear(x, (q * getattr(self, name + "_scale")).view(-1, 96))

        def forward(self, x):
            q, k, v = (self.whole(x, name) for name in ("q", "k", "v"))
            return q[:, :31] * k + v, nn.functional.silu(self.grouped(x, "gate")) * self.grouped(x, "up"), q.relu()

    return Row().eval(), [(torch.randn(1, 96),), (100 * torch.randn(1, 96),)]


@program
def layers_to_quantise():
    """Weights that option quantize takes, each read in another way, and some that it leaves."""

    class Layers(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(48, 64)
            self.head = nn.Linear(64, 48, bias=False)
            self.head.weight = self.words.weight
            self.other = nn.Embedding(40, 32)
            self.up, self.down = nn.Linear(64, 72), nn.Linear(72, 64)  # 72 is no multiple of 32
            self.rounded = nn.Linear(64, 32).bfloat16()
            self.columns = nn.Parameter(torch.randn(64, 32))
            self.small = nn.Linear(64, 8)
            self.watched = nn.Linear(64, 32)

        def forward(self, words, x):
            h = self.words(words)
            h = h + self.down(nn.functional.gelu(self.up(self.up(h)[..., :64])))
            logits = self.head(h)
            others = self.rounded(h.to(self.rounded.weight.dtype)), x @ self.columns + self.other(words)[:, 0], self.small(h)
            return logits, logits.argmax(-1), *others, self.watched(x) + (self.watched.weight @ x[0])

    sets = [(torch.randint(0, 40, (3, length)), torch.randn(3, 64)) for length in (9, 1)]
    return Layers().eval(), sets, {"dynamic_shapes": ({1: Dim("length", min=1, max=64)}, None)}


@program
def weights_made_of_weights():
    """Weights that are standardised, normalised, low-rank sums and in a wider type, with more elements than are evaluated one by
    one while the program is compiled."""

    class Standardised(nn.Conv2d):
        def forward(self, x):
            rows = nn.functional.batch_norm(self.weight.reshape(1, len(self.weight), -1), None, None, training=True, eps=1e-6)
            return self._conv_forward(x, rows.reshape_as(self.weight), self.bias)

    class Adapted(nn.Linear):
        def __init__(self, inner, outer, rank):
            super().__init__(inner, outer)
            self.a, self.b = nn.Parameter(torch.randn(rank, inner) / 8), nn.Parameter(torch.randn(outer, rank) / 8)

        def forward(self, x):
            return nn.functional.linear(x, self.weight + self.b @ self.a, self.bias)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = Standardised(16, 64, 3, padding=1)
            self.normed = nn.utils.parametrizations.weight_norm(nn.Linear(64, 300))
            self.adapted = Adapted(300, 64, 4)
            self.narrow = nn.Linear(64, 300).half()

        def forward(self, x):
            x = self.conv(x).relu().mean((2, 3))
            x = self.adapted(self.normed(x).tanh())
            return x, nn.functional.linear(x, self.narrow.weight.to(x.dtype) * 0.5, self.narrow.bias.to(x.dtype))

    return Net().eval(), [(torch.randn(1, 16, 5, 6),)]
