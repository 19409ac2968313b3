# SPDX-License-Identifier: MIT
# A loop over the stages of a pipeline, as Triton writes it: descriptors of tiles in shared memory, and sums that are scaled
# before products of a warp group add to them.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# stages WRAP FACTORS: the next stage after the last, and the factors between scaling and the products.
stages()
{
	sums=$(seq -s , -f '%%d%g' 0 15)
	echo '.version 8.0
.target sm_90a
.address_size 64
.visible .entry stages(.param .u64 out, .param .u32 n, .param .f32 scale) .reqntid 128
{
.shared .align 1024 .b8 tiles[32768];
.reg .b64 %out, %row, %q, %q0, %q1; .reg .pred %c, %wrap; .reg .b32 %n, %i, %t, %s, %a, %b, %x; .reg .f32 %scale, %d<16>, %f<4>; .reg .b32 %h<8>;
ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; ld.param.f32 %scale, [scale];
mov.u32 %t, %tid.x; mad.wide.u32 %row, %t, 64, %out; mov.u32 %i, 0; mov.u32 %s, 3; mov.u32 %b, tiles;
mad.lo.u32 %a, %t, 256, %b;
fill: .pragma "nounroll"; add.u32 %x, %t, %i; and.b32 %x, %x, 7; shl.b32 %x, %x, 7; or.b32 %x, %x, 0x38003400; st.shared.b32 [%a], %x;
add.u32 %a, %a, 4; add.u32 %i, %i, 1; setp.ne.u32 %c, %i, 64; @%c bra fill;
fence.proxy.async; bar.sync 0; mov.u32 %i, 0;'
	for k in $(seq 0 15); do
		echo "mov.f32 %d$k, 0f00000000;"
	done
	echo 'loop: .pragma "nounroll"; add.u32 %s, %s, 1; setp.gt.u32 %wrap, %s, 3; selp.b32 %s, '"$1"', %s, %wrap;
shl.b32 %a, %s, 12; add.u32 %a, %a, %b; bfe.u32 %a, %a, 4, 14; cvt.u64.u32 %q, %a;
or.b64 %q0, %q, 4611686293305294848; add.s64 %q1, %q, 4611686293305294850;'
	for k in $(seq 0 15); do
		echo "mul.f32 %d$k, %d$k, %scale;"
	done
	echo "$2"
	echo 'wgmma.fence.sync.aligned;'
	for q in %q0 %q1; do
		echo "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {$sums}, {$3}, $q, 1, 1, 1, 0;"
		set -- "$1" "$2" "${4:-$3}" "$3"
	done
	echo 'wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
add.u32 %i, %i, 1; setp.ne.u32 %c, %i, %n; @%c bra loop;'
	for k in $(seq 0 15); do
		echo "st.global.f32 [%row+$((4 * k))], %d$k;"
	done
	echo 'ret; }'
}

factors='cvt.rn.f32.u32 %f0, %i; ex2.approx.f32 %f1, %f0; neg.f32 %f2, %f0; ex2.approx.f32 %f2, %f2; rcp.approx.f32 %f3, %f1;'
for k in 0 1 2 3 4 5 6 7; do
	factors="$factors cvt.rn.f16x2.f32 %h$k, %f$((k % 4)), %f$(((k + 1) % 4)); add.f32 %f$((k % 4)), %f$((k % 4)), %f1;"
done
stages 0 "$factors" '%h0, %h1, %h2, %h3' '%h4, %h5, %h6, %h7' >"$work/stages.ptx"
"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/stages.ptx" && "$BUILD/sov" disasm "$work/out" >"$work/code"
ok $? "the loop compiles"
count=$(grep -c 'R2UR' "$work/code")
[ "$count" -eq 0 ]
ok $? "no part of a descriptor is moved from general registers ($count are)"
grep -q 'USEL' "$work/code"
ok $? "the stage is selected in uniform registers"
count=$(grep -cE ' (IMAD\.)?MOV(\.U32)? R[0-9]+, (RZ, RZ, )?R[0-9]+' "$work/code")
[ "$count" -le 2 ]
ok $? "sums that the loop scales stay in their registers ($count copies)"
count=$(grep -c 'WARPGROUP.ARRIVE' "$work/code")
[ "$count" -eq 1 ]
ok $? "factors of both products are written before one arrival ($count)"

# The software GPU computes the same with descriptors in general registers, and without the scheduler.
for mode in '' --no-uniform --serial; do
	# shellcheck disable=SC2086 # one option or none
	"$BUILD/sov" compile --target sm_90 $mode -o "$work/out" "$work/stages.ptx" &&
		SOV_SOFT=gh100:hazard "$BUILD/sov" run --block 128 "$work/out" buf:f32:2048:print u32:5 f32:0.75 >"$work/result$mode"
	[ -s "$work/result$mode" ] && cmp -s "$work/result" "$work/result$mode" && ! grep -q 'nan\|inf' "$work/result$mode"
	ok $? "results${mode:+ with $mode}"
done
tap_done
