#!/bin/sh
# SPDX-License-Identifier: MIT
# make silicon: everything that a machine with a GPU needs to judge our code, in one folder and one
# archive: our cubins, the PTX they come from, the runner, and the sources to compile them again
# there. What happens there is in run.sh.
set -eu
: "${BUILD:=build}"
out=$BUILD/silicon
rm -rf "$out" "$out.tar.gz"
mkdir -p "$out"
for kernel in saxpy reduce; do
	cp tests/kernels/$kernel.ptx "$out/"
	"$BUILD/sov" compile --target sm_90 -o "$out/$kernel.default.cubin" tests/kernels/$kernel.ptx
	"$BUILD/sov" compile --target sm_90 --serial -o "$out/$kernel.serial.cubin" tests/kernels/$kernel.ptx
done
cp tests/silicon/run.sh tests/silicon/runner.c tests/silicon/reference.h "$out/"
git -c safe.directory='*' ls-files -z --cached --others --exclude-standard | tar -czf "$out/source.tar.gz" --null -T -
tar -czf "$out.tar.gz" -C "$BUILD" silicon
echo "$out.tar.gz: unpack it on a machine with a Hopper GPU, a C compiler and make, and run silicon/run.sh there"
