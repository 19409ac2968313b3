# SPDX-License-Identifier: MIT
# Runs tests whose blocks or warps communicate in weak memory mode on both vendors: the results of a
# correct program are the same there.
. tests/tap.sh

# With sanitizers one program suffices: they look for errors in the software GPU, not in the programs.
programs="runtime/module/grids"
nm -D "$BUILD/libsov.so" | grep -q __asan_init ||
	programs="$programs compiler/kernels/soft runtime/module/kernels runtime/module/device_services/heap"
for t in $programs; do
	for chip in gh100 navi21; do
		says=$(TEST_CHIP=$chip TEST_WEAK=3 SOV_CACHE_SIZE=0 timeout 100 "$BUILD/tests/$t" 2>&1 </dev/null)
		status=$?
		ok $status "$t passes on a $chip with weak memory: $(echo "$says" | grep -c '^ok') checks"
		[ $status = 0 ] || diag "$(echo "$says" | grep -A2 '^not ok' | head -n 12)"
	done
done
tap_done
