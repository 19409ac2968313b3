// SPDX-License-Identifier: MIT
/*
 * Selection of loads, stores, atomics and fences. Global addresses are 64-bit register pairs with
 * an immediate offset; a descriptor is used for cache policies alone (its bit may be clear on every
 * chip from Volta to Hopper). Shared and local addresses have 32 bits: of a 64-bit address only the
 * low word is computed.
 */
#include "hw/nv/bank0.h"
#include "libsov/compiler/nv/select.h"

#define OFFSET_MAX 0x7fffff
#define OFFSET_MIN (-0x800000)

ir_val split_shared_address(const struct select *s, ir_val v, int64_t *offset)
{
	for (;;) {
		const struct ir_inst *in = ir_def(s->ir, v);
		int64_t known;

		if (constant_address(s, v, &known)) {
			*offset += known;
			return 0;
		}
		if (in->op != IR_ADD)
			return v;
		if (constant_address(s, in->args[0], &known))
			v = in->args[1];
		else if (constant_address(s, in->args[1], &known))
			v = in->args[0];
		else
			return v;
		*offset += known;
	}
}

struct mir_source select_shared_address(struct select *s, ir_val v, int64_t min, int64_t max)
{
	int64_t offset = 0;
	ir_val base = split_shared_address(s, v, &offset);
	struct mir_source at;

	if (offset < min || offset > max) {
		base = v;
		offset = 0;
	}
	at = base ? in_reg(s, arg_half(s, base, 0)) : rz();
	at.op.kind = SASS_ADDR;
	at.op.aux = SASS_NO_UREG;
	at.op.value = offset;
	return at;
}

/* Global and generic addresses have 64 bits, those of shared and local memory 32. */
static bool is_wide(const struct ir_inst *in)
{
	return in->space == IR_GLOBAL || in->space == IR_GENERIC_SPACE;
}

/* A generic store has no form with RZ as its address. */
static struct mir_source zero_pair(struct select *s)
{
	struct mir_source pair = new_temp(s, SASS_GPR, 2);

	EMIT(s, MOV, subreg(pair, 0), rz());
	EMIT(s, MOV, subreg(pair, 1), rz());
	return pair;
}

/* The uniform pair of an access with a cache policy. Lanes may name different policies: that of one
 * of them counts, as in ptxas's code. */
static struct mir_source uniform_policy(struct select *s, const struct ir_inst *in)
{
	return in->flags & IR_POLICY ? select_uniform_pair(s, in->args[in->nargs - 1]) : NONE;
}

/* Makes it the descriptor of the access, whose address says that there is one. */
static void set_policy(const struct select *s, struct mir_inst *i, struct mir_source policy)
{
	if (!policy.ref.vreg)
		return;
	i->uniform = policy.ref;
	set_mod(i, SASS_M_POLICY, s->f->sm < 90);
}

static bool select_address(struct select *s, const struct ir_inst *in, struct mir_source *out)
{
	int64_t offset = (int64_t)in->imm;
	ir_val whole = !ir_address_arg(in) ? in->args[0] : 0,
	       base = whole; /* 0: imm is the address */

	if (in->space == IR_SHARED && base) {
		base = split_shared_address(s, base, &offset);
		if (offset < OFFSET_MIN || offset > OFFSET_MAX) {
			base = whole;
			offset = (int64_t)in->imm;
		}
	} else if (in->space > IR_LOCAL || (base && is_wide(in) && type_of(s, base) != IR_B64)) {
		return false;
	}
	*out = rz();
	if (base && in->space == IR_LOCAL && ir_def(s->ir, base)->op == IR_ADDR) {
		const struct ir_inst *variable = ir_def(s->ir, base);

		out->op.reg = MIR_STACK;
		offset += (int64_t)(s->f->symbol_offset[variable->symbol] + variable->imm);
	} else if (base && is_wide(in)) {
		*out = in_pair(s, arg_pair(s, base));
		if ((in->flags & IR_POLICY ||
		     (in->op == IR_STORE && in->space == IR_GENERIC_SPACE)) &&
		    !out->ref.vreg)
			*out = zero_pair(s);
	} else if (base) {
		*out = in_reg(s, arg_half(s, base, 0));
	}
	if (offset < OFFSET_MIN || offset > OFFSET_MAX)
		return false;
	out->op.kind = SASS_ADDR;
	out->op.aux = SASS_NO_UREG;
	out->op.value = offset;
	if (is_wide(in))
		out->op.flags = SASS_A64;
	if (in->flags & IR_POLICY) {
		out->op.flags |= SASS_DESC;
		out->op.aux = 0;
	}
	return true;
}

static uint8_t order_of(const struct select *s, const struct ir_inst *in)
{
	if (in->flags & IR_VOLATILE)
		return SASS_ORDER_STRONG_SYS;
	if (in->order == IR_WEAK)
		return in->flags & IR_INVARIANT        ? SASS_ORDER_CONSTANT
		       : in->evict == IR_EVICT_BYPASS  ? SASS_ORDER_STRONG_GPU
		       : in->evict == IR_EVICT_THROUGH ? SASS_ORDER_STRONG_SYS
						       : SASS_ORDER_WEAK;
	switch (in->scope) {
	case IR_SCOPE_CTA:
		return s->f->sm < 80 ? SASS_ORDER_STRONG_CTA : SASS_ORDER_STRONG_SM;
	case IR_SCOPE_SYS:
		return SASS_ORDER_STRONG_SYS;
	default:
		return SASS_ORDER_STRONG_GPU;
	}
}

static void set_memory(struct mir_inst *i, const struct ir_inst *in, uint8_t effect, uint32_t bytes)
{
	bool ordered = in->flags & IR_VOLATILE || in->order != IR_WEAK;

	/* A load of invariant data has no ordering constraints. */
	if (ordered || !(in->flags & IR_INVARIANT))
		i->memory.effect = effect | (ordered ? MIR_ORDERED : 0);
	i->memory.space = in->space == IR_GENERIC_SPACE ? IR_SPACE_COUNT : in->space;
	i->memory.bytes = (uint8_t)bytes;
}

/* Modifiers of a load or store. */
static void set_access(struct select *s, struct mir_inst *i, const struct ir_inst *in,
		       uint32_t bytes, bool is_signed)
{
	static const uint8_t widths[] = {
		[4] = SASS_WIDTH_32, [8] = SASS_WIDTH_64, [16] = SASS_WIDTH_128};
	static const uint8_t evictions[IR_EVICT_COUNT] = {
		[IR_EVICT_STREAMING] = SASS_EVICT_EF,   [IR_EVICT_LAST] = SASS_EVICT_EL,
		[IR_EVICT_LAST_USE] = SASS_EVICT_LU,    [IR_EVICT_UNCHANGED] = SASS_EVICT_EU,
		[IR_EVICT_UNALLOCATED] = SASS_EVICT_NA,
	};

	if (bytes == 1)
		set_mod(i, SASS_M_WIDTH, is_signed ? SASS_WIDTH_S8 : SASS_WIDTH_U8);
	else if (bytes == 2)
		set_mod(i, SASS_M_WIDTH, is_signed ? SASS_WIDTH_S16 : SASS_WIDTH_U16);
	else
		set_mod(i, SASS_M_WIDTH, widths[bytes]);
	if (!is_wide(in))
		return;
	set_mod(i, SASS_M_E, 1);
	set_mod(i, SASS_M_ORDER, order_of(s, in));
	set_mod(i, SASS_M_EVICT, evictions[in->evict]);
	set_mod(i, SASS_M_PREFETCH, in->fetch);
}

/*
 * Fences. The instructions and waits are those of ptxas 13.0 (docs/memory-model.md has the table).
 */

static const struct mir_memory all_memory = {MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT,
					     0};

static bool acquires(const struct ir_inst *in)
{
	return in->order == IR_ACQUIRE || in->order == IR_ACQ_REL || in->order == IR_SEQ_CST;
}

static bool releases(const struct ir_inst *in)
{
	return in->order == IR_RELEASE || in->order == IR_ACQ_REL || in->order == IR_SEQ_CST;
}

/* Earlier accesses are performed before later ones. */
static void emit_release(struct select *s, const struct ir_inst *in)
{
	static const uint8_t scopes[] = {[IR_SCOPE_NONE] = SASS_SCOPE_GPU,
					 [IR_SCOPE_CTA] = SASS_SCOPE_CTA,
					 [IR_SCOPE_CLUSTER] = SASS_SCOPE_GPU,
					 [IR_SCOPE_GPU] = SASS_SCOPE_GPU,
					 [IR_SCOPE_SYS] = SASS_SCOPE_SYS};
	struct mir_inst *i = emit(s, SASS_MEMBAR, NULL, 0);

	set_mod(i, SASS_M_FENCE, in->order == IR_SEQ_CST ? SASS_FENCE_SC : SASS_FENCE_ALL);
	set_mod(i, SASS_M_SCOPE, scopes[in->scope]);
	i->memory = all_memory;
	if (in->scope == IR_SCOPE_CTA)
		return;
	emit(s, SASS_ERRBAR, NULL, 0)->memory = all_memory;
	if (s->f->sm >= 90)
		emit(s, SASS_CGAERRBAR, NULL, 0)->memory = all_memory;
}

/*
 * Later accesses follow earlier loads: both instructions wait until these have returned
 * (scoreboards.c). Beyond the block L1 may hold stale data, which CCTL.IVALL discards.
 */
static void emit_acquire(struct select *s, uint8_t scope)
{
	emit(s, scope == IR_SCOPE_CTA ? SASS_NOP : SASS_CCTL_IVALL, NULL, 0)->memory = all_memory;
}

bool select_fence(struct select *s, const struct ir_inst *in)
{
	/* MEMBAR.SC waits for loads, as MEMBAR.ALL does before sm_90. */
	bool waited = in->scope == IR_SCOPE_CTA && releases(in) &&
		      (in->order == IR_SEQ_CST || s->f->sm < 90);

	if (releases(in))
		emit_release(s, in);
	if (acquires(in) && !waited)
		emit_acquire(s, in->scope);
	return true;
}

static void fence_before(struct select *s, const struct ir_inst *in)
{
	if (releases(in))
		emit_release(s, in);
}

static void fence_after(struct select *s, const struct ir_inst *in)
{
	if (acquires(in))
		emit_acquire(s, in->scope);
}

/*
 * Loads and stores.
 */

/* Adds an offset that the instruction cannot encode to the index. */
static struct mir_source add_to_index(struct select *s, struct mir_source index, int64_t offset)
{
	struct mir_source sum = new_temp(s, SASS_GPR, 1);

	EMIT(s, IADD3, sum, NONE, NONE, index, mir_imm((uint32_t)offset), rz());
	return sum;
}

/* With an index register, the offset is a signed 16-bit number. */
static bool fits_constant_operand(bool indexed, int64_t offset, uint32_t bytes)
{
	if (indexed)
		return offset >= INT16_MIN && offset + bytes <= INT16_MAX + 1;
	return offset >= 0 && offset + bytes <= NV_BANK_BYTES;
}

/* The vectoriser knows the alignment of the pairs that it makes. */
static bool is_aligned_pair(const struct ir_inst *in)
{
	return in->space == IR_CONSTANT && in->nres == 2 && in->type == IR_B32 &&
	       in->from == IR_B32 && in->align >= 8;
}

/* From a constant bank, for parameters and constants that cannot be operands. Other vectors are
 * loaded by element: the elements are aligned, the vector in the bank need not be. */
static bool load_constant(struct select *s, const struct ir_inst *in, uint32_t bytes)
{
	uint32_t params = NV_BANK0_PARAMS(s->f->sm, s->ir->param_bytes);
	bool is_param = in->space == IR_PARAM, is_signed = in->flags & IR_SEXT_MEM;
	int64_t known = 0, offset = (int64_t)in->imm + (is_param ? params : 0);
	struct mir_source index = rz();

	if (in->nargs && constant_address(s, in->args[0], &known))
		offset += known;
	else if (in->nargs)
		index = in_reg(s, arg_half(s, in->args[0], 0));
	if (!in->nargs && offset % bytes)
		return false;
	if (!fits_constant_operand(index.ref.vreg, offset, bytes * in->nres)) {
		index = add_to_index(s, index, offset);
		offset = 0;
	}
	index.op.kind = SASS_CONST;
	index.op.aux = is_param ? 0 : NV_CONSTANTS_BANK;
	if (is_aligned_pair(in)) {
		struct mir_source pair = new_temp(s, SASS_GPR, 2);

		index.op.value = (uint16_t)offset;
		set_mod(EMIT(s, LDC, pair, index), SASS_M_WIDTH, SASS_WIDTH_64);
		define_results(s, in, pair);
		return true;
	}
	for (uint32_t k = 0; k < in->nres; k++) {
		struct mir_source from = index;
		struct mir_inst *i;

		if (!is_needed(s, in->res + k, NEED_PAIR))
			continue;
		from.op.value = (uint16_t)(offset + k * bytes);
		i = EMIT(s, LDC, result(s, in->res + k), from);
		set_mod(i, SASS_M_WIDTH,
			bytes == 1   ? (is_signed ? SASS_WIDTH_S8 : SASS_WIDTH_U8)
			: bytes == 2 ? (is_signed ? SASS_WIDTH_S16 : SASS_WIDTH_U16)
			: bytes == 4 ? SASS_WIDTH_32
				     : SASS_WIDTH_64);
	}
	return true;
}

/* The high words of a narrow load to 64 bits. */
static void extend_load(struct select *s, const struct ir_inst *in)
{
	for (uint32_t k = 0; k < in->nres; k++) {
		ir_val v = in->res + k;
		struct mir_inst *i;

		if (in->type != IR_B64 || in->from == IR_B64 || !is_needed(s, v, NEED_HIGH))
			continue;
		if (!(in->flags & IR_SEXT_MEM)) {
			EMIT(s, MOV, result_half(s, v, 1), rz());
			continue;
		}
		i = EMIT(s, SHF, result_half(s, v, 1), rz(), mir_imm(31), result(s, v));
		set_mod(i, SASS_M_RIGHT, 1);
		set_mod(i, SASS_M_HI, 1);
		set_mod(i, SASS_M_SHTYPE, SASS_SH_S32);
	}
}

bool is_element(const struct select *s, ir_val v, struct element *e)
{
	const struct ir_inst *in = ir_def(s->ir, v);
	uint32_t bits = ir_type_bits(type_of(s, v));

	if (in->op == IR_TRUNC) {
		v = in->args[0];
		in = ir_def(s->ir, v);
	}
	*e = (struct element){in, v - in->res, ir_type_bits(in->from) / 8};
	return in->op == IR_LOAD && in->nres > 1 && in->type != IR_B64 && e->size < 4 &&
	       8 * e->size <= bits && in->space != IR_PARAM && in->space != IR_CONSTANT;
}

/* The registers of a load of such elements. */
static struct mir_source element_words(struct select *s, const struct ir_inst *load, uint32_t size)
{
	struct value *first = &s->values[load->res];
	uint32_t bytes = size * load->nres;

	if (!first->words.vreg)
		first->words = new_temp(s, SASS_GPR, bytes > 4 ? bytes / 4 : 1).ref;
	return mir_reg(SASS_GPR, first->words);
}

struct mir_source element_word(struct select *s, const struct element *e, uint32_t *mask)
{
	uint32_t at = e->index * e->size;

	*mask = (e->size == 1 ? 0xffu : 0xffffu) << at % 4 * 8;
	return subreg(element_words(s, e->load, e->size), at / 4);
}

/* Extracts elements smaller than a word that were loaded together. */
static void unpack_elements(struct select *s, const struct ir_inst *in, struct mir_source words,
			    uint32_t size)
{
	bool is_signed = in->flags & IR_SEXT_MEM;

	for (uint32_t k = 0; k < in->nres; k++) {
		uint32_t at = k * size % 4, fill = is_signed ? (at + size - 1) | 8 : 4;
		uint32_t selector = size == 1 ? at | fill << 4 | fill << 8 | fill << 12
					      : at | (at + 1) << 4 | fill << 8 | fill << 12;

		if (is_needed(s, in->res + k, NEED_LOW))
			EMIT(s, PRMT, result(s, in->res + k), subreg(words, k * size / 4),
			     mir_imm(selector), rz());
	}
}

bool select_load(struct select *s, const struct ir_inst *in)
{
	uint32_t size = ir_type_bits(in->from) / 8, bytes = size * in->nres;
	bool packed = in->nres > 1 && size < 4, vector = in->nres > 1 && size >= 4;
	struct mir_source at, d, policy;
	struct mir_inst *i;

	if (in->space == IR_PARAM || in->space == IR_CONSTANT) {
		if (!load_constant(s, in, size))
			return false;
		extend_load(s, in);
		return true;
	}
	if (bytes > 16 || (in->nres > 1 && in->type == IR_B64 && in->from != in->type) ||
	    !select_address(s, in, &at))
		return false;
	d = vector   ? new_temp(s, SASS_GPR, bytes / 4)
	    : packed ? element_words(s, in, size)
		     : result(s, in->res);
	policy = uniform_policy(s, in);
	if (in->space == IR_SHARED)
		i = EMIT(s, LDS, d, at);
	else if (in->space == IR_GLOBAL)
		i = EMIT(s, LDG, NONE, d, at);
	else if (in->space == IR_LOCAL)
		i = EMIT(s, LDL, d, at);
	else
		i = EMIT(s, LD, d, at);
	set_access(s, i, in, bytes, in->flags & IR_SEXT_MEM && !packed);
	set_policy(s, i, policy);
	set_memory(i, in, MIR_READS, bytes);
	if (vector)
		define_results(s, in, d);
	else if (packed)
		unpack_elements(s, in, d, size);
	else
		extend_load(s, in);
	fence_after(s, in);
	return true;
}

/* The words to store, in order. */
static uint32_t collect_words(struct select *s, const struct ir_inst *in, struct arg words[4])
{
	uint32_t n = 0;

	for (uint32_t k = 1; k < ir_data_args(in); k++) {
		words[n++] = arg_half(s, in->args[k], 0);
		if (in->from == IR_B64)
			words[n++] = arg_half(s, in->args[k], 1);
	}
	return n;
}

/* The word of which two elements are the halves; 0: none. */
static ir_val word_of_halves(const struct select *s, ir_val low, ir_val high)
{
	const struct ir_inst *l = ir_def(s->ir, low), *h = ir_def(s->ir, high);
	bool lower = l->op == IR_TRUNC ? l->from == IR_B32 : l->op == IR_UNPACK && low == l->res;

	if (!lower || h->op != IR_UNPACK || high == h->res || h->type != IR_B32)
		return 0;
	return l->args[0] == h->args[0] ? l->args[0] : 0;
}

/* Packs elements smaller than a word into words. */
static void pack_elements(struct select *s, const struct ir_inst *in, uint32_t size,
			  struct arg words[4])
{
	uint32_t per_word = 4 / size, count = ir_data_args(in) - 1;

	for (uint32_t k = 0; k < count; k++) {
		ir_val word = size == 2 && k + 1 < count && !(k & 1)
				      ? word_of_halves(s, in->args[k + 1], in->args[k + 2])
				      : 0;
		struct mir_source element = in_reg(s, arg_word(s, word ? word : in->args[k + 1]));
		uint32_t at = k % per_word;
		struct mir_source sum;

		if (word) {
			words[k++ / per_word] = (struct arg){.src = element};
			continue;
		}
		if (!at) {
			words[k / per_word] = (struct arg){.src = element};
			continue;
		}
		sum = new_temp(s, SASS_GPR, 1);
		/* Bytes below at come from the word so far, the others from the new
		 * element (4, 5 …). */
		EMIT(s, PRMT, sum, words[k / per_word].src,
		     mir_imm(size == 2 ? 0x5410 : (0x3210 & ~(0xfu << 4 * at)) | 4u << 4 * at),
		     element);
		words[k / per_word].src = sum;
	}
}

/* From sm_80 on, the only form of a generic store adds a uniform register. */
static struct mir_source with_uniform_zero(const struct select *s, struct mir_source at)
{
	if (s->f->sm >= 80 && !(at.op.flags & SASS_DESC))
		at.op.aux = SASS_URZ;
	return at;
}

bool select_store(struct select *s, const struct ir_inst *in)
{
	uint32_t size = ir_type_bits(in->from) / 8, count = ir_data_args(in) - 1,
		 bytes = size * count;
	struct mir_source at, data, policy;
	struct arg words[4];
	struct mir_inst *i;

	if (bytes > 16 || !select_address(s, in, &at))
		return false;
	if (count == 1 && size == 8) {
		data = in_pair(s, arg_pair(s, in->args[1]));
	} else if (count == 1) {
		data = in_reg(s, arg_word(s, in->args[1]));
	} else if (size >= 4) {
		data = in_vector(s, words, collect_words(s, in, words));
	} else {
		pack_elements(s, in, size, words);
		data = bytes > 4 ? in_vector(s, words, bytes / 4) : words[0].src;
	}
	fence_before(s, in);
	policy = uniform_policy(s, in);
	if (in->space == IR_SHARED)
		i = EMIT(s, STS, at, data);
	else if (in->space == IR_GLOBAL)
		i = EMIT(s, STG, at, data);
	else if (in->space == IR_LOCAL)
		i = EMIT(s, STL, at, data);
	else
		i = EMIT(s, ST, with_uniform_zero(s, at), data);
	set_access(s, i, in, bytes, false);
	set_policy(s, i, policy);
	set_memory(i, in, MIR_WRITES, bytes);
	return true;
}

/*
 * Atomics. legalise.c has lowered those that the hardware lacks to loops.
 */

static const struct {
	uint8_t op;
	uint8_t type32, type64;
} atoms[IR_ATOM_COUNT] = {
	[IR_ATOM_ADD] = {SASS_ATOM_ADD, SASS_ATYPE_U32, SASS_ATYPE_U64},
	[IR_ATOM_MIN_U] = {SASS_ATOM_MIN, SASS_ATYPE_U32, SASS_ATYPE_U64},
	[IR_ATOM_MIN_S] = {SASS_ATOM_MIN, SASS_ATYPE_S32, SASS_ATYPE_S64},
	[IR_ATOM_MAX_U] = {SASS_ATOM_MAX, SASS_ATYPE_U32, SASS_ATYPE_U64},
	[IR_ATOM_MAX_S] = {SASS_ATOM_MAX, SASS_ATYPE_S32, SASS_ATYPE_S64},
	[IR_ATOM_INC] = {SASS_ATOM_INC, SASS_ATYPE_U32, SASS_ATYPE_U64},
	[IR_ATOM_DEC] = {SASS_ATOM_DEC, SASS_ATYPE_U32, SASS_ATYPE_U64},
	[IR_ATOM_AND] = {SASS_ATOM_AND, SASS_ATYPE_U32, SASS_ATYPE_U64},
	[IR_ATOM_OR] = {SASS_ATOM_OR, SASS_ATYPE_U32, SASS_ATYPE_U64},
	[IR_ATOM_XOR] = {SASS_ATOM_XOR, SASS_ATYPE_U32, SASS_ATYPE_U64},
	[IR_ATOM_EXCH] = {SASS_ATOM_EXCH, SASS_ATYPE_U32, SASS_ATYPE_U64},
	[IR_ATOM_FADD] = {SASS_ATOM_ADD, SASS_ATYPE_F32_FTZ, SASS_ATYPE_F64},
};

/* Modifiers common to all atomics. */
static void set_atomic(struct select *s, struct mir_inst *i, const struct ir_inst *in)
{
	set_memory(i, in, MIR_READS | MIR_WRITES, ir_type_bits(in->type) / 8 * in->nres);
	i->memory.effect |= MIR_ORDERED;
	if (in->space == IR_SHARED)
		return;
	set_mod(i, SASS_M_E, 1);
	set_mod(i, SASS_M_ORDER,
		order_of(s, in) == SASS_ORDER_WEAK ? SASS_ORDER_STRONG_GPU : order_of(s, in));
}

/* 128-bit atomics and additions of bf16 pairs exist from Hopper on; a pair is in global memory. */
static bool is_supported_atomic(struct select *s, const struct ir_inst *in)
{
	if (in->type == IR_B16 || ((in->nres > 1 || in->format == IR_BF16X2) && s->f->sm < 90))
		return false;
	return !in->format || (nv_is_packed_add(in) && in->space == IR_GLOBAL);
}

uint8_t select_atom_op(const struct ir_inst *in)
{
	return atoms[in->sub].op;
}

uint8_t select_atom_type(const struct ir_inst *in)
{
	if (in->format)
		return in->format == IR_F16X2 ? SASS_ATYPE_F16X2 : SASS_ATYPE_BF16X2;
	if (in->nres > 1)
		return SASS_ATYPE_B128;
	return in->type == IR_B64 ? atoms[in->sub].type64 : atoms[in->sub].type32;
}

/* The data of an atomic operation; which: first or second operand. */
static struct mir_source atomic_data(struct select *s, const struct ir_inst *in, uint32_t which)
{
	const ir_val *v = &in->args[1 + which * in->nres];
	struct arg words[4];

	if (in->nres == 1)
		return in->type == IR_B64 ? in_pair(s, arg_pair(s, *v))
					  : in_reg(s, arg_word(s, *v));
	for (uint32_t k = 0; k < 4; k++)
		words[k] = arg_half(s, v[k / 2], k % 2);
	return in_vector(s, words, 4);
}

static bool is_any_needed(struct select *s, const struct ir_inst *in)
{
	bool is = false;

	for (uint32_t k = 0; k < in->nres; k++)
		is |= is_needed(s, in->res + k, NEED_PAIR);
	return is;
}

/* The register of the old value. */
static struct mir_source old_value(struct select *s, const struct ir_inst *in)
{
	if (!is_any_needed(s, in))
		return rz();
	return in->nres == 1 ? result(s, in->res) : new_temp(s, SASS_GPR, 4);
}

static void finish_atomic(struct select *s, const struct ir_inst *in, struct mir_source d)
{
	if (in->nres > 1 && is_any_needed(s, in))
		define_results(s, in, d);
	fence_after(s, in);
}

bool select_atom(struct select *s, const struct ir_inst *in)
{
	bool aggregates = can_aggregate(s, in);
	struct aggregate aggregate = {0};
	struct mir_source at, data, d, policy;
	struct mir_inst *i;

	if (!is_supported_atomic(s, in) || !select_address(s, in, &at))
		return false;
	if (aggregates)
		aggregate = begin_aggregate(s, in);
	data = aggregates ? aggregate.x : atomic_data(s, in, 0);
	fence_before(s, in);
	d = aggregates ? aggregate.old : old_value(s, in);
	policy = uniform_policy(s, in);
	if (in->space == IR_SHARED)
		i = EMIT(s, ATOMS, d, at, data);
	else if (in->space == IR_GENERIC_SPACE)
		i = EMIT(s, ATOM, NONE, d, at, data);
	else if (is_any_needed(s, in) || in->sub == IR_ATOM_EXCH)
		i = EMIT(s, ATOMG, NONE, d, at, data);
	else
		i = EMIT(s, RED, at, data);
	set_atomic(s, i, in);
	set_mod(i, SASS_M_ATOM, select_atom_op(in));
	set_mod(i, SASS_M_ATYPE, select_atom_type(in));
	set_policy(s, i, policy);
	if (aggregates)
		finish_aggregate(s, in, &aggregate, i);
	finish_atomic(s, in, d);
	return true;
}

/* Before sm_80, ATOMG.CAS cannot compare with RZ (nvdisasm). */
static struct mir_source compared(struct select *s, const struct ir_inst *in, struct mir_source x)
{
	struct mir_source d;

	if (s->f->sm >= 80 || in->space != IR_GLOBAL || x.op.reg != SASS_RZ || x.ref.vreg)
		return x;
	d = new_temp(s, SASS_GPR, in->type == IR_B64 ? 2 : 1);
	EMIT(s, MOV, d, rz());
	if (in->type == IR_B64)
		EMIT(s, MOV, mir_reg(SASS_GPR, (struct mir_ref){d.ref.vreg, 1}), rz());
	return d;
}

/*
 * A compare-and-swap of which only the success is of interest becomes CAST.SPIN in shared memory,
 * whose result is 1 or 0, as in ptxas's code. Where all lanes of a warp contend for one word, it is
 * many times faster than CAS (docs/results/2026-11-16-fences.md).
 */
bool select_cas(struct select *s, const struct ir_inst *in)
{
	struct mir_source at, data[2], d;
	struct mir_inst *i;

	if (!is_supported_atomic(s, in) || !select_address(s, in, &at))
		return false;
	for (uint32_t k = 0; k < 2; k++)
		data[k] = atomic_data(s, in, k);
	data[0] = compared(s, in, data[0]);
	fence_before(s, in);
	d = old_value(s, in);
	if (in->space == IR_SHARED)
		i = EMIT(s, ATOMS_CAS, d, at, data[0], data[1]);
	else if (in->space == IR_GENERIC_SPACE)
		i = EMIT(s, ATOM_CAS, NONE, d, at, data[0], data[1]);
	else
		i = EMIT(s, ATOMG_CAS, NONE, d, at, data[0], data[1]);
	set_atomic(s, i, in);
	set_mod(i, SASS_M_ATYPE,
		in->nres > 1         ? SASS_ATYPE_B128
		: in->type == IR_B64 ? SASS_ATYPE_U64
				     : SASS_ATYPE_U32);
	if (s->values[in->res].swap_tested)
		set_mod(i, SASS_M_CAS, SASS_CAST_SPIN);
	finish_atomic(s, in, d);
	return true;
}
