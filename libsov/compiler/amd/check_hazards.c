// SPDX-License-Identifier: MIT
/*
 * Verifier of wait counters, independent of the pass that inserts the waits: a forward data-flow
 * analysis along the linear CFG of the memory operations that may be outstanding, each with the
 * least number of later operations on its counters. A wait for n completes an operation once n
 * later ones are issued; lgkmcnt counts down out of order while a scalar load is outstanding, so
 * then only a wait for zero completes anything. Reports
 *	an instruction that reads or writes a register which an outstanding operation will write,
 *	except a vector load that overwrites the result of an older vector load,
 *	a barrier with outstanding operations, which other waves might not see,
 *	a call or return with outstanding loads, which the calling convention excludes,
 *	a cache invalidation with outstanding loads or atomics, which does not acquire.
 * The software GPU enforces the same rules on the path that it executes (model/amd/hazard.c, with
 * sources; docs/amd.md).
 *
 * This shares nothing with NVIDIA's verifier, which adds up stall cycles from one producer at a
 * time: here the order of other operations decides whether a wait suffices.
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"

#define NO_WAIT     63 /* in a wait: this counter may have any value */
#define NOT_PENDING UINT8_MAX

static const char *const counter_names[AMD_COUNTERS] = {"vmcnt", "lgkmcnt", "vscnt"};

/* An outstanding operation that writes registers. */
struct pending_load {
	const struct gcn_inst *inst;
	uint8_t later[AMD_COUNTERS]; /* operations issued since, NOT_PENDING: it is complete */
};

struct memory_state {
	bool reached, stale;
	bool outstanding[AMD_COUNTERS];
	bool unordered;        /* a scalar load may be outstanding */
	uint8_t atomics_later; /* on vscnt since the last atomic without result, or NOT_PENDING */
	struct pending_load *loads;
	uint32_t nloads, loads_capacity;
};

struct hazard_check {
	const struct gcn_func *f;
	struct memory_state *entries; /* by block */
	struct memory_state now;
	uint32_t block;
	struct text *why; /* NULL: the fixed point is not reached yet */
	bool failed;
};

static bool is_pending(const struct pending_load *p)
{
	return p->later[AMD_VMCNT] != NOT_PENDING || p->later[AMD_LGKMCNT] != NOT_PENDING;
}

static void report_hazard(struct hazard_check *c, const struct gcn_inst *i, const char *fault,
			  uint32_t counter)
{
	if (c->why && !c->failed)
		text_printf(c->why, "%s %s, b%u: '%s' %s: %s was not waited for",
			    c->f->ir->kind == IR_KERNEL ? "kernel" : "function", c->f->ir->name,
			    c->block, gcn_print_inst(c->f, i), fault, counter_names[counter]);
	c->failed = true;
}

/* At most `left` operations of a counter are outstanding now. */
static void complete_operations(struct memory_state *s, enum amd_counter counter, uint32_t left)
{
	uint32_t kept = 0;

	if (left >= NO_WAIT || (counter == AMD_LGKMCNT && left && s->unordered))
		return;
	for (uint32_t k = 0; k < s->nloads; k++) {
		struct pending_load p = s->loads[k];

		if (p.later[counter] >= left)
			p.later[counter] = NOT_PENDING;
		if (is_pending(&p))
			s->loads[kept++] = p;
	}
	s->nloads = kept;
	if (counter == AMD_VSCNT && s->atomics_later >= left)
		s->atomics_later = NOT_PENDING;
	if (!left)
		s->outstanding[counter] = false;
	if (!left && counter == AMD_LGKMCNT)
		s->unordered = false;
}

static void execute_wait(struct memory_state *s, const struct amd_inst *in)
{
	uint32_t imm = (uint32_t)in->field[AMD_F_IMM];

	switch (in->row->op) {
	case AMD_s_waitcnt:
		complete_operations(s, AMD_VMCNT, (imm & 15) | (imm >> 14 & 3) << 4);
		complete_operations(s, AMD_LGKMCNT, imm >> 8 & 63);
		break;
	case AMD_s_waitcnt_vmcnt:
		complete_operations(s, AMD_VMCNT, imm);
		break;
	case AMD_s_waitcnt_lgkmcnt:
		complete_operations(s, AMD_LGKMCNT, imm);
		break;
	case AMD_s_waitcnt_vscnt:
		complete_operations(s, AMD_VSCNT, imm);
		break;
	case AMD_s_wait_idle:
		for (uint32_t counter = 0; counter < AMD_COUNTERS; counter++)
			complete_operations(s, counter, 0);
		break;
	default:
		break;
	}
}

static void check_synchronisation(struct hazard_check *c, const struct gcn_inst *i)
{
	const struct memory_state *s = &c->now;
	enum amd_op op = i->in.row->op;

	if (op == AMD_s_barrier)
		for (uint32_t counter = 0; counter < AMD_COUNTERS; counter++)
			if (s->outstanding[counter])
				report_hazard(c, i, "is a barrier with outstanding operations",
					      counter);
	if (op == AMD_s_swappc_b64 || op == AMD_s_setpc_b64)
		for (uint32_t counter = AMD_VMCNT; counter <= AMD_LGKMCNT; counter++)
			if (s->outstanding[counter])
				report_hazard(c, i, "leaves the function with outstanding loads",
					      counter);
	if (op != AMD_buffer_gl0_inv && op != AMD_buffer_gl1_inv)
		return;
	for (uint32_t k = 0; k < s->nloads; k++)
		if (s->loads[k].later[AMD_VMCNT] != NOT_PENDING)
			report_hazard(c, i, "invalidates a cache with outstanding loads",
				      AMD_VMCNT);
	if (s->atomics_later != NOT_PENDING)
		report_hazard(c, i, "invalidates a cache with outstanding atomics", AMD_VSCNT);
}

static bool uses_overlap(const struct amd_use *a, const struct amd_use *b)
{
	return a->reg < b->reg + b->count && b->reg < a->reg + a->count;
}

/* Whether an instruction uses a register that an outstanding load writes; ordered: it may
 * overwrite it. */
static bool uses_result_of(const struct amd_use *uses, uint32_t n, const struct gcn_inst *load,
			   bool ordered)
{
	struct amd_use written[AMD_MAX_USES];
	uint32_t count = amd_uses(&load->in, written);

	for (uint32_t w = 0; w < count; w++)
		for (uint32_t u = 0; written[w].write && u < n; u++)
			if (uses_overlap(&written[w], &uses[u]) && !(ordered && uses[u].write))
				return true;
	return false;
}

static void check_uses(struct hazard_check *c, const struct gcn_inst *i)
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(&i->in, uses);
	bool vector_load = amd_wait_counters(&i->in) == 1 << AMD_VMCNT;

	for (uint32_t k = 0; k < c->now.nloads; k++) {
		const struct pending_load *p = &c->now.loads[k];

		if (!uses_result_of(uses, n, p->inst,
				    vector_load && p->later[AMD_LGKMCNT] == NOT_PENDING))
			continue;
		report_hazard(c, i,
			      c->why ? arena_printf(c->f->arena, "uses a result of '%s'",
						    gcn_print_inst(c->f, p->inst))
				     : NULL,
			      p->later[AMD_VMCNT] != NOT_PENDING ? AMD_VMCNT : AMD_LGKMCNT);
	}
}

static void count_later(uint8_t *later)
{
	if (*later < NO_WAIT)
		++*later;
}

static bool writes_registers(const struct amd_inst *in)
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(in, uses);

	for (uint32_t u = 0; u < n; u++)
		if (uses[u].write)
			return true;
	return false;
}

static struct pending_load *find_load(struct memory_state *s, const struct gcn_inst *i)
{
	for (uint32_t k = 0; k < s->nloads; k++)
		if (s->loads[k].inst == i)
			return &s->loads[k];
	return NULL;
}

static struct pending_load *append_load(struct hazard_check *c, struct memory_state *s,
					const struct gcn_inst *i)
{
	s->loads = arena_grow(c->f->arena, s->loads, &s->loads_capacity, s->nloads + 1,
			      sizeof(*s->loads));
	s->loads[s->nloads] = (struct pending_load){i, {NOT_PENDING, NOT_PENDING, NOT_PENDING}};
	return &s->loads[s->nloads++];
}

static void issue_operation(struct hazard_check *c, const struct gcn_inst *i)
{
	struct memory_state *s = &c->now;
	uint32_t counters = amd_wait_counters(&i->in);
	struct pending_load *p;

	if (i->in.row->op == AMD_s_swappc_b64) { /* the callee may have stores outstanding */
		s->outstanding[AMD_VSCNT] = true;
		s->atomics_later = 0;
	}
	for (uint32_t counter = 0; counter < AMD_COUNTERS; counter++) {
		if (!(counters >> counter & 1))
			continue;
		s->outstanding[counter] = true;
		for (uint32_t k = 0; k < s->nloads; k++)
			count_later(&s->loads[k].later[counter]);
	}
	if (counters >> AMD_VSCNT & 1)
		count_later(&s->atomics_later);
	if (counters >> AMD_VSCNT & 1 && i->in.row->flags & ATOMIC)
		s->atomics_later = 0;
	if (counters && i->in.row->format == AMD_SMEM)
		s->unordered = true;
	if (!counters || !writes_registers(&i->in))
		return;
	p = find_load(s, i);
	p = p ? p : append_load(c, s, i);
	for (uint32_t counter = AMD_VMCNT; counter <= AMD_LGKMCNT; counter++)
		if (counters >> counter & 1)
			p->later[counter] = 0;
}

static void check_block(struct hazard_check *c, uint32_t b)
{
	const struct memory_state *in = &c->entries[b];
	struct pending_load *loads = c->now.loads;
	uint32_t capacity = c->now.loads_capacity;

	c->block = b;
	c->now = *in;
	c->now.loads = arena_grow(c->f->arena, loads, &capacity, in->nloads, sizeof(*loads));
	c->now.loads_capacity = capacity;
	if (in->nloads)
		memcpy(c->now.loads, in->loads, in->nloads * sizeof(*loads));
	gcn_for_each(c->f, b, i) {
		execute_wait(&c->now, &i->in);
		check_synchronisation(c, i);
		check_uses(c, i);
		issue_operation(c, i);
	}
}

/* Adds the current state to a block's entry state: the paths' outstanding operations together. */
static void join_state(struct hazard_check *c, struct memory_state *in)
{
	const struct memory_state *s = &c->now;
	bool changed = !in->reached || (s->unordered && !in->unordered) ||
		       s->atomics_later < in->atomics_later;

	in->reached = true;
	in->unordered |= s->unordered;
	if (s->atomics_later < in->atomics_later)
		in->atomics_later = s->atomics_later;
	for (uint32_t counter = 0; counter < AMD_COUNTERS; counter++) {
		changed |= s->outstanding[counter] && !in->outstanding[counter];
		in->outstanding[counter] |= s->outstanding[counter];
	}
	for (uint32_t k = 0; k < s->nloads; k++) {
		struct pending_load *p = find_load(in, s->loads[k].inst);

		p = p ? p : append_load(c, in, s->loads[k].inst);
		for (uint32_t counter = 0; counter < AMD_COUNTERS; counter++)
			if (s->loads[k].later[counter] < p->later[counter]) {
				p->later[counter] = s->loads[k].later[counter];
				changed = true;
			}
	}
	in->stale |= changed;
}

bool gcn_check_hazards(const struct gcn_func *f, struct text *why)
{
	struct hazard_check c = {.f = f};
	struct arena_mark scratch = arena_mark(f->arena);
	bool changed = true;

	c.entries = arena_array(f->arena, f->nblocks, sizeof(*c.entries));
	gcn_for_each_block(f, b)
		c.entries[b].atomics_later = NOT_PENDING;
	c.entries[f->first].reached = c.entries[f->first].stale = true;
	if (f->ir->kind == IR_FUNCTION) { /* the caller may have stores outstanding */
		c.entries[f->first].outstanding[AMD_VSCNT] = true;
		c.entries[f->first].atomics_later = 0;
	}
	while (changed) {
		changed = false;
		gcn_for_each_block(f, b) {
			if (!c.entries[b].stale)
				continue;
			c.entries[b].stale = false;
			changed = true;
			check_block(&c, b);
			for (uint32_t k = 0; k < f->blocks[b].nlinear_succ; k++)
				join_state(&c, &c.entries[f->blocks[b].linear_succ[k]]);
		}
	}
	c.failed = false;
	c.why = why;
	gcn_for_each_block(f, b)
		if (c.entries[b].reached && !c.failed)
			check_block(&c, b);
	if (!c.failed) /* otherwise the message is in the arena, too */
		arena_rewind(f->arena, scratch);
	return !c.failed;
}
