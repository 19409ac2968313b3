/* SPDX-License-Identifier: MIT */
/*
 * Random kernels for the tests of the passes. A kernel is a graph of blocks with edges forward and,
 * through a counter that ends every cycle, back; nothing keeps it structured or reducible. Values
 * cross blocks in mutable registers, except those of the entry, which everyone may use. What the
 * operations are is read off ops.h, so that new ones take part by themselves. Each thread stores
 * into and loads from its own part of an output buffer and of shared memory, by addresses that
 * are put together in many ways, and at the end stores all registers.
 *
 * Left out is what may give another result by permission: contraction, and races between threads.
 */
#ifndef TESTS_PASSES_RANDOM_H
#define TESTS_PASSES_RANDOM_H

#include "libsov/compiler/ir/ir.h"

#define RANDOM_THREADS    6
#define RANDOM_PART       8192 /* bytes of the output and input buffers that belong to one thread */
#define RANDOM_PARAMS     5    /* two buffers and three numbers, 8 bytes each */
#define RANDOM_SLOT       32   /* bytes of shared memory that belong to one thread */
#define RANDOM_BELOW      4096
#define RANDOM_POOL       256
#define RANDOM_REGS       3 /* of each type */
#define RANDOM_MAX_BLOCKS 12
#define RANDOM_RESULTS    4352 /* offset in the thread's part of results, 8 bytes each … */
#define RANDOM_NRESULTS   200  /* … and how many until the first is overwritten */

struct random {
	uint64_t state;
	uint32_t types; /* that operations have, where they have them at all */
	bool straight;  /* only pure operations, no registers */
	struct ir_func *f;
	ir_block block;                          /* where code goes */
	ir_val pool[IR_TYPE_COUNT][RANDOM_POOL]; /* values that may be used here */
	uint32_t npool[IR_TYPE_COUNT], nentry[IR_TYPE_COUNT];
	uint32_t regs[IR_TYPE_COUNT][RANDOM_REGS], fuel;
	ir_val out, in, tid_offset; /* b64: the buffers, this thread's part in them */
	ir_val shared64, shared32;  /* this thread's slot, RANDOM_BELOW under it */
	ir_val last;                /* result, to build on in this block */
	ir_val results;             /* b64: this thread's part of the output */
	ir_val cells;               /* b64: an array in local memory; 0: there is none */
	bool unknown;               /* its indices may be anything */
	uint32_t deep;              /* loops of known turns around this place */
	uint32_t nresults;
	ir_block blocks[RANDOM_MAX_BLOCKS], exit;
	uint32_t nblocks;
};

static uint64_t random_bits(struct random *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint32_t random_below(struct random *r, uint32_t n)
{
	return (uint32_t)(random_bits(r) >> 32) % n;
}

static bool random_chance(struct random *r, uint32_t percent)
{
	return random_below(r, 100) < percent;
}

/* Numbers at which operations change their behaviour come up more often than others. */
static uint64_t random_number(struct random *r)
{
	static const uint64_t edges[] = {
		0,
		1,
		2,
		3,
		4,
		5,
		7,
		8,
		15,
		16,
		31,
		32,
		33,
		63,
		64,
		255,
		256,
		0xffff,
		0x10000,
		0x7f,
		0x80,
		0x7fff,
		0x8000,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x100000000,
		UINT64_C(0x7fffffffffffffff),
		UINT64_C(0x8000000000000000),
		UINT64_MAX,
		UINT64_MAX - 1,
		/* 1, -1, infinity, NaN, subnormal and other small numbers, as b32 and b64 */
		0x3f800000,
		0xbf800000,
		0x7f800000,
		0x7fc00000,
		0x7f800001,
		0x00000001,
		0x007fffff,
		0x00800000,
		0x4b800001,
		0x3f7fffff,
		UINT64_C(0x3ff0000000000000),
		UINT64_C(0xbff0000000000000),
		UINT64_C(0x7ff0000000000000),
		UINT64_C(0x7ff8000000000000),
		UINT64_C(0x7ff0000000000001),
		UINT64_C(0x000fffffffffffff),
		UINT64_C(0x0010000000000000),
		UINT64_C(0x3ff0000000000001),
	};

	if (random_chance(r, 75))
		return edges[random_below(r, sizeof(edges) / sizeof(edges[0]))];
	return random_bits(r) >> random_below(r, 64);
}

/* Numbers that identities know, of a type's width. */
static uint64_t random_special(struct random *r, enum ir_type t)
{
	uint32_t bits = ir_type_bits(t);
	uint64_t sign = UINT64_C(1) << (bits - 1), ones = sign | (sign - 1);
	const uint64_t numbers[] = {
		0,
		0,
		1,
		1,
		2,
		3,
		8,
		ones,
		ones,
		ones - 1,
		sign,
		sign - 1,
		bits / 2,
		bits / 2,
		bits - 1,
		bits,
		ones >> bits / 2,
		~(ones >> bits / 2),
		ones & ~UINT64_C(1),
		t == IR_B64 ? UINT64_C(0x3ff0000000000000) : 0x3f800000,
	};

	return numbers[random_below(r, sizeof(numbers) / sizeof(numbers[0]))];
}

static ir_val random_const(struct random *r, enum ir_type t, uint64_t value)
{
	return ir_const(r->f, r->block, t, value);
}

static void random_offer(struct random *r, ir_val v)
{
	enum ir_type t = r->f->values[v].type;

	if (r->npool[t] < RANDOM_POOL)
		r->pool[t][r->npool[t]++] = v;
	else if (r->nentry[t] < RANDOM_POOL) /* what the entry made stays */
		r->pool[t][r->nentry[t] + random_below(r, RANDOM_POOL - r->nentry[t])] = v;
}

static ir_id random_append(struct random *r, enum ir_op op, enum ir_type t, const ir_val *args,
			   uint32_t nargs, uint32_t nres)
{
	ir_id i = ir_inst_new(r->f, op, t, args, nargs, nres);

	ir_append(r->f, r->block, i);
	return i;
}

static ir_val random_op2(struct random *r, enum ir_op op, enum ir_type t, ir_val a, ir_val b)
{
	return ir_at(r->f, random_append(r, op, t, (ir_val[]){a, b}, 2, 1))->res;
}

static ir_val random_read(struct random *r, uint32_t reg, enum ir_type t)
{
	ir_id i = random_append(r, IR_READ, t, NULL, 0, 1);

	ir_at(r->f, i)->symbol = reg;
	return ir_at(r->f, i)->res;
}

static void random_write(struct random *r, uint32_t reg, ir_val v)
{
	ir_id i = random_append(r, IR_WRITE, r->f->values[v].type, &v, 1, 0);

	ir_at(r->f, i)->symbol = reg;
}

/* A value to use: more often a young one, so that operations build on each other. */
static ir_val random_value(struct random *r, enum ir_type t)
{
	uint32_t n = r->npool[t], back;

	if (random_chance(r, 25))
		return random_const(r, t, random_special(r, t));
	if (!n || random_chance(r, 10))
		return random_const(r, t, random_number(r));
	if (!r->straight && random_chance(r, 15))
		return random_read(r, r->regs[t][random_below(r, RANDOM_REGS)], t);
	back = random_chance(r, 60) ? random_below(r, n < 4 ? n : 4) : random_below(r, n);
	return r->pool[t][n - 1 - back];
}

static enum ir_type random_type(struct random *r, uint32_t types)
{
	static const enum ir_type often[] = {IR_B1,  IR_B8,  IR_B16, IR_B32,
					     IR_B32, IR_B32, IR_B64, IR_B64};
	enum ir_type t;

	if (types & r->types)
		types &= r->types;
	do
		t = often[random_below(r, sizeof(often) / sizeof(often[0]))];
	while (!(types & 1u << t));
	return t;
}

static ir_val random_convert(struct random *r, enum ir_op op, enum ir_type t, ir_val v)
{
	ir_id i = random_append(r, op, t, &v, 1, 1);

	ir_at(r->f, i)->from = r->f->values[v].type;
	return ir_at(r->f, i)->res;
}

static void random_store(struct random *r, ir_val address, uint64_t imm, ir_val v)
{
	ir_val args[2] = {address, v};
	ir_id i;

	if (r->f->values[v].type == IR_B1)
		args[1] = random_convert(r, IR_ZEXT, IR_B8, v);
	i = random_append(r, IR_STORE, r->f->values[args[1]].type, args, 2, 0);
	ir_at(r->f, i)->space = IR_GLOBAL;
	ir_at(r->f, i)->imm = imm;
}

/* Offers a new value for use, and stores some where nobody reads them, so that they matter. */
static void random_result(struct random *r, ir_val v)
{
	random_offer(r, v);
	r->last = v;
	if (r->results && random_chance(r, 30))
		random_store(r, r->results, RANDOM_RESULTS + 8 * (r->nresults++ % RANDOM_NRESULTS),
			     v);
}

/* Wide values put together from halves and taken apart, nearly always the way compilers do it. */
static void random_halves(struct random *r)
{
	static const enum ir_op joins[] = {IR_OR, IR_OR, IR_OR, IR_ADD, IR_XOR};
	enum ir_type t = random_type(r, T_HALVES), half = ir_type_half(t);
	uint32_t bits = ir_type_bits(half);
	ir_val low, high, wide, shifted;

	low = random_value(r, half);
	high = random_value(r, half);
	low = random_convert(r, random_chance(r, 90) ? IR_ZEXT : IR_SEXT, t, low);
	high = random_convert(r, random_chance(r, 90) ? IR_ZEXT : IR_SEXT, t, high);
	shifted = random_const(r, IR_B32, random_chance(r, 90) ? bits : random_below(r, 2 * bits));
	high = random_op2(r, IR_SHL, t, high, shifted);
	wide = random_op2(r, joins[random_below(r, 5)], t, high, low);
	random_result(r, high);
	random_result(r, wide);
	shifted = random_const(r, IR_B32, random_chance(r, 90) ? bits : random_below(r, 2 * bits));
	if (random_chance(r, 50))
		wide = random_value(r, t);
	wide = random_op2(r, random_chance(r, 50) ? IR_SHR_U : IR_SHR_S, t, wide, shifted);
	random_result(r, random_convert(r, IR_TRUNC, half, wide));
}

/* A condition that became a number and is compared again. */
static void random_choice(struct random *r)
{
	enum ir_type t = random_type(r, T_INT);
	ir_val args[3], number;
	ir_id i;

	args[0] = random_value(r, IR_B1);
	args[1] = random_const(r, t, random_special(r, t));
	args[2] = random_const(r, t, random_special(r, t));
	number = ir_at(r->f, random_append(r, IR_SELECT, t, args, 3, 1))->res;
	args[0] = number;
	args[1] = random_const(r, t, random_special(r, t));
	i = random_append(r, IR_ICMP, t, args, 2, 1);
	ir_at(r->f, i)->cond = random_below(r, IR_FEQ);
	random_result(r, number);
	random_result(r, ir_at(r->f, i)->res);
}

/* Which of a family: any of the words that the operation has for it. */
static uint8_t random_sub(struct random *r, enum ir_op op)
{
	for (uint32_t k = 0; k < ir_nfields; k++)
		if (ir_fields[k].attributes == A_SUB && ir_has_field(&ir_fields[k], op))
			return (uint8_t)random_below(r, ir_fields[k].count);
	return 0;
}

/* bf16 for 16 bits, pairs for 32 where the operation has them. */
static uint8_t random_format(struct random *r, const struct ir_inst *in)
{
	bool pairs = (in->op >= IR_FADD && in->op <= IR_FMA) || in->op == IR_APPROX ||
		     (in->op >= IR_FNEG && in->op <= IR_FMAX);
	enum ir_type t = in->type;

	if (in->op == IR_FTOU || in->op == IR_FTOS || (in->op == IR_FTOF && in->from < t))
		t = in->from;
	if (t == IR_B16)
		return random_chance(r, 50) ? IR_BF16 : IR_BY_WIDTH;
	return t == IR_B32 && pairs && random_chance(r, 20) ? IR_F16X2 + random_below(r, 2) : 0;
}

static void random_float(struct random *r, struct ir_inst *in)
{
	bool sums = in->op >= IR_FADD && in->op <= IR_FMA;
	bool converts = in->op >= IR_UTOF && in->op <= IR_FTOF;
	bool rounds = sums || converts || in->op == IR_FROUND ||
		      (in->op >= IR_FDIV && in->op <= IR_FSQRT);

	in->format = random_format(r, in);
	/* Where an approximation's subnormals count, a target may round once more on the way. */
	if (in->op == IR_APPROX && in->type == IR_B32 && !in->format)
		in->flags |= IR_FTZ;
	if (in->type == IR_B32 && in->from != IR_B64 && random_chance(r, 25))
		in->flags |= IR_FTZ;
	if (rounds && random_chance(r, 25) &&
	    !(sums && (in->type == IR_B16 || in->format >= IR_F16X2)))
		in->round = random_below(r, 4);
	if ((sums || in->op == IR_FTOF || in->op == IR_UTOF || in->op == IR_STOF) &&
	    in->type != IR_B64 && random_chance(r, 10))
		in->flags |= IR_SAT;
	if ((in->op == IR_FMIN || in->op == IR_FMAX) && random_chance(r, 25))
		in->flags |= IR_NAN;
}

/* A pure operation with random attributes, in keeping with its row. */
static void random_pure(struct random *r)
{
	const struct ir_op_info *info;
	struct ir_inst attributes;
	ir_val args[3], last = r->last;
	enum ir_op op;
	ir_id i;

	do {
		op = random_below(r, IR_OP_COUNT);
		if (last && random_chance(r, 20)) /* once more, on its own result */
			op = ir_def(r->f, last)->op;
		info = &ir_ops[op];
	} while (!(info->properties & P_PURE) ||
		 info->attributes & (A_SPACE | A_SYMBOL | A_IMM | A_FUNC) || op == IR_UNDEF);
	attributes = (struct ir_inst){.op = op, .type = random_type(r, info->types)};
	if (info->attributes & A_SUB)
		attributes.sub =
			op == IR_SREG ? random_below(r, IR_NCTAID_Z + 1) : random_sub(r, op);
	if (info->attributes & A_COND)
		attributes.cond = op == IR_ICMP ? random_below(r, IR_FEQ)
						: IR_FEQ + random_below(r, IR_COND_COUNT - IR_FEQ);
	if (info->attributes & A_FROM && info->attributes & A_FLOAT) {
		uint32_t same = op == IR_FTOF ? 1u << attributes.type : 0;

		attributes.from = random_type(r, (op >= IR_FTOU ? T_FLOAT : T_INT) & ~same);
	} else if (info->attributes & A_FROM) {
		bool narrows = op == IR_TRUNC;

		do {
			attributes.type = random_type(r, info->types);
			attributes.from = random_type(r, T_BITS);
		} while (narrows ? attributes.from <= attributes.type
				 : attributes.from >= attributes.type);
	}
	if (info->attributes & A_FLOAT)
		random_float(r, &attributes);
	for (uint32_t k = 0; k < info->args; k++) {
		enum ir_type t = ir_arg_type(&attributes, k);

		if (last && r->f->values[last].type == t && random_chance(r, 60)) {
			args[k] = last;
			last = 0;
		} else {
			args[k] = random_value(r, t);
		}
	}
	i = random_append(r, op, attributes.type, args, info->args, info->results);
	ir_at(r->f, i)->sub = attributes.sub;
	ir_at(r->f, i)->cond = attributes.cond;
	ir_at(r->f, i)->round = attributes.round;
	ir_at(r->f, i)->flags = attributes.flags;
	ir_at(r->f, i)->format = attributes.format;
	ir_at(r->f, i)->from = attributes.from;
	for (uint32_t k = 0; k < info->results; k++)
		random_result(r, ir_at(r->f, i)->res + k);
}

/* base + this thread's part + a constant, added up in any order; the last of it is left to the
 * offset of the memory operation. */
static ir_val random_address(struct random *r, ir_val base, uint64_t constant, uint64_t *imm)
{
	ir_val terms[5] = {base, r->tid_offset};
	uint32_t n = 2;

	*imm = 0;
	while (constant && n < 5 && random_chance(r, 70)) {
		uint64_t part = random_chance(r, 20)   ? random_bits(r)
				: random_chance(r, 50) ? constant
						       : random_below(r, 6000);

		terms[n++] = random_const(r, IR_B64, part);
		constant -= part;
	}
	if ((int64_t)constant < -10000 || (int64_t)constant > 10000 || random_chance(r, 20)) {
		if (n == 5)
			terms[4] = random_op2(r, IR_ADD, IR_B64, terms[4],
					      random_const(r, IR_B64, constant));
		else
			terms[n++] = random_const(r, IR_B64, constant);
		constant = 0;
	}
	*imm = constant;
	while (n > 1) {
		uint32_t a = random_below(r, n), b;
		ir_val sum;

		do
			b = random_below(r, n);
		while (a == b);
		sum = random_op2(r, IR_ADD, IR_B64, terms[a], terms[b]);
		terms[a < b ? a : b] = sum;
		terms[a < b ? b : a] = terms[--n];
	}
	return terms[0];
}

/* An offset within the thread's part: a few that meet again, on both sides of small reaches. */
static uint64_t random_place(struct random *r)
{
	static const uint32_t places[] = {0, 16, 32, 2032, 2048, 4096, 4112, 6000, 8160};

	return places[random_below(r, sizeof(places) / sizeof(places[0]))];
}

static void random_memory(struct random *r)
{
	bool load = random_chance(r, 50), input = load && random_chance(r, 40);
	bool shared = !input && random_chance(r, 25), narrow = shared && random_chance(r, 50);
	enum ir_type t = random_type(r, T_INT);
	uint32_t elements = shared || random_chance(r, 80) ? 1 : 2;
	ir_val args[3] = {0};
	uint64_t imm = 0;
	struct ir_inst *p;
	ir_id i;

	if (shared) {
		uint64_t place = 8 * random_below(r, RANDOM_SLOT / 8);
		uint64_t part = 8 * random_below(r, 8);

		args[0] = narrow ? r->shared32 : r->shared64;
		imm = place;
		if (narrow || random_chance(r, 60)) {
			enum ir_type address = narrow ? IR_B32 : IR_B64;
			uint64_t sum = narrow ? part + RANDOM_BELOW : part;

			args[0] = random_op2(r, IR_ADD, address, args[0],
					     random_const(r, address, sum));
			imm -= part;
		}
	} else {
		args[0] = random_address(r, input ? r->in : r->out, random_place(r), &imm);
	}
	for (uint32_t k = 0; !load && k < elements; k++)
		args[1 + k] = random_value(r, t);
	i = random_append(r, load ? IR_LOAD : IR_STORE, t, args, load ? 1 : 1 + elements,
			  load ? elements : 0);
	p = ir_at(r->f, i);
	p->imm = imm;
	p->space = shared ? IR_SHARED : IR_GLOBAL;
	p->from = t > IR_B8 && random_chance(r, 20) ? IR_B8 + random_below(r, t - IR_B8) : t;
	p->align = ir_type_bits(p->from) / 8;
	p->flags = load && p->from < t && random_chance(r, 50) ? IR_SEXT_MEM : 0;
	p->flags |= input && random_chance(r, 50) ? IR_INVARIANT
		    : random_chance(r, 10)        ? IR_VOLATILE
						  : 0;
	for (uint32_t k = 0, n = p->nres; k < n; k++)
		random_result(r, ir_at(r->f, i)->res + k);
}

static void random_code(struct random *r, uint32_t n);

#include "tests/userspace/compiler/passes/_random_loops.h"

static void random_code(struct random *r, uint32_t n)
{
	while (n--) {
		uint32_t kind = random_below(r, 100);
		enum ir_type t = random_type(r, T_BITS);

		if (kind < 62 || (kind >= 70 && r->straight))
			random_pure(r);
		else if (kind < 67)
			random_halves(r);
		else if (kind < 70)
			random_choice(r);
		else if (kind < 71 && r->cells && r->deep < RANDOM_DEEP)
			random_turns(r);
		else if (kind < 73 && r->cells)
			random_local(r, 0);
		else if (kind < 85)
			random_memory(r);
		else
			random_write(r, r->regs[t][n % RANDOM_REGS], random_value(r, t));
	}
}

static void random_entry(struct random *r)
{
	struct ir_func *f = r->f;
	ir_id i;
	ir_val number, tid, slot;

	for (uint32_t k = 0; k < RANDOM_PARAMS; k++) {
		i = random_append(r, IR_LOAD, IR_B64, NULL, 0, 1);
		ir_at(f, i)->space = IR_PARAM;
		ir_at(f, i)->imm = 8 * k;
		if (k < 2) {
			*(k ? &r->in : &r->out) = ir_at(f, i)->res;
			continue;
		}
		number = ir_at(f, i)->res;
		random_offer(r, number);
		for (enum ir_type t = IR_B1; t < IR_B64; t++)
			random_offer(r, random_convert(r, IR_TRUNC, t, number));
	}
	i = random_append(r, IR_SREG, IR_B32, NULL, 0, 1);
	ir_at(f, i)->sub = IR_TID_X;
	tid = ir_at(f, i)->res;
	random_offer(r, tid);
	number = random_const(r, IR_B32, RANDOM_PART);
	r->tid_offset = random_op2(r, IR_MULWIDE_U, IR_B64, tid, number);
	r->results = random_op2(r, IR_ADD, IR_B64, r->out, r->tid_offset);
	i = random_append(r, IR_ADDR, IR_B64, NULL, 0, 1);
	slot = random_op2(r, IR_MULWIDE_U, IR_B64, tid, random_const(r, IR_B32, RANDOM_SLOT));
	r->shared64 = random_op2(r, IR_ADD, IR_B64, ir_at(f, i)->res, slot);
	i = random_append(r, IR_ADDR, IR_B32, NULL, 0, 1);
	slot = random_op2(r, IR_MUL, IR_B32, tid, random_const(r, IR_B32, RANDOM_SLOT));
	r->shared32 = random_op2(r, IR_ADD, IR_B32, ir_at(f, i)->res, slot);
	/* Below the first slot, so that only a sum of 32 bits comes back to it. */
	r->shared32 =
		random_op2(r, IR_ADD, IR_B32, r->shared32, random_const(r, IR_B32, -RANDOM_BELOW));
	if (f->module->nsymbols > 1) {
		i = random_append(r, IR_ADDR, IR_B64, NULL, 0, 1);
		ir_at(f, i)->symbol = 1;
		r->cells = ir_at(f, i)->res;
		r->unknown = random_chance(r, 30);
		for (uint32_t k = 0; k < 8 * RANDOM_CELLS; k += 8) {
			ir_val args[2] = {r->cells, random_const(r, IR_B64, random_number(r))};

			i = random_append(r, IR_STORE, IR_B64, args, 2, 0);
			ir_at(f, i)->space = IR_LOCAL;
			ir_at(f, i)->imm = k;
		}
	}
	for (uint32_t k = 0; k < RANDOM_SLOT; k += 8) {
		ir_val args[2] = {r->shared64};

		args[1] = random_const(r, IR_B64, random_number(r));
		i = random_append(r, IR_STORE, IR_B64, args, 2, 0);
		ir_at(f, i)->space = IR_SHARED;
		ir_at(f, i)->imm = k;
	}
	for (enum ir_type t = IR_B1; t < IR_TYPE_COUNT; t++) {
		for (uint32_t k = 0; k < RANDOM_REGS; k++) {
			r->regs[t][k] = ir_reg_new(f, t);
			random_write(r, r->regs[t][k], k ? r->pool[t][k] : random_const(r, t, 0));
		}
	}
	r->fuel = ir_reg_new(f, IR_B32);
	random_write(r, r->fuel, random_const(r, IR_B32, 2 + random_below(r, 8)));
}

/* At the end all threads are together again: lanes exchange, and registers are stored. */
static void random_exit(struct random *r)
{
	uint64_t place = 64;

	r->block = r->exit;
	for (uint32_t k = random_below(r, 3); k; k--) {
		ir_val args[4];
		ir_id i;

		args[0] = random_value(r, IR_B32);
		/* A lane that is not there gives nothing that could be stored. */
		args[1] = random_const(r, IR_B32, random_below(r, RANDOM_THREADS));
		args[2] = random_const(r, IR_B32, 31);
		args[3] = random_const(r, IR_B32, UINT32_MAX);
		i = random_append(r, IR_SHUFFLE, IR_B32, args, 4, 2);
		ir_at(r->f, i)->sub = IR_SHUFFLE_IDX;
		random_offer(r, ir_at(r->f, i)->res);
		args[0] = random_value(r, IR_B1);
		i = random_append(r, IR_VOTE, IR_B1, (ir_val[]){args[0], args[3]}, 2, 1);
		ir_at(r->f, i)->sub = random_below(r, IR_VOTE_BALLOT);
		random_offer(r, ir_at(r->f, i)->res);
		args[0] = random_const(r, IR_B32, 0);
		i = random_append(r, IR_BARRIER, IR_VOID, args, 1, 0);
		ir_at(r->f, i)->sub = IR_BARRIER_SYNC;
	}
	random_code(r, 3);
	for (enum ir_type t = IR_B1; t < IR_TYPE_COUNT; t++) {
		for (uint32_t k = 0; k < RANDOM_REGS; k++, place += 8) {
			ir_val v = random_read(r, r->regs[t][k], t), address;
			uint64_t imm;

			address = random_address(r, r->out, place, &imm);
			random_store(r, address, imm, v);
		}
	}
	random_append(r, IR_RET, IR_VOID, NULL, 0, 0);
}

/* Where an edge from block k leads: on, or back through a block that counts. */
static ir_block random_target(struct random *r, uint32_t k)
{
	ir_block to, here = r->block;
	ir_val left, empty;

	if (random_chance(r, 60))
		return k + 1 < r->nblocks ? r->blocks[k + 1] : r->exit;
	to = random_below(r, r->nblocks + 1);
	if (to == r->nblocks)
		return r->exit;
	if (to > k)
		return r->blocks[to];
	r->block = ir_block_new(r->f, NULL);
	left = random_read(r, r->fuel, IR_B32);
	left = random_op2(r, IR_ADD, IR_B32, left, random_const(r, IR_B32, UINT32_MAX));
	random_write(r, r->fuel, left);
	empty = random_op2(r, IR_ICMP, IR_B32, left, random_const(r, IR_B32, 0)); /* eq */
	random_append(r, IR_CBR, IR_VOID, &empty, 1, 0);
	ir_edge(r->f, r->block, r->exit);
	ir_edge(r->f, r->block, r->blocks[to]);
	to = r->block;
	r->block = here;
	return to;
}

/* A kernel "k" without code, with parameters of 8 bytes each. */
static struct ir_func *random_function(struct ir_module *m, uint32_t nparams)
{
	struct ir_func *f = ir_func_new(m, "k");

	f->nparams = nparams;
	f->param_bytes = 8 * nparams;
	f->params = arena_array(m->arena, nparams, sizeof(*f->params));
	for (uint32_t k = 0; k < nparams; k++)
		f->params[k] = (struct ir_param){
			.name = arena_printf(m->arena, "p%u", k),
			.offset = 8 * k,
			.size = 8,
			.align = 8,
		};
	return f;
}

/* A whole kernel in a new module: its first parameters are the output and the input buffer. */
__attribute__((unused)) static struct ir_module *random_kernel(struct arena *a, uint64_t seed)
{
	static const uint32_t types[] = {
		T_B1 | 1 << IR_B8,
		T_B1 | 1 << IR_B8 | 1 << IR_B16,
		T_B1 | 1 << IR_B16 | T_B32,
		T_B1 | T_WORD,
	};
	static const struct ir_symbol shared = {
		.name = "slots",
		.space = IR_SHARED,
		.align = 16,
		.size = RANDOM_THREADS * RANDOM_SLOT + 64,
	};
	struct ir_symbol cells = {
		.name = "cells", .space = IR_LOCAL, .align = 16, .size = 8 * RANDOM_CELLS};
	struct random r = {.state = seed};
	struct ir_module *m = ir_module_new(a);
	bool dense; /* few blocks, much to compute, of few types */

	r.state = random_bits(&r); /* or neighbours would be each other's echo */
	dense = random_chance(&r, 50);
	r.types = dense ? types[random_below(&r, 4)] : T_BITS;

	r.f = random_function(m, RANDOM_PARAMS);
	ir_symbol_new(m, &shared);
	cells.owner = r.f;
	if (random_chance(&r, 60))
		ir_symbol_new(m, &cells);
	r.block = ir_block_new(r.f, NULL);
	random_entry(&r);
	random_code(&r, dense ? 100 : random_below(&r, 20));
	memcpy(r.nentry, r.npool, sizeof(r.nentry));
	r.nblocks = random_below(&r, dense ? 4 : RANDOM_MAX_BLOCKS);
	for (uint32_t k = 0; k < r.nblocks; k++)
		r.blocks[k] = ir_block_new(r.f, NULL);
	r.exit = ir_block_new(r.f, NULL);
	random_append(&r, IR_BR, IR_VOID, NULL, 0, 0);
	ir_edge(r.f, r.block, r.nblocks ? r.blocks[0] : r.exit);
	for (uint32_t k = 0; k < r.nblocks; k++) {
		r.block = r.blocks[k];
		memcpy(r.npool, r.nentry, sizeof(r.nentry));
		r.last = 0;
		random_code(&r, random_chance(&r, 20) ? 0 : dense ? 40 : random_below(&r, 15));
		if (random_chance(&r, 70)) {
			ir_val condition = random_value(&r, IR_B1);
			ir_id opposite = random_append(&r, IR_NOT, IR_B1, &condition, 1, 1);
			ir_block yes = random_target(&r, k);
			ir_block no = random_target(&r, k);

			if (random_chance(&r, 30))
				condition = ir_at(r.f, opposite)->res;
			random_append(&r, IR_CBR, IR_VOID, &condition, 1, 0);
			ir_edge(r.f, r.block, yes);
			ir_edge(r.f, r.block, no);
		} else {
			ir_block to = random_target(&r, k);

			random_append(&r, IR_BR, IR_VOID, NULL, 0, 0);
			ir_edge(r.f, r.block, to);
		}
	}
	memcpy(r.npool, r.nentry, sizeof(r.nentry));
	r.last = 0;
	random_exit(&r);
	return m;
}

#endif
