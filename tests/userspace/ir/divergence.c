/* SPDX-License-Identifier: MIT */
/*
 * Divergence: for each little kernel, the divergent values of every block and the divergent
 * branches with the block where their lanes meet, written as "block: %1 %2 -> meet".
 */
#include "tests/userspace/ir/ir_test.h"

static char *report(const struct ir_func *f)
{
	struct text t = {.arena = f->module->arena};
	struct ir_cfg *c = ir_cfg_build(f);
	struct ir_divergence *d = ir_divergence_compute(f, c);
	uint32_t n = 0;

	ir_for_each_block(f, b) {
		text_printf(&t, "%s:", ir_text_block(f, b));
		ir_for_each_inst(f, b, i)
			for (uint32_t k = 0; k < ir_at(f, i)->nres; k++) {
				n++;
				if (d->value[ir_at(f, i)->res + k])
					text_printf(&t, " %%%u", n);
			}
		if (d->branch[b])
			text_printf(&t, " -> %s",
				    d->reconverge[b] ? ir_text_block(f, d->reconverge[b]) : "exit");
		text_printf(&t, "\n");
	}
	return t.s;
}

/* %1 differs between lanes, %2 does not; %3 and %4 are conditions, divergent and uniform. */
#define ENTRY                                                                                   \
	"kernel k(n: 4 at 0, p: 8 at 8 pointer) {\nentry:\n\t%1 = sreg.b32 tid.x\n"             \
	"\t%2 = load.b32 param [0]\n\t%3 = icmp.b32 lt.u %1, %2\n\t%4 = icmp.b32 eq %2, %2\n"

static const struct {
	const char *name, *text, *want;
} kernels[] = {
	{"lane numbers and what depends on them",
	 "kernel k() {\nentry:\n\t%1 = sreg.b32 tid.x\n\t%2 = sreg.b32 ntid.x\n"
	 "\t%3 = sreg.b32 ctaid.z\n\t%4 = sreg.b32 laneid\n\t%5 = sreg.b32 lanemask.lt\n"
	 "\t%6 = sreg.b32 tid.z\n\t%7 = sreg.b32 nctaid.y\n\t%8 = add.b32 %1, %2\n"
	 "\t%9 = add.b32 %2, %3\n\t%10 = const.b32 7\n\t%11 = undef.b1\n"
	 "\t%12 = select.b32 %11, %9, %8\n\tret\n}\n",
	 "entry: %1 %4 %5 %6 %8 %12\n"},
	{"memory: only what nobody writes is the same for all lanes",
	 "shared @s align 4 size 4\nconstant @c align 4 size 4\n" ENTRY
	 "\t%5 = load.b64 param [8]\n\t%6 = load.b32 global [%5]\n"
	 "\t%7 = load.b32 global invariant [%5]\n\t%8 = addr.b64 @s\n\t%9 = load.b32 shared [%8]\n"
	 "\t%10 = addr.b64 @c\n\t%11 = load.b32 constant [%10]\n\t%12 = load.b32 param [%1]\n"
	 "\t%13 = load.b32 local invariant [%8]\n"
	 "\t%14 = atom.b32 add global relaxed gpu [%5], %2\n"
	 "\t%15 = cas.b32 global relaxed gpu [%5], %2, %2\n\tret\n}\n",
	 "entry: %1 %3 %6 %9 %12 %13 %14 %15\n"},
	{"lanes: a shuffle diverges, a vote does not unless its members do",
	 ENTRY "\t%5, %6 = shuffle.b32 idx %2, %2, %2, %2\n\t%7 = vote.b32 ballot %3, %2\n"
	       "\t%8 = vote.b1 any %3, %1\n\tret\n}\n",
	 "entry: %1 %3 %5 %6 %8\n"},
	{"a divergent choice makes phis diverge, but not of one value",
	 ENTRY "\tcbr %3, a, b\na:\n\t%5 = const.b32 1\n\tbr c\nb:\n\t%6 = const.b32 2\n\tbr c\nc:\n"
	       "\t%7 = phi.b32 [a: %5], [b: %6]\n\t%8 = phi.b32 [a: %2], [b: %2]\n\tret\n}\n",
	 "entry: %1 %3 -> c\na:\nb:\nc: %7\n"},
	{"a uniform choice does not",
	 ENTRY "\tcbr %4, a, b\na:\n\t%5 = const.b32 1\n\tbr c\nb:\n\t%6 = const.b32 2\n\tbr c\nc:\n"
	       "\t%7 = phi.b32 [a: %5], [b: %6]\n\t%8 = phi.b32 [a: %1], [b: %2]\n\tret\n}\n",
	 "entry: %1 %3\na:\nb:\nc: %8\n"},
	{"a branch with both ways to one block does not diverge",
	 ENTRY "\tcbr %3, a, a\na:\n\tret\n}\n", "entry: %1 %3\na:\n"},
	{"lanes that leave a loop at different times carry their round's value out",
	 ENTRY "\tbr loop\nloop:\n\t%5 = phi.b32 [entry: %2], [loop: %6]\n\t%6 = add.b32 %5, %2\n"
	       "\t%7 = add.b32 %6, %2\n\t%8 = icmp.b32 lt.u %5, %1\n\tcbr %8, loop, out\nout:\n"
	       "\t%9 = add.b32 %2, %7\n\tret\n}\n",
	 "entry: %1 %3\nloop: %7 %8 -> out\nout: %9\n"},
	{"and so does a phi on the way out, while the loop stays uniform",
	 ENTRY "\tbr loop\nloop:\n\t%5 = phi.b32 [entry: %2], [loop: %6]\n\t%6 = add.b32 %5, %2\n"
	       "\t%7 = icmp.b32 lt.u %5, %1\n\tcbr %7, loop, out\nout:\n"
	       "\t%8 = phi.b32 [loop: %6]\n\tret\n}\n",
	 "entry: %1 %3\nloop: %7 -> out\nout: %8\n"},
	{"a loop that all lanes leave together is uniform inside and after",
	 ENTRY "\tbr loop\nloop:\n\t%5 = phi.b32 [entry: %2], [loop: %6]\n\t%6 = add.b32 %5, %2\n"
	       "\t%7 = icmp.b32 lt.u %5, %2\n\tcbr %7, loop, out\nout:\n"
	       "\t%8 = add.b32 %6, %2\n\tret\n}\n",
	 "entry: %1 %3\nloop:\nout:\n"},
	{"a choice inside a loop is over before the next round",
	 ENTRY "\tbr loop\nloop:\n\t%5 = phi.b32 [entry: %2], [next: %8]\n\tcbr %3, a, next\na:\n"
	       "\t%6 = add.b32 %5, %2\n\tbr next\nnext:\n\t%7 = phi.b32 [loop: %2], [a: %6]\n"
	       "\t%8 = add.b32 %5, %2\n\t%9 = icmp.b32 lt.u %8, %2\n\tcbr %9, loop, out\nout:\n"
	       "\t%10 = add.b32 %8, %2\n\tret\n}\n",
	 "entry: %1 %3\nloop: -> next\na:\nnext: %7\nout:\n"},
	{"a way out by lane and one for all meet after the loop",
	 ENTRY "\tbr loop\nloop:\n\t%5 = phi.b32 [entry: %2], [next: %6]\n\tcbr %3, early, next\n"
	       "next:\n\t%6 = add.b32 %5, %2\n\t%7 = icmp.b32 lt.u %6, %2\n\tcbr %7, loop, late\n"
	       "early:\n\t%8 = const.b32 1\n\tbr out\nlate:\n\t%9 = const.b32 2\n\tbr out\nout:\n"
	       "\t%10 = phi.b32 [early: %8], [late: %9]\n\tret\n}\n",
	 "entry: %1 %3\nloop: -> out\nnext:\nearly:\nlate:\nout: %10\n"},
	{"a way back to the header from each side of a choice makes its phi diverge",
	 ENTRY "\tbr loop\nloop:\n\t%5 = phi.b32 [entry: %2], [a: %6], [b: %7]\n\tcbr %4, body, out\n"
	       "body:\n\tcbr %3, a, b\na:\n\t%6 = const.b32 1\n\tbr loop\nb:\n\t%7 = const.b32 2\n"
	       "\tbr loop\nout:\n\tret\n}\n",
	 "entry: %1 %3\nloop: %5\nbody: -> loop\na:\nb:\nout:\n"},
	{"an inner loop left by lane: its values diverge in the outer loop, which does not",
	 ENTRY "\tbr outer\nouter:\n\t%5 = phi.b32 [entry: %2], [next: %9]\n\tbr inner\ninner:\n"
	       "\t%6 = phi.b32 [outer: %2], [inner: %7]\n\t%7 = add.b32 %6, %2\n"
	       "\t%8 = icmp.b32 lt.u %6, %1\n\tcbr %8, inner, next\nnext:\n"
	       "\t%9 = add.b32 %5, %2\n\t%10 = add.b32 %7, %9\n\t%11 = icmp.b32 lt.u %9, %2\n"
	       "\tcbr %11, outer, out\nout:\n\tret\n}\n",
	 "entry: %1 %3\nouter:\ninner: %6 %7 %8 -> next\nnext: %10\nout:\n"},
	{"a cycle with two entries is left by lane like any other",
	 ENTRY "\tcbr %4, a, b\na:\n\t%5 = phi.b32 [entry: %2], [b: %6]\n\t%7 = add.b32 %5, %2\n"
	       "\tbr b\nb:\n\t%6 = phi.b32 [entry: %2], [a: %7]\n\t%8 = icmp.b32 lt.u %6, %1\n"
	       "\tcbr %8, a, out\nout:\n\t%9 = phi.b32 [b: %6]\n\tret\n}\n",
	 "entry: %1 %3\na:\nb: %8 -> out\nout: %9\n"},
	{"ways that end apart meet at the exit", ENTRY "\tcbr %3, a, b\na:\n\tret\nb:\n\ttrap\n}\n",
	 "entry: %1 %3 -> exit\na:\nb:\n"},
	{"a way without end never meets the other",
	 ENTRY "\tcbr %3, a, b\na:\n\tbr a2\na2:\n\tbr a\nb:\n\tret\n}\n",
	 "entry: %1 %3 -> exit\na:\na2:\nb:\n"},
	{"registers before SSA construction are not followed",
	 "kernel k() {\nentry:\n\t%1 = const.b32 1\n\twrite.b32 r1, %1\n\t%2 = read.b32 r1\n"
	 "\tret\n}\n",
	 "entry: %2\n"},
};

int main(void)
{
	struct bench b;

	bench_init(&b);
	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		struct ir_module *m = bench_module(&b, kernels[k].text);

		is_str(report(m->funcs), kernels[k].want, kernels[k].name);
	}
	bench_free(&b);
	return tap_done();
}
