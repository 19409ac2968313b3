# SPDX-License-Identifier: MIT
"""Devices: GPUs and software GPUs."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import List, Tuple, Union

from . import _library as c
from ._library import check, lib

_FEATURES = ("f64", "f16", "software", "hazard-check", "timestamps")
SOFTWARE = 1 << 2


@dataclass(frozen=True)
class Properties:
    """What a device is; the members are those of sov_device_properties."""

    ordinal: int
    name: str
    product: str
    target: str
    winsys: str
    driver: str
    features: Tuple[str, ...]
    software: bool
    warp_size: int
    multiprocessors: int
    max_threads_per_block: int
    max_block: Tuple[int, ...]
    max_grid: Tuple[int, ...]
    max_shared_per_block: int
    shared_per_multiprocessor: int
    registers_per_multiprocessor: int
    max_threads_per_multiprocessor: int
    memory_bytes: int
    min_priority: int
    max_priority: int
    max_cluster_blocks: int
    l2_bytes: int


def _python(value: object) -> object:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, ctypes.Array):
        return tuple(value)
    return value


class Device:
    """A device, by its ordinal or its name ("gh100.0")."""

    def __init__(self, which: Union[int, str] = 0) -> None:
        self._handle = ctypes.c_void_p()
        if isinstance(which, str):
            check(lib.sov_device_open_name(which.encode(), ctypes.byref(self._handle)))
        else:
            check(lib.sov_device_open(which, ctypes.byref(self._handle)))
        raw = c.DeviceProperties()
        check(lib.sov_device_get_properties(self._handle, ctypes.byref(raw)))
        members = {name: _python(getattr(raw, name)) for name, *_ in raw._fields_}
        del members["size"]
        members["features"] = tuple(f for i, f in enumerate(_FEATURES) if raw.features >> i & 1)
        self.properties = Properties(software=bool(raw.features & SOFTWARE), **members)  # type: ignore[arg-type]

    @property
    def name(self) -> str:
        return self.properties.name

    def __repr__(self) -> str:
        return f"<sov.Device {self.name}: {self.properties.product}, by {self.properties.winsys}>"


def devices() -> List[Device]:
    """All visible devices, in the order of their ordinals."""
    count = ctypes.c_uint32()
    check(lib.sov_device_count(ctypes.byref(count)))
    return [Device(i) for i in range(count.value)]
