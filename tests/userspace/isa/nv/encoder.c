// SPDX-License-Identifier: MIT
/*
 * Instructions as a compiler builds them: operands in the order of sass_ops.h, without defaults.
 * The expected texts are nvdisasm's. The encoder gives a reason for each instruction that it
 * rejects.
 */
#include "tests/tap.h"
#include "libsov/isa/nv/sass.h"

static struct sass_inst in;

static struct sass_operand r(uint8_t n)
{
	return (struct sass_operand){.kind = SASS_GPR, .reg = n};
}
static struct sass_operand ur(uint8_t n)
{
	return (struct sass_operand){.kind = SASS_UGPR, .reg = n};
}
static struct sass_operand p(uint8_t n)
{
	return (struct sass_operand){.kind = SASS_PRED, .reg = n};
}
static struct sass_operand imm(int64_t v)
{
	return (struct sass_operand){.kind = SASS_IMM, .value = v};
}
static struct sass_operand b(uint8_t n)
{
	return (struct sass_operand){.kind = SASS_BREG, .reg = n};
}
static struct sass_operand constant(uint8_t bank, int64_t offset)
{
	return (struct sass_operand){
		.kind = SASS_CONST, .reg = SASS_RZ, .aux = bank, .value = offset};
}
static struct sass_operand sr(int64_t n)
{
	return (struct sass_operand){.kind = SASS_SREG, .value = n};
}
static struct sass_operand at(uint8_t reg, int64_t offset, uint8_t ureg, uint8_t flags)
{
	return (struct sass_operand){
		.kind = SASS_ADDR, .reg = reg, .aux = ureg, .flags = flags, .value = offset};
}
static struct sass_operand to(int64_t distance)
{
	return (struct sass_operand){.kind = SASS_TARGET, .value = distance};
}
static struct sass_operand neg(struct sass_operand o)
{
	return o.flags |= SASS_NEG, o;
}
static struct sass_operand magnitude(struct sass_operand o)
{
	return o.flags |= SASS_ABS, o;
}
static const struct sass_operand none;

#define OPS(...) \
	do { \
		struct sass_operand list_[] = {__VA_ARGS__}; \
		in.nops = sizeof(list_) / sizeof(list_[0]); \
		memcpy(in.ops, list_, sizeof(list_)); \
		in.stall = 1; \
	} while (0)

static void expect_text(uint32_t sm, const char *want)
{
	struct sass_word w;
	char text[256] = "";
	const char *why = "";

	if (!sass_encode(sm, &in, &w, &why))
		diag("%s", why);
	sass_print(sm, &in, 0x100, text, sizeof(text));
	if (!ok(!strcmp(text, want), "SM%u: an instruction without default operands prints as %s",
		sm, want))
		diag("got %s", text);
}

static void expect_rejection(uint32_t sm, const char *want)
{
	struct sass_word w;
	const char *why = "it was encoded";

	sass_encode(sm, &in, &w, &why);
	if (!ok(!strcmp(why, want), "SM%u: the encoder rejects %s because %s", sm,
		sass_op_name(in.op), want))
		diag("got %s", why);
}

static void test_arithmetic(void)
{
	sass_init(&in, SASS_IMAD_WIDE);
	in.guard = 0;
	in.guard_not = true;
	OPS(r(6), none, r(2), imm(8), r(8));
	expect_text(90, "@!P0 IMAD.WIDE.U32 R6, R2, 0x8, R8");
	sass_init(&in, SASS_IMAD);
	in.mod[SASS_M_SIGNED] = 1;
	OPS(r(2), r(11), imm(1), r(2));
	expect_text(90, "IMAD.IADD R2, R11, 0x1, R2");
	sass_init(&in, SASS_IMAD);
	OPS(r(5), r(SASS_RZ), r(SASS_RZ), constant(0, 0x160));
	expect_text(80, "IMAD.MOV.U32 R5, RZ, RZ, c[0x0][0x160]");
	sass_init(&in, SASS_IADD3);
	OPS(r(6), p(0), none, r(13), r(12), r(SASS_RZ));
	expect_text(90, "IADD3 R6, P0, R13, R12, RZ");
	sass_init(&in, SASS_IADD3);
	in.mod[SASS_M_X] = 1;
	OPS(r(7), none, none, r(14), r(7), r(SASS_RZ), p(0));
	expect_text(90, "IADD3.X R7, R14, R7, RZ, P0, !PT");
	sass_init(&in, SASS_LOP3);
	OPS(p(0), r(2), r(3), imm(0x1f), r(SASS_RZ), imm(0xc0));
	expect_text(80, "LOP3.LUT P0, R2, R3, 0x1f, RZ, 0xc0, !PT");
	sass_init(&in, SASS_FADD);
	OPS(r(3), neg(r(SASS_RZ)), neg(magnitude(r(4))));
	expect_text(90, "FADD R3, -RZ, -|R4|");
	sass_init(&in, SASS_FMUL);
	OPS(r(3), r(1), imm(0x3fc00000));
	expect_text(80, "FMUL R3, R1, 1.5");
	sass_init(&in, SASS_ISETP);
	in.mod[SASS_M_CMP] = SASS_CMP_GE;
	OPS(p(0), none, r(2), ur(7));
	expect_text(90, "ISETP.GE.U32.AND P0, PT, R2, UR7, PT");
	sass_init(&in, SASS_DFMA);
	in.reuse = 1;
	OPS(r(4), r(6), r(8), neg(r(4)));
	expect_text(90, "DFMA R4, R6.reuse, R8, -R4");
	sass_init(&in, SASS_SHF);
	in.mod[SASS_M_RIGHT] = 1;
	in.mod[SASS_M_HI] = 1;
	OPS(r(3), r(SASS_RZ), imm(5), r(0));
	expect_text(90, "SHF.R.U32.HI R3, RZ, 0x5, R0");
}

static void test_memory(void)
{
	sass_init(&in, SASS_LDG);
	in.mod[SASS_M_E] = 1;
	in.mod[SASS_M_WIDTH] = SASS_WIDTH_64;
	OPS(none, r(6), at(6, 0x10, 4, SASS_A64 | SASS_DESC));
	expect_text(90, "LDG.E.64 R6, desc[UR4][R6.64+0x10]");
	expect_text(80, "LDG.E.64 R6, [R6.64+0x10]");
	in.ops[2] = at(6, -4, SASS_NO_UREG, SASS_A64);
	expect_text(90, "LDG.E.64 R6, [R6+-0x4]");
	in.ops[2] = at(6, 0, 4, SASS_DESC);
	expect_rejection(90, "the hardware does not have this combination");
	sass_init(&in, SASS_STS);
	in.mod[SASS_M_WIDTH] = SASS_WIDTH_32;
	OPS(at(SASS_RZ, 0x400, SASS_NO_UREG, 0), r(4));
	expect_text(90, "STS [0x400], R4");
	sass_init(&in, SASS_RED);
	in.mod[SASS_M_E] = 1;
	in.mod[SASS_M_ATYPE] = SASS_ATYPE_F64;
	in.mod[SASS_M_ORDER] = SASS_ORDER_STRONG_GPU;
	OPS(at(4, 0, 4, SASS_A64 | SASS_DESC), r(2));
	expect_text(90, "REDG.E.ADD.F64.RN.STRONG.GPU desc[UR4][R4.64], R2");
	expect_text(80, "RED.E.ADD.F64.RN.STRONG.GPU [R4.64], R2");
	sass_init(&in, SASS_SHFL);
	in.mod[SASS_M_SHFL] = SASS_SHFL_DOWN;
	OPS(none, r(6), r(4), imm(16), imm(31));
	expect_text(90, "SHFL.DOWN PT, R6, R4, 0x10, 0x1f");
	sass_init(&in, SASS_LDC);
	in.mod[SASS_M_WIDTH] = SASS_WIDTH_64;
	OPS(r(4), constant(0, 0x210));
	expect_text(90, "LDC.64 R4, c[0x0][0x210]");
}

static void test_control(void)
{
	sass_init(&in, SASS_BRA);
	OPS(none, to(0));
	expect_text(80, "BRA 0x110");
	OPS(none, to(-0x110));
	expect_text(90, "BRA 0x0");
	OPS(none, to(6));
	expect_rejection(90, "operand 1 does not fit its field");
	sass_init(&in, SASS_BSSY);
	OPS(b(3), to(0x40));
	expect_text(90, "BSSY B3, 0x150");
	sass_init(&in, SASS_BAR);
	in.mod[SASS_M_DEFER] = 1;
	OPS(imm(0));
	expect_text(90, "BAR.SYNC.DEFER_BLOCKING 0x0");
	sass_init(&in, SASS_S2R);
	OPS(r(3), sr(SASS_SR_TID_X));
	expect_text(90, "S2R R3, SR_TID.X");
	sass_init(&in, SASS_EXIT);
	OPS(none);
	expect_text(90, "EXIT");
	in.write_barrier = 0;
	expect_rejection(90, "this instruction cannot set such a scoreboard");
	in.write_barrier = 6;
	expect_rejection(90, "there are scoreboards 0 to 5");
}

static void test_rejections(void)
{
	sass_init(&in, SASS_VIADD);
	OPS(r(0), r(1), r(2));
	expect_rejection(80, "the table has no such instruction for this SM");
	sass_init(&in, SASS_FADD);
	OPS(r(0), imm(1), r(2));
	expect_rejection(90, "operand 1 is of a kind that no form takes here");
	sass_init(&in, SASS_SEL);
	OPS(r(0), neg(r(1)), r(2), p(0));
	expect_rejection(90,
			 "operand 1 has a sign, half or flag that this instruction cannot express");
	sass_init(&in, SASS_MOV);
	OPS(r(0), imm(1ll << 32));
	expect_rejection(90, "operand 1 does not fit its field");
	sass_init(&in, SASS_MOV);
	OPS(r(0), r(1));
	in.mod[SASS_M_FTZ] = 1;
	expect_rejection(90, "a modifier has a value that this instruction does not have");
	in.mod[SASS_M_FTZ] = 0;
	in.stall = 12;
	expect_rejection(90, "a stall of 0 or above 11 needs yield");
	in.yield = true;
	expect_text(90, "MOV R0, R1");
	in.reuse = 2;
	expect_rejection(90, "a reuse flag needs a register there, vector arithmetic and no yield");
	in.reuse = 0;
	in.guard = 9;
	expect_rejection(
		90, "guard, stall, scoreboard, wait mask or reuse flags do not fit their fields");
}

int main(void)
{
	char small[8];

	test_arithmetic();
	test_memory();
	test_control();
	test_rejections();
	sass_init(&in, SASS_NOP);
	in.stall = 1;
	ok(sass_print(90, &in, 0, small, 2) == 3 && !strcmp(small, "N"),
	   "sass_print fills a short buffer without overrunning it");
	return tap_done();
}
