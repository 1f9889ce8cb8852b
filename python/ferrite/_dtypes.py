"""Dtypes that PyTorch's kernels give and its fake tensors do not know of: norms of 16-bit floats beside parameters of single
precision have statistics of single precision, which their gradients need."""

import operator

import torch

_aten = torch.ops.aten
_HALF = (torch.float16, torch.bfloat16)
_FORWARD = {_aten.native_layer_norm.default, _aten.native_group_norm.default, _aten.native_batch_norm.default,
            _aten._native_batch_norm_legit.default, _aten._native_batch_norm_legit.no_stats,
            _aten._native_batch_norm_legit_functional.default, _aten._native_batch_norm_legit_no_training.default,
            _aten._batch_norm_with_update.default, _aten._batch_norm_with_update_functional.default,
            _aten._batch_norm_no_update.default}
_GROUP = _aten.native_group_norm_backward.default


def _value(arg):
    return arg.meta.get("val") if isinstance(arg, torch.fx.Node) else arg


def _given(node):
    """The input and its parameters."""
    names = {parameter.name: _value(arg) for parameter, arg in zip(node.target._schema.arguments, node.args)}
    names.update((name, _value(arg)) for name, arg in node.kwargs.items())
    return names["input"], [names.get(name) for name in ("weight", "bias", "running_mean", "running_var")]


def _of_norm(node):
    x, parameters = _given(node)
    items = list(node.meta["val"])
    is_mixed = x.dtype in _HALF and any(p is not None and p.dtype == torch.float32 for p in parameters)
    places = () if not is_mixed else (0,) if node.target is _GROUP else (1, 2)
    for k in places:
        if items[k] is not None:
            items[k] = items[k].to(x.dtype if node.target is _GROUP else torch.float32)
    return tuple(items)


def _of_call(node):
    if node.target in _FORWARD or node.target is _GROUP:
        return _of_norm(node)
    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), _value)
    return node.target(*args, **kwargs)


def _dtypes(value):
    return [leaf.dtype for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def correct(module, changed=()):
    """Says so in the metadata of the graph's nodes, and of what reads nodes whose metadata has changed."""
    changed = set(changed)
    for node in module.graph.nodes:
        is_known = isinstance(node.target, torch._ops.OpOverload) or node.target is operator.getitem
        if node.op != "call_function" or not is_known or "val" not in node.meta or node.meta.get("unbacked_bindings"):
            continue
        if node.target in _FORWARD or node.target is _GROUP or not changed.isdisjoint(node.all_input_nodes):
            with torch.no_grad():
                value = _of_call(node)
            if _dtypes(value) != _dtypes(node.meta["val"]):
                node.meta["val"] = value
                changed.add(node)
