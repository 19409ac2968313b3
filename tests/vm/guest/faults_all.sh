# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-debug
# memory: 2G
# firmware: small
# card: gh100 --fault sweep:0:4:100000
# card: gh100 --fault sweep:1:4:100000
# card: gh100 --fault sweep:2:4:100000
# card: gh100 --fault sweep:3:4:100000
# Every fault with every message of a boot, of a little of everything and of the end, until there are no more messages. Takes
# hours (VM_TIMEOUT).
. /test/common.sh
part sweeps
tap_done
