# SPDX-License-Identifier: MIT
"""Arrays in device memory, from and to numpy, DLPack and __cuda_array_interface__."""

from __future__ import annotations

import ctypes
import os
import weakref
from math import prod
from typing import Any, Callable, Dict, Iterable, Optional, Tuple, Union

import numpy as np

from . import _dlpack as dlpack
from . import _library as c
from ._context import Context, _destroy, get_context
from ._errors import InvalidAddress
from ._library import check, lib
from ._stream import Stream, stream_handle

Shape = Union[int, Iterable[int]]


class _Memory:
    """Owns a range of memory that the device can address: what allocated, pinned or exported it is undone at the end."""

    def __init__(
        self, context: Context, address: int, size: int, release: Optional[Callable[..., int]] = None, owner: object = None
    ) -> None:
        self.context, self.address, self.size, self.owner = context, address, size, owner
        self.mapped = 0  # where the process sees it, once it does
        self.on_host = False  # it is memory of the host that the device reaches, and not the device's
        if release:
            weakref.finalize(self, _destroy, os.getpid(), release, context._value, address)


def _shape(shape: Shape) -> Tuple[int, ...]:
    lengths = tuple(int(n) for n in shape) if isinstance(shape, Iterable) else (int(shape),)
    for n in lengths:
        if n < 0:
            raise ValueError(f"shape {lengths} has a negative length")
    return lengths


class Array:
    """
    A C-contiguous array in device memory. It has no arithmetic: kernels compute. get() and set() copy from and to
    numpy, and kernels take the array as a pointer parameter.
    """

    def __init__(self, memory: _Memory, address: int, shape: Tuple[int, ...], dtype: np.dtype) -> None:
        """Use empty(), zeros(), asarray() or from_dlpack()."""
        self._memory, self.ptr, self.shape, self.dtype = memory, address, shape, dtype

    @property
    def context(self) -> Context:
        return self._memory.context

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<sov.Array {self.shape} of {self.dtype} at {self.ptr:#x} on {self.context.device.name}>"

    def __reduce__(self) -> Any:
        raise TypeError("an array in device memory is not pickled; pickle what its get() returns")

    # ---- copies ----

    def get(self, out: Optional[np.ndarray] = None, stream: Optional[Stream] = None) -> np.ndarray:
        """The contents as a numpy array, when the stream's earlier work is complete."""
        if out is None:
            out = np.empty(self.shape, self.dtype)
        elif out.shape != self.shape or out.dtype != self.dtype or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError(f"out is not a writable C-contiguous {self.shape} of {self.dtype}")
        handle = stream_handle(self.context, stream)
        c.wait(lib.sov_stream_wait, handle, None)
        if self.nbytes:
            check(lib.sov_memory_copy_async(handle, out.ctypes.data, self.ptr, self.nbytes))
            c.wait(lib.sov_stream_wait, handle, None)
        return out

    def set(self, values: Any, stream: Optional[Stream] = None) -> "Array":
        """Copies numpy's values, of any type that casts to this one's, in the order of the stream."""
        host = np.ascontiguousarray(np.broadcast_to(np.asarray(values), self.shape), self.dtype)
        handle = stream_handle(self.context, stream)
        if self.nbytes:
            # The call returns when pageable memory may be used again; pinned memory must stay as it is.
            check(lib.sov_memory_copy_async(handle, self.ptr, host.ctypes.data, self.nbytes))
            if not host.flags.owndata:
                c.wait(lib.sov_stream_wait, handle, None)
        return self

    def fill(self, value: Any, stream: Optional[Stream] = None) -> "Array":
        """Sets every element, in the order of the stream."""
        item = np.asarray(value).astype(self.dtype).reshape(1)
        if self.dtype.itemsize in (1, 2, 4):
            word = int(item.view(f"u{self.dtype.itemsize}")[0])
            size, count = self.dtype.itemsize, self.size
        elif not item.view("u1").any():
            word, size, count = 0, 1, self.nbytes
        else:
            return self.set(np.full(self.shape, item[0]), stream)
        handle = stream_handle(self.context, stream)
        if count:
            check(lib.sov_memory_fill_async(handle, self.ptr, word, size, count))
        return self

    def copy(self, stream: Optional[Stream] = None) -> "Array":
        """A copy in new device memory, in the order of the stream."""
        with self.context:
            result = empty(self.shape, self.dtype)
        handle = stream_handle(self.context, stream)
        if self.nbytes:
            check(lib.sov_memory_copy_async(handle, result.ptr, self.ptr, self.nbytes))
        return result

    # ---- views ----

    def reshape(self, *shape: Any) -> "Array":
        """The same memory in another shape; one length may be -1."""
        lengths = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Iterable) else shape
        # numpy knows the rules, and says what is wrong.
        result = np.broadcast_to(np.empty((), "u1"), self.shape).reshape(lengths).shape
        return Array(self._memory, self.ptr, result, self.dtype)

    def view(self, dtype: Any) -> "Array":
        """The same memory with another type of element."""
        dtype = np.dtype(dtype)
        row = (self.shape[-1] if self.shape else 1) * self.dtype.itemsize
        if not self.shape and dtype.itemsize != self.dtype.itemsize or not dtype.itemsize or row % dtype.itemsize:
            raise ValueError(f"{row} bytes of {self.dtype} are no whole number of {dtype}")
        shape = self.shape[:-1] + (row // dtype.itemsize,) if self.shape else ()
        return Array(self._memory, self.ptr, shape, dtype)

    def __getitem__(self, key: Union[int, slice]) -> "Array":
        """Part of the first dimension, as a view: a[i] or a[i:j]."""
        if not self.shape:
            raise IndexError("an array without dimensions has no parts")
        if isinstance(key, slice):
            start, stop, step = key.indices(self.shape[0])
            if step != 1:
                raise IndexError(f"a view is contiguous: the step of the slice is {step}, not 1")
            count: Tuple[int, ...] = (max(stop - start, 0),)
        elif isinstance(key, (int, np.integer)):
            start, count = int(key) + (self.shape[0] if key < 0 else 0), ()
            if not 0 <= start < self.shape[0]:
                raise IndexError(f"index {key} is outside of {self.shape[0]} elements")
        else:
            raise TypeError(f"an index is an integer or a slice, not {type(key).__name__}")
        row = prod(self.shape[1:]) * self.dtype.itemsize
        return Array(self._memory, self.ptr + start * row, count + self.shape[1:], self.dtype)

    def map(self) -> np.ndarray:
        """
        The same memory as a numpy array, without a copy. On a software GPU it is ordinary memory; on hardware it is
        slow to read. Wait for the work that writes it before you read.
        """
        if not self._memory.mapped and self.size:
            pointer = ctypes.c_void_p()
            check(lib.sov_memory_map(self.context._handle, self._memory.address, ctypes.byref(pointer)))
            self._memory.mapped = pointer.value or 0
        buffer: Any = (ctypes.c_byte * self.nbytes).from_address(self._host_address())
        buffer._sov_memory = self._memory  # numpy keeps the buffer, and the buffer the memory
        return np.frombuffer(buffer, self.dtype).reshape(self.shape) if self.size else np.empty(self.shape, self.dtype)

    def _host_address(self) -> int:
        return self._memory.mapped + self.ptr - self._memory.address if self.size else 0

    # ---- other libraries ----

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        if self.context.device.properties.software or not self.context.device.properties.target.startswith("sm_"):
            raise AttributeError(
                f"memory of {self.context.device.name} is not CUDA's: take it as host memory by DLPack or map()"
            )
        self.context.wait()
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.ptr, False),
            "version": 3,
            "strides": None,
            "stream": None,
        }

    def __dlpack_device__(self) -> Tuple[int, int]:
        properties = self.context.device.properties
        # Memory of hardware stays the device's when the process maps it: the mapping is no host memory to compute with.
        if properties.software or self._memory.on_host:
            return dlpack.CPU, 0
        return (dlpack.CUDA if properties.target.startswith("sm_") else dlpack.ROCM), properties.ordinal

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Optional[Tuple[int, int]] = None,
        dl_device: Optional[Tuple[int, int]] = None,
        copy: Optional[bool] = None,
    ) -> object:
        device = self.__dlpack_device__()
        elsewhere = dl_device is not None and tuple(dl_device) != device
        if elsewhere and (dl_device[0] != dlpack.CPU or copy is False):  # type: ignore[index]
            raise BufferError(f"{self!r} is on DLPack's device {device} and not on {tuple(dl_device or ())}")
        versioned = max_version is not None and max_version[0] >= 1
        # Whatever stream the consumer uses: the contents are there.
        self.context.wait()
        if elsewhere or copy and device[0] == dlpack.CPU:
            host = self.get()
            return dlpack.export(host, host.ctypes.data, self.shape, self.dtype, (dlpack.CPU, 0), versioned, True)
        if copy:
            array = self.copy()
            self.context.wait()
            return dlpack.export(array._memory, array.ptr, self.shape, self.dtype, device, versioned, True)
        address = self.ptr
        if device[0] == dlpack.CPU:
            self.map()
            address = self._host_address()
        return dlpack.export(self._memory, address, self.shape, self.dtype, device, versioned)


def empty(shape: Shape, dtype: Any = np.float64) -> Array:
    """An array in the current context; its contents are not set."""
    lengths, dtype = _shape(shape), np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"{dtype} holds Python objects, which no device has")
    context, size = get_context(), prod(lengths) * dtype.itemsize
    address = ctypes.c_uint64()
    if size:
        check(lib.sov_memory_alloc(context._handle, size, ctypes.byref(address)))
    memory = _Memory(context, address.value, size, lib.sov_memory_free if size else None)
    return Array(memory, address.value, lengths, dtype)


def _ready(array: Array) -> Array:
    """What a constructor returns may be used on every stream."""
    c.wait(lib.sov_stream_wait, stream_handle(array.context), None)
    return array


def full(shape: Shape, value: Any, dtype: Any = None) -> Array:
    """An array of equal elements."""
    return _ready(empty(shape, np.asarray(value).dtype if dtype is None else dtype).fill(value))


def zeros(shape: Shape, dtype: Any = np.float64) -> Array:
    """An array of zeros."""
    return full(shape, 0, dtype)


def ones(shape: Shape, dtype: Any = np.float64) -> Array:
    """An array of ones."""
    return full(shape, 1, dtype)


def empty_like(array: Any, dtype: Any = None) -> Array:
    """An array of the same shape and type."""
    return empty(array.shape, array.dtype if dtype is None else dtype)


def zeros_like(array: Any, dtype: Any = None) -> Array:
    """An array of zeros of the same shape and type."""
    return zeros(array.shape, array.dtype if dtype is None else dtype)


def asarray(values: Any, dtype: Any = None) -> Array:
    """
    values in device memory. An Array stays what it is, and memory with __cuda_array_interface__ is used without a copy;
    all else is copied as numpy sees it.
    """
    if isinstance(values, Array):
        if dtype is None or np.dtype(dtype) == values.dtype:
            return values
        values = values.get()
    elif hasattr(values, "__cuda_array_interface__"):
        array = _from_cuda(values)
        if dtype is None or np.dtype(dtype) == array.dtype:
            return array
        values = array.get()
    host = np.asarray(values, dtype)
    return _ready(empty(host.shape, host.dtype).set(host))


def asnumpy(array: Array) -> np.ndarray:
    """The contents of an array as a numpy array."""
    return array.get()


def _adopt(context: Context, address: int, shape: Tuple[int, ...], dtype: np.dtype, owner: object) -> Array:
    """Device memory that another object owns, which must lie in one allocation of the context."""
    size = prod(shape) * dtype.itemsize
    start, length = ctypes.c_uint64(), ctypes.c_uint64()
    if size and (
        lib.sov_memory_range(context._handle, address, ctypes.byref(start), ctypes.byref(length))
        or address + size > start.value + length.value
    ):
        raise InvalidAddress(
            f"{size} bytes at {address:#x} are not memory of {context!r}: a context reaches its own memory and pinned "
            "host memory. Copy by numpy.",
            "SOV_ERROR_INVALID_ADDRESS",
        )
    memory = _Memory(context, start.value or address, size, None, owner)
    return Array(memory, address, shape, dtype)


def _from_cuda(values: Any) -> Array:
    interface = values.__cuda_array_interface__
    dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
    if interface.get("mask") is not None:
        raise BufferError("arrays with a mask are not supported")
    strides = interface.get("strides")
    if strides is not None and tuple(strides) != np.empty(shape, dtype).strides and 0 not in shape:
        raise BufferError("the array is not C-contiguous; copy it first")
    address, read_only = interface["data"]
    if read_only:
        raise BufferError("the array is read-only, and a kernel cannot be kept from writing; copy it first")
    return _adopt(get_context(), address, shape, dtype, values)


def from_dlpack(values: Any) -> Array:
    """
    The memory of an array of another library, without a copy. Host memory, which must be writable, is pinned in place for
    the current context, where kernels use it.
    """
    context = get_context()
    device = values.__dlpack_device__()[0]
    if device not in (dlpack.CPU, dlpack.CUDA, dlpack.CUDA_HOST, dlpack.ROCM, dlpack.ROCM_HOST, dlpack.CUDA_MANAGED):
        raise BufferError(f"DLPack's device type {int(device)} is neither the host nor a GPU")
    arguments = {} if device == dlpack.CPU else {"stream": -1 if isinstance(values, Array) else None}
    try:
        capsule = values.__dlpack__(max_version=(1, 0), **arguments)
    except TypeError:  # a producer of version 0
        capsule = values.__dlpack__(**arguments)
    tensor = dlpack.Imported(capsule)
    if tensor.read_only:
        raise BufferError("the array is read-only, and a kernel cannot be kept from writing; copy it first")
    size = prod(tensor.shape) * tensor.dtype.itemsize
    if device != dlpack.CPU:
        return _adopt(context, tensor.address, tensor.shape, tensor.dtype, tensor)
    if not size:
        memory = _Memory(context, tensor.address, 0, None, tensor)
        memory.on_host = True
        return Array(memory, tensor.address, tensor.shape, tensor.dtype)
    check(lib.sov_host_register(context._handle, tensor.address, size))
    memory = _Memory(context, tensor.address, size, lib.sov_host_unregister)
    # The finalizer of the memory unpins it before the producer gets its tensor back.
    memory.owner, memory.mapped, memory.on_host = tensor, tensor.address, True
    return Array(memory, tensor.address, tensor.shape, tensor.dtype)


def pinned_empty(shape: Shape, dtype: Any = np.float64) -> np.ndarray:
    """
    A numpy array in pinned host memory of the current context: get(out=) and set() copy it at the bus's full speed, and
    from_dlpack is not needed: kernels take it by its address, array.ctypes.data.
    """
    lengths, dtype = _shape(shape), np.dtype(dtype)
    context, size = get_context(), prod(lengths) * dtype.itemsize
    if not size:
        return np.empty(lengths, dtype)
    pointer = ctypes.c_void_p()
    check(lib.sov_host_alloc(context._handle, size, ctypes.byref(pointer)))
    buffer: Any = (ctypes.c_byte * size).from_address(pointer.value or 0)
    buffer._sov_memory = _Memory(context, pointer.value or 0, size, lib.sov_host_free)
    return np.frombuffer(buffer, dtype).reshape(lengths)
