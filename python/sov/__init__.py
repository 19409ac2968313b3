# SPDX-License-Identifier: MIT
"""
Runs compute kernels on a GPU, hardware or software, without any vendor's compiler or runtime.

    import numpy, sov
    kernel = sov.RawModule(path="saxpy.ptx").get_function("saxpy_f32")
    x = sov.asarray(numpy.arange(1024, dtype="f4"))
    y = sov.ones(1024, "f4")
    kernel(4, 256, (1024, 2.0, x, y))
    print(y.get())

docs/python.md is the manual.
"""

from ._array import (
    Array,
    asarray,
    asnumpy,
    empty,
    empty_like,
    from_dlpack,
    full,
    ones,
    pinned_empty,
    zeros,
    zeros_like,
)
from ._context import Context, get_context
from ._device import Device, Properties, devices
from ._errors import (
    DeviceLost,
    Fault,
    Hang,
    InvalidAddress,
    InvalidArgument,
    InvalidHandle,
    InvalidLaunch,
    InvalidSource,
    KernelAssert,
    NoDevice,
    NotFound,
    OutOfMemory,
    SovError,
    Unsupported,
    WaitTimeout,
)
from ._module import RawKernel, RawModule
from ._stream import Event, Stream
from ._version import VERSION as __version__

__all__ = [
    "Array",
    "Context",
    "Device",
    "DeviceLost",
    "Event",
    "Fault",
    "Hang",
    "InvalidAddress",
    "InvalidArgument",
    "InvalidHandle",
    "InvalidLaunch",
    "InvalidSource",
    "KernelAssert",
    "NoDevice",
    "NotFound",
    "OutOfMemory",
    "Properties",
    "RawKernel",
    "RawModule",
    "SovError",
    "Stream",
    "Unsupported",
    "WaitTimeout",
    "__version__",
    "asarray",
    "asnumpy",
    "devices",
    "empty",
    "empty_like",
    "from_dlpack",
    "full",
    "get_context",
    "ones",
    "pinned_empty",
    "zeros",
    "zeros_like",
]
