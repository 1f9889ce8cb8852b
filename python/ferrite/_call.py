"""Calls of a program that was compiled in this process, on the memory of PyTorch's tensors: nothing is copied, and what a
call returns are tensors of PyTorch's own."""

import ctypes
from ctypes import POINTER, byref, c_int64, c_void_p

import torch

import ferrite_runtime as rt
from ferrite import text
from ferrite._library import RUN_ASSERTION, Artifact, Tensor, library

_CODES = {getattr(torch, name): number for number, name in rt.NAMES.items() if hasattr(torch, name)}
_DTYPES = {number: dtype for dtype, number in _CODES.items()}
_NUMBERS = {rt.I64: c_int64, rt.F64: ctypes.c_double, rt.BOOL: ctypes.c_uint8}


def _integers(values):
    return (c_int64 * max(1, len(values)))(*values)


def _is_fixed(numbers):
    return all(isinstance(number, int) for number in numbers)


# ---- a value of the graph, as the program takes or makes it ----


class _TensorPort:
    """A tensor; sizes and strides that are known ahead are written once."""

    def __init__(self, meta):
        self.dtype, self.code, self.rank = meta.dtype, _CODES[meta.dtype], meta.dim()
        self.is_fixed = _is_fixed(meta.shape) and _is_fixed(meta.stride())
        self.is_lazy = meta.is_conj() or meta.is_neg()
        self.sizes, self.strides = (tuple(numbers) if self.is_fixed else None for numbers in (meta.shape, meta.stride()))
        if not self.is_fixed:
            self._shape = compile("((" + "".join(text.expression(size) + "," for size in meta.shape) + "),(" +
                                  "".join(text.expression(step) + "," for step in meta.stride()) + "))", "sizes", "eval")

    def cell(self, tensors, place):
        """Writes what never changes; what a call sets is returned."""
        tensors[place] = Tensor(None, self.code, self.rank, _integers(self.sizes or [0] * self.rank),
                                _integers(self.strides or [0] * self.rank))
        start = ctypes.addressof(tensors) + place * ctypes.sizeof(Tensor)
        return c_void_p.from_address(start), tensors[place]

    def give(self, cell, value):
        """Points the cell at a tensor's memory. What keeps that memory alive is returned."""
        if self.is_lazy:
            value = value.resolve_conj().resolve_neg()
        if not self.is_fixed:
            _write(cell[1], value.shape, value.stride())
        cell[0].value = value.data_ptr()
        return value

    def make(self, cell, symbols):
        """A tensor for a result, at which the cell is pointed."""
        sizes, strides = (self.sizes, self.strides) if self.is_fixed else eval(self._shape, _ARITHMETIC, symbols)
        value = torch.empty_strided(sizes, strides, dtype=self.dtype)
        return self.give(cell, value)

    def taken(self, cell, value):
        return value


class _View:
    """A result that shows part of another one's memory."""

    def __init__(self, meta, whole):
        sizes, strides = (",".join(map(text.expression, [*numbers, 1])) for numbers in (meta.shape, meta.stride()))
        start = text.expression(meta.storage_offset() - whole.storage_offset())
        self._layout = compile(f"(({sizes})[:-1], ({strides})[:-1], {start})", "layout", "eval")

    def of(self, whole, symbols):
        sizes, strides, start = eval(self._layout, _ARITHMETIC, symbols)
        return whole.as_strided(sizes, strides, whole.storage_offset() + start)


_ARITHMETIC = {"__builtins__": {}, "min": min, "max": max}


def _write(tensor, sizes, strides):
    for d, (size, step) in enumerate(zip(sizes, strides)):
        tensor.sizes[d], tensor.strides[d] = size, step


class _LateTensorPort(_TensorPort):
    """A result whose sizes only the run knows: it is copied out of the program's memory."""

    def make(self, cell, symbols):
        cell[0].value = None
        return None

    def taken(self, cell, value):
        found = cell[1]
        sizes, strides = (list(numbers[:found.rank]) for numbers in (found.sizes, found.strides))
        made = torch.empty_strided(sizes, strides, dtype=self.dtype)
        reach = 0 if 0 in sizes else 1 + sum((size - 1) * step for size, step in zip(sizes, strides))
        ctypes.memmove(made.data_ptr(), found.data, reach * made.element_size())
        return made


class _NumberPort:
    """An int, float or bool."""

    def __init__(self, code):
        self.code = code

    def cell(self, tensors, place):
        number = _NUMBERS[self.code]()
        tensors[place] = Tensor(ctypes.addressof(number), self.code, 0, None, None)
        return number, tensors[place]

    def give(self, cell, value):
        cell[0].value = value
        return None

    def make(self, cell, symbols):
        return None

    def taken(self, cell, value):
        number = cell[0].value
        return bool(number) if self.code == rt.BOOL else number


class _NothingPort:
    """An argument that the program was traced with and does not read."""

    def cell(self, tensors, place):
        return None

    def give(self, cell, value):
        return None


def _port(meta, is_output=False):
    if isinstance(meta, torch.Tensor):
        unknown = any(str(symbol).startswith("u") for symbol, _ in text._symbols_in(meta))
        return (_LateTensorPort if is_output and unknown else _TensorPort)(meta)
    if isinstance(meta, (bool, torch.SymBool)):
        return _NumberPort(rt.BOOL)
    if isinstance(meta, (int, torch.SymInt)):
        return _NumberPort(rt.I64)
    if isinstance(meta, (float, torch.SymFloat)):
        return _NumberPort(rt.F64)
    return _NothingPort()


# ---- sizes of a call ----


def _sources(metas):
    """Where a call's arguments show the value of a symbol: its name, the argument, and a dimension or None."""
    found = {}
    for place, meta in enumerate(metas):
        if isinstance(meta, torch.SymInt) and meta.node.expr.is_Symbol:
            found.setdefault(str(meta.node.expr), (place, None))
        if isinstance(meta, torch.Tensor):
            for dimension, size in enumerate(meta.shape):
                if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
                    found.setdefault(str(size.node.expr), (place, dimension))
    return [(name, place, dimension) for name, (place, dimension) in found.items()]


# ---- calls ----


class _Frame:
    """What one call at a time works in: a context, and the arrays that its arguments and results are told in."""

    def __init__(self, program):
        self.context = c_void_p()
        if program.artifact.context_new(program.model, torch.get_num_threads(), byref(self.context)):
            raise MemoryError("ferrite: no memory for the program's arena")
        program.session.at_end(program.artifact.context_free, self.context)
        self.ins = (Tensor * max(1, len(program.ins)))()
        self.outs = (Tensor * max(1, len(program.outs)))()
        self.in_cells = [port.cell(self.ins, k) for k, port in enumerate(program.ins)]
        self.out_cells = [port.cell(self.outs, k) for k, port in enumerate(program.outs)]


class Program:
    """A compiled graph, called with the graph's arguments; it returns the graph's outputs. Several threads may call."""

    def __init__(self, session, written, metas):
        self.session = session  # the code lives as long
        artifact, self.model = POINTER(Artifact)(), c_void_p()
        session.check(library().fe_load(session.program, byref(artifact), byref(self.model)))
        self.artifact = artifact.contents
        self._constants = written.constants
        self.ins = [_port(meta) for meta in [*metas, *written.constants]]
        results = text.computed(written.outputs)
        self.outs = [_port(node.meta.get("val"), is_output=True) for node in results]
        self._views = [(_View(node.meta["val"], whole.meta["val"]), results.index(whole))
                       for node, whole in text.views(written.outputs).items()]
        shown = [*results, *text.views(written.outputs)]
        self._places = [self._place(value, shown) for value in written.outputs]
        self._sources = _sources(metas)
        self._idle = []

    @staticmethod
    def _place(value, results):
        """Where an output is found: (results, k), (arguments, k) or (None, the value itself)."""
        if not isinstance(value, torch.fx.Node):
            return None, value
        if value.op == "placeholder":
            inputs = [node for node in value.graph.nodes if node.op == "placeholder"]
            return "arguments", inputs.index(value)
        return "results", results.index(value)

    def __call__(self, arguments):
        frame = self._idle.pop() if self._idle else _Frame(self)
        held = [port.give(cell, value) for port, cell, value
                in zip(self.ins, frame.in_cells, [*arguments, *self._constants])]
        symbols = {name: arguments[place] if dimension is None else arguments[place].shape[dimension]
                   for name, place, dimension in self._sources}
        results = [port.make(cell, symbols) for port, cell in zip(self.outs, frame.out_cells)]
        status = self.artifact.run(frame.context, frame.ins, len(self.ins), frame.outs, len(self.outs))
        del held
        if status:
            self._fail(status, frame)
        results = [port.taken(cell, value) for port, cell, value in zip(self.outs, frame.out_cells, results)]
        self._idle.append(frame)
        results += [view.of(results[whole], symbols) for view, whole in self._views]
        found = {"results": results, "arguments": arguments}
        return [value if where is None else found[where][value] for where, value in self._places]

    def _fail(self, status, frame):
        message = self.artifact.error(frame.context).decode(errors="replace")
        self._idle.append(frame)
        raise RuntimeError(message if status == RUN_ASSERTION else f"ferrite: {message}")
