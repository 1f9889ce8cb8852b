"""Exported programs that torch.export.save cannot write, handed over in memory: the graph as FX text, constants by their
addresses."""

import ctypes

import torch
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils import _pytree

import ferrite_runtime as rt
from ferrite import _flex, _triton, text
from ferrite._library import Tensor
from ferrite._session import Error

_INPUTS = {InputKind.PARAMETER: "param", InputKind.BUFFER: "buffer", InputKind.CONSTANT_TENSOR: "constant"}
_OUTPUTS = {OutputKind.USER_OUTPUT: "user", OutputKind.BUFFER_MUTATION: "buffer_mutation",
            OutputKind.USER_INPUT_MUTATION: "user_input_mutation", OutputKind.PARAMETER_MUTATION: "parameter_mutation"}
_CODES = {getattr(torch, name): number for number, name in rt.NAMES.items() if hasattr(torch, name)}


class ExportedText(text.Text):
    """Of an ExportedProgram; `given` are its constants: (name, tensor)."""

    def __init__(self, exported):
        self._exported, self.given = exported, {}
        self._inputs = {spec.arg.name: spec for spec in exported.graph_signature.input_specs}
        self._returned = set(exported.graph_signature.user_outputs)
        super().__init__(_triton.told(_flex.expanded(exported.graph_module)))

    def _graph(self, name, module, is_main):
        written = super()._graph(name, module, is_main)
        if not is_main:
            return written
        head, _, rest = written.partition("\n")
        return "\n".join([head, *self._settings(), rest])

    def _settings(self):
        for guard in getattr(self._exported, "_guards_code", None) or ():
            yield f"  guard {text._quoted(guard)}"
        for what, spec in zip(("in_spec", "out_spec"), (self._exported.call_spec.in_spec, self._exported.call_spec.out_spec)):
            try:
                yield f"  {what} {text._quoted(_pytree.treespec_dumps(spec))}"
            except Exception:  # a class that has no name in files: the caller keeps the tree
                pass

    def _symbol(self, name, symbol, env):
        bounds = self._exported.range_constraints.get(symbol)
        if bounds is None:
            return super()._symbol(name, symbol, env)
        return super()._symbol(name, symbol, _Ranges(env, {symbol: bounds}))

    def _placeholder(self, node, name, is_main):
        spec = self._inputs.get(node.name) if is_main else None
        if spec is None or spec.kind not in _INPUTS:
            value = node.meta.get("val")
            if is_main and not isinstance(value, (torch.Tensor, int, float, torch.SymInt, torch.SymFloat, torch.SymBool)):
                return f"  placeholder %{name} user {text._quoted(node.name)} : none"
            return super()._placeholder(node, name, is_main)
        kept = " non_persistent" if spec.kind == InputKind.BUFFER and spec.persistent is False else ""
        return self._given(name, f"{_INPUTS[spec.kind]} {text._quoted(spec.target)}{kept}", spec.target, self._tensor(spec))

    def _constant(self, name, value, is_main):
        return self._given(name, f"constant {text._quoted(name)}", name, value) if is_main else super()._constant(name, value, is_main)

    def _given(self, name, kind, target, tensor):
        self.given[target] = tensor = tensor.detach().resolve_conj().resolve_neg()
        sizes, strides = (",".join(map(str, numbers)) for numbers in (tensor.shape, tensor.stride()))
        return f"  placeholder %{name} {kind} : {text._DTYPES[tensor.dtype]}[{sizes}]{{{strides}}}"

    def _is_told(self, node):
        return node.name in self._returned

    def _tensor(self, spec):
        for place in (self._exported.state_dict, self._exported.constants):
            if spec.target in place:
                return place[spec.target]
        raise text.Unsupported(f"the constant {spec.target}, which the exported program does not hold")

    def _output(self, node, names, module, is_main):
        if not is_main:
            return super()._output(node, names, module, is_main)
        written = []
        for spec, value in zip(self._exported.graph_signature.output_specs, node.args[0]):
            if spec.kind not in _OUTPUTS:
                raise text.Unsupported(f"an output of kind {spec.kind.name}")
            target = f"{text._quoted(spec.target)} " if spec.kind != OutputKind.USER_OUTPUT else ""
            written.append(f"{_OUTPUTS[spec.kind]} {target}{self._arg(value, names, module)}")
        return "(" + ", ".join(written) + ")"


class _Ranges:
    """A ShapeEnv with other ranges."""

    def __init__(self, env, ranges):
        self._env, self.var_to_range = env, ranges

    def __getattr__(self, name):
        return getattr(self._env, name)


def compile_into(session, exported):
    """Compiles it; returns its trees."""
    try:
        written = ExportedText(exported)
    except text.Unsupported as unsupported:
        raise Error(f"ferrite has no text for {unsupported}") from unsupported
    compile_text_into(session, written)
    return exported.call_spec.in_spec, exported.call_spec.out_spec


def compile_text_into(session, written):
    for name, tensor in written.given.items():
        session.add_constant(name, _descriptor(tensor), tensor)
    session.compile_text("program.fx", str(written))


def _descriptor(tensor):
    dims = (ctypes.c_int64 * (tensor.dim() or 1))
    return Tensor(tensor.data_ptr(), _CODES[tensor.dtype], tensor.dim(), dims(*tensor.shape), dims(*tensor.stride()))
