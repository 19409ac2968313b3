// SPDX-License-Identifier: MIT
/*
 * Registers that warps give to each other (setmaxnreg). A kernel that states its launch bounds
 * starts with a known number of registers. Where a warp group gives some of them up and another
 * takes them, blocks of the function have different limits: a forward analysis finds them, and
 * scheduler, spiller and register allocator keep to them. A value may only have a register that
 * exists wherever it is live.
 *
 * As ptxas 13.0 does: a kernel starts with the registers that its launch bounds leave or with the
 * most that it ever asks for, whichever is less; of N registers the code uses R0 to R(N - 3); the
 * warp's lanes come together before a request, and it asks again until the block's pool has enough.
 * Where other code may be called, whose registers are not known, requests have no effect; so they
 * have in objects, as with ptxas.
 */
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"
#include "libsov/compiler/nv/regalloc.h"

static bool is_request(const struct ir_inst *in)
{
	return in->op == IR_GIVE_REGISTERS || in->op == IR_TAKE_REGISTERS;
}

struct nv_register_requests nv_register_requests(const struct ir_func *f)
{
	struct nv_register_requests r = {0};
	bool calls = false;

	if (f->kind != IR_KERNEL)
		return r;
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);
			uint32_t count = (uint32_t)in->imm;

			calls |= in->op == IR_CALLPTR ||
				 (in->op == IR_CALL && !f->module->table[in->symbol]->preserve_all);
			if (!is_request(in))
				continue;
			if (!r.lowest || count < r.lowest)
				r.lowest = count;
			if (count > r.highest)
				r.highest = count;
			if (in->op == IR_GIVE_REGISTERS && count > r.given)
				r.given = count;
		}
	return calls ? (struct nv_register_requests){0} : r;
}

static uint32_t requested(const struct mir_inst *i)
{
	if (i->sass.op == SASS_USETMAXREG_DEALLOC)
		return (uint32_t)i->sass.ops[0].value;
	if (i->sass.op == SASS_USETMAXREG_TRY_ALLOC)
		return (uint32_t)i->sass.ops[1].value;
	return 0;
}

/* Registers after a block that has some before it. A block with a request keeps to the least that
 * it ever has, so that its instructions may move. */
static uint32_t pass_block(const struct mir_func *f, uint32_t b, uint32_t before, uint32_t *least)
{
	*least = before;
	mir_for_each(f, b, i) {
		before = requested(i) ? requested(i) : before;
		*least = before < *least ? before : *least;
	}
	return before;
}

static uint32_t usable(const struct mir_func *f, uint32_t registers)
{
	registers -= MIR_HARDWARE_GPRS;
	return registers < f->gprs ? registers : f->gprs;
}

void nv_limit_blocks(struct mir_func *f)
{
	uint32_t *before, count, *order;
	bool changed = true;

	if (!f->start_registers)
		return;
	before = arena_array(f->arena, f->nblocks, sizeof(*before));
	f->block_gprs = arena_array(f->arena, f->nblocks, sizeof(*f->block_gprs));
	f->limited_blocks = f->nblocks;
	f->min_gprs = f->gprs;
	order = mir_reverse_postorder(f, &count);
	before[f->entry] = f->start_registers;
	while (changed) {
		changed = false;
		for (uint32_t k = 0; k < count; k++) {
			const struct mir_block *block = &f->blocks[order[k]];
			uint32_t least, after;

			after = pass_block(f, order[k], before[order[k]], &least);
			f->block_gprs[order[k]] = usable(f, least);
			if (f->block_gprs[order[k]] < f->min_gprs)
				f->min_gprs = f->block_gprs[order[k]];
			for (uint32_t s = 0; s < block->nsucc; s++) {
				uint32_t *to = &before[block->succ[s]];

				if (*to && *to <= after)
					continue;
				*to = after;
				changed = true;
			}
		}
	}
}

uint32_t nv_block_gprs(const struct mir_func *f, uint32_t b)
{
	return b < f->limited_blocks && f->block_gprs[b] ? f->block_gprs[b] : f->gprs;
}

static void limit_vreg(struct allocator *a, uint32_t vreg, uint32_t gprs)
{
	if (gprs < a->highest[vreg])
		a->highest[vreg] = gprs;
}

/* A value has registers that exist in all blocks in which it is live. */
void nv_find_highest(struct allocator *a)
{
	const struct mir_func *f = a->f;

	if (!f->block_gprs)
		return;
	a->highest = arena_array(f->arena, f->nvregs, sizeof(*a->highest));
	for (uint32_t v = 0; v < f->nvregs; v++)
		a->highest[v] = f->gprs;
	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];
		uint32_t gprs = nv_block_gprs(f, b);

		live_set_for_each(&block->live_in, unit) limit_vreg(a, f->unit_vreg[unit], gprs);
		for (uint32_t p = 0; p < block->nphis; p++)
			limit_vreg(a, block->phis[p].vreg, gprs);
		for (uint32_t p = 0; p < block->npreds; p++)
			for (uint32_t k = 0; k < block->nphis; k++)
				limit_vreg(a, block->phis[k].vreg,
					   nv_block_gprs(f, block->preds[p]));
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n; u++)
				limit_vreg(a, uses[u].ref.vreg, gprs);
		}
	}
}

uint32_t nv_registers_of(const struct allocator *a, uint32_t vreg)
{
	uint32_t highest = a->highest ? a->highest[vreg] : a->gpr_count;

	return highest < a->gpr_count ? highest : a->gpr_count;
}

/* Independent of nv_limit_blocks(): of the registers themselves, instruction by instruction. */
static bool check_block(const struct mir_func *f, uint32_t b, uint32_t *have, struct text *why)
{
	struct mir_use uses[SASS_MAX_USES];

	mir_for_each(f, b, i) {
		uint32_t n = mir_collect_uses(i, uses), kept = requested(i);

		for (uint32_t u = 0; u < n; u++) {
			if (uses[u].kind != SASS_GPR ||
			    (uint32_t)uses[u].reg + uses[u].count + MIR_HARDWARE_GPRS <= *have)
				continue;
			text_printf(why, "kernel %s, block %u: R%u of %u registers", f->name, b,
				    uses[u].reg + uses[u].count - 1, *have);
			return false;
		}
		*have = kept ? kept : *have;
	}
	return true;
}

bool nv_check_requests(const struct mir_func *f, struct text *why)
{
	uint32_t *before = arena_array(f->arena, f->nblocks, sizeof(*before));
	bool changed = f->start_registers != 0;

	before[f->entry] = f->start_registers;
	while (changed) {
		changed = false;
		mir_for_each_block(f, b) {
			uint32_t have = before[b];

			if (have && !check_block(f, b, &have, why))
				return false;
			for (uint32_t s = 0; have && s < f->blocks[b].nsucc; s++) {
				uint32_t *to = &before[f->blocks[b].succ[s]];

				changed |= !*to || *to > have;
				*to = !*to || *to > have ? have : *to;
			}
		}
	}
	return true;
}
