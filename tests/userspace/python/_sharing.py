# SPDX-License-Identifier: MIT
import dataclasses
import gc
import importlib
import sys

import numpy as np
import sov
from _tap import done, equal, ok, raises, same, skip

saxpy = sov.RawModule(path="tests/kernels/saxpy.ptx").get_function("saxpy_f32")
context = sov.get_context()
ones = sov.ones(4096, "f4")


def add_one(array):
    saxpy(array.size // 256, 256, (array.size, 1.0, ones, array))
    context.wait()


array = sov.asarray(np.arange(2048, dtype="f4").reshape(2, 1024))
equal(array.__dlpack_device__(), (1, 0), "an array of a software GPU is host memory for DLPack")
host = np.from_dlpack(array)
same(host, array.get(), "numpy takes an array by DLPack")
add_one(array)
same(host, array.get(), "numpy sees what a kernel writes after the exchange")
view = np.from_dlpack(array[1])
same(view, host[1], "numpy takes a view by DLPack")
free = context.memory[0]
del array
gc.collect()
equal(context.memory[0], free, "memory that a consumer holds is not freed")
same(view, np.arange(1025, 2049, dtype="f4"), "the consumer keeps the memory")


class Versioned:
    """Asks for version 1, as newer consumers do."""

    def __init__(self, of):
        self.of = of

    def __dlpack__(self, stream=None, **_):
        return self.of.__dlpack__(max_version=(1, 0))

    def __dlpack_device__(self):
        return self.of.__dlpack_device__()


array = sov.asarray(np.arange(6, dtype="i2").reshape(2, 3))
ok("dltensor_versioned" in repr(array.__dlpack__(max_version=(1, 1))), "a consumer of version 1 gets version 1")
ok('"dltensor"' in repr(array.__dlpack__()), "a consumer of version 0 gets version 0")
if int(np.__version__.split(".")[0]) >= 2:
    same(np.from_dlpack(Versioned(array)), array.get(), "numpy takes version 1")
else:
    skip("numpy takes version 1", f"numpy {np.__version__} knows version 0")
same(sov.from_dlpack(Versioned(array)).get(), array.get(), "from_dlpack() takes version 1")
for _ in range(100):
    array.__dlpack__()  # dropped without a consumer
from sov import _dlpack  # noqa: E402

del host, view
gc.collect()
_dlpack.sweep()
equal(len(_dlpack._exported), 0, "tensors that no consumer holds are given back")
copied = _dlpack.Imported(array.__dlpack__(copy=True, max_version=(1, 0)))
ok(copied.copied, "a copy that was asked for is said to be one")
shared = _dlpack.Imported(array.__dlpack__(max_version=(1, 0)))
ok(not shared.copied and copied.address != shared.address, "memory that is shared is not said to be a copy")
del copied, shared
raises(BufferError, "device (1, 0) and not on (2, 0)", lambda: array.__dlpack__(dl_device=(2, 0)),
       "an export to another device is refused")
raises(BufferError, "no type", lambda: sov.empty(2, "V6").__dlpack__(), "records are no DLPack type")
raises(BufferError, "no type", lambda: sov.empty(2, ">f4").__dlpack__(), "nor are numbers of the other byte order")


# A device of software in the role of hardware: what an array says of its memory does not change when the process maps it.
with sov.Context() as card:
    card.device.properties = dataclasses.replace(card.device.properties, software=False)
    own = sov.asarray(np.arange(6, dtype="i2"))
    device = (_dlpack.CUDA, card.device.properties.ordinal)
    equal(own.__dlpack_device__(), device, "an array of hardware is on a device of CUDA")
    adopted = sov.from_dlpack(own)
    equal(adopted.ptr, own.ptr, "the context takes its own memory back by DLPack")
    for name, of in (("an array", own), ("an array that was taken by DLPack", adopted), ("a view", own[2:])):
        of.map()
        equal(of.__dlpack_device__(), device, f"map() does not make {name} of hardware host memory")
    exported = _dlpack.Imported(own.__dlpack__(max_version=(1, 0)))
    equal((exported.device, exported.address, exported.copied), (device, own.ptr, False), "it is exported where it is")
    exported = _dlpack.Imported(own.__dlpack__(max_version=(1, 0), copy=True))
    equal((exported.device, exported.copied), (device, True), "a copy of it is a copy on the device")
    exported = _dlpack.Imported(own.__dlpack__(max_version=(1, 0), dl_device=(1, 0)))
    equal((exported.device, exported.copied), ((1, 0), True), "on the host it is a copy")
    raises(BufferError, "and not on (1, 0)", lambda: own.__dlpack__(dl_device=(1, 0), copy=False), "which may be forbidden")
    host = np.arange(3000.0)
    pinned = sov.from_dlpack(host)
    equal(pinned.__dlpack_device__(), (1, 0), "memory of the host that hardware reaches is host memory")
    exported = _dlpack.Imported(pinned.__dlpack__(max_version=(1, 0), copy=True))
    equal((exported.device, exported.copied), ((1, 0), True), "and so is its copy")
    ok(exported.address != host.ctypes.data, "which lies elsewhere")
    del own, adopted, of, exported, pinned
    gc.collect()
card.close()


class OfCard:
    """Memory that numpy refuses, with an exception of its own."""

    def __dlpack__(self, **versions):
        return _dlpack.export(array, array.ptr, (6,), np.dtype("i2"), (_dlpack.CUDA, 0), False)

    def __dlpack_device__(self):
        return _dlpack.CUDA, 0


refusal = BufferError if int(np.__version__.split(".")[0]) >= 2 else RuntimeError
raises(refusal, "evice", lambda: np.from_dlpack(OfCard()), "numpy's own error reaches the caller")
_dlpack.sweep()
equal(len(_dlpack._exported), 0, "a tensor that numpy refused is given back")
ok(not hasattr(array, "__cuda_array_interface__"), "an array of a software GPU is no CUDA array")

for dtype in "bBhHiIlLefdFD":
    same(np.from_dlpack(sov.ones(3, dtype)), np.ones(3, dtype), f"type {dtype} goes by DLPack")

host = np.arange(100_000, dtype="f4")
shared = sov.from_dlpack(host)
equal(shared.ptr, host.ctypes.data, "from_dlpack() of host memory is the same memory")
add_one(shared[:1024])
same(host[:1025], np.append(np.arange(1, 1025, dtype="f4"), np.float32(1024)), "a kernel writes to numpy's memory")
raises(sov.InvalidArgument, "pinned already", lambda: sov.from_dlpack(host), "the same memory is not shared twice")
before = sys.getrefcount(host)
del shared
gc.collect()
equal(sys.getrefcount(host), before - 1, "numpy's array is given back")
ok(sov.from_dlpack(host) is not None, "memory that was given back may be shared again")
raises(BufferError, "not C-contiguous", lambda: sov.from_dlpack(host[::2]), "memory with steps is refused")
frozen = np.arange(4096.0)
frozen.flags.writeable = False
# numpy itself refuses, or says so in the capsule.
try:
    sov.from_dlpack(frozen)
    ok(False, "read-only memory is refused")
except BufferError as error:
    ok("read" in str(error), "read-only memory is refused")
raises(BufferError, "device type 7", lambda: sov.from_dlpack(type("Other", (), {"__dlpack_device__": lambda s: (7, 0)})()),
       "a device that is no GPU is refused")


class Cuda:
    """An array of CUDA's interface."""

    def __init__(self, address, shape, typestr="<f4", **more):
        self.__cuda_array_interface__ = {
            "shape": shape, "typestr": typestr, "data": (address, False), "version": 3, **more}


base = sov.asarray(np.arange(8, dtype="f4"))
taken = sov.asarray(Cuda(base.ptr + 8, (2, 2)))
same(taken.get(), np.array([[2, 3], [4, 5]], "f4"), "memory of the context is taken by __cuda_array_interface__")
taken.fill(9)
equal(base.get()[2], 9, "what is taken by __cuda_array_interface__ is not a copy")
raises(sov.InvalidAddress, "are not memory of <sov.Context", lambda: sov.asarray(Cuda(0x1000, (4,))), "foreign memory is refused")
raises(sov.InvalidAddress, "are not memory of", lambda: sov.asarray(Cuda(base.ptr, (9,))), "memory beyond the end is refused")
raises(BufferError, "not C-contiguous", lambda: sov.asarray(Cuda(base.ptr, (2,), strides=(8,))), "strides are refused")
raises(BufferError, "read-only",
       lambda: sov.asarray(Cuda(base.ptr, (2,), data=(base.ptr, True))), "read-only memory of CUDA is refused")

for name, make in (("torch", lambda m: m.arange(2048.0)), ("cupy", None)):
    try:
        library = importlib.import_module(name)
    except ImportError:
        skip(f"{name} shares memory", f"{name} is not installed")
        continue
    if make is None:
        skip(f"{name} shares memory", f"{name} needs memory of a GPU")
        continue
    theirs = make(library)
    ours = sov.from_dlpack(theirs)
    add_one(ours)
    ok(bool((theirs == library.arange(2048.0) + 1).all()), f"a kernel writes to memory of {name}")
    back = library.from_dlpack(base)
    base.fill(3)
    context.wait()
    ok(bool((back == 3).all()), f"{name} sees memory of a software GPU")
done()
