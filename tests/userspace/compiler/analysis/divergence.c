// SPDX-License-Identifier: MIT
/* Divergence analysis of the kernels of cases/divergence.ir against the comments there. */
#include "tests/userspace/compiler/ir/_ir_test.h"

/* The divergent values of every block, and the reconvergence points of divergent branches. */
static char *report(const struct ir_func *f)
{
	struct text t = {.arena = f->module->arena};
	struct ir_cfg *c = ir_cfg_build(f);
	struct ir_divergence *d = ir_divergence_compute(f, c);
	uint32_t n = 0;

	ir_for_each_block(f, b) {
		text_printf(&t, "%s%s:", n ? "\n" : "", ir_text_block(f, b));
		ir_for_each_inst(f, b, i)
			for (uint32_t k = 0; k < ir_at(f, i)->nres; k++) {
				n++;
				if (d->value[ir_at(f, i)->res + k])
					text_printf(&t, " %%%u", n);
			}
		if (d->branch[b])
			text_printf(&t, " -> %s",
				    c->ipdom[b] ? ir_text_block(f, c->ipdom[b]) : "exit");
	}
	return t.s;
}

int main(void)
{
	struct bench b;
	struct test_case *c;
	uint32_t n;

	bench_init(&b);
	c = bench_cases(&b, "tests/userspace/compiler/ir/cases/divergence.ir", &n);
	ok(n >= 17, "cases/divergence.ir has its cases");
	for (uint32_t k = 0; k < n; k++)
		is_str(report(bench_module(&b, c[k].text)->funcs), bench_comment(&b, &c[k], "want"),
		       c[k].name);
	bench_free(&b);
	return tap_done();
}
