# SPDX-License-Identifier: MIT
import multiprocessing
import os

import numpy as np
import sov
from _tap import done, equal, ok, raises, same

saxpy = sov.RawModule(path="tests/kernels/saxpy.ptx").get_function("saxpy_f32")
x = sov.asarray(np.arange(1024, dtype="f4"))
y = sov.ones(1024, "f4")
saxpy(4, 256, (1024, 2.0, x, y))
stream, event = sov.Stream(), sov.Event().record()


def refusal(call):
    try:
        call()
    except sov.InvalidHandle as error:
        return "fork() does not share GPU work" in str(error)
    return False


def child(pipe):
    pipe.send([refusal(call) for call in (y.get, lambda: y.fill(0), stream.wait, event.wait, y.map, y.copy)])
    mine = sov.asarray(np.arange(1024, dtype="f4"))
    out = sov.zeros(1024, "f4")
    saxpy(4, 256, (1024, 3.0, mine, out))
    pipe.send(out.get())
    try:
        saxpy(4, 256, (1024, 3.0, x, out))
    except sov.InvalidLaunch as error:
        pipe.send(str(error))


here, there = multiprocessing.Pipe()
with stream:  # the child is forked with a current stream of its parent
    process = multiprocessing.get_context("fork").Process(target=child, args=(there,))
    process.start()


def answer():
    return here.recv() if here.poll(60) else None


equal(answer(), [True] * 6, "every object of the parent is refused in the child, with fork() in the sentence")
got = answer()
same(got if got is not None else np.empty(0), 3 * np.arange(1024, dtype="f4"), "a kernel that the parent loaded runs in the child")
ok("belongs to another context" in (answer() or ""), "an array of the parent is no argument in the child")
process.join(60)
equal(process.exitcode, 0, "the child ends")
same(y.get(), 2 * np.arange(1024, dtype="f4") + 1, "the parent's memory is as it was")
saxpy(4, 256, (1024, 2.0, x, y))
same(y.get(), 4 * np.arange(1024, dtype="f4") + 1, "the parent works on")
raises(TypeError, "is not pickled", lambda: __import__("pickle").dumps(y), "an array is not pickled by its address")

pid = os.fork()
if not pid:
    del x, y, stream, event  # a child that drops its parent's objects leaves them alone
    os._exit(0)
equal(os.waitpid(pid, 0)[1], 0, "a child drops its parent's objects")
same(y.get(), 4 * np.arange(1024, dtype="f4") + 1, "which the parent still has")
done()
