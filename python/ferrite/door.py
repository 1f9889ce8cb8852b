"""torch.compile(model, backend="ferrite"): each graph that Dynamo captures goes through AOTAutograd, forward and backward,
and is compiled in this process.

    torch.compile(model, backend="ferrite", options={"fallback": "error", "isa": "x86-64-v3"})

Options are those of ferrite.compile() but for quantize, which needs weights that are constants, and:

    fallback    "eager" (the default): an operator that ferrite does not compile runs as PyTorch runs it, called from the
                compiled graph, and where that cannot be the whole graph does, which the log tells once for each reason;
                "error": it is refused, with ferrite's diagnostic
    fallback_random    taken, and always so: whatever draws random numbers is a call of PyTorch's in the compiled graph, in
                the order of the program, so that torch.manual_seed() gives eager's very numbers
    freezing    True: parameters and buffers of the model change no more but as PyTorch counts changes (not through .data):
                graphs without gradients keep them as matrix products and convolutions read them. False is the default
    trace       a folder for the text of each graph, graph_1.fx ..., and for what the compiler makes of it: graph_1/ has every
                form, the C, the plan and the report. FERRITE_DEBUG=FOLDER does the same

TORCH_LOGS="+ferrite" tells of each graph.

The C compiler works while PyTorch goes on to the next graph, so what it refuses is told when a graph is first called.

PyTorch keeps what was compiled in its own cache (TORCHINDUCTOR_CACHE_DIR, as TORCHINDUCTOR_AUTOGRAD_CACHE and
TORCHINDUCTOR_FORCE_DISABLE_CACHES say), but for graphs of `freezing` and `trace`: another process goes on from there.

Without an installed package, `import ferrite.door` registers the backend.
"""

import collections
import contextlib
import operator
import os
import re

import torch
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.utils import dynamo_timed
from torch._functorch._aot_autograd.schemas import SerializableAOTDispatchCompiler
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from ferrite import _dtypes, _flex, _layout, _recompute, _trace, _triton, text
from ferrite._call import Signature
from ferrite._graph import Graph, Instead, Refused, Source, log, session_with, tell, version
from ferrite._handed import argument, attribute, can_be_handed
from ferrite._library import is_own
from ferrite._session import Error

_NODE = re.compile(r"%(\w+)")  # in the place of a diagnostic
_OF_PYTORCH = ("aten", "prims", "quantized_decomposed", "inductor")  # namespaces; another one's operators are the user's
_WITH_STATE = ("run_and_save_rng_state", "run_with_rng_state")  # a checkpointed part that draws, and the same again
_MOST_HANDED = 16  # refusals of a graph after which it is left whole to PyTorch


def _draws(node, module):
    """Does it draw random numbers, or a graph that it calls? Their stream is that of PyTorch's generator. Attention without
    dropout draws none."""
    if getattr(node.target, "_name", None) in _WITH_STATE:
        return True
    if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) and argument(node, "dropout_p") != 0:
        return True
    graphs = [attribute(module, arg.target) for arg in node.all_input_nodes if arg.op == "get_attr"]
    return any(_draws(inner, graph) for graph in graphs if isinstance(graph, torch.fx.GraphModule) for inner in graph.graph.nodes)


def _drawing(module):
    return [node for node in module.graph.nodes if node.op == "call_function" and _draws(node, module)]


def _say_value(node, value):
    node.meta["val"] = value
    for user in node.users:
        if user.target is operator.getitem:
            _say_value(user, value[user.args[1]])


def _say_states(module):
    """Metadata of parts that keep or take the generator's state, which the partitioner leaves out."""
    for node in module.graph.nodes:
        name = getattr(node.target, "_name", None)
        if name not in _WITH_STATE or "val" in node.meta:
            continue
        keeps = name == "run_and_save_rng_state"
        given, named = torch.fx.node.map_arg((node.args[1:] if keeps else node.args[2:], node.kwargs), lambda arg: arg.meta["val"])
        mode = torch._guards.detect_fake_mode([arg.meta["val"] for arg in node.all_input_nodes]) or contextlib.nullcontext()
        with mode:
            made = (node.args[0] if keeps else node.args[1])(*given, **named)
            _say_value(node, (torch.empty(torch.get_rng_state().shape, dtype=torch.uint8), made) if keeps else made)


def _is_unknown(node):
    return isinstance(node.target, torch._ops.OpOverload) and node.target.namespace in _OF_PYTORCH and not is_own(node.target)


def _unknown(module):
    """Nodes of operators of PyTorch's that ferrite does not have, and what the log says of each."""
    return {node.name: f"the operator {node.target}" for node in module.graph.nodes if _is_unknown(node)}


def _names_places(module):
    """Does it count from the start of a storage?"""
    graphs = [part.graph for part in module.modules() if isinstance(part, torch.fx.GraphModule)]
    return any("as_strided" in str(getattr(node.target, "__name__", node.target)) for graph in graphs for node in graph.nodes)


def _owned_alone(module, numbers):
    """Names of those of these arguments whose memory no other one shares."""
    given = list(module.graph.find_nodes(op="placeholder"))
    storages = [StorageWeakRef(node.meta["val"].untyped_storage()) if isinstance(node.meta.get("val"), torch.Tensor) else None
                for node in given]
    times = collections.Counter(storages)
    return [given[k].name for k in numbers if storages[k] and times[storages[k]] == 1]


class Compiler:
    """Compiles the graphs of one torch.compile()."""

    def __init__(self, options):
        options = dict(options or {})
        self.fallback = options.pop("fallback", "eager")
        self.trace = _trace.folder(options.pop("trace", None))
        self.freezing = options.pop("freezing", False)
        options.pop("fallback_random", None)
        self.options = {"from": "fx", **options}
        if self.fallback not in ("eager", "error"):
            raise ValueError(f"ferrite: fallback is 'eager' or 'error', not {self.fallback!r}")
        if "quantize" in options:
            raise ValueError("ferrite: a compiled model's weights are arguments of its graphs, and may change: none is made integers of. "
                             "ferrite.compile(model, args, quantize=...) takes them as constants")
        self.compiled = self.fallen_back = 0
        self.windows_move, self.cached = True, not (self.trace or self.freezing)
        session_with(self.options)  # a wrong option is told now

    def for_autograd(self):
        """The compilers of graphs that AOTAutograd asks for. What says that it can be pickled goes into PyTorch's cache."""
        compilers = {"fw_compiler": self, "bw_compiler": self.backward, "inference_compiler": self.inference}
        if not self.cached:
            return compilers
        return {name: SerializableAOTDispatchCompiler(Graph, compiler) for name, compiler in compilers.items()}

    @contextlib.contextmanager
    def cache(self):
        """PyTorch's cache of what AOTAutograd makes takes whole graphs, under keys of our own, the backward one as soon as the
        forward one is there."""
        if not self.cached:
            yield
            return
        tag = f"{torch.compiler.config.cache_key_tag} ferrite {version()} {self.fallback} {self.windows_move} {sorted(self.options.items())}"
        with (torch.compiler.config.patch(cache_key_tag=tag),
              torch._functorch.config.patch(bundled_autograd_cache=True, force_non_lazy_backward_lowering=True)):
            yield

    def inference(self, module, example_inputs):
        """A graph without gradients."""
        context = torch._guards.TracingContext.try_get()
        facts = context and context.fw_metadata
        frozen = facts.static_input_indices if self.freezing and facts else ()
        return self(module, example_inputs, frozen)

    def backward(self, module, example_inputs):
        """A graph of gradients, which may overwrite what was kept for it alone. Not where the user keeps the graph for more
        of them, which PyTorch would refuse of a graph compiled so: what it says of it is read and taken back."""
        context = torch._guards.TracingContext.try_get()
        numbers, facts = (), context and context.fw_metadata
        if facts:
            numbers, facts.bw_donated_idxs = facts.bw_donated_idxs, []
        try:
            return self(module, example_inputs, donated=_owned_alone(module, numbers or ()), is_called=False)
        except Error as error:
            return Graph(Refused(error))

    def __call__(self, module, example_inputs, frozen=(), donated=(), is_called=True):
        """is_called: a call of the graph will follow, so that the C compiler may begin."""
        try:
            with dynamo_timed("ferrite_compile"):
                graph = self.compile(module, frozen, donated)
        except (Error, text.Unsupported) as error:
            return Graph(Instead(self._fall_back(module, error)))
        if is_called:
            graph.load()
        self.compiled += 1
        log.debug("compiled a graph of %d nodes, fallback %r, options %s", len(module.graph.nodes), self.fallback, self.options)
        return graph

    def compile(self, module, frozen=(), donated=()):
        _say_states(module)
        given, module = module, _triton.told(_flex.expanded(module))
        _dtypes.correct(module)
        for node in _drawing(module):
            if not can_be_handed(node):
                raise text.Unsupported(f"{node.target}, whose random numbers are those of PyTorch's generator")
        session, written, source, remarks = self._compile_or_hand(module, donated)
        metas = [node.meta.get("val") for node in module.graph.nodes if node.op == "placeholder"]
        source.signature = Signature(written, metas, frozen)
        return Graph(source.program(session, lambda error: self._fall_back(given, error)), source, remarks)

    def _compile_or_hand(self, module, donated):
        """Nodes that ferrite refuses are handed to PyTorch, until it takes the rest."""
        names = {node.name for node in module.graph.nodes if node.op == "call_function"}
        handed = _unknown(module)
        if handed and self.fallback == "error":
            raise Error(f"ferrite does not have {next(iter(handed.values()))}")
        refused_at_most = _MOST_HANDED + len(handed)
        drawn = {node.name for node in _drawing(module)}
        handed.update(dict.fromkeys(drawn))
        while True:
            written = text.of(module, handed, self.windows_move, is_functional=True)
            self._write_trace(written)
            source = Source(written, self.options, donated)
            session = session_with(self.options)
            try:
                source.compile_in(session)
            except Error as error:
                refused = {name for place in session.places() for name in _NODE.findall(place)} & names - handed.keys()
                if self.fallback == "error" or not refused or len(handed) >= refused_at_most:
                    raise
                handed.update(dict.fromkeys(sorted(refused), str(error)))
                continue
            self._trace_stages(session)
            remarks = [(reason, "a call in a graph of %d nodes runs as PyTorch runs it, since ferrite does not compile %s", len(names))
                       for reason in {handed[name] for name in handed} - {None}]
            for remark in remarks:
                tell(*remark)
            return session, written, source, remarks

    def _write_trace(self, written):
        if not self.trace:
            return
        os.makedirs(self.trace, exist_ok=True)
        number = sum(name.endswith(".fx") for name in os.listdir(self.trace)) + 1
        self._traced = os.path.join(self.trace, f"graph_{number}")
        with open(self._traced + ".fx", "w") as file:
            file.write(str(written))

    def _trace_stages(self, session):
        if self.trace:
            os.makedirs(self._traced, exist_ok=True)
            _trace.write(self._traced, session)

    def _fall_back(self, module, error):
        if self.fallback == "error":
            raise error if isinstance(error, Error) else Error(f"ferrite has no text for {error}") from error
        self.fallen_back += 1
        tell(str(error), "a graph of %d nodes runs as PyTorch runs it, since ferrite does not compile %s",
              len(module.graph.nodes))
        return make_boxed_func(module.forward)


def _partition(module, inputs, **options):
    _layout.channels_last(module)
    _dtypes.correct(module)  # what the forward graph gives to the backward one keeps its precision
    return _recompute.parted(lambda whole: min_cut_rematerialization_partition(whole, inputs, **options), module)


def backend(module, example_inputs, *, mode=None, options=None):
    """What torch.compile() calls for each graph of Dynamo's."""
    compiler = Compiler(options)
    compiler.windows_move = not _names_places(module)
    compiler.cached = compiler.cached and not any(map(is_traceable_wrapper_subclass, example_inputs))
    compile_graph = aot_autograd(**compiler.for_autograd(), partition_fn=_partition, keep_inference_input_mutations=True)
    settings = {"unlift_effect_tokens": True}  # what orders effects is made in the graph, as for Inductor
    with torch._functorch.config.patch(settings), compiler.cache(), _triton.device():
        return compile_graph(module, example_inputs)


if "ferrite" not in torch._dynamo.list_backends(exclude_tags=()):
    torch._dynamo.register_backend(backend, name="ferrite")
