/* SPDX-License-Identifier: MIT */
/*
 * PTX modules of many kernels, for tests of compilation units. Kernel K stores to out[tid]
 *
 *	tid * K + the variable vK, initially 1000 + K, + K! if it calls the recursive function
 *
 * and passes the value through 256 bytes of private shared memory.
 */
#ifndef TESTS_MANY_H
#define TESTS_MANY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct many {
	unsigned kernels;
	/* number of odd-numbered kernels, from the first on, that call the function */
	unsigned callers;
	bool address;          /* the last of them calls it by its address */
	unsigned shared_bytes; /* per kernel; 0: 256 */
	unsigned broken;       /* 1 + index of a kernel that exceeds shared memory; 0: none */
	bool misspelt;         /* a syntax error in the last kernel */
};

static const char many_head[] = ".version 8.0\n.target sm_80\n.address_size 64\n";
static const char many_function[] =
	".func (.param .b32 result) factorial(.param .b32 n)\n{\n"
	"\t.reg .b32 %a, %b, %c;\n\t.reg .pred %p;\n"
	"\tld.param.u32 %a, [n];\n\tsetp.gt.u32 %p, %a, 1;\n\tmov.u32 %b, 1;\n\t@!%p bra done;\n"
	"\tsub.u32 %c, %a, 1;\n"
	"\t{\n\t.param .b32 x;\n\t.param .b32 y;\n\tst.param.b32 [x], %c;\n"
	"\tcall.uni (y), factorial, (x);\n\tld.param.b32 %b, [y];\n\t}\n"
	"\tmul.lo.u32 %b, %b, %a;\n"
	"done:\n\tst.param.b32 [result], %b;\n\tret;\n}\n";

static inline bool many_calls(const struct many *m, unsigned k)
{
	return k % 2 && k / 2 < m->callers;
}

static inline unsigned many_expected(const struct many *m, unsigned k, unsigned tid)
{
	unsigned factorial = 1;

	for (unsigned n = 2; n <= k; n++)
		factorial *= n;
	return tid * k + 1000 + k + (many_calls(m, k) ? factorial : 0);
}

static void many_call(FILE *f, unsigned k, bool address)
{
	fprintf(f, "\t{\n\t.param .b32 x;\n\t.param .b32 y;\n\tst.param.b32 [x], %u;\n", k);
	if (address)
		fprintf(f, "\tmov.u64 %%q, factorial;\n"
			   "\tshape: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
			   "\tcall (y), %%q, (x), shape;\n");
	else
		fprintf(f, "\tcall.uni (y), factorial, (x);\n");
	fprintf(f, "\tld.param.b32 %%w, [y];\n\t}\n\tadd.u32 %%v, %%v, %%w;\n");
}

/* malloc'ed. */
static char *many_ptx(const struct many *m)
{
	size_t size;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		abort();
	fputs(many_head, f);
	for (unsigned k = 0; k < m->kernels; k++)
		fprintf(f, ".global .align 4 .u32 v%u = %u;\n", k, 1000 + k);
	if (m->callers)
		fputs(many_function, f);
	for (unsigned k = 0; k < m->kernels; k++) {
		unsigned shared = m->shared_bytes ? m->shared_bytes : 256;

		if (k + 1 == m->broken)
			shared = 1 << 20;
		fprintf(f,
			".visible .entry k%u(.param .u64 out)\n{\n"
			"\t.reg .b32 %%t, %%s, %%v, %%w, %%k;\n\t.reg .b64 %%p, %%q;\n"
			"\t.shared .align 4 .b8 room%u[%u];\n",
			k, k, shared);
		fprintf(f,
			"\tld.param.u64 %%p, [out];\n\tmov.u32 %%t, %%tid.x;\n"
			"\tmov.u32 %%s, room%u;\n\tshl.b32 %%k, %%t, 2;\n\tadd.u32 %%s, %%s, %%k;\n"
			"\tmul.lo.u32 %%v, %%t, %u;\n\tst.shared.u32 [%%s], %%v;\n"
			"\tbar.sync 0;\n\tld.shared.u32 %%v, [%%s];\n"
			"\tld.global.u32 %%w, [v%u];\n\tadd.u32 %%v, %%v, %%w;\n",
			k, k, k);
		if (many_calls(m, k))
			many_call(f, k, m->address && k / 2 + 1 == m->callers);
		if (m->misspelt && k + 1 == m->kernels)
			fprintf(f, "\tfrob.u32 %%v, %%v, 1;\n");
		fprintf(f, "\tmul.wide.u32 %%q, %%t, 4;\n\tadd.u64 %%p, %%p, %%q;\n"
			   "\tst.global.u32 [%%p], %%v;\n\tret;\n}\n");
	}
	fclose(f);
	return text;
}

#endif
