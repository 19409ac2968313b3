# SPDX-License-Identifier: MIT
# What PTX says about caches is in the machine code: policies are descriptors, evictions and prefetches are modifiers, as in ptxas's code.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# accesses CHIP FORM...: the accesses in the code of these forms, sorted, without registers and addresses.
accesses()
{
	chip=$1
	shift
	{
		echo ".version 8.1
.target sm_$chip
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 policy)
{
.shared .align 16 .b8 s[16];
.reg .b64 %d, %p, %w; .reg .b32 %r, %s;
ld.param.u64 %d, [out]; ld.param.u64 %p, [policy]; mov.u32 %r, %tid.x; mov.u32 %s, s;"
		printf '%s\n' "$@" 'ret;' '}'
	} >"$work/k.ptx"
	"$BUILD/sov" compile --target "sm_$chip" -o "$work/k.cubin" "$work/k.ptx" &&
		"$BUILD/sov" disasm "$work/k.cubin" k |
		sed -nE 's/.* ((LD|ST|ATOM|RED|LDGSTS|UBLKCP|UBLKRED)[A-Z]*\.[^ ]*) .*(desc\[).*/\1 desc/p; t
			s/.* ((LDG|STG|LDGSTS|UBLKCP|UBLKRED)\.[^ ]*) .*/\1/p' | sed 's,^REDG,RED,' | LC_ALL=C sort | tr '\n' ' '
}

policies='ATOMG.E.EXCH.STRONG.GPU desc LDG.E desc LDGSTS.E.BYPASS.LTC128B.128 desc RED.E.ADD.STRONG.GPU desc STG.E.NA desc '
for chip in 80 86 89 90; do
	is "$(accesses $chip 'ld.global.L2::cache_hint.u32 %r,[%d],%p;' 'st.global.L1::no_allocate.L2::cache_hint.u32 [%d+4],%r,%p;' \
		'atom.global.exch.L2::cache_hint.b32 %r,[%d+8],%r,%p;' 'red.global.add.L2::cache_hint.u32 [%d+12],%r,%p;' \
		'cp.async.cg.shared.global.L2::cache_hint.L2::128B [%s],[%d],16,%p;')" "$policies" \
		"sm_$chip: accesses with a cache policy have a descriptor"
done
is "$(accesses 90 'cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%d],[%s],16,%p;' \
	'cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [%d],[%s],16,%p;')" \
	'UBLKCP.G.S desc UBLKRED.G.S.ADD desc ' 'sm_90: bulk copies and reductions with a cache policy have a descriptor'
for chip in 70 75 80 90; do
	is "$(accesses $chip 'ld.global.L1::evict_last.u32 %r,[%d];' 'st.global.L1::evict_unchanged.u32 [%d+4],%r;' \
		'ld.global.lu.u32 %r,[%d+8];' 'st.global.cg.u32 [%d+12],%r;' 'ld.global.cg.u32 %r,[%d+16];' 'st.global.wt.u32 [%d+20],%r;' |
		sed 's/\(E[LU]\|LU\)\.SYS/\1/g')" 'LDG.E.EL LDG.E.LU LDG.E.STRONG.GPU STG.E.EU STG.E.STRONG.GPU STG.E.STRONG.SYS ' \
		"sm_$chip: evictions and cache operators are modifiers"
done
tap_done
