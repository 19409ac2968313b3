#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the scenarios on one kernel of the cache and prints TAP; run.sh starts one instance per
# kernel. All output lies in $BUILD/vm/KERNEL.
#   usage: _kernel.sh KERNEL RELEASE SCENARIO...     environment: see run.sh
set -u
cd "$(dirname "$0")/../.."
. tests/vm/_machine.sh
. tests/vm/_boot.sh
. tests/tap.sh
kernel=$1
release=$2
shift 2
work=$BUILD/vm/$kernel

# Builds the module for RELEASE with make dkms-install, as a user would.
module() {
	inside -k "$1" -b "$PWD=source" -b "$(realpath "$work")=vm" timeout -k 10 600 \
		sh /run/source/tests/vm/install.sh "$1"
}

report() { # scenario
	name="$kernel ($release), $1"
	log=$work/$1.log
	start=$(date +%s)
	first=$tap_count
	boot "$release" "$1" "$log"
	is "$?" 0 "$name: the machine powers off"
	include_results "$name: " "$log"
	grep -q '^guest: end' "$log"
	ok $? "$name: the scenario runs to completion"
	is "$(sort -u "$work"/card[0-9]*.end)" 0 "$name: the modelled card rejects no access"
	diag "$(head -n 20 "$log.card")"
	bad=$(grep -E "$complaints" "$log" | head -n 20)
	is "$bad" "" "$name: the kernel log has no complaint"
	promised=$(property "$1" results 0)
	reported=$((tap_count - first))
	[ -n "${VM_LONG:-}" ] || [ "$reported" -ge "$promised" ]
	ok $? "$name: the machine reports the $promised results that its scenario promises"
	[ "$reported" -eq "$promised" ] || diag "tests/vm/guest/$1.sh: results: $reported"
	echo "$name" >>"$BUILD/vm/finished"
	progress "$name: $(($(date +%s) - start)) s ($(wc -l <"$BUILD/vm/finished") of $machines machines)"
}

rm -rf "$work"
mkdir -p "$work"
ln "$BUILD/vm/base.cpio" "$work/"
ln -s ../base "$work/base"
module "$release" >"$work/install.log" 2>&1
installed=$?
include_results "$kernel ($release): " "$work/install.log"
is "$installed $(grep -c '^1\.\.' "$work/install.log")" "0 1" \
	"$kernel ($release): dkms installs and removes the driver"
[ $installed -eq 0 ] || diag "$(tail -n 30 "$work/install.log")"
[ -d "$work/module-$release" ] || set --
packed=
for s; do
	runs_on "$s" "$kernel" || continue
	want=$(property "$s" modules sovgpu)
	case $want in *sovgpu_kunit*)
		check_command "$kernel ($release): the KUnit tests build" "$work/kunit.log" \
			kunit "$release" || continue
		;;
	*sovgpu_covered*)
		check_command "$kernel ($release): the driver builds with coverage" "$work/cover.log" \
			covered "$release" || continue
		;;
	esac
	if [ "$want" != "$packed" ]; then
		# shellcheck disable=SC2086 # words
		check_command "$kernel ($release): the initramfs is packed with modules: $want" \
			"$work/modules.log" modules "$release" $want || continue
		packed=$want
	fi
	report "$s"
done
tap_done
