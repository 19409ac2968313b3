# SPDX-License-Identifier: MIT
# Order of blocks: the usual path of a loop has no jump but the one back.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# kernel BODY: a loop over %x, the next value of which BODY computes.
kernel()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry loops(.param .u64 p, .param .u32 n)\n{\n'
	printf '.reg .b64 %%p;\n.reg .pred %%c<5>;\n.reg .b32 %%n;\n.reg .f32 %%x, %%y, %%z;\n'
	echo 'ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.f32 %x, 0f00000000;'
	cat
	echo 'st.global.f32 [%p], %x; ret; }'
}

# Prints one line for each instruction of the disassembly: its name, without guard.
list_names()
{
	"$BUILD/sov" compile --target sm_90 -o "$work/out" "$1" &&
		"$BUILD/sov" disasm "$work/out" | sed -n 's/^ *\/\*[0-9a-f]*\*\/  *\(@[!UPT0-9]* \)*\([A-Z0-9]*\).*/\2/p'
}

# Special values of a function: where two numbers are equal, or one is a NaN or infinite.
kernel <<'END' >"$work/special.ptx"
loop:
ld.volatile.global.f32 %y, [%p];
setp.eq.f32 %c0, %y, 0f3F800000; @%c0 bra one;
setp.gtu.f32 %c1, %y, 0f7F800000; @%c1 bra nan;
add.f32 %z, %y, %x;
bra next;
one: bar.sync 1, 32; st.volatile.global.f32 [%p+4], %y; sin.approx.f32 %z, %y; bra next;
nan: bar.sync 2, 32; st.volatile.global.f32 [%p+8], %y; cos.approx.f32 %z, %y;
next:
add.f32 %x, %x, %z;
sub.u32 %n, %n, 1; setp.ne.u32 %c2, %n, 0; @%c2 bra loop;
END
order=$(list_names "$work/special.ptx" | grep -E '^(FADD|MUFU|STG|EXIT)$' | tr '\n' ' ')
is "$order" "FADD FADD STG EXIT STG MUFU STG MUFU " "special values come after the end of the kernel"

# A block before the header of its loop that does not continue with the header.
kernel <<'END' >"$work/early.ptx"
bra loop;
early: ld.volatile.global.f32 %z, [%p+4]; setp.lt.f32 %c1, %z, %y; @%c1 bra next;
st.volatile.global.f32 [%p+8], %z; sin.approx.f32 %y, %z; bra next;
loop:
ld.volatile.global.f32 %y, [%p];
setp.lt.f32 %c0, %y, %x; @%c0 bra early;
st.volatile.global.f32 [%p+12], %y; cos.approx.f32 %y, %x;
next:
add.f32 %x, %x, %y;
sub.u32 %n, %n, 1; setp.ne.u32 %c2, %n, 0; @%c2 bra loop;
END
order=$(list_names "$work/early.ptx" | grep -E '^(LDG|MUFU|FADD)$' | tr '\n' ' ')
is "$order" "LDG LDG MUFU MUFU FADD " "blocks before a loop's header follow the one that leads to them"
tap_done
