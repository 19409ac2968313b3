# SPDX-License-Identifier: MIT
import gc

import numpy as np
import sov
from _tap import done, equal, ok, raises, same

for dtype in "?bBhHiIlLefdFD":
    values = np.arange(60).reshape(3, 4, 5).astype(dtype)
    same(sov.asarray(values).get(), values, f"an array of numpy's type {dtype} comes back unchanged")
record = np.array([(1, 2.5), (3, 4.5)], np.dtype([("n", "<i4"), ("x", "<f8")]))
same(sov.asarray(record).get(), record, "an array of records comes back unchanged")
same(sov.asarray([[1, 2], [3, 4]], "f4").get(), np.array([[1, 2], [3, 4]], "f4"), "a list becomes an array of the given type")
same(sov.asarray(np.arange(10)[::3]).get(), np.arange(10)[::3], "an array with steps is copied in order")
same(sov.asarray(np.array(7)).get(), np.array(7), "an array without dimensions has one element")
same(sov.empty((0, 3), "f4").get(), np.empty((0, 3), "f4"), "an array without elements needs no memory")
array = sov.asarray(np.arange(4))
ok(sov.asarray(array) is array, "asarray of an array is that array")
same(sov.asarray(array, "f4").get(), np.arange(4, dtype="f4"), "asarray converts the type of an array")

for dtype, value in (("u1", 200), ("f2", 1.5), ("i4", -7), ("f4", 0.1), ("f8", 0.1), ("f8", 0), ("c16", 1 - 2j), ("i8", -1)):
    same(sov.full((3, 5), value, dtype).get(), np.full((3, 5), value, dtype), f"full() with {value} of type {dtype}")
same(sov.zeros_like(array).get(), np.zeros_like(array.get()), "zeros_like() has type and shape of its argument")
same(sov.ones(3, "f4").get(), np.ones(3, "f4"), "ones() has ones")
same(array.set(np.int8(9)).get(), np.full(4, 9), "set() broadcasts and casts as numpy does")
copy = array.copy()
array.fill(1)
same(copy.get(), np.full(4, 9), "copy() has memory of its own")

grid = sov.asarray(np.arange(24).reshape(4, 6))
host = grid.get()
same(grid[1].get(), host[1], "an index is a view of a row")
same(grid[-1].get(), host[-1], "an index from the end is a view of a row")
same(grid[1:3].get(), host[1:3], "a slice is a view of rows")
same(grid[3:1].get(), host[3:1], "an empty slice is an empty view")
same(grid.reshape(2, -1).get(), host.reshape(2, -1), "reshape() finds the missing length")
same(grid.view("u4").get(), host.view("u4"), "view() changes the type of the elements")
grid[2].fill(5)
same(grid.get()[2], np.full(6, 5), "a fill of a view writes to the array")
equal((grid.ndim, grid.size, grid.nbytes, len(grid)), (2, 24, 192, 4), "an array has numpy's attributes")
same(grid.map(), grid.get(), "map() shows the array's memory")
grid.map()[0, 0] = 77
equal(grid.get()[0, 0], 77, "a write to mapped memory is a write to the array")
same(grid[1:3].map(), grid.get()[1:3], "map() of a view shows the view")
out = np.empty((4, 6), host.dtype)
ok(grid.get(out) is out and out[0, 0] == 77, "get() copies into a given array")
pinned = sov.pinned_empty((2, 3), "f4")
pinned[:] = 3
same(sov.asarray(pinned).get(), pinned, "pinned memory is a numpy array")

raises(IndexError, "the step of the slice is 2", lambda: grid[::2], "a slice with a step is refused")
raises(IndexError, "index 4 is outside of 4 elements", lambda: grid[4], "an index beyond the end is refused")
raises(ValueError, "cannot reshape", lambda: grid.reshape(5, 5), "a wrong shape is refused")
raises(ValueError, "no whole number", lambda: sov.ones(3, "u1").view("u2"), "a view that does not fit is refused")
raises(ValueError, "shape (-1,) has a negative length", lambda: sov.empty(-1), "a negative length is refused")
raises(TypeError, "Python objects", lambda: sov.asarray(np.array([None])), "Python objects are refused")
raises(ValueError, "out is not", lambda: grid.get(np.empty(3)), "get() into an array of another shape is refused")
raises(TypeError, "no length", lambda: len(sov.asarray(1)), "an array without dimensions has no length")
raises(sov.OutOfMemory, "1125899906842624", lambda: sov.empty(1 << 50, "u1"), "more memory than the device has is OutOfMemory")

del grid, array, copy
gc.collect()
free = sov.get_context().memory[0]
for _ in range(20):
    sov.empty(1 << 20, "u1")
gc.collect()
equal(sov.get_context().memory[0], free, "memory of arrays that are gone is free again")
done()
