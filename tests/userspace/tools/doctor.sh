# SPDX-License-Identifier: MIT
# sov doctor finds what keeps a GPU from being used, and says the way out: on machines that are folders.
. tests/tap.sh
sov=$BUILD/sov
json=$BUILD/tests/tools/_json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset SOV_KMOD SOV_NVRM SOV_NVRM_ANY SOV_SOFT SOV_VISIBLE_DEVICES
me=$(id -u)
mine=$(id -g)
m=

# ---- machines, piece by piece ----
machine() { # name: a host without a GPU, whose user is 4711 in no group of ours
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
nvidia() { # version, mode of its files, word for the flavour
	mkdir -p "$m/sys/module/nvidia" "$m/proc/driver/nvidia/gpus/0000:01:00.0"
	echo "$1" >"$m/sys/module/nvidia/version"
	echo "NVRM version: NVIDIA UNIX ${3-Open Kernel Module} for aarch64  $1" >"$m/proc/driver/nvidia/version"
	printf 'Model: \t\t NVIDIA H200\nDevice Minor: \t 0\n' >"$m/proc/driver/nvidia/gpus/0000:01:00.0/information"
	for f in nvidiactl nvidia0; do
		: >"$m/dev/$f"
		chmod "$2" "$m/dev/$f"
	done
}

# ---- judging ----
# judge STATUS WAY "no|yes WHY" WAY-OUT PROMISE : of the machine made last
judge() {
	out=$("$sov" doctor --root "$m")
	status=$?
	line=$(echo "$out" | sed -n "s/^  $2  *\\(yes\\|no\\)  */\\1 /p" | head -n 1)
	next=$(echo "$out" | sed -n "/^  $2  /{n;s/^ *-> //p;}" | head -n 1)
	is "$status $line|$next" "$1 $3|$4" "$5"
}

machine nothing
out=$("$sov" doctor --root "$m")
is "$? $(echo "$out" | head -n 1)" "0 no NVIDIA or AMD GPU on the PCI bus" "no GPU is no illness"
touch "$m/.dockerenv"
has "$("$sov" doctor --root "$m")" "on the PCI bus; this is a container, which may not see it" "a container may hide one"

machine bare; h200
judge 1 kmod "no sovgpu.ko is not installed for kernel 6.12.1" "as root: make dkms-install" "a card alone needs a driver"
judge 1 nvrm "no NVIDIA's open kernel module is not loaded" \
	"install it (Debian: nvidia-open-kernel-dkms), then as root: modprobe nvidia" "ours or NVIDIA's"
machine nouveau; h200 nouveau; sovgpu installed
judge 1 kmod "no driver nouveau has the card" "keep that driver from loading (doc/sovgpu/modprobe.conf is an example), \
then as root: echo 0000:01:00.0 >/sys/bus/pci/drivers_probe" "nouveau has to go"
judge 1 nvrm "no NVIDIA's open kernel module is not loaded; driver nouveau has the card" \
	"install it (Debian: nvidia-open-kernel-dkms), then as root: modprobe nvidia" "for NVIDIA's as well"
machine vfio; h200 vfio-pci
judge 1 kmod "no driver vfio-pci has the card" "it is meant for a virtual machine: use it there, or take it back (as root: echo \
0000:01:00.0 >/sys/bus/pci/drivers/vfio-pci/unbind)" "a card that is handed through is told"
machine ada; card 0000:01:00.0 0x10de 0x2684
judge 1 kmod "no sovgpu.ko does not drive this chip (AD102); known: GH100" "use it by NVIDIA's open kernel module" \
	"a chip that sovgpu.ko does not know"
machine amd; card 0000:03:00.0 0x1002 0x73bf amdgpu
judge 1 nvrm "no it is not an NVIDIA GPU" "SOV_SOFT names software GPUs, which need no card" "one of AMD's"

machine no_firmware; h200; sovgpu loaded
judge 1 kmod "no firmware nvidia/gh100/gsp/fmc-570.144.bin is missing" "install it (Debian: firmware-nvidia-graphics of \
trixie-backports), then as root: modprobe -r sovgpu; modprobe sovgpu" "firmware that is missing is named"
rm -f "$m"/lib/firmware/nvidia/gh100/gsp/* && firmware .xz && rm "$m/lib/firmware/nvidia/gh100/gsp/gsp-570.144.bin.xz"
judge 1 kmod "no firmware nvidia/gh100/gsp/gsp-570.144.bin is missing" "install it (Debian: firmware-nvidia-graphics of \
trixie-backports), then as root: modprobe -r sovgpu; modprobe sovgpu" "every part of it, packed or not"
machine not_loaded; h200; sovgpu installed; firmware ""
judge 1 kmod "no sovgpu.ko is not loaded" "as root: modprobe sovgpu" "a module that is not loaded"
machine not_bound; h200; sovgpu loaded; firmware .zst
judge 1 kmod "no sovgpu.ko is loaded and did not take the card" \
	"the kernel's log says why (as root: dmesg | grep 0000:01:00.0)" "or did not take the card"
machine no_node; h200 sovgpu; sovgpu loaded
judge 1 kmod "no its file in /dev/dri is not there" "udev makes it (as root: udevadm trigger --subsystem-match=drm)" \
	"a file that is missing"
render 660 && rm "$m/dev/dri/renderD128" && touch "$m/.dockerenv"
judge 1 kmod "no /dev/dri/renderD128 is not there" "start the container with --device /dev/dri/renderD128" "in a container"
machine denied; h200 sovgpu; sovgpu loaded; render 660
judge 1 kmod "no user 4711 may not open /dev/dri/renderD128" \
	"join group render (as root: usermod -aG render NAME) and log in again" "a file of a group"
user 4711 "27 $mine"
judge 0 kmod "yes by /dev/dri/renderD128" "" "which one can join"
chmod 600 "$m/dev/dri/renderD128"
judge 1 kmod "no user 4711 may not open /dev/dri/renderD128" \
	"as root: chmod 666 /dev/dri/renderD128, or give it to a group that you are in" "one of its owner's alone"
user "$me" "$me"
judge 0 kmod "yes by /dev/dri/renderD128" "" "which is well for its owner"
out=$(SOV_KMOD=0 "$sov" doctor --root "$m")
is "$? $(echo "$out" | grep -c 'SOV_KMOD=0 switches it off')" "1 1" "what switches the way off is found"

machine nvidia; h200 nvidia; nvidia 580.95.05 666
judge 0 nvrm "yes by /dev/nvidia0" "" "NVIDIA's open module, 580"
judge 0 kmod "no driver nvidia has the card" "keep that driver from loading (doc/sovgpu/modprobe.conf is an example), \
then as root: echo 0000:01:00.0 >/sys/bus/pci/drivers_probe" "one way is enough"
machine old; h200 nvidia; nvidia 535.54.03 666
judge 1 nvrm "no NVIDIA's kernel module has version 535.54.03; known are 570 and 580" \
	"install one of those, or try this one with SOV_NVRM_ANY=1" "a version that is not known"
out=$(SOV_NVRM_ANY=1 "$sov" doctor --root "$m")
is $? 0 "can be tried"
machine ancient; h200 nvidia; nvidia 470.10 666
judge 1 nvrm "no NVIDIA's kernel module has version 470.10; known are 570 and 580" "install one of those" \
	"one that is too old cannot"
machine closed; h200 nvidia; nvidia 580.95.05 666 "x86_64 Kernel Module"
judge 1 nvrm "no NVIDIA's kernel module is the closed one, which has not been tried" \
	"install the open one (Debian: nvidia-open-kernel-dkms)" "the closed module"
machine nvidia_denied; h200 nvidia; nvidia 580.95.05 660
judge 1 nvrm "no user 4711 may not open /dev/nvidiactl" \
	"join group render (as root: usermod -aG render NAME) and log in again" "its files need permission too"
rm "$m/dev/nvidia0" && chmod 666 "$m/dev/nvidiactl"
judge 1 nvrm "no /dev/nvidia0 is not there" "as root: nvidia-modprobe -c 0, or mknod by hand" "and have to be there"
machine two; h200 nvidia; nvidia 580.95.05 666; card 0000:02:00.0 0x10de 0x2335 nouveau
out=$("$sov" doctor --root "$m")
is "$? $(echo "$out" | tail -n 1)" "1 1 of 2 GPUs cannot be used" "of two GPUs one may be well"

# ---- the host ----
machine host
sed -i 's/unlimited            unlimited/8388608              8388608  /' "$m/proc/self/limits"
has "$("$sov" doctor --root "$m")" "8192 KiB of memory can be pinned" "little memory to pin is a note"
has "$(SOV_CACHE_DIR=$m/etc/group/none "$sov" doctor --root "$m")" \
	"compiled programs cannot be kept in $m/etc/group/none: each run compiles again" "so is no cache"
has "$(SOV_SOFT=none "$sov" doctor --root "$m")" "SOV_SOFT=none switches software GPUs off" "and no software GPU"
has "$(SOV_VISIBLE_DEVICES= "$sov" doctor --root "$m")" "-> unset SOV_VISIBLE_DEVICES" "and hidden devices"
for machine in "$dir"/*/; do
	"$sov" doctor --json --root "$machine" | "$json" || echo "$machine"
done >"$dir/bad"
is "$(cat "$dir/bad")" "" "every machine is described in JSON"
out=$(SOV_KMOD=0 SOV_NVRM=0 "$sov" doctor)
is "$(echo "$out" | sed -n 's/^the library finds //p')" "1 device: 0 = gh100.0 by soft" "this machine is asked for what it has"
out=$(SOV_KMOD=0 SOV_NVRM=0 SOV_SOFT=nosuch "$sov" doctor)
is "$? $(echo "$out" | sed -n 's/^the library finds \([A-Z_]*\):.*/\1/p')" "1 SOV_ERROR_INVALID_ARGUMENT" \
	"and what the library says when it cannot"
tap_done
