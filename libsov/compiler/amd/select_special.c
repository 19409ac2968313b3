// SPDX-License-Identifier: MIT
/*
 * Special registers and addresses: thread and workgroup indices, their counts from the hidden
 * arguments, addresses of variables, and the apertures that map generic addresses to LDS and
 * scratch.
 */
#include "libsov/compiler/amd/select.h"

#define ARG(k) (s->in->args[k])

struct gcn_src select_kernarg(struct select *s)
{
	s->f->start.user |= AMD_KERNARG_SEGMENT_PTR;
	return gcn_input(s->f, GCN_KERNARG, GCN_SCALAR, 2);
}

struct gcn_src select_thread_id(struct select *s, uint32_t axis)
{
	struct gcn_func *f = s->f;
	struct gcn_src d;

	if (s->ir->kind == IR_FUNCTION) {
		d = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_bfe_u32, d, gcn_input(f, GCN_THREAD_IDS, GCN_VECTOR, 1),
			gcn_imm(10 * axis), gcn_imm(10));
		return d;
	}
	if (f->start.thread_ids < axis + 1)
		f->start.thread_ids = (uint8_t)(axis + 1);
	return gcn_input(f, (enum gcn_input)(GCN_THREAD_X + axis), GCN_VECTOR, 1);
}

struct gcn_src select_group_id(struct select *s, uint32_t axis)
{
	s->f->start.group_ids |= (uint8_t)(1 << axis);
	return gcn_input(s->f, (enum gcn_input)(GCN_GROUP_X + axis), GCN_SCALAR, 1);
}

/*
 * The base register of the hidden arguments and their offset from it: functions receive the
 * address, kernels derive it from the kernarg segment.
 */
static struct gcn_src hidden_base(struct select *s, uint32_t *offset)
{
	*offset = s->ir->kind == IR_FUNCTION ? 0 : amd_hidden_base(s->ir->param_bytes);
	return s->ir->kind == IR_FUNCTION ? gcn_input(s->f, GCN_HIDDEN_ARGS, GCN_SCALAR, 2)
					  : select_kernarg(s);
}

/* A hidden argument of 2 or 4 bytes. */
struct gcn_src select_hidden(struct select *s, enum amd_hidden h)
{
	uint32_t at;
	struct gcn_src word = sel_temp(s, GCN_SCALAR, 1), d, base = hidden_base(s, &at);
	struct gcn_inst *i = sel_emit(s, AMD_s_load_dword, AMD_PLAIN);

	at += amd_hidden_args[h].offset;
	s->f->hidden |= 1u << h;
	gcn_set_operand(s->f, i, AMD_D, word);
	gcn_set_operand(s->f, i, AMD_S0, base);
	gcn_set_operand(s->f, i, AMD_S1, gcn_reg(AMD_NULL));
	i->in.field[AMD_F_OFFSET] = (int32_t)(at & ~3u);
	if (amd_hidden_args[h].bytes == 4)
		return word;
	d = sel_temp(s, GCN_SCALAR, 1);
	sel_sop(s, AMD_s_bfe_u32, d, word, gcn_imm((at & 2) * 8 | 16 << 16));
	return d;
}

struct gcn_src select_lane_id(struct select *s)
{
	struct gcn_src d = sel_temp(s, GCN_VECTOR, 1);

	sel_vop(s, AMD_v_mbcnt_lo_u32_b32, d, gcn_imm(UINT32_MAX), gcn_imm(0), gcn_none());
	return d;
}

/* %lanemask_*: shifted ones. */
static void select_lane_mask(struct select *s)
{
	static const struct {
		uint32_t ones;
		bool inverted;
	} kinds[] = {{1, false}, {1, false}, {2, false}, {2, true}, {1, true}};
	uint32_t k = s->in->sub - IR_LANEMASK_EQ;
	struct gcn_src lane = select_lane_id(s), d = sel_result(s, 0, 0), t;

	t = sel_op_new(s, GCN_VECTOR, SEL_SHL, gcn_imm(kinds[k].ones), lane);
	if (s->in->sub == IR_LANEMASK_EQ) {
		sel_move(s, d, t, 1);
		return;
	}
	if (kinds[k].inverted) /* ~(t - 1) = -t */
		sel_op(s, SEL_SUB, d, gcn_imm(0), t);
	else
		sel_op(s, SEL_SUB, d, t, gcn_imm(1));
}

static struct gcn_src workgroup_threads(struct select *s)
{
	struct gcn_src n = select_hidden(s, AMD_HIDDEN_GROUP_SIZE_X);

	for (uint32_t axis = 1; axis < 3; axis++)
		n = sel_op_new(s, GCN_SCALAR, SEL_MUL, n,
			       select_hidden(s, (enum amd_hidden)(AMD_HIDDEN_GROUP_SIZE_X + axis)));
	return n;
}

/* %warpid: the linear thread index divided by 32. */
static void select_wave_id(struct select *s)
{
	struct gcn_src n = select_thread_id(s, 2), d = sel_temp(s, GCN_SCALAR, 1);

	for (uint32_t axis = 2; axis--;) {
		struct gcn_src size =
			select_hidden(s, (enum amd_hidden)(AMD_HIDDEN_GROUP_SIZE_X + axis));

		n = sel_op_new(s, GCN_VECTOR, SEL_MUL, n, size);
		n = sel_op_new(s, GCN_VECTOR, SEL_ADD, n, select_thread_id(s, axis));
	}
	n = sel_op_new(s, GCN_VECTOR, SEL_SHR_U, n, gcn_imm(5));
	sel_vop(s, AMD_v_readfirstlane_b32, d, n, gcn_none(), gcn_none());
	sel_move(s, sel_result(s, 0, 0), d, 1);
}

static void select_sreg(struct select *s)
{
	struct gcn_src d = sel_result(s, 0, 0), t;
	uint8_t sub = s->in->sub;

	if (sub <= IR_TID_Z) {
		sel_move(s, d, select_thread_id(s, sub - IR_TID_X), 1);
	} else if (sub <= IR_NTID_Z) {
		sel_move(s, d, select_hidden(s, AMD_HIDDEN_GROUP_SIZE_X + (sub - IR_NTID_X)), 1);
	} else if (sub <= IR_CTAID_Z) {
		sel_move(s, d, select_group_id(s, sub - IR_CTAID_X), 1);
	} else if (sub <= IR_NCTAID_Z) {
		sel_move(s, d, select_hidden(s, AMD_HIDDEN_BLOCK_COUNT_X + (sub - IR_NCTAID_X)), 1);
	} else if (sub == IR_LANEID) {
		sel_move(s, d, select_lane_id(s), 1);
	} else if (sub <= IR_LANEMASK_GE) {
		select_lane_mask(s);
	} else if (sub == IR_WARPID) {
		select_wave_id(s);
	} else if (sub == IR_NWARPID) {
		t = sel_op_new(s, GCN_SCALAR, SEL_ADD, workgroup_threads(s), gcn_imm(31));
		sel_op(s, SEL_SHR_U, d, t, gcn_imm(5));
	} else if (sub == IR_DYNAMIC_SMEM) {
		sel_move(s, d, select_hidden(s, AMD_HIDDEN_DYNAMIC_LDS_SIZE), 1);
	} else if (sub == IR_TOTAL_SMEM) {
		t = select_hidden(s, AMD_HIDDEN_DYNAMIC_LDS_SIZE);
		sel_op(s, SEL_ADD, d, t, gcn_imm(s->f->lds_bytes));
	} else if (sub == IR_SMID || sub == IR_GRIDID || sub >= IR_ENVREG0) {
		/* %smid and %gridid: programs cannot rely on their values. No driver sets
		 * environment registers. */
		sel_move(s, d, gcn_imm(0), 1);
	} else if (sub == IR_NSMID) {
		sel_move(s, d, gcn_imm(1), 1);
	} else {
		sel_unsupported(s, "shared memory that the system reserves");
	}
}

/* The linker fills in the distance. */
void select_pc_relative(struct select *s, struct gcn_src t, uint8_t target, uint32_t index,
			int64_t addend)
{
	struct gcn_src pc = sel_temp(s, GCN_SCALAR, 2);
	struct gcn_src literal = {.reg = AMD_LITERAL};
	struct gcn_inst *i = sel_emit(s, AMD_s_getpc_b64, AMD_PLAIN);

	gcn_set_operand(s->f, i, AMD_D, pc);
	for (uint32_t k = 0; k < 2; k++) {
		i = sel_sop(s, k ? AMD_s_addc_u32 : AMD_s_add_u32, sel_part(t, k), sel_part(pc, k),
			    literal);
		i->address.present = true;
		i->address.high = k;
		i->address.target = target;
		i->address.index = index;
		i->address.addend = addend;
	}
}

static void select_variable_address(struct select *s, uint8_t target, uint32_t index,
				    int64_t addend)
{
	struct gcn_src d = sel_result(s, 0, 0), t;

	t = sel_class(s, d) == GCN_SCALAR && s->in->type == IR_B64 ? d : sel_temp(s, GCN_SCALAR, 2);
	select_pc_relative(s, t, target, index, addend);
	if (!gcn_same_operand(t, d))
		sel_move(s, d, t, sel_words(s->in->type));
}

static void select_address(struct select *s)
{
	const struct ir_symbol *v = &s->ir->module->symbols[s->in->symbol];
	uint32_t at;

	if (v->space == IR_GLOBAL || v->space == IR_CONSTANT) {
		select_variable_address(s, AMD_TO_VARIABLE, s->in->symbol, (int64_t)s->in->imm);
		return;
	}
	at = s->f->symbol_offset[s->in->symbol] + (uint32_t)s->in->imm;
	if (v->space == IR_LOCAL && s->ir->kind == IR_FUNCTION)
		sel_op(s, SEL_ADD, sel_result(s, 0, 0), gcn_imm(at),
		       gcn_reg(gcn_frame_register(s->f)));
	else
		sel_move(s, sel_result(s, 0, 0), gcn_imm(at), 1);
	if (s->in->type == IR_B64)
		sel_move(s, sel_result(s, 0, 1), gcn_imm(0), 1);
}

/* The upper word of generic addresses in LDS or scratch. */
static struct gcn_src aperture_base(struct select *s, uint8_t space)
{
	struct gcn_src d = sel_temp(s, GCN_SCALAR, 2);
	struct gcn_inst *i = sel_emit(s, AMD_s_mov_b64, AMD_PLAIN);

	gcn_set_operand(s->f, i, AMD_D, d);
	gcn_set_operand(s->f, i, AMD_S0,
			gcn_reg(space == IR_SHARED ? AMD_SHARED_BASE : AMD_PRIVATE_BASE));
	return sel_part(d, 1);
}

static bool has_aperture(uint8_t space)
{
	return space == IR_SHARED || space == IR_LOCAL;
}

/* Adds the address of the kernarg segment to an offset in it. */
static void add_kernarg(struct select *s, struct gcn_src d, struct gcn_src offset)
{
	struct gcn_src base = select_kernarg(s), high = sel_part(base, 1);

	if (sel_class(s, d) == GCN_SCALAR)
		sel_add64(s, d, base, high, offset, gcn_imm(0), false);
	else
		sel_add64(s, d, sel_vector(s, offset, 1), gcn_imm(0), base, sel_vector(s, high, 1),
			  false);
}

static void select_to_generic(struct select *s)
{
	struct gcn_src d = sel_result(s, 0, 0);

	if (s->in->space == IR_PARAM) {
		add_kernarg(s, d, sel_word(s, ARG(0), 0));
		return;
	}
	sel_move(s, d, sel_word(s, ARG(0), 0), 1);
	if (s->in->type == IR_B64)
		sel_move(s, sel_part(d, 1),
			 has_aperture(s->in->space) ? aperture_base(s, s->in->space)
						    : sel_word(s, ARG(0), 1),
			 1);
}

static void select_to_space(struct select *s)
{
	struct gcn_src d = sel_result(s, 0, 0);

	if (s->in->space == IR_PARAM) {
		sel_op(s, SEL_SUB, d, sel_word(s, ARG(0), 0), select_kernarg(s));
		sel_move(s, sel_part(d, 1), gcn_imm(0), 1);
		return;
	}
	sel_move(s, d, sel_word(s, ARG(0), 0), 1);
	if (s->in->type == IR_B64)
		sel_move(s, sel_part(d, 1),
			 has_aperture(s->in->space) ? gcn_imm(0) : sel_word(s, ARG(0), 1), 1);
}

static void select_in_space(struct select *s)
{
	struct gcn_src high = sel_word(s, ARG(0), s->in->type == IR_B64), d = sel_result(s, 0, 0),
		       x, y;

	/* legalise_spaces.c has lowered tests for constants and parameters. */
	if (has_aperture(s->in->space)) {
		x = aperture_base(s, s->in->space);
		sel_vop(s, AMD_v_cmp_eq_u32, d, x, sel_vector(s, high, 1), gcn_none());
		return;
	}
	high = sel_vector(s, high, 1);
	x = sel_compare(s, AMD_v_cmp_ne_u32, aperture_base(s, IR_SHARED), high);
	y = sel_compare(s, AMD_v_cmp_ne_u32, aperture_base(s, IR_LOCAL), high);
	sel_sop(s, AMD_s_and_b32, d, x, y);
}

static void select_clock(struct select *s)
{
	struct gcn_src t = sel_temp(s, GCN_SCALAR, 2);
	struct gcn_inst *i = sel_emit(
		s, s->in->sub == IR_CLOCK_CYCLES ? AMD_s_memtime : AMD_s_memrealtime, AMD_PLAIN);

	gcn_set_operand(s->f, i, AMD_D, t);
	sel_move(s, sel_result(s, 0, 0), t, sel_words(s->in->type));
}

bool select_special(struct select *s)
{
	switch (s->in->op) {
	case IR_SREG:
		select_sreg(s);
		return true;
	case IR_ADDR:
		select_address(s);
		return true;
	case IR_TOSPACE:
		select_to_space(s);
		return true;
	case IR_GENERIC:
		select_to_generic(s);
		return true;
	case IR_INSPACE:
		select_in_space(s);
		return true;
	case IR_CLOCK:
		select_clock(s);
		return true;
	case IR_SLEEP:
		sel_emit(s, AMD_s_sleep, AMD_PLAIN)->in.field[AMD_F_IMM] = 1;
		return true;
	default:
		return false;
	}
}
