# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-backports
# append: slab_debug=U stack_depot_disable=on
# What ends badly, a thousand times each.
. /test/common.sh
part repeat 1000 1000 1000
tap_done
