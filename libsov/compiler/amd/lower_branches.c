// SPDX-License-Identifier: MIT
/*
 * Lowers block terminators to jumps and EXEC updates, as exec_masks.c planned. A masked block has
 * an SGPR with the lanes that wait for it, and a guard in front:
 *	guard:  exec = mask[b]                    end:  mask[s0] |= exec & cond
 *	        to the next dispatch if exec = 0        mask[s1] |= exec & ~cond
 *	        mask[b] = 0 (in loops)                  to the next dispatch
 *
 * The next dispatch point is the following guard of the same mask component in block order. After a
 * loop's last block, the loop check returns to the header if lanes wait there. When no lane is
 * left, the wave ends. An edge into a component from outside clears the component's masks.
 *
 * Structured branches (structured_branches.c) need only the saved EXEC and, for an else part, its
 * lanes:
 *	branch: saved = exec                       loop:  saved = exec (at entry)
 *	        other = exec & ~cond                      ...
 *	        exec = exec & cond                        exec = exec & stay
 *	        to second if exec = 0                     to leave if exec = 0
 *	second: exec = other                              ...
 *	        to leave if exec = 0
 *	leave:  exec = saved                       leave: exec = saved
 */
#include "libsov/compiler/amd/mir.h"

struct dispatch_point {
	uint32_t block, component;
};

struct branch_lowering {
	struct gcn_func *f;
	const struct gcn_control *c;
	uint32_t *mask_vreg;  /* by block: SGPR with the lanes that wait for it */
	uint32_t *guard;      /* by block: its guard block */
	uint32_t *loop_check; /* by loop: its check block, 0: none */
	uint32_t exit_block;  /* where the wave ends */
	struct dispatch_point *dispatch_points;
	uint32_t ndispatch_points;
	/* first dispatch point after a block, after a loop */
	uint32_t *next_dispatch, *next_dispatch_after_loop;
	struct gcn_src *cond;
	bool *may_sync; /* by block: a sync header is reachable */
	struct structure_blocks {
		uint32_t saved, other; /* vregs */
		/* blocks: loop entry, start of the else part, join; 0: none */
		uint32_t enter, second, leave;
	} *lowered; /* by structure */
};

static struct gcn_src wait_mask(const struct branch_lowering *lowering, ir_block b)
{
	return gcn_word(lowering->f, lowering->mask_vreg[b], 0);
}

static const struct gcn_src exec = {.reg = AMD_EXEC};

/* Whether lanes may reach the header again while others are still inside the loop. */
static bool needs_loop_check(const struct gcn_control *c, uint32_t loop)
{
	ir_block h = c->loops[loop].header;
	const struct ir_bb *bb = &c->f->blocks[h];

	for (uint32_t p = 0; c->masked[h] && p < bb->npreds; p++)
		if (gcn_in_loop(c, bb->preds[p], loop) && c->masked[bb->preds[p]])
			return true;
	return false;
}

static void add_dispatch_point(struct branch_lowering *lowering, uint32_t block, ir_block of)
{
	lowering->dispatch_points[lowering->ndispatch_points++] =
		(struct dispatch_point){block, lowering->c->component[of]};
}

/* Lists guards and loop checks in order, and the position after each block. */
static void list_dispatch_points(struct branch_lowering *lowering)
{
	const struct gcn_control *c = lowering->c;

	for (uint32_t k = 0; k < c->count; k++) {
		if (c->masked[c->order[k]])
			add_dispatch_point(lowering, lowering->guard[c->order[k]], c->order[k]);
		lowering->next_dispatch[c->order[k]] = lowering->ndispatch_points;
		/* Inner loops have higher numbers. */
		for (uint32_t l = c->nloops; l--;)
			if (lowering->loop_check[l] && c->loops[l].end == k + 1) {
				add_dispatch_point(lowering, lowering->loop_check[l],
						   c->loops[l].header);
				lowering->next_dispatch_after_loop[l] = lowering->ndispatch_points;
			}
	}
}

/* Where the wave continues once the current lanes have stopped to wait. */
static uint32_t next_dispatch_from(const struct branch_lowering *lowering, uint32_t dispatch_point,
				   uint32_t component)
{
	for (; dispatch_point < lowering->ndispatch_points; dispatch_point++)
		if (lowering->dispatch_points[dispatch_point].component == component)
			return lowering->dispatch_points[dispatch_point].block;
	return lowering->exit_block;
}

static uint32_t next_dispatch_after(const struct branch_lowering *lowering, ir_block b,
				    uint32_t component)
{
	return next_dispatch_from(lowering, lowering->next_dispatch[b], component);
}

/* An edge from outside must find the component's masks empty. */
static void clear_component_masks(struct branch_lowering *lowering, uint32_t b, uint32_t component)
{
	for (uint32_t k = 0; k < lowering->c->count; k++) {
		ir_block m = lowering->c->order[k];

		if (lowering->c->masked[m] && lowering->c->component[m] == component)
			gcn_append_scalar(lowering->f, b, AMD_s_mov_b32, wait_mask(lowering, m),
					  gcn_imm(0), gcn_none());
	}
}

static void append_branch(struct branch_lowering *lowering, uint32_t b, uint32_t to)
{
	gcn_jump(lowering->f, b, AMD_s_branch, to);
}

static bool structure_contains(const struct gcn_control *c, uint32_t structure, ir_block b)
{
	const struct gcn_structured_branch *s = &c->structures[structure - 1];

	return c->position[b] >= s->begin && c->position[b] < s->end;
}

/* Where the wave goes once the active lanes have finished their part of a structure. */
static uint32_t structure_exit(const struct branch_lowering *lowering, uint32_t structure,
			       uint32_t position)
{
	const struct gcn_structured_branch *s = &lowering->c->structures[structure - 1];

	if (s->second && position < lowering->c->position[s->second])
		return lowering->lowered[structure - 1].second;
	if (s->restores_exec)
		return lowering->lowered[structure - 1].leave;
	return structure_exit(lowering, s->parent, s->begin);
}

/* The block through which b is entered from outside of the loop that it may head. */
static uint32_t block_entry(const struct branch_lowering *lowering, ir_block b)
{
	uint32_t into = lowering->c->structure_of[b];

	return into && lowering->c->structures[into - 1].loop == b &&
			       lowering->lowered[into - 1].enter
		       ? lowering->lowered[into - 1].enter
		       : b;
}

/*
 * The jump target if all active lanes take the edge b -> s. An exit block needs no mask if no lane
 * waits.
 */
static uint32_t edge_target_from(const struct branch_lowering *lowering, uint32_t around,
				 ir_block b, ir_block s)
{
	uint32_t into;

	if (around && lowering->c->structures[around - 1].join == s)
		return structure_exit(lowering, around, lowering->c->position[b]);
	if (gcn_is_exit_block(lowering->c->f, s) && !lowering->c->waiting_component[b])
		return lowering->exit_block;
	into = lowering->c->structure_of[s];
	return into && lowering->c->structures[into - 1].loop == s &&
			       structure_contains(lowering->c, into, b)
		       ? s
		       : block_entry(lowering, s);
}

static uint32_t edge_target(const struct branch_lowering *lowering, ir_block b, ir_block s)
{
	return edge_target_from(lowering, lowering->c->structure_of[b], b, s);
}

/*
 * Removes lanes that take the edge b -> s from the alive mask if no sync header is reachable from
 * s. Otherwise a warp sync would wait for them, while they wait for its lanes at the reconvergence
 * point after the loop.
 */
static void drop_from_alive(struct branch_lowering *lowering, ir_block b, ir_block s,
			    struct gcn_src lanes)
{
	struct gcn_src alive = gcn_word(lowering->f, lowering->f->alive_mask, 0);

	if (lowering->f->alive_mask && lowering->may_sync[b] && !lowering->may_sync[s])
		gcn_append_scalar(lowering->f, b, AMD_s_andn2_b32, alive, alive, lanes);
}

/* The same for both edges of a divergent branch. */
static void drop_divergent_from_alive(struct branch_lowering *lowering, ir_block b,
				      struct gcn_src cond)
{
	const struct ir_bb *bb = &lowering->c->f->blocks[b];

	for (uint32_t k = 0; k < 2 && lowering->f->alive_mask; k++) {
		uint32_t t;

		if (!lowering->may_sync[b] || lowering->may_sync[bb->succ[k]])
			continue;
		t = gcn_vreg_new(lowering->f, GCN_SCALAR, 1);
		gcn_append_scalar(lowering->f, b, k ? AMD_s_andn2_b32 : AMD_s_and_b32,
				  gcn_word(lowering->f, t, 0), exec, cond);
		drop_from_alive(lowering, b, bb->succ[k], gcn_word(lowering->f, t, 0));
	}
}

/* All active lanes take the edge b -> s. */
static void lower_edge(struct branch_lowering *lowering, ir_block b, ir_block s)
{
	const struct gcn_control *c = lowering->c;
	uint32_t to = edge_target(lowering, b, s);

	drop_from_alive(lowering, b, s, exec);
	if (!gcn_edge_is_masked(c, b, s) || to == lowering->exit_block) {
		append_branch(lowering, b, to);
		return;
	}
	if (c->waiting_component[b]) {
		gcn_append_scalar(lowering->f, b, AMD_s_or_b32, wait_mask(lowering, s),
				  wait_mask(lowering, s), exec);
		append_branch(lowering, b,
			      next_dispatch_after(lowering, b, c->waiting_component[b] - 1));
		return;
	}
	clear_component_masks(lowering, b, c->component[s]);
	gcn_append_scalar(lowering->f, b, AMD_s_mov_b32, wait_mask(lowering, s), exec, gcn_none());
	append_branch(lowering, b, lowering->guard[s]);
}

/* Narrows EXEC at a structured branch. */
static void lower_structured_branch(struct branch_lowering *lowering, ir_block b,
				    struct gcn_src cond)
{
	const struct gcn_structured_branch *s =
		&lowering->c->structures[lowering->c->branch_structure[b] - 1];
	const struct ir_bb *bb = &lowering->c->f->blocks[b];
	struct structure_blocks *blocks = &lowering->lowered[lowering->c->branch_structure[b] - 1];
	struct gcn_func *f = lowering->f;
	bool second = s->loop ? bb->succ[0] == s->join
			      : bb->succ[0] == s->join || bb->succ[0] == s->second;
	uint32_t none =
		s->loop ? structure_exit(lowering, lowering->c->branch_structure[b],
					 lowering->c->position[b])
			: structure_exit(lowering, lowering->c->branch_structure[b], s->begin);

	drop_divergent_from_alive(lowering, b, cond);
	if (blocks->other)
		gcn_append_scalar(f, b, second ? AMD_s_and_b32 : AMD_s_andn2_b32,
				  gcn_word(f, blocks->other, 0), exec, cond);
	if (!s->loop && blocks->saved)
		gcn_append_scalar(f, b, second ? AMD_s_andn1_saveexec_b32 : AMD_s_and_saveexec_b32,
				  gcn_word(f, blocks->saved, 0), cond, gcn_none());
	else
		gcn_append_scalar(f, b, second ? AMD_s_andn2_b32 : AMD_s_and_b32, exec, exec, cond);
	gcn_jump(f, b, AMD_s_cbranch_execz, none);
	append_branch(lowering, b, edge_target(lowering, b, bb->succ[second]));
}

/* Adds the lanes to the masks of both successors. */
static void lower_masked_branch(struct branch_lowering *lowering, ir_block b, struct gcn_src cond)
{
	struct gcn_func *f = lowering->f;
	const struct ir_bb *bb = &lowering->c->f->blocks[b];
	uint32_t t = gcn_vreg_new(f, GCN_SCALAR, 1), e = gcn_vreg_new(f, GCN_SCALAR, 1);

	drop_divergent_from_alive(lowering, b, cond);
	if (!lowering->c->waiting_component[b])
		clear_component_masks(lowering, b, lowering->c->component[bb->succ[0]]);
	gcn_append_scalar(f, b, AMD_s_and_b32, gcn_word(f, t, 0), exec, cond);
	gcn_append_scalar(f, b, AMD_s_andn2_b32, gcn_word(f, e, 0), exec, cond);
	for (uint32_t k = 0; k < 2; k++)
		gcn_append_scalar(f, b, AMD_s_or_b32, wait_mask(lowering, bb->succ[k]),
				  wait_mask(lowering, bb->succ[k]), gcn_word(f, k ? e : t, 0));
	append_branch(lowering, b,
		      next_dispatch_after(lowering, b, lowering->c->component[bb->succ[0]]));
}

/* Lanes whose condition equals `holds` end; the others continue to s. */
static void lower_exit_branch(struct branch_lowering *lowering, ir_block b, struct gcn_src cond,
			      bool holds, ir_block s)
{
	struct gcn_func *f = lowering->f;

	if (f->alive_mask) {
		uint32_t t = gcn_vreg_new(f, GCN_SCALAR, 1);

		gcn_append_scalar(f, b, holds ? AMD_s_and_b32 : AMD_s_andn2_b32, gcn_word(f, t, 0),
				  exec, cond);
		gcn_append_scalar(f, b, AMD_s_andn2_b32, gcn_word(f, f->alive_mask, 0),
				  gcn_word(f, f->alive_mask, 0), gcn_word(f, t, 0));
	}
	gcn_append_scalar(f, b, holds ? AMD_s_andn2_b32 : AMD_s_and_b32, exec, exec, cond);
	if (!lowering->c->waiting_component[b] || !lowering->c->masked[s])
		gcn_jump(f, b, AMD_s_cbranch_execz, lowering->exit_block);
	lower_edge(lowering, b, s);
}

static void lower_conditional(struct branch_lowering *lowering, ir_block b)
{
	const struct ir_bb *bb = &lowering->c->f->blocks[b];
	struct gcn_func *f = lowering->f;
	struct gcn_src cond = lowering->cond[b];
	bool first = gcn_is_exit_block(lowering->c->f, bb->succ[0]),
	     second = gcn_is_exit_block(lowering->c->f, bb->succ[1]);
	bool uniform = gcn_branch_is_uniform(lowering->c, b);
	uint32_t cleared = UINT32_MAX;

	if (lowering->c->branch_structure[b]) {
		lower_structured_branch(lowering, b, cond);
		return;
	}
	if (first != second && !uniform) {
		lower_exit_branch(lowering, b, cond, first, bb->succ[first]);
		return;
	}
	if (!uniform) {
		lower_masked_branch(lowering, b, cond);
		return;
	}
	/*
	 * Masks of an earlier iteration are stale, and those of a component entered from outside
	 * are uninitialised.
	 */
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t component = lowering->c->component[bb->succ[k]];

		if (!gcn_edge_is_masked(lowering->c, b, bb->succ[k]) ||
		    gcn_is_exit_block(lowering->c->f, bb->succ[k]) || component == cleared)
			continue;
		clear_component_masks(lowering, b, component);
		cleared = component;
	}
	if (cond.reg != AMD_SCC || cond.ref.vreg) {
		uint32_t t = gcn_vreg_new(f, GCN_SCALAR, 1);

		gcn_append_scalar(f, b, AMD_s_and_b32, gcn_word(f, t, 0), cond, exec);
	}
	gcn_jump(f, b, AMD_s_cbranch_scc1, edge_target(lowering, b, bb->succ[0]));
	append_branch(lowering, b, edge_target(lowering, b, bb->succ[1]));
}

/* Other lanes may still run; all return together. */
static void lower_return(struct branch_lowering *lowering, ir_block b)
{
	struct gcn_func *f = lowering->f;

	f->blocks[b].succ[f->blocks[b].nsucc++] = lowering->exit_block;
	if (f->returned_mask)
		gcn_append_scalar(f, b, AMD_s_mov_b32, gcn_word(f, f->returned_mask, 0), exec,
				  gcn_none());
	append_branch(
		lowering, b,
		lowering->c->waiting_component[b]
			? next_dispatch_after(lowering, b, lowering->c->waiting_component[b] - 1)
			: lowering->exit_block);
}

/* A call at the end of b may have ended every lane. */
static void skip_if_exec_empty(struct branch_lowering *lowering, ir_block b)
{
	const struct ir_func *ir = lowering->c->f;
	bool may = false;

	ir_for_each_inst(ir, b, i)
		may |= gcn_may_exit(lowering->f->module, ir_at(ir, i));
	if (may &&
	    (!lowering->c->waiting_component[b] || !lowering->c->masked[ir->blocks[b].succ[0]]))
		gcn_jump(lowering->f, b, AMD_s_cbranch_execz, lowering->exit_block);
}

static void lower_terminator(struct branch_lowering *lowering, ir_block b)
{
	const struct ir_func *ir = lowering->c->f;
	const struct ir_bb *bb = &ir->blocks[b];
	struct gcn_func *f = lowering->f;

	switch (ir_at(ir, bb->last)->op) {
	case IR_BR:
		skip_if_exec_empty(lowering, b);
		lower_edge(lowering, b, bb->succ[0]);
		break;
	case IR_CBR:
		lower_conditional(lowering, b);
		break;
	case IR_RET:
		if (ir->kind == IR_FUNCTION) {
			lower_return(lowering, b);
			break;
		}
		append_branch(lowering, b,
			      lowering->c->waiting_component[b]
				      ? next_dispatch_after(lowering, b,
							    lowering->c->waiting_component[b] - 1)
				      : lowering->exit_block);
		break;
	case IR_TRAP:
		gcn_append_scalar(f, b, AMD_s_trap, gcn_none(), gcn_none(), gcn_none())
			->in.field[AMD_F_IMM] = 2;
		append_branch(lowering, b, lowering->exit_block);
		break;
	default: /* Exit: other lanes may remain, here or in the caller. */
		if (f->alive_mask)
			gcn_append_scalar(f, b, AMD_s_andn2_b32, gcn_word(f, f->alive_mask, 0),
					  gcn_word(f, f->alive_mask, 0), exec);
		if (ir->kind == IR_FUNCTION)
			gcn_append_scalar(f, b, AMD_s_mov_b32, exec, gcn_imm(0), gcn_none());
		append_branch(lowering, b,
			      lowering->c->waiting_component[b]
				      ? next_dispatch_after(lowering, b,
							    lowering->c->waiting_component[b] - 1)
				      : lowering->exit_block);
		break;
	}
}

static void emit_guard(struct branch_lowering *lowering, ir_block b)
{
	struct gcn_func *f = lowering->f;
	uint32_t g = lowering->guard[b];

	gcn_append_scalar(f, g, AMD_s_mov_b32, exec, wait_mask(lowering, b), gcn_none());
	if (lowering->c->loop_of[b])
		gcn_append_scalar(f, g, AMD_s_mov_b32, wait_mask(lowering, b), gcn_imm(0),
				  gcn_none());
	gcn_jump(f, g, AMD_s_cbranch_execz,
		 next_dispatch_after(lowering, b, lowering->c->component[b]));
	f->blocks[g].linear_succ[f->blocks[g].nlinear_succ++] = block_entry(lowering, b);
	f->blocks[g].depth = f->blocks[b].depth;
}

static uint32_t new_block_like(struct branch_lowering *lowering, ir_block like)
{
	uint32_t b = gcn_block_new(lowering->f);

	lowering->f->blocks[b].depth = lowering->f->blocks[like].depth;
	return b;
}

/* Creates the vregs and blocks of a structure. */
static void prepare_structure(struct branch_lowering *lowering, uint32_t structure)
{
	const struct gcn_structured_branch *s = &lowering->c->structures[structure - 1];
	struct structure_blocks *blocks = &lowering->lowered[structure - 1];

	if (s->restores_exec) {
		blocks->saved = gcn_vreg_new(lowering->f, GCN_SCALAR, 1);
		blocks->leave = new_block_like(lowering, s->join);
		blocks->enter = s->loop ? new_block_like(lowering, s->join) : 0;
	}
	if (s->second) {
		blocks->other = gcn_vreg_new(lowering->f, GCN_SCALAR, 1);
		blocks->second = new_block_like(lowering, s->second);
	}
}

/* Appends the blocks of structures that directly precede b. */
static void append_blocks_before(struct branch_lowering *lowering, ir_block b)
{
	const struct gcn_control *c = lowering->c;
	struct gcn_func *f = lowering->f;

	for (uint32_t k = 1; k <= c->nstructures; k++) {
		const struct structure_blocks *blocks = &lowering->lowered[k - 1];

		if (blocks->second && c->structures[k - 1].second == b) {
			gcn_append_scalar(f, blocks->second, AMD_s_mov_b32, exec,
					  gcn_word(f, blocks->other, 0), gcn_none());
			gcn_jump(f, blocks->second, AMD_s_cbranch_execz,
				 structure_exit(lowering, k, c->position[b]));
			append_branch(lowering, blocks->second, b);
			gcn_layout_append(f, blocks->second);
		}
		if (blocks->enter && c->structures[k - 1].loop == b) {
			gcn_append_scalar(f, blocks->enter, AMD_s_mov_b32,
					  gcn_word(f, blocks->saved, 0), exec, gcn_none());
			append_branch(lowering, blocks->enter, b);
			gcn_layout_append(f, blocks->enter);
		}
	}
}

static void append_blocks_after(struct branch_lowering *lowering, ir_block b)
{
	const struct gcn_control *c = lowering->c;
	struct gcn_func *f = lowering->f;

	/* Inner structures have higher numbers. */
	for (uint32_t k = c->nstructures; k; k--) {
		const struct gcn_structured_branch *s = &c->structures[k - 1];
		const struct structure_blocks *blocks = &lowering->lowered[k - 1];

		if (!blocks->leave || s->end != c->position[b] + 1)
			continue;
		gcn_append_scalar(f, blocks->leave, AMD_s_mov_b32, exec,
				  gcn_word(f, blocks->saved, 0), gcn_none());
		append_branch(lowering, blocks->leave,
			      edge_target_from(lowering, s->parent, s->loop ? s->loop : s->branch,
					       s->join));
		gcn_layout_append(f, blocks->leave);
	}
}

static void emit_loop_check(struct branch_lowering *lowering, uint32_t loop)
{
	struct gcn_func *f = lowering->f;
	uint32_t b = lowering->loop_check[loop];
	ir_block h = lowering->c->loops[loop].header;

	gcn_append_scalar(f, b, AMD_s_cmp_lg_u32, gcn_none(), wait_mask(lowering, h), gcn_imm(0));
	gcn_jump(f, b, AMD_s_cbranch_scc1, lowering->guard[h]);
	append_branch(lowering, b,
		      next_dispatch_from(lowering, lowering->next_dispatch_after_loop[loop],
					 lowering->c->component[h]));
	f->blocks[b].depth = f->blocks[h].depth;
}

/* Copies the IR's edges: the logical CFG. */
static void copy_logical_edges(struct branch_lowering *lowering)
{
	for (uint32_t k = 0; k < lowering->c->count; k++) {
		ir_block b = lowering->c->order[k];
		struct gcn_block *to = &lowering->f->blocks[b];
		uint32_t loop = lowering->c->loop_of[b];

		to->nsucc = lowering->c->f->blocks[b].nsucc;
		for (uint32_t s = 0; s < to->nsucc; s++)
			to->succ[s] = lowering->c->f->blocks[b].succ[s];
		for (to->depth = 0; loop; loop = lowering->c->loops[loop - 1].parent)
			to->depth++;
	}
}

/* Copies inputs out of registers that calls clobber. */
static void copy_inputs(struct gcn_func *f)
{
	struct gcn_inst *first = f->blocks[f->first].first;

	if (f->entry_exec)
		gcn_move(f, f->first, first, gcn_word(f, f->entry_exec, 0), exec);
	for (uint32_t k = 0; k < GCN_INPUTS; k++)
		for (uint32_t w = 0;
		     f->input[k] != f->input_copy[k] && w < f->vregs[f->input[k]].words; w++) {
			uint32_t to = k == GCN_ARGS ? f->arg_copy[w] : f->input_copy[k];

			if (to)
				gcn_move(f, f->first, first, gcn_word(f, to, k == GCN_ARGS ? 0 : w),
					 gcn_word(f, f->input[k], w));
		}
}

/* Emits the return; results are already in their registers. */
static void emit_function_end(struct branch_lowering *lowering, uint32_t results)
{
	struct gcn_func *f = lowering->f;
	uint32_t to = gcn_vreg_fixed(f, GCN_SCALAR, 2, GCN_ABI_RETURN_ADDRESS);
	struct gcn_inst *i;

	if (f->returned_mask) {
		gcn_append_scalar(f, lowering->exit_block, AMD_s_mov_b32, exec,
				  gcn_word(f, f->returned_mask, 0), gcn_none());
		gcn_move(f, f->first, f->blocks[f->first].first, gcn_word(f, f->returned_mask, 0),
			 gcn_imm(0));
	}
	for (uint32_t k = 0; k < 2; k++)
		gcn_move(f, lowering->exit_block, NULL, gcn_word(f, to, k),
			 gcn_word(f, f->input_copy[GCN_RETURN_ADDRESS], k));
	i = gcn_append_scalar(f, lowering->exit_block, AMD_s_setpc_b64, gcn_none(),
			      gcn_word(f, to, 0), gcn_none());
	if (results)
		gcn_add_implicit(f, i, results, f->vregs[results].words, false);
}

static void find_sync_reachability(struct branch_lowering *lowering)
{
	const struct gcn_control *c = lowering->c;
	bool changed = true;

	lowering->may_sync =
		arena_array(lowering->f->arena, c->f->nblocks, sizeof(*lowering->may_sync));
	while (changed) {
		changed = false;
		for (uint32_t k = c->count; k--;) {
			ir_block b = c->order[k];
			bool reaches = gcn_is_sync_header(c->f, b);

			for (uint32_t s = 0; s < c->f->blocks[b].nsucc; s++)
				reaches |= lowering->may_sync[c->f->blocks[b].succ[s]];
			changed |= reaches != lowering->may_sync[b];
			lowering->may_sync[b] = reaches;
		}
	}
}

void gcn_lower_branches(struct gcn_func *f, const struct gcn_control *c, struct gcn_src *cond,
			uint32_t results)
{
	struct branch_lowering lowering = {.f = f, .c = c, .cond = cond};

	lowering.mask_vreg = arena_array(f->arena, c->f->nblocks, sizeof(*lowering.mask_vreg));
	lowering.guard = arena_array(f->arena, c->f->nblocks, sizeof(*lowering.guard));
	lowering.loop_check = arena_array(f->arena, c->nloops + 1, sizeof(*lowering.loop_check));
	copy_logical_edges(&lowering);
	if (f->alive_mask)
		find_sync_reachability(&lowering);
	lowering.exit_block = gcn_block_new(f);
	if (c->f->kind == IR_FUNCTION &&
	    ir_at(c->f, c->f->blocks[c->order[c->count - 1]].last)->op != IR_RET)
		f->returned_mask = gcn_vreg_new(f, GCN_SCALAR, 1);
	for (uint32_t k = 0; k < c->count; k++)
		if (c->masked[c->order[k]]) {
			lowering.mask_vreg[c->order[k]] = gcn_vreg_new(f, GCN_SCALAR, 1);
			lowering.guard[c->order[k]] = gcn_block_new(f);
		}
	for (uint32_t l = 0; l < c->nloops; l++)
		if (needs_loop_check(c, l))
			lowering.loop_check[l] = gcn_block_new(f);
	lowering.dispatch_points =
		arena_array(f->arena, c->count + c->nloops + 1, sizeof(*lowering.dispatch_points));
	lowering.next_dispatch =
		arena_array(f->arena, c->f->nblocks, sizeof(*lowering.next_dispatch));
	lowering.next_dispatch_after_loop =
		arena_array(f->arena, c->nloops + 1, sizeof(*lowering.next_dispatch_after_loop));
	list_dispatch_points(&lowering);
	lowering.lowered = arena_array(f->arena, c->nstructures + 1, sizeof(*lowering.lowered));
	for (uint32_t k = 1; k <= c->nstructures; k++)
		prepare_structure(&lowering, k);
	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k];

		if (c->masked[b])
			emit_guard(&lowering, b);
		lower_terminator(&lowering, b);
		if (c->masked[b])
			gcn_layout_append(f, lowering.guard[b]);
		append_blocks_before(&lowering, b);
		gcn_layout_append(f, b);
		append_blocks_after(&lowering, b);
		for (uint32_t l = c->nloops; l--;)
			if (lowering.loop_check[l] && c->loops[l].end == k + 1) {
				emit_loop_check(&lowering, l);
				gcn_layout_append(f, lowering.loop_check[l]);
			}
	}
	if (c->f->kind == IR_FUNCTION)
		emit_function_end(&lowering, results);
	else
		gcn_append_scalar(f, lowering.exit_block, AMD_s_endpgm, gcn_none(), gcn_none(),
				  gcn_none());
	gcn_layout_append(f, lowering.exit_block);
	copy_inputs(f);
}
