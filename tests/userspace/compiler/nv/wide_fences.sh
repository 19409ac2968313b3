# SPDX-License-Identifier: MIT
# A fence that one lane of the block executes is jumped over by warps without that lane.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/lock.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry lock(.param .u64 p)
{
	.reg .b64 %p;
	.reg .b32 %t, %old;
	.reg .pred %first;
	ld.param.u64 %p, [p];
	mov.u32 %t, %tid.x;
	setp.eq.u32 %first, %t, 0;
	mov.u32 %old, 5;
	@%first atom.global.acq_rel.gpu.cas.b32 %old, [%p], 0, 1;
	st.global.u32 [%p+4], %old;
	ret;
}
END
"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/lock.ptx" &&
	! "$BUILD/sov" disasm "$work/out" | grep -q '@!*P[0-9] MEMBAR'
ok $? "no fence of the GPU is predicated"
tap_done
