// SPDX-License-Identifier: MIT
/* Translates a decoded instruction into the executor's form: finds the row of the operation,
 * assigns operands by the row's shape, and has its prepare check the modifiers. Then the two
 * functions that execute a core: over the lanes of a warp, and on the uniform datapath. */
#include <string.h>

#include "model/nv/exec.h"

static const struct op_row *const tables[] = {
	rows_control,   rows_convert, rows_double, rows_float,   rows_half,
	rows_matrix,    rows_integer, rows_lane,   rows_memory,  rows_move,
	rows_atomic,    rows_syncs,   rows_bulk,   rows_tensor,  rows_cluster,
	rows_registers, rows_group,   rows_remote, rows_texture, rows_volta,
};

static const struct op_row *find_row(uint16_t op)
{
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct op_row *r = tables[t]; r->shape; r++)
			if (r->op == op)
				return r;
	return NULL;
}

/* Computes how an operand's modifiers change its raw bits. */
static void source_modifiers(struct source *s, char letter, uint8_t flags)
{
	bool minus = flags & SASS_NEG;

	s->keep = ALL_LANES;
	s->negate = minus;
	if (letter == 'f' || letter == 'F') {
		s->keep = flags & SASS_ABS ? 0x7fffffff : ALL_LANES;
		s->flip = minus ? 0x80000000 : 0;
	} else {
		s->flip = minus != !!(flags & SASS_NOT) ? ALL_LANES : 0;
		s->plus = minus;
	}
}

static const char *set_source(struct source *s, char letter, const struct sass_operand *o)
{
	s->words = letter == 'S' || letter == 'F' ? 2 : 1;
	s->index = SASS_RZ;
	source_modifiers(s, letter, o->flags);
	switch (o->kind) {
	case SASS_GPR:
		s->kind = SOURCE_ROW;
		s->row = o->reg == SASS_RZ ? ROW_ZERO : o->reg;
		return NULL;
	case SASS_UGPR:
		s->kind = SOURCE_UNIFORM;
		s->row = o->reg == SASS_URZ ? UREG_ZERO : o->reg;
		return NULL;
	case SASS_IMM:
		s->kind = SOURCE_IMMEDIATE;
		s->value = letter == 'F' ? 0 : (uint32_t)o->value;
		/* An immediate double is its high word; a wide integer is sign-extended. */
		s->high = (int32_t)o->value < 0 ? ALL_LANES : 0;
		if (letter == 'F')
			s->high = (uint32_t)o->value;
		return NULL;
	case SASS_CONST:
		s->kind = SOURCE_CONSTANT;
		s->bank = o->aux;
		s->index = o->reg;
		s->value = (uint32_t)o->value;
		return letter != 'c' && o->reg != SASS_RZ
			       ? "an indexed constant cannot be an operand"
			       : NULL;
	case SASS_NONE:
		s->kind = SOURCE_ROW;
		s->row = ROW_ZERO;
		return NULL;
	default:
		return "an operand has a kind that the executor does not support there";
	}
}

static uint8_t predicate_index(const struct sass_operand *o, bool write)
{
	uint8_t base = o->kind == SASS_UPRED ? PRED_UNIFORM : 0;

	return (uint8_t)(base + (write && o->reg == SASS_PT ? PRED_SINK : o->reg));
}

static void set_destination(struct op *op, char letter, const struct sass_operand *o)
{
	op->dwords = letter == 'D' ? 2 : 1;
	if (o->kind == SASS_UGPR)
		op->d = o->reg == SASS_URZ ? UREG_SINK : o->reg;
	else
		op->d = o->kind == SASS_NONE || o->reg == SASS_RZ ? ROW_SINK : o->reg;
}

static void set_address(struct op *op, const struct sass_operand *o)
{
	op->address.row = o->reg == SASS_RZ ? ROW_ZERO : o->reg;
	op->address.wide = o->flags & SASS_A64;
	op->address.offset = o->value;
	/* A descriptor is not an address: it must be 0 and adds nothing. */
	op->address.urow = o->aux == SASS_NO_UREG || o->flags & SASS_DESC ? UREG_ZERO : o->aux;
}

/* Assigns one operand. used counts the assigned destination predicates, sources, source predicates
 * and immediates. */
static const char *set_operand(struct op *op, char letter, const struct sass_operand *o,
			       uint32_t used[4])
{
	switch (letter) {
	case 'd':
	case 'D':
		set_destination(op, letter, o);
		return NULL;
	case 'p':
		op->p[used[0]++] = predicate_index(o, true);
		return NULL;
	case 's':
	case 'S':
	case 'f':
	case 'F':
	case 'c':
		return set_source(&op->s[used[1]++], letter, o);
	case 'x':
		op->px[used[2]] = predicate_index(o, false);
		op->px_flip[used[2]++] = o->flags & SASS_NEG ? ALL_LANES : 0;
		return NULL;
	case 'i':
	case 'v':
		op->imm[used[3]++] = o->value;
		return NULL;
	case 'a':
		set_address(op, o);
		return NULL;
	case 'b':
		op->breg = o->reg;
		return o->reg < BREGS ? NULL : "there is no such convergence barrier";
	case 't':
		op->target = o->value;
		return NULL;
	default:
		return NULL;
	}
}

/* Register count that the instruction needs, to detect a launch with too few. */
static uint16_t registers_needed(const struct sass_inst *in)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t count = sass_uses(in, uses);
	uint16_t top = 0;

	for (uint32_t i = 0; i < count; i++)
		if (uses[i].kind == SASS_GPR && uses[i].reg + uses[i].count > top)
			top = (uint16_t)(uses[i].reg + uses[i].count);
	return top;
}

const char *op_prepare(struct op *op, const struct sass_inst *in)
{
	const struct op_row *row = find_row(in->op);
	uint32_t used[4] = {0};
	const char *why = NULL;

	if (!row)
		return "the executor does not implement this operation";
	op->run = row->run;
	op->core = row->core;
	op->guard = (uint8_t)((sass_uniform_guard(in) ? PRED_UNIFORM : 0) + in->guard);
	op->guard_flip = in->guard_not ? ALL_LANES : 0;
	op->d = row->run == run_uniform ? UREG_SINK : ROW_SINK;
	op->p[0] = op->p[1] = PRED_SINK;
	op->px[0] = op->px[1] = op->px[2] = SASS_PT;
	for (uint32_t i = 0; i < 3; i++)
		op->s[i] = (struct source){
			.kind = SOURCE_ROW, .row = ROW_ZERO, .words = 1, .keep = ALL_LANES};
	op->top = registers_needed(in);
	for (uint32_t i = 0; row->shape[i] && !why; i++)
		why = i < in->nops ? set_operand(op, row->shape[i], &in->ops[i], used)
				   : "it has fewer operands than the executor expects";
	op->p_count = (uint8_t)used[0];
	op->sources = (uint8_t)used[1];
	op->px_count = (uint8_t)used[2];
	if (!why && row->prepare)
		why = row->prepare(op, in);
	if (!why && sass_is_misaligned(in))
		why = "the first register of several is not aligned";
	return why;
}

/* Execution. */

bool constant_read(struct warp *w, uint32_t bank, uint32_t offset, uint32_t bytes, uint32_t *out)
{
	const struct bank *b = bank < NV_QMD_BANKS ? &w->grid->banks[bank] : NULL;

	if (b && b->data && b->bytes >= bytes && offset <= b->bytes - bytes) {
		memcpy(out, b->data + offset, bytes);
		return true;
	}
	memset(out, 0, bytes);
	warp_fault(w, LANES, MODEL_FAULT_CONSTANT_RANGE, offset,
		   "c[0x%x][0x%x] lies outside the bank's %u bytes", bank, offset,
		   b && b->data ? b->bytes : 0);
	return false;
}

const uint32_t *fetch_source(struct warp *w, const struct op *op, uint32_t i, uint32_t *space)
{
	const struct source *s = &op->s[i];
	uint32_t value[2] = {s->value, s->high};

	if (s->kind == SOURCE_ROW)
		return w->r[s->row];
	if (s->kind == SOURCE_UNIFORM) {
		value[0] = w->ur[s->row];
		value[1] = w->ur[s->row + 1];
	} else if (s->kind == SOURCE_CONSTANT) {
		constant_read(w, s->bank, s->value, 4u * s->words, value);
	}
	row_splat(space, value[0]);
	if (s->words == 2)
		row_splat(space + LANES, value[1]);
	return space;
}

static void fetch_all(struct warp *w, const struct op *op, struct operands *o,
		      uint32_t space[3][2 * LANES])
{
	for (uint32_t i = 0; i < 3; i++) {
		o->s[i] = i < op->sources ? fetch_source(w, op, i, space[i]) : w->r[ROW_ZERO];
		o->x[i] = 0;
	}
	for (uint32_t i = 0; i < op->px_count; i++)
		o->x[i] = pred_read(w, op, i);
	o->p[0] = o->p[1] = 0;
}

void run_vector(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[3][2 * LANES], result[2 * LANES];
	struct operands o;

	if (!mask)
		return;
	fetch_all(w, op, &o, space);
	/* Lanes that have exited may hold any value, so a mask of all live lanes needs no blend. */
	o.d = mask == w->live ? w->r[op->d] : result;
	op->core(op, &o);
	if (o.d == result)
		for (uint32_t i = 0; i < op->dwords; i++)
			row_blend(w->r[op->d + i], result + i * LANES, mask);
	for (uint32_t i = 0; i < op->p_count; i++)
		pred_write(w, op->p[i], o.p[i], mask);
}

/* Executes the same core with the same value in every lane and takes the result of lane 0. */
void run_uniform(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[3][2 * LANES], result[2 * LANES];
	struct operands o = {.d = result};

	if (!mask)
		return;
	fetch_all(w, op, &o, space);
	op->core(op, &o);
	for (uint32_t i = 0; i < op->dwords; i++)
		w->ur[op->d + i] = result[i * LANES];
	for (uint32_t i = 0; i < op->p_count; i++)
		w->p[op->p[i]] = o.p[i] & 1 ? ALL_LANES : 0;
}
