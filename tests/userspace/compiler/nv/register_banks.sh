# SPDX-License-Identifier: MIT
# Registers of products and sums: one factor from the reuse cache.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A factor that is the first of one product and the second of the next.
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry factors(.param .u64 p)\n{\n'
	printf '.reg .b64 %%p;\n.reg .f32 %%a<8>, %%v<8>;\n'
	echo 'ld.param.u64 %p, [p];'
	for k in $(seq 0 7); do
		echo "ld.volatile.global.f32 %a$k, [%p+$((4 * k))]; ld.volatile.global.f32 %v$k, [%p+$((64 + 4 * k))];"
	done
	echo 'bar.sync 0;'
	for k in 0 2 4 6; do
		echo "fma.rn.f32 %v$k, %a0, %a$((k + 1)), %v$k; fma.rn.f32 %v$((k + 1)), %a$((7 - k)), %a0, %v$((k + 1));"
	done
	echo 'bar.sync 0;'
	for k in $(seq 0 7); do
		echo "st.volatile.global.f32 [%p+$((4 * k))], %v$k;"
	done
	echo 'ret; }'
} >"$work/factors.ptx"
"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/factors.ptx"
count=$("$BUILD/sov" disasm "$work/out" | grep -c 'FFMA.*reuse')
[ "$count" -ge 5 ]
ok $? "at least five of eight products of one factor leave it to the next ($count)"
tap_done
