# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-debug
# The same on the kernel that finds faults.
. /test/common.sh
part fire
tap_done
