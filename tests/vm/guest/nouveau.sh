# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# card: gh100 --trap --vram 2048
# modules: nouveau
# Another driver on the same card: Debian's own nouveau.
. /test/common.sh

card=$(cards)
modprobe nouveau config=NvGspRm=1 debug=gsp=debug,gr=debug,fifo=debug
ok $? "nouveau loads"
is "$(bound "$card")" nouveau "it binds to the card"
modprobe -r nouveau
ok $? "nouveau unloads"
