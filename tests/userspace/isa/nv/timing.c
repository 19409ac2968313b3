// SPDX-License-Identifier: MIT
/*
 * Register uses, and the latencies that the scheduler and the software GPU share, of decoded words.
 * sass_latency.c names the sources of the figures.
 */
#include "tests/tap.h"
#include "libsov/isa/nv/sass.h"
#include "libsov/isa/nv/sass_row.h"

static struct sass_inst one, two;

static void decode_word(struct sass_inst *in, uint32_t sm, uint64_t hi, uint64_t lo)
{
	if (!sass_decode(sm, (struct sass_word){lo, hi}, in))
		ok(false, "the word %016llx%016llx decodes", (unsigned long long)hi,
		   (unsigned long long)lo);
}

/* The read-after-write latency of the common registers; -1: there are none. */
static int raw_latency(uint32_t sm)
{
	struct sass_reg_use a[SASS_MAX_USES], b[SASS_MAX_USES];
	uint32_t n = sass_uses(&one, a), m = sass_uses(&two, b), i, j;
	int max = -1;

	for (i = 0; i < n; i++)
		for (j = 0; j < m; j++)
			if (a[i].write && !b[j].write && a[i].kind == b[j].kind &&
			    a[i].reg < b[j].reg + b[j].count && b[j].reg < a[i].reg + a[i].count) {
				int d = (int)sass_raw_latency(sm, &one, &a[i], &two, &b[j]);

				max = d > max ? d : max;
			}
	return max;
}

static void expect_uses(const char *want)
{
	struct sass_reg_use u[SASS_MAX_USES];
	uint32_t n = sass_uses(&one, u), i;
	char text[256] = "";

	for (i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%c%u/%u%s",
			 i ? " " : "", "?RUPQB"[u[i].kind], u[i].reg, u[i].count,
			 u[i].write ? "!" : "");
	if (!ok(!strcmp(text, want), "%s has the register uses %s", sass_op_name(one.op), want))
		diag("got %s", text);
}

#define DADD_R4_R6_R4   0x004fd80000000004, 0x0000000006047229
#define LDG64_R6_UR4_R6 0x000ea2000c1e1b00, 0x0000000406067981
#define ISETP_P0_R2_R3  0x000fda0003f06070, 0x000000030200720c
#define P0_BRA          0x000fea0003800000, 0x0000000000280947
#define VOTE_ALL_P2_P0  0x000fe20000040000, 0x0000000000ff7806
#define STG64_UR4_R2_R6 0x000fe2000c101b04, 0x0000000602007986
#define IMAD_WIDE_R6    0x002fcc00078e0008, 0x0000000802067825 /* R6, R2, 0x8, R8 */
#define IADD3_R0_R6     0x000fe20007ffe0ff, 0x0000000306007210 /* IADD3 R0, R6, R3, RZ */
#define IADD3_R0_R7     0x000fe20007ffe0ff, 0x0000000307007210
#define SHFL_R6_R4      0x000fe200000e0000, 0x0a001f0004067f89
#define LDS64_R4        0x000e620000000a00, 0x0000000000048984
#define FADD_R4_R6_R7   0x000fe20000000000, 0x0000000706047221
#define STS64_R7_R4     0x0003e20000000a00, 0x0000000407007388
#define HMUL2_R3        0x004fca0000002800, 0x2000000500037232 /* .SAT R3, R0.H0_H0, R5.H0_H0 */
#define HADD2_F32_R6_R3 0x000fe40000004100, 0x20000003ff067230 /* HADD2.F32 R6, -RZ, R3.H0_H0 */
#define HADD2_R3_R6_R4  0x000fe40000010800, 0x2000000406037230 /* .FTZ R3, R6.H0_H0, R4.H0_H0 */
#define ULOP3_UR62_UR61 \
	0x000fe2000f8e803d, 0x0000001f3e3e7892 /* ULOP3.LUT UR62, UR62, 0x1f, UR61, 0x80, !UPT */
#define UMOV_UR61 0x000fe20000000000, 0x00000001003d7882 /* UMOV UR61, 0x1 */
#define SEL_R111  0x000fe20005000000, 0x7fffe0000b6f7807 /* SEL R111, R11, 0x7fffe000, !P2 */
#define HMMA_R60_R108 \
	0x000fe2000008103c, 0x000000146c3c723c /* HMMA.1688.F32.TF32 R60, R108, R20, R60 */
#define MUFU_R11_R60  0x000fe20000000c00, 0x0000003c000b7308 /* MUFU.LG2 R11, R60 */
#define BAR_SYNC      0x000fec0000010000, 0x0000000000007b1d
#define R2UR_UR4_R6   0x003fde00000e0000, 0x00000000060472ca
#define CS2R_R2       0x000fce0000015000, 0x0000000000027805 /* CS2R R2, SR_CLOCKLO */
#define IADD3_R0_R2   0x000fe20007ffe0ff, 0x0000000302007210
#define IMAD_R3_R2    0x000fca00078e0a04, 0x0000000102037824 /* IMAD.IADD R3, R2, 0x1, -R4 */
#define SHF_R12       0x000fc8000000120d, 0x000000020c0c7819 /* SHF.R.U64 R12, R12, 0x2, R13 */
#define NANOSLEEP_R12 0x000fea0003800000, 0x0000000c0000735d
#define UIMAD_UR5     0x000fe2000f8e023f, 0x00000006050572a4 /* UIMAD UR5, UR5, UR6, URZ */
#define IMAD_WIDE_UR5 0x000fe4000f8e00ff, 0x000000050e0c7c25 /* .U32 R12, R14, UR5, RZ */

/* Stall counts are computed from the instructions that issued this many cycles before. */
static bool latencies_are_limited(void)
{
	static const uint32_t chips[] = {80, 86, 90};

	for (uint32_t i = 0; i < sass_form_count(); i++) {
		struct sass_inst in = {.op = sass_form_at(i)->op};

		for (uint32_t k = 0; k < sizeof(chips) / sizeof(chips[0]); k++)
			if (sass_max_latency(chips[k], &in) > SASS_MAX_LATENCY) {
				diag("SM%u: %s has a latency of %u", chips[k],
				     sass_form_at(i)->name, sass_max_latency(chips[k], &in));
				return false;
			}
	}
	return true;
}

int main(void)
{
	ok(latencies_are_limited(), "no latency is longer than SASS_MAX_LATENCY");
	decode_word(&one, 90, DADD_R4_R6_R4);
	expect_uses("R4/2! R6/2 R4/2");
	decode_word(&two, 90, DADD_R4_R6_R4);
	ok(raw_latency(90) == 8 && !sass_has_variable_latency(90, &one),
	   "SM90: DADD to DADD takes 8 cycles and no scoreboard");
	ok(raw_latency(80) == 6 && sass_has_variable_latency(80, &one),
	   "SM80: DADD to DADD takes 6 cycles and a scoreboard");
	ok(sass_reads_late(80, &one) && !sass_reads_late(90, &one),
	   "SM80's FP64 reads its sources late");
	decode_word(&one, 90, LDG64_R6_UR4_R6);
	expect_uses("R6/2! R6/2 U4/2");
	ok(sass_has_variable_latency(90, &one) && !sass_completes_in_order(90, &one),
	   "every load needs its own scoreboard");
	decode_word(&one, 90, ISETP_P0_R2_R3);
	expect_uses("P0/1! R2/1 R3/1");
	decode_word(&two, 90, P0_BRA);
	ok(raw_latency(90) == 13, "a predicate can guard an instruction 13 cycles after ISETP");
	decode_word(&two, 90, VOTE_ALL_P2_P0);
	ok(raw_latency(90) == 13 && raw_latency(80) == 13,
	   "a predicate can be the source of VOTE 13 cycles after ISETP");
	decode_word(&two, 90, P0_BRA);
	ok(sass_min_stall(90, &two) == 5, "a branch stalls at least 5 cycles");
	decode_word(&one, 90, IMAD_WIDE_R6);
	decode_word(&two, 90, IADD3_R0_R6);
	ok(raw_latency(90) == 3 && raw_latency(80) == 5,
	   "SM90: the low half of IMAD.WIDE is ready after 3 cycles, SM80: after 5");
	decode_word(&two, 90, IADD3_R0_R7);
	ok(raw_latency(90) == 5 && raw_latency(80) == 5,
	   "the high half of IMAD.WIDE is ready after 5 cycles");
	ok(sass_max_latency(90, &one) == 7 && sass_max_latency(80, &one) == 7,
	   "every instruction can read the halves of IMAD.WIDE after 7 cycles");
	ok(sass_issue_cycles(90, &one) == 4 && sass_issue_cycles(90, &two) == 2,
	   "IMAD.WIDE occupies the FMA pipe for 4 cycles, IADD3 the ALU for 2");
	decode_word(&one, 90, SEL_R111);
	decode_word(&two, 90, HMMA_R60_R108);
	ok(raw_latency(90) == 7 && raw_latency(80) == 7,
	   "a product of matrices can read a factor 7 cycles after arithmetic");
	ok(sass_issue_cycles(90, &two) == 6 && sass_issue_cycles(80, &two) == 8,
	   "a product of matrices occupies its pipe for 6 cycles, on SM80 for 8");
	one = two;
	decode_word(&two, 90, MUFU_R11_R60);
	ok(raw_latency(90) == 22 && raw_latency(80) == 22,
	   "MUFU can read a product of matrices after 22 cycles");
	decode_word(&one, 90, IMAD_WIDE_R6);
	decode_word(&two, 90, STG64_UR4_R2_R6);
	ok(raw_latency(90) == 5, "a global store can read its data 5 cycles after arithmetic");
	decode_word(&one, 90, FADD_R4_R6_R7);
	ok(sass_issue_cycles(90, &one) == 1 && sass_issue_cycles(80, &one) == 2,
	   "FADD occupies the FMA pipe for one cycle, on SM80 for 2");
	decode_word(&two, 90, STS64_R7_R4);
	ok(sass_issue_cycles(90, &two) == 4,
	   "a shared memory store occupies its pipe for 4 cycles");
	ok(raw_latency(90) == 5,
	   "a shared memory store can read its data 5 cycles after arithmetic");
	decode_word(&one, 90, SHFL_R6_R4);
	decode_word(&two, 90, LDS64_R4);
	ok(sass_pipe(90, &one) == sass_pipe(90, &two) && sass_completes_in_order(90, &one),
	   "SHFL and LDS complete in issue order");
	ok(sass_same_queue(90, &one, &two), "SHFL and LDS read their registers in issue order");
	decode_word(&one, 90, BAR_SYNC);
	ok(sass_min_stall(90, &one) == 1 && sass_min_distance(90, &one, &two) == 6 &&
		   sass_drains_queues(90, &one),
	   "a shared memory access follows a block barrier by at least 6 cycles");
	ok(sass_min_distance(90, &one, &one) == 8 && sass_min_distance(80, &one, &one) == 6,
	   "a block barrier follows another by at least 8 cycles, 6 before Hopper");
	decode_word(&one, 90, R2UR_UR4_R6);
	decode_word(&two, 90, LDG64_R6_UR4_R6);
	ok(raw_latency(90) == 13, "a load can read the result of R2UR after 13 cycles");
	decode_word(&one, 90, HMUL2_R3);
	decode_word(&two, 90, HADD2_F32_R6_R3);
	ok(raw_latency(90) == 5 && raw_latency(80) == 5,
	   "HADD2.F32 can read a half 5 cycles after HMUL2");
	decode_word(&one, 90, HADD2_F32_R6_R3);
	decode_word(&two, 90, HADD2_R3_R6_R4);
	ok(raw_latency(90) == 5 && raw_latency(80) == 5,
	   "HADD2 can read the result of HADD2.F32 after 5 cycles");
	decode_word(&one, 90, ULOP3_UR62_UR61);
	decode_word(&two, 90, UMOV_UR61);
	ok(sass_war_latency(&one, &two, SASS_UGPR) == 3,
	   "UMOV may overwrite a source of ULOP3 3 cycles later");
	ok(sass_war_latency(&one, &one, SASS_UGPR) == 2 &&
		   sass_war_latency(&two, &two, SASS_UGPR) == 1,
	   "uniform arithmetic may overwrite a source of ULOP3 2 cycles later, of UMOV 1 cycle "
	   "later");
	decode_word(&one, 90, LDG64_R6_UR4_R6);
	decode_word(&two, 90, FADD_R4_R6_R7);
	ok(raw_latency(90) == 2 && raw_latency(80) == 2,
	   "a scoreboard can be waited for 2 cycles after the load that sets it");
	ok(sass_waw_latency(90, &one, &two) == 2,
	   "the result of a load may be overwritten 2 cycles later at the earliest");
	decode_word(&one, 90, DADD_R4_R6_R4);
	ok(!sass_reuse_hits(90, &one, &two) && !sass_reuse_hits(90, &two, &one),
	   "operands of DADD and FADD never share the reuse cache");
	decode_word(&one, 90, IADD3_R0_R6);
	ok(sass_reuse_hits(90, &one, &two) && sass_reuse_hits(90, &two, &two),
	   "FADD can read an operand of IADD3 or FADD from the reuse cache");
	decode_word(&one, 90, DADD_R4_R6_R4);
	decode_word(&two, 90, FADD_R4_R6_R7);
	ok(sass_war_latency(&two, &one, SASS_GPR) == 1,
	   "a vector register may be overwritten in the cycle after its read");
	ok(sass_waw_latency(90, &one, &two) == 6 && sass_waw_latency(90, &two, &one) == 1,
	   "FADD may overwrite the result of DADD 6 cycles later, DADD that of FADD 1 cycle later");
	decode_word(&one, 90, CS2R_R2);
	decode_word(&two, 90, IADD3_R0_R2);
	ok(raw_latency(90) == 6 && raw_latency(80) == 6, "IADD3 can read a clock after 6 cycles");
	decode_word(&two, 90, IMAD_R3_R2);
	ok(raw_latency(90) == 7 && raw_latency(80) == 6,
	   "IMAD can read a clock after 7 cycles, before Hopper after 6");
	decode_word(&one, 90, SHF_R12);
	decode_word(&two, 90, NANOSLEEP_R12);
	ok(raw_latency(90) == 4, "NANOSLEEP can read the result of SHF after 4 cycles");
	decode_word(&one, 90, UIMAD_UR5);
	decode_word(&two, 90, IMAD_WIDE_UR5);
	ok(raw_latency(90) == 6 && raw_latency(80) == 6,
	   "IMAD.WIDE can read the result of UIMAD after 6 cycles");
	return tap_done();
}
