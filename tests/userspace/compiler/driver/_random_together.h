/* SPDX-License-Identifier: MIT */
/*
 * Code of random kernels (_random.h) in which threads cooperate: warp syncs, at one site or at
 * several, and block barriers.
 */
#ifndef TESTS_COMPILER_RANDOM_TOGETHER_H
#define TESTS_COMPILER_RANDOM_TOGETHER_H

#include "tests/userspace/compiler/driver/_random_text.h"

static inline void add_code(struct random_ptx *k, struct random_context at);

/* Members form two groups by a bit of the lane number, and each group syncs separately at the same
 * instructions. Not for reductions: ptxas 13.0 lets all active lanes take part. */
static inline void add_groups(struct random_ptx *k, struct random_context at)
{
	static const char *const operations[] = {
		"vote.sync.ballot.b32 $r, $p, %t;", "vote.sync.any.pred $p, $p, %t;",
		"vote.sync.all.pred $p, !$p, %t;",  "vote.sync.uni.pred $p, $p, %t;",
		"match.any.sync.b32 $r, $r, %t;",   "match.all.sync.b32 %r2|%p3, $r, %t;",
		"match.any.sync.b64 $r, $l, %t;",
	};
	uint32_t n = k->fuels++, bit = pick(k, 5), i;

	put(k, "\tand.b32 %%t, %%lane, %u;\n\tsetp.ne.s32 %%q%u, %%t, 0;\n", 1u << bit, n);
	put(k, "\tselp.b32 %%t, 0x%x, 0x%x, %%q%u;\n", at.members & random_masks[bit],
	    at.members & ~random_masks[bit], n);
	for (i = 1 + pick(k, 2); i > 0; i--) {
		put(k, "\t");
		put_row(k, "b32", operations[pick(k, sizeof(operations) / sizeof(operations[0]))]);
		put(k, "\n");
	}
}

/* Kernels from this number on have products of matrices. */
#define RANDOM_PRODUCTS 8000000

/* Up to three products of matrices, each added to the one before. Factors are integers or, so that
 * every order of additions gives the same sum, zeros and ones, made by a mask and a product. */
static inline void add_products(struct random_ptx *k)
{
	static const struct product {
		const char *form;
		uint32_t a, b, mask, one; /* a, b: registers */
	} products[] = {
		{"m16n8k32.row.col.s32.s8.u8.s32", 4, 2, UINT32_MAX, 1},
		{"m16n8k16.row.col.s32.u8.s8.s32", 2, 1, UINT32_MAX, 1},
		{"m8n8k16.row.col.s32.s8.s8.s32", 1, 1, UINT32_MAX, 1},
		{"m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 0x10001, 0x3c00},
		{"m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 0x10001, 0x3c00},
		{"m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 0x10001, 0x3f80},
		{"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 1, 0x3f800000},
		{"m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 1, 0x3f800000},
	};
	const struct product *p = &products[pick(k, sizeof(products) / sizeof(products[0]))];
	bool integers = p->one == 1, small = !strncmp(p->form, "m8", 2);
	uint32_t count = 1 + pick(k, 3), sums = small ? 2 : 4;

	put(k, "\t{.reg .b32 a0, a1, a2, a3, b0, b1, c0, c1, c2, c3; ");
	for (uint32_t i = 0; i < sums; i++)
		if (integers)
			put(k, "mov.b32 c%u, %%r%u; ", i, pick(k, RANDOM_WORDS));
		else
			put(k, "cvt.rn.f32.s16 c%u, %%h%u; ", i, pick(k, RANDOM_HALVES));
	while (count--) {
		for (uint32_t i = 0; i < p->a + p->b; i++) {
			char side = i < p->a ? 'a' : 'b';
			uint32_t n = i < p->a ? i : i - p->a;

			put(k, "and.b32 %c%u, %%r%u, 0x%x; mul.lo.u32 %c%u, %c%u, 0x%x; ", side, n,
			    pick(k, RANDOM_WORDS), p->mask, side, n, side, n, p->one);
		}
		put(k, "mma.sync.aligned.%s {c0, c1%s}, {a0%s%s}, {b0%s}, {c0, c1%s}; ", p->form,
		    small ? "" : ", c2, c3", p->a > 1 ? ", a1" : "", p->a > 2 ? ", a2, a3" : "",
		    p->b > 1 ? ", b1" : "", small ? "" : ", c2, c3");
	}
	for (uint32_t i = 0; i < sums; i++)
		put(k, "mov.b32 %%r%u, c%u; ", pick(k, RANDOM_WORDS), i);
	put(k, "}\n");
}

/* A warp sync of the members of a mask. */
static inline void add_exchange(struct random_ptx *k, struct random_context at)
{
	static const char *const reductions[] = {"add.u32", "add.s32", "min.u32",
						 "min.s32", "max.u32", "max.s32",
						 "and.b32", "or.b32",  "xor.b32"};
	static const char *const shuffles[] = {"up", "down", "idx", "bfly"};
	bool products = k->number >= RANDOM_PRODUCTS && !k->ends && !at.split && pick(k, 2);
	uint32_t what = pick(k, 7), p = pick(k, RANDOM_PREDICATES), q = pick(k, RANDOM_PREDICATES),
		 r = pick(k, RANDOM_WORDS), s = pick(k, RANDOM_WORDS), how = pick(k, 4);

	if (products) {
		add_products(k);
	} else if (what == 0) {
		put(k, "\tvote.sync.ballot.b32 %%r%u, %%p%u, 0x%x;\n", r, p, at.members);
	} else if (what == 1) {
		const char *not = pick(k, 2) ? "!" : "";

		put(k, "\tvote.sync.%s.pred %%p%u, %s%%p%u, 0x%x;\n", pick(k, 2) ? "all" : "any", p,
		    not, q, at.members);
	} else if (what == 2 && !k->ends) {
		put(k, "\tshfl.sync.bfly.b32 %%r%u, %%r%u, %u, 31, 0x%x;\n", r, s,
		    pick(k, 32) & ~at.split, at.members);
	} else if (what == 3 && !k->ends && !at.split) {
		uint32_t within = pick(k, 2)   ? 0
				  : pick(k, 2) ? 0x1800
					       : 0x1000; /* 32, 8 or 16 lanes */

		put(k, "\tshfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, %u, 0x%x, -1;\n", shuffles[how], r,
		    p, s, pick(k, 32), within | (how ? 31 : 0));
	} else if (what == 4 && !k->ends && !at.split) {
		put(k, "\tshfl.sync.idx.b32 %%r%u, %%r%u, %%r%u, 31, -1;\n", r, s,
		    pick(k, RANDOM_WORDS));
	} else if (what == 5) {
		put(k, "\tredux.sync.%s %%r%u, %%r%u, 0x%x;\n", reductions[pick(k, 9)], r, s,
		    at.members);
	} else {
		add_groups(k, at);
	}
}

/* Cooperation of a whole block. */
static inline void add_block_sync(struct random_ptx *k)
{
	uint32_t what = pick(k, 6), r = pick(k, RANDOM_WORDS), s = pick(k, RANDOM_WORDS),
		 p = pick(k, RANDOM_PREDICATES);

	if (what == 0) {
		put(k, "\tbar.sync %u;\n", pick(k, 3));
	} else if (what == 1) {
		const char *not = pick(k, 2) ? "!" : "";

		put(k, "\tbar.red.popc.u32 %%r%u, %u, %s%%p%u;\n", r, pick(k, 3), not, p);
	} else if (what == 2) {
		uint32_t from = pick(k, RANDOM_PREDICATES), barrier = pick(k, 3);

		put(k, "\tbar.red.%s.pred %%p%u, %u, %%p%u;\n", pick(k, 2) ? "and" : "or", p,
		    barrier, from);
	} else if (what == 3 && !k->ends) { /* words of the first warp for the others */
		uint32_t n = k->labels++, q = k->fuels++;

		put(k,
		    "\tst.shared.u32 [%%mine+%u], %%r%u;\n\tsetp.ne.s32 %%q%u, %%warp, "
		    "0;\n\t@%%q%u bra L%u_else;\n"
		    "\tbar.arrive 4, %u;\n\tbra L%u_end;\nL%u_else:\n\tbar.sync 4, %u;\n"
		    "\tld.shared.u32 %%r%u, [%%first+%u];\nL%u_end:\n\tbar.sync 0;\n",
		    4 * (s % 4), s, q, q, n, AGREE_MAX_THREADS, n, n, AGREE_MAX_THREADS, r,
		    4 * (s % 4), n);
	} else { /* a word of the neighbour */
		put(k,
		    "\tst.shared.u32 [%%mine+%u], %%r%u;\n\tbar.sync 0;\n"
		    "\tld.shared.u32 %%r%u, [%%next+%u];\n\tbar.sync 0;\n",
		    4 * (s % 4), s, r, 4 * (s % 4));
	}
}

/* Warp syncs that lanes on several paths execute together, each path at a separate site. Those from
 * RANDOM_READS on read from other lanes, which must be present, and the last reads any of them. */
static const char *const random_divergent[] = {
	"vote.sync.ballot.b32 $r, $p, %s;",
	"vote.sync.any.pred $p, $p, %s;",
	"vote.sync.all.pred $p, <|!>$p, %s;",
	"vote.sync.uni.pred $p, $p, %s;",
	"match.any.sync.b32 $r, $r, %s;",
	"match.any.sync.b64 $r, $l, %s;",
	"match.all.sync.b32 $r|$p, $r, %s;",
	"bar.warp.sync %s;",
	"redux.sync.add.s32 $r, $r, %s;",
	"redux.sync.min.u32 $r, $r, %s;",
	"redux.sync.max.s32 $r, $r, %s;",
	"redux.sync.xor.b32 $r, $r, %s;",
	"shfl.sync.bfly.b32 $r, $r, %u, 31, %s;",
	"shfl.sync.idx.b32 $r|$p, $r, <$r|$5>, 0x<|10|18>1f, %s;",
};
#define RANDOM_REDUX 8
#define RANDOM_READS 12
#define RANDOM_ANY   13

struct random_divergent {
	uint32_t what[3], count;
	const char *members;
};

/* One path of diverged lanes, with its sync sites. */
static inline void add_divergent_path(struct random_ptx *k, struct random_context at,
				      const struct random_divergent *a)
{
	struct random_context own = {LEVEL_THREAD, 0, 0, at.depth + 1};
	char row[160];

	for (uint32_t i = 0; i < a->count; i++) {
		if (pick(k, 2))
			add_code(k, own);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		if (a->what[i] == RANDOM_READS)
			snprintf(row, sizeof(row), random_divergent[a->what[i]],
				 pick(k, 32) & ~at.split, a->members);
		else
			snprintf(row, sizeof(row), random_divergent[a->what[i]], a->members);
#pragma GCC diagnostic pop
		put(k, "\t");
		put_row(k, "b32", row);
		put(k, "\n");
	}
	if (pick(k, 2))
		add_code(k, own);
}

/* All paths execute the same syncs in the same order with the same members: all lanes that are
 * here, or groups by a bit of the lane number. */
static inline void add_divergent_syncs(struct random_ptx *k, struct random_context at)
{
	uint32_t n = k->labels++, q = k->fuels++, paths = 2 + pick(k, 3), bit = pick(k, 5),
		 group = k->fuels++, last;
	struct random_divergent a = {.count = 1 + pick(k, 3)};
	char members[16];

	/* No reductions in groups: see add_groups. */
	last = pick(k, 3) ? 0 : RANDOM_REDUX;
	if (last)
		snprintf(members, sizeof(members), "%%c%u", group);
	else
		snprintf(members, sizeof(members), "0x%x", at.members);
	if (!last)
		last = k->ends ? RANDOM_READS : at.split ? RANDOM_ANY : RANDOM_ANY + 1;
	a.members = members;
	for (uint32_t i = 0; i < a.count; i++)
		a.what[i] = pick(k, last);
	put(k,
	    "\tand.b32 %%t, %%lane, %u;\n\tsetp.ne.s32 %%q%u, %%t, 0;\n\tselp.b32 %%c%u, 0x%x, "
	    "0x%x, %%q%u;\n",
	    1u << bit, q, group, at.members & random_masks[bit], at.members & ~random_masks[bit],
	    q);
	if (pick(k, 2))
		put(k, "\tshr.u32 %%t, %%lane, %u;\n\trem.u32 %%t, %%t, %u;\n", pick(k, 4), paths);
	else
		put(k, "\trem.u32 %%t, %%r%u, %u;\n", pick(k, RANDOM_WORDS), paths);
	put(k, "\tmov.b32 %%c%u, %%t;\n", q);
	for (uint32_t i = 0; i + 1 < paths; i++)
		put(k, "\tsetp.eq.s32 %%q%u, %%c%u, %u;\n\t@%%q%u bra L%u_%u;\n", q, q, i, q, n, i);
	add_divergent_path(k, at, &a);
	for (uint32_t i = 0; i + 1 < paths; i++) {
		put(k, "\tbra L%u_end;\nL%u_%u:\n", n, n, i);
		add_divergent_path(k, at, &a);
	}
	put(k, "L%u_end:\n", n);
}

static inline void add_together(struct random_ptx *k, struct random_context at)
{
	if (at.level == LEVEL_BLOCK && pick(k, 2))
		add_block_sync(k);
	else if (at.depth < RANDOM_MAX_DEPTH && !pick(k, 4))
		add_divergent_syncs(k, at);
	else
		add_exchange(k, at);
}

#endif
