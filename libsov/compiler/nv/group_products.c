// SPDX-License-Identifier: MIT
/*
 * Matrix products of a warp group are asynchronous. They add to registers in place, read those of A
 * and shared memory, and WARPGROUP.DEPBAR waits for them; WARPGROUP.ARRIVE, before the first one,
 * says that the registers are written. Between products with the same sums nothing is needed, and
 * products with other registers may be in flight together.
 *
 * A product with a scoreboard (gsb0) ends a group, and WARPGROUP.DEPBAR waits until at most a
 * number of groups is in flight. The groups and waits are those of the program: it must wait before
 * it overwrites shared memory that a product reads, and no access to memory moves across its waits.
 * That it also waits before it uses sums is not taken for granted, since the compiler may have
 * moved such a use: where an instruction would use the registers of a product that may be in flight
 * on some path, a wait for all products precedes it. check_products.c verifies the result.
 *
 * Factors in registers are read until the product has ended. For register allocation they are live
 * until the program's wait for it, so that the next factors, which a program computes meanwhile,
 * have other registers: a NOP after the wait reads them until registers are assigned.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"
#include "libsov/isa/mma_group.h"

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

bool nv_has_group_products(const struct mir_func *f)
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

	if (!nv_has_group_products(f))
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

#define MAX_GROUPS 7  /* that WARPGROUP.DEPBAR leaves in flight */
#define MAX_STALL  11 /* without a yield */
#define LANDED     255

/* What is known at a point of the program. */
struct flight {
	/* By product: at least how many groups have ended since it was issued, its own among them;
	 * LANDED: it is not in flight. */
	uint8_t *ages;
	uint64_t *last;  /* products that are in no group yet and may be the last of it */
	uint8_t history; /* the last groups of the program, bit 0 the latest: it has products */
	bool open;       /* the group that has not ended has products */
};

struct products {
	struct mir_func *f;
	struct mir_inst **list;
	uint32_t count;
	struct flight *at; /* before each block */
	bool marked;       /* a product got a scoreboard */
};

static struct flight new_flight(const struct products *p)
{
	struct flight f = {.history = UINT8_MAX, .open = true};

	f.ages = arena_array(p->f->arena, p->count, sizeof(*f.ages));
	f.last = arena_array(p->f->arena, (p->count + 63) / 64, sizeof(*f.last));
	for (uint32_t k = 0; k < p->count; k++)
		f.ages[k] = LANDED;
	return f;
}

static void assign_flight(const struct products *p, struct flight *to, const struct flight *from)
{
	for (uint32_t k = 0; k < p->count; k++)
		to->ages[k] = from->ages[k];
	for (uint32_t k = 0; k < (p->count + 63) / 64; k++)
		to->last[k] = from->last[k];
	to->history = from->history;
	to->open = from->open;
}

/* Joins what is known at the ends of two paths; returns whether that changes the first. */
static bool join_flight(const struct products *p, struct flight *to, const struct flight *from)
{
	bool changed = to->history & ~from->history || (to->open && !from->open);

	for (uint32_t k = 0; k < p->count; k++) {
		changed |= from->ages[k] < to->ages[k];
		to->ages[k] = from->ages[k] < to->ages[k] ? from->ages[k] : to->ages[k];
	}
	for (uint32_t k = 0; k < (p->count + 63) / 64; k++) {
		changed |= from->last[k] & ~to->last[k];
		to->last[k] |= from->last[k];
	}
	to->history &= from->history;
	to->open &= from->open;
	return changed;
}

static bool ends_group(const struct mir_inst *product)
{
	return product->sass.ops[product->sass.nops - 1].value != NV_NO_GROUP_SCOREBOARD;
}

/* The last products of a group get the scoreboard. */
static void end_group(struct products *p, struct flight *f)
{
	for (uint32_t k = 0; k < p->count; k++)
		if (bitset_has(f->last, k)) {
			struct sass_inst *in = &p->list[k]->sass;

			p->marked |= in->ops[in->nops - 1].value != 0;
			in->ops[in->nops - 1].value = 0;
		}
	for (uint32_t k = 0; k < (p->count + 63) / 64; k++)
		f->last[k] = 0;
}

static void issue_product(const struct products *p, struct flight *f, const struct mir_inst *i)
{
	bool ends = ends_group(i);

	for (uint32_t k = 0; k < p->count; k++)
		if (f->ages[k] != LANDED && f->ages[k] <= MAX_GROUPS)
			f->ages[k] = (uint8_t)(f->ages[k] + ends);
	for (uint32_t k = 0; k < (p->count + 63) / 64; k++)
		f->last[k] = 0;
	f->ages[i->number] = ends;
	bitset_add(f->last, i->number);
	f->open = true;
}

static void wait_for(const struct products *p, struct flight *f, uint32_t left)
{
	for (uint32_t k = 0; k < p->count; k++)
		if (f->ages[k] > left)
			f->ages[k] = LANDED;
}

/* How many groups in flight a wait leaves that the program says may leave this many: some of them
 * may have no products. */
static uint32_t groups_left(const struct flight *f, uint32_t groups)
{
	uint32_t mask = groups >= 8 ? UINT8_MAX : (1u << groups) - 1;
	uint32_t left = (uint32_t)__builtin_popcount(f->history & mask);

	return left < MAX_GROUPS ? left : MAX_GROUPS;
}

static bool uses_overlap(const struct mir_use *a, const struct mir_use *b)
{
	return a->kind == SASS_GPR && b->kind == SASS_GPR && a->reg < b->reg + b->count &&
	       b->reg < a->reg + a->count;
}

/* Whether a product adds to what another one does, so that they are in order. */
static bool adds_to_sums(const struct sass_inst *first, const struct sass_inst *second)
{
	return sass_is_group_product(second) && first->op == second->op &&
	       first->ops[0].reg == second->ops[0].reg &&
	       first->mod[SASS_M_TILES] == second->mod[SASS_M_TILES] &&
	       first->mod[SASS_M_SUMS] == second->mod[SASS_M_SUMS];
}

bool nv_disturbs_product(const struct mir_func *f, struct mir_inst *product, struct mir_inst *i)
{
	uint32_t n, m, addend = nv_addend_operand(product);
	const struct mir_use *a = mir_uses(f, product, &n), *b;

	if (mir_leaves_function(i) || i->sass.op == SASS_EXIT)
		return true;
	if (adds_to_sums(&product->sass, &i->sass))
		return false;
	b = mir_uses(f, i, &m);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t j = 0; j < m; j++)
			if (uses_overlap(&a[k], &b[j]) &&
			    (b[j].write || a[k].write || a[k].operand == addend))
				return true;
	return false;
}

static bool needs_wait(const struct products *p, const struct flight *f, struct mir_inst *i)
{
	for (uint32_t k = 0; k < p->count; k++)
		if (f->ages[k] != LANDED && nv_disturbs_product(p->f, p->list[k], i))
			return true;
	return false;
}

static struct mir_inst *new_wait(struct mir_func *f, uint32_t line)
{
	struct mir_inst *i = mir_inst_new(f, SASS_WARPGROUP_DEPBAR);

	mir_set_operand(i, 0, mir_imm(0));
	mir_set_operand(i, 1, mir_imm(0));
	i->line = line;
	i->sass.stall = (uint8_t)sass_min_stall(f->sm, &i->sass);
	return i;
}

/* Waits of the program have i->groups; those that are inserted here wait for all. */
static void pass(struct products *p, struct flight *f, struct mir_inst *i)
{
	if (sass_is_group_product(&i->sass)) {
		issue_product(p, f, i);
	} else if (i->ends_group) {
		end_group(p, f);
		f->history = (uint8_t)(f->history << 1 | f->open);
		f->open = false;
	} else if (i->sass.op == SASS_WARPGROUP_DEPBAR && i->groups) {
		wait_for(p, f, groups_left(f, i->groups - 1));
		f->history &= i->groups > 8 ? UINT8_MAX : (1u << (i->groups - 1)) - 1;
	} else if (i->sass.op == SASS_WARPGROUP_DEPBAR) {
		end_group(p, f);
		wait_for(p, f, 0);
		f->history = 0;
		f->open = false;
	}
}

static void find_flights(struct products *p)
{
	struct flight now = new_flight(p);
	bool changed = true;

	mir_for_each_block(p->f, b)
		p->at[b] = new_flight(p);
	p->at[0].history = 0;
	p->at[0].open = false;
	while (changed) {
		changed = false;
		mir_for_each_block(p->f, b) {
			assign_flight(p, &now, &p->at[b]);
			mir_for_each(p->f, b, i)
				pass(p, &now, i);
			for (uint32_t k = 0; k < p->f->blocks[b].nsucc; k++)
				changed |= join_flight(p, &p->at[p->f->blocks[b].succ[k]], &now);
		}
	}
}

/* Inserts the first wait that a block lacks; false: none does. */
static bool insert_wait(struct products *p)
{
	struct flight now = new_flight(p);

	mir_for_each_block(p->f, b) {
		assign_flight(p, &now, &p->at[b]);
		mir_for_each(p->f, b, i) {
			if (needs_wait(p, &now, i)) {
				mir_insert(p->f, b, i, new_wait(p->f, i->line));
				return true;
			}
			pass(p, &now, i);
		}
	}
	return false;
}

static void set_waits(struct products *p)
{
	struct flight now = new_flight(p);

	mir_for_each_block(p->f, b) {
		assign_flight(p, &now, &p->at[b]);
		mir_for_each(p->f, b, i) {
			if (i->groups)
				i->sass.ops[1].value = groups_left(&now, i->groups - 1);
			pass(p, &now, i);
		}
	}
}

/* ---- registers of factors ---- */

static void list_products(struct products *p)
{
	struct mir_func *f = p->f;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			p->count += sass_is_group_product(&i->sass);
	p->list = arena_array(f->arena, p->count + 1, sizeof(struct mir_inst *));
	p->at = arena_array(f->arena, f->nblocks, sizeof(*p->at));
	p->count = 0;
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			if (sass_is_group_product(&i->sass)) {
				i->number = p->count;
				p->list[p->count++] = i;
			}
}

/* The registers of A; none: A is in shared memory. */
static struct mir_ref factor_of(const struct mir_inst *product)
{
	return product->sass.ops[1].kind == SASS_GPR ? product->ref[1] : (struct mir_ref){0};
}

/* After i, the registers are still occupied. */
static void hold(struct mir_func *f, uint32_t b, struct mir_inst *i, struct mir_ref factor)
{
	struct mir_inst *held = mir_inst_new(f, SASS_NOP);

	held->passes = held->holds = true;
	held->passed_reads = 1;
	held->line = i->line;
	mir_pass(held, 0, mir_reg(SASS_GPR, factor), MMA_GROUP_A_WORDS, 0);
	mir_insert(f, b, i->next, held);
}

static bool is_defined_in(const struct mir_func *f, uint32_t b, uint32_t vreg)
{
	mir_for_each(f, b, i) {
		uint32_t n;
		const struct mir_use *uses = mir_uses(f, i, &n);

		for (uint32_t u = 0; u < n; u++)
			if (uses[u].write && uses[u].ref.vreg == vreg)
				return true;
	}
	return false;
}

/* A phi with the registers of the iteration before; the first one has zeros. */
static struct mir_ref carry_factor(struct mir_func *f, const struct nv_dominators *d, uint32_t b,
				   uint32_t vreg)
{
	struct mir_block *block = &f->blocks[b];
	struct mir_phi *phis = arena_array(f->arena, block->nphis + 1, sizeof(*phis)), *phi;
	uint32_t units = f->vregs[vreg].units, carried = mir_vreg_new(f, SASS_GPR, units);

	f->vregs[carried].phi = true;
	if (block->nphis)
		memcpy(phis, block->phis, block->nphis * sizeof(*phis));
	phi = &phis[block->nphis++];
	block->phis = phis;
	phi->vreg = carried;
	phi->args = arena_array(f->arena, block->npreds * units, sizeof(*phi->args));
	for (uint32_t k = 0; k < block->npreds * units; k++) {
		struct mir_ref r = {vreg, (uint8_t)(k % units)};

		phi->args[k] = (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}};
		if (nv_dominates(d, b, block->preds[k / units]))
			phi->args[k] = mir_reg(SASS_GPR, r);
	}
	return (struct mir_ref){carried, 0};
}

/* The wait of the block after which the product is not in flight, from a state on. */
static struct mir_inst *find_landing(struct products *p, struct flight *now, struct mir_inst *from,
				     uint32_t product)
{
	for (struct mir_inst *i = from; i; i = i->next) {
		if (i == p->list[product])
			return NULL;
		pass(p, now, i);
		if (now->ages[product] == LANDED)
			return i;
	}
	return NULL;
}

/* A product in a loop of which it is in the first block may still be in flight in the next
 * iteration. */
static void hold_until_next(struct products *p, const struct nv_dominators *d, uint32_t b,
			    uint32_t product, struct flight *now)
{
	struct mir_func *f = p->f;
	struct mir_ref factor = factor_of(p->list[product]);
	struct mir_inst *landing;
	bool loop = false;

	for (uint32_t k = 0; k < f->blocks[b].npreds; k++)
		loop |= nv_dominates(d, b, f->blocks[b].preds[k]);
	assign_flight(p, now, &p->at[b]);
	if (!loop || factor.part || now->ages[product] == LANDED ||
	    !is_defined_in(f, b, factor.vreg))
		return;
	landing = find_landing(p, now, f->blocks[b].first, product);
	if (landing)
		hold(f, b, landing, carry_factor(f, d, b, factor.vreg));
}

void nv_hold_factors(struct mir_func *f)
{
	struct products p = {.f = f};
	struct nv_dominators d;
	struct flight now;

	if (!nv_has_group_products(f))
		return;
	list_products(&p);
	do {
		p.marked = false;
		find_flights(&p);
	} while (p.marked);
	d = nv_find_dominators(f);
	now = new_flight(&p);
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			struct mir_inst *landing;

			if (!sass_is_group_product(&i->sass) || !factor_of(i).vreg)
				continue;
			assign_flight(&p, &now, &p.at[b]);
			for (struct mir_inst *k = f->blocks[b].first; k != i->next; k = k->next)
				pass(&p, &now, k);
			landing = find_landing(&p, &now, i->next, i->number);
			if (landing)
				hold(f, b, landing, factor_of(i));
			else
				hold_until_next(&p, &d, b, i->number, &now);
		}
	f->live = false;
}

void nv_release_factors(struct mir_func *f)
{
	mir_for_each_block(f, b)
		mir_for_each_safe(f, b, i)
			if (i->holds)
				mir_remove(f, b, i);
}

/* ---- order within a block ---- */

static void add_stall(struct mir_inst *i, uint32_t cycles)
{
	if (i && i->sass.stall && i->sass.stall < cycles)
		i->sass.stall = (uint8_t)cycles;
}

/* The registers must be ready for WARPGROUP.ARRIVE, as ptxas has it. */
static struct mir_inst *arrive_before(struct mir_func *f, uint32_t b, struct mir_inst *product)
{
	struct mir_inst *i = mir_inst_new(f, SASS_WARPGROUP_ARRIVE);

	i->line = product->line;
	i->sass.stall = (uint8_t)sass_min_distance(f->sm, &i->sass, &product->sass);
	i->sass.wait = product->sass.wait;
	product->sass.wait = 0;
	mir_insert(f, b, product, i);
	return i;
}

/* WARPGROUP.DEPBAR has no wait mask. */
static void take_wait_mask(struct mir_func *f, uint32_t b, struct mir_inst *wait)
{
	struct mir_inst *i;

	if (!wait->sass.wait)
		return;
	i = mir_inst_new(f, SASS_NOP);
	i->line = wait->line;
	i->sass.stall = 1;
	i->sass.wait = wait->sass.wait;
	wait->sass.wait = 0;
	mir_insert(f, b, wait, i);
}

/* The end of a group is no instruction; its stall count is part of distances. */
static void remove_mark(struct mir_func *f, uint32_t b, struct mir_inst *i)
{
	uint32_t stall = (i->prev ? i->prev->sass.stall : 0) + i->sass.stall;

	i->ends_group = false;
	if (i->sass.wait || !i->prev || !i->prev->sass.stall || stall > MAX_STALL)
		return; /* it stays, and does nothing */
	i->prev->sass.stall = (uint8_t)stall;
	mir_remove(f, b, i);
}

struct since_arrival {
	uint64_t written[4]; /* registers */
	bool arrived;
};

static void note_writes(const struct mir_func *f, struct since_arrival *s, struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; uses[u].write && uses[u].kind == SASS_GPR && k < uses[u].count;
		     k++)
			bitset_add(s->written, uses[u].reg + k);
	if (mir_leaves_function(i))
		s->arrived = false;
}

static bool needs_arrival(const struct mir_func *f, const struct since_arrival *s,
			  struct mir_inst *product)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, product, &n);

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; uses[u].kind == SASS_GPR && k < uses[u].count; k++)
			if (bitset_has(s->written, uses[u].reg + k))
				return true;
	return !s->arrived;
}

static void order_block(struct mir_func *f, uint32_t b)
{
	struct since_arrival since = {.arrived = false};
	struct mir_inst *product = NULL;
	uint32_t cycles = 0; /* since the product was issued */

	for (struct mir_inst *i = f->blocks[b].first, *next; i; i = next) {
		next = i->next;
		if (i->ends_group) {
			cycles += i->sass.stall;
			remove_mark(f, b, i);
			continue;
		}
		if (i->sass.op == SASS_WARPGROUP_DEPBAR) {
			uint32_t need =
				product ? sass_min_distance(f->sm, &product->sass, &i->sass) : 0;

			if (cycles < need)
				add_stall(i->prev, i->prev->sass.stall + need - cycles);
			take_wait_mask(f, b, i);
		}
		if (sass_is_group_product(&i->sass)) {
			if (needs_arrival(f, &since, i)) {
				arrive_before(f, b, i);
				since = (struct since_arrival){.arrived = true};
			}
			product = i;
			cycles = 0;
		} else {
			note_writes(f, &since, i);
		}
		cycles += sass_stall_cycles(&i->sass);
	}
}

void nv_wait_for_products(struct mir_func *f)
{
	struct products p = {.f = f};

	list_products(&p);
	/* A product that gets a scoreboard, and a new wait, change what is in flight elsewhere. */
	do {
		p.marked = false;
		find_flights(&p);
	} while (p.marked || insert_wait(&p));
	set_waits(&p);
	mir_for_each_block(f, b)
		order_block(f, b);
}
