# SPDX-License-Identifier: MIT
# scenario
# card: gh100 --fault locked
# The GSP's registers never open.
. /test/common.sh
fails "its registers stay locked"
