// SPDX-License-Identifier: MIT
/* Loads and stores of generated code by AVX-512: 16 lanes at a time whose addresses are in one run
 * of pages or in the block's shared memory. Lanes with adjacent words are one load, lanes with one
 * address a broadcast, others a gather. Any other access is the interpreter's, so faults are,
 * too. */
#include "model/nv/exec_memory.h"
#include "model/nv/translate.h"

#if EMIT_HOST && defined(__x86_64__)
#include <immintrin.h>

/* Programs may race on GPU memory, which is no race of the software GPU. */
#define TARGET __attribute__((target("avx512f"), no_sanitize("thread")))
#define INLINE TARGET static inline __attribute__((always_inline))

#define PART  16u /* lanes of a vector */
#define PARTS (LANES / PART)

/* Offsets of the lanes from a host address. */
struct place {
	uint8_t *host;
	__m512i at[PARTS];
	__mmask16 lanes[PARTS];
};

INLINE bool has_descriptor(const struct warp *w, const struct op *op)
{
	const struct sass_operand *o = &op->inst->ops[op->data[1]];

	return o->flags & SASS_DESC && o->aux != SASS_URZ && w->ur[o->aux];
}

/* Lanes that are above the limit or not aligned. */
INLINE __mmask16 invalid_lanes(const struct place *p, uint32_t part, uint32_t limit, uint32_t bytes)
{
	__m512i low = _mm512_set1_epi32((int)(bytes - 1));

	return _mm512_mask_cmpgt_epu32_mask(p->lanes[part], p->at[part],
					    _mm512_set1_epi32((int)limit)) |
	       _mm512_mask_test_epi32_mask(p->lanes[part], p->at[part], low);
}

INLINE bool find_global(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes,
			uint32_t rights, struct place *p)
{
	const uint32_t *low = w->r[op->address.row],
		       *high = w->r[op->address.wide ? op->address.row + 1 : ROW_ZERO];
	uint32_t first = first_lane(mask);
	uint64_t more = ((uint64_t)w->ur[op->address.urow + 1] << 32 | w->ur[op->address.urow]) +
			(uint64_t)op->address.offset;
	const struct mmu_span *span = mmu_find_span(
		&w->exec->thread.reader, ((uint64_t)high[first] << 32 | low[first]) + more, rights);
	__m512i start, top;
	__mmask16 bad = 0;
	uint64_t base;

	if (!span)
		return false;
	/* The span in the registers' values: with one high word, low words do not wrap around. */
	base = span->start - more;
	if (base >> 32 != high[first] || (base + span->bytes - 1) >> 32 != base >> 32)
		return false;
	start = _mm512_set1_epi32((int)base);
	top = _mm512_set1_epi32((int)(base >> 32));
	for (uint32_t i = 0; i < PARTS; i++) {
		p->at[i] = _mm512_sub_epi32(_mm512_loadu_si512(low + i * PART), start);
		bad |= _mm512_mask_cmpneq_epi32_mask(p->lanes[i],
						     _mm512_loadu_si512(high + i * PART), top) |
		       invalid_lanes(p, i, (uint32_t)span->bytes - bytes, bytes);
	}
	p->host = span->host;
	return !bad;
}

INLINE bool find_shared(struct warp *w, const struct op *op, uint32_t bytes, struct place *p)
{
	const uint32_t *low = w->r[op->address.row];
	uint32_t size = w->grid->shared_bytes;
	__m512i more =
		_mm512_set1_epi32((int)(w->ur[op->address.urow] + (uint32_t)op->address.offset));
	__mmask16 bad = 0;

	if (w->grid->has_clusters || size < bytes)
		return false;
	for (uint32_t i = 0; i < PARTS; i++) {
		p->at[i] = _mm512_add_epi32(_mm512_loadu_si512(low + i * PART), more);
		bad |= invalid_lanes(p, i, size - bytes, bytes);
	}
	p->host = w->cta->shared;
	return !bad;
}

INLINE bool find(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes, bool shared,
		 uint32_t rights, struct place *p)
{
	for (uint32_t i = 0; i < PARTS; i++)
		p->lanes[i] = (__mmask16)(mask >> i * PART);
	if (shared)
		return find_shared(w, op, bytes, p);
	return !has_descriptor(w, op) && find_global(w, op, mask, bytes, rights, p);
}

/* The offset of a part's lane 0 if its lanes have the step. */
INLINE bool is_regular(const struct place *p, uint32_t part, uint32_t step, uint32_t *first)
{
	const __m512i numbers =
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m512i at = _mm512_sub_epi32(p->at[part],
				      _mm512_mullo_epi32(numbers, _mm512_set1_epi32((int)step)));
	uint32_t lane = first_lane(p->lanes[part]);
	__m512i one;

	one = p->lanes[part] & 1 ? at : _mm512_permutexvar_epi32(_mm512_set1_epi32((int)lane), at);
	*first = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(one));
	return !_mm512_mask_cmpneq_epi32_mask(p->lanes[part], at, _mm512_set1_epi32((int)*first));
}

/* Where each half of a whole warp has its words: adjacent ones from a host address on, or all lanes
 * that address. Most accesses are of this kind and need neither masks nor a vector of offsets. */
struct halves {
	const uint8_t *host[PARTS];
	uint64_t at[PARTS]; /* the address, in shared memory its offset there */
	bool same[PARTS];
};

/* True if the words of a part's lanes are adjacent or, then *same, all lanes have one address. */
INLINE bool is_half(const uint32_t *low, uint32_t part, uint32_t bytes, bool *same)
{
	const __m512i steps = _mm512_mullo_epi32(
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
		_mm512_set1_epi32((int)bytes));
	__m512i distance = _mm512_sub_epi32(_mm512_loadu_si512(low + part * PART),
					    _mm512_set1_epi32((int)low[part * PART]));

	*same = !_mm512_test_epi32_mask(distance, distance);
	return *same || !_mm512_cmpneq_epi32_mask(distance, steps);
}

INLINE bool find_global_halves(struct warp *w, const struct op *op, uint32_t bytes, uint32_t rights,
			       struct halves *h)
{
	const uint32_t *low = w->r[op->address.row],
		       *high = w->r[op->address.wide ? op->address.row + 1 : ROW_ZERO];
	uint64_t more = ((uint64_t)w->ur[op->address.urow + 1] << 32 | w->ur[op->address.urow]) +
			(uint64_t)op->address.offset;
	uint64_t first = (uint64_t)high[0] << 32 | low[0];
	const struct mmu_span *span = mmu_find_span(&w->exec->thread.reader, first + more, rights);
	__m512i top = _mm512_set1_epi32((int)high[0]);
	__mmask16 bad = 0;

	if (!span || has_descriptor(w, op))
		return false;
	mmu_remember_span(&w->exec->thread.reader, op->span_site, rights & MODEL_WRITE, span);
	for (uint32_t i = 0; i < PARTS; i++) {
		uint64_t at = first - low[0] + low[i * PART] + more - span->start;

		/* Low words that do not wrap around, inside of the span. */
		if (at > span->bytes - PART * bytes || at & (bytes - 1) ||
		    low[i * PART] > UINT32_MAX - PART * bytes ||
		    !is_half(low, i, bytes, &h->same[i]))
			return false;
		bad |= _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(high + i * PART), top);
		h->host[i] = span->host + at;
		h->at[i] = span->start + at;
	}
	return !bad;
}

INLINE bool find_shared_halves(struct warp *w, const struct op *op, uint32_t bytes,
			       struct halves *h)
{
	const uint32_t *low = w->r[op->address.row];
	uint32_t size = w->grid->shared_bytes;
	uint32_t more = w->ur[op->address.urow] + (uint32_t)op->address.offset;

	if (w->grid->has_clusters || size < PART * bytes)
		return false;
	for (uint32_t i = 0; i < PARTS; i++) {
		uint32_t at = low[i * PART] + more;

		if (at > size - PART * bytes || at & (bytes - 1) ||
		    !is_half(low, i, bytes, &h->same[i]))
			return false;
		h->host[i] = w->cta->shared + at;
		h->at[i] = at;
	}
	return true;
}

static bool is_good(const struct warp *w, const struct op *op, uint32_t bytes, bool shared,
		    uint32_t rights, const struct halves *h)
{
	const struct check_access a = {.memory = shared ? CHECK_SHARED : CHECK_GLOBAL,
				       .kind = rights == MODEL_READ ? CHECK_READ : CHECK_WRITE,
				       .scope = access_scope(op),
				       .bytes = bytes,
				       .warp = w->index,
				       .pc = w->pc};

	return check_halves(w->cta->check, &a, h->at, h->same);
}

INLINE bool find_halves(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes,
			bool shared, uint32_t rights, struct halves *h)
{
	if (mask != ALL_LANES || !(shared ? find_shared_halves(w, op, bytes, h)
					  : find_global_halves(w, op, bytes, rights, h)))
		return false;
	return !w->cta->check || is_good(w, op, bytes, shared, rights, h);
}

/* Every second word of two vectors, beginning with the first or the second one. */
INLINE __m512i every_second(__m512i a, __m512i b, uint32_t begin)
{
	const __m512i numbers =
		_mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);

	return _mm512_permutex2var_epi32(
		a, _mm512_add_epi32(numbers, _mm512_set1_epi32((int)begin)), b);
}

INLINE void put(struct warp *w, uint32_t row, uint32_t part, __mmask16 lanes, __m512i value)
{
	_mm512_mask_storeu_epi32(w->r[row] + part * PART, lanes, value);
}

/* Adjacent accesses: lane 0's bytes are at host, those of inactive lanes are not touched. */
INLINE void load_adjacent(struct warp *w, const struct op *op, const uint8_t *host, uint32_t part,
			  __mmask16 lanes, uint32_t words)
{
	__m512i a[4];

	if (words == 1) {
		put(w, op->d, part, lanes, _mm512_maskz_loadu_epi32(lanes, host));
		return;
	}
	for (uint32_t i = 0; i < words; i++)
		a[i] = _mm512_loadu_si512(host + 64 * i);
	if (words == 4) {
		__m512i even0 = every_second(a[0], a[1], 0), even1 = every_second(a[2], a[3], 0);
		__m512i odd0 = every_second(a[0], a[1], 1), odd1 = every_second(a[2], a[3], 1);

		put(w, op->d, part, lanes, every_second(even0, even1, 0));
		put(w, op->d + 1u, part, lanes, every_second(odd0, odd1, 0));
		put(w, op->d + 2u, part, lanes, every_second(even0, even1, 1));
		put(w, op->d + 3u, part, lanes, every_second(odd0, odd1, 1));
		return;
	}
	put(w, op->d, part, lanes, every_second(a[0], a[1], 0));
	put(w, op->d + 1u, part, lanes, every_second(a[0], a[1], 1));
}

/* Pairs of words in one access each, which 64 bits must be: 8 lanes at a time. */
#define EIGHT 8u
INLINE __m256i eight_of(__m512i v, uint32_t which)
{
	return which ? _mm512_extracti64x4_epi64(v, 1) : _mm512_castsi512_si256(v);
}

INLINE __m512i both_eights(__m256i a, __m256i b)
{
	return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}

INLINE void put_pair(struct warp *w, uint32_t row, uint32_t part, __mmask16 lanes, __m512i first,
		     __m512i second)
{
	put(w, row, part, lanes,
	    both_eights(_mm512_cvtepi64_epi32(first), _mm512_cvtepi64_epi32(second)));
	put(w, row + 1, part, lanes,
	    both_eights(_mm512_cvtepi64_epi32(_mm512_srli_epi64(first, 32)),
			_mm512_cvtepi64_epi32(_mm512_srli_epi64(second, 32))));
}

INLINE void put_same_pair(struct warp *w, uint32_t row, uint32_t part, __mmask16 lanes,
			  const uint8_t *host)
{
	__m512i pair = _mm512_set1_epi64(
		__atomic_load_n((const long long *)(const void *)host, __ATOMIC_RELAXED));

	put_pair(w, row, part, lanes, pair, pair);
}

INLINE void gather_pair(struct warp *w, uint32_t row, uint32_t part, const struct place *p,
			const uint8_t *host)
{
	__m512i pair[2];

	for (uint32_t i = 0; i < 2; i++)
		pair[i] = _mm512_mask_i32gather_epi64(_mm512_setzero_si512(),
						      (__mmask8)(p->lanes[part] >> i * EIGHT),
						      eight_of(p->at[part], i), host, 1);
	put_pair(w, row, part, p->lanes[part], pair[0], pair[1]);
}

INLINE void scatter_pair(const struct warp *w, uint32_t row, uint32_t part, const struct place *p,
			 uint8_t *host)
{
	__m512i low = _mm512_loadu_si512(w->r[row] + part * PART),
		high = _mm512_loadu_si512(w->r[row + 1] + part * PART);

	for (uint32_t i = 0; i < 2; i++)
		_mm512_mask_i32scatter_epi64(
			host, (__mmask8)(p->lanes[part] >> i * EIGHT), eight_of(p->at[part], i),
			_mm512_or_si512(
				_mm512_cvtepu32_epi64(eight_of(low, i)),
				_mm512_slli_epi64(_mm512_cvtepu32_epi64(eight_of(high, i)), 32)),
			1);
}

INLINE void load(struct warp *w, const struct op *op, uint32_t mask, uint32_t words, bool shared)
{
	struct halves h;
	struct place p;

	if (find_halves(w, op, mask, 4 * words, shared, MODEL_READ, &h)) {
		for (uint32_t i = 0; i < PARTS; i++) {
			if (!h.same[i]) {
				load_adjacent(w, op, h.host[i], i, 0xffff, words);
				continue;
			}
			if (words == 1)
				put(w, op->d, i, 0xffff,
				    _mm512_set1_epi32(*(const int *)(const void *)h.host[i]));
			for (uint32_t k = 0; words > 1 && k < words; k += 2)
				put_same_pair(w, op->d + k, i, 0xffff, h.host[i] + 4 * k);
		}
		return;
	}
	if (w->cta->check || !find(w, op, mask, 4 * words, shared, MODEL_READ, &p)) {
		op->run(w, op, mask);
		return;
	}
	for (uint32_t i = 0; i < PARTS; i++) {
		__mmask16 lanes = p.lanes[i];
		uint32_t first;

		if (!lanes)
			continue;
		if (is_regular(&p, i, 4 * words, &first) && (words == 1 || lanes == 0xffff)) {
			load_adjacent(w, op, p.host + (int32_t)first, i, lanes, words);
			continue;
		}
		if (is_regular(&p, i, 0, &first)) {
			if (words == 1)
				put(w, op->d, i, lanes,
				    _mm512_set1_epi32(
					    *(const int *)(const void *)(p.host + first)));
			for (uint32_t k = 0; words > 1 && k < words; k += 2)
				put_same_pair(w, op->d + k, i, lanes, p.host + first + 4 * k);
			continue;
		}
		if (words == 1)
			put(w, op->d, i, lanes,
			    _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), lanes, p.at[i],
							p.host, 1));
		for (uint32_t k = 0; words > 1 && k < words; k += 2)
			gather_pair(w, op->d + k, i, &p, p.host + 4 * k);
	}
}

/* Scatters write in the order of lanes, as the interpreter does. */
INLINE void store(struct warp *w, const struct op *op, uint32_t mask, uint32_t words, bool shared)
{
	uint32_t row = op->s[0].row, first;
	struct halves h;
	struct place p;

	if (words == 1 && find_halves(w, op, mask, 4, shared, MODEL_WRITE, &h) && !h.same[0] &&
	    !h.same[1]) {
		for (uint32_t i = 0; i < PARTS; i++)
			_mm512_storeu_si512((void *)h.host[i],
					    _mm512_loadu_si512(w->r[row] + i * PART));
		return;
	}
	if (w->cta->check || !find(w, op, mask, 4 * words, shared, MODEL_WRITE, &p)) {
		op->run(w, op, mask);
		return;
	}
	for (uint32_t k = 0; k < words; k += 2)
		for (uint32_t i = 0; i < PARTS; i++) {
			__m512i value = _mm512_loadu_si512(w->r[row] + i * PART);

			if (!p.lanes[i])
				continue;
			if (words > 1)
				scatter_pair(w, row + k, i, &p, p.host + 4 * k);
			else if (is_regular(&p, i, 4, &first))
				_mm512_mask_storeu_epi32(p.host + (int32_t)first, p.lanes[i],
							 value);
			else
				_mm512_mask_i32scatter_epi32(p.host, p.lanes[i], p.at[i], value, 1);
		}
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

run_fn *const access_handlers_avx512[4][3] = {
	{load_global1, load_global2, load_global4},
	{load_shared1, load_shared2, load_shared4},
	{store_global1, store_global2, store_global4},
	{store_shared1, store_shared2, store_shared4},
};

#endif
