// SPDX-License-Identifier: MIT
/*
 * Checks of single instructions against their rows in ops.h. Counts and types follow from the row;
 * the other rules relate attributes to each other, one function per kind of attribute. Attributes
 * that an operation does not have must be zero: then instructions are equal when all of their
 * members are, and value numbering need not know which attributes apply.
 */
#include "libsov/compiler/ir/ir_verify.h"
#include "libsov/isa/mma_group.h"
#include "libsov/isa/texture.h"

static bool is_power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

static bool check_mma_counts(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	const struct mma_kind *kind = in->sub < MMA_KINDS ? &mma_kinds[in->sub] : NULL;
	struct mma_registers r;
	uint32_t nargs;

	if (!kind || (in->type == IR_B64) != (kind->factors == MMA_F64))
		return verify_inst_fault(v, i, "no matrix product has this type");
	r = mma_registers(kind);
	nargs = r.a + r.b + r.c + (kind->flags & MMA_SPARSE ? 2u : 1u);
	if (in->nargs != nargs || in->nres != r.c)
		return verify_inst_fault(v, i, "%u arguments and %u results, not %u and %u",
					 in->nargs, in->nres, nargs, r.c);
	if (in->imm >= mma_selectors(kind))
		return verify_inst_fault(v, i, "the selector is not less than %u",
					 mma_selectors(kind));
	return true;
}

static bool check_group_counts(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	struct mma_group g;
	uint32_t nargs, words;

	if (in->sub >= MMA_KINDS)
		return verify_inst_fault(v, i, "no matrix product has this type");
	g = mma_group_unpack(in->sub, in->imm);
	if (!mma_group_exists(&g) || mma_group_pack(&g) != in->imm)
		return verify_inst_fault(v, i, "four warps have no such matrix product");
	words = mma_group_words(&g);
	nargs = (g.shared_a ? 1 : MMA_GROUP_A_WORDS) + 1 + words + 2 +
		(g.kind->flags & MMA_SPARSE ? 1 : 0);
	if (in->nargs != nargs || in->nres != words)
		return verify_inst_fault(v, i, "%u arguments and %u results, not %u and %u",
					 in->nargs, in->nres, nargs, words);
	return true;
}

static uint32_t bulk_args(uint32_t sub)
{
	return sub == IR_BULK_TO_GLOBAL ? 3 : sub == IR_BULK_MULTICAST ? 5 : 4;
}

/* Integers only, and of 64 bits only sums. */
static bool is_async_reduction(const struct ir_inst *in)
{
	return in->sub < IR_ATOM_FADD && in->sub != IR_ATOM_EXCH &&
	       (in->type == IR_B32 || in->sub == IR_ATOM_ADD);
}

/* Surfaces have no cubes, and the nearest texel of a cube has no integer coordinates. */
static bool check_texture_counts(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	bool cube = in->geometry == TEXTURE_CUBE || in->geometry == TEXTURE_CUBE_LAYERS;
	bool surface = ir_ops[in->op].attributes & A_RANGE, store = in->op == IR_SURFSTORE;
	bool plane = cube || in->geometry == TEXTURE_2D || in->geometry == TEXTURE_2D_LAYERS;
	uint32_t least = ir_texture_args(in) + (store || in->op == IR_SURFREDUCE);
	uint32_t elements = store ? in->nargs - least + 1 : in->nres;

	if (in->nargs < least || in->nargs > (store ? least + IR_MAX_ELEMENTS - 1 : least))
		return verify_inst_fault(v, i, "%u arguments, not %u%s", in->nargs, least,
					 store ? " or more" : "");
	if (!surface && in->nres != TEXTURE_CHANNELS)
		return verify_inst_fault(v, i, "%u results, not %u", in->nres, TEXTURE_CHANNELS);
	if (surface && in->op != IR_SURFREDUCE &&
	    (elements == 3 || elements * ir_type_bits(in->type) > 128 ||
	     (elements > 1 && in->type < IR_B32)))
		return verify_inst_fault(v, i, "%u elements, not 1, or 2 or 4 words of 128 bits",
					 elements);
	if (in->flags & IR_FORMATTED && (in->op == IR_SURFLOAD || in->type != IR_B32))
		return verify_inst_fault(v, i, "formatted, but no store or reduction of words");
	if (in->flags & (IR_OFFSET | IR_COMPARE | IR_SAMPLER) && surface)
		return verify_inst_fault(v, i, "a surface with an offset, comparison or sampler");
	if ((cube && (surface || (in->op == IR_SAMPLE && (in->sub == IR_SAMPLE_TEXEL ||
							  in->sub == IR_SAMPLE_TEXEL_LEVEL)))) ||
	    (in->flags & IR_COMPARE && in->geometry == TEXTURE_3D) ||
	    (in->op == IR_GATHER4 && !plane))
		return verify_inst_fault(v, i, "'%s' does not have this geometry",
					 ir_ops[in->op].text);
	return true;
}

static bool check_counts(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	const struct ir_op_info *info = &ir_ops[in->op];
	static const uint8_t limits[][3] = {
		/* minimum and maximum of arguments of variadic ops */
		{IR_LOAD, 0, 1},       {IR_STORE, 2, 1 + IR_MAX_ELEMENTS},
		{IR_ATOM, 2, 3},       {IR_CAS, 3, 5},
		{IR_BARRIER, 1, 2},    {IR_BARRIER_RED, 2, 3},
		{IR_COPYASYNC, 2, 3},  {IR_MBARRIER_TEST, 2, 3},
		{IR_BULKCOPY, 3, 5},   {IR_BULKREDUCE, 3, 4},
		{IR_STOREASYNC, 3, 6},
	};

	uint32_t count = ir_data_args(in);

	if (in->flags & IR_POLICY && !in->nargs)
		return verify_inst_fault(v, i, "the cache policy is missing");
	if (!(info->types & 1 << in->type))
		return verify_inst_fault(v, i, "'%s' has no such type", info->text);
	if (info->args != IR_VARIADIC && in->nargs != info->args)
		return verify_inst_fault(v, i, "%u arguments, not %u", in->nargs, info->args);
	for (uint32_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++)
		if (in->op == limits[k][0] && (count < limits[k][1] || count > limits[k][2]))
			return verify_inst_fault(v, i, "%u arguments, not %u to %u", count,
						 limits[k][1], limits[k][2]);
	if (in->op == IR_BULKCOPY && count != bulk_args(in->sub))
		return verify_inst_fault(v, i, "a bulk copy %s has %u arguments",
					 in->sub == IR_BULK_TO_GLOBAL   ? "to global memory"
					 : in->sub == IR_BULK_MULTICAST ? "to several blocks"
									: "to shared memory",
					 count);
	if (in->op == IR_STOREASYNC && in->nargs == 5)
		return verify_inst_fault(v, i, "3 words, not 1, 2 or 4");
	if (in->op == IR_MBARRIER_REMOTE &&
	    (in->sub == IR_ARRIVE_NOCOMPLETE || in->sub == IR_ARRIVE_DROP_NOCOMPLETE))
		return verify_inst_fault(v, i, "no arrival at a remote barrier has .nocomplete");
	if (in->op == IR_REDASYNC && !is_async_reduction(in))
		return verify_inst_fault(v, i, "no asynchronous reduction of this type");
	if (in->op == IR_TENSORCOPY && in->nargs != ir_tensor_args(in))
		return verify_inst_fault(v, i, "%u arguments, not %u, of a copy of %u dimensions",
					 in->nargs, ir_tensor_args(in),
					 (uint32_t)in->imm & IR_TENSOR_RANK);
	if (in->op == IR_MMA && !check_mma_counts(v, i, in))
		return false;
	if (in->op == IR_MMA_GROUP && !check_group_counts(v, i, in))
		return false;
	if (info->attributes & A_GEOMETRY && in->geometry < TEXTURE_GEOMETRIES &&
	    !check_texture_counts(v, i, in))
		return false;
	if (in->op == IR_LOADMATRIX && in->nres == 3)
		return verify_inst_fault(v, i, "3 results, not 1, 2 or 4");
	if (info->results != IR_VARIADIC && in->nres != info->results)
		return verify_inst_fault(v, i, "%u results, not %u", in->nres, info->results);
	if (info->rule != R_CALL &&
	    (in->nres > ir_max_results(in->op) || (info->results == IR_VARIADIC && !in->nres)))
		return verify_inst_fault(v, i, "%u results, not 1 to %u", in->nres,
					 ir_max_results(in->op));
	return true;
}

/* Checks a list of values against a signature. */
static bool check_list(struct verifier *v, ir_id i, const char *what, const ir_val *values,
		       uint32_t n, const uint8_t *types, uint32_t wanted)
{
	if (n != wanted)
		return verify_inst_fault(v, i, "%u %ss, not %u", n, what, wanted);
	for (uint32_t k = 0; k < n; k++)
		if (v->f->values[values[k]].type != types[k])
			return verify_inst_fault(v, i, "%s %u is %s, not %s", what, k + 1,
						 ir_type_names[v->f->values[values[k]].type],
						 ir_type_names[types[k]]);
	return true;
}

static bool check_call(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	uint32_t address = in->op == IR_CALLPTR;
	const struct ir_func *callee;
	ir_val results[IR_MAX_RESULTS];

	if (in->op == IR_RET)
		return check_list(v, i, "argument", in->args, in->nargs, v->f->result_types,
				  v->f->nresults);
	callee = v->module->table[in->symbol];
	if (address != (callee->kind == IR_PROTOTYPE) || ir_is_kernel(callee))
		return verify_inst_fault(v, i, "'%s' cannot name this kind of function",
					 ir_ops[in->op].text);
	if (address && (!in->nargs || v->f->values[in->args[0]].type != IR_B64))
		return verify_inst_fault(v, i, "the function's address is not b64");
	for (uint32_t k = 0; k < in->nres; k++)
		results[k] = in->res + k;
	return check_list(v, i, "argument", in->args + address, in->nargs - address,
			  callee->arg_types, callee->nargs) &&
	       check_list(v, i, "result", results, in->nres, callee->result_types,
			  callee->nresults);
}

static bool check_types(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	const struct ir_func *f = v->f;

	for (uint32_t k = 0; k < in->nargs; k++) {
		enum ir_type want = ir_arg_type(in, k), have;

		if (!in->args[k] || in->args[k] >= f->nvalues || !ir_def(f, in->args[k])->block)
			return verify_inst_fault(v, i, "argument %u is not a value of the function",
						 k + 1);
		have = f->values[in->args[k]].type;
		if (want == IR_VOID && have != IR_B32 && have != IR_B64)
			return verify_inst_fault(v, i, "the address is %s, not b32 or b64",
						 ir_type_names[have]);
		if (want != IR_VOID && want != IR_TYPE_COUNT && have != want)
			return verify_inst_fault(v, i, "argument %u is %s, not %s", k + 1,
						 ir_type_names[have], ir_type_names[want]);
	}
	if (ir_ops[in->op].rule == R_CALL)
		return check_call(v, i, in);
	for (uint32_t k = 0; k < in->nres; k++)
		if (f->values[in->res + k].type != ir_result_type(in, k))
			return verify_inst_fault(v, i, "result %u is %s, not %s", k + 1,
						 ir_type_names[f->values[in->res + k].type],
						 ir_type_names[ir_result_type(in, k)]);
	return true;
}

/* Every byte that ir_fields describes must hold a word of its list, or zero if the op lacks the
 * field. */
static bool check_words(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	const uint8_t *bytes = (const uint8_t *)in;
	uint16_t attributes = ir_ops[in->op].attributes;
	uint16_t flags = 0;
	bool has[256] = {false};

	for (uint32_t k = 0; k < ir_nfields; k++) {
		const struct ir_field *field = &ir_fields[k];

		if (!ir_has_field(field, in->op))
			continue;
		has[field->offset] = true;
		if ((uint8_t)(bytes[field->offset] - field->first) >= field->count)
			return verify_inst_fault(v, i,
						 "an attribute has the value %u, not %u to %u",
						 bytes[field->offset], field->first,
						 field->first + field->count - 1);
	}
	for (uint32_t k = 0; k < ir_nfields; k++)
		if (!has[ir_fields[k].offset] && bytes[ir_fields[k].offset])
			return verify_inst_fault(v, i, "an attribute that '%s' does not have is %u",
						 ir_ops[in->op].text, bytes[ir_fields[k].offset]);
	for (uint32_t k = 0; k < ir_nflags; k++)
		flags |= attributes & ir_flags[k].attribute ? ir_flags[k].bit : 0;
	if (in->flags & ~flags)
		return verify_inst_fault(v, i, "flags 0x%x that '%s' does not have",
					 in->flags & ~flags, ir_ops[in->op].text);
	return true;
}

static bool check_numbers(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	uint16_t attributes = ir_ops[in->op].attributes;

	if (in->imm && !(attributes & A_IMM))
		return verify_inst_fault(v, i, "'%s' has no constant", ir_ops[in->op].text);
	if (in->op == IR_CONST && in->imm > UINT64_MAX >> (64 - ir_type_bits(in->type)))
		return verify_inst_fault(v, i, "the constant is wider than its type");
	if (in->op == IR_LOGIC3 && in->imm > 0xff)
		return verify_inst_fault(v, i, "the truth table of three arguments has 8 bits");
	if (in->op == IR_ALLOCA && (!is_power_of_two(in->imm) || in->imm > IR_MAX_STACK_ALIGN))
		return verify_inst_fault(v, i, "an alignment is a power of two up to %d",
					 IR_MAX_STACK_ALIGN);
	if (in->op == IR_ARG && (in->imm >= v->f->nargs || v->f->arg_types[in->imm] != in->type))
		return verify_inst_fault(v, i, "the function has no such argument");
	if (in->symbol && !(attributes & (A_SYMBOL | A_REG | A_FUNC)))
		return verify_inst_fault(v, i, "'%s' has no variable", ir_ops[in->op].text);
	if (attributes & A_SYMBOL && in->symbol >= v->module->nsymbols)
		return verify_inst_fault(v, i, "variable %u, but the module has %u", in->symbol,
					 v->module->nsymbols);
	if (attributes & A_SYMBOL && v->module->symbols[in->symbol].owner &&
	    v->module->symbols[in->symbol].owner != v->f)
		return verify_inst_fault(v, i, "the variable belongs to another function");
	if (attributes & A_FUNC && in->symbol >= v->module->nfuncs)
		return verify_inst_fault(v, i, "function %u, but the module has %u", in->symbol,
					 v->module->nfuncs);
	if (in->op == IR_FUNCADDR &&
	    (v->module->table[in->symbol]->kind == IR_PROTOTYPE ||
	     (ir_is_kernel(v->module->table[in->symbol]) && !v->module->relocatable)))
		return verify_inst_fault(v, i,
					 "only functions, and in objects kernels, have addresses");
	if (attributes & A_REG && (!in->symbol || in->symbol >= v->f->nregs))
		return verify_inst_fault(v, i, "register %u, but the function has 1 to %u",
					 in->symbol, v->f->nregs - 1);
	if (attributes & A_REG && v->f->reg_types[in->symbol] != in->type)
		return verify_inst_fault(v, i, "the register is %s",
					 ir_type_names[v->f->reg_types[in->symbol]]);
	if (in->from && !(attributes & (A_FROM | A_MEM)))
		return verify_inst_fault(v, i, "'%s' has no source type", ir_ops[in->op].text);
	if (in->align && !(attributes & A_MEM))
		return verify_inst_fault(v, i, "'%s' has no alignment", ir_ops[in->op].text);
	return true;
}

/* Between integers and floats, any widths are allowed. */
static bool check_conversion(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	bool narrows = in->op == IR_TRUNC;
	bool from_float = in->op == IR_FTOU || in->op == IR_FTOS || in->op == IR_FTOF;

	if (ir_ops[in->op].attributes & A_FLOAT) {
		if (in->from >= IR_TYPE_COUNT ||
		    !((from_float ? T_FLOAT : T_INT) & 1 << in->from) ||
		    (in->op == IR_FTOF && (in->from == in->type) != (in->format == IR_TF32)))
			return verify_inst_fault(v, i,
						 "'%s' to %s does not accept this source type",
						 ir_ops[in->op].text, ir_type_names[in->type]);
		return true;
	}

	if (in->from >= IR_TYPE_COUNT || !(T_BITS & 1 << in->from) ||
	    (narrows ? in->from <= in->type : in->from >= in->type))
		return verify_inst_fault(v, i, "'%s' to %s needs a %s source type",
					 ir_ops[in->op].text, ir_type_names[in->type],
					 narrows ? "wider" : "narrower");
	return true;
}

/* The type that the format applies to: the argument's for conversions to integers, the narrower one
 * for conversions between floats, else the instruction's. */
static enum ir_type float_type(const struct ir_inst *in)
{
	if (in->op == IR_FTOU || in->op == IR_FTOS || (in->op == IR_FTOF && in->from < in->type))
		return in->from;
	return in->type;
}

/* Attributes that an operation accepts in addition to ftz. */
enum { HAS_ROUND = 1, HAS_SAT = 2, HAS_CONTRACT = 4, HAS_NAN = 8, HAS_FORMAT = 16 };
static const uint8_t float_words[IR_OP_COUNT] = {
	[IR_FADD] = HAS_ROUND | HAS_SAT | HAS_CONTRACT | HAS_FORMAT,
	[IR_FMUL] = HAS_ROUND | HAS_SAT | HAS_CONTRACT | HAS_FORMAT,
	[IR_FMA] = HAS_ROUND | HAS_SAT | HAS_FORMAT,
	[IR_FDIV] = HAS_ROUND,
	[IR_FRCP] = HAS_ROUND,
	[IR_FSQRT] = HAS_ROUND,
	[IR_FROUND] = HAS_ROUND,
	[IR_FNEG] = HAS_FORMAT,
	[IR_FABS] = HAS_FORMAT,
	[IR_FMIN] = HAS_NAN | HAS_FORMAT,
	[IR_FMAX] = HAS_NAN | HAS_FORMAT,
	[IR_APPROX] = HAS_FORMAT,
	[IR_UTOF] = HAS_ROUND | HAS_SAT,
	[IR_STOF] = HAS_ROUND | HAS_SAT,
	[IR_FTOU] = HAS_ROUND,
	[IR_FTOS] = HAS_ROUND,
	[IR_FTOF] = HAS_ROUND | HAS_SAT,
	[IR_ATOM] = HAS_FORMAT,
};

/* tf32 and 8-bit formats: whether ftof converts to this format, or from bytes back to halves. */
static bool is_narrowing(const struct ir_inst *in)
{
	bool bytes =
		in->type == IR_B16 ? in->from > IR_B16 : in->type == IR_B32 && in->from == IR_B16;

	if (in->op != IR_FTOF || in->flags)
		return false;
	return in->format == IR_TF32 ? in->type == IR_B32 : bytes && !in->round;
}

static bool check_float(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	uint8_t words = float_words[in->op];
	enum ir_type t = float_type(in);
	bool pair = in->format == IR_F16X2 || in->format == IR_BF16X2;

	if (in->format >= IR_TF32)
		return is_narrowing(in) ||
		       verify_inst_fault(v, i,
					 "this operation does not support tf32 or 8-bit floats");
	if (in->format && t != (pair ? IR_B32 : IR_B16))
		return verify_inst_fault(v, i, "bf16 has 16 bits, a pair of halves 32");
	if (pair && !(words & HAS_FORMAT))
		return verify_inst_fault(v, i, "'%s' does not work on pairs", ir_ops[in->op].text);
	if (in->round && (in->op == IR_FADD || in->op == IR_FMUL || in->op == IR_FMA) &&
	    (t == IR_B16 || pair))
		return verify_inst_fault(v, i, "16-bit arithmetic rounds to nearest only");
	if (in->flags & IR_FTZ && t == IR_B64 && in->op != IR_APPROX && in->op != IR_FTOF)
		return verify_inst_fault(v, i, "b64 has no ftz");
	if (in->flags & IR_SAT && in->type == IR_B64)
		return verify_inst_fault(v, i, "b64 has no sat");
	if (in->flags & IR_NORMAL && in->op != IR_APPROX)
		return verify_inst_fault(v, i, "'%s' is not approximate and cannot be 'normal'",
					 ir_ops[in->op].text);
	if ((in->round && !(words & HAS_ROUND)) || (in->flags & IR_SAT && !(words & HAS_SAT)) ||
	    (in->flags & IR_CONTRACT && !(words & HAS_CONTRACT)) ||
	    (in->flags & IR_NAN && !(words & HAS_NAN)))
		return verify_inst_fault(v, i, "'%s' has no rounding, sat, contract or nan",
					 ir_ops[in->op].text);
	return true;
}

/* The memory orders that an operation accepts, as a bit mask. */
static uint32_t allowed_orders(enum ir_op op)
{
	switch (op) {
	case IR_LOAD:
		return 1 << IR_WEAK | 1 << IR_RELAXED | 1 << IR_ACQUIRE;
	case IR_STORE:
		return 1 << IR_WEAK | 1 << IR_RELAXED | 1 << IR_RELEASE;
	case IR_FENCE:
		return 1 << IR_ACQUIRE | 1 << IR_RELEASE | 1 << IR_ACQ_REL | 1 << IR_SEQ_CST;
	default:
		return 1 << IR_RELAXED | 1 << IR_ACQUIRE | 1 << IR_RELEASE | 1 << IR_ACQ_REL;
	}
}

static bool check_order(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	if (!(allowed_orders(in->op) & 1u << in->order))
		return verify_inst_fault(v, i, "'%s' cannot have this memory order",
					 ir_ops[in->op].text);
	if ((in->order == IR_WEAK) != (in->scope == IR_SCOPE_NONE))
		return verify_inst_fault(v, i,
					 "a scope requires a memory order, and an order a scope");
	return true;
}

/* Atomics have one element, or two for 128 bits. */
static bool check_atomic(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	uint32_t values = in->op == IR_CAS ? 2 : 1;

	if (ir_data_args(in) != 1 + values * in->nres)
		return verify_inst_fault(v, i, "%u arguments, not %u for %u results",
					 ir_data_args(in), 1 + values * in->nres, in->nres);
	if (in->space == IR_LOCAL)
		return verify_inst_fault(
			v, i, "'%s' needs memory that threads share; local memory is private",
			ir_ops[in->op].text);
	if (in->nres > 2 || (in->nres == 2 && (in->type != IR_B64 ||
					       (in->op == IR_ATOM && in->sub != IR_ATOM_EXCH))))
		return verify_inst_fault(v, i, "only cas and exch have two elements, of b64");
	return true;
}

static bool check_memory(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	bool load = in->op == IR_LOAD,
	     read_only = in->space == IR_CONSTANT || in->space == IR_PARAM;
	uint32_t elements = in->op == IR_STORE ? ir_data_args(in) - 1 : in->nres;

	if (!load && in->op != IR_STORE && !check_atomic(v, i, in))
		return false;
	if (in->from >= IR_TYPE_COUNT || !(T_INT & 1 << in->from) || in->from > in->type)
		return verify_inst_fault(v, i,
					 "the type in memory is wider than the type, or none");
	if (in->from != in->type && !load && in->op != IR_STORE)
		return verify_inst_fault(v, i, "'%s' cannot have a different type in memory",
					 ir_ops[in->op].text);
	if (!is_power_of_two(in->align))
		return verify_inst_fault(v, i, "alignment %u is not a power of two", in->align);
	if (in->space == IR_SHARED_CLUSTER)
		return verify_inst_fault(v, i, "%s memory has generic addresses only",
					 ir_space_names[in->space]);
	if (elements == 3)
		return verify_inst_fault(v, i, "vectors have 2 or 4 elements");
	if (read_only && !load)
		return verify_inst_fault(v, i, "%s memory cannot be written",
					 ir_space_names[in->space]);
	if (in->flags & (IR_SEXT_MEM | IR_INVARIANT) && !load)
		return verify_inst_fault(v, i, "only a load is sext or invariant");
	if (in->flags & IR_DEREFERENCEABLE && !(in->flags & IR_INVARIANT))
		return verify_inst_fault(v, i, "only an invariant load is dereferenceable");
	if (in->flags & IR_POLICY && in->space != IR_GLOBAL && in->space != IR_GENERIC_SPACE)
		return verify_inst_fault(v, i, "%s memory has no cache policy",
					 ir_space_names[in->space]);
	if (in->fetch && !load)
		return verify_inst_fault(v, i, "only a load fetches more than it reads");
	if (in->flags & IR_SEXT_MEM && in->from == in->type)
		return verify_inst_fault(v, i, "sext without a narrower type in memory");
	if (in->flags & IR_VOLATILE && in->flags & IR_INVARIANT)
		return verify_inst_fault(v, i, "volatile and invariant contradict each other");
	if (in->space == IR_PARAM && ir_address_arg(in) &&
	    (in->imm > v->f->param_bytes ||
	     elements * ir_type_bits(in->from) / 8 > v->f->param_bytes - in->imm))
		return verify_inst_fault(v, i, "reads beyond the parameters, which have %u bytes",
					 v->f->param_bytes);
	return check_order(v, i, in);
}

static bool check_special(struct verifier *v, ir_id i, const struct ir_inst *in)
{
	if (ir_ops[in->op].attributes & A_SPACE && in->space == IR_GENERIC_SPACE)
		return verify_inst_fault(v, i, "generic is not a space to convert to or from");
	if (in->op == IR_VOTE && (in->sub == IR_VOTE_BALLOT) != (in->type == IR_B32))
		return verify_inst_fault(v, i, "a ballot is b32 and other votes are b1");
	if (in->op == IR_BARRIER_RED && (in->sub == IR_BARRIER_POPC) != (in->type == IR_B32))
		return verify_inst_fault(v, i, "popc is b32, and and or are b1");
	if (in->op == IR_BARRIER && in->sub == IR_BARRIER_ARRIVE && in->nargs != 2)
		return verify_inst_fault(v, i, "arrive needs a number of threads");
	return true;
}

bool verify_inst(struct verifier *v, ir_id i)
{
	const struct ir_inst *in = ir_at(v->f, i);
	uint16_t attributes = ir_ops[in->op].attributes;

	return check_counts(v, i, in) && check_words(v, i, in) && check_numbers(v, i, in) &&
	       (!(attributes & A_FROM) || check_conversion(v, i, in)) &&
	       (!(attributes & A_FLOAT) || check_float(v, i, in)) &&
	       (!(attributes & A_MEM) || check_memory(v, i, in)) &&
	       (!(attributes & A_ORDER) || check_order(v, i, in)) && check_special(v, i, in) &&
	       check_types(v, i, in);
}
