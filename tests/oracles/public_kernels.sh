#!/bin/sh
# SPDX-License-Identifier: MIT
# Launches ptxas's and our code of PTX files (arguments; by default the kernels of tests/kernels)
# with random arguments on the software GPU: hazard mode must accept ptxas's code, and where both
# end without a fault, memory must be the same. Prints the differences and the counts. ptxas's
# images are kept in $BUILD/oracles/public_kernels.d.
#	tests/oracles/public_kernels.sh [FILE.ptx]...
set -eu
: "${BUILD:=build}"
. tests/oracles/_result.sh
command -v ptxas >/dev/null || { echo "1..0"; echo "no ptxas in PATH: run make check-oracles"; exit 1; }
work=$BUILD/oracles/public_kernels.d
mkdir -p "$work"
[ $# != 0 ] || set -- tests/kernels/*.ptx
: >"$work/log"
status=0
for file; do
	name=$(basename "$file" .ptx)
	[ -e "$work/$name.cubin" ] || ptxas -O3 -arch=sm_90 -o "$work/$name.cubin" "$file" 2>"$work/messages" || continue
	"$BUILD/sov" compile -t sm_90 -o "$work/ours.cubin" "$file" 2>"$work/messages" || continue
	"$BUILD/oracles/public_kernels" gh100 "$work/$name.cubin" "$work/ours.cubin" >>"$work/log" || status=1
done
grep -v '^counts:' "$work/log" | cut -c1-400 | sed 's/^/# /' || true
grep -q '^counts: launched [1-9]' "$work/log" || status=1
awk '/^counts:/ { for (i = 2; i < NF; i += 2) { if (!($i in sum)) order[++n] = $i; sum[$i] += $(i + 1) } }
	END { printf "# count"; for (i = 1; i <= n; i++) printf " %s %d", order[i], sum[order[i]]; print "" }' "$work/log"
result $status "hazard mode accepts ptxas's code, and ours leaves the same memory"
echo "1..$results"
exit $failed
