# SPDX-License-Identifier: MIT
"""
Contexts, and which of them is current.

What follows `with context:` in the same thread uses that context; otherwise the process has one context on
device 0, which is made when it is first needed. A child of fork() cannot use its parent's contexts: it makes its own.
"""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import TYPE_CHECKING, Callable, List, Optional, Tuple, Type, Union

from . import _library as c
from ._device import Device
from ._errors import InvalidHandle
from ._library import check, lib

if TYPE_CHECKING:
    from types import TracebackType

    from ._stream import Stream


class _Current(threading.local):
    def __init__(self) -> None:
        self.contexts: List[Context] = []
        self.streams: List[Stream] = []
        self.printing = 0


current = _Current()
_default: Optional["Context"] = None
_default_lock = threading.Lock()


def _forget_parent() -> None:
    """In a child of fork(): what was current belongs to the parent, as may the lock."""
    global _default, _default_lock
    _default, _default_lock = None, threading.Lock()
    current.contexts, current.streams = [], []


os.register_at_fork(after_in_child=_forget_parent)


class Handle:
    """Owns a handle of the library; it is destroyed with the object, or when the program ends."""

    def __init__(self, context: "Context", handle: ctypes.c_void_p, destroy: Callable[..., int], *rest: object) -> None:
        self.context = context
        self._value = handle
        self._finalizer = weakref.finalize(self, _destroy, os.getpid(), destroy, handle, *rest)

    @property
    def _handle(self) -> ctypes.c_void_p:
        if not self._finalizer.alive:
            raise InvalidHandle(f"{self!r} was closed", "SOV_ERROR_INVALID_HANDLE")
        self.context._handle  # refuses a closed one, and one of the parent's
        return self._value

    def close(self) -> None:
        """Destroys the object now; it waits for the work that uses it."""
        self._finalizer()


# What is to be destroyed after the output of a kernel: the library prints with a lock that destroying needs.
_deferred: List[Tuple[int, Callable[..., int], Tuple[object, ...]]] = []


def _destroy(process: int, destroy: Callable[..., int], *arguments: object) -> None:
    if current.printing:
        _deferred.append((process, destroy, arguments))
        return
    _destroy_deferred()
    # A failure means that the context is gone, and with it the object. A child of fork() leaves its parent's alone.
    if os.getpid() == process:
        destroy(*arguments)


def _destroy_deferred() -> None:
    while _deferred and not current.printing:
        process, destroy, arguments = _deferred.pop(0)
        if os.getpid() == process:
            destroy(*arguments)


class Context:
    """Work and memory on a device. An error of a kernel ends its context and no other."""

    def __init__(
        self,
        device: Union[Device, int, str] = 0,
        *,
        kernel_time_limit: Optional[float] = None,
        stack_bytes: int = 0,
        print_bytes: int = 0,
        heap_bytes: int = 0,
        output: Optional[Callable[[str], object]] = None,
    ) -> None:
        """kernel_time_limit is in seconds; output gets the text of printf() in kernels, by default stdout of C."""
        self._process = os.getpid()
        self.device = device if isinstance(device, Device) else Device(device)
        options = c.ContextOptions(stack_bytes=stack_bytes, print_bytes=print_bytes, heap_bytes=heap_bytes)
        if kernel_time_limit is not None:
            if not kernel_time_limit > 0:
                raise ValueError(f"kernel_time_limit {kernel_time_limit} is not a number of seconds above 0")
            options.kernel_time_limit = min(int(kernel_time_limit * 1e9), c.FOREVER)
        if output is not None:
            write = output

            def pass_text(_user: int, text: int, size: int) -> None:
                current.printing += 1
                try:
                    write(ctypes.string_at(text, size).decode(errors="replace"))
                finally:
                    current.printing -= 1

            # The library may call it as long as the process lives.
            options.print = c.PRINT(pass_text)
            _callbacks.append(options.print)
        self._value = ctypes.c_void_p()
        check(lib.sov_context_create(self.device._handle, ctypes.byref(options), ctypes.byref(self._value)))
        self._finalizer = weakref.finalize(self, _destroy, self._process, lib.sov_context_destroy, self._value)
        # Objects may outlive close(): they keep the context, never the reverse.
        self._modules: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise InvalidHandle(
                f"{self!r} belongs to process {self._process}, and this is its child {os.getpid()}: fork() does not "
                "share GPU work. Make arrays and streams in the child.",
                "SOV_ERROR_INVALID_HANDLE",
            )

    @property
    def _handle(self) -> ctypes.c_void_p:
        if not self._finalizer.alive:
            raise InvalidHandle(f"{self!r} was closed", "SOV_ERROR_INVALID_HANDLE")
        self._check_process()
        return self._value

    def __enter__(self) -> "Context":
        self._handle  # refuses a closed one
        current.contexts.append(self)
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional["TracebackType"]
    ) -> None:
        if current.contexts:  # empty in a child that was forked inside the block
            current.contexts.pop()

    def wait(self, timeout: Optional[float] = None) -> None:
        """Waits for all work of the context; timeout in seconds."""
        c.wait(lib.sov_context_wait, self._handle, timeout)

    def reset(self) -> None:
        """Clears the error that a kernel left, and discards pending work; memory keeps its contents."""
        check(lib.sov_context_reset(self._handle))

    def check(self) -> None:
        """Raises the error that a kernel left, if any."""
        check(lib.sov_context_status(self._handle))

    @property
    def fault(self) -> Optional[c.FaultDetails]:
        """Details of the error that a kernel left: kernel, cause, address, block, thread, instruction, source."""
        details = c.FaultDetails()
        result = lib.sov_context_get_fault(self._handle, ctypes.byref(details))
        if result == 9:
            return None
        check(result)
        return details

    @property
    def memory(self) -> Tuple[int, int]:
        """Free and total bytes of device memory."""
        free, total = ctypes.c_uint64(), ctypes.c_uint64()
        check(lib.sov_memory_info(self._handle, ctypes.byref(free), ctypes.byref(total)))
        return free.value, total.value

    def close(self) -> None:
        """Stops the context's work and frees everything in it."""
        self._finalizer()

    def __repr__(self) -> str:
        return f"<sov.Context on {self.device.name}>"


_callbacks: List[object] = []


def get_context() -> Context:
    """The current context; makes the process's own one on device 0 if there is none."""
    global _default
    _destroy_deferred()
    if current.contexts:
        return current.contexts[-1]
    with _default_lock:
        if _default is None or not _default._finalizer.alive:
            _default = Context(0)
        return _default
