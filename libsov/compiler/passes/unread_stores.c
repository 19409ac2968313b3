// SPDX-License-Identifier: MIT
/*
 * Removes plain stores to variables of shared and local memory that nothing reads. Each value that
 * is computed from a variable's address belongs to the variable. A variable is read if such a value
 * is anything but the address of a plain store or the argument of a pure operation, if a value
 * belongs to two variables, or if another function or an initial value names it. Only variables
 * that are marked as logical are looked at: no number or other variable's address leads to them.
 */
#include "libsov/compiler/passes/pass.h"

struct unread {
	struct ir_func *f;
	bool *read;        /* by variable */
	uint32_t *belongs; /* by value: a variable, + 1 */
	bool changed;
};

static bool is_any_unread(const struct unread *u)
{
	for (uint32_t k = 0; k < u->f->module->nsymbols; k++)
		if (!u->read[k])
			return true;
	return false;
}

/* Walks the other functions only if a variable may be unread. Returns whether one still is. */
static bool find_candidates(struct unread *u)
{
	const struct ir_module *m = u->f->module;

	u->read = arena_array(m->arena, m->nsymbols + 1, sizeof(*u->read));
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct ir_symbol *s = &m->symbols[k];

		u->read[k] = !s->logical || s->external || s->linkage ||
			     (s->space != IR_SHARED && s->space != IR_LOCAL);
	}
	for (uint32_t k = 0; k < m->nsymbols; k++)
		for (uint32_t a = 0; a < m->symbols[k].naddresses; a++)
			if (!m->symbols[k].addresses[a].function)
				u->read[m->symbols[k].addresses[a].target] = true;
	if (!is_any_unread(u))
		return false;
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		if (f != u->f)
			ir_for_each_block(f, b)
				ir_for_each_inst(f, b, i)
					if (ir_at(f, i)->op == IR_ADDR)
						u->read[ir_at(f, i)->symbol] = true;
	return is_any_unread(u);
}

static bool is_plain_store(const struct ir_inst *in)
{
	return in->op == IR_STORE && !(in->flags & IR_VOLATILE) && in->order == IR_WEAK;
}

static void visit(struct unread *u, const struct ir_inst *in)
{
	bool pure = in->op == IR_PHI || ir_ops[in->op].properties & P_PURE;
	uint32_t variable = in->op == IR_ADDR ? in->symbol + 1 : 0;

	for (uint32_t k = 0; k < in->nargs; k++) {
		uint32_t of = u->belongs[in->args[k]];
		bool address = is_plain_store(in) && k == 0;

		if (!of || address)
			continue;
		if (!pure || (variable && variable != of))
			u->read[of - 1] = true;
		if (variable && variable != of)
			u->read[variable - 1] = true;
		variable = pure && !variable ? of : variable;
	}
	/* The first variable stays, or phis of several in a cycle would change for ever. */
	for (uint32_t k = 0; variable && k < in->nres; k++) {
		u->changed |= !u->belongs[in->res + k];
		u->belongs[in->res + k] =
			u->belongs[in->res + k] ? u->belongs[in->res + k] : variable;
	}
}

bool pass_unread_stores(struct ir_func *f, const struct target *t)
{
	struct unread u = {.f = f};
	bool changed = false;

	(void)t;
	if (!find_candidates(&u))
		return false;
	u.belongs = arena_array(f->module->arena, f->nvalues, sizeof(*u.belongs));
	do {
		u.changed = false;
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				visit(&u, ir_at(f, i));
	} while (u.changed);
	ir_for_each_block(f, b) {
		ir_for_each_inst_safe(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);
			uint32_t of = is_plain_store(in) ? u.belongs[in->args[0]] : 0;

			if (!of || u.read[of - 1])
				continue;
			ir_remove(f, i);
			changed = true;
		}
	}
	return changed;
}
