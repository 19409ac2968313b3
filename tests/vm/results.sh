#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints how many results the machines of make check report at least: what the scenarios promise
# (`# results:`, see _boot.sh; _kernel.sh checks it) on each kernel that they name. Needs no virtual
# machine, so that a host without them can count what it skips.
#   usage: tests/vm/results.sh
set -u
cd "$(dirname "$0")/guest" || exit
machine=$(uname -m)
awk -v machine="$machine" '
	FNR == 1       { marked = kernels = 0 }
	/^# scenario$/ { marked = 1 }
	/^# kernels: / {
		for (i = 3; i <= NF; i++)
			kernels += $i !~ /-16k$/ || machine == "aarch64" # pages of 16 KiB: arm64 only
	}
	/^# results: / && marked { total += $3 * kernels }
	END { print total }' *.sh
