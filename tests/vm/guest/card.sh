# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie trixie-backports trixie-16k
# results: 1045
# One card on Debian's kernels, from probe to module unload.
. /test/common.sh
part probe
part unplug
part rebind 5
part firmware
tap_done
