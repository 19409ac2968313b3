/* SPDX-License-Identifier: MIT */
/*
 * PTX modules of one shape and any size: input whose compile time or memory would grow faster than
 * the text if a pass compared everything with everything. The text of a shape has O(n) lines.
 */
#ifndef TESTS_SHAPES_H
#define TESTS_SHAPES_H

#include <stdint.h>
#include <stdio.h>

struct shape {
	const char *name, *is;
	void (*write)(FILE *f, uint32_t n);
	uint32_t nv, amd; /* sizes that the test compiles; 0: only for measuring */
};

static void shape_head(FILE *f)
{
	fputs(".version 8.0\n.target sm_80\n.address_size 64\n", f);
}

/* %r1 is divergent, %r2 is uniform, %d2 is an address of the thread's own. */
static void shape_open(FILE *f, const char *name, uint32_t registers)
{
	fprintf(f,
		".visible .entry %s(.param .u64 out, .param .u32 n)\n{\n"
		".reg .b32 %%r<%u>;\n.reg .b64 %%d<%u>;\n.reg .pred %%p<%u>;\n.reg .f64 %%f<%u>;\n"
		"ld.param.u64 %%d1, [out];\nld.param.u32 %%r2, [n];\nmov.u32 %%r1, %%tid.x;\n"
		"mad.wide.u32 %%d2, %%r1, 4, %%d1;\nmov.u32 %%r3, %%r1;\nmov.u32 %%r4, %%r2;\n",
		name, registers + 10, registers + 10, registers + 10, registers + 10);
}

static void shape_close(FILE *f)
{
	fputs("st.global.u32 [%d2], %r3;\nret;\n}\n", f);
}

/* A branch by lane to a label. */
static void shape_branch(FILE *f, uint32_t k, uint32_t to)
{
	fprintf(f, "ld.global.u32 %%r5, [%%d2+%u];\nsetp.gt.u32 %%p1, %%r5, %u;\n@%%p1 bra L%u;\n",
		4 * k, k, to);
	fprintf(f, "mad.lo.u32 %%r3, %%r3, %%r5, %%r2;\nL%u:\nadd.u32 %%r3, %%r3, %u;\n", k, k);
}

static void shape_jumps(FILE *f, uint32_t n, uint32_t (*to)(uint32_t k, uint32_t n))
{
	shape_head(f);
	shape_open(f, "kernel", 0);
	for (uint32_t k = 0; k < n; k++)
		shape_branch(f, k, to(k, n) < n ? to(k, n) : n);
	fprintf(f, "L%u:\n", n);
	shape_close(f);
}

static uint32_t to_near(uint32_t k, uint32_t n)
{
	(void)n;
	return k + 1 + k * 7 % 5;
}

static uint32_t to_far(uint32_t k, uint32_t n)
{
	return k + n / 2;
}

static uint32_t to_end(uint32_t k, uint32_t n)
{
	(void)k;
	return n;
}

static uint32_t to_any(uint32_t k, uint32_t n)
{
	return k + 1 + k * 2654435761u % (n - k);
}

static void near_jumps(FILE *f, uint32_t n)
{
	shape_jumps(f, n, to_near);
}

static void far_jumps(FILE *f, uint32_t n)
{
	shape_jumps(f, n, to_far);
}

static void end_jumps(FILE *f, uint32_t n)
{
	shape_jumps(f, n, to_end);
}

static void any_jumps(FILE *f, uint32_t n)
{
	shape_jumps(f, n, to_any);
}

/* One block in which line() writes each of n instructions. */
static void shape_block(FILE *f, uint32_t n, void (*line)(FILE *f, uint32_t k))
{
	shape_head(f);
	fputs(".shared .align 4 .b8 shared[4096];\n", f);
	shape_open(f, "kernel", 0);
	for (uint32_t k = 0; k < n; k++)
		line(f, k);
	shape_close(f);
}

static void mad_line(FILE *f, uint32_t k)
{
	fprintf(f, "mad.lo.u32 %%r3, %%r3, %%r1, %u;\n", k);
}

static void mix_line(FILE *f, uint32_t k)
{
	static const char *const ops[] = {"add.u32", "xor.b32", "mul.lo.u32", "min.u32",
					  "sub.u32", "and.b32", "max.s32",    "shl.b32"};

	fprintf(f, "%s %%r%u, %%r%u, %%r%u;\n", ops[k % 8], 3 + k % 5, 1 + k * 3 % 7, 1 + k % 7);
}

static void load_line(FILE *f, uint32_t k)
{
	fprintf(f, "ld.global.u32 %%r5, [%%d2+%u];\nadd.u32 %%r3, %%r3, %%r5;\n", 4 * k);
}

static void store_line(FILE *f, uint32_t k)
{
	fprintf(f, "st.global.u32 [%%d2+%u], %%r%u;\n", 8 * k, 1 + k % 2);
}

static void atomic_line(FILE *f, uint32_t k)
{
	fprintf(f, "atom.shared.add.u32 %%r5, [shared+%u], %%r1;\nadd.u32 %%r3, %%r3, %%r5;\n",
		4 * (k % 1000));
}

static void shared_line(FILE *f, uint32_t k)
{
	fprintf(f,
		"st.shared.u32 [shared+%u], %%r3;\nld.shared.u32 %%r5, [shared+%u];\n"
		"add.u32 %%r3, %%r3, %%r5;\n",
		4 * (k % 1000), 4 * (k * 7 % 1000));
}

static void barrier_line(FILE *f, uint32_t k)
{
	fprintf(f, "st.shared.u32 [shared+%u], %%r3;\nbar.sync 0;\nld.shared.u32 %%r3, [shared];\n",
		4 * (k % 1000));
}

static void shuffle_line(FILE *f, uint32_t k)
{
	fprintf(f, "shfl.sync.bfly.b32 %%r3, %%r3, %u, 31, -1;\n", k % 31 + 1);
}

static void select_line(FILE *f, uint32_t k)
{
	fprintf(f, "setp.lt.u32 %%p1, %%r3, %u;\nselp.b32 %%r3, %%r%u, %%r3, %%p1;\n", 17 * k,
		1 + k % 2);
}

static void f64_division_line(FILE *f, uint32_t k)
{
	fprintf(f,
		"cvt.rn.f64.u32 %%f1, %%r3;\nadd.f64 %%f2, %%f2, 0d3ff0000000000000;\n"
		"div.rn.f64 %%f2, %%f1, %%f2;\nxor.b32 %%r3, %%r3, %u;\n",
		k);
	fputs("cvt.rzi.u32.f64 %r3, %f2;\n", f);
}

static void f32_division_line(FILE *f, uint32_t k)
{
	fprintf(f, "xor.b32 %%r5, %%r3, %u;\ndiv.rn.f32 %%r3, %%r5, %%r1;\n", k);
}

static void u64_division_line(FILE *f, uint32_t k)
{
	fprintf(f,
		"add.u64 %%d3, %%d2, %u;\nrem.u64 %%d4, %%d4, %%d3;\n"
		"cvt.u32.u64 %%r5, %%d4;\nadd.u32 %%r3, %%r3, %%r5;\n",
		k);
}

static void guard_line(FILE *f, uint32_t k)
{
	fprintf(f,
		"setp.lt.u32 %%p1, %%r3, %u;\n@%%p1 st.global.u32 [%%d2+%u], %%r3;\n"
		"add.u32 %%r3, %%r3, 1;\n",
		17 * k, 4 * k);
}

static void constant_line(FILE *f, uint32_t k)
{
	fprintf(f, "st.global.u32 [%%d2+%u], %u;\n", 4 * k % 65536, 2654435761u * k);
}

#define BLOCK_SHAPE(name) \
	static void name##_block(FILE *f, uint32_t n) \
	{ \
		shape_block(f, n, name##_line); \
	}
BLOCK_SHAPE(mad)
BLOCK_SHAPE(mix)
BLOCK_SHAPE(load)
BLOCK_SHAPE(store)
BLOCK_SHAPE(atomic)
BLOCK_SHAPE(shared)
BLOCK_SHAPE(barrier)
BLOCK_SHAPE(shuffle)
BLOCK_SHAPE(select)
BLOCK_SHAPE(f64_division)
BLOCK_SHAPE(f32_division)
BLOCK_SHAPE(u64_division)
BLOCK_SHAPE(guard)
BLOCK_SHAPE(constant)

/* n loads, all of whose results are live at once. */
static void live_loads(FILE *f, uint32_t n)
{
	shape_head(f);
	shape_open(f, "kernel", n);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, "ld.global.u32 %%r%u, [%%d2+%u];\n", 10 + k, 4 * k);
	fputs("bar.sync 0;\n", f);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, "mad.lo.u32 %%r3, %%r3, %%r1, %%r%u;\n", 10 + k);
	shape_close(f);
}

static void live_predicates(FILE *f, uint32_t n)
{
	shape_head(f);
	shape_open(f, "kernel", n);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, "ld.global.u32 %%r5, [%%d2+%u];\nsetp.gt.u32 %%p%u, %%r5, %%r2;\n",
			4 * k, 2 + k);
	fputs("bar.sync 0;\n", f);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, "@%%p%u mad.lo.u32 %%r3, %%r3, %%r1, %u;\n", 2 + k, k);
	shape_close(f);
}

/* n registers that both sides of a branch set. */
static void phis(FILE *f, uint32_t n)
{
	shape_head(f);
	shape_open(f, "kernel", n);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, "xor.b32 %%r%u, %%r1, %u;\n", 10 + k, k);
	fputs("setp.gt.u32 %p1, %r1, 7;\n@%p1 bra L0;\n", f);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, "mul.lo.u32 %%r%u, %%r1, %u;\n", 10 + k, k + 3);
	fputs("L0:\n", f);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, "mad.lo.u32 %%r3, %%r3, %%r1, %%r%u;\n", 10 + k);
	shape_close(f);
}

/* Diamonds whose branches depend on each other's results: on a register that differs between lanes,
 * or on one that does not. */
static void write_diamonds(FILE *f, uint32_t n, const char *reg, const char *factor)
{
	shape_head(f);
	shape_open(f, "kernel", 0);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f,
			"setp.lt.u32 %%p1, %s, %u;\n@%%p1 bra L%u;\n"
			"st.global.u32 [%%d2+%u], %%r3;\nmul.lo.u32 %s, %s, %s;\nbra.uni M%u;\n"
			"L%u:\nadd.u32 %s, %s, %%r2;\nst.global.u32 [%%d2], %s;\nM%u:\n",
			reg, 17 * k, k, 4 * k, reg, reg, factor, k, k, reg, reg, reg, k);
	shape_close(f);
}

static void diamonds(FILE *f, uint32_t n)
{
	write_diamonds(f, n, "%r3", "%r1");
}

static void uniform_diamonds(FILE *f, uint32_t n)
{
	write_diamonds(f, n, "%r4", "3");
}

static void nested_ifs(FILE *f, uint32_t n)
{
	shape_head(f);
	shape_open(f, "kernel", 0);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f,
			"ld.global.u32 %%r5, [%%d2+%u];\nsetp.gt.u32 %%p1, %%r5, %u;\n@%%p1 bra "
			"L%u;\n"
			"add.u32 %%r3, %%r3, %%r5;\n",
			4 * k, k, k);
	for (uint32_t k = n; k--;)
		fprintf(f, "st.global.u32 [%%d2+%u], %%r3;\nL%u:\n", 4 * k, k);
	shape_close(f);
}

static void shape_loop(FILE *f, uint32_t k)
{
	fprintf(f, "mov.u32 %%r%u, 0;\nL%u:\n", 10 + k, k);
}

static void shape_loop_end(FILE *f, uint32_t k)
{
	fprintf(f,
		"add.u32 %%r3, %%r3, %%r%u;\nadd.u32 %%r%u, %%r%u, 1;\n"
		"setp.lt.u32 %%p1, %%r%u, %%r%u;\n@%%p1 bra L%u;\n",
		10 + k, 10 + k, 10 + k, 10 + k, 1 + k % 2, k);
}

static void loops(FILE *f, uint32_t n)
{
	shape_head(f);
	shape_open(f, "kernel", n);
	for (uint32_t k = 0; k < n; k++) {
		shape_loop(f, k);
		fprintf(f, "mul.lo.u32 %%r3, %%r3, %%r1;\nst.global.u32 [%%d2+%u], %%r3;\n", 4 * k);
		shape_loop_end(f, k);
	}
	shape_close(f);
}

static void nested_loops(FILE *f, uint32_t n)
{
	shape_head(f);
	shape_open(f, "kernel", n);
	for (uint32_t k = 0; k < n; k++)
		shape_loop(f, k);
	fputs("mul.lo.u32 %r3, %r3, %r1;\nst.global.u32 [%d2], %r3;\n", f);
	for (uint32_t k = n; k--;)
		shape_loop_end(f, k);
	shape_close(f);
}

static void jump_table(FILE *f, uint32_t n)
{
	shape_head(f);
	shape_open(f, "kernel", 0);
	fputs("T: .branchtargets\n", f);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, "L%u%s\n", k, k + 1 < n ? "," : ";");
	fprintf(f, "rem.u32 %%r5, %%r1, %u;\nbrx.idx %%r5, T;\n", n);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f,
			"L%u:\nmul.lo.u32 %%r3, %%r3, %u;\nst.global.u32 [%%d2+%u], %%r1;\nbra.uni "
			"E;\n",
			k, k + 3, 4 * k);
	fputs("E:\n", f);
	shape_close(f);
}

static void switch_chain(FILE *f, uint32_t n)
{
	shape_head(f);
	shape_open(f, "kernel", 0);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, "setp.eq.u32 %%p1, %%r1, %u;\n@%%p1 bra L%u;\n", k * 3, k);
	fputs("bra.uni E;\n", f);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f,
			"L%u:\nmul.lo.u32 %%r3, %%r3, %u;\nst.global.u32 [%%d2+%u], %%r1;\nbra.uni "
			"E;\n",
			k, k + 3, 4 * k);
	fputs("E:\n", f);
	shape_close(f);
}

static void kernels(FILE *f, uint32_t n)
{
	char name[20];

	shape_head(f);
	for (uint32_t k = 0; k < n; k++) {
		snprintf(name, sizeof(name), "kernel%u", k);
		shape_open(f, name, 0);
		fprintf(f, "add.u32 %%r3, %%r3, %u;\n", k);
		shape_close(f);
	}
}

static void shape_call(FILE *f, uint32_t callee)
{
	fprintf(f,
		"{\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], %%r3;\n"
		"call.uni (q), f%u, (p);\nld.param.b32 %%r3, [q];\n}\n",
		callee);
}

static void shape_function(FILE *f, uint32_t k, uint32_t adds)
{
	fprintf(f,
		".func (.param .b32 r) f%u(.param .b32 x)\n{\n.reg .b32 %%r<9>;\n"
		"ld.param.u32 %%r3, [x];\n",
		k);
	for (uint32_t i = 0; i < adds; i++)
		fprintf(f, "mad.lo.u32 %%r3, %%r3, %%r3, %u;\nxor.b32 %%r3, %%r3, %u;\n", i, k);
	fputs("st.param.b32 [r], %r3;\nret;\n}\n", f);
}

static void calls(FILE *f, uint32_t n)
{
	shape_head(f);
	shape_function(f, 0, 200);
	shape_open(f, "kernel", 0);
	for (uint32_t k = 0; k < n; k++)
		shape_call(f, 0);
	shape_close(f);
}

static void functions(FILE *f, uint32_t n)
{
	shape_head(f);
	for (uint32_t k = 0; k < n; k++)
		shape_function(f, k, k % 7 ? 3 : 100);
	shape_open(f, "kernel", 0);
	for (uint32_t k = 0; k < n; k++)
		shape_call(f, k);
	shape_close(f);
}

/* Kernels that share a function are one unit. */
static void sharing_kernels(FILE *f, uint32_t n)
{
	char name[20];

	shape_head(f);
	shape_function(f, 0, 100);
	for (uint32_t k = 0; k < n; k++) {
		snprintf(name, sizeof(name), "kernel%u", k);
		shape_open(f, name, 0);
		shape_call(f, 0);
		shape_close(f);
	}
}

static void variables(FILE *f, uint32_t n)
{
	shape_head(f);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, ".%s .align 4 .b32 v%u;\n", k % 64 ? "global" : "shared", k);
	shape_open(f, "kernel", 0);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, "ld.%s.u32 %%r5, [v%u];\nadd.u32 %%r3, %%r3, %%r5;\n",
			k % 64 ? "global" : "shared", k);
	shape_close(f);
}

static void initialised(FILE *f, uint32_t n)
{
	shape_head(f);
	fprintf(f, ".global .align 4 .u32 v[%u] = {", n);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, "%u%s", k, k + 1 < n ? ",\n" : "};\n");
	shape_open(f, "kernel", 0);
	fputs("ld.global.u32 %r3, [v+4];\n", f);
	shape_close(f);
}

/* Accesses at constant and at variable offsets of local arrays. */
static void local_arrays(FILE *f, uint32_t n)
{
	shape_head(f);
	shape_open(f, "kernel", 0);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, ".local .align 4 .b8 a%u[16];\n", k);
	fprintf(f, ".local .align 4 .b8 b[%u];\nmov.u64 %%d4, b;\nadd.u64 %%d3, %%d4, %%d2;\n",
		4 * n);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f,
			"st.local.u32 [a%u+4], %%r3;\nst.local.u32 [b+%u], %%r3;\n"
			"ld.local.u32 %%r5, [a%u+4];\nadd.u32 %%r3, %%r3, %%r5;\n",
			k, 4 * k, k / 2);
	fputs("ld.local.u32 %r5, [%d3];\nadd.u32 %r3, %r3, %r5;\n", f);
	shape_close(f);
}

/* Loops of constant trip count, which are unrolled. */
static void unrolled_loops(FILE *f, uint32_t n)
{
	shape_head(f);
	shape_open(f, "kernel", n);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f,
			"mov.u32 %%r5, 0;\nL%u:\nmad.lo.u32 %%r3, %%r3, %%r1, %%r5;\n"
			"add.u32 %%r5, %%r5, 1;\nsetp.lt.u32 %%p1, %%r5, 4;\n@%%p1 bra L%u;\n",
			k, k);
	shape_close(f);
}

static const struct shape growth_shapes[] = {
	{"near-jumps", "divergent forward jumps over a few blocks", near_jumps, 9000, 4000},
	{"far-jumps", "divergent forward jumps over half of the kernel", far_jumps, 8000, 1500},
	{"end-jumps", "divergent jumps to the end", end_jumps, 3000, 2000},
	{"any-jumps", "divergent forward jumps to random labels", any_jumps, 2000, 4000},
	{"mads", "multiplications and additions in a block", mad_block, 0, 40000},
	{"mixed", "instructions of several kinds in a block", mix_block, 0, 0},
	{"loads", "loads in a block", load_block, 0, 0},
	{"stores", "stores in a block", store_block, 0, 0},
	{"atomics", "atomics on shared memory in a block", atomic_block, 0, 0},
	{"shared", "stores and loads of shared memory in a block", shared_block, 0, 0},
	{"barriers", "barriers", barrier_block, 0, 4000},
	{"shuffles", "shuffles in a block", shuffle_block, 0, 0},
	{"selects", "selects, each of which depends on the one before", select_block, 0, 0},
	{"guards", "guarded stores", guard_block, 0, 2000},
	{"constants", "stores of constants", constant_block, 0, 0},
	{"f64-divisions", "divisions of f64 in a block", f64_division_block, 1500, 4000},
	{"f32-divisions", "divisions of f32 in a block", f32_division_block, 0, 0},
	{"u64-divisions", "divisions of u64 in a block", u64_division_block, 4000, 1500},
	{"live-loads", "loads whose results are live together", live_loads, 0, 0},
	{"live-predicates", "predicates that are live together", live_predicates, 0, 3000},
	{"phis", "registers that both sides of a branch set", phis, 0, 3000},
	{"diamonds", "divergent branches with two sides", diamonds, 8000, 5000},
	{"uniform-diamonds", "uniform branches with two sides", uniform_diamonds, 0, 2500},
	{"nested-ifs", "nested divergent branches", nested_ifs, 2000, 2000},
	{"loops", "loops one after the other", loops, 8000, 5000},
	{"nested-loops", "nested loops", nested_loops, 2300, 0},
	{"unrolled-loops", "loops of constant trip count", unrolled_loops, 0, 0},
	{"jump-table", "targets of a brx.idx", jump_table, 2500, 5000},
	{"switch", "comparisons with constants that branch", switch_chain, 8000, 0},
	{"kernels", "kernels", kernels, 10000, 10000},
	{"sharing-kernels", "kernels that call one function", sharing_kernels, 4000, 0},
	{"calls", "calls of one function", calls, 16000, 0},
	{"functions", "functions that one kernel calls", functions, 0, 0},
	{"variables", "variables", variables, 0, 0},
	{"initialised", "initial values", initialised, 0, 0},
	{"local-arrays", "local arrays", local_arrays, 0, 3000},
};

#endif
