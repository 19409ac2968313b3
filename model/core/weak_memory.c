// SPDX-License-Identifier: MIT
/*
 * Weak memory mode: an operational machine of store buffers and caches between the executors and
 * memory. Every choice that hardware makes by timing is made by a pseudo-random number here, so
 * with one host thread a run is repeatable by its seed.
 *
 * Stores. A store is pending until it is performed, that is, written to memory. It has two stages:
 * first only its own agent (warp) sees it; once published, all agents of its unit (SM, compute
 * unit) do. Agents read pending stores byte by byte over what the caches or memory hold (store
 * forwarding). Stores are published and performed in any order, but overlapping stores of an agent
 * are published in program order and overlapping published stores are performed in the order of
 * publication. A location is therefore coherent, and an agent that has seen a store never reads an
 * older value. A fence performs the agent's stores and all published ones, which makes it
 * cumulative: the agent may have seen those and may signal that to others. On AMD, where waiting
 * for the store counter performs only the wave's own stores, other waves see a store when it is
 * performed, and not before.
 *
 * Loads are executed at once. A cached load reads a line of its unit's cache, which was copied
 * from memory at some time since the last invalidation: at a load of the line, or at any time
 * before, as other blocks of the unit could have loaded it (prefetch_near(), prefetch_recent()).
 * The unit's own stores update the line when they are performed. A
 * strong load reads memory and refreshes the line, but by chance it reads the line if there is
 * one: that is a strong load that was performed before an earlier one of another location, which
 * only an invalidation (an acquire) forbids. All copies of a location only ever become newer, so
 * coherence holds here, too.
 *
 * Sources: the axioms of the PTX memory model (PTX ISA, chapter "Memory Consistency Model"), under
 * which all of this is legal; NVIDIA's L1 is not coherent and is invalidated by CCTL.IVALL, which
 * ptxas emits after acquires and fences. For AMD, LLVM's "User Guide for AMDGPU Backend", "Memory
 * Model GFX10", and the RDNA2 ISA manual, chapter 8: vector loads hit L0 unless GLC is set and L1
 * (one for several compute units) unless DLC is set, stores are written through to L2 and evict
 * the line of L1, scalar loads have a cache of their own. That a unit runs a single block, the
 * sizes and the probabilities are choices of this model.
 */
#include <stdlib.h>
#include <string.h>

#include "model/core/random.h"
#include "model/core/weak_memory.h"

#define LINE_BYTES    128u
#define GRANULE       64u /* stores are kept in pieces that do not cross a multiple of this */
#define CACHE_LINES   32u
#define BUCKETS       64u
#define MAX_PENDING   1024u
#define SHARED_CACHES 3u
#define RECENT_LINES  8u
#define NEAR_LINES    4u
#define PAGE_BYTES    4096u
#define NONE          UINT16_MAX

/* Fully associative with random replacement, so that it does not depend on host addresses which
 * lines conflict. */
struct cache {
	const uint8_t *host[CACHE_LINES]; /* NULL: empty */
	_Alignas(8) uint8_t data[CACHE_LINES][LINE_BYTES];
};

/* A pending store; an element of the pool, in a list of its bucket. */
struct pending {
	uint8_t *host;
	uint64_t number;
	uint32_t agent;
	uint16_t next;     /* NONE: the last one */
	uint16_t position; /* in the unit's array */
	uint8_t bytes, stage;
	uint8_t data[WEAK_MAX_STORE];
};

enum { PRIVATE, PUBLISHED };

struct weak_unit {
	struct weak_memory *memory;
	struct weak_unit *next;
	struct cache cache;
	struct cache *shared, *scalar; /* NULL: there are none */
	uint32_t count;                /* pending stores */
	uint16_t free, pending[MAX_PENDING];
	/* Lists in the order of issue (private) and of publication. Stores that overlap are in one
	 * bucket. */
	uint16_t first[2][BUCKETS];
	struct pending pool[MAX_PENDING];
};

struct weak_memory {
	uint64_t random;
	struct weak_unit *units;
	const uint8_t *recent[RECENT_LINES]; /* lines stored to; NULL: none */
	/* Masks: the event happens if the masked bits of a random number are 0. */
	uint32_t perform, publish, evict, early, prefetch;
	bool shared_caches;
	bool publishes; /* agents see each other's stores before these are performed */
	struct cache shared[SHARED_CACHES], scalar[SHARED_CACHES];
};

uint32_t weak_random(struct weak_memory *m, uint32_t below)
{
	return (uint32_t)(random_next(&m->random) >> 32) % below;
}

uint32_t weak_warp_quantum(struct weak_memory *m)
{
	return 1 + weak_random(m, 16);
}

uint32_t weak_block_budget(struct weak_memory *m)
{
	return 1 + weak_random(m, weak_random(m, 2) ? 8 : 128);
}

bool weak_may_start_block(struct weak_memory *m, uint32_t resident)
{
	return resident < 4 || !weak_random(m, 64);
}

/* Memory, which other host threads access. */

#define READ_AS(type) \
	if (!((uintptr_t)from % sizeof(type)) && bytes >= sizeof(type)) { \
		type word = __atomic_load_n((const type *)from, __ATOMIC_RELAXED); \
		memcpy(to, &word, part = sizeof(type)); \
	} else
#define WRITE_AS(type) \
	if (!((uintptr_t)to % sizeof(type)) && bytes >= sizeof(type)) { \
		type word; \
		memcpy(&word, from, part = sizeof(type)); \
		__atomic_store_n((type *)to, word, __ATOMIC_RELAXED); \
	} else

static void memory_read(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	for (uint32_t part; bytes; to += part, from += part, bytes -= part) {
		READ_AS(uint64_t)
		READ_AS(uint32_t)
		READ_AS(uint16_t)
		{
			*to = __atomic_load_n(from, __ATOMIC_RELAXED);
			part = 1;
		}
	}
}

static void memory_write(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	for (uint32_t part; bytes; to += part, from += part, bytes -= part) {
		WRITE_AS(uint64_t)
		WRITE_AS(uint32_t)
		WRITE_AS(uint16_t)
		{
			__atomic_store_n(to, *from, __ATOMIC_RELAXED);
			part = 1;
		}
	}
}

/* Caches. Their tags are host addresses, which have the same offset in a line as GPU addresses. */

static const uint8_t *line_address(const uint8_t *host)
{
	return host - (uintptr_t)host % LINE_BYTES;
}

/* Returns the copy of the byte at host; NULL: a miss. */
static uint8_t *cache_find(struct cache *c, const uint8_t *host)
{
	const uint8_t *line = line_address(host);

	for (uint32_t i = 0; i < CACHE_LINES; i++)
		if (c->host[i] == line)
			return c->data[i] + (host - line);
	return NULL;
}

static void cache_clear(struct cache *c)
{
	memset(c->host, 0, sizeof(c->host));
}

/* c may be NULL: there is no such cache. */
static void cache_evict(struct cache *c, const uint8_t *host)
{
	const uint8_t *line = line_address(host);

	for (uint32_t i = 0; c && i < CACHE_LINES; i++)
		if (c->host[i] == line)
			c->host[i] = NULL;
}

static void cache_evict_any(struct weak_memory *m, struct cache *c)
{
	if (c)
		c->host[weak_random(m, CACHE_LINES)] = NULL;
}

/* Returns the copy of the byte at host; a miss fills the line from the next cache or memory. */
static uint8_t *cache_get(struct weak_memory *m, struct cache *c, struct cache *next,
			  const uint8_t *host)
{
	const uint8_t *line = line_address(host);
	uint8_t *at = cache_find(c, host);
	uint32_t i;

	if (at)
		return at;
	i = weak_random(m, CACHE_LINES);
	c->host[i] = line;
	if (next)
		memcpy(c->data[i], cache_get(m, next, NULL, line), LINE_BYTES);
	else
		memory_read(c->data[i], line, LINE_BYTES);
	return c->data[i] + (host - line);
}

/* Pending stores. */

static uint32_t bucket_of(const uint8_t *host)
{
	return (uint32_t)((uintptr_t)host / GRANULE) % BUCKETS;
}

static bool overlaps(const struct pending *p, const uint8_t *host, uint32_t bytes)
{
	return p->host < host + bytes && host < p->host + p->bytes;
}

static void list_append(struct weak_unit *u, uint16_t *list, uint16_t index)
{
	while (*list != NONE)
		list = &u->pool[*list].next;
	*list = index;
	u->pool[index].next = NONE;
}

static void list_remove(struct weak_unit *u, uint16_t *list, uint16_t index)
{
	while (*list != index)
		list = &u->pool[*list].next;
	*list = u->pool[index].next;
}

/* Writes a published store to memory, after those that it overlaps and must follow. */
static void perform(struct weak_unit *u, uint16_t index)
{
	struct pending *p = &u->pool[index];
	uint16_t *list = &u->first[PUBLISHED][bucket_of(p->host)];
	uint8_t *copy;

	for (uint16_t i = *list, next; i != index; i = next) {
		next = u->pool[i].next;
		if (overlaps(&u->pool[i], p->host, p->bytes))
			perform(u, i);
	}
	memory_write(p->host, p->data, p->bytes);
	copy = cache_find(&u->cache, p->host);
	if (copy)
		memcpy(copy, p->data, p->bytes);
	cache_evict(u->shared, p->host);
	list_remove(u, list, index);
	u->pending[p->position] = u->pending[--u->count];
	u->pool[u->pending[p->position]].position = p->position;
	p->next = u->free;
	u->free = index;
}

/* Publishes a private store, after those of its agent that it overlaps. */
static void publish(struct weak_unit *u, uint16_t index)
{
	struct pending *p = &u->pool[index];
	uint32_t bucket = bucket_of(p->host);
	uint16_t *list = &u->first[PRIVATE][bucket];

	for (uint16_t i = *list, next; i != index; i = next) {
		next = u->pool[i].next;
		if (u->pool[i].agent == p->agent && overlaps(&u->pool[i], p->host, p->bytes))
			publish(u, i);
	}
	list_remove(u, list, index);
	list_append(u, &u->first[PUBLISHED][bucket], index);
	p->stage = PUBLISHED;
}

/* Returns a pending store; there is at least one. */
static uint16_t random_pending(struct weak_unit *u)
{
	return u->pending[weak_random(u->memory, u->count)];
}

/* Publishes the store if it is private, and performs it. */
static void perform_pending(struct weak_unit *u, uint16_t index)
{
	if (u->pool[index].stage == PRIVATE)
		publish(u, index);
	perform(u, index);
}

static void perform_published(struct weak_unit *u)
{
	for (uint32_t b = 0; u->count && b < BUCKETS; b++)
		while (u->first[PUBLISHED][b] != NONE)
			perform(u, u->first[PUBLISHED][b]);
}

void weak_publish(struct weak_unit *u, uint32_t agent)
{
	for (uint32_t b = 0; u->count && b < BUCKETS; b++)
		for (uint16_t i = u->first[PRIVATE][b], next; i != NONE; i = next) {
			next = u->pool[i].next;
			if (u->pool[i].agent == agent)
				publish(u, i);
		}
}

void weak_fence(struct weak_unit *u, uint32_t agent)
{
	weak_publish(u, agent);
	perform_published(u);
}

void weak_perform_until(struct weak_unit *u, uint32_t agent, uint64_t number)
{
	/* From the end: a store that takes the place of a performed one was looked at already. */
	for (uint32_t i = u->count; i-- > 0;) {
		uint16_t index = i < u->count ? u->pending[i] : NONE;

		if (index != NONE && u->pool[index].agent == agent &&
		    u->pool[index].number <= number)
			perform_pending(u, index);
	}
}

static void store_piece(struct weak_unit *u, uint32_t agent, uint64_t number, uint8_t *host,
			const uint8_t *data, uint32_t bytes)
{
	struct weak_memory *m = u->memory;
	uint32_t bucket = bucket_of(host);
	struct pending *p;
	uint16_t index;

	if (u->free == NONE)
		while (u->count > MAX_PENDING / 2)
			perform_pending(u, random_pending(u));
	index = u->free;
	p = &u->pool[index];
	u->free = p->next;
	*p = (struct pending){.host = host,
			      .number = number,
			      .agent = agent,
			      .position = (uint16_t)u->count,
			      .bytes = (uint8_t)bytes,
			      .stage = PRIVATE};
	u->pending[u->count++] = index;
	memcpy(p->data, data, bytes);
	list_append(u, &u->first[p->stage][bucket], index);
	m->recent[weak_random(m, RECENT_LINES)] = line_address(host);
}

/* The bytes of an access up to the end of their granule. */
static uint32_t piece_bytes(const uint8_t *host, uint32_t bytes)
{
	uint32_t left = GRANULE - (uint32_t)((uintptr_t)host % GRANULE);

	return bytes < left ? bytes : left;
}

void weak_store(struct weak_unit *u, uint32_t agent, uint64_t number, uint8_t *host,
		const void *data, uint32_t bytes)
{
	const uint8_t *from = data;

	for (uint32_t n; bytes; host += n, from += n, bytes -= n) {
		n = piece_bytes(host, bytes);
		store_piece(u, agent, number, host, from, n);
	}
}

void weak_atomic(struct weak_unit *u, uint32_t agent, const uint8_t *host, uint32_t bytes)
{
	uint32_t bucket = bucket_of(host); /* an atomic is aligned to its size */

	for (uint16_t i = u->first[PRIVATE][bucket], next; i != NONE; i = next) {
		next = u->pool[i].next;
		if (u->pool[i].agent == agent && overlaps(&u->pool[i], host, bytes))
			publish(u, i);
	}
	for (uint16_t i = u->first[PUBLISHED][bucket], next; i != NONE; i = next) {
		next = u->pool[i].next;
		if (overlaps(&u->pool[i], host, bytes))
			perform(u, i);
	}
	cache_evict(&u->cache, host);
	cache_evict(u->shared, host);
}

/* Loads. */

static void forward(const struct weak_unit *u, uint16_t i, bool any, uint32_t agent,
		    const uint8_t *host, uint8_t *out, uint32_t bytes)
{
	for (; i != NONE; i = u->pool[i].next) {
		const struct pending *p = &u->pool[i];

		if (!any && p->agent != agent)
			continue;
		for (uint32_t k = 0; k < p->bytes; k++)
			if (p->host + k >= host && p->host + k < host + bytes)
				out[p->host + k - host] = p->data[k];
	}
}

/* Copies the current contents of memory to the caches that have the line. Returns where to read: a
 * copy if there is one, since memory may change before it is read again. */
static const uint8_t *refresh(struct weak_unit *u, const uint8_t *host)
{
	uint8_t *shared = u->shared ? cache_find(u->shared, host) : NULL;
	uint8_t *own = cache_find(&u->cache, host);
	uint32_t offset = (uint32_t)((uintptr_t)host % LINE_BYTES);

	if (shared)
		memory_read(shared - offset, host - offset, LINE_BYTES);
	if (own && shared)
		memcpy(own - offset, shared - offset, LINE_BYTES);
	else if (own)
		memory_read(own - offset, host - offset, LINE_BYTES);
	return own ? own : shared ? shared : host;
}

static void load_piece(struct weak_unit *u, uint32_t agent, enum weak_path path,
		       const uint8_t *host, uint8_t *out, uint32_t bytes)
{
	struct weak_memory *m = u->memory;
	uint32_t bucket = bucket_of(host);
	const uint8_t *from = host;

	switch (path) {
	case WEAK_CACHED:
		from = cache_get(m, &u->cache, u->shared, host);
		break;
	case WEAK_SHARED:
		from = cache_get(m, u->shared ? u->shared : &u->cache, NULL, host);
		if (u->shared)
			cache_evict(&u->cache, host);
		break;
	case WEAK_STRONG:
		if (cache_find(&u->cache, host) && !(random_next(&m->random) & m->early)) {
			from = cache_find(&u->cache, host);
			break;
		}
		from = refresh(u, host);
		break;
	case WEAK_MMIO:
		from = refresh(u, host);
		break;
	case WEAK_SCALAR:
		from = cache_get(m, u->scalar ? u->scalar : &u->cache, u->shared, host);
		break;
	}
	memory_read(out, from, bytes);
	if (path == WEAK_SCALAR)
		return;
	forward(u, u->first[PUBLISHED][bucket], true, agent, host, out, bytes);
	forward(u, u->first[PRIVATE][bucket], false, agent, host, out, bytes);
}

/* Other blocks of the unit could have loaded any line: one near a line that is loaded, or one that
 * was stored to recently. */

static void prefetch_near(struct weak_unit *u, const uint8_t *host)
{
	uint32_t line = (uint32_t)((uintptr_t)host % PAGE_BYTES / LINE_BYTES);
	uint32_t near = line + weak_random(u->memory, 2 * NEAR_LINES + 1) - NEAR_LINES;

	if (near < PAGE_BYTES / LINE_BYTES) /* a page is mapped as a whole */
		cache_get(u->memory, &u->cache, u->shared,
			  host - (uintptr_t)host % PAGE_BYTES + near * LINE_BYTES);
}

static void prefetch_recent(struct weak_unit *u)
{
	const uint8_t *host = u->memory->recent[weak_random(u->memory, RECENT_LINES)];

	if (host)
		cache_get(u->memory, &u->cache, u->shared, host);
}

void weak_load(struct weak_unit *u, uint32_t agent, enum weak_path path, const uint8_t *host,
	       void *out, uint32_t bytes)
{
	uint8_t *to = out;

	if (!(random_next(&u->memory->random) & u->memory->prefetch))
		prefetch_near(u, host);
	for (uint32_t n; bytes; host += n, to += n, bytes -= n) {
		n = piece_bytes(host, bytes);
		load_piece(u, agent, path, host, to, n);
	}
}

/* What happens by chance. */

void weak_unit_tick(struct weak_unit *u)
{
	struct weak_memory *m = u->memory;
	uint64_t r = random_next(&m->random);

	if (u->count && !(r & m->perform))
		perform_pending(u, random_pending(u));
	if (u->count && m->publishes && !(r >> 12 & m->publish)) {
		uint16_t i = random_pending(u);

		if (u->pool[i].stage == PRIVATE)
			publish(u, i);
	}
	if (!(r >> 24 & m->evict)) {
		cache_evict_any(m, &u->cache);
		cache_evict_any(m, u->shared);
		cache_evict_any(m, u->scalar);
	}
	if (!(r >> 36 & m->prefetch))
		prefetch_recent(u);
}

void weak_invalidate(struct weak_unit *u)
{
	cache_clear(&u->cache);
}

void weak_invalidate_shared(struct weak_unit *u)
{
	if (u->shared)
		cache_clear(u->shared);
}

void weak_invalidate_scalar(struct weak_unit *u)
{
	if (u->scalar)
		cache_clear(u->scalar);
}

/* Units. */

static void unit_flush(struct weak_unit *u)
{
	for (uint32_t b = 0; u->count && b < BUCKETS; b++)
		while (u->first[PRIVATE][b] != NONE)
			publish(u, u->first[PRIVATE][b]);
	perform_published(u);
	cache_clear(&u->cache);
}

struct weak_unit *weak_unit_create(struct weak_memory *m)
{
	struct weak_unit *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->memory = m;
	memset(u->first, 0xff, sizeof(u->first)); /* NONE */
	for (uint32_t i = 0; i < MAX_PENDING; i++)
		u->pool[i].next = (uint16_t)(i + 1 < MAX_PENDING ? i + 1 : NONE);
	u->next = m->units;
	m->units = u;
	return u;
}

void weak_unit_destroy(struct weak_unit *u)
{
	struct weak_unit **at;

	if (!u)
		return;
	at = &u->memory->units;
	while (*at != u)
		at = &(*at)->next;
	*at = u->next;
	free(u);
}

void weak_unit_start(struct weak_unit *u, const struct weak_unit *neighbour)
{
	struct weak_memory *m = u->memory;
	uint32_t i = weak_random(m, SHARED_CACHES);

	u->shared = neighbour ? neighbour->shared : m->shared_caches ? &m->shared[i] : NULL;
	u->scalar = neighbour ? neighbour->scalar : m->shared_caches ? &m->scalar[i] : NULL;
}

bool weak_unit_drain(struct weak_unit *u)
{
	if (!u->count) {
		unit_flush(u);
		return true;
	}
	for (uint32_t n = weak_random(u->memory, 1 + u->count / 2) + 1; n && u->count; n--)
		perform_pending(u, random_pending(u));
	return false;
}

struct weak_memory *weak_memory_create(uint64_t seed, bool shared_caches)
{
	static const uint32_t perform[] = {1, 7, 63, 511}, publish[] = {1, 7, 63, 255},
			      evict[] = {31, 127, 511, 2047}, early[] = {1, 3, 7, 1},
			      prefetch[] = {1, 3, 7, 31};
	struct weak_memory *m = calloc(1, sizeof(*m));
	uint64_t r;

	if (!m)
		return NULL;
	m->random = seed;
	m->shared_caches = shared_caches;
	m->publishes = !shared_caches;
	r = random_next(&m->random);
	m->perform = perform[r & 3];
	m->publish = publish[r >> 2 & 3];
	m->evict = evict[r >> 4 & 3];
	m->early = early[r >> 6 & 3];
	m->prefetch = prefetch[r >> 8 & 3];
	return m;
}

void weak_memory_destroy(struct weak_memory *m)
{
	free(m);
}

void weak_memory_flush(struct weak_memory *m)
{
	for (struct weak_unit *u = m->units; u; u = u->next)
		unit_flush(u);
	for (uint32_t i = 0; i < SHARED_CACHES; i++) {
		cache_clear(&m->shared[i]);
		cache_clear(&m->scalar[i]);
	}
	memset(m->recent, 0, sizeof(m->recent));
}
