// SPDX-License-Identifier: MIT
/*
 * The interpreter's memory. The variables of a state space are laid out from address 0 on; a flag
 * marks each byte of shared and local memory that was written. Global memory belongs to the caller,
 * who provides it by a callback; the module's global variables have addresses far from it. A
 * generic address is a global address, or an address in the window of another space.
 */
#include <string.h>
#include "libsov/compiler/ir/cluster.h"
#include "libsov/compiler/ir/eval.h"
#include "libsov/compiler/interp/interp_state.h"

#define WINDOW(n)       ((uint64_t)(n) << 56)
#define WINDOW_BYTES    (UINT64_C(1) << 32)
#define RESERVED_SHARED 1024
#define MAX_SPACE_BYTES (UINT64_C(1) << 24) /* of variables; real kernels stay below */

static const uint64_t windows[IR_SPACE_COUNT] = {[IR_SHARED] = WINDOW(1),
						 [IR_LOCAL] = WINDOW(2),
						 [IR_CONSTANT] = WINDOW(3),
						 [IR_PARAM] = WINDOW(4),
						 [IR_SHARED_CLUSTER] = WINDOW(1)};
#define GLOBAL_VARIABLES WINDOW(5)

uint64_t interp_to_generic(enum ir_space space, uint64_t address)
{
	return windows[space] + address;
}

uint64_t interp_from_generic(enum ir_space space, uint64_t address)
{
	return address - windows[space];
}

static void decode_generic(enum ir_space *space, uint64_t *address)
{
	*space = IR_GLOBAL;
	for (enum ir_space s = 0; s < IR_SPACE_COUNT; s++)
		if (windows[s] && *address - windows[s] < WINDOW_BYTES) {
			*space = s;
			*address -= windows[s];
			return;
		}
}

/* Whether an address in shared memory is in the thread's own block. */
static bool is_own(const struct interp *ip, uint64_t address)
{
	return address >> IR_CLUSTER_RANK_SHIFT == (uint64_t)(ip->block - ip->blocks);
}

/* Constants and parameters lie in global memory, so only their own bytes count. */
bool interp_in_space(const struct interp *ip, enum ir_space space, uint64_t address)
{
	enum ir_space found;

	decode_generic(&found, &address);
	if (found == IR_SHARED)
		return space == IR_SHARED_CLUSTER ||
		       (space == IR_SHARED && (ip->nblocks == 1 || is_own(ip, address)));
	return found == space &&
	       ((space != IR_CONSTANT && space != IR_PARAM) || address < ip->space_bytes[space]);
}

/* ---- layout ---- */

static bool layout_symbol(struct interp *ip, uint32_t k)
{
	const struct ir_symbol *s = &ip->f->module->symbols[k];
	uint64_t *end = s->owner ? &ip->frame_bytes[s->owner->index] : &ip->space_bytes[s->space];
	uint64_t size = s->size;

	if (s->external)
		size = ip->launch->dynamic_shared;
	if (s->align > MAX_SPACE_BYTES || size > MAX_SPACE_BYTES)
		return interp_fail(ip, NULL,
				   "variable @%s is larger than %u MiB or has a larger alignment",
				   s->name, (unsigned)(MAX_SPACE_BYTES >> 20));
	*end = (*end + s->align - 1) / s->align * s->align;
	ip->symbol_address[k] = *end + (s->space == IR_GLOBAL ? GLOBAL_VARIABLES : 0);
	/* External variables all share one address, after the others. */
	if (!s->external)
		*end += size;
	if (*end > MAX_SPACE_BYTES)
		return interp_fail(ip, NULL, "variables in %s memory have more than %u MiB",
				   ir_space_names[s->space], (unsigned)(MAX_SPACE_BYTES >> 20));
	return true;
}

static void write_initial_address(struct interp *ip, uint32_t k, const struct ir_address *a)
{
	const struct ir_module *m = ip->f->module;
	bool constant = m->symbols[k].space == IR_CONSTANT;
	uint8_t *base = constant ? ip->constant : ip->variables;
	uint64_t at = ip->symbol_address[k] - (constant ? 0 : GLOBAL_VARIABLES), address;

	if (a->function)
		address = interp_function_address(m->table[a->target]);
	else
		address = ip->symbol_address[a->target] +
			  (a->generic ? windows[m->symbols[a->target].space] : 0);
	address = (address + a->addend) >> a->shift;
	memcpy(base + at + a->offset, &address, a->bytes);
}

static bool names_reserved_shared(const struct ir_module *m)
{
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		for (ir_id i = 1; i < f->ninsts; i++)
			if (f->insts[i].op == IR_SREG && f->insts[i].sub >= IR_RESERVED_SMEM &&
			    f->insts[i].sub <= IR_RESERVED_SMEM_CAP)
				return true;
	return false;
}

bool interp_memory_init(struct interp *ip)
{
	const struct ir_module *m = ip->f->module;
	bool grows = false;

	ip->frame_bytes = arena_array(&ip->arena, m->nfuncs, sizeof(*ip->frame_bytes));
	ip->symbol_address = arena_array(&ip->arena, m->nsymbols, sizeof(*ip->symbol_address));
	for (int external = 0; external < 2; external++)
		for (uint32_t k = 0; k < m->nsymbols; k++)
			if (m->symbols[k].external == external && !layout_symbol(ip, k))
				return false;
	ip->space_bytes[IR_SHARED] += ip->launch->dynamic_shared;
	if (ip->space_bytes[IR_SHARED] > MAX_SPACE_BYTES)
		return interp_fail(ip, NULL, "%llu bytes of shared memory are too many",
				   (unsigned long long)ip->space_bytes[IR_SHARED]);
	ip->total_shared = ip->space_bytes[IR_SHARED];
	ip->reserved_shared = (ip->total_shared + 15) & ~UINT64_C(15);
	if (names_reserved_shared(m))
		ip->space_bytes[IR_SHARED] = ip->reserved_shared + RESERVED_SHARED;
	for (uint32_t k = 0; k < m->nfuncs; k++)
		grows |= m->table[k]->kind == IR_FUNCTION || ir_has_dynamic_frame(m->table[k]);
	ip->space_bytes[IR_LOCAL] =
		ip->frame_bytes[ip->f->index] + (grows ? INTERP_STACK_BYTES : 0);
	ip->space_bytes[IR_PARAM] = ip->launch->param_bytes;
	ip->constant = arena_alloc(&ip->arena, ip->space_bytes[IR_CONSTANT]);
	ip->variables = arena_alloc(&ip->arena, ip->space_bytes[IR_GLOBAL]);
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct ir_symbol *s = &m->symbols[k];
		uint64_t at = ip->symbol_address[k];

		if (s->init && s->space == IR_CONSTANT)
			memcpy(ip->constant + at, s->init, s->size);
		else if (s->init)
			memcpy(ip->variables + (at - GLOBAL_VARIABLES), s->init, s->size);
	}
	for (uint32_t k = 0; k < m->nsymbols; k++)
		for (uint32_t n = 0; n < m->symbols[k].naddresses; n++)
			write_initial_address(ip, k, &m->symbols[k].addresses[n]);
	return true;
}

void interp_memory_reset(struct interp *ip)
{
	memset(ip->block->shared_written, 0, ip->space_bytes[IR_SHARED]);
	for (uint32_t n = 0; n < ip->nthreads; n++)
		memset(ip->block->threads[n].local_written, 0, ip->space_bytes[IR_LOCAL]);
}

/* ---- accesses ---- */

/* The block whose shared memory an address names; it becomes the offset there. NULL: an error,
 * reported. */
static struct interp_block *find_block(struct interp *ip, struct interp_thread *t, bool any_block,
				       uint64_t *address)
{
	uint64_t rank = *address >> IR_CLUSTER_RANK_SHIFT;

	if (ip->nblocks == 1)
		return ip->block;
	if (!any_block && !is_own(ip, *address)) {
		interp_fail(ip, t, "the address 0x%llx is not in the block's own shared memory",
			    (unsigned long long)*address);
		return NULL;
	}
	if (rank >= ip->nblocks || !ip->blocks[rank].left) {
		interp_fail(ip, t, "the address 0x%llx is in block %llu of the cluster, which %s",
			    (unsigned long long)*address, (unsigned long long)rank,
			    rank >= ip->nblocks ? "does not exist" : "has exited");
		return NULL;
	}
	*address &= IR_CLUSTER_OFFSET_MASK;
	return &ip->blocks[rank];
}

bool interp_translate(struct interp *ip, struct interp_thread *t, enum ir_space space,
		      uint64_t address, uint32_t bytes, bool write, struct interp_location *loc)
{
	bool generic = space == IR_GENERIC_SPACE, any_block = generic || space == IR_SHARED_CLUSTER;
	struct interp_block *block = ip->block;
	struct interp_location base = {0};
	uint64_t size, at = address;
	void *host = NULL;

	if (generic)
		decode_generic(&space, &at);
	if (space == IR_SHARED_CLUSTER)
		space = IR_SHARED;
	if (space == IR_SHARED)
		block = find_block(ip, t, any_block, &at);
	if (!block)
		return false;
	size = ip->space_bytes[space];
	if (space == IR_SHARED)
		base = (struct interp_location){block->shared, block->shared_written};
	else if (space == IR_LOCAL)
		base = (struct interp_location){t->local, t->local_written};
	else if (space == IR_CONSTANT)
		base.host = ip->constant;
	else if (space == IR_PARAM)
		base.host = (uint8_t *)ip->launch->params;
	else
		base.host = ip->variables;
	if (space == IR_GLOBAL)
		at -= GLOBAL_VARIABLES;
	if (write && (space == IR_CONSTANT || space == IR_PARAM))
		return interp_fail(ip, t, "writes to %s memory", ir_space_names[space]);
	if (at <= size && bytes <= size - at) {
		loc->host = base.host + at;
		loc->written = base.written ? base.written + at : NULL;
		return true;
	}
	if (space != IR_GLOBAL || !ip->launch->memory ||
	    !ip->launch->memory(ip->launch->user, address, bytes, write, &host))
		return interp_fail(ip, t, "%s of %u bytes at 0x%llx is outside of %s memory",
				   write ? "a write" : "a read", bytes, (unsigned long long)address,
				   ir_space_names[space]);
	*loc = (struct interp_location){.host = host};
	return true;
}

static struct interp_value load_bits(const struct interp_location *loc, uint32_t offset,
				     uint32_t bytes)
{
	struct interp_value v = {.defined = true};

	memcpy(&v.bits, loc->host + offset, bytes); /* the host is little-endian, as GPUs are */
	for (uint32_t k = 0; k < bytes; k++)
		v.defined &= !loc->written || loc->written[offset + k];
	return v;
}

static void store_bits(const struct interp_location *loc, uint32_t offset, uint32_t bytes,
		       uint64_t bits)
{
	memcpy(loc->host + offset, &bits, bytes);
	if (loc->written)
		memset(loc->written + offset, true, bytes);
}

/* Atomics that apply an IR operation to the old value and the operand. */
static const uint8_t atom_ops[IR_ATOM_COUNT] = {
	[IR_ATOM_ADD] = IR_ADD,     [IR_ATOM_MIN_U] = IR_MIN_U, [IR_ATOM_MIN_S] = IR_MIN_S,
	[IR_ATOM_MAX_U] = IR_MAX_U, [IR_ATOM_MAX_S] = IR_MAX_S, [IR_ATOM_AND] = IR_AND,
	[IR_ATOM_OR] = IR_OR,       [IR_ATOM_XOR] = IR_XOR,     [IR_ATOM_FADD] = IR_FADD,
	[IR_ATOM_FMIN] = IR_FMIN,   [IR_ATOM_FMAX] = IR_FMAX};

uint64_t interp_combine(const struct ir_inst *in, uint64_t old, uint64_t operand)
{
	struct ir_inst op = {.op = atom_ops[in->sub],
			     .type = in->type,
			     .nargs = 2,
			     .round = in->round,
			     .format = in->format,
			     .flags = in->flags & IR_FTZ};
	uint64_t result = 0;

	switch (in->sub) {
	case IR_ATOM_EXCH:
		return operand;
	case IR_ATOM_INC: /* counts up to the operand and wraps to 0 */
		return old >= operand ? 0 : old + 1;
	case IR_ATOM_DEC: /* counts down to 0 and wraps to the operand */
		return !old || old > operand ? operand : old - 1;
	default:
		ir_eval(&op, (uint64_t[]){old, operand}, &result);
		return result;
	}
}

bool interp_reduce(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
		   uint64_t address, uint64_t operand)
{
	uint32_t bytes = ir_type_bits(in->type) / 8;
	struct interp_value old;
	struct interp_location loc;

	if (!interp_translate(ip, t, IR_SHARED_CLUSTER, address, bytes, true, &loc))
		return false;
	old = load_bits(&loc, 0, bytes);
	if (!old.defined)
		return interp_fail(ip, t, "an atomic operation on an undefined value");
	store_bits(&loc, 0, bytes, interp_combine(in, old.bits, operand));
	return true;
}

static bool read_modify_write(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
			      const struct interp_location *loc, uint32_t bytes)
{
	bool equal = true;

	for (uint32_t k = 0; k < in->nres; k++) {
		t->values[in->res + k] = load_bits(loc, k * bytes, bytes);
		if (!t->values[in->res + k].defined)
			return interp_fail(ip, t, "an atomic operation on an undefined value");
		equal &= t->values[in->res + k].bits == t->values[in->args[1 + k]].bits;
	}
	for (uint32_t k = 1; k < in->nargs; k++)
		if (!t->values[in->args[k]].defined)
			return interp_fail(ip, t, "an atomic operation on an undefined value");
	for (uint32_t k = 0; k < in->nres; k++) {
		uint64_t old = t->values[in->res + k].bits;

		if (in->op == IR_ATOM)
			store_bits(loc, k * bytes, bytes,
				   interp_combine(in, old, t->values[in->args[1 + k]].bits));
		else if (equal)
			store_bits(loc, k * bytes, bytes,
				   t->values[in->args[1 + in->nres + k]].bits);
	}
	return true;
}

static uint64_t extend_loaded(const struct ir_inst *in, uint64_t bits)
{
	uint32_t above = 64 - ir_type_bits(in->from);

	if (in->flags & IR_SEXT_MEM)
		bits = (uint64_t)((int64_t)(bits << above) >> above);
	return bits & UINT64_MAX >> (64 - ir_type_bits(in->type));
}

bool interp_access(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	uint32_t bytes = ir_type_bits(in->from) / 8;
	uint32_t elements = in->op == IR_STORE ? ir_data_args(in) - 1 : in->nres;
	struct interp_value base = {.defined = true};
	uint64_t address;
	struct interp_location loc = {0};

	if (!ir_address_arg(in))
		base = t->values[in->args[0]];
	address = base.bits + in->imm;
	if (!base.defined)
		return interp_fail(ip, t, "the address is undefined");
	if (address % in->align)
		return interp_fail(ip, t, "the address 0x%llx is not aligned to %u bytes",
				   (unsigned long long)address, in->align);
	if (!interp_translate(ip, t, in->space, address, bytes * elements, in->op != IR_LOAD, &loc))
		return false;
	if (in->op == IR_ATOM || in->op == IR_CAS)
		return read_modify_write(ip, t, in, &loc, bytes);
	for (uint32_t k = 0; k < elements; k++) {
		if (in->op == IR_LOAD) {
			struct interp_value v = load_bits(&loc, k * bytes, bytes);

			v.bits = extend_loaded(in, v.bits);
			t->values[in->res + k] = v;
		} else if (t->values[in->args[k + 1]].defined) {
			store_bits(&loc, k * bytes, bytes, t->values[in->args[k + 1]].bits);
		} else {
			return interp_fail(ip, t, "stores an undefined value");
		}
	}
	return true;
}

/* ---- matrices ---- */

#define ROW_BYTES 16

bool interp_check_row(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	uint64_t address = t->values[in->args[0]].bits;
	struct interp_location loc;

	if (t->index % ip->launch->warp_lanes >= 8u * in->nres)
		return true; /* no row is read from this lane's address */
	if (address % ROW_BYTES)
		return interp_fail(ip, t, "the address 0x%llx is not aligned to %u bytes",
				   (unsigned long long)address, ROW_BYTES);
	return interp_translate(ip, t, IR_SHARED, address, ROW_BYTES, false, &loc);
}

struct interp_value interp_row_element(struct interp *ip, const struct interp_thread *t,
				       const struct ir_inst *in, uint32_t k)
{
	uint64_t at = t->values[in->args[0]].bits & IR_CLUSTER_OFFSET_MASK;

	return load_bits(
		&(struct interp_location){ip->block->shared + at, ip->block->shared_written + at},
		2 * k, 2);
}

/* ---- barriers and asynchronous copies ---- */

bool interp_find_shared(struct interp *ip, struct interp_thread *t, enum ir_space space,
			uint64_t address, uint32_t bytes, uint8_t **host, bool **written)
{
	struct interp_location loc;

	if (!interp_translate(ip, t, space, address, bytes, true, &loc))
		return false;
	*host = loc.host;
	*written = loc.written;
	return true;
}

/* The data is read now and written when the thread waits for it, which is as late as possible;
 * until then the bytes are undefined. */
bool interp_copy(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	static const uint8_t sizes[IR_COPY_COUNT] = {4, 8, 16, 16};
	uint8_t bytes = sizes[in->sub], read = bytes;
	struct interp_copy *copy;
	struct interp_location to, from;
	uint64_t at[2];

	for (uint32_t k = 0; k < in->nargs; k++)
		if (!t->values[in->args[k]].defined)
			return interp_fail(ip, t, "an operand of the copy is undefined");
	at[0] = t->values[in->args[0]].bits;
	at[1] = t->values[in->args[1]].bits + in->imm;
	if (ir_data_args(in) > 2 && t->values[in->args[2]].bits > bytes)
		return interp_fail(ip, t, "reads %llu bytes for a copy of %u",
				   (unsigned long long)t->values[in->args[2]].bits, bytes);
	if (ir_data_args(in) > 2)
		read = (uint8_t)t->values[in->args[2]].bits;
	for (uint32_t k = 0; k < 2; k++)
		if (at[k] % bytes)
			return interp_fail(ip, t, "the address 0x%llx is not aligned to %u bytes",
					   (unsigned long long)at[k], bytes);
	if (!interp_translate(ip, t, IR_SHARED, at[0], bytes, true, &to) ||
	    (read && !interp_translate(ip, t, IR_GLOBAL, at[1], read, false, &from)))
		return false;
	t->copies = arena_grow(&ip->arena, t->copies, &t->copies_capacity, t->ncopies + 1,
			       sizeof(*t->copies));
	copy = &t->copies[t->ncopies++];
	*copy = (struct interp_copy){.to = at[0], .group = t->groups, .bytes = bytes};
	if (read)
		memcpy(copy->data, from.host, read);
	memset(to.written, false, bytes);
	return true;
}

/* Combines 16 bytes with those at a location. */
static bool reduce_part(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
			const struct interp_location *to, const struct interp_location *from)
{
	uint32_t bytes = ir_type_bits(in->type) / 8;

	for (uint32_t k = 0; k < IR_BULK_BYTES; k += bytes) {
		struct interp_value old = load_bits(to, k, bytes), x = load_bits(from, k, bytes);

		if (!old.defined || !x.defined)
			return interp_fail(ip, t, "an atomic operation on an undefined value");
		store_bits(to, k, bytes, interp_combine(in, old.bits, x.bits));
	}
	return true;
}

static void copy_part(const struct interp_location *to, const struct interp_location *from)
{
	memmove(to->host, from->host, IR_BULK_BYTES);
	if (to->written && from->written)
		memmove(to->written, from->written, IR_BULK_BYTES);
	else if (to->written)
		memset(to->written, true, IR_BULK_BYTES);
}

bool interp_copy_bytes(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
		       uint64_t target)
{
	bool reduce = in->op == IR_BULKREDUCE;
	const enum ir_space to = ir_data_args(in) == 3 ? IR_GLOBAL : IR_SHARED_CLUSTER,
			    from = !reduce && in->sub != IR_BULK_TO_GLOBAL &&
						   in->sub != IR_BULK_IN_SHARED
					   ? IR_GLOBAL
					   : IR_SHARED;
	uint64_t bytes = t->values[in->args[2]].bits, at[2] = {target, t->values[in->args[1]].bits};
	struct interp_location loc[2];

	for (uint32_t k = 0; k < 2; k++) {
		if (at[k] % IR_BULK_BYTES)
			return interp_fail(ip, t, "the address 0x%llx is not aligned to %u bytes",
					   (unsigned long long)at[k], IR_BULK_BYTES);
	}
	if (bytes % IR_BULK_BYTES)
		return interp_fail(ip, t, "a bulk copy of %llu bytes, not a multiple of %u",
				   (unsigned long long)bytes, IR_BULK_BYTES);
	for (uint64_t k = 0; k < bytes; k += IR_BULK_BYTES) {
		if (!interp_translate(ip, t, to, at[0] + k, IR_BULK_BYTES, true, &loc[0]) ||
		    !interp_translate(ip, t, from, at[1] + k, IR_BULK_BYTES, false, &loc[1]))
			return false;
		if (!reduce)
			copy_part(&loc[0], &loc[1]);
		else if (!reduce_part(ip, t, in, &loc[0], &loc[1]))
			return false;
	}
	return true;
}

void interp_complete_copies(struct interp *ip, struct interp_thread *t, uint64_t groups_left)
{
	uint32_t left = 0;

	for (uint32_t k = 0; k < t->ncopies; k++) {
		struct interp_copy *copy = &t->copies[k];

		if (copy->group + groups_left >= t->groups) {
			t->copies[left++] = *copy;
			continue;
		}
		copy->to &= IR_CLUSTER_OFFSET_MASK;
		memcpy(ip->block->shared + copy->to, copy->data, copy->bytes);
		memset(ip->block->shared_written + copy->to, true, copy->bytes);
	}
	t->ncopies = left;
}
