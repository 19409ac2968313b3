#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel's own judges of kernel code: checkpatch --strict, and for each prepared kernel a build
# with W=1 and sparse (asked for as kbuild does inside: C=1 wants a script that Debian does not ship).
# Whatever they say is a failure.
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
said=$(inside -b "$PWD=source" sh -c 'cd /run/source && find kmod uapi -name "*.[ch]" | sort |
	xargs perl /checkpatch/checkpatch.pl --no-tree --strict --terse --show-types --no-summary \
	--ignore FILE_PATH_CHANGES,CAMELCASE,ALLOC_WITH_SIZEOF -f' 2>&1 | grep -v "git: not found")
is "$said" "" "checkpatch --strict has nothing to say"

build() { # release, words for make
	rm -rf "$work/lint" && mkdir "$work/lint" && cp -r Kbuild kmod hw uapi "$work/lint" || return 1
	inside -b "$(realpath "$work/lint")=lint" timeout -k 10 600 sh -euc '
		release=$1
		shift
		make -C "/lib/modules/$release/build" M=/run/lint W=1 "$@" modules' lint "$@"
}

while read -r suite release <&3; do
	log=$work/$suite-lint.log
	build "$release" >"$log" 2>&1
	ok $? "$suite ($release): builds with W=1"
	is "$(grep -E 'warning|error' "$log" | head -n 20)" "" "$suite ($release): without a warning"
	build "$release" KBUILD_CHECKSRC=1 >"$log" 2>&1
	if grep -qE '^/usr/src/linux-headers.*: error:' "$log"; then
		skip "$suite ($release): sparse has nothing to say" "this sparse cannot read this kernel's headers"
		continue
	fi
	grep -q '  CHECK ' "$log"
	ok $? "$suite ($release): sparse looks at every file"
	is "$(grep -E 'warning|error' "$log" | head -n 20)" "" "$suite ($release): sparse has nothing to say"
done 3<"$VM_CACHE/kernels"
tap_done
