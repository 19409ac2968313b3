// SPDX-License-Identifier: MIT
/*
 * Expanded divisions and square roots are correctly rounded in every mode, with and without ftz,
 * checked against integer arithmetic (_exact.h); integer divisions are checked against the CPU's;
 * approximations stay within the PTX manual's bounds. The test perturbs the approximations that
 * expansions start from by one unit in the last place, because hardware differs.
 *
 * Arguments are drawn from difficult regions: few bits, all bits, the ends of the range, NaNs;
 * quotients and roots as close as possible to a number or to the midpoint of two.
 *
 *	SOV_TEST_NUMBERS	multiple of the usual count (check-long)
 */
#include <math.h>
#include "libsov/compiler/ir/eval.h"
#include "libsov/compiler/passes/pass.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/passes/_exact.h"

static uint64_t state = 20260115;
static uint64_t draw_bits(void)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 (Steele, Lea, Flood) */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t count_multiplier(void)
{
	const char *multiplier = getenv("SOV_TEST_NUMBERS");

	return multiplier ? strtoull(multiplier, NULL, 0) : 1;
}

/* ---- one operation as a legalised function ---- */

struct program {
	struct arena arena;
	struct ir_func *f;
	uint64_t *values;
	uint32_t capacity;
};

/* type: of arguments and result. */
static void program_make(struct program *p, struct ir_inst what, uint64_t divisor)
{
	const struct target *t = target_find("sm_90");
	struct ir_module *m;
	struct diag d;
	ir_val args[3] = {0};
	ir_block b;
	ir_id i;

	arena_init(&p->arena, 0, NULL);
	m = ir_module_new(&p->arena);
	p->f = ir_func_new(m, "k");
	p->f->params = arena_array(&p->arena, 2, sizeof(*p->f->params));
	for (p->f->nparams = 0; p->f->nparams < 2; p->f->nparams++)
		p->f->params[p->f->nparams] = (struct ir_param){.name = p->f->nparams ? "b" : "a",
								.offset = 8 * p->f->nparams,
								.size = 8,
								.align = 8};
	p->f->param_bytes = 16;
	p->f->ssa = true;
	b = ir_block_new(p->f, NULL);
	for (uint32_t k = 0; k < ir_ops[what.op].args; k++) {
		i = ir_inst_new(p->f, IR_LOAD, what.type, NULL, 0, 1);
		ir_at(p->f, i)->space = IR_PARAM;
		ir_at(p->f, i)->imm = 8 * k;
		ir_append(p->f, b, i);
		args[k] = ir_at(p->f, i)->res;
	}
	if (divisor)
		args[1] = ir_const(p->f, b, what.type, divisor);
	i = ir_inst_new(p->f, what.op, what.type, args, ir_ops[what.op].args, 1);
	ir_at(p->f, i)->round = what.round;
	ir_at(p->f, i)->flags = what.flags;
	ir_at(p->f, i)->sub = what.sub;
	ir_append(p->f, b, i);
	args[1] = ir_at(p->f, i)->res;
	args[0] = ir_const(p->f, b, IR_B64, 0);
	i = ir_inst_new(p->f, IR_STORE, what.type, args, 2, 0);
	ir_at(p->f, i)->space = IR_GLOBAL;
	ir_append(p->f, b, i);
	ir_append(p->f, b, ir_inst_new(p->f, IR_RET, IR_VOID, NULL, 0, 0));
	pass_legalise(p->f, t);
	diag_init(&d, &p->arena, "ir");
	if (!ir_verify(m, &d))
		ok(false, "legalised code verifies: %s", d.text);
	pass_fold(p->f, t);
	pass_gvn(p->f, t);
	pass_dce(p->f, t);
	if (!ir_verify(m, &d))
		ok(false, "folded legalised code verifies: %s", d.text);
	p->values = arena_array(&p->arena, p->f->nvalues, sizeof(*p->values));
}

/* An approximation as other hardware might compute it: off by one unit in its last place. */
static uint64_t perturb_approx(const struct ir_inst *in, uint64_t x)
{
	uint64_t unit = in->type == IR_B64 ? UINT64_C(1) << 32 : 1;
	uint64_t size = x & (in->type == IR_B64 ? INT64_MAX : INT32_MAX);
	uint64_t infinity = in->type == IR_B64 ? UINT64_C(0x7ff0000000000000) : 0x7f800000;
	bool power = !(x & (in->type == IR_B64 ? UINT64_C(0xfffff00000000) : 0x7fffff));

	if (!size || size >= infinity - unit ||
	    power) /* exact results are exact on all hardware seen */
		return x;
	switch (draw_bits() % 3) {
	case 0:
		return x + unit;
	case 1:
		return x - unit;
	default:
		return x;
	}
}

static uint64_t program_run(struct program *p, uint64_t a, uint64_t b, bool perturb)
{
	const struct ir_func *f = p->f;
	const uint64_t inputs[2] = {a, b};
	ir_block block = f->entry, from = 0;

	for (;;) {
		ir_id end = f->blocks[block].last;

		ir_for_each_inst(f, block, i) {
			const struct ir_inst *in = ir_at(f, i);
			uint64_t args[3] = {0}, results[2] = {0};
			uint32_t k = 0;

			if (in->op ==
			    IR_PHI) { /* no phi here has another phi of its block as argument */
				while (f->blocks[block].preds[k] != from)
					k++;
				p->values[in->res] = p->values[in->args[k]];
				continue;
			}
			for (k = 0; k < in->nargs; k++)
				args[k] = p->values[in->args[k]];
			if (in->op == IR_STORE)
				return args[1];
			if (in->op == IR_LOAD)
				p->values[in->res] = inputs[in->imm / 8];
			if (!ir_eval(in, args, results))
				continue;
			if (perturb && in->op == IR_APPROX)
				results[0] = perturb_approx(in, results[0]);
			for (k = 0; k < in->nres; k++)
				p->values[in->res + k] = results[k];
		}
		from = block;
		block = f->blocks[block].succ[ir_at(f, end)->op == IR_CBR &&
					      !p->values[ir_at(f, end)->args[0]]];
	}
}

/* ---- numbers ---- */

/* A random float with exponents and fractions of every kind. */
static uint64_t draw_float(const struct exact_format *f)
{
	uint64_t z = draw_bits(), fraction = draw_bits(), ones = (UINT64_C(1) << f->fraction) - 1;
	uint64_t top = (uint64_t)(2 * f->bias + 1), exponent = draw_bits() % (top + 1);

	switch (z % 8) {
	case 0:
		fraction = 0;
		break;
	case 1:
		fraction = ones;
		break;
	case 2:
		fraction = UINT64_C(1) << fraction % f->fraction;
		break;
	case 3:
		fraction = ones - (UINT64_C(1) << fraction % f->fraction);
		break;
	case 4:
		fraction = fraction % 8;
		break;
	}
	switch (z / 8 % 6) {
	case 0:
		exponent = exponent % 3;
		break;
	case 1:
		exponent = top - exponent % 3;
		break;
	case 2:
	case 3:
		exponent = (uint64_t)f->bias - 2 + exponent % 5;
		break;
	}
	return (fraction & ones) | exponent << f->fraction | (z >> 63) << (f->bits - 1);
}

static uint64_t inverse_mod_2_64(uint64_t odd) /* modulo 2^64, by Newton */
{
	uint64_t x = odd;

	for (int k = 0; k < 6; k++)
		x *= 2 - odd * x;
	return x;
}

static uint64_t make_float(const struct exact_format *f, uint64_t mantissa, int exponent)
{
	return (mantissa & ((UINT64_C(1) << f->fraction) - 1)) | (uint64_t)(exponent + f->bias)
									 << f->fraction;
}

/* a / b as close to a number of fraction + 1 or + 2 bits as possible without being one: for such a
 * number q = c / b modulo 2^k with a small c, q b - c ends in k zero bits, and a is the rest. */
static bool close_quotient(const struct exact_format *f, uint64_t *a, uint64_t *b)
{
	uint32_t p = f->fraction + 1, k = p - 1 + draw_bits() % 2;
	int64_t c = (int64_t)(draw_bits() % 9) - 4;
	uint64_t y = (draw_bits() >> (64 - p)) | UINT64_C(1) << (p - 1) | 1, q;
	exact_wide product;

	q = ((uint64_t)c * inverse_mod_2_64(y) & ((UINT64_C(1) << k) - 1)) | UINT64_C(1) << k;
	product = (exact_wide)q * y - (exact_wide)(__int128)c;
	if (product >> k >> p || !(product >> k >> (p - 1)))
		return false;
	*a = make_float(f, (uint64_t)(product >> k), (int)(draw_bits() % 40) - 20);
	*b = make_float(f, y, (int)(draw_bits() % 40) - 20);
	return true;
}

/* x whose root is close to a number of fraction + 2 bits: an odd y with y y = c modulo 2^k, found
 * bit by bit. */
static bool close_root(const struct exact_format *f, uint64_t *x)
{
	uint32_t p = f->fraction + 1, k = p + 1 + draw_bits() % 3;
	uint64_t c = 8 * (draw_bits() % 32) - 127, y = 1 + 2 * (draw_bits() % 4);
	exact_wide square;

	if ((c & 7) != 1)
		return false;
	for (uint32_t n = 3; n < k; n++)
		if ((y * y - c) >> n & 1)
			y += UINT64_C(1) << (n - 1);
	y &= (UINT64_C(1) << (k - 1)) - 1;
	y = draw_bits() & 1 ? y : (UINT64_C(1) << k) - y;
	y &= (UINT64_C(1) << (p + 1)) - 1;
	y |= UINT64_C(1) << p;
	square = (exact_wide)y * y - (exact_wide)(__int128)(int64_t)c;
	if (square & (((exact_wide)1 << (2 * p + 1 - p)) - 1))
		square &= ~(((exact_wide)1 << (p + 1)) - 1);
	while (square >> p)
		square >>= 1;
	*x = make_float(f, (uint64_t)square,
			2 * (int)(draw_bits() % 20) - 20 + (int)(draw_bits() & 1));
	return true;
}

/* ---- quotients and roots ---- */

static const char *const round_names[] = {"rn", "rz", "rm", "rp"};

static uint64_t expected(const struct ir_inst *in, const struct exact_format *f, uint64_t a,
			 uint64_t b)
{
	bool ftz = in->flags & IR_FTZ;

	if (in->op == IR_FSQRT)
		return exact_root(f, a, in->round, ftz);
	if (in->op == IR_FRCP)
		return exact_quotient(f, (uint64_t)f->bias << f->fraction, a, in->round, ftz);
	return exact_quotient(f, a, b, in->round, ftz);
}

/* f32 to nearest takes one step from the hardware's own approximations, which an H200 checked for
 * all significands (tests/silicon/roots.cu); others would need two. */
static int perturbations(const struct ir_inst *in)
{
	return in->type == IR_B32 && in->round == IR_RN ? 1 : 3;
}

static bool try_exact(struct program *p, const struct ir_inst *in, const struct exact_format *f,
		      uint64_t a, uint64_t b)
{
	uint64_t want = expected(in, f, a, b);

	for (int perturb = 0; perturb < perturbations(in); perturb++) {
		uint64_t got = program_run(p, a, b, perturb);

		if (got == want)
			continue;
		diag("%s.%s %s%s of 0x%llx and 0x%llx is 0x%llx, not 0x%llx%s", ir_ops[in->op].text,
		     ir_type_names[in->type], round_names[in->round],
		     in->flags & IR_FTZ ? " ftz" : "", (unsigned long long)a, (unsigned long long)b,
		     (unsigned long long)want, (unsigned long long)got,
		     perturb ? " (with another approximation)" : "");
		return false;
	}
	return true;
}

static void test_exact(enum ir_op op, enum ir_type type, uint8_t flags, enum ir_round round)
{
	const struct exact_format *f = type == IR_B32 ? &exact_f32 : &exact_f64;
	struct ir_inst in = {.op = op, .type = type, .flags = flags, .round = round};
	uint64_t n = 1500 * count_multiplier() / TAP_SLOWNESS, wrong = 0;
	struct program p;

	program_make(&p, in, 0);
	for (uint64_t k = 0; k < n && wrong < 5; k++) {
		uint64_t a = draw_float(f), b = draw_float(f);

		if (k % 2 && op == IR_FDIV)
			close_quotient(f, &a, &b);
		else if (k % 2 && op == IR_FSQRT)
			close_root(f, &a);
		else if (k % 2)
			a = make_float(f, draw_bits(), (int)(draw_bits() % 40) - 20);
		wrong += !try_exact(&p, &in, f, a, b);
	}
	ok(!wrong, "expanded %s.%s %s%s is correctly rounded", ir_ops[op].text, ir_type_names[type],
	   round_names[round], flags ? " ftz" : "");
	arena_free(&p.arena);
}

/* Quotients next to the midpoint of two numbers, which one correction must find. */
static void test_quotients_next_to_midpoints(void)
{
	struct ir_inst in = {.op = IR_FDIV, .type = IR_B64};
	uint64_t n = 6000 * count_multiplier() / TAP_SLOWNESS, wrong = 0;
	struct program p;

	program_make(&p, in, 0);
	for (uint64_t k = 0; k < n && wrong < 5; k++) {
		uint64_t a, b;

		if (close_quotient(&exact_f64, &a, &b))
			wrong += !try_exact(&p, &in, &exact_f64, a, b);
	}
	ok(!wrong, "expanded fdiv.b64 is right for quotients next to midpoints");
	arena_free(&p.arena);
}

/* The root as the expansion computes it from an inverse root. */
static uint64_t refine_root(double x, double y)
{
	double g = x * y, rest = fma(-g, g, x), root = fma(rest, y / 2, g);
	uint64_t bits;

	memcpy(&bits, &root, sizeof(bits));
	return bits;
}

/* Whether 1 / sqrt(x) is within 2^-52 of y: sqrt(x) y and its square are near 1. */
static bool is_inverse_root(double x, double y)
{
	double square = y * y, low = fma(y, y, -square), product = x * square;

	return fabs(product - 1 + fma(x, square, -product) + x * low) <= 0x1p-51;
}

static bool try_midpoint(struct program *p, const struct ir_inst *in, uint64_t bits)
{
	uint64_t want = exact_root(&exact_f64, bits, IR_RN, false);
	double x, nearest, y;
	bool right = true;

	memcpy(&x, &bits, sizeof(x));
	nearest = 1 / sqrt(x);
	for (int k = -3; k <= 3; k++) {
		y = nearest + k * 0x1p-53;
		if (is_inverse_root(x, y) && refine_root(x, y) != want) {
			diag("root of %a from %a is wrong", x, y);
			right = false;
		}
	}
	for (int k = 0; k < 4; k++)
		right &= try_exact(p, in, &exact_f64, bits, 0);
	return right;
}

/* All f64 x in [1, 4) with x = (n n - j) / 2^106 for an odd n and |j| < 108: the only ones whose
 * root may be rounded wrongly (passes/expand_float.c). From a solution of n n = j modulo 2^bits the
 * other three follow by its sign and half of the modulus. */
static void test_roots_next_to_midpoints(void)
{
	struct ir_inst in = {.op = IR_FSQRT, .type = IR_B64};
	uint64_t wrong = 0, found = 0;
	struct program p;

	program_make(&p, in, 0);
	for (uint32_t k = 0; k < 2 * 27 * 4; k++) {
		uint32_t bits = 54 + k % 2; /* x in [1, 2), and in [2, 4) */
		uint64_t j = 8 * (uint64_t)(k / 8) - 103, n = 1, half = UINT64_C(1) << (bits - 1);
		exact_wide x;

		for (uint32_t bit = 3; bit < bits; bit++)
			if ((n * n - j) >> bit & 1)
				n += UINT64_C(1) << (bit - 1);
		n = (k & 2 ? -n : n) + (k & 4 ? half : 0);
		n &= 2 * half - 1;
		x = (exact_wide)n * n - (exact_wide)(__int128)(int64_t)j;
		if (x >> (bits + 52) != 1)
			continue;
		found++;
		wrong += !try_midpoint(
			&p, &in, make_float(&exact_f64, (uint64_t)(x >> bits), (int)bits - 54));
	}
	ok(found >= 20 && !wrong,
	   "expanded fsqrt.b64 is right for all %llu roots next to midpoints",
	   (unsigned long long)found);
	arena_free(&p.arena);
}

/* Every fraction of f32 reciprocals and roots, when there is time. */
static void test_every_fraction(enum ir_op op)
{
	struct ir_inst in = {.op = op, .type = IR_B32};
	uint64_t wrong = 0, step = count_multiplier() >= 1000 ? 1 : 8191 * TAP_SLOWNESS;
	struct program p;

	program_make(&p, in, 0);
	for (uint64_t k = 0; k < 1 << 24 && wrong < 5; k += step)
		wrong += !try_exact(&p, &in, &exact_f32, 0x3f800000 + k, 0);
	wrong +=
		/* the divisor next to the midpoint */
		!try_exact(&p, &in, &exact_f32, 0x3fffffff, 0);
	ok(!wrong, "expanded %s.b32 is correctly rounded for %s", ir_ops[op].text,
	   step == 1 ? "every f32 fraction" : "sampled f32 fractions");
	arena_free(&p.arena);
}

/* ---- integers ---- */

static uint64_t draw_integer(uint32_t bits)
{
	static const uint64_t edges[] = {0,           1,         2,          3,          7,
					 10,          0x7f,      0x80,       0xff,       0x7fff,
					 0x8000,      0xffff,    0x7fffffff, 0x80000000, 0xffffffff,
					 0x100000000, INT64_MAX, 1ull << 63, UINT64_MAX};
	uint64_t z = draw_bits(), x = draw_bits();

	if (z % 4 == 0)
		x = edges[x % (sizeof(edges) / sizeof(edges[0]))] + z / 4 % 3 - 1;
	else if (z % 4 == 1)
		x >>= x % 64;
	return x & UINT64_MAX >> (64 - bits);
}

static bool try_integer(struct program *p, const struct ir_inst *in, uint64_t a, uint64_t b)
{
	const uint64_t args[2] = {a, b};
	uint64_t want[2], got = 0;
	int perturb = 0;

	ir_eval(in, args, want);
	while (perturb < 3 && (got = program_run(p, a, b, perturb)) == want[0])
		perturb++;
	if (perturb == 3)
		return true;
	diag("%s.%s of 0x%llx and 0x%llx is 0x%llx, not 0x%llx", ir_ops[in->op].text,
	     ir_type_names[in->type], (unsigned long long)a, (unsigned long long)b,
	     (unsigned long long)want[0], (unsigned long long)got);
	return false;
}

static void test_division(enum ir_op op, enum ir_type type)
{
	struct ir_inst in = {.op = op, .type = type, .nargs = 2};
	uint32_t bits = ir_type_bits(type);
	uint64_t wrong = 0;
	struct program p;

	program_make(&p, in, 0);
	for (uint64_t k = 0; k < 4000 * count_multiplier() / TAP_SLOWNESS && wrong < 5; k++) {
		uint64_t a = draw_integer(bits), b = draw_integer(bits);

		if (k % 4 == 0 && b) /* next to a multiple */
			a = (a / b * b + draw_bits() % 3 - 1) & UINT64_MAX >> (64 - bits);
		wrong += !try_integer(&p, &in, a, b);
	}
	ok(!wrong, "expanded %s.%s matches the CPU's division", ir_ops[op].text,
	   ir_type_names[type]);
	arena_free(&p.arena);
}

static void test_constant(enum ir_op op, enum ir_type type)
{
	uint32_t bits = ir_type_bits(type);
	struct ir_inst in = {.op = op, .type = type, .nargs = 2};
	uint64_t wrong = 0, divisors = bits == 8 ? 255 : 60 * count_multiplier() / TAP_SLOWNESS;

	for (uint64_t d = 1; d <= divisors && wrong < 5; d++) {
		uint64_t divisor = bits == 8 || d < 24 ? d : draw_integer(bits);
		struct program p;

		if (!divisor)
			continue;
		program_make(&p, in, divisor);
		for (uint64_t k = 0; k < (bits == 8 ? 256 : 60) && wrong < 5; k++) {
			uint64_t a = bits == 8 ? k : draw_integer(bits);

			if (k % 3 == 0 && bits > 8)
				a = (a / divisor * divisor + draw_bits() % 3 - 1) &
				    UINT64_MAX >> (64 - bits);
			wrong += !try_integer(&p, &in, a, divisor);
		}
		arena_free(&p.arena);
	}
	ok(!wrong, "expanded %s.%s by constants matches the CPU's division", ir_ops[op].text,
	   ir_type_names[type]);
}

/* ---- approximations ---- */

static double as_double(uint64_t bits)
{
	uint32_t word = (uint32_t)bits;
	float x;

	memcpy(&x, &word, sizeof(x));
	return x;
}

/* PTX ISA 8.5, chapter "Floating Point Instructions": bounds of the forms without ftz if the
 * hardware functions were exact; relative, or absolute for lg2 near 1. Plus the rounding of a
 * subnormal result. */
static void test_function(enum ir_approx function, const char *name, double relative,
			  double absolute)
{
	struct ir_inst in = {.op = IR_APPROX, .type = IR_B32, .sub = function};
	uint64_t wrong = 0;
	struct program p;

	program_make(&p, in, 0);
	for (uint64_t k = 0; k < 5000 * count_multiplier() / TAP_SLOWNESS && wrong < 5; k++) {
		uint64_t bits = k % 2 ? draw_float(&exact_f32) : draw_bits() & 0xffffff;
		double x, want, got;

		if (function == IR_APPROX_EX2 && k % 4 == 0) { /* where results are subnormal */
			float f = -120 - (float)(draw_bits() % 35000) / 1000;
			uint32_t word;

			memcpy(&word, &f, sizeof(word));
			bits = word;
		}
		x = as_double(bits);
		want = function == IR_APPROX_RCP     ? 1 / x
		       : function == IR_APPROX_SQRT  ? sqrt(x)
		       : function == IR_APPROX_RSQRT ? 1 / sqrt(x)
		       : function == IR_APPROX_EX2   ? exp2(x)
						     : log2(x);
		got = as_double(program_run(&p, bits, 0, false));
		want = (double)(float)want;
		if (got == want || (isnan(got) && isnan(want)) ||
		    fabs(got - want) <= relative * fabs(want) + absolute + 0x1p-149)
			continue;
		diag("%s of 0x%llx is %a, not %a", name, (unsigned long long)bits, want, got);
		wrong++;
	}
	ok(!wrong, "approx.b32 %s with subnormals is within the PTX bounds", name);
	arena_free(&p.arena);
}

int main(void)
{
	static const enum ir_op floats[] = {IR_FDIV, IR_FRCP, IR_FSQRT};
	static const enum ir_op divisions[] = {IR_DIV_U, IR_DIV_S, IR_REM_U, IR_REM_S};

	for (int k = 0; k < 3; k++) {
		for (enum ir_round round = IR_RN; round <= IR_RP; round++) {
			test_exact(floats[k], IR_B32, 0, round);
			test_exact(floats[k], IR_B32, IR_FTZ, round);
			test_exact(floats[k], IR_B64, 0, round);
		}
	}
	test_every_fraction(IR_FRCP);
	test_every_fraction(IR_FSQRT);
	test_quotients_next_to_midpoints();
	test_roots_next_to_midpoints();
	for (int k = 0; k < 4; k++) {
		for (enum ir_type t = IR_B8; t <= IR_B64; t++) {
			test_division(divisions[k], t);
			test_constant(divisions[k], t);
		}
	}
	test_function(IR_APPROX_RCP, "rcp", 0x1p-23, 0);
	test_function(IR_APPROX_SQRT, "sqrt", 0x1p-23, 0);
	test_function(IR_APPROX_RSQRT, "rsqrt", 0x1p-22, 0);
	test_function(IR_APPROX_EX2, "ex2", 0x1p-22, 0);
	test_function(IR_APPROX_LG2, "lg2", 0x1p-22, 0x1p-22);
	return tap_done();
}
