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

# A test program; one that dies or does not keep its own plan is a failure.
program() {
	"$@" >/tmp/out 2>&1
	status=$?
	sed '/^1\.\./d' /tmp/out
	is "$(grep -cE '^(not )?ok ' /tmp/out) $(grep -cE '^not ok ' /tmp/out) $status" \
		"$(sed -n 's/^1\.\.//p' /tmp/out) 0 0" "${1##*/} comes to its end"
}
programs() { # all that need nothing but the card
	for t in /test/bin/[!_]*; do
		program "$t"
	done
}

# A card that does not come up: the module says why, keeps nothing, and can be tried again.
fails() { # words of its message
	card=$(cards)
	modprobe sovgpu
	ok $? "sovgpu.ko loads all the same"
	is "$(bound "$card")" "" "it does not bind to the card"
	says "$1"
	ok $? "it says why: $1"
	[ ! -e /dev/dri/renderD128 ]
	ok $? "there is no render node"
	modprobe -r sovgpu
	ok $? "it unloads"
}
