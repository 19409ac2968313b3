// SPDX-License-Identifier: MIT
/*
 * The IR, made ready for selection: what the machine lacks is written out, every edge that needs copies of
 * its own has a block for them, and masks that would have to be put together lane by lane become values of
 * the lanes. A comparison writes the bits of lanes that are off too. So where lanes come with masks of
 * different blocks (a phi) or of different turns of a loop, the mask goes through a vector register.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/passes/lower.h"

/* Floats are added by nobody in memory; LDS could, but flushes or not by its own rules. */
static bool is_native(const struct ir_inst *in)
{
	return in->type != IR_B16 && !in->format && (in->op == IR_CAS || in->sub < IR_ATOM_FADD);
}

static void write_out(struct ir_func *f, uint32_t warp_lanes)
{
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (in->op == IR_REDUCE) {
				lower_reduce(f, i, warp_lanes);
			} else if ((in->op == IR_ATOM || in->op == IR_CAS) && !is_native(in)) {
				lower_atomic(f, i, is_native);
				break; /* the rest of the block is another one now, still to come */
			}
		}
}

static void split_edge(struct ir_func *f, ir_block b, uint32_t k)
{
	ir_block to = f->blocks[b].succ[k], edge = ir_block_new_before(f, to, NULL);
	uint32_t count = 0, p = 0;
	ir_val *args;

	while (f->blocks[to].preds[p] != b)
		p++;
	ir_for_each_inst(f, to, i)
		count += ir_at(f, i)->op == IR_PHI;
	args = arena_array(f->module->arena, count + 1, sizeof(*args));
	count = 0;
	ir_for_each_inst(f, to, i)
		if (ir_at(f, i)->op == IR_PHI)
			args[count++] = ir_at(f, i)->args[p];
	ir_edge_redirect(f, b, to, edge);
	ir_append(f, edge, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(f, edge, to);
	count = 0;
	ir_for_each_inst(f, to, i)
		if (ir_at(f, i)->op == IR_PHI)
			ir_arg_append(f, i, args[count++]);
}

static bool needs_copies(const struct ir_func *f, ir_block b)
{
	return ir_at(f, f->blocks[b].first)->op == IR_PHI;
}

static void split_edges(struct ir_func *f)
{
	ir_block last = f->last_block;

	for (ir_block b = f->entry; b; b = b == last ? 0 : f->blocks[b].next)
		for (uint32_t k = 0; f->blocks[b].nsucc == 2 && k < 2; k++)
			if (f->blocks[f->blocks[b].succ[k]].npreds > 1 &&
			    needs_copies(f, f->blocks[b].succ[k]))
				split_edge(f, b, k);
}

bool gcn_legalise(struct ir_func *f, const struct gcn_unit *u, struct compile_job *job)
{
	gcn_legalise_calls(f, u);
	gcn_legalise_barriers(f, u);
	gcn_legalise_formats(f);
	write_out(f, job->target->warp_lanes);
	if (f->kind == IR_FUNCTION)
		lower_returns(f);
	split_edges(f);
	return !compile_verifies(job) || ir_verify(f->module, &job->diag);
}

/* ---- masks ---- */

static ir_val word_of(struct ir_func *f, ir_val p, ir_id before)
{
	ir_val args[3] = {p};
	ir_id i;

	for (uint32_t k = 0; k < 2; k++) {
		i = ir_inst_new(f, IR_CONST, IR_B32, NULL, 0, 1);
		ir_at(f, i)->imm = !k;
		ir_insert_before(f, before, i);
		args[1 + k] = ir_at(f, i)->res;
	}
	i = ir_inst_new(f, IR_SELECT, IR_B32, args, 3, 1);
	ir_insert_before(f, before, i);
	return ir_at(f, i)->res;
}

static ir_val mask_of(struct ir_func *f, ir_val word, ir_id before)
{
	ir_id i = ir_inst_new(f, IR_CONST, IR_B32, NULL, 0, 1);
	ir_val zero = ir_at(f, i)->res;

	ir_insert_before(f, before, i);
	i = ir_inst_new(f, IR_ICMP, IR_B32, (ir_val[]){word, zero}, 2, 1);
	ir_at(f, i)->cond = IR_NE;
	ir_insert_before(f, before, i);
	return ir_at(f, i)->res;
}

static void lower_phi(struct ir_func *f, ir_id phi, ir_id behind)
{
	ir_id word = ir_inst_new(f, IR_PHI, IR_B32, NULL, 0, 1);
	ir_block b = ir_at(f, phi)->block;
	ir_val old = ir_at(f, phi)->res, mask;

	ir_insert_before(f, phi, word);
	for (uint32_t p = 0; p < f->blocks[b].npreds; p++)
		ir_arg_append(
			f, word,
			word_of(f, ir_at(f, phi)->args[p], f->blocks[f->blocks[b].preds[p]].last));
	mask = mask_of(f, ir_at(f, word)->res, behind);
	ir_replace_uses(f, old, mask);
	ir_remove(f, phi);
}

/* A mask that is used outside of the loop that it is made in. */
static void carry_out(struct ir_func *f, const struct gcn_control *c, ir_id def, ir_val v)
{
	ir_val word = 0;

	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k];

		if (gcn_in_loop(c, b, c->loop_of[ir_at(f, def)->block] - 1))
			continue;
		ir_for_each_inst(f, b, i)
			for (uint32_t a = 0; a < ir_at(f, i)->nargs; a++)
				if (ir_at(f, i)->op != IR_PHI && ir_at(f, i)->args[a] == v) {
					if (!word)
						word = word_of(f, v, ir_at(f, def)->next);
					ir_at(f, i)->args[a] = mask_of(f, word, i);
				}
	}
}

void gcn_masks_to_vectors(struct ir_func *f)
{
	struct gcn_control *c = gcn_control_find(f, false);
	uint32_t count = f->nvalues; /* those before any of this */

	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k];
		ir_id behind = f->blocks[b].first;

		while (ir_at(f, behind)->op == IR_PHI)
			behind = ir_at(f, behind)->next;
		ir_for_each_inst_safe(f, b, i)
			if (ir_at(f, i)->op == IR_PHI && ir_at(f, i)->type == IR_B1 &&
			    ir_at(f, i)->res < count && c->divergence->value[ir_at(f, i)->res])
				lower_phi(f, i, behind);
	}
	c = gcn_control_find(f, false);
	for (uint32_t k = 0; k < c->count; k++)
		ir_for_each_inst(f, c->order[k], i) {
			for (uint32_t r = 0; c->loop_of[c->order[k]] && r < ir_at(f, i)->nres;
			     r++) {
				ir_val v = ir_at(f, i)->res + r;
				uint8_t op = ir_at(f, i)->op;

				/* What is the same for all leaves with all. */
				if (f->values[v].type == IR_B1 && op != IR_CONST &&
				    op != IR_UNDEF && op != IR_PHI)
					carry_out(f, c, i, v);
			}
		}
}
