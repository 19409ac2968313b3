// SPDX-License-Identifier: MIT
/*
 * Folding and value numbering preserve the value of an expression: small random expressions of
 * parameters are evaluated for several inputs before and after. They are many and cheap, so that
 * every pair of operations occurs with every special constant; whole kernels are in semantics.c.
 *
 *	expressions [FIRST [COUNT]]     numbers of the expressions; default 1 and 30000
 */
#include "libsov/compiler/ir/eval.h"
#include "libsov/compiler/passes/pass.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/passes/_random.h"

#define INPUTS 3
#define RUNS   8

static struct ir_module *make_expression(struct arena *a, uint64_t seed)
{
	static const uint32_t types[] = {
		T_BITS,        T_B1 | 1 << IR_B8, T_B1 | 1 << IR_B8 | 1 << IR_B16,
		T_B1 | T_WORD, T_B1 | T_B32,
	};
	struct random r = {.state = seed};
	struct ir_module *m = ir_module_new(a);
	ir_val stored;
	ir_id i;

	r.state = random_bits(&r);
	r.types = types[random_below(&r, 5)];
	r.straight = true;
	r.f = random_function(m, INPUTS);
	r.f->ssa = true;
	r.block = ir_block_new(r.f, NULL);
	for (uint32_t k = 0; k < INPUTS; k++) {
		i = random_append(&r, IR_LOAD, IR_B64, NULL, 0, 1);
		ir_at(r.f, i)->space = IR_PARAM;
		ir_at(r.f, i)->imm = 8 * k;
		stored = ir_at(r.f, i)->res;
		random_offer(&r, stored);
		for (enum ir_type t = IR_B1; t < IR_B64; t++)
			random_offer(&r, random_convert(&r, IR_TRUNC, t, stored));
	}
	random_code(&r, 2 + random_below(&r, 6));
	random_store(&r, random_const(&r, IR_B64, 0), 0, r.last);
	random_append(&r, IR_RET, IR_VOID, NULL, 0, 0);
	return m;
}

/* The value that the expression's only store receives. */
static uint64_t eval_expression(struct arena *a, const struct ir_func *f,
				const uint64_t inputs[INPUTS])
{
	uint64_t *values = arena_array(a, f->nvalues + 1, sizeof(*values));

	ir_for_each_inst(f, f->entry, i) {
		const struct ir_inst *p = ir_at(f, i);
		uint64_t args[3];

		for (uint32_t k = 0; k < p->nargs; k++)
			args[k] = values[p->args[k]];
		if (p->op == IR_STORE)
			return args[1];
		if (p->op == IR_LOAD)
			values[p->res] = inputs[p->imm / 8];
		else if (!ir_eval(p, args, &values[p->res]) && p->op != IR_SREG)
			fprintf(stderr, "expressions: cannot compute %s\n", ir_ops[p->op].text);
	}
	return 0;
}

static bool try_expression(uint64_t seed)
{
	struct random r = {.state = seed};
	struct arena a;
	struct diag d;
	struct ir_module *m, *old;
	uint64_t inputs[INPUTS], want, got;
	bool good = true;

	arena_init(&a, 0, NULL);
	diag_init(&d, &a, "expressions");
	m = make_expression(&a, seed);
	old = make_expression(&a, seed);
	pass_fold(m->funcs, target_find("dummy"));
	pass_gvn(m->funcs, target_find("dummy"));
	pass_fold(m->funcs, target_find("dummy"));
	for (uint32_t n = 0; good && n < RUNS; n++) {
		for (uint32_t k = 0; k < INPUTS; k++)
			inputs[k] = random_number(&r);
		if (n % 2) /* two equal inputs */
			inputs[random_below(&r, INPUTS)] = inputs[0];
		want = eval_expression(&a, old->funcs, inputs);
		got = eval_expression(&a, m->funcs, inputs);
		good = want == got;
	}
	if (!ir_verify(m, &d)) {
		diag("expression %llu: %s", (unsigned long long)seed, d.text);
		good = false;
	} else if (!good) {
		diag("expression %llu: 0x%llx, not 0x%llx, for 0x%llx 0x%llx 0x%llx",
		     (unsigned long long)seed, (unsigned long long)got, (unsigned long long)want,
		     (unsigned long long)inputs[0], (unsigned long long)inputs[1],
		     (unsigned long long)inputs[2]);
		printf("# before:\n%s# after:\n%s", ir_text(old), ir_text(m));
	}
	arena_free(&a);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : argc > 1 ? 1 : 30000;
	uint64_t good = 0;

	for (uint64_t seed = first; seed < first + count && good == seed - first; seed++)
		good += try_expression(seed);
	ok(good == count,
	   "%llu random expressions keep their value after folding and value numbering",
	   (unsigned long long)count);
	return tap_done();
}
