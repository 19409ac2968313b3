// SPDX-License-Identifier: MIT
/*
 * A check of the register assignment that knows nothing of how it was made: it follows what every
 * register holds along all paths. Each read must find the unit that it names; where paths meet, a
 * register holds something only if it holds the same on all of them.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define REGS (256 + 8 + 64) /* registers, predicates, uniform registers */

struct state {
	bool reached;
	uint32_t holds[REGS]; /* 1 + unit; 0 = nothing known */
};

struct check {
	const struct mir_func *f;
	struct state *in; /* by block */
	struct text *why;
	bool failed;
};

static uint32_t index_of(uint8_t kind, uint32_t reg)
{
	return kind == SASS_PRED ? 256 + reg : kind == SASS_UGPR ? 256 + 8 + reg : reg;
}

static void complain(struct check *c, uint32_t b, const struct mir_inst *i, const struct mir_use *u,
		     const char *what)
{
	if (c->why && !c->failed)
		text_printf(c->why, "kernel %s, b%u: '%s': %s%u should hold unit %u of %%%u: %s",
			    c->f->name, b, mir_text_inst(c->f, i), u->kind == SASS_PRED ? "P" : "R",
			    u->reg, u->ref.part, u->ref.vreg, what);
	c->failed = true;
}

static void read_use(struct check *c, struct state *s, uint32_t b, const struct mir_inst *i,
		     const struct mir_use *u)
{
	if (u->count > 1 && u->reg % u->count)
		complain(c, b, i, u, "it is not aligned");
	for (uint32_t k = 0; k < u->count; k++) {
		if (s->holds[index_of(u->kind, u->reg + k)] != mir_unit(c->f, u->ref) + k + 1)
			complain(c, b, i, u, "something else is there");
	}
}

static void write_use(struct check *c, struct state *s, uint32_t b, const struct mir_inst *i,
		      const struct mir_use *u)
{
	if (u->count > 1 && u->reg % u->count)
		complain(c, b, i, u, "it is not aligned");
	if (u->reg + u->count > (u->kind == SASS_PRED   ? MIR_PREDS
				 : u->kind == SASS_UGPR ? MIR_UGPRS
							: c->f->gprs))
		complain(c, b, i, u, "there is no such register");
	else
		for (uint32_t k = 0; k < u->count; k++)
			s->holds[index_of(u->kind, u->reg + k)] = mir_unit(c->f, u->ref) + k + 1;
}

static bool is_checked(const struct mir_use *u)
{
	return u->ref.vreg;
}

static void check_inst(struct check *c, struct state *s, uint32_t b, const struct mir_inst *i)
{
	struct mir_use uses[SASS_MAX_USES];
	uint32_t n = mir_find_uses(i, uses);

	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].write && is_checked(&uses[u]))
			read_use(c, s, b, i, &uses[u]);
	}
	if (mir_is_open_call(i))
		memset(s->holds, 0, sizeof(s->holds));
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && is_checked(&uses[u]))
			write_use(c, s, b, i, &uses[u]);
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

/* A phi has a new value along each edge: what its register held before is not it. */
static void forget_old_phis(const struct mir_func *f, uint32_t b, struct state *s)
{
	bool fresh[REGS] = {false};
	struct mir_use uses[SASS_MAX_USES];

	mir_for_each(f, b, i) {
		uint32_t n = i->phi_copy ? mir_find_uses(i, uses) : 0;

		for (uint32_t u = 0; u < n; u++) {
			if (uses[u].write)
				fresh[index_of(uses[u].kind, uses[u].reg)] = true;
		}
	}
	for (uint32_t k = 0; k < f->blocks[b].nsucc; k++) {
		const struct mir_block *to = &f->blocks[f->blocks[b].succ[k]];

		for (uint32_t p = 0; p < to->ncopied; p++) {
			const struct mir_vreg *v = &f->vregs[to->phis[p].vreg];

			for (uint32_t u = 0; u < v->units; u++) {
				uint32_t r = index_of(v->kind, v->reg + u);

				if (!fresh[r])
					s->holds[r] = 0;
			}
		}
	}
}

/* Brings what is known at a block's start down to what this path brings; true if it changed. */
static bool meet(struct state *in, const struct state *from)
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

/* What holds is settled first, quietly; then every instruction is looked at once. */
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
			forget_old_phis(f, b, &s);
			for (uint32_t k = 0; k < f->blocks[b].nsucc; k++)
				changed |= meet(&c.in[f->blocks[b].succ[k]], &s);
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
