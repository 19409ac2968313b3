# SPDX-License-Identifier: MIT
"""Exceptions: one class per kind of error of sov.h, each with the library's own sentence."""

from __future__ import annotations

from typing import Dict, Type


class SovError(Exception):
    """A call of libsov failed. str() is the library's sentence, `name` the result ("SOV_ERROR_FAULT")."""

    def __init__(self, message: str, name: str = "", messages: str = "") -> None:
        super().__init__(message)
        self.name = name
        #: The compiler's messages, if source was rejected.
        self.messages = messages


class InvalidArgument(SovError, ValueError):
    """An argument of the call, or an environment variable, is wrong."""


class InvalidHandle(SovError):
    """The object was destroyed, or belongs to another context, or to the parent of this process."""


class InvalidAddress(SovError, ValueError):
    """A range does not lie inside one live allocation."""


class NoDevice(SovError):
    """There is no such device."""


class OutOfMemory(SovError, MemoryError):
    """Device or host memory is exhausted."""


class InvalidSource(SovError, ValueError):
    """The compiler refused the source; `messages` says where and why."""


class NotFound(SovError, KeyError):
    """There is no kernel, variable or parameter of that name or index."""

    __str__ = Exception.__str__  # a KeyError would quote the sentence


class InvalidLaunch(SovError, ValueError):
    """Grid, block, shared memory or arguments do not fit the kernel or the device."""


class WaitTimeout(SovError, TimeoutError):
    """A wait ended at its limit; the work continues."""


class Unsupported(SovError, NotImplementedError):
    """The device, or this version of the library, cannot do it."""


class Fault(SovError):
    """A kernel or copy faulted. The context refuses further work until Context.reset()."""


class Hang(SovError):
    """A kernel exceeded its time limit and was stopped. Ends as a Fault does."""


class DeviceLost(SovError):
    """The device is gone."""


class KernelAssert(SovError):
    """assert() failed in a kernel, or it freed what it must not. Ends as a Fault does."""


CLASSES: Dict[int, Type[SovError]] = {
    2: InvalidArgument,
    3: InvalidHandle,
    4: InvalidAddress,
    5: NoDevice,
    6: OutOfMemory,
    7: OutOfMemory,
    8: InvalidSource,
    9: NotFound,
    10: InvalidLaunch,
    11: WaitTimeout,
    12: Unsupported,
    13: Fault,
    14: Hang,
    15: DeviceLost,
    19: KernelAssert,
}
