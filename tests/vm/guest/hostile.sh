# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# kernels of check-long: trixie-debug
# Programs that mean harm, for minutes: streams, guessed numbers, calls at random. leftovers.sh has a card of its own.
. /test/common.sh
modprobe sovgpu
ok $? "sovgpu.ko loads"
for t in isolation tokens fuzz; do
	program "/test/bin/$t"
done
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
