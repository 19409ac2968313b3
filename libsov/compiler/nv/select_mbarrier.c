// SPDX-License-Identifier: MIT
/*
 * Selection of barriers in shared memory for SM90, as ptxas does it. SYNCS.EXCH initialises an
 * object; SYNCS.ARRIVE arrives, with .RED also in other blocks of the cluster; SYNCS.PHASECHK
 * tests. A token is the object's upper half: bit 31 is the phase, bits 11 to 30 are 2^20 less the
 * missing arrivals. The addresses of EXCH and ARRIVES are in uniform registers, equal for all
 * active lanes (legalise.c).
 */
#include "libsov/compiler/nv/select.h"

#define OFFSET_MIN    (-0x800000)
#define OFFSET_MAX    0x7fffff
#define COUNTS        0x100000 /* expected and missing arrivals are stored as this less them */
#define EXPECTED_BIT  1        /* of the lower half */
#define MISSING_BIT   11       /* of the upper half */
#define MISSING_FIELD 0xfffff

static const struct mir_memory all_memory = {MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT,
					     8};

static struct mir_source object_address(struct select *s, ir_val v)
{
	struct mir_source at = select_shared_address(s, v, OFFSET_MIN, OFFSET_MAX);

	at.op.aux = SASS_URZ;
	return at;
}

void select_to_uniform(struct select *s, struct mir_source to, struct mir_source from)
{
	EMIT(s, R2UR, NONE, to, from)->members = MIR_ACTIVE_LANES;
}

/* The address operand of an instruction that set_uniform_address() completes. */
static struct mir_source uniform_address(void)
{
	return (struct mir_source){.op = {.kind = SASS_ADDR, .reg = SASS_RZ, .aux = 0}};
}

static struct mir_inst *set_uniform_address(struct mir_inst *i, struct mir_source at)
{
	i->uniform = at.ref;
	i->reduced = MIR_ACTIVE_LANES;
	i->memory = all_memory;
	return i;
}

static struct mir_source shift_left(struct select *s, struct mir_source x, uint32_t bits)
{
	struct mir_source d = new_temp(s, SASS_GPR, 1);

	EMIT(s, IMAD, d, x, mir_imm(1u << bits), rz());
	return d;
}

/* Whether nothing has accessed memory since the object before was initialised. */
static bool follows_init(const struct select *s, const struct ir_inst *in)
{
	for (ir_id i = in->prev; i; i = ir_at(s->ir, i)->prev) {
		const struct ir_inst *before = ir_at(s->ir, i);

		if (before->op == IR_MBARRIER_INIT)
			return true;
		if (ir_ops[before->op].properties & (P_READ | P_WRITE | P_CONV))
			return false;
	}
	return false;
}

/* As ptxas does it, accesses before the first of several objects are fenced. */
bool select_mbarrier_init(struct select *s, const struct ir_inst *in)
{
	struct mir_source at = new_temp(s, SASS_UGPR, 1), object = new_temp(s, SASS_UGPR, 2);
	struct mir_source urz = {.op = {.kind = SASS_UGPR, .reg = SASS_URZ}};
	struct mir_source address = in_reg(s, arg_word(s, in->args[0])),
			  count = in_reg(s, arg_word(s, in->args[1])),
			  less = new_temp(s, SASS_GPR, 1);

	EMIT(s, IADD3, less, NONE, NONE, with_flags(count, SASS_NEG), mir_imm(COUNTS), rz());
	select_to_uniform(s, at, address);
	select_to_uniform(s, subreg(object, 0), shift_left(s, less, EXPECTED_BIT));
	select_to_uniform(s, subreg(object, 1), shift_left(s, less, MISSING_BIT));
	if (!follows_init(s, in))
		emit(s, SASS_FENCE_VIEW, NULL, 0)->memory = all_memory;
	set_uniform_address(EMIT(s, SYNCS_EXCH, urz, uniform_address(), object), at);
	return true;
}

bool select_mbarrier_inval(struct select *s, const struct ir_inst *in)
{
	EMIT(s, SYNCS_CCTL, object_address(s, in->args[0]))->memory = all_memory;
	return true;
}

static bool is_constant(const struct select *s, ir_val v, uint64_t value)
{
	uint64_t known;

	return ir_is_const(s->ir, v, &known) && known == value;
}

/* Other sums of arrivals and bytes take two instructions, the bytes first. */
struct amounts {
	uint8_t arrive;
	ir_val operand; /* 0: none */
	bool split;
};

static struct amounts choose_amounts(const struct select *s, const struct ir_inst *in)
{
	ir_val arrivals = in->args[1], bytes = in->args[2];
	struct amounts a = {SASS_ARRIVE_RT0, arrivals, !is_constant(s, bytes, 0)};

	if (in->sub == IR_ARRIVE_EXPECT)
		return (struct amounts){SASS_ARRIVE_0TR, bytes, false};
	if (in->sub == IR_ARRIVE_COMPLETE)
		return (struct amounts){SASS_ARRIVE_0TX, bytes, false};
	/* ptxas was not seen to combine TMASK with one arrival. */
	if (in->sub == IR_ARRIVE_NOCOMPLETE || in->sub == IR_ARRIVE_DROP_NOCOMPLETE)
		return a;
	if (is_constant(s, bytes, 0) && is_constant(s, arrivals, 1))
		return (struct amounts){SASS_ARRIVE_1T0, 0, false};
	if (is_constant(s, arrivals, 1))
		return (struct amounts){SASS_ARRIVE_1TR, bytes, false};
	return a;
}

static struct mir_inst *emit_arrive(struct select *s, const struct ir_inst *in,
				    struct mir_source old, uint8_t arrive, ir_val operand)
{
	struct mir_source at = object_address(s, in->args[0]),
			  x = operand ? in_reg(s, arg_word(s, operand)) : rz();
	struct mir_inst *i = EMIT(s, SYNCS_ARRIVE, old, at, x);

	set_mod(i, SASS_M_ARRIVE, arrive);
	i->memory = all_memory;
	return i;
}

/* The token of a lane from the mask of the lanes that arrived together and the object's upper half
 * before: the arrivals of the lanes below precede it. */
static struct mir_source own_token(struct select *s, struct mir_source old, ir_val arrivals)
{
	struct mir_source below = new_temp(s, SASS_GPR, 1), lanes = new_temp(s, SASS_GPR, 1),
			  count = new_temp(s, SASS_GPR, 1), token = new_temp(s, SASS_GPR, 1);
	struct mir_source sreg = {.op = {.kind = SASS_SREG, .value = SASS_SR_LTMASK}};

	EMIT(s, S2R, below, sreg);
	EMIT(s, LOP3, NONE, lanes, subreg(old, 0), below, rz(), mir_imm(0xc0),
	     mir_pred_const(false));
	EMIT(s, POPC, count, lanes);
	EMIT(s, IMAD, token, shift_left(s, count, MISSING_BIT), in_reg(s, arg_word(s, arrivals)),
	     subreg(old, 1));
	return token;
}

bool select_mbarrier_arrive(struct select *s, const struct ir_inst *in)
{
	bool drops = in->sub == IR_ARRIVE_DROP || in->sub == IR_ARRIVE_DROP_NOCOMPLETE,
	     promises = in->sub == IR_ARRIVE_NOCOMPLETE || in->sub == IR_ARRIVE_DROP_NOCOMPLETE,
	     arrives = in->sub != IR_ARRIVE_EXPECT && in->sub != IR_ARRIVE_COMPLETE,
	     remote = in->op == IR_MBARRIER_REMOTE,
	     needed = !remote && is_needed(s, in->res, NEED_LOW);
	struct amounts a = choose_amounts(s, in);
	struct mir_source old = needed ? new_temp(s, SASS_GPR, 2) : rz(), token;
	struct mir_inst *i;

	if (a.split)
		set_mod(emit_arrive(s, in, rz(), SASS_ARRIVE_0TR, in->args[2]), SASS_M_OLD,
			SASS_OLD_RED);
	i = emit_arrive(s, in, old, a.arrive, a.operand);
	set_mod(i, SASS_M_OPTOUT, drops);
	set_mod(i, SASS_M_OLD,
		remote || (!arrives && !needed) ? SASS_OLD_RED
		: promises && needed            ? SASS_OLD_TMASK
						: SASS_OLD_OBJECT);
	if (!needed)
		return true;
	token = promises ? own_token(s, old, in->args[1]) : subreg(old, 1);
	EMIT(s, MOV, result(s, in->res), token);
	return true;
}

bool select_mbarrier_test(struct select *s, const struct ir_inst *in)
{
	struct mir_source at = object_address(s, in->args[0]),
			  phase = in_reg(s, arg_word(s, in->args[1]));
	struct mir_inst *i = EMIT(s, SYNCS_PHASECHK, result(s, in->res), at, phase);

	set_mod(i, SASS_M_TRYWAIT, in->sub == IR_TEST_TRY);
	i->memory = all_memory;
	return true;
}

bool select_mbarrier_pending(struct select *s, const struct ir_inst *in)
{
	struct mir_source token = in_reg(s, arg_word(s, in->args[0])),
			  high = new_temp(s, SASS_GPR, 1), field = new_temp(s, SASS_GPR, 1);
	struct mir_inst *i = EMIT(s, SHF, high, rz(), mir_imm(MISSING_BIT), token);

	set_mod(i, SASS_M_RIGHT, 1);
	set_mod(i, SASS_M_HI, 1);
	set_mod(i, SASS_M_SHTYPE, SASS_SH_U32);
	EMIT(s, LOP3, NONE, field, high, mir_imm(MISSING_FIELD), rz(), mir_imm(0xc0),
	     mir_pred_const(false));
	EMIT(s, IADD3, result(s, in->res), NONE, NONE, with_flags(field, SASS_NEG), mir_imm(COUNTS),
	     rz());
	return true;
}

/* Counted arrivals become outstanding bytes, one per copy, which the copies complete. */
bool select_copy_arrive(struct select *s, const struct ir_inst *in)
{
	struct mir_source at = new_temp(s, SASS_UGPR, 1);
	bool counted = in->sub == IR_COPYARRIVE_COUNTED;
	struct mir_inst *i;

	select_to_uniform(s, at, in_reg(s, arg_word(s, in->args[0])));
	if (counted) {
		i = set_uniform_address(EMIT(s, SYNCS_ARRIVE, rz(), uniform_address(), rz()), at);
		set_mod(i, SASS_M_ARRIVE, SASS_ARRIVE_0T1);
		set_mod(i, SASS_M_OLD, SASS_OLD_RED);
	}
	i = set_uniform_address(EMIT(s, ARRIVES, uniform_address()), at);
	set_mod(i, SASS_M_COPIES, counted ? SASS_COPIES_TRANSCNT : SASS_COPIES_ARVCNT);
	return true;
}
