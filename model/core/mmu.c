// SPDX-License-Identifier: MIT
/* The MMU: a radix page table over 49-bit addresses. An entry is empty, points to a table, or is a
 * leaf: a host address with access bits below it. Leaves cover 4 KiB, or 2 MiB one level up where a
 * mapping is large enough. Readers walk without a lock. An unmap clears the entries, increments the
 * generation of the space and waits until every reader has flushed its TLB (quiescent-state
 * reclamation, as in RCU); the backing is unreachable then. Tables are freed with the space. A
 * space may have a walker callback instead of tables; its owner calls model_invalidate() after
 * changing them. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/model_internal.h"

#define LEAF      8u /* next to MODEL_READ, MODEL_WRITE, MODEL_ATOMIC */
#define FLAGS     15u
#define LEVELS    4
#define BIG_LEVEL 1 /* leaves of 2 MiB */

typedef _Atomic uintptr_t entry;

/* Address bits below each level's index, and entries per level: 1024 × 512 × 512 × 512. */
static const uint8_t level_shift[LEVELS] = {12, 21, 30, 39};
static const uint16_t level_entries[LEVELS] = {512, 512, 512, 1024};

static uint32_t level_index(uint32_t level, uint64_t va)
{
	return (uint32_t)(va >> level_shift[level]) % level_entries[level];
}

static entry *table_create(uint32_t level)
{
	return calloc(level_entries[level], sizeof(entry));
}

static void table_destroy(entry *table, uint32_t level)
{
	for (uint32_t i = 0; level && i < level_entries[level]; i++) {
		uintptr_t e = atomic_load_explicit(&table[i], memory_order_relaxed);

		if (e && !(e & LEAF))
			table_destroy((entry *)e, level - 1);
	}
	free(table);
}

int model_space_create_walked(struct model *m, model_walker walk, void *argument,
			      struct model_space **out)
{
	struct model_space *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->model = m;
	s->walk = walk;
	s->walk_argument = argument;
	s->root = table_create(LEVELS - 1);
	s->code = m->vendor->code_create(m);
	if (m->checks)
		s->check = check_space_create(m->checks);
	if (!s->root || !s->code || (m->checks && !s->check)) {
		check_space_destroy(s->check);
		free(s->root);
		m->vendor->code_put(s->code);
		free(s);
		return -ENOMEM;
	}
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->code_lock, NULL);
	*out = s;
	return 0;
}

int model_space_create(struct model *m, struct model_space **out)
{
	return model_space_create_walked(m, NULL, NULL, out);
}

void model_space_destroy(struct model_space *s)
{
	if (!s)
		return;
	s->model->vendor->code_put(s->code);
	if (s->model->vendor->space_end)
		s->model->vendor->space_end(s);
	check_space_destroy(s->check);
	table_destroy(s->root, LEVELS - 1);
	pthread_mutex_destroy(&s->code_lock);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Returns the leaf that covers va, or 0. *level is the level of the leaf or of the empty entry. */
static uintptr_t walk_tables(struct model_space *s, uint64_t va, uint32_t *level, entry **where)
{
	entry *table = s->root;

	for (uint32_t l = LEVELS;;) {
		entry *e = &table[level_index(--l, va)];
		uintptr_t value = atomic_load_explicit(e, memory_order_acquire);

		*level = l;
		*where = e;
		if (!value || value & LEAF)
			return value;
		table = (entry *)value;
	}
}

/* Returns the entry for va at a level and allocates the tables above it. NULL: out of memory, or a
 * larger leaf covers va. */
static entry *walk_tables_alloc(struct model_space *s, uint64_t va, uint32_t level)
{
	entry *table = s->root;

	for (uint32_t l = LEVELS - 1; l > level; l--) {
		entry *e = &table[level_index(l, va)];
		uintptr_t value = atomic_load_explicit(e, memory_order_relaxed);

		if (value & LEAF)
			return NULL;
		if (!value) {
			entry *fresh = table_create(l - 1);

			if (!fresh)
				return NULL;
			value = (uintptr_t)fresh;
			atomic_store_explicit(e, value, memory_order_release);
		}
		table = (entry *)value;
	}
	return &table[level_index(level, va)];
}

static uint64_t level_bytes(uint32_t level)
{
	return 1ull << level_shift[level];
}

static bool range_valid(const struct model_space *s, uint64_t va, uint64_t bytes)
{
	uint64_t end = 1ull << s->model->vendor->va_bits;

	return bytes && !(va % MMU_PAGE_BYTES) && !(bytes % MMU_PAGE_BYTES) && va < end &&
	       bytes <= end - va;
}

/* Returns the level for the next leaf: BIG_LEVEL if a 2 MiB leaf fits and its entry is free. */
static uint32_t leaf_level(struct model_space *s, uint64_t va, uint64_t bytes)
{
	entry *table = s->root;

	if (va % level_bytes(BIG_LEVEL) || bytes < level_bytes(BIG_LEVEL))
		return 0;
	for (uint32_t l = LEVELS - 1; l > BIG_LEVEL; l--) {
		table = (entry *)atomic_load_explicit(&table[level_index(l, va)],
						      memory_order_relaxed);
		if (!table)
			return BIG_LEVEL;
	}
	return atomic_load_explicit(&table[level_index(BIG_LEVEL, va)], memory_order_relaxed)
		       ? 0
		       : BIG_LEVEL;
}

static void wait_for_readers(struct model_space *s, uint64_t generation)
{
	for (struct mmu_reader *r = s->readers; r; r = r->next)
		while (atomic_load_explicit(&r->seen, memory_order_acquire) < generation)
			sched_yield();
}

/* Splits a 2 MiB leaf into 4 KiB leaves, so that a part of it can be unmapped. */
static int split_leaf(entry *e)
{
	uintptr_t value = atomic_load_explicit(e, memory_order_relaxed);
	entry *table = table_create(BIG_LEVEL - 1);

	if (!table)
		return -ENOMEM;
	for (uint32_t i = 0; i < level_entries[BIG_LEVEL - 1]; i++)
		atomic_init(&table[i], value + (uintptr_t)i * MMU_PAGE_BYTES);
	atomic_store_explicit(e, (uintptr_t)table, memory_order_release);
	return 0;
}

/* Splits the leaves that cross either end of the range. Nothing is unmapped if this fails. */
static int split_ends(struct model_space *s, uint64_t va, uint64_t bytes)
{
	uint64_t ends[2] = {va, va + bytes};

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t level;
		entry *e;

		if (ends[i] % level_bytes(BIG_LEVEL) && walk_tables(s, ends[i], &level, &e) &&
		    level == BIG_LEVEL && split_leaf(e))
			return -ENOMEM;
	}
	return 0;
}

/* First address after the range that an entry covers. */
static uint64_t entry_end(uint64_t va, uint32_t level)
{
	return (va | (level_bytes(level) - 1)) + 1;
}

/* TLB invalidate: returns when every reader has flushed its TLB. */
static void invalidate_tlbs(struct model_space *s)
{
	wait_for_readers(s, atomic_fetch_add_explicit(&s->generation, 1, memory_order_acq_rel) + 1);
}

/* Clears all leaves of the range and waits until no reader uses them. Returns their number. */
static uint64_t clear_leaves(struct model_space *s, uint64_t va, uint64_t bytes)
{
	uint64_t end = va + bytes, leaves = 0;
	uint32_t level;
	entry *e;

	for (; va < end; va = entry_end(va, level)) {
		if (!walk_tables(s, va, &level, &e))
			continue;
		atomic_store_explicit(e, 0, memory_order_release);
		leaves++;
	}
	invalidate_tlbs(s);
	return leaves;
}

static bool range_has_mapping(struct model_space *s, uint64_t va, uint64_t bytes)
{
	uint64_t end = va + bytes;
	uint32_t level;
	entry *e;

	for (; va < end; va = entry_end(va, level))
		if (walk_tables(s, va, &level, &e))
			return true;
	return false;
}

int model_map(struct model_space *s, uint64_t va, void *backing, uint64_t bytes, uint32_t access)
{
	uint64_t done = 0;
	int status = 0;

	if (s->walk || !range_valid(s, va, bytes) || (uintptr_t)backing % MMU_PAGE_BYTES ||
	    !backing || !access || access & ~(MODEL_READ | MODEL_WRITE | MODEL_ATOMIC))
		return -EINVAL;
	pthread_mutex_lock(&s->lock);
	if (range_has_mapping(s, va, bytes))
		status = -EEXIST;
	while (!status && done < bytes) {
		uint32_t level = leaf_level(s, va + done, bytes - done);
		entry *e = walk_tables_alloc(s, va + done, level);

		if (!e) {
			clear_leaves(s, va, done);
			status = -ENOMEM;
			break;
		}
		atomic_store_explicit(e, ((uintptr_t)backing + done) | access | LEAF,
				      memory_order_release);
		done += level_bytes(level);
	}
	pthread_mutex_unlock(&s->lock);
	return status;
}

int model_unmap(struct model_space *s, uint64_t va, uint64_t bytes)
{
	int status;

	if (!range_valid(s, va, bytes))
		return -EINVAL;
	pthread_mutex_lock(&s->lock);
	status = split_ends(s, va, bytes);
	if (!status && !clear_leaves(s, va, bytes))
		status = -ENOENT;
	pthread_mutex_unlock(&s->lock);
	return status;
}

void model_invalidate(struct model_space *s)
{
	pthread_mutex_lock(&s->lock);
	invalidate_tlbs(s);
	pthread_mutex_unlock(&s->lock);
}

static void reader_forget(struct mmu_reader *r)
{
	memset(r->tlb, 0, sizeof(r->tlb));
	memset(r->spans, 0, sizeof(r->spans));
	memset(r->sites, 0, sizeof(r->sites));
}

void mmu_enter(struct mmu_reader *r, struct model_space *s)
{
	r->space = s;
	reader_forget(r);
	pthread_mutex_lock(&s->lock);
	atomic_store(&r->seen, atomic_load(&s->generation));
	r->next = s->readers;
	s->readers = r;
	pthread_mutex_unlock(&s->lock);
}

void mmu_leave(struct mmu_reader *r)
{
	struct mmu_reader **at = &r->space->readers;

	if (r->weak)
		weak_memory_flush(r->weak);
	/* Before taking the lock, so that an unmap that holds it does not wait for this reader. */
	atomic_store_explicit(&r->seen, UINT64_MAX, memory_order_release);
	pthread_mutex_lock(&r->space->lock);
	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	pthread_mutex_unlock(&r->space->lock);
}

void mmu_poll_slow(struct mmu_reader *r)
{
	uint64_t generation = atomic_load_explicit(&r->space->generation, memory_order_acquire);

	if (r->weak)
		weak_memory_flush(r->weak);
	reader_forget(r);
	atomic_store_explicit(&r->seen, generation, memory_order_release);
}

/* Returns the host address of va and its access rights, or NULL. */
static uint8_t *translate_page(struct model_space *s, uint64_t va, uint32_t *access)
{
	uint32_t level;
	entry *e;

	if (s->walk)
		return s->walk(s->walk_argument, va, access);
	uintptr_t value = va >> MMU_VA_BITS ? 0 : walk_tables(s, va, &level, &e);

	if (!value)
		return NULL;
	*access = value & FLAGS;
	return (uint8_t *)(value & ~(uintptr_t)FLAGS) + va % level_bytes(level);
}

uint8_t *mmu_walk(struct mmu_reader *r, uint64_t va, uint32_t access, enum mmu_result *why)
{
	uint32_t slot = (va >> MMU_PAGE_BITS) % MMU_TLB, allowed = 0;
	uint8_t *host = translate_page(r->space, va, &allowed);

	if (!host) {
		*why = MMU_UNMAPPED;
		return NULL;
	}
	if ((allowed & access) != access) {
		*why = MMU_DENIED;
		return NULL;
	}
	r->tlb[slot].page = (va >> MMU_PAGE_BITS) + 1;
	r->tlb[slot].host = host - va % MMU_PAGE_BYTES;
	r->tlb[slot].access = allowed;
	return host;
}

/* The leaves of a table around one of them that continue it on the host with the same rights. */
static void extend_span(struct mmu_span *s, const entry *table, uint32_t index)
{
	uintptr_t value = atomic_load_explicit(&table[index], memory_order_acquire);
	uint32_t first = index, end = index + 1;

	while (first && atomic_load_explicit(&table[first - 1], memory_order_acquire) ==
				value - (uintptr_t)(index - first + 1) * MMU_PAGE_BYTES)
		first--;
	while (end < level_entries[0] && atomic_load_explicit(&table[end], memory_order_acquire) ==
						 value + (uintptr_t)(end - index) * MMU_PAGE_BYTES)
		end++;
	s->start -= (uint64_t)(index - first) * MMU_PAGE_BYTES;
	s->host -= (size_t)(index - first) * MMU_PAGE_BYTES;
	s->bytes = (uint64_t)(end - first) * MMU_PAGE_BYTES;
}

const struct mmu_span *mmu_walk_span(struct mmu_reader *r, uint64_t va, uint32_t access)
{
	uint32_t level = 0, index = level_index(0, va);
	struct mmu_span found = {.bytes = MMU_PAGE_BYTES};
	entry *e = NULL;

	if (r->space->walk) {
		found.host = r->space->walk(r->space->walk_argument, va, &found.access);
	} else if (!(va >> MMU_VA_BITS)) {
		uintptr_t value = walk_tables(r->space, va, &level, &e);

		found.bytes = level_bytes(level);
		found.access = value & FLAGS;
		found.host =
			value ? (uint8_t *)(value & ~(uintptr_t)FLAGS) + va % found.bytes : NULL;
	}
	if (!found.host || (found.access & access) != access)
		return NULL;
	found.start = va & ~(found.bytes - 1);
	found.host -= va % found.bytes;
	if (e && level == 0)
		extend_span(&found, e - index, index);
	r->spans[(va >> MMU_SPAN_BITS) % MMU_SPANS] = found;
	return &r->spans[(va >> MMU_SPAN_BITS) % MMU_SPANS];
}

#define MOVE(type, at) \
	__atomic_store_n((type *)(to + (at)), \
			 __atomic_load_n((const type *)(from + (at)), __ATOMIC_RELAXED), \
			 __ATOMIC_RELAXED)

void mmu_move(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	uint64_t odd = ((uintptr_t)to | (uintptr_t)from) % 8, done = 0;

	if ((uintptr_t)to - (uintptr_t)from < bytes) { /* overlaps its end: copy backwards */
		while (bytes--)
			MOVE(uint8_t, bytes);
		return;
	}
	for (; !odd && bytes - done >= 8; done += 8)
		MOVE(uint64_t, done);
	for (; odd % 4 == 0 && bytes - done >= 4; done += 4)
		MOVE(uint32_t, done);
	for (; done < bytes; done++)
		MOVE(uint8_t, done);
}

static enum mmu_result copy_virtual(struct mmu_reader *r, uint64_t va, void *local, uint64_t bytes,
				    uint32_t access, uint64_t *fault)
{
	enum mmu_result why = MMU_OK;

	for (uint64_t done = 0; done < bytes;) {
		uint64_t n = MMU_PAGE_BYTES - (va + done) % MMU_PAGE_BYTES;
		uint8_t *host = mmu_translate(r, va + done, access, &why);

		if (!host) {
			*fault = va + done;
			return why;
		}
		if (n > bytes - done)
			n = bytes - done;
		if (access & MODEL_WRITE)
			mmu_move(host, (uint8_t *)local + done, n);
		else
			mmu_move((uint8_t *)local + done, host, n);
		done += n;
	}
	return MMU_OK;
}

enum mmu_result mmu_read(struct mmu_reader *r, uint64_t va, void *out, uint64_t bytes,
			 uint64_t *fault)
{
	return copy_virtual(r, va, out, bytes, MODEL_READ, fault);
}

enum mmu_result mmu_write(struct mmu_reader *r, uint64_t va, const void *in, uint64_t bytes,
			  uint64_t *fault)
{
	return copy_virtual(r, va, (void *)in, bytes, MODEL_WRITE, fault);
}

const char *mmu_result_text(enum mmu_result why)
{
	static const char *const text[] = {"is reachable", "is not mapped",
					   "is mapped, but does not permit this access"};

	return text[why];
}
