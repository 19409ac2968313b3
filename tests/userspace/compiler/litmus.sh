# SPDX-License-Identifier: MIT
# The litmus tests of PTX's memory model (tests/litmus) on software GPUs of both vendors: our code
# produces no outcome that the model forbids in weak memory mode, by several seeds; and the model
# agrees with published verdicts.
. tests/tap.sh
litmus=$BUILD/litmus
# Sanitizers make the runs ten times slower, so there are fewer tests and one seed.
seeds="1 2" tests='*' weak=20
[ -z "$(nm "$BUILD/libsov.so" 2>/dev/null | grep __asan_init)" ] || seeds=1 tests='MP+*' weak=2

# judge NAME COMMAND... : passes if COMMAND succeeds; prints what is wrong otherwise.
judge() {
	name=$1
	shift
	out=$("$@" 2>&1)
	ok $? "$name"
	diag "$(echo "$out" | grep -E 'runs:.*NOT LEGAL|opposite|rejects|litmus:' | head -n 20)"
}

judge "the model of PTX's memory agrees with every published verdict" "$litmus" --verdicts "$tests"
is "$("$litmus" --legal MP+ra.gpu+blocks)" \
	"MP+ra.gpu+blocks: 1:r0=0 1:r1=0, 1:r0=0 1:r1=1, 1:r0=1 1:r1=1" \
	"release and acquire in two blocks forbid one outcome of message passing"
has "$("$litmus" --legal MP+ra.cta+blocks)" "1:r0=1 1:r1=0 weak" \
	"release and acquire at block scope do not order two blocks"
for chip in gh100 navi21; do
	for seed in $seeds; do
		judge "litmus tests have only legal outcomes in weak memory mode on $chip, seed $seed" \
			env SOV_SOFT=$chip "$litmus" --runs 64 --seed "$seed" --weak "$seed" "$tests"
		seen=$(echo "$out" | sed -n 's/.* \([0-9]*\) tests with weak outcomes.*/\1/p')
		[ "${seen:-0}" -ge $weak ]
		ok $? "weak memory mode shows weak outcomes on $chip, seed $seed"
	done
done
tap_done
