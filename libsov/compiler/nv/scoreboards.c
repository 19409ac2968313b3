// SPDX-License-Identifier: MIT
/*
 * Scoreboard allocation. The hardware does not track dependences: the consumer of a fixed-latency
 * result relies on stall counts, a variable-latency instruction increments one of six scoreboards
 * and its consumers wait until that is zero again. Sources that are read late need a scoreboard too
 * if an instruction overwrites them, except one that reads its own sources later in the same order.
 *
 * Scoreboards are allocated block by block in reverse postorder. The set of pending results then
 * propagates along all edges to a fixed point (a union over paths, so loads stay in flight across
 * blocks and around loops), and each instruction waits for the scoreboards of the registers that it
 * reads or writes. Stall counts are computed last, on the final code.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define NUM_SCOREBOARDS 6
#define SET_WORDS       BITSET_WORDS(MIR_RESOURCES)
#define NEVER           UINT32_MAX

struct reg_set {
	uint64_t w[SET_WORDS];
};

/* Memory instructions of one pipe read their sources in order. */
enum order { ORDER_NONE, ORDER_MEMORY, ORDER_SHARED, ORDERS };

struct board {
	struct reg_set results;         /* pending writes */
	struct reg_set sources[ORDERS]; /* pending reads */
	bool fence;                     /* a fence of the block is pending */
	uint8_t depth;                  /* of the deepest loop that has set it */
};

struct state {
	struct board boards[NUM_SCOREBOARDS];
	uint32_t busy; /* mask of scoreboards with pending registers */
};

/* Positions where an instruction's result is first used and its sources are first overwritten. */
struct next_uses {
	uint32_t use, overwrite; /* or NEVER */
};

struct scoreboard_alloc {
	struct mir_func *f;
	struct state *in; /* by block */
	/* By block: registers written in it or in any block reachable from it. */
	struct reg_set *overwrites;
	/* By block: registers that are next mentioned in a loop which the block is not in. */
	struct reg_set *loop_inputs;
	bool *visited;
	bool *stale; /* by block: its entry state has changed */
	/* State while one block's scoreboards are allocated: */
	uint32_t next_use[NUM_SCOREBOARDS]; /* position of the first wait, or NEVER */
	bool busy[NUM_SCOREBOARDS];
	bool spare[NUM_SCOREBOARDS]; /* busy, but clear before long; see take_over_boards() */
	uint8_t leaving_reads;       /* scoreboard of reads that are pending at the block's end */
	uint8_t leaving_results;     /* the same for results that a loop will wait for */
	uint32_t cursor;
	uint32_t first; /* scoreboard that registers may have */
	uint32_t next_mention[MIR_RESOURCES], next_write[MIR_RESOURCES];
	uint8_t next_order[MIR_RESOURCES]; /* enum order of the next write */
	struct next_uses *uses;            /* by instruction number */
	uint32_t uses_capacity;
};

static void reg_set_add(struct reg_set *s, uint32_t r)
{
	bitset_add(s->w, r);
}

static bool reg_set_unite(struct reg_set *s, const struct reg_set *with)
{
	return bitset_unite(s->w, with->w, SET_WORDS);
}

static bool reg_sets_intersect(const struct reg_set *a, const struct reg_set *b)
{
	for (uint32_t k = 0; k < SET_WORDS; k++) {
		if (a->w[k] & b->w[k])
			return true;
	}
	return false;
}

static void reg_set_remove_all(struct reg_set *s, const struct reg_set *other)
{
	for (uint32_t k = 0; k < SET_WORDS; k++)
		s->w[k] &= ~other->w[k];
}

static bool reg_set_is_empty(const struct reg_set *s)
{
	return !reg_sets_intersect(s, s);
}

static enum order read_order(uint32_t sm, const struct mir_inst *i)
{
	switch (sass_pipe(sm, &i->sass)) {
	case SASS_PIPE_MEMORY:
		return ORDER_MEMORY;
	case SASS_PIPE_SHARED:
		return ORDER_SHARED;
	default:
		return ORDER_NONE;
	}
}

/* An instruction whose guard is false may finish at once. */
static enum order write_order(uint32_t sm, const struct mir_inst *i)
{
	return i->sass.guard == SASS_PT && sass_has_variable_latency(sm, &i->sass)
		       ? read_order(sm, i)
		       : ORDER_NONE;
}

struct registers {
	struct reg_set reads, writes;
	struct reg_set sources; /* may be read late */
};

/* The guard and uniform registers are read at issue. */
static bool is_read_late(const struct mir_use *u)
{
	return !u->write && u->operand != SASS_USE_GUARD && u->kind != SASS_UGPR;
}

static struct registers registers_of(const struct mir_use *uses, uint32_t n)
{
	struct registers r = {0};

	for (uint32_t u = 0; u < n; u++) {
		for (uint32_t k = 0; k < uses[u].count; k++) {
			uint32_t reg = mir_resource(uses[u].kind, uses[u].reg + k);

			reg_set_add(uses[u].write ? &r.writes : &r.reads, reg);
			if (is_read_late(&uses[u]))
				reg_set_add(&r.sources, reg);
		}
	}
	return r;
}

static struct registers registers_of_inst(const struct scoreboard_alloc *alloc, struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(alloc->f, i, &n);

	return registers_of(uses, n);
}

/*
 * Waits.
 */

/* The acquiring half of a fence must follow the loads that may still return old data. */
static bool waits_for_loads(const struct mir_inst *i)
{
	return i->sass.op == SASS_CCTL_IVALL || (i->sass.op == SASS_NOP && i->memory.effect);
}

/* R2UR: SYNCS.EXCH may still read the uniform registers of an earlier one. */
static bool waits_for_fence(const struct mir_inst *i)
{
	return i->memory.effect || i->memory.bytes || i->sass.op == SASS_R2UR;
}

static bool overwrites_source(const struct board *board, const struct reg_set *writes,
			      enum order order)
{
	for (uint32_t k = 0; k < ORDERS; k++)
		if ((!k || k != order) && reg_sets_intersect(writes, &board->sources[k]))
			return true;
	return false;
}

/* Whether an instruction has to wait for a scoreboard. order: of its own results. */
static bool waits_for_board(const struct board *board, const struct mir_inst *i,
			    const struct registers *r, enum order order)
{
	return reg_sets_intersect(&r->reads, &board->results) ||
	       reg_sets_intersect(&r->writes, &board->results) ||
	       overwrites_source(board, &r->writes, order) || mir_leaves_function(i) ||
	       (waits_for_loads(i) && !reg_set_is_empty(&board->results)) ||
	       (waits_for_fence(i) && board->fence);
}

/*
 * Allocation.
 */

/* Registers that each block overwrites, with all for one that leaves the function, and mentions. */
static void list_registers(struct scoreboard_alloc *alloc, struct reg_set *mentions)
{
	mir_for_each_block(alloc->f, b)
		mir_for_each(alloc->f, b, i) {
			struct registers r = registers_of_inst(alloc, i);

			reg_set_unite(&alloc->overwrites[b], &r.writes);
			if (mir_leaves_function(i))
				memset(&alloc->overwrites[b], 0xff, sizeof(alloc->overwrites[b]));
			reg_set_unite(&mentions[b], &r.reads);
			reg_set_unite(&mentions[b], &r.writes);
		}
}

/* Adds to the registers that each block overwrites those of the blocks reachable from it. */
static void extend_overwrites(struct scoreboard_alloc *alloc)
{
	const struct mir_func *f = alloc->f;
	bool changed = true;

	while (changed) {
		changed = false;
		mir_for_each_block(f, b)
			for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
				changed |= reg_set_unite(&alloc->overwrites[b],
							 &alloc->overwrites[f->blocks[b].succ[s]]);
	}
}

/* Adds to the registers that each block mentions those of the blocks that are reachable from it
 * without leaving its loop. */
static void extend_mentions(const struct mir_func *f, const struct reg_set *mentions,
			    struct reg_set *in_loop)
{
	bool changed = true;

	memcpy(in_loop, mentions, f->nblocks * sizeof(*in_loop));
	while (changed) {
		changed = false;
		mir_for_each_block(f, b)
			for (uint32_t k = 0; k < f->blocks[b].nsucc; k++) {
				uint32_t s = f->blocks[b].succ[k];

				if (f->blocks[s].depth >= f->blocks[b].depth)
					changed |= reg_set_unite(&in_loop[b], &in_loop[s]);
			}
	}
}

/* Registers that are pending at a block's end and next mentioned in a loop, which may be several
 * blocks away. */
static void compute_loop_inputs(struct scoreboard_alloc *alloc, const struct reg_set *mentions)
{
	struct mir_func *f = alloc->f;
	struct reg_set *in_loop = arena_array(f->arena, f->nblocks, sizeof(*in_loop));
	bool changed = true;

	extend_mentions(f, mentions, in_loop);
	while (changed) {
		changed = false;
		mir_for_each_block(f, b)
			for (uint32_t k = 0; k < f->blocks[b].nsucc; k++) {
				uint32_t s = f->blocks[b].succ[k];
				bool enters = f->blocks[s].depth > f->blocks[b].depth;
				struct reg_set next = enters ? in_loop[s] : alloc->loop_inputs[s];

				if (!enters)
					reg_set_remove_all(&next, &mentions[s]);
				changed |= reg_set_unite(&alloc->loop_inputs[b], &next);
			}
	}
}

/* Positions in the block of the next mention of an instruction's results and of the next write
 * of its sources. Called from the block's end upwards. */
static struct next_uses next_uses(struct scoreboard_alloc *alloc, struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(alloc->f, i, &n);
	struct next_uses p = {NEVER, NEVER};
	enum order order = read_order(alloc->f->sm, i);

	for (uint32_t u = 0; u < n; u++) {
		for (uint32_t k = 0; k < uses[u].count; k++) {
			uint32_t r = mir_resource(uses[u].kind, uses[u].reg + k);

			if (uses[u].write && alloc->next_mention[r] < p.use)
				p.use = alloc->next_mention[r];
			if (is_read_late(&uses[u]) && alloc->next_write[r] < p.overwrite &&
			    (!order || alloc->next_order[r] != order))
				p.overwrite = alloc->next_write[r];
		}
	}
	for (uint32_t r = 0; mir_leaves_function(i) && r < MIR_RESOURCES; r++) {
		alloc->next_mention[r] = alloc->next_write[r] = i->number;
		alloc->next_order[r] = ORDER_NONE;
	}
	for (uint32_t u = 0; u < n; u++) {
		for (uint32_t k = 0; k < uses[u].count; k++) {
			uint32_t r = mir_resource(uses[u].kind, uses[u].reg + k);

			alloc->next_mention[r] = i->number;
			if (!uses[u].write)
				continue;
			alloc->next_write[r] = i->number;
			alloc->next_order[r] = i->sass.guard == SASS_PT ? order : ORDER_NONE;
		}
	}
	return p;
}

static bool overwritten_after(const struct scoreboard_alloc *alloc, uint32_t b,
			      const struct reg_set *of)
{
	const struct mir_block *block = &alloc->f->blocks[b];

	for (uint32_t s = 0; s < block->nsucc; s++) {
		if (reg_sets_intersect(&alloc->overwrites[block->succ[s]], of))
			return true;
	}
	return false;
}

/* The next scoreboard that is not busy, or busy and spare; SASS_NO_SB: none. */
static uint8_t find_board(struct scoreboard_alloc *alloc, bool spare)
{
	for (uint32_t k = 0; k < NUM_SCOREBOARDS; k++) {
		uint32_t sb = (alloc->cursor + k) % NUM_SCOREBOARDS;

		if (sb < alloc->first || (spare ? !alloc->spare[sb] : alloc->busy[sb]))
			continue;
		alloc->cursor = sb + 1;
		return (uint8_t)sb;
	}
	return SASS_NO_SB;
}

/* The scoreboard whose consumer is nearest to a position. */
static uint8_t nearest_board(const struct scoreboard_alloc *alloc, uint32_t use)
{
	uint32_t best = alloc->first, distance = NEVER;

	for (uint32_t sb = alloc->first; sb < NUM_SCOREBOARDS; sb++) {
		uint32_t d = alloc->next_use[sb] > use ? alloc->next_use[sb] - use
						       : use - alloc->next_use[sb];

		if (d < distance) {
			distance = d;
			best = sb;
		}
	}
	return (uint8_t)best;
}

/* A busy scoreboard whose consumer is at the same position adds no wait; else a free one; else a
 * spare one; else the busy one whose consumer is nearest. */
static uint8_t allocate_board(struct scoreboard_alloc *alloc, uint32_t use)
{
	uint8_t best;

	for (uint32_t sb = alloc->first; sb < NUM_SCOREBOARDS; sb++) {
		if (alloc->busy[sb] && alloc->next_use[sb] == use && use != NEVER)
			return (uint8_t)sb;
	}
	best = find_board(alloc, false);
	if (best == SASS_NO_SB)
		best = find_board(alloc, true);
	if (best == SASS_NO_SB)
		best = nearest_board(alloc, use);
	if (!alloc->busy[best] || use < alloc->next_use[best])
		alloc->next_use[best] = use;
	alloc->busy[best] = true;
	alloc->spare[best] = false;
	return best;
}

/* Allocates a scoreboard that the block does not wait for, one for all of these. */
static uint8_t allocate_leaving_board(struct scoreboard_alloc *alloc, uint8_t *board)
{
	if (*board == SASS_NO_SB || !alloc->busy[*board])
		*board = allocate_board(alloc, NEVER);
	return *board;
}

static bool leads_into_loop(const struct mir_func *f, uint32_t b)
{
	for (uint32_t s = 0; s < f->blocks[b].nsucc; s++) {
		if (f->blocks[f->blocks[b].succ[s]].depth > f->blocks[b].depth)
			return true;
	}
	return false;
}

/* Whether results that are pending at a block's end are next mentioned in a loop, or may be. */
static bool feeds_loop(const struct scoreboard_alloc *alloc, uint32_t b,
		       const struct reg_set *results)
{
	return leads_into_loop(alloc->f, b) || reg_sets_intersect(results, &alloc->loop_inputs[b]);
}

/* From Hopper on, MEMBAR at block scope is asynchronous: ptxas gives it a scoreboard, and the next
 * memory access waits for that. Wider fences end with ERRBAR, which waits. A bulk copy reads its
 * uniform registers late. */
static bool is_pending_fence(uint32_t sm, const struct mir_inst *i)
{
	bool bulk = i->sass.op >= SASS_UBLKCP_SG && i->sass.op <= SASS_UTMACCTL;

	return bulk || (sm >= 90 && i->sass.op == SASS_MEMBAR &&
			i->sass.mod[SASS_M_SCOPE] == SASS_SCOPE_CTA);
}

/* The same, but with the scoreboard for results: what initialises a barrier in shared memory or
 * ends its use is complete before the next memory access. */
static bool is_pending_change(const struct mir_inst *i)
{
	return i->sass.op == SASS_FENCE_VIEW || i->sass.op == SASS_SYNCS_EXCH ||
	       i->sass.op == SASS_USETMAXREG_DEALLOC || i->sass.op == SASS_SYNCS_CCTL;
}

static uint8_t result_board(struct scoreboard_alloc *alloc, uint32_t b, uint32_t use,
			    const struct reg_set *results)
{
	if (use == NEVER && feeds_loop(alloc, b, results))
		return allocate_leaving_board(alloc, &alloc->leaving_results);
	return allocate_board(alloc, use);
}

static uint8_t source_board(struct scoreboard_alloc *alloc, uint32_t overwrite)
{
	if (overwrite == NEVER)
		return allocate_leaving_board(alloc, &alloc->leaving_reads);
	return allocate_board(alloc, overwrite);
}

/* The scoreboard of the result covers the sources too, but clears later: a loop that overwrites
 * them should not wait for it. */
static bool needs_source_board(const struct scoreboard_alloc *alloc, uint32_t b,
			       const struct mir_inst *i, const struct registers *r)
{
	const struct next_uses *uses = &alloc->uses[i->number];

	if (i->sass.write_barrier == SASS_NO_SB)
		return uses->overwrite != NEVER || overwritten_after(alloc, b, &r->sources);
	if (uses->overwrite != NEVER || uses->use != NEVER)
		return uses->overwrite < uses->use;
	return feeds_loop(alloc, b, &r->writes) && overwritten_after(alloc, b, &r->sources);
}

static void allocate_inst_boards(struct scoreboard_alloc *alloc, uint32_t b, struct mir_inst *i)
{
	uint32_t sm = alloc->f->sm;
	bool variable = sass_has_variable_latency(sm, &i->sass),
	     reads_late = sass_reads_late(sm, &i->sass);
	struct registers r;

	/* An instruction that waits here frees the scoreboard. */
	for (uint32_t sb = 0; sb < NUM_SCOREBOARDS; sb++) {
		if (alloc->busy[sb] && alloc->next_use[sb] <= i->number)
			alloc->busy[sb] = alloc->spare[sb] = false;
	}
	if (is_pending_fence(sm, i))
		i->sass.read_barrier = allocate_board(alloc, i->number + 1);
	if (is_pending_change(i))
		i->sass.write_barrier = allocate_board(alloc, i->number + 1);
	if (i->sass.op == SASS_LDGDEPBAR)
		i->sass.write_barrier = NV_COPY_SCOREBOARD;
	if (i->sass.op == SASS_UTMACMDFLUSH)
		i->sass.read_barrier = NV_BULK_SCOREBOARD;
	if (!variable && !reads_late)
		return;
	r = registers_of_inst(alloc, i);
	if (variable && !reg_set_is_empty(&r.writes))
		i->sass.write_barrier =
			result_board(alloc, b, alloc->uses[i->number].use, &r.writes);
	if (reads_late && !reg_set_is_empty(&r.sources) && needs_source_board(alloc, b, i, &r))
		i->sass.read_barrier = source_board(alloc, alloc->uses[i->number].overwrite);
}

/*
 * The scoreboards that are pending where the block begins, and the positions of their first waits.
 * One that the block does not wait for is spare if it clears before long: with reads alone, or if
 * the block is in a loop and the scoreboard was set before that, so that only the first iteration
 * may find it pending.
 */
static void take_over_boards(struct scoreboard_alloc *alloc, uint32_t b)
{
	const struct state *in = &alloc->in[b];
	uint32_t unseen = in->busy;

	alloc->leaving_reads = alloc->leaving_results = SASS_NO_SB;
	mir_for_each(alloc->f, b, i) {
		enum order order = write_order(alloc->f->sm, i);
		struct registers r;

		if (!unseen)
			break;
		r = registers_of_inst(alloc, i);
		for (uint32_t left = unseen; left; left &= left - 1) {
			uint32_t sb = (uint32_t)__builtin_ctz(left);

			if (!waits_for_board(&in->boards[sb], i, &r, order))
				continue;
			alloc->next_use[sb] = i->number;
			unseen &= ~(1u << sb);
		}
	}
	for (uint32_t sb = 0; sb < NUM_SCOREBOARDS; sb++) {
		const struct board *board = &in->boards[sb];
		bool reads_alone = reg_set_is_empty(&board->results) && !board->fence;

		alloc->busy[sb] = in->busy >> sb & 1;
		alloc->spare[sb] = unseen >> sb & 1 &&
				   (reads_alone || board->depth < alloc->f->blocks[b].depth);
		if (unseen >> sb & 1)
			alloc->next_use[sb] = NEVER;
		if (unseen >> sb & 1 && reg_sets_intersect(&board->results, &alloc->loop_inputs[b]))
			alloc->leaving_results = (uint8_t)sb;
	}
}

static void allocate_block_boards(struct scoreboard_alloc *alloc, uint32_t b)
{
	const struct mir_inst *last = alloc->f->blocks[b].last;

	take_over_boards(alloc, b);
	alloc->uses = arena_grow(alloc->f->arena, alloc->uses, &alloc->uses_capacity,
				 last ? last->number + 1 : 0, sizeof(*alloc->uses));
	memset(alloc->next_mention, 0xff, sizeof(alloc->next_mention));
	memset(alloc->next_write, 0xff, sizeof(alloc->next_write));
	for (struct mir_inst *i = alloc->f->blocks[b].last; i; i = i->prev)
		alloc->uses[i->number] = next_uses(alloc, i);
	mir_for_each(alloc->f, b, i)
		allocate_inst_boards(alloc, b, i);
}

static void set_depth(struct board *board, uint32_t depth)
{
	if (board->depth < depth)
		board->depth = (uint8_t)(depth < UINT8_MAX ? depth : UINT8_MAX);
}

static void transfer_inst(const struct scoreboard_alloc *alloc, uint32_t b, struct state *s,
			  struct mir_inst *i)
{
	struct registers r = registers_of_inst(alloc, i);
	uint32_t sm = alloc->f->sm, depth = alloc->f->blocks[b].depth;
	enum order reads = read_order(sm, i), writes = write_order(sm, i);

	i->sass.wait = 0;
	for (uint32_t busy = s->busy; busy; busy &= busy - 1) {
		uint32_t sb = (uint32_t)__builtin_ctz(busy);
		struct board *board = &s->boards[sb];

		if (!waits_for_board(board, i, &r, writes))
			continue;
		i->sass.wait |= (uint8_t)(1 << sb);
		memset(board, 0, sizeof(*board));
	}
	s->busy &= ~(uint32_t)i->sass.wait;
	/* The next instruction that writes these registers waits for this one's result. */
	for (uint32_t busy = writes ? s->busy : 0; busy; busy &= busy - 1)
		reg_set_remove_all(&s->boards[__builtin_ctz(busy)].sources[writes], &r.writes);
	if (i->sass.write_barrier != SASS_NO_SB) {
		reg_set_unite(&s->boards[i->sass.write_barrier].results, &r.writes);
		/* Sources with their own scoreboard wait for that one: it clears earlier. */
		if (sass_reads_late(sm, &i->sass) && i->sass.read_barrier == SASS_NO_SB)
			reg_set_unite(&s->boards[i->sass.write_barrier].sources[reads], &r.sources);
		s->boards[i->sass.write_barrier].fence |= is_pending_change(i);
		set_depth(&s->boards[i->sass.write_barrier], depth);
		s->busy |= 1u << i->sass.write_barrier;
	}
	if (i->sass.read_barrier != SASS_NO_SB) {
		reg_set_unite(&s->boards[i->sass.read_barrier].sources[reads], &r.sources);
		s->boards[i->sass.read_barrier].fence |= is_pending_fence(sm, i);
		set_depth(&s->boards[i->sass.read_barrier], depth);
		s->busy |= 1u << i->sass.read_barrier;
	}
}

/* Merges a state into a block's entry state; true if it changed. */
static bool merge_state(struct state *at, const struct state *s)
{
	bool changed = s->busy & ~at->busy;

	at->busy |= s->busy;
	for (uint32_t busy = s->busy; busy; busy &= busy - 1) {
		uint32_t sb = (uint32_t)__builtin_ctz(busy);

		changed |= reg_set_unite(&at->boards[sb].results, &s->boards[sb].results);
		for (uint32_t k = 0; k < ORDERS; k++)
			changed |= reg_set_unite(&at->boards[sb].sources[k],
						 &s->boards[sb].sources[k]);
		changed |= s->boards[sb].fence && !at->boards[sb].fence;
		at->boards[sb].fence |= s->boards[sb].fence;
		set_depth(&at->boards[sb], s->boards[sb].depth);
	}
	return changed;
}

static void process_block(struct scoreboard_alloc *alloc, uint32_t b)
{
	const struct mir_block *block = &alloc->f->blocks[b];
	struct state s;

	/* All predecessors but loop latches have been visited: their pending sets are known. */
	if (!alloc->visited[b])
		allocate_block_boards(alloc, b);
	alloc->visited[b] = true;
	alloc->stale[b] = false;
	s = alloc->in[b];
	mir_for_each(alloc->f, b, i)
		transfer_inst(alloc, b, &s, i);
	for (uint32_t k = 0; k < block->nsucc; k++)
		alloc->stale[block->succ[k]] |= merge_state(&alloc->in[block->succ[k]], &s);
}

/* The scoreboards that groups of copies occupy, from 0 on. */
static uint32_t count_copy_boards(struct mir_func *f)
{
	uint32_t n = 0, board;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			if (i->sass.op == SASS_LDGDEPBAR)
				board = NV_COPY_SCOREBOARD;
			else if (i->sass.op == SASS_UTMACMDFLUSH)
				board = NV_BULK_SCOREBOARD;
			else if (i->sass.op == SASS_DEPBAR)
				board = (uint32_t)i->sass.ops[0].value;
			else
				continue;
			n = board >= n ? board + 1 : n;
		}
	return n;
}

static void allocate_scoreboards(struct mir_func *f)
{
	struct scoreboard_alloc alloc = {.f = f, .first = count_copy_boards(f)};
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(f, &count);
	struct reg_set *mentions;
	bool changed = true;

	alloc.in = arena_array(f->arena, f->nblocks, sizeof(*alloc.in));
	alloc.overwrites = arena_array(f->arena, f->nblocks, sizeof(*alloc.overwrites));
	alloc.visited = arena_array(f->arena, f->nblocks, sizeof(*alloc.visited));
	alloc.stale = arena_array(f->arena, f->nblocks, sizeof(*alloc.stale));
	alloc.loop_inputs = arena_array(f->arena, f->nblocks, sizeof(*alloc.loop_inputs));
	mentions = arena_array(f->arena, f->nblocks, sizeof(*mentions));
	list_registers(&alloc, mentions);
	extend_overwrites(&alloc);
	compute_loop_inputs(&alloc, mentions);
	while (changed) {
		changed = false;
		for (uint32_t k = 0; k < count; k++) {
			if (alloc.visited[order[k]] && !alloc.stale[order[k]])
				continue;
			process_block(&alloc, order[k]);
			changed = true;
		}
	}
}

void nv_set_scoreboards(struct mir_func *f)
{
	uint32_t count = mir_number_insts(f);

	allocate_scoreboards(f);
	nv_set_stall_counts(f, count);
	f->timed = true;
}

#define MAX_STALL 15

/* Products of matrices take longer than a stall count can say. */
static void insert_nops_after(struct mir_func *f, uint32_t b, struct mir_inst *i)
{
	for (uint32_t left = sass_max_latency(f->sm, &i->sass); left > MAX_STALL; left -= MAX_STALL)
		mir_insert(f, b, i->next, mir_inst_new(f, SASS_NOP));
}

/* Every instruction waits for all earlier ones: slow, and correct whatever the latency tables
 * say. */
void nv_serialise(struct mir_func *f)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);
			struct registers r = registers_of(uses, n);

			i->sass.stall = MAX_STALL;
			i->sass.yield = true;
			i->sass.wait = 3;
			if (sass_pipe(f->sm, &i->sass) == SASS_PIPE_TENSOR)
				insert_nops_after(f, b, i);
			if (sass_has_variable_latency(f->sm, &i->sass) &&
			    !reg_set_is_empty(&r.writes))
				i->sass.write_barrier = 0;
			if (is_pending_change(i))
				i->sass.write_barrier = 0;
			if (i->sass.op == SASS_LDGDEPBAR)
				i->sass.write_barrier = NV_COPY_SCOREBOARD;
			if (i->sass.op == SASS_UTMACMDFLUSH)
				i->sass.read_barrier = NV_BULK_SCOREBOARD;
			if ((sass_reads_late(f->sm, &i->sass) && !reg_set_is_empty(&r.sources)) ||
			    is_pending_fence(f->sm, i))
				i->sass.read_barrier = 1;
		}
	f->timed = true;
}
