# SPDX-License-Identifier: MIT
# scenario
# card: gh100 --fault silent
# The GSP boots and never says so.
. /test/common.sh
fails "no answer to call 4097"
