"""Calls of an artifact (ferrite_abi.h) on whatever tensors come: torch's, numpy's, anything that speaks DLPack. Memory is
shared, not copied, but for inputs that do not lie as the program was exported with. Results are the caller's."""

import ast
import ctypes
import json
import sys
import threading
from ctypes import POINTER, byref, c_int64, c_void_p

import ferrite_runtime as rt
from ferrite import _again
from ferrite._library import ALLOC, RUN_BAD_INPUT, Artifact, Call, Storage, Tensor

_NUMBERS = {"int": rt.I64, "float": rt.F64, "bool": rt.BOOL}


class Port:
    """An input or output, as the artifact's signature has it: sizes and strides are numbers, or texts of expressions."""

    def __init__(self, facts):
        self.name, self.kind, self.value = facts.get("name"), facts["kind"], facts.get("value")
        self.dtype = facts.get("dtype", _NUMBERS.get(self.kind, 0))
        self.sizes, self.strides = facts.get("sizes", []), facts.get("strides", [])
        self.device = facts.get("device", 0)
        self.rank = len(self.sizes)
        self.is_fixed = not any(isinstance(number, str) for number in (*self.sizes, *self.strides))
        self.symbols = [(d, size) for d, size in enumerate(self.sizes) if isinstance(size, str) and size.isidentifier()]
        self._layout = None if self.is_fixed else compile(
            ast.parse("(" + "".join(f"{stride}, " for stride in self.strides) + ")", mode="eval"), "<strides>", "eval")

    def layout(self, symbols):
        """The strides that the program was made for; None where they are not told by sizes."""
        if self.is_fixed:
            return self.strides
        try:
            return eval(self._layout, {"__builtins__": {"min": min, "max": max}}, symbols)
        except NameError:
            return None

    def names(self):
        """Of what its sizes and strides depend on."""
        texts = [number for number in (*self.sizes, *self.strides) if isinstance(number, str)]
        return {node.id for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)} - {"min", "max"}

    def __str__(self):
        if self.kind != "tensor":
            return repr(self.value) if self.kind == "string" else "None" if self.kind == "none" else self.kind
        return f"{rt.NAMES[self.dtype]}[{', '.join(map(str, self.sizes))}]"


class Signature:
    """What a program takes and returns."""

    def __init__(self, text):
        facts = json.loads(text)
        self.inputs, self.outputs = ([Port(port) for port in facts[what]] for what in ("inputs", "outputs"))
        self.name = facts["name"]
        self.symbols, self.mutated = facts["symbols"], facts["mutated"]
        self.trees = facts.get("input_tree"), facts.get("output_tree")


# ---- inputs ----


def _lies_as(strides, wanted, sizes):
    return all(a == b or n <= 1 for a, b, n in zip(strides, wanted, sizes)) or 0 in sizes


def _native(value):
    """An array whose elements lie as this machine and the program have them."""
    numpy = sys.modules["numpy"]
    element = value.dtype.itemsize
    if value.dtype.isnative and not any(stride % element for stride in value.strides):
        return value
    return numpy.array(value, dtype=value.dtype.newbyteorder("="))


def _taken(port, value):
    """(address, dtype, sizes, strides, what keeps it alive) of what is given for a tensor."""
    if rt._is_of("torch", "Tensor", value):
        return rt._from_torch(value)
    if rt._is_of("numpy", "generic", value):
        value = sys.modules["numpy"].asarray(value)
    if rt._is_of("numpy", "ndarray", value):
        return rt._from_numpy(_native(value))
    if hasattr(value, "__dlpack__"):
        return rt._from_dlpack(value)
    wanted = f"a tensor of {rt.NAMES[port.dtype]}" if port.kind == "tensor" else "a number"
    raise rt.InputError(f"input '{port.name}' is {type(value).__name__}, expected {wanted}")


def _dense(sizes, strides, element):
    """Bytes that such a tensor reaches."""
    return 0 if 0 in sizes else element * (1 + sum((n - 1) * step for n, step in zip(sizes, strides)))


def _copy_elements(source, target):
    """One by one: where nobody is there who would do it."""
    element = rt.BYTES[source[1]]

    def go(d, a, b):
        if d == len(source[2]):
            ctypes.memmove(b, a, element)
            return
        for k in range(source[2][d]):
            go(d + 1, a + k * element * source[3][d], b + k * element * target[3][d])
    if 0 not in source[2]:
        go(0, source[0], target[0])


def _laid_out(taken, strides):
    """The same with other strides, in memory of its own."""
    _, dtype, sizes, _, value = taken
    memory = rt.Memory(_dense(sizes, strides, rt.BYTES[dtype]))
    copy = (memory.address, dtype, sizes, tuple(strides), memory)
    _write_back(copy, taken)
    return copy


def _write_back(target, source):
    """The elements of one to the other's places; both as _taken() gives them."""
    torch, (_, dtype, sizes, strides, _) = sys.modules.get("torch"), source
    if "numpy" in sys.modules and rt._TYPESTR[dtype]:
        target, source = (sys.modules["numpy"].asarray(rt.Tensor(*one)) for one in (target, source))
        target[...] = source
    elif torch and min((*strides, *target[3]), default=0) >= 0 and 0 not in sizes:
        target, source = (torch.from_dlpack(rt.Tensor(*one)) for one in (target, source))
        target.copy_(source)
    else:
        _copy_elements(source, target)


class _Inputs:
    """Those of one call."""

    def __init__(self, signature, values):
        self.signature, self.values, self.moved = signature, values, []
        self.taken = [self._take(port, value) for port, value in zip(signature.inputs, values)]
        self._lay_out()

    def _take(self, port, value):
        if port.kind == "none":
            return 0, 0, (), (), None
        if port.kind in _NUMBERS and isinstance(value, (bool, int, float)):
            given = rt._from_number(value, port.dtype)
            if given is not None:
                return given
        given = _taken(port, value)
        if given[1] is None:
            raise rt.InputError(f"input '{port.name}' is of an element type that the program does not know")
        return given

    def _lay_out(self):
        symbols = None
        for k, (port, taken) in enumerate(zip(self.signature.inputs, self.taken)):
            address, dtype, sizes, strides, _ = taken
            if port.kind != "tensor" or len(sizes) != port.rank or dtype != port.dtype:
                continue  # the artifact says what is wrong
            if not port.is_fixed and symbols is None:
                symbols = self._symbols()
            wanted = port.layout(symbols)
            if wanted is None:
                wanted = strides
            if not _lies_as(strides, wanted, sizes) or address % min(rt.BYTES[dtype], 8):
                if any(not isinstance(size, str) and size != n for size, n in zip(port.sizes, sizes)):
                    continue
                self.moved.append(k)
                self.taken[k] = _laid_out(taken, wanted)
        self._check_written()

    def _symbols(self):
        found = {}
        for port, (_, _, sizes, *_) in zip(self.signature.inputs, self.taken):
            for d, name in port.symbols:
                if d < len(sizes):
                    found.setdefault(name, sizes[d])
        return found

    def _check_written(self):
        """What gets a new value may be written to; and is nobody else's, where copies would hide that from the artifact."""
        if not self.signature.mutated:
            return
        names = [port.name for port in self.signature.inputs]
        for k in self.signature.mutated:
            if not rt._is_writable(self.values[k]):
                raise rt.InputError(f"input '{names[k]}' gets a new value, and may not be written to")
        copied = {k for k in range(len(names)) if self._is_copy(k)}
        if not copied:
            return
        given = [self._origin(k) for k in range(len(names))]
        for own in self.signature.mutated:
            rt.check_apart((names[own], given[own]), [(names[k], other) for k, other in enumerate(given)
                                                      if k != own and (k in copied or own in copied)])

    def _is_copy(self, k):
        return k in self.moved or self.taken[k][4] is not None and self._is_lazy(k)

    def _is_lazy(self, k):
        value = self.values[k]
        return rt._is_of("torch", "Tensor", value) and (value.is_conj() or value.is_neg())

    def _origin(self, k):
        """What was given, where it lies: of conjugated tensors that are not resolved too."""
        value = self.values[k]
        if self._is_lazy(k):
            value = sys.modules["torch"].view_as_real(value.conj()) if value.is_conj() else value._neg_view()
        return self.taken[k] if k not in self.moved and not self._is_lazy(k) else _taken(self.signature.inputs[k], value)

    def around(self, address):
        """The number of the input whose memory that is; None: no one's."""
        for k, (start, dtype, sizes, strides, owner) in enumerate(self.taken):
            if owner is not None and start and start <= address < start + max(1, _dense(sizes, strides, rt.BYTES.get(dtype, 1))):
                return k
        return None

    def give_back(self):
        """New values to where the caller has those tensors, when copies were made of them."""
        for k in self.signature.mutated:
            if not self._is_copy(k):
                continue
            value = self.values[k]
            if rt._is_of("torch", "Tensor", value):
                torch = sys.modules["torch"]
                with torch.no_grad():
                    value.copy_(torch.from_dlpack(rt.Tensor(*self.taken[k])))
            elif rt._is_of("numpy", "ndarray", value):
                value[...] = sys.modules["numpy"].asarray(rt.Tensor(*self.taken[k]))
            else:
                _write_back(_taken(self.signature.inputs[k], value), self.taken[k])


# ---- results ----


class _Results:
    """Memory that the run of one call asks for, as the kind of tensors that the caller has."""

    def __init__(self, kind):
        self.kind, self.made = kind, {}

    def room(self, output, size):
        if self.kind == "torch":
            memory = sys.modules["torch"].empty(size, dtype=sys.modules["torch"].uint8)
            self.made[output] = memory, memory.data_ptr(), size
        else:
            memory = rt.Memory(size)
            self.made[output] = memory, memory.address, size
        return self.made[output][1]

    def show(self, address, dtype, sizes, strides, inputs):
        """The tensor that lies there."""
        if 0 in sizes:
            memory = rt.Memory(1)
            return self._of(rt.Tensor(memory.address, dtype, sizes, strides, memory))
        for memory, start, size in self.made.values():
            if start <= address < start + size:
                return self._own(memory, address - start, address, dtype, sizes, strides)
        k = inputs.around(address)
        if k is None:
            return self._of(rt.Tensor(address, dtype, sizes, strides, None), is_foreign=True)
        start, its_dtype, its_sizes, its_strides, owner = inputs.taken[k]
        if (start, its_dtype, tuple(its_sizes)) == (address, dtype, tuple(sizes)) and _lies_as(its_strides, strides, sizes):
            return inputs.values[k]
        start, rest = divmod(address - start, rt.BYTES[dtype])
        if dtype == its_dtype and not rest and rt._is_of("torch", "Tensor", owner) and owner.is_cpu:
            return _again.part(owner, start, sizes, strides)
        return self._of(rt.Tensor(address, dtype, sizes, strides, owner))

    def _own(self, memory, start, address, dtype, sizes, strides):
        if self.kind != "torch":
            return self._of(rt.Tensor(address, dtype, sizes, strides, memory))
        torch = sys.modules["torch"]
        dtype = getattr(torch, rt.NAMES[dtype])
        return torch.empty(0, dtype=dtype).set_(memory.untyped_storage(), start // dtype.itemsize, sizes, strides)

    def _of(self, tensor, is_foreign=False):
        if is_foreign:  # memory of the program: the caller gets a copy
            memory = rt._copy(tensor.address, tensor.dtype, tensor.shape, tensor.strides)
            tensor = rt.Tensor(memory.address, tensor.dtype, tensor.shape, tensor.strides, memory)
        return rt._show(tensor, self.kind)


# ---- calls ----


_NO_MEMORY = 3  # fe_result


class Caller:
    """An artifact with a model of it, and one context; one call at a time. `alive` are what the code lives by."""

    def __init__(self, artifact, model, signature, alive):
        self.artifact, self.signature, self._alive = artifact, signature, alive
        if any(port.device for port in (*signature.inputs, *signature.outputs)):
            raise rt.RunError("inputs or outputs of the program are on a device, and calls from Python have memory of the host: "
                              "call it from C, or leave option device_ports out")
        self._context, self._turn = c_void_p(), threading.Lock()
        torch = sys.modules.get("torch")
        code = artifact.context_new(model, torch.get_num_threads() if torch else 0, byref(self._context))
        if code:
            raise rt.RunError("no memory for a context" if code == _NO_MEMORY else artifact.error(None).decode())
        alive.at_end(artifact.context_free, self._context)
        ins, outs = signature.inputs, signature.outputs
        self._ins, self._outs = ((Tensor * max(1, len(ports)))() for ports in (ins, outs))
        self._storages = (Storage * max(1, len(ins)))()
        self._numbers = (c_int64 * max(1, len(outs)))()
        self._alloc = ALLOC(self._room)
        self._results = None
        # how the inputs of the last call lay; what calls of such are made by, once there have been two
        self._lay, self._again, self._can_be_like = None, None, self._are_results_told()
        self._call = Call(ctypes.sizeof(Call), len(ins), len(outs), ctypes.addressof(self._ins), ctypes.addressof(self._outs),
                          ctypes.addressof(self._storages), ctypes.cast(self._alloc, c_void_p), None, None)
        self._run = ctypes.CFUNCTYPE(ctypes.c_int, c_void_p, c_void_p)(artifact.call)

    def share_states(self, other):
        if min(self.artifact.struct_bytes, other.artifact.struct_bytes) < ctypes.sizeof(Artifact):
            raise rt.InputError("an earlier ferrite has written it: compile the program again")
        names = [{artifact.states[k].name for k in range(artifact.state_count)} for artifact in (self.artifact, other.artifact)]
        with self._turn:
            share = ctypes.CFUNCTYPE(ctypes.c_int, c_void_p, c_void_p)(self.artifact.share_states)
            if share(self._context, other._context):
                raise rt.InputError(self.artifact.error(self._context).decode(errors="replace"))
        return sorted(name.decode() for name in names[0] & names[1])

    def held_bytes(self):
        return ctypes.CFUNCTYPE(c_int64, c_void_p)(self.artifact.memory_bytes)(self._context)

    def _room(self, _, output, size):
        try:
            return self._results.room(output, max(1, size))
        except (RuntimeError, MemoryError):
            return 0

    def _are_results_told(self):
        """Do the inputs' sizes tell those of all results, and does a run change nothing but these?"""
        ins, outs = self.signature.inputs, self.signature.outputs
        known = {name for port in ins for _, name in port.symbols}
        if self.artifact.struct_bytes < Artifact.state_count.offset + Artifact.state_count.size:
            return False
        return (not self.signature.mutated and not self.artifact.state_count and all(port.kind == "tensor" for port in (*ins, *outs))
                and all(port.names() <= known for port in outs))

    def __call__(self, values):
        """The results, flat, for inputs that are flat."""
        if self._again and len(values) == len(self.signature.inputs):
            shown = self._again(values)
            if shown is not None:
                return shown
        if len(values) != len(self.signature.inputs):
            raise rt.InputError(f"{len(values)} inputs given, {self.artifact.name.decode()} takes {len(self.signature.inputs)}")
        inputs = _Inputs(self.signature, values)
        with self._turn:
            self._results = _Results(rt._kind_of(values))
            arrays = self._give(inputs)
            status = self._run(self._context, ctypes.addressof(self._call))
            del arrays
            if status:
                message = self.artifact.error(self._context).decode(errors="replace")
                raise (rt.InputError if status == RUN_BAD_INPUT else rt.RunError)(message)
            inputs.give_back()
            shown = [self._shown(k, port, inputs) for k, port in enumerate(self.signature.outputs)]
            if self._can_be_like:
                self._remember(inputs, shown)
            self._results = None
        return shown

    def _remember(self, inputs, shown):
        """If the last inputs lay like these, and each result is in memory of its own or shows an input's, that is how the next
        ones are called."""
        lay, self._lay = self._lay, None if inputs.moved else _again.described(inputs.values)
        if self._lay is None or lay != self._lay:
            return
        results = [self._result(k, value, inputs) for k, value in enumerate(shown)]
        if all(results):
            self._again = _again.of(self, inputs.values, self._lay, results)

    def _result(self, k, value, inputs):
        """dtype, sizes and strides of result k, which input it shows (None: it is in memory of its own), and from which of its
        elements on, None: it is the input; or None: it is neither."""
        address, made = self._outs[k].data, self._results.made
        if 0 in value.shape:
            return None
        facts = value.dtype, tuple(value.shape), value.stride()
        if k in made:
            return (*facts, None, None) if made[k][1] == address else None
        whose = inputs.around(address or 0)
        if whose is None or inputs.values[whose].dtype != value.dtype:
            return None
        if value is inputs.values[whose]:
            return *facts, whose, None
        bytes_on = address - inputs.taken[whose][0]
        return (*facts, whose, bytes_on // value.itemsize) if bytes_on % value.itemsize == 0 else None

    def _give(self, inputs):
        arrays = []
        for k, (address, dtype, sizes, strides, owner) in enumerate(inputs.taken):
            tensor, rank = self._ins[k], len(sizes)
            arrays.append((c_int64 * (2 * rank or 1))(*sizes, *strides))
            tensor.data, tensor.dtype, tensor.rank = address, dtype, rank
            tensor.sizes = ctypes.cast(arrays[-1], POINTER(c_int64))
            tensor.strides = ctypes.cast(ctypes.addressof(arrays[-1]) + 8 * rank, POINTER(c_int64))
            storage = self._storages[k]
            storage.start = storage.elements = 0
            if rt._is_of("torch", "Tensor", owner) and owner.data_ptr() == address:
                storage.start = owner.storage_offset()
                storage.elements = owner.untyped_storage().nbytes() // owner.element_size()
        for k, port in enumerate(self.signature.outputs):
            self._outs[k] = Tensor()
            if port.kind != "tensor":
                self._outs[k].data = ctypes.addressof(self._numbers) + 8 * k
                self._outs[k].dtype = port.dtype or rt.I64
        return arrays

    def _shown(self, k, port, inputs):
        if port.kind == "tensor":
            found, rank = self._outs[k], port.rank
            return self._results.show(found.data or 0, port.dtype, tuple(found.sizes[:rank]) if rank else (),
                                      tuple(found.strides[:rank]) if rank else (), inputs)
        if port.kind in _NUMBERS:
            value = rt._NUMBERS[port.dtype].from_address(self._outs[k].data).value
            return bool(value) if port.kind == "bool" else value
        return port.value


def _programs(library):
    """Names of the programs of a library that has several; none where it has one."""
    if not hasattr(library, "ferrite_artifacts"):
        return []
    library.ferrite_artifacts.restype, names = POINTER(Artifact), []
    while artifact := library.ferrite_artifacts(len(names)):
        names.append(artifact.contents.name.decode())
    return names


def _entry(library, name, stem):
    """The function of the program that is wanted; name None: of the only one."""
    names = _programs(library)
    if names and name not in names:
        raise rt.InputError(f"{f'it has no program {name}' if name else 'it has several programs'}: name= is one of "
                            f"{', '.join(names)}")
    for wanted in ([name] if name else [None, stem]):
        entry = f"ferrite_artifact_{wanted}" if wanted else "ferrite_artifact"
        if hasattr(library, entry):
            return getattr(library, entry)
    raise rt.InputError(f"it has no program {name}" if name and hasattr(library, "ferrite_artifact") else
                        "it has no function ferrite_artifact: it is no library that ferrite has written")


def opened(library, alive, name=None, stem=None):
    """(artifact, model) of a library that ferrite has written, with its weights. name: of the program, where it has several;
    stem: that of the file."""
    entry = _entry(library, name, stem)
    entry.restype = POINTER(Artifact)
    artifact = entry().contents
    if artifact.abi_version != 1 or artifact.struct_bytes < Artifact.set_driver.offset:
        raise rt.InputError("another version of ferrite has written it: compile the program again")
    model = c_void_p()
    if ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, POINTER(c_void_p))(artifact.open)(None, byref(model)):
        raise rt.RunError(artifact.error(None).decode(errors="replace"))
    alive.at_end(ctypes.CFUNCTYPE(None, c_void_p)(artifact.close), model)
    names = ctypes.cast(artifact.ops, POINTER(ctypes.c_char_p))
    give = ctypes.CFUNCTYPE(ctypes.c_int, c_void_p, ctypes.c_char_p, c_void_p)(artifact.set_op)
    for k in range(artifact.op_count):
        if names[k].decode() in rt.HOST_OPS:
            give(model, names[k], rt.HOST_OPS[names[k].decode()])
    return artifact, model
