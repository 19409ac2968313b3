# SPDX-License-Identifier: MIT
# Bulk copies that need no loop over lanes: of one lane, or stores with the same operands in all.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# copies CONDITION: lanes with %skip do not copy.
copies()
{
	printf '.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry copies(.param .u64 a, .param .u32 n)\n{\n'
	printf '.reg .b64 %%a;\n.reg .pred %%lane, %%other, %%skip, %%c;\n.reg .b32 %%n, %%t, %%s, %%w, %%r;\n.shared .align 128 .b8 m[65536];\n'
	echo 'ld.param.u64 %a, [a]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %s, m;'
	echo 'shr.u32 %w, %t, 5; shfl.sync.idx.b32 %w, %w, 0, 31, -1; elect.sync %r|%lane, -1; setp.ne.u32 %other, %w, 0;'
	echo "not.pred %lane, %lane; $1 @%skip bra done;"
	echo 'loop: .pragma "nounroll";'
	echo 'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s+1024], [%a], 128, [%s];'
	echo 'sub.u32 %n, %n, 1; setp.ne.u32 %c, %n, 0; @%c bra loop;'
	echo 'done: bar.sync 0; ret; }'
}
count_votes()
{
	"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/copies.ptx" &&
		"$BUILD/sov" disasm "$work/out" | grep -c 'VOTE.ANY'
}

copies 'or.pred %skip, %lane, %other;' >"$work/copies.ptx"
count=$(count_votes)
[ "$count" -eq 0 ]
ok $? "a loop of the elected lane of one warp copies without a loop over lanes ($count votes)"

copies 'and.pred %skip, %lane, %other;' >"$work/copies.ptx"
count=$(count_votes)
[ "$count" -gt 0 ]
ok $? "a loop of the elected lane or all lanes of one warp has a loop over lanes ($count votes)"

# lanes COPY: all lanes execute the copy; %c depends on the lane, %n does not.
lanes()
{
	printf '.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry copies(.param .u64 a, .param .u32 n)\n{\n'
	printf '.reg .b64 %%a;\n.reg .b32 %%n, %%c;\n.shared .align 128 .b8 m[4096];\n'
	echo "ld.param.u64 %a, [a]; ld.param.u32 %n, [n]; mov.u32 %c, %tid.x; $1 ret; }"
}
# expect VOTES SHUFFLES COPY MESSAGE: their numbers in the code of the copy.
expect()
{
	lanes "$3" >"$work/copies.ptx"
	count=$(count_votes)
	shuffles=$("$BUILD/sov" disasm "$work/out" | grep -c 'SHFL')
	[ "$count $shuffles" = "$1 $2" ]
	ok $? "$4 ($count votes, $shuffles shuffles)"
}
tensor=cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
reduce=cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
expect 0 0 "$tensor [%a, {%n, 0}], [m];" "the lanes of a warp store to the same place of a tensor once"
expect 0 0 "cp.async.bulk.global.shared::cta.bulk_group [%a], [m], 64;" "the lanes of a warp store the same bytes once"
expect 1 1 "$tensor [%a, {%c, %n}], [m];" "lanes store once for each of the coordinates that differ"
expect 1 0 "$reduce [%a, {%n, 0}], [m];" "lanes with the same operands add to a tensor one by one"

# Uniform registers cannot be spilled: many copies at addresses of their own in one block.
{
	printf '.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry copies(.param .u64 a, .param .u32 n)\n{\n'
	printf '.reg .b64 %%a, %%m<64>;\n.reg .pred %%lane;\n.reg .b32 %%n, %%t, %%r, %%x<64>;\n.shared .align 128 .b8 m[65536];\n'
	echo 'ld.param.u64 %a, [a]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;'
	echo 'elect.sync %r|%lane, -1; @!%lane bra done;'
	for k in $(seq 0 63); do
		echo "mad.lo.u32 %x$k, %t, $((k + 3)), %n; mad.wide.u32 %m$k, %x$k, $((128 * k)), %a;"
	done
	for k in $(seq 0 63); do
		printf 'cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes '
		echo "[m+$((1024 * k))], [%m$k, {%x$k, %t}], [m];"
	done
	echo 'done: ret; }'
} >"$work/copies.ptx"
"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/copies.ptx"
ok $? "64 copies of the elected lane in one block fit into the uniform registers"
tap_done
