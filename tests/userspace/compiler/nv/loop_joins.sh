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
		.reg .pred %c<4>;
		.reg .b32 %t, %i, %k, %s, %a, %b;
		ld.param.u64 %p, [p];
		mov.u32 %t, %tid.x;
		mul.wide.u32 %q, %t, 4;
		add.u64 %p, %p, %q;
		mov.b32 %i, 0;
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
for name in break only_exit continue nest; do
	self=0
	[ $name != continue ] || self=1
	got=$("$BUILD/sov" run --device "${DEVICE:-gh100.0}" --block 32 "$work/$name.ptx" buf:u32:64:print=32 |
		sed -n 's/^argument 1, u32\[64\]: //p' | sed 's/ \.\.\.$//')
	[ "$got" = "$(expected $self)" ]
	ok $? "$name: the lanes that stay in a loop reconverge in each iteration"
done
tap_done
