# SPDX-License-Identifier: MIT
# Registers of phis: edges without copies.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count_copies()
{
	"$BUILD/sov" compile --target sm_90 -o "$work/out" "$1"
	"$BUILD/sov" disasm "$work/out" | grep -cE 'MOV[.U32]* R[0-9]+, (RZ, RZ, )?R[0-9]+ ;'
}

# Where a branch may update many values, the new values take the registers of the old ones, although
# intermediate results are computed between.
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry steps(.param .u64 p, .param .f32 a, .param .f32 b)\n{\n'
	printf '.reg .b64 %%p, %%q;\n.reg .pred %%c;\n.reg .b32 %%t, %%n;\n.reg .f32 %%a, %%b, %%m<20>, %%v<20>;\n'
	echo 'ld.param.u64 %p, [p]; ld.param.f32 %a, [a]; ld.param.f32 %b, [b]; mov.u32 %t, %tid.x;'
	echo 'mul.wide.u32 %q, %t, 128; add.u64 %p, %p, %q;'
	for i in $(seq 0 16); do
		echo "ld.volatile.global.f32 %v$i, [%p+$((4 * i))];"
	done
	for step in 1 2 3 4; do
		echo "bar.sync 0; ld.volatile.global.u32 %n, [%p+100]; setp.lt.u32 %c, %n, %t; @%c bra skip$step;"
		for i in $(seq 0 15); do
			echo "mul.f32 %m$i, %a, %v$i; fma.rn.f32 %v$i, %b, %v$((i + 1)), %m$i;"
		done
		echo "skip$step:"
	done
	for i in $(seq 0 15); do
		echo "st.volatile.global.f32 [%p+$((4 * i))], %v$i;"
	done
	echo 'ret; }'
} >"$work/steps.ptx"
count=$(count_copies "$work/steps.ptx")
[ "$count" -eq 0 ]
ok $? "four conditional updates of sixteen values copy no register ($count)"

# A loop computes twenty steps of each of eight values: a step takes the register of the one before.
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry chains(.param .u64 p, .param .u32 n)\n{\n'
	printf '.reg .b64 %%p;\n.reg .pred %%c;\n.reg .b32 %%n;\n.reg .f32 %%a, %%b, %%s<9>;\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n];'
	echo 'ld.volatile.global.f32 %a, [%p]; ld.volatile.global.f32 %b, [%p+4];'
	for i in $(seq 1 8); do
		echo "ld.volatile.global.f32 %s$i, [%p+$((4 * i))];"
	done
	printf '.pragma "nounroll";\nloop:\n'
	for k in $(seq 1 20); do
		for i in $(seq 1 8); do
			echo "fma.rn.f32 %s$i, %a, %s$i, %b;"
		done
	done
	echo 'sub.u32 %n, %n, 1; setp.ne.u32 %c, %n, 0; @%c bra loop;'
	for i in $(seq 1 8); do
		echo "st.volatile.global.f32 [%p+$((4 * i))], %s$i;"
	done
	echo 'ret; }'
} >"$work/chains.ptx"
count=$(count_copies "$work/chains.ptx")
[ "$count" -eq 0 ]
ok $? "a loop with twenty steps of each of eight values copies no register ($count)"

# An inner loop with 64 sums needs the registers of values that only the outer loop uses; these are
# computed again.
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry tiles(.param .u64 p, .param .u32 n)\n.maxntid 256\n{\n'
	printf '.reg .b64 %%p, %%q;\n.reg .pred %%c;\n.reg .b32 %%n, %%m, %%t, %%s, %%o<16>;\n.reg .f32 %%a<4>, %%b<64>, %%v<128>;\n'
	printf '.shared .align 16 .b8 m[32768];\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mul.wide.u32 %q, %t, 512;'
	echo 'add.u64 %p, %p, %q;'
	for k in $(seq 0 15); do
		echo "mad.lo.u32 %o$k, %t, $((16 * k + 48)), $((k + 5));"
	done
	for v in $(seq 0 63); do
		echo "mov.f32 %v$v, 0f00000000;"
	done
	echo 'outer: bar.sync 0;'
	for k in $(seq 0 15); do
		echo "st.shared.u32 [%o$k], %n;"
	done
	echo 'bar.sync 0; mov.u32 %s, m; mov.u32 %m, 8;'
	echo 'loop: .pragma "nounroll";'
	for c in $(seq 0 7); do
		echo "ld.shared.v4.f32 {%b$((4 * c)), %b$((4 * c + 1)), %b$((4 * c + 2)), %b$((4 * c + 3))}, [%s+$((c * 128))];"
	done
	for r in $(seq 0 7); do
		echo "ld.shared.v4.f32 {%a0, %a1, %a2, %a3}, [%s+$((16384 + r * 128))];"
		for c in $(seq 0 7); do
			for k in 0 1 2 3; do
				echo "fma.rn.f32 %v$((8 * r + c)), %a$k, %b$((4 * c + k)), %v$((8 * r + c));"
			done
		done
	done
	echo 'add.u32 %s, %s, 4; sub.u32 %m, %m, 1; setp.ne.u32 %c, %m, 0; @%c bra loop;'
	echo 'sub.u32 %n, %n, 1; setp.ne.u32 %c, %n, 0; @%c bra outer;'
	for v in $(seq 0 63); do
		echo "st.global.f32 [%p+$((4 * v))], %v$v;"
	done
	echo 'ret; }'
} >"$work/tiles.ptx"
count=$(count_copies "$work/tiles.ptx")
[ "$count" -eq 0 ]
ok $? "a loop with 64 sums in a loop that uses 16 other values copies no register ($count)"
tap_done
