/* SPDX-License-Identifier: MIT */
/*
 * How kernels of a graph may follow each other, what each way costs, and whether it is right: the
 * figures behind the table in libsov/runtime/graph/graph_write.c, from which its first row is chosen.
 *
 *   graph_ways [--small] [--bold]
 *
 * A row is a way of the library, or one of them with bits of its launch descriptors changed: what
 * might be left out, and what nobody has said how to use. Each row has a context of its own, so that
 * what fails, or hangs for its limit of two seconds, ends nothing but its row. Two graphs judge it:
 *
 *   one:        kernels of one thread that add 1 to one word; timed, in chains of 100 and of 10
 *   neighbours: kernels of many blocks, each of which reads what another block of the kernel before
 *               has written, so that a store or a cache that is late shows; judged alone
 *   few:        the same with so few blocks that a way may treat them as small
 *   flood:      the same, but each thread stores so much before its word that the way to memory is full
 *               when the kernel ends: a next kernel that does not wait for stores reads old words
 *   pour:       as few blocks as few has do that, in a kernel without loops, that has code for chains
 *
 * Every word is looked at after every round. --small is for a software GPU, which has no caches to
 * be wrong and refuses what it does not know. --bold adds rows that may take the GPU down.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsov/runtime/graph/graph.h"
#include "libsov/gpu/nv/nv_gpu.h"

enum { LONG = 100, SHORT = 10, BLOCK = 64, LIMIT_S = 2, FLOOD_TIMES = 24 };
enum shape { ONE, FEW, NEIGHBOURS, FLOOD, POUR };

static uint32_t samples = 2001, rounds = 300, blocks = 528 * 8, few = 132;
static sov_device device;

#define POUR_1 "	st.global.v4.u32 [%s], {%x, %t, %x, %t};\n	add.u64 %s, %s, %w;\n"
#define POUR_6 POUR_1 POUR_1 POUR_1 POUR_1 POUR_1 POUR_1

static const char ptx[] =
	".version 7.0\n.target sm_80\n.address_size 64\n"
	".visible .entry add(.param .u64 p) {\n"
	"	.reg .b64 %p;\n	.reg .b32 %x;\n"
	"	ld.param.u64 %p, [p];\n	ld.global.u32 %x, [%p];\n	add.u32 %x, %x, 1;\n"
	"	st.global.u32 [%p], %x;\n	ret;\n}\n"
	/* to[i] = from[(i + 64) % n] + 1 */
	".visible .entry turn(.param .u64 to, .param .u64 from, .param .u32 n) {\n"
	"	.reg .b64 %p, %q, %w;\n	.reg .b32 %t, %b, %k, %n, %x;\n"
	"	ld.param.u64 %p, [to];\n	ld.param.u64 %q, [from];\n	ld.param.u32 %n, "
	"[n];\n"
	"	mov.u32 %t, %tid.x;\n	mov.u32 %b, %ctaid.x;\n	mov.u32 %k, %ntid.x;\n"
	"	mad.lo.u32 %t, %b, %k, %t;\n	mul.wide.u32 %w, %t, 4;\n	add.u64 %p, %p, "
	"%w;\n"
	"	add.u32 %t, %t, %k;\n	rem.u32 %t, %t, %n;\n	mul.wide.u32 %w, %t, 4;\n"
	"	add.u64 %q, %q, %w;\n	ld.global.u32 %x, [%q];\n	add.u32 %x, %x, 1;\n"
	"	st.global.u32 [%p], %x;\n	ret;\n}\n"
	/* The same from half of the ring away, behind `times` stores of 16 bytes into a sink. */
	".visible .entry flood(.param .u64 to, .param .u64 from, .param .u32 n, .param .u64 sink,\n"
	"		       .param .u32 times) {\n"
	"	.reg .b64 %p, %q, %w, %s;\n	.reg .b32 %t, %b, %k, %n, %x, %h, %i;\n	.reg .pred "
	"%c;\n"
	"	ld.param.u64 %p, [to];\n	ld.param.u64 %q, [from];\n	ld.param.u32 %n, "
	"[n];\n"
	"	ld.param.u64 %s, [sink];\n	ld.param.u32 %i, [times];\n"
	"	mov.u32 %t, %tid.x;\n	mov.u32 %b, %ctaid.x;\n	mov.u32 %k, %ntid.x;\n"
	"	mad.lo.u32 %t, %b, %k, %t;\n	mul.wide.u32 %w, %t, 4;\n	add.u64 %p, %p, "
	"%w;\n"
	"	mul.wide.u32 %w, %t, 16;\n	add.u64 %s, %s, %w;\n	shr.u32 %h, %n, 1;\n"
	"	add.u32 %t, %t, %h;\n	rem.u32 %t, %t, %n;\n	mul.wide.u32 %w, %t, 4;\n"
	"	add.u64 %q, %q, %w;\n	ld.global.u32 %x, [%q];\n	add.u32 %x, %x, 1;\n"
	"	mul.wide.u32 %w, %n, 16;\n"
	"again:	st.global.v4.u32 [%s], {%x, %t, %x, %t};\n	add.u64 %s, %s, %w;\n"
	"	sub.u32 %i, %i, 1;\n	setp.ne.u32 %c, %i, 0;\n	@%c bra again;\n"
	"	st.global.u32 [%p], %x;\n	ret;\n}\n"
	/* The same from 64 words away, 24 times without a loop. */
	".visible .entry pour(.param .u64 to, .param .u64 from, .param .u32 n, .param .u64 sink) "
	"{\n"
	"	.reg .b64 %p, %q, %w, %s;\n	.reg .b32 %t, %b, %k, %n, %x;\n	.reg .pred %c;\n"
	"	ld.param.u64 %p, [to];\n	ld.param.u64 %q, [from];\n	ld.param.u32 %n, "
	"[n];\n"
	"	ld.param.u64 %s, [sink];\n"
	"	mov.u32 %t, %tid.x;\n	mov.u32 %b, %ctaid.x;\n	mov.u32 %k, %ntid.x;\n"
	"	mad.lo.u32 %t, %b, %k, %t;\n	mul.wide.u32 %w, %t, 4;\n	add.u64 %p, %p, "
	"%w;\n"
	"	mul.wide.u32 %w, %t, 16;\n	add.u64 %s, %s, %w;\n	add.u32 %t, %t, 64;\n"
	"	setp.ge.u32 %c, %t, %n;\n	@%c sub.u32 %t, %t, %n;\n	mul.wide.u32 %w, "
	"%t, 4;\n"
	"	add.u64 %q, %q, %w;\n	ld.global.u32 %x, [%q];\n	add.u32 %x, %x, 1;\n"
	"	mul.wide.u32 %w, %n, 16;\n" POUR_6 POUR_6 POUR_6 POUR_6
	"	st.global.u32 [%p], %x;\n	ret;\n}\n";

/* ---- rows ---- */

enum who { ALL, NOT_FIRST, NOT_LAST, LAST };

struct bits { /* of a descriptor; open-gpu-doc clcbc0qmd.h, 04_00 */
	uint16_t high, low;
	uint32_t value;
	enum who who;
};

enum methods { AS_THEY_ARE, NOT_FORGETTING, LAUNCH_ALONE, LAUNCH_ALL };

static const struct experiment {
	const char *name;
	uint32_t way; /* of graph_ways */
	enum methods methods;
	bool bold;
	struct bits bits[8];
} experiments[] = {
#define NO_BARRIER \
	{ \
		1137, 1136, 0, ALL \
	}
#define NO_TEXTURES \
	{ \
		604, 604, 0, ALL \
	}
#define NO_DATA \
	{ \
		605, 605, 0, ALL \
	}
#define OLD_CODE \
	{ \
		606, 606, 0, ALL \
	}
#define KEPT \
	{ \
		419, 419, 0, ALL \
	}
#define COUNTED \
	{ \
		1137, 1136, 0, NOT_LAST \
	}
	{"early, no barrier between (is late, if anything is)", 0, AS_THEY_ARE, false, {COUNTED}},
	{"past caches, no barrier between (may be late)", 1, AS_THEY_ARE, false, {COUNTED}},
	{"no barrier behind each (may be wrong)", 2, AS_THEY_ARE, false, {NO_BARRIER}},
	{"system barrier behind each", 2, AS_THEY_ARE, false, {{1137, 1136, 1, ALL}}},
	{"textures not invalidated", 2, AS_THEY_ARE, false, {NO_TEXTURES}},
	{"data not invalidated (may be wrong)", 2, AS_THEY_ARE, false, {NO_DATA}},
	{"neither (is wrong, if anything is)", 2, AS_THEY_ARE, false, {NO_TEXTURES, NO_DATA}},
	{"next descriptor not fetched ahead", 2, AS_THEY_ARE, false, {{372, 372, 0, ALL}}},
	{"next descriptor copied", 2, AS_THEY_ARE, false, {{371, 369, 3, NOT_LAST}}},
	{"textures not invalidated, constants kept, program fetched",
	 8,
	 AS_THEY_ARE,
	 false,
	 {NO_TEXTURES}},
	{"all of it, textures not invalidated", 9, AS_THEY_ARE, false, {NO_TEXTURES}},
	{"all of it, neither invalidated (may be wrong)",
	 9,
	 AS_THEY_ARE,
	 false,
	 {NO_TEXTURES, NO_DATA}},
	{"code not looked for anew", 2, AS_THEY_ARE, false, {OLD_CODE}},
	{"all of it, code not looked for anew", 9, AS_THEY_ARE, false, {OLD_CODE}},
	{"all of it, neither code nor constants looked for anew",
	 9,
	 NOT_FORGETTING,
	 false,
	 {OLD_CODE}},
	{"the same, no textures", 9, NOT_FORGETTING, false, {OLD_CODE, NO_TEXTURES}},
	{"the same, no barrier between (may be wrong)",
	 9,
	 NOT_FORGETTING,
	 false,
	 {OLD_CODE, COUNTED}},
	{"all of it but chasing, neither looked for",
	 9,
	 NOT_FORGETTING,
	 false,
	 {OLD_CODE, {382, 382, 0, ALL}}},
	{"constants fetched before, neither looked for", 5, AS_THEY_ARE, false, {OLD_CODE, KEPT}},
	{"constants fetched behind, neither looked for", 6, AS_THEY_ARE, false, {OLD_CODE, KEPT}},
	{"all of it, system barrier", 9, NOT_FORGETTING, false, {OLD_CODE, {1137, 1136, 1, ALL}}},
	{"all of it, barrier of kind 2", 9, NOT_FORGETTING, true, {OLD_CODE, {1137, 1136, 2, ALL}}},
	{"all of it, next not fetched ahead",
	 9,
	 NOT_FORGETTING,
	 false,
	 {OLD_CODE, {372, 372, 0, ALL}}},
	{"all of it, next copied", 9, NOT_FORGETTING, false, {OLD_CODE, {371, 369, 3, NOT_LAST}}},
	{"ended by idleness, no semaphore", 2, LAUNCH_ALONE, false, {{320, 320, 0, LAST}}},
	{"all launched, each counts the next down",
	 2,
	 LAUNCH_ALL,
	 true,
	 {{371, 369, 4, NOT_LAST}, {15, 0, 1, NOT_FIRST}}},
	{"the same, no barrier (may be wrong)",
	 2,
	 LAUNCH_ALL,
	 true,
	 {{371, 369, 4, NOT_LAST}, {15, 0, 1, NOT_FIRST}, NO_BARRIER}},
};
#define EXPERIMENTS (sizeof(experiments) / sizeof(*experiments))

static void change(uint32_t *words, const struct bits *b)
{
	uint32_t bit;

	for (bit = b->low; bit <= b->high; bit++) {
		words[bit / 32] &= ~(1u << bit % 32);
		words[bit / 32] |= (b->value >> (bit - b->low) & 1) << bit % 32;
	}
}

static bool concerns(enum who who, uint32_t node, uint32_t count)
{
	return who == ALL || (who == NOT_FIRST && node) || (who == NOT_LAST && node + 1 < count) ||
	       (who == LAST && node + 1 == count);
}

/* Nodes of both graphs are a chain, in the order of their numbers. */
static void write_methods(struct graph_run *g, enum methods methods)
{
	static uint32_t words[LONG * 8 + 64];
	struct gpu_push p = {.words = words, .capacity = sizeof(words) / 4};
	uint32_t i;

	if (methods == NOT_FORGETTING) { /* the first method with its value */
		g->parts[0].methods += 8;
		g->parts[0].words -= 2;
		return;
	}
	if (methods == LAUNCH_ALL) {
		nv_push_release(&p, g->counter, 0, GPU_RELEASE_NO_WAIT);
		for (i = g->count; i--;)
			nv_push_launch(&p, g->kernels[i]);
		nv_push_acquire(&p, g->counter, 1);
	} else {
		nv_push_launch(&p, g->kernels[0]);
	}
	memcpy((uint8_t *)g->memory->cpu + (g->parts[0].methods - g->memory->va), words,
	       p.count * 4);
	g->parts[0].words = p.count;
}

/* Video memory may be read through its window, slowly. */
static void apply(struct graph_run *g, const struct experiment *e)
{
	uint32_t qmd[NV_QMD_MAX_WORDS], i, k;

	for (i = 0; i < g->count; i++) {
		uint8_t *at = (uint8_t *)g->memory->cpu + (g->kernels[i] - g->memory->va);

		memcpy(qmd, at, sizeof(qmd));
		for (k = 0; k < 8 && e->bits[k].high; k++)
			if (concerns(e->bits[k].who, i, g->count))
				change(qmd, &e->bits[k]);
		memcpy(at, qmd, sizeof(qmd));
	}
	if (e->methods != AS_THEY_ARE)
		write_methods(g, e->methods);
	winsys_write_barrier();
}

/* ---- one row ---- */

struct row {
	sov_context context;
	sov_stream stream;
	sov_function functions[POUR + 1];
	sov_ptr word, ring[2], sink;
	const struct graph_way *way;
	const struct experiment *experiment; /* NULL: the way as it is */
};

#define TRY(call) \
	do { \
		sov_result r_ = call; \
		if (r_) \
			return r_; \
	} while (0)

static sov_result start(struct row *r)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	struct context *c;
	sov_module m;

	o.kernel_time_limit = LIMIT_S * UINT64_C(1000000000) / LONG;
	TRY(sov_context_create(device, &o, &r->context));
	c = object_get(r->context, OBJECT_CONTEXT);
	c->graph_way = r->way;
	object_put(&c->object);
	TRY(sov_context_get_stream(r->context, &r->stream));
	TRY(sov_module_load(r->context, ptx, sizeof(ptx) - 1, NULL, &m));
	TRY(sov_module_get_function(m, "add", &r->functions[ONE]));
	TRY(sov_module_get_function(m, "turn", &r->functions[FEW]));
	r->functions[NEIGHBOURS] = r->functions[FEW];
	TRY(sov_module_get_function(m, "flood", &r->functions[FLOOD]));
	TRY(sov_module_get_function(m, "pour", &r->functions[POUR]));
	TRY(sov_memory_alloc(r->context, 16ull * blocks * BLOCK * FLOOD_TIMES, &r->sink));
	TRY(sov_memory_alloc(r->context, 4, &r->word));
	TRY(sov_memory_alloc(r->context, 4ull * blocks * BLOCK, &r->ring[0]));
	return sov_memory_alloc(r->context, 4ull * blocks * BLOCK, &r->ring[1]);
}

static uint32_t blocks_of(enum shape shape)
{
	return shape == ONE ? 1 : shape == FEW || shape == POUR ? few : blocks;
}

static sov_result make_graph(struct row *r, enum shape shape, uint32_t length, sov_graph_exec *run)
{
	uint32_t count = blocks_of(shape), n = count * BLOCK, times = FLOOD_TIMES, i;
	sov_launch l = SOV_INIT(sov_launch);
	struct graph_run *made;
	sov_node node = 0;
	sov_graph g;

	l.grid[0] = count;
	l.block[0] = shape ? BLOCK : 1;
	l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	TRY(sov_graph_create(r->context, 0, &g));
	for (i = 0; i < length; i++) {
		const void *many[] = {&r->ring[~i & 1], &r->ring[i & 1], &n, &r->sink, &times};
		const void *one[] = {&r->word};

		l.arguments = shape ? many : one;
		l.argument_count = shape == FLOOD ? 5 : shape == POUR ? 4 : shape ? 3 : 1;
		TRY(sov_graph_add_kernel(g, &node, node != 0, r->functions[shape], &l, &node));
	}
	TRY(sov_graph_instantiate(g, run));
	TRY(sov_graph_destroy(g));
	if (r->experiment) {
		made = object_get(*run, OBJECT_GRAPH_EXEC);
		apply(made, r->experiment);
		object_put(&made->member.object);
	}
	return SOV_OK;
}

static sov_result go(struct row *r, sov_graph_exec run)
{
	TRY(sov_graph_launch(run, r->stream));
	return sov_stream_wait(r->stream, 60 * UINT64_C(1000000000));
}

/* How many words of how many rounds were wrong. */
static sov_result judge(struct row *r, enum shape shape, uint64_t *wrong)
{
	uint32_t n = blocks_of(shape) * BLOCK, round, i;
	uint32_t *got = malloc(4ull * n);
	sov_graph_exec run;
	sov_result result = make_graph(r, shape, SHORT, &run);

	for (round = 0; !result && round < rounds; round++) {
		result = sov_memory_fill(r->context, r->ring[0], round, 4, n);
		if (!result)
			result = go(r, run);
		if (!result)
			result = sov_memory_copy(r->context, SOV_HOST(got), r->ring[SHORT & 1],
						 4ull * n);
		for (i = 0; !result && i < n; i++)
			*wrong += got[i] != round + SHORT;
	}
	free(got);
	return result;
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median of running it and waiting; and whether every run has counted. */
static sov_result measure(struct row *r, uint32_t length, double *us, uint64_t *wrong)
{
	double *times = calloc(samples, sizeof(*times));
	sov_result result;
	sov_graph_exec run;
	uint32_t i, got = 0;

	result = make_graph(r, ONE, length, &run);
	if (!result)
		result = sov_memory_fill(r->context, r->word, 0, 4, 1);
	for (i = 0; !result && i < samples; i++) {
		double from = now_us();

		result = go(r, run);
		times[i] = now_us() - from;
	}
	if (!result)
		result = sov_memory_copy(r->context, SOV_HOST(&got), r->word, 4);
	*wrong += !result && got != samples * length;
	qsort(times, samples, sizeof(*times), by_size);
	*us = times[samples / 2];
	free(times);
	return result;
}

enum { TURNS = 3, ROWS = 64 };

static struct line {
	const char *name;
	const struct graph_way *way;
	const struct experiment *experiment;
	double many, few;     /* least of the turns' medians */
	uint64_t wrong, late; /* words: of neighbours and alone, of floods */
	sov_result result;
	char message[256];
} lines[ROWS];

static void do_line(struct line *l, bool judged)
{
	struct row r = {.way = l->way, .experiment = l->experiment};
	double many = 0, few = 0;

	l->result = start(&r);
	if (!l->result && !judged)
		l->result = judge(&r, FEW, &l->wrong);
	if (!l->result && !judged)
		l->result = judge(&r, NEIGHBOURS, &l->wrong);
	if (!l->result && !judged)
		l->result = judge(&r, FLOOD, &l->late);
	if (!l->result && !judged)
		l->result = judge(&r, POUR, &l->late);
	if (!l->result)
		l->result = measure(&r, LONG, &many, &l->wrong);
	if (!l->result)
		l->result = measure(&r, SHORT, &few, &l->wrong);
	if (l->result)
		snprintf(l->message, sizeof(l->message), "%s", sov_last_error());
	else if (!judged || many < l->many)
		l->many = many, l->few = few;
	if (r.context)
		sov_context_destroy(r.context);
}

static void print_line(const struct line *l)
{
	if (l->result)
		printf("| %s | | | %s: %s |\n", l->name, sov_result_name(l->result), l->message);
	else
		printf("| %s | %.2f | %.0f | %s |\n", l->name, l->many,
		       (l->many - l->few) * 1000 / (LONG - SHORT),
		       l->wrong  ? "WRONG"
		       : l->late ? "LATE"
				 : "right");
}

int main(int argc, char **argv)
{
	uint32_t turns = TURNS, count = 0, i, turn;
	bool bold = false, good = true;

	for (i = 1; i < (uint32_t)argc; i++) {
		bold |= !strcmp(argv[i], "--bold");
		if (!strcmp(argv[i], "--small")) {
			samples = 11;
			rounds = 2;
			blocks = 160;
			few = 4;
			turns = 1;
		}
	}
	if (sov_device_open(0, &device)) {
		printf("BROKEN: %s\n", sov_last_error());
		return 2;
	}
	for (i = 0; i < graph_way_count; i++)
		lines[count++] = (struct line){.name = graph_ways[i].name, .way = &graph_ways[i]};
	for (i = 0; i < EXPERIMENTS; i++)
		if (bold || !experiments[i].bold)
			lines[count++] = (struct line){.name = experiments[i].name,
						       .way = &graph_ways[experiments[i].way],
						       .experiment = &experiments[i]};
	/* Rows take turns, so that a clock that moves moves under all; one that failed has had its. */
	for (turn = 0; turn < turns; turn++)
		for (i = 0; i < count; i++)
			if (!lines[i].result)
				do_line(&lines[i], turn);
	printf("| way | graph of %u, us | a kernel more, ns | result |\n| --- | --- | --- | --- "
	       "|\n",
	       LONG);
	for (i = 0; i < count; i++) {
		print_line(&lines[i]);
		good &= lines[i].experiment ||
			(!lines[i].result && !lines[i].wrong && !lines[i].late);
	}
	printf("%s\n", good ? "PASS: all ways of the library are right"
			    : "FAIL: a way of the library is wrong");
	return !good;
}
