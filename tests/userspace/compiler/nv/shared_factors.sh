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

# The same factor, with a call between of a function that has a product of its own and is too long to
# be inlined; the products before the chain have arrived when it is called.
called()
{
	cat <<-END
	.version 8.0
	.target sm_80
	.address_size 64
	.func (.param .b32 result) f(.param .b32 x)
	{
		.reg .b64 %p;
		.reg .b32 %x, %y;
		.reg .f32 %d<4>;
		ld.param.b32 %x, [x];
		cvt.u64.u32 %p, %x;
		add.u32 %y, %x, 7;
	END
	for k in $(seq 150); do
		echo "mad.lo.u32 %y, %y, %x, $k; xor.b32 %x, %x, %y; st.global.u32 [%p+$((4 * k))], %y;"
	done
	cat <<-END
		mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%d0, %d1, %d2, %d3}, {%x, %y, %x, %x}, {%y, %x},
			{0f00000000, 0f00000000, 0f00000000, 0f00000000};
		st.param.f32 [result], %d0;
		ret;
	}
	END
	products %y | sed -e 1,3d -e 's/%x;/%x, %y, %z;/' -e '/volatile/d' -e '/ld.global.v4.f32 {%d4/a\
		ld.global.b32 %z, [%p+64];' -e '/mma.*{%d4/i\
		xor.b32 %z, %z, %b0;' >"$work/body"
	chain=$(for k in $(seq 9); do echo "mad.lo.u32 %z, %z, %z, $k;"; done | tr '\n' ' ')
	call='{ .param .b32 a; .param .b32 r; st.param.b32 [a], %z; call.uni (r), f, (a); ld.param.b32 %z, [r]; }'
	sed -e "s/xor.b32 %z, %z, %b0;/& $chain $call/" \
		-e "s/^\(.*\)st.global.v4.f32 \[%p\], /$call &/" -e "s/ret;/st.global.b32 [%p+72], %z; &/" "$work/body"
}

called >"$work/p.ptx"
"$BUILD/sov" compile --target sm_80 -o "$work/out" "$work/p.ptx" &&
	"$BUILD/sov" disasm "$work/out" >"$work/code"
grep -q CALL "$work/code" && ! sed '/CALL/q' "$work/code" | grep -q 'HMMA.*reuse'
ok $? "it keeps none across a call, whose function may have products"

tap_done
