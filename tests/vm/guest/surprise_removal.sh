# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# kernels of check-long: trixie-debug
# firmware: small
# card: gh100 --fault gone:1:41:20
# The card falls off the bus, and its registers read all ones from then on: at another access of a register each time, some of
# all that there are while the driver finds the card, boots it, works with it and leaves. One line says so, nothing waits for
# its limit, and after a reset the card is as good as new.
. /test/common.sh
export ways=3 most=1
part faults 21
tap_done
