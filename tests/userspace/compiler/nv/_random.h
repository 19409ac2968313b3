/* SPDX-License-Identifier: MIT */
/*
 * Random kernels: typed expressions of every pure operation that the back end has, in nested
 * branches and loops, with loads and stores to global, shared and local memory, atomics and warp
 * syncs. A seed determines all of it. Each thread reads from the buffer in, works on its own part
 * of scratch and of shared memory, and stores its values to out at the end:
 *
 *	kernel k(out: 8 pointer, in: 8 pointer, scratch: 8 pointer, a: 4, b: 8)
 */
#ifndef TESTS_NV_RANDOM_H
#define TESTS_NV_RANDOM_H

#include "libsov/compiler/ir/ir.h"

#define RANDOM_THREADS 96 /* per block: three warps */
#define RANDOM_BLOCKS  2
#define RANDOM_SLOTS   8  /* 64-bit words per thread in out, scratch and shared memory */
#define RANDOM_INPUTS  64 /* 64-bit words in in */
#define RANDOM_POOL    64

struct random_kernel {
	struct ir_func *f;
	ir_block block;
	uint64_t seed;
	ir_val pool[IR_TYPE_COUNT][RANDOM_POOL];
	uint32_t count[IR_TYPE_COUNT];
	ir_val in, scratch, shared, local; /* addresses of this thread's parts */
	uint32_t budget, depth;
};

static inline uint64_t random_next(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 (Steele, Lea, Flood) */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline uint32_t pick(struct random_kernel *k, uint32_t n)
{
	return (uint32_t)(random_next(&k->seed) % n);
}

/* A corner case, a small number or random bits. */
static inline uint64_t random_bits(uint64_t *seed)
{
	static const uint64_t corners[] = {0,
					   1,
					   2,
					   31,
					   32,
					   33,
					   63,
					   64,
					   0x7f,
					   0x80,
					   0xff,
					   0x7fff,
					   0x8000,
					   0xffff,
					   0x7fffffff,
					   0x80000000,
					   0xffffffff,
					   0x100000000,
					   0x7fffffffffffffff,
					   0x8000000000000000,
					   0xffffffffffffffff,
					   0x3f8000003f800000,
					   0x3ff0000000000000,
					   0x7f8000007f800000,
					   0x7ff0000000000000,
					   0xfff0000000000000,
					   0x7ff8000000000000,
					   0x0000000100000001,
					   0xff800000ff800000,
					   0x8000000080000000,
					   0x000fffffffffffff,
					   0x007fffff00000001};
	uint64_t z = random_next(seed);

	if (z % 3 == 0)
		return corners[z / 3 % (sizeof(corners) / sizeof(corners[0]))];
	if (z % 3 == 1)
		return random_next(seed) % 1000;
	return random_next(seed);
}

static inline void keep(struct random_kernel *k, enum ir_type t, ir_val v)
{
	uint32_t at = k->count[t] < RANDOM_POOL ? k->count[t]++ : pick(k, RANDOM_POOL);

	k->pool[t][at] = v;
}

static inline ir_val constant(struct random_kernel *k, enum ir_type t, uint64_t value)
{
	uint32_t bits = ir_type_bits(t);

	return ir_const(k->f, k->block, t,
			bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1));
}

static inline ir_val any(struct random_kernel *k, enum ir_type t)
{
	if (!k->count[t] || !pick(k, 6))
		return constant(k, t, random_bits(&k->seed));
	return k->pool[t][pick(k, k->count[t])];
}

static inline struct ir_inst *add_inst(struct random_kernel *k, enum ir_op op, enum ir_type t,
				       const ir_val *args, uint32_t nargs, uint32_t nres)
{
	ir_id i = ir_inst_new(k->f, op, t, args, nargs, nres);

	ir_append(k->f, k->block, i);
	return ir_at(k->f, i);
}

static inline enum ir_type pick_type(struct random_kernel *k, uint8_t types)
{
	for (;;) {
		enum ir_type t = (enum ir_type)(IR_B1 + pick(k, IR_B64));

		if (types >> t & 1)
			return t;
	}
}

/* The payload of NaNs from operations that involve 64 bits is implementation defined: replaces
 * them by one NaN. */
static inline ir_val without_nan(struct random_kernel *k, ir_val v, uint8_t format)
{
	enum ir_type t = k->f->values[v].type;
	uint64_t nan = t == IR_B64   ? UINT64_C(0x7ff8000000000000)
		       : t == IR_B32 ? 0x7fffffff
				     : 0x7fff;
	struct ir_inst *in = add_inst(k, IR_FCMP, t, (ir_val[]){v, v}, 2, 1);
	ir_val p = in->res;

	in->cond = IR_FNUM;
	in->format = format;
	return add_inst(k, IR_SELECT, t, (ir_val[]){p, v, constant(k, t, nan)}, 3, 1)->res;
}

/* Operations with implementation-defined results, and those expanded before the back end. */
static inline bool is_inexact(enum ir_op op)
{
	return op == IR_FDIV || op == IR_FRCP || op == IR_FSQRT || op == IR_APPROX;
}

/* A random numeric conversion; false if the hardware has none like it. */
static inline bool shape_conversion(struct random_kernel *k, struct ir_inst *in)
{
	bool from_int = in->op == IR_UTOF || in->op == IR_STOF,
	     to_int = in->op == IR_FTOU || in->op == IR_FTOS;

	in->from = (uint8_t)pick_type(k, from_int ? T_INT : T_FLOAT);
	if (in->op == IR_FTOF && in->from == in->type)
		return false;
	if ((to_int ? in->from : in->type) == IR_B16 || (in->op == IR_FTOF && in->from == IR_B16))
		in->format = pick(k, 2) ? IR_BF16 : IR_BY_WIDTH;
	if (in->format && ((from_int && in->from > IR_B16) || in->from == IR_B64 ||
			   (in->op == IR_FTOF && in->type == IR_B64)))
		return false;
	in->round = (uint8_t)(in->format ? IR_RN : pick(k, 4));
	if (in->op == IR_FTOF && in->from < in->type)
		in->round = IR_RN;
	if (!to_int && !in->format && in->type != IR_B64 && !pick(k, 5))
		in->flags |= IR_SAT;
	if (in->op != IR_FTOF && !from_int && in->from == IR_B32 && pick(k, 2))
		in->flags |= IR_FTZ;
	return true;
}

/* Rounding, format and flags of a floating-point operation. */
static inline void shape_float(struct random_kernel *k, struct ir_inst *in)
{
	bool computes = in->op == IR_FADD || in->op == IR_FMUL || in->op == IR_FMA;
	bool sign = in->op == IR_FNEG || in->op == IR_FABS;

	if (in->type == IR_B16)
		in->format = pick(k, 2) ? IR_BF16 : IR_BY_WIDTH;
	else if (in->type == IR_B32 && in->op != IR_FCMP && in->op != IR_FROUND && !pick(k, 3))
		in->format = pick(k, 2) ? IR_F16X2 : IR_BF16X2;
	if (in->type != IR_B16 && !in->format && (computes || in->op == IR_FROUND))
		in->round = (uint8_t)pick(k, 4);
	if (computes && in->type != IR_B64 && in->format != IR_BF16 && in->format != IR_BF16X2 &&
	    !pick(k, 4))
		in->flags |= IR_SAT;
	/* A sign change that flushes is an addition on the hardware, with an
	 * implementation-defined NaN. */
	if (in->type == IR_B32 && !in->format && !sign && pick(k, 2))
		in->flags |= IR_FTZ;
	if ((in->op == IR_FMIN || in->op == IR_FMAX) && pick(k, 2))
		in->flags |= IR_NAN;
}

/* One pure operation. */
static inline void add_pure(struct random_kernel *k)
{
	enum ir_op op = (enum ir_op)pick(k, IR_OP_COUNT);
	const struct ir_op_info *info = &ir_ops[op];
	struct ir_inst shape = {.op = (uint8_t)op}, *in;
	ir_val args[4];
	bool division = op == IR_DIV_U || op == IR_DIV_S || op == IR_REM_U || op == IR_REM_S;

	if (!(info->properties & P_PURE) || !info->args || info->args > 3 || op == IR_TOSPACE ||
	    op == IR_GENERIC || op == IR_INSPACE || is_inexact(op))
		return;
	shape.type = (uint8_t)pick_type(k, info->types);
	if (division && shape.type == IR_B64)
		return;
	if (op == IR_TRUNC && shape.type == IR_B64)
		return;
	if ((op == IR_ADDC || op == IR_SUBC) && shape.type < IR_B32)
		return;
	if (op >= IR_UTOF && op <= IR_FTOF) {
		if (!shape_conversion(k, &shape))
			return;
	} else if (info->attributes & A_FROM) { /* from narrower, or for trunc from wider */
		do
			shape.from = (uint8_t)(IR_B1 + pick(k, IR_B64));
		while (shape.from == shape.type || (op == IR_TRUNC) != (shape.from > shape.type));
		if (op == IR_TRUNC && shape.type == IR_B1 && shape.from == IR_B64)
			return;
	} else if (info->attributes & A_FLOAT) {
		shape_float(k, &shape);
	}
	if (op == IR_ICMP)
		shape.cond =
			(uint8_t)(shape.type == IR_B1 ? IR_EQ + pick(k, 2) : IR_EQ + pick(k, 10));
	if (op == IR_FCMP)
		shape.cond = (uint8_t)(IR_FEQ + pick(k, IR_COND_COUNT - IR_FEQ));
	if (op == IR_LOGIC3)
		shape.imm = pick(k, 256);
	if (op == IR_DOT)
		shape.sub = (uint8_t)pick(k, IR_DOT_COUNT);
	shape.nargs = info->args;
	for (uint32_t n = 0; n < info->args; n++)
		args[n] = any(k, ir_arg_type(&shape, n));
	in = add_inst(k, op, shape.type, args, info->args, info->results);
	in->from = shape.from;
	in->cond = shape.cond;
	in->round = shape.round;
	in->flags = shape.flags;
	in->format = shape.format;
	in->imm = shape.imm;
	in->sub = shape.sub;
	if ((op >= IR_FADD && op <= IR_FMAX && op != IR_FNEG && op != IR_FABS &&
	     shape.type == IR_B64) ||
	    (op == IR_FTOF && (shape.type == IR_B64 || shape.from == IR_B64))) {
		keep(k, shape.type, without_nan(k, in->res, shape.format));
		return;
	}
	for (uint32_t n = 0; n < info->results; n++)
		keep(k, ir_result_type(in, n), in->res + n);
}

static inline ir_val binary(struct random_kernel *k, enum ir_op op, enum ir_type t, ir_val a,
			    ir_val b)
{
	return add_inst(k, op, t, (ir_val[]){a, b}, 2, 1)->res;
}

static inline ir_val widen(struct random_kernel *k, ir_val v)
{
	struct ir_inst *in = add_inst(k, IR_ZEXT, IR_B64, &v, 1, 1);

	in->from = IR_B32;
	return in->res;
}

/* Accesses memory that only this thread uses: any reordering shows. */
static inline void add_memory(struct random_kernel *k)
{
	static const uint8_t spaces[] = {IR_SHARED, IR_GLOBAL, IR_LOCAL};
	uint8_t space = spaces[pick(k, 3)];
	ir_val base = space == IR_SHARED ? k->shared : space == IR_LOCAL ? k->local : k->scratch;
	enum ir_type t = (enum ir_type)(IR_B8 + pick(k, 4));
	uint32_t size = ir_type_bits(t) / 8, slot = pick(k, RANDOM_SLOTS * 8 / size);
	struct ir_inst *in;

	if (!pick(k, 3)) { /* an index computed at run time */
		ir_val index = binary(k, IR_AND, IR_B32, any(k, IR_B32),
				      constant(k, IR_B32, (RANDOM_SLOTS - 1) * 8));

		base = binary(k, IR_ADD, IR_B64, base, widen(k, index));
		slot = pick(k, 8 / size);
	}
	if (pick(k, 2)) {
		in = add_inst(k, IR_STORE, t, (ir_val[]){base, any(k, t)}, 2, 0);
	} else {
		in = add_inst(k, IR_LOAD, t, &base, 1, 1);
		keep(k, t, in->res);
	}
	in->imm = slot * size;
	in->space = space;
}

static inline void add_input(struct random_kernel *k)
{
	ir_val index =
		binary(k, IR_AND, IR_B32, any(k, IR_B32), constant(k, IR_B32, RANDOM_INPUTS - 1));
	ir_val offset = binary(k, IR_MULWIDE_U, IR_B64, index, constant(k, IR_B32, 8));
	ir_val at = binary(k, IR_ADD, IR_B64, k->in, offset);
	enum ir_type t = (enum ir_type)(IR_B8 + pick(k, 4));
	uint32_t n = t >= IR_B32 && pick(k, 2) ? 8 / (ir_type_bits(t) / 8) : 1;
	struct ir_inst *in = add_inst(k, IR_LOAD, t, &at, 1, n);

	in->space = IR_GLOBAL;
	in->align = 8;
	if (pick(k, 2))
		in->flags |= IR_INVARIANT;
	for (uint32_t r = 0; r < n; r++)
		keep(k, t, in->res + r);
}

static inline void add_atomic(struct random_kernel *k)
{
	enum ir_type t = pick(k, 2) ? IR_B32 : IR_B64;
	bool shared = pick(k, 2);
	struct ir_inst *in;

	in = add_inst(k, IR_ATOM, t, (ir_val[]){shared ? k->shared : k->scratch, any(k, t)}, 2, 1);
	in->space = shared ? IR_SHARED : IR_GLOBAL;
	/* No floats: rounding and NaNs of atomics are implementation defined. */
	in->sub = (uint8_t)pick(k, IR_ATOM_FADD);
	if (t == IR_B64 && (in->sub == IR_ATOM_INC || in->sub == IR_ATOM_DEC))
		in->sub = IR_ATOM_ADD;
	in->imm = 8 * pick(k, RANDOM_SLOTS);
	in->order = IR_RELAXED;
	in->scope = IR_SCOPE_GPU;
	keep(k, t, in->res);
}

/* Only where all lanes are converged. */
static inline void add_lane(struct random_kernel *k)
{
	ir_val all = constant(k, IR_B32, UINT32_MAX);
	struct ir_inst *in;

	if (!pick(k, 3)) {
		bool wide = pick(k, 2), one = pick(k, 2);
		enum ir_type t = wide ? IR_B64 : IR_B32;

		in = add_inst(k, one ? IR_MATCH_ANY : IR_MATCH_ALL, t, (ir_val[]){any(k, t), all},
			      2, one ? 1 : 2);
		keep(k, IR_B32, in->res);
		if (!one)
			keep(k, IR_B1, in->res + 1);
		in = add_inst(k, IR_REDUCE, IR_B32, (ir_val[]){any(k, IR_B32), all}, 2, 1);
		in->sub = (uint8_t)pick(k, IR_REDUCE_COUNT);
		keep(k, IR_B32, in->res);
	} else if (pick(k, 2)) {
		ir_val lane = binary(k, IR_AND, IR_B32, any(k, IR_B32), constant(k, IR_B32, 31));

		in = add_inst(k, IR_SHUFFLE, IR_B32,
			      (ir_val[]){any(k, IR_B32),
					 pick(k, 2) ? lane : constant(k, IR_B32, pick(k, 32)),
					 constant(k, IR_B32, 31), all},
			      4, 2);
		in->sub = (uint8_t)(IR_SHUFFLE_DOWN + pick(k, 3)); /* up needs clamp 0 */
		keep(k, IR_B32, in->res);
		keep(k, IR_B1, in->res + 1);
	} else {
		bool ballot = pick(k, 2);

		in = add_inst(k, IR_VOTE, ballot ? IR_B32 : IR_B1, (ir_val[]){any(k, IR_B1), all},
			      2, 1);
		in->sub = (uint8_t)(ballot ? IR_VOTE_BALLOT : pick(k, IR_VOTE_BALLOT));
		keep(k, ballot ? IR_B32 : IR_B1, in->res);
	}
}

static inline void add_code(struct random_kernel *k);

static inline void jump(struct random_kernel *k, ir_block to)
{
	add_inst(k, IR_BR, IR_VOID, NULL, 0, 0);
	ir_edge(k->f, k->block, to);
}

static inline void branch(struct random_kernel *k, ir_val p, ir_block yes, ir_block no)
{
	add_inst(k, IR_CBR, IR_VOID, &p, 1, 0);
	ir_edge(k->f, k->block, yes);
	ir_edge(k->f, k->block, no);
}

/* An if, with or without else; phis join the values of its sides. */
static inline void add_if(struct random_kernel *k)
{
	ir_block sides[2] = {ir_block_new(k->f, NULL), 0}, join = ir_block_new(k->f, NULL);
	struct random_kernel outer = *k;
	ir_val args[IR_TYPE_COUNT][2];
	bool both = pick(k, 2);

	sides[1] = both ? ir_block_new(k->f, NULL) : join;
	for (enum ir_type t = IR_B1; t < IR_TYPE_COUNT; t++)
		args[t][1] = any(k, t);
	branch(k, any(k, IR_B1), sides[0], sides[1]);
	for (uint32_t s = 0; s <= both; s++) {
		memcpy(k->count, outer.count, sizeof(k->count));
		memcpy(k->pool, outer.pool, sizeof(k->pool));
		k->block = sides[s];
		add_code(k);
		for (enum ir_type t = IR_B1; t < IR_TYPE_COUNT; t++)
			args[t][s] = any(k, t);
		jump(k, join);
	}
	memcpy(k->count, outer.count, sizeof(k->count));
	memcpy(k->pool, outer.pool, sizeof(k->pool));
	k->block = join;
	for (enum ir_type t = IR_B1; t < IR_TYPE_COUNT; t++) {
		/* Without else, the edge from the branch comes first. */
		ir_val swapped[2] = {args[t][1], args[t][0]};

		if (pick(k, 3))
			keep(k, t, add_inst(k, IR_PHI, t, both ? args[t] : swapped, 2, 1)->res);
	}
}

/* A loop with a trip count of up to eight, divergent or uniform. */
static inline void add_loop(struct random_kernel *k)
{
	ir_block head = ir_block_new(k->f, NULL), done = ir_block_new(k->f, NULL);
	ir_val limit = binary(k, IR_AND, IR_B32, any(k, IR_B32), constant(k, IR_B32, 7));
	ir_val first[IR_TYPE_COUNT], next, one, more;
	ir_id phis[IR_TYPE_COUNT], counter;
	ir_val zero = constant(k, IR_B32, 0);

	for (enum ir_type t = IR_B1; t < IR_TYPE_COUNT; t++)
		first[t] = any(k, t);
	jump(k, head);
	k->block = head;
	counter = (ir_id)(add_inst(k, IR_PHI, IR_B32, &zero, 1, 1) - k->f->insts);
	for (enum ir_type t = IR_B1; t < IR_TYPE_COUNT; t++) {
		phis[t] = (ir_id)(add_inst(k, IR_PHI, t, &first[t], 1, 1) - k->f->insts);
		keep(k, t, ir_at(k->f, phis[t])->res);
	}
	keep(k, IR_B32, ir_at(k->f, counter)->res);
	add_code(k);
	one = constant(k, IR_B32, 1);
	next = binary(k, IR_ADD, IR_B32, ir_at(k->f, counter)->res, one);
	for (enum ir_type t = IR_B1; t < IR_TYPE_COUNT; t++)
		first[t] = any(k, t);
	more = add_inst(k, IR_ICMP, IR_B32, (ir_val[]){next, limit}, 2, 1)->res;
	ir_def(k->f, more)->cond = IR_LT_U;
	branch(k, more, head, done);
	ir_arg_append(k->f, counter, next);
	for (enum ir_type t = IR_B1; t < IR_TYPE_COUNT; t++)
		ir_arg_append(k->f, phis[t], first[t]);
	k->block = done; /* definitions in the loop dominate its exit */
}

static inline void add_code(struct random_kernel *k)
{
	uint32_t n = 2 + pick(k, 12);

	k->depth++;
	for (uint32_t i = 0; i < n && k->budget; i++) {
		uint32_t what = pick(k, 24);

		k->budget--;
		if (what == 0 && k->depth < 4)
			add_if(k);
		else if (what == 1 && k->depth < 4)
			add_loop(k);
		else if (what == 2)
			add_input(k);
		else if (what <= 5)
			add_memory(k);
		else if (what == 6)
			add_atomic(k);
		else if (what == 7 && k->depth == 1)
			add_lane(k);
		else
			add_pure(k);
	}
	k->depth--;
}

static inline ir_val param(struct random_kernel *k, enum ir_type t, uint32_t offset)
{
	struct ir_inst *in = add_inst(k, IR_LOAD, t, NULL, 0, 1);

	in->space = IR_PARAM;
	in->imm = offset;
	in->flags = IR_INVARIANT;
	return in->res;
}

static inline ir_val sreg(struct random_kernel *k, enum ir_sreg which)
{
	struct ir_inst *in = add_inst(k, IR_SREG, IR_B32, NULL, 0, 1);

	in->sub = (uint8_t)which;
	return in->res;
}

static inline void add_prologue(struct random_kernel *k, uint32_t symbol, uint32_t local,
				ir_val *out)
{
	ir_val tid = sreg(k, IR_TID_X), ctaid = sreg(k, IR_CTAID_X), ntid = sreg(k, IR_NTID_X);
	ir_val thread = add_inst(k, IR_MAD, IR_B32, (ir_val[]){ctaid, ntid, tid}, 3, 1)->res;
	ir_val bytes = constant(k, IR_B32, RANDOM_SLOTS * 8);
	ir_val own = binary(k, IR_MULWIDE_U, IR_B64, thread, bytes);
	ir_val own_shared = binary(k, IR_MULWIDE_U, IR_B64, tid, bytes);
	struct ir_inst *in;

	*out = binary(k, IR_ADD, IR_B64, param(k, IR_B64, 0), own);
	k->in = param(k, IR_B64, 8);
	k->scratch = binary(k, IR_ADD, IR_B64, param(k, IR_B64, 16), own);
	in = add_inst(k, IR_ADDR, IR_B64, NULL, 0, 1);
	in->symbol = symbol;
	k->shared = binary(k, IR_ADD, IR_B64, in->res, own_shared);
	for (uint32_t s = 0; s < RANDOM_SLOTS; s++) { /* shared memory is undefined initially */
		in = add_inst(k, IR_STORE, IR_B64, (ir_val[]){k->shared, constant(k, IR_B64, s)}, 2,
			      0);
		in->space = IR_SHARED;
		in->imm = 8 * s;
	}
	in = add_inst(k, IR_ADDR, IR_B64, NULL, 0, 1);
	in->symbol = local;
	k->local = in->res;
	for (uint32_t s = 0; s < RANDOM_SLOTS; s++) { /* as is local memory */
		in = add_inst(k, IR_STORE, IR_B64, (ir_val[]){k->local, any(k, IR_B64)}, 2, 0);
		in->space = IR_LOCAL;
		in->imm = 8 * s;
	}
	keep(k, IR_B32, tid);
	keep(k, IR_B32, thread);
	keep(k, IR_B32, sreg(k, IR_LANEID));
	keep(k, IR_B32, param(k, IR_B32, 24));
	keep(k, IR_B64, param(k, IR_B64, 32));
	for (uint32_t n = 0; n < 3; n++)
		add_input(k);
}

/* Combines the values of the pool into 64-bit results. */
static inline void add_epilogue(struct random_kernel *k, ir_val out)
{
	ir_val zero = constant(k, IR_B64, 0);

	for (uint32_t s = 0; s < RANDOM_SLOTS; s++) {
		ir_val sum = any(k, IR_B64);
		struct ir_inst *in;

		for (enum ir_type t = IR_B8; t < IR_B64; t++) {
			ir_val v = any(k, t);

			in = add_inst(k, s % 2 ? IR_SEXT : IR_ZEXT, IR_B64, &v, 1, 1);
			in->from = (uint8_t)t;
			sum = binary(k, t == IR_B16 ? IR_XOR : IR_ADD, IR_B64, sum, in->res);
		}
		sum = add_inst(k, IR_SELECT, IR_B64, (ir_val[]){any(k, IR_B1), sum, zero}, 3, 1)
			      ->res;
		in = add_inst(k, IR_STORE, IR_B64, (ir_val[]){out, sum}, 2, 0);
		in->space = IR_GLOBAL;
		in->imm = 8 * s;
	}
	add_inst(k, IR_RET, IR_VOID, NULL, 0, 0);
}

static inline struct ir_module *random_module(struct arena *a, uint64_t seed)
{
	static const struct ir_param params[] = {
		{.name = "out", .offset = 0, .size = 8, .align = 8, .pointer = true},
		{.name = "in", .offset = 8, .size = 8, .align = 8, .pointer = true},
		{.name = "scratch", .offset = 16, .size = 8, .align = 8, .pointer = true},
		{.name = "a", .offset = 24, .size = 4, .align = 4},
		{.name = "b", .offset = 32, .size = 8, .align = 8}};
	struct ir_module *m = ir_module_new(a);
	uint32_t symbol =
		ir_symbol_new(m, &(struct ir_symbol){.name = "own",
						     .space = IR_SHARED,
						     .align = 8,
						     .size = RANDOM_THREADS * RANDOM_SLOTS * 8});
	struct random_kernel k = {.f = ir_func_new(m, "k"), .seed = seed};
	uint32_t local = ir_symbol_new(m, &(struct ir_symbol){.name = "frame",
							      .space = IR_LOCAL,
							      .align = 8,
							      .owner = k.f,
							      .size = RANDOM_SLOTS * 8});
	ir_val out;

	k.f->params = arena_array(a, 5, sizeof(params[0]));
	memcpy(k.f->params, params, sizeof(params));
	k.f->nparams = 5;
	k.f->param_bytes = 40;
	k.f->ssa = true;
	k.block = ir_block_new(k.f, NULL);
	k.budget = 20 + pick(&k, 180);
	add_prologue(&k, symbol, local, &out);
	while (k.budget)
		add_code(&k);
	add_epilogue(&k, out);
	return m;
}

#endif
