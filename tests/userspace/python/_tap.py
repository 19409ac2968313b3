# SPDX-License-Identifier: MIT
"""TAP for Python, as tests/tap.sh has it for the shell."""

import sys

_count = _failed = 0


def ok(passed, name):
    global _count, _failed
    _count += 1
    _failed += not passed
    print(("ok" if passed else "not ok"), _count, "-", name, flush=True)
    return passed


def equal(got, want, name):
    if not ok(got == want, name):
        print(f"# got:  {got!r}\n# want: {want!r}")


def same(got, want, name):
    """Arrays with the same type and elements."""
    if not ok(got.dtype == want.dtype and got.shape == want.shape and (got == want).all(), name):
        print(f"# got:  {got!r}\n# want: {want!r}".replace("\n ", "\n# "))


def raises(kind, text, call, name):
    """call() raises the kind of exception, whose sentence has the text."""
    try:
        call()
    except Exception as error:  # pylint: disable=broad-except
        if not ok(type(error) is kind and text in str(error), name):
            print(f"# got:  {type(error).__name__}: {error}\n# want: {kind.__name__}: …{text}…")
        return error
    ok(False, name)
    print(f"# got:  no exception\n# want: {kind.__name__}: …{text}…")
    return None


def skip(name, reason):
    global _count
    _count += 1
    print(f"ok {_count} - {name} # SKIP {reason}")


def done():
    print(f"1..{_count}")
    sys.exit(_failed > 0)
