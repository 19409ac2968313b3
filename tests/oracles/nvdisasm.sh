#!/bin/sh
# SPDX-License-Identifier: MIT
# NVIDIA's disassembler on what our compiler makes of every PTX file that the tests run, for all
# targets, scheduled, serial and spilling. It must accept the images of two kernels and of one with
# variables and calls, and print each word as we do.
. tests/tap.sh
: "${BUILD:=build}"
work=$BUILD/oracles/ours
rm -rf "$work"
mkdir -p "$work"
command -v nvdisasm >/dev/null
ok $? "nvdisasm is there"

for sm in 80 86 89 90; do
	for ptx in tests/kernels/*.ptx tests/userspace/compiler/ptx/instructions/*.ptx tests/userspace/compiler/driver/odd/*.ptx; do
		for mode in default serial spill; do
			flag=$([ $mode = default ] || echo --$mode)
			# What the back end refuses, other tests look at.
			"$BUILD/sov" compile --target sm_$sm $flag -o "$work/$sm-$(basename "$ptx" .ptx)-$mode.cubin" \
				"$ptx" 2>/dev/null
		done
	done
	# Starting nvdisasm takes long: whole images of the kernels only, words of all at once.
	for cubin in "$work/$sm"-saxpy-*.cubin "$work/$sm"-reduce-*.cubin "$work/$sm"-variables-*.cubin \
		"$work/$sm"-pointers-*.cubin; do
		nvdisasm "$cubin" >/dev/null 2>"$work/log"
		ok $? "SM$sm: nvdisasm reads $(basename "$cubin")"
		diag "$(cat "$work/log")"
	done
	"$BUILD/oracles/sass_code" $sm "$work/code.bin" "$work/$sm"-*.cubin >"$work/ours"
	ok $? "SM$sm: we read all of them ourselves"
	nvdisasm -b SM$sm --print-raw "$work/code.bin" 2>"$work/log" |
		sed -n 's|^ */\*[0-9a-f]*\*/ *\(.*[^ ]\) *;.*$|\1|p' >"$work/theirs"
	diff "$work/ours" "$work/theirs" >"$work/difference" && [ -s "$work/ours" ]
	ok $? "SM$sm: nvdisasm prints each word as we do"
	diag "$(head -n 10 "$work/difference")"
	echo "# count SM$sm: $(wc -l <"$work/ours") words in $(find "$work" -name "$sm-*.cubin" | wc -l)" \
		"images of ours, $(grep -c '^<' "$work/difference") differ from nvdisasm's"
done
tap_done
