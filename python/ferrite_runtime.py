"""What a program that ferrite printed as Python calls: kernels and runtime operators of a shared library
through ctypes, tensors of numpy, PyTorch or anything else that speaks DLPack, and one arena a context.

Needs nothing but Python; numpy and PyTorch are used where their tensors come in. Buffers are addresses
(int); a tensor of a call is (address, dtype, sizes, strides), sizes and strides in elements.
"""

import ctypes
import mmap
import os
import struct
import sys
import threading
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_int64, c_uint32, c_uint64, c_void_p

VERSION = 6  # RT_LIBRARY_VERSION

# ---- element types: number, name, bytes, as numpy writes it, DLPack's code ----

U8, I8, I16, I32, I64, F16, F32, F64, C32, C64, C128, BOOL, BF16, U16, U32, U64 = (
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 28, 34, 35)
F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, F8E8M0FNU = 29, 30, 31, 32, 33
_SIGNED, _UNSIGNED, _FLOAT, _BFLOAT, _COMPLEX, _BOOLEAN = 0, 1, 2, 4, 5, 6
_ROWS = [
    (U8, "uint8", 1, "|u1", _UNSIGNED), (I8, "int8", 1, "|i1", _SIGNED), (I16, "int16", 2, "<i2", _SIGNED),
    (I32, "int32", 4, "<i4", _SIGNED), (I64, "int64", 8, "<i8", _SIGNED), (F16, "float16", 2, "<f2", _FLOAT),
    (F32, "float32", 4, "<f4", _FLOAT), (F64, "float64", 8, "<f8", _FLOAT), (C32, "complex32", 4, None, _COMPLEX),
    (C64, "complex64", 8, "<c8", _COMPLEX), (C128, "complex128", 16, "<c16", _COMPLEX),
    (BOOL, "bool", 1, "|b1", _BOOLEAN), (BF16, "bfloat16", 2, None, _BFLOAT), (U16, "uint16", 2, "<u2", _UNSIGNED),
    (U32, "uint32", 4, "<u4", _UNSIGNED), (U64, "uint64", 8, "<u8", _UNSIGNED),
    (F8E4M3FN, "float8_e4m3fn", 1, None, 10), (F8E4M3FNUZ, "float8_e4m3fnuz", 1, None, 11),
    (F8E5M2, "float8_e5m2", 1, None, 12), (F8E5M2FNUZ, "float8_e5m2fnuz", 1, None, 13),
    (F8E8M0FNU, "float8_e8m0fnu", 1, None, 14),
]
NAMES = {row[0]: row[1] for row in _ROWS}
BYTES = {row[0]: row[2] for row in _ROWS}
_BY_NAME = {row[1]: row[0] for row in _ROWS}
_TYPESTR = {row[0]: row[3] for row in _ROWS}
_BY_TYPESTR = {row[3]: row[0] for row in _ROWS if row[3]}
_DLPACK = {row[0]: (row[4], 8 * row[2]) for row in _ROWS}
_BY_DLPACK = {code: number for number, code in _DLPACK.items()}


class InputError(ValueError):
    """An input does not fit; the message names it, the dimension and what is expected."""


class RunError(RuntimeError):
    """The program could not go on: an assertion of its own, an operator's failure, no memory."""


# ---- arithmetic of sizes ----

MOST = 1 << 62  # bytes, and steps of a loop


def div(a, b):
    """Floor division; by 0 it is 0."""
    return a // b if b else 0


def mod(a, b):
    return a % b if b else a


def solve(given, shift, scale, power=1):
    """Of scale * symbol ** power + shift == given, the symbol, where there is one."""
    value = div(given - shift, scale)
    root = round(abs(value) ** (1 / power))
    root -= root**power > abs(value)
    return -root if value < 0 else root


# ---- structures of rt_library.h, rt_program.h, ferrite_abi.h and ferrite_ops.h ----


class _Tensor(Structure):
    _fields_ = [("data", c_void_p), ("dtype", c_uint32), ("rank", c_uint32), ("sizes", POINTER(c_int64)),
                ("strides", POINTER(c_int64))]


class _KernelArgs(Structure):
    _fields_ = [("buffers", POINTER(c_void_p)), ("ints", POINTER(c_int64)), ("fault", c_void_p)]


class _Check(Structure):
    _fields_ = [("dimension", ctypes.c_int32), ("wraps", ctypes.c_int32), ("where", c_char_p)]


class _Call(Structure):
    _fields_ = [("ins", POINTER(_Tensor)), ("outs", POINTER(_Tensor)), ("in_count", c_uint32),
                ("out_count", c_uint32), ("packed", c_uint32), ("ints", POINTER(c_int64)),
                ("floats", POINTER(c_double)), ("text", c_char_p), ("epilogue", c_void_p),
                ("epilogue_args", POINTER(_KernelArgs)), ("work", c_void_p), ("work_bytes", c_int64),
                ("room", c_void_p), ("room_bytes", c_int64), ("each", c_int64), ("states_nothing", c_int)]


class _ArgValue(ctypes.Union):
    _fields_ = [("tensor", POINTER(_Tensor)), ("integer", c_int64), ("number", c_double), ("string", c_char_p),
                ("items", c_void_p)]


class _Arg(Structure):
    _fields_ = [("kind", c_uint32), ("count", c_uint32), ("value", _ArgValue)]


class _Made(Structure):
    _fields_ = [("result", c_uint32), ("dtype", c_uint32), ("key", c_uint32)]


class _Function(Structure):
    _fields_ = [("name", c_char_p), ("function", c_void_p)]


class _Template(Structure):
    _fields_ = [("buffer_count", c_uint32), ("block_count", c_uint32), ("stretch_count", c_uint32),
                ("section_count", c_uint32), ("order_count", c_uint32), ("first", POINTER(c_uint32)),
                ("stretches", POINTER(c_uint32)), ("members", POINTER(c_uint32)), ("block_of", POINTER(c_uint32)),
                ("orders", POINTER(c_uint32)), ("stack_count", c_uint32), ("stacks", POINTER(c_uint32)),
                ("rule", c_uint32)]


class _Sizes(Structure):
    _fields_ = [("size", POINTER(c_int64)), ("shift", POINTER(c_int64)), ("fixed", POINTER(c_int64)),
                ("alignment", c_int64)]


class _Services(Structure):
    _fields_ = [
        ("pool", ctypes.CFUNCTYPE(c_void_p, c_int)),
        ("launch", ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(_KernelArgs), c_int64, c_int64, c_int, c_int64)),
        ("custom", ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_void_p, POINTER(_Arg), c_uint32, POINTER(_Tensor),
                                    c_uint32, POINTER(_Made), c_uint32)),
        ("frame_new", ctypes.CFUNCTYPE(c_void_p, c_uint32)),
        ("frame_free", ctypes.CFUNCTYPE(None, c_void_p)),
        ("error", ctypes.CFUNCTYPE(c_char_p, c_void_p)),
        ("replan_scratch", ctypes.CFUNCTYPE(ctypes.c_size_t, POINTER(_Template))),
        ("replan", ctypes.CFUNCTYPE(c_int64, POINTER(_Template), POINTER(_Sizes), c_void_p, POINTER(c_int64), c_void_p)),
        ("fault", ctypes.CFUNCTYPE(c_void_p, c_void_p)),
        ("in_range", ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Check))),
        ("check_numbers", ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Tensor), c_int, c_char_p)),
        ("clear", ctypes.CFUNCTYPE(None, POINTER(_Tensor))),
        ("obstacle", ctypes.CFUNCTYPE(c_char_p)),
    ]


class _Library(Structure):
    _fields_ = [("version", c_uint32), ("struct_bytes", c_uint32), ("kernels", POINTER(_Function)),
                ("operators", POINTER(_Function)), ("customs", POINTER(_Function)), ("kernel_count", c_uint32),
                ("operator_count", c_uint32), ("custom_count", c_uint32), ("weights_key", c_uint64),
                ("services", POINTER(_Services)), ("isa", c_char_p)]


_OPERATOR = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Call))


def _array(kind, values):
    values = tuple(values)
    return (kind * (len(values) or 1))(*values)


# ---- the library and its weights ----


# Functions of operators that no library has, by name: addresses of fe_op_function, which ferrite_ops.py puts here.
HOST_OPS = {}


_loaded = {}  # by path: the files that were loaded from it


def _load(path):
    """The loader knows a path that it has seen by its letters, and gives what lay there then: each further file that
    comes from one path is asked for by another spelling of it."""
    folder, name = os.path.split(os.path.abspath(path))
    facts, files = os.stat(path), _loaded.setdefault(os.path.join(folder, name), [])
    if (facts.st_dev, facts.st_ino) not in files:
        files.append((facts.st_dev, facts.st_ino))
    spelling = "./" * files.index((facts.st_dev, facts.st_ino)) + name
    return ctypes.CDLL(os.path.join(folder, spelling), mode=os.RTLD_NOW | os.RTLD_LOCAL)


class Library:
    """Kernels, operators and weights of one program: a shared library with the weights at its end."""

    def __init__(self, path):
        self.path = path
        self._handle = _load(path)
        self._handle.ferrite_library.restype = POINTER(_Library)
        table = self._handle.ferrite_library().contents
        if table.version != VERSION:
            raise ImportError(f"{path} was made by another ferrite than ferrite_runtime.py")
        self.services = table.services.contents
        if self.services.obstacle():
            raise ImportError(f"{path}: {self.services.obstacle().decode()}")
        self._kernels = {table.kernels[i].name.decode(): table.kernels[i].function for i in range(table.kernel_count)}
        self._operators = {table.operators[i].name.decode(): _OPERATOR(table.operators[i].function)
                           for i in range(table.operator_count)}
        self._customs = {table.customs[i].name.decode(): table.customs[i].function for i in range(table.custom_count)}
        self._key = table.weights_key
        self._file = None

    def __deepcopy__(self, memo):
        """A copy of what uses it uses the same code."""
        return self

    def kernel(self, name):
        return self._kernels[name]

    def operator(self, name):
        return self._operators[name]

    def custom(self, name):
        return name, self._customs.get(name)

    def weights(self, size):
        """The address of the weights, which are mapped from the library's own file."""
        if not size:
            return 0
        footer = struct.Struct("=16sQQQ")
        with open(self.path, "rb") as file:
            file.seek(-footer.size, os.SEEK_END)
            magic, key, offset, length = footer.unpack(file.read())
            if magic != b"ferrite weights\0" or key != self._key or length != size:
                raise ImportError(f"{self.path} does not hold the weights of this program")
            self._file = mmap.mmap(file.fileno(), length, flags=mmap.MAP_PRIVATE, offset=offset)
        return ctypes.addressof(ctypes.c_char.from_buffer(self._file))


class Memory:
    """Bytes of our own, aligned to 64; `used` of them count, where there is more room."""

    def __init__(self, size):
        if size > MOST:
            raise RunError("the sizes of this run are too large")
        self.size = self.used = max(int(size), 1)
        try:
            self._block = ctypes.create_string_buffer(self.size + 64) if self.size < 4096 else mmap.mmap(-1, self.size)
        except (OSError, MemoryError, OverflowError, ValueError):
            raise RunError(f"no memory for {size} bytes") from None
        block = self._block if self.size < 4096 else ctypes.c_char.from_buffer(self._block)
        self._view = block
        self.address = (ctypes.addressof(block) + 63) & ~63 if self.size < 4096 else ctypes.addressof(block)

    def holds(self, address):
        return self.address <= address < self.address + self.size


LEAST_ROOM, ROOM_TIMES, MOST_ROOM = 1 << 24, 64, 1 << 38  # of an arena that may grow where it is


class Arena(Memory):
    """Addresses with room behind those that are used: no memory stands behind the rest until it is touched."""

    def __init__(self, size):
        super().__init__(min(max(LEAST_ROOM, size * ROOM_TIMES), max(MOST_ROOM, size)))
        self.used = size


def _copy(address, dtype, sizes, strides):
    """The bytes that a tensor reaches, in memory of their own."""
    reach = 0 if 0 in sizes else 1 + sum((size - 1) * step for size, step in zip(sizes, strides))
    memory = Memory(reach * BYTES[dtype])
    ctypes.memmove(memory.address, address, reach * BYTES[dtype])
    return memory


# ---- tensors in and out ----


class _DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


class _DLManaged(Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, POINTER(_DLManaged))
_DLManaged._fields_ = [("tensor", _DLTensor), ("context", c_void_p), ("deleter", _DELETER)]
_exported = {}  # what consumers of our capsules have not given back


@_DELETER
def _give_back(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
_raw_is_valid = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_raw_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


@ctypes.PYFUNCTYPE(None, c_void_p)
def _drop_capsule(capsule):
    if _raw_is_valid(capsule, b"dltensor"):  # nobody has taken it
        _exported.pop(_raw_pointer(capsule, b"dltensor"), None)


class Tensor:
    """A result: numpy.asarray(t) and torch.from_dlpack(t) show it without a copy."""

    def __init__(self, address, dtype, sizes, strides, owner):
        self.address, self.dtype, self.owner = address, dtype, owner
        self.shape, self.strides = tuple(sizes), tuple(strides)

    def __repr__(self):
        return f"Tensor({NAMES[self.dtype]}, {list(self.shape)}, strides {list(self.strides)})"

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, stream=None, **_):
        rank = len(self.shape)
        code, bits = _DLPACK[self.dtype]
        shape, strides = _array(c_int64, self.shape), _array(c_int64, self.strides)
        tensor = _DLTensor(self.address, 1, 0, rank, code, bits, 1, shape, strides, 0)
        managed = _DLManaged(tensor, None, _give_back)
        _exported[ctypes.addressof(managed)] = (managed, shape, strides, self.owner)
        return _new_capsule(ctypes.addressof(managed), b"dltensor", ctypes.cast(_drop_capsule, c_void_p))

    @property
    def __array_interface__(self):
        typestr = _TYPESTR[self.dtype]
        if not typestr:
            raise AttributeError(f"numpy has no {NAMES[self.dtype]}")
        element = BYTES[self.dtype]
        return {"version": 3, "typestr": typestr, "shape": self.shape, "data": (self.address, False),
                "strides": tuple(s * element for s in self.strides)}


def _is_of(module, name, value):
    """Is it of this class of a module that somebody has imported?"""
    loaded = sys.modules.get(module)
    kind = getattr(loaded, name, None)
    return kind is not None and isinstance(value, kind)


def _from_torch(value):
    value = value.detach().resolve_conj().resolve_neg()
    if value.device.type != "cpu":
        raise InputError(f"a tensor on {value.device} was given; the program runs on the cpu")
    return value.data_ptr(), _BY_NAME.get(str(value.dtype)[len("torch."):]), tuple(value.shape), value.stride(), value


def _from_numpy(value):
    facts = value.__array_interface__
    dtype = _BY_TYPESTR.get(facts["typestr"])
    if value.dtype.name == "bfloat16":
        dtype = BF16
    element = value.dtype.itemsize
    if any(s % element for s in value.strides):
        raise InputError("an array whose strides are no multiples of its elements was given")
    return facts["data"][0], dtype, value.shape, tuple(s // element for s in value.strides), value


def _from_dlpack(value):
    capsule = value.__dlpack__()
    managed = ctypes.cast(_capsule_pointer(capsule, b"dltensor"), POINTER(_DLManaged)).contents
    t = managed.tensor
    if t.device_type != 1:
        raise InputError("a tensor of another device was given; the program runs on the cpu")
    sizes = tuple(t.shape[d] for d in range(t.ndim))
    strides = tuple(t.strides[d] for d in range(t.ndim)) if t.strides else _contiguous(sizes)
    return (t.data or 0) + t.byte_offset, _BY_DLPACK.get((t.code, t.bits)), sizes, strides, (capsule, value)


def _contiguous(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= max(size, 1)
    return tuple(strides)


def _is_writable(value):
    return not _is_of("numpy", "ndarray", value) or value.flags.writeable


def _share_memory(a, b):
    """a, b: what Port.take() gives."""
    ends = []
    for address, dtype, sizes, strides, _ in (a, b):
        if not address or 0 in sizes:
            return False
        ends.append(address + BYTES[dtype] * (1 + sum((n - 1) * step for n, step in zip(sizes, strides))))
    return a[0] < ends[1] and b[0] < ends[0]


def _elements_meet(a, b):
    """Do elements of both lie in one byte? Of tensors whose ranges meet: sums of steps that come near their distance, the
    longest steps first. Where that takes too long, they count as meeting."""
    shift, steps = a[0] - b[0], {}
    for (_, dtype, sizes, strides, _), sign in ((a, 1), (b, -1)):
        for n, step in zip(sizes, strides):
            step *= sign * BYTES[dtype]
            shift += (n - 1) * step if step < 0 else 0
            if step and n > 1:
                steps[abs(step)] = steps.get(abs(step), 0) + n - 1
    steps, tries = sorted(steps.items(), reverse=True), [20000]

    def reaches(k, low, high):
        if high < 0 or low <= 0 or k == len(steps):
            return low <= 0 <= high
        step, most = steps[k]
        rest = sum(other * count for other, count in steps[k + 1:])
        for times in range(max(0, -((rest - low) // step)), min(most, high // step) + 1):
            tries[0] -= 1
            if tries[0] < 0 or reaches(k + 1, low - times * step, high - times * step):
                return True
        return False

    return reaches(0, 1 - BYTES[a[1]] - shift, BYTES[b[1]] - 1 - shift)


def check_apart(mutated, others):
    """What gets a new value is nobody else's memory: (name, what Port.take() gives) of it and of the others."""
    for name, other in others:
        if _share_memory(mutated[1], other) and _elements_meet(mutated[1], other):
            raise InputError(f"input '{mutated[0]}' gets a new value, and input '{name}' lies in its memory: give a copy "
                             "of one of them")


def take_of(given, is_start):
    """The storage that lies behind what Port.take() gave, as a vector, or at which element of it that begins. PyTorch's
    tensors have one; others are their own."""
    address, dtype, sizes, strides, value = given
    start, count = 0, 0 if 0 in sizes else 1 + sum((n - 1) * step for n, step in zip(sizes, strides))
    if _is_of("torch", "Tensor", value):
        start, count = value.storage_offset(), value.untyped_storage().nbytes() // value.element_size()
    if is_start:
        return _from_number(start, I64)
    return address - start * BYTES[dtype] if address else 0, dtype, (count,), (1,), value


_NUMBERS = {I64: c_int64, F64: c_double, BOOL: ctypes.c_uint8}


def _from_number(value, dtype):
    try:
        room = _NUMBERS[dtype](value)
    except TypeError:
        return None
    return ctypes.addressof(room), dtype, (), (), room


class Port:
    """An input or output as declared. A size of -1 is dynamic; `shape` has the expression. dtype 0: an
    input that the program does not read."""

    def __init__(self, name, dtype, sizes, strides, shape, number=False):
        self.name, self.dtype, self.sizes, self.strides, self.shape = name, dtype, sizes, strides, shape
        self.number = number

    def take(self, value):
        """(address, dtype, sizes, strides, what keeps it alive) of a value for this input."""
        if not self.dtype:
            return 0, 0, (), (), None
        given = None
        if self.number and isinstance(value, (bool, int, float)):
            given = _from_number(value, self.dtype)
        elif _is_of("torch", "Tensor", value):
            given = _from_torch(value)
        elif _is_of("numpy", "ndarray", value):
            given = _from_numpy(value)
        elif _is_of("numpy", "generic", value):
            given = _from_numpy(sys.modules["numpy"].asarray(value))
        elif hasattr(value, "__dlpack__"):
            given = _from_dlpack(value)
        if given is None:
            raise InputError(f"input '{self.name}' is {type(value).__name__}, expected "
                             + ("a number" if self.number else f"a tensor of {NAMES[self.dtype]}"))
        self.check(*given[:4])
        return given

    def check(self, address, dtype, sizes, strides):
        name = self.name
        if dtype != self.dtype:
            raise InputError(f"input '{name}' is {NAMES.get(dtype, 'of an unknown type')}, "
                             f"expected {NAMES[self.dtype]}")
        if len(sizes) != len(self.sizes):
            raise InputError(f"input '{name}' has {len(sizes)} dimensions, expected {len(self.sizes)}: {self.shape}")
        for d, (given, wanted) in enumerate(zip(sizes, self.sizes)):
            if wanted >= 0 and given != wanted:
                raise InputError(f"input '{name}' has size {given} in dimension {d}, expected {self.shape}")
        empty = 0 in sizes
        for d, (given, wanted) in enumerate(zip(strides, self.strides)):
            if wanted >= 0 and sizes[d] > 1 and given != wanted and not empty:
                raise InputError(f"input '{name}' has stride {given} in dimension {d}, expected {wanted}")
        alignment = min(BYTES[dtype], 8)
        if address % alignment:
            raise InputError(f"input '{name}' is not aligned to {alignment} bytes")


# ---- a program and its contexts ----


class Lives:
    """Which buffers of a segment live when, in orders that are good whatever the sizes."""

    def __init__(self, first, stretches, members, block_of, orders, sections, stacks=(), rule=0):
        self._kept = [_array(c_uint32, values) for values in (
            first, [n for stretch in stretches for n in stretch], members, block_of,
            [n for order in orders for n in order], [n for stack in stacks for n in stack])]
        self.count = len(block_of)
        self.template = _Template(len(block_of), len(first) - 1, len(stretches), sections, len(orders),
                                  *self._kept[:-1], len(stacks), self._kept[-1], rule)


class Program:
    """The tables of a program, and its lines: a function of a frame."""

    def __init__(self, name, library, inputs, outputs, lines, weights=(), weights_bytes=0, states=(), parts=(),
                 donated=(), mutated=(), taken=(), grows=False):
        self.name, self.library, self.outputs, self.lines = name, library, outputs, lines
        self.inputs = inputs  # those of `taken` last: (of which input, is it where that begins in its storage)
        self.taken, self.given = taken, len(inputs) - len(taken)
        base = library.weights(weights_bytes)
        self.weights = [base + offset for _, offset, _ in weights]
        self.weight_bytes = [size for _, _, size in weights]
        self.states = states
        self.parts = parts  # of a program that was cut: their names, and whether they may be replaced
        self.grows = grows  # segments are placed in the arena during a call
        self.donated = donated  # numbers of the inputs whose memory a call overwrites
        self.mutated = mutated  # of those that get new values

    def _owner(self, k):
        return self.taken[k - self.given][0] if k >= self.given else None

    def check_written(self, given, taken):
        """What is overwritten may be written to, and is nobody else's."""
        for own in self.mutated:
            check_apart((self.inputs[own].name, taken[own]),
                        [(self.inputs[k].name, other) for k, other in enumerate(taken) if k != own and k != self._owner(own)])
        for own in self.donated:
            name = self.inputs[own].name
            if not _is_writable(given[own]):
                raise InputError(f"input '{name}' is donated, and may not be written to")
            for k, other in enumerate(taken):
                if k != own and _share_memory(taken[own], other):
                    raise InputError(f"input '{name}' is donated, and input '{self.inputs[k].name}' lies in its memory")


class Context:
    """An arena and the state of one caller; calls of one context take turns. Called with the inputs, it
    returns the output, or a tuple of them, as what the inputs are: torch tensors, numpy arrays, or
    (returns="dlpack") Tensor; as_list=True: always a list. States live in it from call to call."""

    def __init__(self, program, threads=0, returns=None):
        self.program, self.returns = program, returns
        self._services = program.library.services
        self._frame = self._services.frame_new(threads)
        if not self._frame:
            raise RunError("no memory for a context")
        self._turn = threading.Lock()
        self._segments, self._plans = {}, {}
        self._replacements = {}
        self._states = []
        for weight in program.states:
            memory = Memory(program.weight_bytes[weight])
            ctypes.memmove(memory.address, program.weights[weight], program.weight_bytes[weight])
            self._states.append(memory)

    def __del__(self):
        if getattr(self, "_frame", None):
            self._services.frame_free(self._frame)

    def memory_bytes(self):
        """What the context holds: arena, and buffers of its own that the program changes."""
        return sum(memory.used for memory in (*self._segments.values(), *self._states) if memory)

    def replace_part(self, part, run):
        """From the next call on, run(inputs, outputs, symbols) runs in place of a part: it reads tensors and numbers,
        and writes the outputs where they lie. None: the part itself again."""
        parts = self.program.parts
        if not 0 <= part < len(parts) or not parts[part][1]:
            raise ValueError(f"{self.program.name} has no part {part}" + (
                " that can be replaced" if 0 <= part < len(parts) else ""))
        self._replacements[part] = run

    def __call__(self, *inputs, returns=None, as_list=False):
        if len(inputs) != self.program.given:
            raise InputError(f"{len(inputs)} inputs given, {self.program.name} takes {self.program.given}")
        taken = [port.take(value) for port, value in zip(self.program.inputs, inputs)]
        taken += [take_of(taken[of], is_start) for of, is_start in self.program.taken]
        self.program.check_written(inputs, taken)
        with self._turn:
            frame = Frame(self, taken, returns or self.returns or _kind_of(inputs))
            self.program.lines(frame)
        shown = [_show(result, returns or self.returns or _kind_of(inputs)) for result in frame.results]
        if as_list:
            return shown
        return shown[0] if len(shown) == 1 else tuple(shown)


def _kind_of(inputs):
    for value in inputs:
        if _is_of("torch", "Tensor", value):
            return "torch"
        if _is_of("numpy", "ndarray", value):
            return "numpy"
    return "numpy" if "numpy" in sys.modules else "torch" if "torch" in sys.modules else "dlpack"


def _show(result, kind):
    if not isinstance(result, Tensor) or kind == "dlpack":
        return result
    if kind == "torch":
        import torch
        return torch.from_dlpack(result)
    if not _TYPESTR[result.dtype]:
        return result
    import numpy
    return numpy.asarray(result)


class Frame:
    """One call, as the program's lines see it."""

    def __init__(self, context, taken, kind="dlpack"):
        self._context, self._taken, self._kind = context, taken, kind
        self._services, self._handle = context._services, context._frame
        self._memory, self._places = {}, {}
        self.results = [None] * len(context.program.outputs)

    def _done(self, code):
        if code:
            raise RunError(self._services.error(self._handle).decode(errors="replace"))

    # -- inputs and symbols --

    def input(self, k):
        return self._taken[k][0]

    def size(self, k, d):
        return self._taken[k][2][d]

    def stride(self, k, d):
        return self._taken[k][3][d]

    def number(self, k):
        kind = _NUMBERS[self._taken[k][1]]
        value = kind.from_address(self._taken[k][0]).value
        return bool(value) if kind is ctypes.c_uint8 else value

    def check_size(self, k, d, expected, text):
        if self.size(k, d) != expected:
            raise InputError(f"input '{self._name(k)}' has size {self.size(k, d)} in dimension {d}, "
                             f"expected {text} = {expected}")

    def check_stride(self, k, d, expected, text):
        stride = self.stride(k, d)
        if self.size(k, d) > 1 and 0 not in self._taken[k][2] and stride != expected:
            raise InputError(f"input '{self._name(k)}' has stride {stride} in dimension {d}, "
                             f"expected {text} = {expected}")

    def check_range(self, k, d, symbol, value, low, high, what="size", solved=False):
        """low, high: None where there is no bound. d None: the input is a number."""
        if (low is None or value >= low) and (high is None or value <= high):
            return
        where = f"input '{self._name(k)}' is {value}" if d is None else (
            f"input '{self._name(k)}' has {what} {getattr(self, what)(k, d)} in dimension {d}")
        if solved:
            where += f", so {symbol} is {value}"
        bounds = f"at least {low}" if high is None else f"at most {high}" if low is None else f"in [{low}, {high}]"
        raise InputError(f"{where}: {symbol} must be {bounds}")

    def check_number(self, k, expected, text):
        value = self.number(k)
        if value != expected and not (value != value and expected != expected):
            raise InputError(f"input '{self._name(k)}' is {value}, the program is made for {text}")

    def _name(self, k):
        return self._context.program.inputs[k].name

    def load(self, address, dtype):
        """The integer or bool that a kernel has written there."""
        data = ctypes.string_at(address, BYTES[dtype])
        return int.from_bytes(data, sys.byteorder, signed=dtype in (I8, I16, I32, I64))

    def check(self, holds, message, **symbols):
        if not holds:
            named = ", ".join(f"{name} = {int(value)}" for name, value in symbols.items())
            raise RunError(f"{message}: {named}" if named else message)

    def check_numbers(self, view, finite, what):
        """Fails where an element is NaN, or (finite) infinite, and says that it is in `what`."""
        self._done(self._services.check_numbers(self._handle, self._tensors([view]), finite, what.encode()))

    def clear(self, view):
        self._services.clear(self._tensors([view]))

    def on_device(self, device):
        if device != "cpu":
            raise RunError(f"the program runs on {device}, and this runtime has the cpu alone")

    def transfer(self, source, source_device, target, target_device, waits_not):
        """A copy between devices, of which there is one here."""
        self.on_device(source_device)
        self.on_device(target_device)

    def fits(self, *sizes):
        if any(size > MOST for size in sizes):
            raise RunError("the sizes of this run are too large")

    # -- memory --

    def weight(self, k):
        return self._context.program.weights[k]

    def state(self, k):
        return self._context._states[k].address

    def arena(self, segment, size):
        """The start of a segment of the arena with room for so many bytes."""
        memory = self._context._segments.get(segment)
        if memory is None or memory.size < size:
            self._context._segments[segment] = None
            kind = Arena if self._context.program.grows and segment == 0 else Memory
            memory = self._context._segments[segment] = kind(size)
        memory.used = max(memory.used, size)
        return memory.address

    def _plan(self, segment, lives, sizes, shifts, fixed):
        """(height, offsets) of a segment, with what is `fixed` where it is (-1: it is not)."""
        key = (segment, tuple(sizes), tuple(shifts or ()), tuple(fixed or ()))
        plans = self._context._plans
        if key not in plans:
            if len(plans) >= 256:
                plans.clear()
            scratch = Memory(self._services.replan_scratch(byref(lives.template)))
            offsets = (c_int64 * (lives.count + 1))()
            given = _Sizes(_array(c_int64, sizes), _array(c_int64, shifts) if shifts else None,
                           _array(c_int64, fixed) if fixed else None, 64)
            height = self._services.replan(byref(lives.template), byref(given), scratch.address, offsets, None)
            plans[key] = height, list(offsets)
        return plans[key]

    def place(self, segment, lives, sizes, shifts=None, held=()):
        """Addresses of the buffers of a segment whose sizes are known now. held: where that of other segments lies
        which is in its way in the arena, the last of its sizes: (segment, number there, or None and the offset)."""
        sizes = [max(size, 0) for size in sizes]
        own = len(sizes) - len(held)
        self.fits(sum(sizes) + sum(shifts or ()))
        shifts = [shift if size else 0 for shift, size in zip(shifts, sizes)] if shifts else None
        fixed = [-1] * own
        for number, (other, slot, offset) in enumerate(held, own):
            places = self._places.get(other, ()) if slot is not None else None
            fixed.append(-1 if places == () or not sizes[number] else offset if places is None else places[slot])
            if fixed[-1] < 0:
                sizes[number] = 0  # it lies in memory of its own
        height, offsets = self._plan(segment, lives, sizes, shifts, fixed if held else None)
        arena = self._context._segments.get(0)
        if segment == 0 or arena is None or height <= arena.size:
            base = self.arena(0, height)
            self._places[segment] = offsets
        else:
            alone = sizes[:own] + [0] * len(held)
            height, offsets = self._plan(segment, lives, alone, shifts, [-1] * len(sizes) if held else None)
            base = self.arena(segment, height)
        return [base + offset for offset in offsets]

    def output_memory(self, k, size):
        memory = self._memory[k] = Memory(max(size, 0))
        return memory.address

    # -- calls --

    def _kernel_args(self, buffers, ints):
        return _KernelArgs(_array(c_void_p, buffers), _array(c_int64, ints), self._services.fault(self._handle))

    def _in_range(self, checks):
        """checks: of each index that the kernel looks at (dimension, whether negative ones wrap, the operator)."""
        if checks:
            made = [_Check(dimension, wraps, where.encode()) for dimension, wraps, where in checks]
            self._done(self._services.in_range(self._handle, _array(_Check, made)))

    def launch(self, kernel, buffers, ints, outer, inner=None, cost=0, checks=()):
        """A generated kernel over `outer` rows; inner: columns that it may be split along as well."""
        args = self._kernel_args(buffers, ints)
        self._done(self._services.launch(self._handle, kernel, byref(args), outer, inner or 0, inner is not None, cost))
        self._in_range(checks)

    @staticmethod
    def _tensors(views):
        made = [_Tensor() if view is None else
                _Tensor(view[0], view[1], len(view[2]), _array(c_int64, view[2]), _array(c_int64, view[3]))
                for view in views]
        return _array(_Tensor, made)

    def call(self, operator, ins, outs, ints=(), floats=(), packed=0, text=None, epilogue=None,
             checks=(), work=(None, 0), room=(None, 0, 0)):
        """A runtime operator; epilogue: (kernel, buffers, ints) that runs on what it has finished; work: address and
        bytes that it works in; room: those of memory that nobody uses meanwhile, and what each thread works in."""
        kernel, args = None, None
        if epilogue:
            kernel, args = epilogue[0], ctypes.pointer(self._kernel_args(*epilogue[1:]))
        call = _Call(self._tensors(ins), self._tensors(outs), len(ins), len(outs), packed, _array(c_int64, ints),
                     _array(c_double, floats), text.encode() if text else None, kernel, args, *work, *room)
        self._done(operator(self._handle, byref(call)))
        self._in_range(checks)

    def _args(self, values, kept):
        return _array(_Arg, [self._arg(value, kept) for value in values])

    def _arg(self, value, kept):
        if value is None:
            return _Arg(0, 0)
        if isinstance(value, bool):
            return _Arg(4, 0, _ArgValue(integer=value))
        if isinstance(value, int):
            return _Arg(2, 0, _ArgValue(integer=value))
        if isinstance(value, float):
            return _Arg(3, 0, _ArgValue(number=value))
        if isinstance(value, str):
            kept.append(ctypes.create_string_buffer(value.encode()))
            return _Arg(5, 0, _ArgValue(string=ctypes.addressof(kept[-1])))
        if isinstance(value, list):
            kept.append(self._args(value, kept))
            return _Arg(6, len(value), _ArgValue(items=ctypes.addressof(kept[-1])))
        kept.append(self._tensors([value]))
        return _Arg(1, 0, _ArgValue(tensor=kept[-1]))

    def custom(self, function, args, results, made=()):
        """A function of the user's: arguments are tensors, numbers, texts, None and lists of these. For results in
        `made` (which, dtype, key) it makes the memory."""
        kept = []
        name, address = function
        if address is None and name not in HOST_OPS:
            raise RunError(f"{name}: nobody has given the function of this operator (ferrite_ops.op)")
        values = self._args(args, kept)
        self._done(self._services.custom(self._handle, name.encode(), address or HOST_OPS[name], values, len(args),
                                         self._tensors(results), len(results),
                                         _array(_Made, [_Made(*one) for one in made]), len(made)))

    # -- parts --

    def is_replaced(self, part):
        return self._context._replacements.get(part) is not None

    def run_replacement(self, part, ins, outs, symbols):
        """Operands are tensors of the kind that the caller of the program is given."""
        shown = [[_show(Tensor(*view, self._context), self._kind) for view in views] for views in (ins, outs)]
        self._context._replacements[part](*shown, symbols)

    # -- results --

    def returns(self, k, address, dtype, sizes, strides):
        owner = (self._context,)
        if any(segment and segment.holds(address) for segment in self._context._segments.values()):
            self._memory[k] = _copy(address, dtype, sizes, strides)  # the next call writes there
            address = self._memory[k].address
        for memory in self._memory.values():
            if memory.holds(address):
                owner = memory
        for start, kind, dims, steps, kept in self._taken:
            reach = sum((size - 1) * step for size, step in zip(dims, steps)) + 1 if kind else 0
            if start <= address < start + reach * BYTES.get(kind, 0):
                owner = kept
        self.results[k] = Tensor(address, dtype, sizes, strides, (owner, self._context))

    def returns_value(self, k, value):
        self.results[k] = value
