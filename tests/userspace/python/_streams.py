# SPDX-License-Identifier: MIT
import threading

import numpy as np
import sov
from _tap import done, equal, ok, raises, same

module = sov.RawModule(path="tests/kernels/saxpy.ptx")
saxpy = module.get_function("saxpy_f32")
x, y = sov.asarray(np.arange(1024, dtype="f4")), sov.ones(1024, "f4")

with sov.Stream() as first, sov.Event() as ready:
    saxpy(4, 256, (1024, 1.0, x, y))
with sov.Stream(priority=0) as second:
    second.wait_event(ready)
    saxpy(4, 256, (1024, 1.0, x, y))
    with sov.Event() as finished:
        pass
finished.wait()
same(y.get(stream=second), 2 * np.arange(1024, dtype="f4") + 1, "a stream waits for the event of another")
ok(finished.done and second.done, "a stream whose event is reached is done")
first.wait(1.0)
ok(first.done, "a stream for which the program waited is done")
saxpy(4, 256, (1024, 1.0, x, y), stream=first)
first.wait()
same(y.get(), 3 * np.arange(1024, dtype="f4") + 1, "a launch takes its stream as an argument")

start = sov.Event().record()
saxpy(4, 256, (1024, 1.0, x, y))
end = sov.Event().record()
end.wait()
ok(end.elapsed_since(start) > 0, "two events measure GPU time")
raises(sov.InvalidArgument, "never recorded", sov.Event().wait, "a wait for an event that was not recorded is refused")
raises(sov.InvalidArgument, "DISABLE_TIMING", lambda: end.elapsed_since(sov.Event(timing=False).record()),
       "an event without timing measures nothing")

try:
    with sov.Event() as unrecorded:
        raise KeyError
except KeyError:
    pass
raises(sov.InvalidArgument, "never recorded", unrecorded.wait, "an event whose block raised is not recorded")

spin = sov.RawKernel(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry spin() { l: bra l; }", "spin")
with sov.Context(0) as other:
    spin(1, 1, time_limit=30)
    raises(sov.WaitTimeout, "within 0.06 s", lambda: other.wait(0.06), "a wait ends at its limit")
    equal(sov.get_context() is other, True, "a context is current inside its block")
    mine = sov.Stream()
    other.reset()
    spin(1, 1, stream=mine, time_limit=30)
    ok(not mine.done, "a stream with a running kernel is not done")
    raises(ValueError, "timeout -1", lambda: mine.wait(-1), "a negative timeout is refused")
    other.reset()
ok(sov.get_context() is not other, "after its block another context is current")
other.close()
raises(sov.InvalidHandle, "was closed", other.wait, "a closed context is refused")
raises(sov.InvalidHandle, "was closed", mine.wait, "a stream of a closed context is refused")
second.close()
raises(sov.InvalidHandle, "was closed", second.wait, "a closed stream is refused")

results = []


def work(n):
    with sov.Stream():
        mine = sov.zeros(1024, "f4")
        for _ in range(n):
            saxpy(4, 256, (1024, 1.0, x, mine))
        results.append((mine.get() == n * np.arange(1024)).all())


threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2, 3, 4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
equal(results, [True] * 4, "four threads use a stream each")
done()
