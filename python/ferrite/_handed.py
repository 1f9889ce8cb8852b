"""Calls that PyTorch is to run in a compiled graph: of an operator as it is, of a higher-order one as an operator of its own."""

import itertools
import re

import torch


def attribute(module, path):
    for name in path.split("."):
        module = getattr(module, name)
    return module


def identifier(text):
    return text if text.isascii() and text.isidentifier() else re.sub(r"[^A-Za-z0-9_]", "_", text)


def argument(node, name):
    """What a call gives for a parameter of its schema, its default included; None where it has none of this name."""
    for place, parameter in enumerate(node.target._schema.arguments):
        if parameter.name == name:
            return node.args[place] if place < len(node.args) else node.kwargs.get(name, parameter.default_value)
    return None


_counter = itertools.count()  # of names that no other graph has
_WHOLE = {"cond", "while_loop", "run_and_save_rng_state", "run_with_rng_state", "scan", "associative_scan", "map_impl",
          "auto_functionalized"}


class WholeCall:
    """A call of a higher-order operator that PyTorch is to run, as an operator of its own: its parameters are what the graph
    computes; subgraphs, options and numbers stay as they are."""

    def __init__(self, node, module):
        self.values, self.name = [], f"{identifier(node.name)}_{next(_counter)}"
        self._target, self._given = node.target, torch.fx.node.map_arg((node.args, node.kwargs), lambda arg: self._taken(arg, module))
        params = ", ".join(f"{_kind(value.meta.get('val'))} a{k}" for k, value in enumerate(self.values))
        results = ", ".join("Tensor" for _ in tensors(node.meta["val"]))
        self.schema = f"torch_higher::{self.name}({params}) -> ({results})"

    def _taken(self, arg, module):
        if arg.op == "get_attr" and isinstance(attribute(module, arg.target), torch.fx.GraphModule):
            return attribute(module, arg.target)
        self.values.append(arg)
        return _Place(len(self.values) - 1)

    def __call__(self, *values):
        args, kwargs = torch.utils._pytree.tree_map_only(_Place, lambda place: values[place.number], self._given)
        with torch.no_grad():
            return tuple(tensors(self._target(*args, **kwargs)))


class _Place:
    """Of a value among the parameters."""

    def __init__(self, number):
        self.number = number


def _kind(value):
    kinds = ((torch.Tensor, "Tensor"), ((bool, torch.SymBool), "bool"), ((int, torch.SymInt), "SymInt"), ((float, torch.SymFloat), "float"))
    return next((kind for of, kind in kinds if isinstance(value, of)), None)


def flat(value):
    return [item for part in value for item in flat(part)] if isinstance(value, (list, tuple)) else [value]


def tensors(value):
    """Of the results of a higher-order operator, some of which may be none."""
    return [item for item in flat(value) if item is not None]


def _is_whole(node):
    """Of a higher-order operator: values go in, nothing but tensors comes out."""
    if getattr(node.target, "_name", None) not in _WHOLE or any(isinstance(arg, torch.SymInt) for arg in flat(list(node.args))):
        return False
    inputs = [arg for arg in node.all_input_nodes if arg.op != "get_attr"]
    made = tensors(node.meta.get("val"))
    return bool(made) and all(isinstance(value, torch.Tensor) for value in made) and all(_kind(arg.meta.get("val")) for arg in inputs)


def can_be_handed(node):
    """Can the call be one of an operator of the user's? It gives no views, and no lists but that of a higher-order operator."""
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        return _is_whole(node)
    schema = getattr(node.target, "_schema", None)
    if schema is None or any(one.alias_info is not None for one in schema.returns):
        return False
    value = node.meta.get("val")
    made = value if isinstance(value, (list, tuple)) else [value]
    return not any(isinstance(one, (list, tuple)) for one in made)
