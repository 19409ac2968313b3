#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the bundle on a machine with a Hopper GPU and NVIDIA's driver; needs a C compiler, and make
# for compile times. Changes no clocks and no modes. Where ptxas is found, it compiles the same PTX
# for comparison. Ends with a table and one line "silicon: PASS" or "silicon: FAIL"; exit status 0
# means that every value was right.
#   usage: run.sh [RUNNER-OPTION]...
set -eu
cd "$(dirname "$0")"
CC=${CC:-cc}
ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null || true)
variants="default serial"

# Median wall time of a command in microseconds, of 21 after one.
median() {
	"$@" >/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do
		from=$(date +%s%N)
		"$@" >/dev/null
		echo $((($(date +%s%N) - from) / 1000))
	done | sort -n | sed -n 11p
}

$CC -O2 -std=c11 -Wall runner.c -o runner -ldl -lm
if [ -n "$ptxas" ]; then
	"$ptxas" --version | tail -n 2 | head -n 1
	for kernel in saxpy reduce; do
		"$ptxas" -O3 -arch=sm_90 -o $kernel.ptxas.cubin $kernel.ptx
	done
	variants="$variants ptxas"
fi

# The compiler, built here, must make the same bytes as where the bundle was made.
if command -v make >/dev/null; then
	rm -rf source
	mkdir source
	tar -xzf source.tar.gz -C source
	timeout 300 make -s -C source -j"$(nproc)" CC="$CC" BUILD=build build/sov >source/build.log 2>&1 ||
		{ tail -n 20 source/build.log; echo "silicon: FAIL: the compiler does not build here"; exit 1; }
	echo "compile time, wall, median of 21:"
	for kernel in saxpy reduce; do
		for mode in default serial; do
			flag=; [ $mode = default ] || flag=--serial
			source/build/sov compile --target sm_90 $flag -o here.cubin $kernel.ptx
			cmp here.cubin $kernel.$mode.cubin ||
				{ echo "silicon: FAIL: $kernel.$mode.cubin compiled here has other bytes"; exit 1; }
		done
		ours=$(median source/build/sov compile --target sm_90 -o here.cubin $kernel.ptx)
		theirs=0
		[ -z "$ptxas" ] || theirs=$(median "$ptxas" -O3 -arch=sm_90 -o there.cubin $kernel.ptx)
		echo "$kernel $ours $theirs" | awk '{
			printf "  %-8s sov %.2f ms", $1, $2 / 1000
			if ($3) printf ", ptxas -O3 %.2f ms, ratio ptxas/sov %.1f", $3 / 1000, $3 / $2
			print "" }'
	done
	echo "cubins compiled on this machine have the same bytes as the bundle's"
fi
# shellcheck disable=SC2086 # a list of words
exec timeout -k 10 500 ./runner "$@" $variants
