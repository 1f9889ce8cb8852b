"""What a backward graph makes again instead of keeping it, which is decided where the graph of both is parted: by a search
that recomputes arithmetic and takes no other call apart.

A norm of PyTorch's is one call for its result and for the statistics that its gradients need. Its input is kept for
these anyway: so the result is written as what it is of input, statistics and parameters, and the backward graph makes
it again while it reads it. The call stays for the statistics. Some activations and their gradients are not known for
arithmetic, and are called so. Gradients of maximum pools read places, which small integers hold, and of the pool's
input the sizes alone.
"""

import operator

import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true
from torch.utils.checkpoint import CheckpointPolicy

from ferrite._handed import argument

_aten = torch.ops.aten
_HALF = (torch.float16, torch.bfloat16)
_OF_BATCH = {_aten._native_batch_norm_legit_functional.default, _aten._native_batch_norm_legit.no_stats,
             _aten.native_batch_norm.default, _aten._batch_norm_with_update_functional.default}
_OF_CONSTANTS = {_aten._native_batch_norm_legit_no_training.default, _aten._batch_norm_no_update.default}
# of one element each, which what parts a graph does not know of
_ARITHMETIC = (_aten.elu_backward, _aten.hardsigmoid_backward, _aten.hardswish, _aten.hardswish_backward, _aten.hardtanh_backward,
               _aten.leaky_relu_backward, _aten.mish_backward, _aten.softplus_backward)


class _Arithmetic:
    """An operator's call as one of arithmetic, in the eyes of what parts the graph."""

    overloadpacket = _aten.mul

    def __init__(self, overload):
        self.overload, self.__name__, self.__module__ = overload, overload.overloadpacket.__name__, __name__

    def __call__(self, *args, **kwargs):
        return self.overload(*args, **kwargs)


_AS_ARITHMETIC = {packet.default: _Arithmetic(packet.default) for packet in _ARITHMETIC}


def _value(node):
    return node.meta["val"]


def _insert(before, mode, meta, target, *args, **kwargs):
    """A node, with the values that fake tensors give it."""
    with before.graph.inserting_before(before):
        made = before.graph.call_function(target, args, kwargs)
    given = torch.fx.map_arg((args, kwargs), _value)
    with mode, torch.no_grad():
        made.meta = {**meta, "val": target(*given[0], **given[1])}
    made.meta.pop("tensor_meta", None)
    return made


class _Writer:
    """Writes nodes for one norm, which stand before a node of the graph."""

    def __init__(self, norm, mode, before):
        self.norm, self.mode, self.before = norm, mode, before
        self.rank, self.dtype = _value(norm.args[0]).dim(), _value(norm.args[0]).dtype
        self.computed_in = torch.float32 if self.dtype in _HALF else self.dtype

    def __call__(self, target, *args, **kwargs):
        return _insert(self.before, self.mode, self.norm.meta, target, *args, **kwargs)

    def cast(self, node, dtype):
        return node if _value(node).dtype == dtype else self(_aten._to_copy.default, node, dtype=dtype)

    def parameter(self, name):
        """None or a parameter of the norm, in the dtype that it computes in."""
        given = argument(self.norm, name)
        return given and self.cast(given, self.computed_in)

    def by_channel(self, node):
        """[C] or [N, C] beside [N, C, ...]."""
        for _ in range(self.rank - 2 if node else 0):
            node = self(_aten.unsqueeze.default, node, -1)
        return node

    def normed(self, mean, scales, bias):
        """(input - mean) * scales + bias"""
        # of a node of its own: uses of the input far behind the norm's call would be kept from being made again
        x = _insert(self.norm, self.mode, self.norm.meta, _aten.alias.default, self.norm.args[0])
        y = self(_aten.sub.Tensor, self.cast(x, self.computed_in), mean)
        for scale in filter(None, scales):
            y = self(_aten.mul.Tensor, y, scale)
        return self.cast(self(_aten.add.Tensor, y, bias) if bias else y, self.dtype)


def _batch_norm(write, mean, rstd):
    weight = write.parameter("weight")
    scale = write(_aten.mul.Tensor, rstd, weight) if weight else rstd
    return write.normed(write.by_channel(mean), [write.by_channel(scale)], write.by_channel(write.parameter("bias")))


def _constant_norm(write):
    """Of statistics that are not those of the batch."""
    variance = write(_aten.add.Scalar, write.parameter("running_var"), argument(write.norm, "eps"))
    return _batch_norm(write, write.parameter("running_mean"), write(_aten.rsqrt.default, variance))


def _layer_norm(write, mean, rstd):
    return write.normed(mean, [rstd, write.parameter("weight")], write.parameter("bias"))


def _group_norm(write, mean, rstd):
    channels, groups, weight = argument(write.norm, "C"), argument(write.norm, "group"), write.parameter("weight")

    def of_channels(each):
        wide = write(_aten.expand.default, write(_aten.unsqueeze.default, each, -1), [-1, -1, channels // groups])
        return write(_aten.view.default, write(_aten.clone.default, wide, memory_format=torch.contiguous_format), [-1, channels])

    def kept(by_channel):
        """Small, and slow to read by groups at each element."""
        made = write(_aten.clone.default, by_channel)
        made.meta["recompute"] = CheckpointPolicy.MUST_SAVE
        return write.by_channel(made)

    scale = of_channels(rstd)
    scale = kept(write(_aten.mul.Tensor, scale, weight) if weight else scale)
    return write.normed(kept(of_channels(mean)), [scale], write.by_channel(write.parameter("bias")))


_FORMS = {**dict.fromkeys(_OF_BATCH, _batch_norm), _aten.native_layer_norm.default: _layer_norm,
          _aten.native_group_norm.default: _group_norm}


def _items(norm):
    return {user.args[1]: user for user in norm.users if user.target is operator.getitem}


def _written(norm, items, mode):
    """The norm's result as arithmetic, or None where that is not what the call computes."""
    if norm.target in _OF_CONSTANTS:
        return _constant_norm(_Writer(norm, mode, norm.next))
    if argument(norm, "training") is False or not {1, 2} <= items.keys():
        return None
    norm.append(items[2])
    norm.append(items[1])
    write = _Writer(norm, mode, items[2].next)
    if any(_value(items[k]).dtype != write.computed_in for k in (1, 2)):
        return None  # statistics were rounded, and what was made of them would be too
    if norm.target is _aten.native_group_norm.default and not isinstance(argument(norm, "C"), int):
        return None
    return _FORMS[norm.target](write, items[1], items[2])


def _forget_unread(gradient, mode):
    """The gradients of a batch norm read the statistics of the batch or those that it was given, never both."""
    at = slice(3, 5) if argument(gradient, "train") else slice(5, 7)
    gradient.args = (*gradient.args[:at.start], None, None, *gradient.args[at.stop:])


def _write_norm(norm, mode):
    items = _items(norm)
    made = _written(norm, items, mode) if 0 in items else None
    if made and _value(made).stride() == _value(items[0]).stride():
        items[0].replace_all_uses_with(made)


def _sizes_alone(gradient, mode):
    """In the place of a pool's input: nothing of its sizes."""
    x = _value(gradient.args[1])
    formats = [one for one in (torch.contiguous_format, torch.channels_last) if x.is_contiguous(memory_format=one)]
    if formats and all(isinstance(size, int) for size in x.shape):
        meta = {**gradient.meta, "partitioner_tag": "must_be_in_backward"}
        made = _insert(gradient, mode, meta, _aten.empty.memory_format, list(x.shape), dtype=x.dtype, device=x.device,
                       memory_format=formats[0])
        gradient.update_arg(1, made)


def _small_places(gradient, mode):
    """Places in an image of the pool's input are kept as the least integers that hold them."""
    height, width = _value(gradient.args[1]).shape[-2:]
    places = gradient.args[7]
    small = next((dtype for dtype in (torch.int16, torch.int32)
                  if statically_known_true(height * width <= torch.iinfo(dtype).max)), None)
    if small and _value(places).dtype == torch.int64:
        least = _insert(places.next, mode, places.meta, _aten._to_copy.default, places, dtype=small)
        meta = {**gradient.meta, "partitioner_tag": "must_be_in_backward"}
        gradient.update_arg(7, _insert(gradient, mode, meta, _aten._to_copy.default, least, dtype=torch.int64))


def _write_pool(gradient, mode):
    if gradient.meta.get("partitioner_tag") != "is_backward":
        return  # the user's own call of it, in the forward graph
    _small_places(gradient, mode)
    _sizes_alone(gradient, mode)


def _write_detached(node, mode):
    """It is what it detaches, which the graph's own gradients read so; what the user is given stays another tensor."""
    node.replace_all_uses_with(node.args[0], delete_user_cb=lambda user: user.op != "output")


_WRITERS = {
    **dict.fromkeys({*_FORMS, *_OF_CONSTANTS}, _write_norm),
    _aten.detach.default: _write_detached,
    _aten.max_pool2d_with_indices_backward.default: _write_pool,
    _aten.native_batch_norm_backward.default: _forget_unread,
}


def _rename(module, names):
    for node in module.graph.nodes:
        node.target = names(node.target) if node.op == "call_function" else node.target
    module.recompile()


def _write(module):
    for node in list(module.graph.nodes):
        mode = node.target in _WRITERS and torch._guards.detect_fake_mode([_value(node.args[0])])
        if mode and "recompute" not in node.meta:  # what is to be kept of a checkpointed part was said by the user
            _WRITERS[node.target](node, mode)
    module.graph.eliminate_dead_code()


def parted(part, module):
    """The forward and the backward graph that part() makes of a graph of both, written so that less is kept between the two."""
    _write(module)
    _rename(module, lambda target: _AS_ARITHMETIC.get(target, target))
    both = part(module)
    for made in both:
        _rename(made, lambda target: target.overload if isinstance(target, _Arithmetic) else target)
    return both
