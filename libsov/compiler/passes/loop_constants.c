// SPDX-License-Identifier: MIT
/*
 * Constants of loops: what holds no immediate of an instruction is put into a register before the
 * outermost loop that uses it, and stays there through all of it. Equal constants in blocks of
 * which none dominates the other, such as the slow paths of many divisions, would each take one; so
 * they become one, at the end of the block that dominates the loop. Outside of loops a constant
 * stays next to its users: there it is made when it is needed.
 */
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/analysis/uses.h"

struct constants {
	struct ir_func *f;
	ir_block *home; /* by block: nearest dominator outside of all loops */
	ir_val *leader; /* by value: what stands for it, 0 = itself */
	ir_id *table;   /* hashed by home, type and value */
	uint32_t mask;
};

static uint32_t hash(ir_block home, const struct ir_inst *c)
{
	uint64_t h = (c->imm ^ (uint64_t)home << 32 ^ c->type) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(h >> 32);
}

/* The first of a home goes there; the others become it. */
static bool share(struct constants *s, ir_id i)
{
	struct ir_inst *c = ir_at(s->f, i);
	ir_block home = s->home[c->block];
	uint32_t at = hash(home, c) & s->mask;

	while (s->table[at]) {
		const struct ir_inst *first = ir_at(s->f, s->table[at]);

		if (first->imm == c->imm && first->type == c->type && first->block == home) {
			s->leader[c->res] = first->res;
			ir_remove(s->f, i);
			return true;
		}
		at = (at + 1) & s->mask;
	}
	s->table[at] = i;
	ir_remove(s->f, i);
	ir_insert_before(s->f, s->f->blocks[home].last, i);
	return true;
}

bool pass_loop_constants(struct ir_func *f, const struct target *t)
{
	struct arena *a = f->module->arena;
	const struct ir_cfg *cfg = ir_cfg_build(f);
	struct constants s = {.f = f, .mask = 63};
	bool changed = false;

	(void)t;
	while (s.mask < 2 * f->ninsts)
		s.mask = 2 * s.mask + 1;
	s.home = arena_array(a, f->nblocks, sizeof(*s.home));
	s.leader = arena_array(a, f->nvalues, sizeof(*s.leader));
	s.table = arena_array(a, (size_t)s.mask + 1, sizeof(*s.table));
	for (uint32_t k = 0; k < cfg->nrpo; k++) {
		ir_block b = cfg->rpo[k];

		s.home[b] = cfg->loop_depth[b] ? s.home[cfg->idom[b]] : b;
		if (s.home[b] == b)
			continue;
		ir_for_each_inst_safe(f, b, i)
			if (ir_at(f, i)->op == IR_CONST)
				changed |= share(&s, i);
	}
	if (!changed)
		return false;
	uses_forward(f, s.leader, f->nvalues);
	return true;
}
