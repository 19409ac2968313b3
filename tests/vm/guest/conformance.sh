# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# card: gh100 --vram 1024
# programs: sov tests/runtime/conformance/memory tests/runtime/conformance/programs
# programs: tests/runtime/conformance/pool tests/runtime/conformance/graphs tests/runtime/conformance/printf
# The conformance suite (tests/userspace/runtime/conformance) on the card, by /dev/sovgpu0: the same promises that
# software GPUs keep in the process and a real GPU keeps by NVIDIA's module.
. /test/common.sh
cd /source || exit 1
export SOV_CACHE_SIZE=0 SOV_NVRM=0 SOV_SOFT=none SOV_CONFORMANCE=1 TEST_CARD=1 BUILD=/source/build

modprobe sovgpu
ok $? "sovgpu.ko loads"
ln -s dri/renderD128 /dev/sovgpu0 # as udev would
(sleep 4 && "$BUILD/sov" top --once && "$BUILD/sov" top --once) >/tmp/top & # while they run
for t in memory programs pool graphs printf; do
	from=$(cut -d ' ' -f 1 /proc/uptime)
	program "$BUILD/tests/runtime/conformance/$t"
	is "$(grep -c '^# on .* by kmod$' /tmp/out)" 1 "$t ran on the card"
	echo "# conformance/$t: from $from to $(cut -d ' ' -f 1 /proc/uptime) s after the machine's start"
done
wait
sed "s/^/# /" /tmp/top
is "$(awk '/^0000/ && $5 > 0 { n = 1 } END { print n + 0 }' /tmp/top)" 1 \
	"sov top has seen who used the card, and its memory"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads: nothing of it is in use any more"
tap_done
