"""Every node of a program held against eager PyTorch: ferrite.check()."""

import os
import re

import torch
from torch.utils import _pytree

from ferrite._exported import ExportedText, compile_text_into
from ferrite._handed import argument
from ferrite._program import Compiled

_TOLERANCE = {torch.float64: (1e-7, 1e-7), torch.float32: (1.3e-5, 1e-5), torch.float16: (1e-2, 1e-3), torch.bfloat16: (3e-2, 1e-3)}
_EAGERS_OWN = 4  # as far from float64 as eager is, times this, is no fault
_WIDER = {torch.float32: torch.float64, torch.float16: torch.float64, torch.bfloat16: torch.float64,
          torch.complex64: torch.complex128}
_PYTORCH = os.path.dirname(torch.__file__) + os.sep


class _EveryNode(ExportedText):
    """The program with the result of every call among its outputs."""

    def __init__(self, exported):
        self.shown = []
        super().__init__(exported)

    def _output(self, node, names, module, is_main):
        written = super()._output(node, names, module, is_main)
        if not is_main:
            return written
        self.shown = [one for one in module.graph.nodes if one.op == "call_function" and isinstance(one.meta.get("val"), torch.Tensor)]
        own = written[1:-1]
        return "(" + ", ".join([*filter(None, [own]), *(f"user %{names[one]}" for one in self.shown)]) + ")"


class _Eager(torch.fx.Interpreter):
    """Runs the graph as PyTorch does; `is_wide`: all floats in double precision."""

    def __init__(self, module, is_wide):
        super().__init__(module)
        self.is_wide, self.found = is_wide, {}

    def run_node(self, node):
        value = super().run_node(node)
        if isinstance(value, torch.Tensor):
            self.found[node.name] = value
        return value

    def call_function(self, target, args, kwargs):
        if self.is_wide:
            args, kwargs = _pytree.tree_map(lambda one: _WIDER.get(one, one) if isinstance(one, torch.dtype) else one, (args, kwargs))
        return super().call_function(target, args, kwargs)


def _values(exported, inputs, widen):
    """Those of the graph's placeholders; each of its own."""
    given = iter(inputs)
    for spec in exported.graph_signature.input_specs:
        place = exported.state_dict if spec.target in exported.state_dict else exported.constants
        value = place[spec.target] if spec.target in place else next(given)
        if not isinstance(value, torch.Tensor):
            yield value
            continue
        wide = _WIDER.get(value.dtype) if widen else None
        with torch.no_grad():
            yield value.detach().to(wide) if wide else value.detach().clone()


def _eager(exported, inputs, is_wide):
    runner = _Eager(exported.graph_module, is_wide)
    default = torch.get_default_dtype()
    if is_wide:
        torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            results = runner.run(*_values(exported, inputs, is_wide))
    finally:
        torch.set_default_dtype(default)
    return runner.found, results


def _apart(ours, theirs):
    """The greatest difference, absolute and relative; where both hold the same NaN or infinity there is none."""
    if ours.shape != theirs.shape:
        return float("inf"), float("inf")
    wide = torch.complex128 if theirs.is_complex() or ours.is_complex() else torch.float64
    ours, theirs = ours.detach().to(wide), theirs.detach().to(wide)
    same = (ours == theirs) | (ours.isnan() & theirs.isnan())
    apart = (ours - theirs).abs().masked_fill(same, 0).nan_to_num(nan=float("inf"), posinf=float("inf"))
    if not apart.numel():
        return 0.0, 0.0
    relative = (apart / theirs.abs()).masked_fill(same, 0).nan_to_num(nan=float("inf"), posinf=float("inf"))
    return float(apart.max()), float(relative.max())


class Row:
    """A node, or an output: `absolute` and `relative` are our greatest difference from eager, `absolute64` and
    `eagers64` ours and eager's from float64."""

    def __init__(self, name, target, source, ours, theirs, wide):
        self.name, self.target, self.source = name, target, source
        self.absolute, self.relative = _apart(ours, theirs)
        self.absolute64, self.eagers64 = (_apart(one, wide)[0] if wide is not None else 0.0 for one in (ours, theirs))
        relative, absolute = _TOLERANCE.get(theirs.dtype if not theirs.is_complex() else torch.float32, (0, 0))
        largest = float(theirs.detach().abs().nan_to_num(0, 0, 0).max()) if theirs.numel() and theirs.dtype != torch.bool else 0
        is_near = ours.dtype == theirs.dtype and self.absolute <= absolute + relative * largest
        is_as_good = theirs.is_floating_point() and self.absolute64 <= _EAGERS_OWN * self.eagers64 < float("inf")
        self.is_off = not (is_near or is_as_good)

    def __str__(self):
        place = f" at {self.source}" if self.source else ""
        return (f"{'OFF ' if self.is_off else ''}{self.name} = {self.target}{place}: {self.absolute:.3g} ({self.relative:.3g}) from eager, "
                f"{self.absolute64:.3g} from float64, of which eager is {self.eagers64:.3g}")


class Result:
    """`rows`, in the program's order; `first`, the first that is off, or None. True where none is."""

    def __init__(self, rows, note=""):
        self.rows, self.note = rows, note
        self.first = next((row for row in rows if row.is_off), None)

    def __bool__(self):
        return self.first is None

    def __str__(self):
        return "\n".join([*map(str, self.rows if self.first is None else [self.first]), *filter(None, [self.note])])

    __repr__ = __str__


def _source(node):
    """The user's line: of the innermost frame that is recorded and not PyTorch's."""
    places = re.findall(r'File "(.*?)", line (\d+), in (\S+)', node.meta.get("stack_trace") or "")
    theirs = [place for place in places if not place[0].startswith(_PYTORCH)]
    return "{}:{} in {}".format(*(theirs or places)[-1]) if places else ""


def _draws(module):
    return next((node for node in module.graph.nodes if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
                 and argument(node, "dropout_p") != 0), None)


def _call(session, values):
    results = Compiled(session, (None, None))(*values)
    return list(results) if isinstance(results, tuple) else [results]


def check(exported, inputs, new_session, hand_over, error):
    draw = _draws(exported.graph_module)
    if draw is not None:
        raise error(f"%{draw.name} draws random numbers ({draw.target}), which are others each time")
    users = [value.detach().clone() if isinstance(value, torch.Tensor) else value for value in inputs]
    session, written = new_session(), _EveryNode(exported)
    compile_text_into(session, written)
    (eager, own), (wide, own_wide) = (_eager(exported, users, is_wide) for is_wide in (False, True))
    ours = _call(session, [one.clone() if isinstance(one, torch.Tensor) else one for one in users])
    rows = [Row(node.name, node.target, _source(node), value, eager[node.name], wide.get(node.name))
            for node, value in zip(written.shown, ours[len(ours) - len(written.shown):])]
    if any(row.is_off for row in rows):
        return Result(rows)
    rows += _whole(exported, users, new_session, hand_over, own, own_wide)
    return Result(rows, "each node alone is right: what is off is made by several together; option bisect finds the kernel"
                  if rows and rows[-1].is_off else "")


def _whole(exported, users, new_session, hand_over, own, wide):
    """The program as it is, its nodes fused."""
    session = new_session()
    hand_over(session, exported)
    results = _call(session, [one.clone() if isinstance(one, torch.Tensor) else one for one in users])
    specs = exported.graph_signature.output_specs
    kept = [k for k, spec in enumerate(specs) if spec.kind.name == "USER_OUTPUT"]
    return [Row(f"output {number}", "of the whole program", "", value, own[k], wide[k]) for number, (k, value) in
            enumerate(zip(kept, results)) if isinstance(own[k], torch.Tensor) and isinstance(value, torch.Tensor)]
