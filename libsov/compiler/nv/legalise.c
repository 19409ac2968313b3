// SPDX-License-Identifier: MIT
/*
 * Legalisation on the IR: operations that the target lacks are lowered to those that it has
 * (passes/lower.h).
 */
#include "libsov/compiler/passes/lower.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/isa/mma.h"

#define MAX_STEPS    64 /* up the dominator tree */
#define MAX_DEPTH    4  /* of conditions that are combined */
/* Copies by one lane without a block boundary between them: each has up to nine uniform registers,
 * of which there are 63 and which cannot be spilled. */
#define MAX_TOGETHER 4

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

/* Whether the condition has this truth in only one lane: that with a number that all of them know,
 * such as the one that elect.sync chooses. */
static bool selects_lane(const struct ir_func *f, const struct ir_divergence *d, ir_val condition,
			 bool truth, uint32_t depth)
{
	const struct ir_inst *in = ir_def(f, condition);

	if (in->op == IR_NOT && depth)
		return selects_lane(f, d, in->args[0], !truth, depth - 1);
	if (in->op == (truth ? IR_AND : IR_OR) && depth)
		return selects_lane(f, d, in->args[0], truth, depth - 1) ||
		       selects_lane(f, d, in->args[1], truth, depth - 1);
	if (in->op != IR_ICMP || in->cond != (truth ? IR_EQ : IR_NE))
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		const struct ir_inst *lane = ir_def(f, in->args[k]);

		if (lane->op == IR_SREG && lane->sub == IR_LANEID && !d->value[in->args[1 - k]])
			return true;
	}
	return false;
}

/* Whether all paths to the block take an edge with such a condition. */
static bool has_one_lane(const struct ir_func *f, const struct ir_cfg *cfg,
			 const struct ir_divergence *d, ir_block b)
{
	ir_block from = b;

	for (uint32_t steps = 0; from != f->entry && steps < MAX_STEPS; steps++) {
		const struct ir_inst *end;

		from = cfg->idom[from];
		end = ir_at(f, f->blocks[from].last);
		for (uint32_t k = 0; end->op == IR_CBR && k < 2; k++) {
			ir_block to = f->blocks[from].succ[k];

			if (to != f->blocks[from].succ[!k] && f->blocks[to].npreds == 1 &&
			    ir_dominates(cfg, to, b) &&
			    selects_lane(f, d, end->args[0], !k, MAX_DEPTH))
				return true;
		}
	}
	return false;
}

/* Whether several lanes with the same operands may execute the warp's instruction once: it stores
 * the same bytes to the same places, or is a hint. ptxas does so, too. Copies that complete bytes
 * at a barrier and reductions count by lane. */
static bool is_idempotent(const struct ir_inst *in)
{
	if (in->op == IR_BULKCOPY)
		return in->sub == IR_BULK_TO_GLOBAL;
	if (in->op == IR_TENSORCOPY)
		return in->sub == IR_TENSOR_STORE;
	return in->op == IR_MAPACQUIRE || in->op == IR_MAPPREFETCH;
}

/* A mask of the arguments that may differ among the active lanes, and matter: a cache policy is a
 * hint. */
static uint32_t divergent_arguments(const struct ir_divergence *d, const struct ir_inst *in)
{
	uint32_t mask = 0;

	for (uint32_t k = 0; k < ir_data_args(in); k++)
		mask |= (uint32_t)d->value[in->args[k]] << k;
	return mask;
}

/* The loop that an instruction needs; none if it has no arguments that decide. */
struct loop {
	enum waterfall by;
	uint32_t arguments;
};

/* By instruction; found before the loops are inserted, whose values the analyses do not know. The
 * warp's instructions need none where one lane is active, or all lanes store the same. The loop
 * around one in five divides their block. ptxas repeats bulk copies for each lane, too, but after
 * elect.sync, and stores for each combination of operands. */
static struct loop *find_loops(const struct ir_func *f, const struct ir_cfg *cfg,
			       const struct ir_divergence *d)
{
	struct loop *loops = arena_array(f->module->arena, f->ninsts, sizeof(*loops));

	ir_for_each_block(f, b) {
		uint32_t together = 0;

		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);
			bool once;

			if (cfg->rpo_index[b] == UINT32_MAX)
				continue;
			if (needs_uniform_address(in))
				loops[i] =
					(struct loop){WATERFALL_LOW_WORDS, d->value[in->args[0]]};
			if (!is_of_warp(in))
				continue;
			loops[i].by = is_idempotent(in) ? WATERFALL_VALUES : WATERFALL_LANES;
			loops[i].arguments = divergent_arguments(d, in);
			once = together < MAX_TOGETHER &&
			       (has_one_lane(f, cfg, d, b) ||
				(is_idempotent(in) && !loops[i].arguments));
			together = once ? together + 1 : 0;
			if (once)
				loops[i].arguments = 0;
			else if (!loops[i].arguments)
				loops[i].arguments = 1;
		}
	}
	return loops;
}

static void insert_waterfalls(struct ir_func *f, uint32_t warp_lanes)
{
	const struct ir_cfg *cfg;
	const struct loop *loops;
	ir_id known = f->ninsts;

	if (!needs_waterfalls(f))
		return;
	cfg = ir_cfg_build(f);
	loops = find_loops(f, cfg, ir_divergence_compute(f, cfg));
	for (ir_block b = f->entry; b; b = f->blocks[b].next)
		ir_for_each_inst(f, b, i) {
			if (i >= known || !loops[i].arguments)
				continue;
			lower_to_waterfall(f, i, loops[i].by, loops[i].arguments, warp_lanes);
			b = ir_at(f, i)->block; /* continue after it */
			break;
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
		nv_test_barriers_early(f);
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
				ir_drop_policy(ir_at(f, i));
				lower_atomic(f, i, is_native, true);
				break; /* the rest of the block is a new block, visited later */
			}
		}
}
