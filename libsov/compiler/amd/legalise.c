// SPDX-License-Identifier: MIT
/*
 * IR legalisation for RDNA2: expands operations that the hardware lacks, splits critical edges that
 * need phi copies, and lowers divergent lane masks to vector values.
 *
 * v_cmp writes the bits of inactive lanes, too. A mask that merges in a phi or that leaves a loop
 * in different iterations would therefore lose the bits of other lanes; it is kept in a VGPR as 0
 * or 1 per lane.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/passes/lower.h"
#include "libsov/isa/mma.h"

/* No floating-point atomics in global memory; LDS has some, but with its own denormal rules. */
static bool is_native_atomic(const struct ir_inst *in)
{
	return in->type != IR_B16 && !in->format && (in->op == IR_CAS || in->sub < IR_ATOM_FADD);
}

static void widen_products(struct ir_func *f, uint32_t warp_lanes)
{
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);
			uint8_t factors = in->op == IR_MMA ? mma_kinds[in->sub].factors : MMA_F16;

			if (factors == MMA_I4 || factors == MMA_F8)
				lower_narrow_mma(f, i, warp_lanes);
		}
}

static void lower_operations(struct ir_func *f, uint32_t warp_lanes)
{
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (in->op == IR_COPYASYNC) {
				if (lower_copy(f, i))
					break; /* as below */
			} else if (in->op == IR_COPYCOMMIT || in->op == IR_COPYWAIT) {
				ir_remove(f, i);
			} else if (in->op == IR_MMA) {
				lower_mma(f, i, warp_lanes);
			} else if (in->op == IR_LOADMATRIX) {
				lower_loadmatrix(f, i, warp_lanes);
			} else if (in->op == IR_REDUCE) {
				lower_reduce(f, i, warp_lanes);
			} else if ((in->op == IR_ATOM || in->op == IR_CAS) &&
				   !is_native_atomic(in)) {
				lower_atomic(f, i, is_native_atomic, false);
				/* the block was split; the rest is visited as a later block */
				break;
			}
		}
}

static void split_critical_edge(struct ir_func *f, ir_block b, uint32_t k)
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

static bool begins_with_phi(const struct ir_func *f, ir_block b)
{
	return ir_at(f, f->blocks[b].first)->op == IR_PHI;
}

static void split_critical_edges(struct ir_func *f)
{
	ir_block last = f->last_block;

	for (ir_block b = f->entry; b; b = b == last ? 0 : f->blocks[b].next)
		for (uint32_t k = 0; f->blocks[b].nsucc == 2 && k < 2; k++)
			if (f->blocks[f->blocks[b].succ[k]].npreds > 1 &&
			    begins_with_phi(f, f->blocks[b].succ[k]))
				split_critical_edge(f, b, k);
}

/* Addresses of 32 bits, which only IR text has outside of shared, local and parameter memory, are
 * zero-extended: global and flat instructions take 64 bits. */
static void widen_addresses(struct ir_func *f)
{
	ir_for_each_block(f, b) {
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);
			int k = ir_ops[in->op].attributes & A_MEM ? ir_address_arg(in) : -1;
			ir_val at = k < 0 ? 0 : in->args[k];
			ir_id wide;

			if (k < 0 || f->values[at].type != IR_B32 || in->space == IR_SHARED ||
			    in->space == IR_LOCAL || in->space == IR_PARAM)
				continue;
			wide = ir_inst_new(f, IR_ZEXT, IR_B64, &at, 1, 1);
			ir_at(f, wide)->from = IR_B32;
			ir_insert_before(f, i, wide);
			ir_at(f, i)->args[k] = ir_at(f, wide)->res;
		}
	}
}

bool gcn_legalise(struct ir_func *f, const struct gcn_module_info *module, struct compile_job *job)
{
	widen_addresses(f);
	widen_products(f, job->target->warp_lanes);
	gcn_legalise_calls(f, module);
	gcn_legalise_barriers(f, module);
	gcn_legalise_formats(f);
	gcn_legalise_spaces(f);
	lower_tensor_copies(f);
	lower_bulk_copies(f);
	lower_mbarriers(f);
	lower_operations(f, job->target->warp_lanes);
	if (f->kind == IR_FUNCTION)
		lower_returns(f);
	split_critical_edges(f);
	if (!compile_verifies(job) || ir_verify_func(f, &job->diag))
		return true;
	diag_fault(&job->diag, 0, 0,
		   "'%s': legalisation produced invalid IR: a fault of the compiler", f->name);
	return false;
}

/* ---- lane masks ---- */

static ir_val mask_to_word(struct ir_func *f, ir_val p, ir_id before)
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

static ir_val word_to_mask(struct ir_func *f, ir_val word, ir_id before)
{
	ir_id i = ir_inst_new(f, IR_CONST, IR_B32, NULL, 0, 1);
	ir_val zero = ir_at(f, i)->res;

	ir_insert_before(f, before, i);
	i = ir_inst_new(f, IR_ICMP, IR_B32, (ir_val[]){word, zero}, 2, 1);
	ir_at(f, i)->cond = IR_NE;
	ir_insert_before(f, before, i);
	return ir_at(f, i)->res;
}

static void lower_mask_phi(struct ir_func *f, ir_id phi, ir_id after_phis)
{
	ir_id word = ir_inst_new(f, IR_PHI, IR_B32, NULL, 0, 1);
	ir_block b = ir_at(f, phi)->block;
	ir_val old = ir_at(f, phi)->res, mask;

	ir_insert_before(f, phi, word);
	for (uint32_t p = 0; p < f->blocks[b].npreds; p++)
		ir_arg_append(f, word,
			      mask_to_word(f, ir_at(f, phi)->args[p],
					   f->blocks[f->blocks[b].preds[p]].last));
	mask = word_to_mask(f, ir_at(f, word)->res, after_phis);
	ir_replace_uses(f, old, mask);
	ir_remove(f, phi);
}

/* Lowers a mask that is used outside of the loop that defines it. */
static void carry_mask_out_of_loop(struct ir_func *f, const struct gcn_control *c, ir_id def,
				   ir_val v)
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
						word = mask_to_word(f, v, ir_at(f, def)->next);
					ir_at(f, i)->args[a] = word_to_mask(f, word, i);
				}
	}
}

/* By value: another instruction than a phi reads it outside of the loop that defines it. */
static bool *find_uses_outside_loops(const struct ir_func *f, const struct gcn_control *c)
{
	bool *outside = arena_array(f->module->arena, f->nvalues, sizeof(*outside));

	for (uint32_t k = 0; k < c->count; k++)
		ir_for_each_inst(f, c->order[k], i) {
			const struct ir_inst *in = ir_at(f, i);

			for (uint32_t a = 0; in->op != IR_PHI && a < in->nargs; a++) {
				uint32_t loop = c->loop_of[ir_def(f, in->args[a])->block];

				outside[in->args[a]] |=
					loop && !gcn_in_loop(c, c->order[k], loop - 1);
			}
		}
	return outside;
}

void gcn_lower_lane_masks(struct ir_func *f)
{
	struct gcn_control *c = gcn_control_build(f, false);
	uint32_t count = f->nvalues; /* values that exist before lowering */
	const bool *outside;

	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k];
		ir_id after_phis = f->blocks[b].first;

		while (ir_at(f, after_phis)->op == IR_PHI)
			after_phis = ir_at(f, after_phis)->next;
		ir_for_each_inst_safe(f, b, i)
			if (ir_at(f, i)->op == IR_PHI && ir_at(f, i)->type == IR_B1 &&
			    ir_at(f, i)->res < count && c->divergence->value[ir_at(f, i)->res])
				lower_mask_phi(f, i, after_phis);
	}
	c = gcn_control_build(f, false);
	outside = find_uses_outside_loops(f, c);
	count = f->nvalues;
	for (uint32_t k = 0; k < c->count; k++)
		ir_for_each_inst(f, c->order[k], i) {
			for (uint32_t r = 0; c->loop_of[c->order[k]] && r < ir_at(f, i)->nres;
			     r++) {
				ir_val v = ir_at(f, i)->res + r;
				uint8_t op = ir_at(f, i)->op;

				/* A uniform mask leaves the loop together with all lanes. */
				if (f->values[v].type == IR_B1 && op != IR_CONST &&
				    op != IR_UNDEF && op != IR_PHI && v < count && outside[v])
					carry_mask_out_of_loop(f, c, i, v);
			}
		}
}
