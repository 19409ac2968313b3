# SPDX-License-Identifier: MIT
"""libsov.so.0 by ctypes: its structures, its prototypes, and the translation of results to exceptions."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

from ._errors import CLASSES, SovError

NOT_READY = 1
TIMEOUT = 11
FOREVER = 2**64 - 1


class _Versioned(ctypes.Structure):
    """A structure of sov.h, whose first member is its size."""

    def __init__(self, **members: object) -> None:
        super().__init__(**members)
        self.size = ctypes.sizeof(self)


class DeviceProperties(_Versioned):
    _fields_ = [
        ("size", c_uint32),
        ("ordinal", c_uint32),
        ("name", c_char * 64),
        ("product", c_char * 64),
        ("target", c_char * 16),
        ("winsys", c_char * 16),
        ("features", c_uint32),
        ("warp_size", c_uint32),
        ("multiprocessors", c_uint32),
        ("max_threads_per_block", c_uint32),
        ("max_block", c_uint32 * 3),
        ("max_grid", c_uint32 * 3),
        ("max_shared_per_block", c_uint32),
        ("shared_per_multiprocessor", c_uint32),
        ("registers_per_multiprocessor", c_uint32),
        ("max_threads_per_multiprocessor", c_uint32),
        ("memory_bytes", c_uint64),
        ("driver", c_char * 64),
        ("min_priority", c_int32),
        ("max_priority", c_int32),
        ("max_cluster_blocks", c_uint32),
        ("l2_bytes", c_uint32),
    ]


PRINT = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)


class ContextOptions(_Versioned):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("kernel_time_limit", c_uint64),
        ("stack_bytes", c_uint32),
        ("print_bytes", c_uint64),
        ("heap_bytes", c_uint64),
        ("print", PRINT),
        ("print_user", c_void_p),
    ]


class FunctionAttributes(_Versioned):
    _fields_ = [
        ("size", c_uint32),
        ("registers", c_uint32),
        ("shared_bytes", c_uint32),
        ("local_bytes", c_uint32),
        ("max_threads_per_block", c_uint32),
        ("code_bytes", c_uint32),
        ("parameters", c_uint32),
        ("parameter_bytes", c_uint32),
        ("name", c_char * 128),
    ]


class Launch(_Versioned):
    _fields_ = [
        ("size", c_uint32),
        ("shared_bytes", c_uint32),
        ("grid", c_uint32 * 3),
        ("block", c_uint32 * 3),
        ("stream", c_void_p),
        ("arguments", POINTER(c_void_p)),
        ("argument_bytes", POINTER(c_size_t)),
        ("argument_count", c_uint32),
        ("flags", c_uint32),
        ("time_limit", c_uint64),
        ("cluster", c_uint32 * 3),
        ("reserved", c_uint32),
    ]


class FaultDetails(_Versioned):
    _fields_ = [
        ("size", c_uint32),
        ("result", c_uint32),
        ("kernel", c_char * 128),
        ("cause", c_char * 256),
        ("address", c_uint64),
        ("pc", c_uint64),
        ("block", c_uint32 * 3),
        ("thread", c_uint32 * 3),
        ("instruction", c_char * 128),
        ("has_thread", c_uint32),
        ("source", c_char * 256),
        ("kind", c_uint32),
        ("reserved", c_uint32),
    ]


#: Structures by their names in sov.h: the tests compare the offsets of all members with the header's.
STRUCTURES = {
    "sov_device_properties": DeviceProperties,
    "sov_context_options": ContextOptions,
    "sov_function_attributes": FunctionAttributes,
    "sov_launch": Launch,
    "sov_fault": FaultDetails,
}

_HANDLE = c_void_p
_ADDRESS = c_uint64
_OUT_HANDLE = POINTER(c_void_p)
_PROTOTYPES = {
    "sov_device_count": [POINTER(c_uint32)],
    "sov_device_open": [c_uint32, _OUT_HANDLE],
    "sov_device_open_name": [c_char_p, _OUT_HANDLE],
    "sov_device_get_properties": [_HANDLE, POINTER(DeviceProperties)],
    "sov_context_create": [_HANDLE, POINTER(ContextOptions), _OUT_HANDLE],
    "sov_context_destroy": [_HANDLE],
    "sov_context_reset": [_HANDLE],
    "sov_context_status": [_HANDLE],
    "sov_context_wait": [_HANDLE, c_uint64],
    "sov_context_get_fault": [_HANDLE, POINTER(FaultDetails)],
    "sov_context_get_stream": [_HANDLE, _OUT_HANDLE],
    "sov_memory_alloc": [_HANDLE, c_uint64, POINTER(_ADDRESS)],
    "sov_memory_free": [_HANDLE, _ADDRESS],
    "sov_memory_copy_async": [_HANDLE, _ADDRESS, _ADDRESS, c_uint64],
    "sov_memory_fill_async": [_HANDLE, _ADDRESS, c_uint32, c_uint32, c_uint64],
    "sov_memory_info": [_HANDLE, POINTER(c_uint64), POINTER(c_uint64)],
    "sov_memory_range": [_HANDLE, _ADDRESS, POINTER(_ADDRESS), POINTER(c_uint64)],
    "sov_memory_map": [_HANDLE, _ADDRESS, POINTER(c_void_p)],
    "sov_host_alloc": [_HANDLE, c_uint64, POINTER(c_void_p)],
    "sov_host_free": [_HANDLE, c_void_p],
    "sov_host_register": [_HANDLE, c_void_p, c_uint64],
    "sov_host_unregister": [_HANDLE, c_void_p],
    "sov_module_load": [_HANDLE, c_char_p, c_size_t, c_void_p, _OUT_HANDLE],
    "sov_module_unload": [_HANDLE],
    "sov_module_get_function": [_HANDLE, c_char_p, _OUT_HANDLE],
    "sov_module_get_function_at": [_HANDLE, c_uint32, _OUT_HANDLE],
    "sov_module_get_variable": [_HANDLE, c_char_p, POINTER(_ADDRESS), POINTER(c_uint64)],
    "sov_function_get_attributes": [_HANDLE, POINTER(FunctionAttributes)],
    "sov_function_get_occupancy": [_HANDLE, c_uint32, c_uint32, POINTER(c_uint32)],
    "sov_function_get_parameter": [_HANDLE, c_uint32, POINTER(c_uint32), POINTER(c_uint32)],
    "sov_function_launch": [_HANDLE, POINTER(Launch)],
    "sov_stream_create_with_priority": [_HANDLE, c_uint32, c_int32, _OUT_HANDLE],
    "sov_stream_destroy": [_HANDLE],
    "sov_stream_wait": [_HANDLE, c_uint64],
    "sov_stream_wait_event": [_HANDLE, _HANDLE],
    "sov_event_create": [_HANDLE, c_uint32, _OUT_HANDLE],
    "sov_event_destroy": [_HANDLE],
    "sov_event_record": [_HANDLE, _HANDLE],
    "sov_event_wait": [_HANDLE, c_uint64],
    "sov_event_elapsed": [_HANDLE, _HANDLE, POINTER(c_uint64)],
}


def _load() -> ctypes.CDLL:
    path = os.environ.get("SOV_LIBRARY") or "libsov.so.0"
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"sov needs the library libsov and cannot load {path!r}: {error}. Install libsov0, or run "
            "'make install' in sovgpu's source, or set SOV_LIBRARY to the path of libsov.so.0."
        ) from None
    for name, arguments in _PROTOTYPES.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = ctypes.c_int
    for name in ("sov_last_error", "sov_module_messages", "sov_result_name", "sov_result_string"):
        getattr(library, name).restype = c_char_p
    library.sov_version.restype = c_uint32
    return library


lib = _load()


def error_of(result: int) -> SovError:
    """The exception for a result of the calling thread's last call."""
    sentence = lib.sov_last_error() or lib.sov_result_string(result)
    messages = lib.sov_module_messages() if result == 8 else b""
    name = lib.sov_result_name(result).decode()
    text = sentence.decode(errors="replace")
    return CLASSES.get(result, SovError)(text, name, messages.decode(errors="replace"))


def check(result: int) -> None:
    if result:
        raise error_of(result)


#: A wait returns to Python this often, so that an interrupt from the keyboard ends it.
_SLICE = 50_000_000


def wait(function: object, handle: c_void_p, timeout: float | None) -> None:
    """Waits in slices; timeout in seconds, None for no limit."""
    if timeout is not None and not timeout >= 0:
        raise ValueError(f"timeout {timeout} is not a number of seconds from 0 on")
    left = FOREVER if timeout is None else min(int(timeout * 1e9), FOREVER)
    while True:
        part = min(left, _SLICE)
        result = function(handle, part)  # type: ignore[operator]
        left = left if timeout is None else left - part
        if result not in (TIMEOUT, NOT_READY) or not left:
            break
    if result in (TIMEOUT, NOT_READY):
        raise CLASSES[TIMEOUT](f"the work did not finish within {timeout} s", "SOV_ERROR_TIMEOUT")
    check(result)
