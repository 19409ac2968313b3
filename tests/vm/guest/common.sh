# SPDX-License-Identifier: MIT
# Functions shared by scenarios and their parts. Each scenario ends with tap_done.
. /test/tap.sh

cards() { # sysfs folders of the cards, one per line, in the order of the scenario's `card:` lines
	for d in /sys/bus/pci/devices/*; do
		[ "$(cat "$d/vendor")" != 0x10de ] || echo "$d"
	done
}
bound() { # card: prints the name of the bound driver, or nothing
	basename "$(readlink "$1/driver")" 2>/dev/null
}
says() { # text, [card]: does the kernel log have a line with the text, about that card if given?
	dmesg | grep -F "${2##*/}" | grep -qF "$1"
}

# Runs another scenario as a part of this one; it must print its plan.
part() { # name, arguments
	name=$1
	shift
	sh "/test/$name.sh" "$@" 2>&1 | tee "/tmp/$name.out"
	case $(tail -n 1 "/tmp/$name.out") in
	1..*) ok 0 "scenario part $name runs to completion" ;;
	*) ok 1 "scenario part $name runs to completion" ;;
	esac
}

# Runs a test program, which must print its plan and exit with 0. Its output is passed on line by
# line, because a failure may stop the machine.
transcript=/tmp/out
program() {
	since=$(date +%s)
	{ "$@" 2>&1; echo $? >"$transcript.status"; } | tee "$transcript" |
		while IFS= read -r line; do
			case $line in 1..*) ;; *) printf '%s\n' "$line" ;; esac
		done
	results=$(grep -cE '^(not )?ok ' "$transcript")
	failures=$(grep -cE '^not ok ' "$transcript")
	is "$results $failures $(cat "$transcript.status")" \
		"$(sed -n 's/^1\.\.//p' "$transcript") 0 0" \
		"test program ${1##*/} runs to completion"
	diag "${1##*/}: $(($(date +%s) - since)) s"
}
# These take minutes and run in hostile.sh and memory_clearing.sh.
slow_programs="isolation doorbell_tokens memory_clearing fuzz"
programs() { # all quick test programs of the driver's ioctls
	for t in /test/bin/[!_]*; do
		case " $slow_programs " in *" ${t##*/} "*) ;; *) program "$t" ;; esac
	done
}

dumps() { # how many dumps of cards that failed the kernel keeps
	ls -d /sys/class/devcoredump/devcd* 2>/dev/null | wc -l
}
drop_dumps() { # they would hold memory for five minutes
	for d in /sys/class/devcoredump/devcd*; do
		[ ! -e "$d/data" ] || echo 1 >"$d/data"
	done
}

# Prints the kernel memory that the driver holds: slab objects as lines of cache, caller, count and
# bytes; vmalloc areas; and, if the kernel tracks them, DMA mappings. Needs slab_debug=U,kmalloc-*
# on the kernel's command line, and stack_depot_disable=on, because printing whole stacks takes
# minutes.
held() {
	awk 'FILENAME ~ "object_size$" { n = split(FILENAME, name, "/"); size[name[n - 1]] = $1; next }
		FNR == 1 { n = split(FILENAME, name, "/"); cache = name[n - 1] }
		$1 ~ "^[0-9]+$" {
			if (ours) sum[key] += count
			count = $1; key = cache " " $2; bytes[key] = size[cache]; ours = 0
		}
		/\[sovgpu\]/ { ours = 1 }
		END { if (ours) sum[key] += count; for (k in sum) print k, sum[k], sum[k] * bytes[k] }' \
		/sys/kernel/slab/*/object_size /sys/kernel/debug/slab/*/alloc_traces |
		sed 's|+0x[0-9a-f/x]*||' | sort
	awk '/\[sovgpu\]/ { sum[$3] += $2 } END { for (k in sum) print "area", k, sum[k] }' \
		/proc/vmallocinfo | sort
	cards >/tmp/held.cards
	awk 'NR == FNR { sub(".*/", ""); ours[$1] = 1; next }
		{ for (i = 1; i <= NF; i++) if ($i in ours) n++ } END { print "dma mappings", n + 0 }' \
		/tmp/held.cards /sys/kernel/debug/dma-api/dump 2>/dev/null
}
# RCU and delayed work free memory later: the kernel collects objects of kfree_rcu() for five seconds. So the output
# of held() counts as stable when it has not changed for twelve seconds.
settled() { # file: gets the output of held() once it is stable
	drop_dumps
	tries=0 same=0
	held >"$1"
	while [ $same -lt 6 ] && [ $tries -lt 30 ]; do
		sleep 2
		held >/tmp/held.now
		if cmp -s "$1" /tmp/held.now; then
			same=$((same + 1))
		else
			mv /tmp/held.now "$1"
			same=0
		fi
		tries=$((tries + 1))
	done
}
accounted() { # earlier output of held(), description of what was done since
	drop_dumps
	tries=0
	while held >/tmp/held.now; ! cmp -s "$1" /tmp/held.now && [ $tries -lt 20 ]; do
		sleep 1
		tries=$((tries + 1))
	done
	cmp -s "$1" /tmp/held.now
	ok $? "$2: the driver holds exactly the kernel memory that it held before"
	diag "$(diff "$1" /tmp/held.now | grep '^[-+][^-+]' | head -n 20)"
	diag "$(awk '{ n += $NF } END { print NR, "kinds,", n, "bytes" }' /tmp/held.now) after $tries s"
}
# Waits up to two minutes until the render node that node() names works after a reset.
comes_back() {
	tries=0
	while [ $tries -lt 1200 ] && ! RENDER_NODE=$(node) /test/bin/bo_info >/dev/null 2>&1; do
		usleep 100000
		tries=$((tries + 1))
	done
	[ $tries -lt 1200 ]
}
