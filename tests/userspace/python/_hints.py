# SPDX-License-Identifier: MIT
"""A program that mypy must accept, but for the lines that say which error they are."""

import numpy as np
import sov

context: sov.Context = sov.get_context()
kernel = sov.RawModule(path="tests/kernels/saxpy.ptx").get_function("saxpy_f32")
x: sov.Array = sov.asarray(np.arange(1024, dtype="f4"))
with sov.Stream() as stream, sov.Event() as done:
    kernel(4, 256, (1024, 2.0, x, x))
done.wait(timeout=10)
host: np.ndarray = x.get(stream=stream)
names: list = [d.properties.name for d in sov.devices()]
try:
    context.wait()
except sov.Fault as fault:
    print(fault.name, fault.messages)
x.get(out=5)  # error: arg-type
x.reshap(2, 2)  # error: attr-defined
number: int = sov.ones(3)  # error: assignment
sov.Stream(priority="high")  # error: arg-type
sov.emty(3)  # error: attr-defined
