# SPDX-License-Identifier: MIT
# Where a branch may update many values, the new values take the registers of the old ones, although
# intermediate results are computed between, so that the edge around the branch needs no copies.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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
"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/steps.ptx"
count=$("$BUILD/sov" disasm "$work/out" | grep -cE 'MOV[.U32]* R[0-9]+, (RZ, RZ, )?R[0-9]+ ;')
[ "$count" -eq 0 ]
ok $? "four conditional updates of sixteen values copy no register ($count)"
tap_done
