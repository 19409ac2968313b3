# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie trixie-backports
# results: 442
# programs: sov
# programs: tests/runtime/memory/memory tests/runtime/memory/host_memory tests/runtime/memory/local_memory
# programs: tests/runtime/memory/copy_threads tests/runtime/module/launches tests/runtime/module/grids
# programs: tests/runtime/module/variables tests/runtime/stream/streams tests/runtime/kernel_faults
# programs: tests/compiler/kernels/soft tests/compiler/kernels/science
# libsov's test programs run on the card through /dev/sovgpu0 as they do on a software GPU.
. /test/common.sh
cd /source || exit 1
export SOV_CACHE_SIZE=0 SOV_NVRM=0 TEST_CARD=1 BUILD=/source/build
sov=$BUILD/sov
saxpy() {
	"$sov" run --kernel saxpy_f32 --block 8 tests/kernels/saxpy.ptx \
		u32:8 f32:2 buf:f32:8:iota buf:f32:8:fill=1:print
}

is "$("$sov" devices | sed -n "1s/.*, by //p")" soft \
	"without the driver libsov finds only a software GPU"
before=$(cut -d ' ' -f 1 /proc/uptime)
modprobe sovgpu
ok $? "sovgpu.ko loads"
ln -s dri/renderD128 /dev/sovgpu0 # udev's rule would create it
is "$("$sov" devices | sed -n "1s/.*, by //p")" kmod "libsov finds the card"
out=$(saxpy)
ok $? "sov run executes a kernel on the card"
echo "# module loaded at $before s, first result $(cut -d ' ' -f 1 /proc/uptime) s after boot"
is "$(echo "$out" | tail -n 1 | tr -s ' ')" \
	"$(export SOV_KMOD=0 && saxpy | tail -n 1 | tr -s ' ')" \
	"a kernel on the card computes the same values as on a software GPU"
out=$("$sov" info)
ok $? "sov info creates a context on the card"
echo "$out" | sed 's/^/# /'
out=$("$sov" doctor)
is "$? $(echo "$out" | grep -c 'kmod *yes  *through /dev/dri/renderD128')" "0 1" \
	"sov doctor reports that the card works"
SOV_TRACE=/tmp/trace "$sov" run --kernel saxpy_f32 --block 8 tests/kernels/saxpy.ptx \
	u32:8 f32:2 buf:f32:8 buf:f32:8 >/dev/null
out=$("$sov" trace --read /tmp/trace)
is "$(echo "$out" | awk '/^  saxpy_f32/ { print $2, ($3 > 0) }')" "1 1" \
	"a trace has the kernel's execution time on the card"
grep '"clocks read"' /tmp/trace | head -n 1 | sed 's/^/# /'
for t in memory/memory memory/host_memory module/launches module/grids module/variables \
	stream/streams kernel_faults memory/local_memory memory/copy_threads; do
	program "$BUILD/tests/runtime/$t"
	echo "# $t: $(cut -d ' ' -f 1 /proc/uptime) s after boot"
done
for t in soft science; do
	program "$BUILD/tests/compiler/kernels/$t"
	echo "# $t: $(cut -d ' ' -f 1 /proc/uptime) s after boot"
done
# The same through kernel queues, for GPUs without user queues; and the launch latency of both.
SOV_KMOD=ioctl program "$BUILD/tests/runtime/module/launches"
for mode in 1 ioctl; do
	SOV_KMOD=$mode "$sov" bench --only "launch and wait" -n 200 --seconds 5 |
		sed -n "s/^launch and wait */# SOV_KMOD=$mode, launch and wait: /p"
done
modprobe -r sovgpu
ok $? "sovgpu.ko unloads after libsov's programs"
tap_done
