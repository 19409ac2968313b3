# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie trixie-backports
# programs: sov
# programs: tests/api/memory tests/api/host_memory tests/api/launches tests/api/grids
# programs: tests/api/streams tests/api/faults tests/api/variables tests/api/kernels
# programs: tests/kernels/soft
# libsov's programs run on the card by /dev/sovgpu0, as they do on a software GPU.
. /test/common.sh
cd /source || exit 1
export SOV_CACHE_SIZE=0 SOV_NVRM=0 BUILD=/source/build
sov=$BUILD/sov

is "$("$sov" devices | sed -n "1s/.*, by //p")" soft "without the driver there is a software GPU alone"
modprobe sovgpu
ok $? "sovgpu.ko loads"
ln -s dri/renderD128 /dev/sovgpu0 # as udev would
is "$("$sov" devices | sed -n "1s/.*, by //p")" kmod "libsov finds the card"
out=$("$sov" info)
ok $? "and makes a context on it"
echo "$out" | sed 's/^/# /'
for t in memory host_memory launches grids variables streams faults; do
	program "$BUILD/tests/api/$t"
done
program "$BUILD/tests/kernels/soft"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads: nothing of it is in use any more"
tap_done
