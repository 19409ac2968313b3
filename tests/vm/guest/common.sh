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

# A test program; one that dies or does not keep its own plan is a failure. What it says is said at once: some of its
# failures may stop the machine.
transcript=/tmp/out
program() {
	since=$(date +%s)
	{ "$@" 2>&1; echo $? >"$transcript.status"; } | tee "$transcript" |
		while IFS= read -r line; do
			case $line in 1..*) ;; *) printf '%s\n' "$line" ;; esac
		done
	is "$(grep -cE '^(not )?ok ' "$transcript") $(grep -cE '^not ok ' "$transcript") $(cat "$transcript.status")" \
		"$(sed -n 's/^1\.\.//p' "$transcript") 0 0" "${1##*/} comes to its end"
	diag "${1##*/}: $(($(date +%s) - since)) s"
}
long_ones="isolation tokens leftovers fuzz" # which take minutes: fire.sh, leftovers.sh
programs() { # one for each call of the driver
	for t in /test/bin/[!_]*; do
		case " $long_ones " in *" ${t##*/} "*) ;; *) program "$t" ;; esac
	done
}

# What the driver has of the kernel's memory: objects of slabs, as lines of cache, who asked, count and bytes; areas of
# addresses; and where the kernel knows, what is mapped for DMA. Wants slab_debug=U,kmalloc-* among the kernel's words, and
# stack_depot_disable=on, or else whole stacks are told, which takes minutes.
held() {
	awk 'FILENAME ~ "object_size$" { n = split(FILENAME, name, "/"); size[name[n - 1]] = $1; next }
		FNR == 1 { n = split(FILENAME, name, "/"); cache = name[n - 1] }
		$1 ~ "^[0-9]+$" { if (ours) sum[key] += count; count = $1; key = cache " " $2; bytes[key] = size[cache]; ours = 0 }
		/\[sovgpu\]/ { ours = 1 }
		END { if (ours) sum[key] += count; for (k in sum) print k, sum[k], sum[k] * bytes[k] }' \
		/sys/kernel/slab/*/object_size /sys/kernel/debug/slab/*/alloc_traces | sed 's|+0x[0-9a-f/x]*||' | sort
	awk '/\[sovgpu\]/ { sum[$3] += $2 } END { for (k in sum) print "area", k, sum[k] }' /proc/vmallocinfo | sort
	cards >/tmp/held.cards
	awk 'NR == FNR { sub(".*/", ""); ours[$1] = 1; next }
		{ for (i = 1; i <= NF; i++) if ($i in ours) n++ } END { print "dma mappings", n + 0 }' \
		/tmp/held.cards /sys/kernel/debug/dma-api/dump 2>/dev/null
}
# What is freed later (by RCU, by work that waits) is free within seconds.
settled() { # file for what held() says when it says so twice
	tries=0
	held >"$1"
	while sleep 2 && held >/tmp/held.now; ! cmp -s "$1" /tmp/held.now && [ $tries -lt 10 ]; do
		mv /tmp/held.now "$1"
		tries=$((tries + 1))
	done
}
accounted() { # what held() said before, what was done since
	tries=0
	while held >/tmp/held.now; ! cmp -s "$1" /tmp/held.now && [ $tries -lt 20 ]; do
		sleep 1
		tries=$((tries + 1))
	done
	cmp -s "$1" /tmp/held.now
	ok $? "$2: the kernel holds for the driver what it held before, to the byte"
	diag "$(diff "$1" /tmp/held.now | grep '^[-+][^-+]' | head -n 20)"
	diag "$(awk '{ n += $NF } END { print NR, "kinds,", n, "bytes" }' /tmp/held.now) after $tries s"
}
# A card that was reset is bound anew: its node, which node() names, works within two minutes.
comes_back() {
	tries=0
	while [ $tries -lt 1200 ] && ! RENDER_NODE=$(node) /test/bin/bo_info >/dev/null 2>&1; do
		usleep 100000
		tries=$((tries + 1))
	done
	[ $tries -lt 1200 ]
}
