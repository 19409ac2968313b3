// SPDX-License-Identifier: MIT
/*
 * Predication of selects. "t = a + b; d = SEL t, x, p" is one instruction if d and x are in the
 * same register: the sum, executed under p, which leaves x there otherwise. Selection cannot
 * produce this form, because in SSA a result has no previous value; so it takes two steps. Register
 * allocation prefers x's register for d where the other operand of a SEL is computed for it alone
 * (nv_predicable_operand()). Where that succeeded, this stage, after allocation, moves the
 * computation to the SEL's position, guards it and removes the SEL.
 */
#include "libsov/compiler/nv/mir.h"

/* Maximum distance between a computation and its SEL. */
#define MAX_DISTANCE 64

/* Instructions of fixed latency whose only effect is their result. */
static bool is_predicable(const struct mir_inst *i)
{
	static const uint16_t ops[] = {SASS_FADD,  SASS_FMUL,      SASS_FFMA,   SASS_IADD3,
				       SASS_IMAD,  SASS_LOP3,      SASS_SHF,    SASS_LEA,
				       SASS_PRMT,  SASS_IABS,      SASS_VIMNMX, SASS_IMNMX,
				       SASS_FMNMX, SASS_VIADDMNMX, SASS_VIMNMX3};
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(&i->sass, uses), writes = 0;
	bool listed = false;

	for (uint32_t k = 0; k < sizeof(ops) / sizeof(ops[0]); k++)
		listed |= i->sass.op == ops[k];
	for (uint32_t u = 0; u < n; u++)
		writes += uses[u].write ? uses[u].count : 0;
	return listed && writes == 1 && i->sass.guard == SASS_PT && !i->variable && !i->callee &&
	       !i->return_address;
}

static bool is_select(const struct mir_inst *i)
{
	return i->sass.op == SASS_SEL && i->sass.guard == SASS_PT && i->sass.ops[3].reg != SASS_PT;
}

uint32_t nv_predicable_operand(const struct mir_func *f, const struct mir_inst *i,
			       const uint32_t *counts)
{
	for (uint32_t k = 1; is_select(i) && k < 3; k++) {
		const struct mir_ref *t = &i->ref[k], *x = &i->ref[3 - k];

		if (i->sass.ops[k].kind == SASS_GPR && t->vreg && counts[t->vreg] == 1 &&
		    f->vregs[t->vreg].units == 1 && f->vregs[t->vreg].first_def &&
		    is_predicable(f->vregs[t->vreg].first_def) &&
		    i->sass.ops[3 - k].kind == SASS_GPR && x->vreg)
			return k;
	}
	return 0;
}

static bool writes_register(const struct mir_inst *i, uint8_t kind, uint32_t reg)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(&i->sass, uses);

	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && uses[u].kind == kind && reg >= uses[u].reg &&
		    reg < (uint32_t)uses[u].reg + uses[u].count)
			return true;
	}
	return false;
}

/* Whether no instruction from "from" up to "to" writes a register that i reads. */
static bool sources_survive(const struct mir_inst *i, const struct mir_inst *from,
			    const struct mir_inst *to)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(&i->sass, uses);

	for (; from != to; from = from->next) {
		for (uint32_t u = 0; u < n; u++) {
			for (uint32_t k = 0; !uses[u].write && k < uses[u].count; k++) {
				if (writes_register(from, uses[u].kind, uses[u].reg + k))
					return false;
			}
		}
	}
	return true;
}

/* The operand of the instruction that names its result. */
static uint32_t result_operand(const struct mir_inst *i)
{
	return i->sass.op == SASS_LOP3 ? 1 : 0;
}

static bool predicate_select(struct mir_func *f, uint32_t b, struct mir_inst *select, uint32_t k)
{
	struct mir_inst *def = select->prev;
	struct mir_source guard = {.op = select->sass.ops[3], .ref = select->ref[3]};
	uint32_t steps = 0, result;

	if (select->sass.ops[0].reg != select->sass.ops[3 - k].reg)
		return false;
	while (def && !writes_register(def, SASS_GPR, select->sass.ops[k].reg)) {
		if (++steps > MAX_DISTANCE || mir_is_boundary(def))
			return false;
		def = def->prev;
	}
	if (!def || def->ref[result_operand(def)].vreg != select->ref[k].vreg ||
	    !is_predicable(def) || !sources_survive(def, def->next, select))
		return false;
	result = result_operand(def);
	mir_remove(f, b, def);
	mir_insert(f, b, select, def);
	def->sass.ops[result] = select->sass.ops[0];
	def->ref[result] = select->ref[0];
	if (k == 2)
		guard.op.flags ^= SASS_NEG;
	mir_set_guard(def, guard);
	def->uses = NULL;
	mir_remove(f, b, select);
	return true;
}

/* A phi that has the computation's register reads it without an instruction. */
static bool is_only_use(const struct mir_func *f, uint32_t vreg)
{
	return vreg && vreg < f->nuse_counts && f->use_counts[vreg] == 1;
}

void nv_predicate_selects(struct mir_func *f)
{
	mir_for_each_block(f, b) {
		mir_for_each_safe(f, b, i) {
			for (uint32_t k = 1; is_select(i) && k < 3; k++) {
				if (i->sass.ops[k].kind == SASS_GPR &&
				    is_only_use(f, i->ref[k].vreg) &&
				    i->sass.ops[3 - k].kind == SASS_GPR && i->ref[3 - k].vreg &&
				    predicate_select(f, b, i, k))
					break;
			}
		}
	}
}
