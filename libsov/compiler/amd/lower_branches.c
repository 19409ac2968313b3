// SPDX-License-Identifier: MIT
/*
 * Lowers block terminators to jumps and EXEC updates, as exec_masks.c planned. Masked blocks have
 * numbers. A VGPR holds the number of the block that each lane waits for, and an SGPR the lanes
 * that run or wait in the component. A masked block has a guard in front:
 *	guard:  exec = lanes                      end:  target = cond ? s0 : s1
 *	        exec = target == number of b            to the next dispatch
 *	        to the next dispatch if exec = 0
 *
 * One VGPR serves any number of blocks, where masks of waiting lanes would need an SGPR for each.
 * The next dispatch point is the following guard of the same mask component in block order. After a
 * loop's last block, the loop check returns to the header if lanes wait there. When no lane is
 * left, the wave ends. An edge into a component from outside, which all lanes take together, sets
 * the component's lanes. Lanes that end leave them; the target of a running lane that may end in
 * a callee is 0, the number of no block.
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

/* A point where the wave looks for waiting lanes, and one from which it continues there. */
struct dispatch {
	uint32_t block, component; /* block 0: none */
	uint32_t *next;            /* where to store the next point; NULL: nowhere */
};

struct branch_lowering {
	struct gcn_func *f;
	const struct gcn_control *c;
	uint32_t lanes;       /* SGPR: lanes of the component that the wave is in */
	uint32_t *number;     /* by masked block: its number in its component, from 1 */
	uint32_t *guard;      /* by block: its guard block */
	uint32_t *loop_check; /* by loop: its check block, 0: none */
	/* by position: 1 + last loop or number of the last structure that ends before it; by loop
	 * and structure: the one before that ends there. Inner ones have higher numbers. */
	uint32_t *loop_ending, *next_loop_ending, *structure_ending, *next_structure_ending;
	uint32_t *else_structure;    /* by block: structure whose else part it starts, 0: none */
	uint32_t exit_block;         /* where the wave ends */
	struct dispatch *dispatches; /* in block order */
	uint32_t ndispatches;
	/* first dispatch point of its component after a block, after a loop */
	uint32_t *next_dispatch, *next_dispatch_after_loop;
	struct gcn_src *cond;
	bool *may_sync; /* by block: a sync header is reachable */
	struct structure_blocks {
		uint32_t saved, other; /* vregs */
		/* blocks: loop entry, start of the else part, join; 0: none */
		uint32_t enter, second, leave;
	} *lowered; /* by structure */
};

static struct gcn_src component_lanes(const struct branch_lowering *lowering)
{
	return gcn_word(lowering->f, lowering->lanes, 0);
}

static struct gcn_src lane_target(const struct branch_lowering *lowering)
{
	return gcn_word(lowering->f, lowering->f->lane_target, 0);
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

/* The component in which lanes wait after the end of b. */
static uint32_t component_after(const struct gcn_control *c, ir_block b)
{
	return c->waiting_component[b] ? c->waiting_component[b] - 1
	       : c->f->blocks[b].nsucc ? c->component[c->f->blocks[b].succ[0]]
				       : c->component[b];
}

static void add_dispatch(struct branch_lowering *lowering, uint32_t block, uint32_t component,
			 uint32_t *next)
{
	lowering->dispatches[lowering->ndispatches++] = (struct dispatch){block, component, next};
}

/* Lists guards, ends of blocks and loop checks in block order. */
static void list_dispatches(struct branch_lowering *lowering)
{
	const struct gcn_control *c = lowering->c;

	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k];

		if (c->masked[b])
			add_dispatch(lowering, lowering->guard[b], c->component[b], NULL);
		add_dispatch(lowering, 0, component_after(c, b), &lowering->next_dispatch[b]);
		for (uint32_t l = lowering->loop_ending[k + 1]; l;
		     l = lowering->next_loop_ending[l - 1])
			if (lowering->loop_check[l - 1])
				add_dispatch(lowering, lowering->loop_check[l - 1],
					     c->component[c->loops[l - 1].header],
					     &lowering->next_dispatch_after_loop[l - 1]);
	}
}

/*
 * Finds where the wave continues once the lanes at the end of a block or in a loop have stopped to
 * wait: at the next guard or loop check of the component.
 */
static void find_next_dispatches(struct branch_lowering *lowering)
{
	const struct gcn_control *c = lowering->c;
	/* by component: its first dispatch point from here on */
	uint32_t *next = arena_array(lowering->f->arena, c->f->nblocks, sizeof(*next));

	for (uint32_t b = 0; b < c->f->nblocks; b++)
		next[b] = lowering->exit_block;
	list_dispatches(lowering);
	for (uint32_t k = lowering->ndispatches; k--;) {
		const struct dispatch *d = &lowering->dispatches[k];

		if (d->next)
			*d->next = next[d->component];
		if (d->block)
			next[d->component] = d->block;
	}
}

/* Sets the block that the active lanes wait for; 0: none. */
static void set_lane_target(struct branch_lowering *lowering, uint32_t b, uint32_t number)
{
	struct gcn_func *f = lowering->f;
	struct gcn_inst *i = gcn_inst_new(f, AMD_v_mov_b32, AMD_PLAIN);

	gcn_set_operand(f, i, AMD_D, lane_target(lowering));
	gcn_set_operand(f, i, AMD_S0, gcn_imm(number));
	gcn_insert(f, b, NULL, i);
}

/* Narrows EXEC to the lanes that wait for a block. */
static void select_waiting_lanes(struct branch_lowering *lowering, uint32_t b, ir_block target)
{
	struct gcn_func *f = lowering->f;
	struct gcn_inst *i = gcn_inst_new(f, AMD_v_cmpx_eq_u32, AMD_PLAIN);

	gcn_append_scalar(f, b, AMD_s_mov_b32, exec, component_lanes(lowering), gcn_none());
	gcn_set_operand(f, i, AMD_S0, gcn_imm(lowering->number[target]));
	gcn_set_operand(f, i, AMD_S1, lane_target(lowering));
	gcn_insert(f, b, NULL, i);
}

/* Lanes that end leave the component. */
static void remove_component_lanes(struct branch_lowering *lowering, ir_block b,
				   struct gcn_src ended)
{
	if (lowering->c->waiting_component[b])
		gcn_append_scalar(lowering->f, b, AMD_s_andn2_b32, component_lanes(lowering),
				  component_lanes(lowering), ended);
}

/* All lanes enter a component: its lanes are those in EXEC, and no lane waits. */
static void enter_component(struct branch_lowering *lowering, uint32_t b)
{
	gcn_append_scalar(lowering->f, b, AMD_s_mov_b32, component_lanes(lowering), exec,
			  gcn_none());
	if (lowering->f->module->may_exit)
		set_lane_target(lowering, b, 0);
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

	while (!s->restores_exec && !(s->second && position < lowering->c->position[s->second])) {
		position = s->begin;
		structure = s->parent;
		s = &lowering->c->structures[structure - 1];
	}
	return s->second && position < lowering->c->position[s->second]
		       ? lowering->lowered[structure - 1].second
		       : lowering->lowered[structure - 1].leave;
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
		set_lane_target(lowering, b, lowering->number[s]);
		append_branch(lowering, b, lowering->next_dispatch[b]);
		return;
	}
	enter_component(lowering, b);
	append_branch(lowering, b, to);
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

/* Each lane waits for one of the successors. */
static void lower_masked_branch(struct branch_lowering *lowering, ir_block b, struct gcn_src cond)
{
	struct gcn_func *f = lowering->f;
	const struct ir_bb *bb = &lowering->c->f->blocks[b];
	struct gcn_src yes = gcn_imm(lowering->number[bb->succ[0]]),
		       no = gcn_imm(lowering->number[bb->succ[1]]);
	struct gcn_inst *i = gcn_inst_new(f, AMD_v_cndmask_b32, AMD_E64);

	drop_divergent_from_alive(lowering, b, cond);
	if (!lowering->c->waiting_component[b])
		gcn_append_scalar(f, b, AMD_s_mov_b32, component_lanes(lowering), exec, gcn_none());
	if (!cond.ref.vreg) {
		uint32_t t = gcn_vreg_new(f, GCN_SCALAR, 1);

		gcn_append_scalar(f, b, AMD_s_mov_b32, gcn_word(f, t, 0), cond, gcn_none());
		cond = gcn_word(f, t, 0);
	}
	if (yes.reg == AMD_LITERAL && no.reg == AMD_LITERAL) { /* an instruction has one literal */
		set_lane_target(lowering, b, lowering->number[bb->succ[1]]);
		no = lane_target(lowering);
	}
	gcn_set_operand(f, i, AMD_D, lane_target(lowering));
	gcn_set_operand(f, i, AMD_S0, no);
	gcn_set_operand(f, i, AMD_S1, yes);
	gcn_set_operand(f, i, AMD_S2, cond);
	gcn_insert(f, b, NULL, i);
	append_branch(lowering, b, lowering->next_dispatch[b]);
}

/* Lanes whose condition equals `holds` end; the others continue to s. */
static void lower_exit_branch(struct branch_lowering *lowering, ir_block b, struct gcn_src cond,
			      bool holds, ir_block s)
{
	struct gcn_func *f = lowering->f;

	if (f->alive_mask || lowering->c->waiting_component[b]) {
		uint32_t t = gcn_vreg_new(f, GCN_SCALAR, 1);

		gcn_append_scalar(f, b, holds ? AMD_s_and_b32 : AMD_s_andn2_b32, gcn_word(f, t, 0),
				  exec, cond);
		remove_component_lanes(lowering, b, gcn_word(f, t, 0));
		if (f->alive_mask)
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
	bool enters = false;

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
	/* All lanes are here: none waits in the component that they enter, or still are in. */
	for (uint32_t k = 0; k < 2; k++)
		enters |= gcn_edge_is_masked(lowering->c, b, bb->succ[k]) &&
			  !gcn_is_exit_block(lowering->c->f, bb->succ[k]);
	if (enters)
		enter_component(lowering, b);
	if (cond.reg != AMD_SCC || cond.ref.vreg) {
		uint32_t t = gcn_vreg_new(f, GCN_SCALAR, 1);

		gcn_append_scalar(f, b, AMD_s_and_b32, gcn_word(f, t, 0), cond, exec);
	}
	gcn_jump(f, b, AMD_s_cbranch_scc1, edge_target(lowering, b, bb->succ[0]));
	append_branch(lowering, b, edge_target(lowering, b, bb->succ[1]));
}

/* The active lanes end or return; others may wait. */
static void end_lanes(struct branch_lowering *lowering, ir_block b)
{
	remove_component_lanes(lowering, b, exec);
	append_branch(lowering, b,
		      lowering->c->waiting_component[b] ? lowering->next_dispatch[b]
							: lowering->exit_block);
}

/* Other lanes may still run; all return together. */
static void lower_return(struct branch_lowering *lowering, ir_block b)
{
	struct gcn_func *f = lowering->f;

	f->blocks[b].succ[f->blocks[b].nsucc++] = lowering->exit_block;
	if (f->returned_mask)
		gcn_append_scalar(f, b, AMD_s_mov_b32, gcn_word(f, f->returned_mask, 0), exec,
				  gcn_none());
	end_lanes(lowering, b);
}

static bool may_end_in_callee(const struct branch_lowering *lowering, ir_block b)
{
	const struct ir_func *ir = lowering->c->f;
	bool may = false;

	ir_for_each_inst(ir, b, i)
		may |= gcn_may_exit(lowering->f->module, ir_at(ir, i));
	return may;
}

/* A call at the end of b may have ended every lane. */
static void skip_if_exec_empty(struct branch_lowering *lowering, ir_block b)
{
	const struct ir_func *ir = lowering->c->f;

	if (may_end_in_callee(lowering, b) &&
	    (!lowering->c->waiting_component[b] || !lowering->c->masked[ir->blocks[b].succ[0]]))
		gcn_jump(lowering->f, b, AMD_s_cbranch_execz, lowering->exit_block);
}

/*
 * A trap is a store that faults, after an s_trap for runtimes with a trap handler. The wave ends
 * there, unless a callee has ended every lane.
 */
static void lower_trap(struct branch_lowering *lowering, ir_block b)
{
	struct gcn_func *f = lowering->f;
	uint32_t at = gcn_vreg_new(f, GCN_VECTOR, 2);
	struct gcn_inst *i;

	gcn_append_scalar(f, b, AMD_s_trap, gcn_none(), gcn_none(), gcn_none())
		->in.field[AMD_F_IMM] = AMD_TRAP_FATAL;
	gcn_move(f, b, NULL, gcn_word(f, at, 0), gcn_imm((uint32_t)AMD_TRAP_PAGE));
	gcn_move(f, b, NULL, gcn_word(f, at, 1), gcn_imm((uint32_t)(AMD_TRAP_PAGE >> 32)));
	i = gcn_inst_new(f, AMD_global_store_dword, AMD_PLAIN);
	gcn_set_operand(f, i, AMD_S0, gcn_word(f, at, 0));
	gcn_set_operand(f, i, AMD_S1, gcn_word(f, at, 0));
	gcn_set_operand(f, i, AMD_S2, gcn_reg(AMD_NULL));
	gcn_insert(f, b, NULL, i);
	if (lowering->c->f->kind == IR_KERNEL) {
		append_branch(lowering, b, lowering->exit_block);
		return;
	}
	if (may_end_in_callee(lowering, b))
		gcn_jump(f, b, AMD_s_cbranch_execz, lowering->exit_block);
	gcn_append_scalar(f, b, AMD_s_endpgm, gcn_none(), gcn_none(), gcn_none());
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
		end_lanes(lowering, b);
		break;
	case IR_TRAP:
		lower_trap(lowering, b);
		break;
	default: /* Exit: other lanes may remain, here or in the caller. */
		if (f->alive_mask)
			gcn_append_scalar(f, b, AMD_s_andn2_b32, gcn_word(f, f->alive_mask, 0),
					  gcn_word(f, f->alive_mask, 0), exec);
		if (ir->kind == IR_FUNCTION)
			gcn_append_scalar(f, b, AMD_s_mov_b32, exec, gcn_imm(0), gcn_none());
		end_lanes(lowering, b);
		break;
	}
}

static void emit_guard(struct branch_lowering *lowering, ir_block b)
{
	struct gcn_func *f = lowering->f;
	uint32_t g = lowering->guard[b];

	select_waiting_lanes(lowering, g, b);
	if (may_end_in_callee(lowering, b))
		set_lane_target(lowering, g, 0);
	gcn_jump(f, g, AMD_s_cbranch_execz, lowering->next_dispatch[b]);
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
		lowering->else_structure[s->second] = structure;
	}
}

/* Appends the blocks of structures that directly precede b. */
static void append_blocks_before(struct branch_lowering *lowering, ir_block b)
{
	const struct gcn_control *c = lowering->c;
	struct gcn_func *f = lowering->f;

	uint32_t k = lowering->else_structure[b];

	if (k) {
		uint32_t second = lowering->lowered[k - 1].second;

		gcn_append_scalar(f, second, AMD_s_mov_b32, exec,
				  gcn_word(f, lowering->lowered[k - 1].other, 0), gcn_none());
		gcn_jump(f, second, AMD_s_cbranch_execz,
			 structure_exit(lowering, k, c->position[b]));
		append_branch(lowering, second, b);
		gcn_layout_append(f, second);
	}
	k = c->loop_of[b] ? c->loop_structure[c->loop_of[b] - 1] : 0;
	if (k && c->structures[k - 1].loop == b && lowering->lowered[k - 1].enter) {
		uint32_t enter = lowering->lowered[k - 1].enter;

		gcn_append_scalar(f, enter, AMD_s_mov_b32,
				  gcn_word(f, lowering->lowered[k - 1].saved, 0), exec, gcn_none());
		append_branch(lowering, enter, b);
		gcn_layout_append(f, enter);
	}
}

static void append_blocks_after(struct branch_lowering *lowering, ir_block b)
{
	const struct gcn_control *c = lowering->c;
	struct gcn_func *f = lowering->f;

	for (uint32_t k = lowering->structure_ending[c->position[b] + 1]; k;
	     k = lowering->next_structure_ending[k - 1]) {
		const struct gcn_structured_branch *s = &c->structures[k - 1];
		const struct structure_blocks *blocks = &lowering->lowered[k - 1];

		if (!blocks->leave)
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

	select_waiting_lanes(lowering, b, h);
	gcn_jump(f, b, AMD_s_cbranch_execnz, lowering->guard[h]);
	append_branch(lowering, b, lowering->next_dispatch_after_loop[loop]);
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

/* Lists loops and structures by the position at which they end. */
static void list_endings(struct branch_lowering *lowering)
{
	const struct gcn_control *c = lowering->c;
	struct arena *a = lowering->f->arena;
	uint32_t *ending;

	lowering->loop_ending = arena_array(a, c->count + 1, sizeof(*lowering->loop_ending));
	lowering->next_loop_ending = arena_array(a, c->nloops + 1, sizeof(*ending));
	lowering->structure_ending = arena_array(a, c->count + 1, sizeof(*ending));
	lowering->next_structure_ending = arena_array(a, c->nstructures + 1, sizeof(*ending));
	for (uint32_t l = 1; l <= c->nloops; l++) {
		ending = &lowering->loop_ending[c->loops[l - 1].end];
		lowering->next_loop_ending[l - 1] = *ending;
		*ending = l;
	}
	for (uint32_t k = 1; k <= c->nstructures; k++) {
		ending = &lowering->structure_ending[c->structures[k - 1].end];
		lowering->next_structure_ending[k - 1] = *ending;
		*ending = k;
	}
}

/* Numbers the masked blocks and creates their guards and loop checks. */
static void prepare_components(struct branch_lowering *lowering)
{
	const struct gcn_control *c = lowering->c;
	struct gcn_func *f = lowering->f;
	/* by component: its masked blocks */
	uint32_t *counts = arena_array(f->arena, c->f->nblocks, sizeof(*counts));

	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k];

		if (!c->masked[b])
			continue;
		lowering->number[b] = ++counts[c->component[b]];
		lowering->guard[b] = gcn_block_new(f);
		if (lowering->lanes)
			continue;
		lowering->lanes = gcn_vreg_new(f, GCN_SCALAR, 1);
		f->lane_target = gcn_vreg_new(f, GCN_VECTOR, 1);
		f->vregs[f->lane_target].whole_function = true;
	}
	for (uint32_t l = 0; l < c->nloops; l++)
		if (needs_loop_check(c, l))
			lowering->loop_check[l] = gcn_block_new(f);
	lowering->dispatches = arena_array(f->arena, 2 * (size_t)c->count + c->nloops + 1,
					   sizeof(*lowering->dispatches));
	find_next_dispatches(lowering);
}

void gcn_lower_branches(struct gcn_func *f, const struct gcn_control *c, struct gcn_src *cond,
			uint32_t results)
{
	struct branch_lowering lowering = {.f = f, .c = c, .cond = cond};

	lowering.number = arena_array(f->arena, c->f->nblocks, sizeof(*lowering.number));
	lowering.guard = arena_array(f->arena, c->f->nblocks, sizeof(*lowering.guard));
	lowering.loop_check = arena_array(f->arena, c->nloops + 1, sizeof(*lowering.loop_check));
	copy_logical_edges(&lowering);
	if (f->alive_mask)
		find_sync_reachability(&lowering);
	lowering.exit_block = gcn_block_new(f);
	if (c->f->kind == IR_FUNCTION &&
	    ir_at(c->f, c->f->blocks[c->order[c->count - 1]].last)->op != IR_RET)
		f->returned_mask = gcn_vreg_new(f, GCN_SCALAR, 1);
	lowering.next_dispatch =
		arena_array(f->arena, c->f->nblocks, sizeof(*lowering.next_dispatch));
	lowering.next_dispatch_after_loop =
		arena_array(f->arena, c->nloops + 1, sizeof(*lowering.next_dispatch_after_loop));
	lowering.else_structure =
		arena_array(f->arena, c->f->nblocks, sizeof(*lowering.else_structure));
	list_endings(&lowering);
	prepare_components(&lowering);
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
		for (uint32_t l = lowering.loop_ending[k + 1]; l;
		     l = lowering.next_loop_ending[l - 1])
			if (lowering.loop_check[l - 1]) {
				emit_loop_check(&lowering, l - 1);
				gcn_layout_append(f, lowering.loop_check[l - 1]);
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
