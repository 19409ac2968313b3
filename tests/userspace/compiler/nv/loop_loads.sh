# SPDX-License-Identifier: MIT
# Loops that load: how many loads a trip has, which of them their first consumer waits for, and how
# many are in flight where registers are scarce.
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

# The load before the loop, with a branch between that skips the loop.
"$BUILD/sov" disasm -c "$work/out" | grep -m 1 LDG | grep -q ':R[0-5]:W[0-5]:'
ok $? "a load before a loop has a scoreboard for its address, which the loop overwrites"

# Eight loads from different addresses, while 64 other values are live: where addresses take the
# registers, fewer results fit.
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry copies(.param .u64 p, .param .u64 o, .param .u32 n)\n.maxnreg 108\n{\n'
	printf '.reg .b64 %%p, %%o, %%q, %%a, %%b<8>;\n.reg .pred %%c;\n.reg .b32 %%n, %%t, %%s, %%x<4>, %%v<64>;\n.shared .align 16 .b8 m[32768];\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u64 %o, [o]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %s, m;'
	echo 'mul.wide.u32 %q, %t, 512; add.u64 %p, %p, %q; mov.u64 %q, %o;'
	for k in $(seq 0 63); do
		echo "ld.volatile.global.u32 %v$k, [%p+$((4 * k))];"
	done
	for k in $(seq 0 7); do
		echo "ld.volatile.global.u64 %b$k, [%p+$((1024 + 8 * k))];"
	done
	echo 'loop: .pragma "nounroll";'
	for k in $(seq 0 7); do
		echo "add.u64 %a, %b$k, %q; ld.global.v4.u32 {%x0, %x1, %x2, %x3}, [%a]; st.shared.v4.u32 [%s+$((1024 * k))], {%x0, %x1, %x2, %x3};"
	done
	echo 'add.u64 %q, %q, %o; add.u32 %s, %s, 64; sub.u32 %n, %n, 1; setp.ne.u32 %c, %n, 0; @%c bra loop;'
	for k in $(seq 0 63); do
		echo "st.volatile.global.u32 [%p+$((4 * k))], %v$k;"
	done
	echo 'ret; }'
} >"$work/copies.ptx"
count=$(print_loop "$work/copies.ptx" | sed '/STS/,$d' | grep -c LDG)
[ "$count" -ge 5 ]
ok $? "at least five of eight loads are in flight where addresses compete for registers ($count)"

# late: twelve loads whose address takes a while, and twelve factors that could be computed meanwhile.
late()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n'
	printf '.visible .entry late(.param .u64 a, .param .u32 n, .param .f32 s, .param .f32 t) .maxnreg 24\n{\n'
	printf '.reg .b64 %%a, %%q;\n.reg .b32 %%i, %%j, %%n;\n.reg .f32 %%x<12>, %%y<12>, %%s, %%t;\n'
	echo 'ld.param.u64 %a, [a]; ld.param.u32 %n, [n]; ld.param.f32 %s, [s]; ld.param.f32 %t, [t];'
	echo 'mov.u32 %i, %tid.x; mov.u32 %j, %ctaid.x; mad.lo.u32 %j, %j, %n, %i; mul.lo.u32 %j, %j, %n;'
	echo 'mul.wide.u32 %q, %j, 4; add.u64 %a, %a, %q;'
	for k in $(seq 0 11); do
		echo "fma.rn.f32 %y$k, %s, $((k + 2)).0, %t; ex2.approx.f32 %y$k, %y$k;"
	done
	for k in $(seq 0 11); do
		echo "ld.global.f32 %x$k, [%a+$((4 * k))];"
	done
	for k in $(seq 0 11); do
		echo "mul.rn.f32 %x$k, %x$k, %y$k; st.global.f32 [%a+$((4 * k))], %x$k;"
	done
	echo 'ret; }'
}

late >"$work/late.ptx"
"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/late.ptx"
count=$("$BUILD/sov" disasm "$work/out" | sed '/STG/q' | grep -c LDG)
[ "$count" -eq 12 ]
ok $? "what could be computed while an address is takes no registers from its loads ($count of 12 in flight)"

# waves: a sum over rows of twelve constants, with loads from global memory between.
waves()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.const .align 16 .b8 rows[49152];\n'
	printf '.visible .entry waves(.param .u64 a, .param .u64 r, .param .u32 n)\n{\n'
	printf '.reg .b64 %%a, %%r, %%k, %%q;\n.reg .pred %%c;\n.reg .b32 %%t, %%n;\n'
	printf '.reg .f32 %%x, %%y, %%z, %%s, %%u, %%v, %%k<3>, %%e<4>, %%w<4>;\n'
	echo 'ld.param.u64 %a, [a]; ld.param.u64 %r, [r]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;'
	echo 'cvt.rn.f32.u32 %x, %t; add.f32 %y, %x, %x; add.f32 %z, %y, %x; mov.f32 %s, %x; mov.u64 %k, rows;'
	echo 'loop: .pragma "nounroll";'
	for k in 0 1 2 3; do
		for j in 0 1 2; do
			echo "ld.const.f32 %k$j, [%k+$((k * 12 + j * 4))];"
		done
		echo "mul.f32 %u, %k0, %x; fma.rn.f32 %u, %k1, %y, %u; fma.rn.f32 %u, %k2, %z, %u;"
		echo "cos.approx.f32 %e$k, %u; ld.global.nc.f32 %w$k, [%a+$((k * 4))]; fma.rn.f32 %s, %e$k, %w$k, %s;"
	done
	echo 'add.u64 %k, %k, 48; add.u64 %a, %a, 16; add.u32 %n, %n, -1; setp.ne.u32 %c, %n, 0; @%c bra loop;'
	echo 'mul.wide.u32 %q, %t, 4; add.u64 %r, %r, %q; st.global.f32 [%r], %s; ret; }'
}

waves >"$work/waves.ptx"
print_loop "$work/waves.ptx" | grep -o '[A-Z0-9.]*ULDC\|LDG\|FFMA\|FMUL' | uniq >"$work/loop"
count=$(grep -c ULDC "$work/loop")
[ "$count" -eq 1 ]
ok $? "loads of constants of one line follow each other ($count runs of them)"

gather=tests/userspace/compiler/ptx/instructions/mma_gather.ptx
"$BUILD/sov" compile --target sm_90 -o "$work/out" $gather
count=$("$BUILD/sov" disasm "$work/out" | sed '/LDGSTS/q' | grep -c '@P[0-9] LDG\.')
[ "$count" -eq 4 ]
ok $? "conditional loads in a loop with products precede the copies that their results address ($count of 4)"
tap_done
