# SPDX-License-Identifier: MIT
# Loops that wait at a barrier in memory: the first test is issued early, and the loop is out of the way.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# order WAIT: the tests, the last product and the exits of the code, in their order.
order()
{
	{
		printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry waits(.param .u64 a, .param .u32 n)\n{\n'
		printf '.reg .b64 %%a;\n.reg .b32 %%n, %%m;\n.reg .f32 %%x;\n.reg .pred %%p;\n.shared .align 8 .b64 b;\n'
		echo 'ld.param.u64 %a, [a]; ld.param.u32 %n, [n]; cvt.rn.f32.u32 %x, %n; mov.u32 %m, b;'
		echo 'mul.f32 %x, %x, %x; mul.f32 %x, %x, %x; mul.f32 %x, %x, %x; mul.f32 %x, %x, %x;'
		echo "loop: mbarrier.$1.parity.shared.b64 %p, [%m], %n; @!%p bra loop;"
		echo 'st.global.f32 [%a], %x; ret; }'
	} >"$work/waits.ptx"
	"$BUILD/sov" compile --target sm_90 -o "$work/out" "$work/waits.ptx" &&
		"$BUILD/sov" disasm "$work/out" | sed -n 's/.*\(PHASECHK\|FMUL\|EXIT\).*/\1/p' | uniq | tr '\n' ' '
}
is "$(order try_wait)" "PHASECHK FMUL EXIT PHASECHK " "try_wait is issued before arithmetic, and waits behind the end"
is "$(order test_wait)" "FMUL PHASECHK EXIT " "test_wait stays in its loop"
tap_done
