# SPDX-License-Identifier: MIT
# Vectors that are loaded under one condition, or each under its own, or are zeros: the loads do not wait for each other.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/masked.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry masked(.param .u64 p, .param .u64 q, .param .u32 n)
{
	.reg .b64 %p, %q, %o;
	.reg .b32 %t, %n, %a<4>, %b<4>;
	.reg .pred %in;
	ld.param.u64 %p, [p];
	ld.param.u64 %q, [q];
	ld.param.u32 %n, [n];
	mov.u32 %t, %tid.x;
	setp.lt.u32 %in, %t, %n;
	mul.wide.u32 %o, %t, 16;
	add.u64 %p, %p, %o;
	add.u64 %q, %q, %o;
	mov.u32 %a0, 0; mov.u32 %a1, 0; mov.u32 %a2, 0; mov.u32 %a3, 0;
	mov.u32 %b0, 0; mov.u32 %b1, 0; mov.u32 %b2, 0; mov.u32 %b3, 0;
	@%in ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%p];
	add.f32 %a0, %a0, %a1;
	add.f32 %a2, %a2, %a3;
	add.f32 %a0, %a0, %a2;
	@%in ld.global.v4.b32 {%b0, %b1, %b2, %b3}, [%q];
	add.f32 %b0, %b0, %b1;
	add.f32 %b2, %b2, %b3;
	add.f32 %b0, %b0, %b2;
	st.global.b32 [%p], %a0;
	st.global.b32 [%q], %b0;
	ret;
}
END
sed -e 's/\.pred %in;/.pred %in, %also;/' -e 's/setp.lt.u32 %in.*/&\n\tsetp.gt.u32 %also, %n, 7;/' \
	-e 's/@%in ld.global.v4.b32 {%b/@%also ld.global.v4.b32 {%b/' "$work/masked.ptx" >"$work/masked_apart.ptx"
for kernel in masked masked_apart; do
	"$BUILD/sov" compile --print nv-predicate-sides -o "$work/out" "$work/$kernel.ptx" >"$work/stage" 2>&1
	ok $? "$kernel compiles"
	blocks=$(grep -cE '^b[0-9]+:' "$work/stage")
	loads=$(grep -cE '@!?%p[0-9]+ LDG' "$work/stage")
	[ "$blocks $loads" = "1 2" ]
	ok $? "the scheduler gets both guarded loads of $kernel in one block ($loads in $blocks)"
done
tap_done
