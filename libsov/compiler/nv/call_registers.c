// SPDX-License-Identifier: MIT
/*
 * Interprocedural register allocation. A function that is only called directly, and calls only such
 * functions, is compiled before its callers. Register allocation chooses where it expects its
 * arguments and where it leaves its results, and its callers keep what they need after the call in
 * registers that it does not change. Other functions use memory (frame.c): recursive ones, those
 * whose address is taken, device services, and callers of such functions.
 *
 * In relocatable objects all functions have NVIDIA's calling convention, which defines the
 * registers of arguments and results and those that a callee preserves (call_abi.c), so that any
 * function may be compiled before or after its callers. Moves between these registers and those
 * that register allocation has chosen are inserted at calls, at a function's start and its ends.
 *
 * Until the frame is laid out, a call has the values that it passes as additional operands; at a
 * function's start a NOP defines the arguments, at its end a NOP reads the results. Values that
 * have no operand left are passed in call slots.
 */
#include <string.h>
#include "libsov/compiler/mir/parallel_copy.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"
#include "libsov/compiler/nv/spill.h"

/* A call has two operands of its own, an indirect one three, and its target. */
#define MAX_RESULTS         2
#define MAX_CALL_PASSED     6
#define MAX_INDIRECT_PASSED 4

struct nv_callee *nv_known_callee(const struct nv_module *n, uint32_t function)
{
	return n->callees ? n->callees[function] : NULL;
}

static uint32_t lower_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The first of the values that NVIDIA's calling convention passes in registers. */
static uint32_t first_in_registers(const uint8_t (*regs)[2], uint32_t count)
{
	uint32_t n = 0;

	while (n < count && n < NV_MAX_PASSED && regs[n][0] != NV_NOT_PASSED)
		n++;
	return n;
}

static struct nv_passed passed_in_registers(const struct nv_callee *known, const struct ir_func *f)
{
	if (!known)
		return (struct nv_passed){0};
	if (!known->abi)
		return (struct nv_passed){f->nargs, lower_of(f->nresults, MAX_RESULTS)};
	return (struct nv_passed){first_in_registers(known->args, f->nargs),
				  first_in_registers(known->results, f->nresults)};
}

struct nv_passed nv_passed_by_call(const struct nv_callee *known, const struct ir_func *callee)
{
	uint32_t max = callee->kind == IR_PROTOTYPE ? MAX_INDIRECT_PASSED : MAX_CALL_PASSED;
	struct nv_passed p = passed_in_registers(known, callee);

	p.args = lower_of(p.args, max - lower_of(p.results, MAX_RESULTS));
	p.results = lower_of(p.results, max - p.args);
	return p;
}

struct nv_passed nv_passed_by_function(const struct nv_callee *own, const struct ir_func *f)
{
	return own && own->abi ? passed_in_registers(own, f) : nv_passed_by_call(own, f);
}

/* ---- registers that a callee changes ---- */

/* No value is ever in these. */
static bool is_reserved(const struct mir_func *f, uint32_t reg)
{
	return reg == MIR_STACK || reg == MIR_RETURN || reg == MIR_RETURN + 1 ||
	       reg == mir_scratch_reg(f);
}

uint32_t nv_clear_registers(const struct mir_func *f, const struct nv_callee *known, uint32_t units)
{
	uint32_t count = 0;

	if (!known->abi)
		return known->nchanges + units;
	for (uint32_t r = 0; units && r < MIR_GPRS; r++) {
		if (is_reserved(f, r))
			continue;
		count++;
		units -= !bitset_has(known->changes, r);
	}
	return count + units;
}

uint32_t nv_changed_registers(const struct mir_func *f, const struct nv_callee *known,
			      uint32_t count)
{
	uint32_t changed = 0;

	if (!known->abi)
		return lower_of(known->nchanges, count);
	for (uint32_t r = 0; count && r < MIR_GPRS; r++) {
		if (is_reserved(f, r))
			continue;
		count--;
		changed += bitset_has(known->changes, r);
	}
	return changed;
}

/* ---- which functions ---- */

struct call_order {
	const struct ir_module *m;
	uint32_t *pending; /* by function: calls of functions that are not in the order yet */
	uint32_t *first,
		*callers; /* callers of f: callers[first[f]] to callers[first[f + 1] - 1] */
	uint32_t *order, count;
};

/* Adds the calls of one function: with callers = NULL counts those of g in first[g + 2], else
 * advances first[g + 1]. */
static void add_calls(struct call_order *c, const struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (in->op == IR_CALL && c->m->table[in->symbol]->preserve_all)
				continue;
			if (in->op != IR_CALL && in->op != IR_CALLPTR)
				continue;
			if (c->callers) {
				c->callers[c->first[in->symbol + 1]++] = f->index;
			} else {
				c->pending[f->index]++;
				c->first[in->symbol + 2]++;
			}
		}
}

/* Only the compiler's own functions are preserve_all, and they call none. Others need a module that
 * contains all callers. */
static bool has_known_callers(const struct nv_module *n, const struct ir_func *f)
{
	const struct compile_options *o = &n->job->options;

	if (f->preserve_all)
		return true;
	return f->kind == IR_FUNCTION && !n->address_taken[f->index] && !o->relocatable &&
	       !o->library && !o->unoptimised;
}

static void add_to_order(struct nv_module *n, struct call_order *c, const struct ir_func *f)
{
	if (c->pending[f->index] || !has_known_callers(n, f))
		return;
	c->order[c->count++] = f->index;
	n->callees[f->index] = arena_alloc(&n->job->arena, sizeof(*n->callees[0]));
}

uint32_t nv_order_callees(struct nv_module *n, const struct ir_module *m, uint32_t **order)
{
	struct arena *a = &n->job->arena;
	struct call_order c = {.m = m};

	n->callees = arena_array(a, m->nfuncs + 1, sizeof(struct nv_callee *));
	c.pending = arena_array(a, m->nfuncs + 1, sizeof(*c.pending));
	c.first = arena_array(a, m->nfuncs + 3, sizeof(*c.first));
	*order = c.order = arena_array(a, m->nfuncs + 1, sizeof(*c.order));
	for (uint32_t k = 0; k < m->nfuncs && n->job->options.relocatable; k++)
		if (nv_call_uses_abi(n->job, m->table[k]))
			n->callees[k] = nv_abi_callee(a, m->table[k]);
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		add_calls(&c, f);
	for (uint32_t k = 0; k <= m->nfuncs; k++)
		c.first[k + 2] += c.first[k + 1];
	c.callers = arena_array(a, c.first[m->nfuncs + 2] + 1, sizeof(*c.callers));
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		add_calls(&c, f);
	for (int preserving = 1; preserving >= 0; preserving--)
		for (const struct ir_func *f = m->funcs; f; f = f->next)
			if (f->preserve_all == (bool)preserving)
				add_to_order(n, &c, f);
	for (uint32_t k = 0; k < c.count; k++) {
		uint32_t f = c.order[k];

		for (uint32_t j = c.first[f]; j < c.first[f + 1]; j++) {
			c.pending[c.callers[j]]--;
			add_to_order(n, &c, m->table[c.callers[j]]);
		}
	}
	return c.count;
}

/* ---- operands ---- */

void mir_pass(struct mir_inst *i, uint32_t k, struct mir_source value, uint32_t units,
	      uint32_t half)
{
	value.op.aux = (uint8_t)units;
	value.op.value = half;
	mir_set_operand(i, i->first_passed + k, value);
}

static bool is_passed(const struct sass_operand *o)
{
	return o->kind == SASS_GPR;
}

/* ---- moves ---- */

struct moves {
	struct mir_func *f;
	uint32_t block;
	struct mir_inst *before;
	struct copy_item items[2 * NV_MAX_PASSED]; /* locations are 1 + register */
	uint32_t count;
};

static void insert_move(struct moves *m, uint32_t to, uint32_t from)
{
	struct mir_inst *i =
		mir_move(m->f, (struct mir_source){.op = {.kind = SASS_GPR, .reg = (uint8_t)to}},
			 (struct mir_source){.op = {.kind = SASS_GPR, .reg = (uint8_t)from}});

	mir_insert(m->f, m->block, m->before, i);
}

static void emit_item(void *context, uint32_t k)
{
	struct moves *m = context;

	if (m->items[k].dst != m->items[k].src)
		insert_move(m, m->items[k].dst - 1, m->items[k].src - 1);
}

/* No value is in a function's scratch register. That of a kernel may be the callee's argument, but
 * R20 is free before a call, which sets the return address last, and after it. */
static uint32_t save_item(void *context, uint32_t k)
{
	struct moves *m = context;
	uint32_t scratch =
		m->f->ir->kind == IR_FUNCTION ? mir_scratch_reg(m->f) : (uint32_t)MIR_RETURN;

	insert_move(m, scratch, m->items[k].src - 1);
	return 1 + scratch;
}

static void add_item(struct moves *m, uint32_t to, uint32_t from)
{
	m->items[m->count++] = (struct copy_item){.dst = 1 + to, .src = 1 + from};
}

static void emit_moves(struct moves *m)
{
	parallel_copy_sequentialise(&(struct parallel_copy){.items = m->items,
							    .count = m->count,
							    .break_last = true,
							    .context = m,
							    .emit = emit_item,
							    .save = save_item});
}

/* Adds the words of an operand: from its registers to those of the other side, or back. RZ is every
 * word of a zero. */
static void add_operand(struct moves *m, const struct sass_operand *o, const uint8_t *regs,
			bool back)
{
	for (uint32_t u = 0; is_passed(o) && u < o->aux; u++) {
		uint32_t own = o->reg == SASS_RZ ? SASS_RZ : o->reg + u, other = regs[o->value + u];

		if (other == NV_NOT_PASSED)
			continue;
		if (back)
			add_item(m, own, other);
		else
			add_item(m, other, own);
	}
}

const uint8_t *nv_passed_registers(const struct mir_inst *call, uint32_t k)
{
	static const uint8_t target[] = {MIR_CALLEE, MIR_CALLEE + 1};

	if (k >= call->passed_reads)
		return call->known->results[k - call->passed_reads];
	return call->indirect && k + 1 == call->passed_reads ? target : call->known->args[k];
}

static void lower_call(struct mir_func *f, uint32_t b, struct mir_inst *i)
{
	struct mir_inst *after = i->next;
	struct moves to = {.f = f, .block = b, .before = i};
	struct moves back = {.f = f, .block = b, .before = after};

	nv_save_across_call(f, b, i);

	for (uint32_t k = i->first_passed; k < i->sass.nops; k++) {
		uint32_t n = k - i->first_passed;
		bool result = n >= i->passed_reads;

		add_operand(result ? &back : &to, &i->sass.ops[k], nv_passed_registers(i, n),
			    result);
	}
	emit_moves(&to);
	emit_moves(&back);
	nv_restore_after_call(f, b, i, after);
	i->sass.nops = i->first_passed;
	i->passes = false;
	i->uses = NULL;
}

static void set_registers(uint8_t (*regs)[2], const struct mir_inst *i)
{
	for (uint32_t k = 0; k < i->sass.nops; k++) {
		const struct sass_operand *o = &i->sass.ops[k];

		for (uint32_t u = 0; is_passed(o) && u < o->aux; u++)
			regs[k][o->value + u] = (uint8_t)(o->reg + u);
	}
}

/* Without a calling convention, callers put the arguments where the function wants them. */
static void lower_start(struct mir_func *f, uint32_t b, struct mir_inst *i)
{
	struct moves m = {.f = f, .block = b, .before = i};

	if (!f->own->abi)
		set_registers(f->own->args, i);
	for (uint32_t k = 0; f->own->abi && k < i->sass.nops; k++)
		add_operand(&m, &i->sass.ops[k], f->own->args[k], true);
	emit_moves(&m);
	mir_remove(f, b, i);
}

/* Every end of the function leaves its results where the first one does. */
static void lower_end(struct mir_func *f, uint32_t b, struct mir_inst *i, bool first)
{
	struct moves m = {.f = f, .block = b, .before = i};

	if (first && !f->own->abi)
		set_registers(f->own->results, i);
	for (uint32_t k = 0; k < i->sass.nops; k++)
		add_operand(&m, &i->sass.ops[k], f->own->results[k], false);
	emit_moves(&m);
	mir_remove(f, b, i);
}

void nv_lower_passed(struct mir_func *f)
{
	bool first_end = true;

	nv_layout_call_saves(f);
	if (f->own && !f->own->abi) {
		memset(f->own->args, NV_NOT_PASSED, sizeof(f->own->args));
		memset(f->own->results, NV_NOT_PASSED, sizeof(f->own->results));
	}
	mir_for_each_block(f, b)
		mir_for_each_safe(f, b, i) {
			if (!i->passes)
				continue;
			if (i->known) {
				lower_call(f, b, i);
			} else if (i->passed_reads) {
				lower_end(f, b, i, first_end);
				first_end = false;
			} else {
				lower_start(f, b, i);
			}
		}
}

/* ---- what a function changes ---- */

static void add_changes(struct nv_callee *own, const struct mir_inst *i)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(&i->sass, uses);

	for (uint32_t u = 0; u < n; u++) {
		for (uint32_t k = 0; uses[u].write && k < uses[u].count; k++) {
			if (uses[u].kind == SASS_GPR)
				bitset_add(own->changes, uses[u].reg + k);
			own->changes_uniform |= uses[u].kind == SASS_UGPR;
		}
	}
	if (i->sass.op == SASS_BSSY)
		own->barriers |= 1u << i->sass.ops[0].reg;
	if (!i->known)
		return;
	own->weight += i->known->weight;
	for (uint32_t w = 0; w < NV_CHANGE_WORDS; w++)
		own->changes[w] |= i->known->changes[w];
	own->changes_uniform |= i->known->changes_uniform;
	own->uses_stack |= i->known->uses_stack;
	own->barriers |= i->known->barriers;
}

static bool has_unknown_calls(const struct mir_func *f)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			if (mir_is_call(i) && !i->known)
				return true;
	return false;
}

void nv_find_changes(const struct mir_func *f)
{
	struct nv_callee *own = f->own;

	if (!own)
		return;
	own->uses_stack = f->frame_bytes || has_unknown_calls(f);
	own->weight = nv_weigh_instructions(f);
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			add_changes(own, i);
	/* The caller's moves change what the function itself may only read. */
	for (uint32_t k = 0; k < NV_MAX_PASSED; k++)
		for (uint32_t half = 0; half < 2; half++)
			if (own->args[k][half] != NV_NOT_PASSED)
				bitset_add(own->changes, own->args[k][half]);
	/* Its callers keep nothing in these. */
	bitset_remove(own->changes, MIR_STACK);
	bitset_remove(own->changes, MIR_RETURN);
	bitset_remove(own->changes, MIR_RETURN + 1);
	bitset_remove(own->changes, SASS_RZ);
	own->nchanges = 0;
	bitset_for_each(own->changes, 256, r) own->nchanges++;
	if (own->weight > NV_MAX_WEIGHT)
		own->weight = NV_MAX_WEIGHT;
}

/* ---- what calls change ---- */

/* Called for each call of a known function with the units that are live across it. */
typedef void live_call(struct mir_func *f, uint32_t b, struct mir_inst *call,
		       const struct unit_set *live, void *context);

/* What a call writes is not live across it: all units of a register that it is the first to write,
 * or the units themselves. */
static void kill_results(const struct mir_func *f, struct mir_inst *call, struct unit_set *live)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, call, &n);

	for (uint32_t u = 0; u < n; u++) {
		const struct mir_vreg *v = &f->vregs[uses[u].ref.vreg];
		bool leads = v->first_def == call;
		uint32_t from = v->first_unit + (leads ? 0 : uses[u].ref.part);
		uint32_t count = leads ? v->units : uses[u].count;

		for (uint32_t k = 0; uses[u].write && uses[u].ref.vreg && k < count; k++)
			unit_set_remove(live, from + k);
	}
}

/* Walks a block backwards, up to its first call. */
static void visit_calls_in(struct mir_func *f, uint32_t b, const struct mir_inst *first,
			   struct unit_set *live, live_call *visit, void *context)
{
	unit_set_assign(live, &f->blocks[b].live_out);
	for (struct mir_inst *i = f->blocks[b].last; i; i = i != first ? i->prev : NULL) {
		if (i->known) {
			kill_results(f, i, live);
			visit(f, b, i, live, context);
		}
		nv_live_before(f, live, i);
	}
}

static void visit_calls(struct mir_func *f, live_call *visit, void *context)
{
	struct unit_set live = {0};

	mir_for_each_block(f, b) {
		const struct mir_inst *first = f->blocks[b].first;

		while (first && !first->known)
			first = first->next;
		if (!first)
			continue;
		if (!live.words)
			live = unit_set_new(f->arena, f->nunits);
		visit_calls_in(f, b, first, &live, visit, context);
	}
}

static void add_set(const struct mir_func *f, uint64_t **sets, uint32_t vreg, const uint64_t *set)
{
	if (!sets[vreg])
		sets[vreg] = arena_array(f->arena, NV_CHANGE_WORDS, sizeof(*sets[vreg]));
	for (uint32_t w = 0; w < NV_CHANGE_WORDS; w++)
		sets[vreg][w] |= set[w];
}

static void add_changed(struct mir_func *f, uint32_t b, struct mir_inst *call,
			const struct unit_set *live, void *context)
{
	struct nv_changed *c = context;

	(void)b;
	c->calls = true;
	c->saving_calls |= call->saves;
	for (uint32_t w = 0; w < NV_CHANGE_WORDS; w++)
		c->unchanged[w] &= ~call->known->changes[w];
	unit_set_for_each(live, unit)
	{
		uint32_t v = f->unit_vreg[unit];

		if (f->vregs[v].kind != SASS_GPR)
			continue;
		add_set(f, c->avoided, v, call->known->changes);
		if (!call->saves)
			add_set(f, c->changed, v, call->known->changes);
	}
}

void nv_find_changed(struct mir_func *f, struct nv_changed *c)
{
	*c = (struct nv_changed){0};
	for (uint32_t w = 0; w < NV_CHANGE_WORDS; w++)
		c->unchanged[w] = f->own && f->own->abi ? ~f->own->changes[w] : ~UINT64_C(0);
	c->changed = arena_array(f->arena, f->nvregs, sizeof(uint64_t *));
	c->avoided = arena_array(f->arena, f->nvregs, sizeof(uint64_t *));
	visit_calls(f, add_changed, c);
}

static void set_saved(struct mir_func *f, uint32_t b, struct mir_inst *call,
		      const struct unit_set *live, void *context)
{
	(void)b;
	(void)context;
	call->saved = NULL;
	if (!call->saves)
		return;
	unit_set_for_each(live, unit)
	{
		const struct mir_vreg *v = &f->vregs[f->unit_vreg[unit]];
		uint32_t reg = v->reg + unit - v->first_unit;

		if (v->kind != SASS_GPR || !bitset_has(call->known->changes, reg))
			continue;
		if (!call->saved)
			call->saved = bitset_new(f->arena, MIR_RESOURCES);
		bitset_add(call->saved, reg);
	}
}

void nv_find_saved(struct mir_func *f)
{
	visit_calls(f, set_saved, NULL);
}

/* ---- around which calls registers may be saved ---- */

struct saving {
	uint64_t cost, work; /* weighted: stores and loads; the callees' instructions */
	uint32_t highest;    /* 1 + highest register that a callee changes */
};

static void add_saving(struct mir_func *f, uint32_t b, struct mir_inst *call,
		       const struct unit_set *live, void *context)
{
	struct saving *s = context;
	uint32_t count = 0;

	bitset_for_each(call->known->changes, 256, r) s->highest =
		r < s->highest ? s->highest : r + 1;
	if (call->preserve_all || !call->saves)
		return;
	s->work += call->known->weight * spill_weight(f->blocks[b].depth);
	unit_set_for_each(live, unit) count += f->vregs[f->unit_vreg[unit]].kind == SASS_GPR;
	count = count < call->known->nchanges ? count : call->known->nchanges;
	s->cost += 2 * count * spill_weight(f->blocks[b].depth);
}

/* A function with NVIDIA's calling convention preserves registers itself. */
static bool may_save(const struct mir_inst *i)
{
	return i->known && !i->known->abi;
}

static bool has_calls_to_save_around(struct mir_func *f)
{
	if (!f->calls)
		return false;
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			if (may_save(i) && !i->preserve_all)
				return true;
	return false;
}

static void set_saves(struct mir_func *f, bool all)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			i->saves = i->known && (i->preserve_all || (all && may_save(i)));
}

void nv_choose_saving_calls(struct mir_func *f)
{
	struct saving s = {0};
	uint32_t reserved = nv_reserved_gprs(f) + MIR_HARDWARE_GPRS, before, after, registers;

	if (!has_calls_to_save_around(f))
		return;
	nv_liveness(f);
	set_saves(f, false);
	registers = nv_max_pressure(f) + reserved;
	/* What does not fit is spilled around the calls. */
	if (registers > f->gprs + MIR_HARDWARE_GPRS)
		return;
	before = nv_partition_warps(f->sm, registers);
	set_saves(f, true);
	visit_calls(f, add_saving, &s);
	registers = nv_max_pressure(f) + reserved;
	if (s.highest + MIR_HARDWARE_GPRS > registers)
		registers = s.highest + MIR_HARDWARE_GPRS;
	after = nv_partition_warps(f->sm, registers);
	if (after <= before || s.cost * NV_WARPS_SHARE * before >
				       (nv_weigh_instructions(f) + s.work) * (after - before))
		set_saves(f, false);
}
