#!/bin/sh
# SPDX-License-Identifier: MIT
# Boots virtual machines with the modelled card and reports the guests' results as TAP. For each
# kernel of the cache (tests/vm/prepare.sh), it installs the module in a copy of the chroot, packs
# it with the test programs into an initramfs, and runs the scenarios, which _boot.sh describes. A
# machine must power off, the card must reject no access, and the kernel's log must have no
# complaint. All output lies in $BUILD/vm. Kernels run in parallel, the slowest first.
#   usage: tests/vm/run.sh [SCENARIO]...     (default: all of make check)
#   environment: BUILD (build)  VM_CACHE  VM_TIMEOUT (2400 s per machine)  VM_SUITES (all kernels)
#                VM_LONG (if set: the scenarios of check-long instead)  VM_JOBS (cores)
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

check_command "the initramfs with the test programs is built" "$work/base.log" base || { tap_done; exit 1; }
while read -r kernel release; do
	case " ${VM_SUITES:-$kernel} " in *" $kernel "*) echo "$kernel $release $*" ;; esac
done <"$VM_CACHE/kernels" | tac >"$work/kernels"
# For progress lines.
machines=$(while read -r kernel release scenarios; do
	for s in $scenarios; do
		! runs_on "$s" "$kernel" || echo "$s"
	done
done <"$work/kernels" | wc -l)
: >"$work/finished"
[ -n "${VM_LONG:-}" ] || progress "$machines machines, about $((machines * 3 / 4)) minutes on two cores"
export BUILD VM_TIMEOUT VM_CACHE machines
rm -f "$work"/*.tap # results of an earlier run must not count
xargs -P "${VM_JOBS:-$(nproc)}" -L 1 sh -c 'sh tests/vm/_kernel.sh "$@" >"$BUILD/vm/$1.tap" 2>&1' \
	kernel <"$work/kernels"
while read -r kernel release scenarios <&4; do
	include_results "" "$work/$kernel.tap"
	is "$(tail -n 1 "$work/$kernel.tap")" "1..$(grep -cE '^(not )?ok ' "$work/$kernel.tap")" \
		"$kernel ($release): all scenarios of this kernel ran"
done 4<"$work/kernels"
tap_done
