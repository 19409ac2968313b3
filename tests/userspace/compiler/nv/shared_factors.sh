# SPDX-License-Identifier: MIT
# Products of matrices keep a factor that the next product takes, whatever stands between them.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# products REGISTER: two products with a factor of their own each and one in common; between them the
# register, which belongs to the common factor or to none, is written.
products()
{
	cat <<-END
	.version 8.0
	.target sm_80
	.address_size 64
	.visible .entry products(.param .u64 p)
	{
		.reg .b64 %p;
		.reg .b32 %a<4>, %b<4>, %x;
		.reg .f32 %d<8>;
		ld.param.u64 %p, [p];
		ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%p];
		ld.global.v4.b32 {%b0, %b1, %b2, %b3}, [%p+16];
		ld.global.v4.f32 {%d0, %d1, %d2, %d3}, [%p+32];
		ld.global.v4.f32 {%d4, %d5, %d6, %d7}, [%p+48];
		mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, %b1},
			{%d0, %d1, %d2, %d3};
		ld.volatile.global.b32 $1, [%p+64];
		mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%d4, %d5, %d6, %d7}, {%a0, %a1, %a2, %a3}, {%b2, %b3},
			{%d4, %d5, %d6, %d7};
		st.volatile.global.b32 [%p+68], %x;
		st.global.v4.f32 [%p], {%d0, %d1, %d2, %d3};
		st.global.v4.f32 [%p+16], {%d4, %d5, %d6, %d7};
		ret;
	}
	END
}

count_kept()
{
	products "$1" >"$work/p.ptx"
	"$BUILD/sov" compile --target sm_80 -o "$work/out" "$work/p.ptx" &&
		"$BUILD/sov" disasm "$work/out" | grep -cE 'HMMA[^,]*, R[0-9]+\.reuse,'
}

count=$(count_kept %x)
[ "$count" = 1 ]
ok $? "the first of two products keeps the factor that both have across a load ($count)"
count=$(count_kept %a1)
[ "$count" = 0 ]
ok $? "it keeps none that is loaded again before the second ($count)"

tap_done
