// SPDX-License-Identifier: MIT
/*
 * Ends of blocks become jumps and masks, as control.c has decided. A masked block has a scalar register
 * with the lanes that wait for it, and a guard before it:
 *
 *	guard:	exec = waiting			end:	waiting[s0] |= exec & cond
 *		skip to the next if exec = 0		waiting[s1] |= exec & ~cond
 *		waiting = 0 (in loops)			on to the next masked block
 *
 * The next one is that of the same component in the order; behind a loop's last block stands the
 * question whether lanes wait at its header. When nobody is left, the wave ends. Who comes from outside
 * clears the masks of the component that he enters.
 *
 * Structures (structure.c) have no masks but what EXEC was, and of a second part its lanes:
 *
 *	branch:	saved = exec			loop:	saved = exec (on the way in)
 *		other = exec & ~cond			...
 *		exec = exec & cond			exec = exec & stay
 *		skip to the second if exec = 0		skip to the end if exec = 0
 *	second:	exec = other				...
 *		skip to the end if exec = 0	end:	exec = saved
 *	end:	exec = saved
 */
#include "libsov/compiler/amd/mir.h"

struct station {
	uint32_t block, component;
};

struct flow {
	struct gcn_func *f;
	const struct gcn_control *c;
	uint32_t *waiting;  /* by block: the register of its mask */
	uint32_t *guard;    /* by block: the block before it */
	uint32_t *loop_end; /* by loop: the block behind it, 0: none */
	uint32_t end;       /* where the wave ends */
	struct station *stations;
	uint32_t nstations;
	uint32_t *behind, *behind_loop; /* by block, by loop: the first station behind it */
	struct gcn_src *cond;
	bool *meets; /* by block: a meeting may come, here or later */
	struct exits {
		uint32_t saved, other; /* registers */
		uint32_t enter, second,
			leave; /* blocks: before a loop, a second part, behind all; 0: none */
	} * exits;             /* by structure */
};

static struct gcn_src mask_of(const struct flow *w, ir_block b)
{
	return gcn_at(w->f, w->waiting[b], 0);
}

static const struct gcn_src exec = {.reg = AMD_EXEC};

/* Where lanes come round to the header while others may still be on their way. */
static bool needs_end(const struct gcn_control *c, uint32_t loop)
{
	ir_block h = c->loops[loop].header;
	const struct ir_bb *bb = &c->f->blocks[h];

	for (uint32_t p = 0; c->masked[h] && p < bb->npreds; p++)
		if (gcn_in_loop(c, bb->preds[p], loop) && c->masked[bb->preds[p]])
			return true;
	return false;
}

static void add_station(struct flow *w, uint32_t block, ir_block of)
{
	w->stations[w->nstations++] = (struct station){block, w->c->component[of]};
}

/* Guards and loop ends in their order; behind each block, where to look for the next. */
static void list_stations(struct flow *w)
{
	const struct gcn_control *c = w->c;

	for (uint32_t k = 0; k < c->count; k++) {
		if (c->masked[c->order[k]])
			add_station(w, w->guard[c->order[k]], c->order[k]);
		w->behind[c->order[k]] = w->nstations;
		/* Inner loops have higher numbers. */
		for (uint32_t l = c->nloops; l--;)
			if (w->loop_end[l] && c->loops[l].end == k + 1) {
				add_station(w, w->loop_end[l], c->loops[l].header);
				w->behind_loop[l] = w->nstations;
			}
	}
}

/* Where a wave goes on that yields to others. */
static uint32_t next_from(const struct flow *w, uint32_t station, uint32_t component)
{
	for (; station < w->nstations; station++)
		if (w->stations[station].component == component)
			return w->stations[station].block;
	return w->end;
}

static uint32_t next_after(const struct flow *w, ir_block b, uint32_t component)
{
	return next_from(w, w->behind[b], component);
}

/* Whoever comes from outside finds all masks of a component empty. */
static void clear_component(struct flow *w, uint32_t b, uint32_t component)
{
	for (uint32_t k = 0; k < w->c->count; k++) {
		ir_block m = w->c->order[k];

		if (w->c->masked[m] && w->c->component[m] == component)
			gcn_scalar(w->f, b, AMD_s_mov_b32, mask_of(w, m), gcn_imm(0), gcn_none());
	}
}

static void jump(struct flow *w, uint32_t b, uint32_t to)
{
	gcn_jump(w->f, b, AMD_s_branch, to);
}

static bool is_inside(const struct gcn_control *c, uint32_t structure, ir_block b)
{
	const struct gcn_structure *s = &c->structures[structure - 1];

	return c->place[b] >= s->begin && c->place[b] < s->end;
}

/* Where lanes go that have done all of their part of a structure. */
static uint32_t way_out(const struct flow *w, uint32_t structure, uint32_t place)
{
	const struct gcn_structure *s = &w->c->structures[structure - 1];

	if (s->second && place < w->c->place[s->second])
		return w->exits[structure - 1].second;
	if (s->restores)
		return w->exits[structure - 1].leave;
	return way_out(w, s->parent, s->begin);
}

/* How a block is entered from outside of the loop that it may begin. */
static uint32_t front_of(const struct flow *w, ir_block b)
{
	uint32_t into = w->c->structure_of[b];

	return into && w->c->structures[into - 1].loop == b && w->exits[into - 1].enter
		       ? w->exits[into - 1].enter
		       : b;
}

/* Where all lanes that are on go: there is nobody to wait for at a block that ends them. */
static uint32_t target_from(const struct flow *w, uint32_t around, ir_block b, ir_block s)
{
	uint32_t into;

	if (around && w->c->structures[around - 1].meet == s)
		return way_out(w, around, w->c->place[b]);
	if (gcn_is_end(w->c->f, s) && !w->c->waiters[b])
		return w->end;
	into = w->c->structure_of[s];
	return into && w->c->structures[into - 1].loop == s && is_inside(w->c, into, b)
		       ? s
		       : front_of(w, s);
}

static uint32_t target_of(const struct flow *w, ir_block b, ir_block s)
{
	return target_from(w, w->c->structure_of[b], b, s);
}

/* Lanes go on to s; nobody waits at a meeting for those that cannot come there any more. These would wait
 * for the others in their turn, behind a loop that they have left. */
static void leave_meetings(struct flow *w, ir_block b, ir_block s, struct gcn_src lanes)
{
	struct gcn_src alive = gcn_at(w->f, w->f->alive, 0);

	if (w->f->alive && w->meets[b] && !w->meets[s])
		gcn_scalar(w->f, b, AMD_s_andn2_b32, alive, alive, lanes);
}

/* The same at a branch: those for which the condition holds go to the first successor. */
static void leave_apart(struct flow *w, ir_block b, struct gcn_src cond)
{
	const struct ir_bb *bb = &w->c->f->blocks[b];

	for (uint32_t k = 0; k < 2 && w->f->alive; k++) {
		uint32_t t;

		if (!w->meets[b] || w->meets[bb->succ[k]])
			continue;
		t = gcn_vreg_new(w->f, GCN_SCALAR, 1);
		gcn_scalar(w->f, b, k ? AMD_s_andn2_b32 : AMD_s_and_b32, gcn_at(w->f, t, 0), exec,
			   cond);
		leave_meetings(w, b, bb->succ[k], gcn_at(w->f, t, 0));
	}
}

/* All lanes that are on go to s. */
static void go(struct flow *w, ir_block b, ir_block s)
{
	const struct gcn_control *c = w->c;
	uint32_t to = target_of(w, b, s);

	leave_meetings(w, b, s, exec);
	if (!gcn_waits(c, b, s) || to == w->end) {
		jump(w, b, to);
		return;
	}
	if (c->waiters[b]) {
		gcn_scalar(w->f, b, AMD_s_or_b32, mask_of(w, s), mask_of(w, s), exec);
		jump(w, b, next_after(w, b, c->waiters[b] - 1));
		return;
	}
	clear_component(w, b, c->component[s]);
	gcn_scalar(w->f, b, AMD_s_mov_b32, mask_of(w, s), exec, gcn_none());
	jump(w, b, w->guard[s]);
}

/* The branch of a structure. */
static void narrow(struct flow *w, ir_block b, struct gcn_src cond)
{
	const struct gcn_structure *s = &w->c->structures[w->c->parts_as[b] - 1];
	const struct ir_bb *bb = &w->c->f->blocks[b];
	struct exits *e = &w->exits[w->c->parts_as[b] - 1];
	struct gcn_func *f = w->f;
	bool second = s->loop ? bb->succ[0] == s->meet
			      : bb->succ[0] == s->meet || bb->succ[0] == s->second;
	uint32_t none = s->loop ? way_out(w, w->c->parts_as[b], w->c->place[b])
				: way_out(w, w->c->parts_as[b], s->begin);

	leave_apart(w, b, cond);
	if (e->other)
		gcn_scalar(f, b, second ? AMD_s_and_b32 : AMD_s_andn2_b32, gcn_at(f, e->other, 0),
			   exec, cond);
	if (!s->loop && e->saved)
		gcn_scalar(f, b, second ? AMD_s_andn1_saveexec_b32 : AMD_s_and_saveexec_b32,
			   gcn_at(f, e->saved, 0), cond, gcn_none());
	else
		gcn_scalar(f, b, second ? AMD_s_andn2_b32 : AMD_s_and_b32, exec, exec, cond);
	gcn_jump(f, b, AMD_s_cbranch_execz, none);
	jump(w, b, target_of(w, b, bb->succ[second]));
}

/* Those for which the condition holds go to the first successor, others to the second. */
static void part(struct flow *w, ir_block b, struct gcn_src cond)
{
	struct gcn_func *f = w->f;
	const struct ir_bb *bb = &w->c->f->blocks[b];
	uint32_t t = gcn_vreg_new(f, GCN_SCALAR, 1), e = gcn_vreg_new(f, GCN_SCALAR, 1);

	leave_apart(w, b, cond);
	if (!w->c->waiters[b])
		clear_component(w, b, w->c->component[bb->succ[0]]);
	gcn_scalar(f, b, AMD_s_and_b32, gcn_at(f, t, 0), exec, cond);
	gcn_scalar(f, b, AMD_s_andn2_b32, gcn_at(f, e, 0), exec, cond);
	for (uint32_t k = 0; k < 2; k++)
		gcn_scalar(f, b, AMD_s_or_b32, mask_of(w, bb->succ[k]), mask_of(w, bb->succ[k]),
			   gcn_at(f, k ? e : t, 0));
	jump(w, b, next_after(w, b, w->c->component[bb->succ[0]]));
}

/* Lanes for which the condition holds (or does not) end; the others go on to s. */
static void end_lanes(struct flow *w, ir_block b, struct gcn_src cond, bool holds, ir_block s)
{
	struct gcn_func *f = w->f;

	if (f->alive) {
		uint32_t t = gcn_vreg_new(f, GCN_SCALAR, 1);

		gcn_scalar(f, b, holds ? AMD_s_and_b32 : AMD_s_andn2_b32, gcn_at(f, t, 0), exec,
			   cond);
		gcn_scalar(f, b, AMD_s_andn2_b32, gcn_at(f, f->alive, 0), gcn_at(f, f->alive, 0),
			   gcn_at(f, t, 0));
	}
	gcn_scalar(f, b, holds ? AMD_s_andn2_b32 : AMD_s_and_b32, exec, exec, cond);
	if (!w->c->waiters[b] || !w->c->masked[s])
		gcn_jump(f, b, AMD_s_cbranch_execz, w->end);
	go(w, b, s);
}

static void branch(struct flow *w, ir_block b)
{
	const struct ir_bb *bb = &w->c->f->blocks[b];
	struct gcn_func *f = w->f;
	struct gcn_src cond = w->cond[b];
	bool first = gcn_is_end(w->c->f, bb->succ[0]), second = gcn_is_end(w->c->f, bb->succ[1]);

	bool together = gcn_together(w->c, b);
	uint32_t cleared = UINT32_MAX;

	if (w->c->parts_as[b]) {
		narrow(w, b, cond);
		return;
	}
	if (first != second && !together) {
		end_lanes(w, b, cond, first, bb->succ[first]);
		return;
	}
	if (!together) {
		part(w, b, cond);
		return;
	}
	/* Masks of an earlier turn are nobody's, and those that lanes come to from outside say nothing yet. */
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t component = w->c->component[bb->succ[k]];

		if (!gcn_waits(w->c, b, bb->succ[k]) || gcn_is_end(w->c->f, bb->succ[k]) ||
		    component == cleared)
			continue;
		clear_component(w, b, component);
		cleared = component;
	}
	if (cond.reg != AMD_SCC || cond.ref.vreg) {
		uint32_t t = gcn_vreg_new(f, GCN_SCALAR, 1);

		gcn_scalar(f, b, AMD_s_and_b32, gcn_at(f, t, 0), cond, exec);
	}
	gcn_jump(f, b, AMD_s_cbranch_scc1, target_of(w, b, bb->succ[0]));
	jump(w, b, target_of(w, b, bb->succ[1]));
}

/* Others may still be on their way; all leave together. */
static void return_lanes(struct flow *w, ir_block b)
{
	struct gcn_func *f = w->f;

	f->blocks[b].succ[f->blocks[b].nsucc++] = w->end;
	if (f->returned)
		gcn_scalar(f, b, AMD_s_mov_b32, gcn_at(f, f->returned, 0), exec, gcn_none());
	jump(w, b, w->c->waiters[b] ? next_after(w, b, w->c->waiters[b] - 1) : w->end);
}

/* A call at the end of b may have ended lanes, and all. */
static void leave_if_empty(struct flow *w, ir_block b)
{
	const struct ir_func *ir = w->c->f;
	bool may = false;

	ir_for_each_inst(ir, b, i)
		may |= gcn_may_exit(w->f->unit, ir_at(ir, i));
	if (may && (!w->c->waiters[b] || !w->c->masked[ir->blocks[b].succ[0]]))
		gcn_jump(w->f, b, AMD_s_cbranch_execz, w->end);
}

static void end_block(struct flow *w, ir_block b)
{
	const struct ir_func *ir = w->c->f;
	const struct ir_bb *bb = &ir->blocks[b];
	struct gcn_func *f = w->f;

	switch (ir_at(ir, bb->last)->op) {
	case IR_BR:
		leave_if_empty(w, b);
		go(w, b, bb->succ[0]);
		break;
	case IR_CBR:
		branch(w, b);
		break;
	case IR_RET:
		if (ir->kind == IR_FUNCTION) {
			return_lanes(w, b);
			break;
		}
		jump(w, b, w->c->waiters[b] ? next_after(w, b, w->c->waiters[b] - 1) : w->end);
		break;
	case IR_TRAP:
		gcn_scalar(f, b, AMD_s_trap, gcn_none(), gcn_none(), gcn_none())
			->in.field[AMD_F_IMM] = 2;
		jump(w, b, w->end);
		break;
	default: /* lanes end, and others may be left, here or with the caller */
		if (f->alive)
			gcn_scalar(f, b, AMD_s_andn2_b32, gcn_at(f, f->alive, 0),
				   gcn_at(f, f->alive, 0), exec);
		if (ir->kind == IR_FUNCTION)
			gcn_scalar(f, b, AMD_s_mov_b32, exec, gcn_imm(0), gcn_none());
		jump(w, b, w->c->waiters[b] ? next_after(w, b, w->c->waiters[b] - 1) : w->end);
		break;
	}
}

static void guard(struct flow *w, ir_block b)
{
	struct gcn_func *f = w->f;
	uint32_t g = w->guard[b];

	gcn_scalar(f, g, AMD_s_mov_b32, exec, mask_of(w, b), gcn_none());
	if (w->c->loop_of[b])
		gcn_scalar(f, g, AMD_s_mov_b32, mask_of(w, b), gcn_imm(0), gcn_none());
	gcn_jump(f, g, AMD_s_cbranch_execz, next_after(w, b, w->c->component[b]));
	f->blocks[g].jumps[f->blocks[g].njumps++] = front_of(w, b);
	f->blocks[g].depth = f->blocks[b].depth;
}

static uint32_t new_block(struct flow *w, ir_block like)
{
	uint32_t b = gcn_block_new(w->f);

	w->f->blocks[b].depth = w->f->blocks[like].depth;
	return b;
}

/* Registers and blocks of a structure. */
static void prepare(struct flow *w, uint32_t structure)
{
	const struct gcn_structure *s = &w->c->structures[structure - 1];
	struct exits *e = &w->exits[structure - 1];

	if (s->broken)
		return;
	if (s->restores) {
		e->saved = gcn_vreg_new(w->f, GCN_SCALAR, 1);
		e->leave = new_block(w, s->meet);
		e->enter = s->loop ? new_block(w, s->meet) : 0;
	}
	if (s->second) {
		e->other = gcn_vreg_new(w->f, GCN_SCALAR, 1);
		e->second = new_block(w, s->second);
	}
}

/* Blocks of structures that stand right before or behind a block. */
static void place_before(struct flow *w, ir_block b)
{
	const struct gcn_control *c = w->c;
	struct gcn_func *f = w->f;

	for (uint32_t k = 1; k <= c->nstructures; k++) {
		const struct exits *e = &w->exits[k - 1];

		if (e->second && c->structures[k - 1].second == b) {
			gcn_scalar(f, e->second, AMD_s_mov_b32, exec, gcn_at(f, e->other, 0),
				   gcn_none());
			gcn_jump(f, e->second, AMD_s_cbranch_execz, way_out(w, k, c->place[b]));
			jump(w, e->second, b);
			gcn_place_block(f, e->second);
		}
		if (e->enter && c->structures[k - 1].loop == b) {
			gcn_scalar(f, e->enter, AMD_s_mov_b32, gcn_at(f, e->saved, 0), exec,
				   gcn_none());
			jump(w, e->enter, b);
			gcn_place_block(f, e->enter);
		}
	}
}

static void place_behind(struct flow *w, ir_block b)
{
	const struct gcn_control *c = w->c;
	struct gcn_func *f = w->f;

	/* Those inside have higher numbers. */
	for (uint32_t k = c->nstructures; k; k--) {
		const struct gcn_structure *s = &c->structures[k - 1];
		const struct exits *e = &w->exits[k - 1];

		if (!e->leave || s->end != c->place[b] + 1)
			continue;
		gcn_scalar(f, e->leave, AMD_s_mov_b32, exec, gcn_at(f, e->saved, 0), gcn_none());
		jump(w, e->leave,
		     target_from(w, s->parent, s->loop ? s->loop : s->branch, s->meet));
		gcn_place_block(f, e->leave);
	}
}

static void end_loop(struct flow *w, uint32_t loop)
{
	struct gcn_func *f = w->f;
	uint32_t b = w->loop_end[loop];
	ir_block h = w->c->loops[loop].header;

	gcn_scalar(f, b, AMD_s_cmp_lg_u32, gcn_none(), mask_of(w, h), gcn_imm(0));
	gcn_jump(f, b, AMD_s_cbranch_scc1, w->guard[h]);
	jump(w, b, next_from(w, w->behind_loop[loop], w->c->component[h]));
	f->blocks[b].depth = f->blocks[h].depth;
}

/* The program's edges, for what lives in lanes. */
static void copy_edges(struct flow *w)
{
	for (uint32_t k = 0; k < w->c->count; k++) {
		ir_block b = w->c->order[k];
		struct gcn_block *to = &w->f->blocks[b];
		uint32_t loop = w->c->loop_of[b];

		to->nsucc = w->c->f->blocks[b].nsucc;
		for (uint32_t s = 0; s < to->nsucc; s++)
			to->succ[s] = w->c->f->blocks[b].succ[s];
		for (to->depth = 0; loop; loop = w->c->loops[loop - 1].parent)
			to->depth++;
	}
}

/* What came in registers is kept in others where calls change the first. */
static void keep_what_came(struct gcn_func *f)
{
	struct gcn_inst *first = f->blocks[f->first].first;

	if (f->entered)
		gcn_move(f, f->first, first, gcn_at(f, f->entered, 0), exec);
	for (uint32_t k = 0; k < GCN_COMES; k++)
		for (uint32_t w = 0; f->come[k] != f->kept[k] && w < f->vregs[f->come[k]].words;
		     w++) {
			uint32_t to = k == GCN_ARGS ? f->arg_kept[w] : f->kept[k];

			if (to)
				gcn_move(f, f->first, first, gcn_at(f, to, k == GCN_ARGS ? 0 : w),
					 gcn_at(f, f->come[k], w));
		}
}

/* Where a function ends: results are where they have to be. */
static void end_function(struct flow *w, uint32_t results)
{
	struct gcn_func *f = w->f;
	uint32_t to = gcn_passed(f, GCN_SCALAR, 2, GCN_RETURN_TO);
	struct gcn_inst *i;

	if (f->returned) {
		gcn_scalar(f, w->end, AMD_s_mov_b32, exec, gcn_at(f, f->returned, 0), gcn_none());
		gcn_move(f, f->first, f->blocks[f->first].first, gcn_at(f, f->returned, 0),
			 gcn_imm(0));
	}
	for (uint32_t k = 0; k < 2; k++)
		gcn_move(f, w->end, NULL, gcn_at(f, to, k), gcn_at(f, f->kept[GCN_RETURN], k));
	i = gcn_scalar(f, w->end, AMD_s_setpc_b64, gcn_none(), gcn_at(f, to, 0), gcn_none());
	if (results)
		gcn_carry(f, i, results, f->vregs[results].words, false);
}

static void find_meetings(struct flow *w)
{
	const struct gcn_control *c = w->c;
	bool changed = true;

	w->meets = arena_array(w->f->arena, c->f->nblocks, sizeof(*w->meets));
	while (changed) {
		changed = false;
		for (uint32_t k = c->count; k--;) {
			ir_block b = c->order[k];
			bool comes = gcn_is_meeting(c->f, b);

			for (uint32_t s = 0; s < c->f->blocks[b].nsucc; s++)
				comes |= w->meets[c->f->blocks[b].succ[s]];
			changed |= comes != w->meets[b];
			w->meets[b] = comes;
		}
	}
}

void gcn_flow(struct gcn_func *f, const struct gcn_control *c, struct gcn_src *cond,
	      uint32_t results)
{
	struct flow w = {.f = f, .c = c, .cond = cond};

	w.waiting = arena_array(f->arena, c->f->nblocks, sizeof(*w.waiting));
	w.guard = arena_array(f->arena, c->f->nblocks, sizeof(*w.guard));
	w.loop_end = arena_array(f->arena, c->nloops + 1, sizeof(*w.loop_end));
	copy_edges(&w);
	if (f->alive)
		find_meetings(&w);
	w.end = gcn_block_new(f);
	if (c->f->kind == IR_FUNCTION &&
	    ir_at(c->f, c->f->blocks[c->order[c->count - 1]].last)->op != IR_RET)
		f->returned = gcn_vreg_new(f, GCN_SCALAR, 1);
	for (uint32_t k = 0; k < c->count; k++)
		if (c->masked[c->order[k]]) {
			w.waiting[c->order[k]] = gcn_vreg_new(f, GCN_SCALAR, 1);
			w.guard[c->order[k]] = gcn_block_new(f);
		}
	for (uint32_t l = 0; l < c->nloops; l++)
		if (needs_end(c, l))
			w.loop_end[l] = gcn_block_new(f);
	w.stations = arena_array(f->arena, c->count + c->nloops + 1, sizeof(*w.stations));
	w.behind = arena_array(f->arena, c->f->nblocks, sizeof(*w.behind));
	w.behind_loop = arena_array(f->arena, c->nloops + 1, sizeof(*w.behind_loop));
	list_stations(&w);
	w.exits = arena_array(f->arena, c->nstructures + 1, sizeof(*w.exits));
	for (uint32_t k = 1; k <= c->nstructures; k++)
		prepare(&w, k);
	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k];

		if (c->masked[b])
			guard(&w, b);
		end_block(&w, b);
		if (c->masked[b])
			gcn_place_block(f, w.guard[b]);
		place_before(&w, b);
		gcn_place_block(f, b);
		place_behind(&w, b);
		for (uint32_t l = c->nloops; l--;)
			if (w.loop_end[l] && c->loops[l].end == k + 1) {
				end_loop(&w, l);
				gcn_place_block(f, w.loop_end[l]);
			}
	}
	if (c->f->kind == IR_FUNCTION)
		end_function(&w, results);
	else
		gcn_scalar(f, w.end, AMD_s_endpgm, gcn_none(), gcn_none(), gcn_none());
	gcn_place_block(f, w.end);
	keep_what_came(f);
}
