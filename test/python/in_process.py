"""Programs in FX text, compiled and run in this process without a C compiler, on inputs that end where memory ends."""

import ctypes
import json
import mmap
import os
import re
import sys
from ctypes import POINTER, byref, c_int64, c_void_p

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

from ferrite._library import Artifact, Tensor, library  # noqa: E402
from ferrite._session import Session  # noqa: E402
from ferrite_runtime import NAMES  # noqa: E402

CODES = {getattr(torch, name): number for number, name in NAMES.items() if hasattr(torch, name)}
NUMBERS = {number: dtype for dtype, number in CODES.items()}
PAGE, UNSUPPORTED, INTERNAL, NO_MEMORY = mmap.PAGESIZE, 4, 8, 7


class Refused(Exception):
    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind  # refused, unsupported, fault, or lapack: only what runs it is missing


class Slot:
    """Memory for one input, in front of a page that cannot be touched."""

    def __init__(self, size=64 * PAGE):
        self.size = size
        self.memory = mmap.mmap(-1, size + PAGE)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        if ctypes.CDLL(None).mprotect(c_void_p(self.start + size), ctypes.c_size_t(PAGE), 0):
            raise OSError("mprotect")

    def hold(self, tensor):
        size = tensor.numel() * tensor.element_size()
        if size > self.size:
            return tensor.data_ptr()
        ctypes.memmove(self.start + self.size - size, tensor.data_ptr(), size)
        return self.start + self.size - size


_slots = []


def _cell(tensor, k):
    while len(_slots) <= k:
        _slots.append(Slot())
    rank = tensor.dim()
    return Tensor(_slots[k].hold(tensor), CODES[tensor.dtype], rank, (c_int64 * max(rank, 1))(*tensor.shape),
                  (c_int64 * max(rank, 1))(*tensor.stride()))


def _taken(cell):
    sizes, strides = (list(numbers[:cell.rank]) if cell.rank else [] for numbers in (cell.sizes, cell.strides))
    made = torch.empty_strided(sizes, strides or sizes, dtype=NUMBERS[cell.dtype])
    reach = 0 if 0 in sizes else 1 + sum((size - 1) * step for size, step in zip(sizes, strides))
    if reach:
        ctypes.memmove(made.data_ptr(), cell.data, reach * made.element_size())
    return made


class Program:
    def __init__(self, text, **options):
        self.session = Session()
        self.context = None
        for option, value in {"no_cc": True, "cache": "", **options}.items():
            self.session.set(option, value)
        data = text.encode()
        self._check(library().fe_compile_memory(self.session._handle, b"call.fx", data, len(data), byref(self.session.program)))

    def _check(self, status, lapack=False):
        if status:
            message = library().fe_error(self.session._handle).decode(errors="replace").strip()
            if lapack and "LAPACK" in message:
                raise Refused("lapack", message)
            kind = {UNSUPPORTED: "unsupported", INTERNAL: "fault"}.get(status, "refused")
            raise Refused("unsupported" if re.match(r"error: \w+: cannot ", message) else kind, message)

    def load(self):
        artifact, model = POINTER(Artifact)(), c_void_p()
        self._check(library().fe_load(self.session.program, byref(artifact), byref(model)), lapack=True)
        self.artifact, self.context = artifact.contents, c_void_p()
        if self.artifact.context_new(model, 1, byref(self.context)):
            raise Refused("refused", "no memory for a context")
        self.session.at_end(self.artifact.context_free, self.context)

    def declared(self):
        """Tensors of the dtypes and sizes that the program says its results have; no numbers."""
        said = json.loads(library().fe_signature(self.session.program))
        return [torch.empty(result["sizes"], dtype=NUMBERS[result["dtype"]]) for result in said["outputs"]]

    def run(self, tensors):
        """Results; raises Refused."""
        if self.context is None:
            self.load()
        ins = (Tensor * max(1, len(tensors)))(*[_cell(tensor, k) for k, tensor in enumerate(tensors)])
        outs = (Tensor * max(1, self.artifact.output_count))()
        if self.artifact.run(self.context, ins, len(tensors), outs, self.artifact.output_count):
            message = self.artifact.error(self.context).decode(errors="replace")
            raise Refused("fault" if "ferrite's own" in message else "refused", message)
        return [_taken(outs[k]) for k in range(self.artifact.output_count)]
