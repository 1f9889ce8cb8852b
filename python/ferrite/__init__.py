"""ferrite in Python: programs in, what runs them out. The library does the work (ferrite.h), through ctypes.

    import ferrite, ferrite_ops

    program = ferrite.compile(model, (x,))       # or torch.export.export(model, (x,)), the path of a .pt2, or of FX text
    y = program(x)                                # torch tensors, numpy arrays, DLPack
    print(program, program.report())              # what it takes and returns; kernels, fusions, memory, times
    print(ferrite.check(model, (x,)))             # every node against eager
    program.save("model.so")                      # C library; model.py, model.json: as --emit; dir/: C sources
    program = ferrite.load("model.so")            # needs neither torch nor a C compiler

    ferrite.compile("model.pt2", ops=["./libmyops.so"], split="op=mm", ...)    # options of fe_set(), - as _

Operators of one's own are those that ferrite_ops.op() has declared. Those of an exported program that PyTorch alone
knows (torch.library.custom_op, torch.library.define) need not even that: they are found in the program and call
PyTorch's kernels, through the out overload where there is one that fits.
"""

import contextlib
import inspect
import logging
import os
import sys
import tempfile

import ferrite_ops
from ferrite import _trace
from ferrite._library import is_own, library
from ferrite._program import Compiled, Loaded, Program, is_library
from ferrite._session import Error, Session

__all__ = ["Error", "Program", "check", "clear_cache", "compile", "load"]
log = logging.getLogger("ferrite")


def __getattr__(name):
    if name == "__version__":
        return library().fe_version().decode()
    raise AttributeError(f"module 'ferrite' has no attribute {name!r}")


def _custom_ops(exported):
    """Operators of a program that are not the library's own, with all of their overloads."""
    packets = {}
    for graph in (module.graph for module in exported.graph_module.modules() if hasattr(module, "graph")):
        for node in graph.nodes:
            for overload in (node.target, *node.args[:1]):  # auto_functionalized_v2 has its operator as an argument
                if node.op == "call_function" and hasattr(overload, "overloadpacket") and not is_own(overload):
                    packets[str(overload.overloadpacket)] = overload.overloadpacket
    return packets.values()


def _is_pytorchs_to_resolve(node):
    """torch.func.jvp leaves calls around what it derives; flat_apply calls a Python function, as masks of language models do."""
    import torch
    home = getattr(node.target, "__module__", "")
    if home == "torch._functorch.predispatch":
        return not library().fe_knows(f"{home}.{node.target.__name__}".encode())
    return node.target is torch.ops.higher_order.flat_apply


def _has_wrapped_weights(exported):
    """Tensors that are made of others, as quantised weights of torchao are: what they are made of is weights then."""
    from torch.utils._python_dispatch import is_traceable_wrapper_subclass
    return any(map(is_traceable_wrapper_subclass, exported.state_dict.values()))


def _without_transforms(exported):
    """What such calls stand for is written out, what operators of torchao's are composed of, and which Triton kernels others call."""
    import torch
    from ferrite import _triton
    exported = _triton.written_out(exported, [op for packet in _custom_ops(exported) for op in ferrite_ops._of_pytorch(packet)])
    modules = (module for module in exported.graph_module.modules() if hasattr(module, "graph"))
    is_open = any(_is_pytorchs_to_resolve(node) for module in modules for node in module.graph.nodes)
    composed = [overload for packet in _custom_ops(exported) for overload in ferrite_ops._of_pytorch(packet)
                if overload.namespace == "torchao" and overload.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd)]
    return _resolved(exported, composed) if is_open or composed or _has_wrapped_weights(exported) else exported


def _resolved(exported, composed):
    import torch
    from torch._export.utils import _get_decomp_for_cia
    from torch.autograd import forward_ad
    level, depth = forward_ad._current_level, torch._C._functorch.maybe_current_level()
    try:
        return exported.run_decompositions({overload: _get_decomp_for_cia(overload) for overload in composed})
    except Exception as error:
        # PyTorch leaves open what it has entered, and takes the next derivative for a nested one
        with contextlib.suppress(RuntimeError):
            torch._C._exit_dual_level(level=level + 1)
        while torch._C._functorch.maybe_current_level() != depth:
            torch._C._functorch._jvp_decrement_nesting()
        raise Error(f"PyTorch cannot write out what this program derives or calls: {error}") from error


def _declare_found(exported):
    names = {op._schema.name for op in ferrite_ops.declared()}
    made = []
    for packet in _custom_ops(exported):
        for overload in ferrite_ops._of_pytorch(packet):
            if str(overload._schema).partition("(")[0] not in names and not is_own(overload):
                made.append(ferrite_ops._torch_op(overload, None, None))
    return made


def _as_function(model):
    """What torch.export takes as one: other things that can be called, as PyTorch's own functions in C++, lack some of it."""
    if hasattr(model, "__code__"):
        return model

    def function(*args, **kwargs):
        return model(*args, **kwargs)
    with contextlib.suppress(ValueError, TypeError):
        function.__signature__ = inspect.signature(model)
    return function


def _export(model, args, kwargs, dynamic_shapes):
    """The exported program of a module or a function."""
    import torch
    if args is None and kwargs is None:
        raise TypeError(f"ferrite.compile() of a {type(model).__name__} needs an example of its arguments: "
                        "ferrite.compile(model, (x,))")
    args = (args,) if isinstance(args, torch.Tensor) else tuple(args or ())
    module = model
    if not isinstance(model, torch.nn.Module):
        module = torch.nn.Module()
        module.forward = _as_function(model)
    return torch.export.export(module, args, kwargs, dynamic_shapes=dynamic_shapes)


def _is_model(program):
    torch = sys.modules.get("torch")
    return bool(torch) and (isinstance(program, torch.nn.Module) or callable(program)) and not hasattr(program, "graph_signature")


def _hand_over(session, program):
    """As a file where PyTorch can write it, which has all that is known of it; else in memory. Returns trees that have no
    text."""
    import torch
    folder = session.keep(tempfile.TemporaryDirectory(prefix="ferrite-"))
    path = os.path.join(folder.name, "program.pt2")
    try:
        torch.export.save(program, path)
    except Exception as error:
        log.info("torch.export.save refuses the program, which is handed over in memory: %s", error)
        from ferrite import _exported
        return _exported.compile_into(session, program)
    session.compile_file(path)
    return None


class _Known:
    """A program with what is to be known of it while it is compiled: operators that it has and nobody has declared."""

    def __init__(self, program, args=None, kwargs=None, dynamic_shapes=None):
        if _is_model(program):
            program = _export(program, args, kwargs, dynamic_shapes)
        elif args is not None or kwargs is not None or dynamic_shapes is not None:
            raise TypeError("arguments are given for modules and functions alone: what is exported has its own")
        self.is_exported = hasattr(program, "graph_module")
        self.program = _without_transforms(program) if self.is_exported else os.fspath(program)

    def __enter__(self):
        self._found = _declare_found(self.program) if self.is_exported else []
        return self

    def __exit__(self, *_):
        if self._found:
            ferrite_ops.forget(*self._found)


def _session(ops, donate, options):
    session = Session()
    donate = [donate] if isinstance(donate, str) else donate
    wanted = [*(("ops", os.fspath(path)) for path in ops), *(("donate", name) for name in donate)]
    for option, value in [*wanted, *options.items()]:
        session.set(option, value)
    session.add_ops(ferrite_ops.declared())  # their functions live as long
    return session


def compile(program, args=None, kwargs=None, *, dynamic_shapes=None, ops=(), donate=(), trace=None,
            **options):
    """A Program of an exported program (torch.export.ExportedProgram), of a file (.pt2 or FX text), or of a module or
    function, which is exported with these arguments: as torch.export.export(program, args, kwargs, dynamic_shapes=...).
    ops: paths of libraries (ferrite_ops.h); every operator of ferrite_ops.op() is known. donate: names of the inputs that
    calls may overwrite, or "all": results may lie in them. trace (or FERRITE_DEBUG): a folder for every form of the program
    that the compiler has, its C, plan and report. Other options are those of `ferrite help compile`, - as _."""
    with _Known(program, args, kwargs, dynamic_shapes) as known:
        if not known.is_exported and is_library(known.program):
            raise Error(f"{known.program} is compiled already: ferrite.load() takes it")
        session, trees = _session(ops, donate, options), None
        if known.is_exported:
            trees = _hand_over(session, known.program)
        else:
            session.compile_file(known.program)
        compiled = Compiled(session, trees)
        if _trace.folder(trace):
            _trace.write(_trace.place(_trace.folder(trace), compiled.name), session)
        log.debug("%r", compiled)
        return compiled


def check(model, args=None, kwargs=None, *, ops=(), **options):
    """Compiles a module, a function or an exported program, and holds every node of it against eager PyTorch, in the
    program's own precision and in float64: the result is true where none is off, prints the differences, and its `first`
    is the first node that is off, with the line of the model that it comes from. Options are those of compile()."""
    import torch
    from ferrite import _check
    args = (args,) if isinstance(args, torch.Tensor) else args
    is_exported = hasattr(model, "graph_signature")
    with (_Known(model) if is_exported else _Known(model, args, kwargs)) as known:
        if not known.is_exported:
            raise TypeError("ferrite.check() takes a module, a function or an exported program; `ferrite check` takes files")
        given, named = (args, kwargs) if args is not None or kwargs is not None else known.program.example_inputs
        leaves = torch.utils._pytree.tree_leaves((tuple(given or ()), dict(named or {})))
        return _check.check(known.program, leaves, lambda: _session(ops, (), options), _hand_over, Error)


def load(path, **options):
    """A Program of a file: of a library that ferrite has written (model.so), which is called as it is; of a .pt2 or FX text,
    which is compiled, with the options of compile(). name: which program of a library that has several."""
    if not is_library(path):
        return compile(path, **options)
    name = options.pop("name", None)
    if options:
        raise TypeError(f"{', '.join(options)}: a library is compiled already")
    return Loaded(path, name)


def clear_cache():
    """Removes what the cache of made libraries holds, as `ferrite cache clear`."""
    Session().clear_cache()


if sys.byteorder != "little":
    raise ImportError("ferrite reads and writes little-endian programs alone")
