# SPDX-License-Identifier: MIT
# kernels: trixie-debug
# card: gh100 --fault sweep:0:1:400
# Every fault with every message up to the 28th, one after the other; takes an hour or more (VM_TIMEOUT).
. /test/common.sh
part faults 400
tap_done
