"""Programs with custom operators, whose C side is in examples/custom_ops and test/custom_ops. See make_cases.py.

A program is a function that returns (module, sets of arguments) or (module, sets, keywords of case_files.write_case).
"""

import torch
from torch import nn
from torch.export import Dim

CUSTOM = {}
LIBRARIES = []


def program(function):
    CUSTOM[function.__name__] = function
    return function


def declare(space, schema, implementation, fake):
    library = torch.library.Library(space, "FRAGMENT")
    LIBRARIES.append(library)  # its operators go with it
    name = schema.split("(")[0]
    library.define(schema)
    library.impl(name, implementation, "CPU")
    library.impl(name, fake, "Meta")


# ---- moe: two results and an argument that is changed ----


def route(logits, counts, k=2):
    values, experts = torch.topk(logits, k)
    counts += torch.bincount(experts.flatten(), minlength=counts.numel())
    return torch.softmax(values, 1), experts


def fake_route(logits, counts, k=2):
    rows = logits.shape[0]
    return logits.new_empty(rows, k), logits.new_empty(rows, k, dtype=torch.int64)


declare("moe", "route(Tensor logits, Tensor(a!) counts, int k=2) -> (Tensor, Tensor)", route, fake_route)


class Mixture(nn.Module):
    def __init__(self, width=12, experts=4, k=2):
        super().__init__()
        self.k = k
        self.gate = nn.Linear(width, experts)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(experts))
        self.register_buffer("chosen", torch.zeros(experts, dtype=torch.int64))

    def forward(self, x):
        weights, experts = torch.ops.moe.route(self.gate(x), self.chosen, self.k)
        result = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            share = torch.where(experts == number, weights, 0.0).sum(1, keepdim=True)
            result = result + share * expert(x)
        return result, self.chosen * 1


@program
def mixture():
    return Mixture(), [(torch.randn(7, 12),)]


@program
def mixture_dynamic():
    return (
        Mixture(),
        [(torch.randn(5, 12),), (torch.randn(9, 12),)],
        {"dynamic_shapes": {"x": {0: Dim("tokens", min=1, max=512)}}},
    )


@program
def counts_of_the_caller():
    class Routed(nn.Module):
        def forward(self, logits, counts):
            row = counts[1]  # a view that is written
            weights, _ = torch.ops.moe.route(logits, row, 3)
            return weights, counts.sum()

    return Routed(), [(torch.randn(6, 5), torch.arange(15).reshape(3, 5))]


# ---- quant: functional, with an out overload that does the work ----


def quantise(x, bits=8):
    most = float(2 ** (bits - 1) - 1)
    largest = x.abs().amax(1)
    scales = torch.where(largest > 0, largest / most, torch.ones_like(largest))
    return torch.round(x / scales[:, None]).to(torch.int8), scales


def fake_quantise(x, bits=8):
    return torch.empty_like(x, dtype=torch.int8), x.new_empty(x.shape[0])


declare("quant", "quantise(Tensor x, int bits=8) -> (Tensor, Tensor)", quantise, fake_quantise)


class Quantised(nn.Module):
    def forward(self, x):
        values, scales = torch.ops.quant.quantise(x.relu())
        again, _ = torch.ops.quant.quantise(values.float() * scales[:, None] + 1, 4)
        return values, scales, again


@program
def quantised():
    return Quantised(), [(torch.randn(4, 10),)]


@program
def quantised_dynamic():
    return Quantised(), [(torch.randn(4, 10),), (torch.randn(3, 17),)], {"dynamic_shapes": ({0: Dim.AUTO, 1: Dim.AUTO},)}


# ---- bag: lists, optional arguments, strings, results that are an argument ----


def scale_(xs, by, mask=None, mode="all"):
    for x in xs if mode == "all" else xs[:1]:
        x.mul_(by if mask is None else torch.where(mask, by, 1.0).reshape(-1, *[1] * (x.dim() - 1)))


def grow_(xs, by, calls=None):
    for x in xs:
        x.mul_(by)
    if calls is not None:
        calls += 1


def increment_(x, calls=None):
    x += 1
    if calls is not None:
        calls += 1
    return x


def sums(xs):
    return [x.sum(1) for x in xs]


declare("bag", 'scale_(Tensor(a!)[] xs, float by, Tensor? mask=None, str mode="all") -> ()', scale_, lambda *args: None)
declare("bag", "grow_(Tensor(a!)[] xs, float by, Tensor(b!)? calls=None) -> ()", grow_, lambda *args: None)
declare("bag", "increment_(Tensor(a!) x, Tensor(b!)? calls=None) -> Tensor(a!)", increment_, lambda x, calls=None: x)
declare("bag", "sums(Tensor[] xs) -> Tensor[]", sums, lambda xs: [x.new_empty(x.shape[0]) for x in xs])


@program
def bag():
    class Bag(nn.Module):
        def forward(self, x, y, mask):
            a, b = x * 2, y.clone()
            torch.ops.bag.scale_([a, b.t()], 0.5)
            torch.ops.bag.scale_([a, b], 3.0, mask, "first")
            calls = torch.zeros((), dtype=torch.int64)
            first = torch.ops.bag.increment_(x[:, 0], calls)
            again = torch.ops.bag.increment_(first)
            left, right = torch.ops.bag.sums([a, b.t()])
            return a, b, left, right, again, calls, x + 0

    mask = torch.tensor([True, False, True])
    return Bag(), [(torch.randn(3, 4), torch.randn(5, 3), mask)]


# ---- returns: every kind of return ----


def counted(x):
    count = int((x > 0).sum())
    return x * 2, count, count > 0, count / x.numel()


def returns(schema, implementation, fake, tags=()):
    library = torch.library.Library("returns", "FRAGMENT")
    LIBRARIES.append(library)
    name = schema.split("(")[0]
    library.define(schema, tags=tags)
    library.impl(name, implementation, "CPU")
    torch.library.register_fake(f"returns::{name}", fake, lib=library)


def two_out(x, more, sums):
    return more.copy_(x + 1), sums.copy_(x.sum(1))


def cut(x, sizes):
    return [part.clone(memory_format=torch.contiguous_format) for part in x.split(list(sizes))], x + 1


def sum_of(xs, by=None, d=None):
    return sum(x for x in xs if x is not None)


returns("two(Tensor x) -> (Tensor, Tensor)", lambda x: (x + 1, x.sum(1)),
        lambda x: (torch.empty_like(x), x.new_empty(x.shape[0])))
returns("two.out(Tensor x, *, Tensor(a!) more, Tensor(b!) sums) -> (Tensor(a!), Tensor(b!))", two_out,
        lambda x, more, sums: (more, sums), (torch.Tag.out,))
returns("one(Tensor x) -> Tensor", lambda x: x * 2, torch.empty_like)
returns("one.into(Tensor x, *, Tensor(a!) result) -> Tensor(a!)", lambda x, result: result.copy_(x * 2),
        lambda x, result: result, (torch.Tag.out,))
returns("positive(Tensor x) -> SymInt", lambda x: int((x > 0).sum()),
        lambda x: torch.library.get_ctx().new_dynamic_size())
returns("rows(Tensor x) -> SymInt", lambda x: x.shape[0], lambda x: x.shape[0])
returns("maybe(Tensor x, bool want) -> (Tensor, Tensor?)", lambda x, want: (x * 2, x * 3 if want else None),
        lambda x, want: (torch.empty_like(x), torch.empty_like(x) if want else None))
returns("optional(Tensor x, bool want) -> Tensor?", lambda x, want: x * 3 if want else None,
        lambda x, want: torch.empty_like(x) if want else None)
returns("parts(Tensor x, SymInt[] sizes) -> (Tensor[], Tensor)", cut,
        lambda x, sizes: ([x.new_empty(n, x.shape[1]) for n in sizes], torch.empty_like(x)))
returns("sum_of(Tensor?[] xs, float? by=None, int[]? d=None) -> Tensor", sum_of,
        lambda xs, by=None, d=None: torch.empty_like(next(x for x in xs if x is not None)))


class Returns(nn.Module):
    """Every kind; some results are dead, and one is read by nobody."""

    def forward(self, x):
        ops = torch.ops.returns
        more, _ = ops.two(x.relu())
        _, sums = ops.two(more - 1)
        doubled, tripled = ops.maybe(more, True)
        single, absent = ops.maybe(more, False)
        assert absent is None and ops.optional(x, False) is None
        rows = x.shape[0]
        (first, second), plus = ops.parts(x.t(), [3, x.shape[1] - 3])
        summed = ops.sum_of([x, None, ops.optional(x, True)], None, [1, 2])
        return (doubled + tripled, sums, ops.one(single), first, second * 2, plus, summed,
                x.new_zeros(ops.rows(x)), rows)


@program
def returns_static():
    return Returns(), [(torch.randn(3, 5),)]


@program
def returns_dynamic():
    return Returns(), [(torch.randn(3, 5),), (torch.randn(7, 9),)], {"dynamic_shapes": ({0: Dim.AUTO, 1: Dim.AUTO},)}


@program
def returns_number():
    class Positive(nn.Module):
        def forward(self, x):
            count = torch.ops.returns.positive(x)
            return torch.ones(values.shape[0]) * 2, torch.ops.returns.one(x) + count, count

    return Positive(), [(torch.randn(4, 5),), (torch.randn(4, 5),), (torch.full((4, 5), -1.0),)]


# ---- a chain of calls whose packed values die one after another ----


@program
def chain():
    class Chain(nn.Module):
        def forward(self, x):
            for _ in range(12):
                more, sums = torch.ops.returns.two(x)
                x = more * sums.unsqueeze(1).cos()
            return x

    return Chain(), [(torch.randn(64, 16),)]


@program
def chain_of_changes():
    class Chain(nn.Module):
        """Each call changes a value of its own, and returns two."""

        def forward(self, x):
            counts = torch.zeros(8, dtype=torch.int64)
            for _ in range(8):
                weights, _ = torch.ops.moe.route(x, counts, 2)
                x = x.flip(1) * 1.5 + weights[:, :1]
            return x, counts

    return Chain(), [(torch.randn(32, 8),)]


# ---- views: what is returned shows an argument ----


def raised(x):
    x += 1
    return x.t()


def tap(x, seen):
    seen += 1
    return x[0], x.shape[1]


def views(schema, implementation):
    declare("views", schema, implementation, implementation)


views("tail(Tensor(a) x, int n) -> Tensor(a)", lambda x, n: x[n:])
views("halves(Tensor(a) x) -> Tensor(a)[]", lambda x: [x[:2], x[2:]])
views("swapped(Tensor(a) x, Tensor(b)? y) -> (Tensor(b)?, Tensor(a))",
      lambda x, y: (None if y is None else y.t(), x.diagonal()))
views("turned(Tensor(a) x) -> (Tensor(a), Tensor)", lambda x: (x.t(), x.sum(1)))
views("raise_(Tensor(a!) x) -> Tensor(a!)", raised)
views("tap(Tensor(a) x, Tensor(b!) seen) -> (Tensor(a), SymInt)", tap)


class Views(nn.Module):
    """Views of inputs, of values and of views; read, written, returned, and kept when their base is dead."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(12.0).reshape(4, 3))

    def forward(self, x, y):
        ops = torch.ops.views
        value = x * 2
        low = ops.tail(value, 1)
        low += 1  # reaches value
        left, right = ops.halves(value)
        right.mul_(3)
        turned, sums = ops.turned(right)
        turned[0] = 7.0
        more = ops.raise_(value)
        more[:, 1] = -1.0
        first, columns = ops.tap(value, seen := torch.zeros((), dtype=torch.int64))
        first.neg_()
        other, line = ops.swapped(y, self.table)
        other[0] += 1  # a buffer
        line.zero_()  # an input
        none, same = ops.swapped(x, None)
        assert none is None
        kept = ops.tail(x.cos(), 2)
        return value, low, left, sums, first, columns, seen, line * 1, same, kept, ops.tail(y, 1)


@program
def views_static():
    return Views(), [(torch.randn(4, 3), torch.randn(3, 3))]


@program
def views_dynamic():
    sizes = {0: Dim("rows", min=4, max=64)}
    return Views(), [(torch.randn(4, 3), torch.randn(3, 3)), (torch.randn(9, 3), torch.randn(3, 3))], {
        "dynamic_shapes": (sizes, None)}


# ---- sizes that depend on data ----


def new_size():
    return torch.library.get_ctx().new_dynamic_size()


def sizes(schema, implementation, fake):
    library = torch.library.Library("sizes", "FRAGMENT")
    LIBRARIES.append(library)
    library.define(schema)
    library.impl(schema.split("(")[0], implementation, "CPU")
    torch.library.register_fake(f"sizes::{schema.split('(')[0]}", fake, lib=library)


def by_sign(x, seen=None):
    if seen is not None:
        seen += 1
    return [x[x < 0], x[x > 0]]


def fake_places(x):
    count = new_size()
    return torch.empty_like(x), x.new_empty(count, 2, dtype=torch.int64), x.new_empty(count)


sizes("positive(Tensor x) -> Tensor", lambda x: x[x > 0], lambda x: x.new_empty(new_size()))
sizes("places(Tensor x) -> (Tensor, Tensor, Tensor)",
      lambda x: (x * 2, (x > 0).nonzero().contiguous(), x[x > 0]), fake_places)
sizes("by_sign(Tensor x, Tensor(a!)? seen=None) -> Tensor[]", by_sign,
      lambda x, seen=None: [x.new_empty(new_size()), x.new_empty(new_size())])


class Sizes(nn.Module):
    def forward(self, x):
        ops = torch.ops.sizes
        some = ops.positive(x)
        twice, places, values = ops.places(x - 0.25)
        seen = torch.zeros((), dtype=torch.int64)
        below, above = ops.by_sign(twice, seen)
        ops.by_sign(x)  # nobody reads it
        again = ops.positive(torch.stack((values, -values)))
        return (some * 2, places + 1, values.sum(), torch.ones(values.shape[0]), below.cos(), above, seen, again + values,
                torch.cat((some, above)))


@program
def sizes_static():
    return Sizes(), [(torch.randn(4, 3),), (torch.full((4, 3), -1.0),), (torch.rand(4, 3) + 1,)]


@program
def sizes_dynamic():
    return Sizes(), [(torch.randn(4, 3),), (torch.randn(31, 3),), (-torch.rand(2, 3),)], {
        "dynamic_shapes": ({0: Dim("rows", min=2, max=64)},)}


# ---- what is changed in place: copies stay where the old value is read, and where memory is shared ----


def mix_(x, y, z):
    x += z
    if y is not None:
        y *= 2
    return z.clone(memory_format=torch.contiguous_format)


declare("bag", "mix_(Tensor(a!) x, Tensor(b!)? y, Tensor z) -> Tensor", mix_,
        lambda x, y, z: z.new_empty(z.shape))


@program
def changed_in_place():
    class Changed(nn.Module):
        def forward(self, x, y):
            ops = torch.ops.bag
            ops.scale_([x[:, 1:], y], 0.5)  # a view of an input, and an input
            value = x.cos()
            old = value * 2  # read before
            mixed = ops.mix_(value, None, y)
            ops.scale_([value, mixed.t()], 2.0)
            later = mixed - value
            both = y.sin()
            same = ops.mix_(both, both, both)  # the same memory thrice
            ops.scale_([both, both[0:1], both.t()], 3.0)
            part = ops.mix_(both[:, :2], both[:, 1:], x[:, :2])  # they overlap
            ops.mix_(y[0:2], y[1:3], y[0:2])
            return old, value, mixed, later, both, same, part

    return Changed(), [(torch.randn(4, 3), torch.randn(4, 3))]


@program
def copies_stay_apart():
    """Arguments that hold the same values in memory of their own, as the program says."""
    class Apart(nn.Module):
        def forward(self, x, y):
            ops = torch.ops.bag
            value = x.cos()
            before = ops.mix_(value, None, value.clone())
            ops.scale_([x, y], 3.0)
            one, two = y.clone(), y.clone()
            mixed = ops.mix_(one, None, two)
            third = ops.mix_(y, x.clone(), x.double().float())
            return value, before, one, two, mixed, third

    return Apart(), [(torch.randn(4, 3), torch.randn(4, 3))]


@program
def made_functional():
    """As run_decompositions() leaves it: auto_functionalized_v2 calls the operators."""
    class Made(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(3, dtype=torch.int64))
            self.register_buffer("table", torch.ones(4, 3))

        def forward(self, x, y):
            ops = torch.ops.bag
            value = x.cos()
            old = value * 2  # read before
            ops.grow_([value, self.table, y[1:]], 2.0)
            calls = torch.zeros((), dtype=torch.int64)
            ops.grow_([value.t()], 0.5, calls)
            ops.grow_([], 0.5, calls)
            mixed = ops.mix_(x[:, 1:], None, y[:, 1:])
            again = ops.mix_(value, self.table, y)
            weights, experts = torch.ops.moe.route(value @ y.t()[:, :3], self.seen)
            return old, value, calls, mixed, again, weights, experts, self.table + 0

    return Made(), [(torch.randn(4, 3), torch.randn(4, 3))], {"functional": True}
