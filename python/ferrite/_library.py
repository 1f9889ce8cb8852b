"""libferrite, as Python sees it: functions of ferrite.h and structures of ferrite_abi.h, through ctypes."""

import ctypes
import functools
import os
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_void_p

import ferrite_ops
from ferrite_runtime import _Tensor as Tensor  # fe_tensor

RUN_BAD_INPUT, RUN_ASSERTION = 1, 4  # fe_result: an input does not fit; a condition of the program itself does not hold
ALLOC = CFUNCTYPE(c_void_p, c_void_p, c_uint32, c_int64)  # fe_call.alloc


class Port(Structure):
    """fe_port."""
    _fields_ = [("name", c_char_p), ("dtype", c_uint32), ("rank", c_uint32), ("sizes", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("shape_text", c_char_p)]


class Artifact(Structure):
    """fe_artifact, up to what is called here; what is not typed is not."""
    _fields_ = [("abi_version", c_uint32), ("struct_bytes", c_uint32), ("name", c_char_p), ("producer", c_char_p),
                ("inputs", POINTER(Port)), ("input_count", c_uint32),
                ("outputs", POINTER(Port)), ("output_count", c_uint32),
                ("weights_bytes", c_int64), ("arena_bytes", c_int64), ("arena_lower_bound", c_int64),
                ("kernel_calls", c_uint32), ("unique_kernels", c_uint32),
                ("open", c_void_p), ("open_memory", c_void_p), ("close", c_void_p),
                ("context_new", CFUNCTYPE(c_int, c_void_p, c_uint32, POINTER(c_void_p))),
                ("context_free", CFUNCTYPE(None, c_void_p)),
                ("run", CFUNCTYPE(c_int, c_void_p, POINTER(Tensor), c_uint32, POINTER(Tensor), c_uint32)),
                ("error", CFUNCTYPE(c_char_p, c_void_p)),
                ("parts", c_void_p), ("part_count", c_uint32), ("replace_part", c_void_p), ("memory_bytes", c_void_p),
                ("step_ns", c_void_p), ("ops", c_void_p), ("op_count", c_uint32), ("set_op", c_void_p),
                ("donated", POINTER(c_uint32)), ("donated_count", c_uint32), ("output_inputs", c_void_p), ("call", c_void_p),
                ("signature", c_char_p), ("set_driver", c_void_p), ("devices", c_void_p), ("device_count", c_uint32),
                ("input_devices", c_void_p), ("output_devices", c_void_p), ("device_new", c_void_p), ("device_free", c_void_p),
                ("device_write", c_void_p), ("device_read", c_void_p), ("states", POINTER(Port)), ("state_count", c_uint32),
                ("read_state", c_void_p), ("write_state", c_void_p), ("share_states", c_void_p), ("trace", c_void_p)]


class Storage(Structure):
    """fe_storage."""
    _fields_ = [("start", c_int64), ("elements", c_int64)]


class Call(Structure):
    """fe_call."""
    _fields_ = [("struct_bytes", c_uint32), ("input_count", c_uint32), ("output_count", c_uint32), ("inputs", c_void_p),
                ("outputs", c_void_p), ("storages", c_void_p), ("alloc", c_void_p), ("data", c_void_p),
                ("versions", c_void_p)]


class Figures(Structure):
    """fe_figures."""
    _fields_ = [("stage_count", c_uint32), ("stage_names", POINTER(c_char_p)), ("stage_ms", POINTER(c_double)),
                ("compile_ms", c_double), ("input_count", c_uint32), ("output_count", c_uint32), ("kernels", c_uint32),
                ("unique_kernels", c_uint32), ("arena_bytes", c_int64), ("arena_lower_bound", c_int64),
                ("weights_bytes", c_int64), ("artifact_bytes", c_int64), ("libraries", c_char_p),
                ("tuned_kernels", c_uint32), ("tuned_recorded", c_uint32), ("tuned_changed", c_uint32),
                ("tuned_left", c_uint32), ("tuned_before_ms", c_double), ("tuned_after_ms", c_double)]


class Quantised(Structure):
    """fe_quantised."""
    _fields_ = [("name", c_char_p), ("bits", c_int), ("rows", c_int64), ("depth", c_int64), ("bytes_before", c_int64),
                ("bytes", c_int64), ("error", c_double), ("most", c_double)]


class Diagnostic(Structure):
    """fe_diagnostic."""
    _fields_ = [("status", c_int), ("stage", c_char_p), ("place", c_char_p), ("op", c_char_p), ("source", c_char_p),
                ("message", c_char_p), ("help", c_char_p)]


_SIGNATURES = {
    "fe_diagnostic_at": (c_int, [c_void_p, c_uint32, POINTER(Diagnostic)]),
    "fe_version": (c_char_p, []),
    "fe_session_new": (c_void_p, []),
    "fe_session_free": (None, [c_void_p]),
    "fe_set": (c_int, [c_void_p, c_char_p, c_char_p]),
    "fe_clear_cache": (c_int, [c_void_p]),
    "fe_inspect_file": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_char_p), POINTER(c_size_t)]),
    "fe_inspect_memory": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, c_char_p, POINTER(c_char_p), POINTER(c_size_t)]),
    "fe_add_constant": (c_int, [c_void_p, c_char_p, POINTER(Tensor)]),
    "fe_signature": (c_char_p, [c_void_p]),
    "fe_figures_of": (None, [c_void_p, POINTER(Figures)]),
    "fe_quantised_at": (c_int, [c_void_p, c_uint32, POINTER(Quantised)]),
    "fe_knows": (c_int, [c_char_p]),
    "fe_add_op": (c_int, [c_void_p, POINTER(ferrite_ops.Row)]),
    "fe_error": (c_char_p, [c_void_p]),
    "fe_compile_file": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "fe_compile_memory": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "fe_program_free": (None, [c_void_p]),
    "fe_load": (c_int, [c_void_p, POINTER(POINTER(Artifact)), POINTER(c_void_p)]),
    **{f"fe_write_{what}": (c_int, [c_void_p, c_char_p]) for what in ("library", "sources", "python", "fx", "report", "provenance")},
}


def _places():
    """Where libferrite.so may lie: named, in the installed package, built beside this folder, known to the system."""
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.environ.get("FERRITE_LIBRARY")
    yield os.path.join(here, "lib", "libferrite.so")
    yield os.path.join(here, os.pardir, os.pardir, "build", "libferrite.so")
    yield "libferrite.so.0"


def _load():
    for place in _places():
        if place and (os.path.exists(place) or os.sep not in place):
            library = ctypes.CDLL(place)
            break
    else:
        raise ImportError("libferrite.so is nowhere: set FERRITE_LIBRARY to its path")
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = None


@functools.lru_cache(maxsize=None)
def is_own(overload):
    """Is this operator of PyTorch's one of the library's own? Another one is declared, and calls PyTorch's kernel."""
    return bool(library().fe_knows(str(overload).encode()))


def library():
    global _library
    if _library is None:
        _library = _load()
    return _library
