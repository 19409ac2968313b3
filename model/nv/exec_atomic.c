// SPDX-License-Identifier: MIT
/* Atomics: one lane after the other combines its value with memory. */
#include "hw/nv/compute.h"
#include "model/nv/exec_memory.h"
#include "model/nv/reduction.h"

void atomic_reduce(const struct op *op, uint8_t *at, const uint32_t *words)
{
	const uint8_t *mod = op->inst->mod;
	bool wide = mod[SASS_M_ATYPE] == SASS_ATYPE_U64;

	element_reduce(atomic_element(mod[SASS_M_ATYPE]), at, mod[SASS_M_ATOM],
		       wide ? (uint64_t)words[1] << 32 | words[0] : words[0]);
}

static uint64_t atomic_operand(const struct warp *w, const struct op *op, uint32_t source,
			       uint32_t bytes, uint32_t lane)
{
	uint32_t row = op->s[source].row;

	return bytes == 8 ? (uint64_t)w->r[row + 1][lane] << 32 | w->r[row][lane] : w->r[row][lane];
}

/* 128 bits: compare-and-swap, or exchange. Not every host compiler has an __atomic builtin of this
 * width without libatomic, but all have __sync if x86-64 code may use CMPXCHG16B. noinline: clang
 * drops the target attribute when it inlines the function, and calls the library. */
__extension__ typedef unsigned __int128 wide;

static wide wide_operand(const struct warp *w, uint32_t row, uint32_t lane)
{
	wide value = 0;

	for (uint32_t k = 4; k-- > 0;)
		value = value << 32 | w->r[row + k][lane];
	return value;
}

#if defined(__x86_64__)
__attribute__((target("cx16"), noinline))
#endif
static void
run_wide(struct warp *w, const struct op *op, bool swap, wide *at, uint32_t lane)
{
	wide value = wide_operand(w, op->s[swap].row, lane), compare, old = 0;

	do { /* the old value is known only after a first attempt */
		compare = swap ? wide_operand(w, op->s[0].row, lane) : old;
		old = __sync_val_compare_and_swap(at, compare, value);
	} while (!swap && old != compare);
	for (uint32_t k = 0; k < 4; k++)
		w->r[op->d + k][lane] = (uint32_t)(old >> 32 * k);
}

static bool is_global(const struct warp *w, uint64_t address)
{
	uint64_t window = address & ~(NV_WINDOW_BYTES - 1);

	return window != w->grid->shared_window && window != w->grid->local_window;
}

/* Shared memory of another block of the cluster. ptxas's code relies on 64-bit integer operations
 * there, and on a loop for floats. */
static bool is_remote(const struct warp *w, uint64_t address)
{
	return (address & ~(NV_WINDOW_BYTES - 1)) == w->grid->shared_window &&
	       !is_own_shared(w, address);
}

/* Shared memory has no float add; of 64- and 128-bit atomics it has exchange and compare-and-swap
 * only: at a generic address in shared memory an H200 executes a different operation. RED reaches
 * global memory only. */
static bool atomic_is_supported(const struct warp *w, const struct op *op, uint64_t address)
{
	uint16_t kind = op->inst->op;
	const struct element *e = atomic_element(op->inst->mod[SASS_M_ATYPE]);

	if (e->bytes == 16 &&
	    (kind == SASS_ATOM || kind == SASS_ATOM_CAS)) /* behaviour on stacks is unknown */
		return (address & ~(NV_WINDOW_BYTES - 1)) != w->grid->local_window;
	if ((kind != SASS_ATOM && kind != SASS_RED) || is_global(w, address))
		return true;
	return kind == SASS_ATOM && !e->format &&
	       (e->bytes < 8 || is_remote(w, address) ||
		op->inst->mod[SASS_M_ATOM] == SASS_ATOM_EXCH);
}

/* A destination predicate reports whether the atomic was executed. With one, the instruction skips
 * generic addresses of local memory, and those of shared memory where that lacks the operation, and
 * leaves them to the code that follows: ptxas uses it so. */
static bool is_executed(const struct warp *w, const struct op *op, uint64_t address)
{
	return (address & ~(NV_WINDOW_BYTES - 1)) != w->grid->local_window &&
	       atomic_is_supported(w, op, address);
}

/* Atomics of shared memory have no scope; without one, others reach the GPU. */
static enum check_scope atomic_scope(const struct op *op)
{
	enum check_scope scope = access_scope(op);

	return scope ? scope : op->data[0] == SPACE_SHARED ? CHECK_CTA : CHECK_GPU;
}

static void run_atomic(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint8_t *mod = op->inst->mod;
	uint16_t kind = op->inst->op;
	bool swap = kind == SASS_ATOMG_CAS || kind == SASS_ATOM_CAS || kind == SASS_ATOMS_CAS;
	const struct element *e = atomic_element(mod[SASS_M_ATYPE]);
	struct access x = {.w = w,
			   .space = op->data[0],
			   .bytes = e->bytes,
			   .rights = MODEL_WRITE | MODEL_ATOMIC,
			   .verb = "atomic",
			   .by_thread = true,
			   .scope = atomic_scope(op)};
	bool reports_done = op->p_count && op->p[0] % PRED_UNIFORM != PRED_SINK;
	uint32_t done = 0;
	uint64_t address[LANES];

	if (!mask || !descriptor_valid(w, op))
		return;
	if (w->weak)
		weak_unit_tick(w->weak);
	lane_addresses(w, op, address);
	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t old, value, compare;
		uint8_t *at;

		if (!(mask >> i & 1) || (reports_done && !is_executed(w, op, address[i])))
			continue;
		done |= 1u << i;
		if (!atomic_is_supported(w, op, address[i])) {
			warp_fault(w, i, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
				   "shared and local memory lack this atomic operation, and 0x%llx "
				   "is an address there",
				   (unsigned long long)address[i]);
			return;
		}
		at = lane_pointer(&x, i, address[i]);
		if (!at)
			return;
		if (w->weak && reaches_global(&x, address[i]))
			weak_atomic(w->weak, w->index, at, x.bytes);
		if (x.bytes == 16) {
			run_wide(w, op, swap, (wide *)(void *)at, i);
			continue;
		}
		value = atomic_operand(w, op, swap, x.bytes, i);
		compare = atomic_operand(w, op, 0, x.bytes, i);
		old = swap ? element_compare_and_swap(e, at, compare, value)
			   : element_reduce(e, at, mod[SASS_M_ATOM], value);
		if (kind == SASS_RED)
			continue;
		if (swap && mod[SASS_M_CAS] != SASS_CAS) /* CAST returns only whether it stored */
			old = old == compare;
		w->r[op->d][i] = (uint32_t)old;
		if (x.bytes == 8)
			w->r[op->d + 1][i] = (uint32_t)(old >> 32);
	}
	if (reports_done)
		pred_write(w, op->p[0], done, mask);
}

static const char *prepare_atomic(struct op *op, const struct sass_inst *in)
{
	uint32_t how = in->mod[SASS_M_ATOM];

	if (how == SASS_ATOM_SAFEADD ||
	    (atomic_element(in->mod[SASS_M_ATYPE])->format && how != SASS_ATOM_ADD))
		return "this atomic operation is not modelled for this type";
	return prepare_access(op, in);
}

/* Each lane counts one. ptxas uses it without a result; the result is unknown. */
static void run_popc_inc(struct warp *w, const struct op *op, uint32_t mask)
{
	struct access x = {.w = w,
			   .space = SPACE_SHARED,
			   .bytes = 4,
			   .rights = MODEL_WRITE | MODEL_ATOMIC,
			   .verb = "atomic",
			   .by_thread = true,
			   .scope = CHECK_CTA};
	uint64_t address[LANES];

	lane_addresses(w, op, address);
	for (uint32_t i = 0; i < LANES; i++) {
		uint8_t *at = mask >> i & 1 ? lane_pointer(&x, i, address[i]) : NULL;

		if (at)
			__atomic_fetch_add((uint32_t *)at, 1, __ATOMIC_ACQ_REL);
		else if (mask >> i & 1)
			return;
	}
}

static const char *prepare_popc_inc(struct op *op, const struct sass_inst *in)
{
	return op->d == ROW_SINK ? prepare_access(op, in)
				 : "ATOMS.POPC.INC with a result is not modelled";
}

const struct op_row rows_atomic[] = {
	{SASS_ATOMS_POPC_INC, "da", run_popc_inc, NULL, prepare_popc_inc},
	{SASS_ATOMG, "pdas", run_atomic, NULL, prepare_atomic},
	{SASS_ATOMG_CAS, "pdass", run_atomic, NULL, prepare_atomic},
	{SASS_ATOM, "pdas", run_atomic, NULL, prepare_atomic},
	{SASS_ATOM_CAS, "pdass", run_atomic, NULL, prepare_atomic},
	{SASS_ATOMS, "das", run_atomic, NULL, prepare_atomic},
	{SASS_ATOMS_CAS, "dass", run_atomic, NULL, prepare_atomic},
	{SASS_RED, "as", run_atomic, NULL, prepare_atomic},
	OP_ROWS_END,
};
