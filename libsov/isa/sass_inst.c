/* SPDX-License-Identifier: MIT */
/*
 * What can be asked of an instruction besides its bits: its name and the registers it reads and
 * writes.
 */
#include <pthread.h>
#include <string.h>

#include "libsov/isa/sass_row.h"

/* By op: the first of its rows. Found once, from the table. */
static const struct sass_form *first_rows[SASS_OP_COUNT];
static pthread_once_t first_rows_once = PTHREAD_ONCE_INIT;

static void find_first_rows(void)
{
	for (uint32_t i = sass_form_count(); i-- > 0;)
		first_rows[sass_form_at(i)->op] = sass_form_at(i);
}

static const struct sass_form *any_row(uint16_t op)
{
	pthread_once(&first_rows_once, find_first_rows);
	return op < SASS_OP_COUNT ? first_rows[op] : NULL;
}

const struct sass_form *sass_row(const struct sass_inst *in)
{
	return in->form && in->form->op == in->op ? in->form : any_row(in->op);
}

void sass_init(struct sass_inst *in, enum sass_op op)
{
	memset(in, 0, sizeof(*in));
	in->op = op;
	in->form = any_row(op);
	in->guard = SASS_PT;
	in->write_barrier = SASS_NO_SB;
	in->read_barrier = SASS_NO_SB;
}

const char *sass_op_name(uint16_t op)
{
	const struct sass_form *row = any_row(op);

	return row ? row->name : "?";
}

uint8_t sass_reuse(const struct sass_inst *in, uint32_t operand)
{
	return sass_reuse_bit(sass_row(in), in, operand);
}

static uint8_t type_count(uint8_t type)
{
	return type == SASS_TYPE_U64 || type == SASS_TYPE_S64 || type == SASS_TYPE_F64 ? 2 : 1;
}

/* How many consecutive registers an operand covers. */
static uint8_t count(const struct sass_inst *in, uint8_t rule)
{
	static const uint8_t by_width[] = {
		[SASS_WIDTH_U8] = 1,  [SASS_WIDTH_S8] = 1, [SASS_WIDTH_U16] = 1,
		[SASS_WIDTH_S16] = 1, [SASS_WIDTH_32] = 1, [SASS_WIDTH_64] = 2,
		[SASS_WIDTH_128] = 4,
	};
	static const uint8_t by_atomic[] = {
		[SASS_ATYPE_U32] = 1, [SASS_ATYPE_S32] = 1,	[SASS_ATYPE_U64] = 2,
		[SASS_ATYPE_S64] = 2, [SASS_ATYPE_F32_FTZ] = 1, [SASS_ATYPE_F32] = 1,
		[SASS_ATYPE_F64] = 2, [SASS_ATYPE_F16X2] = 1,	[SASS_ATYPE_BF16X2] = 1,
	};

	switch (rule) {
	case COUNT_2:
		return 2;
	case COUNT_WIDTH:
		return by_width[in->mod[SASS_M_WIDTH]];
	case COUNT_ATYPE:
		return by_atomic[in->mod[SASS_M_ATYPE]];
	case COUNT_DTYPE:
		return type_count(in->mod[SASS_M_DTYPE]);
	case COUNT_STYPE:
		return type_count(in->mod[SASS_M_STYPE]);
	}
	return 1;
}

struct use_list {
	struct sass_reg_use *uses;
	uint32_t n;
};

static inline void add(struct use_list *l, uint8_t kind, uint8_t reg, uint8_t n, uint8_t operand,
		bool write)
{
	static const uint8_t nothing[] = {
		[SASS_GPR] = SASS_RZ, [SASS_UGPR] = SASS_URZ, [SASS_PRED] = SASS_PT,
		[SASS_UPRED] = SASS_PT, [SASS_BREG] = 255,
	};

	if (reg == nothing[kind] || l->n == SASS_MAX_USES)
		return;
	l->uses[l->n++] = (struct sass_reg_use){kind, reg, n, operand, write};
}

/* P2R and R2P touch the predicates that their last operand selects, if it is known. */
static void add_all_predicates(struct use_list *l, const struct sass_inst *in, uint8_t index,
			       bool write)
{
	const struct sass_operand *mask = &in->ops[in->nops - 1];
	uint32_t bits = mask->kind == SASS_IMM ? (uint32_t)mask->value : 0x7f;

	for (uint8_t p = 0; p < 7; p++)
		if (bits >> p & 1)
			add(l, SASS_PRED, p, 1, index, write);
}

static void add_address(struct use_list *l, const struct sass_inst *in,
			const struct sass_operand *o, uint8_t index)
{
	add(l, SASS_GPR, o->reg, o->flags & SASS_A64 ? 2 : 1, index, false);
	if (o->aux != SASS_NO_UREG)
		add(l, SASS_UGPR, o->aux, in->mod[SASS_M_E] || o->flags & SASS_DESC ? 2 : 1, index,
		    false);
}

/* Most operands are registers or nothing to us. */
static inline void add_operand(struct use_list *l, const struct sass_inst *in,
			       const struct sass_slot *s, uint8_t index)
{
	const struct sass_operand *o = &in->ops[index];
	bool write = s->flags & SLOT_WRITE;

	if (s->type == SLOT_PR)
		add_all_predicates(l, in, index, write);
	if (o->kind == SASS_NONE || o->kind == SASS_IMM)
		return;
	if (s->flags & SLOT_RED && in->mod[SASS_M_BAR] < SASS_BAR_RED_POPC)
		return;
	if (s->if_mod && !in->mod[s->if_mod - 1])
		return;
	if (o->kind <= SASS_BREG)
		add(l, o->kind, o->reg, s->count == COUNT_1 ? 1 : count(in, s->count), index, write);
	else if (o->kind == SASS_CONST)
		add(l, SASS_GPR, o->reg, 1, index, false);
	else if (o->kind == SASS_ADDR)
		add_address(l, in, o, index);
}

uint32_t sass_uses(const struct sass_inst *in, struct sass_reg_use uses[SASS_MAX_USES])
{
	const struct sass_form *row = sass_row(in);
	struct use_list l = {uses, 0};
	uint32_t i;

	if (!row)
		return 0;
	for (i = 0; i < SASS_MAX_OPERANDS && row->ops[i].type; i++)
		add_operand(&l, in, &row->ops[i], i);
	add(&l, row->uniform ? SASS_UPRED : SASS_PRED, in->guard, 1, SASS_USE_GUARD, false);
	return l.n;
}
