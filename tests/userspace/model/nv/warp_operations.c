// SPDX-License-Identifier: MIT
/* Warp-level communication against plain C: shuffles of all modes with lane numbers in and out of
 * range and every segment size, votes, matches and reductions, for full and partial warps. */
#include "tests/userspace/model/nv/_rig.h"

static struct rig r;

/* Loads R4, R5, R6 of each lane from tables, executes one instruction under P0 (lane in mask),
 * stores R8 and predicate P1 as a number. */
static void begin(uint32_t mask)
{
	rig_code(&r);
	INS(&r, SASS_S2R, (R(0), SR(SASS_SR_LANEID)));
	INS(&r, SASS_MOV, (R(2), C0(r.params)));
	INS(&r, SASS_MOV, (R(3), C0(r.params + 4)));
	INS(&r, SASS_IMAD_WIDE, (R(2), PT, R(0), IMM(4), R(2)));
	for (uint32_t i = 0; i < 4; i++)
		INS(&r, SASS_LDG, (PT, R(4 + i), AT(2, 128 * (int32_t)i)));
	INS(&r, SASS_S2R, (R(9), SR(SASS_SR_EQMASK)));
	INS(&r, SASS_LOP3, (P(0), R(9), R(9), IMM(mask), RZ, IMM(0xc0)));
	INS(&r, SASS_MOV, (R(8), IMM(0xdddddddd)));
	INS(&r, SASS_PLOP3, (P(1), PT, PT, PT, PT, IMM(0), IMM(0)));
}

static void end(void)
{
	INS(&r, SASS_SEL, (R(9), RZ, IMM(1), with(P(1), SASS_NEG)));
	INS(&r, SASS_STG, (AT(2, 0x1000), R(8)));
	INS(&r, SASS_STG, (AT(2, 0x1080), R(9)));
	INS(&r, SASS_EXIT, (PT));
}

static uint32_t *table(uint32_t i)
{
	return rig_words(&r, RIG_DATA + 128 * i);
}

static uint32_t next(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static bool launch(void)
{
	uint64_t data = RIG_DATA;
	struct model_error e;

	if (rig_run(&r, 1, 32, &data, 1))
		return true;
	diag("%s", rig_error(&r, &e));
	rig_renew(&r);
	return false;
}

/* Lanes of the mask have value and predicate, the others their old contents. */
static bool result_is(uint32_t mask, const uint32_t *value, const uint32_t *predicate)
{
	const uint32_t *d = rig_words(&r, RIG_DATA + 0x1000), *p = rig_words(&r, RIG_DATA + 0x1080);

	for (uint32_t i = 0; i < 32; i++) {
		bool in = mask >> i & 1;

		if (d[i] != (in ? value[i] : 0xdddddddd) || p[i] != (in ? predicate[i] : 0)) {
			diag("lane %u: 0x%x and %u, not 0x%x and %u", i, d[i], p[i],
			     in ? value[i] : 0xdddddddd, in ? predicate[i] : 0);
			return false;
		}
	}
	return true;
}

/* Shuffles, after the pseudocode of the PTX manual. */
static uint32_t shuffle(uint32_t mode, uint32_t lane, int b, int c, const uint32_t *a,
			uint32_t *inside)
{
	int bval = b & 0x1f, cval = c & 0x1f, mask = c >> 8 & 0x1f;
	int max = ((int)lane & mask) | (cval & ~mask), min = (int)lane & mask, j = (int)lane;

	switch (mode) {
	case SASS_SHFL_UP:
		j = (int)lane - bval;
		*inside = j >= max;
		break;
	case SASS_SHFL_DOWN:
		j = (int)lane + bval;
		*inside = j <= max;
		break;
	case SASS_SHFL_BFLY:
		j = (int)lane ^ bval;
		*inside = j <= max;
		break;
	default:
		j = min | (bval & ~mask);
		*inside = j <= max;
	}
	return a[*inside ? j : (int)lane];
}

static void test_shuffle(uint32_t mode, const char *name)
{
	static const uint32_t clamps[] = {0x1f,   0x0000, 0x1c03, 0x1807,
					  0x101f, 0x181f, 0x1c1f, 0x0f0f};
	uint32_t value[32], inside[32];
	bool good = true;

	for (uint32_t k = 0; k < sizeof(clamps) / sizeof(clamps[0]) && good; k++) {
		begin(0xffffffff);
		INS(&r, SASS_SHFL, (P(1), R(8), R(4), R(5), R(6)),
		    in.mod[SASS_M_SHFL] = (uint8_t)mode);
		end();
		for (uint32_t i = 0; i < 32; i++) {
			table(0)[i] = next();
			table(1)[i] = next() & (k & 1 ? 31 : 0x7ff);
			table(2)[i] = clamps[k];
			value[i] = 0;
		}
		for (uint32_t i = 0; i < 32; i++)
			value[i] = shuffle(mode, i, (int)table(1)[i], (int)table(2)[i], table(0),
					   &inside[i]);
		good = launch() && result_is(0xffffffff, value, inside);
	}
	for (uint32_t b = 0; b < 32 && good; b += 3) {
		begin(0xffffffff);
		INS(&r, SASS_SHFL, (P(1), R(8), R(4), IMM(b), IMM(0x1f)),
		    in.mod[SASS_M_SHFL] = (uint8_t)mode);
		end();
		for (uint32_t i = 0; i < 32; i++)
			value[i] = shuffle(mode, i, (int)b, 0x1f, table(0), &inside[i]);
		good = launch() && result_is(0xffffffff, value, inside);
	}
	ok(good, "SHFL.%s with registers and immediates, in and out of range", name);
}

static void test_votes(void)
{
	static const uint32_t masks[] = {0xffffffff, 1, 0x80000000, 0x00ff00f0};
	static const uint32_t saids[] = {0, 0xffffffff, 0x10, 0x12345678};
	bool good = true;

	for (uint32_t n = 0; n < 48 && good; n++) {
		uint32_t mask = masks[n % 4], said = saids[n / 4 % 4], kind = n / 16,
			 yes = mask & said;
		uint32_t value[32], answer[32];

		begin(mask);
		INS(&r, SASS_ISETP, (P(2), PT, R(5), RZ, PT), in.mod[SASS_M_CMP] = SASS_CMP_NE);
		INS(&r, SASS_VOTE, (R(8), P(1), P(2)), in.mod[SASS_M_VOTE] = (uint8_t)kind,
		    in.guard = 0);
		end();
		for (uint32_t i = 0; i < 32; i++) {
			table(1)[i] = said >> i & 1;
			value[i] = yes;
			answer[i] = kind == SASS_VOTE_ALL   ? yes == mask
				    : kind == SASS_VOTE_ANY ? yes != 0
							    : yes == mask || !yes;
		}
		good = launch() && result_is(mask, value, answer);
	}
	ok(good, "VOTE.ALL, .ANY and .EQ with full and partial masks");
}

static void test_match(void)
{
	bool any = true, all = true;

	for (uint32_t n = 0; n < 12 && any && all; n++) {
		uint32_t mask = n & 1 ? 0xffffffff : next() | 1, value[32], same[32],
			 zero[32] = {0};
		bool equal = true;

		for (uint32_t i = 0; i < 32; i++)
			table(0)[i] = n < 6 ? next() % 5 : 7;
		for (uint32_t i = 0; i < 32; i++) {
			value[i] = 0;
			for (uint32_t k = 0; k < 32; k++)
				if (mask >> k & 1 && table(0)[k] == table(0)[i])
					value[i] |= 1u << k;
			equal &= !(mask >> i & 1) || value[i] == mask;
		}
		begin(mask);
		INS(&r, SASS_MATCH_ANY, (R(8), R(4)), in.mod[SASS_M_STYPE] = SASS_TYPE_U32,
		    in.guard = 0);
		end();
		any = launch() && result_is(mask, value, zero);
		for (uint32_t i = 0; i < 32; i++) {
			value[i] = equal ? mask : 0;
			same[i] = equal;
		}
		begin(mask);
		INS(&r, SASS_MATCH_ALL, (P(1), R(8), R(4)), in.mod[SASS_M_STYPE] = SASS_TYPE_U32,
		    in.guard = 0);
		end();
		all = launch() && result_is(mask, value, same);
	}
	ok(any, "MATCH.ANY returns the lanes with the same value");
	ok(all, "MATCH.ALL returns whether all lanes have the same value");
}

static uint32_t reduce(uint32_t how, bool is_signed, uint32_t a, uint32_t b)
{
	bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;

	switch (how) {
	case SASS_REDUX_AND:
		return a & b;
	case SASS_REDUX_OR:
		return a | b;
	case SASS_REDUX_XOR:
		return a ^ b;
	case SASS_REDUX_SUM:
		return a + b;
	case SASS_REDUX_MIN:
		return less ? a : b;
	default:
		return less ? b : a;
	}
}

static void test_redux(void)
{
	bool good = true;

	for (uint32_t n = 0; n < 24 && good; n++) {
		uint32_t how = n % 6, mask = n & 8 ? 0xffffffff : 0x0ff00ff0, value[32],
			 zero[32] = {0}, sum = 0;
		bool is_signed = n / 12 && how >= SASS_REDUX_SUM, first = true;

		for (uint32_t i = 0; i < 32; i++)
			table(0)[i] = next();
		for (uint32_t i = 0; i < 32; i++)
			if (mask >> i & 1) {
				sum = first ? table(0)[i]
					    : reduce(how, is_signed, sum, table(0)[i]);
				first = false;
			}
		for (uint32_t i = 0; i < 32; i++)
			value[i] = sum;
		begin(mask);
		INS(&r, SASS_REDUX, (UR(4), R(4)), in.mod[SASS_M_REDUX] = (uint8_t)how,
		    in.guard = 0, in.mod[SASS_M_STYPE] = is_signed ? SASS_TYPE_S32 : SASS_TYPE_U32);
		INS(&r, SASS_MOV, (R(8), UR(4)), in.guard = 0);
		end();
		good = launch() && result_is(mask, value, zero);
	}
	ok(good, "REDUX computes and, or, xor, sum, minimum, maximum, signed and unsigned");
}

/* Each lane's R4 holds predicates in four bytes: R2P reads one of them, P2R writes another. UR2UP
 * and UP2UR do the same with those of lane 0, and ULEA.HI.SX32 takes its sign. */
static void test_predicate_bytes(void)
{
	uint32_t *given = table(0), *out = rig_words(&r, RIG_DATA + 0x1000);
	bool good = true;

	for (uint32_t from = 0; from < 4; from++) {
		uint32_t to = (from + 1) % 4, wrong = 0;
		struct sass_operand byte = R(4), ubyte = UR(4);

		byte.aux = ubyte.aux = (uint8_t)from;
		begin(UINT32_MAX);
		INS(&r, SASS_R2UR, (PT, UR(4), R(4)));
		INS(&r, SASS_UR2UP, (op_reg(SASS_NONE, 0), ubyte, IMM(0x7f)));
		INS(&r, SASS_UP2UR, (UR(6), op_reg(SASS_NONE, 0), UR(4), IMM(0x3c)),
		    in.mod[SASS_M_BYTE] = (uint8_t)to);
		INS(&r, SASS_ULEA_HI_SX32, (UR(7), UP(7), UR(4), IMM(5), IMM(3)));
		INS(&r, SASS_R2P, (op_reg(SASS_NONE, 0), byte, IMM(0x7f)));
		INS(&r, SASS_P2R, (R(8), op_reg(SASS_NONE, 0), R(5), IMM(0x3c)),
		    in.mod[SASS_M_BYTE] = (uint8_t)to);
		INS(&r, SASS_MOV, (R(10), UR(6)));
		INS(&r, SASS_MOV, (R(11), UR(7)));
		INS(&r, SASS_STG, (AT(2, 0x1100), R(10)));
		INS(&r, SASS_STG, (AT(2, 0x1180), R(11)));
		end();
		for (uint32_t i = 0; i < 64; i++)
			given[i] = next();
		good &= launch();
		for (uint32_t i = 0; i < 32; i++) {
			uint32_t bits = given[i] >> 8 * from & 0x3c,
				 first = given[0] >> 8 * from & 0x3c;
			uint32_t clear = ~(0x3cu << 8 * to);

			wrong += out[i] != ((given[32 + i] & clear) | bits << 8 * to);
			wrong += out[64 + i] != ((given[0] & clear) | first << 8 * to);
			wrong += out[96 + i] != (uint32_t)((int32_t)given[0] >> 29) + 5;
		}
		good &= !wrong;
	}
	ok(good, "R2P, P2R, UR2UP and UP2UR select a byte, ULEA.HI.SX32 extends the sign");
}

int main(void)
{
	static const char *const chips[] = {"gh100", "ga100"};

	for (uint32_t i = 0; i < 2; i++) {
		rig_open(&r, chips[i], false, 1);
		diag("%s", chips[i]);
		test_shuffle(SASS_SHFL_IDX, "IDX");
		test_shuffle(SASS_SHFL_UP, "UP");
		test_shuffle(SASS_SHFL_DOWN, "DOWN");
		test_shuffle(SASS_SHFL_BFLY, "BFLY");
		test_votes();
		test_match();
		test_redux();
		test_predicate_bytes();
		rig_close(&r);
	}
	return tap_done();
}
