// SPDX-License-Identifier: MIT
/*
 * The verifier reports each fault with its message: first faults that text can express, then faults
 * that only a program can create in a valid module.
 */
#include "tests/userspace/compiler/ir/_ir_test.h"

/* Faults in text. BODY is the entry block of a kernel with a parameter and some values. */
#define HEAD \
	"kernel k(n: 4 at 0, p: 8 at 8) {\ne:\n\t%a = const.b32 0\n\t%b = const.b64 0\n\t%c = " \
	"const.b1 0\n\t"
#define BODY(line) HEAD line "\n\tret\n}\n"
#define IN(fault)  "ir: kernel k, block e: " fault "\n"

static const struct {
	const char *text, *message;
} faults[] = {
	/* counts and types */
	{BODY("%1 = add.b32 %a"), IN("'%4 = add.b32 %1': 1 arguments, not 2")},
	{BODY("store.b32 global [%b]"), IN("'store.b32 global [%2]': 1 arguments, not 2 to 5")},
	{BODY("barrier sync"), IN("'barrier sync': 0 arguments, not 1 to 2")},
	{BODY("barrier sync %a, %a, %a"), IN("'barrier sync %1, %1, %1': 3 arguments, not 1 to 2")},
	{BODY("%1 = add.b32 %a, %b"), IN("'%4 = add.b32 %1, %2': argument 2 is b64, not b32")},
	{BODY("%1 = select.b32 %a, %a, %a"),
	 IN("'%4 = select.b32 %1, %1, %1': argument 1 is b32, not b1")},
	{BODY("%1 = shl.b64 %b, %b"), IN("'%4 = shl.b64 %2, %2': argument 2 is b64, not b32")},
	{BODY("%1 = mulwide.u.b64 %b, %b"),
	 IN("'%4 = mulwide.u.b64 %2, %2': argument 1 is b64, not b32")},
	{BODY("%1 = pack.b32 %a, %a"), IN("'%4 = pack.b32 %1, %1': argument 1 is b32, not b16")},
	{BODY("%1, %2 = unpack.b32 %b"),
	 IN("'%4, %5 = unpack.b32 %2': argument 1 is b64, not b32")},
	{BODY("%1, %2 = shuffle.b32 up %a, %b, %a, %a"),
	 IN("'%4, %5 = shuffle.b32 up %1, %2, %1, %1': argument 2 is b64, not b32")},
	{BODY("%1 = load.b32 global [%c]"),
	 IN("'%4 = load.b32 global [%3]': the address is b1, not b32 or b64")},
	/* conversions */
	{BODY("%1 = zext.b32 from b32 %a"),
	 IN("'%4 = zext.b32 from b32 %1': 'zext' to b32 needs a narrower source type")},
	{BODY("%1 = trunc.b32 from b32 %a"),
	 IN("'%4 = trunc.b32 from b32 %1': 'trunc' to b32 needs a wider source type")},
	{BODY("%1 = sext.b64 from b32 %b"),
	 IN("'%4 = sext.b64 from b32 %2': argument 1 is b64, not b32")},
	/* floats */
	{BODY("%1 = fadd.b64 ftz %b, %b"), IN("'%4 = fadd.b64 ftz %2, %2': b64 has no ftz")},
	{BODY("%1 = fmin.b32 rz %a, %a"),
	 IN("'%4 = fmin.b32 rz %1, %1': 'fmin' has no rounding, sat, contract or nan")},
	{BODY("%1 = fma.b32 contract %a, %a, %a"),
	 IN("'%4 = fma.b32 contract %1, %1, %1': 'fma' has no rounding, sat, contract or nan")},
	/* memory */
	{BODY("%1 = load.b32 global as b64 [%b]"),
	 IN("'%4 = load.b32 global as b64 [%2]': the type in memory is wider than the type, or "
	    "none")},
	{BODY("%1 = atom.b32 add global relaxed gpu as b8 [%b], %a"),
	 IN("'%4 = atom.b32 add global relaxed gpu as b8 [%2], %1': 'atom' cannot have a different "
	    "type in memory")},
	{BODY("%1, %2 = atom.b64 exch global relaxed gpu [%b], %b"),
	 IN("'%4, %5 = atom.b64 exch global relaxed gpu [%2], %2': 2 arguments, not 3 for 2 "
	    "results")},
	{BODY("%1, %2 = atom.b64 add global relaxed gpu [%b], %b, %b"),
	 IN("'%4, %5 = atom.b64 add global relaxed gpu [%2], %2, %2': only cas and exch have two "
	    "elements, of "
	    "b64")},
	{BODY("%1, %2 = cas.b32 global relaxed gpu [%b], %a, %a, %a, %a"),
	 IN("'%4, %5 = cas.b32 global relaxed gpu [%2], %1, %1, %1, %1': only cas and exch have "
	    "two elements, of "
	    "b64")},
	{BODY("%1 = cas.b64 global relaxed gpu [%b], %b"),
	 IN("'%4 = cas.b64 global relaxed gpu [%2], %2': 2 arguments, not 3 to 5")},
	{BODY("%1 = cas.b64 local relaxed gpu [%b], %b, %b"),
	 IN("'%4 = cas.b64 local relaxed gpu [%2], %2, %2': 'cas' needs memory that threads share; "
	    "local memory is private")},
	{BODY("%1 = load.b32 global align 3 [%b]"),
	 IN("'%4 = load.b32 global align 3 [%2]': alignment 3 is not a power of two")},
	{BODY("%1 = load.b32 global align 0 [%b]"),
	 IN("'%4 = load.b32 global align 0 [%2]': alignment 0 is not a power of two")},
	{BODY("%1, %2, %3 = load.b32 global [%b]"),
	 IN("'%4, %5, %6 = load.b32 global [%2]': vectors have 2 or 4 elements")},
	{BODY("store.b32 param [%b], %a"),
	 IN("'store.b32 param [%2], %1': param memory cannot be written")},
	{BODY("store.b32 global invariant [%b], %a"),
	 IN("'store.b32 global invariant [%2], %1': only a load is sext or invariant")},
	{BODY("store.b32 global fetch64 [%b], %a"),
	 IN("'store.b32 global fetch64 [%2], %1': only a load fetches more than it reads")},
	{BODY("%1 = load.b32 shared policy [%b], %b"),
	 IN("'%4 = load.b32 shared policy [%2], %2': shared memory has no cache policy")},
	{BODY("store.b32 global policy [%b], %b"),
	 IN("'store.b32 global policy [%2], %2': 1 arguments, not 2 to 5")},
	{BODY("%1 = load.b32 global sext [%b]"),
	 IN("'%4 = load.b32 global sext [%2]': sext without a narrower type in memory")},
	{BODY("%1 = load.b32 global volatile invariant [%b]"),
	 IN("'%4 = load.b32 global volatile invariant [%2]': volatile and invariant contradict "
	    "each other")},
	{BODY("%1 = load.b64 param [12]"),
	 IN("'%4 = load.b64 param [12]': reads beyond the parameters, which have 16 bytes")},
	{BODY("%1 = load.b64 param [0xfffffffffffffff8]"),
	 IN("'%4 = load.b64 param [18446744073709551608]': reads beyond the parameters, which have "
	    "16 bytes")},
	{BODY("%1 = load.b32 global release gpu [%b]"),
	 IN("'%4 = load.b32 global release gpu [%2]': 'load' cannot have this memory order")},
	{BODY("store.b32 global acquire gpu [%b], %a"),
	 IN("'store.b32 global acquire gpu [%2], %1': 'store' cannot have this memory order")},
	{BODY("%1 = atom.b32 add global [%b], %a"),
	 IN("'%4 = atom.b32 add global [%2], %1': 'atom' cannot have this memory order")},
	{BODY("%1 = load.b32 global relaxed [%b]"),
	 IN("'%4 = load.b32 global relaxed [%2]': a scope requires a memory order, and an order a "
	    "scope")},
	{BODY("%1 = load.b32 global gpu [%b]"),
	 IN("'%4 = load.b32 global gpu [%2]': a scope requires a memory order, and an order a "
	    "scope")},
	{BODY("fence relaxed gpu"),
	 IN("'fence relaxed gpu': 'fence' cannot have this memory order")},
	/* clusters */
	{BODY("storeasync %a, %a, %a, %a, %a"),
	 IN("'storeasync %1, %1, %1, %1, %1': 3 words, not 1, 2 or 4")},
	{BODY("mbarrier.remote arrive.nocomplete %a, %a, %a"),
	 IN("'mbarrier.remote arrive.nocomplete %1, %1, %1': no arrival at a remote barrier has "
	    ".nocomplete")},
	{BODY("redasync.b64 min.u %b, %a, %a"),
	 IN("'redasync.b64 min.u %2, %1, %1': no asynchronous reduction of this type")},
	{BODY("bulkcopy multicast %a, %b, %a, %a"),
	 IN("'bulkcopy multicast %1, %2, %1, %1': a bulk copy to several blocks has 4 arguments")},
	/* others */
	{BODY("%1 = tospace.b64 generic %b"),
	 IN("'%4 = tospace.b64 generic %2': generic is not a space to convert to or from")},
	{BODY("%1 = vote.b32 all %c, %a"),
	 IN("'%4 = vote.b32 all %3, %1': a ballot is b32 and other votes are b1")},
	{BODY("%1 = vote.b1 ballot %c, %a"),
	 IN("'%4 = vote.b1 ballot %3, %1': a ballot is b32 and other votes are b1")},
	{BODY("%1 = barrier.red.b32 or %a, %c"),
	 IN("'%4 = barrier.red.b32 or %1, %3': popc is b32, and and or are b1")},
	{BODY("%1 = logic3.b32 0x100, %a, %a, %a"),
	 IN("'%4 = logic3.b32 0x100, %1, %1, %1': the truth table of three arguments has 8 bits")},
	{BODY("%1 = alloca.b32 24, %a"),
	 IN("'%4 = alloca.b32 0x18, %1': an alignment is a power of two up to 1024")},
	{BODY("%1 = fadd.b32 bf16 %a, %a"),
	 IN("'%4 = fadd.b32 bf16 %1, %1': bf16 has 16 bits, a pair of halves 32")},
	{BODY("%1 = fadd.b32 f16x2 rz %a, %a"),
	 IN("'%4 = fadd.b32 f16x2 rz %1, %1': 16-bit arithmetic rounds to nearest only")},
	{BODY("%1 = fcmp.b32 eq f16x2 %a, %a"),
	 IN("'%4 = fcmp.b32 eq f16x2 %1, %1': 'fcmp' does not work on pairs")},
	{BODY("%1 = fadd.b32 nan %a, %a"),
	 IN("'%4 = fadd.b32 nan %1, %1': 'fadd' has no rounding, sat, contract or nan")},
	{BODY("%1 = ftof.b32 from b32 %a"),
	 IN("'%4 = ftof.b32 from b32 %1': 'ftof' to b32 does not accept this source type")},
	{BODY("%1 = ftof.b64 tf32 from b32 %a"),
	 IN("'%4 = ftof.b64 tf32 from b32 %1': 'ftof' to b64 does not accept this source type")},
	{BODY("%1 = ftof.b32 tf32 ftz from b32 %a"),
	 IN("'%4 = ftof.b32 tf32 ftz from b32 %1': this operation does not support tf32 or 8-bit "
	    "floats")},
	{BODY("%1 = fadd.b32 tf32 %a, %a"),
	 IN("'%4 = fadd.b32 tf32 %1, %1': this operation does not support tf32 or 8-bit floats")},
	{BODY("%1 = ftof.b16 e4m3x2 rz from b32 %a"),
	 IN("'%4 = ftof.b16 e4m3x2 rz from b32 %1': this operation does not support tf32 or 8-bit "
	    "floats")},
	{BODY("%1 = ftof.b64 e5m2x2 from b32 %a"),
	 IN("'%4 = ftof.b64 e5m2x2 from b32 %1': this operation does not support tf32 or 8-bit "
	    "floats")},
	{BODY("barrier arrive %a"), IN("'barrier arrive %1': arrive needs a number of threads")},
	/* graph and dominance */
	{"kernel k() {\n}\n", "ir: kernel k: no blocks\n"},
	{"kernel k() {\ne:\n}\n", IN("does not end in br, cbr, ret, exit or trap")},
	{"kernel k() {\ne:\n\tbr e\n}\n", IN("the entry has predecessors")},
	{"kernel k() {\ne:\n\tbr f\nf:\n\t%1 = const.b32 0\n\t%2 = phi.b32 [e: %1]\n\tret\n}\n",
	 "ir: kernel k, block f: '%2 = phi.b32 [e: %1]': a phi after other instructions\n"},
	{"kernel k() {\ne:\n\t%1 = neg.b32 %2\n\t%2 = const.b32 0\n\tret\n}\n",
	 IN("'%1 = neg.b32 %2': argument 1 does not dominate this use")},
	{"kernel k() {\ne:\n\t%1 = neg.b32 %1\n\tret\n}\n",
	 IN("'%1 = neg.b32 %1': argument 1 does not dominate this use")},
	{"kernel k() {\ne:\n\t%c = const.b1 0\n\tcbr %c, f, g\nf:\n\t%1 = const.b32 0\n\tbr g\n"
	 "g:\n\t%2 = neg.b32 %1\n\tret\n}\n",
	 "ir: kernel k, block g: '%3 = neg.b32 %2': argument 1 does not dominate this use\n"},
	{"kernel k() {\ne:\n\t%c = const.b1 0\n\tcbr %c, f, g\nf:\n\t%1 = const.b32 0\n\tbr g\n"
	 "g:\n\t%2 = phi.b32 [e: %1], [f: %1]\n\tret\n}\n",
	 "ir: kernel k, block g: '%3 = phi.b32 [e: %2], [f: %2]': argument 1 does not dominate "
	 "this use\n"},
	/* parameters, variables, names */
	{"kernel k() required_threads 64 1 0 {\ne:\n\tret\n}\n",
	 "ir: kernel k: required_threads 64 1 0: a block has 1 to 1024 threads\n"},
	{"kernel k() required_threads 64 17 1 {\ne:\n\tret\n}\n",
	 "ir: kernel k: required_threads 64 17 1: a block has 1 to 1024 threads\n"},
	{"kernel k() max_threads 4294967295 1 0 {\ne:\n\tret\n}\n",
	 "ir: kernel k: max_threads 4294967295 1 0: a block has 1 to 1024 threads\n"},
	{"kernel k(n: 0 at 0) {\ne:\n\tret\n}\n",
	 "ir: kernel k: parameter n has a size of 0 bytes\n"},
	{"kernel k(n: 4 at 2) {\ne:\n\tret\n}\n",
	 "ir: kernel k: parameter n at 2 is not aligned to 4, or that is not a power of two\n"},
	{"kernel k(n: 12 at 0) {\ne:\n\tret\n}\n",
	 "ir: kernel k: parameter n at 0 is not aligned to 12, or that is not a power of two\n"},
	{"kernel k(n: 8 at 0, m: 4 at 4) {\ne:\n\tret\n}\n",
	 "ir: kernel k: parameter m at 4 overlaps the one before it\n"},
	{"kernel k() {\ne:\n\tret\n}\nkernel k() {\ne:\n\tret\n}\n",
	 "ir: kernel k: another kernel has this name\n"},
	{"param @a align 4 size 4\n", "ir: variable @a is in a space that has no variables\n"},
	{"shared @a align 6 size 4\n",
	 "ir: variable @a has an alignment that is not a power of two\n"},
	{"external shared @a align 4 size 4\n",
	 "ir: variable @a is external, but only shared variables of size 0 may be\n"},
	{"shared @a align 4 size 1 = 00\n",
	 "ir: variable @a has initial bytes, which only global and constant variables may have\n"},
	{"local @a align 4 size 4\n",
	 "ir: variable @a is local outside of a function, or inside and not local\n"},
	{"global @a align 8 size 8\naddress @a + 0 = variable @a + 0 bytes 8 shift 0\n",
	 "ir: variable @a has a relocation beyond its initial bytes\n"},
	{"global @a align 1 size 2 = 00 00\naddress @a + 1 = variable @a + 0 bytes 2 shift 0\n",
	 "ir: variable @a has a relocation beyond its initial bytes\n"},
	{"global @a align 1 size 2 = 00 00\naddress @a + 0 = variable @a + 0 bytes 2 shift 56\n",
	 "ir: variable @a has a relocation with invalid bytes or shift\n"},
	/* calls */
	{"function f(b32) -> (b32) {\ne:\n\tret\n}\n",
	 "ir: function f, block e: 'ret': 0 arguments, not 1\n"},
	{"function f(b32) -> (b64) {\ne:\n\t%1 = arg.b32 0\n\tret %1\n}\n",
	 "ir: function f, block e: 'ret %1': argument 1 is b32, not b64\n"},
	{"function f(b32) {\ne:\n\t%1 = arg.b32 1\n\tret\n}\n",
	 "ir: function f, block e: '%1 = arg.b32 0x1': the function has no such argument\n"},
	{"function f(b32) {\ne:\n\t%1 = arg.b64 0\n\tret\n}\n",
	 "ir: function f, block e: '%1 = arg.b64 0x0': the function has no such argument\n"},
	{"function f(b32) {\ne:\n\tret\n}\nkernel k() {\ne:\n\tcall @f\n\tret\n}\n",
	 IN("'call @f': 0 arguments, not 1")},
	{"kernel k() {\ne:\n\tcall @k\n\tret\n}\n",
	 IN("'call @k': 'call' cannot name this kind of function")},
	{"preserve_all function f(b1) {\ne:\n\t%1 = arg.b1 0\n\tcbr %1, g, "
	 "h\ng:\n\tret\nh:\n\tret\n}\n",
	 "ir: function f: a preserve_all function has 2 returns, not one\n"},
	{"preserve_all function f() {\ne:\n\tcall @g\n\tret\n}\nfunction g() {\ne:\n\tret\n}\n",
	 "ir: function f: a preserve_all function calls another\n"},
	{"prototype p()\nkernel k() {\ne:\n\tcall @p\n\tret\n}\n",
	 IN("'call @p': 'call' cannot name this kind of function")},
	{"prototype p()\nkernel k() {\ne:\n\t%1 = const.b32 0\n\tcallptr @p, %1\n\tret\n}\n",
	 IN("'callptr @p, %1': the function's address is not b64")},
	{"kernel k() {\ne:\n\t%1 = funcaddr.b64 @k\n\tret\n}\n",
	 IN("'%1 = funcaddr.b64 @k': only functions, and in objects kernels, have addresses")},
	{"external kernel j()\nkernel k() {\ne:\n\tcall @j\n\tret\n}\n",
	 IN("'call @j': 'call' cannot name this kind of function")},
	{"kernel j() {\n\tlocal @x align 4 size 4\ne:\n\tret\n}\n"
	 "kernel k() {\ne:\n\t%1 = addr.b32 @x\n\tret\n}\n",
	 IN("'%1 = addr.b32 @x': the variable belongs to another function")},
};

static void check_text(struct bench *b)
{
	for (size_t k = 0; k < sizeof(faults) / sizeof(faults[0]); k++) {
		struct ir_module *m = bench_parse(b, faults[k].text);
		char name[200];

		snprintf(name, sizeof(name), "a fault has its message: %.150s",
			 faults[k].message + 4);
		name[strcspn(name, "\n")] = '\0';
		if (!ok(m && !ir_verify(m, &b->diag) && !strcmp(b->diag.text, faults[k].message),
			"%s", name))
			diag("got: %s", b->diag.text);
	}
}

/* Faults made by a program. The function has e -> f, g; f -> g. */
static const char *const good =
	"shared @s align 4 size 4\n"
	"kernel k(n: 4 at 0) {\ne:\n\t%1 = const.b32 7\n\t%2 = const.b1 1\n\t%3 = addr.b64 @s\n"
	"\tcbr %2, f, g\nf:\n\t%4 = add.b32 %1, %1\n\tbr g\n"
	"g:\n\t%5 = phi.b32 [e: %1], [f: %4]\n\tstore.b32 shared [%3], %5\n\tret\n}\n";

struct good {
	struct ir_module *m;
	struct ir_func *f;
	ir_block e, b, g;
};
static ir_id find_inst(const struct good *g, enum ir_op op)
{
	ir_id i = 1;

	while (g->f->insts[i].op != op)
		i++;
	return i;
}
static struct ir_inst *first_inst(const struct good *g, enum ir_op op)
{
	return ir_at(g->f, find_inst(g, op));
}

static void break_layout(struct good *g)
{
	g->f->blocks[g->g].next = g->e;
}
static void break_layout_end(struct good *g)
{
	g->f->last_block = g->b;
}
static void break_list(struct good *g)
{
	first_inst(g, IR_ADD)->next = find_inst(g, IR_ADD);
}
static void break_block(struct good *g)
{
	first_inst(g, IR_ADD)->block = g->e;
}
static void break_op(struct good *g)
{
	first_inst(g, IR_ADD)->op = IR_OP_COUNT;
}
static void break_last(struct good *g)
{
	g->f->blocks[g->b].last = find_inst(g, IR_ADD);
}
static void break_result(struct good *g)
{
	first_inst(g, IR_ADD)->res = 1000;
}
static void break_def(struct good *g)
{
	g->f->values[first_inst(g, IR_ADD)->res].def = 1;
}
static void break_succ(struct good *g)
{
	g->f->blocks[g->b].succ[0] = g->f->nblocks;
}
static void break_entry(struct good *g, ir_block pred)
{
	static ir_block preds[1];

	preds[0] = pred;
	g->f->blocks[g->e].preds = preds;
	g->f->blocks[g->e].npreds = 1;
}
static void break_no_pred(struct good *g)
{
	break_entry(g, g->f->nblocks);
}
static void break_other_pred(struct good *g)
{
	break_entry(g, g->g);
}
static void break_preds(struct good *g)
{
	g->f->blocks[g->g].npreds = 1;
}
static void break_pred(struct good *g)
{
	g->f->blocks[g->b].preds[0] = g->g;
}
static void break_nsucc(struct good *g)
{
	ir_edge(g->f, g->b, g->g);
}
static void break_term(struct good *g)
{
	first_inst(g, IR_ADD)->op = IR_TRAP;
}
static void break_phi(struct good *g)
{
	first_inst(g, IR_PHI)->nargs = 1;
}
static void break_type(struct good *g)
{
	first_inst(g, IR_ADD)->type = IR_B1;
}
static void break_arg(struct good *g)
{
	first_inst(g, IR_ADD)->args[1] = 50;
}
static void break_removed(struct good *g)
{
	ir_id i = find_inst(g, IR_CONST);

	ir_remove(g->f, i);
}
static void break_nres(struct good *g)
{
	first_inst(g, IR_ADD)->nres = 0;
}
static void break_res_type(struct good *g)
{
	g->f->values[first_inst(g, IR_ADD)->res].type = IR_B8;
}
static void break_const(struct good *g)
{
	first_inst(g, IR_CONST)->imm = UINT64_C(1) << 32;
}
static void break_imm(struct good *g)
{
	first_inst(g, IR_ADD)->imm = 1;
}
static void break_symbol(struct good *g)
{
	first_inst(g, IR_ADDR)->symbol = 1;
}
static void break_no_symbol(struct good *g)
{
	first_inst(g, IR_ADD)->symbol = 1;
}
static void break_word(struct good *g)
{
	first_inst(g, IR_STORE)->space = IR_SPACE_COUNT;
}
static void break_no_word(struct good *g)
{
	first_inst(g, IR_ADD)->round = IR_RZ;
}
static void break_flags(struct good *g)
{
	first_inst(g, IR_ADD)->flags = IR_FTZ;
}
static void break_from(struct good *g)
{
	first_inst(g, IR_ADD)->from = IR_B8;
}
static void break_align(struct good *g)
{
	first_inst(g, IR_ADD)->align = 4;
}
static void break_params(struct good *g)
{
	g->f->param_bytes = 8;
}
static void break_name(struct good *g)
{
	g->m->symbols[0].name = NULL;
}
static void break_kernel(struct good *g)
{
	g->f->name = "";
}
static void break_ssa(struct good *g)
{
	uint32_t r = ir_reg_new(g->f, IR_B32);
	ir_id i = ir_inst_new(g->f, IR_READ, IR_B32, NULL, 0, 1);

	ir_at(g->f, i)->symbol = r;
	ir_insert_before(g->f, find_inst(g, IR_ADD), i);
}
static void break_reg(struct good *g)
{
	break_ssa(g);
	g->f->ssa = false;
	first_inst(g, IR_READ)->symbol = 2;
}
static void break_reg_type(struct good *g)
{
	break_ssa(g);
	g->f->ssa = false;
	g->f->reg_types[1] = IR_B64;
}

static const struct {
	void (*breaks)(struct good *g);
	const char *message;
} breakages[] = {
	{break_layout, "kernel k: the layout of blocks is broken after block 3"},
	{break_layout_end, "kernel k: the last block is not the layout's"},
	{break_list, "kernel k: block 2: instruction 5 is invalid or has wrong links"},
	{break_block, "kernel k: block 2: instruction 5 is invalid or has wrong links"},
	{break_op, "kernel k: block 2: instruction 5 is invalid or has wrong links"},
	{break_last, "kernel k: block 2: its last instruction is not the list's"},
	{break_result, "kernel k: instruction 5: its results are not in the value table"},
	{break_def, "kernel k: value 4 is not defined by instruction 5"},
	{break_succ, "kernel k: a successor of block 2 is not in the layout"},
	{break_no_pred, "kernel k: a predecessor of block 1 is not in the layout"},
	{break_other_pred, "kernel k: blocks 3 and 1 disagree on the edges between them"},
	{break_preds, "kernel k: blocks 2 and 3 disagree on the edges between them"},
	{break_pred, "kernel k: blocks 1 and 2 disagree on the edges between them"},
	{break_nsucc, "kernel k, block f: 'br g, g': the block has 2 successors, not 1"},
	{break_term, "kernel k, block f: '%4 = trap.b32 %1, %1, g': instructions follow the end of "
		     "the block"},
	{break_phi, "kernel k, block g: '%5 = phi.b32 [e: %1]': 1 arguments for 2 predecessors"},
	{break_type, "kernel k, block f: '%4 = add.b1 %1, %1': 'add' has no such type"},
	{break_arg,
	 "kernel k, block f: '%4 = add.b32 %1, %?50': argument 2 is not a value of the function"},
	{break_removed,
	 "kernel k, block f: '%3 = add.b32 %?1, %?1': argument 1 is not a value of the function"},
	{break_nres, "kernel k, block f: 'add.b32 %1, %1': 0 results, not 1"},
	{break_res_type, "kernel k, block f: '%4 = add.b32 %1, %1': result 1 is b8, not b32"},
	{break_const, "kernel k, block e: '%1 = const.b32 0x100000000': the constant is wider than "
		      "its type"},
	{break_imm, "kernel k, block f: '%4 = add.b32 %1, %1': 'add' has no constant"},
	{break_symbol,
	 "kernel k, block e: '%3 = addr.b64 @\"?\"': variable 1, but the module has 1"},
	{break_no_symbol, "kernel k, block f: '%4 = add.b32 %1, %1': 'add' has no variable"},
	{break_word,
	 "kernel k, block g: 'store.b32 ?7 [%3], %5': an attribute has the value 7, not "
	 "0 to 6"},
	{break_no_word,
	 "kernel k, block f: '%4 = add.b32 %1, %1': an attribute that 'add' does not "
	 "have is 1"},
	{break_flags,
	 "kernel k, block f: '%4 = add.b32 %1, %1': flags 0x1 that 'add' does not have"},
	{break_from, "kernel k, block f: '%4 = add.b32 %1, %1': 'add' has no source type"},
	{break_align, "kernel k, block f: '%4 = add.b32 %1, %1': 'add' has no alignment"},
	{break_params, "kernel k: parameters end at 4 bytes, not at 8"},
	{break_name, "a variable has no name"},
	{break_kernel, "a kernel has no name"},
	{break_ssa, "kernel k, block f: '%4 = read.b32 r1': a register in a function in SSA form"},
	{break_reg,
	 "kernel k, block f: '%4 = read.b32 r0': register 2, but the function has 1 to 1"},
	{break_reg_type, "kernel k, block f: '%4 = read.b32 r1': the register is b64"},
};

static void check_breakages(struct bench *b)
{
	for (size_t k = 0; k < sizeof(breakages) / sizeof(breakages[0]); k++) {
		struct good g = {.m = bench_module(b, good)};
		const char *want = breakages[k].message;
		char line[300] = "";

		g.f = g.m->funcs;
		g.e = bench_block(g.f, "e");
		g.b = bench_block(g.f, "f");
		g.g = bench_block(g.f, "g");
		breakages[k].breaks(&g);
		ok(!ir_verify(g.m, &b->diag), "a broken module is refused: %s", want);
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(b->diag.text, "\n"),
			 b->diag.text);
		if (!ok(!strncmp(line, "ir: ", 4) && !strcmp(line + 4, want),
			"a broken module is refused with the message: %s", want))
			diag("got: %s", b->diag.text);
	}
}

int main(void)
{
	struct bench b;

	bench_init(&b);
	check_text(&b);
	check_breakages(&b);
	bench_free(&b);
	return tap_done();
}
