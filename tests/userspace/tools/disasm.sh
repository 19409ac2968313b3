# SPDX-License-Identifier: MIT
# sov disasm prints code, control fields and source lines, and rejects files that are not images.
. tests/tap.sh
sov=$BUILD/sov
json=$BUILD/tests/tools/_json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$sov" compile -o "$work/saxpy" tests/kernels/saxpy.ptx

out=$("$sov" disasm "$work/saxpy" saxpy_f32)
has "$out" "saxpy_f32:  // sm_90, " "sov disasm prints kernel name and target before the code"
has "$out" "FFMA" "sov disasm of saxpy_f32 contains FFMA"
has "$out" "EXIT ;" "sov disasm of saxpy_f32 contains EXIT"
case $out in *DFMA*) found=1 ;; *) found=0 ;; esac
ok $found "sov disasm FILE KERNEL omits other kernels"
has "$("$sov" disasm "$work/saxpy")" "DFMA" "sov disasm FILE prints all kernels"
"$sov" disasm -c "$work/saxpy" saxpy_f32 | grep -qE '^ +/\*0000\*/  \[[0-5-]{6}:R[0-5-]:W[0-5-]:[Y-]:S[0-9]{2}\] '
ok $? "sov disasm --control prints scoreboards, yield and stall count"
"$sov" disasm -r "$work/saxpy" saxpy_f32 | grep -qE '/\* 0x[0-9a-f]{16} 0x[0-9a-f]{16} \*/$'
ok $? "sov disasm --raw prints both words of an instruction"
"$sov" disasm --json "$work/saxpy" | tee "$work/json" | "$json"
ok $? "sov disasm --json of a cubin prints valid JSON"
has "$(cat "$work/json")" '"name": "saxpy_f64"' "sov disasm --json contains every kernel"

{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.file 1 "there.cu"\n'
	printf '.visible .entry k(.param .u64 p)\n{\n.reg .b64 %%l;\n.loc 1 31 4\n'
	printf 'ld.param.u64 %%l, [p];\nst.global.u32 [%%l], 1;\n.loc 1 32 1\nret;\n}\n'
} >"$work/lines.ptx"
"$sov" compile -o "$work/lines" "$work/lines.ptx"
"$sov" disasm "$work/lines" | tr -d '\n' | grep -qE '// there.cu:31 .* STG.* // there.cu:32 +[^ ]+ +EXIT'
ok $? "sov disasm prints source lines before their instructions"
has "$("$sov" disasm --json "$work/lines")" '"source": "there.cu:31"' \
	"sov disasm --json contains source lines"

out=$("$sov" disasm --raw tests/fuzz/corpus/image/hand.co)
has "$out" "table_kernel:  // gfx1030, 2 registers, 64 bytes of shared memory" \
	"sov disasm prints the kernel header of an AMD code object"
echo "$out" | grep -qE '/\*000c\*/  s_add_u32 s6, s6, 0x[0-9a-f]+  <counter> +/\* 0x8006ff06 0x[0-9a-f]{8} \*/$'
ok $? "sov disasm of a code object names the variable that an instruction references"
has "$out" "// /src/hand.cu:13" "sov disasm of a code object prints source lines"
echo "$out" | grep -qE 's_add_u32 s10, s10, 0x[0-9a-f]+  <twice> '
ok $? "sov disasm of a code object names the function that an instruction references"
echo "$out" | grep -A 3 '^twice:  // gfx1030, function$' | tr -d '\n' |
	grep -qE '// /src/hand.cu:40 .* s_lshl_b32 s8, s8, 1 .* s_setpc_b64 s\[30:31\]'
ok $? "sov disasm of a code object prints functions with source lines"
is "$("$sov" disasm --raw tests/fuzz/corpus/image/hand.co twice)" "$(echo "$out" | grep -A 3 '^twice:')" \
	"sov disasm FILE FUNCTION prints only that function"
"$sov" disasm --json tests/fuzz/corpus/image/hand.co | tee "$work/json" | "$json"
ok $? "sov disasm --json of a code object prints valid JSON"
has "$(cat "$work/json")" '"functions": [{"name": "twice", "code_bytes": 8, ' \
	"sov disasm --json of a code object contains functions"
"$sov" compile --target gfx1030 -o "$work/table" tests/userspace/compiler/ptx/instructions/call_by_address.ptx
out=$("$sov" disasm "$work/table" 2>&1)
is "$? $(echo "$out" | grep '^[^ ]*:' | sed 's/, [0-9]* registers.*//' | tr '\n' ' ')" \
	"0 hundred:  // gfx1030, function twice:  // gfx1030, function call_by_address:  // gfx1030 \
.no_function:  // gfx1030, function .functions:  // gfx1030, data " \
	"sov disasm prints the symbols of a code object with indirect calls in address order"
is "$(echo "$out" | grep -cE '^ +/\*00[01][048c]\*/  \.long 0xffff[0-9a-f]{4}$')" 5 \
	"sov disasm prints the function table as data"

refused() { # message, words
	want=$1
	shift
	out=$("$sov" disasm "$@" 2>&1)
	is "$? $out" "1 $want" "sov disasm fails with: $want"
}
refused "sov: disasm: the file has no kernel or function 'nosuch'" "$work/saxpy" nosuch
head -c 40 "$work/saxpy" >"$work/short"
out=$("$sov" disasm "$work/short" 2>&1)
is $? 1 "sov disasm rejects a truncated image"
has "$out" "sov: disasm: '$work/short': " "the message about a truncated image names the file"
out=$("$sov" disasm tests/kernels/saxpy.ptx 2>&1)
is $? 1 "sov disasm rejects a PTX file"
tap_done
