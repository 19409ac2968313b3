// SPDX-License-Identifier: MIT
/*
 * Instruction selection: the walk over the function, and definition of results; see select.h. A
 * 64-bit value built from two 32-bit values usually costs no moves: the registers of its halves are
 * coalesced into the units of its pair. That is always correct, since each unit has one definition;
 * only phis, which are defined on edges, and values that are already part of another pair must be
 * copied.
 */
#include <string.h>
#include "hw/nv/bank0.h"
#include "libsov/compiler/nv/select.h"
#include "libsov/isa/mma.h"
#include "libsov/isa/mma_group.h"

/* Maximum size of a thread's local memory, and the alignment of its top. */
#define MAX_LOCAL       (512u << 10)
#define MAX_LOCAL_ALIGN 16

static select_rule *const rules[IR_OP_COUNT] = {
	[IR_SREG] = select_sreg,
	[IR_ADD] = select_add,
	[IR_SUB] = select_sub,
	[IR_MUL] = select_mul,
	[IR_MAD] = select_mul,
	[IR_MULHI_U] = select_mulhi,
	[IR_MULHI_S] = select_mulhi,
	[IR_MULWIDE_U] = select_mulwide,
	[IR_MULWIDE_S] = select_mulwide,
	[IR_POPC] = select_popc,
	[IR_CLZ] = select_clz,
	[IR_BREV] = select_brev,
	[IR_MIN_U] = select_minmax,
	[IR_MIN_S] = select_minmax,
	[IR_MAX_U] = select_minmax,
	[IR_MAX_S] = select_minmax,
	[IR_NEG] = select_neg,
	[IR_AND] = select_logic,
	[IR_OR] = select_logic,
	[IR_XOR] = select_logic,
	[IR_NOT] = select_logic,
	[IR_SHL] = select_shift,
	[IR_SHR_U] = select_shift,
	[IR_SHR_S] = select_shift,
	[IR_ICMP] = select_icmp,
	[IR_SELECT] = select_select,
	[IR_ZEXT] = select_zext,
	[IR_SEXT] = select_sext,
	[IR_TRUNC] = select_trunc,
	[IR_PACK] = select_pack,
	[IR_UNPACK] = select_unpack,
	[IR_FADD] = select_fadd,
	[IR_FMUL] = select_fmul,
	[IR_FMA] = select_fma,
	[IR_FNEG] = select_fsign,
	[IR_FABS] = select_fsign,
	[IR_FMIN] = select_fminmax,
	[IR_FMAX] = select_fminmax,
	[IR_FCMP] = select_fcmp,
	[IR_FCHK] = select_fchk,
	[IR_UTOF] = select_itof,
	[IR_STOF] = select_itof,
	[IR_FTOU] = select_ftoi,
	[IR_FTOS] = select_ftoi,
	[IR_FTOF] = select_ftof,
	[IR_FROUND] = select_fround,
	[IR_APPROX] = select_approx,
	[IR_ALLOCA] = select_stack,
	[IR_STACKSAVE] = select_stack,
	[IR_STACKRESTORE] = select_stack,
	[IR_LOAD] = select_load,
	[IR_STORE] = select_store,
	[IR_ATOM] = select_atom,
	[IR_CAS] = select_cas,
	[IR_FENCE] = select_fence,
	[IR_TOSPACE] = select_space,
	[IR_GENERIC] = select_space,
	[IR_INSPACE] = select_inspace,
	[IR_ADDR] = select_addr,
	[IR_SHUFFLE] = select_shuffle,
	[IR_VOTE] = select_vote,
	[IR_MATCH_ANY] = select_match,
	[IR_MATCH_ALL] = select_match,
	[IR_REDUCE] = select_reduce,
	[IR_ACTIVE] = select_active,
	[IR_WARPSYNC] = select_warpsync,
	[IR_BARRIER] = select_barrier,
	[IR_CLUSTER_BARRIER] = select_cluster_barrier,
	[IR_BARRIER_RED] = select_barrier_red,
	[IR_CLOCK] = select_clock,
	[IR_SLEEP] = select_sleep,
	[IR_ADDC] = select_carry,
	[IR_SUBC] = select_carry,
	[IR_PERMUTE] = select_permute,
	[IR_LOGIC3] = select_logic3,
	[IR_DOT] = select_dot,
	[IR_ARG] = select_arg,
	[IR_CALL] = select_call,
	[IR_CALLPTR] = select_call,
	[IR_FUNCADDR] = select_funcaddr,
	[IR_ABSDIFF4] = select_absdiff4,
	[IR_COPYASYNC] = select_copy,
	[IR_COPYCOMMIT] = select_copy_commit,
	[IR_COPYWAIT] = select_copy_wait,
	[IR_MBARRIER_INIT] = select_mbarrier_init,
	[IR_MBARRIER_INVAL] = select_mbarrier_inval,
	[IR_MBARRIER_ARRIVE] = select_mbarrier_arrive,
	[IR_MBARRIER_TEST] = select_mbarrier_test,
	[IR_MBARRIER_PENDING] = select_mbarrier_pending,
	[IR_COPYARRIVE] = select_copy_arrive,
	[IR_MBARRIER_REMOTE] = select_mbarrier_arrive,
	[IR_STOREASYNC] = select_store_async,
	[IR_REDASYNC] = select_red_async,
	[IR_GRIDWAIT] = select_grid_wait,
	[IR_GIVE_REGISTERS] = select_give_registers,
	[IR_TAKE_REGISTERS] = select_take_registers,
	[IR_BULKCOPY] = select_bulk_copy,
	[IR_TENSORCOPY] = select_tensor_copy,
	[IR_MAPACQUIRE] = select_map_control,
	[IR_MAPPREFETCH] = select_map_control,
	[IR_BULKREDUCE] = select_bulk_reduce,
	[IR_BULKCOMMIT] = select_copy_commit,
	[IR_BULKWAIT] = select_copy_wait,
	[IR_FENCEASYNC] = select_fence_async,
	[IR_SAMPLE] = select_sample,
	[IR_GATHER4] = select_sample,
	[IR_TEXQUERY] = select_texture_query,
	[IR_SURFLOAD] = select_surface_load,
	[IR_SURFSTORE] = select_surface_store,
	[IR_SURFREDUCE] = select_surface_reduce,
	[IR_MMA] = select_mma,
	[IR_MMA_GROUP] = select_mma_group,
	[IR_MMA_GROUP_COMMIT] = select_group_commit,
	[IR_MMA_GROUP_WAIT] = select_group_wait,
	[IR_LOADMATRIX] = select_loadmatrix,
};

/* Instructions. */

struct mir_source new_temp(struct select *s, uint8_t kind, uint32_t units)
{
	return mir_reg(kind, (struct mir_ref){mir_vreg_new(s->f, kind, units), 0});
}

struct mir_source subreg(struct mir_source s, uint32_t part)
{
	s.ref.part = (uint8_t)(s.ref.part + part);
	return s;
}

struct mir_inst *emit(struct select *s, enum sass_op op, const struct mir_source *ops, uint32_t n)
{
	struct mir_inst *i = mir_inst_new(s->f, op);

	for (uint32_t k = 0; k < n; k++)
		mir_set_operand(i, k, ops[k]);
	i->line = s->line;
	mir_insert(s->f, s->block, s->anchor, i);
	return i;
}

/* Results. */

bool is_needed(const struct select *s, ir_val v, uint8_t need)
{
	return s->values[v].need & need;
}

struct mir_source result(struct select *s, ir_val v)
{
	return mir_reg(type_of(s, v) == IR_B1 ? SASS_PRED : SASS_GPR, value_ref(s, v, 0));
}

struct mir_source result_half(struct select *s, ir_val v, uint32_t half)
{
	return subreg(result(s, v), half);
}

/* Follows the aliases of a coalesced register. */
static struct mir_ref resolve_alias(const struct mir_func *f, struct mir_ref r)
{
	while (r.vreg && f->vregs[r.vreg].alias.vreg) {
		struct mir_ref to = f->vregs[r.vreg].alias;

		r = (struct mir_ref){to.vreg, (uint8_t)(to.part + r.part)};
	}
	return r;
}

/* Coalesces a whole register of the given number of units into units of another register. */
static bool coalesce_regs(struct mir_func *f, struct mir_ref r, uint32_t units, struct mir_ref with)
{
	struct mir_ref root = resolve_alias(f, r), to = resolve_alias(f, with);
	struct mir_vreg *v = &f->vregs[root.vreg];

	if (root.vreg == to.vreg)
		return root.part == to.part;
	if (!root.vreg || root.part || v->phi || v->units != units || to.part % units ||
	    to.part + units > f->vregs[to.vreg].units)
		return false;
	v->alias = to;
	return true;
}

static bool is_plain_reg(const struct arg *a)
{
	return is_reg(a) && a->src.ref.vreg && !a->src.op.flags;
}

/* Defines the unit by a. A pair is coalesced as a whole if its other half is the next word,
 * which is then in position already. */
static void define_unit(struct select *s, struct mir_source unit, const struct arg *a,
			const struct arg *next)
{
	struct mir_ref root = resolve_alias(s->f, a->src.ref);
	uint32_t units = 1;

	if (is_plain_reg(a) && next && is_plain_reg(next)) {
		struct mir_ref other = resolve_alias(s->f, next->src.ref);

		if (other.vreg == root.vreg && !root.part && other.part == 1)
			units = 2;
	}
	if (!is_plain_reg(a) || !coalesce_regs(s->f, a->src.ref, units, unit.ref))
		EMIT(s, MOV, unit, a->src);
}

void define_half(struct select *s, ir_val v, uint32_t half, struct arg a)
{
	define_unit(s, result_half(s, v, half), &a, NULL);
}

/* Whether the words are consecutive and aligned in one register already. */
static bool is_vector(const struct select *s, const struct arg *words, uint32_t count)
{
	struct mir_ref first = resolve_alias(s->f, words[0].src.ref);

	for (uint32_t k = 0; k < count; k++) {
		struct mir_ref r = resolve_alias(s->f, words[k].src.ref);

		if (!is_plain_reg(&words[k]) || r.vreg != first.vreg || r.part != first.part + k)
			return false;
	}
	return count > MIR_MAX_UNITS ? !first.part && s->f->vregs[first.vreg].units == count
				     : (count == 2 || count == 4) && first.part % count == 0;
}

struct mir_source in_vector(struct select *s, const struct arg *words, uint32_t count)
{
	struct mir_source vector;

	if (is_vector(s, words, count))
		return words[0].src;
	vector = new_temp(s, SASS_GPR, count == 3 ? 4 : count);

	for (uint32_t k = 0; k < count; k++)
		define_unit(s, subreg(vector, k), &words[k],
			    k % 2 || k + 1 == count ? NULL : &words[k + 1]);
	return vector;
}

/* Lets the instruction define the register that result k was coalesced into. It must define all
 * of that register: a vector for a store may hold one of the results next to another value. */
static bool coalesce_result(struct select *s, const struct ir_inst *in, uint32_t k, uint32_t units,
			    struct mir_source vector)
{
	struct mir_ref root = resolve_alias(s->f, s->values[in->res + k].ref);
	struct mir_ref made = subreg(vector, k * units).ref;
	uint32_t all = s->f->vregs[root.vreg].units;

	for (uint32_t at = 0, n = k; root.vreg != made.vreg && at < all; at += units, n++) {
		struct mir_ref r = {0};

		if (n < in->nres)
			r = resolve_alias(s->f, s->values[in->res + n].ref);
		if (r.vreg != root.vreg || r.part != at)
			return false;
	}
	return coalesce_regs(s->f, root, all, made);
}

void define_results(struct select *s, const struct ir_inst *in, struct mir_source vector)
{
	uint32_t units = in->type == IR_B64 ? 2 : 1;

	for (uint32_t k = 0; k < in->nres; k++) {
		struct mir_ref r = s->values[in->res + k].ref;

		if (!r.vreg)
			s->values[in->res + k].ref = subreg(vector, k * units).ref;
		else if (!coalesce_result(s, in, k, units, vector))
			for (uint32_t u = 0; u < units; u++)
				EMIT(s, MOV, result_half(s, in->res + k, u),
				     subreg(vector, k * units + u));
	}
}

/* The function. */

static void count_uses(struct select *s)
{
	ir_for_each_block(s->ir, b)
		ir_for_each_inst(s->ir, b, i) {
			const struct ir_inst *in = ir_at(s->ir, i);

			for (uint32_t k = 0; k < in->nargs; k++)
				s->values[in->args[k]].uses++;
			if (in->op == IR_PACK)
				s->values[in->args[0]].packed = in->res;
		}
}

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return align ? (at + align - 1) / align * align : at;
}

static const struct ir_func *callee_of(const struct ir_func *f, const struct ir_inst *in)
{
	return in->op == IR_CALL || in->op == IR_CALLPTR ? f->module->table[in->symbol] : NULL;
}

/* Whether a function that it calls uses the stack, or may use it. */
static bool calls_use_stack(const struct nv_module *n, const struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_func *callee = callee_of(f, ir_at(f, i));
			const struct nv_callee *known =
				callee ? nv_known_callee(n, callee->index) : NULL;

			if (callee && (!known || known->uses_stack))
				return true;
		}
	return false;
}

/* Bytes of call slots at the bottom of the frame. */
static uint32_t call_slots_size(const struct nv_module *n, const struct ir_func *f)
{
	uint32_t max_bytes = 0;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_func *callee = callee_of(f, ir_at(f, i));
			uint32_t bytes = callee ? nv_call_slot_bytes(n, callee) : 0;

			max_bytes = bytes > max_bytes ? bytes : max_bytes;
		}
	return max_bytes;
}

/* Local variables that the function names, above the call slots. */
static bool layout_local(struct select *s, const bool *used)
{
	const struct ir_module *m = s->ir->module;
	struct mir_func *f = s->f;
	uint64_t at = f->call_bytes = call_slots_size(s->module, s->ir);

	f->has_alloca = ir_has_dynamic_frame(s->ir);
	if (f->has_alloca) {
		f->dynamic_end_at = (uint32_t)(at = align_up(at, 4));
		at += 4;
	}
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct ir_symbol *symbol = &m->symbols[k];

		if (!used[k] || symbol->space != IR_LOCAL || symbol->owner != s->ir)
			continue;
		if (symbol->align > MAX_LOCAL_ALIGN) {
			diag_error(&s->job->diag, 0, 0,
				   "variable '%s' of '%s' is aligned to %u bytes; local memory is "
				   "to %u",
				   symbol->name, f->name, symbol->align, MAX_LOCAL_ALIGN);
			return false;
		}
		at = align_up(at, symbol->align);
		f->symbol_offset[k] = (uint32_t)at;
		f->local_align = symbol->align > f->local_align ? symbol->align : f->local_align;
		at += symbol->size;
		if (at > MAX_LOCAL) {
			diag_error(&s->job->diag, 0, 0,
				   "'%s' needs %llu bytes of local memory up to variable '%s'; a "
				   "thread has at most %u",
				   f->name, (unsigned long long)at, symbol->name, MAX_LOCAL);
			return false;
		}
	}
	f->stack = at || s->ir->kind == IR_FUNCTION || calls_use_stack(s->module, s->ir);
	f->frame_bytes = (uint32_t)at;
	return true;
}

static bool layout_shared_variable(struct select *s, uint32_t k, uint64_t *at)
{
	const struct ir_symbol *symbol = &s->ir->module->symbols[k];
	struct mir_func *f = s->f;

	*at = align_up(*at, symbol->align);
	f->symbol_offset[k] = (uint32_t)*at;
	f->shared = true;
	if (symbol->align > f->shared_align)
		f->shared_align = symbol->align;
	if (!symbol->external)
		*at += symbol->size;
	if (*at <= s->job->target->max_shared_bytes)
		return true;
	diag_error(
		&s->job->diag, 0, 0,
		"kernel '%s' needs %llu bytes of shared memory up to variable '%s'; a block of %s "
		"has %u",
		f->name, (unsigned long long)*at, symbol->name, s->job->target->name,
		s->job->target->max_shared_bytes);
	return false;
}

/* Shared variables: first those at the same offset in all kernels, then those that only this
 * kernel names, last the one of dynamic size. */
static bool layout_shared(struct select *s, const bool *used)
{
	const struct ir_module *m = s->ir->module;
	const bool *common = s->module->common;
	uint64_t at = s->f->sm >= 90 ? NV_SM90_RESERVED_SHARED : 0;

	s->f->shared_align = 4;
	for (int group = 0; group < 3; group++) {
		for (uint32_t k = 0; k < m->nsymbols; k++) {
			const struct ir_symbol *symbol = &m->symbols[k];

			if (symbol->space != IR_SHARED || (!used[k] && !common[k]) ||
			    group != (symbol->external ? 2 : !common[k]))
				continue;
			if (!layout_shared_variable(s, k, &at))
				return false;
		}
	}
	s->f->shared_bytes = (uint32_t)at;
	return true;
}

static bool layout_variables(struct select *s)
{
	uint32_t nsymbols = s->ir->module->nsymbols;
	struct mir_func *f = s->f;
	bool *used = arena_array(f->arena, nsymbols + 1, sizeof(*used));

	f->symbol_offset = arena_array(f->arena, nsymbols + 1, sizeof(*f->symbol_offset));
	memcpy(f->symbol_offset, s->module->plan->offset, nsymbols * sizeof(*f->symbol_offset));
	ir_for_each_block(s->ir, b)
		ir_for_each_inst(s->ir, b, i) {
			const struct ir_inst *in = ir_at(s->ir, i);

			if (in->op == IR_ADDR)
				used[in->symbol] = true;
			/* A kernel that uses the reserved part alone needs it as well. */
			f->shared |= in->op == IR_SREG && in->sub >= IR_RESERVED_SMEM &&
				     in->sub <= IR_RESERVED_SMEM_CAP;
		}
	return layout_local(s, used) && layout_shared(s, used);
}

/* Blocks keep their numbers; unreachable ones are left out of the layout. */
static void make_blocks(struct select *s)
{
	struct mir_func *f = s->f;
	uint32_t *tail = &f->entry, last = 0;

	f->nblocks = s->ir->nblocks;
	f->blocks = arena_grow(f->arena, NULL, &f->blocks_capacity, f->nblocks, sizeof(*f->blocks));
	memset(f->blocks, 0, f->nblocks * sizeof(*f->blocks));
	ir_for_each_block(s->ir, b) {
		const struct ir_bb *from = &s->ir->blocks[b];
		struct mir_block *to = &f->blocks[b];

		if (s->cfg->rpo_index[b] == UINT32_MAX)
			continue;
		*tail = b;
		tail = &to->next;
		to->previous = last;
		last = b;
		to->depth = s->cfg->loop_depth[b];
		to->nsucc = from->nsucc;
		to->succ = arena_grow(f->arena, NULL, &to->succ_capacity, 2, sizeof(*to->succ));
		memcpy(to->succ, from->succ, sizeof(from->succ));
		to->npreds = from->npreds;
		to->preds = arena_grow(f->arena, NULL, &to->preds_capacity, from->npreds + 1,
				       sizeof(*to->preds));
		if (from->npreds)
			memcpy(to->preds, from->preds, from->npreds * sizeof(*to->preds));
	}
	f->blocks[0].previous = last;
}

/* Adds the arguments of a phi, from a unit of its register on. */
static void set_phi_args(struct select *s, struct mir_phi *phi, const struct ir_inst *in,
			 uint32_t first, uint32_t all)
{
	uint32_t units = in->type == IR_B64 ? 2 : 1;

	for (uint32_t k = 0; k < in->nargs; k++) {
		for (uint32_t u = 0; u < units; u++)
			phi->args[k * all + first + u] = in->type == IR_B1
								 ? arg_pred(s, in->args[k])
								 : arg_half(s, in->args[k], u).src;
	}
}

static struct mir_phi *find_phi(const struct mir_block *block, uint32_t vreg)
{
	for (uint32_t k = 0; k < block->nphis; k++)
		if (block->phis[k].vreg == vreg)
			return &block->phis[k];
	return NULL;
}

static void make_phi(struct select *s, ir_block b, const struct ir_inst *in)
{
	struct mir_block *block = &s->f->blocks[b];
	struct mir_ref r = value_ref(s, in->res, NEED_PAIR);
	uint32_t units = s->f->vregs[r.vreg].units;
	struct mir_phi *phi = find_phi(block, r.vreg); /* of another part of the register */

	if (!phi) {
		phi = &block->phis[block->nphis++];
		phi->vreg = r.vreg;
		phi->args = arena_array(s->f->arena, in->nargs * units, sizeof(*phi->args));
	}
	set_phi_args(s, phi, in, r.part, units);
}

/* Phis first: their arguments must be recorded as needed before any block is selected. */
static void make_phis(struct select *s)
{
	nv_group_phis(s);
	mir_for_each_block(s->f, b) {
		uint32_t count = 0;

		ir_for_each_inst(s->ir, b, i)
			count += ir_at(s->ir, i)->op == IR_PHI;
		s->f->blocks[b].phis = arena_array(s->f->arena, count + 1, sizeof(struct mir_phi));
		ir_for_each_inst(s->ir, b, i)
			if (ir_at(s->ir, i)->op == IR_PHI && s->values[ir_at(s->ir, i)->res].uses)
				make_phi(s, b, ir_at(s->ir, i));
	}
}

static void select_terminator(struct select *s, const struct ir_inst *in)
{
	struct mir_block *block = &s->f->blocks[s->block];

	s->line = block->line = in->line;
	switch (in->op) {
	case IR_CBR:
		block->end = MIR_END_BRANCH;
		block->cond = arg_pred(s, in->args[0]);
		block->divergent = s->divergence->branch[s->block];
		break;
	case IR_RET:
		if (s->ir->kind == IR_FUNCTION) {
			block->end = MIR_END_RETURN;
			s->anchor = NULL;
			select_return(s, in);
			break;
		}
		block->end = MIR_END_EXIT;
		break;
	case IR_EXIT:
		block->end = MIR_END_EXIT;
		break;
	case IR_TRAP:
		block->end = MIR_END_TRAP;
		break;
	default:
		block->end = MIR_END_JUMP;
		break;
	}
}

static bool has_effect(const struct ir_inst *in)
{
	uint8_t properties = ir_ops[in->op].properties;

	if (properties & P_WRITE)
		return true;
	return properties & P_READ && (in->flags & IR_VOLATILE || in->order > IR_RELAXED);
}

/* As opposed to operations whose result is always a pair. */
static bool is_computed_by_halves(uint8_t op)
{
	return op < IR_FADD || op == IR_FNEG || op == IR_FABS;
}

/* Materialises a constant before all loops. Blocks above are selected later, so the instruction
 * ends up at their end. */
static void define_constant(struct select *s, ir_val v, uint32_t half, struct arg a)
{
	ir_block here = s->block;
	struct mir_inst *anchor = s->anchor;

	while (s->cfg->loop_depth[s->block])
		s->block = s->cfg->idom[s->block];
	if (s->block != here)
		s->anchor = s->f->blocks[s->block].first;
	define_half(s, v, half, a);
	s->block = here;
	s->anchor = anchor;
}

/* A pair is occupied from the first definition of a half, so a constant half of a value that varies
 * in a loop is not defined before the loop. */
static bool is_constant(const struct select *s, ir_val v)
{
	for (uint32_t half = 0; half < 2; half++)
		if (s->values[v].need & 1 << half && !is_constant_half(s, v, half))
			return false;
	return true;
}

/* Defines the halves of a result that need no instruction; true if others remain. */
static bool define_free_halves(struct select *s, ir_val v)
{
	struct value *value = &s->values[v];
	bool constant = is_constant(s, v);

	/* Only the low half is used, so only that is computed. */
	if (value->need == NEED_LOW && is_computed_by_halves(ir_def(s->ir, v)->op) &&
	    !value->ref.part && s->f->vregs[value->ref.vreg].units == 2)
		s->f->vregs[value->ref.vreg].units = 1;
	for (uint32_t half = 0; half < 2 && type_of(s, v) != IR_B1; half++) {
		struct arg a;

		if (!(value->need & 1 << half) || !is_free_half(s, v, half))
			continue;
		a = arg_half(s, v, half);
		if (!constant)
			define_half(s, v, half, a);
		else
			define_constant(s, v, half, a);
		value->need &= (uint8_t)~(1 << half);
	}
	return value->need;
}

static bool select_inst(struct select *s, ir_id id)
{
	const struct ir_inst *in = ir_at(s->ir, id);
	bool more = has_effect(in);

	if (in->op == IR_PHI)
		return true;
	if (in->nres && s->values[in->res].words.vreg)
		more = true;
	s->line = in->line;
	s->anchor = s->f->blocks[s->block].first;
	for (uint32_t k = 0; k < in->nres; k++) {
		s->values[in->res + k].selected = true;
		more |= define_free_halves(s, in->res + k);
	}
	if (!more || (rules[in->op] && rules[in->op](s, in)))
		return true;
	diag_error(&s->job->diag, in->line, 0, "kernel '%s': '%s' is not supported on %s yet",
		   s->f->name, ir_text_inst(s->ir, id), s->job->target->name);
	return false;
}

static bool select_blocks(struct select *s)
{
	bool good = true;

	for (uint32_t r = s->cfg->nrpo; r-- > 0;) {
		ir_id last = s->ir->blocks[s->cfg->rpo[r]].last;

		s->block = s->cfg->rpo[r];
		select_terminator(s, ir_at(s->ir, last));
		for (ir_id i = ir_at(s->ir, last)->prev; i; i = ir_at(s->ir, i)->prev)
			good &= select_inst(s, i);
	}
	return good;
}

static void resolve_source(const struct mir_func *f, struct mir_source *src)
{
	src->ref = resolve_alias(f, src->ref);
}

/* Replaces coalesced registers by their aliases. */
static void resolve_aliases(struct mir_func *f)
{
	mir_for_each_block(f, b) {
		struct mir_block *block = &f->blocks[b];

		for (uint32_t p = 0; p < block->nphis; p++) {
			uint32_t n = block->npreds * f->vregs[block->phis[p].vreg].units;

			for (uint32_t k = 0; k < n; k++)
				resolve_source(f, &block->phis[p].args[k]);
		}
		resolve_source(f, &block->cond);
		mir_for_each(f, b, i) {
			for (uint32_t k = 0; k < i->sass.nops; k++)
				i->ref[k] = resolve_alias(f, i->ref[k]);
			i->guard = resolve_alias(f, i->guard);
		}
	}
}

/* Renumbers registers in code order and drops coalesced ones, so that later passes do not depend
 * on the order of their creation. */
static void renumber_ref(struct mir_func *f, struct mir_ref *r, uint32_t *numbers,
			 struct mir_vreg *old)
{
	uint32_t *number = &numbers[r->vreg];

	if (r->vreg && !*number) {
		*number = mir_vreg_new(f, old[r->vreg].kind, old[r->vreg].units);
		f->vregs[*number].phi = old[r->vreg].phi;
	}
	r->vreg = *number;
}

static void renumber_vregs(struct mir_func *f)
{
	uint32_t *numbers = arena_array(f->arena, f->nvregs, sizeof(*numbers));
	struct mir_vreg *old = f->vregs;

	f->vregs = NULL;
	f->nvregs = f->vregs_capacity = 0;
	mir_vreg_new(f, SASS_NONE, 0);
	mir_for_each_block(f, b) {
		struct mir_block *block = &f->blocks[b];

		for (uint32_t p = 0; p < block->nphis; p++) {
			struct mir_ref dst = {.vreg = block->phis[p].vreg};
			uint32_t n = block->npreds * old[dst.vreg].units;

			renumber_ref(f, &dst, numbers, old);
			block->phis[p].vreg = dst.vreg;
			for (uint32_t k = 0; k < n; k++)
				renumber_ref(f, &block->phis[p].args[k].ref, numbers, old);
		}
		mir_for_each(f, b, i) {
			for (uint32_t k = 0; k < i->sass.nops; k++)
				renumber_ref(f, &i->ref[k], numbers, old);
			renumber_ref(f, &i->guard, numbers, old);
			renumber_ref(f, &i->uniform, numbers, old);
		}
		renumber_ref(f, &block->cond.ref, numbers, old);
	}
}

/* A warp that starts with fewer registers than it is to keep would take some. */
static bool check_requests(struct select *s)
{
	uint32_t given = nv_register_requests(s->ir).given;

	s->f->start_registers = nv_start_registers(s->f->sm, s->ir);
	if (given <= s->f->start_registers)
		return true;
	diag_error(
		&s->job->diag, 0, 0,
		"kernel '%s' has a setmaxnreg.dec to %u registers and starts with %u; state fewer "
		"threads per block or blocks per multiprocessor, or keep fewer registers",
		s->ir->name, given, s->f->start_registers);
	return false;
}

struct mir_func *nv_select(const struct nv_module *module, const struct ir_func *ir, bool requests,
			   enum sum_registers sums)
{
	struct compile_job *job = module->job;
	struct mir_func *f = arena_alloc(&job->arena, sizeof(*f));
	struct select s = {.job = job, .module = module, .ir = ir, .f = f};

	*f = (struct mir_func){.job = job,
			       .arena = &job->arena,
			       .ir = ir,
			       .name = ir->name,
			       .sums = sums,
			       .sm = job->target->version,
			       .exported = nv_is_exported(job, ir),
			       .own = nv_known_callee(module, ir->index),
			       .gprs = job->options.spill
					       ? MIR_SPILL_GPRS
					       : nv_register_limit(module, ir, requests) -
							 MIR_HARDWARE_GPRS};
	if (requests && !check_requests(&s))
		return NULL;
	mir_vreg_new(f, SASS_NONE, 0); /* number 0 means none */
	s.cfg = ir_cfg_build(ir);
	s.values = arena_array(f->arena, ir->nvalues, sizeof(*s.values));
	count_uses(&s);
	if (!layout_variables(&s))
		return NULL;
	make_blocks(&s);
	make_phis(&s);
	if (f->own) {
		s.start = mir_inst_new(f, SASS_NOP);
		s.start->passes = true;
		s.start->members = MIR_ACTIVE_LANES;
	}
	s.divergence = ir_divergence_compute(ir, s.cfg);
	if (!select_blocks(&s))
		return NULL;
	define_lanes_above(&s);
	if (s.start && s.start->sass.nops)
		mir_insert(f, f->entry, f->blocks[f->entry].first, s.start);
	resolve_aliases(f);
	renumber_vregs(f);
	return f;
}
