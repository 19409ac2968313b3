# SPDX-License-Identifier: MIT
# The machine code of memory operations by order and scope: what docs/memory-model.md tabulates, for
# gfx1030 and sm_80 (tests/userspace/compiler/nv/golden has sm_90).
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Rows of three lines: PTX between a weak load and a weak store; mnemonics for gfx1030; for sm_80.
# "wait" is a wait for all counters.
cat >"$work/rows" <<'END'
ld.relaxed.cta.global.u32 %r1, [%a];
global_load_dword.glc.dlc
LDG.E.STRONG.SM
ld.relaxed.gpu.global.u32 %r1, [%a];
global_load_dword.glc.dlc
LDG.E.STRONG.GPU
ld.volatile.global.u32 %r1, [%a];
global_load_dword.glc.dlc
LDG.E.STRONG.SYS
ld.acquire.cta.global.u32 %r1, [%a];
global_load_dword.glc.dlc wait
LDG.E.STRONG.SM NOP
ld.acquire.gpu.global.u32 %r1, [%a];
global_load_dword.glc.dlc wait buffer_gl1_inv buffer_gl0_inv
LDG.E.STRONG.GPU CCTL.IVALL
ld.acquire.sys.global.u32 %r1, [%a];
global_load_dword.glc.dlc wait buffer_gl1_inv buffer_gl0_inv
LDG.E.STRONG.SYS CCTL.IVALL
st.relaxed.gpu.global.u32 [%a], %r0;
global_store_dword
STG.E.STRONG.GPU
st.release.cta.global.u32 [%a], %r0;
wait global_store_dword
MEMBAR.ALL.CTA STG.E.STRONG.SM
st.release.gpu.global.u32 [%a], %r0;
wait global_store_dword
MEMBAR.ALL.GPU ERRBAR STG.E.STRONG.GPU
st.release.sys.global.u32 [%a], %r0;
wait global_store_dword
MEMBAR.ALL.SYS ERRBAR STG.E.STRONG.SYS
atom.acquire.gpu.global.exch.b32 %r1, [%a], %r0;
global_atomic_swap.glc wait buffer_gl1_inv buffer_gl0_inv
ATOMG.E.EXCH.STRONG.GPU CCTL.IVALL
atom.release.gpu.global.exch.b32 %r1, [%a], %r0;
wait global_atomic_swap.glc
MEMBAR.ALL.GPU ERRBAR ATOMG.E.EXCH.STRONG.GPU
atom.acq_rel.cta.global.cas.b32 %r1, [%a], 0, %r0;
wait global_atomic_cmpswap.glc wait
MEMBAR.ALL.CTA ATOMG.E.CAS.STRONG.SM NOP
atom.acq_rel.sys.global.add.u32 %r1, [%a], %r0;
wait global_atomic_add.glc wait buffer_gl1_inv buffer_gl0_inv
MEMBAR.ALL.SYS ERRBAR ATOMG.E.ADD.STRONG.SYS CCTL.IVALL
red.release.gpu.global.add.u32 [%a], %r0;
wait global_atomic_add
MEMBAR.ALL.GPU ERRBAR RED.E.ADD.STRONG.GPU
fence.acq_rel.cta;
wait
MEMBAR.ALL.CTA
fence.acq_rel.gpu;
wait buffer_gl1_inv buffer_gl0_inv
MEMBAR.ALL.GPU ERRBAR CCTL.IVALL
fence.sc.gpu;
wait buffer_gl1_inv buffer_gl0_inv
MEMBAR.SC.GPU ERRBAR CCTL.IVALL
membar.cta;
wait
MEMBAR.SC.CTA
membar.gl;
wait buffer_gl1_inv buffer_gl0_inv
MEMBAR.SC.GPU ERRBAR CCTL.IVALL
membar.sys;
wait buffer_gl1_inv buffer_gl0_inv
MEMBAR.SC.SYS ERRBAR CCTL.IVALL
END

# One kernel per row; %r0 is known, and the result is used.
{
	printf '.version 7.8\n.target sm_80\n.address_size 64\n'
	awk 'NR % 3 == 1 {
		printf ".visible .entry k%d(.param .u64 p) { .reg .b64 %%a; .reg .b32 %%r<3>;\n", (NR + 2) / 3
		printf "ld.param.u64 %%a, [p]; mov.u32 %%r0, 7; mov.u32 %%r1, 0;\n%s\n", $0
		printf "st.weak.global.u8 [%%a+64], %%r1; ret; }\n"
	}' "$work/rows"
} >"$work/rows.ptx"

# code TARGET : a line per kernel with its memory instructions, without the first and last access.
code() {
	"$BUILD/sov" compile --target "$1" -o "$work/image" "$work/rows.ptx" &&
		"$BUILD/sov" disasm "$work/image" | awk '
		/^k[0-9]+:/ { kernel = $1; text = ""; next }
		/s_endpgm|EXIT/ { if (kernel != "") print kernel text; kernel = ""; next }
		{ sub(/.*\*\/ */, "") }
		/s_waitcnt vmcnt\(0\) lgkmcnt\(0\)/ { text = text " wait"; next }
		/^(global_|flat_|buffer_|LDG|STG|ATOM|RED|MEMBAR|ERRBAR|CGAERRBAR|CCTL|NOP)/ && !/byte|\.U8/ {
			text = text " " $1
			for (i = 2; i <= NF; i++)
				if ($i == "glc" || $i == "dlc")
					text = text "." $i
		}' | sort -V
}
line=2
for target in gfx1030 sm_80; do
	code $target >"$work/code"
	awk -v "line=$line" 'NR % 3 == line % 3 { printf "k%d: %s\n", ++n, $0 }' "$work/rows" >"$work/want"
	is "$(cat "$work/code")" "$(cat "$work/want")" \
		"memory operations of every order and scope have their instructions on $target"
	line=$((line + 1))
done
tap_done
