# SPDX-License-Identifier: MIT
# What scenarios share.
. /test/tap.sh

cards() { # the cards' folders, one a line
	for d in /sys/bus/pci/devices/*; do
		[ "$(cat "$d/vendor")" != 0x10de ] || echo "$d"
	done
}
bound() { # folder: the driver's name, or nothing
	basename "$(readlink "$1/driver")" 2>/dev/null
}
says() { # words: does the kernel's log have a line with them?
	dmesg | grep -qF "$1"
}

# Every test program; one that dies or does not keep its own plan is a failure.
programs() {
	for t in /test/bin/*; do
		"$t" >/tmp/out 2>&1
		status=$?
		sed '/^1\.\./d' /tmp/out
		is "$(grep -cE '^(not )?ok ' /tmp/out) $(grep -cE '^not ok ' /tmp/out) $status" \
			"$(sed -n 's/^1\.\.//p' /tmp/out) 0 0" "${t##*/} comes to its end"
	done
}
