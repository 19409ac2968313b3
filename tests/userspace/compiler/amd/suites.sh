# SPDX-License-Identifier: MIT
# What the runtime promises it keeps on a software Navi 21 as well: tests that run on a GH100 elsewhere, each as a
# whole. Not among them:
#   api/devices, api/local_memory: tell figures and names of NVIDIA's chips (multiprocessors, what a thread may have)
#   api/variables, runtime/stack: write into cubins by hand
#   runtime/launch_descriptor, runtime/chain_code: NVIDIA's launch descriptors and caches; amd/packets is ours
#   runtime/cache, runtime/errors, runtime/ranges: no GPU at all; runtime/wraps: has both in one run
#   runtime/trace: counts a graph's nodes as one queue has them; here copies and kernels are two queues'
. tests/tap.sh

for t in api/calls api/concurrency api/concurrent api/copy_threads api/faults api/grids api/handles api/host_memory \
	api/kernels api/launches api/lazy api/memory api/modules api/streams api/threads conformance/graphs conformance/memory \
	conformance/pool conformance/print conformance/programs kernels/science kernels/soft ptx/soft_families ptx/soft_instructions \
	runtime/calls_closing runtime/copy_ways runtime/faults runtime/gates runtime/graph_ways runtime/limits runtime/mappings \
	runtime/spare_streams services/heap services/print services/stop; do
	says=$(TEST_CHIP=navi21 SOV_CACHE_SIZE=0 timeout 250 "$BUILD/tests/$t" 2>&1)
	status=$?
	ok $status "$t: $(echo "$says" | grep -c '^ok') promises"
	[ $status = 0 ] || diag "$(echo "$says" | grep -A2 '^not ok' | head -n 12)"
done
tap_done
