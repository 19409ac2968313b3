# SPDX-License-Identifier: MIT
# sov.h can be included by anyone: strict C and C++, before anything else, with all warnings on.
. tests/tap.sh
try() { # promise, then the compiler's words
	promise=$1
	shift
	out=$(printf '#include "libsov/sov.h"\nint main(void) { sov_launch l = SOV_INIT(sov_launch); return !l.size; }\n' |
		"$@" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I. - 2>&1)
	ok $? "$promise"
	[ -z "$out" ] || diag "$out"
}
try "C99 by gcc" gcc -x c -std=c99
try "C11 by clang" clang -x c -std=c11
for std in c++11 c++17 c++20; do
	try "$std by clang" clang -x c++ -std=$std
done
tap_done
