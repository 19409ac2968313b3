# SPDX-License-Identifier: MIT
# append: slab_debug=U stack_depot_disable=on
# Runs the parts or test programs that try= on the kernel's command line lists, separated by commas;
# colons separate a program's arguments. For tests/vm/mutants.sh.
. /test/common.sh
for t in $(sed -n 's/.*try=\([^ ]*\).*/\1/p' /proc/cmdline | tr , ' '); do
	if [ -e "/test/$t.sh" ]; then
		part "$t" 5
	else
		modprobe sovgpu
		# shellcheck disable=SC2046 # words
		program $(echo "/test/bin/$t" | tr : ' ')
		modprobe -r sovgpu
	fi
done
tap_done
