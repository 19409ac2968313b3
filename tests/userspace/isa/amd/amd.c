// SPDX-License-Identifier: MIT
/*
 * The AMD instruction table without LLVM: random instructions of every row and form survive a
 * round trip; the decoder drops no bit; the encoder names the operand or field that does not fit;
 * words that llvm-mc assembled are printed as llvm-mc prints them.
 */
#include "tests/tap.h"
#include "libsov/isa/amd/amd_row.h"

#define PER_FORM (120 / TAP_SLOWNESS + 1)

static uint64_t seed = 1;

static uint64_t next(void *state) /* splitmix64 */
{
	uint64_t z = *(uint64_t *)state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static bool is_same_inst(const struct amd_inst *a, const struct amd_inst *b)
{
	return a->row == b->row && a->form == b->form && !memcmp(a->reg, b->reg, sizeof(a->reg)) &&
	       !memcmp(a->field, b->field, sizeof(a->field)) && a->literal == b->literal;
}

/* A word with a flipped bit decodes to another instruction or none; no bit is dropped. */
static bool no_bit_is_dropped(const uint32_t *words, uint32_t bytes)
{
	for (uint32_t bit = 0; bit < bytes * 8; bit++) {
		uint32_t flipped[AMD_MAX_WORDS + 1] = {words[0], words[1], words[2]};
		uint32_t again[AMD_MAX_WORDS], n;
		struct amd_inst in;

		flipped[bit / 32] ^= 1u << bit % 32;
		n = amd_decode(AMD_GFX1030, flipped, AMD_MAX_WORDS, &in);
		if (n &&
		    (amd_encode(AMD_GFX1030, &in, again, NULL) != n || memcmp(flipped, again, n))) {
			diag("%08x %08x with bit %u flipped", words[0], words[1], bit);
			return false;
		}
	}
	return true;
}

static bool form_round_trips(const struct amd_row *row, enum amd_form form)
{
	for (uint32_t i = 0; i < PER_FORM; i++) {
		uint32_t words[AMD_MAX_WORDS] = {0}, n;
		struct amd_inst in, back;
		const char *why = NULL;
		char text[256];

		amd_random(AMD_GFX1030, row, form, next, &seed, &in);
		n = amd_encode(AMD_GFX1030, &in, words, &why);
		if (!n || amd_decode(AMD_GFX1030, words, n / 4, &back) != n) {
			diag("%s, form %u: %s", row->name, form, why ? why : "does not decode");
			return false;
		}
		if (in.literal && n == amd_layout(row, form)->bytes)
			in.literal = 0; /* drawn, but no operand uses it */
		if (!is_same_inst(&in, &back) || amd_print(&back, text, sizeof(text)) >= 256) {
			diag("%s, form %u: decodes to another instruction", row->name, form);
			return false;
		}
		if (amd_decode(AMD_GFX1030, words, n / 4 - 1, &back)) {
			diag("%s, form %u: decodes although cut off", row->name, form);
			return false;
		}
		if (i < 8 && !no_bit_is_dropped(words, n))
			return false;
	}
	return true;
}

static bool every_form_round_trips(uint32_t *forms)
{
	bool good = true;

	for (uint32_t op = 0; op < AMD_OP_COUNT; op++)
		for (uint32_t form = 0; form < AMD_FORMS; form++)
			if (amd_row_has(amd_row(op), form)) {
				good = form_round_trips(amd_row(op), form) && good;
				++*forms;
			}
	return good;
}

static bool rows_are_found(void)
{
	for (uint32_t op = 0; op < AMD_OP_COUNT; op++) {
		const struct amd_row *row = amd_row(op);

		if (row->op != op ||
		    amd_row_of(AMD_GFX1030, row->format, row->opcode[AMD_GFX1030]) != row) {
			diag("%s shares its opcode with another row", row->name);
			return false;
		}
	}
	return true;
}

/* A random word that decodes is encoded to the same word. */
static bool random_words_round_trip(void)
{
	uint32_t known = 0;

	for (uint32_t i = 0; i < 400000 / TAP_SLOWNESS; i++) {
		uint64_t a = next(&seed);
		uint32_t words[AMD_MAX_WORDS] = {(uint32_t)a, (uint32_t)(a >> 32),
						 (uint32_t)next(&seed)};
		uint32_t again[AMD_MAX_WORDS], n;
		struct amd_inst in;

		n = amd_decode(AMD_GFX1030, words, AMD_MAX_WORDS, &in);
		known += n > 0;
		if (n &&
		    (amd_encode(AMD_GFX1030, &in, again, NULL) != n || memcmp(words, again, n)))
			return false;
	}
	return known > 1000;
}

/* Each row breaks one field or operand of a legal instruction. */
enum { REG, FIELD, FORM };
static const struct {
	enum amd_op op;
	uint8_t form, kind, index;
	int32_t value;
	const char *reason;
} rejections[] = {
	{AMD_v_add_f32, AMD_E64, FIELD, AMD_F_OMOD, 4, "OMOD"},
	{AMD_v_and_b32, AMD_E64, FIELD, AMD_F_CLAMP, 1, "CLAMP"},
	{AMD_v_and_b32, AMD_E64, FIELD, AMD_F_NEG, 1, "NEG"},
	{AMD_v_add_f32, AMD_PLAIN, FIELD, AMD_F_ABS, 1, "ABS"},
	{AMD_v_add_f32, AMD_DPP, FIELD, AMD_F_DPP_CTRL, 0x130, "DPP_CTRL"},
	{AMD_v_add_f32, AMD_DPP, FIELD, AMD_F_ROW_MASK, 16, "ROW_MASK"},
	{AMD_v_add_f32, AMD_SDWA, FIELD, AMD_F_DST_SEL, 7, "DST_SEL"},
	{AMD_v_add_f32, AMD_SDWA, FIELD, AMD_F_SEXT, 1, "SEXT"},
	{AMD_v_cmp_lt_f32, AMD_SDWA, FIELD, AMD_F_DST_UNUSED, 1, "DST_UNUSED"},
	{AMD_v_pk_add_f16, AMD_PLAIN, FIELD, AMD_F_OP_SEL, 4, "OP_SEL"},
	{AMD_s_movk_i32, AMD_PLAIN, FIELD, AMD_F_IMM, 0x10000, "IMM"},
	{AMD_s_barrier, AMD_PLAIN, FIELD, AMD_F_IMM, 1, "IMM"},
	{AMD_s_sendmsg, AMD_PLAIN, FIELD, AMD_F_IMM, 2, "IMM"},
	{AMD_global_load_dword, AMD_PLAIN, FIELD, AMD_F_OFFSET, 2048, "OFFSET"},
	{AMD_global_load_dword, AMD_PLAIN, FIELD, AMD_F_OFFSET, -2049, "OFFSET"},
	{AMD_flat_load_dword, AMD_PLAIN, FIELD, AMD_F_OFFSET, -1, "OFFSET"},
	{AMD_ds_read_b32, AMD_PLAIN, FIELD, AMD_F_OFFSET, 65536, "OFFSET"},
	{AMD_s_load_dword, AMD_PLAIN, FIELD, AMD_F_OFFSET, 1 << 20, "OFFSET"},
	{AMD_s_buffer_load_dword, AMD_PLAIN, FIELD, AMD_F_OFFSET, -4, "OFFSET"},
	{AMD_v_add_f32, AMD_PLAIN, REG, AMD_S1, 4, "source 1"},
	{AMD_v_add_f32, AMD_PLAIN, REG, AMD_D, 4, "destination"},
	{AMD_v_add_f32, AMD_PLAIN, REG, AMD_S0, 250, "source 0"},
	{AMD_v_add_f64, AMD_PLAIN, REG, AMD_S0, 5, "source 0"},
	{AMD_v_add_f64, AMD_PLAIN, REG, AMD_S1, AMD_VGPR + 255, "source 1"},
	{AMD_s_add_u32, AMD_PLAIN, REG, AMD_S0, AMD_VGPR, "source 0"},
	{AMD_s_and_b64, AMD_PLAIN, REG, AMD_D, 3, "destination"},
	{AMD_s_load_dwordx4, AMD_PLAIN, REG, AMD_D, 6, "destination"},
	{AMD_v_readlane_b32, AMD_PLAIN, REG, AMD_S1, AMD_VGPR, "source 1"},
	{AMD_v_add_co_u32, AMD_PLAIN, REG, AMD_SX, AMD_INT_0, "scalar operand"},
	{AMD_v_cndmask_b32, AMD_PLAIN, REG, AMD_S2, 4, "source 2"},
	{AMD_v_nop, AMD_PLAIN, REG, AMD_D, AMD_VGPR, "destination"},
	{AMD_v_add_f64, AMD_SDWA, FORM, 0, 0, "form"},
	{AMD_s_add_u32, AMD_E64, FORM, 0, 0, "form"},
};

static void prepare_inst(struct amd_inst *in, enum amd_op op, enum amd_form form)
{
	if (amd_row_has(amd_row(op), form)) {
		do
			amd_random(AMD_GFX1030, amd_row(op), form, next, &seed, in);
		while (in->reg[AMD_S0] == AMD_LITERAL);
	} else {
		amd_init(in, op, AMD_PLAIN);
		in->form = (uint8_t)form;
	}
}

static bool is_rejected(uint32_t i)
{
	uint32_t words[AMD_MAX_WORDS];
	struct amd_inst in;
	const char *why = "";

	prepare_inst(&in, rejections[i].op, rejections[i].form);
	if (rejections[i].kind == REG)
		in.reg[rejections[i].index] = (uint16_t)rejections[i].value;
	else if (rejections[i].kind == FIELD)
		in.field[rejections[i].index] = rejections[i].value;
	if (!amd_encode(AMD_GFX1030, &in, words, &why) &&
	    !strncmp(why, rejections[i].reason, strlen(rejections[i].reason)))
		return true;
	diag("%s: \"%s\" instead of %s", in.row->name, why ? why : "it is encoded",
	     rejections[i].reason);
	return false;
}

static const struct {
	uint32_t words[AMD_MAX_WORDS];
	const char *text;
} known[] = {
	{{0xbf810000}, "s_endpgm"},
	{{0xbf8cc07f}, "s_waitcnt lgkmcnt(0)"},
	{{0xbf8c3f70}, "s_waitcnt vmcnt(0)"},
	{{0xbf8cd47f}, "s_waitcnt lgkmcnt(20)"},
	{{0xf4040102, 0xfa000010}, "s_load_dwordx2 s[4:5], s[4:5], 0x10"},
	{{0x0604000c}, "v_add_f32_e32 v2, s12, v0"},
	{{0xd5030002, 0x042a1106}, NULL}, /* src2 of an addition is not 0 */
	{{0xd54b0002, 0x042a1106}, "v_fma_f32 v2, v6, v8, v10"},
	{{0x060408f9, 0x06160606},
	 "v_add_f32_sdwa v2, -v6, v4 dst_sel:DWORD dst_unused:UNUSED_PAD "
	 "src0_sel:DWORD src1_sel:DWORD"},
	{{0x7e0402fa, 0xff001b06},
	 "v_mov_b32_dpp v2, v6 quad_perm:[3,2,1,0] row_mask:0xf "
	 "bank_mask:0xf"},
	{{0x7e0402e9, 0x12345606}, "v_mov_b32_dpp v2, v6 dpp8:[6,2,1,2,3,4,4,0]"},
	{{0xdc308000, 0x0c020004}, "global_load_dword v12, v4, s[2:3]"},
	{{0xdcc90000, 0x0c7d0804}, "flat_atomic_add v12, v[4:5], v8 glc"},
	{{0xd8d480e4, 0x0c000002}, "ds_swizzle_b32 v12, v2 offset:swizzle(QUAD_PERM,0,1,2,3)"},
};

static bool prints_like_llvm(uint32_t i)
{
	struct amd_inst in;
	char text[200];

	if (!amd_decode(AMD_GFX1030, known[i].words, AMD_MAX_WORDS, &in))
		return !known[i].text;
	amd_print(&in, text, sizeof(text));
	if (known[i].text && !strcmp(text, known[i].text))
		return true;
	diag("\"%s\" instead of \"%s\"", text, known[i].text ? known[i].text : "nothing");
	return false;
}

static bool uses_include_implicit(void)
{
	struct amd_use u[AMD_MAX_USES];
	struct amd_inst in;
	uint32_t n, written = 0, read = 0;

	amd_init(&in, AMD_v_add_co_ci_u32, AMD_PLAIN);
	in.reg[AMD_D] = AMD_VGPR + 1;
	in.reg[AMD_S0] = AMD_VGPR + 2;
	in.reg[AMD_S1] = AMD_VGPR + 3;
	n = amd_uses(&in, u);
	for (uint32_t i = 0; i < n; i++) {
		written += u[i].write && (u[i].reg == AMD_VGPR + 1 || u[i].reg == AMD_VCC);
		read += !u[i].write && (u[i].reg == AMD_VGPR + 2 || u[i].reg == AMD_VGPR + 3 ||
					u[i].reg == AMD_VCC || u[i].reg == AMD_EXEC);
	}
	return n == 6 && written == 2 && read == 4;
}

int main(void)
{
	uint32_t i, good, forms = 0;

	ok(rows_are_found(), "the decoder finds every AMD instruction by its opcode");
	ok(every_form_round_trips(&forms),
	   "every form of every AMD instruction survives encode, decode, encode");
	ok(forms > 1500, "the AMD instruction table has more than 1500 forms (%u)", forms);
	ok(random_words_round_trip(),
	   "random words either do not decode as AMD instructions or encode to themselves");
	for (i = good = 0; i < sizeof(rejections) / sizeof(rejections[0]); i++)
		good += is_rejected(i);
	ok(good == i, "the AMD encoder names the operand or field that does not fit (%u cases)", i);
	for (i = good = 0; i < sizeof(known) / sizeof(known[0]); i++)
		good += prints_like_llvm(i);
	ok(good == i, "the AMD disassembler prints words of llvm-mc as llvm-mc does (%u)", i);
	ok(uses_include_implicit(),
	   "register uses of an AMD instruction include implicit registers");
	return tap_done();
}
