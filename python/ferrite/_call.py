"""Calls of a program that was compiled in this process, on the memory of PyTorch's tensors: nothing is copied, and what a
call returns are tensors of PyTorch's own. A call is one Python function, written for the program: what never changes is
in the arrays that the program is given already, the rest is one line for each number."""

import ctypes
import functools
import math
import os
import sys
import threading
import weakref
from ctypes import CFUNCTYPE, POINTER, byref, c_int64, c_void_p

import torch
from torch._dynamo.utils import dynamo_timed

import ferrite_runtime as rt
from ferrite import text
from ferrite._library import RUN_ASSERTION, Artifact, Call, Storage, Tensor, library
from ferrite._session import Error
from ferrite._sizes import expression, formula, symbols_in, told

_CODES = {getattr(torch, name): number for number, name in rt.NAMES.items() if hasattr(torch, name)}
_WORD = 8  # arrays are written by words, addresses and int64 alike
_WORDS = ctypes.sizeof(Tensor) // _WORD  # of an fe_tensor: data, dtype and rank, sizes, strides
_ALLOC = CFUNCTYPE(c_void_p, c_void_p, ctypes.c_uint32, c_int64)
# the shortest way to a tensor, which leaves out what dispatches to devices and subclasses
_empty = getattr(torch._C._dynamo.guards, "_empty_strided_cpu", None) or (
    lambda sizes, strides, dtype: torch.empty_strided(sizes, strides, dtype=dtype))


def _is_fixed(numbers):
    return all(isinstance(number, int) for number in numbers)


def _tuple(numbers):
    return "(" + "".join(expression(number) + "," for number in numbers) + ")"


class _Numbers:
    """What the arrays of sizes, strides and scalars hold; a program has one such array in each frame."""

    def __init__(self):
        self.values = []

    def add(self, values):
        """Where they stand."""
        self.values += values
        return len(self.values) - len(values)


# ---- a value of the graph, as the program takes or makes it ----


class _Port:
    """dtype code, rank and where sizes and strides stand; lines that give it to a call."""
    code, rank, numbers, place = 0, 0, None, None

    def describe(self, numbers):
        pass

    def give(self, k, name):
        return []


class _TensorPort(_Port):
    def __init__(self, meta):
        self.meta, self.code, self.rank = meta, _CODES[meta.dtype], meta.dim()
        self.is_fixed = _is_fixed(meta.shape) and _is_fixed(meta.stride())
        self.is_lazy = meta.is_conj() or meta.is_neg()

    def describe(self, numbers):
        known = [*self.meta.shape, *self.meta.stride()] if self.is_fixed else [0] * (2 * self.rank)
        self.place = numbers.add(known)

    def give(self, k, name):
        """Lines that point input k at the tensor of this name."""
        lines = []
        if self.is_lazy:
            lines, name = [f"x{k} = {name}.resolve_conj().resolve_neg()"], f"x{k}"
        lines.append(f"ins[{k * _WORDS}] = {name}.data_ptr()")
        if not self.is_fixed and self.rank:
            lines.append(f"numbers[{self.place}:{self.place + 2 * self.rank}] = array('q', (*{name}.shape, *{name}.stride()))")
        return lines

    def lies(self, k, name):
        """Lines that say where in its storage it lies."""
        return [f"storages[{2 * k}] = {name}.storage_offset()",
                f"storages[{2 * k + 1}] = {name}.untyped_storage().nbytes() // {name}.element_size()"]

    def make(self, k, name, constants):
        """Lines that make the tensor of output k."""
        constants[f"dtype_{name}"] = self.meta.dtype
        sizes, strides = _tuple(self.meta.shape), _tuple(self.meta.stride())
        lines = []
        if not self.is_fixed:  # the last call has left the program's own arrays there
            at = f"place + {_WORD * self.place}"
            lines = [f"sizes, strides = {sizes}, {strides}",
                     f"numbers[{self.place}:{self.place + 2 * self.rank}] = array('q', (*sizes, *strides))",
                     f"outs[{k * _WORDS + 2}] = {at}", f"outs[{k * _WORDS + 3}] = {at} + {_WORD * self.rank}"]
            sizes, strides = "sizes", "strides"
        return [*lines, f"{name} = empty({sizes}, {strides}, dtype_{name})", f"outs[{k * _WORDS}] = {name}.data_ptr()"]

    def taken(self, k, name):
        return []


class _LateTensorPort(_TensorPort):
    """A result whose sizes only the run knows, which then asks for memory."""
    is_late = True

    def make(self, k, name, constants):
        constants[f"dtype_{name}"] = self.meta.dtype
        return [f"outs[{k * _WORDS}] = 0"]

    def taken(self, k, name):
        return [f"{name} = frame.late({k}, dtype_{name}, ({self.owners}))"]


class _NumberPort(_Port):
    """An int, float or bool."""

    def __init__(self, code):
        self.code, self.array = code, "reals" if code == rt.F64 else "numbers"

    def describe(self, numbers):
        self.place = numbers.add([0])

    def give(self, k, name):
        return [f"{self.array}[{self.place}] = {name}"]

    def make(self, k, name, constants):
        return []

    def taken(self, k, name):
        return [f"{name} = {self.array}[{self.place}]" + (" != 0" if self.code == rt.BOOL else "")]


class _RaggedPort(_NumberPort):
    """What stands for the lengths of a nested tensor's rows: it goes by its name, and no graph of plain tensors reads it."""

    def give(self, k, name):
        return []


def _is_ragged(meta):
    hint = meta.node.hint if isinstance(meta, torch.SymInt) else None
    return isinstance(hint, torch.SymInt) and hint.node.is_nested_int()


def _port(meta, only_run_knows=lambda atom: False):
    if isinstance(meta, torch.Tensor):
        unknown = any(only_run_knows(atom) for atom, _ in symbols_in(meta))
        return (_LateTensorPort if unknown else _TensorPort)(meta)
    if isinstance(meta, (bool, torch.SymBool)):
        return _NumberPort(rt.BOOL)
    if isinstance(meta, (int, torch.SymInt)):
        return (_RaggedPort if _is_ragged(meta) else _NumberPort)(rt.I64)
    if isinstance(meta, (float, torch.SymFloat)):
        return _NumberPort(rt.F64)
    return _Port()  # an argument that the program was traced with and does not read


def _view(name, node, whole, whole_name, constants):
    """A line that makes a result which shows part of another one's memory, or of an argument's, as other elements too."""
    meta, of = node.meta["val"], whole.meta["val"]
    sizes, strides = _tuple(meta.shape), _tuple(meta.stride())
    is_conj, is_neg = meta.is_conj(), meta.is_neg()
    if meta.dtype == of.dtype:
        start = expression(meta.storage_offset() - of.storage_offset())
        made = f"{whole_name}.as_strided({sizes}, {strides}, {whole_name}.storage_offset() + {start})"
        is_conj, is_neg = is_conj != of.is_conj(), is_neg != of.is_neg()
    else:
        constants[f"dtype_{name}"] = meta.dtype
        start = expression(meta.storage_offset() * meta.itemsize - of.storage_offset() * of.itemsize)
        first = f"({whole_name}.storage_offset() * {of.itemsize} + {start}) // {meta.itemsize}"
        made = f"tensor(0, dtype=dtype_{name}).set_({whole_name}.untyped_storage(), {first}, {sizes}, {strides})"
    return f"{name} = {made}{'.conj()' if is_conj else ''}{'._neg_view()' if is_neg else ''}"


def _symbols(metas, made):
    """Lines that find the value of each symbol in the arguments, and what comes of floats among the sizes of what is made."""
    found = {}
    for name, k, what, dimension in told(metas):
        found.setdefault(name, f"a{k}" if what is None else f"a{k}.{what}({dimension})")
    for atom, _ in symbols_in(made):
        if not atom.is_Symbol and all(str(symbol) in found for symbol in atom.free_symbols):
            found.setdefault(expression(atom), formula(atom))
    return [f"{name} = {source}" for name, source in found.items()]


# ---- calls ----


class _Frame:
    """What one call at a time works in: a context, and the arrays that its arguments and results are told in."""

    def __init__(self, program):
        self.context, self.made = c_void_p(), {}
        if program.artifact.context_new(program.model, torch.get_num_threads(), byref(self.context)):
            raise MemoryError("ferrite: no memory for the program's arena")
        program.session.at_end(program.artifact.context_free, self.context)
        signature = program.signature
        self._numbers = (c_int64 * max(1, len(signature.numbers)))(*signature.numbers)
        self._ins, self._outs = ((Tensor * max(1, len(slots)))() for slots in (signature.ins, signature.outs))
        self._storages = (Storage * max(1, len(signature.ins)))()
        self._versions = (c_int64 * max(1, len(signature.ins)))()
        place = ctypes.addressof(self._numbers)
        for tensors, slots in ((self._ins, signature.ins), (self._outs, signature.outs)):
            for tensor, slot in zip(tensors, slots):
                tensor.dtype, tensor.rank = slot.code, slot.rank
                if slot.place is None:
                    continue
                sizes = [ctypes.cast(place + _WORD * (slot.place + k * slot.rank), POINTER(c_int64)) for k in (0, 1)]
                tensor.sizes, tensor.strides = sizes if slot.rank else (None, None)
                if slot.is_number:
                    tensor.data = place + _WORD * slot.place
        self._alloc = _ALLOC(self._give) if signature.is_late else _ALLOC()
        self._call = Call(ctypes.sizeof(Call), len(signature.ins), len(signature.outs), ctypes.addressof(self._ins),
                          ctypes.addressof(self._outs), ctypes.addressof(self._storages) if signature.takes_storages else None,
                          ctypes.cast(self._alloc, c_void_p), None, ctypes.addressof(self._versions))
        words, numbers = (lambda array, kind="Q": memoryview(array).cast("B").cast(kind)), self._numbers
        self.parts = (self, self.context.value, ctypes.addressof(self._call), words(self._ins), words(self._outs),
                      words(numbers, "q"), words(numbers, "d"), words(self._storages, "q"), words(self._versions, "q"), place)

    def _give(self, _, output, size):
        try:
            memory = torch.empty(size, dtype=torch.uint8)
        except RuntimeError:
            return 0
        self.made[output] = memory
        return memory.data_ptr()

    def late(self, k, dtype, arguments):
        """The tensor of an output in memory that the run has asked for, maybe for another one, or of an argument."""
        found = self._outs[k]
        sizes, strides = found.sizes[:found.rank], found.strides[:found.rank]
        for owner in (*self.made.values(), *arguments):
            storage = owner.untyped_storage()
            start = (found.data or 0) - storage.data_ptr()
            if 0 <= start < storage.nbytes():
                return torch.empty(0, dtype=dtype).set_(storage, start // dtype.itemsize, sizes, strides)
        if 0 not in sizes:
            raise RuntimeError("ferrite: a result lies nowhere")
        return torch.empty_strided(sizes, strides, dtype=dtype)


_loading = weakref.WeakSet()  # threads, none of which a forked process has


def _finish_loading():
    for thread in list(_loading):
        thread.join()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish_loading)


def _is_held(k):
    """An expression: does anybody but the list of arguments hold this one, or its memory?"""
    name = f"arguments[{k}]"
    return f"references({name}) > 2 or {name}._use_count() > 1 or storage_references({name}.untyped_storage()._cdata) > 2"


class _Slot:
    """Of an argument or result in a frame's arrays: dtype code, rank, where sizes and strides stand, and is it a number?"""

    def __init__(self, port):
        self.code, self.rank, self.place = port.code, port.rank, port.place
        self.is_number = isinstance(port, _NumberPort)


class Signature:
    """How a graph is called: lines of Python, and what they name. It can be pickled where its constants can."""

    def __init__(self, written, metas, frozen=()):
        """written: a text.Text. metas: of its arguments. frozen: numbers of arguments that change no more, or by what PyTorch
        counts as a change."""
        self.takes_storages, self.frozen = written.counts_from_start, frozen
        self._results = text.computed(written.outputs)
        ins = [_port(meta) for meta in [*metas, *written.constants]]
        outs = [_port(node.meta.get("val"), written.only_run_knows) for node in self._results]
        self.is_late = any(isinstance(port, _LateTensorPort) for port in outs)
        owners = "".join(f"a{k}, " for k, port in enumerate(ins[:len(metas)]) if isinstance(port, _TensorPort))
        numbers = _Numbers()
        for port in [*ins, *outs]:
            port.describe(numbers)
            port.owners = owners
        self.numbers = numbers.values
        self.constants = {f"c{k}": value for k, value in enumerate(written.constants)}
        self.lines = list(self._lines(written, metas, ins, outs))
        self.ins, self.outs = ([_Slot(port) for port in ports] for ports in (ins, outs))
        del self._results

    def _lines(self, written, metas, ins, outs):
        names, constants = [f"a{k}" for k in range(len(metas))], self.constants
        yield from [f"{''.join(name + ', ' for name in names)}= arguments", "arguments.clear()"] if names else []
        yield from ["try:", "    parts = idle.pop()", "except IndexError:", "    parts = new_frame().parts",
                    "frame, context, call, ins, outs, numbers, reals, storages, versions, place = parts"]
        made = [value.meta.get("val") for value in written.outputs if isinstance(value, torch.fx.Node)]
        yield from _symbols(metas, made)
        for k, port in enumerate(ins):
            name = names[k] if k < len(names) else f"c{k - len(names)}"
            yield from port.give(k, name)
            if self.takes_storages and isinstance(port, _TensorPort):
                yield from port.lies(k, name)
        for k in self.frozen:
            if isinstance(ins[k], _TensorPort) and not ins[k].is_lazy:
                yield f"versions[{k}] = 1 if {names[k]}.is_inference() else {names[k]}._version + 1"
        for k, port in enumerate(outs):
            yield from port.make(k, f"r{k}", constants)
        yield from ["status = run(context, call)", "if status:", "    fail(status, frame)"]
        for k, port in enumerate(outs):
            yield from port.taken(k, f"r{k}")
        yield from ["frame.made.clear()"] if self.is_late else []
        yield "idle.append(parts)"
        shown = {node: f"r{k}" for k, node in enumerate(self._results)} | dict(zip(written.placeholders, names))
        views = text.views(written.outputs)
        for k, (node, whole) in enumerate(views.items()):
            yield _view(f"v{k}", node, whole, shown[whole], constants)
        shown.update({node: f"v{k}" for k, node in enumerate(views)})
        constants.update({f"k{k}": value for k, value in enumerate(written.outputs) if not isinstance(value, torch.fx.Node)})
        yield "return [" + ", ".join(shown[value] if isinstance(value, torch.fx.Node) else f"k{k}"
                                     for k, value in enumerate(written.outputs)) + "]"


class Program:
    """A compiled graph. `run`, another function behind the first call, takes the list of the graph's arguments, which it
    empties, and returns the graph's outputs. Several threads may call.

    From load() on the C compiler works beside the caller, who has other graphs to trace; the first call waits for it."""

    def __init__(self, session, signature, refused=None, spared=None):
        """session: of a program that has been compiled. refused: gives what is called instead when there is no code after all, of the Error; None: it is raised. spared:
        gives what is called instead where somebody else holds an argument that this program overwrites."""
        self._refused, self._spared = refused, spared and functools.cache(spared)
        self.session, self.signature = session, signature  # the code lives as long as the session
        self.artifact, self.model, self._error = None, c_void_p(), None
        self._idle, self._first = [], threading.Lock()
        self._loading = None

        def first(arguments):
            with self._first, dynamo_timed("ferrite_compile"):
                if self.run is first:
                    self.run = self._loaded()
            return self.run(arguments)
        self.run = first

    def call(self, arguments):
        return self.run(arguments)

    def load(self):
        """Begins to make the code; once."""
        self._loading = threading.Thread(target=self._load, name="ferrite cc")
        _loading.add(self._loading)
        self._loading.start()

    def _load(self):
        artifact = POINTER(Artifact)()
        try:
            self.session.check(library().fe_load(self.session.program, byref(artifact), byref(self.model)))
            self.artifact = artifact.contents
        except Error as error:
            self._error = error

    def wait(self):
        """For the code; raises what the C compiler says against it."""
        if not self._loading:
            self.load()
        self._loading.join()
        if self._error:
            raise self._error

    def _loaded(self):
        """The function of a call, once there is code."""
        refused, self._refused = self._refused, None
        try:
            self.wait()
        except Error as error:
            if not refused:
                raise
            return refused(error)
        return self._write()

    def _unless_held(self):
        """Lines in front of the others."""
        overwritten = self.artifact.donated[:self.artifact.donated_count] if self.artifact.donated_count else ()
        if overwritten:
            yield f"if keeps_graph() or {' or '.join(map(_is_held, overwritten))}: return spared()(arguments)"

    def _write(self):
        body = "".join(f"    {line}\n" for line in [*self._unless_held(), *self.signature.lines])
        run = CFUNCTYPE(ctypes.c_int, c_void_p, c_void_p)(self.artifact.call)
        names = {**self.signature.constants, "idle": self._idle, "run": run, "new_frame": lambda: _Frame(self),
                 "fail": self._fail, "empty": _empty, "tensor": torch.empty, "math": math, "spared": self._spared,
                 "keeps_graph": torch._C._autograd._get_current_graph_task_keep_graph, "references": sys.getrefcount,
                 "storage_references": torch._C._storage_Use_Count, "array": __import__("array").array}
        exec(compile(f"def call(arguments):\n{body}", "<ferrite call>", "exec"), names)
        return names["call"]

    def _fail(self, status, frame):
        message = self.artifact.error(frame.context).decode(errors="replace")
        frame.made.clear()
        self._idle.append(frame.parts)
        raise RuntimeError(message if status == RUN_ASSERTION else f"ferrite: {message}")
