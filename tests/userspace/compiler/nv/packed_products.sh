# SPDX-License-Identifier: MIT
# A loop with products of matrices that loads the factors of its next iteration, where registers are
# scarce: of the values that it carries few are copied to the registers of their phis (28 to 32 before).
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# tiles ROWS COLUMNS BLOCKS: BLOCKS blocks of 128 threads share an SM.
tiles()
{
	rows=$1 columns=$2
	printf '.version 8.0\n.target sm_80\n.address_size 64\n'
	printf '.visible .entry tiles(.param .u64 p, .param .u32 n)\n.maxntid 128\n.minnctapersm %d\n{\n' "$3"
	echo '.reg .b64 %p, %q; .reg .pred %c; .reg .b32 %n, %t, %s, %s2, %o1, %o2, %a<64>, %b<64>, %d<256>;'
	echo '.shared .align 16 .b8 m[32768];'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mul.wide.u32 %q, %t, 1024; add.u64 %p, %p, %q;'
	echo 'mov.u32 %s, m; shl.b32 %t, %t, 4; add.u32 %s, %s, %t; and.b32 %s2, %s, 4080; xor.b32 %o1, %t, 32; xor.b32 %o2, %t, 64;'
	for k in $(seq 0 $((2 * rows * columns - 1))); do echo "mov.b32 %d$k, 0;"; done
	load 0
	echo 'loop: .pragma "nounroll";'
	load 32 %o1
	multiply 0
	echo 'bar.sync 0; add.u32 %s, %s, 64; add.u32 %s2, %s2, 64;'
	load 0 %o2
	multiply 32
	echo 'sub.u32 %n, %n, 1; setp.ne.u32 %c, %n, 0; @%c bra loop;'
	for k in $(seq 0 $((2 * rows * columns - 1))); do echo "st.global.b32 [%p+$((4 * k))], %d$k;"; done
	echo 'ret; }'
}

load() # FIRST [OFFSET]
{
	[ $# = 1 ] || echo "add.u32 %t, %s, $2;"
	[ $# = 2 ] || echo 'mov.u32 %t, %s;'
	for r in $(seq 0 $((rows - 1))); do
		x=$(($1 + 4 * r))
		echo "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a$x, %a$((x + 1)), %a$((x + 2)), %a$((x + 3))}, [%t+$((1024 * r))];"
	done
	echo 'add.u32 %t, %t, %s2;'
	for c in $(seq 0 2 $((columns - 1))); do
		x=$(($1 + 2 * c))
		echo "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b$x, %b$((x + 1)), %b$((x + 2)), %b$((x + 3))}, [%t+$((1024 * c))];"
	done
}

multiply() # FIRST
{
	for r in $(seq 0 $((rows - 1))); do
		for c in $(seq 0 $((columns - 1))); do
			a=$(($1 + 4 * r)) b=$(($1 + 2 * c)) d=$((2 * (r * columns + c)))
			printf 'mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%%d%d, %%d%d}, ' $d $((d + 1))
			printf '{%%a%d, %%a%d, %%a%d, %%a%d}, ' $a $((a + 1)) $((a + 2)) $((a + 3))
			printf '{%%b%d, %%b%d}, {%%d%d, %%d%d};\n' $b $((b + 1)) $d $((d + 1))
		done
	done
}

for shape in "4 8 3" "4 6 4" "3 8 4"; do
	tiles $shape >"$work/t.ptx"
	"$BUILD/sov" compile --target sm_80 -o "$work/out" "$work/t.ptx"
	count=$("$BUILD/sov" disasm "$work/out" | sed -n '/HMMA/,$p' | sed '/STG/,$d' |
		grep -cE 'MOV[.U32]* R[0-9]+, (RZ, RZ, )?R[0-9]+ ;')
	[ "$count" -le 16 ]
	ok $? "$shape: at most sixteen copies ($count)"
done
tap_done
