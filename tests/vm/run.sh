#!/bin/sh
# SPDX-License-Identifier: MIT
# Boots virtual machines with the modelled card and reports what happens inside as TAP. For each
# kernel of the cache (tests/vm/prepare.sh) the module is installed in a copy of the chroot, packed with the
# test programs into an initramfs, and scenarios are run. The machine must come to its end, the card
# must have refused nothing, and the kernel must not have complained. Everything that a run makes
# lies in $BUILD/vm.
# Scenarios are described in _boot.sh.
#   usage: tests/vm/run.sh [SCENARIO]...     (all of make check)
#   environment: BUILD (build)  VM_CACHE  VM_TIMEOUT (1500 s a machine)  VM_SUITES (all kernels)
#                VM_LONG (if set: all that check-long has beside these)
set -u
cd "$(dirname "$0")/../.."
. tests/vm/_machine.sh
. tests/vm/_boot.sh
. tests/tap.sh
work=$BUILD/vm
mkdir -p "$work"
[ $# -gt 0 ] || set -- $(grep -lx "# scenario${VM_LONG:+ of check-long}" tests/vm/guest/*.sh | sed 's|.*/||; s|\.sh$||')
scenarios=$*

# The module for RELEASE, by make dkms-install: what a user would get.
module() {
	inside -k "$1" -b "$PWD=source" -b "$(realpath "$work")=vm" timeout -k 10 600 sh /run/source/tests/vm/install.sh "$1"
}

# What was promised elsewhere, in the file LOG, is our own.
repeat() { # name, log
	while read -r line; do
		case $line in
		"ok "*"# SKIP "*) line=${line#* - } && skip "$1: ${line% \# SKIP *}" "${line##*\# SKIP }" ;;
		"ok "*) ok 0 "$1: ${line#* - }" ;;
		"not ok "*) ok 1 "$1: ${line#* - }" ;;
		"# "*) echo "$line" ;;
		esac
	done <"$2"
}

report() { # kernel, release, scenario
	name="$1 ($2), $3"
	log=$work/$1-$3.log
	start=$(date +%s)
	boot "$2" "$3" "$log"
	is "$?" 0 "$name: the machine runs to its end"
	repeat "$name" "$log"
	grep -q '^guest: end' "$log"
	ok $? "$name: the scenario comes to its end"
	is "$(sort -u "$work"/card[0-9]*.end)" 0 "$name: the card refused nothing"
	diag "$(head -n 20 "$log.card")"
	bad=$(grep -E "$complaints" "$log" | head -n 20)
	is "$bad" "" "$name: the kernel does not complain"
	progress "$name: $(($(date +%s) - start)) s"
}

tries() { # promise, log, command...: is it done? Says why not.
	promise=$1
	log=$2
	shift 2
	"$@" >"$log" 2>&1
	done=$?
	ok $done "$promise"
	[ $done -eq 0 ] || diag "$(tail -n 30 "$log")"
	return $done
}

tries "the machines' files are packed" "$work/base.log" base || { tap_done; exit 1; }
while read -r kernel release <&4; do
	case " ${VM_SUITES:-$kernel} " in *" $kernel "*) ;; *) continue ;; esac
	module "$release" >"$work/$kernel-install.log" 2>&1
	installed=$?
	repeat "$kernel ($release)" "$work/$kernel-install.log"
	is "$installed $(grep -c '^1\.\.' "$work/$kernel-install.log")" "0 1" "$kernel ($release): the driver is installed and removed"
	[ $installed -eq 0 ] || diag "$(tail -n 30 "$work/$kernel-install.log")"
	[ -d "$work/module-$release" ] || continue
	packed=
	for s in $scenarios; do
		case " $(property "$s" kernels "$kernel") " in *" $kernel "*) ;; *) continue ;; esac
		want=$(property "$s" modules sovgpu)
		case $want in *sovgpu_kunit*)
			tries "$kernel ($release): the tests inside the kernel build" "$work/$kernel-kunit.log" \
				kunit "$release" || continue
			;;
		*sovgpu_covered*)
			tries "$kernel ($release): the driver builds so that it tells what is run" "$work/$kernel-cover.log" \
				covered "$release" || continue
			;;
		esac
		if [ "$want" != "$packed" ]; then
			# shellcheck disable=SC2086 # words
			tries "$kernel ($release): modules are packed: $want" "$work/$kernel-modules.log" \
				modules "$release" $want || continue
			packed=$want
		fi
		report "$kernel" "$release" "$s"
	done
done 4<"$VM_CACHE/kernels"
tap_done
