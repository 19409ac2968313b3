# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-backports
# programs: bench/queues
# Measures the launch latency of user queues and kernel queues (tests/bench/queues.c). Prints the
# latencies and checks none of them against a limit.
. /test/common.sh
cd /source || exit 1
export SOV_CACHE_SIZE=0 SOV_NVRM=0 SOV_SOFT=none
modprobe sovgpu
ok $? "sovgpu.ko loads"
ln -s dri/renderD128 /dev/sovgpu0 # as the udev rule does
out=$(/source/build/bench/queues)
ok $? "the launch latency benchmark runs"
echo "$out" | sed 's/^/# /'
has "$out" "launch and wait" "launch latency is measured for user and kernel queues"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
