// SPDX-License-Identifier: MIT
/* Control flow of warps and blocks: lanes diverge and reconverge, threads synchronise, and
 * deadlocks are reported or can be stopped. */
#include "tests/userspace/model/nv/_rig.h"

static struct rig r;
static struct model_error e;

#define GUARD(n)     in.guard = (n)
#define GUARD_NOT(n) in.guard = (n), in.guard_not = true
#define CMP(c)       in.mod[SASS_M_CMP] = SASS_CMP_##c
#define BALLOT       in.mod[SASS_M_VOTE] = SASS_VOTE_ANY

/* R0 = thread, R2:R3 = address of its word in out, R10 = thread % 32. */
static void begin(void)
{
	rig_code(&r);
	INS(&r, SASS_S2R, (R(0), SR(SASS_SR_TID_X)));
	INS(&r, SASS_MOV, (R(2), C0(r.params)));
	INS(&r, SASS_MOV, (R(3), C0(r.params + 4)));
	INS(&r, SASS_IMAD_WIDE, (R(2), PT, R(0), IMM(4), R(2)));
	INS(&r, SASS_S2R, (R(10), SR(SASS_SR_LANEID)));
}

static void end(uint32_t result)
{
	INS(&r, SASS_STG, (AT(2, 0), R(result)));
	INS(&r, SASS_EXIT, (PT));
}

static bool launch(uint32_t blocks, uint32_t threads)
{
	uint64_t out = RIG_DATA;

	memset(rig_at(&r, RIG_DATA), 0xcc, 0x10000);
	if (rig_run(&r, blocks, threads, &out, 1))
		return true;
	diag("%s", rig_error(&r, &e));
	rig_renew(&r);
	return false;
}

static bool out_is(uint32_t threads, uint32_t (*want)(uint32_t thread))
{
	uint32_t *out = rig_words(&r, RIG_DATA);

	for (uint32_t i = 0; i < threads; i++)
		if (out[i] != want(i)) {
			diag("thread %u: 0x%x, not 0x%x", i, out[i], want(i));
			return false;
		}
	return true;
}

/* if (lane & 1) {if (lane & 2) x = 3; else x = 1;} else x = 10; x += ballot of all lanes. */
static uint32_t want_nested(uint32_t t)
{
	return (t & 1 ? t & 2 ? 3 : 1 : 10) + 0xffffffff;
}

static void test_nested(void)
{
	begin();
	INS(&r, SASS_LOP3, (PT, R(5), R(0), IMM(1), RZ, IMM(0xc0))); /* 5 */
	INS(&r, SASS_ISETP, (P(0), PT, R(5), RZ, PT), CMP(NE));
	INS(&r, SASS_LOP3, (PT, R(5), R(0), IMM(2), RZ, IMM(0xc0)));
	INS(&r, SASS_ISETP, (P(1), PT, R(5), RZ, PT), CMP(NE));
	INS(&r, SASS_BSSY, (B(0), TO(20)));
	INS(&r, SASS_BRA, (PT, TO(13)), GUARD(0)); /* 10 */
	INS(&r, SASS_MOV, (R(4), IMM(10)));
	INS(&r, SASS_BRA, (PT, TO(19)));
	INS(&r, SASS_BSSY, (B(1), TO(18))); /* 13 */
	INS(&r, SASS_BRA, (PT, TO(16)), GUARD(1));
	INS(&r, SASS_BRA, (PT, TO(17)));
	INS(&r, SASS_MOV, (R(4), IMM(3))); /* 16 */
	INS(&r, SASS_MOV, (R(4), IMM(1)), GUARD_NOT(1));
	INS(&r, SASS_BSYNC, (B(1)));                /* 18 */
	INS(&r, SASS_BSYNC, (B(0)));                /* 19 */
	INS(&r, SASS_VOTE, (R(6), PT, PT), BALLOT); /* 20 */
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(4), R(6), RZ));
	end(4);
	ok(launch(1, 64) && out_is(64, want_nested),
	   "lanes of nested divergent branches reconverge at their BSYNCs");
}

/* Each lane executes lane % 7 + 1 iterations. */
static uint32_t want_trips(uint32_t t)
{
	uint32_t n = t % 32 % 7 + 1;

	return n * (n + 1) / 2 + 0xffffffff;
}

static void test_trips(void)
{
	begin();
	INS(&r, SASS_MOV, (R(4), IMM(0))); /* 5 */
	INS(&r, SASS_MOV, (R(5), IMM(0)));
	INS(&r, SASS_IMAD_HI, (R(6), PT, R(10), IMM(0x24924925), RZ)); /* lane / 7 */
	INS(&r, SASS_IMAD, (R(6), R(6), IMM(-7), R(10)));
	INS(&r, SASS_BSSY, (B(0), TO(15)));
	INS(&r, SASS_IADD3, (R(5), PT, PT, R(5), IMM(1), RZ)); /* 10 */
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(4), R(5), RZ));
	INS(&r, SASS_ISETP, (P(0), PT, R(5), R(6), PT), CMP(LE));
	INS(&r, SASS_BRA, (PT, TO(10)), GUARD(0));
	INS(&r, SASS_BSYNC, (B(0)));
	INS(&r, SASS_VOTE, (R(6), PT, PT), BALLOT);
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(4), R(6), RZ));
	end(4);
	ok(launch(2, 96) && out_is(96, want_trips),
	   "lanes leave a loop after different trip counts and reconverge after it");
}

/* Lanes below 8 break out of the loop and reconverge with the others at the outer barrier only. */
static uint32_t want_break(uint32_t t)
{
	return t % 32 < 8 ? 0xffffff00 + 1000 : 0xffffff00 + 5;
}

static void test_break(void)
{
	begin();
	INS(&r, SASS_MOV, (R(5), IMM(0))); /* 5 */
	INS(&r, SASS_ISETP, (P(1), PT, R(10), IMM(8), PT), CMP(LT));
	INS(&r, SASS_BSSY, (B(1), TO(20)));
	INS(&r, SASS_BSSY, (B(0), TO(15)));
	INS(&r, SASS_IADD3, (R(5), PT, PT, R(5), IMM(1), RZ)); /* 9 */
	INS(&r, SASS_BREAK, (B(0)), GUARD(1));
	INS(&r, SASS_BRA, (PT, TO(17)), GUARD(1));
	INS(&r, SASS_ISETP, (P(0), PT, R(5), IMM(5), PT), CMP(LT));
	INS(&r, SASS_BRA, (PT, TO(9)), GUARD(0));
	INS(&r, SASS_BSYNC, (B(0))); /* 14 */
	INS(&r, SASS_VOTE, (R(6), PT, PT), BALLOT);
	INS(&r, SASS_BRA, (PT, TO(19)));
	INS(&r, SASS_MOV, (R(5), IMM(1000))); /* 17 */
	INS(&r, SASS_MOV, (R(6), IMM(0xffffff00)));
	INS(&r, SASS_BSYNC, (B(1))); /* 19 */
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(5), R(6), RZ));
	end(4);
	ok(launch(1, 32) && out_is(32, want_break),
	   "BREAK removes lanes from a convergence barrier");
}

/* Odd lanes exit inside the branch; the even ones do not wait for them. */
static uint32_t want_exit(uint32_t t)
{
	return t & 1 ? 0xcccccccc : 0x55555555;
}

static void test_exit(void)
{
	begin();
	INS(&r, SASS_LOP3, (PT, R(5), R(0), IMM(1), RZ, IMM(0xc0)));
	INS(&r, SASS_ISETP, (P(0), PT, R(5), RZ, PT), CMP(NE));
	INS(&r, SASS_BSSY, (B(0), TO(10)));
	INS(&r, SASS_EXIT, (PT), GUARD(0));
	INS(&r, SASS_BSYNC, (B(0)));
	INS(&r, SASS_VOTE, (R(4), PT, PT), BALLOT); /* 10 */
	end(4);
	ok(launch(1, 32) && out_is(32, want_exit),
	   "BSYNC does not wait for lanes that have exited");
}

/* Lanes reach WARPSYNC from two paths; after it all of them vote. */
static uint32_t want_all(uint32_t t)
{
	(void)t;
	return 0xffffffff;
}

static uint32_t want_collective(uint32_t t)
{
	return t < 20 ? 1 : 0;
}

static void test_warpsync(void)
{
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(10), IMM(20), PT), CMP(LT)); /* 5 */
	INS(&r, SASS_MOV, (R(5), IMM(0xffffffff)));
	INS(&r, SASS_BRA, (PT, TO(9)), GUARD(0));
	INS(&r, SASS_NOP, (op_reg(SASS_NONE, 0)), in.nops = 0);
	INS(&r, SASS_WARPSYNC, (PT, R(5))); /* 9 */
	INS(&r, SASS_VOTE, (R(4), PT, PT), BALLOT);
	end(4);
	ok(launch(1, 32) && out_is(32, want_all),
	   "WARPSYNC waits for the lanes of its member mask");
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(10), IMM(20), PT), CMP(LT));
	INS(&r, SASS_BRA, (PT, TO(8)), GUARD(0));
	INS(&r, SASS_NOP, (op_reg(SASS_NONE, 0)), in.nops = 0);
	INS(&r, SASS_WARPSYNC_ALL, (PT)); /* 8 */
	INS(&r, SASS_VOTE, (R(4), PT, PT), BALLOT);
	end(4);
	ok(launch(1, 32) && out_is(32, want_all), "WARPSYNC.ALL waits for every lane");
	/* Lanes from 20 on wait for each other first; lanes 20 to 23 arrive there later. */
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(10), IMM(20), PT), CMP(LT)); /* 5 */
	INS(&r, SASS_MOV, (R(5), IMM(0xfff00000)));
	INS(&r, SASS_MOV, (R(6), IMM(0xffffffff)));
	INS(&r, SASS_BRA, (PT, TO(12)), GUARD(0));
	INS(&r, SASS_ISETP, (P(1), PT, R(10), IMM(24), PT), CMP(LT));
	INS(&r, SASS_BRA, (PT, TO(15)), GUARD(1));
	INS(&r, SASS_WARPSYNC, (PT, R(5))); /* 11 */
	INS(&r, SASS_WARPSYNC, (PT, R(6))); /* 12 */
	INS(&r, SASS_VOTE, (R(4), PT, PT), BALLOT);
	INS(&r, SASS_BRA, (PT, TO(16)));
	INS(&r, SASS_BRA, (PT, TO(11))); /* 15 */
	end(4);
	ok(launch(1, 32) && out_is(32, want_all),
	   "lanes with different member masks do not reconverge at a WARPSYNC");
	begin();
	INS(&r, SASS_MOV, (R(5), IMM(0xffff)));
	INS(&r, SASS_WARPSYNC, (PT, R(5)));
	end(4);
	ok(!launch(1, 32) && e.fault == MODEL_FAULT_ILLEGAL_INSTRUCTION &&
		   strstr(e.text, "lane 16 is not in its member mask 0xffff"),
	   "WARPSYNC in a lane outside of its member mask is illegal, as on an H200");
}

/* Lanes wait for all others at two instructions, then continue together. */
static void test_collective(void)
{
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(10), IMM(20), PT), CMP(LT)); /* 5 */
	INS(&r, SASS_BRA, (PT, TO(9)), GUARD(0));
	INS(&r, SASS_WARPSYNC_ALL, (PT));
	INS(&r, SASS_BRA, (PT, TO(10)));
	INS(&r, SASS_WARPSYNC_ALL, (PT)); /* 9 */
	INS(&r, SASS_VOTE, (R(4), PT, PT), BALLOT);
	end(4);
	ok(!launch(1, 32) && e.fault == MODEL_FAULT_BARRIER &&
		   strstr(e.text, "this thread waits at WARPSYNC"),
	   "lanes at two different WARPSYNCs deadlock, as on an H200");
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(10), IMM(20), PT), CMP(LT)); /* 5 */
	INS(&r, SASS_MOV, (R(5), IMM(0xffffffff)));
	INS(&r, SASS_BRA, (PT, TO(13)), GUARD(0));
	INS(&r, SASS_WARPSYNC_COLLECTIVE, (PT, R(5), TO(11)));
	INS(&r, SASS_VOTE, (R(4), PT, PT), BALLOT);
	INS(&r, SASS_ENDCOLLECTIVE, (PT)); /* 10 */
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(4), IMM(1), RZ));
	INS(&r, SASS_BRA, (PT, TO(17)));
	INS(&r, SASS_WARPSYNC_COLLECTIVE, (PT, R(5), TO(16))); /* 13 */
	INS(&r, SASS_VOTE, (R(4), PT, PT), BALLOT);
	INS(&r, SASS_ENDCOLLECTIVE, (PT));
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(4), IMM(2), RZ)); /* 16 */
	end(4);                                                /* 17 */
	ok(launch(1, 32) && out_is(32, want_collective),
	   "lanes at two WARPSYNC.COLLECTIVE vote together and return to their own sites");
}

/* Two call sites, one function that doubles R4; the return address is an offset in R20:R21. */
static uint32_t want_call(uint32_t t)
{
	return t % 32 < 11 ? 2 * t + 1 : 2 * t + 2;
}

static void test_call(void)
{
	begin();
	INS(&r, SASS_MOV, (R(4), R(0))); /* 5 */
	INS(&r, SASS_MOV, (R(21), IMM(0)));
	INS(&r, SASS_ISETP, (P(0), PT, R(10), IMM(11), PT), CMP(LT));
	INS(&r, SASS_BSSY, (B(0), TO(18)));
	INS(&r, SASS_BRA, (PT, TO(14)), GUARD(0));
	INS(&r, SASS_MOV, (R(20), IMM(12 * 16))); /* 10 */
	INS(&r, SASS_CALL_REL, (PT, TO(21)), in.mod[SASS_M_NODEC] = 1);
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(4), IMM(2), RZ)); /* 12 */
	INS(&r, SASS_BRA, (PT, TO(17)));
	INS(&r, SASS_MOV, (R(20), IMM(16 * 16))); /* 14 */
	INS(&r, SASS_CALL_REL, (PT, TO(21)), in.mod[SASS_M_NODEC] = 1);
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(4), IMM(1), RZ)); /* 16 */
	INS(&r, SASS_BSYNC, (B(0)));
	INS(&r, SASS_NOP, (op_reg(SASS_NONE, 0)), in.nops = 0);
	end(4);                                              /* 19, 20 */
	INS(&r, SASS_IADD3, (R(4), PT, PT, R(4), R(4), RZ)); /* 21 */
	INS(&r, SASS_RET_REL, (PT, R(20), TO(0)), in.mod[SASS_M_NODEC] = 1);
	ok(launch(1, 64) && out_is(64, want_call),
	   "divergent lanes call one function from two sites and return");
}

/* Lane i branches to instruction 8 + 2 * (i % 3). */
static uint32_t want_indirect(uint32_t t)
{
	return 100 + t % 32 % 3;
}

static void test_indirect(void)
{
	begin();
	INS(&r, SASS_IMAD_HI, (R(6), PT, R(10), IMM(0x55555556), RZ)); /* 5 */
	INS(&r, SASS_IMAD, (R(6), R(6), IMM(-3), R(10)));
	INS(&r, SASS_IMAD, (R(6), R(6), IMM(32), RZ));
	INS(&r, SASS_MOV, (R(7), IMM(0)));
	INS(&r, SASS_BRX, (PT, R(6), TO(10))); /* 9 */
	INS(&r, SASS_MOV, (R(4), IMM(100)));
	INS(&r, SASS_BRA, (PT, TO(16)));
	INS(&r, SASS_MOV, (R(4), IMM(101)));
	INS(&r, SASS_BRA, (PT, TO(16)));
	INS(&r, SASS_MOV, (R(4), IMM(102)));
	INS(&r, SASS_BRA, (PT, TO(16)));
	end(4); /* 16 */
	ok(launch(1, 32) && out_is(32, want_indirect),
	   "an indirect branch takes each lane to its own target");
}

/* A spin lock in shared memory among lanes of one warp: the holder must make progress. */
static uint32_t want_lock(uint32_t t)
{
	return t ? 0xcccccccc : 64;
}

static void test_lock(void)
{
	begin();
	INS(&r, SASS_MOV, (R(5), IMM(0))); /* 5 */
	INS(&r, SASS_ISETP, (P(0), PT, R(0), RZ, PT), CMP(EQ));
	INS(&r, SASS_STS, (AT32(SASS_RZ, 0), R(5)), GUARD(0));
	INS(&r, SASS_STS, (AT32(SASS_RZ, 4), R(5)), GUARD(0));
	INS(&r, SASS_BAR, (IMM(0), IMM(0), PT));
	INS(&r, SASS_MOV, (R(6), IMM(1))); /* 10 */
	INS(&r, SASS_BSSY, (B(0), TO(20)));
	INS(&r, SASS_ATOMS_CAS, (R(7), AT32(SASS_RZ, 0), RZ, R(6))); /* 12: the lock */
	INS(&r, SASS_ISETP, (P(1), PT, R(7), RZ, PT), CMP(NE));
	INS(&r, SASS_BRA, (PT, TO(12)), GUARD(1));
	INS(&r, SASS_LDS, (R(8), AT32(SASS_RZ, 4)));
	INS(&r, SASS_IADD3, (R(8), PT, PT, R(8), IMM(1), RZ));
	INS(&r, SASS_STS, (AT32(SASS_RZ, 4), R(8)));
	INS(&r, SASS_STS, (AT32(SASS_RZ, 0), RZ));
	INS(&r, SASS_BSYNC, (B(0)));
	INS(&r, SASS_BAR, (IMM(0), IMM(0), PT));
	INS(&r, SASS_LDS, (R(4), AT32(SASS_RZ, 4)));
	INS(&r, SASS_EXIT, (PT), GUARD_NOT(0));
	end(4);
	ok(launch(1, 64) && out_is(64, want_lock),
	   "a spin lock among lanes of a warp makes progress");
}

/* Lanes from 16 on diverge from the others, which reach the same instructions later. */
static void diverge(void)
{
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(10), IMM(16), PT), CMP(LT)); /* 5 */
	INS(&r, SASS_IMAD, (R(5), R(10), IMM(4), RZ));
	INS(&r, SASS_LOP3, (PT, R(6), R(5), IMM(64), RZ, IMM(0x3c)));
	INS(&r, SASS_MOV, (R(7), IMM(1)));
	INS(&r, SASS_STS, (AT32(5, 0), RZ));
	INS(&r, SASS_BRA, (PT, TO(11)), GUARD(0)); /* 10 */
}

static uint32_t want_divergent(uint32_t t)
{
	return t < 16 ? 0xffff : 0xffff0000;
}

static uint32_t want_late(uint32_t t)
{
	return t < 16;
}

static uint32_t want_one(uint32_t t)
{
	(void)t;
	return 1;
}

static void test_divergent(void)
{
	diverge();
	INS(&r, SASS_VOTE, (R(4), PT, PT), BALLOT);
	end(4);
	ok(launch(1, 32) && out_is(32, want_divergent),
	   "divergent lanes do not reconverge by reaching the same instruction");
	for (uint32_t sync = 0; sync < 2; sync++) {
		diverge();
		INS(&r, SASS_STS, (AT32(5, 0), R(7)));
		if (sync && rig_sm(&r) >= 90)
			INS(&r, SASS_WARPSYNC_ALL, (PT));
		else if (sync)
			INS(&r, SASS_WARPSYNC, (PT, IMM(-1)));
		INS(&r, SASS_BAR, (IMM(0), IMM(0), PT));
		INS(&r, SASS_LDS, (R(4), AT32(6, 0)));
		end(4);
		ok(launch(1, 32) && out_is(32, sync ? want_one : want_late), "%s",
		   sync ? "WARPSYNC.ALL reconverges divergent lanes before a block barrier"
			: "divergent lanes pass a block barrier that other lanes of their warp "
			  "have not "
			  "reached");
	}
}

/* Lanes below 16 and the others have their own WARPSYNC member masks and run one after the other,
 * so the BSYNC after it does not make the first wait for the others. */
static void test_late(void)
{
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(10), IMM(16), PT), CMP(LT)); /* 5 */
	INS(&r, SASS_MOV, (R(5), IMM(0xffff0000)));
	INS(&r, SASS_MOV, (R(5), IMM(0xffff)), GUARD(0));
	INS(&r, SASS_BSSY, (B(0), TO(11)));
	INS(&r, SASS_WARPSYNC, (PT, R(5)));
	INS(&r, SASS_BSYNC, (B(0))); /* 10 */
	INS(&r, SASS_VOTE, (R(4), PT, PT), BALLOT);
	end(4);
	ok(launch(1, 32) && out_is(32, want_divergent),
	   "BSYNC does not wait for lanes released by a WARPSYNC of another mask");
}

/* R2UR's predicate marks the lanes whose value differs from the one it takes. */
static uint32_t want_others(uint32_t t)
{
	return t < 3 ? 0 : 0xfffffff8;
}

static void test_others(void)
{
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(10), IMM(3), PT), CMP(LT)); /* 5 */
	INS(&r, SASS_MOV, (R(5), IMM(5)));
	INS(&r, SASS_MOV, (R(5), IMM(6)), GUARD_NOT(0));
	INS(&r, SASS_R2UR, (P(1), UR(4), R(5)));
	INS(&r, SASS_VOTE, (R(6), PT, P(1)), BALLOT);
	INS(&r, SASS_MOV, (R(4), IMM(0)));
	INS(&r, SASS_MOV, (R(4), R(6)), GUARD(1));
	end(4);
	ok(launch(1, 32) && out_is(32, want_others),
	   "R2UR sets a predicate in lanes with a different value");
}

/* BRA.DIV takes all active lanes along if the lanes of its guard are not all of its mask. */
static uint32_t want_taken(uint32_t t)
{
	(void)t;
	return 5;
}

static void test_div(void)
{
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(10), IMM(3), PT), CMP(LT)); /* 5 */
	INS(&r, SASS_UMOV, (UR(4), IMM(-1)));
	INS(&r, SASS_MOV, (R(4), IMM(5)));
	INS(&r, SASS_BRA_UREG, (PT, UR(4), TO(10)), GUARD(0),
	    in.mod[SASS_M_UNIFORM] = SASS_BRA_DIV);
	INS(&r, SASS_MOV, (R(4), IMM(6)));
	INS(&r, SASS_NOP, (PT), in.nops = 0); /* 10 */
	end(4);
	ok(launch(1, 32) && out_is(32, want_taken),
	   "BRA.DIV is taken by all lanes if its guard is false in some");
}

/* Barriers: each thread reads what its mirror image wrote. */
static uint32_t want_mirror(uint32_t t)
{
	return 255 - t;
}

static void test_bar(void)
{
	begin();
	INS(&r, SASS_IMAD, (R(5), R(0), IMM(4), RZ));
	INS(&r, SASS_STS, (AT32(5, 0), R(0)));
	INS(&r, SASS_BAR, (IMM(3), IMM(0), PT));
	INS(&r, SASS_IMAD, (R(5), R(0), IMM(-4), RZ));
	INS(&r, SASS_LDS, (R(4), AT32(5, 255 * 4)));
	end(4);
	ok(launch(3, 256) && out_is(256, want_mirror),
	   "a block barrier blocks threads until all have arrived");
}

/* The first two warps only arrive; the third waits for them. */
static uint32_t want_arrive(uint32_t t)
{
	return t < 64 ? 7 : t - 64;
}

static void test_arrive(void)
{
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(0), IMM(64), PT), CMP(GE)); /* 5 */
	INS(&r, SASS_IMAD, (R(5), R(0), IMM(4), RZ));
	INS(&r, SASS_MOV, (R(4), IMM(7)));
	INS(&r, SASS_BRA, (PT, TO(12)), GUARD(0));
	INS(&r, SASS_STS, (AT32(5, 0), R(0)));
	INS(&r, SASS_BAR, (IMM(1), IMM(96), PT), in.mod[SASS_M_BAR] = SASS_BAR_ARV);
	INS(&r, SASS_BRA, (PT, TO(14)));
	INS(&r, SASS_BAR, (IMM(1), IMM(96), PT)); /* 12 */
	INS(&r, SASS_LDS, (R(4), AT32(5, -256)));
	end(4); /* 14 */
	ok(launch(1, 96) && out_is(96, want_arrive),
	   "BAR.ARV counts as an arrival and does not wait");
}

static uint32_t want_popc(uint32_t t)
{
	(void)t;
	return 75; /* threads above 20 of 96 */
}

static uint32_t want_none(uint32_t t)
{
	(void)t;
	return 0;
}

static void bar_reduction(uint8_t kind)
{
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(0), IMM(20), PT), CMP(GT));
	INS(&r, SASS_BAR, (IMM(0), IMM(0), P(0)), in.mod[SASS_M_BAR] = kind);
	INS(&r, SASS_B2R, (R(4), PT));
	end(4);
}

static void test_bar_red(void)
{
	bar_reduction(SASS_BAR_RED_POPC);
	ok(launch(1, 96) && out_is(96, want_popc),
	   "BAR.RED.POPC counts the threads with a true predicate");
	bar_reduction(SASS_BAR_RED_AND);
	ok(launch(1, 96) && out_is(96, want_none),
	   "BAR.RED.AND is false if one predicate is false");
	bar_reduction(SASS_BAR_RED_OR);
	ok(launch(1, 96) && out_is(96, want_all), "BAR.RED.OR is true if one predicate is true");
}

/* Deadlocks are reported. */

static void test_deadlock(void)
{
	begin();
	INS(&r, SASS_ISETP, (P(0), PT, R(0), IMM(32), PT), CMP(LT));
	INS(&r, SASS_BAR, (IMM(0), IMM(0), PT), GUARD(0));
	INS(&r, SASS_BAR, (IMM(1), IMM(0), PT), GUARD_NOT(0));
	end(0);
	ok(!launch(1, 64) && e.fault == MODEL_FAULT_BARRIER &&
		   strstr(e.text, "this thread waits at barrier 0"),
	   "threads that wait at different barriers are reported as a deadlock");
}

/* An endless loop ends when its channel is destroyed. */
static void test_endless(void)
{
	uint64_t out = RIG_DATA;
	struct timespec pause = {.tv_nsec = 20000000};

	begin();
	INS(&r, SASS_BRA, (PT, TO(5)));
	rig_qmd(&r, 500, 64);
	rig_bank(&r, &out, 1);
	rig_launch(&r);
	rig_release(&r);
	rig_submit(&r);
	nanosleep(&pause, NULL);
	ok(!model_channel_error(r.channel, &e), "an endless kernel is not an error");
	rig_renew(&r);
	begin();
	INS(&r, SASS_MOV, (R(4), IMM(0xffffffff)));
	end(4);
	ok(launch(1, 32) && out_is(32, want_all),
	   "destroying its channel stops an endless kernel, and the next one runs");
}

/* Block 0 waits for a flag that the last block sets; there are more blocks than host threads. */
static void test_blocks(void)
{
	uint64_t params[2] = {RIG_DATA, RIG_DATA + 0x8000};

	rig_code(&r);
	INS(&r, SASS_S2R, (R(0), SR(SASS_SR_CTAID_X)));
	INS(&r, SASS_MOV, (R(2), C0(r.params + 8)));
	INS(&r, SASS_MOV, (R(3), C0(r.params + 12)));
	INS(&r, SASS_MOV, (R(6), IMM(1)));
	INS(&r, SASS_ISETP, (P(0), PT, R(0), IMM(7), PT), CMP(EQ));
	INS(&r, SASS_STG, (AT(2, 0), R(6)), GUARD(0)); /* 5 */
	INS(&r, SASS_EXIT, (PT), GUARD(0));
	INS(&r, SASS_LDG, (PT, R(4), AT(2, 0))); /* 7 */
	INS(&r, SASS_ISETP, (P(0), PT, R(4), RZ, PT), CMP(EQ));
	INS(&r, SASS_NANOSLEEP, (PT, IMM(10)), GUARD(0));
	INS(&r, SASS_BRA, (PT, TO(7)), GUARD(0));
	INS(&r, SASS_EXIT, (PT));
	*rig_words(&r, RIG_DATA + 0x8000) = 0;
	ok(rig_run(&r, 8, 32, params, 2) && *rig_words(&r, RIG_DATA + 0x8000) == 1,
	   "blocks that wait for a later block do not keep it from running");
}

static void test_chip(const char *name)
{
	diag("%s", name);
	rig_open(&r, name, false, 2);
	test_nested();
	test_trips();
	test_break();
	test_exit();
	if (rig_sm(&r) >= 90)
		test_warpsync(), test_collective();
	test_call();
	test_indirect();
	test_lock();
	test_divergent();
	test_late();
	test_others();
	test_div();
	test_bar();
	test_arrive();
	test_bar_red();
	test_deadlock();
	test_endless();
	test_blocks();
	rig_close(&r);
}

int main(void)
{
	test_chip("gh100");
	test_chip("ga100");
	return tap_done();
}
