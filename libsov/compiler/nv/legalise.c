// SPDX-License-Identifier: MIT
/*
 * Legalisation on the IR: operations that the target lacks are lowered to those that it has
 * (passes/lower.h).
 */
#include "libsov/compiler/passes/lower.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/isa/mma.h"

#define MAX_STEPS 64 /* up the dominator tree */

/* Atomics in shared memory have no floating-point addition and, for 64 bits, only exchange; no
 * space has floating-point minimum and maximum, nor operations on a single half. */
static bool is_native_atomic(const struct ir_inst *in)
{
	if (in->type == IR_B16)
		return false;
	if (in->format)
		return nv_is_packed_add(in) && in->space == IR_GLOBAL;
	if (in->op == IR_CAS)
		return true;
	if (in->sub == IR_ATOM_FMIN || in->sub == IR_ATOM_FMAX)
		return false;
	if (in->space == IR_GLOBAL)
		return true;
	return in->sub == IR_ATOM_EXCH || (in->type == IR_B32 && in->sub != IR_ATOM_FADD);
}

/* Global memory adds pairs of bf16 from Hopper on: for older chips ptxas rejects them. */
static bool is_native_before_hopper(const struct ir_inst *in)
{
	return is_native_atomic(in) && in->format != IR_BF16X2;
}

static bool has_all_lanes(const struct ir_func *f, const struct ir_inst *in)
{
	uint64_t members;

	return ir_is_const(f, in->args[1], &members) && (uint32_t)members == UINT32_MAX;
}

bool nv_is_packed_add(const struct ir_inst *in)
{
	return in->op == IR_ATOM && in->sub == IR_ATOM_FADD && in->type == IR_B32 &&
	       (in->format == IR_F16X2 || in->format == IR_BF16X2);
}

/* Instructions that take the address of a barrier, or a handle, from a uniform register. */
static bool needs_uniform_address(const struct ir_inst *in)
{
	return in->op == IR_MBARRIER_INIT || in->op == IR_COPYARRIVE ||
	       ir_ops[in->op].rule == R_TEXTURE;
}

/* Bulk copies are the warp's, with operands in uniform registers, but PTX has one per lane. */
static bool is_of_warp(const struct ir_inst *in)
{
	return in->op == IR_BULKCOPY || in->op == IR_BULKREDUCE || in->op == IR_TENSORCOPY ||
	       in->op == IR_MAPACQUIRE || in->op == IR_MAPPREFETCH;
}

static bool needs_waterfalls(const struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (needs_uniform_address(ir_at(f, i)) || is_of_warp(ir_at(f, i)))
				return true;
	return false;
}

/* Whether only one lane has the condition: it is the lane with a number that all of them know, such
 * as the one that elect.sync chooses. */
static bool selects_lane(const struct ir_func *f, const struct ir_divergence *d, ir_val known,
			 ir_val condition)
{
	const struct ir_inst *in = ir_def(f, condition);

	if (condition >= known || in->op != IR_ICMP || in->cond != IR_EQ)
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		const struct ir_inst *lane = ir_def(f, in->args[k]);

		if (lane->op == IR_SREG && lane->sub == IR_LANEID && !d->value[in->args[1 - k]])
			return true;
	}
	return false;
}

/* known: values below it have a divergence; waterfall loops have others. */
static bool has_one_lane(const struct ir_func *f, const struct ir_divergence *d, ir_val known,
			 ir_block b)
{
	for (uint32_t steps = 0; f->blocks[b].npreds == 1 && steps < MAX_STEPS; steps++) {
		ir_block from = f->blocks[b].preds[0];
		const struct ir_inst *end = ir_at(f, f->blocks[from].last);

		if (end->op == IR_CBR && f->blocks[from].succ[0] == b &&
		    f->blocks[from].succ[1] != b && selects_lane(f, d, known, end->args[0]))
			return true;
		b = from;
	}
	return false;
}

/* ptxas repeats bulk copies for each lane, too, but after elect.sync. */
static void insert_waterfalls(struct ir_func *f, uint32_t warp_lanes)
{
	const struct ir_divergence *d;
	ir_val known = f->nvalues;

	if (!needs_waterfalls(f))
		return;
	d = ir_divergence_compute(f, ir_cfg_build(f));
	for (ir_block b = f->entry; b; b = f->blocks[b].next)
		ir_for_each_inst(f, b, i) {
			bool lanes = is_of_warp(ir_at(f, i));

			if (lanes && has_one_lane(f, d, known, b))
				continue;
			if (lanes || (needs_uniform_address(ir_at(f, i)) &&
				      d->value[ir_at(f, i)->args[0]])) {
				lower_to_waterfall(f, i, lanes ? WATERFALL_LANES : WATERFALL_VALUES,
						   warp_lanes);
				b = ir_at(f, i)->block; /* continue after it */
				break;
			}
		}
}

/* Hopper has no products of 4-bit integers and 8-bit floats, and of bits only the conjunction. */
static bool is_native_product(const struct mma_kind *kind, uint32_t sm)
{
	return sm < 90 ||
	       (kind->factors != MMA_I4 && kind->factors != MMA_F8 && !(kind->flags & MMA_XOR));
}

void nv_legalise(struct ir_func *f, uint32_t sm, uint32_t warp_lanes)
{
	bool (*is_native)(const struct ir_inst *in) =
		sm >= 90 ? is_native_atomic : is_native_before_hopper;

	if (f->kind == IR_FUNCTION)
		lower_returns(f);
	lower_cluster_barriers(f);
	if (sm < 90) {
		lower_bulk_copies(f);
		lower_tensor_copies(f);
		lower_mbarriers(f);
	} else {
		nv_predicate_zeroed_sums(f);
		insert_waterfalls(f, warp_lanes);
	}
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (in->op == IR_REDUCE &&
			    (sm < 80 || (!has_all_lanes(f, in) &&
					 !has_active_members(f, in->block, in->args[1])))) {
				lower_reduce(f, i, warp_lanes);
			} else if (in->op == IR_MMA && sm < 75) {
				/* Volta has only HMMA.884, whose fragments are others. */
				lower_mma(f, i, warp_lanes);
			} else if (in->op == IR_LOADMATRIX && sm < 75) {
				lower_loadmatrix(f, i, warp_lanes);
			} else if (in->op == IR_MMA &&
				   !is_native_product(&mma_kinds[in->sub], sm)) {
				lower_narrow_mma(f, i, warp_lanes);
			} else if ((in->op == IR_ATOM || in->op == IR_CAS) && !is_native(in)) {
				lower_atomic(f, i, is_native, true);
				break; /* the rest of the block is a new block, visited later */
			}
		}
}
