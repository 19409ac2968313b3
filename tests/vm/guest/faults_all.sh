# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-debug
# memory: 2G
# firmware: small
# card: gh100 --fault sweep:0:4:100000
# card: gh100 --fault sweep:1:4:100000
# card: gh100 --fault sweep:2:4:100000
# card: gh100 --fault sweep:3:4:100000
# Every fault mode at every message of boot, use and unbind. Takes hours (VM_TIMEOUT).
. /test/common.sh
part fault_sweeps
tap_done
