/* SPDX-License-Identifier: MIT */
/* Test rig for arithmetic: each row of a table is one instruction with its modifiers, executed by a
 * thousand threads on corner cases and random values, with and without negated and absolute
 * operands, and compared with a reference in plain C. */
#ifndef TESTS_MODEL_ALU_H
#define TESTS_MODEL_ALU_H

#include <fenv.h>

#include "tests/userspace/model/nv/_rig.h"

#define THREADS  1024u
#define VARIANTS 3u
#define MODS     4u

struct row;
struct values {
	uint64_t a, b, c; /* raw register pairs */
	uint8_t flags[3]; /* SASS_NEG … of a, b, c */
	bool x, y, z;
};
struct answer {
	uint64_t d;
	bool p, q;
};
typedef void reference(const struct row *r, const struct values *v, struct answer *o);

struct row {
	const char *name;
	enum sass_op op;
	const char *shape; /* operands in order: d D p q a b c A B C x y z i; n: default */
	uint8_t flags;     /* modifiers that a, b and c may have */
	reference *is;
	uint8_t mods[MODS][2]; /* modifier, value */
	uint32_t imm;
	bool hopper; /* SM90 only */
};

static uint8_t mod(const struct row *r, enum sass_mod m)
{
	for (uint32_t i = 0; i < MODS; i++)
		if (r->mods[i][1] && r->mods[i][0] == m)
			return r->mods[i][1];
	return 0;
}
#define MOD(m) mod(r, SASS_M_##m)

/* The rig. */

static struct rig r_;
static uint64_t state = 0x2545f4914f6cdd1d;

static uint64_t noise(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x9e3779b97f4a7c15;
}

static uint64_t pick(void)
{
	static const uint64_t corners[] = {
		0,
		1,
		31,
		32,
		33,
		63,
		64,
		0x80000000,
		0x80000001,
		0x007fffff,
		0x00800000,
		0x7f7fffff,
		0xff7fffff,
		0x7f800000,
		0xff800000,
		0x7fc00000,
		0xffc12345,
		0x3f800000,
		0xbf800000,
		0x3f7fffff,
		0x4f000000,
		0xcf000000,
		0x4f800000,
		0x5f000000,
		0x7fffffff,
		0xffffffff,
		0x8000000000000000,
		0x000fffffffffffff,
		0x0010000000000000,
		0x7fefffffffffffff,
		0x7ff0000000000000,
		0xfff0000000000000,
		0x7ff8000000000000,
		0x3ff0000000000000,
		0xbff0000000000000,
		0x43e0000000000000,
		0xc3e0000000000000,
		0x43f0000000000000,
		0x41e0000000000000,
		0x3810000000000000,
		0x380fffffffffffff,
		0x47efffffefffffff,
		UINT64_MAX,
		INT64_MAX,
	};
	uint64_t x = noise(), y = noise();

	switch (x >> 8 & 7) {
	case 0:
	case 1:
		return corners[y % (sizeof(corners) / 8)];
	case 2: /* floats and doubles of medium and tiny magnitude */
		return x << 32 | (y & 0x807fffff) | (97 + x / 4096 % 60) << 23;
	case 3:
		return (y & 0x800fffffffffffff) | (uint64_t)(983 + x / 4096 % 80) << 52;
	case 4:
		return (y & 0x800fffff807fffff) | (uint64_t)(x / 4096 % 40) << 52 |
		       (x / 4096 % 30) << 23;
	case 5:
		return y % 300;
	default:
		return y;
	}
}

static struct sass_operand operand(const struct row *r, char letter, const uint8_t flags[3])
{
	switch (letter) {
	case 'd':
	case 'D':
		return R(16);
	case 'p':
		return P(1);
	case 'q':
		return P(2);
	case 'a':
	case 'A':
		return with(R(4), flags[0]);
	case 'b':
	case 'B':
		return with(R(6), flags[1]);
	case 'c':
	case 'C':
		return with(R(8), flags[2]);
	case 'x':
	case 'y':
	case 'z':
		return P(3 + (uint32_t)(letter - 'x'));
	case 'i': /* LOP3 and others have one, PLOP3 two in one word */
		return IMM(r->op == SASS_PLOP3 || r->op == SASS_PLOP3_SIGN ? r->imm & 0xff
									   : r->imm);
	case 'j':
		return IMM(r->imm >> 8);
	default:
		return op_reg(SASS_NONE, 0);
	}
}

static void write_program(const struct row *r, const uint8_t flags[3])
{
	struct rig *rig = &r_;
	struct sass_inst one;

	rig_code(rig);
	INS(rig, SASS_S2R, (R(0), SR(SASS_SR_TID_X)));
	INS(rig, SASS_MOV, (R(2), C0(rig->params)));
	INS(rig, SASS_MOV, (R(3), C0(rig->params + 4)));
	INS(rig, SASS_IMAD_WIDE, (R(2), PT, R(0), IMM(64), R(2)));
	for (uint32_t i = 0; i < 3; i++)
		INS(rig, SASS_LDG, (PT, R(4 + 2 * i), AT(2, 8 * (int32_t)i)),
		    in.mod[SASS_M_WIDTH] = SASS_WIDTH_64);
	INS(rig, SASS_LDG, (PT, R(10), AT(2, 24)));
	INS(rig, SASS_R2P, (op_reg(SASS_NONE, 0), R(10), IMM(0x7f)));
	INS(rig, SASS_MOV, (R(16), IMM(0)));
	INS(rig, SASS_MOV, (R(17), IMM(0)));
	one = ins_list(rig, r->op, (uint32_t)strlen(r->shape), (const struct sass_operand[8]){{0}});
	for (uint32_t i = 0; r->shape[i]; i++)
		one.ops[i] = operand(r, r->shape[i], flags);
	for (uint32_t i = 0; i < MODS; i++)
		if (r->mods[i][1])
			one.mod[r->mods[i][0]] = r->mods[i][1];
	again(rig, &one);
	INS(rig, SASS_P2R, (R(10), op_reg(SASS_NONE, 0), RZ, IMM(6)));
	INS(rig, SASS_STG, (AT(2, 32), R(16)), in.mod[SASS_M_WIDTH] = SASS_WIDTH_64);
	INS(rig, SASS_STG, (AT(2, 40), R(10)));
	INS(rig, SASS_EXIT, (PT));
}

static bool try(const struct row *r, const uint8_t flags[3])
{
	uint64_t *cells = rig_at(&r_, RIG_DATA), where = RIG_DATA;
	struct model_error e;

	for (uint32_t t = 0; t < THREADS; t++)
		for (uint32_t k = 0; k < 4; k++)
			cells[8 * t + k] =
				k < 3 ? pick()
				      : noise() & 0x38; /* P3, P4, P5; P1 and P2 are false */
	write_program(r, flags);
	if (!rig_run(&r_, 1, THREADS, &where, 1)) {
		diag("%s: %s", r->name, rig_error(&r_, &e));
		rig_renew(&r_);
		return false;
	}
	for (uint32_t t = 0; t < THREADS; t++) {
		const uint64_t *c = &cells[8 * t];
		struct values v = {c[0],     c[1],      c[2],     {flags[0], flags[1], flags[2]},
				   c[3] & 8, c[3] & 16, c[3] & 32};
		struct answer want = {0};

		r->is(r, &v, &want);
		want.p &= strchr(r->shape, 'p') != NULL;
		want.q &= strchr(r->shape, 'q') != NULL;
		if (c[4] == want.d && (c[5] & 6) == (want.p * 2u | want.q * 4u))
			continue;
		diag("%s: a %016llx b %016llx c %016llx xyz %llu flags %u %u %u: %016llx %llu, not "
		     "%016llx %u",
		     r->name, (unsigned long long)v.a, (unsigned long long)v.b,
		     (unsigned long long)v.c, (unsigned long long)c[3] >> 3, flags[0], flags[1],
		     flags[2], (unsigned long long)c[4], (unsigned long long)c[5] >> 1 & 3,
		     (unsigned long long)want.d, want.p | want.q << 1);
		return false;
	}
	return true;
}

static void test_row(const struct row *r)
{
	bool good = true;

	for (uint32_t variant = 0; variant < VARIANTS && good; variant++) {
		uint8_t flags[3] = {0};

		for (uint32_t k = 0; k < 3 && variant; k++)
			if (strchr(r->shape, "abc"[k]) || strchr(r->shape, "ABC"[k]))
				flags[k] = (uint8_t)(noise() >> 20) & r->flags;
		good = try(r, flags);
	}
	ok(good, "%s matches the reference for corner cases and random values", r->name);
}

static int alu_main(const struct row *rows, size_t count)
{
	static const char *const chips[] = {"gh100", "ga100"};

	for (uint32_t c = 0; c < 2; c++) {
		/* Applications' floating-point modes are none of the software GPU's. */
		fesetround(FE_UPWARD);
		rig_open(&r_, chips[c], false, 1 + c);
		fesetround(FE_TONEAREST);
		diag("%s", chips[c]);
		for (size_t i = 0; i < count; i++)
			if (!rows[i].hopper || rig_sm(&r_) >= 90)
				test_row(&rows[i]);
		rig_close(&r_);
	}
	return tap_done();
}

#endif
