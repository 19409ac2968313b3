// SPDX-License-Identifier: MIT
/* The executor knows every row of the instruction table: it accepts random legal instructions of
 * each, or rejects them with a known reason. */
#include "model/nv/exec.h"
#include "tests/tap.h"

#define TRIES    200u
#define ATTEMPTS 10000u /* most of them have registers that are not aligned */

/* Accepted reasons: what docs/model.md lists as not modelled. */
static const char *const reasons[] = {
	"a move with a lane mask is not modelled",
	"this special register is not modelled",
	"constant index modes are not modelled",
	"loads with predicates are not modelled",
	"this atomic operation is not modelled for this type",
	"QSPC with a register result is not modelled",
	"the hardware call stack is not modelled",
	"HSETP2.H_AND is not modelled",
	"VABSDIFF4 with a third source but without a sum is not modelled",
	"ATOMS.POPC.INC with a result is not modelled",
	"products that saturate are not modelled",
	"ARRIVES is modelled with ARVCNT or TRANSCNT only",
	"an offset of STAS or REDAS is not modelled",
	"the product has no such selector",
	"copies of tensors in im2col mode are not modelled",
	"a query with two results is not modelled",
	"an offset to a handle is not modelled",
	"this reduction of a surface is not modelled",
};

static bool known(const char *reason)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (!strcmp(reason, reasons[i]))
			return true;
	return false;
}

static uint64_t next(void *state)
{
	uint64_t *x = state;

	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x * 0x2545f4914f6cdd1d;
}

static void test_row(uint32_t sm, const struct sass_form *f)
{
	uint64_t state = 88172645463325252ull + sm;
	uint32_t taken = 0, refused = 0;
	const char *why = NULL;

	for (uint32_t i = 0; i < ATTEMPTS && taken + refused < TRIES; i++) {
		struct sass_inst in, back;
		struct sass_word word;
		struct op op = {0};
		const char *reason;

		sass_random(f, sm, next, &state, &in);
		if (!sass_encode(sm, &in, &word, NULL) || !sass_decode(sm, word, &back))
			continue;
		if (sass_is_misaligned(&back))
			continue;
		op.inst = &back;
		reason = op_prepare(&op, &back);
		if (!reason) {
			taken++;
		} else {
			refused++;
			if (!known(reason))
				why = reason;
		}
	}
	if (!ok(!why && taken + refused, "%s for sm_%u: %u accepted, %u rejected",
		sass_op_name(sass_form_op(f)), sm, taken, refused))
		diag("%s", why ? why : "no instruction of the row could be generated");
}

int main(void)
{
	static const uint32_t sms[] = {80, 86, 89, 90};

	for (uint32_t s = 0; s < sizeof(sms) / sizeof(sms[0]); s++)
		for (uint32_t i = 0; i < sass_form_count(); i++)
			if (sass_form_in(sass_form_at(i), sms[s]))
				test_row(sms[s], sass_form_at(i));
	return tap_done();
}
