# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-debug
# modules: sovgpu sovgpu_kunit
# append: kasan_multi_shot
# firmware: small
# The driver before the kernel's judges: its tests inside the kernel, then all that a card can do.
. /test/common.sh
part kunit
part probe
part unplug
part cycles 5
part firmware
tap_done
