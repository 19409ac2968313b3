# SPDX-License-Identifier: MIT
# What the kernel's command line names after try=, with commas between: parts, or programs for the driver's
# calls. For tests/vm/mutants.sh.
. /test/common.sh
for t in $(sed -n 's/.*try=\([^ ]*\).*/\1/p' /proc/cmdline | tr , ' '); do
	if [ -e "/test/$t.sh" ]; then
		part "$t" 5
	else
		modprobe sovgpu
		program "/test/bin/$t"
		modprobe -r sovgpu
	fi
done
tap_done
