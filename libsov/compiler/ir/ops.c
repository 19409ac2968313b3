// SPDX-License-Identifier: MIT
/*
 * The rows of ops.h as tables: the operations, the words of their attributes, and the types that a
 * type rule assigns to arguments and results.
 */
#include <assert.h>
#include <stddef.h>
#include "libsov/compiler/ir/ir.h"
#include "libsov/isa/mma_group.h"
#include "libsov/isa/texture.h"

const struct ir_op_info ir_ops[IR_OP_COUNT] = {
#define V IR_VARIADIC
#define OP(name, text, args, results, rule, types, attributes, properties) \
	[IR_##name] = {text, args, results, R_##rule, types, properties, attributes},
#include "libsov/compiler/ir/ops.h"
#undef V
};

const char *const ir_type_names[IR_TYPE_COUNT] = {"void", "b1", "b8", "b16", "b32", "b64"};
const char *const ir_space_names[IR_SPACE_COUNT] = {"generic",  "global", "shared",        "local",
						    "constant", "param",  "shared.cluster"};

static const char *const icmp_names[] = {"eq",   "ne",   "lt.s", "le.s", "gt.s",
					 "ge.s", "lt.u", "le.u", "gt.u", "ge.u"};
static const char *const fcmp_names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
					 "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
static const char *const round_names[] = {"", "rz", "rm", "rp"};
static const char *const scope_names[] = {"", "cta", "cluster", "gpu", "sys"};
static const char *const order_names[] = {"",        "relaxed", "acquire",
					  "release", "acq_rel", "seq_cst"};
static const char *const atom_names[] = {"add", "min.u", "min.s", "max.u", "max.s", "inc",  "dec",
					 "and", "or",    "xor",   "exch",  "fadd",  "fmin", "fmax"};
static const char *const format_names[] = {"",     "bf16",   "f16x2", "bf16x2",
					   "tf32", "e4m3x2", "e5m2x2"};
static const char *const approx_names[] = {"rcp", "sqrt", "rsqrt", "sin",
					   "cos", "ex2",  "lg2",   "tanh"};
static const char *const dot_names[] = {"uu",    "us",    "su",    "ss",    "lo.uu", "lo.us",
					"lo.su", "lo.ss", "hi.uu", "hi.us", "hi.su", "hi.ss"};
static const char *const reduce_names[] = {"add",   "min.u", "min.s", "max.u",
					   "max.s", "and",   "or",    "xor"};
static const char *const barrier_red_names[] = {"and", "or", "popc"};
static const char *const clock_names[] = {"cycles", "nanoseconds"};
static const char *const shuffle_names[] = {"up", "down", "bfly", "idx"};
static const char *const vote_names[] = {"all", "any", "uni", "ballot"};
static const char *const copy_names[] = {"word", "pair", "quad", "quad.l2"};
static const char *const arrive_names[] = {"arrive",          "drop",   "arrive.nocomplete",
					   "drop.nocomplete", "expect", "complete"};
static const char *const test_names[] = {"now", "try"};
static const char *const copyarrive_names[] = {"counted", "noinc"};
static const char *const bulkwait_names[] = {"written", "read"};
static const char *const tensor_names[] = {"load", "store", "add", "min", "max",
					   "inc",  "dec",   "and", "or",  "xor"};
static const char *const evict_names[] = {"",          "streaming",   "last",   "last_use",
					  "unchanged", "unallocated", "bypass", "through"};
static const char *const fetch_names[] = {"", "fetch64", "fetch128", "fetch256"};
static const char *const bulk_names[] = {"to_shared", "to_global", "in_shared", "multicast"};
static const char *const matrix_names[] = {"rows", "columns"};
static const char *const mma_names[] = {
#define MMA(name, text, m, k, factors, sums, flags) text,
#include "libsov/isa/mma_kinds.h"
};
static const char *const barrier_names[] = {"sync", "arrive"};
static const char *const cluster_barrier_names[] = {"arrive", "wait"};
static const char *const geometry_names[] = {"tex1d",        "tex2d", "tex3d",      "tex1d.layers",
					     "tex2d.layers", "cube",  "cube.layers"};
static const char *const range_names[] = {"trap", "clamp", "zero"};
static const char *const sample_names[] = {"filtered", "texel", "level", "texel_level", "gradient"};
static const char *const gather_names[] = {"r", "g", "b", "a"};
static const char *const query_names[] = {"width", "height", "depth", "levels"};
static const char *const sreg_names[] = {"tid.x",
					 "tid.y",
					 "tid.z",
					 "ntid.x",
					 "ntid.y",
					 "ntid.z",
					 "ctaid.x",
					 "ctaid.y",
					 "ctaid.z",
					 "nctaid.x",
					 "nctaid.y",
					 "nctaid.z",
					 "laneid",
					 "lanemask.eq",
					 "lanemask.lt",
					 "lanemask.le",
					 "lanemask.gt",
					 "lanemask.ge",
					 "warpid",
					 "nwarpid",
					 "smid",
					 "nsmid",
					 "gridid",
					 "total_smem",
					 "dynamic_smem",
					 "reserved_smem",
					 "reserved_smem.1",
					 "reserved_smem.end",
					 "reserved_smem.cap",
					 "cluster.ctarank",
					 "cluster.nctarank",
					 "cluster.launch",
					 "cluster.nctaid.x",
					 "cluster.nctaid.y",
					 "cluster.nctaid.z",
					 "nclusterid.x",
					 "nclusterid.y",
					 "nclusterid.z",
#define EIGHT(a, b, c, d, e, f, g, h) \
	"envreg" #a, "envreg" #b, "envreg" #c, "envreg" #d, "envreg" #e, "envreg" #f, "envreg" #g, \
		"envreg" #h
					 EIGHT(0, 1, 2, 3, 4, 5, 6, 7),
					 EIGHT(8, 9, 10, 11, 12, 13, 14, 15),
					 EIGHT(16, 17, 18, 19, 20, 21, 22, 23),
					 EIGHT(24, 25, 26, 27, 28, 29, 30, 31)};

#define COUNT(names) (sizeof(names) / sizeof((names)[0]))
#define FIELD(attributes, op, member, first, names) \
	{attributes, op, offsetof(struct ir_inst, member), first, COUNT(names), names}

_Static_assert(COUNT(icmp_names) + COUNT(fcmp_names) == IR_COND_COUNT, "a condition has no name");
_Static_assert(COUNT(atom_names) == IR_ATOM_COUNT, "an atomic has no name");
_Static_assert(COUNT(shuffle_names) == IR_SHUFFLE_COUNT, "a shuffle has no name");
_Static_assert(COUNT(vote_names) == IR_VOTE_COUNT, "a vote has no name");
_Static_assert(COUNT(matrix_names) == IR_MATRIX_COUNT, "an order of a matrix has no name");
_Static_assert(COUNT(copy_names) == IR_COPY_COUNT, "a copy has no name");
_Static_assert(COUNT(arrive_names) == IR_ARRIVE_COUNT, "an arrival has no name");
_Static_assert(COUNT(test_names) == IR_TEST_COUNT, "a test has no name");
_Static_assert(COUNT(copyarrive_names) == IR_COPYARRIVE_COUNT, "an arrival has no name");
_Static_assert(COUNT(bulkwait_names) == IR_BULKWAIT_COUNT, "a wait has no name");
_Static_assert(COUNT(tensor_names) == IR_TENSOR_COUNT, "a copy of a tensor has no name");
_Static_assert(COUNT(evict_names) == IR_EVICT_COUNT, "an eviction has no name");
_Static_assert(COUNT(fetch_names) == IR_FETCH_COUNT, "a fetch has no name");
_Static_assert(COUNT(bulk_names) == IR_BULK_COUNT, "a bulk copy has no name");
_Static_assert(COUNT(cluster_barrier_names) == IR_CLUSTER_BARRIER_COUNT, "a barrier has no name");
_Static_assert(COUNT(barrier_names) == IR_BARRIER_COUNT, "a barrier has no name");
_Static_assert(COUNT(approx_names) == IR_APPROX_COUNT, "an approximation has no name");
_Static_assert(COUNT(dot_names) == IR_DOT_COUNT, "a dot product has no name");
_Static_assert(COUNT(reduce_names) == IR_REDUCE_COUNT, "a reduction has no name");
_Static_assert(COUNT(barrier_red_names) == IR_BARRIER_RED_COUNT, "a barrier has no name");
_Static_assert(COUNT(clock_names) == IR_CLOCK_COUNT, "a clock has no name");
_Static_assert(COUNT(geometry_names) == TEXTURE_GEOMETRIES, "a geometry has no name");
_Static_assert(COUNT(range_names) == TEXTURE_RANGES, "a range has no name");
_Static_assert(COUNT(sample_names) == IR_SAMPLE_COUNT, "a sample has no name");
_Static_assert(COUNT(gather_names) == TEXTURE_CHANNELS, "a channel has no name");
_Static_assert(COUNT(query_names) == TEXTURE_QUERIES, "a query has no name");
_Static_assert(COUNT(sreg_names) == IR_SREG_COUNT, "a special register has no name");

/* In print order. */
const struct ir_field ir_fields[] = {
	FIELD(A_SUB, IR_SREG, sub, 0, sreg_names),
	FIELD(A_SUB, IR_ATOM, sub, 0, atom_names),
	FIELD(A_SUB, IR_SHUFFLE, sub, 0, shuffle_names),
	FIELD(A_SUB, IR_VOTE, sub, 0, vote_names),
	FIELD(A_SUB, IR_COPYASYNC, sub, 0, copy_names),
	FIELD(A_SUB, IR_MBARRIER_ARRIVE, sub, 0, arrive_names),
	FIELD(A_SUB, IR_MBARRIER_REMOTE, sub, 0, arrive_names),
	FIELD(A_SUB, IR_REDASYNC, sub, 0, atom_names),
	FIELD(A_SUB, IR_MBARRIER_TEST, sub, 0, test_names),
	FIELD(A_SUB, IR_COPYARRIVE, sub, 0, copyarrive_names),
	FIELD(A_SUB, IR_BULKCOPY, sub, 0, bulk_names),
	FIELD(A_SUB, IR_TENSORCOPY, sub, 0, tensor_names),
	FIELD(A_SUB, IR_BULKWAIT, sub, 0, bulkwait_names),
	FIELD(A_SUB, IR_BULKREDUCE, sub, 0, atom_names),
	FIELD(A_SUB, IR_MMA, sub, 0, mma_names),
	FIELD(A_SUB, IR_MMA_GROUP, sub, 0, mma_names),
	FIELD(A_SUB, IR_LOADMATRIX, sub, 0, matrix_names),
	FIELD(A_SUB, IR_BARRIER, sub, 0, barrier_names),
	FIELD(A_SUB, IR_CLUSTER_BARRIER, sub, 0, cluster_barrier_names),
	FIELD(A_SUB, IR_APPROX, sub, 0, approx_names),
	FIELD(A_SUB, IR_DOT, sub, 0, dot_names),
	FIELD(A_SUB, IR_REDUCE, sub, 0, reduce_names),
	FIELD(A_SUB, IR_BARRIER_RED, sub, 0, barrier_red_names),
	FIELD(A_SUB, IR_CLOCK, sub, 0, clock_names),
	FIELD(A_SUB, IR_SAMPLE, sub, 0, sample_names),
	FIELD(A_SUB, IR_GATHER4, sub, 0, gather_names),
	FIELD(A_SUB, IR_TEXQUERY, sub, 0, query_names),
	FIELD(A_SUB, IR_SURFREDUCE, sub, 0, atom_names),
	FIELD(A_GEOMETRY, IR_OP_COUNT, geometry, 0, geometry_names),
	FIELD(A_RANGE, IR_OP_COUNT, range, 0, range_names),
	FIELD(A_COND, IR_ICMP, cond, IR_EQ, icmp_names),
	FIELD(A_COND, IR_FCMP, cond, IR_FEQ, fcmp_names),
	FIELD(A_MEM | A_SPACE, IR_OP_COUNT, space, 0, ir_space_names),
	FIELD(A_MEM | A_ORDER, IR_OP_COUNT, order, 0, order_names),
	FIELD(A_MEM | A_ORDER, IR_OP_COUNT, scope, 0, scope_names),
	FIELD(A_CACHE, IR_OP_COUNT, evict, 0, evict_names),
	FIELD(A_CACHE, IR_OP_COUNT, fetch, 0, fetch_names),
	FIELD(A_FLOAT, IR_OP_COUNT, format, 0, format_names),
	FIELD(A_FLOAT, IR_OP_COUNT, round, 0, round_names),
};
const uint32_t ir_nfields = COUNT(ir_fields);
_Static_assert(COUNT(ir_fields) <= 64, "the parser has a bit for each field");

const struct ir_flag ir_flags[] = {
	{"ftz", A_FLOAT, IR_FTZ},
	{"sat", A_FLOAT, IR_SAT},
	{"contract", A_FLOAT, IR_CONTRACT},
	{"nan", A_FLOAT, IR_NAN},
	{"normal", A_FLOAT, IR_NORMAL},
	{"sext", A_MEM, IR_SEXT_MEM},
	{"volatile", A_MEM | A_RANGE, IR_VOLATILE},
	{"invariant", A_MEM, IR_INVARIANT},
	{"dereferenceable", A_MEM, IR_DEREFERENCEABLE},
	{"narrow", A_NARROW, IR_NARROW},
	{"policy", A_POLICY, IR_POLICY},
	{"offset", A_GEOMETRY, IR_OFFSET},
	{"compare", A_GEOMETRY, IR_COMPARE},
	{"sampler", A_GEOMETRY, IR_SAMPLER},
	{"formatted", A_RANGE, IR_FORMATTED},
};
const uint32_t ir_nflags = COUNT(ir_flags);

bool ir_has_field(const struct ir_field *f, enum ir_op op)
{
	return ir_ops[op].attributes & f->attributes && (f->op == IR_OP_COUNT || f->op == op);
}

uint32_t ir_type_bits(enum ir_type t)
{
	static const uint8_t bits[IR_TYPE_COUNT] = {0, 1, 8, 16, 32, 64};

	return bits[t];
}

enum ir_type ir_type_half(enum ir_type t)
{
	return t > IR_B8 ? t - 1 : IR_VOID;
}

uint32_t ir_successors(enum ir_op op)
{
	return op == IR_BR ? 1 : op == IR_CBR ? 2 : 0;
}

int ir_address_arg(const struct ir_inst *in)
{
	return ir_ops[in->op].attributes & A_MEM && ir_data_args(in) ? 0 : -1;
}

uint32_t ir_data_args(const struct ir_inst *in)
{
	return in->nargs - !!(in->flags & IR_POLICY);
}

void ir_drop_policy(struct ir_inst *in)
{
	in->nargs = ir_data_args(in);
	in->flags &= (uint16_t)~IR_POLICY;
}

bool ir_has_dynamic_frame(const struct ir_func *f)
{
	ir_for_each_block(f, b) {
		ir_for_each_inst(f, b, i) {
			uint8_t op = ir_at(f, i)->op;

			if (op == IR_ALLOCA || op == IR_STACKSAVE || op == IR_STACKRESTORE)
				return true;
		}
	}
	return false;
}

/* Whether an argument of mma.group is a descriptor. */
static bool is_group_descriptor(const struct ir_inst *in, uint32_t k)
{
	struct mma_group g = mma_group_unpack(in->sub, in->imm);

	return g.shared_a ? k < MMA_GROUP_FACTORS : k == MMA_GROUP_A_WORDS;
}

uint32_t ir_max_results(enum ir_op op)
{
	switch (ir_ops[op].rule) {
	case R_CALL:
	case R_GROUP:
		return IR_MAX_RESULTS;
	default:
		return IR_MAX_ELEMENTS;
	}
}

uint32_t ir_texture_coordinates(const struct ir_inst *in)
{
	bool has = ir_ops[in->op].attributes & A_GEOMETRY;

	return has && in->geometry < TEXTURE_GEOMETRIES ? texture_coordinates(in->geometry) : 0;
}

uint32_t ir_texture_axes(const struct ir_inst *in)
{
	return in->op == IR_SAMPLE && in->geometry < TEXTURE_GEOMETRIES
		       ? texture_coordinates(in->geometry) - texture_has_layers(in->geometry)
		       : 0;
}

uint32_t ir_texture_args(const struct ir_inst *in)
{
	uint32_t n = 1 + ir_texture_coordinates(in);

	if (in->op == IR_TEXQUERY)
		return 2;
	if (in->op == IR_SAMPLE)
		n += in->sub == IR_SAMPLE_GRADIENT
			     ? 2 * ir_texture_axes(in)
			     : in->sub == IR_SAMPLE_LEVEL || in->sub == IR_SAMPLE_TEXEL_LEVEL;
	return n + !!(in->flags & IR_OFFSET) + !!(in->flags & IR_COMPARE) +
	       !!(in->flags & IR_SAMPLER);
}

enum ir_type ir_arg_type(const struct ir_inst *in, uint32_t k)
{
	if (in->flags & IR_POLICY && k == ir_data_args(in))
		return IR_B64;
	switch (ir_ops[in->op].rule) {
	case R_SELECT:
		return k ? in->type : IR_B1;
	case R_SHIFT:
		return k ? IR_B32 : in->type;
	case R_WIDE:
	case R_PACK:
		return ir_type_half(in->type);
	case R_CONVERT:
		return in->from;
	case R_LOAD:
	case R_STORE:
	case R_ATOMIC:
		return k ? in->type : IR_VOID;
	case R_CARRY:
		return k == 2 ? IR_B1 : in->type;
	case R_MMA:
		return k + 1 < in->nargs ? in->type : IR_B32;
	case R_GROUP:
		return is_group_descriptor(in, k) ? IR_B64 : k + 2 == in->nargs ? IR_B1 : IR_B32;
	case R_COPY:
		return k < 2 ? IR_VOID : IR_B32;
	case R_TEXTURE:
		if (!k || (in->flags & IR_SAMPLER && k + 1 == in->nargs))
			return IR_B64;
		return k <= ir_texture_coordinates(in) ? IR_B32 : in->type;
	case R_LANE:
	case R_GATHER:
	case R_MATCH:
		return k ? IR_B32 : in->type;
	case R_VOTE:
		return k ? IR_B32 : IR_B1;
	case R_CALL:
		return IR_TYPE_COUNT;
	case R_NONE:
		return in->op == IR_CBR || (in->op == IR_BARRIER_RED && k == 1) ? IR_B1 : IR_B32;
	default:
		return in->type;
	}
}

enum ir_type ir_result_type(const struct ir_inst *in, uint32_t k)
{
	switch (ir_ops[in->op].rule) {
	case R_CMP:
		return IR_B1;
	case R_UNPACK:
		return ir_type_half(in->type);
	case R_CARRY:
	case R_LANE:
		return k ? IR_B1 : in->type;
	case R_MATCH:
		return k ? IR_B1 : IR_B32;
	case R_CALL:
		return IR_TYPE_COUNT;
	default:
		return in->type;
	}
}

uint32_t ir_sync_kind(const struct ir_inst *in)
{
	static const struct {
		uint8_t op, count;
	} rows[] = {{IR_SHUFFLE, IR_SHUFFLE_COUNT},
		    {IR_VOTE, IR_VOTE_COUNT},
		    {IR_REDUCE, IR_REDUCE_COUNT},
		    {IR_MATCH_ANY, 2},
		    {IR_MATCH_ALL, 2},
		    {IR_WARPSYNC, 1}};
	uint32_t kind = 1;

	if (!(ir_ops[in->op].properties & P_CONV))
		return 0;
	static_assert(1 + IR_SHUFFLE_COUNT + IR_VOTE_COUNT + IR_REDUCE_COUNT + 5 == IR_SYNC_KINDS,
		      "one kind per operation and variant");
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		/* A match has two types and no sub; the others have a sub and one type. */
		if (rows[k].op == in->op)
			return kind + in->sub + (in->type == IR_B64);
		kind += rows[k].count;
	}
	return 0;
}

uint32_t ir_tensor_coordinates(const struct ir_inst *in)
{
	return in->sub == IR_TENSOR_LOAD ? 3 : 2;
}

uint32_t ir_tensor_args(const struct ir_inst *in)
{
	uint32_t rank = in->imm & IR_TENSOR_RANK;
	bool load = in->sub == IR_TENSOR_LOAD, im2col = in->imm & IR_TENSOR_IM2COL,
	     multicast = in->imm & IR_TENSOR_MULTICAST, policy = in->flags & IR_POLICY;

	if (!rank || rank > IR_TENSOR_MAX_RANK || (im2col && rank < 3) || (multicast && !load) ||
	    (uint64_t)in->imm > (IR_TENSOR_RANK | IR_TENSOR_IM2COL | IR_TENSOR_MULTICAST))
		return 0;
	return ir_tensor_coordinates(in) + rank + (im2col && load ? rank - 2 : 0) + multicast +
	       policy;
}
