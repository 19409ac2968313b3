#!/bin/sh
# SPDX-License-Identifier: MIT
# make silicon: packs everything that a machine with a GPU needs to test our code into one folder
# and one archive: our cubins, their PTX, the test programs, and the sources to compile them again
# there. run.sh is the program that runs on that machine.
set -eu
: "${BUILD:=build}"
out=$BUILD/silicon
rm -rf "$out" "$out.tar.gz"
tests=tests/userspace/compiler/ptx
mkdir -p "$out/$tests/instructions"

# Compiles a PTX file in default and in serial mode and copies the source next to the cubins.
compile_both_modes() { # file, folder
	stem=$2/$(basename "$1" .ptx)
	"$BUILD/sov" compile --target sm_90 -o "$stem.default.cubin" "$1" &&
		"$BUILD/sov" compile --target sm_90 --serial -o "$stem.serial.cubin" "$1" &&
		cp "$1" "$2/"
}
for kernel in tests/kernels/saxpy tests/kernels/reduce tests/silicon/store tests/silicon/illegal; do
	compile_both_modes $kernel.ptx "$out"
done
mkdir -p "$out/kernels" "$out/tests/kernels"
for kernel in tests/kernels/*.ptx; do
	compile_both_modes "$kernel" "$out/kernels"
done
cp tests/kernels/work.h "$out/tests/kernels/"
for test in $tests/instructions/*.ptx; do
	if grep -q '^// machine code: not yet$' "$test"; then
		cp "$test" "$out/$tests/instructions/"
	elif ! grep -q '^// texture ' "$test"; then # CUDA's functions for textures are not called yet
		compile_both_modes "$test" "$out/$tests/instructions"
	fi
done
# Programs with functions, variables and stacks, which ptxas compiles on that machine. Needs a
# clang with the NVPTX back end.
for clang in clang-19 clang; do
	[ -e "$out/programs.ptx" ] || ! command -v $clang >/dev/null ||
		$clang -x cuda --cuda-device-only -nocudainc -nocudalib -S -O3 --cuda-gpu-arch=sm_80 \
			--cuda-feature=+ptx80 tests/oracles/programs.cu -o "$out/programs.ptx" 2>/dev/null || true
done
cp tests/oracles/programs.c tests/silicon/run.sh tests/silicon/*.[ch] "$out/"
rm "$out"/_* "$out"/forms.c "$out"/latency_distance.c "$out"/convergence.c "$out"/copy_order.c \
	"$out"/mbarrier_objects.c "$out"/tensor_maps.c "$out"/mappings.c "$out"/lane_stores.c \
	"$out"/vulkan_latency.c
cp tests/tap.h "$out/tests/"
cp $tests/_files.h $tests/_instructions.h "$out/$tests/"
mkdir -p "$out/libsov/isa"
cp libsov/isa/texture.h libsov/isa/texture.c libsov/isa/texture_eval.h libsov/isa/surface_eval.h "$out/libsov/isa/"
git -c safe.directory='*' ls-files -z --cached --others --exclude-standard |
	tar -czf "$out/source.tar.gz" --null -T -
tar -czf "$out.tar.gz" -C "$BUILD" silicon
echo "$out.tar.gz: unpack it on a machine with a Hopper GPU, a C compiler and make," \
	"and run silicon/run.sh there"
