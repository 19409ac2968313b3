# SPDX-License-Identifier: MIT
# A C or C++ program, compiled with all warnings, links with the shared library and runs; its structures have the
# library's sizes. Uses clang and g++ if they are installed.
. tests/tap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/use.c" <<'END'
#include "libsov/sov.h"

int main(void)
{
	sov_launch l = SOV_INIT(sov_launch);
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_device d;

	if (l.size != sizeof(l) || l.grid[2] || l.stream || p.size != sizeof(p) || p.memory_bytes)
		return 1;
	if (sov_device_open(0, &d) != SOV_OK || sov_device_get_properties(d, &p) != SOV_OK)
		return 2;
	return p.warp_size == 32 && p.memory_bytes == 512u << 20 ? 0 : 3;
}
END
# A library with sanitizers needs a program of the same compiler: then only compile.
link="-o $dir/use -L$BUILD -lsov -Wl,-rpath,$(cd "$BUILD" && pwd)"
run=$dir/use
if nm -D "$BUILD/libsov.so" | grep -q __asan_init; then
	link="-c -o $dir/use.o" run=:
fi
try() {
	# shellcheck disable=SC2086 # a list of words
	out=$("$@" -I. -Wall -Wextra -Wpedantic -Werror "$dir/use.c" $link 2>&1 && SOV_SOFT=gh100:vram=512M $run)
	ok $? "a program compiled by '$*' links with libsov and runs"
	[ -z "$out" ] || diag "$out"
}
try cc -std=c99
try cc -std=c17
for std in c++11 c++17 c++20; do
	for compiler in clang g++; do
		! command -v $compiler >/dev/null || try $compiler -x c++ -std=$std
	done
done
command -v clang >/dev/null || command -v g++ >/dev/null || skip "C++" "there is no C++ compiler here"
tap_done
