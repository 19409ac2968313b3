# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 545
# kernels of check-long: trixie-debug
# Hostile programs, for minutes: attacks by command streams, guessed doorbell tokens, ioctl fuzzing.
# memory_clearing.sh needs a card of its own.
. /test/common.sh
modprobe sovgpu
ok $? "sovgpu.ko loads"
for t in isolation doorbell_tokens fuzz; do
	program "/test/bin/$t"
done
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
