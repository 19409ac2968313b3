# SPDX-License-Identifier: MIT
# sov doctor diagnoses unusable GPUs and names the remedy, on machines simulated by folders.
. tests/tap.sh
sov=$BUILD/sov
json=$BUILD/tests/tools/_json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset SOV_KMOD SOV_NVRM SOV_NVRM_ANY SOV_KFD SOV_SOFT SOV_VISIBLE_DEVICES
me=$(id -u)
mine=$(id -g)
m=

# ---- simulated machines ----
machine() { # name: a host without a GPU; the user is 4711 and not in our group
	m=$dir/$1
	mkdir -p "$m/sys/bus/pci/devices" "$m/sys/module" "$m/proc/self" "$m/proc/sys/kernel" "$m/dev" "$m/etc" \
		"$m/lib/modules/6.12.1/kernel"
	echo 6.12.1 >"$m/proc/sys/kernel/osrelease"
	user 4711 4711
	printf 'Limit                     Soft Limit           Hard Limit           Units\n%s\n' \
		'Max locked memory         unlimited            unlimited            bytes' >"$m/proc/self/limits"
	printf 'root:x:0:\nrender:x:%s:\n' "$mine" >"$m/etc/group"
}
user() { # number, groups
	printf 'Name:\tsov\nUid:\t%s\t%s\t%s\t%s\nGid:\t%s\t%s\t%s\t%s\nGroups:\t%s \n' \
		"$1" "$1" "$1" "$1" "$1" "$1" "$1" "$1" "$2" >"$m/proc/self/status"
}
card() { # address, vendor, device, driver or nothing
	c=$m/sys/bus/pci/devices/$1
	mkdir -p "$c"
	echo 0x030200 >"$c/class"
	echo "$2" >"$c/vendor"
	echo "$3" >"$c/device"
	[ -z "${4-}" ] || ln -s "../../../bus/pci/drivers/$4" "$c/driver"
}
h200() { card 0000:01:00.0 0x10de 0x2335 "${1-}"; }
sovgpu() { # installed or loaded
	echo updates/dkms/sovgpu.ko: >"$m/lib/modules/6.12.1/modules.dep"
	[ "$1" != loaded ] || mkdir -p "$m/sys/module/sovgpu"
}
firmware() { # suffix
	mkdir -p "$m/lib/firmware/nvidia/gh100/gsp"
	for part in fmc bootloader gsp; do
		: >"$m/lib/firmware/nvidia/gh100/gsp/$part-570.144.bin$1"
	done
}
render() { # mode
	mkdir -p "$m/sys/bus/pci/devices/0000:01:00.0/drm/renderD128" "$m/dev/dri"
	: >"$m/dev/dri/renderD128"
	chmod "$1" "$m/dev/dri/renderD128"
}
nvidia() { # version, mode of its device files, module flavour
	mkdir -p "$m/sys/module/nvidia" "$m/proc/driver/nvidia/gpus/0000:01:00.0"
	echo "$1" >"$m/sys/module/nvidia/version"
	echo "NVRM version: NVIDIA UNIX ${3-Open Kernel Module} for aarch64  $1" >"$m/proc/driver/nvidia/version"
	printf 'Model: \t\t NVIDIA H200\nDevice Minor: \t 0\n' >"$m/proc/driver/nvidia/gpus/0000:01:00.0/information"
	for f in nvidiactl nvidia0; do
		: >"$m/dev/$f"
		chmod "$2" "$m/dev/$f"
	done
}

# ---- GPUs ----
# diagnose STATUS WINSYS "no|yes REASON" REMEDY TEST-NAME : runs sov doctor on the last machine
diagnose() {
	out=$("$sov" doctor --root "$m")
	status=$?
	line=$(echo "$out" | sed -n "s/^  $2  *\\(yes\\|no\\)  */\\1 /p" | head -n 1)
	next=$(echo "$out" | sed -n "/^  $2  /{n;s/^ *-> //p;}" | head -n 1)
	is "$status $line|$next" "$1 $3|$4" "$5"
}

machine nothing
out=$("$sov" doctor --root "$m")
is "$? $(echo "$out" | head -n 1)" "0 no NVIDIA or AMD GPU on the PCI bus" \
	"sov doctor succeeds on a machine without a GPU"
touch "$m/.dockerenv"
has "$("$sov" doctor --root "$m")" "on the PCI bus; a GPU may be hidden from this container" \
	"sov doctor says that a container may hide a GPU"

machine bare; h200
diagnose 1 kmod "no sovgpu.ko is not installed for kernel 6.12.1" "as root: make dkms-install" \
	"doctor: sovgpu.ko is not installed"
diagnose 1 nvrm "no NVIDIA's open kernel module is not loaded" \
	"install it (Debian: nvidia-open-kernel-dkms), then as root: modprobe nvidia" \
	"doctor: NVIDIA's module is not loaded"
machine nouveau; h200 nouveau; sovgpu installed
diagnose 1 kmod "no the GPU is bound to driver nouveau" "keep that driver from loading (/usr/share/doc/sovgpu/modprobe.conf is an example), \
then as root: echo 0000:01:00.0 >/sys/bus/pci/drivers_probe" \
	"doctor: nouveau is bound, remedy for kmod"
diagnose 1 nvrm "no NVIDIA's open kernel module is not loaded; the GPU is bound to driver nouveau" \
	"install it (Debian: nvidia-open-kernel-dkms), then as root: modprobe nvidia" \
	"doctor: nouveau is bound, remedy for nvrm"
machine vfio; h200 vfio-pci
diagnose 1 kmod "no the GPU is bound to driver vfio-pci" "it is passed through to a virtual machine: use it there, or unbind it (as root: echo \
0000:01:00.0 >/sys/bus/pci/drivers/vfio-pci/unbind)" \
	"doctor: the GPU is passed through to a virtual machine"
machine ada; card 0000:01:00.0 0x10de 0x2684
diagnose 1 kmod "no sovgpu.ko does not support this chip (AD102); supported: GH100" "use it with NVIDIA's open kernel module" \
	"doctor: sovgpu.ko does not support the chip"
machine amd; card 0000:03:00.0 0x1002 0x73bf amdgpu
diagnose 1 nvrm "no this is not an NVIDIA GPU" "SOV_SOFT names software GPUs, which need no hardware" \
	"doctor: nvrm does not support AMD GPUs"

amdgpu() { # PCI device id, driver, mode of /dev/kfd and of the render node
	card 0000:01:00.0 0x1002 "$1" "$2"
	mkdir -p "$m/sys/module/amdgpu"
	render "$4"
	[ -z "$3" ] || { : >"$m/dev/kfd" && chmod "$3" "$m/dev/kfd"; }
}
diagnose 1 kfd "no amdgpu is not loaded" \
	"as root: modprobe amdgpu (Debian: its firmware is in firmware-amd-graphics)" \
	"doctor: amdgpu is not loaded"
machine amd_kmod; amdgpu 0x73bf amdgpu 666 666
diagnose 0 kfd "yes through /dev/kfd" "" "doctor: an AMD GPU is usable through /dev/kfd"
diagnose 0 kmod "no sovgpu.ko does not support this chip (Navi 21); supported: GH100" "use it with amdgpu" \
	"doctor: sovgpu.ko does not support an AMD GPU, amdgpu does"
for pair in 0x73df:Navi_22 0x73ff:Navi_23 0x163f:Van_Gogh 0x743f:Navi_24 0x1681:Rembrandt 0x164e:Raphael; do
	machine "amd_${pair%:*}"; amdgpu "${pair%:*}" amdgpu 666 666
	has "$("$sov" doctor --root "$m")" "$(echo "${pair#*:}" | tr _ ' '), driver amdgpu" \
		"doctor: $(echo "${pair#*:}" | tr _ ' ') is a chip that libsov has code for"
done
machine amd_new; amdgpu 0x744c amdgpu 666 666
diagnose 1 kfd "no the library does not support this chip (an unknown AMD chip); supported: gfx1030 to gfx1036" \
	"SOV_SOFT names software GPUs, which need no hardware" "doctor: an AMD chip without code is refused"
machine amd_vfio; amdgpu 0x73bf vfio-pci 666 666
diagnose 1 kfd "no the GPU is bound to driver vfio-pci" "as root: echo 0000:01:00.0 \
>/sys/bus/pci/drivers/vfio-pci/unbind; echo 0000:01:00.0 >/sys/bus/pci/drivers/amdgpu/bind" \
	"doctor: another driver has the AMD GPU"
machine amd_arm64; amdgpu 0x73bf amdgpu "" 666
diagnose 1 kfd "no /dev/kfd does not exist" \
	"boot a kernel that is built with CONFIG_HSA_AMD (Debian's 6.12 for arm64 is not)" "doctor: /dev/kfd is missing"
touch "$m/.dockerenv"
diagnose 1 kfd "no /dev/kfd does not exist" "start the container with --device /dev/kfd --device /dev/dri/renderD128" \
	"doctor: /dev/kfd is missing in a container"
machine amd_denied; amdgpu 0x73bf amdgpu 660 666
diagnose 1 kfd "no user 4711 has no permission to open /dev/kfd" \
	"join group render (as root: usermod -aG render NAME) and log in again" "doctor: /dev/kfd is not accessible"
machine amd_render; amdgpu 0x73bf amdgpu 666 660
diagnose 1 kfd "no user 4711 has no permission to open /dev/dri/renderD128" \
	"join group render (as root: usermod -aG render NAME) and log in again" "doctor: an AMD GPU's render node is not accessible"
export SOV_KFD=0
diagnose 1 kfd "no SOV_KFD=0 disables it" "unset SOV_KFD" "doctor: SOV_KFD=0 disables amdgpu's GPUs"
unset SOV_KFD

machine no_firmware; h200; sovgpu loaded
diagnose 1 kmod "no firmware nvidia/gh100/gsp/fmc-570.144.bin is missing" "install it (Debian: firmware-nvidia-graphics of \
trixie-backports), then as root: modprobe -r sovgpu; modprobe sovgpu" \
	"doctor: all firmware is missing"
rm -f "$m"/lib/firmware/nvidia/gh100/gsp/* && firmware .xz && rm "$m/lib/firmware/nvidia/gh100/gsp/gsp-570.144.bin.xz"
diagnose 1 kmod "no firmware nvidia/gh100/gsp/gsp-570.144.bin is missing" "install it (Debian: firmware-nvidia-graphics of \
trixie-backports), then as root: modprobe -r sovgpu; modprobe sovgpu" \
	"doctor: one firmware file is missing, the others are compressed"
# Every chip of kmod/nv/chip_list.h has its own folder of firmware; the first PCI id of a row is in hw/chips.h.
version=$(sed -n 's/^#define NV_GSP_VERSION "\(.*\)"/\1/p' hw/nv/gsp_570.h)
for chip in $(sed -n '/define NV_DRIVER_CHIPS/,$p' kmod/nv/chip_list.h | grep -o 'SOV_NV_[A-Z0-9]*'); do
	id=$(sed -n "s/^#define $chip(X).* \(0x[0-9a-f]*\), 0x[0-9a-f]*)$/\1/p" hw/chips.h)
	name=$(sed -n "s/^#define $chip(X) X(\([a-z0-9]*\),.*/\1/p" hw/chips.h)
	machine "firmware_$name"; card 0000:01:00.0 0x10de "$id"; sovgpu loaded
	has "$("$sov" doctor --root "$m")" "firmware nvidia/$name/gsp/fmc-$version.bin is missing" \
		"doctor: the firmware path of $name follows from its row in hw/chips.h"
done
machine not_loaded; h200; sovgpu installed; firmware ""
diagnose 1 kmod "no sovgpu.ko is not loaded" "as root: modprobe sovgpu" \
	"doctor: sovgpu.ko is not loaded"
machine not_bound; h200; sovgpu loaded; firmware .zst
diagnose 1 kmod "no sovgpu.ko is loaded but did not bind the GPU" \
	"the kernel's log says why (as root: dmesg | grep 0000:01:00.0)" \
	"doctor: sovgpu.ko did not bind the GPU"
machine no_node; h200 sovgpu; sovgpu loaded
diagnose 1 kmod "no its render node in /dev/dri does not exist" "let udev create it (as root: udevadm trigger --subsystem-match=drm)" \
	"doctor: the render node is missing"
render 660 && rm "$m/dev/dri/renderD128" && touch "$m/.dockerenv"
diagnose 1 kmod "no /dev/dri/renderD128 does not exist" "start the container with --device /dev/dri/renderD128" \
	"doctor: the render node is missing in a container"
machine denied; h200 sovgpu; sovgpu loaded; render 660
diagnose 1 kmod "no user 4711 has no permission to open /dev/dri/renderD128" \
	"join group render (as root: usermod -aG render NAME) and log in again" \
	"doctor: the user is not in the group of the render node"
user 4711 "27 $mine"
diagnose 0 kmod "yes through /dev/dri/renderD128" "" \
	"doctor: the user is in the group of the render node"
chmod 600 "$m/dev/dri/renderD128"
diagnose 1 kmod "no user 4711 has no permission to open /dev/dri/renderD128" \
	"as root: chmod 666 /dev/dri/renderD128, or give it to a group of yours (chgrp)" \
	"doctor: only the owner has access to the render node"
user "$me" "$me"
diagnose 0 kmod "yes through /dev/dri/renderD128" "" "doctor: the user owns the render node"
out=$(SOV_KMOD=0 "$sov" doctor --root "$m")
is "$? $(echo "$out" | grep -c 'SOV_KMOD=0 disables it')" "1 1" \
	"doctor: SOV_KMOD=0 disables the winsys"

machine nvidia; h200 nvidia; nvidia 580.95.05 666
diagnose 0 nvrm "yes through /dev/nvidia0" "" "doctor: nvrm is usable with the open module 580"
diagnose 0 kmod "no the GPU is bound to driver nvidia" "keep that driver from loading (/usr/share/doc/sovgpu/modprobe.conf is an example), \
then as root: echo 0000:01:00.0 >/sys/bus/pci/drivers_probe" \
	"doctor: one usable winsys suffices for exit status 0"
machine old; h200 nvidia; nvidia 535.54.03 666
diagnose 1 nvrm "no NVIDIA's kernel module has version 535.54.03; supported: 570 and 580" \
	"install one of those, or try this one with SOV_NVRM_ANY=1" \
	"doctor: the version of NVIDIA's module is unsupported"
out=$(SOV_NVRM_ANY=1 "$sov" doctor --root "$m")
is $? 0 "doctor: SOV_NVRM_ANY=1 accepts an unsupported version"
machine ancient; h200 nvidia; nvidia 470.10 666
diagnose 1 nvrm "no NVIDIA's kernel module has version 470.10; supported: 570 and 580" "install one of those" \
	"doctor: SOV_NVRM_ANY=1 is no remedy for a version that is too old"
machine closed; h200 nvidia; nvidia 580.95.05 666 "x86_64 Kernel Module"
diagnose 1 nvrm "no NVIDIA's kernel module is the closed one, which is untested" \
	"install the open one (Debian: nvidia-open-kernel-dkms)" \
	"doctor: NVIDIA's module is the closed one"
machine nvidia_denied; h200 nvidia; nvidia 580.95.05 660
diagnose 1 nvrm "no user 4711 has no permission to open /dev/nvidiactl" \
	"join group render (as root: usermod -aG render NAME) and log in again" \
	"doctor: the user has no access to /dev/nvidiactl"
rm "$m/dev/nvidia0" && chmod 666 "$m/dev/nvidiactl"
diagnose 1 nvrm "no /dev/nvidia0 does not exist" "as root: nvidia-modprobe -c 0, or mknod by hand" \
	"doctor: /dev/nvidia0 is missing"
machine two; h200 nvidia; nvidia 580.95.05 666; card 0000:02:00.0 0x10de 0x2335 nouveau
out=$("$sov" doctor --root "$m")
is "$? $(echo "$out" | tail -n 1)" "1 1 of 2 GPUs are unusable" \
	"sov doctor exits with 1 if one of two GPUs is unusable"

# ---- the host ----
machine host
sed -i 's/unlimited            unlimited/8388608              8388608  /' "$m/proc/self/limits"
has "$("$sov" doctor --root "$m")" "the limit on pinned memory is 8192 KiB" \
	"sov doctor notes a low limit on pinned memory"
has "$(SOV_CACHE_DIR=$m/etc/group/none "$sov" doctor --root "$m")" \
	"cannot write the cache folder $m/etc/group/none: each run compiles its kernels again" \
	"sov doctor notes a cache folder that cannot be written"
has "$(SOV_SOFT=none "$sov" doctor --root "$m")" "SOV_SOFT=none disables software GPUs" \
	"sov doctor notes disabled software GPUs"
has "$(SOV_VISIBLE_DEVICES= "$sov" doctor --root "$m")" "-> unset SOV_VISIBLE_DEVICES" \
	"sov doctor notes hidden devices"
for machine in "$dir"/*/; do
	"$sov" doctor --json --root "$machine" | "$json" || echo "$machine"
done >"$dir/bad"
is "$(cat "$dir/bad")" "" "sov doctor --json prints valid JSON for every machine"
out=$(SOV_KMOD=0 SOV_NVRM=0 "$sov" doctor)
is "$(echo "$out" | sed -n 's/^the library finds //p')" "1 device: 0 = gh100.0 by soft" \
	"sov doctor prints the devices that the library finds"
out=$(SOV_KMOD=0 SOV_NVRM=0 SOV_SOFT=nosuch "$sov" doctor)
is "$? $(echo "$out" | sed -n 's/^the library finds \([A-Z_]*\):.*/\1/p')" "1 SOV_ERROR_INVALID_ARGUMENT" \
	"sov doctor prints the library's error and exits with 1"
tap_done
