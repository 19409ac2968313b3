#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes what the virtual machines need, once: a Debian trixie in a folder with QEMU, a compiler, dkms,
# the stock kernels of trixie and of trixie-backports with their headers, and the firmware. Suites are
# named here, versions are whatever the archive has; `kernels` in the cache lists them.
# Needs root and Debian's archive, which it finds in apt's own settings. About 2 GiB and a few minutes.
#   usage: tests/vm/prepare.sh       environment: VM_CACHE (~/.cache/sovgpu-vm); remove it to start anew
set -eu
cd "$(dirname "$0")/../.."
. tests/vm/_machine.sh
stamp=$VM_CACHE/ready
sum=$(cksum <tests/vm/prepare.sh)
[ "$(cat "$stamp" 2>/dev/null)" != "$sum" ] || exit 0
[ "$(id -u)" -eq 0 ] || { echo "vm: a chroot needs root" >&2; exit 1; }
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
[ -n "$mirror" ] || { echo "vm: no Debian archive in apt's settings; run apt-get update" >&2; exit 1; }
command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null

mkdir -p "$VM_CACHE"
exec 9>"$VM_CACHE/lock"
flock -w 3600 9 || { echo "vm: somebody else prepares $VM_CACHE since an hour" >&2; exit 1; }
log=$VM_CACHE/prepare.log
quietly() {
	timeout -k 30 3600 "$@" >>"$log" 2>&1 || {
		tail -n 30 "$log"
		echo "vm: preparing failed at: $*; the whole log is $log" >&2
		exit 1
	}
}
quietly_inside() {
	inside "$@" >>"$log" 2>&1 || {
		tail -n 30 "$log"
		echo "vm: preparing failed at: $*; the whole log is $log" >&2
		exit 1
	}
}
install_from() { # suite, packages
	suite=$1
	shift
	quietly_inside apt-get install -y -qq --no-install-recommends -t "$suite" "$@"
}

: >"$log"
if [ ! -e "$VM_CACHE/bootstrapped" ]; then
	echo "vm: Debian trixie in $vm_root"
	rm -rf --one-file-system "$vm_root"
	quietly debootstrap --variant=minbase trixie "$vm_root" "$mirror"
	touch "$VM_CACHE/bootstrapped"
fi
touch "$vm_root/dev/kvm" # to mount the machine's own on
cp -r /etc/apt/apt.conf.d "$vm_root/etc/apt/" # the way to the archive may need a proxy
for s in trixie trixie-updates trixie-backports; do
	echo "deb $mirror $s main non-free-firmware"
done >"$vm_root/etc/apt/sources.list"
quietly_inside apt-get update -qq

echo "vm: kernels, compiler, QEMU, firmware"
install_from trixie gcc make libc6-dev libelf-dev perl xz-utils cpio pciutils kmod busybox-static dkms sparse
: >"$VM_CACHE/kernels.new"
for s in $vm_suites; do
	image=$(inside apt-cache -o "APT::Default-Release=$s" depends "linux-image-$arch" |
		awk '/Depends: linux-image-/ { print $2; exit }')
	release=${image#linux-image-}
	[ -n "$release" ] || { echo "vm: no linux-image-$arch in $s" >&2; exit 1; }
	install_from "$s" "linux-headers-$release"
	# Unpacked, not installed: nobody boots this chroot. Newer kernels come in several packages.
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
		cp "$(ls "boot/vmlinuz-$release" "lib/modules/$release/vmlinuz" 2>/dev/null | head -n 1)" vmlinuz
		depmod -b "/kernel/$release" "$release"' unpack "$release" "$image" $parts
	echo "$s $release" >>"$VM_CACHE/kernels.new"
done
install_from trixie-backports "$qemu_package" firmware-nvidia-graphics
# checkpatch comes only with the whole source.
quietly_inside sh -euc '
	rm -rf /checkpatch && mkdir /checkpatch && cd /checkpatch
	apt-get download -qq "$(apt-cache -o APT::Default-Release=trixie-backports depends linux-source |
		sed -n "s/.*Depends: \(linux-source-.*\)/\1/p" | head -n 1)"
	dpkg -x linux-source-*.deb .
	tar -xf usr/src/linux-source-*.tar.xz --strip-components=2 --wildcards "*/scripts/checkpatch.pl" \
		"*/scripts/spelling.txt" "*/scripts/const_structs.checkpatch"
	rm -r usr linux-source-*.deb'
quietly_inside apt-get clean
mv "$VM_CACHE/kernels.new" "$VM_CACHE/kernels"
echo "$sum" >"$stamp"
sed 's/^/vm: /' "$VM_CACHE/kernels"
