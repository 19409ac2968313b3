// SPDX-License-Identifier: MIT
/*
 * Divergent sync sites. PTX lets lanes at different instructions take part in one warp sync: a lane
 * at one shfl.sync exchanges values with lanes at another of the same kind and member mask, and
 * likewise for votes, matches, reductions and bar.warp.sync. This analysis finds the sync sites
 * that lanes of one divergent branch may reach at different instructions before they reconverge.
 * The back ends handle them (nv/merge_divergent_syncs.c, amd/merge_divergent_syncs.c).
 */
#include "libsov/compiler/passes/lower.h"

/* Sync sites of a function at which lanes may wait for each other. */
struct site_group {
	uint32_t kind, count;
	ir_val members; /* of the first site */
	bool dynamic;   /* some member masks are dynamic, so any two sites of the kind may match */
	bool same_mask; /* but all sites name the same value as mask */
};

struct sync_sites {
	const struct ir_func *f;
	struct arena *arena;
	struct site_group *groups;
	uint32_t ngroups, capacity;
	uint32_t *group_of; /* by instruction: 1 + its group; 0: none */
	bool *marked;       /* by instruction: lanes may wait there for lanes at other sites */
	uint32_t group;     /* the current group, as in group_of */
	/* Scratch. A block or instruction has been visited when its stamp is the current one. */
	uint32_t *block_stamp, *inst_stamp, stamp, list_stamp;
	ir_block *stack;
	ir_id *list, *next; /* sites that the lanes of a branch may have reached */
};

/* Steps without a new site after which all reachable sites are marked. */
#define MAX_IDLE_STEPS 16

static ir_val members_of(const struct ir_inst *in)
{
	return in->args[in->nargs - 1];
}

/* A site whose member mask is the active mask (the forms without .sync) never waits for lanes at
 * other sites. */
bool is_sync_site(const struct ir_func *f, ir_id i, uint32_t *kind)
{
	const struct ir_inst *in = ir_at(f, i), *d;

	*kind = ir_sync_kind(in);
	if (!*kind)
		return false;
	d = ir_def(f, members_of(in));
	return d->op != IR_ACTIVE || d->block != in->block;
}

bool reaches_sync_site(const struct ir_module *module, uint32_t function, bool *seen)
{
	const struct ir_func *f = module->table[function];
	uint32_t kind;

	if (seen[function] || f->kind != IR_FUNCTION)
		return false;
	seen[function] = true;
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (is_sync_site(f, i, &kind) ||
			    (ir_at(f, i)->op == IR_CALL &&
			     reaches_sync_site(module, ir_at(f, i)->symbol, seen)))
				return true;
	return false;
}

/* ---- groups ---- */

static bool group_matches(const struct sync_sites *p, const struct site_group *g, uint32_t kind,
			  ir_val members)
{
	uint64_t a, b;

	if (g->kind != kind)
		return false;
	return g->dynamic ||
	       (ir_is_const(p->f, members, &a) && ir_is_const(p->f, g->members, &b) && a == b);
}

static void add_to_group(struct sync_sites *p, ir_id i, uint32_t kind, bool dynamic)
{
	ir_val members = members_of(ir_at(p->f, i));
	uint32_t k = 0;

	while (k < p->ngroups && !group_matches(p, &p->groups[k], kind, members))
		k++;
	if (k == p->ngroups) {
		p->groups =
			arena_grow(p->arena, p->groups, &p->capacity, k + 1, sizeof(*p->groups));
		p->groups[p->ngroups++] = (struct site_group){kind, 0, members, dynamic, true};
	}
	p->groups[k].count++;
	p->groups[k].same_mask &= !dynamic || members == p->groups[k].members;
	p->group_of[i] = k + 1;
}

static void find_groups(struct sync_sites *p)
{
	bool dynamic[IR_SYNC_KINDS] = {false};
	uint32_t kind;
	uint64_t mask;

	ir_for_each_block(p->f, b)
		ir_for_each_inst(p->f, b, i)
			if (is_sync_site(p->f, i, &kind))
				dynamic[kind] |=
					!ir_is_const(p->f, members_of(ir_at(p->f, i)), &mask);
	ir_for_each_block(p->f, b)
		ir_for_each_inst(p->f, b, i)
			if (is_sync_site(p->f, i, &kind))
				add_to_group(p, i, kind, dynamic[kind]);
}

/* ---- positions of lanes ---- */

static void add_site(struct sync_sites *p, ir_id *list, uint32_t *count, ir_id i)
{
	if (p->inst_stamp[i] == p->list_stamp)
		return;
	p->inst_stamp[i] = p->list_stamp;
	list[(*count)++] = i;
}

/* Adds the next site of the group from an instruction on; returns true if there is none in the rest
 * of the block. A block-wide barrier ends the search, because all threads reconverge there. */
static bool scan_block(struct sync_sites *p, ir_id i, ir_id *list, uint32_t *count)
{
	for (; i; i = ir_at(p->f, i)->next) {
		uint8_t op = ir_at(p->f, i)->op;

		if (p->group_of[i] == p->group)
			add_site(p, list, count, i);
		if (p->group_of[i] == p->group || op == IR_BARRIER || op == IR_BARRIER_RED)
			return false;
	}
	return true;
}

/* Adds the sites that follow a block, up to the reconvergence point. */
static void follow_successors(struct sync_sites *p, ir_block from, ir_block reconverge, ir_id *list,
			      uint32_t *count)
{
	uint32_t depth = 0;

	p->stack[depth++] = from;
	while (depth) {
		const struct ir_bb *bb = &p->f->blocks[p->stack[--depth]];

		for (uint32_t s = 0; s < bb->nsucc; s++) {
			ir_block to = bb->succ[s];

			if (to == reconverge || p->block_stamp[to] == p->stamp)
				continue;
			p->block_stamp[to] = p->stamp;
			if (scan_block(p, p->f->blocks[to].first, list, count))
				p->stack[depth++] = to;
		}
	}
}

static void follow_site(struct sync_sites *p, ir_id i, ir_block reconverge, ir_id *list,
			uint32_t *count)
{
	if (scan_block(p, ir_at(p->f, i)->next, list, count))
		follow_successors(p, ir_at(p->f, i)->block, reconverge, list, count);
}

static bool mark_sites(struct sync_sites *p, uint32_t count)
{
	bool more = false;

	for (uint32_t k = 0; k < count; k++) {
		more |= !p->marked[p->list[k]];
		p->marked[p->list[k]] = true;
	}
	return more;
}

/* Advances all lanes from the sites where they may be to the next sites that they may reach. */
static uint32_t step_lanes(struct sync_sites *p, ir_block reconverge, uint32_t count)
{
	ir_id *list = p->list;
	uint32_t n = 0;

	p->stamp++, p->list_stamp++;
	for (uint32_t k = 0; k < count; k++)
		follow_site(p, list[k], reconverge, p->next, &n);
	p->list = p->next;
	p->next = list;
	return n;
}

/* Marks every site that is reachable from the current ones. */
static void mark_reachable(struct sync_sites *p, ir_block reconverge, uint32_t count)
{
	p->stamp++, p->list_stamp++;
	for (uint32_t k = 0; k < count; k++)
		p->inst_stamp[p->list[k]] = p->list_stamp;
	for (uint32_t k = 0; k < count; k++)
		follow_site(p, p->list[k], reconverge, p->list, &count);
	mark_sites(p, count);
}

/* Lanes that diverge at a branch and may reach two different sites stay divergent, and so may their
 * following sites differ, until all lanes reach the same site. The analysis steps lanes from site
 * to site only if all sites name the same member mask: then the lanes advance in lockstep.
 * Otherwise it marks everything that is reachable. */
static void mark_branch(struct sync_sites *p, ir_block branch, ir_block reconverge)
{
	uint32_t count = 0, idle = 0;

	p->stamp++, p->list_stamp++;
	follow_successors(p, branch, reconverge, p->list, &count);
	while (count > 1 && p->groups[p->group - 1].same_mask && idle < MAX_IDLE_STEPS) {
		idle = mark_sites(p, count) ? 0 : idle + 1;
		count = step_lanes(p, reconverge, count);
	}
	if (count > 1)
		mark_reachable(p, reconverge, count);
}

static void mark_group(struct sync_sites *p, const struct ir_cfg *cfg,
		       const struct ir_divergence *d)
{
	ir_for_each_block(p->f, b)
		if (d->branch[b])
			mark_branch(p, b, cfg->ipdom[b]);
}

bool *divergent_sync_sites(const struct ir_func *f, const struct ir_cfg *cfg,
			   const struct ir_divergence *d)
{
	struct sync_sites p = {.f = f, .arena = f->module->arena};

	p.marked = arena_array(p.arena, f->ninsts, sizeof(*p.marked));
	p.group_of = arena_array(p.arena, f->ninsts, sizeof(*p.group_of));
	p.inst_stamp = arena_array(p.arena, f->ninsts, sizeof(*p.inst_stamp));
	p.list = arena_array(p.arena, f->ninsts, sizeof(*p.list));
	p.next = arena_array(p.arena, f->ninsts, sizeof(*p.next));
	p.block_stamp = arena_array(p.arena, f->nblocks, sizeof(*p.block_stamp));
	p.stack = arena_array(p.arena, f->nblocks + 1, sizeof(*p.stack));
	find_groups(&p);
	for (p.group = 1; p.group <= p.ngroups; p.group++)
		if (p.groups[p.group - 1].count > 1)
			mark_group(&p, cfg, d);
	return p.marked;
}
