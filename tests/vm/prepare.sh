#!/bin/sh
# SPDX-License-Identifier: MIT
# Prepares the virtual machines' cache, once: a Debian trixie chroot with QEMU, a compiler, dkms,
# Debian's kernels of _machine.sh with their headers, the firmware, and a kernel with debug checkers
# (debug_kernel.sh). Suites are fixed, versions are the archive's; `kernels` in the cache lists
# them. Needs root and Debian's archive, which it takes from apt's settings. About 3 GiB. Exits with
# 77, after a line with the reason, if this machine cannot run virtual machines.
#   usage: tests/vm/prepare.sh
#   environment: VM_CACHE (~/.cache/sovgpu-vm): remove it to start over; none: skip virtual machines
#                VM_AMD64=1: on an x86-64 host, too
set -eu
cd "$(dirname "$0")/../.."
cannot() {
	echo "vm: SKIP: $*"
	exit 77
}
[ "${VM_CACHE:-}" != none ] || cannot "VM_CACHE=none"
command -v dpkg >/dev/null ||
	cannot "the virtual machines are built from Debian packages, and this is not Debian"
. tests/vm/_machine.sh
[ "$arch" = arm64 ] || [ "${VM_AMD64:-}" = 1 ] ||
	cannot "no x86-64 host has run these machines to their end yet; VM_AMD64=1 tries"
[ "$(id -u)" -eq 0 ] || cannot "a chroot needs root"
unshare --mount --propagation private true 2>/dev/null || cannot "mount namespaces are not permitted"

# Each part of the cache is rebuilt when the scripts that build it change.
debian_sum=$(cat tests/vm/prepare.sh tests/vm/_machine.sh | cksum)
debug_sum=$(cat tests/vm/debug_kernel.sh tests/vm/debug.config "tests/vm/debug-$arch.config" | cksum)
up_to_date() { # part, sum
	[ "$(cat "$VM_CACHE/made-$1" 2>/dev/null)" = "$2" ]
}
ready() {
	up_to_date debian "$debian_sum" && up_to_date debug "$debug_sum"
}
! ready || exit 0

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -v security |
	head -n 1)
[ -n "$mirror" ] || cannot "no Debian archive in apt's settings; run apt-get update"
command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null 2>&1 ||
	cannot "apt-get cannot install debootstrap"

mkdir -p "$VM_CACHE"
exec 9>"$VM_CACHE/lock"
flock -w 3600 9 || { echo "vm: another process has been preparing $VM_CACHE for an hour" >&2; exit 1; }
! ready || exit 0
log=$VM_CACHE/prepare.log
begin=$(date +%s)
say() {
	echo "vm: $* ($(($(date +%s) - begin)) s)"
}
fail() {
	tail -n 30 "$log"
	echo "vm: preparing failed at: $*; the whole log is $log" >&2
	exit 1
}
quietly() {
	timeout -k 30 3600 "$@" >>"$log" 2>&1 || fail "$@"
}
quietly_inside() {
	inside "$@" >>"$log" 2>&1 || fail "$@"
}
install_from() { # suite, packages
	suite=$1
	shift
	quietly_inside apt-get install -y -qq --no-install-recommends -t "$suite" "$@"
}

# Unpacks a Debian kernel without installing it, because this chroot is never booted.
kernel() { # name, suite, flavour
	image=$(inside apt-cache -o "APT::Default-Release=$2" depends "linux-image-$3" |
		awk '/Depends: linux-image-/ { print $2; exit }')
	release=${image#linux-image-}
	[ -n "$release" ] || fail "package linux-image-$3 is not in $2"
	echo "$1 $release" >>"$VM_CACHE/kernels.new"
	say "kernel $release"
	install_from "$2" "linux-headers-$release"
	[ ! -e "$vm_root/kernel/$release/vmlinuz" ] || return 0
	# Newer kernels consist of several packages.
	parts=$(inside apt-cache depends "$image" | awk -v r="$release" '$1 == "Depends:" && $2 ~ "^linux-" &&
		substr($2, length($2) - length(r) + 1) == r { print $2 }')
	# shellcheck disable=SC2086 # a list of words
	quietly_inside sh -euc '
		release=$1
		shift
		rm -rf "/kernel/$release"
		mkdir -p "/kernel/$release/deb"
		cd "/kernel/$release/deb"
		apt-get download -qq "$@"
		for deb in *.deb; do
			dpkg -x "$deb" ..
		done
		rm -r "/kernel/$release/deb"
		ln -s usr/lib "/kernel/$release/lib"
		cd "/kernel/$release"
		depmod -b "/kernel/$release" "$release"
		cp "$(ls "boot/vmlinuz-$release" "lib/modules/$release/vmlinuz" 2>/dev/null | head -n 1)" vmlinuz' \
		unpack "$release" "$image" $parts
}

debian() {
	if [ ! -e "$VM_CACHE/bootstrapped" ]; then
		say "Debian trixie in $vm_root"
		rm -rf --one-file-system "$vm_root"
		quietly debootstrap --variant=minbase trixie "$vm_root" "$mirror"
		touch "$VM_CACHE/bootstrapped"
	fi
	touch "$vm_root/dev/kvm" # mount point for the host's device
	cp -r /etc/apt/apt.conf.d "$vm_root/etc/apt/" # the archive may need a proxy
	for s in trixie trixie-updates trixie-backports; do
		echo "deb $mirror $s main non-free-firmware"
	done >"$vm_root/etc/apt/sources.list"
	quietly_inside dpkg --configure -a # if an earlier preparation was interrupted
	quietly_inside apt-get update -qq
	say "compiler, QEMU, firmware"
	install_from trixie gcc make libc6-dev libelf-dev perl xz-utils cpio pciutils kmod busybox-static dkms \
		udev sparse flex bison bc
	install_from trixie-backports "$qemu_package" firmware-nvidia-graphics
	: >"$VM_CACHE/kernels.new"
	for k in $vm_kernels; do
		# shellcheck disable=SC2046 # three words
		kernel $(echo "$k" | tr : ' ')
	done
	quietly_inside apt-get clean
	# Tests install the driver in copies of this chroot; remove what earlier versions installed
	# here.
	quietly_inside sh -c 'rm -rf /usr/src/sovgpu-* /var/lib/dkms/sovgpu /lib/modules/*/updates \
		/kernel/*/lib/modules/*/updates'
	mv "$VM_CACHE/kernels.new" "$VM_CACHE/kernels-debian"
	echo "$debian_sum" >"$VM_CACHE/made-debian"
}

debug() {
	say "debug kernel"
	inside -b "$PWD/tests/vm=tests" sh /run/tests/debug_kernel.sh trixie "$arch" "$debug_image" 2>>"$log" |
		while read -r line; do say "debug kernel: $line"; done
	[ -s "$vm_root/debug/release" ] || fail "the debug kernel"
	echo "$debug_sum" >"$VM_CACHE/made-debug"
}

# A function, so that the shell has read the whole file before it starts the long work.
all() {
	: >"$log"
	up_to_date debian "$debian_sum" || debian
	up_to_date debug "$debug_sum" || debug
	{
		cat "$VM_CACHE/kernels-debian"
		echo "trixie-debug $(cat "$vm_root/debug/release")"
	} >"$VM_CACHE/kernels"
	say "ready"
	sed 's/^/vm:   /' "$VM_CACHE/kernels"
	exit
}
all
