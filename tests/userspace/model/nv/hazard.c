// SPDX-License-Identifier: MIT
/* Hazard mode, rule by rule: the same few instructions once with the required stall count or wait
 * and once with one cycle or one wait less. The first runs, the second fails with the message. */
#include "tests/userspace/model/nv/_rig.h"

static struct rig r;

/* Control fields of the current instruction. */
#define STALL(n) in.stall = (n), in.yield = (n) > 11
#define WRITE(s) in.write_barrier = (s)
#define READ(s)  in.read_barrier = (s)
#define WAIT(m)  in.wait = (m)
#define NOTHING  (op_reg(SASS_NONE, 0))

static void nop(uint8_t stall)
{
	INS(&r, SASS_NOP, NOTHING, in.nops = 0, STALL(stall));
}

/* R0 = thread, R2:R3 = the thread's own address, no result pending. */
static void begin(void)
{
	rig_code(&r);
	INS(&r, SASS_S2R, (R(0), SR(SASS_SR_TID_X)), WRITE(0));
	INS(&r, SASS_MOV, (R(2), C0(r.params)));
	INS(&r, SASS_MOV, (R(3), C0(r.params + 4)), WAIT(1));
	INS(&r, SASS_IMAD_WIDE, (R(2), PT, R(0), IMM(16), R(2)));
	for (uint32_t i = 4; i < 16; i++)
		INS(&r, SASS_MOV, (R(i), IMM(i)));
	INS(&r, SASS_ISETP, (P(0), PT, R(0), IMM(7), PT), in.mod[SASS_M_CMP] = SASS_CMP_LT);
	INS(&r, SASS_NOP, NOTHING, in.nops = 0);
}

static void alu_to_alu(bool bad)
{
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(5), R(6), RZ), STALL(bad ? 3 : 4));
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(4), R(6), RZ));
}

static void alu_to_fma(bool bad)
{
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(5), R(6), RZ), STALL(bad ? 4 : 5));
	INS(&r, SASS_FFMA, (R(7), R(4), R(5), R(6)));
}

static void stalls_add_up(bool bad)
{
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(5), R(6), RZ), STALL(1));
	nop(1);
	nop(bad ? 1 : 2);
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(4), R(6), RZ));
}

static void pair_high(bool bad)
{
	INS(&r, SASS_IMAD_WIDE, (R(4), PT, R(6), R(7), R(8)), STALL(bad ? 4 : 5));
	INS(&r, SASS_IADD3, (R(9), PT, PT, R(5), R(6), RZ));
}

static void predicate_as_data(bool bad)
{
	INS(&r, SASS_ISETP, (P(1), PT, R(4), R(5), PT), in.mod[SASS_M_CMP] = SASS_CMP_LT,
	    STALL(bad ? 3 : 4));
	INS(&r, SASS_SEL, (R(7), R(4), R(5), P(1)));
}

static void predicate_as_guard(bool bad)
{
	INS(&r, SASS_ISETP, (P(1), PT, R(4), R(5), PT), in.mod[SASS_M_CMP] = SASS_CMP_LT,
	    STALL(bad ? 12 : 13));
	INS(&r, SASS_MOV, (R(7), IMM(1)), in.guard = 1);
}

static void load_waited(bool bad)
{
	INS(&r, SASS_LDG, (PT, R(8), AT(2, 0)), WRITE(2));
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(8), R(6), RZ), WAIT(bad ? 0 : 4));
}

static void wrong_scoreboard(bool bad)
{
	INS(&r, SASS_LDG, (PT, R(8), AT(2, 0)), WRITE(2));
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(8), R(6), RZ), WAIT(bad ? 0x3b : 4));
}

static void wait_too_soon(bool bad)
{
	INS(&r, SASS_LDG, (PT, R(8), AT(2, 0)), WRITE(2), STALL(bad ? 1 : 2));
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(8), R(6), RZ), WAIT(4));
}

static void no_scoreboard(bool bad)
{
	INS(&r, SASS_LDG, (PT, R(8), AT(2, 0)), in.write_barrier = bad ? SASS_NO_SB : 1);
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(8), R(6), RZ), WAIT(0x3f));
}

static void load_overwritten(bool bad)
{
	INS(&r, SASS_LDG, (PT, R(8), AT(2, 0)), WRITE(2));
	INS(&r, SASS_MOV, (R(8), IMM(1)), WAIT(bad ? 0 : 4));
}

static void source_overwritten(bool bad)
{
	INS(&r, SASS_STG, (AT(2, 0), R(8)), READ(3));
	INS(&r, SASS_MOV, (R(8), IMM(1)), WAIT(bad ? 0 : 8));
}

static void address_overwritten(bool bad)
{
	INS(&r, SASS_LDG, (PT, R(8), AT(2, 0)), WRITE(1), READ(3));
	INS(&r, SASS_MOV, (R(3), IMM(1)), WAIT(bad ? 0 : 8));
	INS(&r, SASS_NOP, NOTHING, in.nops = 0, WAIT(2));
}

static void result_covers_sources(bool bad)
{
	INS(&r, SASS_LDG, (PT, R(8), AT(2, 0)), WRITE(1));
	INS(&r, SASS_MOV, (R(3), IMM(1)), WAIT(bad ? 0 : 2));
}

static void in_order(bool bad)
{
	INS(&r, SASS_SHFL, (PT, R(8), R(4), IMM(1), IMM(31)));
	INS(&r, SASS_SHFL, (PT, R(9), R(5), IMM(1), IMM(31)), WRITE(0));
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(8), R(6), RZ), WAIT(bad ? 0 : 1));
}

static void depbar(bool bad)
{
	INS(&r, SASS_LDS, (R(8), AT32(SASS_RZ, 0)), WRITE(0));
	INS(&r, SASS_LDS, (R(9), AT32(SASS_RZ, 4)), WRITE(0));
	INS(&r, SASS_DEPBAR, (IMM(0), IMM(1)));
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(bad ? 9 : 8), R(6), RZ));
	INS(&r, SASS_NOP, NOTHING, in.nops = 0, WAIT(1));
}

/* Two copies of 16 bytes, each a group. */
static void copy_to_shared(uint32_t groups, uint32_t read)
{
	for (uint32_t k = 0; k < 2; k++) {
		INS(&r, SASS_LDGSTS, (AT32(SASS_RZ, 16 * k), AT(2, 0), PT), READ(5),
		    in.mod[SASS_M_WIDTH] = SASS_WIDTH_128);
		INS(&r, SASS_LDGDEPBAR, NOTHING, in.nops = 0, WRITE(0), STALL(4));
	}
	INS(&r, SASS_DEPBAR, (IMM(0), IMM(groups)));
	INS(&r, SASS_LDS, (R(8), AT32(SASS_RZ, read)), WRITE(1));
	INS(&r, SASS_NOP, NOTHING, in.nops = 0, WAIT(2));
}

static void copy_unwaited(bool bad)
{
	copy_to_shared(1, bad ? 20 : 4);
}

static void copy_overwritten(bool bad)
{
	INS(&r, SASS_LDGSTS, (AT32(SASS_RZ, 0), AT(2, 0), PT), READ(5),
	    in.mod[SASS_M_WIDTH] = SASS_WIDTH_128);
	INS(&r, SASS_STS, (AT32(SASS_RZ, bad ? 12 : 16), R(4)));
	INS(&r, SASS_LDGDEPBAR, NOTHING, in.nops = 0, WRITE(0), STALL(4));
	INS(&r, SASS_DEPBAR, (IMM(0), IMM(0)));
}

/* The scoreboard of BMOV.CLEAR is for the register: the barrier may be written again at once. */
static void barrier_saved(bool bad)
{
	INS(&r, SASS_BMOV_READ, (R(8), op_reg(SASS_BREG, 0)), WRITE(0), STALL(5),
	    in.mod[SASS_M_CLEAR] = 1);
	INS(&r, SASS_BMOV_WRITE, (op_reg(SASS_BREG, 0), R(6)), READ(1), STALL(5));
	INS(&r, SASS_IADD3, (R(9), PT, PT, R(8), R(5), RZ), WAIT(bad ? 2 : 3), STALL(5));
	INS(&r, SASS_BMOV_READ, (op_reg(SASS_GPR, SASS_RZ), op_reg(SASS_BREG, 0)), STALL(5),
	    in.mod[SASS_M_CLEAR] = 1);
}

/* From global memory to 0 in shared memory, with the barrier at 64. */
static void bulk_copy_untested(bool bad)
{
	struct sass_operand barrier = AT32(SASS_RZ, 64);

	barrier.aux = SASS_URZ;
	INS(&r, SASS_UMOV, (UR(4), IMM(0)), STALL(2));
	INS(&r, SASS_UMOV, (UR(5), IMM(64)), STALL(2));
	INS(&r, SASS_UMOV, (UR(6), IMM((uint32_t)RIG_DATA)), STALL(2));
	INS(&r, SASS_UMOV, (UR(7), IMM(RIG_DATA >> 32)), STALL(2));
	INS(&r, SASS_UMOV, (UR(8), IMM(1)), STALL(9));
	INS(&r, SASS_UBLKCP_SG, (UR(4), UR(6), UR(8)), READ(1), STALL(2));
	if (!bad)
		INS(&r, SASS_SYNCS_PHASECHK, (op_reg(SASS_PRED, 0), barrier, RZ), WRITE(2),
		    STALL(2));
	INS(&r, SASS_LDS, (R(8), AT32(SASS_RZ, 12)), WRITE(0), WAIT(4), STALL(2));
	INS(&r, SASS_NOP, NOTHING, in.nops = 0, WAIT(7));
}

static void uniform_register(bool bad)
{
	INS(&r, SASS_UIADD3, (UR(4), UP(7), UP(7), UR(5), IMM(3), op_reg(SASS_UGPR, SASS_URZ)),
	    STALL(bad ? 5 : 6));
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(6), UR(4), RZ));
}

/* A uniform address is read at issue: the next cycle may overwrite it. */
static void uniform_address(bool bad)
{
	struct sass_operand at = AT32(SASS_RZ, 0);

	at.aux = 4;
	INS(&r, SASS_UIADD3, (UR(4), UP(7), UP(7), UR(5), IMM(4), op_reg(SASS_UGPR, SASS_URZ)),
	    STALL(bad ? 8 : 9));
	INS(&r, SASS_LDS, (R(8), at), WRITE(0), STALL(1));
	INS(&r, SASS_UMOV, (UR(4), IMM(1)));
	INS(&r, SASS_NOP, NOTHING, in.nops = 0, WAIT(1));
}

static void uniform_sum_then_move(bool bad)
{
	INS(&r, SASS_UIADD3, (UR(4), UP(7), UP(7), UR(5), IMM(4), op_reg(SASS_UGPR, SASS_URZ)),
	    STALL(bad ? 6 : 7));
	INS(&r, SASS_UMOV, (UR(4), IMM(1)));
}

static void barrier_divergent(bool bad)
{
	INS(&r, SASS_BAR, (IMM(0), IMM(0), PT), in.guard = bad ? 0 : SASS_PT);
}

static void barrier_before_exit(bool bad)
{
	INS(&r, SASS_BAR, (IMM(0), IMM(0), PT), STALL(bad ? 5 : 6));
}

/* Uniform arithmetic needs no distance from a block barrier, uniform moves do. */
static void barrier_before_uniform(bool bad)
{
	INS(&r, SASS_BAR, (IMM(0), IMM(0), PT), STALL(1));
	if (bad)
		INS(&r, SASS_UMOV, (UR(4), IMM(7)));
	else
		INS(&r, SASS_UIADD3,
		    (UR(4), UP(7), UP(7), UR(5), IMM(3), op_reg(SASS_UGPR, SASS_URZ)));
}

static void barrier_drains(bool bad)
{
	INS(&r, SASS_STG, (AT(2, 0), R(8)));
	if (bad)
		nop(6);
	else
		INS(&r, SASS_BAR, (IMM(0), IMM(0), PT), STALL(6));
	INS(&r, SASS_MOV, (R(8), IMM(1)));
}

/* Global and shared memory share a queue, the special function unit has another. */
static void later_in_the_queue(bool bad)
{
	INS(&r, SASS_STG, (AT(2, 0), R(8)));
	if (bad)
		INS(&r, SASS_MUFU, (R(9), R(4)), WRITE(0));
	else
		INS(&r, SASS_SHFL, (PT, R(9), R(4), IMM(1), IMM(31)), WRITE(0));
	INS(&r, SASS_MOV, (R(8), IMM(1)), WAIT(1));
}

static void branch_stall(bool bad)
{
	INS(&r, SASS_BRA, (PT, TO(r.code + 1)), STALL(bad ? 4 : 5));
}

/* Writes under opposite guards do not interfere. */
static void other_lanes(bool bad)
{
	INS(&r, SASS_LDG, (PT, R(8), AT(2, 0)), WRITE(2), in.guard = 0);
	INS(&r, SASS_MOV, (R(8), IMM(1)), in.guard = 0, in.guard_not = !bad);
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(8), R(6), RZ), WAIT(4));
}

/* A load in flight at the end of an iteration is still in flight in the next. */
static void around_the_loop(bool bad)
{
	uint32_t top = r.code;

	INS(&r, SASS_IADD3, (R(4), PT, PT, R(4), IMM(-1), RZ), WAIT(bad ? 0 : 4));
	INS(&r, SASS_ISETP, (P(1), PT, R(4), RZ, PT), in.mod[SASS_M_CMP] = SASS_CMP_GT);
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(8), R(6), RZ));
	INS(&r, SASS_LDG, (PT, R(8), AT(2, 0)), WRITE(2));
	INS(&r, SASS_BRA, (PT, TO(top)), in.guard = 1);
	INS(&r, SASS_NOP, NOTHING, in.nops = 0, WAIT(4));
}

static void double_to_double(bool bad)
{
	bool hopper = rig_sm(&r) >= 90;

	INS(&r, SASS_DADD, (R(4), R(6), R(8)), STALL(hopper ? (bad ? 7 : 8) : (bad ? 5 : 6)),
	    in.write_barrier = hopper ? SASS_NO_SB : 0);
	INS(&r, SASS_DADD, (R(10), R(4), R(8)), WAIT(hopper ? 0 : 1),
	    in.write_barrier = hopper ? SASS_NO_SB : 1);
	INS(&r, SASS_NOP, NOTHING, in.nops = 0, WAIT(3));
}

static void product_to_product(bool bad)
{
	INS(&r, SASS_HMMA_SHORT, (R(8), R(4), R(6), R(8)), in.mod[SASS_M_SUMS] = SASS_SUMS_F32,
	    STALL(bad ? 14 : 15));
	nop(1);
	INS(&r, SASS_HMMA_SHORT, (R(8), R(4), R(6), R(8)), in.mod[SASS_M_SUMS] = SASS_SUMS_F32,
	    STALL(15));
	nop(12);
}

static void product_of_doubles(bool bad)
{
	INS(&r, SASS_DMMA_884, (R(8), R(4), R(6), R(8)), WRITE(1));
	nop(11); /* Ampere needs the distance in addition */
	INS(&r, SASS_IADD3, (R(12), PT, PT, R(9), R(6), RZ), WAIT(bad ? 0 : 2));
}

static void product_of_doubles_reads_late(bool bad)
{
	INS(&r, SASS_DMMA_884, (R(8), R(4), R(6), R(8)), WRITE(1), READ(2));
	nop(11);
	INS(&r, SASS_MOV, (R(7), IMM(1)), WAIT(bad ? 0 : 4));
}

static void later_load_of_the_unit(bool bad)
{
	INS(&r, SASS_LDS, (R(8), AT32(SASS_RZ, 0)), in.mod[SASS_M_WIDTH] = SASS_WIDTH_64, WRITE(2));
	if (bad)
		INS(&r, SASS_MOV, (R(9), IMM(1)));
	else
		INS(&r, SASS_LDS, (R(9), AT32(SASS_RZ, 8)), in.mod[SASS_M_WIDTH] = SASS_WIDTH_32,
		    WRITE(3));
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(9), R(6), RZ), WAIT(12));
}

static void uniform_source_overwritten(bool bad)
{
	nop(12);
	INS(&r, SASS_UIADD3, (UR(4), UP(7), UP(7), UR(6), IMM(3), op_reg(SASS_UGPR, SASS_URZ)),
	    STALL(1));
	if (bad)
		INS(&r, SASS_UMOV, (UR(6), IMM(1)));
	else
		INS(&r, SASS_S2UR, (UR(6), SR(SASS_SR_CTAID_X)), WRITE(0));
	INS(&r, SASS_NOP, NOTHING, in.nops = 0, WAIT(1), STALL(12));
}

static void slow_then_quick(bool bad)
{
	bool hopper = rig_sm(&r) >= 90;

	INS(&r, SASS_DADD, (R(4), R(6), R(8)), in.write_barrier = hopper ? SASS_NO_SB : 0,
	    STALL(hopper ? (bad ? 5 : 6) : 11));
	INS(&r, SASS_MOV, (R(4), IMM(1)), WAIT(!hopper && bad ? 0 : 1));
}

/* Operand reuse cache; 64-bit floats have another unit. */
static void reuse_in_another_unit(bool bad)
{
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(4), R(5), RZ), STALL(5), in.reuse = 1);
	if (bad)
		INS(&r, SASS_DADD, (R(10), R(4), R(8)), WRITE(0), STALL(8));
	else
		INS(&r, SASS_FADD, (R(10), R(4), R(8)), STALL(8));
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(6), R(5), RZ), STALL(5), WAIT(1));
}

static void reuse_overwritten(bool bad)
{
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(4), R(5), RZ), STALL(5), in.reuse = 1);
	INS(&r, SASS_IADD3, (R(bad ? 4 : 10), PT, PT, R(6), R(5), RZ), STALL(5));
	INS(&r, SASS_IADD3, (R(8), PT, PT, R(4), R(5), RZ));
}

static void reuse_in_a_pair(bool bad)
{
	INS(&r, SASS_IADD3, (R(7), PT, PT, R(6), R(4), R(11)), STALL(5), in.reuse = 4);
	INS(&r, SASS_IMAD_WIDE, (R(10), PT, R(6), IMM(4), R(bad ? 8 : 10)), STALL(5));
}

static const struct {
	void (*write)(bool bad);
	const char *rule, *text; /* in the error message */
} rules[] = {
	{alu_to_alu, "ALU to ALU takes 4 cycles", "reads R4"},
	{alu_to_fma, "ALU to FMA takes 5 cycles", "issued 4 cycles earlier and needs 5"},
	{stalls_add_up, "stall counts of several instructions add up",
	 "issued 3 cycles earlier and needs 4"},
	{pair_high, "the high half of a product is pending, too", "reads R5"},
	{predicate_as_data, "a predicate as data takes 4 cycles", "reads P1"},
	{predicate_as_guard, "a predicate as guard takes 13 cycles",
	 "issued 12 cycles earlier and needs 13"},
	{load_waited, "a load needs a scoreboard wait", "was not waited for (SB2)"},
	{wrong_scoreboard, "a load needs a wait for its own scoreboard",
	 "was not waited for (SB2)"},
	{wait_too_soon, "a scoreboard is visible after two cycles", "was not waited for (SB2)"},
	{no_scoreboard, "a load needs a scoreboard", "has no scoreboard to wait for"},
	{load_overwritten, "a load's register may not be overwritten while the load is pending",
	 "overwrites R8"},
	{source_overwritten, "a store's data may not be overwritten before the store reads it",
	 "overwrites the pending source R8"},
	{address_overwritten, "a store's address may not be overwritten before the store reads it",
	 "overwrites the pending source R3"},
	{result_covers_sources, "an instruction whose result has arrived has read its sources",
	 "overwrites the pending source R3"},
	{in_order, "a later result of an in-order unit covers an earlier one",
	 "has no scoreboard to wait for"},
	{copy_unwaited, "a copy has arrived once it was waited for", "was not waited for"},
	{copy_overwritten, "bytes that a copy writes are not stored to", "was not waited for"},
	{barrier_saved, "a convergence barrier is saved and written again at once",
	 "was not waited for (SB0)"},
	{bulk_copy_untested, "a bulk copy has arrived once its barrier was tested",
	 "was not waited for"},
	{depbar, "DEPBAR.LE leaves the last ones in flight", "reads R9"},
	{uniform_register, "uniform arithmetic to vector takes 6 cycles", "reads UR4"},
	{uniform_address, "uniform arithmetic to a shared address takes 9 cycles", "reads UR4"},
	{uniform_sum_then_move, "a uniform move does not overtake a sum", "overwrites UR4"},
	{barrier_divergent, "all lanes of a warp must reach a block barrier together",
	 "is reached by lanes 0x7f of a warp but not by 0xffffff80"},
	{barrier_before_exit, "a block barrier needs 6 cycles before control flow",
	 "which needs 6"},
	{barrier_before_uniform, "a block barrier needs 6 cycles before uniform moves",
	 "which needs 6"},
	{barrier_drains, "a block barrier waits until sources are read",
	 "overwrites the pending source R8"},
	{later_in_the_queue, "a later instruction of the queue covers a store's sources",
	 "overwrites the pending source R8"},
	{branch_stall, "a branch stalls 5 cycles", "which needs 5"},
	{other_lanes, "writes of lanes under opposite guards do not conflict", "overwrites R8"},
	{around_the_loop, "a load stays in flight around a loop", "reads R8"},
	{double_to_double, "double to double arithmetic has its latency", "reads R4"},
	{slow_then_quick, "a short-latency write may not pass a long-latency one", "overwrites R4"},
	{product_to_product, "a product of matrices takes 16 cycles to the next", "needs 16"},
	{product_of_doubles, "a product of doubles needs a scoreboard", "was not waited for (SB1)"},
	{product_of_doubles_reads_late, "a product of doubles reads its factors late",
	 "overwrites the pending source R7"},
	{later_load_of_the_unit, "loads of an in-order unit write in order", "overwrites R9"},
	{uniform_source_overwritten, "a special register's value arrives late",
	 "overwrites the pending source UR6"},
	{reuse_in_another_unit, "the reuse cache holds an operand for the same unit only",
	 "overwrites R4, which"},
	{reuse_in_a_pair, "an instruction that reads a pair takes one of its halves from the cache",
	 "overwrites R11, which"},
	{reuse_overwritten, "a register in the reuse cache may not be overwritten",
	 "overwrites R4, which"},
};

static bool run(uint32_t i, bool bad)
{
	uint64_t out = RIG_DATA;

	begin();
	rules[i].write(bad);
	INS(&r, SASS_EXIT, (PT));
	return rig_run(&r, 1, 64, &out, 1);
}

int main(void)
{
	static const char *const chips[] = {"gh100", "ga100"};
	struct model_error e;

	for (uint32_t c = 0; c < 2; c++) {
		rig_open(&r, chips[c], true, 1);
		diag("%s", chips[c]);
		for (uint32_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
			if (rules[i].write == bulk_copy_untested && c)
				continue; /* only Hopper has bulk copies */
			if (!ok(run(i, false), "%s: correct code runs", rules[i].rule)) {
				diag("%s", rig_error(&r, &e));
				rig_renew(&r);
			}
			if (!ok(!run(i, true) && strstr(rig_error(&r, &e), rules[i].text) &&
					e.fault == MODEL_FAULT_HAZARD,
				"%s: a violation is reported with \"%s\"", rules[i].rule,
				rules[i].text))
				diag("%s", e.text);
			rig_renew(&r);
		}
		rig_close(&r);
	}
	return tap_done();
}
