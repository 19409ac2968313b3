# SPDX-License-Identifier: MIT
# Host-dependent settings, and the function that runs commands in the chroot; sourced by the other
# scripts here.
: "${VM_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/sovgpu-vm}"
vm_root=$VM_CACHE/root

# Debian's kernels to boot, as NAME:SUITE:FLAVOUR, and QEMU's options, by architecture.
arch=$(dpkg --print-architecture)
case $arch in
arm64)
	vm_kernels="trixie:trixie:arm64 trixie-backports:trixie-backports:arm64 trixie-16k:trixie:arm64-16k"
	debug_image=arch/arm64/boot/Image
	qemu_package=qemu-system-arm
	qemu="qemu-system-aarch64 -M virt,gic-version=3,highmem-mmio-size=4T -cpu neoverse-n1"
	console=ttyAMA0
	;;
amd64)
	vm_kernels="trixie:trixie:amd64 trixie-backports:trixie-backports:amd64"
	debug_image=arch/x86/boot/bzImage
	qemu_package=qemu-system-x86
	# Each card and its port take 512 GiB of address space; with the default 40 bits the BIOS
	# would place the first over memory.
	qemu="qemu-system-x86_64 -M q35 -cpu qemu64,phys-bits=46"
	console=ttyS0
	;;
*) echo "vm: unsupported architecture $arch; supported: arm64 amd64" >&2 && exit 1 ;;
esac
# virtio-iommu notifies the card's process of mappings; QEMU's smmuv3 does not.
iommu="-device virtio-iommu-pci"
# KVM without the processor's virtualisation (kvm-pvm) cannot run Debian's kernels.
if [ -w /dev/kvm ] && { [ "$arch" != amd64 ] || grep -qwE 'vmx|svm' /proc/cpuinfo; }; then
	qemu="${qemu%-cpu *}-cpu host -accel kvm"
else
	qemu="$qemu -accel tcg,thread=multi"
fi

# inside [-k RELEASE] [-b FOLDER=NAME]... COMMAND... : runs a command in the chroot, in a mount
# namespace of its own, so that no mount remains. It sees the host's folders that -b names as
# /run/NAME. Tests write nowhere else, so several may use the chroot concurrently. With -k the
# chroot is a writable overlay in which that kernel is installed; /run/written holds the changes,
# which are discarded.
inside() {
	binds=
	installed=
	while :; do
		case $1 in
		-b) binds="$binds $2" ;;
		-k) installed=$2 ;;
		*) break ;;
		esac
		shift 2
	done
	BINDS=$binds INSTALLED=$installed unshare --mount --propagation private sh -euc '
		root=$1
		shift
		if [ -n "$INSTALLED" ]; then
			modules=usr/lib/modules/$INSTALLED
			mount -t tmpfs tmpfs "$root/mnt"
			cd "$root/mnt"
			mkdir -p root written/root written/modules work/root work/modules
			mount -t overlay overlay root \
				-o "lowerdir=$root,upperdir=written/root,workdir=work/root"
			mount -t overlay overlay "root/$modules" \
				-o "lowerdir=$root/kernel/$INSTALLED/$modules:$root/$modules" \
				-o upperdir=written/modules,workdir=work/modules
			BINDS="$BINDS $root/mnt/written=written"
			root=$root/mnt/root
		fi
		mount -t proc proc "$root/proc"
		mount -t tmpfs tmpfs "$root/run"
		[ ! -e /dev/kvm ] || mount --bind /dev/kvm "$root/dev/kvm"
		for b in $BINDS; do
			mkdir "$root/run/${b#*=}"
			mount --bind "${b%%=*}" "$root/run/${b#*=}"
		done
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive INITRD=No "$@"' inside "$vm_root" "$@"
}

# Prints a progress line to descriptor 3 if it is open; standard output holds the results.
progress() {
	{ echo "vm: $*" >&3; } 2>/dev/null || :
}
