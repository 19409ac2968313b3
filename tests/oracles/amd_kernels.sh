#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs LLVM's code on the software Navi 21 and compares with C: 32 kernels in OpenCL C (divergent
# loops, LDS and barriers, scratch, atomics, 64-bit and 16-bit floats, lanes, calls), compiled for
# gfx1030 at -O0 to -O3, in normal and in hazard mode. Every instruction must decode and print as
# llvm-objdump prints it. In the other direction LLVM's tools read code objects that our linker
# writes. Fails, never skips, without clang and lld 19.
set -u
: "${BUILD:=build}"
judges=$BUILD/oracles
work=$judges/amd-kernels
. tests/oracles/_result.sh

# Normalise the output of llvm-objdump and of sov disasm: names of kernels and functions, lines,
# instructions. s_nop and s_code_end also pad between functions; only sov disasm prints data in code
# and symbol names at targets.
llvm_text() { # images
	llvm-objdump-19 -d -l --mcpu=gfx1030 "$@" |
		sed -n 's/^[0-9a-f]* <\(.*\)>:$/\1:/p; s/^; \(\/.*\)/\1/p
			s/^[\t ]\+\([a-z].*[^ ]\) *\/\/ [0-9A-F]*: .*$/\1/p' |
		sed 's/[\t ]*$//' | grep -v '^s_nop 0$\|^s_code_end$'
}
our_text() { # images
	for image; do
		"$BUILD/sov" disasm "$image" 2>&1
	done | sed -n 's/^\([^ ]*:\)  \/\/ gfx1030, .*/\1/p
		s/^ *\/\/ //p; s/^ *\/\*[0-9a-f]*\*\/  //p; /^sov: /p' |
		sed 's/  <.*>$//' | grep -v '^s_nop 0$\|^s_code_end$\|^\.long '
}

require_tools clang-19 ld.lld-19 llvm-objdump-19 llvm-readelf-19 llvm-dwarfdump-19 llc-19
rm -rf "$work"
mkdir -p "$work"
for level in 0 1 2 3; do
	object=$work/O$level.co
	clang-19 -target amdgcn-amd-amdhsa -mcpu=gfx1030 -nogpulib -x cl -cl-std=CL2.0 \
		-Xclang -finclude-default-header -cl-fp32-correctly-rounded-divide-sqrt -O$level \
		-c tests/oracles/amd_kernels.cl -o "$work/O$level.o" &&
		ld.lld-19 -shared "$work/O$level.o" -o "$object"
	result $? "-O$level: LLVM compiles the kernels"
	for mode in plain hazard; do
		log=$("$judges/amd_kernels" "$object" $mode)
		result $? "-O$level, $mode: LLVM's kernels give the results of C on the software GPU"
		echo "$log" | sed '$s/^/# count -O'"$level $mode"': /'
	done
	# Waits with nothing outstanding (at the start of a function, after a barrier) do not count.
	log=$("$judges/amd_kernels" "$object" mutate)
	result $? "-O$level: hazard mode reports at least 99 % of the wait counters dropped or weakened by one"
	echo "$log"
	# Bytes from the comment after each instruction: address, then words.
	llvm-objdump-19 -d --mcpu=gfx1030 "$object" |
		sed -n 's/^[\t ]\+\([a-z].*[^ ]\) *\/\/ [0-9A-F]*: *\(.*\)$/\2|\1/p' |
		sed 's/ <[^>]*>|/|/; s/[\t ]*$//' >"$work/theirs"
	"$judges/amd_roundtrip" <"$work/theirs" >"$work/verdict"
	result $? "-O$level: LLVM's instructions decode, print and encode as LLVM does"
	sed 's/^/# count -O'"$level"': /' "$work/verdict"
	llvm_text "$object" >"$work/theirs.text"
	our_text "$object" >"$work/ours.text"
	cmp -s "$work/theirs.text" "$work/ours.text" && grep -q '^ackermann:$' "$work/ours.text"
	result $? "-O$level: sov disasm prints kernels and functions as llvm-objdump does"
	log=$("$judges/amd_object" check "$object")
	result $? "-O$level: LLVM's hidden arguments and initial registers match our linker's layout"
	echo "$log" | sed '$s/^/# count -O'"$level"': /'
done

# LLVM's tools read a code object of our linker without any message.
object=$work/hand.co
"$judges/amd_object" write "$object"
result $? "our linker writes a code object"
llvm-readelf-19 -a "$object" >"$work/readelf" 2>"$work/errors" && [ ! -s "$work/errors" ]
result $? "llvm-readelf reads our linker's code object without a message"
head -4 "$work/errors" | sed 's/^/# /'
for pattern in 'OS/ABI: *AMDGPU - HSA' 'ABI Version: *3' 'Flags: *0x36, gfx1030' \
	'R_AMDGPU_RELATIVE64 *[0-9a-f]' 'R_AMDGPU_REL32_LO .* counter + 4' \
	'[0-9]* 64 OBJECT *GLOBAL PROTECTED .* table_kernel.kd' \
	'FUNC *GLOBAL PROTECTED .* constant_kernel' \
	'amdhsa.target: *amdgcn-amd-amdhsa--gfx1030' '.value_kind: *hidden_block_count_x' \
	'.kernarg_segment_size: 24' '.symbol: *counter_kernel.kd'; do
	grep -q "$pattern" "$work/readelf"
	result $? "llvm-readelf prints '$pattern' of our linker's code object"
done
llvm-dwarfdump-19 --verify "$object" | grep -q '^No errors'
result $? "llvm-dwarfdump verifies the line table of our linker's code object"
llvm_text "$object" >"$work/theirs.text" 2>"$work/errors" && [ ! -s "$work/errors" ]
result $? "llvm-objdump reads our linker's code object without a message"
our_text "$object" >"$work/ours.text"
cmp -s "$work/theirs.text" "$work/ours.text" && grep -q '^twice:$' "$work/ours.text"
result $? "llvm-objdump prints our linker's code object as sov disasm does ($(wc -l <"$work/ours.text") lines)"
llvm-objdump-19 -D -j .rodata "$object" >"$work/descriptors"
for pattern in '.amdhsa_kernel table_kernel' '.amdhsa_group_segment_fixed_size 64' \
	'.amdhsa_kernarg_size 24' \
	'.amdhsa_user_sgpr_kernarg_segment_ptr 1' '.amdhsa_system_sgpr_workgroup_id_x 1' \
	'.amdhsa_float_denorm_mode_32 3' '.amdhsa_ieee_mode 1' '.amdhsa_wavefront_size32 1'; do
	grep -q "$pattern" "$work/descriptors"
	result $? "llvm-objdump prints '$pattern' of our linker's descriptors"
done

# Our code of every PTX file that the tests run, in three modes: LLVM's tools must read the images
# without a message and print the instructions as we do. Other tests cover what the back end
# rejects. LLVM's tools start slowly, so they get all images at once.
mkdir "$work/ours"
for ptx in tests/kernels/*.ptx tests/userspace/compiler/ptx/instructions/*.ptx \
	tests/userspace/compiler/driver/odd/*.ptx; do
	for mode in default serial spill; do
		flag=$([ $mode = default ] || echo --$mode)
		# shellcheck disable=SC2086 # no word if there is no flag
		"$BUILD/sov" compile --target gfx1030 $flag \
			-o "$work/ours/$(basename "$ptx" .ptx)-$mode.co" "$ptx" 2>/dev/null
	done
done
images=$(find "$work/ours" -name '*.co' | wc -l)
llvm-readelf-19 -a "$work"/ours/*.co >/dev/null 2>"$work/errors" && [ ! -s "$work/errors" ]
result $? "llvm-readelf reads all code objects of our compiler without a message"
head -4 "$work/errors" | sed 's/^/# /'
our_text "$work"/ours/*.co >"$work/ours.text"
llvm_text "$work"/ours/*.co >"$work/theirs.text"
diff "$work/ours.text" "$work/theirs.text" >"$work/difference" && [ -s "$work/ours.text" ]
result $? "llvm-objdump prints all code objects of our compiler as we do"
head -n 10 "$work/difference" | sed 's/^/# /'
echo "# count ours: $(grep -vc "^/\|:$" "$work/ours.text") instructions in $images images," \
	"$(grep -c '^<' "$work/difference") differ from llvm-objdump's"

# Hazards without a wait counter: LLVM mitigates six on gfx1010 and one on gfx1030, the one that
# hazard mode checks (model/amd/hazard.c).
mitigations='^ *(S_NOP 2|S_WAITCNT_DEPCTR|S_WAITCNT_VSCNT|\$sgpr_null = S_MOV_B32 0'
mitigations="$mitigations"'|\$vgpr1 = V_MOV_B32_e32 killed)'
for chip in gfx1010:6 gfx1030:1; do
	llc-19 -march=amdgcn -mcpu=${chip%:*} -run-pass=post-RA-hazard-rec -o "$work/mitigated" \
		tests/oracles/amd_hazards.mir &&
		[ "$(grep -cE "$mitigations" "$work/mitigated")" = ${chip#*:} ]
	result $? "${chip%:*}: LLVM mitigates ${chip#*:} of 6 hazards"
done
grep -A1 GLOBAL_ATOMIC_FMIN "$work/mitigated" | grep -q 'S_NOP 2'
result $? "gfx1030: LLVM adds three wait states before s_denorm_mode after a float atomic"
echo "1..$results"
exit $failed
