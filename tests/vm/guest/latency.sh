# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-backports
# programs: bench/queues
# What a launch costs when a process writes its queue itself, and when the kernel does (tests/bench/queues.c). Figures
# are printed, nothing is asserted of them.
. /test/common.sh
cd /source || exit 1
export SOV_CACHE_SIZE=0 SOV_NVRM=0 SOV_SOFT=none
modprobe sovgpu
ok $? "sovgpu.ko loads"
ln -s dri/renderD128 /dev/sovgpu0 # as udev would
out=$(/source/build/bench/queues)
ok $? "launches are measured"
echo "$out" | sed 's/^/# /'
has "$out" "launch and wait" "by both ways"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
