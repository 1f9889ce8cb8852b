"""Calls of operators as lines of text, and what makes wrong ones of them.

    aten.gather.default(f32[3,4], 1, i64[3,2]<4, False)

Arguments are in the order of the schema. A tensor is its dtype and sizes; its numbers are drawn, those of integers below
the number behind it, `i64[3]<4`, or are those behind it, `i64[3]=3,2,1`, again from the first where they end. The rest is
as Python and FX texts write it.
"""

import os
import re
import zlib

import torch
import torch._inductor.inductor_prims  # noqa: F401  operators of prims
import torch.ao.quantization.fx._decomposed  # noqa: F401  operators of quantized_decomposed
import torch.nn.modules.linear_cross_entropy  # noqa: F401  operators of torch_nn

DTYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
          "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool,
          "c64": torch.complex64, "c128": torch.complex128, "f8e4m3fn": torch.float8_e4m3fn}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
TENSOR = re.compile(r"\b(%s)\[([\d,]*)\](?:<(\d+)|=(-?\d+(?:,-?\d+)*))?" % "|".join(DTYPES))
WORDS = {"torch": torch, "cpu": torch.device("cpu"), "inf": float("inf"), "nan": float("nan"), "complex": complex}


class Spec:
    """A tensor among the arguments."""

    def __init__(self, dtype, sizes, below=10, numbers=()):
        self.dtype, self.sizes, self.below, self.numbers = dtype, tuple(sizes), below, tuple(numbers)

    def __repr__(self):
        below = f"<{self.below}" if self.below != 10 else ""
        numbers = "=" + ",".join(map(str, self.numbers)) if self.numbers else ""
        return f"{self.dtype}[{','.join(map(str, self.sizes))}]{below}{numbers}"

    def other(self, dtype=None, sizes=None):
        return Spec(dtype or self.dtype, self.sizes if sizes is None else sizes, self.below, self.numbers)


class Call:
    def __init__(self, name, arguments, changed=()):
        self.name, self.arguments, self.changed = name, arguments, set(changed)  # the arguments that are not as in a good call

    @staticmethod
    def read(line):
        name, said = line.strip().split("(", 1)
        said = TENSOR.sub(lambda m: f"Spec('{m[1]}', [{m[2]}], {m[3] or 10}, [{m[4] or ''}])", "[" + said[:-1] + "]")
        return Call(name, eval(said, {"Spec": Spec, **WORDS}))

    def operator(self):
        space, base, overload = self.name.split(".")
        return getattr(getattr(getattr(torch.ops, space), base), overload)

    def schema(self):
        return self.operator()._schema

    def text(self, leaf=repr):
        return f"{self.name}({', '.join(written(a, leaf) for a in self.arguments)})"

    def specs(self):
        return [leaf for a in self.arguments for leaf in leaves(a)]

    def values(self, seed=0):
        """The tensors, the same ones each time: what one is does not change the others."""
        first = zlib.crc32(self.name.encode()) + seed
        return [drawn(spec, torch.Generator().manual_seed(first + 1000 * k), "cholesky" in self.name)
                for k, spec in enumerate(self.specs())]

    def run(self, tensors):
        """What PyTorch gives."""
        given = iter(tensors)
        arguments = [filled(a, given) for a in self.arguments]
        parameters = self.schema().arguments
        named = {p.name: a for p, a in zip(parameters, arguments) if p.kwarg_only}
        return self.operator()(*[a for p, a in zip(parameters, arguments) if not p.kwarg_only], **named)


def operator_rows():
    """(namespace, base, overload or None, the rest of the schema, columns) of each row of ops.def."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "op", "ops.def")
    row = r'^(?:OP|WRITER)\(\w+, "([\w.]+)::(\w+)(?:\.(\w+))?(\(.*)",\s*(.*)\)$'
    yield from re.findall(row, open(path, encoding="utf-8").read(), re.M)


def written(value, leaf):
    if isinstance(value, Spec):
        return leaf(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(written(item, leaf) for item in value) + "]"
    if isinstance(value, str):
        return '"' + value + '"'
    if isinstance(value, complex):
        return f"complex({value.real}, {value.imag})"
    return str(value)


def leaves(value):
    if isinstance(value, Spec):
        return [value]
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, list) else []


def filled(value, given):
    if isinstance(value, Spec):
        return next(given)
    return [filled(item, given) for item in value] if isinstance(value, list) else value


def drawn(spec, draw, definite=False):
    dtype, sizes = DTYPES[spec.dtype], spec.sizes
    if spec.numbers:
        count = torch.Size(sizes).numel()
        return torch.tensor(spec.numbers).repeat(-(-count // len(spec.numbers)))[:count].reshape(sizes).to(dtype)
    if dtype == torch.bool:
        return torch.rand(sizes, generator=draw) > 0.4
    if not dtype.is_floating_point and not dtype.is_complex:
        return torch.randint(0, max(spec.below, 1), sizes, generator=draw).to(dtype)
    out = torch.rand(sizes, generator=draw, dtype=torch.float64) * 0.8 + 0.1
    if definite and len(sizes) > 1 and sizes[-1] == sizes[-2]:
        out = out @ out.mT + torch.eye(sizes[-1], dtype=torch.float64)
    return (torch.complex(out, out.flip(-1) if out.dim() else out) if dtype.is_complex else out).to(dtype)


# ---- wrong ones ----

OTHER_DTYPES = {"f32": ["i64", "bool", "f64", "c64", "f16"], "i64": ["f32", "i32", "bool", "u8"]}


def wrong_sizes(spec):
    """Of the rank that it has."""
    for d, size in enumerate(spec.sizes):
        for other in (size + 1, 0, 1, size - 1):
            if 0 <= other != size:
                yield spec.other(sizes=[*spec.sizes[:d], other, *spec.sizes[d + 1:]])


def wrong_tensors(spec):
    yield from wrong_sizes(spec)
    sizes = spec.sizes
    ranks = [(), sizes[1:], sizes[:-1], (1, *sizes), (2, *sizes), (*sizes, 1), (1, 1, 1, *sizes), (3,)]
    for other in dict.fromkeys(ranks):
        if other != sizes:
            yield spec.other(sizes=other)
    for dtype in OTHER_DTYPES.get(spec.dtype, ["f32", "i64"]):
        yield spec.other(dtype=dtype)


def wrong_number(value, rank):
    for other in dict.fromkeys([-1, 0, 7, 100, -100, rank, -rank - 1, value + 1, value - 1]):
        if other != value:
            yield other


def wrong_lists(value, rank):
    yield []
    yield value[:-1]
    yield [*value, *value[-1:]]
    yield [*value, *value]
    for k, item in enumerate(value):
        if isinstance(item, int) and not isinstance(item, bool):
            for other in wrong_number(item, rank):
                yield [*value[:k], other, *value[k + 1:]]
        elif isinstance(item, Spec):
            for other in wrong_tensors(item):
                yield [*value[:k], other, *value[k + 1:]]


def wrong_values(value, kind, rank):
    if isinstance(value, Spec):
        yield from wrong_tensors(value)
        if kind.startswith("Optional["):
            yield None
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int) and "number" not in kind:
        yield from wrong_number(value, rank)
    elif isinstance(value, float):
        yield from (-value, 0.0, value + 1)
    if "number" in kind and not isinstance(value, (Spec, str)) and value is not None:
        yield from (300, -300)
    elif isinstance(value, str):
        yield "bogus"
    elif isinstance(value, list):
        yield from wrong_lists(value, rank)


def wrong_calls(call, values=wrong_values):
    """Calls that differ from a good one in one argument."""
    kinds = [str(p.type) for p in call.schema().arguments]
    specs = call.specs()
    rank = len(specs[0].sizes) if specs else 0
    for k, value in enumerate(call.arguments):
        for other in values(value, kinds[k], rank):
            yield Call(call.name, [*call.arguments[:k], other, *call.arguments[k + 1:]], [call.schema().arguments[k].name])


MIXED = 6  # tensors, at most, whose dtypes are changed in all ways


def mixed_calls(call):
    """Calls in which some of the float32 tensors, or all, are of another float dtype: kernels take some of these mixtures."""
    places = [k for k, spec in enumerate(call.specs()) if spec.dtype == "f32"]
    if len(places) > MIXED:
        return
    for chosen in range(1, 1 << len(places)):
        for dtype in ("bf16", "f64"):
            where = {place for bit, place in enumerate(places) if chosen >> bit & 1}
            given = iter([spec.other(dtype=dtype) if k in where else spec for k, spec in enumerate(call.specs())])
            mixed = [filled(a, given) for a in call.arguments]
            names = [p.name for p, a, was in zip(call.schema().arguments, mixed, call.arguments) if written(a, repr) != written(was, repr)]
            yield Call(call.name, mixed, names)


def uniform_calls(call):
    """Calls in which all of several float32 tensors are of another kind of dtype: what they give may be of another one again."""
    if sum(spec.dtype == "f32" for spec in call.specs()) < 2:
        return
    for dtype in ("i64", "u8", "bool", "c64", "f16"):
        given = iter([spec.other(dtype=dtype) if spec.dtype == "f32" else spec for spec in call.specs()])
        yield Call(call.name, [filled(a, given) for a in call.arguments])


def other_sizes(value, kind, rank):
    """The same with other sizes alone."""
    if isinstance(value, Spec):
        yield from wrong_sizes(value)
    elif isinstance(value, list):
        for k, item in enumerate(value):
            if isinstance(item, Spec):
                for other in wrong_sizes(item):
                    yield [*value[:k], other, *value[k + 1:]]
