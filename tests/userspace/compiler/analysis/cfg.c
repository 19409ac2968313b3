// SPDX-License-Identifier: MIT
/*
 * Reverse postorder, dominance and loops: small graphs with known answers, including infinite,
 * irreducible and unreachable parts, and random graphs checked against the definitions.
 */
#include "tests/userspace/compiler/ir/_ir_test.h"

/* A graph is "a:bc b:d …": blocks are letters in layout order, each with its successors. */
static struct ir_func *graph(struct bench *b, const char *edges)
{
	struct ir_func *f = ir_func_new(ir_module_new(&b->arena), "k");

	for (const char *p = edges; *p; p++)
		if (p[1] == ':')
			ir_block_new(f, (char[]){*p, 0});
	for (const char *p = edges; *p; p++) {
		ir_block from = (ir_block)(*p - 'a') + 1;
		ir_val c;

		for (p += 2; *p && *p != ' '; p++)
			ir_edge(f, from, (ir_block)(*p - 'a') + 1);
		if (f->blocks[from].nsucc == 2) {
			c = ir_const(f, from, IR_B1, 0);
			ir_append(f, from, ir_inst_new(f, IR_CBR, IR_VOID, &c, 1, 0));
		} else {
			ir_append(f, from,
				  ir_inst_new(f, f->blocks[from].nsucc ? IR_BR : IR_RET, IR_VOID,
					      NULL, 0, 0));
		}
		if (!*p)
			break;
	}
	return f;
}

static const struct {
	const char *name, *edges;
	/* By block: '-' none, 'x' unreachable. */
	const char *idom, *ipdom, *header, *depth;
} graphs[] = {
	{"one block", "a:", "-", "-", "-", "0"},
	{"a diamond", "a:bc b:d c:d d:", "-aaa", "ddd-", "----", "0000"},
	{"a branch around a block", "a:bc b:c c:", "-aa", "cc-", "---", "000"},
	{"two exits", "a:bc b: c:", "-aa", "---", "---", "000"},
	{"two edges between two blocks", "a:bb b:", "-a", "b-", "--", "00"},
	{"a loop", "a:b b:cd c:b d:", "-abb", "bdb-", "-bb-", "0110"},
	{"a loop of one block", "a:b b:bc c:", "-ab", "bc-", "-b-", "010"},
	{"a loop in a loop", "a:b b:cf c:d d:ce e:b f:", "-abcdb", "bfdeb-", "-bccb-", "012210"},
	{"two back edges to a header", "a:b b:cd c:b d:be e:", "-abbd", "bdbe-", "-bbb-", "01110"},
	{"two loops with one exit", "a:bc b:bd c:cd d:", "-aaa", "ddd-", "-bc-", "0110"},
	{"a cycle with two entries", "a:bc b:cd c:bd d:", "-aaa", "ddd-", "----", "0000"},
	{"a cycle with two entries in a loop", "a:b b:cd c:de d:ce e:bf f:", "-abbbe", "beeef-",
	 "-bbbb-", "011110"},
	{"an infinite loop", "a:b b:c c:b", "-ab", "bc-", "-bb", "011"},
	{"an infinite loop next to the exit", "a:bc b:b c:", "-aa", "---", "-b-", "010"},
	{"two infinite loops", "a:bc b:b c:c", "-aa", "---", "-bc", "011"},
	{"an unreachable block", "a:b b: c:b", "-ax", "b-x", "--x", "00x"},
	{"an unreachable loop", "a:d b:c c:bd d:", "-xxa", "dxx-", "-xx-", "0xx0"},
};

static char letter(const struct ir_cfg *c, ir_block b, ir_block value)
{
	return c->rpo_index[b] == UINT32_MAX ? 'x' : value ? (char)('a' + value - 1) : '-';
}

static void check_graphs(struct bench *b)
{
	for (size_t k = 0; k < sizeof(graphs) / sizeof(graphs[0]); k++) {
		struct ir_func *f = graph(b, graphs[k].edges);
		struct ir_cfg *c = ir_cfg_build(f);
		char idom[27] = "", ipdom[27] = "", header[27] = "", depth[27] = "";

		for (ir_block n = 1; n < f->nblocks; n++) {
			idom[n - 1] = letter(c, n, c->idom[n]);
			ipdom[n - 1] = letter(c, n, c->ipdom[n]);
			header[n - 1] = letter(c, n, c->loop_header[n]);
			depth[n - 1] = c->rpo_index[n] == UINT32_MAX
					       ? 'x'
					       : (char)('0' + c->loop_depth[n]);
		}
		if (!ok(!strcmp(idom, graphs[k].idom) && !strcmp(ipdom, graphs[k].ipdom) &&
				!strcmp(header, graphs[k].header) &&
				!strcmp(depth, graphs[k].depth),
			"%s: dominators, postdominators and loops", graphs[k].name))
			diag("%s: idom %s ipdom %s header %s depth %s", graphs[k].edges, idom,
			     ipdom, header, depth);
	}
}

/* ---- random graphs against the definitions ---- */

static uint32_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

static struct ir_func *random_graph(struct bench *b, uint64_t *state)
{
	struct text t = {.arena = &b->arena};
	uint32_t n = 2 + next_random(state) % 11;

	for (uint32_t k = 0; k < n; k++) {
		text_printf(&t, "%s%c:", k ? " " : "", (int)('a' + k));
		for (uint32_t e = next_random(state) % 8 ? 1 + next_random(state) % 2 : 0; e; e--)
			text_printf(&t, "%c", (int)('b' + next_random(state) % (n - 1)));
	}
	return graph(b, t.s);
}

/* Blocks reachable from a block when another is removed (0: none). */
static uint32_t reach(const struct ir_func *f, ir_block from, ir_block without)
{
	uint32_t seen = from == without ? 0 : 1u << from, before = 0;

	while (seen != before) {
		before = seen;
		for (ir_block b = 1; b < f->nblocks; b++)
			for (uint32_t k = 0; seen >> b & 1 && k < f->blocks[b].nsucc; k++)
				if (f->blocks[b].succ[k] != without)
					seen |= 1u << f->blocks[b].succ[k];
	}
	return seen;
}

static uint32_t ends(const struct ir_func *f)
{
	uint32_t set = 0;

	for (ir_block b = 1; b < f->nblocks; b++)
		set |= f->blocks[b].nsucc ? 0 : 1u << b;
	return set;
}

static bool dominance_holds(const struct ir_func *f, const struct ir_cfg *c)
{
	uint32_t reached = reach(f, f->entry, 0);

	for (ir_block a = 1; a < f->nblocks; a++)
		for (ir_block b = 1; b < f->nblocks; b++) {
			bool both = reached >> a & 1 && reached >> b & 1;
			bool want = both && (a == b || !(reach(f, f->entry, a) >> b & 1));

			if (ir_dominates(c, a, b) != want)
				return false;
		}
	return true;
}

/* The chain of immediate postdominators of a block is the set of its postdominators. */
static bool postdominance_holds(const struct ir_func *f, const struct ir_cfg *c)
{
	uint32_t reached = reach(f, f->entry, 0);

	for (ir_block b = 1; b < f->nblocks; b++)
		if (reached >> b & 1 && !(reach(f, b, 0) & ends(f)))
			return true; /* an infinite part: the definition does not apply */
	for (ir_block b = 1; b < f->nblocks; b++) {
		uint32_t chain = 0, want = 0;

		if (!(reached >> b & 1))
			continue;
		for (ir_block p = c->ipdom[b]; p; p = c->ipdom[p])
			chain |= 1u << p;
		for (ir_block p = 1; p < f->nblocks; p++)
			if (p != b && reached >> p & 1 && !(reach(f, b, p) & ends(f) & ~(1u << p)))
				want |= 1u << p;
		if (chain != want)
			return false;
	}
	return true;
}

/* A block is in the loop of h if it reaches, without passing h, the source of a back edge to h. */
static bool loops_hold(const struct ir_func *f, const struct ir_cfg *c)
{
	uint32_t reached = reach(f, f->entry, 0);

	for (ir_block b = 1; b < f->nblocks; b++) {
		uint32_t depth = 0;

		for (ir_block h = 1; h < f->nblocks; h++) {
			bool inside = false;

			for (uint32_t k = 0; k < f->blocks[h].npreds; k++) {
				ir_block s = f->blocks[h].preds[k];

				inside |= ir_dominates(c, h, s) && reached >> b & 1 &&
					  (b == h ||
					   (ir_dominates(c, h, b) && reach(f, b, h) >> s & 1));
			}
			depth += inside;
			if (ir_in_loop(c, b, h) != inside)
				return false;
		}
		if (c->loop_depth[b] != depth)
			return false;
	}
	return true;
}

static void check_random(struct bench *b)
{
	uint64_t state = 1;
	int dominance = 0, postdominance = 0, loops = 0, count = 3000;

	for (int k = 0; k < count; k++) {
		struct ir_func *f = random_graph(b, &state);
		struct ir_cfg *c = ir_cfg_build(f);

		dominance += dominance_holds(f, c);
		postdominance += postdominance_holds(f, c);
		loops += loops_hold(f, c);
		if (k % 100 == 99) {
			arena_free(&b->arena);
			bench_init(b);
		}
	}
	ok(dominance == count, "dominators of %d random graphs match the definition", count);
	ok(postdominance == count, "postdominators of random graphs match the definition");
	ok(loops == count, "loops of random graphs match the definition");
}

/* A chain longer than any recursion depth, with a back edge at its end. */
static void check_long(struct bench *b)
{
	enum { LENGTH = 100000 };
	struct ir_func *f = ir_func_new(ir_module_new(&b->arena), "k");
	struct ir_cfg *c;

	for (ir_block n = 1; n <= LENGTH; n++)
		ir_block_new(f, NULL);
	for (ir_block n = 1; n < LENGTH; n++)
		ir_edge(f, n, n + 1);
	ir_edge(f, LENGTH - 1, 2);
	c = ir_cfg_build(f);
	ok(c->nrpo == LENGTH && c->rpo[LENGTH - 1] == LENGTH,
	   "a chain of %d blocks is in reverse postorder", LENGTH);
	ok(c->idom[LENGTH] == LENGTH - 1 && c->ipdom[1] == 2,
	   "a long chain of blocks has the right dominators");
	ok(c->loop_depth[LENGTH / 2] == 1 && !c->loop_depth[LENGTH],
	   "a long chain of blocks has the right loop depth");
}

int main(void)
{
	struct bench b;

	bench_init(&b);
	check_graphs(&b);
	check_random(&b);
	check_long(&b);
	bench_free(&b);
	return tap_done();
}
