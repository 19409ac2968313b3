// SPDX-License-Identifier: MIT
/* Handlers that generated code calls: loads and stores of lanes whose addresses are in one page or
 * in the block's shared memory, and reciprocals and square roots. Any other access is the
 * interpreter's, so faults are, too. They use vectors of eight lanes on all hosts. */
#include <math.h>
#include <string.h>

#include "model/nv/exec_memory.h"
#include "model/nv/translate.h"

#if EMIT_HOST

/* Programs may race on GPU memory, which is no race of the software GPU. */
#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2,fma"), no_sanitize("thread")))
#else
#define TARGET __attribute__((no_sanitize("thread")))
#endif
#define INLINE TARGET static inline __attribute__((always_inline))

#define PART  8u /* lanes of a vector */
#define PARTS (LANES / PART)
#define HALF  (LANES / 2)
typedef uint32_t vec __attribute__((vector_size(PART * 4)));
typedef uint32_t __attribute__((may_alias)) word;

/* Where the active lanes' accesses are: offsets from host. Inactive lanes have the first one's. */
struct place {
	uint8_t *host;
	vec at[PARTS];
};

INLINE bool any(const vec *v)
{
#if defined(__x86_64__)
	typedef long long quad __attribute__((vector_size(PART * 4)));

	return !__builtin_ia32_ptestz256((quad)*v, (quad)*v);
#else
	uint64_t words[PART / 2];

	memcpy(words, v, sizeof(words));
	return words[0] | words[1] | words[2] | words[3];
#endif
}

INLINE vec lanes_of(const uint32_t *row, uint32_t part)
{
	vec v;

	memcpy(&v, row + part * PART, sizeof(v));
	return v;
}

/* All ones in the active lanes of a part. */
INLINE vec active_lanes(uint32_t mask, uint32_t part)
{
	const vec bits = {1, 2, 4, 8, 16, 32, 64, 128};

	return (vec)(((mask >> part * PART) & bits) != 0);
}

INLINE bool find_global(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes,
			uint32_t rights, struct place *p)
{
	const uint32_t *low = w->r[op->address.row],
		       *high = w->r[op->address.wide ? op->address.row + 1 : ROW_ZERO];
	uint32_t first = mask == ALL_LANES ? 0 : first_lane(mask);
	uint32_t low0 = low[first], high0 = high[first], start;
	uint64_t base = (uint64_t)w->ur[op->address.urow + 1] << 32 | w->ur[op->address.urow];
	const struct mmu_span *span;
	vec bad = {0};

	base += ((uint64_t)high0 << 32 | low0) + (uint64_t)op->address.offset;
	start = (uint32_t)base % MMU_PAGE_BYTES;
	for (uint32_t i = 0; i < PARTS; i++) {
		vec distance = lanes_of(low, i) - low0;
		/* Words of addresses on both sides of 2^31 could wrap around. */
		vec other = (lanes_of(high, i) ^ high0) | ((lanes_of(low, i) ^ low0) & 0x80000000u);

		if (mask != ALL_LANES) {
			distance &= active_lanes(mask, i);
			other &= active_lanes(mask, i);
		}
		p->at[i] = distance + start;
		bad |= other | (p->at[i] & ~((MMU_PAGE_BYTES - 1) & ~(bytes - 1)));
	}
	if (any(&bad))
		return false;
	span = mmu_find_span(&w->exec->thread.reader, base, rights);
	if (!span)
		return false;
	mmu_remember_span(&w->exec->thread.reader, op->span_site, rights & MODEL_WRITE, span);
	p->host = span->host + (base - start - span->start);
	return true;
}

INLINE bool find_shared(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes,
			struct place *p)
{
	const uint32_t *low = w->r[op->address.row];
	uint32_t base = w->ur[op->address.urow] + (uint32_t)op->address.offset,
		 size = w->grid->shared_bytes;
	uint32_t first = low[mask == ALL_LANES ? 0 : first_lane(mask)] + base;
	vec bad = {0};

	if (w->grid->has_clusters || size < bytes)
		return false;
	for (uint32_t i = 0; i < PARTS; i++) {
		vec at = lanes_of(low, i) + base;

		if (mask != ALL_LANES)
			at = first + ((at - first) & active_lanes(mask, i));
		p->at[i] = at;
		bad |= (at & (bytes - 1)) | (vec)(at > size - bytes);
	}
	p->host = w->cta->shared;
	return !any(&bad);
}

INLINE bool find(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes, bool shared,
		 uint32_t rights, struct place *p)
{
	return shared ? find_shared(w, op, mask, bytes, p)
		      : find_global(w, op, mask, bytes, rights, p);
}

/* True if the offsets of a half of the lanes advance by a step: blocks are often 16 threads
 * wide. */
INLINE bool is_regular(const struct place *p, uint32_t half, uint32_t step)
{
	const vec numbers = {0, 1, 2, 3, 4, 5, 6, 7};
	const vec *at = &p->at[half * PARTS / 2];
	uint32_t first = at[0][0];
	vec other = (at[0] ^ (numbers * step + first)) |
		    (at[1] ^ (numbers * step + (first + PART * step)));

	return !any(&other);
}

INLINE void load_half(uint32_t *row, const struct place *p, uint32_t half)
{
	const uint32_t *at = (const uint32_t *)p->at + half * HALF;
	const uint8_t *host = p->host;

	if (is_regular(p, half, 0)) {
		vec value = (vec){0} + *(const word *)(host + at[0]);

		memcpy(row, &value, sizeof(value));
		memcpy(row + PART, &value, sizeof(value));
	} else if (is_regular(p, half, 4)) {
		memcpy(row, host + at[0], HALF * 4);
	} else {
		for (uint32_t i = 0; i < HALF; i++)
			row[i] = *(const word *)(host + at[i]);
	}
}

/* Two words, which are one access where they are 64 bits. */
INLINE void load_pair(uint32_t *low, uint32_t *high, const uint8_t *from)
{
	uint64_t pair = __atomic_load_n((const uint64_t *)(const void *)from, __ATOMIC_RELAXED);

	*low = (uint32_t)pair;
	*high = (uint32_t)(pair >> 32);
}

INLINE void load_pairs(struct warp *w, const struct op *op, uint32_t mask, uint32_t words,
		       const struct place *p)
{
	const uint32_t *at = (const uint32_t *)p->at;

	for (uint32_t k = 0; k < words; k += 2)
		for (uint32_t left = mask; left; left &= left - 1) {
			uint32_t i = first_lane(left);

			load_pair(&w->r[op->d + k][i], &w->r[op->d + k + 1][i],
				  p->host + 4 * k + at[i]);
		}
}

/* Lanes in several pages, translated one by one. The first word of each lane's access goes to
 * where. False: an access that the interpreter must check. */
INLINE bool find_each(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes,
		      const uint8_t *where[LANES])
{
	uint64_t address[LANES];

	lane_addresses(w, op, address);
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t i = first_lane(left);
		enum mmu_result why;

		if (address[i] & (bytes - 1))
			return false;
		where[i] = mmu_translate(&w->exec->thread.reader, address[i], MODEL_READ, &why);
		if (!where[i])
			return false;
	}
	return true;
}

INLINE void load_each(struct warp *w, const struct op *op, uint32_t mask, uint32_t words)
{
	const uint8_t *where[LANES];

	if (!find_each(w, op, mask, 4 * words, where)) {
		op->run(w, op, mask);
		return;
	}
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t i = first_lane(left);

		if (words == 1)
			w->r[op->d][i] = *(const word *)where[i];
		for (uint32_t k = 0; words > 1 && k < words; k += 2)
			load_pair(&w->r[op->d + k][i], &w->r[op->d + k + 1][i], where[i] + 4 * k);
	}
}

INLINE void load(struct warp *w, const struct op *op, uint32_t mask, uint32_t words, bool shared)
{
	struct place p;

	if (!shared && !descriptor_valid(w, op))
		return;
	if (!find(w, op, mask, 4 * words, shared, MODEL_READ, &p)) {
		if (shared)
			op->run(w, op, mask);
		else
			load_each(w, op, mask, words);
		return;
	}
	if (words == 1) {
		bool whole = mask == w->live || mask == ALL_LANES;
		uint32_t *d = w->r[op->d], row[LANES], *to = whole ? d : row;

		load_half(to, &p, 0);
		load_half(to + HALF, &p, 1);
		if (!whole)
			row_blend(d, row, mask);
	} else {
		load_pairs(w, op, mask, words, &p);
	}
}

INLINE void store(struct warp *w, const struct op *op, uint32_t mask, uint32_t words, bool shared)
{
	const uint32_t *at;
	struct place p;

	if (!shared && !descriptor_valid(w, op))
		return;
	if (!find(w, op, mask, 4 * words, shared, MODEL_WRITE, &p)) {
		op->run(w, op, mask);
		return;
	}
	at = (const uint32_t *)p.at;
	if (mask == ALL_LANES && words == 1 && is_regular(&p, 0, 4) && is_regular(&p, 1, 4)) {
		memcpy(p.host + at[0], w->r[op->s[0].row], HALF * 4);
		memcpy(p.host + at[HALF], w->r[op->s[0].row] + HALF, HALF * 4);
		return;
	}
	for (uint32_t k = 0; k < words; k += 2) {
		const uint32_t *low = w->r[op->s[0].row + k], *high = low + LANES;

		for (uint32_t left = mask; left; left &= left - 1) {
			uint32_t i = first_lane(left);
			uint8_t *to = p.host + 4 * k + at[i];

			if (words == 1)
				*(word *)to = low[i];
			else
				__atomic_store_n((uint64_t *)(void *)to,
						 low[i] | (uint64_t)high[i] << 32,
						 __ATOMIC_RELAXED);
		}
	}
}

/* As mufu() of exec_float.c. */
INLINE void mufu(struct warp *w, const struct op *op, uint32_t mask, uint32_t function)
{
	const uint32_t *s = w->r[op->s[0].row], keep = op->s[0].keep, flip = op->s[0].flip;
	uint32_t row[LANES];

	EACH_LANE(i) {
		uint32_t bits = (s[i] & keep) ^ flip, out;
		float single;
		double x, y;

		bits = bits & 0x7f800000 ? bits : bits & 0x80000000;
		memcpy(&single, &bits, 4);
		x = single;
		y = function == RECIPROCAL ? 1 / x : function == ROOT ? sqrt(x) : 1 / sqrt(x);
		single = (float)y;
		memcpy(&out, &single, 4);
		out = (out & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : out;
		row[i] = out & 0x7f800000 ? out : out & 0x80000000;
	}
	row_blend(w->r[op->d], row, mask);
}

/* The functions for one, two and four words. */
#define ACCESS(name, how, shared) \
	TARGET static void name##1(struct warp * w, const struct op *op, uint32_t mask) \
	{ \
		how(w, op, mask, 1, shared); \
	} \
	TARGET static void name##2(struct warp * w, const struct op *op, uint32_t mask) \
	{ \
		how(w, op, mask, 2, shared); \
	} \
	TARGET static void name##4(struct warp * w, const struct op *op, uint32_t mask) \
	{ \
		how(w, op, mask, 4, shared); \
	}
ACCESS(load_global, load, false)
ACCESS(load_shared, load, true)
ACCESS(store_global, store, false)
ACCESS(store_shared, store, true)

TARGET static void run_reciprocal(struct warp *w, const struct op *op, uint32_t mask)
{
	mufu(w, op, mask, RECIPROCAL);
}

TARGET static void run_reciprocal_root(struct warp *w, const struct op *op, uint32_t mask)
{
	mufu(w, op, mask, RECIPROCAL_ROOT);
}

TARGET static void run_root(struct warp *w, const struct op *op, uint32_t mask)
{
	mufu(w, op, mask, ROOT);
}

/* Rows by space or MUFU, and by words. */
enum { LOAD_GLOBAL, LOAD_SHARED, STORE_GLOBAL, STORE_SHARED, MUFU, KINDS };
static run_fn *const handlers[KINDS][3] = {
	[LOAD_GLOBAL] = {load_global1, load_global2, load_global4},
	[LOAD_SHARED] = {load_shared1, load_shared2, load_shared4},
	[STORE_GLOBAL] = {store_global1, store_global2, store_global4},
	[STORE_SHARED] = {store_shared1, store_shared2, store_shared4},
	[MUFU] = {run_reciprocal, run_reciprocal_root, run_root},
};

/* Returns 3 where there is no handler. */
static uint32_t mufu_column(const struct op *op)
{
	if (op->inst->mod[SASS_M_DTYPE] || op->s[0].kind != SOURCE_ROW)
		return 3;
	switch (op->inst->mod[SASS_M_FUNC]) {
	case SASS_MUFU_RCP:
		return RECIPROCAL;
	case SASS_MUFU_RSQ:
		return RECIPROCAL_ROOT;
	case SASS_MUFU_SQRT:
		return ROOT;
	default:
		return 3;
	}
}

run_fn *translated_handler(const struct op *op, enum emit_isa isa)
{
	uint32_t kind, column = 3;

	switch (op->inst->op) {
	case SASS_MUFU:
		column = mufu_column(op);
		if (column == 3)
			return NULL;
		return isa == EMIT_AVX512 ? root_handlers_avx512[column] : handlers[MUFU][column];
	case SASS_LDG:
		kind = LOAD_GLOBAL;
		break;
	case SASS_LDS:
		kind = LOAD_SHARED;
		break;
	case SASS_STG:
		kind = STORE_GLOBAL;
		break;
	case SASS_STS:
		kind = STORE_SHARED;
		break;
	default:
		return NULL;
	}
	switch (op->inst->mod[SASS_M_WIDTH]) {
	case SASS_WIDTH_32:
		column = 0;
		break;
	case SASS_WIDTH_64:
		column = 1;
		break;
	case SASS_WIDTH_128:
		column = 2;
		break;
	}
	if (column == 3 || op->inst->mod[SASS_M_XSHIFT])
		return NULL;
	return isa == EMIT_AVX512 ? access_handlers_avx512[kind][column] : handlers[kind][column];
}

#endif
