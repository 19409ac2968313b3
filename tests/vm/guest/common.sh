# SPDX-License-Identifier: MIT
# What scenarios and their parts share. Each ends with tap_done.
. /test/tap.sh

cards() { # the cards' folders, one a line, in the order of the scenario's lines
	for d in /sys/bus/pci/devices/*; do
		[ "$(cat "$d/vendor")" != 0x10de ] || echo "$d"
	done
}
bound() { # folder: the driver's name, or nothing
	basename "$(readlink "$1/driver")" 2>/dev/null
}
says() { # words, folder: does the kernel's log have a line with them, about that card or any?
	dmesg | grep -F "${2##*/}" | grep -qF "$1"
}

# A scenario may have others as its parts; one that does not come to its end is a failure.
part() { # its name, its words
	name=$1
	shift
	sh "/test/$name.sh" "$@" 2>&1 | tee "/tmp/$name.out"
	case $(tail -n 1 "/tmp/$name.out") in
	1..*) ok 0 "$name comes to its end" ;;
	*) ok 1 "$name comes to its end" ;;
	esac
}

# A test program; one that dies or does not keep its own plan is a failure.
program() {
	"$@" >/tmp/out 2>&1
	status=$?
	sed '/^1\.\./d' /tmp/out
	is "$(grep -cE '^(not )?ok ' /tmp/out) $(grep -cE '^not ok ' /tmp/out) $status" \
		"$(sed -n 's/^1\.\.//p' /tmp/out) 0 0" "${1##*/} comes to its end"
}
programs() { # one for each call of the driver
	for t in /test/bin/[!_]*; do
		program "$t"
	done
}
