"""A backend that runs kernels on its own device: it reads their text, kernel IR at one lane, and makes tensor operations
of it, for all elements at once. Kernels with loops of their own (sums, scans) it leaves to the library beside the graph.

    ferrite compile model.pt2 --emit fx -o out/model.json
    PYTHONPATH=out:examples/fx_backend python examples/fx_backend/reading_backend.py out/model.json
"""

import re
import sys

import torch

import counting_backend
import ferrite_fx

OPERATIONS = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.true_divide, "neg": torch.neg, "abs": torch.abs,
    "max": torch.maximum, "min": torch.minimum, "sqrt": torch.sqrt, "exp": torch.exp, "tanh": torch.tanh,
    "sigmoid": torch.sigmoid, "lt": torch.lt, "le": torch.le, "eq": torch.eq, "where": torch.where,
}
DTYPES = {"f32": torch.float32, "f64": torch.float64, "i32": torch.int32, "i64": torch.int64, "bool": torch.bool}
VALUE = re.compile(r"v(\d+) : (\w+) = (\w+) ?(.*)")
PLACE = re.compile(r"(b\d+)\[(.*)\]")
STORE = re.compile(r"store (b\d+)\[(.*)\] : \w+ = (.*)")


class Unreadable(Exception):
    """A kernel that this backend leaves to another."""


class Kernel:
    """Rows of columns: one body, run once for all of them."""

    def __init__(self, text):
        lines = [line.strip() for line in text.splitlines()]
        rows = next(k for k, line in enumerate(lines) if line.startswith("rows ("))
        self.rows = [axis.split(" < ") for axis in lines[rows][len("rows ("):-len(") {")].split(", ") if axis]
        inner = re.fullmatch(r"loop (\w+) in columns {", lines[rows + 1])
        self.columns = inner and inner[1]
        head = [line for line in lines[1:rows] if not line.startswith("buffer ")]
        self.body = head + lines[rows + 1 + bool(inner):lines.index("}", rows)]
        for line in self.body:
            value, store = VALUE.fullmatch(line), STORE.fullmatch(line)
            if not store and not (value and value[2] in DTYPES and value[3] in {"load", "cast", *OPERATIONS}):
                raise Unreadable(line)

    def run(self, buffers, ints, grid):
        known = {f"p{k}": number for k, number in enumerate(ints)}
        rest = torch.arange(grid[0]).unsqueeze(1)
        for name, *extent in reversed(self.rows):  # the first axis has what the others leave
            size = eval(extent[0], known) if extent else None
            known[name], rest = (rest % size, rest // size) if extent else (rest, None)
        known.update({self.columns: torch.arange(grid[1])} if self.columns else {}, max=_most, min=_least)
        memory = {f"b{k}": None if buffer is None else _flat(buffer) for k, buffer in enumerate(buffers)}
        for line in self.body:
            store = STORE.fullmatch(line)
            if store:
                place = torch.as_tensor(eval(store[2], known))
                value, place = torch.broadcast_tensors(_operand(store[3], known, memory[store[1]].dtype), place)
                memory[store[1]][place] = value
                continue
            number, dtype, operation, given = VALUE.fullmatch(line).groups()
            load = PLACE.fullmatch(given)
            if load:
                known["v" + number] = memory[load[1]][torch.as_tensor(eval(load[2], known))]
            else:
                operands = [_operand(each, known, DTYPES[dtype]) for each in given.split(", ")]
                value = operands[0] if operation == "cast" else OPERATIONS[operation](*operands)
                known["v" + number] = value.to(DTYPES[dtype])


def _most(*sizes):
    return torch.stack(torch.broadcast_tensors(*map(torch.as_tensor, sizes))).amax(0)


def _least(*sizes):
    return torch.stack(torch.broadcast_tensors(*map(torch.as_tensor, sizes))).amin(0)


def _operand(text, known, dtype):
    """v3, 0.5, or f32 0.5 in a line of another dtype."""
    if text in known:
        return known[text]
    *own, number = text.split()
    return torch.tensor(float(number), dtype=DTYPES[own[0]] if own else dtype)


def _flat(buffer):
    """The memory of a tensor, from its first element on."""
    return buffer.as_strided((buffer.untyped_storage().nbytes() // buffer.element_size() - buffer.storage_offset(),), (1,))


class ReadingBackend(ferrite_fx.Backend):
    def __init__(self, library):
        super().__init__(library)
        self.own, self.left = {}, set()
        for name, text in library.kernels.items():
            try:
                self.own[name] = Kernel(text)
            except Unreadable:
                self.left.add(name)

    def kernel(self, name, buffers, ints, grid, mutated, cost, checks=()):
        if name in self.left:
            return super().kernel(name, buffers, ints, grid, mutated, cost, checks)
        self.own[name].run(buffers, ints, grid)


def main(path):
    module, wanted = ferrite_fx.load(path, backend=ReadingBackend), ferrite_fx.load(path)
    inputs = counting_backend.sample_inputs(module)
    as_tuple = lambda given: given if isinstance(given, tuple) else (given,)
    for ours, theirs in zip(as_tuple(module(*inputs)), as_tuple(wanted(*inputs))):
        print("output", list(ours.shape), "as the library's" if torch.allclose(ours, theirs) else "not the library's")
    print(len(module.library.own), "kernels of its own,", len(module.library.left), "left to the library")


if __name__ == "__main__":
    main(sys.argv[1])
