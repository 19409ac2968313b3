// SPDX-License-Identifier: MIT
/*
 * Inlining: replaces a call of a small function by the function's body. It runs before SSA
 * construction, when values cross blocks in mutable registers: call arguments replace the callee's
 * arg instructions, results go through new registers, and every return branches to the code after
 * the call. Variables of the callee's frame are copied to the caller's, once per call site.
 *
 * The pass does not inline recursive functions, functions with dynamic stack allocation, functions
 * without a body, or calls that would let the caller outgrow MAX_GROWN or the module its budget.
 * inline-sync-callees runs first, for targets whose divergent lanes cannot join a warp sync inside
 * of a called function: it inlines functions that contain sync sites or aligned syncs, whatever
 * their size.
 * drop_unreachable_functions later removes functions that no kernel reaches and whose address is
 * not taken.
 */
#include <string.h>
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/call_graph.h"
#include "libsov/compiler/passes/pass.h"

#define MAX_CALLEE      400   /* instructions of a callee */
#define MAX_GROWN       20000 /* instructions of a caller */
/* Growth of all callers together: a constant, and a multiple of the module's instructions. */
#define MODULE_GROWTH   200000
#define GROWTH_PER_INST 4

/* ---- which calls ---- */

struct inliner {
	struct ir_func *f;
	struct ir_module *m;
	const struct ir_call_facts *facts;
	uint32_t copies; /* of variables, for unique names */
	bool (*wanted)(struct inliner *s, uint32_t callee);
	/* Copies of the callee's variables, plus 1, by symbol, during one inlining; those that have
	 * one. */
	uint32_t *copy_of, symbols_capacity, *copied, copied_count, copied_capacity;
};

static bool is_small(struct inliner *s, uint32_t callee)
{
	return s->m->table[callee]->ninsts <= MAX_CALLEE;
}

static bool has_sync(struct inliner *s, uint32_t callee)
{
	return s->m->table[callee]->ninsts <= MAX_GROWN && s->facts[callee].sync;
}

/*
 * Each function with two calls of the next one: inlining would double the code with every function.
 * The module's budget keeps time and memory linear in the size of the text. Functions come before
 * their callers, so they may use half of it only: the rest is for kernels.
 */
static bool budget_allows(const struct inliner *s, const struct ir_func *callee)
{
	struct ir_module *m = s->m;
	uint64_t limit;

	if (!m->inline_limit) {
		m->inline_limit = MODULE_GROWTH;
		for (const struct ir_func *f = m->funcs; f; f = f->next)
			m->inline_limit += (uint64_t)GROWTH_PER_INST * f->ninsts;
	}
	limit = s->f->kind == IR_KERNEL ? m->inline_limit : m->inline_limit / 2;
	return m->inlined + callee->ninsts <= limit;
}

/* A dynamic allocation, inlined, would live until the caller returns. */
static bool may_inline(struct inliner *s, uint32_t callee)
{
	const struct ir_func *g = s->m->table[callee];

	return g->kind == IR_FUNCTION && !g->preserve_all && g != s->f &&
	       s->f->ninsts <= MAX_GROWN && s->wanted(s, callee) &&
	       !s->facts[callee].dynamic_frame && !s->facts[callee].recursive &&
	       budget_allows(s, g);
}

/* ---- copying ---- */

struct copy {
	struct inliner *s;
	const struct ir_func *from;
	const ir_val *args; /* of the call */
	/* maps of the callee's values, blocks, registers and variables to the caller's */
	ir_val *values;
	ir_block *blocks;
	uint32_t *regs;
	uint32_t *results; /* registers */
	ir_block after;    /* the code after the call */
};

/* A variable of the callee's frame is copied to the caller's; others are shared. */
static uint32_t map_symbol(struct copy *c, uint32_t symbol)
{
	struct inliner *in = c->s;
	struct ir_module *m = in->m;
	struct ir_symbol s = m->symbols[symbol];
	struct text name = {.arena = m->arena};

	if (s.owner != c->from)
		return symbol;
	in->copy_of = arena_grow(m->arena, in->copy_of, &in->symbols_capacity, symbol + 1,
				 sizeof(*in->copy_of));
	if (!in->copy_of[symbol]) {
		text_printf(&name, "%s$%s$%u", s.name, in->f->name, in->copies++);
		s.name = name.s;
		s.owner = in->f;
		in->copy_of[symbol] = ir_symbol_new(m, &s) + 1;
		in->copied = arena_grow(m->arena, in->copied, &in->copied_capacity,
					in->copied_count + 1, sizeof(*in->copied));
		in->copied[in->copied_count++] = symbol;
	}
	return in->copy_of[symbol] - 1;
}

/* The next inlining of the same function gets its own copies. */
static void forget_copies(struct inliner *s)
{
	while (s->copied_count)
		s->copy_of[s->copied[--s->copied_count]] = 0;
}

static void copy_inst(struct copy *c, ir_block to, const struct ir_inst *old)
{
	struct ir_func *f = c->s->f;
	struct ir_inst in = *old, *now;
	ir_id i;

	if (in.op == IR_ARG) {
		c->values[in.res] = c->args[in.imm];
		return;
	}
	if (in.op == IR_RET) { /* writes of the results follow once all values are copied */
		ir_append(f, to, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
		return;
	}
	i = ir_inst_new(f, in.op, in.type, in.args, in.nargs, in.nres);
	now = ir_at(f, i);
	in.res = now->res;
	in.args = now->args;
	in.block = in.prev = in.next = 0;
	if (in.op == IR_READ || in.op == IR_WRITE)
		in.symbol = c->regs[in.symbol];
	else if (ir_ops[in.op].attributes & A_SYMBOL)
		in.symbol = map_symbol(c, in.symbol);
	*ir_at(f, i) = in;
	for (uint32_t k = 0; k < in.nres; k++) {
		f->values[in.res + k].type = c->from->values[old->res + k].type;
		c->values[old->res + k] = in.res + k;
	}
	ir_append(f, to, i);
}

/* Maps the arguments of a copied block and adds its edges in the order of the phi arguments. */
static void connect_block(struct copy *c, ir_block b)
{
	const struct ir_bb *old = &c->from->blocks[b];
	const struct ir_inst *end = ir_at(c->from, old->last);
	struct ir_func *f = c->s->f;
	ir_block to = c->blocks[b];
	struct ir_bb *bb = &f->blocks[to];

	ir_for_each_inst(f, to, i)
		for (uint32_t k = 0; k < ir_at(f, i)->nargs; k++)
			ir_at(f, i)->args[k] = c->values[ir_at(f, i)->args[k]];
	bb->preds = arena_array(f->module->arena, old->npreds, sizeof(*bb->preds));
	bb->npreds = bb->preds_capacity = old->npreds;
	for (uint32_t k = 0; k < old->npreds; k++)
		bb->preds[k] = c->blocks[old->preds[k]];
	for (bb->nsucc = 0; bb->nsucc < old->nsucc; bb->nsucc++)
		bb->succ[bb->nsucc] = c->blocks[old->succ[bb->nsucc]];
	if (end->op != IR_RET)
		return;
	for (uint32_t k = 0; k < end->nargs; k++) {
		ir_val v = c->values[end->args[k]];
		ir_id i = ir_inst_new(f, IR_WRITE, f->values[v].type, &v, 1, 0);

		ir_at(f, i)->symbol = c->results[k];
		ir_insert_before(f, f->blocks[to].last, i);
	}
	ir_edge(f, to, c->after);
}

/* Replaces the call's results by reads of the result registers. */
static void read_results(struct copy *c, const struct ir_inst *call)
{
	struct ir_func *f = c->s->f;

	for (uint32_t k = 0; k < call->nres; k++) {
		ir_val v = call->res + k;
		ir_id i = ir_inst_new(f, IR_READ, f->values[v].type, NULL, 0, 1);

		ir_at(f, i)->symbol = c->results[k];
		ir_at(f, i)->res = v;
		f->values[v].def = i;
		ir_insert_before(f, f->blocks[c->after].first, i);
	}
}

static void inline_call(struct inliner *s, ir_id i)
{
	struct ir_func *f = s->f;
	const struct ir_inst call = *ir_at(f, i);
	const struct ir_func *g = s->m->table[call.symbol];
	struct arena *a = s->m->arena;
	uint32_t before = f->ninsts;
	struct copy c = {
		.s = s,
		.from = g,
		.args = call.args,
		.values = arena_array(a, g->nvalues, sizeof(*c.values)),
		.blocks = arena_array(a, g->nblocks, sizeof(*c.blocks)),
		.regs = arena_array(a, g->nregs, sizeof(*c.regs)),
		.results = arena_array(a, call.nres, sizeof(*c.results)),
		.after = cfg_split_block(f, call.next),
	};

	for (uint32_t r = 1; r < g->nregs; r++)
		c.regs[r] = ir_reg_new(f, g->reg_types[r]);
	for (uint32_t k = 0; k < call.nres; k++)
		c.results[k] = ir_reg_new(f, f->values[call.res + k].type);
	ir_for_each_block(g, b)
		c.blocks[b] = ir_block_new_before(f, c.after, NULL);
	ir_for_each_block(g, b)
		f->blocks[c.blocks[b]].rolled = g->blocks[b].rolled;
	ir_for_each_block(g, b)
		ir_for_each_inst(g, b, k)
			copy_inst(&c, c.blocks[b], ir_at(g, k));
	ir_for_each_block(g, b)
		connect_block(&c, b);
	read_results(&c, &call);
	ir_remove(f, i);
	ir_append(f, call.block, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(f, call.block, c.blocks[g->entry]);
	f->ssa = false;
	forget_copies(s);
	s->m->inlined += f->ninsts - before;
}

/* Visits inlined bodies too: their blocks come next in the layout. */
static bool inline_calls(struct ir_func *f, bool (*wanted)(struct inliner *s, uint32_t callee))
{
	struct inliner s = {
		.f = f, .m = f->module, .facts = call_facts(f->module), .wanted = wanted};
	bool changed = false;

	for (ir_block b = f->entry; b; b = f->blocks[b].next) {
		ir_for_each_inst(f, b, i) {
			if (ir_at(f, i)->op != IR_CALL || !may_inline(&s, ir_at(f, i)->symbol))
				continue;
			inline_call(&s, i);
			changed = true;
			break; /* the rest of the block is a new block */
		}
	}
	return changed;
}

bool pass_inline(struct ir_func *f, const struct target *t)
{
	(void)t;
	return inline_calls(f, is_small);
}

bool pass_inline_sync_callees(struct ir_func *f, const struct target *t)
{
	return t->lacks & TARGET_SYNC_IN_CALLEES && inline_calls(f, has_sync);
}

/* ---- unreachable functions ---- */

static void keep_function(bool *kept, uint32_t *stack, uint32_t *n, uint32_t function)
{
	if (!kept[function]) {
		kept[function] = true;
		stack[(*n)++] = function;
	}
}

void drop_unreachable_functions(struct ir_module *m)
{
	bool *kept = arena_array(m->arena, m->nfuncs, sizeof(*kept));
	uint32_t *stack = arena_array(m->arena, m->nfuncs, sizeof(*stack)), n = 0;
	struct ir_func **link = &m->funcs;

	for (uint32_t k = 0; k < m->nfuncs; k++)
		if (m->table[k]->kind == IR_KERNEL ||
		    (m->relocatable && m->table[k]->kind == IR_FUNCTION &&
		     m->table[k]->linkage != IR_LINK_STATIC))
			keep_function(kept, stack, &n, k);
	for (uint32_t k = 0; k < m->nsymbols; k++)
		for (uint32_t j = 0; j < m->symbols[k].naddresses; j++)
			if (m->symbols[k].addresses[j].function)
				keep_function(kept, stack, &n, m->symbols[k].addresses[j].target);
	if (!n && !m->relocatable) /* a library: keep everything */
		return;
	while (n) {
		const struct ir_func *g = m->table[stack[--n]];

		ir_for_each_block(g, b)
			ir_for_each_inst(g, b, i)
				if (ir_ops[ir_at(g, i)->op].attributes & A_FUNC)
					keep_function(kept, stack, &n, ir_at(g, i)->symbol);
	}
	m->last_func = NULL;
	while (*link) {
		if (kept[(*link)->index]) {
			m->last_func = *link;
			link = &(*link)->next;
		} else {
			(*link)->kind = IR_EXTERNAL; /* keeps the declaration */
			*link = (*link)->next;
		}
	}
}
