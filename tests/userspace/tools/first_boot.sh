# SPDX-License-Identifier: MIT
# sov doctor --first-boot collects the state of a machine, simulated by a folder, in one tar archive.
. tests/tap.sh
sov=$BUILD/sov
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
m=$dir/machine
gpu=$m/sys/bus/pci/devices/0000:01:00.0

file() { # path below the machine, text
	mkdir -p "$(dirname "$m$1")"
	printf '%s\n' "$2" >"$m$1"
}
archive=$dir/first.tar
collect() { # arguments
	out=$("$sov" doctor --root "$m" --first-boot "$archive" "$@" 2>&1)
}
report() {
	tar -xOf "$archive" report.txt
}
section() { # path: the lines of its section
	report | awk -v path="== $1" '/^== / { on = $0 == path; next } on && $0 != ""'
}

# ---- a machine without anything ----
mkdir -p "$m"
collect
is "$? $(echo "$out" | grep -c "^wrote $archive: report.txt and 0 files; ")" "0 1" \
	"first boot: a machine without any file gives an archive"
is "$(tar -tf "$archive")" report.txt "first boot: that archive has the report alone"
is "$(report | sed -n 's/^missing: //p' | sort -u)" "No such file or directory" \
	"first boot: every source is listed as missing, with the reason"
sources=$(report | grep -c '^== ')
has "$out" "$sources of $sources sources are missing, as report.txt says" \
	"first boot: sov counts the missing sources"

# ---- a machine whose GPU did not boot ----
file /proc/version "Linux version 6.12.1"
file /proc/sys/kernel/osrelease 6.12.1
printf 'Name:\tsov\nUid:\t0\t0\t0\t0\n' >"$dir/status" && mkdir -p "$m/proc/self" && mv "$dir/status" "$m/proc/self/status"
file /sys/kernel/security/lockdown "none [integrity] confidentiality"
mkdir -p "$m/sys/firmware/efi/efivars"
printf '\006\000\000\000\001' >"$m/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
file /sys/module/sovgpu/parameters/probe_only Y
file /sys/module/sovgpu/parameters/max_vms 64
file /etc/modprobe.d/gpu.conf "blacklist nouveau"
file /lib/firmware/nvidia/gh100/gsp/fmc-570.144.bin abc
file /lib/firmware/nvidia/gh100/gsp/gsp-535.113.bin.xz other
file /dev/kmsg '6,1,5140900,-;sovgpu 0000:01:00.0: [drm] gh100, 132 SMs
 SUBSYSTEM=pci
6,2,5140901,-;usb 1-1: new device
3,3,5240000,-;pcieport 0000:00:01.0: AER: Uncorrectable error'
mkdir -p "$m/sys/devices/bridge/gpu" "$m/sys/bus/pci/devices" "$m/sys/kernel/iommu_groups/7/devices"
ln -s ../../../devices/bridge/gpu "$gpu"
ln -s ../../../kernel/iommu_groups/7 "$gpu/iommu_group"
ln -s ../../../bus/pci/drivers/nouveau "$gpu/driver"
touch "$m/sys/kernel/iommu_groups/7/devices/0000:01:00.0" "$m/sys/kernel/iommu_groups/7/devices/0000:01:00.1"
file /sys/kernel/iommu_groups/7/type DMA-FQ
for row in vendor:0x10de device:0x2335 class:0x030200 current_link_width:16; do
	echo "${row#*:}" >"$gpu/${row%:*}"
done
echo 0x1022 >"$m/sys/devices/bridge/vendor"
head -c 256 /dev/zero >"$gpu/config"
mkdir -p "$m/sys/kernel/debug/sovgpu/0000:01:00.0" "$m/sys/class/devcoredump/devcd1"
head -c 65536 /dev/urandom >"$m/sys/kernel/debug/sovgpu/0000:01:00.0/LOGRM"
{ echo "sovgpu-dump: 1"; head -c 200000 /dev/urandom; } >"$m/sys/class/devcoredump/devcd1/data"
ln -s ../../../devices/bridge/gpu "$m/sys/class/devcoredump/devcd1/failing_device"

collect
is "$?" 0 "first boot: a failed boot is collected"
has "$out" "report.txt and 3 files" "first boot: sov counts the members"
is "$(tar -tf "$archive" | sort | tr '\n' ' ')" "report.txt \
sys/bus/pci/devices/0000:01:00.0/config \
sys/class/devcoredump/devcd1/data \
sys/kernel/debug/sovgpu/0000:01:00.0/LOGRM " "first boot: logs, dump and configuration space are members"
is "$(tar -tf "$archive" | head -n 1)" report.txt "first boot: the report is the first member"
mkdir "$dir/out" && tar -xf "$archive" -C "$dir/out"
same=0
for f in $(tar -tf "$archive" | sed 1d); do
	! cmp -s "$m/$f" "$dir/out/$f" || same=$((same + 1))
done
is $same 3 "first boot: members have the bytes of their files"
is "$(stat -c %a "$archive")" 600 "first boot: only the user can read the archive"
is "$(section /proc/version)" "Linux version 6.12.1" "first boot: the report has the kernel's version"
is "$(section /sys/kernel/security/lockdown)" "none [integrity] confidentiality" \
	"first boot: the report has the lockdown"
is "$(section '/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c')" \
	"06 00 00 00 01" "first boot: the report has the bytes of the secure boot variable"
is "$(section /sys/module/sovgpu/parameters/probe_only)$(section /sys/module/sovgpu/parameters/max_vms)" \
	Y64 "first boot: the report has every module parameter"
is "$(section /lib/firmware/nvidia/gh100/gsp/fmc-570.144.bin)" \
	"4 bytes, SHA-256 $(printf 'abc\n' | sha256sum | cut -d ' ' -f 1)" \
	"first boot: the report has the hash of a firmware file"
is "$(report | grep -c 535.113)" 0 "first boot: firmware of other versions is left out"
is "$(section /dev/kmsg)" "[    5.140900] sovgpu 0000:01:00.0: [drm] gh100, 132 SMs
[    5.240000] pcieport 0000:00:01.0: AER: Uncorrectable error" \
	"first boot: the report has the lines of the kernel's log about GPUs and their bus"
is "$(section /sys/bus/pci/devices/0000:01:00.0/driver)" "-> ../../../bus/pci/drivers/nouveau" \
	"first boot: the report has the bound driver"
is "$(section /sys/bus/pci/devices/0000:01:00.0/../vendor)" 0x1022 \
	"first boot: the report has the bridge above the GPU"
is "$(report | grep -c '^== /sys/bus/pci/devices/0000:01:00.0/iommu_group/devices/')" 2 \
	"first boot: the report lists the devices of the IOMMU group"
is "$(section /sys/kernel/iommu_groups/7/type)" DMA-FQ \
	"first boot: the report has the type of the IOMMU group"
is "$(section /sys/bus/pci/devices/0000:01:00.0/resource)" "missing: No such file or directory" \
	"first boot: a missing file of a GPU is named with the reason"
cp "$archive" "$dir/before.tar"
collect
cmp -s "$archive" "$dir/before.tar"
ok $? "first boot: an unchanged machine gives the same archive"

# ---- errors ----
file /sys/kernel/debug/sovgpu/0000:01:00.0/LOGINIT secret
rm "$m/sys/kernel/debug/sovgpu/0000:01:00.0/LOGINIT"
mkdir "$m/sys/kernel/debug/sovgpu/0000:01:00.0/LOGINIT"
collect
is "$? $(section /sys/kernel/debug/sovgpu/0000:01:00.0/LOGINIT)" "0 missing: Is a directory" \
	"first boot: a source that cannot be read is named with the reason"
long=$(printf '%0150d' 0)
file "/sys/kernel/debug/sovgpu/0000:01:00.0/$long" text
collect
has "$(section "/sys/kernel/debug/sovgpu/0000:01:00.0/$long")" "not in this archive: its name is too long" \
	"first boot: a name that does not fit an archive is reported"
archive=$dir/none/first.tar
collect
is "$? $out" "1 sov: doctor: cannot write '$archive': No such file or directory" \
	"first boot: an archive that cannot be written is an error"
archive=$dir/other.tar
collect --json
is "$? $(echo "$out" | head -n 1)" "2 sov: doctor: --first-boot and --json exclude each other" \
	"first boot: --json is a usage error"
is "$(printf 'Name:\tsov\nUid:\t1000\t1000\n' >"$m/proc/self/status"; collect; echo "$out" | tail -n 1)" \
	"run it as root: other users cannot read the kernel's log and debugfs" \
	"first boot: sov asks other users to run it as root"
tap_done
