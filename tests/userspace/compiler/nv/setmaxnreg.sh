# SPDX-License-Identifier: MIT
# Registers that warps move (setmaxnreg): where a kernel states with how many it starts, the part
# that takes registers uses them instead of memory, and the image says so; elsewhere nothing moves.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=tests/userspace/compiler/ptx/instructions/setmaxnreg_pressure.ptx

compile() { # name, options
	name=$1
	shift
	"$BUILD/sov" compile --stats --target sm_90 "$@" -o "$work/$name.cubin" "$work/$name.ptx" >"$work/$name.stats" &&
		"$BUILD/sov" disasm "$work/$name.cubin" >"$work/$name.sass"
}
count() { # name pattern
	grep -c "$2" "$work/$1.sass"
}
# The attribute 0x54 has no value; 0x1b before it is the number of registers.
has_attribute() { # name registers
	od -An -v -tx1 "$work/$1.cubin" | tr -d ' \n' | grep -q "031b${2}0001540000"
}

cp "$source" "$work/moves.ptx"
compile moves
is "$(count moves USETMAXREG) $(count moves 'LDL\|STL')" "2 0" "two warp groups move registers, and nothing is spilled"
is "$(awk '/^setmaxnreg/ { print $3 }' "$work/moves.stats")" 128 "the kernel starts with what its launch bounds leave"
has_attribute moves 80
is $? 0 "the image says with how many registers the kernel starts, and that it moves them"

grep -v 'setmaxnreg\.' "$source" >"$work/keeps.ptx"
compile keeps
[ "$(count keeps 'LDL\|STL')" -gt 50 ]
is "$? $(count keeps USETMAXREG)" "0 0" "without setmaxnreg the same values are spilled"
has_attribute keeps 80
is $? 1 "an image of a kernel that moves no registers does not say so"

grep -v '^\.minnctapersm' "$source" >"$work/unknown.ptx"
compile unknown
is "$(count unknown USETMAXREG)" 0 "where the number at the start is not known, nothing moves"

sed 's/setmaxnreg.dec.sync.aligned.u32 40/setmaxnreg.dec.sync.aligned.u32 168/' "$source" >"$work/more.ptx"
compile more 2>"$work/messages"
is "$? $(grep -c 'setmaxnreg.dec to 168 registers and starts with 128' "$work/messages")" "1 1" \
	"to keep more registers than the kernel starts with is an error"
tap_done
