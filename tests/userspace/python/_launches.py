# SPDX-License-Identifier: MIT
import ctypes

import numpy as np
import sov
from _tap import done, equal, ok, raises, same

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
STORE = HEAD + """
.visible .global .align 4 .u32 counter;
.visible .entry store(.param .{type} value, .param .u64 out) {{
	.reg .b{bits} %v; .reg .b64 %p;
	ld.param.b{bits} %v, [value]; ld.param.u64 %p, [out]; st.global.b{bits} [%p], %v; ret; }}
"""


def stored(value, kind, dtype):
    """What a kernel stores that has a parameter of PTX's type."""
    out = sov.zeros(1, dtype)
    sov.RawKernel(STORE.format(type=kind, bits=kind[1:]), "store")(1, 1, (value, out))
    return out.get()[0]


for value, kind, dtype, want in (
    (3, "u32", "u4", 3),
    (-3, "s32", "i4", -3),
    (2**32 - 1, "u32", "u4", 2**32 - 1),
    (2**63, "u64", "u8", 2**63),
    (-1, "s64", "i8", -1),
    (2.5, "f32", "f4", 2.5),
    (0.1, "f64", "f8", 0.1),
    (True, "u32", "u4", 1),
    (np.float32(0.1), "f32", "f4", 0.1),
    (np.int64(-5), "s64", "i8", -5),
    (np.array(1.5), "f64", "f8", 1.5),
    (ctypes.c_uint32(9), "u32", "u4", 9),
    (b"\1\0\0\0", "u32", "u4", 1),
    (None, "u64", "u8", 0),
):
    equal(stored(value, kind, dtype), np.array(want, dtype)[()], f"argument {value!r} arrives as a parameter .{kind}")

module = sov.RawModule(path="tests/kernels/saxpy.ptx")
equal(module.functions, ["saxpy_f32", "saxpy_f64"], "a module lists its kernels")
saxpy = module.get_function("saxpy_f32")
x, y = sov.asarray(np.arange(1024, dtype="f4")), sov.ones(1024, "f4")
saxpy((4,), (256,), (1000, 2.0, x, y))
want = np.where(np.arange(1024) < 1000, 2 * np.arange(1024) + 1, 1).astype("f4")
same(y.get(), want, "a kernel computes in arrays")
attributes = saxpy.attributes
ok(attributes["registers"] > 0 and attributes["parameters"] == 4, "a kernel has attributes")
equal(saxpy.occupancy(1024), 2, "a kernel has an occupancy")

counting = sov.RawModule(STORE.format(type="u32", bits=32))
counter = counting.get_global("counter", "u4")
counter.set(41)
equal((counter.shape, counter.get()[0]), ((1,), 41), "a variable of a module is an array")
kernel = counting.get_function("store")
kernel(1, 1, (42, counter))
equal(counter.get()[0], 42, "a kernel writes to a variable by its address")
del counting, kernel
equal(counter.get()[0], 42, "a variable keeps its module loaded")

lines, held = [], []


def hear(text):
    lines.append(text)
    held.clear()


with sov.Context(0, output=hear):
    held.append(sov.zeros(4))
    sov.RawKernel(HEAD + """
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[7] = {104, 101, 108, 108, 111, 10, 0};
.visible .entry say() {
	.reg .b64 %p; .reg .b32 %r;
	cvta.global.u64 %p, text;
	{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %p; st.param.b64 [a], 0;
	call.uni (r), vprintf, (f, a); ld.param.b32 %r, [r]; }
	ret; }
""", "say")(1, 1)
    sov.get_context().wait()
equal("".join(lines), "hello\n", "the output of printf() in a kernel reaches a Python function")
equal(held, [], "which may drop an array")

error = raises(sov.InvalidSource, "4:25: unknown instruction 'fly'",
               sov.RawModule(HEAD + ".visible .entry f() { ; fly.u32; }").compile,
               "source that is wrong is InvalidSource, with line and column")
equal(error and error.name, "SOV_ERROR_INVALID_SOURCE", "an exception names the result of the library")
ok(error and "unknown instruction 'fly'" in error.messages, "InvalidSource has the compiler's messages")
error = raises(sov.NotFound, "'nothing'", lambda: module.get_function("nothing"), "a kernel that is missing is NotFound")
ok(error and not str(error).startswith("'"), "the sentence of NotFound is not quoted")
raises(sov.NotFound, "'nothing'", lambda: module.get_global("nothing"), "a variable that is missing is NotFound")
for arguments, sentence in (
    ((1,), "kernel 'saxpy_f32' has 4 parameters, and 1 arguments are given"),
    ((1, 2.0, x, "y"), "kernel 'saxpy_f32', argument 3: str is no number"),
    ((1, 2.0, np.ones(3), y), "kernel 'saxpy_f32', argument 2: a numpy array is host memory"),
    ((1, np.float64(2), x, y), "kernel 'saxpy_f32', argument 1: 8 bytes are given"),
    ((2**32, 2.0, x, y), "kernel 'saxpy_f32', argument 0: 4294967296 does not fit the 4 bytes"),
    ((1, 2.0, x, b"abc"), "kernel 'saxpy_f32', argument 3: 3 bytes are given"),
):
    raises(sov.InvalidLaunch, sentence, lambda a=arguments: saxpy(4, 256, a), f"refused: {sentence}")
raises(sov.InvalidLaunch, "1025", lambda: saxpy(1, 1025, (1, 2.0, x, y)), "a block that is too large is InvalidLaunch")
raises(ValueError, "grid 0 has a length", lambda: saxpy(0, 1, (1, 2.0, x, y)), "an empty grid is refused")
raises(ValueError, "block (1, 2, 3, 4) is not", lambda: saxpy(1, (1, 2, 3, 4), ()), "a block of four dimensions is refused")
raises(FileNotFoundError, "none.ptx", lambda: sov.RawModule(path="none.ptx"), "a file that is missing is named")
raises(TypeError, "either code or path", sov.RawModule, "a module needs code or a path")
raises(sov.NoDevice, "", lambda: sov.Device(99), "an ordinal beyond the last device is NoDevice")
with sov.Context(0):
    raises(sov.InvalidLaunch, "belongs to another context", lambda: saxpy(4, 256, (1, 2.0, x, y)),
           "an array of another context is refused")

context = sov.get_context()


def beyond():
    saxpy(4, 1024, (4096, 2.0, x, y))
    context.wait()


raises(sov.Fault, "kernel 'saxpy_f32' on gh100.0: global load of 4 bytes", beyond,
       "a kernel that reads beyond its memory is a Fault that names kernel and address")
raises(sov.Fault, "saxpy_f32", context.check, "a Fault stays until the context is reset")
equal(context.fault and context.fault.kernel, b"saxpy_f32", "the details of a fault name the kernel")
context.reset()
ok(context.fault is None, "after reset() the context has no error")
same(x.get(), np.arange(1024, dtype="f4"), "memory keeps its contents over a reset")
raises(sov.Hang, "its limit of 0.050 s",
       lambda: (sov.RawKernel(HEAD + ".visible .entry spin() { l: bra l; }", "spin")(1, 1, time_limit=0.05), context.wait()),
       "a kernel beyond its time limit is a Hang")
context.reset()
done()
