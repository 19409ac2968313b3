#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the launch latency of two versions of libsov on the first GPU: builds both trees, runs
# launch_latency.c with each in alternating order, and prints the quartiles of the runs' medians.
#   usage: tests/silicon/launch_latency.sh TREE_BEFORE TREE_AFTER [RUNS]
set -eu
export SOV_KERNEL_TIME_LIMIT="${SOV_KERNEL_TIME_LIMIT:-60s}" # a kernel has no limit on a GPU otherwise
before=$(cd "$1" && pwd)
after=$(cd "$2" && pwd)
runs=${3:-24}
program=$(cd "$(dirname "$0")" && pwd)/launch_latency.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for version in before after; do
	tree=$before
	[ $version = before ] || tree=$after
	timeout 300 make -s -C "$tree" -j"$(nproc)" BUILD="$work/$version" "$work/$version/libsov.so" \
		>"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
	cc -O2 -I "$tree" -o "$work/$version.program" "$program" "$work/$version/libsov.so" \
		-Wl,-rpath,"$work/$version"
done
for _ in $(seq "$runs"); do
	for version in before after; do
		timeout 60 "$work/$version.program" ${SAMPLES:-} >>"$work/$version.figures"
	done
done
column=0
for streams in 'one stream' 'two streams'; do
	for what in 'launch in a burst of 50' 'launch on an idle stream' 'launch and wait'; do
		column=$((column + 1))
		for version in before after; do
			cut -d ' ' -f $column "$work/$version.figures" | sort -n |
				awk -v name="$streams, $what, $version" '
				{ v[NR] = $1 }
				END { printf "%-50s %6d %6d %6d ns\n", name, v[int((NR + 3) / 4)], v[int((NR + 1) / 2)],
					v[int((3 * NR + 3) / 4)] }'
		done
	done
done
