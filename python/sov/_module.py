# SPDX-License-Identifier: MIT
"""Modules and kernels, with the names and the calls of CuPy's RawModule and RawKernel."""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from ctypes import c_size_t, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _library as c
from ._array import Array, _Memory
from ._context import Context, Handle, get_context
from ._errors import InvalidLaunch
from ._library import check, lib
from ._stream import Stream, stream_handle

Dimensions = Union[int, Sequence[int]]
_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


class _Loaded(Handle):
    """A module in one context, and its kernels."""

    def __init__(self, context: Context, code: bytes) -> None:
        handle = ctypes.c_void_p()
        check(lib.sov_module_load(context._handle, code, len(code), None, ctypes.byref(handle)))
        super().__init__(context, handle, lib.sov_module_unload)
        self._kernels: Dict[str, _Kernel] = {}

    def kernel(self, name: str) -> "_Kernel":
        if name not in self._kernels:
            handle = ctypes.c_void_p()
            check(lib.sov_module_get_function(self._handle, name.encode(), ctypes.byref(handle)))
            self._kernels[name] = _Kernel(handle, name)
        return self._kernels[name]


class _Kernel:
    """A kernel in one context: its handle, and the bytes of each parameter."""

    def __init__(self, handle: c_void_p, name: str) -> None:
        self.handle, self.name = handle, name
        self.parameters: List[int] = []
        offset, size = ctypes.c_uint32(), ctypes.c_uint32()
        while True:
            index = len(self.parameters)
            result = lib.sov_function_get_parameter(handle, index, ctypes.byref(offset), ctypes.byref(size))
            if result == 9:
                break
            check(result)
            self.parameters.append(size.value)

    def pack(self, context: Context, arguments: Sequence[Any]) -> List[bytes]:
        if len(arguments) != len(self.parameters):
            raise InvalidLaunch(
                f"kernel {self.name!r} has {len(self.parameters)} parameters, and {len(arguments)} arguments are given",
                "SOV_ERROR_INVALID_LAUNCH",
            )
        return [self._bytes(context, i, value) for i, value in enumerate(arguments)]

    def _refuse(self, index: int, why: str) -> InvalidLaunch:
        return InvalidLaunch(f"kernel {self.name!r}, argument {index}: {why}", "SOV_ERROR_INVALID_LAUNCH")

    def _bytes(self, context: Context, index: int, value: Any) -> bytes:
        size = self.parameters[index]
        packed = self._packed(context, index, value, size)
        if len(packed) != size:
            raise self._refuse(index, f"{len(packed)} bytes are given by {value!r}, and the parameter has {size}")
        return packed

    def _packed(self, context: Context, index: int, value: Any, size: int) -> bytes:
        if isinstance(value, Array):
            if value.context is not context:
                raise self._refuse(index, f"{value!r} belongs to another context than the launch")
            return struct.pack("<Q", value.ptr)
        if isinstance(value, (np.generic, np.ndarray)):
            if isinstance(value, np.ndarray) and value.ndim:
                raise self._refuse(index, "a numpy array is host memory; pass sov.asarray(it)")
            return value.tobytes()
        if isinstance(value, (bytes, bytearray, ctypes.Structure, ctypes.Union, ctypes.Array, ctypes._SimpleCData)):
            return bytes(value)
        if value is None:
            return bytes(8)
        if isinstance(value, (bool, int)):
            if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
                raise self._refuse(index, f"{value} does not fit the {size} bytes of the parameter")
            return (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")
        if isinstance(value, float):
            if size not in _FLOATS:
                raise self._refuse(index, f"a parameter of {size} bytes is no floating-point number")
            return struct.pack(_FLOATS[size], value)
        raise self._refuse(index, f"{type(value).__name__} is no number, sov.Array, bytes, or value of numpy or ctypes")


def _three(what: str, value: Dimensions) -> Tuple[int, int, int]:
    lengths = (value,) if isinstance(value, (int, np.integer)) else tuple(value)
    if not 1 <= len(lengths) <= 3 or not all(isinstance(n, (int, np.integer)) for n in lengths):
        raise ValueError(f"{what} {value!r} is not an integer or one to three of them")
    for n in lengths:
        if not 1 <= n < 1 << 32:
            raise ValueError(f"{what} {value!r} has a length that is not from 1 to {(1 << 32) - 1}")
    return (*(int(n) for n in lengths), 1, 1)[:3]  # type: ignore[return-value]


class RawModule:
    """
    Kernels and variables of PTX, SPIR-V or an image (cubin, code object). It is compiled when a context first needs it.
    """

    def __init__(self, code: Union[str, bytes, None] = None, *, path: Union[str, "os.PathLike[str]", None] = None) -> None:
        if (code is None) == (path is None):
            raise TypeError("give either code or path")
        if path is not None:
            with open(path, "rb") as file:
                code = file.read()
        assert code is not None
        self._code = code.encode() if isinstance(code, str) else bytes(code)
        self._loading = threading.Lock()

    def _loaded(self) -> _Loaded:
        context = get_context()
        with self._loading:
            loaded = context._modules.get(self)
            if loaded is None:
                loaded = context._modules[self] = _Loaded(context, self._code)
        return loaded

    def compile(self) -> "RawModule":
        """Loads the module into the current context now, so that errors show here."""
        self._loaded()
        return self

    @property
    def functions(self) -> List[str]:
        """The names of the kernels."""
        loaded = self._loaded()
        names: List[str] = []
        while True:
            handle = ctypes.c_void_p()
            result = lib.sov_module_get_function_at(loaded._handle, len(names), ctypes.byref(handle))
            if result == 9:
                return names
            check(result)
            raw = c.FunctionAttributes()
            check(lib.sov_function_get_attributes(handle, ctypes.byref(raw)))
            names.append(raw.name.decode())

    def get_function(self, name: str) -> "RawKernel":
        """A kernel, which must exist."""
        self._loaded().kernel(name)
        return RawKernel(self, name)

    def get_global(self, name: str, dtype: Any = np.uint8) -> Array:
        """A __device__ or __constant__ variable, as an array of one dimension."""
        loaded, dtype = self._loaded(), np.dtype(dtype)
        address, size = ctypes.c_uint64(), ctypes.c_uint64()
        check(lib.sov_module_get_variable(loaded._handle, name.encode(), ctypes.byref(address), ctypes.byref(size)))
        if size.value % dtype.itemsize:
            raise ValueError(f"variable {name!r} has {size.value} bytes, no whole number of {dtype}")
        memory = _Memory(loaded.context, address.value, size.value, None, loaded)
        return Array(memory, address.value, (size.value // dtype.itemsize,), dtype)


class RawKernel:
    """A kernel. Call it as kernel(grid, block, arguments)."""

    def __init__(self, code: Union[str, bytes, RawModule], name: str) -> None:
        self.module = code if isinstance(code, RawModule) else RawModule(code)
        self.name = name

    def _kernel(self) -> _Kernel:
        return self.module._loaded().kernel(self.name)

    def __call__(
        self,
        grid: Dimensions,
        block: Dimensions,
        args: Sequence[Any] = (),
        *,
        shared_mem: int = 0,
        stream: Optional[Stream] = None,
        cluster: Optional[Dimensions] = None,
        cooperative: bool = False,
        time_limit: Optional[float] = None,
    ) -> None:
        """
        Launches the kernel on the given or the current stream and does not wait. An argument is an Array, a value of
        numpy or ctypes, bytes, None for a null pointer, or a Python number, which takes the size of its parameter.
        time_limit is in seconds.
        """
        if stream is not None:
            with stream:
                return self(
                    grid, block, args, shared_mem=shared_mem, cluster=cluster, cooperative=cooperative, time_limit=time_limit
                )
        shape = _three("grid", grid), _three("block", block)
        context, kernel = get_context(), self._kernel()
        packed = kernel.pack(context, args)
        launch = c.Launch(shared_bytes=shared_mem, argument_count=len(packed), flags=1 if cooperative else 0)
        launch.grid[:], launch.block[:] = shape
        if cluster is not None:
            launch.cluster[:] = _three("cluster", cluster)
        if time_limit is not None:
            if not time_limit > 0:
                raise ValueError(f"time_limit {time_limit} is not a number of seconds above 0")
            launch.time_limit = min(int(time_limit * 1e9), c.FOREVER)
        launch.stream = stream_handle(context).value
        # ctypes points into the bytes, which packed keeps; typeshed does not know that cast() takes them.
        pointers = (ctypes.cast(value, c_void_p) for value in packed)  # type: ignore[arg-type]
        launch.arguments = (c_void_p * len(packed))(*pointers)
        launch.argument_bytes = (c_size_t * len(packed))(*(len(value) for value in packed))
        check(lib.sov_function_launch(kernel.handle, ctypes.byref(launch)))

    @property
    def attributes(self) -> Dict[str, int]:
        """Registers, bytes of shared and local memory and of code, and what a block may have, in the current context."""
        raw = c.FunctionAttributes()
        check(lib.sov_function_get_attributes(self._kernel().handle, ctypes.byref(raw)))
        return {name: getattr(raw, name) for name, *_ in raw._fields_ if name not in ("size", "name")}

    def occupancy(self, block: Dimensions, shared_mem: int = 0) -> int:
        """How many blocks of this size a multiprocessor holds at once."""
        blocks = ctypes.c_uint32()
        x, y, z = _three("block", block)
        check(lib.sov_function_get_occupancy(self._kernel().handle, x * y * z, shared_mem, ctypes.byref(blocks)))
        return blocks.value

    def __repr__(self) -> str:
        return f"<sov.RawKernel {self.name}>"
