# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-backports
# memory: 2G
# firmware: small
# card: gh100 --fault gone:1:4:100000
# card: gh100 --fault gone:2:4:100000
# card: gh100 --fault gone:3:4:100000
# card: gh100 --fault gone:4:4:100000
# The card falls off the bus at every access to a register that there is; see gone.sh.
. /test/common.sh
export ways=3 most=1
part sweeps
tap_done
