# SPDX-License-Identifier: MIT
# sov top lists processes and their GPU usage, on machines simulated by folders.
. tests/tap.sh
sov=$BUILD/sov
json=$BUILD/tests/tools/_json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
m=$dir/machine

card() { # address, device, driver
	mkdir -p "$m/sys/bus/pci/devices/$1"
	echo 0x030200 >"$m/sys/bus/pci/devices/$1/class"
	echo 0x10de >"$m/sys/bus/pci/devices/$1/vendor"
	echo "$2" >"$m/sys/bus/pci/devices/$1/device"
	ln -s "../drivers/$3" "$m/sys/bus/pci/devices/$1/driver"
}
process() { # number, command
	mkdir -p "$m/proc/$1/fd" "$m/proc/$1/fdinfo"
	echo "$2" >"$m/proc/$1/comm"
}
file() { # process, number, link target
	ln -s "$3" "$m/proc/$1/fd/$2"
	printf 'pos:\t0\nflags:\t02100002\n' >"$m/proc/$1/fdinfo/$2"
}
drm() { # process, number, address, client, nanoseconds of compute and copy, KiB of vram and system
	[ -L "$m/proc/$1/fd/$2" ] || file "$1" "$2" /dev/dri/renderD128
	printf 'pos:\t0\ndrm-driver:\tsovgpu\ndrm-client-id:\t%s\ndrm-pdev:\t%s\ndrm-engine-compute:\t%s ns\ndrm-engine-copy:\t%s ns\n' \
		"$4" "$3" "$5" "$6" >"$dir/fdinfo"
	printf 'drm-total-vram0:\t%s KiB\ndrm-resident-vram0:\t%s KiB\ndrm-resident-system:\t%s KiB\n' "$7" "$7" "$8" >>"$dir/fdinfo"
	mv "$dir/fdinfo" "$m/proc/$1/fdinfo/$2"
}
rows() { # of the last output: GPU, process, command, VRAM, host memory
	echo "$out" | awk '/^0000/ { print $1, $2, $3, $5, $6 }'
}

card 0000:01:00.0 0x2335 sovgpu
process 100 train
drm 100 5 0000:01:00.0 7 1000000000 500000000 2048 1024
out=$("$sov" top --once --interval 0 --root "$m")
is "$? $(echo "$out" | head -n 1)" "0 GPU 0000:01:00.0  PCI 10de:2335, driver sovgpu" \
	"sov top lists the GPU with its driver"
is "$(rows)" "0000:01:00.0 100 train 2.0 1.0" "sov top lists a process with VRAM and host memory"
is "$(echo "$out" | awk '/^0000/ { print $7, $8, $9 }')" "- - 1.5" \
	"a single sample of sov top has engine seconds but no utilisation"
drm 100 6 0000:01:00.0 7 1000000000 500000000 2048 1024
drm 100 7 0000:01:00.0 8 0 0 1024 0
process 101 child
drm 101 5 0000:01:00.0 7 1000000000 500000000 2048 1024
process 102 shell
file 102 0 /dev/null
out=$("$sov" top --once --interval 0 --root "$m")
is "$(rows)" "0000:01:00.0 100 train 3.0 1.0" \
	"sov top counts a shared DRM client once and omits processes without a GPU"

# Utilisation is the growth of engine time between two samples.
(
	sleep 0.2
	drm 100 5 0000:01:00.0 7 1100000000 500000000 2048 1024
	drm 100 6 0000:01:00.0 7 1100000000 500000000 2048 1024
) &
out=$("$sov" top --once --interval 0.8 --root "$m")
wait
is "$(echo "$out" | awk '/^0000/ { print ($7 + 0 > 0 && $7 + 0 <= 12.5), $8 }')" "1 0.0%" \
	"sov top computes utilisation from two samples"

# NVIDIA's module shows which processes have a GPU open, but no usage.
card 0000:02:00.0 0x2335 nvidia
mkdir -p "$m/proc/driver/nvidia/gpus/0000:02:00.0"
echo "Device Minor: 	 1" >"$m/proc/driver/nvidia/gpus/0000:02:00.0/information"
process 103 infer
file 103 9 /dev/nvidia1
file 103 10 /dev/nvidiactl
out=$("$sov" top --once --interval 0 --root "$m")
is "$(rows | sed -n 2p)" "0000:02:00.0 103 infer - -" \
	"sov top lists processes that have a GPU of NVIDIA's module open"
out=$("$sov" top --once --interval 0 --json --root "$m")
echo "$out" | "$json"
ok $? "sov top --json prints valid JSON"
has "$out" '"pid": 100, "command": "train", ' "sov top --json lists processes"
has "$out" '"vram_bytes": 3145728, "system_bytes": 1048576, "compute_percent": null, "compute_ns": 1100000000' \
	"sov top --json has memory and engine time of a process"

mkdir "$dir/empty"
out=$("$sov" top --once --interval 0 --root "$dir/empty")
is "$? $(echo "$out" | head -n 1)" \
	"0 no GPU on the PCI bus" \
	"sov top reports a machine without a GPU"
has "$(timeout 300 "$sov" top --interval 0.1 --root "$m" | head -n 15 | grep -c '^GPU  ')" 3 \
	"sov top repeats without a terminal"
# Software GPUs: threads and mappings of their names. The command of a process may contain anything.
thread() { # process, thread, name, ticks of user and system time
	mkdir -p "$m/proc/$1/task/$2"
	echo "$3" >"$m/proc/$1/task/$2/comm"
	echo "$2 ($3) S 1 1 1 0 -1 4194304 1 0 0 0 $4 $5 0 0 20 0 1 0 1 1 1" >"$m/proc/$1/task/$2/stat"
}
process 104 'a) R b'
thread 104 104 'a) R b' 900 900
thread 104 105 sov:gh100 100 50
thread 104 106 sov:gh100 30 20
printf '7f00-7f80 rw-p 0 00:00 0 [anon:sov:gh100]\nSize: 99 kB\nRss: 2048 kB\n7f90-7fa0 rw-p 0 00:00 0\nRss: 512 kB\n' >"$m/proc/104/smaps"
out=$("$sov" top --once --interval 0 --json --root "$m")
has "$out" '"gpu": "gh100", "driver": "software", "pid": 104, "command": "a) R b"' "sov top lists the software GPU of a process"
ns=$(echo "$out" | sed -n 's/.*"pid": 104.*"compute_ns": \([0-9]*\), "copy_percent.*/\1/p')
is "$(((ns * $(getconf _NPROCESSORS_ONLN) + 500000) / 1000000))" "$((200 * 1000 / $(getconf CLK_TCK)))" \
	"its time is the CPU time of its threads over all processors"
has "$out" '"command": "a) R b", "uid": '"$(id -u)"', "files": 0, "has_usage": true, "vram_bytes": 2097152' \
	"its memory is that of its mapping"
rm -r "$m/proc/104"
process 107 "$(printf 'a\033[2Jb')"
thread 107 108 "$(printf 'sov:gh\033[1m')" 100 50
is "$("$sov" top --once --interval 0 --root "$m" | grep -c "$(printf '\033')")" 0 \
	"names of processes and threads do not reach the terminal as escape sequences"
has "$("$sov" top --once --interval 0 --root "$m")" 'a?[2Jb' "their control characters are question marks"
rm -r "$m/proc/107"
SOV_NVRM=0 SOV_KMOD=0 SOV_SOFT=gh100:vram=64M "$sov" run --grid 30000 --block 256 --kernel saxpy_f32 tests/kernels/saxpy.ptx \
	u32:100000 f32:2 buf:f32:100000 buf:f32:100000 >"$dir/run" 2>&1 &
pid=$!
found=1
while kill -0 $pid 2>/dev/null; do # until the process has made its GPU, at the latest until it ends
	case $("$sov" top --once --interval 0 --json) in
	*'"gpu": "gh100", "driver": "software", "pid": '"$pid"*) found=0 && break ;;
	esac
done
wait $pid
ok $found "sov top lists a program that runs on a software GPU"

# On a terminal.
screen() { # keys, one each half second
	for key in $1; do sleep 0.5; printf '%s' "$key"; done |
		timeout 60 script -qec "stty cols 90 rows 20; TERM=xterm NO_COLOR=$2 '$sov' top --interval 0.2 --root '$m'; echo status \$?" /dev/null
}
if command -v script >/dev/null; then
	out=$(screen "s p p + - q" 1)
	has "$out" "status 0" "sov top on a terminal ends with the key q"
	has "$out" "GPU            " "it has a table of processes"
	has "$out" "train" "with the processes of the GPU"
	has "$out" "··········" "and bars"
	has "$out" "s sort: memory" "the key s changes the order"
	has "$out" "p continue" "the key p pauses"
	has "$out" "interval: 0.4 s" "the key + changes the interval"
	has "$out" "$(printf '\033[?1049l')" "the terminal gets its screen back"
	case $out in *"$(printf '\033[3')"*) found=1 ;; *) found=0 ;; esac
	ok $found "with NO_COLOR it has no colours"
	has "$(screen q "")" "$(printf '\033[3')" "it has colours otherwise"
else
	skip "sov top on a terminal" "script is not installed"
fi
# Signals and the terminal: the test prints TAP of its own.
if command -v python3 >/dev/null; then
	out=$(timeout 580 python3 tests/userspace/tools/_top_terminal.py "$sov" "$m" 2>&1) || :
	diag "$(echo "$out" | grep -v '^ok')"
	is "$(echo "$out" | grep -c '^ok') $(echo "$out" | grep -v '^ok')" "23 1..23" "sov top gives the terminal back by every way out"
else
	skip "sov top gives the terminal back by every way out" "python3 is not installed"
fi
is "$("$sov" top --interval 0 2>&1 | head -n 1)" "sov: top: interval '0' is too short; the minimum without --once is 0.1" \
	"sov top rejects interval 0 without --once"
is "$("$sov" top --interval x 2>&1 | head -n 1)" "sov: top: interval 'x' is not a number of seconds from 0 to 3600" \
	"sov top rejects an interval that is not a number"
tap_done
