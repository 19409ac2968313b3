# SPDX-License-Identifier: MIT
# kernels: trixie-debug
# modules: sovgpu_covered sovgpu_cover
# append: kasan_multi_shot
# Programs of calls that are kept by what they reach (tests/userspace/kselftest/fuzz.c), for fuzz= seconds from seed=. What was
# kept is in the log; tests/vm/fuzz.sh takes it from there.
. /test/common.sh
word() { # name, what it is otherwise
	value=$(sed -n "s/.*$1=\([0-9]*\).*/\1/p" /proc/cmdline)
	echo "${value:-$2}"
}
modprobe sovgpu_covered
ok $? "sovgpu_covered.ko loads"
/test/bin/fuzz "$(word fuzz 1200)" "$(word seed 1)"
ok $? "$(word fuzz 1200) s of programs"
modprobe -r sovgpu_covered
ok $? "sovgpu_covered.ko unloads"
tap_done
