#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the Vulkan driver on the first GPU: vulkaninfo, the project's tests of the driver, ggml's test-backend-ops
# if it is there, and the latency of a dispatch and its fence beside CUDA's launch and synchronisation.
#   usage: tests/silicon/vulkan.sh pack FOLDER [GGML-FOLDER]    after make and make tests: puts everything into FOLDER
#          FOLDER/vulkan.sh run                                 there, on a machine with a GPU that needs nothing else
# GGML-FOLDER has test-backend-ops with ggml's Vulkan back end, and its libraries. In run: ROUNDS and SAMPLES of the latency,
# OPS of ggml (default: all). SOV_SOFT=gh100:vram=1G runs on a software GPU.
set -eu
: "${BUILD:=build}"

# Libraries of a program, without those of the C library and NVIDIA's.
libraries() {
	ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | grep -Ev '/(libc|libm|libdl|libpthread|librt|libcuda)\.so' || true
}

pack() { # folder, ggml's folder
	mkdir -p "$1/tests/vulkan" "$1/tests/userspace/vulkan" "$1/tests/userspace/compiler/spirv/shaders" "$1/loader"
	cp "$0" "$1/vulkan.sh"
	cp "$BUILD"/libvulkan_sov.so "$1/"
	cp -L "$BUILD"/libsov.so.0 "$1/"
	cp "$BUILD"/tests/vulkan/* "$1/tests/vulkan/"
	cp -r tests/userspace/vulkan/shaders "$1/tests/userspace/vulkan/"
	cp tests/userspace/compiler/spirv/shaders/cooperative_f16.spv "$1/tests/userspace/compiler/spirv/shaders/"
	cc -O2 -std=c11 -Wall -I. -o "$1/vulkan_latency" tests/silicon/vulkan_latency.c -ldl
	for file in $(libraries "$BUILD/libsov.so"); do cp -L "$file" "$1/"; done
	# Unmodified programs, and the loader: their libraries are for them alone.
	loader=$(ldconfig -p | awk '/libvulkan\.so\.1 / { print $NF; exit }')
	programs=$(command -v vulkaninfo || true)
	[ -z "${2:-}" ] || programs="$programs $2/test-backend-ops"
	for program in $programs; do
		cp -L "$program" "$1/loader/"
		for file in $(LD_LIBRARY_PATH="${2:-}" libraries "$program"); do cp -Lu "$file" "$1/loader/"; done
	done
	[ -z "$loader" ] || cp -L "$loader" "$1/loader/libvulkan.so.1"
	strip --strip-unneeded "$1"/*.so* "$1"/loader/* "$1"/tests/vulkan/* "$1/vulkan_latency"
	du -sh "$1"
}

verdict=PASS

# A program, with a limit in seconds and its output in a log; prints the lines that match.
judge() { # name, limit, pattern, program...
	name=$1 limit=$2 pattern=$3 status=0
	shift 3
	timeout -k 10 "$limit" "$@" >"$name.log" 2>&1 || status=$?
	sed -i 's/\x1b\[[0-9;]*m//g' "$name.log"
	grep -E "$pattern" "$name.log" | cut -c1-160 | head -n 60 || true
	[ $status = 0 ] || { verdict=FAIL; echo "WRONG $name: status $status"; tail -n 3 "$name.log"; }
}

quartiles() { # name, column, file
	cut -d ' ' -f "$2" "$3" | sort -n | awk -v name="$1" '
		{ v[NR] = $1 }
		END { printf "%-44s %7d %7d %7d ns\n", name, v[int((NR + 3) / 4)], v[int((NR + 1) / 2)], v[int((3 * NR + 3) / 4)] }'
}

# Alternates both, so that a change of clocks affects both.
measure_latency() {
	rm -f vulkan.figures cuda.figures
	for _ in $(seq "${ROUNDS:-12}"); do
		timeout 60 ./vulkan_latency vulkan "$PWD/libvulkan_sov.so" tests/userspace/vulkan/shaders/count.spv \
			"${SAMPLES:-4000}" >vulkan.out || { cat vulkan.out; verdict=FAIL; return 0; }
		cat vulkan.out >>vulkan.figures
		[ -z "$cuda" ] || timeout 60 ./vulkan_latency cuda "${SAMPLES:-4000}" >>cuda.figures ||
			{ tail -n 1 cuda.figures; verdict=FAIL; return 0; }
	done
	quartiles 'Vulkan, dispatch and fence' 1 vulkan.figures
	quartiles 'Vulkan, submission alone' 2 vulkan.figures
	[ "$cuda" ] || { echo "no CUDA driver to compare with"; return 0; }
	quartiles 'CUDA, launch and synchronise' 1 cuda.figures
	quartiles 'CUDA, launch alone' 2 cuda.figures
	paste -d ' ' vulkan.figures cuda.figures | awk '{ print $1 / $3 }' | sort -n | awk '
		{ v[NR] = $1 }
		END { printf "Vulkan over CUDA, median of %d rounds: %.3f (aim 0.6), from %.3f to %.3f\n", NR,
			v[int((NR + 1) / 2)], v[1], v[NR] }'
}

run() {
	cd "$(dirname "$0")"
	export TEST_CARD=1 SOV_SOFT="${SOV_SOFT:-none}" LD_LIBRARY_PATH="$PWD" VK_DRIVER_FILES="$PWD/icd.json"
	cuda=
	if [ "$SOV_SOFT" = none ]; then
		# A kernel has no limit on a GPU otherwise.
		export SOV_KERNEL_TIME_LIMIT="${SOV_KERNEL_TIME_LIMIT:-60s}"
		cuda=$(ldconfig -p | grep -m 1 'libcuda\.so\.1' || true)
	else
		export SOV_NVRM=0 SILICON_NO_LIMITS=1
	fi
	printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s/libvulkan_sov.so", "api_version": "1.3.0"}}\n' "$PWD" >icd.json
	[ ! -e loader/vulkaninfo ] || judge vulkaninfo 60 '(deviceName|deviceType|driverInfo|apiVersion) ' \
		env LD_LIBRARY_PATH="$PWD:$PWD/loader" loader/vulkaninfo --summary
	for test in tests/vulkan/*; do
		judge "${test##*/}" 120 '^(not ok|# message)' "$test"
		echo "${test##*/}: $(grep -c '^ok' "${test##*/}.log" || true) checks passed," \
			"$(grep -c '^not ok' "${test##*/}.log" || true) failed"
	done
	measure_latency
	if [ -e loader/test-backend-ops ]; then
		judge ggml "${GGML_LIMIT:-300}" 'FAIL|tests passed' env LD_LIBRARY_PATH="$PWD:$PWD/loader" loader/test-backend-ops test -b Vulkan0 \
			${OPS:+-o "$OPS"}
		echo "ggml: $(grep -c '): OK$' ggml.log || true) cases OK, $(grep -c 'FAIL' ggml.log || true) failed," \
			"$(grep -c 'not supported' ggml.log || true) not supported"
	fi
	echo "vulkan: $verdict"
	[ $verdict = PASS ]
}

case "${1:-} $#" in
'pack 2' | 'pack 3') pack "$2" "${3:-}" ;;
'run 1') run ;;
*) sed -n 5,9p "$0"; exit 2 ;;
esac
