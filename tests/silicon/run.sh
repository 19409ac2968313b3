#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the bundle on a machine with a Hopper GPU and NVIDIA's driver; needs a C compiler, and make
# for compile times. Changes no clocks and no modes. Where ptxas is found, it compiles the same PTX
# for comparison: a test that is wrong from both compilers expects the wrong thing. Ends with what
# docs/evidence.md wants to know, a table of times, and one line "silicon: PASS" or "silicon: FAIL";
# exit status 0 means that every value was right.
#   usage: run.sh [--small] [RUNNER-OPTION]...
# --small is for a software GPU: less of everything, and only what the bundle brings.
set -eu
cd "$(dirname "$0")"
CC=${CC:-cc}
small=
[ "${1:-}" != --small ] || { small=--small; shift; }
tests=tests/userspace/compiler/ptx/instructions
variants="default serial"
results=$PWD/results
verdict=PASS

# Median wall time of a command in microseconds, of 21 after one.
median() {
	"$@" >/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do
		from=$(date +%s%N)
		"$@" >/dev/null
		echo $((($(date +%s%N) - from) / 1000))
	done | sort -n | sed -n 11p
}

# ptxas at its best, wherever it takes the file.
compile_with_ptxas() {
	"$ptxas" --version | tail -n 2 | head -n 1
	for file in ./*.ptx kernels/*.ptx $tests/*.ptx; do
		"$ptxas" -O3 -arch=sm_90 -o "${file%.ptx}.ptxas.cubin" "$file" || echo "ptxas refuses $file"
	done
	variants="$variants ptxas"
}

# The compiler, built here, must make the same bytes as where the bundle was made.
compile_here() {
	rm -rf source
	mkdir source
	tar -xzf source.tar.gz -C source
	timeout 300 make -s -C source -j"$(nproc)" CC="$CC" BUILD=build build/sov >source/build.log 2>&1 ||
		{ tail -n 20 source/build.log; verdict=FAIL; echo "WRONG the compiler does not build here"; return; }
	for cubin in ./*.default.cubin ./*.serial.cubin kernels/*.default.cubin $tests/*.default.cubin $tests/*.serial.cubin; do
		flag=
		[ "${cubin%.serial.cubin}" = "$cubin" ] || flag=--serial
		source/build/sov compile --target sm_90 $flag -o here.cubin "${cubin%.*.cubin}.ptx"
		cmp -s here.cubin "$cubin" || echo "WRONG $cubin: compiled here, it has other bytes"
	done | tee differing
	[ ! -s differing ] || verdict=FAIL
	echo "cubins compiled on this machine: $(wc -l <differing) have other bytes than the bundle's" | tee -a "$results"
	for kernel in saxpy reduce; do
		ours=$(median source/build/sov compile --target sm_90 -o here.cubin $kernel.ptx)
		theirs=0
		[ -z "$ptxas" ] || theirs=$(median "$ptxas" -O3 -arch=sm_90 -o there.cubin $kernel.ptx)
		echo "$kernel $ours $theirs" | awk '{
			printf "compile time of %s, wall, median of 21: sov %.2f ms", $1, $2 / 1000
			if ($3) printf ", ptxas -O3 %.2f ms, ratio ptxas/sov %.1f", $3 / 1000, $3 / $2
			print "" }' | tee -a "$results"
	done
}

# The library on this GPU: results, faults, endless kernels, leaks.
nvrm_here() {
	# shellcheck disable=SC2086
	$CC -O2 -std=c11 -D_GNU_SOURCE -Wall -Isource nvrm.c source/build/libsov-all.a -o nvrm -ldl -lm -pthread &&
		judge nvrm illegal.default.cubin saxpy.ptx || verdict=FAIL
	[ -n "$ptxas" ] && [ -e programs.ptx ] || return 0
	for level in 0 3; do
		"$ptxas" -arch=sm_90 -O$level programs.ptx -o programs-O$level-sm_90.cubin
	done
	$CC -O2 -std=c11 -D_GNU_SOURCE -Isource programs.c source/build/libsov-all.a -o programs -ldl -lm -pthread &&
		judge programs --gpu programs-O?-sm_90.cubin || verdict=FAIL
}

# What any way to a GPU has to keep, and services for kernels; device 0 is the real one.
conformance_here() {
	: >conformance.log
	for test in source/tests/userspace/runtime/conformance/[a-z]*.c source/tests/userspace/runtime/module/device_services/[a-z]*.c; do
		# shellcheck disable=SC2086
		$CC -O2 -std=c11 -D_GNU_SOURCE -Isource "$test" source/build/libsov-all.a -o conformance -ldl -lm -pthread ||
			{ verdict=FAIL; continue; }
		echo "# ${test#source/tests/userspace/}" >>conformance.log
		(cd source && SOV_CONFORMANCE=1 timeout -k 10 300 ../conformance) >>conformance.log 2>&1 || verdict=FAIL
	done
	grep '^not ok\|^# ' conformance.log || true
	echo "conformance: $(grep -c '^ok' conformance.log) promises kept, $(grep -c '^not ok' conformance.log) broken" | tee -a "$results"
}

# libsov beside CUDA, and what each of its ways to copy and to run graphs costs, with the library that was built here.
measure_here() {
	for program in peer peer_runtime bench_copy_methods; do
		# shellcheck disable=SC2086
		$CC -O2 -std=c11 -Wall -Isource -I. $program.c source/build/libsov-all.a -o $program -ldl -lm -pthread ||
			{ verdict=FAIL; return; }
	done
	judge peer store.default.cubin && judge peer_runtime && judge bench_copy_methods || verdict=FAIL
}

# Runs one of our programs within a limit and tells whether all was right; its table comes last of all.
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
	# shellcheck disable=SC2086 # a compiler may come with flags
	$CC -O2 -std=c11 -Wall -I. $program.c -o $program -ldl -lm
done
ptxas=
if [ -z "$small" ]; then
	ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null || true)
	[ -z "$ptxas" ] || compile_with_ptxas
	! command -v make >/dev/null || compile_here
	[ ! -e source/build/libsov-all.a ] || measure_here
	[ ! -e source/build/libsov-all.a ] || nvrm_here
	[ ! -e source/build/libsov-all.a ] || conformance_here
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
[ ! -e peer.log ] || cat peer.log peer_runtime.log bench_copy_methods.log
[ ! -e nvrm.log ] || sed -n 's/^ok [0-9]* - \(.* ms.*\|.* left.*\)/nvrm: \1/p' nvrm.log
echo "silicon: $verdict"
[ $verdict = PASS ]
