// SPDX-License-Identifier: MIT
/*
 * Matrix products of a warp group are asynchronous. They add to registers in place, read those of A
 * and shared memory, and WARPGROUP.DEPBAR waits for them; WARPGROUP.ARRIVE, before the first one,
 * says that the registers are written. Between products with the same sums nothing is needed, and
 * products with other registers may be in flight together. The last one ends the group for all.
 *
 * The program's own fences and waits are not used. A product stays in flight until an instruction
 * of its block uses its sums or writes what it reads, and at most until the first access to memory,
 * barrier or branch.
 */
#include "libsov/compiler/nv/mir.h"

#define ARRIVE_DISTANCE 6 /* see sass_min_distance() */
#define WAIT_DISTANCE   3

uint32_t nv_addend_operand(const struct mir_inst *product)
{
	return product->sass.ops[1].kind == SASS_GPR ? 3 : 2;
}

/* ---- before registers are assigned ---- */

static bool is_live(const struct mir_func *f, const struct unit_set *live, uint32_t vreg)
{
	for (uint32_t k = 0; k < f->vregs[vreg].units; k++)
		if (unit_set_has(live, f->vregs[vreg].first_unit + k))
			return true;
	return false;
}

static void copy_addend(struct mir_func *f, uint32_t b, struct mir_inst *i)
{
	uint32_t operand = nv_addend_operand(i), units = f->vregs[i->ref[operand].vreg].units;
	struct mir_ref from = i->ref[operand], to = {mir_vreg_new(f, SASS_GPR, units), 0};

	for (; to.part < units; to.part++, from.part++)
		mir_insert(f, b, i, mir_move(f, mir_reg(SASS_GPR, to), mir_reg(SASS_GPR, from)));
	to.part = 0;
	mir_set_operand(i, operand, mir_reg(SASS_GPR, to));
}

static bool has_products(const struct mir_func *f)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			if (sass_is_group_product(&i->sass))
				return true;
	return false;
}

void nv_copy_live_sums(struct mir_func *f)
{
	struct unit_set live;
	bool any = false;

	if (!has_products(f))
		return;
	nv_liveness(f);
	live = unit_set_new(f->arena, f->nunits);
	mir_for_each_block(f, b) {
		unit_set_assign(&live, &f->blocks[b].live_out);
		for (struct mir_inst *i = f->blocks[b].last; i; i = i->prev) {
			uint32_t vreg = 0;

			if (sass_is_group_product(&i->sass))
				vreg = i->ref[nv_addend_operand(i)].vreg;
			if (vreg && is_live(f, &live, vreg)) {
				copy_addend(f, b, i);
				any = true;
			}
			nv_live_before(f, &live, i);
		}
	}
	if (any)
		f->live = false;
}

/* ---- after stall counts are set ---- */

/* Products in flight. */
struct flights {
	struct mir_inst *last; /* NULL: none */
	uint64_t sums[4], sources[4];
};

static void add_registers(uint64_t *set, const struct mir_use *u)
{
	for (uint32_t k = 0; k < u->count; k++)
		bitset_add(set, u->reg + k);
}

static bool has_registers(const uint64_t *set, const struct mir_use *u)
{
	for (uint32_t k = 0; k < u->count; k++)
		if (bitset_has(set, u->reg + k))
			return true;
	return false;
}

static bool uses_flights(const struct mir_func *f, const struct flights *flights,
			 struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	for (uint32_t u = 0; u < n; u++)
		if (uses[u].kind == SASS_GPR &&
		    (has_registers(flights->sums, &uses[u]) ||
		     (uses[u].write && has_registers(flights->sources, &uses[u]))))
			return true;
	return false;
}

static bool may_pass(const struct mir_func *f, const struct flights *flights, struct mir_inst *i)
{
	enum sass_pipe pipe = sass_pipe(f->sm, &i->sass);

	if (i->terminator || i->memory.effect || i->memory.bytes || mir_is_boundary(i) ||
	    (pipe != SASS_PIPE_ALU && pipe != SASS_PIPE_FMA && pipe != SASS_PIPE_UNIFORM))
		return false;
	return !uses_flights(f, flights, i);
}

/* Whether a product adds to what the last one in flight does, so that they are in order. */
static bool continues(const struct flights *flights, const struct mir_inst *i)
{
	return flights->last && flights->last->sass.ops[0].reg == i->sass.ops[0].reg &&
	       flights->last->sass.mod[SASS_M_TILES] == i->sass.mod[SASS_M_TILES] &&
	       flights->last->sass.op == i->sass.op &&
	       flights->last->sass.mod[SASS_M_SUMS] == i->sass.mod[SASS_M_SUMS];
}

static void set_minimum_stall(struct mir_inst *i, uint8_t cycles)
{
	if (i && i->sass.stall && i->sass.stall < cycles)
		i->sass.stall = cycles;
}

static void set_scoreboard(struct mir_inst *product, int64_t scoreboard)
{
	product->sass.ops[product->sass.nops - 1].value = scoreboard;
}

/* before == NULL: at the block's end. */
static void wait_before(struct mir_func *f, uint32_t b, struct mir_inst *before,
			struct flights *flights)
{
	struct mir_inst *i = mir_inst_new(f, SASS_WARPGROUP_DEPBAR);

	mir_set_operand(i, 0, mir_imm(0));
	mir_set_operand(i, 1, mir_imm(0));
	i->line = flights->last->line;
	i->sass.stall = (uint8_t)sass_min_stall(f->sm, &i->sass);
	mir_insert(f, b, before, i);
	set_scoreboard(flights->last, 0);
	set_minimum_stall(flights->last, WAIT_DISTANCE);
	*flights = (struct flights){0};
}

/* The registers must be ready for WARPGROUP.ARRIVE, as ptxas has it. */
static void arrive_before(struct mir_func *f, uint32_t b, struct mir_inst *product)
{
	struct mir_inst *i = mir_inst_new(f, SASS_WARPGROUP_ARRIVE);

	i->line = product->line;
	i->sass.stall = ARRIVE_DISTANCE;
	i->sass.wait = product->sass.wait;
	product->sass.wait = 0;
	mir_insert(f, b, product, i);
}

static void note_flight(const struct mir_func *f, struct flights *flights, struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	for (uint32_t u = 0; u < n; u++)
		if (uses[u].kind == SASS_GPR)
			add_registers(uses[u].operand == 1 ? flights->sources : flights->sums,
				      &uses[u]);
	flights->last = i;
}

void nv_wait_for_products(struct mir_func *f)
{
	mir_for_each_block(f, b) {
		struct flights flights = {0};

		mir_for_each(f, b, i) {
			bool product = sass_is_group_product(&i->sass), follows = false;

			if (product)
				follows = continues(&flights, i);
			if (flights.last && !follows &&
			    (product ? uses_flights(f, &flights, i) : !may_pass(f, &flights, i)))
				wait_before(f, b, i, &flights);
			if (!product)
				continue;
			if (!follows)
				arrive_before(f, b, i);
			note_flight(f, &flights, i);
		}
		if (flights.last)
			wait_before(f, b, NULL, &flights);
	}
}
