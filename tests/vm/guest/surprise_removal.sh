# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 101
# kernels of check-long: trixie-debug
# firmware: small
# card: gh100 --fault gone:1:41:20
# Surprise removal: the card falls off the bus, and its registers read all ones from then on; each
# boot at another register access, sampled over probe, boot, use and unbind. The driver must log one
# line and must not wait for timeouts, and after a reset the card must work.
. /test/common.sh
export quiet_boots=3 max_errors=1
part faults 21
tap_done
