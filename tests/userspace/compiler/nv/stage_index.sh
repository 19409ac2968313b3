# SPDX-License-Identifier: MIT
# A loop over the stages of a ring of matrices: the index, which starts again at zero, is uniform,
# and so are the descriptors.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/ring.ptx" <<'END'
.version 8.0
.target sm_90a
.address_size 64
.visible .entry ring(.param .u64 out, .param .u32 a, .param .u32 high, .param .u32 n)
{
	.reg .b64 %out, %da;
	.reg .b32 %a, %high, %n, %s, %at;
	.reg .pred %last, %more;
	.reg .f32 %d<4>;

	ld.param.u64 %out, [out];
	ld.param.u32 %a, [a];
	ld.param.u32 %high, [high];
	ld.param.u32 %n, [n];
	mov.u32 %s, 0;
	mov.f32 %d0, 0f00000000;
	mov.f32 %d1, 0f00000000;
	mov.f32 %d2, 0f00000000;
	mov.f32 %d3, 0f00000000;
again:
	shl.b32 %at, %s, 7;
	add.u32 %at, %at, %a;
	mov.b64 %da, {%at, %high};
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %da, %da, 1, 1, 1, 0, 0;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	add.u32 %s, %s, 1;
	setp.eq.u32 %last, %s, 4;
	selp.b32 %s, 0, %s, %last;
	sub.u32 %n, %n, 1;
	setp.ne.u32 %more, %n, 0;
	@%more bra again;
	st.global.v4.f32 [%out], {%d0, %d1, %d2, %d3};
	ret;
}
END
"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/ring.ptx" &&
	"$BUILD/sov" disasm "$work/out" >"$work/code"
ok $? "the kernel compiles"
count=$(grep -c ' USEL ' "$work/code")
[ "$count" = 1 ]
ok $? "a uniform select computes the index ($count)"
count=$(grep -c ' R2UR ' "$work/code")
[ "$count" = 0 ]
ok $? "no register of a lane is copied to a descriptor ($count)"
count=$(grep -c ' ISETP' "$work/code")
[ "$count" = 1 ]
ok $? "the only comparison of lanes is that of the loop's end ($count)"
tap_done
