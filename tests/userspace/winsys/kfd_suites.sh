# SPDX-License-Identifier: MIT
# Runs the runtime's tests on software Navi 21s behind a fake of amdgpu's compute interface (model/kfd).
# Of the tests in tests/userspace/compiler/amd/suites.sh these are left out:
#   runtime/kernel_faults, runtime/fault_attribution, runtime/module/lazy_compile,
#     runtime/stream/concurrent_launches, runtime/module/device_services/traps,
#     compiler/ptx/soft_instructions: go on after a fault, which amdgpu answers by not running the process again
#   runtime/stream/host_functions_closing, runtime/memory/mappings, runtime/stream/spare_streams: replace functions
#     of the software GPUs' winsys
#   runtime/stream/streams, runtime/module/kernels, compiler/kernels/soft: ask for hazard mode, or count software GPUs
#   runtime/memory/memory: maps video memory for the CPU
. tests/tap.sh

while read -r source; do
	t=${source#tests/userspace/}
	t=${t%.c}
	echo "# $t"
	case $t in # small sizes, although the device does not say that it is software
	*/conformance/*) export TEST_CARD=1 ;;
	*) unset TEST_CARD ;;
	esac
	says=$(SOV_KFD=1 TEST_WINSYS=kfd TEST_CHIP=navi21 SOV_CACHE_SIZE=0 "$BUILD/tests/$t" 2>&1 </dev/null)
	status=$?
	ok $status "$t passes through amdgpu's interface: $(echo "$says" | grep -c '^ok') checks"
	[ $status = 0 ] || diag "$(echo "$says" | grep -A2 '^not ok' | head -n 12)"
done <<END
tests/userspace/runtime/stream/host_functions.c
tests/userspace/runtime/stream/concurrent_queues.c
tests/userspace/runtime/stream/concurrent_calls.c
tests/userspace/runtime/stream/time_limits.c
tests/userspace/runtime/stream/copy_queues.c
tests/userspace/runtime/memory/copy_threads.c
tests/userspace/runtime/memory/copy_methods.c
tests/userspace/runtime/memory/shared_memory.c
tests/userspace/runtime/memory/host_memory.c
tests/userspace/runtime/module/grids.c
tests/userspace/runtime/module/launches.c
tests/userspace/runtime/module/modules.c
tests/userspace/runtime/module/device_services/heap.c
tests/userspace/runtime/module/device_services/print.c
tests/userspace/runtime/base/handles.c
tests/userspace/runtime/base/gates.c
tests/userspace/runtime/graph/chains.c
tests/userspace/runtime/conformance/graphs.c
tests/userspace/runtime/conformance/memory.c
tests/userspace/runtime/conformance/pool.c
tests/userspace/runtime/conformance/printf.c
tests/userspace/runtime/conformance/programs.c
tests/userspace/compiler/kernels/science.c
tests/userspace/compiler/ptx/soft_families.c
END
tap_done
