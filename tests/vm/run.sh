#!/bin/sh
# SPDX-License-Identifier: MIT
# Boots virtual machines with the modelled card and reports what happens inside as TAP. For each
# kernel of the cache (tests/vm/prepare.sh) the module is installed in a copy of the chroot, packed with the
# test programs into an initramfs, and scenarios are run. The machine must come to its end, the card
# must have refused nothing, and the kernel must not have complained. Everything that a run makes
# lies in $BUILD/vm. Kernels have their machines beside each other, the slowest first.
# Scenarios are described in _boot.sh.
#   usage: tests/vm/run.sh [SCENARIO]...     (all of make check)
#   environment: BUILD (build)  VM_CACHE  VM_TIMEOUT (2400 s a machine)  VM_SUITES (all kernels)
#                VM_LONG (if set: what check-long has beside these)  VM_JOBS (cores)
set -u
cd "$(dirname "$0")/../.."
. tests/vm/_machine.sh
. tests/vm/_boot.sh
. tests/tap.sh
work=$BUILD/vm
mkdir -p "$work"
marked='scenario$'
[ -z "${VM_LONG:-}" ] || marked='(scenario|kernels) of check-long'
[ $# -gt 0 ] || set -- $(grep -lE "^# $marked" tests/vm/guest/*.sh | sed 's|.*/||; s|\.sh$||')

tries "the machines' files are packed" "$work/base.log" base || { tap_done; exit 1; }
while read -r kernel release; do
	case " ${VM_SUITES:-$kernel} " in *" $kernel "*) echo "$kernel $release $*" ;; esac
done <"$VM_CACHE/kernels" | tac >"$work/kernels"
export BUILD VM_TIMEOUT VM_CACHE
xargs -P "${VM_JOBS:-$(nproc)}" -L 1 sh -c 'sh tests/vm/_kernel.sh "$@" >"$BUILD/vm/$1.tap" 2>&1' kernel <"$work/kernels"
while read -r kernel release scenarios <&4; do
	repeat "" "$work/$kernel.tap"
	is "$(tail -n 1 "$work/$kernel.tap")" "1..$(grep -cE '^(not )?ok ' "$work/$kernel.tap")" \
		"$kernel ($release): its machines come to their end"
done 4<"$work/kernels"
tap_done
