# SPDX-License-Identifier: MIT
# Probes the card, runs the test programs of all ioctls, and unloads the module without a trace.
. /test/common.sh

card=$(cards)
[ -n "$card" ]
ok $? "an NVIDIA card is on the PCI bus"
is "$(cat "$card/device" "$card/class" "$card/subsystem_device" "$card/revision" | tr '\n' ' ')" \
	"0x2335 0x030200 0x18bf 0xa1 " "the card is an H200: 10de:2335, 3D controller"
sizes=$(awk '{ print $1, $2 }' "$card/resource" | sed -n '1p;3p;5p' | while read -r first last; do
	printf '%d ' $(((last - first + 1) >> 20))
done)
is "$sizes" "16 262144 32 " "the card's BARs have 16 MiB, 256 GiB and 32 MiB"

modprobe sovgpu
ok $? "sovgpu.ko loads"
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
[ -c /dev/dri/renderD128 ]
ok $? "sovgpu.ko registers a render node"
# On x86, memory types belong to physical ranges, so mappings of BAR1 get the type that the driver
# reserved.
types=/sys/kernel/debug/x86/pat_memtype_list
if [ -e $types ]; then
	window=$(awk 'NR == 3 { print $1, $2 }' "$card/resource" | while read -r first last; do
		printf '0x%016x-0x%016x' "$first" $((last + 1))
	done)
	grep -q "$window. write-combining" $types
	ok $? "the BAR1 window is reserved as write-combining"
fi
insmod "/lib/modules/$(uname -r)/sovgpu.ko" 2>/tmp/twice
ok $((! $?)) "loading a second copy of sovgpu.ko fails"
grep -q "File exists" /tmp/twice
ok $? "loading a second copy of sovgpu.ko reports that it exists"
is "$(bound "$card") $(ls /dev/dri | grep -c renderD)" "sovgpu 1" \
	"a failed second load leaves the card bound"
programs
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
[ ! -e /dev/dri/renderD128 ]
ok $? "unloading sovgpu.ko removes the render node"
is "$(lsmod | grep -c '^sovgpu ')" 0 "sovgpu.ko is no longer listed after it is unloaded"
modprobe sovgpu && modprobe -r sovgpu
ok $? "sovgpu.ko loads and unloads a second time"
tap_done
