# SPDX-License-Identifier: MIT
# Lanes that stay in a loop reconverge in each iteration, although others leave it from inside a
# branch: each lane adds up how many lanes are active with it in the rest of an iteration. Odd lanes
# leave in the iteration of their number, all others after forty.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Reads the loop of a kernel: %t is the lane, %i the iteration, %s the sum, and out the end.
kernel() { # name
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry %s(.param .u64 p)\n{\n' "$1"
	cat <<-'END'
		.reg .b64 %p, %q;
		.reg .pred %c<8>;
		.reg .b32 %t, %i, %j, %k, %s, %a, %b, %n;
		ld.param.u64 %p, [p];
		mov.u32 %t, %tid.x;
		mul.wide.u32 %q, %t, 4;
		add.u64 %p, %p, %q;
		mov.u32 %n, %nctaid.x;
		mov.b32 %i, 0;
		mov.b32 %j, 0;
		mov.b32 %s, 0;
	END
	cat
	printf 'out: st.global.u32 [%%p], %%s; ret; }\n'
}
taken='add.s32 %a, %i, %t; and.b32 %a, %a, 3; setp.ne.s32 %c0, %a, 2; setp.eq.s32 %c1, %i, %t;'
count='activemask.b32 %b; popc.b32 %b, %b; add.s32 %s, %s, %b;'
slow='st.volatile.global.u32 [%p+128], %i;'
last='setp.lt.s32 %c2, %i, 40;'

kernel break >"$work/break.ptx" <<END
again: $taken
	@%c0 bra rest;
	$slow
	@%c1 bra out;
	$slow
rest:	$count
	add.s32 %i, %i, 1; $last
	@%c2 bra again;
END
kernel only_exit >"$work/only_exit.ptx" <<END
again: $taken
	@%c0 bra rest;
	$slow
	@%c1 bra out;
	setp.ge.s32 %c2, %i, 40;
	@%c2 bra out;
	$slow
rest:	setp.ge.s32 %c2, %i, 40;
	@%c2 bra next;
	$count
next:	add.s32 %i, %i, 1;
	bra again;
END
kernel continue >"$work/continue.ptx" <<END
again: $count
	$taken
	@%c0 bra other;
	$slow
	@%c1 bra out;
	$slow
	add.s32 %i, %i, 1; $last
	@%c2 bra again;
	bra out;
other:	$slow
	$slow
	add.s32 %i, %i, 1; $last
	@%c2 bra again;
END
kernel nest >"$work/nest.ptx" <<END
again:	mov.b32 %k, 0;
inner:	$taken
	@%c0 bra rest;
	$slow
	@%c1 bra out;
	setp.eq.s32 %c1, %k, 3;
	@%c1 bra after;
	$slow
rest:	$slow
	add.s32 %k, %k, 1; add.s32 %a, %t, %i; and.b32 %a, %a, 7; add.s32 %a, %a, 4; setp.lt.s32 %c1, %k, %a;
	@%c1 bra inner;
after:	$count
	add.s32 %i, %i, 1; $last
	@%c2 bra again;
END

# The lanes that execute the rest of iteration i are the even ones and odd ones above i; in the third
# kernel, which counts at the start of an iteration, also lane i.
expected() { # 1: count lane i
	awk -v self="$1" 'BEGIN {
		for (t = 0; t < 32; t++) {
			sum = 0
			for (i = 0; i < 40 && (t % 2 == 0 || i < t + self); i++) {
				n = 16
				for (o = 1; o < 32; o += 2)
					n += o + self > i
				sum += n
			}
			printf "%s%d", t ? " " : "", sum
		}
	}'
}
run_kernel() { # name
	"$BUILD/sov" run --device "${DEVICE:-gh100.0}" --block 32 "$work/$1.ptx" buf:u32:64:print=32 |
		sed -n 's/^argument 0, u32\[64\]: //p' | sed 's/ \.\.\.$//'
}
for name in break only_exit continue nest; do
	self=0
	[ $name != continue ] || self=1
	got=$(run_kernel $name)
	[ "$got" = "$(expected $self)" ]
	ok $? "$name: the lanes that stay in a loop reconverge in each iteration"
done

# Loops whose regions once crossed, or whose reconvergence points are shared or in a jump table.
check_values() { # name, what is tested, values of the first lanes, which repeat
	values=$(echo "$3" | awk '{ for (i = 0; i < 32; i++) printf "%s%s", i ? " " : "", $(1 + i % NF) }')
	got=$(run_kernel "$1")
	[ "$got" = "$values" ] || echo "# found $got"
	[ "$got" = "$values" ]
	ok $? "$2"
}
kernel to_outer >"$work/to_outer.ptx" <<END
outer:	add.s32 %j, %j, 1;
	ld.volatile.global.u32 %k, [%p]; add.s32 %k, %k, 3;
	setp.gt.s32 %c5, %j, %k;
	@%c5 bra out;
	$slow
inner:	add.s32 %i, %i, 1;
	add.s32 %a, %i, %t; and.b32 %a, %a, 3; setp.ne.s32 %c0, %a, 2;
	@%c0 bra rest;
	$slow
	and.b32 %b, %i, 7; setp.lt.u32 %c1, %b, 4;
	@%c1 bra outer;
	$slow
rest:	$slow
	add.s32 %s, %s, %i;
	bra inner;
END
check_values to_outer "an inner loop is left only for the next iteration of the outer one" "141 126 252 157"
kernel vote >"$work/vote.ptx" <<END
again:	add.s32 %i, %i, 1;
	$slow
	and.b32 %a, %t, 3; add.s32 %a, %a, 1; setp.ne.s32 %c0, %a, %i;
	@%c0 bra rest;
	$slow
	setp.lt.s32 %c1, %t, 40;
	vote.sync.ballot.b32 %b, %c1, 0xffffffff;
	popc.b32 %s, %b;
	setp.gt.s32 %c2, %s, 3;
	@%c2 bra out;
	$slow
rest:	$slow
	setp.lt.s32 %c3, %i, 60;
	@%c3 bra again;
END
check_values vote "lanes reach a vote of the whole warp in different iterations" 32
kernel vote_after >"$work/vote_after.ptx" <<END
again:	add.s32 %i, %i, 1;
	$slow
	add.s32 %a, %i, %t; and.b32 %a, %a, 3; setp.eq.s32 %c0, %a, 2;
	@%c0 bra rest;
	$slow
	ld.volatile.global.u32 %k, [%p]; add.s32 %k, %k, 2; setp.ge.s32 %c1, %i, %k;
	@%c1 bra after;
	$slow
rest:	$slow
	setp.lt.s32 %c2, %i, 40;
	@%c2 bra again;
after:	$slow
	setp.lt.s32 %c1, %t, 40;
	vote.sync.ballot.b32 %b, %c1, 0xffffffff;
	popc.b32 %s, %b;
END
check_values vote_after "lanes that have left a loop vote with those that leave it later" 32
kernel vote_in_header >"$work/vote_in_header.ptx" <<END
h:	add.s32 %i, %i, 1;
	$slow
	add.s32 %a, %i, %t; and.b32 %a, %a, 3; setp.ne.s32 %c3, %a, 0;
	@%c3 bra h;
	setp.lt.s32 %c1, %t, 40;
	vote.sync.ballot.b32 %b, %c1, 0xffffffff;
	popc.b32 %b, %b; add.s32 %s, %s, %b;
	add.s32 %j, %j, 1; setp.ge.s32 %c4, %j, 4;
	@%c4 st.global.u32 [%p], %s;
	@%c4 exit;
	mov.b32 %k, 0;
La:	add.s32 %k, %k, 1;
	add.s32 %a, %k, %t; and.b32 %a, %a, 3; setp.eq.s32 %c0, %a, 2;
	@%c0 bra Lr;
	$slow
	setp.ge.s32 %c1, %k, 2;
	@%c1 bra h;
Lr:	$slow
	bra La;
END
check_values vote_in_header "lanes leave a loop for another one in which they vote" 128
kernel table >"$work/table.ptx" <<END
outer:	add.s32 %j, %j, 1;
	$slow
inner:	add.s32 %i, %i, 1;
	$slow
	add.s32 %a, %i, %t; and.b32 %a, %a, 7;
	tab: .branchtargets c0, c1, c2, c3, c4, c5, c6, c7;
	brx.idx %a, tab;
c0:	add.s32 %s, %s, 1; $slow bra inner;
c1:	add.s32 %s, %s, 2; $slow bra inner;
c2:	add.s32 %s, %s, 3; $slow bra inner;
c3:	add.s32 %s, %s, 4; $slow bra after;
c4:	add.s32 %s, %s, 5; $slow bra inner;
c5:	add.s32 %s, %s, 6; $slow bra inner;
c6:	add.s32 %s, %s, 7; $slow bra inner;
c7:	add.s32 %s, %s, 8; $slow bra inner;
after:	$slow
	add.u32 %k, %n, 2;
	setp.lt.s32 %c5, %j, %k;
	@%c5 bra outer;
END
check_values table "one case of a jump table leaves the inner loop" "81 79 76 108 103 97 90 82"
kernel trap_path >"$work/trap_path.ptx" <<END
head:	add.s32 %i, %i, 1;
	and.b32 %a, %i, %n; setp.eq.s32 %c0, %a, 0;
	ld.volatile.global.u32 %b, [%p+128]; add.s32 %b, %b, %t;
	@%c0 bra R0;
K:	st.volatile.global.u32 [%p+128], %a;
	shr.u32 %a, %i, 1; and.b32 %a, %a, %n; setp.eq.s32 %c1, %a, 0;
	@%c1 bra W;
B5:	st.volatile.global.u32 [%p+128], %t;
	and.b32 %k, %b, 1; setp.eq.s32 %c2, %k, 0;
	@%c2 bra V;
U:	st.volatile.global.u32 [%p+128], 7;
	setp.eq.s32 %c3, %b, 100000;
	@%c3 bra T0;
	st.volatile.global.u32 [%p+128], 8;
	bra P;
V:	st.volatile.global.u32 [%p+128], 9; st.volatile.global.u32 [%p+128], 10;
	bra P;
W:	st.volatile.global.u32 [%p+128], 11;
	bra X;
R0:	st.volatile.global.u32 [%p+128], 12;
	and.b32 %k, %b, 2; setp.eq.s32 %c4, %k, 0;
	@%c4 bra Y;
X:	st.volatile.global.u32 [%p+128], 13;
	add.s32 %s, %s, 1;
	bra P;
Y:	st.volatile.global.u32 [%p+128], 14;
	setp.gt.s32 %c5, %i, 40;
	@%c5 bra out;
	st.volatile.global.u32 [%p+128], 15;
P:	st.volatile.global.u32 [%p+128], 16;
	add.s32 %s, %s, 2;
	setp.lt.s32 %c6, %i, 60;
	@%c6 bra head;
	bra out;
$(for n in 0 1 2 3 4 5 6 7; do
		echo "T$n: st.volatile.global.u32 [%p+128], $n; ld.volatile.global.u32 %k, [%p+128];"
		echo "setp.eq.s32 %c7, %k, 77$n; @%c7 bra T$n;"
	done)
	trap;
END
check_values trap_path "an inner region is larger than the one around it, by a path to a trap" "93 93 165 165"

# Seventeen nested branches leave no barrier for the outer loop.
at='st.volatile.global.u32 [%p+128],'
kernel no_barriers_left >"$work/no_barriers_left.ptx" <<END
outer:	add.s32 %j, %j, 1;
	$at %j;
inner:	add.s32 %i, %i, 1;
	$(for n in $(seq 0 16); do
		echo "ld.volatile.global.u32 %k, [%p+128]; add.s32 %k, %k, %t; and.b32 %k, %k, $((1 << n % 5));"
		echo "setp.eq.s32 %c6, %k, 0; @%c6 bra J$n; $at %i;"
	done)
	$(for n in $(seq 16 -1 0); do echo "$at %i; J$n: $at %i; $at %t;"; done)
	add.s32 %a, %i, %t; and.b32 %a, %a, 3; setp.ne.s32 %c0, %a, 2;
	@%c0 bra rest;
	$at %i;
	setp.lt.u32 %c1, %n, 4;
	@%c1 bra after;
	$at %i;
rest:	$at %a;
	bra inner;
after:	setp.ne.s32 %c7, %t, 99;
	vote.sync.ballot.b32 %b, %c7, 0xffffffff;
	popc.b32 %b, %b; add.s32 %s, %s, %b;
	add.u32 %a, %n, 2; setp.lt.s32 %c5, %j, %a;
	@%c5 bra outer;
END
check_values no_barriers_left "lanes vote after a loop that has no barrier left" 96
tap_done
