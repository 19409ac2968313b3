# SPDX-License-Identifier: MIT
"""sov top on a pseudo-terminal, with a process between that starts and continues it, as a shell with job control does."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import termios
import time

sys.path.insert(0, "tests/userspace/python")
from _tap import done, equal, ok  # noqa: E402

SOV, MACHINE = sys.argv[1:]
LIMIT = 120  # seconds of a wait that should end soon
SCREEN, BACK, NO_CURSOR, CURSOR = "\033[?1049h", "\033[?1049l", "\033[?25l", "\033[?25h"


class Terminal:
    """A terminal with sov top in the foreground; `report` has a line for each change of its state."""

    def __init__(self, command, environment=()):
        self.output = ""
        report, write = os.pipe()
        self.leader, self.master = pty.fork()
        if not self.leader:
            lead(write, command, dict(os.environ, TERM="xterm", **dict(environment)))
        os.close(write)
        self.report = os.fdopen(report)
        self.child = int(self.state())
        self.resize(24, 80)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.master, keys)

    def state(self):
        """Waits for the next change of the program's state, and takes its output meanwhile."""
        end = time.monotonic() + LIMIT
        while not select.select([self.report], [], [], 0)[0]:
            if time.monotonic() > end or not self.read() and not select.select([self.report], [], [], LIMIT)[0]:
                return "nothing changed"
        return self.report.readline().strip()

    def read(self):
        ready = select.select([self.master, self.report], [], [], LIMIT)[0]
        if self.master in ready:
            try:
                self.output += os.read(self.master, 65536).decode(errors="replace")
            except OSError:  # the last process has closed the terminal
                return False
        return bool(ready)

    def until(self, text):
        """Waits for the text, and returns the output up to it; the rest stays."""
        end = time.monotonic() + LIMIT
        while text not in self.output and self.read() and time.monotonic() < end:
            pass
        before, found, self.output = self.output.partition(text)
        return before + found if found else ""

    def keys(self):
        """Whether the program gets each key at once, and whether the terminal shows keys."""
        flags = termios.tcgetattr(self.master)[3]
        return not flags & termios.ICANON, bool(flags & termios.ECHO)

    def end(self):
        for pid in (self.child, self.leader):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os.waitpid(self.leader, 0)
        os.close(self.master)
        self.report.close()


def lead(write, command, environment):
    """In the session's leader: runs the command in the foreground, reports its states, ends with it."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        for number in (signal.SIGTTOU, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        os.execve(command[0], command, environment)
    os.write(write, f"{child}\n".encode())
    while True:
        _, status = os.waitpid(child, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            os.write(write, f"stopped by {signal.Signals(os.WSTOPSIG(status)).name}\n".encode())
        elif os.WIFSIGNALED(status):
            os.write(write, f"ended by {signal.Signals(os.WTERMSIG(status)).name}\n".encode())
            os._exit(0)
        else:
            os.write(write, f"exited with {os.WEXITSTATUS(status)}\n".encode())
            os._exit(0)


def top(machine=MACHINE, environment=()):
    t = Terminal([SOV, "top", "--interval", "0.2", "--root", machine], environment)
    t.first = t.until("q quit")
    return t


def is_given_back(t):
    out = t.output
    return out.rfind(BACK) > out.rfind(SCREEN) and out.rfind(CURSOR) > out.rfind(NO_CURSOR) and t.keys() == (False, True)


# ^Z, and back.
t = top()
ok(SCREEN in t.first and NO_CURSOR in t.first, "sov top takes another screen")
equal(t.keys(), (True, False), "it gets each key at once, and keys are not shown")
t.output = ""
t.type(b"\x1a")
equal(t.state(), "stopped by SIGTSTP", "^Z stops it")
t.until(BACK)
t.output = CURSOR + BACK
ok(is_given_back(t), "the stopped program has given the terminal back")
os.kill(t.child, signal.SIGCONT)
ok(t.until(SCREEN) and t.until("q quit"), "continued, it draws its screen again")
equal(t.keys(), (True, False), "continued, it gets each key at once again")
equal(t.until("q quit").count(SCREEN), 0, "it takes the screen once")

# A stop that no program can catch.
os.kill(t.child, signal.SIGSTOP)
equal(t.state(), "stopped by SIGSTOP", "SIGSTOP stops it")
t.output = ""
settings = termios.tcgetattr(t.master)
settings[3] |= termios.ICANON | termios.ECHO
termios.tcsetattr(t.master, termios.TCSANOW, settings)
os.kill(t.child, signal.SIGCONT)
ok(t.until(SCREEN), "after SIGSTOP it takes its screen again")
t.until("q quit")
equal(t.keys(), (True, False), "and sets the terminal again")
t.output = ""
t.type(b"q")
equal(t.state(), "exited with 0", "then the key q ends it")
t.until(BACK)
equal(t.keys(), (False, True), "and the terminal is as it was at the start")
t.end()

# Signals that end it.
for key, number, state in (
    (b"\x1c", None, "ended by SIGQUIT"),
    (b"\x03", None, "exited with 0"),
    (b"", signal.SIGTERM, "ended by SIGTERM"),
    (b"", signal.SIGHUP, "ended by SIGHUP"),
):
    t = top()
    if number:
        os.kill(t.child, number)
    else:
        t.type(key)
    name = number.name if number else repr(key)
    equal(t.state(), state, f"{name}: {state}")
    if BACK not in t.output:
        t.output = t.until(BACK)
    ok(is_given_back(t), f"{name}: the terminal is given back")
    t.end()

# A signal that arrives while the program is not in its wait: it draws a screen that is not read yet and is larger than any buffer of a
# terminal. The program is paused, so that no time ends the wait that follows.
with tempfile.TemporaryDirectory() as machine:
    for pid in range(1000, 3000):
        folder = f"{machine}/proc/{pid}"
        os.makedirs(f"{folder}/task/{pid}")
        with open(f"{folder}/comm", "w") as f:
            f.write("many\n")
        with open(f"{folder}/task/{pid}/comm", "w") as f:
            f.write("sov:gh100\n")
        with open(f"{folder}/task/{pid}/stat", "w") as f:
            f.write(f"{pid} (sov:gh100) S 1 1 1 0 -1 4194304 1 0 0 0 7 5 0 0 20 0 1 0 1 1 1\n")
    t = top(machine)
    t.type(b"p")
    t.until("p continue")
    t.resize(2100, 200)
    t.until("p continue")
    t.type(b"s")
    select.select([t.master], [], [], LIMIT)

    def is_asleep():
        with open(f"/proc/{t.child}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "S"

    end = time.monotonic() + LIMIT
    while not is_asleep() and time.monotonic() < end:
        pass
    os.kill(t.child, signal.SIGTERM)
    equal(t.state(), "ended by SIGTERM", "a signal that arrives while it draws is not lost in the wait")
    t.end()

# What is written to standard error while the screen is there.
t = Terminal([SOV, "top", "--interval", "0.2"], {"SOV_LOG": "device", "SOV_NVRM": "0", "SOV_KMOD": "0"}.items())
t.until("q quit")
t.type(b"q")
equal(t.until(BACK).count("device: "), 0, "messages of the library do not appear on the screen")
ok(t.until("device: "), "but behind it")
t.state()
t.end()
done()
