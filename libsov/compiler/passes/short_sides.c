// SPDX-License-Identifier: MIT
/*
 * Short sides of branches become selects: everywhere if nothing but a condition or two depends on
 * the branch, as operators && and || of shading languages have it, and longer ones in loops with
 * products of matrices. A loop that multiplies matrices while it loads the next ones moves its
 * pointers with a branch where a buffer ends:
 *
 *	before:  products, cbr %end, side, join         before:  products
 *	side:    %q = sub %p, %size               =>             %q = sub %p, %size
 *	         br join                                         %r = select %end, %q, %p
 *	join:    %r = phi [before: %p], [side: %q]      join:    products
 *	         products
 *
 * The branch would separate the products: loads after it could not be scheduled between those
 * before it, nor could the factors of the next iteration have the registers of this one's. The back
 * end may predicate the side again, but only after it has scheduled the blocks.
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"

/* instructions of a side, without constants, and phis of its join */
struct limits {
	uint32_t work, selects;
};
static const struct limits product_limits = {4, 8}, condition_limits = {2, 2},
			   empty_limits = {0, 2};

static bool has_product(const struct ir_func *f, ir_block b)
{
	ir_for_each_inst(f, b, i)
		if (ir_at(f, i)->op == IR_MMA || ir_at(f, i)->op == IR_MMA_GROUP)
			return true;
	return false;
}

/* By block: the innermost loop around it has a product. */
static bool *find_product_loops(const struct ir_func *f, const struct ir_cfg *cfg)
{
	bool *found = arena_array(f->module->arena, f->nblocks, sizeof(*found));

	ir_for_each_block(f, b)
		if (cfg->loop_depth[b])
			found[cfg->loop_header[b]] |= has_product(f, b);
	ir_for_each_block(f, b)
		found[b] = cfg->loop_depth[b] && found[cfg->loop_header[b]];
	return found;
}

/* Whether it may be computed where its result is not needed, at the cost of an instruction. */
static bool is_cheap(const struct ir_inst *in)
{
	switch (in->op) {
	case IR_CONST:
	case IR_ADD:
	case IR_SUB:
	case IR_NEG:
	case IR_AND:
	case IR_OR:
	case IR_XOR:
	case IR_NOT:
	case IR_SHL:
	case IR_SHR_U:
	case IR_SHR_S:
	case IR_ICMP:
	case IR_FCMP:
	case IR_SELECT:
	case IR_ZEXT:
	case IR_SEXT:
	case IR_TRUNC:
		return true;
	case IR_LOAD: /* an argument; the verifier checks that it is one */
		return in->space == IR_PARAM && ir_address_arg(in) < 0 && in->imm % in->align == 0;
	default:
		return false;
	}
}

static bool is_short(const struct ir_func *f, ir_block side, uint32_t limit)
{
	uint32_t work = 0;

	if (f->blocks[side].npreds != 1 || ir_at(f, f->blocks[side].last)->op != IR_BR)
		return false;
	ir_for_each_inst(f, side, i) {
		const struct ir_inst *in = ir_at(f, i);

		if (i == f->blocks[side].last)
			break;
		work += in->op != IR_CONST;
		if (!is_cheap(in) || work > limit)
			return false;
	}
	return true;
}

static uint32_t count_phis(const struct ir_func *f, ir_block b)
{
	uint32_t n = 0;

	ir_for_each_inst(f, b, i)
		n += ir_at(f, i)->op == IR_PHI;
	return n;
}

static bool has_only_conditions(const struct ir_func *f, ir_block join)
{
	for (ir_id i = f->blocks[join].first; ir_at(f, i)->op == IR_PHI; i = ir_at(f, i)->next)
		if (ir_at(f, i)->type != IR_B1)
			return false;
	return true;
}

/* The successor of b that is such a side; UINT32_MAX: none. */
static uint32_t find_side(const struct ir_func *f, ir_block b, bool product)
{
	const struct ir_bb *bb = &f->blocks[b];

	for (uint32_t k = 0; k < 2 && ir_at(f, bb->last)->op == IR_CBR; k++) {
		ir_block side = bb->succ[k], join = bb->succ[!k];
		const struct limits *limits = product                        ? &product_limits
					      : has_only_conditions(f, join) ? &condition_limits
									     : &empty_limits;

		if (side != join && join != b && is_short(f, side, limits->work) &&
		    f->blocks[side].succ[0] == join && f->blocks[join].npreds == 2 &&
		    count_phis(f, join) <= limits->selects)
			return k;
	}
	return UINT32_MAX;
}

/* Replaces the phis of the join by selects at the end of b. */
static void select_values(struct ir_func *f, ir_block b, ir_block join, uint32_t k)
{
	ir_val condition = ir_at(f, f->blocks[b].last)->args[0];
	uint32_t before = f->blocks[join].preds[0] == b ? 0 : 1;

	for (ir_id i = f->blocks[join].first, next; ir_at(f, i)->op == IR_PHI; i = next) {
		const struct ir_inst *phi = ir_at(f, i);
		ir_val direct = phi->args[before], side = phi->args[!before], result = phi->res;
		ir_val args[3] = {condition, k ? direct : side, k ? side : direct};

		next = phi->next;
		if (direct != side) {
			ir_id made = ir_inst_new(f, IR_SELECT, phi->type, args, 3, 1);

			ir_insert_before(f, f->blocks[b].last, made);
			direct = ir_at(f, made)->res;
		}
		ir_remove(f, i);
		ir_replace_uses(f, result, direct);
	}
}

static void move_side(struct ir_func *f, ir_block b, uint32_t k)
{
	ir_block side = f->blocks[b].succ[k], join = f->blocks[b].succ[!k];

	for (ir_id i = f->blocks[side].first, next; i != f->blocks[side].last; i = next) {
		next = ir_at(f, i)->next;
		ir_remove(f, i);
		ir_insert_before(f, f->blocks[b].last, i);
	}
	select_values(f, b, join, k);
	ir_edge_remove(f, side, join);
	cfg_make_unconditional(f, b, !k);
}

bool pass_short_sides(struct ir_func *f, const struct target *t)
{
	const struct ir_cfg *cfg = ir_cfg_build(f);
	const bool *products = find_product_loops(f, cfg);
	bool changed = false;

	(void)t;
	ir_for_each_block(f, b) {
		uint32_t k = find_side(f, b, products[b]);

		if (k == UINT32_MAX)
			continue;
		move_side(f, b, k);
		changed = true;
	}
	if (changed)
		cfg_remove_unreachable(f);
	return changed;
}
