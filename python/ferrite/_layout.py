"""Channels-last memory in training graphs.

Inside of a graph ferrite lays tensors out as it likes, channels last around convolutions. What the forward graph keeps
for the backward one is an output of it, whose strides are those that PyTorch traced: each convolution of a model
in contiguous memory would be re-laid twice. So the graph of both is traced on as if the first convolutions' inputs had
come channels last, before it is parted; what the user sees has the strides that it had.
"""

import operator

import torch

_aten, _prims = torch.ops.aten, torch.ops.prims
_CONVOLUTIONS = {_aten.convolution.default, _aten.convolution_backward.default}
_RANK = 4  # images


def _value(item):
    return item.meta.get("val") if isinstance(item, torch.fx.Node) else item


def _strides(value):
    """Of a tensor, or of each of several."""
    if isinstance(value, torch.Tensor):
        return tuple(value.stride())
    return tuple(map(_strides, value)) if isinstance(value, (list, tuple)) else None


def _is_images(value):
    return isinstance(value, torch.Tensor) and value.dim() == _RANK


def _is_plain(node):
    """Nothing but the values of its operands counts: no places in storages, no results that the data decides."""
    if node.op != "call_function" or node.target is operator.getitem:
        return True
    if not isinstance(node.target, torch._ops.OpOverload) or node.target.namespace not in ("aten", "prims"):
        return not any(isinstance(value, torch.Tensor) for value in map(_value, node.all_input_nodes))
    return "as_strided" not in node.name and not node.meta.get("unbacked_bindings")


def _traced(node):
    """What the node gives for operands as they are now; a view that there is not becomes a copy."""
    def call():
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), _value)
        return node.target(*args, **kwargs)

    try:
        return call()
    except (RuntimeError, ValueError):
        if node.target not in (_aten.view.default, _aten._unsafe_view.default):
            raise
        node.target = _aten.reshape.default
        return call()


def _lay_out(graph, mode):
    """Traces the graph on from where images come channels last, which is at convolutions that have others."""
    moved, copies = set(), {}
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        if node.target in _CONVOLUTIONS:
            at = 0 if node.target is _aten.convolution.default else 1
            image = node.args[at]
            if _is_images(_value(image)) and not _value(image).is_contiguous(memory_format=torch.channels_last):
                if image not in copies:
                    with graph.inserting_before(node), mode:
                        made = graph.call_function(_aten.clone.default, (image,), {"memory_format": torch.channels_last})
                        made.meta = {**image.meta, "val": _traced(made)}
                    copies[image] = made
                node.update_arg(at, copies[image])
                moved.add(copies[image])
        if moved.isdisjoint(node.all_input_nodes):
            continue
        before = _strides(_value(node))
        if isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable:
            continue  # what is written lies where it lay
        with mode:
            node.meta["val"] = _traced(node)
        if _strides(_value(node)) != before:
            moved.add(node)


def _restore(graph, given):
    """What is given, which had these values, lies as it did."""
    end = graph.output_node()
    strides = {node: _strides(value) for node, value in given.items()}

    def restored(node):
        if strides.get(node) in (None, _strides(_value(node))):
            return node
        with graph.inserting_before(end):
            if given[node].is_contiguous():
                made = graph.call_function(_aten.clone.default, (node,), {"memory_format": torch.contiguous_format})
            else:
                made = graph.call_function(_prims.copy_strided.default, (node, list(strides[node])))
            made.meta = {**node.meta, "val": _value(node).new_empty_strided(_value(node).shape, strides[node])}
        return made

    end.args = torch.fx.map_arg(end.args, restored)


def channels_last(module):
    """Lays out the images of a graph of forward and backward, as above, where it has convolutions."""
    graph = module.graph
    images = [node for node in graph.nodes if node.target is _aten.convolution.default and _is_images(_value(node))]
    mode = torch._guards.detect_fake_mode([_value(node) for node in images])
    if not images or not mode or not all(map(_is_plain, graph.nodes)):
        return
    given = {node: _value(node) for node in graph.output_node().all_input_nodes if isinstance(_value(node), torch.Tensor)}
    if any(not value.is_contiguous() and not all(isinstance(stride, int) for stride in value.stride())
           for value in given.values()):
        return  # numbers that only the run knows are no arguments of a node's
    _lay_out(graph, mode)
    _restore(graph, given)
    module.recompile()
