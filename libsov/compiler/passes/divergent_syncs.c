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

bool has_active_members(const struct ir_func *f, ir_block block, ir_val members)
{
	const struct ir_inst *d = ir_def(f, members);

	return d->op == IR_ACTIVE && d->block == block;
}

/* A site whose member mask is the active mask (the forms without .sync) never waits for lanes at
 * other sites. */
bool is_sync_site(const struct ir_func *f, ir_id i, uint32_t *kind)
{
	const struct ir_inst *in = ir_at(f, i);

	*kind = ir_sync_kind(in);
	return *kind && !has_active_members(f, in->block, members_of(in));
}

bool is_aligned_sync(const struct ir_inst *in)
{
	if (in->op == IR_CLUSTER_BARRIER)
		return true;
	return in->op == IR_BARRIER || in->op == IR_BARRIER_RED || in->op == IR_MMA ||
	       in->op == IR_MMA_GROUP || in->op == IR_LOADMATRIX;
}

/* Functions to search: a list instead of recursion, because call paths can be long. */
struct sync_search {
	const struct ir_module *module;
	bool any;   /* aligned syncs count too, and so do callees that are not known */
	bool *seen; /* by function */
	uint32_t *list, count;
};

static void search_function(struct sync_search *s, uint32_t function)
{
	if (s->seen[function] || s->module->table[function]->kind != IR_FUNCTION)
		return;
	s->seen[function] = true;
	s->list[s->count++] = function;
}

static bool is_unknown_call(const struct ir_module *m, const struct ir_inst *in)
{
	return in->op == IR_CALLPTR ||
	       (in->op == IR_CALL && m->table[in->symbol]->kind != IR_FUNCTION);
}

/* Whether a function contains what is searched; adds its callees to the search. */
static bool has_sync_site(struct sync_search *s, const struct ir_func *f)
{
	uint32_t kind;

	ir_for_each_block(f, b) {
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (is_sync_site(f, i, &kind) ||
			    (s->any && (is_aligned_sync(in) || is_unknown_call(s->module, in))))
				return true;
			if (in->op == IR_CALL)
				search_function(s, in->symbol);
		}
	}
	return false;
}

static bool search_callees(const struct ir_module *module, uint32_t function, bool any)
{
	struct arena_mark mark = arena_mark(module->arena);
	struct sync_search s = {.module = module, .any = any};
	bool found = false;

	s.seen = arena_array(module->arena, module->nfuncs, sizeof(*s.seen));
	s.list = arena_array(module->arena, module->nfuncs, sizeof(*s.list));
	search_function(&s, function);
	while (s.count && !found)
		found = has_sync_site(&s, module->table[s.list[--s.count]]);
	arena_rewind(module->arena, mark);
	return found;
}

bool reaches_sync_site(const struct ir_module *module, uint32_t function)
{
	return search_callees(module, function, false);
}

bool call_may_sync(const struct ir_module *module, const struct ir_inst *in)
{
	if (in->op != IR_CALL && in->op != IR_CALLPTR)
		return false;
	return is_unknown_call(module, in) || search_callees(module, in->symbol, true);
}

/* ---- groups ---- */

static bool group_matches(const struct sync_sites *sites, const struct site_group *g, uint32_t kind,
			  ir_val members)
{
	uint64_t a, b;

	if (g->kind != kind)
		return false;
	return g->dynamic || (ir_is_const(sites->f, members, &a) &&
			      ir_is_const(sites->f, g->members, &b) && a == b);
}

static void add_to_group(struct sync_sites *sites, ir_id i, uint32_t kind, bool dynamic)
{
	ir_val members = members_of(ir_at(sites->f, i));
	uint32_t k = 0;

	while (k < sites->ngroups && !group_matches(sites, &sites->groups[k], kind, members))
		k++;
	if (k == sites->ngroups) {
		sites->groups = arena_grow(sites->arena, sites->groups, &sites->capacity, k + 1,
					   sizeof(*sites->groups));
		sites->groups[sites->ngroups++] =
			(struct site_group){kind, 0, members, dynamic, true};
	}
	sites->groups[k].count++;
	sites->groups[k].same_mask &= !dynamic || members == sites->groups[k].members;
	sites->group_of[i] = k + 1;
}

static void find_groups(struct sync_sites *sites)
{
	bool dynamic[IR_SYNC_KINDS] = {false};
	uint32_t kind;
	uint64_t mask;

	ir_for_each_block(sites->f, b)
		ir_for_each_inst(sites->f, b, i)
			if (is_sync_site(sites->f, i, &kind))
				dynamic[kind] |= !ir_is_const(
					sites->f, members_of(ir_at(sites->f, i)), &mask);
	ir_for_each_block(sites->f, b)
		ir_for_each_inst(sites->f, b, i)
			if (is_sync_site(sites->f, i, &kind))
				add_to_group(sites, i, kind, dynamic[kind]);
}

/* ---- positions of lanes ---- */

static void add_site(struct sync_sites *sites, ir_id *list, uint32_t *count, ir_id i)
{
	if (sites->inst_stamp[i] == sites->list_stamp)
		return;
	sites->inst_stamp[i] = sites->list_stamp;
	list[(*count)++] = i;
}

/* Adds the next site of the group from an instruction on; returns true if there is none in the rest
 * of the block. A block-wide barrier ends the search, because all threads reconverge there. */
static bool scan_block(struct sync_sites *sites, ir_id i, ir_id *list, uint32_t *count)
{
	for (; i; i = ir_at(sites->f, i)->next) {
		uint8_t op = ir_at(sites->f, i)->op;

		if (sites->group_of[i] == sites->group)
			add_site(sites, list, count, i);
		if (sites->group_of[i] == sites->group || op == IR_BARRIER || op == IR_BARRIER_RED)
			return false;
	}
	return true;
}

/* Adds the sites that follow a block, up to the reconvergence point. */
static void follow_successors(struct sync_sites *sites, ir_block from, ir_block reconverge,
			      ir_id *list, uint32_t *count)
{
	uint32_t depth = 0;

	sites->stack[depth++] = from;
	while (depth) {
		const struct ir_bb *bb = &sites->f->blocks[sites->stack[--depth]];

		for (uint32_t s = 0; s < bb->nsucc; s++) {
			ir_block to = bb->succ[s];

			if (to == reconverge || sites->block_stamp[to] == sites->stamp)
				continue;
			sites->block_stamp[to] = sites->stamp;
			if (scan_block(sites, sites->f->blocks[to].first, list, count))
				sites->stack[depth++] = to;
		}
	}
}

static void follow_site(struct sync_sites *sites, ir_id i, ir_block reconverge, ir_id *list,
			uint32_t *count)
{
	if (scan_block(sites, ir_at(sites->f, i)->next, list, count))
		follow_successors(sites, ir_at(sites->f, i)->block, reconverge, list, count);
}

static bool mark_sites(struct sync_sites *sites, uint32_t count)
{
	bool more = false;

	for (uint32_t k = 0; k < count; k++) {
		more |= !sites->marked[sites->list[k]];
		sites->marked[sites->list[k]] = true;
	}
	return more;
}

/* Advances all lanes from the sites where they may be to the next sites that they may reach. */
static uint32_t step_lanes(struct sync_sites *sites, ir_block reconverge, uint32_t count)
{
	ir_id *list = sites->list;
	uint32_t n = 0;

	sites->stamp++, sites->list_stamp++;
	for (uint32_t k = 0; k < count; k++)
		follow_site(sites, list[k], reconverge, sites->next, &n);
	sites->list = sites->next;
	sites->next = list;
	return n;
}

/* Marks every site that is reachable from the current ones. */
static void mark_reachable(struct sync_sites *sites, ir_block reconverge, uint32_t count)
{
	sites->stamp++, sites->list_stamp++;
	for (uint32_t k = 0; k < count; k++)
		sites->inst_stamp[sites->list[k]] = sites->list_stamp;
	for (uint32_t k = 0; k < count; k++)
		follow_site(sites, sites->list[k], reconverge, sites->list, &count);
	mark_sites(sites, count);
}

/* Lanes that diverge at a branch and may reach two different sites stay divergent, and so may their
 * following sites differ, until all lanes reach the same site. The analysis steps lanes from site
 * to site only if all sites name the same member mask: then the lanes advance in lockstep.
 * Otherwise it marks everything that is reachable. */
static void mark_branch(struct sync_sites *sites, ir_block branch, ir_block reconverge)
{
	uint32_t count = 0, idle = 0;

	sites->stamp++, sites->list_stamp++;
	follow_successors(sites, branch, reconverge, sites->list, &count);
	while (count > 1 && sites->groups[sites->group - 1].same_mask && idle < MAX_IDLE_STEPS) {
		idle = mark_sites(sites, count) ? 0 : idle + 1;
		count = step_lanes(sites, reconverge, count);
	}
	if (count > 1)
		mark_reachable(sites, reconverge, count);
}

static void mark_group(struct sync_sites *sites, const struct ir_cfg *cfg,
		       const struct ir_divergence *d)
{
	ir_for_each_block(sites->f, b)
		if (d->branch[b])
			mark_branch(sites, b, cfg->ipdom[b]);
}

bool *divergent_sync_sites(const struct ir_func *f, const struct ir_cfg *cfg,
			   const struct ir_divergence *d)
{
	struct sync_sites sites = {.f = f, .arena = f->module->arena};

	sites.marked = arena_array(sites.arena, f->ninsts, sizeof(*sites.marked));
	sites.group_of = arena_array(sites.arena, f->ninsts, sizeof(*sites.group_of));
	sites.inst_stamp = arena_array(sites.arena, f->ninsts, sizeof(*sites.inst_stamp));
	sites.list = arena_array(sites.arena, f->ninsts, sizeof(*sites.list));
	sites.next = arena_array(sites.arena, f->ninsts, sizeof(*sites.next));
	sites.block_stamp = arena_array(sites.arena, f->nblocks, sizeof(*sites.block_stamp));
	sites.stack = arena_array(sites.arena, f->nblocks + 1, sizeof(*sites.stack));
	find_groups(&sites);
	for (sites.group = 1; sites.group <= sites.ngroups; sites.group++)
		if (sites.groups[sites.group - 1].count > 1)
			mark_group(&sites, cfg, d);
	return sites.marked;
}
