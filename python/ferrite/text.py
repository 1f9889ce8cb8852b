"""The text form of a torch.fx graph with metadata, as Dynamo and AOTAutograd leave it: what `ferrite run X.fx` reads.

    text = ferrite.text.of(graph_module)
    print(text)                     # "graph main { ... }", for a bug report
    text.outputs, text.constants    # nodes and values of the output; tensors that became inputs, behind the graph's own

A graph that has no such form raises Unsupported, which says why.
"""

import itertools
import math
import operator

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx.experimental.symbolic_shapes import statically_known_true

from ferrite._handed import WholeCall, argument, attribute, can_be_handed, identifier, tensors
from ferrite._library import is_own
from ferrite._sizes import Unsupported, atom_name, expression, is_rounded, symbols_in, told

_DTYPES = {
    torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64",
    torch.int32: "i32", torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool",
    torch.complex32: "c32", torch.complex64: "c64", torch.complex128: "c128", torch.uint16: "u16",
    torch.uint32: "u32", torch.uint64: "u64", torch.float8_e4m3fn: "f8e4m3fn", torch.float8_e5m2: "f8e5m2",
    torch.float8_e4m3fnuz: "f8e4m3fnuz", torch.float8_e5m2fnuz: "f8e5m2fnuz", torch.float8_e8m0fnu: "f8e8m0fnu",
}
_LEAST, _MOST = -2**63, 2**63 - 1


# ---- arguments and metadata ----


def _quoted(text):
    for letter, written in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(letter, written)
    return f'"{text}"'


def _number(value):
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    written = repr(float(value))
    return written if "." in written or "e" in written else written + ".0"


def _integer(value):
    if not _LEAST <= value <= _MOST:
        raise Unsupported(f"the integer {value}, which has more than 64 bits")
    return str(value)


def _tensor_type(tensor):
    if tensor.layout != torch.strided:
        raise Unsupported(f"a tensor of layout {tensor.layout}")
    if tensor.dtype not in _DTYPES:
        raise Unsupported(f"a tensor of {tensor.dtype}")
    if tensor.device.type != "cpu":
        raise Unsupported(f"a tensor on {tensor.device}")
    sizes, strides = (",".join(map(expression, numbers)) for numbers in (tensor.shape, tensor.stride()))
    start = tensor.storage_offset()
    return f"{_DTYPES[tensor.dtype]}[{sizes}]{{{strides}}}" + (f"+{start}" if isinstance(start, int) and start else "")


def _type(value):
    if value is None:
        return "none"
    if isinstance(value, torch.Tensor):
        return _tensor_type(value)
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(map(_type, value)) + ")"
    if isinstance(value, (bool, torch.SymBool)):
        return "bool ?"
    if isinstance(value, (float, torch.SymFloat)):
        return "float ?"
    if isinstance(value, (int, torch.SymInt)):
        return f"int {expression(value)}"
    raise Unsupported(f"a value of type {type(value).__name__}")


_FROM_THE_START = (torch.ops.aten.as_strided.default, torch.ops.aten.as_strided_.default,
                   torch.ops.aten.as_strided_copy.default, torch.ops.aten.as_strided_scatter.default)


def _literal(node, module):
    """The number that a call makes a tensor of, as `torch.tensor(3.0)` does, and its dtype; or None."""
    if node.target is not torch.ops.aten.lift_fresh_copy.default or node.args[0].op != "get_attr":
        return None
    value = attribute(module, node.args[0].target)
    if not isinstance(value, torch.Tensor) or value.dim() or value.dtype.is_complex or value.dtype not in _DTYPES:
        return None
    if value.device.type != "cpu":
        return None
    with unset_fake_temporarily():
        return value.item(), value.dtype


def _is_undefined(value):
    """Is it a result that eager does not make, though the graph records a tensor?"""
    if not isinstance(value, torch.fx.Node) or value.target is not operator.getitem or value.args[1] != 1:
        return False
    call = value.args[0]
    return call.target is torch.ops.aten._native_multi_head_attention.default and not argument(call, "need_weights")


# PyTorch traces views of results whose strides are others when eager runs: there the view is a copy.
_COPYING = {torch.ops.aten.view.default: "aten.reshape.default"}


def _fills_unwritten():
    """Does eager fill memory that nothing has written, so that each run is the same?"""
    return torch.are_deterministic_algorithms_enabled() and torch.utils.deterministic.fill_uninitialized_memory


class _Written(str):
    """An argument's text."""


class Text:
    """Of a graph module; str() is the text."""

    def __init__(self, module, handed=(), windows_move=False, is_functional=False):
        self._handed = handed  # names of nodes that PyTorch is to run
        self._windows_move = windows_move
        self.outputs, self.constants = [], []
        self.placeholders = list(module.graph.find_nodes(op="placeholder"))
        self.told = {name for name, *_ in told([node.meta.get("val") for node in self.placeholders])}
        self.counts_from_start = False  # of the storage of an argument
        self.operators = {}  # that are not the library's own
        self.handed = {}  # those of the nodes that PyTorch is to run, under names of their own
        self._symbols, self._subgraphs, self._names = {}, {}, {}
        self._known = dict(_COPYING) if is_functional else {}  # what operators are called
        self._whole = {}  # nodes that PyTorch runs whole, and lists in their results: that node, and what number each result has
        body = self._graph("main", module, is_main=True)
        self._text = self._symbol_list() + body + "".join(self._subgraphs.values())

    def __str__(self):
        return self._text

    # -- the list of symbols --

    def _symbol_list(self):
        if not self._symbols:
            return ""
        lines = [self._symbol(name, *self._symbols[name]) for name in sorted(self._symbols)]
        return "symbols {\n" + "".join(lines) + "}\n"

    def only_run_knows(self, atom):
        """Is it a size that values decide? To a later graph those are given as others are."""
        return atom_name(atom) not in self.told and any(str(symbol).startswith("u") and str(symbol) not in self.told
                                                    for symbol in atom.free_symbols)

    def _symbol(self, name, atom, env):
        bounds = env.var_to_range.get(atom) if atom.is_Symbol else env.bound_sympy(atom)
        least, most = "-inf", "inf"
        if bounds is not None:
            least = int(bounds.lower) if bounds.lower.is_Integer and bounds.lower > -2**62 else least
            most = int(bounds.upper) if bounds.upper.is_Integer and bounds.upper < 2**62 else most
        kind = " unbacked" if name.startswith("u") or not (atom.is_Symbol or name in self.told) else ""
        values = env.backed_var_to_val if hasattr(env, "backed_var_to_val") else env.var_to_val
        value = atom.xreplace(values)
        hint = f" hint {int(value)}" if value.is_Integer else ""
        return f"  {name}{kind} in [{least}, {most}]{hint}\n"

    def _note_symbols(self, value):
        for atom, env in symbols_in(value):
            self._symbols[atom_name(atom)] = (atom, env)

    # -- graphs --

    def _graph(self, name, module, is_main):
        names, placeholders, calls, output = {}, [], [], "()"
        for node in module.graph.nodes:
            names[node] = identifier(node.name)
            if node.op == "placeholder":
                placeholders.append(self._placeholder(node, names[node], is_main))
            elif node.op == "get_attr":
                value = attribute(module, node.target)
                if isinstance(value, torch.Tensor) and not all(_literal(user, module) for user in node.users):
                    placeholders.append(self._constant(names[node], value, is_main))
                elif not isinstance(value, (torch.Tensor, torch.fx.GraphModule)):
                    raise Unsupported(f"an attribute of type {type(value).__name__}")
            elif node.op == "call_function":
                calls += self._item(node, names) or [self._call(node, names, module)]
            elif node.op == "output":
                output = self._output(node, names, module, is_main)
            else:
                raise Unsupported(f"a node of kind {node.op}")
        settings = ["  fills_unwritten"] if _fills_unwritten() else []
        return "\n".join([f"graph {name} {{", *settings, *placeholders, *calls, f"  output {output}", "}", ""])

    def _placeholder(self, node, name, is_main):
        value = node.meta.get("val")
        self._note_symbols(value)
        if value is None and not is_main:
            return f'  placeholder %{name} user ""'
        return f"  placeholder %{name} user {_quoted(node.name if is_main else '')} : {_type(value)}"

    def _constant(self, name, value, is_main):
        if not is_main:
            raise Unsupported("a constant in a subgraph")
        self.constants.append(value)
        return f"  placeholder %{name} user {_quoted(name)} : {_tensor_type(value)}"

    def _output(self, node, names, module, is_main):
        values = node.args[0] if isinstance(node.args[0], (list, tuple)) else [node.args[0]]
        if is_main:
            self.outputs = [None if _is_undefined(value) else value for value in values]
            values = computed(self.outputs)
        return "(" + ", ".join("user " + self._arg(value, names, module) for value in values) + ")"

    def _item(self, node, names):
        """Lines of an item of what PyTorch runs whole, whose results are one list in the text; [""]: it is a list itself."""
        if node.target is not operator.getitem or node.args[0] not in self._whole:
            return []
        root, places = self._whole[node.args[0]]
        place = places[node.args[1]]
        if not isinstance(place, int):
            self._whole[node] = root, place
            return [""]
        return [f"  %{names[node]} = _operator.getitem(%{names[root]}, {place})"]

    def _whole_call(self, node, names, module):
        call, value = WholeCall(node, module), node.meta["val"]
        self.handed[f"torch_higher.{call.name}.default"] = call
        count = itertools.count()
        self._whole[node] = node, torch.utils._pytree.tree_map(lambda item: None if item is None else next(count), value)
        self._note_symbols(tensors(value))
        said = _type(value if isinstance(value, torch.Tensor) else tensors(value))
        args = ", ".join("%" + names[arg] for arg in call.values)
        return f"  %{names[node]} = torch_higher.{call.name}.default({args}) : {said}"

    def _call(self, node, names, module):
        literal = _literal(node, module)
        if literal:
            number, dtype = (self._arg(part, names, module) for part in literal)
            return f"  %{names[node]} = aten.full.default([], {number}, dtype={dtype})"
        if node.target in _FROM_THE_START and argument(node, "storage_offset") is not None:
            self.counts_from_start = True
        is_handed = node.name in self._handed and can_be_handed(node)
        if is_handed and isinstance(node.target, torch._ops.HigherOrderOperator):
            return self._whole_call(node, names, module)
        target = self._hand(node.target) if is_handed else self._target(node.target)
        args = [self._arg(arg, names, module) for arg in node.args]
        lines, kwargs = self._windows(node, names)
        for key, value in kwargs.items():
            written = self._arg(value, names, module)
            args += [f"[{_quoted(key)}, {written}]"] if target.startswith("higher_order.") else [f"{key}={written}"]
        value = node.meta.get("val")
        is_ours_to_say = (is_handed or target in self.operators or target.startswith("higher_order.auto_functionalized")
                          or target.startswith("aten._foreach_")  # known by what its elements are, behind the first pass
                          or self._is_told(node) or node.meta.get("unbacked_bindings") or isinstance(value, torch.SymInt) and is_rounded(value.node.expr))
        said = ""
        if is_ours_to_say and "val" in node.meta:
            said = f" : {_type(value)}"
            self._note_symbols(value)
        return "\n".join([*lines, f"  %{names[node]} = {target}({', '.join(args)}){said}"])

    def _is_told(self, node):
        """Does somebody hold the program to the metadata of this node?"""
        return False

    def _windows(self, node, names):
        """Windows on arguments that a call which PyTorch made functional writes to, told by places in a storage. Where they move
        with their arguments: on clones of these, with lines that make them."""
        kwargs = node.kwargs
        shown = {key[:-len("_storage_offset")]: value for key, value in kwargs.items() if key.endswith("_storage_offset")}
        if not shown or not str(node.target).startswith("auto_functionalized"):
            return [], kwargs
        if not self._windows_move:
            self.counts_from_start = True
            return [], kwargs
        kwargs, bases, lines = dict(kwargs), list(kwargs["_all_bases"]), []
        for key, start in shown.items():
            k = kwargs[key + "_base_index"]
            base = kwargs["_all_bases"][k]
            if base.op == "placeholder":
                kwargs[key + "_storage_offset"] = self._behind(base, start, f"%{names[node]}_{key}_start", names, lines)
                bases[k] = _Written(f"%{names[node]}_base_{k}")
                line = f"  {bases[k]} = aten.clone.default(%{names[base]})"
                lines += [line] if line not in lines else []
        return lines, {**kwargs, "_all_bases": bases}

    def _behind(self, base, start, name, names, lines):
        """A place in a storage, counted from the first element of an argument in it."""
        first = base.meta["val"].storage_offset()
        if not isinstance(start, torch.fx.Node):
            return start - first
        if statically_known_true(first == 0):
            return start
        lines.append(f"  {name} = _operator.sub(%{names[start]}, {expression(first)})")
        return _Written(name)

    def _hand(self, target):
        name = f"torch_{target}"
        self.handed[name] = target
        return name

    def _target(self, target):
        if isinstance(target, torch._ops.OpOverload):
            name = self._known.get(target)
            if name is None:
                name = self._known[target] = str(target)
                if not is_own(target):
                    self.operators[name] = target
            return name
        if isinstance(target, torch._ops.HigherOrderOperator):
            return f"higher_order.{target._name}"
        home = getattr(target, "__module__", "")
        home = "torch" if home == "torch.fx.experimental.sym_node" else home
        return f"{'_operator' if target is getattr(operator, target.__name__, None) else home}.{target.__name__}"

    def _arg(self, arg, names, module):
        if isinstance(arg, _Written):
            return str(arg)
        if isinstance(arg, torch.fx.Node):
            if arg.op == "get_attr":
                value = attribute(module, arg.target)
                if isinstance(value, torch.fx.GraphModule):
                    return "@" + self._subgraph(arg.target, value)
            return "%" + names[arg]
        if isinstance(arg, (list, tuple)):
            return "[" + ", ".join(self._arg(item, names, module) for item in arg) + "]"
        if isinstance(arg, torch._ops.OpOverload):
            return _quoted(f"torch.ops.{self._target(arg)}")
        self._note_symbols(arg)
        for kind, write in _WRITERS:
            if isinstance(arg, kind):
                return write(arg)
        raise Unsupported(f"an argument of type {type(arg).__name__}")

    def _subgraph(self, path, module):
        name = self._names.get(module)
        if name is None:
            name = self._names[module] = self._new_name(identifier(path))
            self._subgraphs[name] = ""  # its place, in front of those that it calls for
            self._subgraphs[name] = self._graph(name, module, is_main=False)
        return name

    def _new_name(self, wanted):
        """A graph in a graph may be called as another one elsewhere is."""
        name, number = wanted, 1
        while name in self._subgraphs or name == "main":
            number += 1
            name = f"{wanted}_{number}"
        return name


_WRITERS = [  # in order: bool is an int
    ((type(None), bool, torch.dtype, torch.layout, torch.memory_format), str), (int, _integer), (float, _number),
    (complex, lambda value: f"complex({_number(value.real)}, {_number(value.imag)})"), (str, _quoted),
    (torch.device, lambda device: str(device)), (torch.SymInt, expression),
]


def _reach(tensor):
    """The first element of the storage that a tensor shows, and the one behind the last; None where only a run knows."""
    numbers = [*tensor.shape, *tensor.stride(), tensor.storage_offset()]
    if not all(isinstance(number, int) for number in numbers):
        return None
    start = tensor.storage_offset()
    if 0 in tensor.shape:
        return start, start
    return start, start + 1 + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride()))


def _shows(part, whole):
    """Does `whole` cover the memory of `part`, densely?"""
    if part.dtype != whole.dtype:
        return False
    size, start = whole.numel() * whole.element_size(), whole.storage_offset()
    if statically_known_true(start == 0) and statically_known_true(size == whole.untyped_storage().nbytes()):
        return True
    inner, outer = _reach(part), _reach(whole)
    return bool(inner and outer and outer[0] <= inner[0] and inner[1] <= outer[1] and
                outer[1] - outer[0] == whole.numel())


def _results(outputs):
    return dict.fromkeys(value for value in outputs if isinstance(value, torch.fx.Node) and value.op != "placeholder")


def _kept_inputs(graph):
    """Tensors among the inputs that the graph does not write to, by their storage."""
    written = {node.args[0] for node in graph.nodes if node.op == "call_function" and node.args
               and getattr(getattr(node.target, "_schema", None), "is_mutable", False)}
    return {node.meta["val"].untyped_storage()._cdata: node for node in graph.nodes if node.op == "placeholder"
            and isinstance(node.meta.get("val"), torch.Tensor) and node not in written}


def _span(tensor):
    """Elements from the first one that it shows to the last: what it takes in memory of its own."""
    return 1 + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride()))


def _maker(graph, storage):
    """The node whose memory it is."""
    return next(node for node in graph.nodes if isinstance(node.meta.get("val"), torch.Tensor)
                and node.meta["val"].untyped_storage()._cdata == storage)


def _is_better_whole(made, parts, known):
    """Do outputs take less memory as parts of what they are views of, although it is no output?"""
    value = made.meta["val"]
    return (made.op == "call_function" and all(atom_name(atom) in known for atom, _ in symbols_in(value)) and
            all(_shows(part.meta["val"], value) for part in parts) and
            statically_known_true(sum(_span(part.meta["val"]) for part in parts) > value.numel()))


def views(outputs):
    """Outputs that show memory of an input, of another output or of what several of them are cut from, and which one: a write to
    the one is seen in the other."""
    by_storage, found = {}, {}
    graph = next((node.graph for node in _results(outputs)), None)
    inputs = _kept_inputs(graph) if graph else {}
    given = [node.meta.get("val") for node in graph.nodes if node.op == "placeholder"] if graph else []
    known = {name for name, *_ in told(given)}
    for node in _results(outputs):
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            by_storage.setdefault(value.untyped_storage()._cdata, []).append(node)
    for storage, nodes in by_storage.items():
        if storage in inputs and all(atom_name(atom) in known for node in nodes for atom, _ in symbols_in(node.meta["val"])):
            found.update(dict.fromkeys(nodes, inputs[storage]))
            continue
        whole = max(nodes, key=lambda node: sum(_shows(other.meta["val"], node.meta["val"]) for other in nodes))
        apart = [node for node in nodes if node is whole or not _shows(node.meta["val"], whole.meta["val"])]
        if len(apart) > 1 and _is_better_whole(_maker(graph, storage), apart, known):
            whole = _maker(graph, storage)
        for node in nodes:
            if node is not whole and _shows(node.meta["val"], whole.meta["val"]):
                found[node] = whole
    return found


def computed(outputs):
    """Those of a graph's outputs that its text has: each node once, neither inputs nor numbers nor views of others. What is an
    output for the views of it alone comes last."""
    shown = views(outputs)
    wholes = [node for node in shown.values() if node.op != "placeholder"]
    return list(dict.fromkeys([node for node in _results(outputs) if node not in shown] + wholes))


def of(module, handed=(), windows_move=False, is_functional=False):
    """handed: names of nodes that PyTorch is to run, where that can be. windows_move: parts of an argument that are written lie in
    it alike wherever it lies in its storage, since the program has no as_strided. is_functional: nothing is written through views,
    and so a view may be a copy."""
    return Text(module, handed, windows_move, is_functional)
