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

import contextlib
import importlib.util
import os
import sys
import tempfile

import ferrite_ops
from ferrite import _tree
from ferrite._library import is_own, library
from ferrite._session import Error, Session

__all__ = ["Error", "Program", "compile"]


def __getattr__(name):
    if name == "__version__":
        return library().fe_version().decode()
    raise AttributeError(f"module 'ferrite' has no attribute {name!r}")


_WRITERS = {".so": "library", ".py": "python", ".json": "fx", ".html": "report"}
_modules = 0


class Program:
    """A compiled program. Called as the exported module is, it runs, one caller at a time; inputs may also be given flat,
    in the order of the program's."""

    def __init__(self, session, folder):
        self._session, self._folder = session, folder
        self._context = None
        self._trees = [tree and tree.decode() for tree in (library().fe_input_tree(session.program),
                                                           library().fe_output_tree(session.program))]

    def write(self, path):
        """What is written follows from the name: .so, .py, .json (FX), .html (a report), else a folder of C sources."""
        writer = _WRITERS.get(os.path.splitext(path)[1], "sources")
        self._session.check(getattr(library(), f"fe_write_{writer}")(self._session.program, os.fsencode(path)))
        return path

    def __call__(self, *inputs, **named):
        if self._context is None:
            self._context = self._load().Context()
            self._trees = [_tree.of(text) for text in self._trees]
        results = self._context(*self._flat(inputs, named), as_list=True)
        if self._trees[1] is None:
            return results[0] if len(results) == 1 else tuple(results)
        return self._trees[1].build(iter(results))

    def _flat(self, inputs, named):
        if self._trees[0] is None and not named:
            return inputs
        try:
            if self._trees[0] is None:
                raise _tree.Mismatch("keywords, which the program does not know")
            return self._trees[0].leaves((inputs, named))
        except _tree.Mismatch as mismatch:
            if not named and len(inputs) == self._context.program.given:
                return inputs
            raise Error(f"the program is called with {mismatch}") from None

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
    """Operators of a program that are not the library's own, with all of their overloads."""
    packets = {}
    for graph in (module.graph for module in exported.graph_module.modules() if hasattr(module, "graph")):
        for node in graph.nodes:
            for overload in (node.target, *node.args[:1]):  # auto_functionalized_v2 has its operator as an argument
                if node.op == "call_function" and hasattr(overload, "overloadpacket") and not is_own(overload):
                    packets[str(overload.overloadpacket)] = overload.overloadpacket
    return packets.values()


def _without_transforms(exported):
    """torch.func.jvp leaves calls around what it derives, which are PyTorch's to resolve: the derivative is then written out."""
    for module in exported.graph_module.modules():
        for node in module.graph.nodes if hasattr(module, "graph") else ():
            home = getattr(node.target, "__module__", "")
            if home == "torch._functorch.predispatch" and not library().fe_knows(f"{home}.{node.target.__name__}".encode()):
                return _resolved(exported)
    return exported


def _resolved(exported):
    import torch
    from torch.autograd import forward_ad
    level, depth = forward_ad._current_level, torch._C._functorch.maybe_current_level()
    try:
        return exported.run_decompositions({})
    except Exception as error:
        # PyTorch leaves open what it has entered, and takes the next derivative for a nested one
        with contextlib.suppress(RuntimeError):
            torch._C._exit_dual_level(level=level + 1)
        while torch._C._functorch.maybe_current_level() != depth:
            torch._C._functorch._jvp_decrement_nesting()
        raise Error(f"PyTorch cannot write out the derivatives in this program: {error}") from error


def _declare_found(exported):
    names = {op._schema.name for op in ferrite_ops.declared()}
    made = []
    for packet in _custom_ops(exported):
        for overload in ferrite_ops._of_pytorch(packet):
            if str(overload._schema).partition("(")[0] not in names and not is_own(overload):
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
        program = _without_transforms(program)
        found = _declare_found(program)
        path = os.path.join(folder.name, "program.pt2")
        torch.export.save(program, path)
    else:
        path = os.fspath(program)
    try:
        session = Session()
        wanted = [*(("ops", os.fspath(path_of_ops)) for path_of_ops in ops), *(("donate", name) for name in donate)]
        for option, value in [*wanted, *options.items()]:
            session.set(option, value)
        session.add_ops(ferrite_ops.declared())  # their functions live as long
        session.compile_file(path)
        return Program(session, folder)
    finally:
        ferrite_ops.forget(*found) if found else None


if sys.byteorder != "little":
    raise ImportError("ferrite reads and writes little-endian programs alone")
