# SPDX-License-Identifier: MIT
# Values that are computed from one register, which dies before them, do not all occupy registers if
# computing them again raises the number of warps: that register lives longer in their place.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# 19 sums of one index with constants, and 19 loaded values, live across a barrier.
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry sums(.param .u64 p, .param .u32 n)\n{\n'
	printf '.reg .b64 %%p;\n.reg .pred %%q;\n.reg .b32 %%n, %%t, %%a<20>, %%v<20>;\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; shl.b32 %t, %t, 6;'
	for i in $(seq 1 19); do
		echo "add.u32 %a$i, %t, $((32 * i)); ld.volatile.global.u32 %v$i, [%p+$((4 * i))];"
		echo "st.volatile.global.u32 [%p], %a$i;"
	done
	echo 'bar.sync 0;'
	for i in $(seq 1 19); do
		echo "setp.ge.u32 %q, %v$i, %n; @%q bra e$i; st.volatile.global.u32 [%p+4], %a$i;"
		echo "e$i: st.volatile.global.u32 [%p+8], %v$i;"
	done
	echo 'ret; }'
} >"$work/sums.ptx"
count=$("$BUILD/sov" compile --target sm_90 --json -o "$work/out" "$work/sums.ptx" |
	sed -n 's/.*"registers": \([0-9]*\).*/\1/p')
[ "${count:-99}" -le 32 ]
ok $? "19 sums of one index and 19 loaded values need at most 32 registers ($count)"
tap_done
