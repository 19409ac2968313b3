# SPDX-License-Identifier: MIT
# scenario
# card: gh100 --fault refuse
# The FSP does not accept the firmware.
. /test/common.sh
fails "refuses to boot the firmware, error 0x00000001"
