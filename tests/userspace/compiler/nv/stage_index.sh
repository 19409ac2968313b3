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

# The same with a product of matrices, whose stage is an address of shared memory.
cat >"$work/stages.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry stages(.param .u64 out, .param .u32 n)
{
	.reg .b64 %out;
	.reg .b32 %n, %s, %i, %m, %t, %a<4>;
	.reg .pred %last, %more;
	.reg .f32 %d<4>;
	.shared .align 16 .b8 ring[4096];

	ld.param.u64 %out, [out];
	ld.param.u32 %n, [n];
	mov.u32 %t, %tid.x;
	mov.u32 %m, ring;
	mad.lo.u32 %t, %t, 16, %m;
	mov.u32 %s, 0;
	mov.u32 %i, 0;
	mov.f32 %d0, 0f00000000;
	mov.f32 %d1, 0f00000000;
	mov.f32 %d2, 0f00000000;
	mov.f32 %d3, 0f00000000;
again:
	add.u32 %m, %t, %s;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%m];
	mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%a0, %a1},
		{%d0, %d1, %d2, %d3};
	add.u32 %i, %i, 1;
	setp.eq.u32 %last, %i, 4;
	add.u32 %m, %s, 1024;
	selp.b32 %s, 0, %m, %last;
	selp.b32 %i, 0, %i, %last;
	sub.u32 %n, %n, 1;
	setp.ne.u32 %more, %n, 0;
	@%more bra again;
	st.global.v4.f32 [%out], {%d0, %d1, %d2, %d3};
	ret;
}
END
"$BUILD/sov" compile --target sm_80 -o "$work/out" "$work/stages.ptx" &&
	"$BUILD/sov" disasm "$work/out" >"$work/code"
ok $? "a kernel with products by mma compiles"
count=$(grep -c ' USEL ' "$work/code")
[ "$count" = 2 ]
ok $? "uniform selects compute its stage and the number of that ($count)"
count=$(grep -c ' SEL ' "$work/code")
[ "$count" = 0 ]
ok $? "no select of lanes is left ($count)"
tap_done
