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
tap_done
