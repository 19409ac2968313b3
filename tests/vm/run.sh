#!/bin/sh
# SPDX-License-Identifier: MIT
# Boots virtual machines with the modelled card and reports what happens inside as TAP. For each
# kernel of the cache (tests/vm/prepare.sh) the module is built by dkms in the chroot, packed with the
# programs of tests/vm/guest into an initramfs, and a scenario is run. The machine must come to its
# end, the card must have refused nothing, and the kernel must not have complained.
# A scenario is a script of tests/vm/guest with lines that say what the machine is like:
#   # cards: 2                how many cards (1)
#   # model: --fault silent   words for every sovgpu-model
#   usage: tests/vm/run.sh [SCENARIO]...     (all)
#   environment: BUILD (build)  VM_CACHE  VM_TIMEOUT (600 s a machine)  VM_SUITES (all prepared)
set -u
cd "$(dirname "$0")/../.."
. tests/vm/_machine.sh
. tests/tap.sh
: "${BUILD:=build}" "${VM_TIMEOUT:=600}"
work=$BUILD/vm
mkdir -p "$work"
[ $# -gt 0 ] || set -- $(grep -l '^# scenario' tests/vm/guest/*.sh | sed 's|.*/||; s|\.sh$||')
scenarios=$*

# What a kernel that is not well says.
complaints='BUG:|WARNING:|Oops|Call trace|possible .* dependency|INFO: .* (stall|blocked)|UBSAN|KASAN|DMA-API|unreferenced object|refcount_t'

module() { # release: sovgpu.ko by dkms, as a user would get it
	rm -rf "$vm_root/usr/src/sovgpu-"* "$vm_root/var/lib/dkms/sovgpu"
	make -s --no-print-directory dkms-source "DESTDIR=$vm_root" || return 1
	version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$vm_root"/usr/src/sovgpu-*/dkms.conf)
	inside timeout -k 10 600 dkms build -m sovgpu -v "$version" -k "$1" || return 1
	rm -rf "$vm_root/kernel/$1/usr/lib/modules/$1/updates"
	inside sh -euc '
		mkdir -p "/kernel/$1/usr/lib/modules/$1/updates"
		cp "/var/lib/dkms/sovgpu/$2/$1/$(uname -m)/module/"sovgpu.ko* "/kernel/$1/lib/modules/$1/updates/"
		depmod -b "/kernel/$1" "$1"' module "$1" "$version"
}

programs() { # the guest's test programs, static because nothing else is there
	inside -b "$PWD=/run/source" sh -euc '
		cd /run/source
		for source in tests/vm/guest/*.c; do
			name=${source##*/}
			gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -static -I. -I/usr/include/drm \
				-o "/stage/test/bin/${name%.c}" "$source" -pthread
		done'
}

initramfs() { # release
	stage=$vm_root/stage
	rm -rf "$stage"
	mkdir -p "$stage/bin" "$stage/test/bin" "$stage/lib/modules/$1"
	cp "$vm_root/usr/bin/busybox" "$stage/bin/busybox"
	cp tests/vm/guest/init "$stage/init"
	chmod 755 "$stage/init"
	cp tests/tap.sh tests/vm/guest/*.sh "$stage/test/"
	for part in fmc bootloader gsp; do
		path=usr/lib/firmware/nvidia/gh100/gsp/$part-570.144.bin
		install -D -m 644 "$vm_root/$path" "$stage/${path#usr/}" || return 1
	done
	programs || return 1
	# busybox's modprobe does not decompress: modules are packed as they are in memory.
	inside sh -euc '
		modprobe -d "/kernel/$1" -S "$1" --show-depends sovgpu | while read -r verb file; do
			[ "$verb" = insmod ] || continue
			to=/stage/lib/modules/$1/$(basename "${file%.xz}")
			case $file in *.xz) xzcat "$file" >"$to" ;; *) cp "$file" "$to" ;; esac
		done
		depmod -b /stage "$1"
		cd /stage && find . | cpio --quiet -o -H newc >/stage.cpio' initramfs "$1"
}

property() { # scenario, word, what it is otherwise
	value=$(sed -n "s/^# $2: //p" "tests/vm/guest/$1.sh")
	echo "${value:-$3}"
}

# boot RELEASE SCENARIO LOG : runs the machine to its end; QEMU's status. Every card is a process.
boot() {
	models=
	devices=
	: >"$3.card"
	for n in $(seq "$(property "$2" cards 1)"); do
		rm -f "$work/card$n"
		# shellcheck disable=SC2046 # words
		"$BUILD/sovgpu-model" --chip gh100 --socket "$work/card$n" --firmware "$vm_root/usr/lib/firmware" \
			$(property "$2" model "") >>"$3.card" 2>&1 &
		models="$models $!"
		devices="$devices -device pcie-root-port,id=slot$n,chassis=$n -device {\"driver\":\"vfio-user-pci\","
		devices="$devices\"bus\":\"slot$n\",\"socket\":{\"type\":\"unix\",\"path\":\"/run/vm/card$n\"}}"
		i=0
		while [ ! -S "$work/card$n" ] && [ $i -lt 100 ]; do
			sleep 0.1
			i=$((i + 1))
		done
	done
	# shellcheck disable=SC2086 # $qemu and $devices are words
	inside -b "$(realpath "$work")=/run/vm" timeout -k 10 "$VM_TIMEOUT" $qemu -smp 2 -m 1G \
		-object memory-backend-memfd,id=ram,size=1G,share=on -machine memory-backend=ram \
		-nodefaults -no-reboot -display none -serial stdio -kernel "/kernel/$1/vmlinuz" \
		-initrd /stage.cpio -append "console=$console quiet panic=-1 scenario=$2" $devices \
		</dev/null >"$3.raw" 2>&1
	status=$?
	tr -d '\r' <"$3.raw" >"$3"
	rm -f "$3.raw"
	model_status=0
	for m in $models; do
		# A machine that never connected leaves a card waiting.
		[ $status -eq 0 ] || kill "$m" 2>/dev/null
		wait "$m" || model_status=$?
	done
	return $status
}

report() { # suite, release, scenario
	name="$1 ($2), $3"
	log=$work/$1-$3.log
	boot "$2" "$3" "$log"
	is "$?" 0 "$name: the machine runs to its end"
	while read -r line; do
		case $line in
		"ok "*) ok 0 "$name: ${line#* - }" ;;
		"not ok "*) ok 1 "$name: ${line#* - }" ;;
		"# "*) echo "$line" ;;
		esac
	done <"$log"
	grep -q '^guest: end' "$log"
	ok $? "$name: the scenario comes to its end"
	is "$model_status" 0 "$name: the card refused nothing"
	diag "$(head -n 20 "$log.card")"
	bad=$(grep -E "$complaints" "$log" | head -n 20)
	is "$bad" "" "$name: the kernel does not complain"
}

while read -r suite release <&3; do
	case " ${VM_SUITES:-$suite} " in *" $suite "*) ;; *) continue ;; esac
	module "$release" >"$work/$suite-dkms.log" 2>&1
	built=$?
	ok $built "$suite ($release): dkms builds the module"
	[ $built -eq 0 ] || { diag "$(tail -n 30 "$work/$suite-dkms.log")"; continue; }
	initramfs "$release" >"$work/$suite-initramfs.log" 2>&1
	packed=$?
	ok $packed "$suite ($release): the machine's files are packed"
	[ $packed -eq 0 ] || { diag "$(tail -n 30 "$work/$suite-initramfs.log")"; continue; }
	for s in $scenarios; do
		report "$suite" "$release" "$s"
	done
done 3<"$VM_CACHE/kernels"
tap_done
