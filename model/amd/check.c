// SPDX-License-Identifier: MIT
/*
 * Machine code does not show whether a store to global memory is relaxed or weak. So two stores are
 * no race here, and all stores may follow and precede strong loads (glc) and atomics. A wait for
 * all stores is a fence; an invalidation of a cache acquires. In LDS loads and atomics are no race:
 * the compiler's named barriers are such. Buffers check their bounds themselves and are not
 * checked.
 */
#include "model/amd/check.h"
#include "model/amd/lane_address.h"

#define PAGE MMU_PAGE_BYTES

/* The accesses of one instruction's lanes, by what they access. */
struct accesses {
	struct check_access a;
	uint64_t address[LANES];
	uint32_t mask;
};

static struct check_access access_of(const struct wave *w, enum check_memory memory,
				     enum check_access_kind kind, uint32_t bytes)
{
	return (struct check_access){
		.memory = memory,
		.kind = kind,
		.bytes = bytes,
		.warp = w->index,
		.pc = w->pc,
		.shared = memory == CHECK_SHARED ? w->group->lds : NULL,
		.reader = w->reader,
	};
}

static enum check_access_kind check_kind(enum amd_access kind)
{
	return kind == AMD_ATOMIC ? CHECK_ATOMIC : kind == AMD_WRITES ? CHECK_WRITE : CHECK_READ;
}

static enum check_scope global_scope(const struct op *op, enum amd_access kind)
{
	return kind != AMD_READS || op->in.field[AMD_F_GLC] ? CHECK_GPU : CHECK_WEAK;
}

static enum check_scope lds_scope(enum amd_access kind)
{
	return kind == AMD_WRITES ? CHECK_WEAK : CHECK_CTA;
}

/* ---- global memory ---- */

/* An access that crosses the end of a page is two. */
static bool check_crossing(struct wave *w, const struct accesses *x, uint32_t lane)
{
	uint32_t first = PAGE - (uint32_t)(x->address[lane] % PAGE);
	struct check_access a = x->a;
	uint64_t address[LANES];
	bool good;

	a.values = NULL;
	a.bytes = first;
	address[lane] = x->address[lane];
	good = check_lanes(w->group->check, &a, address, 1u << lane);
	a.bytes = x->a.bytes - first;
	address[lane] += first;
	return check_lanes(w->group->check, &a, address, 1u << lane) && good;
}

/* A store to the page of traps is a trap. */
static bool is_unmapped(struct wave *w, const struct accesses *x, uint32_t lane)
{
	uint32_t rights = x->a.kind == CHECK_READ    ? MODEL_READ
			  : x->a.kind == CHECK_WRITE ? MODEL_WRITE
						     : MODEL_READ | MODEL_WRITE | MODEL_ATOMIC;
	enum mmu_result why;

	return x->address[lane] - AMD_TRAP_PAGE >= PAGE &&
	       !amd_host_address(w, x->address[lane], 1, rights, &why) && why == MMU_UNMAPPED &&
	       check_unmapped(w->group->check, &x->a, lane, x->address[lane]);
}

/* Returns the lanes that may proceed. */
static uint32_t check_global(struct wave *w, const struct accesses *x)
{
	uint32_t crossing = 0, good;

	if (!x->mask)
		return 0;
	EACH_ACTIVE(i, x->mask)
		if (x->address[i] % PAGE + x->a.bytes > PAGE)
			crossing |= 1u << i;
	good = crossing == x->mask
		       ? 0
		       : check_lanes(w->group->check, &x->a, x->address, x->mask & ~crossing);
	EACH_ACTIVE(i, crossing)
		if (check_crossing(w, x, i))
			good |= 1u << i;
	EACH_ACTIVE(i, good)
		if (is_unmapped(w, x, i))
			good &= ~(1u << i);
	return good;
}

/* ---- instructions ---- */

/* Lanes outside of the memory are reported by the instruction itself. */
static void check_inside(struct wave *w, struct accesses *x, uint64_t size)
{
	EACH_ACTIVE(i, x->mask)
		if (x->address[i] > size || size - x->address[i] < x->a.bytes)
			x->mask &= ~(1u << i);
	if (x->mask)
		check_lanes(w->group->check, &x->a, x->address, x->mask);
}

/* Loads of dropped lanes read 0, and so do atomics that return a value. */
static void clear_results(struct wave *w, const struct op *op, uint32_t lanes, uint32_t bytes)
{
	if (!amd_words(&op->in, AMD_D) || op->in.reg[AMD_D] < AMD_VGPR)
		return;
	for (uint32_t k = 0; k < (bytes + 3) / 4; k++)
		EACH_ACTIVE(i, lanes)
			w->v[op->in.reg[AMD_D] - AMD_VGPR + k][i] = 0;
}

static void run_vector(struct wave *w, const struct op *op, enum amd_access kind, uint32_t bytes)
{
	struct accesses by[] = {
		[CHECK_GLOBAL] = {.a = access_of(w, CHECK_GLOBAL, check_kind(kind), bytes)},
		[CHECK_SHARED] = {.a = access_of(w, CHECK_SHARED, check_kind(kind), bytes)},
		[CHECK_LOCAL] = {.a = access_of(w, CHECK_LOCAL, check_kind(kind), bytes)},
	};
	uint32_t exec = w->s[AMD_EXEC], dropped;

	by[CHECK_GLOBAL].a.scope = global_scope(op, kind);
	by[CHECK_GLOBAL].a.values = amd_stored_rows(w, op);
	by[CHECK_SHARED].a.scope = lds_scope(kind);
	by[CHECK_SHARED].a.values = by[CHECK_GLOBAL].a.values;
	EACH_ACTIVE(i, exec) {
		struct lane_address at = amd_lane_address(w, op, i, bytes);
		struct accesses *x = at.space == SPACE_GLOBAL    ? &by[CHECK_GLOBAL]
				     : at.space == SPACE_LDS     ? &by[CHECK_SHARED]
				     : at.space == SPACE_PRIVATE ? &by[CHECK_LOCAL]
								 : NULL;

		if (!x)
			continue;
		x->address[i] = at.at;
		x->mask |= 1u << i;
	}
	check_inside(w, &by[CHECK_SHARED], w->grid->lds_bytes);
	check_inside(w, &by[CHECK_LOCAL], w->grid->private_bytes);
	dropped = by[CHECK_GLOBAL].mask & ~check_global(w, &by[CHECK_GLOBAL]);
	w->s[AMD_EXEC] = exec & ~dropped;
	op->handler->run(w, op);
	w->s[AMD_EXEC] = exec;
	if (kind != AMD_WRITES)
		clear_results(w, op, dropped, bytes);
}

static void run_lds(struct wave *w, const struct op *op, enum amd_access kind, uint32_t addresses,
		    uint32_t bytes)
{
	struct accesses x = {.a = access_of(w, CHECK_SHARED, check_kind(kind), bytes)};

	x.a.scope = lds_scope(kind);
	for (uint32_t which = 0; which < addresses; which++) {
		x.mask = w->s[AMD_EXEC];
		x.a.values = amd_lds_stored_rows(w, op, which);
		EACH_ACTIVE(i, x.mask)
			x.address[i] = amd_lds_address(w, op, i, which);
		check_inside(w, &x, w->grid->lds_bytes);
	}
	op->handler->run(w, op);
}

/* A scalar load is by the first active lane. */
static void run_scalar(struct wave *w, const struct op *op, uint64_t address, uint32_t words)
{
	uint32_t lane = w->s[AMD_EXEC] ? (uint32_t)__builtin_ctz(w->s[AMD_EXEC]) : 0;
	struct accesses x = {.a = access_of(w, CHECK_GLOBAL, CHECK_READ, 4 * words)};

	x.address[lane] = address;
	x.mask = 1u << lane;
	if (check_global(w, &x)) {
		op->handler->run(w, op);
		return;
	}
	for (uint32_t k = 0; k < words && op->in.reg[AMD_D] != AMD_NULL; k++)
		amd_write_scalar(w, op->in.reg[AMD_D] + k, 0);
}

static void check_order(struct wave *w, const struct op *op)
{
	struct check_block *b = w->group->check;

	switch (op->handler->op) {
	case AMD_s_waitcnt_vscnt:
		if (!op->in.field[AMD_F_IMM] && op->in.reg[AMD_D] == AMD_NULL)
			check_fence(b, w->index, CHECK_GPU, false);
		break;
	case AMD_buffer_gl0_inv:
	case AMD_buffer_gl1_inv:
		check_acquire(b, w->index);
		break;
	case AMD_s_barrier:
		check_barrier_arrive(b, w->index, 0);
		break;
	default:
		break;
	}
}

void amd_run_checked(struct wave *w, const struct op *op)
{
	uint32_t bytes, addresses, words;
	enum amd_access kind = amd_lane_access(op, &bytes);
	uint64_t address;

	if (kind && op->in.row->format != AMD_MUBUF) {
		run_vector(w, op, kind, bytes);
		return;
	}
	kind = amd_lds_access(op, &addresses, &bytes);
	if (kind) {
		run_lds(w, op, kind, addresses, bytes);
		return;
	}
	words = amd_scalar_load(w, op, &address);
	if (words && op->in.row->type[AMD_S0] != TYPE_B128) {
		run_scalar(w, op, address, words);
		return;
	}
	check_order(w, op);
	op->handler->run(w, op);
}

bool amd_check_begin(struct amd_grid *g)
{
	struct check_grid grid = {
		.program = g->work.program,
		.shared_bytes = g->lds_bytes,
		.local_bytes = g->private_bytes,
	};
	struct check_space *s = g->work.channel->space->check;

	if (!s)
		return true;
	memcpy(grid.size, g->groups, sizeof(grid.size));
	memcpy(grid.block, g->threads, sizeof(grid.block));
	g->check = check_launch_create(s, &grid);
	return g->check;
}
