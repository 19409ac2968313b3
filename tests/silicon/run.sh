#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the bundle on a machine with a Hopper GPU and NVIDIA's driver; needs a C compiler, and make
# for compile times. Changes neither clocks nor modes of the GPU. If ptxas is installed, it compiles
# the same PTX for comparison: a test that fails with both compilers has a wrong expectation. Ends
# with the figures for docs/evidence.md, a table of times, and one line "silicon: PASS" or
# "silicon: FAIL"; exit status 0 means that every value is right.
#   usage: run.sh [--small] [RUNNER-OPTION]...
# --small is for a software GPU: fewer samples, no time limits, and no program that needs a build of the library.
set -eu
cd "$(dirname "$0")"
CC=${CC:-cc}
small=
[ "${1:-}" != --small ] || { small=--small SILICON_NO_LIMITS=1; export SILICON_NO_LIMITS; shift; }
[ -n "$small" ] || export SOV_KERNEL_TIME_LIMIT="${SOV_KERNEL_TIME_LIMIT:-60s}" # a kernel has no limit on a GPU otherwise
tests=tests/userspace/compiler/ptx/instructions
variants="default serial"
results=$PWD/results
verdict=PASS
drm=$(pkg-config --libs libdrm 2>/dev/null || true) # libsov-all.a uses it if the build found it

# Median wall time of a command in microseconds: 21 runs after one warm-up.
median_us() {
	"$@" >/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do
		from=$(date +%s%N)
		"$@" >/dev/null
		echo $((($(date +%s%N) - from) / 1000))
	done | sort -n | sed -n 11p
}

# Compiles every file that ptxas accepts at -O3, for sm_90a if it says so: files for older targets have
# forms that ptxas has for sm_90 alone.
compile_with_ptxas() {
	"$ptxas" --version | tail -n 2 | head -n 1
	for file in ./*.ptx kernels/*.ptx $tests/*.ptx; do
		arch=sm_90
		! grep -q '^\.target sm_90a' "$file" || arch=sm_90a
		sed "s/^\.target sm_[0-8][0-9]/.target sm_90/" "$file" >ptxas-input.ptx
		"$ptxas" -O3 -arch=$arch -o "${file%.ptx}.ptxas.cubin" ptxas-input.ptx ||
			echo "ptxas rejects $file"
	done
	variants="$variants ptxas"
}

# Builds the compiler on this machine; its cubins must be byte-identical to the bundle's.
check_reproducible_build() {
	rm -rf source
	mkdir source
	tar -xzf source.tar.gz -C source
	timeout 300 make -s -C source -j"$(nproc)" CC="$CC" BUILD=build build/sov \
		>source/build.log 2>&1 || {
		tail -n 20 source/build.log
		verdict=FAIL
		echo "WRONG the compiler does not build on this machine"
		return
	}
	for cubin in ./*.default.cubin ./*.serial.cubin kernels/*.default.cubin \
		$tests/*.default.cubin $tests/*.serial.cubin; do
		flag=
		[ "${cubin%.serial.cubin}" = "$cubin" ] || flag=--serial
		source/build/sov compile --target sm_90 $flag -o here.cubin "${cubin%.*.cubin}.ptx"
		cmp -s here.cubin "$cubin" || echo "WRONG $cubin: differs when compiled on this machine"
	done | tee differing
	[ ! -s differing ] || verdict=FAIL
	echo "cubins compiled on this machine: $(wc -l <differing) differ from the bundle's" |
		tee -a "$results"
	for kernel in saxpy reduce; do
		ours=$(median_us source/build/sov compile --target sm_90 -o here.cubin $kernel.ptx)
		theirs=0
		[ -z "$ptxas" ] || theirs=$(median_us "$ptxas" -O3 -arch=sm_90 -o there.cubin $kernel.ptx)
		echo "$kernel $ours $theirs" | awk '{
			printf "compile time of %s, wall, median of 21: sov %.2f ms", $1, $2 / 1000
			if ($3) printf ", ptxas -O3 %.2f ms, ratio ptxas/sov %.1f", $3 / 1000, $3 / $2
			print "" }' | tee -a "$results"
	done
}

# Tests the library on this GPU: results, faults, infinite kernels, leaks; then ptxas's programs.
test_nvrm() {
	# shellcheck disable=SC2086
	$CC -O2 -std=c11 -D_GNU_SOURCE -Wall -Isource nvrm.c source/build/libsov-all.a -o nvrm \
		-ldl -lm -pthread $drm &&
		judge nvrm illegal.default.cubin saxpy.ptx || verdict=FAIL
	[ -n "$ptxas" ] && [ -e programs.ptx ] || return 0
	for level in 0 3; do
		"$ptxas" -arch=sm_90 -O$level programs.ptx -o programs-O$level-sm_90.cubin
	done
	# shellcheck disable=SC2086
	$CC -O2 -std=c11 -D_GNU_SOURCE -Isource programs.c source/build/libsov-all.a -o programs \
		-ldl -lm -pthread $drm &&
		judge programs --gpu programs-O?-sm_90.cubin || verdict=FAIL
}

# Runs the conformance tests that every winsys has to pass, and those of the device services;
# device 0 is the real GPU.
test_conformance() {
	: >conformance.log
	for test in source/tests/userspace/runtime/conformance/[a-z]*.c \
		source/tests/userspace/runtime/module/device_services/[a-z]*.c; do
		# shellcheck disable=SC2086
		$CC -O2 -std=c11 -D_GNU_SOURCE -Isource "$test" source/build/libsov-all.a \
			-o conformance -ldl -lm -pthread $drm || { verdict=FAIL; continue; }
		echo "# ${test#source/tests/userspace/}" >>conformance.log
		(cd source && SOV_CONFORMANCE=1 timeout -k 10 300 ../conformance) \
			>>conformance.log 2>&1 || verdict=FAIL
	done
	grep '^not ok\|^# ' conformance.log || true
	echo "conformance: $(grep -c '^ok' conformance.log) checks passed," \
		"$(grep -c '^not ok' conformance.log) failed" | tee -a "$results"
}

# Compares libsov with CUDA and measures its copy methods, with the library that was
# built on this machine.
measure_runtime() {
	for program in cuda_compare cuda_compare_runtime bench_copy_methods; do
		# shellcheck disable=SC2086
		$CC -O2 -std=c11 -Wall -Isource -I. $program.c source/build/libsov-all.a -o $program \
			-ldl -lm -pthread $drm || { verdict=FAIL; return; }
	done
	judge cuda_compare store.default.cubin && judge cuda_compare_runtime &&
		judge bench_copy_methods || verdict=FAIL
}

# Runs a program with a time limit and returns its status. Prints the log without the tables, which
# come at the end.
judge() { # program, options
	program=$1
	shift
	status=0
	timeout -k 10 500 "./$program" "$@" >"$program.log" 2>&1 || status=$?
	sed '/^$/d; /^|/d; /^Medians/d' "$program.log"
	return $status
}

: >"$results"
for program in runner instructions codegen; do
	# shellcheck disable=SC2086 # CC may contain flags
	$CC -O2 -std=c11 -Wall -I. $program.c libsov/isa/texture.c -o $program -ldl -lm
done
ptxas=
if [ -z "$small" ]; then
	ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null || true)
	[ -z "$ptxas" ] || compile_with_ptxas
	! command -v make >/dev/null || check_reproducible_build
	[ ! -e source/build/libsov-all.a ] || measure_runtime
	[ ! -e source/build/libsov-all.a ] || test_nvrm
	[ ! -e source/build/libsov-all.a ] || test_conformance
fi

# shellcheck disable=SC2086 # lists of words
judge instructions $small $variants || verdict=FAIL
# shellcheck disable=SC2086
judge runner $small "$@" $variants || verdict=FAIL
# shellcheck disable=SC2086
judge codegen $small $variants || verdict=FAIL
if [ -n "$ptxas" ] && [ -x source/build/sov ]; then
	./codegen --compile kernels/*.ptx -- source/build/sov compile --target sm_90 -o here.cubin -- \
		"$ptxas" -O3 -arch=sm_90 -o there.cubin >compilers.log 2>&1 || verdict=FAIL
	grep -v '^|' compilers.log || true
fi

echo
echo "For docs/evidence.md, $(date -u +%F):"
sed -n '1p; /^kernels: /p' runner.log
grep '^instructions, ' instructions.log || true
cat "$results"
sed -n '/^|/p; /^Medians/p' runner.log
sed -n '/^codegen/p; /^|/p; /^Medians/p' codegen.log
[ ! -e compilers.log ] || sed -n '/^|/p; /^Compilers/p' compilers.log
[ ! -e cuda_compare.log ] ||
	cat cuda_compare.log cuda_compare_runtime.log bench_copy_methods.log
[ ! -e nvrm.log ] || sed -n 's/^ok [0-9]* - \(.* ms.*\|.* left.*\)/nvrm: \1/p' nvrm.log
echo "silicon: $verdict"
[ $verdict = PASS ]
