"""Channels-last memory in training graphs.

Inside of a graph ferrite lays tensors out as it likes, channels last around convolutions. What the forward graph keeps
for the backward one is an output of it, whose strides are those that PyTorch traced: each convolution of a model
in contiguous memory would be re-laid twice. So the graph of both is traced on as if the first convolutions' inputs had
come channels last, before it is parted; what the user sees has the strides that it had.
"""

import logging
import operator

import torch

_aten, _prims = torch.ops.aten, torch.ops.prims
_IMAGE = {_aten.convolution.default: 0, _aten.convolution_backward.default: 1}  # which argument it is
_VIEWS = (_aten.view.default, _aten._unsafe_view.default)
_RANK = 4  # images
log = logging.getLogger(__name__)


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


class _Trace:
    """The graph traced on from where images come channels last, which is at convolutions that have others: the values of
    nodes that lie otherwise then, the images that are re-laid, the views that become copies."""

    def __init__(self, graph, mode):
        self.values, self.relaid, self.copies = {}, {}, []
        with mode:
            for node in graph.nodes:
                if node.op == "call_function":
                    self._trace(node)

    def _now(self, item):
        return self.values.get(item, _value(item)) if isinstance(item, torch.fx.Node) else item

    def _trace(self, node):
        args, at, is_relaid = list(node.args), _IMAGE.get(node.target), False
        if at is not None and _is_images(self._now(args[at])):
            image = self._now(args[at])
            if not image.is_contiguous(memory_format=torch.channels_last):
                args[at] = self.relaid.setdefault(args[at], image.clone(memory_format=torch.channels_last))
                is_relaid = True
        is_written = isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable
        if is_written or not is_relaid and self.values.keys().isdisjoint(node.all_input_nodes):
            return  # what is written lies where it lay
        value = self._call(node, *torch.fx.map_arg((args, node.kwargs), self._now))
        if _strides(value) != _strides(_value(node)):
            self.values[node] = value

    def _call(self, node, args, kwargs):
        try:
            return node.target(*args, **kwargs)
        except (RuntimeError, ValueError):
            if node.target not in _VIEWS:
                raise
        self.copies.append(node)
        return _aten.reshape.default(*args, **kwargs)

    def apply(self, graph):
        for image, value in self.relaid.items():
            users = [node for node in image.users if node.target in _IMAGE and node.args[_IMAGE[node.target]] is image]
            with graph.inserting_before(users[0]):
                made = graph.call_function(_aten.clone.default, (image,), {"memory_format": torch.channels_last})
            made.meta = {**image.meta, "val": value}
            for node in users:
                node.update_arg(_IMAGE[node.target], made)
        for node, value in self.values.items():
            node.meta["val"] = value
        for node in self.copies:
            node.target = _aten.reshape.default


def _restore(graph, given):
    """What is given, which had these values, lies as it did."""
    end = graph.output_node()

    def restored(node):
        now, was = _value(node), given.get(node)
        if was is None or _strides(now) == _strides(was):
            return node
        with graph.inserting_before(end):
            if was.is_contiguous():
                made = graph.call_function(_aten.clone.default, (node,), {"memory_format": torch.contiguous_format})
            else:
                made = graph.call_function(_prims.copy_strided.default, (node, list(was.stride())))
        made.meta = {**node.meta, "val": was}
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
    try:
        trace = _Trace(graph, mode)
    except (RuntimeError, ValueError, TypeError, NotImplementedError) as refused:
        log.debug("images stay as they lie: %s", refused)
        return
    trace.apply(graph)
    _restore(graph, given)
    module.recompile()
