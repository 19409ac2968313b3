# SPDX-License-Identifier: MIT
# Registers of products and sums: one factor from the reuse cache, the other factor and the sum from
# different banks.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# outer_products ROWS COLUMNS: adds products of rows and columns, four of each loaded at once, to
# sums in registers.
outer_products()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry sums(.param .u64 p, .param .u32 n)\n.maxntid 256\n{\n'
	printf '.reg .b64 %%p, %%q;\n.reg .pred %%c;\n.reg .b32 %%n, %%t, %%s;\n.reg .f32 %%a<4>, %%b<64>, %%v<128>;\n'
	printf '.shared .align 16 .b8 m[32768];\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mul.wide.u32 %q, %t, 512;'
	echo 'add.u64 %p, %p, %q; mov.u32 %s, m; mad.lo.u32 %s, %t, 16, %s;'
	for v in $(seq 0 $(($1 * $2 - 1))); do
		echo "mov.f32 %v$v, 0f00000000;"
	done
	echo 'loop: .pragma "nounroll";'
	for c in $(seq 0 $(($2 - 1))); do
		echo "ld.shared.v4.f32 {%b$((4 * c)), %b$((4 * c + 1)), %b$((4 * c + 2)), %b$((4 * c + 3))}, [%s+$((c * 128))];"
	done
	for r in $(seq 0 $(($1 - 1))); do
		echo "ld.shared.v4.f32 {%a0, %a1, %a2, %a3}, [%s+$((16384 + r * 128))];"
		for c in $(seq 0 $(($2 - 1))); do
			for k in 0 1 2 3; do
				echo "fma.rn.f32 %v$(($2 * r + c)), %a$k, %b$((4 * c + k)), %v$(($2 * r + c));"
			done
		done
	done
	echo 'add.u32 %s, %s, 4; sub.u32 %n, %n, 1; setp.ne.u32 %c, %n, 0; @%c bra loop;'
	for v in $(seq 0 $(($1 * $2 - 1))); do
		echo "st.global.f32 [%p+$((4 * v))], %v$v;"
	done
	echo 'ret; }'
}

# Counts the products in a program that read two or more operands from one bank: those that the
# instruction before has not left in the reuse cache.
count_conflicts()
{
	"$BUILD/sov" compile --target sm_90 -o "$work/out" "$1" &&
		"$BUILD/sov" disasm "$work/out" | tr -d ',;' | awk '
		{
			bank[0] = bank[1] = 0
			for (k = 4; k <= 6; k++) {
				operand = $k
				sub(/\.reuse/, "", operand)
				bank[substr(operand, 2) % 2] += last[k] != operand ".reuse"
				last[k] = $k
			}
			count += $2 == "FFMA" && (bank[0] > 1 || bank[1] > 1)
		}
		END { print count + 0 }'
}

outer_products 4 8 >"$work/wide.ptx"
count=$(count_conflicts "$work/wide.ptx")
[ "$count" -le 60 ]
ok $? "of 128 products in a loop with 32 sums, at most 60 read a bank twice ($count)"

# With 64 sums, what the allocator needs to change banks, the scheduler must not have used up.
outer_products 8 8 >"$work/eight.ptx"
count=$(count_conflicts "$work/eight.ptx")
[ "$count" -le 125 ]
ok $? "of 256 products in a loop with 64 sums, at most 125 read a bank twice ($count)"

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
