# SPDX-License-Identifier: MIT
# What the runtime promises it keeps on a software Navi 21 as well: tests that run on a GH100 elsewhere, each as a
# whole. Those that are about NVIDIA's images or instructions by name are not among them.
. tests/tap.sh

for t in api/calls api/concurrency api/concurrent api/copy_threads api/faults api/grids api/handles api/host_memory \
	api/kernels api/launches api/memory api/streams api/threads falsify/graphs falsify/memory falsify/pool \
	falsify/programs runtime/calls_closing runtime/copy_ways runtime/faults runtime/gates runtime/graph_ways \
	runtime/limits runtime/mappings runtime/spare_streams; do
	says=$(TEST_CHIP=navi21 SOV_CACHE_SIZE=0 timeout 250 "$BUILD/tests/$t" 2>&1)
	status=$?
	ok $status "$t: $(echo "$says" | grep -c '^ok') promises"
	[ $status = 0 ] || diag "$(echo "$says" | grep -A2 '^not ok' | head -n 12)"
done
tap_done
