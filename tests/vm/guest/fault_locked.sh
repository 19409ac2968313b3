# SPDX-License-Identifier: MIT
# scenario
# model: --fault locked
# The GSP's registers never open.
. /test/common.sh
fails "its registers stay locked"
