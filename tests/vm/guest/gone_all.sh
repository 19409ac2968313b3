# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-debug
# firmware: small
# card: gh100 --fault gone:1:1:100000
# The card falls off the bus at every access to a register that there is; see gone.sh. Takes hours (VM_TIMEOUT).
. /test/common.sh
export ways=3 most=1
part faults 100000
tap_done
