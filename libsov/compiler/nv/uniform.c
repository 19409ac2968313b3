// SPDX-License-Identifier: MIT
/*
 * Uniform registers. What all lanes of a warp have in common need not be computed and kept once a
 * lane: the uniform datapath has registers of its own, and most instructions take one of them as
 * their second or third operand. So loop counters, strides and constants leave room for what
 * differs, in registers and in the arithmetic units.
 *
 * The datapath knows no lanes. An instruction of it happens once for whichever lanes come by, so
 * where lanes are apart one of them would overwrite what another still needs, although neither
 * needs both. Hence the one rule: uniform registers are written only where all lanes that have not
 * ended are together (nv_divergent_blocks), and read anywhere. Where they are together, what is computed from
 * uniform values is uniform, and so is a phi whose every edge the lanes take together.
 *
 * Selection knows nothing of this. Afterwards all registers that could be uniform are taken to be;
 * then those go that cannot, until nothing changes: because an instruction reads one where it
 * cannot be uniform, or reads a second, or because it is computed from one that has gone. What the
 * form of an instruction allows its table says. Nothing is copied between the two kinds of
 * registers, and one instruction alone is added: for a constant that a loop needs in one of these.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/nv/mir.h"

/* With no more units than this all find a place (regalloc.c), and one is left for copies. */
#define MOST_UNITS 60

struct mention { /* by an instruction or by a phi */
	struct mir_inst *inst;
	const struct mir_phi *phi;
	uint32_t block;
	struct mention *next;
};

struct constant { /* in a uniform register from the kernel's start on */
	uint8_t bank;
	int64_t offset;
	struct mir_ref in;
	struct constant *next;
};

struct work {
	struct mir_func *f;
	const bool *apart;                /* by block */
	bool *uniform;                    /* by vreg: it is, as far as known */
	uint32_t *weight;                 /* by vreg: of its users, those in loops count more */
	uint8_t *made;                    /* by vreg: units that the uniform datapath could make */
	uint32_t units;                   /* of those that are */
	struct mention **makers, **users; /* by vreg, of those that are */
	uint32_t *gone, ngone; /* vregs that no longer are, whose mentions are to be looked at */
	struct constant *constants;
};

/* What the uniform datapath can do, by its vector twin. Operands are the same ones. */
static const struct twin {
	uint16_t op, twin;
	uint8_t nops, result;
} twins[] = {
	{SASS_MOV, SASS_UMOV, 2, 0},     {SASS_S2R, SASS_S2UR, 2, 0},
	{SASS_IADD3, SASS_UIADD3, 8, 0}, {SASS_IMAD, SASS_UIMAD, 4, 0},
	{SASS_LEA, SASS_ULEA, 5, 0},     {SASS_LOP3, SASS_ULOP3, 7, 1},
	{SASS_SHF, SASS_USHF, 4, 0},     {SASS_PRMT, SASS_UPRMT, 4, 0},
};

static const struct twin *twin_of(const struct mir_inst *i)
{
	for (uint32_t t = 0; t < sizeof(twins) / sizeof(twins[0]); t++) {
		if (twins[t].op == i->sass.op)
			return &twins[t];
	}
	return NULL;
}

/* The operand as the uniform datapath has it. A register without a name of its own is the stack
 * pointer, and a predicate with one is a lane's. */
static bool turn(struct sass_operand *o, struct mir_ref r)
{
	switch (o->kind) {
	case SASS_GPR:
		if (!r.vreg && o->reg != SASS_RZ)
			return false;
		o->kind = SASS_UGPR;
		o->reg = r.vreg ? 0 : SASS_URZ;
		return true;
	case SASS_PRED:
		o->kind = SASS_UPRED;
		return !r.vreg && o->reg == SASS_PT;
	case SASS_SREG:
		return o->value >= SASS_SR_CTAID_X && o->value <= SASS_SR_CTAID_Z;
	case SASS_CONST:
		return o->reg == SASS_RZ;
	default:
		return true;
	}
}

/* The instruction of the uniform datapath that does the same; false: there is none. What it takes
 * from a constant bank has to be in a register then, which costs an instruction: only in loops. */
static bool find_twin(const struct work *w, const struct mir_inst *i, uint32_t depth,
		      struct sass_inst *out)
{
	const struct twin *t = twin_of(i);

	if (!t || i->sass.guard != SASS_PT || i->sass.mod[SASS_M_X] || i->callee || i->variable ||
	    i->return_address)
		return false;
	if (i->sass.op == SASS_MOV && i->sass.ops[1].kind == SASS_CONST) {
		sass_init(out, SASS_ULDC);
		out->mod[SASS_M_WIDTH] = SASS_WIDTH_32;
	} else {
		sass_init(out, t->twin);
		memcpy(out->mod, i->sass.mod, sizeof(out->mod));
	}
	for (uint32_t k = 0; k < i->sass.nops && k < t->nops; k++) {
		out->ops[k] = i->sass.ops[k];
		out->nops = (uint8_t)(k + 1);
		if (!turn(&out->ops[k], i->ref[k]))
			return false;
		if (out->ops[k].kind == SASS_CONST && out->op != SASS_ULDC && depth)
			out->ops[k] = (struct sass_operand){.kind = SASS_UGPR,
							    .flags = out->ops[k].flags};
	}
	return sass_has_form(w->f->sm, out);
}

/*
 * What vector instructions take. Two operands may change places, with what that asks of the rest.
 */
enum { PLAIN, COMPARE, CHOICE, TABLE };
static const struct {
	uint16_t op;
	uint8_t a, b, how; /* a == b: nothing changes places */
} takers[] = {
	{SASS_MOV, 1, 1, PLAIN},  {SASS_IADD3, 3, 4, PLAIN},     {SASS_IADD3, 3, 5, PLAIN},
	{SASS_IMAD, 1, 2, PLAIN}, {SASS_IMAD_WIDE, 2, 3, PLAIN}, {SASS_LEA, 3, 3, PLAIN},
	{SASS_LOP3, 2, 3, TABLE}, {SASS_LOP3, 2, 4, TABLE},      {SASS_ISETP, 2, 3, COMPARE},
	{SASS_SEL, 1, 2, CHOICE}, {SASS_FADD, 1, 2, PLAIN},      {SASS_FMUL, 1, 2, PLAIN},
	{SASS_FFMA, 1, 2, PLAIN}, {SASS_FSETP, 2, 3, COMPARE},   {SASS_DADD, 1, 2, PLAIN},
	{SASS_DMUL, 1, 2, PLAIN}, {SASS_DFMA, 1, 2, PLAIN},      {SASS_DSETP, 2, 3, COMPARE},
	{SASS_LDS, 1, 1, PLAIN},  {SASS_STS, 0, 0, PLAIN},       {SASS_ATOMS, 1, 1, PLAIN},
};

/* The table of a function of three with two of them in each other's place. */
static uint8_t exchanged(uint8_t table, uint32_t x, uint32_t y)
{
	uint8_t out = 0;

	for (uint32_t row = 0; row < 8; row++) {
		uint32_t from = row & ~(1u << x | 1u << y);

		from |= (row >> x & 1) << y | (row >> y & 1) << x;
		out |= (uint8_t)((table >> from & 1) << row);
	}
	return out;
}

static void exchange(struct mir_inst *i, uint32_t a, uint32_t b, uint8_t how)
{
	struct sass_operand op = i->sass.ops[a];
	struct mir_ref ref = i->ref[a];
	uint8_t cmp = i->sass.mod[SASS_M_CMP];

	i->sass.ops[a] = i->sass.ops[b];
	i->sass.ops[b] = op;
	i->ref[a] = i->ref[b];
	i->ref[b] = ref;
	if (how == COMPARE) /* less and greater are its lowest bit and the third */
		i->sass.mod[SASS_M_CMP] = (uint8_t)((cmp & ~5) | (cmp & 1) << 2 | (cmp >> 2 & 1));
	else if (how == CHOICE)
		i->sass.ops[3].flags ^= SASS_NEG;
	else if (how == TABLE) /* operands 2, 3, 4 are its bits 2, 1, 0 */
		i->sass.ops[5].value = exchanged((uint8_t)i->sass.ops[5].value, 4 - a, 4 - b);
}

/* How a vector instruction takes a uniform register as its operand k. */
struct place {
	bool there;
	uint8_t a, b, how; /* these change places first; a == b: none do */
};

static struct place find_place(const struct work *w, const struct mir_inst *i, uint32_t k)
{
	struct sass_inst in;

	for (uint32_t t = 0; t < sizeof(takers) / sizeof(takers[0]); t++) {
		uint8_t a = takers[t].a, b = takers[t].b;
		struct sass_operand o;

		if (takers[t].op != i->sass.op)
			continue;
		if (i->sass.ops[k].kind == SASS_ADDR)
			return (struct place){.there = i->sass.ops[k].aux == SASS_NO_UREG};
		in = i->sass;
		in.ops[k].kind = SASS_UGPR;
		if (sass_has_form(w->f->sm, &in))
			return (struct place){.there = true};
		/* The low half's answer is about the order that it was asked in. */
		if (a == b || (k != a && k != b) || in.mod[SASS_M_EX])
			continue;
		o = in.ops[a];
		in.ops[a] = in.ops[b];
		in.ops[b] = o;
		if (sass_has_form(w->f->sm, &in))
			return (struct place){true, a, b, takers[t].how};
	}
	return (struct place){.there = false};
}

static void put_in_place(struct mir_inst *i, uint32_t k, struct place p)
{
	struct sass_operand *o = &i->sass.ops[k];

	i->uses = NULL;
	if (o->kind == SASS_ADDR) {
		o->reg = SASS_RZ;
		o->aux = 0;
		i->uniform = i->ref[k];
		i->ref[k] = (struct mir_ref){0};
		return;
	}
	o->kind = SASS_UGPR;
	if (p.a != p.b)
		exchange(i, p.a, p.b, p.how);
}

/*
 * Who mentions whom.
 */

/* The register that the instruction makes, if that is uniform; 0: it is a vector instruction. */
static uint32_t makes(const struct work *w, const struct mir_inst *i)
{
	const struct twin *t = twin_of(i);

	return t && w->uniform[i->ref[t->result].vreg] ? i->ref[t->result].vreg : 0;
}

static void note(struct work *w, struct mention **list, struct mention m)
{
	struct mention *n = arena_alloc(w->f->arena, sizeof(*n));

	*n = m;
	n->next = *list;
	*list = n;
}

static void note_user(struct work *w, uint32_t v, struct mention m)
{
	w->weight[v] += 1 + 8 * w->f->blocks[m.block].depth;
	note(w, &w->users[v], m);
}

static bool comes_together(const struct work *w, uint32_t b)
{
	const struct mir_block *block = &w->f->blocks[b];

	for (uint32_t p = 0; p < block->npreds; p++) {
		const struct mir_block *from = &w->f->blocks[block->preds[p]];

		if (w->apart[block->preds[p]] ||
		    (mir_may_diverge(from) && !nv_becomes_guarded_exit(w->f, block->preds[p])))
			return false;
	}
	return !w->apart[b];
}

/* First guess: a phi is uniform, and whatever can be computed from what is. */
static void guess_phis(struct work *w, uint32_t b)
{
	const struct mir_block *block = &w->f->blocks[b];
	bool together = block->nphis && comes_together(w, b);

	for (uint32_t p = 0; p < block->nphis && together; p++) {
		const struct mir_vreg *v = &w->f->vregs[block->phis[p].vreg];

		w->uniform[block->phis[p].vreg] = v->kind == SASS_GPR && v->units <= 2;
	}
}

/* Each unit is made once, those of a pair by two instructions: the first of them is met first. */
static void guess_inst(struct work *w, uint32_t b, const struct mir_inst *i)
{
	const struct twin *t = twin_of(i);
	uint32_t v = t ? i->ref[t->result].vreg : 0;
	bool uniform = v && w->f->vregs[v].kind == SASS_GPR && w->f->vregs[v].units <= 2;
	struct sass_inst twin;

	for (uint32_t k = 0; uniform && k < i->sass.nops; k++)
		uniform = k == t->result || !i->ref[k].vreg || w->uniform[i->ref[k].vreg];
	if (!uniform || !find_twin(w, i, w->f->blocks[b].depth, &twin))
		return;
	w->uniform[v] = true;
	w->made[v]++;
}

static void guess(struct work *w)
{
	uint32_t count, *order = mir_reverse_postorder(w->f, &count);

	for (uint32_t k = 0; k < count; k++) {
		guess_phis(w, order[k]);
		for (struct mir_inst *i = w->f->blocks[order[k]].first; i && !w->apart[order[k]];
		     i = i->next)
			guess_inst(w, order[k], i);
	}
	for (uint32_t v = 1; v < w->f->nvregs; v++)
		w->uniform[v] &= w->f->vregs[v].phi || w->made[v] == w->f->vregs[v].units;
}

static void collect_phi(struct work *w, uint32_t b, const struct mir_phi *phi)
{
	uint32_t n = w->f->blocks[b].npreds * w->f->vregs[phi->vreg].units;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t v = phi->args[k].ref.vreg;

		if (w->uniform[v])
			note_user(w, v, (struct mention){.phi = phi, .block = b});
	}
	if (w->uniform[phi->vreg])
		note(w, &w->makers[phi->vreg], (struct mention){.phi = phi, .block = b});
}

/* Whoever makes a unit of a uniform register is one of the twins; all others read. */
static void collect_inst(struct work *w, uint32_t b, struct mir_inst *i)
{
	for (uint32_t k = 0; k < i->sass.nops; k++) {
		uint32_t v = i->ref[k].vreg;
		struct mention m = {.inst = i, .block = b};

		if (w->uniform[v] && v == makes(w, i) && k == twin_of(i)->result)
			note(w, &w->makers[v], m);
		else if (w->uniform[v])
			note_user(w, v, m);
	}
}

static void collect(struct work *w)
{
	struct mir_func *f = w->f;

	mir_for_each_block(f, b) {
		for (uint32_t p = 0; p < f->blocks[b].nphis; p++)
			collect_phi(w, b, &f->blocks[b].phis[p]);
		mir_for_each(f, b, i)
			collect_inst(w, b, i);
	}
}

/*
 * Who has to go.
 */

static void let_go(struct work *w, uint32_t v)
{
	if (!w->uniform[v])
		return;
	w->uniform[v] = false;
	w->units -= w->f->vregs[v].units;
	w->gone[w->ngone++] = v;
}

/* The operand of a vector instruction that is best left uniform; SASS_MAX_OPERANDS: none can be. */
static uint32_t choose_operand(const struct work *w, const struct mir_inst *i)
{
	uint32_t best = SASS_MAX_OPERANDS, most = 0;

	for (uint32_t k = 0; k < i->sass.nops; k++) {
		uint32_t v = i->ref[k].vreg;

		if (!w->uniform[v] || w->weight[v] <= most || !find_place(w, i, k).there)
			continue;
		best = k;
		most = w->weight[v];
	}
	return best;
}

/* A vector instruction reads at most one, and that where it can. */
static void look_at_vector(struct work *w, const struct mir_inst *i)
{
	uint32_t kept = choose_operand(w, i);

	for (uint32_t k = 0; k < i->sass.nops; k++) {
		if (k != kept)
			let_go(w, i->ref[k].vreg);
	}
}

static void look_at_phi(struct work *w, const struct mention *m)
{
	uint32_t n = w->f->blocks[m->block].npreds * w->f->vregs[m->phi->vreg].units;
	bool uniform = w->uniform[m->phi->vreg];

	for (uint32_t k = 0; k < n && uniform; k++) {
		const struct mir_source *arg = &m->phi->args[k];

		uniform = arg->ref.vreg ? w->uniform[arg->ref.vreg]
					: arg->op.kind != SASS_GPR || arg->op.reg == SASS_RZ;
	}
	if (uniform)
		return;
	/* A move that a register could have saved would be needed. */
	let_go(w, m->phi->vreg);
	for (uint32_t k = 0; k < n; k++)
		let_go(w, m->phi->args[k].ref.vreg);
}

static void look_at(struct work *w, const struct mention *m)
{
	uint32_t result;

	if (m->phi) {
		look_at_phi(w, m);
		return;
	}
	result = makes(w, m->inst);
	for (uint32_t k = 0; result && k < m->inst->sass.nops; k++) {
		uint32_t v = m->inst->ref[k].vreg;

		if (v && !w->uniform[v])
			let_go(w, result);
	}
	if (!makes(w, m->inst))
		look_at_vector(w, m->inst);
}

static void look_at_all(struct work *w, const struct mention *list)
{
	for (const struct mention *m = list; m; m = m->next)
		look_at(w, m);
}

static void settle(struct work *w)
{
	while (w->ngone) {
		uint32_t v = w->gone[--w->ngone];

		look_at_all(w, w->makers[v]);
		look_at_all(w, w->users[v]);
	}
}

static int by_weight(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* What is taken from constant banks by those that make uniform registers; some of it twice. */
static uint32_t count_constants(const struct work *w)
{
	uint32_t count = 0;

	for (uint32_t v = 1; v < w->f->nvregs; v++) {
		for (const struct mention *m = w->uniform[v] ? w->makers[v] : NULL; m;
		     m = m->next) {
			for (uint32_t k = 0; m->inst && k < m->inst->sass.nops; k++)
				count += m->inst->sass.ops[k].kind == SASS_CONST;
		}
	}
	return count;
}

/* No more than surely find a place. */
static void keep_best(struct work *w)
{
	struct mir_func *f = w->f;
	uint64_t *list;
	uint32_t count = 0;

	w->units += count_constants(w);
	if (w->units <= MOST_UNITS)
		return;
	list = arena_array(f->arena, f->nvregs, sizeof(*list));
	for (uint32_t v = 1; v < f->nvregs; v++) {
		if (w->uniform[v])
			list[count++] = (uint64_t)w->weight[v] << 32 | v;
	}
	qsort(list, count, sizeof(*list), by_weight);
	for (uint32_t k = 0; k < count && w->units > MOST_UNITS; k++) {
		let_go(w, (uint32_t)list[k]);
		settle(w);
	}
}

static void choose(struct work *w)
{
	struct mir_func *f = w->f;

	guess(w);
	for (uint32_t v = 1; v < f->nvregs; v++)
		w->units += w->uniform[v] ? f->vregs[v].units : 0;
	collect(w);
	for (uint32_t v = 1; v < f->nvregs; v++) {
		if (!w->uniform[v])
			continue;
		look_at_all(w, w->makers[v]);
		look_at_all(w, w->users[v]);
		settle(w);
	}
	keep_best(w);
}

/*
 * Rewriting.
 */

static struct mir_ref constant(struct work *w, const struct sass_operand *o)
{
	struct mir_func *f = w->f;
	struct constant *c = w->constants;
	struct mir_source from = {.op = *o}, to;
	struct mir_inst *last = f->blocks[f->entry].last;

	while (c && (c->bank != o->aux || c->offset != o->value))
		c = c->next;
	if (c)
		return c->in;
	c = arena_alloc(f->arena, sizeof(*c));
	*c = (struct constant){o->aux, o->value, {mir_vreg_new(f, SASS_UGPR, 1), 0}, w->constants};
	w->constants = c;
	from.op.flags = 0;
	to = mir_reg(SASS_UGPR, c->in);
	mir_insert(f, f->entry, last && last->terminator ? last : NULL, mir_move(f, to, from));
	return c->in;
}

static void rewrite_maker(struct work *w, uint32_t b, struct mir_inst *i)
{
	struct sass_inst twin;

	find_twin(w, i, w->f->blocks[b].depth, &twin);
	for (uint32_t k = 0; k < twin.nops; k++) {
		if (i->sass.ops[k].kind == SASS_CONST && twin.ops[k].kind == SASS_UGPR)
			i->ref[k] = constant(w, &i->sass.ops[k]);
	}
	i->sass = twin;
	i->uses = NULL;
}

static void rewrite_inst(struct work *w, uint32_t b, struct mir_inst *i)
{
	uint32_t k;

	if (makes(w, i)) {
		rewrite_maker(w, b, i);
		return;
	}
	k = choose_operand(w, i);
	if (k < SASS_MAX_OPERANDS)
		put_in_place(i, k, find_place(w, i, k));
}

static void rewrite_phi(struct work *w, uint32_t b, const struct mir_phi *phi)
{
	uint32_t n = w->f->blocks[b].npreds * w->f->vregs[phi->vreg].units;

	for (uint32_t k = 0; k < n && w->uniform[phi->vreg]; k++) {
		if (phi->args[k].op.kind == SASS_GPR)
			turn(&phi->args[k].op, phi->args[k].ref);
	}
}

static void rewrite(struct work *w)
{
	struct mir_func *f = w->f;
	uint32_t nvregs = f->nvregs;

	mir_for_each_block(f, b) {
		for (uint32_t p = 0; p < f->blocks[b].nphis; p++)
			rewrite_phi(w, b, &f->blocks[b].phis[p]);
		mir_for_each(f, b, i)
			if (i->sass.op != SASS_ULDC) /* is new */
				rewrite_inst(w, b, i);
	}
	for (uint32_t v = 1; v < nvregs; v++) {
		if (w->uniform[v])
			f->vregs[v].kind = SASS_UGPR;
	}
	f->live = false;
}

/* Reductions use uniform registers for a moment, also where lanes are apart; so may functions that
 * are called. */
static bool has_others(const struct mir_func *f)
{
	for (uint32_t v = 1; v < f->nvregs; v++) {
		if (f->vregs[v].kind == SASS_UGPR)
			return true;
	}
	return f->clobbering_calls;
}

void nv_uniform_registers(struct mir_func *f)
{
	struct work w = {.f = f};

	f->uniform = f->uniform && f->ir->kind == IR_KERNEL && !has_others(f);
	if (!f->uniform)
		return;
	w.apart = nv_divergent_blocks(f);
	w.uniform = arena_array(f->arena, f->nvregs, sizeof(*w.uniform));
	w.weight = arena_array(f->arena, f->nvregs, sizeof(*w.weight));
	w.made = arena_array(f->arena, f->nvregs, sizeof(*w.made));
	w.makers = arena_array(f->arena, f->nvregs, sizeof(struct mention *));
	w.users = arena_array(f->arena, f->nvregs, sizeof(struct mention *));
	w.gone = arena_array(f->arena, f->nvregs, sizeof(*w.gone));
	choose(&w);
	f->uniform = w.units;
	if (w.units)
		rewrite(&w);
}
