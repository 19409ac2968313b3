# SPDX-License-Identifier: MIT
# Runs the runtime's tests of graphs and copies on software Navi 21s whose packets overlap and whose caches keep lines
# (weak memory mode), without and with a fake of amdgpu's interface: a packet that the command writer left out shows.
. tests/tap.sh

for t in runtime/graph/chains runtime/conformance/graphs runtime/memory/copy_methods runtime/stream/copy_queues; do
	for winsys in "" kfd; do
		says=$(export TEST_CHIP=navi21 TEST_WEAK=1 SOV_CACHE_SIZE=0 TEST_CARD=1
		       [ -z "$winsys" ] || export SOV_KFD=1 TEST_WINSYS=$winsys
		       timeout 100 "$BUILD/tests/$t" 2>&1 </dev/null)
		status=$?
		ok $status "$t passes on a navi21${winsys:+ by $winsys} with overlap: $(echo "$says" | grep -c '^ok') checks"
		[ $status = 0 ] || diag "$(echo "$says" | grep -A2 '^not ok' | head -n 12)"
	done
done
tap_done
