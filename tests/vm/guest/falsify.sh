# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# card: gh100 --vram 1024
# programs: tests/falsify/memory tests/falsify/programs tests/falsify/pool tests/falsify/graphs tests/falsify/print
# The falsification suite (tests/userspace/falsify) on the card, by /dev/sovgpu0: the same promises that
# software GPUs keep in the process and a real GPU keeps by NVIDIA's module.
. /test/common.sh
cd /source || exit 1
export SOV_CACHE_SIZE=0 SOV_NVRM=0 SOV_SOFT=none SOV_FALSIFY=1 TEST_CARD=1 BUILD=/source/build

modprobe sovgpu
ok $? "sovgpu.ko loads"
ln -s dri/renderD128 /dev/sovgpu0 # as udev would
for t in memory programs pool graphs print; do
	from=$(cut -d ' ' -f 1 /proc/uptime)
	program "$BUILD/tests/falsify/$t"
	is "$(grep -c '^# on .* by kmod$' /tmp/out)" 1 "$t ran on the card"
	echo "# falsify/$t: from $from to $(cut -d ' ' -f 1 /proc/uptime) s after the machine's start"
done
modprobe -r sovgpu
ok $? "sovgpu.ko unloads: nothing of it is in use any more"
tap_done
