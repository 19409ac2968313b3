# SPDX-License-Identifier: MIT
# The litmus tests of PTX's memory model (tests/litmus) on software GPUs of both vendors: our code
# produces no outcome that the model forbids; and the model agrees with published verdicts.
. tests/tap.sh
litmus=$BUILD/litmus

# judge NAME COMMAND... : passes if COMMAND succeeds; prints what is wrong otherwise.
judge() {
	name=$1
	shift
	out=$("$@" 2>&1)
	ok $? "$name"
	diag "$(echo "$out" | grep -E 'NOT LEGAL|opposite|rejects|litmus:' | head -n 20)"
}

judge "the model of PTX's memory agrees with every published verdict" "$litmus" --verdicts
is "$("$litmus" --legal MP+ra.gpu+blocks)" \
	"MP+ra.gpu+blocks: 1:r0=0 1:r1=0, 1:r0=0 1:r1=1, 1:r0=1 1:r1=1" \
	"release and acquire in two blocks forbid one outcome of message passing"
has "$("$litmus" --legal MP+ra.cta+blocks)" "1:r0=1 1:r1=0 weak" \
	"release and acquire at block scope do not order two blocks"
for chip in gh100 navi21; do
	judge "every litmus test has only legal outcomes on $chip" \
		env SOV_SOFT=$chip "$litmus" --runs 64
done
tap_done
