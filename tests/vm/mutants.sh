#!/bin/sh
# SPDX-License-Identifier: MIT
# Does anybody notice when the driver is wrong? Breaks it in the ways that the file `mutants` lists, one round after the
# other, and looks whether the promise that each way must break is broken. Part of check-long.
#   usage: tests/vm/mutants.sh [ROUND]...     (all)    environment: BUILD (build)  VM_CACHE  VM_TIMEOUT (900 s a machine)
set -u
cd "$(dirname "$0")/../.."
: "${VM_TIMEOUT:=900}" # some stop their machine, after they were noticed
. tests/vm/_machine.sh
. tests/vm/_boot.sh
. tests/tap.sh
work=$BUILD/vm-mutants
list=tests/vm/mutants
mkdir -p "$work"

# The source for a kernel, and what was built of it last time; only files that differ are copied, so only these are built.
restore() {
	for part in Kbuild kmod hw uapi tests/kunit; do
		find $part -type f | while read -r f; do
			cmp -s "$f" "$work/$source/$f" || install -D -m 644 "$f" "$work/$source/$f"
		done
	done
}

spoil() { # round: all its rows; says which cannot be done any more
	awk -F '\t' -v r="$1" '$1 == r { print $3 "\t" $4 }' $list | while IFS='	' read -r file how; do
		at=$work/$source/kmod/$file
		cp "$at" "$at.before"
		sed -i "$how" "$at"
		! cmp -s "$at" "$at.before" || echo "kmod/$file does not know: $how"
		rm "$at.before"
	done
}

build() { # release, words for make
	release=$1
	shift
	in_work timeout -k 10 600 make -C "/lib/modules/$release/build" "M=/run/vm/$source" "KCFLAGS=-Wno-error" "$@" modules &&
		rm -rf "$work/module-$release" && mkdir "$work/module-$release" &&
		cp "$work/$source"/sovgpu*.ko "$work/module-$release/"
}

# What a machine promises as a whole, as run.sh has it.
whole() { # log
	grep -qE "$complaints" "$1" && echo "not ok - the kernel does not complain"
	[ "$(sort -u "$work"/card[0-9]*.end)" = 0 ] || echo "not ok - the card refused nothing"
}

round() { # number
	tries=$(awk -F '\t' -v r="$1" '$1 == r { print $2; exit }' $list)
	scenario=mutant kernel=trixie module=sovgpu words=
	case $tries in
	kunit) kernel=trixie-debug module=sovgpu_kunit words=SOVGPU_KUNIT=1 ;;
	_inject*) kernel=trixie-debug ;;
	debug,*) kernel=trixie-debug tries=${tries#debug,} ;;
	@*) scenario=${tries#@} && kernel=$(property "$scenario" kernels trixie) && kernel=${kernel%% *} ;;
	esac
	release=$(awk -v k="$kernel" '$1 == k { print $2 }' "$VM_CACHE/kernels")
	source=source-$kernel
	restore
	is "$(spoil "$1")" "" "round $1: the driver can be broken in all ways"
	# shellcheck disable=SC2086 # perhaps no word
	build "$release" $words >"$work/build-$1.log" 2>&1
	ok $? "round $1: it builds all the same"
	modules "$release" $module >"$work/modules.log" 2>&1
	log=$work/round-$1.log
	append="try=$tries" boot "$release" "$scenario" "$log"
	whole "$log" >"$work/whole"
	cat "$work/whole" >>"$log"
	awk -F '\t' -v r="$1" '$1 == r { print $3 "\t" $5 }' $list >"$work/rows"
	while IFS='	' read -r file promise; do
		grep '^not ok' "$log" | grep -qF "$promise"
		caught=$?
		[ $caught -ne 0 ] || noticed=$((noticed + 1))
		all=$((all + 1))
		ok $caught "kmod/$file is broken, and noticed: $promise"
	done <"$work/rows"
}

noticed=0 all=0
base >"$work/base.log" 2>&1
ok $? "the machines' files are packed"
[ $# -gt 0 ] || set -- $(awk -F '\t' '$1 + 0 { print $1 }' $list | uniq)
for r; do
	round "$r"
	progress "round $r: $noticed of $all mutants are noticed so far"
done
diag "$noticed of $all mutants are noticed"
tap_done
