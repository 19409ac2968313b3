# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 274
# card: gh100 --vram 1024
# programs: sov tests/runtime/conformance/memory tests/runtime/conformance/programs
# programs: tests/runtime/conformance/pool tests/runtime/conformance/graphs tests/runtime/conformance/printf
# The conformance suite (tests/userspace/runtime/conformance) on the card through /dev/sovgpu0: the
# same tests run on software GPUs in the process and on a real GPU through NVIDIA's module.
. /test/common.sh
cd /source || exit 1
export SOV_CACHE_SIZE=0 SOV_NVRM=0 SOV_SOFT=none SOV_CONFORMANCE=1 TEST_CARD=1 BUILD=/source/build

modprobe sovgpu
ok $? "sovgpu.ko loads"
ln -s dri/renderD128 /dev/sovgpu0 # udev's rule would create it
(sleep 4 && "$BUILD/sov" top --once && "$BUILD/sov" top --once) >/tmp/top & # during the tests
for t in memory programs pool graphs printf; do
	from=$(cut -d ' ' -f 1 /proc/uptime)
	program "$BUILD/tests/runtime/conformance/$t"
	is "$(grep -c '^# on .* by kmod$' /tmp/out)" 1 "conformance/$t ran on the card"
	echo "# conformance/$t: from $from to $(cut -d ' ' -f 1 /proc/uptime) s after boot"
done
wait
sed "s/^/# /" /tmp/top
is "$(awk '/^0000/ && $5 > 0 { n = 1 } END { print n + 0 }' /tmp/top)" 1 \
	"sov top lists the processes that use the card and their memory"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads after the conformance suite"
tap_done
