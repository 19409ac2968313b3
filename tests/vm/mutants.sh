#!/bin/sh
# SPDX-License-Identifier: MIT
# Mutation testing of the driver: applies the mutations that the file `mutants` lists, one round
# after the other, and checks that the expected test of each fails. Part of check-long.
#   usage: tests/vm/mutants.sh [ROUND]...     (default: all)
#   environment: BUILD (build)  VM_CACHE  VM_TIMEOUT (900 s per machine)
set -u
cd "$(dirname "$0")/../.."
: "${VM_TIMEOUT:=900}" # some mutants hang their machine after the test has failed
. tests/vm/_machine.sh
. tests/vm/_boot.sh
. tests/tap.sh
work=$BUILD/vm-mutants
list=tests/vm/mutants
mkdir -p "$work"

# Restores the original source of a kernel. Copies only files that differ, so that only those are
# rebuilt.
restore() {
	for part in Kbuild kmod hw uapi tests/kunit; do
		find $part -type f | while read -r f; do
			cmp -s "$f" "$work/$source/$f" || install -D -m 644 "$f" "$work/$source/$f"
		done
	done
}

mutate() { # round: applies all its rows; prints those that no longer match
	awk -F '\t' -v r="$1" '$1 == r { print $3 "\t" $4 }' $list | while IFS='	' read -r file how; do
		at=$work/$source/kmod/$file
		cp "$at" "$at.before"
		sed -i "$how" "$at"
		! cmp -s "$at" "$at.before" || echo "kmod/$file does not match: $how"
		rm "$at.before"
	done
}

build() { # release, make arguments
	release=$1
	shift
	in_work timeout -k 10 600 make -C "/lib/modules/$release/build" "M=/run/vm/$source" \
		"KCFLAGS=-Wno-error" "$@" modules &&
		rm -rf "$work/module-$release" && mkdir "$work/module-$release" &&
		cp "$work/$source"/sovgpu*.ko "$work/module-$release/"
}

# Checks of the whole machine, with the test names of _kernel.sh.
machine_checks() { # log
	grep -qE "$complaints" "$1" && echo "not ok - the kernel log has no complaint"
	[ "$(sort -u "$work"/card[0-9]*.end)" = 0 ] || echo "not ok - the modelled card rejects no access"
}

round() { # number
	tests=$(awk -F '\t' -v r="$1" '$1 == r { print $2; exit }' $list)
	scenario=mutant kernel=trixie module=sovgpu words=
	case $tests in
	kunit) kernel=trixie-debug module=sovgpu_kunit words=SOVGPU_KUNIT=1 ;;
	_inject*) kernel=trixie-debug ;;
	debug,*) kernel=trixie-debug tests=${tests#debug,} ;;
	@*) scenario=${tests#@} && kernel=$(property "$scenario" kernels trixie) && kernel=${kernel%% *} ;;
	esac
	release=$(awk -v k="$kernel" '$1 == k { print $2 }' "$VM_CACHE/kernels")
	source=source-$kernel
	restore
	is "$(mutate "$1")" "" "round $1: every mutation applies to the driver"
	# shellcheck disable=SC2086 # may be empty
	build "$release" $words >"$work/build-$1.log" 2>&1
	ok $? "round $1: the mutated driver builds"
	modules "$release" $module >"$work/modules.log" 2>&1
	log=$work/round-$1.log
	append="try=$tests" boot "$release" "$scenario" "$log"
	machine_checks "$log" >"$work/whole"
	cat "$work/whole" >>"$log"
	awk -F '\t' -v r="$1" '$1 == r { print $3 "\t" $5 }' $list >"$work/rows"
	while IFS='	' read -r file test_name; do
		grep '^not ok' "$log" | grep -qF "$test_name"
		status=$?
		[ $status -ne 0 ] || detected=$((detected + 1))
		all=$((all + 1))
		ok $status "mutant of kmod/$file is detected: $test_name"
	done <"$work/rows"
}

detected=0 all=0
base >"$work/base.log" 2>&1
ok $? "the initramfs with the test programs is built"
[ $# -gt 0 ] || set -- $(awk -F '\t' '$1 + 0 { print $1 }' $list | uniq)
for r; do
	round "$r"
	progress "round $r: $detected of $all mutants are detected so far"
done
diag "$detected of $all mutants are detected"
tap_done
