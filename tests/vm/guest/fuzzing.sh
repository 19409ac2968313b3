# SPDX-License-Identifier: MIT
# kernels: trixie-debug
# modules: sovgpu_covered sovgpu_cover
# append: kasan_multi_shot
# Coverage-guided ioctl fuzzing (tests/userspace/kselftest/fuzz.c) for fuzz= seconds from seed=. The
# log has the programs with new coverage; tests/vm/fuzz.sh extracts them.
. /test/common.sh
parameter() { # name on the kernel's command line, default
	value=$(sed -n "s/.*$1=\([0-9]*\).*/\1/p" /proc/cmdline)
	echo "${value:-$2}"
}
modprobe sovgpu_covered
ok $? "sovgpu_covered.ko loads"
/test/bin/fuzz "$(parameter fuzz 1200)" "$(parameter seed 1)"
ok $? "the fuzzer runs for $(parameter fuzz 1200) s"
modprobe -r sovgpu_covered
ok $? "sovgpu_covered.ko unloads"
tap_done
