# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-backports
# programs: bench/queues
# Launch latency of user queues and of kernel queues (tests/bench/queues.c). Prints figures and
# asserts nothing about them.
. /test/common.sh
cd /source || exit 1
export SOV_CACHE_SIZE=0 SOV_NVRM=0 SOV_SOFT=none
modprobe sovgpu
ok $? "sovgpu.ko loads"
ln -s dri/renderD128 /dev/sovgpu0 # udev's rule would create it
out=$(/source/build/bench/queues)
ok $? "the launch latency benchmark runs"
echo "$out" | sed 's/^/# /'
has "$out" "launch and wait" "launch latency is measured for user and kernel queues"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
