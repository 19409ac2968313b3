# SPDX-License-Identifier: MIT
# Products of a warp group with factors in registers: what computes the next factors waits for no product but those
# that the program waits for.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# pipeline COUNT: a loop of COUNT products, each with factors of its own, of which COUNT - 1 stay in flight.
pipeline()
{
	printf '.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry pipeline(.param .u64 p, .param .u64 b, .param .u32 n)\n{\n'
	printf '.reg .b64 %%p, %%b, %%q;\n.reg .pred %%c;\n.reg .b32 %%n, %%t, %%s, %%w, %%a<64>;\n.reg .f32 %%d<16>;\n.shared .align 16 .b8 m[32768];\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u64 %b, [b]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;'
	echo 'mad.wide.u32 %q, %t, 64, %p; mov.u32 %s, m; mad.lo.u32 %s, %t, 16, %s;'
	for k in $(seq 0 15); do
		echo "mov.f32 %d$k, 0f00000000;"
	done
	echo 'loop: .pragma "nounroll";'
	for g in $(seq 0 $(($1 - 1))); do
		for k in 0 1 2 3; do
			echo "ld.shared.u32 %w, [%s+$((2048 * g + 4 * k))]; xor.b32 %a$((4 * g + k)), %w, 32768;"
		done
		echo 'wgmma.fence.sync.aligned;'
		printf 'wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%%d0, %%d1, %%d2, %%d3, %%d4, %%d5, %%d6, %%d7, %%d8, %%d9, %%d10, %%d11, %%d12, %%d13, %%d14, %%d15}, '
		echo "{%a$((4 * g)), %a$((4 * g + 1)), %a$((4 * g + 2)), %a$((4 * g + 3))}, %b, 1, 1, 1, 0;"
		echo "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned $(($1 - 1));"
	done
	echo 'sub.u32 %n, %n, 1; setp.ne.u32 %c, %n, 0; @%c bra loop;'
	echo 'wgmma.wait_group.sync.aligned 0;'
	for k in $(seq 0 15); do
		echo "st.global.f32 [%q+$((4 * k))], %d$k;"
	done
	echo 'ret; }'
}

for count in 2 4; do
	pipeline $count >"$work/pipeline.ptx"
	"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/pipeline.ptx"
	"$BUILD/sov" disasm "$work/out" >"$work/code"
	waits=$(grep -c 'WARPGROUP.DEPBAR.LE gsb0, 0x0' "$work/code")
	[ "$waits" -eq 1 ]
	ok $? "of $count products with factors of their own, all but one stay in flight ($waits waits for all)"
done
tap_done
