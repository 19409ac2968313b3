// SPDX-License-Identifier: MIT
/* Loads and stores. Each lane computes its address, and each access is checked: alignment, page
 * permissions, bounds of shared memory and of local memory. Local memory has a low and a high part
 * (the stack grows down from 2^24), both private to the thread; generic addresses in the shared and
 * local windows reach those memories, all others global memory. */
#include <stdio.h>
#include <string.h>

#include "hw/nv/compute.h"
#include "model/nv/exec_memory.h"

static const struct {
	uint8_t bytes, words;
	bool sign;
} widths[] = {
	[SASS_WIDTH_U8] = {1, 1, false},   [SASS_WIDTH_S8] = {1, 1, true},
	[SASS_WIDTH_U16] = {2, 1, false},  [SASS_WIDTH_S16] = {2, 1, true},
	[SASS_WIDTH_32] = {4, 1, false},   [SASS_WIDTH_64] = {8, 2, false},
	[SASS_WIDTH_128] = {16, 4, false},
};

static const char *const space_names[] = {"global", "shared", "local", "generic",
					  "shared (cluster)"};

void lane_addresses(const struct warp *w, const struct op *op, uint64_t address[LANES])
{
	static const uint8_t scales[] = {0, 2, 3, 4};
	const uint32_t *low = w->r[op->address.row],
		       *high = w->r[op->address.wide ? op->address.row + 1 : ROW_ZERO];
	uint64_t u = w->ur[op->address.urow], scale = scales[op->inst->mod[SASS_M_XSHIFT]], mask;

	if (op->address.uwide)
		u |= (uint64_t)w->ur[op->address.urow + 1] << 32;
	u += (uint64_t)op->address.offset;
	/* Shared and local addresses have 32 bits. */
	mask = op->data[0] == SPACE_SHARED || op->data[0] == SPACE_LOCAL ||
			       op->data[0] == SPACE_CLUSTER
		       ? UINT32_MAX
		       : UINT64_MAX;
	EACH_LANE(i)
		address[i] = ((((uint64_t)high[i] << 32 | low[i]) << scale) + u) & mask;
}

static uint8_t *access_fault(struct access *x, enum model_fault kind, uint32_t lane,
			     uint64_t address, const char *why)
{
	warp_fault(x->w, lane, kind, address, "%s %s of %u bytes at 0x%llx: %s",
		   space_names[x->space], x->verb, x->bytes, (unsigned long long)address, why);
	return NULL;
}

struct cta *cluster_block(const struct warp *w, uint64_t address)
{
	return w->grid->has_clusters ? w->cta->cluster->ctas[address >> RANK_SHIFT] : w->cta;
}

/* The block of the cluster whose shared memory a lane accesses; the address becomes the offset
 * there. Instructions for shared memory reach their own block only: ptxas uses generic addresses
 * for the others. NULL after a fault. */
static const struct cta *shared_owner(struct access *x, uint32_t lane, uint64_t *address)
{
	const struct cta *own = x->w->cta;
	uint64_t rank = *address >> RANK_SHIFT;
	char why[80];

	if (!x->w->grid->has_clusters)
		return own;
	if (rank >= own->cluster->count)
		snprintf(why, sizeof(why),
			 "the cluster has %u blocks, and the address names block %u",
			 own->cluster->count, (unsigned)rank);
	else if (x->space == SPACE_SHARED && rank != own->rank)
		snprintf(why, sizeof(why), "in block %u of the cluster, not in its own block %u",
			 (unsigned)rank, own->rank);
	else if (!own->cluster->ctas[rank]->live)
		snprintf(why, sizeof(why), "block %u of the cluster has exited", (unsigned)rank);
	else {
		*address &= (1u << RANK_SHIFT) - 1;
		return own->cluster->ctas[rank];
	}
	access_fault(x, MODEL_FAULT_SHARED_RANGE, lane, *address, why);
	return NULL;
}

/* ---- the checker ---- */

/* What the lanes of a dropped access read and write instead. */
static uint8_t *dropped(struct access *x)
{
	struct exec *e = x->w->exec;

	memset(e->dropped, 0, sizeof(e->dropped));
	return e->dropped;
}

enum check_scope access_scope(const struct op *op)
{
	switch (op->inst->mod[SASS_M_ORDER]) {
	case SASS_ORDER_STRONG_SM:
	case SASS_ORDER_STRONG_SM_PRIVATE:
	case SASS_ORDER_MMIO_SM:
	case SASS_ORDER_MMIO_CTA:
		return CHECK_CTA;
	case SASS_ORDER_STRONG_GPU:
	case SASS_ORDER_STRONG_SYS:
	case SASS_ORDER_STRONG_GPU_PRIVATE:
	case SASS_ORDER_MMIO_GPU:
	case SASS_ORDER_MMIO_SYS:
		return CHECK_GPU;
	default:
		return CHECK_WEAK;
	}
}

static enum check_access_kind access_kind(const struct access *x)
{
	if (!x->by_thread)
		return x->rights == MODEL_READ ? CHECK_ASYNC_READ : CHECK_ASYNC_WRITE;
	return x->rights & MODEL_ATOMIC  ? CHECK_ATOMIC
	       : x->rights & MODEL_WRITE ? CHECK_WRITE
					 : CHECK_READ;
}

static struct check_access checked_access(const struct access *x, enum check_memory memory)
{
	return (struct check_access){
		.memory = memory,
		.kind = access_kind(x),
		.scope = x->scope,
		.bytes = x->bytes,
		.warp = x->w->index,
		.pc = x->w->pc,
		.values = x->values,
		.shared = memory == CHECK_SHARED ? x->w->cta->shared : NULL,
		.reader = &x->w->exec->thread.reader,
	};
}

/* Whether one lane may access its address; for shared memory this is the offset in the block. */
static bool check_lane(const struct access *x, enum check_memory memory, uint32_t lane, uint64_t at)
{
	struct check_access a = checked_access(x, memory);
	uint64_t address[LANES];

	if (x->checked)
		return x->may_proceed >> lane & 1;
	address[lane] = at;
	return check_lanes(x->w->cta->check, &a, address, 1u << lane);
}

static uint8_t *shared_pointer(struct access *x, uint32_t lane, uint64_t address)
{
	uint32_t size = x->w->grid->shared_bytes;
	const struct cta *owner = shared_owner(x, lane, &address);
	char why[64];
	uint64_t pc;

	if (!owner)
		return NULL;
	if (size < x->bytes || address > size - x->bytes)
		return access_fault(x, MODEL_FAULT_SHARED_RANGE, lane, address,
				    "outside the block's shared memory");
	if (owner->copies && !x->copy && copies_pending(owner, address, x->bytes, &pc)) {
		snprintf(why, sizeof(why), "the copy at +0x%llx was not waited for",
			 (unsigned long long)(pc - x->w->grid->work.program));
		return access_fault(x, MODEL_FAULT_HAZARD, lane, address, why);
	}
	if (owner == x->w->cta && owner->check)
		check_lane(x, CHECK_SHARED, lane, address);
	return owner->shared + address;
}

bool is_own_shared(const struct warp *w, uint64_t address)
{
	uint64_t window = address & ~(NV_WINDOW_BYTES - 1);

	return window == w->grid->shared_window &&
	       (!w->grid->has_clusters || (address - window) >> RANK_SHIFT == w->cta->rank);
}

/* An access that misses by less than this is a stack overflow (the stack grows down). */
#define STACK_GUARD_BYTES (1u << 16)

static uint8_t *local_fault(struct access *x, uint32_t lane, uint64_t address, uint64_t bottom)
{
	const struct grid *g = x->w->grid;
	char why[96];

	if (g->local_high && address < bottom && bottom - address <= STACK_GUARD_BYTES)
		snprintf(why, sizeof(why), "stack overflow: the thread's stack has %u bytes",
			 g->local_high);
	else
		snprintf(why, sizeof(why), "outside the thread's local memory");
	return access_fault(x, MODEL_FAULT_LOCAL_RANGE, lane, address, why);
}

static uint8_t *local_pointer(struct access *x, uint32_t lane, uint64_t address)
{
	const struct grid *g = x->w->grid;
	uint64_t thread = x->w->index * LANES + lane, low = g->local_low, high = g->local_high;
	uint64_t bottom = NV_LOCAL_MEMORY_TOP - high, at;

	if (address >= bottom && high >= x->bytes && address <= NV_LOCAL_MEMORY_TOP - x->bytes)
		at = low + (address - bottom);
	else if (low >= x->bytes && address <= low - x->bytes)
		at = address;
	else
		return local_fault(x, lane, address, bottom);
	if (x->w->cta->check)
		check_lane(x, CHECK_LOCAL, lane, at);
	return x->w->cta->local + thread * (low + high) + at;
}

static uint8_t *global_pointer(struct access *x, uint32_t lane, uint64_t address)
{
	uint64_t page = address >> MMU_PAGE_BITS;
	struct check_block *check = x->w->cta->check;
	struct check_access a;
	enum mmu_result why;
	uint8_t *at;

	if (check && !check_lane(x, CHECK_GLOBAL, lane, address))
		return dropped(x);
	if (x->host && page == x->page)
		return x->host + address % MMU_PAGE_BYTES;
	at = mmu_translate(&x->w->exec->thread.reader, address, x->rights, &why);
	if (!at && check && why == MMU_UNMAPPED) {
		a = checked_access(x, CHECK_GLOBAL);
		if (check_unmapped(check, &a, lane, address))
			return dropped(x);
	}
	if (!at)
		return access_fault(x, MODEL_FAULT_MMU, lane, address,
				    why == MMU_DENIED ? "the page does not permit this access"
						      : "the address is not mapped");
	x->page = page;
	x->host = at - address % MMU_PAGE_BYTES;
	return at;
}

uint8_t *lane_pointer(struct access *x, uint32_t lane, uint64_t address)
{
	const struct grid *g = x->w->grid;
	uint64_t window = address & ~(NV_WINDOW_BYTES - 1);

	if (address % x->bytes)
		return access_fault(x, MODEL_FAULT_MISALIGNED, lane, address,
				    "not aligned to its size");
	switch (x->space) {
	case SPACE_SHARED:
	case SPACE_CLUSTER:
		return shared_pointer(x, lane, address);
	case SPACE_LOCAL:
		return local_pointer(x, lane, address);
	case SPACE_GENERIC:
		if (window == g->shared_window)
			return shared_pointer(x, lane, address - window);
		if (window == g->local_window)
			return local_pointer(x, lane, address - window);
		return global_pointer(x, lane, address);
	default:
		return global_pointer(x, lane, address);
	}
}

bool reaches_global(const struct access *x, uint64_t address)
{
	const struct grid *g = x->w->grid;
	uint64_t window = address & ~(NV_WINDOW_BYTES - 1);

	return x->space == SPACE_GLOBAL ||
	       (x->space == SPACE_GENERIC && window != g->shared_window &&
		window != g->local_window);
}

/* The high word of a descriptor may hold a cache policy, which has no effect here. */
bool descriptor_valid(struct warp *w, const struct op *op)
{
	const struct sass_operand *o = &op->inst->ops[op->data[1]];

	if (!(o->flags & SASS_DESC) || o->aux == SASS_URZ || !w->ur[o->aux])
		return true;
	warp_fault(
		w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
		"memory descriptor UR%u is 0x%x%08x; only a cache policy is modelled, with a low "
		"word of 0",
		o->aux, w->ur[o->aux + 1], w->ur[o->aux]);
	return false;
}

/* Other host threads may write the memory: words are read whole, and so are pairs of them, since an
 * access of 64 bits is one access (PTX manual, "Memory Consistency Model"). */
static void load_words(uint32_t *out, const uint8_t *at, uint32_t bytes, bool sign)
{
	switch (bytes) {
	case 1:
		out[0] = __atomic_load_n(at, __ATOMIC_RELAXED);
		if (sign)
			out[0] = (uint32_t)(int8_t)out[0];
		break;
	case 2:
		out[0] = __atomic_load_n((const uint16_t *)at, __ATOMIC_RELAXED);
		if (sign)
			out[0] = (uint32_t)(int16_t)out[0];
		break;
	case 4:
		out[0] = __atomic_load_n((const uint32_t *)at, __ATOMIC_RELAXED);
		break;
	default:
		for (uint32_t k = 0; k < bytes / 8; k++) {
			uint64_t pair = __atomic_load_n((const uint64_t *)at + k, __ATOMIC_RELAXED);

			out[2 * k] = (uint32_t)pair;
			out[2 * k + 1] = (uint32_t)(pair >> 32);
		}
	}
}

static void store_words(uint8_t *at, const uint32_t *in, uint32_t bytes)
{
	switch (bytes) {
	case 1:
		__atomic_store_n(at, (uint8_t)in[0], __ATOMIC_RELAXED);
		break;
	case 2:
		__atomic_store_n((uint16_t *)at, (uint16_t)in[0], __ATOMIC_RELAXED);
		break;
	case 4:
		__atomic_store_n((uint32_t *)at, in[0], __ATOMIC_RELAXED);
		break;
	default:
		for (uint32_t k = 0; k < bytes / 8; k++)
			__atomic_store_n((uint64_t *)at + k,
					 in[2 * k] | (uint64_t)in[2 * k + 1] << 32,
					 __ATOMIC_RELAXED);
	}
}

/* The addresses of an instruction. If one translation covers those of all active lanes, and each is
 * valid, host is the host address of base; otherwise NULL. */
struct lanes {
	uint64_t address[LANES], base;
	uint8_t *host;
};

/* Bits over the active lanes: those set in any address, those in which an address differs from the
 * first one, and bit 63 if an address is not in [start, last]. */
struct address_bits {
	uint64_t set, differing, outside;
};

static inline void add_address(struct address_bits *b, uint64_t address, uint64_t first,
			       uint64_t start, uint64_t last)
{
	b->set |= address;
	b->differing |= address ^ first;
	b->outside |= (address - start) | (last - address);
}

static struct address_bits combine_addresses(const uint64_t address[LANES], uint32_t mask,
					     uint64_t start, uint64_t last)
{
	uint64_t first = address[first_lane(mask)];
	struct address_bits b = {0};

	if (mask == UINT32_MAX) {
		EACH_LANE(i)
			add_address(&b, address[i], first, start, last);
		return b;
	}
	for (; mask; mask &= mask - 1)
		add_address(&b, address[first_lane(mask)], first, start, last);
	return b;
}

/* Checks all lanes at once if they access global memory, or the block's shared memory. Returns
 * whether all may proceed. */
static bool check_all(const struct lanes *l, struct access *x, uint32_t mask, bool inside)
{
	uint64_t own = (uint64_t)x->w->cta->rank << RANK_SHIFT, offset[LANES];
	bool global = x->space == SPACE_GLOBAL;
	struct check_access a = checked_access(x, global ? CHECK_GLOBAL : CHECK_SHARED);

	if (!global && (x->space != SPACE_SHARED || !inside))
		return false;
	EACH_LANE(i)
		offset[i] = l->address[i] - (global ? 0 : own);
	x->may_proceed = check_lanes(x->w->cta->check, &a, offset, mask);
	x->checked = true;
	return x->may_proceed == mask;
}

static void lanes_prepare(struct lanes *l, struct access *x, const struct op *op, uint32_t mask)
{
	uint64_t own = (uint64_t)x->w->cta->rank << RANK_SHIFT, size = x->w->grid->shared_bytes;
	struct address_bits b;
	enum mmu_result why;

	lane_addresses(x->w, op, l->address);
	b = combine_addresses(l->address, mask, own, own + size - x->bytes);
	l->host = NULL;
	l->base = 0;
	if (b.set & (x->bytes - 1))
		return;
	if (x->w->cta->check && !check_all(l, x, mask, !(b.outside >> 63) && size >= x->bytes))
		return;
	if (x->space == SPACE_GLOBAL && b.differing < MMU_PAGE_BYTES) {
		l->base = l->address[first_lane(mask)] & ~(uint64_t)(MMU_PAGE_BYTES - 1);
		l->host = mmu_translate(&x->w->exec->thread.reader, l->base, x->rights, &why);
	} else if (x->space == SPACE_SHARED && !copies_any_pending(x->w->cta) && size >= x->bytes &&
		   !(b.outside >> 63)) {
		l->base = own;
		l->host = x->w->cta->shared;
	}
}

static inline uint8_t *lanes_pointer(struct lanes *l, struct access *x, uint32_t i)
{
	return l->host ? l->host + (l->address[i] - l->base) : lane_pointer(x, i, l->address[i]);
}

/* Accesses in weak memory mode. Loads with STRONG.GPU or wider bypass L1. */

static enum weak_path weak_path(const struct op *op)
{
	switch (op->inst->mod[SASS_M_ORDER]) {
	case SASS_ORDER_STRONG_GPU:
	case SASS_ORDER_STRONG_SYS:
	case SASS_ORDER_STRONG_GPU_PRIVATE:
		return WEAK_STRONG;
	case SASS_ORDER_MMIO_CTA:
	case SASS_ORDER_MMIO_SM:
	case SASS_ORDER_MMIO_GPU:
	case SASS_ORDER_MMIO_SYS:
		return WEAK_MMIO;
	default:
		return WEAK_CACHED;
	}
}

/* Returns the bytes that a lane loads: copied to the buffer, unless the space is strongly
 * ordered. */
static const uint8_t *weak_lane_load(const struct access *x, const struct op *op, uint64_t address,
				     const uint8_t *at, uint32_t buffer[4])
{
	if (!reaches_global(x, address))
		return at;
	weak_load(x->w->weak, x->w->index, weak_path(op), at, buffer, x->bytes);
	return (const uint8_t *)buffer;
}

/* Loads of all active lanes from host memory. Words are read whole, as by load_words(). */
#define GATHER(type, out, l, mask) \
	do { \
		uintptr_t at_ = (uintptr_t)(l)->host - (l)->base; \
\
		if ((mask) == UINT32_MAX) { \
			EACH_LANE(i) \
				(out)[i] = (uint32_t)__atomic_load_n( \
					(const type *)(const void *)(at_ + (l)->address[i]), \
					__ATOMIC_RELAXED); \
			break; \
		} \
		for (uint32_t left_ = (mask); left_; left_ &= left_ - 1) { \
			uint32_t i = first_lane(left_); \
\
			(out)[i] = (uint32_t)__atomic_load_n( \
				(const type *)(const void *)(at_ + (l)->address[i]), \
				__ATOMIC_RELAXED); \
		} \
	} while (0)

static void gather(struct warp *w, const struct op *op, uint32_t width, struct lanes *l,
		   uint32_t mask)
{
	uint32_t words = widths[width].words;

	switch (width) {
	case SASS_WIDTH_U8:
		GATHER(uint8_t, w->r[op->d], l, mask);
		return;
	case SASS_WIDTH_S8:
		GATHER(int8_t, w->r[op->d], l, mask);
		return;
	case SASS_WIDTH_U16:
		GATHER(uint16_t, w->r[op->d], l, mask);
		return;
	case SASS_WIDTH_S16:
		GATHER(int16_t, w->r[op->d], l, mask);
		return;
	}
	if (words == 1) {
		GATHER(uint32_t, w->r[op->d], l, mask);
		return;
	}
	for (uint32_t k = 0; k < words; k += 2, l->host += 8)
		for (uint32_t left = mask; left; left &= left - 1) {
			uint32_t i = first_lane(left), pair[2];

			load_words(pair, l->host + (l->address[i] - l->base), 8, false);
			w->r[op->d + k][i] = pair[0];
			w->r[op->d + k + 1][i] = pair[1];
		}
}

static void run_load(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t width = op->inst->mod[SASS_M_WIDTH];
	struct access x = {.w = w,
			   .space = op->data[0],
			   .bytes = widths[width].bytes,
			   .rights = MODEL_READ,
			   .verb = "load",
			   .by_thread = true,
			   .scope = access_scope(op)};
	struct weak_unit *weak = w->weak;
	struct lanes l;

	if (!mask || !descriptor_valid(w, op))
		return;
	if (weak)
		weak_unit_tick(weak);
	lanes_prepare(&l, &x, op, mask);
	if (l.host && !weak) {
		gather(w, op, width, &l, mask);
		return;
	}
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t words[4], buffer[4];
		const uint8_t *at;

		if (!(mask >> i & 1))
			continue;
		at = lanes_pointer(&l, &x, i);
		if (!at)
			return;
		if (weak)
			at = weak_lane_load(&x, op, l.address[i], at, buffer);
		load_words(words, at, x.bytes, widths[width].sign);
		for (uint32_t k = 0; k < widths[width].words; k++)
			w->r[op->d + k][i] = words[k];
	}
}

/* Stores of all active lanes to host memory. If several lanes store to one address, the last one's
 * value stays. */
#define SCATTER(type, l, in, mask) \
	do { \
		uintptr_t at_ = (uintptr_t)(l)->host - (l)->base; \
\
		for (uint32_t left_ = (mask); left_; left_ &= left_ - 1) { \
			uint32_t i = first_lane(left_); \
\
			__atomic_store_n((type *)(void *)(at_ + (l)->address[i]), (type)(in)[i], \
					 __ATOMIC_RELAXED); \
		} \
	} while (0)

static void scatter(struct warp *w, const struct op *op, uint32_t width, struct lanes *l,
		    uint32_t mask)
{
	uint32_t row = op->s[0].row;

	switch (widths[width].bytes) {
	case 1:
		SCATTER(uint8_t, l, w->r[row], mask);
		return;
	case 2:
		SCATTER(uint16_t, l, w->r[row], mask);
		return;
	}
	if (widths[width].words == 1) {
		SCATTER(uint32_t, l, w->r[row], mask);
		return;
	}
	for (uint32_t k = 0; k < widths[width].words; k += 2, l->host += 8)
		for (uint32_t left = mask; left; left &= left - 1) {
			uint32_t i = first_lane(left);
			uint32_t pair[2] = {w->r[row + k][i], w->r[row + k + 1][i]};

			store_words(l->host + (l->address[i] - l->base), pair, 8);
		}
}

static void run_store(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t width = op->inst->mod[SASS_M_WIDTH];
	struct access x = {.w = w,
			   .space = op->data[0],
			   .bytes = widths[width].bytes,
			   .rights = MODEL_WRITE,
			   .verb = "store",
			   .by_thread = true,
			   .scope = access_scope(op),
			   .values = (const uint32_t(*)[LANES]) & w->r[op->s[0].row]};
	struct weak_unit *weak = w->weak;
	struct lanes l;

	if (!mask || !descriptor_valid(w, op))
		return;
	if (weak)
		weak_unit_tick(weak);
	lanes_prepare(&l, &x, op, mask);
	if (l.host && !weak) {
		scatter(w, op, width, &l, mask);
		return;
	}
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t words[4];
		uint8_t *at;

		if (!(mask >> i & 1))
			continue;
		at = lanes_pointer(&l, &x, i);
		if (!at)
			return;
		for (uint32_t k = 0; k < widths[width].words; k++)
			words[k] = w->r[op->s[0].row + k][i];
		if (weak && reaches_global(&x, l.address[i]))
			weak_store(weak, w->index, 0, at, words, x.bytes);
		else
			store_words(at, words, x.bytes);
	}
}

/* Copies arrive at once, but in hazard mode when they are waited for. The address's low bits are
 * the number of bytes that ZFILL does not read. */
static void run_copy(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct sass_operand *to = &op->inst->ops[0];
	const uint32_t *shared = w->r[to->reg == SASS_RZ ? ROW_ZERO : to->reg];
	uint32_t bytes = widths[op->inst->mod[SASS_M_WIDTH]].bytes, reads = pred_read(w, op, 0);
	struct access from = {.w = w,
			      .space = SPACE_GLOBAL,
			      .bytes = bytes,
			      .rights = MODEL_READ,
			      .verb = "copy"};
	struct access into = {
		.w = w, .space = SPACE_SHARED, .bytes = bytes, .verb = "copy", .copy = true};
	uint64_t address[LANES];

	if (!mask || !descriptor_valid(w, op))
		return;
	lane_addresses(w, op, address);
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t words[4] = {0}, buffer[4], skipped = 0;
		uint8_t *at, *source;

		if (!(mask >> i & 1))
			continue;
		if (op->inst->mod[SASS_M_ZFILL])
			skipped = address[i] & (bytes - 1);
		at = lane_pointer(&into, i, (uint32_t)(shared[i] + (uint32_t)to->value));
		if (!at)
			return;
		if (reads >> i & 1) {
			source = lane_pointer(&from, i, address[i] - skipped);
			if (!source)
				return;
			if (w->weak) {
				weak_load(w->weak, w->index, weak_path(op), source, buffer, bytes);
				source = (uint8_t *)buffer;
			}
			load_words(words, source, bytes, false);
			memset((uint8_t *)words + bytes - skipped, 0, skipped);
		}
		if (!w->cta->copies)
			store_words(at, words, bytes);
		else if (!copies_hold(w, w->cta, (uint32_t)(at - w->cta->shared), words, bytes,
				      NO_BARRIER, NULL))
			warp_fault(w, i, MODEL_FAULT_HAZARD, w->pc, "out of memory");
	}
}

static void weak_barrier(struct warp *w, const struct op *op)
{
	uint8_t scope = op->inst->mod[SASS_M_SCOPE];

	if (op->inst->op == SASS_CCTL_IVALL)
		weak_invalidate(w->weak);
	else if (op->inst->op == SASS_MEMBAR && (scope == SASS_SCOPE_CTA || scope == SASS_SCOPE_SM))
		weak_publish(w->weak, w->index);
	else if (op->inst->op == SASS_MEMBAR)
		weak_fence(w->weak, w->index);
}

static void check_barrier(struct warp *w, const struct op *op)
{
	uint8_t scope = op->inst->mod[SASS_M_SCOPE];
	bool narrow = scope == SASS_SCOPE_CTA || scope == SASS_SCOPE_SM;

	if (op->inst->op == SASS_CCTL_IVALL)
		check_acquire(w->cta->check, w->index);
	else if (op->inst->op == SASS_MEMBAR)
		check_fence(w->cta->check, w->index, narrow ? CHECK_CTA : CHECK_GPU, false);
}

static void run_fence(struct warp *w, const struct op *op, uint32_t mask)
{
	if (w->weak && mask)
		weak_barrier(w, op);
	if (w->cta->check && mask)
		check_barrier(w, op);
	atomic_thread_fence(memory_order_seq_cst);
}

const char *prepare_access(struct op *op, const struct sass_inst *in)
{
	uint32_t i = 0;

	while (in->ops[i].kind != SASS_ADDR)
		i++;
	op->data[1] = i;
	switch (in->op) {
	case SASS_LDS:
	case SASS_LDSM:
	case SASS_STS:
	case SASS_ATOMS:
	case SASS_ATOMS_CAS:
	case SASS_ATOMS_POPC_INC:
		op->data[0] = SPACE_SHARED;
		break;
	case SASS_LDL:
	case SASS_STL:
		op->data[0] = SPACE_LOCAL;
		break;
	case SASS_LD:
	case SASS_ST:
	case SASS_ATOM:
	case SASS_ATOM_CAS:
		op->data[0] = SPACE_GENERIC;
		break;
	default:
		op->data[0] = SPACE_GLOBAL;
	}
	op->address.uwide = op->data[0] == SPACE_GLOBAL || op->data[0] == SPACE_GENERIC;
	return NULL;
}

static const char *prepare_load(struct op *op, const struct sass_inst *in)
{
	if (op->p[0] % PRED_UNIFORM != PRED_SINK || op->px[0] != SASS_PT || op->px_flip[0])
		return "loads with predicates are not modelled";
	return prepare_access(op, in);
}

/* The second address is that of global memory. */
static const char *prepare_copy(struct op *op, const struct sass_inst *in)
{
	(void)in;
	op->data[0] = SPACE_GLOBAL;
	op->data[1] = 1;
	op->address.uwide = true;
	return NULL;
}

/* Tests whether a generic address lies in a memory space. */
static void run_qspc(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t bits = 0, want = op->inst->mod[SASS_M_QSPC];
	uint64_t address[LANES];

	lane_addresses(w, op, address);
	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t window = address[i] & ~(NV_WINDOW_BYTES - 1);
		uint32_t space = is_own_shared(w, address[i])       ? SASS_QSPC_SHARED
				 : window == w->grid->shared_window ? SASS_QSPC_CLUSTER
				 : window == w->grid->local_window  ? SASS_QSPC_LOCAL
								    : SASS_QSPC_GLOBAL;

		bits |= (uint32_t)(space == want ||
				   (space == SASS_QSPC_SHARED && want == SASS_QSPC_CLUSTER))
			<< i;
	}
	pred_write(w, op->p[0], bits, mask);
}

static const char *prepare_qspc(struct op *op, const struct sass_inst *in)
{
	prepare_access(op, in);
	return op->d == ROW_SINK ? NULL : "QSPC with a register result is not modelled";
}

const struct op_row rows_memory[] = {
	{SASS_LDG, "pdax", run_load, NULL, prepare_load},
	{SASS_STG, "as", run_store, NULL, prepare_access},
	{SASS_LD, "dax", run_load, NULL, prepare_load},
	{SASS_ST, "as", run_store, NULL, prepare_access},
	{SASS_LDS, "da", run_load, NULL, prepare_access},
	{SASS_STS, "as", run_store, NULL, prepare_access},
	{SASS_LDL, "da", run_load, NULL, prepare_access},
	{SASS_STL, "as", run_store, NULL, prepare_access},
	{SASS_LDGSTS, "aax", run_copy, NULL, prepare_copy},
	{SASS_LDGDEPBAR, "", run_fence, NULL, NULL},
	{SASS_MEMBAR, "", run_fence, NULL, NULL},
	{SASS_ERRBAR, "", run_fence, NULL, NULL},
	{SASS_CGAERRBAR, "", run_fence, NULL, NULL},
	{SASS_CCTL, "a", run_fence, NULL, NULL},
	{SASS_QSPC, "pda", run_qspc, NULL, prepare_qspc},
	{SASS_CCTL_IVALL, "", run_fence, NULL, NULL},
	OP_ROWS_END,
};
