# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-debug
# firmware: small
# Every allocation of every call and of binding is made to fail, one at a time.
. /test/common.sh
part inject 1 1
tap_done
