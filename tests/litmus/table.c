// SPDX-License-Identifier: MIT
/*
 * The table of litmus tests: shapes with places for operations, and the forms of these operations.
 * A shape is written with six words:
 *
 *   D x 1   stores data          d x   loads data
 *   S x 1   stores to publish    L x   loads what was published
 *   F       orders an earlier access and a later one; a form may have nothing for it
 *
 * A form says what each word is, with $ for the scope and % for membar's level. A sweep combines
 * shapes with forms, scopes, placements and spaces; not the full product, but every shape with
 * every form, and for the important shapes every scope and placement. Tests that fit no shape
 * (vectors, barriers, mixed scopes) are written out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/litmus/litmus.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static const struct shape {
	const char *name, *text;
	bool is_important; /* sweeps over scopes and placements */
	bool has_three;    /* threads that can be split over two blocks */
} shapes[] = {
	{"MP", "D x 1; S y 1 | L y; d x", true, false},
	{"SB", "D x 1; F; d y | D y 1; F; d x", true, false},
	{"LB", "L y; S x 1 | L x; S y 1", true, false},
	{"IRIW", "S x 1 | S y 1 | L x; F; L y | L y; F; L x", true, false},
	{"CoRR", "S x 1 | L x; d x", true, false},
	{"CoWW", "D x 1; S x 2 | L x; d x || x", false, false},
	{"CoWR", "S x 1 | S x 2; d x || x", false, false},
	{"CoRW", "S x 1 | L x; D x 2 || x", false, false},
	{"2+2W", "D x 1; F; S y 2 | D y 1; F; S x 2 || x y", false, false},
	{"R", "D x 1; F; S y 1 | S y 2; F; d x || y", false, false},
	{"S", "D x 2; S y 1 | L y; D x 1 || x", false, false},
	{"WRC", "S x 1 | L x; S y 1 | L y; d x", true, true},
	{"ISA2", "D x 1; S y 1 | L y; S z 1 | L z; d x", true, true},
	{"RWC", "S x 1 | L x; F; d y | S y 1; F; d x", false, true},
};

static const struct form {
	const char *name;
	const char *D, *S, *d, *L, *F;
	bool is_scoped, is_important;
} forms[] = {
	{"weak", "st.weak", "st.weak", "ld.weak", "ld.weak", "", false, true},
	{"volatile", "st.volatile", "st.volatile", "ld.volatile", "ld.volatile", "", false, false},
	{"relaxed", "st.relaxed.$", "st.relaxed.$", "ld.relaxed.$", "ld.relaxed.$", "", true, true},
	{"ra", "st.weak", "st.release.$", "ld.weak", "ld.acquire.$", "", true, true},
	{"ra_strong", "st.release.$", "st.release.$", "ld.acquire.$", "ld.acquire.$", "", true,
	 false},
	{"fence", "st.weak", "fence.acq_rel.$; st.relaxed.$", "ld.weak",
	 "ld.relaxed.$; fence.acq_rel.$", "fence.acq_rel.$", true, true},
	{"sc", "st.weak", "fence.sc.$; st.relaxed.$", "ld.weak", "ld.relaxed.$; fence.sc.$",
	 "fence.sc.$", true, true},
	{"membar", "st.weak", "membar.%; st.volatile", "ld.weak", "ld.volatile; membar.%",
	 "membar.%", true, false},
	{"exch", "st.weak", "atom.release.$.exch", "ld.weak", "atom.acquire.$.add0", "", true,
	 true},
	{"cas", "st.weak", "atom.acq_rel.$.cas0", "ld.weak", "atom.acq_rel.$.cas0.0", "", true,
	 false},
	{"red", "st.weak", "red.release.$.add", "ld.weak", "ld.acquire.$", "", true, false},
	{"fence_red", "st.weak", "fence.acq_rel.$; red.relaxed.$.add", "ld.weak",
	 "ld.relaxed.$; fence.acq_rel.$", "fence.acq_rel.$", true, false},
	{"rmw_fence", "st.weak", "fence.acq_rel.$; atom.relaxed.$.exch", "ld.weak",
	 "atom.relaxed.$.add0; fence.acq_rel.$", "fence.sc.$", true, false},
	/* One side alone: the weak outcome stays legal. */
	{"release_only", "st.weak", "st.release.$", "ld.weak", "ld.relaxed.$", "", true, false},
	{"acquire_only", "st.weak", "st.relaxed.$", "ld.weak", "ld.acquire.$", "", true, false},
};

static const char *const scopes[] = {"cta", "cluster", "gpu", "sys"};
static const char *const levels[] = {"cta", "gl", "gl", "sys"};
static const char *const placements[] = {"warp", "block", "blocks", "split"};
static const char *const spaces[] = {"", "+shared", "+generic", "+generic_shared", "+mixed"};

/* Tests that are written out. */
static const struct special {
	const char *name, *text;
	uint8_t placement, space;
} specials[] = {
	/* clang-format off: one row per test */
	/* Vectors are one access per element, in no order. */
	{"MP+v2", "st.v2.weak x:z 1; st.release.gpu y 1 | ld.acquire.gpu y; ld.v2.weak x:z",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	{"MP+v2.fence",
	 "st.v2.weak x:z 1; fence.acq_rel.gpu; st.relaxed.gpu y 1 | "
	 "ld.relaxed.gpu y; fence.acq_rel.gpu; ld.v2.weak x:z",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	{"MP+v4", "st.v4.weak x:z:_:w 1; st.release.gpu y 1 | ld.acquire.gpu y; ld.v4.weak x:z:_:w",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	{"MP+v4.sys",
	 "st.v4.weak x:z:_:w 1; fence.acq_rel.sys; st.relaxed.sys y 1 | "
	 "ld.relaxed.sys y; fence.acq_rel.sys; ld.v4.weak x:z:_:w",
	 LITMUS_BLOCKS, LITMUS_GENERIC_GLOBAL},
	{"MP+v2.shared", "st.v2.weak x:z 1; st.release.cta y 1 | ld.acquire.cta y; ld.v2.weak x:z",
	 LITMUS_SAME_BLOCK, LITMUS_SHARED},
	{"MP+v4.shared",
	 "st.v4.weak x:z:_:w 1; st.release.cta y 1 | ld.acquire.cta y; ld.v4.weak x:z:_:w",
	 LITMUS_SAME_BLOCK, LITMUS_SHARED},
	{"v2+relaxed", "st.v2.relaxed.gpu x:y 1 | ld.v2.relaxed.gpu x:y", LITMUS_BLOCKS,
	 LITMUS_GLOBAL},
	{"v2+volatile", "st.v2.volatile x:y 1 | ld.v2.volatile x:y", LITMUS_BLOCKS, LITMUS_GLOBAL},
	{"MP+v2.acquire", "st.weak x 1; st.v2.release.gpu y:z 1 | ld.v2.acquire.gpu y:z; ld.weak x",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	/* Barriers of a block synchronise in both directions, and are cumulative. */
	{"MP+bar", "st.weak x 1; bar | bar; ld.weak x", LITMUS_SAME_BLOCK, LITMUS_GLOBAL},
	{"MP+bar.shared", "st.weak x 1; bar | bar; ld.weak x", LITMUS_SAME_BLOCK, LITMUS_SHARED},
	{"SB+bar", "st.weak x 1; bar; ld.weak y | st.weak y 1; bar; ld.weak x", LITMUS_SAME_BLOCK,
	 LITMUS_GLOBAL},
	{"SB+bar.shared", "st.weak x 1; bar; ld.weak y | st.weak y 1; bar; ld.weak x",
	 LITMUS_SAME_BLOCK, LITMUS_SHARED},
	{"ISA2+bar+ra.gpu",
	 "st.weak x 1; bar | bar; st.release.gpu z 1 | ld.acquire.gpu z; ld.weak x", LITMUS_SPLIT,
	 LITMUS_GLOBAL},
	{"ISA2+bar+fence.gpu",
	 "st.weak x 1; bar | bar; fence.acq_rel.gpu; st.relaxed.gpu z 1 | "
	 "ld.relaxed.gpu z; fence.acq_rel.gpu; ld.weak x",
	 LITMUS_SPLIT, LITMUS_GLOBAL},
	{"ISA2+bar+membar.gl",
	 "st.weak x 1; bar | bar; membar.gl; st.volatile z 1 | "
	 "ld.volatile z; membar.gl; ld.weak x",
	 LITMUS_SPLIT, LITMUS_GLOBAL},
	{"ISA2+bar+exch.gpu",
	 "st.weak x 1; bar | bar; atom.acq_rel.gpu.add z 1 | "
	 "atom.acq_rel.gpu.add z 0; ld.weak x",
	 LITMUS_SPLIT, LITMUS_GLOBAL},
	{"ISA2+ra.gpu+bar",
	 "ld.acquire.gpu z; bar | bar; ld.weak x | st.weak x 1; st.release.gpu z 1", LITMUS_SPLIT,
	 LITMUS_GLOBAL},
	{"ISA2+fence.gpu+bar",
	 "ld.relaxed.gpu z; fence.acq_rel.gpu; bar | bar; ld.weak x | "
	 "st.weak x 1; fence.acq_rel.gpu; st.relaxed.gpu z 1",
	 LITMUS_SPLIT, LITMUS_GLOBAL},
	{"ISA2+membar.gl+bar",
	 "ld.volatile z; membar.gl; bar | bar; ld.weak x | "
	 "st.weak x 1; membar.gl; st.volatile z 1",
	 LITMUS_SPLIT, LITMUS_GLOBAL},
	/* Scopes that differ along a chain: the narrow hop carries what the wide one publishes. */
	{"ISA2+ra.cta+ra.gpu",
	 "st.weak x 1; st.release.cta y 1 | ld.acquire.cta y; st.release.gpu z 1 | "
	 "ld.acquire.gpu z; ld.weak x",
	 LITMUS_SPLIT, LITMUS_GLOBAL},
	{"ISA2+fence.cta+fence.gpu",
	 "st.weak x 1; fence.acq_rel.cta; st.relaxed.cta y 1 | "
	 "ld.relaxed.cta y; fence.acq_rel.cta; fence.acq_rel.gpu; st.relaxed.gpu z 1 | "
	 "ld.relaxed.gpu z; fence.acq_rel.gpu; ld.weak x",
	 LITMUS_SPLIT, LITMUS_GLOBAL},
	{"ISA2+exch.cta+exch.gpu",
	 "st.weak x 1; atom.release.cta.exch y 1 | atom.acquire.cta.add y 0; "
	 "atom.release.gpu.exch z 1 | atom.acquire.gpu.add z 0; ld.weak x",
	 LITMUS_SPLIT, LITMUS_GLOBAL},
	{"WRC+ra.gpu+ra.cta",
	 "ld.acquire.cta y; ld.weak x | ld.acquire.gpu x; st.release.cta y 1 | "
	 "st.relaxed.gpu x 1",
	 LITMUS_SPLIT, LITMUS_GLOBAL},
	{"MP+ra.cta+ra.gpu", "st.weak x 1; st.release.cta y 1 | ld.acquire.gpu y; ld.weak x",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	{"MP+ra.gpu+ra.cta", "st.weak x 1; st.release.gpu y 1 | ld.acquire.cta y; ld.weak x",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	/* Data in one space, the flag in the other. */
	{"MP+ra.gpu+mixed", "st.weak x 1; st.release.gpu y 1 | ld.acquire.gpu y; ld.weak x",
	 LITMUS_SAME_BLOCK, LITMUS_MIXED},
	{"MP+membar.cta+mixed",
	 "st.weak x 1; membar.cta; st.volatile y 1 | ld.volatile y; membar.cta; "
	 "ld.weak x",
	 LITMUS_SAME_BLOCK, LITMUS_MIXED},
	/* Atomic operations. */
	{"Inc.gpu", "atom.relaxed.gpu.add x 1 | atom.relaxed.gpu.add x 1 || x", LITMUS_BLOCKS,
	 LITMUS_GLOBAL},
	{"Inc.cta.shared", "atom.relaxed.cta.add x 1 | atom.relaxed.cta.add x 1 || x",
	 LITMUS_SAME_BLOCK, LITMUS_SHARED},
	{"Inc.red", "red.relaxed.gpu.add x 1 | red.relaxed.gpu.add x 1 || x", LITMUS_BLOCKS,
	 LITMUS_GENERIC_GLOBAL},
	{"Cas", "atom.relaxed.gpu.cas x 0 1 | atom.relaxed.gpu.cas x 0 2 || x", LITMUS_BLOCKS,
	 LITMUS_GLOBAL},
	{"SB+rmw.gpu",
	 "atom.acq_rel.gpu.add x 1; atom.acq_rel.gpu.add y 1 | "
	 "atom.acq_rel.gpu.add y 1; atom.acq_rel.gpu.add x 1",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	{"MP+rmw_between",
	 "st.relaxed.gpu x 1; st.release.gpu y 1 | atom.relaxed.gpu.add y 1 | "
	 "ld.acquire.gpu y; ld.relaxed.gpu x",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	{"MP+red_as_acquire",
	 "st.weak x 1; st.release.gpu y 1 | red.relaxed.gpu.add y 1; "
	 "fence.acq_rel.gpu; ld.weak x || y",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	/* Dependencies. */
	{"LB+data", "ld.relaxed.gpu y; st.relaxed.gpu x r0 | ld.relaxed.gpu x; st.relaxed.gpu y 1",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	{"LB+data+data", "ld.weak y; st.weak x r0 | ld.weak x; st.weak y r0", LITMUS_BLOCKS,
	 LITMUS_GLOBAL},
	/* Fences that order weak flags. */
	{"MP+sc.gpu+weak_flag",
	 "st.weak x 1; fence.sc.gpu; st.weak y 1 | ld.weak y; fence.sc.gpu; "
	 "ld.weak x",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	{"MP+release_then_store",
	 "st.weak x 1; st.release.gpu y 1; st.relaxed.gpu y 2 | "
	 "ld.relaxed.gpu y; fence.acq_rel.gpu; ld.weak x",
	 LITMUS_BLOCKS, LITMUS_GLOBAL},
	{"CoRR+weak", "st.weak x 1 | ld.weak x; ld.weak x", LITMUS_SAME_BLOCK, LITMUS_GLOBAL},
	/* clang-format on */
};

struct list {
	struct litmus_test *tests;
	uint32_t count, capacity;
};

/* Appends text to a buffer of sizeof(litmus_test.text). */
static void append(char *out, const char *text, size_t n)
{
	size_t have = strlen(out);

	if (have + n + 1 > sizeof(((struct litmus_test *)0)->text)) {
		fprintf(stderr, "litmus: a test's text is too long: %s\n", out);
		abort();
	}
	memcpy(out + have, text, n);
	out[have + n] = 0;
}

/* An operation of a form, with its operand and value: "add0" adds 0, "cas0" compares with 0. */
static void append_form(char *out, const char *form, const char *operand, size_t operand_length,
			const char *value, size_t value_length, uint32_t scope)
{
	const char *tail = strrchr(form, ';'); /* a fence behind an access, or before it */
	bool fence_behind = tail && (!strncmp(tail, "; fence", 7) || !strncmp(tail, "; membar", 8));
	size_t n = fence_behind ? (size_t)(tail - form) : strlen(form);
	const char *constant = "";

	for (size_t i = 0; i < n; i++) {
		if (form[i] == '$') {
			append(out, scopes[scope], strlen(scopes[scope]));
		} else if (form[i] == '%') {
			append(out, levels[scope], strlen(levels[scope]));
		} else if (form[i] == '0') {
			constant = form[i + 1] == '.' ? " 0 0" : " 0";
			break;
		} else {
			append(out, form + i, 1);
		}
	}
	append(out, " ", operand_length ? 1 : 0);
	append(out, operand, operand_length);
	append(out, constant, strlen(constant));
	if (value_length) {
		append(out, " ", 1);
		append(out, value, value_length);
	}
	if (fence_behind) {
		append(out, "; ", 2);
		append_form(out, tail + 2, "", 0, "", 0, scope);
	}
}

/* Replaces the words of a shape by a form's operations. */
static void expand(char *out, const struct shape *shape, const struct form *form, uint32_t scope)
{
	const char *at = shape->text;

	out[0] = 0;
	while (*at) {
		const char *word = *at == 'D'   ? form->D
				   : *at == 'S' ? form->S
				   : *at == 'd' ? form->d
				   : *at == 'L' ? form->L
						: NULL;
		size_t n;

		if (word) {
			n = strcspn(at + 2, " ;|");
			const char *value = at + 2 + n, *end;

			value += *value == ' ';
			end = value;
			while (*end >= '0' && *end <= '9')
				end++;
			append_form(out, word, at + 2, n, value, (size_t)(end - value), scope);
			at = end > value ? end : at + 2 + n;
		} else if (*at == 'F') {
			at++;
			if (*form->F)
				append_form(out, form->F, "", 0, "", 0, scope);
			else if (!strncmp(at, "; ", 2))
				at += 2; /* nothing between the accesses */
		} else {
			append(out, at++, 1);
		}
	}
}

static void set_blocks(struct litmus_test *t)
{
	for (uint8_t k = 0; k < LITMUS_THREADS; k++)
		t->blocks[k] = t->placement == LITMUS_BLOCKS  ? k
			       : t->placement == LITMUS_SPLIT ? k + 1u == t->program.threads
							      : 0;
}

static void add_test(struct list *l, const char *name, const char *text, uint8_t placement,
		     uint8_t space, bool important)
{
	struct litmus_test *t;
	char error[256];

	for (uint32_t i = 0; i < l->count; i++)
		if (!strcmp(l->tests[i].name, name))
			return;
	if (l->count == l->capacity) {
		l->capacity = l->capacity ? 2 * l->capacity : 64;
		l->tests = realloc(l->tests, l->capacity * sizeof(*l->tests));
		if (!l->tests)
			abort();
	}
	t = &l->tests[l->count++];
	memset(t, 0, sizeof(*t));
	snprintf(t->name, sizeof(t->name), "%s", name);
	snprintf(t->text, sizeof(t->text), "%s", text);
	t->placement = placement;
	t->space = space;
	t->important = important;
	if (!litmus_parse(text, &t->program, error)) {
		fprintf(stderr, "litmus: %s: %s: %s\n", name, text, error);
		abort();
	}
	set_blocks(t);
}

static void add(struct list *l, const struct shape *shape, const struct form *form, uint32_t scope,
		uint8_t placement, uint8_t space)
{
	char name[64], text[512];

	snprintf(name, sizeof(name), "%s+%s%s%s+%s%s", shape->name, form->name,
		 form->is_scoped ? "." : "", form->is_scoped ? scopes[scope] : "",
		 placements[placement], spaces[space]);
	expand(text, shape, form, scope);
	add_test(l, name, text, placement, space, shape->is_important && form->is_important);
}

static void sweep(struct list *l, const struct shape *shape, const struct form *form)
{
	bool wide = shape->is_important && form->is_important;

	add(l, shape, form, LITMUS_GPU, LITMUS_BLOCKS, LITMUS_GLOBAL);
	add(l, shape, form, LITMUS_CTA, LITMUS_SAME_BLOCK, LITMUS_GLOBAL);
	if (shape->has_three)
		add(l, shape, form, LITMUS_GPU, LITMUS_SPLIT, LITMUS_GLOBAL);
	for (uint32_t scope = 0; wide && form->is_scoped && scope < COUNT(scopes); scope++) {
		add(l, shape, form, scope, LITMUS_BLOCKS, LITMUS_GLOBAL);
		add(l, shape, form, scope, LITMUS_SAME_BLOCK, LITMUS_GLOBAL);
	}
	if (!strcmp(form->name, "membar")) {
		add(l, shape, form, LITMUS_SYS, LITMUS_BLOCKS, LITMUS_GLOBAL);
		add(l, shape, form, LITMUS_CTA, LITMUS_BLOCKS, LITMUS_GLOBAL);
	}
	if (!wide || shape->has_three || !strcmp(shape->name, "IRIW"))
		return;
	add(l, shape, form, LITMUS_CTA, LITMUS_SAME_WARP, LITMUS_GLOBAL);
	add(l, shape, form, LITMUS_CTA, LITMUS_SAME_BLOCK, LITMUS_SHARED);
	add(l, shape, form, LITMUS_CTA, LITMUS_SAME_WARP, LITMUS_SHARED);
	add(l, shape, form, LITMUS_GPU, LITMUS_SAME_BLOCK, LITMUS_GENERIC_SHARED);
	add(l, shape, form, LITMUS_GPU, LITMUS_BLOCKS, LITMUS_GENERIC_GLOBAL);
	add(l, shape, form, LITMUS_CTA, LITMUS_SAME_BLOCK, LITMUS_MIXED);
}

struct litmus_test *litmus_tests(uint32_t *count)
{
	struct list l = {0};

	for (size_t s = 0; s < COUNT(shapes); s++)
		for (size_t f = 0; f < COUNT(forms); f++)
			sweep(&l, &shapes[s], &forms[f]);
	for (size_t i = 0; i < COUNT(specials); i++)
		add_test(&l, specials[i].name, specials[i].text, specials[i].placement,
			 specials[i].space, true);
	*count = l.count;
	return l.tests;
}
