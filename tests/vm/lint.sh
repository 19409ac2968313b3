#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel's own judges of kernel code: checkpatch --strict, and for each kernel of the cache a build
# with W=1 and sparse (asked for as kbuild does inside: C=1 wants a script that Debian does not ship), of
# the tests inside the kernel where it has KUnit. Whatever they say is a failure.
#   usage: tests/vm/lint.sh      environment: BUILD (build)  VM_CACHE
set -u
cd "$(dirname "$0")/../.."
. tests/vm/_machine.sh
. tests/tap.sh
: "${BUILD:=build}"
work=$BUILD/vm
mkdir -p "$work"

# What is not asked: a MAINTAINERS file, which this tree does not have; names of ELF's structures, which
# are the kernel's own; kzalloc_obj, which older kernels do not have.
said=$(inside -b "$PWD=source" sh -c 'cd /run/source && find kmod uapi tests/kunit -name "*.[ch]" | sort |
	xargs perl /debug/source/scripts/checkpatch.pl --no-tree --strict --terse --show-types --no-summary \
	--ignore FILE_PATH_CHANGES,CAMELCASE,ALLOC_WITH_SIZEOF -f' 2>&1 | grep -v "git: not found")
is "$said" "" "checkpatch --strict has nothing to say"

build() { # release, words for make
	rm -rf "$work/lint" && mkdir -p "$work/lint/tests" && cp -r Kbuild kmod hw uapi "$work/lint" &&
		cp -r tests/kunit "$work/lint/tests" || return 1
	inside -b "$(realpath "$work/lint")=lint" timeout -k 10 600 sh -euc '
		release=$1
		shift
		make -C "/lib/modules/$release/build" M=/run/lint W=1 KBUILD_CHECKSRC=1 "$@" modules' lint "$@"
}

# This sparse does not know __typeof_unqual__, nor how to work out what MODULE_ macros of newer kernels
# want to be constant.
judge() { # name, release, words for make
	name="$1 ($2)"
	log=$work/$1-lint.log
	shift
	build "$@" CF=-D__typeof_unqual__=__typeof__ >"$log" 2>&1
	ok $? "$name: builds with W=1 and sparse"
	is "$(grep -E 'warning|error' "$log" | grep -vE '(drv|limits)\.c:[0-9]+:1: error: bad constant expression' | head -n 20)" "" \
		"$name: neither has anything to say"
	is "$(grep -c '  CHECK ' "$log")" "$(grep -c '  CC \[M\] .*/*\(kmod\|kunit\)/' "$log")" \
		"$name: sparse looks at every file"
}

while read -r kernel release <&4; do
	case $kernel in
	*-16k) ;; # the same source
	*-debug) judge "$kernel" "$release" SOVGPU_KUNIT=1 ;;
	*) judge "$kernel" "$release" ;;
	esac
	progress "$kernel: checked"
done 4<"$VM_CACHE/kernels"
tap_done
