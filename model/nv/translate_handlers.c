// SPDX-License-Identifier: MIT
/* Handlers that generated code calls: loads and stores of lanes whose addresses are in one page or
 * in the block's shared memory, and reciprocals and square roots. Any other access is the
 * interpreter's, so faults are, too. Each is compiled for every instruction set. */
#include <math.h>
#include <string.h>

#include "model/nv/exec_memory.h"
#include "model/nv/translate.h"

#if EMIT_HOST

#define INLINE static inline __attribute__((always_inline))

typedef uint32_t __attribute__((may_alias)) word;

/* Where the active lanes' accesses are: offsets from host. Inactive lanes have the first one's. */
struct place {
	uint8_t *host;
	uint32_t at[LANES];
	bool same, adjacent; /* all offsets are equal; lanes access words next to each other */
};

INLINE bool find_global(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes,
			uint32_t rights, struct place *p)
{
	const uint32_t *low = w->r[op->address.row],
		       *high = w->r[op->address.wide ? op->address.row + 1 : ROW_ZERO];
	uint32_t first = mask == ALL_LANES ? 0 : first_lane(mask);
	uint32_t low0 = low[first], high0 = high[first], start, all = 0, differing = 0, spread = 0,
		 uneven = 0, far = 0;
	uint64_t base = (uint64_t)w->ur[op->address.urow + 1] << 32 | w->ur[op->address.urow];
	enum mmu_result why;

	base += ((uint64_t)high0 << 32 | low0) + (uint64_t)op->address.offset;
	start = (uint32_t)base % MMU_PAGE_BYTES;
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t active = mask >> i & 1 ? ALL_LANES : 0;
		uint32_t offset = start + ((low[i] - low0) & active);

		p->at[i] = offset;
		all |= offset;
		/* Words of addresses on both sides of 2^31 could wrap around. */
		far |= (low[i] ^ low0) & active;
		differing |= (high[i] ^ high0) & active;
		spread |= offset ^ start;
		uneven |= offset ^ (start + 4 * i);
	}
	if (all >= MMU_PAGE_BYTES || all & (bytes - 1) || differing || far >> 31)
		return false;
	p->same = !spread;
	p->adjacent = mask == ALL_LANES && !uneven;
	p->host = mmu_translate(&w->exec->thread.reader, base - start, rights, &why);
	return p->host;
}

INLINE bool find_shared(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes,
			struct place *p)
{
	const uint32_t *low = w->r[op->address.row];
	uint32_t base = w->ur[op->address.urow] + (uint32_t)op->address.offset,
		 size = w->grid->shared_bytes;
	uint32_t first = low[mask == ALL_LANES ? 0 : first_lane(mask)] + base;
	uint32_t misaligned = 0, outside = 0, spread = 0, uneven = 0;

	if (w->grid->has_clusters || size < bytes)
		return false;
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t at = mask >> i & 1 ? low[i] + base : first;

		p->at[i] = at;
		misaligned |= at;
		outside |= (uint32_t)(at > size - bytes);
		spread |= at ^ first;
		uneven |= at ^ (first + 4 * i);
	}
	if (misaligned & (bytes - 1) || outside)
		return false;
	p->same = !spread;
	p->adjacent = mask == ALL_LANES && !uneven;
	p->host = w->cta->shared;
	return true;
}

INLINE bool find(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes, bool shared,
		 uint32_t rights, struct place *p)
{
	return shared ? find_shared(w, op, mask, bytes, p)
		      : find_global(w, op, mask, bytes, rights, p);
}

INLINE void load(struct warp *w, const struct op *op, uint32_t mask, uint32_t words, bool shared)
{
	struct place p;

	if (!descriptor_valid(w, op))
		return;
	if (!find(w, op, mask, 4 * words, shared, MODEL_READ, &p)) {
		op->run(w, op, mask);
		return;
	}
	for (uint32_t k = 0; k < words; k++) {
		const uint8_t *host = p.host + 4 * k;
		uint32_t *d = w->r[op->d + k], row[LANES];

		if (p.same)
			row_splat(row, *(const word *)(host + p.at[0]));
		else if (p.adjacent && words == 1)
			memcpy(row, host + p.at[0], sizeof(row));
		else
			for (uint32_t i = 0; i < LANES; i++)
				row[i] = *(const word *)(host + (int32_t)p.at[i]);
		if (mask == w->live || mask == ALL_LANES)
			memcpy(d, row, sizeof(row));
		else
			row_blend(d, row, mask);
	}
}

INLINE void store(struct warp *w, const struct op *op, uint32_t mask, uint32_t words, bool shared)
{
	struct place p;

	if (!descriptor_valid(w, op))
		return;
	if (!find(w, op, mask, 4 * words, shared, MODEL_WRITE, &p)) {
		op->run(w, op, mask);
		return;
	}
	if (p.adjacent && words == 1) {
		memcpy(p.host + p.at[0], w->r[op->s[0].row], LANES * 4);
		return;
	}
	for (uint32_t k = 0; k < words; k++) {
		const uint32_t *s = w->r[op->s[0].row + k];

		for (uint32_t left = mask; left; left &= left - 1)
			*(word *)(p.host + 4 * k + p.at[first_lane(left)]) = s[first_lane(left)];
	}
}

enum { RECIPROCAL, RECIPROCAL_ROOT, ROOT };

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

#define FOR_ISA(isa, attribute) \
	attribute static void load_global1_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		load(w, op, m, 1, false); \
	} \
	attribute static void load_global2_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		load(w, op, m, 2, false); \
	} \
	attribute static void load_global4_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		load(w, op, m, 4, false); \
	} \
	attribute static void load_shared1_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		load(w, op, m, 1, true); \
	} \
	attribute static void load_shared2_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		load(w, op, m, 2, true); \
	} \
	attribute static void load_shared4_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		load(w, op, m, 4, true); \
	} \
	attribute static void store_global1_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		store(w, op, m, 1, false); \
	} \
	attribute static void store_global2_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		store(w, op, m, 2, false); \
	} \
	attribute static void store_global4_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		store(w, op, m, 4, false); \
	} \
	attribute static void store_shared1_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		store(w, op, m, 1, true); \
	} \
	attribute static void store_shared2_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		store(w, op, m, 2, true); \
	} \
	attribute static void store_shared4_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		store(w, op, m, 4, true); \
	} \
	attribute static void rcp_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		mufu(w, op, m, RECIPROCAL); \
	} \
	attribute static void rsq_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		mufu(w, op, m, RECIPROCAL_ROOT); \
	} \
	attribute static void sqrt_##isa(struct warp *w, const struct op *op, uint32_t m) \
	{ \
		mufu(w, op, m, ROOT); \
	}
FOR_ISA(avx2, __attribute__((target("avx2,fma"))))
FOR_ISA(avx512, __attribute__((target("avx512f,avx2,fma"))))

/* Rows by space or MUFU, and by words. */
enum { LOAD_GLOBAL, LOAD_SHARED, STORE_GLOBAL, STORE_SHARED, MUFU, KINDS };
#define ROWS(isa) \
	{ \
		[LOAD_GLOBAL] = {load_global1_##isa, load_global2_##isa, load_global4_##isa}, \
		[LOAD_SHARED] = {load_shared1_##isa, load_shared2_##isa, load_shared4_##isa}, \
		[STORE_GLOBAL] = {store_global1_##isa, store_global2_##isa, store_global4_##isa}, \
		[STORE_SHARED] = {store_shared1_##isa, store_shared2_##isa, store_shared4_##isa}, \
		[MUFU] = {rcp_##isa, rsq_##isa, sqrt_##isa}, \
	}
static run_fn *const handlers[][KINDS][3] = {
	[EMIT_AVX2] = ROWS(avx2), [EMIT_AVX512] = ROWS(avx512)};

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
		return column < 3 ? handlers[isa][MUFU][column] : NULL;
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
	return column < 3 && !op->inst->mod[SASS_M_XSHIFT] ? handlers[isa][kind][column] : NULL;
}

#endif
