#!/bin/sh
# SPDX-License-Identifier: MIT
# A person's path on a clean Debian: from apt install ./*.deb to the first kernel from Python, command by command, each with its
# time. Prints TAP. Not part of make check: it needs root and Debian's archive.
#   usage: tests/clean/first_kernel.sh        environment: see tests/clean/_chroot.sh
set -eu
name=first_kernel
. tests/clean/_chroot.sh
. tests/tap.sh
build_debs
make_chroot
# The packages that a person wants first; the rest is for development.
mkdir "$root/root/packages"
cp "$debs"/libsov0_*.deb "$debs"/python3-sov_*.deb "$debs"/sov-tools_*.deb "$root/root/packages/"
cp tests/kernels/saxpy.ptx "$root/root/"
cat >"$root/root/first.py" <<'END'
import numpy as np, sov
kernel = sov.RawModule(path="saxpy.ptx").get_function("saxpy_f32")
x = sov.asarray(np.arange(1024, dtype="f4"))
y = sov.ones(1024, "f4")
kernel(4, 256, (1024, 2.0, x, y))
print(y.get(), "on", y.context.device.name)
END
total=0
step() { # COMMAND TEXT
	echo "# \$ $1"
	start=$(date +%s%N)
	status=0
	inside sh -c "cd /root && $1" >"$work/out" 2>&1 || status=$?
	took=$((($(date +%s%N) - start) / 1000000))
	total=$((total + took))
	[ "$status" -eq 0 ] || diag "$(tail -n 10 "$work/out")"
	ok "$status" "$1"
	echo "# $took ms"
}
step "apt-get install -y --no-install-recommends ./packages/*.deb"
step "sov devices"
has "$(cat "$work/out")" "gh100.0" "there is a device without a GPU"
step "python3 first.py"
is "$(cat "$work/out")" "[1.000e+00 3.000e+00 5.000e+00 ... 2.043e+03 2.045e+03 2.047e+03] on gh100.0" "the first kernel computes"
[ "$total" -lt 300000 ] && slow=0 || slow=1
ok $slow "the first kernel from Python takes less than five minutes"
echo "# $total ms in all"
tap_done
