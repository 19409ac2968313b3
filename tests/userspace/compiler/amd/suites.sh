# SPDX-License-Identifier: MIT
# Runs the runtime's tests, written for a GH100, on a software Navi 21. Excluded are:
#   runtime/devices, runtime/memory/local_memory: check properties of NVIDIA's chips
#   runtime/module/variables, runtime/memory/stack: patch cubins
#   gpu/nv/launch_descriptor, gpu/nv/chain_code: test NVIDIA's launch descriptors and caches;
#     gpu/amd/packets covers AMD
#   runtime/module/compile_cache, runtime/base/errors, runtime/base/ranges: use no GPU
#   runtime/stream/semaphore_wraps: tests both vendors in one run
#   runtime/stream/host_functions_closing: needs a doorbell that is rung outside of the stream's gate; a 64-bit
#     doorbell takes the pointer, and is rung in the order of pointers
#   runtime/trace/trace: counts a graph's nodes on one queue; AMD has separate queues for copies
. tests/tap.sh

while read -r source; do
	t=${source#tests/userspace/}
	t=${t%.c}
	echo "# $t"
	says=$(TEST_CHIP=navi21 SOV_CACHE_SIZE=0 "$BUILD/tests/$t" 2>&1 </dev/null)
	status=$?
	ok $status "$t passes on a software Navi 21: $(echo "$says" | grep -c '^ok') checks"
	[ $status = 0 ] || diag "$(echo "$says" | grep -A2 '^not ok' | head -n 12)"
done <<EOF
tests/userspace/runtime/stream/host_functions.c
tests/userspace/runtime/stream/concurrent_launches.c
tests/userspace/runtime/stream/concurrent_queues.c
tests/userspace/runtime/memory/copy_threads.c
tests/userspace/runtime/kernel_faults.c
tests/userspace/runtime/module/grids.c
tests/userspace/runtime/base/handles.c
tests/userspace/runtime/memory/host_memory.c
tests/userspace/runtime/module/kernels.c
tests/userspace/runtime/module/launches.c
tests/userspace/runtime/module/lazy_compile.c
tests/userspace/runtime/memory/memory.c
tests/userspace/runtime/module/modules.c
tests/userspace/runtime/stream/streams.c
tests/userspace/runtime/stream/concurrent_calls.c
tests/userspace/runtime/conformance/graphs.c
tests/userspace/runtime/conformance/memory.c
tests/userspace/runtime/conformance/pool.c
tests/userspace/runtime/conformance/printf.c
tests/userspace/runtime/conformance/programs.c
tests/userspace/compiler/kernels/science.c
tests/userspace/compiler/kernels/soft.c
tests/userspace/compiler/ptx/soft_families.c
tests/userspace/compiler/ptx/soft_instructions.c
tests/userspace/runtime/memory/copy_methods.c
tests/userspace/runtime/memory/shared_memory.c
tests/userspace/runtime/fault_attribution.c
tests/userspace/runtime/base/gates.c
tests/userspace/runtime/graph/chains.c
tests/userspace/runtime/stream/time_limits.c
tests/userspace/runtime/stream/copy_queues.c
tests/userspace/runtime/memory/mappings.c
tests/userspace/runtime/stream/spare_streams.c
tests/userspace/runtime/module/device_services/heap.c
tests/userspace/runtime/module/device_services/print.c
tests/userspace/runtime/module/device_services/traps.c
EOF
tap_done
