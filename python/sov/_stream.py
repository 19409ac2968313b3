# SPDX-License-Identifier: MIT
"""Streams and events."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Optional, Type

from . import _library as c
from ._context import Context, Handle, current, get_context
from ._library import NOT_READY, check, lib

if TYPE_CHECKING:
    from types import TracebackType


class Stream(Handle):
    """
    A sequence of work. Kernels and copies inside `with stream:` go to it; elsewhere they go to the context's first
    stream. There is no order between streams unless wait_event makes one.
    """

    def __init__(self, *, priority: int = 0, context: Optional[Context] = None) -> None:
        context = context or get_context()
        handle = ctypes.c_void_p()
        check(lib.sov_stream_create_with_priority(context._handle, 0, priority, ctypes.byref(handle)))
        super().__init__(context, handle, lib.sov_stream_destroy)

    def __enter__(self) -> "Stream":
        self._handle  # refuses a closed one
        current.streams.append(self)
        current.contexts.append(self.context)
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional["TracebackType"]
    ) -> None:
        if current.streams:
            current.streams.pop()
            current.contexts.pop()

    def wait(self, timeout: Optional[float] = None) -> None:
        """Waits for the stream's work; timeout in seconds."""
        c.wait(lib.sov_stream_wait, self._handle, timeout)

    @property
    def done(self) -> bool:
        """Whether all work of the stream is complete; never waits."""
        result = lib.sov_stream_wait(self._handle, 0)
        if result != NOT_READY:
            check(result)
        return result != NOT_READY

    def wait_event(self, event: "Event") -> None:
        """Later work on this stream waits for the event's most recent record."""
        check(lib.sov_stream_wait_event(self._handle, event._handle))

    def __repr__(self) -> str:
        return f"<sov.Stream of {self.context!r}>"


class Event(Handle):
    """
    A point in a stream's work. `with Event() as done:` records it at the end of the block, on the current stream.
    """

    def __init__(self, *, timing: bool = True, context: Optional[Context] = None) -> None:
        context = context or get_context()
        handle = ctypes.c_void_p()
        check(lib.sov_event_create(context._handle, 0 if timing else 1, ctypes.byref(handle)))
        super().__init__(context, handle, lib.sov_event_destroy)

    def __enter__(self) -> "Event":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional["TracebackType"]
    ) -> None:
        if kind is None:
            self.record()

    def record(self, stream: Optional[Stream] = None) -> "Event":
        """Marks the end of the work that the stream, by default the current one, has now."""
        check(lib.sov_event_record(self._handle, stream_handle(self.context, stream)))
        return self

    def wait(self, timeout: Optional[float] = None) -> None:
        """Waits for the most recent record; timeout in seconds."""
        c.wait(lib.sov_event_wait, self._handle, timeout)

    @property
    def done(self) -> bool:
        """Whether the GPU has reached the most recent record; never waits."""
        result = lib.sov_event_wait(self._handle, 0)
        if result != NOT_READY:
            check(result)
        return result != NOT_READY

    def elapsed_since(self, start: "Event") -> float:
        """Seconds of GPU time between the records of two events, both of which are complete."""
        nanoseconds = ctypes.c_uint64()
        check(lib.sov_event_elapsed(start._handle, self._handle, ctypes.byref(nanoseconds)))
        return nanoseconds.value * 1e-9

    def __repr__(self) -> str:
        return f"<sov.Event of {self.context!r}>"


def stream_handle(context: Context, stream: Optional[Stream] = None) -> ctypes.c_void_p:
    """The handle of a stream of the context: the given one, the current one, or the first."""
    if stream is None and current.streams and current.streams[-1].context is context:
        stream = current.streams[-1]
    if stream is not None:
        return stream._handle
    handle = ctypes.c_void_p()
    check(lib.sov_context_get_stream(context._handle, ctypes.byref(handle)))
    return handle
