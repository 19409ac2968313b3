# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-debug
# results: 1084
# modules: sovgpu sovgpu_kunit
# append: kasan_multi_shot
# firmware: small
# The driver on a kernel with debug checkers (KASAN, lockdep, kmemleak): KUnit tests, then every
# scenario part of one card.
. /test/common.sh
part kunit
part probe
part unplug
part rebind 5
part firmware
tap_done
