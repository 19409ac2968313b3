// SPDX-License-Identifier: MIT
/* Accesses of 64 and 128 bits while another block accesses the same memory: 64 aligned bits are one
 * access (PTX manual, "Memory Consistency Model"), so a load never finds the halves of two stores.
 * Two worker threads execute the blocks. */
#include "model/translate/emit.h"
#include "tests/userspace/model/nv/_rig.h"

#define ITERATIONS 100000u
#define LANES      32u
#define OUT        RIG_DATA
#define COMMON     (RIG_DATA + 0x10000)

/* Block 0 stores a count in all words; block 1 loads them and collects the bits by which the words
 * of a pair differ. */
static void write_program(struct rig *r, uint8_t width, uint32_t stride)
{
	uint32_t top;

	rig_code(r);
	INS(r, SASS_S2R, (R(0), SR(SASS_SR_TID_X)));
	INS(r, SASS_S2R, (R(1), SR(SASS_SR_CTAID_X)));
	for (uint32_t i = 0; i < 4; i++)
		INS(r, SASS_MOV, (R(4 + i), C0(r->params + 4 * i)));
	for (uint32_t i = 12; i < 21; i++)
		INS(r, SASS_MOV, (R(i), RZ));
	INS(r, SASS_MOV, (R(25), IMM(ITERATIONS)));
	INS(r, SASS_IMAD_WIDE, (R(8), PT, R(0), IMM(stride), R(4)));
	INS(r, SASS_ISETP, (P(0), PT, R(1), RZ, PT), in.mod[SASS_M_CMP] = SASS_CMP_NE);
	top = r->code;
	for (uint32_t i = 12; i < 16; i++)
		INS(r, SASS_IADD3, (R(i), PT, PT, R(i), IMM(1), RZ));
	INS(r, SASS_STG, (AT(8, 0), R(12)), in.mod[SASS_M_WIDTH] = width, in.guard = 0,
	    in.guard_not = 1);
	INS(r, SASS_LDG, (PT, R(16), AT(8, 0)), in.mod[SASS_M_WIDTH] = width, in.guard = 0);
	for (uint32_t i = 16; i < 20; i += 2) /* R20 |= R16 ^ R17 */
		INS(r, SASS_LOP3, (PT, R(20), R(i), R(i + 1), R(20), IMM(0xbe)));
	INS(r, SASS_IADD3, (R(25), PT, PT, R(25), IMM(~0u), RZ));
	INS(r, SASS_ISETP, (P(1), PT, R(25), RZ, PT), in.mod[SASS_M_CMP] = SASS_CMP_NE);
	INS(r, SASS_BRA, (PT, TO(top)), in.guard = 1);
	INS(r, SASS_IMAD, (R(0), R(1), IMM(LANES), R(0)));
	INS(r, SASS_IMAD_WIDE, (R(8), PT, R(0), IMM(4), R(6)));
	INS(r, SASS_STG, (AT(8, 0), R(20)));
	INS(r, SASS_EXIT, (PT));
}

/* Returns the number of threads that found halves of two stores; UINT32_MAX: a failed run. */
static uint32_t count_torn(struct rig *r, uint8_t width, uint32_t stride)
{
	const uint64_t params[2] = {COMMON, OUT};
	const uint32_t *out = rig_at(r, OUT);
	uint32_t torn = 0;

	write_program(r, width, stride);
	memset(rig_at(r, OUT), 0xff, LANES * 8);
	memset(rig_at(r, COMMON), 0, LANES * 32);
	if (!rig_run(r, 2, LANES, params, 2)) {
		struct model_error e;

		diag("%s", rig_error(r, &e));
		return UINT32_MAX;
	}
	for (uint32_t i = 0; i < 2 * LANES; i++)
		torn += out[i] != 0;
	return torn;
}

static void test_with(enum emit_isa isa, const char *name)
{
	static const struct {
		uint8_t width;
		uint32_t stride;
		const char *text;
	} cases[] = {{SASS_WIDTH_64, 8, "adjacent 64"},
		     {SASS_WIDTH_64, 24, "scattered 64"},
		     {SASS_WIDTH_64, 0, "the same 64"},
		     {SASS_WIDTH_128, 32, "scattered 128"}};
	struct model_config c = {.chip = model_chip_find("gh100"),
				 .vram_bytes = RIG_BYTES,
				 .threads = 2,
				 .translate = isa,
				 .translate_visits = 1};
	static struct rig r;

	rig_open_config(&r, &c);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t torn = count_torn(&r, cases[i].width, cases[i].stride);

		if (!ok(!torn, "%s: loads of %s bits find no halves of two stores", name,
			cases[i].text))
			diag("%u threads did", torn);
	}
	rig_close(&r);
}

int main(void)
{
	static const struct {
		enum emit_isa isa;
		const char *name;
	} all[] = {{EMIT_NONE, "interpreted"},
		   {EMIT_AVX2, "translated for AVX2"},
		   {EMIT_AVX512, "translated for AVX-512"}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (emit_isa_of_host(all[i].isa) == all[i].isa) {
			test_with(all[i].isa, all[i].name);
			continue;
		}
		ok(true, "%s # SKIP this host has no such instructions", all[i].name);
	}
	return tap_done();
}
