# SPDX-License-Identifier: MIT
# Loops that load: how many loads a trip has, and which of them their first consumer waits for.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# nearest PRAGMA COUNT: the smallest of n distances between a point that is loaded before the loop
# and the points that are loaded in it, COUNT per iteration; n is a multiple of it.
nearest()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n'
	printf '.visible .entry nearest(.param .u64 a, .param .u64 b, .param .u64 r, .param .u32 n)\n{\n'
	printf '.reg .b64 %%a, %%b, %%r, %%q;\n.reg .pred %%c;\n.reg .b32 %%t, %%s, %%i, %%m, %%n;\n'
	printf '.reg .f32 %%d, %%u, %%v, %%x, %%y, %%z;\n'
	echo 'ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %r, [r]; ld.param.u32 %n, [n];'
	echo 'mov.u32 %t, %tid.x; mov.u32 %s, %ctaid.x; mad.lo.u32 %t, %s, 256, %t;'
	echo 'mul.wide.u32 %q, %t, 8; add.u64 %a, %a, %q; mov.b32 %i, 0;'
	echo 'ld.global.nc.v2.f32 {%u, %v}, [%a]; mov.f32 %d, 0f7F7FFFFF;'
	echo 'setp.lt.s32 %c, %n, 1; @%c bra done; add.u32 %n, %n, 4;'
	echo "loop: $1"
	for k in $(seq 0 8 $(($2 * 8 - 8))); do
		echo "ld.global.nc.v2.f32 {%x, %y}, [%b+$k]; sub.f32 %x, %u, %x; sub.f32 %y, %v, %y;"
		echo 'mul.f32 %y, %y, %y; fma.rn.f32 %z, %x, %x, %y; setp.lt.f32 %c, %d, %z; selp.f32 %d, %d, %z, %c;'
	done
	echo "add.u64 %b, %b, $(($2 * 8)); add.u32 %i, %i, $2; add.u32 %n, %n, -$2;"
	echo 'setp.ne.u32 %c, %n, 4; @%c bra loop;'
	echo 'done: mul.wide.u32 %q, %t, 4; add.u64 %r, %r, %q; st.global.f32 [%r], %d;'
	echo 'st.global.u32 [%r+4096], %i; ret; }'
}

# Prints the first loop of a program, with control fields: from the target of the first branch back
# to that branch.
print_loop()
{
	"$BUILD/sov" compile --target sm_90 -o "$work/out" "$1" &&
		"$BUILD/sov" disasm -c "$work/out" | awk '
			{ line[NR] = $0; at[substr($1, 3, 4)] = NR }
			/BRA 0x/ && !first {
				target = sprintf("%4s", substr($(NF - 1), 3)); gsub(" ", "0", target)
				if (at[target] && at[target] < NR) { first = at[target]; last = NR }
			}
			END { for (k = first; k <= last; k++) print line[k] }'
}

nearest '' 4 >"$work/four.ptx"
count=$(print_loop "$work/four.ptx" | grep -c LDG)
[ "$count" -eq 16 ]
ok $? "a loop of four loads and 34 instructions is unrolled by four ($count loads)"

nearest '.pragma "nounroll";' 10 >"$work/ten.ptx"
print_loop "$work/ten.ptx" >"$work/loop"
waits=$(sed -n '/FADD/s/.*\[\([-0-5]*\):.*/\1/p' "$work/loop" | head -1 | tr -d -)
count=$(sed -n 's/.*:W\([0-5]\):.*LDG.*/\1/p' "$work/loop" | grep -c "[$waits]")
[ "$count" -eq 1 ]
ok $? "the first consumer in the loop waits for one load of ten ($count)"
tap_done
