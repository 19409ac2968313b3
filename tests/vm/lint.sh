#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel's own checkers: checkpatch --strict, and for each kernel of the cache a build with W=1
# and sparse (called as kbuild calls it, because C=1 needs a script that Debian does not ship), with
# the KUnit tests where the kernel has KUnit. Any output is a failure.
#   usage: tests/vm/lint.sh      environment: BUILD (build)  VM_CACHE
set -u
cd "$(dirname "$0")/../.."
. tests/vm/_machine.sh
. tests/tap.sh
: "${BUILD:=build}"
work=$BUILD/vm
mkdir -p "$work"

# Ignored: a MAINTAINERS entry, which this tree does not have; names of ELF structures, which are
# the kernel's; kzalloc_obj, which older kernels lack. checkpatch writes a cache into the working
# directory, /run, if it finds a git repository.
complaints=$(inside -b "$PWD=source" sh -c 'cd /run && export GIT_DIR=/run &&
	find source/kmod source/uapi source/tests/kunit -name "*.[ch]" | sort |
	xargs perl /debug/source/scripts/checkpatch.pl --no-tree --strict --terse --show-types --no-summary \
	--ignore FILE_PATH_CHANGES,CAMELCASE,ALLOC_WITH_SIZEOF -f' 2>&1 | grep -v "git: not found")
is "$complaints" "" "checkpatch --strict reports nothing"

build() { # release, make arguments
	rm -rf "$work/lint" && mkdir -p "$work/lint/tests" && cp -r Kbuild kmod hw uapi "$work/lint" &&
		cp -r tests/kunit "$work/lint/tests" || return 1
	inside -b "$(realpath "$work/lint")=lint" timeout -k 10 600 sh -euc '
		release=$1
		shift
		make -C "/lib/modules/$release/build" M=/run/lint W=1 KBUILD_CHECKSRC=1 "$@" modules' lint "$@"
}

# Debian's sparse does not know __typeof_unqual__, and cannot evaluate what the MODULE_ macros of
# newer kernels require to be constant.
lint_kernel() { # name, release, make arguments
	name="$1 ($2)"
	log=$work/$1-lint.log
	shift
	build "$@" CF=-D__typeof_unqual__=__typeof__ >"$log" 2>&1
	ok $? "$name: the driver builds with W=1 and sparse"
	is "$(grep -E 'warning|error' "$log" |
		grep -vE '(drv|limits|boot)\.c:[0-9]+:1: error: bad constant expression' | head -n 20)" "" \
		"$name: W=1 and sparse report nothing"
	is "$(grep -c '  CHECK ' "$log")" "$(grep -c '  CC \[M\] .*/*\(kmod\|kunit\)/' "$log")" \
		"$name: sparse checks every file"
}

while read -r kernel release <&4; do
	case $kernel in
	*-16k) ;; # same source as the 4 KiB kernel
	*-debug) lint_kernel "$kernel" "$release" SOVGPU_KUNIT=1 ;;
	*) lint_kernel "$kernel" "$release" ;;
	esac
	progress "$kernel: checked"
done 4<"$VM_CACHE/kernels"
tap_done
