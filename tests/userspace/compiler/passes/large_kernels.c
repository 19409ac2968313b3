// SPDX-License-Identifier: MIT
/*
 * Large kernels compile: tens of thousands of blocks in shapes that provoke deep recursion or
 * quadratic time. The test runner's time limit applies.
 */
#include "libsov/compiler/driver/compiler.h"
#include "tests/tap.h"

#define BLOCKS (20000 / TAP_SLOWNESS)

static const char head[] = "kernel k(out: 8 at 0 pointer, n: 4 at 8) {\n"
			   "entry:\n"
			   "	%o = load.b64 param [0]\n"
			   "	%n = load.b32 param [8]\n"
			   "	%zero = const.b32 0\n"
			   "	%one = const.b32 1\n"
			   "	write.b32 r1, %one\n"
			   "	br d0\n";

static void line(FILE *out, uint32_t k)
{
	fprintf(out, "d%u:\n\t%%v%u = read.b32 r1\n\t%%x%u = add.b32 %%v%u, %%n\n", k, k, k, k);
	fprintf(out, "\twrite.b32 r1, %%x%u\n\tbr d%u\n", k, k + 1);
}

static void diamond(FILE *out, uint32_t k)
{
	fprintf(out, "d%u:\n\t%%v%u = read.b32 r1\n", k, k);
	fprintf(out, "\t%%c%u = icmp.b32 lt.u %%v%u, %%n\n", k, k);
	fprintf(out, "\tcbr %%c%u, l%u, r%u\n", k, k, k);
	fprintf(out, "l%u:\n\t%%x%u = add.b32 %%v%u, %%one\n\twrite.b32 r1, %%x%u\n", k, k, k, k);
	fprintf(out, "\tbr d%u\n", k + 1);
	fprintf(out, "r%u:\n\t%%y%u = mul.b32 %%v%u, %%n\n\twrite.b32 r1, %%y%u\n", k, k, k, k);
	fprintf(out, "\tbr d%u\n", k + 1);
}

/* Each branch condition becomes constant only after the previous branch was folded. */
static void decided(FILE *out, uint32_t k)
{
	fprintf(out, "d%u:\n\t%%v%u = read.b32 r1\n", k, k);
	fprintf(out, "\t%%c%u = icmp.b32 eq %%v%u, %%one\n", k, k);
	fprintf(out, "\tcbr %%c%u, l%u, r%u\n", k, k, k);
	fprintf(out, "l%u:\n\tstore.b32 global [%%o], %%one\n\tbr d%u\n", k, k + 1);
	fprintf(out, "r%u:\n\twrite.b32 r1, %%zero\n\tbr d%u\n", k, k + 1);
}

static void early_exit(FILE *out, uint32_t k)
{
	fprintf(out, "d%u:\n\t%%v%u = read.b32 r1\n\t%%x%u = add.b32 %%v%u, %%n\n", k, k, k, k);
	fprintf(out, "\twrite.b32 r1, %%x%u\n\t%%c%u = icmp.b32 lt.u %%x%u, %%n\n", k, k, k);
	fprintf(out, "\tcbr %%c%u, d%u, d%u\n", k, BLOCKS, k + 1);
}

static void far_store(FILE *out, uint32_t k)
{
	fprintf(out, "d%u:\n\t%%k%u = const.b64 %u\n", k, k, 4096 + k * 36);
	fprintf(out, "\t%%p%u = add.b64 %%o, %%k%u\n", k, k);
	fprintf(out, "\tstore.b32 global [%%p%u], %%n\n\tbr d%u\n", k, k + 1);
}

static const struct shape {
	const char *promise;
	void (*write)(FILE *out, uint32_t k);
} shapes[] = {
	{"blocks in a row", line},
	{"diamonds in a row", diamond},
	{"branches whose conditions depend on each other", decided},
	{"early exits", early_exit},
	{"stores out of each other's offset range", far_store},
};

int main(void)
{
	for (uint32_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
		struct compile_options o = {.source = COMPILE_IR, .target = "dummy"};
		struct compile_result r;
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		fputs(head, out);
		for (uint32_t k = 0; k < BLOCKS; k++)
			shapes[s].write(out, k);
		fprintf(out, "d%u:\n\t%%last = read.b32 r1\n", BLOCKS);
		fprintf(out, "\tstore.b32 global [%%o], %%last\n\tret\n}\n");
		fclose(out);
		if (!ok(compile(text, size, &o, &r), "a kernel of %d %s compiles", BLOCKS,
			shapes[s].promise))
			diag("%s", r.messages);
		compile_result_free(&r);
		free(text);
	}
	return tap_done();
}
