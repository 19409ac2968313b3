# SPDX-License-Identifier: MIT
# scenario
# model: --fault vanish
# The card falls off the bus while it boots: every read gives ones, nothing hangs.
. /test/common.sh
fails "FSP: "
