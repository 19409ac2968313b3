# SPDX-License-Identifier: MIT
# A C or C++ program, compiled with all warnings, links with the shared library and runs; its structures have the
# library's sizes. Uses clang and g++ if they are installed. Programs of a compiler whose sanitizers differ from the
# library's are only compiled.
. tests/tap.sh
. tests/userspace/runtime/_link.sh
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
runtime_of() { # compiler: the project that its sanitizers come from
	case $($1 --version 2>&1) in *clang*) echo llvm ;; *) echo gcc ;; esac
}
try() { # compiler, options
	if [ -z "$sanitizers" ] || [ "$(runtime_of "$1")" = "$(runtime_of "$build_cc")" ]; then
		# shellcheck disable=SC2086 # lists of words
		out=$("$@" $sanitizers -I. -Wall -Wextra -Wpedantic -Werror "$dir/use.c" -o "$dir/use" $link_libsov 2>&1 &&
			SOV_SOFT=gh100:vram=512M "$dir/use" 2>&1)
		ok $? "a program compiled by '$*' links with libsov and runs"
	else
		out=$("$@" -I. -Wall -Wextra -Wpedantic -Werror -c "$dir/use.c" -o "$dir/use.o" 2>&1)
		ok $? "'$*' compiles a program that uses sov.h"
	fi
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
