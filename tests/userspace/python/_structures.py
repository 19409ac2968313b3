# SPDX-License-Identifier: MIT
import os
import re
import subprocess
import tempfile

import sov
from _tap import done, equal, ok
from sov import _library

lines = []
want = []
for name, structure in _library.STRUCTURES.items():
    lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
    want.append(f"{name} {_library.ctypes.sizeof(structure)}")
    for member, *_ in structure._fields_:
        lines.append(f'printf("{name}.{member} %zu\\n", offsetof({name}, {member}));')
        want.append(f"{name}.{member} {getattr(structure, member).offset}")
with tempfile.TemporaryDirectory() as folder:
    program = os.path.join(folder, "offsets")
    source = "#include <stdio.h>\n#include <sov.h>\nint main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n"
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    subprocess.run(["cc", "-Ilibsov", "-x", "c", "-o", program, "-"], input=source, text=True, check=True, env=environment)
    got = subprocess.run([program], text=True, check=True, capture_output=True, env=environment).stdout.split("\n")[:-1]
equal([line for line in want if line not in got], [], "structures have the offsets and sizes of sov.h")
equal(len(got), len(want), "every member is compared")

with open("libsov/sov.h", encoding="ascii") as file:
    header = file.read()
version = [re.search(rf"SOV_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR")]
equal(sov.__version__, ".".join(version + ["0"]), "the package has the version of sov.h")
results = {int(n): name for name, n in re.findall(r"(SOV_\w+) = (\d+)", re.search(r"SOV_OK.*?sov_result;", header, re.S)[0])}
named = {n: name for n, name in ((n, _library.lib.sov_result_name(n).decode()) for n in _library.CLASSES)}
equal({n: name for n, name in named.items() if results.get(n) != name}, {}, "exceptions stand for the results of sov.h")
ok(all(f"{name}(" in header for name in _library._PROTOTYPES), "every function is declared by sov.h")
done()
