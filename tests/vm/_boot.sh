# SPDX-License-Identifier: MIT
# Functions that pack and boot a virtual machine; sourced by _kernel.sh, run.sh and mutants.sh. A
# scenario is a script of tests/vm/guest whose comment lines configure its machine:
#   # scenario                runs by default; others are parts of scenarios, or run by name
#   # scenario of check-long  runs in check-long by default
#   # kernels: trixie         kernels of the cache on which it runs (all)
#   # kernels of check-long: trixie-debug    kernels on which it runs in check-long
#   # card: gh100 --fault silent    chip and options of sovgpu-model; one line per card (one gh100)
#   # modules: nouveau        modules to pack (sovgpu); installed: Debian files of install.sh in /debian
#   # append: iommu.strict=1  kernel command line (none)
#   # memory: 2G              memory of the machine (1G)
#   # programs: sov tests/runtime/memory/memory    programs of $BUILD, for /source/build (none)
#   # firmware: small         a GSP image of 0.1 MB for quick boots, small_gsp.S (the real image)
#   # iommu: on               cards are behind an IOMMU (off)
#   # results: 19             results that its machine reports in make check, at least
# All output lies in $work.
: "${BUILD:=build}" "${VM_TIMEOUT:=2400}"

# Kernel log lines that mean a bug.
complaints='BUG:|WARNING:|Oops|Call trace|possible .* dependency|INFO: .* (stall|blocked)|UBSAN|KASAN'
complaints="$complaints|DMA-API: .*0000:|unreferenced object|refcount_t"

in_work() { # runs a command in the chroot, where $work is /run/vm
	inside -b "$(realpath "$work")=vm" "$@"
}

property() { # scenario, key, default
	value=$(sed -n "s/^# $2: //p" "tests/vm/guest/$1.sh")
	echo "${value:-$3}"
}

runs_on() { # scenario, kernel: does the scenario run on that kernel?
	selected=
	[ -z "${VM_LONG:-}" ] || selected=$(property "$1" "kernels of check-long" "")
	case " ${selected:-$(property "$1" kernels "$2")} " in *" $2 "*) ;; *) return 1 ;; esac
}

# Copies the programs of $BUILD that scenarios name, their libraries and the files they read, so
# that they need not be built again for the guest.
copy_build_programs() { # folder
	mkdir -p "$1/source/tests" "$1/lib"
	[ "$arch" != amd64 ] || ln -sfn lib "$1/lib64" # where programs expect their loader
	cp -r tests/kernels "$1/source/tests/"
	services=tests/userspace/runtime/module/device_services
	install -D -m 644 -t "$1/source/$services" $services/_kernels.ptx
	for p in $(sed -n 's/^# programs: //p' tests/vm/guest/*.sh); do
		install -D -m 755 "$BUILD/$p" "$1/source/build/$p" && strip "$1/source/build/$p" || return 1
		ldd "$BUILD/$p" >"$work/libraries" 2>&1 || grep -q 'not a dynamic' "$work/libraries" || return 1
		awk '{ for (i = 1; i <= NF; i++) if ($i ~ "^/") print $i }' "$work/libraries" |
			xargs -I{} cp -Lu {} "$1/lib/"
	done
}

# Builds the KUnit tests, for a kernel that has KUnit.
kunit() { # release
	rm -rf "$work/kunit"
	mkdir -p "$work/kunit/tests"
	cp -r Kbuild kmod hw uapi "$work/kunit"
	cp -r tests/kunit "$work/kunit/tests"
	in_work timeout -k 10 600 make -C "/lib/modules/$1/build" M=/run/vm/kunit SOVGPU_KUNIT=1 modules ||
		return 1
	cp "$work/kunit/sovgpu_kunit.ko" "$work/module-$1/"
}

# Builds the driver with coverage: sovgpu_covered, which reports to sovgpu_cover.
covered() { # release
	rm -rf "$work/cover"
	mkdir -p "$work/cover/tests"
	cp -r Kbuild kmod hw uapi "$work/cover"
	cp -r tests/kunit "$work/cover/tests"
	in_work timeout -k 10 600 make -C "/lib/modules/$1/build" M=/run/vm/cover SOVGPU_COVER=1 modules ||
		return 1
	cp "$work/cover/sovgpu_cover.ko" "$work/cover/sovgpu_covered.ko" "$work/module-$1/"
}

small=lib/firmware/small # in the guest

# Builds the part of the initramfs that all machines share: busybox, scripts, test programs (static,
# as there are no libraries), firmware.
base() {
	stage=$work/base
	rm -rf "$stage"
	mkdir -p "$stage/bin" "$stage/test/bin"
	cp "$vm_root/usr/bin/busybox" "$stage/bin/busybox"
	cp tests/vm/guest/init "$stage/init"
	chmod 755 "$stage/init"
	cp tests/tap.sh tests/vm/guest/*.sh "$stage/test/"
	cp -r tests/fuzz/corpus/calls "$stage/test/corpus"
	grep -l '^kunit_test_suite(' tests/kunit/*.c | wc -l >"$stage/test/kunit_suites"
	for part in gh100/gsp/fmc gh100/gsp/bootloader gh100/gsp/gsp ga102/gsp/booter_load \
		ga102/gsp/booter_unload ga102/gsp/bootloader; do
		path=usr/lib/firmware/nvidia/$part-570.144.bin
		install -D -m 644 "$vm_root/$path" "$stage/${path#usr/}" || return 1
		[ $part = gh100/gsp/gsp ] ||
			install -D -m 644 "$vm_root/$path" "$stage/$small/${path#usr/lib/firmware/}" ||
			return 1
	done
	for folder in "$stage/lib/firmware" "$stage/$small"; do # one image serves both chips
		ln -s ../../gh100/gsp/gsp-570.144.bin "$folder/nvidia/ga102/gsp/" || return 1
	done
	copy_build_programs "$stage" || return 1
	inside -b "$PWD=source" -b "$(realpath "$work")=vm" sh -euc '
		cd /run/source
		gcc -c -o "/run/vm/base/$1/nvidia/gh100/gsp/gsp-570.144.bin" tests/vm/small_gsp.S
		for source in tests/userspace/kselftest/*.c; do
			name=${source##*/}
			gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -static -I. -I/usr/include/drm \
				-o "/run/vm/base/test/bin/${name%.c}" "$source" -pthread
		done
		cd /run/vm/base
		find . | cpio --quiet -o -H newc >/run/vm/base.cpio' base "$small"
}

# modules RELEASE MODULE... : packs modules and their dependencies as a second part of the
# initramfs. Own modules are found by file; all are packed uncompressed, as busybox's modprobe does
# not decompress.
modules() {
	release=$1
	shift
	if [ "$*" = installed ]; then
		cat "$work/base.cpio" "$work/installed.cpio" >"$work/initrd"
		return
	fi
	in_work sh -euc '
		release=$1
		shift
		to=/run/vm/modules/lib/modules/$release
		rm -rf /run/vm/modules
		mkdir -p "$to"
		pack() { # file
			plain=$to/$(basename "${1%.xz}")
			case $1 in *.xz) xzcat "$1" >"$plain" ;; *) cp "$1" "$plain" ;; esac
		}
		names=
		for m; do
			names="$names $m"
			for file in "/run/vm/module-$release/$m".ko*; do
				[ -e "$file" ] || continue
				pack "$file"
				names="${names% "$m"} $(modinfo -F depends "$file" | tr , " ")"
			done
		done
		for m in $names; do
			[ ! -e "$to/$m.ko" ] || continue # an own module, or already packed
			modprobe -d "/kernel/$release" -S "$release" --show-depends "$m" >/run/needs
			while read -r verb file; do
				[ "$verb" != insmod ] || pack "$file"
			done </run/needs
		done
		depmod -b /run/vm/modules "$release"
		cd /run/vm/modules
		find . | cpio --quiet -o -H newc >/run/vm/modules.cpio' modules "$release" "$@" &&
		cat "$work/base.cpio" "$work/modules.cpio" >"$work/initrd"
}

# Starts a sovgpu-model process per card, which leaves its exit status in cardN.end. Sets $devices
# to QEMU's options.
start_cards() { # scenario, log
	devices=
	n=0
	: >"$2"
	rm -f "$work"/card[0-9]* "$work/machine"
	property "$1" card gh100 >"$work/cards"
	firmware=$vm_root/usr/lib/firmware
	[ "$(property "$1" firmware real)" = real ] || firmware=$work/base/$small
	while read -r words; do
		n=$((n + 1))
		(
			# shellcheck disable=SC2086 # words
			"$BUILD/sovgpu-model" --socket "$work/card$n" --firmware "$firmware" \
				--chip $words >>"$2" 2>&1 </dev/null &
			echo $! >"$work/card$n.pid"
			wait $!
			echo $? >"$work/card$n.end"
		) &
		devices="$devices -device pcie-root-port,id=slot$n,chassis=$n -device {\"driver\":\"vfio-user-pci\","
		devices="$devices\"bus\":\"slot$n\",\"socket\":{\"type\":\"unix\",\"path\":\"/run/vm/card$n\"}}"
		i=0
		while [ ! -S "$work/card$n" ] && [ $i -lt 100 ]; do
			sleep 0.1
			i=$((i + 1))
		done
	done <"$work/cards"
}

# Stops the machine 20 s after a card process failed: without its card it would only time out.
watch_cards() {
	while ! grep -qsv '^0$' "$work"/card[0-9]*.end; do
		sleep 0.5
	done
	sleep 20
	kill "$(cat "$work/machine")"
}

# boot RELEASE SCENARIO LOG : runs the machine until it powers off and returns QEMU's status.
# $append is added to the kernel's command line.
boot() {
	memory=$(property "$2" memory 1G)
	cmdline="scenario=$2 $(property "$2" append "") ${append:-}"
	[ "$(property "$2" firmware real)" = real ] || cmdline="$cmdline firmware=small" # for init
	# On a busy host an emulated timer can miss the check, and the kernel would panic.
	[ "$arch" != amd64 ] || cmdline="$cmdline no_timer_check"
	iommu_option=
	[ "$(property "$2" iommu off)" = off ] || iommu_option=$iommu
	start_cards "$2" "$3.card"
	watch_cards 2>/dev/null &
	watch=$!
	# shellcheck disable=SC2086 # $qemu, $iommu_option and $devices are words
	in_work timeout -k 10 "$VM_TIMEOUT" $qemu $iommu_option -smp 2 -m "$memory" -pidfile /run/vm/machine \
		-object "memory-backend-memfd,id=ram,size=$memory,share=on" -machine memory-backend=ram \
		-nodefaults -no-reboot -display none -serial stdio -kernel "/kernel/$1/vmlinuz" \
		-initrd /run/vm/initrd -append "console=$console quiet panic=-1 $cmdline" \
		$devices </dev/null >"$3.raw" 2>&1
	status=$?
	kill $watch 2>/dev/null
	tr -d '\r' <"$3.raw" >"$3"
	rm -f "$3.raw"
	# A card whose machine never connected still waits.
	[ $status -eq 0 ] || kill $(cat "$work"/card[0-9]*.pid) 2>/dev/null
	wait
	return $status
}

# Reports the results in a log as results of this script.
include_results() { # prefix of each test name, log
	while read -r line; do
		case $line in
		"ok "*"# SKIP "*) line=${line#* - } && skip "$1${line% \# SKIP *}" "${line##*\# SKIP }" ;;
		"ok "*) ok 0 "$1${line#* - }" ;;
		"not ok "*) ok 1 "$1${line#* - }" ;;
		"# "*) echo "$line" ;;
		esac
	done <"$2"
}

check_command() { # test name, log, command...: passes if the command succeeds, else shows its log
	test_name=$1
	log=$2
	shift 2
	"$@" >"$log" 2>&1
	status=$?
	ok $status "$test_name"
	[ $status -eq 0 ] || diag "$(tail -n 30 "$log")"
	return $status
}
