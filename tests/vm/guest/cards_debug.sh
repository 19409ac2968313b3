# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-debug
# memory: 2G
# card: gh100
# card: gh100 --fault refuse
# card: gh100 --fault locked
# card: gh100 --fault silent
# card: gh100 --fault checksum
# card: gh100 --fault vanish
# card: gh100
# The same on the kernel that finds faults.
. /test/common.sh
part cards
tap_done
