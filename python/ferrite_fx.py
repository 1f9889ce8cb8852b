"""A program that ferrite wrote as an FX graph (ferrite compile --emit fx), as a torch.fx.GraphModule: for compilers
and accelerators of one's own.

    import ferrite_fx
    module = ferrite_fx.load("model.json")          # runs in plain PyTorch: module(x)
    module.graph.print_tabular()

    class Mine(ferrite_fx.Backend):                 # runs kernels elsewhere
        def kernel(self, name, buffers, ints, grid, mutated, cost, checks=()): ...
    module = ferrite_fx.load("model.json", backend=Mine)

The nodes, all of them functions of this module but torch.empty_strided (`buffers` are tensors; what is written to is
written in place, as with out=):

    input(x, name, dtype, sizes, strides, shape, is_number)   x, checked; -1: dynamic
    storage_of(x), start_of(x)                                the storage of an input, as a vector, and where in it x begins
    size, number, solve, item, same, div, mod, min, max, ...  symbolic sizes, each compound one computed once
    check, check_size, check_stride, check_range, check_number
    check_apart([name, x], [[name, x], ...])                  the first gets a new value: the others lie elsewhere
    check_numbers(view, finite, what), clear(view)            no NaN (or infinity) in what; zeroes (--nan-check)
    torch.empty_strided(sizes, strides, dtype=)               a buffer comes to life;  delete(buffer): its life ends
    on_device(library, device), transfer(library, source, target, waits_not), wait(library, buffer)
                                                              programs of several devices: empty_strided has device=,
    empty_pinned(...), on(weight, device)                     and memory of the host that devices copy to is pinned
    mark(library, number, device, queue), after(...)          a place in a queue of a device ("kernels" or "copies"), and
                                                              where the other queue waits until the first has come there
    memory(bytes), view(memory, dtype, sizes, strides, byte)  memory that several buffers take turns in, and one of them
    as_strided(buffer, sizes, strides, offset)                a window on a buffer's memory
    kernel(library, name, buffers, ints, grid=, mutated=, cost=, checks=)   a generated kernel: grid = (rows, columns or None),
                                                              checks = what it makes sure of its indices,
                                                              mutated = places of the buffers that it writes to
    extern(library, name, ins, out=, ints=, floats=, text=, epilogue=, work=)   a runtime operator of ferrite; work = bytes
                                                              that it works in
    custom(library, symbol, args, out=, made=)                a function of the user's; made = results that it makes
                                                              memory for: [which, dtype, key], of sizes to be written
    cond(test, then, [...], otherwise, [...])                 regions: submodules that change buffers in place
    repeat(count or None, body, [...]), go_on(test, rest, [...])   a counted body takes its step last
    call_module part_0(...)                                   a part of a program that was cut: a GraphModule, given what
                                                              it takes from outside; it changes buffers in place, and
                                                              returns a tuple of the buffers and numbers that it makes

`library` is the backend: its methods run kernels and operators. module.kernels has the text of each kernel, by name: kernel
IR (src/kern/kern.h) at one lane, from which other devices make their own. node.meta["note"] says what each node comes from.
"""

import builtins
import copy
import json
import operator
import os

import torch

import ferrite_runtime as rt

VERSION = 1

# ---- sizes ----

div, mod = rt.div, rt.mod


def min(a, b):
    return builtins.min(a, b)


def max(a, b):
    return builtins.max(a, b)


def both(a, b):
    return bool(a) and bool(b)


def either(a, b):
    return bool(a) or bool(b)


def same(a):
    return a


def size(tensor, dimension):
    return tensor.shape[dimension]


def stride(tensor, dimension):
    return tensor.stride(dimension)


def number(value):
    return value.item() if isinstance(value, torch.Tensor) else value


def item(tensor):
    return tensor.item()


def solve(given, shift, scale, power=1):
    return rt.solve(given, shift, scale, power)


# ---- inputs ----


def input(value, name, dtype, sizes, strides, shape, is_number, device=None):
    if dtype is None:
        return value
    port = rt.Port(name, _number_of(dtype), sizes, strides, shape, is_number)
    if device is None or device.type == "cpu":
        port.take(value)
    elif value.device != device:
        raise rt.InputError(f"input '{name}' is on {value.device}, expected {device}")
    else:
        port.check(value.data_ptr(), _number_of(value.dtype), tuple(value.shape), value.stride())
    return value


def storage_of(value):
    return torch.empty(0, dtype=value.dtype, device=value.device).set_(value.untyped_storage())


def start_of(value):
    return value.storage_offset()


def check(holds, message, **symbols):
    rt.Frame.check(None, holds, message, **symbols)


def check_size(tensor, name, dimension, expected, text):
    if tensor.shape[dimension] != expected:
        raise rt.InputError(f"input '{name}' has size {tensor.shape[dimension]} in dimension {dimension}, "
                            f"expected {text} = {expected}")


def check_stride(tensor, name, dimension, expected, text):
    if tensor.shape[dimension] > 1 and tensor.numel() and tensor.stride(dimension) != expected:
        raise rt.InputError(f"input '{name}' has stride {tensor.stride(dimension)} in dimension {dimension}, "
                            f"expected {text} = {expected}")


def check_apart(mutated, others):
    """What gets a new value is nobody else's memory."""
    if mutated[1].device.type == "cpu":
        rt.check_apart((mutated[0], (*_described(mutated[1]), None)),
                       [(name, (*_described(other), None)) for name, other in others if other.device.type == "cpu"])


def check_range(given, name, dimension, value, symbol, low, high, solved, what="size"):
    if (low is None or value >= low) and (high is None or value <= high):
        return
    where = f"input '{name}' is {value}" if dimension is None else (
        f"input '{name}' has {what} {(stride if what == 'stride' else size)(given, dimension)} in dimension {dimension}")
    where += f", so {symbol} is {value}" if solved else ""
    bounds = f"at least {low}" if high is None else f"at most {high}" if low is None else f"in [{low}, {high}]"
    raise rt.InputError(f"{where}: {symbol} must be {bounds}")


def check_number(value, name, expected):
    value = number(value)
    if value != expected and not (value != value and expected != expected):
        raise rt.InputError(f"input '{name}' is {value}, the program is made for {expected}")


def check_numbers(view, finite, what):
    if not (view.is_floating_point() or view.is_complex()):
        return
    for word, found in (("NaN", view.isnan()), ("infinity", view.isinf())):
        if found.any() and (finite or word == "NaN"):
            first = found.nonzero()[0].tolist()
            raise rt.RunError(f"{word} in {what}: {int(found.sum())} of {view.numel()} elements, the first at {first}")


# ---- memory ----


def clear(view):
    view.zero_()


def memory(size, device=None, pinned=False):
    return torch.empty(builtins.max(size, 0), dtype=torch.uint8, device=device, pin_memory=_pins(pinned))


def _pins(wanted):
    return wanted and torch.cuda.is_available()


def empty_pinned(sizes, strides, dtype, pinned):
    return torch.empty_strided(sizes, strides, dtype=dtype, pin_memory=_pins(pinned))


def on(tensor, device):
    return tensor.to(device)


def view(of, dtype, sizes, strides, place):
    """A tensor of this layout `place` bytes behind the start of a piece of memory."""
    made = torch.empty(0, dtype=dtype, device=of.device)
    begin = of.storage_offset() * of.element_size() + place
    return made.set_(of.untyped_storage(), begin // made.element_size(), sizes, strides)


def as_strided(buffer, sizes, strides, offset):
    return torch.as_strided(buffer, sizes, strides, buffer.storage_offset() + offset)


def delete(buffer):
    """The buffer's life ends: nothing reads it from here on."""


# ---- several devices ----


def on_device(library, device):
    library.on_device(device)


def transfer(library, source, target, waits_not):
    library.transfer(source, target, waits_not)


def wait(library, buffer):
    library.wait(buffer)


def mark(library, number, device, queue):
    library.mark(number, device, queue)


def after(library, number, device, queue):
    library.after(number, device, queue)


# ---- what runs ----


def kernel(library, name, buffers, ints, grid, mutated, cost, checks=()):
    library.kernel(name, buffers, ints, grid, mutated, cost, checks)


def extern(library, name, ins, out, ints, floats, text=None, epilogue=None, checks=(), work=None):
    library.extern(name, ins, out, ints, floats, text, epilogue, checks, work)


def custom(library, symbol, args, out, made=()):
    library.custom(symbol, args, out, made)


def cond(test, then, operands, otherwise, others):
    if test:
        then(*operands)
    elif otherwise is not None:
        otherwise(*others)


def repeat(count, body, operands):
    step = 0
    while count is None or step < count:
        goes_on = body(*operands) if count is None else body(*operands, step)
        step += 1
        if goes_on is False:
            break


def go_on(test, rest, operands):
    if not test:
        return False
    return rest(*operands) is not False


class Packed:
    """A weight in the order in which one operator reads it: bytes, and what they stand for."""

    def __init__(self, data, dtype, sizes, strides):
        self.data, self.dtype, self.sizes, self.strides = data, dtype, sizes, strides


def packed(data, dtype, sizes, strides):
    return Packed(data, dtype, sizes, strides)


def as_bool(value):
    return bool(value)


def as_number(value):
    return float(value)


class Backend:
    """Runs kernels and operators through the library beside the graph. Override what runs elsewhere."""

    def __init__(self, library):
        self.library = library
        self._frame = self._new_frame()

    def _new_frame(self):
        return rt.Frame(rt.Context(rt.Program("graph", self.library, [], [], None)), [])

    def __deepcopy__(self, memo):
        """Runs the same library, apart from this one."""
        other = object.__new__(type(self))
        other.__dict__.update({name: copy.deepcopy(held, memo) for name, held in self.__dict__.items() if name != "_frame"})
        other._frame = other._new_frame()
        return other

    def kernel(self, name, buffers, ints, grid, mutated, cost, checks=()):
        self._frame.launch(self.library.kernel(name), [_address(b) for b in buffers], ints, grid[0], grid[1], cost,
                           checks)

    def on_device(self, device):
        """What follows runs there, until another device is named or the graph ends."""
        if device.type != "cpu":
            raise rt.RunError(f"this backend's kernels are the cpu's, and the program runs on {device}: give load() "
                              "a backend of your own, or devices={...} to stand for others")

    def transfer(self, source, target, waits_not):
        target.copy_(source, non_blocking=waits_not)

    def wait(self, buffer):
        """The host waits for the transfers that read from this buffer or write to it."""
        if torch.cuda.is_available():
            torch.cuda.synchronize()

    def mark(self, number, device, queue):
        """A place in a queue of the device, behind all that it has been given by now. Of a backend that gives kernels
        and copies to two queues; here they go into one."""

    def after(self, number, device, queue):
        """What the queue is given from now on begins when the other one has come to the mark of that number."""

    def extern(self, name, ins, out, ints, floats, text, epilogue, checks=(), work=None):
        packs = sum(1 << k for k, view in enumerate(ins) if isinstance(view, Packed))
        after = epilogue and (self.library.kernel(epilogue[0]), [_address(b) for b in epilogue[1]], epilogue[2])
        self._frame.call(self.library.operator(name), [_described(v) for v in ins], [_described(v) for v in out], ints,
                         floats, packs, text, after, checks, (_address(work), 0 if work is None else work.numel()))

    def custom(self, symbol, args, out, made):
        self._frame.custom(self.library.custom(symbol), [_argument(a) for a in args], [_described(v) for v in out],
                           made)


def _address(tensor):
    return None if tensor is None else tensor.data_ptr()


def _number_of(dtype):
    return rt._BY_NAME[str(dtype)[len("torch."):]]


def _described(tensor):
    if tensor is None:
        return None
    if isinstance(tensor, Packed):
        return tensor.data.data_ptr(), _number_of(tensor.dtype), tensor.sizes, tensor.strides
    return tensor.data_ptr(), _number_of(tensor.dtype), tuple(tensor.shape), tensor.stride()


def _argument(value):
    if isinstance(value, (list, tuple)):
        return [_argument(v) for v in value]
    return _described(value) if isinstance(value, torch.Tensor) else value


# ---- from the text ----

_FUNCTIONS = {
    f"ferrite.{f.__name__}": f
    for f in (min, max, both, either, same, size, stride, number, item, solve, input, storage_of, start_of, check, check_size, check_stride,
              check_apart, check_range, check_number, check_numbers, clear, on_device, transfer, wait, mark, after, empty_pinned, on, memory, view, as_strided, delete, kernel, extern, custom, cond, repeat, go_on,
              div, mod)
}
_FUNCTIONS["torch.empty_strided"] = torch.empty_strided
_FUNCTIONS.update({f"operator.{name}": getattr(operator, name) for name in ("add", "mul", "eq", "ne", "lt", "le", "not_", "getitem")})
for _function in (kernel, extern, custom, cond, repeat, go_on, check, check_size, check_stride, check_apart, check_range, check_number,
                  check_numbers, clear, delete, on_device, transfer, wait, mark, after, input):
    torch.fx.node.has_side_effect(_function)  # for passes that drop what nobody uses


class _Reader:
    def __init__(self, document, attributes, provenance, devices):
        self.graphs, self.attributes, self.provenance = document["graphs"], attributes, provenance
        self.devices = devices
        self.modules = {}

    def module(self, name):
        if name not in self.modules:
            self.modules[name] = self._read(name)
        return self.modules[name]

    def _read(self, name):
        root, graph, nodes = torch.nn.Module(), torch.fx.Graph(), {}
        for described in self.graphs[name]:
            node = self._node(root, graph, nodes, described)
            if self.provenance and "note" in described:
                node.meta["note"] = described["note"]
            nodes[described["name"]] = node
        graph.lint()
        return torch.fx.GraphModule(root, graph, class_name=name)

    def _node(self, root, graph, nodes, described):
        def value(given):
            if isinstance(given, list):
                return [value(v) for v in given]
            if not isinstance(given, dict):
                return given
            (key, inner), *more = given.items()
            if key == "node":
                return nodes[inner]
            if key == "graph":
                setattr(root, inner, self.module(inner))
                return graph.get_attr(inner)
            if key == "tuple":
                return tuple(value(v) for v in inner)
            if key == "packed":
                return graph.call_function(packed, (value(inner), *value(more[0][1])))
            if key in ("bool", "number"):
                inner = value(inner)
                convert = {"bool": as_bool, "number": as_number}[key]
                return graph.call_function(convert, (inner,)) if isinstance(inner, torch.fx.Node) else convert(inner)
            if key == "device":
                return torch.device(self.devices.get(inner, inner))
            return getattr(torch, inner[len("torch."):]) if key == "dtype" else float(inner)

        op, target = described["op"], described["target"]
        if op == "placeholder":
            return graph.placeholder(target)
        if op == "get_attr":
            self._attribute(root, target)
            return graph.get_attr(target)
        args = tuple(value(a) for a in described["args"])
        if op == "output":
            if args and isinstance(args[0], list):
                return graph.output(args[0][0] if len(args[0]) == 1 else tuple(args[0]))
            return graph.output(args[0] if args else True)
        if op == "call_module":
            setattr(root, target, self.module(target))
            self.module(target)._is_impure = True  # what it changes is used, though nobody may use what it returns
            return graph.call_module(target, args)
        kwargs = {k: value(v) for k, v in described.get("kwargs", {}).items()}
        return graph.create_node("call_function", _FUNCTIONS[target], args, kwargs, described["name"])

    def _attribute(self, root, name):
        held = self.attributes[name]
        if isinstance(held, torch.Tensor):
            root.register_buffer(name, held)
        else:
            setattr(root, name, held)


def _bytes_at(address, count):
    import ctypes
    if not count:
        return torch.empty(0, dtype=torch.uint8)
    return torch.frombuffer((ctypes.c_char * count).from_address(address), dtype=torch.uint8)


def load(path, backend=Backend, provenance=True, devices=None):
    """The GraphModule of a graph's file; `backend` is made with its library of kernels (ferrite_runtime.Library), and
    runs it. Weights are buffers of the module, mapped from that library; states are copies of theirs. devices: what
    stands for a device of the program, as {"cuda:0": "cpu"}."""
    with open(path) as file:
        document = json.load(file)
    if document.get("form") != "ferrite fx" or document["version"] != VERSION:
        raise ImportError(f"{path} is no graph of this ferrite")
    library = rt.Library(os.path.join(os.path.dirname(os.path.abspath(path)), document["library"]))
    base = library.weights(document["weights_bytes"])
    library.kernels = document.get("kernels", {})
    attributes = {"library": backend(library)}
    for k, (_, place, count) in enumerate(document["weights"]):
        attributes[f"weight_{k}"] = _bytes_at(base + place, count)
    for k, weight in enumerate(document["states"]):
        attributes[f"state_{k}"] = attributes[f"weight_{weight}"].clone()
    module = _Reader(document, attributes, provenance, devices or {}).module("main")
    module.kernels = library.kernels
    return module
