# SPDX-License-Identifier: MIT
# Three loads that no lane executes stand between an access to shared memory and the next
# asynchronous copy, as in ptxas's code; copies that follow each other need them once. Copies of
# tensors have the cache policies of the program.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
instructions=tests/userspace/compiler/ptx/instructions

# Prints one word per instruction that concerns shared memory: copy, dead (a load that no lane
# executes), or access.
classify()
{
	"$BUILD/sov" compile --target "$1" -o "$work/out" "$2" && "$BUILD/sov" disasm "$work/out" | awk '
		/@!PT LDS RZ, \[RZ\]/ { print "dead"; next }
		/LDGSTS/ { print "copy"; next }
		/LDS|STS|ATOMS|LDSM|SHFL|SYNCS\.[AP]/ { print "access" }'
}

# Reports a copy without the three loads after the last access; counts copies and loads.
check()
{
	classify "$1" "$2" | awk '
		{ n[$1]++ }
		$1 == "dead" { dead++ }
		$1 == "access" { dead = copies = 0 }
		$1 == "copy" { if (dead < 3 && !copies) bad++; copies++; dead = 0 }
		END { print n["copy"] + 0, n["dead"] + 0, bad + 0 }'
}

for target in sm_80 sm_90; do
	is "$(check $target $instructions/cp_async_loop.ptx)" "2 6 0" \
		"$target: the copies before and in a loop are separated from loads"
	is "$(check $target $instructions/cp_async.ptx)" "3 3 0" \
		"$target: copies that follow each other are separated once"
done

for kind in load multicast store add; do
	"$BUILD/sov" compile --target sm_90 -o "$work/out" "$instructions/tensor_${kind}_policy.ptx"
	count=$("$BUILD/sov" disasm "$work/out" | grep -c 'UTMA[A-Z]*G.*, desc\[UR')
	is "$count" 1 "sm_90: tensor_${kind}_policy.ptx passes its cache policy"
done
tap_done
