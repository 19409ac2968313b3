# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-backports
# append: slab_debug=U,kmalloc-* stack_depot_disable=on
# firmware: small
# Abrupt teardown, a thousand times each.
. /test/common.sh
part teardown 1000
tap_done
