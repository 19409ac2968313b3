// SPDX-License-Identifier: MIT
/* Integer arithmetic, logic, predicates. The same cores serve the vector instructions and their
 * uniform counterparts. */
#include "model/nv/exec.h"

/* Source n of lane i with its modifiers: x, -x or ~x. Needs LOCAL_SOURCES. */
#define SRC(n)    ((row##n[i] ^ flip##n) + plus##n)
/* The same in 64 bits, to obtain the carry: -x counts as ~x + 1. */
#define WIDE(n)   ((uint64_t)(row##n[i] ^ flip##n) + plus##n)
#define RAW64(n)  ((uint64_t)row##n[LANES + i] << 32 | row##n[i])
#define BIT(mask) ((mask) >> i & 1)

static inline uint32_t low(uint64_t x)
{
	return (uint32_t)x;
}

/* Addition. */

static void core_iadd3(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, p = 0, q = 0;
	LOCAL_SOURCES;

	EACH_LANE(i) {
		uint64_t sum = WIDE(0) + WIDE(1) + WIDE(2) + BIT(o->x[0]) + BIT(o->x[1]);
		uint32_t carry = low(sum >> 32);

		d[i] = low(sum);
		p |= (uint32_t)(carry >= 1) << i;
		q |= (uint32_t)(carry >= 2) << i;
	}
	o->p[0] = p;
	o->p[1] = q;
}

/* The same for pairs. */
static void core_iadd3_64(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, p = 0, q = 0;

	EACH_LANE(i) {
		uint64_t sum = 0;
		uint32_t carry = 0;

		for (uint32_t k = 0; k < 3; k++) {
			uint64_t x = (uint64_t)o->s[k][LANES + i] << 32 | o->s[k][i];

			x ^= op->s[k].flip ? UINT64_MAX : 0;
			carry += sum + x < sum;
			sum += x;
		}
		for (uint32_t k = 0; k < 3; k++) {
			carry += op->s[k].plus && sum == UINT64_MAX;
			sum += op->s[k].plus;
		}
		for (uint32_t k = 0; k < 2; k++) {
			carry += BIT(o->x[k]) && sum == UINT64_MAX;
			sum += BIT(o->x[k]);
		}
		d[i] = low(sum);
		d[LANES + i] = low(sum >> 32);
		p |= (uint32_t)(carry >= 1) << i;
		q |= (uint32_t)(carry >= 2) << i;
	}
	o->p[0] = p;
	o->p[1] = q;
}

/* Fast path for sums without carries. */
static void core_iadd3_plain(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d;
	LOCAL_SOURCES;

	EACH_LANE(i)
		d[i] = SRC(0) + SRC(1) + SRC(2);
}

static const char *prepare_iadd3(struct op *op, const struct sass_inst *in)
{
	if (!in->mod[SASS_M_X] && op->p[0] % PRED_UNIFORM == PRED_SINK &&
	    op->p[1] % PRED_UNIFORM == PRED_SINK)
		op->core = core_iadd3_plain;
	return NULL;
}

static void core_add(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d;
	LOCAL_SOURCES;

	EACH_LANE(i)
		d[i] = SRC(0) + SRC(1);
}

static void core_iabs(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d;
	LOCAL_SOURCES;

	EACH_LANE(i) {
		uint32_t a = SRC(0);

		d[i] = a >> 31 ? -a : a;
	}
}

/* Multiplication. */

static void core_imad(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d;
	LOCAL_SOURCES;

	EACH_LANE(i)
		d[i] = SRC(0) * SRC(1) + SRC(2) + BIT(o->x[0]);
}

/* a * b as 64 bits, negated if one factor is. */
static inline uint64_t product(bool negate, uint32_t a, uint32_t b, bool is_signed)
{
	uint64_t x = is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;

	return negate ? -x : x;
}

static inline uint64_t addend(uint32_t flip, uint32_t plus, uint64_t c)
{
	return (c ^ ((uint64_t)flip << 32 | flip)) + plus;
}

static void core_imad_wide(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, p = 0;
	bool is_signed = op->inst->mod[SASS_M_SIGNED], negate = op->s[0].negate != op->s[1].negate;
	LOCAL_SOURCES;

	EACH_LANE(i) {
		uint64_t ab = product(negate, row0[i], row1[i], is_signed);
		uint64_t part = ab + addend(flip2, plus2, RAW64(2)), sum = part + BIT(o->x[0]);

		d[i] = low(sum);
		d[LANES + i] = low(sum >> 32);
		p |= (uint32_t)(part < ab || sum < part) << i;
	}
	o->p[0] = p;
}

static void core_imad_hi(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, p = 0;
	bool is_signed = op->inst->mod[SASS_M_SIGNED], negate = op->s[0].negate != op->s[1].negate;
	LOCAL_SOURCES;

	EACH_LANE(i) {
		uint64_t ab = product(negate, row0[i], row1[i], is_signed);
		uint64_t part = ab + addend(flip2, plus2, RAW64(2)), sum = part + BIT(o->x[0]);

		d[i] = low(sum >> 32);
		p |= (uint32_t)(part < ab || sum < part) << i;
	}
	o->p[0] = p;
}

/* Dot product of four bytes, plus c. */
static void core_idp(const struct op *op, struct operands *o)
{
	uint32_t dot = op->inst->mod[SASS_M_DOT];
	bool sign_a = dot == SASS_DOT_S8_U8 || dot == SASS_DOT_S8_S8;
	bool sign_b = dot == SASS_DOT_U8_S8 || dot == SASS_DOT_S8_S8;
	LOCAL_SOURCES;

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t sum = SRC(2);

		for (uint32_t k = 0; k < 32; k += 8) {
			uint32_t a = o->s[0][i] >> k & 0xff, b = o->s[1][i] >> k & 0xff;

			sum += (sign_a ? (uint32_t)(int8_t)a : a) *
			       (sign_b ? (uint32_t)(int8_t)b : b);
		}
		o->d[i] = sum;
	}
}

/* Dot product of two halves of a with two bytes of b, the low or the high ones. */
static void core_idp_2a(const struct op *op, struct operands *o)
{
	uint32_t dot = op->inst->mod[SASS_M_DOT], from = op->inst->mod[SASS_M_HI] ? 16 : 0;
	bool sign_a = dot == SASS_DOT_S8_U8 || dot == SASS_DOT_S8_S8;
	bool sign_b = dot == SASS_DOT_U8_S8 || dot == SASS_DOT_S8_S8;
	LOCAL_SOURCES;

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t sum = SRC(2);

		for (uint32_t k = 0; k < 2; k++) {
			uint32_t a = o->s[0][i] >> 16 * k & 0xffff;
			uint32_t b = o->s[1][i] >> (from + 8 * k) & 0xff;

			sum += (sign_a ? (uint32_t)(int16_t)a : a) *
			       (sign_b ? (uint32_t)(int8_t)b : b);
		}
		o->d[i] = sum;
	}
}

/* Absolute differences of four bytes, or their sum and c. Without a sum c has no effect: ptxas
 * emits this form with the c of vabsdiff4, which merges it into no byte. */
static void core_vabsdiff4(const struct op *op, struct operands *o)
{
	const uint8_t *mod = op->inst->mod;

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t d = mod[SASS_M_ACC] ? o->s[2][i] : 0;

		for (uint32_t k = 0; k < 32; k += 8) {
			uint32_t a = o->s[0][i] >> k & 0xff, b = o->s[1][i] >> k & 0xff;
			int by = mod[SASS_M_SIGNED] ? (int8_t)a - (int8_t)b : (int)a - (int)b;
			uint32_t far = (uint32_t)(by < 0 ? -by : by);

			d += mod[SASS_M_ACC] ? far : far << k;
		}
		o->d[i] = d;
	}
}

/* Two 16-bit integers in a register; negation applies to each half. */
static void core_add_16x2(const struct op *op, struct operands *o)
{
	uint32_t sign = op->s[1].negate ? ALL_LANES : 1;

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t a = o->s[0][i], b = o->s[1][i];

		o->d[i] = ((a + sign * b) & 0xffff) | ((a >> 16) + sign * (b >> 16)) << 16;
	}
}

/* Minimum or maximum in each half of the first count sources. */
static void choose_16x2(const struct op *op, struct operands *o, uint32_t count)
{
	const uint8_t *mod = op->inst->mod;
	uint32_t bias = mod[SASS_M_SIGNED] ? 0x8000 : 0;

	for (uint32_t i = 0; i < LANES; i++) {
		bool min = o->x[0] >> i & 1;
		uint32_t both = 0;

		for (uint32_t k = 0; k < 32; k += 16) {
			uint32_t x = o->s[0][i] >> k & 0xffff;

			for (uint32_t n = 1; n < count; n++) {
				uint32_t y = o->s[n][i] >> k & 0xffff;

				x = ((x ^ bias) < (y ^ bias)) == min ? x : y;
			}
			both |= (mod[SASS_M_RELU] && x & 0x8000 ? 0 : x) << k;
		}
		o->d[i] = both;
	}
}

/* Sums of the halves of a and b, and the minimum or maximum of each and c's. */
static void core_viaddmnmx_16x2(const struct op *op, struct operands *o)
{
	uint32_t sums[LANES];
	struct operands add = {.d = sums, .s = {o->s[0], o->s[1]}}, choose = *o;

	core_add_16x2(op, &add);
	choose.s[0] = sums;
	choose.s[1] = o->s[2];
	choose_16x2(op, &choose, 2);
}

static void core_imnmx_16x2(const struct op *op, struct operands *o)
{
	choose_16x2(op, o, 2);
}

static void core_vimnmx3_16x2(const struct op *op, struct operands *o)
{
	choose_16x2(op, o, 3);
}

/* Shifted addition, for addresses. LEA negates a after the shift: ptxas 13.0 subtracts 64-bit
 * numbers by it, and for a = 0 needs a carry. */

static void core_lea(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, p = 0, by = (uint32_t)op->imm[0];
	LOCAL_SOURCES;

	EACH_LANE(i) {
		uint64_t shifted = (uint64_t)(row0[i] << by ^ flip0) + plus0;
		uint64_t sum = shifted + WIDE(1) + BIT(o->x[0]);

		d[i] = low(sum);
		p |= (low(sum >> 32) & 1) << i;
	}
	o->p[0] = p;
}

static void lea_hi(const struct op *op, struct operands *o, bool sign_extend)
{
	uint32_t *d = o->d, p = 0, by = (uint32_t)op->imm[0];
	LOCAL_SOURCES;

	EACH_LANE(i) {
		uint32_t a = SRC(0);
		uint32_t c = sign_extend ? (uint32_t)((int32_t)a >> 31) : o->s[2][i];
		uint64_t sum = low(((uint64_t)c << 32 | a) >> (32 - by)) + WIDE(1) + BIT(o->x[0]);

		d[i] = low(sum);
		p |= (low(sum >> 32) & 1) << i;
	}
	o->p[0] = p;
}

static void core_lea_hi(const struct op *op, struct operands *o)
{
	lea_hi(op, o, false);
}

static void core_lea_hi_sx32(const struct op *op, struct operands *o)
{
	lea_hi(op, o, true);
}

/* Comparison and choice. */

static void core_isetp(const struct op *op, struct operands *o)
{
	const uint8_t *mod = op->inst->mod;
	uint32_t cmp = mod[SASS_M_CMP], bits = 0, x = o->x[0],
		 bias = mod[SASS_M_SIGNED] ? 0x80000000 : 0;
	LOCAL_SOURCES;

	/* A 64-bit comparison uses the result for the low halves (y) when the high halves are
	 * equal. */
	EACH_LANE(i) {
		uint32_t a = SRC(0) ^ bias, b = SRC(1) ^ bias;
		uint32_t here = cmp >> (a < b ? 0 : a == b ? 1 : 2) & 1;

		if (mod[SASS_M_EX] && a == b)
			here = BIT(o->x[1]);
		bits |= here << i;
	}
	if (mod[SASS_M_EX] && (cmp == SASS_CMP_T || cmp == SASS_CMP_F))
		bits = cmp == SASS_CMP_T ? ALL_LANES : 0;
	switch (mod[SASS_M_BOOL]) {
	case SASS_AND:
		o->p[0] = bits & x;
		o->p[1] = ~bits & x;
		break;
	case SASS_OR:
		o->p[0] = bits | x;
		o->p[1] = ~bits | x;
		break;
	default:
		o->p[0] = bits ^ x;
		o->p[1] = ~bits ^ x;
	}
}

static void core_imnmx(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, bias = op->inst->mod[SASS_M_SIGNED] ? 0x80000000 : 0;
	bool relu = op->inst->mod[SASS_M_RELU];
	LOCAL_SOURCES;

	EACH_LANE(i) {
		uint32_t a = SRC(0), b = SRC(1);
		uint32_t least = (a ^ bias) < (b ^ bias) ? a : b;
		uint32_t value = BIT(o->x[0]) ? least : a ^ b ^ least;

		d[i] = relu && value >> 31 ? 0 : value;
	}
}

static void core_vimnmx3(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, bias = op->inst->mod[SASS_M_SIGNED] ? 0x80000000 : 0;
	bool relu = op->inst->mod[SASS_M_RELU];
	LOCAL_SOURCES;

	EACH_LANE(i) {
		uint32_t a = SRC(0) ^ bias, b = SRC(1) ^ bias, c = SRC(2) ^ bias, value;
		uint32_t least = a < b ? a : b, most = a < b ? b : a;

		least = least < c ? least : c;
		most = most > c ? most : c;
		value = (BIT(o->x[0]) ? least : most) ^ bias;
		d[i] = relu && value >> 31 ? 0 : value;
	}
}

/* min or max of a + b and c. */
static void core_viaddmnmx(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, bias = op->inst->mod[SASS_M_SIGNED] ? 0x80000000 : 0;
	bool relu = op->inst->mod[SASS_M_RELU];
	LOCAL_SOURCES;

	EACH_LANE(i) {
		uint32_t a = SRC(0) + SRC(1), c = SRC(2);
		uint32_t least = (a ^ bias) < (c ^ bias) ? a : c;
		uint32_t value = BIT(o->x[0]) ? least : a ^ c ^ least;

		d[i] = relu && value >> 31 ? 0 : value;
	}
}

/* Converts a signed word to a narrower type with saturation. */
static void core_i2i(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, type = op->inst->mod[SASS_M_DTYPE];
	bool narrow = type == SASS_TYPE_U8 || type == SASS_TYPE_S8;
	bool is_signed = type == SASS_TYPE_S8 || type == SASS_TYPE_S16;
	int32_t most = (1 << ((narrow ? 8 : 16) - is_signed)) - 1,
		least = is_signed ? -most - 1 : 0;
	LOCAL_SOURCES;

	EACH_LANE(i) {
		int32_t a = (int32_t)SRC(0);

		d[i] = (uint32_t)(a < least ? least : a > most ? most : a);
	}
}

static void core_vabsdiff(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, bias = op->inst->mod[SASS_M_SIGNED] ? 0x80000000 : 0;
	LOCAL_SOURCES;

	EACH_LANE(i) {
		uint32_t a = SRC(0), b = SRC(1);

		d[i] = ((a ^ bias) < (b ^ bias) ? b - a : a - b) + SRC(2);
	}
}

static void core_sel(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d;
	LOCAL_SOURCES;

	EACH_LANE(i)
		d[i] = BIT(o->x[0]) ? SRC(0) : SRC(1);
}

/* Logic: bit number a:b:c of the truth table. */

static inline uint32_t logic(const uint32_t m[8], uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t one = (a & ((b & m[7]) | (~b & m[5]))) | (~a & ((b & m[3]) | (~b & m[1])));
	uint32_t zero = (a & ((b & m[6]) | (~b & m[4]))) | (~a & ((b & m[2]) | (~b & m[0])));

	return (c & one) | (~c & zero);
}

static void table_masks(uint32_t m[8], uint32_t table)
{
	for (uint32_t k = 0; k < 8; k++)
		m[k] = table >> k & 1 ? ALL_LANES : 0;
}

static void core_lop3(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, m[8], any = 0;
	LOCAL_SOURCES;

	table_masks(m, (uint32_t)op->imm[0]);
	EACH_LANE(i) {
		uint32_t value = logic(m, SRC(0), SRC(1), SRC(2));

		d[i] = value;
		any |= (uint32_t)(value != 0) << i;
	}
	o->p[0] = op->inst->mod[SASS_M_PAND] ? any & o->x[0] : any | o->x[0];
}

static void core_plop3(const struct op *op, struct operands *o)
{
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t m[8];

		table_masks(m, (uint32_t)op->imm[k]);
		o->p[k] = logic(m, o->x[0], o->x[1], o->x[2]);
	}
}

/* The same for the sign bits of three registers. */
static void core_plop3_sign(const struct op *op, struct operands *o)
{
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t i = 0; i < LANES; i++)
			o->x[k] |= o->s[k][i] >> 31 << i;
	core_plop3(op, o);
}

/* Bits. */

/* Funnel shift of c:a; the type determines the range of the shift amount and the bits shifted in
 * from the left. */
static void core_shf(const struct op *op, struct operands *o)
{
	const uint8_t *mod = op->inst->mod;
	uint32_t *d = o->d, type = mod[SASS_M_SHTYPE];
	uint32_t most = type == SASS_SH_U32 || type == SASS_SH_S32 ? 32 : 64;
	bool is_signed = type == SASS_SH_S32 || type == SASS_SH_S64;

	EACH_LANE(i) {
		uint64_t pair = (uint64_t)o->s[2][i] << 32 | o->s[0][i], x;
		uint32_t by = o->s[1][i];

		by = mod[SASS_M_WRAP] ? by % most : by < most ? by : most;
		if (!mod[SASS_M_RIGHT])
			x = by > 63 ? 0 : pair << by;
		else if (is_signed)
			x = (uint64_t)((int64_t)pair >> (by > 63 ? 63 : by));
		else
			x = by > 63 ? 0 : pair >> by;
		d[i] = mod[SASS_M_HI] ? low(x >> 32) : low(x);
	}
}

/* Returns the byte of c:a that a selector names; bit 3 replicates its sign. */
static uint32_t pick_byte(uint64_t pair, uint32_t selector)
{
	uint32_t byte = low(pair >> 8 * (selector & 7)) & 0xff;

	return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

/* PTX ISA, prmt: the selector of result byte k in each mode. */
static uint32_t prmt_selector(uint32_t mode, uint32_t n, uint32_t k)
{
	switch (mode) {
	case SASS_PRMT_F4E:
		return n + k;
	case SASS_PRMT_B4E:
		return (n - k) & 7;
	case SASS_PRMT_RC8:
		return n;
	case SASS_PRMT_ECL:
		return k > n ? k : n;
	case SASS_PRMT_ECR:
		return k < n ? k : n;
	default:
		return 2 * (n & 1) + (k & 1);
	}
}

static void core_prmt(const struct op *op, struct operands *o)
{
	uint32_t mode = op->inst->mod[SASS_M_PRMT];

	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t pair = (uint64_t)o->s[2][i] << 32 | o->s[0][i];
		uint32_t selector = o->s[1][i], value = 0;

		for (uint32_t k = 0; k < 4; k++) {
			uint32_t byte = mode == SASS_PRMT_IDX
						? selector >> 4 * k & 15
						: prmt_selector(mode, selector & 3, k);

			value |= pick_byte(pair, byte) << 8 * k;
		}
		o->d[i] = value;
	}
}

static inline uint32_t amount(const struct op *op, uint32_t by)
{
	return op->inst->mod[SASS_M_WRAP] ? by % 32 : by < 32 ? by : 32;
}

static inline uint32_t ones(uint32_t count)
{
	return count > 31 ? ALL_LANES : (1u << count) - 1;
}

static void core_sgxt(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d;
	bool is_signed = op->inst->mod[SASS_M_SIGNED];

	EACH_LANE(i) {
		uint32_t bits = amount(op, o->s[1][i]), value = o->s[0][i] & ones(bits);
		uint32_t sign = is_signed && bits ? value >> (bits - 1) & 1 : 0;

		d[i] = value | (sign ? ~ones(bits) : 0);
	}
}

static void core_bmsk(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d;

	EACH_LANE(i) {
		uint32_t at = amount(op, o->s[0][i]), width = amount(op, o->s[1][i]);

		d[i] = at > 31 ? 0 : ones(width) << at;
	}
}

static void core_popc(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d;
	LOCAL_SOURCES;

	EACH_LANE(i)
		d[i] = (uint32_t)__builtin_popcount(SRC(0));
}

static void core_flo(const struct op *op, struct operands *o)
{
	LOCAL_SOURCES;

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t a = SRC(0), bit;

		if (op->inst->mod[SASS_M_SIGNED] && a >> 31)
			a = ~a;
		bit = a ? 31 - (uint32_t)__builtin_clz(a) : ALL_LANES;
		o->d[i] = op->inst->mod[SASS_M_SH] && a ? 31 - bit : bit;
		o->p[0] |= (uint32_t)(a != 0) << i;
	}
}

static void core_brev(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d;
	LOCAL_SOURCES;

	EACH_LANE(i) {
		uint32_t a = SRC(0);

		a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
		a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
		a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
		d[i] = __builtin_bswap32(a);
	}
}

const struct op_row rows_integer[] = {
	{SASS_IADD3, "dppsssxx", run_vector, core_iadd3, prepare_iadd3},
	{SASS_VIADD, "dss", run_vector, core_add, NULL},
	{SASS_VIADD_16X2, "dss", run_vector, core_add_16x2, NULL},
	{SASS_IMAD, "dsssx", run_vector, core_imad, NULL},
	{SASS_IMAD_WIDE, "DpssSx", run_vector, core_imad_wide, NULL},
	{SASS_IMAD_HI, "dpssSx", run_vector, core_imad_hi, NULL},
	{SASS_ISETP, "ppssxx", run_vector, core_isetp, NULL},
	{SASS_IMNMX, "dssx", run_vector, core_imnmx, NULL},
	{SASS_VIMNMX, "dssx", run_vector, core_imnmx, NULL},
	{SASS_VIMNMX_16X2, "dssx", run_vector, core_imnmx_16x2, NULL},
	{SASS_VIADDMNMX, "dsssx", run_vector, core_viaddmnmx, NULL},
	{SASS_VIADDMNMX_16X2, "dsssx", run_vector, core_viaddmnmx_16x2, NULL},
	{SASS_I2I, "ds", run_vector, core_i2i, NULL},
	{SASS_VIMNMX3, "dsssx", run_vector, core_vimnmx3, NULL},
	{SASS_VIMNMX3_16X2, "dsssx", run_vector, core_vimnmx3_16x2, NULL},
	{SASS_VABSDIFF, "dsss", run_vector, core_vabsdiff, NULL},
	{SASS_VABSDIFF4, "dsss", run_vector, core_vabsdiff4, NULL},
	{SASS_IDP, "dsss", run_vector, core_idp, NULL},
	{SASS_IDP_2A, "dsss", run_vector, core_idp_2a, NULL},
	{SASS_IABS, "ds", run_vector, core_iabs, NULL},
	{SASS_LEA, "dpssix", run_vector, core_lea, NULL},
	{SASS_LEA_HI, "dpsssix", run_vector, core_lea_hi, NULL},
	{SASS_LEA_HI_SX32, "dpssix", run_vector, core_lea_hi_sx32, NULL},
	{SASS_LOP3, "pdsssix", run_vector, core_lop3, NULL},
	{SASS_PLOP3, "ppxxxii", run_vector, core_plop3, NULL},
	{SASS_PLOP3_UPRED, "ppxxxii", run_vector, core_plop3, NULL},
	{SASS_PLOP3_SIGN, "ppsssii", run_vector, core_plop3_sign, NULL},
	{SASS_SHF, "dsss", run_vector, core_shf, NULL},
	{SASS_SEL, "dssx", run_vector, core_sel, NULL},
	{SASS_PRMT, "dsss", run_vector, core_prmt, NULL},
	{SASS_SGXT, "dss", run_vector, core_sgxt, NULL},
	{SASS_BMSK, "dss", run_vector, core_bmsk, NULL},
	{SASS_POPC, "ds", run_vector, core_popc, NULL},
	{SASS_FLO, "dps", run_vector, core_flo, NULL},
	{SASS_BREV, "ds", run_vector, core_brev, NULL},
	/* uniform counterparts */
	{SASS_UIADD3, "dppsssxx", run_uniform, core_iadd3, prepare_iadd3},
	{SASS_UIADD3_64, "DppSSSxx", run_uniform, core_iadd3_64, NULL},
	{SASS_UIMAD, "dsss", run_uniform, core_imad, NULL},
	{SASS_UIMAD_WIDE, "DpssSx", run_uniform, core_imad_wide, NULL},
	{SASS_UISETP, "ppssxx", run_uniform, core_isetp, NULL},
	{SASS_ULEA, "dpssix", run_uniform, core_lea, NULL},
	{SASS_ULEA_HI, "dpsssix", run_uniform, core_lea_hi, NULL},
	{SASS_ULEA_HI_SX32, "dpssix", run_uniform, core_lea_hi_sx32, NULL},
	{SASS_ULOP3, "pdsssix", run_uniform, core_lop3, NULL},
	{SASS_UPLOP3, "ppxxxii", run_uniform, core_plop3, NULL},
	{SASS_UPLOP3_SIGN, "ppsssii", run_uniform, core_plop3_sign, NULL},
	{SASS_USHF, "dsss", run_uniform, core_shf, NULL},
	{SASS_USEL, "dssx", run_uniform, core_sel, NULL},
	{SASS_UPRMT, "dsss", run_uniform, core_prmt, NULL},
	{SASS_USGXT, "dss", run_uniform, core_sgxt, NULL},
	{SASS_UBMSK, "dss", run_uniform, core_bmsk, NULL},
	{SASS_UPOPC, "ds", run_uniform, core_popc, NULL},
	{SASS_UFLO, "dps", run_uniform, core_flo, NULL},
	{SASS_UBREV, "ds", run_uniform, core_brev, NULL},
	OP_ROWS_END,
};
