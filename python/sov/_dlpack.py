# SPDX-License-Identifier: MIT
"""DLPack capsules, to and from other libraries: the structures of dlpack.h, versions 0 and 1."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import threading
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, py_object
from typing import Dict, List, Optional, Tuple

import numpy as np

CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, CUDA_MANAGED = 1, 2, 3, 10, 11, 13


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


_DELETER = ctypes.CFUNCTYPE(None, c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("manager", c_void_p), ("deleter", _DELETER)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("manager", c_void_p),
        ("deleter", _DELETER),
        ("flags", c_uint64),
        ("tensor", _Tensor),
    ]


_READ_ONLY, _IS_COPIED = 1, 2
_NAMES = {b"dltensor": _Managed, b"dltensor_versioned": _Versioned}
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}

_api = ctypes.pythonapi
_capsule_new = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", _api))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _api))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, py_object, c_char_p)(("PyCapsule_SetName", _api))

# What is exported, until its consumer calls the deleter: number -> (structure, shape, owner of the memory).
_exported: Dict[int, Tuple[object, ...]] = {}
_numbers = itertools.count(1)


@_DELETER
def _delete_managed(address: int) -> None:
    _exported.pop(_Managed.from_address(address).manager, None)


@_DELETER
def _delete_versioned(address: int) -> None:
    _exported.pop(_Versioned.from_address(address).manager, None)


# A capsule that its consumer refuses is dropped while an exception is pending, where a destructor in Python cannot run.
# So capsules are kept, and looked at when the next one is made: number -> capsule.
_pending: Dict[int, object] = {}
_lock = threading.Lock()


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def sweep() -> None:
    """Lets go of capsules that were taken, and of the tensors of those that were dropped."""
    with _lock:
        for number in list(_pending):
            if not any(_is_valid(id(_pending[number]), name) for name in _NAMES):
                del _pending[number]
            elif sys.getrefcount(_pending[number]) <= 2:  # the table's, and the call's
                del _pending[number]
                _exported.pop(number, None)


# Consumers may call back while the interpreter ends, when this module is gone.
for _callback in (_delete_managed, _delete_versioned):
    _api.Py_IncRef(py_object(_callback))

# The capsules keep the pointers to their names.
_kept_names = {name: ctypes.create_string_buffer(name) for name in (*_NAMES, b"used_dltensor", b"used_dltensor_versioned")}


def _name(name: bytes) -> bytes:
    return ctypes.cast(_kept_names[name], c_char_p)  # type: ignore[return-value]


def export(
    owner: object,
    address: int,
    shape: Tuple[int, ...],
    dtype: np.dtype,
    device: Tuple[int, int],
    versioned: bool,
    copied: bool = False,
) -> object:
    """A capsule for memory that `owner` keeps; copied: it was made for the consumer, who may change it."""
    sweep()
    if dtype.kind not in _CODES or not dtype.isnative:
        raise BufferError(f"DLPack has no type for {dtype}")
    lengths = (c_int64 * max(len(shape), 1))(*shape)
    tensor = _Tensor(
        data=address,
        device_type=device[0],
        device_id=device[1],
        ndim=len(shape),
        code=_CODES[dtype.kind],
        bits=dtype.itemsize * 8,
        lanes=1,
        shape=lengths,
        strides=None,
        byte_offset=0,
    )
    number = next(_numbers)
    managed: ctypes.Structure
    if versioned:
        flags = _IS_COPIED if copied else 0
        managed = _Versioned(major=1, minor=0, manager=number, deleter=_delete_versioned, flags=flags, tensor=tensor)
        if len(shape):  # version 1 wants strides
            strides: List[int] = []
            step = 1
            for length in reversed(shape):
                strides.insert(0, step)
                step *= length
            lengths_and_strides = (c_int64 * (2 * len(shape)))(*shape, *strides)
            managed.tensor.shape = ctypes.cast(lengths_and_strides, POINTER(c_int64))
            managed.tensor.strides = ctypes.cast(
                ctypes.addressof(lengths_and_strides) + 8 * len(shape), POINTER(c_int64)
            )
            lengths = lengths_and_strides
    else:
        managed = _Managed(tensor=tensor, manager=number, deleter=_delete_managed)
    _exported[number] = (managed, lengths, owner)
    name = b"dltensor_versioned" if versioned else b"dltensor"
    capsule = _capsule_new(ctypes.addressof(managed), _name(name), None)
    _pending[number] = capsule
    return capsule


class Imported:
    """A tensor of another library, taken from its capsule; it is given back with this object."""

    def __init__(self, capsule: object) -> None:
        for name, structure in _NAMES.items():
            if _is_valid(id(capsule), name):
                break
        else:
            raise BufferError(f"{capsule!r} is not an unused DLPack capsule of version 0 or 1")
        address = _pointer(id(capsule), name)
        managed = structure.from_address(address)
        tensor = managed.tensor
        if isinstance(managed, _Versioned) and managed.major > 1:
            raise BufferError(f"the DLPack tensor has version {managed.major}.{managed.minor}; known: 0 and 1")
        kind = _KINDS.get(tensor.code)
        if kind is None or tensor.lanes != 1 or tensor.bits % 8:
            raise BufferError(
                f"numpy has no type for DLPack's type code {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes"
            )
        self.dtype = np.dtype(f"{kind}{tensor.bits // 8}")
        self.shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.device = (tensor.device_type, tensor.device_id)
        flags = managed.flags if isinstance(managed, _Versioned) else 0
        self.read_only, self.copied = bool(flags & _READ_ONLY), bool(flags & _IS_COPIED)
        if tensor.strides and 0 not in self.shape:
            step = 1
            for length, stride in zip(reversed(self.shape), reversed([tensor.strides[i] for i in range(tensor.ndim)])):
                if length != 1 and stride != step:
                    raise BufferError("the DLPack tensor is not C-contiguous; copy it first")
                step *= length
        # Only now is the tensor ours.
        _rename(capsule, _name(b"used_" + name))
        self._address, self._deleter = address, managed.deleter

    def __del__(self) -> None:
        deleter: Optional[object] = getattr(self, "_deleter", None)
        if deleter:
            deleter(self._address)  # type: ignore[operator]
