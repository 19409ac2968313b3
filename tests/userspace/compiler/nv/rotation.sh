# SPDX-License-Identifier: MIT
# Values of one block rotate through registers where there is room, although quads and single
# registers that are live together elsewhere in the kernel have to be packed.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry stores(.param .u64 p, .param .u32 n)\n{\n'
	printf '.reg .b64 %%p, %%q;\n.reg .pred %%c;\n.reg .b32 %%n, %%t, %%s, %%v<20>, %%w<20>;\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.b32 %s, 0;'
	echo 'mul.wide.u32 %q, %t, 512; add.u64 %p, %p, %q;'
	for i in $(seq 0 4 16); do
		echo "ld.volatile.global.u32 %w$i, [%p+$((256 + i))];"
		echo "ld.volatile.global.v4.u32 {%v$i, %v$((i + 1)), %v$((i + 2)), %v$((i + 3))}, [%p+$((4 * i))];"
	done
	for i in $(seq 0 19); do
		echo "mad.lo.s32 %s, %s, %v$i, %t;"
	done
	for i in $(seq 0 4 16); do
		echo "mad.lo.s32 %s, %s, %w$i, %t;"
	done
	echo 'bar.sync 0; setp.eq.s32 %c, %s, %n; @%c bra end;'
	for i in $(seq 0 4 28); do
		echo "ld.volatile.global.f32 %v0, [%p+$i]; ex2.approx.ftz.f32 %v0, %v0; st.volatile.global.f32 [%p+$i], %v0;"
	done
	echo 'end: ret; }'
} >"$work/stores.ptx"
"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/stores.ptx"
count=$("$BUILD/sov" disasm "$work/out" | sed -n 's/.*STG.*, \(R[0-9]*\) ;.*/\1/p' | sort -u | wc -l)
[ "$count" -eq 8 ]
ok $? "eight independent results that are stored have different registers ($count)"
tap_done
