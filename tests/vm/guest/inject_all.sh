# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-debug
# firmware: small
# Every allocation of every ioctl and of binding fails once.
. /test/common.sh
part inject 1 1
tap_done
