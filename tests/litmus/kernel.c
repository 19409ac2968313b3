// SPDX-License-Identifier: MIT
/*
 * Generates the kernels of a litmus test as PTX.
 *
 * "litmus" runs pairs × LITMUS_LANES instances of the test, each on its own variables. The blocks
 * that execute one set of instances are neighbours in the grid: thread t of the test runs in block
 * group t of the set. Blocks behind them are stress: they load and store other lines. Each thread
 * of the test, when its partners run (by polling a counter, with a limit), may load what it
 * will read weakly, so that stale lines are in its L1; waits a random time; executes its operations
 * and stores its registers. "collect" then counts the outcomes in a histogram.
 *
 * All waiting has a limit, so that a kernel ends whatever the machine does.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/litmus/litmus.h"

#define SHARED_PITCH     16u /* bytes from instance to instance in shared memory */
/* Variables in shared memory begin in different banks. */
#define SHARED_VAR_PITCH (SHARED_PITCH * LITMUS_LANES + 16u)

struct text {
	char *data;
	size_t length, capacity;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (o->capacity - o->length < 4096) {
		o->capacity = 2 * o->capacity + 8192;
		o->data = realloc(o->data, o->capacity);
		if (!o->data)
			abort();
	}
	va_start(ap, fmt);
	n = vsnprintf(o->data + o->length, o->capacity - o->length, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= o->capacity - o->length)
		abort();
	o->length += (size_t)n;
}

/* ---- where threads run and variables lie ---- */

static uint32_t roles(const struct litmus_test *t, uint32_t group)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < t->program.threads; k++)
		n += t->blocks[k] == group;
	return n;
}

uint32_t litmus_groups(const struct litmus_test *t)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < t->program.threads; k++)
		if (t->blocks[k] >= n)
			n = t->blocks[k] + 1u;
	return n;
}

static uint32_t max_roles(const struct litmus_test *t)
{
	uint32_t n = 0;

	for (uint32_t g = 0; g < litmus_groups(t); g++)
		if (roles(t, g) > n)
			n = roles(t, g);
	return n;
}

uint32_t litmus_block_threads(const struct litmus_test *t)
{
	return max_roles(t) * LITMUS_LANES;
}

static bool is_shared(const struct litmus_test *t, uint32_t var)
{
	return t->space == LITMUS_SHARED || t->space == LITMUS_GENERIC_SHARED ||
	       (t->space == LITMUS_MIXED && t->program.line[var]);
}

static bool uses_shared(const struct litmus_test *t)
{
	for (uint32_t v = 0; v < t->program.vars; v++)
		if (is_shared(t, v))
			return true;
	return false;
}

/* ".global", ".shared", or nothing for a generic address. */
static const char *space_of(const struct litmus_test *t, uint32_t var)
{
	if (t->space == LITMUS_GENERIC_GLOBAL || t->space == LITMUS_GENERIC_SHARED)
		return "";
	return is_shared(t, var) ? ".shared" : ".global";
}

/* ---- operations ---- */

static const char *scope_text(const struct litmus_op *o)
{
	static const char *const scopes[] = {".cta", ".cluster", ".gpu", ".sys"};

	return o->order == LITMUS_WEAK || o->order == LITMUS_VOLATILE ? "" : scopes[o->scope];
}

static const char *order_text(const struct litmus_op *o)
{
	static const char *const orders[] = {".weak",    ".volatile", ".relaxed", ".acquire",
					     ".release", ".acq_rel",  ".sc"};

	return orders[o->order];
}

/* The elements of a vector operand, or a register. Padding uses %pad. */
static void put_data(struct text *o, const struct litmus_op *op, uint32_t first_register)
{
	uint32_t reg = first_register + op->reg;

	put(o, op->width > 1 ? "{" : "");
	for (uint32_t k = 0; k < op->width; k++) {
		if (k)
			put(o, ", ");
		if (op->var[k] == LITMUS_PADDING)
			put(o, "%%pad");
		else if (op->kind == LITMUS_LOAD)
			put(o, "%%v%u", reg++);
		else
			put(o, "%%data");
	}
	put(o, op->width > 1 ? "}" : "");
}

static void put_access(struct text *o, const struct litmus_test *t, uint32_t thread,
		       const struct litmus_op *op)
{
	uint32_t first = t->program.first_register[thread];
	const char *vector = op->width == 4 ? ".v4" : op->width == 2 ? ".v2" : "";
	const char *space = space_of(t, op->var[0]);
	static const char *const rmws[] = {"exch.b32", "add.u32", "cas.b32"};

	if (op->kind != LITMUS_LOAD && op->value_is_register)
		put(o, "\tmov.u32 %%data, %%v%u;\n", first + (uint32_t)op->value);
	else if (op->kind != LITMUS_LOAD)
		put(o, "\tmov.u32 %%data, %d;\n", op->value);
	put(o, "\t");
	switch (op->kind) {
	case LITMUS_LOAD:
		put(o, "ld%s%s%s%s.u32 ", order_text(op), scope_text(op), space, vector);
		put_data(o, op, first);
		put(o, ", [%%a%u];\n", op->var[0]);
		break;
	case LITMUS_STORE:
		put(o, "st%s%s%s%s.u32 [%%a%u], ", order_text(op), scope_text(op), space, vector,
		    op->var[0]);
		put_data(o, op, first);
		put(o, ";\n");
		break;
	default:
		put(o, "%s%s%s%s.%s ", op->kind == LITMUS_RED ? "red" : "atom", order_text(op),
		    scope_text(op), space, rmws[op->rmw]);
		if (op->kind == LITMUS_ATOM)
			put(o, "%%v%u, ", first + op->reg);
		put(o, "[%%a%u]", op->var[0]);
		if (op->rmw == LITMUS_CAS)
			put(o, ", %d", op->compare);
		put(o, ", %%data;\n");
	}
}

/* A thread may wait for its first variable if reading it has no other effect. */
static bool can_poll(const struct litmus_op *op)
{
	if (op->width > 1 || op->order == LITMUS_WEAK)
		return false;
	return op->kind == LITMUS_LOAD ||
	       (op->kind == LITMUS_ATOM && op->rmw == LITMUS_ADD && !op->value);
}

static bool polls(const struct litmus_test *t, uint32_t thread)
{
	return t->program.op_count[thread] > 1 && can_poll(&t->program.ops[thread][0]);
}

static void put_operations(struct text *o, const struct litmus_test *t, uint32_t thread,
			   bool polling)
{
	const struct litmus_program *p = &t->program;
	static const char *const levels[] = {"cta", "cta", "gl", "sys"};

	for (uint32_t k = 0; k < p->op_count[thread]; k++) {
		const struct litmus_op *op = &p->ops[thread][k];

		if (op->kind == LITMUS_BARRIER) {
			put(o, "\tbar.sync 1, %u;\n", roles(t, t->blocks[thread]) * LITMUS_LANES);
		} else if (op->kind == LITMUS_FENCE && op->is_membar) {
			put(o, "\tmembar.%s;\n", levels[op->scope]);
		} else if (op->kind == LITMUS_FENCE) {
			put(o, "\tfence%s%s;\n", order_text(op), scope_text(op));
		} else if (!k && polling) {
			put(o, "\tmov.u32 %%n, %%polls;\nPOLL_%u:\n", thread);
			put_access(o, t, thread, op);
			put(o,
			    "\tsetp.ne.u32 %%p, %%v%u, 0;\n"
			    "\t@%%p bra SEEN_%u;\n"
			    "\tsetp.eq.u32 %%p, %%n, 0;\n"
			    "\t@%%p bra SEEN_%u;\n"
			    "\tsub.u32 %%n, %%n, 1;\n"
			    "\tbra POLL_%u;\nSEEN_%u:\n",
			    p->first_register[thread] + op->reg, thread, thread, thread, thread);
		} else {
			put_access(o, t, thread, op);
		}
	}
}

/* ---- the test's kernel ---- */

static const char head[] =
	".address_size 64\n"
	".visible .entry litmus(.param .u64 vars, .param .u64 regs, .param .u64 scratch,\n"
	"\t.param .u64 histogram, .param .u32 pitch, .param .u32 var_pitch, .param .u32 pairs,\n"
	"\t.param .u32 seed, .param .u32 delay, .param .u32 stress, .param .u32 polls,\n"
	"\t.param .u32 touch, .param .u32 rendezvous, .param .u32 shift)\n"
	"{\n"
	"\t.reg .pred %p;\n"
	"\t.reg .b32 %thread, %block, %group, %pair, %role, %lane, %i, %h, %n, %pad, %data, %sum;\n"
	"\t.reg .b32 %polls, %t0, %t1, %v<8>;\n"
	"\t.reg .b64 %vars, %regs, %scratch, %w, %a<4>;\n";

static const char prologue[] = "\tld.param.u64 %vars, [vars];\n"
			       "\tld.param.u64 %regs, [regs];\n"
			       "\tld.param.u64 %scratch, [scratch];\n"
			       "\tcvta.to.global.u64 %vars, %vars;\n"
			       "\tcvta.to.global.u64 %regs, %regs;\n"
			       "\tcvta.to.global.u64 %scratch, %scratch;\n"
			       "\tld.param.u32 %polls, [polls];\n"
			       "\tmov.u32 %thread, %tid.x;\n"
			       "\tmov.u32 %block, %ctaid.x;\n"
			       "\tmov.u32 %sum, 0;\n"
			       "\tmov.u32 %pad, 0;\n";

/* Stress: loads and stores in lines of their own, at random addresses. */
static void put_stress(struct text *o)
{
	put(o,
	    "STRESS:\n"
	    "\tld.param.u32 %%n, [stress];\n"
	    "\tld.param.u32 %%h, [seed];\n"
	    "\tmad.lo.u32 %%h, %%block, 40503, %%h;\n"
	    "\tmad.lo.u32 %%h, %%thread, 7919, %%h;\n"
	    "AGAIN:\n"
	    "\tsetp.eq.u32 %%p, %%n, 0;\n"
	    "\t@%%p bra DONE;\n"
	    "\tsub.u32 %%n, %%n, 1;\n"
	    "\tmad.lo.u32 %%h, %%h, 1664525, 1013904223;\n"
	    "\tshr.u32 %%t0, %%h, 8;\n"
	    "\tand.b32 %%t0, %%t0, %u;\n"
	    "\tcvt.u64.u32 %%w, %%t0;\n"
	    "\tadd.u64 %%w, %%w, %%scratch;\n"
	    "\tld.volatile.global.u32 %%t1, [%%w+%u];\n"
	    "\tadd.u32 %%t1, %%t1, %%h;\n"
	    "\tst.volatile.global.u32 [%%w+%u], %%t1;\n"
	    "\tbra AGAIN;\n",
	    (LITMUS_STRESS_BYTES - 1) & ~3u, 4 * LITMUS_MAX_PAIRS, 4 * LITMUS_MAX_PAIRS);
}

/* Which instance this thread runs, and in which role. */
static void put_identity(struct text *o, const struct litmus_test *t)
{
	uint32_t groups = litmus_groups(t), n = max_roles(t);

	put(o,
	    "\tld.param.u32 %%t0, [pairs];\n"
	    "\tmul.lo.u32 %%t0, %%t0, %u;\n"
	    "\tsetp.ge.u32 %%p, %%block, %%t0;\n"
	    "\t@%%p bra STRESS;\n"
	    "\tdiv.u32 %%pair, %%block, %u;\n"
	    "\trem.u32 %%group, %%block, %u;\n",
	    groups, groups, groups);
	if (t->placement == LITMUS_SAME_WARP)
		put(o, "\trem.u32 %%role, %%thread, %u;\n\tdiv.u32 %%lane, %%thread, %u;\n", n, n);
	else
		put(o, "\tdiv.u32 %%role, %%thread, %u;\n\trem.u32 %%lane, %%thread, %u;\n",
		    LITMUS_LANES, LITMUS_LANES);
	put(o,
	    "\tld.param.u32 %%t0, [shift];\n"
	    "\tmad.lo.u32 %%lane, %%group, %%t0, %%lane;\n"
	    "\tand.b32 %%lane, %%lane, %u;\n"
	    "\tmad.lo.u32 %%i, %%pair, %u, %%lane;\n"
	    "\tld.param.u32 %%h, [seed];\n"
	    "\tmad.lo.u32 %%h, %%i, 40503, %%h;\n"
	    "\tmad.lo.u32 %%h, %%role, 7919, %%h;\n"
	    "\tmad.lo.u32 %%h, %%group, 104729, %%h;\n"
	    "\tmad.lo.u32 %%h, %%h, 1664525, 1013904223;\n"
	    "\tshr.u32 %%h, %%h, 10;\n",
	    LITMUS_LANES - 1, LITMUS_LANES);
}

static void put_addresses(struct text *o, const struct litmus_test *t)
{
	const struct litmus_program *p = &t->program;

	for (uint32_t v = 0; v < p->vars; v++) {
		if (is_shared(t, v)) {
			put(o,
			    "\tmov.u64 %%a%u, variables;\n"
			    "\tmul.wide.u32 %%w, %%lane, %u;\n"
			    "\tadd.u64 %%a%u, %%a%u, %%w;\n"
			    "\tadd.u64 %%a%u, %%a%u, %u;\n"
			    "\tst.shared.u32 [%%a%u], 0;\n",
			    v, SHARED_PITCH, v, v, v, v,
			    p->line[v] * SHARED_VAR_PITCH + 4u * p->element[v], v);
			if (t->space == LITMUS_GENERIC_SHARED)
				put(o, "\tcvta.shared.u64 %%a%u, %%a%u;\n", v, v);
			continue;
		}
		put(o,
		    "\tld.param.u32 %%t0, [pitch];\n"
		    "\tmul.wide.u32 %%w, %%i, %%t0;\n"
		    "\tadd.u64 %%a%u, %%vars, %%w;\n"
		    "\tld.param.u32 %%t0, [var_pitch];\n"
		    "\tmul.wide.u32 %%w, %%t0, %u;\n"
		    "\tadd.u64 %%a%u, %%a%u, %%w;\n"
		    "\tadd.u64 %%a%u, %%a%u, %u;\n",
		    v, p->line[v], v, v, v, v, 4u * p->element[v]);
		if (t->space == LITMUS_GENERIC_GLOBAL)
			put(o, "\tcvta.global.u64 %%a%u, %%a%u;\n", v, v);
	}
}

/* Waits, with a limit, until all blocks of the set run; then all threads of the block begin. */
static void put_rendezvous(struct text *o, const struct litmus_test *t)
{
	put(o,
	    "\tmul.wide.u32 %%w, %%pair, 4;\n"
	    "\tadd.u64 %%w, %%w, %%scratch;\n"
	    "\tld.param.u32 %%n, [rendezvous];\n"
	    "\tsetp.eq.u32 %%p, %%n, 0;\n"
	    "\t@%%p bra READY;\n"
	    "\tsetp.ne.u32 %%p, %%thread, 0;\n"
	    "\t@%%p bra POLL;\n"
	    "\tred.relaxed.gpu.global.add.u32 [%%w], 1;\n"
	    "POLL:\n"
	    "\tld.relaxed.gpu.global.u32 %%t0, [%%w];\n"
	    "\tsetp.ge.u32 %%p, %%t0, %u;\n"
	    "\t@%%p bra READY;\n"
	    "\tsub.u32 %%n, %%n, 1;\n"
	    "\tsetp.ne.u32 %%p, %%n, 0;\n"
	    "\t@%%p bra POLL;\n"
	    "READY:\n"
	    "\tbar.sync 0;\n",
	    litmus_groups(t));
}

/* Jumps to the code of the thread of the test that this thread executes. */
static void put_dispatch(struct text *o, const struct litmus_test *t)
{
	for (uint32_t g = 0; g < litmus_groups(t); g++) {
		uint32_t role = 0;

		for (uint32_t k = 0; k < t->program.threads; k++)
			if (t->blocks[k] == g)
				put(o,
				    "\tshl.b32 %%t0, %%group, 8;\n"
				    "\tadd.u32 %%t0, %%t0, %%role;\n"
				    "\tsetp.eq.u32 %%p, %%t0, %u;\n"
				    "\t@%%p bra THREAD_%u;\n",
				    g << 8 | role++, k);
	}
	put(o, "\tbra FINISH;\n");
}

/* Loads the variables that the thread will read weakly. */
static void put_touches(struct text *o, const struct litmus_test *t, uint32_t thread)
{
	const struct litmus_program *p = &t->program;

	put(o,
	    "\tld.param.u32 %%t0, [touch];\n"
	    "\tsetp.eq.u32 %%p, %%t0, 0;\n"
	    "\t@%%p bra TOUCHED_%u;\n",
	    thread);
	for (uint32_t k = 0; k < p->op_count[thread]; k++) {
		const struct litmus_op *op = &p->ops[thread][k];

		if (op->kind == LITMUS_LOAD && op->order == LITMUS_WEAK)
			put(o,
			    "\tld.weak%s.u32 %%t1, [%%a%u];\n"
			    "\tadd.u32 %%sum, %%sum, %%t1;\n",
			    space_of(t, op->var[0]), op->var[0]);
	}
	put(o, "TOUCHED_%u:\n", thread);
}

static void put_results(struct text *o, const struct litmus_program *p, uint32_t thread)
{
	if (p->register_count[thread])
		put(o,
		    "\tmul.wide.u32 %%w, %%i, %u;\n"
		    "\tadd.u64 %%w, %%w, %%regs;\n",
		    4 * p->registers);
	for (uint32_t k = 0; k < p->register_count[thread]; k++)
		put(o, "\tst.global.u32 [%%w+%u], %%v%u;\n", 4 * (p->first_register[thread] + k),
		    p->first_register[thread] + k);
	put(o, "\tbra FINISH;\n");
}

/* The code of one thread of the test: with a loop that polls its first variable, and in one basic
 * block, in which the compiler could reorder. */
static void put_thread(struct text *o, const struct litmus_test *t, uint32_t thread)
{
	put(o, "THREAD_%u:\n", thread);
	put_touches(o, t, thread);
	put(o,
	    "\tld.param.u32 %%n, [delay];\n"
	    "\tand.b32 %%n, %%n, %%h;\n"
	    "DELAY_%u:\n"
	    "\tsetp.eq.u32 %%p, %%n, 0;\n"
	    "\t@%%p bra GO_%u;\n"
	    "\tsub.u32 %%n, %%n, 1;\n"
	    "\tmad.lo.u32 %%sum, %%sum, 1664525, %%n;\n"
	    "\tbra DELAY_%u;\n"
	    "GO_%u:\n",
	    thread, thread, thread, thread);
	if (polls(t, thread)) {
		put(o,
		    "\tsetp.eq.u32 %%p, %%polls, 0;\n"
		    "\t@%%p bra PLAIN_%u;\n",
		    thread);
		put_operations(o, t, thread, true);
		put_results(o, &t->program, thread);
		put(o, "PLAIN_%u:\n", thread);
	}
	put_operations(o, t, thread, false);
	put_results(o, &t->program, thread);
}

/* Copies final values of shared variables to global memory, for "collect". */
static void put_finish(struct text *o, const struct litmus_test *t)
{
	const struct litmus_program *p = &t->program;

	put(o, "FINISH:\n");
	if (uses_shared(t)) {
		put(o, "\tbar.sync 0;\n"
		       "\tsetp.ne.u32 %%p, %%role, 0;\n"
		       "\t@%%p bra DONE;\n");
		for (uint32_t v = 0; v < p->vars; v++)
			if (is_shared(t, v))
				put(o,
				    "\tld%s.u32 %%t1, [%%a%u];\n"
				    "\tld.param.u32 %%t0, [pitch];\n"
				    "\tmul.wide.u32 %%w, %%i, %%t0;\n"
				    "\tadd.u64 %%a%u, %%vars, %%w;\n"
				    "\tld.param.u32 %%t0, [var_pitch];\n"
				    "\tmul.wide.u32 %%w, %%t0, %u;\n"
				    "\tadd.u64 %%a%u, %%a%u, %%w;\n"
				    "\tst.global.u32 [%%a%u+%u], %%t1;\n",
				    space_of(t, v), v, v, p->line[v], v, v, v, 4u * p->element[v]);
	}
	/* The sum is never read, but the compiler cannot know. */
	put(o,
	    "DONE:\n"
	    "\tsetp.ne.u32 %%p, %%sum, 0x12345679;\n"
	    "\t@%%p bra END;\n"
	    "\tst.global.u32 [%%scratch+%u], %%sum;\n"
	    "END:\n"
	    "\tret;\n"
	    "}\n",
	    4 * LITMUS_MAX_PAIRS + LITMUS_STRESS_BYTES);
}

/* ---- counting ---- */

static void put_collect(struct text *o, const struct litmus_test *t)
{
	const struct litmus_program *p = &t->program;

	put(o,
	    ".visible .entry collect(.param .u64 vars, .param .u64 regs, .param .u64 scratch,\n"
	    "\t.param .u64 histogram, .param .u32 pitch, .param .u32 var_pitch,\n"
	    "\t.param .u32 pairs, .param .u32 seed, .param .u32 delay, .param .u32 stress,\n"
	    "\t.param .u32 polls, .param .u32 touch, .param .u32 rendezvous, .param .u32 shift)\n"
	    "{\n"
	    "\t.reg .b32 %%i, %%index, %%t0, %%t1;\n"
	    "\t.reg .b64 %%vars, %%regs, %%histogram, %%w, %%a;\n"
	    "\tld.param.u64 %%vars, [vars];\n"
	    "\tld.param.u64 %%regs, [regs];\n"
	    "\tld.param.u64 %%histogram, [histogram];\n"
	    "\tcvta.to.global.u64 %%vars, %%vars;\n"
	    "\tcvta.to.global.u64 %%regs, %%regs;\n"
	    "\tcvta.to.global.u64 %%histogram, %%histogram;\n");
	put(o,
	    "\tmov.u32 %%t0, %%ctaid.x;\n"
	    "\tmov.u32 %%t1, %%tid.x;\n"
	    "\tmad.lo.u32 %%i, %%t0, %u, %%t1;\n"
	    "\tmov.u32 %%index, 0;\n"
	    "\tmul.wide.u32 %%w, %%i, %u;\n"
	    "\tadd.u64 %%regs, %%regs, %%w;\n"
	    "\tld.param.u32 %%t0, [pitch];\n"
	    "\tmul.wide.u32 %%w, %%i, %%t0;\n"
	    "\tadd.u64 %%vars, %%vars, %%w;\n"
	    "\tld.param.u32 %%t0, [var_pitch];\n",
	    LITMUS_LANES, 4 * p->registers);
	for (uint32_t k = 0; k < p->observables; k++) {
		uint32_t v = k < p->registers ? 0 : p->final_var[k - p->registers];

		if (k < p->registers)
			put(o, "\tld.global.u32 %%t1, [%%regs+%u];\n", 4 * k);
		else
			put(o,
			    "\tmul.wide.u32 %%w, %%t0, %u;\n"
			    "\tadd.u64 %%a, %%vars, %%w;\n"
			    "\tld.global.u32 %%t1, [%%a+%u];\n",
			    p->line[v], 4u * p->element[v]);
		put(o,
		    "\tmin.u32 %%t1, %%t1, %u;\n"
		    "\tshl.b32 %%t1, %%t1, %u;\n"
		    "\tor.b32 %%index, %%index, %%t1;\n",
		    LITMUS_VALUES - 1, LITMUS_BITS * k);
	}
	put(o, "\tmul.wide.u32 %%w, %%index, 4;\n"
	       "\tadd.u64 %%w, %%w, %%histogram;\n"
	       "\tred.global.add.u32 [%%w], 1;\n"
	       "\tret;\n"
	       "}\n");
}

static bool uses_clusters(const struct litmus_program *p)
{
	for (uint32_t t = 0; t < p->threads; t++)
		for (uint32_t k = 0; k < p->op_count[t]; k++)
			if (p->ops[t][k].scope == LITMUS_CLUSTER)
				return true;
	return false;
}

char *litmus_ptx(const struct litmus_test *t)
{
	struct text o = {0};

	put(&o, "// %s: %s\n.version 7.8\n.target %s\n", t->name, t->text,
	    uses_clusters(&t->program) ? "sm_90" : "sm_70");
	put(&o, "%s", head);
	if (uses_shared(t))
		put(&o, "\t.shared .align 16 .b8 variables[%u];\n", SHARED_VAR_PITCH * LITMUS_VARS);
	put(&o, "%s", prologue);
	put_identity(&o, t);
	put_addresses(&o, t);
	put_rendezvous(&o, t);
	put_dispatch(&o, t);
	for (uint32_t k = 0; k < t->program.threads; k++)
		put_thread(&o, t, k);
	put_stress(&o);
	put_finish(&o, t);
	put_collect(&o, t);
	return o.data;
}
