// SPDX-License-Identifier: MIT
/*
 * Loads, stores, atomics and fences. Each address space has its own instructions: scalar loads for
 * read-only memory at a uniform address, global with a scalar base where the address has one, LDS,
 * scratch, and flat for generic addresses. A vector access is one instruction; its elements are
 * first gathered in consecutive registers.
 *
 * Memory ordering: a release waits for all earlier accesses, an acquire waits for its own access,
 * and at device scope then invalidates L1 and L0. A workgroup runs on one compute unit (CU mode),
 * so its waves share L0. LLVM's "Memory Model gfx10" in the AMDGPU guide has these rules.
 */
#include "libsov/compiler/amd/select.h"

#define ARG(k) (s->in->args[k])
enum { S_GLOBAL, S_SHARED, S_LOCAL, S_FLAT };

struct mem_address {
	uint8_t kind;        /* S_… */
	struct gcn_src v;    /* VGPR address; AMD_NONE: none */
	struct gcn_src base; /* SGPR base; AMD_NONE: none */
	int32_t offset;
};

static uint32_t mem_bytes(const struct ir_inst *in)
{
	return ir_type_bits(in->from) / 8;
}

bool select_is_scalar_load(const struct select *s, const struct ir_inst *in)
{
	if (in->flags & IR_VOLATILE || in->order != IR_WEAK)
		return false;
	if (in->space == IR_PARAM && !in->nargs)
		return in->from >= IR_B32 || in->nres == 1;
	if (in->space != IR_PARAM && in->space != IR_CONSTANT &&
	    !(in->space == IR_GLOBAL && in->flags & IR_INVARIANT))
		return false;
	return in->from >= IR_B32 && in->align >= 4 && in->nargs && sel_is_scalar(s, in->args[0]);
}

static struct gcn_src fold_scalar_offset(struct select *s, struct gcn_src base, int64_t imm,
					 int32_t *offset)
{
	struct gcn_src d;

	if (imm >= -0x100000 && imm < 0x100000) {
		*offset = (int32_t)imm;
		return base;
	}
	*offset = 0;
	d = sel_temp(s, GCN_SCALAR, 2);
	sel_add64(s, d, base, sel_part(base, 1), gcn_imm((uint32_t)imm),
		  gcn_imm((uint32_t)(imm >> 32)), false);
	return d;
}

static void load_scalar_words(struct select *s, struct gcn_src d, uint32_t words,
			      struct gcn_src base, int32_t offset)
{
	static const struct {
		uint32_t words;
		uint16_t op;
	} sizes[] = {{8, AMD_s_load_dwordx8},
		     {4, AMD_s_load_dwordx4},
		     {2, AMD_s_load_dwordx2},
		     {1, AMD_s_load_dword}};

	for (uint32_t k = 0, at = 0; at < words; k++)
		for (; at + sizes[k].words <= words; at += sizes[k].words) {
			struct gcn_inst *i = sel_emit(s, sizes[k].op, AMD_PLAIN);

			gcn_set_operand(s->f, i, AMD_D, sel_part(d, at));
			gcn_set_operand(s->f, i, AMD_S0, base);
			gcn_set_operand(s->f, i, AMD_S1, gcn_reg(AMD_NULL));
			i->in.field[AMD_F_OFFSET] = offset + 4 * (int32_t)at;
		}
}

static void select_scalar_load(struct select *s)
{
	const struct ir_inst *in = s->in;
	uint32_t words = sel_words(in->type), mem = (mem_bytes(in) + 3) / 4, shift;
	struct gcn_src base, d;
	int32_t offset;

	if (in->nargs) {
		base = sel_pair(s, ARG(0));
		if (in->space == IR_PARAM) {
			d = sel_temp(s, GCN_SCALAR, 2);
			sel_add64(s, d, select_kernarg(s), sel_part(select_kernarg(s), 1),
				  sel_word(s, ARG(0), 0), gcn_imm(0), false);
			base = d;
		} else if (!base.ref.vreg) {
			base = sel_temp(s, GCN_SCALAR, 2);
			sel_move(s, base, sel_pair(s, ARG(0)), 2);
		}
	} else {
		base = select_kernarg(s);
	}
	base = fold_scalar_offset(s, base, (int64_t)in->imm, &offset);
	if (mem_bytes(in) < 4) { /* load the word that contains it */
		struct gcn_src t = sel_temp(s, GCN_SCALAR, 1);

		shift = ((uint32_t)offset & 3) * 8;
		d = sel_temp(s, GCN_SCALAR, 1);
		load_scalar_words(s, d, 1, base, offset & ~3);
		sel_sop(s, in->flags & IR_SEXT_MEM ? AMD_s_bfe_i32 : AMD_s_bfe_u32, t, d,
			gcn_imm(shift | mem_bytes(in) * 8 << 16));
		sel_move(s, sel_result(s, 0, 0), t, 1);
		if (words == 2)
			sel_op(s, SEL_SHR_S, sel_result(s, 0, 1), t, gcn_imm(31));
		return;
	}
	if (in->nres == 1 && mem == words) {
		load_scalar_words(s, sel_result(s, 0, 0), words, base, offset);
		return;
	}
	d = sel_temp(s, GCN_SCALAR, in->nres * mem);
	load_scalar_words(s, d, in->nres * mem, base, offset);
	for (uint32_t k = 0; k < in->nres; k++) {
		sel_move(s, sel_result(s, k, 0), sel_part(d, k * mem), mem);
		if (words > mem && in->flags & IR_SEXT_MEM)
			sel_op(s, SEL_SHR_S, sel_result(s, k, 1), sel_part(d, k * mem),
			       gcn_imm(31));
		else if (words > mem)
			sel_move(s, sel_result(s, k, 1), gcn_imm(0), 1);
	}
}

/* ---- addresses ---- */

/* Splits an address into a scalar base and an unsigned 32-bit VGPR offset. */
static bool split_address(struct select *s, ir_val at, struct mem_address *a)
{
	const struct ir_inst *d = ir_def(s->ir, at);

	if (d->op != IR_ADD)
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		if (!s->scalar[d->args[k]] || ir_def(s->ir, d->args[k])->op == IR_CONST)
			continue;
		if (sel_max_unsigned(s, d->args[1 - k]) <= UINT32_MAX) {
			a->base = sel_pair(s, d->args[k]);
			a->v = sel_vector(s, sel_word(s, d->args[1 - k], 0), 1);
			return true;
		}
	}
	return false;
}

static void fold_offset(struct select *s, struct mem_address *a, int64_t imm, int32_t min,
			int32_t max)
{
	struct gcn_src d;

	if (imm >= min && imm <= max) {
		a->offset = (int32_t)imm;
		return;
	}
	if (a->kind == S_SHARED || a->kind == S_LOCAL) {
		a->v = sel_op_new(s, GCN_VECTOR, SEL_ADD, gcn_imm((uint32_t)imm), a->v);
		return;
	}
	d = sel_temp(s, GCN_VECTOR, 2);
	sel_add64(s, d, a->v, sel_part(a->v, 1), gcn_imm((uint32_t)imm),
		  gcn_imm((uint32_t)(imm >> 32)), false);
	a->v = d;
}

/* Moves the known summands of an address to the offset. */
static ir_val split_known_offset(const struct select *s, ir_val at, int64_t *imm)
{
	const struct ir_inst *d = ir_def(s->ir, at);
	uint64_t value;

	for (uint32_t k = 0; d->op == IR_ADD && k < 2; k++)
		if (sel_is_known(s, d->args[k], &value)) {
			*imm += (int64_t)value;
			return split_known_offset(s, d->args[1 - k], imm);
		}
	return at;
}

static struct mem_address build_address(struct select *s)
{
	const struct ir_inst *in = s->in;
	struct mem_address a = {.v = gcn_none(), .base = gcn_none()};
	int64_t imm = (int64_t)in->imm;
	bool small = imm >= -2048 && imm < 2048;

	switch (in->space) {
	case IR_SHARED:
	case IR_LOCAL:
		a.kind = in->space == IR_SHARED ? S_SHARED : S_LOCAL;
		if (!in->nargs && in->space == IR_LOCAL && small && imm >= 0) {
			a.offset = (int32_t)imm;
			return a;
		}
		if (in->nargs) {
			ir_val at = in->space == IR_SHARED ? split_known_offset(s, ARG(0), &imm)
							   : ARG(0);

			a.v = sel_vector(s, sel_word(s, at, 0), 1);
		} else {
			a.v = sel_constant(s, GCN_VECTOR, 0, 1);
		}
		/*
		 * Scratch addresses below 0 are invalid, so the register alone must not be negative
		 * either.
		 */
		fold_offset(s, &a, imm, 0, in->space == IR_SHARED ? 65535 : 2047);
		return a;
	case IR_GENERIC_SPACE:
		a.kind = S_FLAT;
		a.v = in->nargs ? sel_vector_value(s, ARG(0)) : sel_constant(s, GCN_VECTOR, 0, 2);
		fold_offset(s, &a, imm, 0, 2047);
		return a;
	default:
		a.kind = S_GLOBAL;
		if (in->nargs && small && in->space != IR_PARAM && split_address(s, ARG(0), &a)) {
			a.offset = (int32_t)imm;
			return a;
		}
		if (in->nargs && small && in->space != IR_PARAM && s->scalar[ARG(0)] &&
		    ir_def(s->ir, ARG(0))->op != IR_CONST) {
			a.base = sel_pair(s, ARG(0));
			a.v = sel_constant(s, GCN_VECTOR, 0, 1);
			a.offset = (int32_t)imm;
			return a;
		}
		a.v = in->nargs ? sel_vector_value(s, ARG(0)) : sel_constant(s, GCN_VECTOR, 0, 2);
		if (in->space == IR_PARAM) {
			struct gcn_src d = sel_temp(s, GCN_VECTOR, 2), k = select_kernarg(s);

			sel_add64(s, d, a.v,
				  in->nargs && s->ir->values[ARG(0)].type == IR_B64
					  ? sel_part(a.v, 1)
					  : gcn_imm(0),
				  k, sel_vector(s, sel_part(k, 1), 1), false);
			a.v = d;
		}
		fold_offset(s, &a, imm, -2048, 2047);
		return a;
	}
}

static struct gcn_inst *emit_access(struct select *s, const struct mem_address *a,
				    const uint16_t ops[4], int32_t further)
{
	struct gcn_inst *i = sel_emit(s, ops[a->kind], AMD_PLAIN);

	gcn_set_operand(s->f, i, AMD_S0, a->v.ref.vreg ? a->v : gcn_reg(AMD_VGPR));
	if (a->kind == S_GLOBAL)
		gcn_set_operand(s->f, i, AMD_S2, a->base.ref.vreg ? a->base : gcn_reg(AMD_NULL));
	else if (a->kind == S_LOCAL)
		gcn_set_operand(s->f, i, AMD_S2, gcn_reg(a->v.ref.vreg ? AMD_NULL : AMD_EXEC_HI));
	i->in.field[AMD_F_OFFSET] = a->offset + further;
	return i;
}

#define KINDS(name, ds) {AMD_global_##name, ds, AMD_scratch_##name, AMD_flat_##name}
static const uint16_t load_ops[][4] = {
	KINDS(load_ubyte, AMD_ds_read_u8),    KINDS(load_sbyte, AMD_ds_read_i8),
	KINDS(load_ushort, AMD_ds_read_u16),  KINDS(load_sshort, AMD_ds_read_i16),
	KINDS(load_dword, AMD_ds_read_b32),   KINDS(load_dwordx2, AMD_ds_read_b64),
	KINDS(load_dwordx3, AMD_ds_read_b96), KINDS(load_dwordx4, AMD_ds_read_b128)};
static const uint16_t store_ops[][4] = {
	KINDS(store_byte, AMD_ds_write_b8),     KINDS(store_byte, AMD_ds_write_b8),
	KINDS(store_short, AMD_ds_write_b16),   KINDS(store_short, AMD_ds_write_b16),
	KINDS(store_dword, AMD_ds_write_b32),   KINDS(store_dwordx2, AMD_ds_write_b64),
	KINDS(store_dwordx3, AMD_ds_write_b96), KINDS(store_dwordx4, AMD_ds_write_b128)};

/* The number of words per access: LDS and flat accesses need alignment. */
static uint32_t access_words(const struct mem_address *a, uint32_t left, uint32_t align,
			     uint32_t at)
{
	uint32_t max = left < 4 ? left : 4;

	if (a->kind != S_SHARED && a->kind != S_FLAT)
		return max;
	while (max > 1 && (max == 3 || align < 4 * max || at % max))
		max--;
	return max;
}

/* ---- memory ordering ---- */

static void emit_wait_all(struct select *s)
{
	struct gcn_inst *i = sel_emit(s, AMD_s_waitcnt, AMD_PLAIN);

	i->in.field[AMD_F_IMM] = 0x70; /* vmcnt 0, expcnt 7, lgkmcnt 0 */
	i = sel_emit(s, AMD_s_waitcnt_vscnt, AMD_PLAIN);
	gcn_set_operand(s->f, i, AMD_D, gcn_reg(AMD_NULL));
	i->in.field[AMD_F_IMM] = 0;
}

/* L1 first: otherwise L0 may refill from stale lines of L1 (llc 19 uses this order). */
static void emit_cache_invalidate(struct select *s)
{
	sel_emit(s, AMD_buffer_gl1_inv, AMD_PLAIN);
	sel_emit(s, AMD_buffer_gl0_inv, AMD_PLAIN);
}

static bool is_device_scope(const struct ir_inst *in)
{
	return in->scope != IR_SCOPE_CTA && in->scope != IR_SCOPE_NONE;
}

static void emit_release(struct select *s)
{
	if (s->in->order == IR_RELEASE || s->in->order == IR_ACQ_REL || s->in->order == IR_SEQ_CST)
		emit_wait_all(s);
}

static void emit_acquire(struct select *s)
{
	if (s->in->order != IR_ACQUIRE && s->in->order != IR_ACQ_REL && s->in->order != IR_SEQ_CST)
		return;
	emit_wait_all(s);
	if (is_device_scope(s->in))
		emit_cache_invalidate(s);
}

/* Strong and volatile loads bypass L0 and L1. */
static void set_cache_policy(struct select *s, struct gcn_inst *i, const struct mem_address *a,
			     bool load)
{
	bool shared_with_others = s->in->flags & IR_VOLATILE || s->in->order > IR_WEAK;

	if (a->kind == S_SHARED || a->kind == S_LOCAL || !shared_with_others || !load)
		return;
	i->in.field[AMD_F_GLC] = i->in.field[AMD_F_DLC] = 1;
}

/* ---- loads and stores ---- */

static void load_narrow(struct select *s, const struct mem_address *a)
{
	bool sign = s->in->flags & IR_SEXT_MEM;
	uint32_t bytes = mem_bytes(s->in), words = sel_words(s->in->type);

	for (uint32_t k = 0; k < s->in->nres; k++) {
		struct gcn_src t = sel_temp(s, GCN_VECTOR, 1);
		struct gcn_inst *i =
			emit_access(s, a, load_ops[2 * (bytes - 1) + sign], (int32_t)(k * bytes));

		gcn_set_operand(s->f, i, AMD_D, t);
		set_cache_policy(s, i, a, true);
		sel_move(s, sel_result(s, k, 0), t, 1);
		if (words == 2 && sign)
			sel_op(s, SEL_SHR_S, sel_result(s, k, 1), t, gcn_imm(31));
		else if (words == 2)
			sel_move(s, sel_result(s, k, 1), gcn_imm(0), 1);
	}
}

/* Results up to the last one in use: a fourth component is often padding. */
static uint32_t loaded_results(const struct select *s)
{
	uint32_t count = s->in->nres;

	if (s->in->flags & IR_VOLATILE || s->in->order > IR_WEAK)
		return count;
	while (count > 1 && !s->uses[s->in->res + count - 1])
		count--;
	return count;
}

static void select_load(struct select *s)
{
	uint32_t mem = mem_bytes(s->in) / 4, words = sel_words(s->in->type), all;
	struct mem_address a;
	struct gcn_src d;

	if (select_is_scalar_load(s, s->in) && s->scalar[s->in->res]) {
		select_scalar_load(s);
		return;
	}
	a = build_address(s);
	emit_release(s);
	if (mem_bytes(s->in) < 4) {
		load_narrow(s, &a);
		emit_acquire(s);
		return;
	}
	/* LDS and flat memory access two or four words at once. */
	all = mem * (a.kind == S_SHARED || a.kind == S_FLAT ? s->in->nres : loaded_results(s));
	d = s->in->nres == 1 && mem == words ? sel_result(s, 0, 0) : sel_temp(s, GCN_VECTOR, all);
	for (uint32_t at = 0, n; at < all; at += n) {
		struct gcn_inst *i;

		n = access_words(&a, all - at, s->in->align, at);
		i = emit_access(s, &a, load_ops[3 + n], (int32_t)(4 * at));
		gcn_set_operand(s->f, i, AMD_D, sel_part(d, at));
		set_cache_policy(s, i, &a, true);
	}
	emit_acquire(s);
	for (uint32_t k = 0; k < all / mem && !(s->in->nres == 1 && mem == words); k++) {
		sel_move(s, sel_result(s, k, 0), sel_part(d, k * mem), mem);
		if (words > mem && s->in->flags & IR_SEXT_MEM)
			sel_op(s, SEL_SHR_S, sel_result(s, k, 1), sel_part(d, k * mem),
			       gcn_imm(31));
		else if (words > mem)
			sel_move(s, sel_result(s, k, 1), gcn_imm(0), 1);
	}
}

static void select_store(struct select *s)
{
	uint32_t first = 1, bytes = mem_bytes(s->in), mem = bytes / 4, count = s->in->nargs - first,
		 all = mem * count;
	struct mem_address a = build_address(s);
	struct gcn_src d;

	emit_release(s);
	if (bytes < 4) {
		for (uint32_t k = 0; k < count; k++) {
			struct gcn_src x = sel_vector(s, sel_word(s, ARG(first + k), 0), 1);
			struct gcn_inst *i = emit_access(s, &a, store_ops[2 * (bytes - 1)],
							 (int32_t)(k * bytes));

			gcn_set_operand(s->f, i, AMD_S1, x);
		}
		return;
	}
	if (count == 1) {
		d = sel_vector_value(s, ARG(first));
	} else {
		d = sel_temp(s, GCN_VECTOR, all);
		for (uint32_t k = 0; k < all; k++)
			sel_move(s, sel_part(d, k), sel_word(s, ARG(first + k / mem), k % mem), 1);
	}
	for (uint32_t at = 0, n; at < all; at += n) {
		struct gcn_inst *i;

		n = access_words(&a, all - at, s->in->align, at);
		i = emit_access(s, &a, store_ops[3 + n], (int32_t)(4 * at));
		gcn_set_operand(s->f, i, AMD_S1, sel_part(d, at));
	}
}

static void select_fence(struct select *s)
{
	emit_wait_all(s);
	if (is_device_scope(s->in))
		emit_cache_invalidate(s);
}

bool select_memory(struct select *s)
{
	switch (s->in->op) {
	case IR_LOAD:
		select_load(s);
		return true;
	case IR_STORE:
		select_store(s);
		return true;
	case IR_FENCE:
		select_fence(s);
		return true;
	default:
		return false;
	}
}

/* ---- atomics ---- */

#define ATOM_DS(name, ds) \
	{ \
		{AMD_global_atomic_##name, AMD_ds_##ds##32, 0, AMD_flat_atomic_##name}, \
		{ \
			AMD_global_atomic_##name##_x2, AMD_ds_##ds##64, 0, \
				AMD_flat_atomic_##name##_x2 \
		} \
	}

static const uint16_t atomic_ops[IR_ATOM_COUNT][2][4] = {
	[IR_ATOM_ADD] = ATOM_DS(add, add_rtn_u),      [IR_ATOM_MIN_U] = ATOM_DS(umin, min_rtn_u),
	[IR_ATOM_MIN_S] = ATOM_DS(smin, min_rtn_i),   [IR_ATOM_MAX_U] = ATOM_DS(umax, max_rtn_u),
	[IR_ATOM_MAX_S] = ATOM_DS(smax, max_rtn_i),   [IR_ATOM_INC] = ATOM_DS(inc, inc_rtn_u),
	[IR_ATOM_DEC] = ATOM_DS(dec, dec_rtn_u),      [IR_ATOM_AND] = ATOM_DS(and, and_rtn_b),
	[IR_ATOM_OR] = ATOM_DS(or, or_rtn_b),         [IR_ATOM_XOR] = ATOM_DS(xor, xor_rtn_b),
	[IR_ATOM_EXCH] = ATOM_DS(swap, wrxchg_rtn_b),
};

/* The new value followed by the compare value, in consecutive registers. */
static struct gcn_src cas_operands(struct select *s, uint32_t words)
{
	struct gcn_src d = sel_temp(s, GCN_VECTOR, 2 * words);

	for (uint32_t w = 0; w < words; w++) {
		sel_move(s, sel_part(d, w), sel_word(s, ARG(2), w), 1);
		sel_move(s, sel_part(d, words + w), sel_word(s, ARG(1), w), 1);
	}
	return d;
}

bool select_atomic(struct select *s)
{
	static const uint16_t cas[2][4] = {
		{AMD_global_atomic_cmpswap, AMD_ds_cmpst_rtn_b32, 0, AMD_flat_atomic_cmpswap},
		{AMD_global_atomic_cmpswap_x2, AMD_ds_cmpst_rtn_b64, 0,
		 AMD_flat_atomic_cmpswap_x2}};
	bool is_cas = s->in->op == IR_CAS, wide = s->in->type == IR_B64, wanted;
	struct gcn_src x, y = gcn_none();
	struct gcn_inst *i;
	struct mem_address a;

	if (s->in->op != IR_ATOM && !is_cas)
		return false;
	if (s->in->space == IR_LOCAL) {
		sel_unsupported(s, "an atomic operation on local memory");
		return true;
	}
	if (s->in->nres > 1) {
		sel_unsupported(s, "a 128-bit atomic operation, which the hardware lacks,");
		return true;
	}
	wanted = s->uses[s->in->res];
	a = build_address(s);
	if (is_cas && a.kind != S_SHARED) {
		x = cas_operands(s, wide ? 2 : 1);
	} else {
		x = sel_vector_value(s, ARG(1));
		if (is_cas)
			y = sel_vector_value(s, ARG(2));
	}
	emit_release(s);
	i = emit_access(s, &a, is_cas ? cas[wide] : atomic_ops[s->in->sub][wide], 0);
	gcn_set_operand(s->f, i, AMD_S1, x);
	if (y.ref.vreg)
		gcn_set_operand(s->f, i, AMD_S2, y);
	if (a.kind == S_SHARED || wanted)
		gcn_set_operand(s->f, i, AMD_D, sel_result(s, 0, 0));
	else
		gcn_set_operand(s->f, i, AMD_D, gcn_reg(AMD_VGPR));
	if (a.kind != S_SHARED)
		i->in.field[AMD_F_GLC] = wanted;
	emit_acquire(s);
	return true;
}
