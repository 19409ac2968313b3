/* SPDX-License-Identifier: MIT */
/*
 * Loops of a known number of turns over an array in local memory, for the random kernels: what
 * flattening, promotion and the forwarding of stores look for. A turn may be left early or cut
 * short, the array is accessed at constant places, by the counter and now and then by a number that
 * nobody knows, in words and parts of words, and what a turn computed is used behind the loop.
 */
#ifndef TESTS_PASSES_TURNS_H
#define TESTS_PASSES_TURNS_H

#define RANDOM_CELLS 32 /* of 8 bytes */
#define RANDOM_DEEP  2  /* loops in loops */

/* A place in the array: base + counter * 8, a constant, or anything. */
static ir_val random_cell(struct random *r, ir_val counter, uint64_t *imm)
{
	ir_val index, shift;

	*imm = 8 * random_below(r, RANDOM_CELLS / 4);
	if (!counter || random_chance(r, 45))
		return random_chance(r, 30) ? random_op2(r, IR_ADD, IR_B64, r->cells,
							 random_const(r, IR_B64, 16))
					    : r->cells;
	if (r->unknown && random_chance(r, 40)) {
		index = random_value(r, IR_B64);
		index = random_op2(r, IR_AND, IR_B64, index, random_const(r, IR_B64, 7));
	} else {
		index = random_convert(r, IR_ZEXT, IR_B64, counter);
	}
	shift = random_const(r, IR_B32, 3);
	index = ir_at(r->f, random_append(r, IR_SHL, IR_B64, (ir_val[]){index, shift}, 2, 1))->res;
	return random_op2(r, IR_ADD, IR_B64, r->cells, index);
}

static void random_local(struct random *r, ir_val counter)
{
	bool load = random_chance(r, 50);
	enum ir_type t = random_chance(r, 70) ? IR_B64 : random_type(r, T_INT);
	uint32_t elements = random_chance(r, 80) ? 1 : 2;
	ir_val args[3] = {0};
	struct ir_inst *p;
	uint64_t imm;
	ir_id i;

	args[0] = random_cell(r, counter, &imm);
	for (uint32_t k = 0; !load && k < elements; k++)
		args[1 + k] = random_value(r, t);
	i = random_append(r, load ? IR_LOAD : IR_STORE, t, args, load ? 1 : 1 + elements,
			  load ? elements : 0);
	p = ir_at(r->f, i);
	p->imm = imm;
	p->space = IR_LOCAL;
	if (random_chance(r, 15)) /* now and then of the second half of a cell */
		p->imm += ir_type_bits(t) / 8 < 8 ? 8 - ir_type_bits(t) / 8 : 0;
	p->from = t > IR_B8 && random_chance(r, 15) ? IR_B8 + random_below(r, t - IR_B8) : t;
	p->align = ir_type_bits(p->from) / 8;
	p->flags = load && p->from < t && random_chance(r, 50) ? IR_SEXT_MEM : 0;
	p->flags |= random_chance(r, 3) ? IR_VOLATILE : 0;
	for (uint32_t k = 0, n = p->nres; k < n; k++)
		random_result(r, ir_at(r->f, i)->res + k);
}

static void random_jump(struct random *r, ir_val condition, ir_block yes, ir_block no)
{
	random_append(r, condition ? IR_CBR : IR_BR, IR_VOID, &condition, condition ? 1 : 0, 0);
	ir_edge(r->f, r->block, yes);
	if (condition)
		ir_edge(r->f, r->block, no);
}

static void random_turns(struct random *r)
{
	uint32_t turns = 1 + random_below(r, 5), step = 1 + random_below(r, 2),
		 start = random_below(r, 4);
	uint32_t reg = ir_reg_new(r->f, IR_B32), npool[IR_TYPE_COUNT];
	ir_block header = ir_block_new(r->f, NULL), latch = ir_block_new(r->f, NULL),
		 out = ir_block_new(r->f, NULL);
	ir_val counter, next;
	ir_id compare;

	r->deep++;
	random_write(r, reg, random_const(r, IR_B32, start));
	random_jump(r, 0, header, 0);
	r->block = header;
	r->f->blocks[header].rolled = random_chance(r, 10);
	counter = random_read(r, reg, IR_B32);
	random_offer(r, counter);
	random_local(r, counter);
	memcpy(npool, r->npool, sizeof(npool));
	for (uint32_t k = random_below(r, 4); k--;) {
		if (random_chance(r, 50)) { /* leave, or go on to the next turn */
			ir_block go_on = ir_block_new(r->f, NULL);
			ir_val condition = random_value(r, IR_B1);

			random_jump(r, condition, random_chance(r, 40) ? out : latch, go_on);
			r->block = go_on;
		}
		random_local(r, counter);
		random_code(r, random_below(r, 3));
		if (random_chance(r, 60)) {
			enum ir_type t = random_type(r, T_INT);

			random_write(r, r->regs[t][0], random_value(r, t));
		}
	}
	random_jump(r, 0, latch, 0);
	r->block = latch;
	memcpy(r->npool, npool, sizeof(npool));
	random_local(r, counter);
	next = random_op2(r, IR_ADD, IR_B32, counter, random_const(r, IR_B32, step));
	random_write(r, reg, next);
	next = random_op2(r, IR_ICMP, IR_B32, next, random_const(r, IR_B32, start + turns * step));
	compare = r->f->values[next].def;
	ir_at(r->f, compare)->cond = random_chance(r, 50) ? IR_NE : IR_LT_U;
	random_jump(r, next, header, out);
	r->block = out;
	memcpy(r->npool, npool, sizeof(npool));
	r->last = 0;
	r->deep--;
}

#endif
