#!/bin/sh
# SPDX-License-Identifier: MIT
# sov.h can be included alone, by C99 to C17 and C++11 to C++20, without a warning, and SOV_INIT works in each.
set -u
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT

cat >"$dir/use.c" <<'END'
#include "libsov/sov.h"

int main(void)
{
	sov_launch l = SOV_INIT(sov_launch);
	sov_device_properties p = SOV_INIT(sov_device_properties);
	uint32_t count = 0;

	if (l.size != sizeof(l) || l.grid[2] || l.stream || p.size != sizeof(p) || p.memory_bytes)
		return 1;
	return sov_device_count(&count) == SOV_OK && SOV_HOST(&count) ? 0 : 2;
}
END
cp "$dir/use.c" "$dir/use.cc"

# A library with sanitizers runs in programs of the same compiler only; then compiling must do.
if nm -D "$BUILD/libsov.so" | grep -q __asan_init; then
	build() { "$@" -c -o "$dir/use.o"; }
	run() { :; }
else
	build() { "$@" -o "$dir/use" -L"$BUILD" -lsov -Wl,-rpath,"$(cd "$BUILD" && pwd)"; }
	run() { SOV_SOFT=gh100 "$dir/use"; }
fi

n=0
try() { # compiler standard file
	n=$((n + 1))
	if build "$1" "-std=$2" -I. -Wall -Wextra -Wpedantic -Werror "$dir/$3" >"$dir/log" 2>&1 && run; then
		echo "ok $n - $1 -std=$2"
	else
		echo "not ok $n - $1 -std=$2"
		sed 's/^/# /' "$dir/log"
	fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP not installed"; }

for std in c99 c11 c17; do try cc $std use.c; done
for cxx in g++ clang++; do
	for std in c++11 c++17 c++20; do
		if command -v $cxx >/dev/null; then try $cxx $std use.cc; else skip "$cxx -std=$std"; fi
	done
done
echo "1..$n"
