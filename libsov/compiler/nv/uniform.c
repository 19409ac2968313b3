// SPDX-License-Identifier: MIT
/*
 * Uniform registers. Values that are uniform over a warp need not be computed and stored once per
 * lane: the uniform datapath has its own registers, and most vector instructions accept one of them
 * as second or third operand. Loop counters, strides and constants thus leave general registers and
 * issue slots to divergent values.
 *
 * The datapath ignores the active mask: an instruction executes once for whichever lanes reach it.
 * Where lanes are divergent, one path would overwrite a value that another still needs. Hence the
 * rule: uniform registers are written only in blocks where all live lanes are converged
 * (nv_divergent_blocks()), and read anywhere. There, results of uniform operands are uniform, and
 * so is a phi all of whose incoming edges are taken by converged lanes.
 *
 * The analysis is optimistic and runs after selection: it assumes that every candidate register is
 * uniform, then demotes those that cannot be until a fixed point: an instruction has no form that
 * reads one there, or reads a second one, or the definition depends on a demoted register. The ISA
 * table says which forms exist. Copies between the two register files are inserted only for indexed
 * loads of constants and for comparisons of functions with products of a warp group; the only other
 * added instruction loads a constant that a loop needs in a uniform register.
 *
 * Operands that selection put into uniform registers, such as descriptors, are temporaries of one
 * block, which divergent code may write too. In functions with products of a warp group, whose
 * descriptors are computed in loops, both kinds exist, in registers of their own.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/nv/uniform_forms.h"

/* With at most this many units all are assigned (regalloc.c), and one remains for copies. */
#define MAX_UNITS       60
/* Beside temporaries only what is live counts; the scheduler may still make more live. */
#define MAX_TEMPORARIES 24
#define MAX_LIVE        32

struct mention { /* by an instruction or a phi */
	struct mir_inst *inst;
	const struct mir_phi *phi;
	uint32_t block;
	struct mention *next;
};

struct uniform_constant { /* a constant loaded into a uniform register at the kernel's start */
	uint8_t bank;
	int64_t offset;
	struct mir_ref in;
	struct uniform_constant *next;
};

struct uniform_analysis {
	struct mir_func *f;
	const bool *divergent; /* by block */
	bool *uniform;         /* by vreg: still assumed uniform */
	uint32_t *weight;      /* by vreg: uses, weighted by loop depth */
	/* By vreg: units that the uniform datapath can define. */
	uint8_t *convertible_units;
	uint32_t units;                 /* units of all uniform vregs */
	struct mention **defs, **users; /* by vreg, for uniform ones */
	struct nv_uniform_forms forms;
	bool temporaries; /* selection asked for uniform registers, too */
	struct nv_constants constant_words;
	/* By vreg: a temporary gets it, or what is computed of it. It stays uniform if vector
	 * instructions read it in other operands: those read a copy. */
	bool *wanted;
	bool *selects;               /* by vreg: a predicate on which a uniform select depends */
	uint32_t *demoted, ndemoted; /* worklist: demoted vregs whose mentions need a visit */
	struct uniform_constant *constants;
};

/*
 * Definitions and uses.
 */

/* The uniform vreg that the instruction defines; 0: it is a vector instruction. */
static uint32_t uniform_def(const struct uniform_analysis *ua, const struct mir_inst *i)
{
	const struct nv_uniform_op *t = nv_find_uniform_op(i);

	return t && ua->uniform[i->ref[t->result].vreg] ? i->ref[t->result].vreg : 0;
}

static void add_mention(struct uniform_analysis *ua, struct mention **list, struct mention m)
{
	struct mention *n = arena_alloc(ua->f->arena, sizeof(*n));

	*n = m;
	n->next = *list;
	*list = n;
}

static void add_use(struct uniform_analysis *ua, uint32_t v, struct mention m)
{
	ua->weight[v] += 1 + 8 * ua->f->blocks[m.block].depth;
	add_mention(ua, &ua->users[v], m);
}

static bool is_entered_converged(const struct uniform_analysis *ua, uint32_t b)
{
	const struct mir_block *block = &ua->f->blocks[b];

	for (uint32_t p = 0; p < block->npreds; p++) {
		const struct mir_block *from = &ua->f->blocks[block->preds[p]];

		if (ua->divergent[block->preds[p]] ||
		    (mir_may_diverge(from) && !nv_becomes_guarded_exit(ua->f, block->preds[p])))
			return false;
	}
	return !ua->divergent[b];
}

/* Initial assumption: phis are uniform, and so are all results of uniform operands. */
static void assume_phis(struct uniform_analysis *ua, uint32_t b)
{
	const struct mir_block *block = &ua->f->blocks[b];
	bool converged = block->nphis && is_entered_converged(ua, b);

	for (uint32_t p = 0; p < block->nphis && converged; p++) {
		const struct mir_vreg *v = &ua->f->vregs[block->phis[p].vreg];

		ua->uniform[block->phis[p].vreg] = v->kind == SASS_GPR && v->units <= 2;
	}
}

/* Whether all that the result is computed of is assumed uniform. */
static bool has_uniform_operands(const struct uniform_analysis *ua, const struct mir_inst *i,
				 uint32_t result)
{
	const struct mir_inst *comparison = nv_comparison_of(&ua->forms, i);

	for (uint32_t k = 0; k < i->sass.nops; k++)
		if (k != result && i->ref[k].vreg && !ua->uniform[i->ref[k].vreg] &&
		    !(comparison && k == NV_SEL_CONDITION))
			return false;
	for (uint32_t k = NV_ISETP_A; comparison && k <= NV_ISETP_B; k++)
		if (comparison->ref[k].vreg && !ua->uniform[comparison->ref[k].vreg])
			return false;
	return true;
}

static uint8_t result_units(const struct mir_inst *i)
{
	return i->sass.op == SASS_LDC && i->sass.mod[SASS_M_WIDTH] == SASS_WIDTH_64 ? 2 : 1;
}

/* Temporaries get constants as immediates; but a pair is uniform as a whole. */
static bool is_known(const struct uniform_analysis *ua, struct mir_ref r)
{
	return ua->temporaries && r.vreg && ua->f->vregs[r.vreg].units == 1 &&
	       ua->constant_words.known[mir_unit(ua->f, r)];
}

/* The units of a pair may have separate definitions; both must be convertible. */
static void assume_inst(struct uniform_analysis *ua, uint32_t b, const struct mir_inst *i)
{
	const struct nv_uniform_op *t = nv_find_uniform_op(i);
	uint32_t v = t ? i->ref[t->result].vreg : 0;
	bool uniform = v && ua->f->vregs[v].kind == SASS_GPR && ua->f->vregs[v].units <= 2;
	struct sass_inst uniform_op;

	if (!uniform || is_known(ua, i->ref[t->result]) ||
	    !has_uniform_operands(ua, i, t->result) ||
	    !nv_make_uniform(&ua->forms, i, ua->f->blocks[b].depth, &uniform_op))
		return;
	ua->uniform[v] = true;
	ua->convertible_units[v] += result_units(i);
}

static void assume_uniform(struct uniform_analysis *ua)
{
	uint32_t count, *order = mir_reverse_postorder(ua->f, &count);

	for (uint32_t k = 0; k < count; k++) {
		assume_phis(ua, order[k]);
		for (struct mir_inst *i = ua->f->blocks[order[k]].first;
		     i && !ua->divergent[order[k]]; i = i->next)
			assume_inst(ua, order[k], i);
	}
	for (uint32_t v = 1; v < ua->f->nvregs; v++)
		ua->uniform[v] &=
			ua->f->vregs[v].phi || ua->convertible_units[v] == ua->f->vregs[v].units;
}

static void collect_phi_mentions(struct uniform_analysis *ua, uint32_t b, const struct mir_phi *phi)
{
	uint32_t n = ua->f->blocks[b].npreds * ua->f->vregs[phi->vreg].units;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t v = phi->args[k].ref.vreg;

		if (ua->uniform[v])
			add_use(ua, v, (struct mention){.phi = phi, .block = b});
	}
	if (ua->uniform[phi->vreg])
		add_mention(ua, &ua->defs[phi->vreg], (struct mention){.phi = phi, .block = b});
}

/* Definitions of a uniform register have a uniform equivalent; all other mentions are uses. */
static void collect_inst_mentions(struct uniform_analysis *ua, uint32_t b, struct mir_inst *i)
{
	const struct mir_inst *comparison = nv_comparison_of(&ua->forms, i);

	for (uint32_t k = 0; k < i->sass.nops; k++) {
		uint32_t v = i->ref[k].vreg;
		struct mention m = {.inst = i, .block = b};

		if (ua->uniform[v] && v == uniform_def(ua, i) && k == nv_find_uniform_op(i)->result)
			add_mention(ua, &ua->defs[v], m);
		else if (ua->uniform[v])
			add_use(ua, v, m);
	}
	for (uint32_t k = NV_ISETP_A; comparison && k <= NV_ISETP_B; k++)
		if (ua->uniform[comparison->ref[k].vreg])
			add_use(ua, comparison->ref[k].vreg,
				(struct mention){.inst = i, .block = b});
}

static void collect_mentions(struct uniform_analysis *ua)
{
	struct mir_func *f = ua->f;

	mir_for_each_block(f, b) {
		for (uint32_t p = 0; p < f->blocks[b].nphis; p++)
			collect_phi_mentions(ua, b, &f->blocks[b].phis[p]);
		mir_for_each(f, b, i)
			collect_inst_mentions(ua, b, i);
	}
}

/*
 * Demotion.
 */

static void demote_vreg(struct uniform_analysis *ua, uint32_t v)
{
	if (!ua->uniform[v])
		return;
	ua->uniform[v] = false;
	ua->units -= ua->f->vregs[v].units;
	ua->demoted[ua->ndemoted++] = v;
}

/*
 * A constant load whose result must be in a general register accepts a uniform index, too, with a
 * copy: of the result of a ULDC, which with the copy is faster than an LDC (ptxas leaves eight
 * cycles between two of these, one between two of those), or, in divergent code, of the index.
 */
static bool is_indexed_load(const struct uniform_analysis *ua, const struct mir_inst *i)
{
	return i->sass.op == SASS_LDC && i->sass.guard == SASS_PT && ua->uniform[i->ref[1].vreg];
}

/* The operand of a vector instruction with the highest weight that can be uniform;
 * SASS_MAX_OPERANDS: none. */
static uint32_t choose_uniform_operand(const struct uniform_analysis *ua, const struct mir_inst *i)
{
	uint32_t best = SASS_MAX_OPERANDS, max_weight = 0;

	if (is_indexed_load(ua, i))
		return 1;
	for (uint32_t k = 0; k < i->sass.nops; k++) {
		uint32_t v = i->ref[k].vreg;

		if (!ua->uniform[v] || ua->weight[v] <= max_weight ||
		    !nv_fit_operand(&ua->forms, i, k).fits)
			continue;
		best = k;
		max_weight = ua->weight[v];
	}
	return best;
}

/* A copy of a word to a temporary, which may as well be one of a uniform register. */
static bool sets_temporary(const struct uniform_analysis *ua, uint32_t b, const struct mir_inst *i)
{
	return ua->temporaries && i->sass.op == SASS_R2UR && i->sass.guard == SASS_PT &&
	       !i->ref[0].vreg && !ua->divergent[b];
}

/* A comparison that uniform selects repeat goes if nothing else reads its result. */
static bool is_repeated(const struct uniform_analysis *ua, const struct mir_inst *i)
{
	return i->sass.op == SASS_ISETP && ua->selects && ua->selects[i->ref[0].vreg];
}

static bool reads_copy(const struct uniform_analysis *ua, const struct mir_inst *i, uint32_t k)
{
	uint32_t v = i->ref[k].vreg;

	return (ua->wanted[v] || is_repeated(ua, i)) && ua->uniform[v] &&
	       ua->f->vregs[v].units == 1 && i->sass.ops[k].kind == SASS_GPR;
}

/* A vector instruction reads at most one uniform register, in an operand that accepts it. */
static void visit_vector(struct uniform_analysis *ua, uint32_t b, const struct mir_inst *i)
{
	uint32_t uniform_operand = choose_uniform_operand(ua, i);

	if (sets_temporary(ua, b, i))
		return;
	for (uint32_t k = 0; k < i->sass.nops; k++) {
		if (k != uniform_operand && !reads_copy(ua, i, k))
			demote_vreg(ua, i->ref[k].vreg);
	}
}

static void visit_phi(struct uniform_analysis *ua, const struct mention *m)
{
	uint32_t n = ua->f->blocks[m->block].npreds * ua->f->vregs[m->phi->vreg].units;
	bool uniform = ua->uniform[m->phi->vreg];

	for (uint32_t k = 0; k < n && uniform; k++) {
		const struct mir_source *arg = &m->phi->args[k];

		uniform = arg->ref.vreg ? ua->uniform[arg->ref.vreg]
					: arg->op.kind != SASS_GPR || arg->op.reg == SASS_RZ;
	}
	if (uniform)
		return;
	/* Otherwise a copy would be needed where coalescing could have saved one. */
	demote_vreg(ua, m->phi->vreg);
	for (uint32_t k = 0; k < n; k++)
		demote_vreg(ua, m->phi->args[k].ref.vreg);
}

static void visit_mention(struct uniform_analysis *ua, const struct mention *m)
{
	uint32_t result;

	if (m->phi) {
		visit_phi(ua, m);
		return;
	}
	result = uniform_def(ua, m->inst);
	if (result && !has_uniform_operands(ua, m->inst, nv_find_uniform_op(m->inst)->result))
		demote_vreg(ua, result);
	if (!uniform_def(ua, m->inst))
		visit_vector(ua, m->block, m->inst);
}

static void visit_mentions(struct uniform_analysis *ua, const struct mention *list)
{
	for (const struct mention *m = list; m; m = m->next)
		visit_mention(ua, m);
}

static void propagate_demotions(struct uniform_analysis *ua)
{
	while (ua->ndemoted) {
		uint32_t v = ua->demoted[--ua->ndemoted];

		visit_mentions(ua, ua->defs[v]);
		visit_mentions(ua, ua->users[v]);
	}
}

static int compare_weight(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Units that rewriting adds: constant bank operands of uniform definitions, counted with
 * repetition, and results of loads that are copied. */
static uint32_t count_added_units(const struct uniform_analysis *ua)
{
	uint32_t count = 0;

	for (uint32_t v = 1; v < ua->f->nvregs; v++) {
		for (const struct mention *m = ua->uniform[v] ? ua->defs[v] : NULL; m;
		     m = m->next) {
			for (uint32_t k = 0; m->inst && k < m->inst->sass.nops; k++)
				count += m->inst->sass.ops[k].kind == SASS_CONST;
		}
		for (const struct mention *m = ua->uniform[v] ? ua->users[v] : NULL; m; m = m->next)
			count +=
				m->inst && m->inst->sass.op == SASS_LDC ? result_units(m->inst) : 0;
	}
	return count;
}

/* Demotes the lowest weights until the rest is sure to be assignable. */
static void limit_units(struct uniform_analysis *ua)
{
	struct mir_func *f = ua->f;
	uint64_t *list;
	uint32_t count = 0;

	ua->units += count_added_units(ua);
	if (ua->units <= MAX_UNITS)
		return;
	list = arena_array(f->arena, f->nvregs, sizeof(*list));
	for (uint32_t v = 1; v < f->nvregs; v++) {
		if (ua->uniform[v])
			list[count++] = (uint64_t)ua->weight[v] << 32 | v;
	}
	qsort(list, count, sizeof(*list), compare_weight);
	for (uint32_t k = 0; k < count && ua->units > MAX_UNITS; k++) {
		demote_vreg(ua, (uint32_t)list[k]);
		propagate_demotions(ua);
	}
}

/* The uniform vreg that is worth least of those that are live, and how many units these are. */
static uint32_t worst_live(const struct uniform_analysis *ua, const struct unit_set *live,
			   const uint32_t *list, uint32_t count, uint32_t *units)
{
	uint32_t least = 0;

	*units = 0;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t v = list[k], n = 0;

		for (uint32_t u = 0; ua->uniform[v] && u < ua->f->vregs[v].units; u++)
			n += unit_set_has(live, ua->f->vregs[v].first_unit + u);
		*units += n;
		if (n &&
		    (!least || ua->wanted[v] < ua->wanted[least] ||
		     (ua->wanted[v] == ua->wanted[least] && ua->weight[v] < ua->weight[least])))
			least = v;
	}
	return least;
}

/* Demotes where more units are live than there are registers beside the temporaries. */
static void limit_live_units(struct uniform_analysis *ua)
{
	struct mir_func *f = ua->f;
	uint32_t *list = arena_array(f->arena, f->nvregs, sizeof(*list)), count = 0;
	struct unit_set live;

	nv_liveness(f);
	live = unit_set_new(f->arena, f->nunits);
	for (uint32_t v = 1; v < f->nvregs; v++)
		if (ua->uniform[v])
			list[count++] = v;
	mir_for_each_block(f, b) {
		unit_set_assign(&live, &f->blocks[b].live_out);
		for (struct mir_inst *i = f->blocks[b].last; i; i = i->prev) {
			uint32_t units, v = worst_live(ua, &live, list, count, &units);

			for (; units > MAX_LIVE; v = worst_live(ua, &live, list, count, &units)) {
				demote_vreg(ua, v);
				propagate_demotions(ua);
			}
			nv_live_before(f, &live, i);
		}
	}
	f->live = false;
}

/* Whether more constant loads would need a copy of this index than can be ULDCs. */
static bool indexes_divergent_loads(const struct uniform_analysis *ua, uint32_t v)
{
	int64_t gain = 0;

	for (const struct mention *m = ua->users[v]; m; m = m->next) {
		uint32_t weight = 1 + 8 * ua->f->blocks[m->block].depth;

		if (m->inst && m->inst->sass.op == SASS_LDC)
			gain += ua->divergent[m->block] ? -(int64_t)weight : weight;
	}
	return gain < 0;
}

static void want(struct uniform_analysis *ua, uint32_t v)
{
	if (!ua->uniform[v] || ua->wanted[v])
		return;
	ua->wanted[v] = true;
	ua->demoted[ua->ndemoted++] = v; /* the list serves for this, too */
}

static void want_operands(struct uniform_analysis *ua, const struct mention *m)
{
	const struct mir_inst *comparison = m->inst ? nv_comparison_of(&ua->forms, m->inst) : NULL;

	for (uint32_t k = 0; m->phi && k < ua->f->blocks[m->block].npreds; k++)
		want(ua, m->phi->args[k].ref.vreg);
	for (uint32_t k = 0; m->inst && k < m->inst->sass.nops; k++)
		want(ua, m->inst->ref[k].vreg);
	for (uint32_t k = NV_ISETP_A; comparison && k <= NV_ISETP_B; k++)
		want(ua, comparison->ref[k].vreg);
}

static void find_wanted(struct uniform_analysis *ua)
{
	mir_for_each_block(ua->f, b)
		mir_for_each(ua->f, b, i)
			if (sets_temporary(ua, b, i))
				want(ua, i->ref[2].vreg);
	while (ua->ndemoted)
		for (const struct mention *m = ua->defs[ua->demoted[--ua->ndemoted]]; m;
		     m = m->next)
			want_operands(ua, m);
}

static void choose_uniform(struct uniform_analysis *ua)
{
	struct mir_func *f = ua->f;

	assume_uniform(ua);
	for (uint32_t v = 1; v < f->nvregs; v++)
		ua->units += ua->uniform[v] ? f->vregs[v].units : 0;
	collect_mentions(ua);
	find_wanted(ua);
	for (uint32_t v = 1; v < f->nvregs; v++) {
		if (!ua->uniform[v])
			continue;
		if (indexes_divergent_loads(ua, v))
			demote_vreg(ua, v);
		visit_mentions(ua, ua->defs[v]);
		visit_mentions(ua, ua->users[v]);
		propagate_demotions(ua);
	}
	if (ua->temporaries)
		limit_live_units(ua);
	else
		limit_units(ua);
}

/*
 * Rewriting.
 */

static struct mir_ref uniform_constant(struct uniform_analysis *ua, const struct sass_operand *o)
{
	struct mir_func *f = ua->f;
	struct uniform_constant *c = ua->constants;
	struct mir_source from = {.op = *o}, to;
	struct mir_inst *last = f->blocks[f->entry].last;

	while (c && (c->bank != o->aux || c->offset != o->value))
		c = c->next;
	if (c)
		return c->in;
	c = arena_alloc(f->arena, sizeof(*c));
	*c = (struct uniform_constant){
		o->aux, o->value, {mir_vreg_new(f, SASS_UGPR, 1), 0}, ua->constants};
	ua->constants = c;
	from.op.flags = 0;
	to = mir_reg(SASS_UGPR, c->in);
	mir_insert(f, f->entry, last && last->terminator ? last : NULL, mir_move(f, to, from));
	return c->in;
}

/* Comparison and use are adjacent, so that UP0 is enough for all. */
static void compare_before(struct uniform_analysis *ua, uint32_t b, struct mir_inst *sel)
{
	const struct mir_inst *from = nv_comparison_of(&ua->forms, sel);
	struct mir_inst *i = mir_inst_new(ua->f, SASS_UISETP);

	nv_make_uniform_comparison(&ua->forms, from, &i->sass);
	memcpy(i->ref, from->ref, sizeof(i->ref));
	i->ref[0] = sel->ref[NV_SEL_CONDITION] = (struct mir_ref){0};
	i->line = sel->line;
	mir_insert(ua->f, b, sel, i);
}

static void rewrite_def(struct uniform_analysis *ua, uint32_t b, struct mir_inst *i)
{
	struct sass_inst uniform_op;

	nv_make_uniform(&ua->forms, i, ua->f->blocks[b].depth, &uniform_op);
	for (uint32_t k = 0; k < uniform_op.nops; k++) {
		if (i->sass.ops[k].kind == SASS_CONST && uniform_op.ops[k].kind == SASS_UGPR)
			i->ref[k] = uniform_constant(ua, &i->sass.ops[k]);
	}
	if (i->sass.op == SASS_SEL)
		compare_before(ua, b, i);
	i->sass = uniform_op;
	i->uses = NULL;
}

/* R2UR of a uniform register or a constant. */
static void rewrite_copy(struct uniform_analysis *ua, struct mir_inst *i)
{
	struct mir_source to = {.op = i->sass.ops[1], .ref = i->ref[1]},
			  from = {.op = i->sass.ops[2], .ref = i->ref[2]};
	uint32_t unit = from.ref.vreg ? mir_unit(ua->f, from.ref) : 0;

	if (from.ref.vreg && ua->constant_words.known[unit])
		from = mir_imm(ua->constant_words.values[unit]);
	else if (from.ref.vreg ? !ua->uniform[from.ref.vreg] : from.op.reg != SASS_RZ)
		return;
	nv_to_uniform_operand(&from.op, from.ref);
	sass_init(&i->sass, SASS_UMOV);
	memset(i->ref, 0, sizeof(i->ref));
	i->members = 0;
	i->uses = NULL;
	mir_set_operand(i, 0, to);
	mir_set_operand(i, 1, from);
}

/* Vector instructions that are not rewritten yet read copies of the uniform operands that they do
 * not take. */
static void finish_vector(struct uniform_analysis *ua, uint32_t b, struct mir_inst *i)
{
	uint32_t fit = choose_uniform_operand(ua, i);

	for (uint32_t k = 0; k < i->sass.nops; k++) {
		struct mir_ref copy = {0};

		if (k == fit || !reads_copy(ua, i, k))
			continue;
		copy.vreg = mir_vreg_new(ua->f, SASS_GPR, 1);
		mir_insert(ua->f, b, i,
			   mir_move(ua->f, mir_reg(SASS_GPR, copy), mir_reg(SASS_UGPR, i->ref[k])));
		i->ref[k] = copy;
		i->uses = NULL;
	}
	if (fit < SASS_MAX_OPERANDS)
		nv_apply_fit(i, fit, nv_fit_operand(&ua->forms, i, fit));
}

static void copy_index(struct uniform_analysis *ua, uint32_t b, struct mir_inst *i)
{
	struct mir_ref index = {mir_vreg_new(ua->f, SASS_GPR, 1), 0};

	mir_insert(ua->f, b, i,
		   mir_move(ua->f, mir_reg(SASS_GPR, index), mir_reg(SASS_UGPR, i->ref[1])));
	i->ref[1] = index;
	i->uses = NULL;
}

/* ULDC to a uniform register, then a copy; the load becomes the copy of the first unit. */
static void copy_loaded(struct uniform_analysis *ua, uint32_t b, struct mir_inst *i)
{
	struct mir_func *f = ua->f;
	uint8_t units = result_units(i);
	struct mir_inst *load = mir_inst_new(f, SASS_ULDC_UREG);
	struct mir_ref to = i->ref[0], from = {mir_vreg_new(f, SASS_UGPR, units), 0};

	nv_make_uniform(&ua->forms, i, f->blocks[b].depth, &load->sass);
	load->ref[0] = from;
	load->ref[1] = i->ref[1];
	load->line = i->line;
	mir_insert(f, b, i, load);
	for (uint8_t k = 1; k < units; k++)
		mir_insert(f, b, i,
			   mir_move(f, mir_reg(SASS_GPR, (struct mir_ref){to.vreg, k}),
				    mir_reg(SASS_UGPR, (struct mir_ref){from.vreg, k})));
	sass_init(&i->sass, SASS_MOV);
	i->uses = NULL;
	mir_set_operand(i, 0, mir_reg(SASS_GPR, to));
	mir_set_operand(i, 1, mir_reg(SASS_UGPR, from));
}

static void rewrite_inst(struct uniform_analysis *ua, uint32_t b, struct mir_inst *i)
{
	if (uniform_def(ua, i)) {
		rewrite_def(ua, b, i);
		return;
	}
	if (sets_temporary(ua, b, i)) {
		rewrite_copy(ua, i);
		return;
	}
	if (ua->forms.recompares && i->sass.op == SASS_ISETP)
		return; /* finish_rewriting(): it may not be needed any more */
	if (is_indexed_load(ua, i)) {
		if (ua->divergent[b])
			copy_index(ua, b, i);
		else
			copy_loaded(ua, b, i);
		return;
	}
	finish_vector(ua, b, i);
}

static void rewrite_phi(struct uniform_analysis *ua, uint32_t b, const struct mir_phi *phi)
{
	uint32_t n = ua->f->blocks[b].npreds * ua->f->vregs[phi->vreg].units;

	for (uint32_t k = 0; k < n && ua->uniform[phi->vreg]; k++) {
		if (phi->args[k].op.kind == SASS_GPR)
			nv_to_uniform_operand(&phi->args[k].op, phi->args[k].ref);
	}
}

/* After all uses have been rewritten: comparisons, and constants that only temporaries got. */
static void finish_rewriting(struct uniform_analysis *ua, uint32_t nvregs)
{
	struct mir_func *f = ua->f;
	uint32_t *reads = mir_count_reads(f);

	reads[0] = 0; /* operands without a register */
	mir_for_each_block(f, b)
		mir_for_each_safe(f, b, i) {
			uint32_t v = i->ref[0].vreg;
			bool compares = i->sass.op == SASS_ISETP;

			if (compares ? v && !reads[v] && !reads[i->ref[1].vreg]
				     : i->sass.op == SASS_UMOV && v && v < nvregs &&
					       ua->uniform[v] && !reads[v])
				mir_remove(f, b, i);
			else if (compares)
				finish_vector(ua, b, i);
		}
}

static void rewrite_function(struct uniform_analysis *ua)
{
	struct mir_func *f = ua->f;
	uint32_t nvregs = f->nvregs;

	mir_for_each_block(f, b) {
		for (uint32_t p = 0; p < f->blocks[b].nphis; p++)
			rewrite_phi(ua, b, &f->blocks[b].phis[p]);
		mir_for_each(f, b, i)
			if (i->sass.op != SASS_ULDC) /* a constant just loaded */
				rewrite_inst(ua, b, i);
	}
	if (ua->forms.recompares)
		finish_rewriting(ua, nvregs);
	for (uint32_t v = 1; v < nvregs; v++) {
		if (ua->uniform[v])
			f->vregs[v].kind = SASS_UGPR;
	}
	f->live = false;
}

/* Warp reductions use uniform registers in divergent code, too. */
static bool has_temporaries(const struct mir_func *f)
{
	for (uint32_t v = 1; v < f->nvregs; v++)
		if (f->vregs[v].kind == SASS_UGPR)
			return true;
	return false;
}

static void separate_temporaries(struct mir_func *f)
{
	for (uint32_t v = 1; v < f->nvregs; v++)
		f->vregs[v].temporary = f->vregs[v].kind == SASS_UGPR;
	f->uniform_temporaries = MAX_TEMPORARIES;
}

/* Loops with products of matrices need their registers, and wrap pointers by selects. */
static bool multiplies_in_loop(const struct mir_func *f)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			if (f->blocks[b].depth && sass_is_matrix_product(&i->sass))
				return true;
	return false;
}

/* Predicates on which selects of loops depend that the uniform datapath can do. */
static void find_selects(struct uniform_analysis *ua)
{
	struct mir_func *f = ua->f;

	ua->selects = arena_array(f->arena, f->nvregs, sizeof(*ua->selects));
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			if (nv_comparison_of(&ua->forms, i) && f->blocks[b].depth &&
			    !ua->divergent[b])
				ua->selects[i->ref[NV_SEL_CONDITION].vreg] = true;
}

static void find_comparisons(struct uniform_analysis *ua)
{
	ua->forms.comparisons = arena_array(ua->f->arena, ua->f->nvregs, sizeof(struct mir_inst *));
	mir_for_each_block(ua->f, b)
		mir_for_each(ua->f, b, i)
			if (i->sass.op == SASS_ISETP)
				ua->forms.comparisons[i->ref[0].vreg] = i;
}

void nv_uniform_registers(struct mir_func *f)
{
	struct uniform_analysis ua = {.f = f};

	ua.temporaries = has_temporaries(f);
	f->uniform = f->uniform && f->ir->kind == IR_KERNEL && !f->uniform_calls &&
		     (!ua.temporaries || nv_has_group_products(f));
	if (!f->uniform)
		return;
	if (ua.temporaries) {
		separate_temporaries(f);
		ua.constant_words = nv_fold_constants(f);
	}
	ua.forms = (struct nv_uniform_forms){.sm = f->sm,
					     .recompares = ua.temporaries || multiplies_in_loop(f)};
	find_comparisons(&ua);
	ua.divergent = nv_divergent_blocks(f);
	ua.uniform = arena_array(f->arena, f->nvregs, sizeof(*ua.uniform));
	ua.weight = arena_array(f->arena, f->nvregs, sizeof(*ua.weight));
	ua.convertible_units = arena_array(f->arena, f->nvregs, sizeof(*ua.convertible_units));
	ua.defs = arena_array(f->arena, f->nvregs, sizeof(struct mention *));
	ua.users = arena_array(f->arena, f->nvregs, sizeof(struct mention *));
	ua.demoted = arena_array(f->arena, f->nvregs, sizeof(*ua.demoted));
	ua.wanted = arena_array(f->arena, f->nvregs, sizeof(*ua.wanted));
	if (!ua.temporaries && multiplies_in_loop(f))
		find_selects(&ua);
	choose_uniform(&ua);
	f->uniform = ua.units;
	if (ua.units)
		rewrite_function(&ua);
}

static bool can_sink(const struct mir_func *f, const struct mir_inst *i)
{
	if (i->sass.op == SASS_R2UR)
		return f->vregs[i->ref[1].vreg].temporary && !i->ref[0].vreg;
	return i->sass.op == SASS_UMOV ||
	       (i->sass.op == SASS_UIADD3 && !i->sass.mod[SASS_M_X] && !i->ref[1].vreg);
}

struct reader {
	struct mir_inst *first;
	uint32_t block;
};

static void note_reader(struct reader *r, uint32_t b, struct mir_inst *i, bool moved)
{
	const struct mir_inst *after = moved && r->block == b ? r->first : NULL;

	/* What has moved may come after instructions that it preceded. */
	while (after && after != i)
		after = after->next;
	if (!after)
		*r = (struct reader){i, b};
}

/* Copies and sums cost little and depend on little, so that the scheduler takes them early; but
 * there are few uniform registers, and it does not count them. Each goes to its first reader; the
 * scheduler moves it again once registers are assigned. */
void nv_sink_temporaries(struct mir_func *f)
{
	struct reader *reader;

	if (!f->uniform_temporaries)
		return;
	reader = arena_array(f->arena, f->nvregs, sizeof(*reader));
	mir_for_each_block(f, b)
		for (struct mir_inst *i = f->blocks[b].last, *prev; i; i = prev) {
			uint32_t v = i->ref[i->sass.op == SASS_R2UR ? 1 : 0].vreg, n;
			const struct mir_use *uses = mir_uses(f, i, &n);
			bool moved;

			prev = i->prev;
			moved = v && can_sink(f, i) && reader[v].block == b;
			if (moved) {
				mir_remove(f, b, i);
				mir_insert(f, b, reader[v].first, i);
			}
			for (uint32_t u = 0; u < n; u++)
				if (!uses[u].write && uses[u].ref.vreg && uses[u].kind == SASS_UGPR)
					note_reader(&reader[uses[u].ref.vreg], b, i, moved);
		}
}
