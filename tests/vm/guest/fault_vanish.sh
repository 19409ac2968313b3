# SPDX-License-Identifier: MIT
# scenario
# card: gh100 --fault vanish
# The card falls off the bus while it boots: every read gives ones, nothing hangs.
. /test/common.sh
fails "FSP: "
