# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie trixie-backports
# results: 81
# firmware: small
# programs: sov
# card: gh100
# card: gh100 --fault silent
# card: gh100 --fault refuse
# card: gh100 --fault deaf
# What the person with a first card has: probe_only, the logs and the dump of a card that does not
# boot, the dump of a wedged one, and the archive of sov doctor. The second card's GSP boots and
# sends no message, the third's FSP rejects the firmware, the fourth stops answering in use.
. /test/common.sh
logs=/sys/kernel/debug/sovgpu
# shellcheck disable=SC2046 # words
set -- $(cards)
dump_of() { # card: its dump
	for d in /sys/class/devcoredump/devcd*; do
		[ "$(basename "$(readlink "$d/failing_device")")" != "${1##*/}" ] || echo "$d/data"
	done
}
key() { # card, key: its value in the card's dump
	head -c 8192 "$(dump_of "$1")" | sed -n "s/^$2: //p"
}
log_of_dump() { # card, number of a log from 0
	tail -c +$((8193 + $2 * 65536)) "$(dump_of "$1")" | head -c 65536
}
records() { # card, log, text: how many records have the text
	tr '\000' '\n' <"$logs/${1##*/}/$2" | grep -c "$3"
}

file=/lib/firmware/nvidia/gh100/gsp/gsp-570.144.bin
mv $file /tmp/kept
modprobe sovgpu probe_only=1
is "$(dumps) $(ls $logs)" "0 " "a missing firmware file makes neither a dump nor logs"
modprobe -r sovgpu
mv /tmp/kept $file

modprobe sovgpu probe_only=1
ok $? "sovgpu.ko loads with probe_only"
is "$(bound "$1")$(bound "$2")$(bound "$3")$(bound "$4")" "" "probe_only binds no card"
is "$(ls /dev/dri 2>/dev/null | grep -c renderD)" 0 "probe_only registers no render node"
says "gh100 (BOOT_0 0x180000a1, BOOT_42 0x180a1000), 143771 MiB VRAM" "$1"
ok $? "probe_only logs the identity of the chip"
says "132 SMs" "$1"
ok $? "probe_only logs what the GSP reports"
says "probe_only: done; load sovgpu without it to use the device" "$1"
ok $? "probe_only stops the card again"
is "$(ls $logs | tr '\n' ' ')" "${2##*/} ${3##*/} " "only cards that failed to start keep their logs"
is "$(dumps)" 2 "each card that failed to start has a dump, the others have none"
for card in "$2" "$3"; do
	is "$(key "$card" sovgpu-dump) $(key "$card" reason) $(key "$card" chip) $(key "$card" device)" \
		"1 start failed gh100 ${card##*/}" "the dump of ${card##*/} names version, reason, chip and device"
	is "$(key "$card" 'register PMC_BOOT_0 0x000000')" 0x180000a1 "the dump of ${card##*/} has registers"
	is "$(wc -c <"$(dump_of "$card")")" 204800 "the dump of ${card##*/} has its header and three logs"
	n=0
	for log in LOGINIT LOGINTR LOGRM; do
		is "$(key "$card" "log $log")" "$((8192 + n * 65536)) 65536" \
			"the dump of ${card##*/} says where $log is"
		log_of_dump "$card" $n | cmp -s - "$logs/${card##*/}/$log"
		ok $? "$log of ${card##*/} is the same in the dump and in debugfs"
		n=$((n + 1))
	done
done
is "$(key "$2" step) $(key "$2" error)" "GSP init -110" "the dump of the silent card has its step and errno"
is "$(key "$3" step) $(key "$3" error)" "FSP message -5" "the dump of the rejected firmware has its step and errno"
says "start failed at step: GSP init" "$2"
ok $? "the driver logs the step at which the start failed"
is "$(records "$2" LOGINIT 'GSP boots') $(records "$3" LOGINIT 'GSP boots')" "1 0" \
	"the kept LOGINIT has the records of the GSP that booted"
is "$(records "$2" LOGRM 'call 73')" 1 "the kept LOGRM has the records of calls"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads while dumps exist"
is "$(ls -d $logs 2>/dev/null) $(dumps)" " 2" "unloading drops the logs and leaves the dumps"
drop_dumps
is "$(dumps)" 0 "a write removes a dump"

modprobe sovgpu
is "$(bound "$1") $(bound "$4")" "sovgpu sovgpu" "sovgpu.ko binds to the cards that start"
says "another driver left its firmware running; reset the device first" "$2"
is "$? $(dumps)" "0 1" "a card whose GSP still runs is not started, which makes no dump"
drop_dumps
echo 1 >"$2/reset"
echo "${2##*/}" >/sys/bus/pci/drivers/sovgpu/bind 2>/dev/null
is "$(key "$2" step) $(dumps)" "GSP init 1" "after a reset it is started, and its failure makes a dump again"
drop_dumps
before=$(records "$1" LOGRM call)
RENDER_NODE=/dev/dri/renderD128 program /test/bin/vm_create
[ "$(records "$1" LOGRM call)" -gt "$before" ]
ok $? "LOGRM grows while the card works"
RENDER_NODE=/dev/dri/renderD129 program /test/bin/_wedged
is "$(dumps) $(key "$4" reason) $(key "$4" step) $(key "$4" lost)" "1 wedged running 0" \
	"a wedged card has a dump"
log_of_dump "$4" 2 | cmp -s - "$logs/${4##*/}/LOGRM"
ok $? "the logs of a wedged card stay in debugfs while the driver is bound"
/source/build/sov doctor --first-boot /tmp/first.tar >/tmp/first.out
is "$? $(grep -c '^wrote /tmp/first.tar: report.txt and ' /tmp/first.out)" "0 1" \
	"sov doctor --first-boot collects"
tar -xf /tmp/first.tar -C /tmp
for f in "$(dump_of "$4")" "$logs/${1##*/}/LOGINIT" "$logs/${2##*/}/LOGRM" "${2}/config"; do
	cmp -s "$f" "/tmp$f"
	ok $? "the archive has $f"
done
grep -q "${2##*/}: .*start failed at step: GSP init" /tmp/report.txt
ok $? "the report has the driver's lines of the kernel's log"
echo "${4##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
is "$(dumps) $(ls $logs | grep -c "${4##*/}")" "1 0" "unbinding a wedged card makes no second dump"
drop_dumps
modprobe -r sovgpu
is "$? $(dumps)" "0 0" "sovgpu.ko unloads and leaves no dump"
tap_done
