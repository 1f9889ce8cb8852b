"""torch.compile(model, backend="ferrite"): each graph that Dynamo captures goes through AOTAutograd, forward and backward,
and is compiled in this process.

    torch.compile(model, backend="ferrite", options={"fallback": "error", "isa": "x86-64-v3"})

Options are those of ferrite.compile(), and:

    fallback    "eager" (the default): a graph that ferrite does not compile runs as PyTorch runs it, which the log tells
                once for each reason; "error": it is refused, with ferrite's diagnostic
    trace       a folder for the text of each graph, graph_1.fx ...

Without an installed package, `import ferrite.door` registers the backend.
"""

import logging
import os

import torch
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from torch._dynamo.backends.common import aot_autograd

import ferrite_ops
from ferrite import text
from ferrite._call import Program
from ferrite._library import is_own
from ferrite._session import Error, Session

log = logging.getLogger("ferrite")
_told = set()  # reasons, each of which is told once


def _draw(module):
    """The first operator that draws random numbers: their stream is PyTorch's. Attention without dropout draws none."""
    for node in module.graph.nodes:
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) and text.argument(node, "dropout_p") != 0:
            return node.target
    return None


def _declared(operators):
    """What ferrite is told of operators that are not its own: they call PyTorch's kernels."""
    overloads = [overload for operator in operators for overload in ferrite_ops._of_pytorch(operator.overloadpacket)
                 if not is_own(overload)]
    made = [ferrite_ops._torch_op(overload, None, None) for overload in overloads]
    ferrite_ops.forget(*made)
    return made


class Compiler:
    """Compiles the graphs of one torch.compile()."""

    def __init__(self, options):
        options = dict(options or {})
        self.fallback = options.pop("fallback", "eager")
        self.trace = options.pop("trace", None)
        self.options = {"jobs": 1, "from": "fx", **options}
        if self.fallback not in ("eager", "error"):
            raise ValueError(f"ferrite: fallback is 'eager' or 'error', not {self.fallback!r}")
        self.compiled = self.fallen_back = 0
        self._session()  # a wrong option is told now

    def _session(self):
        session = Session()
        for option, value in self.options.items():
            session.set(option, value)
        return session

    def __call__(self, module, example_inputs):
        try:
            program = self.compile(module)
        except (Error, text.Unsupported) as error:
            return self._fall_back(module, error)
        self.compiled += 1
        return program.call

    def compile(self, module):
        draw = _draw(module)
        if draw is not None:
            raise text.Unsupported(f"{draw}, whose random numbers are those of PyTorch's generator")
        written = text.of(module)
        self._write_trace(written)
        session = self._session()
        session.add_ops(_declared(written.operators.values()))
        session.compile_text("graph.fx", str(written))
        metas = [node.meta.get("val") for node in module.graph.nodes if node.op == "placeholder"]
        return Program(session, written, metas)

    def _write_trace(self, written):
        if not self.trace:
            return
        os.makedirs(self.trace, exist_ok=True)
        number = sum(name.endswith(".fx") for name in os.listdir(self.trace)) + 1
        with open(os.path.join(self.trace, f"graph_{number}.fx"), "w") as file:
            file.write(str(written))

    def _fall_back(self, module, error):
        if self.fallback == "error":
            raise error if isinstance(error, Error) else Error(f"ferrite has no text for {error}") from error
        self.fallen_back += 1
        reason = str(error)
        if reason not in _told:
            _told.add(reason)
            log.warning("a graph of %d nodes runs as PyTorch runs it, since ferrite does not compile %s",
                        len(module.graph.nodes), reason)
        return make_boxed_func(module.forward)


def backend(module, example_inputs, *, mode=None, options=None):
    """What torch.compile() calls for each graph of Dynamo's."""
    compiler = Compiler(options)
    compile_graph = aot_autograd(fw_compiler=compiler, bw_compiler=compiler, inference_compiler=compiler,
                                 partition_fn=min_cut_rematerialization_partition,
                                 keep_inference_input_mutations=True)
    return compile_graph(module, example_inputs)


if "ferrite" not in torch._dynamo.list_backends(exclude_tags=()):
    torch._dynamo.register_backend(backend, name="ferrite")
