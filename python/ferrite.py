"""ferrite in Python: programs in, what runs them out. The library does the work (ferrite.h), through ctypes.

    import ferrite, ferrite_ops

    program = ferrite.compile(torch.export.export(model, (x,)))     # or the path of a .pt2, or of FX text
    y = program(x)                                                   # torch tensors, numpy arrays, DLPack
    program.write("model.so")                                        # C library; model.py, model.json: as --emit; dir/: C

    ferrite.compile("model.pt2", ops=["./libmyops.so"], split="op=mm", ...)    # options of fe_set(), - as _

Operators of one's own are those that ferrite_ops.op() has declared. Those of an exported program that PyTorch alone
knows (torch.library.custom_op, torch.library.define) need not even that: they are found in the program and call
PyTorch's kernels, through the out overload where there is one that fits.
"""

import ctypes
import importlib.util
import os
import sys
import tempfile
from ctypes import POINTER, byref, c_char_p, c_int, c_void_p

import ferrite_ops

__all__ = ["Error", "Program", "compile"]


class Error(Exception):
    """ferrite refuses; the message is its diagnostic."""


def _load_library():
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(here, os.pardir, "build", "libferrite.so")
    places = [os.environ.get("FERRITE_LIBRARY"), built, "libferrite.so.0"]
    for place in places:
        if place and (os.path.exists(place) or os.sep not in place):
            return _typed(ctypes.CDLL(place))
    raise ImportError("libferrite.so is nowhere: set FERRITE_LIBRARY to its path")


def _typed(library):
    signatures = {
        "fe_session_new": (c_void_p, []),
        "fe_session_free": (None, [c_void_p]),
        "fe_set": (c_int, [c_void_p, c_char_p, c_char_p]),
        "fe_add_op": (c_int, [c_void_p, POINTER(ferrite_ops.Row)]),
        "fe_error": (c_char_p, [c_void_p]),
        "fe_compile_file": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
        "fe_program_free": (None, [c_void_p]),
    }
    for name in ("library", "sources", "python", "fx", "report"):
        signatures[f"fe_write_{name}"] = (c_int, [c_void_p, c_char_p])
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = None


def _lib():
    global _library
    if _library is None:
        _library = _load_library()
    return _library


_WRITERS = {".so": "library", ".py": "python", ".json": "fx", ".html": "report"}
_modules = 0


class Program:
    """A compiled program. Called with inputs it runs, one caller at a time."""

    def __init__(self, session, handle, folder):
        self._session, self._handle, self._folder = session, handle, folder
        self._context = None

    def __del__(self):
        if getattr(self, "_handle", None):
            _lib().fe_program_free(self._handle)
            _lib().fe_session_free(self._session)

    def _check(self, status):
        if status:
            raise Error(_lib().fe_error(self._session).decode(errors="replace").strip())

    def write(self, path):
        """What is written follows from the name: .so, .py, .json (FX), .html (a report), else a folder of C sources."""
        writer = _WRITERS.get(os.path.splitext(path)[1], "sources")
        self._check(getattr(_lib(), f"fe_write_{writer}")(self._handle, os.fsencode(path)))
        return path

    def __call__(self, *inputs):
        if self._context is None:
            self._context = self._load().Context()
        return self._context(*inputs)

    def _load(self):
        global _modules
        _modules += 1
        name = f"ferrite_program_{_modules}"
        path = self.write(os.path.join(self._folder.name, name + ".py"))
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def _custom_ops(exported):
    """Operators of a program that are PyTorch's user's, with all of their overloads."""
    known = {"aten", "prims", "prim", "higher_order", "profiler", "inductor"}
    packets = {}
    for graph in (module.graph for module in exported.graph_module.modules() if hasattr(module, "graph")):
        for node in graph.nodes:
            for overload in (node.target, *node.args[:1]):  # auto_functionalized_v2 has its operator as an argument
                if node.op == "call_function" and hasattr(overload, "overloadpacket") and overload.namespace not in known:
                    packets[str(overload.overloadpacket)] = overload.overloadpacket
    return packets.values()


def _declare_found(exported):
    names = {op._schema.name for op in ferrite_ops.declared()}
    made = []
    for packet in _custom_ops(exported):
        for overload in ferrite_ops._of_pytorch(packet):
            if str(overload._schema).partition("(")[0] not in names:
                made.append(ferrite_ops._torch_op(overload, None, None))
    return made


def compile(program, *, ops=(), donate=(), **options):
    """A Program of an exported program (torch.export.ExportedProgram), or of a file. ops: paths of libraries
    (ferrite_ops.h); every operator of ferrite_ops.op() is known. donate: names of the inputs that calls may overwrite,
    or "all": results may lie in them."""
    donate = [donate] if isinstance(donate, str) else donate
    folder = tempfile.TemporaryDirectory(prefix="ferrite-")
    found = []
    if hasattr(program, "graph_module"):
        import torch
        found = _declare_found(program)
        path = os.path.join(folder.name, "program.pt2")
        torch.export.save(program, path)
    else:
        path = os.fspath(program)
    session, handle = _lib().fe_session_new(), c_void_p()
    try:
        made = Program(session, None, folder)
        wanted = [*(("ops", os.fspath(library)) for library in ops), *(("donate", name) for name in donate)]
        for option, value in [*wanted, *options.items()]:
            text = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
            made._check(_lib().fe_set(session, option.replace("_", "-").encode(), str(text).encode()))
        for op in ferrite_ops.declared():
            made._check(_lib().fe_add_op(session, byref(op.row)))
        made._check(_lib().fe_compile_file(session, os.fsencode(path), byref(handle)))
        made._handle, made._ops = handle, ferrite_ops.declared()  # their functions live as long
        return made
    except BaseException:
        _lib().fe_session_free(session)
        raise
    finally:
        ferrite_ops.forget(*found) if found else None


if sys.byteorder != "little":
    raise ImportError("ferrite reads and writes little-endian programs alone")
