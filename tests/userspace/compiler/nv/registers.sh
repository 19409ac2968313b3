# SPDX-License-Identifier: MIT
# Registers per thread, where fewer of them mean more warps.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count_registers()
{
	"$BUILD/sov" compile --target sm_90 --json -o "$work/out" "$1" |
		sed -n 's/.*"registers": \([0-9]*\).*/\1/p'
}

# sums N: N sums of one index with constants, and N loaded values, live across a barrier.
sums()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry sums(.param .u64 p, .param .u32 n)\n{\n'
	printf '.reg .b64 %%p;\n.reg .pred %%q;\n.reg .b32 %%n, %%t, %%a<40>, %%v<40>;\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; shl.b32 %t, %t, 6;'
	for i in $(seq 1 "$1"); do
		echo "add.u32 %a$i, %t, $((32 * i)); ld.volatile.global.u32 %v$i, [%p+$((4 * i))];"
		echo "st.volatile.global.u32 [%p], %a$i;"
	done
	echo 'bar.sync 0;'
	for i in $(seq 1 "$1"); do
		echo "setp.ge.u32 %q, %v$i, %n; @%q bra e$i; st.volatile.global.u32 [%p+4], %a$i;"
		echo "e$i: st.volatile.global.u32 [%p+8], %v$i;"
	done
	echo 'ret; }'
}

# Values that are computed from one register, which dies before them, do not all occupy registers if
# computing them again raises the number of warps: that register lives longer in their place. With
# 26, no register is left for alignment.
for n in 19 26; do
	sums $n >"$work/sums.ptx"
	count=$(count_registers "$work/sums.ptx")
	[ "${count:-99}" -le 32 ]
	ok $? "$n sums of one index and $n loaded values need at most 32 registers ($count)"
done

# comparisons N: N comparisons of one value before a loop that needs all of their results.
comparisons()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry comparisons(.param .u64 p, .param .u32 n)\n{\n'
	printf '.reg .b64 %%p;\n.reg .pred %%c, %%q<40>;\n.reg .b32 %%n, %%i, %%t, %%v<13>;\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %i, 0;'
	for i in $(seq 1 "$1"); do
		echo "setp.gt.u32 %q$i, %t, $((37 * i % 64));"
	done
	echo 'loop: .pragma "nounroll";'
	for i in $(seq 1 12); do
		echo "ld.volatile.global.u32 %v$i, [%p+$((4 * i))];"
	done
	for i in $(seq 1 "$1"); do
		echo "@%q$i st.volatile.global.u32 [%p+$((4 * i))], %v$((i % 12 + 1));"
	done
	echo 'add.u32 %i, %i, 1; setp.lt.u32 %c, %i, %n; @%c bra loop; ret; }'
}

# What predicates cannot hold is compared again instead of being kept in a register each.
comparisons 24 >"$work/comparisons.ptx"
count=$(count_registers "$work/comparisons.ptx")
[ "${count:-99}" -le 24 ]
ok $? "24 comparisons of one value with constants need at most 24 registers ($count)"

# shuffles N: a chain of N shuffles, each followed by a sum with another function of the thread.
shuffles()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry shuffles(.param .u64 p)\n{\n'
	printf '.reg .b64 %%p, %%q;\n.reg .b32 %%t, %%v, %%a<40>;\n'
	echo 'ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %q, %t, 4; add.u64 %p, %p, %q;'
	echo 'ld.global.u32 %v, [%p];'
	for i in $(seq 1 "$1"); do
		echo "xor.b32 %a$i, %t, $((77 * i)); mul.lo.u32 %a$i, %a$i, %t;"
	done
	for i in $(seq 1 "$1"); do
		echo "shfl.sync.bfly.b32 %v, %v, $((i % 31 + 1)), 31, -1; add.u32 %v, %v, %a$i;"
	done
	echo 'st.global.u32 [%p], %v; ret; }'
}

# What fits into the waits of a chain is not computed early: that takes registers and saves no time.
shuffles 16 >"$work/shuffles.ptx"
count=$(count_registers "$work/shuffles.ptx")
[ "${count:-99}" -le 12 ]
ok $? "16 values between shuffles need at most 12 registers ($count)"

# arrays BYTES: a loop over elements of a local array, with other values live across it.
arrays()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry arrays(.param .u64 p, .param .u32 n)\n{\n'
	printf '.local .align 4 .b8 array[%s];\n.reg .b64 %%p, %%a, %%e;\n.reg .pred %%q;\n' "$1"
	printf '.reg .b32 %%n, %%i;\n.reg .f32 %%v<17>, %%x<9>, %%s;\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u64 %a, array; mov.u32 %i, 0; mov.f32 %s, 0f00000000;'
	for i in $(seq 1 16); do
		echo "ld.volatile.global.f32 %v$i, [%p+$((4 * i))];"
	done
	echo 'loop: .pragma "nounroll"; mul.wide.u32 %e, %i, 4; add.u64 %e, %a, %e;'
	for i in $(seq 1 8); do
		echo "ld.local.f32 %x$i, [%e+$((4 * i))]; ex2.approx.ftz.f32 %x$i, %x$i; lg2.approx.ftz.f32 %x$i, %x$i;"
		echo "add.f32 %s, %s, %x$i; st.local.f32 [%e+$((4 * i))], %s;"
	done
	echo 'add.u32 %i, %i, 8; setp.lt.u32 %q, %i, %n; @%q bra loop;'
	for i in $(seq 1 16); do
		echo "st.volatile.global.f32 [%p+$((4 * i))], %v$i;"
	done
	echo 'ret; }'
}

# Warps whose local memory the L1 cache does not hold are not worth a loop that waits for each load.
arrays 64 >"$work/small.ptx"
arrays 2048 >"$work/large.ptx"
small=$(count_registers "$work/small.ptx")
count=$(count_registers "$work/large.ptx")
[ "${small:-99}" -le 32 ] && [ "${count:-0}" -gt 32 ]
ok $? "a loop over a local array has more than 32 registers if the cache does not hold the arrays of more warps ($count, $small)"

# blocks DIRECTIVES: a sum over 40 loaded pairs.
blocks()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry blocks(.param .u64 p)\n%s\n{\n' "$1"
	printf '.reg .b64 %%p, %%v<41>;\n.reg .b32 %%t, %%s, %%w<41>;\n.shared .align 8 .b32 s[12288];\n'
	echo 'ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %s, 0; shl.b32 %t, %t, 3;'
	for i in $(seq 1 40); do
		echo "ld.shared.u64 %v$i, [%t+$((1024 * i))]; shr.u64 %v$i, %v$i, 7;"
		echo "cvt.u32.u64 %w$i, %v$i; mad.lo.u32 %s, %s, %w$i, $i;"
	done
	echo 'st.global.u32 [%p], %s; ret; }'
}

# The stated number of blocks is a minimum: what gains no time takes no registers.
blocks '' >"$work/free.ptx"
blocks '.maxntid 256 .minnctapersm 1' >"$work/stated.ptx"
free=$(count_registers "$work/free.ptx")
count=$(count_registers "$work/stated.ptx")
[ "${count:-99}" -le "${free:-0}" ]
ok $? "a kernel that states one block per SM has no more registers than without ($count, $free)"

# products CLAUSES: a loop that adds sixteen products of words from two rows, and the same loop for
# single words.
products()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry products(.param .u64 p, .param .u32 n)\n%s\n{\n' "$1"
	printf '.reg .b64 %%p, %%q, %%r, %%o;\n.reg .pred %%c;\n.reg .b32 %%n, %%t;\n.reg .f32 %%a<17>, %%b<17>, %%s;\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mul.wide.u32 %q, %t, 4096;'
	echo 'add.u64 %q, %q, %p; add.u64 %r, %q, 256; mov.f32 %s, 0f00000000;'
	printf '.pragma "nounroll";\nloop:\n'
	for i in $(seq 1 16); do
		echo "ld.global.f32 %a$i, [%q+$((4 * i))]; ld.global.f32 %b$i, [%r+$((4 * i))];"
		echo "fma.rn.f32 %s, %a$i, %b$i, %s;"
	done
	echo 'add.u64 %q, %q, 512; add.u64 %r, %r, 512; sub.u32 %n, %n, 1; setp.ne.u32 %c, %n, 0; @%c bra loop;'
	echo 'st.global.f32 [%p], %s; ret; }'
}

# Loads in one batch need registers, which cost warps. A kernel that states how many blocks an SM
# should hold has all 32 loads in flight.
products '.maxntid 256 .minnctapersm 2' >"$work/products.ptx"
"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/products.ptx"
count=$("$BUILD/sov" disasm "$work/out" | sed '/FFMA/,$d' | grep -c 'LDG')
[ "$count" -eq 32 ]
ok $? "a loop with stated blocks loads 32 words before it uses the first ($count)"

# A loop of atomics is as fast as these: the time of one warp alone takes no registers. The loop adds
# to a counter for a digit of each of 24 loaded words.
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry histogram(.param .u64 p, .param .u32 n)\n{\n'
	printf '.reg .b64 %%p;\n.reg .pred %%q;\n.reg .b32 %%n, %%t, %%i, %%v<25>, %%d<25>;\n'
	printf '.shared .align 4 .b32 s[8192];\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %i, 0; mov.u32 %t, s;'
	for i in $(seq 1 24); do
		echo "ld.volatile.global.u32 %v$i, [%p+$((4 * i))];"
	done
	echo 'loop:'
	for i in $(seq 1 24); do
		echo "shr.u32 %d$i, %v$i, %i; and.b32 %d$i, %d$i, 255;"
		echo "mad.lo.u32 %d$i, %d$i, 12, %t; red.shared.add.u32 [%d$i], 1;"
	done
	echo 'add.u32 %i, %i, 1; add.u32 %t, %t, 4; setp.lt.u32 %q, %i, %n; @%q bra loop; ret; }'
} >"$work/histogram.ptx"
count=$(count_registers "$work/histogram.ptx")
[ "${count:-99}" -le 32 ]
ok $? "a loop with 24 atomics needs at most 32 registers ($count)"

# A function that changes 18 registers, called three times while 18 values are live: saving some
# around the calls raises the number of warps more than it costs.
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.func (.param .b32 r) mix(.param .b32 a)\n{\n'
	printf '.reg .b32 %%x, %%s, %%v<17>;\nld.param.b32 %%x, [a];\nmov.b32 %%s, 0;\n'
	for i in $(seq 1 16); do
		echo "mul.hi.u32 %v$i, %x, $((2 * i + 12345));"
	done
	for factor in 3 5 7 11 13 17; do
		for i in $(seq 1 16); do
			echo "mad.lo.u32 %s, %s, $factor, %v$i; xor.b32 %v$i, %v$i, %s;"
		done
	done
	printf 'st.param.b32 [r], %%s; ret; }\n.visible .entry calls(.param .u64 p)\n{\n'
	printf '.reg .b64 %%p;\n.reg .b32 %%s, %%v<19>;\nld.param.u64 %%p, [p];\n'
	for i in $(seq 1 18); do
		echo "ld.volatile.global.u32 %v$i, [%p+$((4 * i))];"
	done
	for i in 1 2 3; do
		echo "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %v$i; call (r), mix, (a);"
		echo 'ld.param.b32 %s, [r]; } st.volatile.global.u32 [%p], %s;'
	done
	for i in $(seq 1 18); do
		echo "st.volatile.global.u32 [%p+$((4 * i))], %v$i;"
	done
	echo 'ret; }'
} >"$work/calls.ptx"
count=$(count_registers "$work/calls.ptx")
[ "${count:-99}" -le 32 ]
ok $? "18 values live across calls that change 18 registers need at most 32 registers ($count)"

# 80 products, which the program computes before it adds them. An order that computes each where it
# is needed leaves registers for many more warps than the program's order.
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry products(.param .u64 p)\n{\n'
	printf '.reg .b64 %%p, %%a;\n.reg .b32 %%x, %%s, %%v<81>;\n'
	echo 'ld.param.u64 %p, [p]; mov.u32 %x, %tid.x; mul.wide.u32 %a, %x, 4; add.s64 %a, %p, %a;'
	echo 'ld.global.u32 %x, [%a]; mov.u32 %s, 0;'
	for i in $(seq 1 80); do
		echo "mul.hi.u32 %v$i, %x, $((12345 + 2 * i));"
	done
	for i in $(seq 1 80); do
		echo "mad.lo.u32 %s, %s, 3, %v$i; xor.b32 %s, %s, $((77 * i));"
	done
	echo 'st.global.u32 [%p], %s; ret; }'
} >"$work/products.ptx"
count=$(count_registers "$work/products.ptx")
[ "${count:-99}" -le 32 ]
ok $? "a sum of 80 products that are computed before it needs at most 32 registers ($count)"

# mixture SEED: 120 words and pairs, at most 25 registers of them live, for random times and across
# blocks. A linear congruential generator, so that every shell has the same numbers.
next()
{
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	r=$((seed >> 16))
}
drop()
{
	next
	k=$((r % live + 1))
	eval "value=\$live_$k; live_$k=\$live_$live"
	live=$((live - 1))
	used=$((used - ${value%:*}))
	store "$value"
}
store()
{
	case $1 in
	1:*) echo "st.volatile.global.u32 [%p], %v${1#*:};" ;;
	*) echo "st.volatile.global.u64 [%p], %d${1#*:};" ;;
	esac
}
mixture()
{
	seed=$1 live=0 used=0
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry mixture(.param .u64 p)\n{\n'
	printf '.reg .b64 %%p, %%d<121>;\n.reg .b32 %%v<121>, %%t;\n.reg .pred %%q;\nld.param.u64 %%p, [p];\n'
	for i in $(seq 1 120); do
		next
		units=$((1 + r % 2))
		[ $((r / 16 % 3)) != 0 ] || [ $live = 0 ] || drop
		while [ $((used + units)) -gt 25 ]; do
			drop
		done
		[ $units = 1 ] && echo "ld.volatile.global.u32 %v$i, [%p];"
		[ $units = 2 ] && echo "ld.volatile.global.u64 %d$i, [%p];"
		live=$((live + 1)) used=$((used + units))
		eval "live_$live=$units:$i"
		[ $((i % 6)) = 0 ] || continue
		echo "ld.volatile.global.u32 %t, [%p]; setp.eq.u32 %q, %t, 0; @%q bra e$i;"
		echo "st.volatile.global.u32 [%p+8], %t; bar.sync 0;"
		echo "e$i:"
	done
	while [ $live -gt 0 ]; do
		drop
	done
	echo 'ret; }'
}
for s in 6 8 10; do
	mixture $s >"$work/mixture.ptx"
	count=$(count_registers "$work/mixture.ptx")
	[ "${count:-99}" -le 32 ]
	ok $? "words and pairs of 25 registers, mixture $s, need at most 32 registers ($count)"
done

# 28 values that change places in a loop, with no register left for one of them in between.
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry cycle(.param .u64 p, .param .u32 n)\n{\n'
	printf '.reg .b64 %%p;\n.reg .pred %%q;\n.reg .b32 %%n, %%t, %%v<29>;\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n];'
	for i in $(seq 1 28); do
		echo "ld.volatile.global.u32 %v$i, [%p+$((4 * i))];"
	done
	echo 'loop: mov.u32 %t, %v1;'
	for i in $(seq 1 27); do
		echo "mov.u32 %v$i, %v$((i + 1));"
	done
	echo 'mov.u32 %v28, %t; sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra loop;'
	for i in $(seq 1 28); do
		echo "st.volatile.global.u32 [%p+$((4 * i))], %v$i;"
	done
	echo 'ret; }'
} >"$work/cycle.ptx"
count=$(count_registers "$work/cycle.ptx")
[ "${count:-99}" -le 32 ]
ok $? "28 values that change places in a loop need at most 32 registers ($count)"

# fields N: N values of eight, all computed before the first two are combined.
fields()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry fields(.param .u64 p)\n{\n'
	printf '.reg .b64 %%p, %%q;\n.reg .b32 %%t, %%u, %%x, %%s<8>, %%v<%d>;\n' $(($1 + 1))
	echo 'ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %q, %t, 4; add.u64 %p, %p, %q; ld.global.u32 %x, [%p];'
	for i in $(seq 0 7); do
		echo "mul.lo.u32 %s$i, %x, $((2 * i + 3)); shr.u32 %t, %s$i, $((i + 3)); xor.b32 %s$i, %s$i, %t;"
	done
	for i in $(seq 1 "$1"); do
		echo "add.u32 %v$i, %s$((i % 8)), %s$(((7 * i + 3) % 8)); shr.u32 %t, %v$i, $((i % 13 + 1)); mul.lo.u32 %u, %t, $((2 * i + 1));"
		echo "min.u32 %u, %u, %s$((5 * i % 8)); sub.u32 %v$i, %u, %v$i;"
	done
	for i in $(seq 2 "$1"); do
		echo "mad.lo.u32 %v1, %v1, 33, %v$i;"
	done
	echo 'st.global.u32 [%p], %v1; ret; }'
}

fields 90 >"$work/fields.ptx"
count=$(count_registers "$work/fields.ptx")
[ "${count:-99}" -le 32 ]
ok $? "90 values that are computed before they are combined need at most 32 registers ($count)"
tap_done
