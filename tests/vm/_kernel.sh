#!/bin/sh
# SPDX-License-Identifier: MIT
# The scenarios on one kernel of the cache, as TAP; run.sh starts one of these for each. Everything that it makes lies in
# $BUILD/vm/KERNEL.
#   usage: _kernel.sh KERNEL RELEASE SCENARIO...     environment: as run.sh has it
set -u
cd "$(dirname "$0")/../.."
. tests/vm/_machine.sh
. tests/vm/_boot.sh
. tests/tap.sh
kernel=$1
release=$2
shift 2
work=$BUILD/vm/$kernel

# The module for RELEASE, by make dkms-install: what a user would get.
module() {
	inside -k "$1" -b "$PWD=source" -b "$(realpath "$work")=vm" timeout -k 10 600 sh /run/source/tests/vm/install.sh "$1"
}

report() { # scenario
	name="$kernel ($release), $1"
	log=$work/$1.log
	start=$(date +%s)
	boot "$release" "$1" "$log"
	is "$?" 0 "$name: the machine runs to its end"
	repeat "$name: " "$log"
	grep -q '^guest: end' "$log"
	ok $? "$name: the scenario comes to its end"
	is "$(sort -u "$work"/card[0-9]*.end)" 0 "$name: the card refused nothing"
	diag "$(head -n 20 "$log.card")"
	bad=$(grep -E "$complaints" "$log" | head -n 20)
	is "$bad" "" "$name: the kernel does not complain"
	progress "$name: $(($(date +%s) - start)) s"
}

rm -rf "$work"
mkdir -p "$work"
ln "$BUILD/vm/base.cpio" "$work/"
ln -s ../base "$work/base"
module "$release" >"$work/install.log" 2>&1
installed=$?
repeat "$kernel ($release): " "$work/install.log"
is "$installed $(grep -c '^1\.\.' "$work/install.log")" "0 1" "$kernel ($release): the driver is installed and removed"
[ $installed -eq 0 ] || diag "$(tail -n 30 "$work/install.log")"
[ -d "$work/module-$release" ] || set --
packed=
for s; do
	runs_on "$s" "$kernel" || continue
	want=$(property "$s" modules sovgpu)
	case $want in *sovgpu_kunit*)
		tries "$kernel ($release): the tests inside the kernel build" "$work/kunit.log" kunit "$release" || continue
		;;
	*sovgpu_covered*)
		tries "$kernel ($release): the driver builds so that it tells what is run" "$work/cover.log" \
			covered "$release" || continue
		;;
	esac
	if [ "$want" != "$packed" ]; then
		# shellcheck disable=SC2086 # words
		tries "$kernel ($release): modules are packed: $want" "$work/modules.log" modules "$release" $want || continue
		packed=$want
	fi
	report "$s"
done
tap_done
