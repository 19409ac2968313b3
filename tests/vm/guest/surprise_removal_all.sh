# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-backports
# memory: 2G
# firmware: small
# card: gh100 --fault gone:1:4:100000
# card: gh100 --fault gone:2:4:100000
# card: gh100 --fault gone:3:4:100000
# card: gh100 --fault gone:4:4:100000
# The card falls off the bus at every register access; see surprise_removal.sh.
. /test/common.sh
export quiet_boots=3 max_errors=1
part fault_sweeps
tap_done
