// SPDX-License-Identifier: MIT
/*
 * Semantics of pure operations: the corner cases of cases/eval.txt, and integer operations on every
 * pair of bytes against separate int arithmetic.
 */
#include <fenv.h>
#include "libsov/compiler/ir/eval.h"
#include "tests/userspace/compiler/ir/_ir_test.h"

/* One line of cases/eval.txt: parses the instruction with its arguments as constants. */
static void check_line(struct bench *b, char *line)
{
	struct text t = {.arena = &b->arena};
	char *colon = strchr(line, ':'), *at = colon + 1;
	uint64_t args[3] = {0}, want[2] = {0}, got[2] = {0};
	uint32_t nargs = 0, nres = 0;
	struct ir_module *m;
	struct ir_func *f;
	bool done;

	do
		args[nargs++] = strtoull(at, &at, 0);
	while (*at++ == ',');
	for (at = strchr(at, '='); nres < 2 && (*at == '=' || *at == ',');)
		want[nres++] = strtoull(at + 1, &at, 0);
	text_printf(&t, "kernel k() {\ne:\n");
	for (uint32_t k = 0; k < nargs; k++)
		text_printf(&t, "\t%%%u = const.b64 %llu\n", k, (unsigned long long)args[k]);
	text_printf(&t, "\t%s = %.*s %%0%s%s\n\tret\n}\n", nres == 2 ? "%r, %s" : "%r",
		    (int)(colon - line), line, nargs > 1 ? ", %1" : "", nargs > 2 ? ", %2" : "");
	m = bench_parse(b, t.s);
	if (!m) {
		ok(false, "eval %s", line);
		diag("%s", b->diag.text);
		return;
	}
	f = m->funcs;
	done = ir_eval(ir_at(f, ir_at(f, f->blocks[f->entry].last)->prev), args, got);
	if (!ok(done && got[0] == want[0] && got[1] == want[1], "eval %s", line))
		diag("got 0x%llx 0x%llx", (unsigned long long)got[0], (unsigned long long)got[1]);
}

static void check_table(struct bench *b)
{
	char *text = bench_file(b, "tests/userspace/compiler/ir/cases/eval.txt");
	uint32_t n = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (*line == ';')
			continue;
		check_line(b, line);
		n++;
	}
	ok(n > 110, "cases/eval.txt has its cases");
}

/* Every pair of bytes. x and y are the arguments, a and b the same as signed numbers. */

static int reversed(int x)
{
	int r = 0;

	for (int k = 0; k < 8; k++)
		r = r * 2 + (x >> k & 1);
	return r;
}

static int count_ones(int x)
{
	return x ? x % 2 + count_ones(x / 2) : 0;
}

static int zeros_above(int x)
{
	return x ? zeros_above(x / 2) - 1 : 8;
}

static int reference_result(enum ir_op op, int cond, int x, int y)
{
	int a = x < 128 ? x : x - 256, b = y < 128 ? y : y - 256;

	switch (op) {
	case IR_ADD:
		return x + y;
	case IR_SUB:
		return x - y + 256;
	case IR_MUL:
		return x * y;
	case IR_MULHI_U:
		return x * y / 256;
	case IR_MULHI_S:
		return (a * b + 65536) / 256;
	case IR_DIV_U:
		return y ? x / y : 255;
	case IR_DIV_S:
		return y ? a / b + 256 : 255;
	case IR_REM_U:
		return y ? x % y : x;
	case IR_REM_S:
		return y ? a % b + 256 : x;
	case IR_MIN_U:
		return x < y ? x : y;
	case IR_MIN_S:
		return a < b ? x : y;
	case IR_MAX_U:
		return x < y ? y : x;
	case IR_MAX_S:
		return a < b ? y : x;
	case IR_NEG:
		return 256 - x;
	case IR_NOT:
		return 255 - x;
	case IR_SHL:
		return y < 8 ? x << y : 0;
	case IR_SHR_U:
		return y < 8 ? x >> y : 0;
	case IR_SHR_S:
		return y < 8 ? (a + 256 * 256) >> y : a < 0 ? 255 : 0;
	case IR_POPC:
		return count_ones(x);
	case IR_CLZ:
		return zeros_above(x);
	case IR_BREV:
		return reversed(x);
	default:
		break;
	}
	switch (cond) {
	case IR_EQ:
		return x == y;
	case IR_NE:
		return x != y;
	case IR_LT_S:
		return a < b;
	case IR_LE_S:
		return a <= b;
	case IR_GT_S:
		return a > b;
	case IR_GE_S:
		return a >= b;
	case IR_LT_U:
		return x < y;
	case IR_LE_U:
		return x <= y;
	case IR_GT_U:
		return x > y;
	default:
		return x >= y;
	}
}

static void check_bytes(enum ir_op op, int cond)
{
	struct ir_inst in = {
		.op = (uint8_t)op, .type = IR_B8, .nargs = ir_ops[op].args, .cond = (uint8_t)cond};
	int wrong = 0;

	for (int x = 0; x < 256; x++)
		for (int y = 0; y < 256; y++) {
			uint64_t args[2] = {(uint64_t)x, (uint64_t)y}, r;

			wrong += !ir_eval(&in, args, &r) ||
				 r != (uint64_t)(reference_result(op, cond, x, y) & 255);
		}
	ok(!wrong, "%s%s%d is right for every pair of bytes", ir_ops[op].text,
	   op == IR_ICMP ? " cond " : " ", cond);
}

/* Operations that do not depend on the arguments alone are refused. */
static void check_refused(void)
{
	static const uint8_t ops[] = {IR_UNDEF,   IR_SREG,    IR_ADDR, IR_READ, IR_LOAD, IR_TOSPACE,
				      IR_GENERIC, IR_SHUFFLE, IR_VOTE, IR_PHI,  IR_ATOM, IR_BR};
	uint64_t args[4] = {0}, r[2];
	int evaluated = 0;

	for (size_t k = 0; k < sizeof(ops); k++) {
		struct ir_inst in = {.op = ops[k], .type = IR_B32};

		evaluated += ir_eval(&in, args, r);
	}
	ok(!evaluated, "special registers, addresses, memory and lanes are not evaluated");
}

static void check_environment(void)
{
	struct ir_inst in = {.op = IR_FADD, .type = IR_B32, .nargs = 2};
	uint64_t args[2] = {0x3f800000, 1}, r = 0; /* 1 and 2^-149 */

	fesetround(FE_UPWARD);
	ir_eval(&in, args, &r);
	ok(r == 0x3f800000, "evaluation ignores the caller's rounding mode");
	ok(fegetround() == FE_UPWARD, "evaluation preserves the caller's rounding mode");
	fesetround(FE_TONEAREST);
	in.round = IR_RP;
	ir_eval(&in, args, &r);
	ok(r == 0x3f800001 && fegetround() == FE_TONEAREST,
	   "evaluation uses the operation's rounding mode");
}

int main(void)
{
	struct bench b;
	static const uint8_t ops[] = {
		IR_ADD,   IR_SUB,   IR_MUL,   IR_MULHI_U, IR_MULHI_S, IR_DIV_U, IR_DIV_S,
		IR_REM_U, IR_REM_S, IR_MIN_U, IR_MIN_S,   IR_MAX_U,   IR_MAX_S, IR_NEG,
		IR_NOT,   IR_SHL,   IR_SHR_U, IR_SHR_S,   IR_POPC,    IR_CLZ,   IR_BREV};

	bench_init(&b);
	check_table(&b);
	for (size_t k = 0; k < sizeof(ops); k++)
		check_bytes(ops[k], 0);
	for (int cond = IR_EQ; cond <= IR_GE_U; cond++)
		check_bytes(IR_ICMP, cond);
	check_refused();
	check_environment();
	bench_free(&b);
	return tap_done();
}
