// SPDX-License-Identifier: MIT
/*
 * Uniform registers hold values that are the same for all lanes, and divergent lanes must not lose
 * values in them. Random kernels compute with uniform and divergent values in branches, loops and
 * jumps out of these, which the lanes take uniformly or divergently, and sometimes write to uniform
 * values in divergent code. Each kernel runs on one software GPU in one mode, round-robin, and must
 * compute the same as on the IR interpreter.
 *
 *	uniform [FIRST [COUNT]]   numbers of the kernels; a single one is printed
 */
#include "tests/userspace/compiler/driver/_agree.h"

#define USUAL_COUNT (160 / TAP_SLOWNESS)
#define VALUES      6 /* of each kind: %u0 … starts uniform, %v0 … divergent */
#define DEEPEST     3
#define THREADS     80 /* two and a half warps */

struct writer {
	FILE *out;
	uint64_t seed;
	uint32_t labels, left;
	bool divergent; /* control flow may be divergent here */
	bool leaves;    /* lanes may exit early */
	bool in_loop[DEEPEST + 1];
	uint32_t loop[DEEPEST + 1]; /* its label */
};

static uint32_t pick_below(struct writer *w, uint32_t n)
{
	return (uint32_t)(agree_random(&w->seed) % n);
}

/* Emits a line: U and V stand for values, I for a small number, F for a number from 1 to 2. */
static void put_line(struct writer *w, const char *text)
{
	fputc('\t', w->out);
	for (const char *c = text; *c; c++) {
		if (*c == 'U')
			fprintf(w->out, "%%u%u", pick_below(w, VALUES));
		else if (*c == 'V')
			fprintf(w->out, "%%v%u", pick_below(w, VALUES));
		else if (*c == 'I')
			fprintf(w->out, "%u", 1 + pick_below(w, 60));
		else if (*c == 'F')
			fprintf(w->out, "0d3ff%05x%08x", pick_below(w, 1 << 20),
				pick_below(w, UINT32_MAX));
		else
			fputc(*c, w->out);
	}
	fputs(";\n", w->out);
}

static const char *const uniform_rows[] = {
	"add.s32 U, U, U",          "sub.s32 U, U, I",
	"mad.lo.s32 U, U, I, U",    "xor.b32 U, U, U",
	"and.b32 U, U, 0xffff",     "shl.b32 U, U, 3",
	"shr.u32 U, U, 2",          "lop3.b32 U, U, U, U, 0x96",
	"prmt.b32 U, U, U, 0x5410", "mov.b32 U, I",
	"mov.u32 U, %ctaid.x",      "ld.param.u32 U, [a]",
	"add.s32 U, U, %n",         "mov.b32 U, U",
	"add.s32 U, U, I",          "mul.lo.s32 U, U, U",
};

static const char *const mixed_rows[] = {
	"add.s32 V, V, U",
	"sub.s32 V, U, V",
	"mad.lo.s32 V, V, U, V",
	"mad.lo.s32 V, V, V, U",
	"xor.b32 V, V, U",
	"lop3.b32 V, V, U, V, 0x1e",
	"lop3.b32 V, U, V, V, 0x4b",
	"mad.lo.s32 V, V, V, U",
	"mov.b32 V, U",
	"or.b32 V, U, V",
	"setp.lt.s32 %t, V, U; selp.b32 V, V, U, %t",
	"setp.gt.u32 %t, U, V; selp.b32 V, U, V, %t",
	"and.b32 %x, U, 0x1fc; add.u32 %x, %x, %table; ld.shared.u32 V, [%x+4]",
	"and.b32 %x, U, 0xfc; and.b32 %y, V, 0xfc; add.u32 %x, %x, %y; add.u32 %x, %x, %table; "
	"ld.shared.u32 V, [%x]",
	"and.b32 %x, U, 0x3fffffff; mov.b32 %g, %x; cvt.rn.f32.s32 %f, V; add.f32 %f, %f, %g; "
	"cvt.rzi.s32.f32 V, %f",
	"cvt.rn.f64.s32 %d, V; fma.rn.f64 %e, %d, F, %d; fma.rn.f64 %d, %e, F, %d; mul.f64 %e, %d, "
	"F; "
	"add.f64 %d, %e, F; fma.rn.f64 %d, %d, F, %e; fma.rn.f64 %e, %d, F, %e; cvt.rzi.s32.f64 V, "
	"%e",
	"cvt.rn.f64.s32 %d, V; fma.rn.f64 %d, %d, F, F; cvt.rzi.s32.f64 V, %d",
	/* the slow path of a reciprocal, which is a call */
	"cvt.rn.f64.s32 %d, V; mul.f64 %d, %d, 0d7fc0000000000000; rcp.rn.f64 %d, %d; "
	"mul.f64 %d, %d, 0d7fd0000000000000; cvt.rzi.s32.f64 V, %d",
	"mul.wide.u32 %l, V, U; add.s64 %l, %l, %l; mov.b64 {V, %x}, %l",
};

static const char *const conditions[] = {
	/* the first three are uniform in a block */
	"sub.s32 %x, U, U; setp.lt.s32 %p, %x, 0", "setp.lt.u32 %p, %n, 0x40000000",
	"and.b32 %x, U, 1; setp.ne.s32 %p, %x, 0", "setp.lt.s32 %p, V, U",
	"and.b32 %x, V, 3; setp.eq.s32 %p, %x, 1", "setp.gt.u32 %p, %lane, I",
};

static void put_body(struct writer *w, uint32_t depth);

/* One in three is divergent. */
static bool put_condition(struct writer *w)
{
	bool diverges = !pick_below(w, 3);

	put_line(w, conditions[3 * diverges + pick_below(w, 3)]);
	return diverges;
}

static void put_branch(struct writer *w, uint32_t depth)
{
	uint32_t label = w->labels++;
	bool divergent = w->divergent;

	w->divergent |= put_condition(w);
	fprintf(w->out, "\t@%%p bra else%u;\n", label);
	put_body(w, depth + 1);
	fprintf(w->out, "\tbra end%u;\nelse%u:\n", label, label);
	if (pick_below(w, 2))
		put_body(w, depth + 1);
	fprintf(w->out, "end%u:\n", label);
	w->divergent = divergent;
}

/* Up to four iterations, uniform or divergent; the counter is a value like others. */
static void put_loop(struct writer *w, uint32_t depth)
{
	uint32_t label = w->labels++;
	bool divergent = w->divergent, diverges = !pick_below(w, 3);

	put_line(w, diverges ? "and.b32 %x, V, 3" : "and.b32 %x, U, 3");
	w->divergent |= diverges;
	fprintf(w->out, "\tadd.s32 %%last%u, %%x, 1;\n\tmov.b32 %%count%u, 0;\nloop%u:\n", depth,
		depth, label);
	w->in_loop[depth + 1] = true;
	w->loop[depth + 1] = label;
	put_body(w, depth + 1);
	w->in_loop[depth + 1] = false;
	fprintf(w->out, "\tadd.s32 %%v%u, %%v%u, %%count%u;\n", pick_below(w, VALUES),
		pick_below(w, VALUES), depth);
	fprintf(w->out, "\tadd.s32 %%count%u, %%count%u, 1;\n", depth, depth);
	fprintf(w->out, "\tsetp.lt.u32 %%p, %%count%u, %%last%u;\n\t@%%p bra loop%u;\nout%u:\n",
		depth, depth, label, label);
	w->divergent = divergent;
}

/* Leaves the innermost loop, or the whole kernel. */
static void put_leave(struct writer *w, uint32_t depth)
{
	w->divergent |= put_condition(w);
	if (w->in_loop[depth] && pick_below(w, 3))
		fprintf(w->out, "\t@%%p bra out%u;\n", w->loop[depth]);
	else if (w->leaves)
		fprintf(w->out, "\t@%%p bra finish;\n");
}

static void put_body(struct writer *w, uint32_t depth)
{
	for (uint32_t n = 2 + pick_below(w, depth ? 6 : 24); n && w->left; n--, w->left--) {
		uint32_t what = pick_below(w, 20);

		if (what < 2 && depth < DEEPEST)
			put_branch(w, depth);
		else if (what < 4 && depth < DEEPEST)
			put_loop(w, depth);
		else if (what < 5)
			put_leave(w, depth);
		else if (what < 12 && (!w->divergent || !pick_below(w, 6)))
			put_line(w, uniform_rows[pick_below(w, sizeof(uniform_rows) /
								       sizeof(uniform_rows[0]))]);
		else
			put_line(w, mixed_rows[pick_below(w, sizeof(mixed_rows) /
								     sizeof(mixed_rows[0]))]);
	}
}

static char *uniform_ptx(uint64_t number)
{
	struct writer w = {.seed = number, .left = 90};
	char *text = NULL;
	size_t size;

	w.leaves = !pick_below(&w, 5);
	w.out = open_memstream(&text, &size);
	fprintf(w.out,
		".version 8.0\n.target sm_80\n.address_size 64\n"
		".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 scratch, .param "
		".u32 a, "
		".param .u64 b)\n{\n"
		"\t.reg .b32 %%u<%u>, %%v<%u>, %%count<4>, %%last<4>, %%n, %%lane, %%table, %%x, "
		"%%y;\n"
		"\t.reg .b64 %%out, %%l; .reg .f32 %%f, %%g; .reg .f64 %%d, %%e; .reg .pred %%p, "
		"%%t;\n"
		"\t.shared .align 16 .b8 table[1024];\n"
		"\tld.param.u64 %%out, [out];\n\tld.param.u32 %%n, [a];\n\tmov.u32 %%lane, "
		"%%laneid;\n"
		"\tmov.u32 %%x, %%ctaid.x;\n\tmov.u32 %%y, %%tid.x;\n\tmov.u32 %%table, table;\n"
		"\tmad.lo.s32 %%x, %%x, %u, %%y;\n\tmul.wide.u32 %%l, %%x, %u;\n"
		"\tadd.s64 %%out, %%out, %%l;\n",
		VALUES, VALUES, THREADS, 8 * AGREE_SLOTS);
	/* Threads fill the table; after the barrier no thread writes to it. */
	fprintf(w.out, "\tshl.b32 %%x, %%y, 3;\n\tadd.u32 %%x, %%x, %%table;\n"
		       "\tst.shared.u32 [%%x], %%y;\n"
		       "\tmul.lo.u32 %%lane, %%y, 2654435761;\n\tst.shared.u32 [%%x+4], %%lane;\n"
		       "\tmov.b32 %%lane, 7;\n\tst.shared.u32 [table+640], %%lane;\n"
		       "\tmov.u32 %%lane, %%laneid;\n\tbar.sync 0;\n");
	for (uint32_t k = 0; k < VALUES; k++) {
		fprintf(w.out, k % 2 ? "\tmov.b32 %%u%u, %u;\n" : "\tadd.s32 %%u%u, %%n, %u;\n", k,
			pick_below(&w, 99));
		fprintf(w.out, "\tmad.lo.s32 %%v%u, %%y, %u, %%n;\n", k, 1 + pick_below(&w, 99));
	}
	put_body(&w, 0);
	fprintf(w.out, "finish:\n");
	for (uint32_t k = 0; k < VALUES; k++)
		fprintf(w.out,
			"\tadd.s32 %%x, %%v%u, %%u%u;\n\tst.global.u32 [%%out+%u], %%x;\n"
			"\tst.global.u32 [%%out+%u], %%v%u;\n",
			k, k, 8 * k, 8 * k + 4, k);
	fprintf(w.out, "\tret;\n}\n");
	fclose(w.out);
	return text;
}

static void try_kernel(uint64_t number, bool print)
{
	const struct agree_mode *mode = &agree_modes[number / AGREE_DEVICES % AGREE_MODES];
	uint32_t device = number % AGREE_DEVICES;
	char *ptx = uniform_ptx(number);

	if (print)
		printf("%s", ptx);
	agree_inputs(number, THREADS);
	ok(agree_interpret(ptx) && agree_device(device, ptx, mode),
	   "uniform kernel %llu agrees with the interpreter on %s, %s code",
	   (unsigned long long)number, agree.properties[device].name, mode->name);
	free(ptx);
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : argc > 1 ? 1 : USUAL_COUNT;

	if (!agree_start()) {
		ok(false, "software GPUs start for uniform kernels");
		return tap_done();
	}
	for (uint64_t n = first; n < first + count; n++)
		try_kernel(n, argc == 2);
	for (uint32_t n = 0; n < AGREE_DEVICES; n++)
		sov_context_destroy(agree.contexts[n]);
	return tap_done();
}
