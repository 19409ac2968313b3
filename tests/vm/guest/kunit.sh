# SPDX-License-Identifier: MIT
# kernels: trixie-debug
# modules: sovgpu_kunit
# append: kasan_multi_shot
# The driver's KUnit tests (tests/kunit), which run when their module is loaded.
. /test/common.sh
modprobe sovgpu_kunit
ok $? "sovgpu_kunit.ko loads"
suites=0
for results in /sys/kernel/debug/kunit/sovgpu_*/results; do
	suite=$(basename "$(dirname "$results")")
	suites=$((suites + 1))
	# Cases are indented; the last line is the result of the suite.
	grep -E '^ +((not )?ok [0-9]|# )' "$results" |
		sed "s/^ *//; s/^\(\(not \)*ok [0-9]*\) /\1 - $suite: /"
	grep -qE "^ok [0-9]+ $suite" "$results"
	ok $? "$suite: all KUnit cases pass"
done
is $suites "$(cat /test/kunit_suites)" "every KUnit suite ran"
modprobe -r sovgpu_kunit
ok $? "sovgpu_kunit.ko unloads"
tap_done
