#!/usr/bin/env python3
"""Programs whose sizes are symbols, held against eager at several sizes: every access is proven to be inside, or checked by
the run, and no check refuses what is right."""

import os
import sys

import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import ferrite  # noqa: E402

TESTS = []


def test(*sizes):
    """Of a function of tensors, made with these shapes; the first set is what it is exported with."""
    def add(function):
        TESTS.append((function, sizes))
        return function
    return add


def made(shapes):
    return tuple(shape if isinstance(shape, torch.Tensor) else torch.randn(shape) for shape in shapes)


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


def check(function, sizes):
    example = made(sizes[0])
    shapes = tuple({d: torch.export.Dim.AUTO for d in range(x.dim())} for x in example)
    program = ferrite.compile(torch.export.export(Module(function), example, dynamic_shapes=(shapes,)))
    for shape in sizes:
        given = made(shape)
        torch.testing.assert_close(program(*given), function(*given), rtol=1e-4, atol=1e-5)


@test([(2, 3, 11, 7), (5, 4)], [(3, 2, 8, 9), (3, 9)], [(2, 2, 5, 5), (7, 6)])
def pools_to_a_size(x, y):
    to = (y.shape[0], y.shape[1])
    return F.adaptive_avg_pool2d(x, to), F.adaptive_avg_pool2d(x, (4, 3)), F.adaptive_max_pool2d(x, (3, 2))


@test([(2, 3, 11)], [(3, 2, 8)])
def pools_with_places(x):
    return F.adaptive_max_pool1d(x, 4, return_indices=True)


@test([(2, 2, 6, 7, 8)], [(3, 3, 5, 9, 4)])
def pools_of_volumes(x):
    return (F.avg_pool3d(x, 3, 2, 1, ceil_mode=True), F.max_pool3d(x, 3, 2, 1), F.avg_pool3d(x, 2), F.adaptive_avg_pool3d(x, (2, 3, 4)),
            F.max_unpool2d(*F.max_pool2d(x[0], 2, return_indices=True), 2))


@test([(2, 2, 6, 5), (9, 4)], [(3, 3, 4, 8), (5, 13)])
def interpolation_to_a_size(x, y):
    to = (y.shape[0], y.shape[1])
    return (F.interpolate(x, to), F.interpolate(x, to, mode="bilinear"), F.interpolate(x, to, mode="bicubic"),
            F.interpolate(x, to, mode="bilinear", align_corners=True), F.interpolate(x, to, mode="area"))


@test([(2, 2, 6, 5)], [(3, 3, 4, 8)])
def interpolation_by_a_factor(x):
    return (F.interpolate(x, scale_factor=2.5), F.interpolate(x, scale_factor=2.0, mode="bilinear"),
            F.interpolate(x, scale_factor=1.5, mode="bicubic"), F.interpolate(x, scale_factor=0.5, mode="area"))


@test([(6, 5), (4, 4)], [(3, 7), (2, 5)], [(9, 8), (6, 3)])
def pads(x, y):
    rows = F.pad(x, (0, (8 - x.shape[1]) % 8)).view(x.shape[0], -1, 8)
    return rows, F.pad(x, (1, 2)).view(-1), F.pad(x, (y.shape[0], y.shape[1])), F.pad(x, (-1, -1))


@test([(2, 3, 6, 5)], [(3, 2, 9, 4)])
def pads_of_images(x):
    to = (2, 1, 1, 2)
    return F.pad(x, to, mode="reflect"), F.pad(x, to, mode="replicate"), F.pad(x, to, mode="circular")


@test([(2, 2, 5, 4), (2, 2, 7, 4), (2, 2, 7, 4), (5, 7), (2, 2, 5, 7)], [(3, 3, 6, 8), (3, 3, 9, 8), (3, 3, 9, 8), (6, 9), (3, 3, 6, 9)])
def attention_under_masks(q, k, v, m, n):
    return F.scaled_dot_product_attention(q, k, v, m), F.scaled_dot_product_attention(q, k, v, n > -1, scale=0.3)


@test([(2, 2, 5, 4), (2, 2, 7, 4), (2, 2, 7, 4)], [(3, 3, 6, 8), (3, 3, 9, 8), (3, 3, 9, 8)])
def attention_without_masks(q, k, v):
    return (F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q.double(), k.double(), v.double()),
            F.scaled_dot_product_attention(q, q, q, is_causal=True))


@test([(6, 5), torch.tensor([1, 2]), (2, 5)], [(8, 3), torch.tensor([7, 0, 5]), (3, 3)])
def writes_at_places(x, i, v):
    return x.index_put((i,), v), x.index_put((i,), v, accumulate=True), x.index_add(0, i, v), x.slice_scatter(v, 0, 0, v.shape[0])


@test([(6, 5), (4, 5), (4, 3)], [(9, 2), (3, 2), (3, 3)])
def products_of_all_pairs(x, y, z):
    return torch.cdist(x, y), torch.cdist(x, y, p=1.0), torch.linalg.cross(z, z + 1)


@test([(3, 4), (2, 5)])
def kronecker_products(x, y):
    return torch.kron(x, y)


@test([(2, 3, 8, 7)], [(3, 2, 6, 9)])
def windows(x):
    rows = F.unfold(x, (3, 2), padding=1, stride=2)
    back = F.fold(rows, (x.shape[2], x.shape[3]), (3, 2), padding=1, stride=2)
    return rows, back, x.unfold(2, 3, 2)


@test([(2, 8, 6, 4), (3,)], [(3, 8, 4, 8), (5,)])
def moved_elements(x, y):
    return (F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 2), torch.roll(x, y.shape[0], 2), torch.roll(x, 5), x.flip(1, 3),
            F.group_norm(x, 2))


@test([torch.randn(2, 3, 9, 8).to(memory_format=torch.channels_last), (4, 3, 3, 3)],
      [torch.randn(3, 2, 5, 7).to(memory_format=torch.channels_last), (3, 2, 2, 4)])
def images_with_channels_last(x, w):
    return F.conv2d(x, w, padding=1).relu(), F.adaptive_avg_pool2d(x, (4, 3)), F.interpolate(x, scale_factor=2.0, mode="bilinear")


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    wanted, failed = sys.argv[1:], []
    for function, sizes in TESTS:
        if wanted and function.__name__ not in wanted:
            continue
        try:
            check(function, sizes)
        except Exception as error:  # the others go on
            failed.append(function.__name__)
            print(f"FAIL {function.__name__}: {type(error).__name__}: {str(error)[:1500]}")
    print(f"{len(wanted or TESTS) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
