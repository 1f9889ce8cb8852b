#!/usr/bin/env python3
"""Where results lie: each row of ops.def, called by PyTorch on tensors in many layouts, against what inference says of the
same call: which input a result shares memory with, and its strides and offset where a dimension has several elements.

    test_layouts.py [--seed N] [--tries N] [--only TEXT] [--verbose]

Arguments are drawn by the names and types in the schema; calls that PyTorch refuses are drawn again.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import warnings

import torch

from calls import operator_rows

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FERRITE = os.environ.get("FERRITE", os.path.join(ROOT, "build", "ferrite"))
NAMES = {torch.float32: "f32", torch.float64: "f64", torch.int64: "i64", torch.bool: "bool", torch.complex64: "c64"}
# PyTorch looks at no sizes in these, and reads or writes where it should not.
UNCHECKED = re.compile(r"rrelu_with_noise_|batch_norm_no_update|^native_batch_norm$|batch_norm_legit|_dyn_quant_matmul|_scaled_mm|"
                       r"_fft_c2r|pool[23]d_backward|reflection_pad|^lstm$|^mkldnn_rnn_layer$|_chunk_cat|_foreach_copy")
# What these share is not for their readers to rely on, or is what they are there to change.
OWN_WAY = {
    "aten._unsafe_view.default": "nobody looks at its argument afterwards",
    "aten.set.source_Tensor": "what it is given other memory",
    "aten.set_.default": "likewise",
    "aten.set_.source_Tensor": "likewise",
    "aten.slice_inverse.default": "functionalisation's own",
    "aten._functional_sym_constrain_range.default": "a token",
    "aten._functional_sym_constrain_range_for_size.default": "a token",
    "aten._masked_softmax.default": "laid out by the fake tensor's rule",
    "aten._weight_norm_interface.default": "likewise",
    "aten.index.Tensor_hacked_twin": "likewise",
    "aten.linalg_matrix_power.default": "likewise",
    "aten.log_sigmoid_backward.default": "likewise",
}
FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


# ---- arguments ----


class Draw:
    """Arguments of one call: shapes go by one, so that they often fit each other."""

    def __init__(self, rng):
        self.rng, self.inputs = rng, []
        self.rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5])
        self.shape = [rng.choice([1, 2, 2, 3, 4, 4, 6]) for _ in range(self.rank)]
        if rng.random() < 0.3:
            self.shape = [rng.choice([2, 3, 4])] * self.rank
        self.dtype = rng.choice([torch.float32] * 6 + [torch.int64, torch.bool, torch.complex64])
        self.format = rng.choice(["dense", "dense", "any", "permuted", "last", "sliced", "expanded"])

    def laid_out(self, shape, dtype):
        rng, format = self.rng, self.format
        if format == "any":
            format = rng.choice(["dense", "permuted", "last", "sliced", "expanded"])
        def make(sizes):
            values = torch.rand(sizes) * 0.9 + 0.05
            return (values > 0.5) if dtype == torch.bool else (values * 2).to(dtype)
        if format == "permuted":
            order = rng.sample(range(len(shape)), len(shape))
            return make([shape[d] for d in order]).permute([order.index(d) for d in range(len(shape))])
        if format == "last" and len(shape) in FORMATS:
            return make(shape).contiguous(memory_format=FORMATS[len(shape)])
        if format == "sliced":
            return make([2 * s + 1 for s in shape])[tuple(slice(1, None, 2) for _ in shape)]
        if format == "expanded":
            return make([1 if rng.random() < 0.4 else s for s in shape]).expand(shape)
        return make(shape)

    def tensor(self, name=""):
        rng, shape, dtype = self.rng, self.shape, self.dtype
        kind = rng.random()
        if self.inputs and kind < 0.08:
            shape = shape[1:]
        elif self.inputs and kind < 0.12:
            shape = []
        elif self.inputs and kind < 0.2:
            shape = [1 if rng.random() < 0.5 else s for s in shape]
        elif self.inputs and kind < 0.25 and shape:
            shape = [shape[min(1, len(shape) - 1)]]
        if re.search("ind|mask|target|offset|condition", name):
            dtype = torch.bool if "mask" in name or "cond" in name else torch.int64
        made = self.laid_out(shape, dtype)
        self.inputs.append(made)
        return made

    def integer(self, name):
        rng = self.rng
        if re.search("dim|axis|axes|source|destination", name):
            return rng.randint(-self.rank, self.rank)
        return rng.choice([0, 1, 1, 2, 2, 3, -1])

    def sizes(self, name):
        rng, shape = self.rng, self.shape
        total = 1
        for s in shape:
            total *= s
        if re.search("dim|axis|axes|source|destination", name):
            if rng.random() < 0.6:
                return rng.sample(range(self.rank), self.rank)
            return sorted(rng.sample(range(self.rank), rng.randint(0, self.rank)))
        if re.search("^(size|shape|sizes|output_size)$", name):
            merged = [shape[0] * shape[1], *shape[2:]] if len(shape) > 1 else [1, total]
            return rng.choice([list(shape), [-1], [total], [1, *shape], [*shape, 1], merged, [-1, shape[-1] if shape else 1],
                               [2, -1], [4] * self.rank, [4, 4], [4, 4, 4]])
        if name in ("stride", "strides", "split_sizes", "indices"):
            return [rng.choice([1, 1, 2]) for _ in range(rng.choice([self.rank, 1, 2, 3]))]
        one = rng.choice([0, 1, 1, 2, 2])
        return [one] * rng.choice([self.rank, max(self.rank - 2, 0), 1, 2])

    def value(self, param):
        rng, kind, name = self.rng, str(param.type), param.name
        if param.has_default_value() and rng.random() < 0.5:
            return param.default_value
        if kind.startswith("Optional["):
            if rng.random() < 0.4:
                return None
            kind = kind[9:-1]
        if kind == "Tensor":
            return self.tensor(name)
        if kind in ("List[Tensor]", "List[Optional[Tensor]]"):
            return [self.tensor(name) for _ in range(rng.choice([1, 1, 2, 2, 3]))]
        if name == "memory_format":
            return rng.choice([torch.contiguous_format, torch.preserve_format, FORMATS.get(self.rank)])
        if name in ("layout", "pin_memory", "generator"):
            return None
        if name == "device":
            return torch.device("cpu")
        if name == "dtype":
            return rng.choice([self.dtype, torch.float32, torch.float64, torch.int64])
        if name == "indexing":
            return rng.choice(["ij", "xy"])
        if name == "equation":
            return rng.choice(["ij->ji", "ij->ij", "ii->i", "ijk->kij", "...i->i...", "i->i", "ij->i", "ij,ij->ij", "ij,j->i",
                               "ij,jk->ik", "abcd->badc", "abb->ab", "a...->...a", ",ij->ij", "ij,->ji"])
        if kind == "bool":
            return rng.random() < 0.5
        if kind == "int" or kind == "SymInt":
            return self.integer(name)
        if kind in ("List[int]", "List[SymInt]"):
            return self.sizes(name)
        if kind == "float":
            return rng.choice([0.0, 0.5, 1.0, 2.0])
        if kind == "number":
            return rng.choice([1, 2, 0.5, 2.5])
        if kind == "str":
            return rng.choice(["mean", "sum", "none", "floor"])
        if kind == "List[float]":
            return [rng.choice([1.0, 2.0]) for _ in range(rng.choice([1, 2, 3]))]
        raise NotImplementedError(kind)


# ---- one call, by PyTorch ----


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return []


def layout(tensor, inputs):
    """(input that it shares memory with or None, sizes, strides where they matter, offset)"""
    owner = next((k for k, x in enumerate(inputs) if x.untyped_storage()._cdata == tensor.untyped_storage()._cdata), None)
    start = inputs[owner].storage_offset() * inputs[owner].element_size() if owner is not None else 0
    offset = (tensor.storage_offset() * tensor.element_size() - start) // tensor.element_size()
    strides = [step if size > 1 and tensor.numel() else None for size, step in zip(tensor.shape, tensor.stride())]
    return owner, list(tensor.shape), strides, offset if tensor.numel() and owner is not None else None


def call(function, schema, rng):
    draw = Draw(rng)
    arguments = [draw.value(param) for param in schema.arguments]
    given = [(a.shape, a.stride()) for a in draw.inputs]
    plain = {p.name: a for p, a in zip(schema.arguments, arguments) if p.kwarg_only}
    result = function(*[a for p, a in zip(schema.arguments, arguments) if not p.kwarg_only], **plain)
    results = leaves(result)
    if not draw.inputs or not results or any(t.numel() > 100000 or t.layout != torch.strided for t in results):
        raise ValueError
    if any(t.dtype not in NAMES for t in draw.inputs):
        raise ValueError
    return draw.inputs, given, arguments, [layout(t, draw.inputs) for t in results]


# ---- the same call, in FX text ----


def text_of(value, names):
    if isinstance(value, torch.Tensor):
        return names[id(value)]
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text_of(item, names) for item in value) + "]"
    if isinstance(value, str):
        return f'"{value}"'
    return str(value)


def contiguous(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


class Sample:
    def __init__(self, number, name, made):
        inputs, given, arguments, self.results = made
        self.node, self.name = f"n{number}", name
        names = {id(x): f"%i{number}_{k}" for k, x in enumerate(inputs)}
        self.inputs = [f'  placeholder {names[id(x)]} user "i{number}_{k}" : {NAMES[x.dtype]}'
                       f"[{','.join(map(str, shape))}]{{{','.join(map(str, strides))}}}"
                       for k, (x, (shape, strides)) in enumerate(zip(inputs, given))]
        self.call = f"  %{self.node} = {name}({', '.join(text_of(a, names) for a in arguments)})"

    def text(self):
        return "\n".join([*self.inputs, self.call])


# ---- what ferrite says ----

TENSOR = re.compile(r"\w+\[([^\]]*)\](?:\{([^}]*)\})?(?:\+([^@,)]+))?@(\d+)")


def numbers(listed):
    return [int(n) if re.fullmatch(r"-?\d+", n) else n for n in listed.split(",") if n] if listed else []


def inferred(samples):
    """Node to its results; refused calls to their diagnostic."""
    found, refused, left = {}, {}, list(samples)
    while left:
        text = "graph main {\n" + "\n".join(s.text() for s in left) + f"\n  output (user %{left[0].node})\n}}\n"
        run = subprocess.run([FERRITE, "inspect", "--stage", "fx", "--no-passes", "-"], input=text, capture_output=True, text=True)
        bad = re.search(r"%(n\d+)\b", run.stderr) if run.returncode else None
        line = re.search(r"-:(\d+)", run.stderr) if run.returncode and not bad else None
        if line:
            bad = re.search(r"%(n\d+) =", text.split("\n")[int(line[1]) - 1])
        if run.returncode and not bad:
            sys.exit("ferrite refuses without naming a node: " + run.stderr[:500])
        if not run.returncode:
            for printed in run.stdout.split("\n"):
                node = re.match(r"  %(n\d+) = .*? : (.*)$", printed)
                if node:
                    found[node[1]] = printed
            storages = {m[1]: m[2] for m in re.finditer(r"placeholder %(\w+) .*@(\d+)", run.stdout)}
            return found, refused, storages
        refused[bad[1]] = run.stderr.strip()
        left = [s for s in left if s.node != bad[1]]
    return found, refused, {}


def differences(sample, printed, storages):
    own = {storages[f"i{sample.node[1:]}_{k}"]: k for k in range(len(sample.inputs))}
    values = TENSOR.findall(printed.rsplit(" : ", 1)[1])
    if len(values) != len(sample.results):
        return [("RESULTS", f"{len(values)}, PyTorch has {len(sample.results)}")]
    wrong = []
    for k, ((sizes, strides, offset, storage), (owner, shape, steps, start)) in enumerate(zip(values, sample.results)):
        mine, mine_strides = numbers(sizes), numbers(strides)
        if own.get(storage) != owner:
            wrong.append(("ALIAS", f"result {k} lies in input {own.get(storage)}, PyTorch's in {owner}"))
        late = any(isinstance(n, str) for n in mine)
        if not late and mine == shape and any(b is not None and a != b for a, b in zip(mine_strides, steps)):
            wrong.append(("STRIDES", f"result {k} {shape} has strides {mine_strides}, PyTorch's {steps}"))
        if start is not None and offset != str(start) and (offset or start) and not late:
            wrong.append(("OFFSET", f"result {k} begins at {offset or 0}, PyTorch's at {start}"))
    return wrong


# ---- all of it ----


def draw_samples(args):
    samples, without = [], []
    for space, base, overload, rest, _ in operator_rows():
        if space not in ("aten", "prims") or UNCHECKED.search(base):
            continue
        name = f"{space}.{base}.{overload or 'default'}"
        if args.only and not re.search(args.only, name):
            continue
        function = getattr(getattr(getattr(torch.ops, space), base, None), overload or "default", None)
        if function is None or "Tensor" not in rest.split("->")[0] or "Tensor" not in rest.split("->")[1]:
            continue
        rng, made = random.Random(f"{args.seed} {name}"), []
        torch.manual_seed(args.seed)
        for _ in range(args.tries):
            try:
                made.append(call(function, function._schema, rng))
            except NotImplementedError:
                pass
            except (RuntimeError, ValueError, TypeError, IndexError, AttributeError, OverflowError, ZeroDivisionError, AssertionError):
                continue
            if len(made) == args.samples:
                break
        if not made:
            without.append(name)
        samples += [Sample(len(samples) + k, name, one) for k, one in enumerate(made)]
    return samples, without


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tries", type=int, default=14)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--only")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    samples, without = draw_samples(args)
    print(f"{len(samples)} calls of {len({s.name for s in samples})} operators, none of {len(without)}")
    if args.verbose:
        print("none of", *without)
    found, refused, storages = inferred(samples)
    failed = 0
    for s in samples:
        if s.node in refused:
            if args.verbose:
                print("REFUSED", s.name, s.call, refused[s.node])
            continue
        if s.name in OWN_WAY:
            continue
        for kind, wrong in differences(s, found[s.node], storages):
            failed += 1
            print(kind, s.name, wrong)
            if args.verbose:
                print(s.text())
    print(f"{len(samples) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
