# SPDX-License-Identifier: MIT
# scenario
# card: gh100 --fault garbage
# What the GSP says has a wrong checksum.
. /test/common.sh
fails "checksum of element 0 is wrong"
