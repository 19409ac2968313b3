// SPDX-License-Identifier: MIT
/*
 * Verifier of the register assignment, independent of the allocator: a forward data-flow analysis
 * of the unit that each register holds. Every read must find the unit that it names. At a join, a
 * register holds a unit only if it does so on all incoming paths.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define REGS (256 + 8 + 64) /* GPRs, predicates, uniform registers */

struct state {
	bool reached;
	uint32_t holds[REGS]; /* 1 + unit; 0 = unknown */
};

struct check {
	const struct mir_func *f;
	struct state *in; /* by block */
	struct text *why;
	bool failed;
};

static uint32_t reg_index(uint8_t kind, uint32_t reg)
{
	return kind == SASS_PRED ? 256 + reg : kind == SASS_UGPR ? 256 + 8 + reg : reg;
}

static void report_register(struct check *c, uint32_t b, const struct mir_inst *i,
			    const struct mir_use *u, const char *fault)
{
	if (c->why && !c->failed)
		text_printf(c->why, "kernel %s, b%u: '%s': %s%u should hold unit %u of %%%u: %s",
			    c->f->name, b, mir_text_inst(c->f, i), u->kind == SASS_PRED ? "P" : "R",
			    u->reg, u->ref.part, u->ref.vreg, fault);
	c->failed = true;
}

static void check_read(struct check *c, struct state *s, uint32_t b, const struct mir_inst *i,
		       const struct mir_use *u)
{
	if (u->count > 1 && u->reg % u->count)
		report_register(c, b, i, u, "it is not aligned");
	for (uint32_t k = 0; k < u->count; k++) {
		if (s->holds[reg_index(u->kind, u->reg + k)] != mir_unit(c->f, u->ref) + k + 1)
			report_register(c, b, i, u, "it holds something else");
	}
}

static void check_write(struct check *c, struct state *s, uint32_t b, const struct mir_inst *i,
			const struct mir_use *u)
{
	if (u->count > 1 && u->reg % u->count)
		report_register(c, b, i, u, "it is not aligned");
	if (u->reg + u->count > (u->kind == SASS_PRED   ? MIR_PREDS
				 : u->kind == SASS_UGPR ? MIR_UGPRS
							: c->f->gprs))
		report_register(c, b, i, u, "there is no such register");
	else
		for (uint32_t k = 0; k < u->count; k++)
			s->holds[reg_index(u->kind, u->reg + k)] = mir_unit(c->f, u->ref) + k + 1;
}

static bool is_checked(const struct mir_use *u)
{
	return u->ref.vreg;
}

static void check_inst(struct check *c, struct state *s, uint32_t b, const struct mir_inst *i)
{
	struct mir_use uses[SASS_MAX_USES];
	uint32_t n = mir_collect_uses(i, uses);

	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].write && is_checked(&uses[u]))
			check_read(c, s, b, i, &uses[u]);
	}
	if (mir_is_clobbering_call(i))
		memset(s->holds, 0, sizeof(s->holds));
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && is_checked(&uses[u]))
			check_write(c, s, b, i, &uses[u]);
	}
}

static void check_block(struct check *c, uint32_t b, struct state *s)
{
	const struct mir_block *block = &c->f->blocks[b];

	mir_for_each(c->f, b, i)
		check_inst(c, s, b, i);
	if (block->cond.ref.vreg &&
	    s->holds[256 + block->cond.op.reg] != mir_unit(c->f, block->cond.ref) + 1) {
		if (c->why && !c->failed)
			text_printf(c->why, "kernel %s, b%u: P%u of its branch does not hold %%%u",
				    c->f->name, b, block->cond.op.reg, block->cond.ref.vreg);
		c->failed = true;
	}
}

/* A phi has a new value on each edge: the register's old contents are not that value. */
static void invalidate_phis(const struct mir_func *f, uint32_t b, struct state *s)
{
	bool defined[REGS] = {false};
	struct mir_use uses[SASS_MAX_USES];

	mir_for_each(f, b, i) {
		uint32_t n = i->phi_copy ? mir_collect_uses(i, uses) : 0;

		for (uint32_t u = 0; u < n; u++) {
			if (uses[u].write)
				defined[reg_index(uses[u].kind, uses[u].reg)] = true;
		}
	}
	for (uint32_t k = 0; k < f->blocks[b].nsucc; k++) {
		const struct mir_block *to = &f->blocks[f->blocks[b].succ[k]];

		for (uint32_t p = 0; p < to->ncopied; p++) {
			const struct mir_vreg *v = &f->vregs[to->phis[p].vreg];

			for (uint32_t u = 0; u < v->units; u++) {
				uint32_t r = reg_index(v->kind, v->reg + u);

				if (!defined[r])
					s->holds[r] = 0;
			}
		}
	}
}

/* Intersects a block's entry state with that of one incoming path; true if it changed. */
static bool intersect_state(struct state *in, const struct state *from)
{
	bool changed = false;

	if (!in->reached) {
		*in = *from;
		return true;
	}
	for (uint32_t r = 0; r < REGS; r++) {
		if (in->holds[r] && in->holds[r] != from->holds[r]) {
			in->holds[r] = 0;
			changed = true;
		}
	}
	return changed;
}

/* The analysis reaches its fixed point silently; then one pass reports the first fault. */
bool nv_check_registers(const struct mir_func *f, struct text *why)
{
	struct check c = {.f = f};
	struct state s;
	bool changed = true;

	c.in = arena_array(f->arena, f->nblocks, sizeof(*c.in));
	c.in[f->entry].reached = true;
	while (changed) {
		changed = false;
		mir_for_each_block(f, b) {
			if (!c.in[b].reached)
				continue;
			s = c.in[b];
			check_block(&c, b, &s);
			invalidate_phis(f, b, &s);
			for (uint32_t k = 0; k < f->blocks[b].nsucc; k++)
				changed |= intersect_state(&c.in[f->blocks[b].succ[k]], &s);
		}
	}
	c.failed = false;
	c.why = why;
	mir_for_each_block(f, b) {
		s = c.in[b];
		if (s.reached)
			check_block(&c, b, &s);
	}
	return !c.failed;
}
