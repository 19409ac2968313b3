// SPDX-License-Identifier: MIT
/* Scalar loads, and vector memory: flat, global, scratch and untyped buffers. A lane's address is
 * global, in LDS or private; the upper word of a flat address selects the aperture. Buffers are
 * bounds-checked: loads beyond the size return 0, stores are dropped, as on hardware. */
#include <string.h>

#include "model/amd/lane_address.h"

/* Untyped buffer resource (RDNA2 manual, chapter 8): base, stride, size in bytes, and lane
 * interleaving (swizzle). */
struct buffer {
	uint64_t base;
	uint32_t stride, records, index_stride;
	bool swizzle, add_lane;
};

static struct buffer buffer_of(const struct wave *w, const struct op *op, enum amd_slot slot)
{
	const uint32_t *r = &w->s[op->in.reg[slot]];

	return (struct buffer){
		.base = r[0] | (uint64_t)(r[1] & 0xffff) << 32,
		.stride = r[1] >> 16 & 0x3fff,
		.records = r[2],
		.swizzle = r[1] >> 31,
		.index_stride = 8u << (r[3] >> 21 & 3),
		.add_lane = r[3] >> 23 & 1,
	};
}

static struct lane_address buffer_address(const struct wave *w, const struct op *op, uint32_t lane,
					  uint32_t bytes)
{
	const int32_t *f = op->in.field;
	const row *v = &w->v[op->in.reg[AMD_S0] - AMD_VGPR];
	struct buffer b = buffer_of(w, op, AMD_S2);
	uint32_t index = (f[AMD_F_IDXEN] ? v[0][lane] : 0) + (b.add_lane ? lane : 0);
	uint32_t offset =
		(f[AMD_F_OFFEN] ? v[f[AMD_F_IDXEN]][lane] : 0) + (uint32_t)f[AMD_F_OFFSET];
	uint64_t at;

	if (b.swizzle) {
		uint32_t many = b.index_stride;

		at = ((uint64_t)(index / many) * b.stride + (offset & ~3u)) * many +
		     index % many * 4 + offset % 4;
	} else {
		at = (uint64_t)index * b.stride + offset;
		if (b.stride ? index >= b.records : at + bytes > b.records)
			return (struct lane_address){SPACE_NOWHERE, 0, 0};
	}
	return (struct lane_address){SPACE_GLOBAL, b.base + amd_read_scalar(w, op, AMD_SX, 0) + at,
				     0};
}

static struct lane_address flat_address(const struct wave *w, uint64_t at)
{
	if ((at ^ AMD_APERTURE_LDS) >> 32 == 0)
		return (struct lane_address){SPACE_LDS, (uint32_t)at, 0};
	if ((at ^ AMD_APERTURE_PRIVATE) >> 32 == 0)
		return (struct lane_address){SPACE_PRIVATE, (uint32_t)at, w->flat_scratch};
	return (struct lane_address){SPACE_GLOBAL, at, 0};
}

struct lane_address amd_lane_address(const struct wave *w, const struct op *op, uint32_t lane,
				     uint32_t bytes)
{
	const struct amd_inst *in = &op->in;
	uint64_t offset = (uint64_t)(int64_t)in->field[AMD_F_OFFSET], at = 0;
	uint32_t words = amd_words(in, AMD_S0);

	if (in->row->format == AMD_MUBUF)
		return buffer_address(w, op, lane, bytes);
	if (words) {
		const row *v = &w->v[in->reg[AMD_S0] - AMD_VGPR];

		at = v[0][lane] | (words > 1 ? (uint64_t)v[1][lane] << 32 : 0);
	}
	if (in->row->type[AMD_S2] && amd_words(in, AMD_S2))
		at += amd_words(in, AMD_S2) > 1 ? amd_read_scalar64(w, op, AMD_S2)
						: amd_read_scalar(w, op, AMD_S2, 0);
	if (!in->row->type[AMD_S0]) /* by lane number */
		at += lane * 4;
	at += offset;
	if (in->row->format == AMD_SCRATCH)
		return (struct lane_address){SPACE_PRIVATE, (uint32_t)at, w->flat_scratch};
	return in->row->format == AMD_FLAT ? flat_address(w, at)
					   : (struct lane_address){SPACE_GLOBAL, at, 0};
}

/* Private memory is interleaved word by word, so consecutive bytes are not at consecutive
 * addresses. */
static enum mmu_result private_access(struct wave *w, const struct lane_address *addr,
				      uint32_t lane, uint8_t *data, uint32_t bytes, bool write,
				      uint64_t *fault)
{
	enum mmu_result why = MMU_OK;

	for (uint32_t k = 0; k < bytes && why == MMU_OK;) {
		uint32_t offset = (uint32_t)addr->at + k, part = 4 - offset % 4;
		uint64_t va = private_address(addr->base, lane, offset);

		if (part > bytes - k)
			part = bytes - k;
		why = write ? amd_memory_write(w, va, data + k, part, AMD_ORDERED, fault)
			    : amd_memory_read(w, va, data + k, part, AMD_ORDERED, fault);
		k += part;
	}
	return why;
}

static bool is_out_of_bounds(struct wave *w, const struct lane_address *addr, uint32_t lane,
			     uint32_t bytes, bool write)
{
	bool lds = addr->space == SPACE_LDS;
	uint32_t size = lds ? w->grid->lds_bytes : w->grid->private_bytes;

	if (addr->at + bytes <= size)
		return false;
	amd_wave_fault(w, lane, lds ? MODEL_FAULT_SHARED_RANGE : MODEL_FAULT_LOCAL_RANGE, addr->at,
		       "%s of %u bytes, %s 0x%llx, beyond its %u bytes", write ? "store" : "load",
		       bytes, lds ? "LDS at" : "private memory at", (unsigned long long)addr->at,
		       size);
	return true;
}

/* The caches that a vector load may hit (RDNA2 manual, chapter 8, "GLC, DLC and SLC bits"). */
static enum amd_path path_of(const struct op *op)
{
	if (!op->in.field[AMD_F_GLC])
		return AMD_CACHED;
	return op->in.field[AMD_F_DLC] ? AMD_GLC_DLC : AMD_GLC;
}

static bool access_bytes(struct wave *w, const struct lane_address *addr, uint32_t lane, void *data,
			 uint32_t bytes, enum amd_path path, bool write)
{
	enum mmu_result why = MMU_OK;
	uint64_t fault = addr->at;

	switch (addr->space) {
	case SPACE_GLOBAL:
		why = write ? amd_memory_write(w, addr->at, data, bytes, path, &fault)
			    : amd_memory_read(w, addr->at, data, bytes, path, &fault);
		break;
	case SPACE_LDS:
		if (is_out_of_bounds(w, addr, lane, bytes, write))
			return false;
		memcpy(write ? w->group->lds + addr->at : data,
		       write ? data : w->group->lds + addr->at, bytes);
		break;
	case SPACE_PRIVATE:
		if (is_out_of_bounds(w, addr, lane, bytes, write))
			return false;
		why = private_access(w, addr, lane, data, bytes, write, &fault);
		break;
	case SPACE_NOWHERE:
		if (!write)
			memset(data, 0, bytes);
		break;
	}
	if (why != MMU_OK)
		amd_wave_fault(w, lane, MODEL_FAULT_MMU, fault,
			       "%s of %u bytes, memory at 0x%llx, which %s",
			       write ? "store" : "load", bytes, (unsigned long long)fault,
			       mmu_result_text(why));
	return why == MMU_OK;
}

/* Fast path for aligned words at global or flat addresses: computes the addresses of all lanes at
 * once and translates only when the page changes. Other accesses (unaligned, across pages, LDS,
 * private memory, unmapped) take the slow path, lane by lane. */
struct lanes {
	uint64_t at[LANES], page;
	uint8_t *host; /* of the page */
	uint32_t bytes, access;
};

static bool lanes_begin(const struct wave *w, const struct op *op, struct lanes *l)
{
	const struct amd_inst *in = &op->in;
	uint32_t words = amd_words(in, AMD_S0), kind = op->handler->data;
	const row *v = &w->v[in->reg[AMD_S0] - AMD_VGPR];
	uint64_t base = (uint64_t)(int64_t)in->field[AMD_F_OFFSET];

	if ((in->row->format != AMD_GLOBAL && in->row->format != AMD_FLAT) || kind & ~MEM_BYTES ||
	    kind % 4 || !in->row->type[AMD_S0] || !words || w->grid->memory || w->weak ||
	    w->grid->lines)
		return false;
	if (in->row->type[AMD_S2] && amd_words(in, AMD_S2))
		base += amd_words(in, AMD_S2) > 1 ? amd_read_scalar64(w, op, AMD_S2)
						  : amd_read_scalar(w, op, AMD_S2, 0);
	l->bytes = kind;
	l->page = UINT64_MAX;
	if (words > 1)
		for (uint32_t i = 0; i < LANES; i++)
			l->at[i] = base + (v[0][i] | (uint64_t)v[1][i] << 32);
	else
		for (uint32_t i = 0; i < LANES; i++)
			l->at[i] = base + v[0][i];
	return true;
}

/* Returns the lane's words; NULL: use the slow path. */
static inline uint32_t *lane_words(struct wave *w, struct lanes *l, uint32_t i)
{
	uint64_t at = l->at[i];

	if (at % 4 || at % MMU_PAGE_BYTES > MMU_PAGE_BYTES - l->bytes || at >> AMD_VA_BITS)
		return NULL;
	if (at / MMU_PAGE_BYTES != l->page) {
		enum mmu_result why;

		l->host = mmu_translate(w->reader, at - at % MMU_PAGE_BYTES, l->access, &why);
		if (!l->host)
			return NULL;
		l->page = at / MMU_PAGE_BYTES;
	}
	return (uint32_t *)(l->host + at % MMU_PAGE_BYTES);
}

/* True if hazard mode tracks visibility between waves for this access. Buffers are excluded: LLVM
 * uses them for private memory, of which inactive lanes may read stale values. */
static bool tracks_visibility(const struct wave *w, const struct op *op, enum space space)
{
	return w->grid->release && space == SPACE_GLOBAL && op->in.row->format != AMD_MUBUF;
}

static bool store_is_visible(struct wave *w, const struct op *op, uint32_t i, uint64_t at,
			     uint32_t bytes)
{
	return op->in.field[AMD_F_GLC] || amd_release_read(w, i, at, bytes);
}

static bool load_lane(struct wave *w, const struct op *op, uint32_t i, uint32_t kind, row *d)
{
	uint32_t bytes = kind & MEM_BYTES, data[4] = {0};
	struct lane_address addr = amd_lane_address(w, op, i, bytes);

	if (!access_bytes(w, &addr, i, data, bytes, path_of(op), false) ||
	    (tracks_visibility(w, op, addr.space) && !store_is_visible(w, op, i, addr.at, bytes)))
		return false;
	put_loaded(d, i, kind, data);
	return true;
}

static bool store_lane(struct wave *w, const struct op *op, uint32_t i, uint32_t kind, const row *s)
{
	uint32_t bytes = kind & MEM_BYTES, data[4];
	struct lane_address addr = amd_lane_address(w, op, i, bytes);

	get_stored(s, i, kind, data);
	if (!access_bytes(w, &addr, i, data, bytes, path_of(op), true))
		return false;
	if (tracks_visibility(w, op, addr.space))
		amd_release_wrote(w, addr.at, bytes, AMD_VSCNT);
	return true;
}

/* Pairs of words that are aligned to their size are accessed as a whole: other blocks must not see
 * halves. */
static inline bool is_pair(const uint32_t *words, uint32_t k, uint32_t count)
{
	return k + 1 < count && (uintptr_t)&words[k] % 8 == 0;
}

static inline void load_words(row *d, uint32_t lane, const uint32_t *from, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		if (is_pair(from, k, count)) {
			uint64_t x = __atomic_load_n((const uint64_t *)&from[k], __ATOMIC_RELAXED);

			d[k][lane] = (uint32_t)x; /* little-endian host */
			d[++k][lane] = (uint32_t)(x >> 32);
		} else {
			d[k][lane] = __atomic_load_n(&from[k], __ATOMIC_RELAXED);
		}
	}
}

static inline void store_words(uint32_t *to, const row *s, uint32_t lane, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		if (is_pair(to, k, count)) {
			uint64_t x = s[k][lane] | (uint64_t)s[k + 1][lane] << 32;

			__atomic_store_n((uint64_t *)&to[k], x, __ATOMIC_RELAXED);
			k++;
		} else {
			__atomic_store_n(&to[k], s[k][lane], __ATOMIC_RELAXED);
		}
	}
}

static void run_load(struct wave *w, const struct op *op)
{
	uint32_t kind = op->handler->data;
	row *d = &w->v[op->in.reg[AMD_D] - AMD_VGPR];
	struct lanes l = {.access = MODEL_READ};
	bool fast = lanes_begin(w, op, &l);

	if (w->weak)
		weak_unit_tick(w->weak);
	w->loads++;
	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		uint32_t *from = fast ? lane_words(w, &l, i) : NULL;

		if (from && w->grid->release && !store_is_visible(w, op, i, l.at[i], l.bytes))
			return;
		if (from)
			load_words(d, i, from, kind / 4);
		else if (!load_lane(w, op, i, kind, d))
			return;
	}
}

static void run_store(struct wave *w, const struct op *op)
{
	uint32_t kind = op->handler->data;
	const row *s = &w->v[op->in.reg[AMD_S1] - AMD_VGPR];
	struct lanes l = {.access = MODEL_WRITE};
	bool fast = lanes_begin(w, op, &l);

	if (w->weak)
		weak_unit_tick(w->weak);
	w->stores++;
	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		uint32_t *to = fast ? lane_words(w, &l, i) : NULL;

		if (to)
			store_words(to, s, i, kind / 4);
		else if (!store_lane(w, op, i, kind, s))
			return;
		if (to && w->grid->release)
			amd_release_wrote(w, l.at[i], l.bytes, AMD_VSCNT);
	}
}

/* handler.data: enum atomic, WIDE: 64 bits. */
enum { WIDE = 64 };

/* Compare-and-swap loop, since other threads may access the word. */
static bool atomic_in_memory(struct wave *w, uint32_t lane, uint64_t at, enum atomic a,
			     uint32_t bytes, uint64_t data, uint64_t compare, uint64_t *old)
{
	enum mmu_result why;
	uint8_t *host;

	if (at % bytes) {
		amd_wave_fault(w, lane, MODEL_FAULT_MISALIGNED, at,
			       "atomic operation at 0x%llx, which is not aligned",
			       (unsigned long long)at);
		return false;
	}
	host = amd_host_address(w, at, bytes, MODEL_READ | MODEL_WRITE | MODEL_ATOMIC, &why);
	if (!host) {
		amd_wave_fault(w, lane, MODEL_FAULT_MMU, at,
			       "atomic operation of %u bytes, memory at 0x%llx, which %s", bytes,
			       (unsigned long long)at, mmu_result_text(why));
		return false;
	}
	if (w->grid->lines)
		amd_lines_store(w, at, bytes);
	if (w->weak)
		weak_atomic(w->weak, w->index, host, bytes);
	if (bytes == 8) {
		uint64_t seen = __atomic_load_n((uint64_t *)host, __ATOMIC_RELAXED);

		while (!__atomic_compare_exchange_n((uint64_t *)host, &seen,
						    amd_atomic_result(a, 8, seen, data, compare),
						    false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			;
		*old = seen;
	} else {
		uint32_t seen = __atomic_load_n((uint32_t *)host, __ATOMIC_RELAXED);

		while (!__atomic_compare_exchange_n(
			(uint32_t *)host, &seen,
			(uint32_t)amd_atomic_result(a, 4, seen, data, compare), false,
			__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			;
		*old = seen;
	}
	return true;
}

static bool atomic_on_lane(struct wave *w, const struct lane_address *addr, uint32_t lane,
			   enum atomic a, uint32_t bytes, uint64_t data, uint64_t compare,
			   uint64_t *old)
{
	uint64_t new;

	if (addr->space == SPACE_GLOBAL)
		return atomic_in_memory(w, lane, addr->at, a, bytes, data, compare, old);
	/* The waves of a workgroup run on one host thread. */
	if (!access_bytes(w, addr, lane, old, bytes, AMD_ORDERED, false))
		return false;
	new = amd_atomic_result(a, bytes, *old, data, compare);
	return access_bytes(w, addr, lane, &new, bytes, AMD_ORDERED, true);
}

static void run_atomic(struct wave *w, const struct op *op)
{
	enum atomic a = (enum atomic)(op->handler->data & 63);
	uint32_t words = op->handler->data & WIDE ? 2 : 1;
	bool buffer = op->in.row->format == AMD_MUBUF;
	const row *s = &w->v[op->in.reg[buffer ? AMD_D : AMD_S1] - AMD_VGPR];

	if (w->weak)
		weak_unit_tick(w->weak);
	if (op->in.field[AMD_F_GLC])
		w->loads++;
	else
		w->stores++;
	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		struct lane_address addr = amd_lane_address(w, op, i, 4 * words);
		uint64_t old = 0, data, compare = 0;

		data = s[0][i] | (words > 1 ? (uint64_t)s[1][i] << 32 : 0);
		if (a == ATOMIC_CMPSWAP)
			compare = s[words][i] | (words > 1 ? (uint64_t)s[words + 1][i] << 32 : 0);
		if (!atomic_on_lane(w, &addr, i, a, 4 * words, data, compare, &old))
			return;
		/* Compare-and-swap loops start with a plain load: a stale value repeats it. */
		if (tracks_visibility(w, op, addr.space) &&
		    !(a == ATOMIC_CMPSWAP && op->in.field[AMD_F_GLC]))
			amd_release_wrote(w, addr.at, 4 * words,
					  op->in.field[AMD_F_GLC] ? AMD_VMCNT : AMD_VSCNT);
		if (!op->in.field[AMD_F_GLC])
			continue;
		w->v[op->in.reg[AMD_D] - AMD_VGPR][i] = (uint32_t)old;
		if (words > 1)
			w->v[op->in.reg[AMD_D] - AMD_VGPR + 1][i] = (uint32_t)(old >> 32);
	}
}

static run_fn run_scalar_load;

enum amd_access amd_lane_access(const struct op *op, uint32_t *bytes)
{
	run_fn *run = op->handler->run;

	*bytes = run == run_atomic ? (op->handler->data & WIDE ? 8 : 4)
				   : op->handler->data & MEM_BYTES;
	return run == run_load     ? AMD_READS
	       : run == run_store  ? AMD_WRITES
	       : run == run_atomic ? AMD_ATOMIC
				   : AMD_NO_ACCESS;
}

const row *amd_stored_rows(const struct wave *w, const struct op *op)
{
	return op->handler->run == run_store && !(op->handler->data & MEM_HIGH)
		       ? &w->v[op->in.reg[AMD_S1] - AMD_VGPR]
		       : NULL;
}

static bool scalar_read(struct wave *w, uint64_t at, uint32_t *data, uint32_t words)
{
	uint64_t fault = at;
	enum mmu_result why = amd_memory_read(w, at, data, 4 * words, AMD_SCALAR, &fault);

	if (why != MMU_OK)
		amd_wave_fault(w, LANES, MODEL_FAULT_MMU, fault, "scalar load at 0x%llx, which %s",
			       (unsigned long long)fault, mmu_result_text(why));
	return why == MMU_OK;
}

uint32_t amd_scalar_load(const struct wave *w, const struct op *op, uint64_t *address)
{
	uint64_t offset;

	*address = 0;
	if (op->handler->run != run_scalar_load)
		return 0;
	offset = (uint64_t)(int64_t)op->in.field[AMD_F_OFFSET] + amd_read_scalar(w, op, AMD_S1, 0);
	if (op->in.row->type[AMD_S0] == TYPE_B128)
		*address = buffer_of(w, op, AMD_S0).base + (offset & ~3ull);
	else
		*address = (amd_read_scalar64(w, op, AMD_S0) + offset) & ~3ull;
	return amd_words(&op->in, AMD_D);
}

static void run_scalar_load(struct wave *w, const struct op *op)
{
	uint64_t at;
	uint32_t words = amd_scalar_load(w, op, &at), data[16] = {0};

	if (op->in.row->type[AMD_S0] == TYPE_B128) {
		struct buffer b = buffer_of(w, op, AMD_S0);
		uint64_t size = b.stride ? (uint64_t)b.stride * b.records : b.records;
		uint64_t offset = at - b.base;

		for (uint32_t k = 0; k < words; k++)
			if (offset + 4 * k + 4 <= size && !scalar_read(w, at + 4 * k, &data[k], 1))
				return;
	} else if (!scalar_read(w, at, data, words)) {
		return;
	}
	for (uint32_t k = 0; k < words; k++)
		amd_write_scalar(w, op->in.reg[AMD_D] + (op->in.reg[AMD_D] == AMD_NULL ? 0 : k),
				 data[k]);
}

/* The shader clock: here the number of instructions that the wave executed. */
static void run_time(struct wave *w, const struct op *op)
{
	amd_write_scalar64(w, op->in.reg[AMD_D], w->steps);
}

/* The timestamp clock. */
static void run_real_time(struct wave *w, const struct op *op)
{
	amd_write_scalar64(w, op->in.reg[AMD_D], model_nanoseconds() / AMD_CLOCK_NANOSECONDS);
}

/* Cache invalidations; only in weak memory mode do caches hold old lines that the wave's own
 * dispatch has loaded. A load that was not waited for may be performed after the invalidation, when
 * the cache holds an old line again: that is as if the invalidation had not happened. */
static bool invalidation_counts(struct wave *w)
{
	return w->loads <= w->loaded || weak_random(w->reader->weak, 2);
}

static void run_dcache_inv(struct wave *w, const struct op *op)
{
	(void)op;
	if (w->grid->lines)
		amd_lines_invalidate_scalar(w);
	if (w->weak)
		weak_invalidate_scalar(w->weak);
}

static void run_gl0_inv(struct wave *w, const struct op *op)
{
	(void)op;
	if (w->weak && invalidation_counts(w))
		weak_invalidate(w->weak);
}

static void run_gl1_inv(struct wave *w, const struct op *op)
{
	(void)op;
	if (w->grid->lines)
		amd_lines_invalidate_vector(w);
	if (w->weak && invalidation_counts(w))
		weak_invalidate_shared(w->weak);
}

#define EVERYWHERE(name, run, data) \
	{AMD_flat_##name, run, NULL, data}, {AMD_global_##name, run, NULL, data}, \
		{AMD_scratch_##name, run, NULL, data}, \
	{ \
		AMD_buffer_##name, run, NULL, data \
	}
#define ATOMICS(name, kind) \
	{AMD_flat_atomic_##name, run_atomic, NULL, kind}, \
		{AMD_global_atomic_##name, run_atomic, NULL, kind}, \
		{AMD_buffer_atomic_##name, run_atomic, NULL, kind}, \
		{AMD_flat_atomic_##name##_x2, run_atomic, NULL, (kind) | WIDE}, \
		{AMD_global_atomic_##name##_x2, run_atomic, NULL, (kind) | WIDE}, \
	{ \
		AMD_buffer_atomic_##name##_x2, run_atomic, NULL, (kind) | WIDE \
	}
#define SCALAR(name) {AMD_##name, run_scalar_load, NULL, 0}

const struct handler amd_handlers_memory[] = {
	EVERYWHERE(load_ubyte, run_load, 1),
	EVERYWHERE(load_sbyte, run_load, 1 | MEM_SIGNED),
	EVERYWHERE(load_ushort, run_load, 2),
	EVERYWHERE(load_sshort, run_load, 2 | MEM_SIGNED),
	EVERYWHERE(load_dword, run_load, 4),
	EVERYWHERE(load_dwordx2, run_load, 8),
	EVERYWHERE(load_dwordx3, run_load, 12),
	EVERYWHERE(load_dwordx4, run_load, 16),
	EVERYWHERE(load_ubyte_d16, run_load, 1 | MEM_LOW),
	EVERYWHERE(load_ubyte_d16_hi, run_load, 1 | MEM_HIGH),
	EVERYWHERE(load_sbyte_d16, run_load, 1 | MEM_SIGNED | MEM_LOW),
	EVERYWHERE(load_sbyte_d16_hi, run_load, 1 | MEM_SIGNED | MEM_HIGH),
	EVERYWHERE(load_short_d16, run_load, 2 | MEM_LOW),
	EVERYWHERE(load_short_d16_hi, run_load, 2 | MEM_HIGH),
	EVERYWHERE(store_byte, run_store, 1),
	EVERYWHERE(store_byte_d16_hi, run_store, 1 | MEM_HIGH),
	EVERYWHERE(store_short, run_store, 2),
	EVERYWHERE(store_short_d16_hi, run_store, 2 | MEM_HIGH),
	EVERYWHERE(store_dword, run_store, 4),
	EVERYWHERE(store_dwordx2, run_store, 8),
	EVERYWHERE(store_dwordx3, run_store, 12),
	EVERYWHERE(store_dwordx4, run_store, 16),
	{AMD_global_load_dword_addtid, run_load, NULL, 4},
	{AMD_global_store_dword_addtid, run_store, NULL, 4},
	ATOMICS(swap, ATOMIC_SWAP),
	ATOMICS(cmpswap, ATOMIC_CMPSWAP),
	ATOMICS(add, ATOMIC_ADD),
	ATOMICS(sub, ATOMIC_SUB),
	ATOMICS(smin, ATOMIC_SMIN),
	ATOMICS(umin, ATOMIC_UMIN),
	ATOMICS(smax, ATOMIC_SMAX),
	ATOMICS(umax, ATOMIC_UMAX),
	ATOMICS(and, ATOMIC_AND),
	ATOMICS(or, ATOMIC_OR),
	ATOMICS(xor, ATOMIC_XOR),
	ATOMICS(inc, ATOMIC_INC),
	ATOMICS(dec, ATOMIC_DEC),
	ATOMICS(fmin, ATOMIC_FMIN),
	ATOMICS(fmax, ATOMIC_FMAX),
	{AMD_global_atomic_csub, run_atomic, NULL, ATOMIC_CSUB},
	{AMD_buffer_atomic_csub, run_atomic, NULL, ATOMIC_CSUB},
	SCALAR(s_load_dword),
	SCALAR(s_load_dwordx2),
	SCALAR(s_load_dwordx4),
	SCALAR(s_load_dwordx8),
	SCALAR(s_load_dwordx16),
	SCALAR(s_buffer_load_dword),
	SCALAR(s_buffer_load_dwordx2),
	SCALAR(s_buffer_load_dwordx4),
	SCALAR(s_buffer_load_dwordx8),
	SCALAR(s_buffer_load_dwordx16),
	{AMD_s_memtime, run_time, NULL, 0},
	{AMD_s_memrealtime, run_real_time, NULL, 0},
	{AMD_s_dcache_inv, run_dcache_inv, NULL, 0},
	{AMD_s_gl1_inv, run_gl1_inv, NULL, 0},
	{AMD_buffer_gl0_inv, run_gl0_inv, NULL, 0},
	{AMD_buffer_gl1_inv, run_gl1_inv, NULL, 0},
	HANDLERS_END,
};
