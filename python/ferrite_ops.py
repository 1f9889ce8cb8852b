"""Operators of one's own, declared in Python: a schema and a function is all.

    import ferrite_ops

    @ferrite_ops.op("shop::scale(Tensor x, float by, Tensor(a!)? log=None) -> Tensor", shapes="x[n, m] -> x[n, m]")
    def scale(x, by, log=None):
        if log is not None:
            log += 1
        return x * by

    scale = ferrite_ops.op(torch.ops.shop.scale.default)       # one that PyTorch knows: its schema, its kernel
    scale = ferrite_ops.op("shop::scale(Tensor x, float by) -> Tensor", address, symbol="shop_scale")   # a C function

The schema says what is changed in place and what is returned. A function in Python is called with torch tensors
where PyTorch is loaded, else numpy arrays, else ferrite_runtime.Tensor, which show the program's memory and are
good during the call alone; what it returns is copied to where the program wants it. What it returns for `Tensor(a!)`
or `Tensor(a)` is the program's already, and not looked at. A C function (its address, a ctypes function, or one of a ctypes.CDLL) is an
fe_op_function of ferrite_ops.h.

ferrite.compile() knows all operators that were declared before. So does what it wrote, a module or a graph, when
this module is loaded where it runs and declares them again: a function is found by its symbol, shop_scale.
"""

import ctypes
import math
import sys
from ctypes import POINTER, Structure, c_char_p, c_int, c_uint32, c_void_p

import ferrite_runtime as rt

TAG_OUT, TAG_EFFECT = 1, 2  # FE_OP_TAG_OUT, FE_OP_TAG_EFFECT


class _Call(Structure):
    _fields_ = [("args", POINTER(rt._Arg)), ("arg_count", c_uint32), ("results", POINTER(rt._Tensor)),
                ("result_count", c_uint32), ("error", c_void_p), ("error_bytes", c_uint32),
                ("allocate", c_void_p), ("run", c_void_p)]


FUNCTION = ctypes.CFUNCTYPE(c_int, POINTER(_Call))
ALLOCATE = ctypes.CFUNCTYPE(c_void_p, POINTER(_Call), c_uint32, POINTER(ctypes.c_int64))


class Row(Structure):
    """fe_op_row."""
    _fields_ = [("schema", c_char_p), ("symbol", c_char_p), ("function", c_void_p), ("shapes", c_char_p),
                ("out", c_char_p), ("tags", c_uint32)]


# ---- schemas ----


def _split(text):
    """At the commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(text[start:k].strip())
            start = k + 1
    return [part for part in [*parts, text[start:].strip()] if part]


def _end_of(text, start):
    """Where the bracket at `start` is closed."""
    depth = 0
    for k in range(start, len(text)):
        depth += (text[k] == "(") - (text[k] == ")")
        if depth == 0:
            return k
    raise ValueError(f"a schema reads like space::name(Tensor x) -> Tensor, not {text!r}")


class _Schema:
    def __init__(self, text):
        begin = text.find("(")
        end = _end_of(text, begin) if begin >= 0 else _end_of(text + "(", len(text))
        self.name = text[:begin].strip()
        self.params, keyword = [], False  # (name, type, is it keyword-only)
        for part in _split(text[begin + 1:end]):
            if part == "*":
                keyword = True
                continue
            kind, _, name = part.split("=")[0].strip().rpartition(" ")
            self.params.append((name, kind, keyword))
        returned = text[end + 1:].replace("->", "", 1).strip()
        if returned.startswith("(") and _end_of(returned, 0) == len(returned) - 1:
            returned = returned[1:-1]
        if returned in ("None", "NoneType"):
            returned = ""
        self.fresh = ["(" not in part for part in _split(returned)]  # returns that show no argument: Tensor(a) does

    @property
    def symbol(self):
        space, _, rest = self.name.partition("::")
        return "_".join((space, *rest.split(".")))


# ---- calls of functions in Python ----


def _shown(tensor):
    """A tensor of the program's, in the caller's terms."""
    rank = tensor.rank
    sizes = tuple(tensor.sizes[d] for d in range(rank))
    strides = tuple(tensor.strides[d] for d in range(rank))
    value = rt.Tensor(tensor.data or 0, tensor.dtype, sizes, strides, None)
    kind = "torch" if "torch" in sys.modules else "numpy" if "numpy" in sys.modules else "dlpack"
    if 0 in sizes and kind == "torch":
        torch = sys.modules["torch"]
        return torch.empty_strided(sizes, strides, dtype=getattr(torch, rt.NAMES[tensor.dtype]))
    return rt._show(value, kind)


def _of_torch(kind, value):
    """Numbers that stand for something of PyTorch's."""
    torch = sys.modules.get("torch")
    if torch and kind.startswith("ScalarType"):
        return getattr(torch, rt.NAMES[value])
    if torch and kind.startswith("Layout"):
        return torch.strided
    if torch and kind.startswith("MemoryFormat"):
        return (torch.contiguous_format, torch.preserve_format, torch.channels_last, torch.channels_last_3d)[value]
    return value


def _value(arg, kind=""):
    if arg.kind == 1:
        return _shown(arg.value.tensor.contents)
    if arg.kind == 2:
        return _of_torch(kind, arg.value.integer)
    if arg.kind == 3:
        return arg.value.number
    if arg.kind == 4:
        return bool(arg.value.integer)
    if arg.kind == 5:
        return arg.value.string.decode()
    if arg.kind == 6:
        items = ctypes.cast(arg.value.items, POINTER(rt._Arg))
        return [_value(items[k], kind) for k in range(arg.count)]
    return None


def _flat(value):
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in _flat(part)]
    return [value]


def _fresh(schema, returned):
    """What the function returns and the program wants: not what shows an argument; lists flattened."""
    if not schema.fresh:
        return []
    values = [returned] if len(schema.fresh) == 1 else list(returned)
    if len(values) != len(schema.fresh):
        raise TypeError(f"it returns {len(values)} values, its schema has {len(schema.fresh)}")
    return [item for value, fresh in zip(values, schema.fresh) if fresh for item in _flat(value)]


_NUMBERS = {rt.I64: ctypes.c_int64, rt.BOOL: ctypes.c_uint8, rt.F64: ctypes.c_double}


def _shape_of(value):
    return tuple(int(size) for size in value.shape)


def _made(call, place, value):
    """Memory for a result whose sizes the function has decided."""
    result = call.results[place]
    if not hasattr(value, "shape") or len(value.shape) != result.rank:
        raise TypeError(f"result {place} is {type(value).__name__} of shape {list(getattr(value, 'shape', ()))}, "
                        f"the program wants a tensor of {result.rank} dimensions")
    shape = _shape_of(value)
    sizes = (ctypes.c_int64 * result.rank)(*shape)
    strides = (ctypes.c_int64 * result.rank)(*(math.prod(shape[d + 1:]) for d in range(result.rank)))
    memory = ALLOCATE(call.allocate)(ctypes.byref(call), place, sizes)
    if not memory:
        raise MemoryError(f"result {place} of shape {list(shape)}")
    return rt._Tensor(memory, result.dtype, result.rank, sizes, strides)


def _store(result, value, place):
    """The k-th result of the call becomes this value."""
    if not result.data:
        if value is not None and 0 not in _sizes(result):
            raise TypeError(f"result {place} is None for the program, and {type(value).__name__} here")
        return
    if isinstance(value, (bool, int, float)) and result.rank == 0:
        _NUMBERS[result.dtype].from_address(result.data).value = value
        return
    if value is None and 0 in _sizes(result):  # PyTorch's metadata may say an empty tensor of one that is undefined
        return
    if not hasattr(value, "shape"):
        raise TypeError(f"result {place} is {type(value).__name__}, the program wants a tensor")
    if _shape_of(value) != _sizes(result):
        raise ValueError(f"result {place} has shape {list(_shape_of(value))}, the program wants {list(_sizes(result))}")
    if str(value.dtype).rpartition(".")[2] != rt.NAMES[result.dtype]:
        raise TypeError(f"result {place} is {value.dtype}, the program wants {rt.NAMES[result.dtype]}")
    shown = _shown(result)
    if hasattr(shown, "copy_"):
        shown.copy_(value)
    else:
        shown[...] = value


def _sizes(tensor):
    return tuple(tensor.sizes[d] for d in range(tensor.rank))


def _wrapped(schema, function):
    def run(call):
        call = call.contents
        try:
            given, named = [], {}
            for k, (name, kind, keyword) in enumerate(schema.params):
                value = _value(call.args[k], kind)
                if keyword:
                    named[name] = value
                else:
                    given.append(value)
            values = _fresh(schema, function(*given, **named))
            if len(values) != call.result_count:
                raise TypeError(f"it returns {len(values)} values, the program wants {call.result_count}")
            for k, value in enumerate(values):
                result = call.results[k]
                _store(_made(call, k, value) if result.rank and not result.sizes else result, value, k)
            return 0
        except BaseException as error:  # it must not cross the C frames; the run fails with it
            said = f"{type(error).__name__}: {error}".encode()[:call.error_bytes - 1] + b"\0"
            ctypes.memmove(call.error, said, len(said))
            return 1
    return FUNCTION(run)


# ---- declarations ----

_declared = {}  # by the schema's name
_functions = {}  # behind rt.HOST_OPS


class Op:
    """A declared operator. Called, it is the function that was given."""

    def __init__(self, schema, function, shapes, out, symbol, tags):
        self._schema = _Schema(schema)
        self.schema, self.function, self.shapes, self.out, self.tags = schema, function, shapes, out, tags
        self.symbol = symbol or (self._schema.symbol if function is not None else None)
        self._kept, address = _address(self._schema, function)
        if address:
            rt.HOST_OPS[self.symbol] = address
            _functions[self.symbol] = self._kept
        self.row = Row(_bytes(schema), _bytes(self.symbol), address, _bytes(shapes), _bytes(out), tags)
        _declared[self._schema.name] = self

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def __repr__(self):
        return f"ferrite_ops.op({self.schema!r})"


def _bytes(text):
    return None if text is None else text.encode()


def _address(schema, function):
    """What keeps the function alive, and its address."""
    if function is None:
        return None, None
    if isinstance(function, int):
        return function, function
    if not isinstance(function, ctypes._CFuncPtr):
        if not callable(function):
            raise TypeError(f"{schema.name}: {function!r} is no function")
        function = _wrapped(schema, function)
    return function, ctypes.cast(function, c_void_p).value


def _of_pytorch(what):
    """The overloads of an operator that PyTorch knows: an OpOverload, a packet, what torch.library.custom_op gives."""
    what = getattr(what, "_opoverload", what)
    if hasattr(what, "_schema") and hasattr(what, "overloadpacket"):
        return [what]
    if hasattr(what, "overloads"):
        return [getattr(what, name) for name in what.overloads()]
    return None


def declared():
    return list(_declared.values())


def forget(*ops):
    """These, or all, are not declared any more; what was compiled still finds its functions."""
    for name in [op._schema.name for op in ops] or list(_declared):
        _declared.pop(name, None)


def op(schema, function=None, *, shapes=None, out=None, symbol=None, tags=0):
    """Declares an operator; a decorator when there is no function yet. `out` names the overload that writes into
    outputs that it is given; schema alone, with `out` or an overload that fits, declares one that has no function of
    its own: ferrite_ops.declare()."""
    overloads = None if isinstance(schema, str) else _of_pytorch(schema)
    if overloads:
        made = [_torch_op(overload, shapes, symbol) for overload in overloads]
        return made[0]
    if not isinstance(schema, str):
        raise TypeError(f"{schema!r} is neither a schema nor an operator of PyTorch's")
    if function is not None:
        return Op(schema, function, shapes, out, symbol, tags)
    return lambda function: Op(schema, function, shapes, out, symbol, tags)


def declare(schema, *, shapes=None, out=None):
    """An operator whose work an out overload does."""
    return Op(schema, None, shapes, out, None, 0)


def tags_of(overload):
    """Of an operator of PyTorch's: what draws numbers does so in the order of the program."""
    tags = {str(tag).rpartition(".")[2] for tag in getattr(overload, "tags", ())}
    return (TAG_OUT if "out" in tags else 0) | (TAG_EFFECT if "nondeterministic_seeded" in tags else 0)


def _torch_op(overload, shapes, symbol):
    return Op(str(overload._schema), overload, shapes, None, symbol, tags_of(overload))
