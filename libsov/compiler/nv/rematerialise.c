// SPDX-License-Identifier: MIT
/*
 * Rematerialisation: values that are computed again where they are used instead of occupying a
 * register in between. Two kinds qualify: those that one instruction computes from no register
 * (constants, parameters, special registers), and sums, products and the like of registers that are
 * live wherever the value is used, so that nothing lives longer. Compilers before this one and
 * loop-invariant code motion hoist many of the second kind out of loops. If several values are
 * computed from one register, such as an index plus different constants, that register may live as
 * long as they do: it occupies one register in the place of several.
 *
 * The spiller chooses among them (spill.c). Spilling to memory uses the first kind, too.
 */
#include <string.h>
#include "libsov/compiler/nv/spill.h"

/* The instruction computes the same value at any program point. Results of calls do not qualify:
 * the next call overwrites their call slots. */
static bool is_constant(const struct mir_func *f, struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	if (i->members || (i->memory.effect && !i->incoming_arg) || i->memory.effect & MIR_WRITES)
		return false;
	if (i->sass.op != SASS_MOV && i->sass.op != SASS_S2R && i->sass.op != SASS_LDC &&
	    i->sass.op != SASS_LDL)
		return false;
	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].write && uses[u].ref.vreg)
			return false;
	}
	return true;
}

/* Operations of the short fixed latency, at full or half rate. */
static bool is_cheap(enum sass_op op)
{
	static const bool cheap[SASS_OP_COUNT] = {
		[SASS_MOV] = true,       [SASS_IADD3] = true, [SASS_IMAD] = true,
		[SASS_IMAD_WIDE] = true, [SASS_LEA] = true,   [SASS_LOP3] = true,
		[SASS_SHF] = true,       [SASS_PRMT] = true,  [SASS_IABS] = true,
		[SASS_VIMNMX] = true,    [SASS_FADD] = true,  [SASS_FMUL] = true,
		[SASS_FFMA] = true,      [SASS_I2FP] = true,
	};

	return cheap[op];
}

/* The instruction computes all of its only result from general and uniform registers. */
static bool is_computation(const struct mir_func *f, struct mir_inst *i)
{
	uint32_t n, results = 0;
	const struct mir_use *uses = mir_uses(f, i, &n);

	if (!is_cheap(i->sass.op) || i->members || i->reduced || i->memory.bytes || i->guard.vreg ||
	    i->return_address || i->phi_copy)
		return false;
	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].ref.vreg || (uses[u].kind != SASS_GPR && uses[u].kind != SASS_UGPR))
			return false;
		if (uses[u].write && (uses[u].kind != SASS_GPR || uses[u].ref.part ||
				      uses[u].count != f->vregs[uses[u].ref.vreg].units))
			return false;
		results += uses[u].write;
	}
	return results == 1;
}

/* Whether the operand is a constant that one instruction computes. s->remat may contain
 * computations as well, once start_attempt() has added them. */
bool nv_is_constant_operand(const struct spiller *s, const struct mir_use *use)
{
	uint32_t v = use->ref.vreg;

	return use->count == 1 && s->f->vregs[v].units == 1 && s->remat[v] &&
	       !(s->recompute && s->recompute[v]);
}

static bool live_throughout(const struct mir_func *f, uint32_t b, const struct mir_use *use,
			    bool from_start)
{
	for (uint32_t k = 0; k < use->count; k++) {
		uint32_t unit = mir_unit(f, use->ref) + k;

		if (!live_set_has(&f->blocks[b].live_out, unit) ||
		    (from_start && !live_set_has(&f->blocks[b].live_in, unit)))
			return false;
	}
	return true;
}

/* Whether the value can be computed again anywhere in the block: operands are live there, or
 * constants. */
static bool is_available(const struct spiller *s, const struct remat *r, uint32_t vreg, uint32_t b)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(s->f, r->recompute[vreg], &n);

	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].write && !nv_is_constant_operand(s, &uses[u]) &&
		    !live_throughout(s->f, b, &uses[u], r->home[vreg] != b))
			return false;
	}
	return true;
}

static void check_mentions(const struct spiller *s, struct remat *r, uint32_t b)
{
	struct mir_func *f = s->f;

	mir_for_each(f, b, i) {
		uint32_t n;
		const struct mir_use *uses = mir_uses(f, i, &n);

		for (uint32_t u = 0; u < n; u++) {
			uint32_t v = uses[u].ref.vreg;

			if (!uses[u].write && r->recompute[v] &&
			    (uses[u].count != f->vregs[v].units || !is_available(s, r, v, b)))
				r->recompute[v] = NULL;
		}
	}
	for (uint32_t p = 0; p < f->blocks[b].nphis; p++) {
		const struct mir_phi *phi = &f->blocks[b].phis[p];
		uint32_t units = f->vregs[phi->vreg].units;

		for (uint32_t k = 0; k < f->blocks[b].npreds * units; k++) {
			uint32_t v = phi->args[k].ref.vreg;

			if (r->recompute[v] &&
			    (f->vregs[v].units > 1 ||
			     !is_available(s, r, v, f->blocks[b].preds[k / units])))
				r->recompute[v] = NULL;
		}
	}
}

static void find_computations(struct spiller *s, struct remat *r)
{
	struct mir_func *f = s->f;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n && is_computation(f, i); u++) {
				if (!uses[u].write || s->remat[uses[u].ref.vreg])
					continue;
				r->recompute[uses[u].ref.vreg] = i;
				r->home[uses[u].ref.vreg] = b;
			}
		}
}

/* The only register, other than constants, that the instruction computes its result from; 0: there
 * are several, or none. */
static uint32_t find_base(const struct spiller *s, struct mir_inst *i)
{
	uint32_t n, base = 0;
	const struct mir_use *uses = mir_uses(s->f, i, &n);

	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write || nv_is_constant_operand(s, &uses[u]))
			continue;
		if (uses[u].kind != SASS_GPR || (base && base != uses[u].ref.vreg))
			return 0;
		base = uses[u].ref.vreg;
	}
	return base;
}

/* The first member from unit on that has a base. */
static uint32_t next_derived(const struct live_set *live, const uint64_t *derived, uint32_t unit)
{
	for (uint32_t w = live_set_find(live, unit / 64); w < live->count; w++) {
		uint32_t index = live->words[w].index;
		uint64_t bits = live->words[w].bits & derived[index];

		if (index == unit / 64)
			bits &= UINT64_MAX << unit % 64;
		if (bits)
			return 64 * index + (uint32_t)__builtin_ctzll(bits);
	}
	return LIVE_SET_END;
}

static void extend_set(const struct mir_func *f, const uint32_t *base, const uint64_t *derived,
		       struct live_set *live)
{
	for (uint32_t unit = next_derived(live, derived, 0); unit != LIVE_SET_END;
	     unit = next_derived(live, derived, unit + 1)) {
		const struct mir_vreg *v = &f->vregs[base[f->unit_vreg[unit]]];

		for (uint32_t k = 0; k < v->units; k++)
			live_set_add(f->arena, live, v->first_unit + k);
	}
}

/* The units of registers that have a base. */
static uint64_t *find_derived(const struct mir_func *f, const uint32_t *base)
{
	uint64_t *derived = bitset_new(f->arena, f->nunits);

	for (uint32_t v = 1; v < f->nvregs; v++)
		for (uint32_t k = 0; base[v] && k < f->vregs[v].units; k++)
			bitset_add(derived, f->vregs[v].first_unit + k);
	return derived;
}

/* Lets the bases live as long as what is computed from them. In blocks that mention a value its
 * base counts as live to the end. */
static void extend_live_ranges(struct mir_func *f, const uint32_t *base)
{
	const uint64_t *derived = find_derived(f, base);

	mir_for_each_block(f, b) {
		struct live_set *live_out = &f->blocks[b].live_out;

		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n; u++) {
				const struct mir_vreg *v = &f->vregs[base[uses[u].ref.vreg]];

				for (uint32_t k = 0; !uses[u].write && k < v->units; k++)
					live_set_add(f->arena, live_out, v->first_unit + k);
			}
		}
		extend_set(f, base, derived, live_out);
		extend_set(f, base, derived, &f->blocks[b].live_in);
	}
}

/* Of the values that cannot be computed where they are used, finds those whose base may live
 * longer, if it saves min_gain units; by vreg. NULL: there are none. */
static uint32_t *find_bases(const struct spiller *s, const struct remat *r, uint32_t min_gain)
{
	const struct mir_func *f = s->f;
	uint32_t *base = arena_array(f->arena, f->nvregs, sizeof(*base));
	uint32_t *units = arena_array(f->arena, f->nvregs, sizeof(*units));
	bool any = false;

	for (uint32_t v = 1; v < f->nvregs; v++) {
		if (!r->computation[v] || r->recompute[v])
			continue;
		base[v] = find_base(s, r->computation[v]);
		units[base[v]] += f->vregs[v].units;
	}
	for (uint32_t v = 1; v < f->nvregs; v++) {
		if (units[base[v]] < f->vregs[base[v]].units + min_gain)
			base[v] = 0;
		any |= base[v];
	}
	return any ? base : NULL;
}

static void check_all_mentions(const struct spiller *s, struct remat *r)
{
	mir_for_each_block(s->f, b)
		check_mentions(s, r, b);
}

void nv_find_remat(struct spiller *s, struct remat *r)
{
	struct mir_func *f = s->f;

	s->remat = arena_array(f->arena, f->nvregs, sizeof(*s->remat));
	r->unit_def = arena_array(f->arena, f->nunits + 1, sizeof(struct mir_inst *));
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n; u++) {
				if (uses[u].write && uses[u].ref.vreg && uses[u].count == 1)
					r->unit_def[mir_unit(f, uses[u].ref)] = i;
			}
		}
	for (uint32_t v = 1; v < f->nvregs; v++) {
		bool remat = f->vregs[v].kind == SASS_GPR && !f->vregs[v].phi;

		for (uint32_t k = 0; remat && k < f->vregs[v].units; k++) {
			struct mir_inst *def = r->unit_def[f->vregs[v].first_unit + k];

			remat = def && is_constant(f, def);
		}
		s->remat[v] = remat;
	}
}

static struct mir_inst *insert_copy(struct mir_func *f, struct mir_inst *def, struct mir_ref to,
				    uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i = arena_alloc(f->arena, sizeof(*i));
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, def, &n);

	*i = *def;
	i->uses = NULL;
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write)
			i->ref[uses[u].operand] = to;
	}
	mir_insert(f, b, before, i);
	return i;
}

/* Constant operands are computed as well, unless their register is there. */
static void insert_computation(struct spiller *s, const struct remat *r, uint32_t vreg,
			       struct mir_ref to, uint32_t b, struct mir_inst *before)
{
	struct mir_func *f = s->f;
	struct mir_inst *i = insert_copy(f, r->recompute[vreg], to, b, before);
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, r->recompute[vreg], &n);

	for (uint32_t u = 0; u < n; u++) {
		struct mir_ref constant;

		if (uses[u].write || !nv_is_constant_operand(s, &uses[u]) ||
		    (!s->spilled[uses[u].ref.vreg] &&
		     live_throughout(f, b, &uses[u], r->home[vreg] != b)))
			continue;
		constant = (struct mir_ref){mir_vreg_new(f, SASS_GPR, 1), 0};
		insert_copy(f, r->unit_def[mir_unit(f, uses[u].ref)], constant, b, i);
		i->ref[uses[u].operand] = constant;
	}
}

void nv_insert_remat(struct spiller *s, const struct remat *r, struct mir_ref of, uint32_t count,
		     struct mir_ref to, uint32_t b, struct mir_inst *before)
{
	if (r->recompute && r->recompute[of.vreg]) {
		insert_computation(s, r, of.vreg, to, b, before);
		return;
	}
	for (uint32_t k = 0; k < count; k++, to.part++)
		insert_copy(s->f, r->unit_def[mir_unit(s->f, of) + k], to, b, before);
}

static void reload_computed(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref to,
			    uint32_t b, struct mir_inst *before)
{
	nv_insert_remat(s, s->client, of, count, to, b, before);
}

static void rewrite_phi_args(struct spiller *s, uint32_t b)
{
	struct mir_func *f = s->f;

	for (uint32_t p = 0; p < f->blocks[b].nphis; p++) {
		struct mir_phi *phi = &f->blocks[b].phis[p];
		uint32_t units = f->vregs[phi->vreg].units;

		for (uint32_t k = 0; k < f->blocks[b].npreds * units; k++) {
			struct mir_ref *arg = &phi->args[k].ref, to;

			if (!arg->vreg || arg->vreg >= s->nvregs || !s->spilled[arg->vreg])
				continue;
			to = (struct mir_ref){mir_vreg_new(f, SASS_GPR, 1), 0};
			nv_insert_remat(s, s->client, *arg, 1, to, f->blocks[b].preds[k / units],
					NULL);
			*arg = to;
		}
	}
}

/*
 * Attempts. What can be computed again depends on the bases that may live longer, not on the limit.
 */

/* What can be computed again if bases live longer that save a number of units. */
struct remat_plan {
	uint32_t min_gain; /* UINT32_MAX: no base lives longer */
	bool made, useless;
	struct spiller s;
	struct remat r;
	struct live_set *live; /* at the start and the end of each block */
	uint32_t least;        /* the pressure is known to exceed smaller limits */
};

static struct live_set *live_sets_of(const struct mir_func *f)
{
	struct live_set *live = arena_array(f->arena, f->nblocks, 2 * sizeof(*live));

	for (uint32_t b = 0; b < f->nblocks; b++) {
		live[2 * b] = f->blocks[b].live_in;
		live[2 * b + 1] = f->blocks[b].live_out;
	}
	return live;
}

static void assume_live(struct mir_func *f, const struct live_set *live)
{
	for (uint32_t b = 0; b < f->nblocks; b++) {
		f->blocks[b].live_in = live[2 * b];
		f->blocks[b].live_out = live[2 * b + 1];
	}
}

static struct live_set copy_live_set(struct arena *a, const struct live_set *from)
{
	struct live_set copy = {arena_array(a, from->count, sizeof(*copy.words)), from->count,
				from->count};

	if (from->count)
		memcpy(copy.words, from->words, from->count * sizeof(*copy.words));
	return copy;
}

static void copy_live_sets(struct mir_func *f)
{
	for (uint32_t b = 0; b < f->nblocks; b++) {
		f->blocks[b].live_in = copy_live_set(f->arena, &f->blocks[b].live_in);
		f->blocks[b].live_out = copy_live_set(f->arena, &f->blocks[b].live_out);
	}
}

static void *copy_by_vreg(const struct mir_func *f, const void *from, size_t size)
{
	void *copy = arena_array(f->arena, f->nvregs, size);

	memcpy(copy, from, f->nvregs * size);
	return copy;
}

/* The plan in which no base lives longer, from which the others are derived. */
static void make_first_plan(struct mir_func *f, struct remat_plan *p)
{
	p->s = (struct spiller){
		.f = f, .kind = SASS_GPR, .remat_only = true, .reload = reload_computed};
	p->made = true;
	p->live = live_sets_of(f);
	nv_find_remat(&p->s, &p->r);
	p->s.recompute = p->r.recompute =
		arena_array(f->arena, f->nvregs, sizeof(struct mir_inst *));
	p->r.home = arena_array(f->arena, f->nvregs, sizeof(*p->r.home));
	find_computations(&p->s, &p->r);
	p->r.computation = copy_by_vreg(f, p->r.recompute, sizeof(struct mir_inst *));
	check_all_mentions(&p->s, &p->r);
}

static void make_plan(const struct remat_plan *first, struct remat_plan *p)
{
	struct mir_func *f = first->s.f;
	uint32_t *base = find_bases(&first->s, &first->r, p->min_gain);

	p->made = true;
	p->useless = !base;
	if (!base)
		return;
	p->s = first->s;
	p->r = first->r;
	p->s.recompute = p->r.recompute =
		copy_by_vreg(f, first->r.recompute, sizeof(struct mir_inst *));
	assume_live(f, first->live);
	copy_live_sets(f);
	extend_live_ranges(f, base);
	p->live = live_sets_of(f);
	for (uint32_t v = 1; v < f->nvregs; v++)
		p->r.recompute[v] = base[v] ? p->r.computation[v] : p->r.recompute[v];
	check_all_mentions(&p->s, &p->r);
}

/* Constants and computations. The arrays of attempts are scratch memory, except s->costs. */
static void start_attempt(struct remat_plan *p, uint32_t limit)
{
	struct mir_func *f = p->s.f;

	p->s.limit = limit;
	p->s.cost = 0;
	p->s.client = &p->r;
	p->s.remat = copy_by_vreg(f, p->s.remat, sizeof(*p->s.remat));
	for (uint32_t v = 1; v < f->nvregs; v++)
		p->s.remat[v] |= p->r.recompute[v] != NULL;
	p->s.pinned = arena_array(f->arena, f->nvregs, sizeof(*p->s.pinned));
}

static void rewrite(struct spiller *s)
{
	nv_spill_rewrite(s);
	mir_for_each_block(s->f, b)
		rewrite_phi_args(s, b);
	s->f->live = false;
}

static bool attempt_plan(struct remat_plan *p, uint32_t limit, uint64_t max_cost)
{
	struct mir_func *f = p->s.f;
	struct arena_mark scratch = arena_mark(f->arena);
	bool *constants = p->s.remat, any, fits;

	start_attempt(p, limit);
	assume_live(f, p->live);
	fits = nv_spill_choose(&p->s, &any);
	p->least = fits ? p->least : p->s.least;
	fits &= p->s.cost <= max_cost;
	if (fits && any)
		rewrite(&p->s);
	p->s.remat = constants;
	if (!fits)
		arena_rewind(f->arena, scratch);
	return fits;
}

/* That bases live longer is assumed before it is known how much that saves: first those that may
 * save most. */
static const uint32_t min_gains[] = {UINT32_MAX, 2, 0};
#define MIN_GAINS (sizeof(min_gains) / sizeof(min_gains[0]))

uint32_t nv_rematerialise(struct mir_func *f, const uint32_t *limits, uint32_t count,
			  uint64_t max_cost)
{
	struct remat_plan plans[MIN_GAINS] = {0};
	uint32_t reached = 0;

	nv_liveness(f);
	make_first_plan(f, &plans[0]);
	plans[0].s.costs = nv_spill_costs(&plans[0].s);
	for (uint32_t k = 0; k < count * MIN_GAINS && !reached; k++) {
		struct remat_plan *p = &plans[k % MIN_GAINS];
		uint32_t limit = limits[k / MIN_GAINS];

		p->min_gain = min_gains[k % MIN_GAINS];
		if (p->least > limit)
			continue;
		if (!p->made)
			make_plan(&plans[0], p);
		if (!p->useless && attempt_plan(p, limit, max_cost))
			reached = limit;
	}
	assume_live(f, plans[0].live);
	return reached;
}

uint64_t nv_weigh_instructions(const struct mir_func *f)
{
	uint64_t sum = 0;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			sum += spill_weight(f->blocks[b].depth);
	return sum;
}
