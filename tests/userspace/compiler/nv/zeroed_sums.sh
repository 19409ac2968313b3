# SPDX-License-Identifier: MIT
# A loop over tiles in which the first product of each tile adds to zeros, as Triton writes it.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# tiles CONDITION: a loop of products of 128 sums, which are zeros under the condition.
tiles()
{
	sums=$(seq -s , -f '%%x%g' 0 127)
	printf '.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry tiles(.param .u64 out, .param .u64 a, .param .u32 k, .param .u32 n)\n.reqntid 256\n{\n'
	printf '.reg .b64 %%out, %%a, %%q;\n.reg .pred %%c, %%zero, %%last;\n.reg .b32 %%n, %%k, %%i, %%t;\n.reg .f32 %%d<128>, %%x<128>;\n'
	echo 'ld.param.u64 %out, [out]; ld.param.u64 %a, [a]; ld.param.u32 %k, [k]; ld.param.u32 %n, [n];'
	echo 'mov.u32 %i, 0; mov.u32 %t, %tid.x; mad.wide.u32 %q, %t, 512, %out;'
	for k in $(seq 0 127); do
		echo "mov.f32 %d$k, 0f00000000;"
	done
	echo "loop: .pragma \"nounroll\"; $1"
	for k in $(seq 0 127); do
		echo "selp.f32 %x$k, 0f00000000, %d$k, %zero;"
	done
	echo 'wgmma.fence.sync.aligned;'
	echo "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {$sums}, %a, %a, 1, 1, 1, 0, 0;"
	echo 'wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;'
	for k in $(seq 0 127); do
		echo "mov.f32 %d$k, %x$k;"
	done
	echo 'add.u32 %i, %i, 1; setp.ne.u32 %last, %i, %k; @%last bra next; mov.u32 %i, 0;'
	for k in $(seq 0 127); do
		echo "st.global.f32 [%q+$((4 * k))], %d$k;"
	done
	echo 'next: sub.u32 %n, %n, 1; setp.ne.u32 %c, %n, 0; @%c bra loop; ret; }'
}

count_selects()
{
	"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/tiles.ptx" &&
		"$BUILD/sov" disasm "$work/out" | grep -c 'SEL R'
}

tiles 'setp.eq.u32 %zero, %i, 0;' >"$work/tiles.ptx"
count=$(count_selects)
[ "$count" -le 1 ]
ok $? "sums that are zeros for all lanes alike are not selected ($count selects)"

tiles 'setp.eq.u32 %zero, %i, %t;' >"$work/tiles.ptx"
count=$(count_selects)
[ "$count" -ge 128 ]
ok $? "sums that are zeros for some lanes are selected ($count selects)"
tap_done
